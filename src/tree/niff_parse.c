/* SPDX-License-Identifier: MIT */
/* Key texts, in (formats: NIFF 3.2, 3.6). */
#include "niff_tree.h"

#include "anm/name.h"
#include "anm/num.h"

#include <stdlib.h>
#include <string.h>

void niff_text_free(struct niff_text *text)
{
    free(text->at);
    anm_buf_free(&text->raw);
    anm_buf_free(&text->scratch);
}

/* How much of a token a message shows. */
static int shown(const struct anm_token *token)
{
    return token->size > 200 ? 200 : (int)token->size;
}

/* Finds a named thing by token `i`. 0, or -1 with the nearest. */
static int read_name(const struct anm_lines *lines, uint32_t i, const struct anm_names *names, const char *make,
                     uint32_t *found)
{
    ANM_AUTO(anm_buf_free) struct anm_buf raw = {0};
    struct anm_error why = {0};
    uint32_t ordinal;
    if (i >= lines->count)
        return anm_lines_expect(lines, i, "the name of a %s", names->what);
    const struct anm_token *token = &lines->tokens[i];
    if (anm_name_parse(token->text, token->size, &raw, &ordinal, &why))
        return why.reason == ANM_NAME ? anm_lines_fail(lines, i, "%s", why.text) : (*lines->err = why, -1);
    if (anm_names_find(names, raw.data, raw.size, ordinal, found))
        return 0;
    const char *nearest = anm_names_nearest(names, token->text, token->size);
    return anm_lines_fail(lines, i, "there is no %s %.*s%s%.200s%s%.*s", names->what, shown(token), token->text,
                          nearest ? "; the nearest is " : "", nearest ? nearest : "", make, *make ? shown(token) : 0,
                          token->text);
}

static int read_group(struct niff_text *t, uint32_t i)
{
    if (i < t->lines.count && t->count) {
        const struct anm_token *token = &t->lines.tokens[i];
        if (token->size == t->name.size && memcmp(token->text, t->name.text, token->size) == 0)
            return 0;
    }
    if (read_name(&t->lines, i, &t->index->groups, "; a new one: mkdir bones/", &t->group))
        return -1;
    t->name = t->lines.tokens[i];
    return 0;
}

static int read_frame(struct niff_text *t, uint32_t i)
{
    const struct anm_token *token = &t->lines.tokens[i];
    for (size_t k = 0; k < token->size; k++)
        if (token->text[k] < '0' || token->text[k] > '9')
            return anm_lines_expect(&t->lines, i, "a frame number");
    return anm_lines_u32(&t->lines, i, "a frame number", UINT32_MAX, &t->frame);
}

/* --- links --- */

static int read_number(const struct anm_lines *lines, uint32_t i, uint32_t *node)
{
    const struct anm_token *token = &lines->tokens[i];
    return anm_u32_parse(token->text + 1, token->size - 1, UINT32_MAX, node) == ANM_NUM_OK
               ? 0
               : anm_lines_expect(lines, i, "a name, or ? and a number");
}

int niff_parse_node(const struct anm_lines *lines, const struct niff_index *index, uint32_t i, uint32_t *tag,
                    uint32_t *node, uint32_t *used)
{
    unsigned kind = 0;
    *tag = *node = NIFF_NONE;
    *used = 1;
    if (anm_lines_is(lines, i, "none"))
        return 0;
    *used = 2;
    while (kind < NIFF_NODES && !anm_lines_is(lines, i, niff_node_kinds[kind].word))
        kind++;
    const struct anm_token *token = i < lines->count ? &lines->tokens[i] : NULL;
    if (kind < NIFF_NODES)
        *tag = niff_node_kinds[kind].tag;
    else if (!token || token->size < 2 || memcmp(token->text, "0x", 2) != 0 ||
             anm_u32_parse(token->text, token->size, UINT32_MAX, tag) != ANM_NUM_OK)
        return anm_lines_expect(lines, i, "obj, chain_root, joint or effector and a name, or none");
    if (kind == NIFF_NODE_OBJ && anm_lines_is(lines, i + 1, "none"))
        return 0;
    if (i + 1 < lines->count && *lines->tokens[i + 1].text == '?')
        return read_number(lines, i + 1, node);
    if (kind == NIFF_NODES)
        return anm_lines_expect(lines, i + 1, "? and a number");
    return read_name(lines, i + 1, &index->nodes[kind], "", node);
}

/* --- words --- */

static int read_enum(const struct anm_lines *lines, uint32_t i, const char *const *names, const char *what,
                     uint32_t *value)
{
    for (*value = 0; names[*value]; ++*value)
        if (*names[*value] && anm_lines_is(lines, i, names[*value]))
            return 0;
    if (i < lines->count && *lines->tokens[i].text >= '0' && *lines->tokens[i].text <= '9')
        return anm_lines_u32(lines, i, "interpolation", UINT32_MAX, value);
    return anm_lines_fail(lines, i, "%s", what);
}

static int read_vector(const struct anm_lines *lines, uint32_t i, struct niff_line *line)
{
    const struct niff_field *field = &niff_fields[line->word];
    if (anm_lines_want(lines, i + 1 + field->words, "three numbers, x y z"))
        return -1;
    for (uint32_t k = 0; k < field->words; k++)
        if (field->form == NIFF_ANGLES ? anm_lines_angle(lines, i + 1 + k, field->name, &line->v[k])
                                       : anm_lines_f32(lines, i + 1 + k, field->name, &line->v[k]))
            return -1;
    return 0;
}

static int read_values(const struct anm_lines *lines, uint32_t i, const struct niff_channel *channel, uint32_t *v)
{
    for (uint32_t k = 0; k < channel->values; k++)
        if (k + 1 == channel->angle ? anm_lines_angle(lines, i + k, channel->name, &v[k])
                                    : anm_lines_f32(lines, i + k, channel->name, &v[k]))
            return -1;
    return 0;
}

/* The words of a key's record but for its frame: interpolation_type at 0, values from 2 on, slopes after them. */
static int read_channel(const struct anm_lines *lines, uint32_t i, struct niff_line *line)
{
    const struct niff_channel *channel = &niff_channels[line->word - NIFF_W_CHANNEL];
    uint32_t values = channel->values, slopes = i + 2 + values;
    if (read_enum(lines, i + 1, niff_channel_interpolations, "expected const, full, linear or hermite", &line->v[0]) ||
        read_values(lines, i + 2, channel, line->v + 2))
        return -1;
    if (lines->count <= slopes)
        return 0;
    if (!anm_lines_is(lines, slopes, "slope"))
        return anm_lines_expect(lines, slopes, "%u values, or slope and %u more", values, values);
    return read_values(lines, slopes + 1, channel, line->v + 2 + values) ||
                   anm_lines_want(lines, slopes + 1 + values, "an interpolation, the values, and slope with as many")
               ? -1
               : 0;
}

static int read_raw(struct niff_text *t, uint32_t i, struct niff_line *line)
{
    line->raw = t->raw.size;
    if (anm_lines_u32(&t->lines, i + 1, "a tag", UINT32_MAX, &line->v[0]) || anm_lines_hex(&t->lines, i + 2, &t->raw))
        return -1;
    line->raw_size = t->raw.size - line->raw;
    if (line->raw_size % 4)
        return anm_lines_fail(&t->lines, i + 2, "%zu bytes, expected a multiple of 4", line->raw_size);
    if (t->lines.count > i + 3)
        return anm_lines_expect(&t->lines, i + 3, "raw TAG BYTES");
    return t->raw.failed ? anm_fail_nomem(t->lines.err) : 0;
}

static int read_object(const struct niff_text *t, uint32_t i, struct niff_line *line)
{
    uint32_t tag, used;
    if (niff_parse_node(&t->lines, t->index, i + 1, &tag, &line->v[0], &used))
        return -1;
    if (tag != NIFF_OBJ && tag != NIFF_NONE)
        return anm_lines_expect(&t->lines, i + 1, "obj and a name, or obj none");
    return anm_lines_want(&t->lines, i + 1 + used, "obj NAME");
}

static int read_field(const struct niff_text *t, uint32_t i, struct niff_line *line)
{
    const struct anm_lines *lines = &t->lines;
    const struct niff_field *field = &niff_fields[line->word];
    switch (field->form) {
    case NIFF_FLOATS:
    case NIFF_ANGLES:
        return read_vector(lines, i, line);
    case NIFF_INTERPOLATION:
        return anm_lines_want(lines, i + 2, "interpolation and a word")
                   ? -1
                   : read_enum(lines, i + 1, niff_key_interpolations,
                               "expected static, linear, slowin, slowout or slow", &line->v[0]);
    case NIFF_BITS:
    case NIFF_FRAME:
        return anm_lines_u32(lines, i + 1, field->name, UINT32_MAX, &line->v[0])
                   ? -1
                   : anm_lines_want(lines, i + 2, "one number");
    default:
        return read_object(t, i, line);
    }
}

static int read_rest(struct niff_text *t, uint32_t i, struct niff_line *line)
{
    if (line->word < NIFF_FIELDS)
        return read_field(t, i, line);
    return line->word == NIFF_W_RAW ? read_raw(t, i, line) : read_channel(&t->lines, i, line);
}

/* The word of token `i`, with its ordinal. */
static int read_word(struct niff_text *t, uint32_t i, struct niff_line *line)
{
    const char *names[NIFF_WORDS + 1];
    if (i >= t->lines.count)
        return anm_lines_expect(&t->lines, i, "a channel");
    const struct anm_token *token = &t->lines.tokens[i];
    const char *tilde = memchr(token->text, '~', token->size);
    size_t size = tilde ? (size_t)(tilde - token->text) : token->size;
    line->ordinal = 1;
    if (tilde && (anm_u32_parse(tilde + 1, token->size - size - 1, ANM_ORDINAL_MAX, &line->ordinal) != ANM_NUM_OK ||
                  line->ordinal < 2))
        return anm_lines_fail(&t->lines, i, "~ needs a number from 2 on: it tells keys of one frame apart");
    for (unsigned word = 0; word < NIFF_WORDS; word++) {
        names[word] = niff_word_text(word);
        if (strlen(names[word]) == size && memcmp(names[word], token->text, size) == 0) {
            line->word = (uint8_t)word;
            return 0;
        }
    }
    names[NIFF_WORDS] = NULL;
    const char *nearest = anm_nearest(token->text, size, names);
    return anm_lines_fail(&t->lines, i, "there is no channel %.*s%s%s", shown(token), token->text,
                          nearest ? "; the nearest is "
                                  : ": expected translate, rotate, scale, interpolation or one of NIFF 2.0",
                          nearest ? nearest : "");
}

static int read_line(struct niff_text *t)
{
    uint32_t i = 0;
    if (t->count == t->capacity) {
        uint32_t capacity = t->capacity ? t->capacity * 2 : 64;
        struct niff_line *at = capacity > INT32_MAX ? NULL : anm_realloc(t->at, capacity, sizeof *at);
        if (!at)
            return anm_fail_nomem(t->lines.err);
        t->at = at;
        t->capacity = capacity;
    }
    if (t->depth != NIFF_OF_FRAME && read_frame(t, i++))
        return -1;
    if (t->depth != NIFF_OF_BONE && read_group(t, i++))
        return -1;
    struct niff_line *line = &t->at[t->count];
    *line = (struct niff_line){.group = t->group, .frame = t->frame, .line = t->lines.line};
    if (read_word(t, i, line) || read_rest(t, i, line))
        return -1;
    line->column = t->lines.tokens[i].column;
    if (line->word >= NIFF_W_CHANNEL && !niff_group_view(t->doc, line->group).has_channels)
        return anm_lines_fail(
            &t->lines, i, "%s is a channel of NIFF 2.0, and this %s; echo niff 2.0 >format converts it",
            niff_word_text(line->word), niff_is_2(t->doc) ? "group has none" : "file is of an older version");
    t->count++;
    return 0;
}

int niff_parse(struct niff_text *t, const void *bytes, size_t size, struct anm_error *err)
{
    int more;
    anm_lines_start(&t->lines, bytes, size, err);
    while ((more = anm_lines_next(&t->lines)) == 1)
        if (read_line(t))
            return -1;
    return more;
}
