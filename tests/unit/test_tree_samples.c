/* SPDX-License-Identifier: MIT */
/* Real files, and documents built here that hold every oddity, through the whole tree. */
#include "gem_build.h"
#include "tree_help.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct anm_doc *decoded(const uint8_t *bytes, size_t size)
{
    struct anm_error err;
    struct anm_doc *doc = anm_doc_decode(bytes, size, NULL, &err);
    ck_assert_msg(doc != NULL, "%s", err.text);
    return doc;
}

/* --- writing what is there changes nothing --- */

static void write_back(const struct anm_doc *doc, const char *path, const struct anm_ref *ref, void *arg)
{
    (void)arg;
    ANM_AUTO(anm_buf_free) struct anm_buf out = {0};
    struct anm_error err = {0};
    ck_assert_int_eq(anm_tree_render(doc, ref, &out, &err), 0);
    if (!anm_ref_writable(ref))
        return;
    ANM_AUTO(anm_doc_clean) struct anm_doc *same = anm_tree_write(doc, path, out.data, out.size, &err);
    ck_assert_msg(same == doc, "%s: %u:%u: %s", path, err.line, err.column, same ? "changed" : err.text);
}

static void check_unchanged(const char *name, const uint8_t *bytes, size_t size)
{
    (void)name;
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = decoded(bytes, size);
    tree_walk(doc, "", ANM_LIST_HIDDEN, write_back, NULL);
}

/* --- cp -r: everything written in listing order into an empty animation gives the same bytes --- */

static void copy_file(const struct anm_doc *from, const char *path, const struct anm_ref *ref, void *arg)
{
    struct anm_doc **to = arg;
    ANM_AUTO(anm_buf_free) struct anm_buf out = {0};
    struct anm_error err = {0};
    char dir[512];
    ck_assert_int_eq(anm_tree_render(from, ref, &out, &err), 0);
    snprintf(dir, sizeof dir, "%s", path);
    char *slash = strrchr(dir, '/');
    if (slash) {
        *slash = 0;
        struct anm_ref found;
        if (anm_tree_find(*to, dir, &found, &err))
            tree_mkdir(to, dir);
    }
    if (out.size || anm_ref_kind(ref) == ANM_FILE_RAW) /* an empty text is never written */
        tree_write_bytes(to, path, out.data, out.size);
}

static void check_copy(const char *name, const uint8_t *bytes, size_t size)
{
    (void)name;
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = decoded(bytes, size);
    ANM_AUTO(anm_doc_clean) struct anm_doc *copy = tree_from(gem_new(0x00060000, GEM_FRM2));
    tree_walk(doc, "", 0, copy_file, &copy);
    tree_same_bytes(doc, copy);
}

/* --- one float changed through any of the three views changes its four bytes --- */

static char *replace_first_float(const char *text, char **line)
{
    const char *at = strstr(text, "position ");
    if (!at)
        return NULL;
    const char *start = at + strlen("position ");
    const char *end = start + strcspn(start, " ");
    char *changed = malloc(strlen(text) + 32);
    ck_assert_ptr_nonnull(changed);
    *line = changed + (at - text);
    sprintf(changed, "%.*s-1234.5625%s", (int)(start - text), text, end);
    return changed;
}

static void check_one_float(const struct anm_doc *doc, const char *path)
{
    ANM_AUTO(anm_freep) char *text = tree_text(doc, path);
    char *line;
    ANM_AUTO(anm_freep) char *changed = replace_first_float(text, &line);
    if (!changed)
        return;
    ANM_AUTO(anm_buf_free) struct anm_buf before = {0}, after = {0};
    struct anm_error err = {0};
    ANM_AUTO(anm_doc_clean) struct anm_doc *edited = anm_tree_write(doc, path, changed, strlen(changed), &err);
    ck_assert_msg(edited != NULL, "%s: %s", path, err.text);
    gem_build_encode(gem_const(doc), &before);
    gem_build_encode(gem_const(edited), &after);
    ck_assert_uint_eq(before.size, after.size);
    size_t first = 0, last = before.size;
    while (first < before.size && before.data[first] == after.data[first])
        first++;
    while (last > first && before.data[last - 1] == after.data[last - 1])
        last--;
    ck_assert_uint_ge(last - first, 1);
    ck_assert_uint_le(last - first, 4);
    uint32_t shared = 0;
    for (uint32_t i = 0; i < gem_const(doc)->frame_count; i++)
        shared += gem_const(doc)->frames[i] == gem_const(edited)->frames[i];
    ck_assert_uint_eq(shared, gem_const(doc)->frame_count - 1);
    tree_is(edited, path, changed);
}

static void check_floats(const char *name, const uint8_t *bytes, size_t size)
{
    (void)name;
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = decoded(bytes, size);
    char path[600];
    ANM_AUTO(anm_buf_free) struct anm_buf child_name = {0};
    const char *const dirs[] = {"frames", "bones"};
    for (unsigned i = 0; i < 2; i++) {
        struct anm_error err;
        struct anm_ref dir, child;
        uint32_t cookie = 0;
        child_name.size = 0;
        ck_assert_int_eq(anm_tree_find(doc, dirs[i], &dir, &err), 0);
        ck_assert_int_eq(anm_tree_next(doc, &dir, 0, &cookie, &child, &child_name), 1);
        snprintf(path, sizeof path, "%s/%s/keys", dirs[i], anm_buf_cstr(&child_name));
        check_one_float(doc, path);
    }
    check_one_float(doc, "keys");
}

/* --- sameness is exact: it says what comparing all the texts would say --- */

struct sides {
    const struct anm_doc *other;
    unsigned same, different;
};

static void compare(const struct anm_doc *doc, const char *path, const struct anm_ref *ref, void *arg)
{
    struct sides *sides = arg;
    struct anm_ref other;
    struct anm_error err;
    if (anm_ref_volatile(ref) || anm_tree_find(sides->other, path, &other, &err))
        return;
    ANM_AUTO(anm_freep) char *one = tree_text(doc, path), *two = tree_text(sides->other, path);
    bool same = strcmp(one, two) == 0;
    ck_assert_msg(anm_tree_same(doc, ref, sides->other, &other) == same, "%s: %s", path, same ? "same" : "different");
    ck_assert(anm_tree_same(sides->other, &other, doc, ref) == same);
    sides->same += same;
    sides->different += !same;
}

static struct sides compare_all(const struct anm_doc *a, const struct anm_doc *b)
{
    struct sides sides = {.other = b};
    tree_walk(a, "", ANM_LIST_HIDDEN, compare, &sides);
    return sides;
}

static void check_same(const char *name, const uint8_t *bytes, size_t size)
{
    if (size > 8000)
        return;
    (void)name;
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = decoded(bytes, size);
    ANM_AUTO(anm_doc_clean) struct anm_doc *other = decoded(bytes, size);
    ck_assert_uint_eq(compare_all(doc, other).different, 0);
    tree_mkdir(&other, "bones/new%20bone");
    tree_mkdir(&other, "frames/30000");
    ck_assert_uint_gt(compare_all(doc, other).different, 0);
}

/* --- documents with what real files do not have --- */

static struct gem_doc *odd_frmn(void)
{
    struct anm_buf out = {0};
    const float m[12] = {1, 0, 0, 0, 1, 0, 0, 0, -1, 4, 5, 6};
    gem_build_header(&out, 0x00040000, 9);
    gem_build_bmap(&out, GEM_STRING32, (const char *const[]){"a", "b c", "a", "", NULL});
    gem_build_frmn(&out, 3);
    gem_build_bone(&out, 1);
    gem_build_visi(&out, 7);
    gem_build_matr(&out, m);
    gem_build_mesh(&out, "xyz");
    gem_build_mesh(&out, "joined");
    gem_build_bone(&out, 0);
    gem_build_bone(&out, 1);
    gem_build_visi(&out, 0);
    gem_build_frmn(&out, 1);
    gem_build_frmn(&out, 3);
    gem_build_bone(&out, 2);
    gem_build_mesh(&out, "");
    gem_build_frm2(&out, 2, 1);
    gem_build_key(&out, 3, 0x0207);
    gem_build_vector(&out, 1, 2, 3);
    gem_build_vector(&out, -0.0f, 0, 1);
    return gem_build_decode(&out);
}

static struct gem_doc *odd_frm3(void)
{
    struct anm_buf out = {0};
    gem_build_start(&out, 0x00060001);
    gem_build_cmnt(&out, "one");
    gem_build_frms(&out, 300);
    gem_build_cmnt(&out, "");
    gem_build_bmap(&out, GEM_STRING8, (const char *const[]){"left", "right", NULL});
    gem_build_frm3(&out, 7, 2, 3);
    gem_build_key(&out, 1, 0x0000);
    gem_build_key(&out, 0, 0x0021);
    gem_build_vector(&out, 1, 2, 3);
    gem_build_mesh_data(&out, "m1");
    gem_build_key(&out, 0, 0x0061);
    gem_build_vector(&out, 1, 2, 3);
    gem_build_vector(&out, 1, 1, 1);
    gem_build_mesh_data(&out, "m2");
    gem_build_frm3(&out, 5, 2, 1);
    gem_build_key(&out, 0, 0x0018);
    return gem_build_decode(&out);
}

START_TEST(odd_documents_print_whole)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = tree_from(odd_frmn());
    tree_is(doc, "format", "gem 4.0 frmn mixed\n");
    tree_is(doc, "header", "length 9\norder 003 001 003~2 002\nkind frm2 002\njoined 3 b%20c 2\n");
    tree_is(doc, "bonemap", "a\nb%20c\na~2\n%\n");
    tree_is(doc, "frames/003/keys",
            "b%20c visible 7\nb%20c position 4 5 6\nb%20c matrix 1 0 0 0 1 0 0 0 -1\nb%20c mesh\n"
            "b%20c mesh~2\na none\nb%20c visible~3 no\n");
    tree_is(doc, "frames/003~2/keys", "a~2 mesh\n");
    tree_is(doc, "bones/%/keys", "2 position 1 2 3\n2 orientation -0 0 1\n2 mirrored\n2 flags 0x0200\n");
    tree_lists(doc, "frames", "001 002 003 003~2 ");
    tree_lists(doc, "frames/003", "b%20c.mesh b%20c.mesh~2 keys ");
    tree_is(doc, "frames/003/b%20c.mesh~2", "joined");
    tree_lists(doc, "", "format header bonemap frames bones ");
    tree_walk(doc, "", ANM_LIST_HIDDEN, write_back, NULL);
    ANM_AUTO(anm_doc_clean) struct anm_doc *other = tree_from(odd_frm3());
    tree_is(other, "format", "gem 6.1 frm3 gem3\n");
    tree_is(other, "header", "length 300\nlayout CMNT FRMS CMNT BMAP\norder 007 005\ncomment\n");
    tree_is(other, "comment", "one");
    tree_is(other, "frames/007/keys",
            "right none\nleft position 1 2 3\nleft mesh\nleft position~2 1 2 3\nleft scale~2 1 1 1\nleft mesh~2\n");
    tree_is(other, "frames/005/keys", "left visible both\n");
    tree_walk(other, "", ANM_LIST_HIDDEN, write_back, NULL);
}
END_TEST

/* A length that no edit could give: it stays until a frame changes. */
START_TEST(a_length_too_small_is_kept)
{
    struct anm_buf out = {0};
    gem_build_header(&out, 0x00060000, 2);
    gem_build_bmap(&out, GEM_STRING32, (const char *const[]){"a", NULL});
    gem_build_frm2(&out, 5, 1);
    gem_build_key(&out, 0, GEM_SHOW);
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = tree_from(gem_build_decode(&out));
    tree_is(doc, "header", "length 2\n");
    tree_walk(doc, "", ANM_LIST_HIDDEN, write_back, NULL);
    tree_write(&doc, "frames/005/keys", "a visible no\n");
    tree_is(doc, "header", "length 6\n");
}
END_TEST

START_TEST(samples_written_back_are_unchanged)
{
    gem_build_each_sample(check_unchanged);
}
END_TEST

START_TEST(samples_copied_are_equal)
{
    gem_build_each_sample(check_copy);
    ANM_AUTO(anm_doc_clean)
    struct anm_doc *doc = tree_make(
        0x00060001, GEM_FRM3, "b a b~2",
        "0 b position 1 2 3\n0 b~2 mirrored\n0 b~2 orientation 0 0 1\n4 a none\n4 b visible both\n4 b flags 0x8000\n"
        "300 a scale 1 1 2\n300 b~2 orientation 0 1 0\n300 b~2 mirrored no\n");
    tree_write(&doc, "comment", "hello");
    tree_write_bytes(&doc, "frames/004/a.mesh", "\0\1", 2);
    tree_mkdir(&doc, "frames/012");
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
    gem_build_encode(gem_const(doc), &bytes);
    check_copy("built", bytes.data, bytes.size);
    check_unchanged("built", bytes.data, bytes.size);
    check_floats("built", bytes.data, bytes.size);
}
END_TEST

START_TEST(samples_change_by_four_bytes)
{
    gem_build_each_sample(check_floats);
}
END_TEST

START_TEST(samples_compare_exactly)
{
    gem_build_each_sample(check_same);
    ANM_AUTO(anm_doc_clean)
    struct anm_doc *doc = tree_make(0x00060000, GEM_FRM2, "a b c",
                                    "0 a position 1 2 3\n0 b visible no\n5 a position 1 2 3\n"
                                    "5 c orientation 0 0 0\n9 c position 0 0 0\n");
    ANM_AUTO(anm_doc_clean) struct anm_doc *other = anm_doc_ref(doc);
    ck_assert_uint_eq(compare_all(doc, other).different, 0);
    /* A mirrored key elsewhere changes the text of frames that are shared. */
    tree_write(&other, "bones/c/keys", "5 orientation 0 0 0\n5 mirrored\n9 position 0 0 0\n");
    tree_is(other, "frames/009/keys", "c position 0 0 0\nc mirrored no\n");
    ck_assert_uint_eq(compare_all(doc, other).different, 4);
    /* Another order of the map changes indices, and no other text. */
    tree_write(&other, "bones/c/keys", "5 orientation 0 0 0\n9 position 0 0 0\n");
    tree_write(&other, "bonemap", "c\nb\na\n");
    ck_assert_uint_eq(compare_all(doc, other).different, 1);
    tree_rename(&other, "bones/b", "bones/x");
    ck_assert_uint_eq(compare_all(doc, other).different, 3);
}
END_TEST

static void check_example(const char *name, const uint8_t *bytes, size_t size)
{
    if (strcmp(name, "v60_hide_only_key.anm") != 0)
        return;
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = decoded(bytes, size);
    tree_is(doc, "format", "gem 6.0 frm2\n");
    tree_is(doc, "header", "length 51\n");
    tree_is(doc, "bonemap", "cover_com\noptica_sh\n");
    tree_is(doc, "frames/000/keys",
            "cover_com position 5.40137 -10.607041 18.456533\n"
            "cover_com orientation 0.4916511 -0.50734806 -0.5082356\ncover_com visible yes\n"
            "optica_sh position -14.52322 0.4278522 17.27479\n"
            "optica_sh orientation 0.4916511 -0.50734806 -0.5082356\noptica_sh visible yes\n");
    tree_is(doc, "frames/011/keys", "cover_com orientation -0.6778784 0.67117006 -0.20129529\noptica_sh visible no\n");
    ANM_AUTO(anm_freep) char *track = tree_text(doc, "bones/optica_sh/keys");
    const char *start = "0 position -14.52322 0.4278522 17.27479\n0 orientation 0.4916511 -0.50734806 -0.5082356\n"
                        "0 visible yes\n11 visible no\n50 ";
    ck_assert_int_eq(strncmp(track, start, strlen(start)), 0);
    tree_is(doc, ".anmfs/pose/011",
            "cover_com position 5.40137 -10.607041 18.456533\n"
            "cover_com orientation -0.6778784 0.67117006 -0.20129529\ncover_com visible yes\n"
            "optica_sh position -14.52322 0.4278522 17.27479\n"
            "optica_sh orientation 0.4916511 -0.50734806 -0.5082356\noptica_sh visible no\n");
}

START_TEST(example_of_the_design)
{
    gem_build_each_sample(check_example);
}
END_TEST

void tree_sample_cases(Suite *suite)
{
    TCase *tcase = tcase_create("samples");
    tcase_add_test(tcase, odd_documents_print_whole);
    tcase_add_test(tcase, a_length_too_small_is_kept);
    tcase_add_test(tcase, samples_written_back_are_unchanged);
    tcase_add_test(tcase, samples_copied_are_equal);
    tcase_add_test(tcase, samples_change_by_four_bytes);
    tcase_add_test(tcase, samples_compare_exactly);
    tcase_add_test(tcase, example_of_the_design);
    suite_add_tcase(suite, tcase);
}
