/* SPDX-License-Identifier: MIT */
#include "gem_tree.h"

#include "anm/num.h"

#include <stdio.h>
#include <string.h>

/* What each line of one key starts with. */
struct start {
    struct anm_buf *out;
    char frame[24]; /* "12~2 ", or nothing */
    size_t frame_size;
    const char *name; /* or NULL */
    size_t name_size;
    char ordinal[8]; /* "~2" behind the channel, or nothing */
};

void gem_put_number(struct anm_buf *out, uint32_t number, uint32_t ordinal)
{
    anm_put_u32(out, number);
    if (ordinal > 1)
        anm_buf_printf(out, "~%u", ordinal);
}

void gem_put_dir(struct anm_buf *out, uint32_t number, uint32_t ordinal)
{
    anm_buf_printf(out, "%03u", number);
    if (ordinal > 1)
        anm_buf_printf(out, "~%u", ordinal);
}

const char *gem_kind_word(unsigned kind, bool upper)
{
    static const char words[3][2][5] = {{"frmn", "FRMN"}, {"frm2", "FRM2"}, {"frm3", "FRM3"}};
    return words[kind > GEM_FRM3 ? (unsigned)GEM_FRM3 : kind][upper];
}

static void set_frame(struct start *s, const struct gem_frame *frame)
{
    s->frame_size = anm_u32_print(s->frame, frame->number);
    if (frame->ordinal > 1)
        s->frame_size += (size_t)snprintf(s->frame + s->frame_size, 8, "~%u", (unsigned)frame->ordinal);
    s->frame[s->frame_size++] = ' ';
}

static void set_ordinal(struct start *s, const struct gem_key *key)
{
    s->ordinal[0] = 0;
    if (key->ordinal > 1)
        snprintf(s->ordinal, sizeof s->ordinal, "~%u", (unsigned)key->ordinal);
}

static void put_start(const struct start *s, const char *channel)
{
    anm_buf_put(s->out, s->frame, s->frame_size);
    if (s->name) {
        anm_buf_put(s->out, s->name, s->name_size);
        anm_buf_putc(s->out, ' ');
    }
    anm_buf_puts(s->out, channel);
    anm_buf_puts(s->out, s->ordinal);
}

static void put_floats(const struct start *s, const char *channel, const uint32_t *v, unsigned count)
{
    put_start(s, channel);
    for (unsigned i = 0; i < count; i++) {
        anm_buf_putc(s->out, ' ');
        anm_put_f32(s->out, v[i]);
    }
    anm_buf_putc(s->out, '\n');
}

static void put_word(const struct start *s, const char *channel, const char *word)
{
    put_start(s, channel);
    anm_buf_puts(s->out, word);
    anm_buf_putc(s->out, '\n');
}

static void put_visible(const struct start *s, unsigned kind, const struct gem_key *key)
{
    if (kind == GEM_FRMN && key->visi > 1) {
        put_start(s, "visible");
        anm_buf_printf(s->out, " %u\n", key->visi);
        return;
    }
    unsigned bits = key->flags & (GEM_SHOW | GEM_HIDE);
    bool shown = kind == GEM_FRMN ? key->visi == 1 : bits == GEM_SHOW;
    bool both = kind != GEM_FRMN && bits == (GEM_SHOW | GEM_HIDE);
    put_word(s, "visible", both ? " both" : shown ? " yes" : " no");
}

/* The parts of a FRMN key, in their order. */
static void put_parts(const struct start *s, const struct gem_key *key)
{
    bool any = false;
    for (unsigned parts = key->parts; parts; parts >>= 2) {
        unsigned part = parts & 3;
        if (part == GEM_PART_MATR && key->flags & GEM_MATRIX) {
            put_floats(s, "position", key->v + 9, 3);
            put_floats(s, "matrix", key->v, 9);
        } else if (part == GEM_PART_VISI && key->flags & GEM_VISI) {
            put_visible(s, GEM_FRMN, key);
        } else if (part == GEM_PART_MESH && key->flags & GEM_MESH) {
            put_word(s, "mesh", "");
        } else {
            continue;
        }
        any = true;
    }
    if (!any)
        put_word(s, "none", "");
}

static void put_key(const struct start *s, const struct gem_index *index, unsigned kind, const struct gem_key *key)
{
    if (kind == GEM_FRMN) {
        put_parts(s, key);
        return;
    }
    if (key->flags & GEM_POSITION)
        put_floats(s, "position", key->v, 3);
    if (key->flags & GEM_ORIENTATION)
        put_floats(s, "orientation", key->v + 3, 3);
    if (key->flags & GEM_MIRRORED)
        put_word(s, "mirrored", "");
    else if (key->flags & (GEM_POSITION | GEM_ORIENTATION) && index->mirrored[key->bone])
        put_word(s, "mirrored", " no");
    if (key->flags & GEM_SCALE)
        put_floats(s, "scale", key->v + 6, 3);
    if (key->flags & (GEM_SHOW | GEM_HIDE))
        put_visible(s, kind, key);
    if (key->flags & GEM_MESH)
        put_word(s, "mesh", "");
    if (key->flags & ~(uint32_t)GEM_KNOWN) {
        put_start(s, "flags");
        anm_buf_printf(s->out, " 0x%04x\n", key->flags & ~(uint32_t)GEM_KNOWN);
    }
    if (key->flags == 0)
        put_word(s, "none", "");
}

void gem_put_frame(struct anm_buf *out, const struct gem_doc *doc, const struct gem_index *index, uint32_t frame,
                   enum gem_depth depth)
{
    const struct gem_frame *at = doc->frames[frame];
    struct start s = {.out = out};
    if (depth == GEM_OF_FILE)
        set_frame(&s, at);
    for (uint32_t k = 0; k < at->count; k++) {
        s.name = anm_names_text(&index->names, at->keys[k].bone, &s.name_size);
        set_ordinal(&s, &at->keys[k]);
        put_key(&s, index, at->kind, &at->keys[k]);
    }
}

void gem_put_track_key(struct anm_buf *out, const struct gem_doc *doc, const struct gem_index *index, uint32_t i)
{
    struct start s = {.out = out};
    const struct gem_frame *frame = doc->frames[index->at[i].frame];
    const struct gem_key *key = &frame->keys[index->at[i].key];
    set_frame(&s, frame);
    set_ordinal(&s, key);
    put_key(&s, index, frame->kind, key);
}

void gem_put_track(struct anm_buf *out, const struct gem_doc *doc, const struct gem_index *index, uint32_t bone)
{
    for (uint32_t i = index->first[bone]; i < index->first[bone + 1]; i++)
        gem_put_track_key(out, doc, index, i);
}

/* --- the pose at a frame: each channel's last key up to there --- */

struct pose {
    const struct gem_key *position, *turn, *scale, *visible;
    uint8_t position_kind, turn_kind, visible_kind;
    uint32_t mesh; /* 1 + place in `at` of the first mesh of the last frame that has one */
};

static void hold(struct pose *pose, const struct gem_key *key, unsigned kind, bool reached)
{
    /* Before a channel's first key its value is that of the first key; visibility starts on, and there is no mesh. */
    bool turns = key->flags & (kind == GEM_FRMN ? GEM_MATRIX : GEM_ORIENTATION);
    bool moves = key->flags & (kind == GEM_FRMN ? GEM_MATRIX : GEM_POSITION);
    if (moves && (reached || !pose->position)) {
        pose->position = key;
        pose->position_kind = (uint8_t)kind;
    }
    if (turns && (reached || !pose->turn)) {
        pose->turn = key;
        pose->turn_kind = (uint8_t)kind;
    }
    if (kind != GEM_FRMN && key->flags & GEM_SCALE && (reached || !pose->scale))
        pose->scale = key;
    if (reached && key->flags & (kind == GEM_FRMN ? GEM_VISI : GEM_SHOW | GEM_HIDE)) {
        pose->visible = key;
        pose->visible_kind = (uint8_t)kind;
    }
}

static void put_held_meshes(struct start *s, const struct gem_doc *doc, const struct gem_index *index, uint32_t first,
                            uint32_t end)
{
    for (uint32_t i = first; i < end && index->at[i].frame == index->at[first].frame; i++) {
        const struct gem_frame *frame = doc->frames[index->at[i].frame];
        if (!frame->keys[index->at[i].key].mesh)
            continue;
        set_ordinal(s, &frame->keys[index->at[i].key]);
        put_start(s, "mesh");
        anm_buf_puts(s->out, " @");
        gem_put_number(s->out, frame->number, frame->ordinal);
        anm_buf_putc(s->out, '\n');
    }
}

static void put_held(const struct start *s, const struct gem_index *index, const struct pose *pose, bool any_visible,
                     uint32_t bone)
{
    if (pose->position)
        put_floats(s, "position", pose->position->v + (pose->position_kind == GEM_FRMN ? 9 : 0), 3);
    if (pose->turn && pose->turn_kind == GEM_FRMN)
        put_floats(s, "matrix", pose->turn->v, 9);
    else if (pose->turn)
        put_floats(s, "orientation", pose->turn->v + 3, 3);
    const struct gem_key *said = pose->turn ? pose->turn : pose->position;
    bool frmn = (pose->turn ? pose->turn_kind : pose->position_kind) == GEM_FRMN;
    if (said && !frmn && index->mirrored[bone])
        put_word(s, "mirrored", said->flags & GEM_MIRRORED ? "" : " no");
    if (pose->scale)
        put_floats(s, "scale", pose->scale->v + 6, 3);
    if (pose->visible)
        put_visible(s, pose->visible_kind, pose->visible);
    else if (any_visible)
        put_word(s, "visible", " yes");
}

void gem_put_pose(struct anm_buf *out, const struct gem_doc *doc, const struct gem_index *index, uint32_t number)
{
    for (uint32_t b = 0; b < doc->bones->count; b++) {
        struct start s = {.out = out};
        struct pose pose = {0};
        bool any_visible = false;
        for (uint32_t i = index->first[b]; i < index->first[b + 1]; i++) {
            const struct gem_frame *frame = doc->frames[index->at[i].frame];
            const struct gem_key *key = &frame->keys[index->at[i].key];
            bool reached = frame->number <= number;
            hold(&pose, key, frame->kind, reached);
            any_visible |= (key->flags & (frame->kind == GEM_FRMN ? GEM_VISI : GEM_SHOW | GEM_HIDE)) != 0;
            if (reached && key->mesh && (!pose.mesh || index->at[pose.mesh - 1].frame != index->at[i].frame))
                pose.mesh = i + 1;
        }
        s.name = anm_names_text(&index->names, b, &s.name_size);
        put_held(&s, index, &pose, any_visible, b);
        if (pose.mesh)
            put_held_meshes(&s, doc, index, pose.mesh - 1, index->first[b + 1]);
    }
}
