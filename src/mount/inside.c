/* SPDX-License-Identifier: MIT */
/* Is the mount point inside the directory that is mounted? Then whoever walks there, the daemon included, would wait for the daemon.
 * A place has many names: links, other mounts of the same filesystem or of a part of it. */
#include "mount.h"

#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether `path` is `top`, or below it. */
static bool is_below(const char *path, const char *top)
{
    size_t size = strlen(top);
    while (size > 0 && top[size - 1] == '/')
        size--;
    return strncmp(path, top, size) == 0 && (path[size] == '/' || path[size] == 0);
}

/* By name and number: one of the directories above `target`, as ".." leads, is `source`. */
static bool climbs_to(const char *target, const struct stat *source)
{
    ANM_AUTO(anm_freep) char *path = strdup(target);
    struct stat st;
    while (path && stat(*path ? path : "/", &st) == 0) {
        if (st.st_dev == source->st_dev && st.st_ino == source->st_ino)
            return true;
        char *slash = strrchr(path, '/');
        if (!slash)
            break;
        *slash = 0;
    }
    return false;
}

/* The octal escapes of mountinfo. */
static void unescape(char *text)
{
    char *to = text;
    for (const char *at = text; *at; at++) {
        unsigned code;
        if (*at == '\\' && sscanf(at + 1, "%3o", &code) == 1) { // NOLINT(cert-err34-c)
            *to++ = (char)code;
            at += 3;
        } else {
            *to++ = *at;
        }
    }
    *to = 0;
}

/* Appends the path that `path` has in its filesystem: the root of the mount that it is in, and the rest. False when not known. */
static bool path_in_filesystem(const char *path, struct anm_buf *out)
{
    FILE *table = setmntent("/proc/self/mountinfo", "re");
    ANM_AUTO(anm_freep) char *line = NULL;
    size_t room = 0;
    while (table && getline(&line, &room, table) > 0) {
        ANM_AUTO(anm_freep) char *root = NULL;
        ANM_AUTO(anm_freep) char *point = NULL;
        if (sscanf(line, "%*s %*s %*s %ms %ms", &root, &point) != 2)
            continue;
        unescape(root);
        unescape(point);
        if (!is_below(path, point))
            continue;
        /* The table is in the order of the mounts: what came last lies on top. */
        out->size = 0;
        anm_buf_printf(out, "%s%s", strcmp(root, "/") == 0 ? "" : root,
                       path + (strcmp(point, "/") == 0 ? 0 : strlen(point)));
    }
    if (table)
        endmntent(table);
    return anm_buf_cstr(out) && out->size > 0;
}

bool is_inside(const char *source, const char *target)
{
    ANM_AUTO(anm_buf_free) struct anm_buf of_source = {0};
    ANM_AUTO(anm_buf_free) struct anm_buf of_target = {0};
    struct stat above, below;
    if (stat(source, &above) || stat(target, &below))
        return false;
    if (climbs_to(target, &above))
        return true;
    return above.st_dev == below.st_dev && path_in_filesystem(source, &of_source) &&
           path_in_filesystem(target, &of_target) && is_below((char *)of_target.data, (char *)of_source.data);
}
