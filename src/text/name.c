/* SPDX-License-Identifier: MIT */
#include "anm/name.h"

#include "digits.h"

#include "anm/num.h"
#include "anm/utf8.h"

#include <string.h>

#define CUT 220 /* bytes kept of a name that is too long for a path */

/* How many bytes at `p` stand for themselves in an escaped name; 0 when *p must be escaped. A BOM at the start counts as
 * such, since a text's first name would lose it. */
static size_t bare_size(const char *p, const char *end, bool first)
{
    unsigned char c = (unsigned char)*p;
    if (c <= ' ' || c == 0x7f || c == '/' || c == '%' || c == '~')
        return 0;
    if (first && (c == '#' || c == '.' || c == '-'))
        return 0;
    if (first && end - p >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0)
        return 0;
    return anm_utf8_size(p, end);
}

void anm_name_put(struct anm_buf *out, const uint8_t *raw, size_t size, uint32_t ordinal)
{
    const char *start = (const char *)raw, *end = start;
    if (size == 0)
        anm_buf_putc(out, '%');
    else
        end += size;
    for (const char *p = start; p < end;) {
        size_t bare = bare_size(p, end, p == start);
        if (bare)
            anm_buf_put(out, p, bare);
        else
            anm_buf_printf(out, "%%%02x", (unsigned char)*p);
        p += bare ? bare : 1;
    }
    if (ordinal > 1)
        anm_buf_printf(out, "~%u", ordinal);
}

static uint32_t hash(const uint8_t *bytes, size_t size)
{
    uint32_t value = 2166136261;
    for (size_t i = 0; i < size; i++)
        value = (value ^ bytes[i]) * 16777619;
    return value;
}

/* Where to cut an escaped name that is longer than CUT. */
static size_t cut_size(const uint8_t *name)
{
    size_t size = CUT;
    while ((name[size] & 0xc0) == 0x80)
        size--;
    if (name[size - 1] == '%')
        return size - 1;
    return name[size - 2] == '%' ? size - 2 : size;
}

void anm_name_put_path(struct anm_buf *out, const uint8_t *raw, size_t size, uint32_t ordinal)
{
    size_t start = out->size;
    anm_name_put(out, raw, size, ordinal);
    if (out->failed || out->size - start <= ANM_NAME_MAX)
        return;
    const uint8_t *name = out->data + start;
    uint32_t value = hash(name, out->size - start);
    out->size = start + cut_size(name);
    anm_buf_printf(out, "~h%08x", value);
}

static int fail_bare(const char *text, const char *p, const char *end, struct anm_error *err)
{
    unsigned byte = (unsigned char)*p;
    size_t at = (size_t)(p - text) + 1;
    if (anm_utf8_size(p, end) == 0)
        return anm_fail(err, ANM_NAME, "byte %zu of the name, 0x%02x, is not UTF-8; it is written %%%02x", at, byte,
                        byte);
    if (byte <= ' ' || byte >= 0x7f)
        return anm_fail(err, ANM_NAME, "byte %zu of the name, 0x%02x, is written %%%02x", at, byte, byte);
    return anm_fail(err, ANM_NAME, "'%c' %s a name is written %%%02x", *p, p == text ? "at the start of" : "in", byte);
}

static int parse_bytes(const char *text, const char *end, struct anm_buf *raw, struct anm_error *err)
{
    if (end - text == 1 && *text == '%')
        return 0;
    if (text == end)
        return anm_fail(err, ANM_NAME, "a name is missing; the empty name is written %%");
    for (const char *p = text; p < end;) {
        size_t bare = bare_size(p, end, p == text);
        if (bare) {
            anm_buf_put(raw, p, bare);
            p += bare;
            continue;
        }
        if (*p != '%')
            return fail_bare(text, p, end, err);
        if (end - p < 3 || anm_hex_value(p[1]) > 15 || anm_hex_value(p[2]) > 15)
            return anm_fail(err, ANM_NAME, "byte %zu of the name: %% needs two hexadecimal digits after it",
                            (size_t)(p - text) + 1);
        anm_buf_u8(raw, (uint8_t)(anm_hex_value(p[1]) << 4 | anm_hex_value(p[2])));
        p += 3;
    }
    return 0;
}

/* The number after `~`, up to `end`; written in one way only. */
static int parse_ordinal(const char *text, const char *end, uint32_t *ordinal, struct anm_error *err)
{
    if (text == end || *text < '1' || *text > '9' ||
        anm_u32_parse(text, (size_t)(end - text), ANM_ORDINAL_MAX, ordinal) != ANM_NUM_OK || *ordinal == 1)
        return anm_fail(err, ANM_NAME, "~ in a name needs a number from 2 to %d after it; a ~ itself is written %%7e",
                        ANM_ORDINAL_MAX);
    return 0;
}

int anm_name_parse(const char *text, size_t size, struct anm_buf *raw, uint32_t *ordinal, struct anm_error *err)
{
    const char *end = text + size;
    const char *tilde = size ? memchr(text, '~', size) : NULL;
    size_t before = raw->size;
    *ordinal = 1;
    if (parse_bytes(text, tilde ? tilde : end, raw, err) != 0 ||
        (tilde && parse_ordinal(tilde + 1, end, ordinal, err) != 0)) {
        raw->size = before;
        return -1;
    }
    return raw->failed ? anm_fail_nomem(err) : 0;
}
