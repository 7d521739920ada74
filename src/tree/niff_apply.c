/* SPDX-License-Identifier: MIT */
/* Key texts applied: lines become keys, keys become records. */
#include "niff_tree.h"

#include <stdlib.h>
#include <string.h>

/* The keys that a text gives. */
struct drafts {
    struct niff_item *items;
    uint32_t count;
    struct anm_buf made; /* their bytes */
};

static void drafts_free(struct drafts *drafts)
{
    free(drafts->items);
    anm_buf_free(&drafts->made);
}

static unsigned lane_of(const struct niff_line *line)
{
    return line->word < NIFF_W_CHANNEL ? NIFF_LANE_ANIM : NIFF_LANE_CHANNEL + line->word - NIFF_W_CHANNEL;
}

static int compare_keys(const struct niff_line *a, const struct niff_line *b)
{
    unsigned x = lane_of(a), y = lane_of(b);
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (x != y)
        return x < y ? -1 : 1;
    if (a->frame != b->frame)
        return a->frame < b->frame ? -1 : 1;
    return (a->ordinal > b->ordinal) - (a->ordinal < b->ordinal);
}

static int compare_lines(const void *left, const void *right)
{
    const struct niff_line *a = left, *b = right;
    int order = compare_keys(a, b);
    return order ? order : (a->line > b->line) - (a->line < b->line);
}

/* --- one Anim out of its lines --- */

/* Fails at a line. */
static int fail_at(const struct niff_line *line, struct anm_error *err, const char *what, const char *type)
{
    return anm_fail_line(err, line->line, line->column, "%s of frame %u: %s%s", niff_word_text(line->word), line->frame,
                         what, type);
}

/* Checks that the lines are those of an Anim of the type: all that it needs, none that it cannot have. */
static int check_words(const struct niff_line *lines, uint32_t count, uint32_t type, unsigned seen,
                       struct anm_error *err)
{
    uint32_t tag = niff_anim_tag(type);
    enum niff_layout layout = niff_anim_layout(tag);
    const char *word = niff_type_word(type);
    for (uint32_t i = 0; i < count; i++)
        if (!tag || !niff_fields[lines[i].word].place[layout])
            return fail_at(&lines[i], err, "not in an Anim of a group of type ", word ? word : "unknown");
    for (unsigned w = 0; w < NIFF_FIELDS; w++)
        if (niff_fields[w].place[layout] && !niff_fields[w].optional && !(seen & 1u << w))
            return anm_fail_line(err, lines->line, lines->column, "frame %u: %s is missing; an Anim of type %s is %s",
                                 lines->frame, niff_fields[w].name, word,
                                 layout == NIFF_LOOKING ? "lookat and upper"
                                 : layout == NIFF_KEYED ? "translate, rotate, scale and interpolation"
                                                        : "translate, rotate and scale");
    return 0;
}

static int make_raw(const struct niff_text *t, const struct niff_line *lines, uint32_t count, struct niff_item *item,
                    struct anm_buf *out, struct anm_error *err)
{
    if (count > 1)
        return fail_at(&lines[1], err, "a raw Anim has no other line", "");
    item->entry.raw = true;
    item->entry.size = (uint32_t)(12 + lines->raw_size);
    anm_buf_u32be(out, lines->v[0]);
    anm_buf_u32be(out, 0);
    anm_buf_u32be(out, item->entry.size);
    if (lines->raw_size)
        anm_buf_put(out, t->raw.data + lines->raw, lines->raw_size);
    return 0;
}

static int make_anim(const struct niff_text *t, const struct niff_line *lines, uint32_t count, struct niff_item *item,
                     struct anm_buf *out, struct anm_error *err)
{
    uint32_t type = niff_group_word(t->doc, lines->group, NIFF_G_TYPE), tag = niff_anim_tag(type);
    uint32_t words[16] = {0};
    unsigned seen = 0;
    for (uint32_t i = 0; i < count; i++)
        seen |= 1u << lines[i].word;
    if (seen & 1u << NIFF_W_RAW)
        return make_raw(t, lines, count, item, out, err);
    if (check_words(lines, count, type, seen, err))
        return -1;
    for (uint32_t i = 0; i < count; i++) {
        const struct niff_field *field = &niff_fields[lines[i].word];
        memcpy(words + field->place[niff_anim_layout(tag)], lines[i].v, field->words * sizeof *words);
    }
    item->next_kept = seen & 1u << NIFF_FIELD_NEXT;
    item->entry.size = (uint32_t)niff_anim_size(tag);
    words[0] = tag;
    words[2] = item->entry.size;
    for (size_t i = 0; i < item->entry.size / 4; i++)
        anm_buf_u32be(out, words[i]);
    return 0;
}

static void make_channel(const struct niff_line *line, struct niff_item *item, struct anm_buf *out)
{
    size_t words = niff_channel_words(line->word - NIFF_W_CHANNEL);
    item->entry.size = (uint32_t)(4 * words);
    for (size_t i = 0; i < words; i++)
        anm_buf_u32be(out, line->v[i]); /* the frame comes with the record */
}

/* --- all keys of a text --- */

static int make_item(const struct niff_text *t, const struct niff_line *lines, uint32_t count, struct drafts *drafts,
                     struct anm_error *err)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (lines[i].word == lines[k].word)
                return anm_fail_line(err, lines[i].line, lines[i].column,
                                     "%s of frame %u stands in line %u already; a second key there is %s~2",
                                     niff_word_text(lines[i].word), lines[i].frame, lines[k].line,
                                     niff_word_text(lines[i].word));
    struct niff_item *item = &drafts->items[drafts->count++];
    *item = (struct niff_item){.entry = {.group = lines->group,
                                         .frame = lines->frame,
                                         .ordinal = lines->ordinal,
                                         .lane = (uint8_t)lane_of(lines)},
                               .line = lines->line,
                               .column = lines->column,
                               .order = lines->line,
                               .made = drafts->made.size};
    if (item->entry.lane == NIFF_LANE_ANIM)
        return make_anim(t, lines, count, item, &drafts->made, err);
    make_channel(lines, item, &drafts->made);
    return 0;
}

static int make_items(struct niff_text *t, struct drafts *drafts, struct anm_error *err)
{
    drafts->items = anm_alloc(0, t->count, sizeof *drafts->items);
    if (!drafts->items)
        return anm_fail_nomem(err);
    if (t->count)
        qsort(t->at, t->count, sizeof *t->at, compare_lines);
    for (uint32_t i = 0, end; i < t->count; i = end) {
        end = i + 1;
        while (end < t->count && compare_keys(&t->at[i], &t->at[end]) == 0)
            end++;
        if (make_item(t, &t->at[i], end - i, drafts, err))
            return -1;
    }
    if (drafts->made.failed)
        return anm_fail_nomem(err);
    for (uint32_t i = 0; i < drafts->count; i++)
        drafts->items[i].entry.bytes = drafts->made.data + drafts->items[i].made;
    return 0;
}

/* --- into the groups --- */

static const struct niff_item *find_draft(const struct niff_item *drafts, uint32_t count,
                                          const struct niff_entry *entry)
{
    for (uint32_t i = 0; i < count; i++)
        if (drafts[i].entry.lane == entry->lane && drafts[i].entry.ordinal == entry->ordinal)
            return &drafts[i];
    return NULL;
}

/* The keys of a group when those at one frame are replaced by the drafts: one that was there keeps its place. */
static struct niff_item *merge(const struct niff_doc *doc, uint32_t group, uint32_t frame,
                               const struct niff_item *drafts, uint32_t draft_count, uint32_t *count,
                               struct anm_error *err)
{
    uint32_t old_count, kept = 0;
    ANM_AUTO(anm_freep) struct niff_item *old = niff_items_of(doc, group, &old_count, err);
    ANM_AUTO(anm_freep) bool *used = anm_alloc(0, draft_count, sizeof *used);
    struct niff_item *all = old && used ? anm_alloc(0, (size_t)old_count + draft_count, sizeof *all) : NULL;
    if (!all)
        return anm_fail_nomem(err), NULL;
    for (uint32_t i = 0; i < old_count; i++) {
        const struct niff_item *draft =
            old[i].entry.frame == frame ? find_draft(drafts, draft_count, &old[i].entry) : NULL;
        if (old[i].entry.frame == frame && !draft)
            continue;
        all[kept] = draft ? *draft : old[i];
        all[kept++].order = i;
        if (draft)
            used[draft - drafts] = true;
    }
    for (uint32_t i = 0; i < draft_count; i++)
        if (!used[i]) {
            all[kept] = drafts[i];
            all[kept++].order += old_count; /* behind all */
        }
    *count = kept;
    return all;
}

/* The drafts of one group, and where those of the next one start. */
static uint32_t drafts_of(const struct drafts *drafts, uint32_t from, uint32_t group)
{
    while (from < drafts->count && drafts->items[from].entry.group == group)
        from++;
    return from;
}

static int apply_group(struct niff_doc *doc, const struct niff_text *t, uint32_t group, struct niff_item *items,
                       uint32_t count, struct anm_error *err)
{
    bool ordered = t->index->ordered[group];
    if (t->depth != NIFF_OF_FRAME)
        return niff_set_items(doc, group, ordered, items, count, err);
    uint32_t all_count;
    ANM_AUTO(anm_freep) struct niff_item *all = merge(t->doc, group, t->frame, items, count, &all_count, err);
    return all ? niff_set_items(doc, group, ordered, all, all_count, err) : -1;
}

static struct anm_doc *write_text(struct niff_text *t, const void *bytes, size_t size, struct anm_error *err)
{
    ANM_AUTO(drafts_free) struct drafts drafts = {0};
    uint32_t frame = t->frame, first = t->depth == NIFF_OF_BONE ? t->group : 0;
    uint32_t end = t->depth == NIFF_OF_BONE ? first + 1 : t->doc->group_count;
    if (niff_parse(t, bytes, size, err) || make_items(t, &drafts, err))
        return NULL;
    t->frame = frame;
    ANM_AUTO(niff_clean) struct niff_doc *doc = niff_copy(t->doc, 0, err);
    if (!doc)
        return NULL;
    for (uint32_t g = first, i = 0; g < end; g++) {
        uint32_t next = drafts_of(&drafts, i, g);
        if (apply_group(doc, t, g, drafts.items + i, next - i, err))
            return NULL;
        i = next;
    }
    if (t->depth == NIFF_OF_FRAME && drafts.count == 0 && niff_make_frame(doc, frame, err))
        return NULL;
    return niff_finish(t->doc, &doc, err);
}

static struct anm_doc *write_at(const struct anm_doc *anm, enum niff_depth depth, uint32_t frame, uint32_t group,
                                const void *bytes, size_t size, struct anm_error *err)
{
    const struct niff_doc *doc = niff_const(anm);
    ANM_AUTO(niff_text_free)
    struct niff_text text = {.doc = doc, .index = niff_index(doc, err), .depth = depth, .frame = frame, .group = group};
    return text.index ? write_text(&text, bytes, size, err) : NULL;
}

struct anm_doc *niff_write_all(const struct anm_doc *anm, const struct anm_ref *dir, const char *name,
                               const void *bytes, size_t size, struct anm_error *err)
{
    (void)dir, (void)name;
    return write_at(anm, NIFF_OF_FILE, 0, 0, bytes, size, err);
}

struct anm_doc *niff_write_frame(const struct anm_doc *anm, const struct anm_ref *dir, const char *name,
                                 const void *bytes, size_t size, struct anm_error *err)
{
    (void)name;
    return write_at(anm, NIFF_OF_FRAME, dir->id[0], 0, bytes, size, err);
}

struct anm_doc *niff_write_track(const struct anm_doc *anm, const struct anm_ref *dir, const char *name,
                                 const void *bytes, size_t size, struct anm_error *err)
{
    (void)name;
    return write_at(anm, NIFF_OF_BONE, 0, dir->id[0], bytes, size, err);
}
