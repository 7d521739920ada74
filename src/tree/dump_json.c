/* SPDX-License-Identifier: MIT */
/* The text of a whole file as JSON: an array a word, an object a line. What cJSON makes of a number is checked, and what it accepts
 * though it is no JSON is refused: a name that stands twice, bytes behind the end, a NUL in a string, bytes that are not UTF-8. */
#include "anm/lines.h"
#include "anm/num.h"
#include "anm/route.h"
#include "anm/utf8.h"
#include "dump.h"
#include "json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SCHEMA "anm.schema.json"

/* A number as the text has it: the shortest decimal of a float where that is what it is. No NUL. */
static size_t put_number(char out[64], double value)
{
    float narrow = (float)value;
    uint32_t bits;
    double back;
    if (isfinite(narrow)) {
        memcpy(&bits, &narrow, sizeof bits);
        size_t size = anm_f32_print(out, bits);
        /* Readers of decimals may differ in the last bit. */
        if (anm_f64_parse(out, size, &back) == ANM_NUM_OK && fabs(back - value) <= fabs(value) * 4e-16)
            return size;
    }
    bool whole = fabs(value) < 9007199254740992.0 && floor(value) == value;
    size_t size = (size_t)snprintf(out, 64, whole ? "%.0f" : "%.17g", value);
    for (char *comma = out; !whole && (comma = memchr(comma, ',', size - (size_t)(comma - out)));)
        *comma = '.'; /* some locales' */
    return size;
}

/* --- writing --- */

static struct anm_token take(const char **at, const char *end)
{
    while (*at < end && (**at == ' ' || **at == '\t'))
        ++*at;
    struct anm_token token = {.text = *at};
    while (*at < end && **at != ' ' && **at != '\t')
        ++*at;
    token.size = (size_t)(*at - token.text);
    return token;
}

static void put_string(struct anm_buf *out, const struct anm_token *token)
{
    anm_buf_putc(out, '"');
    for (size_t i = 0; i < token->size; i++) {
        unsigned char c = (unsigned char)token->text[i];
        if (c == '"' || c == '\\')
            anm_buf_putc(out, '\\');
        if (c < ' ')
            anm_buf_printf(out, "\\u%04x", c);
        else
            anm_buf_putc(out, (char)c);
    }
    anm_buf_putc(out, '"');
}

/* A field as a number where that reads back to the same field, else as a string. */
static void put_value(struct anm_buf *out, const struct anm_token *token)
{
    char number[64];
    double value;
    bool same = anm_f64_parse(token->text, token->size, &value) == ANM_NUM_OK && isfinite(value) &&
                put_number(number, value) == token->size && memcmp(number, token->text, token->size) == 0;
    if (!same) {
        put_string(out, token);
        return;
    }
    anm_buf_put(out, token->text, token->size);
    if (value == 0 && signbit(value))
        anm_buf_puts(out, ".0"); /* without it some readers take -0 for an integer, which has no sign */
}

static void put_values(struct anm_buf *out, const char *at, const char *end)
{
    anm_buf_puts(out, "\"values\": [");
    struct anm_token token = take(&at, end);
    for (bool first = true; token.size > 0; token = take(&at, end), first = false) {
        if (!first)
            anm_buf_puts(out, ", ");
        put_value(out, &token);
    }
    anm_buf_puts(out, "]}");
}

/* A line of the text, and where what is behind its word and its path starts. */
struct line {
    const char *start, *end;
    const char *word;
    size_t word_size;
    bool key, raw, directory;
    unsigned names;
    const char *rest; /* behind all names */
};

/* Fills in what the table says of the word. */
static void look_up(const struct anm_routes *routes, struct line *line)
{
    line->raw = line->word_size == strlen(DUMP_BASE) && memcmp(line->word, DUMP_BASE, line->word_size) == 0;
    for (uint32_t i = 1; i < routes->count && !line->key; i++) {
        const struct anm_route *row = &routes->rows[i];
        if (!row->word || strlen(row->word) != line->word_size || memcmp(row->word, line->word, line->word_size) != 0)
            continue;
        line->raw = row->kind == ANM_FILE_RAW;
        line->directory = row->kind == ANM_DIR;
        for (const char *at = row->pattern; *at; at++)
            line->names += *at >= 'A' && *at <= 'Z' && (at == row->pattern || at[-1] == '/');
    }
}

static struct line read_line(const struct anm_routes *routes, const char *start, const char *end)
{
    struct line line = {.start = start, .end = end, .key = *start >= '0' && *start <= '9'};
    const char *at = start;
    struct anm_token word = take(&at, end);
    line.word = line.key ? DUMP_KEYS : word.text;
    line.word_size = line.key ? strlen(DUMP_KEYS) : word.size;
    line.rest = at;
    if (routes)
        look_up(routes, &line);
    for (unsigned i = 0; i < line.names; i++)
        take(&line.rest, end);
    return line;
}

/* Whether two lines hold pieces of the same bytes. */
static bool same_bytes(const struct line *a, const struct line *b)
{
    size_t size = (size_t)(a->rest - a->start);
    return a->raw && b->raw && size == (size_t)(b->rest - b->start) && memcmp(a->start, b->start, size) == 0;
}

static void put_names(struct anm_buf *out, const struct line *line)
{
    const char *at = line->start;
    take(&at, line->end);
    if (line->names == 0)
        return;
    anm_buf_puts(out, "\"of\": [");
    for (unsigned i = 0; i < line->names; i++) {
        struct anm_token name = take(&at, line->end);
        if (i > 0)
            anm_buf_puts(out, ", ");
        put_string(out, &name);
    }
    anm_buf_puts(out, line->directory ? "]}" : "], ");
}

static void put_key(struct anm_buf *out, const struct line *line)
{
    const char *at = line->start;
    struct anm_token token = take(&at, line->end);
    anm_buf_puts(out, "{\"frame\": ");
    put_value(out, &token);
    anm_buf_puts(out, ", \"name\": ");
    token = take(&at, line->end);
    put_string(out, &token);
    anm_buf_puts(out, ", \"channel\": ");
    token = take(&at, line->end);
    put_string(out, &token);
    anm_buf_puts(out, ", ");
    put_values(out, at, line->end);
}

/* All but what closes an object of bytes, as more of them may follow. */
static void put_object(struct anm_buf *out, const struct line *line)
{
    if (line->key) {
        put_key(out, line);
        return;
    }
    anm_buf_putc(out, '{');
    put_names(out, line);
    if (line->raw)
        anm_buf_puts(out, "\"base64\": \"");
    else if (!line->directory)
        put_values(out, line->rest, line->end);
}

/* Ends what the last line began and begins what a line needs: nothing, an object or an array. */
static void put_between(struct anm_buf *out, const struct line *last, const struct line *line)
{
    bool same = last->word_size == line->word_size && memcmp(last->word, line->word, line->word_size) == 0;
    if (last->raw)
        anm_buf_puts(out, "\"}");
    if (same) {
        anm_buf_puts(out, ",\n  ");
        return;
    }
    anm_buf_puts(out, last->word_size ? "\n ],\n \"" : ",\n \"");
    anm_buf_put(out, line->word, line->word_size);
    anm_buf_puts(out, "\": [\n  ");
}

static const struct anm_routes *routes_of_text(const struct anm_buf *text)
{
    const char *at = (const char *)text->data, *end = memchr(at, '\n', text->size);
    take(&at, end);
    struct anm_token family = take(&at, end);
    return anm_routes_named(family.text, family.size);
}

int json_of_text(const struct anm_buf *text, struct anm_buf *out, struct anm_error *err)
{
    const char *at = (const char *)text->data, *end = at + text->size;
    const struct anm_routes *routes = routes_of_text(text);
    struct line last = {.word = ""};
    anm_buf_puts(out, "{\n \"$schema\": \"" SCHEMA "\"");
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        struct line line = read_line(routes, at, stop);
        if (!same_bytes(&last, &line)) {
            put_between(out, &last, &line);
            put_object(out, &line);
        }
        const char *rest = line.rest;
        struct anm_token piece = take(&rest, stop);
        if (line.raw)
            anm_buf_put(out, piece.text, piece.size);
        last = line;
        at = stop + 1;
    }
    anm_buf_puts(out, last.raw ? "\"}\n ]\n}\n" : "\n ]\n}\n");
    return out->failed ? anm_fail_nomem(err) : 0;
}

/* --- reading --- */

/* An object of an array. */
struct item {
    const cJSON *of, *values, *base64, *frame, *name, *channel;
};

struct source {
    struct anm_buf *out, *items;
    struct anm_error *err;
    const char *array;
    uint32_t number;
};

static int refuse(const struct source *s, const char *what)
{
    return anm_fail(s->err, ANM_TEXT, "%s[%u]: expected %s", s->array, s->number, what);
}

/* A field of the text: a string without blanks, or a number. */
static int put_field(const struct source *s, const cJSON *value)
{
    char number[64];
    anm_buf_putc(s->out, ' ');
    if (cJSON_IsNumber(value) && isfinite(value->valuedouble)) {
        anm_buf_put(s->out, number, put_number(number, value->valuedouble));
        return 0;
    }
    if (!cJSON_IsString(value) || !*value->valuestring)
        return refuse(s, "numbers, and strings that are not empty");
    for (const char *c = value->valuestring; *c; c++)
        if ((unsigned char)*c <= ' ' || *c == 0x7f)
            return refuse(s, "strings without blanks");
    anm_buf_puts(s->out, value->valuestring);
    return 0;
}

static int put_fields(const struct source *s, const cJSON *array)
{
    const cJSON *value;
    if (array && !cJSON_IsArray(array))
        return refuse(s, "\"of\" and \"values\" to be arrays");
    cJSON_ArrayForEach(value, array)
    {
        if (put_field(s, value))
            return -1;
    }
    return 0;
}

/* Sets the members of an object; each is one that can be, and there once. */
static int read_item(const struct source *s, const cJSON *object, struct item *item)
{
    const struct {
        const char *name;
        const cJSON **member;
    } members[] = {{"of", &item->of},       {"values", &item->values}, {"base64", &item->base64},
                   {"frame", &item->frame}, {"name", &item->name},     {"channel", &item->channel}};
    const cJSON *member;
    if (!cJSON_IsObject(object))
        return refuse(s, "an object");
    cJSON_ArrayForEach(member, object)
    {
        size_t i = 0;
        while (i < sizeof members / sizeof *members && strcmp(members[i].name, member->string) != 0)
            i++;
        if (i == sizeof members / sizeof *members)
            return refuse(s, "of, values, base64, frame, name, channel and no other names");
        if (*members[i].member)
            return anm_fail(s->err, ANM_TEXT, "%s[%u]: %s is there twice", s->array, s->number, members[i].name);
        *members[i].member = member;
    }
    return 0;
}

static int put_key_fields(const struct source *s, const struct item *item)
{
    if (!item->frame || !item->name || !item->channel || item->of || item->base64)
        return refuse(s, "frame, name, channel and values");
    size_t start = s->out->size + 1;
    if (put_field(s, item->frame))
        return -1;
    if (s->out->failed || s->out->data[start] < '0' || s->out->data[start] > '9')
        return s->out->failed ? anm_fail_nomem(s->err) : refuse(s, "frame to start with a digit");
    return put_field(s, item->name) || put_field(s, item->channel) || put_fields(s, item->values) ? -1 : 0;
}

static int put_line(const struct source *s, const cJSON *object)
{
    struct item item = {0};
    struct json_item from = {.number = s->number};
    if (read_item(s, object, &item))
        return -1;
    bool key = strcmp(s->array, DUMP_KEYS) == 0;
    memcpy(from.array, s->array, strlen(s->array));
    anm_buf_put(s->items, &from, sizeof from);
    if (!key)
        anm_buf_puts(s->out, s->array);
    if (!key && (item.frame || item.name || item.channel || (item.values && item.base64)))
        return refuse(s, "of with values, or of with base64");
    if (key ? put_key_fields(s, &item) : put_fields(s, item.of) || put_fields(s, item.values))
        return -1;
    if (item.base64 && (!cJSON_IsString(item.base64) || (*item.base64->valuestring && put_field(s, item.base64))))
        return s->err->text[0] ? -1 : refuse(s, "base64 to be a string");
    anm_buf_putc(s->out, '\n');
    return 0;
}

static int put_array(struct source *s, const cJSON *array)
{
    const cJSON *object;
    s->array = array->string;
    s->number = 0;
    size_t size = strlen(array->string);
    if (size == 0 || size >= sizeof((struct json_item *)0)->array ||
        strspn(array->string, "abcdefghijklmnopqrstuvwxyz") != size || !cJSON_IsArray(array))
        return anm_fail(s->err, ANM_TEXT, "expected names of arrays, as \"keys\": [ ... ], found \"%.200s\"",
                        array->string);
    cJSON_ArrayForEach(object, array)
    {
        if (put_line(s, object))
            return -1;
        s->number++;
    }
    return 0;
}

/* What cJSON would take: the position of the first byte that is none of a JSON, or of a \u0000, which ends a string for it. */
static const char *find_odd(const char *at, const char *end)
{
    while (at < end) {
        size_t size = anm_utf8_size(at, end);
        bool control = (unsigned char)*at < ' ' && *at != '\n' && *at != '\r' && *at != '\t';
        if (size == 0 || control)
            return at;
        if (*at == '\\') {
            if (end - at >= 6 && memcmp(at + 1, "u0000", 5) == 0)
                return at;
            at += end - at >= 2 && (unsigned char)at[1] < 0x80 ? 2 : 1;
            continue;
        }
        at += size;
    }
    return NULL;
}

static int refuse_at(const char *text, const char *at, struct anm_error *err)
{
    uint32_t line = 1;
    const char *start = text;
    for (const char *c = text; c < at; c++)
        if (*c == '\n') {
            line++;
            start = c + 1;
        }
    return anm_fail_line(err, line, (uint32_t)(at - start) + 1, "this is no JSON");
}

static int put_all(struct source *s, const cJSON *root)
{
    enum { ARRAYS_MAX = 64 }; /* no table has as many words */
    const cJSON *member, *other;
    int count = 0;
    if (!cJSON_IsObject(root))
        return anm_fail(s->err, ANM_TEXT, "expected an object");
    cJSON_ArrayForEach(member, root)
    {
        if (++count > ARRAYS_MAX)
            return anm_fail(s->err, ANM_TEXT, "expected no more than %d names", ARRAYS_MAX);
        for (other = root->child; other != member; other = other->next)
            if (strcmp(other->string, member->string) == 0)
                return anm_fail(s->err, ANM_TEXT, "%.200s is there twice", member->string);
        if (strcmp(member->string, "format") == 0 && put_array(s, member))
            return -1;
    }
    cJSON_ArrayForEach(member, root)
    {
        if (strcmp(member->string, "format") != 0 && strcmp(member->string, "$schema") != 0 && put_array(s, member))
            return -1;
    }
    return s->out->failed || s->items->failed ? anm_fail_nomem(s->err) : 0;
}

int text_of_json(const void *bytes, size_t size, struct anm_buf *out, struct anm_buf *items, struct anm_error *err)
{
    ANM_AUTO(anm_buf_free) struct anm_buf copy = {0};
    struct source source = {.out = out, .items = items, .err = err};
    const char *stop = NULL;
    anm_buf_put(&copy, bytes, size);
    const char *text = anm_buf_cstr(&copy);
    if (!text)
        return anm_fail_nomem(err);
    const char *odd = find_odd(text, text + size);
    if (odd)
        return refuse_at(text, odd, err);
    err->text[0] = 0;
    ANM_AUTO(anm_json_clean) cJSON *root = cJSON_ParseWithLengthOpts(text, size + 1, &stop, true);
    return root ? put_all(&source, root) : refuse_at(text, stop ? stop : text, err);
}
