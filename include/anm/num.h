/* SPDX-License-Identifier: MIT */
/* Numbers as text and back. Floats are passed as their 32 bits. The locale never matters. */
#ifndef ANM_NUM_H
#define ANM_NUM_H

#include <stddef.h>
#include <stdint.h>

/* The longest text anm_f32_print() makes is shorter than this. */
#define ANM_F32_MAX 24

/* Writes the shortest decimal that reads back to the same 32 bits (of those, the one closest to the value).
 * Fixed notation from 1e-5 up to 1e9, else d.ddde-7 / 1.5e12 (no plus sign, no zero padding). `-0` keeps its sign; whole numbers
 * have no point; `inf`, `-inf`, `nan` for 0x7fc00000, any other NaN as `nan:7f800001` (8 lower-case hex digits).
 * No NUL is written. Returns the length. */
size_t anm_f32_print(char out[ANM_F32_MAX], uint32_t bits);

enum anm_num {
    ANM_NUM_OK = 0,
    ANM_NUM_SYNTAX,   /* not a number */
    ANM_NUM_COMMA,    /* a decimal comma */
    ANM_NUM_OVERFLOW, /* finite, but too large for the type */
    ANM_NUM_NEGATIVE  /* a minus sign where none can be */
};

/* Reads all `size` bytes as one float, rounded to nearest even. Accepts what anm_f32_print() writes, exponents,
 * a leading `+`, `.5`, `5.`, hexadecimal floats (0x1.8p3), `inf`/`infinity`/`nan` in any case, with a sign.
 * Too large is ANM_NUM_OVERFLOW; too small becomes a subnormal or signed zero. `text` need not be terminated. */
enum anm_num anm_f32_parse(const char *text, size_t size, uint32_t *bits);

/* Reads all `size` bytes as a double by the same syntax (for values that are computed with, such as degrees). */
enum anm_num anm_f64_parse(const char *text, size_t size, double *value);

/* An angle in radians, written in degrees: the shortest decimal with `deg` behind it that anm_angle_parse() reads back to the
 * same 32 bits. What is not finite is as anm_f32_print() has it. No NUL. Returns the length, below ANM_F32_MAX + 3. */
size_t anm_angle_print(char out[ANM_F32_MAX + 3], uint32_t bits);

/* Reads all `size` bytes as an angle: radians as by anm_f32_parse(), or degrees, which `deg` follows ("90deg"). */
enum anm_num anm_angle_parse(const char *text, size_t size, uint32_t *bits);

/* Reads all `size` bytes as an unsigned decimal number, or hexadecimal after 0x, up to `max`. */
enum anm_num anm_u32_parse(const char *text, size_t size, uint32_t max, uint32_t *value);

/* Writes `value` in decimal; no NUL. Returns the length (1 to 10). */
size_t anm_u32_print(char out[10], uint32_t value);

/* "12,5: a decimal point is written '.'" and the like: the reason in words, for messages. Never NULL. */
const char *anm_num_reason(enum anm_num result);

#endif
