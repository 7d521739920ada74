/* SPDX-License-Identifier: MIT */
/* Making, removing and renaming. A change of the animation is saved before the call returns; scratch files only move in
 * memory. The kernel moves its own names when a rename succeeds, so ids move with names here as well. */
#include "mount.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The kernel repeats a call with a path when it answers ESTALE, so those say EBUSY. */
static int path_errno(struct anim *a, int error)
{
    if (error == ESTALE)
        anim_reload(a);
    return error == ESTALE ? EBUSY : error;
}

static int refuse(struct anim *a, const char *path, const struct anm_error *err)
{
    return path_errno(a, report(a, path, err));
}

static struct node *directory(struct mount *m, fuse_ino_t id)
{
    struct node *dir = node_by_id(m, id);
    return dir && !dir->gone && (dir->kind == NODE_DIR || dir->kind == NODE_FOLDER) ? dir : NULL;
}

/* Saves `doc`; the caller refreshes. 0 or an errno, reported. */
static int commit(struct anim *a, const char *path, struct anm_doc *doc, struct anm_error *err,
                  const struct anm_doc **old)
{
    return anim_commit(a, doc, anim_sync(a), old, err) < 0 ? refuse(a, path, err) : 0;
}

static int make_directory(struct mount *m, struct node *dir, const char *name, struct node **made)
{
    ANM_AUTO(anm_buf_free) struct anm_buf buf = {0};
    const char *path = node_path_at(dir, name, &buf);
    struct anm_error err;
    const struct anm_doc *old = NULL;
    struct node *n = node_find(m, dir, name);
    if (!path)
        return ENOMEM;
    int wrong = name_errno(name);
    if (wrong)
        return wrong;
    if (!node_resolve(dir))
        return ESTALE;
    if (n && n->removed)
        removal_end(n->anim);
    if (!n || n->kind != NODE_DIR) {
        if (node_child(m, dir, name))
            return EEXIST;
        int error = commit(dir->anim, path, anm_tree_mkdir(dir->anim->doc, path, &err), &err, &old);
        if (error)
            return error;
        anim_refresh(dir->anim, old, NULL, false);
        n = node_child(m, dir, name);
    } else if (!n->hidden) {
        return EEXIST;
    }
    if (!n || node_hide_children(m, n) < 0)
        return ENOMEM;
    node_unhide(m, n);
    n->mtime = n->ctime = now();
    *made = n;
    return 0;
}

void op_mkdir(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode)
{
    struct mount *m = mount_of(req);
    struct node *dir = directory(m, parent);
    struct node *made = NULL;
    const struct fuse_ctx *caller = fuse_req_ctx(req);
    const struct anm_owner owner = {mode, caller->uid, caller->gid};
    int error;
    if (!dir)
        error = ESTALE;
    else if (anim_readonly(dir->anim))
        error = EROFS;
    else if (dir->kind == NODE_FOLDER)
        error = entry_mkdir(m, dir, name, &owner, &made);
    else
        error = make_directory(m, dir, name, &made);
    if (error)
        reply_err(m, req, error);
    else
        reply_entry(m, req, made);
}

/* What a later create needs to bring the node back; NULL when out of memory. */
static struct undo *remember(struct mount *m, struct node *n)
{
    struct text *stage = n->stage; /* what somebody is still writing was never the content */
    n->stage = NULL;
    struct text *text = content(m, n);
    n->stage = stage;
    struct undo *undo = text ? calloc(1, sizeof *undo) : NULL;
    if (!undo)
        return NULL;
    undo->text = text_ref(text);
    undo->mtime = stage ? n->committed_mtime : n->mtime;
    return undo;
}

/* A node that has to exist cannot leave the document: its name is away until a new file takes it, or for a while. */
static int hide_for_a_while(struct mount *m, struct node *n, struct node *dir, const char *name)
{
    struct timespec ts;
    content_hold(m, n);
    node_detach(m, n);
    struct node *placeholder = node_hide(m, dir, name);
    if (!placeholder)
        return ENOMEM;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    placeholder->unhide_at = ts.tv_sec + AMNT_UNHIDE_SECONDS;
    m->waiting++;
    return 0;
}

static int unlink_node(struct mount *m, struct node *n, struct node *dir, const char *name)
{
    ANM_AUTO(anm_buf_free) struct anm_buf buf = {0};
    const char *path = node_path_at(dir, name, &buf);
    struct anim *a = n->anim;
    struct anm_error err;
    const struct anm_doc *old;
    if (!path)
        return ENOMEM;
    if (n->pending) {
        node_leave_undo(m, n);
        node_detach(m, n);
        return 0;
    }
    if (!node_resolve(n))
        return ENOENT;
    if (removal_takes(n))
        return removal_take(m, n);
    if (n->away == NODE_AWAY_REFUSED) /* an editor gives up, and will put back what it had renamed away */
        return hide_for_a_while(m, n, dir, name);
    if (!anm_ref_removable(&n->ref) && node_writable(n) && strcmp(anm_ref_label(&n->ref), "format") != 0)
        return hide_for_a_while(m, n, dir, name);
    /* What was made again and not saved since has no text of its own to remember. */
    struct undo *undo = n->undo ? NULL : remember(m, n);
    if (!undo && !n->undo)
        return ENOMEM;
    int error = commit(a, path, anm_tree_remove(a->doc, path, &err), &err, &old);
    if (error) {
        undo_free(undo);
        return error;
    }
    if (undo && old) {
        undo->generation = a->generation;
        a->before = anm_doc_ref(old);
    }
    if (undo)
        n->undo = undo;
    node_leave_undo(m, n);
    node_detach(m, n);
    anim_refresh(a, old, NULL, false);
    return 0;
}

void op_unlink(fuse_req_t req, fuse_ino_t parent, const char *name)
{
    struct mount *m = mount_of(req);
    struct node *dir = directory(m, parent);
    struct node *n = dir ? node_child(m, dir, name) : NULL;
    int error = 0;
    if (!dir)
        error = ESTALE;
    else if (!n)
        error = ENOENT;
    else if (n->kind == NODE_DIR || n->kind == NODE_FOLDER)
        error = EISDIR;
    else if (n->kind == NODE_SCRATCH)
        node_detach(m, n);
    else if (anim_readonly(n->anim))
        error = EROFS;
    else
        error = n->kind == NODE_LINK ? entry_unlink(m, n) : unlink_node(m, n, dir, name);
    reply_err(m, req, error);
}

static int remove_directory(struct mount *m, struct node *n, struct node *dir, const char *name)
{
    ANM_AUTO(anm_buf_free) struct anm_buf buf = {0};
    const char *path = node_path_at(dir, name, &buf);
    struct anim *a = n->anim;
    struct anm_error err;
    const struct anm_doc *old;
    if (!path)
        return ENOMEM;
    if (node_has_scratch(n))
        return ENOTEMPTY;
    if (removal_takes(n))
        return removal_rmdir(m, n);
    if (!node_resolve(n))
        return ENOENT;
    struct anm_doc *doc = anm_tree_remove(a->doc, path, &err);
    if (!doc && err.reason == ANM_NOTEMPTY)
        return ENOTEMPTY;
    int error = commit(a, path, doc, &err, &old);
    if (error)
        return error;
    node_detach(m, n);
    anim_refresh(a, old, NULL, false);
    return 0;
}

void op_rmdir(fuse_req_t req, fuse_ino_t parent, const char *name)
{
    struct mount *m = mount_of(req);
    struct node *dir = directory(m, parent);
    struct node *n = dir ? node_child(m, dir, name) : NULL;
    int error;
    if (!dir)
        error = ESTALE;
    else if (!n)
        error = ENOENT;
    else if (n->kind != NODE_DIR && n->kind != NODE_FOLDER)
        error = ENOTDIR;
    else if (anim_readonly(n->anim))
        error = EROFS;
    else
        error = node_is_entry(n) ? entry_rmdir(m, n) : remove_directory(m, n, dir, name);
    reply_err(m, req, error);
}

/* One rename: the node, what is at the new name (maybe a hidden placeholder), and where both are. */
struct move {
    struct mount *m;
    struct node *n;
    struct node *target;
    struct node *to;
    const char *old_name;
    const char *new_name;
    const char *from_path;
    const char *to_path;
};

/* The target's node goes, the moved one takes its name. */
static int take_name(const struct move *v)
{
    if (v->target)
        node_detach(v->m, v->target);
    return node_move(v->m, v->n, v->to, v->new_name) < 0 ? ENOMEM : 0;
}

/* Whether the new name is, or could become, a file of the animation. */
static bool names_node(const struct move *v, bool *raw, struct anm_error *err)
{
    struct node *t = v->target;
    struct anm_ref ref;
    if (t && (t->kind != NODE_FILE || t->pending || node_resolve(t))) {
        *raw = t->kind == NODE_FILE && anm_ref_kind(&t->ref) == ANM_FILE_RAW;
        return t->kind == NODE_FILE;
    }
    if (anm_tree_can_make(v->to->anim->doc, v->to_path, false, &ref, err) < 0)
        return false;
    *raw = anm_ref_kind(&ref) == ANM_FILE_RAW;
    if (t)
        t->ref = ref; /* of a placeholder of what is gone */
    return true;
}

/* An editor's new version over a node: the node is written. */
static int scratch_over_node(const struct move *v, bool raw)
{
    struct node *n = v->n;
    struct anim *a = n->anim;
    const struct anm_doc *old = NULL;
    if (anim_readonly(v->n->anim))
        return EROFS;
    if (v->target && !node_writable(v->target))
        return EACCES;
    bool empty = !raw && n->stage->bytes.size == 0;
    if (empty && (!v->target || content_size(v->m, v->target) > 0))
        return refuse_empty(v->target && !v->target->hidden ? v->target : n);
    if (v->target)
        content_hold(v->m, v->target);
    int error = 0;
    if (!empty)
        error = commit_bytes(v->m, v->target ? v->target : n, v->to_path, &n->stage->bytes, anim_sync(a), &old);
    if (error)
        return path_errno(a, error);
    n->mode = v->target ? v->target->mode : (mode_t)-1; /* mode and owner are the node's */
    n->uid = v->target ? v->target->uid : (uid_t)-1;
    n->gid = v->target ? v->target->gid : (gid_t)-1;
    error = take_name(v);
    content_from_scratch(v->m, n);
    n->generation = 0;
    anim_refresh(a, old, n, false);
    return error;
}

static void unref_text(struct text **text)
{
    text_unref(*text);
}

/* A node moved out of an editor's way: its text goes along, the node itself stays in the document. */
static int node_to_scratch(const struct move *v)
{
    struct node *from = v->n->parent;
    ANM_AUTO(unref_text) struct text *kept = v->n->kept && !v->n->pending ? text_ref(v->n->shown) : NULL;
    struct timespec mtime = v->n->stage ? v->n->committed_mtime : v->n->mtime;
    int error = content_to_scratch(v->m, v->n);
    if (!error)
        error = take_name(v);
    struct node *stays = error ? NULL : node_child(v->m, from, v->old_name);
    if (!stays)
        return error;
    stays->away = NODE_AWAY;
    stays->mtime = mtime;
    if (kept) {
        content_restore(v->m, stays, kept);
        kept = NULL;
    }
    return 0;
}

/* A file or directory of the animation under another name of the animation. */
static int node_over_node(const struct move *v)
{
    struct node *from = v->n->parent;
    struct anim *a = v->n->anim;
    struct anm_error err;
    const struct anm_doc *old;
    if (anim_readonly(v->n->anim))
        return EROFS;
    if (v->target && v->target->kind == NODE_DIR && node_has_scratch(v->target))
        return ENOTEMPTY;
    if (v->target)
        content_hold(v->m, v->target);
    node_resolve(v->n); /* what it is before the move: the refresh compares with that */
    struct anm_doc *doc = anm_tree_rename(a->doc, v->from_path, v->to_path, &err);
    if (!doc && err.reason == ANM_NOTEMPTY)
        return ENOTEMPTY;
    int error = commit(a, v->from_path, doc, &err, &old);
    if (error)
        return error;
    error = take_name(v);
    if (v->n->kind == NODE_FILE && !error && !node_hide(v->m, from, v->old_name))
        error = ENOMEM;
    anim_refresh(a, old, NULL, false);
    return error;
}

static int rename_file(const struct move *v)
{
    struct anm_error err;
    bool raw = false;
    bool scratch = v->n->kind == NODE_SCRATCH;
    if (node_volatile(v->n))
        return EPERM;
    if (names_node(v, &raw, &err))
        return scratch ? scratch_over_node(v, raw) : node_over_node(v);
    if (v->target ? v->target->kind == NODE_SCRATCH : scratch_name(v->to, v->new_name))
        return scratch ? take_name(v) : node_to_scratch(v);
    if (v->target)
        return EISDIR;
    refuse(v->to->anim, v->to_path, &err);
    return EPERM; /* mv takes EINVAL for a directory moved into itself */
}

static int rename_any(struct move *v, unsigned flags)
{
    ANM_AUTO(anm_buf_free) struct anm_buf from = {0};
    ANM_AUTO(anm_buf_free) struct anm_buf to = {0};
    bool there = v->target && !v->target->hidden;
    v->from_path = node_path_at(v->n->parent, v->old_name, &from);
    v->to_path = node_path_at(v->to, v->new_name, &to);
    if (!v->from_path || !v->to_path)
        return ENOMEM;
    int error = name_errno(v->new_name);
    if (error)
        return error;
    if (there && flags & RENAME_NOREPLACE)
        return EEXIST;
    if (v->n == v->target)
        return 0;
    if (there && (v->target->kind == NODE_DIR) != (v->n->kind == NODE_DIR))
        return v->n->kind == NODE_DIR ? ENOTDIR : EISDIR;
    if (!node_resolve(v->to))
        return ESTALE;
    return v->n->kind == NODE_DIR ? node_over_node(v) : rename_file(v);
}

void op_rename(fuse_req_t req, fuse_ino_t parent, const char *name, fuse_ino_t newparent, const char *newname,
               unsigned flags)
{
    struct mount *m = mount_of(req);
    struct node *from = directory(m, parent);
    struct node *to = directory(m, newparent);
    struct node *n = from ? node_child(m, from, name) : NULL;
    int error;
    if (!from || !to) {
        error = ESTALE;
    } else if (!n) {
        error = ENOENT;
    } else if (flags & ~(unsigned)RENAME_NOREPLACE) {
        error = EINVAL;
    } else {
        struct node *target = node_child(m, to, newname);
        if (!target)
            target = node_find(m, to, newname);
        if (from->kind == NODE_FOLDER || to->kind == NODE_FOLDER)
            error = m->ro ? EROFS : entry_rename(m, n, target, to, newname, flags);
        else if (from->anim != to->anim)
            error = EXDEV; /* mv then copies and removes */
        else
            error = rename_any(&(struct move){m, n, target, to, name, newname, NULL, NULL}, flags);
    }
    reply_err(m, req, error);
}

void op_readlink(fuse_req_t req, fuse_ino_t ino)
{
    const struct node *n = node_by_id(mount_of(req), ino);
    if (n && n->kind == NODE_LINK)
        fuse_reply_readlink(req, (const char *)n->shown->bytes.data);
    else
        fuse_reply_err(req, n ? EINVAL : ESTALE);
}

void op_mknod(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode, dev_t rdev)
{
    (void)parent, (void)name, (void)mode, (void)rdev;
    fuse_reply_err(req, EPERM);
}

void op_symlink(fuse_req_t req, const char *link, fuse_ino_t parent, const char *name)
{
    (void)link, (void)parent, (void)name;
    fuse_reply_err(req, EPERM);
}

void op_link(fuse_req_t req, fuse_ino_t ino, fuse_ino_t newparent, const char *newname)
{
    (void)ino, (void)newparent, (void)newname;
    fuse_reply_err(req, EPERM);
}
