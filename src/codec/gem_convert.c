/* SPDX-License-Identifier: MIT */
/* FRMN keys hold a bone whole, as a matrix; FRM2 and FRM3 keys hold the channels that changed. From one to the other,
 * a bone's channels are held from key to key in the order of the frame numbers. */
#include "gem_codec.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define TRANSFORM (GEM_POSITION | GEM_ORIENTATION | GEM_SCALE)
#define VISIBILITY (GEM_SHOW | GEM_HIDE)

#define ONE 0x3f800000u /* 1.0 */

/* Rows this near to length 1 have no scale, this near to right angles no shear: five times what real files have. */
#define NEAR 1e-5

/* The square of w below which floats may not hold it. */
#define SMALL_WW 1e-3

static double from_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t to_bits(double value)
{
    float rounded = (float)value;
    uint32_t bits;
    memcpy(&bits, &rounded, sizeof bits);
    return bits;
}

/* --- matrices and orientations --- */

void gem_rows_from_orientation(const double xyz[3], bool mirrored, double rows[9])
{
    const double x = xyz[0], y = xyz[1], z = xyz[2];
    const double w = sqrt(fmax(0, 1 - x * x - y * y - z * z));
    const double third = mirrored ? -1 : 1;
    rows[0] = 1 - 2 * (y * y + z * z);
    rows[1] = 2 * (x * y + z * w);
    rows[2] = 2 * (x * z - y * w);
    rows[3] = 2 * (x * y - z * w);
    rows[4] = 1 - 2 * (x * x + z * z);
    rows[5] = 2 * (y * z + x * w);
    rows[6] = third * 2 * (x * z + y * w);
    rows[7] = third * 2 * (y * z - x * w);
    rows[8] = third * (1 - 2 * (x * x + y * y));
}

static double determinant(const double r[9])
{
    return r[0] * (r[4] * r[8] - r[5] * r[7]) + r[1] * (r[5] * r[6] - r[3] * r[8]) + r[2] * (r[3] * r[7] - r[4] * r[6]);
}

void gem_orientation_from_rows(const double rows[9], double xyz[3], bool *mirrored)
{
    double r[9];
    memcpy(r, rows, sizeof r);
    *mirrored = determinant(r) < 0;
    for (int i = 6; *mirrored && i < 9; i++)
        r[i] = -r[i];
    /* Four times each product of two parts of the quaternion (x, y, z, w), one row a part: the row with the
     * largest square is the one that loses no digits. */
    const double products[4][4] = {
        {1 + r[0] - r[4] - r[8], r[1] + r[3], r[2] + r[6], r[5] - r[7]},
        {r[1] + r[3], 1 - r[0] + r[4] - r[8], r[5] + r[7], r[6] - r[2]},
        {r[2] + r[6], r[5] + r[7], 1 - r[0] - r[4] + r[8], r[1] - r[3]},
        {r[5] - r[7], r[6] - r[2], r[1] - r[3], 1 + r[0] + r[4] + r[8]},
    };
    int best = 3;
    for (int i = 0; i < 3; i++)
        if (products[i][i] > products[best][best])
            best = i;
    const double *q = products[best];
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    double sign = q[3] < 0 ? -1 : 1;
    for (int i = 0; i < 3; i++)
        xyz[i] = length > 0 ? sign * q[i] / length : 0;
}

/* How a bone stands, in the stored form of FRM2. */
struct pose {
    uint32_t position[3];
    uint32_t orientation[3];
    uint32_t scale[3];
    bool mirrored;
};

static void matrix_from_pose(const struct pose *pose, uint32_t matrix[12])
{
    double xyz[3], rows[9];
    for (int i = 0; i < 3; i++)
        xyz[i] = from_bits(pose->orientation[i]);
    gem_rows_from_orientation(xyz, pose->mirrored, rows);
    for (int i = 0; i < 9; i++)
        matrix[i] = to_bits(rows[i] * from_bits(pose->scale[i / 3]));
    memcpy(matrix + 9, pose->position, sizeof pose->position);
}

/* The largest difference of `count` numbers, infinite where one is none; negative when all are the same to the bit. */
static double deviation(const uint32_t *a, const uint32_t *b, int count)
{
    double worst = -1;
    for (int i = 0; i < count; i++)
        if (a[i] != b[i]) {
            double by = fabs(from_bits(a[i]) - from_bits(b[i]));
            worst = fmax(worst, isnan(by) ? INFINITY : by);
        }
    return worst;
}

/* The float next to another, away from zero or towards it. Zero has none but the other zero. */
static uint32_t neighbour(uint32_t bits, int step)
{
    if ((bits & 0x7fffffff) == 0)
        return step > 0 ? bits ^ 0x80000000 : bits;
    return bits + (uint32_t)step;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* Takes an orientation over when its matrix is nearer to the one wanted than all before. */
static void consider(const uint32_t matrix[12], const struct pose *pose, struct pose *best, double *least)
{
    uint32_t rebuilt[12];
    matrix_from_pose(pose, rebuilt);
    double now = deviation(matrix, rebuilt, 9);
    if (now < *least) {
        *least = now;
        *best = *pose;
    }
}

/* Part `part` of an orientation such that the square of w comes out right for the other two. */
static uint32_t solve(const struct pose *pose, int part, double ww, double sign)
{
    double square = 1 - ww;
    for (int i = 0; i < 3; i++)
        if (i != part)
            square -= from_bits(pose->orientation[i]) * from_bits(pose->orientation[i]);
    return to_bits(copysign(sqrt(fmax(0, square)), sign));
}

/* Rounds an orientation to floats. Not each to its nearest: of the 27 around it one may give the very matrix, and does
 * where that was made from an orientation. Near half turns rounding leaves nothing of the small w, which is what
 * the others leave of 1: there one of them gives way. */
static void round_orientation(const uint32_t matrix[12], const double xyz[3], struct pose *pose)
{
    static const int steps[] = {0, 1, -1};
    const double ww = 1 - dot(xyz, xyz);
    for (int i = 0; i < 3; i++)
        pose->orientation[i] = to_bits(xyz[i]);
    const struct pose start = *pose;
    double least = DBL_MAX;
    for (int i = 0; i < 27 && least >= 0; i++) {
        struct pose near = start;
        near.orientation[0] = neighbour(start.orientation[0], steps[i % 3]);
        near.orientation[1] = neighbour(start.orientation[1], steps[i / 3 % 3]);
        near.orientation[2] = neighbour(start.orientation[2], steps[i / 9]);
        consider(matrix, &near, pose, &least);
        for (int part = 0; part < 3 && ww < SMALL_WW && least >= 0; part++) {
            struct pose solved = near;
            solved.orientation[part] = solve(&near, part, ww, xyz[part]);
            consider(matrix, &solved, pose, &least);
        }
    }
}

/* A matrix as unit rows and their lengths. One row without a length (a bone scaled flat) is made from the other two;
 * where more are missing there is no orientation to find. */
static void split_rows(const uint32_t matrix[12], double rows[9], double lengths[3])
{
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    int missing = 0, lost = 0;
    for (int i = 0; i < 3; i++) {
        double *row = rows + 3 * i;
        for (int j = 0; j < 3; j++)
            row[j] = from_bits(matrix[3 * i + j]);
        lengths[i] = sqrt(dot(row, row));
        bool good = lengths[i] > 0 && isfinite(lengths[i]);
        for (int j = 0; good && j < 3; j++)
            row[j] /= lengths[i];
        missing = good ? missing : i;
        lost += !good;
    }
    if (lost == 1)
        cross(rows + 3 * ((missing + 1) % 3), rows + 3 * ((missing + 2) % 3), rows + 3 * missing);
    else if (lost)
        memcpy(rows, identity, sizeof identity);
}

static bool is_unit(const double lengths[3])
{
    return fabs(lengths[0] - 1) <= NEAR && fabs(lengths[1] - 1) <= NEAR && fabs(lengths[2] - 1) <= NEAR;
}

/* Fills the pose of a MATR. Returns the shear: how far the rows are from right angles. */
static double pose_from_matrix(const uint32_t matrix[12], struct pose *pose)
{
    double rows[9], lengths[3], xyz[3];
    split_rows(matrix, rows, lengths);
    bool unit = is_unit(lengths);
    gem_orientation_from_rows(rows, xyz, &pose->mirrored);
    for (int i = 0; i < 3; i++)
        pose->scale[i] = unit ? ONE : to_bits(lengths[i]);
    memcpy(pose->position, matrix + 9, sizeof pose->position);
    round_orientation(matrix, xyz, pose);
    return fmax(fabs(dot(rows, rows + 3)), fmax(fabs(dot(rows, rows + 6)), fabs(dot(rows + 3, rows + 6))));
}

/* --- losses --- */

enum loss {
    LOSS_MATRIX,
    LOSS_SHEAR,
    LOSS_ORIENTATION,
    LOSS_MIRRORED,
    LOSS_COMPLETED,
    LOSS_ADDED,
    LOSS_VISI,
    LOSS_BOTH,
    LOSS_FLAGS,
    LOSS_ORDER,
    LOSS_JOINED,
    LOSSES
};

static const char *const loss_texts[LOSSES] = {
    [LOSS_MATRIX] = "matrices that come back with other numbers",
    [LOSS_SHEAR] = "matrices with shear",
    [LOSS_ORIENTATION] = "orientations and scales that come back with other numbers",
    [LOSS_MIRRORED] = "mirrored bits that do not come back",
    [LOSS_COMPLETED] = "keys completed from the keys before",
    [LOSS_ADDED] = "values added so that the first and the last frame are whole",
    [LOSS_VISI] = "visibility numbers other than 0 and 1",
    [LOSS_BOTH] = "keys that both show and hide",
    [LOSS_FLAGS] = "keys with flag bits of unknown meaning",
    [LOSS_ORDER] = "keys with their parts in unusual order",
    [LOSS_JOINED] = "repeated parts in one BONE chunk",
};

/* How much of each kind was lost, and by how much at worst. */
struct losses {
    uint32_t count[LOSSES];
    double worst[LOSSES];
};

static void lose(struct losses *losses, enum loss kind, double by)
{
    losses->count[kind]++;
    losses->worst[kind] = fmax(losses->worst[kind], by);
}

/* Fails with one line a kind; 0 when nothing was lost. */
static int report_losses(const struct losses *losses, struct anm_error *err)
{
    char text[sizeof err->text] = "";
    size_t used = 0;
    for (int i = 0; i < LOSSES; i++) {
        if (!losses->count[i])
            continue;
        char worst[64] = "";
        if (i <= LOSS_ORIENTATION)
            snprintf(worst, sizeof worst, ", largest deviation %.2g", losses->worst[i]);
        int size = snprintf(text + used, sizeof text - used, "%s%s: %u%s", used ? "\n" : "", loss_texts[i],
                            losses->count[i], worst);
        used += (size_t)size;
    }
    return used ? anm_fail(err, ANM_LOSS, "%s", text) : 0;
}

/* --- keys --- */

/* What a bone holds while the frames pass. */
struct track {
    struct pose pose;
    uint32_t visible; /* of VISIBILITY */
    uint32_t has;     /* channels that any of its keys has; GEM_SCALE only where it is not 1 */
    uint32_t stored;  /* channels its keys have at the number of the frame that is to be whole */
    uint32_t missing; /* channels that frame lacks */
    bool keyed;       /* has a key there */
};

/* The conversion of one document. */
struct bake {
    const struct gem_doc *doc;
    enum gem_kind kind;
    uint32_t track_count;
    struct track *tracks;
    uint32_t *order; /* the frames' indices by number */
    struct losses losses;
};

/* Sets the channels `which` of a key from what its bone holds. */
static void put_channels(struct gem_key *key, const struct track *track, uint32_t which)
{
    const struct pose *pose = &track->pose;
    if (which & GEM_POSITION)
        memcpy(key->v, pose->position, sizeof pose->position);
    if (which & GEM_ORIENTATION)
        memcpy(key->v + 3, pose->orientation, sizeof pose->orientation);
    if (which & GEM_SCALE)
        memcpy(key->v + 6, pose->scale, sizeof pose->scale);
    if (which & (GEM_POSITION | GEM_ORIENTATION) && pose->mirrored)
        key->flags |= GEM_MIRRORED;
    key->flags |= which & TRANSFORM;
    if (which & VISIBILITY)
        key->flags |= track->visible;
}

/* A key of any kind as one of FRM2; the mesh is borrowed. A bone that is `scaled` anywhere needs its scale in each
 * key, as a matrix has it. `shear` may be NULL. */
static struct gem_key to_channels(const struct gem_key *key, bool scaled, double *shear)
{
    struct gem_key out = {
        .bone = key->bone, .ordinal = key->ordinal, .flags = key->flags & GEM_MESH, .mesh = key->mesh};
    if (key->flags & GEM_VISI)
        out.flags |= key->visi ? GEM_SHOW : GEM_HIDE;
    if (!(key->flags & GEM_MATRIX))
        return out;
    struct track now = {0};
    double angle = pose_from_matrix(key->v, &now.pose);
    if (shear)
        *shear = angle;
    for (int i = 0; i < 3; i++)
        scaled = scaled || now.pose.scale[i] != ONE;
    put_channels(&out, &now, GEM_POSITION | GEM_ORIENTATION | (scaled ? GEM_SCALE : 0));
    return out;
}

/* A FRM2 key as one of FRMN, with what the bone holds for what the key lacks; the mesh is borrowed. */
static struct gem_key to_matrix(const struct gem_key *key, const struct track *track)
{
    struct gem_key out = {
        .bone = key->bone, .ordinal = key->ordinal, .flags = key->flags & GEM_MESH, .mesh = key->mesh};
    out.parts = GEM_PARTS_USUAL;
    if (key->flags & VISIBILITY) {
        out.flags |= GEM_VISI;
        out.visi = (key->flags & GEM_SHOW) != 0;
    }
    if (key->flags & TRANSFORM) {
        out.flags |= GEM_MATRIX;
        matrix_from_pose(&track->pose, out.v);
    }
    return out;
}

/* Takes a FRM2 key's channels over into what its bone holds. */
static void hold(struct track *track, const struct gem_key *key)
{
    struct pose *pose = &track->pose;
    uint32_t channels = key->flags & (TRANSFORM | VISIBILITY);
    if (key->flags & GEM_POSITION)
        memcpy(pose->position, key->v, sizeof pose->position);
    if (key->flags & GEM_ORIENTATION)
        memcpy(pose->orientation, key->v + 3, sizeof pose->orientation);
    if (key->flags & GEM_SCALE) {
        const double lengths[3] = {fabs(from_bits(key->v[6])), fabs(from_bits(key->v[7])), fabs(from_bits(key->v[8]))};
        memcpy(pose->scale, key->v + 6, sizeof pose->scale);
        if (is_unit(lengths))
            channels &= ~(uint32_t)GEM_SCALE;
    }
    if (key->flags & (GEM_POSITION | GEM_ORIENTATION))
        pose->mirrored = (key->flags & GEM_MIRRORED) != 0;
    if (key->flags & VISIBILITY)
        track->visible = key->flags & VISIBILITY;
    track->has |= channels;
}

static bool is_scaled(const struct track *track)
{
    return track->has & GEM_SCALE;
}

static struct gem_key as_channels(const struct bake *bake, const struct gem_frame *frame, uint32_t i, double *shear)
{
    const struct gem_key *key = &frame->keys[i];
    return frame->kind == GEM_FRMN ? to_channels(key, is_scaled(&bake->tracks[key->bone]), shear) : *key;
}

/* What FRMN -> FRM2 loses. */
static void lose_matrix(struct losses *losses, const struct gem_key *old, const struct track *track, double shear)
{
    if (old->flags & GEM_MATRIX) {
        uint32_t rebuilt[12];
        matrix_from_pose(&track->pose, rebuilt);
        double by = deviation(old->v, rebuilt, 9);
        if (by >= 0)
            lose(losses, LOSS_MATRIX, by);
        if (shear > NEAR)
            lose(losses, LOSS_SHEAR, shear);
    }
    if (old->flags & GEM_VISI && old->visi > 1)
        lose(losses, LOSS_VISI, 0);
    unsigned last = 0;
    for (unsigned parts = old->parts; parts & 3; parts >>= 2) {
        if ((parts & 3) < last) {
            lose(losses, LOSS_ORDER, 0);
            break;
        }
        last = parts & 3;
    }
    if (old->flags & GEM_JOINED)
        lose(losses, LOSS_JOINED, 0);
}

/* Whether the orientation and scale of a key come back from its matrix to the bit. */
static bool comes_back(const struct gem_key *old, const struct gem_key *back)
{
    if (old->flags & GEM_SCALE && (!(back->flags & GEM_SCALE) || memcmp(old->v + 6, back->v + 6, 12) != 0))
        return false;
    return !(old->flags & GEM_ORIENTATION) || memcmp(old->v + 3, back->v + 3, 12) == 0;
}

/* What FRM2 -> FRMN loses: by going back. */
static void lose_channels(struct losses *losses, const struct gem_key *old, const struct gem_key *matrix, bool scaled)
{
    struct gem_key back = to_channels(matrix, scaled, NULL);
    if (!comes_back(old, &back)) {
        struct track again = {.pose.scale = {ONE, ONE, ONE}};
        uint32_t rebuilt[12];
        hold(&again, &back);
        matrix_from_pose(&again.pose, rebuilt);
        lose(losses, LOSS_ORIENTATION, fmax(0, deviation(matrix->v, rebuilt, 9)));
    }
    uint32_t mirrored = old->flags & (GEM_POSITION | GEM_ORIENTATION) ? old->flags ^ back.flags : old->flags;
    if (mirrored & GEM_MIRRORED)
        lose(losses, LOSS_MIRRORED, 0);
    uint32_t needs = GEM_POSITION | GEM_ORIENTATION | (scaled ? GEM_SCALE : 0);
    if (old->flags & TRANSFORM && needs & ~old->flags)
        lose(losses, LOSS_COMPLETED, 0);
    if ((old->flags & VISIBILITY) == VISIBILITY)
        lose(losses, LOSS_BOTH, 0);
    if (old->flags & 0xffff & ~(uint32_t)GEM_KNOWN)
        lose(losses, LOSS_FLAGS, 0);
}

/* --- the first and the last frame --- */

/* Channels as a frame of the target can lack them: a matrix has all, visibility is one. */
static uint32_t as_lacked(const struct bake *bake, uint32_t channels)
{
    if (bake->kind == GEM_FRMN && channels & TRANSFORM)
        channels |= TRANSFORM;
    if (channels & VISIBILITY)
        channels |= VISIBILITY;
    return channels;
}

/* Finds what the frames at [first, end) of the order, all of one number, lack to be whole together. */
static void find_missing(struct bake *bake, uint32_t first, uint32_t end)
{
    for (uint32_t i = 0; i < bake->track_count; i++) {
        bake->tracks[i].stored = 0;
        bake->tracks[i].keyed = false;
    }
    for (uint32_t i = first; i < end; i++) {
        const struct gem_frame *frame = bake->doc->frames[bake->order[i]];
        for (uint32_t j = 0; j < frame->count; j++) {
            struct track *track = &bake->tracks[frame->keys[j].bone];
            track->keyed = true;
            track->stored |= as_channels(bake, frame, j, NULL).flags;
        }
    }
    for (uint32_t i = 0; i < bake->track_count; i++) {
        struct track *track = &bake->tracks[i];
        track->missing = as_lacked(bake, track->has) & ~as_lacked(bake, track->stored);
    }
}

/* The missing channels of a bone, which are given out once. */
static uint32_t take_missing(struct bake *bake, struct track *track)
{
    uint32_t missing = track->missing;
    track->missing = 0;
    if (missing & TRANSFORM)
        lose(&bake->losses, LOSS_ADDED, 0);
    if (missing & VISIBILITY)
        lose(&bake->losses, LOSS_ADDED, 0);
    return missing;
}

/* Adds keys for the bones from *next up to `end` that have none in a frame that is to be whole. */
static void add_keys(struct bake *bake, struct gem_frame *out, uint32_t *next, uint32_t end)
{
    for (; *next < end; ++*next) {
        struct track *track = &bake->tracks[*next];
        if (track->keyed || !track->missing)
            continue;
        struct gem_key key = {.bone = (uint16_t)*next, .ordinal = 1};
        put_channels(&key, track, take_missing(bake, track));
        out->keys[out->count++] = bake->kind == GEM_FRMN ? to_matrix(&key, track) : key;
    }
}

/* --- frames --- */

static bool same_family(unsigned a, unsigned b)
{
    return (a == GEM_FRMN) == (b == GEM_FRMN);
}

/* A key for the target; its mesh is borrowed. */
static struct gem_key bake_key(struct bake *bake, const struct gem_frame *frame, uint32_t i)
{
    const struct gem_key *old = &frame->keys[i];
    struct track *track = &bake->tracks[old->bone];
    double shear = 0;
    struct gem_key key = as_channels(bake, frame, i, &shear);
    hold(track, &key);
    uint32_t missing = take_missing(bake, track);
    if (same_family(frame->kind, bake->kind) && !missing)
        return *old;
    put_channels(&key, track, missing);
    if (bake->kind != GEM_FRMN) {
        if (frame->kind == GEM_FRMN)
            lose_matrix(&bake->losses, old, track, shear);
        return key;
    }
    struct gem_key matrix = to_matrix(&key, track);
    if (frame->kind != GEM_FRMN) {
        lose_channels(&bake->losses, old, &matrix, is_scaled(track));
    } else {
        matrix.flags |= old->flags & GEM_JOINED;
        if (old->flags & GEM_MATRIX)
            memcpy(matrix.v, old->v, sizeof matrix.v);
    }
    return matrix;
}

/* A frame of another tag and the same keys. */
static struct gem_frame *retag(struct gem_frame *frame, enum gem_kind kind)
{
    if (frame->kind == kind)
        return gem_frame_ref(frame);
    struct gem_frame *copy = gem_frame_copy(frame);
    if (copy)
        copy->kind = (uint8_t)kind;
    return copy;
}

/* The frame for the target, shared where nothing changes; `whole`: with keys for the bones that have none. NULL when
 * out of memory. */
static struct gem_frame *bake_frame(struct bake *bake, struct gem_frame *frame, bool whole)
{
    const uint32_t added_before = bake->losses.count[LOSS_ADDED];
    uint32_t added = 0, next = 0;
    for (uint32_t i = 0; whole && i < bake->track_count; i++)
        added += !bake->tracks[i].keyed && bake->tracks[i].missing;
    struct gem_frame *out = gem_frame_new(frame->number, frame->ordinal, bake->kind, frame->count + added);
    if (!out)
        return NULL;
    out->count = 0;
    for (uint32_t i = 0; i < frame->count; i++) {
        if (whole)
            add_keys(bake, out, &next, frame->keys[i].bone);
        out->keys[out->count++] = bake_key(bake, frame, i);
    }
    if (whole)
        add_keys(bake, out, &next, bake->track_count);
    for (uint32_t i = 0; i < out->count; i++)
        anm_blob_ref(out->keys[i].mesh);
    if (!same_family(frame->kind, bake->kind) || bake->losses.count[LOSS_ADDED] != added_before)
        return out;
    gem_frame_unref(out);
    return retag(frame, bake->kind);
}

/* --- documents --- */

static void bake_free(struct bake *bake)
{
    anm_freep(&bake->tracks);
    anm_freep(&bake->order);
}

/* Going backwards leaves each bone with the first value of each channel: what it has before its first key. Only
 * visibility starts on. */
static void hold_first(struct bake *bake)
{
    for (uint32_t i = 0; i < bake->track_count; i++)
        for (int j = 0; j < 3; j++)
            bake->tracks[i].pose.scale[j] = ONE;
    for (uint32_t i = bake->doc->frame_count; i-- > 0;) {
        const struct gem_frame *frame = bake->doc->frames[bake->order[i]];
        for (uint32_t j = frame->count; j-- > 0;) {
            struct gem_key key = as_channels(bake, frame, j, NULL);
            hold(&bake->tracks[key.bone], &key);
        }
    }
    for (uint32_t i = 0; i < bake->track_count; i++)
        bake->tracks[i].visible = GEM_SHOW;
}

static int bake_start(struct bake *bake, struct anm_error *err)
{
    uint32_t bones = bake->doc->bones->count;
    bake->track_count = bones <= UINT16_MAX ? bones : UINT16_MAX + 1;
    bake->tracks = anm_alloc(0, bake->track_count, sizeof *bake->tracks);
    bake->order = gem_time_order(bake->doc);
    if (!bake->tracks || !bake->order)
        return anm_fail_nomem(err);
    hold_first(bake);
    return 0;
}

/* Replaces frame `at` of the copy. */
static int replace(struct gem_doc *copy, uint32_t at, struct gem_frame *frame, struct anm_error *err)
{
    if (!frame)
        return anm_fail_nomem(err);
    gem_frame_unref(copy->frames[at]);
    copy->frames[at] = frame;
    return 0;
}

static uint32_t number_at(const struct bake *bake, uint32_t i)
{
    return bake->doc->frames[bake->order[i]]->number;
}

/* Converts between the families; there are frames. Several frames of the first or last number are whole together. */
static int bake_frames(struct bake *bake, struct gem_doc *copy, struct anm_error *err)
{
    const uint32_t count = bake->doc->frame_count;
    uint32_t first_end = 1, last = count - 1;
    while (first_end < count && number_at(bake, first_end) == number_at(bake, 0))
        first_end++;
    while (last > 0 && number_at(bake, last - 1) == number_at(bake, count - 1))
        last--;
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0)
            find_missing(bake, 0, first_end);
        else if (i == last)
            find_missing(bake, last, count);
        bool whole = i == 0 || (i == count - 1 && last > 0);
        uint32_t at = bake->order[i];
        if (replace(copy, at, bake_frame(bake, bake->doc->frames[at], whole), err))
            return -1;
    }
    return 0;
}

static int retag_frames(struct gem_doc *copy, enum gem_kind kind, struct anm_error *err)
{
    for (uint32_t i = 0; i < copy->frame_count; i++)
        if (replace(copy, i, retag(copy->frames[i], kind), err))
            return -1;
    return 0;
}

static bool changes_family(const struct gem_doc *doc, enum gem_kind kind)
{
    for (uint32_t i = 0; i < doc->frame_count; i++)
        if (!same_family(doc->frames[i]->kind, kind))
            return true;
    return false;
}

static int convert(const struct gem_doc *doc, struct gem_doc *copy, bool lossy, struct anm_error *err)
{
    enum gem_kind kind = copy->kind;
    ANM_AUTO(bake_free) struct bake bake = {.doc = doc, .kind = kind};
    if (!changes_family(doc, kind)) {
        if (retag_frames(copy, kind, err))
            return -1;
    } else if (bake_start(&bake, err) || bake_frames(&bake, copy, err)) {
        return -1;
    }
    if (gem_check_limits(copy, doc, err) || gem_check_names(copy, err))
        return -1;
    return lossy ? 0 : report_losses(&bake.losses, err);
}

bool gem_version_has(uint32_t version, enum gem_kind kind)
{
    if (kind == GEM_FRMN)
        return version >> 16 != 0;
    return version > 0x00060000 || (version == 0x00060000 && kind == GEM_FRM2);
}

struct gem_doc *gem_convert(const struct gem_doc *doc, uint32_t version, enum gem_kind kind, bool lossy,
                            struct anm_error *err)
{
    if (gem_editable(doc, err))
        return NULL;
    if (!gem_version_has(version, kind)) {
        anm_fail(err, ANM_LIMIT, "version %u.%u has no %s frames", version >> 16, version & 0xffff, gem_tags[kind]);
        return NULL;
    }
    struct gem_doc *copy = gem_copy(doc);
    if (!copy) {
        anm_fail_nomem(err);
        return NULL;
    }
    copy->version = version;
    copy->kind = (uint8_t)kind;
    if (convert(doc, copy, lossy, err) == 0)
        return copy;
    anm_doc_unref(&copy->doc);
    return NULL;
}
