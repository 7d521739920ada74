/* SPDX-License-Identifier: MIT */
#include "suites.h"

#include "../../src/text/exact.h"
#include "anm/num.h"

#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* Texts are handed over in a block of just their size, so that a sanitizer sees any reading beyond. */
static enum anm_num parse_f32(const char *text, uint32_t *bits)
{
    size_t size = strlen(text);
    char *copy = malloc(size ? size : 1);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, text, size);
    enum anm_num result = anm_f32_parse(copy, size, bits);
    free(copy);
    return result;
}

static uint32_t to_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float to_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t random_next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33 ^ *state << 20;
}

static void expect_print(uint32_t bits, const char *expected)
{
    char text[ANM_F32_MAX];
    memset(text, '#', sizeof text);
    size_t size = anm_f32_print(text, bits);
    ck_assert_msg(size == strlen(expected) && memcmp(text, expected, size) == 0, "%08" PRIx32 ": %.*s, not %s", bits,
                  (int)size, text, expected);
    uint32_t back = ~bits;
    ck_assert_int_eq(parse_f32(expected, &back), ANM_NUM_OK);
    ck_assert_msg(back == bits, "%s: %08" PRIx32 ", not %08" PRIx32, expected, back, bits);
}

START_TEST(print_notation)
{
    static const struct {
        float value;
        const char *text;
    } cases[] = {
        {0.0f, "0"},
        {-0.0f, "-0"},
        {1.0f, "1"},
        {-1.25f, "-1.25"},
        {0.1f, "0.1"},
        {10.0f, "10"},
        {100.5f, "100.5"},
        {0.001f, "0.001"},
        {0x1.921fb6p+1f, "3.1415927"},
        {1e-5f, "0.00001"},
        {-1.2345678e-5f, "-0.000012345678"},
        {9.999999e-6f, "9.999999e-6"},
        {1e-7f, "1e-7"},
        {16777216.0f, "16777216"},
        {123456789.0f, "123456790"},
        {999999936.0f, "999999940"},
        {1e9f, "1e9"},
        {1.5e12f, "1.5e12"},
        {-1e10f, "-1e10"},
        {0x1p-149f, "1e-45"},
        {0x1p-126f, "1.1754944e-38"},
        {0x1.fffffep+127f, "3.4028235e38"},
        {0x1p-103f, "9.8607613e-32"},
        {0x1p87f, "1.5474251e26"},
        {INFINITY, "inf"},
        {-INFINITY, "-inf"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        expect_print(to_bits(cases[i].value), cases[i].text);
    expect_print(0x7fc00000, "nan");
    expect_print(0xffc00000, "nan:ffc00000");
    expect_print(0x7f800001, "nan:7f800001");
    expect_print(0xffffffff, "nan:ffffffff");
}
END_TEST

/* Digits of a number without sign, point, exponent and zeros around. */
static int count_digits(const char *text)
{
    int count = 0, zeros = 0;
    for (const char *p = text; *p && *p != 'e'; p++) {
        if (*p == '0' && count > 0)
            zeros++;
        if (*p >= '1' && *p <= '9') {
            count += zeros + 1;
            zeros = 0;
        }
    }
    return count;
}

static void expect_shortest(uint32_t bits)
{
    char text[ANM_F32_MAX + 1], other[64];
    text[anm_f32_print(text, bits)] = 0;
    ck_assert_msg(to_bits(strtof(text, NULL)) == bits, "%08" PRIx32 ": %s", bits, text);
    int digits = 0;
    do
        snprintf(other, sizeof other, "%.*e", digits++, (double)to_float(bits));
    while (to_bits(strtof(other, NULL)) != bits);
    ck_assert_msg(count_digits(text) <= count_digits(other), "%s is longer than %s", text, other);
    if (count_digits(text) == count_digits(other))
        ck_assert_msg(strtod(text, NULL) == strtod(other, NULL), "%s is not as close as %s", text, other);
}

/* Every binary exponent: the power of two, where the spacing changes, its neighbours, and some between. */
START_TEST(print_is_shortest)
{
    uint64_t state = 7;
    for (uint32_t biased = 0; biased < 255; biased++) {
        uint32_t power = biased << 23;
        if (power)
            expect_shortest(power);
        expect_shortest(power + 1);
        expect_shortest(power + 0x7fffff);
        for (int i = 0; i < 60; i++)
            expect_shortest(0x80000000 | power | (1 + (uint32_t)random_next(&state) % 0x7fffff));
    }
}
END_TEST

/* 10^k by its definition. 10^k is 5^k but for a power of two, and 5^45 has 105 bits; for k below 0 the bits of 2^n / 5^-k
 * come one by one. */
START_TEST(power_table)
{
    for (int k = ANM_POW10_MIN; k <= ANM_POW10_MAX; k++) {
        unsigned __int128 five = 1;
        for (int i = 0; i < abs(k); i++)
            five *= 5;
        uint64_t cut = 0;
        if (k >= 0) {
            while (five < (unsigned __int128)1 << 127)
                five <<= 1;
            cut = (uint64_t)(five >> 64);
        }
        for (unsigned __int128 rest = 1; k < 0 && !(cut >> 63);) {
            rest *= 2;
            cut = cut << 1 | (rest >= five);
            rest -= rest >= five ? five : 0;
        }
        ck_assert_msg(anm_pow10[k - ANM_POW10_MIN] == cut + 1, "10^%d", k);
    }
}
END_TEST

START_TEST(parse_accepts)
{
    static const struct {
        const char *text;
        uint32_t bits;
    } cases[] = {
        {"0", 0},
        {"-0", 0x80000000},
        {"+0.0e5", 0},
        {"1", 0x3f800000},
        {"+1", 0x3f800000},
        {"01.50", 0x3fc00000},
        {".5", 0x3f000000},
        {"5.", 0x40a00000},
        {"-5.E-1", 0xbf000000},
        {"1e+2", 0x42c80000},
        {"0x1.8p3", 0x41400000},
        {"-0X.8P+1", 0xbf800000},
        {"0xff", 0x437f0000},
        {"0x1.000001p0", 0x3f800000},
        {"0x1.0000010000000000000000001p0", 0x3f800001},
        {"0x1.000003p0", 0x3f800002},
        {"0x1p-149", 1},
        {"0x1p-150", 0},
        {"0x1.00000000000000001p-150", 1},
        {"0x3p-150", 2},
        {"0x1p-99999999999999999999", 0},
        {"0x0p99999999999999999999", 0},
        {"0x0.ffffffp-126", 0x00800000},
        {"3.4028235677973366e38", 0x7f7fffff},
        {"1e-45", 1},
        {"7.006492321624085e-46", 0},
        {"7.0064923216240853546186479164495806564013097093825788587853e-46", 0},
        {"7.00649232162408535461864791644958065640130970938257885878534141944895541342930300743319094181060791015625e-"
         "46",
         0},
        {"7.00649232162408535461864791644958065640130970938257885878534141944895541342930300743319094181060791015626e-"
         "46",
         1},
        {"1e-99999999999999999999", 0},
        {"-1e-50", 0x80000000},
        {"0e99999999999999999999", 0},
        {"16777217", 0x4b800000},
        {"16777217.0000000000000000000000000000000000001", 0x4b800001},
        {"16777219", 0x4b800002},
        {"000000000000000000000000000000000000000001", 0x3f800000},
        {"100000000000000000000000000000000000000000e-41", 0x3f800000},
        {"inf", 0x7f800000},
        {"-Infinity", 0xff800000},
        {"+INF", 0x7f800000},
        {"NaN", 0x7fc00000},
        {"-nan", 0xffc00000},
        {"nan:7F800001", 0x7f800001},
        {"nan:7fc00000", 0x7fc00000},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        uint32_t bits = ~cases[i].bits;
        ck_assert_msg(parse_f32(cases[i].text, &bits) == ANM_NUM_OK, "%s", cases[i].text);
        ck_assert_msg(bits == cases[i].bits, "%s: %08" PRIx32, cases[i].text, bits);
    }
}
END_TEST

START_TEST(parse_refuses)
{
    static const struct {
        const char *text;
        enum anm_num result;
    } cases[] = {
        {"", ANM_NUM_SYNTAX},
        {"-", ANM_NUM_SYNTAX},
        {".", ANM_NUM_SYNTAX},
        {"+-1", ANM_NUM_SYNTAX},
        {"1 ", ANM_NUM_SYNTAX},
        {" 1", ANM_NUM_SYNTAX},
        {"1e", ANM_NUM_SYNTAX},
        {"1e+", ANM_NUM_SYNTAX},
        {"1e5.", ANM_NUM_SYNTAX},
        {"e5", ANM_NUM_SYNTAX},
        {"1.2.3", ANM_NUM_SYNTAX},
        {"1f", ANM_NUM_SYNTAX},
        {"0x", ANM_NUM_SYNTAX},
        {"0x.", ANM_NUM_SYNTAX},
        {"0xp1", ANM_NUM_SYNTAX},
        {"0x1.2.3", ANM_NUM_SYNTAX},
        {"0x1p", ANM_NUM_SYNTAX},
        {"0x1g", ANM_NUM_SYNTAX},
        {"infinit", ANM_NUM_SYNTAX},
        {"infinityy", ANM_NUM_SYNTAX},
        {"nan:", ANM_NUM_SYNTAX},
        {"nan:7f800000", ANM_NUM_SYNTAX},
        {"nan:3f800000", ANM_NUM_SYNTAX},
        {"nan:7f80000g", ANM_NUM_SYNTAX},
        {"-nan:7f800001", ANM_NUM_SYNTAX},
        {"nan\x1a"
         "7f800001",
         ANM_NUM_SYNTAX},
        {"nan(1)", ANM_NUM_SYNTAX},
        {"\xc2\xbd", ANM_NUM_SYNTAX},
        {"12,5", ANM_NUM_COMMA},
        {"-,5", ANM_NUM_COMMA},
        {"1,5e3", ANM_NUM_COMMA},
        {"1,", ANM_NUM_SYNTAX},
        {",", ANM_NUM_SYNTAX},
        {"1,2,3", ANM_NUM_SYNTAX},
        {"1,000.5", ANM_NUM_SYNTAX},
        {"1e40", ANM_NUM_OVERFLOW},
        {"-1e40", ANM_NUM_OVERFLOW},
        {"1e99999999999999999999", ANM_NUM_OVERFLOW},
        {"0x1p128", ANM_NUM_OVERFLOW},
        {"0x1.ffffffp127", ANM_NUM_OVERFLOW},
        {"0x1p99999999999999999999", ANM_NUM_OVERFLOW},
        {"0x1.8p128", ANM_NUM_OVERFLOW},
        {"1e18446744073709551616", ANM_NUM_OVERFLOW},
        {"340282356779733661637539395458142568448", ANM_NUM_OVERFLOW},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        uint32_t bits = 0x12345678;
        double wide = 0.5;
        const char *text = cases[i].text;
        ck_assert_msg(parse_f32(text, &bits) == cases[i].result, "%s", text);
        ck_assert_msg(bits == 0x12345678, "%s: written to in spite of the failure", text);
        if (cases[i].result != ANM_NUM_OVERFLOW)
            ck_assert_msg(anm_f64_parse(text, strlen(text), &wide) == cases[i].result && wide == 0.5, "%s", text);
    }
    uint32_t bits;
    ck_assert_int_eq(anm_f32_parse("1\0", 2, &bits), ANM_NUM_SYNTAX);
}
END_TEST

/* Any spelling means to us what it means to the C library. */
static void expect_as_library(const char *text)
{
    uint32_t bits = 0, expected = to_bits(strtof(text, NULL));
    enum anm_num result = parse_f32(text, &bits);
    if ((expected & 0x7fffffff) == 0x7f800000)
        ck_assert_msg(result == ANM_NUM_OVERFLOW, "%s", text);
    else
        ck_assert_msg(result == ANM_NUM_OK && bits == expected, "%s: %08" PRIx32, text, bits);

    double wide = 0, library = strtod(text, NULL);
    result = anm_f64_parse(text, strlen(text), &wide);
    if (isinf(library))
        ck_assert_msg(result == ANM_NUM_OVERFLOW, "%s", text);
    else
        ck_assert_msg(result == ANM_NUM_OK && wide == library && signbit(wide) == signbit(library), "%s: %a", text,
                      wide);
}

START_TEST(parse_random_digits)
{
    uint64_t state = 3;
    for (int i = 0; i < 4000; i++) {
        char text[1200];
        size_t size = 0, digits = 1 + random_next(&state) % (i % 50 ? 25 : 1000);
        size_t point = random_next(&state) % (digits + 1);
        if (random_next(&state) % 2)
            text[size++] = '-';
        for (size_t j = 0; j < digits; j++) {
            if (j == point)
                text[size++] = '.';
            text[size++] = (char)('0' + random_next(&state) % 10);
        }
        int exponent = (int)(random_next(&state) % 700) - 350;
        snprintf(text + size, sizeof text - size, "e%d", i % 3 ? exponent / 7 : exponent);
        expect_as_library(text);
    }
}
END_TEST

/* Exactly between two neighbours, a little below, a little above: in all digits there are, and in hexadecimal. */
START_TEST(parse_middles)
{
    uint64_t state = 5;
    for (int i = 0; i < 3000; i++) {
        char text[1200];
        uint32_t bits = (uint32_t)(random_next(&state) % 0x7f7fffff);
        double low = (double)to_float(bits), high = (double)to_float(bits + 1);
        double middle = (low + high) / 2;
        const double cases[] = {middle, nextafter(middle, low), nextafter(middle, high)};
        for (size_t j = 0; j < LENGTH(cases); j++) {
            snprintf(text, sizeof text, "%.200e", cases[j]);
            expect_as_library(text);
            text[strcspn(text, "e") - 1] = '1';
            expect_as_library(text);
            snprintf(text, sizeof text, "%a", cases[j]);
            expect_as_library(text);
        }
    }
}
END_TEST

/* The same for doubles: their middles as long doubles where those have the bits. */
START_TEST(parse_middles_f64)
{
    static const char *const cases[] = {"9007199254740993",
                                        "9007199254740993.00000000000000000000000000000000001",
                                        "9007199254740992.99999999999999999999999999999999999",
                                        "2.2250738585072011e-308",
                                        "2.2250738585072012e-308",
                                        "4.9e-324",
                                        "2.4703282292062327e-324",
                                        "2.4703282292062328e-324",
                                        "1.7976931348623157e308",
                                        "1.797693134862315807e308",
                                        "1.797693134862315808e308",
                                        "0x1.fffffffffffff7p1023",
                                        "0x1.fffffffffffff8p1023",
                                        "0x1.8p1024",
                                        "0x1p-1075",
                                        "0x1.8p-1074",
                                        "90",
                                        "0.1",
                                        "57.295779513082323",
                                        "1e23",
                                        "8.5e-30",
                                        "123456789012345678901234567890"};
    for (size_t i = 0; i < LENGTH(cases); i++)
        expect_as_library(cases[i]);
    uint64_t state = 11;
    for (int i = 0; i < 1000; i++) {
        char text[2000];
        uint64_t pattern = random_next(&state) << 30 ^ random_next(&state);
        double low;
        pattern &= UINT64_C(0x7fffffffffffffff);
        memcpy(&low, &pattern, sizeof low);
        if (!isfinite(low))
            continue;
        snprintf(text, sizeof text, "%.1100Lg", ((long double)low + (long double)nextafter(low, INFINITY)) / 2);
        expect_as_library(text);
    }
}
END_TEST

/* Length alone must not break anything: the value is in the digits and the exponent together. */
START_TEST(parse_very_long)
{
    const size_t zeros = 1 << 20;
    char *text = malloc(zeros + 32);
    ck_assert_ptr_nonnull(text);
    uint32_t bits = 0;
    memset(text, '0', zeros);
    memcpy(text, "0.", 2);
    int size = snprintf(text + zeros, 32, "1e%zu", zeros - 1);
    ck_assert_int_eq(anm_f32_parse(text, zeros + (size_t)size, &bits), ANM_NUM_OK);
    ck_assert_uint_eq(bits, 0x3f800000);
    text[0] = '1';
    text[1] = '0';
    size = snprintf(text + zeros, 32, "e-%zu", zeros - 1);
    ck_assert_int_eq(anm_f32_parse(text, zeros + (size_t)size, &bits), ANM_NUM_OK);
    ck_assert_uint_eq(bits, 0x3f800000);
    /* The last of a million digits decides. */
    memcpy(text, "16777217.", 9);
    memcpy(text + zeros, "1", 1);
    ck_assert_int_eq(anm_f32_parse(text, zeros, &bits), ANM_NUM_OK);
    ck_assert_uint_eq(bits, 0x4b800000);
    ck_assert_int_eq(anm_f32_parse(text, zeros + 1, &bits), ANM_NUM_OK);
    ck_assert_uint_eq(bits, 0x4b800001);
    free(text);
}
END_TEST

START_TEST(words_f64)
{
    double value = 0;
    ck_assert_int_eq(anm_f64_parse("-inf", 4, &value), ANM_NUM_OK);
    ck_assert(value == -INFINITY);
    ck_assert_int_eq(anm_f64_parse("nan:ffc00001", 12, &value), ANM_NUM_OK);
    ck_assert(isnan(value) && signbit(value));
    ck_assert_int_eq(anm_f64_parse("-0", 2, &value), ANM_NUM_OK);
    ck_assert(value == 0 && signbit(value));
    ck_assert_int_eq(anm_f64_parse("1e309", 5, &value), ANM_NUM_OVERFLOW);
}
END_TEST

START_TEST(whole_numbers)
{
    static const struct {
        const char *text;
        uint32_t max;
        enum anm_num result;
        uint32_t value;
    } cases[] = {
        {"0", 0, ANM_NUM_OK, 0},
        {"007", 255, ANM_NUM_OK, 7},
        {"255", 255, ANM_NUM_OK, 255},
        {"256", 255, ANM_NUM_OVERFLOW, 0},
        {"4294967295", UINT32_MAX, ANM_NUM_OK, UINT32_MAX},
        {"4294967296", UINT32_MAX, ANM_NUM_OVERFLOW, 0},
        {"18446744073709551617", UINT32_MAX, ANM_NUM_OVERFLOW, 0},
        {"99999999999999999999999999999", UINT32_MAX, ANM_NUM_OVERFLOW, 0},
        {"0x1F", 255, ANM_NUM_OK, 31},
        {"0Xffffffff", UINT32_MAX, ANM_NUM_OK, UINT32_MAX},
        {"0x100000000", UINT32_MAX, ANM_NUM_OVERFLOW, 0},
        {"-1", 255, ANM_NUM_NEGATIVE, 0},
        {"-0", 255, ANM_NUM_NEGATIVE, 0},
        {"12,5", 255, ANM_NUM_COMMA, 0},
        {"1.5", 255, ANM_NUM_SYNTAX, 0},
        {"1e2", 255, ANM_NUM_SYNTAX, 0},
        {"+1", 255, ANM_NUM_SYNTAX, 0},
        {"", 255, ANM_NUM_SYNTAX, 0},
        {"-", 255, ANM_NUM_SYNTAX, 0},
        {"0x", 255, ANM_NUM_SYNTAX, 0},
        {"1f", 255, ANM_NUM_SYNTAX, 0},
        {"-x", 255, ANM_NUM_SYNTAX, 0},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        uint32_t value = 77;
        ck_assert_msg(anm_u32_parse(cases[i].text, strlen(cases[i].text), cases[i].max, &value) == cases[i].result,
                      "%s", cases[i].text);
        ck_assert_msg(value == (cases[i].result == ANM_NUM_OK ? cases[i].value : 77), "%s", cases[i].text);
    }
    static const uint32_t values[] = {0, 9, 10, 99, 100, 4294967295};
    for (size_t i = 0; i < LENGTH(values); i++) {
        char text[10], expected[16];
        int size = snprintf(expected, sizeof expected, "%" PRIu32, values[i]);
        ck_assert_uint_eq(anm_u32_print(text, values[i]), (size_t)size);
        ck_assert_mem_eq(text, expected, (size_t)size);
    }
}
END_TEST

/* Under a locale with a decimal comma, and under one where "I" and "i" are no pair. */
START_TEST(locale_is_ignored)
{
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "tr_TR.UTF-8", "de_DE", "tr_TR"};
    bool any = false;
    for (size_t i = 0; i < LENGTH(names); i++) {
        if (!setlocale(LC_ALL, names[i]))
            continue;
        any = true;
        expect_print(0x3fc00000, "1.5");
        uint32_t bits = 0;
        ck_assert_int_eq(parse_f32("INFINITY", &bits), ANM_NUM_OK);
        ck_assert_int_eq(parse_f32("7.006492321624085354618e-46", &bits), ANM_NUM_OK);
        ck_assert_int_eq(parse_f32("1,5", &bits), ANM_NUM_COMMA);
        double wide = 0;
        ck_assert_int_eq(anm_f64_parse("123456789.12345678901", 21, &wide), ANM_NUM_OK);
        ck_assert(wide == 123456789.12345678901);
    }
    setlocale(LC_ALL, "C");
    if (!any)
        printf("# skipped: num: no locale with a decimal comma here\n");
}
END_TEST

static void check_angle(uint32_t bits)
{
    char text[ANM_F32_MAX + 3];
    uint32_t back = ~bits;
    size_t size = anm_angle_print(text, bits);
    ck_assert_uint_lt(size, sizeof text);
    ck_assert_int_eq(anm_angle_parse(text, size, &back), ANM_NUM_OK);
    ck_assert_msg(back == bits, "%08x: %.*s reads back as %08x", bits, (int)size, text, back);
}

/* Every 4,099th float, both ends, and all around a right angle. */
START_TEST(degrees_read_back)
{
    for (uint64_t bits = 0; bits <= UINT32_MAX; bits += 4099)
        check_angle((uint32_t)bits);
    for (uint32_t bits = 0; bits < 1000; bits++) {
        check_angle(bits);
        check_angle(0x3fc90fdb - 500 + bits);
        check_angle(0x7f7fffff - bits);
        check_angle(0xff800000 + bits);
    }
}
END_TEST

START_TEST(degrees_are_short)
{
    static const struct {
        const char *text;
        uint32_t bits;
    } angles[] = {
        {"90deg", 0x3fc90fdb}, {"-180deg", 0xc0490fdb}, {"45deg", 0x3f490fdb}, {"0deg", 0},
        {"-0deg", 0x80000000}, {"0.1deg", 0x3ae4c388},  {"inf", 0x7f800000},   {"nan", 0x7fc00000},
    };
    for (size_t i = 0; i < sizeof angles / sizeof angles[0]; i++) {
        char text[ANM_F32_MAX + 3];
        uint32_t bits = 1;
        size_t size = anm_angle_print(text, angles[i].bits);
        ck_assert_msg(size == strlen(angles[i].text) && memcmp(text, angles[i].text, size) == 0, "%.*s, expected %s",
                      (int)size, text, angles[i].text);
        ck_assert_int_eq(anm_angle_parse(angles[i].text, strlen(angles[i].text), &bits), ANM_NUM_OK);
        ck_assert_uint_eq(bits, angles[i].bits);
    }
    uint32_t bits;
    ck_assert_int_eq(anm_angle_parse("1.5", 3, &bits), ANM_NUM_OK);
    ck_assert_uint_eq(bits, 0x3fc00000);
    ck_assert_int_eq(anm_angle_parse("1e99deg", 7, &bits), ANM_NUM_OVERFLOW);
    ck_assert_int_ne(anm_angle_parse("deg", 3, &bits), ANM_NUM_OK);
    ck_assert_int_ne(anm_angle_parse("infdeg", 6, &bits), ANM_NUM_OK);
    ck_assert_int_ne(anm_angle_parse("90 deg", 6, &bits), ANM_NUM_OK);
    ck_assert_int_eq(anm_angle_parse("1,5deg", 6, &bits), ANM_NUM_COMMA);
}
END_TEST

START_TEST(reasons)
{
    for (enum anm_num result = ANM_NUM_OK; result <= ANM_NUM_NEGATIVE; result++)
        ck_assert_int_gt((int)strlen(anm_num_reason(result)), 0);
    ck_assert_ptr_nonnull(strstr(anm_num_reason(ANM_NUM_COMMA), "'.'"));
}
END_TEST

Suite *num_suite(void)
{
    Suite *suite = suite_create("num");
    TCase *tcase = tcase_create("num");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, print_notation);
    tcase_add_test(tcase, print_is_shortest);
    tcase_add_test(tcase, power_table);
    tcase_add_test(tcase, parse_accepts);
    tcase_add_test(tcase, parse_refuses);
    tcase_add_test(tcase, parse_random_digits);
    tcase_add_test(tcase, parse_middles);
    tcase_add_test(tcase, parse_middles_f64);
    tcase_add_test(tcase, parse_very_long);
    tcase_add_test(tcase, words_f64);
    tcase_add_test(tcase, whole_numbers);
    tcase_add_test(tcase, locale_is_ignored);
    tcase_add_test(tcase, degrees_read_back);
    tcase_add_test(tcase, degrees_are_short);
    tcase_add_test(tcase, reasons);
    suite_add_tcase(suite, tcase);
    return suite;
}
