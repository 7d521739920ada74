/* SPDX-License-Identifier: MIT */
/* The lists of a NIFF file, in the order of the body (formats: NIFF 2.1, 2.2, 2.6). */
#include "anm/niff.h"

#define NONE NIFF_NONE
#define COPY NIFF_COPY
#define NAMELESS NIFF_NAMELESS

/* Nintendo blocks of NIFF 2.0 that say nothing: what is drawn in fog is drawn as without. */
static const uint32_t scene_block[] = {0, 0, 0, 0, 0};
static const uint32_t cam_block[] = {NONE, NONE, NONE, NONE, NONE, NONE};
static const uint32_t obj_block[] = {COPY + 8, COPY + 9, COPY + 10, COPY + 11, 0, 0, 0};
static const uint32_t shape_block[] = {0x00080100, NONE, NONE};
static const uint32_t mat_block[] = {
    0,        0,        0,        0,        0,         0,         0,         0,         0,    0,    0, 0, COPY + 4,
    COPY + 6, COPY + 7, COPY + 8, COPY + 9, COPY + 10, COPY + 11, COPY + 12, COPY + 13, NONE, NONE, 0, 0, 0};
static const uint32_t tex_block[] = {1, 1, 0, 0, 0};

#define BLOCK(words) .block = (words), .block_words = sizeof(words) / sizeof *(words)

static const struct niff_kind kinds[] = {
    {NIFF_SCENE, 16, 0, true, 11, 4, 2, 0, 9, BLOCK(scene_block), .name = "scene", .title = "SceneList"},
    {0x00100000, 20, 1, false, 14, 3, 2, 0, 12, 0, NULL, .name = "env", .title = "EnvList"},
    {NIFF_CAM, 24, 1, true, 19, 3, 2, 0, 17, BLOCK(cam_block), .name = "cam", .title = "CamList"},
    {0x000f0000, 28, 1, false, 12, 4, 3, 0, 10, 0, NULL, .name = "light", .title = "LightList"},
    {NIFF_OBJ, 32, 1, true, 22, 3, 2, 18, 20, BLOCK(obj_block), .name = "obj", .title = "ObjList"},
    {0x00030000, 36, 1, false, 10, 3, 2, 0, 8, BLOCK(shape_block), .name = "shape", .title = "ShapeList"},
    {0x00040000, 40, 1, false, 5, 4, 3, 0, 0, 0, NULL, .name = "vtx", .title = "VtxList"},
    {0x00080000, 56, 1, false, 5, 4, 3, 0, 0, 0, NULL, .name = "tri", .title = "TriList"},
    {0x00050000, 44, 2, false, 5, NAMELESS, 3, 0, 0, 0, NULL, .name = "color", .title = "ColorList"},
    {0x00060000, 48, 2, false, 5, NAMELESS, 3, 0, 0, 0, NULL, .name = "vector", .title = "VectorList"},
    {0x00070000, 52, 1, false, 5, NAMELESS, 3, 0, 0, 0, NULL, .name = "st", .title = "StList"},
    {0x00090000, 60, 1, false, 4, 3, 2, 0, 0, 0, NULL, .name = "part", .title = "PartList"},
    {0x000a0000, 64, 1, false, 26, 3, 2, 0, 24, BLOCK(mat_block), .name = "mat", .title = "MatList"},
    {0x000b0000, 68, 1, false, 13, 4, 3, 0, 11, BLOCK(tex_block), .name = "tex", .title = "TexList"},
    {0x00120000, 72, 1, false, 5, NAMELESS, 3, 0, 0, 0, NULL, .name = "tex_img", .title = "TexImgList"},
    {NIFF_ANIM, 76, 1, true, NIFF_GROUP_WORDS, NIFF_G_NAME, NIFF_G_SIZE, 0, NIFF_G_BLOCK, 0, NULL, .name = "anim",
     .title = "AnimList"},
    {0x000d0000, 80, 1, false, 0, 0, 0, 0, 0, 0, NULL, .name = "coll", .title = "CollList"},
    {NIFF_SWITCH_LIST, 84, 1, true, 9, NAMELESS, 2, 0, 7, 0, NULL, .name = "switch", .title = "SwitchList"},
    {NIFF_NAME, 88, 1, true, 4, NAMELESS, 3, 0, 0, 0, NULL, .name = "name", .title = "NameList"},
    {0x00200000, 100, 1, false, 4, 3, 2, 0, 0, 0, NULL, .name = "ci_img", .title = "CiImgList"},
    {0x00210000, 104, 1, false, 4, 3, 2, 0, 0, 0, NULL, .name = "color_palette", .title = "ColorPaletteList"},
    {0x00220000, 108, 1, false, 0, 0, 0, 0, 0, 0, NULL, .name = "envelope", .title = "EnvelopeList"},
    {0x00280000, 112, 1, false, 0, 0, 0, 0, 0, 0, NULL, .name = "cluster", .title = "ClusterList"},
    {0x00230000, 116, 1, false, 4, 3, 2, 0, 0, 0, NULL, .name = "weight", .title = "WeightList"},
    {NIFF_CHAIN_ROOT, 120, 1, true, 11, 3, 2, 7, 9, 0, NULL, .name = "chain_root", .title = "ChainRootList"},
    {NIFF_JOINT, 124, 1, true, 16, 3, 2, 13, 14, 0, NULL, .name = "joint", .title = "JointList"},
    {NIFF_EFFECTOR, 128, 1, true, 10, 3, 2, 7, 8, 0, NULL, .name = "effector", .title = "EffectorList"},
    {NIFF_EXTERNAL_NAME, 132, 1, true, 4, NAMELESS, 3, 0, 0, 0, NULL, .name = "external_name",
     .title = "ExternalNameList"},
};

const struct niff_kind *niff_kind_at(uint32_t i)
{
    return i < sizeof kinds / sizeof *kinds ? &kinds[i] : NULL;
}

const struct niff_kind *niff_kind_of(uint32_t tag)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].tag == tag)
            return &kinds[i];
    return NULL;
}
