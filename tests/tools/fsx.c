/* SPDX-License-Identifier: MIT */
/* fsx [-s SEED] [-n COUNT] [-l SIZE] FILE: does COUNT random things to FILE (at most SIZE bytes long) and to a buffer in memory,
 * and compares: write, append, read, truncate either way, read and write through a shared mapping, fsync, close and open again,
 * stat. At the end the file is read once more by a fresh descriptor. The same seed does the same things.
 * Exits with 0, or with 1 after saying what differed and what led there. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define HISTORY 24

struct step {
    const char *what;
    size_t at, size;
};

struct fsx {
    const char *path;
    int fd;
    uint64_t random;
    size_t limit;
    uint8_t *shadow; /* what the file must hold, `limit` bytes of room */
    uint8_t *room;   /* as much again, for what is read */
    size_t size;
    unsigned done; /* steps so far; the last HISTORY of them */
    struct step history[HISTORY];
};

static void note(struct fsx *f, const char *what, size_t at, size_t size)
{
    f->history[f->done++ % HISTORY] = (struct step){what, at, size};
}

static void fail(const struct fsx *f, const char *why)
{
    fprintf(stderr, "%s: %s (%s)\n", f->path, why, errno ? strerror(errno) : "no error");
    for (unsigned i = f->done > HISTORY ? f->done - HISTORY : 0; i < f->done; i++) {
        const struct step *step = &f->history[i % HISTORY];
        fprintf(stderr, "  %u: %s at %zu, %zu bytes\n", i + 1, step->what, step->at, step->size);
    }
    exit(1);
}

/* splitmix64 */
static uint64_t next(struct fsx *f)
{
    uint64_t z = f->random += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/* 0 … bound - 1 */
static size_t below(struct fsx *f, size_t bound)
{
    return bound ? (size_t)(next(f) % bound) : 0;
}

static void compare(const struct fsx *f, const uint8_t *found, size_t at, size_t size)
{
    errno = 0;
    for (size_t i = 0; i < size; i++) {
        if (found[i] == f->shadow[at + i])
            continue;
        fprintf(stderr, "byte %zu is 0x%02x, not 0x%02x\n", at + i, found[i], f->shadow[at + i]);
        fail(f, "other bytes than were written");
    }
}

static void check_size(const struct fsx *f)
{
    struct stat st;
    if (fstat(f->fd, &st) != 0)
        fail(f, "fstat");
    if ((size_t)st.st_size != f->size) {
        fprintf(stderr, "size %jd, not %zu\n", (intmax_t)st.st_size, f->size);
        errno = 0;
        fail(f, "another size");
    }
}

/* A file grows with zeros. */
static void resize(struct fsx *f, size_t size)
{
    if (size > f->size)
        memset(f->shadow + f->size, 0, size - f->size);
    f->size = size;
}

static void put_random(struct fsx *f, size_t at, size_t size)
{
    for (size_t i = 0; i < size; i++)
        f->shadow[at + i] = (uint8_t)next(f);
}

/* --- the steps --- */

static void open_file(struct fsx *f)
{
    f->fd = open(f->path, O_RDWR | O_CLOEXEC);
    if (f->fd < 0)
        fail(f, "open");
}

static void do_write(struct fsx *f)
{
    size_t at = below(f, f->limit), size = below(f, f->limit - at) + 1;
    note(f, "write", at, size);
    if (at + size > f->size)
        resize(f, at + size);
    put_random(f, at, size);
    if (pwrite(f->fd, f->shadow + at, size, (off_t)at) != (ssize_t)size)
        fail(f, "pwrite");
}

static void do_append(struct fsx *f)
{
    size_t at = f->size, size = below(f, f->limit - at);
    note(f, "append", at, size);
    resize(f, at + size);
    put_random(f, at, size);
    int fd = open(f->path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (fd < 0 || write(fd, f->shadow + at, size) != (ssize_t)size || close(fd) != 0)
        fail(f, "append");
}

static void do_read(struct fsx *f)
{
    size_t at = below(f, f->size), size = below(f, f->limit - at) + 1;
    size_t want = at + size > f->size ? f->size - at : size;
    note(f, "read", at, size);
    if (pread(f->fd, f->room, size, (off_t)at) != (ssize_t)want)
        fail(f, "pread");
    compare(f, f->room, at, want);
}

static void do_truncate(struct fsx *f, bool by_path)
{
    size_t size = below(f, f->limit + 1);
    note(f, by_path ? "truncate" : "ftruncate", f->size, size);
    resize(f, size);
    if ((by_path ? truncate(f->path, (off_t)size) : ftruncate(f->fd, (off_t)size)) != 0)
        fail(f, "truncate");
}

/* A part of the file through a shared mapping. */
static void do_map(struct fsx *f, bool writes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (f->size == 0)
        return;
    size_t at = below(f, f->size), size = below(f, f->size - at) + 1, base = at / page * page;
    note(f, writes ? "map and write" : "map and read", at, size);
    uint8_t *map = mmap(NULL, at - base + size, PROT_READ | PROT_WRITE, MAP_SHARED, f->fd, (off_t)base);
    if (map == MAP_FAILED)
        fail(f, "mmap");
    if (writes) {
        put_random(f, at, size);
        memcpy(map + (at - base), f->shadow + at, size);
        if (next(f) & 1 && msync(map, at - base + size, MS_SYNC) != 0)
            fail(f, "msync");
    } else {
        compare(f, map + (at - base), at, size);
    }
    if (munmap(map, at - base + size) != 0)
        fail(f, "munmap");
}

static void do_reopen(struct fsx *f)
{
    note(f, "close and open", 0, f->size);
    if (close(f->fd) != 0)
        fail(f, "close");
    open_file(f);
}

static void do_sync(struct fsx *f)
{
    bool data = next(f) & 1;
    note(f, data ? "fdatasync" : "fsync", 0, f->size);
    if ((data ? fdatasync(f->fd) : fsync(f->fd)) != 0)
        fail(f, "fsync");
}

static void step(struct fsx *f)
{
    switch (below(f, 12)) {
    case 0:
    case 1:
        do_write(f);
        break;
    case 2:
        do_append(f);
        break;
    case 3:
    case 4:
        do_read(f);
        break;
    case 5:
        do_truncate(f, false);
        break;
    case 6:
        do_truncate(f, true);
        break;
    case 7:
        do_map(f, false);
        break;
    case 8:
    case 9:
        do_map(f, true);
        break;
    case 10:
        do_reopen(f);
        break;
    default:
        do_sync(f);
    }
    check_size(f);
}

/* All of it, by a descriptor that has seen nothing of the above. */
static void check_all(struct fsx *f)
{
    note(f, "read again", 0, f->size);
    if (close(f->fd) != 0)
        fail(f, "close");
    open_file(f);
    check_size(f);
    size_t got = 0;
    for (ssize_t more; (more = read(f->fd, f->room + got, f->limit + 1 - got)) != 0; got += (size_t)more)
        if (more < 0)
            fail(f, "read");
    errno = 0;
    if (got != f->size)
        fail(f, "another end");
    compare(f, f->room, 0, got);
}

static size_t number(const char *text)
{
    char *end;
    size_t value = strtoul(text, &end, 10);
    if (end == text || *end) {
        fprintf(stderr, "fsx: %s is no number\n", text);
        exit(2);
    }
    return value;
}

int main(int argc, char **argv)
{
    struct fsx f = {.limit = 20000};
    size_t count = 1000, seed = 1;
    for (int letter; (letter = getopt(argc, argv, "s:n:l:")) != -1;) {
        if (letter == '?')
            return 2;
        *(letter == 's' ? &seed : letter == 'n' ? &count : &f.limit) = number(optarg);
    }
    if (argc - optind != 1 || f.limit == 0) {
        fputs("usage: fsx [-s SEED] [-n COUNT] [-l SIZE] FILE\n", stderr);
        return 2;
    }
    f.path = argv[optind];
    f.random = seed;
    f.shadow = calloc(2, f.limit + 1);
    if (!f.shadow)
        return 2;
    f.room = f.shadow + f.limit + 1;
    open_file(&f);
    if (ftruncate(f.fd, 0) != 0)
        fail(&f, "ftruncate");
    for (size_t i = 0; i < count; i++)
        step(&f);
    check_all(&f);
    close(f.fd);
    free(f.shadow);
    printf("fsx: %u steps, seed %zu\n", f.done, seed);
    return 0;
}
