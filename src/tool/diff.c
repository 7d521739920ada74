/* SPDX-License-Identifier: MIT */
/* diff: what changed between two animations, by meaning. */
#include "tool.h"

#include "anm/compare.h"
#include "anm/num.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Exit status, as diff(1). */
enum { DIFF_SAME = 0, DIFF_DIFFERENT = 1, DIFF_TROUBLE = 2 };
enum { EPS, QUIET };

struct diff {
    double eps;
    bool quiet, colour, any;
};

static void print_line(const struct diff *d, const char *colour, const char *mark, const char *path, const char *text,
                       size_t size)
{
    bool key = strcmp(path, "keys") == 0;
    printf("%s%s %s%s%.*s%s\n", d->colour ? colour : "", mark, key ? "" : path, key || !text ? "" : ": ", (int)size,
           text ? text : "", d->colour ? "\033[m" : "");
}

static void print_deviation(const struct anm_difference *difference)
{
    if (difference->measured)
        printf("    %.6g%s\n", difference->deviation, difference->turned ? " degrees" : "");
}

static int tell(void *arg, const struct anm_difference *difference)
{
    struct diff *d = arg;
    if (difference->measured && difference->deviation <= d->eps)
        return 0;
    d->any = true;
    if (d->quiet)
        return 1; /* enough is known */
    if (difference->change == ANM_RENAMED) {
        printf("%s= bones/%.*s is bones/%.*s%s\n", d->colour ? "\033[33m" : "", (int)difference->before_size,
               difference->before, (int)difference->after_size, difference->after, d->colour ? "\033[m" : "");
    } else if (difference->change == ANM_CHANGED && !difference->before) {
        print_line(d, "\033[33m", "!", difference->path, NULL, 0);
    } else {
        if (difference->change != ANM_ADDED)
            print_line(d, "\033[31m", "-", difference->path, difference->before, difference->before_size);
        if (difference->change != ANM_REMOVED)
            print_line(d, "\033[32m", "+", difference->path, difference->after, difference->after_size);
        print_deviation(difference);
    }
    return 0;
}

int tool_diff(const struct command *self, int argc, char **argv)
{
    ANM_AUTO(session_close) struct session a = {0}, b = {0};
    struct anm_error err = {0};
    struct tool_chosen chosen;
    struct diff d = {.colour = isatty(STDOUT_FILENO)};
    int at = tool_options(self, argc, argv, &chosen);
    if (at <= 0)
        return tool_early(at);
    const char *eps = chosen.values[EPS];
    bool wrong = eps && (anm_f64_parse(eps, strlen(eps), &d.eps) != ANM_NUM_OK || d.eps < 0);
    if (argc - at != 2 || wrong)
        return tool_usage(self);
    d.quiet = chosen.values[QUIET] != NULL;
    if (session_open(&a, argv[at]) != 0 || session_open(&b, argv[at + 1]) != 0)
        return DIFF_TROUBLE;
    if (anm_compare(a.doc, b.doc, tell, &d, &err) < 0) {
        session_fail(&a, NULL, &err);
        return DIFF_TROUBLE;
    }
    return d.any ? DIFF_DIFFERENT : DIFF_SAME;
}
