/* SPDX-License-Identifier: MIT */
/* Inside the text ring: correct rounding for the numbers that quick arithmetic cannot decide, and the table of powers. */
#ifndef ANM_TEXT_EXACT_H
#define ANM_TEXT_EXACT_H

#include <stdbool.h>
#include <stdint.h>

/* anm_pow10[k - ANM_POW10_MIN] is 10^k scaled by a power of two to 64 significant bits, cut, plus one. */
#define ANM_POW10_MIN (-31)
#define ANM_POW10_MAX 45
extern const uint64_t anm_pow10[ANM_POW10_MAX - ANM_POW10_MIN + 1];

/* A binary floating-point layout. A pattern is the bits of a positive number; patterns are ordered as their values. */
struct anm_layout {
    int precision; /* significant bits of a normal number, the hidden one included */
    int lowest;    /* binary exponent of the smallest normal number */
    uint64_t inf;  /* pattern of infinity */
};

extern const struct anm_layout anm_layout_f32, anm_layout_f64;

/* A positive decimal number: the digits in [text, end), passing over a point among them, times 10^exponent. */
struct anm_decimal {
    const char *text;
    const char *end;
    int64_t exponent;
    uint64_t head;         /* the number again, by its first 19 digits from the first that is not 0 on: */
    int64_t head_exponent; /* head * 10^head_exponent, equal to `exponent` when those are all the digits */
};

/* The pattern nearest to `number`, ties to even, among those from `low` to `high`; the answer must be one of them.
 * head_exponent must be between -400 and 400. */
uint64_t anm_exact_decimal(const struct anm_decimal *number, const struct anm_layout *layout, uint64_t low,
                           uint64_t high);

/* The pattern nearest to bits * 2^exponent, ties to even; layout->inf when that is too large. `bits` is not 0.
 * `more` says that a fraction of the last bit was cut, for which `bits` must have more than layout->precision bits. */
uint64_t anm_exact_binary(uint64_t bits, bool more, int64_t exponent, const struct anm_layout *layout);

#endif
