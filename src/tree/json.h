/* SPDX-License-Identifier: MIT */
/* Building .anmfs/info.json. All return false when out of memory. */
#ifndef ANM_TREE_JSON_H
#define ANM_TREE_JSON_H

#include "anm/buf.h"
#include "anm/error.h"

#include <cjson/cJSON.h>

bool anm_json_number(cJSON *object, const char *name, double value);
/* Adds a text to an array. */
bool anm_json_warn(cJSON *warnings, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends the text and a line end. 0, or -1 out of memory. */
int anm_json_print(const cJSON *root, struct anm_buf *out, struct anm_error *err);
void anm_json_clean(cJSON **json); /* for ANM_AUTO */

#endif
