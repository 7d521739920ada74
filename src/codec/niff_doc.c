/* SPDX-License-Identifier: MIT */
/* NIFF documents: looked at, copied, and their lists put in place with all sizes above them. */
#include "niff_codec.h"

#include "anm/given.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t niff_version(const struct niff_doc *doc)
{
    return niff_word(doc->head->bytes, NIFF_H_VERSION);
}

bool niff_is_2(const struct niff_doc *doc)
{
    return (niff_version(doc) >> 8 & 0xff) >= 2;
}

static struct niff_list *find_list(const struct niff_doc *doc, uint32_t tag)
{
    for (uint32_t i = 0; i < doc->list_count; i++)
        if (doc->lists[i].kind->tag == tag)
            return &doc->lists[i];
    return NULL;
}

const struct anm_blob *niff_list_bytes(const struct niff_doc *doc, uint32_t tag)
{
    const struct niff_list *list = find_list(doc, tag);
    return list ? list->bytes : NULL;
}

/* --- records --- */

struct niff_walk niff_walk(const struct niff_kind *kind, const struct anm_blob *bytes)
{
    struct niff_walk walk = {.bytes = bytes};
    if (!bytes)
        return walk;
    if (kind->counts == 0) {
        walk.count = 1;
        return walk;
    }
    walk.table = NIFF_LIST_HEAD / 4 + kind->counts - 1u;
    walk.count = niff_word(bytes->bytes, NIFF_L_COUNT) + (kind->counts == 2 ? niff_word(bytes->bytes, 4) : 0);
    walk.at = 4 * ((size_t)walk.table + walk.count);
    return walk;
}

bool niff_walk_next(struct niff_walk *walk)
{
    if (walk->i == walk->count)
        return false;
    walk->at += walk->size;
    walk->size = walk->table ? niff_word(walk->bytes->bytes, walk->table + walk->i) : walk->bytes->size;
    walk->i++;
    return true;
}

const uint8_t *niff_name_text(const struct niff_walk *walk, size_t *size)
{
    const uint8_t *text = walk->bytes->bytes + walk->at + 16;
    *size = strnlen((const char *)text, walk->size - 16);
    return text;
}

/* --- the names of groups --- */

/* The texts of all Name records; NULL when out of memory. */
struct text {
    const uint8_t *bytes;
    size_t size;
};

static struct text *list_names(const struct anm_blob *names, uint32_t *count)
{
    struct niff_walk walk = niff_walk(niff_kind_of(NIFF_NAME), names);
    struct text *texts = anm_alloc(0, walk.count, sizeof *texts);
    *count = 0;
    while (texts && niff_walk_next(&walk)) {
        texts[*count].bytes = niff_name_text(&walk, &texts[*count].size);
        ++*count;
    }
    return texts;
}

#define SAME_NAME_MAX 65534 /* what can be told apart by an ordinal */

static int compare_groups(const void *left, const void *right, void *groups)
{
    uint32_t i = *(const uint32_t *)left, k = *(const uint32_t *)right;
    const struct niff_group *at = groups;
    int order = anm_bytes_compare(at[i].name->bytes, at[i].name->size, at[k].name->bytes, at[k].name->size);
    return order ? order : (i > k) - (i < k);
}

static int number_names(struct niff_doc *doc, struct anm_error *err)
{
    ANM_AUTO(anm_freep) uint32_t *order = anm_alloc(0, doc->group_count, sizeof *order);
    if (!order)
        return anm_fail_nomem(err);
    for (uint32_t i = 0; i < doc->group_count; i++)
        order[i] = i;
    if (doc->group_count)
        qsort_r(order, doc->group_count, sizeof *order, compare_groups, doc->groups);
    for (uint32_t i = 0, ordinal = 0; i < doc->group_count; i++) {
        struct niff_group *group = &doc->groups[order[i]];
        ordinal = i && anm_blob_equal(group->name, doc->groups[order[i - 1]].name) ? ordinal + 1 : 1;
        if (ordinal > SAME_NAME_MAX)
            return anm_fail(err, ANM_FORMAT, "more than %d AnimGroups of one name", SAME_NAME_MAX);
        group->ordinal = (uint16_t)ordinal;
    }
    return 0;
}

int niff_name_groups(struct niff_doc *doc, struct anm_error *err)
{
    uint32_t count;
    ANM_AUTO(anm_freep) struct text *names = list_names(niff_list_bytes(doc, NIFF_NAME), &count);
    if (!names)
        return anm_fail_nomem(err);
    for (uint32_t i = 0; i < doc->group_count; i++) {
        char unnamed[24];
        int size = snprintf(unnamed, sizeof unnamed, "group-%u", i);
        uint32_t index = niff_word(doc->groups[i].record->bytes, NIFF_G_NAME);
        anm_blob_unref(doc->groups[i].name);
        doc->groups[i].name =
            index < count ? anm_blob_new(names[index].bytes, names[index].size) : anm_blob_new(unnamed, (size_t)size);
        if (!doc->groups[i].name)
            return anm_fail_nomem(err);
    }
    return number_names(doc, err);
}

/* --- documents --- */

/* The bytes of the file, and with its index about as much again. */
size_t niff_memory(const struct anm_doc *anm)
{
    const struct niff_doc *doc = niff_const(anm);
    size_t size = sizeof *doc + doc->head->size + (doc->tail ? doc->tail->size : 0);
    for (uint32_t i = 0; i < doc->list_count; i++)
        size += niff_list_size(doc, &doc->lists[i]);
    return 2 * size;
}

void niff_destroy(struct anm_doc *anm)
{
    struct niff_doc *doc = (struct niff_doc *)(void *)anm;
    anm_blob_unref(doc->head);
    for (uint32_t i = 0; i < doc->list_count; i++)
        anm_blob_unref(doc->lists[i].bytes);
    free(doc->lists);
    anm_blob_unref(doc->anim_head);
    anm_blob_unref(doc->anim_rest);
    for (uint32_t i = 0; i < doc->group_count; i++) {
        anm_blob_unref(doc->groups[i].record);
        anm_blob_unref(doc->groups[i].name);
    }
    free(doc->groups);
    anm_blob_unref(doc->tail);
    free(doc->made);
    anm_given_unref(doc->given);
    if (doc->cache_free)
        doc->cache_free(doc->cache);
    free(doc);
}

void niff_clean(struct niff_doc **doc)
{
    if (*doc)
        anm_doc_unref(&(*doc)->doc);
}

/* Fills the arrays of a copy. False when out of memory. */
static bool copy_parts(struct niff_doc *copy, const struct niff_doc *doc, uint32_t groups)
{
    copy->lists = anm_alloc(0, (size_t)doc->list_count + 1, sizeof *copy->lists);
    copy->groups = anm_alloc(0, (size_t)doc->group_count + groups, sizeof *copy->groups);
    copy->made = anm_alloc(0, doc->made_count, sizeof *copy->made);
    if (!copy->lists || !copy->groups || !copy->made)
        return false;
    for (; copy->list_count < doc->list_count; copy->list_count++) {
        const struct niff_list *list = &doc->lists[copy->list_count];
        copy->lists[copy->list_count] = (struct niff_list){list->kind, anm_blob_ref(list->bytes)};
    }
    for (; copy->group_count < doc->group_count; copy->group_count++) {
        const struct niff_group *group = &doc->groups[copy->group_count];
        copy->groups[copy->group_count] =
            (struct niff_group){anm_blob_ref(group->record), anm_blob_ref(group->name), group->ordinal};
    }
    for (; copy->made_count < doc->made_count; copy->made_count++)
        copy->made[copy->made_count] = doc->made[copy->made_count];
    return true;
}

struct niff_doc *niff_copy(const struct niff_doc *doc, uint32_t groups, struct anm_error *err)
{
    ANM_AUTO(niff_clean) struct niff_doc *copy = anm_alloc(0, 1, sizeof *copy);
    if (copy)
        *copy = (struct niff_doc){.doc = {.format = doc->doc.format, .refs = 1},
                                  .head = anm_blob_ref(doc->head),
                                  .anim_head = anm_blob_ref(doc->anim_head),
                                  .anim_rest = anm_blob_ref(doc->anim_rest),
                                  .tail = anm_blob_ref(doc->tail),
                                  .given = anm_given_ref(doc->given)};
    if (!copy || !copy_parts(copy, doc, groups)) {
        anm_fail_nomem(err);
        return NULL;
    }
    struct niff_doc *done = copy;
    copy = NULL;
    return done;
}

struct anm_doc *niff_with(const struct anm_doc *anm, const struct anm_given *given)
{
    struct anm_error ignored;
    struct niff_doc *doc = niff_copy(niff_const(anm), 0, &ignored);
    if (!doc)
        return NULL;
    anm_given_unref(doc->given);
    doc->given = anm_given_ref(given);
    return &doc->doc;
}

/* --- lists and sizes --- */

static struct anm_blob *blob_with_word(const struct anm_blob *old, size_t word, uint32_t value)
{
    struct anm_blob *blob = anm_blob_new(old->bytes, old->size);
    if (blob)
        niff_set_word(blob->bytes, word, value);
    return blob;
}

/* Puts `blob` (NULL: out of memory) in *place. */
static int replace(struct anm_blob **place, struct anm_blob *blob, struct anm_error *err)
{
    if (!blob)
        return anm_fail_nomem(err);
    anm_blob_unref(*place);
    *place = blob;
    return 0;
}

int niff_set_head_word(struct niff_doc *doc, size_t word, uint32_t value, struct anm_error *err)
{
    return replace(&doc->head, blob_with_word(doc->head, word, value), err);
}

size_t niff_size_word(const struct niff_doc *doc, const struct niff_kind *kind)
{
    bool block = niff_is_2(doc) && niff_word(doc->head->bytes, NIFF_H_BLOCK) >= NIFF_HEAD_2;
    return kind->size_at < NIFF_HEAD || block ? kind->size_at / 4 : 0;
}

size_t niff_list_size(const struct niff_doc *doc, const struct niff_list *list)
{
    if (list->bytes)
        return list->bytes->size;
    size_t size = doc->anim_head->size + doc->anim_rest->size + 4 * (size_t)doc->group_count;
    for (uint32_t i = 0; i < doc->group_count; i++)
        size += doc->groups[i].record->size;
    return size;
}

/* A list of the kind has become longer by `delta` bytes, or shorter. What the sizes said wrong they go on saying wrong. */
static int grow(struct niff_doc *doc, const struct niff_kind *kind, size_t delta, struct anm_error *err)
{
    if (delta == 0)
        return 0;
    size_t word = niff_size_word(doc, kind);
    const uint8_t *head = doc->head->bytes;
    uint32_t size = niff_word(head, word);
    if (niff_set_head_word(doc, NIFF_H_FILE_SIZE, niff_word(head, NIFF_H_FILE_SIZE) + (uint32_t)delta, err))
        return -1;
    return word ? niff_set_head_word(doc, word, size + (uint32_t)delta, err) : 0;
}

int niff_set_list(struct niff_doc *doc, uint32_t tag, struct anm_blob *bytes, struct anm_error *err)
{
    struct niff_list *list = find_list(doc, tag);
    size_t before = list->bytes->size;
    return replace(&list->bytes, bytes, err) ? -1 : grow(doc, list->kind, list->bytes->size - before, err);
}

int niff_grow_anims(struct niff_doc *doc, size_t delta, struct anm_error *err)
{
    uint32_t size = niff_word(doc->anim_head->bytes, NIFF_L_SIZE) + (uint32_t)delta;
    return replace(&doc->anim_head, blob_with_word(doc->anim_head, NIFF_L_SIZE, size), err)
               ? -1
               : grow(doc, niff_kind_of(NIFF_ANIM), delta, err);
}

int niff_set_record(struct niff_doc *doc, uint32_t i, struct anm_blob *record, struct anm_error *err)
{
    struct niff_group *group = &doc->groups[i];
    if (anm_blob_equal(group->record, record)) { /* what did not change stays shared */
        anm_blob_unref(record);
        return 0;
    }
    size_t before = group->record->size;
    return replace(&group->record, record, err) ? -1 : niff_grow_anims(doc, group->record->size - before, err);
}

bool niff_anim_blocks(const struct niff_doc *doc, size_t *block, size_t *user)
{
    *block = *user = 0;
    if (!doc->anim_head)
        return false;
    uint32_t first = niff_word(doc->anim_head->bytes, NIFF_L_BLOCK),
             second = niff_word(doc->anim_head->bytes, NIFF_L_USER);
    if ((uint64_t)first + second > doc->anim_rest->size)
        return false;
    *block = first;
    *user = second;
    return true;
}

int niff_set_anim_blocks(struct niff_doc *doc, const void *block, size_t block_size, const void *user, size_t user_size,
                         struct anm_error *err)
{
    size_t old_block, old_user, before = doc->anim_rest->size;
    ANM_AUTO(anm_buf_free) struct anm_buf rest = {0};
    niff_anim_blocks(doc, &old_block, &old_user);
    anm_buf_put(&rest, block, block_size);
    anm_buf_put(&rest, user, user_size);
    anm_buf_put(&rest, doc->anim_rest->bytes + old_block + old_user, before - old_block - old_user);
    if (rest.failed || block_size > INT32_MAX || user_size > INT32_MAX)
        return anm_fail_nomem(err);
    return replace(&doc->anim_rest, anm_blob_new(rest.data, rest.size), err) ||
                   replace(&doc->anim_head, blob_with_word(doc->anim_head, NIFF_L_BLOCK, (uint32_t)block_size), err) ||
                   replace(&doc->anim_head, blob_with_word(doc->anim_head, NIFF_L_USER, (uint32_t)user_size), err)
               ? -1
               : niff_grow_anims(doc, doc->anim_rest->size - before, err);
}

int niff_set_tail(struct niff_doc *doc, struct anm_blob *tail, struct anm_error *err)
{
    size_t before = doc->tail ? doc->tail->size : 0, after = tail ? tail->size : 0;
    anm_blob_unref(doc->tail);
    doc->tail = tail;
    return niff_set_head_word(doc, NIFF_H_FILE_SIZE,
                              niff_word(doc->head->bytes, NIFF_H_FILE_SIZE) + (uint32_t)(after - before), err);
}

/* A list of the kind that holds nothing. */
static struct anm_blob *empty_list(const struct niff_kind *kind)
{
    const uint32_t words[7] = {kind->tag, kind->counts == 2 ? 28 : 24, kind->counts == 2 ? 28 : 24, 0, 0, 0, 0};
    uint8_t bytes[sizeof words];
    for (size_t i = 0; i < 7; i++)
        niff_set_word(bytes, i, words[i]);
    return anm_blob_new(bytes, words[NIFF_L_SIZE]);
}

int niff_need_list(struct niff_doc *doc, uint32_t tag, struct anm_error *err)
{
    if (find_list(doc, tag))
        return 0;
    const struct niff_kind *kind = niff_kind_of(tag);
    struct niff_list *lists = anm_alloc(0, (size_t)doc->list_count + 1, sizeof *lists);
    struct anm_blob *empty = empty_list(kind);
    if (!lists || !empty) {
        free(lists);
        anm_blob_unref(empty);
        return anm_fail_nomem(err);
    }
    uint32_t i = doc->list_count;
    while (i > 0 && doc->lists[i - 1].kind > kind) /* kinds are in the order of the body */
        i--;
    memcpy(lists, doc->lists, i * sizeof *lists);
    memcpy(lists + i + 1, doc->lists + i, (doc->list_count - i) * sizeof *lists);
    lists[i] = (struct niff_list){.kind = kind, .bytes = empty};
    free(doc->lists);
    doc->lists = lists;
    doc->list_count++;
    if (tag == NIFF_ANIM) {
        doc->anim_head = empty;
        lists[i].bytes = NULL;
        if (replace(&doc->anim_rest, anm_blob_new("", 0), err))
            return -1;
    }
    return grow(doc, kind, NIFF_LIST_HEAD + (kind->counts == 2 ? 4 : 0), err);
}

int niff_drop_list(struct niff_doc *doc, uint32_t tag, struct anm_error *err)
{
    struct niff_list *list = find_list(doc, tag);
    if (!list || !list->bytes)
        return 0;
    if (grow(doc, list->kind, 0 - list->bytes->size, err))
        return -1;
    anm_blob_unref(list->bytes);
    size_t after = doc->list_count - (size_t)(list - doc->lists) - 1;
    memmove(list, list + 1, after * sizeof *list);
    doc->list_count--;
    return 0;
}

int niff_set_head(struct niff_doc *doc, const void *block, size_t block_size, const void *user, size_t user_size,
                  struct anm_error *err)
{
    ANM_AUTO(anm_buf_free) struct anm_buf head = {0};
    size_t size = NIFF_HEAD + block_size + user_size, before = doc->head->size;
    uint32_t file = niff_word(doc->head->bytes, NIFF_H_FILE_SIZE) + (uint32_t)(size - before);
    anm_buf_put(&head, doc->head->bytes, NIFF_HEAD);
    anm_buf_put(&head, block, block_size);
    anm_buf_put(&head, user, user_size);
    if (head.failed)
        return anm_fail_nomem(err);
    niff_set_word(head.data, NIFF_H_SIZE, (uint32_t)size);
    niff_set_word(head.data, NIFF_H_BLOCK, (uint32_t)block_size);
    niff_set_word(head.data, NIFF_H_USER, (uint32_t)user_size);
    niff_set_word(head.data, NIFF_H_FILE_SIZE, file);
    return replace(&doc->head, anm_blob_new(head.data, head.size), err);
}
