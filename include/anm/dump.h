/* SPDX-License-Identifier: MIT */
/* A whole file as one text, or as JSON, and back. Lines that start with a digit are keys, all others start with a word. */
#ifndef ANM_DUMP_H
#define ANM_DUMP_H

#include "anm/tree.h"

/* Appends the text of a document, from which anm_build() makes the same bytes. `by_bone`: its keys bone by bone, where their order
 * in the file can be told so; else frame by frame. 0, or -1 with `err`. */
int anm_dump(const struct anm_doc *doc, bool by_bone, struct anm_buf *out, struct anm_error *err);

/* The same as JSON, one object a line. */
int anm_dump_json(const struct anm_doc *doc, bool by_bone, struct anm_buf *out, struct anm_error *err);

/* The document that a text, or a JSON (it begins with a brace), is of. NULL with `err`: line and column in the text, or the array and
 * the number of its item in the JSON. */
struct anm_doc *anm_build(const void *bytes, size_t size, struct anm_error *err);

#endif
