/* SPDX-License-Identifier: MIT */
/* Names of bones and groups as one token, the same in a path and in a text: blank, control, `/`, `%`, `~`, a leading
 * `#`, `.` or `-`, a leading U+FEFF (a text's BOM), DEL, and bytes that are not UTF-8 become %20 and so on (lower-case
 * hex); the empty name is `%`. */
#ifndef ANM_NAME_H
#define ANM_NAME_H

#include "anm/buf.h"
#include "anm/error.h"

/* A name longer than this (escaped, with ordinal) appears in paths as its first 220 bytes, `~h` and 8 hex digits. */
#define ANM_NAME_MAX 240

/* The highest ordinal, of names and of whatever else repeats: a file in which something repeats more often is not decoded. */
#define ANM_ORDINAL_MAX 65534

/* Appends the escaped form of a raw name, and `~ORDINAL` when `ordinal` is above 1. */
void anm_name_put(struct anm_buf *out, const uint8_t *raw, size_t size, uint32_t ordinal);

/* As anm_name_put(), but cut as above when longer than ANM_NAME_MAX: for path components. A cut never splits an
 * escape or a UTF-8 sequence. The hash (FNV-1a, 32 bits) is over the whole escaped form. */
void anm_name_put_path(struct anm_buf *out, const uint8_t *raw, size_t size, uint32_t ordinal);

/* Reads an escaped name (not a cut one) into raw bytes appended to `raw` and its ordinal (1 when there is none).
 * -1 with ANM_NAME on a bad escape, an escape that needs none is accepted; on a bare byte that must be escaped;
 * on an ordinal that is not a number from 2 to ANM_ORDINAL_MAX. `text` need not be terminated. */
int anm_name_parse(const char *text, size_t size, struct anm_buf *raw, uint32_t *ordinal, struct anm_error *err);

#endif
