/* SPDX-License-Identifier: MIT */
/* anm: the tree of an animation file without a mount, for scripts, git and continuous integration.
 *
 * anm.c      the table of commands, --help, --version
 * session.c  one open file: load, save, messages, walking the tree
 * check.c    check
 * show.c     info, ls, cat
 * edit.c     put, mkdir, rm, mv */
#include "tool.h"

#include <stdio.h>
#include <string.h>

static const struct command commands[] = {
    {"check", "[-v] PATH...", "whether files, and all in folders, are whole; -v: what is unusual, too", tool_check},
    {"info", "FILE...", "what the files hold, as JSON", tool_info},
    {"ls", "[-R] [-a] FILE [PATH]", "list a directory; -R: all below it, -a: what is not listed too", tool_ls},
    {"cat", "FILE PATH...", "print nodes", tool_cat},
    {"put", "FILE PATH [TEXT]", "replace a node's text by TEXT or standard input", tool_put},
    {"mkdir", "FILE PATH...", "make frames and bones", tool_mkdir},
    {"rm", "[-r] FILE PATH...", "remove nodes; -r: directories with what they hold", tool_rm},
    {"mv", "FILE FROM TO", "retime a frame, rename a bone, move a text", tool_mv},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

int tool_usage(const struct command *self)
{
    fprintf(stderr, "usage: anm %s %s\n", self->name, self->arguments);
    return TOOL_USAGE;
}

int tool_options(const struct command *self, int argc, char **argv, const char *letters, unsigned *set)
{
    *set = 0;
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-' || !argv[i][1])
            return i;
        if (strcmp(argv[i], "--") == 0)
            return i + 1;
        for (const char *letter = argv[i] + 1; *letter; letter++) {
            const char *found = strchr(letters, *letter);
            if (!found) {
                fprintf(stderr, "anm: %s: unknown option %s\n", self->name, argv[i]);
                tool_usage(self);
                return -1;
            }
            *set |= 1U << (found - letters);
        }
    }
    return argc;
}

static void print_help(FILE *out)
{
    fputs("usage: anm COMMAND ARGUMENTS\n\n", out);
    for (int i = 0; i < COMMANDS; i++)
        fprintf(out, "  anm %-5s %-22s %s\n", commands[i].name, commands[i].arguments, commands[i].help);
    fputs("\n  anm --help, anm --version\n\n"
          "FILE is an animation file; PATH is a node of its tree, such as frames/010/keys (see anmfs(5)).\n",
          out);
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return TOOL_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_help(stdout);
        return TOOL_OK;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        puts("anm " ANM_VERSION);
        return TOOL_OK;
    }
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(&commands[i], argc - 1, argv + 1);
    fprintf(stderr, "anm: unknown command \"%s\"; anm --help lists them\n", argv[1]);
    return TOOL_USAGE;
}

int main(int argc, char **argv)
{
    int status = run(argc, argv);
    /* A full disk behind standard output shows only here. */
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("anm: standard output");
        return TOOL_FAILED;
    }
    return status;
}
