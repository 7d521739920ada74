/* SPDX-License-Identifier: MIT */
#include "tool.h"

#include "anm/given.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int session_fail(const struct session *session, const char *path, const struct anm_error *err)
{
    ANM_AUTO(anm_buf_free) struct anm_buf where = {0}, out = {0};
    anm_buf_puts(&where, session->file);
    if (path && *path)
        anm_buf_printf(&where, ": %s", path);
    const char *name = anm_buf_cstr(&where);
    anm_error_print(err, name ? name : session->file, &out);
    if (out.failed)
        fprintf(stderr, "%s: %s\n", session->file, err->text);
    else
        fwrite(out.data, 1, out.size, stderr);
    return -1;
}

int session_read_stdin(struct anm_buf *text, struct anm_error *err)
{
    enum { CHUNK = 65536 };
    uint8_t *room;
    while ((room = anm_buf_room(text, CHUNK))) {
        size_t size = fread(room, 1, CHUNK, stdin);
        text->size += size;
        if (size < CHUNK)
            return ferror(stdin) ? anm_fail_sys(err, errno, "standard input") : 0;
    }
    return anm_fail_nomem(err);
}

int session_read(const char *file, struct anm_buf *bytes, struct anm_error *err)
{
    if (strcmp(file, "-") == 0)
        return session_read_stdin(bytes, err);
    struct anm_store *store = anm_store_open(file, err);
    int got = store ? anm_store_load(store, bytes, err) : -1;
    anm_store_close(store);
    return got;
}

/* Puts the files that belong to the animation at its hand. */
static int give(struct session *session, struct anm_error *err)
{
    ANM_AUTO(anm_given_clean) struct anm_given *given = anm_given_new(60, session->degrees);
    if (!given)
        return anm_fail_nomem(err);
    struct anm_given_to to = {given, session->doc};
    const struct anm_finder finder = {anm_given_found, &to, ANM_GIVEN_BYTES};
    const char *suffix = anm_doc_beside(session->doc);
    if (suffix && session->store && anm_store_beside(session->store, suffix, &finder, err) != 0)
        return -1;
    struct anm_doc *with = anm_doc_with(session->doc, given);
    if (!with)
        return anm_fail_nomem(err);
    anm_doc_unref(session->doc);
    session->doc = with;
    return 0;
}

int session_open(struct session *session, const char *file)
{
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
    struct anm_error err = {0};
    *session = (struct session){.file = file, .degrees = session->degrees};
    bool piped = strcmp(file, "-") == 0;
    session->store = piped ? NULL : anm_store_open(file, &err);
    int got = piped            ? session_read_stdin(&bytes, &err)
              : session->store ? anm_store_load(session->store, &bytes, &err)
                               : -1;
    if (got == 0)
        session->doc = anm_doc_decode(bytes.data, bytes.size, NULL, &err);
    if (session->doc && give(session, &err) != 0) {
        anm_doc_unref(session->doc);
        session->doc = NULL;
    }
    return session->doc ? 0 : session_fail(session, NULL, &err);
}

void session_close(struct session *session)
{
    anm_doc_unref(session->doc);
    anm_store_close(session->store);
    *session = (struct session){0};
}

static int replace(struct session *session, const struct anm_doc *doc, struct anm_error *err)
{
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
    const char *why = anm_store_readonly(session->store);
    if (why)
        return anm_fail(err, ANM_READONLY, "%s", why);
    if (anm_doc_encode(doc, &bytes, err) != 0)
        return -1;
    return anm_store_save(session->store, bytes.data, bytes.size, ANM_SYNC_FULL, err);
}

int session_save(struct session *session, const struct anm_doc *doc)
{
    struct anm_error err = {0};
    if (!session->store)
        return session_write("-", doc);
    if (doc == session->doc)
        return 0;
    const char *warning = anm_store_warning(session->store);
    if (warning)
        fprintf(stderr, "%s: warning: %s\n", session->file, warning);
    return replace(session, doc, &err) == 0 ? 0 : session_fail(session, NULL, &err);
}

/* A file that is not there yet. */
static int make_file(const char *file, const struct anm_buf *bytes, struct anm_error *err)
{
    const char *slash = strrchr(file, '/');
    ANM_AUTO(anm_freep) char *dir = slash ? strndup(file, (size_t)(slash - file) + 1) : strdup(".");
    if (!dir)
        return anm_fail_nomem(err);
    mode_t mask = umask(0);
    umask(mask);
    const struct anm_owner owner = {0666 & ~mask, geteuid(), getegid()};
    struct anm_folder *folder = anm_folder_open(dir, err);
    int result =
        folder ? anm_store_make(folder, slash ? slash + 1 : file, &owner, bytes->data, bytes->size, ANM_SYNC_FULL, err)
               : -1;
    anm_folder_unref(folder);
    return result;
}

static int write_file(const char *file, const struct anm_buf *bytes, struct anm_error *err)
{
    if (strcmp(file, "-") == 0)
        return fwrite(bytes->data, 1, bytes->size, stdout) == bytes->size ? 0
                                                                          : anm_fail_sys(err, errno, "standard output");
    if (access(file, F_OK) != 0)
        return make_file(file, bytes, err);
    struct anm_store *store = anm_store_open(file, err);
    const char *why = store ? anm_store_readonly(store) : NULL;
    int result = -1;
    if (why)
        anm_fail(err, ANM_READONLY, "%s", why);
    else if (store)
        result = anm_store_save(store, bytes->data, bytes->size, ANM_SYNC_FULL, err);
    anm_store_close(store);
    return result;
}

int session_write(const char *file, const struct anm_doc *doc)
{
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
    struct anm_error err = {0};
    if (anm_doc_encode(doc, &bytes, &err) == 0 && write_file(file, &bytes, &err) == 0)
        return 0;
    return session_fail(&(const struct session){.file = file}, NULL, &err);
}

char *session_path(char *path)
{
    path += strspn(path, "/");
    size_t size = strlen(path);
    while (size > 0 && path[size - 1] == '/')
        path[--size] = '\0';
    return strcmp(path, ".") == 0 ? path + 1 : path;
}

/* One directory that the walk is in. */
struct level {
    struct anm_ref dir;
    uint32_t cookie;
    size_t path_size; /* of the directory's own path */
};

int session_walk(const struct anm_doc *doc, const struct anm_ref *dir, const char *path, unsigned classes, bool deep,
                 int (*each)(void *arg, const char *path, const struct anm_ref *ref), void *arg, struct anm_error *err)
{
    enum { DEPTH = 16 }; /* no format's table is half as deep */
    ANM_AUTO(anm_buf_free) struct anm_buf name = {0};
    struct level stack[DEPTH] = {{.dir = *dir, .path_size = strlen(path)}};
    size_t depth = 1;
    anm_buf_puts(&name, path);
    while (depth > 0) {
        struct level *top = &stack[depth - 1];
        struct anm_ref child;
        name.size = top->path_size;
        if (name.size > 0)
            anm_buf_putc(&name, '/');
        if (!anm_tree_next(doc, &top->dir, classes, &top->cookie, &child, &name)) {
            depth--;
            continue;
        }
        const char *full = anm_buf_cstr(&name);
        if (!full)
            return anm_fail_nomem(err);
        if (each(arg, full, &child) != 0)
            return -1;
        if (deep && anm_ref_kind(&child) == ANM_DIR && depth < DEPTH)
            stack[depth++] = (struct level){.dir = child, .path_size = name.size};
    }
    return name.failed ? anm_fail_nomem(err) : 0;
}
