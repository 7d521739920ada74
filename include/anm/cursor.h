/* SPDX-License-Identifier: MIT */
/* The bounds-checked reading cursor: the only code that touches bytes from outside. */
#ifndef ANM_CURSOR_H
#define ANM_CURSOR_H

#include "anm/error.h"

#include <stddef.h>

/* Reads forward through `size` bytes. The first failure is sticky: it is described in `err`
 * (what was wanted, the offset, how many bytes were left), later reads give 0 or NULL. */
struct anm_cursor {
    const uint8_t *data;
    size_t size;
    size_t pos;
    struct anm_error *err; /* never NULL */
    bool failed;
};

/* A cursor at the start of `size` bytes at `data` (borrowed), reporting to `err`. */
struct anm_cursor anm_cursor(const void *data, size_t size, struct anm_error *err);

/* Bytes left. */
size_t anm_left(const struct anm_cursor *c);

/* The next `size` bytes, or NULL after a failure. `what` names them in the message. */
const uint8_t *anm_get_bytes(struct anm_cursor *c, size_t size, const char *what);
/* The next `size` bytes without moving; NULL (no failure) when fewer are left. */
const uint8_t *anm_peek(const struct anm_cursor *c, size_t size);

/* One number, little- or big-endian; 0 after a failure. */
uint8_t anm_get_u8(struct anm_cursor *c, const char *what);
uint16_t anm_get_u16le(struct anm_cursor *c, const char *what);
uint32_t anm_get_u32le(struct anm_cursor *c, const char *what);
uint32_t anm_get_u32be(struct anm_cursor *c, const char *what);

#endif
