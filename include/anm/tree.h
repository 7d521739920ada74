/* SPDX-License-Identifier: MIT */
/* A document as a tree of virtual files. Reading goes by references, changing by paths.
 *
 * Paths are relative to the animation's own root, without a leading slash: "frames/010/keys"; "" is the root.
 * A change never touches the document given: it returns a new one (or the same, with a reference added, when the
 * change changes nothing), or NULL with `err` and nothing has happened. */
#ifndef ANM_TREE_H
#define ANM_TREE_H

#include "anm/doc.h"

struct anm_route;

enum anm_kind {
    ANM_DIR,
    ANM_FILE_TEXT, /* an empty text is never content */
    ANM_FILE_RAW,  /* raw bytes: empty is content */
    ANM_FILE_HOST  /* its content is the front end's: .anmfs/errors, .anmfs/status */
};

/* One node of one document. A value: owns nothing, valid only together with the document it came from. */
struct anm_ref {
    const struct anm_route *route;
    uint32_t id[2]; /* which frame, bone or mesh; meaning is the routing table's */
};

/* What the front end asks of a node's row. */
enum anm_kind anm_ref_kind(const struct anm_ref *ref);
bool anm_ref_writable(const struct anm_ref *ref);  /* its content can be written */
bool anm_ref_volatile(const struct anm_ref *ref);  /* below .anmfs: derived, never cached by the kernel */
bool anm_ref_removable(const struct anm_ref *ref); /* unlink or rmdir can mean something; else it is always there */
/* The row's place in its table: nodes of one directory are listed, and best copied, in this order. */
uint32_t anm_ref_rank(const struct anm_ref *ref);
/* The row's last path component as written in the table ("keys", "FRAME"): to tell host nodes apart. */
const char *anm_ref_label(const struct anm_ref *ref);

/* Classes of nodes for listings. */
enum { ANM_LIST_RAW = 1, ANM_LIST_PREVIEW = 2, ANM_LIST_HIDDEN = 4 /* what is there by name only */ };

/* A new document without anything in it: `format` is what its file of that name holds ("gem 6.0 frm2"). NULL with `err`. */
struct anm_doc *anm_tree_blank(const void *format, size_t size, struct anm_error *err);

/* Whether nothing is left below the directories of the tree: no frame, no bone … */
bool anm_tree_is_bare(const struct anm_doc *doc);

/* The angle between two values of a channel of keys, in degrees; below 0 when it is no orientation. */
double anm_tree_turned(const struct anm_doc *doc, const char *channel, size_t size, const double *a, const double *b,
                       size_t count);

/* The root of the tree. */
struct anm_ref anm_tree_root(const struct anm_doc *doc);

/* The child `name` (terminated) of a directory. 0, or -1: ANM_NOENT, or ANM_NAME when such a name can never be, with the hint. */
int anm_tree_lookup(const struct anm_doc *doc, const struct anm_ref *dir, const char *name, struct anm_ref *child,
                    struct anm_error *err);

/* The node at `path`. As anm_tree_lookup(). */
int anm_tree_find(const struct anm_doc *doc, const char *path, struct anm_ref *ref, struct anm_error *err);

/* The next child of a directory in listing order, from *cookie on (0 = the first). Appends its name to `name`.
 * `classes` adds classes to the ordinary ones. Returns 1 and moves *cookie past it, or 0 at the end. */
int anm_tree_next(const struct anm_doc *doc, const struct anm_ref *dir, unsigned classes, uint32_t *cookie,
                  struct anm_ref *child, struct anm_buf *name);

/* Appends a file's canonical content. 0, or -1 out of memory. Host files append nothing. */
int anm_tree_render(const struct anm_doc *doc, const struct anm_ref *ref, struct anm_buf *out, struct anm_error *err);

/* True when the two nodes have the same canonical content (files), or the same listing (directories). Cheap where two
 * documents share their parts. May answer false for equal content only when out of memory. */
bool anm_tree_same(const struct anm_doc *a, const struct anm_ref *ra, const struct anm_doc *b,
                   const struct anm_ref *rb);

/* True when nothing below the two directories differs, found without looking at each node; false when that is not known. */
bool anm_tree_unchanged(const struct anm_doc *a, const struct anm_ref *ra, const struct anm_doc *b,
                        const struct anm_ref *rb);

/* Whether a file (or directory) that is not there could be made under this path: 0, and of which kind it would be in *made
 * (its route alone; NULL: not wanted); or -1 with the reason: ANM_EXIST, ANM_NOENT (no such parent), ANM_NAME (with the hint),
 * ANM_DENIED. */
int anm_tree_can_make(const struct anm_doc *doc, const char *path, bool directory, struct anm_ref *made,
                      struct anm_error *err);

/* The document with a file's new content (the file is made where it can be). `err` has line:column in the text. A `format` of another
 * family makes a blank document of that one, where there is nothing to lose. */
struct anm_doc *anm_tree_write(const struct anm_doc *doc, const char *path, const void *bytes, size_t size,
                               struct anm_error *err);

/* The document with a new, empty frame, bone … */
struct anm_doc *anm_tree_mkdir(const struct anm_doc *doc, const char *path, struct anm_error *err);

/* The document without a file's data, or without an empty directory (ANM_NOTEMPTY otherwise, ANM_DENIED where it cannot go). */
struct anm_doc *anm_tree_remove(const struct anm_doc *doc, const char *path, struct anm_error *err);

/* The document with a node moved: a frame retimed, a bone renamed; a file's content written to `to` and removed at `from`.
 * An existing `to` is replaced when it is a file or an empty directory. */
struct anm_doc *anm_tree_rename(const struct anm_doc *doc, const char *from, const char *to, struct anm_error *err);

#endif
