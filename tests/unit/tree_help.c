/* SPDX-License-Identifier: MIT */
#include "tree_help.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void take(struct anm_doc **doc, struct anm_doc *next, const struct anm_error *err, const char *path)
{
    ck_assert_msg(next != NULL, "%s:%u:%u: %s", path, err->line, err->column, err->text);
    anm_doc_unref(*doc);
    *doc = next;
}

static void refused(const struct anm_doc *doc, const struct anm_doc *next, const struct anm_error *err,
                    const struct anm_buf *before, enum anm_reason reason, const char *words)
{
    ANM_AUTO(anm_buf_free) struct anm_buf after = {0};
    struct anm_error why;
    ck_assert_msg(next == NULL, "not refused: %s", words);
    ck_assert_msg(err->reason == reason, "reason %d, not %d: %s", (int)err->reason, (int)reason, err->text);
    ck_assert_msg(strstr(err->text, words) != NULL, "no \"%s\" in: %s", words, err->text);
    ck_assert_int_eq(anm_doc_encode(doc, &after, &why), 0);
    ck_assert_uint_eq(after.size, before->size);
    ck_assert_mem_eq(after.data, before->data, after.size);
}

static struct anm_buf encoded(const struct anm_doc *doc)
{
    struct anm_buf bytes = {0};
    struct anm_error err;
    ck_assert_int_eq(anm_doc_encode(doc, &bytes, &err), 0);
    return bytes;
}

struct anm_doc *tree_from(struct gem_doc *doc)
{
    ck_assert_ptr_nonnull(doc);
    return &doc->doc;
}

struct anm_doc *tree_make(uint32_t version, enum gem_kind kind, const char *bones, const char *keys)
{
    struct anm_doc *doc = tree_from(gem_new(version, kind));
    char path[300];
    for (const char *next = bones; *next;) {
        int size = (int)strcspn(next, " ");
        snprintf(path, sizeof path, "bones/%.*s", size, next);
        tree_mkdir(&doc, path);
        next += size + (next[size] == ' ');
    }
    tree_write(&doc, "keys", keys);
    return doc;
}

static struct anm_ref find(const struct anm_doc *doc, const char *path)
{
    struct anm_error err;
    struct anm_ref ref = {0};
    ck_assert_msg(anm_tree_find(doc, path, &ref, &err) == 0, "%s: %s", path, err.text);
    return ref;
}

char *tree_text(const struct anm_doc *doc, const char *path)
{
    struct anm_error err;
    struct anm_buf out = {0};
    struct anm_ref ref = find(doc, path);
    ck_assert_msg(anm_tree_render(doc, &ref, &out, &err) == 0, "%s: %s", path, err.text);
    ck_assert_ptr_nonnull(anm_buf_cstr(&out));
    return (char *)out.data;
}

void tree_is(const struct anm_doc *doc, const char *path, const char *text)
{
    ANM_AUTO(anm_freep) char *found = tree_text(doc, path);
    ck_assert_str_eq(found, text);
}

void tree_lists(const struct anm_doc *doc, const char *path, const char *names)
{
    ANM_AUTO(anm_buf_free) struct anm_buf out = {0};
    struct anm_ref dir = find(doc, path), child;
    uint32_t cookie = 0;
    while (anm_tree_next(doc, &dir, 0, &cookie, &child, &out))
        anm_buf_putc(&out, ' ');
    ck_assert_str_eq(anm_buf_cstr(&out), names);
}

void tree_lacks(const struct anm_doc *doc, const char *path, enum anm_reason reason)
{
    struct anm_error err;
    struct anm_ref ref;
    ck_assert_int_eq(anm_tree_find(doc, path, &ref, &err), -1);
    ck_assert_msg(err.reason == reason, "%s: %s", path, err.text);
}

void tree_write_bytes(struct anm_doc **doc, const char *path, const void *bytes, size_t size)
{
    struct anm_error err = {0};
    take(doc, anm_tree_write(*doc, path, bytes, size, &err), &err, path);
}

void tree_write(struct anm_doc **doc, const char *path, const char *text)
{
    tree_write_bytes(doc, path, text, strlen(text));
}

void tree_mkdir(struct anm_doc **doc, const char *path)
{
    struct anm_error err = {0};
    take(doc, anm_tree_mkdir(*doc, path, &err), &err, path);
}

void tree_remove(struct anm_doc **doc, const char *path)
{
    struct anm_error err = {0};
    take(doc, anm_tree_remove(*doc, path, &err), &err, path);
}

void tree_rename(struct anm_doc **doc, const char *from, const char *to)
{
    struct anm_error err = {0};
    take(doc, anm_tree_rename(*doc, from, to, &err), &err, from);
}

void tree_refuses(const struct anm_doc *doc, const char *path, const char *text, enum anm_reason reason,
                  const char *words)
{
    ANM_AUTO(anm_buf_free) struct anm_buf before = encoded(doc);
    struct anm_error err = {0};
    refused(doc, anm_tree_write(doc, path, text, strlen(text), &err), &err, &before, reason, words);
}

void tree_refuses_at(const struct anm_doc *doc, const char *path, const char *text, uint32_t line, uint32_t column,
                     const char *words)
{
    ANM_AUTO(anm_buf_free) struct anm_buf before = encoded(doc);
    struct anm_error err = {0};
    refused(doc, anm_tree_write(doc, path, text, strlen(text), &err), &err, &before, ANM_TEXT, words);
    ck_assert_msg(err.line == line && err.column == column, "at %u:%u, not %u:%u: %s", err.line, err.column, line,
                  column, err.text);
}

void tree_refuses_mkdir(const struct anm_doc *doc, const char *path, enum anm_reason reason, const char *words)
{
    ANM_AUTO(anm_buf_free) struct anm_buf before = encoded(doc);
    struct anm_error err = {0};
    refused(doc, anm_tree_mkdir(doc, path, &err), &err, &before, reason, words);
    err = (struct anm_error){0};
    if (reason == ANM_NAME || reason == ANM_DENIED || reason == ANM_EXIST) {
        ck_assert_int_eq(anm_tree_can_make(doc, path, true, NULL, &err), -1);
        ck_assert_int_eq(err.reason, reason);
    }
}

void tree_refuses_remove(const struct anm_doc *doc, const char *path, enum anm_reason reason, const char *words)
{
    ANM_AUTO(anm_buf_free) struct anm_buf before = encoded(doc);
    struct anm_error err = {0};
    refused(doc, anm_tree_remove(doc, path, &err), &err, &before, reason, words);
}

void tree_refuses_rename(const struct anm_doc *doc, const char *from, const char *to, enum anm_reason reason,
                         const char *words)
{
    ANM_AUTO(anm_buf_free) struct anm_buf before = encoded(doc);
    struct anm_error err = {0};
    refused(doc, anm_tree_rename(doc, from, to, &err), &err, &before, reason, words);
}

/* The tree is four levels deep at most: so is this. */
void tree_walk(const struct anm_doc *doc, const char *path, unsigned classes,
               void (*visit)(const struct anm_doc *doc, const char *path, const struct anm_ref *ref, void *arg),
               void *arg)
{
    struct anm_ref dir = find(doc, path), child;
    uint32_t cookie = 0;
    for (;;) {
        ANM_AUTO(anm_buf_free) struct anm_buf name = {0};
        anm_buf_puts(&name, path);
        if (*path)
            anm_buf_putc(&name, '/');
        if (!anm_tree_next(doc, &dir, classes, &cookie, &child, &name))
            return;
        const char *text = anm_buf_cstr(&name);
        struct anm_ref again = find(doc, text);
        ck_assert_ptr_eq(again.route, child.route);
        ck_assert_mem_eq(again.id, child.id, sizeof child.id);
        if (anm_ref_kind(&child) == ANM_DIR)
            tree_walk(doc, text, classes, visit, arg);
        else if (anm_ref_kind(&child) != ANM_FILE_HOST)
            visit(doc, text, &child, arg);
    }
}

void tree_same_bytes(const struct anm_doc *a, const struct anm_doc *b)
{
    ANM_AUTO(anm_buf_free) struct anm_buf one = encoded(a), two = encoded(b);
    ck_assert_uint_eq(one.size, two.size);
    ck_assert_mem_eq(one.data, two.data, one.size);
}

static void reads_same(const struct anm_doc *doc, const char *path, const struct anm_ref *ref, void *back)
{
    (void)ref;
    char *text = tree_text(doc, path);
    tree_is(back, path, text);
    free(text);
}

void tree_reloads(const struct anm_doc *doc)
{
    struct anm_error err;
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = encoded(doc);
    ANM_AUTO(anm_doc_clean) struct anm_doc *back = anm_doc_decode(bytes.data, bytes.size, NULL, &err);
    ck_assert_ptr_nonnull(back);
    tree_walk(doc, "", ANM_LIST_HIDDEN, reads_same, back);
}
