/* SPDX-License-Identifier: MIT */
/* What the GEM codec's files share. */
#ifndef ANM_GEM_CODEC_H
#define ANM_GEM_CODEC_H

#include "anm/gem.h"

/* The chunks of a file; the first three are the frames, in the order of enum gem_kind. */
enum gem_tag {
    TAG_FRMN = GEM_FRMN,
    TAG_FRM2 = GEM_FRM2,
    TAG_FRM3 = GEM_FRM3,
    TAG_FRMS,
    TAG_CMNT,
    TAG_BMAP,
    TAG_BONE,
    TAG_MATR,
    TAG_VISI,
    TAG_MESH,
    GEM_TAGS
};

extern const char gem_tags[GEM_TAGS][5];

/* Bytes of a frame number: FRM3's depend on the file's length (FRMS). */
unsigned gem_number_width(uint32_t length, unsigned kind);

#endif
