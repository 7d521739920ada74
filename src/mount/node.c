/* SPDX-License-Identifier: MIT */
/* The node table. Ids are serials that are never used again, so that an id the kernel still holds can never come to mean
 * another file; a directory's children are found by (parent, name). */
#include "mount.h"

#include <stdlib.h>
#include <string.h>

#define MODE_DEFAULT ((mode_t)-1)

struct timespec now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_REALTIME, &ts);
    return ts;
}

static size_t name_bucket(const struct mount *m, const struct node *parent, const char *name)
{
    uint64_t hash = 0xcbf29ce484222325u ^ parent->id;
    for (const char *c = name; *c; c++)
        hash = (hash ^ (uint8_t)*c) * 0x100000001b3u;
    return (size_t)(hash ^ hash >> 32) & (m->buckets - 1);
}

static size_t id_bucket(const struct mount *m, uint64_t id)
{
    return (size_t)id & (m->buckets - 1);
}

static void link_id(struct mount *m, struct node *n)
{
    struct node **chain = &m->ids[id_bucket(m, n->id)];
    n->by_id = *chain;
    *chain = n;
}

static void link_name(struct mount *m, struct node *n)
{
    struct node **chain = &m->names[name_bucket(m, n->parent, n->name)];
    n->by_name = *chain;
    *chain = n;
}

static void unlink_name(struct mount *m, struct node *n)
{
    struct node **at = &m->names[name_bucket(m, n->parent, n->name)];
    while (*at != n)
        at = &(*at)->by_name;
    *at = n->by_name;
}

static void link_child(struct node *parent, struct node *n)
{
    n->parent = parent;
    n->previous = NULL;
    n->next = parent->children;
    if (n->next)
        n->next->previous = n;
    parent->children = n;
}

static void unlink_child(struct node *n)
{
    if (n->next)
        n->next->previous = n->previous;
    if (n->previous)
        n->previous->next = n->next;
    else
        n->parent->children = n->next;
    n->next = n->previous = NULL;
}

/* Doubles the tables. Failing to is no error: chains only get longer. */
static void grow(struct mount *m)
{
    size_t old = m->buckets;
    struct node **ids = calloc(old * 2, sizeof *ids);
    struct node **names = calloc(old * 2, sizeof *names);
    if (!ids || !names) {
        free(ids);
        free(names);
        return;
    }
    struct node **all = m->ids;
    free(m->names);
    m->ids = ids;
    m->names = names;
    m->buckets = old * 2;
    for (size_t i = 0; i < old; i++) {
        for (struct node *n = all[i], *next; n; n = next) {
            next = n->by_id;
            link_id(m, n);
            if (n->parent)
                link_name(m, n);
        }
    }
    free(all);
}

int nodes_init(struct mount *m)
{
    m->buckets = 1024;
    m->next_id = FUSE_ROOT_ID;
    m->ids = calloc(m->buckets, sizeof(struct node *));
    m->names = calloc(m->buckets, sizeof(struct node *));
    return m->ids && m->names ? 0 : -1;
}

void undo_free(struct undo *undo)
{
    if (!undo)
        return;
    text_unref(undo->text);
    free(undo);
}

static void node_free(struct mount *m, struct node *n)
{
    struct anim *a = n->anim;
    content_free(m, n);
    undo_free(n->undo);
    free(n->name);
    free(n);
    m->count--;
    if (a->root == n)
        a->root = NULL;
    if (--a->nodes == 0)
        anim_free(a);
}

void nodes_free(struct mount *m)
{
    for (size_t i = 0; m->ids && i < m->buckets; i++) {
        for (struct node *n = m->ids[i], *next; n; n = next) {
            next = n->by_id;
            if (n->folder)
                mirror_leave(m, n);
            node_free(m, n);
        }
    }
    text_unref(m->names_kept);
    m->names_kept = NULL;
    free(m->ids);
    free(m->names);
    m->ids = m->names = NULL;
}

struct node *node_by_id(struct mount *m, fuse_ino_t id)
{
    struct node *n = m->ids[id_bucket(m, id)];
    while (n && n->id != id)
        n = n->by_id;
    return n;
}

struct node *node_find(struct mount *m, const struct node *parent, const char *name)
{
    struct node *n = m->names[name_bucket(m, parent, name)];
    while (n && (n->parent != parent || strcmp(n->name, name) != 0))
        n = n->by_name;
    return n;
}

struct node *node_add(struct mount *m, struct anim *anim, struct node *parent, const char *name, enum node_kind kind)
{
    struct node *n = calloc(1, sizeof *n);
    char *copy = strdup(name);
    if (!n || !copy) {
        free(n);
        free(copy);
        return NULL;
    }
    if (m->count >= m->buckets)
        grow(m);
    n->id = m->next_id++;
    n->name = copy;
    n->kind = kind;
    n->mode = MODE_DEFAULT;
    n->uid = (uid_t)-1;
    n->gid = (gid_t)-1;
    n->anim = anim;
    n->mtime = n->ctime = anim->loaded;
    anim->nodes++;
    m->count++;
    link_id(m, n);
    if (parent) {
        link_child(parent, n);
        link_name(m, n);
    }
    return n;
}

void node_detach(struct mount *m, struct node *n)
{
    while (n->children)
        node_detach(m, n->children);
    node_unhide(m, n);
    if (n->folder)
        mirror_leave(m, n);
    if (n->kind == NODE_DIR && node_is_entry(n)) {
        removal_forget(n->anim);
        m->files--;
    }
    unlink_name(m, n);
    unlink_child(n);
    n->parent = NULL;
    n->gone = true;
    node_reap(m, n);
}

int node_move(struct mount *m, struct node *n, struct node *parent, const char *name)
{
    char *copy = strdup(name);
    if (!copy)
        return -1;
    unlink_name(m, n);
    unlink_child(n);
    free(n->name);
    n->name = copy;
    link_child(parent, n);
    link_name(m, n);
    return 0;
}

void node_reap(struct mount *m, struct node *n)
{
    if (!n->gone || n->lookups || n->opens)
        return;
    struct node **at = &m->ids[id_bucket(m, n->id)];
    while (*at != n)
        at = &(*at)->by_id;
    *at = n->by_id;
    node_free(m, n);
}

void node_forget(struct mount *m, struct node *n, uint64_t lookups)
{
    n->lookups -= lookups < n->lookups ? lookups : n->lookups;
    node_reap(m, n);
}

bool node_is_entry(const struct node *n)
{
    return n->kind == NODE_FOLDER || n->kind == NODE_LINK ||
           (n->parent && n->parent->kind == NODE_FOLDER && n->anim->root == n);
}

bool node_path(const struct node *n, struct anm_buf *path)
{
    const struct node *root = n->anim->root;
    size_t depth = 0;
    for (const struct node *up = n; up && up != root; up = up->parent)
        depth++;
    while (depth--) {
        const struct node *at = n;
        for (size_t up = 0; up < depth; up++)
            at = at->parent;
        if (path->size)
            anm_buf_putc(path, '/');
        anm_buf_puts(path, at->name);
    }
    return anm_buf_cstr(path) != NULL;
}

const char *node_path_at(const struct node *dir, const char *name, struct anm_buf *path)
{
    if (!node_path(dir, path))
        return NULL;
    if (path->size)
        anm_buf_putc(path, '/');
    anm_buf_puts(path, name);
    return anm_buf_cstr(path);
}

bool node_known(struct node *n)
{
    return (n->anim->dropped && n->generation == n->anim->generation) || node_resolve(n);
}

bool node_resolve(struct node *n)
{
    struct anim *a = n->anim;
    if (n->kind == NODE_FOLDER || n->kind == NODE_LINK)
        return true;
    if (!anim_need(a))
        return false;
    if (n->generation == a->generation)
        return true;
    if (n == a->root) {
        n->ref = anm_tree_root(a->doc);
    } else {
        struct anm_error err;
        struct anm_ref ref;
        if (!n->parent || !node_resolve(n->parent) || n->kind == NODE_SCRATCH ||
            anm_tree_lookup(a->doc, &n->parent->ref, n->name, &ref, &err) < 0)
            return false;
        n->ref = ref;
    }
    n->generation = a->generation;
    return true;
}

bool node_writable(const struct node *n)
{
    return n->kind == NODE_SCRATCH || (n->kind == NODE_FILE && n->ref.route && anm_ref_writable(&n->ref));
}

bool node_volatile(const struct node *n)
{
    return n->kind != NODE_SCRATCH && n->ref.route && anm_ref_volatile(&n->ref);
}

/* Whose folder's watch tells what happens to a node outside; NULL when that is not a folder's. */
static const struct folder *watcher(const struct node *n)
{
    const struct node *entry = n->kind == NODE_FOLDER || n->kind == NODE_LINK ? n : n->anim->root;
    const struct node *dir = entry && entry->parent ? entry->parent : entry;
    return dir ? dir->folder : NULL;
}

double node_timeout(const struct mount *m, const struct node *n)
{
    if (node_volatile(n))
        return 0;
    const struct folder *folder = m->mirror ? watcher(n) : NULL;
    return (folder ? folder->watch : m->own->watch) < 0 ? AMNT_UNWATCHED : AMNT_FOREVER;
}

static bool is_directory(const struct node *n)
{
    return n->kind == NODE_DIR || n->kind == NODE_FOLDER;
}

static mode_t type_of(const struct node *n)
{
    return is_directory(n) ? S_IFDIR : n->kind == NODE_LINK ? S_IFLNK : S_IFREG;
}

/* What is on disk where a node comes from. */
static const struct stat *origin_of(const struct node *n)
{
    return n->folder ? &n->folder->st : anim_stat(n->anim);
}

/* Permission bits nobody has changed: those of the .anm, directories searchable where it is readable; of a folder its own. */
static mode_t default_mode(const struct mount *m, const struct node *n)
{
    if (n->kind == NODE_LINK)
        return 0777;
    mode_t mode = origin_of(n)->st_mode & (n->folder ? 0777 : 0666);
    if (n->kind == NODE_DIR)
        mode |= (mode & 0444) >> 2;
    if (m->options.has_umask)
        mode = (is_directory(n) ? 0777 : 0666) & ~m->options.umask;
    if (n->kind == NODE_FILE && !node_writable(n))
        mode &= ~(mode_t)0222;
    return mode;
}

ino_t node_ino(const struct node *n)
{
    uint32_t rank = n->kind == NODE_SCRATCH ? 0 : anm_ref_rank(&n->ref);
    return (ino_t)rank << 32 | n->id;
}

void node_attr(struct mount *m, struct node *n, struct stat *st)
{
    const struct stat *file = origin_of(n);
    if (n->anim->doc)
        node_resolve(n);
    *st = (struct stat){
        .st_ino = node_ino(n),
        .st_nlink = n->gone ? 0 : 1,
        .st_mode = (n->mode == MODE_DEFAULT ? default_mode(m, n) : n->mode) | type_of(n),
        .st_uid = n->uid != (uid_t)-1  ? n->uid
                  : m->options.has_uid ? m->options.uid
                                       : file->st_uid,
        .st_gid = n->gid != (gid_t)-1  ? n->gid
                  : m->options.has_gid ? m->options.gid
                                       : file->st_gid,
        .st_blksize = 4096,
        .st_atim = n->atime.tv_sec || n->atime.tv_nsec ? n->atime : n->mtime,
        .st_mtim = n->mtime,
        .st_ctim = n->ctime,
    };
    if (node_volatile(n)) /* on a read-only mount the kernel keeps pages of the same size and time */
        st->st_mtim = now();
    if (n->kind == NODE_LINK)
        st->st_size = (off_t)n->shown->bytes.size;
    if (n->kind == NODE_FILE || n->kind == NODE_SCRATCH) {
        st->st_size = (off_t)content_size(m, n);
        content_drop_old(n);
        st->st_blocks = (st->st_size + 511) / 512;
    }
}

/* A node that is named only now, after saves: did one of them change it? */
static void give_time(struct node *n)
{
    ANM_AUTO(anm_buf_free) struct anm_buf path = {0};
    const struct anim *a = n->anim;
    struct anm_ref ref;
    struct anm_error err;
    if (a->origin == a->doc || node_volatile(n))
        return;
    if (!node_path(n, &path) || anm_tree_find(a->origin, (char *)path.data, &ref, &err) < 0 ||
        !anm_tree_same(a->origin, &ref, a->doc, &n->ref))
        n->mtime = n->ctime = a->saved;
}

/* What the document has below a directory; what it lacks may come with the files beside it. */
static bool find_ref(struct node *dir, const char *name, struct anm_ref *ref)
{
    struct anim *a = dir->anim;
    struct anm_error err;
    if ((dir->kind != NODE_DIR && dir != a->root) || !node_resolve(dir))
        return false;
    if (anm_tree_lookup(a->doc, &dir->ref, name, ref, &err) == 0)
        return true;
    return dir == a->root && anim_give(a) && anm_tree_lookup(a->doc, &dir->ref, name, ref, &err) == 0;
}

struct node *node_child(struct mount *m, struct node *dir, const char *name)
{
    if (dir->kind == NODE_FOLDER)
        mirror_enter(m, dir);
    struct node *n = node_find(m, dir, name);
    if (n)
        return n->hidden ? NULL : n;
    struct anm_ref ref;
    if (!find_ref(dir, name, &ref))
        return NULL;
    n = node_add(m, dir->anim, dir, name, anm_ref_kind(&ref) == ANM_DIR ? NODE_DIR : NODE_FILE);
    if (n) {
        n->ref = ref;
        n->generation = n->anim->generation;
        give_time(n);
    }
    return n;
}

struct node *node_hide(struct mount *m, struct node *dir, const char *name)
{
    struct node *n = node_child(m, dir, name);
    if (!n)
        n = node_add(m, dir->anim, dir, name, NODE_FILE);
    if (n)
        n->hidden = true;
    return n;
}

void node_leave_undo(struct mount *m, struct node *n)
{
    struct node *placeholder = n->undo ? node_add(m, n->anim, n->parent, n->name, NODE_FILE) : NULL;
    if (placeholder) {
        placeholder->hidden = true;
        placeholder->undo = n->undo;
        n->undo = NULL;
    }
}

bool node_has_scratch(const struct node *dir)
{
    for (const struct node *n = dir->children; n; n = n->next) {
        if (!n->hidden && (n->kind == NODE_SCRATCH || n->pending))
            return true;
    }
    return false;
}

int node_hide_children(struct mount *m, struct node *dir)
{
    ANM_AUTO(anm_buf_free) struct anm_buf name = {0};
    struct anm_ref ref;
    uint32_t cookie = 0;
    if (!node_resolve(dir))
        return 0;
    while (anm_tree_next(dir->anim->doc, &dir->ref, ANM_LIST_HIDDEN, &cookie, &ref, &name)) {
        const char *text = anm_buf_cstr(&name);
        if (!text)
            return -1;
        struct node *n = node_find(m, dir, text);
        if (!n) {
            n = node_hide(m, dir, text);
            if (!n)
                return -1;
            n->fresh = true;
        }
        name.size = 0;
    }
    return 0;
}

void node_unhide(struct mount *m, struct node *n)
{
    n->hidden = n->fresh = false;
    if (n->unhide_at)
        m->waiting--;
    n->unhide_at = 0;
}
