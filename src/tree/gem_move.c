/* SPDX-License-Identifier: MIT */
#include "gem_tree.h"

#include <string.h>

int gem_parse_dir(const char *name, uint32_t *number, uint32_t *ordinal, struct anm_error *err)
{
    ANM_AUTO(anm_buf_free) struct anm_buf canonical = {0};
    size_t digits = strspn(name, "0123456789");
    if (digits == 0 || (name[digits] && name[digits] != '~'))
        return anm_fail(err, ANM_NOENT, "there is no frame %s: frames are named by number, 000, 001 …", name);
    if (gem_parse_number(name, strlen(name), number, ordinal))
        return anm_fail(err, ANM_NAME,
                        "%s is no frame: numbers go up to %u, and a second chunk of frame 12 is spelled 012~2", name,
                        GEM_NUMBER_MAX);
    if (!name[digits] && (digits == 3 || (digits > 3 && name[0] != '0')))
        return 0;
    gem_put_dir(&canonical, *number, *ordinal);
    if (!anm_buf_cstr(&canonical))
        return anm_fail_nomem(err);
    if (strcmp((const char *)canonical.data, name) != 0)
        return anm_fail(err, ANM_NAME, "frame %s is spelled %s", name, (const char *)canonical.data);
    return 0;
}

/* A name that a new frame may take. */
static int parse_new(const struct gem_doc *doc, const char *name, uint32_t *number, uint32_t *ordinal,
                     struct anm_error *err)
{
    const struct gem_index *index = gem_index(doc, err);
    uint32_t before;
    if (!index)
        return -1;
    if (gem_parse_dir(name, number, ordinal, err)) {
        if (err->reason == ANM_NOENT)
            err->reason = ANM_DENIED;
        return -1;
    }
    if (*ordinal > 1 && !gem_find_frame(doc, index, *number, *ordinal - 1, &before))
        return anm_fail(err, ANM_NAME, "%s cannot be made: chunks of one frame are numbered 2, 3 … behind the first",
                        name);
    return 0;
}

int gem_can_make_frame(const struct anm_doc *anm, const struct anm_ref *dir, const char *name, struct anm_error *err)
{
    (void)dir;
    uint32_t number, ordinal;
    return gem_editable(gem_const(anm), err) ? -1 : parse_new(gem_const(anm), name, &number, &ordinal, err);
}

struct anm_doc *gem_mkdir_frame(const struct anm_doc *anm, const struct anm_ref *dir, const char *name,
                                struct anm_error *err)
{
    (void)dir;
    const struct gem_doc *old = gem_const(anm);
    uint32_t number, ordinal;
    if (parse_new(old, name, &number, &ordinal, err))
        return NULL;
    ANM_AUTO(gem_clean) struct gem_doc *doc = gem_copy(old);
    if (!doc)
        return anm_fail_nomem(err), NULL;
    struct gem_frame *frame = gem_frame_new(number, (uint16_t)ordinal, old->kind, 0);
    return gem_insert_frame(doc, gem_frame_place(doc, gem_rank(number, ordinal)), frame, err)
               ? NULL
               : gem_finish_frames(old, &doc, err);
}

struct anm_doc *gem_remove_frame(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_error *err)
{
    const struct gem_doc *old = gem_const(anm);
    if (old->frames[ref->id[0]]->count)
        return anm_fail(err, ANM_NOTEMPTY, "frame %u has keys: remove them first, or rm -r",
                        old->frames[ref->id[0]]->number),
               NULL;
    ANM_AUTO(gem_clean) struct gem_doc *doc = gem_copy(old);
    if (!doc)
        return anm_fail_nomem(err), NULL;
    gem_drop_frame(doc, ref->id[0]);
    return gem_finish_frames(old, &doc, err);
}

static struct gem_frame *renumber(const struct gem_frame *old, uint32_t number, uint32_t ordinal)
{
    struct gem_frame *frame = gem_frame_copy(old);
    if (frame) {
        frame->number = number;
        frame->ordinal = (uint16_t)ordinal;
    }
    return frame;
}

struct anm_doc *gem_rename_frame(const struct anm_doc *anm, const struct anm_ref *ref, const char *name,
                                 struct anm_error *err)
{
    const struct gem_doc *old = gem_const(anm);
    const struct gem_index *index = gem_index(old, err);
    uint32_t from = ref->id[0], number, ordinal, to;
    if (!index || parse_new(old, name, &number, &ordinal, err))
        return NULL;
    bool replaces = gem_find_frame(old, index, number, ordinal, &to);
    if (replaces && to == from)
        return anm_doc_ref(anm);
    if (replaces && old->frames[to]->count)
        return anm_fail(err, ANM_NOTEMPTY, "frame %u has keys: it is not replaced", number), NULL;
    if (ordinal > 1 && old->frames[from]->number == number && old->frames[from]->ordinal == ordinal - 1)
        return anm_fail(err, ANM_NAME, "%s needs the chunk before it, which is the one to be moved", name), NULL;
    ANM_AUTO(gem_clean) struct gem_doc *doc = gem_copy(old);
    struct gem_frame *frame = doc ? renumber(old->frames[from], number, ordinal) : NULL;
    if (!frame)
        return anm_fail_nomem(err), NULL;
    if (!gem_ascending(old)) { /* an order somebody chose: only the number changes */
        gem_set_frame(doc, from, frame);
        if (replaces)
            gem_drop_frame(doc, to);
        return gem_finish_frames(old, &doc, err);
    }
    gem_drop_frame(doc, replaces && to > from ? to : from);
    if (replaces)
        gem_drop_frame(doc, to > from ? from : to);
    uint32_t place = gem_frame_place(doc, gem_frame_rank(frame));
    return gem_insert_frame(doc, place, frame, err) ? NULL : gem_finish_frames(old, &doc, err);
}

/* A key without everything but its mesh. */
static struct gem_key mesh_only(const struct gem_key *key, unsigned kind)
{
    struct gem_key bare = {
        .bone = key->bone,
        .ordinal = key->ordinal,
        .flags = GEM_MESH,
        .parts = kind == GEM_FRMN ? GEM_PART_MESH : 0,
        .mesh = anm_blob_ref(key->mesh),
    };
    return bare;
}

struct anm_doc *gem_remove_keys(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_error *err)
{
    const struct gem_doc *old = gem_const(anm);
    const struct gem_frame *from = old->frames[ref->id[0]];
    ANM_AUTO(gem_clean) struct gem_doc *doc = gem_copy(old);
    struct gem_frame *frame = doc ? gem_frame_like(from, from->count) : NULL;
    if (!frame)
        return anm_fail_nomem(err), NULL;
    for (uint32_t k = 0; k < from->count; k++)
        if (from->keys[k].mesh)
            frame->keys[frame->count++] = mesh_only(&from->keys[k], from->kind);
    gem_set_frame(doc, ref->id[0], frame);
    return gem_finish_frames(old, &doc, err);
}

int gem_parse_mesh(const struct gem_doc *doc, const char *name, uint32_t *bone, uint32_t *ordinal,
                   struct anm_error *err)
{
    static const char suffix[] = ".mesh";
    const size_t suffix_size = sizeof suffix - 1;
    size_t size = strlen(name);
    *ordinal = 1;
    if (size < suffix_size || memcmp(name + size - suffix_size, suffix, suffix_size) != 0)
        *ordinal = gem_parse_ordinal(name, &size);
    if (!*ordinal || size < suffix_size || memcmp(name + size - suffix_size, suffix, suffix_size) != 0)
        return anm_fail(err, ANM_DENIED, "%s cannot be here: a frame holds keys, and meshes as NAME.mesh", name);
    return gem_find_bone_dir(doc, name, size - suffix_size, bone, err);
}

int gem_can_make_mesh(const struct anm_doc *anm, const struct anm_ref *dir, const char *name, struct anm_error *err)
{
    (void)dir;
    uint32_t bone, ordinal;
    if (gem_editable(gem_const(anm), err))
        return -1;
    if (gem_parse_mesh(gem_const(anm), name, &bone, &ordinal, err) == 0)
        return 0;
    if (err->reason == ANM_NOENT)
        err->reason = ANM_NAME;
    return -1;
}

/* A frame like `old` with one more key, without a mesh yet, at the place that the bone map gives. */
static struct gem_frame *add_key(const struct gem_frame *old, uint32_t bone, uint32_t ordinal, uint32_t *key)
{
    struct gem_frame *frame = old->count == UINT32_MAX ? NULL : gem_frame_like(old, old->count + 1);
    if (!frame)
        return NULL;
    *key = gem_key_place(old, bone);
    for (uint32_t k = 0; k <= old->count; k++)
        frame->keys[k] = k == *key ? (struct gem_key){.bone = (uint16_t)bone, .ordinal = (uint16_t)ordinal}
                                   : gem_key_copy(&old->keys[k - (k > *key)]);
    frame->count = old->count + 1;
    return frame;
}

struct anm_doc *gem_write_mesh(const struct anm_doc *anm, const struct anm_ref *dir, const char *name,
                               const void *bytes, size_t size, struct anm_error *err)
{
    const struct gem_doc *old = gem_const(anm);
    uint32_t bone, ordinal, at = 0;
    if (gem_can_make_mesh(anm, dir, name, err) || gem_parse_mesh(old, name, &bone, &ordinal, err))
        return NULL;
    if (size > INT32_MAX)
        return anm_fail(err, ANM_LIMIT, "a mesh of %zu bytes: the size in the file is limited to %d", size, INT32_MAX),
               NULL;
    const struct gem_frame *from = old->frames[dir->id[0]];
    const struct gem_key *found = gem_find_key(from, bone, ordinal, &at);
    ANM_AUTO(gem_clean) struct gem_doc *doc = gem_copy(old);
    ANM_AUTO(gem_frame_clean)
    struct gem_frame *frame = found ? gem_frame_copy(from) : add_key(from, bone, ordinal, &at);
    struct anm_blob *blob = anm_blob_new(bytes, size);
    if (!doc || !frame || !blob) {
        anm_blob_unref(blob);
        return anm_fail_nomem(err), NULL;
    }
    struct gem_key *key = &frame->keys[found ? (uint32_t)(found - from->keys) : at];
    anm_blob_unref(key->mesh);
    key->mesh = blob;
    if (frame->kind == GEM_FRMN && !(key->flags & GEM_MESH))
        key->parts = gem_parts_with(key->parts, GEM_PART_MESH);
    key->flags |= GEM_MESH;
    gem_settle_joined(frame);
    gem_set_frame(doc, dir->id[0], frame);
    frame = NULL;
    return gem_finish_frames(old, &doc, err);
}

struct anm_doc *gem_remove_mesh(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_error *err)
{
    const struct gem_doc *old = gem_const(anm);
    const struct gem_frame *from = old->frames[ref->id[0]];
    ANM_AUTO(gem_clean) struct gem_doc *doc = gem_copy(old);
    struct gem_frame *frame = doc ? gem_frame_copy(from) : NULL;
    if (!frame)
        return anm_fail_nomem(err), NULL;
    struct gem_key *key = &frame->keys[ref->id[1]];
    anm_blob_unref(key->mesh);
    key->mesh = NULL;
    key->flags &= ~(uint32_t)GEM_MESH;
    if ((key->flags & ~(uint32_t)GEM_JOINED) == 0) {
        frame->count--;
        memmove(key, key + 1, (frame->count - ref->id[1]) * sizeof *key);
    }
    gem_settle_joined(frame);
    gem_set_frame(doc, ref->id[0], frame);
    return gem_finish_frames(old, &doc, err);
}
