/* SPDX-License-Identifier: MIT */
#include "gem_tree.h"

#include "anm/name.h"

#include <stdlib.h>
#include <string.h>

#define BONES_MAX 0xffffu /* keys hold an index of 16 bits */
#define GONE UINT32_MAX   /* in a table of new indices: the bone is dropped */

static void map_clean(struct gem_bonemap **map)
{
    gem_bonemap_unref(*map);
}

int gem_find_bone_dir(const struct gem_doc *doc, const char *name, size_t size, uint32_t *bone, struct anm_error *err)
{
    const struct gem_index *index = gem_index(doc, err);
    return index ? anm_names_find_path(&index->names, name, size, bone, err) : -1;
}

static int parse_new(const struct gem_doc *doc, const char *name, struct anm_buf *raw, uint32_t *ordinal,
                     struct anm_error *err)
{
    const struct gem_index *index = gem_index(doc, err);
    return index ? anm_names_parse_new(&index->names, name, raw, ordinal, err) : -1;
}

int gem_can_make_bone(const struct anm_doc *anm, const struct anm_ref *dir, const char *name, struct anm_error *err)
{
    (void)dir;
    ANM_AUTO(anm_buf_free) struct anm_buf raw = {0};
    uint32_t ordinal;
    return gem_editable(gem_const(anm), err) ? -1 : parse_new(gem_const(anm), name, &raw, &ordinal, err);
}

static struct gem_bone share(const struct gem_bone *bone)
{
    return (struct gem_bone){.name = anm_blob_ref(bone->name), .ordinal = bone->ordinal};
}

/* Gives `doc` another bone map: takes over `map`. */
static void set_map(struct gem_doc *doc, struct gem_bonemap *map)
{
    gem_bonemap_unref(doc->bones);
    doc->bones = map;
}

struct anm_doc *gem_mkdir_bone(const struct anm_doc *anm, const struct anm_ref *dir, const char *name,
                               struct anm_error *err)
{
    (void)dir;
    const struct gem_doc *old = gem_const(anm);
    ANM_AUTO(anm_buf_free) struct anm_buf raw = {0};
    uint32_t ordinal, count = old->bones->count;
    if (parse_new(old, name, &raw, &ordinal, err))
        return NULL;
    if (count >= BONES_MAX)
        return anm_fail(err, ANM_LIMIT, "there are %u bones already, and no more can be", count), NULL;
    ANM_AUTO(gem_clean) struct gem_doc *doc = gem_copy(old);
    struct gem_bonemap *map = doc ? gem_bonemap_new(count + 1) : NULL;
    if (!map)
        return anm_fail_nomem(err), NULL;
    for (uint32_t b = 0; b < count; b++)
        map->bones[b] = share(&old->bones->bones[b]);
    map->bones[count] = (struct gem_bone){.name = anm_blob_new(raw.data, raw.size), .ordinal = (uint16_t)ordinal};
    set_map(doc, map);
    if (!map->bones[count].name)
        return anm_fail_nomem(err), NULL;
    return gem_finish(old, &doc, err);
}

/* Rewrites the bone indices of all keys; a frame in which none changes is shared. */
static int remap(struct gem_doc *doc, const uint32_t *to, struct anm_error *err)
{
    for (uint32_t f = 0; f < doc->frame_count; f++) {
        const struct gem_frame *old = doc->frames[f];
        uint32_t k = 0;
        while (k < old->count && to[old->keys[k].bone] == old->keys[k].bone)
            k++;
        if (k == old->count)
            continue;
        struct gem_frame *frame = gem_frame_copy(old);
        if (!frame)
            return anm_fail_nomem(err);
        for (; k < frame->count; k++)
            frame->keys[k].bone = (uint16_t)to[frame->keys[k].bone];
        gem_set_frame(doc, f, frame);
    }
    return 0;
}

/* The document without one bone, which no key uses. */
static struct gem_doc *without_bone(const struct gem_doc *old, uint32_t bone, struct anm_error *err)
{
    uint32_t count = old->bones->count;
    ANM_AUTO(anm_freep) uint32_t *to = anm_alloc(0, count, sizeof *to);
    ANM_AUTO(gem_clean) struct gem_doc *doc = gem_copy(old);
    struct gem_bonemap *map = doc && to ? gem_bonemap_new(count - 1) : NULL;
    if (!map)
        return anm_fail_nomem(err), NULL;
    set_map(doc, map);
    for (uint32_t b = 0; b < count; b++) {
        to[b] = b - (b > bone);
        if (b != bone)
            map->bones[to[b]] = share(&old->bones->bones[b]);
    }
    if (remap(doc, to, err))
        return NULL;
    struct gem_doc *done = doc;
    doc = NULL;
    return done;
}

struct anm_doc *gem_remove_bone(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_error *err)
{
    const struct gem_doc *old = gem_const(anm);
    const struct gem_index *index = gem_index(old, err);
    uint32_t bone = ref->id[0];
    if (!index)
        return NULL;
    if (index->first[bone] != index->first[bone + 1])
        return anm_fail(err, ANM_NOTEMPTY, "the bone has %u keys: remove them first, or rm -r",
                        index->first[bone + 1] - index->first[bone]),
               NULL;
    ANM_AUTO(gem_clean) struct gem_doc *doc = without_bone(old, bone, err);
    return doc ? gem_finish(old, &doc, err) : NULL;
}

/* Gives a bone another name. */
static int set_name(struct gem_doc *doc, uint32_t bone, const struct anm_buf *raw, uint32_t ordinal,
                    struct anm_error *err)
{
    struct gem_bonemap *map = gem_bonemap_new(doc->bones->count);
    struct anm_blob *name = anm_blob_new(raw->data, raw->size);
    if (!map || !name) {
        gem_bonemap_unref(map);
        anm_blob_unref(name);
        return anm_fail_nomem(err);
    }
    for (uint32_t b = 0; b < map->count; b++)
        if (b != bone)
            map->bones[b] = share(&doc->bones->bones[b]);
    map->bones[bone] = (struct gem_bone){.name = name, .ordinal = (uint16_t)ordinal};
    set_map(doc, map);
    return 0;
}

struct anm_doc *gem_rename_bone(const struct anm_doc *anm, const struct anm_ref *ref, const char *name,
                                struct anm_error *err)
{
    const struct gem_doc *old = gem_const(anm);
    const struct gem_index *index = gem_index(old, err);
    ANM_AUTO(anm_buf_free) struct anm_buf raw = {0};
    uint32_t bone = ref->id[0], ordinal, to, before;
    if (!index || parse_new(old, name, &raw, &ordinal, err))
        return NULL;
    bool replaces = anm_names_find(&index->names, raw.data, raw.size, ordinal, &to);
    if (replaces && to == bone)
        return anm_doc_ref(anm);
    if (replaces && index->first[to] != index->first[to + 1])
        return anm_fail(err, ANM_NOTEMPTY, "%s has %u keys: it is not replaced", name,
                        index->first[to + 1] - index->first[to]),
               NULL;
    if (ordinal > 1 && anm_names_find(&index->names, raw.data, raw.size, ordinal - 1, &before) && before == bone)
        return anm_fail(err, ANM_NAME, "%s needs the bone before it, which is the one to be renamed", name), NULL;
    ANM_AUTO(gem_clean) struct gem_doc *doc = replaces ? without_bone(old, to, err) : gem_copy(old);
    if (!doc)
        return replaces ? NULL : (anm_fail_nomem(err), NULL);
    if (set_name(doc, bone - (replaces && bone > to), &raw, ordinal, err))
        return NULL;
    return gem_finish(old, &doc, err);
}

struct anm_doc *gem_remove_track(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_error *err)
{
    /* The parent of bones/NAME/keys has the same id; a track without a line is one without a key. */
    return gem_write_track(anm, ref, "keys", "", 0, err);
}

/* --- the bone map as a text --- */

int gem_render_bonemap(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_buf *out, struct anm_error *err)
{
    (void)ref;
    const struct gem_index *index = gem_index(gem_const(anm), err);
    if (!index)
        return -1;
    for (uint32_t b = 0; b < gem_const(anm)->bones->count; b++) {
        size_t size;
        const char *name = anm_names_text(&index->names, b, &size);
        anm_buf_put(out, name, size);
        anm_buf_putc(out, '\n');
    }
    return 0;
}

/* Bones as the text lists them. */
struct item {
    struct gem_bone bone;
    bool made; /* not in the map yet */
    uint32_t line, column;
};

struct list {
    struct item *items;
    uint32_t count, capacity;
};

static void list_free(struct list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        anm_blob_unref(list->items[i].bone.name);
    free(list->items);
}

/* Appends the bone of the current line: an old one when there is one of that name, whose new index goes to `to`. */
static int read_bone(const struct gem_doc *old, const struct gem_index *index, struct anm_lines *lines,
                     struct list *list, uint32_t *to)
{
    ANM_AUTO(anm_buf_free) struct anm_buf raw = {0};
    struct anm_error why = {0};
    uint32_t ordinal, bone;
    if (anm_lines_want(lines, 1, "one name of a bone a line"))
        return -1;
    if (anm_name_parse(lines->tokens[0].text, lines->tokens[0].size, &raw, &ordinal, &why))
        return why.reason == ANM_NAME ? anm_lines_fail(lines, 0, "%s", why.text) : (*lines->err = why, -1);
    if (list->count >= BONES_MAX)
        return anm_fail(lines->err, ANM_LIMIT, "more than %u bones", BONES_MAX);
    if (list->count == list->capacity) {
        uint32_t capacity = list->capacity ? list->capacity * 2 : 64;
        struct item *items = anm_realloc(list->items, capacity, sizeof *items);
        if (!items)
            return anm_fail_nomem(lines->err);
        list->items = items;
        list->capacity = capacity;
    }
    struct item *item = &list->items[list->count];
    *item = (struct item){.line = lines->line, .column = lines->tokens[0].column};
    if (anm_names_find(&index->names, raw.data, raw.size, ordinal, &bone)) {
        item->bone = share(&old->bones->bones[bone]);
        to[bone] = list->count;
    } else {
        item->bone = (struct gem_bone){.name = anm_blob_new(raw.data, raw.size), .ordinal = (uint16_t)ordinal};
        item->made = true;
    }
    list->count++;
    return item->bone.name && !raw.failed ? 0 : anm_fail_nomem(lines->err);
}

static int compare_bones(const struct gem_bone *a, const struct gem_bone *b)
{
    if (a->ordinal != b->ordinal)
        return a->ordinal < b->ordinal ? -1 : 1;
    if (a->name->size != b->name->size)
        return a->name->size < b->name->size ? -1 : 1;
    return a->name->size ? memcmp(a->name->bytes, b->name->bytes, a->name->size) : 0;
}

static int compare_items(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    int order = compare_bones(&a->bone, &b->bone);
    return order ? order : (a->line > b->line) - (a->line < b->line);
}

static int compare_names_only(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    return compare_bones(&a->bone, &b->bone);
}

/* A new NAME~3 needs a NAME~2: numbers count, they are not chosen. */
static int check_number(const struct item *item, const struct item *sorted, uint32_t count, struct anm_error *err)
{
    ANM_AUTO(anm_buf_free) struct anm_buf name = {0};
    struct item before = {.bone = {item->bone.name, (uint16_t)(item->bone.ordinal - 1)}};
    if (!item->made || item->bone.ordinal == 1 || bsearch(&before, sorted, count, sizeof *sorted, compare_names_only))
        return 0;
    anm_name_put(&name, item->bone.name->bytes, item->bone.name->size, item->bone.ordinal);
    const char *text = anm_buf_cstr(&name);
    return anm_fail_line(err, item->line, item->column,
                         "%.250s cannot be made: bones of one name are numbered 2, 3 … behind the first",
                         text ? text : "a bone");
}

static int check_repeats(const struct list *list, struct anm_error *err)
{
    ANM_AUTO(anm_freep) struct item *sorted = anm_alloc(0, list->count, sizeof *sorted);
    if (!sorted)
        return anm_fail_nomem(err);
    if (list->count)
        memcpy(sorted, list->items, list->count * sizeof *sorted);
    qsort(sorted, list->count, sizeof *sorted, compare_items);
    for (uint32_t i = 1; i < list->count; i++)
        if (compare_bones(&sorted[i - 1].bone, &sorted[i].bone) == 0)
            return anm_fail_line(err, sorted[i].line, sorted[i].column,
                                 "that bone is on line %u already; a second bone of one name is NAME~2",
                                 sorted[i - 1].line);
    for (uint32_t i = 0; i < list->count; i++)
        if (check_number(&sorted[i], sorted, list->count, err))
            return -1;
    return 0;
}

static int check_dropped(const struct gem_doc *old, const struct gem_index *index, const uint32_t *to,
                         struct anm_error *err)
{
    for (uint32_t b = 0; b < old->bones->count; b++) {
        size_t size;
        if (to[b] == GONE && index->first[b] != index->first[b + 1])
            return anm_fail(err, ANM_TEXT,
                            "%.200s is missing, but has keys (%u): to rename it, mv bones/%.200s bones/NEW; to drop "
                            "it, rm -r bones/%.200s",
                            anm_names_text(&index->names, b, &size), index->first[b + 1] - index->first[b],
                            anm_names_text(&index->names, b, &size), anm_names_text(&index->names, b, &size));
    }
    return 0;
}

struct anm_doc *gem_write_bonemap(const struct anm_doc *anm, const struct anm_ref *dir, const char *name,
                                  const void *bytes, size_t size, struct anm_error *err)
{
    (void)dir, (void)name;
    const struct gem_doc *old = gem_const(anm);
    const struct gem_index *index = gem_index(old, err);
    ANM_AUTO(anm_freep) uint32_t *to = anm_alloc(0, old->bones->count, sizeof *to);
    ANM_AUTO(list_free) struct list list = {0};
    struct anm_lines lines;
    int more;
    if (!index || !to)
        return anm_fail_nomem(err), NULL;
    memset(to, 0xff, old->bones->count * sizeof *to);
    anm_lines_start(&lines, bytes, size, err);
    while ((more = anm_lines_next(&lines)) == 1)
        if (read_bone(old, index, &lines, &list, to))
            return NULL;
    if (more || check_repeats(&list, err) || check_dropped(old, index, to, err))
        return NULL;
    ANM_AUTO(gem_clean) struct gem_doc *doc = gem_copy(old);
    ANM_AUTO(map_clean) struct gem_bonemap *map = doc ? gem_bonemap_new(list.count) : NULL;
    if (!map)
        return anm_fail_nomem(err), NULL;
    for (uint32_t b = 0; b < list.count; b++)
        map->bones[b] = share(&list.items[b].bone);
    if (remap(doc, to, err))
        return NULL;
    set_map(doc, map);
    map = NULL;
    return gem_finish(old, &doc, err);
}
