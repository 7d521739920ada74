/* SPDX-License-Identifier: MIT */
/* One mounted animation: the file, the document shown, and what a new document means for the nodes. */
#include "mount.h"

#include "anm/given.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <syslog.h>

enum anm_sync anim_sync(const struct anim *a)
{
    return a->mount->options.fsync_ask ? ANM_SYNC_NONE : ANM_SYNC_DATA;
}

/* The document with the other files at hand that it can make use of, a new reference; NULL with `err`. */
static struct anm_doc *give(const struct anim *a, const struct anm_doc *doc, struct anm_error *err)
{
    const struct options *o = &a->mount->options;
    ANM_AUTO(anm_given_clean) struct anm_given *given = anm_given_new(o->fps ? o->fps : 60, o->degrees);
    struct anm_given_to to = {given, doc};
    const struct anm_finder finder = {anm_given_found, &to, ANM_GIVEN_BYTES};
    const char *suffix = given ? anm_doc_beside(doc) : NULL;
    if (suffix &&
        (o->tim ? anm_store_named(o->tim, &finder, err) : anm_store_beside(a->store, suffix, &finder, err)) != 0)
        return NULL;
    struct anm_doc *with = given ? anm_doc_with(doc, given) : NULL;
    if (!with)
        anm_fail_nomem(err);
    return with;
}

static struct anm_doc *load(struct anim *a, struct anm_error *err)
{
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
    if (anm_store_load(a->store, &bytes, err) < 0)
        return NULL;
    ANM_AUTO(anm_doc_clean)
    struct anm_doc *doc = anm_doc_decode(bytes.data, bytes.size, a->mount->options.force, err);
    return doc ? give(a, doc, err) : NULL;
}

struct anim *anim_open(struct mount *m, struct anm_store *store, struct anm_error *err)
{
    struct anim *a = calloc(1, sizeof *a);
    if (!a) {
        anm_store_close(store);
        anm_fail_nomem(err);
        return NULL;
    }
    a->mount = m;
    a->store = store;
    a->watch = -1;
    a->generation = 1;
    a->doc = load(a, err);
    if (!a->doc) {
        anim_close(a);
        return NULL;
    }
    a->origin = anm_doc_ref(a->doc);
    a->loaded = a->saved = anm_store_stat(store)->st_mtim;
    return a;
}

void anim_close(struct anim *a)
{
    if (!a)
        return;
    anm_doc_unref(a->doc);
    anm_doc_unref(a->before);
    anm_doc_unref(a->origin);
    anm_store_close(a->store);
    anm_buf_free(&a->errors);
    free(a);
}

static void set_doc(struct anim *a, struct anm_doc *doc)
{
    a->doc = doc;
    a->generation++;
    a->first_new = a->mount->next_id;
    anm_doc_unref(a->before);
    a->before = NULL;
}

int anim_commit(struct anim *a, struct anm_doc *doc, enum anm_sync sync, const struct anm_doc **old,
                struct anm_error *err)
{
    *old = NULL;
    if (!doc)
        return -1;
    if (doc == a->doc) {
        anm_doc_unref(doc);
        if (a->broken)
            return anm_fail(err, ANM_STALE, "the file was changed outside, and is not what is shown");
        return anm_store_check(a->store, err);
    }
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
    anm_buf_room(&bytes, (size_t)anm_store_stat(a->store)->st_size + 4096); /* most saves change little */
    int result = anm_doc_encode(doc, &bytes, err);
    if (result == 0 && a->broken)
        result =
            anm_fail(err, ANM_STALE, "the file was replaced by something that cannot be read; nothing was written");
    ino_t inode = anm_store_stat(a->store)->st_ino;
    if (result == 0)
        result = anm_store_save(a->store, bytes.data, bytes.size, sync, err);
    /* When only the directory could not be synced, the new content is in place all the same. */
    if (result < 0 && anm_store_stat(a->store)->st_ino == inode) {
        anm_doc_unref(doc);
        return -1;
    }
    *old = a->doc;
    set_doc(a, doc);
    a->saved = now();
    return result;
}

/* The document a refresh compares with, and the node that keeps its text. */
struct refresh {
    struct mount *m;
    struct anim *anim;
    const struct anm_doc *old;
    uint64_t old_generation;
    struct node *self;
    bool outside;
    struct timespec when;
};

/* What a node was in the old document, whose directory was `dir_before` (NULL: nothing). */
static bool was_there(const struct refresh *r, const struct node *n, const struct anm_ref *dir_before,
                      struct anm_ref *before)
{
    struct anm_error err;
    if (n->kind == NODE_SCRATCH)
        return false;
    if (n->generation == r->old_generation) {
        *before = n->ref;
        return true;
    }
    return dir_before && anm_tree_lookup(r->old, dir_before, n->name, before, &err) == 0;
}

/* The text that a node had in the old document; NULL when that is not known, or out of memory. */
static struct text *render_old(const struct refresh *r, const struct anm_ref *before)
{
    struct text *text = before ? text_new() : NULL;
    struct anm_error err;
    if (text && anm_tree_render(r->old, before, &text->bytes, &err) == 0)
        return text;
    text_unref(text);
    return NULL;
}

/* A node the document has no more; `before` is what it was (NULL: unknown). Open handles keep the last text. */
static void vanish(const struct refresh *r, struct node *n, const struct anm_ref *before)
{
    while (n->children) {
        struct anm_ref ref;
        bool was = before && was_there(r, n->children, before, &ref);
        vanish(r, n->children, was ? &ref : NULL);
    }
    if (n->opens && n->kind == NODE_FILE && !n->shown && !n->stage)
        n->shown = render_old(r, before);
    if (!n->hidden)
        change_entry(r->m, n->parent, n->name);
    change_inode(r->m, n);
    n->vanished = true;
    node_detach(r->m, n);
}

/* Readers of what the kernel may have cached get the old text until that is dropped. */
static void keep_old(const struct refresh *r, struct node *n, const struct anm_ref *before)
{
    if (n->kind != NODE_FILE || !n->lookups || !n->size_known || n->stage)
        return;
    struct text *text = n->shown ? text_ref(n->shown) : render_old(r, before);
    if (text)
        content_keep_old(n, text);
    text_unref(text);
}

/* The data below a node changed by another path: canonical text from now on. `before`: what it was (NULL: unknown). */
static void touch(const struct refresh *r, struct node *n, const struct anm_ref *before)
{
    keep_old(r, n, before);
    bool awaited = n->fresh && r->self && r->self->parent == n->parent;
    if (n->hidden && !awaited) {
        node_unhide(r->m, n);
        change_inode(r->m, n->parent);
    }
    if (n->kind == NODE_FILE)
        content_drop(r->m, n);
    undo_free(n->undo); /* it would overwrite what came */
    n->undo = NULL;
    if (n->stage) {
        n->stale = n->stale || r->outside;
        n->committed_mtime = r->when;
    } else {
        n->mtime = r->when;
    }
    n->ctime = r->when;
    change_inode(r->m, n);
}

static void refresh_children(const struct refresh *r, struct node *dir, const struct anm_ref *dir_before);

/* Brings one node in line. Nodes below a directory of which nothing changed keep an older generation: they are looked up
 * again when they are wanted. */
static void refresh_node(const struct refresh *r, struct node *n, const struct anm_ref *dir_before)
{
    struct anm_ref before, ref;
    struct anm_error err;
    if (n->kind == NODE_SCRATCH || n->id >= r->anim->first_new)
        return; /* or named after the change */
    bool was = was_there(r, n, dir_before, &before);
    if (anm_tree_lookup(r->anim->doc, &n->parent->ref, n->name, &ref, &err) < 0) {
        if (!n->pending && !n->hidden)
            vanish(r, n, was ? &before : NULL);
        return;
    }
    n->ref = ref;
    n->generation = r->anim->generation;
    n->pending = false;
    if (n == r->self)
        return;
    if (anm_ref_volatile(&ref)) {
        if (n->kind == NODE_DIR) /* listed once and for all by a kernel that may not open directories */
            change_inode(r->m, n);
        return;
    }
    if (was && n->kind == NODE_DIR && anm_tree_unchanged(r->old, &before, r->anim->doc, &ref))
        return;
    if (!was || !anm_tree_same(r->old, &before, r->anim->doc, &ref))
        touch(r, n, was ? &before : NULL);
    if (n->kind == NODE_DIR)
        refresh_children(r, n, was ? &before : NULL);
}

static void refresh_children(const struct refresh *r, struct node *dir, const struct anm_ref *dir_before)
{
    for (struct node *n = dir->children, *next; n; n = next) {
        next = n->next;
        refresh_node(r, n, dir_before);
    }
}

void anim_refresh(struct anim *a, const struct anm_doc *old, struct node *self, bool outside)
{
    if (!old)
        return;
    struct refresh r = {a->mount, a, old, a->generation - 1, self, outside, now()};
    if (outside)
        r.when = a->loaded;
    struct node *root = a->root;
    struct anm_ref before = anm_tree_root(old);
    root->ref = anm_tree_root(a->doc);
    root->generation = a->generation;
    if (!anm_tree_same(old, &before, a->doc, &root->ref))
        touch(&r, root, NULL);
    refresh_children(&r, root, &before);
    anm_doc_unref(old);
}

void anim_reload(struct anim *a)
{
    struct anm_error err;
    if (!anm_store_changed(a->store)) {
        a->missing = false;
        return;
    }
    struct anm_doc *doc = load(a, &err);
    if (!doc) {
        /* What cannot be read leaves the store's idea of the file as it was: it may come back. */
        bool unread = anm_store_changed(a->store);
        if (!(unread ? a->missing : a->broken))
            report(a, "", &err);
        *(unread ? &a->missing : &a->broken) = true;
        return;
    }
    a->broken = a->missing = false;
    anm_doc_unref(a->origin);
    a->origin = anm_doc_ref(doc);
    a->loaded = a->saved = anm_store_stat(a->store)->st_mtim;
    const struct anm_doc *old = a->doc;
    set_doc(a, doc);
    anim_refresh(a, old, NULL, true);
    say(a->mount, LOG_INFO, "%s: changed outside, loaded again", anm_store_path(a->store));
}

void anim_beside(struct anim *a, const char *name)
{
    const char *suffix = anm_doc_beside(a->doc);
    size_t size = strlen(name), end = suffix ? strlen(suffix) : 0;
    struct anm_error err;
    if (!suffix || size <= end || strcasecmp(name + size - end, suffix) != 0 || a->mount->options.tim)
        return;
    struct anm_doc *doc = give(a, a->doc, &err);
    if (!doc) {
        report(a, name, &err);
        return;
    }
    const struct anm_doc *old = a->doc;
    set_doc(a, doc);
    anim_refresh(a, old, NULL, true);
}

void anim_poll(struct mount *m)
{
    struct timespec ts;
    if (m->timeout == AMNT_FOREVER)
        return;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    if (ts.tv_sec == m->looked)
        return;
    m->looked = ts.tv_sec;
    anim_reload(m->anim);
}
