/* SPDX-License-Identifier: MIT */
/* NIFF 1.0 <-> 2.0 (formats: NIFF 1, 2.1, 3.6). NIFF 2.0 is 1.0 with Nintendo blocks and nine lists more. To 2.0, each gets the one
 * that says nothing. Back, those go; what does say something stays in records that a reader of 1.0 passes over by their
 * sizes, but channels, constraints and lists would be of no use there, and are a loss. */
#include "niff_codec.h"

#include <string.h>

/* Word `i` of the block that says nothing, for a record. */
static uint32_t plain_word(const struct niff_kind *kind, const uint8_t *record, unsigned i)
{
    uint32_t word = kind->block[i];
    return (word & NIFF_COPY) == NIFF_COPY && word != NIFF_NONE ? niff_word(record, word & 0xff) : word;
}

static bool is_plain(const struct niff_kind *kind, const uint8_t *record, const uint8_t *block, size_t size)
{
    bool plain = size == 4 * (size_t)kind->block_words;
    for (unsigned i = 0; plain && i < kind->block_words; i++)
        plain = niff_word(block, i) == plain_word(kind, record, i);
    return plain;
}

/* Appends a record, its block added where it has none, or taken away when it says nothing. */
static void put_record(const struct niff_kind *kind, bool add, const uint8_t *record, size_t size, struct anm_buf *out)
{
    size_t block = niff_word(record, kind->block_word), user = niff_word(record, kind->block_word + 1u);
    size_t start = out->size, least = 4 * (size_t)kind->least;
    bool fits = niff_word(record, kind->size_word) == size && user <= size - least && block <= size - least - user;
    size_t end = fits ? size - user - block : size; /* of what comes before the block */
    bool change = fits && (add ? block == 0 : is_plain(kind, record, record + end, block));
    if (!change) {
        anm_buf_put(out, record, size);
        return;
    }
    anm_buf_put(out, record, end);
    for (unsigned i = 0; add && i < kind->block_words; i++)
        anm_buf_u32be(out, plain_word(kind, record, i));
    anm_buf_put(out, record + size - user, user);
    if (out->failed)
        return;
    niff_set_word(out->data + start, kind->size_word, (uint32_t)(out->size - start));
    niff_set_word(out->data + start, kind->block_word, add ? 4u * kind->block_words : 0);
}

static int convert_list(struct niff_doc *doc, const struct niff_list *list, bool add, struct anm_error *err)
{
    const struct niff_kind *kind = list->kind;
    const struct anm_blob *old = list->bytes;
    ANM_AUTO(anm_buf_free) struct anm_buf table = {0}, records = {0}, out = {0};
    struct anm_error ignored;
    if (!kind->block || niff_check_list(kind, old->bytes, old->size, 0, &ignored))
        return 0; /* carried as it is */
    struct niff_walk walk = niff_walk(kind, old);
    size_t head = 4 * (size_t)walk.table, end = head + 4 * (size_t)walk.count;
    while (niff_walk_next(&walk)) {
        size_t before = records.size;
        put_record(kind, add, old->bytes + walk.at, walk.size, &records);
        if (kind->counts)
            anm_buf_u32be(&table, (uint32_t)(records.size - before));
        end = walk.at + walk.size;
    }
    anm_buf_put(&out, old->bytes, head);
    anm_buf_put(&out, table.data, table.size);
    anm_buf_put(&out, records.data, records.size);
    anm_buf_put(&out, old->bytes + end, old->size - end);
    if (table.failed || records.failed || out.failed)
        return anm_fail_nomem(err);
    if (kind->counts)
        niff_set_word(out.data, NIFF_L_SIZE, niff_word(old->bytes, NIFF_L_SIZE) + (uint32_t)(out.size - old->size));
    return niff_set_list(doc, kind->tag, anm_blob_new(out.data, out.size), err);
}

/* What a group would lose. */
struct losses {
    uint32_t groups, keys, constrained, constraints, extra;
};

static void count_losses(struct losses *losses, const struct niff_view *v)
{
    uint32_t keys = 0, constraints = 0;
    for (unsigned i = 0; i < NIFF_CHANNELS; i++)
        keys += v->count[i];
    for (unsigned i = 0; i < NIFF_CONSTRAINTS; i++) {
        bool used = false;
        for (unsigned k = 0; k < 2; k++)
            used |= niff_word(v->bytes + v->block, NIFF_B_PAIR + 2 * i + k) != NIFF_NONE ||
                    niff_word(v->bytes + v->block, NIFF_B_EXTERNAL + 2 * i + k) != NIFF_NONE;
        constraints += used;
    }
    losses->groups += keys > 0;
    losses->keys += keys;
    losses->constrained += constraints > 0;
    losses->constraints += constraints;
    losses->extra += v->extra < v->user;
}

static int convert_group(struct niff_doc *doc, uint32_t i, bool add, struct losses *losses, struct anm_error *err)
{
    struct niff_view view;
    struct niff_build build;
    if (niff_view(&view, doc->groups[i].record, !add, err))
        return -1;
    if (add ? view.user != view.block : !view.has_channels)
        return 0; /* a block of another kind: carried as it is */
    if (!add)
        count_losses(losses, &view);
    if (niff_build_from(&build, &view)) {
        niff_build_free(&build);
        return anm_fail_nomem(err);
    }
    build.has_channels = add;
    build.extra.size = 0;
    if (add) {
        struct niff_build empty;
        niff_build_empty(&empty, true);
        memcpy(build.block, empty.block, sizeof build.block);
    }
    struct anm_blob *record = niff_build_record(&build, err);
    niff_build_free(&build);
    return record ? niff_set_record(doc, i, record, err) : -1;
}

/* What goes with the groups, in words. */
static void tell_groups(const struct losses *lost, struct anm_error *losses)
{
    if (lost->keys || lost->constraints || lost->extra)
        losses->reason = ANM_LOSS;
    if (lost->keys)
        anm_error_add(losses, "%u channel keys of %u groups", lost->keys, lost->groups);
    if (lost->constraints)
        anm_error_add(losses, "%u constraints of %u groups", lost->constraints, lost->constrained);
    if (lost->extra)
        anm_error_add(losses, "other extension data of %u groups", lost->extra);
}

/* The lists that NIFF 2.0 adds: made, or taken out. */
static int convert_added_lists(struct niff_doc *doc, bool add, struct anm_error *losses, struct anm_error *err)
{
    const struct niff_kind *kind;
    for (uint32_t i = 0; (kind = niff_kind_at(i)); i++) {
        if (kind->size_at < NIFF_HEAD)
            continue;
        if (add ? niff_need_list(doc, kind->tag, err) : 0)
            return -1;
        const struct anm_blob *bytes = add ? NULL : niff_list_bytes(doc, kind->tag);
        if (bytes && (bytes->size > NIFF_LIST_HEAD || niff_word(bytes->bytes, NIFF_L_COUNT))) {
            losses->reason = ANM_LOSS;
            anm_error_add(losses, "%s with %u records", kind->title, niff_word(bytes->bytes, NIFF_L_COUNT));
        }
        if (bytes && niff_drop_list(doc, kind->tag, err))
            return -1;
    }
    return 0;
}

/* The sizes of those lists in the file header. */
static int convert_head(struct niff_doc *doc, bool add, struct anm_error *losses, struct anm_error *err)
{
    static const uint8_t none[NIFF_HEAD_2];
    ANM_AUTO(anm_buf_free) struct anm_buf old = {0};
    anm_buf_put(&old, doc->head->bytes + NIFF_HEAD, doc->head->size - NIFF_HEAD);
    if (old.failed)
        return anm_fail_nomem(err);
    size_t block = niff_word(doc->head->bytes, NIFF_H_BLOCK), user = old.size - block;
    if (add ? block > 0 : block < NIFF_HEAD_2)
        return 0; /* a block of another kind: carried as it is */
    if (!add && block > NIFF_HEAD_2) {
        losses->reason = ANM_LOSS;
        anm_error_add(losses, "other extension data of the file header");
    }
    return niff_set_head(doc, none, add ? NIFF_HEAD_2 : 0, old.data + block, user, err);
}

static int convert(struct niff_doc *doc, bool add, struct anm_error *losses, struct anm_error *err)
{
    struct losses lost = {0};
    uint32_t version = (niff_version(doc) & 0xffff0000) | (add ? 0x0200 : 0x0100);
    for (uint32_t i = 0; i < doc->group_count; i++)
        if (convert_group(doc, i, add, &lost, err))
            return -1;
    tell_groups(&lost, losses);
    for (uint32_t i = 0; i < doc->list_count; i++)
        if (doc->lists[i].bytes && convert_list(doc, &doc->lists[i], add, err))
            return -1;
    if (!add)
        return convert_added_lists(doc, add, losses, err) || convert_head(doc, add, losses, err)
                   ? -1
                   : niff_set_head_word(doc, NIFF_H_VERSION, version, err);
    return niff_set_head_word(doc, NIFF_H_VERSION, version, err) || convert_head(doc, add, losses, err)
               ? -1
               : convert_added_lists(doc, add, losses, err);
}

struct niff_doc *niff_convert(const struct niff_doc *old, unsigned major, bool lossy, struct anm_error *err)
{
    struct anm_error losses = {0};
    ANM_AUTO(niff_clean) struct niff_doc *doc = niff_copy(old, 0, err);
    bool add = major >= 2;
    if (!doc)
        return NULL;
    if (add == niff_is_2(old)) { /* 0.98 and the like: the same layout */
        uint32_t version = (niff_version(doc) & 0xffff0000) | (add ? 0x0200 : 0x0100);
        if (niff_set_head_word(doc, NIFF_H_VERSION, version, err))
            return NULL;
    } else if (convert(doc, add, &losses, err)) {
        return NULL;
    }
    if (losses.reason && !lossy) {
        anm_error_add(&losses, "not converted: \"lossy\" at the end of the line accepts that");
        *err = losses;
        return NULL;
    }
    struct niff_doc *done = doc;
    doc = NULL;
    return done;
}
