/* SPDX-License-Identifier: MIT */
#include "anm/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void anm_buf_free(struct anm_buf *buf)
{
    free(buf->data);
    *buf = (struct anm_buf){0};
}

uint8_t *anm_buf_grow(struct anm_buf *buf, size_t extra)
{
    if (buf->failed)
        return NULL;
    size_t want = buf->size + extra;
    size_t capacity = buf->capacity < 128 ? 256 : buf->capacity;
    while (capacity < want && capacity <= SIZE_MAX / 2)
        capacity *= 2;
    uint8_t *grown = want < buf->size || capacity < want ? NULL : realloc(buf->data, capacity);
    if (!grown) {
        buf->failed = true;
        return NULL;
    }
    buf->data = grown;
    buf->capacity = capacity;
    return grown + buf->size;
}

void anm_buf_put(struct anm_buf *buf, const void *bytes, size_t size)
{
    uint8_t *room = anm_buf_room(buf, size);
    if (!room || size == 0)
        return;
    memcpy(room, bytes, size);
    buf->size += size;
}

void anm_buf_puts(struct anm_buf *buf, const char *string)
{
    anm_buf_put(buf, string, strlen(string));
}

void anm_buf_putc(struct anm_buf *buf, char c)
{
    anm_buf_put(buf, &c, 1);
}

void anm_buf_printf(struct anm_buf *buf, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int size = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *room = size < 0 ? NULL : (char *)anm_buf_room(buf, (size_t)size + 1);
    if (!room) {
        buf->failed = true;
        return;
    }
    va_start(args, format);
    vsnprintf(room, (size_t)size + 1, format, args);
    va_end(args);
    buf->size += (size_t)size;
}

void anm_buf_u8(struct anm_buf *buf, uint8_t value)
{
    anm_buf_put(buf, &value, 1);
}

void anm_buf_u16le(struct anm_buf *buf, uint16_t value)
{
    const uint8_t bytes[2] = {(uint8_t)value, (uint8_t)(value >> 8)};
    anm_buf_put(buf, bytes, sizeof bytes);
}

void anm_buf_u32le(struct anm_buf *buf, uint32_t value)
{
    const uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16), (uint8_t)(value >> 24)};
    anm_buf_put(buf, bytes, sizeof bytes);
}

void anm_buf_u32be(struct anm_buf *buf, uint32_t value)
{
    const uint8_t bytes[4] = {(uint8_t)(value >> 24), (uint8_t)(value >> 16), (uint8_t)(value >> 8), (uint8_t)value};
    anm_buf_put(buf, bytes, sizeof bytes);
}

const char *anm_buf_cstr(struct anm_buf *buf)
{
    uint8_t *room = anm_buf_room(buf, 1);
    if (!room)
        return NULL;
    *room = 0;
    return (const char *)buf->data;
}

struct anm_blob *anm_blob_new(const void *bytes, size_t size)
{
    struct anm_blob *blob = anm_alloc(sizeof *blob, size, 1);
    if (!blob)
        return NULL;
    blob->refs = 1;
    blob->size = size;
    if (size)
        memcpy(blob->bytes, bytes, size);
    return blob;
}

struct anm_blob *anm_blob_ref(struct anm_blob *blob)
{
    if (blob)
        blob->refs++;
    return blob;
}

void anm_blob_unref(struct anm_blob *blob)
{
    if (blob && --blob->refs == 0)
        free(blob);
}

bool anm_blob_equal(const struct anm_blob *a, const struct anm_blob *b)
{
    if (a == b)
        return true;
    return a && b && a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

int anm_bytes_compare(const void *a, size_t a_size, const void *b, size_t b_size)
{
    if (a_size != b_size)
        return a_size < b_size ? -1 : 1;
    return a_size ? memcmp(a, b, a_size) : 0;
}

void *anm_alloc(size_t head, size_t count, size_t size)
{
    if (size && count > (SIZE_MAX - head) / size)
        return NULL;
    size_t total = head + count * size;
    return calloc(1, total ? total : 1);
}

void *anm_realloc(void *old, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        return NULL;
    size_t total = count * size;
    return realloc(old, total ? total : 1);
}

void anm_freep(void *p)
{
    void **pointer = p;
    free(*pointer);
    *pointer = NULL;
}
