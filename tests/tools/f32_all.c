/* SPDX-License-Identifier: MIT */
/* Checks float printing and parsing against the C library: f32_all [STRIDE [FIRST]] takes every STRIDE-th of the 2^32
 * patterns from FIRST on. `f32_all 2 0` and `f32_all 2 1` share the whole work. Exits with 0, or 1 after any fault.
 *
 * The text must read back to the same bits by strtof() and by anm_f32_parse(), no shorter decimal may, and of the shortest
 * it must be the closest. Doubles decide the last two where they can with a wide margin, else strtof() and snprintf() do.
 * One pattern in 1009 is checked by the C library alone as well, and in other spellings. */
#include "anm/num.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEEP 1009
#define POWER_MIN (-60)

struct check {
    uint64_t faults;
    double powers[120]; /* 10^POWER_MIN and so on */
};

struct decimal {
    uint32_t digits; /* no trailing zeros */
    int count;
    int exponent;
};

static float to_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t to_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void fault(struct check *check, uint32_t bits, const char *what, const char *text)
{
    if (check->faults++ < 20)
        printf("%08" PRIx32 ": %s: %s\n", bits, what, text);
}

/* The digits of a printed number without sign, however it is laid out. */
static struct decimal read_digits(const char *p)
{
    struct decimal n = {0};
    bool point = false;
    for (; *p && *p != 'e'; p++) {
        if (*p == '.') {
            point = true;
            continue;
        }
        n.digits = n.digits * 10 + (uint32_t)(*p - '0');
        n.exponent -= point;
    }
    if (*p == 'e')
        n.exponent += (int)strtol(p + 1, NULL, 10);
    while (n.digits && n.digits % 10 == 0) {
        n.digits /= 10;
        n.exponent++;
    }
    for (uint32_t rest = n.digits; rest; rest /= 10)
        n.count++;
    return n;
}

static bool reads_back(uint32_t digits, int exponent, uint32_t bits)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu32 "e%d", digits, exponent);
    return to_bits(strtof(text, NULL)) == bits;
}

/* Numbers with one digit less: only the two around the value can be closer than its neighbours. */
static void check_shortest(struct check *check, uint32_t bits, struct decimal n, const char *text)
{
    double value = (double)to_float(bits);
    double below = bits ? value - (double)to_float(bits - 1) : 0;
    double above = bits == 0x7f7fffff ? below : (double)to_float(bits + 1) - value;
    double unit = check->powers[n.exponent + 1 - POWER_MIN];
    uint32_t digits = n.digits / 10;
    double down = value - digits * unit, up = (digits + 1) * unit - value;
    if (down <= below / 2 * 1.000001 && reads_back(digits, n.exponent + 1, bits))
        fault(check, bits, "a shorter one is below", text);
    if (up <= above / 2 * 1.000001 && reads_back(digits + 1, n.exponent + 1, bits))
        fault(check, bits, "a shorter one is above", text);
}

static void check_closest(struct check *check, uint32_t bits, struct decimal n, const char *text)
{
    double unit = check->powers[n.exponent - POWER_MIN];
    if (fabs((double)to_float(bits) - n.digits * unit) < 0.4999 * unit)
        return;
    char other[64];
    snprintf(other, sizeof other, "%.*e", n.count - 1, (double)to_float(bits));
    struct decimal closest = read_digits(other);
    if ((closest.digits != n.digits || closest.exponent != n.exponent) && to_bits(strtof(other, NULL)) == bits)
        fault(check, bits, "not the closest", text);
}

/* The definition of shortest taken literally: some %.*g of so many digits reads back. */
static void check_printf_loop(struct check *check, uint32_t bits, struct decimal n, const char *text)
{
    char other[512];
    for (int digits = 1; digits < n.count; digits++) {
        snprintf(other, sizeof other, "%.*g", digits, (double)to_float(bits));
        if (to_bits(strtof(other, NULL)) == bits)
            fault(check, bits, "%.*g is shorter", text);
    }
}

static void check_parse(struct check *check, uint32_t bits, const char *text)
{
    uint32_t expected = to_bits(strtof(text, NULL));
    uint32_t got = 0;
    enum anm_num result = anm_f32_parse(text, strlen(text), &got);
    bool too_large = (expected & 0x7fffffff) == 0x7f800000;
    if (too_large ? result != ANM_NUM_OVERFLOW : result != ANM_NUM_OK || got != expected)
        fault(check, bits, "parsed otherwise than by strtof()", text);
    double wide = 0;
    if (anm_f64_parse(text, strlen(text), &wide) != ANM_NUM_OK || wide != strtod(text, NULL))
        fault(check, bits, "parsed otherwise than by strtod()", text);
}

/* The float in other spellings, and numbers on, just below and just above the middle to the next float. */
static void check_spellings(struct check *check, uint32_t bits)
{
    static const int places[] = {0, 1, 6, 8, 18, 19, 60};
    char text[512];
    double value = (double)to_float(bits);
    double next = (bits & 0x7fffffff) == 0x7f7fffff ? copysign(0x1p128, value) : (double)to_float(bits + 1);
    double middle = (value + next) / 2;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(text, sizeof text, "%.*e", places[i], value);
        check_parse(check, bits, text);
        snprintf(text, sizeof text, "%.*g", places[i], value);
        check_parse(check, bits, text);
        snprintf(text, sizeof text, "%.*f", places[i], value);
        check_parse(check, bits, text);
    }
    snprintf(text, sizeof text, "%a", value);
    check_parse(check, bits, text);
    const double around[] = {middle, nextafter(middle, value), nextafter(middle, next)};
    for (size_t i = 0; i < 3; i++) {
        snprintf(text, sizeof text, "%.160g", around[i]);
        check_parse(check, bits, text);
        snprintf(text, sizeof text, "%a", around[i]);
        check_parse(check, bits, text);
    }
}

static void check_special(struct check *check, uint32_t bits, const char *text)
{
    char expected[16];
    snprintf(expected, sizeof expected, "nan:%08" PRIx32, bits);
    if (bits == 0x7fc00000)
        expected[3] = 0;
    if ((bits & 0x7fffffff) == 0x7f800000)
        snprintf(expected, sizeof expected, bits >> 31 ? "-inf" : "inf");
    if (strcmp(text, expected) != 0)
        fault(check, bits, "not as expected", text);
}

static void check_pattern(struct check *check, uint32_t bits, bool deep)
{
    char text[ANM_F32_MAX + 1], positive[ANM_F32_MAX];
    size_t size = anm_f32_print(text, bits);
    text[size] = 0;
    uint32_t back = ~bits;
    if (size >= ANM_F32_MAX || anm_f32_parse(text, size, &back) != ANM_NUM_OK || back != bits)
        fault(check, bits, "does not parse back", text);
    if ((bits & 0x7fffffff) >= 0x7f800000) {
        check_special(check, bits, text);
        return;
    }
    if (to_bits(strtof(text, NULL)) != bits)
        fault(check, bits, "strtof() reads another float", text);
    if (deep)
        check_spellings(check, bits);
    if (bits >> 31) {
        size_t rest = anm_f32_print(positive, bits & 0x7fffffff);
        if (rest + 1 != size || text[0] != '-' || memcmp(text + 1, positive, rest) != 0)
            fault(check, bits, "is not '-' and the positive number", text);
        return;
    }
    struct decimal n = read_digits(text);
    check_closest(check, bits, n, text);
    if (n.count > 1)
        check_shortest(check, bits, n, text);
    if (deep)
        check_printf_loop(check, bits, n, text);
}

int main(int argc, char **argv)
{
    uint64_t stride = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    if (stride == 0) {
        fprintf(stderr, "usage: f32_all [STRIDE [FIRST]]\n");
        return 2;
    }
    struct check check = {0};
    for (size_t i = 0; i < sizeof check.powers / sizeof *check.powers; i++) {
        char text[16];
        snprintf(text, sizeof text, "1e%d", (int)i + POWER_MIN);
        check.powers[i] = strtod(text, NULL);
    }
    uint64_t patterns = 0;
    for (uint64_t bits = first; bits <= UINT32_MAX; bits += stride)
        check_pattern(&check, (uint32_t)bits, patterns++ % (stride < DEEP ? DEEP : 1) == 0);
    printf("f32_all: %" PRIu64 " patterns, %" PRIu64 " faults\n", patterns, check.faults);
    return check.faults ? 1 : 0;
}
