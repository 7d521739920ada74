/* SPDX-License-Identifier: MIT */
/* The NIFF document as a tree: what the files of this ring share. A bone of the tree is an AnimGroup. */
#ifndef ANM_NIFF_TREE_H
#define ANM_NIFF_TREE_H

#include "names.h"

#include "anm/lines.h"
#include "anm/niff.h"
#include "anm/route.h"

/* --- niff_index.c: what is derived from a document once, kept in its cache --- */

/* The lanes of a group: its Anims, and the eight channels of NIFF 2.0. */
enum { NIFF_LANE_ANIM, NIFF_LANE_CHANNEL, NIFF_LANES = NIFF_LANE_CHANNEL + NIFF_CHANNELS };

/* One key: an Anim record, or a key of a channel. */
struct niff_entry {
    uint32_t group;
    uint32_t frame;
    uint32_t ordinal; /* 1 for the first key of its lane at this frame */
    uint8_t lane;
    bool raw;             /* an Anim that does not go with the group's type, or is of no known kind */
    const uint8_t *bytes; /* in the group's record */
    uint32_t size;
    uint32_t next; /* KEY: what next_key has to be */
};

/* The lists whose nodes groups are shown by name of. */
enum { NIFF_NODE_OBJ, NIFF_NODE_CHAIN_ROOT, NIFF_NODE_JOINT, NIFF_NODE_EFFECTOR, NIFF_NODES };
struct niff_node_kind {
    const char *word; /* "obj" */
    uint32_t tag;
};
extern const struct niff_node_kind niff_node_kinds[NIFF_NODES];

struct niff_index {
    struct anm_names groups;
    struct anm_names nodes[NIFF_NODES];
    uint32_t *links[NIFF_NODES]; /* of each node, the animation link */
    struct anm_buf unnamed;      /* names made for nodes that have none */
    struct niff_entry *entries;  /* by group, in the order of the text of bones/NAME/keys */
    uint32_t *first;             /* where each group's entries start; one more at the end */
    bool *ordered;               /* of each group: every lane ascends */
    uint32_t *by_frame;          /* entries by frame, then as they are in `entries` */
    uint32_t *numbers;           /* the frames there are, ascending */
    uint32_t *frame_first;       /* where each one's entries start in by_frame; one more at the end */
    uint32_t frame_count;
};

/* The document's index; NULL (err may be NULL) when out of memory. */
const struct niff_index *niff_index(const struct niff_doc *doc, struct anm_error *err);
/* The place in `numbers`; false when there is no such frame. */
bool niff_find_frame(const struct niff_index *index, uint32_t number, uint32_t *place);
/* A group's record. */
struct niff_view niff_group_view(const struct niff_doc *doc, uint32_t group);
uint32_t niff_group_word(const struct niff_doc *doc, uint32_t group, unsigned word);
/* Whether Anims of the group are numbered by their place, and not by a key of their own. */
bool niff_counts_frames(const struct niff_doc *doc, uint32_t group);

/* --- niff_keys.c: key texts, out --- */

/* Which of the three grammars: FRAME NAME CHANNEL, NAME CHANNEL, FRAME CHANNEL. */
enum niff_depth { NIFF_OF_FILE, NIFF_OF_FRAME, NIFF_OF_BONE };

/* The words of key texts: the fields of an Anim, a raw one, the channels of NIFF 2.0. */
enum { NIFF_W_RAW = NIFF_FIELDS, NIFF_W_CHANNEL, NIFF_WORDS = NIFF_W_CHANNEL + NIFF_CHANNELS };
const char *niff_word_text(unsigned word);
/* Names of the interpolations of KEY, where some values have none (""), and of channels: another enumeration. End with NULL. */
extern const char *const niff_key_interpolations[];
extern const char *const niff_channel_interpolations[];

void niff_put_entry(struct anm_buf *out, const struct niff_doc *doc, const struct niff_index *index, uint32_t i,
                    enum niff_depth depth);
void niff_put_pose(struct anm_buf *out, const struct niff_doc *doc, const struct niff_index *index, uint32_t number);
/* "obj NAME", "none", "joint ?5" …: a link to a node by list tag and number. */
void niff_put_node(struct anm_buf *out, const struct niff_index *index, uint32_t tag, uint32_t node);

/* --- niff_parse.c: key texts, in --- */

/* One line of a key text. */
struct niff_line {
    uint32_t group, frame, ordinal;
    uint8_t word;
    uint32_t line, column; /* of the word */
    uint32_t v[14];        /* what the words of the record get; RAW: the tag */
    size_t raw, raw_size;  /* RAW: the bytes in text->raw */
};

/* A key text being read, and its lines. */
struct niff_text {
    const struct niff_doc *doc;
    const struct niff_index *index;
    enum niff_depth depth;
    uint32_t frame, group; /* the scope, or of the last line */
    struct anm_token name; /* the token that gave the group */
    struct anm_lines lines;
    struct niff_line *at;
    uint32_t count, capacity;
    struct anm_buf raw, scratch;
};
void niff_text_free(struct niff_text *text);
/* Reads the whole text; the scope (doc, index, depth, frame, group) is set by the caller. */
int niff_parse(struct niff_text *text, const void *bytes, size_t size, struct anm_error *err);
/* Reads a link to a node from token `i` on: KIND NAME, KIND ?N, none, switch N. *used is how many tokens it took. */
int niff_parse_node(const struct anm_lines *lines, const struct niff_index *index, uint32_t i, uint32_t *tag,
                    uint32_t *node, uint32_t *used);

/* --- niff_apply.c: key texts applied --- */

struct anm_doc *niff_write_all(const struct anm_doc *, const struct anm_ref *, const char *, const void *, size_t,
                               struct anm_error *);
struct anm_doc *niff_write_frame(const struct anm_doc *, const struct anm_ref *, const char *, const void *, size_t,
                                 struct anm_error *);
struct anm_doc *niff_write_track(const struct anm_doc *, const struct anm_ref *, const char *, const void *, size_t,
                                 struct anm_error *);
/* A key on its way into a record. */
struct niff_item {
    struct niff_entry entry; /* an Anim's index and next_key are derived */
    bool next_kept;          /* KEY: its next_key is not */
    uint32_t line, column;   /* of its first line in a text; 0: it was there before */
    uint32_t order;          /* within its lane: frame aside, where frames ascend */
    size_t made;             /* where its bytes are in the text's buffer while that grows */
};
/* All keys of a group as items, in an array of their number, which the caller frees; NULL with `err`. */
struct niff_item *niff_items_of(const struct niff_doc *doc, uint32_t group, uint32_t *count, struct anm_error *err);
/* Gives a group these keys and no others (they get sorted). 0 or -1. */
int niff_set_items(struct niff_doc *doc, uint32_t group, bool ordered, struct niff_item *items, uint32_t count,
                   struct anm_error *err);

/* Gives a group the record that was built, when that is another one. 0 or -1. */
int niff_set_built(struct niff_doc *doc, uint32_t group, const struct niff_build *build, struct anm_error *err);
/* The group in `doc` has got another type than in `old`: its Anims become ones of that. 0, or -1 when they cannot. */
int niff_retype(struct niff_doc *doc, const struct niff_doc *old, uint32_t group, struct anm_error *err);

/* --- niff_edit.c: frames and groups made, removed, renamed --- */

/* The last step of every edit: checks `doc`, and returns it, or `old` when nothing changed. Takes over *doc. */
struct anm_doc *niff_finish(const struct niff_doc *old, struct niff_doc **doc, struct anm_error *err);
/* Frame `number` is there from now on, also without a key. */
int niff_make_frame(struct niff_doc *doc, uint32_t number, struct anm_error *err);
int niff_parse_frame(const char *name, uint32_t *number, struct anm_error *err);
struct anm_doc *niff_mkdir_frame(const struct anm_doc *, const struct anm_ref *, const char *, struct anm_error *);
struct anm_doc *niff_remove_frame(const struct anm_doc *, const struct anm_ref *, struct anm_error *);
struct anm_doc *niff_rename_frame(const struct anm_doc *, const struct anm_ref *, const char *, struct anm_error *);
int niff_can_make_frame(const struct anm_doc *, const struct anm_ref *, const char *, struct anm_error *);
struct anm_doc *niff_remove_keys(const struct anm_doc *, const struct anm_ref *, struct anm_error *);
struct anm_doc *niff_mkdir_group(const struct anm_doc *, const struct anm_ref *, const char *, struct anm_error *);
struct anm_doc *niff_remove_group_dir(const struct anm_doc *, const struct anm_ref *, struct anm_error *);
struct anm_doc *niff_rename_group(const struct anm_doc *, const struct anm_ref *, const char *, struct anm_error *);
int niff_can_make_group(const struct anm_doc *, const struct anm_ref *, const char *, struct anm_error *);
struct anm_doc *niff_remove_track(const struct anm_doc *, const struct anm_ref *, struct anm_error *);

/* --- niff_head.c (format, header), niff_group.c (group), niff_raw.c, niff_info.c --- */

int niff_render_format(const struct anm_doc *, const struct anm_ref *, struct anm_buf *, struct anm_error *);
struct anm_doc *niff_write_format(const struct anm_doc *, const struct anm_ref *, const char *, const void *, size_t,
                                  struct anm_error *);
int niff_render_header(const struct anm_doc *, const struct anm_ref *, struct anm_buf *, struct anm_error *);
struct anm_doc *niff_write_header(const struct anm_doc *, const struct anm_ref *, const char *, const void *, size_t,
                                  struct anm_error *);
int niff_render_group(const struct anm_doc *, const struct anm_ref *, struct anm_buf *, struct anm_error *);
struct anm_doc *niff_write_group(const struct anm_doc *, const struct anm_ref *, const char *, const void *, size_t,
                                 struct anm_error *);
extern const char *const niff_constraints[NIFF_CONSTRAINTS + 1];
const char *niff_type_word(uint32_t type);
int niff_render_info(const struct anm_doc *, const struct anm_ref *, struct anm_buf *, struct anm_error *);

/* What is shown as raw bytes: the lists, the groups' records, the extension blocks. */
extern const struct anm_set niff_raw_lists, niff_raw_groups;
int niff_render_raw_list(const struct anm_doc *, const struct anm_ref *, struct anm_buf *, struct anm_error *);
struct anm_doc *niff_write_raw_list(const struct anm_doc *, const struct anm_ref *, const char *, const void *, size_t,
                                    struct anm_error *);
int niff_can_make_raw(const struct anm_doc *, const struct anm_ref *, const char *, struct anm_error *);
int niff_render_raw_group(const struct anm_doc *, const struct anm_ref *, struct anm_buf *, struct anm_error *);
struct anm_doc *niff_write_raw_group(const struct anm_doc *, const struct anm_ref *, const char *, const void *, size_t,
                                     struct anm_error *);
/* raw/extension/…: of the file header, of AnimList, of the groups; each a Nintendo block and a user block. */
int niff_render_file_nintendo(const struct anm_doc *, const struct anm_ref *, struct anm_buf *, struct anm_error *);
int niff_render_file_user(const struct anm_doc *, const struct anm_ref *, struct anm_buf *, struct anm_error *);
int niff_render_anim_nintendo(const struct anm_doc *, const struct anm_ref *, struct anm_buf *, struct anm_error *);
int niff_render_anim_user(const struct anm_doc *, const struct anm_ref *, struct anm_buf *, struct anm_error *);
int niff_render_group_nintendo(const struct anm_doc *, const struct anm_ref *, struct anm_buf *, struct anm_error *);
int niff_render_group_user(const struct anm_doc *, const struct anm_ref *, struct anm_buf *, struct anm_error *);
struct anm_doc *niff_write_file_nintendo(const struct anm_doc *, const struct anm_ref *, const char *, const void *,
                                         size_t, struct anm_error *);
struct anm_doc *niff_write_file_user(const struct anm_doc *, const struct anm_ref *, const char *, const void *, size_t,
                                     struct anm_error *);
struct anm_doc *niff_write_anim_nintendo(const struct anm_doc *, const struct anm_ref *, const char *, const void *,
                                         size_t, struct anm_error *);
struct anm_doc *niff_write_anim_user(const struct anm_doc *, const struct anm_ref *, const char *, const void *, size_t,
                                     struct anm_error *);
struct anm_doc *niff_write_group_nintendo(const struct anm_doc *, const struct anm_ref *, const char *, const void *,
                                          size_t, struct anm_error *);
struct anm_doc *niff_write_group_user(const struct anm_doc *, const struct anm_ref *, const char *, const void *,
                                      size_t, struct anm_error *);
bool niff_has_anims(const struct anm_doc *, const struct anm_ref *); /* AnimList is there */

#endif
