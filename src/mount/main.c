/* SPDX-License-Identifier: MIT */
/* mount.anmfs, also called anmfs: parse and check everything, then mount, then go to the background. */
#include "mount.h"

#include <errno.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* Opens and parses the file. 0, or the exit status with a message printed. */
static int load(struct mount *m)
{
    struct anm_error err;
    struct anm_store *store = anm_store_open(m->options.source, &err);
    if (!store && m->options.nofail && anm_error_errno(&err) == ENOENT) {
        m->options.fake = true;
        return 0;
    }
    if (!store)
        return fail(&m->options, &err);
    m->anim = anim_open(m, store, &err);
    if (!m->anim)
        return fail(&m->options, &err);
    const char *readonly = anm_store_readonly(store);
    const char *warning = anm_store_warning(store);
    if (readonly && !m->options.ro)
        say(m, LOG_WARNING, "%s: mounted read-only: %s", m->options.source, readonly);
    if (warning)
        say(m, LOG_WARNING, "%s: %s", m->options.source, warning);
    m->ro = m->options.ro || readonly;
    if (m->options.verbose)
        say(m, LOG_INFO, "%s: read, %s", anm_store_path(store), m->ro ? "read-only" : "read-write");
    return 0;
}

/* The root node, and eyes on the file's directory. */
static int prepare(struct mount *m)
{
    struct anm_error err;
    if (nodes_init(m) < 0 || !(m->root = node_add(m, NULL, "", NODE_DIR))) {
        anm_fail_nomem(&err);
        return fail(&m->options, &err);
    }
    m->anim->root = m->root;
    node_resolve(m->root);
    m->timeout = AMNT_FOREVER;
    m->watch = anm_watch_new(&err);
    m->anim->watch = m->watch ? anm_watch_store(m->watch, m->anim->store, &err) : -1;
    if (m->anim->watch < 0) {
        m->timeout = AMNT_UNWATCHED;
        say(m, LOG_WARNING, "%s: changes made outside show after a second: %s", m->options.source, err.text);
    }
    return 0;
}

/* The -o list for libfuse: what we say of the mount, then what the caller wants of the kernel. */
static char *session_options(const struct mount *m)
{
    ANM_AUTO(anm_buf_free) struct anm_buf word = {0};
    char *list = NULL;
    const struct options *o = &m->options;
    anm_buf_printf(&word, "fsname=%s", o->fsname ? o->fsname : anm_store_path(m->anim->store));
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
    status = prepare(m);
    if (!status)
        status = serve(m, target);
    return status;
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
    anim_close(m.anim);
    options_free(&m.options);
    return status;
}
