/* SPDX-License-Identifier: MIT */
/* Defects, one small file each, and the whole message each gives, position included: tests/should-fail. A file below decode/ is
 * decoded; a file DOC/NODE/NAME.txt is written to that node of the document of that name, which stays as it is. The message
 * is in NAME.expected beside it; with ANM_UPDATE_EXPECTED set it is written there instead of compared. */
#include "gem_build.h"
#include "niff_build.h"
#include "suites.h"
#include "tree_help.h"

#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* From the top of the tree, where make runs the tests. */
#define TOP "tests/should-fail"

/* nftw() passes nothing along. */
static unsigned files, messages, wrong;

/* All of them are told, not only the first. */
__attribute__((format(printf, 1, 2))) static void complain(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    wrong++;
}

static void read_all(const char *path, struct anm_buf *out)
{
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s cannot be opened (the tests run at the top of the tree)", path);
    uint8_t *room = anm_buf_room(out, 65536);
    ck_assert_ptr_nonnull(room);
    out->size = fread(room, 1, 65535, file);
    ck_assert_int_eq(fclose(file), 0);
}

/* --- the documents that texts are written to --- */

static struct anm_doc *frm2(void)
{
    struct anm_doc *doc = tree_make(0x00060000, GEM_FRM2, "body turret gun hatch",
                                    "0 body position 0 0 0\n0 body orientation 0 0 0\n0 body visible yes\n"
                                    "0 turret position 0 1.25 0\n0 turret position~2 0 1.5 0\n"
                                    "0 hatch position 0 0.5 0\n0 hatch orientation 0 0 0\n0 hatch mirrored\n"
                                    "12 turret orientation 0 0.5 0\n12 gun flags 0x8000\n12 gun visible both\n");
    tree_write(&doc, "frames/012/gun.mesh", "mesh");
    return doc;
}

static struct anm_doc *frmn(void)
{
    return tree_make(0x00040000, GEM_FRMN, "body gun",
                     "0 body position 0 0 0\n0 body matrix 1 0 0 0 1 0 0 0 1\n0 body visible yes\n"
                     "0 gun position 0 0 0\n0 gun matrix 1 0.5 0 0 1 0 0 0 1\n0 gun visible 2\n"
                     "12 gun position 0 0 0\n12 gun matrix -1 0 0 0 1 0 0 0 1\n");
}

static struct anm_doc *gem3(void)
{
    struct anm_doc *doc = tree_make(0x00060001, GEM_FRM3, "body gun", "0 body position 0 0 0\n12 gun visible yes\n");
    tree_write(&doc, "comment", "made by hand");
    return doc;
}

/* Two frames whose second keys are joined, as no text can make them: `header` speaks of that. */
static struct anm_doc *joined(void)
{
    struct anm_buf bytes = {0};
    const char *const names[] = {"body", "gun", NULL};
    gem_build_header(&bytes, 0x00040000, 13);
    gem_build_bmap(&bytes, GEM_STRING32, names);
    for (uint32_t number = 0; number <= 12; number += 12) {
        gem_build_frmn(&bytes, number);
        gem_build_bone(&bytes, 1);
        gem_build_visi(&bytes, 0);
        gem_build_visi(&bytes, 1);
    }
    return tree_from(gem_build_decode(&bytes));
}

static struct anm_doc *niff(unsigned major)
{
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
    struct anm_error err;
    nif_everything(&bytes, major);
    struct anm_doc *doc = anm_doc_decode(bytes.data, bytes.size, NULL, &err);
    ck_assert_ptr_nonnull(doc);
    return doc;
}

static struct anm_doc *niff1(void)
{
    return niff(1);
}

static struct anm_doc *niff2(void)
{
    return niff(2);
}

static const struct {
    const char *name;
    struct anm_doc *(*make)(void);
} documents[] = {{"frm2", frm2},     {"frmn", frmn},   {"gem3", gem3},
                 {"joined", joined}, {"niff1", niff1}, {"niff2", niff2}};

/* --- what they do --- */

static bool decodes(const struct anm_buf *bytes, struct anm_error *err)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = anm_doc_decode(bytes->data, bytes->size, NULL, err);
    if (!doc && err->reason == ANM_FORMAT)
        ck_assert(err->has_offset && err->offset <= bytes->size);
    return doc != NULL;
}

static bool takes(const struct anm_buf *bytes, const char *document, const char *node, struct anm_error *err)
{
    size_t i = 0;
    while (i < sizeof documents / sizeof documents[0] && strcmp(documents[i].name, document) != 0)
        i++;
    ck_assert_msg(i < sizeof documents / sizeof documents[0], "there is no document %s", document);
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = documents[i].make();
    ANM_AUTO(anm_doc_clean) struct anm_doc *same = documents[i].make();
    ANM_AUTO(anm_doc_clean) struct anm_doc *next = anm_tree_write(doc, node, bytes->data, bytes->size, err);
    tree_same_bytes(doc, same);
    return next != NULL;
}

static void check_message(const char *path, const struct anm_error *err, const char *where)
{
    ANM_AUTO(anm_buf_free) struct anm_buf message = {0}, want = {0};
    char expected[512];
    snprintf(expected, sizeof expected, "%.*s.expected", (int)(strrchr(path, '.') - path), path);
    anm_error_print(err, where, &message);
    if (getenv("ANM_UPDATE_EXPECTED")) {
        FILE *file = fopen(expected, "wb");
        ck_assert_ptr_nonnull(file);
        fwrite(message.data, 1, message.size, file);
        ck_assert_int_eq(fclose(file), 0);
    }
    read_all(expected, &want);
    if (strcmp(anm_buf_cstr(&message), anm_buf_cstr(&want)) != 0)
        complain("%s\n  says:     %s  expected: %s", path, anm_buf_cstr(&message), anm_buf_cstr(&want));
}

static int visit(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    const char *suffix = strrchr(path, '.');
    (void)st;
    if (type != FTW_F)
        return 0;
    ck_assert_msg(suffix != NULL, "%s has no suffix", path);
    if (strcmp(suffix, ".expected") == 0) {
        messages++;
        return 0;
    }
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
    struct anm_error err = {0};
    files++;
    read_all(path, &bytes);
    /* What stands between the document's name and the file's is the node. */
    char document[512];
    snprintf(document, sizeof document, "%.*s", ftw->base - 1 - (int)sizeof TOP, path + sizeof TOP);
    char *node = strchr(document, '/');
    bool binary = strcmp(suffix, ".anm") == 0;
    ck_assert_msg(binary || (node && strcmp(suffix, ".txt") == 0), "%s is not DOC/NODE/NAME.txt", path);
    if (node)
        *node++ = 0;
    if (binary ? decodes(&bytes, &err) : takes(&bytes, document, node, &err))
        complain("%s is accepted\n", path);
    else
        check_message(path, &err, binary ? path + ftw->base : node);
    return 0;
}

START_TEST(each_says_what_and_where)
{
    files = messages = wrong = 0;
    ck_assert_msg(nftw(TOP, visit, 8, FTW_PHYS) == 0, TOP " cannot be read (the tests run at the top of the tree)");
    ck_assert_uint_eq(wrong, 0);
    ck_assert_uint_eq(files, messages);
    ck_assert_uint_ge(files, 355);
}
END_TEST

Suite *should_fail_suite(void)
{
    Suite *suite = suite_create("should-fail");
    TCase *tcase = tcase_create("messages");
    tcase_add_test(tcase, each_says_what_and_where);
    suite_add_tcase(suite, tcase);
    return suite;
}
