/* SPDX-License-Identifier: MIT */
/* anm: the tree of an animation file without a mount, for scripts, git and continuous integration.
 *
 * anm.c      the table of commands, --help, --version
 * session.c  one open file: load, save, messages, walking the tree
 * check.c    check
 * completion.c  completion
 * convert.c  convert
 * diff.c     diff
 * dump.c     dump, build
 * show.c     info, ls, cat
 * edit.c     put, mkdir, rm, mv */
#include "tool.h"

#include "anm/lines.h"

#include <stdio.h>
#include <string.h>

const struct command tool_commands[] = {
    {"check",
     "PATH...",
     "whether files, and all in folders, are whole",
     tool_check,
     {{'v', "verbose", NULL, "also what is unusual"}}},
    {"info", "FILE...", "what the files hold", tool_info, {{'j', "json", NULL, "as JSON"}}},
    {"ls",
     "FILE [PATH]",
     "list a directory",
     tool_ls,
     {{'R', "recursive", NULL, "all below it, with whole paths"}, {'a', "all", NULL, "what is not listed, too"}}},
    {"cat",
     "FILE PATH...",
     "print nodes",
     tool_cat,
     {{'d', "degrees", NULL, "angles in degrees where the format has radians"}}},
    {"put", "FILE PATH [TEXT]", "replace a node's text by TEXT or standard input", tool_put, {{0}}},
    {"mkdir", "FILE PATH...", "make frames and bones", tool_mkdir, {{0}}},
    {"rm", "FILE PATH...", "remove nodes", tool_rm, {{'r', "recursive", NULL, "directories with what they hold"}}},
    {"mv", "FILE FROM TO", "retime a frame, rename a bone, move a text", tool_mv, {{0}}},
    {"dump",
     "FILE",
     "print the whole file as one text",
     tool_dump,
     {{'b', "by-bone", NULL, "keys bone by bone"},
      {'f', "by-frame", NULL, "keys frame by frame, as without it"},
      {'j', "json", NULL, "as JSON"},
      {'t', "textconv", NULL, "for git: what is no animation is printed in hex"}}},
    {"build",
     "[TEXT]",
     "make a file of such a text or JSON",
     tool_build,
     {{'o', "output", "FILE", "where to; standard output without it"}}},
    {"convert",
     "IN OUT",
     "write the animation in another version",
     tool_convert,
     {{'t', "to", "VERSION", "as in the file format: \"gem 6.1 frm3\", \"niff 2.0\""},
      {'l', "lossy", NULL, "also where something is lost"}}},
    {"diff",
     "A B",
     "what changed between two animations, by meaning",
     tool_diff,
     {{'e', "eps", "NUMBER", "numbers that differ by no more are equal (orientations: degrees)"},
      {'q', "quiet", NULL, "the exit status alone"}}},
    {"completion", "bash|zsh|fish", "print what completes these commands in a shell", tool_completion, {{0}}},
    {0},
};
enum { COMMANDS = sizeof tool_commands / sizeof tool_commands[0] - 1 };

static void print_usage(const struct command *self, FILE *out)
{
    fprintf(out, "usage: anm %s", self->name);
    for (const struct tool_option *o = self->options; o < self->options + TOOL_OPTIONS && o->name; o++) {
        fprintf(out, " [-%c", o->letter);
        fprintf(out, o->argument ? " %s]" : "]", o->argument);
    }
    fprintf(out, " %s\n", self->arguments);
}

int tool_usage(const struct command *self)
{
    print_usage(self, stderr);
    return TOOL_USAGE;
}

static void print_command(const struct command *self)
{
    print_usage(self, stdout);
    printf("%s\n", self->help);
    for (const struct tool_option *o = self->options; o < self->options + TOOL_OPTIONS && o->name; o++)
        printf("  -%c, --%s%s%s  %s\n", o->letter, o->name, o->argument ? " " : "", o->argument ? o->argument : "",
               o->help);
}

/* Which option `text` names, by letter or by its whole name of `size` bytes; -1: none. */
static int find_option(const struct command *self, char letter, const char *text, size_t size)
{
    for (int i = 0; i < TOOL_OPTIONS && self->options[i].name; i++)
        if (letter ? self->options[i].letter == letter
                   : strlen(self->options[i].name) == size && memcmp(self->options[i].name, text, size) == 0)
            return i;
    return -1;
}

static int refuse_option(const struct command *self, const char *given)
{
    const char *names[TOOL_OPTIONS + 2] = {"help"};
    for (int i = 0; i < TOOL_OPTIONS && self->options[i].name; i++)
        names[i + 1] = self->options[i].name;
    const char *word = given + strspn(given, "-"), *near = anm_nearest(word, strcspn(word, "="), names);
    fprintf(stderr, "anm: %s: unknown option %s", self->name, given);
    if (near && given[1] == '-')
        fprintf(stderr, "; did you mean --%s?", near);
    fputc('\n', stderr);
    tool_usage(self);
    return -1;
}

/* Notes an option and its argument: what stands behind it (`rest`, NULL: nothing), else the next element, `next`. Returns how many
 * elements more than its own it took, or -1 after printing what is wrong. */
static int choose(const struct command *self, int option, const char *rest, const char *next,
                  struct tool_chosen *chosen)
{
    const struct tool_option *o = &self->options[option];
    if (o->argument ? !rest && !next : rest != NULL) {
        fprintf(stderr, "anm: %s: --%s takes %s\n", self->name, o->name, o->argument ? o->argument : "nothing");
        tool_usage(self);
        return -1;
    }
    chosen->values[option] = !o->argument ? "" : rest ? rest : next;
    return o->argument && !rest;
}

static int long_option(const struct command *self, const char *given, const char *next, struct tool_chosen *chosen)
{
    size_t size = strcspn(given + 2, "=");
    int option = find_option(self, 0, given + 2, size);
    const char *rest = given[2 + size] ? given + 3 + size : NULL;
    return option < 0 ? refuse_option(self, given) : choose(self, option, rest, next, chosen);
}

static int short_options(const struct command *self, const char *given, const char *next, struct tool_chosen *chosen)
{
    for (const char *letter = given + 1; *letter; letter++) {
        int option = find_option(self, *letter, NULL, 0);
        if (option < 0)
            return refuse_option(self, given);
        if (self->options[option].argument)
            return choose(self, option, letter[1] ? letter + 1 : NULL, next, chosen);
        chosen->values[option] = "";
    }
    return 0;
}

int tool_options(const struct command *self, int argc, char **argv, struct tool_chosen *chosen)
{
    *chosen = (struct tool_chosen){{NULL}};
    for (int i = 1; i < argc; i++) {
        const char *next = i + 1 < argc ? argv[i + 1] : NULL;
        if (argv[i][0] != '-' || !argv[i][1])
            return i;
        if (strcmp(argv[i], "--") == 0)
            return i + 1;
        if (strcmp(argv[i], "--help") == 0) {
            print_command(self);
            return 0;
        }
        int more =
            argv[i][1] == '-' ? long_option(self, argv[i], next, chosen) : short_options(self, argv[i], next, chosen);
        if (more < 0)
            return -1;
        i += more;
    }
    return argc;
}

static void print_help(FILE *out)
{
    fputs("usage: anm COMMAND ARGUMENTS\n\n", out);
    for (int i = 0; i < COMMANDS; i++)
        fprintf(out, "  anm %-10s %-17s %s\n", tool_commands[i].name, tool_commands[i].arguments,
                tool_commands[i].help);
    fputs("\n  anm COMMAND --help tells its options; anm --help, anm --version\n\n"
          "FILE is an animation file; PATH is a node of its tree, such as frames/010/keys (see anmfs(5)).\n",
          out);
}

static int refuse_command(const char *given)
{
    const char *names[COMMANDS + 1] = {0};
    for (int i = 0; i < COMMANDS; i++)
        names[i] = tool_commands[i].name;
    const char *near = anm_nearest(given, strlen(given), names);
    if (near)
        fprintf(stderr, "anm: unknown command \"%s\"; did you mean %s?\n", given, near);
    else
        fprintf(stderr, "anm: unknown command \"%s\"; anm --help lists them\n", given);
    return TOOL_USAGE;
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
        if (strcmp(argv[1], tool_commands[i].name) == 0)
            return tool_commands[i].run(&tool_commands[i], argc - 1, argv + 1);
    return refuse_command(argv[1]);
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
