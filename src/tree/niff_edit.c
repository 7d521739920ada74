/* SPDX-License-Identifier: MIT */
/* Frames and groups made, removed, renamed. */
#include "niff_tree.h"

#include "anm/num.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the last step --- */

static bool same_groups(const struct niff_doc *a, const struct niff_doc *b)
{
    bool same = a->group_count == b->group_count;
    for (uint32_t i = 0; same && i < a->group_count; i++)
        same = a->groups[i].ordinal == b->groups[i].ordinal &&
               anm_blob_equal(a->groups[i].record, b->groups[i].record) &&
               anm_blob_equal(a->groups[i].name, b->groups[i].name);
    return same;
}

static bool same_lists(const struct niff_doc *a, const struct niff_doc *b)
{
    bool same = a->list_count == b->list_count;
    for (uint32_t i = 0; same && i < a->list_count; i++)
        same = a->lists[i].kind == b->lists[i].kind && anm_blob_equal(a->lists[i].bytes, b->lists[i].bytes);
    return same;
}

static bool same_docs(const struct niff_doc *a, const struct niff_doc *b)
{
    return anm_blob_equal(a->head, b->head) && anm_blob_equal(a->anim_head, b->anim_head) &&
           anm_blob_equal(a->anim_rest, b->anim_rest) && anm_blob_equal(a->tail, b->tail) && same_groups(a, b) &&
           same_lists(a, b) && a->made_count == b->made_count &&
           (a->made_count == 0 || memcmp(a->made, b->made, a->made_count * sizeof *a->made) == 0);
}

/* A frame that was made and has got keys is one like any other. */
static int forget_made(struct niff_doc *doc, struct anm_error *err)
{
    uint32_t kept = 0;
    const struct niff_index *index = doc->made_count ? niff_index(doc, err) : NULL;
    if (doc->made_count && !index)
        return -1;
    for (uint32_t i = 0; i < doc->made_count; i++) {
        uint32_t place;
        niff_find_frame(index, doc->made[i], &place);
        if (index->frame_first[place] == index->frame_first[place + 1])
            doc->made[kept++] = doc->made[i];
    }
    doc->made_count = kept;
    return 0;
}

/* What was written has to be read back. */
static int check_read_back(const struct niff_doc *doc, struct anm_error *err)
{
    struct anm_error why = {0};
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
    if (anm_doc_encode(&doc->doc, &bytes, err))
        return -1;
    if (bytes.size > INT32_MAX)
        return anm_fail(err, ANM_LIMIT, "the file would have %zu bytes", bytes.size);
    ANM_AUTO(anm_doc_clean) struct anm_doc *back = doc->doc.format->decode(bytes.data, bytes.size, &why);
    if (back || why.reason == ANM_NOMEM)
        return back ? 0 : anm_fail_nomem(err);
    return anm_fail(err, ANM_LIMIT, "the file would not be read back: %s", why.text);
}

struct anm_doc *niff_finish(const struct niff_doc *old, struct niff_doc **doc, struct anm_error *err)
{
    if (forget_made(*doc, err))
        return NULL;
    if (same_docs(old, *doc))
        return anm_doc_ref(&old->doc);
    if (check_read_back(*doc, err))
        return NULL;
    struct anm_doc *done = &(*doc)->doc;
    *doc = NULL;
    return done;
}

/* --- frames --- */

int niff_make_frame(struct niff_doc *doc, uint32_t number, struct anm_error *err)
{
    uint32_t i = 0;
    while (i < doc->made_count && doc->made[i] < number)
        i++;
    if (i < doc->made_count && doc->made[i] == number)
        return 0;
    uint32_t *made = anm_realloc(doc->made, (size_t)doc->made_count + 1, sizeof *made);
    if (!made)
        return anm_fail_nomem(err);
    doc->made = made;
    memmove(made + i + 1, made + i, (doc->made_count - i) * sizeof *made);
    made[i] = number;
    doc->made_count++;
    return 0;
}

static void unmake_frame(struct niff_doc *doc, uint32_t number)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < doc->made_count; i++)
        if (doc->made[i] != number)
            doc->made[kept++] = doc->made[i];
    doc->made_count = kept;
}

int niff_parse_frame(const char *name, uint32_t *number, struct anm_error *err)
{
    size_t size = strspn(name, "0123456789");
    char want[16];
    if (size == 0 || name[size] || size > 10)
        return anm_fail(err, ANM_NOENT, "there is no %s: frames are named by their numbers, 000, 001 …", name);
    if (anm_u32_parse(name, size, UINT32_MAX, number) != ANM_NUM_OK)
        return anm_fail(err, ANM_NAME, "frame %s: the highest number is %u", name, UINT32_MAX);
    snprintf(want, sizeof want, "%03u", *number);
    return strcmp(want, name) == 0 ? 0 : anm_fail(err, ANM_NAME, "frame %s is spelled %s", name, want);
}

int niff_can_make_frame(const struct anm_doc *anm, const struct anm_ref *dir, const char *name, struct anm_error *err)
{
    (void)anm, (void)dir;
    uint32_t number;
    if (niff_parse_frame(name, &number, err) == 0)
        return 0;
    if (err->reason == ANM_NOENT)
        err->reason = ANM_NAME;
    return -1;
}

struct anm_doc *niff_mkdir_frame(const struct anm_doc *anm, const struct anm_ref *dir, const char *name,
                                 struct anm_error *err)
{
    uint32_t number;
    const struct niff_doc *old = niff_const(anm);
    if (niff_can_make_frame(anm, dir, name, err) || niff_parse_frame(name, &number, err))
        return NULL;
    ANM_AUTO(niff_clean) struct niff_doc *doc = niff_copy(old, 0, err);
    return doc && niff_make_frame(doc, number, err) == 0 ? niff_finish(old, &doc, err) : NULL;
}

/* How many keys there are at a frame. */
static uint32_t count_keys(const struct niff_index *index, uint32_t number)
{
    uint32_t place;
    return niff_find_frame(index, number, &place) ? index->frame_first[place + 1] - index->frame_first[place] : 0;
}

struct anm_doc *niff_remove_frame(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_error *err)
{
    const struct niff_doc *old = niff_const(anm);
    const struct niff_index *index = niff_index(old, err);
    if (!index)
        return NULL;
    uint32_t keys = count_keys(index, ref->id[0]);
    if (keys)
        return anm_fail(err, ANM_NOTEMPTY, "frame %u has %u keys: remove them first, or rm -r", ref->id[0], keys), NULL;
    ANM_AUTO(niff_clean) struct niff_doc *doc = niff_copy(old, 0, err);
    if (!doc)
        return NULL;
    unmake_frame(doc, ref->id[0]);
    return niff_finish(old, &doc, err);
}

/* Moves all keys of a group at one frame to another. */
static int move_keys(struct niff_doc *doc, const struct niff_doc *old, const struct niff_index *index, uint32_t group,
                     uint32_t from, uint32_t to, struct anm_error *err)
{
    uint32_t count, moved = 0;
    ANM_AUTO(anm_freep) struct niff_item *items = niff_items_of(old, group, &count, err);
    if (!items)
        return -1;
    for (uint32_t i = 0; i < count; i++)
        if (items[i].entry.frame == from) {
            items[i].entry.frame = to;
            moved++;
        }
    return moved ? niff_set_items(doc, group, index->ordered[group], items, count, err) : 0;
}

struct anm_doc *niff_rename_frame(const struct anm_doc *anm, const struct anm_ref *ref, const char *name,
                                  struct anm_error *err)
{
    const struct niff_doc *old = niff_const(anm);
    const struct niff_index *index = niff_index(old, err);
    uint32_t from = ref->id[0], to;
    if (!index || niff_can_make_frame(anm, ref, name, err) || niff_parse_frame(name, &to, err))
        return NULL;
    if (from == to)
        return anm_doc_ref(anm);
    uint32_t keys = count_keys(index, to);
    if (keys)
        return anm_fail(err, ANM_NOTEMPTY, "frame %u has %u keys: it is not replaced", to, keys), NULL;
    ANM_AUTO(niff_clean) struct niff_doc *doc = niff_copy(old, 0, err);
    for (uint32_t g = 0; doc && g < old->group_count; g++)
        if (move_keys(doc, old, index, g, from, to, err))
            return NULL;
    if (!doc || niff_make_frame(doc, to, err))
        return NULL;
    unmake_frame(doc, from);
    return niff_finish(old, &doc, err);
}

struct anm_doc *niff_remove_keys(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_error *err)
{
    /* The parent of frames/NNN/keys has the same id; a text without a line is a frame without a key. */
    return niff_write_frame(anm, ref, "keys", "", 0, err);
}

/* --- groups --- */

/* Reads the name of a group that is to be made. The SDK's names are ASCII without blanks. */
static int parse_new(const struct niff_index *index, const char *name, struct anm_buf *raw, uint32_t *ordinal,
                     struct anm_error *err)
{
    if (anm_names_parse_new(&index->groups, name, raw, ordinal, err))
        return -1;
    for (size_t i = 0; i < raw->size; i++)
        if (raw->data[i] <= ' ' || raw->data[i] >= 0x7f)
            return anm_fail(err, ANM_NAME, "%s: names in a NIFF are ASCII without blanks; byte %zu is 0x%02x", name,
                            i + 1, raw->data[i]);
    return raw->size ? 0 : anm_fail(err, ANM_NAME, "a group needs a name");
}

int niff_can_make_group(const struct anm_doc *anm, const struct anm_ref *dir, const char *name, struct anm_error *err)
{
    (void)dir;
    ANM_AUTO(anm_buf_free) struct anm_buf raw = {0};
    const struct niff_index *index = niff_index(niff_const(anm), err);
    uint32_t ordinal;
    return index ? parse_new(index, name, &raw, &ordinal, err) : -1;
}

/* The rate of a new group: that of the first which has one. */
static uint32_t usual_rate(const struct niff_doc *doc)
{
    for (uint32_t i = 0; i < doc->group_count; i++)
        if (niff_group_word(doc, i, NIFF_G_RATE))
            return niff_group_word(doc, i, NIFF_G_RATE);
    return 2; /* 30 frames a second */
}

struct anm_doc *niff_mkdir_group(const struct anm_doc *anm, const struct anm_ref *dir, const char *name,
                                 struct anm_error *err)
{
    (void)dir;
    const struct niff_doc *old = niff_const(anm);
    const struct niff_index *index = niff_index(old, err);
    ANM_AUTO(anm_buf_free) struct anm_buf raw = {0};
    uint32_t ordinal;
    if (!index || parse_new(index, name, &raw, &ordinal, err))
        return NULL;
    ANM_AUTO(niff_clean) struct niff_doc *doc = niff_copy(old, 1, err);
    struct niff_build build;
    niff_build_empty(&build, niff_is_2(old));
    build.head[NIFF_G_RATE] = usual_rate(old);
    struct anm_blob *record = doc ? niff_build_record(&build, err) : NULL;
    if (!record || niff_add_group(doc, record, raw.data, raw.size, (uint16_t)ordinal, err))
        return NULL;
    return niff_finish(old, &doc, err);
}

static int check_empty(const struct niff_index *index, uint32_t group, const char *what, struct anm_error *err)
{
    uint32_t keys = index->first[group + 1] - index->first[group];
    size_t size;
    return keys ? anm_fail(err, ANM_NOTEMPTY, "%.200s has %u keys: %s", anm_names_text(&index->groups, group, &size),
                           keys, what)
                : 0;
}

struct anm_doc *niff_remove_group_dir(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_error *err)
{
    const struct niff_doc *old = niff_const(anm);
    const struct niff_index *index = niff_index(old, err);
    if (!index || check_empty(index, ref->id[0], "remove them first, or rm -r", err))
        return NULL;
    ANM_AUTO(niff_clean) struct niff_doc *doc = niff_copy(old, 0, err);
    return doc && niff_remove_group(doc, ref->id[0], err) == 0 ? niff_finish(old, &doc, err) : NULL;
}

struct anm_doc *niff_rename_group(const struct anm_doc *anm, const struct anm_ref *ref, const char *name,
                                  struct anm_error *err)
{
    const struct niff_doc *old = niff_const(anm);
    const struct niff_index *index = niff_index(old, err);
    ANM_AUTO(anm_buf_free) struct anm_buf raw = {0};
    uint32_t group = ref->id[0], ordinal, to, before;
    if (!index || parse_new(index, name, &raw, &ordinal, err))
        return NULL;
    bool replaces = anm_names_find(&index->groups, raw.data, raw.size, ordinal, &to);
    if (replaces && to == group)
        return anm_doc_ref(anm);
    if (replaces && check_empty(index, to, "it is not replaced", err))
        return NULL;
    if (ordinal > 1 && anm_names_find(&index->groups, raw.data, raw.size, ordinal - 1, &before) && before == group)
        return anm_fail(err, ANM_NAME, "%s needs the group before it, which is the one to be renamed", name), NULL;
    ANM_AUTO(niff_clean) struct niff_doc *doc = niff_copy(old, 0, err);
    if (!doc || (replaces && niff_remove_group(doc, to, err)) ||
        niff_name_group(doc, group - (replaces && group > to), raw.data, raw.size, (uint16_t)ordinal, err))
        return NULL;
    return niff_finish(old, &doc, err);
}

struct anm_doc *niff_remove_track(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_error *err)
{
    return niff_write_track(anm, ref, "keys", "", 0, err);
}
