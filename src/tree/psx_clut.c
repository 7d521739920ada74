/* SPDX-License-Identifier: MIT */
/* clut/NN: a palette's place and colours (formats: PSX 1.5, 1.8), and raw/pixels.bin. */
#include "psx_tree.h"

#include "anm/num.h"

#include <stdlib.h>
#include <string.h>

#define STP 0x8000u

static const struct psx_block *block_of(const struct anm_doc *doc, const struct anm_ref *ref)
{
    return psx_const(doc)->cluts[ref->id[0]];
}

uint32_t psx_colors(const struct psx_block *block)
{
    size_t room = (size_t)block->w * block->h, bytes = block->data->size / 2;
    return (uint32_t)(room < bytes ? room : bytes);
}

/* --- out --- */

bool psx_has_place(const struct anm_doc *doc, const struct anm_ref *ref)
{
    return block_of(doc, ref)->placed;
}

bool psx_has_colors(const struct anm_doc *doc, const struct anm_ref *ref)
{
    return psx_colors(block_of(doc, ref)) > 0;
}

int psx_render_place(const struct anm_doc *doc, const struct anm_ref *ref, struct anm_buf *out, struct anm_error *err)
{
    (void)err;
    const struct psx_block *b = block_of(doc, ref);
    uint32_t colors = psx_colors(b);
    anm_buf_printf(out, "%u %u %u", (unsigned)b->x, (unsigned)b->y, (unsigned)b->w);
    if (b->h != (b->w ? colors / b->w : 0))
        anm_buf_printf(out, " h %u", (unsigned)b->h);
    if (b->bnum != 12 + b->data->size)
        anm_buf_printf(out, " bnum %u", b->bnum);
    if (b->data->size > 2 * (size_t)colors) {
        anm_buf_puts(out, " rest ");
        anm_put_hex(out, b->data->bytes + 2 * (size_t)colors, b->data->size - 2 * (size_t)colors);
    }
    anm_buf_putc(out, '\n');
    return 0;
}

static unsigned wide(unsigned five)
{
    return five << 3 | five >> 2;
}

static void put_color(struct anm_buf *out, unsigned color, uint32_t i)
{
    anm_buf_printf(out, "%3u %3u %3u\t%u%s\n", wide(color & 31), wide(color >> 5 & 31), wide(color >> 10 & 31), i,
                   color & STP ? " stp" : "");
}

int psx_render_colors(const struct anm_doc *doc, const struct anm_ref *ref, struct anm_buf *out, struct anm_error *err)
{
    (void)err;
    const struct psx_block *b = block_of(doc, ref);
    anm_buf_printf(out, "GIMP Palette\nName: clut %02u\nColumns: %u\n#\n", ref->id[0],
                   b->w > 256 ? 0u : (unsigned)b->w);
    for (uint32_t i = 0; i < psx_colors(b); i++)
        put_color(out, b->data->bytes[2 * i] | (unsigned)b->data->bytes[2 * i + 1] << 8, i);
    return 0;
}

/* --- in --- */

/* The document with `block` (taken over; NULL: out of memory) as palette `i`. */
static struct anm_doc *with_clut(const struct psx_doc *old, uint32_t i, struct psx_block *block, struct anm_error *err)
{
    ANM_AUTO(psx_clean) struct psx_doc *doc = block ? psx_copy(old, 0, 0) : NULL;
    if (doc) {
        psx_set_clut(doc, i, block);
        return psx_finish(old, &doc, err);
    }
    psx_block_unref(block);
    anm_fail_nomem(err);
    return NULL;
}

/* What a place text asks for. */
struct place {
    uint32_t x, y, w, h, bnum;
    bool has_h, has_bnum;
    uint32_t line; /* of the text */
    struct anm_buf rest;
};

static void place_free(struct place *place)
{
    anm_buf_free(&place->rest);
}

static int read_extra(struct anm_lines *lines, uint32_t i, struct place *place)
{
    if (anm_lines_is(lines, i, "h") && !place->has_h) {
        place->has_h = true;
        return anm_lines_u32(lines, i + 1, "the height", UINT16_MAX, &place->h);
    }
    if (anm_lines_is(lines, i, "bnum") && !place->has_bnum) {
        place->has_bnum = true;
        return anm_lines_u32(lines, i + 1, "bnum", UINT32_MAX, &place->bnum);
    }
    if (anm_lines_is(lines, i, "rest") && place->rest.size == 0)
        return i + 1 < lines->count ? anm_lines_hex(lines, i + 1, &place->rest)
                                    : anm_lines_expect(lines, i + 1, "rest and its bytes in hex");
    return anm_lines_fail(lines, i, "expected: X Y W [h N] [bnum N] [rest HEX]");
}

static int read_place(struct anm_lines *lines, struct place *place)
{
    int more = anm_lines_next(lines);
    if (more <= 0)
        return more < 0 ? -1 : anm_fail_line(lines->err, 1, 1, "expected: X Y W");
    place->line = lines->line;
    if (anm_lines_u32(lines, 0, "x", UINT16_MAX, &place->x) || anm_lines_u32(lines, 1, "y", UINT16_MAX, &place->y) ||
        anm_lines_u32(lines, 2, "the width", UINT16_MAX, &place->w))
        return -1;
    for (uint32_t i = 3; i < lines->count; i += 2)
        if (read_extra(lines, i, place))
            return -1;
    more = anm_lines_next(lines);
    return more == 1 ? anm_lines_expect(lines, 0, "one line") : more;
}

/* The height that colours and width give, unless the text says another. */
static int settle_height(struct place *place, uint32_t colors, struct anm_error *err)
{
    if (place->has_h)
        return 0;
    if (colors && (place->w == 0 || colors % place->w))
        return anm_fail_line(err, place->line, 1, "%u colours are no multiple of the width %u", colors, place->w);
    place->h = colors ? colors / place->w : 0;
    return place->h > UINT16_MAX ? anm_fail(err, ANM_LIMIT, "%u rows of colours", place->h) : 0;
}

struct anm_doc *psx_write_place(const struct anm_doc *anm, const struct anm_ref *dir, const char *name,
                                const void *bytes, size_t size, struct anm_error *err)
{
    (void)name;
    const struct psx_block *old = block_of(anm, dir);
    uint32_t colors = psx_colors(old);
    struct anm_lines lines;
    ANM_AUTO(place_free) struct place place = {0};
    ANM_AUTO(anm_buf_free) struct anm_buf data = {0};
    anm_lines_start(&lines, bytes, size, err);
    if (read_place(&lines, &place) || settle_height(&place, colors, err))
        return NULL;
    anm_buf_put(&data, old->data->bytes, 2 * (size_t)colors);
    anm_buf_put(&data, place.rest.data, place.rest.size);
    struct psx_block *block = data.failed || place.rest.failed ? NULL : psx_block_new(old, data.data, data.size);
    if (block) {
        block->x = (uint16_t)place.x;
        block->y = (uint16_t)place.y;
        block->w = (uint16_t)place.w;
        block->h = (uint16_t)place.h;
        block->placed = true;
        if (place.has_bnum)
            block->bnum = place.bnum;
        bool more = (size_t)place.w * place.h > colors && (size_t)old->w * old->h <= colors;
        if (psx_colors(block) != colors || more) {
            psx_block_unref(block);
            anm_fail_line(err, place.line, 1, "the palette has %u colours: that width and height do not fit", colors);
            return NULL;
        }
    }
    return with_clut(psx_const(anm), dir->id[0], block, err);
}

struct anm_doc *psx_remove_place(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_error *err)
{
    if (psx_is(psx_const(anm), &anm_tim)) {
        anm_fail(err, ANM_DENIED, "the palette of an image cannot go");
        return NULL;
    }
    /* What follows the colours is told by `place` alone, and goes with it. */
    const struct psx_block *old = block_of(anm, ref);
    struct psx_block *block = psx_block_new(old, old->data->bytes, 2 * (size_t)psx_colors(old));
    if (block) {
        block->x = block->y = 0;
        block->placed = false;
    }
    return with_clut(psx_const(anm), ref->id[0], block, err);
}

/* Whether a colour's name ends in the word stp; a name may have more words than a line keeps. */
static bool has_stp(struct anm_lines *lines)
{
    struct anm_token last = lines->tokens[lines->count - 1];
    bool named = lines->count > 3;
    while (anm_lines_more(lines, &last))
        continue;
    return named && last.size == 3 && memcmp(last.text, "stp", 3) == 0;
}

static int read_color(struct anm_lines *lines, struct anm_buf *out)
{
    unsigned color = 0;
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t value;
        if (anm_lines_u32(lines, i, i == 0 ? "red" : i == 1 ? "green" : "blue", 255, &value))
            return -1;
        color |= value >> 3 << 5 * i;
    }
    if (has_stp(lines))
        color |= STP;
    anm_buf_u16le(out, (uint16_t)color);
    return out->failed ? anm_fail_nomem(lines->err) : 0;
}

/* The lines of a palette's head. */
static bool is_head(const struct anm_lines *lines)
{
    return anm_lines_is(lines, 0, "Name:") || anm_lines_is(lines, 0, "Columns:");
}

static int read_colors(const void *bytes, size_t size, struct anm_buf *out, struct anm_error *err)
{
    struct anm_lines lines;
    anm_lines_start(&lines, bytes, size, err);
    int more = anm_lines_next(&lines);
    if (more < 0)
        return -1;
    if (more == 0 || !anm_lines_is(&lines, 0, "GIMP") || !anm_lines_is(&lines, 1, "Palette"))
        return anm_fail_line(err, more ? lines.line : 1, 1, "expected the first line of a palette: GIMP Palette");
    while ((more = anm_lines_next(&lines)) == 1)
        if (!(out->size == 0 && is_head(&lines)) && read_color(&lines, out))
            return -1;
    return more;
}

/* A new palette is 16 wide, as the editor's are, where that is possible. */
static int fit(struct psx_block *block, size_t colors, struct anm_error *err)
{
    if (block->w == 0)
        block->w = (uint16_t)(colors % 16 == 0 || colors > UINT16_MAX ? 16 : colors);
    if (colors % block->w)
        return anm_fail(err, ANM_TEXT, "%zu colours are no multiple of the width %u (in `place`)", colors,
                        (unsigned)block->w);
    if (colors / block->w > UINT16_MAX)
        return anm_fail(err, ANM_LIMIT, "%zu colours are more than %u rows", colors, UINT16_MAX);
    block->h = (uint16_t)(colors / block->w);
    return 0;
}

struct anm_doc *psx_write_colors(const struct anm_doc *anm, const struct anm_ref *dir, const char *name,
                                 const void *bytes, size_t size, struct anm_error *err)
{
    (void)name;
    const struct psx_block *old = block_of(anm, dir);
    ANM_AUTO(anm_buf_free) struct anm_buf data = {0};
    if (read_colors(bytes, size, &data, err))
        return NULL;
    size_t count = psx_colors(old), colors = data.size / 2;
    anm_buf_put(&data, old->data->bytes + 2 * count, old->data->size - 2 * count);
    struct psx_block *block = data.failed ? NULL : psx_block_new(old, data.data, data.size);
    if (block && colors == count) /* height and bnum stay, also where they are odd */
        block->bnum = old->bnum;
    else if (block && fit(block, colors, err)) {
        psx_block_unref(block);
        return NULL;
    }
    return with_clut(psx_const(anm), dir->id[0], block, err);
}

struct anm_doc *psx_remove_colors(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_error *err)
{
    if (psx_is(psx_const(anm), &anm_tim)) {
        anm_fail(err, ANM_DENIED, "the palette of an image cannot go");
        return NULL;
    }
    struct psx_block *block = psx_block_new(block_of(anm, ref), "", 0);
    if (block)
        block->h = 0;
    return with_clut(psx_const(anm), ref->id[0], block, err);
}

/* --- raw twins --- */

int psx_render_clut_raw(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_buf *out,
                        struct anm_error *err)
{
    (void)err;
    psx_put_block(out, block_of(anm, ref));
    return 0;
}

struct anm_doc *psx_write_clut_raw(const struct anm_doc *anm, const struct anm_ref *dir, const char *name,
                                   const void *bytes, size_t size, struct anm_error *err)
{
    (void)dir;
    uint32_t i;
    if (psx_parse_number(name, 2, ".bin", &i, err))
        return NULL;
    if (i >= psx_const(anm)->clut_count) {
        anm_fail(err, ANM_DENIED, "there is no palette %s: mkdir clut/%02u makes one", name, i);
        return NULL;
    }
    struct psx_block *block = psx_get_block(bytes, size, err);
    return block ? with_clut(psx_const(anm), i, block, err) : NULL;
}

int tim_render_pixels(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_buf *out, struct anm_error *err)
{
    (void)err;
    const struct psx_block *pixels = psx_const(anm)->images[ref->id[0]].pixels;
    anm_buf_put(out, pixels->data->bytes, pixels->data->size);
    return 0;
}

int tim_find_pixels(const struct psx_doc *doc, const char *name, uint32_t *image, struct anm_error *err)
{
    for (*image = 0; *image < doc->image_count; ++*image) {
        ANM_AUTO(anm_buf_free) struct anm_buf known = {0};
        tim_put_pixels_name(&known, *image);
        const char *text = anm_buf_cstr(&known);
        if (!text)
            return anm_fail_nomem(err);
        if (strcmp(text, name) == 0 && doc->images[*image].pixels)
            return 0;
    }
    return anm_fail(err, ANM_NOENT, "there is no %s", name);
}

struct anm_doc *tim_write_pixels(const struct anm_doc *anm, const struct anm_ref *dir, const char *name,
                                 const void *bytes, size_t size, struct anm_error *err)
{
    (void)dir;
    const struct psx_doc *old = psx_const(anm);
    uint32_t image;
    if (tim_find_pixels(old, name, &image, err))
        return NULL;
    const struct psx_block *pixels = old->images[image].pixels;
    size_t row = 2 * (size_t)pixels->w;
    bool same = size == pixels->data->size;
    if (!same && (row == 0 || size % row || size / row > UINT16_MAX)) {
        anm_fail(err, ANM_TEXT, "%zu bytes, expected rows of %zu bytes (%u half-words)", size, row,
                 (unsigned)pixels->w);
        return NULL;
    }
    ANM_AUTO(psx_clean) struct psx_doc *doc = psx_copy(old, 0, 0);
    struct psx_block *block = doc ? psx_block_new(pixels, bytes, size) : NULL;
    if (!block) {
        anm_fail_nomem(err);
        return NULL;
    }
    if (same)
        block->bnum = pixels->bnum;
    else
        block->h = (uint16_t)(size / row);
    psx_set_pixels(doc, image, block);
    return psx_finish(old, &doc, err);
}
