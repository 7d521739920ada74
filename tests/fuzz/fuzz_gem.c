/* SPDX-License-Identifier: MIT */
/* Any bytes: what decodes encodes to the same bytes, and every conversion gives a file that comes back. */
#include "fuzz.h"

#include "anm/gem.h"

static void check_encoding(const struct anm_doc *doc, const uint8_t *bytes, size_t size)
{
    ANM_AUTO(anm_buf_free) struct anm_buf out = {0};
    struct anm_error err = {0};
    require(anm_doc_encode(doc, &out, &err) == 0);
    require(out.size == size && memcmp(out.data, bytes, size) == 0);
}

static void check_conversion(const struct gem_doc *doc, uint32_t version, enum gem_kind kind, bool lossy)
{
    ANM_AUTO(anm_buf_free) struct anm_buf out = {0};
    struct anm_error err = {0};
    struct gem_doc *converted = gem_convert(doc, version, kind, lossy, &err);
    if (!converted) {
        require(err.reason == ANM_LIMIT || (err.reason == ANM_LOSS && !lossy) ||
                (err.reason == ANM_DENIED && doc->guessed));
        return;
    }
    require(gem_check_limits(converted, doc, &err) == 0);
    require(anm_doc_encode(&converted->doc, &out, &err) == 0);
    ANM_AUTO(anm_doc_clean) struct anm_doc *again = anm_doc_decode(out.data, out.size, NULL, &err);
    require(again != NULL);
    require(gem_const(again)->bones->count == converted->bones->count);
    for (uint32_t i = 0; i < converted->bones->count; i++)
        require(anm_blob_equal(gem_const(again)->bones->bones[i].name, converted->bones->bones[i].name));
    require(gem_const(again)->frame_count == converted->frame_count);
    check_encoding(again, out.data, out.size);
    anm_doc_unref(&converted->doc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint32_t versions[] = {0x00030000, 0x00040000, 0x00050000, 0x00060000, 0x00060001};
    struct anm_error err = {0};
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = anm_doc_decode(data, size, NULL, &err);
    if (!doc) {
        require(err.reason == ANM_FOREIGN || (err.reason == ANM_FORMAT && err.has_offset && err.offset <= size));
        return 0;
    }
    check_encoding(doc, data, size);
    if (doc->format != &anm_gem)
        return 0;
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++)
        for (int kind = GEM_FRMN; kind <= GEM_FRM3; kind++)
            for (int lossy = 0; lossy < 2; lossy++)
                check_conversion(gem_const(doc), versions[i], (enum gem_kind)kind, lossy);
    return 0;
}
