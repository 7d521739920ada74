/* SPDX-License-Identifier: MIT */
#include "anm/parts.h"

#include "anm/route.h"

#include <stdlib.h>
#include <string.h>

/* A text that says nothing; an empty one would be no text. */
static const char nothing[] = "#\n";

struct anm_part *anm_parts_add(struct anm_parts *parts, const char *path, size_t size, bool directory,
                               struct anm_error *err)
{
    if (!parts->at || parts->count == parts->room) {
        size_t room = parts->room ? 2 * parts->room : 16;
        struct anm_part *at = anm_realloc(parts->at, room, sizeof *at);
        if (!at)
            return anm_fail_nomem(err), NULL;
        parts->at = at;
        parts->room = room;
    }
    struct anm_part *part = &parts->at[parts->count];
    *part = (struct anm_part){.path = anm_alloc(0, size + 1, 1), .directory = directory};
    if (!part->path)
        return anm_fail_nomem(err), NULL;
    memcpy(part->path, path, size);
    parts->count++;
    return part;
}

void anm_parts_free(struct anm_parts *parts)
{
    for (size_t i = 0; i < parts->count; i++) {
        free(parts->at[i].path);
        anm_buf_free(&parts->at[i].bytes);
        anm_buf_free(&parts->at[i].origins);
    }
    free(parts->at);
    *parts = (struct anm_parts){0};
}

/* --- taking apart --- */

enum { DEPTH = 8 }; /* no table is as deep */

struct taking {
    const struct anm_doc *doc;
    const struct anm_routes *routes;
    struct anm_parts *parts;
    struct anm_error *err;
    const struct anm_route *rows[DEPTH]; /* from below the root to the row whose nodes are taken */
    uint32_t depth;
    struct anm_buf path;
};

static bool present(const struct anm_doc *doc, const struct anm_ref *ref)
{
    return !ref->route->exists || ref->route->exists(doc, ref);
}

/* Whether a file of the directory holds something, so that the directory needs no mention of its own. */
static bool has_content(const struct taking *t, const struct anm_ref *dir)
{
    for (uint32_t i = 1; i < t->routes->count; i++) {
        const struct anm_route *row = &t->routes->rows[i];
        struct anm_ref child = {.route = row, .id = {dir->id[0], dir->id[1]}};
        if (t->routes->rows + row->in != dir->route || row->kind == ANM_DIR)
            continue;
        if (row->set ? row->set->count(t->doc, dir) > 0 : row->word && present(t->doc, &child))
            return true;
        ANM_AUTO(anm_buf_free) struct anm_buf text = {0};
        if (!row->set && !row->word && present(t->doc, &child) &&
            (anm_tree_render(t->doc, &child, &text, t->err) != 0 || text.size > 0))
            return true;
    }
    return false;
}

static int take_node(struct taking *t, const struct anm_ref *ref)
{
    bool directory = ref->route->kind == ANM_DIR;
    if (directory && has_content(t, ref))
        return 0;
    struct anm_part *part = anm_parts_add(t->parts, (const char *)t->path.data, t->path.size, directory, t->err);
    if (!part)
        return -1;
    part->route = ref->route;
    return directory ? 0 : anm_tree_render(t->doc, ref, &part->bytes, t->err);
}

/* Takes the nodes of the last row that are below `dir`, which is one of the row before. As deep as the table. */
static int take_below(struct taking *t, const struct anm_ref *dir, uint32_t level)
{
    const struct anm_route *row = t->rows[level];
    const char *slash = strrchr(row->pattern, '/');
    uint32_t count = row->set ? row->set->count(t->doc, dir) : 1;
    size_t size = t->path.size;
    for (uint32_t i = 0; i < count; i++) {
        struct anm_ref ref = {.route = row, .id = {dir->id[0], dir->id[1]}};
        if (!row->set && !present(t->doc, &ref))
            continue;
        t->path.size = size;
        if (level > 0)
            anm_buf_putc(&t->path, '/');
        if (row->set) {
            row->set->at(t->doc, dir, i, &ref);
            row->set->name(t->doc, &ref, &t->path);
        } else {
            anm_buf_puts(&t->path, slash ? slash + 1 : row->pattern);
        }
        if (t->path.failed)
            return anm_fail_nomem(t->err);
        if (level + 1 == t->depth ? take_node(t, &ref) : take_below(t, &ref, level + 1))
            return -1;
    }
    t->path.size = size;
    return 0;
}

static int take_row(struct taking *t, const struct anm_route *row)
{
    const struct anm_route *from[DEPTH];
    uint32_t depth = 0;
    for (; row != t->routes->rows && depth < DEPTH; row = t->routes->rows + row->in)
        from[depth++] = row;
    for (t->depth = 0; t->depth < depth; t->depth++)
        t->rows[t->depth] = from[depth - 1 - t->depth];
    const struct anm_ref root = anm_tree_root(t->doc);
    return take_below(t, &root, 0);
}

/* Whether the parts make these bytes. -1 with `err` when out of memory. */
static int makes(const struct anm_parts *parts, const struct anm_buf *want, struct anm_error *err)
{
    ANM_AUTO(anm_buf_free) struct anm_buf got = {0};
    struct anm_error why = {0};
    const struct anm_part *bad;
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = anm_parts_build(parts, &bad, &why);
    if (doc ? anm_doc_encode(doc, &got, &why) != 0 : why.reason == ANM_NOMEM)
        return anm_fail_nomem(err);
    return doc && got.size == want->size && (got.size == 0 || memcmp(got.data, want->data, got.size) == 0);
}

/* Removes all members of a row of directories, the last first. Returns a document, or NULL. */
static struct anm_doc *without_members(const struct anm_doc *doc, const struct anm_routes *routes,
                                       const struct anm_route *row)
{
    struct anm_error none;
    struct anm_doc *rest = anm_doc_ref(doc);
    const struct anm_ref dir = {.route = routes->rows + row->in};
    for (uint32_t i = row->set->count(doc, &dir); rest && i > 0; i--) {
        struct anm_ref ref = {.route = row};
        row->set->at(rest, &dir, i - 1, &ref);
        struct anm_doc *next = row->remove(rest, &ref, &none);
        anm_doc_unref(rest);
        rest = next;
    }
    return rest;
}

/* The document without what the other parts say: without keys where it has some, else without the directories that can go. NULL when
 * it cannot be without. */
static struct anm_doc *stripped(const struct anm_doc *doc, const struct anm_routes *routes)
{
    struct anm_error none;
    struct anm_ref ref;
    if (anm_tree_find(doc, "keys", &ref, &none) == 0)
        return anm_tree_write(doc, "keys", nothing, sizeof nothing - 1, &none);
    struct anm_doc *rest = anm_doc_ref(doc);
    for (uint32_t i = 1; i < routes->count && rest; i++) {
        const struct anm_route *row = &routes->rows[i];
        if (!row->word || !row->set || row->kind != ANM_DIR || !row->remove)
            continue;
        struct anm_doc *next = without_members(rest, routes, row);
        anm_doc_unref(rest);
        rest = next;
    }
    return rest;
}

/* Puts a base under the parts, after the first one, or other bytes into it. */
static int set_base(struct anm_parts *parts, const struct anm_doc *doc, struct anm_error *err)
{
    struct anm_part *part = parts->count > 1 ? &parts->at[1] : NULL;
    if (!part || strcmp(part->path, ANM_PART_BASE) != 0) {
        if (!anm_parts_add(parts, ANM_PART_BASE, strlen(ANM_PART_BASE), false, err))
            return -1;
        const struct anm_part base = parts->at[parts->count - 1];
        part = &parts->at[1];
        memmove(part + 1, part, (size_t)(parts->at + parts->count - 1 - part) * sizeof *part);
        *part = base;
    }
    part->bytes.size = 0;
    return anm_doc_encode(doc, &part->bytes, err);
}

/* Gives the parts the least base with which they make the bytes of `doc`. */
static int choose_base(const struct anm_doc *doc, const struct anm_routes *routes, struct anm_parts *parts,
                       struct anm_error *err)
{
    ANM_AUTO(anm_buf_free) struct anm_buf want = {0};
    if (anm_doc_encode(doc, &want, err) != 0)
        return -1;
    int good = routes->blank ? makes(parts, &want, err) : 0;
    if (good)
        return good > 0 ? 0 : -1;
    ANM_AUTO(anm_doc_clean) struct anm_doc *rest = stripped(doc, routes);
    if (rest && (set_base(parts, rest, err) != 0 || (good = makes(parts, &want, err)) < 0))
        return -1;
    return good ? 0 : set_base(parts, doc, err);
}

int anm_parts_of(const struct anm_doc *doc, struct anm_parts *parts, struct anm_error *err)
{
    struct taking t = {.doc = doc, .routes = anm_routes_of(doc), .parts = parts, .err = err};
    int result = 0;
    for (uint32_t i = 1; i < t.routes->count && result == 0; i++)
        if (t.routes->rows[i].word)
            result = take_row(&t, &t.routes->rows[i]);
    anm_buf_free(&t.path);
    if (result == 0 && parts->count == 0)
        return anm_fail(err, ANM_DENIED, "this kind of file has no text");
    return result == 0 ? choose_base(doc, t.routes, parts, err) : -1;
}

/* --- putting together --- */

static const struct anm_part *find_part(const struct anm_parts *parts, const char *path)
{
    for (size_t i = 0; i < parts->count; i++)
        if (strcmp(parts->at[i].path, path) == 0)
            return &parts->at[i];
    return NULL;
}

static struct anm_doc *write_part(const struct anm_doc *doc, const struct anm_part *part, struct anm_error *err)
{
    return anm_tree_write(doc, part->path, part->bytes.data, part->bytes.size, err);
}

/* The document that the others are written to: the base, or one without anything in it. */
static struct anm_doc *start(const struct anm_parts *parts, const struct anm_part **bad, struct anm_error *err)
{
    const struct anm_part *base = find_part(parts, ANM_PART_BASE), *format = find_part(parts, "format");
    *bad = base ? base : format;
    if (!base && !format)
        return anm_fail(err, ANM_TEXT, "there is no format, as gem 6.0 frm2"), NULL;
    if (!base)
        return anm_tree_blank(format->bytes.data, format->bytes.size, err);
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = anm_doc_decode(base->bytes.data, base->bytes.size, NULL, err);
    if (!doc || !format)
        return anm_doc_ref(doc);
    *bad = format;
    return write_part(doc, format, err);
}

/* A directory that has to be there. */
struct needed {
    const char *path;
    size_t size, at;
    const struct anm_part *part;
};

static const char *last_name(const struct needed *n)
{
    const char *slash = memrchr(n->path, '/', n->size);
    return slash ? slash + 1 : n->path;
}

/* Numbered ones by their numbers, as those are made in turn; others as they were given. */
static int by_number(const void *left, const void *right)
{
    static const char digits[] = "0123456789";
    const struct needed *a = left, *b = right;
    const char *x = last_name(a), *y = last_name(b);
    size_t x_digits = strspn(x, digits), y_digits = strspn(y, digits);
    if (!x_digits || !y_digits)
        return x_digits ? -1 : y_digits ? 1 : (a->at > b->at) - (a->at < b->at);
    int order = anm_bytes_compare(a->path, (size_t)(x - a->path), b->path, (size_t)(y - b->path));
    if (!order)
        order = (x_digits > y_digits) - (x_digits < y_digits);
    if (!order)
        order = memcmp(x, y, x_digits);
    return order ? order : (a->size > b->size) - (a->size < b->size);
}

static struct anm_doc *make_directory(struct anm_doc *doc, const struct needed *n, struct anm_error *err)
{
    ANM_AUTO(anm_freep) char *path = anm_alloc(0, n->size + 1, 1);
    struct anm_error none;
    struct anm_ref ref;
    if (!path) {
        anm_doc_unref(doc);
        return anm_fail_nomem(err), NULL;
    }
    memcpy(path, n->path, n->size);
    if (anm_tree_find(doc, path, &ref, &none) == 0)
        return doc;
    struct anm_doc *next = anm_tree_mkdir(doc, path, err);
    anm_doc_unref(doc);
    return next;
}

/* Makes the directories that the parts are in. Consumes `doc`. */
static struct anm_doc *make_directories(struct anm_doc *doc, const struct anm_parts *parts, const struct anm_part **bad,
                                        struct anm_error *err)
{
    ANM_AUTO(anm_freep) struct needed *needed = anm_alloc(0, parts->count + 1, sizeof *needed);
    size_t count = 0;
    *bad = NULL;
    if (!needed) {
        anm_doc_unref(doc);
        return anm_fail_nomem(err), NULL;
    }
    for (size_t i = 0; i < parts->count; i++) {
        const struct anm_part *part = &parts->at[i];
        const char *slash = strrchr(part->path, '/');
        size_t size = part->directory ? strlen(part->path) : slash ? (size_t)(slash - part->path) : 0;
        const struct needed *last = count ? &needed[count - 1] : NULL;
        if (size > 0 && !(last && last->size == size && memcmp(last->path, part->path, size) == 0))
            needed[count++] = (struct needed){part->path, size, i, part};
    }
    qsort(needed, count, sizeof *needed, by_number);
    for (size_t i = 0; i < count && doc; i++) {
        *bad = needed[i].part;
        doc = make_directory(doc, &needed[i], err);
    }
    return doc;
}

/* A file, and the place of its row in the table: the order in which files can be written. */
struct turn {
    const struct anm_part *part;
    uint32_t rank;
    size_t at;
};

static int by_rank(const void *left, const void *right)
{
    const struct turn *a = left, *b = right;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return (a->at > b->at) - (a->at < b->at);
}

/* Those to be written, in their order. NULL with `err`. */
static struct turn *take_turns(const struct anm_doc *doc, const struct anm_parts *parts, size_t *count,
                               const struct anm_part **bad, struct anm_error *err)
{
    struct turn *turns = anm_alloc(0, parts->count + 1, sizeof *turns);
    *count = 0;
    *bad = NULL;
    if (!turns)
        return anm_fail_nomem(err), NULL;
    for (size_t i = 0; i < parts->count; i++) {
        const struct anm_part *part = *bad = &parts->at[i];
        struct anm_ref ref = {0};
        if (part->directory || strcmp(part->path, ANM_PART_BASE) == 0 || strcmp(part->path, "format") == 0)
            continue;
        /* Whether a file can be made may depend on those before it: only what it would be is asked for. */
        if (anm_tree_find(doc, part->path, &ref, err) != 0) {
            ref.route = NULL;
            if (err->reason != ANM_NOENT || (anm_tree_can_make(doc, part->path, false, &ref, err) != 0 && !ref.route)) {
                free(turns);
                return NULL;
            }
        }
        turns[(*count)++] = (struct turn){part, anm_ref_rank(&ref), i};
    }
    qsort(turns, *count, sizeof *turns, by_rank);
    return turns;
}

/* Writes the files. Consumes `doc`. */
static struct anm_doc *write_parts(struct anm_doc *doc, const struct anm_parts *parts, const struct anm_part **bad,
                                   struct anm_error *err)
{
    size_t count;
    ANM_AUTO(anm_freep) struct turn *turns = take_turns(doc, parts, &count, bad, err);
    for (size_t i = 0; i < count && turns && doc; i++) {
        *bad = turns[i].part;
        struct anm_doc *next = write_part(doc, turns[i].part, err);
        /* A header can speak of what is made after it. It is written again. */
        if (!next && err->reason != ANM_NOMEM && strcmp(turns[i].part->path, "header") == 0)
            next = anm_doc_ref(doc);
        anm_doc_unref(doc);
        doc = next;
    }
    if (turns || !doc)
        return doc;
    anm_doc_unref(doc);
    return NULL;
}

struct anm_doc *anm_parts_build(const struct anm_parts *parts, const struct anm_part **bad, struct anm_error *err)
{
    struct anm_doc *doc = start(parts, bad, err);
    if (doc)
        doc = make_directories(doc, parts, bad, err);
    if (doc)
        doc = write_parts(doc, parts, bad, err);
    const struct anm_part *header = find_part(parts, "header");
    if (!doc || !header)
        return doc;
    *bad = header;
    struct anm_doc *whole = write_part(doc, header, err);
    anm_doc_unref(doc);
    return whole;
}
