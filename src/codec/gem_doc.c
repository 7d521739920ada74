/* SPDX-License-Identifier: MIT */
#include "gem_codec.h"

#include <stdlib.h>
#include <string.h>

const char gem_tags[GEM_TAGS][5] = {"FRMN", "FRM2", "FRM3", "FRMS", "CMNT", "BMAP", "BONE", "MATR", "VISI", "MESH"};

/* --- frames --- */

struct gem_frame *gem_frame_new(uint32_t number, uint16_t ordinal, enum gem_kind kind, uint32_t count)
{
    struct gem_frame *frame = anm_alloc(sizeof *frame, count, sizeof frame->keys[0]);
    if (!frame)
        return NULL;
    frame->refs = 1;
    frame->number = number;
    frame->ordinal = ordinal;
    frame->kind = (uint8_t)kind;
    frame->count = count;
    return frame;
}

struct gem_frame *gem_frame_copy(const struct gem_frame *frame)
{
    struct gem_frame *copy = gem_frame_new(frame->number, frame->ordinal, frame->kind, frame->count);
    if (!copy)
        return NULL;
    for (uint32_t i = 0; i < frame->count; i++) {
        copy->keys[i] = frame->keys[i];
        anm_blob_ref(copy->keys[i].mesh);
    }
    return copy;
}

struct gem_frame *gem_frame_ref(struct gem_frame *frame)
{
    frame->refs++;
    return frame;
}

void gem_frame_unref(struct gem_frame *frame)
{
    if (!frame || --frame->refs > 0)
        return;
    for (uint32_t i = 0; i < frame->count; i++)
        anm_blob_unref(frame->keys[i].mesh);
    free(frame);
}

/* --- bone maps --- */

struct gem_bonemap *gem_bonemap_new(uint32_t count)
{
    struct gem_bonemap *map = anm_alloc(sizeof *map, count, sizeof map->bones[0]);
    if (!map)
        return NULL;
    map->refs = 1;
    map->count = count;
    return map;
}

struct gem_bonemap *gem_bonemap_ref(struct gem_bonemap *map)
{
    map->refs++;
    return map;
}

void gem_bonemap_unref(struct gem_bonemap *map)
{
    if (!map || --map->refs > 0)
        return;
    for (uint32_t i = 0; i < map->count; i++)
        anm_blob_unref(map->bones[i].name);
    free(map);
}

/* --- numbering what is equal --- */

static uint16_t ordinal_after(uint16_t ordinal)
{
    return ordinal < UINT16_MAX ? (uint16_t)(ordinal + 1) : ordinal;
}

/* One pass for each block of 256 bone indices: linear whatever the keys are, and without memory of its own. */
void gem_frame_number_keys(struct gem_frame *frame)
{
    bool blocks[256] = {false};
    for (uint32_t i = 0; i < frame->count; i++)
        blocks[frame->keys[i].bone >> 8] = true;
    for (unsigned block = 0; block < 256; block++) {
        if (!blocks[block])
            continue;
        uint16_t last[256] = {0};
        for (uint32_t i = 0; i < frame->count; i++) {
            struct gem_key *key = &frame->keys[i];
            if (key->bone >> 8 == block)
                key->ordinal = last[key->bone & 0xff] = ordinal_after(last[key->bone & 0xff]);
        }
    }
}

static int by_number(const void *a, const void *b, void *arg)
{
    struct gem_frame *const *frames = arg;
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    uint32_t m = frames[i]->number, n = frames[j]->number;
    return m != n ? (m < n ? -1 : 1) : (i < j ? -1 : i > j);
}

/* Sorting costs little next to reading a file, and unlike hashing no file can make it slow. */
static uint32_t *sorted(uint32_t count, int (*compare)(const void *, const void *, void *), void *arg)
{
    uint32_t *order = anm_alloc(0, count, sizeof *order);
    if (!order)
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    qsort_r(order, count, sizeof *order, compare, arg);
    return order;
}

uint32_t *gem_time_order(const struct gem_doc *doc)
{
    return sorted(doc->frame_count, by_number, doc->frames);
}

int gem_number_frames(struct gem_frame **frames, uint32_t count)
{
    ANM_AUTO(anm_freep) uint32_t *order = sorted(count, by_number, frames);
    if (!order)
        return -1;
    for (uint32_t i = 0; i < count; i++) {
        const struct gem_frame *before = i ? frames[order[i - 1]] : NULL;
        struct gem_frame *frame = frames[order[i]];
        frame->ordinal = before && before->number == frame->number ? ordinal_after(before->ordinal) : 1;
    }
    return 0;
}

static int compare_names(const struct anm_blob *a, const struct anm_blob *b)
{
    int order = memcmp(a->bytes, b->bytes, a->size < b->size ? a->size : b->size);
    return order ? order : (a->size > b->size) - (a->size < b->size);
}

static int by_name(const void *a, const void *b, void *arg)
{
    const struct gem_bone *bones = arg;
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    int order = compare_names(bones[i].name, bones[j].name);
    return order ? order : (i < j ? -1 : i > j);
}

int gem_number_bones(struct gem_bonemap *map)
{
    ANM_AUTO(anm_freep) uint32_t *order = sorted(map->count, by_name, map->bones);
    if (!order)
        return -1;
    for (uint32_t i = 0; i < map->count; i++) {
        const struct gem_bone *before = i ? &map->bones[order[i - 1]] : NULL;
        struct gem_bone *bone = &map->bones[order[i]];
        bone->ordinal = before && anm_blob_equal(before->name, bone->name) ? ordinal_after(before->ordinal) : 1;
    }
    return 0;
}

/* --- keys --- */

/* The parts of a FRMN key that are there, in their order, in the coding of gem_key.parts. */
static unsigned parts_present(const struct gem_key *key)
{
    const uint32_t flags[] = {0, GEM_MATRIX, GEM_VISI, GEM_MESH};
    unsigned present = 0, shift = 0;
    for (unsigned parts = key->parts; parts & 3; parts >>= 2)
        if (key->flags & flags[parts & 3]) {
            present |= (parts & 3) << shift;
            shift += 2;
        }
    return present;
}

bool gem_key_equal(const struct gem_key *a, const struct gem_key *b)
{
    return a->bone == b->bone && a->ordinal == b->ordinal && a->flags == b->flags &&
           memcmp(a->v, b->v, sizeof a->v) == 0 && a->visi == b->visi && parts_present(a) == parts_present(b) &&
           anm_blob_equal(a->mesh, b->mesh);
}

/* --- documents --- */

struct gem_doc *gem_new(uint32_t version, enum gem_kind kind)
{
    struct gem_doc *doc = anm_alloc(sizeof *doc, 0, 0);
    if (!doc)
        return NULL;
    doc->doc = (struct anm_doc){.format = &anm_gem, .refs = 1};
    doc->version = version;
    doc->kind = (uint8_t)kind;
    memcpy(doc->layout, "FB", 3);
    doc->bones = gem_bonemap_new(0);
    doc->comments = anm_alloc(0, 0, sizeof(void *));
    doc->frames = anm_alloc(0, 0, sizeof(void *));
    if (doc->bones && doc->comments && doc->frames)
        return doc;
    anm_doc_unref(&doc->doc);
    return NULL;
}

struct gem_doc *gem_copy(const struct gem_doc *doc)
{
    struct gem_doc *copy = anm_alloc(sizeof *copy, 0, 0);
    ANM_AUTO(anm_freep) void *frames = anm_alloc(0, doc->frame_count, sizeof(void *));
    ANM_AUTO(anm_freep) void *comments = anm_alloc(0, doc->comment_count, sizeof(void *));
    if (!copy || !frames || !comments) {
        free(copy);
        return NULL;
    }
    *copy = *doc;
    copy->doc.refs = 1;
    copy->cache = NULL;
    copy->cache_free = NULL;
    gem_bonemap_ref(copy->bones);
    copy->frames = memcpy(frames, doc->frames, doc->frame_count * sizeof(void *));
    copy->comments = memcpy(comments, doc->comments, doc->comment_count * sizeof(void *));
    frames = comments = NULL;
    for (uint32_t i = 0; i < copy->frame_count; i++)
        gem_frame_ref(copy->frames[i]);
    for (uint32_t i = 0; i < copy->comment_count; i++)
        anm_blob_ref(copy->comments[i]);
    return copy;
}

int gem_editable(const struct gem_doc *doc, struct anm_error *err)
{
    if (!doc->guessed)
        return 0;
    return anm_fail(err, ANM_DENIED,
                    "a bone name of 128 bytes or more has one length byte, whose coding is not known: "
                    "the file can be read, not changed");
}

int64_t gem_last(const struct gem_doc *doc)
{
    int64_t last = -1;
    for (uint32_t i = 0; i < doc->frame_count; i++)
        if (doc->frames[i]->number > last)
            last = doc->frames[i]->number;
    return last;
}

/* --- limits --- */

unsigned gem_number_width(uint32_t length, unsigned kind)
{
    if (kind == GEM_FRM2)
        return 2;
    if (kind == GEM_FRMN || length > 65536)
        return 4;
    return length > 256 ? 2 : 1;
}

static int check_keys(const struct gem_frame *frame, bool many_bones, struct anm_error *err)
{
    const char *tag = gem_tags[frame->kind];
    if (frame->count > UINT8_MAX)
        return anm_fail(err, ANM_LIMIT, "frame %u: %u keys, %s holds at most 255", frame->number, frame->count, tag);
    for (uint32_t i = 0; many_bones && i < frame->count; i++)
        if (frame->keys[i].bone > UINT8_MAX)
            return anm_fail(err, ANM_LIMIT, "frame %u: a key of bone %u, %s ends at bone 255", frame->number,
                            frame->keys[i].bone, tag);
    return 0;
}

static int check_frames(const struct gem_doc *doc, struct anm_error *err)
{
    static const uint32_t highest[] = {0, UINT8_MAX, UINT16_MAX, 0, INT32_MAX};
    for (uint32_t i = 0; i < doc->frame_count; i++) {
        const struct gem_frame *frame = doc->frames[i];
        uint32_t end = highest[gem_number_width(doc->length, frame->kind)];
        if (frame->number > end)
            return anm_fail(err, ANM_LIMIT, "frame %u: %s numbers end at %u in a file of length %u", frame->number,
                            gem_tags[frame->kind], end, doc->length);
        if (frame->kind != GEM_FRMN && check_keys(frame, doc->bones->count > 256, err))
            return -1;
    }
    return 0;
}

/* The bones that FRM2 and FRM3 frames have to share indices of one byte for; 0 without such frames. */
static uint32_t byte_bones(const struct gem_doc *doc)
{
    for (uint32_t i = 0; doc && i < doc->frame_count; i++)
        if (doc->frames[i]->kind != GEM_FRMN)
            return doc->bones->count;
    return 0;
}

/* The longest name with a length of one byte; 0 in other files. */
static size_t longest_name(const struct gem_doc *doc)
{
    size_t longest = 0;
    for (uint32_t i = 0; doc && doc->coding == GEM_STRING8 && i < doc->bones->count; i++)
        if (doc->bones->bones[i].name->size > longest)
            longest = doc->bones->bones[i].name->size;
    return longest;
}

int gem_check_limits(const struct gem_doc *doc, const struct gem_doc *before, struct anm_error *err)
{
    if (doc->length > INT32_MAX)
        return anm_fail(err, ANM_LIMIT, "a length of %u frames, the format ends at %d", doc->length, INT32_MAX);
    for (uint32_t i = 0; i < doc->comment_count; i++)
        if (doc->comments[i]->size > UINT16_MAX)
            return anm_fail(err, ANM_LIMIT, "a comment of %zu bytes, the format ends at 65535", doc->comments[i]->size);
    uint32_t bones = byte_bones(doc);
    if (bones > 255 && bones > byte_bones(before))
        return anm_fail(err, ANM_LIMIT, "%u bones, FRM2 and FRM3 hold at most 255", bones);
    size_t name = longest_name(doc);
    if (name > 127 && name > longest_name(before))
        return anm_fail(err, ANM_LIMIT, "a bone name of %zu bytes, names with a length of one byte end at 127", name);
    return check_frames(doc, err);
}
