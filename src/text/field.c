/* SPDX-License-Identifier: MIT */
#include "anm/field_text.h"

#include "anm/num.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The digits of value / 2^shift, all of them. */
static void put_parts(struct anm_buf *out, int64_t value, unsigned shift)
{
    uint64_t rest = (uint64_t)(value < 0 ? -value : value), mask = (1ull << shift) - 1;
    anm_buf_printf(out, "%s%llu", value < 0 ? "-" : "", (unsigned long long)(rest >> shift));
    rest &= mask;
    if (rest)
        anm_buf_putc(out, '.');
    for (; rest; rest &= mask) {
        rest *= 10;
        anm_buf_putc(out, (char)('0' + (rest >> shift)));
    }
}

static unsigned log2_of(unsigned unit)
{
    unsigned shift = 0;
    while (1u << shift < unit)
        shift++;
    return shift;
}

#define DEGREES_SHIFT 9 /* 360 / 4096 = 45 / 2^9 */

void anm_field_put(struct anm_buf *out, const struct anm_field *field, int32_t value)
{
    switch (field->form) {
    case ANM_FORM_HEX:
        anm_buf_printf(out, "0x%x", (unsigned)value * field->unit);
        break;
    case ANM_FORM_PARTS:
        put_parts(out, value, log2_of(field->unit));
        break;
    case ANM_FORM_DEGREES:
        put_parts(out, (int64_t)value * 45, DEGREES_SHIFT);
        break;
    default:
        anm_buf_printf(out, "%d", value * field->unit);
        break;
    }
}

/* Reads a decimal with a fraction exactly, as *value times 2^shift. False when it is none, or has a smaller part than that. */
static bool read_parts(const char *text, size_t size, unsigned shift, int64_t *value)
{
    size_t i = size > 0 && (*text == '-' || *text == '+');
    bool minus = i && *text == '-', any = false;
    int64_t whole = 0;
    for (; i < size && text[i] >= '0' && text[i] <= '9' && whole < 1000000; i++, any = true)
        whole = whole * 10 + (text[i] - '0');
    int64_t power = 1, part = 0; /* the fraction is part / power */
    if (i < size && text[i] == '.')
        for (i++; i < size && text[i] >= '0' && text[i] <= '9'; i++, any = true) {
            if (power >= 1000000000000000) {
                if (text[i] != '0')
                    return false;
                continue;
            }
            power *= 10;
            part = part * 10 + (text[i] - '0');
        }
    while (power > 1 && part % 10 == 0) {
        part /= 10;
        power /= 10;
    }
    /* Of 12 digits or fewer, so that this cannot overflow: 2^-12 has no more. */
    if (!any || i < size || power > 1000000000000 || (part << shift) % power)
        return false;
    *value = (whole << shift) + (part << shift) / power;
    *value = minus ? -*value : *value;
    return true;
}

/* A whole number with a sign, or hexadecimal. */
static bool read_whole(const char *text, size_t size, int64_t *value)
{
    uint32_t number;
    bool minus = size > 0 && *text == '-';
    if (anm_u32_parse(text + minus, size - minus, INT32_MAX, &number) != ANM_NUM_OK)
        return false;
    *value = minus ? -(int64_t)number : (int64_t)number;
    return true;
}

/* The range a field's text can have. */
static int expected(const struct anm_field *field, char why[128])
{
    struct anm_buf low = {0}, high = {0};
    anm_field_put(&low, field, anm_field_min(field));
    anm_field_put(&high, field, anm_field_max(field));
    const char *from = anm_buf_cstr(&low), *to = anm_buf_cstr(&high);
    char unit[32] = "a number";
    if (field->form == ANM_FORM_INT)
        strcpy(unit, "a whole number");
    else if (field->unit > 1 && field->form != ANM_FORM_PARTS)
        snprintf(unit, sizeof unit, "a multiple of %u", (unsigned)field->unit);
    snprintf(why, 128, "expected %s from %s to %s%s", unit, from ? from : "?", to ? to : "?",
             field->form == ANM_FORM_PARTS     ? " in steps of 1/4096"
             : field->form == ANM_FORM_DEGREES ? " in steps of 360/4096"
                                               : "");
    anm_buf_free(&low);
    anm_buf_free(&high);
    return -1;
}

int anm_field_parse(const struct anm_field *field, const char *text, size_t size, int32_t *value, char why[128])
{
    int64_t number = 0, unit = field->form == ANM_FORM_DEGREES ? 45 : field->form == ANM_FORM_PARTS ? 1 : field->unit;
    bool read = field->form == ANM_FORM_PARTS     ? read_parts(text, size, log2_of(field->unit), &number)
                : field->form == ANM_FORM_DEGREES ? read_parts(text, size, DEGREES_SHIFT, &number)
                                                  : read_whole(text, size, &number);
    if (!read || number % unit || number / unit < anm_field_min(field) || number / unit > anm_field_max(field))
        return expected(field, why);
    *value = (int32_t)(number / unit);
    return 0;
}
