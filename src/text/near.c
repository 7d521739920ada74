/* SPDX-License-Identifier: MIT */
#include "anm/lines.h"

#include <string.h>

#define LONGEST 64 /* longer words are not compared */

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

/* Bytes to insert, remove or replace to make `b` of `a`, the case of letters aside. */
static size_t distance(const char *a, size_t a_size, const char *b, size_t b_size)
{
    size_t row[LONGEST + 1]; /* row[j]: from the first i bytes of a to the first j of b */
    for (size_t j = 0; j <= b_size; j++)
        row[j] = j;
    for (size_t i = 1; i <= a_size; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b_size; j++) {
            size_t replaced = diagonal + (lower(a[i - 1]) != lower(b[j - 1]));
            size_t other = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = replaced < other ? replaced : other;
        }
    }
    return row[b_size];
}

const char *anm_nearest(const char *text, size_t size, const char *const *words)
{
    const char *nearest = NULL;
    size_t least = LONGEST;
    if (size > LONGEST)
        return NULL;
    for (; *words; words++) {
        size_t length = strlen(*words);
        if (length > LONGEST)
            continue;
        size_t d = distance(text, size, *words, length);
        size_t longer = size > length ? size : length;
        /* One byte in three may be wrong. */
        if (d < least && d <= (longer + 1) / 3) {
            least = d;
            nearest = *words;
        }
    }
    return nearest;
}
