/* SPDX-License-Identifier: MIT */
#include "exact.h"

#include <stddef.h>
#include <string.h>

const struct anm_layout anm_layout_f32 = {24, -126, UINT64_C(0x7f800000)};
const struct anm_layout anm_layout_f64 = {53, -1022, UINT64_C(0x7ff0000000000000)};

/* A middle between two doubles has at most 768 digits, so of longer numbers it only matters whether anything follows. */
#define DIGITS 800
/* 801 digits are 2661 bits; 5^1200 (all of them behind the lowest exponent) times a middle has 2840. The two sides of a
 * comparison are near each other, so shifting one of them up to the other stays near that: 4096 bits are enough. */
#define WORDS 128

/* A natural number, lowest word first, no leading zero word. */
struct big {
    size_t count;
    uint32_t words[WORDS];
};

static void times_plus(struct big *n, uint32_t factor, uint32_t summand)
{
    uint64_t carry = summand;
    for (size_t i = 0; i < n->count; i++) {
        carry += (uint64_t)n->words[i] * factor;
        n->words[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry && n->count < WORDS)
        n->words[n->count++] = (uint32_t)carry;
}

static void times_pow5(struct big *n, int64_t power)
{
    for (; power >= 13; power -= 13)
        times_plus(n, 1220703125, 0);
    for (; power > 0; power--)
        times_plus(n, 5, 0);
}

static void times_pow2(struct big *n, int64_t power)
{
    for (; power >= 31; power -= 31)
        times_plus(n, UINT32_C(1) << 31, 0);
    if (power > 0)
        times_plus(n, UINT32_C(1) << power, 0);
}

static int compare(const struct big *a, const struct big *b)
{
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    for (size_t i = a->count; i-- > 0;)
        if (a->words[i] != b->words[i])
            return a->words[i] < b->words[i] ? -1 : 1;
    return 0;
}

/* All digits as one number, its decimal exponent in *exponent. */
static struct big load_digits(const struct anm_decimal *number, int64_t *exponent)
{
    struct big n = {0};
    int kept = 0;
    bool more = false;
    *exponent = number->exponent;
    for (const char *p = number->text; p < number->end; p++) {
        if (*p == '.')
            continue;
        if (kept < DIGITS) {
            times_plus(&n, 10, (uint32_t)(*p - '0'));
            kept += n.count > 0;
        } else {
            more = more || *p != '0';
            ++*exponent;
        }
    }
    if (more) {
        times_plus(&n, 10, 1);
        --*exponent;
    }
    return n;
}

/* How digits * 10^exponent compares with the middle between `pattern` and the next. */
static int compare_middle(struct big digits, int64_t exponent, const struct anm_layout *layout, uint64_t pattern)
{
    uint64_t hidden = UINT64_C(1) << (layout->precision - 1);
    uint64_t fraction = pattern & (hidden - 1);
    int64_t biased = (int64_t)(pattern / hidden);
    uint64_t c = biased ? fraction | hidden : fraction;
    int64_t power = (biased ? biased : 1) + layout->lowest - layout->precision;

    /* The middle is odd * 2^(power - 1). Both sides become whole numbers; a factor 2^n common to both is left out. */
    uint64_t odd = 2 * c + 1;
    struct big middle = {.count = odd >> 32 ? 2 : 1, .words = {(uint32_t)odd, (uint32_t)(odd >> 32)}};
    times_pow5(&digits, exponent);
    times_pow5(&middle, -exponent);
    int64_t shift = exponent - (power - 1);
    times_pow2(&digits, shift);
    times_pow2(&middle, -shift);
    return compare(&digits, &middle);
}

uint64_t anm_exact_decimal(const struct anm_decimal *number, const struct anm_layout *layout, uint64_t low,
                           uint64_t high)
{
    int64_t exponent;
    const struct big digits = load_digits(number, &exponent);
    while (low < high) {
        uint64_t at = low + (high - low) / 2;
        int order = compare_middle(digits, exponent, layout, at);
        if (order > 0 || (order == 0 && at % 2))
            low = at + 1;
        else
            high = at;
    }
    return low;
}

uint64_t anm_exact_binary(uint64_t bits, bool more, int64_t exponent, const struct anm_layout *layout)
{
    int zeros = __builtin_clzll(bits);
    bits <<= zeros;
    int64_t top = exponent - zeros + 63; /* exponent of the first bit */
    int64_t below = top < layout->lowest ? layout->lowest - top : 0;
    int64_t drop = 64 - layout->precision + below;
    if (drop > 64)
        return 0;
    uint64_t kept = drop == 64 ? 0 : bits >> drop;
    uint64_t cut = bits << (64 - drop);
    uint64_t half = UINT64_C(1) << 63;
    kept += cut > half || (cut == half && (more || kept % 2));
    if (below)
        return kept; /* subnormal, or rounded up to the smallest normal number, whose pattern that is */
    if (top > 1 - layout->lowest)
        return layout->inf;
    uint64_t hidden = UINT64_C(1) << (layout->precision - 1);
    /* A carry out of the fraction goes into the exponent, as it should. */
    return (uint64_t)(top - layout->lowest) * hidden + kept;
}
