/* SPDX-License-Identifier: MIT */
/* What the files of the store share. */
#ifndef ANM_STORE_PRIVATE_H
#define ANM_STORE_PRIVATE_H

#include "anm/store.h"

#include <unistd.h>

/* No file above 2 GiB is loaded or written. */
#define STORE_MAX ((off_t)1 << 31)

struct anm_store {
    int dir;            /* the directory, perhaps O_PATH: for the *at() calls only */
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

/* The same file with the same content, as far as (dev, ino, size, mtime) tell. */
bool store_same(const struct stat *a, const struct stat *b);

/* Opens the file for reading if it is a regular one of at most STORE_MAX bytes, and fills `st`. -1 with `err`. */
int store_open_file(const struct anm_store *store, struct stat *st, struct anm_error *err);

/* Opens the directory for what O_PATH is no good for: flock, fsync, reading. -1 with errno. */
int store_open_dir(const struct anm_store *store);

/* Appends up to `size` bytes, less only at the end of the file. 0, or -1 with `err`. */
int store_read_all(int fd, struct anm_buf *bytes, size_t size, struct anm_error *err);

/* Removes the temporary files that killed saves of this file left, unless a save may be running. */
void store_sweep(const struct anm_store *store);

#endif
