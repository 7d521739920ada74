/* SPDX-License-Identifier: MIT */
/* The tree of a GEM animation: its sets of names, and the table. */
#include "gem_tree.h"

#include "anm/name.h"

#include <string.h>

/* --- frames: id[0] is the index in the document --- */

static uint32_t frames_count(const struct anm_doc *doc, const struct anm_ref *dir)
{
    (void)dir;
    return gem_const(doc)->frame_count;
}

static void frames_at(const struct anm_doc *doc, const struct anm_ref *dir, uint32_t i, struct anm_ref *child)
{
    (void)dir;
    const struct gem_index *index = gem_index(gem_const(doc), NULL);
    child->id[0] = index ? index->order[i] : i; /* without memory for an index: in the file's order */
}

static void frames_name(const struct anm_doc *doc, const struct anm_ref *child, struct anm_buf *out)
{
    const struct gem_frame *frame = gem_const(doc)->frames[child->id[0]];
    gem_put_dir(out, frame->number, frame->ordinal);
}

static int frames_find(const struct anm_doc *doc, const struct anm_ref *dir, const char *name, struct anm_ref *child,
                       struct anm_error *err)
{
    (void)dir;
    const struct gem_index *index = gem_index(gem_const(doc), err);
    uint32_t number, ordinal;
    if (!index || gem_parse_dir(name, &number, &ordinal, err))
        return -1;
    if (!gem_find_frame(gem_const(doc), index, number, ordinal, &child->id[0]))
        return anm_fail(err, ANM_NOENT, "there is no frame %s", name);
    return 0;
}

static const struct anm_set frames = {frames_count, frames_at, frames_name, frames_find};

/* --- meshes of a frame: id[1] is the key --- */

static uint32_t meshes_count(const struct anm_doc *doc, const struct anm_ref *dir)
{
    const struct gem_index *index = gem_index(gem_const(doc), NULL);
    return index ? index->mesh_first[dir->id[0] + 1] - index->mesh_first[dir->id[0]] : 0;
}

static void meshes_at(const struct anm_doc *doc, const struct anm_ref *dir, uint32_t i, struct anm_ref *child)
{
    const struct gem_index *index = gem_index(gem_const(doc), NULL);
    child->id[1] = index ? index->meshes[index->mesh_first[dir->id[0]] + i] : 0;
}

static void meshes_name(const struct anm_doc *doc, const struct anm_ref *child, struct anm_buf *out)
{
    const struct gem_key *key = &gem_const(doc)->frames[child->id[0]]->keys[child->id[1]];
    const struct gem_bone *bone = &gem_const(doc)->bones->bones[key->bone];
    anm_name_put_path(out, bone->name->bytes, bone->name->size, bone->ordinal);
    anm_buf_puts(out, ".mesh");
    if (key->ordinal > 1)
        anm_buf_printf(out, "~%u", (unsigned)key->ordinal);
}

static int meshes_find(const struct anm_doc *doc, const struct anm_ref *dir, const char *name, struct anm_ref *child,
                       struct anm_error *err)
{
    const struct gem_frame *frame = gem_const(doc)->frames[dir->id[0]];
    uint32_t bone, ordinal, hint = 0;
    if (gem_parse_mesh(gem_const(doc), name, &bone, &ordinal, err)) {
        if (err->reason == ANM_DENIED)
            err->reason = ANM_NOENT;
        return -1;
    }
    const struct gem_key *key = gem_find_key(frame, bone, ordinal, &hint);
    if (!key || !key->mesh)
        return anm_fail(err, ANM_NOENT, "there is no %s", name);
    child->id[1] = (uint32_t)(key - frame->keys);
    return 0;
}

static const struct anm_set meshes = {meshes_count, meshes_at, meshes_name, meshes_find};

static int mesh_render(const struct anm_doc *doc, const struct anm_ref *ref, struct anm_buf *out, struct anm_error *err)
{
    (void)err;
    const struct anm_blob *mesh = gem_const(doc)->frames[ref->id[0]]->keys[ref->id[1]].mesh;
    anm_buf_put(out, mesh->bytes, mesh->size);
    return 0;
}

static bool mesh_same(const struct anm_doc *a, const struct anm_ref *ra, const struct anm_doc *b,
                      const struct anm_ref *rb)
{
    return anm_blob_equal(gem_const(a)->frames[ra->id[0]]->keys[ra->id[1]].mesh,
                          gem_const(b)->frames[rb->id[0]]->keys[rb->id[1]].mesh);
}

/* --- bones: id[0] is the index in the bone map --- */

static uint32_t bones_count(const struct anm_doc *doc, const struct anm_ref *dir)
{
    (void)dir;
    return gem_const(doc)->bones->count;
}

static void bones_at(const struct anm_doc *doc, const struct anm_ref *dir, uint32_t i, struct anm_ref *child)
{
    (void)doc, (void)dir;
    child->id[0] = i;
}

static void bones_name(const struct anm_doc *doc, const struct anm_ref *child, struct anm_buf *out)
{
    const struct gem_bone *bone = &gem_const(doc)->bones->bones[child->id[0]];
    anm_name_put_path(out, bone->name->bytes, bone->name->size, bone->ordinal);
}

static int bones_find(const struct anm_doc *doc, const struct anm_ref *dir, const char *name, struct anm_ref *child,
                      struct anm_error *err)
{
    (void)dir;
    return gem_find_bone_dir(gem_const(doc), name, strlen(name), &child->id[0], err);
}

static const struct anm_set bones = {bones_count, bones_at, bones_name, bones_find};

/* --- poses: id[0] is the frame number --- */

static uint32_t poses_count(const struct anm_doc *doc, const struct anm_ref *dir)
{
    (void)dir;
    const struct gem_index *index = gem_index(gem_const(doc), NULL);
    return index ? index->number_count : 0;
}

static void poses_at(const struct anm_doc *doc, const struct anm_ref *dir, uint32_t i, struct anm_ref *child)
{
    (void)dir;
    const struct gem_index *index = gem_index(gem_const(doc), NULL);
    child->id[0] = index ? index->numbers[i] : 0;
}

static void poses_name(const struct anm_doc *doc, const struct anm_ref *child, struct anm_buf *out)
{
    (void)doc;
    gem_put_dir(out, child->id[0], 1);
}

static int poses_find(const struct anm_doc *doc, const struct anm_ref *dir, const char *name, struct anm_ref *child,
                      struct anm_error *err)
{
    (void)dir;
    uint32_t number, ordinal;
    if (gem_parse_dir(name, &number, &ordinal, err))
        return -1;
    if (ordinal > 1 || (number >= gem_const(doc)->length && number > gem_last(gem_const(doc))))
        return anm_fail(err, ANM_NOENT, "there is no frame %s", name);
    child->id[0] = number;
    return 0;
}

static const struct anm_set poses = {poses_count, poses_at, poses_name, poses_find};

/* --- key texts --- */

static int keys_render(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_buf *out, struct anm_error *err)
{
    (void)ref;
    const struct gem_doc *doc = gem_const(anm);
    const struct gem_index *index = gem_index(doc, err);
    for (uint32_t i = 0; index && i < doc->frame_count; i++)
        gem_put_frame(out, doc, index, index->order[i], GEM_OF_FILE);
    return index ? 0 : -1;
}

static int frame_render(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_buf *out,
                        struct anm_error *err)
{
    const struct gem_index *index = gem_index(gem_const(anm), err);
    if (index)
        gem_put_frame(out, gem_const(anm), index, ref->id[0], GEM_OF_FRAME);
    return index ? 0 : -1;
}

static int track_render(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_buf *out,
                        struct anm_error *err)
{
    const struct gem_index *index = gem_index(gem_const(anm), err);
    if (index)
        gem_put_track(out, gem_const(anm), index, ref->id[0]);
    return index ? 0 : -1;
}

static int pose_render(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_buf *out, struct anm_error *err)
{
    const struct gem_index *index = gem_index(gem_const(anm), err);
    if (index)
        gem_put_pose(out, gem_const(anm), index, ref->id[0]);
    return index ? 0 : -1;
}

/* Two documents side by side. */
struct pair {
    const struct gem_doc *a, *b;
    const struct gem_index *ia, *ib;
};

static bool pair_up(struct pair *p, const struct anm_doc *a, const struct anm_doc *b)
{
    *p = (struct pair){gem_const(a), gem_const(b), gem_index(gem_const(a), NULL), gem_index(gem_const(b), NULL)};
    return p->ia && p->ib;
}

/* Whether lines of a key of bone `x` in one and `y` in the other start and end the same way. */
static bool same_bone(const struct pair *p, uint32_t x, uint32_t y)
{
    const struct gem_bone *a = &p->a->bones->bones[x], *b = &p->b->bones->bones[y];
    return a->ordinal == b->ordinal && anm_blob_equal(a->name, b->name) && !p->ia->mirrored[x] == !p->ib->mirrored[y];
}

/* The same frame, and so are the names of its bones. */
static bool shared_frame(const struct pair *p, uint32_t x, uint32_t y)
{
    const struct gem_frame *a = p->a->frames[x], *b = p->b->frames[y];
    bool shared = a == b;
    for (uint32_t k = 0; shared && k < a->count; k++)
        shared = same_bone(p, a->keys[k].bone, b->keys[k].bone);
    return shared;
}

/* One frame's text: at once where the frame is shared, and so are the names of its bones; else printed and compared. */
static bool same_frame(const struct pair *p, uint32_t x, uint32_t y, enum gem_depth depth)
{
    if (shared_frame(p, x, y))
        return true;
    ANM_AUTO(anm_buf_free) struct anm_buf one = {0}, two = {0};
    gem_put_frame(&one, p->a, p->ia, x, depth);
    gem_put_frame(&two, p->b, p->ib, y, depth);
    return !one.failed && !two.failed && one.size == two.size &&
           (one.size == 0 || memcmp(one.data, two.data, one.size) == 0);
}

static bool frame_same(const struct anm_doc *a, const struct anm_ref *ra, const struct anm_doc *b,
                       const struct anm_ref *rb)
{
    struct pair p;
    return pair_up(&p, a, b) && same_frame(&p, ra->id[0], rb->id[0], GEM_OF_FRAME);
}

/* The next frame from *i on, in order, that has a key. */
static bool next_keyed(const struct gem_doc *doc, const struct gem_index *index, uint32_t *i)
{
    while (*i < doc->frame_count && doc->frames[index->order[*i]]->count == 0)
        ++*i;
    return *i < doc->frame_count;
}

static bool keys_same(const struct anm_doc *a, const struct anm_ref *ra, const struct anm_doc *b,
                      const struct anm_ref *rb)
{
    (void)ra, (void)rb;
    struct pair p;
    if (!pair_up(&p, a, b))
        return false;
    for (uint32_t i = 0, k = 0;; i++, k++) {
        bool more = next_keyed(p.a, p.ia, &i);
        if (more != next_keyed(p.b, p.ib, &k))
            return false;
        if (!more)
            return true;
        if (!same_frame(&p, p.ia->order[i], p.ib->order[k], GEM_OF_FILE))
            return false;
    }
}

/* The lines of two keys of a track: at once where the key is shared, else printed and compared. */
static bool same_track_key(const struct pair *p, uint32_t x, uint32_t y)
{
    const struct gem_at *a = &p->ia->at[x], *b = &p->ib->at[y];
    if (p->a->frames[a->frame] == p->b->frames[b->frame] && a->key == b->key)
        return true;
    ANM_AUTO(anm_buf_free) struct anm_buf one = {0}, two = {0};
    gem_put_track_key(&one, p->a, p->ia, x);
    gem_put_track_key(&two, p->b, p->ib, y);
    return !one.failed && !two.failed && one.size == two.size &&
           (one.size == 0 || memcmp(one.data, two.data, one.size) == 0);
}

static bool track_same(const struct anm_doc *a, const struct anm_ref *ra, const struct anm_doc *b,
                       const struct anm_ref *rb)
{
    struct pair p;
    uint32_t x = ra->id[0], y = rb->id[0];
    if (!pair_up(&p, a, b))
        return false;
    uint32_t count = p.ia->first[x + 1] - p.ia->first[x];
    if (count != p.ib->first[y + 1] - p.ib->first[y])
        return false; /* every key has a line of its own */
    if (!p.ia->mirrored[x] != !p.ib->mirrored[y] && count > 0) {
        ANM_AUTO(anm_buf_free) struct anm_buf one = {0}, two = {0};
        gem_put_track(&one, p.a, p.ia, x);
        gem_put_track(&two, p.b, p.ib, y);
        return !one.failed && !two.failed && one.size == two.size && memcmp(one.data, two.data, one.size) == 0;
    }
    for (uint32_t i = 0; i < count; i++)
        if (!same_track_key(&p, p.ia->first[x] + i, p.ib->first[y] + i))
            return false;
    return true;
}

/* --- directories --- */

static bool frames_same(const struct anm_doc *a, const struct anm_ref *ra, const struct anm_doc *b,
                        const struct anm_ref *rb)
{
    (void)ra, (void)rb;
    struct pair p;
    if (!pair_up(&p, a, b) || p.a->frame_count != p.b->frame_count)
        return false;
    for (uint32_t i = 0; i < p.a->frame_count; i++) {
        const struct gem_frame *x = p.a->frames[p.ia->order[i]], *y = p.b->frames[p.ib->order[i]];
        if (x != y && (x->number != y->number || x->ordinal != y->ordinal))
            return false;
    }
    return true;
}

static bool frame_unchanged(const struct anm_doc *a, const struct anm_ref *ra, const struct anm_doc *b,
                            const struct anm_ref *rb)
{
    struct pair p;
    return pair_up(&p, a, b) && shared_frame(&p, ra->id[0], rb->id[0]);
}

static bool bones_same(const struct anm_doc *a, const struct anm_ref *ra, const struct anm_doc *b,
                       const struct anm_ref *rb)
{
    (void)ra, (void)rb;
    const struct gem_bonemap *x = gem_const(a)->bones, *y = gem_const(b)->bones;
    if (x == y)
        return true;
    bool same = x->count == y->count;
    for (uint32_t i = 0; same && i < x->count; i++)
        same = x->bones[i].ordinal == y->bones[i].ordinal && anm_blob_equal(x->bones[i].name, y->bones[i].name);
    return same;
}

/* --- the table --- */

#define DERIVED (ANM_ROUTE_HIDDEN | ANM_ROUTE_VOLATILE)

/* Numbers of the rows that are directories. */
enum { ROW_ROOT, ROW_FRAMES = 5, ROW_FRAME = 6, ROW_BONES = 9, ROW_BONE = 10, ROW_DERIVED = 13, ROW_POSES = 17 };

static const struct anm_route rows[] = {
    [ROW_ROOT] = {.pattern = "", .kind = ANM_DIR},
    {.pattern = "format",
     .word = "format",
     .kind = ANM_FILE_TEXT,
     .render = gem_render_format,
     .write = gem_write_format},
    {.pattern = "header",
     .word = "header",
     .kind = ANM_FILE_TEXT,
     .render = gem_render_header,
     .write = gem_write_header},
    {.pattern = "comment",
     .word = "comment",
     .kind = ANM_FILE_RAW,
     .exists = gem_has_comment,
     .render = gem_render_comment,
     .write = gem_write_comment,
     .remove = gem_remove_comment},
    {.pattern = "bonemap",
     .word = "bonemap",
     .kind = ANM_FILE_TEXT,
     .render = gem_render_bonemap,
     .write = gem_write_bonemap},
    [ROW_FRAMES] = {.pattern = "frames", .kind = ANM_DIR, .same = frames_same},
    [ROW_FRAME] = {.pattern = "frames/FRAME",
                   .word = "frame",
                   .in = ROW_FRAMES,
                   .kind = ANM_DIR,
                   .set = &frames,
                   .unchanged = frame_unchanged,
                   .can_make = gem_can_make_frame,
                   .mkdir = gem_mkdir_frame,
                   .remove = gem_remove_frame,
                   .rename = gem_rename_frame},
    {.pattern = "frames/FRAME/MESH",
     .word = "mesh",
     .in = ROW_FRAME,
     .kind = ANM_FILE_RAW,
     .set = &meshes,
     .render = mesh_render,
     .same = mesh_same,
     .write = gem_write_mesh,
     .can_make = gem_can_make_mesh,
     .remove = gem_remove_mesh},
    {.pattern = "frames/FRAME/keys",
     .in = ROW_FRAME,
     .kind = ANM_FILE_TEXT,
     .render = frame_render,
     .same = frame_same,
     .write = gem_write_frame,
     .remove = gem_remove_keys},
    [ROW_BONES] = {.pattern = "bones", .kind = ANM_DIR, .same = bones_same},
    [ROW_BONE] = {.pattern = "bones/BONE",
                  .in = ROW_BONES,
                  .kind = ANM_DIR,
                  .set = &bones,
                  .unchanged = track_same,
                  .can_make = gem_can_make_bone,
                  .mkdir = gem_mkdir_bone,
                  .remove = gem_remove_bone,
                  .rename = gem_rename_bone},
    {.pattern = "bones/BONE/keys",
     .in = ROW_BONE,
     .kind = ANM_FILE_TEXT,
     .render = track_render,
     .same = track_same,
     .write = gem_write_track,
     .remove = gem_remove_track},
    {.pattern = "keys",
     .word = "keys",
     .kind = ANM_FILE_TEXT,
     .flags = ANM_ROUTE_HIDDEN,
     .render = keys_render,
     .same = keys_same,
     .write = gem_write_all},
    [ROW_DERIVED] = {.pattern = ".anmfs", .kind = ANM_DIR, .flags = DERIVED},
    {.pattern = ".anmfs/info.json",
     .in = ROW_DERIVED,
     .kind = ANM_FILE_TEXT,
     .flags = ANM_ROUTE_VOLATILE,
     .render = gem_render_info},
    {.pattern = ".anmfs/errors", .in = ROW_DERIVED, .kind = ANM_FILE_HOST, .flags = ANM_ROUTE_VOLATILE},
    {.pattern = ".anmfs/status", .in = ROW_DERIVED, .kind = ANM_FILE_HOST, .flags = ANM_ROUTE_VOLATILE},
    [ROW_POSES] = {.pattern = ".anmfs/pose", .in = ROW_DERIVED, .kind = ANM_DIR, .flags = ANM_ROUTE_VOLATILE},
    {.pattern = ".anmfs/pose/FRAME",
     .in = ROW_POSES,
     .kind = ANM_FILE_TEXT,
     .flags = ANM_ROUTE_VOLATILE,
     .set = &poses,
     .render = pose_render},
};

const struct anm_routes gem_routes = {&anm_gem, rows, sizeof rows / sizeof *rows, gem_blank, gem_turned};
