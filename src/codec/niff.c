/* SPDX-License-Identifier: MIT */
/* NIFF files: from bytes and back (formats: NIFF 2). */
#include "niff_codec.h"

#include "anm/cursor.h"
#include "anm/given.h"

#include <stdlib.h>

static bool sniff(const uint8_t *bytes, size_t size)
{
    if (size < NIFF_HEAD + 4 || bytes[2] > 2 || niff_word(bytes, NIFF_H_TAG) != 0)
        return false;
    uint32_t head = niff_word(bytes, NIFF_H_SIZE);
    uint64_t sum = NIFF_HEAD + (uint64_t)niff_word(bytes, NIFF_H_BLOCK) + niff_word(bytes, NIFF_H_USER);
    return head == sum && head <= size - 4 &&
           ((uint32_t)bytes[head] << 24 | (uint32_t)bytes[head + 1] << 16 | (uint32_t)bytes[head + 2] << 8 |
            bytes[head + 3]) == NIFF_SCENE;
}

/* What a file that was cut short, or damaged in its header, still shows. */
static bool resembles(const uint8_t *bytes, size_t size)
{
    if (size < 16 || bytes[2] > 2 || niff_word(bytes, NIFF_H_TAG) != 0)
        return false;
    uint32_t head = niff_word(bytes, NIFF_H_SIZE), file = niff_word(bytes, NIFF_H_FILE_SIZE);
    return head >= NIFF_HEAD && head < file && file >= size;
}

/* --- the header --- */

static int get_head(struct anm_cursor *c, struct niff_doc *doc)
{
    const uint8_t *head = anm_peek(c, NIFF_HEAD);
    if (!head)
        return anm_fail_at(c->err, 0, "file header: %d bytes expected, %zu left in the file", NIFF_HEAD, anm_left(c));
    uint32_t size = niff_word(head, NIFF_H_SIZE);
    uint64_t sum = NIFF_HEAD + (uint64_t)niff_word(head, NIFF_H_BLOCK) + niff_word(head, NIFF_H_USER);
    if (niff_word(head, NIFF_H_TAG) != 0)
        return anm_fail_at(c->err, 8, "file header: tag 0x%08x, expected 0", niff_word(head, NIFF_H_TAG));
    if (size != sum)
        return anm_fail_at(c->err, 12, "file header: its size is %u, expected %llu (%d and both extension blocks)",
                           size, (unsigned long long)sum, NIFF_HEAD);
    const uint8_t *bytes = anm_get_bytes(c, size, "file header");
    doc->head = bytes ? anm_blob_new(bytes, size) : NULL;
    return doc->head ? 0 : bytes ? anm_fail_nomem(c->err) : -1;
}

/* --- lists --- */

/* Bytes of a list header, and where its table is. */
static size_t list_head(const struct niff_kind *kind)
{
    return kind->counts == 0 ? 4 * (size_t)kind->least : NIFF_LIST_HEAD + 4 * (kind->counts - (size_t)1);
}

int niff_check_list(const struct niff_kind *kind, const uint8_t *bytes, size_t size, size_t at, struct anm_error *err)
{
    size_t table = list_head(kind);
    if (kind->counts == 0)
        return 0;
    uint64_t count = niff_word(bytes, NIFF_L_COUNT) + (kind->counts == 2 ? (uint64_t)niff_word(bytes, 4) : 0);
    if (count > (size - table) / 4)
        return anm_fail_at(err, at + 12, "%s: %llu records, and %zu bytes are left in the list", kind->title,
                           (unsigned long long)count, size - table);
    size_t pos = table + 4 * (size_t)count;
    for (size_t i = 0; i < count; i++) {
        uint32_t each = niff_word(bytes + table, i);
        if (each < 4 * (size_t)kind->least || each % 4 || each > size - pos)
            return anm_fail_at(err, at + table + 4 * i,
                               "%s, record %zu: its size is %u, expected a multiple of 4 from %u to the %zu bytes left",
                               kind->title, i, each, 4u * kind->least, size - pos);
        pos += each;
    }
    return 0;
}

/* The lists that the file header has a size for, and that have not come. */
static const struct niff_kind *missing(const struct niff_doc *doc)
{
    const struct niff_kind *kind;
    for (uint32_t i = 0; (kind = niff_kind_at(i)); i++) {
        size_t word = niff_size_word(doc, kind);
        bool there = word == 0 || niff_word(doc->head->bytes, word) == 0;
        for (uint32_t k = 0; !there && k < doc->list_count; k++)
            there = doc->lists[k].kind == kind;
        if (!there)
            return kind;
    }
    return NULL;
}

static int get_list(struct anm_cursor *c, struct niff_doc *doc, const struct niff_kind *kind)
{
    const uint8_t *head = anm_peek(c, list_head(kind));
    uint32_t size = head ? niff_word(head, NIFF_L_SIZE) : 0;
    if (!head)
        return anm_fail_at(c->err, c->pos, "%s: %zu bytes expected, %zu left in the file", kind->title, list_head(kind),
                           anm_left(c));
    if (size > anm_left(c) && niff_check_list(kind, head, anm_left(c), c->pos, c->err))
        return -1; /* cut short in that record */
    if (size < list_head(kind) || size % 4 || size > anm_left(c))
        return anm_fail_at(c->err, c->pos + 8,
                           "%s: its size is %u, expected a multiple of 4 from %zu to the %zu bytes left in the file",
                           kind->title, size, list_head(kind), anm_left(c));
    for (uint32_t i = 0; i < doc->list_count; i++)
        if (doc->lists[i].kind == kind)
            return anm_fail_at(c->err, c->pos, "a second %s", kind->title);
    if (kind->opened && niff_check_list(kind, head, size, c->pos, c->err))
        return -1;
    struct niff_list *list = &doc->lists[doc->list_count++];
    *list = (struct niff_list){.kind = kind, .bytes = anm_blob_new(head, size)};
    anm_get_bytes(c, size, kind->title);
    return list->bytes ? 0 : anm_fail_nomem(c->err);
}

static int get_lists(struct anm_cursor *c, struct niff_doc *doc)
{
    uint32_t kinds = 0;
    while (niff_kind_at(kinds))
        kinds++;
    doc->lists = anm_alloc(0, kinds, sizeof *doc->lists);
    if (!doc->lists)
        return anm_fail_nomem(c->err);
    for (;;) {
        const uint8_t *tag = anm_peek(c, 4);
        const struct niff_kind *kind = tag ? niff_kind_of(niff_word(tag, 0)) : NULL;
        if (!kind)
            break;
        if (get_list(c, doc, kind))
            return -1;
    }
    const struct niff_kind *wanted = missing(doc);
    const uint8_t *tag = anm_peek(c, 4);
    if (wanted && tag)
        return anm_fail_at(c->err, c->pos, "tag 0x%08x, expected a list: the file header has a size for a %s",
                           niff_word(tag, 0), wanted->title);
    if (wanted)
        return anm_fail_at(c->err, c->pos, "the file ends here, and the file header has a size for a %s",
                           wanted->title);
    return 0;
}

/* --- AnimList --- */

static int get_group(struct niff_doc *doc, const struct niff_walk *walk, size_t list_at, struct anm_error *err)
{
    struct anm_error why = {0};
    struct niff_view view;
    struct niff_group *group = &doc->groups[doc->group_count++];
    group->record = anm_blob_new(walk->bytes->bytes + walk->at, walk->size);
    if (!group->record)
        return anm_fail_nomem(err);
    return niff_view(&view, group->record, niff_is_2(doc), &why)
               ? anm_fail_at(err, list_at + walk->at + why.offset, "AnimList, group %u: %s", doc->group_count - 1,
                             why.text)
               : 0;
}

/* Takes AnimList apart: its bytes are in its parts from now on. */
static int open_anims(struct niff_doc *doc, struct niff_list *list, size_t at, struct anm_error *err)
{
    struct niff_walk walk = niff_walk(list->kind, list->bytes);
    size_t end = NIFF_LIST_HEAD + 4 * (size_t)walk.count;
    doc->groups = anm_alloc(0, walk.count, sizeof *doc->groups);
    if (!doc->groups)
        return anm_fail_nomem(err);
    while (niff_walk_next(&walk)) {
        if (get_group(doc, &walk, at, err))
            return -1;
        end = walk.at + walk.size;
    }
    doc->anim_head = anm_blob_new(list->bytes->bytes, NIFF_LIST_HEAD);
    doc->anim_rest = anm_blob_new(list->bytes->bytes + end, list->bytes->size - end);
    if (!doc->anim_head || !doc->anim_rest)
        return anm_fail_nomem(err);
    anm_blob_unref(list->bytes);
    list->bytes = NULL;
    return 0;
}

static int get_file(struct anm_cursor *c, struct niff_doc *doc)
{
    if (get_head(c, doc) || get_lists(c, doc))
        return -1;
    size_t at = doc->head->size;
    for (uint32_t i = 0; i < doc->list_count; i++) {
        size_t size = doc->lists[i].bytes->size;
        if (doc->lists[i].kind->tag == NIFF_ANIM && open_anims(doc, &doc->lists[i], at, c->err))
            return -1;
        at += size;
    }
    if (doc->list_count == 0 || doc->lists[0].kind->tag != NIFF_SCENE)
        return anm_fail_at(c->err, doc->head->size, "expected the SceneList (tag 0x%08x)", NIFF_SCENE);
    uint32_t file = niff_word(doc->head->bytes, NIFF_H_FILE_SIZE);
    if (file > c->size)
        return anm_fail_at(c->err, 4, "file header: file_size is %u, but the file has %zu bytes: it was cut short",
                           file, c->size);
    if (niff_name_groups(doc, c->err))
        return -1;
    if (anm_left(c) == 0)
        return 0;
    doc->tail = anm_blob_new(c->data + c->pos, anm_left(c));
    return doc->tail ? 0 : anm_fail_nomem(c->err);
}

static struct anm_doc *decode(const uint8_t *bytes, size_t size, struct anm_error *err)
{
    ANM_AUTO(niff_clean) struct niff_doc *doc = anm_alloc(0, 1, sizeof *doc);
    if (!doc) {
        anm_fail_nomem(err);
        return NULL;
    }
    doc->doc = (struct anm_doc){.format = &anm_niff, .refs = 1};
    struct anm_cursor c = anm_cursor(bytes, size, err);
    if (get_file(&c, doc))
        return NULL;
    struct anm_doc *done = &doc->doc;
    doc = NULL;
    return done;
}

static void put_anims(const struct niff_doc *doc, struct anm_buf *out)
{
    anm_buf_put(out, doc->anim_head->bytes, doc->anim_head->size);
    for (uint32_t i = 0; i < doc->group_count; i++)
        anm_buf_u32be(out, (uint32_t)doc->groups[i].record->size);
    for (uint32_t i = 0; i < doc->group_count; i++)
        anm_buf_put(out, doc->groups[i].record->bytes, doc->groups[i].record->size);
    anm_buf_put(out, doc->anim_rest->bytes, doc->anim_rest->size);
}

static int encode(const struct anm_doc *anm, struct anm_buf *out, struct anm_error *err)
{
    const struct niff_doc *doc = niff_const(anm);
    anm_buf_put(out, doc->head->bytes, doc->head->size);
    for (uint32_t i = 0; i < doc->list_count; i++) {
        const struct anm_blob *bytes = doc->lists[i].bytes;
        if (bytes)
            anm_buf_put(out, bytes->bytes, bytes->size);
        else
            put_anims(doc, out);
    }
    if (doc->tail)
        anm_buf_put(out, doc->tail->bytes, doc->tail->size);
    return out->failed ? anm_fail_nomem(err) : 0;
}

const struct anm_format anm_niff = {
    .family = "niff",
    .suffix = {".nif", ".niff"},
    .sniff = sniff,
    .resembles = resembles,
    .decode = decode,
    .encode = encode,
    .destroy = niff_destroy,
    .memory = niff_memory,
    .with = niff_with,
};
