/* SPDX-License-Identifier: MIT */
/* save ANM KEY ROUNDS: how long one saved key takes, against writing the same bytes to a new file, fdatasync and rename.
 * ANM is the animation behind the mount, KEY a frame's keys in it ("NAME orientation X Y Z" is its first line). Rounds are
 * interleaved; prints the two medians in microseconds. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static double clock_us(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec * 1e6 + (double)ts.tv_nsec / 1e3;
}

/* The reference: a new file beside the old one, synced, renamed over it. */
static double plain(const char *path, const char *bytes, size_t size)
{
    char temporary[4096 + 4];
    snprintf(temporary, sizeof temporary, "%s.new", path);
    double start = clock_us();
    int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0 || write(fd, bytes, size) != (ssize_t)size || fdatasync(fd) < 0 || close(fd) < 0 ||
        rename(temporary, path) < 0)
        return -1;
    return clock_us() - start;
}

static double key(const char *path, const char *text, size_t size)
{
    double start = clock_us();
    int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    if (fd < 0 || write(fd, text, size) != (ssize_t)size || close(fd) < 0)
        return -1;
    return clock_us() - start;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The key's text with the number of its first orientation replaced. */
static size_t edit(const char *text, int round, char *out, size_t size)
{
    const char *at = strstr(text, " orientation ");
    const char *rest = at ? strchr(at + 13, ' ') : NULL;
    if (!rest)
        return 0;
    return (size_t)snprintf(out, size, "%.*s 0.%d1%s", (int)(at + 12 - text), text, round + 1, rest);
}

static char *slurp(const char *path, size_t *size)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) < 0)
        return NULL;
    char *bytes = calloc(1, (size_t)st.st_size + 1);
    ssize_t got = bytes ? read(fd, bytes, (size_t)st.st_size) : -1;
    close(fd);
    *size = got < 0 ? 0 : (size_t)got;
    return bytes;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    int rounds = atoi(argv[3]);
    size_t size, text_size;
    char *bytes = slurp(argv[1], &size);
    char *text = slurp(argv[2], &text_size);
    double *plains = calloc((size_t)rounds, sizeof *plains);
    double *keys = calloc((size_t)rounds, sizeof *keys);
    char reference[4096], edited[65536];
    snprintf(reference, sizeof reference, "%s.reference", argv[1]);
    if (!bytes || !text || !plains || !keys)
        return 2;
    for (int i = 0; i < rounds; i++) {
        size_t length = edit(text, i, edited, sizeof edited);
        plains[i] = plain(reference, bytes, size);
        keys[i] = length ? key(argv[2], edited, length) : -1;
        if (plains[i] < 0 || keys[i] < 0) {
            perror(keys[i] < 0 ? argv[2] : reference);
            return 1;
        }
    }
    unlink(reference);
    qsort(plains, (size_t)rounds, sizeof *plains, by_size);
    qsort(keys, (size_t)rounds, sizeof *keys, by_size);
    printf("%.0f %.0f\n", plains[rounds / 2], keys[rounds / 2]);
    return 0;
}
