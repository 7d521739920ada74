/* SPDX-License-Identifier: MIT */
/* An animation taken apart into files of its tree that together make the same bytes again: what dumps and unpacked folders hold. */
#ifndef ANM_PARTS_H
#define ANM_PARTS_H

#include "anm/tree.h"

/* Where a family has no file without anything in it (a NIFF, a TIM), or where the texts alone do not make the same bytes: a file
 * of the family that the other parts are written to. */
#define ANM_PART_BASE "base.bin"

/* Where a line of a part stood in what it was read from; 1-based. */
struct anm_origin {
    uint32_t line, column; /* of the part's own first column */
};

/* One file, or one directory that has none. */
struct anm_part {
    char *path; /* in the tree, or ANM_PART_BASE */
    bool directory;
    const struct anm_route *route; /* of the file in the tree; NULL where it was not made by anm_parts_of() */
    struct anm_buf bytes;
    struct anm_buf
        origins; /* of struct anm_origin, one a line of `bytes` (or a piece, where they are no lines); none: not known */
};

/* Zero-initialised: none. */
struct anm_parts {
    struct anm_part *at;
    size_t count, room;
};

/* Adds a part without bytes. Returns it, valid until the next is added; NULL with `err` when out of memory. */
struct anm_part *anm_parts_add(struct anm_parts *parts, const char *path, size_t size, bool directory,
                               struct anm_error *err);
/* Frees them all. For ANM_AUTO. */
void anm_parts_free(struct anm_parts *parts);

/* The parts of a document, keys in the one part "keys"; anm_parts_build() makes the same bytes of them. 0, or -1 with `err`. */
int anm_parts_of(const struct anm_doc *doc, struct anm_parts *parts, struct anm_error *err);

/* The document that the parts make, in whatever order they are given. NULL with `err`, about a line of *bad where that is not NULL. */
struct anm_doc *anm_parts_build(const struct anm_parts *parts, const struct anm_part **bad, struct anm_error *err);

#endif
