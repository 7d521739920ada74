/* SPDX-License-Identifier: MIT */
/* The loop: requests, changes made outside, signals and one timer, all in this thread. */
#include "mount.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <syslog.h>
#include <unistd.h>

static void count_request(struct mount *m, const struct fuse_buf *buf)
{
    struct fuse_in_header in;
    if (buf->size < sizeof in || buf->flags & FUSE_BUF_IS_FD)
        return;
    memcpy(&in, buf->mem, sizeof in);
    if (in.opcode < AMNT_OPCODES)
        m->requests[in.opcode]++;
}

/* Takes one request, if there is one. False at the end of the session. */
static bool serve(struct mount *m, struct fuse_buf *buf)
{
    int size = fuse_session_receive_buf(m->session, buf);
    if (size == -EINTR || size == -EAGAIN)
        return true;
    if (size <= 0)
        return false;
    count_request(m, buf);
    fuse_session_process_buf(m->session, buf);
    return true;
}

static void file_seen(void *arg, int handle, const char *name)
{
    struct mount *m = arg;
    if (m->mirror) {
        mirror_event(m, handle, name);
        return;
    }
    if (handle >= 0 && handle != m->own->watch)
        return;
    anim_reload(m->own); /* whatever happened there, one fstatat tells */
    if (name)
        anim_beside(m->own, name);
}

/* Nodes that have to exist and were unlinked come back after a while. */
static void unhide_late(struct mount *m)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    for (size_t i = 0; i < m->buckets && m->waiting; i++) {
        for (struct node *n = m->ids[i]; n; n = n->by_id) {
            if (n->unhide_at && n->unhide_at <= ts.tv_sec) {
                node_unhide(m, n);
                change_inode(m, n->parent);
            }
            if (n->anim->root == n && n->anim->removing && n->anim->removing <= ts.tv_sec)
                removal_end(n->anim);
        }
    }
}

static void set_timer(int timer, bool on)
{
    const struct itimerspec spec = {.it_interval.tv_sec = on, .it_value.tv_sec = on};
    timerfd_settime(timer, 0, &spec, NULL);
}

/* Those that end a mount. */
static sigset_t end_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    return set;
}

void loop_signals(void)
{
    const sigset_t set = end_signals();
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* the writer gets EFBIG */
    sigprocmask(SIG_BLOCK, &set, NULL);
}

/* Requests that came before the signal are answered. */
static void drain(struct mount *m, struct fuse_buf *buf)
{
    struct pollfd fuse = {fuse_session_fd(m->session), POLLIN, 0};
    for (int i = 0; i < AMNT_DRAIN_REQUESTS && poll(&fuse, 1, 0) > 0 && serve(m, buf); i++)
        flush_changes(m);
}

/* Descriptors of the loop, in the order they are looked at. */
enum { ON_WATCH, ON_SIGNAL, ON_TIMER, ON_FUSE, ON_COUNT };

static int run(struct mount *m, struct pollfd *fds)
{
    struct fuse_buf buf = {0};
    bool timing = false;
    while (!fuse_session_exited(m->session)) {
        if (timing != (m->waiting > 0)) {
            timing = m->waiting > 0;
            set_timer(fds[ON_TIMER].fd, timing);
        }
        if (poll(fds, ON_COUNT, -1) < 0) {
            if (errno == EINTR)
                continue;
            break;
        }
        if (fds[ON_WATCH].revents)
            anm_watch_read(m->watch, file_seen, m);
        if (fds[ON_TIMER].revents) {
            uint64_t ticks;
            if (read(fds[ON_TIMER].fd, &ticks, sizeof ticks) == sizeof ticks)
                unhide_late(m);
        }
        if (fds[ON_SIGNAL].revents) {
            say(m, LOG_INFO, "stopped by a signal");
            drain(m, &buf);
            break;
        }
        if (fds[ON_FUSE].revents && !serve(m, &buf))
            break;
        memory_trim(m);
        flush_changes(m); /* what no reply has taken along */
    }
    free(buf.mem);
    return 0;
}

/* A file system that was unmounted has no open file left, but releases that the kernel had yet to send are lost with it. One whose
 * connection was cut is still there, and so are its writers. */
static bool was_unmounted(const struct mount *m, const char *target)
{
    struct stat st;
    return fuse_session_exited(m->session) && (stat(target, &st) == 0 || errno != ENOTCONN);
}

/* Answers one request, if one comes, with what all get after the end: that there is no connection. */
static void refuse(struct mount *m, struct fuse_buf *buf)
{
    struct fuse_in_header in;
    struct pollfd fuse = {fuse_session_fd(m->session), POLLIN, 0};
    if (poll(&fuse, 1, AMNT_END_WAIT) <= 0 || fuse_session_receive_buf(m->session, buf) < (int)sizeof in)
        return;
    memcpy(&in, buf->mem, sizeof in);
    const struct fuse_out_header out = {sizeof out, -ENOTCONN, in.unique};
    ssize_t sent = write(fuse.fd, &out, sizeof out);
    (void)sent; /* some requests want no answer, and the kernel says so */
}

/* A thread of the notifier may wait inside the kernel for a page or a directory that a request holds. If nobody answered that, the
 * thread would never end, and with the thread in there the kernel takes the device for open: not even a kill would free the caller. */
static void end_notifier(struct mount *m)
{
    struct fuse_buf buf = {0};
    while (!notifier_end(m))
        refuse(m, &buf);
    free(buf.mem);
}

int loop_run(struct mount *m, const char *target)
{
    const sigset_t set = end_signals();
    int fuse = fuse_session_fd(m->session);
    int signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    int flags = fcntl(fuse, F_GETFL);
    int error = 0;
    if (signals < 0 || timer < 0 || flags < 0 || fcntl(fuse, F_SETFL, flags | O_NONBLOCK) < 0)
        error = errno;
    else if (notifier_start(m) < 0)
        error = ENOMEM;
    if (!error) {
        struct pollfd fds[ON_COUNT] = {
            [ON_WATCH] = {m->watch ? anm_watch_fd(m->watch) : -1, POLLIN, 0},
            [ON_SIGNAL] = {signals, POLLIN, 0},
            [ON_TIMER] = {timer, POLLIN, 0},
            [ON_FUSE] = {fuse, POLLIN, 0},
        };
        error = run(m, fds);
        bool closed = was_unmounted(m, target);
        if (!closed)
            report_open(m);
        handles_end(m, closed);
        flush_changes(m);
    }
    end_notifier(m);
    if (timer >= 0)
        close(timer);
    if (signals >= 0)
        close(signals);
    return error;
}
