/* SPDX-License-Identifier: MIT */
#include "foreign.h"

#include "anm/cursor.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* One kind of file. A weak signature needs more proof: `test`, which sees at least the bytes of the signature. */
struct kind {
    const char *name;
    size_t at;
    const char *magic;
    size_t size;
    bool (*test)(const uint8_t *bytes, size_t size);
};

/* The word at an offset, 0 past the end. */
static uint32_t le32(const uint8_t *bytes, size_t size, size_t at)
{
    struct anm_error ignored;
    struct anm_cursor c = anm_cursor(bytes, size, &ignored);
    anm_get_bytes(&c, at, "");
    return anm_get_u32le(&c, "");
}

/* The chunk's size counts from its end of 12 bytes. */
static bool is_renderware(const uint8_t *bytes, size_t size)
{
    uint32_t chunk = le32(bytes, size, 4);
    return chunk > 0 && (uint64_t)chunk + 12 <= size;
}

static bool is_incredible_machine(const uint8_t *bytes, size_t size)
{
    return (le32(bytes, size, 8) & 0xffff) == 0x4254;
}

/* Half of a TIM: the head and one block. */
static bool is_half_tim(const uint8_t *bytes, size_t size)
{
    uint32_t block = le32(bytes, size, 8);
    return le32(bytes, size, 4) < 0x10 && block >= 12 && (uint64_t)block + 8 <= size;
}

static bool is_vib_ribbon(const uint8_t *bytes, size_t size)
{
    uint32_t rate_count = le32(bytes, size, 2);
    return (rate_count & 0xffff) != 0 && rate_count >> 16 != 0 && rate_count >> 16 < size;
}

static bool is_touhou(const uint8_t *bytes, size_t size)
{
    uint32_t version = le32(bytes, size, 8);
    return (version == 0 || version == 7 || version == 8) && memmem(bytes, size, "THTX", 4);
}

/* A count of quaternions, the first of length 1. */
static bool is_evil_islands(const uint8_t *bytes, size_t size)
{
    uint64_t count = le32(bytes, size, 0);
    double norm = 0;
    for (size_t i = 0; i < 4; i++) {
        uint32_t bits = le32(bytes, size, 4 + 4 * i);
        float part;
        memcpy(&part, &bits, sizeof part);
        norm += (double)part * (double)part;
    }
    return count > 0 && 4 + 16 * count <= size && fabs(norm - 1) < 1e-3;
}

/* Records of 16 bytes that start with a file name of up to 8 characters. */
static bool is_star_trek(const uint8_t *bytes, size_t size)
{
    if (size == 0 || size % 16 != 0)
        return false;
    for (size_t at = 0; at < size; at += 16) {
        size_t length = strnlen((const char *)bytes + at, 8);
        if (length < 2)
            return false;
        for (size_t i = 0; i < length; i++)
            if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-", bytes[at + i]))
                return false;
    }
    return true;
}

#define MAGIC(at, text) at, text, sizeof text - 1

/* Strong signatures first. */
static const struct kind kinds[] = {
    {"a Git LFS pointer in place of the file", MAGIC(0, "version https://git-lfs"), NULL},
    {"a League of Legends animation", MAGIC(0, "r3d2anmd"), NULL},
    {"a packed League of Legends animation", MAGIC(0, "r3d2canm"), NULL},
    {"a NetImmerse model or animation", MAGIC(0, "NetImmerse File Format"), NULL},
    {"a Gamebryo model or animation", MAGIC(0, "Gamebryo File Format"), NULL},
    {"a Maya animation in text form", MAGIC(0, "animVersion "), NULL},
    {"a Deluxe Paint animation", MAGIC(16, "ANIM"), NULL},
    {"an animation of MP Entertainment", MAGIC(0, "MPANIM"), NULL},
    {"a CryEngine animation", MAGIC(0, "CryTek\0\0"), NULL},
    {"a CryEngine animation", MAGIC(0, "CrCh"), NULL},
    {"a Heavy Iron animation", MAGIC(0, "SKB1"), NULL},
    {"a Heavy Iron animation (big-endian)", MAGIC(0, "1BKS"), NULL},
    {"a GEM mesh (.ply)", MAGIC(0, "EPLY"), NULL},
    {"a GEM volume (.vol)", MAGIC(0, "EVLM"), NULL},
    {"a ZIP archive, as GEM .pak files are", MAGIC(0, "PK\3\4"), NULL},
    {"a Freelancer UTF file", MAGIC(0, "UTF "), NULL},
    {"a Might and Magic II animation", MAGIC(0, "\0\0TV"), NULL},
    {"an animation of The Incredible Machine", MAGIC(0, "ANM:"), is_incredible_machine},
    {"a RenderWare animation", MAGIC(0, "\x1b\0\0\0"), is_renderware},
    {"a PlayStation image without its palette (PXL)", MAGIC(0, "\x11\0\0\0"), is_half_tim},
    {"a PlayStation palette without its image (CLT)", MAGIC(0, "\x12\0\0\0"), is_half_tim},
    {"a Touhou sprite archive", MAGIC(0, ""), is_touhou},
    {"an Evil Islands animation", MAGIC(0, ""), is_evil_islands},
    {"a Star Trek 25th Anniversary animation", MAGIC(0, ""), is_star_trek},
    {"a Vib-Ribbon animation", MAGIC(0, "\0\x80"), is_vib_ribbon},
};

static bool is_kind(const struct kind *kind, const uint8_t *bytes, size_t size)
{
    return size > 0 && size >= kind->at && size - kind->at >= kind->size &&
           memcmp(bytes + kind->at, kind->magic, kind->size) == 0 && (!kind->test || kind->test(bytes, size));
}

const char *anm_show4(char out[16], const uint8_t *bytes, size_t size)
{
    size_t shown = size < 4 ? size : 4;
    bool printable = true;
    for (size_t i = 0; i < shown; i++)
        printable = printable && bytes[i] >= 0x20 && bytes[i] < 0x7f;
    if (printable) {
        snprintf(out, 16, "\"%.*s\"", (int)shown, (const char *)bytes);
        return out;
    }
    char *end = out;
    for (size_t i = 0; i < shown; i++)
        end += snprintf(end, 4, i ? " %02x" : "%02x", bytes[i]);
    return out;
}

static const char expected[] =
    "expected a GEM animation, which starts with \"EANM\", a PlayStation file, or a Nintendo 64 NIFF";

bool anm_foreign_known(const uint8_t *bytes, size_t size, struct anm_error *err)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (is_kind(&kinds[i], bytes, size)) {
            anm_fail(err, ANM_FOREIGN, "this is %s; %s", kinds[i].name, expected);
            return true;
        }
    return false;
}

int anm_foreign(const uint8_t *bytes, size_t size, struct anm_error *err)
{
    char start[16];
    if (size == 0)
        return anm_fail(err, ANM_FOREIGN, "the file is empty; %s", expected);
    if (anm_foreign_known(bytes, size, err))
        return -1;
    anm_show4(start, bytes, size);
    if (size < 24)
        return anm_fail(err, ANM_FOREIGN, "%zu bytes, shorter than any GEM animation (24), that start with %s; %s",
                        size, start, expected);
    return anm_fail(err, ANM_FOREIGN, "unknown kind of file, it starts with %s; %s", start, expected);
}
