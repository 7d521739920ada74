/* SPDX-License-Identifier: MIT */
/* Bit fields as text. */
#ifndef ANM_FIELD_TEXT_H
#define ANM_FIELD_TEXT_H

#include "anm/buf.h"
#include "anm/field.h"

/* Appends the value as the field's form has it. */
void anm_field_put(struct anm_buf *out, const struct anm_field *field, int32_t value);
/* Reads all `size` bytes of a value in that form: exactly what can be stored, nothing is rounded. Returns 0, or -1 with a
 * reason in words in `why` (what was expected: "a whole number from 0 to 255", "a multiple of 16 from 0 to 1008"). */
int anm_field_parse(const struct anm_field *field, const char *text, size_t size, int32_t *value, char why[128]);

#endif
