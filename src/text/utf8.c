/* SPDX-License-Identifier: MIT */
#include "anm/utf8.h"

static size_t claimed_size(unsigned char first)
{
    if (first < 0x80)
        return 1;
    if (first < 0xc2 || first > 0xf4)
        return 0;
    return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

size_t anm_utf8_size(const char *text, const char *end)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t size = claimed_size(p[0]);
    if (size > (size_t)(end - text))
        return 0;
    for (size_t i = 1; i < size; i++)
        if (p[i] >> 6 != 2)
            return 0;
    /* Second bytes that make an overlong form, a surrogate, or too large a number. */
    if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) || (p[0] == 0xf0 && p[1] < 0x90) ||
        (p[0] == 0xf4 && p[1] > 0x8f))
        return 0;
    return size;
}
