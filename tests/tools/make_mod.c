/* SPDX-License-Identifier: MIT */
/* make-mod DIR COUNT [SEED]: fills DIR with a mod of COUNT GEM animations of our own making, always the same for a seed. Sizes, bones,
 * frames and keys are distributed as in real mods (formats: GEM 8): a median of 5 KB, one in a hundred above 389 KB, some with meshes; a
 * third of the files in one folder, the others in nested ones whose names are as odd as real ones. */
#include "../unit/gem_build.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    BONES_MAX = 102,
    FRAMES_MAX = 1421,
    KEY_BYTES = 18,
    KEYS_MAX = 24000,
    SIZE_MAX_BYTES = 2900000,
    MESH_BYTES = 20000
};

static uint64_t state;

/* xorshift64*. */
static uint32_t dice(void)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (uint32_t)(state * 0x2545f4914f6cdd1du >> 32);
}

static uint32_t below(uint32_t limit)
{
    return (uint32_t)((uint64_t)dice() * limit >> 32);
}

static double unit(void)
{
    return dice() / 4294967296.0;
}

/* About normal: mean 0, deviation 1. */
static double normal(void)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += unit();
    return sum;
}

/* A number around a median, in these bounds. */
static uint32_t around(double median, double spread, uint32_t least, uint32_t most)
{
    double value = median * exp(spread * normal());
    return value < least ? least : value > most ? most : (uint32_t)value;
}

/* What a file is made of. */
struct plan {
    uint32_t bones, frames, keys, meshes;
};

static struct plan make_plan(void)
{
    uint32_t size = around(5000, 1.87, 68, SIZE_MAX_BYTES);
    struct plan plan = {.bones = around(17, 0.6, 1, BONES_MAX), .frames = around(36, 0.9, 2, FRAMES_MAX)};
    plan.keys = size / KEY_BYTES > KEYS_MAX ? KEYS_MAX : size / KEY_BYTES;
    if (plan.keys < 2 * plan.bones)
        plan.keys = 2 * plan.bones;
    if (plan.frames > plan.keys / plan.bones + 1)
        plan.frames = plan.keys / plan.bones + 1;
    while (plan.keys > plan.frames * plan.bones && plan.frames < FRAMES_MAX)
        plan.frames++;
    if (size > (uint32_t)KEYS_MAX * KEY_BYTES || below(40) == 0)
        plan.meshes = 1 + (size > plan.keys * KEY_BYTES ? (size - plan.keys * KEY_BYTES) / MESH_BYTES : 0);
    return plan;
}

static void put_bones(struct anm_buf *out, uint32_t count)
{
    static const char *const parts[] = {"body",  "turret", "gun",  "wheelL", "wheelR",
                                        "hatch", "track",  "hand", "foot",   "spine"};
    char names[BONES_MAX][24];
    const char *list[BONES_MAX + 1] = {NULL};
    for (uint32_t i = 0; i < count; i++) {
        snprintf(names[i], sizeof names[i], i < 10 ? "%s" : "%s%u", parts[i % 10], i);
        list[i] = names[i];
    }
    gem_build_bmap(out, GEM_STRING32, list);
}

static void put_random_vector(struct anm_buf *out, double scale)
{
    gem_build_vector(out, (float)(normal() * scale), (float)(normal() * scale), (float)(normal() * scale));
}

static void put_mesh(struct anm_buf *out)
{
    anm_buf_u32le(out, MESH_BYTES);
    for (int i = 0; i < MESH_BYTES / 4; i++)
        anm_buf_u32le(out, dice());
}

/* `full`: the whole pose, as a first and a last frame have it. */
static void put_key(struct anm_buf *out, uint8_t bone, bool full, bool mesh)
{
    unsigned flags = full ? GEM_POSITION | GEM_ORIENTATION | GEM_SHOW : 1u + below(3);
    gem_build_key(out, bone, (uint16_t)(flags | (mesh ? GEM_MESH : 0)));
    if (flags & GEM_POSITION)
        put_random_vector(out, 3);
    if (flags & GEM_ORIENTATION)
        put_random_vector(out, 0.3);
    if (mesh)
        put_mesh(out);
}

static void put_frame(struct anm_buf *out, const struct plan *plan, uint32_t number, uint32_t keys, bool mesh)
{
    bool full = number == 0 || number == plan->frames - 1;
    if (full || keys > plan->bones)
        keys = plan->bones;
    gem_build_frm2(out, (uint16_t)number, (uint8_t)keys);
    uint32_t first = full ? 0 : below(plan->bones);
    for (uint32_t i = 0; i < keys; i++)
        put_key(out, (uint8_t)((first + i) % plan->bones), full, mesh && i == 0);
}

static void put_file(struct anm_buf *out)
{
    const struct plan plan = make_plan();
    gem_build_header(out, 0x00060000, plan.frames);
    put_bones(out, plan.bones);
    for (uint32_t number = 0; number < plan.frames; number++) {
        uint32_t each = plan.keys / plan.frames + (below(plan.frames) < plan.keys % plan.frames);
        if (each || number == 0 || number == plan.frames - 1)
            put_frame(out, &plan, number, each, number < plan.meshes);
    }
}

static const char *const folders[] = {
    "animation",
    "entity/-vehicle/tank_heavy/pz6 [tiger]",
    "entity/-vehicle/tank_medium/t34 '43",
    "entity/-vehicle/car/jeep 50%",
    "entity/-vehicle",
    "entity/humanskin/[us] infantry",
    "entity/humanskin/[ger] infantry/-officer",
    "entity/service/flag & pole",
    "entity/e1/building/house (2 floors)",
    "entity/inventory/gun",
};
enum { FOLDERS = sizeof folders / sizeof *folders, LARGEST = 683, MOD = 2200 };

static int make_folders(const char *top)
{
    char path[512];
    for (int i = 0; i < FOLDERS; i++) {
        snprintf(path, sizeof path, "%s/%s/", top, folders[i]);
        for (char *at = path + 1; (at = strchr(at, '/')); at++) {
            *at = 0;
            if (mkdir(path, 0777) != 0 && errno != EEXIST)
                return -1;
            *at = '/';
        }
    }
    return 0;
}

static int save(const char *top, uint32_t number, uint32_t count, const struct anm_buf *bytes)
{
    static const char *const deeds[] = {"stand", "walk",     "fire_01",  "reload [prone]",
                                        "-idle", "turn 90%", "it's hit", "die"};
    char path[512];
    uint32_t folder = number < (uint64_t)count * LARGEST / MOD ? 0 : 1 + number % (FOLDERS - 1);
    snprintf(path, sizeof path, "%s/%s/%s %04u.anm", top, folders[folder], deeds[number % 8], number);
    FILE *file = bytes->failed ? NULL : fopen(path, "wb");
    if (!file)
        return -1;
    fwrite(bytes->data, 1, bytes->size, file);
    return fclose(file);
}

int main(int argc, char **argv)
{
    uint32_t count = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
    state = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    if (count == 0 || state == 0) {
        fputs("usage: make-mod DIR COUNT [SEED]\n", stderr);
        return 2;
    }
    int error = make_folders(argv[1]);
    for (uint32_t i = 0; i < count && !error; i++) {
        ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
        put_file(&bytes);
        error = save(argv[1], i, count, &bytes);
    }
    if (error)
        perror(argv[1]);
    return error != 0;
}
