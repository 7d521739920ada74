/* SPDX-License-Identifier: MIT */
/* The table of operations, and those that only look. */
#include "mount.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

static void op_init(void *userdata, struct fuse_conn_info *conn)
{
    (void)userdata;
    /* Always with attributes; adaptive READDIRPLUS would pay a LOOKUP for every entry on the second listing. */
    conn->want &= ~(unsigned)(FUSE_CAP_READDIRPLUS_AUTO | FUSE_CAP_WRITEBACK_CACHE);
    conn->want |= conn->capable & (FUSE_CAP_READDIRPLUS | FUSE_CAP_ATOMIC_O_TRUNC);
}

/* Where changes made outside cannot be watched: looks, at most once a second. */
static void poll_outside(struct mount *m, struct node *n)
{
    struct timespec ts;
    if (m->mirror) {
        mirror_poll(m, n);
        return;
    }
    clock_gettime(CLOCK_MONOTONIC, &ts);
    if (m->own->watch >= 0 || ts.tv_sec == m->looked)
        return;
    m->looked = ts.tv_sec;
    anim_reload(m->own);
}

/* The node a request is about, as it is now. */
static struct node *current(struct mount *m, fuse_ino_t ino)
{
    struct node *n = node_by_id(m, ino);
    if (n)
        poll_outside(m, n);
    return node_by_id(m, ino);
}

static void op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
    struct mount *m = mount_of(req);
    struct node *dir = current(m, parent);
    if (!dir || dir->gone) {
        fuse_reply_err(req, ESTALE);
        return;
    }
    struct node *n = node_child(m, dir, name);
    if (n)
        reply_entry(m, req, n);
    else if (strlen(name) > NAME_MAX)
        reply_err(m, req, ENAMETOOLONG);
    else
        reply_err(m, req, ENOENT); /* not cached: any name may appear by an edit elsewhere */
}

static void op_forget(fuse_req_t req, fuse_ino_t ino, uint64_t lookups)
{
    struct mount *m = mount_of(req);
    struct node *n = node_by_id(m, ino);
    if (n)
        node_forget(m, n, lookups);
    fuse_reply_none(req);
}

static void op_forget_multi(fuse_req_t req, size_t count, struct fuse_forget_data *forgets)
{
    struct mount *m = mount_of(req);
    for (size_t i = 0; i < count; i++) {
        struct node *n = node_by_id(m, forgets[i].ino);
        if (n)
            node_forget(m, n, forgets[i].nlookup);
    }
    fuse_reply_none(req);
}

static void op_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
    struct mount *m = mount_of(req);
    (void)fi;
    struct node *n = current(m, ino);
    if (!n || (n->gone && !n->opens))
        fuse_reply_err(req, ESTALE);
    else
        reply_attr(m, req, n);
}

static void op_statfs(fuse_req_t req, fuse_ino_t ino)
{
    struct mount *m = mount_of(req);
    struct statvfs st;
    struct anm_error err;
    (void)ino;
    int result =
        m->mirror ? anm_folder_statvfs(m->root->folder->at, &st, &err) : anm_store_statvfs(m->own->store, &st, &err);
    if (result < 0)
        fuse_reply_err(req, anm_error_errno(&err));
    else
        fuse_reply_statfs(req, &st);
}

/* No xattr, lock, lseek or copy operation: the kernel then does the usual thing, or stops asking. */
const struct fuse_lowlevel_ops amnt_ops = {
    .init = op_init,
    .lookup = op_lookup,
    .forget = op_forget,
    .forget_multi = op_forget_multi,
    .getattr = op_getattr,
    .setattr = op_setattr,
    .readlink = op_readlink,
    .mknod = op_mknod,
    .mkdir = op_mkdir,
    .unlink = op_unlink,
    .rmdir = op_rmdir,
    .symlink = op_symlink,
    .rename = op_rename,
    .link = op_link,
    .open = op_open,
    .read = op_read,
    .write = op_write,
    .flush = op_flush,
    .release = op_release,
    .fsync = op_fsync,
    .opendir = op_opendir,
    .readdirplus = op_readdirplus,
    .releasedir = op_releasedir,
    .fsyncdir = op_fsyncdir,
    .statfs = op_statfs,
    .create = op_create,
};
