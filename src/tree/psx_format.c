/* SPDX-License-Identifier: MIT */
/* `format`: the version, and what would be lost by another one (formats: PSX 1.6). */
#include "psx_tree.h"

#include <string.h>

/* --- versions of ANM and TSQ --- */

int psx_render_format(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_buf *out, struct anm_error *err)
{
    (void)ref, (void)err;
    anm_buf_printf(out, "%s %u\n", anm->format->family, (unsigned)psx_const(anm)->version);
    return 0;
}

/* Reads "FAMILY VERSION [lossy]". */
static int read_wish(const struct psx_doc *doc, const void *bytes, size_t size, uint32_t *version, bool *lossy,
                     struct anm_error *err)
{
    const char *family = doc->doc.format->family;
    struct anm_lines lines;
    anm_lines_start(&lines, bytes, size, err);
    int more = anm_lines_next(&lines);
    if (more < 0)
        return -1;
    if (more == 0)
        return anm_fail_line(err, 1, 1, "expected the format, as %s %u", family, (unsigned)doc->version);
    if (!anm_lines_is(&lines, 0, family))
        return anm_lines_expect(&lines, 0, "%s (a file can be converted within its family only)", family);
    if (anm_lines_u32(&lines, 1, psx_is(doc, &anm_tsq) ? "a version, 0 or 1" : "a version, 0 to 3",
                      psx_is(doc, &anm_tsq) ? 1 : 3, version))
        return -1;
    *lossy = anm_lines_is(&lines, 2, "lossy");
    if (lines.count > 3 || (lines.count == 3 && !*lossy))
        return anm_lines_fail(&lines, 2, "expected: %s VERSION [lossy]", family);
    more = anm_lines_next(&lines);
    return more == 1 ? anm_lines_expect(&lines, 0, "one line") : more;
}

/* A group of bits that means something from a version on. */
struct meaning {
    const char *what; /* "sprites with ABE (blend)" */
    unsigned since;
    uint32_t word, mask;
};

static const struct meaning of_sprites[] = {
    {"sprites with ABE (blend)", 3, 1, 0x00008000},
    {"sprites with a CSN (set)", 2, 3, 0x3f000000},
    {"sprites with a BNO (bank)", 2, 3, 0xc0000000},
};
static const struct meaning of_entries[] = {{"sequence entries with an ATTR (attr)", 3, 0, 0xf0000000}};

/* Whether the meaning comes or goes between two versions. */
static bool crosses(const struct meaning *m, unsigned from, unsigned to)
{
    return (from >= m->since) != (to >= m->since);
}

/* Counts the records that have these bits, and clears them. */
static uint32_t clear_sprites(struct psx_doc *doc, const struct meaning *m, struct anm_error *err, bool *failed)
{
    uint32_t count = 0;
    for (uint32_t g = 0; g < doc->group_count; g++) {
        struct psx_group *group = psx_group_new(doc->groups[g]->count);
        if (!group) {
            anm_fail_nomem(err);
            *failed = true;
            return 0;
        }
        for (uint32_t i = 0; i < group->count; i++) {
            group->sprites[i] = doc->groups[g]->sprites[i];
            count += (group->sprites[i].w[m->word] & m->mask) != 0;
            group->sprites[i].w[m->word] &= ~m->mask;
        }
        psx_set_group(doc, g, group);
    }
    return count;
}

static uint32_t clear_entries(struct psx_doc *doc, const struct meaning *m, struct anm_error *err, bool *failed)
{
    uint32_t count = 0;
    struct psx_sequence *sequence = psx_sequence_new(doc->sequence->count);
    if (!sequence) {
        anm_fail_nomem(err);
        *failed = true;
        return 0;
    }
    for (uint32_t i = 0; i < sequence->count; i++) {
        sequence->entries[i] = doc->sequence->entries[i];
        count += (sequence->entries[i].w[m->word] & m->mask) != 0;
        sequence->entries[i].w[m->word] &= ~m->mask;
    }
    psx_set_sequence(doc, sequence);
    return count;
}

/* Notes a loss, or bits that would get a meaning. */
static void tell(const struct psx_doc *doc, struct anm_error *losses, uint32_t count, const struct meaning *m,
                 unsigned to)
{
    unsigned since = psx_is(doc, &anm_tsq) ? 1 : m->since;
    if (count == 0)
        return;
    losses->reason = ANM_LOSS;
    if (to < m->since)
        anm_error_add(losses, "%u %s: there is none before version %u", count, m->what, since);
    else
        anm_error_add(losses, "%u %s: the bits had no meaning before version %u", count, m->what, since);
}

/* Makes `doc`, still of the old version, what the new one can hold. -1 only when out of memory. */
static int convert(struct psx_doc *doc, unsigned from, unsigned to, struct anm_error *losses, struct anm_error *err)
{
    bool failed = false;
    for (size_t i = 0; i < sizeof of_sprites / sizeof *of_sprites && !failed; i++)
        if (crosses(&of_sprites[i], from, to))
            tell(doc, losses, clear_sprites(doc, &of_sprites[i], err, &failed), &of_sprites[i], to);
    for (size_t i = 0; i < sizeof of_entries / sizeof *of_entries && !failed; i++)
        if (crosses(&of_entries[i], from, to))
            tell(doc, losses, clear_entries(doc, &of_entries[i], err, &failed), &of_entries[i], to);
    const struct meaning depth = {"header with a depth (TPF)", 2, 0, 3};
    if (crosses(&depth, from, to)) {
        tell(doc, losses, (doc->flags & depth.mask) != 0, &depth, to);
        doc->flags &= (uint16_t)~depth.mask;
    }
    return failed ? -1 : 0;
}

struct anm_doc *psx_write_format(const struct anm_doc *anm, const struct anm_ref *dir, const char *name,
                                 const void *bytes, size_t size, struct anm_error *err)
{
    (void)dir, (void)name;
    const struct psx_doc *old = psx_const(anm);
    struct anm_error losses = {0};
    uint32_t version = 0;
    bool lossy = false;
    if (read_wish(old, bytes, size, &version, &lossy, err))
        return NULL;
    ANM_AUTO(psx_clean) struct psx_doc *doc = psx_copy(old, 0, 0);
    if (!doc) {
        anm_fail_nomem(err);
        return NULL;
    }
    doc->version = (uint8_t)version;
    if (convert(doc, psx_entry_version(old), psx_entry_version(doc), &losses, err))
        return NULL;
    if (losses.reason && !lossy) {
        anm_error_add(&losses, "not converted: \"lossy\" at the end of the line accepts that");
        *err = losses;
        return NULL;
    }
    return psx_finish(old, &doc, err);
}

static struct anm_doc *blank(const struct anm_format *format, const void *bytes, size_t size, struct anm_error *err)
{
    ANM_AUTO(psx_clean) struct psx_doc *doc = psx_new(format, 0);
    if (!doc) {
        anm_fail_nomem(err);
        return NULL;
    }
    return psx_write_format(&doc->doc, NULL, "format", bytes, size, err);
}

struct anm_doc *psx_blank(const void *bytes, size_t size, struct anm_error *err)
{
    return blank(&anm_psx, bytes, size, err);
}

struct anm_doc *tsq_blank(const void *bytes, size_t size, struct anm_error *err)
{
    return blank(&anm_tsq, bytes, size, err);
}

/* --- TIM --- */

static const char *depth_of(const struct psx_image *image)
{
    static const char *const words[] = {"4", "8", "16", "24", "mixed", "8"};
    return words[image->flag & PSX_PMODE];
}

int tim_render_format(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_buf *out, struct anm_error *err)
{
    (void)ref, (void)err;
    anm_buf_printf(out, "tim %s\n", depth_of(&psx_const(anm)->images[0]));
    return 0;
}

struct anm_doc *tim_write_format(const struct anm_doc *anm, const struct anm_ref *dir, const char *name,
                                 const void *bytes, size_t size, struct anm_error *err)
{
    (void)dir, (void)name;
    struct anm_lines lines;
    const char *depth = depth_of(&psx_const(anm)->images[0]);
    anm_lines_start(&lines, bytes, size, err);
    int more = anm_lines_next(&lines);
    if (more == 1 && lines.count == 2 && anm_lines_is(&lines, 0, "tim") && anm_lines_is(&lines, 1, depth))
        more = anm_lines_next(&lines) ? 1 : 2;
    if (more == 2)
        return anm_doc_ref(anm);
    if (more >= 0)
        anm_fail_line(err, 1, 1, "expected tim %s: the depth is that of the pixels and cannot be changed here", depth);
    return NULL;
}
