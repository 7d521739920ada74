/* SPDX-License-Identifier: MIT */
/* A whole file as one text: each line of each file of the tree, behind the word of its row and what the path says. */
#include "anm/dump.h"

#include "anm/lines.h"
#include "anm/route.h"
#include "dump.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE = 57 /* bytes of a line of base64: 76 digits */ };

/* --- writing --- */

static bool is_set(const char *component)
{
    return *component >= 'A' && *component <= 'Z';
}

/* The word of a part, and of its path the components that have no name of their own in the table. */
static void put_prefix(struct anm_buf *out, const struct anm_part *part)
{
    const char *pattern = part->route->pattern, *path = part->path;
    anm_buf_puts(out, part->route->word);
    for (;;) {
        size_t size = strcspn(path, "/");
        if (is_set(pattern)) {
            anm_buf_putc(out, ' ');
            anm_buf_put(out, path, size);
        }
        path += size;
        pattern = strchrnul(pattern, '/');
        if (!*path || !*pattern)
            return;
        path++;
        pattern++;
    }
}

static void put_pieces(struct anm_buf *out, const char *prefix, size_t prefix_size, const struct anm_buf *bytes)
{
    for (size_t i = 0; i == 0 || i < bytes->size; i += PIECE) {
        size_t left = bytes->size - i;
        anm_buf_put(out, prefix, prefix_size);
        if (left > 0) {
            anm_buf_putc(out, ' ');
            base64_put(out, bytes->data + i, left < PIECE ? left : PIECE);
        }
        anm_buf_putc(out, '\n');
    }
}

/* Lines that say nothing are left out. */
static void put_lines(struct anm_buf *out, const char *prefix, size_t prefix_size, const struct anm_buf *text)
{
    const char *at = text->size ? (const char *)text->data : "", *end = at + text->size;
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at)), *first = at;
        stop = stop ? stop : end;
        while (first < stop && (*first == ' ' || *first == '\t'))
            first++;
        if (first < stop && *first != '#') {
            anm_buf_put(out, prefix, prefix_size);
            if (prefix_size > 0)
                anm_buf_putc(out, ' ');
            anm_buf_put(out, at, (size_t)(stop - at));
            anm_buf_putc(out, '\n');
        }
        at = stop < end ? stop + 1 : end;
    }
}

static bool is_keys(const struct anm_part *part)
{
    return part->route && strcmp(part->route->word, DUMP_KEYS) == 0;
}

/* The lines of all parts, keys by bone where `ordered`. */
static int put_parts(const struct anm_parts *parts, bool ordered, struct anm_buf *out, struct anm_error *err)
{
    for (size_t i = 0; i < parts->count; i++) {
        const struct anm_part *part = &parts->at[i];
        ANM_AUTO(anm_buf_free) struct anm_buf prefix = {0}, keys = {0}, order = {0};
        if (!part->route) {
            put_pieces(out, DUMP_BASE, strlen(DUMP_BASE), &part->bytes);
            continue;
        }
        if (is_keys(part) && ordered) {
            if (keys_by_bone(&part->bytes, &keys, &order, err))
                return -1;
            anm_buf_puts(out, DUMP_ORDER " bones\n");
            put_lines(out, DUMP_ORDER, strlen(DUMP_ORDER), &order);
        } else if (!is_keys(part)) {
            put_prefix(&prefix, part);
        }
        const char *start = anm_buf_cstr(&prefix);
        if (!start)
            return anm_fail_nomem(err);
        if (part->directory)
            anm_buf_printf(out, "%s\n", start);
        else if (anm_ref_kind(&(const struct anm_ref){.route = part->route}) == ANM_FILE_RAW)
            put_pieces(out, start, prefix.size, &part->bytes);
        else
            put_lines(out, start, prefix.size, ordered && is_keys(part) ? &keys : &part->bytes);
    }
    return out->failed ? anm_fail_nomem(err) : 0;
}

/* Whether a text makes the bytes of the document. -1 with `err` when out of memory. */
static int makes(const struct anm_buf *text, const struct anm_doc *doc, struct anm_error *err)
{
    ANM_AUTO(anm_buf_free) struct anm_buf want = {0}, got = {0};
    struct anm_error why = {0};
    ANM_AUTO(anm_doc_clean) struct anm_doc *back = anm_build(text->data, text->size, &why);
    if (anm_doc_encode(doc, &want, &why) != 0 ||
        (back ? anm_doc_encode(back, &got, &why) != 0 : why.reason == ANM_NOMEM))
        return anm_fail_nomem(err);
    return back && want.size == got.size && (want.size == 0 || memcmp(want.data, got.data, want.size) == 0);
}

int anm_dump(const struct anm_doc *doc, bool by_bone, struct anm_buf *out, struct anm_error *err)
{
    ANM_AUTO(anm_parts_free) struct anm_parts parts = {0};
    ANM_AUTO(anm_buf_free) struct anm_buf text = {0};
    if (anm_parts_of(doc, &parts, err) || put_parts(&parts, by_bone, &text, err))
        return -1;
    /* Where keys of a bone do not ascend, frames do not tell their order. */
    int good = by_bone ? makes(&text, doc, err) : 1;
    if (good < 0)
        return -1;
    if (!good) {
        text.size = 0;
        if (put_parts(&parts, false, &text, err))
            return -1;
    }
    if (text.size > 0)
        anm_buf_put(out, text.data, text.size);
    return out->failed ? anm_fail_nomem(err) : 0;
}

int anm_dump_json(const struct anm_doc *doc, bool by_bone, struct anm_buf *out, struct anm_error *err)
{
    ANM_AUTO(anm_buf_free) struct anm_buf text = {0};
    return anm_dump(doc, by_bone, &text, err) ? -1 : json_of_text(&text, out, err);
}

/* --- reading --- */

struct reader {
    const struct anm_routes *routes; /* NULL: no format yet */
    struct anm_parts parts;
    struct anm_part keys, order;
    bool by_bone;
    uint32_t line;
    const char *start, *at, *end; /* of the line, without its end; what is still to be read */
    struct anm_error *err;
};

static void reader_free(struct reader *r)
{
    anm_parts_free(&r->parts);
    anm_buf_free(&r->keys.bytes);
    anm_buf_free(&r->keys.origins);
    anm_buf_free(&r->order.bytes);
    anm_buf_free(&r->order.origins);
}

static int column_of(const struct reader *r, const char *at)
{
    return (int)(at - r->start) + 1;
}

static struct anm_token take(struct reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t'))
        r->at++;
    struct anm_token token = {.text = r->at, .column = (uint32_t)column_of(r, r->at)};
    while (r->at < r->end && *r->at != ' ' && *r->at != '\t')
        r->at++;
    token.size = (size_t)(r->at - token.text);
    return token;
}

static int refuse(const struct reader *r, const struct anm_token *token, const char *what)
{
    if (token->size == 0)
        return anm_fail_line(r->err, r->line, token->column, "expected %s, found the end of the line", what);
    return anm_fail_line(r->err, r->line, token->column, "expected %s, found %.*s", what,
                         token->size > 200 ? 200 : (int)token->size, token->text);
}

/* Adds what is left of the line to a part. */
static int add_rest(struct reader *r, struct anm_part *part)
{
    const struct anm_origin origin = {r->line, (uint32_t)column_of(r, r->at)};
    anm_buf_put(&part->bytes, r->at, (size_t)(r->end - r->at));
    anm_buf_putc(&part->bytes, '\n');
    anm_buf_put(&part->origins, &origin, sizeof origin);
    return part->bytes.failed || part->origins.failed ? anm_fail_nomem(r->err) : 0;
}

static int add_piece(struct reader *r, struct anm_part *part)
{
    struct anm_token token = take(r);
    const struct anm_origin origin = {r->line, token.column};
    if (!base64_read(&part->bytes, token.text, token.size))
        return refuse(r, &token, "base64");
    token = take(r);
    if (token.size > 0)
        return refuse(r, &token, "the end of the line");
    anm_buf_put(&part->origins, &origin, sizeof origin);
    return part->bytes.failed || part->origins.failed ? anm_fail_nomem(r->err) : 0;
}

/* The part of that path: the last one, or a new one. */
static struct anm_part *part_of(struct reader *r, const char *path, size_t size, bool directory)
{
    struct anm_part *last = r->parts.count ? &r->parts.at[r->parts.count - 1] : NULL;
    if (last && last->directory == directory && strlen(last->path) == size && memcmp(last->path, path, size) == 0)
        return last;
    return anm_parts_add(&r->parts, path, size, directory, r->err);
}

static const struct anm_route *find_row(const struct reader *r, const struct anm_token *word)
{
    for (uint32_t i = 1; i < r->routes->count; i++) {
        const struct anm_route *row = &r->routes->rows[i];
        if (row->word && strlen(row->word) == word->size && memcmp(row->word, word->text, word->size) == 0 &&
            strcmp(row->word, DUMP_KEYS) != 0)
            return row;
    }
    return NULL;
}

static int refuse_word(const struct reader *r, const struct anm_token *word)
{
    enum { WORDS = 16 };
    const char *words[WORDS + 3] = {DUMP_BASE, DUMP_ORDER};
    size_t count = 2;
    for (uint32_t i = 1; i < r->routes->count && count < WORDS + 2; i++)
        if (r->routes->rows[i].word)
            words[count++] = r->routes->rows[i].word;
    const char *near = anm_nearest(word->text, word->size, words);
    int size = word->size > 200 ? 200 : (int)word->size;
    if (near)
        return anm_fail_line(r->err, r->line, word->column, "unknown word %.*s; did you mean %s?", size, word->text,
                             near);
    return anm_fail_line(r->err, r->line, word->column, "unknown word %.*s", size, word->text);
}

/* The path that a line of the row is about, from the table's pattern and the fields of the line. */
static int take_path(struct reader *r, const struct anm_route *row, struct anm_buf *path)
{
    for (const char *at = row->pattern;; at++) {
        const char *stop = strchrnul(at, '/');
        if (is_set(at)) {
            struct anm_token name = take(r);
            if (name.size == 0 || memchr(name.text, '/', name.size) || memchr(name.text, 0, name.size))
                return refuse(r, &name, "a name of the tree, as 012");
            anm_buf_put(path, name.text, name.size);
        } else {
            anm_buf_put(path, at, (size_t)(stop - at));
        }
        if (!*stop)
            return path->failed ? anm_fail_nomem(r->err) : 0;
        anm_buf_putc(path, '/');
        at = stop;
    }
}

static int read_row(struct reader *r, const struct anm_route *row)
{
    ANM_AUTO(anm_buf_free) struct anm_buf path = {0};
    bool directory = row->kind == ANM_DIR;
    if (take_path(r, row, &path))
        return -1;
    struct anm_part *part = part_of(r, (const char *)path.data, path.size, directory);
    if (!part)
        return -1;
    if (row->kind == ANM_FILE_RAW)
        return add_piece(r, part);
    if (r->at < r->end)
        r->at++;
    if (!directory)
        return add_rest(r, part);
    const struct anm_origin origin = {r->line, 1};
    struct anm_token token = take(r);
    if (token.size > 0)
        return refuse(r, &token, "the end of the line");
    anm_buf_put(&part->origins, &origin, sizeof origin);
    return part->origins.failed ? anm_fail_nomem(r->err) : 0;
}

static int read_order(struct reader *r)
{
    const char *start = r->at;
    struct anm_token token = take(r);
    r->by_bone = true;
    if (token.size == 5 && memcmp(token.text, "bones", 5) == 0) {
        token = take(r);
        return token.size > 0 ? refuse(r, &token, "the end of the line") : 0;
    }
    r->at = start < r->end ? start + 1 : start;
    return add_rest(r, &r->order);
}

/* The first line: which table all others are read by. */
static int read_format(struct reader *r, const struct anm_token *word)
{
    struct anm_token family = *word;
    if (word->size == 6 && memcmp(word->text, "format", 6) == 0) {
        family = take(r);
        r->routes = anm_routes_named(family.text, family.size);
    }
    if (!r->routes)
        return refuse(r, &family, "the format first, as format gem 6.0 frm2");
    r->at = word->text + word->size;
    return 0;
}

static int read_line(struct reader *r)
{
    struct anm_token word = take(r);
    if (word.size == 0 || *word.text == '#')
        return 0;
    if (!r->routes && read_format(r, &word))
        return -1;
    if (*word.text >= '0' && *word.text <= '9') {
        r->at = word.text;
        return add_rest(r, &r->keys);
    }
    if (word.size == strlen(DUMP_ORDER) && memcmp(word.text, DUMP_ORDER, word.size) == 0)
        return read_order(r);
    if (word.size == strlen(DUMP_BASE) && memcmp(word.text, DUMP_BASE, word.size) == 0) {
        struct anm_part *part = part_of(r, ANM_PART_BASE, strlen(ANM_PART_BASE), false);
        return part ? add_piece(r, part) : -1;
    }
    const struct anm_route *row = find_row(r, &word);
    return row ? read_row(r, row) : refuse_word(r, &word);
}

static int by_path(const void *left, const void *right)
{
    const struct anm_part *a = left, *b = right;
    int order = strcmp(a->path, b->path);
    const struct anm_origin *x = (const void *)a->origins.data, *y = (const void *)b->origins.data;
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

static int by_line(const void *left, const void *right)
{
    const struct anm_part *a = left, *b = right;
    const struct anm_origin *x = (const void *)a->origins.data, *y = (const void *)b->origins.data;
    return (x->line > y->line) - (x->line < y->line);
}

/* Makes one part of those of one path, wherever their lines stand. */
static int join(struct reader *r)
{
    struct anm_parts *parts = &r->parts;
    size_t count = 0;
    if (parts->count == 0)
        return 0;
    qsort(parts->at, parts->count, sizeof *parts->at, by_path);
    for (size_t i = 0; i < parts->count; i++) {
        struct anm_part *part = &parts->at[i], *last = count ? &parts->at[count - 1] : NULL;
        if (!last || strcmp(last->path, part->path) != 0) {
            const struct anm_part kept = *part;
            *part = (struct anm_part){0};
            parts->at[count++] = kept;
            continue;
        }
        if (part->bytes.size > 0)
            anm_buf_put(&last->bytes, part->bytes.data, part->bytes.size);
        anm_buf_put(&last->origins, part->origins.data, part->origins.size);
        last->bytes.failed |= last->origins.failed;
        if (last->bytes.failed)
            return anm_fail_nomem(r->err);
        last->directory = last->directory && part->directory;
        free(part->path);
        anm_buf_free(&part->bytes);
        anm_buf_free(&part->origins);
        *part = (struct anm_part){0};
    }
    parts->count = count;
    qsort(parts->at, parts->count, sizeof *parts->at, by_line);
    return 0;
}

/* Makes the keys a part like others; without any, there are none. */
static int add_keys(struct reader *r)
{
    bool any = r->keys.bytes.size > 0, known = false;
    for (uint32_t i = 1; i < r->routes->count; i++)
        known = known || strcmp(r->routes->rows[i].pattern, "keys") == 0;
    if (!known && !any)
        return 0;
    if (any && r->by_bone && keys_by_frame(&r->keys, &r->order, r->err))
        return -1;
    struct anm_part *part = anm_parts_add(&r->parts, "keys", 4, false, r->err);
    if (!part)
        return -1;
    part->bytes = r->keys.bytes;
    part->origins = r->keys.origins;
    r->keys.bytes = r->keys.origins = (struct anm_buf){0};
    if (!any)
        anm_buf_puts(&part->bytes, "#\n");
    return part->bytes.failed ? anm_fail_nomem(r->err) : 0;
}

static int read_text(struct reader *r, const char *text, size_t size)
{
    const char *end = text + size;
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        text += 3;
    while (text < end) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        stop = stop ? stop : end;
        r->line++;
        r->start = r->at = text;
        r->end = stop > text && stop[-1] == '\r' ? stop - 1 : stop;
        if (read_line(r))
            return -1;
        text = stop < end ? stop + 1 : end;
    }
    if (!r->routes)
        return anm_fail_line(r->err, r->line ? r->line : 1, 1, "expected the format first, as format gem 6.0 frm2");
    return join(r) || add_keys(r) ? -1 : 0;
}

/* What is wrong with a line of a part, as of the line of the text that it comes from. */
static void translate(const struct anm_part *bad, struct anm_error *err)
{
    size_t count = bad ? bad->origins.size / sizeof(struct anm_origin) : 0;
    const struct anm_origin *origins = count ? (const void *)bad->origins.data : NULL;
    if (err->reason == ANM_NOMEM || !count)
        return;
    size_t i = err->line > 0 && err->line <= count ? err->line - 1 : err->line > 0 ? count - 1 : 0;
    err->column = err->column ? err->column + origins[i].column - 1 : origins[i].column;
    err->line = origins[i].line;
    err->has_offset = false;
}

static struct anm_doc *build_text(const char *text, size_t size, struct anm_error *err)
{
    ANM_AUTO(reader_free) struct reader r = {.err = err};
    const struct anm_part *bad = NULL;
    if (read_text(&r, text, size))
        return NULL;
    struct anm_doc *doc = anm_parts_build(&r.parts, &bad, err);
    if (!doc)
        translate(bad, err);
    return doc;
}

static struct anm_doc *build_json(const void *bytes, size_t size, struct anm_error *err)
{
    ANM_AUTO(anm_buf_free) struct anm_buf text = {0}, items = {0};
    if (text_of_json(bytes, size, &text, &items, err))
        return NULL;
    struct anm_doc *doc = build_text((const char *)text.data, text.size, err);
    if (doc || err->reason == ANM_NOMEM || err->line == 0 || err->line > items.size / sizeof(struct json_item))
        return doc;
    const struct json_item *item = (const struct json_item *)(const void *)items.data + (err->line - 1);
    struct anm_error why = *err;
    anm_fail(err, why.reason, "%s[%u]: %s", item->array, item->number, why.text);
    return NULL;
}

struct anm_doc *anm_build(const void *bytes, size_t size, struct anm_error *err)
{
    const char *text = size ? bytes : "", *end = text + size;
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        text += 3;
    while (text < end && (*text == ' ' || *text == '\t' || *text == '\n' || *text == '\r'))
        text++;
    return text < end && *text == '{' ? build_json(text, (size_t)(end - text), err)
                                      : build_text(size ? bytes : "", size, err);
}
