/* SPDX-License-Identifier: MIT */
/* Bit fields of fixed records made of 32-bit words. Their texts: anm/field_text.h. */
#ifndef ANM_FIELD_H
#define ANM_FIELD_H

#include <stdbool.h>
#include <stdint.h>

/* How a field's number is written. */
enum anm_form {
    ANM_FORM_INT,    /* decimal */
    ANM_FORM_HEX,    /* 0x and lower-case digits */
    ANM_FORM_TIMES,  /* decimal, `unit` times the stored number */
    ANM_FORM_PARTS,  /* exact decimal of the stored number divided by `unit`, a power of two: 4096 -> 1, 2048 -> 0.5 */
    ANM_FORM_DEGREES /* exact decimal of the stored number times 360 / 4096 */
};

/* One field: where its bits are, since which version of the format they mean this, and how it is written. */
struct anm_field {
    const char *name;    /* as the format's documents call it: "TPN" */
    const char *key;     /* its word in the text ("page"), or NULL; fields of one key stand in one value: ofs=X,Y */
    const char *meaning; /* in a few words, for the manual */
    uint8_t word, bit, width;
    bool is_signed;
    uint8_t since; /* first version of the format that has it */
    uint8_t form;  /* enum anm_form */
    uint16_t unit;
};

/* The field's bits, at the bottom of a word. */
static inline uint32_t anm_field_mask(const struct anm_field *field)
{
    return (1u << field->width) - 1; /* no field is a whole word */
}

/* The value, sign-extended where the field is signed. */
static inline int32_t anm_field_get(const struct anm_field *field, const uint32_t *words)
{
    uint32_t bits = words[field->word] >> field->bit & anm_field_mask(field);
    uint32_t sign = field->is_signed ? 1u << (field->width - 1) : 0;
    return (int32_t)(bits ^ sign) - (int32_t)sign;
}

/* Sets it; bits that do not fit are cut. */
static inline void anm_field_set(const struct anm_field *field, uint32_t *words, int32_t value)
{
    uint32_t mask = anm_field_mask(field) << field->bit;
    words[field->word] = (words[field->word] & ~mask) | ((uint32_t)value << field->bit & mask);
}

/* The smallest and the largest value, as stored. */
static inline int32_t anm_field_min(const struct anm_field *field)
{
    return field->is_signed ? -(int32_t)(1u << (field->width - 1)) : 0;
}
static inline int32_t anm_field_max(const struct anm_field *field)
{
    return (int32_t)(anm_field_mask(field) >> field->is_signed);
}

#endif
