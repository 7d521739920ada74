/* SPDX-License-Identifier: MIT */
#include "niff_build.h"

#include <string.h>

#define NONE 0xffffffffu

/* Words: of the head of a list, and of one with two counts. */
enum { HEAD_SIZE = 24, HEAD_SIZE_2 = 28, FILE_HEAD_SIZE = 100 };

static const uint32_t channel_floats[NIF_CHANNELS] = {8, 2, 2, 2, 12, 6, 6, 6};

static const uint32_t list_tags[NIF_LISTS] = {
    0x00010000, 0x00100000, 0x000e0000, 0x000f0000, 0x00020000, 0x00030000, 0x00040000,
    0x00080000, 0x00050000, 0x00060000, 0x00070000, 0x00090000, 0x000a0000, 0x000b0000,
    0x00120000, 0x000c0000, 0x000d0000, 0x00130000, 0x00110000, 0x00200000, 0x00210000,
    0x00220000, 0x00280000, 0x00230000, 0x00240000, 0x00250000, 0x00260000, 0x00270000,
};

uint32_t nif_tag(enum nif_list list)
{
    return list_tags[list];
}

size_t nif_size_at(enum nif_list list)
{
    /* The sizes stand in the order of the body, but that of TriList behind that of StList. */
    static const uint8_t at[NIF_CI_IMG] = {16, 20, 24, 28, 32, 36, 40, 56, 44, 48, 52, 60, 64, 68, 72, 76, 80, 84, 88};
    return list < NIF_CI_IMG ? at[list] : FILE_HEAD_SIZE + 4 * (size_t)(list - NIF_CI_IMG);
}

static bool has_two_counts(enum nif_list list)
{
    return list == NIF_COLOR || list == NIF_VECTOR;
}

/* --- words --- */

static void word(struct anm_buf *out, uint32_t value)
{
    anm_buf_u32be(out, value);
}

static void words(struct anm_buf *out, uint32_t count, uint32_t value)
{
    while (count--)
        word(out, value);
}

/* 0xffffffff for 0, which is no link. */
static void link_to(struct anm_buf *out, uint32_t link)
{
    word(out, link - 1);
}

static void floats(struct anm_buf *out, const float *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        word(out, bits);
    }
}

static void indices(struct anm_buf *out, const uint32_t *at, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        word(out, at[i]);
}

static void bytes(struct anm_buf *out, struct nif_bytes data)
{
    anm_buf_put(out, data.at, data.size);
}

uint32_t nif_get(const struct anm_buf *file, size_t at)
{
    const uint8_t *b = file->data + at;
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

void nif_set(struct anm_buf *file, size_t at, uint32_t value)
{
    if (file->failed)
        return;
    for (int i = 0; i < 4; i++)
        file->data[at + (size_t)i] = (uint8_t)(value >> (24 - 8 * i));
}

void nif_insert(struct anm_buf *file, size_t at, size_t size)
{
    uint8_t *room = anm_buf_room(file, size);
    if (!room)
        return;
    memmove(file->data + at + size, file->data + at, file->size - at);
    memset(file->data + at, 0xa5, size);
    file->size += size;
}

/* --- lists --- */

/* A list under construction: its records, and the table of their sizes. */
struct list {
    enum nif_list kind;
    struct anm_buf table, records;
    size_t start; /* of the record that is being written */
    uint32_t counts[2];
    uint32_t record_tag;
};

/* Its first words: tag and index. */
static void start_record(struct list *list)
{
    list->start = list->records.size;
    word(&list->records, list->record_tag);
    word(&list->records, list->counts[0]);
}

/* `size_word` of the record becomes its size; the table counts the slack, too. */
static void end_record(struct list *list, size_t size_word, struct nif_bytes slack)
{
    nif_set(&list->records, list->start + 4 * size_word, (uint32_t)(list->records.size - list->start));
    bytes(&list->records, slack);
    word(&list->table, (uint32_t)(list->records.size - list->start));
    list->counts[0]++;
}

static void put_list(struct anm_buf *out, const struct list *list, const struct nif_blocks *blocks)
{
    uint32_t head = has_two_counts(list->kind) ? HEAD_SIZE_2 : HEAD_SIZE;
    uint32_t header_size = head + (uint32_t)list->table.size;
    word(out, list_tags[list->kind]);
    word(out, header_size);
    word(out, header_size + (uint32_t)(list->records.size + blocks->nintendo.size + blocks->user.size));
    word(out, list->counts[0]);
    if (has_two_counts(list->kind))
        word(out, list->counts[1]);
    word(out, (uint32_t)blocks->nintendo.size);
    word(out, (uint32_t)blocks->user.size);
    anm_buf_put(out, list->table.data, list->table.size);
    anm_buf_put(out, list->records.data, list->records.size);
    bytes(out, blocks->nintendo);
    bytes(out, blocks->user);
}

static const struct nif_bytes no_bytes;

/* --- records of other lists --- */

static void put_names(struct list *list, const struct nif_name *names, uint32_t count)
{
    if (list->kind == NIF_NAME)
        list->record_tag = 0x00110100;
    for (uint32_t i = 0; i < count; i++) {
        size_t length = strlen(names[i].text);
        start_record(list);
        word(&list->records, 16);
        word(&list->records, 0);
        anm_buf_puts(&list->records, names[i].text);
        for (size_t nuls = (4 - length % 4) % 4 + names[i].nuls; nuls > 0; nuls--)
            anm_buf_u8(&list->records, 0);
        end_record(list, 3, no_bytes);
    }
}

static void put_objs(struct list *list, const struct nif_file *file)
{
    struct anm_buf *out = &list->records;
    for (uint32_t i = 0; i < file->objs.count; i++) {
        const struct nif_obj *obj = &file->objs.at[i];
        uint32_t block = file->two ? 28 + (obj->chain_root ? 4 : 0) : 0;
        start_record(list);
        word(out, 0);
        link_to(out, obj->name);
        words(out, 9, 0);
        word(out, obj->lods.count);
        word(out, obj->children.count);
        link_to(out, obj->parent);
        words(out, 2, NONE); /* shape, material */
        link_to(out, obj->anim);
        word(out, NONE); /* collision */
        word(out, block);
        word(out, 0);
        words(out, obj->lods.count, 0x41200000);
        indices(out, obj->lods.at, obj->lods.count);
        indices(out, obj->children.at, obj->children.count);
        if (block) {
            words(out, 4, 0);
            word(out, obj->chain_root ? 1 : 0);
            words(out, 2, 0);
        }
        if (block > 28)
            link_to(out, obj->chain_root);
        end_record(list, 2, no_bytes);
    }
}

static void put_cams(struct list *list, const struct nif_file *file)
{
    struct anm_buf *out = &list->records;
    for (uint32_t i = 0; i < file->cams.count; i++) {
        const struct nif_cam *cam = &file->cams.at[i];
        start_record(list);
        word(out, 0);
        link_to(out, cam->name);
        word(out, 0);
        words(out, 9, 0x3f800000);
        link_to(out, cam->look_at);
        link_to(out, cam->eye);
        link_to(out, cam->up);
        word(out, file->two ? 24 : 0);
        word(out, 0);
        if (file->two)
            words(out, 6, NONE);
        end_record(list, 2, no_bytes);
    }
}

static void put_chain_roots(struct list *list, const struct nif_node *nodes, uint32_t count)
{
    struct anm_buf *out = &list->records;
    for (uint32_t i = 0; i < count; i++) {
        start_record(list);
        word(out, 0);
        link_to(out, nodes[i].name);
        word(out, 0);
        word(out, nodes[i].objs.count);
        word(out, 0);
        link_to(out, nodes[i].anim);
        link_to(out, nodes[i].joint);
        words(out, 2, 0);
        indices(out, nodes[i].objs.at, nodes[i].objs.count);
        end_record(list, 2, no_bytes);
    }
}

static void put_joints(struct list *list, const struct nif_node *nodes, uint32_t count)
{
    struct anm_buf *out = &list->records;
    for (uint32_t i = 0; i < count; i++) {
        start_record(list);
        word(out, 0);
        link_to(out, nodes[i].name);
        word(out, 0);
        words(out, 4, 0x3f800000);
        word(out, nodes[i].objs.count);
        word(out, 0);
        link_to(out, nodes[i].joint);
        link_to(out, nodes[i].effector);
        link_to(out, nodes[i].anim);
        words(out, 2, 0);
        indices(out, nodes[i].objs.at, nodes[i].objs.count);
        end_record(list, 2, no_bytes);
    }
}

static void put_effectors(struct list *list, const struct nif_node *nodes, uint32_t count)
{
    struct anm_buf *out = &list->records;
    for (uint32_t i = 0; i < count; i++) {
        start_record(list);
        word(out, 0);
        link_to(out, nodes[i].name);
        word(out, 0);
        word(out, nodes[i].objs.count);
        word(out, 0);
        link_to(out, nodes[i].anim);
        words(out, 2, 0);
        indices(out, nodes[i].objs.at, nodes[i].objs.count);
        end_record(list, 2, no_bytes);
    }
}

static void put_switches(struct list *list, const struct nif_file *file)
{
    struct anm_buf *out = &list->records;
    for (uint32_t i = 0; i < file->switches.count; i++) {
        const struct nif_switch *node = &file->switches.at[i];
        start_record(list);
        word(out, 0);
        word(out, list_tags[node->list]);
        word(out, 0);
        word(out, node->destinations.count);
        words(out, 3, 0);
        for (uint32_t value = 0; value < node->destinations.count; value++)
            word(out, value);
        indices(out, node->destinations.at, node->destinations.count);
        end_record(list, 2, no_bytes);
    }
}

/* One record that nobody looks into. */
static void put_filler(struct list *list)
{
    start_record(list);
    word(&list->records, 0);
    words(&list->records, 1, 0x7fc00001);
    end_record(list, 2, no_bytes);
}

/* --- AnimGroups --- */

static uint32_t anim_tag(const struct nif_group *group, const struct nif_anim *anim)
{
    static const uint32_t of_type[] = {0x000c0101, 0x000c0102, 0x000c0103, 0x000c0104, 0x000c0105};
    return anim->tag ? anim->tag : of_type[group->type];
}

static void put_transform(struct anm_buf *out, const struct nif_anim *anim)
{
    floats(out, anim->move, 3);
    floats(out, anim->turn, 3);
    word(out, anim->flag);
    floats(out, anim->scale, 3);
}

static void put_anim(struct anm_buf *out, const struct nif_group *group, uint32_t i)
{
    const struct nif_anim *anim = &group->anims.at[i];
    size_t start = out->size;
    uint32_t tag = anim_tag(group, anim);
    word(out, tag);
    word(out, i);
    word(out, 0);
    switch (tag) {
    case 0x000c0104:
        word(out, anim->key);
        word(out, i + 1 < group->anims.count ? anim[1].key : NONE);
        word(out, anim->interpolation);
        put_transform(out, anim);
        break;
    case 0x000c0105:
        link_to(out, anim->look_at);
        link_to(out, anim->up);
        break;
    case 0x000c0102:
        bytes(out, anim->raw);
        break;
    default:
        put_transform(out, anim);
    }
    nif_set(out, start + 8, (uint32_t)(out->size - start));
}

/* The flags: a bit for each channel with keys, for each constraint that is used. */
static uint32_t used(const struct nif_group *group)
{
    uint32_t use = group->use_xor;
    for (uint32_t i = 0, seen = 0; i < group->keys.count; i++) {
        uint32_t bit = 1u << group->keys.at[i].channel;
        use ^= bit & ~seen;
        seen |= bit;
    }
    for (unsigned i = 0; i < NIF_CONSTRAINTS; i++)
        if (group->targets[i].link || group->outsides[i].file || group->outsides[i].obj)
            use ^= 0x100u << i;
    return use;
}

static void put_channels(struct anm_buf *out, const struct nif_group *group)
{
    word(out, used(group));
    for (unsigned channel = 0; channel < NIF_CHANNELS; channel++) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < group->keys.count; i++)
            count += group->keys.at[i].channel == channel;
        word(out, count);
    }
    for (unsigned i = 0; i < NIF_CONSTRAINTS; i++) {
        word(out, group->targets[i].link ? list_tags[group->targets[i].list] : NONE);
        link_to(out, group->targets[i].link);
    }
    for (unsigned i = 0; i < NIF_CONSTRAINTS; i++) {
        link_to(out, group->outsides[i].file);
        link_to(out, group->outsides[i].obj);
    }
    for (uint32_t i = 0; i < group->keys.count; i++) {
        const struct nif_key *key = &group->keys.at[i];
        word(out, key->interpolation);
        word(out, key->key);
        floats(out, key->values, channel_floats[key->channel]);
    }
}

static void put_groups(struct list *list, const struct nif_file *file)
{
    struct anm_buf *out = &list->records;
    for (uint32_t i = 0; i < file->groups.count; i++) {
        const struct nif_group *group = &file->groups.at[i];
        start_record(list);
        word(out, group->header_size ? group->header_size : 48);
        word(out, 0);
        link_to(out, group->name);
        word(out, group->type);
        word(out, group->rate);
        word(out, group->anims.count);
        word(out, group->loop);
        word(out, group->order ? group->order : 0x00010203);
        words(out, 2, 0);
        for (uint32_t k = 0; k < group->anims.count; k++)
            put_anim(out, group, k);
        size_t block = out->size;
        if (file->two && !group->bare)
            put_channels(out, group);
        bytes(out, group->more);
        nif_set(out, list->start + 40, (uint32_t)(out->size - block));
        bytes(out, group->user);
        nif_set(out, list->start + 44, (uint32_t)group->user.size);
        end_record(list, 3, group->slack);
    }
}

/* --- the file --- */

static void put_scene(struct anm_buf *out, const struct nif_file *file)
{
    uint32_t block = file->two ? 20 + 4 * file->chain_roots.count : 0;
    word(out, list_tags[NIF_SCENE]);
    word(out, 44);
    word(out, 44 + 4 * (file->roots.count + file->cams.count) + block);
    word(out, 0);
    link_to(out, file->scene_name);
    word(out, file->roots.count);
    word(out, 0);
    word(out, file->cams.count);
    word(out, 0);
    word(out, block);
    word(out, 0);
    indices(out, file->roots.at, file->roots.count);
    for (uint32_t i = 0; i < file->cams.count; i++)
        word(out, i);
    if (!file->two)
        return;
    word(out, file->chain_roots.count);
    words(out, 4, 0);
    for (uint32_t i = 0; i < file->chain_roots.count; i++)
        word(out, i);
}

static void put_records(struct list *list, const struct nif_file *file)
{
    switch (list->kind) {
    case NIF_OBJ:
        put_objs(list, file);
        break;
    case NIF_CAM:
        put_cams(list, file);
        break;
    case NIF_SWITCH:
        put_switches(list, file);
        break;
    case NIF_ANIM:
        put_groups(list, file);
        break;
    case NIF_NAME:
        put_names(list, file->names.at, file->names.count);
        break;
    case NIF_EXTERNAL:
        put_names(list, file->externals.at, file->externals.count);
        break;
    case NIF_CHAIN_ROOT:
        put_chain_roots(list, file->chain_roots.at, file->chain_roots.count);
        break;
    case NIF_JOINT:
        put_joints(list, file->joints.at, file->joints.count);
        break;
    case NIF_EFFECTOR:
        put_effectors(list, file->effectors.at, file->effectors.count);
        break;
    default:
        if (file->filled)
            put_filler(list);
    }
}

static void put(struct anm_buf *out, const struct nif_file *file, enum nif_list kind)
{
    struct list list = {.kind = kind, .record_tag = list_tags[kind] + 0x100};
    size_t start = out->size;
    if (file->absent[kind])
        return;
    if (kind == NIF_SCENE) {
        put_scene(out, file);
    } else {
        put_records(&list, file);
        put_list(out, &list, &file->blocks[kind]);
        out->failed |= list.table.failed | list.records.failed;
        anm_buf_free(&list.table);
        anm_buf_free(&list.records);
    }
    nif_set(out, nif_size_at(kind), (uint32_t)(out->size - start));
}

void nif_build(struct anm_buf *out, const struct nif_file *file)
{
    uint32_t block = (file->two ? 36 : 0) + (uint32_t)file->more.size;
    words(out, FILE_HEAD_SIZE / 4 + (file->two ? 9 : 0), 0);
    nif_set(out, 0, file->two ? 0x02010200 : 0x05000100);
    nif_set(out, 12, FILE_HEAD_SIZE + block + (uint32_t)file->user.size);
    nif_set(out, 92, block);
    nif_set(out, 96, (uint32_t)file->user.size);
    bytes(out, file->more);
    bytes(out, file->user);
    for (enum nif_list kind = 0; kind < (file->two ? NIF_LISTS : NIF_CI_IMG); kind++) {
        if (kind != NIF_TRI || !file->tri_late)
            put(out, file, kind);
        if (kind == NIF_ST && file->tri_late)
            put(out, file, NIF_TRI);
    }
    bytes(out, file->tail);
    nif_set(out, 4, (uint32_t)out->size);
}
