/* SPDX-License-Identifier: MIT */
/* Conversion between frame kinds: exact where it can be, every loss named, the first and the last frame whole. */
#include "suites.h"

#include "anm/gem.h"
#include "fail_alloc.h"
#include "gem_build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define V4 0x00040000
#define V6 0x00060000
#define V61 0x00060001

#define HALF 0.70710678f
#define FULL (GEM_POSITION | GEM_ORIENTATION)

static const char *const bones[] = {"a", "b", "c", NULL};
static const float unit_matrix[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 2, 3};

static double number(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void put_head(struct anm_buf *out, uint32_t version, uint32_t length)
{
    gem_build_header(out, version, length);
    gem_build_bmap(out, GEM_STRING32, bones);
}

/* A key with position and orientation. */
static void put_full(struct anm_buf *out, uint8_t bone, uint16_t flags, float x, float y, float z)
{
    gem_build_key(out, bone, flags | FULL);
    gem_build_vector(out, 1, 2, 3);
    gem_build_vector(out, x, y, z);
}

/* A file of one MATR. */
static void put_matrix(struct anm_buf *out, const float matrix[12])
{
    put_head(out, V4, 1);
    gem_build_frmn(out, 0);
    gem_build_bone(out, 0);
    gem_build_matr(out, matrix);
}

/* Converts; the result encodes to a file that comes back. */
static struct gem_doc *convert(const struct gem_doc *doc, uint32_t version, enum gem_kind kind, bool lossy)
{
    struct anm_buf bytes = {0};
    struct anm_error err = {0};
    struct gem_doc *converted = gem_convert(doc, version, kind, lossy, &err);
    ck_assert_msg(converted != NULL, "refused: %s", err.text);
    ck_assert_uint_eq(converted->version, version);
    ck_assert_uint_eq(converted->kind, kind);
    ck_assert_int_eq(gem_check_limits(converted, doc, &err), 0);
    for (uint32_t i = 0; i < converted->frame_count; i++)
        ck_assert_uint_eq(converted->frames[i]->kind, kind);
    gem_build_encode(converted, &bytes);
    anm_doc_unref(&gem_build_decode(&bytes)->doc);
    return converted;
}

static void drop(struct gem_doc *doc)
{
    anm_doc_unref(&doc->doc);
}

/* Decodes the bytes and converts them, lossy. */
static struct gem_doc *convert_bytes(struct anm_buf *bytes, uint32_t version, enum gem_kind kind)
{
    struct gem_doc *doc = gem_build_decode(bytes);
    struct gem_doc *converted = convert(doc, version, kind, true);
    drop(doc);
    return converted;
}

/* To the kind and back without `lossy`: the very bytes. */
static void check_exact(struct anm_buf *bytes, uint32_t version, enum gem_kind kind)
{
    ANM_AUTO(anm_buf_free) struct anm_buf before = {0}, after = {0};
    struct gem_doc *doc = gem_build_decode(bytes);
    struct gem_doc *there = convert(doc, version, kind, false);
    struct gem_doc *back = convert(there, doc->version, (enum gem_kind)doc->kind, false);
    gem_build_encode(doc, &before);
    gem_build_encode(back, &after);
    ck_assert_uint_eq(before.size, after.size);
    ck_assert_mem_eq(before.data, after.data, before.size);
    drop(back);
    drop(there);
    drop(doc);
}

/* Refused with exactly these lines; accepted when lossy. */
static void check_losses(struct anm_buf *bytes, uint32_t version, enum gem_kind kind, const char *lines)
{
    struct anm_error err = {0};
    struct gem_doc *doc = gem_build_decode(bytes);
    ck_assert_ptr_null(gem_convert(doc, version, kind, false, &err));
    ck_assert_int_eq(err.reason, ANM_LOSS);
    ck_assert_str_eq(err.text, lines);
    drop(convert(doc, version, kind, true));
    drop(doc);
}

static void check_limit(struct anm_buf *bytes, uint32_t version, enum gem_kind kind, const char *words)
{
    struct anm_error err = {0};
    struct gem_doc *doc = gem_build_decode(bytes);
    ck_assert_ptr_null(gem_convert(doc, version, kind, true, &err));
    ck_assert_int_eq(err.reason, ANM_LIMIT);
    ck_assert_msg(strstr(err.text, words) != NULL, "found \"%s\", expected \"%s\"", err.text, words);
    drop(doc);
}

/* --- exact conversions --- */

START_TEST(the_same_kind_shares_its_frames)
{
    struct anm_buf bytes = {0};
    put_head(&bytes, V6, 1);
    gem_build_frm2(&bytes, 0, 1);
    gem_build_key(&bytes, 0, 0xff80);
    gem_build_frm2(&bytes, 0, 0);
    struct gem_doc *doc = gem_build_decode(&bytes);
    struct gem_doc *converted = convert(doc, V61, GEM_FRM2, false);
    ck_assert(converted->frames[0] == doc->frames[0] && converted->frames[1] == doc->frames[1]);
    ck_assert(converted->bones == doc->bones);
    drop(converted);
    drop(doc);
}
END_TEST

START_TEST(frm2_and_frm3_are_the_same_keys)
{
    struct anm_buf bytes = {0};
    put_head(&bytes, V61, 66000);
    gem_build_frm2(&bytes, 9, 2);
    gem_build_key(&bytes, 2, 0xffff & ~GEM_SCALE);
    gem_build_vector(&bytes, -0.0f, NAN, INFINITY);
    gem_build_vector(&bytes, 2, 2, 2);
    gem_build_mesh_data(&bytes, "mesh");
    gem_build_key(&bytes, 0, GEM_SHOW | GEM_HIDE);
    gem_build_frm2(&bytes, 3, 0);
    check_exact(&bytes, V61, GEM_FRM3);
}
END_TEST

/* Whole keys need nothing held; orientations come back from their matrices. */
START_TEST(whole_keys_come_back)
{
    struct anm_buf bytes = {0};
    put_head(&bytes, V6, 11);
    for (uint16_t frame = 0; frame <= 10; frame += 5) {
        gem_build_frm2(&bytes, frame, 3);
        put_full(&bytes, 0, GEM_SHOW, 0.1f, -0.2f, 0.3f);
        put_full(&bytes, 1, GEM_HIDE | GEM_MIRRORED, 0.5f, 0.6f, -0.4f);
        put_full(&bytes, 2, GEM_MESH, HALF, 0, 0);
        gem_build_mesh_data(&bytes, "mesh");
    }
    check_exact(&bytes, V4, GEM_FRMN);
    put_head(&bytes, V4, 2);
    gem_build_frmn(&bytes, 0);
    for (uint32_t i = 0; i < 3; i++) {
        gem_build_bone(&bytes, i);
        gem_build_matr(&bytes, unit_matrix);
        gem_build_visi(&bytes, i & 1);
    }
    check_exact(&bytes, V6, GEM_FRM2);
}
END_TEST

/* Keys without any transform are no business of matrices. */
START_TEST(visibility_and_meshes_come_back)
{
    struct anm_buf bytes = {0};
    put_head(&bytes, V6, 3);
    for (uint16_t frame = 0; frame < 3; frame++) {
        gem_build_frm2(&bytes, frame, 3);
        gem_build_key(&bytes, 0, frame & 1 ? GEM_SHOW : GEM_HIDE);
        gem_build_key(&bytes, 1, GEM_MESH);
        gem_build_mesh_data(&bytes, "");
        gem_build_key(&bytes, 2, 0);
    }
    check_exact(&bytes, V4, GEM_FRMN);
}
END_TEST

/* Many orientations: every one comes back to the bit or is counted. */
START_TEST(orientations_mostly_come_back_to_the_bit)
{
    unsigned lost = 0, total = 0;
    uint32_t seed = 1;
    for (int i = 0; i < 2000; i++) {
        float xyz[3], square = 0;
        for (int j = 0; j < 3; j++) {
            seed = seed * 1664525 + 1013904223;
            xyz[j] = (float)((double)(seed >> 8) / (1 << 23) - 1);
            square += xyz[j] * xyz[j];
        }
        if (square > 0.999f)
            continue;
        struct anm_buf bytes = {0};
        put_head(&bytes, V6, 1);
        gem_build_frm2(&bytes, 0, 1);
        put_full(&bytes, 0, 0, xyz[0], xyz[1], xyz[2]);
        struct gem_doc *doc = gem_build_decode(&bytes);
        struct anm_error err = {0};
        struct gem_doc *there = gem_convert(doc, V4, GEM_FRMN, false, &err);
        total++;
        lost += !there;
        if (!there)
            there = convert(doc, V4, GEM_FRMN, true);
        struct gem_doc *back = convert(there, V6, GEM_FRM2, true);
        for (int j = 3; j < 6; j++)
            ck_assert_double_eq_tol(number(back->frames[0]->keys[0].v[j]), xyz[j - 3], 2e-7);
        ck_assert(err.reason == ANM_LOSS || gem_key_equal(&doc->frames[0]->keys[0], &back->frames[0]->keys[0]));
        drop(back);
        drop(there);
        drop(doc);
    }
    ck_assert_uint_gt(total, 500);
    ck_assert_uint_lt(lost, total / 5);
}
END_TEST

/* Near half turns w is small, and floats that leave it from 1 would miss it by 3e-4. */
START_TEST(half_turns_keep_their_digits)
{
    for (int i = 1; i <= 50; i++) {
        const double y = i * 1e-3, w = i * 3e-6, x = sqrt(1 - y * y - w * w);
        double rows[9];
        float matrix[12] = {0};
        gem_rows_from_orientation((const double[3]){x, y, 0}, i & 1, rows);
        for (int j = 0; j < 9; j++)
            matrix[j] = (float)rows[j];
        struct anm_buf bytes = {0};
        put_matrix(&bytes, matrix);
        struct gem_doc *there = convert_bytes(&bytes, V6, GEM_FRM2);
        struct gem_doc *back = convert(there, V4, GEM_FRMN, true);
        for (int j = 0; j < 9; j++)
            ck_assert_double_eq_tol(number(back->frames[0]->keys[0].v[j]), rows[j], y < 0.01 ? 7e-5 : 1e-5);
        drop(back);
        drop(there);
    }
}
END_TEST

/* --- channels to matrices --- */

START_TEST(matrices_have_what_the_key_lacks)
{
    struct anm_buf bytes = {0};
    put_head(&bytes, V6, 31);
    gem_build_frm2(&bytes, 0, 1);
    gem_build_key(&bytes, 0, GEM_ORIENTATION);
    gem_build_vector(&bytes, 0, 0, HALF);
    gem_build_frm2(&bytes, 10, 1);
    gem_build_key(&bytes, 0, GEM_POSITION);
    gem_build_vector(&bytes, 4, 5, 6);
    gem_build_frm2(&bytes, 20, 1);
    gem_build_key(&bytes, 0, GEM_ORIENTATION);
    gem_build_vector(&bytes, 0, 0, 0);
    gem_build_frm2(&bytes, 30, 1);
    gem_build_key(&bytes, 0, GEM_POSITION | GEM_MIRRORED);
    gem_build_vector(&bytes, 7, 8, 9);
    struct gem_doc *doc = convert_bytes(&bytes, V4, GEM_FRMN);
    /* Positions: 0 is before the first, so it has that of frame 10. */
    static const double positions[] = {4, 4, 4, 7}, first[] = {0, 0, 1, 1}, third[] = {1, 1, 1, -1};
    for (int i = 0; i < 4; i++) {
        const struct gem_key *key = &doc->frames[i]->keys[0];
        ck_assert_uint_eq(doc->frames[i]->count, 1);
        ck_assert_uint_eq(key->flags, GEM_MATRIX);
        ck_assert_double_eq(number(key->v[9]), positions[i]);
        ck_assert_double_eq_tol(number(key->v[0]), first[i], 1e-6);
        ck_assert_double_eq_tol(number(key->v[8]), third[i], 1e-6);
    }
    drop(doc);
}
END_TEST

/* What is held is what the frame numbers say, not the order in the file. */
START_TEST(values_are_held_in_order_of_numbers)
{
    struct anm_buf bytes = {0};
    static const uint16_t numbers[] = {20, 0, 10};
    put_head(&bytes, V6, 21);
    for (int i = 0; i < 3; i++) {
        gem_build_frm2(&bytes, numbers[i], 1);
        gem_build_key(&bytes, 0, numbers[i] == 10 ? GEM_ORIENTATION : GEM_POSITION);
        gem_build_vector(&bytes, (float)numbers[i] / 100, 0, 0);
    }
    struct gem_doc *doc = convert_bytes(&bytes, V4, GEM_FRMN);
    ck_assert_uint_eq(doc->frames[0]->number, 20);
    ck_assert_double_eq_tol(number(doc->frames[0]->keys[0].v[9]), 0.2, 1e-6);
    ck_assert_double_eq(number(doc->frames[2]->keys[0].v[9]), 0);
    drop(doc);
}
END_TEST

START_TEST(scale_multiplies_the_rows)
{
    struct anm_buf bytes = {0};
    put_head(&bytes, V6, 2);
    for (uint16_t frame = 0; frame < 2; frame++) {
        gem_build_frm2(&bytes, frame, 1);
        gem_build_key(&bytes, 0, FULL | GEM_SCALE | (frame ? GEM_MIRRORED : 0));
        gem_build_vector(&bytes, 1, 2, 3);
        gem_build_vector(&bytes, 0, 0, HALF);
        gem_build_vector(&bytes, 2, frame ? 4 : 1, 0.5f);
    }
    struct gem_doc *doc = gem_build_decode(&bytes);
    struct gem_doc *matrix = convert(doc, V4, GEM_FRMN, true);
    static const double rows[] = {0, 2, 0, -4, 0, 0, 0, 0, -0.5};
    for (int i = 0; i < 9; i++)
        ck_assert_double_eq_tol(number(matrix->frames[1]->keys[0].v[i]), rows[i], 1e-6);
    struct gem_doc *back = convert(matrix, V6, GEM_FRM2, true);
    for (int i = 0; i < 2; i++) {
        ck_assert_uint_eq(back->frames[i]->keys[0].flags, doc->frames[i]->keys[0].flags);
        for (int j = 0; j < 9; j++)
            ck_assert_double_eq_tol(number(back->frames[i]->keys[0].v[j]), number(doc->frames[i]->keys[0].v[j]), 1e-6);
    }
    drop(back);
    drop(matrix);
    drop(doc);
}
END_TEST

/* A bone that is scaled once says so in each key: a missing channel would mean "as before". */
START_TEST(scale_ends_where_the_matrix_has_none)
{
    struct anm_buf bytes = {0};
    const float twice[12] = {2, 0, 0, 0, 2, 0, 0, 0, 2, 1, 2, 3}, flat[12] = {1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 3};
    const float nothing[12] = {0};
    const float *const matrices[] = {unit_matrix, twice, flat, nothing, unit_matrix};
    static const double second[] = {1, 2, 0, 0, 1};
    put_head(&bytes, V4, 5);
    for (uint32_t i = 0; i < 5; i++) {
        gem_build_frmn(&bytes, i);
        gem_build_bone(&bytes, 0);
        gem_build_matr(&bytes, matrices[i]);
    }
    struct gem_doc *doc = convert_bytes(&bytes, V6, GEM_FRM2);
    for (int i = 0; i < 5; i++) {
        const struct gem_key *key = &doc->frames[i]->keys[0];
        ck_assert_uint_eq(key->flags, FULL | GEM_SCALE);
        ck_assert_double_eq(number(key->v[7]), second[i]);
        for (int j = 3; j < 6; j++)
            ck_assert_double_eq(number(key->v[j]), 0);
    }
    drop(doc);
}
END_TEST

/* What is scaled flat along one axis still has its orientation. */
START_TEST(flat_matrices_come_back)
{
    for (int flat = 0; flat < 3; flat++) {
        struct anm_buf bytes = {0};
        float matrix[12] = {0, 1, 0, -1, 0, 0, 0, 0, 1, 1, 2, 3};
        memset(matrix + 3 * flat, 0, 3 * sizeof matrix[0]);
        put_matrix(&bytes, matrix);
        struct gem_doc *there = convert_bytes(&bytes, V6, GEM_FRM2);
        struct gem_doc *back = convert(there, V4, GEM_FRMN, true);
        ck_assert(!(there->frames[0]->keys[0].flags & GEM_MIRRORED));
        for (int i = 0; i < 9; i++)
            ck_assert_double_eq_tol(number(back->frames[0]->keys[0].v[i]), (double)matrix[i], 1e-6);
        drop(back);
        drop(there);
    }
}
END_TEST

/* --- the first and the last frame --- */

START_TEST(first_and_last_frame_are_whole)
{
    struct anm_buf bytes = {0};
    put_head(&bytes, V4, 3);
    gem_build_frmn(&bytes, 0);
    gem_build_bone(&bytes, 2);
    gem_build_matr(&bytes, unit_matrix);
    gem_build_frmn(&bytes, 1);
    gem_build_bone(&bytes, 0);
    gem_build_matr(&bytes, unit_matrix);
    gem_build_visi(&bytes, 0);
    gem_build_frmn(&bytes, 2);
    gem_build_bone(&bytes, 2);
    gem_build_visi(&bytes, 1);
    struct gem_doc *doc = convert_bytes(&bytes, V6, GEM_FRM2);
    const struct gem_frame *first = doc->frames[0], *last = doc->frames[2];
    /* Bone 1 is keyed nowhere. Added keys stand where the bone map has them. */
    ck_assert_uint_eq(first->count, 2);
    ck_assert(first->keys[0].bone == 0 && first->keys[0].ordinal == 1);
    ck_assert_uint_eq(first->keys[0].flags, FULL | GEM_SHOW);
    ck_assert_double_eq(number(first->keys[0].v[2]), 3);
    ck_assert(first->keys[1].bone == 2 && first->keys[1].flags == (FULL | GEM_SHOW));
    ck_assert_uint_eq(doc->frames[1]->count, 1);
    ck_assert_uint_eq(last->count, 2);
    ck_assert(last->keys[0].bone == 0 && last->keys[0].flags == (FULL | GEM_HIDE));
    ck_assert(last->keys[1].bone == 2 && last->keys[1].flags == (FULL | GEM_SHOW));
    ck_assert_double_eq(number(last->keys[1].v[2]), 3);
    drop(doc);
}
END_TEST

/* Added keys never part a bone's keys, nor disturb the order of the others. */
START_TEST(added_keys_keep_the_order)
{
    struct anm_buf bytes = {0};
    put_head(&bytes, V4, 2);
    gem_build_frmn(&bytes, 0);
    gem_build_bone(&bytes, 2);
    gem_build_visi(&bytes, 1);
    gem_build_visi(&bytes, 0);
    gem_build_bone(&bytes, 0);
    gem_build_visi(&bytes, 1);
    gem_build_frmn(&bytes, 1);
    gem_build_bone(&bytes, 1);
    gem_build_visi(&bytes, 0);
    struct gem_doc *doc = convert_bytes(&bytes, V6, GEM_FRM2);
    static const uint16_t expected[] = {1, 2, 2, 0};
    ck_assert_uint_eq(doc->frames[0]->count, 4);
    for (int i = 0; i < 4; i++)
        ck_assert_uint_eq(doc->frames[0]->keys[i].bone, expected[i]);
    drop(doc);
}
END_TEST

/* Frames of one number are whole together: nothing is added that one of them has. */
START_TEST(frames_of_one_number_are_whole_together)
{
    struct anm_buf bytes = {0};
    put_head(&bytes, V6, 2);
    for (uint16_t frame = 0; frame < 2; frame++)
        for (uint8_t bone = 0; bone < 3; bone++) {
            gem_build_frm2(&bytes, frame, 1);
            put_full(&bytes, bone, 0, 0.5f, 0.5f, 0.5f);
        }
    check_exact(&bytes, V4, GEM_FRMN);
}
END_TEST

/* A key that another frame of the number has is completed there, no second one added. */
START_TEST(keys_are_completed_where_they_stand)
{
    struct anm_buf bytes = {0};
    put_head(&bytes, V4, 2);
    for (uint32_t i = 0; i < 3; i++) {
        gem_build_frmn(&bytes, i / 2);
        gem_build_bone(&bytes, i == 0 ? 0 : 1);
        if (i == 2)
            gem_build_matr(&bytes, unit_matrix);
        else
            gem_build_visi(&bytes, 1);
    }
    struct gem_doc *doc = convert_bytes(&bytes, V6, GEM_FRM2);
    ck_assert(doc->frames[0]->count == 1 && doc->frames[1]->count == 1);
    ck_assert_uint_eq(doc->frames[1]->keys[0].flags, FULL | GEM_SHOW);
    drop(doc);
}
END_TEST

START_TEST(mixed_kinds_become_one)
{
    struct anm_buf bytes = {0};
    put_head(&bytes, V61, 4);
    gem_build_frm2(&bytes, 0, 1);
    put_full(&bytes, 0, 0, 0, 0, 0);
    gem_build_frm2(&bytes, 1, 1);
    put_full(&bytes, 0, 0, 0, HALF, 0);
    gem_build_frmn(&bytes, 2);
    gem_build_bone(&bytes, 0);
    gem_build_matr(&bytes, unit_matrix);
    gem_build_frm3(&bytes, 3, 1, 1);
    gem_build_key(&bytes, 0, GEM_SHOW);
    struct gem_doc *doc = gem_build_decode(&bytes);
    struct gem_doc *frm2 = convert(doc, V61, GEM_FRM2, true);
    ck_assert_ptr_eq(frm2->frames[1], doc->frames[1]);
    ck_assert_uint_eq(frm2->frames[0]->keys[0].flags, FULL | GEM_SHOW);
    ck_assert_uint_eq(frm2->frames[2]->keys[0].flags, FULL);
    ck_assert_uint_eq(frm2->frames[3]->keys[0].flags, FULL | GEM_SHOW);
    struct gem_doc *frmn = convert(doc, V61, GEM_FRMN, true);
    ck_assert_ptr_eq(frmn->frames[2], doc->frames[2]);
    ck_assert_uint_eq(frmn->frames[3]->keys[0].flags, GEM_MATRIX | GEM_VISI);
    ck_assert_mem_eq(frmn->frames[3]->keys[0].v, doc->frames[2]->keys[0].v, sizeof doc->frames[2]->keys[0].v);
    drop(frmn);
    drop(frm2);
    drop(doc);
}
END_TEST

/* --- losses --- */

START_TEST(losses_of_channels_are_named)
{
    struct anm_buf bytes = {0};
    put_head(&bytes, V6, 1);
    gem_build_frm2(&bytes, 0, 3);
    put_full(&bytes, 0, GEM_SHOW | GEM_HIDE, 0, 0, 0);
    put_full(&bytes, 1, 0x8080, 0, 0, 0);
    gem_build_key(&bytes, 2, GEM_MIRRORED);
    check_losses(&bytes, V4, GEM_FRMN,
                 "mirrored bits that do not come back: 1\n"
                 "keys that both show and hide: 1\n"
                 "keys with flag bits of unknown meaning: 1");
    put_head(&bytes, V6, 1);
    gem_build_frm2(&bytes, 0, 3);
    gem_build_key(&bytes, 0, GEM_POSITION);
    gem_build_vector(&bytes, 1, 2, 3);
    gem_build_key(&bytes, 1, GEM_ORIENTATION);
    gem_build_vector(&bytes, 0, 0, 0);
    /* The sign of a half turn's axis is in no matrix; the turn is the same. */
    put_full(&bytes, 2, 0, -1, 0, 0);
    check_losses(&bytes, V4, GEM_FRMN,
                 "orientations and scales that come back with other numbers: 1, largest deviation 0\n"
                 "keys completed from the keys before: 2");
    put_head(&bytes, V6, 1);
    gem_build_frm2(&bytes, 0, 1);
    gem_build_key(&bytes, 0, FULL | GEM_SCALE);
    gem_build_vector(&bytes, 1, 2, 3);
    gem_build_vector(&bytes, 0, 0, 0);
    gem_build_vector(&bytes, 1, 1, 1);
    check_losses(&bytes, V4, GEM_FRMN,
                 "orientations and scales that come back with other numbers: 1, largest deviation 0");
    put_head(&bytes, V6, 2);
    gem_build_frm2(&bytes, 0, 1);
    put_full(&bytes, 0, GEM_SHOW, 0, 0, 0);
    gem_build_frm2(&bytes, 1, 0);
    check_losses(&bytes, V4, GEM_FRMN, "values added so that the first and the last frame are whole: 2");
}
END_TEST

START_TEST(losses_of_matrices_are_named)
{
    const float sheared[12] = {1, 0, 0, 0.5f, 1, 0, 0, 0, 1, 1, 2, 3};
    struct anm_buf bytes = {0};
    put_head(&bytes, V4, 1);
    gem_build_frmn(&bytes, 0);
    gem_build_bone(&bytes, 0);
    gem_build_visi(&bytes, 2);
    gem_build_matr(&bytes, unit_matrix);
    gem_build_visi(&bytes, 0);
    gem_build_bone(&bytes, 1);
    gem_build_mesh(&bytes, "m");
    gem_build_visi(&bytes, 0x7fffffff);
    check_losses(&bytes, V6, GEM_FRM2,
                 "visibility numbers other than 0 and 1: 2\n"
                 "keys with their parts in unusual order: 2\n"
                 "repeated parts in one BONE chunk: 1");
    put_matrix(&bytes, sheared);
    struct anm_error err = {0};
    struct gem_doc *doc = gem_build_decode(&bytes);
    ck_assert_ptr_null(gem_convert(doc, V6, GEM_FRM2, false, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "matrices that come back with other numbers: 1, largest deviation 0."));
    ck_assert_ptr_nonnull(strstr(err.text, "\nmatrices with shear: 1, largest deviation 0.45"));
    drop(doc);
}
END_TEST

/* No crash, and a loss where a number is none. Very long and very short rows are scale. */
START_TEST(matrices_without_sense_are_lost)
{
    static const float odd[] = {NAN, INFINITY, -INFINITY, 3e38f, 1e-45f};
    for (int i = 0; i < 5; i++)
        for (int at = 0; at < 9; at++) {
            float matrix[12];
            struct anm_buf bytes = {0};
            struct anm_error err = {0};
            memcpy(matrix, unit_matrix, sizeof matrix);
            matrix[at] = odd[i];
            put_matrix(&bytes, matrix);
            struct gem_doc *doc = gem_build_decode(&bytes);
            struct gem_doc *converted = gem_convert(doc, V6, GEM_FRM2, false, &err);
            ck_assert(converted ? isfinite(odd[i]) : err.reason == ANM_LOSS);
            anm_doc_unref(converted ? &converted->doc : NULL);
            drop(convert(doc, V6, GEM_FRM2, true));
            drop(doc);
            put_head(&bytes, V6, 1);
            gem_build_frm2(&bytes, 0, 1);
            put_full(&bytes, 0, 0, odd[i], 0, 0);
            drop(convert_bytes(&bytes, V4, GEM_FRMN));
        }
}
END_TEST

START_TEST(targets_have_limits)
{
    struct anm_buf bytes = {0};
    put_head(&bytes, V4, 70001);
    gem_build_frmn(&bytes, 70000);
    check_limit(&bytes, V6, GEM_FRM2, "frame 70000: FRM2 numbers end at 65535");
    put_head(&bytes, V6, 10);
    gem_build_frm2(&bytes, 300, 0);
    check_limit(&bytes, V61, GEM_FRM3, "frame 300: FRM3 numbers end at 255 in a file of length 10");
    put_head(&bytes, V4, 1);
    gem_build_frmn(&bytes, 0);
    for (int i = 0; i < 256; i++)
        gem_build_bone(&bytes, 0);
    check_limit(&bytes, V6, GEM_FRM2, "frame 0: 256 keys");
    put_head(&bytes, V6, 1);
    gem_build_frm2(&bytes, 0, 0);
    check_limit(&bytes, V6, GEM_FRM3, "version 6.0 has no FRM3 frames");
    put_head(&bytes, V6, 1);
    check_limit(&bytes, 0x00050000, GEM_FRM2, "version 5.0 has no FRM2 frames");
    put_head(&bytes, V6, 1);
    check_limit(&bytes, 1, GEM_FRMN, "version 0.1 has no FRMN frames");
    ck_assert(gem_version_has(0x00030000, GEM_FRMN) && !gem_version_has(V4, GEM_FRM2));
    ck_assert(gem_version_has(V6, GEM_FRM2) && gem_version_has(V61, GEM_FRM3) && gem_version_has(V61, GEM_FRMN));
}
END_TEST

START_TEST(a_map_too_large_for_bytes_is_refused)
{
    struct anm_buf bytes = {0};
    const char *names[301] = {NULL};
    for (int i = 0; i < 300; i++)
        names[i] = "n";
    gem_build_header(&bytes, V4, 1);
    gem_build_bmap(&bytes, GEM_STRING32, names);
    gem_build_frmn(&bytes, 0);
    check_limit(&bytes, V6, GEM_FRM2, "300 bones");
    /* A file that is over the limit already still cannot have an index over a byte. */
    gem_build_header(&bytes, V61, 1);
    gem_build_bmap(&bytes, GEM_STRING32, names);
    gem_build_frm2(&bytes, 0, 0);
    gem_build_frmn(&bytes, 0);
    gem_build_bone(&bytes, 256);
    check_limit(&bytes, V6, GEM_FRM2, "a key of bone 256");
}
END_TEST

/* --- samples --- */

/* Every key of `old` at its place in `back`, positions to the bit, the rest within `near`. */
static void check_close(const struct gem_doc *old, const struct gem_doc *back, double near, const char *name)
{
    ck_assert_uint_eq(old->frame_count, back->frame_count);
    for (uint32_t i = 0; i < old->frame_count; i++) {
        const struct gem_frame *a = old->frames[i], *b = back->frames[i];
        ck_assert(a->number == b->number && a->count <= b->count);
        for (uint32_t j = 0, k = 0; j < a->count; j++, k++) {
            while (b->keys[k].bone != a->keys[j].bone)
                k++;
            ck_assert_uint_lt(k, b->count);
            ck_assert((a->keys[j].flags & ~b->keys[k].flags) == 0);
            ck_assert(anm_blob_equal(a->keys[j].mesh, b->keys[k].mesh));
            for (int n = 0; n < 12; n++) {
                double by = fabs(number(a->keys[j].v[n]) - number(b->keys[k].v[n]));
                ck_assert_msg(!(a->keys[j].flags & GEM_MATRIX) || by <= (n < 9 ? near : 0), "%s: %g", name, by);
            }
        }
    }
}

static void sample_there_and_back(const char *name, const uint8_t *bytes, size_t size)
{
    struct anm_buf copy = {0};
    anm_buf_put(&copy, bytes, size);
    struct gem_doc *doc = gem_build_decode(&copy);
    enum gem_kind other = doc->kind == GEM_FRMN ? GEM_FRM2 : GEM_FRMN;
    struct gem_doc *there = convert(doc, V61, other, true);
    struct gem_doc *back = convert(there, doc->version, (enum gem_kind)doc->kind, true);
    check_close(doc, back, 1e-5, name);
    drop(back);
    drop(there);
    if (doc->kind == GEM_FRM2) {
        anm_buf_put(&copy, bytes, size);
        check_exact(&copy, V61, GEM_FRM3);
    }
    drop(doc);
}

START_TEST(samples_convert_there_and_back)
{
    gem_build_each_sample(sample_there_and_back);
}
END_TEST

static void sample_whole(const char *name, const uint8_t *bytes, size_t size)
{
    struct anm_buf copy = {0};
    bool keyed[256] = {false};
    anm_buf_put(&copy, bytes, size);
    struct gem_doc *doc = gem_build_decode(&copy);
    struct gem_doc *there = convert(doc, V61, doc->kind == GEM_FRMN ? GEM_FRM2 : GEM_FRMN, true);
    for (uint32_t i = 0; i < doc->frame_count; i++)
        for (uint32_t j = 0; j < doc->frames[i]->count; j++)
            keyed[doc->frames[i]->keys[j].bone] = true;
    uint32_t want = 0;
    for (int i = 0; i < 256; i++)
        want += keyed[i];
    const uint32_t whole = there->kind == GEM_FRMN ? GEM_MATRIX : FULL;
    for (int end = 0; end < 2; end++) {
        const struct gem_frame *frame = there->frames[end ? there->frame_count - 1 : 0];
        ck_assert_msg(frame->count == want, "%s: frame %u has %u keys of %u", name, frame->number, frame->count, want);
        for (uint32_t i = 0; i < frame->count; i++)
            ck_assert_msg((frame->keys[i].flags & whole) == whole, "%s", name);
    }
    drop(there);
    drop(doc);
}

START_TEST(samples_are_whole_at_both_ends)
{
    gem_build_each_sample(sample_whole);
}
END_TEST

/* --- out of memory --- */

START_TEST(converting_survives_lack_of_memory)
{
    struct anm_buf bytes = {0};
    put_head(&bytes, V61, 3);
    gem_build_frm2(&bytes, 0, 1);
    put_full(&bytes, 0, GEM_MESH, 0, 0, 0);
    gem_build_mesh_data(&bytes, "mesh");
    gem_build_frmn(&bytes, 1);
    gem_build_bone(&bytes, 1);
    gem_build_frm3(&bytes, 2, 1, 0);
    struct gem_doc *doc = gem_build_decode(&bytes);
    for (int kind = GEM_FRMN; kind <= GEM_FRM3; kind++) {
        bool failed = true;
        for (unsigned n = 1; failed; n++) {
            struct anm_error err = {0};
            fail_alloc_at(n);
            struct gem_doc *converted = gem_convert(doc, V61, (enum gem_kind)kind, true, &err);
            fail_alloc_off();
            failed = fail_alloc_hit();
            ck_assert(failed ? !converted && err.reason == ANM_NOMEM : converted != NULL);
            anm_doc_unref(converted ? &converted->doc : NULL);
        }
    }
    drop(doc);
}
END_TEST

Suite *convert_suite(void)
{
    Suite *suite = suite_create("convert");
    TCase *exact = tcase_create("exact");
    tcase_add_test(exact, the_same_kind_shares_its_frames);
    tcase_add_test(exact, frm2_and_frm3_are_the_same_keys);
    tcase_add_test(exact, whole_keys_come_back);
    tcase_add_test(exact, visibility_and_meshes_come_back);
    tcase_add_test(exact, orientations_mostly_come_back_to_the_bit);
    tcase_add_test(exact, half_turns_keep_their_digits);
    suite_add_tcase(suite, exact);
    TCase *held = tcase_create("held");
    tcase_add_test(held, matrices_have_what_the_key_lacks);
    tcase_add_test(held, values_are_held_in_order_of_numbers);
    tcase_add_test(held, scale_multiplies_the_rows);
    tcase_add_test(held, scale_ends_where_the_matrix_has_none);
    tcase_add_test(held, flat_matrices_come_back);
    tcase_add_test(held, first_and_last_frame_are_whole);
    tcase_add_test(held, added_keys_keep_the_order);
    tcase_add_test(held, frames_of_one_number_are_whole_together);
    tcase_add_test(held, keys_are_completed_where_they_stand);
    tcase_add_test(held, mixed_kinds_become_one);
    suite_add_tcase(suite, held);
    TCase *refused = tcase_create("refused");
    tcase_add_test(refused, losses_of_channels_are_named);
    tcase_add_test(refused, losses_of_matrices_are_named);
    tcase_add_test(refused, matrices_without_sense_are_lost);
    tcase_add_test(refused, targets_have_limits);
    tcase_add_test(refused, a_map_too_large_for_bytes_is_refused);
    tcase_add_test(refused, converting_survives_lack_of_memory);
    suite_add_tcase(suite, refused);
    TCase *samples = tcase_create("samples");
    tcase_add_test(samples, samples_convert_there_and_back);
    tcase_add_test(samples, samples_are_whole_at_both_ends);
    suite_add_tcase(suite, samples);
    return suite;
}
