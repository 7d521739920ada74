/* SPDX-License-Identifier: MIT */
#include "anm/psx_fields.h"

/* Columns: name, key, meaning; word, bit, width, signed; since version; form, unit. */
const struct anm_field psx_sprite_fields[PSX_SPRITE_FIELDS] = {
    [PSX_U] = {"u", "u", "texel column in the texture page", 0, 0, 8, false, 0, ANM_FORM_INT, 1},
    [PSX_V] = {"v", "v", "texel row in the texture page", 0, 8, 8, false, 0, ANM_FORM_INT, 1},
    [PSX_OFS_X] = {"Ofs X", "ofs", "place, to the right of the hot spot", 0, 16, 8, false, 0, ANM_FORM_INT, 1},
    [PSX_OFS_Y] = {"Ofs Y", "ofs", "place, below the hot spot", 0, 24, 8, false, 0, ANM_FORM_INT, 1},
    [PSX_CLX] = {"CLX", "clut", "CLUT column in VRAM, 16 half-words each", 1, 0, 6, false, 0, ANM_FORM_TIMES, 16},
    [PSX_CLY] = {"CLY", "clut", "CLUT row in VRAM", 1, 6, 9, false, 0, ANM_FORM_INT, 1},
    [PSX_ABE] = {"ABE", "abe", "semi-transparent", 1, 15, 1, false, 3, ANM_FORM_INT, 1},
    [PSX_TPN] = {"TPN", "page", "texture page", 1, 16, 5, false, 0, ANM_FORM_INT, 1},
    [PSX_ABR] = {"ABR", "abr", "how a semi-transparent sprite is blended", 1, 21, 2, false, 0, ANM_FORM_INT, 1},
    [PSX_TPF] = {"TPF", "depth", "bits a pixel: 0 is 4, 1 is 8, 2 is 16", 1, 23, 2, false, 0, ANM_FORM_INT, 1},
    [PSX_FLAG_9] = {"FLAG bit 9", "flag", "unused", 1, 25, 1, false, 0, ANM_FORM_HEX, 0x200},
    [PSX_RSZ] = {"RSZ", "rsz", "the scale counts", 1, 26, 1, false, 0, ANM_FORM_INT, 1},
    [PSX_ROT] = {"ROT", "rot", "the angle counts", 1, 27, 1, false, 0, ANM_FORM_INT, 1},
    [PSX_THW] = {"THW", "square", "side of a square sprite, 8 pixels each; 0: see W and H", 1, 28, 4, false, 0,
                 ANM_FORM_TIMES, 8},
    [PSX_W] = {"W", "size", "width in pixels", 2, 0, 16, false, 0, ANM_FORM_INT, 1},
    [PSX_H] = {"H", "size", "height in pixels", 2, 16, 16, false, 0, ANM_FORM_INT, 1},
    [PSX_ANGLE] = {"ROT", "angle", "angle, 4096 a turn, clockwise", 3, 0, 16, false, 0, ANM_FORM_DEGREES, 1},
    [PSX_FIRST] = {"FLAG2 bit 0", "first", "the first sprite of its group", 3, 16, 1, false, 2, ANM_FORM_INT, 1},
    [PSX_FLAG2_1] = {"FLAG2 bits 1-7", "flag2", "unused", 3, 17, 7, false, 2, ANM_FORM_HEX, 2},
    [PSX_CSN] = {"CSN", "set", "colour set, for the editor", 3, 24, 6, false, 2, ANM_FORM_INT, 1},
    [PSX_BNO] = {"BNO", "bank", "TIM bank, for the editor", 3, 30, 2, false, 2, ANM_FORM_INT, 1},
    [PSX_SCALE_X] = {"X scale", "scale", "4096 is 1, negative mirrors", 4, 0, 16, true, 0, ANM_FORM_PARTS, 4096},
    [PSX_SCALE_Y] = {"Y scale", "scale", "4096 is 1, negative mirrors", 4, 16, 16, true, 0, ANM_FORM_PARTS, 4096},
};

const struct anm_field psx_entry_fields[PSX_ENTRY_FIELDS] = {
    [PSX_GROUP] = {"SprGpNo", "group", "number of the sprite group", 0, 0, 16, false, 0, ANM_FORM_INT, 1},
    [PSX_TIME] = {"TIME", "time", "how many display frames long", 0, 16, 8, false, 0, ANM_FORM_INT, 1},
    [PSX_UNUSED] = {"bits 24-27", "unused", "unused", 0, 24, 4, false, 0, ANM_FORM_HEX, 1},
    [PSX_ATTR] = {"ATTR", "attr", "what the game takes it for", 0, 28, 4, false, 3, ANM_FORM_INT, 1},
    [PSX_X] = {"X", "x", "hot spot", 1, 0, 16, true, 0, ANM_FORM_INT, 1},
    [PSX_Y] = {"Y", "y", "hot spot", 1, 16, 16, true, 0, ANM_FORM_INT, 1},
};
