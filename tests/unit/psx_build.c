/* SPDX-License-Identifier: MIT */
#include "psx_build.h"

#include "tree_help.h"

#include <stdio.h>
#include <string.h>

struct anm_doc *psx_build_decode(const struct anm_buf *bytes)
{
    struct anm_error err;
    ck_assert(!bytes->failed);
    struct anm_doc *doc = anm_doc_decode(bytes->data, bytes->size, NULL, &err);
    ck_assert_msg(doc != NULL, "%s", err.text);
    return doc;
}

/* A sprite line without what only some versions have. */
static void put_sprite(struct anm_buf *out, unsigned version, const char *line, const char *blend)
{
    anm_buf_puts(out, line);
    anm_buf_puts(out, version >= 3 ? blend : "");
    anm_buf_puts(out, version >= 2 ? " bank=0 set=3\n" : "\n");
}

static void put_group(struct anm_doc **doc, const char *number, const char *first, const char *second,
                      const char *blend)
{
    ANM_AUTO(anm_buf_free) struct anm_buf text = {0};
    char path[40];
    snprintf(path, sizeof path, "frames/%s", number);
    tree_mkdir(doc, path);
    snprintf(path, sizeof path, "frames/%s/sprites", number);
    put_sprite(&text, psx_const(*doc)->version, first, "");
    put_sprite(&text, psx_const(*doc)->version, second, blend);
    tree_write(doc, path, anm_buf_cstr(&text));
}

static void put_colors(struct anm_doc **doc)
{
    ANM_AUTO(anm_buf_free) struct anm_buf text = {0};
    anm_buf_puts(&text, "GIMP Palette\n");
    for (unsigned i = 0; i < 16; i++)
        anm_buf_printf(&text, "%u %u %u %u%s\n", i * 16, 255 - i * 16, i, i, i % 3 == 2 ? " stp" : "");
    tree_mkdir(doc, "clut/00");
    tree_write(doc, "clut/00/place", "48 481 16\n");
    tree_write(doc, "clut/00/colors.gpl", anm_buf_cstr(&text));
}

struct anm_doc *psx_build(unsigned version)
{
    struct psx_doc *empty = psx_new(&anm_psx, (uint8_t)version);
    ck_assert_ptr_nonnull(empty);
    struct anm_doc *doc = &empty->doc;
    const char *place = " page=15 depth=4 clut=48,481";
    char one[200], two[200];
    snprintf(one, sizeof one, "u=0 v=0 ofs=16,16 square=64%s", place);
    snprintf(two, sizeof two, "u=16 v=24 ofs=200,40 size=40x13%s", place);
    put_group(&doc, "000", one, two, "");
    snprintf(one, sizeof one, "u=0 v=0 ofs=100,60 square=64%s scale=-1,2", place);
    snprintf(two, sizeof two, "u=0 v=0 ofs=20,120 size=64x32%s angle=45", place);
    put_group(&doc, "001", one, two, "");
    snprintf(one, sizeof one, "u=0 v=0 ofs=64,64 square=64%s", place);
    snprintf(two, sizeof two, "u=0 v=0 ofs=80,72 square=64%s", place);
    put_group(&doc, "002", one, two, " blend=3");
    tree_write(&doc, "sequences/000",
               version >= 3 ? "group=0 time=4 attr=0 x=0 y=0\ngroup=1 time=10 attr=1 x=-8 y=-16\n"
                              "group=2 time=0 attr=15 x=12 y=5\ngroup=0 time=255 attr=8 x=300 y=-1\n"
                            : "group=0 time=4 x=0 y=0\ngroup=1 time=10 x=-8 y=-16\n"
                              "group=2 time=0 x=12 y=5\ngroup=0 time=255 x=300 y=-1\n");
    put_colors(&doc);
    return doc;
}

struct anm_doc *psx_build_fixed(unsigned version)
{
    struct anm_doc *doc = psx_build(version);
    tree_write(&doc, "header", version >= 2 ? "depth 4\nlayout fixed\n" : "layout fixed\n");
    return doc;
}

struct anm_doc *tsq_build(unsigned version)
{
    struct psx_doc *empty = psx_new(&anm_tsq, (uint8_t)version);
    ck_assert_ptr_nonnull(empty);
    struct anm_doc *doc = &empty->doc;
    tree_write(&doc, "sequences/000",
               version ? "group=7 time=4 attr=9 x=0 y=0\ngroup=0 time=1 attr=0 x=-8 y=-16\n"
                       : "group=7 time=4 x=0 y=0\ngroup=0 time=1 x=-8 y=-16\n");
    return doc;
}

void tim_build_block(struct anm_buf *out, unsigned x, unsigned y, unsigned w, unsigned h, int more)
{
    anm_buf_u32le(out, (uint32_t)((int)(12 + 2 * w * h) + more));
    anm_buf_u16le(out, (uint16_t)x);
    anm_buf_u16le(out, (uint16_t)y);
    anm_buf_u16le(out, (uint16_t)w);
    anm_buf_u16le(out, (uint16_t)h);
    for (unsigned i = 0; i < w * h; i++)
        anm_buf_u16le(out, (uint16_t)(i * 0x1357 + 0x8421));
}

void tim_build(struct anm_buf *out, unsigned pmode, unsigned rows)
{
    anm_buf_u32le(out, PSX_ID_TIM);
    anm_buf_u32le(out, pmode | (rows ? PSX_HAS_CLUT : 0));
    if (rows)
        tim_build_block(out, 16, 480, 16, rows, 0);
    tim_build_block(out, 640, 0, 4, 2, 0);
}
