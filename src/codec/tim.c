/* SPDX-License-Identifier: MIT */
/* TIM images: bytes to document and back (formats: PSX 1.8, with its additions). */
#include "psx_codec.h"

#include <stdlib.h>

enum { HEAD = 8, VRAM_W = 1024, VRAM_H = 512 };

/* The bytes of a block's data: as its bnum says, where that is possible, or as its width and height do. Bytes that the end of
 * the file cut off a picture that fits VRAM are done without, when `cut`. */
static int data_size(const struct anm_cursor *c, const struct psx_block *head, bool cut, size_t at, size_t *size)
{
    size_t need = 2 * (size_t)head->w * head->h, left = anm_left(c);
    if (head->bnum >= PSX_BLOCK_HEAD && head->bnum - PSX_BLOCK_HEAD >= need && head->bnum - PSX_BLOCK_HEAD <= left)
        *size = head->bnum - PSX_BLOCK_HEAD;
    else if (need <= left)
        *size = need;
    else if (cut && head->w <= VRAM_W && head->h <= VRAM_H)
        *size = left;
    else
        return anm_fail_at(c->err, at, "a block of %u by %u half-words, but %zu bytes are left", (unsigned)head->w,
                           (unsigned)head->h, left);
    return 0;
}

/* The next block. With `keep` false it is only passed over. -1 with the cursor's error. */
static int next_block(struct anm_cursor *c, bool cut, bool keep, struct psx_block **block)
{
    size_t at = c->pos, size = 0;
    struct psx_block head = psx_read_head(c);
    if (c->failed || data_size(c, &head, cut, at, &size))
        return -1;
    if (!keep)
        return anm_get_bytes(c, size, "block") || !size ? 0 : -1;
    *block = psx_read_data(c, &head, size);
    return *block ? 0 : -1;
}

static int check_head(struct anm_cursor *c, struct psx_image *image)
{
    size_t at = c->pos;
    image->head = anm_get_u32le(c, "ID of an image");
    image->flag = anm_get_u32le(c, "flags of an image");
    if (c->failed)
        return -1;
    if (image->head == (PSX_ID_TIM | 1u << 16) || image->head == (PSX_ID_TIM | 2u << 16))
        return anm_fail_at(c->err, at, "the compressed variant of TIM that one game has");
    if (image->head != PSX_ID_TIM)
        return anm_fail_at(c->err, at, "expected an image: 10 00 00 00");
    if ((image->flag & PSX_PMODE) > 5)
        return anm_fail_at(c->err, at + 4, "depth %u, expected 0 to 5", image->flag & PSX_PMODE);
    return 0;
}

/* Passes over the image at the cursor. */
static int pass_image(struct anm_cursor *c)
{
    struct psx_image image;
    if (check_head(c, &image) || (image.flag & PSX_HAS_CLUT && next_block(c, false, false, NULL)))
        return -1;
    return anm_left(c) || !(image.flag & PSX_HAS_CLUT) ? next_block(c, true, false, NULL) : 0;
}

/* How many images lie one after another, and where the last one ends. None: -1 with `err`. */
static int count_images(const uint8_t *bytes, size_t size, uint32_t *count, size_t *end, struct anm_error *err)
{
    struct anm_error ignored;
    struct anm_cursor c = anm_cursor(bytes, size, err);
    if (pass_image(&c))
        return -1;
    for (*count = 1, *end = c.pos; anm_left(&c); ++*count, *end = c.pos) {
        c.err = &ignored;
        if (pass_image(&c))
            break;
    }
    return 0;
}

static bool is_tim(const uint8_t *bytes, size_t size)
{
    return size >= HEAD && bytes[0] == PSX_ID_TIM && bytes[1] == 0 && bytes[2] <= 2 && bytes[3] == 0;
}

/* Few bytes tell an image, and zeros would pass for an empty one: there must be something in its first block. */
static bool tim_sniff(const uint8_t *bytes, size_t size)
{
    struct anm_error ignored;
    struct anm_cursor c = anm_cursor(bytes, size, &ignored), first = c;
    anm_get_bytes(&first, HEAD, "head of an image");
    struct psx_block block = psx_read_head(&first);
    return block.w && block.h && pass_image(&c) == 0;
}

/* The document has room for the image and its palette. */
static int read_image(struct anm_cursor *c, struct psx_doc *doc)
{
    struct psx_image *image = &doc->images[doc->image_count];
    if (check_head(c, image))
        return -1;
    if (image->flag & PSX_HAS_CLUT) {
        if (next_block(c, false, true, &doc->cluts[doc->clut_count]))
            return -1;
        image->clut = doc->clut_count++;
    }
    doc->image_count++;
    return anm_left(c) || !(image->flag & PSX_HAS_CLUT) ? next_block(c, true, true, &image->pixels) : 0;
}

static int read_images(struct anm_cursor *c, struct psx_doc *doc, uint32_t count, size_t end)
{
    doc->images = anm_alloc(0, count, sizeof(struct psx_image));
    doc->cluts = anm_alloc(0, count, sizeof(struct psx_block *));
    if (!doc->images || !doc->cluts)
        return anm_fail_nomem(c->err);
    while (doc->image_count < count)
        if (read_image(c, doc))
            return -1;
    if (end == c->size)
        return 0;
    doc->tail = anm_blob_new(c->data + end, c->size - end);
    return doc->tail ? 0 : anm_fail_nomem(c->err);
}

static struct anm_doc *tim_decode(const uint8_t *bytes, size_t size, struct anm_error *err)
{
    struct anm_cursor c = anm_cursor(bytes, size, err);
    uint32_t count;
    size_t end;
    if (count_images(bytes, size, &count, &end, err))
        return NULL;
    ANM_AUTO(psx_clean) struct psx_doc *doc = psx_new(&anm_tim, 0);
    if (!doc) {
        anm_fail_nomem(err);
        return NULL;
    }
    if (read_images(&c, doc, count, end))
        return NULL;
    struct anm_doc *done = &doc->doc;
    doc = NULL;
    return done;
}

static int tim_encode(const struct anm_doc *anm, struct anm_buf *out, struct anm_error *err)
{
    const struct psx_doc *doc = psx_const(anm);
    for (uint32_t i = 0; i < doc->image_count; i++) {
        const struct psx_image *image = &doc->images[i];
        anm_buf_u32le(out, image->head);
        anm_buf_u32le(out, image->flag);
        if (image->flag & PSX_HAS_CLUT)
            psx_put_block(out, doc->cluts[image->clut]);
        if (image->pixels)
            psx_put_block(out, image->pixels);
    }
    if (doc->tail)
        anm_buf_put(out, doc->tail->bytes, doc->tail->size);
    return out->failed ? anm_fail_nomem(err) : 0;
}

const struct anm_format anm_tim = {.family = "tim",
                                   .suffix = {".tim"},
                                   .sniff = tim_sniff,
                                   .resembles = is_tim,
                                   .decode = tim_decode,
                                   .encode = tim_encode,
                                   .destroy = psx_destroy,
                                   .memory = psx_memory,
                                   .with = psx_with};
