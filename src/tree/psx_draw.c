/* SPDX-License-Identifier: MIT */
#include "psx_draw.h"

#include <math.h>
#include <string.h>

#define ONE 4096 /* of a scale; and angles a turn */
#define QUARTER 1024
#define STP 0x8000u

/* A sprite on its way to the picture. Lengths that may end in a half are kept twice. */
struct placed {
    const struct psx_sprite *sprite;
    int32_t x, y, w, h;       /* the rectangle before scale and rotation */
    int32_t scale_x, scale_y; /* 4096 is 1 */
    bool quarter;             /* the angle is a multiple of 90 degrees: whole numbers do */
    int64_t cos, sin;         /* of such an angle */
    double cosine, sine;      /* of any */
};

static void turn(struct placed *p, unsigned angle)
{
    static const int cosines[] = {1, 0, -1, 0}, sines[] = {0, 1, 0, -1};
    p->quarter = angle % QUARTER == 0;
    p->cos = cosines[angle / QUARTER % 4];
    p->sin = sines[angle / QUARTER % 4];
    p->cosine = p->quarter ? (double)p->cos : cos(angle * (2 * M_PI / ONE));
    p->sine = p->quarter ? (double)p->sin : sin(angle * (2 * M_PI / ONE));
}

static struct placed place(const struct psx_sprite *s, int32_t x, int32_t y)
{
    struct placed p = {.sprite = s, .scale_x = ONE, .scale_y = ONE};
    uint32_t w, h;
    psx_sprite_size(s, &w, &h);
    p.x = x + psx_sprite_get(s, PSX_OFS_X);
    p.y = y + psx_sprite_get(s, PSX_OFS_Y);
    p.w = (int32_t)w;
    p.h = (int32_t)h;
    if (psx_sprite_get(s, PSX_RSZ)) {
        p.scale_x = psx_sprite_get(s, PSX_SCALE_X);
        p.scale_y = psx_sprite_get(s, PSX_SCALE_Y);
    }
    turn(&p, psx_sprite_get(s, PSX_ROT) ? (unsigned)psx_sprite_get(s, PSX_ANGLE) & (ONE - 1) : 0);
    return p;
}

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/* Half the width and height where it lands, in 1/8192 pixels, rounded up. */
static void reach(const struct placed *p, int64_t *x, int64_t *y)
{
    int64_t w = (int64_t)p->w * (p->scale_x < 0 ? -p->scale_x : p->scale_x);
    int64_t h = (int64_t)p->h * (p->scale_y < 0 ? -p->scale_y : p->scale_y);
    bool across = p->quarter && p->cos == 0;
    *x = across ? h : w;
    *y = across ? w : h;
    if (p->quarter)
        return;
    *x = (int64_t)ceil(fabs((double)w * p->cosine) + fabs((double)h * p->sine));
    *y = (int64_t)ceil(fabs((double)w * p->sine) + fabs((double)h * p->cosine));
}

/* Where it lands. */
static struct psx_box box_of(const struct placed *p)
{
    int64_t x, y, cx = (2 * (int64_t)p->x + p->w) * ONE, cy = (2 * (int64_t)p->y + p->h) * ONE;
    if (!p->w || !p->h || !p->scale_x || !p->scale_y)
        return (struct psx_box){0, 0, 0, 0};
    reach(p, &x, &y);
    return (struct psx_box){(int32_t)floor_div(cx - x, 2 * ONE), (int32_t)floor_div(cy - y, 2 * ONE),
                            (int32_t)-floor_div(-cx - x, 2 * ONE), (int32_t)-floor_div(-cy - y, 2 * ONE)};
}

void psx_extend(struct psx_box *box, const struct psx_group *group, int32_t x, int32_t y)
{
    for (uint32_t i = 0; i < group->count; i++) {
        struct placed p = place(&group->sprites[i], x, y);
        struct psx_box one = box_of(&p);
        if (one.x1 <= one.x0 || one.y1 <= one.y0)
            continue;
        if (box->x1 <= box->x0)
            *box = one;
        box->x0 = one.x0 < box->x0 ? one.x0 : box->x0;
        box->y0 = one.y0 < box->y0 ? one.y0 : box->y0;
        box->x1 = one.x1 > box->x1 ? one.x1 : box->x1;
        box->y1 = one.y1 > box->y1 ? one.y1 : box->y1;
    }
}

struct anm_frame_box psx_picture_box(const struct psx_box *box)
{
    struct anm_frame_box picture = {box->x0, box->y0, 1, 1};
    if (box->x1 <= box->x0)
        return picture;
    picture.w = (uint32_t)(box->x1 - box->x0);
    picture.h = (uint32_t)(box->y1 - box->y0);
    picture.w = picture.w < PSX_CANVAS_MAX ? picture.w : PSX_CANVAS_MAX;
    picture.h = picture.h < PSX_CANVAS_MAX ? picture.h : PSX_CANVAS_MAX;
    return picture;
}

/* The texel that lands at pixel (x, y): the way back through rotation and scale, from the pixel's centre. */
static bool texel_at(const struct placed *p, int32_t x, int32_t y, int64_t *i, int64_t *j)
{
    int64_t dx = 2 * ((int64_t)x - p->x) + 1 - p->w, dy = 2 * ((int64_t)y - p->y) + 1 - p->h;
    if (p->quarter) {
        int64_t ux = dx * p->cos + dy * p->sin, uy = dy * p->cos - dx * p->sin;
        *i = floor_div(ux * ONE + (int64_t)p->w * p->scale_x, 2 * (int64_t)p->scale_x);
        *j = floor_div(uy * ONE + (int64_t)p->h * p->scale_y, 2 * (int64_t)p->scale_y);
    } else {
        double ux = (double)dx * p->cosine + (double)dy * p->sine, uy = (double)dy * p->cosine - (double)dx * p->sine;
        *i = (int64_t)floor((ux * ONE / p->scale_x + p->w) / 2);
        *j = (int64_t)floor((uy * ONE / p->scale_y + p->h) / 2);
    }
    return *i >= 0 && *i < p->w && *j >= 0 && *j < p->h;
}

/* One of the four ways to mix a colour with what is below, a channel of five bits at a time. */
static uint16_t blend(unsigned mode, uint16_t below, uint16_t color)
{
    unsigned result = 0;
    for (unsigned shift = 0; shift < 15; shift += 5) {
        unsigned b = below >> shift & 31, f = color >> shift & 31;
        unsigned mixed = mode == 0 ? (b + f) / 2 : mode == 1 ? b + f : mode == 2 ? (b > f ? b - f : 0) : b + f / 4;
        result |= (mixed < 31 ? mixed : 31) << shift;
    }
    return (uint16_t)result;
}

/* What of a sprite is on the canvas. */
static struct psx_box clipped(const struct psx_canvas *canvas, const struct placed *p)
{
    struct psx_box box = box_of(p);
    const struct anm_frame_box *c = &canvas->box;
    int32_t right = c->x + (int32_t)c->w, bottom = c->y + (int32_t)c->h;
    box.x0 = box.x0 > c->x ? box.x0 : c->x;
    box.y0 = box.y0 > c->y ? box.y0 : c->y;
    box.x1 = box.x1 < right ? box.x1 : right;
    box.y1 = box.y1 < bottom ? box.y1 : bottom;
    return box;
}

static void draw_sprite(const struct psx_canvas *canvas, const struct psx_vram *vram, unsigned version,
                        const struct placed *p, const struct psx_box *box)
{
    const struct anm_frame_box *c = &canvas->box;
    bool blends = version >= 3 && psx_sprite_get(p->sprite, PSX_ABE);
    unsigned mode = (unsigned)psx_sprite_get(p->sprite, PSX_ABR);
    for (int32_t y = box->y0; y < box->y1; y++)
        for (int32_t x = box->x0; x < box->x1; x++) {
            int64_t i, j;
            uint16_t color;
            if (!texel_at(p, x, y, &i, &j) || !psx_texel(vram, p->sprite, (uint32_t)i, (uint32_t)j, &color) || !color)
                continue;
            uint16_t *pixel = &canvas->pixels[(size_t)(y - c->y) * c->w + (size_t)(x - c->x)];
            uint16_t below = *pixel & PSX_DRAWN ? *pixel & (uint16_t)~PSX_DRAWN : 0;
            color = blends && color & STP ? blend(mode, below, color) : color;
            *pixel = (uint16_t)(color | PSX_DRAWN);
        }
}

void psx_draw(struct psx_canvas *canvas, const struct psx_vram *vram, unsigned version, const struct psx_group *group,
              int32_t x, int32_t y)
{
    for (uint32_t i = 0; i < group->count; i++) {
        struct placed p = place(&group->sprites[i], x, y);
        struct psx_box box = clipped(canvas, &p);
        if (box.x1 <= box.x0 || box.y1 <= box.y0)
            continue;
        uint64_t work = (uint64_t)(box.x1 - box.x0) * (uint64_t)(box.y1 - box.y0);
        if (work > canvas->work)
            return;
        canvas->work -= work;
        draw_sprite(canvas, vram, version, &p, &box);
    }
}

void psx_put_color(uint8_t *rgba, uint16_t color)
{
    for (unsigned channel = 0; channel < 3; channel++) {
        unsigned five = color >> 5 * channel & 31;
        rgba[channel] = (uint8_t)(five << 3 | five >> 2);
    }
    rgba[3] = 255;
}

void psx_to_rgba(const struct psx_canvas *canvas, uint8_t *rgba)
{
    size_t count = (size_t)canvas->box.w * canvas->box.h;
    for (size_t i = 0; i < count; i++)
        if (canvas->pixels[i] & PSX_DRAWN)
            psx_put_color(rgba + 4 * i, canvas->pixels[i]);
}
