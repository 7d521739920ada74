/* SPDX-License-Identifier: MIT */
/* The GEM engine document (EANM 3.0 to 6.1): what the file holds, nothing derived.
 * Floats are kept as their 32 bits, so that -0 and NaN payloads survive any compiler. */
#ifndef ANM_GEM_H
#define ANM_GEM_H

#include "anm/doc.h"

enum gem_kind { GEM_FRMN, GEM_FRM2, GEM_FRM3 }; /* the frame chunk; the tag decides, never the version */
enum gem_coding { GEM_STRING32, GEM_STRING8 };  /* bone names: u32 length, or one length byte */

/* Bits of a FRM2/FRM3 key's flag word; in a FRMN key they say which parts it has. */
enum {
    GEM_POSITION = 0x01,
    GEM_ORIENTATION = 0x02, /* FRMN: unused */
    GEM_MIRRORED = 0x04,    /* FRMN: unused */
    GEM_SHOW = 0x08,
    GEM_HIDE = 0x10,
    GEM_MESH = 0x20,
    GEM_SCALE = 0x40, /* FRMN: unused */
    GEM_KNOWN = 0x7f,
    /* FRMN only: never in a FRM2/FRM3 file's flag word. */
    GEM_MATRIX = 0x10000, /* a MATR part: rotation rows v[0..8], position v[9..11]; GEM_POSITION is not set */
    GEM_VISI = 0x20000,   /* a VISI part: its number is `visi` */
    GEM_JOINED = 0x40000  /* the parts stand in the previous key's BONE chunk (a repeated part starts a key) */
};

/* The order of a FRMN key's parts in the file: three 2-bit codes, first part lowest. 0 ends the list. */
enum { GEM_PART_MATR = 1, GEM_PART_VISI = 2, GEM_PART_MESH = 3 };
#define GEM_PARTS_USUAL (GEM_PART_MATR | GEM_PART_VISI << 2 | GEM_PART_MESH << 4) /* in order; absent parts skipped */

/* One key: the changes of one bone at one frame. */
struct gem_key {
    uint16_t bone;         /* index into the bone map */
    uint16_t ordinal;      /* 1 for the first key of this bone in this frame chunk; shown as ~2, ~3 … */
    uint32_t flags;        /* GEM_POSITION … ; low 16 bits are the file's flag word in FRM2/FRM3 */
    uint32_t v[12];        /* FRM2/3: position 0..2, orientation 3..5, scale 6..8. FRMN: rows 0..8, position 9..11 */
    uint32_t visi;         /* FRMN VISI number, 0 … 0x7fffffff */
    uint8_t parts;         /* FRMN: order of the parts; codes of absent parts mean nothing; 0 in FRM2/3 */
    struct anm_blob *mesh; /* with GEM_MESH; owned reference, else NULL */
};

/* One frame chunk. Immutable once in a document; shared between documents. */
struct gem_frame {
    unsigned refs;
    uint32_t number;
    uint16_t ordinal; /* 1 for the first chunk of this number; shown as 042~2 … ; stable until loaded again */
    uint8_t kind;     /* enum gem_kind */
    uint32_t count;   /* keys */
    struct gem_key keys[];
};

/* One bone of the map. */
struct gem_bone {
    struct anm_blob *name; /* raw bytes as in the file; owned reference */
    uint16_t ordinal;      /* 1 for the first bone of this name; shown as NAME~2 */
};

/* The bone map. Immutable, shared. */
struct gem_bonemap {
    unsigned refs;
    uint32_t count;
    struct gem_bone bones[];
};

/* Order of the header chunks after the version word, one letter each: F = FRMS, C = CMNT, B = BMAP. */
#define GEM_LAYOUT_MAX 16

struct gem_doc {
    struct anm_doc doc;
    uint32_t version;                /* as in the file: major in the high half */
    uint32_t length;                 /* FRMS */
    uint8_t kind;                    /* enum gem_kind of new frames: that of the first frame, or fit for the version */
    uint8_t coding;                  /* enum gem_coding */
    bool guessed;                    /* a string8 name of 128 bytes or more: its coding is a guess, so no edits */
    char layout[GEM_LAYOUT_MAX + 1]; /* "FCB" with a comment, "FB" without, is usual */
    uint32_t comment_count;          /* CMNT chunks, usually 0 or 1 */
    struct anm_blob **comments;
    struct gem_bonemap *bones;
    uint32_t frame_count;
    struct gem_frame **frames; /* in the file's order; owned references */
    void *cache;               /* whatever a later ring derives from this document; never copied */
    void (*cache_free)(void *cache);
};

/* The container of a document's head. */
static inline const struct gem_doc *gem_const(const struct anm_doc *doc)
{
    return (const struct gem_doc *)(const void *)doc;
}

/* --- building documents (for edits): everything below returns NULL when out of memory --- */

/* A shallow copy with one reference that shares bones, frames and comments; the caller replaces what changes
 * before anyone else sees it. */
struct gem_doc *gem_copy(const struct gem_doc *doc);
/* An empty document: no bones, no frames, length 0. */
struct gem_doc *gem_new(uint32_t version, enum gem_kind kind);

/* A frame with room for `count` zeroed keys and one reference. */
struct gem_frame *gem_frame_new(uint32_t number, uint16_t ordinal, enum gem_kind kind, uint32_t count);
/* A copy of `frame` with one reference, its keys' meshes shared. */
struct gem_frame *gem_frame_copy(const struct gem_frame *frame);
struct gem_frame *gem_frame_ref(struct gem_frame *frame);
void gem_frame_unref(struct gem_frame *frame); /* NULL is fine */

/* A bone map with room for `count` zeroed bones. */
struct gem_bonemap *gem_bonemap_new(uint32_t count);
struct gem_bonemap *gem_bonemap_ref(struct gem_bonemap *map);
void gem_bonemap_unref(struct gem_bonemap *map); /* NULL is fine */

/* Number equal keys of a bone within a frame, equal frame numbers, equal names 1, 2, 3 … in file order, as a load does.
 * What repeats more often stays at 65,535. The latter two return -1 when out of memory. */
void gem_frame_number_keys(struct gem_frame *frame);
int gem_number_frames(struct gem_frame **frames, uint32_t count);
int gem_number_bones(struct gem_bonemap *map);

/* Indices of the document's frames by number, equal numbers in the file's order; NULL when out of memory. Free it. */
uint32_t *gem_time_order(const struct gem_doc *doc);

/* Bit for bit the same key (mesh by content). `bone` and `ordinal` count too. */
bool gem_key_equal(const struct gem_key *a, const struct gem_key *b);

/* The highest frame number, or -1 without frames. */
int64_t gem_last(const struct gem_doc *doc);

/* 0, or -1 with ANM_DENIED for a document that can be read but not changed: any other bytes around a name whose coding is
 * a guess may be read back as something else. */
int gem_editable(const struct gem_doc *doc, struct anm_error *err);

/* Checks what the file format limits: FRM2 frame numbers to 65,535, FRM3's to the width of length-1, keys in a
 * FRM2/FRM3 frame to 255, bones to 255 when any frame is FRM2/FRM3, string8 names to 127 bytes, comments to 65,535.
 * What `before` (may be NULL) exceeded already is let through: a document as loaded may do what no edit may add.
 * 0, or -1 with ANM_LIMIT and the number that broke it. */
int gem_check_limits(const struct gem_doc *doc, const struct gem_doc *before, struct anm_error *err);

/* The file does not say how its bone names are coded; a reader guesses from them and from what stands behind them. Checks
 * that it guesses right. 0, or -1 with ANM_LIMIT, or out of memory. */
int gem_check_names(const struct gem_doc *doc, struct anm_error *err);

/* --- conversion (formats: GEM 1.8, 1.9, 1.11, 7) --- */

/* What a version may hold: true when `kind` frames are known to readers of `version` (3.0-5.0 FRMN; 6.0 also FRM2; 6.1 all). */
bool gem_version_has(uint32_t version, enum gem_kind kind);

/* Converts every frame of `doc` to `kind` and sets the version word. Same kind, and FRM2 <-> FRM3: exact.
 * FRMN <-> FRM2/3: matrices to quaternions and back; the first and last frame get every keyed bone whole, from held
 * values (before a bone's first key: that key's value); a matrix that needs what the key lacks takes the held value.
 * Unless `lossy`, anything that would not come back bit for bit is refused: ANM_LOSS, one line a kind of loss with counts
 * and the largest deviation. Limits of the target, and a version without such frames, are ANM_LIMIT; what is not
 * gem_editable() is ANM_DENIED. Returns a new document, or NULL with `err`. */
struct gem_doc *gem_convert(const struct gem_doc *doc, uint32_t version, enum gem_kind kind, bool lossy,
                            struct anm_error *err);

/* Rows of the matrix of a stored orientation (x y z, w = +sqrt(max(0, 1-xx-yy-zz))), third row negated when `mirrored`. */
void gem_rows_from_orientation(const double xyz[3], bool mirrored, double rows[9]);
/* The inverse for orthonormal rows: a negative determinant sets *mirrored. Result has w >= 0. */
void gem_orientation_from_rows(const double rows[9], double xyz[3], bool *mirrored);

#endif
