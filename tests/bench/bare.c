/* SPDX-License-Identifier: MIT */
/* bare TREE DIR [ro]: a FUSE filesystem that does nothing but hold a copy of TREE in memory, with what costs the fewest requests: what any
 * other such filesystem is measured against. Stays in the foreground until it is unmounted. */
#define FUSE_USE_VERSION 312

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse_lowlevel.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SMALL_DIRECTORY = 8 };

struct item {
    char *name;
    char *bytes; /* of a file */
    struct stat st;
    size_t parent;
    size_t first, count; /* of a directory: its entries, which stand together */
};

struct tree {
    struct item *items;
    size_t count, room;
    bool ro;
};

static int add(struct tree *tree, const char *name, size_t parent)
{
    if (tree->count == tree->room) {
        size_t room = tree->room ? 2 * tree->room : 1024;
        struct item *items = realloc(tree->items, room * sizeof *items);
        if (!items)
            return -1;
        tree->items = items;
        tree->room = room;
    }
    struct item *item = &tree->items[tree->count++];
    *item = (struct item){.name = strdup(name), .parent = parent};
    return item->name ? 0 : -1;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct item *)a)->name, ((const struct item *)b)->name);
}

/* Opens an item of the tree on disk, by the names of those above it. */
static int open_item(const struct tree *tree, size_t i, int top, int flags)
{
    size_t above[64], depth = 0;
    for (size_t at = i; at != 0 && depth < 64; at = tree->items[at].parent)
        above[depth++] = at;
    int fd = dup(top);
    while (fd >= 0 && depth--) {
        int next = openat(fd, tree->items[above[depth]].name, depth ? O_RDONLY | O_DIRECTORY : flags);
        close(fd);
        fd = next;
    }
    return fd;
}

static int load_directory(struct tree *tree, size_t i, int fd)
{
    DIR *dir = fdopendir(fd);
    if (!dir)
        return -1;
    size_t first = tree->count;
    int error = 0;
    for (const struct dirent *entry; !error && (entry = readdir(dir));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            error = add(tree, entry->d_name, i);
    closedir(dir);
    qsort(tree->items + first, tree->count - first, sizeof *tree->items, by_name);
    tree->items[i].first = first;
    tree->items[i].count = tree->count - first;
    return error;
}

static int load_item(struct tree *tree, size_t i, int top)
{
    struct item *item = &tree->items[i];
    int fd = open_item(tree, i, top, O_RDONLY);
    if (fd < 0 || fstat(fd, &item->st) != 0)
        return -1;
    item->st.st_ino = i + 1;
    if (S_ISDIR(item->st.st_mode))
        return load_directory(tree, i, fd);
    size_t size = (size_t)item->st.st_size;
    item->bytes = malloc(size + 1);
    int error = !item->bytes || read(fd, item->bytes, size) != (ssize_t)size;
    close(fd);
    return error ? -1 : 0;
}

static const struct item *item_of(fuse_req_t req, fuse_ino_t ino)
{
    const struct tree *tree = fuse_req_userdata(req);
    return &tree->items[ino - 1];
}

static struct fuse_entry_param entry_of(const struct item *item)
{
    return (struct fuse_entry_param){
        .ino = item->st.st_ino, .attr = item->st, .attr_timeout = 1e9, .entry_timeout = 1e9};
}

static void op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
    const struct tree *tree = fuse_req_userdata(req);
    const struct item *dir = item_of(req, parent), key = {.name = (char *)(uintptr_t)name};
    const struct item *found =
        dir->count ? bsearch(&key, tree->items + dir->first, dir->count, sizeof key, by_name) : NULL;
    struct fuse_entry_param e;
    if (!found) {
        fuse_reply_err(req, ENOENT);
        return;
    }
    e = entry_of(found);
    fuse_reply_entry(req, &e);
}

static void op_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
    (void)fi;
    fuse_reply_attr(req, &item_of(req, ino)->st, 1e9);
}

static void op_opendir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
    const struct tree *tree = fuse_req_userdata(req);
    if (tree->ro) {
        fuse_reply_err(req, ENOSYS);
        return;
    }
    fi->cache_readdir = fi->keep_cache = item_of(req, ino)->count <= SMALL_DIRECTORY;
    fuse_reply_open(req, fi);
}

static void op_readdirplus(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset, struct fuse_file_info *fi)
{
    const struct tree *tree = fuse_req_userdata(req);
    const struct item *dir = item_of(req, ino);
    char *page = malloc(size);
    size_t used = 0;
    (void)fi;
    for (size_t i = (size_t)offset; page && i < dir->count; i++) {
        const struct item *item = &tree->items[dir->first + i];
        struct fuse_entry_param e = entry_of(item);
        size_t need = fuse_add_direntry_plus(req, page + used, size - used, item->name, &e, (off_t)i + 1);
        if (need > size - used)
            break;
        used += need;
    }
    if (page)
        fuse_reply_buf(req, page, used);
    else
        fuse_reply_err(req, ENOMEM);
    free(page);
}

static void op_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
    const struct tree *tree = fuse_req_userdata(req);
    (void)ino;
    if (tree->ro) {
        fuse_reply_err(req, ENOSYS);
        return;
    }
    fi->keep_cache = fi->noflush = 1;
    fuse_reply_open(req, fi);
}

static void op_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset, struct fuse_file_info *fi)
{
    const struct item *item = item_of(req, ino);
    size_t all = (size_t)item->st.st_size, at = (size_t)offset < all ? (size_t)offset : all;
    (void)fi;
    fuse_reply_buf(req, item->bytes + at, all - at < size ? all - at : size);
}

static void op_release(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
    (void)ino, (void)fi;
    fuse_reply_err(req, 0);
}

static const struct fuse_lowlevel_ops ops = {
    .lookup = op_lookup,
    .getattr = op_getattr,
    .opendir = op_opendir,
    .readdirplus = op_readdirplus,
    .releasedir = op_release,
    .open = op_open,
    .read = op_read,
    .release = op_release,
};

static int serve(struct tree *tree, char *program, const char *dir)
{
    char *argv[] = {program, NULL};
    struct fuse_args args = FUSE_ARGS_INIT(1, argv);
    struct fuse_session *session = fuse_session_new(&args, &ops, sizeof ops, tree);
    int error = !session || fuse_session_mount(session, dir) != 0;
    if (!error) {
        error = fuse_session_loop(session) < 0;
        fuse_session_unmount(session);
    }
    if (session)
        fuse_session_destroy(session);
    fuse_opt_free_args(&args);
    return error;
}

int main(int argc, char **argv)
{
    struct tree tree = {.ro = argc == 4 && strcmp(argv[3], "ro") == 0};
    int top = argc >= 3 ? open(argv[1], O_RDONLY | O_DIRECTORY) : -1;
    if (top < 0) {
        fputs("usage: bare TREE DIR [ro]\n", stderr);
        return 2;
    }
    int error = add(&tree, "", 0);
    for (size_t i = 0; !error && i < tree.count; i++)
        error = load_item(&tree, i, top);
    close(top);
    if (error)
        perror("bare");
    else
        error = serve(&tree, argv[0], argv[2]);
    for (size_t i = 0; i < tree.count; i++) {
        free(tree.items[i].name);
        free(tree.items[i].bytes);
    }
    free(tree.items);
    return error != 0;
}
