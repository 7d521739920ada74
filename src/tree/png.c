/* SPDX-License-Identifier: MIT */
/* libpng writes the pictures; it knows nothing of the three chunks that make one move (acTL, fcTL, fdAT). */
#include "png.h"

#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

/* --- libpng without files and without giving up --- */

/* Nothing can fail but memory. */
static void failed(png_structp png, png_const_charp text)
{
    (void)text;
    png_longjmp(png, 1);
}

static void ignored(png_structp png, png_const_charp text)
{
    (void)png, (void)text;
}

/* Ours, so that tests can let them fail. */
static png_voidp allocate(png_structp png, png_alloc_size_t size)
{
    (void)png;
    return malloc(size);
}

static void release(png_structp png, png_voidp memory)
{
    (void)png;
    free(memory);
}

static void put(png_structp png, png_bytep bytes, size_t size)
{
    struct anm_buf *out = png_get_io_ptr(png);
    anm_buf_put(out, bytes, size);
    if (out->failed)
        png_longjmp(png, 1);
}

static void flush(png_structp png)
{
    (void)png;
}

/* A picture being written. */
struct writer {
    png_structp png;
    png_infop info;
};

static void writer_free(struct writer *w)
{
    png_destroy_write_struct(&w->png, &w->info);
}

static bool writer_open(struct writer *w, struct anm_buf *out)
{
    w->png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, NULL, failed, ignored, NULL, allocate, release);
    w->info = w->png ? png_create_info_struct(w->png) : NULL;
    if (w->info)
        png_set_write_fn(w->png, out, put, flush);
    return w->info != NULL;
}

/* The chunks before the pixels. */
static void put_head(const struct writer *w, const struct anm_frame_box *box)
{
    png_set_IHDR(w->png, w->info, box->w, box->h, 8, PNG_COLOR_TYPE_RGB_ALPHA, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_BASE, PNG_FILTER_TYPE_BASE);
    if (box->x || box->y)
        png_set_oFFs(w->png, w->info, box->x, box->y, PNG_OFFSET_PIXEL);
    png_set_compression_level(w->png, 6);
    png_set_filter(w->png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);
    png_write_info(w->png, w->info);
}

static void put_rows(const struct writer *w, const struct anm_frame_box *box, const uint8_t *rgba)
{
    for (uint32_t y = 0; y < box->h; y++)
        png_write_row(w->png, rgba + (size_t)y * box->w * 4);
}

int anm_png_put(struct anm_buf *out, const struct anm_frame_box *box, const uint8_t *rgba, struct anm_error *err)
{
    ANM_AUTO(writer_free) struct writer w = {0};
    if (!writer_open(&w, out) || setjmp(png_jmpbuf(w.png)))
        return anm_fail_nomem(err);
    put_head(&w, box);
    put_rows(&w, box, rgba);
    png_write_end(w.png, NULL);
    return 0;
}

/* --- movies --- */

static void be32(uint8_t *bytes, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(value >> (24 - 8 * i));
}

static void be16(uint8_t *bytes, uint16_t value)
{
    bytes[0] = (uint8_t)(value >> 8);
    bytes[1] = (uint8_t)value;
}

/* How long the picture to come stays: the whole of it, nothing kept of the one before. */
static void put_control(const struct writer *w, const struct anm_movie *movie, uint32_t serial, uint16_t time)
{
    uint8_t bytes[26] = {0};
    be32(bytes, serial);
    be32(bytes + 4, movie->box.w);
    be32(bytes + 8, movie->box.h);
    be16(bytes + 20, time);
    be16(bytes + 22, (uint16_t)movie->fps);
    png_write_chunk(w->png, (png_const_bytep) "fcTL", bytes, sizeof bytes);
}

/* The pixels of a further picture: those of a PNG of its own, under another name. */
static void put_further(const struct writer *w, const struct anm_buf *still, uint32_t serial)
{
    uint8_t number[4];
    be32(number, serial);
    for (size_t at = 8; at + 12 <= still->size;) {
        const uint8_t *chunk = still->data + at;
        uint32_t size =
            (uint32_t)chunk[0] << 24 | (uint32_t)chunk[1] << 16 | (uint32_t)chunk[2] << 8 | (uint32_t)chunk[3];
        if (memcmp(chunk + 4, "IDAT", 4) == 0) {
            png_write_chunk_start(w->png, (png_const_bytep) "fdAT", size + 4);
            png_write_chunk_data(w->png, number, sizeof number);
            png_write_chunk_data(w->png, chunk + 8, size);
            png_write_chunk_end(w->png);
            be32(number, ++serial);
        }
        at += 12 + (size_t)size;
    }
}

/* How many IDAT chunks a PNG has. */
static uint32_t count_data(const struct anm_buf *still)
{
    uint32_t count = 0;
    for (size_t at = 8; at + 12 <= still->size;) {
        const uint8_t *chunk = still->data + at;
        count += memcmp(chunk + 4, "IDAT", 4) == 0;
        at += 12 + ((size_t)chunk[0] << 24 | (size_t)chunk[1] << 16 | (size_t)chunk[2] << 8 | (size_t)chunk[3]);
    }
    return count;
}

/* One step of a movie. libpng comes back here when it is out of memory. */
static int put_picture(const struct writer *w, const struct anm_movie *movie, uint32_t i, const uint8_t *rgba,
                       uint16_t time, uint32_t *serial, struct anm_error *err)
{
    ANM_AUTO(anm_buf_free) struct anm_buf still = {0};
    if (i > 0 && anm_png_put(&still, &movie->box, rgba, err))
        return -1;
    if (setjmp(png_jmpbuf(w->png)))
        return anm_fail_nomem(err);
    if (i == 0) {
        uint8_t plays[8] = {0}; /* without end */
        be32(plays, movie->count);
        put_head(w, &movie->box);
        png_write_chunk(w->png, (png_const_bytep) "acTL", plays, sizeof plays);
    }
    put_control(w, movie, *serial, time);
    if (i == 0)
        put_rows(w, &movie->box, rgba);
    else
        put_further(w, &still, *serial + 1);
    *serial += 1 + count_data(&still);
    return 0;
}

static int put_end(const struct writer *w, struct anm_error *err)
{
    if (setjmp(png_jmpbuf(w->png)))
        return anm_fail_nomem(err);
    png_write_end(w->png, NULL);
    return 0;
}

int anm_png_put_movie(struct anm_buf *out, const struct anm_movie *movie, struct anm_error *err)
{
    ANM_AUTO(writer_free) struct writer w = {0};
    size_t size = (size_t)movie->box.w * movie->box.h;
    ANM_AUTO(anm_freep) uint8_t *rgba = anm_alloc(0, size, 4);
    uint32_t serial = 0;
    if (!rgba || !writer_open(&w, out))
        return anm_fail_nomem(err);
    for (uint32_t i = 0; i < movie->count; i++) {
        uint16_t time;
        memset(rgba, 0, size * 4);
        if (movie->draw(movie, i, rgba, &time, err) || put_picture(&w, movie, i, rgba, time, &serial, err))
            return -1;
    }
    return put_end(&w, err);
}
