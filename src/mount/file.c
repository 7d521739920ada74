/* SPDX-License-Identifier: MIT */
/* Opening, reading and writing files. A text is parsed when a writer closes, syncs or leaves, never in write. */
#include "mount.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

static struct handle *handle_of(const struct fuse_file_info *fi)
{
    return fi ? (struct handle *)(uintptr_t)fi->fh : NULL; // NOLINT(performance-no-int-to-ptr)
}

static bool may_write(const struct mount *m, const struct node *n)
{
    return n->kind == NODE_SCRATCH || (!m->ro && node_writable(n));
}

/* The file on disk is not the one that is shown: nothing may be written over it. */
static bool changed_outside(struct node *n)
{
    if (n->kind == NODE_SCRATCH || n->gone)
        return false;
    if (anm_store_changed(n->anim->store)) {
        anim_reload(n->anim);
        if (n->stage)
            n->stale = true;
        return true;
    }
    return n->stale;
}

/* Makes a handle. 0 or an errno. */
static int open_node(struct mount *m, struct node *n, struct fuse_file_info *fi)
{
    struct handle *h = calloc(1, sizeof *h);
    if (!h)
        return ENOMEM;
    h->node = n;
    h->writable = (fi->flags & O_ACCMODE) != O_RDONLY;
    fi->fh = (uint64_t)(uintptr_t)h;
    fi->keep_cache = 1;
    fi->noflush = !h->writable;
    int error = 0;
    if (node_volatile(n)) {
        fi->direct_io = 1;
        h->frozen = text_ref(content(m, n));
        error = h->frozen ? 0 : ENOMEM;
    } else if (h->writable && (fi->flags & O_TRUNC)) {
        error = stage_begin(m, n, true);
    }
    if (error) {
        text_unref(h->frozen);
        free(h);
        return error;
    }
    n->opens++;
    n->writers += h->writable;
    return 0;
}

void op_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
    struct mount *m = mount_of(req);
    struct node *n = node_by_id(m, ino);
    bool writing = (fi->flags & O_ACCMODE) != O_RDONLY;
    if (!n || n->gone || (n->kind == NODE_FILE && !n->pending && !node_resolve(n))) {
        fuse_reply_err(req, ESTALE);
    } else if (m->ro && !writing) {
        fuse_reply_err(req, ENOSYS);
    } else if (writing && !may_write(m, n)) {
        fuse_reply_err(req, m->ro ? EROFS : EACCES);
    } else {
        int error = open_node(m, n, fi);
        if (error)
            fuse_reply_err(req, error);
        else
            fuse_reply_open(req, fi);
    }
}

/* The node a create makes: one the document can have, or a scratch file. NULL with *error. */
static struct node *create_node(struct mount *m, struct node *dir, const char *name, mode_t mode, int *error)
{
    ANM_AUTO(anm_buf_free) struct anm_buf path = {0};
    struct anm_error err;
    struct node *n = node_find(m, dir, name);
    *error = ENOMEM;
    if (!node_path(dir, &path))
        return NULL;
    if (path.size)
        anm_buf_putc(&path, '/');
    anm_buf_puts(&path, name);
    if (!anm_buf_cstr(&path))
        return NULL;
    if (n && n->kind == NODE_FILE && !m->ro) { /* hidden: it is there in the document */
        n->pending = !node_resolve(n);
        n->mtime = n->ctime = now();
        node_unhide(m, n);
        return n;
    }
    enum anm_kind kind = ANM_FILE_TEXT;
    bool real = !n && !m->ro && anm_tree_can_make(dir->anim->doc, (char *)path.data, false, &kind, &err) == 0;
    if (!real && !scratch_name(m, dir, name)) {
        *error = EPERM; /* what makes programs carry on, whatever the reason */
        if (!n && !m->ro)
            report(dir->anim, (char *)path.data, &err);
        return NULL;
    }
    if (!real && m->scratch_files >= AMNT_SCRATCH_FILES) {
        *error = ENOSPC;
        return NULL;
    }
    n = node_add(m, dir, name, NODE_FILE);
    if (!n)
        return NULL;
    n->mtime = n->ctime = now();
    n->pending = real;
    n->pending_raw = kind == ANM_FILE_RAW;
    if (!real)
        n->mode = mode & 07777;
    if (stage_begin(m, n, true) != 0 || (!real && content_to_scratch(m, n) != 0)) {
        node_detach(m, n);
        return NULL;
    }
    return n;
}

void op_create(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode, struct fuse_file_info *fi)
{
    struct mount *m = mount_of(req);
    struct node *dir = node_by_id(m, parent);
    int error = 0;
    if (!dir || dir->gone || dir->kind != NODE_DIR) {
        fuse_reply_err(req, ESTALE);
        return;
    }
    struct node *n = node_child(m, dir, name);
    bool fresh = !n;
    if (n && (fi->flags & O_EXCL))
        error = EEXIST;
    else if (n && n->kind == NODE_DIR)
        error = EISDIR;
    else if (n && !may_write(m, n))
        error = EACCES;
    else if (fresh)
        n = create_node(m, dir, name, mode, &error);
    if (n && (fresh || !error)) {
        error = 0;
        if (fresh)
            fi->flags |= O_TRUNC; /* a file that is new to its maker starts empty */
        error = open_node(m, n, fi);
    }
    if (!n || error) {
        fuse_reply_err(req, error ? error : ENOMEM);
        return;
    }
    reply_entry(m, req, n, fi);
}

void op_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset, struct fuse_file_info *fi)
{
    struct mount *m = mount_of(req);
    const struct handle *h = handle_of(fi);
    struct node *n = h ? h->node : node_by_id(m, ino);
    if (!n) {
        fuse_reply_err(req, ESTALE);
        return;
    }
    const struct text *text = h && h->frozen ? h->frozen : content(m, n);
    if (!text) {
        fuse_reply_err(req, ENOMEM);
        return;
    }
    size_t at = offset < 0 || (uint64_t)offset > text->bytes.size ? text->bytes.size : (size_t)offset;
    size_t left = text->bytes.size - at;
    fuse_reply_buf(req, left ? (const char *)text->bytes.data + at : NULL, left < size ? left : size);
}

void op_write(fuse_req_t req, fuse_ino_t ino, const char *bytes, size_t size, off_t offset, struct fuse_file_info *fi)
{
    struct mount *m = mount_of(req);
    struct node *n = handle_of(fi)->node;
    (void)ino;
    if (changed_outside(n)) {
        reply_err(m, req, ESTALE);
        return;
    }
    int error = stage_begin(m, n, false);
    if (!error)
        error = stage_write(m, n, bytes, size, offset);
    if (error)
        fuse_reply_err(req, error);
    else
        fuse_reply_write(req, size);
}

/* Puts back what an unlink took, since what was to replace it is refused. */
static void bring_back(struct mount *m, struct node *n, const char *path)
{
    struct undo *undo = n->undo;
    struct anim *a = n->anim;
    struct anm_error err;
    const struct anm_doc *old;
    n->undo = NULL;
    struct anm_doc *doc = undo->after == a->doc
                              ? anm_doc_ref(undo->before)
                              : anm_tree_write(a->doc, path, undo->text->bytes.data, undo->text->bytes.size, &err);
    if (anim_commit(a, doc, anim_sync(a), &old, &err) < 0)
        report(a, path, &err);
    else
        anim_refresh(a, old, n, false);
    n->pending = !node_resolve(n);
    content_drop(m, n);
    undo_free(undo);
}

int commit_bytes(struct mount *m, struct node *n, const char *path, const struct anm_buf *bytes, enum anm_sync sync,
                 const struct anm_doc **old)
{
    struct anim *a = n->anim;
    struct anm_error err;
    const struct anm_doc *base = n->undo && n->undo->after == a->doc ? n->undo->before : a->doc;
    struct anm_doc *doc = anm_tree_write(base, path, bytes->data, bytes->size, &err);
    *old = NULL;
    int error = anim_commit(a, doc, sync, old, &err) < 0 ? report(a, path, &err) : 0;
    if (error && n->undo)
        bring_back(m, n, path);
    if (error == ESTALE)
        anim_reload(a);
    if (!error) {
        undo_free(n->undo);
        n->undo = NULL;
    }
    return error;
}

/* Parses the stage and saves. 0, or the errno of the refusal or of the failure. */
static int stage_commit(struct mount *m, struct node *n, enum anm_sync sync)
{
    ANM_AUTO(anm_buf_free) struct anm_buf path = {0};
    const struct anm_doc *old;
    if (n->refused)
        return n->refused;
    if (changed_outside(n))
        return ESTALE;
    if (!node_path(n, &path))
        return ENOMEM;
    int error = commit_bytes(m, n, (char *)path.data, &n->stage->bytes, sync, &old);
    if (error == EINVAL || error == EPERM)
        n->refused =
            error; /* the same text is refused again without another look; a full disk may have space by then */
    if (error)
        return error;
    stage_keep(m, n);
    anim_refresh(n->anim, old, n, false);
    return 0;
}

/* A text that was never written down is no content: an editor or a shell is still on its way. Raw bytes may be empty, but
 * a flush comes before the first write too, so they wait for a sync or the release. */
static bool has_something(const struct node *n)
{
    return n->kind == NODE_FILE && !n->gone && n->stage && n->written && n->stage->bytes.size > 0;
}

static bool empty_is_content(struct node *n)
{
    return n->kind == NODE_FILE && !n->gone && n->stage && n->written && n->stage->bytes.size == 0 &&
           (n->pending ? n->pending_raw : node_resolve(n) && anm_ref_kind(&n->ref) == ANM_FILE_RAW);
}

void op_flush(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
    struct mount *m = mount_of(req);
    const struct handle *h = handle_of(fi);
    (void)ino;
    if (!h) {
        fuse_reply_err(req, ENOSYS); /* a read-only mount: never asked again */
        return;
    }
    int error = h->writable && has_something(h->node) ? stage_commit(m, h->node, anim_sync(h->node->anim)) : 0;
    reply_err(m, req, error);
}

void op_fsync(fuse_req_t req, fuse_ino_t ino, int datasync, struct fuse_file_info *fi)
{
    struct mount *m = mount_of(req);
    struct node *n = handle_of(fi) ? handle_of(fi)->node : node_by_id(m, ino);
    struct anm_error err;
    int error = 0;
    (void)datasync;
    if (n && n->kind != NODE_SCRATCH && !n->gone) {
        if (has_something(n) || empty_is_content(n))
            error = stage_commit(m, n, ANM_SYNC_FULL);
        else if (anm_store_sync(n->anim->store, &err) < 0)
            error = report_node(n, &err);
    }
    reply_err(m, req, error == EINVAL ? EIO : error); /* some editors take EINVAL here for "cannot sync" */
}

void op_fsyncdir(fuse_req_t req, fuse_ino_t ino, int datasync, struct fuse_file_info *fi)
{
    const struct node *n = node_by_id(mount_of(req), ino);
    struct anm_error err;
    (void)datasync;
    (void)fi;
    if (!n || n->gone)
        fuse_reply_err(req, ESTALE);
    else
        fuse_reply_err(req, anm_store_sync(n->anim->store, &err) < 0 ? report_node(n, &err) : 0);
}

/* The last writer leaves: commit what no flush saw, drop what was refused or never written. */
static void last_writer(struct mount *m, struct node *n)
{
    if (!n->stage || n->gone || n->kind == NODE_SCRATCH)
        return;
    if (has_something(n) || empty_is_content(n))
        stage_commit(m, n, anim_sync(n->anim));
    if (!n->stage)
        return;
    bool emptied = n->written && n->stage->bytes.size == 0;
    stage_drop(m, n);
    if (n->pending) {
        change_entry(m, n->parent, n->name);
        change_inode(m, n->parent);
        node_detach(m, n);
        return;
    }
    if (emptied && content_size(m, n) > 0) {
        struct anm_error err;
        anm_fail(&err, ANM_TEXT, "an empty text is not saved: the old text is back (to empty it, remove the file)");
        report_node(n, &err);
    }
    change_inode(m, n);
}

void commit_open(struct mount *m)
{
    for (size_t i = 0; i < m->buckets; i++) {
        for (struct node *n = m->ids[i]; n; n = n->by_id) {
            if (has_something(n))
                stage_commit(m, n, anim_sync(n->anim));
        }
    }
}

void op_release(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
    struct mount *m = mount_of(req);
    struct handle *h = handle_of(fi);
    (void)ino;
    if (h) {
        struct node *n = h->node;
        text_unref(h->frozen);
        if (h->writable && --n->writers == 0)
            last_writer(m, n);
        free(h);
        n->opens--;
        node_reap(m, n);
        flush_changes(m);
    }
    fuse_reply_err(req, 0);
}

/* A new size: through a handle it is a write like any other, by path without a writer a transaction of its own. */
static int resize(struct mount *m, struct node *n, off_t size)
{
    if (!may_write(m, n))
        return m->ro ? EROFS : EACCES;
    if (n->kind == NODE_FILE && (uint64_t)size == content_size(m, n))
        return 0;
    if (changed_outside(n))
        return n->writers ? ESTALE : EBUSY;
    int error = stage_begin(m, n, false);
    if (!error)
        error = stage_resize(m, n, size);
    if (error || n->writers || n->kind == NODE_SCRATCH || n->gone)
        return error;
    if (has_something(n) || empty_is_content(n)) {
        error = stage_commit(m, n, anim_sync(n->anim));
    } else {
        struct anm_error err;
        anm_fail(&err, ANM_TEXT, "an empty text is not saved (to empty it, remove the file)");
        error = report_node(n, &err);
    }
    if (error)
        stage_drop(m, n);
    return error == ESTALE ? EBUSY : error;
}

void op_setattr(fuse_req_t req, fuse_ino_t ino, struct stat *attr, int to_set, struct fuse_file_info *fi)
{
    struct mount *m = mount_of(req);
    struct node *n = fi && fi->fh ? handle_of(fi)->node : node_by_id(m, ino);
    if (!n || (n->gone && !n->opens)) {
        fuse_reply_err(req, ESTALE);
        return;
    }
    if (m->ro && n->kind != NODE_SCRATCH) {
        fuse_reply_err(req, EROFS);
        return;
    }
    int error = to_set & FUSE_SET_ATTR_SIZE ? resize(m, n, attr->st_size) : 0;
    if (error) {
        reply_err(m, req, error);
        return;
    }
    if (to_set & FUSE_SET_ATTR_MODE)
        n->mode = attr->st_mode & 07777;
    if (to_set & FUSE_SET_ATTR_UID)
        n->uid = attr->st_uid;
    if (to_set & FUSE_SET_ATTR_GID)
        n->gid = attr->st_gid;
    if (to_set & FUSE_SET_ATTR_MTIME_NOW)
        n->mtime = now();
    else if (to_set & FUSE_SET_ATTR_MTIME)
        n->mtime = attr->st_mtim;
    if (to_set & (FUSE_SET_ATTR_MTIME | FUSE_SET_ATTR_MTIME_NOW))
        n->committed_mtime = n->mtime;
    n->ctime = now();
    reply_attr(m, req, n);
}
