/* SPDX-License-Identifier: MIT */
/* The loop: requests, changes made outside, signals and one timer, all in this thread. It waits for requests alone, as asking each time
 * for four descriptors which of them is ready costs a tenth of a round trip; a thread of its own waits for the rest and interrupts. */
#include "mount.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <syslog.h>
#include <unistd.h>

/* Counts a request. Returns its kind, 0 when that cannot be told. */
static uint32_t count_request(struct mount *m, const struct fuse_buf *buf)
{
    struct fuse_in_header in;
    if (buf->size < sizeof in || buf->flags & FUSE_BUF_IS_FD)
        return 0;
    memcpy(&in, buf->mem, sizeof in);
    if (in.opcode < AMNT_OPCODES)
        m->requests[in.opcode]++;
    return in.opcode;
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

/* Whether an answer is the same before and after what happened outside just now. These are most of all requests. */
static bool is_indifferent(uint32_t opcode)
{
    return opcode == FUSE_OPEN || opcode == FUSE_READ || opcode == FUSE_WRITE || opcode == FUSE_GETATTR ||
           opcode == FUSE_RELEASE || opcode == FUSE_RELEASEDIR || opcode == FUSE_FORGET || opcode == FUSE_BATCH_FORGET;
}

/* Answers what was received, `size` bytes or a negative errno. What happened outside before a request counts for it. False at the end of
 * the session. */
static bool process(struct mount *m, struct fuse_buf *buf, int size)
{
    if (size == -EINTR || size == -EAGAIN)
        return true;
    if (size <= 0)
        return false;
    if (!is_indifferent(count_request(m, buf)) && m->watch)
        anm_watch_read(m->watch, file_seen, m);
    fuse_session_process_buf(m->session, buf);
    return true;
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

/* From here on nobody waits for a request without end. */
static void stop_waiting(const struct mount *m)
{
    int fuse = fuse_session_fd(m->session), flags = fcntl(fuse, F_GETFL);
    if (flags >= 0)
        fcntl(fuse, F_SETFL, flags | O_NONBLOCK);
}

/* Requests that came before the signal are answered. */
static void drain(struct mount *m, struct fuse_buf *buf)
{
    stop_waiting(m);
    struct pollfd fuse = {fuse_session_fd(m->session), POLLIN, 0};
    for (int i = 0;
         i < AMNT_DRAIN_REQUESTS && poll(&fuse, 1, 0) > 0 && process(m, buf, fuse_session_receive_buf(m->session, buf));
         i++)
        flush_changes(m);
}

/* What else the loop hears of. */
enum { ON_WATCH, ON_SIGNAL, ON_TIMER, ON_COUNT };

/* The thread that waits for that. It touches nothing of the mount. */
struct waker {
    pthread_t thread, loop;
    struct pollfd fds[ON_COUNT];
    int stop[2];          /* a pipe whose end ends the thread */
    atomic_bool waiting;  /* the loop waits for a request */
    atomic_bool happened; /* something did, and the loop has not looked yet */
};

/* A signal that comes just before the loop waits is lost, so it is sent until the loop has looked. */
static void interrupt(struct waker *w)
{
    atomic_store(&w->happened, true);
    struct pollfd stop = {w->stop[0], POLLIN, 0};
    while (atomic_load(&w->happened) && poll(&stop, 1, 0) == 0) {
        if (atomic_load(&w->waiting))
            pthread_kill(w->loop, SIGUSR2);
        poll(&stop, 1, AMNT_WAKE_WAIT);
    }
}

static void *wait_for_events(void *arg)
{
    struct waker *w = arg;
    struct pollfd fds[ON_COUNT + 1] = {[ON_COUNT] = {w->stop[0], POLLIN, 0}};
    memcpy(fds, w->fds, sizeof w->fds);
    for (;;) {
        if (poll(fds, ON_COUNT + 1, -1) < 0 && errno != EINTR)
            return NULL;
        if (fds[ON_COUNT].revents)
            return NULL;
        interrupt(w);
    }
}

static void ignore(int number)
{
    (void)number;
}

static int waker_start(struct waker *w)
{
    sigset_t all, before, wake;
    const struct sigaction action = {.sa_handler = ignore}; /* without SA_RESTART */
    sigemptyset(&wake);
    sigaddset(&wake, SIGUSR2);
    if (pipe2(w->stop, O_CLOEXEC) != 0 || sigaction(SIGUSR2, &action, NULL) != 0)
        return errno;
    w->loop = pthread_self();
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    int error = pthread_create(&w->thread, NULL, wait_for_events, w);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_sigmask(SIG_UNBLOCK, &wake, NULL);
    return error;
}

static void waker_stop(struct waker *w)
{
    close(w->stop[1]);
    pthread_join(w->thread, NULL);
    close(w->stop[0]);
}

/* Looks at what happened. False: a signal that ends the mount. */
static bool look(struct mount *m, struct waker *w)
{
    uint64_t ticks;
    struct signalfd_siginfo signal;
    if (m->watch)
        anm_watch_read(m->watch, file_seen, m);
    if (read(w->fds[ON_TIMER].fd, &ticks, sizeof ticks) == sizeof ticks)
        unhide_late(m);
    bool stopped = read(w->fds[ON_SIGNAL].fd, &signal, sizeof signal) == sizeof signal;
    atomic_store(&w->happened, false);
    return !stopped;
}

/* Waits for a request and answers it. False at the end of the session. */
static bool wait_and_serve(struct mount *m, struct waker *w, struct fuse_buf *buf)
{
    atomic_store(&w->waiting, true);
    int size = atomic_load(&w->happened) ? -EINTR : fuse_session_receive_buf(m->session, buf);
    atomic_store(&w->waiting, false);
    return process(m, buf, size);
}

static void run(struct mount *m, struct waker *w)
{
    struct fuse_buf buf = {0};
    bool timing = false;
    while (!fuse_session_exited(m->session)) {
        if (timing != (m->waiting > 0)) {
            timing = m->waiting > 0;
            set_timer(w->fds[ON_TIMER].fd, timing);
        }
        if (atomic_load(&w->happened) && !look(m, w)) {
            say(m, LOG_INFO, "stopped by a signal");
            drain(m, &buf);
            break;
        }
        flush_changes(m);
        if (!wait_and_serve(m, w, &buf))
            break;
        memory_trim(m);
        flush_changes(m); /* what no reply has taken along */
    }
    free(buf.mem);
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

static void close_all(const int *fds, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

int loop_run(struct mount *m, const char *target)
{
    const sigset_t set = end_signals();
    const int fds[] = {signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK),
                       timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)};
    struct waker waker = {.fds = {[ON_WATCH] = {m->watch ? anm_watch_fd(m->watch) : -1, POLLIN, 0},
                                  [ON_SIGNAL] = {fds[0], POLLIN, 0},
                                  [ON_TIMER] = {fds[1], POLLIN, 0}},
                          .stop = {-1, -1}};
    int error = 0;
    if (fds[0] < 0 || fds[1] < 0)
        error = errno;
    else if (notifier_start(m) < 0)
        error = ENOMEM;
    if (!error)
        error = waker_start(&waker);
    if (!error) {
        run(m, &waker);
        waker_stop(&waker);
        stop_waiting(m);
        bool closed = was_unmounted(m, target);
        if (!closed)
            report_open(m);
        handles_end(m, closed);
        flush_changes(m);
    } else {
        close_all(waker.stop, 2);
    }
    end_notifier(m);
    close_all(fds, 2);
    return error;
}
