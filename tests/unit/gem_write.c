/* SPDX-License-Identifier: MIT */
#include "gem_build.h"

#include <string.h>

void gem_build_start(struct anm_buf *out, uint32_t version)
{
    anm_buf_puts(out, "EANM");
    anm_buf_u32le(out, version);
}

void gem_build_frms(struct anm_buf *out, uint32_t length)
{
    anm_buf_puts(out, "FRMS");
    anm_buf_u32le(out, length);
}

void gem_build_header(struct anm_buf *out, uint32_t version, uint32_t length)
{
    gem_build_start(out, version);
    gem_build_frms(out, length);
}

void gem_build_cmnt(struct anm_buf *out, const char *text)
{
    anm_buf_puts(out, "CMNT");
    anm_buf_u16le(out, (uint16_t)strlen(text));
    anm_buf_puts(out, text);
}

void gem_build_bmap(struct anm_buf *out, enum gem_coding coding, const char *const *names)
{
    uint32_t count = 0;
    while (names[count])
        count++;
    anm_buf_puts(out, "BMAP");
    anm_buf_u32le(out, count);
    for (uint32_t i = 0; i < count; i++) {
        if (coding == GEM_STRING32)
            anm_buf_u32le(out, (uint32_t)strlen(names[i]));
        else
            anm_buf_u8(out, (uint8_t)strlen(names[i]));
        anm_buf_puts(out, names[i]);
    }
}

static void put_floats(struct anm_buf *out, const float *values, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        anm_buf_u32le(out, bits);
    }
}

void gem_build_frmn(struct anm_buf *out, uint32_t number)
{
    anm_buf_puts(out, "FRMN");
    anm_buf_u32le(out, number);
}

void gem_build_bone(struct anm_buf *out, uint32_t index)
{
    anm_buf_puts(out, "BONE");
    anm_buf_u32le(out, index);
}

void gem_build_matr(struct anm_buf *out, const float matrix[12])
{
    anm_buf_puts(out, "MATR");
    put_floats(out, matrix, 12);
}

void gem_build_visi(struct anm_buf *out, uint32_t number)
{
    anm_buf_puts(out, "VISI");
    anm_buf_u32le(out, number);
}

void gem_build_mesh(struct anm_buf *out, const char *bytes)
{
    anm_buf_puts(out, "MESH");
    gem_build_mesh_data(out, bytes);
}

void gem_build_frm2(struct anm_buf *out, uint16_t number, uint8_t keys)
{
    anm_buf_puts(out, "FRM2");
    anm_buf_u16le(out, number);
    anm_buf_u8(out, keys);
}

void gem_build_frm3(struct anm_buf *out, uint32_t number, unsigned width, uint8_t keys)
{
    anm_buf_puts(out, "FRM3");
    for (unsigned i = 0; i < width; i++)
        anm_buf_u8(out, (uint8_t)(number >> 8 * i));
    anm_buf_u8(out, keys);
}

void gem_build_key(struct anm_buf *out, uint8_t bone, uint16_t flags)
{
    anm_buf_u8(out, bone);
    anm_buf_u16le(out, flags);
}

void gem_build_vector(struct anm_buf *out, float x, float y, float z)
{
    const float values[] = {x, y, z};
    put_floats(out, values, 3);
}

void gem_build_mesh_data(struct anm_buf *out, const char *bytes)
{
    anm_buf_u32le(out, (uint32_t)strlen(bytes));
    anm_buf_puts(out, bytes);
}

void gem_build_everything(struct anm_buf *out)
{
    static const float matrix[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 2, 3};
    gem_build_start(out, 0x00060001);
    gem_build_frms(out, 300);
    gem_build_cmnt(out, "hello");
    gem_build_bmap(out, GEM_STRING8, (const char *[]){"body", "gun", NULL});
    gem_build_frmn(out, 0);
    gem_build_bone(out, 1);
    gem_build_matr(out, matrix);
    gem_build_visi(out, 1);
    gem_build_mesh(out, "mesh");
    gem_build_matr(out, matrix);
    gem_build_bone(out, 0);
    gem_build_frm2(out, 7, 2);
    gem_build_key(out, 0, GEM_POSITION | GEM_ORIENTATION | GEM_SCALE | GEM_MESH | GEM_SHOW);
    gem_build_vector(out, 1, 2, 3);
    gem_build_vector(out, 0.5f, 0, 0);
    gem_build_vector(out, 1, 1, 2);
    gem_build_mesh_data(out, "data");
    gem_build_key(out, 1, GEM_HIDE);
    gem_build_frm3(out, 299, 2, 1);
    gem_build_key(out, 1, GEM_ORIENTATION | GEM_MIRRORED);
    gem_build_vector(out, -0.0f, 0, 0.25f);
}
