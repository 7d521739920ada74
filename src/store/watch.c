/* SPDX-License-Identifier: MIT */
#include "store_private.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/vfs.h>

struct anm_watch {
    int fd;
};

/* Without IN_MODIFY: a file is looked at when its writer has closed it, not while half of it is there. Whoever keeps it
 * open (or uses truncate(2)) is noticed by the comparison before a save. */
#define EVENTS                                                                                                         \
    (IN_CLOSE_WRITE | IN_ATTRIB | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF)

/* Filesystems where files change without this kernel's knowing. */
static const struct {
    uint32_t magic;
    const char *name;
} remote[] = {
    {0x00006969, "NFS"},
    {0x0000517b, "SMB"},
    {0xff534d42, "CIFS"},
    {0xfe534d42, "SMB2"},
    {0x65735546, "FUSE"},
    {0x01021997, "9P"},
    {0x00c36400, "Ceph"},
    {0x5346414f, "AFS"},
    {0x6b414653, "AFS"},
    {0x73757245, "Coda"},
    {0x0000564c, "NCP"},
    {0x7461636f, "OCFS2"},
    {0x01161970, "GFS2"},
    {0x0bd00bd0, "Lustre"},
    {0x47504653, "GPFS"},
    {0x19830326, "BeeGFS"},
    {0x20030528, "OrangeFS"},
    {0xaad7aaea, "PanFS"},
    {0xbacbacbc, "VMware HGFS"},
    {0x786f4256, "VirtualBox shared folder"},
    {0x7c7c6673, "Parallels shared folder"},
};

struct anm_watch *anm_watch_new(struct anm_error *err)
{
    struct anm_watch *watch = anm_alloc(0, 1, sizeof *watch);
    if (!watch) {
        anm_fail_nomem(err);
        return NULL;
    }
    watch->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (watch->fd < 0) {
        anm_fail_sys(err, errno, "inotify cannot be used (fs.inotify.max_user_instances?)");
        free(watch);
        return NULL;
    }
    return watch;
}

void anm_watch_free(struct anm_watch *watch)
{
    if (!watch)
        return;
    close(watch->fd);
    free(watch);
}

int anm_watch_fd(const struct anm_watch *watch)
{
    return watch->fd;
}

static int check_local(int dir, struct anm_error *err)
{
    struct statfs fs;
    if (fstatfs(dir, &fs))
        return anm_fail_sys(err, errno, "the filesystem does not answer statfs");
    for (size_t i = 0; i < sizeof remote / sizeof *remote; i++) {
        if (remote[i].magic == (uint32_t)fs.f_type)
            return anm_fail(err, ANM_DENIED, "changes made elsewhere on %s send no events", remote[i].name);
    }
    return 0;
}

/* inotify takes a path alone. Without /proc the path at open has to do, if it still leads there. */
static int add_by_path(int fd, const struct anm_store *store)
{
    ANM_AUTO(anm_freep) char *parent = strdup(store->path);
    char *slash = parent ? strrchr(parent, '/') : NULL;
    if (!slash) {
        errno = parent ? ENOENT : ENOMEM;
        return -1;
    }
    slash[slash == parent] = '\0';
    struct stat by_path;
    struct stat dir;
    if (stat(parent, &by_path) || fstat(store->dir, &dir))
        return -1;
    if (by_path.st_dev != dir.st_dev || by_path.st_ino != dir.st_ino) {
        errno = ENOENT;
        return -1;
    }
    return inotify_add_watch(fd, parent, EVENTS | IN_ONLYDIR);
}

/* `store`: whose path has to do where there is no /proc; NULL: none. */
static int add(struct anm_watch *watch, int dir, const struct anm_store *store, struct anm_error *err)
{
    if (check_local(dir, err))
        return -1;
    char magic[32];
    snprintf(magic, sizeof magic, "/proc/self/fd/%d", dir);
    int handle = inotify_add_watch(watch->fd, magic, EVENTS | IN_ONLYDIR);
    if (handle < 0 && errno == ENOENT && store)
        handle = add_by_path(watch->fd, store);
    if (handle < 0)
        return anm_fail_sys(err, errno,
                            errno == ENOSPC ? "too many watches (fs.inotify.max_user_watches)"
                                            : "the directory cannot be watched");
    return handle;
}

int anm_watch_store(struct anm_watch *watch, const struct anm_store *store, struct anm_error *err)
{
    return add(watch, store->dir, store, err);
}

int anm_watch_folder(struct anm_watch *watch, const struct anm_folder *folder, struct anm_error *err)
{
    return add(watch, folder->fd, NULL, err);
}

void anm_watch_drop(struct anm_watch *watch, int handle)
{
    inotify_rm_watch(watch->fd, handle);
}

void anm_watch_read(struct anm_watch *watch, void (*seen)(void *arg, int handle, const char *name), void *arg)
{
    char buffer[16384];
    for (;;) {
        ssize_t got = read(watch->fd, buffer, sizeof buffer);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return;
        struct inotify_event event;
        for (const char *at = buffer; at < buffer + got; at += sizeof event + event.len) {
            memcpy(&event, at, sizeof event);
            /* An overflow has wd -1, an event on the directory itself has no name. */
            seen(arg, event.wd, event.len ? at + sizeof event : NULL);
        }
    }
}
