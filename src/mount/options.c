/* SPDX-License-Identifier: MIT */
/* The option table and the command line. Called as mount.anmfs the letters mean what mount(8) means by them; called by
 * any other name what FUSE programs mean. */
#include "mount.h"

#include "anm/lines.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <grp.h>
#include <pwd.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef ANM_VERSION
#define ANM_VERSION "0"
#endif

/* What an option does with the word or its value. Returns false when the value is wrong. */
typedef bool apply_fn(struct options *o, const char *word, const char *value);

struct row {
    const char *name; /* "uid=" takes a value; a trailing "*" stands for any rest */
    apply_fn *apply;
    const char *help; /* NULL: not in --help (mount(8)'s own words) */
};

static bool set_ro(struct options *o, const char *word, const char *value)
{
    (void)value;
    o->ro = strcmp(word, "ro") == 0;
    return true;
}

static bool set_flag(struct options *o, const char *word, const char *value)
{
    const struct {
        const char *word;
        bool *flag;
    } flags[] = {{"foreground", &o->foreground},
                 {"debug", &o->debug},
                 {"allow_other", &o->allow_other},
                 {"raw", &o->raw},
                 {"preview", &o->preview},
                 {"nofail", &o->nofail},
                 {"all", &o->all},
                 {"degrees", &o->degrees}};
    (void)value;
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        if (strcmp(word, flags[i].word) == 0)
            *flags[i].flag = true;
    }
    return true;
}

static bool parse_id(const char *value, uint32_t *id)
{
    char *end;
    errno = 0;
    unsigned long number = strtoul(value, &end, 10);
    if (end == value || *end || errno || number >= UINT32_MAX || *value == '-')
        return false;
    *id = (uint32_t)number;
    return true;
}

static bool set_uid(struct options *o, const char *word, const char *value)
{
    (void)word;
    const struct passwd *user = getpwnam(value);
    o->has_uid = true;
    if (user)
        o->uid = user->pw_uid;
    return user || parse_id(value, &o->uid);
}

static bool set_gid(struct options *o, const char *word, const char *value)
{
    (void)word;
    const struct group *group = getgrnam(value);
    o->has_gid = true;
    if (group)
        o->gid = group->gr_gid;
    return group || parse_id(value, &o->gid);
}

static bool set_umask(struct options *o, const char *word, const char *value)
{
    char *end;
    unsigned long bits = strtoul(value, &end, 8);
    (void)word;
    o->has_umask = true;
    o->umask = (mode_t)bits;
    return end != value && !*end && bits <= 0777;
}

static bool set_fsync(struct options *o, const char *word, const char *value)
{
    (void)word;
    o->fsync_ask = strcmp(value, "ask") == 0;
    return o->fsync_ask || strcmp(value, "always") == 0;
}

static bool set_string(struct options *o, const char *word, const char *value)
{
    char **string = strcmp(word, "fsname=") == 0    ? &o->fsname
                    : strcmp(word, "subtype=") == 0 ? &o->subtype
                    : strcmp(word, "tim=") == 0     ? &o->tim
                    : strcmp(word, "version=") == 0 ? &o->version
                                                    : &o->force;
    free(*string);
    *string = strdup(value);
    return *string != NULL && *value;
}

static bool set_fps(struct options *o, const char *word, const char *value)
{
    (void)word;
    o->fps = strcmp(value, "50") == 0 ? 50 : 60;
    return o->fps == 50 || strcmp(value, "60") == 0;
}

/* Bytes, or with K, M or G the units of 1024. */
static bool set_memory(struct options *o, const char *word, const char *value)
{
    static const char units[] = "KMG";
    char *end;
    (void)word;
    errno = 0;
    unsigned long long number = strtoull(value, &end, 10);
    if (end == value || *value == '-' || errno)
        return false;
    const char *unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
    for (ptrdiff_t i = unit ? unit - units + 1 : 0; i > 0; i--) {
        if (number > SIZE_MAX / 1024)
            return false;
        number *= 1024;
    }
    o->memory = (size_t)number;
    return number > 0 && (unit ? end[1] == 0 : *end == 0);
}

static bool to_kernel(struct options *o, const char *word, const char *value)
{
    (void)value;
    return fuse_opt_add_opt(&o->kernel, word) == 0;
}

static bool ignore(struct options *o, const char *word, const char *value)
{
    (void)o, (void)word, (void)value;
    return true;
}

static const struct row rows[] = {
    {"ro", set_ro, "read-only"},
    {"rw", set_ro, "read-write (default where the file can be replaced)"},
    {"uid=", set_uid, "owner shown, name or number"},
    {"gid=", set_gid, "group shown, name or number"},
    {"umask=", set_umask, "permission bits not shown, octal"},
    {"allow_other", set_flag, "let other users in"},
    {"allow_root", to_kernel, "let root in"},
    {"default_permissions", ignore, "let the kernel check permissions (always on)"},
    {"fsync=", set_fsync, "always: every save reaches the disk (default); ask: only fsync does"},
    {"format=", set_string, "take the file for this family, the first word of its format"},
    {"tim=", set_string, "images of a PlayStation animation, FILE:FILE... (default: *.tim beside it)"},
    {"fps=", set_fps, "display frames a second of moving previews: 60 (default) or 50 (PAL)"},
    {"degrees", set_flag, "print angles that are stored in radians in degrees, as 90deg"},
    {"fsname=", set_string, "name of the source in the mount table (default: the file's path)"},
    {"subtype=", set_string, "subtype in the mount table (default: anmfs)"},
    {"version=", set_string, "format of animations that mkdir makes (default: gem 6.0 frm2)"},
    {"memory=", set_memory, "what a directory's animations may take, as 256M (default)"},
    {"all", set_flag, "try every file of a directory, whatever its name"},
    {"raw", set_flag, "list raw/"},
    {"preview", set_flag, "list preview/"},
    {"foreground", set_flag, "stay in the foreground"},
    {"debug", set_flag, "print requests; implies foreground"},
    {"nofail", set_flag, "an absent file is no error"},
    {"suid", to_kernel, NULL},
    {"nosuid", to_kernel, NULL},
    {"dev", to_kernel, NULL},
    {"nodev", to_kernel, NULL},
    {"exec", to_kernel, NULL},
    {"noexec", to_kernel, NULL},
    {"atime", to_kernel, NULL},
    {"noatime", to_kernel, NULL},
    {"sync", to_kernel, NULL},
    {"async", to_kernel, NULL},
    {"dirsync", to_kernel, NULL},
    {"defaults", ignore, NULL},
    {"auto", ignore, NULL},
    {"noauto", ignore, NULL},
    {"user", ignore, NULL},
    {"users", ignore, NULL},
    {"nouser", ignore, NULL},
    {"owner", ignore, NULL},
    {"group", ignore, NULL},
    {"_netdev", ignore, NULL},
    {"relatime", ignore, NULL},
    {"norelatime", ignore, NULL},
    {"strictatime", ignore, NULL},
    {"nostrictatime", ignore, NULL},
    {"lazytime", ignore, NULL},
    {"nolazytime", ignore, NULL},
    {"diratime", ignore, NULL},
    {"nodiratime", ignore, NULL},
    {"comment=", ignore, NULL},
    {"user=", ignore, NULL},
    {"x-*", ignore, NULL},
};
#define ROWS (sizeof rows / sizeof rows[0])

/* The row for a word as given ("uid=5" finds "uid="). */
static const struct row *find_row(const char *word)
{
    for (size_t i = 0; i < ROWS; i++) {
        size_t size = strlen(rows[i].name);
        char last = rows[i].name[size - 1];
        if (last == '*'   ? strncmp(word, rows[i].name, size - 1) == 0
            : last == '=' ? strncmp(word, rows[i].name, size) == 0
                          : strcmp(word, rows[i].name) == 0)
            return &rows[i];
    }
    return NULL;
}

static int unknown(const struct options *o, const char *word)
{
    const char *names[ROWS + 1] = {0};
    if (strcmp(word, "remount") == 0) {
        fprintf(stderr, "%s: a mount cannot be changed: umount %s, then mount it again\n", o->program,
                o->target ? o->target : "it");
        return -1;
    }
    if (o->sloppy)
        return 0;
    for (size_t i = 0; i < ROWS; i++)
        names[i] = rows[i].name;
    const char *near = anm_nearest(word, strcspn(word, "=") + (strchr(word, '=') != NULL), names);
    fprintf(stderr, "%s: unknown option '%s'", o->program, word);
    if (near)
        fprintf(stderr, "; did you mean '%s'?", near);
    fputc('\n', stderr);
    return -1;
}

static int apply_word(struct options *o, const char *word)
{
    const struct row *row = find_row(word);
    if (!*word)
        return 0;
    if (!row)
        return unknown(o, word);
    const char *value = strchr(word, '=');
    if (row->apply(o, strchr(row->name, '=') ? row->name : word, value ? value + 1 : ""))
        return 0;
    fprintf(stderr, "%s: option '%s': wrong value\n", o->program, word);
    return -1;
}

/* Splits at commas; "\," is a comma of the value. */
static int apply_list(struct options *o, const char *list)
{
    ANM_AUTO(anm_buf_free) struct anm_buf word = {0};
    for (const char *c = list;; c++) {
        if (*c == '\\' && c[1]) {
            anm_buf_putc(&word, *++c);
        } else if (*c && *c != ',') {
            anm_buf_putc(&word, *c);
        } else {
            const char *text = anm_buf_cstr(&word);
            if (!text || apply_word(o, text) < 0)
                return -1;
            word.size = 0;
            if (!*c)
                return 0;
        }
    }
}

static void help(const struct options *o)
{
    printf(
        "Usage: %s FILE|FOLDER DIR [options]\n"
        "Shows the animation FILE, or those in FOLDER, as a tree of small files at DIR. Each save goes back into its\n"
        "file.\n\n"
        "  -o OPTION[,OPTION…]  see below\n"
        "  %s\n"
        "  -d, --debug          stay in the foreground and print requests\n"
        "      --foreground     stay in the foreground\n"
        "  -v, --verbose        say what is done\n"
        "  -n                   no-op, as for every mount helper\n"
        "  -s                   %s\n"
        "  -t TYPE              anmfs.gem forces the family\n"
        "  -h, --help           this text\n"
        "  -V, --version        version\n\nOptions for -o:\n",
        o->program,
        o->helper ? "-f                   fake: check the file, mount nothing"
                  : "-f                   stay in the foreground",
        o->helper ? "ignore unknown options" : "no-op (there is one thread of requests)");
    for (size_t i = 0; i < ROWS; i++) {
        if (rows[i].help)
            printf("  %-20s %s\n", rows[i].name, rows[i].help);
    }
    printf("\nUnmount with umount DIR or fusermount3 -u DIR. Manuals: mount.anmfs(8), anmfs(5).\n");
}

static int set_type(struct options *o, const char *type)
{
    const char *dot = strrchr(type, '.');
    if (!dot || strcmp(dot + 1, "anmfs") == 0 || set_string(o, "format=", dot + 1))
        return 0;
    fprintf(stderr, "%s: -t %s: expected anmfs.FAMILY\n", o->program, type);
    return -1;
}

/* One letter. 0, 1 when all is said, -1 when wrong. */
static int apply_letter(struct options *o, int letter)
{
    switch (letter) {
    case 'o':
        return apply_list(o, optarg);
    case 'f':
        *(o->helper ? &o->fake : &o->foreground) = true;
        return 0;
    case 'F':
        o->foreground = true;
        return 0;
    case 's':
        o->sloppy = o->helper;
        return 0;
    case 'd':
        o->debug = true;
        return 0;
    case 'v':
        o->verbose = true;
        return 0;
    case 'n':
        return 0;
    case 't':
        return set_type(o, optarg);
    case 'h':
        help(o);
        return 1;
    case 'V':
        printf("anmfs %s, libfuse %s\n", ANM_VERSION, fuse_pkgversion());
        return 1;
    case 'N':
        fprintf(stderr, "%s: -N: other mount namespaces are not supported\n", o->program);
        return -1;
    default:
        fprintf(stderr, "Try '%s --help'.\n", o->program);
        return -1;
    }
}

int options_parse(struct options *o, int argc, char **argv)
{
    static const struct option longs[] = {
        {"help", no_argument, NULL, 'h'},          {"version", no_argument, NULL, 'V'},
        {"debug", no_argument, NULL, 'd'},         {"foreground", no_argument, NULL, 'F'},
        {"verbose", no_argument, NULL, 'v'},       {"fake", no_argument, NULL, 'f'},
        {"options", required_argument, NULL, 'o'}, {NULL, 0, NULL, 0}};
    static const char letters[] = "o:fsdvnht:VN:";
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    o->program = slash ? slash + 1 : argc > 0 ? argv[0] : "mount.anmfs";
    o->helper = strncmp(o->program, "mount.", 6) == 0;
    /* -s is wanted before the options it makes harmless: mount(8) puts it first, people may not. */
    opterr = 0;
    for (int letter; (letter = getopt_long(argc, argv, letters, longs, NULL)) != -1;)
        o->sloppy = o->sloppy || (o->helper && letter == 's');
    opterr = 1;
    optind = 0;
    for (int letter; (letter = getopt_long(argc, argv, letters, longs, NULL)) != -1;) {
        int result = apply_letter(o, letter);
        if (result)
            return result;
    }
    if (argc - optind != 2) {
        fprintf(stderr, "%s: expected FILE and DIR. Try '%s --help'.\n", o->program, o->program);
        return -1;
    }
    o->source = argv[optind];
    o->target = argv[optind + 1];
    o->foreground = o->foreground || o->debug;
    return 0;
}

void options_free(struct options *o)
{
    free(o->force);
    free(o->fsname);
    free(o->subtype);
    free(o->tim);
    free(o->kernel);
    free(o->version);
}
