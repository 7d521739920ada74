/* SPDX-License-Identifier: MIT */
/* Files on disk: opened, loaded, compared, replaced as a whole, by one program and by two. */
#include "../../src/store/store_private.h"
#include "store_dir.h"
#include "suites.h"

#include <signal.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <time.h>

/* --- opening and loading --- */

START_TEST(open_and_load)
{
    put("a.anm", "hello");
    struct anm_store *store = opened("a.anm");
    ck_assert_str_eq(anm_store_path(store), in("a.anm"));
    ck_assert_ptr_null(anm_store_readonly(store));
    ck_assert_ptr_null(anm_store_warning(store));
    ck_assert_int_eq(anm_store_stat(store)->st_size, 5);
    ck_assert(!anm_store_changed(store));

    struct anm_error err = {0};
    struct anm_buf bytes = {0};
    anm_buf_puts(&bytes, "something older and longer");
    ck_assert_int_eq(anm_store_load(store, &bytes, &err), 0);
    ck_assert_uint_eq(bytes.size, 5);
    ck_assert_mem_eq(bytes.data, "hello", 5);

    put("a.anm", "");
    ck_assert_int_eq(anm_store_load(store, &bytes, &err), 0);
    ck_assert_uint_eq(bytes.size, 0);
    ck_assert(!anm_store_changed(store));

    struct statvfs fs;
    ck_assert_int_eq(anm_store_statvfs(store, &fs, &err), 0);
    ck_assert_uint_gt(fs.f_blocks, 0);
    ck_assert_int_eq(anm_store_sync(store, &err), 0);
    anm_buf_free(&bytes);
    anm_store_close(store);
    anm_store_close(NULL);
}
END_TEST

START_TEST(failed_load_changes_nothing)
{
    put("a.anm", "hello");
    struct anm_store *store = opened("a.anm");
    struct anm_error err = {0};
    struct anm_buf bytes = {0};
    ck_assert_int_eq(anm_store_load(store, &bytes, &err), 0);
    ino_t inode = anm_store_stat(store)->st_ino;
    ck_assert_int_eq(unlink(in("a.anm")), 0);
    ck_assert_int_eq(mkdir(in("a.anm"), 0700), 0);
    ck_assert_int_eq(anm_store_load(store, &bytes, &err), -1);
    ck_assert_int_eq(err.reason, ANM_DENIED);
    ck_assert_uint_eq(anm_store_stat(store)->st_ino, inode);
    ck_assert_uint_eq(bytes.size, 5);
    ck_assert_mem_eq(bytes.data, "hello", 5);
    anm_buf_free(&bytes);
    anm_store_close(store);
}
END_TEST

static void expect_refused(const char *path, enum anm_reason reason, int sys, const char *words)
{
    struct anm_error err = {0};
    ck_assert_ptr_null(anm_store_open(path, &err));
    ck_assert_msg(err.reason == reason && err.sys == sys, "%s: reason %d errno %d", path, (int)err.reason, err.sys);
    ck_assert_msg(strstr(err.text, words) != NULL, "%s: '%s' lacks '%s'", path, err.text, words);
}

/* Without blocking: the time limit of the test sees to that. */
START_TEST(only_regular_files)
{
    ck_assert_int_eq(mkfifo(in("fifo"), 0600), 0);
    ck_assert_int_eq(symlink("nowhere", in("dangling")), 0);
    ck_assert_int_eq(symlink("loop", in("loop")), 0);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", in("socket"));
    int sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ck_assert_int_eq(bind(sock, (const struct sockaddr *)&address, sizeof address), 0);
    close(sock);
    expect_refused(in("fifo"), ANM_DENIED, 0, "FIFO");
    expect_refused(in("socket"), ANM_DENIED, 0, "socket");
    expect_refused(dir, ANM_DENIED, 0, "directory");
    expect_refused("/", ANM_DENIED, 0, "directory");
    expect_refused("/dev/null", ANM_DENIED, 0, "character device");
    expect_refused(in("dangling"), ANM_SYSTEM, ENOENT, "No such file");
    expect_refused(in("loop"), ANM_SYSTEM, ELOOP, "symbolic links");
    expect_refused(in("missing.anm"), ANM_SYSTEM, ENOENT, "No such file");
    expect_refused("", ANM_SYSTEM, ENOENT, "No such file");
    put("a.anm", "x");
    expect_refused(in("a.anm/"), ANM_SYSTEM, ENOTDIR, "Not a directory");
}
END_TEST

START_TEST(only_up_to_2_gib)
{
    put("a.anm", "x");
    ck_assert_int_eq(truncate(in("a.anm"), STORE_MAX), 0);
    anm_store_close(opened("a.anm"));
    ck_assert_int_eq(truncate(in("a.anm"), STORE_MAX + 1), 0);
    expect_refused(in("a.anm"), ANM_SYSTEM, EFBIG, "2 GiB");
    put("a.anm", "x");
    struct anm_store *store = opened("a.anm");
    struct anm_error err = {0};
    ck_assert_int_eq(anm_store_save(store, "", (size_t)STORE_MAX + 1, ANM_SYNC_NONE, &err), -1);
    ck_assert_int_eq(anm_error_errno(&err), EFBIG);
    ck_assert(holds("a.anm", "x"));
    anm_store_close(store);
}
END_TEST

START_TEST(links_are_resolved_once)
{
    ck_assert_int_eq(mkdir(in("one"), 0700), 0);
    ck_assert_int_eq(mkdir(in("two"), 0700), 0);
    ck_assert_int_eq(mkdir(in("shop"), 0700), 0);
    put("one/a.anm", "one");
    put("two/a.anm", "two");
    ck_assert_int_eq(symlink("one", in("current")), 0);
    ck_assert_int_eq(symlink("../current/a.anm", in("shop/link.anm")), 0);

    int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ck_assert_int_eq(chdir(in("shop")), 0);
    struct anm_error err = {0};
    struct anm_store *store = anm_store_open("link.anm", &err);
    ck_assert_int_eq(fchdir(here), 0);
    close(here);
    ck_assert_ptr_nonnull(store);
    ck_assert_str_eq(anm_store_path(store), in("one/a.anm"));

    ck_assert_int_eq(unlink(in("current")), 0);
    ck_assert_int_eq(symlink("two", in("current")), 0);
    ck_assert_int_eq(rename(in("one"), in("moved")), 0);
    ck_assert_int_eq(save_text(store, "new", &err), 0);
    ck_assert(holds("moved/a.anm", "new"));
    ck_assert(holds("two/a.anm", "two"));
    ck_assert(holds("shop/link.anm", "two")); /* still a link */
    anm_store_close(store);
}
END_TEST

START_TEST(hard_links_are_told)
{
    put("a.anm", "old");
    ck_assert_int_eq(link(in("a.anm"), in("b.anm")), 0);
    struct anm_store *store = opened("a.anm");
    ck_assert_ptr_nonnull(anm_store_warning(store));
    ck_assert_ptr_nonnull(strstr(anm_store_warning(store), "2 hard links"));
    ck_assert_ptr_null(anm_store_readonly(store));
    struct anm_error err = {0};
    ck_assert_int_eq(save_text(store, "new", &err), 0);
    ck_assert(holds("a.anm", "new"));
    ck_assert(holds("b.anm", "old"));
    anm_store_close(store);
}
END_TEST

/* --- what changed outside --- */

static void edit_in_place(void)
{
    put("a.anm", "axe"); /* the size it had */
}
static void append(void)
{
    put("a.anm", "abc+");
}
static void replace(void)
{
    put("other", "abc");
    rename(in("other"), in("a.anm"));
}
static void touch(void)
{
    utimensat(AT_FDCWD, in("a.anm"), (const struct timespec[2]){{.tv_sec = 1}, {.tv_sec = 1}}, 0);
}
static void delete (void)
{
    unlink(in("a.anm"));
}
static void rename_away(void)
{
    rename(in("a.anm"), in("b.anm"));
}
static void put_directory(void)
{
    unlink(in("a.anm"));
    mkdir(in("a.anm"), 0700);
}
static void put_link_to_itself(void)
{
    rename(in("a.anm"), in("b.anm"));
    ck_assert_int_eq(symlink("b.anm", in("a.anm")), 0);
}

static const struct {
    void (*act)(void);
    const char *after; /* the content then, NULL where it is no file any more */
    const char *words;
} outside[] = {
    {edit_in_place, "axe", "changed"}, {append, "abc+", "changed"},
    {replace, "abc", "replaced"},      {touch, "abc", "changed"},
    {delete, NULL, "deleted"},         {rename_away, NULL, "renamed"},
    {put_directory, NULL, "outside"},  {put_link_to_itself, "abc", "replaced"},
};

START_TEST(outside_change_is_stale)
{
    put("a.anm", "abc");
    struct anm_store *store = opened("a.anm");
    struct anm_error err = {0};
    struct anm_buf bytes = {0};
    /* Once for a file that was loaded, once for one that was saved. */
    for (int saved = 0; saved < 2; saved++) {
        ck_assert_int_eq(anm_store_load(store, &bytes, &err), 0);
        if (saved) {
            ck_assert_int_eq(save_text(store, "abc", &err), 0);
            nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL); /* past the tick of the clock */
        }
        ck_assert(!anm_store_changed(store));
        outside[_i].act();
        ck_assert(anm_store_changed(store));
        int count = entries(".");
        ck_assert_int_eq(save_text(store, "mine", &err), -1);
        ck_assert_int_eq(err.reason, ANM_STALE);
        ck_assert_msg(strstr(err.text, outside[_i].words) != NULL, "%s", err.text);
        ck_assert_int_eq(entries("."), count);
        if (outside[_i].after)
            ck_assert(holds("a.anm", outside[_i].after));
        else
            ck_assert(!holds("a.anm", "mine"));
        remove(in("a.anm"));
        put("a.anm", "abc");
    }
    /* Loaded again, it can be saved again. */
    ck_assert_int_eq(anm_store_load(store, &bytes, &err), 0);
    ck_assert_int_eq(save_text(store, "mine", &err), 0);
    ck_assert(holds("a.anm", "mine"));
    anm_buf_free(&bytes);
    anm_store_close(store);
}
END_TEST

/* Many edits that keep the size, each as soon as possible after a load: none may look like the loaded file. ramfs
 * stamps files by the tick of the clock on all kernels. */
START_TEST(fast_edits_are_seen)
{
    const char *name = _i ? "mnt/a.anm" : "a.anm";
    if (_i && skipped(mount_new("ramfs", NULL), "fast edits on ramfs: needs root"))
        return;
    put(name, "0000");
    struct anm_store *store = opened(name);
    struct anm_buf bytes = {0};
    for (int i = 1; i <= 50; i++) {
        char text[16];
        struct anm_error err = {0};
        ck_assert_int_eq(anm_store_load(store, &bytes, &err), 0);
        snprintf(text, sizeof text, "%04d", i);
        put(name, text);
        ck_assert(anm_store_changed(store));
    }
    anm_buf_free(&bytes);
    anm_store_close(store);
    if (_i)
        unmount();
}
END_TEST

START_TEST(new_mode_or_link_is_no_change)
{
    put("a.anm", "abc");
    struct anm_store *store = opened("a.anm");
    ck_assert_int_eq(chmod(in("a.anm"), 0640), 0);
    ck_assert_int_eq(link(in("a.anm"), in("b.anm")), 0);
    ck_assert(!anm_store_changed(store));
    struct anm_error err = {0};
    ck_assert_int_eq(save_text(store, "mine", &err), 0);
    ck_assert_int_eq(anm_store_stat(store)->st_mode & 07777, 0640);
    anm_store_close(store);
}
END_TEST

/* --- saving --- */

START_TEST(save_replaces)
{
    put("a.anm", "old");
    struct anm_store *store = opened("a.anm");
    struct anm_error err = {0};
    struct anm_buf bytes = {0};
    const size_t sizes[] = {0, 1, 4096, 3000000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *content = calloc(1, sizes[i] + 1);
        ck_assert_ptr_nonnull(content);
        memset(content, 'a' + (int)i, sizes[i]);
        ino_t before = anm_store_stat(store)->st_ino;
        ck_assert_msg(anm_store_save(store, content, sizes[i], (enum anm_sync)(i % 3), &err) == 0, "%s", err.text);
        ck_assert_uint_ne(anm_store_stat(store)->st_ino, before);
        ck_assert_uint_eq((size_t)anm_store_stat(store)->st_size, sizes[i]);
        ck_assert(!anm_store_changed(store));
        ck_assert_int_eq(entries("."), 1);
        ck_assert_int_eq(anm_store_load(store, &bytes, &err), 0);
        ck_assert_uint_eq(bytes.size, sizes[i]);
        ck_assert_mem_eq(bytes.data, content, sizes[i]);
        free(content);
    }
    anm_buf_free(&bytes);
    anm_store_close(store);
}
END_TEST

/* A reader who has the old file open goes on reading the old file. */
START_TEST(save_leaves_readers_alone)
{
    put("a.anm", "old content");
    int fd = open(in("a.anm"), O_RDONLY | O_CLOEXEC);
    struct anm_store *store = opened("a.anm");
    struct anm_error err = {0};
    char got[32] = "";
    ck_assert_int_eq(save_text(store, "new", &err), 0);
    ck_assert_int_eq(read(fd, got, sizeof got - 1), 11);
    ck_assert_str_eq(got, "old content");
    close(fd);
    anm_store_close(store);
}
END_TEST

START_TEST(mode_is_kept)
{
    const mode_t modes[] = {0600, 0644, 0666, 04711, 02755, 07777};
    put("a.anm", "old");
    struct anm_store *store = opened("a.anm");
    mode_t mask = umask(077);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        struct anm_error err = {0};
        struct stat st;
        ck_assert_int_eq(chmod(in("a.anm"), modes[i]), 0);
        ck_assert_int_eq(save_text(store, "new", &err), 0);
        ck_assert_int_eq(stat(in("a.anm"), &st), 0);
        ck_assert_uint_eq(st.st_mode & 07777, modes[i]);
    }
    umask(mask);
    anm_store_close(store);
}
END_TEST

START_TEST(owner_is_kept)
{
    if (skipped(geteuid() == 0, "owner kept: needs root"))
        return;
    put("a.anm", "old");
    ck_assert_int_eq(chown(in("a.anm"), NOBODY, 12345), 0);
    ck_assert_int_eq(chmod(in("a.anm"), 06750), 0);
    struct anm_store *store = opened("a.anm");
    struct anm_error err = {0};
    struct stat st;
    ck_assert_int_eq(save_text(store, "new", &err), 0);
    ck_assert_int_eq(stat(in("a.anm"), &st), 0);
    ck_assert_uint_eq(st.st_uid, NOBODY);
    ck_assert_uint_eq(st.st_gid, 12345);
    ck_assert_uint_eq(st.st_mode & 07777, 06750); /* chown would have dropped the set-id bits */
    anm_store_close(store);
}
END_TEST

/* An ACL as the kernel stores it: the owner, user NOBODY, the group, the mask, others. */
static const unsigned char acl[] = {
    2,    0, 0, 0,                         /* version */
    0x01, 0, 6, 0, 0xff, 0xff, 0xff, 0xff, /* owner rw- */
    0x02, 0, 4, 0, 0xfe, 0xff, 0,    0,    /* NOBODY r-- */
    0x04, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, /* group --- */
    0x10, 0, 4, 0, 0xff, 0xff, 0xff, 0xff, /* mask r-- */
    0x20, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, /* others --- */
};

static bool has_xattr(const char *name, const char *xattr, const void *value, size_t size)
{
    unsigned char got[512];
    return getxattr(in(name), xattr, got, sizeof got) == (ssize_t)size && memcmp(got, value, size) == 0;
}

START_TEST(xattrs_are_kept)
{
    put("a.anm", "old");
    int set = setxattr(in("a.anm"), "user.note", "why\0not", 7, 0);
    if (skipped(set == 0 || errno != ENOTSUP, "xattrs kept: this filesystem has none"))
        return;
    ck_assert_int_eq(setxattr(in("a.anm"), "user.empty", "", 0, 0), 0);
    bool with_acl = setxattr(in("a.anm"), "system.posix_acl_access", acl, sizeof acl, 0) == 0;
    bool trusted = setxattr(in("a.anm"), "trusted.note", "t", 1, 0) == 0;
    struct anm_store *store = opened("a.anm");
    struct anm_error err = {0};
    ck_assert_msg(save_text(store, "new", &err) == 0, "%s", err.text);
    ck_assert(has_xattr("a.anm", "user.note", "why\0not", 7));
    ck_assert(has_xattr("a.anm", "user.empty", "", 0));
    if (!skipped(with_acl, "ACL kept: this filesystem has none"))
        ck_assert(has_xattr("a.anm", "system.posix_acl_access", acl, sizeof acl));
    if (!skipped(trusted, "trusted xattr kept: needs root"))
        ck_assert(has_xattr("a.anm", "trusted.note", "t", 1));
    anm_store_close(store);
}
END_TEST

/* The directory's default ACL would give a new file to NOBODY. */
START_TEST(no_xattr_is_added)
{
    put("a.anm", "old");
    ck_assert_int_eq(chmod(in("a.anm"), 0644), 0);
    int set = setxattr(dir, "system.posix_acl_default", acl, sizeof acl, 0);
    if (skipped(set == 0, "no ACL added: this filesystem has none"))
        return;
    struct anm_store *store = opened("a.anm");
    struct anm_error err = {0};
    struct stat st;
    ck_assert_msg(save_text(store, "new", &err) == 0, "%s", err.text);
    ck_assert_int_eq(getxattr(in("a.anm"), "system.posix_acl_access", NULL, 0), -1);
    ck_assert_int_eq(stat(in("a.anm"), &st), 0);
    ck_assert_uint_eq(st.st_mode & 07777, 0644);
    anm_store_close(store);
}
END_TEST

/* --- two programs at once --- */

/* Adds one to the number in the file, a hundred times, taking up what others saved. */
static int count_up(const void *arg)
{
    struct anm_error err = {0};
    struct anm_buf bytes = {0};
    struct anm_store *store = anm_store_open(arg, &err);
    WANT(store);
    for (int done = 0; done < 100;) {
        char text[32];
        WANT(anm_store_load(store, &bytes, &err) == 0 && anm_buf_cstr(&bytes));
        snprintf(text, sizeof text, "%ld", strtol((const char *)bytes.data, NULL, 10) + 1);
        int result = anm_store_save(store, text, strlen(text), ANM_SYNC_NONE, &err);
        WANT(result == 0 || err.reason == ANM_STALE);
        done += result == 0;
    }
    anm_buf_free(&bytes);
    anm_store_close(store);
    return 0;
}

START_TEST(no_update_is_lost)
{
    put("a.anm", "0");
    const char *path = in("a.anm");
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(count_up(path));
    int status = -1;
    int mine = count_up(path);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(mine, 0);
    ck_assert_int_eq(status, 0);
    ck_assert(holds("a.anm", "200"));
    ck_assert_int_eq(entries("."), 1);
}
END_TEST

START_TEST(lock_is_waited_for)
{
    put("a.anm", "old");
    struct anm_store *store = opened("a.anm");
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        bool locked = flock(fd, LOCK_EX) == 0;
        put("locked", "");
        nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
        put("unlocking", "");
        _exit(!locked);
    }
    while (!there("locked"))
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    struct anm_error err = {0};
    ck_assert_msg(save_text(store, "new", &err) == 0, "%s", err.text);
    ck_assert(there("unlocking"));
    int status = -1;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    anm_store_close(store);
}
END_TEST

START_TEST(lock_is_not_waited_for_without_end)
{
    put("a.anm", "old");
    struct anm_store *store = opened("a.anm");
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ck_assert_int_eq(flock(fd, LOCK_EX), 0);
    struct anm_error err = {0};
    time_t start = time(NULL);
    ck_assert_int_eq(save_text(store, "new", &err), -1);
    ck_assert_int_ge(time(NULL) - start, 4);
    ck_assert_int_eq(err.reason, ANM_SYSTEM);
    ck_assert_int_eq(err.sys, EBUSY);
    ck_assert(holds("a.anm", "old"));
    ck_assert_int_eq(entries("."), 1);
    close(fd);
    ck_assert_int_eq(save_text(store, "new", &err), 0);
    anm_store_close(store);
}
END_TEST

/* A daemon killed while it saves leaves one content or the other, and at most what the next open removes. */
START_TEST(killed_saves_leave_whole_files)
{
    const size_t size = 300000;
    put("a.anm", "");
    for (int round = 0; round < 30; round++) {
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) {
            struct anm_error err = {0};
            struct anm_store *store = anm_store_open(in("a.anm"), &err);
            char *content = malloc(size);
            for (int i = 0; store && content; i++) {
                memset(content, 'a' + i % 26, size);
                store->no_tmpfile = i % 2; /* a name from the start leaves more behind */
                if (anm_store_save(store, content, size, ANM_SYNC_NONE, &err))
                    break;
            }
            _exit(1);
        }
        nanosleep(&(struct timespec){.tv_nsec = 2000000L + round * 300000L}, NULL);
        ck_assert_int_gt(child, 0); /* -1 would be everyone */
        kill(child, SIGKILL);
        int status;
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert(WIFSIGNALED(status));

        struct anm_store *store = opened("a.anm");
        struct anm_error err = {0};
        struct anm_buf bytes = {0};
        ck_assert_int_eq(anm_store_load(store, &bytes, &err), 0);
        ck_assert(bytes.size == 0 || bytes.size == size);
        if (bytes.size) /* one letter throughout */
            ck_assert_int_eq(memcmp(bytes.data, bytes.data + 1, size - 1), 0);
        ck_assert_int_eq(entries("."), 1);
        anm_buf_free(&bytes);
        anm_store_close(store);
    }
}
END_TEST

/* --- other files --- */

/* What was found, a blank behind each; with `limit` above 0 fails at that one. */
struct finds {
    char text[200];
    int count, limit;
};

static int note(void *arg, const char *name, bool asked, const uint8_t *bytes, size_t size, struct anm_error *err)
{
    struct finds *finds = arg;
    size_t end = strlen(finds->text);
    const char *plain = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
    snprintf(finds->text + end, sizeof finds->text - end, "%s%s=%.*s ", plain, asked ? "!" : "", (int)size,
             (const char *)bytes);
    return ++finds->count == finds->limit ? anm_fail(err, ANM_FORMAT, "no image") : 0;
}

START_TEST(files_beside)
{
    struct anm_error err = {0};
    struct finds finds = {0};
    struct anm_finder finder = {note, &finds, 4};
    put("a.tim", "self");
    put("z.TIM", "z");
    put("b.tim", "b");
    put("large.tim", "12345");
    put("c.anm", "c");
    put("tim", "t");
    ck_assert_int_eq(symlink("b.tim", in("link.tim")), 0);
    ck_assert_int_eq(mkfifo(in("fifo.tim"), 0600), 0);
    ck_assert_int_eq(mkdir(in("dir.tim"), 0700), 0);
    struct anm_store *store = opened("a.tim");
    ck_assert_int_eq(anm_store_beside(store, ".tim", &finder, &err), 0);
    ck_assert_str_eq(finds.text, "b.tim=b z.TIM=z ");
    finds = (struct finds){.limit = 1};
    ck_assert_int_eq(anm_store_beside(store, ".tim", &finder, &err), -1);
    ck_assert_str_eq(finds.text, "b.tim=b ");
    anm_store_close(store);
}
END_TEST

START_TEST(files_named)
{
    struct anm_error err = {0};
    struct finds finds = {0};
    struct anm_finder finder = {note, &finds, 1};
    char files[3 * PATH_MAX];
    put("b.tim", "bb");
    put("a.tim", "a");
    snprintf(files, sizeof files, "%s::%s", in("b.tim"), in("a.tim"));
    ck_assert_int_eq(anm_store_named(files, &finder, &err), 0);
    ck_assert_str_eq(finds.text, "b.tim!=bb a.tim!=a ");
    snprintf(files, sizeof files, "%s:%s", in("a.tim"), in("none.tim"));
    ck_assert_int_eq(anm_store_named(files, &finder, &err), -1);
    ck_assert_int_eq(err.sys, ENOENT);
    ck_assert_ptr_nonnull(strstr(err.text, "none.tim"));
    finds = (struct finds){.limit = 1};
    ck_assert_int_eq(anm_store_named(files, &finder, &err), -1);
    ck_assert_ptr_nonnull(strstr(err.text, "a.tim: no image"));
}
END_TEST

Suite *store_suite(void)
{
    Suite *suite = suite_create("store");
    TCase *tests = tcase_create("files");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, open_and_load);
    tcase_add_test(tests, failed_load_changes_nothing);
    tcase_add_test(tests, only_regular_files);
    tcase_add_test(tests, only_up_to_2_gib);
    tcase_add_test(tests, links_are_resolved_once);
    tcase_add_test(tests, hard_links_are_told);
    tcase_add_loop_test(tests, outside_change_is_stale, 0, sizeof outside / sizeof *outside);
    tcase_add_loop_test(tests, fast_edits_are_seen, 0, 2);
    tcase_add_test(tests, new_mode_or_link_is_no_change);
    tcase_add_test(tests, files_beside);
    tcase_add_test(tests, files_named);
    tcase_add_test(tests, save_replaces);
    tcase_add_test(tests, save_leaves_readers_alone);
    tcase_add_test(tests, mode_is_kept);
    tcase_add_test(tests, owner_is_kept);
    tcase_add_test(tests, xattrs_are_kept);
    tcase_add_test(tests, no_xattr_is_added);
    tcase_add_test(tests, no_update_is_lost);
    tcase_add_test(tests, lock_is_waited_for);
    tcase_add_test(tests, lock_is_not_waited_for_without_end);
    tcase_add_test(tests, killed_saves_leave_whole_files);
    suite_add_tcase(suite, tests);
    return suite;
}
