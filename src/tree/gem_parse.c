/* SPDX-License-Identifier: MIT */
#include "gem_tree.h"

#include "anm/name.h"
#include "anm/num.h"

#include <stdlib.h>
#include <string.h>

static const char *const channel_words[] = {
    [GEM_CH_POSITION] = "position", [GEM_CH_ORIENTATION] = "orientation",
    [GEM_CH_MATRIX] = "matrix",     [GEM_CH_SCALE] = "scale",
    [GEM_CH_VISIBLE] = "visible",   [GEM_CH_MIRRORED] = "mirrored",
    [GEM_CH_MESH] = "mesh",         [GEM_CH_FLAGS] = "flags",
    [GEM_CH_NONE] = "none",         [GEM_CHANNELS] = NULL,
};

void gem_text_free(struct gem_text *text)
{
    free(text->drafts);
    free(text->slots);
    anm_buf_free(&text->raw);
}

/* Digits only (no 0x, no sign), up to `max`. */
static int parse_digits(const char *text, size_t size, uint32_t max, uint32_t *value)
{
    for (size_t i = 0; i < size; i++)
        if (text[i] < '0' || text[i] > '9')
            return -1;
    return size && anm_u32_parse(text, size, max, value) == ANM_NUM_OK ? 0 : -1;
}

uint32_t gem_parse_ordinal(const char *text, size_t *size)
{
    const char *tilde = memrchr(text, '~', *size);
    uint32_t ordinal;
    if (!tilde)
        return 1;
    size_t rest = *size - (size_t)(tilde + 1 - text);
    if (parse_digits(tilde + 1, rest, ANM_ORDINAL_MAX, &ordinal) || ordinal < 2 || tilde[1] == '0')
        return 0;
    *size = (size_t)(tilde - text);
    return ordinal;
}

int gem_parse_number(const char *text, size_t size, uint32_t *number, uint32_t *ordinal)
{
    *ordinal = gem_parse_ordinal(text, &size);
    return *ordinal && parse_digits(text, size, GEM_NUMBER_MAX, number) == 0 ? 0 : -1;
}

static int read_frame(struct gem_text *t, uint32_t i)
{
    uint32_t number, ordinal, frame;
    if (i >= t->lines.count || gem_parse_number(t->lines.tokens[i].text, t->lines.tokens[i].size, &number, &ordinal))
        return anm_lines_expect(&t->lines, i, "a frame number (12, or 12~2 for a second chunk of one frame)");
    if (t->count && number == t->number && ordinal == t->frame_ordinal)
        return 0;
    t->number = number;
    t->frame_ordinal = (uint16_t)ordinal;
    t->kind = gem_find_frame(t->doc, t->index, number, ordinal, &frame) ? t->doc->frames[frame]->kind : t->doc->kind;
    return 0;
}

/* How much of a token a message shows. */
static int shown(const struct anm_token *token)
{
    return token->size > 200 ? 200 : (int)token->size;
}

static int fail_bone(struct gem_text *t, uint32_t i)
{
    const struct anm_token *token = &t->lines.tokens[i];
    int size = shown(token);
    const char *nearest = anm_names_nearest(&t->index->names, token->text, token->size);
    if (nearest)
        return anm_lines_fail(&t->lines, i, "there is no bone %.*s; the nearest is %.200s; a new one: mkdir bones/%.*s",
                              size, token->text, nearest, size, token->text);
    return anm_lines_fail(&t->lines, i, "there is no bone %.*s; a new one: mkdir bones/%.*s", size, token->text, size,
                          token->text);
}

static int read_bone(struct gem_text *t, uint32_t i)
{
    if (i >= t->lines.count)
        return anm_lines_expect(&t->lines, i, "the name of a bone");
    const struct anm_token *token = &t->lines.tokens[i];
    if (t->count && token->size == t->name.size && memcmp(token->text, t->name.text, token->size) == 0)
        return 0;
    struct anm_error why = {0};
    uint32_t ordinal;
    t->raw.size = 0;
    if (anm_name_parse(token->text, token->size, &t->raw, &ordinal, &why))
        return why.reason == ANM_NAME ? anm_lines_fail(&t->lines, i, "%s", why.text) : (*t->lines.err = why, -1);
    if (t->raw.failed)
        return anm_fail_nomem(t->lines.err);
    if (!anm_names_find(&t->index->names, t->raw.data, t->raw.size, ordinal, &t->bone))
        return fail_bone(t, i);
    t->name = *token;
    return 0;
}

/* --- one key of the text, found by (frame, bone, ordinal) --- */

static uint32_t hash_draft(const struct gem_draft *d)
{
    uint64_t hash = (uint64_t)d->number << 32 | (uint32_t)d->frame_ordinal << 16 | d->key.ordinal;
    hash = (hash ^ d->key.bone * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;
    return (uint32_t)(hash >> 32);
}

static bool is_draft(const struct gem_draft *a, const struct gem_draft *b)
{
    return a->number == b->number && a->frame_ordinal == b->frame_ordinal && a->key.bone == b->key.bone &&
           a->key.ordinal == b->key.ordinal;
}

static uint32_t *find_slot(const struct gem_text *t, const struct gem_draft *d)
{
    uint32_t slot = hash_draft(d) & t->mask;
    while (t->slots[slot] && !is_draft(&t->drafts[t->slots[slot] - 1], d))
        slot = (slot + 1) & t->mask;
    return &t->slots[slot];
}

static int grow(struct gem_text *t)
{
    uint32_t capacity = t->capacity ? t->capacity * 2 : 64;
    struct gem_draft *drafts = capacity > INT32_MAX / 2 ? NULL : anm_realloc(t->drafts, capacity, sizeof *drafts);
    if (!drafts)
        return anm_fail_nomem(t->lines.err);
    t->drafts = drafts;
    uint32_t *slots = anm_alloc(0, (size_t)capacity * 2, sizeof *slots);
    if (!slots)
        return anm_fail_nomem(t->lines.err);
    free(t->slots);
    t->slots = slots;
    t->mask = capacity * 2 - 1;
    t->capacity = capacity;
    for (uint32_t i = 0; i < t->count; i++)
        *find_slot(t, &t->drafts[i]) = i + 1;
    return 0;
}

/* The draft of the current line's key, made when it is the first. */
static struct gem_draft *find_draft(struct gem_text *t, uint32_t ordinal, enum gem_channel channel)
{
    struct gem_draft wanted = {
        .number = t->number,
        .frame_ordinal = t->frame_ordinal,
        .kind = t->kind,
        .first = (uint8_t)channel,
        .key = {.bone = (uint16_t)t->bone, .ordinal = (uint16_t)ordinal},
    };
    if (t->count && is_draft(&t->drafts[t->count - 1], &wanted))
        return &t->drafts[t->count - 1];
    if (t->count == t->capacity && grow(t))
        return NULL;
    uint32_t *slot = find_slot(t, &wanted);
    if (!*slot) {
        t->drafts[t->count++] = wanted;
        *slot = t->count;
    }
    return &t->drafts[*slot - 1];
}

/* --- the channels --- */

static int read_floats(const struct anm_lines *lines, uint32_t i, const char *what, uint32_t *v, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        if (anm_lines_f32(lines, i + 1 + k, what, &v[k]))
            return -1;
    return 0;
}

static int read_vector(struct gem_text *t, struct gem_draft *d, uint32_t i, enum gem_channel channel)
{
    static const struct {
        const char *form;
        unsigned place, count;
        uint32_t flag;
    } forms[] = {
        [GEM_CH_POSITION] = {"position x y z", 0, 3, GEM_POSITION},
        [GEM_CH_ORIENTATION] = {"orientation x y z", 3, 3, GEM_ORIENTATION},
        [GEM_CH_MATRIX] = {"matrix and nine numbers, row by row", 0, 9, GEM_MATRIX},
        [GEM_CH_SCALE] = {"scale x y z", 6, 3, GEM_SCALE},
    };
    bool frmn = d->kind == GEM_FRMN;
    uint32_t *v = d->key.v + (frmn && channel == GEM_CH_POSITION ? 9 : forms[channel].place);
    d->key.flags |= frmn ? (uint32_t)GEM_MATRIX : forms[channel].flag;
    if (frmn)
        d->key.parts = gem_parts_with(d->key.parts, GEM_PART_MATR);
    if (channel == GEM_CH_ORIENTATION &&
        (anm_lines_is(&t->lines, i + 1, "quat") || anm_lines_is(&t->lines, i + 1, "axis") ||
         anm_lines_is(&t->lines, i + 1, "euler")))
        return gem_parse_turn(&t->lines, i + 1, v);
    if (anm_lines_want(&t->lines, i + 1 + forms[channel].count, forms[channel].form))
        return -1;
    return read_floats(&t->lines, i, channel_words[channel], v, forms[channel].count);
}

static int read_visible(struct gem_text *t, struct gem_draft *d, uint32_t i)
{
    bool frmn = d->kind == GEM_FRMN;
    bool yes = anm_lines_is(&t->lines, i + 1, "yes"), no = anm_lines_is(&t->lines, i + 1, "no");
    bool both = anm_lines_is(&t->lines, i + 1, "both");
    if (anm_lines_want(&t->lines, i + 2, frmn ? "visible yes, no or a number" : "visible yes, no or both"))
        return -1;
    if (frmn) {
        d->key.flags |= GEM_VISI;
        d->key.parts = gem_parts_with(d->key.parts, GEM_PART_VISI);
        d->key.visi = yes;
        return yes || no ? 0 : anm_lines_u32(&t->lines, i + 1, "visible", GEM_NUMBER_MAX, &d->key.visi);
    }
    if (!yes && !no && !both)
        return anm_lines_fail(&t->lines, i + 1, "visible %.*s: a %s key is visible yes, no or both",
                              shown(&t->lines.tokens[i + 1]), t->lines.tokens[i + 1].text,
                              gem_kind_word(d->kind, true));
    d->key.flags |= (yes || both ? (uint32_t)GEM_SHOW : 0) | (no || both ? (uint32_t)GEM_HIDE : 0);
    return 0;
}

static int read_mirrored(struct gem_text *t, struct gem_draft *d, uint32_t i)
{
    if (t->lines.count == i + 1 || anm_lines_is(&t->lines, i + 1, "yes"))
        d->key.flags |= GEM_MIRRORED;
    else if (!anm_lines_is(&t->lines, i + 1, "no"))
        return anm_lines_expect(&t->lines, i + 1, "mirrored, or mirrored no");
    return t->lines.count <= i + 2 ? 0 : anm_lines_want(&t->lines, i + 2, "mirrored, or mirrored no");
}

static int read_mesh(struct gem_text *t, struct gem_draft *d, uint32_t i)
{
    d->key.flags |= GEM_MESH;
    if (d->kind == GEM_FRMN)
        d->key.parts = gem_parts_with(d->key.parts, GEM_PART_MESH);
    if (t->lines.count == i + 1)
        return 0;
    const struct anm_token *token = &t->lines.tokens[i + 1];
    if (anm_lines_want(&t->lines, i + 2, "mesh, or mesh @FRAME"))
        return -1;
    if (token->text[0] != '@' || gem_parse_number(token->text + 1, token->size - 1, &d->mesh[0], &d->mesh[1]))
        return anm_lines_expect(&t->lines, i + 1, "mesh, or mesh @FRAME (mesh @12)");
    d->mesh_from = true;
    return 0;
}

static int read_flags(struct gem_text *t, struct gem_draft *d, uint32_t i)
{
    uint32_t bits;
    if (anm_lines_want(&t->lines, i + 2, "flags 0x…") || anm_lines_u32(&t->lines, i + 1, "flags", UINT16_MAX, &bits))
        return -1;
    if (bits & GEM_KNOWN || bits == 0)
        return anm_lines_fail(&t->lines, i + 1,
                              "flags 0x%04x: bits outside 0x007f were expected, the others have names", bits);
    d->key.flags |= bits;
    return 0;
}

static int fail_channel(const struct anm_lines *lines, uint32_t i)
{
    if (i >= lines->count)
        return anm_lines_expect(lines, i, "a channel (position, orientation, visible …)");
    const struct anm_token *token = &lines->tokens[i];
    const char *nearest = anm_nearest(token->text, token->size, channel_words);
    int size = shown(token);
    if (nearest)
        return anm_lines_fail(lines, i, "there is no channel %.*s; the nearest is %s", size, token->text, nearest);
    return anm_lines_fail(lines, i,
                          "there is no channel %.*s: expected position, orientation, matrix, scale, visible, "
                          "mirrored, mesh, flags or none",
                          size, token->text);
}

/* What a frame of the other kind would hold. */
static int check_kind(const struct gem_text *t, uint32_t i, enum gem_channel channel)
{
    const unsigned frmn =
        1u << GEM_CH_POSITION | 1u << GEM_CH_MATRIX | 1u << GEM_CH_VISIBLE | 1u << GEM_CH_MESH | 1u << GEM_CH_NONE;
    bool wrong = t->kind == GEM_FRMN ? !(frmn >> channel & 1) : channel == GEM_CH_MATRIX;
    if (!wrong)
        return 0;
    return anm_lines_fail(&t->lines, i, "frame %u is %s: give %s", t->number, gem_kind_word(t->kind, true),
                          t->kind == GEM_FRMN ? "position and matrix" : "position and orientation");
}

static int read_channel(struct gem_text *t, uint32_t i)
{
    const struct anm_lines *lines = &t->lines;
    size_t size = i < lines->count ? lines->tokens[i].size : 0;
    uint32_t ordinal = size ? gem_parse_ordinal(lines->tokens[i].text, &size) : 1;
    unsigned c = 0;
    if (!ordinal)
        return anm_lines_fail(lines, i, "a second key of one bone is written ~2, a third ~3: position~2");
    while (c < GEM_CHANNELS &&
           (strlen(channel_words[c]) != size || memcmp(channel_words[c], lines->tokens[i].text, size) != 0))
        c++;
    if (c == GEM_CHANNELS)
        return fail_channel(lines, i);
    if (check_kind(t, i, c))
        return -1;
    struct gem_draft *d = find_draft(t, ordinal, c);
    if (!d)
        return -1;
    if (d->at[c].line)
        return anm_lines_fail(lines, i, "%s of that key is given on line %u already", channel_words[c], d->at[c].line);
    d->at[c].line = lines->line;
    d->at[c].column = lines->tokens[i].column;
    switch ((enum gem_channel)c) {
    case GEM_CH_VISIBLE:
        return read_visible(t, d, i);
    case GEM_CH_MIRRORED:
        return read_mirrored(t, d, i);
    case GEM_CH_MESH:
        return read_mesh(t, d, i);
    case GEM_CH_FLAGS:
        return read_flags(t, d, i);
    case GEM_CH_NONE:
        return anm_lines_want(lines, i + 1, "none");
    default:
        return read_vector(t, d, i, c);
    }
}

static int check_drafts(const struct gem_text *t, struct anm_error *err)
{
    for (uint32_t i = 0; i < t->count; i++) {
        const struct gem_draft *d = &t->drafts[i];
        unsigned missing = d->at[GEM_CH_POSITION].line ? GEM_CH_MATRIX : GEM_CH_POSITION;
        unsigned given = missing == GEM_CH_MATRIX ? GEM_CH_POSITION : GEM_CH_MATRIX;
        if (d->key.flags & GEM_MATRIX && !d->at[missing].line)
            return anm_fail_line(err, d->at[given].line, d->at[given].column,
                                 "%s without %s: frame %u is FRMN, whose keys need both", channel_words[given],
                                 channel_words[missing], d->number);
    }
    return 0;
}

int gem_parse(struct gem_text *t, const void *bytes, size_t size, struct anm_error *err)
{
    int more;
    anm_lines_start(&t->lines, bytes, size, err);
    while ((more = anm_lines_next(&t->lines)) == 1) {
        uint32_t i = 0;
        if (t->depth != GEM_OF_FRAME && read_frame(t, i++))
            return -1;
        if (t->depth != GEM_OF_BONE && read_bone(t, i++))
            return -1;
        if (read_channel(t, i))
            return -1;
    }
    return more ? -1 : check_drafts(t, err);
}
