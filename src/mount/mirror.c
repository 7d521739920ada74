/* SPDX-License-Identifier: MIT */
/* A directory of animations. A folder's entries get their nodes when it is entered: sub-folders, animation files (by their names alone:
 * nothing is opened), links. From then on the watch of the folder tells what happens there; each time the one name is looked at,
 * and whatever is found is what is shown. */
#include "mount.h"

#include "anm/note.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

/* What is at a name in a folder. */
struct found {
    enum node_kind kind;
    struct stat st;
    char *target; /* of a link, owned */
};

static void found_free(struct found *found)
{
    free(found->target);
}

bool mirror_shows(const struct mount *m, const char *name)
{
    return m->options.all || anm_doc_named(name);
}

/* Names that are never shown: temporary files of saves, and what would stand where the mount's own directory is. */
static bool is_own(const struct mount *m, const struct node *dir, const char *name)
{
    return strncmp(name, ".anmfs-", 7) == 0 || (dir == m->root && strcmp(name, ".anmfs") == 0);
}

static bool find_link(struct mount *m, const struct node *dir, const char *name, struct found *found)
{
    ANM_AUTO(anm_buf_free) struct anm_buf path = {0};
    found->kind = NODE_LINK;
    found->target = anm_folder_readlink(dir->folder->at, name);
    return found->target && node_path(dir, &path) &&
           anm_folder_inside(m->root->folder->at, (char *)path.data, found->target);
}

/* Looks at a name. False: there is nothing that is shown. */
static bool find(struct mount *m, const struct node *dir, const char *name, struct found *found)
{
    if (is_own(m, dir, name))
        return false;
    switch (anm_folder_look(dir->folder->at, name, &found->st)) {
    case ANM_ENTRY_FOLDER:
        found->kind = NODE_FOLDER;
        return true;
    case ANM_ENTRY_FILE:
        found->kind = NODE_DIR;
        return mirror_shows(m, name);
    case ANM_ENTRY_LINK:
        return find_link(m, dir, name, found);
    default:
        return false;
    }
}

static struct folder *folder_new(const struct stat *st)
{
    struct folder *folder = calloc(1, sizeof *folder);
    if (folder) {
        folder->st = *st;
        folder->watch = -1;
    }
    return folder;
}

/* Gives a new node what its kind needs. False when out of memory. */
static bool furnish(struct node *n, const struct found *found)
{
    n->mtime = n->ctime = found->st.st_mtim;
    switch (n->kind) {
    case NODE_FOLDER:
        n->folder = folder_new(&found->st);
        return n->folder;
    case NODE_LINK:
        n->shown = text_new();
        if (n->shown)
            anm_buf_puts(&n->shown->bytes, found->target);
        return n->shown && anm_buf_cstr(&n->shown->bytes);
    default:
        n->anim->root = n;
        n->anim->look = found->st;
        return true;
    }
}

static struct node *add(struct mount *m, struct node *dir, const char *name, const struct found *found)
{
    struct anim *a = found->kind == NODE_DIR ? anim_new(m) : m->own;
    struct node *n = a ? node_add(m, a, dir, name, found->kind) : NULL;
    if (!n && a != m->own)
        anim_free(a);
    if (n && furnish(n, found)) {
        m->files += n->kind == NODE_DIR;
        return n;
    }
    if (n)
        node_detach(m, n);
    say(m, LOG_ERR, "out of memory: %s is not shown", name);
    return NULL;
}

/* Whether a node can stay for what was found. */
static bool is_still(const struct node *n, const struct found *found)
{
    if (n->kind != found->kind)
        return false;
    if (n->kind == NODE_LINK)
        return strcmp((char *)n->shown->bytes.data, found->target) == 0;
    return n->kind == NODE_DIR ||
           (n->folder->st.st_dev == found->st.st_dev && n->folder->st.st_ino == found->st.st_ino);
}

/* The listing of a folder changed. Nobody has seen that of one which is just being entered; and to tell the kernel while it takes in the
 * first one would, where it removes half of it from its cache, keep it from ever caching that. */
static void touch(struct mount *m, struct node *dir)
{
    struct anm_error err;
    if (anm_folder_stat(dir->folder->at, &dir->folder->st, &err) == 0)
        dir->mtime = dir->ctime = dir->folder->st.st_mtim;
    if (dir->folder->entered)
        change_inode(m, dir);
}

/* Nodes below an entry that is gone: who has them open keeps what there was to see, and hears of it when writing. */
static void abandon(struct mount *m, struct node *n)
{
    for (struct node *child = n->children; child; child = child->next)
        abandon(m, child);
    if (n->opens && n->kind == NODE_FILE && !n->stage && n->anim->doc)
        content(m, n);
    n->vanished = true;
}

static void remove_entry(struct mount *m, struct node *n)
{
    abandon(m, n);
    change_entry(m, n->parent, n->name);
    node_detach(m, n);
}

void mirror_remove(struct mount *m, struct node *n)
{
    struct node *dir = n->parent;
    remove_entry(m, n);
    touch(m, dir);
}

/* Looks at a name, and brings its node in line. Whether the listing is another one now. */
static bool look(struct mount *m, struct node *dir, const char *name)
{
    ANM_AUTO(found_free) struct found found = {0};
    bool there = find(m, dir, name, &found);
    struct node *n = node_find(m, dir, name);
    if (n && !node_is_entry(n)) /* .anmfs */
        return false;
    if (n && there && is_still(n, &found)) {
        if (n->kind == NODE_DIR)
            anim_look(n->anim, &found.st);
        return false;
    }
    if (n)
        remove_entry(m, n);
    return (there && add(m, dir, name, &found)) || n;
}

struct node *mirror_look(struct mount *m, struct node *dir, const char *name)
{
    if (look(m, dir, name))
        touch(m, dir);
    return node_find(m, dir, name);
}

/* --- entering and looking through --- */

struct scan {
    struct mount *m;
    struct node *dir;
    struct anm_buf names; /* of what may be shown, terminated */
};

static void scan_free(struct scan *scan)
{
    anm_buf_free(&scan->names);
}

static int scan_name(void *arg, const char *name, enum anm_entry entry, struct anm_error *err)
{
    struct scan *scan = arg;
    bool file = entry == ANM_ENTRY_FILE;
    if (entry == ANM_ENTRY_NONE || (file && !mirror_shows(scan->m, name)))
        return 0;
    anm_buf_put(&scan->names, name, strlen(name) + 1);
    return scan->names.failed ? anm_fail_nomem(err) : 0;
}

/* Looks through a folder that was entered. 0 or an errno. */
static int scan(struct mount *m, struct node *dir)
{
    ANM_AUTO(scan_free) struct scan scan = {m, dir, {0}};
    struct anm_error err;
    if (anm_folder_list(dir->folder->at, scan_name, &scan, &err))
        return report_node(dir, &err);
    bool changed = false;
    for (struct node *n = dir->children, *next; n; n = next) {
        next = n->next;
        if (node_is_entry(n))
            changed |= look(m, dir, n->name);
    }
    const char *name = (const char *)scan.names.data;
    for (size_t at = 0; at < scan.names.size; at += strlen(name + at) + 1)
        if (!node_find(m, dir, name + at))
            changed |= look(m, dir, name + at);
    if (changed)
        touch(m, dir);
    return 0;
}

void mirror_unwatched(struct mount *m, const struct anm_error *err)
{
    if (!m->unwatched)
        say(m, LOG_WARNING, "%s: changes made outside show after a second: %s", m->source, err->text);
    m->unwatched = true;
}

/* Remembers whose watch it is. False when out of memory. */
static bool note_watch(struct mount *m, struct node *dir, int handle)
{
    size_t need = (size_t)handle + 1;
    if (need > m->watched_size) {
        size_t size = need + need / 2 + 16;
        struct node **watched = realloc(m->watched, size * sizeof(struct node *));
        if (!watched)
            return false;
        memset(watched + m->watched_size, 0, (size - m->watched_size) * sizeof(struct node *));
        m->watched = watched;
        m->watched_size = size;
    }
    m->watched[handle] = dir;
    return true;
}

static void watch(struct mount *m, struct node *dir)
{
    struct anm_error err;
    anm_fail(&err, ANM_SYSTEM, "inotify cannot be used");
    int handle = m->watch ? anm_watch_folder(m->watch, dir->folder->at, &err) : -1;
    if (handle >= 0 && note_watch(m, dir, handle))
        dir->folder->watch = handle;
    else
        mirror_unwatched(m, &err);
}

static time_t seconds(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return ts.tv_sec;
}

int mirror_enter(struct mount *m, struct node *dir)
{
    struct folder *folder = dir->folder;
    struct anm_error err;
    if (!folder || (!folder->at && !dir->parent))
        return ESTALE;
    if (folder->entered)
        return 0;
    if (!folder->at)
        folder->at = anm_folder_enter(dir->parent->folder->at, dir->name, &err);
    if (!folder->at)
        return report_node(dir, &err);
    watch(m, dir); /* before looking, so that nothing falls between */
    folder->looked = seconds();
    int error = scan(m, dir);
    folder->entered = !error;
    return error;
}

void mirror_leave(struct mount *m, struct node *dir)
{
    struct folder *folder = dir->folder;
    if (folder->watch >= 0 && m->watched[folder->watch] == dir) {
        m->watched[folder->watch] = NULL;
        anm_watch_drop(m->watch, folder->watch);
    }
    anm_folder_unref(folder->at);
    free(folder);
    dir->folder = NULL;
}

/* --- what happens outside --- */

/* Everything may have changed. */
static void look_through(struct mount *m)
{
    for (size_t i = 0; i < m->watched_size; i++)
        if (m->watched[i])
            scan(m, m->watched[i]);
}

void mirror_event(struct mount *m, int handle, const char *name)
{
    if (handle < 0) {
        look_through(m);
        return;
    }
    struct node *dir = (size_t)handle < m->watched_size ? m->watched[handle] : NULL;
    if (!dir || !name || is_own(m, dir, name)) /* what happens to a folder itself, its own folder is told, too */
        return;
    mirror_look(m, dir, name);
    for (struct node *n = dir->children; n; n = n->next)
        if (n->kind == NODE_DIR)
            anim_beside(n->anim, name);
}

void mirror_poll(struct mount *m, struct node *n)
{
    struct node *entry = n->kind == NODE_FOLDER || n->kind == NODE_LINK ? n : n->anim->root;
    struct node *dir = entry && !entry->folder ? entry->parent : entry;
    if (!dir || !dir->folder || !dir->folder->entered || dir->folder->watch >= 0 || dir->folder->looked == seconds())
        return;
    dir->folder->looked = seconds();
    scan(m, dir);
}

/* --- the mount's root --- */

int mirror_open(struct mount *m, struct anm_folder *at, struct anm_error *err)
{
    ANM_AUTO(found_free) struct found found = {.kind = NODE_FOLDER};
    if (anm_folder_stat(at, &found.st, err)) {
        anm_folder_unref(at);
        return -1;
    }
    struct anim *own = anim_new(m);
    if (own) {
        own->doc = anm_note_new(NULL);
        own->look = found.st;
        own->loaded = own->saved = found.st.st_mtim;
    }
    struct node *root = own && own->doc ? node_add(m, own, NULL, "", NODE_FOLDER) : NULL;
    if (!root || !furnish(root, &found)) {
        anm_folder_unref(at);
        if (!root)
            anim_free(own);
        return anm_fail_nomem(err);
    }
    root->folder->at = at;
    root->ref = anm_tree_root(own->doc);
    root->generation = own->generation;
    own->root = m->root = root;
    m->own = own;
    return 0;
}
