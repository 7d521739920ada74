/* SPDX-License-Identifier: MIT */
/* One mounted animation: the file, the document shown, and what a new document means for the nodes. */
#include "mount.h"

#include "anm/given.h"
#include "anm/note.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <syslog.h>

enum anm_sync anim_sync(const struct anim *a)
{
    return a->mount->options.fsync_ask ? ANM_SYNC_NONE : ANM_SYNC_DATA;
}

const struct stat *anim_stat(const struct anim *a)
{
    return a->store ? anm_store_stat(a->store) : &a->look;
}

const char *anim_path(const struct anim *a, struct anm_buf *path)
{
    const struct mount *m = a->mount;
    anm_buf_puts(path, m->source);
    if (m->mirror && a != m->own && a->root) {
        ANM_AUTO(anm_buf_free) struct anm_buf below = {0};
        anm_buf_putc(path, '/');
        if (a->root->parent && node_path(a->root->parent, &below) && below.size)
            anm_buf_printf(path, "%s/", (char *)below.data);
        anm_buf_puts(path, a->root->name);
    }
    return anm_buf_cstr(path);
}

bool anim_readonly(const struct anim *a)
{
    return a->mount->ro || (a->mount->mirror && a->store && anm_store_readonly(a->store));
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

struct anm_doc *anim_read(struct anim *a, struct anm_error *err)
{
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
    if (anm_store_load(a->store, &bytes, err) < 0)
        return NULL;
    a->mount->loads++;
    struct anm_doc *doc = anm_doc_decode(bytes.data, bytes.size, a->mount->options.force, err);
    if (!doc || !a->given)
        return doc;
    struct anm_doc *with = give(a, doc, err);
    anm_doc_unref(doc);
    return with;
}

struct anim *anim_new(struct mount *m)
{
    struct anim *a = calloc(1, sizeof *a);
    if (!a)
        return NULL;
    a->mount = m;
    a->watch = -1;
    a->generation = 1;
    a->given = !m->mirror || m->options.tim || m->options.preview;
    return a;
}

/* The document as it was loaded. */
static void set_origin(struct anim *a, const struct anm_doc *doc)
{
    anm_doc_unref(a->origin);
    a->origin = anm_doc_ref(doc);
    a->loaded = a->saved = anim_stat(a)->st_mtim;
    a->fresh = false;
}

struct anim *anim_open(struct mount *m, struct anm_store *store, struct anm_error *err)
{
    struct anim *a = anim_new(m);
    if (!a) {
        anm_store_close(store);
        anm_fail_nomem(err);
        return NULL;
    }
    a->store = store;
    a->doc = anim_read(a, err);
    if (!a->doc) {
        anim_free(a);
        return NULL;
    }
    m->loaded++;
    set_origin(a, a->doc);
    return a;
}

void anim_free(struct anim *a)
{
    if (!a)
        return;
    a->mount->loaded -= a->doc && a->root != a->mount->root;
    memory_gone(a);
    anm_doc_unref(a->doc);
    anm_doc_unref(a->before);
    anm_doc_unref(a->origin);
    anm_store_close(a->store);
    anm_buf_free(&a->errors);
    free(a);
}

/* What is shown in place of a file that cannot be read: why. */
static struct anm_doc *explain(const struct anim *a, const struct anm_error *why, struct anm_error *err)
{
    ANM_AUTO(anm_buf_free) struct anm_buf path = {0};
    ANM_AUTO(anm_buf_free) struct anm_buf text = {0};
    const char *where = anim_path(a, &path);
    if (where)
        anm_error_print(why, where, &text);
    const char *line = where ? anm_buf_cstr(&text) : NULL;
    struct anm_doc *doc = line ? anm_note_new(line) : NULL;
    if (!doc)
        anm_fail_nomem(err);
    return doc;
}

/* The document of an entry of a folder, or one that explains why there is none; NULL with `err` when out of memory. */
static struct anm_doc *load_entry(struct anim *a, struct anm_error *err)
{
    const struct node *dir = a->root ? a->root->parent : NULL;
    struct anm_doc *doc = NULL;
    if (!dir)
        anm_fail(err, ANM_NOENT, "the file is not there any more");
    else if (!a->store)
        a->store = anm_store_openin(dir->folder->at, a->root->name, a->root->name, err);
    if (a->store && dir)
        doc = anim_read(a, err);
    if (doc || err->reason == ANM_NOMEM)
        return doc;
    const struct anm_error why = *err;
    return explain(a, &why, err);
}

static void set_doc(struct anim *a, struct anm_doc *doc)
{
    removal_end(a);
    a->doc = doc;
    a->generation++;
    a->first_new = a->mount->next_id;
    anm_doc_unref(a->before);
    a->before = NULL;
    memory_count(a);
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
    const struct anm_doc *old; /* NULL: it was let go, and everything may have changed */
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
    if (!r->old || n->kind == NODE_SCRATCH)
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
    n->lost = !text && !r->old;
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

static void refresh(struct anim *a, const struct anm_doc *old, struct node *self, bool outside)
{
    struct refresh r = {a->mount, a, old, a->generation - 1, self, outside, now()};
    if (outside)
        r.when = a->loaded;
    struct node *root = a->root;
    if (!root)
        return;
    struct anm_ref before = old ? anm_tree_root(old) : (struct anm_ref){0};
    root->ref = anm_tree_root(a->doc);
    root->generation = a->generation;
    if (!old || !anm_tree_same(old, &before, a->doc, &root->ref))
        touch(&r, root, NULL);
    refresh_children(&r, root, old ? &before : NULL);
    if (a->fresh && node_hide_children(a->mount, root) < 0) /* those that came with this change, too */
        say(a->mount, LOG_ERR, "out of memory: cp -r may find something there already");
}

void anim_refresh(struct anim *a, const struct anm_doc *old, struct node *self, bool outside)
{
    if (!old)
        return;
    refresh(a, old, self, outside);
    anm_doc_unref(old);
}

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* The document is back, or another one in its place. */
static void come_back(struct anim *a, const struct stat *was)
{
    a->dropped = false;
    if (same_file(was, anim_stat(a)) && !anm_is_note(a->doc))
        return;
    a->generation++;
    a->first_new = a->mount->next_id;
    refresh(a, NULL, NULL, true);
}

bool anim_need(struct anim *a)
{
    struct anm_error err = {0};
    memory_used(a);
    if (a->doc)
        return true;
    const struct stat was = *anim_stat(a);
    a->doc = load_entry(a, &err);
    if (!a->doc) {
        memory_gone(a);
        report(a, "", &err);
        return false;
    }
    a->mount->loaded++;
    set_origin(a, a->doc);
    memory_count(a);
    if (a->dropped)
        come_back(a, &was);
    else
        a->first_new = a->mount->next_id;
    return true;
}

void anim_replace(struct anim *a, struct anm_doc *doc)
{
    const struct anm_doc *old = a->doc;
    set_origin(a, doc);
    set_doc(a, doc);
    anim_refresh(a, old, NULL, true);
}

/* What cannot be read leaves what is shown as it was: it may come back. */
static void reload_single(struct anim *a)
{
    ANM_AUTO(anm_buf_free) struct anm_buf path = {0};
    struct anm_error err;
    if (!anm_store_changed(a->store)) {
        a->missing = false;
        return;
    }
    struct anm_doc *doc = anim_read(a, &err);
    if (!doc) {
        bool unread = anm_store_changed(a->store);
        if (!(unread ? a->missing : a->broken))
            report(a, "", &err);
        *(unread ? &a->missing : &a->broken) = true;
        return;
    }
    a->broken = a->missing = false;
    anim_replace(a, doc);
    say(a->mount, LOG_INFO, "%s: changed outside, loaded again", anim_path(a, &path));
}

void anim_reload(struct anim *a)
{
    if (!a->mount->mirror)
        reload_single(a);
    else if (a->root && a->root->parent)
        mirror_look(a->mount, a->root->parent, a->root->name);
}

void anim_look(struct anim *a, const struct stat *st)
{
    struct anm_error err;
    bool unread = a->doc && anm_is_note(a->doc); /* whatever happened may have been the remedy */
    if (!unread && same_file(st, anim_stat(a)))
        return;
    a->look = *st;
    a->root->mtime = a->root->ctime = st->st_mtim;
    change_inode(a->mount, a->root);
    bool back = a->dropped && anim_need(a);
    if (back || !a->doc)
        return;
    struct anm_doc *doc = load_entry(a, &err);
    if (!doc)
        report(a, "", &err);
    else
        anim_replace(a, doc);
}

bool anim_give(struct anim *a)
{
    struct anm_error err;
    if (a->given || !a->doc || !anm_doc_beside(a->doc))
        return false;
    a->given = true;
    struct anm_doc *doc = give(a, a->doc, &err);
    if (!doc) {
        report(a, "", &err);
        return false;
    }
    const struct anm_doc *old = a->doc;
    set_doc(a, doc);
    anim_refresh(a, old, NULL, true);
    return true;
}

void anim_beside(struct anim *a, const char *name)
{
    const char *suffix = a->doc ? anm_doc_beside(a->doc) : NULL;
    size_t size = strlen(name), end = suffix ? strlen(suffix) : 0;
    if (!suffix || size <= end || strcasecmp(name + size - end, suffix) != 0 || a->mount->options.tim || !a->given)
        return;
    a->given = false;
    anim_give(a);
}
