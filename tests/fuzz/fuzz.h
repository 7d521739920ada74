/* SPDX-License-Identifier: MIT */
/* What the fuzz targets share. */
#ifndef ANM_TESTS_FUZZ_H
#define ANM_TESTS_FUZZ_H

#include "anm/tree.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The fuzzer takes a trap as its find, with the input. */
static inline void require(bool holds)
{
    if (!holds)
        __builtin_trap();
}

/* What an input says, byte for byte; zeros after its end. */
struct input {
    const uint8_t *next;
    size_t left;
};

static inline unsigned take(struct input *in)
{
    if (in->left == 0)
        return 0;
    in->left--;
    return *in->next++;
}

#define PICK(in, list) (list)[take(in) % (sizeof(list) / sizeof *(list))]

/* Writes a text, or with none makes a directory. Consumes `doc`. */
static inline struct anm_doc *put(struct anm_doc *doc, const char *path, const char *text)
{
    struct anm_error err;
    struct anm_doc *next = text ? anm_tree_write(doc, path, text, strlen(text), &err) : anm_tree_mkdir(doc, path, &err);
    require(next != NULL);
    anm_doc_unref(doc);
    return next;
}

static inline struct anm_buf encode(const struct anm_doc *doc)
{
    struct anm_buf out = {0};
    struct anm_error err;
    require(anm_doc_encode(doc, &out, &err) == 0);
    return out;
}

static inline bool equal(const struct anm_buf *a, const struct anm_buf *b)
{
    return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

#endif
