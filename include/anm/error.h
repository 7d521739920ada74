/* SPDX-License-Identifier: MIT */
/* One description of a failure: why, where, and in which words. */
#ifndef ANM_ERROR_H
#define ANM_ERROR_H

#include <stdbool.h>
#include <stdint.h>

struct anm_buf;

/* Releases a variable at the end of its scope: the one cleanup idiom of this tree. */
#define ANM_AUTO(release) __attribute__((cleanup(release)))

/* Why a call failed. anm_error_errno() gives the errno each stands for. */
enum anm_reason {
    ANM_OK = 0,
    ANM_NOMEM,    /* out of memory: ENOMEM */
    ANM_FORMAT,   /* bytes that cannot be decoded; has an offset: EINVAL */
    ANM_FOREIGN,  /* the bytes are of a kind this program does not read: EINVAL */
    ANM_TEXT,     /* a text that is refused; has line and column: EINVAL */
    ANM_LIMIT,    /* a number the target format cannot hold: EINVAL */
    ANM_LOSS,     /* a conversion would lose data; one line a loss in the text: EINVAL */
    ANM_NAME,     /* a name no node can have; the text has a hint: EINVAL */
    ANM_DENIED,   /* not possible by design (read-only node, derived data): EPERM */
    ANM_NOENT,    /* nothing of that name: ENOENT */
    ANM_EXIST,    /* there already: EEXIST */
    ANM_NOTEMPTY, /* the directory still holds something: ENOTEMPTY */
    ANM_NOTDIR,   /* a file where a directory was needed: ENOTDIR */
    ANM_ISDIR,    /* a directory where a file was needed: EISDIR */
    ANM_STALE,    /* the file changed outside since it was loaded: ESTALE */
    ANM_READONLY, /* the file or its place cannot be written: EROFS */
    ANM_SYSTEM    /* a system call failed: its errno is in `sys` */
};

/* A failure. Zero-initialised means none. Owns nothing; copy it freely. */
struct anm_error {
    enum anm_reason reason;
    int sys;         /* errno, with ANM_SYSTEM */
    bool has_offset; /* `offset` is set: the byte in the file where it went wrong */
    uint64_t offset;
    uint32_t line;   /* 1-based line in a text, 0 for none */
    uint32_t column; /* 1-based byte column in that line, 0 for none */
    char text[1024]; /* what was found and what was expected; several lines joined by \n */
};

/* Fills `err` (position cleared) with `reason` and the printf-formatted text, cut to fit.
 * Returns -1, so that callers can `return anm_fail(...)`. */
int anm_fail(struct anm_error *err, enum anm_reason reason, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* As anm_fail() with ANM_FORMAT at a byte offset of the file. */
int anm_fail_at(struct anm_error *err, uint64_t offset, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* As anm_fail() with ANM_TEXT at a line and byte column (both 1-based; 0 = no position). */
int anm_fail_line(struct anm_error *err, uint32_t line, uint32_t column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Appends another line to the text, cut to fit. */
void anm_error_add(struct anm_error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Fills `err` with ANM_NOMEM. Returns -1. */
int anm_fail_nomem(struct anm_error *err);

/* Fills `err` with ANM_SYSTEM, the errno `sys` and "WHAT: strerror". Returns -1. */
int anm_fail_sys(struct anm_error *err, int sys, const char *what);

/* The errno for `err`; 0 for none. */
int anm_error_errno(const struct anm_error *err);

/* Appends "WHERE:LINE:COLUMN: text\n", "WHERE: offset N: text\n" or "WHERE: text\n" to `out`.
 * A text of several lines gives several such lines. */
void anm_error_print(const struct anm_error *err, const char *where, struct anm_buf *out);

#endif
