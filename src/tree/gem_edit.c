/* SPDX-License-Identifier: MIT */
#include "gem_tree.h"

#include <stdlib.h>
#include <string.h>

void gem_clean(struct gem_doc **doc)
{
    if (*doc)
        anm_doc_unref(&(*doc)->doc);
}

void gem_frame_clean(struct gem_frame **frame)
{
    gem_frame_unref(*frame);
}

struct gem_key gem_key_copy(const struct gem_key *key)
{
    struct gem_key copy = *key;
    copy.mesh = anm_blob_ref(key->mesh);
    return copy;
}

uint8_t gem_parts_without(uint8_t parts, unsigned part)
{
    unsigned result = 0, at = 0;
    for (unsigned rest = parts; rest; rest >>= 2) {
        if ((rest & 3) == part)
            continue;
        result |= (rest & 3) << at;
        at += 2;
    }
    return (uint8_t)result;
}

uint8_t gem_parts_with(uint8_t parts, unsigned part)
{
    unsigned at = 0;
    for (unsigned rest = parts; rest; rest >>= 2, at += 2)
        if ((rest & 3) == part)
            return parts;
    return (uint8_t)(parts | part << at);
}

struct gem_frame *gem_frame_like(const struct gem_frame *old, uint32_t count)
{
    struct gem_frame *frame = gem_frame_new(old->number, old->ordinal, old->kind, count);
    if (frame)
        frame->count = 0;
    return frame;
}

static unsigned part_flag(unsigned part)
{
    return part == GEM_PART_MATR ? GEM_MATRIX : part == GEM_PART_VISI ? GEM_VISI : part == GEM_PART_MESH ? GEM_MESH : 0;
}

bool gem_can_join(const struct gem_frame *frame, uint32_t key)
{
    if (key == 0 || frame->kind != GEM_FRMN || frame->keys[key - 1].bone != frame->keys[key].bone)
        return false;
    for (unsigned rest = frame->keys[key].parts; rest; rest >>= 2)
        if (frame->keys[key].flags & part_flag(rest & 3))
            return frame->keys[key - 1].flags & part_flag(rest & 3);
    return false;
}

void gem_settle_joined(struct gem_frame *frame)
{
    for (uint32_t k = 0; k < frame->count; k++)
        if (frame->keys[k].flags & GEM_JOINED && !gem_can_join(frame, k))
            frame->keys[k].flags &= ~(uint32_t)GEM_JOINED;
}

uint32_t gem_key_place(const struct gem_frame *frame, uint32_t bone)
{
    uint32_t k = 0;
    while (k < frame->count && frame->keys[k].bone <= bone)
        k++;
    return k;
}

bool gem_frame_equal(const struct gem_frame *a, const struct gem_frame *b)
{
    if (a == b)
        return true;
    if (a->number != b->number || a->ordinal != b->ordinal || a->kind != b->kind || a->count != b->count)
        return false;
    for (uint32_t k = 0; k < a->count; k++)
        if (!gem_key_equal(&a->keys[k], &b->keys[k]))
            return false;
    return true;
}

void gem_set_frame(struct gem_doc *doc, uint32_t i, struct gem_frame *frame)
{
    bool equal = gem_frame_equal(doc->frames[i], frame);
    gem_frame_unref(equal ? frame : doc->frames[i]);
    if (!equal)
        doc->frames[i] = frame;
}

int gem_insert_frame(struct gem_doc *doc, uint32_t i, struct gem_frame *frame, struct anm_error *err)
{
    struct gem_frame **frames =
        frame ? anm_realloc(doc->frames, (size_t)doc->frame_count + 1, sizeof *doc->frames) : NULL;
    if (!frames) {
        gem_frame_unref(frame);
        return anm_fail_nomem(err);
    }
    doc->frames = frames;
    memmove(frames + i + 1, frames + i, (doc->frame_count - i) * sizeof *frames);
    frames[i] = frame;
    doc->frame_count++;
    return 0;
}

void gem_drop_frame(struct gem_doc *doc, uint32_t i)
{
    gem_frame_unref(doc->frames[i]);
    doc->frame_count--;
    memmove(doc->frames + i, doc->frames + i + 1, (doc->frame_count - i) * sizeof *doc->frames);
}

uint32_t gem_frame_place(const struct gem_doc *doc, uint64_t rank)
{
    uint32_t i = doc->frame_count;
    while (i && gem_frame_rank(doc->frames[i - 1]) > rank)
        i--;
    return i;
}

static uint32_t needed_length(const struct gem_doc *doc)
{
    int64_t needed = gem_last(doc) + 1;
    return needed > GEM_NUMBER_MAX ? GEM_NUMBER_MAX : (uint32_t)needed;
}

/* The length follows the last frame when it did in `old`; else it only grows when it became too small. */
static void follow(const struct gem_doc *old, struct gem_doc *doc)
{
    uint32_t needed = needed_length(doc);
    if (old->length == needed_length(old) || doc->length < needed)
        doc->length = needed;
}

static bool same_bones(const struct gem_bonemap *a, const struct gem_bonemap *b)
{
    if (a == b)
        return true;
    if (a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (a->bones[i].ordinal != b->bones[i].ordinal || !anm_blob_equal(a->bones[i].name, b->bones[i].name))
            return false;
    return true;
}

static bool same_head(const struct gem_doc *a, const struct gem_doc *b)
{
    if (a->coding != b->coding || strcmp(a->layout, b->layout) != 0 || a->comment_count != b->comment_count)
        return false;
    for (uint32_t i = 0; i < a->comment_count; i++)
        if (!anm_blob_equal(a->comments[i], b->comments[i]))
            return false;
    return same_bones(a->bones, b->bones);
}

static bool same_frames(const struct gem_doc *a, const struct gem_doc *b)
{
    for (uint32_t i = 0; a->frame_count == b->frame_count && i < a->frame_count; i++)
        if (!gem_frame_equal(a->frames[i], b->frames[i]))
            return false;
    return a->frame_count == b->frame_count;
}

static bool same_doc(const struct gem_doc *a, const struct gem_doc *b)
{
    return a->version == b->version && a->length == b->length && a->kind == b->kind && same_head(a, b) &&
           same_frames(a, b);
}

/* A frame rebuilt just as it was is the old one: what changed is found by comparing pointers. */
static void share_frames(const struct gem_doc *old, struct gem_doc *doc)
{
    for (uint32_t i = 0; i < old->frame_count && i < doc->frame_count; i++)
        if (doc->frames[i] != old->frames[i] && gem_frame_equal(doc->frames[i], old->frames[i])) {
            gem_frame_unref(doc->frames[i]);
            doc->frames[i] = gem_frame_ref(old->frames[i]);
        }
}

struct anm_doc *gem_finish(const struct gem_doc *old, struct gem_doc **doc, struct anm_error *err)
{
    if ((*doc)->frame_count)
        (*doc)->kind = (*doc)->frames[0]->kind; /* as a load finds it */
    share_frames(old, *doc);
    if (same_doc(old, *doc))
        return anm_doc_ref(&old->doc);
    if (gem_editable(old, err) || gem_check_limits(*doc, old, err) || gem_check_names(*doc, err))
        return NULL;
    struct anm_doc *done = &(*doc)->doc;
    *doc = NULL;
    return done;
}

struct anm_doc *gem_finish_frames(const struct gem_doc *old, struct gem_doc **doc, struct anm_error *err)
{
    if (!same_frames(old, *doc))
        follow(old, *doc);
    return gem_finish(old, doc, err);
}
