/* SPDX-License-Identifier: MIT */
/* PlayStation files as trees. */
#include "anm/psx_fields.h"
#include "fail_alloc.h"
#include "psx_build.h"
#include "tree_help.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- what is shown --- */

START_TEST(texts)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = psx_build(3);
    tree_lists(doc, "", "format header frames sequences clut ");
    tree_lists(doc, "frames", "000 001 002 ");
    tree_lists(doc, "frames/000", "sprites ");
    tree_lists(doc, "sequences", "000 ");
    tree_lists(doc, "clut", "00 ");
    tree_lists(doc, "clut/00", "place colors.gpl ");
    tree_is(doc, "format", "psx 3\n");
    tree_is(doc, "header", "depth 4\n");
    tree_is(doc, "frames/000/sprites",
            "u=0 v=0 ofs=16,16 square=64 page=15 depth=4 clut=48,481 bank=0 set=3\n"
            "u=16 v=24 ofs=200,40 size=40x13 page=15 depth=4 clut=48,481 bank=0 set=3\n");
    tree_is(doc, "frames/001/sprites",
            "u=0 v=0 ofs=100,60 square=64 page=15 depth=4 clut=48,481 scale=-1,2 bank=0 set=3\n"
            "u=0 v=0 ofs=20,120 size=64x32 page=15 depth=4 clut=48,481 angle=45 bank=0 set=3\n");
    tree_is(doc, "frames/002/sprites",
            "u=0 v=0 ofs=64,64 square=64 page=15 depth=4 clut=48,481 bank=0 set=3\n"
            "u=0 v=0 ofs=80,72 square=64 page=15 depth=4 clut=48,481 blend=3 bank=0 set=3\n");
    tree_is(doc, "sequences/000",
            "group=0 time=4 attr=0 x=0 y=0\ngroup=1 time=10 attr=1 x=-8 y=-16\n"
            "group=2 time=0 attr=15 x=12 y=5\ngroup=0 time=255 attr=8 x=300 y=-1\n");
    tree_is(doc, "clut/00/place", "48 481 16\n");
    tree_reloads(doc);
}
END_TEST

START_TEST(images)
{
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
    tim_build(&bytes, 0, 2);
    tim_build(&bytes, 2, 0);
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = psx_build_decode(&bytes);
    tree_lists(doc, "", "format header clut ");
    tree_lists(doc, "raw", "pixels.bin pixels~2.bin clut ");
    tree_is(doc, "format", "tim 4\n");
    tree_is(doc, "header", "image 0 depth=4 place=640,0 size=4x2 clut=00\nimage 1 depth=16 place=640,0 size=4x2\n");
    tree_is(doc, "clut/00/place", "16 480 16\n");
    tree_refuses(doc, "format", "tim 8\n", ANM_TEXT, "expected tim 4");
    tree_refuses_mkdir(doc, "clut/01", ANM_DENIED, "none can be added");
    tree_refuses_remove(doc, "clut/00/place", ANM_DENIED, "cannot go");
    tree_write(&doc, "header", "image 0 depth=4 place=0,0 size=2x4\nimage 1 place=640,0 size=4x2 depth=16\n");
    tree_is(doc, "header", "image 0 depth=4 place=0,0 size=2x4 clut=00\nimage 1 depth=16 place=640,0 size=4x2\n");
    tree_refuses_at(doc, "header", "image 0 depth=8 place=0,0 size=2x4\n", 1, 15, "depth cannot be changed");
    tree_refuses(doc, "header", "image 0 place=0,0 size=2x9\n", ANM_TEXT, "fewer");
    tree_refuses(doc, "header", "image 0 place=0,0 size=2x4\n", ANM_TEXT, "1 lines image");
    tree_write_bytes(&doc, "raw/pixels.bin", "123456789abc", 12);
    tree_is(doc, "header", "image 0 depth=4 place=0,0 size=2x3 clut=00\nimage 1 depth=16 place=640,0 size=4x2\n");
    tree_refuses(doc, "raw/pixels.bin", "123", ANM_TEXT, "rows of 4 bytes");
    tree_reloads(doc);
}
END_TEST

/* --- every bit pattern has a text of its own --- */

/* The document with one group of one sprite; its text read back gives the same bits. */
static void check_sprite(const struct anm_doc *doc, const struct psx_sprite *sprite)
{
    struct psx_doc *edit = psx_copy(psx_const(doc), 0, 0);
    struct psx_group *group = psx_group_new(1);
    group->sprites[0] = *sprite;
    if (!edit->fixed && psx_sprite_get(sprite, PSX_THW))
        group->sprites[0].w[2] = 0;
    struct psx_sprite want = group->sprites[0];
    psx_set_group(edit, 0, group);
    ANM_AUTO(anm_freep) char *text = tree_text(&edit->doc, "frames/000/sprites");
    struct anm_error err;
    /* Into the document without it, so that nothing can come from there. */
    ANM_AUTO(anm_doc_clean)
    struct anm_doc *back = anm_tree_write(doc, "frames/000/sprites", text, strlen(text), &err);
    ck_assert_msg(back != NULL, "%s: %u: %s", text, err.column, err.text);
    ck_assert_msg(memcmp(psx_const(back)->groups[0]->sprites[0].w, want.w, sizeof want.w) == 0, "%s", text);
    anm_doc_unref(&edit->doc);
}

static const struct psx_sprite plain = {{0, 0, 8 | 8 << 16, 1u << 16, 0x10001000}};

START_TEST(every_value_of_every_field)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = _i < 4 ? psx_build((unsigned)_i) : psx_build_fixed((unsigned)_i - 4);
    tree_remove(&doc, "frames/000/sprites");
    for (unsigned field = 0; field < PSX_SPRITE_FIELDS; field++) {
        int32_t last = anm_field_max(&psx_sprite_fields[field]);
        for (int32_t value = anm_field_min(&psx_sprite_fields[field]); value <= last; value += 1 + last / 500) {
            struct psx_sprite sprite = plain;
            psx_sprite_set(&sprite, (enum psx_sprite_field)field, value);
            ck_assert_int_eq(psx_sprite_get(&sprite, (enum psx_sprite_field)field), value);
            check_sprite(doc, &sprite);
        }
    }
}
END_TEST

static uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 32);
}

START_TEST(random_sprites)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = _i < 4 ? psx_build((unsigned)_i) : psx_build_fixed((unsigned)_i - 4);
    uint64_t state = (uint64_t)_i;
    tree_remove(&doc, "frames/000/sprites");
    for (int run = 0; run < 1000; run++) {
        struct psx_sprite sprite;
        for (int i = 0; i < 5; i++)
            sprite.w[i] = next_random(&state);
        check_sprite(doc, &sprite);
    }
}
END_TEST

START_TEST(random_entries)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = _i < 4 ? psx_build((unsigned)_i) : tsq_build((unsigned)_i - 4);
    uint64_t state = (uint64_t)_i;
    struct anm_error err;
    for (int run = 0; run < 1000; run++) {
        struct psx_doc *edit = psx_copy(psx_const(doc), 0, 0);
        struct psx_sequence *sequence = psx_sequence_new(1);
        sequence->entries[0] = (struct psx_entry){{next_random(&state), next_random(&state)}};
        if (_i < 4)
            psx_entry_set(&sequence->entries[0], PSX_GROUP, (int32_t)(next_random(&state) % 3));
        psx_set_sequence(edit, sequence);
        ANM_AUTO(anm_freep) char *text = tree_text(&edit->doc, "sequences/000");
        ANM_AUTO(anm_doc_clean)
        struct anm_doc *back = anm_tree_write(doc, "sequences/000", text, strlen(text), &err);
        ck_assert_msg(back != NULL, "%s: %s", text, err.text);
        ck_assert_msg(psx_doc_equal(psx_const(back), edit), "%s", text);
        anm_doc_unref(&edit->doc);
    }
}
END_TEST

START_TEST(every_color)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = psx_build(3);
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
    anm_buf_u32le(&bytes, 12 + 2 * 65536);
    anm_buf_u32le(&bytes, 0);
    anm_buf_u32le(&bytes, 256 | 256u << 16);
    for (uint32_t color = 0; color < 65536; color++)
        anm_buf_u16le(&bytes, (uint16_t)color);
    ANM_AUTO(anm_doc_clean) struct anm_doc *all = anm_doc_ref(doc);
    tree_write_bytes(&all, "raw/clut/00.bin", bytes.data, bytes.size);
    ANM_AUTO(anm_freep) char *text = tree_text(all, "clut/00/colors.gpl");
    tree_write(&doc, "clut/00/place", "0 0 16\n");
    tree_write(&doc, "clut/00/colors.gpl", text);
    tree_write(&doc, "clut/00/place", "0 0 256\n");
    tree_same_bytes(doc, all);
}
END_TEST

/* --- edits --- */

START_TEST(sprites_are_edited)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = psx_build(3), *before = anm_doc_ref(doc);
    ANM_AUTO(anm_freep) char *text = tree_text(doc, "frames/000/sprites");
    char *second = strchr(text, '\n') + 1, more[400];
    /* Inserted, deleted, reordered: the bit of the first sprite follows. */
    snprintf(more, sizeof more, "%s%s", second, text);
    tree_write(&doc, "frames/000/sprites", more);
    tree_is(doc, "frames/000/sprites", more);
    ck_assert_uint_eq(psx_const(doc)->groups[0]->count, 3);
    for (uint32_t i = 0; i < 3; i++)
        ck_assert_int_eq(psx_sprite_get(&psx_const(doc)->groups[0]->sprites[i], PSX_FIRST), i == 0);
    for (uint32_t i = 1; i < 3; i++) /* what was not touched is shared */
        ck_assert_ptr_eq(psx_const(doc)->groups[i], psx_const(before)->groups[i]);
    tree_write(&doc, "frames/000/sprites", text);
    tree_same_bytes(doc, before);
    tree_remove(&doc, "frames/000/sprites");
    tree_lists(doc, "frames/000", "");
    tree_reloads(doc);
}
END_TEST

START_TEST(sprites_are_refused)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = psx_build(3), *old = psx_build(1), *fixed = psx_build_fixed(3);
    const char *path = "frames/000/sprites";
    tree_refuses_at(doc, path, "u=0 v=0 ofs=1,2 size=8x8 page=0 depth=4 clut=0,0\nu=256\n", 2, 3, "from 0 to 255");
    tree_refuses_at(doc, path, "u=0 v=0 ofs=1 size=8x8 page=0 depth=4 clut=0,0\n", 1, 13, "Ofs Y");
    tree_refuses_at(doc, path, "u=0 v=0 ofs=1,2 page=0 depth=4 clut=0,0\n", 1, 1, "size=WxH");
    tree_refuses_at(doc, path, "u=0 v=0 ofs=1,2 size=8x8 page=0 clut=0,0\n", 1, 1, "expected depth=");
    tree_refuses_at(doc, path, "u=0 v=0 u=1\n", 1, 11, "a second value for u");
    tree_refuses_at(doc, path, "u=0 w=0\n", 1, 5, "there is no w");
    tree_refuses_at(doc, path, "u=0 blind=0\n", 1, 5, "did you mean blend?");
    tree_refuses_at(doc, path, "u=0 v\n", 1, 5, "key=value");
    tree_refuses_at(doc, path, "u=0 clut=5,0\n", 1, 10, "multiple of 16");
    tree_refuses_at(doc, path, "u=0 square=20\n", 1, 12, "multiple of 8");
    tree_refuses_at(doc, path, "u=0 scale=1,0.3\n", 1, 13, "steps of 1/4096");
    tree_refuses_at(doc, path, "u=0 angle=0.1\n", 1, 11, "steps of 360/4096");
    tree_refuses_at(doc, path, "u=0 depth=24\n", 1, 11, "4, 8, 16 or reserved");
    tree_refuses_at(doc, path, "u=0 abe=1\n", 1, 9, "blend=0, 1, 2 or 3");
    tree_refuses_at(doc, path, "u=0 rsz=on\n", 1, 9, "rsz=off");
    tree_refuses(doc, path, "u=0 v=0 ofs=1,2 size=8x8 square=8 page=0 depth=4 clut=0,0\n", ANM_TEXT, "no other size");
    tree_write(&fixed, path, "u=0 v=0 ofs=1,2 size=8x9 square=8 page=0 depth=4 clut=0,0\n");
    tree_is(fixed, path, "u=0 v=0 ofs=1,2 square=8 size=8x9 page=0 depth=4 clut=0,0 bank=0 set=0\n");
    tree_refuses_at(old, path, "u=0 blend=0\n", 1, 11, "since version 3");
    tree_refuses_at(old, path, "u=0 bank=0\n", 1, 10, "since version 2");
    tree_refuses_at(old, path, "u=0 first=0\n", 1, 11, "since version 2");
}
END_TEST

START_TEST(sequences_are_edited)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = psx_build(3), *before = anm_doc_ref(doc), *old = psx_build(2);
    const char *path = "sequences/000";
    tree_write(&doc, path, "group=2 time=1 x=0 y=0\n# then\ngroup=1 time=6 attr=1 x=-8 y=0\n");
    tree_is(doc, path, "group=2 time=1 attr=0 x=0 y=0\ngroup=1 time=6 attr=1 x=-8 y=0\n");
    ck_assert_ptr_eq(psx_const(doc)->groups[0], psx_const(before)->groups[0]);
    tree_refuses_at(doc, path, "group=3 time=1 x=0 y=0\n", 1, 1, "there is no group 3: the file has 3");
    tree_refuses_at(doc, path, "group=0 x=0 y=0\n", 1, 1, "expected time=");
    tree_refuses_at(doc, path, "group=0 time=1 x=40000 y=0\n", 1, 18, "-32768 to 32767");
    tree_refuses_at(doc, path, "group=0 blend=1\n", 1, 9, "there is no blend");
    tree_refuses_at(old, path, "group=0 time=1 attr=1 x=0 y=0\n", 1, 21, "since version 3");
    tree_refuses(doc, "sequences/001", "group=0 time=1 x=0 y=0\n", ANM_DENIED, "sequences/ holds 000");
    tree_remove(&doc, path);
    tree_lists(doc, "sequences", "");
    tree_write(&doc, path, "group=0 time=1 x=0 y=0\n");
    tree_reloads(doc);
    /* A group that is not there may stay where one names it already. */
    tree_write_bytes(&doc, "raw/sequences/000.bin", "\x09\0\1\0\0\0\0\0", 8);
    tree_write(&doc, path, "group=9 time=2 x=0 y=0\ngroup=0 time=1 x=0 y=0\n");
}
END_TEST

START_TEST(groups_come_and_go)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = psx_build(3), *before = anm_doc_ref(doc);
    tree_refuses_mkdir(doc, "frames/004", ANM_NAME, "the next one is 003");
    tree_refuses_mkdir(doc, "frames/3", ANM_NAME, "spelt 003");
    tree_mkdir(&doc, "frames/003");
    tree_lists(doc, "frames", "000 001 002 003 ");
    tree_reloads(doc);
    tree_refuses_remove(doc, "frames/001", ANM_DENIED, "sequences/000 show group 001: 2");
    tree_refuses_remove(doc, "frames/000", ANM_DENIED, "show group 000: 1 and 4");
    tree_remove(&doc, "frames/003");
    tree_same_bytes(doc, before);
    tree_write(&doc, "sequences/000", "group=0 time=1 x=0 y=0\n");
    tree_refuses_remove(doc, "frames/001", ANM_DENIED, "only the last group, 002");
    tree_refuses_remove(doc, "frames/002", ANM_NOTEMPTY, "has sprites");
    tree_remove(&doc, "frames/002/sprites");
    tree_remove(&doc, "frames/002");
    tree_lists(doc, "frames", "000 001 ");
    tree_refuses_rename(doc, "frames/001", "frames/002", ANM_DENIED, "cannot be moved");
}
END_TEST

/* A number with another ending is no other name of the same node, and makes none. */
START_TEST(numbers_have_one_spelling)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = psx_build(3);
    static const char *const none[] = {"frames/000.bin",    "frames/000.png", "frames/000.png/sprites",
                                       "clut/00.bin",       "clut/00.png",    "clut/00.png/place",
                                       "raw/frames/000",    "raw/clut/00",    "raw/frames/000.png",
                                       "raw/clut/00.png",   "frames/000x",    "frames/",
                                       "raw/frames/000.bi", "clut/00.place"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        struct anm_error err;
        struct anm_ref ref;
        ck_assert_msg(anm_tree_find(doc, none[i], &ref, &err) == -1, "%s is there", none[i]);
    }
    tree_refuses_mkdir(doc, "frames/003.bin", ANM_NAME, "names here are 000, 001 …");
    tree_refuses_mkdir(doc, "frames/003.png", ANM_NAME, "names here are 000, 001 …");
    tree_refuses_mkdir(doc, "clut/01.bin", ANM_NAME, "names here are 00, 01 …");
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
    psx_put_group(&bytes, psx_const(doc), psx_const(doc)->groups[0]);
    struct anm_error err;
    ck_assert_ptr_null(anm_tree_write(doc, "raw/frames/001.png", bytes.data, bytes.size, &err));
    ck_assert_ptr_null(anm_tree_write(doc, "raw/frames/001", bytes.data, bytes.size, &err));
}
END_TEST

START_TEST(palettes_come_and_go)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = psx_build(3), *before = anm_doc_ref(doc);
    ANM_AUTO(anm_freep) char *colors = tree_text(doc, "clut/00/colors.gpl");
    tree_mkdir(&doc, "clut/01");
    tree_lists(doc, "clut/01", "");
    tree_write(&doc, "clut/01/place", "0 480 16\n");
    tree_write(&doc, "clut/01/colors.gpl", colors);
    tree_is(doc, "clut/01/place", "0 480 16\n");
    tree_reloads(doc);
    tree_refuses_remove(doc, "clut/00", ANM_DENIED, "only the last palette, 01");
    tree_refuses_remove(doc, "clut/01", ANM_NOTEMPTY, "has a place");
    tree_remove(&doc, "clut/01/place");
    tree_remove(&doc, "clut/01/colors.gpl");
    tree_remove(&doc, "clut/01");
    tree_same_bytes(doc, before);
}
END_TEST

static void palette_rules(struct anm_doc **doc)
{
    tree_refuses(*doc, "clut/00/place", "48 481 5\n", ANM_TEXT, "16 colours are no multiple of the width 5");
    tree_refuses(*doc, "clut/00/place", "48 481\n", ANM_TEXT, "width");
    tree_refuses(*doc, "clut/00/place", "48 481 16 h 2\n", ANM_TEXT, "do not fit");
    tree_refuses_at(*doc, "clut/00/colors.gpl", "GIMP\n", 1, 1, "GIMP Palette");
    tree_refuses_at(*doc, "clut/00/colors.gpl", "GIMP Palette\n1 2 256\n", 2, 5, "blue");
    tree_refuses(*doc, "clut/00/colors.gpl", "GIMP Palette\n1 2 3\n", ANM_TEXT, "no multiple of the width 16");
}

START_TEST(palettes_are_edited)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = psx_build(3);
    palette_rules(&doc);
    tree_write(&doc, "clut/00/place", "48 481 8\n");
    ck_assert_uint_eq(psx_const(doc)->cluts[0]->h, 2);
    /* As GIMP writes it: other columns, names and spaces; the place of a line counts, not its name. */
    tree_write(&doc, "clut/00/colors.gpl",
               "GIMP Palette\nName: mine\nColumns: 3\n# by hand\n255 255 255\twhite stp\n  8 0   0\tUntitled\n0 0 0\n"
               "0 0 0 0 stp\n7 7 7\n 1 1 1 x\n0 0 0\n248 248 248\n");
    tree_is(doc, "clut/00/colors.gpl",
            "GIMP Palette\nName: clut 00\nColumns: 8\n#\n255 255 255\t0 stp\n  8   0   0\t1\n  0   0   0\t2\n"
            "  0   0   0\t3 stp\n  0   0   0\t4\n  0   0   0\t5\n  0   0   0\t6\n255 255 255\t7\n");
    tree_remove(&doc, "clut/00/colors.gpl");
    tree_remove(&doc, "clut/00/place");
    tree_lists(doc, "clut/00", "");
    tree_remove(&doc, "clut/00");
    ck_assert_uint_eq(psx_const(doc)->clut_count, 0);
    for (unsigned i = 0; i < 15; i++) {
        char path[16];
        snprintf(path, sizeof path, "clut/%02u", i);
        tree_mkdir(&doc, path);
    }
    tree_refuses_mkdir(doc, "clut/15", ANM_DENIED, "15 palettes at most");
    tree_write(&doc, "clut/14/colors.gpl", "GIMP Palette\n0 0 0\n8 8 8\n");
    tree_is(doc, "clut/14/colors.gpl", "GIMP Palette\nName: clut 14\nColumns: 2\n#\n  0   0   0\t0\n  8   8   8\t1\n");
}
END_TEST

/* What the sizes of a palette can have wrong is shown, and kept. */
START_TEST(odd_palettes)
{
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
    anm_buf_u32le(&bytes, PSX_ID_TIM);
    anm_buf_u32le(&bytes, 8);
    tim_build_block(&bytes, 0, 480, 16, 1, 3); /* three bytes more than its colours */
    anm_buf_puts(&bytes, "odd");
    tim_build_block(&bytes, 640, 0, 4, 2, 2);
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = psx_build_decode(&bytes);
    tree_is(doc, "clut/00/place", "0 480 16 rest 6f6464\n");
    tree_is(doc, "header", "image 0 depth=4 place=640,0 size=4x2 clut=00 bnum=30\n");
    ANM_AUTO(anm_freep) char *colors = tree_text(doc, "clut/00/colors.gpl");
    colors[strlen("GIMP Palette\nName: clut 00\nColumns: 16\n#\n")] = '1'; /* 1.. */
    tree_write(&doc, "clut/00/colors.gpl", colors);
    tree_is(doc, "clut/00/place", "0 480 16 rest 6f6464\n");
    tree_reloads(doc);
}
END_TEST

/* --- versions --- */

START_TEST(versions)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = psx_build(3), *before = anm_doc_ref(doc);
    tree_refuses(doc, "format", "psx 2\n", ANM_LOSS, "1 sprites with ABE (blend): there is none before version 3");
    tree_refuses(doc, "format", "psx 2\n", ANM_LOSS, "3 sequence entries with an ATTR");
    tree_refuses(doc, "format", "psx 1\n", ANM_LOSS, "6 sprites with a CSN (set)");
    tree_refuses(doc, "format", "psx 4\n", ANM_TEXT, "0 to 3");
    tree_refuses(doc, "format", "gem 6.0\n", ANM_TEXT, "within its family");
    tree_refuses(doc, "format", "psx 2 please\n", ANM_TEXT, "[lossy]");
    tree_write(&doc, "format", "psx 2 lossy\n");
    tree_is(doc, "format", "psx 2\n");
    tree_is(
        doc, "sequences/000",
        "group=0 time=4 x=0 y=0\ngroup=1 time=10 x=-8 y=-16\ngroup=2 time=0 x=12 y=5\ngroup=0 time=255 x=300 y=-1\n");
    tree_write(&doc, "format", "psx 3\n"); /* nothing to lose */
    tree_write(&doc, "format", "psx 0 lossy\n");
    tree_lacks(doc, "header", ANM_NOENT);
    tree_write(&doc, "frames/001/sprites", "u=0 v=0 ofs=1,2 size=8x8 page=0 depth=4 clut=0,0 abe=1 flag2=0x0301\n");
    tree_is(doc, "frames/001/sprites", "u=0 v=0 ofs=1,2 size=8x8 page=0 depth=4 clut=0,0 abe=1 flag2=0x0301\n");
    tree_refuses(doc, "format", "psx 3\n", ANM_LOSS, "1 sprites with ABE (blend): the bits had no meaning before");
    tree_refuses(doc, "format", "psx 2\n", ANM_LOSS, "1 sprites with a CSN");
    tree_reloads(doc);
    ANM_AUTO(anm_doc_clean) struct anm_doc *tsq = tsq_build(1);
    tree_refuses(tsq, "format", "tsq 0\n", ANM_LOSS, "before version 1");
    tree_write(&tsq, "format", "tsq 0 lossy\n");
    tree_is(tsq, "sequences/000", "group=7 time=4 x=0 y=0\ngroup=0 time=1 x=-8 y=-16\n");
    ck_assert_ptr_ne(doc, before);
}
END_TEST

START_TEST(header_lines)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = psx_build(3), *before = anm_doc_ref(doc);
    tree_write(&doc, "header", "depth 8\nlayout fixed\n");
    tree_is(doc, "header", "depth 8\nlayout fixed\n");
    tree_write(&doc, "header", "depth 4\n");
    tree_same_bytes(doc, before);
    tree_write(&doc, "header", "depth reserved-3\ntail 616263\n");
    tree_is(doc, "header", "depth reserved-3\ntail 616263\n");
    tree_refuses(doc, "header", "layout fixed\n", ANM_TEXT, "expected a line depth");
    tree_refuses_at(doc, "header", "depth 4\ndepth 8\n", 2, 1, "second line depth");
    tree_refuses_at(doc, "header", "depth 4\nsize 8\n", 2, 1, "expected depth, layout");
    tree_refuses_at(doc, "header", "depth 4\nreserved 0x1\n", 2, 10, "0xffc");
    tree_refuses_at(doc, "header", "depth 4\ntail 6\n", 2, 6, "two digits");
    tree_write(&doc, "header", "depth 4\nlayout fixed\n");
    tree_write(&doc, "frames/000/sprites", "u=0 v=0 ofs=1,2 square=8 size=1x2 page=0 depth=4 clut=0,0\n");
    tree_refuses(doc, "header", "depth 4\n", ANM_LOSS, "size=1x2, which would be lost");
}
END_TEST

START_TEST(raw_twins)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = psx_build(3), *before = anm_doc_ref(doc);
    tree_lists(doc, "raw", "frames sequences clut ");
    tree_lists(doc, "raw/frames", "000.bin 001.bin 002.bin ");
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
    anm_buf_u32le(&bytes, 1);
    for (unsigned i = 0; i < 5; i++)
        anm_buf_u32le(&bytes, plain.w[i]);
    tree_write_bytes(&doc, "raw/frames/002.bin", bytes.data, bytes.size);
    tree_is(doc, "frames/002/sprites", "u=0 v=0 ofs=0,0 size=8x8 page=0 depth=4 clut=0,0 bank=0 set=0\n");
    struct anm_error err;
    ck_assert_ptr_null(anm_tree_write(doc, "raw/frames/002.bin", bytes.data, bytes.size - 1, &err));
    ck_assert(err.has_offset && err.offset <= bytes.size);
    ck_assert_ptr_null(anm_tree_write(doc, "raw/frames/003.bin", bytes.data, bytes.size, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "mkdir frames/003"));
    ck_assert_ptr_null(anm_tree_write(doc, "raw/sequences/000.bin", bytes.data, 5, &err));
    ck_assert_ptr_null(anm_tree_write(doc, "raw/clut/00.bin", bytes.data, 5, &err));
    ck_assert_ptr_ne(doc, before);
}
END_TEST

/* --- sameness is exact: it says what comparing the contents would say --- */

struct sides {
    const struct anm_doc *other;
    unsigned same, different;
};

static void compare(const struct anm_doc *doc, const char *path, const struct anm_ref *ref, void *arg)
{
    struct sides *sides = arg;
    struct anm_ref other;
    struct anm_error err;
    if (anm_ref_volatile(ref) || anm_tree_find(sides->other, path, &other, &err))
        return;
    ANM_AUTO(anm_buf_free) struct anm_buf one = {0}, two = {0};
    ck_assert_int_eq(anm_tree_render(doc, ref, &one, &err), 0);
    ck_assert_int_eq(anm_tree_render(sides->other, &other, &two, &err), 0);
    bool same = one.size == two.size && (one.size == 0 || memcmp(one.data, two.data, one.size) == 0);
    ck_assert_msg(anm_tree_same(doc, ref, sides->other, &other) == same, "%s: %s", path, same ? "same" : "different");
    sides->same += same;
    sides->different += !same;
}

/* Between all versions and layouts, and after an edit. */
START_TEST(sameness_is_exact)
{
    struct sides sum = {0};
    for (unsigned a = 0; a < 8; a++)
        for (unsigned b = 0; b < 8; b++) {
            ANM_AUTO(anm_doc_clean) struct anm_doc *one = a < 4 ? psx_build(a) : psx_build_fixed(a - 4);
            ANM_AUTO(anm_doc_clean) struct anm_doc *two = b < 4 ? psx_build(b) : psx_build_fixed(b - 4);
            if (a == b)
                tree_write(&two, "frames/001/sprites", "u=0 v=0 ofs=1,2 size=8x8 page=0 depth=4 clut=0,0\n");
            sum.other = two;
            tree_walk(one, "", ANM_LIST_RAW, compare, &sum);
        }
    ck_assert_uint_gt(sum.same, 0);
    ck_assert_uint_gt(sum.different, 0);
}
END_TEST

/* --- the information file --- */

START_TEST(information)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = psx_build(3);
    tree_write_bytes(&doc, "raw/sequences/000.bin", "\x09\0\1\0\0\0\0\0", 8);
    ANM_AUTO(anm_freep) char *text = tree_text(doc, ".anmfs/info.json");
    ck_assert_ptr_nonnull(strstr(text, "\"sprites\":\t6"));
    ck_assert_ptr_nonnull(strstr(text, "1 sequence entries name a group that is not there"));
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
    tim_build(&bytes, 0, 2);
    ANM_AUTO(anm_doc_clean) struct anm_doc *tim = psx_build_decode(&bytes);
    ANM_AUTO(anm_freep) char *shown = tree_text(tim, ".anmfs/info.json");
    ck_assert_ptr_nonnull(strstr(shown, "\"width\":\t16"));
}
END_TEST

/* --- what is there, written back, changes nothing; each allocation fails in turn --- */

static void write_back(const struct anm_doc *doc, const char *path, const struct anm_ref *ref, void *arg)
{
    struct anm_error err = {0};
    ANM_AUTO(anm_buf_free) struct anm_buf out = {0};
    (void)arg;
    ck_assert_int_eq(anm_tree_render(doc, ref, &out, &err), 0);
    if (!anm_ref_writable(ref))
        return;
    ANM_AUTO(anm_doc_clean) struct anm_doc *same = anm_tree_write(doc, path, out.data, out.size, &err);
    ck_assert_msg(same == doc, "%s: %u:%u: %s", path, err.line, err.column, same ? "changed" : err.text);
}

static struct anm_doc *some(int i)
{
    ANM_AUTO(anm_buf_free) struct anm_buf tim = {0};
    tim_build(&tim, 0, 2);
    tim_build(&tim, 3, 0);
    return i < 4    ? psx_build((unsigned)i)
           : i < 8  ? psx_build_fixed((unsigned)i - 4)
           : i < 10 ? tsq_build((unsigned)i - 8)
                    : psx_build_decode(&tim);
}

START_TEST(written_back)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = some(_i);
    tree_walk(doc, "", ANM_LIST_HIDDEN | ANM_LIST_RAW, write_back, NULL);
}
END_TEST

static void edit_without_memory(const struct anm_doc *doc, const char *path, const struct anm_ref *ref, void *arg)
{
    ANM_AUTO(anm_buf_free) struct anm_buf text = {0};
    struct anm_error err = {0};
    (void)arg;
    ck_assert_int_eq(anm_tree_render(doc, ref, &text, &err), 0);
    if (!anm_ref_writable(ref) || strcmp(path, "format") == 0)
        return;
    for (size_t i = 0; i < text.size; i++) /* so that it is an edit, where it is not refused */
        text.data[i] = text.data[i] == '4' ? '8' : text.data[i];
    for (unsigned n = 1; n == 1 || fail_alloc_hit(); n++) {
        ck_assert_uint_lt(n, 1000);
        err = (struct anm_error){0};
        fail_alloc_at(n);
        struct anm_doc *edited = anm_tree_write(doc, path, text.data, text.size, &err);
        fail_alloc_off();
        ck_assert_msg(!fail_alloc_hit() || edited || err.reason == ANM_NOMEM || err.reason == ANM_TEXT, "%s at %u: %s",
                      path, n, err.text);
        anm_doc_unref(edited);
    }
}

START_TEST(without_memory)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = some(_i);
    tree_walk(doc, "", ANM_LIST_HIDDEN | ANM_LIST_RAW, edit_without_memory, NULL);
}
END_TEST

/* --- the manual says what the tables say --- */

static void in_manual(const char *manual, const struct anm_field *fields, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const struct anm_field *f = &fields[i];
        char line[200], bits[32], since[32] = "";
        snprintf(bits, sizeof bits, f->width == 1 ? "bit %d" : "bits %d to %d", f->bit, f->bit + f->width - 1);
        if (f->since)
            snprintf(since, sizeof since, ", since version %d", f->since);
        snprintf(line, sizeof line, "\n%s, word %d, %s%s: %s.\n", f->name, f->word, bits, since, f->meaning);
        ck_assert_msg(strstr(manual, line) != NULL, "not in man/anmfs.5: %s", line);
        snprintf(line, sizeof line, "\n.It Cm %s\n", f->key);
        ck_assert_msg(strstr(manual, line) != NULL, "not in man/anmfs.5: %s", line);
    }
}

START_TEST(manual)
{
    ANM_AUTO(anm_buf_free) struct anm_buf text = {0};
    FILE *file = fopen("man/anmfs.5", "r");
    ck_assert_ptr_nonnull(file);
    for (int c; (c = fgetc(file)) != EOF;)
        anm_buf_putc(&text, (char)c);
    fclose(file);
    in_manual(anm_buf_cstr(&text), psx_sprite_fields, PSX_SPRITE_FIELDS);
    in_manual(anm_buf_cstr(&text), psx_entry_fields, PSX_ENTRY_FIELDS);
}
END_TEST

void psx_tree_cases(Suite *suite)
{
    TCase *tests = tcase_create("tree");
    tcase_add_test(tests, texts);
    tcase_add_test(tests, images);
    tcase_add_test(tests, sprites_are_edited);
    tcase_add_test(tests, sprites_are_refused);
    tcase_add_test(tests, sequences_are_edited);
    tcase_add_test(tests, groups_come_and_go);
    tcase_add_test(tests, numbers_have_one_spelling);
    tcase_add_test(tests, palettes_come_and_go);
    tcase_add_test(tests, palettes_are_edited);
    tcase_add_test(tests, odd_palettes);
    tcase_add_test(tests, versions);
    tcase_add_test(tests, header_lines);
    tcase_add_test(tests, raw_twins);
    tcase_add_test(tests, sameness_is_exact);
    tcase_add_test(tests, information);
    tcase_add_test(tests, manual);
    tcase_add_loop_test(tests, written_back, 0, 11);
    tcase_add_loop_test(tests, without_memory, 0, 11);
    suite_add_tcase(suite, tests);
    TCase *slow = tcase_create("bit patterns");
    tcase_set_tags(slow, "slow");
    tcase_add_loop_test(slow, every_value_of_every_field, 0, 8);
    tcase_add_loop_test(slow, random_sprites, 0, 8);
    tcase_add_loop_test(slow, random_entries, 0, 6);
    tcase_add_test(slow, every_color);
    suite_add_tcase(suite, slow);
}
