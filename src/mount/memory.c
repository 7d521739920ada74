/* SPDX-License-Identifier: MIT */
/* Which documents are let go. A directory mount keeps the documents of the animations that were used last; of the others it knows
 * what it has told of them, names, sizes and times, and that is enough for whatever does not read. What is being written is not in
 * a file yet and stays. */
#include "mount.h"

#include <malloc.h>
#include <string.h>

/* What a node takes, with its name. */
#define NODE_BYTES (sizeof(struct node) + 64)
/* Memory that was let go is given back to the system in portions of this. */
#define RETURN_BYTES ((size_t)32 << 20)

static size_t limit(const struct mount *m)
{
    return m->options.memory ? m->options.memory : AMNT_MEMORY;
}

/* What the nodes and documents leave, but never nothing: a text is asked for in pieces. */
size_t memory_for_texts(const struct mount *m)
{
    size_t all = limit(m), taken = m->doc_bytes + m->count * NODE_BYTES;
    size_t most = all / 4 < AMNT_CACHE_MAX ? all / 4 : AMNT_CACHE_MAX, least = all / 32;
    size_t left = taken < all ? all - taken : 0;
    if (!m->mirror)
        return AMNT_CACHE_MAX;
    return left > most ? most : left < least ? least : left;
}

static bool is_over(const struct mount *m)
{
    return m->doc_bytes + m->cache_bytes + m->count * NODE_BYTES > limit(m);
}

static void take_out(struct anim *a)
{
    struct mount *m = a->mount;
    if (m->latest != a && !a->newer)
        return; /* is not in */
    *(a->newer ? &a->newer->older : &m->latest) = a->older;
    *(a->older ? &a->older->newer : &m->earliest) = a->newer;
    a->newer = a->older = NULL;
}

void memory_used(struct anim *a)
{
    struct mount *m = a->mount;
    if (m->latest == a || a == m->own)
        return;
    take_out(a);
    a->older = m->latest;
    *(a->older ? &a->older->newer : &m->earliest) = a;
    m->latest = a;
}

void memory_count(struct anim *a)
{
    size_t bytes = a->doc ? anm_doc_memory(a->doc) : 0;
    if (a->origin && a->origin != a->doc)
        bytes += anm_doc_memory(a->origin);
    a->mount->doc_bytes += bytes - a->bytes;
    a->bytes = bytes;
    a->bound = false;
}

void memory_gone(struct anim *a)
{
    take_out(a);
    a->mount->doc_bytes -= a->bytes;
    a->bytes = 0;
}

/* Nothing of it is only in memory, and nobody has it open. */
static bool is_clean(const struct node *n)
{
    if (n->kind == NODE_SCRATCH)
        return !n->undo;
    if (n->kind == NODE_FILE && (n->stage || n->opens || n->pending || n->hidden || n->undo))
        return false;
    for (const struct node *child = n->children; child; child = child->next)
        if (!is_clean(child))
            return false;
    return true;
}

static bool may_go(const struct anim *a)
{
    return a->doc && a->store && a->root && a->root->parent && !a->removing && !a->broken && !a->missing && !a->fresh &&
           !a->bound && is_clean(a->root);
}

/* Whether a document has all that has been named below a directory, which is `ref` there. */
static bool has_all(const struct anm_doc *doc, const struct anm_ref *ref, const struct node *dir)
{
    struct anm_error err;
    struct anm_ref at;
    for (const struct node *n = dir->children; n; n = n->next) {
        if (n->kind == NODE_SCRATCH)
            continue;
        if (anm_tree_lookup(doc, ref, n->name, &at, &err) < 0 || (n->kind == NODE_DIR && !has_all(doc, &at, n)))
            return false;
    }
    return true;
}

/* A document that was changed here is replaced by what its file gives: loaded again, some names may be others, and then it is not
 * let go. False when it stays. */
static bool settle(struct anim *a)
{
    struct anm_error err;
    if (a->doc == a->origin)
        return true;
    struct anm_doc *doc = anm_store_changed(a->store) ? NULL : anim_read(a, &err);
    const struct anm_ref root = doc ? anm_tree_root(doc) : (struct anm_ref){0};
    if (!doc || !has_all(doc, &root, a->root)) {
        anm_doc_unref(doc);
        a->bound = true;
        return false;
    }
    anim_replace(a, doc);
    return true;
}

static bool equal(const struct anm_buf *a, const struct anm_buf *b)
{
    return anm_bytes_compare(a->data, a->size, b->data, b->size) == 0;
}

/* Notes what a directory lists. Most list what the one before did: that is kept once. */
static bool keep_names(struct mount *m, struct node *dir)
{
    struct text *names = dir->listed ? text_new() : NULL;
    text_unref(dir->shown);
    dir->shown = NULL;
    if (!names)
        return !dir->listed;
    if (dir_names(m, dir, &names->bytes) != 0) {
        text_unref(names);
        return false;
    }
    if (m->names_kept && equal(&m->names_kept->bytes, &names->bytes)) {
        text_unref(names);
        names = text_ref(m->names_kept);
    } else {
        text_unref(m->names_kept);
        m->names_kept = text_ref(names);
    }
    dir->shown = names;
    return true;
}

/* Notes all that has been told of the nodes below, and drops their texts unless they are what somebody wrote. */
static bool keep_facts(struct mount *m, struct node *dir)
{
    if (!node_resolve(dir) || !keep_names(m, dir))
        return false;
    for (struct node *n = dir->children; n; n = n->next) {
        if (n->kind == NODE_SCRATCH)
            continue;
        if (n->kind == NODE_DIR ? !keep_facts(m, n) : !node_resolve(n))
            return false;
        if (n->kind == NODE_FILE && !n->kept)
            content_forget(m, n);
    }
    return true;
}

static bool drop(struct anim *a)
{
    struct mount *m = a->mount;
    if (!may_go(a) || !settle(a) || !keep_facts(m, a->root))
        return false;
    memory_gone(a);
    anm_doc_unref(a->before);
    anm_doc_unref(a->doc);
    anm_doc_unref(a->origin);
    a->before = a->origin = a->doc = NULL;
    a->dropped = true;
    m->loaded--;
    m->drops++;
    return true;
}

void memory_trim(struct mount *m)
{
    if (!m->mirror || !is_over(m))
        return;
    size_t before = m->doc_bytes;
    struct anim *last = m->latest; /* in use: it would be back at once */
    for (struct anim *a = m->earliest, *newer; a && a != last && is_over(m); a = newer) {
        newer = a->newer;
        if (!drop(a))
            memory_used(a); /* not the first to be asked the next time */
    }
    m->returned += before - m->doc_bytes;
    if (m->returned < RETURN_BYTES)
        return;
    m->returned = 0;
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}
