/* SPDX-License-Identifier: MIT */
/* Float text on animation-like numbers: printing against the shortest %.*g that reads back, parsing against strtof(). */
#include "anm/num.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define COUNT 20000
#define ROUNDS 15

struct data {
    uint32_t bits[COUNT];
    char texts[COUNT][32]; /* terminated */
    size_t sizes[COUNT];
    uint64_t sink; /* keeps results alive */
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static float to_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Half orientations, which are below 1, a third positions, the rest what somebody typed: few digits, 0 and 1. */
static void fill(struct data *data)
{
    uint32_t state = 1;
    for (size_t i = 0; i < COUNT; i++) {
        state = state * 1664525 + 1013904223;
        double uniform = (double)state / 0x1p31 - 1;
        uint32_t kind = state * 2654435761u >> 28;
        double value = kind < 8    ? uniform
                       : kind < 13 ? uniform * 40
                       : kind < 15 ? round(uniform * 1000) / 100
                                   : kind % 2;
        float single = (float)value;
        memcpy(&data->bits[i], &single, sizeof single);
        data->sizes[i] = anm_f32_print(data->texts[i], data->bits[i]);
        data->texts[i][data->sizes[i]] = 0;
    }
}

static void print_all(struct data *data)
{
    char text[ANM_F32_MAX];
    for (size_t i = 0; i < COUNT; i++)
        data->sink += anm_f32_print(text, data->bits[i]) + (unsigned char)text[0];
}

static void print_loop(struct data *data)
{
    char text[64];
    for (size_t i = 0; i < COUNT; i++) {
        float value = to_float(data->bits[i]);
        for (int digits = 6; digits <= 9; digits++) {
            data->sink += (unsigned)snprintf(text, sizeof text, "%.*g", digits, (double)value);
            if (strtof(text, NULL) == value)
                break;
        }
    }
}

static void parse_all(struct data *data)
{
    for (size_t i = 0; i < COUNT; i++) {
        uint32_t bits = 0;
        data->sink += anm_f32_parse(data->texts[i], data->sizes[i], &bits);
        data->sink += bits;
    }
}

static void parse_strtof(struct data *data)
{
    for (size_t i = 0; i < COUNT; i++)
        data->sink += strtof(data->texts[i], NULL) > 0;
}

/* Nanoseconds for each number, of the best round: what else the machine does only adds. */
static double best(void (*work)(struct data *data), struct data *data)
{
    double least = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        double start = now();
        work(data);
        least = fmin(least, now() - start);
    }
    return least * 1e9 / COUNT;
}

int main(void)
{
    struct data *data = calloc(1, sizeof *data);
    if (!data)
        return 2;
    fill(data);
    double print = best(print_all, data), loop = best(print_loop, data);
    double parse = best(parse_all, data), library = best(parse_strtof, data);
    printf("print %.1f ns, %%.*g loop %.1f ns: %.1fx\n", print, loop, loop / print);
    printf("parse %.1f ns, strtof() %.1f ns: %.1fx\n", parse, library, library / parse);
    bool used = data->sink != 0;
    free(data);
    return used ? 0 : 2;
}
