/* SPDX-License-Identifier: MIT */
#include "gem_build.h"

#include <check.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void gem_build_encode(const struct gem_doc *doc, struct anm_buf *out)
{
    struct anm_error err = {0};
    anm_buf_free(out);
    ck_assert_msg(anm_doc_encode(&doc->doc, out, &err) == 0, "encoding: %s", err.text);
}

struct gem_doc *gem_build_decode(struct anm_buf *bytes)
{
    ANM_AUTO(anm_buf_free) struct anm_buf again = {0};
    struct anm_error err = {0};
    struct anm_doc *doc = anm_doc_decode(bytes->data, bytes->size, NULL, &err);
    ck_assert_msg(doc != NULL, "decoding: offset %llu: %s", (unsigned long long)err.offset, err.text);
    gem_build_encode(gem_const(doc), &again);
    ck_assert_uint_eq(again.size, bytes->size);
    ck_assert_mem_eq(again.data, bytes->data, bytes->size);
    anm_buf_free(bytes);
    return (struct gem_doc *)(void *)doc;
}

void gem_build_refused(struct anm_buf *bytes, int64_t offset, const char *words)
{
    struct anm_error err = {0};
    const struct anm_doc *doc = anm_doc_decode(bytes->data, bytes->size, NULL, &err);
    ck_assert_msg(doc == NULL, "decoded, expected a refusal: %s", words);
    ck_assert_msg(strstr(err.text, words) != NULL, "found the message \"%s\", expected \"%s\"", err.text, words);
    ck_assert(offset == -1 || (err.has_offset && err.offset == (uint64_t)offset));
    ck_assert(!err.has_offset || err.offset <= bytes->size);
    anm_buf_free(bytes);
}

unsigned gem_build_each_sample(void (*test)(const char *name, const uint8_t *bytes, size_t size))
{
    ANM_AUTO(anm_buf_free) struct anm_buf pattern = {0};
    const char *samples = getenv("ANM_SAMPLES");
    glob_t found;
    anm_buf_printf(&pattern, "%s/gem/*.anm", samples ? samples : "");
    if (!samples || glob(anm_buf_cstr(&pattern), 0, NULL, &found) != 0)
        return 0;
    unsigned count = (unsigned)found.gl_pathc;
    for (unsigned i = 0; i < count; i++) {
        ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
        FILE *file = fopen(found.gl_pathv[i], "rb");
        ck_assert_msg(file != NULL, "%s cannot be read", found.gl_pathv[i]);
        size_t size;
        do {
            uint8_t *room = anm_buf_room(&bytes, 65536);
            size = room ? fread(room, 1, 65536, file) : 0;
            bytes.size += size;
        } while (size > 0);
        fclose(file);
        test(strrchr(found.gl_pathv[i], '/') + 1, bytes.data, bytes.size);
    }
    globfree(&found);
    return count;
}
