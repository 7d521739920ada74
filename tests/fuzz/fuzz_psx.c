/* SPDX-License-Identifier: MIT */
/* Any bytes as a sprite animation, a sequence or images: what decodes encodes to the same bytes, what does not is refused at
 * an offset inside, and every file of the tree written back changes nothing. fuzz_tim is the same with the family of images. */
#include "fuzz.h"

#include "anm/psx.h"

static void check_file(const struct anm_doc *doc, const struct anm_ref *ref, const char *path)
{
    ANM_AUTO(anm_buf_free) struct anm_buf text = {0};
    struct anm_error err;
    require(anm_tree_render(doc, ref, &text, &err) == 0);
    if (!anm_ref_writable(ref) || (text.size == 0 && anm_ref_kind(ref) == ANM_FILE_TEXT))
        return;
    ANM_AUTO(anm_doc_clean) struct anm_doc *same = anm_tree_write(doc, path, text.data, text.size, &err);
    require(same == doc);
}

/* The tree is three levels deep at most, and so is this. */
static void check_directory(const struct anm_doc *doc, const char *path, unsigned classes)
{
    struct anm_error err;
    struct anm_ref dir, child;
    uint32_t cookie = 0;
    require(anm_tree_find(doc, path, &dir, &err) == 0);
    for (;;) {
        ANM_AUTO(anm_buf_free) struct anm_buf name = {0};
        anm_buf_puts(&name, path);
        if (*path)
            anm_buf_putc(&name, '/');
        if (!anm_tree_next(doc, &dir, classes, &cookie, &child, &name))
            return;
        const char *text = anm_buf_cstr(&name);
        require(text != NULL);
        if (anm_ref_kind(&child) == ANM_DIR)
            check_directory(doc, text, classes);
        else if (anm_ref_kind(&child) != ANM_FILE_HOST)
            check_file(doc, &child, text);
    }
}

static void check_as(const uint8_t *data, size_t size, const char *family)
{
    struct anm_error err = {0};
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = anm_doc_decode(data, size, family, &err);
    if (!doc) {
        require(err.reason == ANM_FOREIGN || (err.reason == ANM_FORMAT && err.has_offset && err.offset <= size));
        return;
    }
    ANM_AUTO(anm_buf_free) struct anm_buf out = {0};
    require(anm_doc_encode(doc, &out, &err) == 0);
    require(out.size == size && memcmp(out.data, data, size) == 0);
    if (doc->format != &anm_gem)
        check_directory(doc, "", ANM_LIST_HIDDEN | ANM_LIST_RAW | (size < 256 ? ANM_LIST_PREVIEW : 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    check_as(data, size, NULL);
#ifdef FUZZ_TIM
    check_as(data, size, "tim");
#else
    check_as(data, size, *data == PSX_ID_TSQ ? "tsq" : "psx");
#endif
    return 0;
}
