/* SPDX-License-Identifier: MIT */
#include "niff_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct niff_node_kind niff_node_kinds[NIFF_NODES] = {
    {"obj", NIFF_OBJ},
    {"chain_root", NIFF_CHAIN_ROOT},
    {"joint", NIFF_JOINT},
    {"effector", NIFF_EFFECTOR},
};

struct niff_view niff_group_view(const struct niff_doc *doc, uint32_t group)
{
    struct niff_view view;
    struct anm_error ignored; /* the record was looked at before */
    niff_view(&view, doc->groups[group].record, niff_is_2(doc), &ignored);
    return view;
}

uint32_t niff_group_word(const struct niff_doc *doc, uint32_t group, unsigned word)
{
    return niff_word(doc->groups[group].record->bytes, word);
}

bool niff_counts_frames(const struct niff_doc *doc, uint32_t group)
{
    return niff_group_word(doc, group, NIFF_G_TYPE) != NIFF_KEY;
}

static void index_free(void *cache)
{
    struct niff_index *index = cache;
    if (!index)
        return;
    anm_names_free(&index->groups);
    for (unsigned i = 0; i < NIFF_NODES; i++) {
        anm_names_free(&index->nodes[i]);
        free(index->links[i]);
    }
    anm_buf_free(&index->unnamed);
    free(index->entries);
    free(index->first);
    free(index->ordered);
    free(index->by_frame);
    free(index->numbers);
    free(index->frame_first);
    free(index);
}

static void index_clean(struct niff_index **index)
{
    index_free(*index);
}

/* --- names --- */

static bool index_groups(struct niff_index *index, const struct niff_doc *doc)
{
    if (anm_names_start(&index->groups, "group", doc->group_count))
        return false;
    for (uint32_t i = 0; i < doc->group_count; i++) {
        const struct niff_group *group = &doc->groups[i];
        index->groups.at[i] = (struct anm_named){group->name->bytes, group->name->size, group->ordinal};
    }
    return anm_names_done(&index->groups) == 0;
}

/* The texts of the NameList's records. */
struct texts {
    const struct anm_blob *bytes;
    uint32_t count;
    size_t *at; /* offset of each record; one more at the end */
};

static bool find_texts(struct texts *texts, const struct niff_doc *doc)
{
    struct niff_walk walk = niff_walk(niff_kind_of(NIFF_NAME), niff_list_bytes(doc, NIFF_NAME));
    *texts = (struct texts){.bytes = walk.bytes, .count = walk.count};
    texts->at = anm_alloc(0, (size_t)walk.count + 1, sizeof *texts->at);
    while (texts->at && niff_walk_next(&walk)) {
        texts->at[walk.i - 1] = walk.at;
        texts->at[walk.i] = walk.at + walk.size;
    }
    return texts->at != NULL;
}

/* A node's name; one without any is named after its kind and number. The made names move while they grow: their place is kept
 * as an offset until all are there. */
static void name_node(struct niff_index *index, unsigned kind, uint32_t node, uint32_t name, const struct texts *texts)
{
    struct anm_named *at = &index->nodes[kind].at[node];
    if (name < texts->count) {
        const struct niff_walk walk = {
            .bytes = texts->bytes, .at = texts->at[name], .size = texts->at[name + 1] - texts->at[name]};
        at->raw = niff_name_text(&walk, &at->size);
        return;
    }
    size_t before = index->unnamed.size;
    anm_buf_printf(&index->unnamed, "%s-%u", niff_node_kinds[kind].word, node);
    at->size = index->unnamed.size - before;
}

static bool index_nodes(struct niff_index *index, const struct niff_doc *doc, unsigned kind, const struct texts *texts)
{
    const struct niff_kind *list = niff_kind_of(niff_node_kinds[kind].tag);
    struct niff_walk walk = niff_walk(list, niff_list_bytes(doc, list->tag));
    if (anm_names_start(&index->nodes[kind], niff_node_kinds[kind].word, walk.count) ||
        !(index->links[kind] = anm_alloc(0, walk.count, sizeof *index->links[kind])))
        return false;
    while (niff_walk_next(&walk)) {
        const uint8_t *record = walk.bytes->bytes + walk.at;
        index->links[kind][walk.i - 1] = niff_word(record, list->anim_word);
        name_node(index, kind, walk.i - 1, niff_word(record, list->name_word), texts);
    }
    return true;
}

/* Once all made names are there, and stay where they are. */
static bool name_unnamed(struct niff_index *index)
{
    const uint8_t *next = index->unnamed.data;
    if (index->unnamed.failed)
        return false;
    for (unsigned kind = 0; kind < NIFF_NODES; kind++) {
        struct anm_names *names = &index->nodes[kind];
        for (uint32_t i = 0; i < names->count; i++)
            if (!names->at[i].raw) {
                names->at[i].raw = next;
                next += names->at[i].size;
            }
        anm_names_number(names);
        if (anm_names_done(names))
            return false;
    }
    return true;
}

static bool index_names(struct niff_index *index, const struct niff_doc *doc)
{
    struct texts texts;
    bool done = find_texts(&texts, doc) && index_groups(index, doc);
    for (unsigned kind = 0; done && kind < NIFF_NODES; kind++)
        done = index_nodes(index, doc, kind, &texts);
    free(texts.at);
    return done && name_unnamed(index);
}

/* --- keys --- */

/* The Anims of a group, in the order of the file. */
static uint32_t index_anims(struct niff_entry *out, const struct niff_doc *doc, uint32_t group,
                            const struct niff_view *v)
{
    uint32_t tag = niff_anim_tag(niff_group_word(doc, group, NIFF_G_TYPE)), count = 0;
    size_t size = tag ? niff_anim_size(tag) : 0;
    struct niff_entry *before = NULL;
    for (size_t at = 4 * (size_t)NIFF_GROUP_WORDS; at < v->block; count++) {
        const uint8_t *anim = v->bytes + at;
        struct niff_entry *entry = &out[count];
        *entry = (struct niff_entry){.group = group, .frame = count, .bytes = anim, .size = niff_word(anim, 2)};
        entry->raw = niff_word(anim, 0) != tag || entry->size != size;
        if (!entry->raw && tag == niff_anim_tag(NIFF_KEY)) {
            entry->frame = niff_word(anim, 3);
            entry->next = NIFF_NONE;
            if (before)
                before->next = entry->frame;
            before = entry;
        }
        at += entry->size;
    }
    return count;
}

static uint32_t index_channel(struct niff_entry *out, uint32_t group, const struct niff_view *v, unsigned channel)
{
    uint32_t size = (uint32_t)(4 * niff_channel_words(channel));
    for (uint32_t i = 0; i < v->count[channel]; i++) {
        const uint8_t *key = v->bytes + v->keys[channel] + (size_t)i * size;
        out[i] = (struct niff_entry){.group = group,
                                     .frame = niff_word(key, 1),
                                     .lane = (uint8_t)(NIFF_LANE_CHANNEL + channel),
                                     .bytes = key,
                                     .size = size};
    }
    return v->count[channel];
}

static bool ascends(const struct niff_entry *entries, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (entries[i].lane == entries[i - 1].lane && entries[i].frame < entries[i - 1].frame)
            return false;
    return true;
}

static int by_frame_and_place(const void *left, const void *right)
{
    const struct niff_entry *a = left, *b = right;
    if (a->frame != b->frame)
        return a->frame < b->frame ? -1 : 1;
    if (a->lane != b->lane)
        return a->lane < b->lane ? -1 : 1;
    return (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

static int by_lane_and_frame(const void *left, const void *right)
{
    const struct niff_entry *a = *(struct niff_entry *const *)left, *b = *(struct niff_entry *const *)right;
    if (a->lane != b->lane)
        return a->lane < b->lane ? -1 : 1;
    if (a->frame != b->frame)
        return a->frame < b->frame ? -1 : 1;
    return (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

/* Numbers the keys of one lane at one frame. */
static bool number_entries(struct niff_entry *entries, uint32_t count)
{
    ANM_AUTO(anm_freep) struct niff_entry **order = anm_alloc(0, count, sizeof *order);
    if (!order)
        return false;
    for (uint32_t i = 0; i < count; i++)
        order[i] = &entries[i];
    if (count)
        qsort(order, count, sizeof(struct niff_entry *), by_lane_and_frame);
    for (uint32_t i = 0; i < count; i++) {
        bool again = i && order[i]->lane == order[i - 1]->lane && order[i]->frame == order[i - 1]->frame;
        order[i]->ordinal = again ? order[i - 1]->ordinal + 1 : 1;
    }
    return true;
}

static uint64_t count_entries(const struct niff_view *v)
{
    uint64_t count = v->anims;
    for (unsigned i = 0; v->has_channels && i < NIFF_CHANNELS; i++)
        count += v->count[i];
    return count;
}

static bool index_keys(struct niff_index *index, const struct niff_doc *doc)
{
    uint64_t total = 0;
    index->first = anm_alloc(0, (size_t)doc->group_count + 1, sizeof *index->first);
    index->ordered = anm_alloc(0, doc->group_count, sizeof *index->ordered);
    for (uint32_t g = 0; g < doc->group_count; g++) {
        struct niff_view v = niff_group_view(doc, g);
        total += count_entries(&v);
    }
    index->entries = total > INT32_MAX ? NULL : anm_alloc(0, (size_t)total, sizeof *index->entries);
    if (!index->first || !index->ordered || !index->entries)
        return false;
    uint32_t place = 0;
    for (uint32_t g = 0; g < doc->group_count; g++) {
        struct niff_view v = niff_group_view(doc, g);
        struct niff_entry *out = index->entries + place;
        uint32_t count = index_anims(out, doc, g, &v);
        for (unsigned i = 0; v.has_channels && i < NIFF_CHANNELS; i++)
            count += index_channel(out + count, g, &v, i);
        index->ordered[g] = ascends(out, count);
        if (!number_entries(out, count))
            return false;
        if (index->ordered[g] && count)
            qsort(out, count, sizeof *out, by_frame_and_place);
        place += count;
        index->first[g + 1] = place;
    }
    return true;
}

static int compare_frames(const void *left, const void *right, void *entries)
{
    uint32_t i = *(const uint32_t *)left, k = *(const uint32_t *)right;
    const struct niff_entry *at = entries;
    if (at[i].frame != at[k].frame)
        return at[i].frame < at[k].frame ? -1 : 1;
    return (i > k) - (i < k);
}

/* The frames: those with keys, and those made without. */
static bool index_frames(struct niff_index *index, const struct niff_doc *doc)
{
    uint32_t count = index->first[doc->group_count], made = 0;
    index->by_frame = anm_alloc(0, count, sizeof *index->by_frame);
    index->numbers = anm_alloc(0, (size_t)count + doc->made_count, sizeof *index->numbers);
    index->frame_first = anm_alloc(0, (size_t)count + doc->made_count + 1, sizeof *index->frame_first);
    if (!index->by_frame || !index->numbers || !index->frame_first)
        return false;
    for (uint32_t i = 0; i < count; i++)
        index->by_frame[i] = i;
    if (count)
        qsort_r(index->by_frame, count, sizeof *index->by_frame, compare_frames, index->entries);
    for (uint32_t i = 0; i < count || made < doc->made_count;) {
        uint32_t frame = i < count ? index->entries[index->by_frame[i]].frame : UINT32_MAX;
        uint32_t number = made < doc->made_count && (i == count || doc->made[made] < frame) ? doc->made[made] : frame;
        made += made < doc->made_count && doc->made[made] == number;
        index->frame_first[index->frame_count] = i;
        index->numbers[index->frame_count++] = number;
        while (i < count && index->entries[index->by_frame[i]].frame == number)
            i++;
    }
    index->frame_first[index->frame_count] = count;
    return true;
}

const struct niff_index *niff_index(const struct niff_doc *doc, struct anm_error *err)
{
    if (doc->cache)
        return doc->cache;
    ANM_AUTO(index_clean) struct niff_index *index = anm_alloc(sizeof *index, 0, 0);
    if (!index || !index_names(index, doc) || !index_keys(index, doc) || !index_frames(index, doc)) {
        if (err)
            anm_fail_nomem(err);
        return NULL;
    }
    /* The cache is not part of the document's value: the one thing about it that changes after it was built. */
    struct niff_doc *owner = (struct niff_doc *)doc;
    owner->cache = index;
    owner->cache_free = index_free;
    index = NULL;
    return owner->cache;
}

bool niff_find_frame(const struct niff_index *index, uint32_t number, uint32_t *place)
{
    uint32_t low = 0, high = index->frame_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (index->numbers[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    *place = low;
    return low < index->frame_count && index->numbers[low] == number;
}
