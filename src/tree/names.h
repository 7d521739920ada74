/* SPDX-License-Identifier: MIT */
/* Named things of a document (bones, groups, objects) by number and by name. Things of one name have ordinals. */
#ifndef ANM_TREE_NAMES_H
#define ANM_TREE_NAMES_H

#include "anm/buf.h"
#include "anm/error.h"

/* A thing: its raw name (borrowed) and the ordinal, from 1, among those of the same name. */
struct anm_named {
    const void *raw;
    size_t size;
    uint32_t ordinal;
};

struct anm_names {
    const char *what; /* "bone": for messages */
    uint32_t count;
    struct anm_named *at; /* by number */
    size_t *start;        /* where each escaped name starts in `text`; one more at the end */
    struct anm_buf text;  /* the escaped names, terminated by a NUL each */
    uint32_t *sorted;     /* numbers by raw name, then ordinal */
};

/* Room for `count` things; the caller fills at[]. 0, or -1 out of memory. */
int anm_names_start(struct anm_names *names, const char *what, uint32_t count);
/* With all of at[] set. anm_names_number() sets the ordinals first, by number. 0, or -1 out of memory. */
void anm_names_number(struct anm_names *names);
int anm_names_done(struct anm_names *names);
void anm_names_free(struct anm_names *names);

/* A thing's escaped name, terminated. */
const char *anm_names_text(const struct anm_names *names, uint32_t i, size_t *size);
/* Appends its name as a component of a path: cut when long. */
void anm_names_put_path(const struct anm_names *names, uint32_t i, struct anm_buf *out);
/* Finds by raw name and ordinal. */
bool anm_names_find(const struct anm_names *names, const void *raw, size_t size, uint32_t ordinal, uint32_t *i);
/* Finds by the component of a path: escaped, in its one spelling, cut when long. 0, or -1: ANM_NOENT with the nearest, ANM_NAME. */
int anm_names_find_path(const struct anm_names *names, const char *name, size_t size, uint32_t *i,
                        struct anm_error *err);
/* Reads the name of a thing that is to be made: raw bytes and ordinal, which follows one that is there. 0, or -1 with ANM_NAME. */
int anm_names_parse_new(const struct anm_names *names, const char *name, struct anm_buf *raw, uint32_t *ordinal,
                        struct anm_error *err);
/* The name nearest to one that is not there (case, then edit distance), or NULL. */
const char *anm_names_nearest(const struct anm_names *names, const char *text, size_t size);

#endif
