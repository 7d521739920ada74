/* SPDX-License-Identifier: MIT */
/* PlayStation files: bytes to document and back. */
#include "fail_alloc.h"
#include "psx_build.h"
#include "suites.h"
#include "tree_help.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct anm_buf bytes_of(const struct anm_doc *doc)
{
    struct anm_buf out = {0};
    struct anm_error err;
    ck_assert_int_eq(anm_doc_encode(doc, &out, &err), 0);
    return out;
}

/* Decoded and encoded the bytes are the same, or refused at an offset inside. */
static bool same_or_refused(const uint8_t *bytes, size_t size, const char *family)
{
    struct anm_error err = {0};
    struct anm_blob *exact = anm_blob_new(bytes, size); /* so that the sanitizer sees a read past the end */
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = anm_doc_decode(exact->bytes, size, family, &err);
    if (!doc) {
        ck_assert_msg(err.reason == ANM_FOREIGN || (err.reason == ANM_FORMAT && err.has_offset && err.offset <= size),
                      "%s", err.text);
    } else {
        ANM_AUTO(anm_buf_free) struct anm_buf out = bytes_of(doc);
        ck_assert_uint_eq(out.size, size);
        ck_assert_mem_eq(out.data, bytes, size);
    }
    anm_blob_unref(exact);
    return doc != NULL;
}

/* All files of this suite, by number. */
static struct anm_doc *build(int i)
{
    struct anm_buf tim = {0};
    if (i < 4)
        return psx_build((unsigned)i);
    if (i < 8)
        return psx_build_fixed((unsigned)i - 4);
    if (i < 10)
        return tsq_build((unsigned)i - 8);
    if (i == 15) { /* three images in a file */
        tim_build(&tim, 0, 2);
        tim_build(&tim, 2, 0);
        tim_build(&tim, 1, 16);
    } else {
        tim_build(&tim, (unsigned)i - 10, i - 10 == 2 ? 0 : 1);
    }
    struct anm_doc *doc = psx_build_decode(&tim);
    anm_buf_free(&tim);
    return doc;
}

#define FILES 16

START_TEST(round_trip)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = build(_i);
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = bytes_of(doc);
    ANM_AUTO(anm_doc_clean) struct anm_doc *back = psx_build_decode(&bytes);
    ck_assert_ptr_eq(back->format, doc->format);
    ck_assert(psx_doc_equal(psx_const(doc), psx_const(back)));
    ck_assert(same_or_refused(bytes.data, bytes.size, NULL));
    ck_assert(same_or_refused(bytes.data, bytes.size, doc->format->family));
}
END_TEST

START_TEST(cut)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = build(_i);
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = bytes_of(doc);
    for (size_t size = 0; size < bytes.size; size++) {
        same_or_refused(bytes.data, size, NULL);
        same_or_refused(bytes.data, size, doc->format->family);
    }
}
END_TEST

START_TEST(header_bytes)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = build(_i);
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = bytes_of(doc);
    for (size_t at = 0; at < 20; at++)
        for (unsigned value = 0; value < 256; value++) {
            uint8_t old = bytes.data[at];
            bytes.data[at] = (uint8_t)value;
            same_or_refused(bytes.data, bytes.size, NULL);
            same_or_refused(bytes.data, bytes.size, doc->format->family);
            bytes.data[at] = old;
        }
}
END_TEST

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 8;
}

START_TEST(random_bytes)
{
    static const uint8_t starts[][2] = {{0x21, 0}, {0x21, 3}, {0x24, 1}, {0x10, 0}};
    uint32_t state = (uint32_t)_i + 1;
    for (int run = 0; run < 5000; run++) {
        uint8_t bytes[200];
        size_t size = 2 + next_random(&state) % (sizeof bytes - 2);
        unsigned mask = 1u << next_random(&state) % 8; /* mostly small numbers go further */
        for (size_t i = 0; i < size; i++)
            bytes[i] = next_random(&state) % 4 ? 0 : (uint8_t)(next_random(&state) & (2 * mask - 1));
        memcpy(bytes, starts[_i], 2);
        same_or_refused(bytes, size, NULL);
        same_or_refused(bytes, size, _i < 2 ? "psx" : _i == 2 ? "tsq" : "tim");
    }
}
END_TEST

START_TEST(no_other_family_takes_it)
{
    static const char *const families[] = {"psx", "tsq", "tim", "gem"};
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = build(_i);
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = bytes_of(doc);
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
        ck_assert(same_or_refused(bytes.data, bytes.size, families[i]) ==
                  (strcmp(families[i], doc->format->family) == 0));
}
END_TEST

/* Each allocation in turn fails; `n` counts up until it is not reached any more. */
#define EACH_ALLOCATION(n) for (unsigned n = 1; n == 1 || fail_alloc_hit(); n++)

START_TEST(without_memory)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = build(_i);
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = bytes_of(doc);
    EACH_ALLOCATION(n)
    {
        ANM_AUTO(anm_buf_free) struct anm_buf out = {0};
        struct anm_error err = {0};
        fail_alloc_at(n);
        ANM_AUTO(anm_doc_clean) struct anm_doc *back = anm_doc_decode(bytes.data, bytes.size, NULL, &err);
        int rc = back ? anm_doc_encode(back, &out, &err) : -1;
        fail_alloc_off();
        ck_assert_msg(rc == 0 ? !fail_alloc_hit() : fail_alloc_hit() && err.reason == ANM_NOMEM, "at %u: %s", n,
                      err.text);
    }
    EACH_ALLOCATION(n)
    {
        fail_alloc_at(n);
        ANM_AUTO(psx_clean) struct psx_doc *copy = psx_copy(psx_const(doc), 1, 1);
        fail_alloc_off();
        ck_assert(copy ? psx_doc_equal(copy, psx_const(doc)) : fail_alloc_hit());
    }
}
END_TEST

/* --- documents --- */

/* The k-th change of one thing in a document; false when there are no more. */
static bool change(struct psx_doc *doc, unsigned k)
{
    struct psx_group *group = psx_group_new(1);
    struct psx_sequence *sequence = psx_sequence_new(doc->sequence->count);
    struct psx_block *block = k == 3 ? psx_block_new(doc->cluts[0], "abcd", 4) : psx_block_copy(doc->cluts[0]);
    ck_assert(group && sequence && block);
    switch (k) {
    case 0:
        doc->version ^= 1;
        break;
    case 1:
        doc->flags ^= 1;
        break;
    case 2:
        doc->fixed = !doc->fixed;
        break;
    case 4:
        block->bnum++;
        break;
    case 5:
        block->x++;
        break;
    case 6:
        block->y++;
        break;
    case 7:
        block->w++;
        break;
    case 8:
        block->h++;
        break;
    case 9:
        block->placed = !block->placed;
        break;
    case 10:
        psx_set_group(doc, 1, psx_group_ref(group));
        break;
    case 11:
        psx_set_sequence(doc, psx_sequence_ref(sequence));
        break;
    case 12:
        doc->tail = anm_blob_new("x", 1);
        break;
    case 13:
        psx_group_unref(doc->groups[--doc->group_count]);
        break;
    case 14:
        psx_block_unref(doc->cluts[--doc->clut_count]);
        break;
    default:
        break;
    }
    if (doc->clut_count)
        psx_set_clut(doc, 0, psx_block_ref(block));
    psx_group_unref(group);
    psx_sequence_unref(sequence);
    psx_block_unref(block);
    return k < 15;
}

START_TEST(what_differs_is_seen)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = psx_build(3);
    bool changed = true;
    for (unsigned k = 0; changed; k++) {
        ANM_AUTO(psx_clean) struct psx_doc *copy = psx_copy(psx_const(doc), 0, 0);
        ck_assert(psx_doc_equal(psx_const(doc), copy));
        changed = change(copy, k);
        ck_assert_msg(psx_doc_equal(psx_const(doc), copy) != changed, "%u", k);
    }
}
END_TEST

START_TEST(what_is_equal_stays_shared)
{
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
    ANM_AUTO(anm_doc_clean) struct anm_doc *anm = psx_build(3);
    const struct psx_doc *doc = psx_const(anm);
    struct anm_error err;
    ANM_AUTO(psx_clean) struct psx_doc *copy = psx_copy(doc, 0, 0);
    psx_put_group(&bytes, doc, doc->groups[1]);
    psx_set_group(copy, 1, psx_get_group(doc, bytes.data, bytes.size, &err));
    bytes.size = 0;
    psx_put_sequence(&bytes, doc->sequence);
    psx_set_sequence(copy, psx_get_sequence(bytes.data, bytes.size, &err));
    psx_set_clut(copy, 0, psx_block_copy(doc->cluts[0]));
    ck_assert_ptr_eq(copy->groups[1], doc->groups[1]);
    ck_assert_ptr_eq(copy->sequence, doc->sequence);
    ck_assert_ptr_eq(copy->cluts[0], doc->cluts[0]);
}
END_TEST

/* --- parts by themselves --- */

/* A part read from these bytes and written again, in `out`; false with `err`. */
static bool part_again(const struct psx_doc *doc, int part, const struct anm_buf *bytes, struct anm_buf *out,
                       struct anm_error *err)
{
    struct psx_group *group = part == 0 ? psx_get_group(doc, bytes->data, bytes->size, err) : NULL;
    struct psx_sequence *sequence = part == 1 ? psx_get_sequence(bytes->data, bytes->size, err) : NULL;
    struct psx_block *block = part == 2 ? psx_get_block(bytes->data, bytes->size, err) : NULL;
    bool taken = group || sequence || block;
    if (group)
        psx_put_group(out, doc, group);
    if (sequence)
        psx_put_sequence(out, sequence);
    if (block)
        psx_put_block(out, block);
    psx_group_unref(group);
    psx_sequence_unref(sequence);
    psx_block_unref(block);
    return taken;
}

static void put_part(struct anm_buf *out, const struct psx_doc *doc, int part)
{
    if (part == 0)
        psx_put_group(out, doc, doc->groups[0]);
    else if (part == 1)
        psx_put_sequence(out, doc->sequence);
    else
        psx_put_block(out, doc->cluts[0]);
}

/* Whether that many bytes are a part: groups say how many they have, a sequence has whole entries, a block at least its head. */
static bool is_part(int part, size_t size, size_t whole)
{
    return part == 0 ? size == whole : part == 1 ? size % 8 == 0 : size >= 12;
}

START_TEST(parts)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *anm = _i < 3 ? psx_build(3) : psx_build_fixed(3);
    const struct psx_doc *doc = psx_const(anm);
    int part = _i % 3;
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
    put_part(&bytes, doc, part);
    size_t whole = bytes.size;
    anm_buf_u8(&bytes, 0);
    for (bytes.size = 0; bytes.size <= whole + 1; bytes.size++) {
        ANM_AUTO(anm_buf_free) struct anm_buf again = {0};
        struct anm_error err = {0};
        bool taken = part_again(doc, part, &bytes, &again, &err);
        ck_assert_msg(taken == is_part(part, bytes.size, whole), "%zu of %zu", bytes.size, whole);
        if (taken)
            ck_assert(again.size == bytes.size && (again.size == 0 || memcmp(again.data, bytes.data, again.size) == 0));
        else
            ck_assert(err.reason == ANM_FORMAT && err.has_offset && err.offset <= bytes.size);
    }
    bytes.size = whole;
    EACH_ALLOCATION(n)
    {
        ANM_AUTO(anm_buf_free) struct anm_buf again = {0};
        struct anm_error err = {0};
        fail_alloc_at(n);
        bool taken = part_again(doc, part, &bytes, &again, &err);
        fail_alloc_off();
        ck_assert(fail_alloc_hit() ? again.failed || (!taken && err.reason == ANM_NOMEM) : taken);
    }
}
END_TEST

START_TEST(a_sequence_has_an_end)
{
    struct anm_error err;
    size_t most = (size_t)PSX_COUNT_MAX * 8;
    ANM_AUTO(anm_freep) uint8_t *bytes = anm_alloc(0, most + 8, 1);
    struct psx_sequence *sequence = psx_get_sequence(bytes, most, &err);
    ck_assert(sequence && sequence->count == PSX_COUNT_MAX);
    psx_sequence_unref(sequence);
    ck_assert_ptr_null(psx_get_sequence(bytes, most + 8, &err));
    ck_assert_int_eq(err.reason, ANM_FORMAT);
}
END_TEST

/* --- the two layouts --- */

START_TEST(layouts_are_told_apart)
{
    for (unsigned version = 0; version < 4; version++) {
        ANM_AUTO(anm_doc_clean) struct anm_doc *compact = psx_build(version), *fixed = psx_build_fixed(version);
        ANM_AUTO(anm_buf_free) struct anm_buf small = bytes_of(compact), large = bytes_of(fixed);
        ck_assert_uint_eq(large.size, small.size + 4 * 4); /* four sprites are square */
        ANM_AUTO(anm_doc_clean) struct anm_doc *one = psx_build_decode(&small), *two = psx_build_decode(&large);
        ck_assert(!psx_const(one)->fixed && psx_const(two)->fixed);
    }
}
END_TEST

/* Bytes that are two groups in either layout: of 1 and 3 sprites with five words each, or of 1 and 4 square ones. A bit that no
 * editor sets, in the latter, decides for the former. */
START_TEST(the_sane_layout_wins)
{
    static const uint32_t words[] = {
        PSX_ID_ANM | 3u << 8, 2, 1,          0,          0x10000000, 0,         0x00010000, 4,          3,
        0x10000000,           0, 0x00080008, 0,          0x10001000, 0,         0,          0x00080008, 0x40000000,
        0x10001000,           0, 0x10000000, 0x10000000, 0,          0x10001000};
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        anm_buf_u32le(&bytes, words[i] | (_i && i == 9 ? 0x02000000u : 0));
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = psx_build_decode(&bytes);
    ck_assert_int_eq(psx_const(doc)->fixed, _i);
    ck_assert_uint_eq(psx_const(doc)->groups[1]->count, _i ? 3 : 4);
    ck_assert(same_or_refused(bytes.data, bytes.size, NULL));
}
END_TEST

START_TEST(tails)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = psx_build(3), *empty = &psx_new(&anm_psx, 3)->doc;
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = bytes_of(doc), few = bytes_of(empty);
    anm_buf_puts(&bytes, "ab");
    ANM_AUTO(anm_doc_clean) struct anm_doc *with = psx_build_decode(&bytes);
    ck_assert_uint_eq(psx_const(with)->tail->size, 2);
    tree_is(with, "header", "depth 4\ntail 6162\n");
    ck_assert(same_or_refused(few.data, few.size, NULL));
    anm_buf_puts(&few, "ab"); /* too little to be sure of */
    struct anm_error err;
    ck_assert_ptr_null(anm_doc_decode(few.data, few.size, NULL, &err));
    ck_assert_int_eq(err.reason, ANM_FOREIGN);
    ck_assert_ptr_nonnull(strstr(err.text, "family psx"));
    ck_assert(same_or_refused(few.data, few.size, "psx"));
}
END_TEST

START_TEST(reserved_bits_need_the_family)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = psx_build(3);
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = bytes_of(doc);
    bytes.data[2] |= 0x40;
    ck_assert(!same_or_refused(bytes.data, bytes.size, NULL));
    ck_assert(same_or_refused(bytes.data, bytes.size, "psx"));
    struct anm_error err;
    ANM_AUTO(anm_doc_clean) struct anm_doc *forced = anm_doc_decode(bytes.data, bytes.size, "psx", &err);
    tree_is(forced, "header", "depth 4\nreserved 0x040\n");
    tree_write(&forced, "header", "depth 8\nreserved 0x040\n"); /* no less recognised than before */
    tree_refuses(doc, "header", "depth 4\nreserved 0x040\n", ANM_LIMIT, "not be read back");
}
END_TEST

/* Palettes whose size does not count its own head. */
START_TEST(palette_sizes)
{
    for (int less = 0; less < 2; less++) {
        ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
        anm_buf_u32le(&bytes, PSX_ID_ANM | 3u << 8 | 2u << 28);
        anm_buf_u32le(&bytes, 0);
        tim_build_block(&bytes, 0, 480, 16, 1, less ? -12 : 0);
        tim_build_block(&bytes, 0, 481, 16, 2, less ? -12 : 0);
        ANM_AUTO(anm_doc_clean) struct anm_doc *doc = psx_build_decode(&bytes);
        ck_assert_uint_eq(psx_const(doc)->clut_count, 2);
        tree_is(doc, "clut/01/place", less ? "0 481 16 bnum 64\n" : "0 481 16\n");
        ck_assert(same_or_refused(bytes.data, bytes.size, NULL));
    }
}
END_TEST

/* A palette whose size says more, or less, than its width and height. */
START_TEST(palette_rests)
{
    static const int more[] = {3, -4};
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
    anm_buf_u32le(&bytes, PSX_ID_ANM | 3u << 8 | 1u << 28);
    anm_buf_u32le(&bytes, 0);
    tim_build_block(&bytes, 0, 480, 16, 1, more[_i]);
    bytes.size -= _i ? 4 : 0;
    anm_buf_put(&bytes, "abc", _i ? 0 : 3);
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = psx_build_decode(&bytes);
    ck_assert_uint_eq(psx_const(doc)->cluts[0]->data->size, (size_t)(32 + more[_i]));
    ck_assert_ptr_null(psx_const(doc)->tail);
    ck_assert(same_or_refused(bytes.data, bytes.size, NULL));
}
END_TEST

/* --- TSQ --- */

START_TEST(a_sequence_is_emptied_and_filled)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = tsq_build(1);
    tree_remove(&doc, "sequences/000");
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = bytes_of(doc);
    ck_assert_uint_eq(bytes.size, 4);
    ck_assert_mem_eq(bytes.data, "\x24\1\0\0", 4);
    tree_write(&doc, "sequences/000", "group=7 time=4 attr=9 x=0 y=0\n");
}
END_TEST

START_TEST(tails_of_sequences_need_the_family)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = tsq_build(1);
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = bytes_of(doc);
    anm_buf_u8(&bytes, 0);
    ck_assert(!same_or_refused(bytes.data, bytes.size, NULL));
    ck_assert(same_or_refused(bytes.data, bytes.size, "tsq"));
}
END_TEST

/* --- TIM --- */

START_TEST(images_in_a_row)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = build(15);
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = bytes_of(doc);
    const struct psx_doc *tim = psx_const(doc);
    ck_assert_uint_eq(tim->image_count, 3);
    ck_assert_uint_eq(tim->clut_count, 2);
    ck_assert_uint_eq(tim->images[0].clut, 0);
    ck_assert_uint_eq(tim->images[2].clut, 1);
    ck_assert_uint_eq(tim->cluts[1]->h, 16);
    anm_buf_put(&bytes, "\x10\0\0\0\2", 5);
    ANM_AUTO(anm_doc_clean) struct anm_doc *with = psx_build_decode(&bytes);
    ck_assert_uint_eq(psx_const(with)->image_count, 3);
    ck_assert_uint_eq(psx_const(with)->tail->size, 5);
}
END_TEST

/* Palettes without a picture: the block of pixels is 0 by 0, or is not there. */
START_TEST(tim_palettes_only)
{
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
    anm_buf_u32le(&bytes, PSX_ID_TIM);
    anm_buf_u32le(&bytes, PSX_HAS_CLUT);
    tim_build_block(&bytes, 0, 480, 16, 1, 0);
    if (_i)
        tim_build_block(&bytes, 0, 0, 0, 0, 0);
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = psx_build_decode(&bytes);
    const struct psx_block *pixels = psx_const(doc)->images[0].pixels;
    ck_assert(_i ? pixels && pixels->data->size == 0 : !pixels);
    ck_assert(same_or_refused(bytes.data, bytes.size, NULL));
}
END_TEST

/* Zeros behind the ID say nothing; the family makes them an image. */
START_TEST(tim_of_nothing)
{
    static const uint8_t zeros[300] = {PSX_ID_TIM};
    for (size_t size = 0; size <= sizeof zeros; size++) {
        ck_assert(!same_or_refused(zeros, size, NULL));
        ck_assert(same_or_refused(zeros, size, "tim") == (size >= 20));
    }
}
END_TEST

/* What real files do wrong with the size of a block. */
START_TEST(tim_block_sizes)
{
    static const int more[] = {2, 1000000, -20, -2, 4};
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
    anm_buf_u32le(&bytes, PSX_ID_TIM);
    anm_buf_u32le(&bytes, 2);
    tim_build_block(&bytes, 640, 0, 4, 2, more[_i]);
    if (more[_i] == 4)
        anm_buf_puts(&bytes, "more"); /* belongs to the block then */
    ck_assert(same_or_refused(bytes.data, bytes.size, NULL));
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = psx_build_decode(&bytes);
    ck_assert_uint_eq(psx_const(doc)->images[0].pixels->data->size, more[_i] == 4 ? 20 : 16);
    ck_assert_ptr_null(psx_const(doc)->tail);
}
END_TEST

START_TEST(tim_tails)
{
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
    tim_build(&bytes, 0, 1);
    anm_buf_put(&bytes, "\x10\0\0\0\2\0\0\0cut", 11); /* the start of another one */
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = psx_build_decode(&bytes);
    ck_assert_uint_eq(psx_const(doc)->image_count, 1);
    ck_assert_uint_eq(psx_const(doc)->tail->size, 11);
    ck_assert(same_or_refused(bytes.data, bytes.size, NULL));
}
END_TEST

START_TEST(tim_cropped)
{
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0}, huge = {0};
    tim_build(&bytes, 0, 1);
    bytes.size -= 6;
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = psx_build_decode(&bytes);
    ck_assert_uint_eq(psx_const(doc)->images[0].pixels->data->size, 10);
    tree_is(doc, "header", "image 0 depth=4 place=640,0 size=4x2 clut=00 bnum=28\n");
    anm_buf_u32le(&huge, PSX_ID_TIM);
    anm_buf_u32le(&huge, 2);
    tim_build_block(&huge, 0, 0, 4, 2, 0);
    huge.data[16] = huge.data[17] = 0xff; /* 65,535 wide */
    ck_assert(!same_or_refused(huge.data, huge.size, NULL));
}
END_TEST

START_TEST(tim_compressed)
{
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
    struct anm_error err;
    tim_build(&bytes, 0, 1);
    bytes.data[2] = 1;
    ck_assert_ptr_null(anm_doc_decode(bytes.data, bytes.size, NULL, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "compressed"));
    bytes.data[2] = 0;
    bytes.data[4] = 6;
    ck_assert_ptr_null(anm_doc_decode(bytes.data, bytes.size, NULL, &err));
    ck_assert(err.has_offset && err.offset == 4);
}
END_TEST

START_TEST(rubbish_flags_are_kept)
{
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
    tim_build(&bytes, 1, 16);
    bytes.data[6] = 0xab;
    ck_assert(same_or_refused(bytes.data, bytes.size, NULL));
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = psx_build_decode(&bytes);
    tree_is(doc, "header", "image 0 depth=8 place=640,0 size=4x2 clut=00 flag=0xab0000\n");
}
END_TEST

/* --- real files --- */

static void check_sample(const char *path)
{
    FILE *file = fopen(path, "rb");
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
    ck_assert_msg(file != NULL, "%s", path);
    for (int c; (c = fgetc(file)) != EOF;)
        anm_buf_u8(&bytes, (uint8_t)c);
    fclose(file);
    ck_assert_msg(same_or_refused(bytes.data, bytes.size, NULL), "%s", path);
    for (size_t size = 0; size < bytes.size; size += 1 + bytes.size / 500)
        same_or_refused(bytes.data, size, NULL);
}

START_TEST(samples)
{
    const char *root = getenv("ANM_SAMPLES");
    char folder[400], path[800];
    unsigned count = 0;
    for (int sub = 0; root && sub < 2; sub++) {
        snprintf(folder, sizeof folder, "%s/psx%s", root, sub ? "/synthetic" : "");
        DIR *dir = opendir(folder);
        ck_assert_msg(dir != NULL, "%s", folder);
        for (const struct dirent *entry; (entry = readdir(dir)) != NULL;) {
            if (!strstr(entry->d_name, ".anm") && !strstr(entry->d_name, ".tim"))
                continue;
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            check_sample(path);
            count++;
        }
        closedir(dir);
    }
    ck_assert(!root || count >= 20);
}
END_TEST

Suite *psx_suite(void)
{
    Suite *suite = suite_create("psx");
    TCase *tests = tcase_create("codec");
    tcase_add_loop_test(tests, round_trip, 0, FILES);
    tcase_add_loop_test(tests, cut, 0, FILES);
    tcase_add_loop_test(tests, random_bytes, 0, 4);
    tcase_add_loop_test(tests, no_other_family_takes_it, 0, FILES);
    tcase_add_loop_test(tests, without_memory, 0, FILES);
    tcase_add_test(tests, what_differs_is_seen);
    tcase_add_test(tests, what_is_equal_stays_shared);
    tcase_add_loop_test(tests, parts, 0, 6);
    tcase_add_test(tests, a_sequence_has_an_end);
    tcase_add_test(tests, layouts_are_told_apart);
    tcase_add_loop_test(tests, the_sane_layout_wins, 0, 2);
    tcase_add_test(tests, tails);
    tcase_add_test(tests, reserved_bits_need_the_family);
    tcase_add_test(tests, palette_sizes);
    tcase_add_loop_test(tests, palette_rests, 0, 2);
    tcase_add_test(tests, a_sequence_is_emptied_and_filled);
    tcase_add_test(tests, tails_of_sequences_need_the_family);
    tcase_add_test(tests, images_in_a_row);
    tcase_add_loop_test(tests, tim_palettes_only, 0, 2);
    tcase_add_test(tests, tim_of_nothing);
    tcase_add_loop_test(tests, tim_block_sizes, 0, 5);
    tcase_add_test(tests, tim_tails);
    tcase_add_test(tests, tim_cropped);
    tcase_add_test(tests, tim_compressed);
    tcase_add_test(tests, rubbish_flags_are_kept);
    tcase_add_test(tests, samples);
    suite_add_tcase(suite, tests);
    TCase *slow = tcase_create("all bytes");
    tcase_set_tags(slow, "slow");
    tcase_add_loop_test(slow, header_bytes, 0, FILES);
    suite_add_tcase(suite, slow);
    psx_tree_cases(suite);
    psx_clut_cases(suite);
    psx_head_cases(suite);
    return suite;
}
