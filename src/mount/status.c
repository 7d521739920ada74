/* SPDX-License-Identifier: MIT */
/* What the mount tells of itself: refusals in .anmfs/errors, counts in .anmfs/status, both also in syslog or on the terminal. */
#include "mount.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>

void say(const struct mount *m, int priority, const char *format, ...)
{
    char line[1400];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (m->background)
        syslog(LOG_USER | priority, "%s", line);
    else
        fprintf(stderr, "%s: %s\n", program_invocation_short_name, line);
}

/* Appends to the errors text; the oldest lines go first. */
static void remember(struct anim *a, const struct anm_buf *lines)
{
    anm_buf_put(&a->errors, lines->data, lines->size);
    if (a->errors.failed) {
        anm_buf_free(&a->errors);
        return;
    }
    if (a->errors.size <= AMNT_ERRORS_MAX)
        return;
    size_t cut = a->errors.size - AMNT_ERRORS_MAX / 2;
    const uint8_t *line = memchr(a->errors.data + cut, '\n', a->errors.size - cut);
    if (line)
        cut = (size_t)(line - a->errors.data) + 1;
    memmove(a->errors.data, a->errors.data + cut, a->errors.size - cut);
    a->errors.size -= cut;
}

int report(struct anim *a, const char *path, const struct anm_error *err)
{
    ANM_AUTO(anm_buf_free) struct anm_buf lines = {0};
    anm_error_print(err, *path ? path : "/", &lines);
    a->rejected++;
    ANM_AUTO(anm_buf_free) struct anm_buf file = {0};
    const char *where = anim_path(a, &file);
    const char *text = anm_buf_cstr(&lines);
    if (text) {
        remember(a, &lines);
        for (const char *end; (end = strchr(text, '\n')) != NULL; text = end + 1)
            say(a->mount, LOG_WARNING, "%s: %.*s", where ? where : "?", (int)(end - text), text);
    }
    return anm_error_errno(err);
}

int report_node(const struct node *n, const struct anm_error *err)
{
    ANM_AUTO(anm_buf_free) struct anm_buf path = {0};
    return report(n->anim, node_path(n, &path) ? (const char *)path.data : "?", err);
}

static const char *const opcode_names[AMNT_OPCODES] = {
    [1] = "LOOKUP",       [2] = "FORGET",      [3] = "GETATTR",       [4] = "SETATTR",
    [6] = "SYMLINK",      [8] = "MKNOD",       [9] = "MKDIR",         [10] = "UNLINK",
    [11] = "RMDIR",       [12] = "RENAME",     [13] = "LINK",         [14] = "OPEN",
    [15] = "READ",        [16] = "WRITE",      [17] = "STATFS",       [18] = "RELEASE",
    [20] = "FSYNC",       [21] = "SETXATTR",   [22] = "GETXATTR",     [23] = "LISTXATTR",
    [24] = "REMOVEXATTR", [25] = "FLUSH",      [26] = "INIT",         [27] = "OPENDIR",
    [28] = "READDIR",     [29] = "RELEASEDIR", [30] = "FSYNCDIR",     [35] = "CREATE",
    [36] = "INTERRUPT",   [39] = "IOCTL",      [42] = "BATCH_FORGET", [43] = "FALLOCATE",
    [44] = "READDIRPLUS", [45] = "RENAME2",    [46] = "LSEEK",        [47] = "COPY_FILE_RANGE",
};

static unsigned count_dirty(const struct mount *m)
{
    unsigned dirty = 0;
    for (size_t i = 0; i < m->buckets; i++) {
        for (const struct node *n = m->ids[i]; n; n = n->by_id)
            dirty += n->kind == NODE_FILE && n->stage && n->written;
    }
    return dirty;
}

static void render_status(struct mount *m, const struct anim *a, struct anm_buf *out)
{
    cJSON *root = cJSON_CreateObject();
    ANM_AUTO(anm_buf_free) struct anm_buf path = {0};
    const char *source = anim_path(a, &path);
    cJSON_AddStringToObject(root, "source", source ? source : "");
    cJSON_AddBoolToObject(root, "readonly", m->ro);
    cJSON_AddNumberToObject(root, "files", m->mirror ? (double)m->files : 1);
    cJSON_AddNumberToObject(root, "loaded", (double)m->loaded);
    cJSON_AddNumberToObject(root, "loads", (double)m->loads);
    cJSON_AddNumberToObject(root, "dropped", (double)m->drops);
    cJSON_AddNumberToObject(root, "dirty", count_dirty(m));
    cJSON_AddNumberToObject(root, "rejected", (double)a->rejected);
    cJSON_AddNumberToObject(root, "nodes", (double)m->count);
    cJSON *memory = cJSON_AddObjectToObject(root, "memory");
    cJSON_AddNumberToObject(memory, "documents", (double)m->doc_bytes);
    cJSON_AddNumberToObject(memory, "texts", (double)m->cache_bytes);
    cJSON_AddNumberToObject(memory, "scratch", (double)m->scratch_bytes);
    cJSON *requests = cJSON_AddObjectToObject(root, "requests");
    for (size_t i = 0; i < AMNT_OPCODES; i++) {
        if (m->requests[i] && opcode_names[i])
            cJSON_AddNumberToObject(requests, opcode_names[i], (double)m->requests[i]);
    }
    char *text = cJSON_Print(root);
    if (text) {
        anm_buf_puts(out, text);
        anm_buf_putc(out, '\n');
    } else {
        out->failed = true;
    }
    cJSON_free(text);
    cJSON_Delete(root);
}

void host_render(struct mount *m, struct anim *a, const char *label, struct anm_buf *out)
{
    if (strcmp(label, "errors") == 0)
        anm_buf_put(out, a->errors.data, a->errors.size);
    else if (strcmp(label, "status") == 0)
        render_status(m, a, out);
}
