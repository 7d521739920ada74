/* SPDX-License-Identifier: MIT */
/* `header` of ANM and TSQ: what belongs to the whole file, and what is unusual and has no other place (formats: PSX 1.2). */
#include "psx_tree.h"

#include <string.h>

enum { TPF = 3, RESERVED = 0x0fff };

static const char *const depths[] = {"4", "8", "reserved-2", "reserved-3"};

static bool has_depth(const struct psx_doc *doc)
{
    return psx_is(doc, &anm_psx) && doc->version >= 2;
}

/* The reserved bits of the header: before version 2 with those of TPF. */
static unsigned reserved(const struct psx_doc *doc)
{
    return has_depth(doc) ? doc->flags & ~(unsigned)TPF : doc->flags;
}

bool psx_has_header(const struct anm_doc *anm, const struct anm_ref *ref)
{
    (void)ref;
    const struct psx_doc *doc = psx_const(anm);
    return has_depth(doc) || doc->fixed || reserved(doc) || doc->tail;
}

int psx_render_header(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_buf *out, struct anm_error *err)
{
    (void)ref, (void)err;
    const struct psx_doc *doc = psx_const(anm);
    if (has_depth(doc))
        anm_buf_printf(out, "depth %s\n", depths[doc->flags & TPF]);
    if (doc->fixed)
        anm_buf_puts(out, "layout fixed\n");
    if (reserved(doc))
        anm_buf_printf(out, "reserved 0x%03x\n", reserved(doc));
    if (doc->tail) {
        anm_buf_puts(out, "tail ");
        anm_put_hex(out, doc->tail->bytes, doc->tail->size);
        anm_buf_putc(out, '\n');
    }
    return 0;
}

/* What the text asks for. */
struct head {
    const struct psx_doc *doc;
    struct anm_lines lines;
    unsigned depth;
    uint32_t reserved;
    bool fixed;
    struct anm_buf tail;
    unsigned seen; /* bit per word */
};

static void head_free(struct head *head)
{
    anm_buf_free(&head->tail);
}

static int read_depth(struct head *h)
{
    if (!has_depth(h->doc))
        return anm_lines_fail(&h->lines, 0, "depth (TPF) is in the header of an ANM since version 2");
    for (h->depth = 0; h->depth < 4; h->depth++)
        if (anm_lines_is(&h->lines, 1, depths[h->depth]))
            return anm_lines_want(&h->lines, 2, "depth and 4 or 8");
    return anm_lines_expect(&h->lines, 1, "depth 4 or 8 (or reserved-2, reserved-3)");
}

static int read_reserved(struct head *h)
{
    unsigned mask = has_depth(h->doc) ? RESERVED & ~TPF : RESERVED;
    if (anm_lines_u32(&h->lines, 1, "reserved bits", RESERVED, &h->reserved))
        return -1;
    if (h->reserved & ~mask)
        return anm_lines_fail(&h->lines, 1, "the reserved bits are 0x%03x", mask);
    return anm_lines_want(&h->lines, 2, "reserved and the bits");
}

static int read_layout(struct head *h)
{
    h->fixed = anm_lines_is(&h->lines, 1, "fixed");
    if (!h->fixed && !anm_lines_is(&h->lines, 1, "compact"))
        return anm_lines_expect(&h->lines, 1, "layout compact or fixed");
    return anm_lines_want(&h->lines, 2, "layout compact or fixed");
}

static int read_line(struct head *h)
{
    static const char *const words[] = {"depth", "layout", "reserved", "tail"};
    enum { DEPTH, LAYOUT, RESERVED_BITS, TAIL, UNKNOWN };
    unsigned word = psx_is(h->doc, &anm_psx) ? DEPTH : TAIL;
    while (word < UNKNOWN && !anm_lines_is(&h->lines, 0, words[word]))
        word++;
    if (word == UNKNOWN)
        return anm_lines_expect(&h->lines, 0, "%s",
                                psx_is(h->doc, &anm_psx) ? "depth, layout, reserved or tail" : "tail");
    if (h->seen & 1u << word)
        return anm_lines_fail(&h->lines, 0, "a second line %s", words[word]);
    h->seen |= 1u << word;
    switch (word) {
    case DEPTH:
        return read_depth(h);
    case LAYOUT:
        return read_layout(h);
    case RESERVED_BITS:
        return read_reserved(h);
    default:
        return anm_lines_hex(&h->lines, 1, &h->tail) ? -1 : anm_lines_want(&h->lines, 2, "tail and its bytes in hex");
    }
}

static int read_head(struct head *h, const void *bytes, size_t size, struct anm_error *err)
{
    int more;
    anm_lines_start(&h->lines, bytes, size, err);
    while ((more = anm_lines_next(&h->lines)) == 1)
        if (read_line(h))
            return -1;
    if (!more && has_depth(h->doc) && !(h->seen & 1))
        return anm_fail_line(err, 1, 1, "expected a line depth 4 or depth 8");
    return more;
}

/* A square sprite's own width and height come or go with the layout. */
static int lay_out(const struct psx_doc *doc, struct psx_group *group, bool fixed, struct anm_error *err)
{
    for (uint32_t i = 0; i < group->count; i++) {
        struct psx_sprite *s = &group->sprites[i];
        uint32_t side = 8 * (uint32_t)psx_sprite_get(s, PSX_THW), size = side | side << 16;
        if (side && doc->fixed && !fixed && s->w[2] != size)
            return anm_fail(err, ANM_LOSS,
                            "layout compact: a sprite has square=%u and also size=%ux%u, which would be lost", side,
                            s->w[2] & 0xffff, s->w[2] >> 16);
        if (side)
            s->w[2] = fixed ? size : 0;
    }
    return 0;
}

static int set_layout(struct psx_doc *doc, bool fixed, struct anm_error *err)
{
    for (uint32_t g = 0; g < doc->group_count; g++) {
        const struct psx_group *old = doc->groups[g];
        struct psx_group *group = psx_group_new(old->count);
        if (!group)
            return anm_fail_nomem(err);
        memcpy(group->sprites, old->sprites, old->count * sizeof old->sprites[0]);
        if (lay_out(doc, group, fixed, err)) {
            psx_group_unref(group);
            return -1;
        }
        psx_set_group(doc, g, group);
    }
    doc->fixed = fixed;
    return 0;
}

struct anm_doc *psx_write_header(const struct anm_doc *anm, const struct anm_ref *dir, const char *name,
                                 const void *bytes, size_t size, struct anm_error *err)
{
    (void)dir, (void)name;
    const struct psx_doc *old = psx_const(anm);
    ANM_AUTO(head_free) struct head head = {.doc = old};
    if (read_head(&head, bytes, size, err))
        return NULL;
    ANM_AUTO(psx_clean) struct psx_doc *doc = psx_copy(old, 0, 0);
    struct anm_blob *tail = doc && head.tail.size ? anm_blob_new(head.tail.data, head.tail.size) : NULL;
    if (!doc || (head.tail.size && !tail)) {
        anm_fail_nomem(err);
        return NULL;
    }
    anm_blob_unref(doc->tail);
    doc->tail = tail;
    doc->flags = (uint16_t)(head.depth | head.reserved);
    if (head.fixed != doc->fixed && set_layout(doc, head.fixed, err))
        return NULL;
    return psx_finish(old, &doc, err);
}
