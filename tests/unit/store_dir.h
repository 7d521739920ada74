/* SPDX-License-Identifier: MIT */
/* A directory for each test of the store, and what is done in it. What needs root says "skipped" on stderr without it. */
#ifndef ANM_TESTS_STORE_DIR_H
#define ANM_TESTS_STORE_DIR_H

#include "anm/store.h"

#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <grp.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOBODY 65534

Suite *store_place_suite(void);

/* The test's directory. */
static char dir[PATH_MAX];

/* --- helpers that also work in a child process: they say what failed and return 1 --- */

#define WANT(condition)                                                                                                \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s (errno %d)\n", __FILE__, __LINE__, #condition, errno);                          \
            return 1;                                                                                                  \
        }                                                                                                              \
    } while (0)

/* DIR/NAME, in one of a few buffers used in turn. */
static inline const char *in(const char *name)
{
    static char paths[8][PATH_MAX + NAME_MAX + 2];
    static unsigned next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", dir, name);
    return path;
}

/* Makes NAME or rewrites it in place. */
static inline void put(const char *name, const char *text)
{
    FILE *file = fopen(in(name), "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
}

static inline bool holds(const char *name, const char *text)
{
    char got[256] = "";
    int fd = open(in(name), O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? -1 : read(fd, got, sizeof got - 1);
    if (fd >= 0)
        close(fd);
    return size == (ssize_t)strlen(text) && strcmp(got, text) == 0;
}

/* How many names there are beside "." and "..". */
static inline int entries(const char *name)
{
    int count = -2;
    DIR *open_dir = opendir(in(name));
    while (open_dir && readdir(open_dir))
        count++;
    if (open_dir)
        closedir(open_dir);
    return count;
}

static inline bool there(const char *name)
{
    struct stat st;
    return lstat(in(name), &st) == 0;
}

static inline int save_text(struct anm_store *store, const char *text, struct anm_error *err)
{
    return anm_store_save(store, text, strlen(text), ANM_SYNC_DATA, err);
}

static inline struct anm_store *opened(const char *name)
{
    struct anm_error err = {0};
    struct anm_store *store = anm_store_open(in(name), &err);
    ck_assert_msg(store != NULL, "%s: %s", name, err.text);
    return store;
}

/* Runs `body` in a child; what it returned, or -1 when it was killed. */
static inline int in_child(int (*body)(const void *), const void *arg)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(body(arg));
    int status = -1;
    WANT(child > 0 && waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static inline bool become_nobody(void)
{
    return geteuid() != 0 || (setgroups(0, NULL) == 0 && setresgid(NOBODY, NOBODY, NOBODY) == 0 &&
                              setresuid(NOBODY, NOBODY, NOBODY) == 0);
}

/* Lets what is mounted from now on be seen by this process alone and vanish with it. False without the privilege. */
static inline bool may_mount(void)
{
    return unshare(CLONE_NEWNS) == 0 && mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) == 0;
}

/* Mounts an empty filesystem of this type at DIR/mnt. */
static inline bool mount_new(const char *type, const char *options)
{
    return may_mount() && mkdir(in("mnt"), 0700) == 0 && mount("test", in("mnt"), type, 0, options) == 0;
}

static inline void unmount(void)
{
    ck_assert_int_eq(umount2(in("mnt"), MNT_DETACH), 0);
}

static inline bool skipped(bool unless, const char *what)
{
    if (!unless)
        fprintf(stderr, "# skipped: store: %s\n", what);
    return !unless;
}

static inline void setup(void)
{
    const char *base = getenv("TMPDIR");
    snprintf(dir, sizeof dir, "%s/anm-store-XXXXXX", base && *base ? base : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(dir));
    char *real = realpath(dir, NULL);
    ck_assert_ptr_nonnull(real);
    snprintf(dir, sizeof dir, "%s", real);
    free(real);
    ck_assert_int_eq(chmod(dir, 0755), 0);
}

static inline int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

static inline void teardown(void)
{
    nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

#endif
