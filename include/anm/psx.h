/* SPDX-License-Identifier: MIT */
/* The documents of the PlayStation sprite editor: what the file holds, nothing derived. Three formats share one structure,
 * since they share their parts:
 *
 *   anm_psx "psx"  ANM, ID 0x21, version 0 to 3: sprite groups, a sequence, palettes
 *   anm_tsq "tsq"  TSQ, ID 0x24, version 0 or 1: a sequence
 *   anm_tim "tim"  TIM, ID 0x10: images with their palettes, one or more in a file
 *
 * Groups, sequences and blocks are immutable once in a document, and shared between documents. */
#ifndef ANM_PSX_H
#define ANM_PSX_H

#include "anm/doc.h"

#define PSX_ID_ANM 0x21
#define PSX_ID_TSQ 0x24
#define PSX_ID_TIM 0x10

#define PSX_CLUTS_MAX 15     /* CLT is four bits */
#define PSX_COUNT_MAX 0xffff /* groups, entries of a sequence: u16 in the file */

/* A sprite: the five words of the file (psx 1.4), each as read little-endian. psx_fields.h names their bits. */
struct psx_sprite {
    uint32_t w[5]; /* w[2], W and H, is not in the file when THW is not 0 and the layout is compact; it is 0 then */
};

struct psx_group {
    unsigned refs;
    uint32_t count;
    struct psx_sprite sprites[]; /* in drawing order, rearmost first */
};

/* A sequence entry: two words (psx 1.3). */
struct psx_entry {
    uint32_t w[2];
};

struct psx_sequence {
    unsigned refs;
    uint32_t count;
    struct psx_entry entries[];
};

/* A rectangle of VRAM half-words: a CLUT or the pixels of an image (psx 1.5, 1.8). */
struct psx_block {
    unsigned refs;
    uint32_t bnum;       /* as stored; usually 12 + data->size */
    uint16_t x, y, w, h; /* in half-words and rows, as stored */
    bool placed;         /* false: made by mkdir, and no `place` was written yet; a loaded block is placed */
    struct anm_blob
        *data; /* all bytes up to the next block: 2*w*h, unless bnum or the end of the file says otherwise */
};

/* One image of a TIM file. */
struct psx_image {
    uint32_t head;            /* the first word: ID, version, two bytes that are usually 0 */
    uint32_t flag;            /* the second: bits 0..2 PMODE, bit 3 has a CLUT block, the rest is kept */
    uint32_t clut;            /* which of the document's cluts, when flag has bit 3 */
    struct psx_block *pixels; /* owned reference; NULL where the file ends before a pixel block */
};

enum { PSX_PMODE = 7, PSX_HAS_CLUT = 8 };

struct psx_doc {
    struct anm_doc doc;
    uint8_t version; /* ANM 0..3, TSQ 0..1, TIM 0 */
    uint16_t flags;  /* ANM: bits 0..11 of header bytes 2..3 (TPF and reserved bits); CLT is clut_count */
    bool fixed;      /* ANM: sprites with THW have a W/H word too (psx 1.7) */
    uint32_t group_count;
    struct psx_group **groups;     /* owned references */
    struct psx_sequence *sequence; /* owned reference; never NULL in ANM and TSQ, NULL in TIM */
    uint32_t clut_count;
    struct psx_block **cluts; /* owned references */
    uint32_t image_count;
    struct psx_image *images;
    struct anm_blob *tail;         /* what follows the last part, or NULL; owned reference */
    const struct anm_given *given; /* what the user gave along (TIM files, the clock), or NULL; owned reference */
};

/* The container of a document's head. */
static inline const struct psx_doc *psx_const(const struct anm_doc *doc)
{
    return (const struct psx_doc *)(const void *)doc;
}

/* --- building documents (for edits): everything below returns NULL when out of memory --- */

/* A shallow copy with one reference. Its arrays (groups, cluts, images) are its own and have room for `groups` and `cluts`
 * more items, the items are shared: the caller replaces what changes before anyone else sees it. */
struct psx_doc *psx_copy(const struct psx_doc *doc, uint32_t groups, uint32_t cluts);
/* An empty document of one of the three formats: no groups, an empty sequence (not for TIM), no palettes. */
struct psx_doc *psx_new(const struct anm_format *format, uint8_t version);
/* Drops *doc, for ANM_AUTO. */
void psx_clean(struct psx_doc **doc);

/* Room for `count` zeroed items, one reference. */
struct psx_group *psx_group_new(uint32_t count);
struct psx_group *psx_group_ref(struct psx_group *group);
void psx_group_unref(struct psx_group *group); /* NULL is fine */
struct psx_sequence *psx_sequence_new(uint32_t count);
struct psx_sequence *psx_sequence_ref(struct psx_sequence *sequence);
void psx_sequence_unref(struct psx_sequence *sequence); /* NULL is fine */

/* A block like `like` (NULL: all zero) with other data (copied) and the bnum that fits it; and one with the same data,
 * shared, for another place. */
struct psx_block *psx_block_new(const struct psx_block *like, const void *data, size_t size);
struct psx_block *psx_block_copy(const struct psx_block *block);
struct psx_block *psx_block_ref(struct psx_block *block);
void psx_block_unref(struct psx_block *block); /* NULL is fine */

/* Puts a part into a document under construction in place of the old one; takes over the new one. An equal one keeps the old
 * pointer, so that what did not change is shared. */
void psx_set_group(struct psx_doc *doc, uint32_t i, struct psx_group *group);
void psx_set_sequence(struct psx_doc *doc, struct psx_sequence *sequence);
void psx_set_clut(struct psx_doc *doc, uint32_t i, struct psx_block *block);
void psx_set_pixels(struct psx_doc *doc, uint32_t image, struct psx_block *block);

/* Bit for bit the same. */
bool psx_block_equal(const struct psx_block *a, const struct psx_block *b);
bool psx_doc_equal(const struct psx_doc *a, const struct psx_doc *b);

/* --- the raw twins: parts as bytes (raw/frames/NNN.bin and so on) --- */

/* Append a group (NSprite and sprites) in the document's layout; a sequence's entries; a block with its bnum and place. */
void psx_put_group(struct anm_buf *out, const struct psx_doc *doc, const struct psx_group *group);
void psx_put_sequence(struct anm_buf *out, const struct psx_sequence *sequence);
void psx_put_block(struct anm_buf *out, const struct psx_block *block);
/* Read them back: all `size` bytes must be used. NULL with `err` (offset in these bytes). */
struct psx_group *psx_get_group(const struct psx_doc *doc, const void *bytes, size_t size, struct anm_error *err);
struct psx_sequence *psx_get_sequence(const void *bytes, size_t size, struct anm_error *err);
struct psx_block *psx_get_block(const void *bytes, size_t size, struct anm_error *err);

#endif
