/* SPDX-License-Identifier: MIT */
/* `header` of TIM: a line an image, and what is unusual (formats: PSX 1.8). */
#include "psx_tree.h"

#include "anm/num.h"

#include <string.h>

#define FLAG_KNOWN (PSX_PMODE | PSX_HAS_CLUT)

static void put_image(struct anm_buf *out, const struct psx_doc *doc, uint32_t i)
{
    const struct psx_image *image = &doc->images[i];
    const struct psx_block *pixels = image->pixels;
    static const char *const depths[] = {"4", "8", "16", "24", "mixed", "5"};
    anm_buf_printf(out, "image %u depth=%s", i, depths[image->flag & PSX_PMODE]);
    if (pixels)
        anm_buf_printf(out, " place=%u,%u size=%ux%u", (unsigned)pixels->x, (unsigned)pixels->y, (unsigned)pixels->w,
                       (unsigned)pixels->h);
    if (image->flag & PSX_HAS_CLUT)
        anm_buf_printf(out, " clut=%02u", image->clut);
    if (image->flag & ~(unsigned)FLAG_KNOWN)
        anm_buf_printf(out, " flag=0x%x", image->flag & ~(unsigned)FLAG_KNOWN);
    if (pixels && pixels->bnum != 12 + pixels->data->size)
        anm_buf_printf(out, " bnum=%u", pixels->bnum);
    anm_buf_putc(out, '\n');
}

int tim_render_header(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_buf *out, struct anm_error *err)
{
    (void)ref, (void)err;
    const struct psx_doc *doc = psx_const(anm);
    for (uint32_t i = 0; i < doc->image_count; i++)
        put_image(out, doc, i);
    if (doc->tail) {
        anm_buf_puts(out, "tail ");
        anm_put_hex(out, doc->tail->bytes, doc->tail->size);
        anm_buf_putc(out, '\n');
    }
    return 0;
}

/* --- in --- */

enum { PLACE_X, PLACE_Y, SIZE_W, SIZE_H, DEPTH, CLUT, FLAG, BNUM, IMAGE_FIELDS };
static const struct anm_field fields[IMAGE_FIELDS] = {
    [PLACE_X] = {"x", "place", "VRAM column", 0, 0, 16, false, 0, ANM_FORM_INT, 1},
    [PLACE_Y] = {"y", "place", "VRAM row", 0, 16, 16, false, 0, ANM_FORM_INT, 1},
    [SIZE_W] = {"w", "size", "width in half-words", 1, 0, 16, false, 0, ANM_FORM_INT, 1},
    [SIZE_H] = {"h", "size", "rows", 1, 16, 16, false, 0, ANM_FORM_INT, 1},
    /* Read by special(). */
    [DEPTH] = {.name = "depth", .key = "depth"},
    [CLUT] = {.name = "clut", .key = "clut"},
    [FLAG] = {.name = "flag", .key = "flag"},
    [BNUM] = {.name = "bnum", .key = "bnum"},
};

/* One line of the text. */
struct image_line {
    struct psx_line line; /* the first member */
    const char *derived;  /* the line of the image as it is, for what cannot be changed */
    uint32_t flag, bnum;
};

/* depth and clut follow from what the file holds: `text` must be among the words of the derived line. */
static int check_derived(struct image_line *image, const struct anm_token *key, const struct anm_token *value,
                         unsigned field)
{
    size_t size = key->size + 1 + value->size;
    const char *found = memmem(image->derived, strlen(image->derived), key->text, size);
    if (psx_line_give(&image->line, field, key->column))
        return -1;
    if (found && found[-1] == ' ' && strchr(" \n", found[size]))
        return 1;
    return psx_line_fail(&image->line, value->column, "%s cannot be changed: the line was %.*s", fields[field].name,
                         (int)strcspn(image->derived, "\n"), image->derived);
}

static bool is(const struct anm_token *token, const char *word)
{
    return strlen(word) == token->size && memcmp(word, token->text, token->size) == 0;
}

static int special(struct psx_line *line, const struct anm_token *key, const struct anm_token *value)
{
    struct image_line *image = (struct image_line *)(void *)line;
    if (is(key, "depth") || is(key, "clut"))
        return check_derived(image, key, value, is(key, "depth") ? DEPTH : CLUT);
    bool flag = is(key, "flag");
    if (!flag && !is(key, "bnum"))
        return 0;
    if (anm_u32_parse(value->text, value->size, UINT32_MAX, flag ? &image->flag : &image->bnum) != ANM_NUM_OK ||
        (flag && image->flag & FLAG_KNOWN))
        return psx_line_fail(line, value->column, flag ? "expected flag=0x… with bits 4 to 31" : "expected bnum=N");
    return psx_line_give(line, flag ? FLAG : BNUM, key->column) ? -1 : 1;
}

/* Puts what the line says into image `i`. */
static int apply(struct psx_doc *doc, uint32_t i, const struct image_line *said, struct anm_error *err)
{
    struct psx_image *image = &doc->images[i];
    const struct psx_line *line = &said->line;
    image->flag = (image->flag & FLAG_KNOWN) | said->flag;
    if (!image->pixels)
        return line->given & (3u << PLACE_X | 3u << SIZE_W | 1u << BNUM)
                   ? psx_line_fail(line, 1, "image %u has no pixels to have a place or size", i)
                   : 0;
    if (!psx_line_has(line, PLACE_X) || !psx_line_has(line, SIZE_W))
        return psx_line_fail(line, 1, "expected place=X,Y and size=WxH of image %u", i);
    struct psx_block *block = psx_block_copy(image->pixels);
    if (!block)
        return anm_fail_nomem(err);
    block->x = (uint16_t)anm_field_get(&fields[PLACE_X], line->words);
    block->y = (uint16_t)anm_field_get(&fields[PLACE_Y], line->words);
    block->w = (uint16_t)anm_field_get(&fields[SIZE_W], line->words);
    block->h = (uint16_t)anm_field_get(&fields[SIZE_H], line->words);
    block->bnum = psx_line_has(line, BNUM) ? said->bnum : (uint32_t)(12 + block->data->size);
    size_t need = 2 * (size_t)block->w * block->h, old = 2 * (size_t)image->pixels->w * image->pixels->h;
    bool too_big = need > block->data->size && need > old;
    psx_set_pixels(doc, i, block);
    return too_big ? psx_line_fail(line, 1, "%u by %u half-words take %zu bytes, and image %u has fewer",
                                   (unsigned)image->pixels->w, (unsigned)image->pixels->h, need, i)
                   : 0;
}

/* "image N key=value …" */
static int read_image(struct anm_lines *lines, const struct psx_doc *old, struct psx_doc *doc, uint32_t i)
{
    uint32_t number;
    ANM_AUTO(anm_buf_free) struct anm_buf derived = {0};
    if (i >= old->image_count)
        return anm_lines_fail(lines, 0, "the file has %u images", old->image_count);
    if (anm_lines_u32(lines, 1, "the image's number", UINT32_MAX, &number))
        return -1;
    if (number != i)
        return anm_lines_expect(lines, 1, "image %u (they stand in their order)", i);
    put_image(&derived, old, i);
    struct image_line image = {.line = {.fields = fields, .count = IMAGE_FIELDS, .err = lines->err},
                               .derived = anm_buf_cstr(&derived)};
    if (!image.derived)
        return anm_fail_nomem(lines->err);
    return psx_line_read(lines, 2, &image.line, special) || apply(doc, i, &image, lines->err) ? -1 : 0;
}

static int read_head(const struct psx_doc *old, struct psx_doc *doc, const void *bytes, size_t size,
                     struct anm_buf *tail, struct anm_error *err)
{
    struct anm_lines lines;
    uint32_t images = 0;
    bool tailed = false;
    int more;
    anm_lines_start(&lines, bytes, size, err);
    while ((more = anm_lines_next(&lines)) == 1) {
        if (anm_lines_is(&lines, 0, "image")) {
            if (read_image(&lines, old, doc, images++))
                return -1;
        } else if (!anm_lines_is(&lines, 0, "tail") || tailed) {
            return anm_lines_expect(&lines, 0, "image%s", tailed ? "" : " or tail");
        } else if (anm_lines_hex(&lines, 1, tail) || anm_lines_want(&lines, 2, "tail and its bytes in hex")) {
            return -1;
        } else {
            tailed = true;
        }
    }
    if (!more && images != old->image_count)
        return anm_fail_line(err, lines.line, 1, "%u lines image, but the file has %u", images, old->image_count);
    return more;
}

struct anm_doc *tim_write_header(const struct anm_doc *anm, const struct anm_ref *dir, const char *name,
                                 const void *bytes, size_t size, struct anm_error *err)
{
    (void)dir, (void)name;
    const struct psx_doc *old = psx_const(anm);
    ANM_AUTO(anm_buf_free) struct anm_buf tail = {0};
    ANM_AUTO(psx_clean) struct psx_doc *doc = psx_copy(old, 0, 0);
    if (!doc) {
        anm_fail_nomem(err);
        return NULL;
    }
    if (read_head(old, doc, bytes, size, &tail, err))
        return NULL;
    anm_blob_unref(doc->tail);
    doc->tail = tail.size ? anm_blob_new(tail.data, tail.size) : NULL;
    if (tail.size && !doc->tail) {
        anm_fail_nomem(err);
        return NULL;
    }
    return psx_finish(old, &doc, err);
}
