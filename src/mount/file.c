/* SPDX-License-Identifier: MIT */
/* Opening, reading and writing files. A text is parsed when a writer closes, syncs or leaves, never in write. */
#include "mount.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

static bool may_write(const struct node *n)
{
    return n->kind == NODE_SCRATCH || (!anim_readonly(n->anim) && node_writable(n));
}

/* Makes a handle. 0 or an errno. */
static int open_node(struct mount *m, struct node *n, struct fuse_file_info *fi)
{
    bool writable = (fi->flags & O_ACCMODE) != O_RDONLY;
    bool staged = n->stage != NULL;
    struct text *frozen = NULL;
    int error = 0;
    if (node_volatile(n)) {
        frozen = text_ref(content(m, n));
        error = frozen ? 0 : ENOMEM;
    } else if (writable && (fi->flags & O_TRUNC)) {
        error = stage_begin(m, n, true);
    }
    struct handle *h = error ? NULL : handle_open(m, n, writable);
    if (!h) {
        text_unref(frozen);
        if (!staged)
            stage_drop(m, n);
        return error ? error : ENOMEM;
    }
    h->frozen = frozen;
    fi->fh = (uint64_t)(uintptr_t)h;
    fi->direct_io = frozen != NULL;
    fi->keep_cache = 1;
    fi->noflush = !writable;
    return 0;
}

void op_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
    struct mount *m = mount_of(req);
    struct node *n = node_by_id(m, ino);
    bool writing = (fi->flags & O_ACCMODE) != O_RDONLY;
    if (!n || n->gone || (n->kind == NODE_FILE && !n->pending && !node_known(n))) {
        fuse_reply_err(req, ESTALE);
    } else if (m->ro && !writing) {
        fuse_reply_err(req, ENOSYS);
    } else if (writing && !may_write(n)) {
        fuse_reply_err(req, anim_readonly(n->anim) ? EROFS : EACCES);
    } else {
        int error = open_node(m, n, fi);
        if (error)
            fuse_reply_err(req, error);
        else if (fuse_reply_open(req, fi) < 0) /* the caller was interrupted: no release will come */
            handle_close(m, handle_of(fi));
    }
}

/* A new node for a file that the document can have, or for a scratch file. NULL with *error. */
static struct node *add_file(struct mount *m, struct node *dir, const char *name, bool scratch, int *error)
{
    *error = scratch && m->scratch_files >= AMNT_SCRATCH_FILES ? ENOSPC : ENOMEM;
    struct node *n = *error == ENOSPC ? NULL : node_add(m, dir->anim, dir, name, NODE_FILE);
    if (!n)
        return NULL;
    n->mtime = n->ctime = now();
    *error = stage_begin(m, n, true);
    if (!*error && scratch)
        *error = content_to_scratch(m, n);
    if (!*error)
        return n;
    node_detach(m, n);
    return NULL;
}

/* The node a create makes. NULL with *error. */
static struct node *create_node(struct mount *m, struct node *dir, const char *name, mode_t mode, int *error)
{
    ANM_AUTO(anm_buf_free) struct anm_buf buf = {0};
    const char *path = node_path_at(dir, name, &buf);
    struct node *n = node_find(m, dir, name);
    struct anm_ref made;
    struct anm_error err = {0};
    *error = path ? name_errno(name) : ENOMEM;
    if (*error)
        return NULL;
    bool ro = anim_readonly(dir->anim);
    if (n && n->kind == NODE_FILE && !ro) { /* hidden: it is there in the document */
        n->pending = !node_resolve(n);
        n->mtime = n->ctime = now();
        n->removed = false;
        node_unhide(m, n);
        removal_end(n->anim);
        return n;
    }
    if (!n && !ro && node_resolve(dir) && anm_tree_can_make(dir->anim->doc, path, false, &made, &err) == 0) {
        n = add_file(m, dir, name, false, error);
        if (n) {
            n->pending = true;
            n->ref = made;
        }
        return n;
    }
    if (scratch_name(dir, name)) {
        n = n ? NULL : add_file(m, dir, name, true, error);
        if (n)
            n->mode = mode & 07777;
        return n;
    }
    if (!n && !ro)
        report(dir->anim, path, &err);
    *error = EPERM; /* what makes programs carry on, whatever the reason */
    return NULL;
}

/* A folder holds folders and animations, which are made by mkdir. Returns what makes programs carry on. */
static int refuse_file(struct node *dir, const char *name)
{
    ANM_AUTO(anm_buf_free) struct anm_buf path = {0};
    struct anm_error err;
    anm_fail(&err, ANM_DENIED,
             "no file can be made in a folder: mkdir makes a folder, or an animation if the name ends in .anm");
    if (!name_errno(name) && node_path_at(dir, name, &path))
        report(dir->anim, (char *)path.data, &err);
    return EPERM;
}

void op_create(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode, struct fuse_file_info *fi)
{
    struct mount *m = mount_of(req);
    struct node *dir = node_by_id(m, parent);
    int error = 0;
    if (!dir || dir->gone || (dir->kind != NODE_DIR && dir->kind != NODE_FOLDER)) {
        fuse_reply_err(req, ESTALE);
        return;
    }
    struct node *n = node_child(m, dir, name);
    bool fresh = !n;
    if (n && (fi->flags & O_EXCL))
        error = EEXIST;
    else if (n && n->kind != NODE_FILE && n->kind != NODE_SCRATCH)
        error = EISDIR;
    else if (n && !may_write(n))
        error = EACCES;
    else if (dir->kind == NODE_FOLDER)
        error = refuse_file(dir, name);
    else if (fresh)
        n = create_node(m, dir, name, mode, &error);
    if (n && (fresh || !error)) {
        error = 0;
        if (fresh)
            fi->flags |= O_TRUNC; /* a file that is new to its maker starts empty */
        error = open_node(m, n, fi);
    }
    if (!n || error) {
        fuse_reply_err(req, error ? error : EPERM);
        return;
    }
    struct fuse_entry_param e;
    fill_entry(m, n, &e);
    n->lookups++;
    if (fuse_reply_create(req, &e, fi) < 0) { /* as in op_open() */
        handle_close(m, handle_of(fi));
        node_forget(m, n, 1);
    }
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
    const struct text *text = h && h->frozen ? h->frozen : content_seen(m, n);
    if (n->lost && !n->old && !n->stage) { /* whatever was given would be cut, or filled up, to another text's size */
        fuse_reply_err(req, ESTALE);
        return;
    }
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
    struct node *n = handle_of(fi) ? handle_of(fi)->node : NULL;
    (void)ino;
    int error = n ? check_outside(n) : EROFS;
    if (!error)
        error = stage_begin(m, n, false);
    if (!error)
        error = stage_write(m, n, bytes, size, offset);
    /* Never behind an invalidation: the kernel holds the page until this is answered. */
    if (error)
        fuse_reply_err(req, error);
    else
        fuse_reply_write(req, size);
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
    int error = 0;
    if (h->writable && stage_kind(h->node) == STAGE_CONTENT)
        error = stage_commit(m, h->node, anim_sync(h->node->anim));
    reply_err(m, req, error);
}

void op_fsync(fuse_req_t req, fuse_ino_t ino, int datasync, struct fuse_file_info *fi)
{
    struct mount *m = mount_of(req);
    struct node *n = handle_of(fi) ? handle_of(fi)->node : node_by_id(m, ino);
    struct anm_error err;
    int error = 0;
    (void)datasync;
    enum stage_kind kind = n ? stage_kind(n) : STAGE_NOTHING;
    if (kind == STAGE_CONTENT || kind == STAGE_EMPTY_RAW)
        error = stage_commit(m, n, ANM_SYNC_FULL);
    else if (n && n->kind != NODE_SCRATCH && !n->gone && n->anim->store && anm_store_sync(n->anim->store, &err) < 0)
        error = report_node(n, &err);
    reply_err(m, req, error == EINVAL ? EIO : error); /* some editors take EINVAL here for "cannot sync" */
}

void op_fsyncdir(fuse_req_t req, fuse_ino_t ino, int datasync, struct fuse_file_info *fi)
{
    const struct node *n = node_by_id(mount_of(req), ino);
    struct anm_error err;
    int result = 0;
    (void)datasync;
    (void)fi;
    if (!n || n->gone) {
        fuse_reply_err(req, ESTALE);
        return;
    }
    if (n->folder && n->folder->at)
        result = anm_folder_sync(n->folder->at, &err);
    else if (n->anim->store)
        result = anm_store_sync(n->anim->store, &err);
    fuse_reply_err(req, result < 0 ? report_node(n, &err) : 0);
}

void op_release(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
    struct mount *m = mount_of(req);
    (void)ino;
    if (handle_of(fi))
        handle_close(m, handle_of(fi));
    fuse_reply_err(req, 0);
}

/* A new size: through a handle it is a write like any other; by path without a writer a transaction of its own, and never
 * ESTALE, which the kernel would answer by trying again. */
static int resize(struct mount *m, struct node *n, off_t size, bool by_path)
{
    if (!may_write(n))
        return anim_readonly(n->anim) ? EROFS : EACCES;
    if (n->kind == NODE_FILE && (uint64_t)size == content_size(m, n))
        return 0;
    int error = check_outside(n);
    if (error)
        return error == ESTALE && by_path ? EBUSY : error;
    error = stage_begin(m, n, false);
    if (!error)
        error = stage_resize(m, n, size);
    if (n->writers || n->kind == NODE_SCRATCH || n->gone)
        return error;
    enum stage_kind kind = stage_kind(n);
    if (!error)
        error = kind == STAGE_EMPTY_TEXT ? refuse_empty(n) : stage_commit(m, n, anim_sync(n->anim));
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
    if (anim_readonly(n->anim) && n->kind != NODE_SCRATCH) {
        fuse_reply_err(req, EROFS);
        return;
    }
    int error = to_set & FUSE_SET_ATTR_SIZE ? resize(m, n, attr->st_size, !fi || !fi->fh) : 0;
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
    if (to_set & FUSE_SET_ATTR_ATIME_NOW)
        n->atime = now();
    else if (to_set & FUSE_SET_ATTR_ATIME)
        n->atime = attr->st_atim;
    if (to_set & FUSE_SET_ATTR_MTIME_NOW)
        n->mtime = now();
    else if (to_set & FUSE_SET_ATTR_MTIME)
        n->mtime = attr->st_mtim;
    if (to_set & (FUSE_SET_ATTR_MTIME | FUSE_SET_ATTR_MTIME_NOW))
        n->committed_mtime = n->mtime;
    n->ctime = now();
    reply_attr(m, req, n);
}
