/* SPDX-License-Identifier: MIT */
/* The transaction that replaces a file, and the names of its temporary files. */
#include "store_private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/xattr.h>
#include <time.h>

#define PREFIX ".anmfs-"

enum {
    LOCK_WAIT_MS = 5000,
    RANDOM_DIGITS = 16,
    HASH_DIGITS = 16,
    XATTR_MAX = 65536 /* the kernel's limit for a value and for the list of names */
};

/* A save on its way. */
struct save {
    struct anm_store *store;
    const void *bytes;
    size_t size;
    enum anm_sync sync;
    int old;                 /* the file that is replaced */
    struct stat was;         /* its status */
    int fd;                  /* the new file, or -1 */
    char name[NAME_MAX + 1]; /* its temporary name */
    bool linked;             /* which exists */
};

/* --- temporary names: PREFIX, the file's name, '-', RANDOM_DIGITS --- */

/* FNV-1a. */
static uint64_t hash_name(const char *name)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *name; name++)
        hash = (hash ^ (uint8_t)*name) * 0x100000001b3u;
    return hash;
}

/* Writes the name up to its random digits and returns its length. A name too long for that is cut and hashed; the
 * result then is one byte longer than any that was not cut, so one file's leftovers are never taken for another's. */
static size_t temp_stem(const struct anm_store *store, char stem[NAME_MAX + 1])
{
    const char *name = store->name;
    size_t length = strlen(name);
    size_t room = store->name_max - strlen(PREFIX "-") - RANDOM_DIGITS;
    if (length < room)
        return (size_t)snprintf(stem, NAME_MAX + 1, PREFIX "%s-", name);
    size_t keep = room - HASH_DIGITS;
    size_t cut = keep;
    while (keep - cut < 3 && ((uint8_t)name[cut] & 0xc0) == 0x80)
        cut--; /* not inside a UTF-8 character: some filesystems refuse that */
    return (size_t)snprintf(stem, NAME_MAX + 1, PREFIX "%.*s%.*s%0*" PRIx64 "-", (int)cut, name, (int)(keep - cut),
                            "~~~", HASH_DIGITS, hash_name(name));
}

static int choose_name(struct save *save, struct anm_error *err)
{
    uint64_t value;
    if (getrandom(&value, sizeof value, 0) != sizeof value)
        return anm_fail_sys(err, errno, "no random name for the temporary file");
    size_t stem = temp_stem(save->store, save->name);
    snprintf(save->name + stem, sizeof save->name - stem, "%0*" PRIx64, RANDOM_DIGITS, value);
    return 0;
}

/* A temporary file of some save: PREFIX, a name, '-', digits. */
static bool is_temporary(const char *name)
{
    size_t length = strlen(name);
    return strncmp(name, PREFIX, strlen(PREFIX)) == 0 && length > strlen(PREFIX) + RANDOM_DIGITS &&
           name[length - RANDOM_DIGITS - 1] == '-' &&
           strspn(name + length - RANDOM_DIGITS, "0123456789abcdef") == RANDOM_DIGITS;
}

/* One of this file's, and ours to remove. */
static bool is_leftover(const struct anm_store *store, const char *stem, size_t length, const char *name)
{
    if (strncmp(name, stem, length) != 0 || strlen(name + length) != RANDOM_DIGITS)
        return false;
    /* Root's temporary file has already been given to the owner of the original. */
    struct stat st;
    return store_look(store->folder, name, &st) == 0 && S_ISREG(st.st_mode) &&
           (st.st_uid == geteuid() || st.st_uid == store->stat.st_uid);
}

void store_sweep(struct anm_store *store)
{
    if (store->folder->swept)
        return;
    ANM_AUTO(store_closep) int fd = store_open_dir(store->dir);
    if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB)) /* a save is running, or nothing can exclude one */
        return;
    ANM_AUTO(store_closedirp) DIR *dir = fdopendir(fd);
    if (!dir)
        return;
    store_steal(&fd);
    char stem[NAME_MAX + 1];
    size_t length = temp_stem(store, stem);
    bool others = false;
    for (const struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        if (!is_temporary(entry->d_name))
            continue;
        if (!is_leftover(store, stem, length, entry->d_name) || unlinkat(store->dir, entry->d_name, 0))
            others = true;
    }
    store->folder->swept = !others;
}

/* --- extended attributes --- */

/* What only privileged or special kernels may set: kept where possible. */
static bool is_optional(const char *xattr)
{
    return strncmp(xattr, "security.", 9) == 0 || strncmp(xattr, "trusted.", 8) == 0;
}

/* Checksums of the content, which the kernel makes anew. */
static bool is_checksum(const char *xattr)
{
    return strcmp(xattr, "security.ima") == 0 || strcmp(xattr, "security.evm") == 0;
}

/* The size of the list in `names`, or -1 with `err`. */
static ssize_t list_xattrs(int fd, char names[XATTR_MAX], struct anm_error *err)
{
    ssize_t size = flistxattr(fd, names, XATTR_MAX);
    if (size < 0 && errno == ENOTSUP)
        return 0;
    if (size < 0)
        anm_fail_sys(err, errno, "the extended attributes cannot be listed");
    return size;
}

static bool is_listed(const char *names, ssize_t size, const char *xattr)
{
    for (const char *at = names; at < names + size; at += strlen(at) + 1) {
        if (strcmp(at, xattr) == 0)
            return true;
    }
    return false;
}

static int fail_xattr(struct anm_error *err, int sys, const char *xattr)
{
    char what[XATTR_NAME_MAX + 64];
    snprintf(what, sizeof what, "the extended attribute %s cannot be kept", xattr);
    return anm_fail_sys(err, sys, what);
}

static int copy_xattr(const struct save *save, const char *xattr, char value[XATTR_MAX], struct anm_error *err)
{
    ssize_t size = fgetxattr(save->old, xattr, value, XATTR_MAX);
    if (size >= 0 && fsetxattr(save->fd, xattr, value, (size_t)size, 0) == 0)
        return 0;
    if (errno == ENODATA || is_optional(xattr)) /* ENODATA: removed since it was listed */
        return 0;
    return fail_xattr(err, errno, xattr);
}

static int keep_xattrs(const struct save *save, struct anm_error *err)
{
    ANM_AUTO(anm_freep) char *buffers = anm_alloc(0, 3, XATTR_MAX);
    if (!buffers)
        return anm_fail_nomem(err);
    char *wanted = buffers;
    char *given = buffers + XATTR_MAX;
    char *value = buffers + 2 * XATTR_MAX;
    ssize_t wanted_size = list_xattrs(save->old, wanted, err);
    ssize_t given_size = list_xattrs(save->fd, given, err);
    if (wanted_size < 0 || given_size < 0)
        return -1;
    /* A default ACL of the directory would let in people whom the old file kept out. */
    for (const char *at = given; at < given + given_size; at += strlen(at) + 1) {
        if (!is_listed(wanted, wanted_size, at) && fremovexattr(save->fd, at) && !is_optional(at))
            return fail_xattr(err, errno, at);
    }
    for (const char *at = wanted; at < wanted + wanted_size; at += strlen(at) + 1) {
        if (!is_checksum(at) && copy_xattr(save, at, value, err))
            return -1;
    }
    return 0;
}

/* --- the new file --- */

static void close_save(struct save *save)
{
    store_closep(&save->old);
    store_closep(&save->fd);
    if (save->linked)
        unlinkat(save->store->dir, save->name, 0);
}

static int create_temp(struct save *save, struct anm_error *err)
{
    int dir = save->store->dir;
    if (choose_name(save, err))
        return -1;
    if (!save->store->no_tmpfile)
        save->fd = openat(dir, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    if (save->fd >= 0)
        return 0;
    save->fd = openat(dir, save->name, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (save->fd < 0)
        return anm_fail_sys(err, errno, "a temporary file cannot be made in its directory");
    save->linked = true;
    return 0;
}

static int write_all(const struct save *save, struct anm_error *err)
{
    const uint8_t *at = save->bytes;
    size_t left = save->size;
    while (left > 0) {
        ssize_t written = write(save->fd, at, left);
        if (written < 0 && errno != EINTR)
            return anm_fail_sys(err, errno, "the new content cannot be written");
        if (written > 0) {
            at += written;
            left -= (size_t)written;
        }
    }
    return 0;
}

/* Owner before attributes before mode: chown drops capabilities and the set-id bits, an ACL changes the group's bits. */
static int keep_attributes(const struct save *save, struct anm_error *err)
{
    const struct stat *was = &save->was;
    struct stat st;
    if (fstat(save->fd, &st))
        return anm_fail_sys(err, errno, "the temporary file is lost");
    if ((st.st_uid != was->st_uid || st.st_gid != was->st_gid) && fchown(save->fd, was->st_uid, was->st_gid))
        return anm_fail_sys(err, errno, "owner and group cannot be kept");
    if (keep_xattrs(save, err))
        return -1;
    if (fchmod(save->fd, was->st_mode & 07777))
        return anm_fail_sys(err, errno, "the mode cannot be kept");
    return 0;
}

/* Gives an O_TMPFILE its name. (AT_EMPTY_PATH would do without /proc, but with privileges only before Linux 6.10.) */
static bool link_temp(struct save *save)
{
    char magic[32];
    snprintf(magic, sizeof magic, "/proc/self/fd/%d", save->fd);
    save->linked = linkat(AT_FDCWD, magic, save->store->dir, save->name, AT_SYMLINK_FOLLOW) == 0;
    return save->linked;
}

/* Writes the whole new file. It has its temporary name afterwards, unless it is an O_TMPFILE that could not be linked. */
static int write_temp(struct save *save, struct anm_error *err)
{
    if (create_temp(save, err) || write_all(save, err) || keep_attributes(save, err))
        return -1;
    if (save->sync != ANM_SYNC_NONE && fdatasync(save->fd))
        return anm_fail_sys(err, errno, "the new content cannot be brought to the disk");
    if (!save->linked && !link_temp(save))
        save->store->no_tmpfile = true;
    /* Network filesystems write, and fail, no earlier than here. */
    if (close(store_steal(&save->fd)) && errno != EINTR)
        return anm_fail_sys(err, errno, "the new content cannot be written");
    return 0;
}

/* --- the transaction --- */

int store_lock(int dir, struct anm_error *err)
{
    ANM_AUTO(store_closep) int fd = store_open_dir(dir);
    if (fd < 0)
        return anm_fail_sys(err, errno, "the directory cannot be locked");
    struct timespec start;
    clock_gettime(CLOCK_MONOTONIC, &start);
    while (flock(fd, LOCK_EX | LOCK_NB)) {
        if (errno == ENOLCK || errno == EOPNOTSUPP) /* no locks on this filesystem: the check of identity must do */
            break;
        if (errno != EWOULDBLOCK && errno != EINTR)
            return anm_fail_sys(err, errno, "the directory cannot be locked");
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        if ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 >= LOCK_WAIT_MS)
            return anm_fail_sys(err, EBUSY, "another program has kept the directory locked for 5 seconds");
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return store_steal(&fd);
}

static int replace(struct save *save, struct anm_error *err)
{
    struct anm_store *store = save->store;
    if (anm_store_check(store, err))
        return -1;
    save->old = store_open_file(store, &save->was, err);
    if (save->old < 0 || write_temp(save, err) || (!save->linked && write_temp(save, err)))
        return -1;
    struct stat made;
    if (store_look(store->folder, save->name, &made))
        return anm_fail_sys(err, errno, "the temporary file is lost");
    if (anm_store_check(store, err))
        return -1;
    if (renameat(store->dir, save->name, store->dir, store->name))
        return anm_fail_sys(err, errno, "the new file cannot be renamed over the old");
    save->linked = false;
    store->stat = made;
    return 0;
}

int store_sync_dir(int fd, struct anm_error *err)
{
    if (fsync(fd) && errno != EINVAL) /* EINVAL: not a thing one does on this filesystem */
        return anm_fail_sys(err, errno, "the directory cannot be brought to the disk");
    return 0;
}

int anm_store_save(struct anm_store *store, const void *bytes, size_t size, enum anm_sync sync, struct anm_error *err)
{
    if (store->readonly[0])
        return anm_fail(err, ANM_READONLY, "%s", store->readonly);
    if (size > (size_t)STORE_MAX)
        return anm_fail_sys(err, EFBIG, "would have more than 2 GiB");
    ANM_AUTO(store_closep) int lock = store_lock(store->dir, err);
    if (lock < 0)
        return -1;
    ANM_AUTO(close_save)
    struct save save = {.store = store, .bytes = bytes, .size = size, .sync = sync, .old = -1, .fd = -1};
    if (replace(&save, err))
        return -1;
    return sync == ANM_SYNC_FULL ? store_sync_dir(lock, err) : 0;
}

int anm_store_sync(struct anm_store *store, struct anm_error *err)
{
    return anm_folder_sync(store->folder, err);
}

/* --- new files, removed files, other names --- */

int store_give(int fd, const struct anm_owner *owner, struct anm_error *err)
{
    struct stat st;
    if (fstat(fd, &st))
        return anm_fail_sys(err, errno, "what was made is lost");
    bool other = st.st_uid != owner->uid || st.st_gid != owner->gid;
    if (other && geteuid() == 0 && fchown(fd, owner->uid, owner->gid))
        return anm_fail_sys(err, errno, "it cannot be given to its owner");
    return fchmod(fd, owner->mode & 07777) ? anm_fail_sys(err, errno, "it cannot be given its mode") : 0;
}

int store_move(int from, const char *name, int to, const char *newname)
{
    if (renameat2(from, name, to, newname, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return -1;
    /* A filesystem that cannot exclude a file that comes at this very moment. */
    struct stat st;
    if (fstatat(to, newname, &st, AT_SYMLINK_NOFOLLOW) == 0)
        errno = EEXIST;
    return errno == ENOENT ? renameat(from, name, to, newname) : -1;
}

/* Writes the new file under a temporary name, and then gives it its own. */
static int make(struct save *save, const struct anm_owner *owner, struct anm_error *err)
{
    int dir = save->store->dir;
    if (create_temp(save, err) || write_all(save, err) || store_give(save->fd, owner, err))
        return -1;
    if (save->sync != ANM_SYNC_NONE && fdatasync(save->fd))
        return anm_fail_sys(err, errno, "the new file cannot be brought to the disk");
    if (close(store_steal(&save->fd)) && errno != EINTR)
        return anm_fail_sys(err, errno, "the new file cannot be written");
    if (store_move(dir, save->name, dir, save->store->name))
        return anm_fail_sys(err, errno, "the new file cannot be given its name");
    save->linked = false;
    return 0;
}

int anm_store_make(struct anm_folder *folder, const char *name, const struct anm_owner *owner, const void *bytes,
                   size_t size, enum anm_sync sync, struct anm_error *err)
{
    struct statvfs fs;
    ANM_AUTO(anm_freep) char *copy = strdup(name);
    if (!copy)
        return anm_fail_nomem(err);
    if (!store_plain(name))
        return anm_fail(err, ANM_DENIED, "\"%s\" is not a plain file name", name);
    if (anm_folder_statvfs(folder, &fs, err))
        return -1;
    struct anm_store place = {.folder = folder,
                              .dir = folder->fd,
                              .name = copy,
                              .name_max = store_name_max(&fs),
                              .no_tmpfile = true}; /* whose link would need /proc as well */
    ANM_AUTO(close_save)
    struct save save = {.store = &place, .bytes = bytes, .size = size, .sync = sync, .old = -1, .fd = -1};
    return make(&save, owner, err);
}

int anm_store_remove(const struct anm_store *store, struct anm_error *err)
{
    if (store->readonly[0])
        return anm_fail(err, ANM_READONLY, "%s", store->readonly);
    ANM_AUTO(store_closep) int lock = store_lock(store->dir, err);
    if (lock < 0 || anm_store_check(store, err))
        return -1;
    return unlinkat(store->dir, store->name, 0) ? anm_fail_sys(err, errno, "the file cannot be removed") : 0;
}

int anm_store_rename(const struct anm_folder *from, const char *name, const struct anm_folder *to, const char *newname,
                     const struct anm_store *over, struct anm_error *err)
{
    if (!store_plain(name) || !store_plain(newname))
        return anm_fail(err, ANM_DENIED, "not a plain file name");
    if (!over)
        return store_move(from->fd, name, to->fd, newname) ? anm_fail_sys(err, errno, "cannot be renamed") : 0;
    ANM_AUTO(store_closep) int lock = store_lock(to->fd, err);
    if (lock < 0 || anm_store_check(over, err))
        return -1;
    return renameat(from->fd, name, to->fd, newname) ? anm_fail_sys(err, errno, "cannot be renamed") : 0;
}
