/* SPDX-License-Identifier: MIT */
#include "niff_build.h"

#include <stdarg.h>
#include <stdio.h>

#define NONE 0xffffffffu
#define BY_SWITCH 0x80000000u

/* --- finding the way --- */

static uint32_t head_of(enum nif_list list)
{
    return list == NIF_COLOR || list == NIF_VECTOR ? 28 : 24;
}

size_t nif_list_at(const struct anm_buf *file, enum nif_list list)
{
    size_t at = nif_get(file, 12), end = nif_get(file, 4);
    while (at + 12 <= end && nif_get(file, at) != nif_tag(list) && nif_get(file, at + 8) >= 12)
        at += nif_get(file, at + 8);
    return at + 12 <= end && nif_get(file, at) == nif_tag(list) ? at : 0;
}

uint32_t nif_count(const struct anm_buf *file, enum nif_list list)
{
    size_t at = nif_list_at(file, list);
    return at ? nif_get(file, at + 12) + (head_of(list) == 28 ? nif_get(file, at + 16) : 0) : 0;
}

size_t nif_entry_at(const struct anm_buf *file, enum nif_list list, uint32_t i)
{
    return nif_list_at(file, list) + head_of(list) + 4 * (size_t)i;
}

size_t nif_record_at(const struct anm_buf *file, enum nif_list list, uint32_t i)
{
    size_t at = nif_entry_at(file, list, nif_count(file, list));
    for (uint32_t before = 0; before < i; before++)
        at += nif_get(file, nif_entry_at(file, list, before));
    return at;
}

void nif_name_of(const struct anm_buf *file, uint32_t index, struct anm_buf *out)
{
    size_t at = nif_record_at(file, NIF_NAME, index);
    for (size_t k = at + 16; k < at + nif_get(file, at + 12) && file->data[k]; k++)
        anm_buf_u8(out, file->data[k]);
}

/* --- whether all agrees --- */

struct walk {
    struct anm_buf file; /* borrowed */
    char *why;
    bool two;
    uint32_t counts[NIF_LISTS]; /* records of each list */
    size_t lists[NIF_LISTS];    /* where each is; 0: absent */
};

__attribute__((format(printf, 3, 4))) static bool fail(struct walk *walk, size_t at, const char *format, ...)
{
    va_list args;
    int size = snprintf(walk->why, 200, "0x%zx: ", at);
    va_start(args, format);
    vsnprintf(walk->why + size, 200 - (size_t)size, format, args);
    va_end(args);
    return false;
}

/* Behind the end of the file there is nothing. */
static uint32_t get(const struct walk *walk, size_t at)
{
    return at < walk->file.size && walk->file.size - at >= 4 ? nif_get(&walk->file, at) : 0;
}

/* The word is this. */
static bool is(struct walk *walk, size_t at, size_t value, const char *what)
{
    return get(walk, at) == value || fail(walk, at, "%s is %u, not %zu", what, get(walk, at), value);
}

/* The word is no link, or one to an existing record of the list. */
static bool links(struct walk *walk, size_t at, enum nif_list list, const char *what)
{
    uint32_t link = get(walk, at);
    if (link != NONE && link & BY_SWITCH) {
        link &= ~BY_SWITCH;
        list = NIF_SWITCH;
    }
    return link == NONE || link < walk->counts[list] ||
           fail(walk, at, "%s is %#x, of %u", what, get(walk, at), walk->counts[list]);
}

static bool all_link(struct walk *walk, size_t at, uint32_t count, enum nif_list list, const char *what)
{
    for (uint32_t i = 0; i < count; i++)
        if (!links(walk, at + 4 * (size_t)i, list, what))
            return false;
    return true;
}

/* Finds the lists: each fits, begins as one, and has the size the file header says. */
static bool find_lists(struct walk *walk, size_t tail)
{
    size_t at = get(walk, 12), end = walk->file.size - tail;
    while (at < end) {
        enum nif_list list = 0;
        while (list < NIF_LISTS && (at + 12 > end || get(walk, at) != nif_tag(list)))
            list++;
        if (list == NIF_LISTS || walk->lists[list])
            return fail(walk, at, "no list, or one that was there already");
        if (list >= NIF_CI_IMG && !walk->two)
            return fail(walk, at, "a list of NIFF 2.0");
        uint32_t size = get(walk, at + 8);
        if (size < 24 || size > end - at || size % 4)
            return fail(walk, at + 8, "a list of %u bytes, where %zu are left", size, end - at);
        walk->lists[list] = at;
        at += size;
    }
    for (enum nif_list list = 0; list < (walk->two ? NIF_LISTS : NIF_CI_IMG); list++)
        if (!is(walk, nif_size_at(list), walk->lists[list] ? get(walk, walk->lists[list] + 8) : 0, "size of a list"))
            return false;
    return true;
}

static bool walk_head(struct walk *walk, size_t tail)
{
    size_t size = walk->file.size;
    if (size < 100 || size < tail + 100)
        return fail(walk, size, "no file header");
    walk->two = (get(walk, 0) & 0xffff) == 0x0200;
    if (!walk->two && (get(walk, 0) & 0xffff) != 0x0100)
        return fail(walk, 0, "version %#x", get(walk, 0));
    if (get(walk, 92) > size || get(walk, 96) > size || get(walk, 12) > size - tail ||
        get(walk, 92) < (walk->two ? 36u : 0u))
        return fail(walk, 12, "a file header of %u, blocks of %u and %u", get(walk, 12), get(walk, 92), get(walk, 96));
    return is(walk, 4, size, "file_size") && is(walk, 8, 0, "header_tag") &&
           is(walk, 12, 100 + (size_t)get(walk, 92) + get(walk, 96), "file_header_num_byte") && find_lists(walk, tail);
}

/* A list's header and the sizes in its table fill it. */
static bool walk_table(struct walk *walk, enum nif_list list)
{
    size_t at = walk->lists[list], head = head_of(list), size = get(walk, at + 8);
    uint64_t count = get(walk, at + 12), sum = head;
    if (head == 28)
        count += get(walk, at + 16);
    if (count > size / 4)
        return fail(walk, at + 12, "%ju records", (uintmax_t)count);
    walk->counts[list] = (uint32_t)count;
    sum += 4 * count + get(walk, at + head - 8) + get(walk, at + head - 4);
    for (uint32_t i = 0; i < count; i++)
        sum += get(walk, at + head + 4 * (size_t)i);
    return is(walk, at + 4, head + 4 * count, "list_header_size") && is(walk, at + 8, sum, "list_size");
}

/* A record's size is `fixed`, the arrays and both blocks; where they are is said by the word of the first. */
static bool fills(struct walk *walk, size_t at, size_t fixed, size_t blocks_at, size_t size)
{
    uint64_t sum = (uint64_t)fixed + get(walk, at + blocks_at) + get(walk, at + blocks_at + 4);
    return sum == size || fail(walk, at, "a record of %zu, what is in it has %ju", size, (uintmax_t)sum);
}

static bool walk_scene(struct walk *walk, size_t at)
{
    uint32_t objs = get(walk, at + 20), envs = get(walk, at + 24), cams = get(walk, at + 28);
    size_t size = get(walk, at + 8), arrays = 4 * ((size_t)objs + envs + cams + get(walk, at + 32));
    return is(walk, at + 4, 44, "header size of the scene") && fills(walk, at, 44 + arrays, 36, size) &&
           links(walk, at + 16, NIF_NAME, "name of the scene") &&
           all_link(walk, at + 44, objs, NIF_OBJ, "obj of the scene") &&
           all_link(walk, at + 44 + 4 * ((size_t)objs + envs), cams, NIF_CAM, "camera of the scene");
}

static bool walk_obj(struct walk *walk, size_t at, size_t size)
{
    uint32_t lods = get(walk, at + 52), children = get(walk, at + 56);
    return fills(walk, at, 88 + 8 * (size_t)lods + 4 * (size_t)children, 80, size) &&
           links(walk, at + 12, NIF_NAME, "name of an obj") && links(walk, at + 60, NIF_OBJ, "parent") &&
           links(walk, at + 72, NIF_ANIM, "animation of an obj") &&
           all_link(walk, at + 88 + 4 * (size_t)lods, lods, NIF_OBJ, "detail") &&
           all_link(walk, at + 88 + 8 * (size_t)lods, children, NIF_OBJ, "child");
}

static bool walk_cam(struct walk *walk, size_t at, size_t size)
{
    return fills(walk, at, 76, 68, size) && links(walk, at + 12, NIF_NAME, "name of a camera") &&
           all_link(walk, at + 56, 3, NIF_OBJ, "obj of a camera");
}

/* ChainRoot, Joint or Effector: where their words are. */
static bool walk_node(struct walk *walk, size_t at, size_t size, enum nif_list list)
{
    size_t fixed = list == NIF_CHAIN_ROOT ? 44 : list == NIF_JOINT ? 64 : 40;
    size_t anim = list == NIF_JOINT ? 52 : 28, objs_at = list == NIF_JOINT ? 36 : 20;
    uint32_t objs = get(walk, at + objs_at), outside = get(walk, at + objs_at + 4);
    return fills(walk, at, fixed + 4 * (size_t)objs + 8 * (size_t)outside, fixed - 8, size) &&
           links(walk, at + 12, NIF_NAME, "name of a node") &&
           links(walk, at + anim, NIF_ANIM, "animation of a node") &&
           all_link(walk, at + fixed, objs, NIF_OBJ, "obj of a node");
}

static bool walk_switch(struct walk *walk, size_t at, size_t size)
{
    uint32_t cases = get(walk, at + 20);
    return fills(walk, at, 36 + 8 * (size_t)cases, 28, size) &&
           (get(walk, at + 12) != nif_tag(NIF_ANIM) ||
            all_link(walk, at + 36 + 4 * (size_t)cases, cases, NIF_ANIM, "animation of a switch"));
}

static bool walk_name(struct walk *walk, size_t at, size_t size)
{
    return size >= 16 && is(walk, at + 8, 16, "name_header_size");
}

/* --- AnimGroups --- */

/* One Anim record; a KEY names the key of the next. */
static bool walk_anim(struct walk *walk, size_t at, size_t end, uint32_t i, bool last)
{
    if (end < at || end - at < 12)
        return fail(walk, at, "no room for an Anim");
    uint32_t tag = get(walk, at), size = get(walk, at + 8);
    uint32_t want = tag == 0x000c0104 ? 64 : tag == 0x000c0105 ? 20 : tag == 0x000c0102 ? size : 52;
    if (tag < 0x000c0101 || tag > 0x000c0105 || size != want || size < 12 || size % 4 || size > end - at)
        return fail(walk, at, "an Anim %#x of %u bytes", tag, size);
    if (tag == 0x000c0104 && last && !is(walk, at + 16, NONE, "last next_key"))
        return false;
    if (tag == 0x000c0104 && !last && get(walk, at + size) == tag &&
        !is(walk, at + 16, get(walk, at + size + 12), "next_key"))
        return false;
    if (tag == 0x000c0105 && !all_link(walk, at + 12, 2, NIF_OBJ, "obj of a billboard"))
        return false;
    return is(walk, at + 4, i, "this_anim_index");
}

static bool walk_targets(struct walk *walk, size_t pairs)
{
    static const enum nif_list lists[] = {NIF_OBJ, NIF_CHAIN_ROOT, NIF_JOINT, NIF_EFFECTOR};
    for (size_t at = pairs; at < pairs + 56; at += 8) {
        unsigned kind = 0;
        if (get(walk, at) == NONE && is(walk, at + 4, NONE, "link of an unused constraint"))
            continue;
        while (kind < 4 && get(walk, at) != nif_tag(lists[kind]))
            kind++;
        if (kind == 4 || !links(walk, at + 4, lists[kind], "target of a constraint"))
            return fail(walk, at, "a constraint %#x %#x", get(walk, at), get(walk, at + 4));
    }
    return all_link(walk, pairs + 56, 14, NIF_EXTERNAL, "name of another file");
}

/* Bits are set where there is something. */
static bool walk_use(struct walk *walk, size_t block)
{
    uint32_t use = 0;
    for (unsigned channel = 0; channel < NIF_CHANNELS; channel++)
        use |= get(walk, block + 4 + 4 * (size_t)channel) ? 1u << channel : 0;
    for (unsigned i = 0; i < NIF_CONSTRAINTS; i++) {
        size_t pair = block + 36 + 8 * (size_t)i;
        bool there = get(walk, pair) != NONE || get(walk, pair + 56) != NONE || get(walk, pair + 60) != NONE;
        use |= there ? 0x100u << i : 0;
    }
    return is(walk, block, use, "use_animation_channel");
}

static bool walk_channels(struct walk *walk, size_t block, size_t size)
{
    static const uint8_t key_sizes[NIF_CHANNELS] = {40, 16, 16, 16, 56, 32, 32, 32};
    uint64_t sum = 148;
    if (size < sum)
        return fail(walk, block, "a block of %zu bytes", size);
    for (unsigned channel = 0; channel < NIF_CHANNELS; channel++) {
        uint32_t count = get(walk, block + 4 + 4 * (size_t)channel);
        size_t keys = block + sum;
        sum += (uint64_t)count * key_sizes[channel];
        if (sum > size)
            return fail(walk, block + 4 + 4 * (size_t)channel, "%u keys in a block of %zu", count, size);
        for (uint32_t i = 1; i < count; i++)
            if (get(walk, keys + 4 + (size_t)i * key_sizes[channel]) <=
                get(walk, keys + 4 + (size_t)(i - 1) * key_sizes[channel]))
                return fail(walk, keys, "keys do not ascend");
    }
    return walk_use(walk, block) && walk_targets(walk, block + 36);
}

static bool walk_group(struct walk *walk, size_t at, size_t size)
{
    uint32_t count = get(walk, at + 28);
    size_t anim = at + 48, block = get(walk, at + 40), user = get(walk, at + 44), end = at + size;
    if (size < 48 || block + user > size - 48 || count > size / 12)
        return fail(walk, at, "a group of %zu bytes", size);
    for (uint32_t i = 0; i < count; i++) {
        if (!walk_anim(walk, anim, end - block - user, i, i + 1 == count))
            return false;
        anim += get(walk, anim + 8);
    }
    if (anim + block + user != end)
        return fail(walk, anim, "blocks of %zu and %zu bytes in the %zu left of a group", block, user, end - anim);
    return links(walk, at + 16, NIF_NAME, "anim_name_index") && (!walk->two || walk_channels(walk, anim, block));
}

/* --- records --- */

static bool walk_record(struct walk *walk, enum nif_list list, size_t at, size_t size)
{
    switch (list) {
    case NIF_OBJ:
        return walk_obj(walk, at, size);
    case NIF_CAM:
        return walk_cam(walk, at, size);
    case NIF_CHAIN_ROOT:
    case NIF_JOINT:
    case NIF_EFFECTOR:
        return walk_node(walk, at, size, list);
    case NIF_SWITCH:
        return walk_switch(walk, at, size);
    case NIF_NAME:
    case NIF_EXTERNAL:
        return walk_name(walk, at, size);
    case NIF_ANIM:
        return walk_group(walk, at, size);
    default:
        return true;
    }
}

/* The lists whose records are known, and with the size in word 2, but for Names and AnimGroups. */
static bool is_known(enum nif_list list)
{
    return list == NIF_OBJ || list == NIF_CAM || list == NIF_SWITCH || list == NIF_NAME || list == NIF_ANIM ||
           (list >= NIF_CHAIN_ROOT && list <= NIF_EXTERNAL);
}

static bool walk_records(struct walk *walk, enum nif_list list)
{
    size_t head = walk->lists[list] + head_of(list), at = head + 4 * (size_t)walk->counts[list];
    bool has_header = list == NIF_NAME || list == NIF_EXTERNAL || list == NIF_ANIM;
    for (uint32_t i = 0; i < walk->counts[list]; i++) {
        size_t size = get(walk, head + 4 * (size_t)i);
        if (size % 4 || size < 16)
            return fail(walk, head + 4 * (size_t)i, "a record of %zu bytes", size);
        if (!is(walk, at, list == NIF_NAME ? 0x00110100 : nif_tag(list) + 0x100, "tag of a record") ||
            !is(walk, at + 4, i, "index of a record") ||
            !is(walk, at + (has_header ? 12 : 8), size, "size of a record") || !walk_record(walk, list, at, size))
            return false;
        at += size;
    }
    return true;
}

bool nif_walk_ok(const uint8_t *bytes, size_t size, size_t tail, char why[200])
{
    struct walk walk = {.file = {.data = (uint8_t *)(uintptr_t)bytes, .size = size}, .why = why};
    *why = 0;
    if (!walk_head(&walk, tail))
        return false;
    for (enum nif_list list = NIF_ENV; list < NIF_LISTS; list++)
        if (walk.lists[list] && !walk_table(&walk, list))
            return false;
    if (!walk.lists[NIF_SCENE])
        return fail(&walk, 16, "no scene");
    if (!walk_scene(&walk, walk.lists[NIF_SCENE]))
        return false;
    for (enum nif_list list = NIF_ENV; list < NIF_LISTS; list++)
        if (walk.lists[list] && is_known(list) && !walk_records(&walk, list))
            return false;
    return true;
}
