/* SPDX-License-Identifier: MIT */
/* Says what bytes are that this program does not read. */
#ifndef ANM_FOREIGN_H
#define ANM_FOREIGN_H

#include "anm/error.h"

#include <stddef.h>

/* Whether the file is of a known kind. Fills `err` with ANM_FOREIGN then: the kind, and what was expected. */
bool anm_foreign_known(const uint8_t *bytes, size_t size, struct anm_error *err);
/* The same for any file: where the kind is not known, how it starts. Returns -1. */
int anm_foreign(const uint8_t *bytes, size_t size, struct anm_error *err);

/* The first four bytes (or fewer) for a message: "FRM2" in quotes where printable, else in hex. Returns `out`. */
const char *anm_show4(char out[16], const uint8_t *bytes, size_t size);

#endif
