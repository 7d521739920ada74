/* SPDX-License-Identifier: MIT */
#include "anm/num.h"

#include "digits.h"
#include "exact.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

/* Shortest decimals after Raffaello Giulietti's "The Schubfach way to render doubles" (2021), for 32-bit floats.
 *
 * A float c * 2^q is the only float in the interval of half a unit of c around it. With the largest 10^k that is not longer
 * than the interval, at least one and at most ten multiples of 10^k lie inside, and at most one multiple of 10^(k+1).
 * So the answer is that multiple of 10^(k+1) if it is there, else the nearer of the two multiples of 10^k around the value.
 *
 * Value and ends of the interval are compared in units of 10^k / 4, each rounded to odd: a cut number with its lowest bit
 * set when anything was cut compares with even bounds like the exact one. tests/tools/f32_all.c checks every float. */

/* 10^-31 to 10^45: what k can be for a float, negated. Made by: take 10^k exactly, shift it to 2^63 <= x < 2^64, cut, add 1.
 * tests/unit/test_num.c does so again. */
const uint64_t anm_pow10[] = {
    UINT64_C(0x81ceb32c4b43fcf5), UINT64_C(0xa2425ff75e14fc32), UINT64_C(0xcad2f7f5359a3b3f),
    UINT64_C(0xfd87b5f28300ca0e), UINT64_C(0x9e74d1b791e07e49), UINT64_C(0xc612062576589ddb),
    UINT64_C(0xf79687aed3eec552), UINT64_C(0x9abe14cd44753b53), UINT64_C(0xc16d9a0095928a28),
    UINT64_C(0xf1c90080baf72cb2), UINT64_C(0x971da05074da7bef), UINT64_C(0xbce5086492111aeb),
    UINT64_C(0xec1e4a7db69561a6), UINT64_C(0x9392ee8e921d5d08), UINT64_C(0xb877aa3236a4b44a),
    UINT64_C(0xe69594bec44de15c), UINT64_C(0x901d7cf73ab0acda), UINT64_C(0xb424dc35095cd810),
    UINT64_C(0xe12e13424bb40e14), UINT64_C(0x8cbccc096f5088cc), UINT64_C(0xafebff0bcb24aaff),
    UINT64_C(0xdbe6fecebdedd5bf), UINT64_C(0x89705f4136b4a598), UINT64_C(0xabcc77118461cefd),
    UINT64_C(0xd6bf94d5e57a42bd), UINT64_C(0x8637bd05af6c69b6), UINT64_C(0xa7c5ac471b478424),
    UINT64_C(0xd1b71758e219652c), UINT64_C(0x83126e978d4fdf3c), UINT64_C(0xa3d70a3d70a3d70b),
    UINT64_C(0xcccccccccccccccd), UINT64_C(0x8000000000000001), UINT64_C(0xa000000000000001),
    UINT64_C(0xc800000000000001), UINT64_C(0xfa00000000000001), UINT64_C(0x9c40000000000001),
    UINT64_C(0xc350000000000001), UINT64_C(0xf424000000000001), UINT64_C(0x9896800000000001),
    UINT64_C(0xbebc200000000001), UINT64_C(0xee6b280000000001), UINT64_C(0x9502f90000000001),
    UINT64_C(0xba43b74000000001), UINT64_C(0xe8d4a51000000001), UINT64_C(0x9184e72a00000001),
    UINT64_C(0xb5e620f480000001), UINT64_C(0xe35fa931a0000001), UINT64_C(0x8e1bc9bf04000001),
    UINT64_C(0xb1a2bc2ec5000001), UINT64_C(0xde0b6b3a76400001), UINT64_C(0x8ac7230489e80001),
    UINT64_C(0xad78ebc5ac620001), UINT64_C(0xd8d726b7177a8001), UINT64_C(0x878678326eac9001),
    UINT64_C(0xa968163f0a57b401), UINT64_C(0xd3c21bcecceda101), UINT64_C(0x84595161401484a1),
    UINT64_C(0xa56fa5b99019a5c9), UINT64_C(0xcecb8f27f4200f3b), UINT64_C(0x813f3978f8940985),
    UINT64_C(0xa18f07d736b90be6), UINT64_C(0xc9f2c9cd04674edf), UINT64_C(0xfc6f7c4045812297),
    UINT64_C(0x9dc5ada82b70b59e), UINT64_C(0xc5371912364ce306), UINT64_C(0xf684df56c3e01bc7),
    UINT64_C(0x9a130b963a6c115d), UINT64_C(0xc097ce7bc90715b4), UINT64_C(0xf0bdc21abb48db21),
    UINT64_C(0x96769950b50d88f5), UINT64_C(0xbc143fa4e250eb32), UINT64_C(0xeb194f8e1ae525fe),
    UINT64_C(0x92efd1b8d0cf37bf), UINT64_C(0xb7abc627050305ae), UINT64_C(0xe596b7b0c643c71a),
    UINT64_C(0x8f7e32ce7bea5c70), UINT64_C(0xb35dbf821ae4f38c),
};

struct shortest {
    uint32_t digits;
    int exponent; /* decimal */
};

/* power * c / 2^64, rounded to odd. The table's plus one makes the product too large by less than
 * 2^32, which is below the 32 bits of the fraction that are looked at: a fraction of 0 stays 0. */
static uint32_t scale_to_odd(uint64_t power, uint32_t c)
{
    uint64_t product = (power >> 32) * c + (((power & UINT32_MAX) * c) >> 32);
    return (uint32_t)(product >> 32) | ((uint32_t)product != 0);
}

/* floor(log2(10^k)), right for every k of the table */
static int log2_pow10(int k)
{
    return (k * 1741647) >> 19;
}

/* floor(log10(2^q)), or of 3/4 * 2^q when narrow: the interval's length. Right for every q of a float. */
static int log10_length(int q, bool narrow)
{
    return (q * 1262611 - (narrow ? 524031 : 0)) >> 22;
}

static struct shortest find_shortest(uint32_t fraction, uint32_t biased)
{
    uint32_t c = biased ? fraction | 0x800000 : fraction;
    int q = (biased ? (int)biased : 1) - 150;
    /* The floats below a power of two are half as far apart as those above it. */
    bool narrow = fraction == 0 && biased > 1;
    int k = log10_length(q, narrow);
    int shift = q + log2_pow10(-k) + 1;
    uint64_t power = anm_pow10[-k - ANM_POW10_MIN];
    uint32_t middle = scale_to_odd(power, (4 * c) << shift);
    uint32_t low = scale_to_odd(power, (4 * c - (narrow ? 1 : 2)) << shift);
    uint32_t high = scale_to_odd(power, (4 * c + 2) << shift);
    /* The ends themselves read back as this float only when it is even. */
    low += c & 1;
    high -= c & 1;

    uint32_t tens = middle / 40;
    bool ten_below = low <= 40 * tens;
    bool ten_above = 40 * tens + 40 <= high;
    if (ten_below != ten_above)
        return (struct shortest){tens + ten_above, k + 1};

    uint32_t ones = middle / 4;
    bool one_below = low <= 4 * ones;
    bool one_above = 4 * ones + 4 <= high;
    if (one_below != one_above)
        return (struct shortest){ones + one_above, k};
    uint32_t half = 4 * ones + 2;
    return (struct shortest){ones + (middle > half || (middle == half && ones % 2)), k};
}

static const uint32_t powers[10] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000};

/* Decimal digits of `value`, which is not 0. */
static int count_digits(uint32_t value)
{
    int estimate = ((32 - __builtin_clz(value)) * 1233) >> 12;
    return estimate + (value >= powers[estimate]);
}

/* Eight decimal digits of a value below 10^8 as bytes of a word, the first digit lowest: three halvings, all lanes at once.
 * 10486 / 2^20 and 103 / 2^10 divide by 100 and 10 for as many digits as a lane holds. */
static uint64_t spread_digits(uint32_t value)
{
    uint64_t lanes = value / 10000 | (uint64_t)(value % 10000) << 32;
    uint64_t high = ((lanes * 10486) >> 20) & UINT64_C(0x0000007f0000007f);
    lanes = high | (lanes - high * 100) << 16;
    high = ((lanes * 103) >> 10) & UINT64_C(0x000f000f000f000f);
    return high | (lanes - high * 10) << 8;
}

#define DIGITS 9

/* Writes `value`, which has `size` digits, with zeros up to nine; returns how many are there without them. */
static int put_digits(char digits[DIGITS], uint32_t value, int size)
{
    uint32_t nine = value * powers[DIGITS - size];
    uint64_t rest = spread_digits(nine % 100000000);
    uint64_t ascii = htole64(rest | UINT64_C(0x3030303030303030));
    digits[0] = (char)('0' + nine / 100000000);
    memcpy(digits + 1, &ascii, sizeof ascii);
    return rest ? DIGITS - __builtin_clzll(rest) / 8 : 1;
}

static size_t put_exponent(char *out, int exponent)
{
    char *p = out;
    *p++ = 'e';
    if (exponent < 0)
        *p++ = '-';
    return (size_t)(p - out) + anm_u32_print(p, (uint32_t)abs(exponent));
}

/* The copies have a fixed size, which is cheap; `digits` is long enough for that and `out` too. */
size_t anm_decimal_print(char *out, uint32_t value, int exponent)
{
    char digits[2 * DIGITS] = {0};
    int size = count_digits(value);
    int count = put_digits(digits, value, size);
    int point = exponent + size; /* 0.DIGITS * 10^point */
    if (point > 0 && point <= DIGITS) {
        memcpy(out, digits, DIGITS);
        if (count <= point)
            return (size_t)point;
        memcpy(out + point + 1, digits + point, DIGITS);
        out[point] = '.';
        return (size_t)count + 1;
    }
    if (point <= 0 && point > -5) {
        memcpy(out, "0.0000", 6);
        memcpy(out + 2 - point, digits, DIGITS);
        return (size_t)(2 - point + count);
    }
    out[0] = digits[0];
    out[1] = '.';
    memcpy(out + 2, digits + 1, DIGITS);
    size_t used = count > 1 ? (size_t)count + 1 : 1;
    return used + put_exponent(out + used, point - 1);
}

static size_t put_nan(char *out, uint32_t bits)
{
    static const char hex[16] = "0123456789abcdef";
    memcpy(out, "nan:", 4);
    if (bits == 0x7fc00000)
        return 3;
    for (int i = 0; i < 8; i++)
        out[4 + i] = hex[bits >> (28 - 4 * i) & 15];
    return 12;
}

size_t anm_f32_print(char out[ANM_F32_MAX], uint32_t bits)
{
    uint32_t fraction = bits & 0x7fffff;
    uint32_t biased = bits >> 23 & 0xff;
    if (biased == 0xff && fraction)
        return put_nan(out, bits);
    size_t sign = bits >> 31;
    out[0] = '-';
    if (biased == 0xff) {
        memcpy(out + sign, "inf", 3);
        return sign + 3;
    }
    if ((biased | fraction) == 0) {
        out[sign] = '0';
        return sign + 1;
    }
    struct shortest number = find_shortest(fraction, biased);
    return sign + anm_decimal_print(out + sign, number.digits, number.exponent);
}
