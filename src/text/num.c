/* SPDX-License-Identifier: MIT */
#include "anm/num.h"

#include "digits.h"
#include "exact.h"

#include <float.h>
#include <stdbool.h>
#include <string.h>

#define HEAD_DIGITS 19 /* as many as fit any uint64_t */
#define SIGN UINT32_C(0x80000000)

/* Without a branch: signs of real numbers are hard to predict. */
static bool take_sign(const char **p, const char *end)
{
    char c = *p < end ? **p : 0;
    bool negative = c == '-';
    *p += negative | (c == '+');
    return negative;
}

static bool take_hex_prefix(const char **p, const char *end)
{
    if (end - *p < 3 || (*p)[0] != '0' || ((*p)[1] | 0x20) != 'x')
        return false;
    *p += 2;
    return true;
}

/* A signed whole number up to `end`, held at some 10^17: far outside of what any number of digits can make up for. */
static bool scan_exponent(const char *p, const char *end, int64_t *exponent)
{
    bool negative = take_sign(&p, end);
    if (p == end)
        return false;
    int64_t value = 0;
    for (; p < end; p++) {
        if (anm_digit_value(*p) > 9)
            return false;
        if (value < INT64_C(100000000000000000))
            value = value * 10 + anm_digit_value(*p);
    }
    *exponent = negative ? -value : value;
    return true;
}

/* The head of a number whose digits are too many for a simple sum. */
static void scan_head(struct anm_decimal *number)
{
    int kept = 0;
    number->head = 0;
    number->head_exponent = number->exponent;
    for (const char *p = number->text; p < number->end; p++) {
        if (*p == '.')
            continue;
        if (kept == HEAD_DIGITS) {
            number->head_exponent++;
            continue;
        }
        number->head = number->head * 10 + anm_digit_value(*p);
        kept += number->head > 0;
    }
}

static const char *sum_digits(const char *p, const char *end, uint64_t *sum)
{
    for (; p < end && anm_digit_value(*p) <= 9; p++)
        *sum = *sum * 10 + anm_digit_value(*p);
    return p;
}

/* Reads an unsigned decimal number up to `end`; false when it is not one. */
static bool scan_decimal(const char *text, const char *end, struct anm_decimal *number)
{
    uint64_t sum = 0;
    const char *p = sum_digits(text, end, &sum);
    ptrdiff_t digits = p - text;
    ptrdiff_t places = 0;
    if (p < end && *p == '.') {
        const char *point = p++;
        p = sum_digits(p, end, &sum);
        places = p - point - 1;
        digits += places;
    }
    if (digits == 0)
        return false;
    int64_t exponent = 0;
    if (p < end && ((*p | 0x20) != 'e' || !scan_exponent(p + 1, end, &exponent)))
        return false;
    exponent -= places;
    *number = (struct anm_decimal){text, p, exponent, sum, exponent};
    if (digits > HEAD_DIGITS)
        scan_head(number);
    return true;
}

/* Reads an unsigned hexadecimal number up to `end`; false when it is not one. */
static bool scan_hex(const char *p, const char *end, const struct anm_layout *layout, uint64_t *pattern)
{
    if (!take_hex_prefix(&p, end))
        return false;
    uint64_t bits = 0;
    bool any = false, more = false, fraction = false;
    int64_t exponent = 0, power = 0;
    for (; p < end; p++) {
        if (*p == '.' && !fraction) {
            fraction = true;
            continue;
        }
        unsigned digit = anm_hex_value(*p);
        if (digit > 15)
            break;
        any = true;
        if (bits >> 60) {
            more = more || digit;
            exponent += 4;
        } else {
            bits = bits << 4 | digit;
        }
        exponent -= fraction ? 4 : 0;
    }
    if (!any || (p < end && ((*p | 0x20) != 'p' || !scan_exponent(p + 1, end, &power))))
        return false;
    *pattern = bits ? anm_exact_binary(bits, more, exponent + power, layout) : 0;
    return true;
}

/* Whether the text is `word`, which is lower-case letters, in any case. */
static bool is_word(const char *p, const char *end, const char *word)
{
    while (p < end && *word && (*p | 0x20) == *word) {
        p++;
        word++;
    }
    return p == end && !*word;
}

/* "nan:" and the 8 hexadecimal digits of a 32-bit NaN, sign and all. */
static bool scan_payload(const char *text, size_t size, uint32_t *bits)
{
    if (size != 12 || !is_word(text, text + 3, "nan") || text[3] != ':')
        return false;
    uint32_t value = 0;
    for (const char *p = text + 4; p < text + size; p++) {
        if (anm_hex_value(*p) > 15)
            return false;
        value = value << 4 | anm_hex_value(*p);
    }
    if ((value & 0x7fffffff) <= 0x7f800000)
        return false;
    *bits = value;
    return true;
}

/* Infinity and NaN, as a 32-bit float. */
static bool scan_word(const char *text, size_t size, uint32_t *bits)
{
    const char *p = text, *end = text + size;
    uint32_t sign = take_sign(&p, end) ? SIGN : 0;
    if (is_word(p, end, "inf") || is_word(p, end, "infinity"))
        *bits = sign | 0x7f800000;
    else if (is_word(p, end, "nan"))
        *bits = sign | 0x7fc00000;
    else
        return scan_payload(text, size, bits);
    return true;
}

/* Why `text` is not a number. */
static enum anm_num classify(const char *text, size_t size)
{
    char pointed[64];
    if (size == 0 || size > sizeof pointed)
        return ANM_NUM_SYNTAX;
    const char *comma = memchr(text, ',', size);
    if (!comma || comma + 1 == text + size)
        return ANM_NUM_SYNTAX;
    memcpy(pointed, text, size);
    pointed[comma - text] = '.';
    const char *p = pointed;
    take_sign(&p, pointed + size);
    struct anm_decimal number;
    return scan_decimal(p, pointed + size, &number) ? ANM_NUM_COMMA : ANM_NUM_SYNTAX;
}

/* value * 10^exponent. One rounding for each 22 powers: up to 10^22 they are exact. */
static double scale(double value, int64_t exponent)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    for (; exponent > 22; exponent -= 22)
        value *= powers[22];
    for (; exponent < -22; exponent += 22)
        value /= powers[22];
    return exponent < 0 ? value / powers[-exponent] : value * powers[exponent];
}

static uint32_t nearest_f32(double value)
{
    float nearest = (float)value;
    uint32_t pattern;
    memcpy(&pattern, &nearest, sizeof pattern);
    return pattern;
}

static uint32_t round_f32(const struct anm_decimal *number)
{
    /* 10^19 * 10^-66 is below half of the smallest float, 10^40 above the largest. */
    if (number->head == 0 || number->head_exponent < -66)
        return 0;
    if (number->head_exponent > 40)
        return (uint32_t)anm_layout_f32.inf;
    /* At most six errors of 2^-53 (digits cut, head to double, three steps of scale(), the product below) and the
     * number is surely within 2^-50 = 8 * 2^-53. Where both ends round to one float, so does the number. */
    double value = scale((double)number->head, number->head_exponent);
    uint32_t low = nearest_f32(value * (1 - 0x1p-50));
    uint32_t high = nearest_f32(value * (1 + 0x1p-50));
    return low == high ? low : (uint32_t)anm_exact_decimal(number, &anm_layout_f32, low, high);
}

static uint64_t round_f64(const struct anm_decimal *number)
{
    int64_t exponent = number->head_exponent;
    if (number->head == 0 || exponent < -345)
        return 0;
    if (exponent > 310)
        return anm_layout_f64.inf;
    double value = scale((double)number->head, exponent);
    uint64_t pattern;
    memcpy(&pattern, &value, sizeof pattern);
    /* One operation on two exact doubles is rounded right. A head below 10^18 is the whole number. */
    if (FLT_EVAL_METHOD == 0 && number->head <= UINT64_C(1) << 53 && exponent >= -22 && exponent <= 22)
        return pattern;
    /* At most 18 errors of half a unit of a double, or of a whole one at the ends of the binades. */
    uint64_t low = pattern < 32 ? 0 : pattern - 32;
    uint64_t high = pattern + 32 > anm_layout_f64.inf ? anm_layout_f64.inf : pattern + 32;
    return anm_exact_decimal(number, &anm_layout_f64, low, high);
}

enum anm_num anm_f32_parse(const char *text, size_t size, uint32_t *bits)
{
    const char *p = text, *end = text + size;
    uint32_t sign = take_sign(&p, end) ? SIGN : 0;
    struct anm_decimal number;
    uint64_t pattern;
    if (scan_decimal(p, end, &number))
        pattern = round_f32(&number);
    else if (!scan_hex(p, end, &anm_layout_f32, &pattern))
        return scan_word(text, size, bits) ? ANM_NUM_OK : classify(text, size);
    if (pattern == anm_layout_f32.inf)
        return ANM_NUM_OVERFLOW;
    *bits = sign | (uint32_t)pattern;
    return ANM_NUM_OK;
}

static enum anm_num parse_f64_word(const char *text, size_t size, double *value)
{
    uint32_t bits;
    if (!scan_word(text, size, &bits))
        return classify(text, size);
    float word;
    memcpy(&word, &bits, sizeof word);
    *value = (double)word;
    return ANM_NUM_OK;
}

enum anm_num anm_f64_parse(const char *text, size_t size, double *value)
{
    const char *p = text, *end = text + size;
    uint64_t sign = take_sign(&p, end) ? (uint64_t)SIGN << 32 : 0;
    struct anm_decimal number;
    uint64_t pattern;
    if (scan_decimal(p, end, &number))
        pattern = round_f64(&number);
    else if (!scan_hex(p, end, &anm_layout_f64, &pattern))
        return parse_f64_word(text, size, value);
    if (pattern == anm_layout_f64.inf)
        return ANM_NUM_OVERFLOW;
    pattern |= sign;
    memcpy(value, &pattern, sizeof *value);
    return ANM_NUM_OK;
}

enum anm_num anm_u32_parse(const char *text, size_t size, uint32_t max, uint32_t *value)
{
    const char *p = text, *end = text + size;
    bool negative = p < end && *p == '-';
    p += negative;
    unsigned base = take_hex_prefix(&p, end) ? 16 : 10;
    if (p == end)
        return ANM_NUM_SYNTAX;
    uint64_t sum = 0;
    for (; p < end; p++) {
        unsigned digit = anm_hex_value(*p);
        if (digit >= base)
            return classify(text, size);
        sum = sum > UINT32_MAX ? sum : sum * base + digit;
    }
    if (negative)
        return ANM_NUM_NEGATIVE;
    if (sum > max)
        return ANM_NUM_OVERFLOW;
    *value = (uint32_t)sum;
    return ANM_NUM_OK;
}

size_t anm_u32_print(char out[10], uint32_t value)
{
    char digits[10];
    size_t size = 0;
    do {
        digits[sizeof digits - ++size] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    memcpy(out, digits + sizeof digits - size, size);
    return size;
}

const char *anm_num_reason(enum anm_num result)
{
    switch (result) {
    case ANM_NUM_OK:
        return "a number";
    case ANM_NUM_SYNTAX:
        return "not a number";
    case ANM_NUM_COMMA:
        return "a decimal point is written '.'";
    case ANM_NUM_OVERFLOW:
        return "too large";
    case ANM_NUM_NEGATIVE:
        return "it cannot be negative";
    }
    return "not a number";
}
