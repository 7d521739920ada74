/* SPDX-License-Identifier: MIT */
/* Pictures of sprites, against ones worked out by hand. */
#include "anm/given.h"
#include "anm/psx_fields.h"
#include "anm/psx_vram.h"
#include "fail_alloc.h"
#include "psx_build.h"
#include "suites.h"
#include "tree_help.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE (-1) /* a transparent pixel */
#define STP 0x8000

/* --- what the sprites are drawn from --- */

/* At 640,0 (page 10) 4 by 2 colours; at 704,0 (page 11) texels 1 2 0 3 of four bits with a palette at 0,480; at 768,0 (page 12) texels
 * 5 7 of eight bits with a palette at 0,481. */
static const uint16_t direct[2][4] = {{0x0001, 0x0020, 0x0400, 0x7fff}, {0x1234, 0x0000, 0x8000, 0xffff}};

static void put_block(struct anm_buf *out, unsigned x, unsigned y, unsigned w, unsigned h, const uint16_t *words)
{
    tim_build_block(out, x, y, w, h, 0);
    out->size -= 2 * (size_t)w * h;
    for (unsigned i = 0; i < w * h; i++)
        anm_buf_u16le(out, words[i]);
}

static struct anm_buf memory(void)
{
    static const uint16_t four = 0x3021, eight = 0x0705;
    struct anm_buf out = {0};
    uint16_t palette[256];
    for (unsigned i = 0; i < 256; i++)
        palette[i] = (uint16_t)(0x0100 + i);
    palette[0] = 0;
    anm_buf_u32le(&out, PSX_ID_TIM);
    anm_buf_u32le(&out, 2);
    put_block(&out, 640, 0, 4, 2, direct[0]);
    anm_buf_u32le(&out, PSX_ID_TIM);
    anm_buf_u32le(&out, 8);
    put_block(&out, 0, 480, 16, 1, palette);
    put_block(&out, 704, 0, 1, 1, &four);
    anm_buf_u32le(&out, PSX_ID_TIM);
    anm_buf_u32le(&out, 9);
    put_block(&out, 0, 481, 256, 1, palette);
    put_block(&out, 768, 0, 1, 1, &eight);
    return out;
}

/* `doc` (consumed) with that memory. */
static struct anm_doc *with_memory(struct anm_doc *doc)
{
    struct anm_error err;
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = memory();
    ANM_AUTO(anm_given_clean) struct anm_given *given = anm_given_new(60, false);
    ck_assert_int_eq(anm_given_offer(given, doc, true, "t.tim", bytes.data, bytes.size, &err), 0);
    struct anm_doc *with = anm_doc_with(doc, given);
    anm_doc_unref(doc);
    return with;
}

/* A file of this version with one group of these sprites. */
static struct anm_doc *group_of(unsigned version, const char *sprites)
{
    struct anm_doc *doc = &psx_new(&anm_psx, (uint8_t)version)->doc;
    tree_mkdir(&doc, "frames/000");
    tree_write(&doc, "frames/000/sprites", sprites);
    return with_memory(doc);
}

/* --- looking --- */

struct picture {
    unsigned w, h;
    uint8_t *rgba;
};

static void picture_free(struct picture *picture)
{
    free(picture->rgba);
}

static struct picture look(const struct anm_doc *doc, const char *path)
{
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
    struct anm_error err;
    struct anm_ref ref;
    ck_assert_msg(anm_tree_find(doc, path, &ref, &err) == 0, "%s", err.text);
    ck_assert_int_eq(anm_tree_render(doc, &ref, &bytes, &err), 0);
    png_image image = {.version = PNG_IMAGE_VERSION};
    ck_assert_msg(png_image_begin_read_from_memory(&image, bytes.data, bytes.size), "%s", image.message);
    image.format = PNG_FORMAT_RGBA;
    struct picture picture = {image.width, image.height, malloc(PNG_IMAGE_SIZE(image))};
    ck_assert_msg(png_image_finish_read(&image, NULL, picture.rgba, 0, NULL), "%s", image.message);
    return picture;
}

static uint8_t channel(int color, unsigned i)
{
    unsigned five = (unsigned)color >> 5 * i & 31;
    return (uint8_t)(five << 3 | five >> 2);
}

/* The picture is of this size and these colours, row by row. */
static void shows(const struct anm_doc *doc, const char *path, unsigned w, unsigned h, const int *colors)
{
    ANM_AUTO(picture_free) struct picture picture = look(doc, path);
    ck_assert_uint_eq(picture.w, w);
    ck_assert_uint_eq(picture.h, h);
    for (unsigned i = 0; i < w * h; i++) {
        const uint8_t *p = picture.rgba + 4 * (size_t)i;
        bool drawn = colors[i] != NONE;
        ck_assert_msg(p[3] == (drawn ? 255 : 0), "alpha of pixel %u: %u", i, p[3]);
        for (unsigned c = 0; drawn && c < 3; c++)
            ck_assert_msg(p[c] == channel(colors[i], c), "pixel %u, channel %u: %u", i, c, p[c]);
    }
}

#define SHOWS(sprites, w, h, ...)                                                                                      \
    do {                                                                                                               \
        ANM_AUTO(anm_doc_clean) struct anm_doc *doc = group_of(3, sprites);                                            \
        shows(doc, "preview/frames/000.png", w, h, (const int[]){__VA_ARGS__});                                        \
    } while (0)

#define DIRECT "u=0 v=0 ofs=9,5 size=4x2 page=10 depth=16 clut=0,0"

START_TEST(depths)
{
    /* 0 is not drawn; 0x8000 is black; the bit is no part of a colour. */
    SHOWS(DIRECT "\n", 4, 2, 0x0001, 0x0020, 0x0400, 0x7fff, 0x1234, NONE, 0, 0x7fff);
    SHOWS("u=0 v=0 ofs=0,0 size=4x2 page=10 depth=reserved clut=0,0\n", 4, 2, 0x0001, 0x0020, 0x0400, 0x7fff, 0x1234,
          NONE, 0, 0x7fff);
    SHOWS("u=0 v=0 ofs=0,0 size=4x1 page=11 depth=4 clut=0,480\n", 4, 1, 0x0101, 0x0102, NONE, 0x0103);
    SHOWS("u=1 v=0 ofs=0,0 size=3x1 page=11 depth=4 clut=0,480\n", 3, 1, 0x0102, NONE, 0x0103);
    SHOWS("u=0 v=0 ofs=0,0 size=2x1 page=12 depth=8 clut=0,481\n", 2, 1, 0x0105, 0x0107);
    /* The sprite's depth counts, not the image's. */
    SHOWS("u=0 v=0 ofs=0,0 size=1x1 page=12 depth=16 clut=0,481\n", 1, 1, 0x0705);
    /* A palette that starts further right. */
    SHOWS("u=0 v=0 ofs=0,0 size=2x1 page=12 depth=8 clut=16,481\n", 2, 1, 0x0115, 0x0117);
}
END_TEST

START_TEST(what_is_not_there)
{
    SHOWS("u=4 v=0 ofs=0,0 size=2x1 page=10 depth=16 clut=0,0\n", 2, 1, NONE, NONE);
    SHOWS("u=0 v=0 ofs=0,0 size=2x1 page=12 depth=8 clut=0,200\n", 2, 1, NONE, NONE);
    SHOWS("# nothing\n", 1, 1, NONE);
    SHOWS("u=0 v=0 ofs=0,0 size=4x2 page=10 depth=16 clut=0,0 scale=0,1\n", 1, 1, NONE);
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = psx_build(3);
    tree_lacks(doc, "preview", ANM_NOENT);
}
END_TEST

START_TEST(pages_wrap)
{
    struct psx_vram *vram = calloc(1, sizeof *vram);
    struct psx_sprite s = {{255 | 255u << 8, 31u << 16 | 2u << 23, 4 | 2u << 16, 0, 0x10001000}};
    uint16_t color;
    ck_assert_ptr_nonnull(vram);
    memset(vram->loaded, 0xff, sizeof vram->loaded);
    vram->words[511][(960 + 255) & 1023] = 5; /* page 31 is at 960,256 */
    vram->words[511][960] = 6;                /* one to the right of u = 255 is u = 0 */
    vram->words[256][960] = 7;                /* one down v = 0 */
    ck_assert(psx_texel(vram, &s, 0, 0, &color) && color == 5);
    ck_assert(psx_texel(vram, &s, 1, 0, &color) && color == 6);
    ck_assert(psx_texel(vram, &s, 1, 1, &color) && color == 7);
    free(vram);
}
END_TEST

START_TEST(mirrored)
{
    SHOWS(DIRECT " scale=-1,1\n", 4, 2, 0x7fff, 0x0400, 0x0020, 0x0001, 0x7fff, 0, NONE, 0x1234);
    SHOWS(DIRECT " scale=1,-1\n", 4, 2, 0x1234, NONE, 0, 0x7fff, 0x0001, 0x0020, 0x0400, 0x7fff);
    SHOWS("u=0 v=0 ofs=0,0 size=3x1 page=10 depth=16 clut=0,0 scale=-1,-1\n", 3, 1, 0x0400, 0x0020, 0x0001);
    SHOWS(DIRECT " scale=-1,1 rsz=off\n", 4, 2, 0x0001, 0x0020, 0x0400, 0x7fff, 0x1234, NONE, 0, 0x7fff);
}
END_TEST

/* Clockwise about the centre: the upper row becomes the right column. */
START_TEST(rotated)
{
    SHOWS(DIRECT " angle=90\n", 2, 4, 0x1234, 0x0001, NONE, 0x0020, 0, 0x0400, 0x7fff, 0x7fff);
    SHOWS(DIRECT " angle=180\n", 4, 2, 0x7fff, 0, NONE, 0x1234, 0x7fff, 0x0400, 0x0020, 0x0001);
    SHOWS(DIRECT " angle=270\n", 2, 4, 0x7fff, 0x7fff, 0x0400, 0, 0x0020, NONE, 0x0001, 0x1234);
    SHOWS(DIRECT " angle=450\n", 2, 4, 0x1234, 0x0001, NONE, 0x0020, 0, 0x0400, 0x7fff, 0x7fff);
    SHOWS(DIRECT " angle=90 rot=off\n", 4, 2, 0x0001, 0x0020, 0x0400, 0x7fff, 0x1234, NONE, 0, 0x7fff);
    /* First scaled, then turned. Its centre lies on a pixel's edge, so that it begins half a pixel into the picture. */
    SHOWS("u=0 v=0 ofs=0,0 size=2x1 page=10 depth=16 clut=0,0 scale=2,1 angle=90\n", 2, 5, NONE, 0x0001, NONE, 0x0001,
          NONE, 0x0020, NONE, 0x0020, NONE, NONE);
    /* By 45 degrees a square stands on its corner: the middle is its own. */
    ANM_AUTO(anm_doc_clean)
    struct anm_doc *doc = group_of(3, "u=0 v=0 ofs=0,0 size=1x1 page=10 depth=16 clut=0,0 angle=45\n");
    ANM_AUTO(picture_free) struct picture picture = look(doc, "preview/frames/000.png");
    ck_assert_uint_eq(picture.w, 3);
    ck_assert(picture.rgba[4 * 4 + 3] == 255 && picture.rgba[3] == 0);
}
END_TEST

START_TEST(scaled)
{
    SHOWS("u=0 v=0 ofs=0,0 size=2x2 page=10 depth=16 clut=0,0 scale=2,2\n", 4, 4, 0x0001, 0x0001, 0x0020, 0x0020,
          0x0001, 0x0001, 0x0020, 0x0020, 0x1234, 0x1234, NONE, NONE, 0x1234, 0x1234, NONE, NONE);
    SHOWS("u=0 v=0 ofs=0,0 size=2x1 page=10 depth=16 clut=0,0 scale=-2,1\n", 4, 1, 0x0020, 0x0020, 0x0001, 0x0001);
    /* Half as large about the centre: pixels 1 and 2 of four, whose centres lie at texels 1 and 3; the upper of two rows. */
    SHOWS(DIRECT " scale=0.5,0.5\n", 2, 2, 0x0020, 0x7fff, NONE, NONE);
}
END_TEST

/* 0x7fff would be white; here a colour of three different channels below, and another with the bit above. */
static struct anm_doc *blended(unsigned version, const char *how, uint16_t below, uint16_t above)
{
    struct anm_doc *doc = &psx_new(&anm_psx, (uint8_t)version)->doc;
    struct anm_error err;
    const uint16_t words[] = {below, above};
    ANM_AUTO(anm_buf_free) struct anm_buf tim = {0};
    char text[300];
    anm_buf_u32le(&tim, PSX_ID_TIM);
    anm_buf_u32le(&tim, 2);
    put_block(&tim, 640, 0, 2, 1, words);
    snprintf(
        text, sizeof text,
        "u=0 v=0 ofs=0,0 size=1x1 page=10 depth=16 clut=0,0\nu=1 v=0 ofs=0,0 size=1x1 page=10 depth=16 clut=0,0 %s\n",
        how);
    tree_mkdir(&doc, "frames/000");
    tree_write(&doc, "frames/000/sprites", text);
    ANM_AUTO(anm_given_clean) struct anm_given *given = anm_given_new(60, false);
    ck_assert_int_eq(anm_given_offer(given, doc, true, "t.tim", tim.data, tim.size, &err), 0);
    struct anm_doc *with = anm_doc_with(doc, given);
    anm_doc_unref(doc);
    return with;
}

static void blends_to(const char *how, uint16_t below, uint16_t above, int want)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = blended(3, how, below, above);
    shows(doc, "preview/frames/000.png", 1, 1, &want);
}

#define RGB(r, g, b) ((r) | (g) << 5 | (b) << 10)

START_TEST(blending)
{
    const uint16_t below = RGB(10, 20, 30), above = RGB(20, 20, 4) | STP;
    blends_to("blend=0", below, above, RGB(15, 20, 17));
    blends_to("blend=1", below, above, RGB(30, 31, 31));
    blends_to("blend=2", below, above, RGB(0, 0, 26));
    blends_to("blend=3", below, above, RGB(15, 25, 31));
    blends_to("blend=1", below, RGB(20, 20, 4), RGB(20, 20, 4)); /* without the bit opaque */
    blends_to("", below, above, RGB(20, 20, 4));
    blends_to("", below, STP, 0); /* black */
    blends_to("blend=0", below, STP, RGB(5, 10, 15));
    blends_to("blend=0", 0, above, RGB(10, 10, 2)); /* nothing below counts as black */
    blends_to("blend=0", below, 0, below);
    ANM_AUTO(anm_doc_clean) struct anm_doc *old = blended(2, "abe=1", below, above);
    shows(old, "preview/frames/000.png", 1, 1, (const int[]){RGB(20, 20, 4)});
}
END_TEST

START_TEST(later_sprites_lie_over_earlier_ones)
{
    SHOWS("u=0 v=0 ofs=0,0 size=2x1 page=10 depth=16 clut=0,0\nu=2 v=0 ofs=1,0 size=2x1 page=10 depth=16 clut=0,0\n", 3,
          1, 0x0001, 0x0400, 0x7fff);
    SHOWS("u=2 v=0 ofs=1,0 size=2x1 page=10 depth=16 clut=0,0\nu=0 v=0 ofs=0,0 size=2x1 page=10 depth=16 clut=0,0\n", 3,
          1, 0x0001, 0x0020, 0x7fff);
}
END_TEST

/* --- movies --- */

/* The chunk number `n` of a name, its size in *size; NULL when there are fewer. */
static const uint8_t *chunk(const struct anm_buf *png, const char *name, unsigned n, uint32_t *size)
{
    for (size_t at = 8; at + 12 <= png->size;) {
        const uint8_t *c = png->data + at;
        *size = (uint32_t)c[0] << 24 | (uint32_t)c[1] << 16 | (uint32_t)c[2] << 8 | c[3];
        if (memcmp(c + 4, name, 4) == 0 && n-- == 0)
            return c + 8;
        at += 12 + (size_t)*size;
    }
    return NULL;
}

static unsigned be16(const uint8_t *bytes)
{
    return (unsigned)bytes[0] << 8 | bytes[1];
}

static struct anm_buf movie_of(const struct anm_doc *doc)
{
    struct anm_buf bytes = {0};
    struct anm_error err;
    struct anm_ref ref;
    ck_assert_int_eq(anm_tree_find(doc, "preview/sequences/000.png", &ref, &err), 0);
    ck_assert_int_eq(anm_tree_render(doc, &ref, &bytes, &err), 0);
    return bytes;
}

START_TEST(movies)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = group_of(3, DIRECT "\n");
    tree_write(&doc, "sequences/000", "group=0 time=6 x=-9 y=-5\ngroup=0 time=0 x=-8 y=-5\n");
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = movie_of(doc), again = movie_of(doc);
    ck_assert(bytes.size == again.size && memcmp(bytes.data, again.data, bytes.size) == 0);
    uint32_t size;
    const uint8_t *c = chunk(&bytes, "acTL", 0, &size);
    ck_assert(c && size == 8 && c[3] == 2 && be16(c + 6) == 0);
    for (unsigned i = 0; i < 2; i++) {
        c = chunk(&bytes, "fcTL", i, &size);
        ck_assert(c && size == 26 && c[3] == (i ? 1 : 0) && c[7] == 5 && c[11] == 2);
        ck_assert_uint_eq(be16(c + 20), i ? 1 : 6);
        ck_assert_uint_eq(be16(c + 22), 60);
        ck_assert(c[24] == 0 && c[25] == 0);
    }
    c = chunk(&bytes, "fdAT", 0, &size);
    ck_assert(c && c[3] == 2);
    ck_assert_ptr_null(chunk(&bytes, "oFFs", 0, &size)); /* the box begins at 0,0 */
    shows(doc, "preview/sequences/000.png", 5, 2,
          (const int[]){0x0001, 0x0020, 0x0400, 0x7fff, NONE, 0x1234, NONE, 0, 0x7fff, NONE});
    tree_remove(&doc, "sequences/000"); /* then the groups in their order */
    ANM_AUTO(anm_buf_free) struct anm_buf groups = movie_of(doc);
    c = chunk(&groups, "acTL", 0, &size);
    ck_assert(c && c[3] == 1);
    c = chunk(&groups, "oFFs", 0, &size);
    ck_assert(c && c[3] == 9 && c[7] == 5);
}
END_TEST

/* What a hostile file asks for is cut. */
START_TEST(bounds)
{
    ANM_AUTO(anm_doc_clean)
    struct anm_doc *doc = group_of(
        3, "u=0 v=0 ofs=255,255 size=65535x65535 page=10 depth=16 clut=0,0 scale=7.999755859375,-8 angle=33.75\n");
    ANM_AUTO(picture_free) struct picture picture = look(doc, "preview/frames/000.png");
    ck_assert(picture.w == 2048 && picture.h == 2048);
    tree_write(&doc, "frames/000/sprites", DIRECT "\n");
    tree_write(&doc, "sequences/000", "group=0 time=1 x=-32768 y=-32768\ngroup=0 time=1 x=32767 y=32767\n");
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = movie_of(doc);
    uint32_t size;
    const uint8_t *c = chunk(&bytes, "acTL", 0, &size);
    ck_assert(c && c[3] == 2);
}
END_TEST

START_TEST(without_memory)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = group_of(3, DIRECT "\n");
    tree_write(&doc, "sequences/000", "group=0 time=6 x=-9 y=-5\ngroup=0 time=0 x=-8 y=-5\n");
    static const char *const paths[] = {"preview/frames/000.png", "preview/sequences/000.png"};
    for (unsigned i = 0; i < 2; i++)
        for (unsigned n = 1; n == 1 || fail_alloc_hit(); n++) {
            ANM_AUTO(anm_buf_free) struct anm_buf out = {0};
            struct anm_error err = {0};
            struct anm_ref ref;
            ck_assert_uint_lt(n, 1000);
            fail_alloc_at(n);
            int rc = anm_tree_find(doc, paths[i], &ref, &err) || anm_tree_render(doc, &ref, &out, &err);
            fail_alloc_off();
            ck_assert_msg(!rc || err.reason == ANM_NOMEM, "%s", err.text);
            ck_assert(rc || !fail_alloc_hit());
        }
}
END_TEST

/* --- images, and which of them belong to an animation --- */

START_TEST(images_by_themselves)
{
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = memory(), rgb = {0};
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = psx_build_decode(&bytes);
    shows(doc, "preview/frames/000.png", 4, 2, (const int[]){0x0001, 0x0020, 0x0400, 0x7fff, 0x1234, NONE, 0, 0x7fff});
    shows(doc, "preview/frames/001.png", 4, 1, (const int[]){0x0101, 0x0102, NONE, 0x0103});
    shows(doc, "preview/frames/002.png", 2, 1, (const int[]){0x0105, 0x0107});
    const uint16_t words[] = {0x2010, 0x4030, 0x6050};
    anm_buf_u32le(&rgb, PSX_ID_TIM);
    anm_buf_u32le(&rgb, 3);
    put_block(&rgb, 0, 0, 3, 1, words);
    ANM_AUTO(anm_doc_clean) struct anm_doc *deep = psx_build_decode(&rgb);
    ANM_AUTO(picture_free) struct picture picture = look(deep, "preview/frames/000.png");
    ck_assert(picture.w == 2 && picture.h == 1);
    ck_assert_mem_eq(picture.rgba, "\x10\x20\x30\xff\x40\x50\x60\xff", 8);
}
END_TEST

START_TEST(images_of_use)
{
    static const struct {
        const char *sprite;
        bool used;
    } cases[] = {
        {"u=0 v=0 ofs=0,0 size=1x1 page=10 depth=16 clut=0,0\n", true},
        {"u=4 v=0 ofs=0,0 size=9x1 page=10 depth=16 clut=0,0\n", false},
        {"u=0 v=2 ofs=0,0 size=9x9 page=10 depth=16 clut=0,0\n", false},
        {"u=0 v=2 ofs=0,0 size=9x9 page=0 depth=4 clut=0,480\n", true},
        {"u=0 v=2 ofs=0,0 size=9x9 page=0 depth=8 clut=1008,481\n", true}, /* its palette goes on at the left edge */
        {"u=0 v=2 ofs=0,0 size=9x9 page=0 depth=4 clut=0,482\n", false},
        {"u=250 v=255 ofs=0,0 size=9x9 page=10 depth=16 clut=0,0\n", true}, /* wraps in its page */
        {"u=0 v=0 ofs=0,0 size=0x9 page=10 depth=16 clut=0,0\n", false},
    };
    struct anm_error err;
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = memory();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ANM_AUTO(anm_doc_clean) struct anm_doc *doc = &psx_new(&anm_psx, 3)->doc;
        tree_mkdir(&doc, "frames/000");
        tree_write(&doc, "frames/000/sprites", cases[i].sprite);
        ANM_AUTO(anm_given_clean) struct anm_given *given = anm_given_new(60, false);
        ck_assert_int_eq(anm_given_offer(given, doc, false, "t.tim", bytes.data, bytes.size, &err), 0);
        ck_assert_msg(given->count == cases[i].used, "%s", cases[i].sprite);
        ck_assert_int_eq(anm_given_offer(given, doc, false, "no.tim", (const uint8_t *)"no image", 8, &err), 0);
        ck_assert_int_eq(anm_given_offer(given, doc, true, "no.tim", (const uint8_t *)"no image", 8, &err), -1);
        ck_assert_uint_eq(given->count, cases[i].used);
    }
}
END_TEST

Suite *psx_draw_suite(void)
{
    Suite *suite = suite_create("psx_draw");
    TCase *tests = tcase_create("pictures");
    tcase_add_test(tests, depths);
    tcase_add_test(tests, what_is_not_there);
    tcase_add_test(tests, pages_wrap);
    tcase_add_test(tests, mirrored);
    tcase_add_test(tests, rotated);
    tcase_add_test(tests, scaled);
    tcase_add_test(tests, blending);
    tcase_add_test(tests, later_sprites_lie_over_earlier_ones);
    tcase_add_test(tests, movies);
    tcase_add_test(tests, without_memory);
    tcase_add_test(tests, images_by_themselves);
    tcase_add_test(tests, images_of_use);
    suite_add_tcase(suite, tests);
    TCase *slow = tcase_create("large pictures");
    tcase_set_tags(slow, "slow"); /* minutes under memcheck */
    tcase_add_test(slow, bounds);
    suite_add_tcase(suite, slow);
    return suite;
}
