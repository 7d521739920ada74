/* SPDX-License-Identifier: MIT */
/* Each allocation in turn fails, where the tests of the rings do not see to it themselves: names and texts, what a JSON library
 * allocates, documents of every kind, and files. Nothing leaks (the sanitizer sees to that), nothing is half done. */
#include "fail_alloc.h"
#include "store_dir.h"
#include "suites.h"
#include "tree_help.h"

#include "anm/name.h"

#include <cjson/cJSON.h>

/* *n = 1, 2, … until that allocation is not reached any more. */
static bool next_allocation(unsigned *n)
{
    if (*n > 0 && !fail_alloc_hit())
        return false;
    ck_assert_uint_lt(++*n, 20000);
    return true;
}

#define EACH_ALLOCATION(n) for (unsigned n = 0; next_allocation(&n);)

/* --- names --- */

START_TEST(names)
{
    static const char raw[] =
        "a/b\x01\xff and much more, so that the buffer has to grow a few times before it ends, and "
        "then some: what is longer than 240 bytes is cut, with a hash of the whole at its end, and "
        "so this goes on and on and on until there is no doubt any more that it is long enough";
    for (int form = 0; form < 2; form++) {
        ANM_AUTO(anm_buf_free) struct anm_buf want = {0};
        (form ? anm_name_put_path : anm_name_put)(&want, (const uint8_t *)raw, sizeof raw - 1, 2);
        ck_assert(!want.failed);
        EACH_ALLOCATION(n)
        {
            ANM_AUTO(anm_buf_free) struct anm_buf out = {0};
            fail_alloc_at(n);
            (form ? anm_name_put_path : anm_name_put)(&out, (const uint8_t *)raw, sizeof raw - 1, 2);
            fail_alloc_off();
            ck_assert(out.failed == fail_alloc_hit());
            ck_assert(out.failed || (out.size == want.size && memcmp(out.data, want.data, out.size) == 0));
        }
    }
}
END_TEST

START_TEST(names_are_read)
{
    ANM_AUTO(anm_buf_free) struct anm_buf text = {0};
    for (int i = 0; i < 300; i++)
        anm_buf_puts(&text, "a%2fb");
    EACH_ALLOCATION(n)
    {
        ANM_AUTO(anm_buf_free) struct anm_buf raw = {0};
        struct anm_error err = {0};
        uint32_t ordinal;
        fail_alloc_at(n);
        int rc = anm_name_parse((const char *)text.data, text.size, &raw, &ordinal, &err);
        fail_alloc_off();
        ck_assert(fail_alloc_hit() ? rc == -1 && err.reason == ANM_NOMEM : rc == 0 && raw.size == 900);
    }
}
END_TEST

START_TEST(messages)
{
    struct anm_error err;
    anm_fail_line(&err, 3, 4, "one\ntwo %0*d\nthree", 600, 5);
    ANM_AUTO(anm_buf_free) struct anm_buf want = {0};
    anm_error_print(&err, "keys", &want);
    EACH_ALLOCATION(n)
    {
        ANM_AUTO(anm_buf_free) struct anm_buf out = {0};
        fail_alloc_at(n);
        anm_error_print(&err, "keys", &out);
        bool terminated = anm_buf_cstr(&out) != NULL;
        fail_alloc_off();
        ck_assert(terminated != fail_alloc_hit());
        ck_assert(!terminated || (out.size == want.size && memcmp(out.data, want.data, out.size) == 0));
    }
}
END_TEST

/* --- documents of every kind --- */

static struct anm_doc *make(unsigned kind)
{
    struct anm_doc *doc =
        kind == GEM_FRMN ? tree_make(0x00040000, GEM_FRMN, "a b a~2 idle",
                                     "0 a position 1 2 3\n0 a matrix 1 0 0 0 1 0 0 0 1\n"
                                     "0 a visible 2\n3 b visible no\n3 b visible~2 yes\n3 a~2 none\n")
                         : tree_make(kind == GEM_FRM3 ? 0x00060001 : 0x00060000, (enum gem_kind)kind, "a b a~2 idle",
                                     "0 a position 1 2 3\n0 a mirrored\n0 b orientation 1 1 1\n"
                                     "3 b visible both\n3 b scale~2 1 2 3\n3~2 a~2 flags 0x8000\n");
    tree_write(&doc, "frames/003/b.mesh", "no vertices");
    tree_write(&doc, "header", "length 300\n");
    if (kind == GEM_FRM3)
        tree_write(&doc, "comment", "made by hand");
    return doc;
}

static void read_file(const struct anm_doc *doc, const char *path, const struct anm_ref *ref, void *arg)
{
    const unsigned *kind = arg;
    ANM_AUTO(anm_freep) char *want = tree_text(doc, path);
    (void)ref;
    EACH_ALLOCATION(n)
    {
        ANM_AUTO(anm_doc_clean) struct anm_doc *fresh = make(*kind);
        ANM_AUTO(anm_buf_free) struct anm_buf out = {0};
        struct anm_error err = {0};
        struct anm_ref again;
        fail_alloc_at(n);
        int rc = anm_tree_find(fresh, path, &again, &err) || anm_tree_render(fresh, &again, &out, &err);
        fail_alloc_off();
        if (rc)
            ck_assert_msg(err.reason == ANM_NOMEM, "%s at %u: %s", path, n, err.text);
        else
            ck_assert_msg(out.size == strlen(want) && (out.size == 0 || memcmp(out.data, want, out.size) == 0),
                          "%s at %u", path, n);
    }
}

static void write_file(const struct anm_doc *doc, const char *path, const struct anm_ref *ref, void *arg)
{
    (void)arg;
    if (!anm_ref_writable(ref))
        return;
    ANM_AUTO(anm_freep) char *text = tree_text(doc, path);
    EACH_ALLOCATION(n)
    {
        struct anm_error err = {0};
        fail_alloc_at(n);
        ANM_AUTO(anm_doc_clean) struct anm_doc *same = anm_tree_write(doc, path, text, strlen(text), &err);
        fail_alloc_off();
        ck_assert_msg(same ? same == doc : fail_alloc_hit() && err.reason == ANM_NOMEM, "%s at %u: %s", path, n,
                      err.text);
    }
}

/* cJSON is a shared library: only by its hooks do its allocations come by here. */
START_TEST(every_file_of_every_kind)
{
    cJSON_Hooks hooks = {.malloc_fn = malloc, .free_fn = free};
    unsigned kind = (unsigned)_i;
    cJSON_InitHooks(&hooks);
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = make(kind);
    tree_walk(doc, "", ANM_LIST_HIDDEN, read_file, &kind);
    tree_walk(doc, "", ANM_LIST_HIDDEN, write_file, NULL);
    cJSON_InitHooks(NULL);
}
END_TEST

START_TEST(listing)
{
    static const char *const paths[] = {"", "frames", "frames/003", "bones", "bones/a~2", ".anmfs", ".anmfs/pose"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        EACH_ALLOCATION(n)
        {
            ANM_AUTO(anm_doc_clean) struct anm_doc *fresh = make(GEM_FRM2);
            ANM_AUTO(anm_buf_free) struct anm_buf listed = {0};
            struct anm_error err = {0};
            struct anm_ref at, child;
            uint32_t cookie = 0;
            fail_alloc_at(n);
            int rc = anm_tree_find(fresh, paths[i], &at, &err);
            while (rc == 0 && anm_tree_next(fresh, &at, ANM_LIST_HIDDEN, &cookie, &child, &listed))
                anm_buf_putc(&listed, '\n');
            fail_alloc_off();
            ck_assert_msg(rc == 0 || err.reason == ANM_NOMEM, "%s at %u: %s", paths[i], n, err.text);
        }
}
END_TEST

/* --- files --- */

START_TEST(opening)
{
    put("f", "one");
    EACH_ALLOCATION(n)
    {
        ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
        struct anm_error err = {0};
        fail_alloc_at(n);
        struct anm_store *store = anm_store_open(in("f"), &err);
        int rc = store ? anm_store_load(store, &bytes, &err) : -1;
        struct anm_watch *watch = rc == 0 ? anm_watch_new(&err) : NULL;
        int handle = watch ? anm_watch_store(watch, store, &err) : -1;
        fail_alloc_off();
        ck_assert_msg(handle >= 0 ? bytes.size == 3 && memcmp(bytes.data, "one", 3) == 0
                                  : fail_alloc_hit() && err.reason == ANM_NOMEM,
                      "at %u: %s", n, err.text);
        anm_watch_free(watch);
        anm_store_close(store);
    }
    ck_assert_int_eq(entries(""), 1);
}
END_TEST

START_TEST(saving)
{
    put("f", "old");
    EACH_ALLOCATION(n)
    {
        ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
        struct anm_error err = {0};
        put("f", "old");
        struct anm_store *store = opened("f");
        ck_assert_int_eq(anm_store_load(store, &bytes, &err), 0);
        fail_alloc_at(n);
        int rc = save_text(store, "new", &err);
        fail_alloc_off();
        ck_assert_msg(rc == 0 || (fail_alloc_hit() && err.reason == ANM_NOMEM), "at %u: %s", n, err.text);
        ck_assert(holds("f", rc == 0 ? "new" : "old"));
        ck_assert_int_eq(entries(""), 1);
        /* The next one goes through. */
        ck_assert_int_eq(save_text(store, "next", &err), 0);
        ck_assert(holds("f", "next"));
        anm_store_close(store);
    }
}
END_TEST

Suite *alloc_suite(void)
{
    Suite *suite = suite_create("alloc");
    TCase *texts = tcase_create("texts");
    tcase_add_test(texts, names);
    tcase_add_test(texts, names_are_read);
    tcase_add_test(texts, messages);
    suite_add_tcase(suite, texts);
    TCase *trees = tcase_create("trees");
    tcase_add_loop_test(trees, every_file_of_every_kind, GEM_FRMN, GEM_FRM3 + 1);
    tcase_add_test(trees, listing);
    suite_add_tcase(suite, trees);
    TCase *stores = tcase_create("stores");
    tcase_add_checked_fixture(stores, setup, teardown);
    tcase_add_test(stores, opening);
    tcase_add_test(stores, saving);
    suite_add_tcase(suite, stores);
    return suite;
}
