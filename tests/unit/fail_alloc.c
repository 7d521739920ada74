/* SPDX-License-Identifier: MIT */
#include "fail_alloc.h"

#include <stddef.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

static unsigned calls_left; /* 0: none fails */
static bool hit;

void fail_alloc_at(unsigned n)
{
    calls_left = n;
    hit = false;
}

void fail_alloc_off(void)
{
    calls_left = 0;
}

bool fail_alloc_hit(void)
{
    return hit;
}

static bool fails(void)
{
    if (calls_left == 0 || --calls_left > 0)
        return false;
    hit = true;
    return true;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return fails() ? NULL : __real_realloc(old, size);
}
