/* SPDX-License-Identifier: MIT */
/* mount.anmfs, also called anmfs: parse and check everything, then mount, then go to the background. */
#include "mount.h"

#include <errno.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <syslog.h>

/* Exit codes of mount(8). */
enum { EXIT_USAGE = 1, EXIT_SYSTEM = 2, EXIT_MOUNT = 32 };

static int fail(const struct options *o, const struct anm_error *err)
{
    ANM_AUTO(anm_buf_free) struct anm_buf text = {0};
    anm_error_print(err, o->source, &text);
    const char *line = anm_buf_cstr(&text);
    fprintf(stderr, "%s: %s", o->program, line ? line : "out of memory\n");
    return EXIT_MOUNT;
}

/* Parses the file of `store`. 0, or the exit status with a message printed. */
static int load_file(struct mount *m, struct anm_store *store)
{
    struct anm_error err;
    m->own = anim_open(m, store, &err);
    if (!m->own)
        return fail(&m->options, &err);
    m->root = node_add(m, m->own, NULL, "", NODE_DIR);
    if (!m->root) {
        anim_free(m->own);
        anm_fail_nomem(&err);
        return fail(&m->options, &err);
    }
    m->own->root = m->root;
    node_resolve(m->root);
    const char *readonly = anm_store_readonly(store);
    const char *warning = anm_store_warning(store);
    if (readonly && !m->options.ro)
        say(m, LOG_WARNING, "%s: mounted read-only: %s", m->options.source, readonly);
    if (warning)
        say(m, LOG_WARNING, "%s: %s", m->options.source, warning);
    m->ro = m->options.ro || readonly;
    return 0;
}

/* A file system, or a process, may have as many files open as it likes; each folder that was entered is one. */
static void raise_limit(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) < 0 || files.rlim_cur >= files.rlim_max)
        return;
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
}

/* Shows the directory, and looks at nothing in it. */
static int load_directory(struct mount *m, struct anm_folder *folder)
{
    struct anm_error err;
    struct statvfs fs;
    m->mirror = true;
    raise_limit();
    if (mirror_open(m, folder, &err) < 0 || anm_folder_statvfs(folder, &fs, &err) < 0)
        return fail(&m->options, &err);
    const char *version = entry_version(m);
    struct anm_doc *blank = anm_tree_blank(version, strlen(version), &err);
    anm_doc_unref(blank);
    if (!blank) {
        fprintf(stderr, "%s: version=%s: %s\n", m->options.program, version, err.text);
        return EXIT_USAGE;
    }
    bool readonly = fs.f_flag & ST_RDONLY;
    if (readonly && !m->options.ro)
        say(m, LOG_WARNING, "%s: mounted read-only: the filesystem is mounted read-only", m->options.source);
    m->ro = m->options.ro || readonly;
    return 0;
}

/* What is to be shown, a file, else a directory. 0, or the exit status with a message printed. */
static int load(struct mount *m)
{
    struct anm_error err, why;
    struct anm_store *store = anm_store_open(m->options.source, &err);
    if (!store && m->options.nofail && anm_error_errno(&err) == ENOENT) {
        m->options.fake = true;
        return 0;
    }
    struct anm_folder *folder = !store && err.reason == ANM_DENIED ? anm_folder_open(m->options.source, &why) : NULL;
    if (!store && !folder)
        return fail(&m->options, &err);
    m->source = realpath(m->options.source, NULL);
    if (nodes_init(m) < 0 || !m->source) {
        anm_store_close(store);
        anm_folder_unref(folder);
        anm_fail_nomem(&err);
        return fail(&m->options, &err);
    }
    int status = store ? load_file(m, store) : load_directory(m, folder);
    if (!status && m->options.verbose)
        say(m, LOG_INFO, "%s: read, %s", m->source, m->ro ? "read-only" : "read-write");
    return status;
}

/* Eyes on what happens outside. */
static void watch(struct mount *m)
{
    struct anm_error err;
    m->watch = anm_watch_new(&err);
    if (m->mirror && m->watch) /* each folder when it is entered */
        return;
    if (m->watch)
        m->own->watch = anm_watch_store(m->watch, m->own->store, &err);
    if (m->own->watch < 0)
        mirror_unwatched(m, &err);
}

/* The -o list for libfuse: what we say of the mount, then what the caller wants of the kernel. */
static char *session_options(const struct mount *m)
{
    ANM_AUTO(anm_buf_free) struct anm_buf word = {0};
    char *list = NULL;
    const struct options *o = &m->options;
    anm_buf_printf(&word, "fsname=%s", o->fsname ? o->fsname : m->source);
    const char *fsname = anm_buf_cstr(&word);
    if (!fsname || fuse_opt_add_opt_escaped(&list, fsname) < 0)
        return NULL;
    word.size = 0;
    anm_buf_printf(&word, "subtype=%s", o->subtype ? o->subtype : "anmfs");
    const char *subtype = anm_buf_cstr(&word);
    if (!subtype || fuse_opt_add_opt_escaped(&list, subtype) < 0 ||
        fuse_opt_add_opt(&list, "default_permissions") < 0 || (m->ro && fuse_opt_add_opt(&list, "ro") < 0) ||
        (o->allow_other && fuse_opt_add_opt(&list, "allow_other") < 0) ||
        (o->kernel && fuse_opt_add_opt(&list, o->kernel) < 0) || (o->debug && fuse_opt_add_opt(&list, "debug") < 0)) {
        free(list);
        return NULL;
    }
    return list;
}

/* Mounts at `target`, an absolute path. 0 or the exit status; libfuse has printed the reason. */
static int mount_at(struct mount *m, const char *target)
{
    struct fuse_args args = FUSE_ARGS_INIT(0, NULL);
    ANM_AUTO(anm_freep) char *list = session_options(m);
    if (!list || fuse_opt_add_arg(&args, m->options.program) < 0 || fuse_opt_add_arg(&args, "-o") < 0 ||
        fuse_opt_add_arg(&args, list) < 0) {
        fuse_opt_free_args(&args);
        return EXIT_SYSTEM;
    }
    m->session = fuse_session_new(&args, &amnt_ops, sizeof amnt_ops, m);
    fuse_opt_free_args(&args);
    if (!m->session)
        return EXIT_USAGE;
    return fuse_session_mount(m->session, target) == 0 ? 0 : EXIT_MOUNT;
}

static int serve(struct mount *m, const char *target)
{
    loop_signals();
    int status = mount_at(m, target);
    if (status)
        return status;
    if (m->options.verbose)
        say(m, LOG_INFO, "mounted at %s", target);
    if (fuse_daemonize(m->options.foreground) != 0)
        return EXIT_SYSTEM;
    m->background = !m->options.foreground;
    if (m->background)
        openlog(m->options.program, LOG_PID, LOG_USER);
    int error = loop_run(m, target);
    if (error)
        say(m, LOG_ERR, "%s: %s", target, strerrordesc_np(error));
    return error ? EXIT_SYSTEM : 0;
}

/* Whether one of ours is mounted there already: a second one would only hide it. */
static bool is_mounted(const char *target)
{
    bool found = false;
    FILE *table = setmntent("/proc/self/mounts", "r");
    for (const struct mntent *entry; table && (entry = getmntent(table)) != NULL;)
        found = found || (strcmp(entry->mnt_dir, target) == 0 && strcmp(entry->mnt_type, "fuse.anmfs") == 0);
    if (table)
        endmntent(table);
    return found;
}

/* The absolute path of the mount point; NULL with a message printed. */
static char *find_target(const struct options *o)
{
    struct stat st;
    char *target = realpath(o->target, NULL);
    bool there = target && stat(target, &st) == 0;
    int error = errno;
    bool directory = there && S_ISDIR(st.st_mode);
    if (directory && !is_mounted(target))
        return target;
    if (directory)
        fprintf(stderr, "%s: %s: an animation is mounted there already (fusermount3 -u %s)\n", o->program, o->target,
                o->target);
    else if (!there && error == ENOTCONN)
        fprintf(stderr, "%s: %s: a mount whose daemon died; free it with: fusermount3 -u %s\n", o->program, o->target,
                o->target);
    else
        fprintf(stderr, "%s: %s: %s\n", o->program, o->target, strerrordesc_np(there ? ENOTDIR : error));
    free(target);
    return NULL;
}

static int run(struct mount *m)
{
    int status = load(m);
    if (status || m->options.fake)
        return status;
    ANM_AUTO(anm_freep) char *target = find_target(&m->options);
    if (!target)
        return EXIT_MOUNT;
    if (m->mirror && is_inside(m->source, target)) {
        fprintf(stderr, "%s: %s: is inside %s, and would show itself; mount it elsewhere\n", m->options.program,
                m->options.target, m->options.source);
        return EXIT_MOUNT;
    }
    watch(m);
    return serve(m, target);
}

int main(int argc, char **argv)
{
    struct mount m = {0};
    int result = options_parse(&m.options, argc, argv);
    int status = result < 0 ? EXIT_USAGE : 0;
    if (result == 0)
        status = run(&m);
    if (m.session) {
        fuse_session_unmount(m.session);
        fuse_session_destroy(m.session);
    }
    nodes_free(&m);
    anm_watch_free(m.watch);
    free(m.watched);
    free(m.source);
    options_free(&m.options);
    return status;
}
