/* SPDX-License-Identifier: MIT */
#include "anm/note.h"

#include "anm/route.h"

#include <stdlib.h>
#include <string.h>

struct note {
    struct anm_doc doc;
    size_t size;
    char text[];
};

static const struct note *note_of(const struct anm_doc *doc)
{
    return (const struct note *)(const void *)doc;
}

/* There are no bytes that would stand for it. */
static int encode(const struct anm_doc *doc, struct anm_buf *out, struct anm_error *err)
{
    (void)doc, (void)out;
    return anm_fail(err, ANM_DENIED, "this is no animation");
}

static void destroy(struct anm_doc *doc)
{
    free(doc);
}

static const struct anm_format format = {.family = "", .encode = encode, .destroy = destroy};

struct anm_doc *anm_note_new(const char *text)
{
    size_t size = text ? strlen(text) : 0;
    struct note *note = anm_alloc(sizeof *note, size, 1);
    if (!note)
        return NULL;
    note->doc = (struct anm_doc){&format, 1};
    note->size = size;
    if (size)
        memcpy(note->text, text, size);
    return &note->doc;
}

bool anm_is_note(const struct anm_doc *doc)
{
    return doc->format == &format;
}

static bool has_text(const struct anm_doc *doc, const struct anm_ref *ref)
{
    (void)ref;
    return note_of(doc)->size > 0;
}

static int render(const struct anm_doc *doc, const struct anm_ref *ref, struct anm_buf *out, struct anm_error *err)
{
    (void)ref, (void)err;
    anm_buf_put(out, note_of(doc)->text, note_of(doc)->size);
    return 0;
}

enum { ROW_DERIVED = 2 };

static const struct anm_route rows[] = {
    {.pattern = "", .kind = ANM_DIR},
    {.pattern = "ERROR", .kind = ANM_FILE_TEXT, .exists = has_text, .render = render},
    [ROW_DERIVED] = {.pattern = ".anmfs", .kind = ANM_DIR, .flags = ANM_ROUTE_HIDDEN | ANM_ROUTE_VOLATILE},
    {.pattern = ".anmfs/errors", .in = ROW_DERIVED, .kind = ANM_FILE_HOST, .flags = ANM_ROUTE_VOLATILE},
    {.pattern = ".anmfs/status", .in = ROW_DERIVED, .kind = ANM_FILE_HOST, .flags = ANM_ROUTE_VOLATILE},
};

const struct anm_routes note_routes = {&format, rows, sizeof rows / sizeof *rows, NULL, NULL};
