/* SPDX-License-Identifier: MIT */
/* Open files and directories. */
#include "mount.h"

#include <stdlib.h>

struct handle *handle_open(struct mount *m, struct node *n, bool writable)
{
    struct handle *h = calloc(1, sizeof *h);
    if (!h)
        return NULL;
    h->node = n;
    h->writable = writable;
    h->older = m->handles;
    if (h->older)
        h->older->newer = h;
    m->handles = h;
    n->opens++;
    n->writers += writable;
    return h;
}

static void let_go(struct mount *m, struct handle *h)
{
    struct node *n = h->node;
    *(h->newer ? &h->newer->older : &m->handles) = h->older;
    if (h->older)
        h->older->newer = h->newer;
    text_unref(h->frozen);
    anm_buf_free(&h->names);
    free(h);
    n->opens--;
    node_reap(m, n);
}

void handle_close(struct mount *m, struct handle *h)
{
    struct node *n = h->node;
    n->writers -= h->writable;
    if (n->kind != NODE_DIR && n->writers == 0 && (h->writable || (n->pending && n->opens == 1)))
        stage_end(m, n);
    let_go(m, h);
}

void handles_end(struct mount *m, bool closed)
{
    while (m->handles)
        (closed ? handle_close : let_go)(m, m->handles);
}
