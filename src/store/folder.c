/* SPDX-License-Identifier: MIT */
#include "store_private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

/* openat2(2) has no wrapper in the C library. -1 with errno. */
static int open_resolved(int dir, const char *path, int flags, uint64_t resolve)
{
    struct open_how how = {.flags = (unsigned)(flags | O_CLOEXEC), .resolve = resolve};
    return (int)syscall(SYS_openat2, dir, path, &how, sizeof how);
}

int store_openat(const struct anm_folder *folder, const char *name, int flags)
{
    flags |= O_NOFOLLOW;
    if (!folder->beneath)
        return openat(folder->fd, name, flags | O_CLOEXEC);
    return open_resolved(folder->fd, name, flags, RESOLVE_BENEATH | RESOLVE_NO_XDEV | RESOLVE_NO_MAGICLINKS);
}

int store_look(const struct anm_folder *folder, const char *name, struct stat *st)
{
    if (!folder->beneath)
        return fstatat(folder->fd, name, st, AT_SYMLINK_NOFOLLOW);
    ANM_AUTO(store_closep) int fd = store_openat(folder, name, O_PATH);
    return fd < 0 ? -1 : fstat(fd, st);
}

bool store_plain(const char *name)
{
    return *name && !strchr(name, '/') && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static int need_plain(const char *name, struct anm_error *err)
{
    return store_plain(name) ? 0 : anm_fail(err, ANM_DENIED, "\"%s\" is not a plain file name", name);
}

struct anm_folder *store_folder(int taken, bool beneath, struct anm_error *err)
{
    ANM_AUTO(store_closep) int fd = taken;
    if (fd < 0) {
        anm_fail_sys(err, errno, "the directory cannot be opened");
        return NULL;
    }
    struct anm_folder *folder = anm_alloc(0, 1, sizeof *folder);
    if (!folder) {
        anm_fail_nomem(err);
        return NULL;
    }
    *folder = (struct anm_folder){.refs = 1, .fd = store_steal(&fd), .beneath = beneath};
    return folder;
}

struct anm_folder *anm_folder_open(const char *path, struct anm_error *err)
{
    return store_folder(open(path, O_PATH | O_DIRECTORY | O_CLOEXEC), true, err);
}

struct anm_folder *anm_folder_enter(const struct anm_folder *folder, const char *name, struct anm_error *err)
{
    if (need_plain(name, err))
        return NULL;
    return store_folder(store_openat(folder, name, O_PATH | O_DIRECTORY), true, err);
}

struct anm_folder *anm_folder_ref(struct anm_folder *folder)
{
    folder->refs++;
    return folder;
}

void anm_folder_unref(struct anm_folder *folder)
{
    if (!folder || --folder->refs)
        return;
    close(folder->fd);
    free(folder);
}

enum anm_entry anm_folder_look(const struct anm_folder *folder, const char *name, struct stat *st)
{
    if (!store_plain(name) || store_look(folder, name, st))
        return ANM_ENTRY_NONE;
    switch (st->st_mode & S_IFMT) {
    case S_IFDIR:
        return ANM_ENTRY_FOLDER;
    case S_IFREG:
        return ANM_ENTRY_FILE;
    case S_IFLNK:
        return ANM_ENTRY_LINK;
    default:
        return ANM_ENTRY_NONE;
    }
}

static enum anm_entry entry_of(unsigned char type)
{
    switch (type) {
    case DT_DIR:
        return ANM_ENTRY_FOLDER;
    case DT_REG:
        return ANM_ENTRY_FILE;
    case DT_LNK:
        return ANM_ENTRY_LINK;
    case DT_UNKNOWN:
        return ANM_ENTRY_ANY;
    default:
        return ANM_ENTRY_NONE;
    }
}

int store_open_dir(int dir)
{
    return openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

DIR *store_opendir(int dir)
{
    ANM_AUTO(store_closep) int fd = store_open_dir(dir);
    DIR *stream = fd < 0 ? NULL : fdopendir(fd);
    if (stream)
        store_steal(&fd);
    return stream;
}

int anm_folder_list(const struct anm_folder *folder,
                    int (*seen)(void *arg, const char *name, enum anm_entry entry, struct anm_error *err), void *arg,
                    struct anm_error *err)
{
    ANM_AUTO(store_closedirp) DIR *dir = store_opendir(folder->fd);
    if (!dir)
        return anm_fail_sys(err, errno, "the directory cannot be read");
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;)
        if (store_plain(entry->d_name) && seen(arg, entry->d_name, entry_of(entry->d_type), err))
            return -1;
    return 0;
}

int anm_folder_stat(const struct anm_folder *folder, struct stat *st, struct anm_error *err)
{
    return fstat(folder->fd, st) ? anm_fail_sys(err, errno, "the directory cannot be looked at") : 0;
}

int anm_folder_statvfs(const struct anm_folder *folder, struct statvfs *fs, struct anm_error *err)
{
    return fstatvfs(folder->fd, fs) ? anm_fail_sys(err, errno, "the filesystem does not answer statfs") : 0;
}

int anm_folder_sync(const struct anm_folder *folder, struct anm_error *err)
{
    ANM_AUTO(store_closep) int fd = store_open_dir(folder->fd);
    if (fd < 0)
        return anm_fail_sys(err, errno, "the directory cannot be opened");
    return store_sync_dir(fd, err);
}

char *anm_folder_readlink(const struct anm_folder *folder, const char *name)
{
    struct stat st;
    ANM_AUTO(store_closep) int fd = store_plain(name) ? store_openat(folder, name, O_PATH) : -1;
    if (fd < 0 || fstat(fd, &st) || !S_ISLNK(st.st_mode) || st.st_size < 0)
        return NULL;
    size_t size = (size_t)st.st_size;
    ANM_AUTO(anm_freep) char *target = anm_alloc(1, size, 1);
    if (!target || readlinkat(fd, "", target, size) != (ssize_t)size)
        return NULL;
    char *taken = target;
    target = NULL;
    return taken;
}

/* Whether the components of `target`, taken as they stand, never lead above `depth` directories up. */
static bool stays_below(const char *target, size_t depth)
{
    for (const char *at = target; *at;) {
        size_t size = strcspn(at, "/");
        if (size == 2 && strncmp(at, "..", 2) == 0) {
            if (depth-- == 0)
                return false;
        } else if (size > 0 && !(size == 1 && *at == '.')) {
            depth++;
        }
        at += size + (at[size] == '/');
    }
    return true;
}

bool anm_folder_inside(const struct anm_folder *top, const char *path, const char *target)
{
    size_t depth = *path != 0;
    for (const char *at = path; *at; at++)
        depth += *at == '/';
    if (!*target || *target == '/' || !stays_below(target, depth))
        return false;
    ANM_AUTO(anm_buf_free) struct anm_buf whole = {0};
    anm_buf_printf(&whole, "%s%s%s", path, *path ? "/" : "", target);
    const char *text = anm_buf_cstr(&whole);
    if (!text)
        return false;
    /* What the components lead to may be links themselves: the kernel tells whether the way leaves the folder. */
    ANM_AUTO(store_closep)
    int fd = open_resolved(top->fd, text, O_PATH, RESOLVE_BENEATH | RESOLVE_NO_XDEV | RESOLVE_NO_MAGICLINKS);
    return fd >= 0 || errno == ENOENT || errno == ENOTDIR || errno == ELOOP;
}

int anm_folder_mkdir(const struct anm_folder *folder, const char *name, const struct anm_owner *owner,
                     struct anm_error *err)
{
    if (need_plain(name, err))
        return -1;
    if (mkdirat(folder->fd, name, owner->mode & 07777))
        return anm_fail_sys(err, errno, "the directory cannot be made");
    ANM_AUTO(store_closep) int fd = store_openat(folder, name, O_RDONLY | O_DIRECTORY);
    if (fd >= 0 && store_give(fd, owner, err) == 0)
        return 0;
    if (fd < 0)
        anm_fail_sys(err, errno, "the directory cannot be made");
    unlinkat(folder->fd, name, AT_REMOVEDIR);
    return -1;
}

int anm_folder_rmdir(const struct anm_folder *folder, const char *name, struct anm_error *err)
{
    if (need_plain(name, err))
        return -1;
    return unlinkat(folder->fd, name, AT_REMOVEDIR) ? anm_fail_sys(err, errno, "the directory cannot be removed") : 0;
}

int anm_folder_unlink(const struct anm_folder *folder, const char *name, struct anm_error *err)
{
    struct stat st;
    if (anm_folder_look(folder, name, &st) != ANM_ENTRY_LINK)
        return anm_fail(err, ANM_NOENT, "there is no link of that name");
    return unlinkat(folder->fd, name, 0) ? anm_fail_sys(err, errno, "the link cannot be removed") : 0;
}

int anm_folder_rename(const struct anm_folder *from, const char *name, const struct anm_folder *to, const char *newname,
                      struct anm_error *err)
{
    struct stat st;
    if (need_plain(name, err) || need_plain(newname, err))
        return -1;
    bool folder = anm_folder_look(from, name, &st) == ANM_ENTRY_FOLDER;
    /* A directory replaces an empty directory and nothing else. */
    int result = folder ? renameat(from->fd, name, to->fd, newname) : store_move(from->fd, name, to->fd, newname);
    return result ? anm_fail_sys(err, errno, "cannot be renamed") : 0;
}
