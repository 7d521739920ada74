/* SPDX-License-Identifier: MIT */
#include "tool.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The document a command works on: all its changes become one save, or none. */
struct edit {
    struct session session;
    struct anm_doc *doc;
};

static int edit_open(struct edit *edit, const char *file)
{
    if (session_open(&edit->session, file) != 0)
        return -1;
    edit->doc = anm_doc_ref(edit->session.doc);
    return 0;
}

static void edit_close(struct edit *edit)
{
    anm_doc_unref(edit->doc);
    session_close(&edit->session);
}

/* Goes on with `next`, the result of a change at `path`. Returns 0, or -1 after saying why there is none. */
static int edit_step(struct edit *edit, struct anm_doc *next, const char *path, const struct anm_error *err)
{
    if (!next)
        return session_fail(&edit->session, path, err);
    anm_doc_unref(edit->doc);
    edit->doc = next;
    return 0;
}

static int edit_save(struct edit *edit)
{
    return session_save(&edit->session, edit->doc) == 0 ? TOOL_OK : TOOL_FAILED;
}

/* A text that a failed program in front of a pipe left empty must not delete what the node holds. */
static int refuse_empty(const struct anm_doc *doc, const char *path, size_t size, struct anm_error *err)
{
    struct anm_error none;
    struct anm_ref ref;
    if (size > 0 || anm_tree_find(doc, path, &ref, &none) != 0 || anm_ref_kind(&ref) != ANM_FILE_TEXT)
        return 0;
    return anm_fail(err, ANM_TEXT, "an empty text is not taken: anm rm removes what the node holds");
}

/* The new text of `path`: `given`, or what standard input holds. */
static struct anm_doc *put_text(const struct anm_doc *doc, const char *path, const char *given, struct anm_error *err)
{
    ANM_AUTO(anm_buf_free) struct anm_buf text = {0};
    if (given)
        anm_buf_puts(&text, given);
    else if (session_read_stdin(&text, err) != 0)
        return NULL;
    if (text.failed) {
        anm_fail_nomem(err);
        return NULL;
    }
    if (refuse_empty(doc, path, text.size, err) != 0)
        return NULL;
    return anm_tree_write(doc, path, text.data, text.size, err);
}

int tool_put(const struct command *self, int argc, char **argv)
{
    ANM_AUTO(edit_close) struct edit edit = {0};
    struct anm_error err = {0};
    struct tool_chosen chosen;
    int at = tool_options(self, argc, argv, &chosen);
    if (at <= 0)
        return tool_early(at);
    if (argc - at < 2 || argc - at > 3)
        return tool_usage(self);
    if (!argv[at + 2] && strcmp(argv[at], "-") == 0) {
        fputs("anm: put: standard input cannot be both the animation and the text\n", stderr);
        return tool_usage(self);
    }
    if (edit_open(&edit, argv[at]) != 0)
        return TOOL_FAILED;
    const char *path = session_path(argv[at + 1]);
    struct anm_doc *next = put_text(edit.doc, path, argv[at + 2], &err);
    return edit_step(&edit, next, path, &err) == 0 ? edit_save(&edit) : TOOL_FAILED;
}

/* Runs `change` on every path of the command line in turn, then saves once. */
static int change_paths(const struct command *self, int argc, char **argv,
                        int (*change)(struct edit *edit, char *path, const struct tool_chosen *chosen))
{
    ANM_AUTO(edit_close) struct edit edit = {0};
    struct tool_chosen chosen;
    int at = tool_options(self, argc, argv, &chosen);
    if (at <= 0)
        return tool_early(at);
    if (argc - at < 2)
        return tool_usage(self);
    if (edit_open(&edit, argv[at++]) != 0)
        return TOOL_FAILED;
    for (; at < argc; at++)
        if (change(&edit, session_path(argv[at]), &chosen) != 0)
            return TOOL_FAILED;
    return edit_save(&edit);
}

static int make_directory(struct edit *edit, char *path, const struct tool_chosen *chosen)
{
    struct anm_error err = {0};
    (void)chosen;
    return edit_step(edit, anm_tree_mkdir(edit->doc, path, &err), path, &err);
}

int tool_mkdir(const struct command *self, int argc, char **argv)
{
    return change_paths(self, argc, argv, make_directory);
}

static int remove_one(struct edit *edit, const char *path)
{
    struct anm_error err = {0};
    return edit_step(edit, anm_tree_remove(edit->doc, path, &err), path, &err);
}

static int keep_path(void *arg, const char *path, const struct anm_ref *ref)
{
    (void)ref;
    anm_buf_put(arg, path, strlen(path) + 1);
    return 0;
}

/* Removes the paths of `list` (each ended by a NUL), the last first: what is in a directory before the directory.
 * What went along with another is no error, and so is what cannot be removed by itself but goes with its directory. */
static int remove_list(struct edit *edit, const struct anm_buf *list)
{
    struct anm_error err = {0}, first = {0};
    const char *kept = NULL;
    for (size_t end = list->size; end > 0;) {
        size_t start = end - 1;
        while (start > 0 && list->data[start - 1] != '\0')
            start--;
        const char *path = (const char *)list->data + start;
        struct anm_doc *next = anm_tree_remove(edit->doc, path, &err);
        if (next)
            edit_step(edit, next, path, &err);
        else if (err.reason != ANM_NOENT && !kept) {
            kept = path;
            first = err;
        }
        end = start;
    }
    struct anm_ref ref;
    bool gone = kept && anm_tree_find(edit->doc, (const char *)list->data, &ref, &err) != 0;
    return kept && !gone ? session_fail(&edit->session, kept, &first) : 0;
}

static int remove_path(struct edit *edit, char *path, const struct tool_chosen *chosen)
{
    ANM_AUTO(anm_buf_free) struct anm_buf list = {0};
    struct anm_error err = {0};
    struct anm_ref ref;
    if (!chosen->values[0])
        return remove_one(edit, path);
    if (anm_tree_find(edit->doc, path, &ref, &err) != 0)
        return session_fail(&edit->session, path, &err);
    anm_buf_put(&list, path, strlen(path) + 1);
    if (anm_ref_kind(&ref) == ANM_DIR && session_walk(edit->doc, &ref, path, 0, true, keep_path, &list, &err) != 0)
        return session_fail(&edit->session, path, &err);
    if (list.failed) {
        anm_fail_nomem(&err);
        return session_fail(&edit->session, path, &err);
    }
    return remove_list(edit, &list);
}

int tool_rm(const struct command *self, int argc, char **argv)
{
    return change_paths(self, argc, argv, remove_path);
}

int tool_mv(const struct command *self, int argc, char **argv)
{
    ANM_AUTO(edit_close) struct edit edit = {0};
    struct anm_error err = {0};
    struct tool_chosen chosen;
    int at = tool_options(self, argc, argv, &chosen);
    if (at <= 0)
        return tool_early(at);
    if (argc - at != 3)
        return tool_usage(self);
    if (edit_open(&edit, argv[at]) != 0)
        return TOOL_FAILED;
    const char *from = session_path(argv[at + 1]), *to = session_path(argv[at + 2]);
    struct anm_doc *next = anm_tree_rename(edit.doc, from, to, &err);
    return edit_step(&edit, next, from, &err) == 0 ? edit_save(&edit) : TOOL_FAILED;
}
