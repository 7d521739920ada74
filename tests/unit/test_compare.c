/* SPDX-License-Identifier: MIT */
/* What is told of two animations, against edits that are known. */
#include "suites.h"

#include "anm/compare.h"
#include "fail_alloc.h"
#include "tree_help.h"

#include <stdlib.h>
#include <string.h>

static struct anm_doc *tank(void)
{
    return tree_make(0x00060000, GEM_FRM2, "body turret gun",
                     "0 body position 0 0 0\n0 turret position 0 1.25 0\n0 turret orientation 0 0 0\n"
                     "0 gun position 0 0 1\n12 turret orientation 0 0.5 0\n12 gun visible yes\n20 gun visible no\n");
}

/* One line a difference: its change, path, before, after, deviation. */
static int note(void *arg, const struct anm_difference *d)
{
    anm_buf_printf(arg, "%c %s [%.*s] [%.*s]", "+-!="[d->change], d -> path, (int)d -> before_size,
                   d -> before ? d -> before : "", (int)d->after_size, d->after ? d->after : "");
    if (d->measured)
        anm_buf_printf(arg, " %.3f%s", d->deviation, d->turned ? "deg" : "");
    anm_buf_puts(arg, "\n");
    return 0;
}

static void told(const struct anm_doc *a, const struct anm_doc *b, const char *want)
{
    ANM_AUTO(anm_buf_free) struct anm_buf got = {0};
    struct anm_error err = {0};
    ck_assert_int_eq(anm_compare(a, b, note, &got, &err), 0);
    ck_assert_str_eq(anm_buf_cstr(&got), want);
}

START_TEST(nothing)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *a = tank(), *b = tank();
    told(a, a, "");
    told(a, b, "");
}
END_TEST

START_TEST(keys)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *a = tank(), *b = tank();
    tree_write(&b, "frames/012/keys", "turret orientation 0 0.70710677 0\ngun visible no\ngun position 1 0 0\n");
    tree_write(&b, "bones/body/keys", "0 position 0 -0.5 0.25\n");
    told(a, b,
         "! keys [0 body position 0 0 0] [0 body position 0 -0.5 0.25] 0.500\n"
         "! keys [12 gun visible yes] [12 gun visible no]\n+ keys [] [12 gun position 1 0 0]\n"
         "! keys [12 turret orientation 0 0.5 0] [12 turret orientation 0 0.70710677 0] 30.000deg\n");
    told(b, a,
         "! keys [0 body position 0 -0.5 0.25] [0 body position 0 0 0] 0.500\n"
         "! keys [12 gun visible no] [12 gun visible yes]\n- keys [12 gun position 1 0 0] []\n"
         "! keys [12 turret orientation 0 0.70710677 0] [12 turret orientation 0 0.5 0] 30.000deg\n");
}
END_TEST

START_TEST(frames_and_bones)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *a = tank(), *b = tank();
    tree_mkdir(&b, "frames/016");
    tree_mkdir(&b, "bones/flash");
    told(a, b, "+ bonemap [] [flash]\n+ frames/016 [] []\n");
    told(b, a, "- bonemap [flash] []\n- frames/016 [] []\n");
    tree_rename(&b, "bones/gun", "bones/cannon");
    tree_write(&b, "frames/012/body.mesh", "mesh");
    told(a, b,
         "= bones [gun] [cannon]\n- bonemap [gun] []\n+ bonemap [] [cannon]\n+ bonemap [] [flash]\n"
         "+ frames/012/body.mesh [] []\n+ frames/016 [] []\n+ keys [] [12 body mesh]\n");
    tree_write(&a, "frames/012/body.mesh", "other");
    tree_rename(&a, "bones/gun", "bones/cannon");
    told(a, b, "+ bonemap [] [flash]\n! frames/012/body.mesh [] []\n+ frames/016 [] []\n");
}
END_TEST

/* Whole lines, whatever both texts share. */
START_TEST(texts)
{
    static const struct {
        const char *a, *b, *want;
    } cases[] = {
        {"gun\nturret\nbody\n", "gun\nturret\nbody\nbox\n", "+ bonemap [] [box]\n"},
        {"gun\nturret\nbody\n", "box\ngun\nturret\nbody\n", "+ bonemap [] [box]\n"},
        {"gun\nturret\nbody\n", "turret\ngun\nbody\n",
         "- bonemap [gun] []\n- bonemap [turret] []\n+ bonemap [] [turret]\n+ bonemap [] [gun]\n"},
        {"gun\nturret\nbody\nbox\n", "gun\nturret\nbody\nbox\nbox~2\n", "+ bonemap [] [box~2]\n"},
        {"gun\nturret\nbody\nhatch\nbox\n", "gun\nturret\nbody\nwheel\nbox\n",
         "- bonemap [hatch] []\n+ bonemap [] [wheel]\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ANM_AUTO(anm_doc_clean) struct anm_doc *a = tank(), *b = tank();
        tree_write(&a, "bonemap", cases[i].a);
        tree_write(&b, "bonemap", cases[i].b);
        told(a, b, cases[i].want);
    }
}
END_TEST

static int stop(void *arg, const struct anm_difference *d)
{
    (void)d;
    ++*(int *)arg;
    return 7;
}

START_TEST(ends_when_told)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *a = tank(), *b = tank();
    struct anm_error err = {0};
    int calls = 0;
    tree_write(&b, "frames/012/keys", "# nothing\n");
    ck_assert_int_eq(anm_compare(a, b, stop, &calls, &err), 7);
    ck_assert_int_eq(calls, 1);
}
END_TEST

static int ignore(void *arg, const struct anm_difference *d)
{
    (void)arg, (void)d;
    return 0;
}

START_TEST(without_memory)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *a = tank(), *b = tank();
    struct anm_error err = {0};
    tree_rename(&b, "bones/gun", "bones/cannon");
    tree_write(&b, "bones/body/keys", "0 position 0 -0.5 0.25\n");
    bool hit = true;
    for (unsigned n = 1; hit; n++) {
        fail_alloc_at(n);
        int result = anm_compare(a, b, ignore, NULL, &err);
        hit = fail_alloc_hit();
        fail_alloc_off();
        ck_assert(result == 0 || (hit && result == -1 && err.reason == ANM_NOMEM));
    }
}
END_TEST

Suite *compare_suite(void)
{
    Suite *suite = suite_create("compare");
    TCase *tests = tcase_create("differences");
    tcase_add_test(tests, nothing);
    tcase_add_test(tests, keys);
    tcase_add_test(tests, frames_and_bones);
    tcase_add_test(tests, texts);
    tcase_add_test(tests, ends_when_told);
    tcase_add_test(tests, without_memory);
    suite_add_tcase(suite, tests);
    return suite;
}
