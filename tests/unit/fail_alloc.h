/* SPDX-License-Identifier: MIT */
/* Lets one allocation fail. Needs -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc. */
#ifndef ANM_TESTS_FAIL_ALLOC_H
#define ANM_TESTS_FAIL_ALLOC_H

#include <stdbool.h>

/* The n-th malloc, calloc or realloc from now on returns NULL (1 is the next one). */
void fail_alloc_at(unsigned n);
/* All succeed again. */
void fail_alloc_off(void);
/* Whether the allocation chosen last was reached, and so has failed. */
bool fail_alloc_hit(void);

#endif
