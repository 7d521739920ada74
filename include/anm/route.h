/* SPDX-License-Identifier: MIT */
/* The routing table: one row a kind of node. A format's table IS its tree; nothing else knows the shape. */
#ifndef ANM_ROUTE_H
#define ANM_ROUTE_H

#include "anm/tree.h"

/* A family of names in one directory: the frames, the bones, the meshes of a frame. */
struct anm_set {
    /* How many there are below `dir`, in listing order. */
    uint32_t (*count)(const struct anm_doc *doc, const struct anm_ref *dir);
    /* Sets child->id for number `i`; child comes with dir's ids. */
    void (*at)(const struct anm_doc *doc, const struct anm_ref *dir, uint32_t i, struct anm_ref *child);
    /* Appends the path component of a child. */
    void (*name)(const struct anm_doc *doc, const struct anm_ref *child, struct anm_buf *out);
    /* Finds by path component, setting child->id. 0, or -1: ANM_NOENT, or ANM_NAME with a hint. */
    int (*find)(const struct anm_doc *doc, const struct anm_ref *dir, const char *name, struct anm_ref *child,
                struct anm_error *err);
};

enum {
    ANM_ROUTE_HIDDEN = 1,   /* there by name, in no listing */
    ANM_ROUTE_VOLATILE = 2, /* derived: never cached */
    ANM_ROUTE_RAW = 4,      /* listed with -o raw */
    ANM_ROUTE_PREVIEW = 8   /* listed with -o preview */
};

/* One row. `pattern` is the path; a component in capitals (FRAME, BONE, MESH) stands for the members of `set`.
 * The pattern of row `in` is its own without the last component. Rows of one directory stand in listing order. A function that is NULL means the operation is refused (ANM_DENIED). All return a new document or NULL. */
struct anm_route {
    const char *pattern;
    /* In the text of a whole file (anm/dump.h): what a line of it starts with, components of a path in capitals following. NULL: no part
     * of that text, as it says nothing that other rows do not. */
    const char *word;
    uint8_t in; /* the number of its directory's row; the root is row 0 */
    enum anm_kind kind;
    unsigned flags;
    const struct anm_set *set;
    /* NULL: always there. */
    bool (*exists)(const struct anm_doc *doc, const struct anm_ref *ref);
    int (*render)(const struct anm_doc *doc, const struct anm_ref *ref, struct anm_buf *out, struct anm_error *err);
    /* Exact comparison, quick where parts are shared; NULL: render (or list) both and compare. */
    bool (*same)(const struct anm_doc *a, const struct anm_ref *ra, const struct anm_doc *b, const struct anm_ref *rb);
    /* Quick check of a directory: nothing below it differs. NULL: not known. */
    bool (*unchanged)(const struct anm_doc *a, const struct anm_ref *ra, const struct anm_doc *b,
                      const struct anm_ref *rb);
    /* New content for the file `name` in `dir` (makes it when it is not there and could be). */
    struct anm_doc *(*write)(const struct anm_doc *doc, const struct anm_ref *dir, const char *name, const void *bytes,
                             size_t size, struct anm_error *err);
    /* Could `name` be made in `dir`? 0 or -1 with the hint. NULL: only what exists() denies can. */
    int (*can_make)(const struct anm_doc *doc, const struct anm_ref *dir, const char *name, struct anm_error *err);
    struct anm_doc *(*mkdir)(const struct anm_doc *doc, const struct anm_ref *dir, const char *name,
                             struct anm_error *err);
    struct anm_doc *(*remove)(const struct anm_doc *doc, const struct anm_ref *ref, struct anm_error *err);
    struct anm_doc *(*rename)(const struct anm_doc *doc, const struct anm_ref *ref, const char *name,
                              struct anm_error *err);
};

/* A format's table. */
struct anm_routes {
    const struct anm_format *format;
    const struct anm_route *rows;
    uint32_t count;
    /* A document of this family without anything in it, as this content of `format` has it. NULL: there is no such thing. */
    struct anm_doc *(*blank)(const void *bytes, size_t size, struct anm_error *err);
    /* The angle between two values of a channel that is an orientation, in degrees; -1 for any other. NULL: there are none. */
    double (*turned)(const char *channel, size_t size, const double *a, const double *b, size_t count);
};

/* The table of a document's family, and of one by the first word of its `format`; NULL when there is none. */
const struct anm_routes *anm_routes_of(const struct anm_doc *doc);
const struct anm_routes *anm_routes_named(const char *family, size_t size);

/* Renders both files and compares: for `same` where the parts alone do not tell. */
bool anm_same_content(const struct anm_doc *a, const struct anm_ref *ra, const struct anm_doc *b,
                      const struct anm_ref *rb);

extern const struct anm_routes note_routes;                        /* src/tree/note.c */
extern const struct anm_routes gem_routes;                         /* src/tree/gem.c */
extern const struct anm_routes niff_routes;                        /* src/tree/niff.c */
extern const struct anm_routes psx_routes, tsq_routes, tim_routes; /* src/tree/psx.c */

#endif
