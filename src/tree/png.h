/* SPDX-License-Identifier: MIT */
/* Pictures as PNG, and as APNG where they move. The bytes depend on the picture alone. */
#ifndef ANM_TREE_PNG_H
#define ANM_TREE_PNG_H

#include "anm/buf.h"
#include "anm/error.h"

/* Where a picture lies, and how large it is. */
struct anm_frame_box {
    int32_t x, y; /* of its left upper corner: kept in the file (oFFs) when not 0,0 */
    uint32_t w, h;
};

/* What draws the pictures of an animation, one after another. */
struct anm_movie {
    struct anm_frame_box box;
    uint32_t count;
    unsigned fps;
    /* Fills w * h pixels of R, G, B, A with picture `i` and says how many display frames it stays. 0 or -1. */
    int (*draw)(const struct anm_movie *movie, uint32_t i, uint8_t *rgba, uint16_t *time, struct anm_error *err);
    const void *arg;
};

/* Appends a PNG of the box with these pixels of R, G, B, A. 0, or -1 out of memory. */
int anm_png_put(struct anm_buf *out, const struct anm_frame_box *box, const uint8_t *rgba, struct anm_error *err);
/* Appends an APNG that plays without end; of one picture a still one. 0 or -1. */
int anm_png_put_movie(struct anm_buf *out, const struct anm_movie *movie, struct anm_error *err);

#endif
