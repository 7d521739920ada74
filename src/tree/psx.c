/* SPDX-License-Identifier: MIT */
/* The trees of ANM, TSQ and TIM: their sets of names, and the tables. */
#include "psx_tree.h"

#include <string.h>

/* --- groups, palettes, images: id[0] is the index --- */

static void nth(const struct anm_doc *doc, const struct anm_ref *dir, uint32_t i, struct anm_ref *child)
{
    (void)doc, (void)dir;
    child->id[0] = i;
}

static int find_number(const char *name, unsigned digits, const char *suffix, uint32_t count, struct anm_ref *child,
                       struct anm_error *err)
{
    if (psx_parse_number(name, digits, suffix, &child->id[0], err))
        return -1;
    return child->id[0] < count ? 0 : anm_fail(err, ANM_NOENT, "there is no %s", name);
}

static uint32_t groups_count(const struct anm_doc *doc, const struct anm_ref *dir)
{
    (void)dir;
    return psx_const(doc)->group_count;
}

static void groups_name(const struct anm_doc *doc, const struct anm_ref *child, struct anm_buf *out)
{
    (void)doc;
    anm_buf_printf(out, "%03u", child->id[0]);
}

static int groups_find(const struct anm_doc *doc, const struct anm_ref *dir, const char *name, struct anm_ref *child,
                       struct anm_error *err)
{
    (void)dir;
    return find_number(name, 3, "", psx_const(doc)->group_count, child, err);
}

static const struct anm_set groups = {groups_count, nth, groups_name, groups_find};

static void group_raws_name(const struct anm_doc *doc, const struct anm_ref *child, struct anm_buf *out)
{
    (void)doc;
    anm_buf_printf(out, "%03u.bin", child->id[0]);
}

static int group_raws_find(const struct anm_doc *doc, const struct anm_ref *dir, const char *name,
                           struct anm_ref *child, struct anm_error *err)
{
    (void)dir;
    return find_number(name, 3, ".bin", psx_const(doc)->group_count, child, err);
}

static const struct anm_set group_raws = {groups_count, nth, group_raws_name, group_raws_find};

static void group_pngs_name(const struct anm_doc *doc, const struct anm_ref *child, struct anm_buf *out)
{
    (void)doc;
    anm_buf_printf(out, "%03u.png", child->id[0]);
}

static int group_pngs_find(const struct anm_doc *doc, const struct anm_ref *dir, const char *name,
                           struct anm_ref *child, struct anm_error *err)
{
    (void)dir;
    return find_number(name, 3, ".png", psx_const(doc)->group_count, child, err);
}

static const struct anm_set group_pngs = {groups_count, nth, group_pngs_name, group_pngs_find};

static uint32_t cluts_count(const struct anm_doc *doc, const struct anm_ref *dir)
{
    (void)dir;
    return psx_const(doc)->clut_count;
}

static void cluts_name(const struct anm_doc *doc, const struct anm_ref *child, struct anm_buf *out)
{
    (void)doc;
    anm_buf_printf(out, "%02u", child->id[0]);
}

static int cluts_find(const struct anm_doc *doc, const struct anm_ref *dir, const char *name, struct anm_ref *child,
                      struct anm_error *err)
{
    (void)dir;
    return find_number(name, 2, "", psx_const(doc)->clut_count, child, err);
}

static const struct anm_set cluts = {cluts_count, nth, cluts_name, cluts_find};

static void clut_raws_name(const struct anm_doc *doc, const struct anm_ref *child, struct anm_buf *out)
{
    (void)doc;
    anm_buf_printf(out, "%02u.bin", child->id[0]);
}

static int clut_raws_find(const struct anm_doc *doc, const struct anm_ref *dir, const char *name, struct anm_ref *child,
                          struct anm_error *err)
{
    (void)dir;
    return find_number(name, 2, ".bin", psx_const(doc)->clut_count, child, err);
}

static const struct anm_set clut_raws = {cluts_count, nth, clut_raws_name, clut_raws_find};

static bool has_cluts(const struct anm_doc *doc, const struct anm_ref *ref)
{
    (void)ref;
    return psx_const(doc)->clut_count > 0;
}

/* Only the last image of a file can be without pixels. */
static uint32_t pixels_count(const struct anm_doc *anm, const struct anm_ref *dir)
{
    (void)dir;
    const struct psx_doc *doc = psx_const(anm);
    return doc->image_count - !doc->images[doc->image_count - 1].pixels;
}

void tim_put_pixels_name(struct anm_buf *out, uint32_t image)
{
    anm_buf_puts(out, "pixels");
    if (image)
        anm_buf_printf(out, "~%u", image + 1);
    anm_buf_puts(out, ".bin");
}

static void pixels_name(const struct anm_doc *doc, const struct anm_ref *child, struct anm_buf *out)
{
    (void)doc;
    tim_put_pixels_name(out, child->id[0]);
}

static int pixels_find(const struct anm_doc *doc, const struct anm_ref *dir, const char *name, struct anm_ref *child,
                       struct anm_error *err)
{
    (void)dir;
    return tim_find_pixels(psx_const(doc), name, &child->id[0], err);
}

static int image_pngs_find(const struct anm_doc *doc, const struct anm_ref *dir, const char *name,
                           struct anm_ref *child, struct anm_error *err)
{
    return find_number(name, 3, ".png", pixels_count(doc, dir), child, err);
}

static const struct anm_set image_pngs = {pixels_count, nth, group_pngs_name, image_pngs_find};
static const struct anm_set pixels = {pixels_count, nth, pixels_name, pixels_find};

/* --- comparing: what an edit did not touch is shared --- */

/* Whether a version or layout gives the same bits another text, only the texts can say. */
static bool group_shared(const struct anm_doc *a, const struct anm_ref *ra, const struct anm_doc *b,
                         const struct anm_ref *rb)
{
    const struct psx_doc *x = psx_const(a), *y = psx_const(b);
    const struct psx_group *one = x->groups[ra->id[0]], *two = y->groups[rb->id[0]];
    return x->version == y->version && x->fixed == y->fixed &&
           (one == two ||
            (one->count == two->count && memcmp(one->sprites, two->sprites, one->count * sizeof one->sprites[0]) == 0));
}

static bool group_same(const struct anm_doc *a, const struct anm_ref *ra, const struct anm_doc *b,
                       const struct anm_ref *rb)
{
    const struct psx_doc *x = psx_const(a), *y = psx_const(b);
    return x->version == y->version && x->fixed == y->fixed ? group_shared(a, ra, b, rb)
                                                            : anm_same_content(a, ra, b, rb);
}

static bool groups_same(const struct anm_doc *a, const struct anm_ref *ra, const struct anm_doc *b,
                        const struct anm_ref *rb)
{
    (void)ra, (void)rb;
    return psx_const(a)->group_count == psx_const(b)->group_count;
}

static bool sequence_same(const struct anm_doc *a, const struct anm_ref *ra, const struct anm_doc *b,
                          const struct anm_ref *rb)
{
    const struct psx_doc *x = psx_const(a), *y = psx_const(b);
    if (x->version != y->version)
        return anm_same_content(a, ra, b, rb);
    return x->sequence == y->sequence ||
           (x->sequence->count == y->sequence->count &&
            memcmp(x->sequence->entries, y->sequence->entries, x->sequence->count * sizeof(struct psx_entry)) == 0);
}

static bool clut_same(const struct anm_doc *a, const struct anm_ref *ra, const struct anm_doc *b,
                      const struct anm_ref *rb)
{
    return ra->id[0] == rb->id[0] && /* the number is in the palette's name */
           psx_block_equal(psx_const(a)->cluts[ra->id[0]], psx_const(b)->cluts[rb->id[0]]);
}

/* --- the tables --- */

#define DERIVED (ANM_ROUTE_HIDDEN | ANM_ROUTE_VOLATILE)

#define ROW_FORMAT(renders, writes)                                                                                    \
    {                                                                                                                  \
        .pattern = "format", .word = "format", .kind = ANM_FILE_TEXT, .render = (renders), .write = (writes)           \
    }
#define ROW_SEQUENCES(row)                                                                                             \
    [row] = {.pattern = "sequences", .kind = ANM_DIR},                                                                 \
    {                                                                                                                  \
        .pattern = "sequences/000", .word = "sequence", .in = (row), .kind = ANM_FILE_TEXT,                            \
        .exists = psx_has_sequence, .render = psx_render_sequence, .same = sequence_same, .write = psx_write_sequence, \
        .remove = psx_remove_sequence                                                                                  \
    }
#define ROW_CLUTS(row, when)                                                                                           \
    [row] = {.pattern = "clut", .kind = ANM_DIR, .exists = (when)},                                                    \
    [(row) + 1] = {.pattern = "clut/CLUT",                                                                             \
                   .word = "palette",                                                                                  \
                   .in = (row),                                                                                        \
                   .kind = ANM_DIR,                                                                                    \
                   .set = &cluts,                                                                                      \
                   .unchanged = clut_same,                                                                             \
                   .can_make = psx_can_make_clut,                                                                      \
                   .mkdir = psx_mkdir_clut,                                                                            \
                   .remove = psx_remove_clut},                                                                         \
    {.pattern = "clut/CLUT/place",                                                                                     \
     .word = "place",                                                                                                  \
     .in = (row) + 1,                                                                                                  \
     .kind = ANM_FILE_TEXT,                                                                                            \
     .exists = psx_has_place,                                                                                          \
     .render = psx_render_place,                                                                                       \
     .write = psx_write_place,                                                                                         \
     .remove = psx_remove_place},                                                                                      \
    {                                                                                                                  \
        .pattern = "clut/CLUT/colors.gpl", .word = "clut", .in = (row) + 1, .kind = ANM_FILE_TEXT,                     \
        .exists = psx_has_colors, .render = psx_render_colors, .write = psx_write_colors, .remove = psx_remove_colors  \
    }
#define ROW_DERIVED(row, info)                                                                                         \
    [row] = {.pattern = ".anmfs", .kind = ANM_DIR, .flags = DERIVED},                                                  \
    {.pattern = ".anmfs/info.json",                                                                                    \
     .in = (row),                                                                                                      \
     .kind = ANM_FILE_TEXT,                                                                                            \
     .flags = ANM_ROUTE_VOLATILE,                                                                                      \
     .render = (info)},                                                                                                \
    {.pattern = ".anmfs/errors", .in = (row), .kind = ANM_FILE_HOST, .flags = ANM_ROUTE_VOLATILE},                     \
    {                                                                                                                  \
        .pattern = ".anmfs/status", .in = (row), .kind = ANM_FILE_HOST, .flags = ANM_ROUTE_VOLATILE                    \
    }
#define ROW_RAW(row) [row] = {.pattern = "raw", .kind = ANM_DIR, .flags = ANM_ROUTE_RAW}
#define ROW_RAW_SEQUENCES(row, raw)                                                                                    \
    [row] = {.pattern = "raw/sequences", .in = (raw), .kind = ANM_DIR},                                                \
    {                                                                                                                  \
        .pattern = "raw/sequences/000.bin", .in = (row), .kind = ANM_FILE_RAW, .exists = psx_has_sequence,             \
        .render = psx_render_sequence_raw, .same = sequence_same, .write = psx_write_sequence_raw                      \
    }
#define ROW_RAW_CLUTS(row, raw, when)                                                                                  \
    [row] = {.pattern = "raw/clut", .in = (raw), .kind = ANM_DIR, .exists = (when)},                                   \
    {                                                                                                                  \
        .pattern = "raw/clut/CLUT", .in = (row), .kind = ANM_FILE_RAW, .set = &clut_raws,                              \
        .render = psx_render_clut_raw, .write = psx_write_clut_raw                                                     \
    }

/* Numbers of the rows that are directories. */
enum {
    PSX_FRAMES = 3,
    PSX_FRAME = 4,
    PSX_SEQUENCES = 6,
    PSX_CLUTS = 8,
    PSX_DERIVED = 12,
    PSX_PREVIEW = 16,
    PSX_PREVIEW_FRAMES = 17,
    PSX_PREVIEW_SEQUENCES = 19,
    PSX_RAW = 21,
    PSX_RAW_FRAMES = 22,
    PSX_RAW_SEQUENCES = 24,
    PSX_RAW_CLUTS = 26,
    TSQ_SEQUENCES = 3,
    TSQ_DERIVED = 5,
    TSQ_RAW = 9,
    TSQ_RAW_SEQUENCES = 10,
    TIM_CLUTS = 3,
    TIM_DERIVED = 7,
    TIM_PREVIEW = 11,
    TIM_PREVIEW_FRAMES = 12,
    TIM_RAW = 14,
    TIM_RAW_CLUTS = 16
};

static const struct anm_route psx_rows[] = {
    {.pattern = "", .kind = ANM_DIR},
    ROW_FORMAT(psx_render_format, psx_write_format),
    {.pattern = "header",
     .word = "header",
     .kind = ANM_FILE_TEXT,
     .exists = psx_has_header,
     .render = psx_render_header,
     .write = psx_write_header},
    [PSX_FRAMES] = {.pattern = "frames", .kind = ANM_DIR, .same = groups_same},
    [PSX_FRAME] = {.pattern = "frames/GROUP",
                   .word = "frame",
                   .in = PSX_FRAMES,
                   .kind = ANM_DIR,
                   .set = &groups,
                   .unchanged = group_shared,
                   .can_make = psx_can_make_group,
                   .mkdir = psx_mkdir_group,
                   .remove = psx_remove_group},
    {.pattern = "frames/GROUP/sprites",
     .word = "sprite",
     .in = PSX_FRAME,
     .kind = ANM_FILE_TEXT,
     .exists = psx_has_sprites,
     .render = psx_render_sprites,
     .same = group_same,
     .write = psx_write_sprites,
     .remove = psx_remove_sprites},
    ROW_SEQUENCES(PSX_SEQUENCES),
    ROW_CLUTS(PSX_CLUTS, NULL),
    ROW_DERIVED(PSX_DERIVED, psx_render_info),
    [PSX_PREVIEW] = {.pattern = "preview", .kind = ANM_DIR, .flags = ANM_ROUTE_PREVIEW, .exists = psx_has_preview},
    [PSX_PREVIEW_FRAMES] = {.pattern = "preview/frames", .in = PSX_PREVIEW, .kind = ANM_DIR},
    {.pattern = "preview/frames/GROUP",
     .in = PSX_PREVIEW_FRAMES,
     .kind = ANM_FILE_RAW,
     .set = &group_pngs,
     .render = psx_render_frame_png,
     .same = psx_same_frame_png},
    [PSX_PREVIEW_SEQUENCES] = {.pattern = "preview/sequences", .in = PSX_PREVIEW, .kind = ANM_DIR},
    {.pattern = "preview/sequences/000.png",
     .in = PSX_PREVIEW_SEQUENCES,
     .kind = ANM_FILE_RAW,
     .exists = psx_has_movie,
     .render = psx_render_sequence_png,
     .same = psx_same_sequence_png},
    ROW_RAW(PSX_RAW),
    [PSX_RAW_FRAMES] = {.pattern = "raw/frames", .in = PSX_RAW, .kind = ANM_DIR},
    {.pattern = "raw/frames/GROUP",
     .in = PSX_RAW_FRAMES,
     .kind = ANM_FILE_RAW,
     .set = &group_raws,
     .render = psx_render_group_raw,
     .same = group_same,
     .write = psx_write_group_raw},
    ROW_RAW_SEQUENCES(PSX_RAW_SEQUENCES, PSX_RAW),
    ROW_RAW_CLUTS(PSX_RAW_CLUTS, PSX_RAW, NULL),
};

static const struct anm_route tsq_rows[] = {
    {.pattern = "", .kind = ANM_DIR},
    ROW_FORMAT(psx_render_format, psx_write_format),
    {.pattern = "header",
     .word = "header",
     .kind = ANM_FILE_TEXT,
     .exists = psx_has_header,
     .render = psx_render_header,
     .write = psx_write_header},
    ROW_SEQUENCES(TSQ_SEQUENCES),
    ROW_DERIVED(TSQ_DERIVED, psx_render_info),
    ROW_RAW(TSQ_RAW),
    ROW_RAW_SEQUENCES(TSQ_RAW_SEQUENCES, TSQ_RAW),
};

static const struct anm_route tim_rows[] = {
    {.pattern = "", .kind = ANM_DIR},
    ROW_FORMAT(tim_render_format, tim_write_format),
    {.pattern = "header",
     .word = "header",
     .kind = ANM_FILE_TEXT,
     .render = tim_render_header,
     .write = tim_write_header},
    ROW_CLUTS(TIM_CLUTS, has_cluts),
    ROW_DERIVED(TIM_DERIVED, psx_render_info),
    [TIM_PREVIEW] = {.pattern = "preview", .kind = ANM_DIR, .flags = ANM_ROUTE_PREVIEW},
    [TIM_PREVIEW_FRAMES] = {.pattern = "preview/frames", .in = TIM_PREVIEW, .kind = ANM_DIR},
    {.pattern = "preview/frames/IMAGE",
     .in = TIM_PREVIEW_FRAMES,
     .kind = ANM_FILE_RAW,
     .set = &image_pngs,
     .render = tim_render_image_png},
    ROW_RAW(TIM_RAW),
    {.pattern = "raw/PIXELS",
     .in = TIM_RAW,
     .kind = ANM_FILE_RAW,
     .set = &pixels,
     .render = tim_render_pixels,
     .write = tim_write_pixels},
    ROW_RAW_CLUTS(TIM_RAW_CLUTS, TIM_RAW, has_cluts),
};

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

const struct anm_routes psx_routes = {&anm_psx, psx_rows, COUNT(psx_rows), psx_blank, NULL};
const struct anm_routes tsq_routes = {&anm_tsq, tsq_rows, COUNT(tsq_rows), tsq_blank, NULL};
const struct anm_routes tim_routes = {&anm_tim, tim_rows, COUNT(tim_rows), NULL, NULL};
