/* SPDX-License-Identifier: MIT */
/* What differs between two animations, by meaning: keys by frame, bone and channel, other texts by lines, bytes as a whole. */
#ifndef ANM_COMPARE_H
#define ANM_COMPARE_H

#include "anm/tree.h"

enum anm_change {
    ANM_ADDED,
    ANM_REMOVED,
    ANM_CHANGED,
    ANM_RENAMED /* a bone: another name, and half of the keys or more as before; before and after are the names */
};

struct anm_difference {
    enum anm_change change;
    const char *path; /* of the file in the tree: "keys" for all keys, "header", "frames/012/gun.mesh" … */
    /* The line before and after, without its end; NULL where there is none, both NULL for bytes and directories. */
    const char *before, *after;
    size_t before_size, after_size;
    bool measured;    /* a key whose values are numbers on both sides: */
    double deviation; /* the largest difference of two; of an orientation the angle between both, in degrees */
    bool turned;      /* that it is an angle */
};

/* Calls `each` for each difference, in the order of the tree, keys by frame. Not 0 from `each` ends it. Returns that, 0, or -1 with
 * `err` when out of memory. */
int anm_compare(const struct anm_doc *a, const struct anm_doc *b,
                int (*each)(void *arg, const struct anm_difference *difference), void *arg, struct anm_error *err);

#endif
