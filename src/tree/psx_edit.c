/* SPDX-License-Identifier: MIT */
/* Building documents; sprite groups and palettes made and removed. */
#include "psx_tree.h"

#include "anm/num.h"

#include <stdio.h>
#include <string.h>

/* --- the last step --- */

static int check_limits(const struct psx_doc *doc, struct anm_error *err)
{
    if (doc->group_count > PSX_COUNT_MAX)
        return anm_fail(err, ANM_LIMIT, "%u groups, and a file can have %d", doc->group_count, PSX_COUNT_MAX);
    if (doc->sequence && doc->sequence->count > PSX_COUNT_MAX)
        return anm_fail(err, ANM_LIMIT, "%u sequence entries, and a file can have %d", doc->sequence->count,
                        PSX_COUNT_MAX);
    if (!psx_is(doc, &anm_tim) && doc->clut_count > PSX_CLUTS_MAX)
        return anm_fail(err, ANM_LIMIT, "%u palettes, and a file can have %d", doc->clut_count, PSX_CLUTS_MAX);
    return 0;
}

static struct anm_doc *decoded(const struct anm_doc *doc, bool forced, struct anm_error *err)
{
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
    if (anm_doc_encode(doc, &bytes, err))
        return NULL;
    return anm_doc_decode(bytes.data, bytes.size, forced ? doc->format->family : NULL, err);
}

static bool has_sprites(const struct psx_doc *doc)
{
    for (uint32_t g = 0; g < doc->group_count; g++)
        if (doc->groups[g]->count)
            return true;
    return false;
}

/* Whether `back` is `doc` with palettes as a load finds them: each has a place; and in the layout that a load takes for granted as
 * long as there is no sprite. -1 when out of memory. */
static int same_but_placed(const struct psx_doc *doc, const struct psx_doc *back)
{
    if (doc->clut_count != back->clut_count || psx_doc_equal(doc, back))
        return doc->clut_count == back->clut_count;
    ANM_AUTO(psx_clean) struct psx_doc *copy = psx_copy(doc, 0, 0);
    if (!copy)
        return -1;
    if (!has_sprites(copy))
        copy->fixed = back->fixed;
    for (uint32_t i = 0; i < copy->clut_count; i++) {
        if (copy->cluts[i]->placed)
            continue;
        struct psx_block *block = psx_block_copy(copy->cluts[i]);
        if (!block)
            return -1;
        block->placed = true;
        psx_set_clut(copy, i, block);
    }
    return psx_doc_equal(copy, back);
}

/* The formats tell little of themselves: what is written must be recognised as what it is. */
static int check_read_back(const struct psx_doc *old, const struct psx_doc *doc, struct anm_error *err)
{
    struct anm_error why = {0};
    ANM_AUTO(anm_doc_clean) struct anm_doc *back = decoded(&doc->doc, false, &why);
    if (!back && why.reason != ANM_NOMEM) {
        ANM_AUTO(anm_doc_clean) struct anm_doc *before = decoded(&old->doc, false, &why);
        if (!before && why.reason != ANM_NOMEM) /* nor was it recognised until now */
            back = decoded(&doc->doc, true, &why);
    }
    int same = back && back->format == doc->doc.format ? same_but_placed(doc, psx_const(back)) : 0;
    if (same < 0 || (!back && why.reason == ANM_NOMEM))
        return anm_fail_nomem(err);
    return same ? 0
                : anm_fail(err, ANM_LIMIT, "the file would not be read back as it was written%s%s",
                           why.text[0] ? ": " : "", why.text);
}

struct anm_doc *psx_finish(const struct psx_doc *old, struct psx_doc **doc, struct anm_error *err)
{
    if (psx_doc_equal(old, *doc))
        return anm_doc_ref(&old->doc);
    if (check_limits(*doc, err) || check_read_back(old, *doc, err))
        return NULL;
    struct anm_doc *done = &(*doc)->doc;
    *doc = NULL;
    return done;
}

/* --- numbered directories --- */

int psx_parse_number(const char *name, unsigned digits, const char *suffix, uint32_t *number, struct anm_error *err)
{
    size_t size = strspn(name, "0123456789");
    char want[16];
    if (size == 0 || strcmp(name + size, suffix) != 0 || anm_u32_parse(name, size, PSX_COUNT_MAX, number) != ANM_NUM_OK)
        return anm_fail(err, ANM_NOENT, "there is no %s: names here are %0*u%s, %0*u%s …", name, (int)digits, 0u,
                        suffix, (int)digits, 1u, suffix);
    snprintf(want, sizeof want, "%0*u", (int)digits, *number);
    if (strlen(want) != size)
        return anm_fail(err, ANM_NAME, "%s is spelt %s%s", name, want, suffix);
    return 0;
}

/* Whether `name` is the number that comes next. */
static int is_next(const char *name, unsigned digits, const char *what, uint32_t count, struct anm_error *err)
{
    uint32_t number;
    if (psx_parse_number(name, digits, "", &number, err)) {
        if (err->reason == ANM_NOENT)
            err->reason = ANM_NAME;
        return -1;
    }
    if (number != count)
        return anm_fail(err, ANM_NAME, "%s are numbered without a gap: the next one is %0*u", what, (int)digits, count);
    return 0;
}

int psx_can_make_group(const struct anm_doc *anm, const struct anm_ref *dir, const char *name, struct anm_error *err)
{
    (void)dir;
    return is_next(name, 3, "groups", psx_const(anm)->group_count, err);
}

struct anm_doc *psx_mkdir_group(const struct anm_doc *anm, const struct anm_ref *dir, const char *name,
                                struct anm_error *err)
{
    const struct psx_doc *old = psx_const(anm);
    if (psx_can_make_group(anm, dir, name, err))
        return NULL;
    ANM_AUTO(psx_clean) struct psx_doc *doc = psx_copy(old, 1, 0);
    if (!doc || !(doc->groups[doc->group_count] = psx_group_new(0))) {
        anm_fail_nomem(err);
        return NULL;
    }
    doc->group_count++;
    return psx_finish(old, &doc, err);
}

/* The entries that show a group, as "1, 5 and 7"; none: "". */
static void list_entries(const struct psx_sequence *sequence, uint32_t group, char out[128])
{
    uint32_t found[6], count = 0;
    for (uint32_t i = 0; i < sequence->count; i++)
        if ((uint32_t)psx_entry_get(&sequence->entries[i], PSX_GROUP) == group) {
            if (count < 6)
                found[count] = i + 1;
            count++;
        }
    size_t size = 0;
    out[0] = 0;
    for (uint32_t i = 0; i < count && i < 6; i++) {
        const char *before = i == 0 ? "" : i + 1 == count ? " and " : ", ";
        size += (size_t)snprintf(out + size, 128 - size, "%s%u", before, found[i]);
    }
    if (count > 6)
        snprintf(out + size, 128 - size, " and %u more", count - 6);
}

static int can_remove_group(const struct psx_doc *doc, uint32_t i, struct anm_error *err)
{
    char entries[128];
    list_entries(doc->sequence, i, entries);
    if (*entries)
        return anm_fail(err, ANM_DENIED, "lines of sequences/000 show group %03u: %s", i, entries);
    if (i + 1 != doc->group_count)
        return anm_fail(err, ANM_DENIED, "only the last group, %03u, can go: others would get new numbers",
                        doc->group_count - 1);
    return doc->groups[i]->count ? anm_fail(err, ANM_NOTEMPTY, "group %03u has sprites", i) : 0;
}

struct anm_doc *psx_remove_group(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_error *err)
{
    const struct psx_doc *old = psx_const(anm);
    if (can_remove_group(old, ref->id[0], err))
        return NULL;
    ANM_AUTO(psx_clean) struct psx_doc *doc = psx_copy(old, 0, 0);
    if (!doc) {
        anm_fail_nomem(err);
        return NULL;
    }
    psx_group_unref(doc->groups[--doc->group_count]);
    return psx_finish(old, &doc, err);
}

/* --- palettes --- */

int psx_can_make_clut(const struct anm_doc *anm, const struct anm_ref *dir, const char *name, struct anm_error *err)
{
    (void)dir;
    const struct psx_doc *doc = psx_const(anm);
    if (psx_is(doc, &anm_tim))
        return anm_fail(err, ANM_DENIED, "an image has the palette it was made with: none can be added");
    if (doc->clut_count >= PSX_CLUTS_MAX)
        return anm_fail(err, ANM_DENIED, "a file has %d palettes at most", PSX_CLUTS_MAX);
    return is_next(name, 2, "palettes", doc->clut_count, err);
}

struct anm_doc *psx_mkdir_clut(const struct anm_doc *anm, const struct anm_ref *dir, const char *name,
                               struct anm_error *err)
{
    const struct psx_doc *old = psx_const(anm);
    if (psx_can_make_clut(anm, dir, name, err))
        return NULL;
    ANM_AUTO(psx_clean) struct psx_doc *doc = psx_copy(old, 0, 1);
    if (!doc || !(doc->cluts[doc->clut_count] = psx_block_new(NULL, "", 0))) {
        anm_fail_nomem(err);
        return NULL;
    }
    doc->clut_count++;
    return psx_finish(old, &doc, err);
}

struct anm_doc *psx_remove_clut(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_error *err)
{
    const struct psx_doc *old = psx_const(anm);
    uint32_t i = ref->id[0];
    if (psx_is(old, &anm_tim))
        anm_fail(err, ANM_DENIED, "the palette of an image cannot go");
    else if (i + 1 != old->clut_count)
        anm_fail(err, ANM_DENIED, "only the last palette, %02u, can go: others would get new numbers",
                 old->clut_count - 1);
    else if (old->cluts[i]->placed || old->cluts[i]->data->size)
        anm_fail(err, ANM_NOTEMPTY, "palette %02u has a place or colours", i);
    else {
        ANM_AUTO(psx_clean) struct psx_doc *doc = psx_copy(old, 0, 0);
        if (doc) {
            psx_block_unref(doc->cluts[--doc->clut_count]);
            return psx_finish(old, &doc, err);
        }
        anm_fail_nomem(err);
    }
    return NULL;
}
