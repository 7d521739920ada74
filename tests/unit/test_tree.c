/* SPDX-License-Identifier: MIT */
/* The walker over routing tables. */
#include "suites.h"
#include "tree_help.h"

Suite *tree_suite(void)
{
    Suite *suite = suite_create("tree");
    tree_edit_cases(suite);
    tree_head_cases(suite);
    tree_blank_cases(suite);
    tree_sample_cases(suite);
    return suite;
}
