/* SPDX-License-Identifier: MIT */
/* .anmfs/info.json: what the file is, counts, and what is unusual about it (formats: PSX 5, and its additions). */
#include "psx_tree.h"

#include "anm/psx_vram.h"

#include "json.h"

#include <stdio.h>
#include <string.h>

enum { VRAM_W = 1024, VRAM_H = 512 };

static uint32_t count_sprites(const struct psx_doc *doc)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < doc->group_count; i++)
        count += doc->groups[i]->count;
    return count;
}

static bool warn_blocks(cJSON *w, const char *what, uint32_t number, const struct psx_block *block)
{
    size_t need = 2 * (size_t)block->w * block->h;
    bool ok = true;
    if (block->bnum != 12 + need)
        ok = anm_json_warn(w, "%s %u: its size is given as %u, and is %zu", what, number, block->bnum, 12 + need);
    if (block->data->size < need)
        ok = ok && anm_json_warn(w, "%s %u: %zu of %zu bytes are there", what, number, block->data->size, need);
    if (block->x + block->w > VRAM_W || block->y + block->h > VRAM_H)
        ok = ok && anm_json_warn(w, "%s %u reaches past the edge of VRAM", what, number);
    return ok;
}

static bool warn_cluts(cJSON *w, const struct psx_doc *doc)
{
    bool ok = true;
    for (uint32_t i = 0; i < doc->clut_count && ok; i++) {
        ok = warn_blocks(w, "palette", i, doc->cluts[i]);
        if (doc->cluts[i]->x % 16)
            ok = ok && anm_json_warn(w, "palette %u: no sprite can name x %u, which is no multiple of 16", i,
                                     (unsigned)doc->cluts[i]->x);
    }
    return ok;
}

/* Sprites whose bits are not as the editor writes them. */
static bool warn_sprites(cJSON *w, const struct psx_doc *doc)
{
    uint32_t reserved = 0, depth = 0, other = 0, first = 0, hidden = 0, nothing = 0;
    for (uint32_t g = 0; g < doc->group_count; g++)
        for (uint32_t i = 0; i < doc->groups[g]->count; i++) {
            const struct psx_sprite *s = &doc->groups[g]->sprites[i];
            reserved += psx_sprite_get(s, PSX_FLAG_9) || (doc->version >= 2 && psx_sprite_get(s, PSX_FLAG2_1)) ||
                        (doc->version < 3 && psx_sprite_get(s, PSX_ABE));
            depth += psx_sprite_get(s, PSX_TPF) == 3;
            other +=
                doc->version >= 2 && psx_sprite_get(s, PSX_TPF) != 3 && psx_sprite_get(s, PSX_TPF) != (doc->flags & 3);
            first += doc->version >= 2 && psx_sprite_get(s, PSX_FIRST) != (i == 0);
            hidden += (!psx_sprite_get(s, PSX_RSZ) && s->w[4] != 0x10001000) ||
                      (!psx_sprite_get(s, PSX_ROT) && psx_sprite_get(s, PSX_ANGLE));
            nothing +=
                psx_sprite_get(s, PSX_RSZ) && (!psx_sprite_get(s, PSX_SCALE_X) || !psx_sprite_get(s, PSX_SCALE_Y));
        }
    bool ok = !reserved || anm_json_warn(w, "%u sprites have reserved bits", reserved);
    ok = ok && (!depth || anm_json_warn(w, "%u sprites have the reserved depth", depth));
    ok = ok && (!other || anm_json_warn(w, "%u sprites have another depth than the header", other));
    ok = ok && (!first || anm_json_warn(w, "%u sprites do not say by FLAG2 whether they are the first", first));
    ok = ok && (!hidden || anm_json_warn(w, "%u sprites have a scale or angle that does not count", hidden));
    return ok && (!nothing || anm_json_warn(w, "%u sprites are scaled to nothing", nothing));
}

static bool warn_sequence(cJSON *w, const struct psx_doc *doc)
{
    uint32_t missing = 0, unused = 0;
    for (uint32_t i = 0; i < doc->sequence->count; i++) {
        const struct psx_entry *e = &doc->sequence->entries[i];
        missing += psx_is(doc, &anm_psx) && (uint32_t)psx_entry_get(e, PSX_GROUP) >= doc->group_count;
        unused += psx_entry_get(e, PSX_UNUSED) || (psx_entry_version(doc) < 3 && psx_entry_get(e, PSX_ATTR));
    }
    bool ok = !missing || anm_json_warn(w, "%u sequence entries name a group that is not there", missing);
    return ok && (!unused || anm_json_warn(w, "%u sequence entries have unused bits", unused));
}

static bool warn_images(cJSON *w, const struct psx_doc *doc)
{
    bool ok = true;
    for (uint32_t i = 0; i < doc->image_count && ok; i++) {
        ok = !(doc->images[i].flag & ~15u) || anm_json_warn(w, "image %u has reserved flag bits", i);
        if (!doc->images[i].pixels)
            ok = ok && anm_json_warn(w, "image %u has no pixels", i);
        else
            ok = ok && warn_blocks(w, "image", i, doc->images[i].pixels);
    }
    return ok;
}

static bool add_images(cJSON *root, const struct psx_doc *doc)
{
    cJSON *images = cJSON_AddArrayToObject(root, "images");
    bool ok = images != NULL;
    for (uint32_t i = 0; i < doc->image_count && ok; i++) {
        static const uint8_t depths[] = {4, 8, 16, 24, 0, 8};
        const struct psx_image *image = &doc->images[i];
        unsigned depth = depths[image->flag & PSX_PMODE];
        cJSON *object = cJSON_CreateObject();
        ok = object && cJSON_AddItemToArray(images, object);
        if (!ok) {
            cJSON_Delete(object);
            return false;
        }
        ok =
            depth ? anm_json_number(object, "depth", depth) : cJSON_AddStringToObject(object, "depth", "mixed") != NULL;
        if (image->pixels)
            ok = ok && anm_json_number(object, "x", image->pixels->x) &&
                 anm_json_number(object, "y", image->pixels->y) &&
                 anm_json_number(object, "width", image->pixels->w * (depth ? 16.0 / depth : 1)) &&
                 anm_json_number(object, "height", image->pixels->h);
    }
    return ok;
}

static bool add_counts(cJSON *root, const struct psx_doc *doc)
{
    if (psx_is(doc, &anm_tim))
        return anm_json_number(root, "cluts", doc->clut_count) && add_images(root, doc);
    bool ok = anm_json_number(root, "entries", doc->sequence->count);
    if (psx_is(doc, &anm_psx))
        ok = ok && cJSON_AddStringToObject(root, "layout", doc->fixed ? "fixed" : "compact") &&
             anm_json_number(root, "frames", doc->group_count) &&
             anm_json_number(root, "sprites", count_sprites(doc)) && anm_json_number(root, "cluts", doc->clut_count);
    return ok;
}

/* The name of the last file given that has something in an area; NULL: none. */
static const char *file_at(const struct anm_given *given, const struct psx_area *area)
{
    const char *name = NULL;
    for (uint32_t f = 0; given && f < given->count; f++) {
        const struct psx_doc *tim = psx_const(given->files[f].doc);
        for (uint32_t i = 0; tim->doc.format == &anm_tim && i < tim->image_count; i++) {
            const struct psx_image *image = &tim->images[i];
            if ((image->pixels && psx_touches(image->pixels, area)) ||
                (image->flag & PSX_HAS_CLUT && psx_touches(tim->cluts[image->clut], area)))
                name = given->files[f].name;
        }
    }
    return name;
}

/* Adds a file's name, or null where there is none. */
static bool add_file(cJSON *object, const char *key, const char *name)
{
    return (name ? cJSON_AddStringToObject(object, key, name) : cJSON_AddNullToObject(object, key)) != NULL;
}

/* Where a sprite finds its texels and its palette. */
static bool add_sprite(cJSON *array, const struct psx_doc *doc, uint32_t group, uint32_t i, uint32_t *missing)
{
    const struct psx_sprite *sprite = &doc->groups[group]->sprites[i];
    struct psx_area texels = psx_texels(sprite), palette = psx_palette(sprite);
    const char *tim = file_at(doc->given, &texels), *clut = file_at(doc->given, &palette);
    cJSON *object = cJSON_CreateObject();
    *missing += !tim || (palette.w && !clut);
    if (!object || !cJSON_AddItemToArray(array, object)) {
        cJSON_Delete(object);
        return false;
    }
    return anm_json_number(object, "frame", group) && anm_json_number(object, "line", i + 1) &&
           add_file(object, "tim", tim) && (!palette.w || add_file(object, "clut", clut));
}

static bool add_sprites(cJSON *root, cJSON *w, const struct psx_doc *doc)
{
    uint32_t missing = 0;
    cJSON *array = psx_is(doc, &anm_psx) ? cJSON_AddArrayToObject(root, "images_of") : NULL;
    if (!array)
        return !psx_is(doc, &anm_psx);
    for (uint32_t g = 0; g < doc->group_count; g++)
        for (uint32_t i = 0; i < doc->groups[g]->count; i++)
            if (!add_sprite(array, doc, g, i, &missing))
                return false;
    bool ok = !missing || anm_json_warn(w, "%u sprites find no image or no palette", missing);
    return ok && (!doc->given || !doc->given->left_off || anm_json_warn(w, "there are more image files than are read"));
}

static bool add_warnings(cJSON *root, const struct psx_doc *doc)
{
    cJSON *w = cJSON_AddArrayToObject(root, "warnings");
    bool ok = w && warn_cluts(w, doc) && warn_sprites(w, doc) && (!doc->sequence || warn_sequence(w, doc)) &&
              warn_images(w, doc);
    ok = ok && (!(psx_is(doc, &anm_psx) && doc->flags >> (doc->version < 2 ? 0 : 2)) ||
                anm_json_warn(w, "reserved bits of the header are set"));
    ok = ok && add_sprites(root, w, doc);
    return ok && (!doc->tail || anm_json_warn(w, "%zu bytes after the end", doc->tail->size));
}

int psx_render_info(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_buf *out, struct anm_error *err)
{
    (void)ref;
    const struct psx_doc *doc = psx_const(anm);
    ANM_AUTO(anm_json_clean) cJSON *root = cJSON_CreateObject();
    bool ok = root && cJSON_AddStringToObject(root, "family", anm->format->family) &&
              (psx_is(doc, &anm_tim) || anm_json_number(root, "version", doc->version)) && add_counts(root, doc) &&
              add_warnings(root, doc);
    return ok ? anm_json_print(root, out, err) : anm_fail_nomem(err);
}
