/* SPDX-License-Identifier: MIT */
/* What the user gives along with an animation: other files that belong to it, and how to show things. A document that was made
 * with it (anm_doc_with) renders by it. Filled by a front end, then immutable and shared. */
#ifndef ANM_GIVEN_H
#define ANM_GIVEN_H

#include "anm/doc.h"

#define ANM_GIVEN_MAX 256                     /* files kept at most */
#define ANM_GIVEN_BYTES (64u * 1024u * 1024u) /* of all of them together */

struct anm_given_file {
    char *name;                /* as the user knows it: its name, or the path given */
    const struct anm_doc *doc; /* owned reference */
};

struct anm_given {
    unsigned refs;
    unsigned fps;  /* pictures a second: 60 or 50 */
    bool degrees;  /* angles in degrees where the format has radians */
    bool left_off; /* there were more files than are kept */
    uint32_t count;
    size_t bytes;
    struct anm_given_file *files; /* in the order in which they count: later ones lie over earlier ones */
};

/* Nothing but the settings, with one reference; NULL when out of memory. */
struct anm_given *anm_given_new(unsigned fps, bool degrees);
struct anm_given *anm_given_ref(const struct anm_given *given); /* NULL stays NULL */
void anm_given_unref(const struct anm_given *given);            /* NULL is fine */
void anm_given_clean(struct anm_given **given);                 /* drops *given, for ANM_AUTO */

/* Decodes a file and keeps it (under a copy of `name`) when it is of use to `doc`, or in any case with `asked`. Returns 0 (also when it
 * was not kept), or -1: with `asked` why it cannot be used, otherwise only when out of memory. */
int anm_given_offer(struct anm_given *given, const struct anm_doc *doc, bool asked, const char *name,
                    const uint8_t *bytes, size_t size, struct anm_error *err);

/* The same as a callback: `arg` is a struct anm_given_to. */
struct anm_given_to {
    struct anm_given *given;
    const struct anm_doc *doc;
};
int anm_given_found(void *arg, const char *name, bool asked, const uint8_t *bytes, size_t size, struct anm_error *err);

/* `doc` with `given` at hand, as a new reference; NULL when out of memory. */
struct anm_doc *anm_doc_with(const struct anm_doc *doc, const struct anm_given *given);

/* The suffix of files beside a file of this family that may belong to it, or NULL. */
const char *anm_doc_beside(const struct anm_doc *doc);

#endif
