/* SPDX-License-Identifier: MIT */
/* Sprites as pictures (formats: PSX 2). */
#ifndef ANM_PSX_DRAW_H
#define ANM_PSX_DRAW_H

#include "anm/psx_vram.h"
#include "png.h"

#define PSX_CANVAS_MAX 2048 /* pixels on a side; a larger picture is cut on the right and at the bottom */
#define PSX_DRAWN 0x8000u   /* bit 15 of a canvas pixel: something was drawn there */

/* A rectangle of pixels, half open; x1 <= x0 is empty. */
struct psx_box {
    int32_t x0, y0, x1, y1;
};

/* A picture being drawn: 15-bit colours and PSX_DRAWN. */
struct psx_canvas {
    struct anm_frame_box box;
    uint16_t *pixels;
    uint64_t
        work; /* pixels of sprites that may still be drawn: so many of a hostile file that it would take minutes are not */
};

/* Widens `box` by where a group lands with its hot spot at x, y. */
void psx_extend(struct psx_box *box, const struct psx_group *group, int32_t x, int32_t y);
/* The box as that of a picture: cut, and never empty. */
struct anm_frame_box psx_picture_box(const struct psx_box *box);
/* Draws a group of a document of this version onto the canvas. */
void psx_draw(struct psx_canvas *canvas, const struct psx_vram *vram, unsigned version, const struct psx_group *group,
              int32_t x, int32_t y);
/* The canvas as R, G, B, A. */
void psx_to_rgba(const struct psx_canvas *canvas, uint8_t *rgba);
/* A colour of 15 bits as R, G, B and full A. */
void psx_put_color(uint8_t *rgba, uint16_t color);

#endif
