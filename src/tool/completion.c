/* SPDX-License-Identifier: MIT */
/* completion: what shells are told of the commands, from the same table as the help. */
#include "tool.h"

#include <stdio.h>
#include <string.h>

/* `text` inside single quotes of a shell. */
static void print_quoted(const char *text)
{
    for (; *text; text++)
        *text == '\'' ? fputs("'\\''", stdout) : putchar(*text);
}

/* Whether arguments after the file are paths in its tree. */
static bool takes_paths(const struct command *c)
{
    return strncmp(c->arguments, "FILE ", 5) == 0;
}

#define EACH_COMMAND(c) for (const struct command *c = tool_commands; c->name; c++)
#define EACH_OPTION(c, o)                                                                                              \
    for (const struct tool_option *o = (c)->options; o < (c)->options + TOOL_OPTIONS && o->name; o++)

static void print_bash(void)
{
    puts("# bash completion for anm\n"
         "_anm()\n"
         "{\n"
         "    local cur=${COMP_WORDS[COMP_CWORD]} file=${COMP_WORDS[2]-} options='' paths=''\n"
         "    COMPREPLY=()");
    fputs("    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        mapfile -t COMPREPLY < <(compgen -W '", stdout);
    EACH_COMMAND(c)
    {
        printf("%s ", c->name);
    }
    puts("--help --version' -- \"$cur\")\n        return\n    fi\n    case ${COMP_WORDS[1]} in");
    EACH_COMMAND(c)
    {
        printf("    %s) options='", c->name);
        EACH_OPTION(c, o)
        {
            printf("-%c --%s ", o->letter, o->name);
        }
        printf("--help' paths=%s ;;\n", takes_paths(c) ? "yes" : "''");
    }
    puts("    esac\n"
         "    if [[ $cur == -* ]]; then\n"
         "        mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$cur\")\n"
         "    elif [ \"$paths\" ] && [ \"$COMP_CWORD\" -gt 2 ] && [ -f \"$file\" ]; then\n"
         "        mapfile -t COMPREPLY < <(compgen -W \"$(\"$1\" ls -Ra \"$file\" 2>/dev/null)\" -- \"$cur\")\n"
         "    else\n"
         "        mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
         "    fi\n"
         "}\n"
         "complete -o filenames -F _anm anm");
}

static void print_zsh(void)
{
    puts("#compdef anm\n"
         "_anm()\n"
         "{\n"
         "    local -a commands=(");
    EACH_COMMAND(c)
    {
        printf("        '%s:", c->name);
        print_quoted(c->help);
        puts("'");
    }
    puts("    )\n"
         "    if (( CURRENT == 2 )); then\n"
         "        _describe command commands\n"
         "        return\n"
         "    fi\n"
         "    local command=$words[2]\n"
         "    shift words\n"
         "    (( CURRENT-- ))\n"
         "    case $command in");
    EACH_COMMAND(c)
    {
        printf("    %s) _arguments -s", c->name);
        EACH_OPTION(c, o)
        {
            printf(" '(-%c --%s)'{-%c,--%s%s}'[", o->letter, o->name, o->letter, o->name, o->argument ? "=" : "");
            print_quoted(o->help);
            printf("]%s%s'", o->argument ? ":" : "", o->argument ? o->argument : "");
        }
        puts(" '*:file:_files' ;;");
    }
    puts("    esac\n"
         "}\n"
         "_anm \"$@\"");
}

static void print_fish(void)
{
    puts("# fish completion for anm");
    EACH_COMMAND(c)
    {
        printf("complete -c anm -n __fish_use_subcommand -f -a %s -d '", c->name);
        print_quoted(c->help);
        puts("'");
        EACH_OPTION(c, o)
        {
            printf("complete -c anm -n '__fish_seen_subcommand_from %s' -s %c -l %s%s -d '", c->name, o->letter,
                   o->name, o->argument ? " -r" : "");
            print_quoted(o->help);
            puts("'");
        }
    }
}

int tool_completion(const struct command *self, int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*print)(void);
    } shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
    struct tool_chosen chosen;
    int at = tool_options(self, argc, argv, &chosen);
    if (at <= 0)
        return tool_early(at);
    for (size_t i = 0; argc - at == 1 && i < sizeof shells / sizeof *shells; i++)
        if (strcmp(argv[at], shells[i].name) == 0) {
            shells[i].print();
            return TOOL_OK;
        }
    return tool_usage(self);
}
