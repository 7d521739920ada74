/* SPDX-License-Identifier: MIT */
/* format, header and info.json of ANM, TSQ and TIM. */
#include "anm/given.h"
#include "anm/psx_fields.h"
#include "fail_alloc.h"
#include "psx_build.h"
#include "tree_help.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bad {
    const char *text;
    uint32_t line, column;
    const char *words;
};

static void refuses_all(const struct anm_doc *doc, const char *path, const struct bad *bad, size_t count)
{
    for (size_t i = 0; i < count; i++)
        tree_refuses_at(doc, path, bad[i].text, bad[i].line, bad[i].column, bad[i].words);
}

#define REFUSES_ALL(doc, path, bad) refuses_all(doc, path, bad, sizeof(bad) / sizeof *(bad))

/* --- versions --- */

enum { TPF = 1, ABE = 0x8000 };
#define CSN 0x3f000000u
#define BNO 0xc0000000u
#define ATTR 0xf0000000u

/* The animation with every bit set that only some versions know: in all sprites but the last, in the first two entries. */
static struct anm_doc *full(unsigned version)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = psx_build(0);
    struct psx_doc *edit = psx_copy(psx_const(doc), 0, 0);
    edit->version = (uint8_t)version;
    edit->flags = TPF;
    for (uint32_t g = 0; g < edit->group_count; g++) {
        struct psx_group *group = psx_group_new(edit->groups[g]->count);
        memcpy(group->sprites, edit->groups[g]->sprites, group->count * sizeof group->sprites[0]);
        for (uint32_t i = 0; i + (g == 2) < group->count; i++) {
            group->sprites[i].w[1] |= ABE;
            group->sprites[i].w[3] |= CSN | BNO;
        }
        psx_set_group(edit, g, group);
    }
    struct psx_sequence *sequence = psx_sequence_new(edit->sequence->count);
    memcpy(sequence->entries, edit->sequence->entries, sequence->count * sizeof sequence->entries[0]);
    for (uint32_t i = 0; i < 2; i++)
        sequence->entries[i].w[0] |= ATTR;
    psx_set_sequence(edit, sequence);
    return &edit->doc;
}

/* A loss is in the message exactly when its bits get or lose their meaning. */
static void check_loss(const struct anm_error *err, const char *what, unsigned since, unsigned from, unsigned to)
{
    char line[120];
    bool crosses = (from >= since) != (to >= since);
    snprintf(line, sizeof line, "%s: %s before version %u", what,
             to < since ? "there is none" : "the bits had no meaning", since);
    ck_assert_msg((strstr(err->text, line) != NULL) == crosses, "%u to %u: %s: %s", from, to, line, err->text);
    ck_assert_msg(crosses || !strstr(err->text, what), "%u to %u: %s", from, to, err->text);
}

static void check_cleared(const struct anm_doc *doc, unsigned from, unsigned to)
{
    const struct psx_doc *psx = psx_const(doc);
    bool three = (from >= 3) == (to >= 3), two = (from >= 2) == (to >= 2);
    ck_assert_uint_eq(psx->version, to);
    ck_assert_uint_eq(psx->flags, two ? TPF : 0);
    for (uint32_t g = 0; g < psx->group_count; g++)
        for (uint32_t i = 0; i < psx->groups[g]->count; i++) {
            const struct psx_sprite *s = &psx->groups[g]->sprites[i];
            bool set = g != 2 || i + 1 < psx->groups[g]->count;
            ck_assert_uint_eq(s->w[1] & ABE, set && three ? ABE : 0);
            ck_assert_uint_eq(s->w[3] & 0xff000000, set && two ? CSN | BNO : 0);
        }
    for (uint32_t i = 0; i < psx->sequence->count; i++)
        ck_assert_uint_eq(psx->sequence->entries[i].w[0] & 0xff000000,
                          (i < 2 && three ? ATTR : 0) | (psx->sequence->entries[i].w[0] & 0x0f000000));
}

START_TEST(between_all_versions)
{
    unsigned from = (unsigned)_i / 4, to = (unsigned)_i % 4;
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = full(from), *back = anm_doc_ref(doc);
    struct anm_error err = {0};
    char plain[16], lossy[24];
    snprintf(plain, sizeof plain, "psx %u\n", to);
    snprintf(lossy, sizeof lossy, "psx %u lossy\n", to);
    ANM_AUTO(anm_doc_clean) struct anm_doc *refused = anm_tree_write(doc, "format", plain, strlen(plain), &err);
    bool loss = (from >= 2) != (to >= 2) || (from >= 3) != (to >= 3);
    ck_assert_int_eq(err.reason, loss ? ANM_LOSS : ANM_OK);
    ck_assert((refused == NULL) == loss);
    check_loss(&err, "5 sprites with ABE (blend)", 3, from, to);
    check_loss(&err, "5 sprites with a CSN (set)", 2, from, to);
    check_loss(&err, "5 sprites with a BNO (bank)", 2, from, to);
    check_loss(&err, "2 sequence entries with an ATTR (attr)", 3, from, to);
    check_loss(&err, "1 header with a depth (TPF)", 2, from, to);
    ck_assert((strstr(err.text, "\"lossy\" at the end of the line") != NULL) == loss);
    tree_write(&back, "format", lossy);
    tree_is(back, "format", plain);
    check_cleared(back, from, to);
    tree_reloads(back);
    ck_assert((back == doc) == (from == to));
    /* What is lost is lost once: back and forth without "lossy" then. */
    ANM_AUTO(anm_doc_clean) struct anm_doc *again = anm_doc_ref(back);
    snprintf(plain, sizeof plain, "psx %u\n", from);
    tree_write(&again, "format", plain);
    snprintf(plain, sizeof plain, "psx %u\n", to);
    tree_write(&again, "format", plain);
    tree_same_bytes(again, back);
}
END_TEST

/* Without such bits every version can be had, and nothing but the version changes. */
START_TEST(nothing_to_lose)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = psx_build((unsigned)_i), *before = NULL;
    char text[24];
    tree_write(&doc, "format", "psx 0 lossy\n");
    snprintf(text, sizeof text, "psx %d\n", _i);
    tree_write(&doc, "format", text);
    before = anm_doc_ref(doc);
    for (unsigned version = 0; version < 4; version++) {
        ANM_AUTO(anm_doc_clean) struct anm_doc *other = anm_doc_ref(before);
        snprintf(text, sizeof text, "psx %u\n", version);
        tree_write(&other, "format", text);
        ck_assert_uint_eq(psx_const(other)->version, version);
        for (uint32_t g = 0; g < 3; g++)
            ck_assert_ptr_eq(psx_const(other)->groups[g], psx_const(before)->groups[g]);
        ck_assert_ptr_eq(psx_const(other)->sequence, psx_const(before)->sequence);
        tree_reloads(other);
    }
}
END_TEST

START_TEST(sequence_versions)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = tsq_build(1);
    tree_is(doc, "format", "tsq 1\n");
    tree_refuses(doc, "format", "tsq 0\n", ANM_LOSS,
                 "1 sequence entries with an ATTR (attr): there is none before version 1");
    tree_write(&doc, "format", "tsq 0 lossy\n");
    tree_is(doc, "format", "tsq 0\n");
    tree_write(&doc, "format", "tsq 1\n");
    tree_is(doc, "sequences/000", "group=7 time=4 attr=0 x=0 y=0\ngroup=0 time=1 attr=0 x=-8 y=-16\n");
    tree_write(&doc, "format", "tsq 0\n");
    tree_write_bytes(&doc, "raw/sequences/000.bin", "\0\0\1\x5f\0\0\0\0", 8);
    tree_refuses(doc, "format", "tsq 1\n", ANM_LOSS, "the bits had no meaning before version 1");
    tree_write(&doc, "format", "tsq 1 lossy\n");
    tree_is(doc, "sequences/000", "group=0 time=1 attr=0 x=0 y=0 unused=0xf\n");
    static const struct bad bad[] = {
        {"tsq 2\n", 1, 5, "a version, 0 or 1, found \"2\": more than 1"},
        {"psx 1\n", 1, 1, "within its family"},
    };
    REFUSES_ALL(doc, "format", bad);
}
END_TEST

START_TEST(formats_are_refused)
{
    static const struct bad bad[] = {
        {"# nothing\n", 1, 1, "expected the format, as psx 3"},
        {"gem 6.0 frm2\n", 1, 1, "expected psx"},
        {"\n  tim 4\n", 2, 3, "expected psx"},
        {"psx\n", 1, 4, "a version, 0 to 3; the line ends"},
        {"psx 4\n", 1, 5, "more than 3"},
        {"psx -1\n", 1, 5, "a version, 0 to 3"},
        {"psx 2.0\n", 1, 5, "not a whole number"},
        {"psx 3 Lossy\n", 1, 7, "expected: psx VERSION [lossy]"},
        {"psx 3 lossy 2\n", 1, 7, "expected: psx VERSION [lossy]"},
        {"psx 3\n# and\npsx 3\n", 3, 1, "one line"},
    };
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = psx_build(3), *after = anm_doc_ref(doc);
    REFUSES_ALL(doc, "format", bad);
    tree_write(&after, "format", "# as it is\r\n\tpsx  3   lossy \r\n");
    ck_assert_ptr_eq(after, doc);
    tree_refuses_remove(doc, "format", ANM_DENIED, "");
}
END_TEST

/* --- header of ANM and TSQ --- */

START_TEST(headers_by_version)
{
    for (unsigned version = 0; version < 4; version++) {
        ANM_AUTO(anm_doc_clean) struct anm_doc *doc = psx_build(version), *fixed = psx_build_fixed(version);
        if (version >= 2) {
            tree_is(doc, "header", "depth 4\n");
            tree_is(fixed, "header", "depth 4\nlayout fixed\n");
            tree_write(&doc, "header", "layout compact\ndepth 8\n");
            tree_is(doc, "header", "depth 8\n");
        } else {
            tree_lacks(doc, "header", ANM_NOENT);
            tree_is(fixed, "header", "layout fixed\n");
            tree_refuses_at(doc, "header", "depth 4\n", 1, 1, "since version 2");
            tree_write(&doc, "header", "reserved 0x003\n"); /* where TPF will be */
            tree_is(doc, "header", "reserved 0x003\n");
            tree_write(&fixed, "header", "# nothing is unusual\n");
            tree_lacks(fixed, "header", ANM_NOENT);
        }
        tree_reloads(doc);
    }
}
END_TEST

START_TEST(headers_are_refused)
{
    static const struct bad bad[] = {
        {"# nothing\n", 1, 1, "expected a line depth 4 or depth 8"},
        {"depth\n", 1, 6, "expected depth 4 or 8"},
        {"depth 16\n", 1, 7, "expected depth 4 or 8"},
        {"depth 4 8\n", 1, 9, "is too much"},
        {"depth 4\nlayout loose\n", 2, 8, "layout compact or fixed"},
        {"depth 4\nlayout fixed x\n", 2, 14, "is too much"},
        {"depth 4\nlayout fixed\nlayout fixed\n", 3, 1, "a second line layout"},
        {"depth 4\nreserved 0x1000\n", 2, 10, "more than 4095"},
        {"depth 4\nreserved 2\n", 2, 10, "the reserved bits are 0xffc"},
        {"depth 4\nreserved 4 4\n", 2, 12, "is too much"},
        {"depth 4\ntail\n", 2, 5, "tail and its bytes in hex"},
        {"depth 4\ntail 0\n", 2, 6, "two digits"},
        {"depth 4\ntail 00 00\n", 2, 9, "is too much"},
        {"depth 4\nimage 0\n", 2, 1, "expected depth, layout, reserved or tail"},
    };
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = psx_build(3), *tsq = tsq_build(1);
    REFUSES_ALL(doc, "header", bad);
    /* Such a file would not be recognised. */
    tree_refuses(doc, "header", "depth 4\nreserved 0x004\n", ANM_LIMIT, "would not be read back");
    tree_refuses_at(tsq, "header", "depth 4\n", 1, 1, "expected tail");
    tree_refuses_at(tsq, "header", "layout fixed\n", 1, 1, "expected tail");
}
END_TEST

/* With the family named, reserved bits and tails are read, shown and edited. */
START_TEST(forced_headers)
{
    struct anm_error err;
    ANM_AUTO(anm_doc_clean) struct anm_doc *plain = psx_build(3);
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
    ck_assert_int_eq(anm_doc_encode(plain, &bytes, &err), 0);
    bytes.data[2] |= 0xfe; /* TPF 2 and reserved bits */
    bytes.data[3] |= 0x0f;
    ck_assert_ptr_null(anm_doc_decode(bytes.data, bytes.size, NULL, &err));
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = anm_doc_decode(bytes.data, bytes.size, "psx", &err);
    ck_assert_ptr_nonnull(doc);
    tree_is(doc, "header", "depth reserved-2\nreserved 0xffc\n");
    tree_write(&doc, "header", "depth reserved-3\nreserved 0x010\n");
    tree_is(doc, "header", "depth reserved-3\nreserved 0x010\n");
    tree_write(&doc, "header", "depth 4\n");
    tree_same_bytes(doc, plain);
    ANM_AUTO(anm_doc_clean) struct anm_doc *tsq = tsq_build(1);
    anm_buf_free(&bytes);
    ck_assert_int_eq(anm_doc_encode(tsq, &bytes, &err), 0);
    anm_buf_puts(&bytes, "xyz");
    ANM_AUTO(anm_doc_clean) struct anm_doc *tailed = anm_doc_decode(bytes.data, bytes.size, "tsq", &err);
    ck_assert_ptr_nonnull(tailed);
    tree_is(tailed, "header", "tail 78797a\n");
    tree_write(&tailed, "header", "# no tail\n");
    tree_same_bytes(tailed, tsq);
}
END_TEST

/* From compact to fixed and back: the size that a square has anyway comes and goes. */
START_TEST(layouts)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = psx_build(3), *before = anm_doc_ref(doc);
    ANM_AUTO(anm_freep) char *sprites = tree_text(doc, "frames/000/sprites");
    tree_write(&doc, "header", "depth 4\nlayout fixed\n");
    tree_is(doc, "frames/000/sprites", sprites);
    ck_assert_uint_eq(psx_const(doc)->groups[0]->sprites[0].w[2], 64 | 64 << 16);
    tree_write(&doc, "header", "depth 4\nlayout compact\n");
    tree_same_bytes(doc, before);
    for (uint32_t g = 0; g < 3; g++)
        ck_assert_uint_eq(psx_const(doc)->groups[g]->sprites[0].w[2], 0);
}
END_TEST

/* --- header of TIM --- */

/* An image of 4 x 2 half-words with palette, one with flag bits and a bnum that is 2 too big, one cropped; and a tail of none. */
static struct anm_doc *three_images(void)
{
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
    tim_build(&bytes, 1, 1);
    anm_buf_u32le(&bytes, PSX_ID_TIM);
    anm_buf_u32le(&bytes, 0xdeadbee0 | 4);
    tim_build_block(&bytes, 1023, 511, 6, 1, 2);
    anm_buf_puts(&bytes, "zz");
    anm_buf_u32le(&bytes, PSX_ID_TIM);
    anm_buf_u32le(&bytes, 3);
    tim_build_block(&bytes, 0, 0, 3, 2, 0);
    bytes.size -= 5;
    return psx_build_decode(&bytes);
}

static const char three_lines[] = "image 0 depth=8 place=640,0 size=4x2 clut=00\n"
                                  "image 1 depth=mixed place=1023,511 size=6x1 flag=0xdeadbee0\n"
                                  "image 2 depth=24 place=0,0 size=3x2 bnum=24\n";

START_TEST(image_lines)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = three_images(), *before = anm_doc_ref(doc);
    tree_is(doc, "format", "tim 8\n");
    tree_is(doc, "header", three_lines);
    tree_write(&doc, "header", three_lines);
    tree_write(&doc, "format", "# the same\ntim  8\n");
    ck_assert_ptr_eq(doc, before);
    tree_write(&doc, "header",
               "image 0 size=2x4 place=1,2\nimage 1 flag=0x10 size=6x1 place=0,0 depth=mixed\n"
               "image 2 place=0,0 size=1x3\n");
    tree_is(doc, "header",
            "image 0 depth=8 place=1,2 size=2x4 clut=00\nimage 1 depth=mixed place=0,0 size=6x1 flag=0x10\n"
            "image 2 depth=24 place=0,0 size=1x3\n");
    tree_reloads(doc);
    tree_write(&doc, "header",
               "image 0 size=1x1 place=0,0\nimage 1 size=6x1 place=0,0\nimage 2 place=0,0 size=1x3\ntail 0102\n");
    tree_is(doc, "header",
            "image 0 depth=8 place=0,0 size=1x1 clut=00\nimage 1 depth=mixed place=0,0 size=6x1\n"
            "image 2 depth=24 place=0,0 size=1x3\ntail 0102\n");
    ck_assert_uint_eq(psx_const(doc)->images[0].pixels->data->size, 16); /* no pixel goes with a size */
    tree_reloads(doc);
}
END_TEST

START_TEST(image_lines_are_refused)
{
    static const struct bad bad[] = {
        {"image\n", 1, 6, "the image's number; the line ends"},
        {"image x\n", 1, 7, "not a whole number"},
        {"image 1 place=0,0 size=4x2\n", 1, 7, "expected image 0"},
        {"image 0 place=0,0\n", 1, 1, "expected place=X,Y and size=WxH"},
        {"image 0 size=4x2\n", 1, 1, "expected place=X,Y and size=WxH"},
        {"image 0 place=0,0 size=4,2\n", 1, 24, "expected size=wxh"},
        {"image 0 place=0x0 size=4x2\n", 1, 15, "expected place=x,y"},
        {"image 0 place=0,0 size=4x2 place=0,0\n", 1, 34, "a second value for x"},
        {"image 0 place=65536,0 size=4x2\n", 1, 15, "from 0 to 65535"},
        {"image 0 place=0,0 size=4x3\n", 1, 1, "4 by 3 half-words take 24 bytes, and image 0 has fewer"},
        {"image 0 depth=4 place=0,0 size=4x2\n", 1, 15, "depth cannot be changed: the line was image 0 depth=8"},
        {"image 0 depth=8 depth=8 place=0,0 size=4x2\n", 1, 17, "a second value for depth"},
        {"image 0 place=0,0 size=4x2 clut=01\n", 1, 33, "clut cannot be changed"},
        {"image 0 place=0,0 size=4x2 clut=0\n", 1, 33, "clut cannot be changed"},
        {"image 0 place=0,0 size=4x2 flag=0x8\n", 1, 33, "bits 4 to 31"},
        {"image 0 place=0,0 size=4x2 flag=red\n", 1, 33, "bits 4 to 31"},
        {"image 0 place=0,0 size=4x2 bnum=\n", 1, 33, "expected bnum=N"},
        {"image 0 place=0,0 size=4x2 bnum=1 bnum=1\n", 1, 35, "a second value for bnum"},
        {"image 0 place=0,0 size=4x2 plac=0,0\n", 1, 28, "did you mean place?"},
        {"image 0 place=0,0 size=4x2 8\n", 1, 28, "expected key=value"},
        {"depth 8\n", 1, 1, "expected image or tail"},
        {"tail 00\ntail 00\n", 2, 1, "expected image"},
        {"tail 0\n", 1, 6, "two digits"},
        {"# none\n", 1, 1, "0 lines image, but the file has 3"},
    };
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = three_images();
    REFUSES_ALL(doc, "header", bad);
    ANM_AUTO(anm_buf_free) struct anm_buf more = {0};
    anm_buf_printf(&more, "%simage 3 place=0,0 size=0x0\n", three_lines);
    tree_refuses_at(doc, "header", anm_buf_cstr(&more), 4, 1, "the file has 3 images");
    tree_refuses_at(doc, "format", "tim 4\n", 1, 1, "expected tim 8");
    tree_refuses_at(doc, "format", "tim 8 lossy\n", 1, 1, "expected tim 8");
    tree_refuses_at(doc, "format", "tim 8\ntim 8\n", 1, 1, "expected tim 8");
    /* An image more would come of this tail. */
    ANM_AUTO(anm_buf_free) struct anm_buf one = {0};
    tim_build(&one, 2, 0);
    ANM_AUTO(anm_doc_clean) struct anm_doc *single = psx_build_decode(&one);
    tree_refuses(single, "header", "image 0 place=640,0 size=4x2\ntail 10000000020000000e000000000000000100010000ff\n",
                 ANM_LIMIT, "would not be read back");
}
END_TEST

START_TEST(image_formats)
{
    static const char *const depths[] = {"4", "8", "16", "24", "mixed", "8"};
    for (unsigned pmode = 0; pmode < 6; pmode++) {
        ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
        char text[20];
        tim_build(&bytes, pmode, 1);
        ANM_AUTO(anm_doc_clean) struct anm_doc *doc = psx_build_decode(&bytes), *after = anm_doc_ref(doc);
        snprintf(text, sizeof text, "tim %s\n", depths[pmode]);
        tree_is(doc, "format", text);
        tree_write(&after, "format", text);
        ANM_AUTO(anm_freep) char *head = tree_text(doc, "header");
        tree_write(&after, "header", head);
        ck_assert_ptr_eq(after, doc);
    }
}
END_TEST

/* A file of palettes only ends before any pixels. */
START_TEST(no_pixels)
{
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
    anm_buf_u32le(&bytes, PSX_ID_TIM);
    anm_buf_u32le(&bytes, PSX_HAS_CLUT);
    tim_build_block(&bytes, 0, 480, 16, 1, 0);
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = psx_build_decode(&bytes), *before = anm_doc_ref(doc);
    tree_is(doc, "header", "image 0 depth=4 clut=00\n");
    tree_write(&doc, "header", "image 0\n");
    ck_assert_ptr_eq(doc, before);
    tree_write(&doc, "header", "image 0 flag=0x30\n");
    tree_is(doc, "header", "image 0 depth=4 clut=00 flag=0x30\n");
    tree_refuses_at(doc, "header", "image 0 place=0,0\n", 1, 1, "image 0 has no pixels");
    tree_refuses_at(doc, "header", "image 0 bnum=12\n", 1, 1, "image 0 has no pixels");
    tree_lists(doc, "raw", "clut ");
}
END_TEST

/* --- info.json --- */

static void says(const struct anm_doc *doc, const char *const *words)
{
    ANM_AUTO(anm_freep) char *info = tree_text(doc, ".anmfs/info.json");
    for (; *words; words++)
        ck_assert_msg(strstr(info, *words) != NULL, "no %s in: %s", *words, info);
}

#define SAYS(doc, ...) says(doc, (const char *const[]){__VA_ARGS__, NULL})

static struct anm_doc *with_image(const struct anm_doc *doc, const char *name, unsigned x, unsigned y, unsigned h)
{
    struct anm_error err;
    ANM_AUTO(anm_buf_free) struct anm_buf tim = {0};
    anm_buf_u32le(&tim, PSX_ID_TIM);
    anm_buf_u32le(&tim, PSX_HAS_CLUT);
    tim_build_block(&tim, 48, 481, 16, 1, 0);
    tim_build_block(&tim, x, y, 64, h, 0);
    ANM_AUTO(anm_given_clean) struct anm_given *given = anm_given_new(60, false);
    ck_assert_int_eq(anm_given_offer(given, doc, true, name, tim.data, tim.size, &err), 0);
    struct anm_doc *out = anm_doc_with(doc, given);
    ck_assert_ptr_nonnull(out);
    return out;
}

START_TEST(animation_info)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = psx_build(3);
    tree_write(&doc, "frames/001/sprites", "u=0 v=0 ofs=0,0 size=8x8 page=15 depth=4 clut=48,481\n");
    tree_write(&doc, "frames/002/sprites", "u=0 v=0 ofs=0,0 size=8x8 page=0 depth=16 clut=0,0\n");
    tree_write(&doc, "frames/000/sprites", "u=0 v=0 ofs=0,0 size=8x8 page=15 depth=4 clut=0,0\n");
    SAYS(doc, "\"family\":\t\"psx\"", "\"version\":\t3", "\"layout\":\t\"compact\"", "\"frames\":\t3",
         "\"sprites\":\t3", "\"entries\":\t4", "\"cluts\":\t1", "3 sprites find no image or no palette",
         "\"tim\":\tnull");
    ANM_AUTO(anm_doc_clean) struct anm_doc *seen = with_image(doc, "a \"b\".tim", 960, 0, 256);
    SAYS(seen, "2 sprites find no image or no palette",
         "{\n\t\t\t\"frame\":\t0,\n\t\t\t\"line\":\t1,\n\t\t\t\"tim\":\t\"a "
         "\\\"b\\\".tim\",\n\t\t\t\"clut\":\tnull\n\t\t}",
         "{\n\t\t\t\"frame\":\t1,\n\t\t\t\"line\":\t1,\n\t\t\t\"tim\":\t\"a \\\"b\\\".tim\",\n\t\t\t\"clut\":\t\"a "
         "\\\"b\\\".tim\"\n\t\t}",
         "{\n\t\t\t\"frame\":\t2,\n\t\t\t\"line\":\t1,\n\t\t\t\"tim\":\tnull\n\t\t}"); /* 16 bits need no palette */
}
END_TEST

/* The document with this text for its second group, which then alone is unusual. */
static void warns(const char *sprites, const char *words)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = psx_build(3);
    ANM_AUTO(anm_doc_clean) struct anm_doc *seen = with_image(doc, "a.tim", 960, 0, 256);
    ANM_AUTO(anm_freep) char *none = tree_text(seen, ".anmfs/info.json");
    ck_assert_msg(strstr(none, "\"warnings\":\t[]") != NULL, "%s", none);
    tree_write(&seen, "frames/001/sprites", sprites);
    SAYS(seen, words);
}

#define SPRITE "u=0 v=0 ofs=0,0 size=8x8 page=15 clut=48,481 "

START_TEST(sprite_warnings)
{
    warns(SPRITE "depth=4 flag=0x0200\n", "\"1 sprites have reserved bits\"");
    warns(SPRITE "depth=4 flag2=0x02\n" SPRITE "depth=4 flag2=0x80\n", "\"2 sprites have reserved bits\"");
    warns(SPRITE "depth=reserved\n", "\"1 sprites have the reserved depth\"");
    warns(SPRITE "depth=8\n" SPRITE "depth=4\n", "\"1 sprites have another depth than the header\"");
    warns(SPRITE "depth=4 first=0\n", "\"1 sprites do not say by FLAG2 whether they are the first\"");
    warns(SPRITE "depth=4 scale=1,2 rsz=off\n", "\"1 sprites have a scale or angle that does not count\"");
    warns(SPRITE "depth=4 angle=45 rot=off\n", "\"1 sprites have a scale or angle that does not count\"");
    warns(SPRITE "depth=4 scale=1,0\n", "\"1 sprites are scaled to nothing\"");
    warns("u=0 v=0 ofs=0,0 size=8x8 page=15 clut=0,0 depth=4\n", "\"1 sprites find no image or no palette\"");
    warns("u=0 v=0 ofs=0,0 size=8x8 page=0 clut=48,481 depth=4\n", "\"1 sprites find no image or no palette\"");
}
END_TEST

START_TEST(sequence_info)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = tsq_build(0);
    tree_is(doc, ".anmfs/info.json",
            "{\n\t\"family\":\t\"tsq\",\n\t\"version\":\t0,\n\t\"entries\":\t2,\n\t\"warnings\":\t[]\n}\n");
    tree_write(&doc, "sequences/000", "group=9 time=1 x=0 y=0 unused=0x10\n");
    SAYS(doc, "\"1 sequence entries have unused bits\"");
    ANM_AUTO(anm_doc_clean) struct anm_doc *anm = psx_build(3);
    tree_write_bytes(&anm, "raw/sequences/000.bin", "\3\0\1\0\0\0\0\0\2\0\1\1\0\0\0\0", 16);
    SAYS(anm, "\"1 sequence entries name a group that is not there\"", "\"1 sequence entries have unused bits\"");
}
END_TEST

START_TEST(image_info)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = three_images();
    tree_write(&doc, "clut/00/place", "17 480 16\n");
    tree_is(doc, ".anmfs/info.json",
            "{\n\t\"family\":\t\"tim\",\n\t\"cluts\":\t1,\n\t\"images\":\t[{\n"
            "\t\t\t\"depth\":\t8,\n\t\t\t\"x\":\t640,\n\t\t\t\"y\":\t0,\n\t\t\t\"width\":\t8,\n\t\t\t\"height\":"
            "\t2\n\t\t}, {\n"
            "\t\t\t\"depth\":\t\"mixed\",\n\t\t\t\"x\":\t1023,\n\t\t\t\"y\":\t511,\n\t\t\t\"width\":\t6,"
            "\n\t\t\t\"height\":\t1\n"
            "\t\t}, {\n"
            "\t\t\t\"depth\":\t24,\n\t\t\t\"x\":\t0,\n\t\t\t\"y\":\t0,\n\t\t\t\"width\":\t2,\n\t\t\t\"height\":"
            "\t2\n\t\t}],\n"
            "\t\"warnings\":\t[\"palette 0: no sprite can name x 17, which is no multiple of 16\", "
            "\"image 1 has reserved flag bits\", \"image 1: its size is given as 26, and is 24\", "
            "\"image 1 reaches past the edge of VRAM\", \"image 2: 7 of 12 bytes are there\"]\n}\n");
    static const struct {
        const char *place;
        bool past;
    } edges[] = {{"1020,510", false}, {"1021,510", true}, {"1020,511", true}};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        char text[200];
        snprintf(text, sizeof text, "image 0 size=4x2 place=%s\n%s", edges[i].place, strchr(three_lines, '\n') + 1);
        tree_write(&doc, "header", text);
        ANM_AUTO(anm_freep) char *info = tree_text(doc, ".anmfs/info.json");
        ck_assert_int_eq(strstr(info, "image 0 reaches past the edge of VRAM") != NULL, edges[i].past);
    }
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
    tim_build(&bytes, 0, 2);
    anm_buf_puts(&bytes, "end");
    ANM_AUTO(anm_doc_clean) struct anm_doc *tailed = psx_build_decode(&bytes);
    SAYS(tailed, "\"width\":\t16", "\"3 bytes after the end\"");
}
END_TEST

/* --- every allocation fails in turn --- */

static void writes_without_memory(const struct anm_doc *doc, const char *path, const char *text)
{
    unsigned n = 0;
    do {
        struct anm_error err = {0};
        fail_alloc_at(++n);
        struct anm_doc *edited = anm_tree_write(doc, path, text, strlen(text), &err);
        fail_alloc_off();
        ck_assert_msg(fail_alloc_hit() ? edited || err.reason == ANM_NOMEM : edited != NULL, "%s at %u: %s", path, n,
                      err.text);
        anm_doc_unref(edited);
        ck_assert_uint_lt(n, 1000);
    } while (fail_alloc_hit());
    ck_assert_uint_gt(n, 3);
}

static void tells_without_memory(const struct anm_doc *doc)
{
    struct anm_error err;
    struct anm_ref ref;
    unsigned n = 0;
    cJSON_Hooks hooks = {malloc, free}; /* the library's own malloc is out of reach */
    ck_assert_int_eq(anm_tree_find(doc, ".anmfs/info.json", &ref, &err), 0);
    cJSON_InitHooks(&hooks);
    do {
        ANM_AUTO(anm_buf_free) struct anm_buf out = {0};
        fail_alloc_at(++n);
        int failed = anm_tree_render(doc, &ref, &out, &err);
        fail_alloc_off();
        ck_assert(failed ? fail_alloc_hit() && err.reason == ANM_NOMEM : !fail_alloc_hit());
        ck_assert_uint_lt(n, 2000);
    } while (fail_alloc_hit());
    cJSON_InitHooks(NULL);
    ck_assert_uint_gt(n, 10);
}

START_TEST(without_memory)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = full(3), *old = full(1), *tsq = tsq_build(1), *tim = three_images();
    writes_without_memory(doc, "format", "psx 0 lossy\n");
    writes_without_memory(old, "format", "psx 3 lossy\n");
    writes_without_memory(tsq, "format", "tsq 0 lossy\n");
    writes_without_memory(doc, "header", "depth 8\nlayout fixed\n");
    writes_without_memory(
        tim, "header",
        "image 0 size=2x4 place=1,2\nimage 1 size=6x1 place=0,0\nimage 2 place=0,0 size=1x3\ntail 0102\n");
    tells_without_memory(doc);
    tells_without_memory(tsq);
    tells_without_memory(tim);
}
END_TEST

static void version_cases(Suite *suite)
{
    TCase *tests = tcase_create("versions");
    tcase_add_loop_test(tests, between_all_versions, 0, 16);
    tcase_add_loop_test(tests, nothing_to_lose, 0, 4);
    tcase_add_test(tests, sequence_versions);
    tcase_add_test(tests, formats_are_refused);
    suite_add_tcase(suite, tests);
}

void psx_head_cases(Suite *suite)
{
    version_cases(suite);
    TCase *tests = tcase_create("headers");
    tcase_add_test(tests, headers_by_version);
    tcase_add_test(tests, headers_are_refused);
    tcase_add_test(tests, forced_headers);
    tcase_add_test(tests, layouts);
    tcase_add_test(tests, image_lines);
    tcase_add_test(tests, image_lines_are_refused);
    tcase_add_test(tests, image_formats);
    tcase_add_test(tests, no_pixels);
    tcase_add_test(tests, animation_info);
    tcase_add_test(tests, sprite_warnings);
    tcase_add_test(tests, sequence_info);
    tcase_add_test(tests, image_info);
    tcase_add_test(tests, without_memory);
    suite_add_tcase(suite, tests);
}
