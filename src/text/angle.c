/* SPDX-License-Identifier: MIT */
#include "anm/num.h"

#include "digits.h"

#include <math.h>
#include <string.h>

#define SUFFIX "deg"
#define SUFFIX_SIZE 3
#define ENOUGH 9 /* decimal digits tell any two floats apart */

static const double degree = 0.017453292519943295; /* in radians */

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

enum anm_num anm_angle_parse(const char *text, size_t size, uint32_t *bits)
{
    double degrees;
    if (size <= SUFFIX_SIZE || memcmp(text + size - SUFFIX_SIZE, SUFFIX, SUFFIX_SIZE) != 0)
        return anm_f32_parse(text, size, bits);
    enum anm_num result = anm_f64_parse(text, size - SUFFIX_SIZE, &degrees);
    if (result != ANM_NUM_OK)
        return result;
    if (!isfinite(degrees))
        return ANM_NUM_SYNTAX; /* infinity and NaN have no unit */
    float radians = (float)(degrees * degree);
    *bits = bits_of(radians);
    return isfinite(radians) ? ANM_NUM_OK : ANM_NUM_OVERFLOW;
}

/* Writes |degrees| with `count` digits. */
static size_t print_rounded(char *out, double degrees, int count)
{
    int exponent = (int)floor(log10(degrees)) + 1 - count;
    double digits = round(degrees * pow(10, -exponent));
    double limit = pow(10, count);
    if (digits < 1) /* log10 was a little too high */
        digits = 1;
    if (digits >= limit) {
        digits = round(digits / 10);
        exponent++;
    }
    return anm_decimal_print(out, (uint32_t)digits, exponent);
}

size_t anm_angle_print(char out[ANM_F32_MAX + 3], uint32_t bits)
{
    float radians;
    memcpy(&radians, &bits, sizeof radians);
    size_t sign = bits >> 31;
    if (!isfinite(radians))
        return anm_f32_print(out, bits);
    out[0] = '-';
    if (fpclassify(radians) == FP_ZERO) {
        memcpy(out + sign, "0" SUFFIX, 1 + SUFFIX_SIZE);
        return sign + 1 + SUFFIX_SIZE;
    }
    size_t size = 0;
    uint32_t back = ~bits;
    for (int count = 1; back != bits && count <= ENOUGH; count++) {
        size = sign + print_rounded(out + sign, fabs((double)radians) / degree, count);
        memcpy(out + size, SUFFIX, SUFFIX_SIZE);
        size += SUFFIX_SIZE;
        anm_angle_parse(out, size, &back);
    }
    return size;
}
