/* SPDX-License-Identifier: MIT */
#include "anm/cursor.h"

struct anm_cursor anm_cursor(const void *data, size_t size, struct anm_error *err)
{
    return (struct anm_cursor){.data = data, .size = size, .err = err};
}

size_t anm_left(const struct anm_cursor *c)
{
    return c->size - c->pos;
}

const uint8_t *anm_get_bytes(struct anm_cursor *c, size_t size, const char *what)
{
    if (c->failed)
        return NULL;
    if (size > anm_left(c)) {
        c->failed = true;
        anm_fail_at(c->err, c->pos, "%s: %zu bytes expected, %zu left in the file", what, size, anm_left(c));
        return NULL;
    }
    const uint8_t *at = c->data + c->pos;
    c->pos += size;
    return at;
}

const uint8_t *anm_peek(const struct anm_cursor *c, size_t size)
{
    return !c->failed && size <= anm_left(c) ? c->data + c->pos : NULL;
}

uint8_t anm_get_u8(struct anm_cursor *c, const char *what)
{
    const uint8_t *b = anm_get_bytes(c, 1, what);
    return b ? b[0] : 0;
}

uint16_t anm_get_u16le(struct anm_cursor *c, const char *what)
{
    const uint8_t *b = anm_get_bytes(c, 2, what);
    return (uint16_t)(b ? b[0] | b[1] << 8 : 0);
}

uint32_t anm_get_u32le(struct anm_cursor *c, const char *what)
{
    const uint8_t *b = anm_get_bytes(c, 4, what);
    return b ? (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24 : 0;
}

uint32_t anm_get_u32be(struct anm_cursor *c, const char *what)
{
    const uint8_t *b = anm_get_bytes(c, 4, what);
    return b ? (uint32_t)b[3] | (uint32_t)b[2] << 8 | (uint32_t)b[1] << 16 | (uint32_t)b[0] << 24 : 0;
}
