/* SPDX-License-Identifier: MIT */
/* make-should-fail DIR: writes the files of tests/should-fail/decode, one defect each, as NAME.anm. They are kept in the tree, with
 * the message each must give beside it; this is how they were made, and how the next one is. */
#include "../unit/niff_build.h"
#include "anm/niff.h"

#include <stdio.h>
#include <unistd.h>

/* GEM files in pieces. Each stops, or goes wrong, where its name says. */
#define V4 "EANM\0\0\4\0"
#define V60 "EANM\0\0\6\0"
#define V61 "EANM\1\0\6\0"
#define FRMS "FRMS\20\0\0\0"        /* 16 frames */
#define FRMS_LONG "FRMS\0\0\2\0"    /* 131,072: FRM3 numbers have four bytes */
#define FRMS_MEDIUM "FRMS\0\20\0\0" /* 4,096: two bytes */
#define CMNT "CMNT\4\0made"
#define BMAP "BMAP\2\0\0\0\4\0\0\0body\3\0\0\0gun"
#define HEAD4 V4 FRMS BMAP
#define HEAD60 V60 FRMS BMAP
#define HEAD61 V61 FRMS BMAP
#define ONE "\0\0\x80\x3f"
#define VECTOR ONE ONE ONE
#define NEGATIVE "\0\0\0\x80"
/* Fills a foreign file up to the length of the shortest animation and more. */
#define REST "\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17\20\21\22\23\24\25\26\27\30\31\32\33\34\35\36\37"

/* PlayStation files in pieces: heads with their counts, a sprite, a block of VRAM. */
#define ANM(groups, entries) "\41\3\0\0" groups "\0" entries "\0"
#define ANM_PALETTE "\41\3\0\20\0\0\0\0"
#define ENTRY "\0\0\1\0\10\0\370\377"
#define SPRITE_OF(flag, w, h) "\0\0\0\0\0\0" flag w "\0" h "\0\0\0\1\0\0\20\0\20"
#define SPRITE SPRITE_OF("\0\0", "\10", "\10")
#define GROUP "\1\0\0\0"
#define BLOCK(size, w, h) size "\0\0\0\0\0\340\1" w "\0" h "\0"
#define TIM(flag) "\20\0\0\0" flag "\0\0\0"
/* Quaternions that turn nothing. */
#define ROTATION "\0\0\200\77\0\0\0\0\0\0\0\0\0\0\0\0"
#define ROTATIONS_4 ROTATION ROTATION ROTATION ROTATION
#define ROTATIONS_16 ROTATIONS_4 ROTATIONS_4 ROTATIONS_4 ROTATIONS_4

struct defect {
    const char *name;
    const char *bytes;
    size_t size;
};

#define DEFECT(name, bytes)                                                                                            \
    {                                                                                                                  \
        name, bytes, sizeof(bytes) - 1                                                                                 \
    }

static const struct defect defects[] = {
    /* the start */
    DEFECT("start-empty", ""),
    DEFECT("start-one-byte", "E"),
    DEFECT("start-short", V60 FRMS "BMA"),
    DEFECT("start-magic", "EANN\0\0\6\0" FRMS BMAP),
    DEFECT("start-magic-lower", "eanm\0\0\6\0" FRMS BMAP),
    DEFECT("start-version-0", "EANM\1\0\0\0" FRMS BMAP),

    /* the header */
    DEFECT("head-cut-tag", V60 FRMS CMNT "BMA"),
    DEFECT("head-cut-frms", V60 CMNT CMNT "FRMS\1\0"),
    DEFECT("head-cut-comment-size", V60 FRMS CMNT "CMNT\1"),
    DEFECT("head-cut-comment", V60 FRMS CMNT "CMNT\5\0made"),
    DEFECT("head-cut-bone-count", V60 FRMS CMNT "BMAP\1\0\0"),
    DEFECT("head-no-frms", V60 BMAP "FRM2\0\0\0"),
    DEFECT("head-no-bmap", V60 FRMS CMNT "FRM2\0\0\0"),
    DEFECT("head-no-bmap-end", V60 FRMS CMNT),
    DEFECT("head-second-frms", V60 FRMS FRMS BMAP),
    DEFECT("head-second-bmap", V60 FRMS BMAP BMAP),
    DEFECT("head-17-chunks", V60 FRMS CMNT CMNT CMNT CMNT CMNT CMNT CMNT CMNT CMNT CMNT CMNT CMNT CMNT CMNT CMNT BMAP),
    DEFECT("head-unknown-chunk", V60 FRMS "XYZW\1\0\0\0" BMAP),
    DEFECT("head-binary-chunk", V60 FRMS "\1\2\3\4" BMAP),
    DEFECT("head-stray-part", V60 FRMS "MATR" VECTOR BMAP),
    DEFECT("head-length-negative", V60 "FRMS" NEGATIVE BMAP),

    /* bone names */
    DEFECT("names-cut-length", V60 FRMS "BMAP\2\0\0\0\4\0\0\0body\3\0"),
    DEFECT("names-cut", V60 FRMS "BMAP\2\0\0\0\4\0\0\0body\3\0\0\0gu"),
    DEFECT("names-count-negative", V60 FRMS "BMAP" NEGATIVE "\4\0\0\0body"),
    DEFECT("names-count-lies", V60 FRMS "BMAP\377\377\377\177\4\0\0\0body"),
    DEFECT("names-one-too-many", V60 FRMS "BMAP\3\0\0\0\4\0\0\0body\3\0\0\0gun"),
    DEFECT("names-one-too-few", V60 FRMS "BMAP\1\0\0\0\4\0\0\0body\3\0\0\0gunFRM2\0\0\0"),
    DEFECT("names-length-lies", V60 FRMS "BMAP\1\0\0\0\377\377\377\377body"),
    DEFECT("names-long-form-short", V60 FRMS CMNT "BMAP\2\0\0\0\4body\377\4\0\0gun."),
    DEFECT("names-guess-fails", V60 FRMS CMNT "BMAP\1\0\0\0\200" REST REST REST REST "\1\2\3\4xFRM"),

    /* FRM2 and FRM3 */
    DEFECT("frm2-cut-number", HEAD60 "FRM2\0"),
    DEFECT("frm2-cut-count", HEAD60 "FRM2\0\0"),
    DEFECT("frm2-count-lies", HEAD60 "FRM2\0\0\377\0\1\0" VECTOR),
    DEFECT("frm2-cut-bone", HEAD60 "FRM2\0\0\2\0\10\0\0\10"),
    DEFECT("frm2-cut-position", HEAD60 "FRM2\0\0\1\0\1\0" ONE ONE "\0\0"),
    DEFECT("frm2-cut-orientation", HEAD60 "FRM2\0\0\1\0\3\0" VECTOR ONE),
    DEFECT("frm2-cut-scale", HEAD60 "FRM2\0\0\1\0\100\0" ONE ONE),
    DEFECT("frm2-cut-mesh-size", HEAD60 "FRM2\0\0\1\0\40\0\1\0"),
    DEFECT("frm2-cut-mesh", HEAD60 "FRM2\0\0\1\0\40\0\5\0\0\0mesh"),
    DEFECT("frm2-mesh-negative", HEAD60 "FRM2\0\0\1\0\40\0" NEGATIVE "mesh"),
    DEFECT("frm2-mesh-lies", HEAD60 "FRM2\0\0\1\0\40\0\377\377\377\177mesh"),
    DEFECT("frm2-bone-past-map", HEAD60 "FRM2\0\0\1\2\10\0"),
    DEFECT("frm2-no-bones", V60 FRMS "BMAP\0\0\0\0FRM2\0\0\1\0\10\0"),
    DEFECT("frm2-bytes-behind", HEAD60 "FRM2\0\0\1\0\10\0xx"),
    DEFECT("frm2-one-key-too-many", HEAD60 "FRM2\0\0\1\0\10\0\1\10\0FRM2\1\0\0"),
    DEFECT("frm2-header-behind", HEAD60 "FRM2\0\0\1\0\10\0" CMNT),
    DEFECT("frm3-cut-number-1", HEAD61 "FRM3"),
    DEFECT("frm3-cut-number-2", V61 FRMS_MEDIUM BMAP "FRM3\1"),
    DEFECT("frm3-cut-number-4", V61 FRMS_LONG BMAP "FRM3\1\0\0"),
    DEFECT("frm3-number-negative", V61 FRMS_LONG BMAP "FRM3" NEGATIVE "\0"),

    /* FRMN */
    DEFECT("frmn-cut-number", HEAD4 "FRMN\0\0\0"),
    DEFECT("frmn-number-negative", HEAD4 "FRMN" NEGATIVE),
    DEFECT("frmn-part-before-bone", HEAD4 "FRMN\0\0\0\0VISI\1\0\0\0"),
    DEFECT("frmn-cut-bone", HEAD4 "FRMN\0\0\0\0BONE\0\0"),
    DEFECT("frmn-bone-negative", HEAD4 "FRMN\0\0\0\0BONE" NEGATIVE),
    DEFECT("frmn-bone-past-map", HEAD4 "FRMN\0\0\0\0BONE\2\0\0\0"),
    DEFECT("frmn-cut-matrix", HEAD4 "FRMN\0\0\0\0BONE\1\0\0\0MATR" VECTOR VECTOR VECTOR ONE ONE),
    DEFECT("frmn-cut-visi", HEAD4 "FRMN\0\0\0\0BONE\1\0\0\0VISI\1"),
    DEFECT("frmn-visi-negative", HEAD4 "FRMN\0\0\0\0BONE\1\0\0\0VISI" NEGATIVE),
    DEFECT("frmn-cut-mesh-size", HEAD4 "FRMN\0\0\0\0BONE\1\0\0\0MESH\1\0"),
    DEFECT("frmn-mesh-negative", HEAD4 "FRMN\0\0\0\0BONE\1\0\0\0MESH" NEGATIVE "mesh"),
    DEFECT("frmn-cut-mesh", HEAD4 "FRMN\0\0\0\0BONE\1\0\0\0MESH\5\0\0\0mesh"),
    DEFECT("frmn-unknown-part", HEAD4 "FRMN\0\0\0\0BONE\1\0\0\0XYZW\1\0\0\0"),
    DEFECT("frmn-cut-tag", HEAD4 "FRMN\0\0\0\0BONE\1\0\0\0VIS"),

    /* sprite animations */
    DEFECT("psx-cut-head", "\41\3\0\0\0\0\0"),
    DEFECT("psx-version-4", "\41\4\0\0\0\0\0\0" REST),
    DEFECT("psx-reserved-bit", "\41\3\4\0\1\0\0\0" GROUP SPRITE),
    DEFECT("psx-entries-lie", ANM("\1", "\2") ENTRY "\0\0\0\0"),
    DEFECT("psx-groups-lie", ANM("\3", "\1") ENTRY "\0\0\0\0\0\0\0\0"),
    DEFECT("psx-cut-count", ANM("\2", "\0") GROUP SPRITE "\0\0\0"),
    DEFECT("psx-sprites-lie", ANM("\1", "\0") "\377\377\377\377" SPRITE),
    DEFECT("psx-sprites-negative", ANM("\1", "\0") NEGATIVE SPRITE),
    DEFECT("psx-one-sprite-too-many", ANM("\1", "\0") "\2\0\0\0" SPRITE),
    DEFECT("psx-cut-square", ANM("\1", "\0") GROUP "\0\0\0\0\0\0\0\20\0\0\1\0\0\20\0"),
    DEFECT("psx-cut-size", ANM("\1", "\0") "\3\0\0\0" SPRITE SPRITE "\0\0\0\0\0\0\0\0\10\0"),
    DEFECT("psx-cut-scale", ANM("\1", "\0") GROUP "\0\0\0\0\0\0\0\0\10\0\10\0\0\0\1\0"),
    DEFECT("psx-cut-palette", ANM_PALETTE BLOCK("\20", "\2", "\1") "\0"),
    DEFECT("psx-cut-palette-head", ANM_PALETTE "\14\0\0\0\0\0\340\1"),
    DEFECT("psx-no-palette", ANM_PALETTE),
    DEFECT("psx-palette-small", ANM_PALETTE BLOCK("\13", "\2", "\1") "\1\0\2\0"),
    DEFECT("psx-palette-lies", ANM_PALETTE "\377\377\377\377\0\0\340\1\2\0\1\0\1\0\2\0"),
    DEFECT("psx-tail-no-sprite", ANM("\1", "\0") "\0\0\0\0x"),
    DEFECT("psx-tail-long", ANM("\1", "\0") GROUP SPRITE "longer than all that is before it"),
    DEFECT("psx-tail-no-width", ANM("\1", "\0") GROUP SPRITE_OF("\0\0", "\0", "\10") "x"),
    DEFECT("psx-tail-no-depth", ANM("\1", "\0") GROUP SPRITE_OF("\200\1", "\10", "\10") "x"),

    /* sequences by themselves */
    DEFECT("tsq-cut-head", "\44\1\0"),
    DEFECT("tsq-version-2", "\44\2\1\0" ENTRY),
    DEFECT("tsq-entries-lie", "\44\1\2\0" ENTRY "\0\0\0\0\0\0\0"),
    DEFECT("tsq-bytes-behind", "\44\1\1\0" ENTRY "x"),

    /* images */
    DEFECT("tim-cut-head", "\20\0\0\0\2\0\0"),
    DEFECT("tim-version-1", "\20\1\0\0\2\0\0\0" BLOCK("\16", "\1", "\1") "\0\0"),
    DEFECT("tim-compressed", "\20\0\1\0\2\0\0\0" BLOCK("\16", "\1", "\1") "\0\0"),
    DEFECT("tim-compressed-too", "\20\0\2\0\2\0\0\0" BLOCK("\16", "\1", "\1") "\0\0"),
    DEFECT("tim-depth-6", TIM("\6") BLOCK("\16", "\1", "\1") "\0\0"),
    DEFECT("tim-depth-7", TIM("\17") BLOCK("\16", "\1", "\1") "\0\0"),
    DEFECT("tim-no-pixels", TIM("\2")),
    DEFECT("tim-empty", TIM("\2") BLOCK("\14", "\0", "\0")),
    DEFECT("tim-wider-than-vram", TIM("\2") "\20\0\0\0\0\0\0\0\1\4\2\0\0\0\0\0"),
    DEFECT("tim-higher-than-vram", TIM("\2") "\20\0\0\0\0\0\0\0\2\0\1\2\0\0\0\0"),
    DEFECT("tim-cut-palette", TIM("\10") BLOCK("\20", "\2", "\1") "\1\0\2"),
    DEFECT("tim-cut-palette-head", TIM("\10") "\20\0\0\0\0\0\340\1\2\0"),
    DEFECT("tim-cut-pixels-head", TIM("\10") BLOCK("\20", "\2", "\1") "\1\0\2\0\16\0\0\0"),

    /* what else has the suffix, or is put there by mistake */
    DEFECT("foreign-git-lfs", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"),
    DEFECT("foreign-lol", "r3d2anmd\3\0\0\0" REST),
    DEFECT("foreign-lol-packed", "r3d2canm\1\0\0\0" REST),
    DEFECT("foreign-netimmerse", "NetImmerse File Format, Version 4.0.0.2\n"),
    DEFECT("foreign-gamebryo", "Gamebryo File Format, Version 20.0.0.5\n"),
    DEFECT("foreign-maya", "animVersion 1.1;\nmayaVersion 2016;\n"),
    DEFECT("foreign-deluxe-paint", "LPF \200\1\1\0\0\0\0\0\0\0\0\0"
                                   "ANIM" REST),
    DEFECT("foreign-mp", "MPANIM" REST),
    DEFECT("foreign-cryengine", "CryTek\0\0\0\0\0\0" REST),
    DEFECT("foreign-cryengine-new", "CrCh\106\7\0\0" REST),
    DEFECT("foreign-heavy-iron", "SKB1" REST),
    DEFECT("foreign-heavy-iron-big", "1BKS" REST),
    DEFECT("foreign-gem-mesh", "EPLY" REST),
    DEFECT("foreign-gem-volume", "EVLM" REST),
    DEFECT("foreign-zip", "PK\3\4" REST),
    DEFECT("foreign-freelancer", "UTF \1\1\0\0" REST),
    DEFECT("foreign-might-and-magic", "\0\0TV" REST),
    DEFECT("foreign-incredible-machine", "ANM:\0\0\0\0\x54\x42\0\0" REST),
    DEFECT("foreign-niff",
           "\0\0\0\2\0\0\0\144\0\0\0\0\0\0\0\144\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
           "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
    DEFECT("foreign-renderware", "\33\0\0\0\10\0\0\0\3\0\2\14" REST),
    DEFECT("foreign-tim", "\20\0\0\0\2\0\0\0" REST),
    DEFECT("foreign-psx", "\41\3\0\0\0\0\0\0" REST),
    DEFECT("foreign-pxl", "\21\0\0\0\2\0\0\0" BLOCK("\16", "\1", "\1") "\0\0"),
    DEFECT("foreign-clt", "\22\0\0\0\2\0\0\0" BLOCK("\16", "\1", "\1") "\0\0"),
    /* their first number is the ID of a PlayStation file */
    DEFECT("foreign-touhou-33", "\41\0\0\0\0\0\0\0\7\0\0\0\0\0\0\0THTX" REST),
    DEFECT("foreign-evil-islands-16", "\20\0\0\0" ROTATIONS_16),
    DEFECT("foreign-touhou", "\1\0\0\0\0\0\0\0\7\0\0\0\0\0\0\0THTX" REST),
    DEFECT("foreign-evil-islands", "\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\200\77" REST),
    DEFECT("foreign-star-trek", "bridge1\0\1\0\2\0\3\0\4\0bridge2\0\1\0\2\0\3\0\4\0"),
    DEFECT("foreign-vib-ribbon", "\0\200\1\0\2\0" REST),
    DEFECT("foreign-text", "some text, which is no animation at all\n"),
    DEFECT("foreign-zeros", "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
};

/* Where lists and the first AnimGroup of nif_ordinary(1) are. */
enum { OBJS = 260, SHAPES = 664, ANIMS = 1112, ANIM_GROUP = 1148, ANIM = 1196 };

/* NIFF files that were whole: one word is another, or what follows an offset is gone. */
static const struct niff_defect {
    const char *name;
    void (*make)(struct anm_buf *out, unsigned major);
    unsigned major;
    uint32_t at, value; /* the offset of the word and its new value */
    uint32_t cut;       /* bytes that are left; 0: all */
} niff_defects[] = {
    {"niff-head-cut", nif_empty, 1, 92, 0, 96},
    {"niff-head-tag", nif_empty, 2, 8, 1, 0},
    {"niff-head-size", nif_empty, 2, 12, 140, 0},
    {"niff-head-block", nif_empty, 1, 92, 0xfffffffc, 0},
    {"niff-file-size", nif_empty, 1, 4, 0x7fffffff, 0},
    {"niff-no-scene", nif_empty, 1, 100, 0x00020000, 0},
    {"niff-scene-cut", nif_empty, 1, 4, 104, 104},
    {"niff-scene-size", nif_empty, 1, 108, 0x7ffffffc, 0},
    {"niff-scene-size-odd", nif_empty, 1, 108, 46, 0},
    {"niff-list-tag", nif_ordinary, 1, OBJS, 0x00420000, 0},
    {"niff-list-missing", nif_empty, 1, 32, 24, 0},
    {"niff-list-twice", nif_ordinary, 1, SHAPES, 0x00020000, 0},
    {"niff-list-size", nif_ordinary, 1, OBJS + 8, 0x7ffffff0, 0},
    {"niff-list-count", nif_ordinary, 1, OBJS + 12, 0x40000000, 0},
    {"niff-record-size", nif_ordinary, 1, OBJS + 24, 0x00010000, 0},
    {"niff-record-small", nif_ordinary, 1, OBJS + 24, 84, 0},
    {"niff-record-odd", nif_ordinary, 1, OBJS + 24, 90, 0},
    {"niff-group-count", nif_ordinary, 1, ANIMS + 12, 0xffffffff, 0},
    {"niff-group-size", nif_ordinary, 1, ANIMS + 24, 0x00100000, 0},
    {"niff-anim-count", nif_ordinary, 1, ANIM_GROUP + 28, 0x01000000, 0},
    {"niff-anim-size", nif_ordinary, 1, ANIM + 8, 0x00010000, 0},
    {"niff-anim-small", nif_ordinary, 1, ANIM + 8, 8, 0},
    {"niff-group-block", nif_ordinary, 1, ANIM_GROUP + 40, 0x00010000, 0},
};

static int save_bytes(const char *name, const void *bytes, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "%s.anm", name);
    FILE *file = fopen(path, "wb");
    if (!file)
        return -1;
    fwrite(bytes, 1, size, file);
    return fclose(file);
}

static int save(const struct defect *defect)
{
    return save_bytes(defect->name, defect->bytes, defect->size);
}

static int save_niff(const struct niff_defect *defect)
{
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
    defect->make(&bytes, defect->major);
    niff_set_word(bytes.data, defect->at / 4, defect->value);
    return save_bytes(defect->name, bytes.data, defect->cut ? defect->cut : bytes.size);
}

int main(int argc, char **argv)
{
    if (argc != 2 || chdir(argv[1]) != 0) {
        fputs("usage: make-should-fail DIR\n", stderr);
        return 2;
    }
    for (size_t i = 0; i < sizeof defects / sizeof defects[0]; i++)
        if (save(&defects[i]) != 0) {
            perror(defects[i].name);
            return 1;
        }
    for (size_t i = 0; i < sizeof niff_defects / sizeof niff_defects[0]; i++)
        if (save_niff(&niff_defects[i]) != 0) {
            perror(niff_defects[i].name);
            return 1;
        }
    return 0;
}
