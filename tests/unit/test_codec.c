/* SPDX-License-Identifier: MIT */
/* Buffers, blobs, the cursor, errors, what files of other kinds are called; GEM documents as data. */
#include "suites.h"

#include "anm/cursor.h"
#include "anm/gem.h"
#include "fail_alloc.h"
#include "gem_build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

START_TEST(buf_appends_in_order)
{
    ANM_AUTO(anm_buf_free) struct anm_buf buf = {0};
    anm_buf_puts(&buf, "ab");
    anm_buf_putc(&buf, 'c');
    anm_buf_put(&buf, "d\0", 2);
    anm_buf_put(&buf, NULL, 0);
    anm_buf_printf(&buf, "%d-%s", 42, "x");
    ck_assert_uint_eq(buf.size, 9);
    ck_assert_mem_eq(buf.data, "abcd\00042-x", 9);
    ck_assert_str_eq(anm_buf_cstr(&buf) + 5, "42-x");
    ck_assert_uint_eq(buf.size, 9);
}
END_TEST

START_TEST(buf_words_have_their_byte_order)
{
    ANM_AUTO(anm_buf_free) struct anm_buf buf = {0};
    anm_buf_u8(&buf, 0x01);
    anm_buf_u16le(&buf, 0x0203);
    anm_buf_u32le(&buf, 0x04050607);
    anm_buf_u32be(&buf, 0x08090a0b);
    ck_assert_uint_eq(buf.size, 11);
    ck_assert_mem_eq(buf.data, "\x01\x03\x02\x07\x06\x05\x04\x08\x09\x0a\x0b", 11);
}
END_TEST

START_TEST(buf_grows_and_keeps)
{
    ANM_AUTO(anm_buf_free) struct anm_buf buf = {0};
    for (uint32_t i = 0; i < 100000; i++)
        anm_buf_u32le(&buf, i);
    ck_assert(!buf.failed);
    ck_assert_uint_eq(buf.size, 400000);
    for (uint32_t i = 0; i < 100000; i++)
        ck_assert(buf.data[4 * i] == (i & 0xff) && buf.data[4 * i + 2] == i >> 16);
}
END_TEST

START_TEST(buf_failure_is_sticky)
{
    ANM_AUTO(anm_buf_free) struct anm_buf buf = {0};
    anm_buf_puts(&buf, "kept");
    ck_assert_ptr_null(anm_buf_room(&buf, SIZE_MAX));
    ck_assert(buf.failed);
    anm_buf_puts(&buf, "dropped");
    anm_buf_printf(&buf, "%d", 1);
    ck_assert_uint_eq(buf.size, 4);
    ck_assert_mem_eq(buf.data, "kept", 4);
    ck_assert_ptr_null(anm_buf_cstr(&buf));
    anm_buf_free(&buf);
    ck_assert(!buf.failed && buf.size == 0);
    fail_alloc_at(1);
    anm_buf_puts(&buf, "x");
    fail_alloc_off();
    ck_assert(buf.failed && buf.size == 0);
}
END_TEST

START_TEST(blobs_are_counted)
{
    struct anm_blob *blob = anm_blob_new("abc", 3), *same = anm_blob_new("abc", 3), *other = anm_blob_new("abd", 3);
    struct anm_blob *empty = anm_blob_new(NULL, 0);
    ck_assert(anm_blob_equal(blob, same) && !anm_blob_equal(blob, other) && !anm_blob_equal(blob, empty));
    ck_assert(anm_blob_equal(NULL, NULL) && !anm_blob_equal(empty, NULL));
    ck_assert_ptr_eq(anm_blob_ref(blob), blob);
    anm_blob_unref(blob);
    ck_assert_mem_eq(blob->bytes, "abc", 3);
    anm_blob_unref(blob);
    anm_blob_unref(same);
    anm_blob_unref(other);
    anm_blob_unref(empty);
    anm_blob_unref(NULL);
    ck_assert_ptr_null(anm_blob_ref(NULL));
}
END_TEST

START_TEST(sizes_that_overflow_are_refused)
{
    ck_assert_ptr_null(anm_alloc(16, SIZE_MAX / 8, 8));
    ck_assert_ptr_null(anm_alloc(SIZE_MAX, 1, 1));
    ck_assert_ptr_null(anm_realloc(NULL, SIZE_MAX / 4, 8));
    ck_assert_ptr_null(anm_blob_new("", SIZE_MAX));
    ANM_AUTO(anm_freep) void *nothing = anm_alloc(0, 0, 8);
    ck_assert_ptr_nonnull(nothing);
}
END_TEST

START_TEST(cursor_reads)
{
    struct anm_error err = {0};
    struct anm_cursor c = anm_cursor("\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c", 12, &err);
    ck_assert_uint_eq(anm_get_u8(&c, "a"), 0x01);
    ck_assert_uint_eq(anm_get_u16le(&c, "b"), 0x0302);
    ck_assert_uint_eq(anm_get_u32le(&c, "c"), 0x07060504);
    ck_assert_mem_eq(anm_peek(&c, 5), "\x08\x09\x0a\x0b\x0c", 5);
    ck_assert_uint_eq(anm_get_u32be(&c, "d"), 0x08090a0b);
    ck_assert_uint_eq(anm_left(&c), 1);
    ck_assert_ptr_null(anm_peek(&c, 2));
    ck_assert(!c.failed);
    ck_assert_mem_eq(anm_get_bytes(&c, 1, "e"), "\x0c", 1);
    ck_assert_ptr_nonnull(anm_get_bytes(&c, 0, "f"));
    ck_assert(!c.failed && err.reason == ANM_OK);
}
END_TEST

/* Each read, one byte short: the failure says what, where and how much, and stays the first. */
START_TEST(cursor_stops_at_the_end)
{
    for (int kind = 0; kind < 5; kind++) {
        const size_t sizes[] = {1, 2, 4, 4, 9};
        struct anm_error err = {0};
        struct anm_cursor c = anm_cursor("\xff\xff\xff\xff\xff\xff\xff\xff\xff", 1 + sizes[kind] - 1, &err);
        anm_get_u8(&c, "first");
        if (kind == 0)
            ck_assert_uint_eq(anm_get_u8(&c, "second"), 0);
        else if (kind == 1)
            ck_assert_uint_eq(anm_get_u16le(&c, "second"), 0);
        else if (kind == 2)
            ck_assert_uint_eq(anm_get_u32le(&c, "second"), 0);
        else if (kind == 3)
            ck_assert_uint_eq(anm_get_u32be(&c, "second"), 0);
        else
            ck_assert_ptr_null(anm_get_bytes(&c, 9, "second"));
        ck_assert(c.failed && err.reason == ANM_FORMAT && err.has_offset && err.offset == 1);
        ck_assert_ptr_nonnull(strstr(err.text, "second: "));
        ck_assert_ptr_null(anm_get_bytes(&c, 0, "third"));
        ck_assert_ptr_null(anm_peek(&c, 0));
        ck_assert_ptr_null(strstr(err.text, "third"));
    }
    struct anm_error err = {0};
    struct anm_cursor c = anm_cursor("ab", 2, &err);
    ck_assert_ptr_null(anm_get_bytes(&c, SIZE_MAX, "huge"));
    ck_assert_uint_eq(err.offset, 0);
}
END_TEST

static void check_print(const struct anm_error *err, const char *expected)
{
    ANM_AUTO(anm_buf_free) struct anm_buf out = {0};
    anm_error_print(err, "file", &out);
    ck_assert_str_eq(anm_buf_cstr(&out), expected);
}

START_TEST(errors_print_with_their_place)
{
    struct anm_error err;
    ck_assert_int_eq(anm_fail(&err, ANM_LIMIT, "%d keys", 300), -1);
    check_print(&err, "file: 300 keys\n");
    anm_fail_at(&err, 5000000000, "cut");
    check_print(&err, "file: offset 5000000000: cut\n");
    anm_fail_line(&err, 3, 0, "word");
    check_print(&err, "file:3: word\n");
    anm_fail_line(&err, 3, 7, "word");
    check_print(&err, "file:3:7: word\n");
    anm_fail(&err, ANM_LOSS, "one\ntwo");
    check_print(&err, "file: one\nfile: two\n");
    ck_assert(!err.has_offset && err.line == 0);
    anm_fail_sys(&err, ENOSPC, "write");
    check_print(&err, "file: write: No space left on device\n");
    ck_assert_int_eq(anm_error_errno(&err), ENOSPC);
}
END_TEST

START_TEST(long_messages_are_cut)
{
    char text[3000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    struct anm_error err;
    anm_fail(&err, ANM_TEXT, "%s", text);
    ck_assert_uint_eq(strlen(err.text), sizeof err.text - 1);
}
END_TEST

START_TEST(reasons_have_their_errno)
{
    static const int expected[] = {
        [ANM_OK] = 0,           [ANM_NOMEM] = ENOMEM, [ANM_FORMAT] = EINVAL, [ANM_FOREIGN] = EINVAL,
        [ANM_TEXT] = EINVAL,    [ANM_LIMIT] = EINVAL, [ANM_LOSS] = EINVAL,   [ANM_NAME] = EINVAL,
        [ANM_DENIED] = EPERM,   [ANM_NOENT] = ENOENT, [ANM_EXIST] = EEXIST,  [ANM_NOTEMPTY] = ENOTEMPTY,
        [ANM_NOTDIR] = ENOTDIR, [ANM_ISDIR] = EISDIR, [ANM_STALE] = ESTALE,  [ANM_READONLY] = EROFS,
    };
    for (unsigned i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        struct anm_error err = {.reason = (enum anm_reason)i};
        ck_assert_int_eq(anm_error_errno(&err), expected[i]);
    }
}
END_TEST

/* --- files of other kinds --- */

struct other {
    const char *words;
    size_t size;
    const char *bytes;
};

#define BYTES(text) sizeof text - 1, text
#define ZEROS16 "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"

static const struct other others[] = {
    {"empty", 0, ""},
    {"3 bytes, shorter", BYTES("EAN")},
    {"unknown kind of file, it starts with 01 02 03 04", BYTES("\1\2\3\4" ZEROS16 "zzzzz")},
    {"unknown kind of file, it starts with \"{ \"a\"", BYTES("{ \"a\": 1, \"b\": 2, \"c\": 3 }")},
    {"EANM of version 0.1, a file of some other engine", BYTES("EANM\1\0\0\0" ZEROS16)},
    {"Git LFS", BYTES("version https://git-lfs.github.com/spec/v1\n")},
    {"League of Legends", BYTES("r3d2anmd" ZEROS16)},
    {"packed League of Legends", BYTES("r3d2canm" ZEROS16)},
    {"NetImmerse", BYTES("NetImmerse File Format, Version 4.0.0.2\n")},
    {"Gamebryo", BYTES("Gamebryo File Format, Version 20.0.0.5\n")},
    {"Maya", BYTES("animVersion 1.1;\nmayaVersion 2018;")},
    {"Deluxe Paint", BYTES("LPF \0\0\0\0\0\0\0\0\0\0\0\0ANIM\0\0\0\0")},
    {"MP Entertainment", BYTES("MPANIM" ZEROS16)},
    {"CryEngine", BYTES("CryTek\0\0" ZEROS16)},
    {"CryEngine", BYTES("CrCh" ZEROS16)},
    {"Heavy Iron", BYTES("SKB1" ZEROS16)},
    {"Heavy Iron animation (big", BYTES("1BKS" ZEROS16)},
    {"GEM mesh", BYTES("EPLY" ZEROS16)},
    {"GEM volume", BYTES("EVLM" ZEROS16)},
    {"ZIP archive", BYTES("PK\3\4" ZEROS16)},
    {"Freelancer", BYTES("UTF \1\1\0\0")},
    {"Might and Magic", BYTES("\0\0TV" ZEROS16)},
    {"Incredible Machine", BYTES("ANM:\0\0\0\0\x54\x42" ZEROS16)},
    {"RenderWare", BYTES("\x1b\0\0\0\x10\0\0\0\xff\xff\0\x18" ZEROS16)},
    {"PlayStation image without", BYTES("\x11\0\0\0\2\0\0\0\x0e\0\0\0\0\0\0\0\1\0\1\0\5\5")},
    {"PlayStation palette without", BYTES("\x12\0\0\0\2\0\0\0\x0e\0\0\0\0\0\0\0\1\0\1\0\5\5")},
    {"unknown", BYTES("\x21\4\0\x10\1\0\1\0" ZEROS16)},
    {"Touhou", BYTES("\3\0\0\0\5\0\0\0\7\0\0\0" ZEROS16 "THTX" ZEROS16)},
    {"Evil Islands", BYTES("\1\0\0\0\0\0\x80\x3f\0\0\0\0\0\0\0\0\0\0\0\0" ZEROS16)},
    {"Star Trek", BYTES("WALK1\0\0\0\1\2\3\4\5\6\7\xf8"
                        "WALKLONG\1\2\3\4\5\6\7\xf8")},
    {"Vib-Ribbon", BYTES("\0\x80\x1e\0\x02\0" ZEROS16 "\xff\xff\xff\xff")},
};

START_TEST(other_files_are_named)
{
    struct anm_error err = {0};
    ck_assert_ptr_null(anm_doc_decode((const uint8_t *)others[_i].bytes, others[_i].size, NULL, &err));
    ck_assert_int_eq(err.reason, ANM_FOREIGN);
    ck_assert_msg(strstr(err.text, others[_i].words) != NULL, "found \"%s\", expected \"%s\"", err.text,
                  others[_i].words);
    ck_assert_ptr_nonnull(strstr(err.text, "expected"));
}
END_TEST

/* Whatever the bytes, naming them reads none past their end: the sanitizer sees to it. */
START_TEST(cut_files_of_other_kinds_are_refused)
{
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        for (size_t size = 0; size <= others[i].size; size++) {
            struct anm_error err = {0};
            struct anm_blob *exact = anm_blob_new(others[i].bytes, size);
            ck_assert_ptr_null(anm_doc_decode(exact->bytes, size, NULL, &err));
            ck_assert(err.reason == ANM_FOREIGN || err.reason == ANM_FORMAT);
            anm_blob_unref(exact);
        }
}
END_TEST

START_TEST(a_family_can_be_forced)
{
    struct anm_error err = {0};
    ck_assert_ptr_null(anm_doc_decode((const uint8_t *)"x", 1, "anim", &err));
    ck_assert_ptr_nonnull(strstr(err.text, "no family of files is named \"anim\""));
    ck_assert_ptr_null(anm_doc_decode((const uint8_t *)"MPANIM", 6, "gem", &err));
    ck_assert_int_eq(err.reason, ANM_FOREIGN);
    const uint8_t file[] = "EANM\0\0\6\0FRMS\0\0\0\0BMAP\0\0\0\0";
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = anm_doc_decode(file, sizeof file - 1, "gem", &err);
    ck_assert_ptr_nonnull(doc);
    ck_assert_ptr_eq(anm_doc_ref(doc), doc);
    anm_doc_unref(doc);
    anm_doc_unref(NULL);
    ck_assert_ptr_null(anm_doc_ref(NULL));
}
END_TEST

/* --- documents --- */

START_TEST(copies_share)
{
    struct anm_buf bytes = {0};
    gem_build_everything(&bytes);
    struct gem_doc *doc = gem_build_decode(&bytes);
    doc->cache = &doc->version;
    struct gem_doc *copy = gem_copy(doc);
    ck_assert(copy->bones == doc->bones && copy->frames[1] == doc->frames[1] && copy->frames != doc->frames);
    ck_assert(copy->comments[0] == doc->comments[0] && copy->doc.refs == 1);
    ck_assert(!copy->cache && !copy->cache_free);
    struct gem_frame *frame = gem_frame_copy(doc->frames[1]);
    ck_assert(frame->refs == 1 && frame->count == 2 && gem_key_equal(&frame->keys[0], &doc->frames[1]->keys[0]));
    gem_frame_unref(frame);
    anm_doc_unref(&doc->doc);
    ck_assert_mem_eq(copy->frames[1]->keys[0].mesh->bytes, "data", 4);
    anm_doc_unref(&copy->doc);
}
END_TEST

static void count_free(void *cache)
{
    ++*(int *)cache;
}

START_TEST(a_cache_goes_with_its_document)
{
    int freed = 0;
    struct gem_doc *doc = gem_new(0x00060000, GEM_FRM2);
    doc->cache = &freed;
    doc->cache_free = count_free;
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
    gem_build_encode(doc, &bytes);
    ck_assert_uint_eq(bytes.size, 24);
    ck_assert_mem_eq(bytes.data, "EANM\0\0\6\0FRMS\0\0\0\0BMAP\0\0\0\0", 24);
    anm_doc_unref(&doc->doc);
    ck_assert_int_eq(freed, 1);
}
END_TEST

/* Every field tells keys apart, except the order of parts that are not there. */
START_TEST(keys_are_compared_bit_for_bit)
{
    struct anm_blob *mesh = anm_blob_new("m", 1), *same = anm_blob_new("m", 1), *other = anm_blob_new("n", 1);
    const struct gem_key key = {
        .bone = 1, .ordinal = 1, .flags = GEM_MATRIX | GEM_MESH, .parts = 1 | 3 << 2, .mesh = mesh};
    struct gem_key keys[] = {key, key, key, key, key, key, key, key, key};
    keys[0].mesh = same;
    keys[1].parts = GEM_PARTS_USUAL;
    keys[2].bone = 2;
    keys[3].ordinal = 2;
    keys[4].flags |= GEM_JOINED;
    keys[5].v[11] = 0x80000000;
    keys[6].visi = 1;
    keys[7].parts = 3 | 1 << 2;
    keys[8].mesh = other;
    for (int i = 0; i < 9; i++)
        ck_assert_msg(gem_key_equal(&key, &keys[i]) == (i < 2), "key %d", i);
    anm_blob_unref(mesh);
    anm_blob_unref(same);
    anm_blob_unref(other);
}
END_TEST

/* --- limits --- */

/* A document with one frame. */
static struct gem_doc *one_frame(enum gem_kind kind, uint32_t number, uint32_t keys, uint32_t bones, size_t name)
{
    struct gem_doc *doc = gem_new(0x00060001, kind);
    gem_bonemap_unref(doc->bones);
    doc->bones = gem_bonemap_new(bones);
    char *text = anm_alloc(0, name, 1);
    for (uint32_t i = 0; i < bones; i++)
        doc->bones->bones[i].name = anm_blob_new(text, name);
    free(text);
    doc->frames = anm_realloc(doc->frames, 1, sizeof(void *));
    doc->frames[0] = gem_frame_new(number, 1, kind, keys);
    doc->frame_count = 1;
    return doc;
}

static void check_limit(struct gem_doc *doc, const struct gem_doc *before, const char *words)
{
    struct anm_error err = {0};
    int result = gem_check_limits(doc, before, &err);
    ck_assert_msg(result == (words ? -1 : 0), "found \"%s\", expected \"%s\"", err.text, words ? words : "");
    ck_assert(!words || (err.reason == ANM_LIMIT && strstr(err.text, words)));
    anm_doc_unref(&doc->doc);
}

START_TEST(limits_hold)
{
    check_limit(one_frame(GEM_FRM2, 65535, 255, 255, 1), NULL, NULL);
    check_limit(one_frame(GEM_FRM2, 65536, 0, 1, 1), NULL, "frame 65536: FRM2 numbers end at 65535");
    check_limit(one_frame(GEM_FRM3, 255, 0, 1, 1), NULL, NULL);
    check_limit(one_frame(GEM_FRM3, 256, 0, 1, 1), NULL, "frame 256: FRM3 numbers end at 255 in a file of length 0");
    check_limit(one_frame(GEM_FRMN, 0x7fffffff, 300, 300, 1), NULL, NULL);
    check_limit(one_frame(GEM_FRMN, 0x80000000, 0, 1, 1), NULL, "numbers end at 2147483647");
    check_limit(one_frame(GEM_FRM2, 0, 256, 1, 1), NULL, "frame 0: 256 keys, FRM2 holds at most 255");
    check_limit(one_frame(GEM_FRM3, 0, 256, 1, 1), NULL, "256 keys, FRM3");
    check_limit(one_frame(GEM_FRM2, 0, 0, 256, 1), NULL, "256 bones");
    check_limit(one_frame(GEM_FRM2, 0, 0, 1, 200), NULL, NULL);
    struct gem_doc *doc = one_frame(GEM_FRM3, 256, 0, 1, 1);
    doc->length = 257;
    check_limit(doc, NULL, NULL);
    doc = one_frame(GEM_FRM2, 0, 0, 2, 128);
    doc->coding = GEM_STRING8;
    check_limit(doc, NULL, "a bone name of 128 bytes");
    doc = one_frame(GEM_FRM2, 0, 0, 2, 127);
    doc->coding = GEM_STRING8;
    check_limit(doc, NULL, NULL);
    doc = gem_new(0x00060001, GEM_FRM3);
    doc->length = 0x80000000;
    check_limit(doc, NULL, "a length of 2147483648");
    doc = gem_new(0x00060001, GEM_FRM3);
    doc->comments = anm_realloc(doc->comments, 1, sizeof(void *));
    doc->comments[doc->comment_count++] = anm_alloc(sizeof(struct anm_blob), 65536, 1);
    doc->comments[0]->refs = 1;
    doc->comments[0]->size = 65536;
    check_limit(doc, NULL, "a comment of 65536 bytes");
}
END_TEST

START_TEST(what_was_over_a_limit_may_stay)
{
    struct gem_doc *before = one_frame(GEM_FRM2, 0, 0, 300, 130);
    before->coding = GEM_STRING8;
    struct gem_doc *doc = gem_copy(before);
    doc->length = 12;
    check_limit(doc, before, NULL);
    doc = one_frame(GEM_FRM2, 0, 0, 301, 130);
    doc->coding = GEM_STRING8;
    check_limit(doc, before, "301 bones");
    doc = one_frame(GEM_FRM2, 0, 0, 299, 131);
    doc->coding = GEM_STRING8;
    check_limit(doc, before, "a bone name of 131 bytes");
    /* But no key can reach a bone that its byte cannot. */
    doc = one_frame(GEM_FRM2, 0, 1, 300, 1);
    doc->frames[0]->keys[0].bone = 256;
    check_limit(doc, before, "frame 0: a key of bone 256, FRM2 ends at bone 255");
    anm_doc_unref(&before->doc);
}
END_TEST

/* --- out of memory --- */

/* Each allocation in turn fails: an error, nothing leaked (the sanitizer sees to that). */
START_TEST(decoding_survives_lack_of_memory)
{
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
    gem_build_everything(&bytes);
    bool failed = true;
    unsigned n = 1;
    for (; failed; n++) {
        struct anm_error err = {0};
        fail_alloc_at(n);
        struct anm_doc *doc = anm_doc_decode(bytes.data, bytes.size, NULL, &err);
        fail_alloc_off();
        failed = fail_alloc_hit();
        /* What only gives memory back may fail without harm. */
        ck_assert(doc ? true : failed && err.reason == ANM_NOMEM);
        anm_doc_unref(doc);
    }
    ck_assert_uint_gt(n, 15);
}
END_TEST

START_TEST(encoding_and_copying_survive_lack_of_memory)
{
    struct anm_buf bytes = {0};
    gem_build_everything(&bytes);
    struct gem_doc *doc = gem_build_decode(&bytes);
    bool failed = true;
    for (unsigned n = 1; failed; n++) {
        ANM_AUTO(anm_buf_free) struct anm_buf out = {0};
        struct anm_error err = {0};
        fail_alloc_at(n);
        int result = anm_doc_encode(&doc->doc, &out, &err);
        fail_alloc_off();
        failed = fail_alloc_hit();
        ck_assert(failed ? result == -1 && err.reason == ANM_NOMEM : result == 0);
    }
    failed = true;
    for (unsigned n = 1; failed; n++) {
        fail_alloc_at(n);
        struct gem_doc *copy = gem_copy(doc);
        struct gem_doc *fresh = copy ? gem_new(0x00060000, GEM_FRM2) : NULL;
        struct gem_frame *frame = fresh ? gem_frame_copy(doc->frames[1]) : NULL;
        fail_alloc_off();
        failed = fail_alloc_hit();
        ck_assert((frame == NULL) == failed);
        gem_frame_unref(frame);
        anm_doc_unref(fresh ? &fresh->doc : NULL);
        anm_doc_unref(copy ? &copy->doc : NULL);
    }
    anm_doc_unref(&doc->doc);
}
END_TEST

START_TEST(names_of_animations)
{
    static const char *const are[] = {"a.anm", "A.ANM", "a b.Tsq", "-x.tim", "x.nif", "x.y.niff", "..anm"};
    static const char *const are_not[] = {"",       ".",    ".anm", "anm",    "a.anm~",
                                          "a.anmx", "a.ni", "niff", "a.mesh", "a.tiff"};
    for (size_t i = 0; i < sizeof are / sizeof *are; i++)
        ck_assert_msg(anm_doc_named(are[i]), "%s", are[i]);
    for (size_t i = 0; i < sizeof are_not / sizeof *are_not; i++)
        ck_assert_msg(!anm_doc_named(are_not[i]), "%s", are_not[i]);
}
END_TEST

Suite *codec_suite(void)
{
    Suite *suite = suite_create("codec");
    TCase *basics = tcase_create("basics");
    tcase_add_test(basics, buf_appends_in_order);
    tcase_add_test(basics, buf_words_have_their_byte_order);
    tcase_add_test(basics, buf_grows_and_keeps);
    tcase_add_test(basics, buf_failure_is_sticky);
    tcase_add_test(basics, blobs_are_counted);
    tcase_add_test(basics, sizes_that_overflow_are_refused);
    tcase_add_test(basics, cursor_reads);
    tcase_add_test(basics, cursor_stops_at_the_end);
    tcase_add_test(basics, errors_print_with_their_place);
    tcase_add_test(basics, long_messages_are_cut);
    tcase_add_test(basics, reasons_have_their_errno);
    suite_add_tcase(suite, basics);
    TCase *foreign = tcase_create("foreign");
    tcase_add_loop_test(foreign, other_files_are_named, 0, sizeof others / sizeof others[0]);
    tcase_add_test(foreign, cut_files_of_other_kinds_are_refused);
    tcase_add_test(foreign, a_family_can_be_forced);
    tcase_add_test(foreign, names_of_animations);
    suite_add_tcase(suite, foreign);
    TCase *documents = tcase_create("documents");
    tcase_add_test(documents, copies_share);
    tcase_add_test(documents, a_cache_goes_with_its_document);
    tcase_add_test(documents, keys_are_compared_bit_for_bit);
    tcase_add_test(documents, limits_hold);
    tcase_add_test(documents, what_was_over_a_limit_may_stay);
    tcase_add_test(documents, decoding_survives_lack_of_memory);
    tcase_add_test(documents, encoding_and_copying_survive_lack_of_memory);
    suite_add_tcase(suite, documents);
    return suite;
}
