/* SPDX-License-Identifier: MIT */
/* clut/NN and raw/pixels.bin: place, colours and pixels as texts and bytes. */
#include "fail_alloc.h"
#include "psx_build.h"
#include "tree_help.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLORS "clut/00/colors.gpl"
#define PLACE "clut/00/place"

/* An ANM of nothing but one palette without place and colours. */
static struct anm_doc *fresh(void)
{
    struct psx_doc *empty = psx_new(&anm_psx, 3);
    ck_assert_ptr_nonnull(empty);
    struct anm_doc *doc = &empty->doc;
    tree_mkdir(&doc, "clut/00");
    return doc;
}

static unsigned color(const struct anm_doc *doc, unsigned i)
{
    const struct anm_blob *data = psx_const(doc)->cluts[0]->data;
    ck_assert_uint_lt(2 * i + 1, data->size);
    return data->bytes[2 * i] | (unsigned)data->bytes[2 * i + 1] << 8;
}

/* --- colours --- */

START_TEST(head_and_lines)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = fresh();
    tree_write(&doc, COLORS, "GIMP Palette\n8 16 255\n0 0 0\tblack stp\n255 255 255\n");
    tree_is(doc, COLORS,
            "GIMP Palette\nName: clut 00\nColumns: 3\n#\n  8  16 255\t0\n  0   0   0\t1 stp\n255 255 255\t2\n");
    ck_assert_uint_eq(color(doc, 0), 1 | 2 << 5 | 31 << 10);
    ck_assert_uint_eq(color(doc, 1), 0x8000);
    ck_assert_uint_eq(color(doc, 2), 0x7fff);
}
END_TEST

/* GIMP, and those who write its files, differ in what they put around the numbers. */
START_TEST(variants)
{
    static const char *const texts[] = {
        "GIMP Palette\nName: a name of words\nColumns: 0\n#\n  8  16 255\tUntitled\n  0   0   0\tblack stp\n",
        "GIMP Palette\nColumns: 16\nName: x\n8 16 255\n0 0 0 stp\n",
        "GIMP Palette\r\nName: x\r\n#\r\n8 16 255\r\n0 0 0\tstp\r\n",
        "\xef\xbb\xbfGIMP Palette\n8 16 255\n0 0 0\tstp",
        "GIMP Palette\n# 1 2 3\n\n  8\t16\t255   \t# 7\n\t0 0 0 1 \xe2\x80\xa6 stp  \n",
        "GIMP Palette\n15 23 248 17\n7 7 7 0 stp\n", /* the lowest three bits do not count, nor the number behind */
        "GIMP Palette\n0x8 0x10 0xff\n0 0 0 stp\n",
        "GIMP Palette\n8 16 255 stp or not\n0 0 0 a b c d e f g h i j k l m n o stp\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct anm_error err = {0};
        ANM_AUTO(anm_doc_clean) struct anm_doc *empty = fresh();
        ANM_AUTO(anm_doc_clean)
        struct anm_doc *doc = anm_tree_write(empty, COLORS, texts[i], strlen(texts[i]), &err);
        ck_assert_msg(doc != NULL, "%zu: %u:%u: %s", i, err.line, err.column, err.text);
        ck_assert_msg(color(doc, 0) == 0x7c41 && color(doc, 1) == 0x8000, "%zu: %04x %04x", i, color(doc, 0),
                      color(doc, 1));
        ck_assert_uint_eq(psx_const(doc)->cluts[0]->data->size, 4);
    }
}
END_TEST

START_TEST(colors_are_refused)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = psx_build(3);
    static const struct {
        const char *text;
        uint32_t line, column;
        const char *words;
    } bad[] = {
        {"# only this\n", 1, 1, "GIMP Palette"},
        {"# a comment\nJASC-PAL\n0100\n", 2, 1, "GIMP Palette"},
        {"0 0 0\n", 1, 1, "GIMP Palette"},
        {"GIMP palette\n", 1, 1, "GIMP Palette"},
        {"GIMP Palette\n#\n256 0 0\n", 3, 1, "expected red, found \"256\": more than 255"},
        {"GIMP Palette\n0 -1 0\n", 2, 3, "expected green"},
        {"GIMP Palette\n0 0\n", 2, 4, "expected blue; the line ends"},
        {"GIMP Palette\n0 0 0.5\n", 2, 5, "not a whole number"},
        {"GIMP Palette\n#ff0000\n0 0 red\n", 3, 5, "expected blue"},
        {"GIMP Palette\n0 0 0\nName: late\n", 3, 1, "expected red"},
        {"GIMP Palette\n0 0 0\t\x01\n", 2, 7, "control byte"},
        {"GIMP Palette\n0 0 0 \xff\n", 2, 7, "not UTF-8"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        tree_refuses_at(doc, COLORS, bad[i].text, bad[i].line, bad[i].column, bad[i].words);
    tree_refuses(doc, COLORS, "GIMP Palette\n0 0 0\n", ANM_TEXT, "1 colours are no multiple of the width 16");
}
END_TEST

/* How wide a palette gets that had no width. */
START_TEST(new_widths)
{
    static const struct {
        unsigned colors, w, h;
    } made[] = {{1, 1, 1}, {15, 15, 1}, {16, 16, 1}, {17, 17, 1}, {32, 16, 2}, {255, 255, 1}, {256, 16, 16}};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        ANM_AUTO(anm_doc_clean) struct anm_doc *doc = fresh();
        ANM_AUTO(anm_buf_free) struct anm_buf text = {0};
        anm_buf_puts(&text, "GIMP Palette\n");
        for (unsigned k = 0; k < made[i].colors; k++)
            anm_buf_puts(&text, "0 0 0\n");
        tree_write(&doc, COLORS, anm_buf_cstr(&text));
        ck_assert_uint_eq(psx_const(doc)->cluts[0]->w, made[i].w);
        ck_assert_uint_eq(psx_const(doc)->cluts[0]->h, made[i].h);
        tree_reloads(doc);
    }
}
END_TEST

START_TEST(wide_palettes)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = fresh();
    ANM_AUTO(anm_buf_free) struct anm_buf text = {0};
    anm_buf_puts(&text, "GIMP Palette\n");
    for (unsigned k = 0; k < 300; k++)
        anm_buf_puts(&text, "0 0 0\n");
    tree_write(&doc, COLORS, anm_buf_cstr(&text));
    tree_write(&doc, PLACE, "0 0 300\n");
    ANM_AUTO(anm_freep) char *shown = tree_text(doc, COLORS);
    ck_assert_ptr_nonnull(strstr(shown, "\nColumns: 0\n")); /* GIMP shows 256 at most */
    tree_write(&doc, PLACE, "0 0 150\n");
    ck_assert_uint_eq(psx_const(doc)->cluts[0]->h, 2);
}
END_TEST

/* Every value of a channel stays when its 8 bits are read back, whatever their lowest three. */
START_TEST(channels)
{
    for (unsigned value = 0; value < 256; value++) {
        ANM_AUTO(anm_doc_clean) struct anm_doc *doc = fresh();
        char text[80];
        snprintf(text, sizeof text, "GIMP Palette\n%u %u %u\n", value, 255 - value, value);
        tree_write(&doc, COLORS, text);
        unsigned five = value >> 3, other = (255 - value) >> 3;
        ck_assert_uint_eq(color(doc, 0), five | other << 5 | five << 10);
        ANM_AUTO(anm_doc_clean) struct anm_doc *before = anm_doc_ref(doc);
        ANM_AUTO(anm_freep) char *shown = tree_text(doc, COLORS);
        tree_write(&doc, COLORS, shown);
        ck_assert_ptr_eq(doc, before);
    }
}
END_TEST

/* --- place --- */

START_TEST(places)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = psx_build(3), *before = anm_doc_ref(doc);
    tree_write(&doc, PLACE, "# where\n\n 0x10\t511 8 \n");
    tree_is(doc, PLACE, "16 511 8\n");
    ck_assert_ptr_eq(psx_const(doc)->groups[0], psx_const(before)->groups[0]);
    tree_write(&doc, PLACE, "65535 65535 16 h 1 bnum 44\n"); /* what it is can be said */
    tree_is(doc, PLACE, "65535 65535 16\n");
    tree_write(&doc, PLACE, "48 481 16\n");
    tree_same_bytes(doc, before);
    tree_write(&doc, PLACE, "48 481 16 rest 0aFF\n");
    tree_is(doc, PLACE, "48 481 16 rest 0aff\n");
    tree_reloads(doc);
    tree_write(&doc, PLACE, "48 481 16\n"); /* what is not said goes */
    tree_same_bytes(doc, before);
}
END_TEST

START_TEST(places_are_refused)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = psx_build(3);
    static const struct {
        const char *text;
        uint32_t line, column;
        const char *words;
    } bad[] = {
        {"# nothing\n", 1, 1, "expected: X Y W"},
        {"48 481\n", 1, 7, "expected the width; the line ends"},
        {"65536 0 16\n", 1, 1, "expected x, found \"65536\": more than 65535"},
        {"0 -1 16\n", 1, 3, "expected y"},
        {"\n0 0 16.0\n", 2, 5, "not a whole number"},
        {"0 0 16 w 16\n", 1, 8, "expected: X Y W [h N]"},
        {"0 0 16 h\n", 1, 9, "the height; the line ends"},
        {"0 0 16 bnum\n", 1, 12, "bnum; the line ends"},
        {"0 0 16 rest\n", 1, 12, "bytes in hex"},
        {"0 0 16 h 1 h 1\n", 1, 12, "expected: X Y W"},
        {"0 0 16 bnum 44 bnum 44\n", 1, 16, "expected: X Y W"},
        {"0 0 16 rest 00 rest 00\n", 1, 16, "expected: X Y W"},
        {"0 0 16 rest 0\n", 1, 13, "two digits"},
        {"0 0 16 rest 0g\n", 1, 13, "two digits"},
        {"0 0 16\n0 0 16\n", 2, 1, "one line"},
        {"# first\n0 0 5\n", 2, 1, "16 colours are no multiple of the width 5"},
        {"# first\n0 0 0\n", 2, 1, "no multiple of the width 0"},
        {"# first\n0 0 16 h 2\n", 2, 1, "do not fit"},
        {"# first\n0 0 15 h 1\n", 2, 1, "do not fit"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        tree_refuses_at(doc, PLACE, bad[i].text, bad[i].line, bad[i].column, bad[i].words);
    tree_refuses(doc, PLACE, "0 0 16 bnum 40\n", ANM_LIMIT, "would not be read back");
}
END_TEST

/* What the text says is all that there is: without it nothing is left that keeps the directory. */
START_TEST(place_and_rest_go)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = fresh(), *bare = anm_doc_ref(doc);
    tree_write(&doc, PLACE, "16 480 16 rest 616263\n");
    tree_lists(doc, "clut/00", "place ");
    tree_refuses_remove(doc, "clut/00", ANM_NOTEMPTY, "has a place");
    tree_remove(&doc, PLACE);
    tree_lists(doc, "clut/00", "");
    tree_remove(&doc, "clut/00");
    ck_assert_uint_eq(psx_const(doc)->clut_count, 0);

    ANM_AUTO(anm_doc_clean) struct anm_doc *both = anm_doc_ref(bare);
    tree_write(&both, COLORS, "GIMP Palette\n8 8 8\n");
    tree_write(&both, PLACE, "16 480 1 rest 616263\n");
    tree_remove(&both, PLACE);
    tree_lists(both, "clut/00", "colors.gpl ");
    ck_assert_uint_eq(psx_const(both)->cluts[0]->data->size, 2);
    tree_remove(&both, COLORS);
    tree_remove(&both, "clut/00");
    ck_assert_uint_eq(psx_const(both)->clut_count, 0);
}
END_TEST

START_TEST(place_before_colors_or_after)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *one = fresh(), *two = anm_doc_ref(one);
    const char *colors = "GIMP Palette\n0 0 0\n8 8 8\n16 16 16\n24 24 24\n";
    tree_write(&one, PLACE, "16 480 2\n");
    tree_is(one, PLACE, "16 480 2\n");
    tree_write(&one, COLORS, colors);
    tree_write(&two, COLORS, colors);
    tree_lists(two, "clut/00", "colors.gpl ");
    tree_write(&two, PLACE, "16 480 2\n");
    tree_same_bytes(one, two);
    ck_assert_uint_eq(psx_const(one)->cluts[0]->h, 2);
    tree_write(&one, COLORS, "GIMP Palette\n"); /* none */
    tree_is(one, PLACE, "16 480 2\n");
    tree_lists(one, "clut/00", "place ");
}
END_TEST

/* --- palettes of images, whose sizes need not be true --- */

struct odd {
    unsigned w, h;
    uint32_t bnum;
    unsigned bytes; /* of the block's data */
    const char *place;
};

static const struct odd odds[] = {
    {16, 1, 44, 32, "0 480 16\n"},
    {16, 3, 108, 96, "0 480 16\n"},
    {16, 1, 46, 34, "0 480 16 rest 0102\n"},
    {16, 1, 45, 33, "0 480 16 rest 01\n"},
    {16, 1, 32, 32, "0 480 16 bnum 32\n"},
    {16, 1, 0, 32, "0 480 16 bnum 0\n"},
    {16, 1, 43, 32, "0 480 16 bnum 43\n"},
    {16, 1, 0xffffffff, 32, "0 480 16 bnum 4294967295\n"},
    {16, 0, 16, 4, "0 480 16 rest 01020304\n"},
    {0, 5, 12, 0, "0 480 0 h 5\n"},
    {0, 5, 15, 3, "0 480 0 h 5 rest 010203\n"},
    {0, 0, 99, 0, "0 480 0 bnum 99\n"},
};

#define ODDS (int)(sizeof odds / sizeof *odds)

static struct anm_doc *odd_tim(const struct odd *odd)
{
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
    anm_buf_u32le(&bytes, PSX_ID_TIM);
    anm_buf_u32le(&bytes, PSX_HAS_CLUT);
    anm_buf_u32le(&bytes, odd->bnum);
    anm_buf_u32le(&bytes, 480u << 16);
    anm_buf_u16le(&bytes, (uint16_t)odd->w);
    anm_buf_u16le(&bytes, (uint16_t)odd->h);
    for (unsigned i = 0; i < odd->bytes; i++)
        anm_buf_u8(&bytes, (uint8_t)(i < 2 * odd->w * odd->h ? 0x20 + i : i - 2 * odd->w * odd->h + 1));
    tim_build_block(&bytes, 640, 0, 4, 2, 0);
    /* Some of these are not recognised as images by themselves. */
    struct anm_error err;
    struct anm_doc *doc = anm_doc_decode(bytes.data, bytes.size, "tim", &err);
    ck_assert_msg(doc != NULL, "%s", err.text);
    return doc;
}

START_TEST(odd_sizes_stay)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = odd_tim(&odds[_i]);
    ck_assert_uint_eq(psx_const(doc)->cluts[0]->data->size, odds[_i].bytes);
    tree_is(doc, PLACE, odds[_i].place);
    ANM_AUTO(anm_doc_clean) struct anm_doc *after = anm_doc_ref(doc);
    tree_write(&after, PLACE, odds[_i].place);
    ck_assert_ptr_eq(after, doc);
    ANM_AUTO(anm_buf_free) struct anm_buf raw = {0};
    psx_put_block(&raw, psx_const(doc)->cluts[0]);
    tree_write_bytes(&after, "raw/clut/00.bin", raw.data, raw.size);
    ck_assert_ptr_eq(after, doc);
    if (odds[_i].w == 0 || odds[_i].h == 0)
        return;
    ANM_AUTO(anm_freep) char *colors = tree_text(doc, COLORS);
    tree_write(&after, COLORS, colors);
    ck_assert_ptr_eq(after, doc);
    /* Another colour in place of one changes its two bytes and nothing else. */
    colors[strlen("GIMP Palette\nName: clut 00\nColumns: 16\n#\n") + 2] = '9';
    tree_write(&after, COLORS, colors);
    tree_is(after, PLACE, odds[_i].place);
    ck_assert_ptr_ne(after, doc);
}
END_TEST

/* Moved, everything else stays as odd as it was; other colours make the size true. */
START_TEST(odd_sizes_are_edited)
{
    char moved[80];
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = odd_tim(&odds[_i]);
    snprintf(moved, sizeof moved, "32%s", odds[_i].place + 1);
    tree_write(&doc, PLACE, moved);
    tree_is(doc, PLACE, moved);
    if (odds[_i].w == 0)
        return;
    tree_write(
        &doc, COLORS,
        "GIMP Palette\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n"
        "0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n"
        "0 0 0\n0 0 0\n0 0 0\n0 0 0\n");
    const char *rest = strstr(odds[_i].place, " rest");
    snprintf(moved, sizeof moved, "32 480 16%s", rest ? rest : "\n");
    tree_is(doc, PLACE, moved);
    ck_assert_uint_eq(psx_const(doc)->cluts[0]->h, 2);
}
END_TEST

START_TEST(images_keep_their_palettes)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = odd_tim(&odds[0]);
    tree_refuses_remove(doc, PLACE, ANM_DENIED, "cannot go");
    tree_refuses_remove(doc, COLORS, ANM_DENIED, "cannot go");
    tree_refuses_remove(doc, "clut/00", ANM_DENIED, "cannot go");
    tree_refuses_mkdir(doc, "clut/01", ANM_DENIED, "none can be added");
    tree_refuses(doc, "raw/clut/01.bin", "x", ANM_DENIED, "there is no palette");
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
    tim_build(&bytes, 2, 0);
    ANM_AUTO(anm_doc_clean) struct anm_doc *none = psx_build_decode(&bytes);
    tree_lists(none, "", "format header ");
    tree_lists(none, "raw", "pixels.bin ");
}
END_TEST

/* An animation's palette may hold fewer bytes than its width and height say. */
START_TEST(short_palettes)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = psx_build(3), *after = NULL;
    ANM_AUTO(anm_buf_free) struct anm_buf raw = {0};
    anm_buf_u32le(&raw, 12 + 41);
    anm_buf_u32le(&raw, 16);
    anm_buf_u32le(&raw, 16 | 3u << 16);
    for (unsigned i = 0; i < 41; i++)
        anm_buf_u8(&raw, (uint8_t)i);
    tree_write_bytes(&doc, "raw/clut/00.bin", raw.data, raw.size);
    tree_is(doc, PLACE, "16 0 16 h 3 rest 28\n");
    after = anm_doc_ref(doc);
    ANM_AUTO(anm_freep) char *place = tree_text(doc, PLACE);
    ANM_AUTO(anm_freep) char *colors = tree_text(doc, COLORS);
    tree_write(&after, PLACE, place);
    tree_write(&after, COLORS, colors);
    ck_assert_ptr_eq(after, doc);
    tree_reloads(doc);
}
END_TEST

/* --- pixels --- */

START_TEST(pixels)
{
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
    tim_build(&bytes, 0, 1);
    tim_build(&bytes, 2, 0);
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = psx_build_decode(&bytes);
    tree_write_bytes(&doc, "raw/pixels~2.bin", "12345678", 8);
    tree_is(doc, "header", "image 0 depth=4 place=640,0 size=4x2 clut=00\nimage 1 depth=16 place=640,0 size=4x1\n");
    tree_write_bytes(&doc, "raw/pixels~2.bin", "", 0);
    tree_is(doc, "header", "image 0 depth=4 place=640,0 size=4x2 clut=00\nimage 1 depth=16 place=640,0 size=4x0\n");
    tree_write_bytes(&doc, "raw/pixels~2.bin", "1234567812345678", 16);
    tree_reloads(doc);
    tree_refuses(doc, "raw/pixels.bin", "1234567", ANM_TEXT, "7 bytes, expected rows of 8 bytes (4 half-words)");
    static const char *const none[] = {"raw/pixels~1.bin", "raw/pixels~3.bin", "raw/pixels", "raw/pixels~2",
                                       "raw/pixels~02.bin"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        tree_lacks(doc, none[i], ANM_NOENT);
}
END_TEST

/* The last image of a file: its size is given as `more` too big, and `there` bytes of its 16 are there, or more than those. */
static void odd_image(int more, unsigned there)
{
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
    anm_buf_u32le(&bytes, PSX_ID_TIM);
    anm_buf_u32le(&bytes, 2);
    tim_build_block(&bytes, 640, 0, 4, 2, more);
    anm_buf_u32le(&bytes, 0xeeeeeeee);
    bytes.size = 8 + 12 + there;
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = psx_build_decode(&bytes), *after = anm_doc_ref(doc);
    ck_assert_uint_eq(psx_const(doc)->images[0].pixels->data->size, there);
    ANM_AUTO(anm_freep) char *raw = tree_text(doc, "raw/pixels.bin");
    ANM_AUTO(anm_freep) char *head = tree_text(doc, "header");
    ck_assert((strstr(head, " bnum=") != NULL) == (28 + more != 12 + (int)there));
    tree_write_bytes(&after, "raw/pixels.bin", raw, there);
    tree_write(&after, "header", head);
    ck_assert_ptr_eq(after, doc);
    raw[0] ^= 1;
    tree_write_bytes(&after, "raw/pixels.bin", raw, there); /* as many: the size stays as odd as it is */
    tree_is(after, "header", head);
    ck_assert_ptr_ne(after, doc);
    tree_write_bytes(&after, "raw/pixels.bin", raw, 8);
    tree_is(after, "header", "image 0 depth=16 place=640,0 size=4x1\n");
    tree_reloads(after);
}

START_TEST(odd_pixels)
{
    for (unsigned there = 9; there < 16; there++) /* cut off by the end of the file */
        for (int more = -20; more <= 20; more += 10)
            odd_image(more, there);
    for (int more = 1; more <= 4; more++) {
        odd_image(more, 16);
        odd_image(-more, 16);
        odd_image(more, 16 + (unsigned)more);
    }
}
END_TEST

/* --- every allocation fails in turn --- */

static void without_memory_at(const struct anm_doc *doc, const char *path, const char *text)
{
    unsigned n = 0;
    do {
        struct anm_error err = {0};
        fail_alloc_at(++n);
        struct anm_doc *edited =
            text ? anm_tree_write(doc, path, text, strlen(text), &err) : anm_tree_remove(doc, path, &err);
        fail_alloc_off();
        ck_assert_msg(fail_alloc_hit() ? edited || err.reason == ANM_NOMEM : edited != NULL, "%s at %u: %s", path, n,
                      err.text);
        anm_doc_unref(edited);
        ck_assert_uint_lt(n, 1000);
    } while (fail_alloc_hit());
    ck_assert_uint_gt(n, 3);
}

START_TEST(without_memory)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = psx_build(3), *tim = odd_tim(&odds[2]);
    const char *colors = "GIMP Palette\n0 0 0\n8 8 8\n0 0 0\n8 8 8\n0 0 0\n8 8 8\n0 0 0\n8 8 8\n0 0 0\n8 8 8\n0 0 0\n"
                         "8 8 8\n0 0 0\n8 8 8\n0 0 0\n8 8 8\n";
    without_memory_at(doc, PLACE, "0 0 8 rest 616263\n");
    without_memory_at(doc, COLORS, colors);
    without_memory_at(doc, PLACE, NULL);
    without_memory_at(doc, COLORS, NULL);
    without_memory_at(tim, PLACE, "0 0 8 rest 616263\n");
    without_memory_at(tim, COLORS, colors);
    without_memory_at(tim, "raw/pixels.bin", "12345678");
}
END_TEST

void psx_clut_cases(Suite *suite)
{
    TCase *tests = tcase_create("palettes");
    tcase_add_test(tests, head_and_lines);
    tcase_add_test(tests, variants);
    tcase_add_test(tests, colors_are_refused);
    tcase_add_test(tests, new_widths);
    tcase_add_test(tests, wide_palettes);
    tcase_add_test(tests, channels);
    tcase_add_test(tests, places);
    tcase_add_test(tests, places_are_refused);
    tcase_add_test(tests, place_and_rest_go);
    tcase_add_test(tests, place_before_colors_or_after);
    tcase_add_loop_test(tests, odd_sizes_stay, 0, ODDS);
    tcase_add_loop_test(tests, odd_sizes_are_edited, 0, ODDS);
    tcase_add_test(tests, images_keep_their_palettes);
    tcase_add_test(tests, short_palettes);
    tcase_add_test(tests, pixels);
    tcase_add_test(tests, odd_pixels);
    tcase_add_test(tests, without_memory);
    suite_add_tcase(suite, tests);
}
