/* SPDX-License-Identifier: MIT */
/* Command lines of the mount: the first byte chooses the name it is called by, the rest are the arguments, each ended by a
 * line feed. What is refused is explained; what is accepted names a file and a directory; the same line gives the same
 * options again, and so does a list of options given word by word. */
#include "fuzz.h"

#include "../../src/mount/mount.h"

#include <getopt.h>
#include <stdio.h>

#define ARGUMENTS 32
#define WORDS 12

int LLVMFuzzerInitialize(int *argc, char ***argv);

static size_t said;

static ssize_t swallow(void *cookie, const char *bytes, size_t size)
{
    (void)cookie, (void)bytes;
    said += size;
    return (ssize_t)size;
}

/* What is printed is counted and goes nowhere. The fuzzer and the sanitizers have kept streams and descriptors of their own. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    const cookie_io_functions_t functions = {.write = swallow};
    FILE *sink = fopencookie(NULL, "w", functions);
    require(sink != NULL);
    setvbuf(sink, NULL, _IONBF, 0);
    stdout = stderr = sink;
    return 0;
}

/* getopt reorders what it is given, so it gets a copy. */
static int parse(struct options *o, int argc, char *const *given)
{
    char *argv[ARGUMENTS + 1];
    memcpy(argv, given, sizeof *argv * ((size_t)argc + 1));
    memset(o, 0, sizeof *o);
    said = 0;
    optind = 0; /* glibc: begin anew */
    int result = options_parse(o, argc, argv);
    require(result >= -1 && result <= 1);
    require((result != 0) == (said > 0));
    if (result == 0)
        require(o->source && o->target && o->program);
    return result;
}

static bool same_string(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* All but the operands. */
static bool same(const struct options *a, const struct options *b)
{
    return same_string(a->force, b->force) && same_string(a->fsname, b->fsname) &&
           same_string(a->subtype, b->subtype) && same_string(a->kernel, b->kernel) && a->ro == b->ro &&
           a->foreground == b->foreground && a->debug == b->debug && a->nofail == b->nofail &&
           a->fsync_ask == b->fsync_ask && a->allow_other == b->allow_other && a->raw == b->raw &&
           a->preview == b->preview && a->degrees == b->degrees && a->has_uid == b->has_uid &&
           a->has_gid == b->has_gid && a->has_umask == b->has_umask && a->uid == b->uid && a->gid == b->gid &&
           a->umask == b->umask;
}

/* Splits at each `end` in place; the empty rest after the last one is no field. NULL ends the fields. */
static int split(char *text, char end, char **fields, int room)
{
    int count = 0;
    while (*text && count < room) {
        char *next = strchr(text, end);
        fields[count++] = text;
        if (!next)
            break;
        *next = 0;
        text = next + 1;
    }
    fields[count] = NULL;
    return count;
}

static int commas(const char *list)
{
    int count = 0;
    for (; *list; list++)
        count += *list == ',';
    return count;
}

/* `-o a,b` is `-o a -o b`. */
static void check_list(char *program, const char *list)
{
    static char file[] = "FILE", dir[] = "DIR", option[] = "-o";
    char *argv[ARGUMENTS + 1] = {program, file, dir, option};
    char *words[WORDS + 1];
    struct options together, apart;
    char *copy = strdup(list);
    require(copy != NULL);
    argv[4] = copy;
    int result = parse(&together, 5, argv);
    char *cut = strdup(list);
    require(cut != NULL);
    int count = split(cut, ',', words, WORDS), argc = 3;
    for (int i = 0; i < count; i++) {
        argv[argc++] = option;
        argv[argc++] = words[i];
    }
    argv[argc] = NULL;
    int again = parse(&apart, argc, argv);
    require(result == again && (result != 0 || same(&together, &apart)));
    options_free(&together);
    options_free(&apart);
    free(copy);
    free(cut);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char programs[][24] = {"anmfs", "mount.anmfs", "/sbin/mount.anmfs", "x/"};
    if (size < 2 || size > 4096)
        return 0;
    char *text = strndup((const char *)data + 1, size - 1);
    require(text != NULL);
    char *argv[ARGUMENTS + 1] = {programs[data[0] % 4]};
    int argc = 1 + split(text, '\n', argv + 1, ARGUMENTS - 1);
    struct options first, second;
    int result = parse(&first, argc, argv);
    int again = parse(&second, argc, argv);
    require(result == again && (result != 0 || (same(&first, &second) && first.source == second.source)));
    options_free(&first);
    options_free(&second);
    if (argc > 1 && !strchr(argv[1], '\\') && commas(argv[1]) < WORDS)
        check_list(argv[0], argv[1]);
    free(text);
    return 0;
}
