/* SPDX-License-Identifier: MIT */
/* GEM files: what is accepted comes back to the bit, what is not is refused with its place. */
#include "suites.h"

#include "anm/gem.h"
#include "gem_build.h"

#include <stdlib.h>
#include <string.h>

#define V4 0x00040000
#define V6 0x00060000
#define V61 0x00060001

static const float unit_matrix[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 2, 3};
static const char *const two_bones[] = {"body", "gun", NULL};

/* Header and map of two bones: 32 + 4 + 3 bytes. */
static void put_head(struct anm_buf *out, uint32_t version, uint32_t length)
{
    gem_build_header(out, version, length);
    gem_build_bmap(out, GEM_STRING32, two_bones);
}

START_TEST(a_document_holds_what_the_file_says)
{
    struct anm_buf bytes = {0};
    gem_build_everything(&bytes);
    struct gem_doc *doc = gem_build_decode(&bytes);
    ck_assert_uint_eq(doc->version, V61);
    ck_assert_uint_eq(doc->length, 300);
    ck_assert_str_eq(doc->layout, "FCB");
    ck_assert(doc->coding == GEM_STRING8 && !doc->guessed && doc->kind == GEM_FRMN);
    ck_assert(doc->comment_count == 1 && doc->comments[0]->size == 5);
    ck_assert_uint_eq(doc->bones->count, 2);
    ck_assert_mem_eq(doc->bones->bones[1].name->bytes, "gun", 3);
    ck_assert_uint_eq(doc->frame_count, 3);
    const struct gem_frame *frame = doc->frames[0];
    ck_assert(frame->kind == GEM_FRMN && frame->number == 0 && frame->count == 3);
    ck_assert(frame->keys[0].flags == (GEM_MATRIX | GEM_VISI | GEM_MESH) && frame->keys[0].bone == 1);
    ck_assert(frame->keys[0].parts == GEM_PARTS_USUAL && frame->keys[0].visi == 1);
    ck_assert(frame->keys[0].v[0] == 0x3f800000 && frame->keys[0].v[11] == 0x40400000);
    ck_assert(frame->keys[1].flags == (GEM_MATRIX | GEM_JOINED) && frame->keys[1].ordinal == 2);
    ck_assert(frame->keys[2].flags == 0 && frame->keys[2].bone == 0 && frame->keys[2].ordinal == 1);
    frame = doc->frames[1];
    ck_assert(frame->kind == GEM_FRM2 && frame->number == 7 && frame->count == 2);
    ck_assert(frame->keys[0].v[2] == 0x40400000 && frame->keys[0].v[3] == 0x3f000000);
    ck_assert(frame->keys[0].v[8] == 0x40000000);
    ck_assert_mem_eq(frame->keys[0].mesh->bytes, "data", 4);
    ck_assert(frame->keys[1].flags == GEM_HIDE && !frame->keys[1].mesh);
    frame = doc->frames[2];
    ck_assert(frame->kind == GEM_FRM3 && frame->number == 299 && frame->keys[0].v[3] == 0x80000000);
    ck_assert_int_eq(gem_last(doc), 299);
    anm_doc_unref(&doc->doc);
}
END_TEST

/* --- samples --- */

static void sample_round_trip(const char *name, const uint8_t *bytes, size_t size)
{
    struct anm_buf copy = {0};
    anm_buf_put(&copy, bytes, size);
    struct gem_doc *doc = gem_build_decode(&copy);
    ck_assert_msg(doc->frame_count > 0 && doc->coding == GEM_STRING32 && !doc->guessed, "%s", name);
    anm_doc_unref(&doc->doc);
}

START_TEST(samples_come_back)
{
    gem_build_each_sample(sample_round_trip);
}
END_TEST

/* A cut file decodes only where a chunk ends, and then comes back; else the message points into the file. */
static void check_cut(const uint8_t *bytes, size_t size)
{
    struct anm_blob *exact = anm_blob_new(bytes, size);
    struct anm_error err = {0};
    struct anm_doc *doc = anm_doc_decode(exact->bytes, size, NULL, &err);
    if (doc) {
        ANM_AUTO(anm_buf_free) struct anm_buf again = {0};
        gem_build_encode(gem_const(doc), &again);
        ck_assert(again.size == size && memcmp(again.data, bytes, size) == 0);
        ck_assert_uint_ge(size, 24);
    } else if (size >= 4) {
        ck_assert_int_eq(err.reason, ANM_FORMAT);
        ck_assert(err.has_offset && err.offset <= size);
    }
    anm_doc_unref(doc);
    anm_blob_unref(exact);
}

static size_t cuts_decoded(const uint8_t *bytes, size_t size)
{
    size_t count = 0;
    struct anm_error err;
    for (size_t cut = 0; cut < size; cut++) {
        struct anm_doc *doc = anm_doc_decode(bytes, cut, NULL, &err);
        count += doc != NULL;
        anm_doc_unref(doc);
    }
    return count;
}

static void sample_cut(const char *name, const uint8_t *bytes, size_t size)
{
    (void)name;
    /* Cutting a large file everywhere is quadratic: then everywhere in its first and last part only. */
    for (size_t cut = 0; cut < size; cut += cut < 2000 || cut + 100 > size ? 1 : 197)
        check_cut(bytes, cut);
}

START_TEST(cut_samples_are_refused)
{
    gem_build_each_sample(sample_cut);
}
END_TEST

START_TEST(cut_files_are_refused)
{
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
    gem_build_everything(&bytes);
    for (size_t cut = 0; cut <= bytes.size; cut++)
        check_cut(bytes.data, cut);
    /* After the map; after FRMN and each of its six parts and bones; after FRM2. */
    ck_assert_uint_eq(cuts_decoded(bytes.data, bytes.size), 9);
}
END_TEST

/* One byte changed to anything: no crash, and what is accepted comes back. */
START_TEST(changed_bytes_do_no_harm)
{
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
    static const uint8_t values[] = {0, 1, 2, 0x7f, 0x80, 0xfe, 0xff};
    gem_build_everything(&bytes);
    for (size_t i = 0; i < bytes.size; i++)
        for (size_t j = 0; j < sizeof values; j++) {
            uint8_t old = bytes.data[i];
            bytes.data[i] = values[j];
            struct anm_error err = {0};
            struct anm_doc *doc = anm_doc_decode(bytes.data, bytes.size, NULL, &err);
            ANM_AUTO(anm_buf_free) struct anm_buf again = {0};
            if (doc)
                gem_build_encode(gem_const(doc), &again);
            ck_assert(!doc || (again.size == bytes.size && memcmp(again.data, bytes.data, bytes.size) == 0));
            ck_assert(doc || err.reason == ANM_FOREIGN || err.offset <= bytes.size);
            anm_doc_unref(doc);
            bytes.data[i] = old;
        }
}
END_TEST

/* --- refusals --- */

START_TEST(header_chunks_are_checked)
{
    struct anm_buf bytes = {0};
    put_head(&bytes, V6, 1);
    gem_build_frms(&bytes, 1);
    gem_build_refused(&bytes, 39, "a second FRMS");
    put_head(&bytes, V6, 1);
    gem_build_bmap(&bytes, GEM_STRING32, two_bones);
    gem_build_refused(&bytes, 39, "a second BMAP");
    gem_build_header(&bytes, V6, 1);
    gem_build_frm2(&bytes, 0, 0);
    anm_buf_put(&bytes, "\0", 1);
    gem_build_refused(&bytes, 16, "no BMAP chunk");
    gem_build_start(&bytes, V6);
    gem_build_bmap(&bytes, GEM_STRING32, two_bones);
    gem_build_refused(&bytes, 31, "no FRMS chunk");
    put_head(&bytes, V6, 0x80000000);
    gem_build_refused(&bytes, 12, "FRMS: 2147483648, expected at most 2147483647");
    put_head(&bytes, V6, 1);
    anm_buf_puts(&bytes, "ABCD");
    gem_build_refused(&bytes, 39, "chunk \"ABCD\", expected FRMS, CMNT, BMAP or a frame");
    put_head(&bytes, V6, 1);
    anm_buf_put(&bytes, "AB\0\377", 4);
    gem_build_refused(&bytes, 39, "chunk 41 42 00 ff");
    put_head(&bytes, V6, 1);
    anm_buf_puts(&bytes, "AB");
    gem_build_refused(&bytes, 39, "cut chunk \"AB\"");
    put_head(&bytes, V6, 1);
    gem_build_bone(&bytes, 0);
    gem_build_refused(&bytes, 39, "chunk \"BONE\"");
    put_head(&bytes, V6, 1);
    for (int i = 0; i < GEM_LAYOUT_MAX - 1; i++)
        gem_build_cmnt(&bytes, "x");
    gem_build_refused(&bytes, 39 + 7 * (GEM_LAYOUT_MAX - 2), "more than 16 chunks");
}
END_TEST

START_TEST(chunks_after_the_first_frame_are_refused)
{
    struct anm_buf bytes = {0};
    put_head(&bytes, V6, 1);
    gem_build_frm2(&bytes, 0, 0);
    gem_build_cmnt(&bytes, "late");
    gem_build_refused(&bytes, 46, "chunk \"CMNT\", expected FRMN, FRM2 or FRM3");
    put_head(&bytes, V4, 1);
    gem_build_frmn(&bytes, 0);
    gem_build_frms(&bytes, 1);
    gem_build_refused(&bytes, 47, "chunk \"FRMS\", expected BONE, MATR, VISI, MESH or the next frame");
}
END_TEST

START_TEST(counts_and_sizes_that_lie_are_refused)
{
    struct anm_buf bytes = {0};
    static const uint32_t lies[] = {3, 1000, 0x7fffffff, 0x80000000, 0xffffffff};
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        put_head(&bytes, V6, 1);
        memcpy(bytes.data + 20,
               (const uint8_t[]){(uint8_t)lies[i], (uint8_t)(lies[i] >> 8), (uint8_t)(lies[i] >> 16),
                                 (uint8_t)(lies[i] >> 24)},
               4);
        gem_build_refused(&bytes, -1, "bone");
    }
    put_head(&bytes, V6, 1);
    gem_build_frm2(&bytes, 0, 200);
    anm_buf_put(&bytes, unit_matrix, sizeof unit_matrix);
    gem_build_refused(&bytes, 45, "200 keys, which need at least 600 bytes, 48 left");
    put_head(&bytes, V6, 1);
    gem_build_frm2(&bytes, 0, 1);
    gem_build_key(&bytes, 0, GEM_POSITION);
    anm_buf_puts(&bytes, "short");
    gem_build_refused(&bytes, 53, "position: 4 bytes expected, 1 left");
    for (size_t i = 1; i < sizeof lies / sizeof lies[0]; i++) {
        put_head(&bytes, V6, 1);
        gem_build_frm2(&bytes, 0, 1);
        gem_build_key(&bytes, 0, GEM_MESH);
        anm_buf_u32le(&bytes, lies[i]);
        gem_build_refused(&bytes, lies[i] > 0x7fffffff ? 49 : 53, "mesh data");
        put_head(&bytes, V4, 1);
        gem_build_frmn(&bytes, 0);
        gem_build_bone(&bytes, 0);
        anm_buf_puts(&bytes, "MESH");
        anm_buf_u32le(&bytes, lies[i]);
        gem_build_refused(&bytes, lies[i] > 0x7fffffff ? 59 : 63, "mesh data");
    }
    gem_build_header(&bytes, V61, 1);
    anm_buf_puts(&bytes, "CMNT\xff\xff");
    anm_buf_puts(&bytes, "12345678");
    gem_build_refused(&bytes, 22, "comment: 65535 bytes expected, 8 left");
}
END_TEST

START_TEST(negative_numbers_are_refused)
{
    struct anm_buf bytes = {0};
    put_head(&bytes, V4, 1);
    gem_build_frmn(&bytes, 0x80000000);
    gem_build_refused(&bytes, 43, "frame number: 2147483648");
    put_head(&bytes, V4, 1);
    gem_build_frmn(&bytes, 0);
    gem_build_bone(&bytes, 0xffffffff);
    gem_build_refused(&bytes, 51, "bone index: 4294967295");
    put_head(&bytes, V4, 1);
    gem_build_frmn(&bytes, 0);
    gem_build_bone(&bytes, 0);
    gem_build_visi(&bytes, 0x80000000);
    gem_build_refused(&bytes, 59, "VISI: 2147483648");
    put_head(&bytes, V61, 70000);
    gem_build_frm3(&bytes, 0x80000001, 4, 0);
    gem_build_refused(&bytes, 43, "frame number: 2147483649");
    put_head(&bytes, V4, 0x7fffffff);
    gem_build_frmn(&bytes, 0x7fffffff);
    anm_doc_unref(&gem_build_decode(&bytes)->doc);
}
END_TEST

START_TEST(bones_outside_the_map_are_refused)
{
    struct anm_buf bytes = {0};
    put_head(&bytes, V6, 1);
    gem_build_frm2(&bytes, 0, 1);
    gem_build_key(&bytes, 2, 0);
    gem_build_refused(&bytes, 46, "bone index 2, but the map has 2 bones");
    put_head(&bytes, V4, 1);
    gem_build_frmn(&bytes, 0);
    gem_build_bone(&bytes, 2);
    gem_build_refused(&bytes, 47, "bone index 2, but the map has 2 bones");
    /* A map larger than an index can be. */
    gem_build_header(&bytes, V4, 1);
    gem_build_cmnt(&bytes, "");
    anm_buf_puts(&bytes, "BMAP");
    anm_buf_u32le(&bytes, 65537);
    for (uint32_t i = 0; i < 65537; i++) {
        anm_buf_u8(&bytes, 3);
        anm_buf_u8(&bytes, (uint8_t)('A' + i % 50));
        anm_buf_u8(&bytes, (uint8_t)('A' + i / 50 % 50));
        anm_buf_u8(&bytes, (uint8_t)('A' + i / 2500));
    }
    struct anm_buf last = {0};
    gem_build_frmn(&bytes, 0);
    gem_build_bone(&bytes, 65535);
    anm_buf_put(&last, bytes.data, bytes.size - 4);
    anm_buf_u32le(&last, 65536);
    anm_doc_unref(&gem_build_decode(&bytes)->doc);
    gem_build_refused(&last, -1, "bone index 65536, expected at most 65535");
}
END_TEST

START_TEST(parts_need_a_bone)
{
    struct anm_buf bytes = {0};
    for (int part = 0; part < 3; part++) {
        put_head(&bytes, V4, 1);
        gem_build_frmn(&bytes, 0);
        if (part == 0)
            gem_build_matr(&bytes, unit_matrix);
        else if (part == 1)
            gem_build_visi(&bytes, 1);
        else
            gem_build_mesh(&bytes, "x");
        gem_build_refused(&bytes, 47, "expected BONE before the parts of a bone");
    }
}
END_TEST

/* --- oddities that are accepted --- */

START_TEST(parts_come_in_any_order_and_subset)
{
    /* Six orders of the three parts, and how many of them the bone has. */
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (int i = 0; i < 6; i++)
        for (int count = 0; count <= 3; count++) {
            struct anm_buf bytes = {0};
            put_head(&bytes, V4, 1);
            gem_build_frmn(&bytes, 0);
            gem_build_bone(&bytes, 1);
            for (int j = 0; j < count; j++) {
                if (orders[i][j] == 0)
                    gem_build_matr(&bytes, unit_matrix);
                else if (orders[i][j] == 1)
                    gem_build_visi(&bytes, 0x7fffffff);
                else
                    gem_build_mesh(&bytes, "");
            }
            struct gem_doc *doc = gem_build_decode(&bytes);
            ck_assert_uint_eq(doc->frames[0]->count, 1);
            for (int j = 0; j < 3; j++)
                ck_assert_int_eq(doc->frames[0]->keys[0].parts >> 2 * j & 3, j < count ? orders[i][j] + 1 : 0);
            anm_doc_unref(&doc->doc);
        }
}
END_TEST

START_TEST(repeated_parts_are_joined_keys)
{
    struct anm_buf bytes = {0};
    put_head(&bytes, V4, 1);
    gem_build_frmn(&bytes, 0);
    gem_build_bone(&bytes, 1);
    gem_build_visi(&bytes, 0);
    gem_build_visi(&bytes, 1);
    gem_build_matr(&bytes, unit_matrix);
    gem_build_visi(&bytes, 2);
    gem_build_bone(&bytes, 1);
    struct gem_doc *doc = gem_build_decode(&bytes);
    const struct gem_key *keys = doc->frames[0]->keys;
    ck_assert_uint_eq(doc->frames[0]->count, 4);
    ck_assert(keys[0].flags == GEM_VISI && keys[1].flags == (GEM_VISI | GEM_MATRIX | GEM_JOINED));
    ck_assert(keys[2].flags == (GEM_VISI | GEM_JOINED) && keys[3].flags == 0);
    for (uint16_t i = 0; i < 4; i++)
        ck_assert(keys[i].ordinal == i + 1 && keys[i].bone == 1);
    anm_doc_unref(&doc->doc);
}
END_TEST

START_TEST(equal_things_have_ordinals)
{
    struct anm_buf bytes = {0};
    gem_build_header(&bytes, V6, 1);
    gem_build_bmap(&bytes, GEM_STRING32, (const char *[]){"a", "b", "a", "A", "a", "", "", NULL});
    static const uint16_t numbers[] = {5, 3, 5, 1, 3, 5};
    for (int i = 0; i < 6; i++) {
        gem_build_frm2(&bytes, numbers[i], 4);
        gem_build_key(&bytes, 2, 0);
        gem_build_key(&bytes, 0, GEM_SHOW);
        gem_build_key(&bytes, 2, GEM_HIDE);
        gem_build_key(&bytes, 2, GEM_SHOW);
    }
    struct gem_doc *doc = gem_build_decode(&bytes);
    static const uint16_t bones[] = {1, 1, 2, 1, 3, 1, 2}, frames[] = {1, 1, 2, 1, 2, 3}, keys[] = {1, 1, 2, 3};
    for (int i = 0; i < 7; i++)
        ck_assert_uint_eq(doc->bones->bones[i].ordinal, bones[i]);
    for (int i = 0; i < 6; i++)
        ck_assert_uint_eq(doc->frames[i]->ordinal, frames[i]);
    for (int i = 0; i < 4; i++)
        ck_assert_uint_eq(doc->frames[0]->keys[i].ordinal, keys[i]);
    ANM_AUTO(anm_freep) uint32_t *order = gem_time_order(doc);
    static const uint32_t expected[] = {3, 1, 4, 0, 2, 5};
    ck_assert_mem_eq(order, expected, sizeof expected);
    ck_assert_int_eq(gem_last(doc), 5);
    anm_doc_unref(&doc->doc);
}
END_TEST

START_TEST(frames_may_be_anything)
{
    /* First frame above 0, gaps, descending, FRMS too small and too large, frames without keys. */
    static const uint32_t lengths[] = {0, 1, 5, 1000000};
    for (int i = 0; i < 4; i++) {
        struct anm_buf bytes = {0};
        put_head(&bytes, 0x00070003, lengths[i]);
        gem_build_frm2(&bytes, 65535, 0);
        gem_build_frmn(&bytes, 9);
        gem_build_frm2(&bytes, 3, 0);
        struct gem_doc *doc = gem_build_decode(&bytes);
        ck_assert(doc->length == lengths[i] && doc->version == 0x00070003 && doc->kind == GEM_FRM2);
        anm_doc_unref(&doc->doc);
    }
}
END_TEST

START_TEST(odd_numbers_come_back)
{
    static const uint32_t odd[] = {0x80000000, 0x7fc00000, 0x7f800001, 0xffffffff,
                                   0x7f800000, 0xff800000, 1,          0x3f800001};
    struct anm_buf bytes = {0};
    put_head(&bytes, V6, 1);
    gem_build_frm2(&bytes, 0, 8);
    for (int i = 0; i < 8; i++) {
        gem_build_key(&bytes, 0, (uint16_t)(GEM_ORIENTATION | 0x80 << i));
        for (int j = 0; j < 3; j++)
            anm_buf_u32le(&bytes, odd[i]);
    }
    struct gem_doc *doc = gem_build_decode(&bytes);
    for (int i = 0; i < 8; i++) {
        ck_assert_uint_eq(doc->frames[0]->keys[i].v[5], odd[i]);
        ck_assert_uint_eq(doc->frames[0]->keys[i].flags, GEM_ORIENTATION | 0x80 << i);
    }
    anm_doc_unref(&doc->doc);
}
END_TEST

START_TEST(frm3_numbers_are_as_wide_as_the_length)
{
    static const struct {
        uint32_t length;
        unsigned width;
    } cases[] = {{0, 1}, {1, 1}, {256, 1}, {257, 2}, {65536, 2}, {65537, 4}, {0x7fffffff, 4}};
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t number = cases[i].width == 4 ? 0x7fffffff : (1u << 8 * cases[i].width) - 1;
        struct anm_buf bytes = {0};
        put_head(&bytes, V61, cases[i].length);
        gem_build_frm3(&bytes, number, cases[i].width, 1);
        gem_build_key(&bytes, 1, GEM_SHOW);
        struct gem_doc *doc = gem_build_decode(&bytes);
        ck_assert(doc->frames[0]->number == number && doc->kind == GEM_FRM3);
        anm_doc_unref(&doc->doc);
    }
}
END_TEST

START_TEST(without_frames_the_version_gives_the_kind)
{
    static const struct {
        uint32_t version;
        bool comment;
        uint8_t kind;
    } cases[] = {{0x00030000, false, GEM_FRMN}, {V4, true, GEM_FRMN},         {0x00050000, false, GEM_FRMN},
                 {V6, false, GEM_FRM2},         {V6, true, GEM_FRM2},         {V61, false, GEM_FRM2},
                 {V61, true, GEM_FRM3},         {0x00090000, false, GEM_FRM2}};
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct anm_buf bytes = {0};
        gem_build_header(&bytes, cases[i].version, 0);
        if (cases[i].comment)
            gem_build_cmnt(&bytes, "");
        gem_build_bmap(&bytes, GEM_STRING8, (const char *[]){NULL});
        struct gem_doc *doc = gem_build_decode(&bytes);
        ck_assert_uint_eq(doc->kind, cases[i].kind);
        ck_assert_uint_eq(doc->coding, cases[i].comment ? GEM_STRING8 : GEM_STRING32);
        ck_assert_int_eq(gem_last(doc), -1);
        anm_doc_unref(&doc->doc);
    }
}
END_TEST

START_TEST(header_chunks_come_in_any_order)
{
    static const char *const layouts[] = {"FB", "BF", "FCB", "CBF", "BCF", "BFC", "CCFBC", "FBCCCCCCCCCCCCCC"};
    for (unsigned i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        struct anm_buf bytes = {0};
        gem_build_start(&bytes, V6);
        for (const char *chunk = layouts[i]; *chunk; chunk++) {
            if (*chunk == 'F')
                gem_build_frms(&bytes, 3);
            else if (*chunk == 'B')
                gem_build_bmap(&bytes, GEM_STRING32, two_bones);
            else
                gem_build_cmnt(&bytes, chunk);
        }
        gem_build_frm2(&bytes, 0, 0);
        struct gem_doc *doc = gem_build_decode(&bytes);
        ck_assert_str_eq(doc->layout, layouts[i]);
        ck_assert_uint_eq(doc->comment_count, strlen(layouts[i]) - 2);
        anm_doc_unref(&doc->doc);
    }
}
END_TEST

/* --- names --- */

START_TEST(both_name_codings_are_told_apart)
{
    static const char *const maps[][5] = {{"a", NULL},         {"", "", "", NULL},          {"", "", "", "", NULL},
                                          {"a", "", "", NULL}, {"body", "gun", NULL},       {"ab", "c", "", "d", NULL},
                                          {"\xd0\xb0", NULL},  {"a name with blanks", NULL}};
    for (unsigned i = 0; i < sizeof maps / sizeof maps[0]; i++)
        for (int coding = GEM_STRING32; coding <= GEM_STRING8; coding++)
            for (int comment = 0; comment < 2; comment++)
                for (int frames = 0; frames < 2; frames++) {
                    struct anm_buf bytes = {0};
                    gem_build_header(&bytes, V61, 1);
                    if (comment)
                        gem_build_cmnt(&bytes, "x");
                    gem_build_bmap(&bytes, (enum gem_coding)coding, maps[i]);
                    if (frames)
                        gem_build_frm2(&bytes, 0, 0);
                    struct gem_doc *doc = gem_build_decode(&bytes);
                    ck_assert_msg(doc->coding == coding && !doc->guessed, "map %u, coding %d", i, coding);
                    anm_doc_unref(&doc->doc);
                }
}
END_TEST

/* Where a chunk follows, or a comment announces the coding, even names of control characters are told apart. */
START_TEST(odd_names_are_told_apart)
{
    static const char *const maps[][5] = {{"a", "", "", "\x01", NULL}, {"\x01\x02\x03", "\x7f", "", NULL}};
    for (int i = 0; i < 2; i++)
        for (int coding = GEM_STRING32; coding <= GEM_STRING8; coding++)
            for (int comment = 0; comment < 2; comment++) {
                struct anm_buf bytes = {0};
                gem_build_header(&bytes, V61, 1);
                if (comment)
                    gem_build_cmnt(&bytes, "x");
                gem_build_bmap(&bytes, (enum gem_coding)coding, maps[i]);
                if (!comment)
                    gem_build_frm2(&bytes, 0, 0);
                struct gem_doc *doc = gem_build_decode(&bytes);
                ck_assert_int_eq(doc->coding, coding);
                anm_doc_unref(&doc->doc);
            }
}
END_TEST

/* Read as 32 bits the first length is 0x6101 here, and a mesh holds what such names would lead to: two empty names and
 * a chunk. But that first name would be full of control characters. */
START_TEST(printable_names_win)
{
    struct anm_buf bytes = {0};
    gem_build_header(&bytes, V61, 1);
    gem_build_bmap(&bytes, GEM_STRING8, (const char *[]){"a", "", "", NULL});
    const size_t end = bytes.size + 0x6101;
    gem_build_frm2(&bytes, 0, 1);
    gem_build_key(&bytes, 0, GEM_MESH);
    anm_buf_u32le(&bytes, (uint32_t)(end + 12 - bytes.size - 4));
    while (bytes.size < end)
        anm_buf_putc(&bytes, 'm');
    anm_buf_put(&bytes, "\0\0\0\0\0\0\0\0FRM2", 12);
    struct gem_doc *doc = gem_build_decode(&bytes);
    ck_assert_uint_eq(doc->coding, GEM_STRING8);
    anm_doc_unref(&doc->doc);
}
END_TEST

/* A length of `size` in the one-byte coding, long form from 255 on, and that many letters. */
static void put_long_name(struct anm_buf *out, size_t size)
{
    anm_buf_u8(out, size < 255 ? (uint8_t)size : 255);
    if (size >= 255) {
        anm_buf_u16le(out, (uint16_t)size);
        anm_buf_u8(out, (uint8_t)(size >> 16));
    }
    for (size_t i = 0; i < size; i++)
        anm_buf_putc(out, 'n');
}

START_TEST(long_names_are_a_guess)
{
    static const size_t sizes[] = {127, 128, 254, 255, 256, 70000};
    for (unsigned i = 0; i < 6; i++) {
        struct anm_buf bytes = {0}, odd = {0};
        gem_build_header(&bytes, V61, 1);
        gem_build_cmnt(&bytes, "x");
        anm_buf_puts(&bytes, "BMAP");
        anm_buf_u32le(&bytes, 1);
        put_long_name(&bytes, sizes[i]);
        anm_buf_put(&odd, bytes.data, bytes.size);
        gem_build_frm2(&bytes, 0, 0);
        struct gem_doc *doc = gem_build_decode(&bytes);
        ck_assert(doc->bones->bones[0].name->size == sizes[i] && doc->guessed == (sizes[i] > 127));
        anm_doc_unref(&doc->doc);
        anm_buf_puts(&odd, "zFRM");
        gem_build_refused(&odd, -1, sizes[i] > 127 ? "bone name" : "chunk \"zFRM\"");
    }
    /* The long form of a short length would not come back. */
    for (size_t size = 3; size <= 254; size += 251) {
        struct anm_buf bytes = {0};
        gem_build_header(&bytes, V61, 1);
        gem_build_cmnt(&bytes, "x");
        anm_buf_put(&bytes, "BMAP\1\0\0\0\377", 9);
        anm_buf_u16le(&bytes, (uint16_t)size);
        anm_buf_u8(&bytes, 0);
        for (size_t i = 0; i < size; i++)
            anm_buf_putc(&bytes, 'n');
        gem_build_refused(&bytes, -1, "bone name");
    }
}
END_TEST

/* --- hostile sizes --- */

/* Sixty thousand of everything equal: quadratic work would take minutes. */
START_TEST(equal_things_are_numbered_fast)
{
    struct anm_buf bytes = {0};
    gem_build_header(&bytes, V61, 1);
    gem_build_cmnt(&bytes, "");
    anm_buf_puts(&bytes, "BMAP");
    anm_buf_u32le(&bytes, 65000);
    for (int i = 0; i < 65000; i++)
        anm_buf_putc(&bytes, 0);
    for (int i = 0; i < 60000; i++)
        gem_build_frm2(&bytes, 7, 0);
    gem_build_frmn(&bytes, 0);
    for (int i = 0; i < 65000; i++)
        gem_build_bone(&bytes, 64999);
    struct gem_doc *doc = gem_build_decode(&bytes);
    ck_assert_uint_eq(doc->bones->bones[64999].ordinal, 65000);
    ck_assert_ptr_eq(doc->bones->bones[64999].name, doc->bones->bones[0].name);
    ck_assert_uint_eq(doc->frames[59999]->ordinal, 60000);
    ck_assert_uint_eq(doc->frames[60000]->keys[64999].ordinal, 65000);
    anm_doc_unref(&doc->doc);
}
END_TEST

/* An ordinal has 16 bits. */
START_TEST(too_many_equal_things_are_refused)
{
    for (int kind = 0; kind < 3; kind++) {
        struct anm_buf bytes = {0};
        gem_build_header(&bytes, V61, 1);
        gem_build_cmnt(&bytes, "");
        anm_buf_puts(&bytes, "BMAP");
        anm_buf_u32le(&bytes, kind == 0 ? 100000 : 1);
        for (int i = 0; i < (kind == 0 ? 100000 : 1); i++)
            anm_buf_putc(&bytes, 0);
        gem_build_frmn(&bytes, 7);
        for (int i = 0; i < 70000 && kind == 1; i++)
            gem_build_bone(&bytes, 0);
        for (int i = 0; i < 70000 && kind == 2; i++)
            gem_build_frmn(&bytes, 7);
        static const char *const words[] = {"65534 bones of one name", "65534 keys of one bone",
                                            "frames have the number 7"};
        gem_build_refused(&bytes, -1, words[kind]);
    }
}
END_TEST

/* --- orientations --- */

static const double half = 0.70710678118654752440;

START_TEST(rows_are_those_of_the_format)
{
    static const struct {
        double xyz[3];
        bool mirrored;
        double rows[9];
    } cases[] = {
        {{0, 0, 0}, false, {1, 0, 0, 0, 1, 0, 0, 0, 1}},          {{0, 0, 0}, true, {1, 0, 0, 0, 1, 0, 0, 0, -1}},
        {{0, 0, half}, false, {0, 1, 0, -1, 0, 0, 0, 0, 1}},      {{half, 0, 0}, false, {1, 0, 0, 0, 0, 1, 0, -1, 0}},
        {{0, half, 0}, false, {0, 0, -1, 0, 1, 0, 1, 0, 0}},      {{0, half, 0}, true, {0, 0, -1, 0, 1, 0, -1, 0, 0}},
        {{1, 0, 0}, false, {1, 0, 0, 0, -1, 0, 0, 0, -1}},        {{0.5, 0.5, 0.5}, false, {0, 1, 0, 0, 0, 1, 1, 0, 0}},
        {{-0.5, -0.5, -0.5}, false, {0, 0, 1, 1, 0, 0, 0, 1, 0}},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double rows[9], xyz[3];
        bool mirrored;
        gem_rows_from_orientation(cases[i].xyz, cases[i].mirrored, rows);
        for (int j = 0; j < 9; j++)
            ck_assert_double_eq_tol(rows[j], cases[i].rows[j], 1e-15);
        gem_orientation_from_rows(cases[i].rows, xyz, &mirrored);
        ck_assert(mirrored == cases[i].mirrored);
        for (int j = 0; j < 3; j++)
            ck_assert_double_eq_tol(xyz[j], cases[i].xyz[j], 1e-15);
    }
}
END_TEST

/* A hair over length 1, as real files are: w is 0, not NaN. */
START_TEST(orientations_over_length_1_are_half_turns)
{
    const double over[3] = {0.6, 0.8, 0.0003};
    double rows[9];
    gem_rows_from_orientation(over, false, rows);
    ck_assert_double_eq(rows[1], 2 * over[0] * over[1]);
    ck_assert_double_eq(rows[3], 2 * over[0] * over[1]);
    ck_assert_double_eq(rows[6], 2 * over[0] * over[2]);
}
END_TEST

START_TEST(every_orientation_comes_back)
{
    for (int i = -8; i <= 8; i++)
        for (int j = -8; j <= 8; j++)
            for (int k = -8; k <= 8; k++)
                for (int mirrored = 0; mirrored < 2; mirrored++) {
                    const double xyz[3] = {i / 8.0, j / 8.0, k / 8.0};
                    double rows[9], back[3];
                    bool flipped;
                    if (i * i + j * j + k * k >= 64)
                        continue;
                    gem_rows_from_orientation(xyz, mirrored, rows);
                    gem_orientation_from_rows(rows, back, &flipped);
                    ck_assert(flipped == mirrored);
                    for (int n = 0; n < 3; n++)
                        ck_assert_double_eq_tol(back[n], xyz[n], 1e-14);
                }
}
END_TEST

Suite *gem_suite(void)
{
    Suite *suite = suite_create("gem");
    TCase *files = tcase_create("files");
    tcase_add_test(files, a_document_holds_what_the_file_says);
    tcase_add_test(files, samples_come_back);
    tcase_add_test(files, cut_samples_are_refused);
    tcase_add_test(files, cut_files_are_refused);
    tcase_add_test(files, changed_bytes_do_no_harm);
    suite_add_tcase(suite, files);
    TCase *refusals = tcase_create("refusals");
    tcase_add_test(refusals, header_chunks_are_checked);
    tcase_add_test(refusals, chunks_after_the_first_frame_are_refused);
    tcase_add_test(refusals, counts_and_sizes_that_lie_are_refused);
    tcase_add_test(refusals, negative_numbers_are_refused);
    tcase_add_test(refusals, bones_outside_the_map_are_refused);
    tcase_add_test(refusals, parts_need_a_bone);
    suite_add_tcase(suite, refusals);
    TCase *oddities = tcase_create("oddities");
    tcase_add_test(oddities, parts_come_in_any_order_and_subset);
    tcase_add_test(oddities, repeated_parts_are_joined_keys);
    tcase_add_test(oddities, equal_things_have_ordinals);
    tcase_add_test(oddities, frames_may_be_anything);
    tcase_add_test(oddities, odd_numbers_come_back);
    tcase_add_test(oddities, frm3_numbers_are_as_wide_as_the_length);
    tcase_add_test(oddities, without_frames_the_version_gives_the_kind);
    tcase_add_test(oddities, header_chunks_come_in_any_order);
    tcase_add_test(oddities, both_name_codings_are_told_apart);
    tcase_add_test(oddities, odd_names_are_told_apart);
    tcase_add_test(oddities, printable_names_win);
    tcase_add_test(oddities, long_names_are_a_guess);
    tcase_add_test(oddities, equal_things_are_numbered_fast);
    tcase_add_test(oddities, too_many_equal_things_are_refused);
    suite_add_tcase(suite, oddities);
    TCase *orientations = tcase_create("orientations");
    tcase_add_test(orientations, rows_are_those_of_the_format);
    tcase_add_test(orientations, orientations_over_length_1_are_half_turns);
    tcase_add_test(orientations, every_orientation_comes_back);
    suite_add_tcase(suite, orientations);
    return suite;
}
