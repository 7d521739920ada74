/* SPDX-License-Identifier: MIT */
/* Documents without anything in them, and those that are no animation. */
#include "psx_build.h"
#include "tree_help.h"

#include "anm/note.h"

#include <string.h>

static struct anm_doc *blank(const char *format)
{
    struct anm_error err = {0};
    struct anm_doc *doc = anm_tree_blank(format, strlen(format), &err);
    ck_assert_msg(doc != NULL, "%s: %s", format, err.text);
    return doc;
}

static const char *const formats[] = {"gem 6.0 frm2\n", "gem 3.0 frmn\n", "gem 6.1 frm3\n", "psx 0\n",
                                      "psx 3\n",        "tsq 0\n",        "tsq 1\n"};
#define FORMATS (sizeof formats / sizeof *formats)

START_TEST(blank_documents)
{
    struct anm_doc *doc = blank(formats[_i]);
    tree_is(doc, "format", formats[_i]);
    ck_assert(anm_tree_is_bare(doc));
    if (strstr(formats[_i], "frm3") == NULL) /* of which a file without frames tells nothing */
        tree_reloads(doc);
    /* As long as nothing is in them, each can become any other. */
    for (size_t i = 0; i < FORMATS; i++) {
        tree_write(&doc, "format", formats[i]);
        tree_is(doc, "format", formats[i]);
    }
    anm_doc_unref(doc);
}
END_TEST

START_TEST(no_blank_document)
{
    const char *const wrong[] = {"", "# nothing\n", "tim 4\n", "gem\n", "gem 9.9\n", "psx 4\n", "nonsense 1\n"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct anm_error err = {0};
        ck_assert_ptr_null(anm_tree_blank(wrong[i], strlen(wrong[i]), &err));
        ck_assert_msg(err.reason == ANM_TEXT || err.reason == ANM_LIMIT, "%s: %s", wrong[i], err.text);
    }
}
END_TEST

/* What is in a document keeps it in its family. */
START_TEST(nothing_is_lost_to_another_family)
{
    struct anm_doc *gem = tree_make(0x60000, GEM_FRM2, "body", "3 body position 1 2 3\n");
    ck_assert(!anm_tree_is_bare(gem));
    tree_refuses(gem, "format", "psx 3\n", ANM_TEXT, "expected gem");
    tree_remove(&gem, "frames/003/keys");
    tree_remove(&gem, "bones/body");
    ck_assert(!anm_tree_is_bare(gem)); /* an empty frame */
    tree_remove(&gem, "frames/003");
    ck_assert(anm_tree_is_bare(gem));
    tree_write(&gem, "format", "psx 3\n");
    tree_lists(gem, "", "format header frames sequences clut ");
    anm_doc_unref(gem);
    struct anm_doc *psx = psx_build(3);
    ck_assert(!anm_tree_is_bare(psx));
    tree_refuses(psx, "format", "gem 6.0 frm2\n", ANM_TEXT, "within its family");
    anm_doc_unref(psx);
    /* An image is more than its palettes. */
    struct anm_buf bytes = {0};
    tim_build(&bytes, 2, 0);
    struct anm_doc *tim = psx_build_decode(&bytes);
    ck_assert(!anm_tree_is_bare(tim));
    anm_doc_unref(tim);
    anm_buf_free(&bytes);
}
END_TEST

START_TEST(notes)
{
    struct anm_error err = {0};
    struct anm_buf bytes = {0};
    struct anm_doc *note = anm_note_new("a.anm: offset 4: broken\n"), *none = anm_note_new(NULL);
    ck_assert(anm_is_note(note) && anm_is_note(none));
    tree_lists(note, "", "ERROR ");
    tree_is(note, "ERROR", "a.anm: offset 4: broken\n");
    tree_lists(none, "", "");
    tree_lacks(none, "ERROR", ANM_NOENT);
    tree_lists(none, ".anmfs", "errors status ");
    ck_assert(!anm_tree_is_bare(note) && !anm_tree_is_bare(none));
    ck_assert_ptr_null(anm_tree_write(note, "ERROR", "fine\n", 5, &err));
    ck_assert_int_eq(err.reason, ANM_DENIED);
    ck_assert_ptr_null(anm_tree_write(note, "keys", "", 0, &err));
    ck_assert_int_eq(err.reason, ANM_DENIED);
    ck_assert_ptr_null(anm_tree_remove(note, "ERROR", &err));
    ck_assert_int_eq(err.reason, ANM_DENIED);
    ck_assert_ptr_null(anm_tree_mkdir(note, "frames", &err));
    ck_assert_int_eq(err.reason, ANM_DENIED);
    ck_assert_int_eq(anm_doc_encode(note, &bytes, &err), -1);
    struct anm_ref ref;
    ck_assert_int_eq(anm_tree_find(note, ".anmfs/errors", &ref, &err), 0);
    ck_assert_uint_eq(anm_ref_rank(&ref), 3);
    anm_doc_unref(note);
    anm_doc_unref(none);
}
END_TEST

void tree_blank_cases(Suite *suite)
{
    TCase *tests = tcase_create("blank");
    tcase_add_loop_test(tests, blank_documents, 0, FORMATS);
    tcase_add_test(tests, no_blank_document);
    tcase_add_test(tests, nothing_is_lost_to_another_family);
    tcase_add_test(tests, notes);
    suite_add_tcase(suite, tests);
}
