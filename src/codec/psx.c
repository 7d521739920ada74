/* SPDX-License-Identifier: MIT */
/* Sprite animations (ANM) and sequences (TSQ): bytes to document and back (formats: PSX 1.1 to 1.7). */
#include "anm/psx_fields.h"
#include "psx_codec.h"

#include <stdlib.h>
#include <string.h>

enum {
    HEAD = 8,
    ENTRY = 8,
    SPRITE = 20,
    SPRITE_SQUARE = 16, /* without W and H */
    FLAGS = 0x0fff,     /* of header bytes 2..3: TPF and reserved bits; CLT lies above */
    RESERVED = 0x0ffc
};

/* One way through the file. Without a document it is only measured: what it gives is known before anything is allocated. */
struct walk {
    struct anm_cursor c;
    uint8_t version;
    bool fixed;     /* every sprite has five words */
    bool head_left; /* the bnum of a palette does not count its own head */
    bool sane;      /* sizes and bits are such as the editor writes */
    uint64_t sprites;
    struct psx_doc *doc;
};

static uint32_t square_of(const struct psx_sprite *sprite)
{
    return (uint32_t)psx_sprite_get(sprite, PSX_THW);
}

static bool is_sane(const struct psx_sprite *s, uint8_t version)
{
    int32_t w = psx_sprite_get(s, PSX_W), h = psx_sprite_get(s, PSX_H);
    bool size = square_of(s) || (w >= 1 && w <= 1024 && h >= 1 && h <= 512);
    return size && psx_sprite_get(s, PSX_TPF) != 3 && !psx_sprite_get(s, PSX_FLAG_9) &&
           (version < 2 || !psx_sprite_get(s, PSX_FLAG2_1));
}

static struct psx_sprite read_sprite(struct anm_cursor *c, bool fixed)
{
    struct psx_sprite s = {{anm_get_u32le(c, "sprite"), anm_get_u32le(c, "sprite")}};
    if (fixed || !square_of(&s))
        s.w[2] = anm_get_u32le(c, "width and height of a sprite");
    s.w[3] = anm_get_u32le(c, "angle of a sprite");
    s.w[4] = anm_get_u32le(c, "scale of a sprite");
    return s;
}

/* The sprites of one group; those of a walk that only measures are not kept. */
static int read_sprites(struct walk *w, struct psx_group *group, uint32_t count)
{
    for (uint32_t i = 0; i < count && !w->c.failed; i++) {
        struct psx_sprite sprite = read_sprite(&w->c, w->fixed);
        w->sane = w->sane && is_sane(&sprite, w->version);
        if (group)
            group->sprites[i] = sprite;
    }
    w->sprites += count;
    return w->c.failed ? -1 : 0;
}

/* The number of sprites of the group at the cursor: never more than there are bytes for. */
static int read_count(struct anm_cursor *c, bool fixed, uint32_t *count)
{
    size_t at = c->pos, smallest = fixed ? SPRITE : SPRITE_SQUARE;
    *count = anm_get_u32le(c, "number of sprites of a group");
    if (c->failed)
        return -1;
    if (*count <= anm_left(c) / smallest)
        return 0;
    c->failed = true;
    return anm_fail_at(c->err, at, "a group of %u sprites, but %zu bytes are left: a sprite takes %zu or more", *count,
                       anm_left(c), smallest);
}

static int read_group(struct walk *w)
{
    uint32_t count;
    if (read_count(&w->c, w->fixed, &count))
        return -1;
    struct psx_group *group = w->doc ? psx_group_new(count) : NULL;
    if (w->doc && !group)
        return anm_fail_nomem(w->c.err);
    if (group)
        w->doc->groups[w->doc->group_count++] = group;
    return read_sprites(w, group, count);
}

static void read_entries(struct anm_cursor *c, struct psx_sequence *sequence)
{
    for (uint32_t i = 0; i < sequence->count; i++) {
        sequence->entries[i].w[0] = anm_get_u32le(c, "sequence entry");
        sequence->entries[i].w[1] = anm_get_u32le(c, "sequence entry");
    }
}

static int read_sequence(struct walk *w, uint32_t count)
{
    if (!w->doc)
        return anm_get_bytes(&w->c, (size_t)count * ENTRY, "sequence") || !count ? 0 : -1;
    struct psx_sequence *sequence = psx_sequence_new(count);
    if (!sequence)
        return anm_fail_nomem(w->c.err);
    psx_set_sequence(w->doc, sequence);
    read_entries(&w->c, w->doc->sequence);
    return w->c.failed ? -1 : 0;
}

struct psx_block psx_read_head(struct anm_cursor *c)
{
    struct psx_block head = {.refs = 1, .placed = true};
    head.bnum = anm_get_u32le(c, "size of a block");
    head.x = anm_get_u16le(c, "place of a block");
    head.y = anm_get_u16le(c, "place of a block");
    head.w = anm_get_u16le(c, "width of a block");
    head.h = anm_get_u16le(c, "height of a block");
    return head;
}

struct psx_block *psx_read_data(struct anm_cursor *c, const struct psx_block *head, size_t size)
{
    const uint8_t *bytes = anm_get_bytes(c, size, "data of a block");
    struct psx_block *block = c->failed ? NULL : psx_block_new(head, bytes, size);
    if (!block && !c->failed)
        anm_fail_nomem(c->err);
    if (block)
        block->bnum = head->bnum;
    return block;
}

static int read_clut(struct walk *w)
{
    size_t at = w->c.pos, counted = w->head_left ? 0 : PSX_BLOCK_HEAD;
    struct psx_block head = psx_read_head(&w->c);
    if (w->c.failed)
        return -1;
    if (head.bnum < counted || head.bnum - counted > anm_left(&w->c))
        return anm_fail_at(w->c.err, at, "a palette of %u bytes, expected %d to %zu", head.bnum, PSX_BLOCK_HEAD,
                           anm_left(&w->c) + PSX_BLOCK_HEAD);
    if (!w->doc)
        return anm_get_bytes(&w->c, head.bnum - counted, "palette") || head.bnum == counted ? 0 : -1;
    struct psx_block *block = psx_read_data(&w->c, &head, head.bnum - counted);
    if (!block)
        return -1;
    w->doc->cluts[w->doc->clut_count++] = block;
    return 0;
}

/* The whole file but its tail; 0 or -1. */
static int walk(struct walk *w)
{
    struct anm_cursor *c = &w->c;
    anm_get_u16le(c, "ID and version");
    uint16_t bits = anm_get_u16le(c, "header");
    uint16_t groups = anm_get_u16le(c, "number of sprite groups");
    uint16_t entries = anm_get_u16le(c, "number of sequence entries");
    if (c->failed || read_sequence(w, entries))
        return -1;
    if (groups > anm_left(c) / 4)
        return anm_fail_at(c->err, 4, "%u sprite groups, but %zu bytes are left: a group takes 4 or more",
                           (unsigned)groups, anm_left(c));
    if (w->doc) {
        w->doc->flags = bits & FLAGS;
        w->doc->groups = anm_realloc(w->doc->groups, groups, sizeof(struct psx_group *));
        w->doc->cluts = anm_realloc(w->doc->cluts, bits >> 12, sizeof(struct psx_block *));
        if ((groups && !w->doc->groups) || (bits >> 12 && !w->doc->cluts))
            return anm_fail_nomem(c->err);
    }
    for (unsigned i = 0; i < groups; i++)
        if (read_group(w))
            return -1;
    for (unsigned i = 0; i < bits >> 12; i++)
        if (read_clut(w))
            return -1;
    return 0;
}

/* The ways a file may have been written, the likeliest first. */
static const struct {
    bool fixed, head_left;
} ways[] = {{false, false}, {true, false}, {false, true}, {true, true}};

#define WAYS (sizeof ways / sizeof ways[0])

static struct walk start(const uint8_t *bytes, size_t size, size_t way, struct anm_error *err)
{
    return (struct walk){.c = anm_cursor(bytes, size, err),
                         .version = bytes[1],
                         .fixed = ways[way].fixed,
                         .head_left = ways[way].head_left,
                         .sane = true};
}

/* The way that ends with the file, a sane one if there is; otherwise the first, with *left bytes behind it. -1 with `err` when that
 * does not lead through either. */
static int find_way(const uint8_t *bytes, size_t size, size_t *way, size_t *left, bool *sane, struct anm_error *err)
{
    struct anm_error ignored;
    size_t found = WAYS;
    bool found_sane = false;
    for (size_t i = 0; i < WAYS; i++) {
        struct walk w = start(bytes, size, i, &ignored);
        if (walk(&w) || anm_left(&w.c) || (found < WAYS && (found_sane || !w.sane)))
            continue;
        found = i;
        found_sane = w.sane;
    }
    *way = found < WAYS ? found : 0;
    struct walk w = start(bytes, size, *way, err);
    if (walk(&w))
        return -1;
    *left = anm_left(&w.c);
    *sane = w.sane && w.sprites > 0;
    return 0;
}

static bool is_anm(const uint8_t *bytes, size_t size)
{
    return size >= HEAD && bytes[0] == PSX_ID_ANM && bytes[1] <= 3;
}

/* The magic is weak, so the whole file has to make sense. Bytes behind the last part are let through when all before them is
 * sane and more. */
static bool psx_sniff(const uint8_t *bytes, size_t size)
{
    struct anm_error ignored;
    size_t way, left;
    bool sane;
    if (!is_anm(bytes, size) || ((bytes[2] | bytes[3] << 8) & RESERVED) ||
        find_way(bytes, size, &way, &left, &sane, &ignored))
        return false;
    return left == 0 || (sane && left < size - left);
}

static int keep_tail(struct anm_cursor *c, struct psx_doc *doc)
{
    size_t left = anm_left(c);
    const uint8_t *bytes = anm_get_bytes(c, left, "tail");
    if (left == 0)
        return 0;
    doc->tail = anm_blob_new(bytes, left);
    return doc->tail ? 0 : anm_fail_nomem(c->err);
}

static struct anm_doc *psx_decode(const uint8_t *bytes, size_t size, struct anm_error *err)
{
    size_t way, left;
    bool sane;
    if (!is_anm(bytes, size)) {
        anm_fail_at(err, 0, "expected a sprite animation: ID 0x21, version 0 to 3, %d bytes or more", HEAD);
        return NULL;
    }
    if (find_way(bytes, size, &way, &left, &sane, err))
        return NULL;
    ANM_AUTO(psx_clean) struct psx_doc *doc = psx_new(&anm_psx, bytes[1]);
    if (!doc) {
        anm_fail_nomem(err);
        return NULL;
    }
    struct walk w = start(bytes, size, way, err);
    w.doc = doc;
    doc->fixed = w.fixed;
    if (walk(&w) || keep_tail(&w.c, doc))
        return NULL;
    struct anm_doc *done = &doc->doc;
    doc = NULL;
    return done;
}

/* --- TSQ --- */

static bool is_tsq(const uint8_t *bytes, size_t size)
{
    return size >= 4 && bytes[0] == PSX_ID_TSQ && bytes[1] <= 1;
}

static bool tsq_sniff(const uint8_t *bytes, size_t size)
{
    return is_tsq(bytes, size) && size == 4 + (bytes[2] | (size_t)bytes[3] << 8) * ENTRY;
}

static struct anm_doc *tsq_decode(const uint8_t *bytes, size_t size, struct anm_error *err)
{
    struct anm_cursor c = anm_cursor(bytes, size, err);
    if (!is_tsq(bytes, size)) {
        anm_fail_at(err, 0, "expected a sequence: ID 0x24, version 0 or 1, 4 bytes or more");
        return NULL;
    }
    anm_get_u16le(&c, "ID and version");
    uint16_t count = anm_get_u16le(&c, "number of sequence entries");
    if (count > anm_left(&c) / ENTRY) {
        anm_fail_at(err, 2, "%u sequence entries, but %zu bytes are left", (unsigned)count, anm_left(&c));
        return NULL;
    }
    ANM_AUTO(psx_clean) struct psx_doc *doc = psx_new(&anm_tsq, bytes[1]);
    struct psx_sequence *sequence = doc ? psx_sequence_new(count) : NULL;
    if (!sequence) {
        anm_fail_nomem(err);
        return NULL;
    }
    psx_set_sequence(doc, sequence);
    read_entries(&c, doc->sequence);
    if (keep_tail(&c, doc))
        return NULL;
    struct anm_doc *done = &doc->doc;
    doc = NULL;
    return done;
}

/* --- encoding, and the parts by themselves --- */

static void put_sprite(struct anm_buf *out, const struct psx_sprite *sprite, bool fixed)
{
    for (unsigned i = 0; i < 5; i++)
        if (i != 2 || fixed || !square_of(sprite))
            anm_buf_u32le(out, sprite->w[i]);
}

void psx_put_group(struct anm_buf *out, const struct psx_doc *doc, const struct psx_group *group)
{
    anm_buf_u32le(out, group->count);
    for (uint32_t i = 0; i < group->count; i++)
        put_sprite(out, &group->sprites[i], doc->fixed);
}

void psx_put_sequence(struct anm_buf *out, const struct psx_sequence *sequence)
{
    for (uint32_t i = 0; i < sequence->count; i++) {
        anm_buf_u32le(out, sequence->entries[i].w[0]);
        anm_buf_u32le(out, sequence->entries[i].w[1]);
    }
}

void psx_put_block(struct anm_buf *out, const struct psx_block *block)
{
    anm_buf_u32le(out, block->bnum);
    anm_buf_u16le(out, block->x);
    anm_buf_u16le(out, block->y);
    anm_buf_u16le(out, block->w);
    anm_buf_u16le(out, block->h);
    anm_buf_put(out, block->data->bytes, block->data->size);
}

static void put_tail(struct anm_buf *out, const struct psx_doc *doc)
{
    if (doc->tail)
        anm_buf_put(out, doc->tail->bytes, doc->tail->size);
}

static int psx_encode(const struct anm_doc *anm, struct anm_buf *out, struct anm_error *err)
{
    const struct psx_doc *doc = psx_const(anm);
    anm_buf_u8(out, PSX_ID_ANM);
    anm_buf_u8(out, doc->version);
    anm_buf_u16le(out, (uint16_t)(doc->flags | doc->clut_count << 12));
    anm_buf_u16le(out, (uint16_t)doc->group_count);
    anm_buf_u16le(out, (uint16_t)doc->sequence->count);
    psx_put_sequence(out, doc->sequence);
    for (uint32_t i = 0; i < doc->group_count; i++)
        psx_put_group(out, doc, doc->groups[i]);
    for (uint32_t i = 0; i < doc->clut_count; i++)
        psx_put_block(out, doc->cluts[i]);
    put_tail(out, doc);
    return out->failed ? anm_fail_nomem(err) : 0;
}

static int tsq_encode(const struct anm_doc *anm, struct anm_buf *out, struct anm_error *err)
{
    const struct psx_doc *doc = psx_const(anm);
    anm_buf_u8(out, PSX_ID_TSQ);
    anm_buf_u8(out, doc->version);
    anm_buf_u16le(out, (uint16_t)doc->sequence->count);
    psx_put_sequence(out, doc->sequence);
    put_tail(out, doc);
    return out->failed ? anm_fail_nomem(err) : 0;
}

/* Nothing may be left of a part's bytes. */
static int want_end(const struct anm_cursor *c, const char *what)
{
    if (c->failed)
        return -1;
    return anm_left(c) ? anm_fail_at(c->err, c->pos, "%zu bytes after the end of %s", anm_left(c), what) : 0;
}

struct psx_group *psx_get_group(const struct psx_doc *doc, const void *bytes, size_t size, struct anm_error *err)
{
    struct walk w = {.c = anm_cursor(bytes, size, err), .fixed = doc->fixed};
    uint32_t count;
    if (read_count(&w.c, w.fixed, &count))
        return NULL;
    struct psx_group *group = psx_group_new(count);
    if (!group) {
        anm_fail_nomem(err);
        return NULL;
    }
    if (read_sprites(&w, group, count) == 0 && want_end(&w.c, "the group") == 0)
        return group;
    psx_group_unref(group);
    return NULL;
}

struct psx_sequence *psx_get_sequence(const void *bytes, size_t size, struct anm_error *err)
{
    struct anm_cursor c = anm_cursor(bytes, size, err);
    if (size % ENTRY || size / ENTRY > PSX_COUNT_MAX) {
        anm_fail_at(err, size, "expected entries of %d bytes, %d at most", ENTRY, PSX_COUNT_MAX);
        return NULL;
    }
    struct psx_sequence *sequence = psx_sequence_new((uint32_t)(size / ENTRY));
    if (sequence)
        read_entries(&c, sequence);
    else
        anm_fail_nomem(err);
    return sequence;
}

struct psx_block *psx_get_block(const void *bytes, size_t size, struct anm_error *err)
{
    struct anm_cursor c = anm_cursor(bytes, size, err);
    struct psx_block head = psx_read_head(&c);
    return c.failed ? NULL : psx_read_data(&c, &head, anm_left(&c));
}

const struct anm_format anm_psx = {.family = "psx",
                                   .suffix = {".anm"},
                                   .sniff = psx_sniff,
                                   .resembles = is_anm,
                                   .decode = psx_decode,
                                   .encode = psx_encode,
                                   .destroy = psx_destroy,
                                   .memory = psx_memory,
                                   .beside = ".tim",
                                   .uses = psx_uses,
                                   .with = psx_with};

const struct anm_format anm_tsq = {.family = "tsq",
                                   .suffix = {".tsq"},
                                   .sniff = tsq_sniff,
                                   .resembles = is_tsq,
                                   .decode = tsq_decode,
                                   .encode = tsq_encode,
                                   .destroy = psx_destroy,
                                   .memory = psx_memory,
                                   .with = psx_with};
