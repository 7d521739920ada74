/* SPDX-License-Identifier: MIT */
/* sequences/000: one line an entry, in order (formats: PSX 1.3). */
#include "psx_tree.h"

#include <string.h>

/* --- out --- */

/* The unused bits: with those of ATTR where the version has none. */
static uint32_t unused_bits(const struct psx_entry *entry, unsigned version)
{
    uint32_t bits = entry->w[0] >> 24;
    return version >= 3 ? bits & 0x0f : bits;
}

static void put_entry(struct anm_buf *out, const struct psx_entry *entry, unsigned version)
{
    static const uint8_t order[] = {PSX_GROUP, PSX_TIME, PSX_ATTR, PSX_X, PSX_Y};
    for (size_t i = 0; i < sizeof order; i++)
        if (psx_entry_fields[order[i]].since <= version)
            psx_line_put(out, psx_entry_fields, PSX_ENTRY_FIELDS, order[i], entry->w);
    if (unused_bits(entry, version))
        anm_buf_printf(out, " unused=0x%x", unused_bits(entry, version));
    anm_buf_putc(out, '\n');
}

int psx_render_sequence(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_buf *out,
                        struct anm_error *err)
{
    (void)ref, (void)err;
    const struct psx_doc *doc = psx_const(anm);
    for (uint32_t i = 0; i < doc->sequence->count; i++)
        put_entry(out, &doc->sequence->entries[i], psx_entry_version(doc));
    return 0;
}

/* --- in --- */

static int special(struct psx_line *line, const struct anm_token *key, const struct anm_token *value)
{
    static const struct anm_field all = {"unused bits", "unused", "", 0, 24, 8, false, 0, ANM_FORM_HEX, 1};
    char why[128];
    int32_t bits;
    if (line->version >= 3 || key->size != 6 || memcmp(key->text, "unused", 6) != 0)
        return 0;
    if (anm_field_parse(&all, value->text, value->size, &bits, why))
        return psx_line_fail(line, value->column, "unused: %s", why);
    anm_field_set(&all, line->words, bits);
    return psx_line_give(line, PSX_UNUSED, value->column) ? -1 : 1;
}

/* What an entry is checked against. */
struct context {
    const struct psx_doc *doc;
    uint8_t named[(PSX_COUNT_MAX + 1) / 8]; /* bit per group number: the old sequence has it */
};

static void note_named(struct context *context, const struct psx_sequence *sequence)
{
    for (uint32_t i = 0; i < sequence->count; i++) {
        uint32_t group = (uint32_t)psx_entry_get(&sequence->entries[i], PSX_GROUP);
        context->named[group / 8] |= (uint8_t)(1u << group % 8);
    }
}

static int check_entry(const struct psx_line *line, const struct context *context, const struct psx_entry *entry)
{
    static const uint8_t needed[] = {PSX_GROUP, PSX_TIME, PSX_X, PSX_Y};
    uint32_t group = (uint32_t)psx_entry_get(entry, PSX_GROUP), count = context->doc->group_count;
    for (size_t i = 0; i < sizeof needed; i++)
        if (!psx_line_has(line, needed[i]))
            return psx_line_fail(line, 1, "expected %s=: an entry needs group, time, x, y",
                                 psx_entry_fields[needed[i]].key);
    if (line->tsq || group < count || context->named[group / 8] >> group % 8 & 1)
        return 0;
    return psx_line_fail(line, 1, "there is no group %u: the file has %u, numbered from 0", group, count);
}

static int read_entry(struct anm_lines *lines, const struct context *context, struct psx_entry *entry)
{
    const struct psx_doc *doc = context->doc;
    struct psx_line line = {.fields = psx_entry_fields,
                            .count = PSX_ENTRY_FIELDS,
                            .version = psx_entry_version(doc),
                            .tsq = psx_is(doc, &anm_tsq),
                            .err = lines->err};
    if (psx_line_read(lines, 0, &line, special))
        return -1;
    *entry = (struct psx_entry){{line.words[0], line.words[1]}};
    return check_entry(&line, context, entry);
}

/* Appends every line's entry to `out`. */
static int read_entries(const struct psx_doc *doc, const void *bytes, size_t size, struct anm_buf *out,
                        struct anm_error *err)
{
    struct context context = {.doc = doc};
    struct anm_lines lines;
    int more;
    note_named(&context, doc->sequence);
    anm_lines_start(&lines, bytes, size, err);
    while ((more = anm_lines_next(&lines)) == 1) {
        struct psx_entry entry;
        if (read_entry(&lines, &context, &entry))
            return -1;
        anm_buf_put(out, &entry, sizeof entry);
    }
    return more;
}

static struct psx_sequence *read_sequence(const struct psx_doc *doc, const void *bytes, size_t size,
                                          struct anm_error *err)
{
    ANM_AUTO(anm_buf_free) struct anm_buf entries = {0};
    if (read_entries(doc, bytes, size, &entries, err))
        return NULL;
    struct psx_sequence *sequence =
        entries.failed ? NULL : psx_sequence_new((uint32_t)(entries.size / sizeof(struct psx_entry)));
    if (!sequence)
        anm_fail_nomem(err);
    else if (entries.size)
        memcpy(sequence->entries, entries.data, entries.size);
    return sequence;
}

/* The document with `sequence` (taken over; NULL: an error was described). */
static struct anm_doc *with_sequence(const struct psx_doc *old, struct psx_sequence *sequence, struct anm_error *err)
{
    ANM_AUTO(psx_clean) struct psx_doc *doc = sequence ? psx_copy(old, 0, 0) : NULL;
    if (doc) {
        psx_set_sequence(doc, sequence);
        return psx_finish(old, &doc, err);
    }
    if (sequence)
        anm_fail_nomem(err);
    psx_sequence_unref(sequence);
    return NULL;
}

struct anm_doc *psx_write_sequence(const struct anm_doc *anm, const struct anm_ref *dir, const char *name,
                                   const void *bytes, size_t size, struct anm_error *err)
{
    (void)dir, (void)name;
    return with_sequence(psx_const(anm), read_sequence(psx_const(anm), bytes, size, err), err);
}

bool psx_has_sequence(const struct anm_doc *anm, const struct anm_ref *ref)
{
    (void)ref;
    return psx_const(anm)->sequence->count > 0;
}

struct anm_doc *psx_remove_sequence(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_error *err)
{
    (void)ref;
    struct psx_sequence *none = psx_sequence_new(0);
    if (!none)
        anm_fail_nomem(err);
    return with_sequence(psx_const(anm), none, err);
}

/* --- the raw twin --- */

int psx_render_sequence_raw(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_buf *out,
                            struct anm_error *err)
{
    (void)ref, (void)err;
    psx_put_sequence(out, psx_const(anm)->sequence);
    return 0;
}

struct anm_doc *psx_write_sequence_raw(const struct anm_doc *anm, const struct anm_ref *dir, const char *name,
                                       const void *bytes, size_t size, struct anm_error *err)
{
    (void)dir, (void)name;
    return with_sequence(psx_const(anm), psx_get_sequence(bytes, size, err), err);
}
