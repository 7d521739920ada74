/* SPDX-License-Identifier: MIT */
/* convert: what writing to the file `format` does, from one file into another. */
#include "tool.h"

#include <stdio.h>
#include <string.h>

enum { CONVERT_LOSS = 3 }; /* exit status: refused, as something would be lost */
enum { TO, LOSSY };

/* The animation in that version, or NULL with `err`. */
static struct anm_doc *convert(const struct anm_doc *doc, const char *version, bool lossy, struct anm_error *err)
{
    ANM_AUTO(anm_buf_free) struct anm_buf text = {0};
    anm_buf_printf(&text, "%s%s\n", version, lossy ? " lossy" : "");
    if (text.failed) {
        anm_fail_nomem(err);
        return NULL;
    }
    return anm_tree_write(doc, "format", text.data, text.size, err);
}

int tool_convert(const struct command *self, int argc, char **argv)
{
    ANM_AUTO(session_close) struct session session = {0};
    struct anm_error err = {0};
    struct tool_chosen chosen;
    int at = tool_options(self, argc, argv, &chosen);
    if (at <= 0)
        return tool_early(at);
    if (argc - at != 2 || !chosen.values[TO])
        return tool_usage(self);
    if (session_open(&session, argv[at]) != 0)
        return TOOL_FAILED;
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = convert(session.doc, chosen.values[TO], chosen.values[LOSSY], &err);
    if (doc)
        return session_write(argv[at + 1], doc) == 0 ? TOOL_OK : TOOL_FAILED;
    session_fail(&session, "format", &err);
    return err.reason == ANM_LOSS ? CONVERT_LOSS : TOOL_FAILED;
}
