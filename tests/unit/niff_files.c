/* SPDX-License-Identifier: MIT */
#include "niff_build.h"

#include <stdlib.h>
#include <string.h>

/* --- all there is --- */

enum {
    N_SCENE,
    N_BODY,
    N_BODY_ANIM,
    N_TURRET,
    N_TURRET_ANIM,
    N_WHEEL,
    N_WHEEL_ANIM,
    N_SIGN,
    N_CONST,
    N_TWICE,
    N_TWICE_2,
    N_SHARED,
    N_MIXED,
    N_CHANNELS,
    N_CONSTRAINTS,
    N_OUTSIDE,
    N_BOTH,
    N_EXTENDED,
    N_CAMERA,
    N_EYE,
    N_AIM,
    N_TOP,
    N_CHAIN,
    N_KNEE,
    N_FOOT,
    N_TOE,
    N_UNUSED
};

static const struct nif_name names[] = {
    [N_SCENE] = {"scene", 0},
    [N_BODY] = {"body", 0}, /* no NUL */
    [N_BODY_ANIM] = {"body_anim", 0},
    [N_TURRET] = {"turret__", 4}, /* four */
    [N_TURRET_ANIM] = {"turret_anim", 0},
    [N_WHEEL] = {"wheel", 0},
    [N_WHEEL_ANIM] = {"wheel_anim", 0},
    [N_SIGN] = {"sign", 4},
    [N_CONST] = {"const", 0},
    [N_TWICE] = {"twice", 0},
    [N_TWICE_2] = {"twice", 0},
    [N_SHARED] = {"shared", 0},
    [N_MIXED] = {"mixed", 0},
    [N_CHANNELS] = {"channels", 0},
    [N_CONSTRAINTS] = {"constraints", 0},
    [N_OUTSIDE] = {"outside", 0},
    [N_BOTH] = {"both", 0},
    [N_EXTENDED] = {"extended", 0},
    [N_CAMERA] = {"camera", 0},
    [N_EYE] = {"eye", 0},
    [N_AIM] = {"aim", 0},
    [N_TOP] = {"top", 0},
    [N_CHAIN] = {"chain", 0},
    [N_KNEE] = {"knee", 0},
    [N_FOOT] = {"foot", 0},
    [N_TOE] = {"toe", 0},
    [N_UNUSED] = {"", 0},
};

/* The scene's objs, then the camera's; obj 3 is the one whose name is a group's too. */
enum { O_BODY, O_TURRET, O_WHEEL, O_SHARED, O_EYE, O_AIM, O_TOP, O_SIGN, O_SWITCHED };
static const uint32_t roots[] = {O_BODY, O_EYE, O_AIM, O_TOP, O_SIGN, O_SWITCHED};
static const uint32_t of_body[] = {O_TURRET, O_WHEEL}, of_turret[] = {O_SHARED}, lods_of_body[] = {O_WHEEL};
static const uint32_t wheel_only[] = {O_WHEEL};

static const struct nif_obj objs[] = {
    [O_BODY] = {.name = NIF_LINK(N_BODY),
                .anim = NIF_LINK(NIF_OF_BODY),
                .children = NIF_ALL(of_body),
                .lods = NIF_ALL(lods_of_body),
                .chain_root = NIF_LINK(0)},
    [O_TURRET] = {.name = NIF_LINK(N_TURRET),
                  .parent = NIF_LINK(O_BODY),
                  .anim = NIF_LINK(NIF_OF_TURRET),
                  .children = NIF_ALL(of_turret)},
    [O_WHEEL] = {.name = NIF_LINK(N_WHEEL), .parent = NIF_LINK(O_BODY), .anim = NIF_LINK(NIF_OF_WHEEL)},
    [O_SHARED] = {.name = NIF_LINK(N_SHARED), .anim = NIF_LINK(NIF_SHARED)},
    [O_EYE] = {.name = NIF_LINK(N_EYE), .anim = NIF_LINK(NIF_UNNAMED)},
    [O_AIM] = {.name = NIF_LINK(N_AIM), .anim = NIF_LINK(NIF_TWICE)},
    [O_TOP] = {.name = NIF_LINK(N_TOP), .anim = NIF_LINK(NIF_TWICE_2)},
    [O_SIGN] = {.anim = NIF_LINK(NIF_EXTENDED)}, /* unnamed */
    [O_SWITCHED] = {.name = NIF_LINK(N_SIGN), .anim = NIF_BY_SWITCH(0)},
};

static const struct nif_cam cams[] = {
    {.name = NIF_LINK(N_CAMERA), .look_at = NIF_LINK(O_AIM), .eye = NIF_LINK(O_EYE), .up = NIF_LINK(O_TOP)}};

static const struct nif_node chain_roots[] = {
    {.name = NIF_LINK(N_CHAIN), .anim = NIF_LINK(NIF_CHANNELED), .joint = NIF_LINK(0), .objs = NIF_ALL(wheel_only)}};
static const struct nif_node joints[] = {
    {.name = NIF_LINK(N_KNEE), .anim = NIF_LINK(NIF_CONSTRAINED), .joint = NIF_LINK(1)},
    {.name = NIF_LINK(N_FOOT), .anim = NIF_LINK(NIF_BOTH), .effector = NIF_LINK(0)}};
static const struct nif_node effectors[] = {{.name = NIF_LINK(N_TOE), .anim = NIF_LINK(NIF_OUTSIDE)}};

/* The first chooses among AnimGroups, the second among other things whose indices look alike. */
static const uint32_t chosen[] = {NIF_OF_SIGN, NIF_OF_CONST, NIF_EXTENDED}, among_objs[] = {O_BODY, O_WHEEL};
static const struct nif_switch switches[] = {{.list = NIF_ANIM, .destinations = NIF_ALL(chosen)},
                                             {.list = NIF_OBJ, .destinations = NIF_ALL(among_objs)}};

static const struct nif_anim fixed[] = {{.move = {1, 2, 3}, .turn = {0.5F, -0.0F, 3}, .scale = {1, 1, 1}}};
static const struct nif_anim full[] = {{.scale = {1, 1, 1}},
                                       {.move = {0, 0.2F, 0}, .turn = {0.1F, 0, 0}, .scale = {1, 1, 1}},
                                       {.move = {0, 0.4F, 0}, .turn = {0.2F, 0, 0}, .scale = {1, 1, 1}},
                                       {.move = {0, 0.6F, 0}, .turn = {0.3F, 0, 0}, .scale = {1, 1, 1}}};
/* LINEAR (1) is in real files, STATIC (0), SLOWIN (2), SLOWOUT (4) and SLOW (6) are documented only. */
static const struct nif_anim keyed[] = {
    {.key = 0, .interpolation = 0, .scale = {1, 1, 1}},
    {.key = 10, .interpolation = 1, .turn = {0, 3.03328F, 0}, .scale = {1, 1, 1}},
    {.key = 20, .interpolation = 2, .turn = {0, -3.03328F, 0}, .scale = {1, 2, 1}},
    {.key = 30, .interpolation = 4, .turn = {0, -0.216692F, 0}, .flag = 1, .scale = {1, 1, 1}},
    {.key = 40, .interpolation = 6, .move = {1e-40F, 3.4e38F, -1}, .scale = {1, 1, 1}}};
static const struct nif_anim linear[] = {{.key = 0, .interpolation = 1, .scale = {1, 1, 1}},
                                         {.key = 14, .interpolation = 1, .turn = {0, 3, 0}, .scale = {1, 1, 1}},
                                         {.key = 15, .interpolation = 1, .turn = {0, -3, 0}, .scale = {1, 1, 1}}};
static const struct nif_anim billboard[] = {{.look_at = NIF_LINK(O_EYE), .up = NIF_LINK(O_TOP)}};
static const struct nif_anim constant[] = {{.raw = NIF_BYTES("what this is, nobody")}, {.raw = NIF_BYTES("says")}};
/* A record of another tag than its group's type says. */
static const struct nif_anim mixed[] = {{.tag = 0x000c0101, .scale = {1, 1, 1}},
                                        {.tag = 0x000c0104, .key = 3, .interpolation = 1, .scale = {1, 1, 1}}};

/* The same frame in each channel, all four interpolations. */
#define FOUR(channel, ...)                                                                                             \
    {channel, 0, 0, {__VA_ARGS__}}, {channel, 1, 5, {__VA_ARGS__}}, {channel, 2, 6, {__VA_ARGS__}},                    \
    {                                                                                                                  \
        channel, 3, 20,                                                                                                \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
static const struct nif_key every_channel[] = {
    FOUR(NIF_ROTATE_AXIS, 0, 1, 0, 0.5F, 0.01F, 0.02F, 0.03F, 0.04F),
    FOUR(NIF_ROTATE_X, 0.25F, 0.01F),
    FOUR(NIF_ROTATE_Y, 0.5F, 0.02F),
    FOUR(NIF_ROTATE_Z, 0.75F, 0.03F),
    FOUR(NIF_ORIENTATION_XY, 1, 0, 0, 0, 1, 0, 0.1F, 0.2F, 0.3F, 0.4F, 0.5F, 0.6F),
    FOUR(NIF_TRANSLATION, 1, 2, 3, 0.1F, -0.3324F, 0.3F),
    FOUR(NIF_UNIQUE_SCALE, 1, 1, 1, 0, 0, 0),
    FOUR(NIF_CLASSICAL_SCALE, 2, 2, 2, 0, 0, 0),
};
/* As real files have them: one key, at 1, CONST; many, HERMITE. */
static const struct nif_key real_channels[] = {{NIF_ROTATE_X, 0, 1, {0.25F, 0}},
                                               {NIF_TRANSLATION, 3, 0, {0, 0, 0, 0, -0.3324F, 0}},
                                               {NIF_TRANSLATION, 3, 30, {0, -9.972F, 0, 0, -0.3324F, 0}}};

#define UNIT                                                                                                           \
    {                                                                                                                  \
        fixed, 1                                                                                                       \
    }
static const struct nif_group groups[NIF_READY] = {
    [NIF_OF_BODY] = {.name = NIF_LINK(N_BODY_ANIM), .anims = UNIT},
    [NIF_OF_TURRET] = {.name = NIF_LINK(N_TURRET_ANIM), .type = NIF_FULL, .rate = 2, .anims = NIF_ALL(full)},
    [NIF_OF_WHEEL] = {.name = NIF_LINK(N_WHEEL_ANIM), .type = NIF_KEY, .rate = 1, .anims = NIF_ALL(keyed)},
    [NIF_OF_SIGN] = {.name = NIF_LINK(N_SIGN), .type = NIF_BILLBOARD, .anims = NIF_ALL(billboard)},
    [NIF_OF_CONST] = {.name = NIF_LINK(N_CONST), .type = NIF_UNDEFINED, .anims = NIF_ALL(constant)},
    [NIF_UNNAMED] = {.rate = 30, .anims = UNIT},
    [NIF_TWICE] = {.name = NIF_LINK(N_TWICE), .anims = UNIT},
    [NIF_TWICE_2] = {.name = NIF_LINK(N_TWICE_2), .anims = UNIT},
    [NIF_SHARED] = {.name = NIF_LINK(N_SHARED), .anims = UNIT},
    [NIF_MIXED] = {.name = NIF_LINK(N_MIXED), .type = NIF_FULL, .rate = 2, .anims = NIF_ALL(mixed)},
    [NIF_CHANNELED] = {.name = NIF_LINK(N_CHANNELS), .keys = NIF_ALL(every_channel)},
    [NIF_CONSTRAINED] = {.name = NIF_LINK(N_CONSTRAINTS),
                         .targets = {[NIF_ORIENTATION] = {NIF_OBJ, NIF_LINK(O_BODY)},
                                     [NIF_DIRECTION] = {NIF_CHAIN_ROOT, NIF_LINK(0)},
                                     [NIF_UPVECTOR] = {NIF_JOINT, NIF_LINK(1)},
                                     [NIF_PREFERRED_AXIS] = {NIF_EFFECTOR, NIF_LINK(0)},
                                     [NIF_POSITION] = {NIF_OBJ, NIF_LINK(O_WHEEL)},
                                     [NIF_UNIQUE_SCALE_OF] = {NIF_OBJ, NIF_LINK(O_TURRET)},
                                     [NIF_CLASSICAL_SCALE_OF] = {NIF_JOINT, NIF_LINK(0)}}},
    [NIF_OUTSIDE] = {.name = NIF_LINK(N_OUTSIDE),
                     .outsides = {{NIF_LINK(0), NIF_LINK(1)},
                                  {NIF_LINK(0), NIF_LINK(2)},
                                  {NIF_LINK(0), NIF_LINK(1)},
                                  {NIF_LINK(0), NIF_LINK(2)},
                                  {NIF_LINK(0), NIF_LINK(1)},
                                  {NIF_LINK(0), NIF_LINK(2)},
                                  {NIF_LINK(0), NIF_LINK(1)}}},
    [NIF_BOTH] = {.name = NIF_LINK(N_BOTH), .anims = UNIT, .targets = {[NIF_UPVECTOR] = {NIF_OBJ, NIF_LINK(O_BODY)}}},
    [NIF_EXTENDED] = {.name = NIF_LINK(N_EXTENDED),
                      .loop = 3,
                      .order = 0x00030201,
                      .header_size = 196,
                      .anims = UNIT,
                      .more = NIF_BYTES("more of it.."),
                      .user = NIF_BYTES("the user's..")},
};

static const struct nif_name externals[] = {{"other.nif", 0}, {"its_node", 0}, {"its_joint", 0}};

void nif_everything(struct anm_buf *out, unsigned major)
{
    bool two = major == 2;
    struct nif_file file = {
        .two = two,
        .names = NIF_ALL(names),
        .objs = NIF_ALL(objs),
        .cams = NIF_ALL(cams),
        .switches = NIF_ALL(switches),
        .groups = NIF_ALL(groups),
        .scene_name = NIF_LINK(N_SCENE),
        .roots = NIF_ALL(roots),
        .filled = true,
        .tri_late = true,
        .blocks = {[NIF_ANIM] = {NIF_BYTES("AnimList"), NIF_BYTES("AnimList's user.")},
                   [NIF_NAME] = {NIF_BYTES("NameList"), NIF_BYTES("NameList's user.")},
                   [NIF_OBJ] = {NIF_BYTES("ObjList."), NIF_BYTES("ObjList's user..")}},
        .more = NIF_BYTES("more"),
        .user = NIF_BYTES("the user"),
        .tail = NIF_BYTES("left over"), /* not even a multiple of four */
    };
    if (two) {
        file.externals.at = externals;
        file.externals.count = sizeof externals / sizeof *externals;
        file.chain_roots.at = chain_roots;
        file.chain_roots.count = 1;
        file.joints.at = joints;
        file.joints.count = 2;
        file.effectors.at = effectors;
        file.effectors.count = 1;
    }
    nif_build(out, &file);
}

void nif_ordinary(struct anm_buf *out, unsigned major)
{
    static const struct nif_group plain[] = {
        {.name = NIF_LINK(N_BODY_ANIM), .anims = UNIT},
        {.name = NIF_LINK(N_TURRET_ANIM), .type = NIF_FULL, .rate = 2, .anims = NIF_ALL(full)},
        {.name = NIF_LINK(N_WHEEL_ANIM), .type = NIF_KEY, .rate = 1, .anims = NIF_ALL(linear)},
        {.name = NIF_LINK(N_CHANNELS), .rate = 1, .keys = NIF_ALL(real_channels)},
    };
    static const struct nif_obj four[] = {
        {.name = NIF_LINK(N_BODY), .anim = NIF_LINK(0), .children = NIF_ALL(of_body)},
        {.name = NIF_LINK(N_TURRET), .parent = NIF_LINK(0), .anim = NIF_LINK(1), .children = NIF_ALL(of_turret)},
        {.name = NIF_LINK(N_WHEEL), .parent = NIF_LINK(0), .anim = NIF_LINK(2)},
        {.name = NIF_LINK(N_SHARED)},
    };
    static const struct nif_node one[] = {{.name = NIF_LINK(N_CHAIN), .anim = NIF_LINK(3)}};
    bool two = major == 2;
    struct nif_file file = {
        .two = two,
        .names = NIF_ALL(names),
        .objs = NIF_ALL(four),
        .groups = {plain, two ? 4 : 3},
        .scene_name = NIF_LINK(N_SCENE),
        .roots = {roots, 1},
        .chain_roots = {one, two},
        .absent = {[NIF_CLUSTER] = true, [NIF_EXTERNAL] = true},
        .filled = true,
    };
    nif_build(out, &file);
}

void nif_empty(struct anm_buf *out, unsigned major)
{
    struct nif_file file = {.two = major == 2};
    for (unsigned list = NIF_ENV; list < NIF_LISTS; list++)
        file.absent[list] = list != NIF_NAME;
    nif_build(out, &file);
}

/* --- files of chance --- */

enum { MOST = 6, MOST_ANIMS = 8, MOST_KEYS = 12 };

/* What a random file points at. */
struct random_file {
    uint64_t state;
    struct nif_file file;
    char texts[MOST][12];
    struct nif_name names[MOST];
    struct nif_obj objs[MOST];
    struct nif_node nodes[MOST];
    struct nif_group groups[MOST];
    struct nif_anim anims[MOST][MOST_ANIMS];
    struct nif_key keys[MOST][MOST_KEYS];
    uint32_t destinations[MOST];
    struct nif_switch switches[1];
};

static uint32_t below(struct random_file *random, uint32_t limit)
{
    random->state = random->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((random->state >> 33) % limit);
}

/* A link to one of `count`, or none. */
static uint32_t some_link(struct random_file *random, uint32_t count)
{
    return below(random, count + 1);
}

/* Mostly a number somebody would write, else any bits. */
static float some_float(struct random_file *random)
{
    uint32_t bits = below(random, 1u << 31) << 1 | below(random, 2);
    float any;
    memcpy(&any, &bits, sizeof any);
    return below(random, 8) ? (float)((int)below(random, 4096) - 2048) / 64 : any;
}

static void some_floats(struct random_file *random, float *values, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        values[i] = some_float(random);
}

static struct nif_bytes some_bytes(struct random_file *random)
{
    static const char data[] = "\377\0\0\1sixteen bytes";
    struct nif_bytes none = {NULL, 0}, some = {data, 4 + 4 * (size_t)below(random, 4)};
    return below(random, 4) ? none : some;
}

static void some_names(struct random_file *random)
{
    static const char characters[] = "abc~/ %.#\xff";
    random->file.names.at = random->names;
    random->file.names.count = below(random, MOST) + 1;
    for (uint32_t i = 0; i < random->file.names.count; i++) {
        for (uint32_t left = below(random, 10), k = 0; k < left; k++)
            random->texts[i][k] = characters[below(random, sizeof characters - 1)];
        random->names[i] = (struct nif_name){random->texts[i], 4 * below(random, 2)};
    }
}

static void some_anims(struct random_file *random, struct nif_group *group, struct nif_anim *anims)
{
    group->anims.at = anims;
    group->anims.count = group->type == NIF_STATIC ? below(random, 2) : below(random, MOST_ANIMS);
    for (uint32_t i = 0, key = 0; i < group->anims.count; i++, key += 1 + below(random, 20)) {
        anims[i].key = key;
        anims[i].interpolation = below(random, 8);
        some_floats(random, anims[i].move, 3);
        some_floats(random, anims[i].turn, 3);
        some_floats(random, anims[i].scale, 3);
        anims[i].flag = below(random, 8) == 0;
        anims[i].look_at = some_link(random, random->file.objs.count);
        anims[i].up = some_link(random, random->file.objs.count);
        anims[i].raw = some_bytes(random);
    }
}

static void some_keys(struct random_file *random, struct nif_group *group, struct nif_key *keys)
{
    group->keys.at = keys;
    group->keys.count = below(random, MOST_KEYS);
    enum nif_channel channel = 0;
    for (uint32_t i = 0, key = 0; i < group->keys.count; i++, key += 1 + below(random, 20)) {
        enum nif_channel next = channel + below(random, 3);
        if (next >= NIF_CHANNELS)
            next = NIF_CHANNELS - 1;
        if (next != channel)
            key = below(random, 2);
        channel = next;
        keys[i] = (struct nif_key){.channel = channel, .interpolation = below(random, 5), .key = key};
        some_floats(random, keys[i].values, 12);
    }
}

static void some_targets(struct random_file *random, struct nif_group *group)
{
    for (unsigned i = 0; i < NIF_CONSTRAINTS; i++) {
        bool joint = below(random, 2);
        if (below(random, 4) == 0)
            group->targets[i] =
                (struct nif_target){joint ? NIF_JOINT : NIF_OBJ,
                                    some_link(random, joint ? random->file.joints.count : random->file.objs.count)};
    }
}

static void some_group(struct random_file *random, uint32_t i)
{
    static const uint32_t orders[] = {0x00010203, 0x00010302, 0x00020103, 0x00030102, 0x00020301, 0x00030201, 7};
    struct nif_group *group = &random->groups[i];
    *group = (struct nif_group){.name = some_link(random, random->file.names.count),
                                .type = below(random, 5),
                                .rate = below(random, 3),
                                .loop = below(random, 2),
                                .order = orders[below(random, 7)],
                                .more = some_bytes(random),
                                .user = some_bytes(random)};
    some_anims(random, group, random->anims[i]);
    if (!random->file.two)
        return;
    some_keys(random, group, random->keys[i]);
    some_targets(random, group);
}

static void some_nodes(struct random_file *random)
{
    uint32_t groups_of_all = random->file.groups.count, names_of_all = random->file.names.count;
    for (uint32_t i = 0; i < random->file.objs.count; i++) {
        random->objs[i] = (struct nif_obj){.name = some_link(random, names_of_all),
                                           .parent = some_link(random, random->file.objs.count),
                                           .anim = some_link(random, groups_of_all)};
        if (below(random, 8) == 0)
            random->objs[i].anim = NIF_BY_SWITCH(0);
    }
    for (uint32_t i = 0; i < random->file.joints.count; i++)
        random->nodes[i] =
            (struct nif_node){.name = some_link(random, names_of_all), .anim = some_link(random, groups_of_all)};
    for (uint32_t i = 0; i < groups_of_all; i++)
        random->destinations[i] = below(random, groups_of_all);
    random->switches[0].list = NIF_ANIM;
    random->switches[0].destinations.at = random->destinations;
    random->switches[0].destinations.count = groups_of_all;
}

static void some_file(struct random_file *random)
{
    struct nif_file *file = &random->file;
    file->two = below(random, 2);
    file->filled = below(random, 2);
    file->tri_late = below(random, 8) == 0;
    file->more = some_bytes(random);
    file->user = some_bytes(random);
    file->tail = some_bytes(random);
    for (unsigned list = NIF_ENV; list < NIF_LISTS; list++)
        file->blocks[list] = (struct nif_blocks){some_bytes(random), some_bytes(random)};
    some_names(random);
    file->objs.at = random->objs;
    file->objs.count = below(random, MOST) + 1;
    file->joints.at = random->nodes;
    file->joints.count = file->two ? below(random, MOST) : 0;
    file->groups.at = random->groups;
    file->groups.count = below(random, MOST);
    file->switches.at = random->switches;
    file->switches.count = 1;
    for (uint32_t i = 0; i < file->groups.count; i++)
        some_group(random, i);
    some_nodes(random);
}

void nif_random(struct anm_buf *out, uint64_t seed)
{
    struct random_file *random = calloc(1, sizeof *random);
    if (!random) {
        out->failed = true;
        return;
    }
    random->state = seed;
    some_file(random);
    nif_build(out, &random->file);
    free(random);
}
