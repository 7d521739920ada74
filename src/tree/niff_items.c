/* SPDX-License-Identifier: MIT */
/* Keys put into an AnimGroup's record (formats: NIFF 3.2, 3.3, 3.6). */
#include "niff_tree.h"

#include "anm/name.h"

#include <stdlib.h>
#include <string.h>

struct niff_item *niff_items_of(const struct niff_doc *doc, uint32_t group, uint32_t *count, struct anm_error *err)
{
    const struct niff_index *index = niff_index(doc, err);
    if (!index)
        return NULL;
    *count = index->first[group + 1] - index->first[group];
    struct niff_item *items = anm_alloc(0, *count, sizeof *items);
    for (uint32_t i = 0; items && i < *count; i++) {
        const struct niff_entry *entry = &index->entries[index->first[group] + i];
        bool key =
            entry->lane == NIFF_LANE_ANIM && !entry->raw && niff_word(entry->bytes, 0) == niff_anim_tag(NIFF_KEY);
        items[i] = (struct niff_item){.entry = *entry, .order = i};
        items[i].next_kept = key && niff_word(entry->bytes, 4) != entry->next;
    }
    if (!items)
        anm_fail_nomem(err);
    return items;
}

static int by_place(const void *left, const void *right)
{
    const struct niff_item *a = left, *b = right;
    if (a->entry.lane != b->entry.lane)
        return a->entry.lane < b->entry.lane ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

static int by_frame(const void *left, const void *right)
{
    const struct niff_item *a = left, *b = right;
    if (a->entry.lane == b->entry.lane && a->entry.frame != b->entry.frame)
        return a->entry.frame < b->entry.frame ? -1 : 1;
    return by_place(left, right);
}

/* An Anim that is numbered by its place is not where it says it is. */
static int fail_frame(const struct niff_doc *doc, const struct niff_item *item, uint32_t place, struct anm_error *err)
{
    ANM_AUTO(anm_buf_free) struct anm_buf name = {0};
    const struct niff_group *group = &doc->groups[item->entry.group];
    const char *type = niff_type_word(niff_word(group->record->bytes, NIFF_G_TYPE));
    anm_name_put(&name, group->name->bytes, group->name->size, group->ordinal);
    const char *text = anm_buf_cstr(&name);
    if (!text)
        return anm_fail_nomem(err);
    if (item->entry.raw && type && strcmp(type, "key") == 0)
        return anm_fail_line(err, item->line, item->column, "a raw Anim of %.200s: its frame is its place, %u", text,
                             place);
    return anm_fail_line(
        err, item->line, item->column,
        "%.200s has a frame %u without a frame %u: the Anims of a group of type %s are its frames 0, 1, "
        "2 … without a gap",
        text, item->entry.frame, place, type ? type : "unknown");
}

static int check_frames(const struct niff_doc *doc, const struct niff_item *items, uint32_t count,
                        struct anm_error *err)
{
    for (uint32_t i = 0; i < count && items[i].entry.lane == NIFF_LANE_ANIM; i++) {
        const struct niff_entry *entry = &items[i].entry;
        bool placed = entry->raw || niff_counts_frames(doc, entry->group);
        if (placed && entry->frame != i)
            return fail_frame(doc, &items[i], i, err);
    }
    return 0;
}

/* Appends an Anim; *before is where the KEY before it is in the buffer, whose next_key it becomes. */
static void put_anim(struct anm_buf *out, const struct niff_item *item, bool key, size_t *before)
{
    size_t at = out->size;
    anm_buf_put(out, item->entry.bytes, item->entry.size);
    if (!key || item->entry.raw || out->failed)
        return;
    niff_set_word(out->data + at, 3, item->entry.frame);
    if (*before != SIZE_MAX)
        niff_set_word(out->data + *before, 4, item->entry.frame);
    if (!item->next_kept)
        niff_set_word(out->data + at, 4, NIFF_NONE);
    *before = item->next_kept ? SIZE_MAX : at;
}

/* Fills the lanes of a record under construction. */
static void put_items(struct niff_build *build, const struct niff_item *items, uint32_t count)
{
    bool key = build->head[NIFF_G_TYPE] == NIFF_KEY;
    size_t before = SIZE_MAX, had[NIFF_CHANNELS];
    build->anims.size = 0;
    for (unsigned i = 0; i < NIFF_CHANNELS; i++) {
        had[i] = build->keys[i].size;
        build->keys[i].size = 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct niff_entry *entry = &items[i].entry;
        if (entry->lane == NIFF_LANE_ANIM) {
            put_anim(&build->anims, &items[i], key, &before);
            continue;
        }
        struct anm_buf *keys = &build->keys[entry->lane - NIFF_LANE_CHANNEL];
        anm_buf_put(keys, entry->bytes, entry->size);
        if (!keys->failed)
            niff_set_word(keys->data + keys->size - entry->size, 1, entry->frame);
    }
    for (unsigned i = 0; i < NIFF_CHANNELS; i++) {
        uint32_t bit = 1u << i; /* a channel that has come or gone is in use or not */
        if (!had[i] != !build->keys[i].size)
            build->block[NIFF_B_USE] = (build->block[NIFF_B_USE] & ~bit) | (build->keys[i].size ? bit : 0);
    }
}

static bool has_failed(const struct niff_build *build)
{
    bool failed = build->anims.failed;
    for (unsigned i = 0; i < NIFF_CHANNELS; i++)
        failed |= build->keys[i].failed;
    return failed;
}

/* Whether a new record is what the old one is, rebuilt: the numbers it gives its Anims aside. */
static int is_unchanged(const struct niff_view *old, const struct anm_blob *record, struct anm_error *err)
{
    ANM_AUTO(niff_build_free) struct niff_build build = {0};
    if (niff_build_from(&build, old))
        return anm_fail_nomem(err);
    struct anm_blob *rebuilt = niff_build_record(&build, err);
    int same = rebuilt ? anm_blob_equal(rebuilt, record) : -1;
    anm_blob_unref(rebuilt);
    return same;
}

int niff_set_built(struct niff_doc *doc, uint32_t group, const struct niff_build *build, struct anm_error *err)
{
    const struct niff_view view = niff_group_view(doc, group);
    struct anm_blob *record = niff_build_record(build, err);
    int same = record ? is_unchanged(&view, record, err) : -1;
    if (same == 0)
        return niff_set_record(doc, group, record, err);
    anm_blob_unref(record);
    return same < 0 ? -1 : 0;
}

int niff_set_items(struct niff_doc *doc, uint32_t group, bool ordered, struct niff_item *items, uint32_t count,
                   struct anm_error *err)
{
    if (count)
        qsort(items, count, sizeof *items, ordered ? by_frame : by_place);
    if (check_frames(doc, items, count, err))
        return -1;
    ANM_AUTO(niff_build_free) struct niff_build build = {0};
    const struct niff_view view = niff_group_view(doc, group);
    if (niff_build_from(&build, &view))
        return anm_fail_nomem(err);
    put_items(&build, items, count);
    return has_failed(&build) ? anm_fail_nomem(err) : niff_set_built(doc, group, &build, err);
}

/* --- another type --- */

/* The interpolation of KEY that says nothing. */
#define LINEAR 1u

/* Whether the Anims of a group can be ones of another type. */
static int check_retype(uint32_t from, uint32_t to, const struct niff_item *items, uint32_t count,
                        struct anm_error *err)
{
    const char *word = niff_type_word(to);
    uint32_t anims = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct niff_entry *entry = &items[i].entry;
        if (entry->lane != NIFF_LANE_ANIM || entry->raw)
            continue;
        if (from == NIFF_KEY && to != NIFF_KEY &&
            niff_word(entry->bytes, niff_fields[NIFF_FIELD_INTERPOLATION].place[NIFF_KEYED]) != LINEAR)
            return anm_fail_line(err, 1, 1,
                                 "frame %u has an interpolation that is not linear: an Anim of type %s has none",
                                 entry->frame, word);
        anims++;
    }
    if (anims && (!word || from == NIFF_BILLBOARD || to == NIFF_BILLBOARD || !niff_type_word(from)))
        return anm_fail_line(err, 1, 1, "the group has %u Anims, which are none of type %s", anims,
                             word ? word : "unknown");
    return to == NIFF_STATIC && anims > 1
               ? anm_fail_line(err, 1, 1, "the group has %u Anims, and one of type static has one", anims)
               : 0;
}

/* Appends an Anim's bytes as of another type. */
static void put_retyped(struct anm_buf *out, const struct niff_entry *entry, uint32_t from, uint32_t to)
{
    const uint8_t *transform =
        entry->bytes + 4 * (size_t)niff_fields[0].place[from == NIFF_KEY ? NIFF_KEYED : NIFF_TRANSFORM];
    anm_buf_u32be(out, niff_anim_tag(to));
    anm_buf_u32be(out, 0);
    anm_buf_u32be(out, (uint32_t)niff_anim_size(niff_anim_tag(to)));
    if (to == NIFF_KEY) {
        anm_buf_u32be(out, entry->frame);
        anm_buf_u32be(out, NIFF_NONE);
        anm_buf_u32be(out, LINEAR);
    }
    anm_buf_put(out, transform, 40);
}

int niff_retype(struct niff_doc *doc, const struct niff_doc *old, uint32_t group, struct anm_error *err)
{
    uint32_t from = niff_group_word(old, group, NIFF_G_TYPE), to = niff_group_word(doc, group, NIFF_G_TYPE), count;
    ANM_AUTO(anm_freep) struct niff_item *items = niff_items_of(old, group, &count, err);
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
    if (!items || check_retype(from, to, items, count, err))
        return -1;
    for (uint32_t i = 0; i < count; i++) {
        struct niff_entry *entry = &items[i].entry;
        items[i].made = bytes.size;
        items[i].next_kept = false;
        if (entry->lane == NIFF_LANE_ANIM && !entry->raw)
            put_retyped(&bytes, entry, from, to);
        else
            anm_buf_put(&bytes, entry->bytes, entry->size);
    }
    if (bytes.failed)
        return anm_fail_nomem(err);
    for (uint32_t i = 0; i < count; i++) {
        struct niff_entry *entry = &items[i].entry;
        entry->bytes = bytes.data + items[i].made;
        if (entry->lane != NIFF_LANE_ANIM)
            continue;
        entry->size = niff_word(entry->bytes, 2);
        bool own = niff_word(entry->bytes, 0) == niff_anim_tag(to) && entry->size == niff_anim_size(niff_anim_tag(to));
        if (entry->raw && own && to == NIFF_KEY)
            entry->frame = niff_word(entry->bytes, 3);
        entry->raw = !own;
    }
    return niff_set_items(doc, group, niff_index(old, err)->ordered[group], items, count, err);
}
