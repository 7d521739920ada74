/* SPDX-License-Identifier: MIT */
/* Listing directories. A handle holds the names as they were at offset 0, so that a listing that is being read while its
 * entries are removed (rm -r, find -delete) neither skips nor repeats any. */
#include "mount.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static unsigned classes(const struct mount *m)
{
    return (m->options.raw ? ANM_LIST_RAW : 0u) | (m->options.preview ? ANM_LIST_PREVIEW : 0u);
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(const struct node *const *)a)->name, (*(const struct node *const *)b)->name);
}

/* The entries of a folder, by name. */
static int list_folder(struct mount *m, struct node *dir, struct anm_buf *names)
{
    size_t count = 0, used = 0;
    int error = mirror_enter(m, dir);
    if (error)
        return error;
    mirror_poll(m, dir);
    for (const struct node *n = dir->children; n; n = n->next)
        count += node_is_entry(n);
    ANM_AUTO(anm_freep) const struct node **all = anm_alloc(0, count + 1, sizeof *all);
    for (const struct node *n = all ? dir->children : NULL; n; n = n->next)
        if (node_is_entry(n))
            all[used++] = n;
    if (used > 1)
        qsort(all, used, sizeof *all, by_name);
    for (size_t i = 0; i < used; i++)
        anm_buf_put(names, all[i]->name, strlen(all[i]->name) + 1);
    return !all || names->failed ? ENOMEM : 0;
}

int dir_names(struct mount *m, struct node *dir, struct anm_buf *names)
{
    struct anm_ref ref;
    uint32_t cookie = 0;
    if (!node_resolve(dir))
        return ESTALE;
    for (size_t start = 0; anm_tree_next(dir->anim->doc, &dir->ref, classes(m), &cookie, &ref, names);
         start = names->size) {
        anm_buf_u8(names, 0);
        if (names->failed)
            return ENOMEM;
        const struct node *n = node_find(m, dir, (char *)names->data + start);
        if (n && n->hidden)
            names->size = start;
    }
    return 0;
}

/* Collects the names to list: the document's, then what only the mount knows. */
int dir_list(struct mount *m, struct node *dir, struct anm_buf *names)
{
    names->size = 0;
    if (dir->kind == NODE_FOLDER)
        return list_folder(m, dir, names);
    if (dir->anim->dropped && dir->shown && node_known(dir)) {
        anm_buf_put(names, dir->shown->bytes.data, dir->shown->bytes.size);
    } else {
        int error = dir_names(m, dir, names);
        if (error)
            return error;
    }
    for (const struct node *n = dir->children; n; n = n->next) {
        if (!n->hidden && (n->kind == NODE_SCRATCH || n->pending))
            anm_buf_put(names, n->name, strlen(n->name) + 1);
    }
    dir->listed = true;
    return names->failed ? ENOMEM : 0;
}
/* Few entries, and none derived. */
static bool is_small(struct mount *m, struct node *dir)
{
    ANM_AUTO(anm_buf_free) struct anm_buf name = {0};
    struct anm_ref ref;
    uint32_t cookie = 0;
    unsigned entries = 0;
    if (dir->kind == NODE_FOLDER) {
        for (const struct node *n = dir->children; n && entries <= AMNT_CACHE_DIR_ENTRIES; n = n->next)
            entries++;
        return entries <= AMNT_CACHE_DIR_ENTRIES;
    }
    if (!node_known(dir) || node_volatile(dir))
        return false;
    if (dir->anim->dropped && dir->shown) {
        const struct anm_buf *names = &dir->shown->bytes;
        for (size_t at = 0; at < names->size && entries <= AMNT_CACHE_DIR_ENTRIES; entries++)
            at += strlen((const char *)names->data + at) + 1;
        return entries <= AMNT_CACHE_DIR_ENTRIES;
    }
    if (!node_resolve(dir))
        return false;
    while (entries <= AMNT_CACHE_DIR_ENTRIES &&
           anm_tree_next(dir->anim->doc, &dir->ref, classes(m), &cookie, &ref, &name))
        entries++;
    return entries <= AMNT_CACHE_DIR_ENTRIES;
}

void op_opendir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
    struct mount *m = mount_of(req);
    struct node *n = node_by_id(m, ino);
    if (!n || n->gone) {
        fuse_reply_err(req, ESTALE);
        return;
    }
    if (m->ro) {
        fuse_reply_err(req, ENOSYS);
        return;
    }
    int error = n->folder ? mirror_enter(m, n) : 0;
    struct handle *h = error ? NULL : handle_open(m, n, false);
    if (!h) {
        reply_err(m, req, error ? error : ENOMEM);
        return;
    }
    fi->fh = (uint64_t)(uintptr_t)h;
    /* A folder's own watch tells of its listing. */
    bool watched = n->folder ? n->folder->watch >= 0 : node_timeout(m, n) == AMNT_FOREVER;
    fi->cache_readdir = watched && is_small(m, n);
    fi->keep_cache = fi->cache_readdir;
    if (fuse_reply_open(req, fi) < 0)
        handle_close(m, h);
}

void op_releasedir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
    struct handle *h = handle_of(fi);
    (void)ino;
    if (h)
        handle_close(mount_of(req), h);
    fuse_reply_err(req, 0);
}

/* A reply being filled. */
struct page {
    fuse_req_t req;
    char *bytes;
    size_t size;
    size_t used;
};

/* Adds one entry with its attributes; false when the page is full. */
static bool add_entry(struct page *page, const char *name, const struct fuse_entry_param *e, off_t next)
{
    size_t need = fuse_add_direntry_plus(page->req, page->bytes + page->used, page->size - page->used, name, e, next);
    if (need > page->size - page->used)
        return false;
    page->used += need;
    return true;
}

static bool add_dot(struct page *page, const char *name, const struct node *n, off_t next)
{
    return add_entry(page, name, &(struct fuse_entry_param){.attr = {.st_ino = node_ino(n), .st_mode = S_IFDIR}}, next);
}

/* Offsets: 1 after ".", 2 after "..", then 2 plus where the next name starts. */
static void fill_page(struct mount *m, struct node *dir, const struct anm_buf *names, off_t offset, struct page *page)
{
    if (offset < 1 && !add_dot(page, ".", dir, 1))
        return;
    if (offset < 2 && !add_dot(page, "..", dir->parent ? dir->parent : dir, 2))
        return;
    for (size_t at = offset > 2 ? (size_t)offset - 2 : 0, next; at < names->size; at = next) {
        const char *name = (const char *)names->data + at;
        next = at + strlen(name) + 1;
        struct node *n = node_child(m, dir, name);
        if (!n)
            continue;
        struct fuse_entry_param e;
        fill_entry(m, n, &e);
        if (!add_entry(page, name, &e, (off_t)next + 2))
            return;
        n->lookups++;
    }
}

void op_readdirplus(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset, struct fuse_file_info *fi)
{
    struct mount *m = mount_of(req);
    struct handle *h = handle_of(fi);
    struct node *dir = h ? h->node : node_by_id(m, ino);
    ANM_AUTO(anm_buf_free) struct anm_buf live = {0};
    struct anm_buf *names = h ? &h->names : &live;
    int error = !dir || offset < 0 ? ESTALE : 0;
    /* Not at opendir: the kernel stamps its cache with the time of the first page. */
    if (!error && (!h || offset == 0))
        error = dir_list(m, dir, names);
    struct page page = {req, error ? NULL : malloc(size), size, 0};
    if (!error && !page.bytes)
        error = ENOMEM;
    if (error) {
        free(page.bytes);
        fuse_reply_err(req, error);
        return;
    }
    fill_page(m, dir, names, offset, &page);
    fuse_reply_buf(req, page.bytes, page.used);
    free(page.bytes);
}
