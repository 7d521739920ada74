/* SPDX-License-Identifier: MIT */
/* Whole files as text and as JSON, and back. */
#include "suites.h"

#include "anm/dump.h"
#include "anm/parts.h"
#include "fail_alloc.h"
#include "tree_help.h"

#include <stdio.h>
#include <string.h>

enum { FORMS = 4 };

static int dump(const struct anm_doc *doc, int form, struct anm_buf *out, struct anm_error *err)
{
    return form & 2 ? anm_dump_json(doc, form & 1, out, err) : anm_dump(doc, form & 1, out, err);
}

static struct anm_doc *build(const char *text)
{
    struct anm_error err = {0};
    struct anm_doc *doc = anm_build(text, strlen(text), &err);
    ck_assert_msg(doc != NULL, "%u:%u: %s", err.line, err.column, err.text);
    return doc;
}

static void dumps(const struct anm_doc *doc, int form, const char *want)
{
    ANM_AUTO(anm_buf_free) struct anm_buf got = {0};
    struct anm_error err = {0};
    ck_assert_int_eq(dump(doc, form, &got, &err), 0);
    ck_assert_str_eq(anm_buf_cstr(&got), want);
}

static void returns(const struct anm_doc *doc)
{
    for (int form = 0; form < FORMS; form++) {
        ANM_AUTO(anm_buf_free) struct anm_buf text = {0};
        struct anm_error err = {0};
        ck_assert_int_eq(dump(doc, form, &text, &err), 0);
        ANM_AUTO(anm_doc_clean) struct anm_doc *back = build(anm_buf_cstr(&text));
        tree_same_bytes(doc, back);
    }
}

/* A frame in another order than the bones, one without keys, bytes, a bone without keys, one that has two keys in a frame. */
static struct anm_doc *tank(void)
{
    struct anm_doc *doc =
        tree_make(0x00060000, GEM_FRM2, "body turret gun hatch",
                  "0 body position 0 0.1 -0\n0 turret position 0 1.25 1e-7\n12 gun visible yes\n12 turret scale 1 1 1\n"
                  "12 gun visible~2 no\n20 body none\n");
    tree_mkdir(&doc, "frames/016");
    tree_write_bytes(&doc, "frames/020/gun.mesh", "mesh\n", 5);
    tree_write_bytes(&doc, "comment", "", 0);
    return doc;
}

static const char by_frame[] = "format gem 6.0 frm2 gem3\nheader length 21\ncomment\nbonemap body\nbonemap turret\n"
                               "bonemap gun\nbonemap hatch\nframe 016\nmesh 020 gun.mesh bWVzaAo=\n"
                               "0 body position 0 0.1 -0\n0 turret position 0 1.25 1e-7\n12 gun visible yes\n"
                               "12 turret scale 1 1 1\n12 gun visible~2 no\n20 body none\n20 gun mesh\n";

START_TEST(texts)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = tank();
    dumps(doc, 0, by_frame);
    dumps(doc, 1,
          "format gem 6.0 frm2 gem3\nheader length 21\ncomment\nbonemap body\nbonemap turret\nbonemap gun\nbonemap "
          "hatch\n"
          "frame 016\nmesh 020 gun.mesh bWVzaAo=\norder bones\norder 12 gun turret gun/2\n"
          "0 body position 0 0.1 -0\n20 body none\n0 turret position 0 1.25 1e-7\n12 turret scale 1 1 1\n"
          "12 gun visible yes\n12 gun visible~2 no\n20 gun mesh\n");
    returns(doc);
}
END_TEST

START_TEST(json)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = tank();
    dumps(doc, 2,
          "{\n \"$schema\": \"anm.schema.json\",\n"
          " \"format\": [\n  {\"values\": [\"gem\", \"6.0\", \"frm2\", \"gem3\"]}\n ],\n"
          " \"header\": [\n  {\"values\": [\"length\", 21]}\n ],\n"
          " \"comment\": [\n  {\"base64\": \"\"}\n ],\n"
          " \"bonemap\": [\n  {\"values\": [\"body\"]},\n  {\"values\": [\"turret\"]},\n  {\"values\": [\"gun\"]},\n"
          "  {\"values\": [\"hatch\"]}\n ],\n"
          " \"frame\": [\n  {\"of\": [\"016\"]}\n ],\n"
          " \"mesh\": [\n  {\"of\": [\"020\", \"gun.mesh\"], \"base64\": \"bWVzaAo=\"}\n ],\n"
          " \"keys\": [\n"
          "  {\"frame\": 0, \"name\": \"body\", \"channel\": \"position\", \"values\": [0, 0.1, -0.0]},\n"
          "  {\"frame\": 0, \"name\": \"turret\", \"channel\": \"position\", \"values\": [0, 1.25, 1e-7]},\n"
          "  {\"frame\": 12, \"name\": \"gun\", \"channel\": \"visible\", \"values\": [\"yes\"]},\n"
          "  {\"frame\": 12, \"name\": \"turret\", \"channel\": \"scale\", \"values\": [1, 1, 1]},\n"
          "  {\"frame\": 12, \"name\": \"gun\", \"channel\": \"visible~2\", \"values\": [\"no\"]},\n"
          "  {\"frame\": 20, \"name\": \"body\", \"channel\": \"none\", \"values\": []},\n"
          "  {\"frame\": 20, \"name\": \"gun\", \"channel\": \"mesh\", \"values\": []}\n ]\n}\n");
}
END_TEST

/* Every float that JSON has no number for, and some that readers of JSON get wrong. */
START_TEST(floats)
{
    static const char *const values[] = {"nan",         "nan:7f800001", "inf",          "-inf",       "-0",
                                         "1e-45",       "16777217",     "3.4028235e38", "0.33333334", "8388608.5",
                                         "0.100000024", "4294967296",   "1.1754942e-38"};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char keys[128];
        snprintf(keys, sizeof keys, "0 a position %s 0 0\n", values[i]);
        ANM_AUTO(anm_doc_clean) struct anm_doc *doc = tree_make(0x00060000, GEM_FRM2, "a", keys);
        returns(doc);
    }
}
END_TEST

/* Lines of any order, line ends of any kind, comments. */
START_TEST(liberal)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = tank();
    ANM_AUTO(anm_doc_clean)
    struct anm_doc *other = build(
        "\xef\xbb\xbf# a tank\r\n\r\nformat gem 6.0 frm2\r\n  0 body position 0 0.1 -0\r\nmesh 020 gun.mesh bWVz\r\n"
        "0 turret position 0 1.25 1e-7\n bonemap body\nbonemap turret\n12 gun visible yes\nframe 016\n"
        "bonemap gun\n# hatch\nbonemap hatch\n12 turret scale 1 1 1\nmesh 020 gun.mesh aAo=\n"
        "12 gun visible~2 no\n20 body none\n20 gun mesh\ncomment\nheader length 21");
    tree_same_bytes(doc, other);
    ANM_AUTO(anm_doc_clean) struct anm_doc *empty = build("format gem 6.0 frm2\n");
    tree_is(empty, "keys", "");
    returns(empty);
}
END_TEST

static void refuses(const char *text, uint32_t line, uint32_t column, const char *words)
{
    struct anm_error err = {0};
    ck_assert_ptr_null(anm_build(text, strlen(text), &err));
    ck_assert_msg(strstr(err.text, words) != NULL, "%s", err.text);
    ck_assert_msg(err.line == line && err.column == column, "%u:%u: %s", err.line, err.column, err.text);
}

#define HEAD "format gem 6.0 frm2\nbonemap body\n"

START_TEST(refused_texts)
{
    refuses("", 1, 1, "expected the format first");
    refuses("# nothing\n", 1, 1, "expected the format first");
    refuses("bonemap a\n", 1, 1, "expected the format first");
    refuses("format avi\n", 1, 8, "expected the format first");
    refuses("format gem 9.9\n", 1, 8, "9.9");
    refuses(HEAD "bonmap x\n", 3, 1, "did you mean bonemap?");
    refuses(HEAD "0 body position 0 0 0\n7 bdy visible yes\n", 4, 3, "bdy");
    refuses(HEAD "order bones\n7 body visible yes\n0 body position 0 x 0\n", 5, 19, "x");
    refuses(HEAD "0 body visible yes\norder\n", 4, 6, "expected a frame");
    refuses(HEAD "0 body visible yes\norder 0 body/x\n", 4, 9, "expected a bone");
    refuses(HEAD "order bones x\n", 3, 13, "expected the end of the line");
    refuses(HEAD "mesh\n", 3, 5, "expected a name");
    refuses(HEAD "mesh ../x y\n", 3, 6, "expected a name");
    refuses(HEAD "mesh 000 body.mesh AAA\n", 3, 20, "expected base64");
    refuses(HEAD "mesh 000 body.mesh =AAA\n", 3, 20, "expected base64");
    refuses(HEAD "mesh 000 body.mesh AAAA x\n", 3, 25, "expected the end of the line");
    refuses(HEAD "frame 7\n", 3, 1, "007");
    refuses(HEAD "frame 007 x\n", 3, 11, "expected the end of the line");
    refuses(HEAD "header length x\n", 3, 15, "x");
    refuses("format gem 6.0 frm2\nbase AAAA\n", 2, 6, "");
    refuses("format tim 4\n", 1, 8, "");
}
END_TEST

START_TEST(refused_json)
{
    refuses("{", 1, 2, "this is no JSON");
    refuses("{\"format\": []}\n x", 2, 2, "this is no JSON");
    refuses("{\"format\": [\n{\"values\": [\"a\xff\"]}]}", 2, 15, "this is no JSON");
    refuses("{\"format\": [\n{\"values\": [\"a\\u0000b\"]}]}", 2, 15, "this is no JSON");
    refuses("{\"format\": [], \"format\": []}", 0, 0, "format is there twice");
    refuses("{\"format\": {}}", 0, 0, "expected names of arrays");
    refuses("{\"Format\": []}", 0, 0, "expected names of arrays");
    refuses("{\"format\": [7]}", 0, 0, "format[0]: expected an object");
    refuses("{\"format\": [{\"value\": []}]}", 0, 0, "format[0]: expected of, values");
    refuses("{\"format\": [{\"values\": [], \"values\": []}]}", 0, 0, "format[0]: values is there twice");
    refuses("{\"format\": [{\"values\": [\"gem 6.0\"]}]}", 0, 0, "without blanks");
    refuses("{\"format\": [{\"values\": [null]}]}", 0, 0, "format[0]: expected numbers");
    refuses("{\"format\": [{\"values\": [\"\"]}]}", 0, 0, "format[0]: expected numbers");
    refuses("{\"format\": [{\"values\": [\"gem\", 9.9]}]}", 0, 0, "format[0]: ");
    refuses("{\"bonemap\": [{\"values\": [\"a\"]}]}", 0, 0, "bonemap[0]: expected the format");
#define JSON_HEAD "{\"format\": [{\"values\": [\"gem\", \"6.0\"]}], \"bonemap\": [{\"values\": [\"a\"]}], "
    refuses(JSON_HEAD "\"keys\": [{\"frame\": 0}]}", 0, 0, "keys[0]: expected frame, name, channel");
    refuses(JSON_HEAD "\"keys\": [{\"frame\": -1, \"name\": \"a\", \"channel\": \"none\"}]}", 0, 0, "keys[0]: ");
    refuses(JSON_HEAD "\"keys\": [{\"frame\": 0, \"name\": \"a\", \"channel\": \"none\"},\n"
                      "{\"frame\": 0, \"name\": \"b\", \"channel\": \"none\"}]}",
            0, 0, "keys[1]: there is no bone b");
    refuses(JSON_HEAD "\"mesh\": [{\"of\": [\"000\", \"a.mesh\"], \"base64\": 7}]}", 0, 0, "mesh[0]: ");
    refuses(JSON_HEAD "\"mesh\": [{\"of\": [\"000\", \"a.mesh\"], \"base64\": \"?\"}]}", 0, 0, "mesh[0]: ");
}
END_TEST

START_TEST(without_memory)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = tank();
    for (int form = 0; form < FORMS; form++) {
        bool hit = true;
        for (unsigned n = 1; hit; n++) {
            ANM_AUTO(anm_buf_free) struct anm_buf text = {0};
            struct anm_error err = {0};
            fail_alloc_at(n);
            int result = dump(doc, form, &text, &err);
            ANM_AUTO(anm_doc_clean) struct anm_doc *back = result ? NULL : anm_build(text.data, text.size, &err);
            hit = fail_alloc_hit();
            fail_alloc_off();
            ck_assert(back || (hit && err.reason == ANM_NOMEM));
            if (back)
                tree_same_bytes(doc, back);
        }
    }
}
END_TEST

Suite *dump_suite(void)
{
    Suite *suite = suite_create("dump");
    TCase *tests = tcase_create("text and JSON");
    tcase_add_test(tests, texts);
    tcase_add_test(tests, json);
    tcase_add_test(tests, floats);
    tcase_add_test(tests, liberal);
    tcase_add_test(tests, refused_texts);
    tcase_add_test(tests, refused_json);
    tcase_add_test(tests, without_memory);
    suite_add_tcase(suite, tests);
    return suite;
}
