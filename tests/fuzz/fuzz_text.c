/* SPDX-License-Identifier: MIT */
/* Texts written to a small document. The first byte chooses the document, the second the node, the rest is the text.
 * A refused text changes nothing. An accepted one, printed and written again, gives the same document and the same text;
 * and what the document is encoded to is decoded and encoded to the same bytes. */
#include "fuzz.h"

#include "anm/gem.h"

static struct anm_doc *make(uint8_t which)
{
    struct gem_doc *gem = gem_new(which & 1 ? 0x00040000 : 0x00060001, which & 1   ? GEM_FRMN
                                                                       : which & 2 ? GEM_FRM3
                                                                                   : GEM_FRM2);
    require(gem != NULL);
    struct anm_doc *doc = put(&gem->doc, "bones/a", NULL);
    doc = put(doc, "bones/b%20c", NULL);
    doc = put(doc, "bones/a~2", NULL);
    doc = put(doc, "bones/free", NULL);
    if (which & 1)
        doc = put(doc, "keys",
                  "0 a position 1 2 3\n0 a matrix 1 0 0 0 1 0 0 0 1\n0 a visible yes\n0 b%20c visible no\n"
                  "0 b%20c visible~2 2\n7 a~2 none\n7~2 a visible yes\n");
    else
        doc = put(doc, "keys",
                  "0 a position 1 2 3\n0 a mirrored\n0 b%20c orientation 0 0 0.5\n0 b%20c scale~2 1 1 1\n"
                  "7 a orientation 0 0 0\n7 a mirrored no\n7 a~2 visible both\n7~2 a flags 0x8000\n");
    doc = put(doc, "frames/007/a.mesh", "mesh");
    doc = put(doc, "frames/012", NULL);
    if (which & 4)
        doc = put(doc, "comment", "text");
    if (which & 8)
        doc = put(doc, "header", "length 20\norder 12 7 0 7~2\n");
    return doc;
}

static struct anm_buf render(const struct anm_doc *doc, const char *path)
{
    struct anm_buf out = {0};
    struct anm_error err;
    struct anm_ref ref;
    if (anm_tree_find(doc, path, &ref, &err) == 0)
        require(anm_tree_render(doc, &ref, &out, &err) == 0);
    return out;
}

/* What is true of every document. */
static void check_document(const struct anm_doc *doc)
{
    struct anm_error err;
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = encode(doc);
    ANM_AUTO(anm_doc_clean) struct anm_doc *back = anm_doc_decode(bytes.data, bytes.size, "gem", &err);
    require(back != NULL);
    ANM_AUTO(anm_buf_free) struct anm_buf again = encode(back);
    require(equal(&bytes, &again));
}

static void check_accepted(const struct anm_doc *doc, const struct anm_doc *next, const char *path)
{
    struct anm_error err;
    ANM_AUTO(anm_buf_free) struct anm_buf text = render(next, path);
    struct anm_ref ref;
    if (anm_tree_find(next, path, &ref, &err) == 0) {
        ANM_AUTO(anm_doc_clean) struct anm_doc *same = anm_tree_write(next, path, text.data, text.size, &err);
        require(same == next);
        ANM_AUTO(anm_buf_free) struct anm_buf twice = render(same, path);
        require(equal(&text, &twice));
    }
    static const char *const all[] = {"format", "header", "bonemap", "keys", "bones/a/keys", "frames/007/keys"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct anm_ref here, there;
        if (anm_tree_find(doc, all[i], &here, &err) || anm_tree_find(next, all[i], &there, &err))
            continue;
        ANM_AUTO(anm_buf_free) struct anm_buf before = render(doc, all[i]), after = render(next, all[i]);
        require(anm_tree_same(doc, &here, next, &there) == equal(&before, &after));
        ANM_AUTO(anm_doc_clean) struct anm_doc *same = anm_tree_write(next, all[i], after.data, after.size, &err);
        require(same == next);
    }
    check_document(next);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const nodes[] = {"keys",
                                        "format",
                                        "header",
                                        "bonemap",
                                        "bones/a/keys",
                                        "bones/a~2/keys",
                                        "frames/000/keys",
                                        "frames/007/keys",
                                        "comment",
                                        "frames/007~2/keys",
                                        "frames/000/a.mesh",
                                        "bones/free/keys"};
    if (size < 2)
        return 0;
    const char *path = nodes[data[1] % (sizeof nodes / sizeof *nodes)];
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = make(data[0]);
    ANM_AUTO(anm_buf_free) struct anm_buf before = encode(doc);
    struct anm_error err = {0};
    ANM_AUTO(anm_doc_clean) struct anm_doc *next = anm_tree_write(doc, path, data + 2, size - 2, &err);
    ANM_AUTO(anm_buf_free) struct anm_buf after = encode(doc);
    require(equal(&before, &after));
    if (next)
        check_accepted(doc, next, path);
    else
        require(err.reason != ANM_OK && err.text[0]);
    return 0;
}
