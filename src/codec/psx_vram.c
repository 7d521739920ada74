/* SPDX-License-Identifier: MIT */
#include "anm/psx_vram.h"

#include "psx_codec.h"

#include <stdlib.h>

void psx_sprite_size(const struct psx_sprite *sprite, uint32_t *w, uint32_t *h)
{
    uint32_t side = 8 * (uint32_t)psx_sprite_get(sprite, PSX_THW);
    *w = side ? side : (uint32_t)psx_sprite_get(sprite, PSX_W);
    *h = side ? side : (uint32_t)psx_sprite_get(sprite, PSX_H);
}

/* Texels in a half-word: 4, 2 or 1. */
static unsigned texels_of(const struct psx_sprite *sprite)
{
    int32_t tpf = psx_sprite_get(sprite, PSX_TPF);
    return tpf == 0 ? 4 : tpf == 1 ? 2 : 1;
}

static unsigned page_x(const struct psx_sprite *sprite)
{
    return 64 * ((unsigned)psx_sprite_get(sprite, PSX_TPN) & 15);
}

static unsigned page_y(const struct psx_sprite *sprite)
{
    return 256 * ((unsigned)psx_sprite_get(sprite, PSX_TPN) >> 4);
}

struct psx_area psx_texels(const struct psx_sprite *sprite)
{
    unsigned u = (unsigned)psx_sprite_get(sprite, PSX_U), v = (unsigned)psx_sprite_get(sprite, PSX_V);
    unsigned per = texels_of(sprite);
    uint32_t w, h;
    psx_sprite_size(sprite, &w, &h);
    if (w == 0 || h == 0)
        return (struct psx_area){0, 0, 0, 0};
    if (u + w > 256) {
        u = 0;
        w = 256;
    }
    if (v + h > 256) {
        v = 0;
        h = 256;
    }
    return (struct psx_area){page_x(sprite) + u / per, page_y(sprite) + v, (u + w - 1) / per - u / per + 1, h};
}

struct psx_area psx_palette(const struct psx_sprite *sprite)
{
    unsigned per = texels_of(sprite);
    unsigned w = per == 4 ? 16 : per == 2 ? 256 : 0;
    return (struct psx_area){16 * (unsigned)psx_sprite_get(sprite, PSX_CLX), (unsigned)psx_sprite_get(sprite, PSX_CLY),
                             w, w ? 1 : 0};
}

/* Whether [a, a + size) and [b, b + other) meet on a ring. */
static bool meet(unsigned a, unsigned size, unsigned b, unsigned other, unsigned ring)
{
    unsigned apart = (b - a) & (ring - 1), back = (a - b) & (ring - 1);
    return size && other && (apart < size || back < other);
}

bool psx_touches(const struct psx_block *block, const struct psx_area *area)
{
    return meet(block->x, block->w, area->x, area->w, PSX_VRAM_W) &&
           meet(block->y, block->h, area->y, area->h, PSX_VRAM_H);
}

static bool is_loaded(const struct psx_vram *vram, unsigned x, unsigned y)
{
    return vram->loaded[y][x / 8] >> x % 8 & 1;
}

static void load_block(struct psx_vram *vram, const struct psx_block *block)
{
    size_t count = block->data->size / 2, room = (size_t)block->w * block->h;
    if (count > room)
        count = room;
    for (size_t i = 0; i < count; i++) {
        unsigned x = (unsigned)(block->x + i % block->w) & (PSX_VRAM_W - 1);
        unsigned y = (unsigned)(block->y + i / block->w) & (PSX_VRAM_H - 1);
        vram->words[y][x] = (uint16_t)(block->data->bytes[2 * i] | block->data->bytes[2 * i + 1] << 8);
        vram->loaded[y][x / 8] |= (uint8_t)(1u << x % 8);
    }
}

struct psx_vram *psx_vram_new(const struct anm_given *given)
{
    struct psx_vram *vram = anm_alloc(0, 1, sizeof *vram);
    for (uint32_t f = 0; vram && given && f < given->count; f++) {
        const struct psx_doc *tim = psx_const(given->files[f].doc);
        for (uint32_t i = 0; tim->doc.format == &anm_tim && i < tim->image_count; i++) {
            if (tim->images[i].flag & PSX_HAS_CLUT)
                load_block(vram, tim->cluts[tim->images[i].clut]);
            if (tim->images[i].pixels)
                load_block(vram, tim->images[i].pixels);
        }
    }
    return vram;
}

bool psx_texel(const struct psx_vram *vram, const struct psx_sprite *sprite, uint32_t i, uint32_t j, uint16_t *color)
{
    unsigned u = ((unsigned)psx_sprite_get(sprite, PSX_U) + i) & 255;
    unsigned v = ((unsigned)psx_sprite_get(sprite, PSX_V) + j) & 255;
    unsigned per = texels_of(sprite), bits = 16 / per;
    unsigned x = (page_x(sprite) + u / per) & (PSX_VRAM_W - 1), y = (page_y(sprite) + v) & (PSX_VRAM_H - 1);
    if (!is_loaded(vram, x, y))
        return false;
    *color = vram->words[y][x];
    if (per == 1)
        return true;
    unsigned index = ((unsigned)*color >> bits * (u % per)) & ((1u << bits) - 1);
    x = (16 * (unsigned)psx_sprite_get(sprite, PSX_CLX) + index) & (PSX_VRAM_W - 1);
    y = (unsigned)psx_sprite_get(sprite, PSX_CLY);
    *color = vram->words[y][x];
    return is_loaded(vram, x, y);
}

/* --- which images belong to an animation --- */

static bool serves(const struct psx_block *block, const struct psx_group *group)
{
    for (uint32_t i = 0; block && i < group->count; i++) {
        struct psx_area texels = psx_texels(&group->sprites[i]), palette = psx_palette(&group->sprites[i]);
        if (psx_touches(block, &texels) || psx_touches(block, &palette))
            return true;
    }
    return false;
}

bool psx_uses(const struct anm_doc *anm, const struct anm_doc *other)
{
    const struct psx_doc *doc = psx_const(anm), *tim = psx_const(other);
    bool used = false;
    for (uint32_t i = 0; other->format == &anm_tim && i < tim->image_count && !used; i++)
        for (uint32_t g = 0; g < doc->group_count && !used; g++)
            used = serves(tim->images[i].pixels, doc->groups[g]) ||
                   (tim->images[i].flag & PSX_HAS_CLUT && serves(tim->cluts[tim->images[i].clut], doc->groups[g]));
    return used;
}
