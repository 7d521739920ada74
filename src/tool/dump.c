/* SPDX-License-Identifier: MIT */
/* dump, build: the whole file as one text, and back. */
#include "tool.h"

#include "anm/dump.h"

#include <stdio.h>
#include <string.h>

/* --- dump --- */

enum { BY_BONE, BY_FRAME, JSON, TEXTCONV };

/* Bytes as offset, hex and text, 16 a line. */
static void print_hex(const struct anm_buf *bytes)
{
    enum { ROW = 16 };
    for (size_t i = 0; i < bytes->size; i += ROW) {
        size_t count = bytes->size - i < ROW ? bytes->size - i : ROW;
        printf("%08zx ", i);
        for (size_t k = 0; k < ROW; k++)
            k < count ? printf(" %02x", bytes->data[i + k]) : printf("   ");
        fputs("  ", stdout);
        for (size_t k = 0; k < count; k++)
            putchar(bytes->data[i + k] >= ' ' && bytes->data[i + k] < 0x7f ? bytes->data[i + k] : '.');
        putchar('\n');
    }
}

/* For git, which gives up on a whole log when this fails. */
static int print_anyway(const char *file)
{
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0}, text = {0}, why = {0};
    struct anm_error err = {0};
    bool read = session_read(file, &bytes, &err) == 0;
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = read ? anm_doc_decode(bytes.data, bytes.size, NULL, &err) : NULL;
    if (doc && anm_dump(doc, false, &text, &err) == 0) {
        fwrite(text.data, 1, text.size, stdout);
        return TOOL_OK;
    }
    anm_error_print(&err, "# error", &why);
    fwrite(why.data, 1, why.size, stdout);
    print_hex(&bytes);
    return TOOL_OK;
}

int tool_dump(const struct command *self, int argc, char **argv)
{
    ANM_AUTO(session_close) struct session session = {0};
    ANM_AUTO(anm_buf_free) struct anm_buf text = {0};
    struct anm_error err = {0};
    struct tool_chosen chosen;
    int at = tool_options(self, argc, argv, &chosen);
    if (at <= 0)
        return tool_early(at);
    bool by_bone = chosen.values[BY_BONE] != NULL;
    if (argc - at != 1 || (by_bone && chosen.values[BY_FRAME]) ||
        (chosen.values[TEXTCONV] && (by_bone || chosen.values[JSON])))
        return tool_usage(self);
    if (chosen.values[TEXTCONV])
        return print_anyway(argv[at]);
    if (session_open(&session, argv[at]) != 0)
        return TOOL_FAILED;
    if (chosen.values[JSON] ? anm_dump_json(session.doc, by_bone, &text, &err)
                            : anm_dump(session.doc, by_bone, &text, &err)) {
        session_fail(&session, NULL, &err);
        return TOOL_FAILED;
    }
    fwrite(text.data, 1, text.size, stdout);
    return TOOL_OK;
}

/* --- build --- */

int tool_build(const struct command *self, int argc, char **argv)
{
    enum { OUT };
    ANM_AUTO(anm_buf_free) struct anm_buf text = {0};
    struct anm_error err = {0};
    struct tool_chosen chosen;
    int at = tool_options(self, argc, argv, &chosen);
    if (at <= 0)
        return tool_early(at);
    if (argc - at > 1)
        return tool_usage(self);
    const struct session from = {.file = at < argc ? argv[at] : "-"};
    ANM_AUTO(anm_doc_clean)
    struct anm_doc *doc = session_read(from.file, &text, &err) == 0 ? anm_build(text.data, text.size, &err) : NULL;
    if (!doc) {
        session_fail(&from, NULL, &err);
        return TOOL_FAILED;
    }
    return session_write(chosen.values[OUT] ? chosen.values[OUT] : "-", doc) == 0 ? TOOL_OK : TOOL_FAILED;
}
