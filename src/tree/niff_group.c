/* SPDX-License-Identifier: MIT */
/* bones/NAME/group: what belongs to a whole AnimGroup (formats: NIFF 3.1, 3.4, 3.6, 4). */
#include "niff_tree.h"

#include "anm/name.h"
#include "anm/num.h"

#include <stdlib.h>
#include <string.h>

const char *const niff_constraints[NIFF_CONSTRAINTS + 1] = {
    "orientation", "direction", "upvector", "preferred_axis", "position", "unique_scale", "classical_scale", NULL};

#define CHANNEL_BITS 0x00ffu
#define CONSTRAINT_BIT(i) (0x0100u << (i))
#define KNOWN_BITS 0x7fffu

static const char *const types[] = {"static", "", "full", "key", "billboard_obj"};

static const struct {
    const char *word;
    uint32_t value;
} orders[] = {
    {"xyz", 0x00010203}, {"xzy", 0x00010302}, {"yxz", 0x00020103},
    {"yzx", 0x00030102}, {"zxy", 0x00020301}, {"zyx", 0x00030201},
};
#define ORDERS (sizeof orders / sizeof *orders)

const char *niff_type_word(uint32_t type)
{
    return type < sizeof types / sizeof *types && *types[type] ? types[type] : NULL;
}

/* --- out --- */

/* A name of the ExternalNameList; its number where the name would not lead there. */
static void put_external(struct anm_buf *out, const struct niff_doc *doc, uint32_t index)
{
    struct niff_walk walk = niff_walk(niff_kind_of(NIFF_EXTERNAL_NAME), niff_list_bytes(doc, NIFF_EXTERNAL_NAME));
    size_t size;
    while (walk.i <= index && niff_walk_next(&walk))
        ;
    const uint8_t *text = walk.i == (uint64_t)index + 1 ? niff_name_text(&walk, &size) : NULL;
    if (!text || niff_find_name(doc, NIFF_EXTERNAL_NAME, text, size) != index) {
        anm_buf_printf(out, " ?%u", index);
        return;
    }
    ANM_AUTO(anm_buf_free) struct anm_buf name = {0};
    anm_name_put(&name, text, size, 1);
    bool question = name.size && *name.data == '?';
    anm_buf_puts(out, question ? " %3f" : " ");
    anm_buf_put(out, name.data + question, name.size - question);
    out->failed |= name.failed;
}

static void put_constraints(struct anm_buf *out, const struct niff_doc *doc, const struct niff_index *index,
                            const uint8_t *block)
{
    uint32_t use = niff_word(block, NIFF_B_USE);
    for (unsigned i = 0; i < NIFF_CONSTRAINTS; i++) {
        uint32_t tag = niff_word(block, NIFF_B_PAIR + 2 * i), node = niff_word(block, NIFF_B_PAIR + 2 * i + 1);
        uint32_t file = niff_word(block, NIFF_B_EXTERNAL + 2 * i), name = niff_word(block, NIFF_B_EXTERNAL + 2 * i + 1);
        bool external = file != NIFF_NONE || name != NIFF_NONE, used = use & CONSTRAINT_BIT(i);
        if (tag == NIFF_NONE && node == NIFF_NONE && !external && !used)
            continue;
        anm_buf_printf(out, "%s ", niff_constraints[i]);
        niff_put_node(out, index, tag, node);
        if (external) {
            anm_buf_puts(out, " external");
            put_external(out, doc, file);
            put_external(out, doc, name);
        }
        anm_buf_puts(out, used ? "\n" : " unused\n");
    }
}

static void put_block(struct anm_buf *out, const struct niff_doc *doc, const struct niff_index *index,
                      const uint8_t *block)
{
    uint32_t use = niff_word(block, NIFF_B_USE);
    if (use & CHANNEL_BITS) {
        anm_buf_puts(out, "channels");
        for (unsigned i = 0; i < NIFF_CHANNELS; i++)
            if (use >> i & 1)
                anm_buf_printf(out, " %s", niff_channels[i].name);
        anm_buf_putc(out, '\n');
    }
    if (use & ~KNOWN_BITS)
        anm_buf_printf(out, "flags 0x%08x\n", use & ~KNOWN_BITS);
    put_constraints(out, doc, index, block);
}

/* Whether a Switch between groups may choose this one. */
static bool switch_uses(const struct niff_walk *walk, uint32_t group)
{
    enum { HEAD = 9 };
    const uint8_t *record = walk->bytes->bytes + walk->at;
    uint32_t cases = niff_word(record, 5);
    if (niff_word(record, 3) != NIFF_ANIM || cases > (walk->size / 4 - HEAD) / 2)
        return false;
    for (uint32_t i = 0; i < cases; i++)
        if (niff_word(record, HEAD + (size_t)cases + i) == group)
            return true;
    return false;
}

static struct niff_walk switches(const struct niff_doc *doc)
{
    return niff_walk(niff_kind_of(NIFF_SWITCH_LIST), niff_list_bytes(doc, NIFF_SWITCH_LIST));
}

static void put_users(struct anm_buf *out, const struct niff_doc *doc, const struct niff_index *index, uint32_t group)
{
    for (unsigned kind = 0; kind < NIFF_NODES; kind++)
        for (uint32_t i = 0; i < index->nodes[kind].count; i++)
            if (index->links[kind][i] == group) {
                anm_buf_puts(out, "user ");
                niff_put_node(out, index, niff_node_kinds[kind].tag, i);
                anm_buf_putc(out, '\n');
            }
    for (struct niff_walk walk = switches(doc); niff_walk_next(&walk);)
        if (switch_uses(&walk, group))
            anm_buf_printf(out, "user switch %u\n", walk.i - 1);
}

int niff_render_group(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_buf *out, struct anm_error *err)
{
    const struct niff_doc *doc = niff_const(anm);
    const struct niff_index *index = niff_index(doc, err);
    if (!index)
        return -1;
    const struct niff_view v = niff_group_view(doc, ref->id[0]);
    uint32_t type = niff_word(v.bytes, NIFF_G_TYPE), order = niff_word(v.bytes, NIFF_G_ORDER), i = 0;
    uint32_t loop = niff_word(v.bytes, NIFF_G_LOOP), head = niff_word(v.bytes, NIFF_G_HEADER_SIZE);
    if (niff_type_word(type))
        anm_buf_printf(out, "type %s\n", niff_type_word(type));
    else
        anm_buf_printf(out, "type %u\n", type);
    anm_buf_printf(out, "frame_rate %u\n", niff_word(v.bytes, NIFF_G_RATE));
    if (loop)
        anm_buf_printf(out, "loop %u\n", loop);
    else
        anm_buf_puts(out, "loop endless\n");
    while (i < ORDERS && orders[i].value != order)
        i++;
    if (i < ORDERS)
        anm_buf_printf(out, "rotation_order %s\n", orders[i].word);
    else
        anm_buf_printf(out, "rotation_order 0x%08x\n", order);
    if (head != 4 * NIFF_GROUP_WORDS)
        anm_buf_printf(out, "header_size %u\n", head);
    if (v.has_channels)
        put_block(out, doc, index, v.bytes + v.block);
    put_users(out, doc, index, ref->id[0]);
    return 0;
}

/* --- in --- */

/* An external name as given: a number, or a text that may have to be added. */
struct external {
    bool given;
    uint32_t index;   /* when not NIFF_NONE, or `text` is empty */
    const char *text; /* escaped */
    size_t size;
};

/* Words of the text, as bits of `seen`; constraints follow. */
enum { TYPE, RATE, LOOP, ORDER, HEADER_SIZE, IN_USE, FLAGS, CONSTRAINT, WORDS = CONSTRAINT + NIFF_CONSTRAINTS };

struct group_text {
    const struct niff_doc *doc;
    const struct niff_index *index;
    uint32_t group;
    bool has_block;
    struct anm_lines lines;
    unsigned seen;
    uint32_t head[NIFF_GROUP_WORDS];
    uint32_t block[NIFF_BLOCK_WORDS]; /* without the counts */
    struct external external[2 * NIFF_CONSTRAINTS];
    bool *users[NIFF_NODES]; /* of each node, whether it is one */
    uint32_t switch_count;   /* how many Switches were named */
};

static void group_text_free(struct group_text *t)
{
    for (unsigned i = 0; i < NIFF_NODES; i++)
        free(t->users[i]);
}

static int read_type(struct group_text *t)
{
    const struct anm_lines *lines = &t->lines;
    if (anm_lines_want(lines, 2, "type and static, full, key or billboard_obj"))
        return -1;
    for (uint32_t i = 0; i < sizeof types / sizeof *types; i++)
        if (*types[i] && anm_lines_is(lines, 1, types[i])) {
            t->head[NIFF_G_TYPE] = i;
            return 0;
        }
    if (*lines->tokens[1].text < '0' || *lines->tokens[1].text > '9')
        return anm_lines_expect(lines, 1, "static, full, key or billboard_obj");
    return anm_lines_u32(lines, 1, "type", UINT32_MAX, &t->head[NIFF_G_TYPE]);
}

static int read_order(struct group_text *t)
{
    const struct anm_lines *lines = &t->lines;
    if (anm_lines_want(lines, 2, "rotation_order and xyz, xzy, yxz, yzx, zxy or zyx"))
        return -1;
    for (uint32_t i = 0; i < ORDERS; i++)
        if (anm_lines_is(lines, 1, orders[i].word)) {
            t->head[NIFF_G_ORDER] = orders[i].value;
            return 0;
        }
    if (memcmp(lines->tokens[1].text, "0x", lines->tokens[1].size < 2 ? 1 : 2) != 0)
        return anm_lines_expect(lines, 1, "xyz, xzy, yxz, yzx, zxy or zyx");
    return anm_lines_u32(lines, 1, "rotation_order", UINT32_MAX, &t->head[NIFF_G_ORDER]);
}

static int read_loop(struct group_text *t)
{
    if (anm_lines_want(&t->lines, 2, "loop and endless, or a number"))
        return -1;
    t->head[NIFF_G_LOOP] = 0;
    return anm_lines_is(&t->lines, 1, "endless")
               ? 0
               : anm_lines_u32(&t->lines, 1, "loop (endless, or how many times)", UINT32_MAX, &t->head[NIFF_G_LOOP]);
}

static int read_number(struct group_text *t, const char *what, uint32_t *value)
{
    return anm_lines_u32(&t->lines, 1, what, UINT32_MAX, value) ? -1 : anm_lines_want(&t->lines, 2, "one number");
}

static int read_in_use(struct group_text *t)
{
    for (uint32_t i = 1; i < t->lines.count; i++) {
        unsigned channel = 0;
        while (channel < NIFF_CHANNELS && !anm_lines_is(&t->lines, i, niff_channels[channel].name))
            channel++;
        if (channel == NIFF_CHANNELS)
            return anm_lines_expect(&t->lines, i,
                                    "rotate_axis, rotate_x, rotate_y, rotate_z, orientation_xy, translation, "
                                    "unique_scale or classical_scale");
        if (t->block[NIFF_B_USE] & 1u << channel)
            return anm_lines_fail(&t->lines, i, "%s stands in this line already", niff_channels[channel].name);
        t->block[NIFF_B_USE] |= 1u << channel;
    }
    return 0;
}

static int read_flags(struct group_text *t)
{
    uint32_t flags;
    if (read_number(t, "flags", &flags))
        return -1;
    if (flags & KNOWN_BITS)
        return anm_lines_fail(&t->lines, 1, "these bits have names: channels and constraints set them");
    t->block[NIFF_B_USE] |= flags;
    return 0;
}

static int read_external(struct group_text *t, uint32_t i, struct external *external)
{
    if (i >= t->lines.count)
        return anm_lines_expect(&t->lines, i, "external, the name of a file and that of a node");
    const struct anm_token *token = &t->lines.tokens[i];
    *external = (struct external){.given = true, .text = token->text, .size = token->size};
    if (*token->text != '?')
        return 0;
    external->size = 0;
    return anm_u32_parse(token->text + 1, token->size - 1, UINT32_MAX, &external->index) == ANM_NUM_OK
               ? 0
               : anm_lines_expect(&t->lines, i, "a name, or ? and a number");
}

static int read_constraint(struct group_text *t, unsigned constraint)
{
    uint32_t used, i = 1, *pair = &t->block[NIFF_B_PAIR + 2 * constraint];
    if (niff_parse_node(&t->lines, t->index, i, &pair[0], &pair[1], &used))
        return -1;
    i += used;
    if (anm_lines_is(&t->lines, i, "external")) {
        if (read_external(t, i + 1, &t->external[2 * constraint]) ||
            read_external(t, i + 2, &t->external[2 * constraint + 1]))
            return -1;
        i += 3;
    }
    if (anm_lines_is(&t->lines, i, "unused"))
        i++;
    else
        t->block[NIFF_B_USE] |= CONSTRAINT_BIT(constraint);
    return anm_lines_want(&t->lines, i, "a constraint, its node, external FILE NODE, and unused");
}

static int read_user(struct group_text *t)
{
    uint32_t tag, node, used;
    const struct anm_lines *lines = &t->lines;
    if (anm_lines_is(lines, 1, "switch")) {
        if (anm_lines_u32(lines, 2, "the number of a Switch", UINT32_MAX, &node) ||
            anm_lines_want(lines, 3, "user switch N"))
            return -1;
        for (struct niff_walk walk = switches(t->doc); niff_walk_next(&walk);)
            if (walk.i - 1 == node && switch_uses(&walk, t->group)) {
                t->switch_count++;
                return 0;
            }
        return anm_lines_fail(lines, 2, "Switch %u does not choose this group, and that is not changed here", node);
    }
    if (niff_parse_node(lines, t->index, 1, &tag, &node, &used) || anm_lines_want(lines, 1 + used, "user KIND NAME"))
        return -1;
    for (unsigned kind = 0; kind < NIFF_NODES; kind++)
        if (niff_node_kinds[kind].tag == tag && node < t->index->nodes[kind].count) {
            t->users[kind][node] = true;
            return 0;
        }
    return anm_lines_expect(lines, 1, "user, and obj, chain_root, joint or effector and a name");
}

static int read_line(struct group_text *t)
{
    static const char *const words[] = {"type",        "frame_rate", "loop", "rotation_order",
                                        "header_size", "channels",   "flags"};
    unsigned word = 0;
    if (anm_lines_is(&t->lines, 0, "user"))
        return read_user(t);
    while (word < WORDS &&
           !anm_lines_is(&t->lines, 0, word < CONSTRAINT ? words[word] : niff_constraints[word - CONSTRAINT]))
        word++;
    if (word == WORDS)
        return anm_lines_expect(
            &t->lines, 0,
            "type, frame_rate, loop, rotation_order, channels, a constraint (orientation, "
            "direction, upvector, preferred_axis, position, unique_scale, classical_scale) or user");
    if (t->seen & 1u << word)
        return anm_lines_fail(&t->lines, 0, "a second line %.*s", (int)t->lines.tokens[0].size,
                              t->lines.tokens[0].text);
    t->seen |= 1u << word;
    if (word >= IN_USE && !t->has_block)
        return anm_lines_fail(&t->lines, 0, "channels and constraints are of NIFF 2.0, and this %s",
                              niff_is_2(t->doc) ? "group has no place for them" : "file is of an older version");
    switch (word) {
    case TYPE:
        return read_type(t);
    case RATE:
        return read_number(t, "frame_rate", &t->head[NIFF_G_RATE]);
    case LOOP:
        return read_loop(t);
    case ORDER:
        return read_order(t);
    case HEADER_SIZE:
        return read_number(t, "header_size", &t->head[NIFF_G_HEADER_SIZE]);
    case IN_USE:
        return read_in_use(t);
    case FLAGS:
        return read_flags(t);
    default:
        return read_constraint(t, word - CONSTRAINT);
    }
}

/* A text without its lines: nothing in use, no user. The four words that every group has must be said. */
static int start(struct group_text *t, struct anm_error *err)
{
    const struct niff_view v = niff_group_view(t->doc, t->group);
    t->has_block = v.has_channels;
    for (size_t i = 0; i < NIFF_GROUP_WORDS; i++)
        t->head[i] = niff_word(v.bytes, i);
    t->head[NIFF_G_HEADER_SIZE] = 4 * NIFF_GROUP_WORDS;
    for (size_t i = NIFF_B_PAIR; i < NIFF_BLOCK_WORDS; i++)
        t->block[i] = NIFF_NONE;
    for (unsigned i = 0; i < NIFF_NODES; i++)
        if (!(t->users[i] = anm_alloc(0, t->index->nodes[i].count, sizeof *t->users[i])))
            return anm_fail_nomem(err);
    return 0;
}

static int read_text(struct group_text *t, const void *bytes, size_t size, struct anm_error *err)
{
    static const char *const needed[] = {"type", "frame_rate", "loop", "rotation_order"};
    uint32_t switches_there = 0;
    int more;
    anm_lines_start(&t->lines, bytes, size, err);
    while ((more = anm_lines_next(&t->lines)) == 1)
        if (read_line(t))
            return -1;
    if (more < 0)
        return -1;
    for (unsigned i = 0; i <= ORDER; i++)
        if (!(t->seen & 1u << i))
            return anm_fail_line(err, 1, 1, "expected a line %s", needed[i]);
    for (struct niff_walk walk = switches(t->doc); niff_walk_next(&walk);)
        switches_there += switch_uses(&walk, t->group);
    return t->switch_count == switches_there
               ? 0
               : anm_fail_line(err, 1, 1,
                               "expected a line user switch for each of the %u Switches: those are not changed here",
                               switches_there);
}

/* --- applied --- */

/* The ExternalNameList's number of a name, which is added when need be. */
static int find_external(struct niff_doc *doc, const struct external *external, uint32_t *index, struct anm_error *err)
{
    ANM_AUTO(anm_buf_free) struct anm_buf raw = {0};
    uint32_t ordinal;
    *index = external->index;
    if (external->size == 0)
        return 0;
    if (anm_name_parse(external->text, external->size, &raw, &ordinal, err))
        return -1;
    *index = niff_find_name(doc, NIFF_EXTERNAL_NAME, raw.data, raw.size);
    return *index == NIFF_NONE ? niff_add_name(doc, NIFF_EXTERNAL_NAME, raw.data, raw.size, index, err) : 0;
}

static int set_words(struct niff_doc *doc, const struct group_text *t, struct anm_error *err)
{
    ANM_AUTO(niff_build_free) struct niff_build build = {0};
    const struct niff_view view = niff_group_view(doc, t->group);
    if (niff_build_from(&build, &view))
        return anm_fail_nomem(err);
    memcpy(build.head, t->head, sizeof build.head);
    for (size_t i = 0; t->has_block && i < NIFF_BLOCK_WORDS; i++)
        if (i < NIFF_B_COUNT || i >= NIFF_B_PAIR)
            build.block[i] = t->block[i];
    for (unsigned i = 0; i < 2 * NIFF_CONSTRAINTS; i++)
        if (t->external[i].given && find_external(doc, &t->external[i], &build.block[NIFF_B_EXTERNAL + i], err))
            return -1;
    return niff_set_built(doc, t->group, &build, err);
}

static int set_users(struct niff_doc *doc, const struct group_text *t, struct anm_error *err)
{
    for (unsigned kind = 0; kind < NIFF_NODES; kind++)
        for (uint32_t i = 0; i < t->index->nodes[kind].count; i++) {
            bool was = t->index->links[kind][i] == t->group, is = t->users[kind][i];
            if (was != is && niff_set_link(doc, niff_node_kinds[kind].tag, i, is ? t->group : NIFF_NONE, err))
                return -1;
        }
    return 0;
}

struct anm_doc *niff_write_group(const struct anm_doc *anm, const struct anm_ref *dir, const char *name,
                                 const void *bytes, size_t size, struct anm_error *err)
{
    (void)name;
    const struct niff_doc *old = niff_const(anm);
    ANM_AUTO(group_text_free) struct group_text t = {.doc = old, .index = niff_index(old, err), .group = dir->id[0]};
    if (!t.index || start(&t, err) || read_text(&t, bytes, size, err))
        return NULL;
    ANM_AUTO(niff_clean) struct niff_doc *doc = niff_copy(old, 0, err);
    uint32_t type = niff_group_word(old, t.group, NIFF_G_TYPE);
    if (!doc || set_words(doc, &t, err) || (type != t.head[NIFF_G_TYPE] && niff_retype(doc, old, t.group, err)) ||
        set_users(doc, &t, err))
        return NULL;
    return niff_finish(old, &doc, err);
}
