/* SPDX-License-Identifier: MIT */
/* From a stage to the file. A text is parsed here: when a writer closes, syncs or leaves, or when a file is renamed over it. */
#include "mount.h"

#include <errno.h>
#include <stdlib.h>

/* Once for a stage: the shell that does not look at close is told by the errors file, and need not be told twice. */
static int refuse_stale(struct node *n)
{
    struct anm_error err;
    if (n->refused == ESTALE)
        return ESTALE;
    n->refused = ESTALE;
    anm_fail(&err, ANM_STALE, "the file was changed outside; nothing was written, the new content is shown now");
    return n->vanished ? report(n->anim, n->name, &err) : report_node(n, &err);
}

int check_outside(struct node *n)
{
    struct anm_error err;
    if (n->kind == NODE_SCRATCH || (n->gone && !n->vanished))
        return 0;
    if (n->vanished || n->stale)
        return refuse_stale(n);
    if (!n->anim->broken && anm_store_check(n->anim->store, &err) == 0)
        return 0;
    if (!n->anim->broken && err.reason != ANM_STALE)
        return report_node(n, &err);
    anim_reload(n->anim);
    if (n->stage)
        n->stale = true;
    return refuse_stale(n);
}

int refuse_empty(struct node *n)
{
    struct anm_error err;
    anm_fail(&err, ANM_TEXT, "an empty text is not saved: the old text stays (to empty it, remove the file)");
    return report_node(n, &err);
}

/* Puts back what an unlink took, since what was to replace it is refused. */
static void bring_back(struct mount *m, struct node *n, const char *path)
{
    struct undo *undo = n->undo;
    struct anim *a = n->anim;
    struct anm_error err;
    const struct anm_doc *old;
    n->undo = NULL; /* for the time of the refresh */
    struct anm_doc *doc = undo->generation == a->generation && a->before
                              ? anm_doc_ref(a->before)
                              : anm_tree_write(a->doc, path, undo->text->bytes.data, undo->text->bytes.size, &err);
    if (anim_commit(a, doc, anim_sync(a), &old, &err) < 0) {
        report(a, path, &err);
        n->undo = undo; /* a disk that is full now may have room at the next try */
        return;
    }
    anim_refresh(a, old, n, false);
    n->pending = !node_resolve(n);
    if (n->hidden && !n->pending) {
        node_unhide(m, n);
        change_inode(m, n->parent);
    }
    n->committed_mtime = undo->mtime;
    if (!n->stage)
        n->mtime = undo->mtime;
    content_restore(m, n, text_ref(undo->text));
    undo_free(undo);
}

int commit_bytes(struct mount *m, struct node *n, const char *path, const struct anm_buf *bytes, enum anm_sync sync,
                 const struct anm_doc **old)
{
    struct anim *a = n->anim;
    struct anm_error err;
    *old = NULL;
    if (!anim_need(a)) /* an open that empties needs no document */
        return ENOMEM;
    bool undone = n->undo && n->undo->generation == a->generation && a->before;
    struct anm_doc *doc = anm_tree_write(undone ? a->before : a->doc, path, bytes->data, bytes->size, &err);
    bool refused = !doc;
    int error = anim_commit(a, doc, sync, old, &err) < 0 ? report(a, path, &err) : 0;
    if (error && !*old && n->undo)
        bring_back(m, n, path);
    if (error == ESTALE)
        anim_reload(a);
    if (error)
        return refused && error != ENOMEM ? EINVAL : error;
    undo_free(n->undo);
    n->undo = NULL;
    return 0;
}

enum stage_kind stage_kind(struct node *n)
{
    if (n->kind != NODE_FILE || (n->gone && !n->vanished) || !n->stage || !n->written)
        return STAGE_NOTHING;
    if (n->stage->bytes.size > 0)
        return STAGE_CONTENT;
    return n->ref.route && anm_ref_kind(&n->ref) == ANM_FILE_RAW ? STAGE_EMPTY_RAW : STAGE_EMPTY_TEXT;
}

int stage_commit(struct mount *m, struct node *n, enum anm_sync sync)
{
    ANM_AUTO(anm_buf_free) struct anm_buf path = {0};
    const struct anm_doc *old = NULL;
    if (n->refused)
        return n->refused;
    int error = check_outside(n);
    if (!error && !node_path(n, &path))
        error = ENOMEM;
    n->failed = error != 0;
    if (error)
        return error;
    error = commit_bytes(m, n, (char *)path.data, &n->stage->bytes, sync, &old);
    n->failed = error != 0;
    if (n->away)
        n->away = error ? NODE_AWAY_REFUSED : NODE_IN_PLACE;
    if (error)
        n->mtime = n->committed_mtime; /* an editor that looks now and after the release must see the same */
    /* The same text is refused again without another look; a full disk may have space by then. */
    if (error == EINVAL)
        n->refused = error;
    if (!error || old)
        stage_keep(m, n);
    anim_refresh(n->anim, old, n, false);
    return error;
}

void stage_end(struct mount *m, struct node *n)
{
    ANM_AUTO(anm_buf_free) struct anm_buf path = {0};
    enum stage_kind kind = stage_kind(n);
    int refused = n->refused;
    if (n->kind == NODE_SCRATCH || (n->gone && !n->vanished))
        return;
    if (!n->failed && (kind == STAGE_CONTENT || kind == STAGE_EMPTY_RAW))
        stage_commit(m, n, anim_sync(n->anim));
    bool owed = n->failed && n->undo; /* could not be brought back with the failure: a second try */
    if (n->kind == NODE_FILE && n->stage && !n->gone) {
        stage_drop(m, n);
        change_inode(m, n);
    }
    if (n->gone)
        return;
    if (owed && node_path(n, &path))
        bring_back(m, n, (char *)path.data);
    if (n->pending) {
        change_entry(m, n->parent, n->name);
        change_inode(m, n->parent);
        node_leave_undo(m, n);
        node_detach(m, n);
    } else if (kind == STAGE_EMPTY_TEXT && !refused && content_size(m, n) > 0) {
        refuse_empty(n);
    }
}

void report_open(struct mount *m)
{
    struct anm_error err;
    anm_fail(&err, ANM_TEXT, "not saved: the mount ended before the writer closed it");
    for (size_t i = 0; i < m->buckets; i++) {
        for (struct node *n = m->ids[i]; n; n = n->by_id) {
            if (n->writers && !n->gone && stage_kind(n) != STAGE_NOTHING)
                report_node(n, &err);
        }
    }
}
