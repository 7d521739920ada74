/* SPDX-License-Identifier: MIT */
#include "gem_tree.h"

#include <stdlib.h>
#include <string.h>

static void index_free(void *cache)
{
    struct gem_index *index = cache;
    if (!index)
        return;
    free(index->order);
    free(index->numbers);
    free(index->first);
    free(index->at);
    free(index->mesh_first);
    free(index->meshes);
    free(index->mirrored);
    anm_names_free(&index->names);
    free(index);
}

static void index_clean(struct gem_index **index)
{
    index_free(*index);
}

bool gem_ascending(const struct gem_doc *doc)
{
    for (uint32_t i = 1; i < doc->frame_count; i++)
        if (gem_frame_rank(doc->frames[i - 1]) > gem_frame_rank(doc->frames[i]))
            return false;
    return true;
}

static int compare_frames(const void *left, const void *right, void *frames)
{
    uint32_t i = *(const uint32_t *)left, k = *(const uint32_t *)right;
    struct gem_frame **at = frames;
    uint64_t a = gem_frame_rank(at[i]), b = gem_frame_rank(at[k]);
    return a != b ? (a > b) - (a < b) : (i > k) - (i < k);
}

static bool index_frames(struct gem_index *index, const struct gem_doc *doc)
{
    uint32_t count = doc->frame_count;
    index->order = anm_alloc(0, count, sizeof *index->order);
    index->numbers = anm_alloc(0, count, sizeof *index->numbers);
    if (!index->order || !index->numbers)
        return false;
    for (uint32_t i = 0; i < count; i++)
        index->order[i] = i;
    if (!gem_ascending(doc))
        qsort_r(index->order, count, sizeof *index->order, compare_frames, doc->frames);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = doc->frames[index->order[i]]->number;
        if (index->number_count == 0 || index->numbers[index->number_count - 1] != number)
            index->numbers[index->number_count++] = number;
    }
    return true;
}

/* Counts, then places: `first` holds the next free place of each track while it is filled. */
static bool index_tracks(struct gem_index *index, const struct gem_doc *doc)
{
    uint32_t bones = doc->bones->count;
    size_t keys = 0;
    index->first = anm_alloc(0, (size_t)bones + 1, sizeof *index->first);
    index->mirrored = anm_alloc(0, bones, sizeof *index->mirrored);
    for (uint32_t f = 0; f < doc->frame_count; f++)
        keys += doc->frames[f]->count;
    index->at = keys > UINT32_MAX ? NULL : anm_alloc(0, keys, sizeof *index->at);
    if (!index->first || !index->mirrored || !index->at)
        return false;
    for (uint32_t f = 0; f < doc->frame_count; f++) {
        const struct gem_frame *frame = doc->frames[f];
        for (uint32_t k = 0; k < frame->count; k++) {
            index->first[frame->keys[k].bone]++;
            if (frame->kind != GEM_FRMN && frame->keys[k].flags & GEM_MIRRORED)
                index->mirrored[frame->keys[k].bone]++;
        }
    }
    uint32_t place = 0;
    for (uint32_t b = 0; b <= bones; b++) {
        uint32_t count = index->first[b];
        index->first[b] = place;
        place += count;
    }
    for (uint32_t i = 0; i < doc->frame_count; i++) {
        const struct gem_frame *frame = doc->frames[index->order[i]];
        for (uint32_t k = 0; k < frame->count; k++)
            index->at[index->first[frame->keys[k].bone]++] = (struct gem_at){index->order[i], k};
    }
    memmove(index->first + 1, index->first, bones * sizeof *index->first);
    index->first[0] = 0;
    return true;
}

static bool index_meshes(struct gem_index *index, const struct gem_doc *doc)
{
    size_t count = 0;
    for (uint32_t f = 0; f < doc->frame_count; f++)
        for (uint32_t k = 0; k < doc->frames[f]->count; k++)
            count += doc->frames[f]->keys[k].mesh != NULL;
    index->mesh_first = anm_alloc(0, (size_t)doc->frame_count + 1, sizeof *index->mesh_first);
    index->meshes = anm_alloc(0, count, sizeof *index->meshes);
    if (!index->mesh_first || !index->meshes)
        return false;
    uint32_t place = 0;
    for (uint32_t f = 0; f < doc->frame_count; f++) {
        for (uint32_t k = 0; k < doc->frames[f]->count; k++)
            if (doc->frames[f]->keys[k].mesh)
                index->meshes[place++] = k;
        index->mesh_first[f + 1] = place;
    }
    return true;
}

static bool index_names(struct gem_index *index, const struct gem_doc *doc)
{
    if (anm_names_start(&index->names, "bone", doc->bones->count))
        return false;
    for (uint32_t b = 0; b < doc->bones->count; b++) {
        const struct gem_bone *bone = &doc->bones->bones[b];
        index->names.at[b] = (struct anm_named){bone->name->bytes, bone->name->size, bone->ordinal};
    }
    return anm_names_done(&index->names) == 0;
}

const struct gem_index *gem_index(const struct gem_doc *doc, struct anm_error *err)
{
    if (doc->cache)
        return doc->cache;
    ANM_AUTO(index_clean) struct gem_index *index = anm_alloc(sizeof *index, 0, 0);
    if (!index || !index_frames(index, doc) || !index_tracks(index, doc) || !index_meshes(index, doc) ||
        !index_names(index, doc)) {
        if (err)
            anm_fail_nomem(err);
        return NULL;
    }
    /* The cache is not part of the document's value: the one thing about it that changes after it was built. */
    struct gem_doc *owner = (struct gem_doc *)doc;
    owner->cache = index;
    owner->cache_free = index_free;
    index = NULL;
    return owner->cache;
}

bool gem_find_frame(const struct gem_doc *doc, const struct gem_index *index, uint32_t number, uint32_t ordinal,
                    uint32_t *frame)
{
    uint32_t low = 0, high = doc->frame_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (gem_frame_rank(doc->frames[index->order[middle]]) < gem_rank(number, ordinal))
            low = middle + 1;
        else
            high = middle;
    }
    if (low == doc->frame_count)
        return false;
    *frame = index->order[low];
    return gem_frame_rank(doc->frames[*frame]) == gem_rank(number, ordinal);
}

const struct gem_key *gem_find_key(const struct gem_frame *frame, uint32_t bone, uint32_t ordinal, uint32_t *hint)
{
    for (uint32_t i = 0; i < frame->count; i++) {
        uint32_t k = *hint + i < frame->count ? *hint + i : *hint + i - frame->count;
        if (frame->keys[k].bone == bone && frame->keys[k].ordinal == ordinal) {
            *hint = k + 1 < frame->count ? k + 1 : 0;
            return &frame->keys[k];
        }
    }
    return NULL;
}
