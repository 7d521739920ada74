/* SPDX-License-Identifier: MIT */
/* What the commands of `anm` share. A command gets its own arguments, argv[0] being its name, and returns the exit
 * status; what went wrong has been printed by then. */
#ifndef ANM_TOOL_H
#define ANM_TOOL_H

#include "anm/store.h"
#include "anm/tree.h"

enum { TOOL_OK = 0, TOOL_FAILED = 1, TOOL_USAGE = 2 };

/* An option of a command. */
struct tool_option {
    char letter;          /* 0: it has none */
    const char *name;     /* "recursive": of --recursive */
    const char *argument; /* what it takes, as the help shows it; NULL: nothing */
    const char *help;
};
enum { TOOL_OPTIONS = 4 };

struct command {
    const char *name;
    const char *arguments; /* as the usage line shows them */
    const char *help;
    int (*run)(const struct command *self, int argc, char **argv);
    struct tool_option options[TOOL_OPTIONS]; /* those without a name are none */
};

/* The options given: the argument of each, "" for one that takes none, NULL for one that was not given. */
struct tool_chosen {
    const char *values[TOOL_OPTIONS];
};

/* convert.c */
int tool_convert(const struct command *self, int argc, char **argv);

/* diff.c */
int tool_diff(const struct command *self, int argc, char **argv);

/* All there are; the one behind the last has no name. anm.c */
extern const struct command tool_commands[];

/* completion.c */
int tool_completion(const struct command *self, int argc, char **argv);

/* dump.c */
int tool_dump(const struct command *self, int argc, char **argv);
int tool_build(const struct command *self, int argc, char **argv);

/* check.c */
int tool_check(const struct command *self, int argc, char **argv);

/* show.c */
int tool_info(const struct command *self, int argc, char **argv);
int tool_ls(const struct command *self, int argc, char **argv);
int tool_cat(const struct command *self, int argc, char **argv);

/* edit.c */
int tool_put(const struct command *self, int argc, char **argv);
int tool_mkdir(const struct command *self, int argc, char **argv);
int tool_rm(const struct command *self, int argc, char **argv);
int tool_mv(const struct command *self, int argc, char **argv);

/* Prints how the command is called. Returns TOOL_USAGE. */
int tool_usage(const struct command *self);

/* Parses the options before the other arguments. Returns how many elements of argv they took (the command's name included); 0 when
 * help was asked for and printed; -1 after printing what is wrong. */
int tool_options(const struct command *self, int argc, char **argv, struct tool_chosen *chosen);
/* What a command returns then. */
static inline int tool_early(int at)
{
    return at < 0 ? TOOL_USAGE : TOOL_OK;
}

/* One animation file, opened. `doc` is what the file holds now. */
struct session {
    bool degrees; /* to be set before: angles are printed in degrees */
    const char *file;
    struct anm_store *store;
    const struct anm_doc *doc;
};

/* Appends all of standard input. 0, or -1 with `err`. */
int session_read_stdin(struct anm_buf *text, struct anm_error *err);
/* Appends all of a file, "-" being standard input. 0, or -1 with `err`. */
int session_read(const char *file, struct anm_buf *bytes, struct anm_error *err);
/* Opens and decodes `file`; "-" is standard input, and what is saved goes to standard output then. Returns 0, or -1 after printing why. */
int session_open(struct session *session, const char *file);
/* For ANM_AUTO. */
void session_close(struct session *session);
/* Saves `doc`, unless it is the document the file holds already. Returns 0, or -1 after printing why. */
int session_save(struct session *session, const struct anm_doc *doc);

/* Writes `doc` to a file, which need not be there, or with "-" to standard output; messages are about `file`. Returns 0, or -1 after printing why. */
int session_write(const char *file, const struct anm_doc *doc);

/* Prints `err` as "FILE: PATH:LINE:COLUMN: text"; without a path (NULL or the root) as "FILE: text". Returns -1. */
int session_fail(const struct session *session, const char *path, const struct anm_error *err);

/* Makes a path of the command line one of the tree, in place: no slash at either end, "." is the root. */
char *session_path(char *path);

/* Calls `each(arg, path, ref)` for everything below `dir` (path "" for the root), parents first, in listing order;
 * `deep` enters directories. Stops when `each` or an allocation fails. Returns 0, or -1 with `err`. */
int session_walk(const struct anm_doc *doc, const struct anm_ref *dir, const char *path, unsigned classes, bool deep,
                 int (*each)(void *arg, const char *path, const struct anm_ref *ref), void *arg, struct anm_error *err);

#endif
