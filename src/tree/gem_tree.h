/* SPDX-License-Identifier: MIT */
/* The GEM document as a tree: what the files of this ring share. */
#ifndef ANM_GEM_TREE_H
#define ANM_GEM_TREE_H

#include "names.h"

#include "anm/gem.h"
#include "anm/lines.h"
#include "anm/route.h"

#define GEM_NUMBER_MAX 0x7fffffffu /* frame numbers and the length are int32 in the file */

/* --- gem_index.c: what is derived from a document once, kept in its cache --- */

/* A key by place: keys[key] of frames[frame]. */
struct gem_at {
    uint32_t frame, key;
};

struct gem_index {
    uint32_t *order;        /* frames by number, then ordinal */
    uint32_t *numbers;      /* the distinct frame numbers, ascending */
    uint32_t number_count;  /* how many */
    uint32_t *first;        /* where each bone's track starts in `at`; one more at the end */
    struct gem_at *at;      /* tracks, in `order` */
    uint32_t *mesh_first;   /* where each frame's meshes start in `meshes`; one more at the end */
    uint32_t *meshes;       /* key numbers of the keys with a mesh */
    uint32_t *mirrored;     /* for each bone, how many of its keys have the mirrored bit */
    struct anm_names names; /* of the bones */
};

/* The document's index; NULL (err may be NULL) when out of memory. */
const struct gem_index *gem_index(const struct gem_doc *doc, struct anm_error *err);
/* Finds by number and ordinal. True with *frame set. */
bool gem_find_frame(const struct gem_doc *doc, const struct gem_index *index, uint32_t number, uint32_t ordinal,
                    uint32_t *frame);
/* The key of a bone and ordinal in a frame, looked for from *hint on and around; NULL when there is none. *hint moves
 * past it. */
const struct gem_key *gem_find_key(const struct gem_frame *frame, uint32_t bone, uint32_t ordinal, uint32_t *hint);
/* Frames in numeric order have ascending ranks. */
static inline uint64_t gem_rank(uint32_t number, uint32_t ordinal)
{
    return (uint64_t)number << 16 | ordinal;
}
static inline uint64_t gem_frame_rank(const struct gem_frame *frame)
{
    return gem_rank(frame->number, frame->ordinal);
}
/* Whether the file's order of frames is the numeric one. */
bool gem_ascending(const struct gem_doc *doc);

/* --- gem_keys.c: key texts, out --- */

/* Which of the three grammars: FRAME NAME CHANNEL, NAME CHANNEL, FRAME CHANNEL. */
enum gem_depth { GEM_OF_FILE, GEM_OF_FRAME, GEM_OF_BONE };

/* "12" or "12~2"; the name of a frame's directory ("012", "042~2"). */
void gem_put_number(struct anm_buf *out, uint32_t number, uint32_t ordinal);
void gem_put_dir(struct anm_buf *out, uint32_t number, uint32_t ordinal);
void gem_put_frame(struct anm_buf *out, const struct gem_doc *doc, const struct gem_index *index, uint32_t frame,
                   enum gem_depth depth);
void gem_put_track(struct anm_buf *out, const struct gem_doc *doc, const struct gem_index *index, uint32_t bone);
/* Appends the lines of one key of a track: number `i` of index->at. */
void gem_put_track_key(struct anm_buf *out, const struct gem_doc *doc, const struct gem_index *index, uint32_t i);
void gem_put_pose(struct anm_buf *out, const struct gem_doc *doc, const struct gem_index *index, uint32_t number);
const char *gem_kind_word(unsigned kind, bool upper);

/* --- gem_turn.c --- */

/* As struct anm_routes has it. */
double gem_turned(const char *channel, size_t size, const double *a, const double *b, size_t count);

/* --- gem_parse.c: key texts, in --- */

enum gem_channel {
    GEM_CH_POSITION,
    GEM_CH_ORIENTATION,
    GEM_CH_MATRIX,
    GEM_CH_SCALE,
    GEM_CH_VISIBLE,
    GEM_CH_MIRRORED,
    GEM_CH_MESH,
    GEM_CH_FLAGS,
    GEM_CH_NONE,
    GEM_CHANNELS
};

/* A key as a text gives it. */
struct gem_draft {
    uint32_t number; /* its frame */
    uint16_t frame_ordinal;
    uint8_t kind;       /* the frame's */
    uint8_t first;      /* the channel of its first line */
    bool unsaid;        /* a new position or orientation came without a word on mirroring */
    bool placed;        /* it has replaced the old key */
    bool mesh_from;     /* mesh @NUMBER~ORDINAL: */
    uint32_t mesh[2];   /* that number and ordinal */
    struct gem_key key; /* mesh is NULL until the key is settled */
    struct {
        uint32_t line, column; /* of each channel's name; line 0: not given */
    } at[GEM_CHANNELS];
};

/* A key text being read, and what it gave. */
struct gem_text {
    const struct gem_doc *doc;
    const struct gem_index *index;
    enum gem_depth depth;
    uint32_t number; /* GEM_OF_FRAME: the frame; else the last line's frame */
    uint16_t frame_ordinal;
    uint8_t kind;          /* of that frame */
    uint32_t bone;         /* GEM_OF_BONE: the bone; else the last line's bone */
    struct anm_token name; /* the token that gave it */
    struct anm_lines lines;
    struct gem_draft *drafts;
    uint32_t count, capacity;
    uint32_t *slots; /* hash table: draft + 1 */
    uint32_t mask;
    struct anm_buf raw; /* scratch for names */
};

void gem_text_free(struct gem_text *text);
/* Reads the whole text; the scope (doc, index, depth, number, frame_ordinal, kind, bone) is set by the caller. */
int gem_parse(struct gem_text *text, const void *bytes, size_t size, struct anm_error *err);
/* "12" or "12~2", leading zeros allowed. */
int gem_parse_number(const char *text, size_t size, uint32_t *number, uint32_t *ordinal);
/* ~2 and up at the end of `text`: *size is cut before it; 1 when there is none; 0 when it is wrong. */
uint32_t gem_parse_ordinal(const char *text, size_t *size);
/* The input forms quat, euler and axis of an orientation, from token `i` on: gem_turn.c. */
int gem_parse_turn(struct anm_lines *lines, uint32_t i, uint32_t v[3]);

/* --- gem_apply.c: key texts applied --- */

struct anm_doc *gem_write_all(const struct anm_doc *, const struct anm_ref *, const char *, const void *, size_t,
                              struct anm_error *);
struct anm_doc *gem_write_frame(const struct anm_doc *, const struct anm_ref *, const char *, const void *, size_t,
                                struct anm_error *);
struct anm_doc *gem_write_track(const struct anm_doc *, const struct anm_ref *, const char *, const void *, size_t,
                                struct anm_error *);

/* --- gem_edit.c: building documents --- */

void gem_clean(struct gem_doc **doc);           /* for ANM_AUTO */
void gem_frame_clean(struct gem_frame **frame); /* for ANM_AUTO */
/* A copy of a key with its own reference to the mesh. */
struct gem_key gem_key_copy(const struct gem_key *key);
/* Removes a part's code from the order of a FRMN key's parts; appends it. */
uint8_t gem_parts_without(uint8_t parts, unsigned part);
uint8_t gem_parts_with(uint8_t parts, unsigned part);
/* A frame like `old` with another set of keys: room for `count`, none in it. */
struct gem_frame *gem_frame_like(const struct gem_frame *old, uint32_t count);
/* Takes what has become impossible off GEM_JOINED keys. */
void gem_settle_joined(struct gem_frame *frame);
bool gem_can_join(const struct gem_frame *frame, uint32_t key);
/* Where a new key of `bone` goes: before the first key of a later bone. */
uint32_t gem_key_place(const struct gem_frame *frame, uint32_t bone);
bool gem_frame_equal(const struct gem_frame *a, const struct gem_frame *b);
/* Replace, insert, drop a frame of a document under construction. Takes over `frame`; an equal one keeps the old pointer. */
void gem_set_frame(struct gem_doc *doc, uint32_t i, struct gem_frame *frame);
int gem_insert_frame(struct gem_doc *doc, uint32_t i, struct gem_frame *frame, struct anm_error *err);
void gem_drop_frame(struct gem_doc *doc, uint32_t i);
/* Where a new frame goes in the file: after the last one with a number (and ordinal) up to its own. */
uint32_t gem_frame_place(const struct gem_doc *doc, uint64_t rank);
/* The last step of every edit: checks `doc`, and returns it, or `old` when nothing changed. Takes over *doc. */
struct anm_doc *gem_finish(const struct gem_doc *old, struct gem_doc **doc, struct anm_error *err);
/* The same after a change of frames: the length goes with them. */
struct anm_doc *gem_finish_frames(const struct gem_doc *old, struct gem_doc **doc, struct anm_error *err);

/* --- gem_move.c: frames, bones and meshes made, removed, renamed --- */

struct anm_doc *gem_mkdir_frame(const struct anm_doc *, const struct anm_ref *, const char *, struct anm_error *);
struct anm_doc *gem_remove_frame(const struct anm_doc *, const struct anm_ref *, struct anm_error *);
struct anm_doc *gem_rename_frame(const struct anm_doc *, const struct anm_ref *, const char *, struct anm_error *);
int gem_can_make_frame(const struct anm_doc *, const struct anm_ref *, const char *, struct anm_error *);
struct anm_doc *gem_remove_keys(const struct anm_doc *, const struct anm_ref *, struct anm_error *);
struct anm_doc *gem_write_mesh(const struct anm_doc *, const struct anm_ref *, const char *, const void *, size_t,
                               struct anm_error *);
struct anm_doc *gem_remove_mesh(const struct anm_doc *, const struct anm_ref *, struct anm_error *);
int gem_can_make_mesh(const struct anm_doc *, const struct anm_ref *, const char *, struct anm_error *);
/* Reads "NAME.mesh" or "NAME.mesh~2". 0, or -1: ANM_DENIED (no such form), ANM_NAME (the bone's). */
int gem_parse_mesh(const struct gem_doc *doc, const char *name, uint32_t *bone, uint32_t *ordinal,
                   struct anm_error *err);
/* The canonical name of a frame's directory. 0, or -1: ANM_NOENT (not a number), ANM_NAME (misspelt, too large). */
int gem_parse_dir(const char *name, uint32_t *number, uint32_t *ordinal, struct anm_error *err);

/* --- gem_bones.c --- */

struct anm_doc *gem_mkdir_bone(const struct anm_doc *, const struct anm_ref *, const char *, struct anm_error *);
struct anm_doc *gem_remove_bone(const struct anm_doc *, const struct anm_ref *, struct anm_error *);
struct anm_doc *gem_rename_bone(const struct anm_doc *, const struct anm_ref *, const char *, struct anm_error *);
int gem_can_make_bone(const struct anm_doc *, const struct anm_ref *, const char *, struct anm_error *);
struct anm_doc *gem_remove_track(const struct anm_doc *, const struct anm_ref *, struct anm_error *);
/* A bone by the name of its directory (escaped, cut when long). 0, or -1: ANM_NOENT, ANM_NAME. */
int gem_find_bone_dir(const struct gem_doc *doc, const char *name, size_t size, uint32_t *bone, struct anm_error *err);
int gem_render_bonemap(const struct anm_doc *, const struct anm_ref *, struct anm_buf *, struct anm_error *);
struct anm_doc *gem_write_bonemap(const struct anm_doc *, const struct anm_ref *, const char *, const void *, size_t,
                                  struct anm_error *);

/* --- gem_format.c, gem_head.c, gem_info.c --- */

int gem_render_format(const struct anm_doc *, const struct anm_ref *, struct anm_buf *, struct anm_error *);
/* An empty document of that format. */
struct anm_doc *gem_blank(const void *bytes, size_t size, struct anm_error *err);
struct anm_doc *gem_write_format(const struct anm_doc *, const struct anm_ref *, const char *, const void *, size_t,
                                 struct anm_error *);
bool gem_has_comment(const struct anm_doc *, const struct anm_ref *);
int gem_render_comment(const struct anm_doc *, const struct anm_ref *, struct anm_buf *, struct anm_error *);
struct anm_doc *gem_write_comment(const struct anm_doc *, const struct anm_ref *, const char *, const void *, size_t,
                                  struct anm_error *);
struct anm_doc *gem_remove_comment(const struct anm_doc *, const struct anm_ref *, struct anm_error *);
/* The usual layout for a number of comments ("FCB", "FB"); the longest is GEM_LAYOUT_MAX. */
void gem_usual_layout(char layout[GEM_LAYOUT_MAX + 1], uint32_t comments);
bool gem_is_mixed(const struct gem_doc *doc);

int gem_render_header(const struct anm_doc *, const struct anm_ref *, struct anm_buf *, struct anm_error *);
struct anm_doc *gem_write_header(const struct anm_doc *, const struct anm_ref *, const char *, const void *, size_t,
                                 struct anm_error *);

int gem_render_info(const struct anm_doc *, const struct anm_ref *, struct anm_buf *, struct anm_error *);

#endif
