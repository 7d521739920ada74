/* SPDX-License-Identifier: MIT */
/* The tree of a NIFF: its sets of names, and the table. */
#include "niff_tree.h"

#include <string.h>

/* --- frames: id[0] is the number --- */

static uint32_t frames_count(const struct anm_doc *doc, const struct anm_ref *dir)
{
    (void)dir;
    const struct niff_index *index = niff_index(niff_const(doc), NULL);
    return index ? index->frame_count : 0;
}

static void frames_at(const struct anm_doc *doc, const struct anm_ref *dir, uint32_t i, struct anm_ref *child)
{
    (void)dir;
    const struct niff_index *index = niff_index(niff_const(doc), NULL);
    child->id[0] = index ? index->numbers[i] : 0;
}

static void frames_name(const struct anm_doc *doc, const struct anm_ref *child, struct anm_buf *out)
{
    (void)doc;
    anm_buf_printf(out, "%03u", child->id[0]);
}

static int frames_find(const struct anm_doc *doc, const struct anm_ref *dir, const char *name, struct anm_ref *child,
                       struct anm_error *err)
{
    (void)dir;
    const struct niff_index *index = niff_index(niff_const(doc), err);
    uint32_t place;
    if (!index || niff_parse_frame(name, &child->id[0], err))
        return -1;
    return niff_find_frame(index, child->id[0], &place) ? 0 : anm_fail(err, ANM_NOENT, "there is no frame %s", name);
}

static const struct anm_set frames = {frames_count, frames_at, frames_name, frames_find};

/* A pose is that of any frame up to the last. */
static int poses_find(const struct anm_doc *doc, const struct anm_ref *dir, const char *name, struct anm_ref *child,
                      struct anm_error *err)
{
    (void)dir;
    const struct niff_index *index = niff_index(niff_const(doc), err);
    if (!index || niff_parse_frame(name, &child->id[0], err))
        return -1;
    bool there = index->frame_count && child->id[0] <= index->numbers[index->frame_count - 1];
    return there ? 0 : anm_fail(err, ANM_NOENT, "there is no frame %s", name);
}

static const struct anm_set poses = {frames_count, frames_at, frames_name, poses_find};

/* --- bones: id[0] is the index of the AnimGroup --- */

static uint32_t bones_count(const struct anm_doc *doc, const struct anm_ref *dir)
{
    (void)dir;
    return niff_const(doc)->group_count;
}

static void bones_at(const struct anm_doc *doc, const struct anm_ref *dir, uint32_t i, struct anm_ref *child)
{
    (void)doc, (void)dir;
    child->id[0] = i;
}

static void bones_name(const struct anm_doc *doc, const struct anm_ref *child, struct anm_buf *out)
{
    const struct niff_index *index = niff_index(niff_const(doc), NULL);
    if (index)
        anm_names_put_path(&index->groups, child->id[0], out);
    out->failed |= !index;
}

static int bones_find(const struct anm_doc *doc, const struct anm_ref *dir, const char *name, struct anm_ref *child,
                      struct anm_error *err)
{
    (void)dir;
    const struct niff_index *index = niff_index(niff_const(doc), err);
    return index ? anm_names_find_path(&index->groups, name, strlen(name), &child->id[0], err) : -1;
}

static const struct anm_set bones = {bones_count, bones_at, bones_name, bones_find};

/* --- key texts --- */

static int keys_render(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_buf *out, struct anm_error *err)
{
    (void)ref;
    const struct niff_doc *doc = niff_const(anm);
    const struct niff_index *index = niff_index(doc, err);
    bool ordered = true;
    for (uint32_t g = 0; index && g < doc->group_count; g++)
        ordered &= index->ordered[g];
    for (uint32_t i = 0; index && i < index->first[doc->group_count]; i++)
        niff_put_entry(out, doc, index, ordered ? index->by_frame[i] : i, NIFF_OF_FILE);
    return index ? 0 : -1;
}

static int frame_render(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_buf *out,
                        struct anm_error *err)
{
    const struct niff_index *index = niff_index(niff_const(anm), err);
    uint32_t place;
    if (!index || !niff_find_frame(index, ref->id[0], &place))
        return index ? 0 : -1;
    for (uint32_t i = index->frame_first[place]; i < index->frame_first[place + 1]; i++)
        niff_put_entry(out, niff_const(anm), index, index->by_frame[i], NIFF_OF_FRAME);
    return 0;
}

static int track_render(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_buf *out,
                        struct anm_error *err)
{
    const struct niff_index *index = niff_index(niff_const(anm), err);
    for (uint32_t i = index ? index->first[ref->id[0]] : 0; index && i < index->first[ref->id[0] + 1]; i++)
        niff_put_entry(out, niff_const(anm), index, i, NIFF_OF_BONE);
    return index ? 0 : -1;
}

static int pose_render(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_buf *out, struct anm_error *err)
{
    const struct niff_index *index = niff_index(niff_const(anm), err);
    if (index)
        niff_put_pose(out, niff_const(anm), index, ref->id[0]);
    return index ? 0 : -1;
}

/* --- the table --- */

#define DERIVED (ANM_ROUTE_HIDDEN | ANM_ROUTE_VOLATILE)

/* Numbers of the rows that are directories. */
enum {
    ROW_ROOT,
    ROW_FRAMES = 3,
    ROW_FRAME,
    ROW_BONES = 6,
    ROW_BONE,
    ROW_DERIVED = 11,
    ROW_POSES = 15,
    ROW_RAW = 17,
    ROW_LISTS,
    ROW_RAW_BONES = 20,
    ROW_EXTENSION = 22,
    ROW_NINTENDO = 27,
    ROW_USER = 29,
};

static const struct anm_route rows[] = {
    [ROW_ROOT] = {.pattern = "", .kind = ANM_DIR},
    {.pattern = "format",
     .word = "format",
     .kind = ANM_FILE_TEXT,
     .render = niff_render_format,
     .write = niff_write_format},
    {.pattern = "header",
     .word = "header",
     .kind = ANM_FILE_TEXT,
     .render = niff_render_header,
     .write = niff_write_header},
    [ROW_FRAMES] = {.pattern = "frames", .kind = ANM_DIR},
    [ROW_FRAME] = {.pattern = "frames/FRAME",
                   .in = ROW_FRAMES,
                   .kind = ANM_DIR,
                   .set = &frames,
                   .can_make = niff_can_make_frame,
                   .mkdir = niff_mkdir_frame,
                   .remove = niff_remove_frame,
                   .rename = niff_rename_frame},
    {.pattern = "frames/FRAME/keys",
     .in = ROW_FRAME,
     .kind = ANM_FILE_TEXT,
     .render = frame_render,
     .write = niff_write_frame,
     .remove = niff_remove_keys},
    [ROW_BONES] = {.pattern = "bones", .kind = ANM_DIR},
    [ROW_BONE] = {.pattern = "bones/BONE",
                  .word = "bone",
                  .in = ROW_BONES,
                  .kind = ANM_DIR,
                  .set = &bones,
                  .can_make = niff_can_make_group,
                  .mkdir = niff_mkdir_group,
                  .remove = niff_remove_group_dir,
                  .rename = niff_rename_group},
    {.pattern = "bones/BONE/group",
     .word = "group",
     .in = ROW_BONE,
     .kind = ANM_FILE_TEXT,
     .render = niff_render_group,
     .write = niff_write_group},
    {.pattern = "bones/BONE/keys",
     .in = ROW_BONE,
     .kind = ANM_FILE_TEXT,
     .render = track_render,
     .write = niff_write_track,
     .remove = niff_remove_track},
    {.pattern = "keys",
     .word = "keys",
     .kind = ANM_FILE_TEXT,
     .flags = ANM_ROUTE_HIDDEN,
     .render = keys_render,
     .write = niff_write_all},
    [ROW_DERIVED] = {.pattern = ".anmfs", .kind = ANM_DIR, .flags = DERIVED},
    {.pattern = ".anmfs/info.json",
     .in = ROW_DERIVED,
     .kind = ANM_FILE_TEXT,
     .flags = ANM_ROUTE_VOLATILE,
     .render = niff_render_info},
    {.pattern = ".anmfs/errors", .in = ROW_DERIVED, .kind = ANM_FILE_HOST, .flags = ANM_ROUTE_VOLATILE},
    {.pattern = ".anmfs/status", .in = ROW_DERIVED, .kind = ANM_FILE_HOST, .flags = ANM_ROUTE_VOLATILE},
    [ROW_POSES] = {.pattern = ".anmfs/pose", .in = ROW_DERIVED, .kind = ANM_DIR, .flags = ANM_ROUTE_VOLATILE},
    {.pattern = ".anmfs/pose/FRAME",
     .in = ROW_POSES,
     .kind = ANM_FILE_TEXT,
     .flags = ANM_ROUTE_VOLATILE,
     .set = &poses,
     .render = pose_render},
    [ROW_RAW] = {.pattern = "raw", .kind = ANM_DIR, .flags = ANM_ROUTE_RAW},
    [ROW_LISTS] = {.pattern = "raw/lists", .in = ROW_RAW, .kind = ANM_DIR},
    {.pattern = "raw/lists/LIST",
     .in = ROW_LISTS,
     .kind = ANM_FILE_RAW,
     .set = &niff_raw_lists,
     .render = niff_render_raw_list,
     .can_make = niff_can_make_raw,
     .write = niff_write_raw_list},
    [ROW_RAW_BONES] = {.pattern = "raw/bones", .in = ROW_RAW, .kind = ANM_DIR},
    {.pattern = "raw/bones/BONE",
     .in = ROW_RAW_BONES,
     .kind = ANM_FILE_RAW,
     .set = &niff_raw_groups,
     .render = niff_render_raw_group,
     .can_make = niff_can_make_raw,
     .write = niff_write_raw_group},
    [ROW_EXTENSION] = {.pattern = "raw/extension", .in = ROW_RAW, .kind = ANM_DIR},
    {.pattern = "raw/extension/file-nintendo.bin",
     .in = ROW_EXTENSION,
     .kind = ANM_FILE_RAW,
     .render = niff_render_file_nintendo,
     .write = niff_write_file_nintendo},
    {.pattern = "raw/extension/file-user.bin",
     .in = ROW_EXTENSION,
     .kind = ANM_FILE_RAW,
     .render = niff_render_file_user,
     .write = niff_write_file_user},
    {.pattern = "raw/extension/anim-nintendo.bin",
     .in = ROW_EXTENSION,
     .kind = ANM_FILE_RAW,
     .exists = niff_has_anims,
     .render = niff_render_anim_nintendo,
     .can_make = niff_can_make_raw,
     .write = niff_write_anim_nintendo},
    {.pattern = "raw/extension/anim-user.bin",
     .in = ROW_EXTENSION,
     .kind = ANM_FILE_RAW,
     .exists = niff_has_anims,
     .render = niff_render_anim_user,
     .can_make = niff_can_make_raw,
     .write = niff_write_anim_user},
    [ROW_NINTENDO] = {.pattern = "raw/extension/nintendo", .in = ROW_EXTENSION, .kind = ANM_DIR},
    {.pattern = "raw/extension/nintendo/BONE",
     .in = ROW_NINTENDO,
     .kind = ANM_FILE_RAW,
     .set = &niff_raw_groups,
     .render = niff_render_group_nintendo,
     .can_make = niff_can_make_raw,
     .write = niff_write_group_nintendo},
    [ROW_USER] = {.pattern = "raw/extension/user", .in = ROW_EXTENSION, .kind = ANM_DIR},
    {.pattern = "raw/extension/user/BONE",
     .in = ROW_USER,
     .kind = ANM_FILE_RAW,
     .set = &niff_raw_groups,
     .render = niff_render_group_user,
     .can_make = niff_can_make_raw,
     .write = niff_write_group_user},
};

const struct anm_routes niff_routes = {&anm_niff, rows, sizeof rows / sizeof *rows, NULL, NULL};
