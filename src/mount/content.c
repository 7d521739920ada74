/* SPDX-License-Identifier: MIT */
/* What a file shows. Committed content is canonical (rendered from the document, may be dropped and rendered again) or
 * kept (what was written, to the byte, until the data changes by another path). A stage lies over it from the first write
 * until it is committed or dropped; a scratch file is a stage and nothing else. */
#include "mount.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct text *text_new(void)
{
    struct text *text = calloc(1, sizeof *text);
    if (text)
        text->refs = 1;
    return text;
}

struct text *text_ref(struct text *text)
{
    if (text)
        text->refs++;
    return text;
}

void text_unref(struct text *text)
{
    if (!text || --text->refs)
        return;
    anm_buf_free(&text->bytes);
    free(text);
}

static void cache_remove(struct mount *m, struct node *n)
{
    if (!n->cached)
        return;
    *(n->newer ? &n->newer->older : &m->newest) = n->older;
    *(n->older ? &n->older->newer : &m->oldest) = n->newer;
    n->newer = n->older = NULL;
    n->cached = false;
    m->cache_bytes -= n->shown->bytes.capacity;
}

static void cache_add(struct mount *m, struct node *n)
{
    n->older = m->newest;
    *(n->older ? &n->older->newer : &m->oldest) = n;
    m->newest = n;
    n->cached = true;
    m->cache_bytes += n->shown->bytes.capacity;
}

void content_forget(struct mount *m, struct node *n)
{
    cache_remove(m, n);
    text_unref(n->shown);
    n->shown = NULL;
}

/* Drops the oldest of those that can be rendered again and nobody has open, or of those that are kept, which show canonical text from
 * then on. */
static void trim(struct mount *m, const struct node *spare, bool kept)
{
    for (struct node *n = m->oldest, *newer; n && m->cache_bytes > memory_for_texts(m); n = newer) {
        newer = n->newer;
        if (n->opens || n == spare || n->kept != kept)
            continue;
        if (kept) {
            content_drop(m, n);
            change_inode(m, n);
        } else {
            content_forget(m, n);
        }
    }
}

static void cache_trim(struct mount *m, const struct node *spare)
{
    trim(m, spare, false);
    trim(m, spare, true);
}

/* Makes `text` (reference taken over) the committed content. */
static void show(struct mount *m, struct node *n, struct text *text, bool kept)
{
    cache_remove(m, n);
    text_unref(n->shown);
    n->shown = text;
    n->kept = kept;
    n->size = text->bytes.size;
    n->size_known = true;
    cache_add(m, n);
    cache_trim(m, n);
}

void content_restore(struct mount *m, struct node *n, struct text *text)
{
    show(m, n, text, true);
}

static struct text *render(struct mount *m, struct node *n)
{
    struct text *text = text_new();
    if (node_volatile(n) && anim_need(n->anim))
        anim_give(n->anim); /* what is derived may come from there */
    if (!text || !node_resolve(n))
        return text;
    struct anm_error err;
    if (anm_ref_kind(&n->ref) == ANM_FILE_HOST)
        host_render(m, n->anim, anm_ref_label(&n->ref), &text->bytes);
    else if (anm_tree_render(n->anim->doc, &n->ref, &text->bytes, &err) < 0)
        text->bytes.failed = true;
    if (!text->bytes.failed)
        return text;
    text_unref(text);
    return NULL;
}

struct text *content(struct mount *m, struct node *n)
{
    if (n->stage)
        return n->stage;
    if (n->shown && (n->gone || !node_volatile(n)))
        return n->shown;
    struct text *text = render(m, n);
    if (!text)
        return NULL;
    show(m, n, text, false);
    return text;
}

void content_hold(struct mount *m, struct node *n)
{
    if (n->opens && n->kind == NODE_FILE && !n->stage)
        content(m, n);
}

void content_drop_old(struct node *n)
{
    text_unref(n->old);
    n->old = NULL;
    n->lost = false;
}

void content_keep_old(struct node *n, struct text *text)
{
    if (!n->old) /* the first one is what the kernel knows */
        n->old = text_ref(text);
}

struct text *content_seen(struct mount *m, struct node *n)
{
    return n->old && !n->stage ? n->old : content(m, n);
}

uint64_t content_size(struct mount *m, struct node *n)
{
    if (!n->stage && n->size_known && !node_volatile(n))
        return n->size;
    const struct text *text = content(m, n);
    return text ? text->bytes.size : 0;
}

static bool append(struct text *text, const void *bytes, size_t size)
{
    anm_buf_put(&text->bytes, bytes, size);
    return !text->bytes.failed;
}

int stage_begin(struct mount *m, struct node *n, bool empty)
{
    if (n->stage)
        return empty ? stage_resize(m, n, 0) : 0;
    struct text *stage = text_new();
    const struct text *before = empty ? NULL : content(m, n);
    if (!stage || (!empty && !before) || (before && !append(stage, before->bytes.data, before->bytes.size))) {
        text_unref(stage);
        return ENOMEM;
    }
    n->stage = stage;
    n->committed_mtime = n->mtime;
    n->written = empty;
    n->refused = 0;
    n->stale = n->failed = false;
    if (empty)
        n->mtime = n->ctime = now();
    return 0;
}

static void scratch_account(struct mount *m, const struct node *n, size_t before)
{
    if (n->kind == NODE_SCRATCH)
        m->scratch_bytes += n->stage->bytes.capacity - before;
}

void stage_drop(struct mount *m, struct node *n)
{
    if (!n->stage)
        return;
    if (n->kind == NODE_SCRATCH)
        m->scratch_bytes -= n->stage->bytes.capacity;
    else
        n->mtime = n->committed_mtime;
    text_unref(n->stage);
    n->stage = NULL;
    n->written = n->stale = n->failed = false;
    n->refused = 0;
}

void stage_keep(struct mount *m, struct node *n)
{
    struct text *stage = n->stage;
    n->stage = NULL;
    n->written = n->stale = n->failed = false;
    n->refused = 0;
    show(m, n, stage, true);
}

/* Checks a new end of the stage, and makes room up to it. 0 or an errno. */
static int reserve(struct mount *m, struct node *n, off_t end)
{
    struct anm_buf *buf = &n->stage->bytes;
    if (end > AMNT_TEXT_MAX)
        return EFBIG;
    size_t size = (size_t)end;
    size_t before = buf->capacity;
    if (size <= buf->capacity)
        return 0;
    if (n->kind == NODE_SCRATCH && m->scratch_bytes + (size - before) > AMNT_SCRATCH_MAX)
        return ENOSPC;
    if (!anm_buf_room(buf, size - buf->size)) {
        buf->failed = false;
        return ENOMEM;
    }
    scratch_account(m, n, before);
    return 0;
}

static void touched(struct node *n)
{
    n->written = true;
    n->failed = false;
    n->refused = 0;
    n->mtime = n->ctime = now();
}

int stage_write(struct mount *m, struct node *n, const void *bytes, size_t size, off_t offset)
{
    if (offset < 0 || offset > AMNT_TEXT_MAX || size > (size_t)AMNT_TEXT_MAX)
        return EFBIG;
    int error = reserve(m, n, offset + (off_t)size);
    if (error)
        return error;
    struct anm_buf *buf = &n->stage->bytes;
    size_t at = (size_t)offset;
    if (at > buf->size)
        memset(buf->data + buf->size, 0, at - buf->size);
    if (size)
        memcpy(buf->data + at, bytes, size);
    if (at + size > buf->size)
        buf->size = at + size;
    touched(n);
    return 0;
}

int stage_resize(struct mount *m, struct node *n, off_t size)
{
    if (size < 0)
        return EINVAL;
    int error = reserve(m, n, size);
    if (error)
        return error;
    struct anm_buf *buf = &n->stage->bytes;
    if ((size_t)size > buf->size)
        memset(buf->data + buf->size, 0, (size_t)size - buf->size);
    buf->size = (size_t)size;
    touched(n);
    return 0;
}

void content_drop(struct mount *m, struct node *n)
{
    cache_remove(m, n);
    text_unref(n->shown);
    n->shown = NULL;
    n->kept = false;
    n->size_known = false;
}

int content_to_scratch(struct mount *m, struct node *n)
{
    int error = stage_begin(m, n, false);
    if (error)
        return error;
    if (m->scratch_bytes + n->stage->bytes.capacity > AMNT_SCRATCH_MAX || m->scratch_files >= AMNT_SCRATCH_FILES) {
        if (!n->written)
            stage_drop(m, n);
        return ENOSPC;
    }
    content_drop(m, n);
    undo_free(n->undo);
    n->undo = NULL;
    n->kind = NODE_SCRATCH;
    n->pending = false;
    m->scratch_bytes += n->stage->bytes.capacity;
    m->scratch_files++;
    return 0;
}

void content_from_scratch(struct mount *m, struct node *n)
{
    m->scratch_bytes -= n->stage->bytes.capacity;
    m->scratch_files--;
    n->kind = NODE_FILE;
    stage_keep(m, n);
}

void content_free(struct mount *m, struct node *n)
{
    cache_remove(m, n);
    content_drop_old(n);
    text_unref(n->shown);
    n->shown = NULL;
    if (n->kind == NODE_SCRATCH)
        m->scratch_files--;
    stage_drop(m, n);
}
