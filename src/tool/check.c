/* SPDX-License-Identifier: MIT */
/* check: reads files and whole folders, several at once, and says of each that is not whole what breaks it. */
#include "tool.h"

#include "anm/folder.h"

#include <cjson/cJSON.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Exit status, as fsck(8): bits. */
enum { CHECK_ERRORS = 4, CHECK_FAILED = 8, CHECK_USAGE = 16 };
enum { THREADS_MAX = 16, PROGRESS_AFTER = 1 };

/* A file to be checked. */
struct checked {
    char *path;
    struct anm_buf lines; /* what is said of it */
    int status;
    bool done;
};

struct check {
    struct checked *files;
    size_t count, room;
    size_t next; /* to be taken by a thread */
    bool warnings;
    pthread_mutex_t lock;
    pthread_cond_t some; /* another one is done */
};

static void check_free(struct check *c)
{
    for (size_t i = 0; i < c->count; i++) {
        free(c->files[i].path);
        anm_buf_free(&c->files[i].lines);
    }
    free(c->files);
}

static int add_file(struct check *c, const char *path, struct anm_error *err)
{
    if (c->count == c->room) {
        size_t room = c->room ? 2 * c->room : 64;
        struct checked *files = anm_realloc(c->files, room, sizeof *files);
        if (!files)
            return anm_fail_nomem(err);
        c->files = files;
        c->room = room;
    }
    struct checked *file = &c->files[c->count];
    *file = (struct checked){.path = strdup(path)};
    if (!file->path)
        return anm_fail_nomem(err);
    c->count++;
    return 0;
}

/* --- what there is --- */

/* Folders that are still to be listed, each ended by a NUL, and the one that is listed now. */
struct folders {
    struct check *check;
    struct anm_buf paths;
    const char *path;
    const struct anm_folder *at;
};

static int seen(void *arg, const char *name, enum anm_entry entry, struct anm_error *err)
{
    struct folders *f = arg;
    struct stat st;
    ANM_AUTO(anm_buf_free) struct anm_buf path = {0};
    if (entry == ANM_ENTRY_ANY)
        entry = anm_folder_look(f->at, name, &st);
    anm_buf_printf(&path, "%s/%s", f->path, name);
    const char *whole = anm_buf_cstr(&path);
    if (!whole)
        return anm_fail_nomem(err);
    if (entry == ANM_ENTRY_FOLDER)
        anm_buf_put(&f->paths, whole, path.size + 1);
    else if (entry == ANM_ENTRY_FILE && anm_doc_named(name) && strncmp(name, ".anmfs-", 7) != 0)
        return add_file(f->check, whole, err);
    return f->paths.failed ? anm_fail_nomem(err) : 0;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct checked *)a)->path, ((const struct checked *)b)->path);
}

/* All animations in a folder and below, by name. */
static int add_folder(struct check *c, const char *path)
{
    struct folders f = {.check = c};
    struct anm_error err = {0};
    size_t first = c->count;
    int error = 0;
    anm_buf_put(&f.paths, path, strlen(path) + 1);
    for (size_t at = 0; !error && at < f.paths.size;) {
        char *one = strdup((const char *)f.paths.data + at);
        struct anm_folder *folder = one ? anm_folder_open(one, &err) : NULL;
        if (one)
            at += strlen(one) + 1;
        f.path = one;
        f.at = folder;
        error = !folder || anm_folder_list(folder, seen, &f, &err);
        if (error)
            fprintf(stderr, "%s: %s\n", one ? one : path, one ? err.text : "out of memory");
        anm_folder_unref(folder);
        free(one);
    }
    anm_buf_free(&f.paths);
    qsort(c->files + first, c->count - first, sizeof *c->files, by_path);
    return error ? -1 : 0;
}

static int add_path(struct check *c, const char *path)
{
    struct anm_error err = {0};
    struct anm_folder *folder = anm_folder_open(path, &err);
    bool is_folder = folder != NULL;
    anm_folder_unref(folder);
    if (is_folder)
        return add_folder(c, path);
    if (add_file(c, path, &err) == 0)
        return 0;
    fprintf(stderr, "%s: %s\n", path, err.text);
    return -1;
}

/* --- one file --- */

/* Adds "PATH: warning: TEXT" for each warning of the tree's own description. */
static bool put_warnings(const struct anm_doc *doc, const char *path, struct anm_buf *lines)
{
    ANM_AUTO(anm_buf_free) struct anm_buf text = {0};
    struct anm_error err;
    struct anm_ref ref;
    if (anm_tree_find(doc, ".anmfs/info.json", &ref, &err) != 0)
        return true;
    if (anm_tree_render(doc, &ref, &text, &err) != 0)
        return false;
    cJSON *info = cJSON_ParseWithLength((const char *)text.data, text.size);
    const cJSON *warning;
    cJSON_ArrayForEach(warning, cJSON_GetObjectItemCaseSensitive(info, "warnings"))
    {
        if (cJSON_IsString(warning))
            anm_buf_printf(lines, "%s: warning: %s\n", path, warning->valuestring);
    }
    cJSON_Delete(info);
    return info != NULL;
}

/* Reads the file, writes it again in memory, and compares. */
static int check_bytes(struct checked *file, bool warnings, struct anm_error *err)
{
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0}, again = {0};
    struct anm_store *store = anm_store_open(file->path, err);
    int loaded = store ? anm_store_load(store, &bytes, err) : -1;
    anm_store_close(store);
    if (loaded != 0)
        return CHECK_FAILED;
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = anm_doc_decode(bytes.data, bytes.size, NULL, err);
    if (!doc)
        return err->reason == ANM_NOMEM ? CHECK_FAILED : CHECK_ERRORS;
    if (anm_doc_encode(doc, &again, err) != 0 || (warnings && !put_warnings(doc, file->path, &file->lines)))
        return anm_fail_nomem(err), CHECK_FAILED;
    if (again.size == bytes.size && memcmp(again.data, bytes.data, bytes.size) == 0)
        return 0;
    return anm_fail(err, ANM_FORMAT, "written again, it would have other bytes"), CHECK_ERRORS;
}

static void check_file(struct checked *file, bool warnings)
{
    ANM_AUTO(anm_buf_free) struct anm_buf where = {0};
    struct anm_error err = {0};
    file->status = check_bytes(file, warnings, &err);
    if (!file->status)
        return;
    anm_buf_printf(&where, "%s: error", file->path);
    const char *name = anm_buf_cstr(&where);
    anm_error_print(&err, name ? name : file->path, &file->lines);
}

static void *work(void *arg)
{
    struct check *c = arg;
    pthread_mutex_lock(&c->lock);
    while (c->next < c->count) {
        struct checked *file = &c->files[c->next++];
        pthread_mutex_unlock(&c->lock);
        check_file(file, c->warnings);
        pthread_mutex_lock(&c->lock);
        file->done = true;
        pthread_cond_signal(&c->some);
    }
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

/* --- all of them --- */

/* How far it is, on a terminal and when it takes its time. Returns whether a line is there that has to go. */
static bool show_progress(const struct check *c, size_t done, time_t start)
{
    if (time(NULL) - start <= PROGRESS_AFTER || !isatty(STDERR_FILENO))
        return false;
    fprintf(stderr, "\r%zu of %zu files", done, c->count);
    return true;
}

/* Prints what is said of each file, in their order. Returns the exit status. */
static int print_all(struct check *c)
{
    time_t start = time(NULL);
    bool shown = false;
    int status = 0;
    for (size_t i = 0; i < c->count; i++) {
        struct checked *file = &c->files[i];
        pthread_mutex_lock(&c->lock);
        while (!file->done)
            pthread_cond_wait(&c->some, &c->lock);
        pthread_mutex_unlock(&c->lock);
        if (shown && file->lines.size)
            fputs("\r\033[K", stderr);
        if (file->lines.size)
            fwrite(file->lines.data, 1, file->lines.size, stdout);
        status |= file->lines.failed ? CHECK_FAILED : file->status;
        shown = i % 16 == 15 ? show_progress(c, i + 1, start) || shown : shown;
    }
    if (shown)
        fputs("\r\033[K", stderr);
    return status;
}

static int run_all(struct check *c)
{
    pthread_t threads[THREADS_MAX];
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    int wanted = processors < 1 ? 1 : processors > THREADS_MAX ? THREADS_MAX : (int)processors, started = 0;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->some, NULL);
    while (started < wanted && pthread_create(&threads[started], NULL, work, c) == 0)
        started++;
    if (started == 0)
        work(c);
    int status = print_all(c);
    while (started > 0)
        pthread_join(threads[--started], NULL);
    pthread_cond_destroy(&c->some);
    pthread_mutex_destroy(&c->lock);
    return status;
}

int tool_check(const struct command *self, int argc, char **argv)
{
    ANM_AUTO(check_free) struct check c = {0};
    struct tool_chosen chosen;
    int status = 0, at = tool_options(self, argc, argv, &chosen);
    if (at <= 0)
        return at ? CHECK_USAGE : 0;
    if (at >= argc)
        return tool_usage(self), CHECK_USAGE;
    c.warnings = chosen.values[0] != NULL;
    for (; at < argc; at++)
        if (add_path(&c, argv[at]) != 0)
            status = CHECK_FAILED;
    return status | run_all(&c);
}
