/* SPDX-License-Identifier: MIT */
/* PlayStation files made by code. */
#ifndef ANM_TESTS_PSX_BUILD_H
#define ANM_TESTS_PSX_BUILD_H

#include "anm/psx.h"

/* The animation whose texts the manual shows, of any version: three groups, a sequence of four, one palette. */
struct anm_doc *psx_build(unsigned version);
/* The same with every sprite in five words. */
struct anm_doc *psx_build_fixed(unsigned version);
/* A TSQ of two entries. */
struct anm_doc *tsq_build(unsigned version);
/* Appends a TIM image: PMODE, with a palette of 16 x `rows` colours (0: none), 4 x 2 half-words of pixels. */
void tim_build(struct anm_buf *out, unsigned pmode, unsigned rows);
/* Appends a block: bnum is `more` above what it should be. */
void tim_build_block(struct anm_buf *out, unsigned x, unsigned y, unsigned w, unsigned h, int more);
/* Decodes; a test fails when that fails. */
struct anm_doc *psx_build_decode(const struct anm_buf *bytes);

#endif
