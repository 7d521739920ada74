/* SPDX-License-Identifier: MIT */
/* What the PlayStation codec's files share. */
#ifndef ANM_PSX_CODEC_H
#define ANM_PSX_CODEC_H

#include "anm/cursor.h"
#include "anm/psx.h"

#define PSX_BLOCK_HEAD 12 /* bnum, x, y, w, h */

void psx_destroy(struct anm_doc *anm);
size_t psx_memory(const struct anm_doc *anm);
struct anm_doc *psx_with(const struct anm_doc *anm, const struct anm_given *given);

bool psx_uses(const struct anm_doc *anm, const struct anm_doc *other);

/* The head of a block; what failed is in the cursor. */
struct psx_block psx_read_head(struct anm_cursor *c);
/* A block of that head with the next `size` bytes as its data. NULL with the cursor's error. */
struct psx_block *psx_read_data(struct anm_cursor *c, const struct psx_block *head, size_t size);

#endif
