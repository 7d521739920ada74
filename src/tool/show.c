/* SPDX-License-Identifier: MIT */
#include "tool.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

/* Prints the node at `path`. Returns 0, or -1 after saying why. */
static int print_node(const struct session *session, const char *path)
{
    ANM_AUTO(anm_buf_free) struct anm_buf text = {0};
    struct anm_error err = {0};
    struct anm_ref ref;
    if (anm_tree_find(session->doc, path, &ref, &err) != 0)
        return session_fail(session, path, &err);
    if (anm_ref_kind(&ref) == ANM_DIR) {
        anm_fail(&err, ANM_ISDIR, "is a directory: anm ls lists it");
        return session_fail(session, path, &err);
    }
    if (anm_tree_render(session->doc, &ref, &text, &err) != 0)
        return session_fail(session, path, &err);
    if (text.size > 0)
        fwrite(text.data, 1, text.size, stdout);
    return 0;
}

/* Text out of a file: nothing that a terminal would obey. */
static void print_safe(const char *text)
{
    for (; *text; text++)
        putchar((unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text);
}

/* A value that is no list, as text. */
static void print_value(const cJSON *value)
{
    if (cJSON_IsNumber(value))
        printf("%.17g", value->valuedouble);
    else if (cJSON_IsString(value))
        print_safe(value->valuestring);
    else
        fputs(cJSON_IsTrue(value) ? "yes" : cJSON_IsFalse(value) ? "no" : "none", stdout);
}

static bool is_plain(const cJSON *value)
{
    return !cJSON_IsObject(value) && !cJSON_IsArray(value);
}

/* The members of an object on one line; with `some`, of numbers only those that count something. */
static void print_members(const cJSON *object, bool some)
{
    const cJSON *member, *item;
    cJSON_ArrayForEach(member, object)
    {
        if (some && cJSON_IsNumber(member) && member->valuedouble == 0)
            continue;
        printf(" %s", member->string);
        if (is_plain(member)) {
            putchar(' ');
            print_value(member);
            continue;
        }
        cJSON_ArrayForEach(item, member)
        {
            fputs(" \"", stdout);
            print_safe(cJSON_IsString(item) ? item->valuestring : "");
            putchar('"');
        }
    }
}

/* One fact a line; of a list each item on a line of its own. */
static void print_fact(const cJSON *fact)
{
    const cJSON *item;
    bool warning = strcmp(fact->string, "warnings") == 0;
    if (is_plain(fact)) {
        printf("  %s ", fact->string);
        print_value(fact);
        putchar('\n');
    } else if (cJSON_IsObject(fact)) {
        printf("  %s", fact->string);
        print_members(fact, true);
        putchar('\n');
    } else {
        cJSON_ArrayForEach(item, fact)
        {
            printf("  %s", warning ? "warning" : fact->string);
            if (is_plain(item)) {
                putchar(' ');
                print_value(item);
            } else {
                print_members(item, false);
            }
            putchar('\n');
        }
    }
}

/* What .anmfs/info.json says, a block a file. Returns 0, or -1 after saying why. */
static int print_info(const struct session *session)
{
    ANM_AUTO(anm_buf_free) struct anm_buf text = {0};
    struct anm_error err = {0};
    struct anm_ref ref;
    if (anm_tree_find(session->doc, ".anmfs/info.json", &ref, &err) != 0 ||
        anm_tree_render(session->doc, &ref, &text, &err) != 0)
        return session_fail(session, ".anmfs/info.json", &err);
    cJSON *info = cJSON_ParseWithLength((const char *)text.data, text.size);
    const cJSON *fact;
    if (!info) {
        anm_fail_nomem(&err);
        return session_fail(session, NULL, &err);
    }
    printf("%s\n", session->file);
    cJSON_ArrayForEach(fact, info) print_fact(fact);
    cJSON_Delete(info);
    return 0;
}

int tool_info(const struct command *self, int argc, char **argv)
{
    struct tool_chosen chosen;
    int at = tool_options(self, argc, argv, &chosen);
    if (at <= 0)
        return tool_early(at);
    if (at == argc)
        return tool_usage(self);
    int status = TOOL_OK;
    for (; at < argc; at++) {
        ANM_AUTO(session_close) struct session session = {0};
        bool opened = session_open(&session, argv[at]) == 0;
        if (!opened || (chosen.values[0] ? print_node(&session, ".anmfs/info.json") : print_info(&session)) != 0)
            status = TOOL_FAILED;
    }
    return status;
}

int tool_cat(const struct command *self, int argc, char **argv)
{
    ANM_AUTO(session_close) struct session session = {0};
    struct tool_chosen chosen;
    int at = tool_options(self, argc, argv, &chosen);
    if (at <= 0)
        return tool_early(at);
    if (argc - at < 2)
        return tool_usage(self);
    session.degrees = chosen.values[0] != NULL;
    if (session_open(&session, argv[at++]) != 0)
        return TOOL_FAILED;
    int status = TOOL_OK;
    for (; at < argc; at++)
        if (print_node(&session, session_path(argv[at])) != 0)
            status = TOOL_FAILED;
    return status;
}

/* A line of the listing; `arg` is the length of the path's start that is left out. */
static int print_name(void *arg, const char *path, const struct anm_ref *ref)
{
    const size_t *skip = arg;
    printf("%s%s\n", path + *skip, anm_ref_kind(ref) == ANM_DIR ? "/" : "");
    return 0;
}

int tool_ls(const struct command *self, int argc, char **argv)
{
    enum { DEEP, ALL };
    ANM_AUTO(session_close) struct session session = {0};
    struct anm_error err = {0};
    struct anm_ref ref;
    struct tool_chosen chosen;
    int at = tool_options(self, argc, argv, &chosen);
    if (at <= 0)
        return tool_early(at);
    if (argc - at < 1 || argc - at > 2)
        return tool_usage(self);
    if (session_open(&session, argv[at]) != 0)
        return TOOL_FAILED;
    const char *path = argc - at == 2 ? session_path(argv[at + 1]) : "";
    if (anm_tree_find(session.doc, path, &ref, &err) != 0) {
        session_fail(&session, path, &err);
        return TOOL_FAILED;
    }
    /* Whole paths with -R, so that each can be given to `anm cat`. */
    bool deep = chosen.values[DEEP] != NULL;
    size_t skip = deep || !*path ? 0 : strlen(path) + 1;
    if (anm_ref_kind(&ref) != ANM_DIR) {
        puts(path);
        return TOOL_OK;
    }
    unsigned classes = chosen.values[ALL] ? ANM_LIST_RAW | ANM_LIST_PREVIEW | ANM_LIST_HIDDEN : 0;
    if (session_walk(session.doc, &ref, path, classes, deep, print_name, &skip, &err) != 0) {
        session_fail(&session, path, &err);
        return TOOL_FAILED;
    }
    return TOOL_OK;
}
