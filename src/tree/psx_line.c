/* SPDX-License-Identifier: MIT */
/* Records as lines of key=value, by their tables of fields. */
#include "psx_tree.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

unsigned psx_entry_version(const struct psx_doc *doc)
{
    return psx_is(doc, &anm_tsq) && doc->version ? 3 : doc->version;
}

int psx_line_fail(const struct psx_line *line, uint32_t column, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return anm_fail_line(line->err, line->line, column, "%s", text);
}

int psx_line_give(struct psx_line *line, unsigned field, uint32_t column)
{
    if (psx_line_has(line, field))
        return psx_line_fail(line, column, "a second value for %s", line->fields[field].name);
    line->given |= 1u << field;
    return 0;
}

static bool is_key(const struct anm_field *field, const char *key)
{
    return field->key && strcmp(field->key, key) == 0;
}

int psx_line_set(struct psx_line *line, const char *key, const struct anm_token *value)
{
    char why[128], separator = strcmp(key, "size") == 0 ? 'x' : ',';
    const char *text = value->text, *end = text + value->size;
    unsigned left = 0;
    for (unsigned i = 0; i < line->count; i++)
        left += is_key(&line->fields[i], key);
    for (unsigned i = 0; i < line->count; i++) {
        const struct anm_field *field = &line->fields[i];
        if (!is_key(field, key))
            continue;
        const char *stop = --left ? memchr(text, separator, (size_t)(end - text)) : end;
        uint32_t column = value->column + (uint32_t)(text - value->text);
        int32_t number;
        if (line->version < field->since)
            return psx_line_fail(line, value->column, "%s (%s) is there since version %d", key, field->name,
                                 line->tsq ? 1 : field->since);
        if (!stop)
            return psx_line_fail(line, column, "expected %s=%s%c%s", key, field->name, separator, field[1].name);
        if (anm_field_parse(field, text, (size_t)(stop - text), &number, why))
            return psx_line_fail(line, column, "%s: %s", key, why);
        if (psx_line_give(line, i, value->column))
            return -1;
        anm_field_set(field, line->words, number);
        text = stop + (stop < end);
    }
    return 0;
}

/* The error for a key that no field has. */
static int unknown_key(const struct psx_line *line, const struct anm_token *key)
{
    const char *keys[33] = {"blend"};
    unsigned count = line->count > 8; /* sprites have it, entries have not */
    for (unsigned i = 0; i < line->count; i++)
        keys[count++] = line->fields[i].key;
    keys[count] = NULL;
    const char *near = anm_nearest(key->text, key->size, keys);
    return psx_line_fail(line, key->column, "there is no %.*s%s%s%s", (int)(key->size > 40 ? 40 : key->size), key->text,
                         near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

/* One token. */
static int read_value(struct psx_line *line, const struct anm_token *token,
                      int (*special)(struct psx_line *, const struct anm_token *, const struct anm_token *))
{
    const char *equals = memchr(token->text, '=', token->size);
    if (!equals)
        return psx_line_fail(line, token->column, "expected key=value");
    struct anm_token key = *token, value = *token;
    key.size = (size_t)(equals - token->text);
    value.text = equals + 1;
    value.size = token->size - key.size - 1;
    value.column += (uint32_t)key.size + 1;
    int took = special ? special(line, &key, &value) : 0;
    if (took)
        return took < 0 ? -1 : 0;
    for (unsigned i = 0; i < line->count; i++)
        if (strlen(line->fields[i].key) == key.size && memcmp(line->fields[i].key, key.text, key.size) == 0)
            return psx_line_set(line, line->fields[i].key, &value);
    return unknown_key(line, &key);
}

int psx_line_read(struct anm_lines *lines, uint32_t first, struct psx_line *line,
                  int (*special)(struct psx_line *, const struct anm_token *, const struct anm_token *))
{
    struct anm_token token;
    line->line = lines->line;
    for (uint32_t i = first; i < lines->count; i++)
        if (read_value(line, &lines->tokens[i], special))
            return -1;
    while (anm_lines_more(lines, &token))
        if (read_value(line, &token, special))
            return -1;
    return 0;
}

void psx_line_put(struct anm_buf *out, const struct anm_field *fields, unsigned count, unsigned field,
                  const uint32_t *words)
{
    const char *key = fields[field].key;
    anm_buf_printf(out, "%s%s=", out->size && out->data[out->size - 1] != '\n' ? " " : "", key);
    anm_field_put(out, &fields[field], anm_field_get(&fields[field], words));
    if (field + 1 < count && is_key(&fields[field + 1], key)) {
        anm_buf_putc(out, strcmp(key, "size") == 0 ? 'x' : ',');
        anm_field_put(out, &fields[field + 1], anm_field_get(&fields[field + 1], words));
    }
}
