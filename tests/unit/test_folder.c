/* SPDX-License-Identifier: MIT */
/* Folders: what is in them, what leads out of them; files made, removed and renamed there. */
#include "../../src/store/store_private.h"
#include "store_dir.h"
#include "suites.h"

static struct anm_folder *folder_at(const char *name)
{
    struct anm_error err = {0};
    struct anm_folder *folder = anm_folder_open(in(name), &err);
    ck_assert_msg(folder != NULL, "%s", err.text);
    return folder;
}

static struct anm_owner mine(void)
{
    return (struct anm_owner){0640, geteuid(), getegid()};
}

START_TEST(what_is_there)
{
    struct anm_error err = {0};
    struct stat st;
    put("a.anm", "x");
    ck_assert_int_eq(mkdir(in("sub"), 0700), 0);
    ck_assert_int_eq(symlink("a.anm", in("link")), 0);
    ck_assert_int_eq(mkfifo(in("fifo"), 0600), 0);
    struct anm_folder *top = folder_at(".");
    ck_assert_int_eq(anm_folder_look(top, "a.anm", &st), ANM_ENTRY_FILE);
    ck_assert_int_eq(st.st_size, 1);
    ck_assert_int_eq(anm_folder_look(top, "sub", &st), ANM_ENTRY_FOLDER);
    ck_assert_int_eq(anm_folder_look(top, "link", &st), ANM_ENTRY_LINK);
    ck_assert_int_eq(anm_folder_look(top, "fifo", &st), ANM_ENTRY_NONE);
    const char *none[] = {"nothing", "", ".", "..", "sub/..", "/etc"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        ck_assert_int_eq(anm_folder_look(top, none[i], &st), ANM_ENTRY_NONE);
    char *target = anm_folder_readlink(top, "link");
    ck_assert_str_eq(target, "a.anm");
    free(target);
    ck_assert_ptr_null(anm_folder_readlink(top, "a.anm"));
    ck_assert_ptr_null(anm_folder_enter(top, "link", &err));
    ck_assert_ptr_null(anm_folder_enter(top, "..", &err));
    struct anm_folder *sub = anm_folder_enter(top, "sub", &err);
    ck_assert_ptr_nonnull(sub);
    ck_assert_int_eq(anm_folder_sync(sub, &err), 0);
    anm_folder_unref(sub);
    anm_folder_unref(top);
}
END_TEST

START_TEST(where_links_lead)
{
    ck_assert_int_eq(mkdir(in("a"), 0700), 0);
    ck_assert_int_eq(mkdir(in("a/b"), 0700), 0);
    ck_assert_int_eq(symlink("..", in("a/up")), 0);
    ck_assert_int_eq(symlink("/", in("root")), 0);
    ck_assert_int_eq(symlink("self", in("self")), 0);
    const struct {
        const char *path, *target;
        bool inside;
    } links[] = {
        {"", "a", true},        {"", "a/b/..", true},    {"", "none", true},        {"", "self", true},
        {"", "..", false},      {"", "", false},         {"", "/", false},          {"", "a/../..", false},
        {"a", "..", true},      {"a", "../..", false},   {"a/b", "../../a", true},  {"a/b", "../../../x", false},
        {"", "a/up/..", false}, {"", "root/etc", false}, {"", "none/../..", false}, {"a/b", "./../b//.", true},
    };
    struct anm_folder *top = folder_at(".");
    for (size_t i = 0; i < sizeof links / sizeof *links; i++)
        ck_assert_msg(anm_folder_inside(top, links[i].path, links[i].target) == links[i].inside, "%s -> %s",
                      links[i].path, links[i].target);
    anm_folder_unref(top);
}
END_TEST

START_TEST(open_in_a_folder)
{
    put("a.anm", "x");
    ck_assert_int_eq(symlink("a.anm", in("link")), 0);
    struct anm_error err = {0};
    struct anm_folder *folder = anm_folder_open(dir, &err);
    ck_assert_ptr_nonnull(folder);
    struct anm_store *store = anm_store_openin(folder, "a.anm", "shown as", &err);
    ck_assert_ptr_nonnull(store);
    ck_assert_str_eq(anm_store_path(store), "shown as");
    const char *bad[] = {"link", "../a.anm", "./a.anm", ".", "..", ""};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        ck_assert_ptr_null(anm_store_openin(folder, bad[k], bad[k], &err));
        ck_assert_int_eq(err.reason, ANM_DENIED);
    }
    anm_folder_unref(folder);
    ck_assert_msg(save_text(store, "1", &err) == 0, "%s", err.text);
    ck_assert(holds("a.anm", "1"));
    anm_store_close(store);
}
END_TEST

START_TEST(made_and_removed)
{
    struct anm_error err = {0};
    struct stat st;
    const struct anm_owner owner = mine();
    struct anm_folder *top = folder_at(".");
    ck_assert_int_eq(anm_store_make(top, "new.anm", &owner, "text", 4, ANM_SYNC_DATA, &err), 0);
    ck_assert(holds("new.anm", "text"));
    ck_assert_int_eq(stat(in("new.anm"), &st), 0);
    ck_assert_int_eq(st.st_mode & 07777, 0640);
    ck_assert_int_eq(anm_store_make(top, "new.anm", &owner, "other", 5, ANM_SYNC_DATA, &err), -1);
    ck_assert_int_eq(anm_error_errno(&err), EEXIST);
    ck_assert(holds("new.anm", "text"));
    ck_assert_int_eq(anm_store_make(top, "../new.anm", &owner, "", 0, ANM_SYNC_DATA, &err), -1);
    ck_assert_int_eq(anm_folder_mkdir(top, "sub", &owner, &err), 0);
    ck_assert_int_eq(anm_folder_mkdir(top, "sub", &owner, &err), -1);
    ck_assert_int_eq(anm_error_errno(&err), EEXIST);
    ck_assert_int_eq(anm_folder_rmdir(top, "sub", &err), 0);
    ck_assert_int_eq(anm_folder_unlink(top, "new.anm", &err), -1); /* no link */
    struct anm_store *store = anm_store_openin(top, "new.anm", "new.anm", &err);
    put("new.anm", "changed");
    ck_assert_int_eq(anm_store_remove(store, &err), -1);
    ck_assert_int_eq(err.reason, ANM_STALE);
    ck_assert(holds("new.anm", "changed"));
    struct anm_buf bytes = {0};
    ck_assert_int_eq(anm_store_load(store, &bytes, &err), 0);
    ck_assert_int_eq(anm_store_remove(store, &err), 0);
    ck_assert_int_eq(entries("."), 0);
    anm_buf_free(&bytes);
    anm_store_close(store);
    anm_folder_unref(top);
}
END_TEST

START_TEST(renamed)
{
    struct anm_error err = {0};
    ck_assert_int_eq(mkdir(in("sub"), 0700), 0);
    put("a.anm", "a");
    put("sub/b.anm", "b");
    struct anm_folder *top = folder_at("."), *sub = folder_at("sub");
    struct anm_store *a = anm_store_openin(top, "a.anm", "a.anm", &err);
    struct anm_store *b = anm_store_openin(sub, "b.anm", "b.anm", &err);
    ck_assert_int_eq(anm_store_rename(top, "a.anm", sub, "b.anm", NULL, &err), -1);
    ck_assert_int_eq(anm_error_errno(&err), EEXIST);
    put("sub/b.anm", "changed");
    ck_assert_int_eq(anm_store_rename(top, "a.anm", sub, "b.anm", b, &err), -1);
    ck_assert_int_eq(err.reason, ANM_STALE);
    ck_assert(holds("a.anm", "a") && holds("sub/b.anm", "changed"));
    ck_assert_int_eq(anm_store_rename(top, "a.anm", sub, "c.anm", NULL, &err), 0);
    ck_assert(anm_store_changed(a));
    ck_assert_int_eq(anm_store_moved(a, sub, "c.anm", "c.anm", &err), 0);
    ck_assert(!anm_store_changed(a));
    ck_assert_msg(save_text(a, "more", &err) == 0, "%s", err.text);
    ck_assert(holds("sub/c.anm", "more"));
    ck_assert_int_eq(anm_folder_rename(top, "sub", top, "other", &err), 0);
    ck_assert_msg(save_text(a, "again", &err) == 0, "%s", err.text);
    ck_assert(holds("other/c.anm", "again"));
    anm_store_close(a);
    anm_store_close(b);
    anm_folder_unref(top);
    anm_folder_unref(sub);
}
END_TEST

/* A folder is looked through for leftovers until there is none, and then never again. */
START_TEST(swept_once)
{
    struct anm_error err = {0};
    put("a.anm", "a");
    put("b.anm", "b");
    put(".anmfs-b.anm-0123456789abcdef", "left");
    struct anm_folder *top = folder_at(".");
    anm_store_close(anm_store_openin(top, "a.anm", "a.anm", &err));
    ck_assert(!top->swept);
    anm_store_close(anm_store_openin(top, "b.anm", "b.anm", &err));
    ck_assert(top->swept);
    ck_assert_int_eq(entries("."), 2);
    anm_folder_unref(top);
}
END_TEST

START_TEST(mounts_are_not_there)
{
    struct anm_error err = {0};
    struct stat st;
    if (skipped(geteuid() == 0, "mounts in folders: needs root"))
        return;
    ck_assert_int_eq(mkdir(in("sub"), 0700), 0);
    struct anm_folder *top = folder_at(".");
    ck_assert_int_eq(anm_folder_look(top, "sub", &st), ANM_ENTRY_FOLDER);
    if (!skipped(mount("none", in("sub"), "tmpfs", 0, NULL) == 0, "mounts in folders: no tmpfs")) {
        ck_assert_int_eq(anm_folder_look(top, "sub", &st), ANM_ENTRY_NONE);
        ck_assert_ptr_null(anm_folder_enter(top, "sub", &err));
        ck_assert_int_eq(err.sys, EXDEV);
        ck_assert(!anm_folder_inside(top, "", "sub"));
        ck_assert_int_eq(umount(in("sub")), 0);
    }
    anm_folder_unref(top);
}
END_TEST

Suite *folder_suite(void)
{
    Suite *suite = suite_create("folder");
    TCase *tests = tcase_create("folders");
    tcase_set_tags(tests, "openat2"); /* a call that memcheck may not know */
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, what_is_there);
    tcase_add_test(tests, where_links_lead);
    tcase_add_test(tests, open_in_a_folder);
    tcase_add_test(tests, made_and_removed);
    tcase_add_test(tests, renamed);
    tcase_add_test(tests, swept_once);
    tcase_add_test(tests, mounts_are_not_there);
    suite_add_tcase(suite, tests);
    return suite;
}
