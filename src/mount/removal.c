/* SPDX-License-Identifier: MIT */
/* Removing a whole animation of a folder. rm -r removes what is in it piece by piece, and `format` first, as that is listed first.
 * No file can be without that, so its unlink opens a removal: from then on what is removed is hidden, and the document as well as
 * the file stay what they are. The rmdir at the end removes the file. If that does not come, because rm was interrupted or somebody
 * wrote into the animation, all is back. */
#include "mount.h"

#include <errno.h>
#include <string.h>

static struct timespec elapsed(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return ts;
}

bool removal_takes(const struct node *n)
{
    const struct anim *a = n->anim;
    if (!a->mount->mirror || node_volatile(n))
        return false;
    return a->removing ||
           (n->parent == a->root && n->kind == NODE_FILE && strcmp(anm_ref_label(&n->ref), "format") == 0);
}

/* Hides a name; the wait for the rest begins anew. */
int removal_take(struct mount *m, struct node *n)
{
    ANM_AUTO(anm_buf_free) struct anm_buf name = {0};
    struct anim *a = n->anim;
    struct node *dir = n->parent;
    anm_buf_puts(&name, n->name);
    const char *text = anm_buf_cstr(&name);
    if (!text)
        return ENOMEM;
    content_hold(m, n);
    node_detach(m, n);
    struct node *placeholder = node_hide(m, dir, text);
    if (!placeholder)
        return ENOMEM;
    placeholder->removed = true;
    m->waiting += a->removing == 0;
    a->removing = elapsed().tv_sec + AMNT_UNHIDE_SECONDS;
    return 0;
}

int removal_rmdir(struct mount *m, struct node *n)
{
    ANM_AUTO(anm_buf_free) struct anm_buf names = {0};
    int error = dir_list(m, n, &names);
    if (error)
        return error;
    return names.size ? ENOTEMPTY : removal_take(m, n);
}

bool removal_is_done(struct mount *m, struct node *root)
{
    ANM_AUTO(anm_buf_free) struct anm_buf names = {0};
    return root->anim->removing && dir_list(m, root, &names) == 0 && names.size == 0;
}

static void bring_back(struct mount *m, struct node *dir)
{
    for (struct node *n = dir->children; n; n = n->next) {
        if (n->removed) {
            n->removed = false;
            node_unhide(m, n);
            change_inode(m, dir);
        }
        bring_back(m, n);
    }
}

void removal_forget(struct anim *a)
{
    a->mount->waiting -= a->removing != 0;
    a->removing = 0;
}

void removal_end(struct anim *a)
{
    if (!a->removing)
        return;
    removal_forget(a);
    if (a->root)
        bring_back(a->mount, a->root);
}
