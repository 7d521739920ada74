/* SPDX-License-Identifier: MIT */
/* Making, removing and renaming what is in the folders of a directory mount. Everything happens on disk, and then what is there is
 * looked at; what the folder's watch tells of it afterwards finds nothing new. */
#include "mount.h"

#include "anm/note.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define VERSION_DEFAULT "gem 6.0 frm2"

/* A failure of a call with a path, see path_errno() in name.c: nothing was changed, and what is there is looked at. */
static int refuse(struct mount *m, struct node *dir, const char *name, const struct anm_error *err)
{
    ANM_AUTO(anm_buf_free) struct anm_buf path = {0};
    int error = anm_error_errno(err);
    /* Callers expect these, and say so themselves. */
    if (error != EEXIST && error != ENOTEMPTY && error != ENOENT)
        report(dir->anim, node_path_at(dir, name, &path) ? (char *)path.data : name, err);
    mirror_look(m, dir, name);
    return error == ESTALE ? EBUSY : error;
}

const char *entry_version(const struct mount *m)
{
    return m->options.version ? m->options.version : VERSION_DEFAULT;
}

static int make_file(struct mount *m, const struct node *dir, const char *name, const struct anm_owner *owner,
                     struct anm_error *err)
{
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
    const char *version = entry_version(m);
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = anm_tree_blank(version, strlen(version), err);
    if (!doc || anm_doc_encode(doc, &bytes, err) < 0)
        return -1;
    const struct anm_owner reader = {owner->mode & 0666, owner->uid, owner->gid};
    return anm_store_make(dir->folder->at, name, &reader, bytes.data, bytes.size, anim_sync(dir->anim), err);
}

int entry_mkdir(struct mount *m, struct node *dir, const char *name, const struct anm_owner *owner, struct node **made)
{
    struct anm_error err;
    struct anm_owner given = *owner;
    bool animation = anm_doc_named(name);
    int error = name_errno(name);
    if (!error)
        error = node_child(m, dir, name) ? EEXIST : mirror_enter(m, dir);
    if (error)
        return error;
    if (dir->folder->st.st_mode & S_ISGID)
        given.gid = dir->folder->st.st_gid;
    if ((animation ? make_file(m, dir, name, &given, &err) : anm_folder_mkdir(dir->folder->at, name, &given, &err)) !=
        0)
        return refuse(m, dir, name, &err);
    struct node *n = mirror_look(m, dir, name);
    if (!n)
        return EBUSY; /* and gone again */
    if (n->kind == NODE_DIR && (!anim_need(n->anim) || node_hide_children(m, n) < 0))
        return ENOMEM;
    if (n->kind == NODE_DIR)
        n->anim->fresh = true;
    *made = n;
    return 0;
}

/* Whether nothing would be lost with an animation. */
static bool is_bare(struct node *n)
{
    return !node_has_scratch(n) && !n->anim->removing && anim_need(n->anim) && anm_tree_is_bare(n->anim->doc);
}

int entry_rmdir(struct mount *m, struct node *n)
{
    struct node *dir = n->parent;
    struct anm_error err;
    if (n->kind == NODE_DIR && !removal_is_done(m, n) && !is_bare(n))
        return ENOTEMPTY;
    int result =
        n->kind == NODE_DIR ? anm_store_remove(n->anim->store, &err) : anm_folder_rmdir(dir->folder->at, n->name, &err);
    if (result < 0) {
        removal_end(n->anim);
        return refuse(m, dir, n->name, &err);
    }
    mirror_remove(m, n);
    return 0;
}

int entry_unlink(struct mount *m, struct node *n)
{
    struct node *dir = n->parent;
    struct anm_error err;
    if (anm_folder_unlink(dir->folder->at, n->name, &err) < 0)
        return refuse(m, dir, n->name, &err);
    mirror_remove(m, n);
    return 0;
}

/* Why something cannot have a name, or 0. */
static int check_name(struct mount *m, const struct node *n, struct node *to, const char *name)
{
    struct anm_error err;
    int error = name_errno(name);
    if (error || n->kind != NODE_DIR || mirror_shows(m, name))
        return error;
    anm_fail(&err, ANM_DENIED,
             "an animation of that name would not be shown: expected one that ends like theirs, such as .anm");
    refuse(m, to, name, &err);
    return EPERM;
}

/* What is at the new name and can be replaced by `n`, or not. */
static int check_target(const struct node *n, struct node *target)
{
    if (n->kind == NODE_LINK || target->kind == NODE_LINK)
        return EEXIST;
    if (n->kind == NODE_FOLDER && target->kind == NODE_FOLDER)
        return 0; /* the kernel looks whether it is empty */
    if (n->kind == NODE_FOLDER)
        return ENOTDIR;
    if (target->kind == NODE_FOLDER)
        return EISDIR;
    return is_bare(target) ? 0 : ENOTEMPTY;
}

/* The file has another name now. */
static void follow(struct mount *m, struct node *n)
{
    struct anim *a = n->anim;
    struct anm_error err;
    n->ctime = now();
    if (n->kind != NODE_DIR)
        return;
    if (a->store && anm_store_moved(a->store, n->parent->folder->at, n->name, n->name, &err) < 0)
        report(a, "", &err);
    /* What is shown may tell the name, or come from the files beside. */
    if (a->given && !m->options.tim && (!a->dropped || anim_need(a))) {
        a->given = false;
        anim_give(a);
    }
    if (a->doc && anm_is_note(a->doc))
        anim_look(a, anim_stat(a));
}

static int rename_on_disk(struct node *n, const struct node *target, const struct node *to, const char *name,
                          struct anm_error *err)
{
    const struct anm_folder *from = n->parent->folder->at, *folder = to->folder->at;
    if (n->kind != NODE_DIR)
        return anm_folder_rename(from, n->name, folder, name, err);
    return anm_store_rename(from, n->name, folder, name, target ? target->anim->store : NULL, err);
}

int entry_rename(struct mount *m, struct node *n, struct node *target, struct node *to, const char *name,
                 unsigned flags)
{
    struct anm_error err;
    struct node *from = n->parent;
    if (!node_is_entry(n) || to->kind != NODE_FOLDER || (target && !node_is_entry(target)))
        return EPERM;
    if (target && flags & RENAME_NOREPLACE)
        return EEXIST;
    if (n == target)
        return 0;
    int error = check_name(m, n, to, name);
    if (!error && target)
        error = check_target(n, target);
    if (!error)
        error = mirror_enter(m, to);
    if (error)
        return error;
    if (rename_on_disk(n, target, to, name, &err) < 0)
        return refuse(m, to, name, &err);
    if (target)
        node_detach(m, target);
    if (node_move(m, n, to, name) < 0) {
        mirror_remove(m, n);
        return ENOMEM;
    }
    change_inode(m, from);
    change_inode(m, to);
    follow(m, n);
    if (n->kind == NODE_LINK)
        mirror_look(m, to, name); /* from there it may lead out */
    return 0;
}
