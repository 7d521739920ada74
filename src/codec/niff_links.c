/* SPDX-License-Identifier: MIT */
/* Groups added, removed and named: what links to them, and their Name records (formats: NIFF 2.4, 4). */
#include "niff_codec.h"

#include <stdlib.h>
#include <string.h>

/* --- one record more, or another one --- */

/* A copy of a list with `record` in place of number `i`, or after the last one. */
static struct anm_blob *list_with(const struct anm_blob *old, uint32_t i, const void *record, size_t size)
{
    ANM_AUTO(anm_buf_free) struct anm_buf out = {0};
    struct niff_walk walk = niff_walk(niff_kind_of(NIFF_NAME), old);
    uint32_t count = walk.count;
    size_t table = NIFF_LIST_HEAD, at = table + 4 * (size_t)count, end = at;
    while (walk.i <= i && niff_walk_next(&walk)) {
        at = walk.at;
        end = walk.at + walk.size;
    }
    bool added = i == count;
    if (added)
        at = end;
    anm_buf_put(&out, old->bytes, table + 4 * (size_t)i);
    anm_buf_u32be(&out, (uint32_t)size);
    size_t next = table + 4 * ((size_t)i + !added), records = table + 4 * (size_t)count;
    anm_buf_put(&out, old->bytes + next, records - next);
    anm_buf_put(&out, old->bytes + records, at - records);
    anm_buf_put(&out, record, size);
    anm_buf_put(&out, old->bytes + end, old->size - end);
    if (out.failed)
        return NULL;
    uint32_t delta = (uint32_t)(out.size - old->size);
    niff_set_word(out.data, NIFF_L_SIZE, niff_word(old->bytes, NIFF_L_SIZE) + delta);
    niff_set_word(out.data, NIFF_L_COUNT, count + added);
    niff_set_word(out.data, NIFF_L_HEADER_SIZE, niff_word(old->bytes, NIFF_L_HEADER_SIZE) + 4u * added);
    return anm_blob_new(out.data, out.size);
}

/* --- names --- */

uint32_t niff_find_name(const struct niff_doc *doc, uint32_t tag, const void *name, size_t size)
{
    struct niff_walk walk = niff_walk(niff_kind_of(tag), niff_list_bytes(doc, tag));
    while (niff_walk_next(&walk)) {
        size_t length;
        const uint8_t *text = niff_name_text(&walk, &length);
        if (length == size && (size == 0 || memcmp(text, name, size) == 0))
            return walk.i - 1;
    }
    return NIFF_NONE;
}

/* Puts a Name record with as few NULs as can be. */
static int put_name(struct niff_doc *doc, uint32_t tag, uint32_t i, const void *name, size_t size,
                    struct anm_error *err)
{
    ANM_AUTO(anm_buf_free) struct anm_buf record = {0};
    size_t padded = (size + 3) & ~(size_t)3;
    anm_buf_u32be(&record, tag + 0x100);
    anm_buf_u32be(&record, i);
    anm_buf_u32be(&record, 16);
    anm_buf_u32be(&record, (uint32_t)(16 + padded));
    anm_buf_put(&record, name, size);
    anm_buf_put(&record, "\0\0\0", padded - size);
    if (record.failed)
        return anm_fail_nomem(err);
    return niff_set_list(doc, tag, list_with(niff_list_bytes(doc, tag), i, record.data, record.size), err);
}

/* Whether any word of the list is the index. */
static bool any_word(const struct anm_blob *bytes, uint32_t index)
{
    for (size_t i = NIFF_LIST_HEAD / 4; i < bytes->size / 4; i++)
        if (niff_word(bytes->bytes, i) == index)
            return true;
    return false;
}

/* Whether a record of the list uses the name. Where it is not known where names stand, one that could is enough. */
static bool list_uses(const struct niff_list *list, uint32_t index)
{
    const struct niff_kind *kind = list->kind;
    struct anm_error ignored;
    if (kind->name_word == NIFF_NAMELESS || !list->bytes)
        return false;
    if (!kind->name_word || niff_check_list(kind, list->bytes->bytes, list->bytes->size, 0, &ignored))
        return any_word(list->bytes, index);
    struct niff_walk walk = niff_walk(kind, list->bytes);
    while (niff_walk_next(&walk))
        if (niff_word(list->bytes->bytes + walk.at, kind->name_word) == index)
            return true;
    return false;
}

/* Whether something refers to a Name record that is not there yet, and would get that name. */
static bool is_awaited(const struct niff_doc *doc, uint32_t tag, uint32_t index)
{
    for (uint32_t i = 0; tag == NIFF_NAME && i < doc->list_count; i++)
        if (doc->lists[i].kind->name_word && list_uses(&doc->lists[i], index))
            return true;
    for (uint32_t i = 0; i < doc->group_count; i++) {
        const struct anm_blob *record = doc->groups[i].record;
        struct niff_view view;
        struct anm_error ignored;
        if (tag == NIFF_NAME && niff_word(record->bytes, NIFF_G_NAME) == index)
            return true;
        if (tag == NIFF_NAME || niff_view(&view, record, niff_is_2(doc), &ignored) || !view.has_channels)
            continue;
        for (size_t k = NIFF_B_EXTERNAL; k < NIFF_BLOCK_WORDS; k++)
            if (niff_word(record->bytes + view.block, k) == index)
                return true;
    }
    return false;
}

int niff_add_name(struct niff_doc *doc, uint32_t tag, const void *name, size_t size, uint32_t *index,
                  struct anm_error *err)
{
    if (niff_need_list(doc, tag, err))
        return -1;
    *index = niff_walk(niff_kind_of(tag), niff_list_bytes(doc, tag)).count;
    if (is_awaited(doc, tag, *index))
        return anm_fail(
            err, ANM_LIMIT,
            "a name cannot be added: it would be number %u, which the file refers to and does not have, and "
            "whatever does would get that name",
            *index);
    return put_name(doc, tag, *index, name, size, err);
}

static bool is_shared(const struct niff_doc *doc, uint32_t group, uint32_t index)
{
    for (uint32_t i = 0; i < doc->list_count; i++)
        if (list_uses(&doc->lists[i], index))
            return true;
    for (uint32_t i = 0; i < doc->group_count; i++)
        if (i != group && niff_word(doc->groups[i].record->bytes, NIFF_G_NAME) == index)
            return true;
    return false;
}

static int set_group_word(struct niff_doc *doc, uint32_t i, size_t word, uint32_t value, struct anm_error *err)
{
    const struct anm_blob *old = doc->groups[i].record;
    struct anm_blob *record = anm_blob_new(old->bytes, old->size);
    if (!record)
        return anm_fail_nomem(err);
    niff_set_word(record->bytes, word, value);
    return niff_set_record(doc, i, record, err);
}

int niff_name_group(struct niff_doc *doc, uint32_t i, const void *name, size_t size, uint16_t ordinal,
                    struct anm_error *err)
{
    uint32_t index = niff_word(doc->groups[i].record->bytes, NIFF_G_NAME);
    uint32_t count = niff_walk(niff_kind_of(NIFF_NAME), niff_list_bytes(doc, NIFF_NAME)).count;
    struct anm_blob *shown = anm_blob_new(name, size);
    if (!shown)
        return anm_fail_nomem(err);
    bool same = index < count && anm_blob_equal(shown, doc->groups[i].name); /* of another ordinal only */
    anm_blob_unref(doc->groups[i].name);
    doc->groups[i].name = shown;
    doc->groups[i].ordinal = ordinal;
    if (same)
        return 0;
    if (index < count && !is_shared(doc, i, index))
        return put_name(doc, NIFF_NAME, index, name, size, err);
    return niff_add_name(doc, NIFF_NAME, name, size, &index, err) ? -1
                                                                  : set_group_word(doc, i, NIFF_G_NAME, index, err);
}

/* --- links --- */

int niff_set_link(struct niff_doc *doc, uint32_t tag, uint32_t node, uint32_t group, struct anm_error *err)
{
    const struct niff_kind *kind = niff_kind_of(tag);
    struct niff_walk walk = niff_walk(kind, niff_list_bytes(doc, tag));
    while (walk.i <= node && niff_walk_next(&walk))
        ;
    struct anm_blob *bytes = anm_blob_new(walk.bytes->bytes, walk.bytes->size);
    if (bytes)
        niff_set_word(bytes->bytes + walk.at, kind->anim_word, group);
    return niff_set_list(doc, tag, bytes, err);
}

/* What a link becomes when group `i` is gone. */
static uint32_t link_without(uint32_t link, uint32_t i)
{
    if (link & NIFF_SWITCH || link < i) /* a Switch node, or none */
        return link;
    return link == i ? NIFF_NONE : link - 1;
}

/* The words of a record that may link to groups: the link itself, or the destinations of a Switch between groups. */
static void fix_record(const struct niff_kind *kind, uint8_t *record, size_t size, uint32_t i)
{
    size_t word = kind->anim_word, end = word + 1;
    if (kind->tag == NIFF_SWITCH_LIST) {
        uint32_t cases = niff_word(record, 5);
        if (niff_word(record, 3) != NIFF_ANIM || cases > (size / 4 - kind->least) / 2)
            return;
        word = kind->least + (size_t)cases;
        end = word + cases;
    }
    for (; word < end; word++)
        niff_set_word(record, word, link_without(niff_word(record, word), i));
}

static int fix_list(struct niff_doc *doc, const struct niff_list *list, uint32_t i, struct anm_error *err)
{
    struct anm_blob *bytes = anm_blob_new(list->bytes->bytes, list->bytes->size);
    if (!bytes)
        return anm_fail_nomem(err);
    struct niff_walk walk = niff_walk(list->kind, bytes);
    while (niff_walk_next(&walk))
        fix_record(list->kind, bytes->bytes + walk.at, walk.size, i);
    if (!anm_blob_equal(bytes, list->bytes))
        return niff_set_list(doc, list->kind->tag, bytes, err);
    anm_blob_unref(bytes);
    return 0;
}

/* --- groups --- */

/* AnimList has one group more (+1) or less (-1), of `size` bytes. */
static int count_group(struct niff_doc *doc, int by, size_t size, struct anm_error *err)
{
    struct anm_blob *head = anm_blob_new(doc->anim_head->bytes, doc->anim_head->size);
    if (!head)
        return anm_fail_nomem(err);
    niff_set_word(head->bytes, NIFF_L_COUNT, niff_word(head->bytes, NIFF_L_COUNT) + (uint32_t)by);
    niff_set_word(head->bytes, NIFF_L_HEADER_SIZE, niff_word(head->bytes, NIFF_L_HEADER_SIZE) + 4 * (uint32_t)by);
    anm_blob_unref(doc->anim_head);
    doc->anim_head = head;
    return niff_grow_anims(doc, by < 0 ? 0 - (size + 4) : size + 4, err);
}

int niff_add_group(struct niff_doc *doc, struct anm_blob *record, const void *name, size_t size, uint16_t ordinal,
                   struct anm_error *err)
{
    uint32_t i = doc->group_count++;
    doc->groups[i] = (struct niff_group){.record = record, .name = anm_blob_new(name, size), .ordinal = ordinal};
    niff_set_word(record->bytes, NIFF_G_INDEX, i); /* nobody else has it yet */
    uint32_t index;
    if (!doc->groups[i].name)
        return anm_fail_nomem(err);
    if (niff_need_list(doc, NIFF_ANIM, err) || count_group(doc, 1, record->size, err) ||
        niff_add_name(doc, NIFF_NAME, name, size, &index, err))
        return -1;
    niff_set_word(record->bytes, NIFF_G_NAME, index);
    return 0;
}

int niff_remove_group(struct niff_doc *doc, uint32_t i, struct anm_error *err)
{
    size_t size = doc->groups[i].record->size;
    for (uint32_t k = 0; k < doc->list_count; k++) {
        const struct niff_list *list = &doc->lists[k];
        bool links = list->bytes && (list->kind->anim_word || list->kind->tag == NIFF_SWITCH_LIST);
        if (links && fix_list(doc, list, i, err))
            return -1;
    }
    anm_blob_unref(doc->groups[i].record);
    anm_blob_unref(doc->groups[i].name);
    doc->group_count--;
    memmove(&doc->groups[i], &doc->groups[i + 1], (doc->group_count - i) * sizeof *doc->groups);
    for (uint32_t k = i; k < doc->group_count; k++)
        if (set_group_word(doc, k, NIFF_G_INDEX, k, err))
            return -1;
    return count_group(doc, -1, size, err);
}
