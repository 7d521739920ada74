/* SPDX-License-Identifier: MIT */
#include "anm/lines.h"

#include "anm/num.h"
#include "anm/utf8.h"

#include <endian.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static inline bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static inline bool is_graphic(char c)
{
    return c > ' ' && c < 0x7f;
}

static const char *skip_blanks(const char *p, const char *stop)
{
    while (p < stop && is_blank(*p))
        p++;
    return p;
}

void anm_lines_start(struct anm_lines *lines, const void *text, size_t size, struct anm_error *err)
{
    *lines = (struct anm_lines){.next = text, .end = text, .err = err};
    if (size) /* an empty buffer's bytes may be NULL */
        lines->end += size;
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        lines->next += 3;
}

/* Moves to the next line; returns its start. */
static const char *take_line(struct anm_lines *lines)
{
    const char *start = lines->next;
    const char *feed = memchr(start, '\n', (size_t)(lines->end - start));
    lines->stop = feed ? feed : lines->end;
    lines->next = feed ? feed + 1 : lines->end;
    if (feed && feed > start && feed[-1] == '\r')
        lines->stop--;
    lines->line++;
    lines->count = 0;
    return start;
}

static int fail_byte(const struct anm_lines *lines, const char *start, const char *p)
{
    unsigned byte = (unsigned char)*p;
    return anm_fail_line(lines->err, lines->line, (uint32_t)(p - start) + 1,
                         byte < 0x80 ? "control byte 0x%02x in a text" : "byte 0x%02x is not UTF-8", byte);
}

/* How many of the eight bytes at `p` are graphic, counted up to the first that is not. */
static unsigned graphic_run(const char *p)
{
    uint64_t bytes;
    memcpy(&bytes, p, sizeof bytes);
    bytes = le64toh(bytes);
    /* Each term sets the top bit of some that are not: below 0x21; 0x7f; from 0x80 on. A borrow or carry reaches only
     * bytes behind one that is marked already. */
    uint64_t marks = (bytes - UINT64_C(0x2121212121212121)) | (bytes + UINT64_C(0x0101010101010101)) | bytes;
    marks &= UINT64_C(0x8080808080808080);
    return marks ? (unsigned)__builtin_ctzll(marks) / 8 : 8;
}

/* The end of the field at `p`, or of its valid bytes. */
static const char *field_end(const char *p, const char *stop)
{
    for (;;) {
        for (unsigned run = 8; run == 8 && stop - p >= 8; p += run)
            run = graphic_run(p);
        while (p < stop && is_graphic(*p))
            p++;
        size_t size = p < stop && *p & 0x80 ? anm_utf8_size(p, stop) : 0;
        if (size == 0)
            return p;
        p += size;
    }
}

/* Splits the current line from `p` on. Returns 1, or -1 at a byte that no text has. */
static int split(struct anm_lines *lines, const char *start, const char *p)
{
    const char *stop = lines->stop;
    lines->rest = stop;
    while (p < stop) {
        const char *end = field_end(p, stop);
        if (end < stop && !is_blank(*end))
            return fail_byte(lines, start, end);
        if (lines->count < ANM_TOKENS)
            lines->tokens[lines->count++] = (struct anm_token){p, (size_t)(end - p), (uint32_t)(p - start) + 1};
        else if (lines->rest == stop)
            lines->rest = p;
        p = skip_blanks(end, stop);
    }
    return 1;
}

int anm_lines_next(struct anm_lines *lines)
{
    while (lines->next < lines->end) {
        const char *start = take_line(lines);
        const char *p = skip_blanks(start, lines->stop);
        if (p == lines->stop)
            continue;
        if (*p != '#')
            return split(lines, start, p);
        const char *nul = memchr(p, 0, (size_t)(lines->stop - p));
        if (nul)
            return fail_byte(lines, start, nul);
    }
    lines->count = 0;
    lines->rest = lines->stop;
    return 0;
}

static const char *line_start(const struct anm_lines *lines)
{
    return lines->tokens[0].text - (lines->tokens[0].column - 1);
}

int anm_lines_more(struct anm_lines *lines, struct anm_token *token)
{
    const char *p = lines->rest, *stop = lines->stop;
    if (p == stop)
        return 0;
    const char *end = p;
    while (end < stop && !is_blank(*end))
        end++;
    *token = (struct anm_token){p, (size_t)(end - p), (uint32_t)(p - line_start(lines)) + 1};
    lines->rest = skip_blanks(end, stop);
    return 1;
}

bool anm_lines_is(const struct anm_lines *lines, uint32_t i, const char *word)
{
    return i < lines->count && lines->tokens[i].size == strlen(word) &&
           memcmp(lines->tokens[i].text, word, lines->tokens[i].size) == 0;
}

int anm_lines_fail(const struct anm_lines *lines, uint32_t i, const char *format, ...)
{
    char text[sizeof lines->err->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    uint32_t column = 0;
    if (i < lines->count)
        column = lines->tokens[i].column;
    else if (lines->count)
        column = (uint32_t)(lines->stop - line_start(lines)) + 1;
    return anm_fail_line(lines->err, lines->line, column, "%s", text);
}

/* How much of a token a message shows; never a part of a UTF-8 sequence. */
static int shown_size(const struct anm_token *token)
{
    size_t size = token->size;
    if (size > 60)
        for (size = 60; (token->text[size] & 0xc0) == 0x80; size--)
            continue;
    return (int)size;
}

#define SHOWN "\"%.*s%s\""
#define SHOW(token) shown_size(token), (token)->text, (size_t)shown_size(token) < (token)->size ? "..." : ""

int anm_lines_expect(const struct anm_lines *lines, uint32_t i, const char *what, ...)
{
    char text[sizeof lines->err->text];
    va_list args;
    va_start(args, what);
    vsnprintf(text, sizeof text, what, args);
    va_end(args);
    if (i >= lines->count)
        return anm_lines_fail(lines, i, "expected %s; the line ends before that", text);
    return anm_lines_fail(lines, i, "expected %s, found " SHOWN, text, SHOW(&lines->tokens[i]));
}

int anm_lines_want(const struct anm_lines *lines, uint32_t count, const char *what)
{
    if (lines->count < count)
        return anm_lines_fail(lines, count, "expected %s; the line ends before that", what);
    if (lines->count > count)
        return anm_lines_fail(lines, count, "expected %s; " SHOWN " is too much", what, SHOW(&lines->tokens[count]));
    if (lines->rest < lines->stop)
        return anm_lines_fail(lines, count, "expected %s; the line goes on", what);
    return 0;
}

/* Fails at token `i`, which is missing or not the number that `what` describes. */
static int fail_number(const struct anm_lines *lines, uint32_t i, const char *what, const char *reason)
{
    if (i >= lines->count)
        return anm_lines_fail(lines, i, "expected %s; the line ends before that", what);
    return anm_lines_fail(lines, i, "expected %s, found " SHOWN ": %s", what, SHOW(&lines->tokens[i]), reason);
}

int anm_lines_f32(const struct anm_lines *lines, uint32_t i, const char *what, uint32_t *bits)
{
    enum anm_num result = ANM_NUM_SYNTAX;
    if (i < lines->count)
        result = anm_f32_parse(lines->tokens[i].text, lines->tokens[i].size, bits);
    return result == ANM_NUM_OK ? 0 : fail_number(lines, i, what, anm_num_reason(result));
}

int anm_lines_angle(const struct anm_lines *lines, uint32_t i, const char *what, uint32_t *bits)
{
    enum anm_num result = ANM_NUM_SYNTAX;
    if (i < lines->count)
        result = anm_angle_parse(lines->tokens[i].text, lines->tokens[i].size, bits);
    return result == ANM_NUM_OK ? 0 : fail_number(lines, i, what, anm_num_reason(result));
}

int anm_lines_f64(const struct anm_lines *lines, uint32_t i, const char *what, double *value)
{
    enum anm_num result = ANM_NUM_SYNTAX;
    if (i < lines->count)
        result = anm_f64_parse(lines->tokens[i].text, lines->tokens[i].size, value);
    return result == ANM_NUM_OK ? 0 : fail_number(lines, i, what, anm_num_reason(result));
}

int anm_lines_u32(const struct anm_lines *lines, uint32_t i, const char *what, uint32_t max, uint32_t *value)
{
    enum anm_num result = ANM_NUM_SYNTAX;
    if (i < lines->count)
        result = anm_u32_parse(lines->tokens[i].text, lines->tokens[i].size, max, value);
    if (result == ANM_NUM_OK)
        return 0;
    char reason[64];
    if (result == ANM_NUM_OVERFLOW)
        snprintf(reason, sizeof reason, "more than %u", max);
    else
        snprintf(reason, sizeof reason, "%s", result == ANM_NUM_SYNTAX ? "not a whole number" : anm_num_reason(result));
    return fail_number(lines, i, what, reason);
}

void anm_put_f32(struct anm_buf *out, uint32_t bits)
{
    char *room = (char *)anm_buf_room(out, ANM_F32_MAX);
    if (room)
        out->size += anm_f32_print(room, bits);
}

void anm_put_angle(struct anm_buf *out, uint32_t bits, bool degrees)
{
    char *room = (char *)anm_buf_room(out, ANM_F32_MAX + 3);
    if (room)
        out->size += degrees ? anm_angle_print(room, bits) : anm_f32_print(room, bits);
}

void anm_put_u32(struct anm_buf *out, uint32_t value)
{
    char *room = (char *)anm_buf_room(out, 10);
    if (room)
        out->size += anm_u32_print(room, value);
}

static int hex_value(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

int anm_lines_hex(const struct anm_lines *lines, uint32_t i, struct anm_buf *out)
{
    const struct anm_token *token = &lines->tokens[i];
    size_t size = i < lines->count ? token->size : 0;
    for (size_t k = 0; k < size; k += 2) {
        int high = hex_value(token->text[k]), low = k + 1 < size ? hex_value(token->text[k + 1]) : -1;
        if (high < 0 || low < 0)
            return anm_lines_expect(lines, i, "bytes in hex, two digits each");
        anm_buf_u8(out, (uint8_t)(high << 4 | low));
    }
    return out->failed ? anm_fail_nomem(lines->err) : 0;
}

void anm_put_hex(struct anm_buf *out, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        anm_buf_putc(out, "0123456789abcdef"[bytes[i] >> 4]);
        anm_buf_putc(out, "0123456789abcdef"[bytes[i] & 15]);
    }
}
