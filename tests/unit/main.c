/* SPDX-License-Identifier: MIT */
/* Runs every suite. CK_FORK=no keeps all in one process, CK_RUN_SUITE=gem runs one, CK_VERBOSITY=verbose names each. */
#include "suites.h"

#include <stdlib.h>

static Suite *(*const suites[])(void) = {
    num_suite,      lines_suite, store_suite,       store_place_suite, folder_suite, codec_suite,
    compare_suite,  dump_suite,  gem_suite,         convert_suite,     niff_suite,   psx_suite,
    psx_draw_suite, tree_suite,  should_fail_suite, alloc_suite,
};

int main(void)
{
    /* Check's four seconds are too short for a sanitizer on a busy machine. */
    setenv("CK_DEFAULT_TIMEOUT", "120", 0);
    SRunner *runner = srunner_create(NULL);
    for (size_t i = 0; i < sizeof suites / sizeof suites[0]; i++)
        srunner_add_suite(runner, suites[i]());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
