/* SPDX-License-Identifier: MIT */
/* What every document has in common, and the list of formats.
 *
 * A document is immutable: an edit makes a new one that shares what did not change. So nothing is ever half
 * applied, going back is keeping the old pointer, and what changed is found by comparing pointers. */
#ifndef ANM_DOC_H
#define ANM_DOC_H

#include "anm/buf.h"
#include "anm/error.h"

struct anm_format;
struct anm_given;

/* The head of every document; the first member of struct gem_doc and its like. */
struct anm_doc {
    const struct anm_format *format;
    unsigned refs;
};

/* A family of files. */
struct anm_format {
    const char *family;    /* "gem": also the first word of the `format` file */
    const char *suffix[2]; /* how names of its files end (".nif", matched in any case); NULL where it has fewer */
    /* True when `bytes` start like a file of this family (its magic; nothing more is checked). */
    bool (*sniff)(const uint8_t *bytes, size_t size);
    /* For families whose magic is weak, so that sniff looks at all of the file: whether the magic at least is there. May be
     * NULL. */
    bool (*resembles)(const uint8_t *bytes, size_t size);
    /* A new document from the whole file; NULL with `err` (offset, chunk and reason). */
    struct anm_doc *(*decode)(const uint8_t *bytes, size_t size, struct anm_error *err);
    /* Appends the file's bytes. Every document a call of this library returned can be encoded:
     * -1 only when out of memory. */
    int (*encode)(const struct anm_doc *doc, struct anm_buf *out, struct anm_error *err);
    /* Frees a document whose last reference went. */
    void (*destroy)(struct anm_doc *doc);
    /* About how many bytes of memory a document takes, with what later rings derive from it. NULL: next to none. */
    size_t (*memory)(const struct anm_doc *doc);
    /* The suffix of other files that may belong to one of this family (".tim", matched in any case), or NULL. */
    const char *beside;
    /* Whether such a file is of use to `doc`. */
    bool (*uses)(const struct anm_doc *doc, const struct anm_doc *other);
    /* A document that shares all of `doc` and has `given` (reference taken) at hand; edits of it have it too. NULL when out of
     * memory. The function NULL: the family makes no use of anything given. */
    struct anm_doc *(*with)(const struct anm_doc *doc, const struct anm_given *given);
};

extern const struct anm_format anm_gem;  /* GEM engine, "EANM": gem.c */
extern const struct anm_format anm_niff; /* Nintendo 64 NIFF 1.0 and 2.0: niff.c */
extern const struct anm_format anm_psx;  /* PlayStation sprite animations, ID 0x21: psx.c */
extern const struct anm_format anm_tsq;  /* PlayStation sequences, ID 0x24: psx.c */
extern const struct anm_format anm_tim;  /* PlayStation images, ID 0x10: tim.c */

/* Decodes a file of any family, told apart by content. NULL with `err`: ANM_FOREIGN names the kind of
 * file where it is a known one (formats that share the suffix), ANM_FORMAT says what broke.
 * `force` limits it to one family by name, NULL for any. */
struct anm_doc *anm_doc_decode(const uint8_t *bytes, size_t size, const char *force, struct anm_error *err);

/* Whether a file of this name is an animation by its suffix; what it is, its content tells. */
bool anm_doc_named(const char *name);

/* Appends the file's bytes to `out`. Returns 0, or -1 with `err`. */
int anm_doc_encode(const struct anm_doc *doc, struct anm_buf *out, struct anm_error *err);

/* About how many bytes of memory the document takes, with what is derived from it and stays with it. */
size_t anm_doc_memory(const struct anm_doc *doc);

/* Takes a reference; drops one (NULL is fine); drops *doc, for ANM_AUTO. */
struct anm_doc *anm_doc_ref(const struct anm_doc *doc);
void anm_doc_unref(const struct anm_doc *doc);
void anm_doc_clean(struct anm_doc **doc);

#endif
