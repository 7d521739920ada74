/* SPDX-License-Identifier: MIT */
/* coherence WRITE READ COUNT: writes COUNT different numbers into the text WRITE ("turret orientation 0 NUMBER 0"), from one CPU, and
 * after each close reads READ from another CPU: the number must be there. READ is also read before each write, so that it is cached.
 * Prints how many reads were stale; exits 0 when none was. */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void pin(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)cpu, &set);
    sched_setaffinity(0, sizeof set, &set); /* on a machine with one CPU this fails, and the test is only weaker */
}

static int read_all(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, text, size - 1);
    if (fd >= 0)
        close(fd);
    text[got > 0 ? got : 0] = 0;
    return got < 0 ? -1 : 0;
}

static int write_number(const char *path, int i)
{
    char text[64];
    int size = snprintf(text, sizeof text, "turret orientation 0 0.%05d 0\n", i);
    int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    if (fd < 0 || write(fd, text, (size_t)size) != size)
        return -1;
    return close(fd);
}

/* Reads when told to ('r' before a write, a number after it), and answers 'y' or 'n'. */
static int reader(const char *path, int in, int out)
{
    static char text[1 << 20];
    pin(1);
    for (int i; read(in, &i, sizeof i) == (ssize_t)sizeof i;) {
        char want[32];
        snprintf(want, sizeof want, " 0.%05d ", i);
        char answer = read_all(path, text, sizeof text) == 0 && (i == 0 || strstr(text, want)) ? 'y' : 'n';
        if (write(out, &answer, 1) != 1)
            return 1;
    }
    return 0;
}

static char ask(int to, int from, int i)
{
    char answer = 'n';
    if (write(to, &i, sizeof i) != (ssize_t)sizeof i || read(from, &answer, 1) != 1)
        return 'n';
    return answer;
}

int main(int argc, char **argv)
{
    int to[2], from[2];
    if (argc != 4 || pipe(to) < 0 || pipe(from) < 0)
        return 2;
    int count = atoi(argv[3]);
    int stale = 0;
    pid_t child = fork();
    if (child == 0) {
        close(to[1]);
        return reader(argv[2], to[0], from[1]);
    }
    pin(0);
    for (int i = 1; i <= count; i++) {
        ask(to[1], from[0], 0);
        /* A number whose shortest text is itself: it must not end in a zero. */
        int number = i * 10 + 1;
        if (write_number(argv[1], number) < 0) {
            perror(argv[1]);
            return 1;
        }
        stale += ask(to[1], from[0], number) != 'y';
    }
    close(to[1]);
    waitpid(child, NULL, 0);
    printf("%d of %d reads were stale\n", stale, count);
    return stale != 0;
}
