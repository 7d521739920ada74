/* SPDX-License-Identifier: MIT */
/* Included before each file by clang-tidy only: its path analysis does not look into variadic functions, and without knowing that
 * these return -1 it goes on behind every failure. */
#ifndef ANM_TESTS_LINT_H
#define ANM_TESTS_LINT_H

#include "anm/lines.h"

#define anm_fail(...) (anm_fail(__VA_ARGS__), -1)
#define anm_fail_at(...) (anm_fail_at(__VA_ARGS__), -1)
#define anm_fail_line(...) (anm_fail_line(__VA_ARGS__), -1)
#define anm_fail_nomem(...) (anm_fail_nomem(__VA_ARGS__), -1)
#define anm_fail_sys(...) (anm_fail_sys(__VA_ARGS__), -1)
#define anm_lines_expect(...) (anm_lines_expect(__VA_ARGS__), -1)
#define anm_lines_fail(...) (anm_lines_fail(__VA_ARGS__), -1)

#endif
