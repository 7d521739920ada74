/* SPDX-License-Identifier: MIT */
#include "psx_codec.h"

#include "anm/given.h"

#include <stdlib.h>
#include <string.h>

/* --- groups and sequences --- */

struct psx_group *psx_group_new(uint32_t count)
{
    struct psx_group *group = anm_alloc(sizeof *group, count, sizeof group->sprites[0]);
    if (group)
        *group = (struct psx_group){.refs = 1, .count = count};
    return group;
}

struct psx_group *psx_group_ref(struct psx_group *group)
{
    group->refs++;
    return group;
}

void psx_group_unref(struct psx_group *group)
{
    if (group && --group->refs == 0)
        free(group);
}

static bool group_equal(const struct psx_group *a, const struct psx_group *b)
{
    return a == b || (a->count == b->count && memcmp(a->sprites, b->sprites, a->count * sizeof a->sprites[0]) == 0);
}

struct psx_sequence *psx_sequence_new(uint32_t count)
{
    struct psx_sequence *sequence = anm_alloc(sizeof *sequence, count, sizeof sequence->entries[0]);
    if (sequence)
        *sequence = (struct psx_sequence){.refs = 1, .count = count};
    return sequence;
}

struct psx_sequence *psx_sequence_ref(struct psx_sequence *sequence)
{
    if (sequence)
        sequence->refs++;
    return sequence;
}

void psx_sequence_unref(struct psx_sequence *sequence)
{
    if (sequence && --sequence->refs == 0)
        free(sequence);
}

static bool sequence_equal(const struct psx_sequence *a, const struct psx_sequence *b)
{
    return a == b ||
           (a && b && a->count == b->count && memcmp(a->entries, b->entries, a->count * sizeof a->entries[0]) == 0);
}

/* --- blocks --- */

struct psx_block *psx_block_copy(const struct psx_block *block)
{
    struct psx_block *copy = anm_alloc(0, 1, sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *block;
    copy->refs = 1;
    anm_blob_ref(copy->data);
    return copy;
}

struct psx_block *psx_block_new(const struct psx_block *like, const void *data, size_t size)
{
    struct psx_block *block = anm_alloc(0, 1, sizeof *block);
    struct anm_blob *blob = block ? anm_blob_new(data, size) : NULL;
    if (!blob) {
        free(block);
        return NULL;
    }
    if (like)
        *block = *like;
    block->refs = 1;
    block->bnum = (uint32_t)(PSX_BLOCK_HEAD + size);
    block->data = blob;
    return block;
}

struct psx_block *psx_block_ref(struct psx_block *block)
{
    if (block)
        block->refs++;
    return block;
}

void psx_block_unref(struct psx_block *block)
{
    if (!block || --block->refs)
        return;
    anm_blob_unref(block->data);
    free(block);
}

bool psx_block_equal(const struct psx_block *a, const struct psx_block *b)
{
    return a == b || (a && b && a->bnum == b->bnum && a->x == b->x && a->y == b->y && a->w == b->w && a->h == b->h &&
                      a->placed == b->placed && anm_blob_equal(a->data, b->data));
}

/* --- documents --- */

struct psx_doc *psx_new(const struct anm_format *format, uint8_t version)
{
    struct psx_doc *doc = anm_alloc(0, 1, sizeof *doc);
    if (!doc)
        return NULL;
    doc->doc = (struct anm_doc){.format = format, .refs = 1};
    doc->version = version;
    if (format == &anm_tim)
        return doc;
    doc->sequence = psx_sequence_new(0);
    if (doc->sequence)
        return doc;
    free(doc);
    return NULL;
}

void psx_destroy(struct anm_doc *anm)
{
    struct psx_doc *doc = (struct psx_doc *)(void *)anm;
    for (uint32_t i = 0; i < doc->group_count; i++)
        psx_group_unref(doc->groups[i]);
    for (uint32_t i = 0; i < doc->clut_count; i++)
        psx_block_unref(doc->cluts[i]);
    for (uint32_t i = 0; i < doc->image_count; i++)
        psx_block_unref(doc->images[i].pixels);
    free(doc->groups);
    free(doc->cluts);
    free(doc->images);
    psx_sequence_unref(doc->sequence);
    anm_blob_unref(doc->tail);
    anm_given_unref(doc->given);
    free(doc);
}

size_t psx_memory(const struct anm_doc *anm)
{
    const struct psx_doc *doc = psx_const(anm);
    size_t size = sizeof *doc + doc->image_count * sizeof *doc->images;
    for (uint32_t i = 0; i < doc->group_count; i++)
        size += sizeof *doc->groups[i] + doc->groups[i]->count * sizeof *doc->groups[i]->sprites;
    if (doc->sequence)
        size += doc->sequence->count * sizeof *doc->sequence->entries;
    for (uint32_t i = 0; i < doc->clut_count; i++)
        size += sizeof *doc->cluts[i] + doc->cluts[i]->data->size;
    for (uint32_t i = 0; i < doc->image_count; i++)
        size += doc->images[i].pixels ? doc->images[i].pixels->data->size : 0;
    return size + (doc->given ? doc->given->bytes : 0);
}

void psx_clean(struct psx_doc **doc)
{
    if (*doc)
        anm_doc_unref(&(*doc)->doc);
}

struct psx_doc *psx_copy(const struct psx_doc *doc, uint32_t groups, uint32_t cluts)
{
    ANM_AUTO(psx_clean) struct psx_doc *copy = anm_alloc(0, 1, sizeof *copy);
    if (!copy)
        return NULL;
    *copy = (struct psx_doc){.doc = {.format = doc->doc.format, .refs = 1},
                             .version = doc->version,
                             .flags = doc->flags,
                             .fixed = doc->fixed,
                             .sequence = psx_sequence_ref(doc->sequence),
                             .tail = anm_blob_ref(doc->tail),
                             .given = anm_given_ref(doc->given)};
    copy->groups = anm_alloc(0, (size_t)doc->group_count + groups, sizeof(struct psx_group *));
    copy->cluts = anm_alloc(0, (size_t)doc->clut_count + cluts, sizeof(struct psx_block *));
    copy->images = anm_alloc(0, doc->image_count, sizeof(struct psx_image));
    if (!copy->groups || !copy->cluts || !copy->images)
        return NULL;
    for (; copy->group_count < doc->group_count; copy->group_count++)
        copy->groups[copy->group_count] = psx_group_ref(doc->groups[copy->group_count]);
    for (; copy->clut_count < doc->clut_count; copy->clut_count++)
        copy->cluts[copy->clut_count] = psx_block_ref(doc->cluts[copy->clut_count]);
    for (; copy->image_count < doc->image_count; copy->image_count++) {
        copy->images[copy->image_count] = doc->images[copy->image_count];
        psx_block_ref(copy->images[copy->image_count].pixels);
    }
    struct psx_doc *done = copy;
    copy = NULL;
    return done;
}

struct anm_doc *psx_with(const struct anm_doc *anm, const struct anm_given *given)
{
    struct psx_doc *doc = psx_copy(psx_const(anm), 0, 0);
    if (!doc)
        return NULL;
    anm_given_unref(doc->given);
    doc->given = anm_given_ref(given);
    return &doc->doc;
}

void psx_set_group(struct psx_doc *doc, uint32_t i, struct psx_group *group)
{
    struct psx_group *old = doc->groups[i];
    bool same = group_equal(old, group);
    doc->groups[i] = same ? old : group;
    psx_group_unref(same ? group : old);
}

void psx_set_sequence(struct psx_doc *doc, struct psx_sequence *sequence)
{
    struct psx_sequence *old = doc->sequence;
    bool same = sequence_equal(old, sequence);
    doc->sequence = same ? old : sequence;
    psx_sequence_unref(same ? sequence : old);
}

/* Puts `block` in *place. */
static void set_block(struct psx_block **place, struct psx_block *block)
{
    struct psx_block *old = *place;
    bool same = psx_block_equal(old, block);
    *place = same ? old : block;
    psx_block_unref(same ? block : old);
}

void psx_set_clut(struct psx_doc *doc, uint32_t i, struct psx_block *block)
{
    set_block(&doc->cluts[i], block);
}

void psx_set_pixels(struct psx_doc *doc, uint32_t image, struct psx_block *block)
{
    set_block(&doc->images[image].pixels, block);
}

static bool image_equal(const struct psx_image *a, const struct psx_image *b)
{
    return a->head == b->head && a->flag == b->flag && a->clut == b->clut && psx_block_equal(a->pixels, b->pixels);
}

bool psx_doc_equal(const struct psx_doc *a, const struct psx_doc *b)
{
    bool same = a->doc.format == b->doc.format && a->version == b->version && a->flags == b->flags &&
                a->fixed == b->fixed && a->group_count == b->group_count && a->clut_count == b->clut_count &&
                a->image_count == b->image_count && sequence_equal(a->sequence, b->sequence) &&
                anm_blob_equal(a->tail, b->tail);
    for (uint32_t i = 0; same && i < a->group_count; i++)
        same = group_equal(a->groups[i], b->groups[i]);
    for (uint32_t i = 0; same && i < a->clut_count; i++)
        same = psx_block_equal(a->cluts[i], b->cluts[i]);
    for (uint32_t i = 0; same && i < a->image_count; i++)
        same = image_equal(&a->images[i], &b->images[i]);
    return same;
}
