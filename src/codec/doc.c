/* SPDX-License-Identifier: MIT */
#include "anm/doc.h"

#include "foreign.h"

#include <string.h>
#include <strings.h>

static const struct anm_format *const formats[] = {&anm_gem, &anm_niff, &anm_psx, &anm_tsq, &anm_tim};

#define FORMATS (sizeof formats / sizeof formats[0])

/* Why the bytes are of no family. Where only the magic is right, what breaks further on tells more; but a weak magic is also
 * how files of other kinds may start, and those are told by more than that. */
static void refuse(const uint8_t *bytes, size_t size, struct anm_error *err)
{
    if (anm_foreign_known(bytes, size, err))
        return;
    for (size_t i = 0; i < FORMATS; i++) {
        if (!formats[i]->resembles || !formats[i]->resembles(bytes, size))
            continue;
        ANM_AUTO(anm_doc_clean) struct anm_doc *doc = formats[i]->decode(bytes, size, err);
        if (doc)
            anm_fail(
                err, ANM_FOREIGN,
                "this starts like a file of the family %s, but has bytes that such a file should not have, or holds "
                "nothing; it is taken for one where the family is named",
                formats[i]->family);
        return;
    }
    anm_foreign(bytes, size, err);
}

struct anm_doc *anm_doc_decode(const uint8_t *bytes, size_t size, const char *force, struct anm_error *err)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (force ? strcmp(force, formats[i]->family) == 0 : formats[i]->sniff(bytes, size))
            return formats[i]->decode(bytes, size, err);
    if (force)
        anm_fail(err, ANM_FOREIGN, "no family of files is named \"%.100s\"", force);
    else
        refuse(bytes, size, err);
    return NULL;
}

static bool ends_with(const char *name, const char *suffix)
{
    size_t size = strlen(name), end = suffix ? strlen(suffix) : size;
    return size > end && strcasecmp(name + size - end, suffix) == 0;
}

bool anm_doc_named(const char *name)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (ends_with(name, formats[i]->suffix[0]) || ends_with(name, formats[i]->suffix[1]))
            return true;
    return false;
}

int anm_doc_encode(const struct anm_doc *doc, struct anm_buf *out, struct anm_error *err)
{
    return doc->format->encode(doc, out, err);
}

size_t anm_doc_memory(const struct anm_doc *doc)
{
    return doc->format->memory ? doc->format->memory(doc) : 0;
}

/* The count is no part of what a reader sees: a const document can still be kept. */
static struct anm_doc *counted(const struct anm_doc *doc)
{
    return (struct anm_doc *)(uintptr_t)doc;
}

struct anm_doc *anm_doc_ref(const struct anm_doc *doc)
{
    struct anm_doc *mine = counted(doc);
    if (mine)
        mine->refs++;
    return mine;
}

void anm_doc_unref(const struct anm_doc *doc)
{
    struct anm_doc *mine = counted(doc);
    if (mine && --mine->refs == 0)
        mine->format->destroy(mine);
}

void anm_doc_clean(struct anm_doc **doc)
{
    anm_doc_unref(*doc);
    *doc = NULL;
}
