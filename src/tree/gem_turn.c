/* SPDX-License-Identifier: MIT */
/* The input forms of an orientation. All mean the same rotation as a stored one: a point is a row vector, and a
 * positive angle turns x towards y about z, y towards z about x, z towards x about y.
 *   quat x y z w        any length but zero
 *   axis x y z degrees  about any axis
 *   euler xyz a b c     about the fixed axes, one after the other in the order written, an angle for each */
#include "gem_tree.h"

#include <math.h>
#include <string.h>

/* A unit quaternion: x, y, z, w. */
struct turn {
    double q[4];
};

/* Sine and cosine of degrees / 2, exact at whole quarter turns. */
static void half_angle(double degrees, double *sine, double *cosine)
{
    int quarter;
    double rest = remquo(degrees / 2, 90, &quarter) * (M_PI / 180);
    double s = sin(rest), c = cos(rest);
    *sine = quarter & 1 ? c : s;
    *cosine = quarter & 1 ? -s : c;
    if (quarter & 2) {
        *sine = -*sine;
        *cosine = -*cosine;
    }
}

/* First `a`, then `b`. */
static struct turn then(const struct turn *a, const struct turn *b)
{
    const double *p = b->q, *q = a->q;
    return (struct turn){
        {p[3] * q[0] + p[0] * q[3] + p[1] * q[2] - p[2] * q[1], p[3] * q[1] - p[0] * q[2] + p[1] * q[3] + p[2] * q[0],
         p[3] * q[2] + p[0] * q[1] - p[1] * q[0] + p[2] * q[3], p[3] * q[3] - p[0] * q[0] - p[1] * q[1] - p[2] * q[2]}};
}

/* Makes `count` numbers a vector of length 1; false for length 0. Scales first, so that nothing overflows. */
static bool normalise(double *v, unsigned count)
{
    double largest = 0, sum = 0;
    for (unsigned i = 0; i < count; i++)
        largest = fmax(largest, fabs(v[i]));
    if (!(largest > 0))
        return false;
    for (unsigned i = 0; i < count; i++) {
        v[i] /= largest;
        sum += v[i] * v[i];
    }
    for (unsigned i = 0; i < count; i++)
        v[i] /= sqrt(sum);
    return true;
}

/* The stored form has no w: it is never negative. */
static void store(const struct turn *turn, uint32_t v[3])
{
    double sign = turn->q[3] < 0 ? -1 : 1;
    for (unsigned i = 0; i < 3; i++) {
        float value = (float)(sign * turn->q[i] + 0.0); /* + 0.0: no minus zero from a sign */
        memcpy(&v[i], &value, sizeof value);
    }
}

static int read_numbers(const struct anm_lines *lines, uint32_t i, const char *what, double *v, unsigned count)
{
    for (unsigned k = 0; k < count; k++) {
        if (anm_lines_f64(lines, i + k, what, &v[k]))
            return -1;
        if (!isfinite(v[k]))
            return anm_lines_fail(lines, i + k, "%.*s where a finite number was expected",
                                  (int)lines->tokens[i + k].size, lines->tokens[i + k].text);
    }
    return 0;
}

static int parse_quat(const struct anm_lines *lines, uint32_t i, struct turn *turn)
{
    if (anm_lines_want(lines, i + 5, "orientation quat x y z w") || read_numbers(lines, i + 1, "quat", turn->q, 4))
        return -1;
    return normalise(turn->q, 4) ? 0 : anm_lines_fail(lines, i + 1, "a quaternion of length 0 is no orientation");
}

static int parse_axis(const struct anm_lines *lines, uint32_t i, struct turn *turn)
{
    double v[4], sine;
    if (anm_lines_want(lines, i + 5, "orientation axis x y z degrees") || read_numbers(lines, i + 1, "axis", v, 4))
        return -1;
    if (!normalise(v, 3))
        return anm_lines_fail(lines, i + 1, "an axis of length 0 has no direction");
    half_angle(v[3], &sine, &turn->q[3]);
    for (unsigned k = 0; k < 3; k++)
        turn->q[k] = v[k] * sine;
    return 0;
}

static int parse_euler(const struct anm_lines *lines, uint32_t i, struct turn *turn)
{
    static const char orders[6][4] = {"xyz", "xzy", "yxz", "yzx", "zxy", "zyx"};
    double degrees[3];
    unsigned order = 0;
    if (anm_lines_want(lines, i + 5, "orientation euler xyz a b c"))
        return -1;
    while (order < 6 && !anm_lines_is(lines, i + 1, orders[order]))
        order++;
    if (order == 6)
        return anm_lines_fail(lines, i + 1, "%.*s is no axis order: expected xyz, xzy, yxz, yzx, zxy or zyx",
                              (int)lines->tokens[i + 1].size, lines->tokens[i + 1].text);
    if (read_numbers(lines, i + 2, "euler", degrees, 3))
        return -1;
    *turn = (struct turn){{0, 0, 0, 1}};
    for (unsigned k = 0; k < 3; k++) {
        struct turn next = {{0}};
        half_angle(degrees[k], &next.q[orders[order][k] - 'x'], &next.q[3]);
        *turn = then(turn, &next);
    }
    return 0;
}

int gem_parse_turn(struct anm_lines *lines, uint32_t i, uint32_t v[3])
{
    struct turn turn;
    int rc = anm_lines_is(lines, i, "quat")   ? parse_quat(lines, i, &turn)
             : anm_lines_is(lines, i, "axis") ? parse_axis(lines, i, &turn)
                                              : parse_euler(lines, i, &turn);
    if (rc == 0)
        store(&turn, v);
    return rc;
}

double gem_turned(const char *channel, size_t size, const double *a, const double *b, size_t count)
{
    static const char orientation[] = "orientation";
    if (size != sizeof orientation - 1 || memcmp(channel, orientation, size) != 0 || count != 3)
        return -1;
    double ww = 1, vv = 1, dot = 0;
    for (size_t i = 0; i < 3; i++) {
        ww -= a[i] * a[i];
        vv -= b[i] * b[i];
        dot += a[i] * b[i];
    }
    dot = fabs(dot + sqrt(fmax(ww, 0)) * sqrt(fmax(vv, 0)));
    return 2 * acos(fmin(dot, 1)) * 180 / acos(-1);
}
