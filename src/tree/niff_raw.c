/* SPDX-License-Identifier: MIT */
/* raw/…: lists and records as their bytes, and the extension blocks (formats: NIFF 1, 2.1, 2.3, 3.1). */
#include "niff_tree.h"

#include "anm/given.h"

#include <string.h>

#define SUFFIX ".bin"
#define SUFFIX_SIZE 4
#define FILE_HEAD 100
#define FILE_BLOCK_2 36
enum { HEAD_BLOCK = 23 };

/* The name before ".bin", or false. */
static bool without_suffix(const char *name, size_t *size)
{
    size_t all = strlen(name);
    *size = all - SUFFIX_SIZE;
    return all > SUFFIX_SIZE && strcmp(name + *size, SUFFIX) == 0;
}

/* --- lists: id[0] is the place in the file --- */

static uint32_t lists_count(const struct anm_doc *anm, const struct anm_ref *dir)
{
    (void)dir;
    return niff_const(anm)->list_count;
}

static void nth(const struct anm_doc *anm, const struct anm_ref *dir, uint32_t i, struct anm_ref *child)
{
    (void)anm, (void)dir;
    child->id[0] = i;
}

static void lists_name(const struct anm_doc *anm, const struct anm_ref *child, struct anm_buf *out)
{
    anm_buf_puts(out, niff_const(anm)->lists[child->id[0]].kind->name);
    anm_buf_puts(out, SUFFIX);
}

static int lists_find(const struct anm_doc *anm, const struct anm_ref *dir, const char *name, struct anm_ref *child,
                      struct anm_error *err)
{
    (void)dir;
    const struct niff_doc *doc = niff_const(anm);
    size_t size;
    for (uint32_t i = 0; without_suffix(name, &size) && i < doc->list_count; i++)
        if (strlen(doc->lists[i].kind->name) == size && memcmp(doc->lists[i].kind->name, name, size) == 0) {
            child->id[0] = i;
            return 0;
        }
    return anm_fail(err, ANM_NOENT, "there is no %s", name);
}

const struct anm_set niff_raw_lists = {lists_count, nth, lists_name, lists_find};

/* Where the list is in the file, and how long. */
static size_t list_place(const struct niff_doc *doc, uint32_t list, size_t *size)
{
    size_t at = doc->head->size;
    for (uint32_t i = 0; i < list; i++)
        at += niff_list_size(doc, &doc->lists[i]);
    *size = niff_list_size(doc, &doc->lists[list]);
    return at;
}

int niff_render_raw_list(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_buf *out,
                         struct anm_error *err)
{
    ANM_AUTO(anm_buf_free) struct anm_buf file = {0};
    size_t size, at = list_place(niff_const(anm), ref->id[0], &size);
    if (anm_doc_encode(anm, &file, err))
        return -1;
    anm_buf_put(out, file.data + at, size);
    return 0;
}

/* The document that these bytes are, with what `old` has beside its own. */
static struct anm_doc *reread(const struct niff_doc *old, const struct anm_buf *bytes, struct anm_error *err)
{
    if (bytes->failed)
        return anm_fail_nomem(err), NULL;
    ANM_AUTO(anm_doc_clean) struct anm_doc *plain = old->doc.format->decode(bytes->data, bytes->size, err);
    ANM_AUTO(niff_clean) struct niff_doc *doc = plain ? niff_copy(niff_const(plain), 0, err) : NULL;
    if (!doc)
        return NULL;
    doc->given = anm_given_ref(old->given);
    for (uint32_t i = 0; i < old->made_count; i++)
        if (niff_make_frame(doc, old->made[i], err))
            return NULL;
    return niff_finish(old, &doc, err);
}

struct anm_doc *niff_write_raw_list(const struct anm_doc *anm, const struct anm_ref *dir, const char *name,
                                    const void *bytes, size_t size, struct anm_error *err)
{
    const struct niff_doc *old = niff_const(anm);
    struct anm_ref ref = *dir;
    ANM_AUTO(anm_buf_free) struct anm_buf file = {0}, out = {0};
    if (lists_find(anm, dir, name, &ref, err) || anm_doc_encode(anm, &file, err))
        return NULL;
    const struct niff_kind *kind = old->lists[ref.id[0]].kind;
    size_t before, at = list_place(old, ref.id[0], &before);
    if (size < 12 || niff_word(bytes, 0) != kind->tag || niff_word(bytes, 2) != size)
        return anm_fail(err, ANM_FORMAT, "expected a %s: tag 0x%08x, and its size, %zu, as the third word", kind->title,
                        kind->tag, size),
               NULL;
    if (size == before && memcmp(bytes, file.data + at, size) == 0)
        return anm_doc_ref(anm); /* read anew, groups of one name would be numbered anew */
    anm_buf_put(&out, file.data, at);
    anm_buf_put(&out, bytes, size);
    anm_buf_put(&out, file.data + at + before, file.size - at - before);
    if (!out.failed) {
        uint32_t delta = (uint32_t)(size - before);
        niff_set_word(out.data, 1, niff_word(out.data, 1) + delta);
        size_t word = niff_size_word(old, kind);
        if (word)
            niff_set_word(out.data, word, niff_word(out.data, word) + delta);
    }
    return reread(old, &out, err);
}

int niff_can_make_raw(const struct anm_doc *anm, const struct anm_ref *dir, const char *name, struct anm_error *err)
{
    (void)anm, (void)dir;
    return anm_fail(err, ANM_DENIED, "%s is not in the file, and cannot be made as raw bytes", name);
}

/* --- groups: id[0] is the index --- */

static uint32_t groups_count(const struct anm_doc *anm, const struct anm_ref *dir)
{
    (void)dir;
    return niff_const(anm)->group_count;
}

static void groups_name(const struct anm_doc *anm, const struct anm_ref *child, struct anm_buf *out)
{
    const struct niff_index *index = niff_index(niff_const(anm), NULL);
    if (index)
        anm_names_put_path(&index->groups, child->id[0], out);
    anm_buf_puts(out, SUFFIX);
    out->failed |= !index;
}

static int groups_find(const struct anm_doc *anm, const struct anm_ref *dir, const char *name, struct anm_ref *child,
                       struct anm_error *err)
{
    (void)dir;
    const struct niff_index *index = niff_index(niff_const(anm), err);
    size_t size;
    if (!index)
        return -1;
    return without_suffix(name, &size) ? anm_names_find_path(&index->groups, name, size, &child->id[0], err)
                                       : anm_fail(err, ANM_NOENT, "there is no %s", name);
}

const struct anm_set niff_raw_groups = {groups_count, nth, groups_name, groups_find};

int niff_render_raw_group(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_buf *out,
                          struct anm_error *err)
{
    (void)err;
    const struct anm_blob *record = niff_const(anm)->groups[ref->id[0]].record;
    anm_buf_put(out, record->bytes, record->size);
    return 0;
}

struct anm_doc *niff_write_raw_group(const struct anm_doc *anm, const struct anm_ref *dir, const char *name,
                                     const void *bytes, size_t size, struct anm_error *err)
{
    const struct niff_doc *old = niff_const(anm);
    struct anm_ref ref = *dir;
    struct niff_view view;
    ANM_AUTO(anm_buf_free) struct anm_buf out = {0};
    if (groups_find(anm, dir, name, &ref, err))
        return NULL;
    ANM_AUTO(niff_clean) struct niff_doc *doc = niff_copy(old, 0, err);
    struct anm_blob *record = doc ? anm_blob_new(bytes, size) : NULL;
    if (!record)
        return doc ? (anm_fail_nomem(err), NULL) : NULL;
    if (niff_view(&view, record, niff_is_2(old), err) || size % 4) {
        anm_blob_unref(record);
        return size % 4 ? (anm_fail(err, ANM_FORMAT, "%zu bytes, expected a multiple of 4", size), NULL) : NULL;
    }
    if (anm_blob_equal(record, old->groups[ref.id[0]].record)) {
        anm_blob_unref(record);
        return anm_doc_ref(anm);
    }
    if (niff_set_record(doc, ref.id[0], record, err) || anm_doc_encode(&doc->doc, &out, err))
        return NULL;
    return reread(old, &out, err); /* it may have another name now */
}

/* --- extension blocks of the file header --- */

/* A range of bytes. */
struct part {
    const uint8_t *bytes;
    size_t size;
};

/* What of the Nintendo block has no name: with NIFF 2.0 it starts with the sizes of nine lists. */
static size_t known_block(const struct niff_doc *doc)
{
    size_t block = niff_word(doc->head->bytes, HEAD_BLOCK);
    return niff_is_2(doc) && block >= FILE_BLOCK_2 ? FILE_BLOCK_2 : 0;
}

static struct part file_nintendo(const struct niff_doc *doc)
{
    size_t known = known_block(doc);
    return (struct part){doc->head->bytes + FILE_HEAD + known, niff_word(doc->head->bytes, HEAD_BLOCK) - known};
}

static struct part file_user(const struct niff_doc *doc)
{
    size_t block = niff_word(doc->head->bytes, HEAD_BLOCK);
    return (struct part){doc->head->bytes + FILE_HEAD + block, doc->head->size - FILE_HEAD - block};
}

/* Whether there is nothing to do, or what is to be put cannot be: 1, -1 with `err`; else 0. What is there may be odd. */
static int check_part(struct part old, struct part new, struct anm_error *err)
{
    if (old.size == new.size && (old.size == 0 || memcmp(old.bytes, new.bytes, old.size) == 0))
        return 1;
    return new.size % 4 ? anm_fail(err, ANM_FORMAT, "%zu bytes, expected a multiple of 4", new.size) : 0;
}

static int put_part(struct anm_buf *out, struct part part)
{
    anm_buf_put(out, part.bytes, part.size);
    return 0;
}

int niff_render_file_nintendo(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_buf *out,
                              struct anm_error *err)
{
    (void)ref, (void)err;
    return put_part(out, file_nintendo(niff_const(anm)));
}

int niff_render_file_user(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_buf *out,
                          struct anm_error *err)
{
    (void)ref, (void)err;
    return put_part(out, file_user(niff_const(anm)));
}

static struct anm_doc *set_head(const struct niff_doc *old, bool user, struct part part, struct anm_error *err)
{
    int known = check_part(user ? file_user(old) : file_nintendo(old), part, err);
    if (known)
        return known > 0 ? anm_doc_ref(&old->doc) : NULL;
    struct part block = user ? file_nintendo(old) : part, last = user ? part : file_user(old);
    ANM_AUTO(anm_buf_free) struct anm_buf whole = {0};
    ANM_AUTO(niff_clean) struct niff_doc *doc = niff_copy(old, 0, err);
    anm_buf_put(&whole, old->head->bytes + FILE_HEAD, known_block(old));
    anm_buf_put(&whole, block.bytes, block.size);
    if (whole.failed)
        anm_fail_nomem(err);
    bool done = doc && !whole.failed && niff_set_head(doc, whole.data, whole.size, last.bytes, last.size, err) == 0;
    return done ? niff_finish(old, &doc, err) : NULL;
}

struct anm_doc *niff_write_file_nintendo(const struct anm_doc *anm, const struct anm_ref *dir, const char *name,
                                         const void *bytes, size_t size, struct anm_error *err)
{
    (void)dir, (void)name;
    return set_head(niff_const(anm), false, (struct part){bytes, size}, err);
}

struct anm_doc *niff_write_file_user(const struct anm_doc *anm, const struct anm_ref *dir, const char *name,
                                     const void *bytes, size_t size, struct anm_error *err)
{
    (void)dir, (void)name;
    return set_head(niff_const(anm), true, (struct part){bytes, size}, err);
}

/* --- of AnimList --- */

bool niff_has_anims(const struct anm_doc *anm, const struct anm_ref *ref)
{
    (void)ref;
    return niff_const(anm)->anim_head != NULL;
}

static struct part anim_part(const struct niff_doc *doc, bool user)
{
    size_t block, user_size;
    niff_anim_blocks(doc, &block, &user_size);
    return (struct part){doc->anim_rest->bytes + (user ? block : 0), user ? user_size : block};
}

int niff_render_anim_nintendo(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_buf *out,
                              struct anm_error *err)
{
    (void)ref, (void)err;
    return put_part(out, anim_part(niff_const(anm), false));
}

int niff_render_anim_user(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_buf *out,
                          struct anm_error *err)
{
    (void)ref, (void)err;
    return put_part(out, anim_part(niff_const(anm), true));
}

static struct anm_doc *set_anim(const struct niff_doc *old, bool user, struct part part, struct anm_error *err)
{
    size_t sizes[2];
    struct part block = user ? anim_part(old, false) : part, last = user ? part : anim_part(old, true);
    int known = check_part(anim_part(old, user), part, err);
    if (known)
        return known > 0 ? anm_doc_ref(&old->doc) : NULL;
    if (!niff_anim_blocks(old, &sizes[0], &sizes[1]))
        return anm_fail(err, ANM_DENIED, "the sizes of AnimList's extension blocks do not fit the list"), NULL;
    ANM_AUTO(niff_clean) struct niff_doc *doc = niff_copy(old, 0, err);
    return doc && niff_set_anim_blocks(doc, block.bytes, block.size, last.bytes, last.size, err) == 0
               ? niff_finish(old, &doc, err)
               : NULL;
}

struct anm_doc *niff_write_anim_nintendo(const struct anm_doc *anm, const struct anm_ref *dir, const char *name,
                                         const void *bytes, size_t size, struct anm_error *err)
{
    (void)dir, (void)name;
    return set_anim(niff_const(anm), false, (struct part){bytes, size}, err);
}

struct anm_doc *niff_write_anim_user(const struct anm_doc *anm, const struct anm_ref *dir, const char *name,
                                     const void *bytes, size_t size, struct anm_error *err)
{
    (void)dir, (void)name;
    return set_anim(niff_const(anm), true, (struct part){bytes, size}, err);
}

/* --- of a group --- */

static struct part group_part(const struct niff_doc *doc, uint32_t group, bool user)
{
    const struct niff_view v = niff_group_view(doc, group);
    return user ? (struct part){v.bytes + v.user, v.rest - v.user} : (struct part){v.bytes + v.extra, v.user - v.extra};
}

int niff_render_group_nintendo(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_buf *out,
                               struct anm_error *err)
{
    (void)err;
    return put_part(out, group_part(niff_const(anm), ref->id[0], false));
}

int niff_render_group_user(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_buf *out,
                           struct anm_error *err)
{
    (void)err;
    return put_part(out, group_part(niff_const(anm), ref->id[0], true));
}

static struct anm_doc *set_group(const struct anm_doc *anm, const struct anm_ref *dir, const char *name, bool user,
                                 struct part part, struct anm_error *err)
{
    const struct niff_doc *old = niff_const(anm);
    struct anm_ref ref = *dir;
    if (groups_find(anm, dir, name, &ref, err))
        return NULL;
    int known = check_part(group_part(old, ref.id[0], user), part, err);
    if (known)
        return known > 0 ? anm_doc_ref(anm) : NULL;
    const struct niff_view view = niff_group_view(old, ref.id[0]);
    ANM_AUTO(niff_build_free) struct niff_build build = {0};
    ANM_AUTO(niff_clean) struct niff_doc *doc = niff_copy(old, 0, err);
    if (!doc)
        return NULL;
    int failed = niff_build_from(&build, &view);
    struct anm_buf *place = user ? &build.user : &build.extra;
    place->size = 0;
    anm_buf_put(place, part.bytes, part.size);
    if (failed || place->failed)
        return anm_fail_nomem(err), NULL;
    return niff_set_built(doc, ref.id[0], &build, err) ? NULL : niff_finish(old, &doc, err);
}

struct anm_doc *niff_write_group_nintendo(const struct anm_doc *anm, const struct anm_ref *dir, const char *name,
                                          const void *bytes, size_t size, struct anm_error *err)
{
    return set_group(anm, dir, name, false, (struct part){bytes, size}, err);
}

struct anm_doc *niff_write_group_user(const struct anm_doc *anm, const struct anm_ref *dir, const char *name,
                                      const void *bytes, size_t size, struct anm_error *err)
{
    return set_group(anm, dir, name, true, (struct part){bytes, size}, err);
}
