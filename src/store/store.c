/* SPDX-License-Identifier: MIT */
#include "store_private.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/time_types.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

enum {
    LOAD_ATTEMPTS = 20,
    LOAD_PAUSE_NS = 5000000, /* between two attempts; also longer than a tick of most kernels' clocks */
};

bool store_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static const char *kind(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFDIR:
        return "a directory";
    case S_IFLNK:
        return "a symbolic link";
    case S_IFIFO:
        return "a FIFO";
    case S_IFSOCK:
        return "a socket";
    case S_IFCHR:
        return "a character device";
    case S_IFBLK:
        return "a block device (mount the file itself, without -o loop)";
    default:
        return "something unknown";
    }
}

static int check_kind(const struct stat *st, struct anm_error *err)
{
    if (!S_ISREG(st->st_mode))
        return anm_fail(err, ANM_DENIED, "is %s, expected a regular file", kind(st->st_mode));
    if (st->st_size > STORE_MAX)
        return anm_fail_sys(err, EFBIG, "has more than 2 GiB");
    return 0;
}

int store_open_file(const struct anm_store *store, struct stat *st, struct anm_error *err)
{
    /* Looked at first, because opening a device or a FIFO already means something to others. */
    if (store_look(store->folder, store->name, st))
        return anm_fail_sys(err, errno, "cannot be opened");
    if (check_kind(st, err))
        return -1;
    ANM_AUTO(store_closep) int fd = store_openat(store->folder, store->name, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 || fstat(fd, st))
        return anm_fail_sys(err, errno, "cannot be opened");
    if (check_kind(st, err))
        return -1;
    return store_steal(&fd);
}

/* What statx knows against replacing the file, or NULL. */
static const char *attribute_reason(const struct anm_store *store)
{
    struct statx file;
    struct statx dir;
    if (statx(store->dir, store->name, AT_SYMLINK_NOFOLLOW, STATX_TYPE, &file) ||
        statx(store->dir, "", AT_EMPTY_PATH, STATX_TYPE, &dir))
        return NULL;
    if (file.stx_attributes & STATX_ATTR_MOUNT_ROOT)
        return "the file is itself a mount point";
    if (file.stx_attributes & STATX_ATTR_IMMUTABLE)
        return "the file is immutable (chattr -i)";
    if (file.stx_attributes & STATX_ATTR_APPEND)
        return "the file is append-only (chattr -a)";
    if (dir.stx_attributes & STATX_ATTR_IMMUTABLE)
        return "the directory is immutable (chattr -i)";
    if (dir.stx_attributes & STATX_ATTR_APPEND)
        return "the directory is append-only (chattr -a)";
    return NULL;
}

/* Whom the file and its directory belong to, when that forbids a replacement that looks like the original. */
static void find_owner_reason(struct anm_store *store)
{
    const struct stat *file = &store->stat;
    struct stat dir;
    if (geteuid() == 0 || fstatat(store->dir, ".", &dir, 0))
        return;
    char *why = store->readonly;
    size_t size = sizeof store->readonly;
    if ((dir.st_mode & S_ISVTX) && file->st_uid != geteuid() && dir.st_uid != geteuid())
        snprintf(why, size, "the directory is sticky, and neither it nor the file is ours");
    else if (file->st_uid != geteuid())
        snprintf(why, size, "a new file could not be given the owner %lu", (unsigned long)file->st_uid);
    else if (file->st_gid != getegid() && !group_member(file->st_gid))
        snprintf(why, size, "a new file could not be given the group %lu", (unsigned long)file->st_gid);
}

size_t store_name_max(const struct statvfs *fs)
{
    /* Filesystems that know no limit say 0, those that count in characters more than any name the kernel passes. */
    return fs->f_namemax >= 64 && fs->f_namemax < NAME_MAX ? fs->f_namemax : NAME_MAX;
}

/* Fills `readonly`. Only questions are asked: a trial save would wake whoever watches the directory. */
static void find_readonly(struct anm_store *store, const struct statvfs *fs)
{
    char *why = store->readonly;
    size_t size = sizeof store->readonly;
    const char *attribute = attribute_reason(store);
    if (fs->f_flag & ST_RDONLY)
        snprintf(why, size, "the filesystem is mounted read-only");
    else if (attribute)
        snprintf(why, size, "%s", attribute);
    else if (faccessat(store->dir, store->name, W_OK, AT_EACCESS | AT_SYMLINK_NOFOLLOW))
        snprintf(why, size, "the file is read-only: %s", strerrordesc_np(errno));
    else if (faccessat(store->dir, ".", R_OK | W_OK | X_OK, AT_EACCESS)) /* R_OK: to be locked it must be opened */
        snprintf(why, size, "the directory is read-only: %s", strerrordesc_np(errno));
    else
        find_owner_reason(store);
}

static int inspect(struct anm_store *store, struct anm_error *err)
{
    ANM_AUTO(store_closep) int fd = store_open_file(store, &store->stat, err);
    if (fd < 0)
        return -1;
    struct statvfs fs;
    if (anm_store_statvfs(store, &fs, err))
        return -1;
    store->name_max = store_name_max(&fs);
    find_readonly(store, &fs);
    if (store->stat.st_nlink > 1)
        snprintf(store->warning, sizeof store->warning,
                 "has %lu hard links: a save cuts this one off, the others keep the old content",
                 (unsigned long)store->stat.st_nlink);
    return 0;
}

static void close_storep(struct anm_store **store)
{
    anm_store_close(*store);
}

/* Takes over a reference to `folder`; NULL is the failure of opening it. */
static struct anm_store *open_in(struct anm_folder *folder, const char *name, const char *path, struct anm_error *err)
{
    if (!folder)
        return NULL;
    ANM_AUTO(close_storep) struct anm_store *store = anm_alloc(0, 1, sizeof *store);
    if (!store) {
        anm_folder_unref(folder);
        anm_fail_nomem(err);
        return NULL;
    }
    store->folder = folder;
    store->dir = folder->fd;
    store->name = strdup(name);
    store->path = strdup(path);
    if (!store->name || !store->path) {
        anm_fail_nomem(err);
        return NULL;
    }
    if (inspect(store, err))
        return NULL;
    if (!store->readonly[0])
        store_sweep(store);
    struct anm_store *opened = store;
    store = NULL;
    return opened;
}

struct anm_store *anm_store_open(const char *path, struct anm_error *err)
{
    ANM_AUTO(anm_freep) char *real = realpath(path, NULL);
    if (!real) {
        anm_fail_sys(err, errno, "cannot be opened");
        return NULL;
    }
    const char *name = strrchr(real, '/') + 1;
    ANM_AUTO(anm_freep) char *parent = strndup(real, (size_t)(name - real));
    if (!parent) {
        anm_fail_nomem(err);
        return NULL;
    }
    struct anm_folder *dir = store_folder(open(parent, O_PATH | O_DIRECTORY | O_CLOEXEC), false, err);
    return open_in(dir, *name ? name : ".", real, err); /* "/" is refused in there, as any directory is */
}

struct anm_store *anm_store_openin(struct anm_folder *folder, const char *name, const char *path, struct anm_error *err)
{
    if (!store_plain(name)) {
        anm_fail(err, ANM_DENIED, "\"%s\" is not a plain file name", name);
        return NULL;
    }
    return open_in(anm_folder_ref(folder), name, path, err);
}

void anm_store_close(struct anm_store *store)
{
    if (!store)
        return;
    anm_folder_unref(store->folder);
    free(store->name);
    free(store->path);
    free(store);
}

/* The clock that files are stamped with. By the call itself: what the C library reads without one may be a tick ahead. */
static int stamp_clock(struct __kernel_timespec *now)
{
#ifdef SYS_clock_gettime64
    return (int)syscall(SYS_clock_gettime64, CLOCK_REALTIME_COARSE, now);
#else
    return (int)syscall(SYS_clock_gettime, CLOCK_REALTIME_COARSE, now);
#endif
}

/* Kernels before 6.13, and some filesystems after, stamp files with the clock of the last tick, so a second edit within a tick
 * would leave the mtime as it is: what is read must be older than that. */
static void outlast_tick(const struct stat *st)
{
    for (int i = 0; i < 3; i++) {
        struct __kernel_timespec now;
        if (stamp_clock(&now) || st->st_mtim.tv_sec != now.tv_sec || st->st_mtim.tv_nsec < now.tv_nsec)
            return;
        nanosleep(&(struct timespec){.tv_nsec = LOAD_PAUSE_NS}, NULL);
    }
}

int store_read_all(int fd, struct anm_buf *bytes, size_t size, struct anm_error *err)
{
    uint8_t *room = anm_buf_room(bytes, size);
    if (!room)
        return anm_fail_nomem(err);
    while (bytes->size < size) {
        ssize_t got = read(fd, room + bytes->size, size - bytes->size);
        if (got == 0)
            return 0;
        if (got < 0 && errno != EINTR)
            return anm_fail_sys(err, errno, "cannot be read");
        if (got > 0)
            bytes->size += (size_t)got;
    }
    return 0;
}

/* One attempt: 1 when `bytes` is the file as `st` describes it, 0 when it changed meanwhile, -1 with `err`. */
static int read_once(const struct anm_store *store, struct anm_buf *bytes, struct stat *st, struct anm_error *err)
{
    ANM_AUTO(store_closep) int fd = store_open_file(store, st, err);
    if (fd < 0)
        return -1;
    outlast_tick(st);
    size_t size = (size_t)st->st_size;
    if (store_read_all(fd, bytes, size + 1, err)) /* one more, to see that it ends there */
        return -1;
    struct stat after;
    if (fstat(fd, &after))
        return anm_fail_sys(err, errno, "cannot be read");
    return bytes->size == size && store_same(st, &after);
}

int anm_store_load(struct anm_store *store, struct anm_buf *bytes, struct anm_error *err)
{
    for (int attempt = 0; attempt < LOAD_ATTEMPTS; attempt++) {
        ANM_AUTO(anm_buf_free) struct anm_buf fresh = {0};
        struct stat st;
        int got = read_once(store, &fresh, &st, err);
        if (got < 0)
            return -1;
        if (got > 0) {
            anm_buf_free(bytes);
            *bytes = fresh;
            fresh = (struct anm_buf){0};
            store->stat = st;
            return 0;
        }
        nanosleep(&(struct timespec){.tv_nsec = LOAD_PAUSE_NS}, NULL);
    }
    return anm_fail_sys(err, EBUSY, "changes all the time while it is read");
}

int anm_store_check(const struct anm_store *store, struct anm_error *err)
{
    const struct stat *known = &store->stat;
    struct stat now;
    if (store_look(store->folder, store->name, &now)) {
        if (errno == ENOENT)
            return anm_fail(err, ANM_STALE, "was deleted or renamed outside since it was loaded");
        return anm_fail_sys(err, errno, "cannot be compared with what was loaded");
    }
    if (now.st_dev != known->st_dev || now.st_ino != known->st_ino)
        return anm_fail(err, ANM_STALE, "was replaced outside since it was loaded");
    if (!store_same(&now, known))
        return anm_fail(err, ANM_STALE, "was changed outside since it was loaded");
    return 0;
}

bool anm_store_changed(const struct anm_store *store)
{
    struct anm_error err;
    return anm_store_check(store, &err) < 0 && err.reason == ANM_STALE;
}

const char *anm_store_readonly(const struct anm_store *store)
{
    return store->readonly[0] ? store->readonly : NULL;
}

const char *anm_store_warning(const struct anm_store *store)
{
    return store->warning[0] ? store->warning : NULL;
}

const struct stat *anm_store_stat(const struct anm_store *store)
{
    return &store->stat;
}

const char *anm_store_path(const struct anm_store *store)
{
    return store->path;
}

int anm_store_moved(struct anm_store *store, struct anm_folder *folder, const char *name, const char *path,
                    struct anm_error *err)
{
    ANM_AUTO(close_storep) struct anm_store *moved = open_in(anm_folder_ref(folder), name, path, err);
    if (!moved)
        return -1;
    struct anm_store before = *store;
    *store = *moved;
    store->stat = before.stat; /* what was loaded is what it is compared with */
    *moved = before;
    return 0;
}

int anm_store_statvfs(const struct anm_store *store, struct statvfs *out, struct anm_error *err)
{
    return anm_folder_statvfs(store->folder, out, err);
}
