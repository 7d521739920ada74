/* SPDX-License-Identifier: MIT */
/* The bit fields of the PlayStation records, described once: the tables drive the reading and writing of bits, the texts and the
 * check of the man page. */
#ifndef ANM_PSX_FIELDS_H
#define ANM_PSX_FIELDS_H

#include "anm/field.h"
#include "anm/psx.h"

/* Numbers of the rows of psx_sprite_fields, in the order of the bits in the file (psx 1.4). */
enum psx_sprite_field {
    PSX_U,
    PSX_V,
    PSX_OFS_X,
    PSX_OFS_Y,
    PSX_CLX,
    PSX_CLY,
    PSX_ABE,
    PSX_TPN,
    PSX_ABR,
    PSX_TPF,
    PSX_FLAG_9,
    PSX_RSZ,
    PSX_ROT,
    PSX_THW,
    PSX_W,
    PSX_H,
    PSX_ANGLE,
    PSX_FIRST,
    PSX_FLAG2_1, /* bits 1..7 of FLAG2 */
    PSX_CSN,
    PSX_BNO,
    PSX_SCALE_X,
    PSX_SCALE_Y,
    PSX_SPRITE_FIELDS
};

/* Rows of psx_entry_fields (psx 1.3). */
enum psx_entry_field { PSX_GROUP, PSX_TIME, PSX_UNUSED, PSX_ATTR, PSX_X, PSX_Y, PSX_ENTRY_FIELDS };

extern const struct anm_field psx_sprite_fields[PSX_SPRITE_FIELDS];
extern const struct anm_field psx_entry_fields[PSX_ENTRY_FIELDS];

/* A field's value, signed where the field is. */
static inline int32_t psx_sprite_get(const struct psx_sprite *sprite, enum psx_sprite_field field)
{
    return anm_field_get(&psx_sprite_fields[field], sprite->w);
}
static inline void psx_sprite_set(struct psx_sprite *sprite, enum psx_sprite_field field, int32_t value)
{
    anm_field_set(&psx_sprite_fields[field], sprite->w, value);
}
static inline int32_t psx_entry_get(const struct psx_entry *entry, enum psx_entry_field field)
{
    return anm_field_get(&psx_entry_fields[field], entry->w);
}
static inline void psx_entry_set(struct psx_entry *entry, enum psx_entry_field field, int32_t value)
{
    anm_field_set(&psx_entry_fields[field], entry->w, value);
}

#endif
