/* SPDX-License-Identifier: MIT */
/* frames/NNN/sprites: one line a sprite, in drawing order (formats: PSX 1.4). */
#include "psx_tree.h"

#include <stdlib.h>
#include <string.h>

#define NEUTRAL_SCALE 4096

/* --- out --- */

static int32_t get(const struct psx_sprite *s, enum psx_sprite_field field)
{
    return psx_sprite_get(s, field);
}

static void put(struct anm_buf *out, const struct psx_sprite *s, enum psx_sprite_field field)
{
    psx_line_put(out, psx_sprite_fields, PSX_SPRITE_FIELDS, field, s->w);
}

static void put_size(struct anm_buf *out, const struct psx_sprite *s, bool fixed)
{
    int32_t side = 8 * get(s, PSX_THW);
    if (side)
        put(out, s, PSX_THW);
    if (!side || (fixed && (get(s, PSX_W) != side || get(s, PSX_H) != side)))
        put(out, s, PSX_W);
}

static const char *const depths[] = {"4", "8", "16", "reserved"};

static void put_blending(struct anm_buf *out, const struct psx_sprite *s, unsigned version)
{
    bool blends = get(s, PSX_ABE);
    if (blends && version >= 3) {
        anm_buf_printf(out, " blend=%d", get(s, PSX_ABR));
        return;
    }
    if (blends)
        put(out, s, PSX_ABE);
    if (get(s, PSX_ABR))
        put(out, s, PSX_ABR);
}

static void put_turning(struct anm_buf *out, const struct psx_sprite *s)
{
    if (get(s, PSX_RSZ) || get(s, PSX_SCALE_X) != NEUTRAL_SCALE || get(s, PSX_SCALE_Y) != NEUTRAL_SCALE) {
        put(out, s, PSX_SCALE_X);
        if (!get(s, PSX_RSZ))
            anm_buf_puts(out, " rsz=off");
    }
    if (get(s, PSX_ROT) || get(s, PSX_ANGLE)) {
        put(out, s, PSX_ANGLE);
        if (!get(s, PSX_ROT))
            anm_buf_puts(out, " rot=off");
    }
}

/* FLAG2, whose bits have names since version 2. */
static void put_flag2(struct anm_buf *out, const struct psx_sprite *s, unsigned version, bool first)
{
    if (version < 2) {
        if (s->w[3] >> 16)
            anm_buf_printf(out, " flag2=0x%04x", s->w[3] >> 16);
        return;
    }
    put(out, s, PSX_BNO);
    put(out, s, PSX_CSN);
    if (get(s, PSX_FLAG2_1))
        put(out, s, PSX_FLAG2_1);
    if (get(s, PSX_FIRST) != first)
        put(out, s, PSX_FIRST);
}

static void put_sprite(struct anm_buf *out, const struct psx_doc *doc, const struct psx_sprite *s, bool first)
{
    put(out, s, PSX_U);
    put(out, s, PSX_V);
    put(out, s, PSX_OFS_X);
    put_size(out, s, doc->fixed);
    put(out, s, PSX_TPN);
    anm_buf_printf(out, " depth=%s", depths[get(s, PSX_TPF)]);
    put(out, s, PSX_CLX);
    put_blending(out, s, doc->version);
    put_turning(out, s);
    put_flag2(out, s, doc->version, first);
    if (get(s, PSX_FLAG_9))
        put(out, s, PSX_FLAG_9);
    anm_buf_putc(out, '\n');
}

int psx_render_sprites(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_buf *out, struct anm_error *err)
{
    (void)err;
    const struct psx_group *group = psx_const(anm)->groups[ref->id[0]];
    for (uint32_t i = 0; i < group->count; i++)
        put_sprite(out, psx_const(anm), &group->sprites[i], i == 0);
    return 0;
}

/* --- in --- */

static bool is(const struct anm_token *token, const char *word)
{
    return strlen(word) == token->size && memcmp(word, token->text, token->size) == 0;
}

static int set_depth(struct psx_line *line, const struct anm_token *value)
{
    for (int32_t depth = 0; depth < 4; depth++)
        if (is(value, depths[depth])) {
            anm_field_set(&psx_sprite_fields[PSX_TPF], line->words, depth);
            return psx_line_give(line, PSX_TPF, value->column) ? -1 : 1;
        }
    return psx_line_fail(line, value->column, "expected depth=4, 8, 16 or reserved");
}

static int set_blend(struct psx_line *line, const struct anm_token *value)
{
    if (line->version < 3)
        return psx_line_fail(line, value->column, "blend (ABE) is there since version 3");
    if (psx_line_set(line, "abr", value) || psx_line_give(line, PSX_ABE, value->column))
        return -1;
    anm_field_set(&psx_sprite_fields[PSX_ABE], line->words, 1);
    return 1;
}

/* Before version 3 the bit has no meaning, but can be set. */
static int set_abe(struct psx_line *line, const struct anm_token *value)
{
    if (line->version >= 3)
        return psx_line_fail(line, value->column, "expected blend=0, 1, 2 or 3, which sets ABE and ABR");
    if (!is(value, "0") && !is(value, "1"))
        return psx_line_fail(line, value->column, "expected abe=0 or 1");
    anm_field_set(&psx_sprite_fields[PSX_ABE], line->words, *value->text - '0');
    return psx_line_give(line, PSX_ABE, value->column) ? -1 : 1;
}

/* rsz=off, rot=off: the flag stays clear although there is a value. */
static int set_off(struct psx_line *line, const struct anm_token *value, unsigned field)
{
    if (!is(value, "off"))
        return psx_line_fail(line, value->column, "expected %s=off: without it a value sets the flag",
                             psx_sprite_fields[field].key);
    return psx_line_give(line, field, value->column) ? -1 : 1;
}

static int set_flag2(struct psx_line *line, const struct anm_token *value)
{
    static const struct anm_field whole = {"FLAG2", "flag2", "", 3, 16, 16, false, 0, ANM_FORM_HEX, 1};
    char why[128];
    int32_t bits;
    if (line->version >= 2)
        return 0;
    if (anm_field_parse(&whole, value->text, value->size, &bits, why))
        return psx_line_fail(line, value->column, "flag2: %s", why);
    anm_field_set(&whole, line->words, bits);
    return psx_line_give(line, PSX_FLAG2_1, value->column) ? -1 : 1;
}

static int special(struct psx_line *line, const struct anm_token *key, const struct anm_token *value)
{
    if (is(key, "depth"))
        return set_depth(line, value);
    if (is(key, "blend"))
        return set_blend(line, value);
    if (is(key, "abe"))
        return set_abe(line, value);
    if (is(key, "rsz") || is(key, "rot"))
        return set_off(line, value, is(key, "rsz") ? PSX_RSZ : PSX_ROT);
    return is(key, "flag2") ? set_flag2(line, value) : 0;
}

static int check_size(struct psx_line *line, bool fixed)
{
    struct psx_sprite *s = (struct psx_sprite *)(void *)line->words;
    bool square = psx_line_has(line, PSX_THW) && get(s, PSX_THW);
    if (psx_line_has(line, PSX_THW) && !square)
        return psx_line_fail(line, 1, "square is 8 to 120; any other size is size=WxH");
    if (square && psx_line_has(line, PSX_W) && !fixed)
        return psx_line_fail(line, 1, "square and size: in this file a square sprite has no other size");
    if (square && fixed && !psx_line_has(line, PSX_W)) {
        psx_sprite_set(s, PSX_W, 8 * get(s, PSX_THW));
        psx_sprite_set(s, PSX_H, 8 * get(s, PSX_THW));
    }
    return 0;
}

/* What must be there, and what follows from what is not. */
static int complete(struct psx_line *line, bool fixed, bool first)
{
    static const uint8_t needed[] = {PSX_U, PSX_V, PSX_OFS_X, PSX_TPN, PSX_TPF, PSX_CLX};
    for (size_t i = 0; i < sizeof needed; i++)
        if (!psx_line_has(line, needed[i]))
            return psx_line_fail(line, 1, "expected %s=: a sprite needs u, v, ofs, size or square, page, depth, clut",
                                 psx_sprite_fields[needed[i]].key);
    if (!psx_line_has(line, PSX_W) && !psx_line_has(line, PSX_THW))
        return psx_line_fail(line, 1, "expected size=WxH, or square=N");
    if (check_size(line, fixed))
        return -1;
    struct psx_sprite *s = (struct psx_sprite *)(void *)line->words;
    if (!psx_line_has(line, PSX_SCALE_X)) {
        psx_sprite_set(s, PSX_SCALE_X, NEUTRAL_SCALE);
        psx_sprite_set(s, PSX_SCALE_Y, NEUTRAL_SCALE);
    }
    psx_sprite_set(s, PSX_RSZ, psx_line_has(line, PSX_SCALE_X) && !psx_line_has(line, PSX_RSZ));
    psx_sprite_set(s, PSX_ROT, psx_line_has(line, PSX_ANGLE) && !psx_line_has(line, PSX_ROT));
    if (line->version >= 2 && !psx_line_has(line, PSX_FIRST))
        psx_sprite_set(s, PSX_FIRST, first);
    return 0;
}

static int read_sprite(struct anm_lines *lines, const struct psx_doc *doc, bool first, struct psx_sprite *sprite)
{
    struct psx_line line = {
        .fields = psx_sprite_fields, .count = PSX_SPRITE_FIELDS, .version = doc->version, .err = lines->err};
    if (psx_line_read(lines, 0, &line, special) || complete(&line, doc->fixed, first))
        return -1;
    memcpy(sprite->w, line.words, sizeof sprite->w);
    return 0;
}

/* Appends every line's sprite to `out`. */
static int read_sprites(const struct psx_doc *doc, const void *bytes, size_t size, struct anm_buf *out,
                        struct anm_error *err)
{
    struct anm_lines lines;
    int more;
    anm_lines_start(&lines, bytes, size, err);
    while ((more = anm_lines_next(&lines)) == 1) {
        struct psx_sprite sprite;
        if (read_sprite(&lines, doc, out->size == 0, &sprite))
            return -1;
        anm_buf_put(out, &sprite, sizeof sprite);
    }
    return more;
}

static struct psx_group *read_group(const struct psx_doc *doc, const void *bytes, size_t size, struct anm_error *err)
{
    ANM_AUTO(anm_buf_free) struct anm_buf sprites = {0};
    if (read_sprites(doc, bytes, size, &sprites, err))
        return NULL;
    struct psx_group *group =
        sprites.failed ? NULL : psx_group_new((uint32_t)(sprites.size / sizeof(struct psx_sprite)));
    if (!group)
        anm_fail_nomem(err);
    else if (sprites.size)
        memcpy(group->sprites, sprites.data, sprites.size);
    return group;
}

/* The document with `group` (taken over; NULL: an error was described) as number `i`. */
static struct anm_doc *with_group(const struct psx_doc *old, uint32_t i, struct psx_group *group, struct anm_error *err)
{
    ANM_AUTO(psx_clean) struct psx_doc *doc = group ? psx_copy(old, 0, 0) : NULL;
    if (doc) {
        psx_set_group(doc, i, group);
        return psx_finish(old, &doc, err);
    }
    if (group)
        anm_fail_nomem(err);
    psx_group_unref(group);
    return NULL;
}

struct anm_doc *psx_write_sprites(const struct anm_doc *anm, const struct anm_ref *dir, const char *name,
                                  const void *bytes, size_t size, struct anm_error *err)
{
    (void)name;
    return with_group(psx_const(anm), dir->id[0], read_group(psx_const(anm), bytes, size, err), err);
}

bool psx_has_sprites(const struct anm_doc *anm, const struct anm_ref *ref)
{
    return psx_const(anm)->groups[ref->id[0]]->count > 0;
}

static struct psx_group *no_sprites(struct anm_error *err)
{
    struct psx_group *group = psx_group_new(0);
    if (!group)
        anm_fail_nomem(err);
    return group;
}

struct anm_doc *psx_remove_sprites(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_error *err)
{
    return with_group(psx_const(anm), ref->id[0], no_sprites(err), err);
}

/* --- the raw twin --- */

int psx_render_group_raw(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_buf *out,
                         struct anm_error *err)
{
    (void)err;
    psx_put_group(out, psx_const(anm), psx_const(anm)->groups[ref->id[0]]);
    return 0;
}

struct anm_doc *psx_write_group_raw(const struct anm_doc *anm, const struct anm_ref *dir, const char *name,
                                    const void *bytes, size_t size, struct anm_error *err)
{
    (void)dir;
    const struct psx_doc *doc = psx_const(anm);
    uint32_t i;
    if (psx_parse_number(name, 3, ".bin", &i, err))
        return NULL;
    if (i >= doc->group_count) {
        anm_fail(err, ANM_DENIED, "there is no group %s: mkdir frames/%03u makes one", name, i);
        return NULL;
    }
    return with_group(doc, i, psx_get_group(doc, bytes, size, err), err);
}
