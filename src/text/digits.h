/* SPDX-License-Identifier: MIT */
#ifndef ANM_TEXT_DIGITS_H
#define ANM_TEXT_DIGITS_H

#include <stddef.h>
#include <stdint.h>

/* Writes value * 10^exponent, 1 to 999,999,999, as anm_f32_print() does; `out` has room for ANM_F32_MAX. Returns the length. */
size_t anm_decimal_print(char *out, uint32_t value, int exponent);

/* The value of a decimal digit; above 9 for any other byte. */
static inline unsigned anm_digit_value(char c)
{
    return (unsigned)(unsigned char)c - '0';
}

/* The value of a hexadecimal digit in either case; above 15 for any other byte. */
static inline unsigned anm_hex_value(char c)
{
    unsigned digit = anm_digit_value(c);
    unsigned letter = ((unsigned char)c | 0x20u) - 'a';
    return digit <= 9 ? digit : letter < 6 ? letter + 10 : 16;
}

#endif
