/* SPDX-License-Identifier: MIT */
/* The other files that an animation needs: those the user names, or those in the same directory. */
#include "store_private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Names of a directory. */
struct names {
    char **names;
    size_t count;
};

static void names_free(struct names *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->names[i]);
    free(list->names);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool has_suffix(const char *name, const char *suffix)
{
    size_t size = strlen(name), end = strlen(suffix);
    return size > end && strcasecmp(name + size - end, suffix) == 0;
}

static int add_name(struct names *list, const char *name, struct anm_error *err)
{
    char **names = anm_realloc(list->names, list->count + 1, sizeof *names);
    char *copy = strdup(name);
    if (names)
        list->names = names;
    if (!names || !copy) {
        free(copy);
        return anm_fail_nomem(err);
    }
    names[list->count++] = copy;
    return 0;
}

/* The names with the suffix, sorted, so that the order does not depend on the filesystem. */
static int list_names(const struct anm_store *store, const char *suffix, struct names *list, struct anm_error *err)
{
    ANM_AUTO(store_closedirp) DIR *dir = store_opendir(store->dir);
    if (!dir)
        return anm_fail_sys(err, errno, "the directory cannot be read");
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;)
        if (has_suffix(entry->d_name, suffix) && strcmp(entry->d_name, store->name) != 0 &&
            add_name(list, entry->d_name, err))
            return -1;
    if (list->count)
        qsort(list->names, list->count, sizeof *list->names, by_name);
    return 0;
}

/* One file of the directory; what cannot be read or is no regular file is passed over. */
static int offer_name(const struct anm_store *store, const char *name, const struct anm_finder *finder,
                      struct anm_error *err)
{
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
    ANM_AUTO(store_closep) int fd = store_openat(store->folder, name, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size > (off_t)finder->max)
        return 0;
    if (store_read_all(fd, &bytes, (size_t)st.st_size, err))
        return err->reason == ANM_NOMEM ? -1 : 0;
    return finder->found(finder->arg, name, false, bytes.data, bytes.size, err);
}

int anm_store_beside(const struct anm_store *store, const char *suffix, const struct anm_finder *finder,
                     struct anm_error *err)
{
    ANM_AUTO(names_free) struct names list = {0};
    if (list_names(store, suffix, &list, err))
        return -1;
    for (size_t i = 0; i < list.count; i++)
        if (offer_name(store, list.names[i], finder, err))
            return -1;
    return 0;
}

/* One file by the user's own word for it. */
static int offer_path(const char *path, const struct anm_finder *finder, struct anm_error *err)
{
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
    struct anm_store *store = anm_store_open(path, err);
    int result = store ? anm_store_load(store, &bytes, err) : -1;
    anm_store_close(store);
    if (result == 0)
        result = finder->found(finder->arg, path, true, bytes.data, bytes.size, err);
    if (result && err->reason != ANM_NOMEM) {
        struct anm_error why = *err;
        anm_fail(err, why.reason, "%s: %.700s", path, why.text);
        err->sys = why.sys;
    }
    return result;
}

int anm_store_named(const char *files, const struct anm_finder *finder, struct anm_error *err)
{
    ANM_AUTO(anm_freep) char *copy = strdup(files);
    if (!copy)
        return anm_fail_nomem(err);
    for (char *rest = copy, *path; (path = strsep(&rest, ":")) != NULL;)
        if (*path && offer_path(path, finder, err))
            return -1;
    return 0;
}
