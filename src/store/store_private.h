/* SPDX-License-Identifier: MIT */
/* What the files of the store share. */
#ifndef ANM_STORE_PRIVATE_H
#define ANM_STORE_PRIVATE_H

#include "anm/store.h"

#include <dirent.h>
#include <unistd.h>

/* No file above 2 GiB is loaded or written. */
#define STORE_MAX ((off_t)1 << 31)

struct anm_folder {
    unsigned refs;
    int fd;       /* O_PATH: for the *at() calls only */
    bool beneath; /* what is in it is reached without following links or crossing into other mounts */
    bool swept;   /* no temporary file of a killed save was in it */
};

struct anm_store {
    struct anm_folder *folder;
    int dir;            /* its descriptor */
    char *name;         /* of the file in it */
    char *path;         /* for people */
    size_t name_max;    /* the longest name the filesystem takes, in bytes */
    bool no_tmpfile;    /* an O_TMPFILE could not be given a name here */
    struct stat stat;   /* of the file when last loaded or saved */
    char readonly[160]; /* empty: it can be replaced */
    char warning[160];  /* empty: none */
};

/* close() for ANM_AUTO. */
static inline void store_closep(int *fd)
{
    if (*fd >= 0)
        close(*fd);
}

/* Hands the descriptor out of the scope that would close it. */
static inline int store_steal(int *fd)
{
    int taken = *fd;
    *fd = -1;
    return taken;
}

/* close() of directories for ANM_AUTO. */
static inline void store_closedirp(DIR **dir)
{
    if (*dir)
        closedir(*dir);
}

/* A folder that takes over `taken`, also when it fails; -1 is the failure of opening it, errno says which. NULL with `err`. */
struct anm_folder *store_folder(int taken, bool beneath, struct anm_error *err);

/* openat() and fstatat() of a name, that do not follow a link there, nor look into a mount where the folder forbids that. */
int store_openat(const struct anm_folder *folder, const char *name, int flags);
int store_look(const struct anm_folder *folder, const char *name, struct stat *st);

/* Whether it is a name in a directory, and no path. */
bool store_plain(const char *name);

/* The same as a stream of names. NULL with errno. */
DIR *store_opendir(int dir);

/* Renames to a name that is free. 0, or -1 with errno. */
int store_move(int from, const char *name, int to, const char *newname);

/* Gives what was just made to its owner. 0 or -1. */
int store_give(int fd, const struct anm_owner *owner, struct anm_error *err);

/* Takes flock(LOCK_EX) on a directory, waiting for it. The descriptor that holds it, or -1 with `err`. */
int store_lock(int dir, struct anm_error *err);

/* The longest name that the filesystem takes. */
size_t store_name_max(const struct statvfs *fs);

/* fsync() of a directory, where that is a thing one does. 0 or -1. */
int store_sync_dir(int fd, struct anm_error *err);

/* The same file with the same content, as far as (dev, ino, size, mtime) tell. */
bool store_same(const struct stat *a, const struct stat *b);

/* Opens the file for reading if it is a regular one of at most STORE_MAX bytes, and fills `st`. -1 with `err`. */
int store_open_file(const struct anm_store *store, struct stat *st, struct anm_error *err);

/* Opens a directory for what O_PATH is no good for: flock, fsync, reading. -1 with errno. */
int store_open_dir(int dir);

/* Appends up to `size` bytes, less only at the end of the file. 0, or -1 with `err`. */
int store_read_all(int fd, struct anm_buf *bytes, size_t size, struct anm_error *err);

/* Removes the temporary files that killed saves of this file left, unless a save may be running. A folder in which there is none of
 * any file is not looked through again. */
void store_sweep(struct anm_store *store);

#endif
