/* SPDX-License-Identifier: MIT */
/* Any bytes, as a file or as the text or JSON of one: of what is read, every dump makes the same bytes again. */
#include "fuzz.h"

#include "anm/dump.h"

static void check_dump(const struct anm_doc *doc, bool by_bone, bool json)
{
    ANM_AUTO(anm_buf_free) struct anm_buf text = {0};
    struct anm_error err = {0};
    require((json ? anm_dump_json(doc, by_bone, &text, &err) : anm_dump(doc, by_bone, &text, &err)) == 0);
    ANM_AUTO(anm_doc_clean) struct anm_doc *back = anm_build(text.data, text.size, &err);
    require(back != NULL);
    ANM_AUTO(anm_buf_free) struct anm_buf want = encode(doc), got = encode(back);
    require(equal(&want, &got));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct anm_error err = {0};
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = anm_doc_decode(data, size, NULL, &err);
    if (!doc) {
        err = (struct anm_error){0};
        ANM_AUTO(anm_doc_clean) struct anm_doc *built = anm_build(data, size, &err);
        if (!built) {
            require(err.reason != ANM_OK && err.reason != ANM_NOMEM && err.text[0]);
            return 0;
        }
        /* Ordinals are as they were given until the file is loaded again. */
        ANM_AUTO(anm_buf_free) struct anm_buf bytes = encode(built);
        doc = anm_doc_decode(bytes.data, bytes.size, NULL, &err);
        require(doc != NULL);
    }
    for (unsigned form = 0; form < 4; form++)
        check_dump(doc, form & 1, form & 2);
    return 0;
}
