/* SPDX-License-Identifier: MIT */
/* saver HOW PATH TEXT [GO]: saves TEXT and a newline to PATH as programs do, goes on after a failure as the worst of them, and
 * prints what each call gave: "open 0 write 0 close EIO". Exits 0 when all gave 0.
 *
 * HOW is one of
 *   close     open with O_TRUNC, write, close
 *   fsync     the same with fsync before the close
 *   rename    write PATH.new, rename it over PATH, unlink it if that fails
 *   replace   unlink PATH, make it anew
 *   truncate  cut PATH to TEXT bytes by its path
 *
 * With GO it prints a line after the last write (rename: after the close of PATH.new), and goes on when the file GO is there.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static bool failed;

/* Prints the result of a call and hands it on. */
static int said(const char *call, int result)
{
    int error = errno;
    printf("%s %s ", call, result < 0 ? strerrorname_np(error) : "0");
    failed |= result < 0;
    return result;
}

static void await(const char *go)
{
    if (!go)
        return;
    puts("");
    fflush(stdout);
    for (int i = 0; i < 3000 && access(go, F_OK); i++)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}

/* Writes all of `text` into a new or emptied file. */
static void write_file(const char *path, int flags, const char *text, bool sync, const char *go)
{
    size_t size = strlen(text);
    int fd = said("open", open(path, flags | O_WRONLY | O_CLOEXEC, 0666));
    if (fd < 0)
        return;
    said("write", write(fd, text, size) == (ssize_t)size ? 0 : -1);
    await(go);
    if (sync)
        said("fsync", fsync(fd));
    said("close", close(fd));
}

int main(int argc, char **argv)
{
    char beside[PATH_MAX];
    char text[4096];
    if (argc != 4 && argc != 5) {
        fprintf(stderr, "usage: saver close|fsync|rename|replace|truncate PATH TEXT [GO]\n");
        return 2;
    }
    const char *how = argv[1];
    const char *path = argv[2];
    const char *go = argv[4];
    snprintf(beside, sizeof beside, "%s.new", path);
    snprintf(text, sizeof text, "%s\n", argv[3]);
    if (strcmp(how, "rename") == 0) {
        write_file(beside, O_CREAT | O_TRUNC, text, false, NULL);
        await(go);
        if (said("rename", rename(beside, path)) < 0)
            unlink(beside);
    } else if (strcmp(how, "replace") == 0) {
        said("unlink", unlink(path));
        write_file(path, O_CREAT | O_EXCL, text, false, go);
    } else if (strcmp(how, "truncate") == 0) {
        await(go);
        said("truncate", truncate(path, atol(argv[3])));
    } else {
        write_file(path, O_TRUNC, text, strcmp(how, "fsync") == 0, go);
    }
    puts("");
    return failed;
}
