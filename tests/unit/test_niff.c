/* SPDX-License-Identifier: MIT */
/* NIFF files, from bytes and back: what is odd is kept, what does not fit is refused with list, record and offset. */
#include "anm/niff.h"

#include "fail_alloc.h"
#include "niff_build.h"
#include "tree_help.h"

#include "suites.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct anm_doc *decode(const struct anm_buf *file, struct anm_error *err)
{
    *err = (struct anm_error){0};
    return anm_doc_decode(file->data, file->size, NULL, err);
}

static void round_trips(const struct anm_buf *file)
{
    struct anm_error err;
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = decode(file, &err);
    ANM_AUTO(anm_buf_free) struct anm_buf out = {0};
    ck_assert_msg(doc != NULL, "offset %llu: %s", (unsigned long long)err.offset, err.text);
    ck_assert_str_eq(doc->format->family, "niff");
    ck_assert_int_eq(anm_doc_encode(doc, &out, &err), 0);
    ck_assert(anm_bytes_compare(out.data, out.size, file->data, file->size) == 0);
}

static void (*const ready[])(struct anm_buf *out, unsigned major) = {nif_everything, nif_ordinary, nif_empty};
#define READY 6 /* of each, 1.0 and 2.0 */

static void make_ready(struct anm_buf *out, int i)
{
    ready[i / 2](out, 1 + (unsigned)i % 2);
}

START_TEST(built_files)
{
    ANM_AUTO(anm_buf_free) struct anm_buf file = {0};
    make_ready(&file, _i);
    round_trips(&file);
}
END_TEST

START_TEST(random_files)
{
    for (uint64_t seed = 1; seed <= 300; seed++) {
        ANM_AUTO(anm_buf_free) struct anm_buf file = {0};
        nif_random(&file, seed);
        round_trips(&file);
    }
}
END_TEST

/* Each refused with an offset inside the file, and the list that was cut. */
START_TEST(every_truncation)
{
    ANM_AUTO(anm_buf_free) struct anm_buf file = {0};
    make_ready(&file, _i);
    size_t tail = _i < 2 ? nif_get(&file, 4) - 9 : file.size; /* nine bytes behind the last list of "everything" */
    for (size_t size = 0; size < file.size; size++) {
        struct anm_error err = {0};
        struct anm_blob *exact = anm_blob_new(file.data, size);
        ck_assert_ptr_null(anm_doc_decode(exact->bytes, size, NULL, &err));
        if (size >= 16 && size < tail) {
            ck_assert_msg(err.reason == ANM_FORMAT && err.has_offset && err.offset <= size, "at %zu: %s", size,
                          err.text);
            ck_assert_msg(strstr(err.text, "List") || strstr(err.text, "file header"), "at %zu: %s", size, err.text);
        }
        anm_blob_unref(exact);
    }
}
END_TEST

/* Every word as zero, small, large, one more: no crash (the sanitizers see to it), and what decodes encodes to the same bytes. */
START_TEST(every_word)
{
    static const uint32_t values[] = {0, 1, 7, 0x7fffffff, 0xffffffff, 0x40000000};
    ANM_AUTO(anm_buf_free) struct anm_buf file = {0};
    unsigned refused = 0;
    make_ready(&file, _i);
    for (size_t at = 0; at + 4 <= file.size; at += 4)
        for (size_t k = 0; k <= sizeof values / sizeof *values; k++) {
            uint32_t old = nif_get(&file, at);
            nif_set(&file, at, k ? values[k - 1] : old + 1);
            struct anm_error err;
            ANM_AUTO(anm_doc_clean) struct anm_doc *doc = decode(&file, &err);
            ANM_AUTO(anm_buf_free) struct anm_buf out = {0};
            if (doc && strcmp(doc->format->family, "niff") == 0) {
                ck_assert_int_eq(anm_doc_encode(doc, &out, &err), 0);
                ck_assert(out.size == file.size && memcmp(out.data, file.data, out.size) == 0);
            }
            refused += doc == NULL;
            nif_set(&file, at, old);
        }
    ck_assert_uint_gt(refused, 50);
}
END_TEST

/* A word that lies, where it is, and what is said of it. */
struct lie {
    enum nif_list list;
    int record; /* -1: the list's header */
    size_t at;  /* in the record, or in the header */
    uint32_t value;
    const char *words;
};
static const struct lie lies[] = {
    {NIF_ANIM, -1, 8, 0x7ffffffc, "AnimList"},
    {NIF_ANIM, -1, 12, 0x40000000, "AnimList: 1073741824 records"},
    {NIF_ANIM, -1, 24, 44, "AnimList, record 0: its size is 44"},
    {NIF_ANIM, -1, 24, 0x7fffffff, "AnimList, record 0"},
    {NIF_ANIM, NIF_OF_TURRET, 0, 5, "AnimList, group 1: tag 0x00000005"},
    {NIF_ANIM, NIF_OF_TURRET, 28, 0xffffffff, "AnimList, group 1: anim_num is 4294967295"},
    {NIF_ANIM, NIF_OF_TURRET, 40, 0xfffffffc, "AnimList, group 1: the Nintendo block has 4294967292 bytes"},
    {NIF_ANIM, NIF_OF_TURRET, 44, 4096, "AnimList, group 1: the user block has 4096 bytes"},
    {NIF_ANIM, NIF_OF_TURRET, 48 + 8, 8, "AnimList, group 1: Anim 0: anim_size is 8"},
    {NIF_ANIM, NIF_OF_TURRET, 48 + 52 + 8, 0xfffffffc, "AnimList, group 1: Anim 1: anim_size is 4294967292"},
    {NIF_ANIM, NIF_CHANNELED, 48 + 8, 0x10000000, "AnimList, group 10: rotate_x has 268435456 keys"},
    {NIF_OBJ, -1, 12, 0xffffffff, "ObjList: 4294967295 records"},
    {NIF_OBJ, -1, 24 + 4, 8, "ObjList, record 1: its size is 8"},
    {NIF_NAME, -1, 24, 12, "NameList, record 0: its size is 12"},
    {NIF_CHAIN_ROOT, -1, 24, 40, "ChainRootList, record 0: its size is 40"},
};

START_TEST(lies_are_refused)
{
    const struct lie *lie = &lies[_i];
    struct anm_error err;
    ANM_AUTO(anm_buf_free) struct anm_buf file = {0};
    nif_everything(&file, 2);
    size_t start =
        lie->record < 0 ? nif_list_at(&file, lie->list) : nif_record_at(&file, lie->list, (uint32_t)lie->record);
    nif_set(&file, start + lie->at, lie->value);
    ck_assert_ptr_null(decode(&file, &err));
    ck_assert_int_eq(err.reason, ANM_FORMAT);
    ck_assert_msg(strstr(err.text, lie->words) != NULL, "\"%s\", expected \"%s\"", err.text, lie->words);
    ck_assert_uint_eq(err.offset, start + lie->at);
}
END_TEST

/* Sizes that disagree harm nobody: they are told of, and stay as wrong as they were when an edit changes what they count. */
START_TEST(harmless_lies_are_kept)
{
    static const struct {
        enum nif_list list;
        int record;
        size_t at;
        uint32_t by;
        const char *told;
    } words[] = {
        {NIF_ANIM, NIF_OF_TURRET, 12, (uint32_t)-4, "give a size that is not their own"},
        {NIF_ANIM, NIF_OF_TURRET, 4, 7, "index numbers"},
        {NIF_ANIM, NIF_OF_TURRET, 8, 4, "header size"},
        {NIF_ANIM, -1, 4, 16, NULL},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct anm_error err;
        ANM_AUTO(anm_buf_free) struct anm_buf file = {0}, out = {0};
        nif_everything(&file, 1);
        size_t at = words[i].record < 0 ? nif_list_at(&file, words[i].list)
                                        : nif_record_at(&file, words[i].list, (uint32_t)words[i].record);
        uint32_t wrong = nif_get(&file, at + words[i].at) + words[i].by;
        nif_set(&file, at + words[i].at, wrong);
        round_trips(&file);
        ANM_AUTO(anm_doc_clean) struct anm_doc *doc = decode(&file, &err);
        ANM_AUTO(anm_freep) char *info = tree_text(doc, ".anmfs/info.json");
        ck_assert_msg(!words[i].told || strstr(info, words[i].told), "%s", info);
        tree_write(&doc, "bones/sign/group",
                   "type billboard_obj\nframe_rate 9\nloop 2\nrotation_order xyz\nuser switch 0\n");
        ck_assert_int_eq(anm_doc_encode(doc, &out, &err), 0);
        ck_assert_uint_eq(nif_get(&out, at + words[i].at), wrong);
    }
}
END_TEST

START_TEST(file_size)
{
    struct anm_error err;
    ANM_AUTO(anm_buf_free) struct anm_buf file = {0};
    nif_ordinary(&file, 1);
    nif_set(&file, 4, nif_get(&file, 4) + 4);
    ck_assert_ptr_null(decode(&file, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "it was cut short"));
    nif_set(&file, 4, nif_get(&file, 4) - 8);
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = decode(&file, &err);
    ck_assert_ptr_nonnull(doc);
    ANM_AUTO(anm_freep) char *info = tree_text(doc, ".anmfs/info.json");
    ck_assert_ptr_nonnull(strstr(info, "file_size is"));
}
END_TEST

/* Only the first word of a list is wrong: what follows is not silently taken for a tail. */
START_TEST(unknown_list)
{
    struct anm_error err;
    ANM_AUTO(anm_buf_free) struct anm_buf file = {0};
    nif_ordinary(&file, 2);
    size_t at = nif_list_at(&file, NIF_ANIM);
    nif_set(&file, at, 0x000cf000);
    ck_assert_ptr_null(decode(&file, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "tag 0x000cf000"));
    ck_assert_uint_eq(err.offset, at);
}
END_TEST

START_TEST(allocations_fail)
{
    ANM_AUTO(anm_buf_free) struct anm_buf file = {0};
    nif_everything(&file, 2);
    for (unsigned n = 1; n == 1 || fail_alloc_hit(); n++) {
        struct anm_error err = {0};
        fail_alloc_at(n);
        ANM_AUTO(anm_doc_clean) struct anm_doc *doc = anm_doc_decode(file.data, file.size, NULL, &err);
        fail_alloc_off();
        ck_assert_msg(doc ? !fail_alloc_hit() : err.reason == ANM_NOMEM, "at %u: %s", n, err.text);
    }
}
END_TEST

/* --- the samples --- */

static void read_sample(const char *dir, const char *name, struct anm_buf *out)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/niff/%s", dir, name);
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s", path);
    for (int c; (c = getc(file)) != EOF;)
        anm_buf_putc(out, (char)c);
    fclose(file);
}

START_TEST(samples)
{
    const char *root = getenv("ANM_SAMPLES");
    char path[4096];
    unsigned count = 0;
    snprintf(path, sizeof path, "%s/niff", root ? root : "");
    DIR *dir = root ? opendir(path) : NULL;
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        ANM_AUTO(anm_buf_free) struct anm_buf file = {0};
        if (!strstr(entry->d_name, ".nif"))
            continue;
        char why[200];
        read_sample(root, entry->d_name, &file);
        round_trips(&file);
        ck_assert_msg(nif_walk_ok(file.data, file.size, 0, why), "%s: %s", entry->d_name, why);
        count++;
    }
    if (dir)
        closedir(dir);
    if (!count)
        printf("# skipped: niff: no samples (ANM_SAMPLES)\n");
}
END_TEST

Suite *niff_suite(void)
{
    Suite *suite = suite_create("niff");
    TCase *tests = tcase_create("codec");
    tcase_set_timeout(tests, 300);
    tcase_add_loop_test(tests, built_files, 0, READY);
    tcase_add_test(tests, random_files);
    tcase_add_loop_test(tests, every_truncation, 0, READY);
    tcase_add_loop_test(tests, lies_are_refused, 0, sizeof lies / sizeof *lies);
    tcase_add_test(tests, harmless_lies_are_kept);
    tcase_add_test(tests, file_size);
    tcase_add_test(tests, unknown_list);
    tcase_add_test(tests, allocations_fail);
    tcase_add_test(tests, samples);
    suite_add_tcase(suite, tests);
    TCase *slow = tcase_create("words");
    tcase_set_timeout(slow, 600);
    tcase_set_tags(slow, "slow");
    tcase_add_loop_test(slow, every_word, 0, READY);
    suite_add_tcase(suite, slow);
    niff_tree_cases(suite);
    return suite;
}
