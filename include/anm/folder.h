/* SPDX-License-Identifier: MIT */
/* Folders of animation files, held by descriptor. Below the folder that was opened by a path, everything is reached from one folder
 * to the next, never through a symbolic link or another mount: a mount inside (our own, for one, which would wait for itself) is
 * not there at all. Names are plain file names; one that is not is refused with ANM_DENIED, or is ANM_ENTRY_NONE. */
#ifndef ANM_FOLDER_H
#define ANM_FOLDER_H

#include "anm/error.h"

#include <sys/stat.h>
#include <sys/statvfs.h>

/* A folder, counted. */
struct anm_folder;

/* The folder at `path`, links resolved; NULL with `err`. */
struct anm_folder *anm_folder_open(const char *path, struct anm_error *err);
/* The folder `name` in `folder`; NULL with `err`. */
struct anm_folder *anm_folder_enter(const struct anm_folder *folder, const char *name, struct anm_error *err);
struct anm_folder *anm_folder_ref(struct anm_folder *folder);
void anm_folder_unref(struct anm_folder *folder); /* NULL is fine */

enum anm_entry {
    ANM_ENTRY_NONE,   /* nothing, or nothing to be shown: another mount, a device */
    ANM_ENTRY_FOLDER, /* a directory */
    ANM_ENTRY_FILE,   /* a regular file */
    ANM_ENTRY_LINK,   /* a symbolic link */
    ANM_ENTRY_ANY     /* a listing does not know: look */
};

/* What is at `name` now; `st` is its status, but for ANM_ENTRY_NONE. */
enum anm_entry anm_folder_look(const struct anm_folder *folder, const char *name, struct stat *st);
/* Calls `seen` for each name but "." and "..", with what it is as far as the listing tells. Not 0 from `seen` ends it. 0, or -1 with
 * `err` (of `seen`, too). */
int anm_folder_list(const struct anm_folder *folder,
                    int (*seen)(void *arg, const char *name, enum anm_entry entry, struct anm_error *err), void *arg,
                    struct anm_error *err);
/* The status of the folder itself, and of its filesystem. 0 or -1. */
int anm_folder_stat(const struct anm_folder *folder, struct stat *st, struct anm_error *err);
int anm_folder_statvfs(const struct anm_folder *folder, struct statvfs *fs, struct anm_error *err);
/* Syncs it. 0 or -1. */
int anm_folder_sync(const struct anm_folder *folder, struct anm_error *err);

/* Where the link `name` leads, terminated, to be freed; NULL when there is no such link, or out of memory. */
char *anm_folder_readlink(const struct anm_folder *folder, const char *name);
/* Whether a link to `target` in the folder at `path` below `top` ("" for `top` itself) is relative and leads to a place below `top`, or
 * to nothing at all there. */
bool anm_folder_inside(const struct anm_folder *top, const char *path, const char *target);

/* Whom something new belongs to. */
struct anm_owner {
    mode_t mode;
    uid_t uid;
    gid_t gid;
};

/* Makes a folder; removes an empty one; removes a link. 0 or -1. */
int anm_folder_mkdir(const struct anm_folder *folder, const char *name, const struct anm_owner *owner,
                     struct anm_error *err);
int anm_folder_rmdir(const struct anm_folder *folder, const char *name, struct anm_error *err);
int anm_folder_unlink(const struct anm_folder *folder, const char *name, struct anm_error *err);
/* Renames a folder, or a link; an empty folder at the new name goes. 0 or -1. */
int anm_folder_rename(const struct anm_folder *from, const char *name, const struct anm_folder *to, const char *newname,
                      struct anm_error *err);

#endif
