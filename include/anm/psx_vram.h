/* SPDX-License-Identifier: MIT */
/* The video memory of the console: 1024 by 512 half-words, into which images and palettes are loaded and from which sprites take
 * their texels (formats: PSX 1.9). */
#ifndef ANM_PSX_VRAM_H
#define ANM_PSX_VRAM_H

#include "anm/given.h"
#include "anm/psx_fields.h"

enum { PSX_VRAM_W = 1024, PSX_VRAM_H = 512 };

/* A rectangle of half-words; it may reach past the right edge, where it goes on at the left. */
struct psx_area {
    unsigned x, y, w, h;
};

/* The half-words a sprite's texels lie in, and those of its palette (w is 0 for a sprite without one). A sprite that runs over the
 * edge of its texture page takes all of the page's width or height. */
struct psx_area psx_texels(const struct psx_sprite *sprite);
struct psx_area psx_palette(const struct psx_sprite *sprite);
/* The sprite's size in pixels. */
void psx_sprite_size(const struct psx_sprite *sprite, uint32_t *w, uint32_t *h);
/* Whether a block shares a half-word with an area. */
bool psx_touches(const struct psx_block *block, const struct psx_area *area);

struct psx_vram {
    uint16_t words[PSX_VRAM_H][PSX_VRAM_W];
    uint8_t loaded[PSX_VRAM_H][PSX_VRAM_W / 8]; /* bit per half-word: something is there */
};

/* The memory after all images of `given` were loaded, in their order; NULL when out of memory. Free it. */
struct psx_vram *psx_vram_new(const struct anm_given *given);

/* The colour of texel (i, j) of a sprite. False when there is nothing loaded at the texel, or at its entry of the palette. */
bool psx_texel(const struct psx_vram *vram, const struct psx_sprite *sprite, uint32_t i, uint32_t j, uint16_t *color);

#endif
