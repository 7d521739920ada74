/* SPDX-License-Identifier: MIT */
/* What the files of the NIFF codec share. */
#ifndef ANM_NIFF_CODEC_H
#define ANM_NIFF_CODEC_H

#include "anm/niff.h"

#define NIFF_HEAD 100     /* bytes of the file header without its blocks */
#define NIFF_HEAD_2 36    /* bytes of its Nintendo block in NIFF 2.0 */
#define NIFF_LIST_HEAD 24 /* bytes of a list header without its table */

/* Words of the file header. */
enum { NIFF_H_VERSION, NIFF_H_FILE_SIZE, NIFF_H_TAG, NIFF_H_SIZE, NIFF_H_BLOCK = 23, NIFF_H_USER };
/* Words of a list header. */
enum { NIFF_L_TAG, NIFF_L_HEADER_SIZE, NIFF_L_SIZE, NIFF_L_COUNT, NIFF_L_BLOCK, NIFF_L_USER };

/* Checks that a list's table and its records are inside of it. `at`: the list's offset in the file. 0, or -1 with list, record
 * and offset. */
int niff_check_list(const struct niff_kind *kind, const uint8_t *bytes, size_t size, size_t at, struct anm_error *err);

/* Names the groups as they are shown: those of the same name get ordinals. Replaces names that are there. */
int niff_name_groups(struct niff_doc *doc, struct anm_error *err);

/* AnimList has become longer by `delta` bytes, or shorter (modulo the size of size_t): the sizes follow. */
int niff_grow_anims(struct niff_doc *doc, size_t delta, struct anm_error *err);

void niff_destroy(struct anm_doc *anm);
size_t niff_memory(const struct anm_doc *anm);
struct anm_doc *niff_with(const struct anm_doc *anm, const struct anm_given *given);

#endif
