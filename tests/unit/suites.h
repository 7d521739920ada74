/* SPDX-License-Identifier: MIT */
/* One function a suite; main.c runs them all. */
#ifndef ANM_TESTS_SUITES_H
#define ANM_TESTS_SUITES_H

#include <check.h>

Suite *num_suite(void);
Suite *lines_suite(void);
Suite *store_suite(void);
Suite *store_place_suite(void);
Suite *folder_suite(void);
Suite *codec_suite(void);
Suite *compare_suite(void);
Suite *dump_suite(void);
Suite *gem_suite(void);
Suite *convert_suite(void);
Suite *niff_suite(void);
Suite *psx_suite(void);
Suite *psx_draw_suite(void);
Suite *tree_suite(void);
Suite *should_fail_suite(void);
Suite *alloc_suite(void);

#endif
