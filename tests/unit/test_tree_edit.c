/* SPDX-License-Identifier: MIT */
/* Edits of keys, meshes, frames and bones: the rules of the tree, by number. */
#include "gem_build.h"
#include "tree_help.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLAIN "0 a position 1 2 3\n0 a orientation 0 0 0.5\n0 b visible yes\n5 a position 4 5 6\n9 b visible no\n"

static struct anm_doc *plain(void)
{
    return tree_make(0x00060000, GEM_FRM2, "a b c", PLAIN);
}

static struct anm_doc *matrices(void)
{
    return tree_make(0x00040000, GEM_FRMN, "a b",
                     "0 a position 1 2 3\n0 a matrix 1 0 0 0 1 0 0 0 1\n0 b visible 3\n2 b visible yes\n");
}

START_TEST(rule_1_one_grammar_three_depths)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = plain();
    tree_is(doc, "keys", PLAIN);
    tree_is(doc, "bones/a/keys", "0 position 1 2 3\n0 orientation 0 0 0.5\n5 position 4 5 6\n");
    tree_is(doc, "frames/000/keys", "a position 1 2 3\na orientation 0 0 0.5\nb visible yes\n");
    ANM_AUTO(anm_doc_clean)
    struct anm_doc *byframe = anm_doc_ref(doc), *bybone = anm_doc_ref(doc), *byfile = anm_doc_ref(doc);
    tree_write(&byframe, "frames/005/keys", "a position 4 5 6.5\n");
    tree_write(&bybone, "bones/a/keys", "0 position 1 2 3\n0 orientation 0 0 0.5\n005 position 4 5 6.5\n");
    tree_write(&byfile, "keys",
               "9 b visible no\r\n# a comment\r\n\n 5\ta position +4 5.0 65e-1\n0 a orientation 0 0 .5\n"
               "0 b visible yes\n0 a position 1 2 0x3p0\n");
    tree_same_bytes(byframe, bybone);
    tree_same_bytes(byframe, byfile);
}
END_TEST

START_TEST(rule_2_copies_do_what_they_look_like)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = plain();
    ANM_AUTO(anm_freep) char *frame = tree_text(doc, "frames/000/keys"), *track = tree_text(doc, "bones/a/keys");
    tree_write(&doc, "frames/009/keys", frame);
    tree_is(doc, "frames/009/keys", frame);
    tree_write(&doc, "bones/c/keys", track);
    tree_is(doc, "bones/c/keys", track);
    tree_is(doc, "frames/005/keys", "a position 4 5 6\nc position 4 5 6\n");
    tree_is(doc, "bones/b/keys", "0 visible yes\n9 visible yes\n");
}
END_TEST

START_TEST(rule_3_frames_come_and_go)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = plain();
    tree_write(&doc, "bones/c/keys", "7 visible no\n0 visible no\n11 none\n");
    tree_lists(doc, "frames", "000 005 007 009 011 ");
    tree_is(doc, "header", "length 12\n");
    tree_write(&doc, "bones/c/keys", "0 visible no\n"); /* emptied through a track: goes */
    tree_lists(doc, "frames", "000 005 009 ");
    tree_is(doc, "header", "length 10\n");
    tree_write(&doc, "frames/009/keys", "# nothing\n"); /* emptied through frames/: stays */
    tree_lists(doc, "frames", "000 005 009 ");
    tree_write(&doc, "keys", "0 a none\n"); /* an empty one stays, an emptied one goes */
    tree_lists(doc, "frames", "000 009 ");
    tree_mkdir(&doc, "frames/004");
    tree_is(doc, "frames/004/keys", "");
    tree_refuses_remove(doc, "frames/000", ANM_NOTEMPTY, "has keys");
    tree_remove(&doc, "frames/000/keys");
    tree_remove(&doc, "frames/000");
    tree_lists(doc, "frames", "004 009 ");
    tree_refuses_remove(doc, "keys", ANM_DENIED, "");
    tree_refuses_remove(doc, "frames", ANM_DENIED, "");
    tree_refuses_mkdir(doc, "frames/004", ANM_EXIST, "004");
}
END_TEST

START_TEST(rule_3_moving_is_editing)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = plain();
    tree_rename(&doc, "frames/000", "frames/007");
    tree_lists(doc, "frames", "005 007 009 ");
    ck_assert_uint_eq(gem_const(doc)->frames[1]->number, 7); /* in the file too */
    tree_refuses_rename(doc, "frames/005", "frames/009", ANM_NOTEMPTY, "has keys");
    tree_mkdir(&doc, "frames/020");
    tree_rename(&doc, "frames/005", "frames/020");
    tree_is(doc, "frames/020/keys", "a position 4 5 6\n");
    tree_lists(doc, "frames", "007 009 020 ");
    tree_mkdir(&doc, "frames/001");
    tree_rename(&doc, "frames/020", "frames/001");
    tree_lists(doc, "frames", "001 007 009 ");
    tree_is(doc, "header", "length 10\n");
    tree_refuses_rename(doc, "frames/001", "bones/x", ANM_DENIED, "own directory");
    tree_refuses_rename(doc, "frames/001", "frames/12", ANM_NAME, "spelled 012");
    tree_refuses_rename(doc, "frames", "bones", ANM_DENIED, "");
    tree_rename(&doc, "frames/001/keys", "frames/009/keys");
    tree_is(doc, "frames/001/keys", "");
    tree_is(doc, "frames/009/keys", "a position 4 5 6\n");
    tree_refuses_rename(doc, "header", "bonemap", ANM_DENIED, "");
    tree_refuses_rename(doc, "frames/003", "frames/004", ANM_NOENT, "003");
}
END_TEST

START_TEST(rule_3_bones)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = plain();
    tree_rename(&doc, "bones/a", "bones/new%20name");
    tree_is(doc, "bonemap", "new%20name\nb\nc\n");
    tree_rename(&doc, "bones/b", "bones/c"); /* no keys: replaced */
    tree_is(doc, "bonemap", "new%20name\nc\n");
    tree_is(doc, "bones/c/keys", "0 visible yes\n9 visible no\n");
    tree_refuses_rename(doc, "bones/c", "bones/new%20name", ANM_NOTEMPTY, "keys");
    tree_refuses_remove(doc, "bones/c", ANM_NOTEMPTY, "2 keys");
    tree_mkdir(&doc, "bones/d");
    tree_remove(&doc, "bones/new%20name/keys");
    tree_remove(&doc, "bones/new%20name"); /* indices shift */
    tree_is(doc, "bonemap", "c\nd\n");
    tree_is(doc, "keys", "0 c visible yes\n9 c visible no\n");
    tree_refuses_mkdir(doc, "bones/c", ANM_EXIST, "c");
    tree_refuses_mkdir(doc, "bones/.x", ANM_NAME, "");
    tree_refuses_mkdir(doc, "bones/e~2", ANM_NAME, "behind the first");
    tree_mkdir(&doc, "bones/c~2");
    tree_refuses_rename(doc, "bones/d", "bones/d~2", ANM_NAME, "to be renamed");
    tree_is(doc, "bonemap", "c\nd\nc~2\n");
}
END_TEST

START_TEST(rule_3_unknown_bones_name_the_nearest)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = tree_make(0x00060000, GEM_FRM2, "turret Gun_Left", "0 turret none\n");
    tree_refuses_at(doc, "frames/000/keys", "turret none\n  turet position 0 0 0\n", 2, 3, "the nearest is turret");
    tree_refuses_at(doc, "keys", "0 gun_left position 0 0 0\n", 1, 3,
                    "the nearest is Gun_Left; a new one: mkdir bones/gun_left");
    tree_refuses_at(doc, "keys", "0 xyzzy12345 position 0 0 0\n", 1, 3, "mkdir bones/xyzzy12345");
    tree_refuses_at(doc, "keys", "0 a%zz position 0 0 0\n", 1, 3, "");
}
END_TEST

START_TEST(rule_3_bonemap_reorders_and_adds)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = plain();
    tree_write(&doc, "bonemap", "b\nnew\na\n"); /* c had no keys */
    tree_is(doc, "bonemap", "b\nnew\na\n");
    tree_is(doc, "keys", PLAIN);
    ck_assert_uint_eq(gem_const(doc)->frames[0]->keys[0].bone, 2);
    tree_refuses(doc, "bonemap", "b\nnew\n", ANM_TEXT, "rm -r bones/a");
    tree_refuses_at(doc, "bonemap", "b\na\n b\nnew\n", 3, 2, "line 1");
    tree_refuses_at(doc, "bonemap", "x\nb\na\nx\n", 4, 1, "line 1");
    tree_refuses_at(doc, "bonemap", "b a\n", 1, 3, "one name");
}
END_TEST

START_TEST(rule_4_order_of_keys)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = plain();
    tree_write(&doc, "frames/000/keys", "c none\na position 1 2 3\nb visible no\na visible yes\n");
    tree_is(doc, "frames/000/keys", "c none\na position 1 2 3\na visible yes\nb visible no\n");
    /* Through a track: before the first key of a later bone, here c. */
    tree_write(&doc, "bones/b/keys", "5 none\n");
    tree_is(doc, "frames/000/keys", "c none\na position 1 2 3\na visible yes\n");
    tree_write(&doc, "bones/b/keys", "5 none\n0 none\n");
    tree_is(doc, "frames/000/keys", "b none\nc none\na position 1 2 3\na visible yes\n");
    tree_is(doc, "frames/005/keys", "a position 4 5 6\nb none\n");
    /* A key that was there keeps its place. */
    tree_write(&doc, "bones/a/keys", "0 position 3 2 1\n");
    tree_is(doc, "frames/000/keys", "b none\nc none\na position 3 2 1\n");
}
END_TEST

START_TEST(rule_4_a_channel_stands_once)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = plain();
    tree_refuses_at(doc, "frames/000/keys", "a none\na position 1 2 3\nb visible no\na position 1 2 3\n", 4, 3,
                    "line 2");
    tree_refuses_at(doc, "bones/a/keys", "3 position 1 2 3\n4 position 1 2 3\n03 position 1 2 3\n", 3, 4, "line 1");
    tree_refuses_at(doc, "keys", "3 a none\n3 b none\n3 a none\n", 3, 5, "line 1");
}
END_TEST

START_TEST(rule_4_ordinals)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = plain();
    tree_write(&doc, "frames/005/keys", "a position 1 0 0\na position~2 2 0 0\nb none~3\n");
    tree_is(doc, "frames/005/keys", "a position 1 0 0\na position~2 2 0 0\nb none~3\n");
    tree_is(doc, "bones/a/keys", "0 position 1 2 3\n0 orientation 0 0 0.5\n5 position 1 0 0\n5 position~2 2 0 0\n");
    tree_write(&doc, "bones/a/keys", "5 position~2 2 0 0\n");
    tree_is(doc, "frames/005/keys", "a position~2 2 0 0\nb none~3\n"); /* stable until the file is loaded again */
    tree_refuses_at(doc, "frames/005/keys", "a position~1 2 0 0\n", 1, 3, "~2");
    tree_refuses_at(doc, "frames/005/keys", "a position~x 2 0 0\n", 1, 3, "~2");
    tree_mkdir(&doc, "frames/005~2");
    tree_lists(doc, "frames", "000 005 005~2 009 ");
    tree_refuses_mkdir(doc, "frames/005~4", ANM_NAME, "behind the first");
    tree_refuses_mkdir(doc, "frames/006~2", ANM_NAME, "behind the first");
    tree_refuses_mkdir(doc, "frames/005~02", ANM_NAME, "");
    tree_write(&doc, "bones/c/keys", "5~2 visible no\n9~2 none\n9~3 none\n");
    tree_is(doc, "keys",
            "0 b visible yes\n5 a position~2 2 0 0\n5 b none~3\n5~2 c visible no\n9 b visible no\n"
            "9~2 c none\n9~3 c none\n");
    tree_refuses_at(doc, "bones/c/keys", "1 none\n5~3 none\n9~5 none\n", 3, 1, "9~4");
    tree_refuses_rename(doc, "frames/009", "frames/012~2", ANM_NAME, "behind the first");
    tree_rename(&doc, "frames/009~3", "frames/005~3");
    tree_lists(doc, "frames", "000 005 005~2 005~3 009 009~2 ");
    /* A chunk made again goes before the later ones of its number, so that the order stays usual. */
    tree_write(&doc, "bones/c/keys", "5~3 none\n");
    tree_lists(doc, "frames", "000 005 005~3 009 ");
    tree_mkdir(&doc, "frames/005~2");
    tree_is(doc, "header", "length 10\n");
    tree_remove(&doc, "frames/005~2");
    tree_write(&doc, "bones/c/keys", "5~2 none\n5~3 none\n");
    tree_is(doc, "header", "length 10\n");
}
END_TEST

START_TEST(rule_5_channels_of_frm2)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = plain();
    const char *all =
        "a position 1 2 3\na orientation 0.5 -0 nan:7f800001\na mirrored\na scale 1 1 inf\na visible both\n"
        "a flags 0x8180\nb visible no\nc none\n";
    tree_write(&doc, "frames/005/keys", all);
    tree_is(doc, "frames/005/keys", all);
    ck_assert_uint_eq(gem_const(doc)->frames[1]->keys[0].flags, 0x81df);
    tree_refuses_at(doc, "frames/005/keys", "a position 1 2\n", 1, 15, "position x y z");
    tree_refuses_at(doc, "frames/005/keys", "a position 1 2 3 4\n", 1, 18, "position x y z");
    tree_refuses_at(doc, "frames/005/keys", "a position 1 2,5 3\n", 1, 14, "point");
    tree_refuses_at(doc, "frames/005/keys", "a posision 1 2 3\n", 1, 3, "the nearest is position");
    tree_refuses_at(doc, "frames/005/keys", "a\n", 1, 2, "channel");
    tree_refuses_at(doc, "frames/005/keys", "a visible 1\n", 1, 11, "yes, no or both");
    tree_refuses_at(doc, "frames/005/keys", "a matrix 1 0 0 0 1 0 0 0 1\n", 1, 3, "frame 5 is FRM2: give position");
    tree_refuses_at(doc, "frames/005/keys", "a flags 0x0004\n", 1, 9, "0x007f");
    tree_refuses_at(doc, "frames/005/keys", "a flags 0x10000\n", 1, 9, "");
    tree_refuses_at(doc, "frames/005/keys", "a mirrored maybe\n", 1, 12, "mirrored no");
    tree_refuses_at(doc, "frames/005/keys", "a none 1\n", 1, 8, "none");
    tree_refuses_at(doc, "bones/a/keys", "x position 1 2 3\n", 1, 1, "frame number");
    tree_refuses_at(doc, "bones/a/keys", "0x10 position 1 2 3\n", 1, 1, "frame number");
    tree_refuses_at(doc, "bones/a/keys", "2147483648 position 1 2 3\n", 1, 1, "frame number");
    tree_refuses(doc, "bones/a/keys", "65536 position 1 2 3\n", ANM_LIMIT, "65535");
}
END_TEST

START_TEST(rule_5_channels_of_frmn)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = matrices();
    tree_is(doc, "frames/000/keys", "a position 1 2 3\na matrix 1 0 0 0 1 0 0 0 1\nb visible 3\n");
    /* The order of the lines is the order of the parts. */
    const char *turned = "b visible no\nb position 1 2 3\nb matrix 1 0 0 0 1 0 0 0 -1\na none\n";
    tree_write(&doc, "frames/000/keys", turned);
    tree_is(doc, "frames/000/keys", turned);
    tree_write(&doc, "frames/000/keys", "b matrix 1 0 0 0 1 0 0 0 -1\nb visible no\nb position 1 2 3\na none\n");
    tree_is(doc, "frames/000/keys", "b position 1 2 3\nb matrix 1 0 0 0 1 0 0 0 -1\nb visible no\na none\n");
    tree_refuses_at(doc, "frames/000/keys", "a none\nb  position 1 2 3\n", 2, 4, "position without matrix");
    tree_refuses_at(doc, "bones/a/keys", "2 matrix 1 0 0 0 1 0 0 0 1\n", 1, 3, "matrix without position");
    tree_refuses_at(doc, "bones/a/keys", "2 orientation 0 0 0\n", 1, 3, "frame 2 is FRMN: give position and matrix");
    tree_refuses_at(doc, "bones/a/keys", "12 mirrored\n", 1, 4, "frame 12 is FRMN");
    tree_refuses_at(doc, "bones/a/keys", "2 visible both\n", 1, 11, "both");
}
END_TEST

/* The three components of a written orientation. */
static void check_turn(const char *form, double x, double y, double z)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = plain();
    char text[200];
    snprintf(text, sizeof text, "a orientation %s\n", form);
    tree_write(&doc, "frames/005/keys", text);
    const double want[3] = {x, y, z};
    for (unsigned i = 0; i < 3; i++) {
        float found;
        memcpy(&found, &gem_const(doc)->frames[1]->keys[0].v[3 + i], sizeof found);
        ck_assert_msg(found == (float)want[i] || (found - (float)want[i] < 1e-7f && (float)want[i] - found < 1e-7f),
                      "%s: %u is %.9g, not %.9g", form, i, (double)found, want[i]);
        ck_assert_msg(want[i] != 0 || memcmp(&found, &(float){0}, sizeof found) == 0, "%s: %u is not 0", form, i);
    }
}

START_TEST(rule_5_orientation_forms)
{
    const double h = 0.70710678118654752440;
    check_turn("quat 0 0 0 1", 0, 0, 0);
    check_turn("quat 0 0 3 3", 0, 0, h);
    check_turn("quat 0 0 -1 -1", 0, 0, h); /* w is made positive */
    check_turn("quat 1e300 0 0 1e300", h, 0, 0);
    check_turn("quat 0 1 0 0", 0, 1, 0);
    check_turn("axis 0 0 1 90", 0, 0, h);
    check_turn("axis 0 5 0 180", 0, 1, 0);
    check_turn("axis 0 0 1 360", 0, 0, 0);
    check_turn("axis 0 0 1 -90", 0, 0, -h);
    check_turn("axis 0 0 1 270", 0, 0, -h);
    check_turn("axis 1 1 1 120", 0.5, 0.5, 0.5);
    check_turn("euler xyz 0 0 90", 0, 0, h);
    check_turn("euler xyz 90 90 0", 0.5, 0.5, -0.5); /* x first, then the fixed y */
    check_turn("euler yxz 90 90 0", 0.5, 0.5, 0.5);  /* y first: angles belong to the letters in order */
    check_turn("euler zyx 90 0 0", 0, 0, h);
    check_turn("euler xzy 90 90 0", 0.5, 0.5, 0.5);
    check_turn("euler zxy 90 90 0", 0.5, -0.5, 0.5);
    check_turn("euler yzx 90 90 0", -0.5, 0.5, 0.5);
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = plain();
    tree_refuses_at(doc, "frames/005/keys", "a orientation quat 0 0 0 0\n", 1, 20, "length 0");
    tree_refuses_at(doc, "frames/005/keys", "a orientation axis 0 0 0 1\n", 1, 20, "length 0");
    tree_refuses_at(doc, "frames/005/keys", "a orientation quat 0 nan 0 1\n", 1, 22, "finite");
    tree_refuses_at(doc, "frames/005/keys", "a orientation euler xyx 0 0 90\n", 1, 21, "axis order");
    tree_refuses_at(doc, "frames/005/keys", "a orientation euler xyz 0 90\n", 1, 29, "euler");
}
END_TEST

/* Where a row vector goes, by the matrix the codec makes of the stored orientation. */
START_TEST(rule_5_euler_turns_row_vectors_in_the_order_written)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = plain();
    tree_write(&doc, "frames/005/keys", "a orientation euler xyz 90 0 90\n");
    double v[3], rows[9];
    for (unsigned i = 0; i < 3; i++) {
        float value;
        memcpy(&value, &gem_const(doc)->frames[1]->keys[0].v[3 + i], sizeof value);
        v[i] = (double)value;
    }
    gem_rows_from_orientation(v, false, rows);
    /* x stays under the first turn and goes to y under the second; y goes to z and stays there. */
    const double want[9] = {0, 1, 0, 0, 0, 1, 1, 0, 0};
    for (unsigned i = 0; i < 9; i++)
        ck_assert_double_eq_tol(rows[i], want[i], 1e-6);
}
END_TEST

START_TEST(rule_5_mirrored_is_never_set_by_magic)
{
    ANM_AUTO(anm_doc_clean)
    struct anm_doc *doc = tree_make(
        0x00060000, GEM_FRM2, "a b",
        "0 a position 1 2 3\n0 a mirrored\n0 b position 0 0 0\n4 a position 2 2 2\n4 a mirrored no\n6 a visible no\n");
    tree_is(doc, "bones/a/keys", "0 position 1 2 3\n0 mirrored\n4 position 2 2 2\n4 mirrored no\n6 visible no\n");
    const char *hint = "add a line `mirrored` or `mirrored no`";
    tree_refuses_at(doc, "bones/a/keys", "0 position 1 2 3\n0 mirrored\n8 position 0 0 0\n", 3, 3, hint);
    tree_refuses_at(doc, "frames/006/keys", "a visible no\nb none\na orientation 0 0 0\n", 1, 3, hint);
    tree_refuses_at(doc, "keys", "0 a position 1 2 3\n0 a mirrored\n1 a orientation 0 0 0\n", 3, 5, hint);
    tree_write(&doc, "frames/004/keys", "a position 9 9 9\n"); /* it was there unmirrored, and stays so */
    tree_is(doc, "frames/004/keys", "a position 9 9 9\na mirrored no\n");
    tree_write(&doc, "bones/b/keys", "0 position 0 0 0\n7 position 1 1 1\n"); /* never mirrored: nothing to say */
    tree_write(&doc, "bones/a/keys",
               "0 position 1 2 3\n0 mirrored\n8 position 0 0 0\n8 mirrored no\n9 orientation 0 0 1\n9 mirrored\n");
    tree_is(doc, "frames/009/keys", "a orientation 0 0 1\na mirrored\n");
    tree_write(&doc, "bones/a/keys", "0 position 1 2 3\n8 position 0 0 0\n"); /* deleting the lines drops the bits */
    tree_is(doc, "bones/a/keys", "0 position 1 2 3\n8 position 0 0 0\n");
}
END_TEST

START_TEST(rule_5_meshes)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = plain();
    tree_refuses_at(doc, "frames/005/keys", "a position 4 5 6\na mesh\n", 2, 3, "without bytes");
    tree_refuses_at(doc, "bones/a/keys", "5 mesh @0\n", 1, 3, "no mesh there");
    tree_refuses_at(doc, "bones/a/keys", "5 mesh @3\n", 1, 3, "no such frame");
    tree_refuses_at(doc, "bones/a/keys", "5 mesh 0\n", 1, 8, "mesh @12");
    tree_write(&doc, "frames/005/a.mesh", "five");
    tree_is(doc, "frames/005/keys", "a position 4 5 6\na mesh\n");
    tree_write(&doc, "frames/005/c.mesh", ""); /* empty is content */
    tree_write(&doc, "frames/005/b.mesh", "bee");
    tree_is(doc, "frames/005/keys", "a position 4 5 6\na mesh\nb mesh\nc mesh\n");
    tree_lists(doc, "frames/005", "a.mesh b.mesh c.mesh keys ");
    tree_write(&doc, "frames/005/a.mesh~2", "second");
    tree_is(doc, "frames/005/keys", "a position 4 5 6\na mesh\na mesh~2\nb mesh\nc mesh\n");
    tree_write(&doc, "frames/009/keys", "a mesh @5\na mesh~2 @005\n");
    tree_is(doc, "frames/009/a.mesh~2", "second");
    tree_is(doc, "frames/009/keys", "a mesh\na mesh~2\n");
    /* Retiming by text: the bytes come from where they were before the edit. */
    tree_write(&doc, "bones/a/keys", "10 mesh @5\n5 mesh @9\n");
    tree_write(&doc, "frames/010/a.mesh", "ten");
    tree_write(&doc, "bones/a/keys", "10 mesh @5\n5 mesh @10\n");
    tree_is(doc, "frames/010/a.mesh", "five");
    tree_is(doc, "frames/005/a.mesh", "ten");
    tree_write(&doc, "frames/005/keys", "b mesh\n"); /* a deleted line drops the mesh */
    tree_lists(doc, "frames/005", "b.mesh keys ");
    tree_write(&doc, "frames/005/keys", "b mesh\nb position 1 1 1\nc none\n");
    tree_remove(&doc, "frames/005/keys"); /* everything but meshes */
    tree_is(doc, "frames/005/keys", "b mesh\n");
    tree_remove(&doc, "frames/005/b.mesh");
    tree_is(doc, "frames/005/keys", "");
    tree_rename(&doc, "frames/010/a.mesh", "frames/005/b.mesh");
    tree_is(doc, "frames/005/b.mesh", "five");
    tree_lacks(doc, "frames/010/a.mesh", ANM_NOENT);
    tree_refuses(doc, "frames/005/x.mesh", "", ANM_NAME, "no bone x");
    tree_refuses(doc, "frames/005/a.txt", "", ANM_DENIED, "NAME.mesh");
    tree_refuses(doc, "frames/a.mesh", "", ANM_DENIED, "FRAME/");
}
END_TEST

START_TEST(rule_5_meshes_of_frmn_keep_their_place)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = matrices();
    tree_write(&doc, "frames/002/b.mesh", "m");
    tree_is(doc, "frames/002/keys", "b visible yes\nb mesh\n");
    tree_write(&doc, "frames/002/keys", "b mesh\nb visible yes\n");
    tree_is(doc, "frames/002/keys", "b mesh\nb visible yes\n");
    tree_remove(&doc, "frames/002/b.mesh");
    tree_is(doc, "frames/002/keys", "b visible yes\n");
    tree_remove(&doc, "bones/b/keys");
    tree_lists(doc, "frames", "000 ");
}
END_TEST

START_TEST(rule_6_names_of_frames)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = plain();
    tree_mkdir(&doc, "frames/012");
    tree_refuses_mkdir(doc, "frames/13", ANM_NAME, "spelled 013");
    tree_refuses_mkdir(doc, "frames/0013", ANM_NAME, "spelled 013");
    tree_refuses_mkdir(doc, "frames/x", ANM_DENIED, "by number");
    tree_refuses_mkdir(doc, "frames/99999999999", ANM_NAME, "2147483647");
    tree_mkdir(&doc, "frames/1300");
    tree_lacks(doc, "frames/12", ANM_NAME);
    tree_lacks(doc, "frames/013", ANM_NOENT);
    tree_lacks(doc, "frames/foo", ANM_NOENT);
    tree_lists(doc, "frames", "000 005 009 012 1300 ");
}
END_TEST

START_TEST(rule_6_length_follows)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = plain();
    tree_is(doc, "header", "length 10\n");
    tree_write(&doc, "header", "length 12\n");
    tree_write(&doc, "bones/c/keys", "10 none\n"); /* it did not follow before: it only grows when too small */
    tree_is(doc, "header", "length 12\n");
    tree_write(&doc, "bones/c/keys", "14 none\n");
    tree_is(doc, "header", "length 15\n");
    tree_remove(&doc, "bones/c/keys");
    tree_is(doc, "header", "length 10\n");
    tree_refuses_at(doc, "header", "length 9\n", 1, 8, "last frame is 9");
    tree_write(&doc, "keys", "# nothing\n");
    tree_is(doc, "header", "length 0\n");
}
END_TEST

START_TEST(rule_7_names)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = tree_from(gem_new(0x00060000, GEM_FRM2));
    char name[400] = "bones/", text[600];
    memset(name + 6, 'n', 250);
    tree_write(&doc, "bonemap", "%20\n%\n%23a\n%ff%fe\n\xc3\xa4\na\na~2\n");
    tree_lists(doc, "bones", "%20 % %23a %ff%fe \xc3\xa4 a a~2 ");
    tree_write(&doc, "keys", "0 % none\n0 %ff%fe none\n0 a~2 none\n");
    tree_is(doc, "bones/%ff%fe/keys", "0 none\n");
    snprintf(text, sizeof text, "%%\n%%ff%%fe\na~2\n%s\n", name + 6);
    tree_write(&doc, "bonemap", text);
    struct anm_buf cut = {0};
    struct anm_error err;
    struct anm_ref bones, child;
    uint32_t cookie = 3;
    anm_buf_puts(&cut, "bones/");
    ck_assert_int_eq(anm_tree_find(doc, "bones", &bones, &err), 0);
    ck_assert_int_eq(anm_tree_next(doc, &bones, 0, &cookie, &child, &cut), 1);
    ck_assert_uint_eq(cut.size, 6 + 230);
    anm_buf_puts(&cut, "/keys");
    tree_write(&doc, anm_buf_cstr(&cut), "3 none\n");
    snprintf(text, sizeof text, "%s none\n", name + 6);
    tree_is(doc, "frames/003/keys", text);
    cut.size -= 5;
    anm_buf_cstr(&cut);
    tree_refuses_rename(doc, "bones/%", (const char *)cut.data, ANM_NAME, "cut form");
    cut.data[cut.size - 1] = cut.data[cut.size - 1] == '0' ? '1' : '0';
    tree_refuses_rename(doc, "bones/%", (const char *)cut.data, ANM_NAME, "cut form");
    anm_buf_free(&cut);
    tree_lacks(doc, "bones/A~2", ANM_NOENT); /* compared exactly */
}
END_TEST

/* --- the tasks of the examples that are text edits --- */

START_TEST(task_nudge_retime_delete_mirror)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = plain();
    tree_write(&doc, "bones/a/keys", "0 position 1 2 3.1\n0 orientation 0 0 0.5\n5 position 4 5 6.1\n"); /* nudge */
    tree_is(doc, "frames/005/keys", "a position 4 5 6.1\n");
    tree_write(&doc, "keys", /* retime by 2 */
               "0 a position 1 2 3\n0 a orientation 0 0 0.5\n0 b visible yes\n10 a position 4 5 6\n18 b visible no\n");
    tree_lists(doc, "frames", "000 010 018 ");
    tree_is(doc, "header", "length 19\n");
    tree_write(&doc, "bones/a/keys", "0 position 1 -2 3\n0 orientation -0 0 -0.5\n10 position 4 -5 6\n"); /* mirror */
    tree_is(doc, "frames/000/keys", "a position 1 -2 3\na orientation -0 0 -0.5\nb visible yes\n");
    tree_remove(&doc, "bones/b/keys"); /* rm -r bones/b */
    tree_remove(&doc, "bones/b");
    tree_is(doc, "bonemap", "a\nc\n");
    tree_lists(doc, "frames", "000 010 ");
    tree_rename(&doc, "bones/a", "bones/hose");
    tree_is(doc, "frames/010/keys", "hose position 4 -5 6\n");
}
END_TEST

START_TEST(task_cut_a_clip)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = plain();
    tree_write(&doc, "frames/005/b.mesh", "m");
    tree_write(&doc, "keys", "0 a position 4 5 6\n0 b mesh @5\n4 b visible no\n"); /* 5 to 9, from 0 on */
    tree_lists(doc, "frames", "000 004 ");
    tree_is(doc, "frames/000/b.mesh", "m");
    tree_is(doc, "header", "length 5\n");
}
END_TEST

START_TEST(task_copy_a_pose)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = plain();
    tree_write(&doc, "frames/005/c.mesh", "m");
    ANM_AUTO(anm_freep) char *pose = tree_text(doc, ".anmfs/pose/007");
    ck_assert_str_eq(pose, "a position 4 5 6\na orientation 0 0 0.5\nb visible yes\nc mesh @5\n");
    tree_mkdir(&doc, "frames/012");
    tree_write(&doc, "frames/012/keys", pose);
    tree_is(doc, "frames/012/keys", "a position 4 5 6\na orientation 0 0 0.5\nb visible yes\nc mesh\n");
    tree_is(doc, "frames/012/c.mesh", "m");
}
END_TEST

START_TEST(task_convert)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = plain();
    tree_refuses(doc, "format", "gem 4.0 frmn\n", ANM_LOSS, "");
    tree_write(&doc, "format", "gem 4.0 frmn lossy\n");
    tree_is(doc, "format", "gem 4.0 frmn\n");
    tree_write(&doc, "format", "gem 6.0 frm2 lossy\n");
    tree_is(doc, "format", "gem 6.0 frm2\n");
}
END_TEST

void tree_edit_cases(Suite *suite)
{
    TCase *rules = tcase_create("rules"), *tasks = tcase_create("tasks");
    tcase_add_test(rules, rule_1_one_grammar_three_depths);
    tcase_add_test(rules, rule_2_copies_do_what_they_look_like);
    tcase_add_test(rules, rule_3_frames_come_and_go);
    tcase_add_test(rules, rule_3_moving_is_editing);
    tcase_add_test(rules, rule_3_bones);
    tcase_add_test(rules, rule_3_unknown_bones_name_the_nearest);
    tcase_add_test(rules, rule_3_bonemap_reorders_and_adds);
    tcase_add_test(rules, rule_4_order_of_keys);
    tcase_add_test(rules, rule_4_a_channel_stands_once);
    tcase_add_test(rules, rule_4_ordinals);
    tcase_add_test(rules, rule_5_channels_of_frm2);
    tcase_add_test(rules, rule_5_channels_of_frmn);
    tcase_add_test(rules, rule_5_orientation_forms);
    tcase_add_test(rules, rule_5_euler_turns_row_vectors_in_the_order_written);
    tcase_add_test(rules, rule_5_mirrored_is_never_set_by_magic);
    tcase_add_test(rules, rule_5_meshes);
    tcase_add_test(rules, rule_5_meshes_of_frmn_keep_their_place);
    tcase_add_test(rules, rule_6_names_of_frames);
    tcase_add_test(rules, rule_6_length_follows);
    tcase_add_test(rules, rule_7_names);
    tcase_add_test(tasks, task_nudge_retime_delete_mirror);
    tcase_add_test(tasks, task_cut_a_clip);
    tcase_add_test(tasks, task_copy_a_pose);
    tcase_add_test(tasks, task_convert);
    suite_add_tcase(suite, rules);
    suite_add_tcase(suite, tasks);
}
