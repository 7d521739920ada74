/* SPDX-License-Identifier: MIT */
/* AnimGroup records: looked at, and built (formats: NIFF 3). */
#include "niff_codec.h"

#include "anm/cursor.h"

#include <string.h>

#define HEAD (4 * (size_t)NIFF_GROUP_WORDS)
#define BLOCK_HEAD (4 * (size_t)NIFF_BLOCK_WORDS)
#define ANIM_HEAD 12u /* tag, index, size */

const struct niff_channel niff_channels[NIFF_CHANNELS] = {
    {"rotate_axis", "4 values: the axis, and the angle about it", 4, 4},
    {"rotate_x", "1 value: the angle", 1, 1},
    {"rotate_y", "1 value: the angle", 1, 1},
    {"rotate_z", "1 value: the angle", 1, 1},
    {"orientation_xy", "6 values: the x axis and the y axis", 6, 0},
    {"translation", "3 values", 3, 0},
    {"unique_scale", "3 values; children inherit it along their own axes", 3, 0},
    {"classical_scale", "3 values", 3, 0},
};

const struct niff_field niff_fields[NIFF_FIELDS] = {
    {"translate", "x, y, z", 3, NIFF_FLOATS, false, {3, 6, 0}},
    {"rotate", "about the local x, y and z axis", 3, NIFF_ANGLES, false, {6, 9, 0}},
    {"scale", "x, y, z", 3, NIFF_FLOATS, false, {10, 13, 0}},
    {"interpolation", "from this key to the next", 1, NIFF_INTERPOLATION, false, {0, 5, 0}},
    {"expand_flag", "rotate_expand_flag, when it is not 0", 1, NIFF_BITS, true, {9, 12, 0}},
    {"next_key", "when it is not the frame of the next key", 1, NIFF_FRAME, true, {0, 4, 0}},
    {"lookat", "the object in direction of local z", 1, NIFF_OBJ_LINK, false, {0, 0, 3}},
    {"upper", "the object in direction of local y", 1, NIFF_OBJ_LINK, false, {0, 0, 4}},
};

enum niff_layout niff_anim_layout(uint32_t tag)
{
    return tag == 0x000c0104 ? NIFF_KEYED : tag == 0x000c0105 ? NIFF_LOOKING : NIFF_TRANSFORM;
}

size_t niff_anim_size(uint32_t tag)
{
    static const size_t sizes[NIFF_LAYOUTS] = {52, 64, 20};
    bool known = tag == 0x000c0101 || (tag >= 0x000c0103 && tag <= 0x000c0105);
    return known ? sizes[niff_anim_layout(tag)] : 0;
}

uint32_t niff_anim_tag(uint32_t type)
{
    switch (type) {
    case NIFF_STATIC:
        return 0x000c0101;
    case NIFF_FULL:
        return 0x000c0103;
    case NIFF_KEY:
        return 0x000c0104;
    case NIFF_BILLBOARD:
        return 0x000c0105;
    default:
        return 0;
    }
}

/* --- looking --- */

static int skip_anims(struct anm_cursor *c, uint32_t count)
{
    if (count > anm_left(c) / ANIM_HEAD)
        return anm_fail_at(c->err, 4 * (size_t)NIFF_G_COUNT, "anim_num is %u, and %zu bytes are left in the record",
                           count, anm_left(c));
    for (uint32_t i = 0; i < count; i++) {
        size_t at = c->pos;
        const uint8_t *head = anm_peek(c, ANIM_HEAD);
        uint32_t size = head ? niff_word(head, 2) : 0;
        if (!head)
            return anm_fail_at(c->err, at, "Anim %u: %u bytes expected, %zu left in the record", i, ANIM_HEAD,
                               anm_left(c));
        if (size < ANIM_HEAD || size % 4 || size > anm_left(c))
            return anm_fail_at(c->err, at + 8,
                               "Anim %u: anim_size is %u, expected a multiple of 4 from %u to the %zu bytes left", i,
                               size, ANIM_HEAD, anm_left(c));
        anm_get_bytes(c, size, "Anim");
    }
    return 0;
}

static int find_channels(struct niff_view *v, size_t end, struct anm_error *err)
{
    size_t at = v->block + BLOCK_HEAD;
    for (unsigned i = 0; i < NIFF_CHANNELS; i++) {
        size_t each = 4 * niff_channel_words(i);
        v->count[i] = niff_word(v->bytes + v->block, NIFF_B_COUNT + i);
        v->keys[i] = at;
        if (v->count[i] > (end - at) / each)
            return anm_fail_at(err, v->block + 4 * (NIFF_B_COUNT + (size_t)i),
                               "%s has %u keys of %zu bytes, and %zu bytes are left in the Nintendo block",
                               niff_channels[i].name, v->count[i], each, end - at);
        at += v->count[i] * each;
    }
    v->extra = at;
    return 0;
}

int niff_view(struct niff_view *view, const struct anm_blob *record, bool two, struct anm_error *err)
{
    struct anm_cursor c = anm_cursor(record->bytes, record->size, err);
    const uint8_t *head = anm_get_bytes(&c, HEAD, "AnimGroup");
    *view = (struct niff_view){.bytes = record->bytes, .size = record->size};
    if (!head)
        return -1;
    if (niff_word(head, NIFF_G_TAG) != NIFF_GROUP_TAG)
        return anm_fail_at(err, 0, "tag 0x%08x, expected 0x%08x (AnimGroup)", niff_word(head, NIFF_G_TAG),
                           NIFF_GROUP_TAG);
    uint32_t block = niff_word(head, NIFF_G_BLOCK), user = niff_word(head, NIFF_G_USER);
    view->anims = niff_word(head, NIFF_G_COUNT);
    if (skip_anims(&c, view->anims))
        return -1;
    view->block = c.pos;
    if (block > anm_left(&c))
        return anm_fail_at(err, 4 * (size_t)NIFF_G_BLOCK,
                           "the Nintendo block has %u bytes, and %zu are left in the record", block, anm_left(&c));
    view->user = view->block + block;
    if (user > view->size - view->user)
        return anm_fail_at(err, 4 * (size_t)NIFF_G_USER, "the user block has %u bytes, and %zu are left in the record",
                           user, view->size - view->user);
    view->rest = view->user + user;
    view->extra = view->block;
    view->has_channels = two && block >= BLOCK_HEAD;
    return view->has_channels ? find_channels(view, view->user, err) : 0;
}

/* --- building --- */

int niff_build_from(struct niff_build *build, const struct niff_view *v)
{
    *build = (struct niff_build){.was = v->size, .has_channels = v->has_channels};
    for (size_t i = 0; i < NIFF_GROUP_WORDS; i++)
        build->head[i] = niff_word(v->bytes, i);
    for (size_t i = 0; v->has_channels && i < NIFF_BLOCK_WORDS; i++)
        build->block[i] = niff_word(v->bytes + v->block, i);
    anm_buf_put(&build->anims, v->bytes + HEAD, v->block - HEAD);
    bool failed = build->anims.failed;
    for (unsigned i = 0; v->has_channels && i < NIFF_CHANNELS; i++) {
        anm_buf_put(&build->keys[i], v->bytes + v->keys[i], v->count[i] * 4 * niff_channel_words(i));
        failed |= build->keys[i].failed;
    }
    anm_buf_put(&build->extra, v->bytes + v->extra, v->user - v->extra);
    anm_buf_put(&build->user, v->bytes + v->user, v->rest - v->user);
    anm_buf_put(&build->rest, v->bytes + v->rest, v->size - v->rest);
    return failed || build->extra.failed || build->user.failed || build->rest.failed ? -1 : 0;
}

void niff_build_empty(struct niff_build *build, bool two)
{
    *build = (struct niff_build){.has_channels = two};
    build->head[NIFF_G_TAG] = NIFF_GROUP_TAG;
    build->head[NIFF_G_HEADER_SIZE] = HEAD;
    build->head[NIFF_G_NAME] = NIFF_NONE;
    build->head[NIFF_G_ORDER] = 0x00010203; /* XYZ */
    for (size_t i = NIFF_B_PAIR; i < NIFF_BLOCK_WORDS; i++)
        build->block[i] = NIFF_NONE;
}

void niff_build_free(struct niff_build *build)
{
    anm_buf_free(&build->anims);
    for (unsigned i = 0; i < NIFF_CHANNELS; i++)
        anm_buf_free(&build->keys[i]);
    anm_buf_free(&build->extra);
    anm_buf_free(&build->user);
    anm_buf_free(&build->rest);
}

/* Numbers the Anim records of *buf, and counts them. */
static uint32_t number_anims(struct anm_buf *buf)
{
    uint32_t count = 0;
    for (size_t at = 0; at < buf->size; count++) {
        niff_set_word(buf->data + at, 1, count);
        at += niff_word(buf->data + at, 2);
    }
    return count;
}

static void put_words(struct anm_buf *out, const uint32_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        anm_buf_u32be(out, words[i]);
}

struct anm_blob *niff_build_record(const struct niff_build *build, struct anm_error *err)
{
    ANM_AUTO(anm_buf_free) struct anm_buf anims = {0}, block = {0}, out = {0};
    anm_buf_put(&anims, build->anims.data, build->anims.size);
    uint32_t head[NIFF_GROUP_WORDS], words[NIFF_BLOCK_WORDS];
    memcpy(head, build->head, sizeof head);
    memcpy(words, build->block, sizeof words);
    for (unsigned i = 0; i < NIFF_CHANNELS; i++)
        words[NIFF_B_COUNT + i] = (uint32_t)(build->keys[i].size / (4 * niff_channel_words(i)));
    if (build->has_channels)
        put_words(&block, words, NIFF_BLOCK_WORDS);
    for (unsigned i = 0; build->has_channels && i < NIFF_CHANNELS; i++)
        anm_buf_put(&block, build->keys[i].data, build->keys[i].size);
    anm_buf_put(&block, build->extra.data, build->extra.size);
    size_t size = HEAD + anims.size + block.size + build->user.size + build->rest.size;
    if (size > INT32_MAX) {
        anm_fail(err, ANM_LIMIT, "the AnimGroup would have %zu bytes", size);
        return NULL;
    }
    head[NIFF_G_SIZE] += (uint32_t)(size - build->was);
    head[NIFF_G_COUNT] = anims.failed ? 0 : number_anims(&anims);
    head[NIFF_G_BLOCK] = (uint32_t)block.size;
    head[NIFF_G_USER] = (uint32_t)build->user.size;
    put_words(&out, head, NIFF_GROUP_WORDS);
    anm_buf_put(&out, anims.data, anims.size);
    anm_buf_put(&out, block.data, block.size);
    anm_buf_put(&out, build->user.data, build->user.size);
    anm_buf_put(&out, build->rest.data, build->rest.size);
    bool failed = anims.failed || block.failed || out.failed;
    struct anm_blob *record = failed ? NULL : anm_blob_new(out.data, out.size);
    if (!record)
        anm_fail_nomem(err);
    return record;
}
