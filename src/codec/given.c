/* SPDX-License-Identifier: MIT */
#include "anm/given.h"

#include <stdlib.h>
#include <string.h>

struct anm_given *anm_given_new(unsigned fps, bool degrees)
{
    struct anm_given *given = anm_alloc(0, 1, sizeof *given);
    if (given)
        *given = (struct anm_given){.refs = 1, .fps = fps, .degrees = degrees};
    return given;
}

/* The count is no part of what a reader sees. */
static struct anm_given *counted(const struct anm_given *given)
{
    return (struct anm_given *)(uintptr_t)given;
}

struct anm_given *anm_given_ref(const struct anm_given *given)
{
    struct anm_given *mine = counted(given);
    if (mine)
        mine->refs++;
    return mine;
}

void anm_given_unref(const struct anm_given *given)
{
    struct anm_given *mine = counted(given);
    if (!mine || --mine->refs)
        return;
    for (uint32_t i = 0; i < mine->count; i++) {
        free(mine->files[i].name);
        anm_doc_unref(mine->files[i].doc);
    }
    free(mine->files);
    free(mine);
}

void anm_given_clean(struct anm_given **given)
{
    anm_given_unref(*given);
    *given = NULL;
}

/* Takes over `doc`, also on failure. */
static int keep(struct anm_given *given, const char *name, size_t size, struct anm_doc *doc, struct anm_error *err)
{
    struct anm_given_file *files = anm_realloc(given->files, (size_t)given->count + 1, sizeof *files);
    char *copy = strdup(name);
    if (files)
        given->files = files;
    if (!files || !copy) {
        free(copy);
        anm_doc_unref(doc);
        return anm_fail_nomem(err);
    }
    files[given->count++] = (struct anm_given_file){copy, doc};
    given->bytes += size;
    return 0;
}

int anm_given_offer(struct anm_given *given, const struct anm_doc *doc, bool asked, const char *name,
                    const uint8_t *bytes, size_t size, struct anm_error *err)
{
    if (given->count >= ANM_GIVEN_MAX || size > ANM_GIVEN_BYTES - given->bytes) {
        given->left_off = true;
        return asked ? anm_fail(err, ANM_LIMIT, "%s: more than %d files or %u MiB", name, ANM_GIVEN_MAX,
                                ANM_GIVEN_BYTES / (1024u * 1024u))
                     : 0;
    }
    struct anm_doc *other = anm_doc_decode(bytes, size, NULL, err);
    bool wanted = other && doc->format->uses && doc->format->uses(doc, other);
    if (other && (wanted || asked))
        return keep(given, name, size, other, err);
    anm_doc_unref(other);
    return !other && (asked || err->reason == ANM_NOMEM) ? -1 : 0;
}

int anm_given_found(void *arg, const char *name, bool asked, const uint8_t *bytes, size_t size, struct anm_error *err)
{
    const struct anm_given_to *to = arg;
    return anm_given_offer(to->given, to->doc, asked, name, bytes, size, err);
}

struct anm_doc *anm_doc_with(const struct anm_doc *doc, const struct anm_given *given)
{
    return doc->format->with ? doc->format->with(doc, given) : anm_doc_ref(doc);
}

const char *anm_doc_beside(const struct anm_doc *doc)
{
    return doc->format->beside;
}
