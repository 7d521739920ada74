/* SPDX-License-Identifier: MIT */
/* Animation files on disk: load, replace atomically, watch. The only code that opens or replaces them.
 * Knows bytes, not formats. */
#ifndef ANM_STORE_H
#define ANM_STORE_H

#include "anm/buf.h"
#include "anm/error.h"
#include "anm/folder.h"

#include <sys/stat.h>
#include <sys/statvfs.h>

/* One animation file: the directory by descriptor, the name in it, and what the file was when last loaded or saved. */
struct anm_store;

/* Opens the file at `path`. Symbolic links are resolved here, once; after that the store knows the real directory (by
 * descriptor) and the name in it, so that changes of the working directory or of links do not matter. Refuses what is not a
 * regular file (without blocking on a FIFO or device) and files over 2 GiB. Removes temporary files a crash left behind (anm_store_save). Returns the store, or NULL
 * with `err`: ANM_SYSTEM with the errno, or ANM_DENIED. */
struct anm_store *anm_store_open(const char *path, struct anm_error *err);

/* The same for the plain name `name` in a folder; `path` is how messages and anm_store_path() name it. Does not follow a link at `name`. */
struct anm_store *anm_store_openin(struct anm_folder *folder, const char *name, const char *path,
                                   struct anm_error *err);

/* Closes the descriptors and frees it. NULL is fine. */
void anm_store_close(struct anm_store *store);

/* Replaces the content of `bytes` by the file's current content, and remembers its identity (dev, ino, size, mtime).
 * Retries when the file changes while it is read. 0, or -1 with `err` and the remembered identity unchanged. */
int anm_store_load(struct anm_store *store, struct anm_buf *bytes, struct anm_error *err);

/* Compares what is on disk with what was last loaded or saved. 0 when it is the same; -1 with ANM_STALE when it was replaced, edited,
 * renamed away or deleted, or with ANM_SYSTEM when that cannot be told. */
int anm_store_check(const struct anm_store *store, struct anm_error *err);
/* True when anm_store_check() says ANM_STALE. */
bool anm_store_changed(const struct anm_store *store);

enum anm_sync {
    ANM_SYNC_NONE, /* rename without fdatasync: -o fsync=ask */
    ANM_SYNC_DATA, /* fdatasync before the rename */
    ANM_SYNC_FULL  /* and the directory after it */
};

/* Replaces the file: takes flock(LOCK_EX) on the directory (waits at most 5 s: then ANM_SYSTEM/EBUSY), compares the file on disk
 * with the remembered identity (ANM_STALE when it differs), writes a new file in the same directory (O_TMPFILE where offered,
 * linked as `.anmfs-NAME-RANDOM`, else that name made with O_EXCL), gives it mode, owner, group, extended attributes and ACL of the old one, syncs, renames it over, remembers
 * the new identity. On any failure the old file is there untouched, the temporary one is gone, and `err` has the real errno; only
 * when ANM_SYNC_FULL cannot sync the directory at the end, the new content is in place (and its identity remembered) all the same.
 * Where the filesystem has no flock, the comparison alone guards the file. With anm_store_readonly() it fails with ANM_READONLY. */
int anm_store_save(struct anm_store *store, const void *bytes, size_t size, enum anm_sync sync, struct anm_error *err);

/* Makes a new file of that content, whole or not at all; a file that is there stays (ANM_SYSTEM/EEXIST). 0 or -1. */
int anm_store_make(struct anm_folder *folder, const char *name, const struct anm_owner *owner, const void *bytes,
                   size_t size, enum anm_sync sync, struct anm_error *err);

/* Removes the file, unless it was changed since it was loaded (ANM_STALE). 0 or -1. */
int anm_store_remove(const struct anm_store *store, struct anm_error *err);

/* Renames a file. `over` is the file at the new name, which goes unless it was changed since it was loaded (ANM_STALE); NULL: a file
 * that is there stays (ANM_SYSTEM/EEXIST). 0 or -1. */
int anm_store_rename(const struct anm_folder *from, const char *name, const struct anm_folder *to, const char *newname,
                     const struct anm_store *over, struct anm_error *err);

/* Tells the store that its file now is `name` in `folder` (see anm_store_openin()). 0, or -1 with `err` and nothing changed. */
int anm_store_moved(struct anm_store *store, struct anm_folder *folder, const char *name, const char *path,
                    struct anm_error *err);

/* Syncs the directory. 0 or -1. */
int anm_store_sync(struct anm_store *store, struct anm_error *err);

/* Why the file cannot be replaced, in words ("the directory is read-only: Permission denied"), or NULL when it can: tried at open, without leaving
 * a trace (read-only file or directory or filesystem, owner or group that could not be kept, immutable or append-only, a
 * mount point itself, a sticky directory of somebody else). */
const char *anm_store_readonly(const struct anm_store *store);

/* Something worth telling at open, in words (hard links will be cut by a save), or NULL. */
const char *anm_store_warning(const struct anm_store *store);

/* The status when last loaded or saved. */
const struct stat *anm_store_stat(const struct anm_store *store);

/* Absolute real path at open, for messages and fsname. */
const char *anm_store_path(const struct anm_store *store);

/* statvfs of the directory. 0 or -1. */
int anm_store_statvfs(const struct anm_store *store, struct statvfs *out, struct anm_error *err);

/* --- other files --- */

/* Who wants them: is given each file's name (or path) and its bytes, which are gone afterwards. `asked`: the user named it.
 * Not 0 with `err` ends the search, which fails then. */
struct anm_finder {
    int (*found)(void *arg, const char *name, bool asked, const uint8_t *bytes, size_t size, struct anm_error *err);
    void *arg;
    size_t max; /* larger files are passed over when nobody asked for them */
};

/* The regular files beside the store's own whose names end in `suffix` (in any case), in the order of their names; links and what
 * cannot be read are passed over. 0 or -1. */
int anm_store_beside(const struct anm_store *store, const char *suffix, const struct anm_finder *finder,
                     struct anm_error *err);

/* The files at `files`, paths separated by colons; each must be there: else -1 with `err`, which names it. */
int anm_store_named(const char *files, const struct anm_finder *finder, struct anm_error *err);

/* --- watching directories for changes made by others --- */

struct anm_watch; /* an inotify instance */

/* A new one, non-blocking; NULL with `err`. */
struct anm_watch *anm_watch_new(struct anm_error *err);
void anm_watch_free(struct anm_watch *watch);
/* The descriptor to poll. */
int anm_watch_fd(const struct anm_watch *watch);
/* Watches the directory of a store, or a folder. Returns a handle >= 0 (the same for the same directory), or -1 with `err` where inotify
 * cannot see changes: ANM_SYSTEM (ENOSPC is the watch limit), or ANM_DENIED for network, FUSE and other filesystems whose
 * changes happen elsewhere. A file rewritten in place is reported when its writer closes it, not while half of it is there. */
int anm_watch_store(struct anm_watch *watch, const struct anm_store *store, struct anm_error *err);
int anm_watch_folder(struct anm_watch *watch, const struct anm_folder *folder, struct anm_error *err);
/* Ends the watch of a handle. */
void anm_watch_drop(struct anm_watch *watch, int handle);
/* Reads what happened: calls `seen(arg, handle, name)` for every event on a name; `name` NULL means events were lost or the directory itself
 * went: look at everything of that handle (handle -1: of all). Returns when there is nothing more. */
void anm_watch_read(struct anm_watch *watch, void (*seen)(void *arg, int handle, const char *name), void *arg);

#endif
