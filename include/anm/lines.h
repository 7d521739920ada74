/* SPDX-License-Identifier: MIT */
/* A text as lines of tokens, with positions for messages. */
#ifndef ANM_LINES_H
#define ANM_LINES_H

#include "anm/buf.h"
#include "anm/error.h"

#define ANM_TOKENS 20 /* fields of one line at most; longer lists are read with anm_lines_more() */

/* One field of a line: bytes [text, text + size) and its 1-based byte column. */
struct anm_token {
    const char *text;
    size_t size;
    uint32_t column;
};

/* Walks a text line by line. */
struct anm_lines {
    const char *next; /* start of the line to be read next */
    const char *end;
    struct anm_error *err;
    uint32_t line;  /* 1-based number of the current line */
    uint32_t count; /* tokens of the current line, at most ANM_TOKENS */
    struct anm_token tokens[ANM_TOKENS];
    const char *rest; /* what follows the last token kept, when a line has more than ANM_TOKENS */
    const char *stop; /* end of the current line */
};

/* Starts at the first line of `size` bytes at `text` (borrowed); errors go to `err`. A UTF-8 BOM is skipped. */
void anm_lines_start(struct anm_lines *lines, const void *text, size_t size, struct anm_error *err);

/* Moves to the next line that is neither blank nor a comment (first non-blank `#`). LF and CRLF end a line; blanks are
 * space and tab. Returns 1 with tokens, 0 at the end, -1 on a NUL or control byte or invalid UTF-8 (err has line:column). */
int anm_lines_next(struct anm_lines *lines);

/* Fetches the field after the last one fetched or kept, for lines of any length. Returns 1, or 0 at the line's end. */
int anm_lines_more(struct anm_lines *lines, struct anm_token *token);

/* True when token `i` exists and is exactly `word`. */
bool anm_lines_is(const struct anm_lines *lines, uint32_t i, const char *word);

/* Fails at token `i` of the current line (or at its end when there are fewer): ANM_TEXT with line:column. Returns -1. */
int anm_lines_fail(const struct anm_lines *lines, uint32_t i, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same with "expected WHAT, found TOKEN". */
int anm_lines_expect(const struct anm_lines *lines, uint32_t i, const char *what, ...)
    __attribute__((format(printf, 3, 4)));

/* Checks that the line has exactly `count` tokens; else fails with "expected WHAT". Returns 0 or -1. */
int anm_lines_want(const struct anm_lines *lines, uint32_t count, const char *what);

/* Reads token `i` as a number; on failure the message has the token, the reason and `what`. Return 0 or -1. */
int anm_lines_f32(const struct anm_lines *lines, uint32_t i, const char *what, uint32_t *bits);
int anm_lines_angle(const struct anm_lines *lines, uint32_t i, const char *what, uint32_t *bits);
int anm_lines_f64(const struct anm_lines *lines, uint32_t i, const char *what, double *value);
int anm_lines_u32(const struct anm_lines *lines, uint32_t i, const char *what, uint32_t max, uint32_t *value);

/* Reads token `i` (none: no bytes) as bytes in hex, two digits each, appended to `out`. Returns 0 or -1. */
int anm_lines_hex(const struct anm_lines *lines, uint32_t i, struct anm_buf *out);

/* Appends bytes as two lower-case hex digits each. */
void anm_put_hex(struct anm_buf *out, const uint8_t *bytes, size_t size);
/* Appends a float or an unsigned number as text. */
void anm_put_f32(struct anm_buf *out, uint32_t bits);
void anm_put_angle(struct anm_buf *out, uint32_t bits, bool degrees); /* radians, or degrees with `deg` */
void anm_put_u32(struct anm_buf *out, uint32_t value);

/* The token of the `words` (NULL-terminated) that is nearest to `text` by edit distance, or NULL when none is near. */
const char *anm_nearest(const char *text, size_t size, const char *const *words);

#endif
