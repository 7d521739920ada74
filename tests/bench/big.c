/* SPDX-License-Identifier: MIT */
/* big FILE: writes an animation of the size of the largest ones known: 1,400 frames, 44 bones, 24,000 keys, 2.9 MB (of which
 * two thirds are the mesh of one bone). Always the same bytes. */
#include "anm/buf.h"
#include "anm/error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FRAMES = 1400, BONES = 44, KEYS = 24000, MESHES = 60, VERTICES = 850, STRIDE = 40 };

static void put_f32(struct anm_buf *out, double value)
{
    float f = (float)value;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    anm_buf_u32le(out, bits);
}

static void put_mesh(struct anm_buf *out, int frame)
{
    anm_buf_u32le(out, 8 + VERTICES * STRIDE + 8);
    anm_buf_u32le(out, 0);
    anm_buf_u16le(out, VERTICES);
    anm_buf_u16le(out, 0);
    for (int i = 0; i < VERTICES * STRIDE / 4; i++)
        put_f32(out, sin(frame * 0.1 + i));
    anm_buf_u32le(out, 0);
    anm_buf_u32le(out, 0);
}

static void put_key(struct anm_buf *out, int frame, int bone, bool mesh)
{
    bool position = (frame + bone) % 3 == 0;
    anm_buf_u8(out, (uint8_t)bone);
    anm_buf_u16le(out, (uint16_t)(2 | (position ? 1 : 0) | (frame == 0 ? 9 : 0) | (mesh ? 0x20 : 0)));
    for (int i = 0; (position || frame == 0) && i < 3; i++)
        put_f32(out, 10 * sin(frame * 0.05 + bone + i));
    for (int i = 0; i < 3; i++)
        put_f32(out, 0.5 * sin(frame * 0.03 + bone * 0.7 + i));
    if (mesh)
        put_mesh(out, frame);
}

int main(int argc, char **argv)
{
    ANM_AUTO(anm_buf_free) struct anm_buf out = {0};
    anm_buf_put(&out, "EANM\0\0\6\0FRMS", 12);
    anm_buf_u32le(&out, FRAMES);
    anm_buf_put(&out, "BMAP", 4);
    anm_buf_u32le(&out, BONES);
    for (int i = 0; i < BONES; i++) {
        char name[16];
        int size = snprintf(name, sizeof name, "bone_%02d", i);
        anm_buf_u32le(&out, (uint32_t)size);
        anm_buf_puts(&out, name);
    }
    for (int frame = 0; frame < FRAMES; frame++) {
        int count =
            frame == 0 ? BONES : (KEYS - BONES) * frame / (FRAMES - 1) - (KEYS - BONES) * (frame - 1) / (FRAMES - 1);
        anm_buf_put(&out, "FRM2", 4);
        anm_buf_u16le(&out, (uint16_t)frame);
        anm_buf_u8(&out, (uint8_t)count);
        for (int i = 0; i < count; i++)
            put_key(&out, frame, i * BONES / count, i == 0 && frame % (FRAMES / MESHES) == 0);
    }
    FILE *file = argc == 2 && !out.failed ? fopen(argv[1], "wb") : NULL;
    if (!file || fwrite(out.data, 1, out.size, file) != out.size || fclose(file) != 0) {
        fprintf(stderr, "usage: big FILE\n");
        return 1;
    }
    return 0;
}
