/* SPDX-License-Identifier: MIT */
#include "anm/tree.h"

#include "anm/lines.h"
#include "anm/note.h"
#include "anm/route.h"

#include <stdio.h>
#include <string.h>

#define COMPONENT_MAX 255 /* the longest name a Linux directory entry can have */

static const struct anm_routes *const tables[] = {&note_routes, &gem_routes, &niff_routes,
                                                  &psx_routes,  &tsq_routes, &tim_routes};

#define TABLES (sizeof tables / sizeof *tables)

const struct anm_routes *anm_routes_of(const struct anm_doc *doc)
{
    for (size_t i = 0; i < TABLES; i++)
        if (tables[i]->format == doc->format)
            return tables[i];
    return NULL;
}

const struct anm_routes *anm_routes_named(const char *family, size_t size)
{
    for (size_t i = 0; i < TABLES; i++)
        if (strlen(tables[i]->format->family) == size && memcmp(tables[i]->format->family, family, size) == 0)
            return tables[i];
    return NULL;
}

static const char *label_of(const struct anm_route *row)
{
    const char *slash = strrchr(row->pattern, '/');
    return slash ? slash + 1 : row->pattern;
}

/* The next row of `dir` after `row` (NULL: the first), or NULL. */
static const struct anm_route *next_row(const struct anm_doc *doc, const struct anm_ref *dir,
                                        const struct anm_route *row)
{
    const struct anm_routes *routes = anm_routes_of(doc);
    if (!routes)
        return NULL;
    const struct anm_route *end = routes->rows + routes->count;
    for (row = row ? row + 1 : routes->rows + 1; row < end; row++)
        if (routes->rows + row->in == dir->route)
            return row;
    return NULL;
}

static struct anm_ref child_of(const struct anm_ref *dir, const struct anm_route *row)
{
    return (struct anm_ref){.route = row, .id = {dir->id[0], dir->id[1]}};
}

static bool present(const struct anm_doc *doc, const struct anm_ref *ref)
{
    return !ref->route->exists || ref->route->exists(doc, ref);
}

enum anm_kind anm_ref_kind(const struct anm_ref *ref)
{
    return ref->route->kind;
}

bool anm_ref_writable(const struct anm_ref *ref)
{
    return ref->route->write != NULL;
}

bool anm_ref_volatile(const struct anm_ref *ref)
{
    return ref->route->flags & ANM_ROUTE_VOLATILE;
}

bool anm_ref_removable(const struct anm_ref *ref)
{
    return ref->route->remove != NULL;
}

uint32_t anm_ref_rank(const struct anm_ref *ref)
{
    for (size_t i = 0; i < TABLES; i++) {
        uintptr_t at = (uintptr_t)ref->route - (uintptr_t)tables[i]->rows;
        if (ref->route && (uintptr_t)ref->route >= (uintptr_t)tables[i]->rows &&
            at < tables[i]->count * sizeof *ref->route)
            return (uint32_t)(at / sizeof *ref->route);
    }
    return 0;
}

const char *anm_ref_label(const struct anm_ref *ref)
{
    return label_of(ref->route);
}

double anm_tree_turned(const struct anm_doc *doc, const char *channel, size_t size, const double *a, const double *b,
                       size_t count)
{
    const struct anm_routes *routes = anm_routes_of(doc);
    return routes->turned ? routes->turned(channel, size, a, b, count) : -1;
}

struct anm_ref anm_tree_root(const struct anm_doc *doc)
{
    const struct anm_routes *routes = anm_routes_of(doc);
    return (struct anm_ref){.route = routes ? routes->rows : NULL};
}

static bool listed(const struct anm_route *row, unsigned classes)
{
    return !(row->flags & ANM_ROUTE_HIDDEN && !(classes & ANM_LIST_HIDDEN)) &&
           !(row->flags & ANM_ROUTE_RAW && !(classes & ANM_LIST_RAW)) &&
           !(row->flags & ANM_ROUTE_PREVIEW && !(classes & ANM_LIST_PREVIEW));
}

/* The table of the family that a content of `format` begins with; NULL with `err`. */
static const struct anm_routes *routes_for(const void *bytes, size_t size, struct anm_error *err)
{
    struct anm_lines lines;
    anm_lines_start(&lines, bytes, size, err);
    int more = anm_lines_next(&lines);
    for (size_t i = 0; i < TABLES && more > 0; i++)
        if (tables[i]->blank && anm_lines_is(&lines, 0, tables[i]->format->family))
            return tables[i];
    if (more > 0)
        anm_lines_expect(&lines, 0, "a format of which there can be a file without anything in it, as gem 6.0 frm2");
    else if (more == 0)
        anm_fail_line(err, 1, 1, "expected a format, as gem 6.0 frm2");
    return NULL;
}

struct anm_doc *anm_tree_blank(const void *format, size_t size, struct anm_error *err)
{
    const struct anm_routes *routes = routes_for(format, size, err);
    return routes ? routes->blank(format, size, err) : NULL;
}

/* Whether a directory, and the directories in it, are all that there is below it. */
static bool is_bare(const struct anm_doc *doc, const struct anm_ref *dir)
{
    ANM_AUTO(anm_buf_free) struct anm_buf name = {0};
    struct anm_ref child;
    uint32_t cookie = 0;
    while (anm_tree_next(doc, dir, ANM_LIST_RAW, &cookie, &child, &name))
        if (child.route->kind != ANM_DIR || child.route->set || !is_bare(doc, &child))
            return false;
    return true;
}

bool anm_tree_is_bare(const struct anm_doc *doc)
{
    const struct anm_ref root = anm_tree_root(doc);
    for (const struct anm_route *row = NULL; (row = next_row(doc, &root, row));) {
        const struct anm_ref child = child_of(&root, row);
        if (row->kind == ANM_DIR && listed(row, ANM_LIST_RAW) && present(doc, &child) && !is_bare(doc, &child))
            return false;
    }
    return !anm_is_note(doc);
}

static int need_dir(const struct anm_ref *ref, struct anm_error *err)
{
    if (ref->route->kind == ANM_DIR)
        return 0;
    return anm_fail(err, ANM_NOTDIR, "%s is a file, not a directory", label_of(ref->route));
}

int anm_tree_lookup(const struct anm_doc *doc, const struct anm_ref *dir, const char *name, struct anm_ref *child,
                    struct anm_error *err)
{
    if (need_dir(dir, err))
        return -1;
    for (const struct anm_route *row = NULL; (row = next_row(doc, dir, row));) {
        *child = child_of(dir, row);
        if (!row->set && strcmp(label_of(row), name) == 0 && present(doc, child))
            return 0;
    }
    bool said = false; /* a set has explained in its own words */
    for (const struct anm_route *row = NULL; (row = next_row(doc, dir, row));) {
        *child = child_of(dir, row);
        if (!row->set)
            continue;
        if (row->set->find(doc, dir, name, child, err) == 0)
            return 0;
        if (err->reason != ANM_NOENT)
            return -1;
        said = true;
    }
    return said ? -1 : anm_fail(err, ANM_NOENT, "there is no %s", name);
}

/* Walks to the directory of the last component of `path`, which is copied to `name`. */
static int walk(const struct anm_doc *doc, const char *path, struct anm_ref *dir, char name[COMPONENT_MAX + 1],
                struct anm_error *err)
{
    *dir = anm_tree_root(doc);
    if (!dir->route)
        return anm_fail(err, ANM_DENIED, "this kind of file has no tree");
    for (;;) {
        const char *slash = strchrnul(path, '/');
        size_t size = (size_t)(slash - path);
        if (size == 0 || size > COMPONENT_MAX)
            return anm_fail(err, ANM_NOENT, "a name in the path is %s", size ? "longer than 255 bytes" : "empty");
        memcpy(name, path, size);
        name[size] = 0;
        if (!*slash)
            return need_dir(dir, err);
        struct anm_ref child;
        if (anm_tree_lookup(doc, dir, name, &child, err))
            return -1;
        *dir = child;
        path = slash + 1;
    }
}

int anm_tree_find(const struct anm_doc *doc, const char *path, struct anm_ref *ref, struct anm_error *err)
{
    struct anm_ref dir = anm_tree_root(doc);
    if (!*path && dir.route) {
        *ref = dir;
        return 0;
    }
    char name[COMPONENT_MAX + 1];
    return walk(doc, path, &dir, name, err) ? -1 : anm_tree_lookup(doc, &dir, name, ref, err);
}

int anm_tree_next(const struct anm_doc *doc, const struct anm_ref *dir, unsigned classes, uint32_t *cookie,
                  struct anm_ref *child, struct anm_buf *name)
{
    uint32_t before = 0; /* children of the rows already passed; a fixed row counts as one, there or not */
    for (const struct anm_route *row = NULL; (row = next_row(doc, dir, row));) {
        struct anm_ref ref = child_of(dir, row);
        uint32_t count = row->set ? row->set->count(doc, dir) : 1;
        uint32_t i = *cookie - before;
        before += count;
        if (*cookie >= before)
            continue;
        if (!listed(row, classes) || !(row->set || present(doc, &ref))) {
            *cookie = before;
            continue;
        }
        (*cookie)++;
        if (row->set) {
            row->set->at(doc, dir, i, &ref);
            row->set->name(doc, &ref, name);
        } else {
            anm_buf_puts(name, label_of(row));
        }
        *child = ref;
        return 1;
    }
    return 0;
}

int anm_tree_render(const struct anm_doc *doc, const struct anm_ref *ref, struct anm_buf *out, struct anm_error *err)
{
    const struct anm_route *row = ref->route;
    if (row->kind == ANM_DIR)
        return anm_fail(err, ANM_ISDIR, "%s is a directory", label_of(row));
    if (row->render && row->render(doc, ref, out, err))
        return -1;
    return out->failed ? anm_fail_nomem(err) : 0;
}

static bool same_bytes(const struct anm_buf *a, const struct anm_buf *b)
{
    return !a->failed && !b->failed && a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

bool anm_same_content(const struct anm_doc *a, const struct anm_ref *ra, const struct anm_doc *b,
                      const struct anm_ref *rb)
{
    ANM_AUTO(anm_buf_free) struct anm_buf one = {0}, two = {0};
    struct anm_error err;
    return anm_tree_render(a, ra, &one, &err) == 0 && anm_tree_render(b, rb, &two, &err) == 0 && same_bytes(&one, &two);
}

static bool same_listing(const struct anm_doc *a, const struct anm_ref *ra, const struct anm_doc *b,
                         const struct anm_ref *rb)
{
    ANM_AUTO(anm_buf_free) struct anm_buf one = {0}, two = {0};
    uint32_t at = 0, to = 0;
    for (;;) {
        struct anm_ref child;
        one.size = two.size = 0;
        int more = anm_tree_next(a, ra, 0, &at, &child, &one);
        if (more != anm_tree_next(b, rb, 0, &to, &child, &two) || !same_bytes(&one, &two))
            return false;
        if (!more)
            return true;
    }
}

bool anm_tree_same(const struct anm_doc *a, const struct anm_ref *ra, const struct anm_doc *b, const struct anm_ref *rb)
{
    const struct anm_route *row = ra->route;
    if (row != rb->route)
        return false;
    if (a == b && ra->id[0] == rb->id[0] && ra->id[1] == rb->id[1])
        return true;
    if (row->same)
        return row->same(a, ra, b, rb);
    return row->kind == ANM_DIR ? same_listing(a, ra, b, rb) : anm_same_content(a, ra, b, rb);
}

bool anm_tree_unchanged(const struct anm_doc *a, const struct anm_ref *ra, const struct anm_doc *b,
                        const struct anm_ref *rb)
{
    const struct anm_route *row = ra->route;
    return row == rb->route && row->unchanged && row->unchanged(a, ra, b, rb);
}

/* The row that `name` in `dir` belongs to, there or not: one of that very name, else the set of files or directories. */
static const struct anm_route *row_for(const struct anm_doc *doc, const struct anm_ref *dir, const char *name,
                                       bool directory)
{
    const struct anm_route *found = NULL;
    for (const struct anm_route *row = NULL; (row = next_row(doc, dir, row));) {
        if (!row->set && strcmp(label_of(row), name) == 0)
            return row;
        if (row->set && !found && (row->kind == ANM_DIR) == directory)
            found = row;
    }
    return found;
}

/* ANM_DENIED, and what the directory can hold. */
static int fail_holds(const struct anm_doc *doc, const struct anm_ref *dir, const char *name, struct anm_error *err)
{
    char holds[256] = "";
    size_t size = 0;
    for (const struct anm_route *row = NULL; (row = next_row(doc, dir, row)) && size < sizeof holds;) {
        if (row->flags & ANM_ROUTE_HIDDEN)
            continue;
        int put = snprintf(holds + size, sizeof holds - size, "%s%s%s", size ? ", " : "", label_of(row),
                           row->kind == ANM_DIR ? "/" : "");
        size += put < 0 ? sizeof holds : (size_t)put;
    }
    return anm_fail(err, ANM_DENIED, "%s cannot be here: %s/ holds %s", name, label_of(dir->route), holds);
}

int anm_tree_can_make(const struct anm_doc *doc, const char *path, bool directory, struct anm_ref *made,
                      struct anm_error *err)
{
    struct anm_ref dir, child;
    char name[COMPONENT_MAX + 1];
    if (walk(doc, path, &dir, name, err))
        return -1;
    if (anm_tree_lookup(doc, &dir, name, &child, err) == 0)
        return anm_fail(err, ANM_EXIST, "%s is there already", name);
    const struct anm_route *row = row_for(doc, &dir, name, directory);
    if (!row || (row->kind == ANM_DIR) != directory || (directory ? !row->mkdir : !row->write))
        return fail_holds(doc, &dir, name, err);
    if (made)
        *made = (struct anm_ref){.route = row};
    return row->can_make ? row->can_make(doc, &dir, name, err) : 0;
}

struct anm_doc *anm_tree_write(const struct anm_doc *doc, const char *path, const void *bytes, size_t size,
                               struct anm_error *err)
{
    struct anm_ref dir, child;
    char name[COMPONENT_MAX + 1];
    if (walk(doc, path, &dir, name, err))
        return NULL;
    bool there = anm_tree_lookup(doc, &dir, name, &child, err) == 0;
    const struct anm_route *row = there ? child.route : row_for(doc, &dir, name, false);
    if (!row)
        return fail_holds(doc, &dir, name, err), NULL;
    if (row->kind == ANM_DIR)
        return anm_fail(err, ANM_ISDIR, "%s is a directory", name), NULL;
    if (!row->write)
        return anm_fail(err, ANM_DENIED, "%s is derived and cannot be written", name), NULL;
    if (strcmp(path, "format") == 0 && anm_tree_is_bare(doc)) {
        const struct anm_routes *routes = routes_for(bytes, size, err);
        if (routes && routes->format != doc->format)
            return routes->blank(bytes, size, err);
    }
    return row->write(doc, &dir, name, bytes, size, err);
}

struct anm_doc *anm_tree_mkdir(const struct anm_doc *doc, const char *path, struct anm_error *err)
{
    struct anm_ref dir, child;
    char name[COMPONENT_MAX + 1];
    if (walk(doc, path, &dir, name, err))
        return NULL;
    if (anm_tree_lookup(doc, &dir, name, &child, err) == 0)
        return anm_fail(err, ANM_EXIST, "%s is there already", name), NULL;
    const struct anm_route *row = row_for(doc, &dir, name, true);
    if (!row || !row->mkdir)
        return fail_holds(doc, &dir, name, err), NULL;
    return row->mkdir(doc, &dir, name, err);
}

struct anm_doc *anm_tree_remove(const struct anm_doc *doc, const char *path, struct anm_error *err)
{
    struct anm_ref ref;
    if (anm_tree_find(doc, path, &ref, err))
        return NULL;
    if (!ref.route->remove)
        return anm_fail(err, ANM_DENIED, "this is part of every such file and cannot be removed"), NULL;
    return ref.route->remove(doc, &ref, err);
}

static struct anm_doc *move_file(const struct anm_doc *doc, const char *from, const struct anm_ref *ref, const char *to,
                                 struct anm_error *err)
{
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
    if (!ref->route->remove || !ref->route->render)
        return anm_fail(err, ANM_DENIED, "this is part of every such file and cannot be moved"), NULL;
    if (anm_tree_render(doc, ref, &bytes, err))
        return NULL;
    ANM_AUTO(anm_doc_clean) struct anm_doc *both = anm_tree_write(doc, to, bytes.data, bytes.size, err);
    return both ? anm_tree_remove(both, from, err) : NULL;
}

struct anm_doc *anm_tree_rename(const struct anm_doc *doc, const char *from, const char *to, struct anm_error *err)
{
    struct anm_ref ref, from_dir, to_dir;
    char name[COMPONENT_MAX + 1];
    if (anm_tree_find(doc, from, &ref, err))
        return NULL;
    if (strcmp(from, to) == 0)
        return anm_doc_ref(doc);
    if (ref.route->kind != ANM_DIR)
        return move_file(doc, from, &ref, to, err);
    if (!ref.route->rename || walk(doc, from, &from_dir, name, err))
        return anm_fail(err, ANM_DENIED, "%s cannot be moved", from), NULL;
    if (walk(doc, to, &to_dir, name, err))
        return NULL;
    if (to_dir.route != from_dir.route || memcmp(to_dir.id, from_dir.id, sizeof to_dir.id) != 0 ||
        row_for(doc, &to_dir, name, true) != ref.route)
        return anm_fail(err, ANM_DENIED, "%s can only be moved to another name in its own directory", from), NULL;
    return ref.route->rename(doc, &ref, name, err);
}
