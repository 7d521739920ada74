/* SPDX-License-Identifier: MIT */
/* preview/: groups, sequences and images as pictures. */
#include "psx_draw.h"
#include "psx_tree.h"

#include <stdlib.h>
#include <string.h>

#define MOVIE_PIXELS (16u * 1024 * 1024) /* of all pictures of a movie together */
#define WORK (64u * 1024 * 1024)         /* pixels of all sprites of a picture, or of a movie */
#define IMAGE_MAX 4096                   /* pixels on a side of an image: four a half-word in 1,024 half-words */

/* --- groups --- */

bool psx_has_preview(const struct anm_doc *anm, const struct anm_ref *ref)
{
    (void)ref;
    const struct psx_doc *doc = psx_const(anm);
    return doc->given && doc->given->count > 0;
}

bool psx_has_movie(const struct anm_doc *anm, const struct anm_ref *ref)
{
    return psx_has_preview(anm, ref) && psx_const(anm)->group_count > 0;
}

/* Draws one group into zeroed R, G, B, A of the box. */
static int draw_group(const struct psx_doc *doc, const struct psx_vram *vram, const struct anm_frame_box *box,
                      const struct psx_group *group, int32_t x, int32_t y, uint64_t *work, uint8_t *rgba,
                      struct anm_error *err)
{
    struct psx_canvas canvas = {*box, anm_alloc(0, (size_t)box->w * box->h, sizeof(uint16_t)), *work};
    if (!canvas.pixels)
        return anm_fail_nomem(err);
    psx_draw(&canvas, vram, doc->version, group, x, y);
    psx_to_rgba(&canvas, rgba);
    *work = canvas.work;
    free(canvas.pixels);
    return 0;
}

int psx_render_frame_png(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_buf *out,
                         struct anm_error *err)
{
    const struct psx_doc *doc = psx_const(anm);
    const struct psx_group *group = doc->groups[ref->id[0]];
    struct psx_box bounds = {0, 0, 0, 0};
    psx_extend(&bounds, group, 0, 0);
    struct anm_frame_box box = psx_picture_box(&bounds);
    ANM_AUTO(anm_freep) struct psx_vram *vram = psx_vram_new(doc->given);
    ANM_AUTO(anm_freep) uint8_t *rgba = anm_alloc(0, (size_t)box.w * box.h, 4);
    if (!vram || !rgba)
        return anm_fail_nomem(err);
    uint64_t work = WORK;
    if (draw_group(doc, vram, &box, group, 0, 0, &work, rgba, err))
        return -1;
    return anm_png_put(out, &box, rgba, err);
}

/* --- sequences --- */

/* What a movie is drawn from. Without entries it shows the groups one after another. */
struct film {
    const struct psx_doc *doc;
    const struct psx_vram *vram;
    uint64_t *work;
};

static uint32_t film_length(const struct psx_doc *doc)
{
    return doc->sequence->count ? doc->sequence->count : doc->group_count;
}

static struct psx_entry film_entry(const struct psx_doc *doc, uint32_t i)
{
    if (doc->sequence->count)
        return doc->sequence->entries[i];
    struct psx_entry entry = {{0, 0}};
    psx_entry_set(&entry, PSX_GROUP, (int32_t)i);
    return entry;
}

/* The group an entry shows; NULL when there is none of that number. */
static const struct psx_group *film_group(const struct psx_doc *doc, const struct psx_entry *entry)
{
    uint32_t group = (uint32_t)psx_entry_get(entry, PSX_GROUP);
    return group < doc->group_count ? doc->groups[group] : NULL;
}

static int draw_entry(const struct anm_movie *movie, uint32_t i, uint8_t *rgba, uint16_t *time, struct anm_error *err)
{
    const struct film *film = movie->arg;
    struct psx_entry entry = film_entry(film->doc, i);
    const struct psx_group *group = film_group(film->doc, &entry);
    int32_t shown = psx_entry_get(&entry, PSX_TIME);
    *time = (uint16_t)(shown ? shown : 1);
    return group ? draw_group(film->doc, film->vram, &movie->box, group, psx_entry_get(&entry, PSX_X),
                              psx_entry_get(&entry, PSX_Y), film->work, rgba, err)
                 : 0;
}

int psx_render_sequence_png(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_buf *out,
                            struct anm_error *err)
{
    (void)ref;
    const struct psx_doc *doc = psx_const(anm);
    struct psx_box bounds = {0, 0, 0, 0};
    for (uint32_t i = 0; i < film_length(doc); i++) {
        struct psx_entry entry = film_entry(doc, i);
        const struct psx_group *group = film_group(doc, &entry);
        if (group)
            psx_extend(&bounds, group, psx_entry_get(&entry, PSX_X), psx_entry_get(&entry, PSX_Y));
    }
    ANM_AUTO(anm_freep) struct psx_vram *vram = psx_vram_new(doc->given);
    if (!vram)
        return anm_fail_nomem(err);
    uint64_t work = WORK;
    struct film film = {doc, vram, &work};
    struct anm_movie movie = {psx_picture_box(&bounds), film_length(doc), doc->given->fps, draw_entry, &film};
    uint32_t most = MOVIE_PIXELS / (movie.box.w * movie.box.h);
    movie.count = movie.count < most ? movie.count : most;
    return anm_png_put_movie(out, &movie, err);
}

/* --- comparing: by what they are drawn from --- */

static bool same_groups(const struct psx_doc *a, const struct psx_doc *b, uint32_t i, uint32_t j)
{
    const struct psx_group *x = a->groups[i], *y = b->groups[j];
    return x == y || (x->count == y->count && memcmp(x->sprites, y->sprites, x->count * sizeof x->sprites[0]) == 0);
}

bool psx_same_frame_png(const struct anm_doc *a, const struct anm_ref *ra, const struct anm_doc *b,
                        const struct anm_ref *rb)
{
    const struct psx_doc *x = psx_const(a), *y = psx_const(b);
    return x->given == y->given && x->version == y->version && same_groups(x, y, ra->id[0], rb->id[0]);
}

bool psx_same_sequence_png(const struct anm_doc *a, const struct anm_ref *ra, const struct anm_doc *b,
                           const struct anm_ref *rb)
{
    (void)ra, (void)rb;
    const struct psx_doc *x = psx_const(a), *y = psx_const(b);
    bool same = x->given == y->given && x->version == y->version && x->group_count == y->group_count &&
                x->sequence->count == y->sequence->count &&
                memcmp(x->sequence->entries, y->sequence->entries, x->sequence->count * sizeof(struct psx_entry)) == 0;
    for (uint32_t i = 0; same && i < x->group_count; i++)
        same = same_groups(x, y, i, i);
    return same;
}

/* --- images --- */

/* Pixels of a row; mixed images have no depth of their own and show their half-words. */
static uint32_t pixels_in(const struct psx_image *image)
{
    uint32_t w = image->pixels->w;
    switch (image->flag & PSX_PMODE) {
    case 0:
        return 4 * w;
    case 1:
    case 5:
        return 2 * w;
    case 3:
        return 2 * w / 3;
    default:
        return w;
    }
}

/* An entry of the first row of the palette; without one, a shade of grey. */
static uint16_t entry_of(const struct psx_block *clut, unsigned index, unsigned bits)
{
    if (!clut) {
        unsigned grey = bits == 4 ? index * 31 / 15 : index >> 3;
        return (uint16_t)(grey | grey << 5 | grey << 10 | 0x8000u);
    }
    if (index >= clut->w || 2 * (size_t)index + 2 > clut->data->size)
        return 0;
    return (uint16_t)(clut->data->bytes[2 * index] | (unsigned)clut->data->bytes[2 * index + 1] << 8);
}

/* One pixel of an image, which stays transparent where its bytes are missing or its colour is 0. */
static void draw_pixel(const struct psx_doc *doc, const struct psx_image *image, uint32_t x, uint32_t y, uint8_t *rgba)
{
    const struct anm_blob *data = image->pixels->data;
    const struct psx_block *clut = image->flag & PSX_HAS_CLUT ? doc->cluts[image->clut] : NULL;
    unsigned mode = image->flag & PSX_PMODE;
    size_t row = 2 * (size_t)image->pixels->w * y;
    size_t at = row + (mode == 0 ? x / 2 : mode == 1 || mode == 5 ? x : mode == 3 ? 3 * (size_t)x : 2 * (size_t)x);
    size_t need = mode == 3 ? 3 : mode == 2 || mode == 4 ? 2 : 1;
    if (at + need > data->size)
        return;
    if (mode == 3) {
        memcpy(rgba, data->bytes + at, 3);
        rgba[3] = 255;
        return;
    }
    uint16_t color = need == 2   ? (uint16_t)(data->bytes[at] | (unsigned)data->bytes[at + 1] << 8)
                     : mode == 0 ? entry_of(clut, data->bytes[at] >> 4 * (x % 2) & 15, 4)
                                 : entry_of(clut, data->bytes[at], 8);
    if (color)
        psx_put_color(rgba, color);
}

int tim_render_image_png(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_buf *out,
                         struct anm_error *err)
{
    const struct psx_doc *doc = psx_const(anm);
    const struct psx_image *image = &doc->images[ref->id[0]];
    struct anm_frame_box box = {0, 0, pixels_in(image), image->pixels->h};
    box.w = box.w > IMAGE_MAX ? IMAGE_MAX : box.w ? box.w : 1;
    box.h = box.h > IMAGE_MAX ? IMAGE_MAX : box.h ? box.h : 1;
    ANM_AUTO(anm_freep) uint8_t *rgba = anm_alloc(0, (size_t)box.w * box.h, 4);
    if (!rgba)
        return anm_fail_nomem(err);
    for (uint32_t y = 0; y < box.h && y < image->pixels->h; y++)
        for (uint32_t x = 0; x < box.w && x < pixels_in(image); x++)
            draw_pixel(doc, image, x, y, rgba + 4 * ((size_t)y * box.w + x));
    return anm_png_put(out, &box, rgba, err);
}
