/* SPDX-License-Identifier: MIT */
/* Documents that are no animation: what is shown in place of a file that cannot be read, and what a folder has of its own. Their
 * trees have the files of the front end (.anmfs), and ERROR where there is something to say. */
#ifndef ANM_NOTE_H
#define ANM_NOTE_H

#include "anm/doc.h"

/* A new document; `text` is the content of ERROR, NULL for none. NULL when out of memory. */
struct anm_doc *anm_note_new(const char *text);
/* Whether a document is one of these. */
bool anm_is_note(const struct anm_doc *doc);

#endif
