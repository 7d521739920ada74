/* SPDX-License-Identifier: MIT */
/* Invalidations, and the replies that wait for them.
 *
 * A reply to a FLUSH that changed other nodes must come after their invalidation: replying first leaves one read in ten
 * stale when the reader is on another CPU. The invalidation of an inode may wait for a page that a READ in the queue holds,
 * so the loop thread must not send it: a first thread sends the inodes, then the reply. The invalidation of a name takes the
 * directory's lock, which the kernel may hold until that very reply: a second thread, which holds no reply, sends the names. */
#include "mount.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

struct change {
    struct change *next;
    uint64_t id; /* the inode, or the directory of the name */
    size_t size;
    char name[];
};

enum reply_kind { REPLY_NONE, REPLY_ERR, REPLY_ATTR, REPLY_ENTRY };

struct job {
    struct job *next;
    struct change *inodes;
    struct change *entries;
    enum reply_kind kind;
    fuse_req_t req;
    int error;
    struct stat attr;
    double timeout;
    struct fuse_entry_param entry;
};

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t some;
    struct job *first;
    struct job **last;
    bool stop;
    bool started;
    pthread_t thread;
};

struct notifier {
    struct fuse_session *session;
    struct queue inodes;
    struct queue entries;
};

static void queue_put(struct queue *q, struct job *job)
{
    job->next = NULL;
    pthread_mutex_lock(&q->lock);
    *q->last = job;
    q->last = &job->next;
    pthread_cond_signal(&q->some);
    pthread_mutex_unlock(&q->lock);
}

/* The next job, waiting for one; NULL when stopped and empty. */
static struct job *queue_get(struct queue *q)
{
    pthread_mutex_lock(&q->lock);
    while (!q->first && !q->stop)
        pthread_cond_wait(&q->some, &q->lock);
    struct job *job = q->first;
    if (job) {
        q->first = job->next;
        if (!q->first)
            q->last = &q->first;
    }
    pthread_mutex_unlock(&q->lock);
    return job;
}

static void free_changes(struct change *list)
{
    for (struct change *next; list; list = next) {
        next = list->next;
        free(list);
    }
}

static void send_reply(const struct job *job)
{
    switch (job->kind) {
    case REPLY_NONE:
        break;
    case REPLY_ERR:
        fuse_reply_err(job->req, job->error);
        break;
    case REPLY_ATTR:
        fuse_reply_attr(job->req, &job->attr, job->timeout);
        break;
    case REPLY_ENTRY:
        fuse_reply_entry(job->req, &job->entry);
        break;
    }
}

static void *send_inodes(void *arg)
{
    struct notifier *notifier = arg;
    for (struct job *job; (job = queue_get(&notifier->inodes)) != NULL;) {
        for (const struct change *c = job->inodes; c; c = c->next)
            fuse_lowlevel_notify_inval_inode(notifier->session, c->id, 0, 0);
        send_reply(job);
        free_changes(job->inodes);
        job->inodes = NULL;
        if (job->entries)
            queue_put(&notifier->entries, job);
        else
            free(job);
    }
    return NULL;
}

static void *send_entries(void *arg)
{
    struct notifier *notifier = arg;
    for (struct job *job; (job = queue_get(&notifier->entries)) != NULL;) {
        for (const struct change *c = job->entries; c; c = c->next)
            fuse_lowlevel_notify_inval_entry(notifier->session, c->id, c->name, c->size);
        free_changes(job->entries);
        free(job);
    }
    return NULL;
}

static int queue_start(struct queue *q, void *(*run)(void *), struct notifier *notifier)
{
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->some, NULL);
    q->last = &q->first;
    int error = pthread_create(&q->thread, NULL, run, notifier);
    q->started = error == 0;
    return error;
}

/* Ends the thread when it has done all. False: it is still at it. */
static bool queue_end(struct queue *q)
{
    if (!q->started)
        return true;
    pthread_mutex_lock(&q->lock);
    q->stop = true;
    pthread_cond_signal(&q->some);
    pthread_mutex_unlock(&q->lock);
    q->started = pthread_tryjoin_np(q->thread, NULL) != 0;
    return !q->started;
}

int notifier_start(struct mount *m)
{
    struct notifier *notifier = calloc(1, sizeof *notifier);
    if (!notifier)
        return -1;
    notifier->session = m->session;
    m->notifier = notifier;
    if (queue_start(&notifier->inodes, send_inodes, notifier) ||
        queue_start(&notifier->entries, send_entries, notifier))
        return -1;
    return 0;
}

bool notifier_end(struct mount *m)
{
    if (!m->notifier)
        return true;
    if (!queue_end(&m->notifier->inodes) || !queue_end(&m->notifier->entries))
        return false;
    free_changes(m->changes);
    free_changes(m->entries);
    m->changes = m->entries = NULL;
    free(m->notifier);
    m->notifier = NULL;
    return true;
}

static void add_change(struct mount *m, struct change **list, uint64_t id, const char *name)
{
    size_t size = strlen(name);
    struct change *c = malloc(sizeof *c + size + 1);
    if (!c) {
        say(m, LOG_ERR, "out of memory: a cached view may be stale until it is opened again");
        return;
    }
    c->id = id;
    c->size = size;
    memcpy(c->name, name, size + 1);
    c->next = *list;
    *list = c;
}

void change_inode(struct mount *m, const struct node *n)
{
    if (n->lookups || n == m->root)
        add_change(m, &m->changes, n->id, "");
}

void change_entry(struct mount *m, const struct node *parent, const char *name)
{
    if (parent->lookups || parent == m->root)
        add_change(m, &m->entries, parent->id, name);
}

/* Hands the queued invalidations over with a reply. False: there are none, reply directly. */
static bool defer(struct mount *m, const struct job *reply)
{
    if (!m->changes && !m->entries)
        return false;
    struct job *job = malloc(sizeof *job);
    if (!job) {
        say(m, LOG_ERR, "out of memory: cached views may be stale until they are opened again");
        free_changes(m->changes);
        free_changes(m->entries);
        m->changes = m->entries = NULL;
        return false;
    }
    *job = *reply;
    job->inodes = m->changes;
    job->entries = m->entries;
    m->changes = m->entries = NULL;
    queue_put(&m->notifier->inodes, job);
    return true;
}

void flush_changes(struct mount *m)
{
    defer(m, &(struct job){.kind = REPLY_NONE});
}

void reply_err(struct mount *m, fuse_req_t req, int error)
{
    if (!defer(m, &(struct job){.kind = REPLY_ERR, .req = req, .error = error}))
        fuse_reply_err(req, error);
}

void reply_attr(struct mount *m, fuse_req_t req, struct node *n)
{
    struct job job = {.kind = REPLY_ATTR, .req = req};
    node_attr(m, n, &job.attr);
    job.timeout = node_timeout(m, n);
    if (!defer(m, &job))
        fuse_reply_attr(req, &job.attr, job.timeout);
}

void fill_entry(struct mount *m, struct node *n, struct fuse_entry_param *e)
{
    *e = (struct fuse_entry_param){.ino = n->id};
    node_attr(m, n, &e->attr);
    e->attr_timeout = e->entry_timeout = node_timeout(m, n);
}

void reply_entry(struct mount *m, fuse_req_t req, struct node *n)
{
    struct job job = {.kind = REPLY_ENTRY, .req = req};
    fill_entry(m, n, &job.entry);
    n->lookups++;
    if (defer(m, &job))
        return;
    if (fuse_reply_entry(req, &job.entry) < 0) /* the caller was interrupted: the kernel does not count this one */
        node_forget(m, n, 1);
}
