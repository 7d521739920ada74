/* SPDX-License-Identifier: MIT */
/* format, comment, header, poses, info.json, what is refused everywhere, and edits without memory. */
#include "fail_alloc.h"
#include "gem_build.h"
#include "tree_help.h"

#include "anm/name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct anm_doc *small(void)
{
    return tree_make(0x00060000, GEM_FRM2, "a b", "0 a position 1 2 3\n0 b orientation 0 0 0.5\n3 a visible no\n");
}

START_TEST(format_converts)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = small();
    ANM_AUTO(anm_freep) char *keys = tree_text(doc, "keys");
    tree_write(&doc, "format", "gem 6.1\n"); /* the kind is kept */
    tree_is(doc, "format", "gem 6.1 frm2\n");
    tree_write(&doc, "format", "# comment\ngem 6.1 frm3 gem3\n");
    tree_is(doc, "format", "gem 6.1 frm3 gem3\n");
    tree_is(doc, "comment", "");
    tree_is(doc, "header", "length 4\n");
    ck_assert_int_eq(gem_const(doc)->coding, GEM_STRING8);
    tree_is(doc, "keys", keys);
    tree_write(&doc, "format", "gem 6.0\n"); /* 6.0 has no frm3: the best it has; an empty comment is no loss */
    tree_is(doc, "format", "gem 6.0 frm2\n");
    tree_is(doc, "keys", keys);
    tree_refuses_at(doc, "format", "gem 6.2 frm2\n", 1, 1, "3.0, 4.0, 5.0, 6.0 and 6.1");
    tree_refuses_at(doc, "format", "gem 5.0 frm2\n", 1, 1, "it has frmn only");
    tree_refuses_at(doc, "format", "gem 6.0 frm3\n", 1, 1, "frmn and frm2");
    tree_refuses_at(doc, "format", "gem 6.0 frm4\n", 1, 9, "expected");
    tree_refuses_at(doc, "format", "gem 6.0 frm2 lossy gem3\n", 1, 20, "expected");
    tree_refuses_at(doc, "format", "gem 6.0 frm2 mixed\n", 1, 1, "mixed");
    tree_refuses_at(doc, "format", "gem six\n", 1, 5, "version");
    tree_refuses_at(doc, "format", "psx 3\n", 1, 1, "family");
    tree_refuses_at(doc, "format", "gem 6.0 frm2\ngem 6.1 frm2\n", 2, 1, "one line");
    tree_refuses_at(doc, "format", "# nothing\n", 1, 1, "gem 6.0 frm2");
}
END_TEST

START_TEST(format_keeps_what_is_odd)
{
    struct anm_buf out = {0};
    gem_build_header(&out, 0x00070009, 3);
    gem_build_bmap(&out, GEM_STRING32, (const char *const[]){"a", NULL});
    gem_build_frm3(&out, 0, 1, 1);
    gem_build_key(&out, 0, 0x0008);
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = tree_from(gem_build_decode(&out)), *before = anm_doc_ref(doc);
    tree_is(doc, "format", "gem 7.9 frm3\n");
    tree_write(&doc, "format", "gem 7.9 frm3\n");
    ck_assert_ptr_eq(doc, before);
    tree_write(&doc, "format", "gem 7.9\n");
    ck_assert_ptr_eq(doc, before);
    tree_write(&doc, "format", "gem 6.1\n");
    tree_is(doc, "format", "gem 6.1 frm3\n");
}
END_TEST

START_TEST(comment_makes_gem3)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = small();
    struct anm_error err;
    tree_lacks(doc, "comment", ANM_NOENT);
    ck_assert_int_eq(anm_tree_can_make(doc, "comment", false, NULL, &err), 0);
    ck_assert_int_eq(anm_tree_can_make(doc, "comment", true, NULL, &err), -1);
    tree_write_bytes(&doc, "comment", "a\0\xff", 3);
    tree_is(doc, "format", "gem 6.0 frm2 gem3\n");
    ck_assert_uint_eq(gem_const(doc)->comments[0]->size, 3);
    ck_assert_int_eq(gem_const(doc)->coding, GEM_STRING8);
    tree_refuses(doc, "format", "gem 6.0 frm2\n", ANM_LOSS, "3 bytes");
    tree_write(&doc, "header", "length 4\nlayout FRMS BMAP CMNT CMNT\ncomment 00Ff\nnames string32\n");
    tree_is(doc, "header", "length 4\nnames string32\nlayout FRMS BMAP CMNT CMNT\ncomment 00ff\n");
    tree_refuses_remove(doc, "comment", ANM_DENIED, "2 comments");
    tree_write(&doc, "header", "length 4\n");
    tree_remove(&doc, "comment");
    tree_is(doc, "format", "gem 6.0 frm2\n");
    tree_write(&doc, "comment", "x");
    tree_write(&doc, "format", "gem 6.0 frm2 lossy\n");
    tree_lists(doc, "", "format header bonemap frames bones ");
    char name[200] = "bones/";
    memset(name + 6, 'n', 128);
    tree_mkdir(&doc, name);
    tree_refuses(doc, "comment", "x", ANM_LIMIT, "127");
    tree_refuses(doc, "format", "gem 6.0 frm2 gem3\n", ANM_LIMIT, "127");
}
END_TEST

START_TEST(header_says_what_is_unusual)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = small(), *before = anm_doc_ref(doc);
    tree_write(&doc, "header", "order 3 000\nlength 8\n");
    tree_is(doc, "header", "length 8\norder 003 000\n");
    tree_lists(doc, "frames", "000 003 ");
    ck_assert_uint_eq(gem_const(doc)->frames[0]->number, 3);
    ck_assert_ptr_eq(gem_const(doc)->frames[0], gem_const(before)->frames[1]);
    tree_write(&doc, "keys", "0 a position 1 2 3\n2 b none\n3 a visible no\n"); /* the file's order stays */
    tree_is(doc, "header", "length 8\norder 003 000 002\n");
    tree_rename(&doc, "frames/000", "frames/007");
    tree_is(doc, "header", "length 8\norder 003 007 002\n");
    tree_refuses_at(doc, "header", "length 8\norder 003 002\n", 2, 1, "has 3");
    tree_refuses_at(doc, "header", "length 8\norder 003 002 003\n", 2, 15, "already");
    tree_refuses_at(doc, "header", "length 8\norder 003 002 1\n", 2, 15, "no such frame");
    tree_refuses_at(doc, "header", "length 8\nlength 9\n", 2, 1, "second");
    tree_refuses_at(doc, "header", "size 8\n", 1, 1, "expected length");
    tree_refuses_at(doc, "header", "length 8\ncomment 00\n", 2, 1, "the file `comment`");
    tree_refuses_at(doc, "header", "length 8\nlayout BMAP\n", 2, 1, "FRMS once");
    tree_refuses_at(doc, "header", "layout FRMS CMNT BMAP\nlength 8\n", 1, 1, "CMNT 0 times");
    tree_refuses_at(doc, "header", "length 8\njoined 3 a 1\n", 2, 12, "no such key");
    tree_write(&doc, "header", "length 8\nlayout BMAP FRMS\nkind frm3 7\n");
    tree_is(doc, "header", "length 8\nlayout BMAP FRMS\nkind frm3 007\n");
    tree_is(doc, "format", "gem 6.0 frm2 mixed\n");
    tree_refuses(doc, "header", "length 8\nkind frmn 7\n", ANM_TEXT, "cannot become FRMN");
    tree_refuses(doc, "header", "length 8\norder 007 002 003\nkind frm3 7\n", ANM_TEXT, "first frame would be frm3");
    for (int i = 0; i < 2; i++) { /* the kind is that of the first frame, as after a load */
        ANM_AUTO(anm_doc_clean) struct anm_doc *less = anm_doc_ref(doc);
        tree_remove(&less, "frames/002/keys");
        tree_remove(&less, "frames/002");
        if (i) {
            tree_remove(&less, "frames/003/keys");
            tree_remove(&less, "frames/003");
        }
        tree_is(less, "format", i ? "gem 6.0 frm3\n" : "gem 6.0 frm2 mixed\n");
        tree_reloads(less);
    }
    tree_write(&doc, "header", "length 8\n");
    tree_is(doc, "header", "length 8\n");
}
END_TEST

START_TEST(header_with_many_frames_on_a_line)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = tree_make(0x00060000, GEM_FRM2, "a", "");
    ANM_AUTO(anm_buf_free) struct anm_buf text = {0};
    for (unsigned i = 0; i < 40; i++)
        anm_buf_printf(&text, "%u a none\n", i);
    tree_write(&doc, "keys", anm_buf_cstr(&text));
    text.size = 0;
    anm_buf_puts(&text, "length 40\norder");
    for (unsigned i = 40; i--;)
        anm_buf_printf(&text, " %03u", i);
    anm_buf_puts(&text, "\n");
    tree_write(&doc, "header", anm_buf_cstr(&text));
    tree_is(doc, "header", anm_buf_cstr(&text));
}
END_TEST

START_TEST(joined_keys)
{
    struct anm_buf out = {0};
    gem_build_header(&out, 0x00040000, 1);
    gem_build_bmap(&out, GEM_STRING32, (const char *const[]){"a", "b", NULL});
    gem_build_frmn(&out, 0);
    gem_build_bone(&out, 0);
    gem_build_visi(&out, 1);
    gem_build_visi(&out, 0);
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = tree_from(gem_build_decode(&out));
    tree_is(doc, "header", "length 1\njoined 0 a 2\n");
    ANM_AUTO(anm_doc_clean) struct anm_doc *edited = anm_doc_ref(doc);
    tree_write(&edited, "frames/000/keys", "a visible no\na visible~2 no\n"); /* kept */
    tree_is(edited, "header", "length 1\njoined 0 a 2\n");
    tree_write(&edited, "frames/000/keys", "a visible no\nb visible no\na visible~2 no\n"); /* impossible now */
    tree_is(edited, "header", "length 1\n");
    tree_write(&edited, "frames/000/keys", "a visible no\na visible~2 no\n");
    tree_write(&edited, "header", "length 1\njoined 000 a 2\n");
    tree_is(edited, "header", "length 1\njoined 0 a 2\n");
    tree_write(&edited, "frames/000/keys", "a visible yes\na visible~2 no\n");
    tree_same_bytes(doc, edited);
    tree_write(&edited, "header", "length 1\n");
    tree_is(edited, "header", "length 1\n");
}
END_TEST

START_TEST(names_that_would_be_misread_are_refused)
{
    /* A name of 32-bit length whose coding a reader would not recognise: the file does not say. */
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = tree_from(gem_new(0x00060000, GEM_FRM2));
    struct anm_error err = {0};
    for (unsigned c = 1; c < 256; c++) {
        ANM_AUTO(anm_buf_free) struct anm_buf path = {0};
        const uint8_t raw[3] = {(uint8_t)c, 0, 0};
        anm_buf_puts(&path, "bones/");
        anm_name_put(&path, raw, sizeof raw, 1);
        ANM_AUTO(anm_doc_clean) struct anm_doc *edited = anm_tree_mkdir(doc, anm_buf_cstr(&path), &err);
        if (!edited) {
            ck_assert_int_eq(err.reason, ANM_LIMIT);
            continue;
        }
        struct anm_buf bytes = {0};
        gem_build_encode(gem_const(edited), &bytes);
        struct gem_doc *back = gem_build_decode(&bytes);
        ck_assert(anm_blob_equal(back->bones->bones[0].name, gem_const(edited)->bones->bones[0].name));
        anm_doc_unref(&back->doc);
    }
}
END_TEST

/* A bone whose length byte and name are also the 32-bit length of a name of 260 bytes, which ends in the frames: how it is
 * read hangs on what they have there. NULL when a reader takes it for that. */
static struct anm_doc *ambiguous(unsigned mesh_size)
{
    struct anm_buf out = {0};
    struct anm_error err;
    gem_build_header(&out, 0x00060000, 2);
    anm_buf_puts(&out, "BMAP");
    anm_buf_u32le(&out, 1);
    anm_buf_put(&out, "\4\1\0\0x", 5);
    gem_build_frm2(&out, 0, 1);
    gem_build_key(&out, 0, GEM_MESH);
    anm_buf_u32le(&out, mesh_size);
    for (unsigned i = 0; i < mesh_size; i++)
        anm_buf_putc(&out, 'm');
    gem_build_frm2(&out, 1, 0);
    struct anm_doc *doc = anm_doc_decode(out.data, out.size, NULL, &err);
    anm_buf_free(&out);
    if (doc && gem_const(doc)->bones->bones[0].name->size == 4)
        return doc;
    anm_doc_unref(doc);
    return NULL;
}

/* The document is refused with that reason, which counts as one, or is read back as it is. Takes it. */
static unsigned is_refused(struct anm_doc *doc, const struct anm_error *err)
{
    if (doc)
        tree_reloads(doc);
    else
        ck_assert_msg(err->reason == ANM_LIMIT && strstr(err->text, "would not be read back"), "%s", err->text);
    anm_doc_unref(doc);
    return !doc;
}

START_TEST(edits_that_would_misread_the_names_are_refused)
{
    unsigned edits = 0, formats = 0, conversions = 0, loaded = 0;
    uint8_t mesh[300] = {0};
    struct anm_error err;
    ANM_AUTO(anm_doc_clean) struct anm_doc *first = ambiguous(1);
    ck_assert_ptr_nonnull(first);
    for (unsigned size = 0; size < sizeof mesh; size++) {
        edits += is_refused(anm_tree_write(first, "frames/000/%01%00%00x.mesh", mesh, size, &err), &err);
        ANM_AUTO(anm_doc_clean) struct anm_doc *doc = ambiguous(size);
        if (!doc)
            continue;
        loaded++;
        formats += is_refused(anm_tree_write(doc, "format", "gem 4.0 frmn lossy\n", 19, &err), &err);
        struct gem_doc *converted = gem_convert(gem_const(doc), 0x00040000, GEM_FRMN, true, &err);
        conversions += is_refused(converted ? &converted->doc : NULL, &err);
    }
    ck_assert_uint_eq(loaded, 298); /* the name ends at a frame, or with the file */
    ck_assert_uint_eq(edits, 2);
    ck_assert_uint_eq(formats, 2);
    ck_assert_uint_eq(conversions, 2);
}
END_TEST

/* What a load would count to 65,535 is not decoded, so no text may make it. */
START_TEST(what_repeats_too_often_is_refused)
{
    static const struct {
        const char *path, *before, *after; /* of the ordinal in a line */
    } cases[] = {{"keys", "0 a visible", " no\n"}, {"keys", "0", " a visible no\n"}, {"bonemap", "a", "\n"}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        ANM_AUTO(anm_doc_clean)
        struct anm_doc *doc = tree_make(0x00040000, GEM_FRMN, "a", ""), *full = anm_doc_ref(doc);
        ANM_AUTO(anm_buf_free) struct anm_buf text = {0};
        struct anm_buf bytes = {0};
        anm_buf_printf(&text, "%s%s", cases[i].before, cases[i].after);
        for (int k = 2; k <= ANM_ORDINAL_MAX; k++)
            anm_buf_printf(&text, "%s~%d%s", cases[i].before, k, cases[i].after);
        tree_write(&full, cases[i].path, anm_buf_cstr(&text));
        gem_build_encode(gem_const(full), &bytes);
        anm_doc_unref(&gem_build_decode(&bytes)->doc);
        anm_buf_printf(&text, "%s~%d%s", cases[i].before, ANM_ORDINAL_MAX + 1, cases[i].after);
        tree_refuses(doc, cases[i].path, anm_buf_cstr(&text), ANM_TEXT, "");
    }
}
END_TEST

START_TEST(guessed_names_forbid_edits)
{
    char name[200] = "";
    memset(name, 'n', 130);
    struct anm_buf out = {0};
    gem_build_start(&out, 0x00060001);
    gem_build_frms(&out, 1);
    gem_build_cmnt(&out, "c");
    gem_build_bmap(&out, GEM_STRING8, (const char *const[]){name, NULL});
    gem_build_frm2(&out, 0, 1);
    gem_build_key(&out, 0, 0x0008);
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = tree_from(gem_build_decode(&out)), *same = anm_doc_ref(doc);
    ck_assert(gem_const(doc)->guessed);
    tree_refuses(doc, "header", "length 2\n", ANM_DENIED, "not known");
    tree_refuses(doc, "comment", "x", ANM_DENIED, "not known");
    tree_refuses(doc, "keys", "# nothing\n", ANM_DENIED, "not known");
    tree_refuses(doc, "format", "gem 6.0 frm2 lossy\n", ANM_DENIED, "not known");
    struct anm_error err;
    ck_assert_ptr_null(gem_convert(gem_const(doc), 0x00060000, GEM_FRM2, true, &err));
    ck_assert_int_eq(err.reason, ANM_DENIED);
    tree_refuses_mkdir(doc, "bones/x", ANM_DENIED, "not known");
    tree_write(&same, "header", "length 1\n");
    ck_assert_ptr_eq(same, doc);
}
END_TEST

START_TEST(pose_holds)
{
    ANM_AUTO(anm_doc_clean)
    struct anm_doc *doc = tree_make(
        0x00060000, GEM_FRM2, "a b c d",
        "2 a position 1 0 0\n2 a mirrored\n4 a orientation 0 0 1\n4 a mirrored no\n4 b visible no\n6 a scale 2 2 2\n"
        "6 b visible both\n6 c flags 0x0100\n");
    tree_write(&doc, "header", "length 12\n");
    tree_lists(doc, ".anmfs/pose", "002 004 006 ");
    tree_is(doc, ".anmfs/pose/000",
            "a position 1 0 0\na orientation 0 0 1\na mirrored no\na scale 2 2 2\nb visible yes\n");
    tree_is(doc, ".anmfs/pose/005",
            "a position 1 0 0\na orientation 0 0 1\na mirrored no\na scale 2 2 2\nb visible no\n");
    tree_is(doc, ".anmfs/pose/011",
            "a position 1 0 0\na orientation 0 0 1\na mirrored no\na scale 2 2 2\nb visible both\n");
    tree_lacks(doc, ".anmfs/pose/012", ANM_NOENT);
    tree_lacks(doc, ".anmfs/pose/11", ANM_NAME);
    tree_refuses(doc, ".anmfs/pose/000", "a none\n", ANM_DENIED, "derived");
    ANM_AUTO(anm_doc_clean)
    struct anm_doc *frmn = tree_make(0x00040000, GEM_FRMN, "a",
                                     "0 a position 1 2 3\n0 a matrix 1 0 0 0 1 0 0 0 1\n"
                                     "1 a visible 5\n");
    tree_is(frmn, ".anmfs/pose/001", "a position 1 2 3\na matrix 1 0 0 0 1 0 0 0 1\na visible 5\n");
}
END_TEST

START_TEST(info_warns)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = small();
    tree_is(doc, ".anmfs/info.json",
            "{\n\t\"family\":\t\"gem\",\n\t\"version\":\t\"6.0\",\n\t\"kind\":\t\"frm2\",\n\t\"gem3\":\tfalse,\n"
            "\t\"names\":\t\"string32\",\n\t\"length\":\t4,\n\t\"frames\":\t2,\n\t\"bones\":\t2,\n\t\"keys\":\t3,\n"
            "\t\"first_frame\":\t0,\n\t\"last_frame\":\t3,\n\t\"channels\":\t{\n\t\t\"position\":\t1,\n"
            "\t\t\"orientation\":\t1,\n\t\t\"matrix\":\t0,\n\t\t\"mirrored\":\t0,\n\t\t\"scale\":\t0,\n"
            "\t\t\"visible\":\t1,\n\t\t\"mesh\":\t0\n\t},\n\t\"warnings\":\t[]\n}\n");
    tree_write(&doc, "keys", "3 a orientation 1 1 0\n5 a position~2 0 0 0\n5~2 a flags 0x1000\n");
    tree_write(&doc, "frames/005/a.mesh", "short");
    tree_write_bytes(&doc, "frames/005/b.mesh", "\0\0\0\0\1\0\0\0aaaabbbbcccc\0\0\0\0\0\0\0\0", 28);
    tree_write(&doc, "header", "length 9\norder 5 3 5~2\nkind frm3 3\nnames string8\n");
    tree_mkdir(&doc, "bones/c");
    tree_mkdir(&doc, "bones/a~2");
    ANM_AUTO(anm_freep) char *info = tree_text(doc, ".anmfs/info.json");
    const char *const words[] = {"the length is 9, the last frame 5",
                                 "do not ascend",
                                 "1 frames repeat",
                                 "several kinds",
                                 "1 bones repeat",
                                 "1 keys repeat",
                                 "2 bones are never keyed",
                                 "1 orientations are longer than 1",
                                 "1 keys have flag bits",
                                 "1 meshes are not runs",
                                 "coding of the bone names"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        ck_assert_msg(strstr(info, words[i]) != NULL, "no \"%s\" in %s", words[i], info);
}
END_TEST

START_TEST(paths_and_kinds)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = small();
    struct anm_error err;
    struct anm_ref ref;
    tree_lacks(doc, "format/x", ANM_NOTDIR);
    tree_lacks(doc, "nothing", ANM_NOENT);
    tree_lacks(doc, "bones//a", ANM_NOENT);
    tree_lacks(doc, "bones/", ANM_NOENT);
    tree_refuses(doc, "bones", "x", ANM_ISDIR, "directory");
    tree_refuses(doc, "frames/000", "x", ANM_ISDIR, "directory");
    tree_refuses(doc, "nothing", "x", ANM_DENIED, "holds format, header");
    tree_refuses(doc, "bones/x/keys", "0 none\n", ANM_NOENT, "no bone x");
    tree_refuses(doc, ".anmfs/errors", "x", ANM_DENIED, "derived");
    tree_refuses_mkdir(doc, "frames/000/keys", ANM_EXIST, "keys");
    tree_refuses_mkdir(doc, "comment", ANM_DENIED, "cannot be here");
    tree_refuses_mkdir(doc, "new", ANM_DENIED, "cannot be here");
    ck_assert_int_eq(anm_tree_can_make(doc, "frames/007", true, NULL, &err), 0);
    ck_assert_int_eq(anm_tree_can_make(doc, "frames/007", false, NULL, &err), -1);
    ck_assert_int_eq(err.reason, ANM_DENIED);
    ck_assert_int_eq(anm_tree_can_make(doc, "frames/000/a.mesh", false, NULL, &err), 0);
    ck_assert_int_eq(anm_tree_can_make(doc, "frames/000/x.mesh", false, NULL, &err), -1);
    ck_assert_int_eq(err.reason, ANM_NAME);
    ck_assert_int_eq(anm_tree_can_make(doc, "frames/000/keys~", false, NULL, &err), -1);
    ck_assert_int_eq(err.reason, ANM_DENIED);
    ck_assert_int_eq(anm_tree_can_make(doc, "frames/007/keys", false, NULL, &err), -1);
    ck_assert_int_eq(err.reason, ANM_NOENT);
    ck_assert_int_eq(anm_tree_find(doc, ".anmfs/errors", &ref, &err), 0);
    ck_assert_int_eq(anm_ref_kind(&ref), ANM_FILE_HOST);
    ck_assert(anm_ref_volatile(&ref) && !anm_ref_writable(&ref) && !anm_ref_removable(&ref));
    ck_assert_str_eq(anm_ref_label(&ref), "errors");
    ck_assert_int_eq(anm_tree_find(doc, "bones/a/keys", &ref, &err), 0);
    ck_assert(!anm_ref_volatile(&ref) && anm_ref_writable(&ref) && anm_ref_removable(&ref));
    ck_assert_int_eq(anm_tree_find(doc, "bones/a", &ref, &err), 0);
    ck_assert_str_eq(anm_ref_label(&ref), "BONE");
    tree_lists(doc, ".anmfs", "info.json errors status pose ");
}
END_TEST

/* Each allocation of each of these edits fails once: the edit is refused for want of memory, or does without. */
static struct anm_doc *edit(const struct anm_doc *doc, unsigned which, struct anm_error *err)
{
    static const struct {
        const char *path, *text;
    } writes[] = {
        {"keys", "0 a position 1 2 4\n0 a mirrored\n7 b visible no\n0 a mesh @3\n"},
        {"frames/003/keys", "b orientation euler xyz 1 2 3\na mesh\n"},
        {"bones/b/keys", "1 none\n2 none\n3 visible no\n3 visible~2 no\n"},
        {"header", "length 50\norder 3 0\nkind frm3 0\ncomment 0011\nlayout CMNT FRMS CMNT BMAP\n"},
        {"bonemap", "x\nb\na\n"},
        {"format", "gem 6.1 frmn gem3 lossy\n"},
        {"comment", "another"},
        {"frames/000/b.mesh", "bytes"},
    };
    const unsigned count = sizeof writes / sizeof *writes;
    if (which < count)
        return anm_tree_write(doc, writes[which].path, writes[which].text, strlen(writes[which].text), err);
    switch (which - count) {
    case 0:
        return anm_tree_mkdir(doc, "bones/new", err);
    case 1:
        return anm_tree_mkdir(doc, "frames/002", err);
    case 2:
        return anm_tree_rename(doc, "bones/a", "bones/c", err);
    case 3:
        return anm_tree_rename(doc, "frames/000", "frames/009", err);
    case 4:
        return anm_tree_remove(doc, "frames/003/a.mesh", err);
    case 5:
        return anm_tree_remove(doc, "bones/a/keys", err);
    case 6:
        return anm_tree_rename(doc, "frames/000/keys", "frames/003/keys", err);
    case 7:
        return anm_tree_remove(doc, "bones/c", err);
    default:
        err->reason = ANM_OK;
        return NULL;
    }
}

static struct anm_doc *for_edits(void)
{
    struct anm_doc *doc = small();
    tree_mkdir(&doc, "bones/c");
    tree_write(&doc, "frames/003/a.mesh", "mesh");
    tree_write(&doc, "comment", "one");
    return doc;
}

START_TEST(edits_without_memory)
{
    unsigned edits = 0;
    for (;; edits++) {
        ANM_AUTO(anm_doc_clean) struct anm_doc *doc = for_edits();
        struct anm_error err = {0};
        ANM_AUTO(anm_doc_clean) struct anm_doc *done = edit(doc, edits, &err);
        if (!done && err.reason == ANM_OK)
            break;
        ck_assert_msg(done != NULL, "%u: %s", edits, err.text);
        bool hit = true;
        for (unsigned n = 1; hit; n++) {
            ck_assert_uint_lt(n, 10000);
            ANM_AUTO(anm_doc_clean) struct anm_doc *fresh = for_edits();
            err = (struct anm_error){0};
            fail_alloc_at(n);
            ANM_AUTO(anm_doc_clean) struct anm_doc *edited = edit(fresh, edits, &err);
            fail_alloc_off();
            hit = fail_alloc_hit();
            ck_assert_msg(edited ? true : err.reason == ANM_NOMEM, "%u at %u: %s", edits, n, err.text);
            tree_same_bytes(edited ? edited : fresh, edited ? done : doc);
        }
    }
    ck_assert_uint_eq(edits, 16);
}
END_TEST

static void render_without_memory(const struct anm_doc *doc, const char *path, const struct anm_ref *ref, void *arg)
{
    (void)ref, (void)arg;
    ANM_AUTO(anm_freep) char *want = tree_text(doc, path);
    bool hit = true;
    for (unsigned n = 1; hit; n++) {
        ANM_AUTO(anm_doc_clean) struct anm_doc *fresh = for_edits();
        ANM_AUTO(anm_buf_free) struct anm_buf out = {0};
        struct anm_error err = {0};
        struct anm_ref again;
        fail_alloc_at(n);
        int rc = anm_tree_find(fresh, path, &again, &err) || anm_tree_render(fresh, &again, &out, &err);
        fail_alloc_off();
        hit = fail_alloc_hit();
        if (rc)
            ck_assert_msg(err.reason == ANM_NOMEM, "%s at %u: %s", path, n, err.text);
        else
            ck_assert(out.size == strlen(want) && (!out.size || memcmp(out.data, want, out.size) == 0));
    }
}

START_TEST(reading_without_memory)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = for_edits();
    tree_walk(doc, "", ANM_LIST_HIDDEN, render_without_memory, NULL);
}
END_TEST

void tree_head_cases(Suite *suite)
{
    TCase *tcase = tcase_create("head");
    tcase_add_test(tcase, format_converts);
    tcase_add_test(tcase, format_keeps_what_is_odd);
    tcase_add_test(tcase, comment_makes_gem3);
    tcase_add_test(tcase, header_says_what_is_unusual);
    tcase_add_test(tcase, header_with_many_frames_on_a_line);
    tcase_add_test(tcase, joined_keys);
    tcase_add_test(tcase, names_that_would_be_misread_are_refused);
    tcase_add_test(tcase, guessed_names_forbid_edits);
    tcase_add_test(tcase, pose_holds);
    tcase_add_test(tcase, info_warns);
    tcase_add_test(tcase, paths_and_kinds);
    tcase_add_test(tcase, edits_without_memory);
    tcase_add_test(tcase, reading_without_memory);
    suite_add_tcase(suite, tcase);
    TCase *slow = tcase_create("large maps");
    tcase_set_tags(slow, "slow");
    tcase_add_test(slow, edits_that_would_misread_the_names_are_refused);
    tcase_add_test(slow, what_repeats_too_often_is_refused);
    suite_add_tcase(suite, slow);
}
