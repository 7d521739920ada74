/* SPDX-License-Identifier: MIT */
/* Files on disk: what the system refuses, places that cannot be written, what killed programs left, watching. */
#include "../../src/store/store_private.h"
#include "store_dir.h"
#include "suites.h"

#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <ucontext.h>

/* As long as the kernel allows, with characters of two bytes where a cut may come. */
static const char *longest_name(void)
{
    static char name[NAME_MAX + 1];
    memset(name, 'n', NAME_MAX);
    for (size_t i = 200; i + 1 < NAME_MAX; i += 2)
        memcpy(name + i, "\xc3\xa4", 2);
    return name;
}

/* --- system calls that fail --- */

struct fault {
    const char *what;
    int call;
    int sys;       /* what it fails with; 0: SIGSYS instead */
    unsigned arg;  /* only when this argument */
    uint32_t bits; /* has one of these bits; 0: always */
    enum anm_sync sync;
    bool fails;    /* the save does */
    bool replaced; /* the new content is there all the same */
};

/* What the C library calls for renameat(): newer architectures have the second alone. */
#ifdef SYS_renameat
#define RENAMEAT SYS_renameat
#else
#define RENAMEAT SYS_renameat2
#endif

static const struct fault faults[] = {
    {"no O_TMPFILE here", SYS_openat, EOPNOTSUPP, 2, O_TMPFILE & ~O_DIRECTORY, ANM_SYNC_DATA, false, true},
    {"O_TMPFILE unknown", SYS_openat, EISDIR, 2, O_TMPFILE & ~O_DIRECTORY, ANM_SYNC_DATA, false, true},
    {"no linkat without /proc", SYS_linkat, ENOENT, 0, 0, ANM_SYNC_DATA, false, true},
    {"linkat forbidden", SYS_linkat, EPERM, 0, 0, ANM_SYNC_FULL, false, true},
    {"no locks", SYS_flock, ENOLCK, 0, 0, ANM_SYNC_DATA, false, true},
    {"locks unknown", SYS_flock, EOPNOTSUPP, 0, 0, ANM_SYNC_DATA, false, true},
    {"locks broken", SYS_flock, EIO, 0, 0, ANM_SYNC_DATA, true, false},
    {"no temporary file", SYS_openat, EACCES, 2, O_WRONLY, ANM_SYNC_DATA, true, false},
    {"no xattrs", SYS_flistxattr, ENOTSUP, 0, 0, ANM_SYNC_DATA, false, true},
    {"xattr list", SYS_flistxattr, EIO, 0, 0, ANM_SYNC_DATA, true, false},
    {"xattr read", SYS_fgetxattr, EIO, 0, 0, ANM_SYNC_DATA, true, false},
    {"xattr gone", SYS_fgetxattr, ENODATA, 0, 0, ANM_SYNC_DATA, false, true},
    {"xattr set", SYS_fsetxattr, EPERM, 0, 0, ANM_SYNC_DATA, true, false},
    {"mode", SYS_fchmod, EPERM, 0, 0, ANM_SYNC_DATA, true, false},
    {"sync", SYS_fdatasync, EIO, 0, 0, ANM_SYNC_DATA, true, false},
    {"sync not asked for", SYS_fdatasync, EIO, 0, 0, ANM_SYNC_NONE, false, true},
    {"rename", RENAMEAT, EIO, 0, 0, ANM_SYNC_DATA, true, false},
    {"random", SYS_getrandom, ENOSYS, 0, 0, ANM_SYNC_DATA, true, false},
    {"directory sync", SYS_fsync, EIO, 0, 0, ANM_SYNC_FULL, true, true},
    {"directory sync unknown", SYS_fsync, EINVAL, 0, 0, ANM_SYNC_FULL, false, true},
    {"directory sync not asked for", SYS_fsync, EIO, 0, 0, ANM_SYNC_DATA, false, true},
};

/* Lets the system call fail in this process from now on. */
static bool arm(const struct fault *fault)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)fault->call, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, args) + 8 * fault->arg +
                                               (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0)),
        fault->bits ? (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, fault->bits, 0, 1)
                    : (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JA, 0, 0, 0),
        BPF_STMT(BPF_RET | BPF_K, fault->sys ? SECCOMP_RET_ERRNO | (uint32_t)fault->sys : SECCOMP_RET_TRAP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {.len = sizeof code / sizeof *code, .filter = code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static int save_with_fault(const void *arg)
{
    const struct fault *fault = arg;
    struct anm_error err = {0};
    struct anm_store *store = anm_store_open(in("a.anm"), &err);
    WANT(store);
    WANT(arm(fault));
    int result = anm_store_save(store, "new", 3, fault->sync, &err);
    WANT(result == (fault->fails ? -1 : 0));
    WANT(!fault->fails || (err.reason == ANM_SYSTEM && err.sys == fault->sys && err.text[0]));
    WANT(holds("a.anm", fault->replaced ? "new" : "old"));
    WANT(!anm_store_changed(store)); /* it knows which of the two is there */
    anm_store_close(store);
    return 0;
}

START_TEST(failing_call)
{
    put("a.anm", "old");
    int set = setxattr(in("a.anm"), "user.note", "x", 1, 0);
    if (skipped(set == 0, "failing calls: no xattrs on this filesystem"))
        return;
    int result = in_child(save_with_fault, &faults[_i]);
    ck_assert_msg(result == 0, "%s", faults[_i].what);
    ck_assert_int_eq(entries("."), 1);
}
END_TEST

static const struct fault no_chown = {"owner", SYS_fchown, EPERM, 0, 0, ANM_SYNC_DATA, true, false};

START_TEST(failing_chown)
{
    if (skipped(geteuid() == 0, "failing chown: needs root"))
        return;
    put("a.anm", "old");
    ck_assert_int_eq(chown(in("a.anm"), NOBODY, NOBODY), 0);
    ck_assert_int_eq(in_child(save_with_fault, &no_chown), 0);
    ck_assert_int_eq(entries("."), 1);
}
END_TEST

#if defined __x86_64__ || defined __aarch64__
/* Stands for fdatasync: another program replaces the file meanwhile. */
static void replace_meanwhile(int signal_number, siginfo_t *info, void *context)
{
    (void)signal_number;
    (void)info;
    ucontext_t *user = context;
    bool done = rename(in("theirs"), in("a.anm")) == 0;
#ifdef __x86_64__
    user->uc_mcontext.gregs[REG_RAX] = done ? 0 : -EIO;
#else
    user->uc_mcontext.regs[0] = done ? 0 : (unsigned long long)-EIO;
#endif
}

static int save_too_late(const void *arg)
{
    (void)arg;
    struct anm_error err = {0};
    struct anm_store *store = anm_store_open(in("a.anm"), &err);
    const struct fault trap = {.call = SYS_fdatasync};
    const struct sigaction action = {.sa_sigaction = replace_meanwhile, .sa_flags = SA_SIGINFO};
    WANT(store && sigaction(SIGSYS, &action, NULL) == 0 && arm(&trap));
    WANT(save_text(store, "mine", &err) == -1);
    WANT(err.reason == ANM_STALE);
    anm_store_close(store);
    return 0;
}

START_TEST(replaced_while_saving)
{
    put("a.anm", "old");
    put("theirs", "theirs");
    ck_assert_int_eq(in_child(save_too_late, NULL), 0);
    ck_assert(holds("a.anm", "theirs"));
    ck_assert_int_eq(entries("."), 1);
}
END_TEST
#endif

static void fill_up(void)
{
    int fd = open(in("mnt/filler"), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    static const char page[4096];
    while (write(fd, page, sizeof page) > 0)
        continue;
    ck_assert_int_eq(errno, ENOSPC);
    close(fd);
}

START_TEST(full_disk)
{
    if (skipped(mount_new("tmpfs", "size=256k"), "full disk: needs root"))
        return;
    put("mnt/a.anm", "old");
    fill_up();
    static const char big[100000];
    struct anm_store *store = opened("mnt/a.anm");
    for (int named = 0; named < 2; named++) {
        struct anm_error err = {0};
        store->no_tmpfile = named;
        ck_assert_int_eq(anm_store_save(store, big, sizeof big, ANM_SYNC_DATA, &err), -1);
        ck_assert_int_eq(err.reason, ANM_SYSTEM);
        ck_assert_int_eq(err.sys, ENOSPC);
        ck_assert(holds("mnt/a.anm", "old"));
        ck_assert_int_eq(entries("mnt"), 2);
        ck_assert(!anm_store_changed(store));
    }
    ck_assert_int_eq(unlink(in("mnt/filler")), 0);
    struct anm_error err = {0};
    ck_assert_int_eq(anm_store_save(store, big, sizeof big, ANM_SYNC_DATA, &err), 0);
    anm_store_close(store);
    unmount();
}
END_TEST

/* --- temporary names --- */

START_TEST(longest_names)
{
    const char *name = longest_name();
    put(name, "old");
    for (int named = 0; named < 2; named++) {
        struct anm_store *store = opened(name);
        struct anm_error err = {0};
        store->no_tmpfile = named;
        ck_assert_msg(save_text(store, "new", &err) == 0, "%s", err.text);
        ck_assert(holds(name, "new"));
        ck_assert_int_eq(entries("."), 1);
        anm_store_close(store);
    }
}
END_TEST

/* Saves `name` and is killed before the rename. */
static int leave_temporary(const void *name)
{
    const struct fault *rename_fault = NULL;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        if (faults[i].call == RENAMEAT)
            rename_fault = &faults[i];
    }
    struct fault no_unlink = {.call = SYS_unlinkat, .sys = EIO};
    struct anm_error err = {0};
    struct anm_store *store = anm_store_open(in(name), &err);
    WANT(store && arm(rename_fault) && arm(&no_unlink));
    WANT(save_text(store, "new", &err) == -1);
    anm_store_close(store);
    return 0;
}

/* For names of every length around the one from which they are cut: the leftover is found, and only by its own file. */
START_TEST(leftovers_are_removed)
{
    for (size_t length = NAME_MAX - 27; length <= NAME_MAX; length++) {
        char name[NAME_MAX + 1] = "";
        char neighbour[NAME_MAX + 1] = "";
        memcpy(name, longest_name(), length);
        memcpy(neighbour, name, length);
        neighbour[length - 1] = '!';
        put(name, "old");
        put(neighbour, "other");
        ck_assert_int_eq(in_child(leave_temporary, name), 0);
        ck_assert_int_eq(entries("."), 3);
        anm_store_close(opened(neighbour));
        ck_assert_int_eq(entries("."), 3);
        anm_store_close(opened(name));
        ck_assert_int_eq(entries("."), 2);
        ck_assert(holds(name, "old"));
        ck_assert_int_eq(unlink(in(name)), 0);
        ck_assert_int_eq(unlink(in(neighbour)), 0);
    }
}
END_TEST

/* A file that is called what another's name was cut to has nothing to do with that one's leftovers. */
START_TEST(cut_names_are_nobody_elses)
{
    const char *name = longest_name();
    put(name, "old");
    ck_assert_int_eq(in_child(leave_temporary, name), 0);
    char cut[NAME_MAX + 1] = "";
    DIR *list = opendir(dir);
    for (struct dirent *entry = readdir(list); entry; entry = readdir(list)) {
        if (strncmp(entry->d_name, ".anmfs-", 7) == 0)
            snprintf(cut, sizeof cut, "%.*s", (int)strlen(entry->d_name) - 24, entry->d_name + 7);
    }
    closedir(list);
    ck_assert_uint_gt(strlen(cut), 200);
    put(cut, "other");
    anm_store_close(opened(cut));
    ck_assert_int_eq(entries("."), 3);
}
END_TEST

#define LEFTOVER(name) ".anmfs-" name "-0123456789abcdef"

START_TEST(only_leftovers_are_removed)
{
    const char *keep[] = {
        LEFTOVER("b.anm"),
        LEFTOVER("a.anm") "0",
        ".anmfs-a.anm-0123456789abcde",
        ".anmfs-a.anm-0123456789ABCDEF",
        "anmfs-a.anm-0123456789abcdef",
        ".anmfs-a.anm-",
        LEFTOVER("a.anm-0123456789abcdef"),
    };
    size_t count = sizeof keep / sizeof *keep;
    put("a.anm", "old");
    for (size_t i = 0; i < count; i++)
        put(keep[i], "");
    ck_assert_int_eq(mkdir(in(".anmfs-a.anm-00000000000000d1"), 0700), 0);
    ck_assert_int_eq(symlink("a.anm", in(".anmfs-a.anm-000000000000001f")), 0);
    put(LEFTOVER("a.anm"), "");
    anm_store_close(opened("a.anm"));
    ck_assert(!there(LEFTOVER("a.anm")));
    ck_assert_int_eq(entries("."), (int)count + 3);
}
END_TEST

START_TEST(leftovers_stay_while_a_save_may_run)
{
    put("a.anm", "old");
    put(LEFTOVER("a.anm"), "");
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ck_assert_int_eq(flock(fd, LOCK_EX), 0);
    anm_store_close(opened("a.anm"));
    ck_assert(there(LEFTOVER("a.anm")));
    close(fd);
    anm_store_close(opened("a.anm"));
    ck_assert(!there(LEFTOVER("a.anm")));
}
END_TEST

START_TEST(leftovers_of_others_stay)
{
    if (skipped(geteuid() == 0, "leftovers of others: needs root"))
        return;
    put("a.anm", "old");
    ck_assert_int_eq(chown(in("a.anm"), 12345, 12345), 0);
    put(LEFTOVER("a.anm"), "");
    put(".anmfs-a.anm-0000000000012345", "");
    ck_assert_int_eq(chown(in(LEFTOVER("a.anm")), NOBODY, NOBODY), 0);
    ck_assert_int_eq(chown(in(".anmfs-a.anm-0000000000012345"), 12345, 12345), 0);
    anm_store_close(opened("a.anm"));
    ck_assert(there(LEFTOVER("a.anm")));
    ck_assert(!there(".anmfs-a.anm-0000000000012345")); /* what root's own save leaves */
}
END_TEST

/* --- places that cannot be written --- */

/* A store that is read-only for a reason with `words` in it, leaves everything as it is and says so. */
static int want_readonly(const void *words)
{
    struct anm_error err = {0};
    struct anm_store *store = anm_store_open(in("a.anm"), &err);
    WANT(store);
    const char *why = anm_store_readonly(store);
    WANT(why && strstr(why, words));
    WANT(save_text(store, "new", &err) == -1);
    WANT(err.reason == ANM_READONLY && strcmp(err.text, why) == 0);
    struct anm_buf bytes = {0};
    WANT(anm_store_load(store, &bytes, &err) == 0 && bytes.size == 3);
    WANT(there(LEFTOVER("a.anm")));
    anm_buf_free(&bytes);
    anm_store_close(store);
    return 0;
}

static int want_readonly_as_nobody(const void *words)
{
    WANT(become_nobody());
    return want_readonly(words);
}

/* What somebody without privileges meets: a directory of this owner and mode, a file of this owner, group and mode. */
static const struct {
    uid_t dir_uid;
    mode_t dir_mode;
    uid_t uid;
    gid_t gid;
    mode_t mode;
    const char *words; /* NULL: can be written */
} places[] = {
    {NOBODY, 0755, NOBODY, NOBODY, 0644, NULL},
    {NOBODY, 01777, NOBODY, NOBODY, 0644, NULL},
    {0, 01777, NOBODY, NOBODY, 0644, NULL},
    {NOBODY, 0755, NOBODY, NOBODY, 0444, "the file is read-only: Permission denied"},
    {NOBODY, 0555, NOBODY, NOBODY, 0644, "the directory is read-only: Permission denied"},
    {0, 0755, NOBODY, NOBODY, 0644, "the directory is read-only: Permission denied"},
    {NOBODY, 0300, NOBODY, NOBODY, 0644, "the directory is read-only: Permission denied"},
    {0, 0777, 0, 0, 0666, "owner 0"},
    {NOBODY, 01777, 0, 0, 0666, "owner 0"},
    {NOBODY, 0755, NOBODY, 0, 0644, "group 0"},
    {0, 01777, 12345, NOBODY, 0666, "sticky"},
};

static int save_as_nobody(const void *arg)
{
    (void)arg;
    WANT(become_nobody());
    struct anm_error err = {0};
    struct anm_store *store = anm_store_open(in("a.anm"), &err);
    WANT(store && !anm_store_readonly(store));
    WANT(save_text(store, "new", &err) == 0);
    WANT(holds("a.anm", "new") && !there(LEFTOVER("a.anm")));
    anm_store_close(store);
    return 0;
}

START_TEST(places_without_privileges)
{
    if (skipped(geteuid() == 0, "places without privileges: needs root to make them"))
        return;
    put("a.anm", "old");
    put(LEFTOVER("a.anm"), "");
    ck_assert_int_eq(chown(in(LEFTOVER("a.anm")), NOBODY, NOBODY), 0);
    ck_assert_int_eq(chown(in("a.anm"), places[_i].uid, places[_i].gid), 0);
    ck_assert_int_eq(chmod(in("a.anm"), places[_i].mode), 0);
    ck_assert_int_eq(chown(dir, places[_i].dir_uid, NOBODY + 1), 0);
    ck_assert_int_eq(chmod(dir, places[_i].dir_mode), 0);
    if (places[_i].words)
        ck_assert_int_eq(in_child(want_readonly_as_nobody, places[_i].words), 0);
    else
        ck_assert_int_eq(in_child(save_as_nobody, NULL), 0);
}
END_TEST

START_TEST(readonly_for_its_owner)
{
    put("a.anm", "old");
    put(LEFTOVER("a.anm"), "");
    ck_assert_int_eq(chmod(in("a.anm"), 0444), 0);
    ck_assert_int_eq(want_readonly("the file is read-only"), 0);
    ck_assert_int_eq(chmod(in("a.anm"), 0644), 0);
    ck_assert_int_eq(chmod(dir, 0555), 0);
    ck_assert_int_eq(want_readonly("the directory is read-only"), 0);
    ck_assert_int_eq(chmod(dir, 0755), 0);
}
END_TEST

static bool set_flags(const char *name, long flags) /* long: as the call is declared; an int is read */
{
    int fd = open(in(name), O_RDONLY | O_CLOEXEC);
    int result = ioctl(fd, FS_IOC_SETFLAGS, &flags);
    close(fd);
    return result == 0;
}

START_TEST(immutable)
{
    static const struct {
        const char *name;
        int flag;
        const char *words;
    } cases[] = {
        {"a.anm", FS_IMMUTABLE_FL, "the file is immutable"},
        {"a.anm", FS_APPEND_FL, "the file is append-only"},
        {".", FS_IMMUTABLE_FL, "the directory is immutable"},
        {".", FS_APPEND_FL, "the directory is append-only"},
    };
    put("a.anm", "old");
    put(LEFTOVER("a.anm"), "");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (skipped(set_flags(cases[i].name, cases[i].flag), "immutable: needs root and a filesystem that knows it"))
            return;
        int result = in_child(want_readonly, cases[i].words);
        ck_assert(set_flags(cases[i].name, 0)); /* before anything can end the test and leave it so */
        ck_assert_msg(result == 0, "%s", cases[i].words);
    }
    anm_store_close(opened("a.anm"));
    ck_assert(!there(LEFTOVER("a.anm")));
}
END_TEST

START_TEST(mounts)
{
    put("a.anm", "old");
    put(LEFTOVER("a.anm"), "");
    const char *path = in("a.anm");
    if (skipped(may_mount() && mount(path, path, "none", MS_BIND, NULL) == 0, "mounts: needs root"))
        return;
    ck_assert_int_eq(in_child(want_readonly, "mount point"), 0);
    ck_assert_int_eq(umount2(path, 0), 0);

    ck_assert(mount_new("tmpfs", "size=256k"));
    put("mnt/a.anm", "old");
    ck_assert_int_eq(mount("none", in("mnt"), "none", MS_REMOUNT | MS_RDONLY, NULL), 0);
    struct anm_store *store = opened("mnt/a.anm");
    ck_assert_str_eq(anm_store_readonly(store), "the filesystem is mounted read-only");
    anm_store_close(store);
    unmount();
}
END_TEST

/* 77: not possible here. */
static int live_without_proc(const void *arg)
{
    (void)arg;
    if (!may_mount() || mount("test", "/proc", "tmpfs", 0, NULL))
        return 77;
    struct anm_error err = {0};
    struct anm_store *store = anm_store_open(in("sub/a.anm"), &err);
    struct anm_watch *watch = anm_watch_new(&err);
    WANT(store && watch);
    WANT(save_text(store, "new", &err) == 0 && holds("sub/a.anm", "new") && entries("sub") == 1);
    WANT(anm_watch_store(watch, store, &err) >= 0);
    WANT(rename(in("sub"), in("moved")) == 0);
    WANT(anm_watch_store(watch, store, &err) == -1 && err.sys == ENOENT);
    WANT(mkdir(in("sub"), 0700) == 0); /* another directory by that path */
    WANT(anm_watch_store(watch, store, &err) == -1 && err.sys == ENOENT);
    anm_watch_free(watch);
    anm_store_close(store);
    return 0;
}

START_TEST(without_proc)
{
    ck_assert_int_eq(mkdir(in("sub"), 0700), 0);
    put("sub/a.anm", "old");
    int result = in_child(live_without_proc, NULL);
    if (!skipped(result != 77, "without /proc: needs root"))
        ck_assert_int_eq(result, 0);
}
END_TEST

/* --- watching --- */

/* What was reported: "HANDLE:NAME " each, "HANDLE:* " without a name. */
struct log {
    char text[4096];
};

static void note(void *arg, int handle, const char *name)
{
    struct log *log = arg;
    size_t size = strlen(log->text);
    snprintf(log->text + size, sizeof log->text - size, "%d:%s ", handle, name ? name : "*");
}

/* True when reading the watch now reports `name` for `handle`. */
static bool reports(struct anm_watch *watch, int handle, const char *name)
{
    struct log log = {" "};
    anm_watch_read(watch, note, &log);
    char wanted[NAME_MAX + 16];
    snprintf(wanted, sizeof wanted, " %d:%s ", handle, name);
    return strstr(log.text, wanted) != NULL;
}

static struct anm_watch *new_watch(void)
{
    struct anm_error err = {0};
    struct anm_watch *watch = anm_watch_new(&err);
    ck_assert_msg(watch != NULL, "%s", err.text);
    return watch;
}

START_TEST(watch_reports_changes)
{
    put("a.anm", "1");
    put("b.anm", "1");
    ck_assert_int_eq(mkdir(in("sub"), 0755), 0);
    put("sub/c.anm", "1");
    struct anm_error err = {0};
    struct anm_watch *watch = new_watch();
    struct anm_store *a = opened("a.anm");
    struct anm_store *b = opened("b.anm");
    struct anm_store *c = opened("sub/c.anm");
    int here = anm_watch_store(watch, a, &err);
    int sub = anm_watch_store(watch, c, &err);
    ck_assert_int_ge(here, 0);
    ck_assert_int_eq(anm_watch_store(watch, b, &err), here);
    ck_assert_int_ne(sub, here);
    struct pollfd ready = {.fd = anm_watch_fd(watch), .events = POLLIN};
    ck_assert_int_eq(poll(&ready, 1, 0), 0);

    put("a.anm", "2");
    ck_assert_int_eq(poll(&ready, 1, 0), 1);
    ck_assert(reports(watch, here, "a.anm"));
    ck_assert_int_eq(poll(&ready, 1, 0), 0);
    ck_assert_int_eq(chmod(in("b.anm"), 0600), 0);
    ck_assert(reports(watch, here, "b.anm"));
    ck_assert_int_eq(mkdir(in("new"), 0700), 0);
    ck_assert(reports(watch, here, "new"));
    ck_assert_int_eq(rename(in("b.anm"), in("sub/d.anm")), 0);
    struct log log = {" "};
    anm_watch_read(watch, note, &log);
    char wanted[64];
    snprintf(wanted, sizeof wanted, " %d:b.anm %d:d.anm ", here, sub);
    ck_assert_str_eq(log.text, wanted);
    ck_assert_int_eq(save_text(c, "3", &err), 0);
    ck_assert(reports(watch, sub, "c.anm"));
    ck_assert_int_eq(unlink(in("sub/c.anm")), 0);
    ck_assert(reports(watch, sub, "c.anm"));
    ck_assert_int_eq(rename(in("sub"), in("moved")), 0);
    ck_assert(reports(watch, sub, "*"));

    anm_store_close(a);
    anm_store_close(b);
    anm_store_close(c);
    anm_watch_free(watch);
    anm_watch_free(NULL);
}
END_TEST

/* A file is reported when its writer has finished, not while half of it is there. */
START_TEST(watch_waits_for_the_writer)
{
    put("a.anm", "1");
    struct anm_error err = {0};
    struct anm_watch *watch = new_watch();
    struct anm_store *store = opened("a.anm");
    int here = anm_watch_store(watch, store, &err);
    int fd = open(in("a.anm"), O_WRONLY | O_TRUNC | O_CLOEXEC);
    ck_assert_int_eq(write(fd, "half", 4), 4);
    ck_assert(!reports(watch, here, "a.anm"));
    close(fd);
    ck_assert(reports(watch, here, "a.anm"));
    anm_store_close(store);
    anm_watch_free(watch);
}
END_TEST

static void note_lost(void *arg, int handle, const char *name)
{
    bool *lost = arg;
    *lost |= handle == -1 && !name;
}

START_TEST(watch_reports_lost_events)
{
    put("a.anm", "1");
    put("b.anm", "1");
    struct anm_error err = {0};
    struct anm_watch *watch = new_watch();
    struct anm_store *store = opened("a.anm");
    ck_assert_int_ge(anm_watch_store(watch, store, &err), 0);
    char limit[16] = "16384";
    FILE *file = fopen("/proc/sys/fs/inotify/max_queued_events", "r");
    if (file && !fgets(limit, sizeof limit, file))
        ck_abort_msg("max_queued_events cannot be read");
    if (file)
        fclose(file);
    long count = strtol(limit, NULL, 10);
    if (!skipped(count <= 1000000, "lost events: too many fit")) {
        for (long i = 0; i <= count; i++) /* two in turn, else the kernel makes one event of all */
            chmod(in(i % 2 ? "a.anm" : "b.anm"), 0600);
        bool lost = false;
        anm_watch_read(watch, note_lost, &lost);
        ck_assert(lost);
    }
    anm_store_close(store);
    anm_watch_free(watch);
}
END_TEST

/* FUSE without a daemon: the kernel answers statfs for a user who is not let in. */
START_TEST(watch_refuses_what_changes_elsewhere)
{
    int fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC);
    char options[64];
    snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=%d,group_id=%d", fuse, NOBODY, NOBODY);
    if (!skipped(fuse >= 0 && mount_new("fuse", options), "watch on FUSE: needs root and /dev/fuse")) {
        struct anm_store store = {.dir = open(in("mnt"), O_PATH | O_DIRECTORY | O_CLOEXEC)};
        ck_assert_int_ge(store.dir, 0);
        struct anm_error err = {0};
        struct anm_watch *watch = new_watch();
        ck_assert_int_eq(anm_watch_store(watch, &store, &err), -1);
        ck_assert_int_eq(err.reason, ANM_DENIED);
        ck_assert_ptr_nonnull(strstr(err.text, "FUSE"));
        anm_watch_free(watch);
        close(store.dir);
        unmount();
    }
    if (fuse >= 0)
        close(fuse);
}
END_TEST

#ifndef __SANITIZE_THREAD__ /* its runtime has a thread of its own, and no process with two enters a user namespace */
/* 77: not possible here. */
static int watch_without_watches(const void *arg)
{
    (void)arg;
    int fd = unshare(CLONE_NEWUSER) ? -1 : open("/proc/sys/user/max_inotify_watches", O_WRONLY | O_CLOEXEC);
    if (fd < 0 || write(fd, "0", 1) != 1)
        return 77;
    close(fd);
    struct anm_error err = {0};
    struct anm_watch *watch = anm_watch_new(&err);
    struct anm_store *store = anm_store_open(in("a.anm"), &err);
    WANT(watch && store);
    WANT(anm_watch_store(watch, store, &err) == -1);
    WANT(err.reason == ANM_SYSTEM && err.sys == ENOSPC && strstr(err.text, "max_user_watches"));
    anm_store_close(store);
    anm_watch_free(watch);
    return 0;
}

START_TEST(watch_limit)
{
    put("a.anm", "old");
    int result = in_child(watch_without_watches, NULL);
    if (!skipped(result != 77, "watch limit: needs user namespaces"))
        ck_assert_int_eq(result, 0);
}
END_TEST
#endif

Suite *store_place_suite(void)
{
    Suite *suite = suite_create("store_place");
    TCase *tests = tcase_create("places");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, failing_call, 0, sizeof faults / sizeof *faults);
    tcase_add_test(tests, failing_chown);
#if defined __x86_64__ || defined __aarch64__
    tcase_add_test(tests, replaced_while_saving);
#endif
    tcase_add_test(tests, full_disk);
    tcase_add_test(tests, longest_names);
    tcase_add_test(tests, leftovers_are_removed);
    tcase_add_test(tests, cut_names_are_nobody_elses);
    tcase_add_test(tests, only_leftovers_are_removed);
    tcase_add_test(tests, leftovers_stay_while_a_save_may_run);
    tcase_add_test(tests, leftovers_of_others_stay);
    tcase_add_loop_test(tests, places_without_privileges, 0, sizeof places / sizeof *places);
    if (geteuid() != 0) /* root is asked nothing; it runs the places as somebody else */
        tcase_add_test(tests, readonly_for_its_owner);
    tcase_add_test(tests, immutable);
    tcase_add_test(tests, mounts);
    tcase_add_test(tests, without_proc);
    tcase_add_test(tests, watch_reports_changes);
    tcase_add_test(tests, watch_waits_for_the_writer);
    tcase_add_test(tests, watch_reports_lost_events);
    tcase_add_test(tests, watch_refuses_what_changes_elsewhere);
#ifndef __SANITIZE_THREAD__
    tcase_add_test(tests, watch_limit);
#endif
    suite_add_tcase(suite, tests);
    return suite;
}
