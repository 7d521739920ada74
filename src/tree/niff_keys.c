/* SPDX-License-Identifier: MIT */
/* Key texts, out (formats: NIFF 3.2, 3.6). */
#include "niff_tree.h"

#include "anm/given.h"

#include <limits.h>
#include <string.h>

const char *const niff_key_interpolations[] = {"static", "linear", "slowin", "", "slowout", "", "slow", NULL};
const char *const niff_channel_interpolations[] = {"const", "full", "linear", "hermite", NULL};
#define HERMITE 3u

const char *niff_word_text(unsigned word)
{
    if (word < NIFF_FIELDS)
        return niff_fields[word].name;
    return word == NIFF_W_RAW ? "raw" : niff_channels[word - NIFF_W_CHANNEL].name;
}

/* The start of every line of one key. */
struct start {
    struct anm_buf *out;
    const char *name; /* NULL: none */
    size_t name_size;
    bool has_frame, degrees;
    uint32_t frame, ordinal;
};

static void put_start(const struct start *s, unsigned word)
{
    if (s->has_frame) {
        anm_put_u32(s->out, s->frame);
        anm_buf_putc(s->out, ' ');
    }
    if (s->name) {
        anm_buf_put(s->out, s->name, s->name_size);
        anm_buf_putc(s->out, ' ');
    }
    anm_buf_puts(s->out, niff_word_text(word));
    if (s->ordinal > 1)
        anm_buf_printf(s->out, "~%u", s->ordinal);
}

static void put_floats(const struct start *s, const uint8_t *bytes, size_t word, unsigned count, unsigned angles)
{
    for (unsigned i = 0; i < count; i++) {
        anm_buf_putc(s->out, ' ');
        anm_put_angle(s->out, niff_word(bytes, word + i), s->degrees && angles >> i & 1);
    }
}

/* The word of a value of an enumeration, or its number. */
static void put_enum(struct anm_buf *out, const char *const *names, uint32_t value)
{
    uint32_t i = 0;
    while (i < value && names[i])
        i++;
    anm_buf_putc(out, ' ');
    if (names[i] && *names[i])
        anm_buf_puts(out, names[i]);
    else
        anm_put_u32(out, value);
}

void niff_put_node(struct anm_buf *out, const struct niff_index *index, uint32_t tag, uint32_t node)
{
    unsigned kind = 0;
    if (node == NIFF_NONE && (tag == NIFF_NONE || tag == NIFF_OBJ)) {
        anm_buf_puts(out, tag == NIFF_NONE ? "none" : "obj none");
        return;
    }
    while (kind < NIFF_NODES && niff_node_kinds[kind].tag != tag)
        kind++;
    if (kind < NIFF_NODES)
        anm_buf_puts(out, niff_node_kinds[kind].word);
    else
        anm_buf_printf(out, "0x%08x", tag);
    if (kind == NIFF_NODES || node >= index->nodes[kind].count) {
        anm_buf_printf(out, " ?%u", node);
        return;
    }
    size_t size;
    const char *name = anm_names_text(&index->nodes[kind], node, &size);
    bool taken = *name == '?' || strcmp(name, "none") == 0; /* as no name */
    anm_buf_putc(out, ' ');
    if (taken)
        anm_buf_printf(out, "%%%02x", (unsigned char)*name);
    anm_buf_put(out, name + taken, size - taken);
}

static void put_raw(const struct start *s, const struct niff_entry *entry)
{
    put_start(s, NIFF_W_RAW);
    anm_buf_printf(s->out, " 0x%08x", niff_word(entry->bytes, 0));
    if (entry->size > 12)
        anm_buf_putc(s->out, ' ');
    anm_put_hex(s->out, entry->bytes + 12, entry->size - 12);
    anm_buf_putc(s->out, '\n');
}

static void put_value(const struct start *s, const struct niff_index *index, const struct niff_field *field,
                      const uint8_t *anim, size_t at)
{
    uint32_t value = niff_word(anim, at);
    switch (field->form) {
    case NIFF_FLOATS:
    case NIFF_ANGLES:
        put_floats(s, anim, at, field->words, field->form == NIFF_ANGLES ? UINT_MAX : 0);
        break;
    case NIFF_INTERPOLATION:
        put_enum(s->out, niff_key_interpolations, value);
        break;
    case NIFF_BITS:
        anm_buf_printf(s->out, " 0x%08x", value);
        break;
    case NIFF_FRAME:
        anm_buf_printf(s->out, " %u", value);
        break;
    default:
        anm_buf_putc(s->out, ' ');
        niff_put_node(s->out, index, NIFF_OBJ, value);
    }
    anm_buf_putc(s->out, '\n');
}

static void put_anim(const struct start *s, const struct niff_index *index, const struct niff_entry *entry)
{
    if (entry->raw) {
        put_raw(s, entry);
        return;
    }
    enum niff_layout layout = niff_anim_layout(niff_word(entry->bytes, 0));
    for (unsigned word = 0; word < NIFF_FIELDS; word++) {
        const struct niff_field *field = &niff_fields[word];
        size_t at = field->place[layout];
        uint32_t usual = word == NIFF_FIELD_NEXT ? entry->next : 0;
        if (at == 0 || (field->optional && niff_word(entry->bytes, at) == usual))
            continue;
        put_start(s, word);
        put_value(s, index, field, entry->bytes, at);
    }
}

static void put_channel(const struct start *s, const struct niff_entry *entry)
{
    unsigned i = entry->lane - NIFF_LANE_CHANNEL;
    const struct niff_channel *channel = &niff_channels[i];
    uint32_t interpolation = niff_word(entry->bytes, 0), slopes = 0;
    unsigned angles = channel->angle ? 1u << (channel->angle - 1) : 0;
    for (unsigned k = 0; k < channel->values; k++)
        slopes |= niff_word(entry->bytes, 2 + (size_t)channel->values + k);
    put_start(s, NIFF_W_CHANNEL + i);
    put_enum(s->out, niff_channel_interpolations, interpolation);
    put_floats(s, entry->bytes, 2, channel->values, angles);
    if (slopes || interpolation == HERMITE) {
        anm_buf_puts(s->out, " slope");
        put_floats(s, entry->bytes, 2 + (size_t)channel->values, channel->values, angles);
    }
    anm_buf_putc(s->out, '\n');
}

void niff_put_entry(struct anm_buf *out, const struct niff_doc *doc, const struct niff_index *index, uint32_t i,
                    enum niff_depth depth)
{
    const struct niff_entry *entry = &index->entries[i];
    struct start s = {.out = out,
                      .has_frame = depth != NIFF_OF_FRAME,
                      .degrees = doc->given && doc->given->degrees,
                      .frame = entry->frame,
                      .ordinal = entry->ordinal};
    if (depth != NIFF_OF_BONE)
        s.name = anm_names_text(&index->groups, entry->group, &s.name_size);
    if (entry->lane == NIFF_LANE_ANIM)
        put_anim(&s, index, entry);
    else
        put_channel(&s, entry);
}

/* Each lane's last key up to the frame; before the first one, that. */
void niff_put_pose(struct anm_buf *out, const struct niff_doc *doc, const struct niff_index *index, uint32_t number)
{
    for (uint32_t g = 0; g < doc->group_count; g++) {
        uint32_t held[NIFF_LANES]; /* 1 + the entry */
        memset(held, 0, sizeof held);
        for (uint32_t i = index->first[g]; i < index->first[g + 1]; i++) {
            const struct niff_entry *entry = &index->entries[i];
            uint32_t *place = &held[entry->lane];
            uint32_t before = *place ? index->entries[*place - 1].frame : 0;
            bool first = *place == 0, reached = entry->frame <= number;
            if (first || (reached && (before > number || entry->frame >= before)) ||
                (!reached && before > number && entry->frame < before))
                *place = i + 1;
        }
        for (unsigned lane = 0; lane < NIFF_LANES; lane++)
            if (held[lane])
                niff_put_entry(out, doc, index, held[lane] - 1, NIFF_OF_FRAME);
    }
}
