/* SPDX-License-Identifier: MIT */
/* Which names are editors' and tools' own files. They live in memory and never enter the animation; any other unknown
 * name is refused, so that a typo is not swallowed. */
#include "mount.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <string.h>

/* `name` is `prefix` followed by exactly `count` characters of mkstemp's alphabet. */
static bool is_temporary(const char *name, const char *prefix, size_t count)
{
    size_t skip = strlen(prefix);
    if (strncmp(name, prefix, skip) != 0 || strlen(name) != skip + count)
        return false;
    for (name += skip; *name; name++) {
        if (!isalnum((unsigned char)*name) && *name != '_')
            return false;
    }
    return true;
}

/* The names that tools make whatever the file is called: one line a family. */
static bool is_pattern(const char *name)
{
    size_t size = strlen(name);
    return name[0] == '.' ||                                 /* vim, nano, emacs, rsync */
           name[size - 1] == '~' ||                          /* backups */
           (name[0] == '#' && name[size - 1] == '#') ||      /* emacs auto-save */
           (size == 4 && strspn(name, "0123456789") == 4) || /* vim's probe: 4913 and further */
           is_temporary(name, "sed", 6) ||                   /* sed -i */
           is_temporary(name, "XX", 6) ||                    /* perl -i */
           is_temporary(name, "tmp", 6) ||                   /* emacs with file-precious-flag */
           is_temporary(name, "tmp", 8);                     /* Python's tempfile */
}

/* Contains the name of a file that the directory has: keys.bak, keys.orig, header.new … */
static bool is_near_node(struct node *dir, const char *name)
{
    ANM_AUTO(anm_buf_free) struct anm_buf child = {0};
    struct anm_ref ref;
    uint32_t cookie = 0;
    if (!node_resolve(dir))
        return false;
    while (anm_tree_next(dir->anim->doc, &dir->ref, ANM_LIST_HIDDEN, &cookie, &ref, &child)) {
        const char *text = anm_buf_cstr(&child);
        if (text && anm_ref_kind(&ref) != ANM_DIR && strstr(name, text))
            return true;
        child.size = 0;
    }
    return false;
}

int name_errno(const char *name)
{
    if (strlen(name) > NAME_MAX)
        return ENAMETOOLONG;
    for (; *name; name++) {
        if ((unsigned char)*name < ' ' || *name == 0x7f)
            return EPERM;
    }
    return 0;
}

bool scratch_name(struct node *dir, const char *name)
{
    if (dir->kind != NODE_DIR || !node_resolve(dir) || anm_ref_volatile(&dir->ref))
        return false;
    return is_pattern(name) || is_near_node(dir, name);
}
