/* SPDX-License-Identifier: MIT */
/* NIFF files as trees. After every edit a walker that knows nothing of the codec looks at the whole file. */
#include "anm/niff.h"

#include "anm/given.h"
#include "fail_alloc.h"
#include "niff_build.h"
#include "tree_help.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TAIL 9 /* bytes behind the last list of "everything" */

static struct anm_doc *load(const struct anm_buf *file)
{
    struct anm_error err = {0};
    struct anm_doc *doc = anm_doc_decode(file->data, file->size, NULL, &err);
    ck_assert_msg(doc != NULL, "%s", err.text);
    return doc;
}

static struct anm_doc *everything(unsigned major)
{
    ANM_AUTO(anm_buf_free) struct anm_buf file = {0};
    nif_everything(&file, major);
    return load(&file);
}

static struct anm_doc *ordinary(unsigned major)
{
    ANM_AUTO(anm_buf_free) struct anm_buf file = {0};
    nif_ordinary(&file, major);
    return load(&file);
}

/* The file's bytes, which agree. */
static void bytes_of(const struct anm_doc *doc, struct anm_buf *out)
{
    struct anm_error err;
    char why[200];
    const struct niff_doc *niff = niff_const(doc);
    ck_assert_int_eq(anm_doc_encode(doc, out, &err), 0);
    ck_assert_msg(nif_walk_ok(out->data, out->size, niff->tail ? niff->tail->size : 0, why), "%s", why);
}

static void agrees(const struct anm_doc *doc)
{
    ANM_AUTO(anm_buf_free) struct anm_buf out = {0};
    bytes_of(doc, &out);
}

/* How many bytes differ, of files of one length. */
static size_t differences(const struct anm_doc *a, const struct anm_doc *b)
{
    ANM_AUTO(anm_buf_free) struct anm_buf one = {0}, two = {0};
    size_t count = 0;
    bytes_of(a, &one);
    bytes_of(b, &two);
    ck_assert_uint_eq(one.size, two.size);
    for (size_t i = 0; i < one.size; i++)
        count += one.data[i] != two.data[i];
    return count;
}

/* --- what is shown --- */

START_TEST(texts)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = everything(2);
    tree_lists(doc, "", "format header frames bones ");
    tree_lists(doc, "frames", "000 001 002 003 005 006 010 020 030 040 ");
    tree_lists(doc, "bones",
               "body_anim turret_anim wheel_anim sign const group-5 twice twice~2 shared mixed channels constraints "
               "outside both extended ");
    tree_lists(doc, "bones/body_anim", "group keys ");
    tree_is(doc, "format", "niff 2.0\n");
    tree_is(doc, "header", "creator 2\ntool 1\ntail 6c656674206f766572\n");
    tree_is(doc, "bones/body_anim/group",
            "type static\nframe_rate 0\nloop endless\nrotation_order xyz\nuser obj body\n");
    tree_is(doc, "bones/body_anim/keys", "0 translate 1 2 3\n0 rotate 0.5 -0 3\n0 scale 1 1 1\n");
    tree_is(doc, "bones/extended/group",
            "type static\nframe_rate 0\nloop 3\nrotation_order zyx\nheader_size 196\nuser obj obj-7\nuser switch 0\n");
    tree_is(doc, "bones/sign/keys", "0 lookat obj eye\n0 upper obj top\n");
    tree_is(doc, "bones/const/keys",
            "0 raw 0x000c0102 7768617420746869732069732c206e6f626f6479\n1 raw 0x000c0102 73617973\n");
    tree_is(doc, "bones/constraints/group",
            "type static\nframe_rate 0\nloop endless\nrotation_order xyz\norientation obj body\n"
            "direction chain_root chain\nupvector joint foot\npreferred_axis effector toe\nposition obj wheel\n"
            "unique_scale obj turret__\nclassical_scale joint knee\nuser joint knee\n");
    tree_lacks(doc, "frames/4", ANM_NAME);
    tree_lacks(doc, "frames/004", ANM_NOENT);
    tree_lacks(doc, "bones/Body_anim", ANM_NOENT);
}
END_TEST

static void write_back(const struct anm_doc *doc, const char *path, const struct anm_ref *ref, void *arg)
{
    struct anm_error err = {0};
    ANM_AUTO(anm_buf_free) struct anm_buf out = {0};
    (void)arg;
    ck_assert_int_eq(anm_tree_render(doc, ref, &out, &err), 0);
    if (!anm_ref_writable(ref))
        return;
    ANM_AUTO(anm_doc_clean) struct anm_doc *same = anm_tree_write(doc, path, out.data, out.size, &err);
    ck_assert_msg(same == doc, "%s: %u:%u: %s", path, err.line, err.column, same ? "changed" : err.text);
}

START_TEST(what_is_there_changes_nothing)
{
    for (unsigned major = 1; major <= 2; major++) {
        ANM_AUTO(anm_doc_clean) struct anm_doc *doc = everything(major);
        tree_walk(doc, "", ANM_LIST_HIDDEN | ANM_LIST_RAW, write_back, NULL);
    }
    /* Read anew, these groups would have other names. */
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = everything(2);
    tree_remove(&doc, "bones/twice/keys");
    tree_remove(&doc, "bones/twice");
    tree_remove(&doc, "bones/body_anim/keys");
    tree_remove(&doc, "bones/body_anim");
    tree_walk(doc, "", ANM_LIST_HIDDEN | ANM_LIST_RAW, write_back, NULL);
}
END_TEST

START_TEST(random_files_change_nothing)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        ANM_AUTO(anm_buf_free) struct anm_buf file = {0};
        nif_random(&file, seed);
        ANM_AUTO(anm_doc_clean) struct anm_doc *doc = load(&file);
        tree_walk(doc, "", ANM_LIST_HIDDEN | ANM_LIST_RAW, write_back, NULL);
    }
}
END_TEST

START_TEST(degrees)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *plain = everything(2);
    ANM_AUTO(anm_given_clean) struct anm_given *given = anm_given_new(60, true);
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = anm_doc_with(plain, given);
    tree_is(doc, "bones/body_anim/keys", "0 translate 1 2 3\n0 rotate 28.64789deg -0deg 171.88734deg\n0 scale 1 1 1\n");
    tree_walk(doc, "", ANM_LIST_HIDDEN, write_back, NULL);
    tree_write(&doc, "bones/body_anim/keys", "0 translate 1 2 3\n0 rotate 90deg 0.5 0deg\n0 scale 1 1 1\n");
    ANM_AUTO(anm_given_clean) struct anm_given *radians = anm_given_new(60, false);
    ANM_AUTO(anm_doc_clean) struct anm_doc *again = anm_doc_with(doc, radians);
    tree_is(again, "bones/body_anim/keys", "0 translate 1 2 3\n0 rotate 1.5707964 0.5 0\n0 scale 1 1 1\n");
}
END_TEST

/* --- keys --- */

START_TEST(one_value)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *before = ordinary(1), *doc = anm_doc_ref(before);
    ANM_AUTO(anm_freep) char *text = tree_text(doc, "frames/001/keys");
    ck_assert_ptr_nonnull(strstr(text, "turret_anim translate 0 0.2 0\n"));
    strstr(text, "0.2")[2] = '9';
    tree_write(&doc, "frames/001/keys", text);
    ck_assert_uint_le(differences(before, doc), 4);
    ck_assert_uint_ge(differences(before, doc), 1);
    tree_is(doc, "frames/001/keys", text);
}
END_TEST

START_TEST(keys_come_and_go)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = everything(2);
    ANM_AUTO(anm_freep) char *old = tree_text(doc, "bones/turret_anim/keys");
    ANM_AUTO(anm_buf_free) struct anm_buf text = {0};
    anm_buf_puts(&text, old);
    anm_buf_puts(&text, "4 scale 1 1 1\n4 translate 9 8 7\n4 rotate 0 0 0\n");
    tree_write(&doc, "bones/turret_anim/keys", anm_buf_cstr(&text));
    agrees(doc);
    tree_is(doc, "frames/004/keys", "turret_anim translate 9 8 7\nturret_anim rotate 0 0 0\nturret_anim scale 1 1 1\n");
    tree_write(&doc, "bones/turret_anim/keys", old);
    agrees(doc);
    ANM_AUTO(anm_doc_clean) struct anm_doc *was = everything(2);
    tree_same_bytes(doc, was);
    tree_lacks(doc, "frames/004", ANM_NOENT);
    /* next_key follows, and so do flags of channels. */
    tree_mkdir(&doc, "frames/015");
    tree_write(
        &doc, "frames/015/keys",
        "wheel_anim interpolation slow\nwheel_anim translate 1 1 1\nwheel_anim rotate 0 0 0\nwheel_anim scale 2 2 2\n"
        "both rotate_x hermite 0.5 slope 0.01\n");
    agrees(doc);
    tree_is(
        doc, "frames/015/keys",
        "wheel_anim translate 1 1 1\nwheel_anim rotate 0 0 0\nwheel_anim scale 2 2 2\nwheel_anim interpolation slow\n"
        "both rotate_x hermite 0.5 slope 0.01\n");
    ANM_AUTO(anm_freep) char *group = tree_text(doc, "bones/both/group");
    ck_assert_ptr_nonnull(strstr(group, "\nchannels rotate_x\n"));
    tree_remove(&doc, "frames/015/keys");
    agrees(doc);
    tree_lists(doc, "frames/015", "keys "); /* emptied by itself it stays */
    tree_remove(&doc, "frames/015");
    tree_same_bytes(doc, was);
}
END_TEST

/* Of the shortest kind there is. */
START_TEST(raw_key_without_bytes)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = everything(2);
    tree_write(&doc, "bones/const/keys", "0 raw 0x000c0102\n");
    tree_is(doc, "bones/const/keys", "0 raw 0x000c0102\n");
    agrees(doc);
    tree_reloads(doc);
}
END_TEST

START_TEST(keys_are_refused)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = everything(2), *one = everything(1);
    static const char whole[] = "0 translate 0 0 0\n0 rotate 0 0 0\n0 scale 1 1 1\n";
    tree_refuses_at(doc, "bones/body_anim/keys", "0 translate 0 0 0\n0 scale 1 1 1\n", 1, 3, "rotate is missing");
    tree_refuses_at(doc, "bones/wheel_anim/keys", whole, 1, 3, "interpolation is missing");
    tree_refuses_at(doc, "bones/body_anim/keys", "0 translate 0 0\n", 1, 16, "three numbers");
    tree_refuses_at(doc, "bones/body_anim/keys", "0 trnslate 0 0 0\n", 1, 3, "the nearest is translate");
    tree_refuses_at(doc, "bones/body_anim/keys", "0 rotate 0 1,5 0\n", 1, 12, "'.'");
    tree_refuses_at(doc, "bones/body_anim/keys", "x rotate 0 1 0\n", 1, 1, "frame number");
    tree_refuses_at(doc, "bones/body_anim/keys", "0 interpolation linear\n", 1, 3, "not in an Anim");
    tree_refuses_at(doc, "bones/body_anim/keys", "0 rotate 0 0 0\n\n0 rotate 1 1 1\n", 3, 3, "stands in line 1");
    tree_refuses(doc, "bones/turret_anim/keys", "1 translate 0 0 0\n1 rotate 0 0 0\n1 scale 1 1 1\n", ANM_TEXT,
                 "without a gap");
    tree_refuses_remove(doc, "frames/001/keys", ANM_TEXT, "without a gap");
    tree_refuses_rename(doc, "frames/003", "frames/007", ANM_TEXT, "without a gap");
    tree_refuses_at(doc, "frames/000/keys", "nobody translate 0 0 0\n", 1, 1, "there is no group nobody");
    tree_refuses_at(doc, "bones/both/keys", "0 rotate_x sine 1\n", 1, 12, "hermite");
    tree_refuses_at(doc, "bones/both/keys", "0 rotate_x const 1 2\n", 1, 20, "slope");
    tree_refuses_at(doc, "bones/both/keys", "0 rotate_x const 1 slope\n", 1, 25, "rotate_x");
    tree_refuses_at(one, "bones/both/keys", "0 rotate_x const 1\n", 1, 3, "NIFF 2.0");
    tree_refuses_at(doc, "bones/sign/keys", "0 lookat obj nobody\n0 upper obj top\n", 1, 14, "there is no obj nobody");
    tree_refuses_at(doc, "bones/const/keys", "0 raw 0x000c0102 123\n", 1, 18, "hex");
}
END_TEST

START_TEST(frames)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = ordinary(1);
    tree_mkdir(&doc, "frames/200");
    tree_lists(doc, "frames/200", "keys ");
    tree_is(doc, "frames/200/keys", "");
    tree_rename(&doc, "frames/200", "frames/300");
    tree_lacks(doc, "frames/200", ANM_NOENT);
    tree_remove(&doc, "frames/300");
    ANM_AUTO(anm_doc_clean) struct anm_doc *was = ordinary(1);
    tree_same_bytes(doc, was);
    tree_rename(&doc, "frames/014", "frames/011");
    agrees(doc);
    ANM_AUTO(anm_freep) char *text = tree_text(doc, "bones/wheel_anim/keys");
    ck_assert_ptr_nonnull(strstr(text, "\n11 translate "));
    ck_assert_ptr_null(strstr(text, "\n14 translate "));
    tree_refuses_rename(doc, "frames/011", "frames/015", ANM_NOTEMPTY, "not replaced");
    tree_refuses_mkdir(doc, "frames/7", ANM_NAME, "007");
}
END_TEST

/* --- groups --- */

/* The animation that a node's link leads to, by name: "" for none. */
static void link_name(const struct anm_buf *file, size_t record, size_t word, struct anm_buf *out)
{
    uint32_t link = nif_get(file, record + 4 * word);
    if (link < nif_count(file, NIF_ANIM)) {
        uint32_t name = nif_get(file, nif_record_at(file, NIF_ANIM, link) + 16);
        if (name != 0xffffffff)
            nif_name_of(file, name, out);
        else
            anm_buf_puts(out, "(unnamed)");
    } else {
        anm_buf_puts(out, link == 0xffffffff ? "" : "(switch)");
    }
}

START_TEST(a_group_goes)
{
    static const struct {
        enum nif_list list;
        size_t word;
    } links[] = {{NIF_OBJ, 18}, {NIF_CHAIN_ROOT, 7}, {NIF_JOINT, 13}, {NIF_EFFECTOR, 7}};
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = everything(2);
    ANM_AUTO(anm_buf_free) struct anm_buf before = {0}, after = {0};
    unsigned kept = 0, lost = 0;
    bytes_of(doc, &before);
    tree_refuses_remove(doc, "bones/turret_anim", ANM_NOTEMPTY, "keys");
    tree_remove(&doc, "bones/turret_anim/keys");
    tree_remove(&doc, "bones/turret_anim");
    bytes_of(doc, &after);
    for (size_t k = 0; k < sizeof links / sizeof *links; k++)
        for (uint32_t i = 0; i < nif_count(&before, links[k].list); i++) {
            ANM_AUTO(anm_buf_free) struct anm_buf was = {0}, is = {0};
            link_name(&before, nif_record_at(&before, links[k].list, i), links[k].word, &was);
            link_name(&after, nif_record_at(&after, links[k].list, i), links[k].word, &is);
            const char *old = anm_buf_cstr(&was), *new = anm_buf_cstr(&is);
            bool gone = strcmp(old, "turret_anim") == 0;
            ck_assert_str_eq(new, gone ? "" : old);
            kept += !gone && *old;
            lost += gone;
        }
    ck_assert_uint_ge(kept, 5);
    ck_assert_uint_eq(lost, 1);
    ck_assert_uint_eq(nif_count(&after, NIF_ANIM), NIF_READY - 1);
}
END_TEST

START_TEST(a_group_comes)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = everything(2);
    tree_mkdir(&doc, "bones/smoke");
    agrees(doc);
    tree_is(doc, "bones/smoke/group", "type static\nframe_rate 2\nloop endless\nrotation_order xyz\n");
    tree_is(doc, "bones/smoke/keys", "");
    tree_write(&doc, "bones/smoke/group",
               "type key\nframe_rate 1\nloop 5\nrotation_order yzx\nupvector joint knee\nuser obj body\n");
    agrees(doc);
    ANM_AUTO(anm_freep) char *text = tree_text(doc, "bones/body_anim/group");
    ck_assert_ptr_null(strstr(text, "user")); /* a node has one animation */
    tree_write(&doc, "bones/smoke/keys",
               "4 translate 0 0 0\n4 rotate 0 0 0\n4 scale 1 1 1\n4 interpolation linear\n4 translation const 1 2 3\n");
    agrees(doc);
    tree_reloads(doc);
    tree_refuses_mkdir(doc, "bones/b%20c", ANM_NAME, "ASCII without blanks");
    tree_refuses_mkdir(doc, "bones/new~2", ANM_NAME, "numbered 2, 3");
    tree_mkdir(&doc, "bones/twice~3");
    agrees(doc);
}
END_TEST

START_TEST(empty_files_get_groups)
{
    for (unsigned major = 1; major <= 2; major++) {
        ANM_AUTO(anm_buf_free) struct anm_buf file = {0};
        nif_empty(&file, major);
        ANM_AUTO(anm_doc_clean) struct anm_doc *doc = load(&file);
        tree_mkdir(&doc, "bones/first");
        tree_write(&doc, "bones/first/keys", "0 translate 0 0 0\n0 rotate 0 0 0\n0 scale 1 1 1\n");
        agrees(doc);
        tree_reloads(doc);
    }
}
END_TEST

START_TEST(names)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = everything(2);
    ANM_AUTO(anm_buf_free) struct anm_buf before = {0}, grown = {0}, split = {0};
    bytes_of(doc, &before);
    tree_rename(&doc, "bones/turret_anim", "bones/a_much_longer_name_than_before");
    bytes_of(doc, &grown);
    ck_assert_uint_eq(nif_count(&grown, NIF_NAME), nif_count(&before, NIF_NAME)); /* the record grew */
    tree_lists(doc, "bones/a_much_longer_name_than_before", "group keys ");
    tree_lacks(doc, "bones/turret_anim", ANM_NOENT);
    tree_rename(&doc, "bones/shared", "bones/mine"); /* obj "shared" keeps its name */
    bytes_of(doc, &split);
    ck_assert_uint_eq(nif_count(&split, NIF_NAME), nif_count(&before, NIF_NAME) + 1);
    tree_is(doc, "bones/mine/group", "type static\nframe_rate 0\nloop endless\nrotation_order xyz\nuser obj shared\n");
    tree_rename(&doc, "bones/group-5", "bones/named");
    agrees(doc);
    tree_refuses_rename(doc, "bones/mine", "bones/sign", ANM_NOTEMPTY, "not replaced");
    tree_rename(&doc, "bones/a_much_longer_name_than_before", "bones/turret_anim");
    ANM_AUTO(anm_buf_free) struct anm_buf back = {0};
    bytes_of(doc, &back);
    ck_assert_uint_ge(back.size, before.size);
}
END_TEST

/* A list of `count` records, each of them with its number where others have the number of their name. */
static void numbered_list(struct anm_buf *out, uint32_t tag, uint32_t counts, uint32_t count)
{
    uint32_t header = 20 + 4 * counts + 4 * count;
    const uint32_t head[] = {tag, header, header + 20 * count, count};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        anm_buf_u32be(out, head[i]);
    for (uint32_t i = 0; i <= counts; i++)
        anm_buf_u32be(out, 0);
    for (uint32_t i = 0; i < count; i++)
        anm_buf_u32be(out, 20);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t record[] = {tag + 0x100, i, 20, 20, i};
        for (size_t word = 0; word < sizeof record / sizeof *record; word++)
            anm_buf_u32be(out, record[word]);
    }
}

/* A word that happens to be the number of a name, or of the next one, refers to none where records have no names. */
START_TEST(nameless_records_use_no_name)
{
    static const struct {
        const char *path;
        uint32_t tag, counts;
    } lists[] = {{"raw/lists/color.bin", 0x00050000, 2},
                 {"raw/lists/vector.bin", 0x00060000, 2},
                 {"raw/lists/st.bin", 0x00070000, 1},
                 {"raw/lists/tex_img.bin", 0x00120000, 1}};
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = everything(2);
    ANM_AUTO(anm_buf_free) struct anm_buf before = {0}, after = {0}, list = {0};
    bytes_of(doc, &before);
    uint32_t count = nif_count(&before, NIF_NAME);
    numbered_list(&list, lists[_i].tag, lists[_i].counts, count + 1);
    tree_write_bytes(&doc, lists[_i].path, list.data, list.size);
    tree_rename(&doc, "bones/turret_anim", "bones/grown"); /* its own name: no new one is needed */
    bytes_of(doc, &after);
    ck_assert_uint_eq(nif_count(&after, NIF_NAME), count);
    tree_rename(&doc, "bones/shared", "bones/mine"); /* a new one, which nothing waits for */
}
END_TEST

START_TEST(groups_are_refused)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = everything(2), *one = everything(1);
#define HEAD "type static\nframe_rate 0\nloop endless\nrotation_order xyz\n"
    tree_refuses(doc, "bones/body_anim/group", "type static\nframe_rate 1\nloop endless\n", ANM_TEXT, "rotation_order");
    tree_refuses_at(doc, "bones/body_anim/group", HEAD "loop 4\n", 5, 1, "a second line loop");
    tree_refuses_at(doc, "bones/body_anim/group", HEAD "colour 4\n", 5, 1, "expected type");
    tree_refuses_at(doc, "bones/body_anim/group", "type statik\n", 1, 6, "billboard_obj");
    tree_refuses_at(doc, "bones/body_anim/group", "type static\nframe_rate -1\n", 2, 12, "frame_rate");
    tree_refuses_at(doc, "bones/body_anim/group", "loop forever\n", 1, 6, "endless");
    tree_refuses_at(doc, "bones/body_anim/group", "rotation_order xxy\n", 1, 16, "zyx");
    tree_refuses_at(doc, "bones/body_anim/group", HEAD "user obj bodi\n", 5, 10, "the nearest is body");
    tree_refuses_at(doc, "bones/body_anim/group", HEAD "user switch 0\n", 5, 13, "not changed here");
    tree_refuses(doc, "bones/extended/group", HEAD, ANM_TEXT, "user switch");
    tree_refuses_at(doc, "bones/body_anim/group", HEAD "flags 0x00000001\n", 5, 7, "have names");
    tree_refuses_at(doc, "bones/body_anim/group", HEAD "channels rotate_w\n", 5, 10, "rotate_axis");
    tree_refuses_at(one, "bones/body_anim/group", HEAD "upvector obj body\n", 5, 1, "NIFF 2.0");
    tree_refuses(doc, "bones/turret_anim/group", HEAD, ANM_TEXT, "of type static has one");
    tree_refuses(doc, "bones/sign/group", "type key\nframe_rate 0\nloop endless\nrotation_order xyz\nuser switch 0\n",
                 ANM_TEXT, "none of type key");
#undef HEAD
}
END_TEST

START_TEST(types)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = everything(2), *was = anm_doc_ref(doc);
    ANM_AUTO(anm_freep) char *keys = tree_text(doc, "bones/turret_anim/keys");
    tree_write(&doc, "bones/turret_anim/group",
               "type key\nframe_rate 2\nloop endless\nrotation_order xyz\nuser obj turret__\n");
    agrees(doc);
    ANM_AUTO(anm_freep) char *more = tree_text(doc, "bones/turret_anim/keys");
    ck_assert_ptr_nonnull(strstr(more, "3 interpolation linear\n"));
    tree_write(&doc, "bones/turret_anim/group",
               "type full\nframe_rate 2\nloop endless\nrotation_order xyz\nuser obj turret__\n");
    tree_is(doc, "bones/turret_anim/keys", keys);
    tree_same_bytes(doc, was);
    tree_refuses(doc, "bones/wheel_anim/group",
                 "type full\nframe_rate 1\nloop endless\nrotation_order xyz\nuser obj wheel\n", ANM_TEXT, "not linear");
}
END_TEST

/* --- versions --- */

START_TEST(there_and_back)
{
    ANM_AUTO(anm_buf_free) struct anm_buf file = {0};
    nif_ordinary(&file, 1);
    ANM_AUTO(anm_doc_clean) struct anm_doc *was = load(&file), *doc = load(&file);
    tree_write(&doc, "format", "niff 2.0\n");
    agrees(doc);
    tree_is(doc, "format", "niff 2.0\n");
    ck_assert(niff_is_2(niff_const(doc)));
    tree_write(&doc, "bones/wheel_anim/group",
               "type key\nframe_rate 1\nloop endless\nrotation_order xyz\nupvector obj body\nuser obj wheel\n");
    agrees(doc);
    tree_refuses(doc, "format", "niff 1.0\n", ANM_LOSS, "1 constraints of 1 groups");
    tree_write(&doc, "bones/wheel_anim/group",
               "type key\nframe_rate 1\nloop endless\nrotation_order xyz\nuser obj wheel\n");
    tree_write(&doc, "format", "niff 1.0\n");
    tree_same_bytes(doc, was);
    tree_refuses_at(doc, "format", "niff 3.0\n", 1, 6, "1.0 or 2.0");
    tree_refuses_at(doc, "format", "gem 6.0\n", 1, 1, "within its family");
}
END_TEST

START_TEST(losses)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = everything(2);
    tree_refuses(doc, "format", "niff 1.0\n", ANM_LOSS, "channel keys of 1 groups");
    tree_refuses(doc, "format", "niff 1.0\n", ANM_LOSS, "15 constraints of 3 groups");
    tree_refuses(doc, "format", "niff 1.0\n", ANM_LOSS, "JointList with 2 records");
    tree_write(&doc, "format", "niff 1.0 lossy\n");
    agrees(doc);
    tree_is(doc, "bones/channels/keys", "");
    tree_is(doc, "bones/body_anim/keys", "0 translate 1 2 3\n0 rotate 0.5 -0 3\n0 scale 1 1 1\n");
}
END_TEST

/* --- raw --- */

START_TEST(raw_files)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = everything(2);
    tree_lists(doc, "raw", "lists bones extension ");
    ANM_AUTO(anm_buf_free) struct anm_buf list = {0}, record = {0};
    struct anm_error err;
    struct anm_ref ref;
    ck_assert_int_eq(anm_tree_find(doc, "raw/lists/name.bin", &ref, &err), 0);
    ck_assert_int_eq(anm_tree_render(doc, &ref, &list, &err), 0);
    ck_assert_int_eq(anm_tree_find(doc, "raw/bones/body_anim.bin", &ref, &err), 0);
    ck_assert_int_eq(anm_tree_render(doc, &ref, &record, &err), 0);
    nif_set(&record, 24, 30); /* frame_rate */
    tree_write_bytes(&doc, "raw/bones/body_anim.bin", record.data, record.size);
    tree_is(doc, "bones/body_anim/group",
            "type static\nframe_rate 30\nloop endless\nrotation_order xyz\nuser obj body\n");
    tree_refuses(doc, "raw/bones/body_anim.bin", "too short to be one.", ANM_FORMAT, "AnimGroup");
    tree_refuses(doc, "raw/lists/name.bin", "short", ANM_FORMAT, "expected a NameList");
    nif_set(&list, 24, 12);
    ANM_AUTO(anm_doc_clean)
    struct anm_doc *bad = anm_tree_write(doc, "raw/lists/name.bin", list.data, list.size, &err);
    ck_assert_ptr_null(bad);
    ck_assert_ptr_nonnull(strstr(err.text, "NameList, record 0"));
    tree_write_bytes(&doc, "raw/extension/file-user.bin", "userdata", 8);
    tree_write_bytes(&doc, "raw/extension/anim-nintendo.bin", "nint", 4);
    tree_write_bytes(&doc, "raw/extension/user/body_anim.bin", "mine", 4);
    agrees(doc);
    tree_is(doc, "raw/extension/file-user.bin", "userdata");
    tree_is(doc, "raw/extension/anim-nintendo.bin", "nint");
    tree_is(doc, "raw/extension/user/body_anim.bin", "mine");
}
END_TEST

/* --- out of memory --- */

static void fails_all_the_way(const char *path, const char *text)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = everything(2);
    ANM_AUTO(anm_buf_free) struct anm_buf before = {0};
    bytes_of(doc, &before);
    for (unsigned n = 1; n == 1 || fail_alloc_hit(); n++) {
        struct anm_error err = {0};
        ANM_AUTO(anm_buf_free) struct anm_buf after = {0};
        ANM_AUTO(anm_doc_clean) struct anm_doc *fresh = load(&before);
        fail_alloc_at(n);
        ANM_AUTO(anm_doc_clean)
        struct anm_doc *edited =
            text ? anm_tree_write(fresh, path, text, strlen(text), &err) : anm_tree_mkdir(fresh, path, &err);
        fail_alloc_off();
        ck_assert_msg(!fail_alloc_hit() || edited || err.reason == ANM_NOMEM || err.reason == ANM_TEXT, "%s at %u: %s",
                      path, n, err.text);
        bytes_of(fresh, &after);
        ck_assert(after.size == before.size && memcmp(after.data, before.data, after.size) == 0);
    }
}

START_TEST(allocations_fail)
{
    fails_all_the_way("bones/smoke", NULL);
    fails_all_the_way("frames/700", NULL);
    fails_all_the_way("format", "niff 1.0 lossy\n");
    fails_all_the_way("header", "creator 1\ntool 2\ntail 00\n");
    fails_all_the_way("frames/015/keys", "both rotate_x hermite 0.5 slope 0.01\nbody_anim translation const 1 2 3\n");
    fails_all_the_way(
        "bones/turret_anim/group",
        "type key\nframe_rate 2\nloop endless\nrotation_order xyz\nupvector none external a.nif b\nuser obj body\n");
    fails_all_the_way("raw/extension/user/body_anim.bin", "mine");
}
END_TEST

/* --- the manual --- */

START_TEST(the_manual_has_every_field)
{
    FILE *file = fopen("man/anmfs.5", "r");
    ANM_AUTO(anm_buf_free) struct anm_buf manual = {0};
    char line[400];
    ck_assert_ptr_nonnull(file);
    for (int c; (c = getc(file)) != EOF;)
        anm_buf_putc(&manual, (char)c);
    fclose(file);
    const char *text = anm_buf_cstr(&manual);
    for (unsigned i = 0; i < NIFF_FIELDS + NIFF_CHANNELS; i++) {
        const char *name = i < NIFF_FIELDS ? niff_fields[i].name : niff_channels[i - NIFF_FIELDS].name;
        const char *meaning = i < NIFF_FIELDS ? niff_fields[i].meaning : niff_channels[i - NIFF_FIELDS].meaning;
        snprintf(line, sizeof line, ".It Cm %s\n%s.\n", name, meaning);
        ck_assert_msg(strstr(text, line) != NULL, "not in man/anmfs.5: %s", line);
    }
}
END_TEST

/* --- known answers of the samples --- */

static struct anm_doc *sample(const char *name)
{
    char path[4096];
    const char *root = getenv("ANM_SAMPLES");
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
    snprintf(path, sizeof path, "%s/niff/%s", root ? root : "", name);
    FILE *file = root ? fopen(path, "rb") : NULL;
    if (!file)
        return NULL;
    for (int c; (c = getc(file)) != EOF;)
        anm_buf_putc(&bytes, (char)c);
    fclose(file);
    return load(&bytes);
}

START_TEST(known_answers)
{
    ANM_AUTO(anm_doc_clean)
    struct anm_doc *pump = sample("pump.nif"), *hedra = sample("3hedra.niff"), *bird = sample("ClusterBird.niff");
    if (!pump || !hedra || !bird)
        return; /* said by the test of the samples' bytes */
    tree_is(pump, "bones/Animation_for_pumpGroup/group",
            "type full\nframe_rate 2\nloop endless\nrotation_order xyz\nuser obj pumpGroup\n");
    ANM_AUTO(anm_freep) char *keys = tree_text(pump, "bones/Animation_for_pumpfuta_Group/keys");
    ck_assert_ptr_nonnull(strstr(keys, "\n1 translate 0 0.2 0\n"));
    ck_assert_ptr_nonnull(strstr(keys, "\n5 translate 0 1 0\n"));
    ck_assert_ptr_nonnull(strstr(keys, "\n6 translate 0 0.8 0\n"));
    tree_lists(hedra, "frames", "000 014 015 028 029 ");
    ANM_AUTO(anm_freep) char *frame = tree_text(hedra, "frames/028/keys");
    ck_assert_ptr_nonnull(strstr(frame, "hedra_green_Animation rotate 0 -0.216691"));
    ck_assert_ptr_nonnull(strstr(frame, "hedra_blue_Animation rotate 0 0 -0.216691"));
    ck_assert_ptr_nonnull(strstr(frame, "hedra_red_Animation rotate -0.216691"));
    ANM_AUTO(anm_freep) char *info = tree_text(bird, ".anmfs/info.json");
    ck_assert_ptr_nonnull(strstr(info, "\"bones\":\t10"));
    ck_assert_ptr_nonnull(strstr(info, "\"anim\":\t0"));
    tree_walk(bird, "", ANM_LIST_HIDDEN | ANM_LIST_RAW, write_back, NULL);
}
END_TEST

void niff_tree_cases(Suite *suite)
{
    TCase *tests = tcase_create("tree");
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, texts);
    tcase_add_test(tests, what_is_there_changes_nothing);
    tcase_add_test(tests, random_files_change_nothing);
    tcase_add_test(tests, degrees);
    tcase_add_test(tests, one_value);
    tcase_add_test(tests, keys_come_and_go);
    tcase_add_test(tests, raw_key_without_bytes);
    tcase_add_test(tests, keys_are_refused);
    tcase_add_test(tests, frames);
    tcase_add_test(tests, a_group_goes);
    tcase_add_test(tests, a_group_comes);
    tcase_add_test(tests, empty_files_get_groups);
    tcase_add_test(tests, names);
    tcase_add_loop_test(tests, nameless_records_use_no_name, 0, 4);
    tcase_add_test(tests, groups_are_refused);
    tcase_add_test(tests, types);
    tcase_add_test(tests, there_and_back);
    tcase_add_test(tests, losses);
    tcase_add_test(tests, raw_files);
    tcase_add_test(tests, the_manual_has_every_field);
    tcase_add_test(tests, known_answers);
    suite_add_tcase(suite, tests);
    TCase *slow = tcase_create("tree, out of memory");
    tcase_set_timeout(slow, 600);
    tcase_set_tags(slow, "slow");
    tcase_add_test(slow, allocations_fail);
    suite_add_tcase(suite, slow);
}
