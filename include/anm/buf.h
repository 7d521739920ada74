/* SPDX-License-Identifier: MIT */
/* The growing output buffer, the shared immutable blob, and overflow-checked allocation. */
#ifndef ANM_BUF_H
#define ANM_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A growing byte buffer. Zero-initialised is empty. Failure is sticky: after one allocation fails,
 * `failed` is set, further appends do nothing, and one check at the end is enough. */
struct anm_buf {
    uint8_t *data;
    size_t size;
    size_t capacity;
    bool failed;
};

/* Frees the bytes and makes `buf` empty again (also clears `failed`). For ANM_AUTO. */
void anm_buf_free(struct anm_buf *buf);

/* The slow half of anm_buf_room(). */
uint8_t *anm_buf_grow(struct anm_buf *buf, size_t extra);

/* Makes room for `extra` more bytes. Returns where they go, or NULL (sticky) when out of memory.
 * The caller writes up to `extra` bytes there and adds what it wrote to `size`. */
static inline uint8_t *anm_buf_room(struct anm_buf *buf, size_t extra)
{
    bool fits = extra <= buf->capacity - buf->size && buf->data && !buf->failed;
    return fits ? buf->data + buf->size : anm_buf_grow(buf, extra);
}

/* Append: bytes, a C string, one byte, printf, little- and big-endian words. */
void anm_buf_put(struct anm_buf *buf, const void *bytes, size_t size);
void anm_buf_puts(struct anm_buf *buf, const char *string);
void anm_buf_putc(struct anm_buf *buf, char c);
void anm_buf_printf(struct anm_buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
void anm_buf_u8(struct anm_buf *buf, uint8_t value);
void anm_buf_u16le(struct anm_buf *buf, uint16_t value);
void anm_buf_u32le(struct anm_buf *buf, uint32_t value);
void anm_buf_u32be(struct anm_buf *buf, uint32_t value);

/* Terminates with a NUL that is not counted in `size`; returns the string, or NULL when out of memory. */
const char *anm_buf_cstr(struct anm_buf *buf);

/* Immutable bytes with a reference count (a mesh, a comment). Not thread-safe: documents belong to one thread. */
struct anm_blob {
    unsigned refs;
    size_t size;
    uint8_t bytes[];
};

/* A new blob with one reference, a copy of `bytes`; NULL when out of memory. */
struct anm_blob *anm_blob_new(const void *bytes, size_t size);
/* Takes another reference; NULL stays NULL. */
struct anm_blob *anm_blob_ref(struct anm_blob *blob);
/* Drops a reference; frees at the last. NULL is fine. */
void anm_blob_unref(struct anm_blob *blob);
/* Same bytes (NULL equals only NULL). */
bool anm_blob_equal(const struct anm_blob *a, const struct anm_blob *b);

/* Some total order of byte strings that is quick to find: below 0, 0 (equal) or above. A NULL of no bytes is fine. */
int anm_bytes_compare(const void *a, size_t a_size, const void *b, size_t b_size);

/* Zeroed memory for `count` items of `size` bytes after `head` bytes; NULL on overflow or out of memory. */
void *anm_alloc(size_t head, size_t count, size_t size);
/* realloc to `count` items of `size` bytes; NULL on overflow or out of memory (the old block stays). */
void *anm_realloc(void *old, size_t count, size_t size);
/* free(*(void **)p): for ANM_AUTO on any pointer. */
void anm_freep(void *p);

#endif
