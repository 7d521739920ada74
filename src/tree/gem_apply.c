/* SPDX-License-Identifier: MIT */
#include "gem_tree.h"

#include <stdlib.h>
#include <string.h>

/* Frames under construction: what becomes of each old one (NULL: it goes), and the new ones in numeric order. */
struct merge {
    struct gem_frame **kept, **made;
    uint32_t kept_count, made_count;
};

static void merge_free(struct merge *m)
{
    for (uint32_t i = 0; m->kept && i < m->kept_count; i++)
        gem_frame_unref(m->kept[i]);
    for (uint32_t i = 0; m->made && i < m->made_count; i++)
        gem_frame_unref(m->made[i]);
    free(m->kept);
    free(m->made);
}

static int fail_draft(const struct gem_draft *d, enum gem_channel channel, const char *hint, struct anm_error *err)
{
    return anm_fail_line(err, d->at[channel].line, d->at[channel].column, "%s", hint);
}

static int settle_mesh(const struct gem_text *t, const struct gem_draft *d, const struct gem_key *old,
                       struct gem_key *key, struct anm_error *err)
{
    if (d->mesh_from) {
        uint32_t frame, hint = 0;
        if (!gem_find_frame(t->doc, t->index, d->mesh[0], d->mesh[1], &frame))
            return fail_draft(d, GEM_CH_MESH, "mesh @FRAME: there is no such frame", err);
        old = gem_find_key(t->doc->frames[frame], key->bone, key->ordinal, &hint);
        if (!old || !old->mesh)
            return fail_draft(d, GEM_CH_MESH, "mesh @FRAME: the bone has no mesh there", err);
    }
    if (!old || !old->mesh)
        return fail_draft(d, GEM_CH_MESH,
                          "mesh without bytes: write NAME.mesh of that frame first, or take those of another frame: "
                          "mesh @12",
                          err);
    key->mesh = anm_blob_ref(old->mesh);
    return 0;
}

/* What a text cannot say about a key is taken from the key it replaces. */
static int settle(const struct gem_text *t, struct gem_draft *d, const struct gem_key *old, struct gem_key *key,
                  struct anm_error *err)
{
    const uint32_t placed = GEM_POSITION | GEM_ORIENTATION;
    *key = d->key;
    if (key->flags & GEM_MESH && settle_mesh(t, d, old, key, err))
        return -1;
    if (d->kind != GEM_FRMN) {
        d->unsaid = key->flags & placed && !d->at[GEM_CH_MIRRORED].line && !(old && old->flags & placed);
        return 0;
    }
    if (!old)
        return 0;
    key->flags |= old->flags & GEM_JOINED;
    uint8_t parts = old->parts;
    parts = key->flags & GEM_MATRIX ? parts : gem_parts_without(parts, GEM_PART_MATR);
    parts = key->flags & GEM_VISI ? parts : gem_parts_without(parts, GEM_PART_VISI);
    parts = key->flags & GEM_MESH ? parts : gem_parts_without(parts, GEM_PART_MESH);
    if (parts == key->parts)
        key->parts = old->parts; /* codes of absent parts stay too: the same bits as before */
    return 0;
}

/* A frame whose keys are the drafts, in their order. */
static struct gem_frame *build_whole(struct gem_text *t, const struct gem_frame *old, const uint32_t *order,
                                     uint32_t count, struct anm_error *err)
{
    ANM_AUTO(gem_frame_clean) struct gem_frame *frame = gem_frame_like(old, count);
    if (!frame)
        return anm_fail_nomem(err), NULL;
    for (uint32_t i = 0, hint = 0; i < count; i++) {
        struct gem_draft *d = &t->drafts[order ? order[i] : i];
        if (settle(t, d, gem_find_key(old, d->key.bone, d->key.ordinal, &hint), &frame->keys[i], err))
            return NULL;
        frame->count++;
    }
    gem_settle_joined(frame);
    struct gem_frame *done = frame;
    frame = NULL;
    return done;
}

/* The draft of an ordinal, looked for from *hint on and around. */
static struct gem_draft *find_ordinal(const struct gem_text *t, const uint32_t *order, uint32_t count, uint32_t ordinal,
                                      uint32_t *hint)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t k = (uint32_t)(((uint64_t)*hint + i) % count);
        if (t->drafts[order[k]].key.ordinal == ordinal) {
            *hint = k + 1;
            return &t->drafts[order[k]];
        }
    }
    return NULL;
}

/* New keys of one bone go together to the place that the bone map gives. */
static int place_new(struct gem_text *t, struct gem_frame *frame, const uint32_t *order, uint32_t count,
                     struct anm_error *err)
{
    uint32_t fresh = 0, place = gem_key_place(frame, t->bone);
    for (uint32_t i = 0; i < count; i++)
        fresh += !t->drafts[order[i]].placed;
    if (fresh == 0)
        return 0;
    memmove(&frame->keys[place + fresh], &frame->keys[place], (frame->count - place) * sizeof *frame->keys);
    memset(&frame->keys[place], 0, fresh * sizeof *frame->keys);
    frame->count += fresh;
    for (uint32_t i = 0; i < count; i++)
        if (!t->drafts[order[i]].placed && settle(t, &t->drafts[order[i]], NULL, &frame->keys[place++], err))
            return -1;
    return 0;
}

/* The old frame with the keys of one bone replaced by the drafts. */
static struct gem_frame *build_track(struct gem_text *t, const struct gem_frame *old, const uint32_t *order,
                                     uint32_t count, struct anm_error *err)
{
    ANM_AUTO(gem_frame_clean)
    struct gem_frame *frame = count > UINT32_MAX - old->count ? NULL : gem_frame_like(old, old->count + count);
    if (!frame)
        return anm_fail_nomem(err), NULL;
    for (uint32_t k = 0, hint = 0; k < old->count; k++) {
        const struct gem_key *key = &old->keys[k];
        if (key->bone != t->bone) {
            frame->keys[frame->count++] = gem_key_copy(key);
            continue;
        }
        struct gem_draft *d = find_ordinal(t, order, count, key->ordinal, &hint);
        if (!d || d->placed)
            continue;
        d->placed = true;
        if (settle(t, d, key, &frame->keys[frame->count], err))
            return NULL;
        frame->count++;
    }
    if (place_new(t, frame, order, count, err))
        return NULL;
    gem_settle_joined(frame);
    struct gem_frame *done = frame;
    frame = NULL;
    return done;
}

static bool has_bone(const struct gem_frame *frame, uint32_t bone)
{
    for (uint32_t k = 0; k < frame->count; k++)
        if (frame->keys[k].bone == bone)
            return true;
    return false;
}

/* The successor of `old` under the drafts: a new reference; *gone when it was emptied. */
static struct gem_frame *rebuild(struct gem_text *t, struct gem_frame *old, const uint32_t *order, uint32_t count,
                                 bool *gone, struct anm_error *err)
{
    *gone = false;
    if (count == 0 && (old->count == 0 || (t->depth == GEM_OF_BONE && !has_bone(old, t->bone))))
        return gem_frame_ref(old);
    struct gem_frame *frame =
        t->depth == GEM_OF_BONE ? build_track(t, old, order, count, err) : build_whole(t, old, order, count, err);
    *gone = frame && frame->count == 0;
    if (frame && gem_frame_equal(frame, old)) {
        gem_frame_unref(frame);
        return gem_frame_ref(old);
    }
    return frame;
}

static uint64_t draft_rank(const struct gem_draft *d)
{
    return gem_rank(d->number, d->frame_ordinal);
}

static int compare_drafts(const void *left, const void *right, void *drafts)
{
    uint32_t i = *(const uint32_t *)left, k = *(const uint32_t *)right;
    uint64_t a = draft_rank((const struct gem_draft *)drafts + i), b = draft_rank((const struct gem_draft *)drafts + k);
    return a != b ? (a > b) - (a < b) : (i > k) - (i < k);
}

static int make_frame(struct gem_text *t, struct merge *m, const struct gem_frame *before, const uint32_t *order,
                      uint32_t count, struct anm_error *err)
{
    const struct gem_draft *d = &t->drafts[order[0]];
    if (d->frame_ordinal > 1 && !(before && gem_frame_rank(before) == draft_rank(d) - 1))
        return anm_fail_line(err, d->at[d->first].line, 1,
                             "there is no frame %u~%u to follow: chunks of one frame are "
                             "numbered 2, 3 … behind the first",
                             d->number, d->frame_ordinal - 1u);
    ANM_AUTO(gem_frame_clean) struct gem_frame *empty = gem_frame_new(d->number, d->frame_ordinal, t->doc->kind, 0);
    bool gone;
    m->made[m->made_count] = empty ? rebuild(t, empty, order, count, &gone, err) : NULL;
    if (!m->made[m->made_count])
        return empty ? -1 : anm_fail_nomem(err);
    m->made_count++;
    return 0;
}

/* Walks old frames and drafts side by side, both by number and ordinal. */
static int merge_frames(struct gem_text *t, struct merge *m, const uint32_t *order, struct anm_error *err)
{
    const struct gem_frame *before = NULL;
    for (uint32_t i = 0, at = 0, end = 0; i < m->kept_count || at < t->count; at = end) {
        struct gem_frame *old = i < m->kept_count ? t->doc->frames[t->index->order[i]] : NULL;
        bool fresh = !old || (at < t->count && draft_rank(&t->drafts[order[at]]) < gem_frame_rank(old));
        uint64_t rank = fresh ? draft_rank(&t->drafts[order[at]]) : gem_frame_rank(old);
        while (end < t->count && draft_rank(&t->drafts[order[end]]) == rank)
            end++;
        if (fresh) {
            if (make_frame(t, m, before, order + at, end - at, err))
                return -1;
            before = m->made[m->made_count - 1];
            continue;
        }
        bool gone;
        struct gem_frame *frame = rebuild(t, old, order + at, end - at, &gone, err);
        if (!frame)
            return -1;
        if (gone)
            gem_frame_unref(frame);
        m->kept[t->index->order[i++]] = gone ? NULL : frame;
        before = old;
    }
    return 0;
}

/* Puts the new frames into the file's order: each after the last one with a rank up to its own. `least[i]` is the
 * lowest rank from old frame i on; the new ones are sorted, so one pass does. */
static int join_frames(struct gem_doc *doc, struct merge *m, struct anm_error *err)
{
    ANM_AUTO(anm_freep) uint64_t *least = anm_alloc(0, (size_t)m->kept_count + 1, sizeof *least);
    struct gem_frame **frames = anm_alloc(0, (size_t)m->kept_count + m->made_count, sizeof *frames);
    uint32_t count = 0, made = 0;
    if (!least || !frames) {
        free(frames);
        return anm_fail_nomem(err);
    }
    least[m->kept_count] = UINT64_MAX;
    for (uint32_t i = m->kept_count; i--;) {
        uint64_t rank = gem_frame_rank(doc->frames[i]);
        least[i] = rank < least[i + 1] ? rank : least[i + 1];
    }
    for (uint32_t i = 0; i <= m->kept_count; i++) {
        while (made < m->made_count && gem_frame_rank(m->made[made]) < least[i])
            frames[count++] = gem_frame_ref(m->made[made++]);
        if (i < m->kept_count && m->kept[i])
            frames[count++] = gem_frame_ref(m->kept[i]);
    }
    for (uint32_t i = 0; i < doc->frame_count; i++)
        gem_frame_unref(doc->frames[i]);
    free(doc->frames);
    doc->frames = frames;
    doc->frame_count = count;
    return 0;
}

/* The last step: a new placement of a bone that is mirrored on other keys has to say what it is. */
static struct anm_doc *finish_text(struct gem_text *t, struct gem_doc **doc, struct anm_error *err)
{
    for (uint32_t i = 0; i < t->count; i++) {
        if (!t->drafts[i].unsaid)
            continue;
        const struct gem_index *index = gem_index(*doc, err);
        if (!index)
            return NULL;
        if (index->mirrored[t->drafts[i].key.bone])
            return fail_draft(
                       &t->drafts[i], t->drafts[i].first,
                       "other keys of this bone are mirrored: add a line `mirrored` or `mirrored no` to this one", err),
                   NULL;
    }
    return gem_finish_frames(t->doc, doc, err);
}

/* A text over several frames. */
static struct anm_doc *write_frames(struct gem_text *t, const void *bytes, size_t size, struct anm_error *err)
{
    if (gem_parse(t, bytes, size, err))
        return NULL;
    ANM_AUTO(anm_freep) uint32_t *order = anm_alloc(0, t->count, sizeof *order);
    ANM_AUTO(merge_free) struct merge m = {.kept_count = t->doc->frame_count};
    m.kept = anm_alloc(0, m.kept_count, sizeof *m.kept);
    m.made = anm_alloc(0, t->count, sizeof *m.made);
    ANM_AUTO(gem_clean) struct gem_doc *doc = gem_copy(t->doc);
    if (!order || !m.kept || !m.made || !doc)
        return anm_fail_nomem(err), NULL;
    for (uint32_t i = 0; i < t->count; i++)
        order[i] = i;
    qsort_r(order, t->count, sizeof *order, compare_drafts, t->drafts);
    if (merge_frames(t, &m, order, err) || join_frames(doc, &m, err))
        return NULL;
    return finish_text(t, &doc, err);
}

struct anm_doc *gem_write_all(const struct anm_doc *anm, const struct anm_ref *dir, const char *name, const void *bytes,
                              size_t size, struct anm_error *err)
{
    (void)dir, (void)name;
    ANM_AUTO(gem_text_free) struct gem_text t = {.doc = gem_const(anm), .depth = GEM_OF_FILE};
    t.index = gem_index(t.doc, err);
    return t.index ? write_frames(&t, bytes, size, err) : NULL;
}

struct anm_doc *gem_write_track(const struct anm_doc *anm, const struct anm_ref *dir, const char *name,
                                const void *bytes, size_t size, struct anm_error *err)
{
    (void)name;
    ANM_AUTO(gem_text_free) struct gem_text t = {.doc = gem_const(anm), .depth = GEM_OF_BONE, .bone = dir->id[0]};
    t.index = gem_index(t.doc, err);
    return t.index ? write_frames(&t, bytes, size, err) : NULL;
}

struct anm_doc *gem_write_frame(const struct anm_doc *anm, const struct anm_ref *dir, const char *name,
                                const void *bytes, size_t size, struct anm_error *err)
{
    (void)name;
    const struct gem_frame *old = gem_const(anm)->frames[dir->id[0]];
    ANM_AUTO(gem_text_free)
    struct gem_text t = {
        .doc = gem_const(anm),
        .depth = GEM_OF_FRAME,
        .number = old->number,
        .frame_ordinal = old->ordinal,
        .kind = old->kind,
    };
    t.index = gem_index(t.doc, err);
    if (!t.index || gem_parse(&t, bytes, size, err))
        return NULL;
    ANM_AUTO(gem_clean) struct gem_doc *doc = gem_copy(t.doc);
    struct gem_frame *frame = doc ? build_whole(&t, old, NULL, t.count, err) : (anm_fail_nomem(err), NULL);
    if (!frame)
        return NULL;
    gem_set_frame(doc, dir->id[0], frame);
    return finish_text(&t, &doc, err);
}
