/* SPDX-License-Identifier: MIT */
/* Writes GEM files piece by piece, right or wrong, independent of the codec under test; and finds the real ones. */
#ifndef ANM_TESTS_GEM_BUILD_H
#define ANM_TESTS_GEM_BUILD_H

#include "anm/gem.h"

/* "EANM" and the version word. */
void gem_build_start(struct anm_buf *out, uint32_t version);
void gem_build_frms(struct anm_buf *out, uint32_t length);
/* gem_build_start() and gem_build_frms(). */
void gem_build_header(struct anm_buf *out, uint32_t version, uint32_t length);
void gem_build_cmnt(struct anm_buf *out, const char *text);
/* `names` ends with NULL. */
void gem_build_bmap(struct anm_buf *out, enum gem_coding coding, const char *const *names);

/* FRMN and its parts. `matrix` is 9 rotation numbers, then the position. */
void gem_build_frmn(struct anm_buf *out, uint32_t number);
void gem_build_bone(struct anm_buf *out, uint32_t index);
void gem_build_matr(struct anm_buf *out, const float matrix[12]);
void gem_build_visi(struct anm_buf *out, uint32_t number);
void gem_build_mesh(struct anm_buf *out, const char *bytes);

/* FRM2, and FRM3 with a number of `width` bytes; then `keys` keys, each followed by what its flags announce. */
void gem_build_frm2(struct anm_buf *out, uint16_t number, uint8_t keys);
void gem_build_frm3(struct anm_buf *out, uint32_t number, unsigned width, uint8_t keys);
void gem_build_key(struct anm_buf *out, uint8_t bone, uint16_t flags);
void gem_build_vector(struct anm_buf *out, float x, float y, float z);
/* Size and bytes of a mesh, without a tag. */
void gem_build_mesh_data(struct anm_buf *out, const char *bytes);

/* A whole file with all there is: a comment, bones "body" and "gun", frames 0 (FRMN), 7 (FRM2) and 299 (FRM3). */
void gem_build_everything(struct anm_buf *out);

/* Decodes, checks that encoding gives the same bytes, frees the buffer. The test fails otherwise. */
struct gem_doc *gem_build_decode(struct anm_buf *bytes);
/* Checks that decoding is refused at `offset` (-1: any) with `words` in the message; frees the buffer. */
void gem_build_refused(struct anm_buf *bytes, int64_t offset, const char *words);

/* Encodes into `out`, which is emptied first; the test fails when it cannot. */
void gem_build_encode(const struct gem_doc *doc, struct anm_buf *out);

/* Calls `test` for each file $ANM_SAMPLES/gem/NAME.anm; returns how many there were. */
unsigned gem_build_each_sample(void (*test)(const char *name, const uint8_t *bytes, size_t size));

#endif
