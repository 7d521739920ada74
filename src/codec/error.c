/* SPDX-License-Identifier: MIT */
#include "anm/error.h"

#include "anm/buf.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 3, 0))) static void fill(struct anm_error *err, enum anm_reason reason,
                                                       const char *format, va_list args)
{
    *err = (struct anm_error){.reason = reason};
    vsnprintf(err->text, sizeof err->text, format, args);
}

int anm_fail(struct anm_error *err, enum anm_reason reason, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fill(err, reason, format, args);
    va_end(args);
    return -1;
}

int anm_fail_at(struct anm_error *err, uint64_t offset, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fill(err, ANM_FORMAT, format, args);
    va_end(args);
    err->has_offset = true;
    err->offset = offset;
    return -1;
}

int anm_fail_line(struct anm_error *err, uint32_t line, uint32_t column, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fill(err, ANM_TEXT, format, args);
    va_end(args);
    err->line = line;
    err->column = column;
    return -1;
}

void anm_error_add(struct anm_error *err, const char *format, ...)
{
    size_t size = strlen(err->text);
    va_list args;
    if (size > 0 && size < sizeof err->text - 1)
        err->text[size++] = '\n';
    va_start(args, format);
    vsnprintf(err->text + size, sizeof err->text - size, format, args);
    va_end(args);
}

int anm_fail_nomem(struct anm_error *err)
{
    return anm_fail(err, ANM_NOMEM, "out of memory");
}

int anm_fail_sys(struct anm_error *err, int sys, const char *what)
{
    const char *words = strerrordesc_np(sys);
    anm_fail(err, ANM_SYSTEM, "%s: %s", what, words ? words : "unknown error");
    err->sys = sys;
    return -1;
}

int anm_error_errno(const struct anm_error *err)
{
    switch (err->reason) {
    case ANM_OK:
        return 0;
    case ANM_NOMEM:
        return ENOMEM;
    case ANM_FORMAT:
    case ANM_FOREIGN:
    case ANM_TEXT:
    case ANM_LIMIT:
    case ANM_LOSS:
    case ANM_NAME:
        return EINVAL;
    case ANM_DENIED:
        return EPERM;
    case ANM_NOENT:
        return ENOENT;
    case ANM_EXIST:
        return EEXIST;
    case ANM_NOTEMPTY:
        return ENOTEMPTY;
    case ANM_NOTDIR:
        return ENOTDIR;
    case ANM_ISDIR:
        return EISDIR;
    case ANM_STALE:
        return ESTALE;
    case ANM_READONLY:
        return EROFS;
    case ANM_SYSTEM:
        return err->sys;
    }
    return EIO;
}

void anm_error_print(const struct anm_error *err, const char *where, struct anm_buf *out)
{
    const char *text = err->text;
    do {
        size_t size = strcspn(text, "\n");
        anm_buf_puts(out, where);
        if (err->line)
            anm_buf_printf(out, ":%u", err->line);
        if (err->line && err->column)
            anm_buf_printf(out, ":%u", err->column);
        if (err->has_offset)
            anm_buf_printf(out, ": offset %llu", (unsigned long long)err->offset);
        anm_buf_puts(out, ": ");
        anm_buf_put(out, text, size);
        anm_buf_putc(out, '\n');
        text += size + (text[size] == '\n');
    } while (*text);
}
