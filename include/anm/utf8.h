/* SPDX-License-Identifier: MIT */
/* Which bytes are UTF-8. */
#ifndef ANM_UTF8_H
#define ANM_UTF8_H

#include <stddef.h>

/* Bytes of the UTF-8 sequence at `text` (not at `end`); 0 when it is not valid: cut short, overlong, a surrogate, above
 * U+10FFFF. */
size_t anm_utf8_size(const char *text, const char *end);

#endif
