/* SPDX-License-Identifier: MIT */
/* Short words for tests that read and edit documents through the tree; a test fails when one does not do what it says. */
#ifndef ANM_TESTS_TREE_HELP_H
#define ANM_TESTS_TREE_HELP_H

#include "anm/gem.h"
#include "anm/tree.h"

#include <check.h>

/* A document with these bones (blank between them) and this text as its root `keys`. */
struct anm_doc *tree_make(uint32_t version, enum gem_kind kind, const char *bones, const char *keys);
/* Takes a document from the codec's builder. */
struct anm_doc *tree_from(struct gem_doc *doc);

/* The content of `path` as a string, to be freed. */
char *tree_text(const struct anm_doc *doc, const char *path);
/* The content of `path` is `text`. */
void tree_is(const struct anm_doc *doc, const char *path, const char *text);
/* The names in directory `path`, each with a blank behind it, are `names`. */
void tree_lists(const struct anm_doc *doc, const char *path, const char *names);
/* There is no `path`, for this reason. */
void tree_lacks(const struct anm_doc *doc, const char *path, enum anm_reason reason);

/* Edits that succeed; *doc becomes the new document. */
void tree_write(struct anm_doc **doc, const char *path, const char *text);
void tree_write_bytes(struct anm_doc **doc, const char *path, const void *bytes, size_t size);
void tree_mkdir(struct anm_doc **doc, const char *path);
void tree_remove(struct anm_doc **doc, const char *path);
void tree_rename(struct anm_doc **doc, const char *from, const char *to);

/* Edits that are refused with this reason and these words in the message, and change nothing. */
void tree_refuses(const struct anm_doc *doc, const char *path, const char *text, enum anm_reason reason,
                  const char *words);
/* The same, at this line and column. */
void tree_refuses_at(const struct anm_doc *doc, const char *path, const char *text, uint32_t line, uint32_t column,
                     const char *words);
void tree_refuses_mkdir(const struct anm_doc *doc, const char *path, enum anm_reason reason, const char *words);
void tree_refuses_remove(const struct anm_doc *doc, const char *path, enum anm_reason reason, const char *words);
void tree_refuses_rename(const struct anm_doc *doc, const char *from, const char *to, enum anm_reason reason,
                         const char *words);

/* Calls `visit` for every file of the tree below `path` that is not the front end's. */
void tree_walk(const struct anm_doc *doc, const char *path, unsigned classes,
               void (*visit)(const struct anm_doc *doc, const char *path, const struct anm_ref *ref, void *arg),
               void *arg);
/* Both encode to the same bytes. */
void tree_same_bytes(const struct anm_doc *a, const struct anm_doc *b);

/* Encoded and decoded again, every file reads the same (not for documents with ordinals, which a load gives anew). */
void tree_reloads(const struct anm_doc *doc);

/* More cases of the suite, by file. */
void tree_edit_cases(Suite *suite);
void tree_head_cases(Suite *suite);
void tree_blank_cases(Suite *suite);
void tree_sample_cases(Suite *suite);
void psx_tree_cases(Suite *suite);
void psx_clut_cases(Suite *suite);
void psx_head_cases(Suite *suite);
void niff_tree_cases(Suite *suite);

#endif
