/* SPDX-License-Identifier: MIT */
/* The NIFF document (Nintendo 64, 1.0 and 2.0): a container of lists, of which AnimList is opened and all others are carried
 * as their bytes (formats: NIFF 2, 3). Everything is big-endian 32-bit words, kept as the file has them: an AnimGroup is its
 * record, looked at through a view and rebuilt by a builder, so that whatever has no name stays where it is.
 *
 * Lists and records are immutable blobs, shared between documents. */
#ifndef ANM_NIFF_H
#define ANM_NIFF_H

#include "anm/doc.h"

#define NIFF_NONE 0xffffffffu   /* no link, no name, no next key */
#define NIFF_SWITCH 0x80000000u /* a link with this bit goes to a Switch node */

/* Tags of the lists (NIFF 1). */
enum {
    NIFF_SCENE = 0x00010000,
    NIFF_OBJ = 0x00020000,
    NIFF_ANIM = 0x000c0000,
    NIFF_CAM = 0x000e0000,
    NIFF_NAME = 0x00110000,
    NIFF_SWITCH_LIST = 0x00130000,
    NIFF_CHAIN_ROOT = 0x00240000,
    NIFF_JOINT = 0x00250000,
    NIFF_EFFECTOR = 0x00260000,
    NIFF_EXTERNAL_NAME = 0x00270000
};

/* What is known about a kind of list: numbers of words count from 0. */
struct niff_kind {
    uint32_t tag;
    uint8_t size_at; /* offset of the list's size in the file header; from 100 on in the 2.0 block */
    uint8_t counts;  /* how many counts the list header has: 1, 2 (Color, Vector); 0: the Scene, which is one record */
    bool opened;     /* its records are read: they have to fit */
    uint8_t least;   /* words a record has at least, where something is known about it */
    uint8_t name_word;     /* in a record, the index of its name; NIFF_NAMELESS: none; 0: names may stand anywhere */
    uint8_t size_word;     /* its size */
    uint8_t anim_word;     /* the index of an AnimGroup; 0: none */
    uint8_t block_word;    /* the size of its Nintendo block, that of the user block follows; 0: not known */
    uint8_t block_words;   /* a Nintendo block of NIFF 2.0 that says nothing: */
    const uint32_t *block; /* its words, NIFF_COPY + N copies word N of the record; or NULL */
    const char *name;      /* "obj": of raw/lists/obj.bin */
    const char *title;     /* "ObjList": for messages */
};
#define NIFF_COPY 0x7fffff00u
#define NIFF_NAMELESS 0xff

/* In the order the lists have in a file (NIFF 2.2). NULL past the last. */
const struct niff_kind *niff_kind_at(uint32_t i);
const struct niff_kind *niff_kind_of(uint32_t tag); /* NULL: no list has it */

struct niff_list {
    const struct niff_kind *kind;
    struct anm_blob *bytes; /* header, records, blocks; owned reference. AnimList: NULL, see below */
};

/* An AnimGroup: one bone of the tree. */
struct niff_group {
    struct anm_blob *record; /* its bytes, as long as the list's table says; owned reference */
    struct anm_blob *name;   /* as shown: of its Name record, "group-N" without one; owned reference */
    uint16_t ordinal;        /* 1 for the first group of this name; stable until loaded again */
};

struct niff_doc {
    struct anm_doc doc;
    struct anm_blob *head; /* the file header with its blocks */
    uint32_t list_count;
    struct niff_list *lists;    /* in the file's order */
    struct anm_blob *anim_head; /* the 24 bytes before AnimList's table, or NULL without that list */
    struct anm_blob *anim_rest; /* what follows the last group in AnimList: its blocks */
    uint32_t group_count;
    struct niff_group *groups;
    struct anm_blob *tail; /* what follows the last list, or NULL */
    uint32_t made_count;   /* frames that are there without a key, ascending: not in the file */
    uint32_t *made;
    const struct anm_given *given; /* owned reference */
    void *cache;                   /* whatever a later ring derives from this document; never copied */
    void (*cache_free)(void *cache);
};

/* The container of a document's head. */
static inline const struct niff_doc *niff_const(const struct anm_doc *doc)
{
    return (const struct niff_doc *)(const void *)doc;
}

/* A word of validated bytes, by number; and setting it. */
static inline uint32_t niff_word(const uint8_t *bytes, size_t word)
{
    const uint8_t *b = bytes + 4 * word;
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | (uint32_t)b[3];
}
static inline void niff_set_word(uint8_t *bytes, size_t word, uint32_t value)
{
    uint8_t *b = bytes + 4 * word;
    b[0] = (uint8_t)(value >> 24);
    b[1] = (uint8_t)(value >> 16);
    b[2] = (uint8_t)(value >> 8);
    b[3] = (uint8_t)value;
}

/* The version word (NIFF 1): creator, tool, major, minor, a byte each. */
uint32_t niff_version(const struct niff_doc *doc);
/* Whether the Nintendo blocks are those of NIFF 2.0. */
bool niff_is_2(const struct niff_doc *doc);
/* How many bytes a list has in the file. */
size_t niff_list_size(const struct niff_doc *doc, const struct niff_list *list);
/* Which word of the file header has the size of the list of this kind; 0: none. */
size_t niff_size_word(const struct niff_doc *doc, const struct niff_kind *kind);
/* A list's bytes by tag, or NULL when it is absent (AnimList always). */
const struct anm_blob *niff_list_bytes(const struct niff_doc *doc, uint32_t tag);

/* --- records of a list --- */

/* Walks the records of a list whose bytes were validated. */
struct niff_walk {
    const struct anm_blob *bytes;
    uint32_t count, i; /* the next record's number */
    uint32_t table;    /* where the table is, in words */
    size_t at, size;   /* the present record: offset in the list, and size by the table */
};
/* Starts before the first record; `bytes` NULL: an empty walk. */
struct niff_walk niff_walk(const struct niff_kind *kind, const struct anm_blob *bytes);
bool niff_walk_next(struct niff_walk *walk);

/* Text of a Name record in validated bytes: up to the first NUL. */
const uint8_t *niff_name_text(const struct niff_walk *walk, size_t *size);

/* --- AnimGroups (NIFF 3) --- */

enum { NIFF_STATIC = 0, NIFF_FULL = 2, NIFF_KEY = 3, NIFF_BILLBOARD = 4 }; /* anim_type */
#define NIFF_GROUP_TAG 0x000c0100u
#define NIFF_GROUP_WORDS 12

/* Words of an AnimGroup's head (NIFF 3.1). */
enum {
    NIFF_G_TAG,
    NIFF_G_INDEX,
    NIFF_G_HEADER_SIZE,
    NIFF_G_SIZE,
    NIFF_G_NAME,
    NIFF_G_TYPE,
    NIFF_G_RATE,
    NIFF_G_COUNT,
    NIFF_G_LOOP,
    NIFF_G_ORDER,
    NIFF_G_BLOCK,
    NIFF_G_USER
};

/* Words of the 2.0 block's head (NIFF 3.6): the flags, eight counts, seven pairs, seven external pairs. */
enum { NIFF_CHANNELS = 8, NIFF_CONSTRAINTS = 7 };
enum { NIFF_B_USE = 0, NIFF_B_COUNT = 1, NIFF_B_PAIR = 9, NIFF_B_EXTERNAL = 23, NIFF_BLOCK_WORDS = 37 };

/* A channel of NIFF 2.0: its keys are interpolation_type, key, then as many values and as many slopes. */
struct niff_channel {
    const char *name;    /* "rotate_x" */
    const char *meaning; /* in a few words, for the manual */
    uint8_t values;      /* floats of one key's value; the slopes are as many */
    uint8_t angle;       /* 1 + which of them is an angle; 0: none */
};
extern const struct niff_channel niff_channels[NIFF_CHANNELS]; /* in the order of the counts */
static inline size_t niff_channel_words(unsigned channel)
{
    return 2 + 2 * (size_t)niff_channels[channel].values;
}

/* Where the parts of an AnimGroup's record are: offsets in its bytes. */
struct niff_view {
    const uint8_t *bytes;
    size_t size;
    uint32_t anims;    /* how many Anim records from NIFF_GROUP_WORDS on */
    size_t block;      /* the Nintendo block, right after them */
    size_t user;       /* the user block, after that */
    size_t rest;       /* what the sizes leave over */
    bool has_channels; /* the block is one of NIFF 2.0: */
    uint32_t count[NIFF_CHANNELS];
    size_t keys[NIFF_CHANNELS]; /* where each channel's keys start */
    size_t extra;               /* what follows them in the block */
};

/* Looks at a record; `two`: of a NIFF 2.0. 0, or -1 with an offset in the record: counts and sizes that do not fit.
 * A record of a document was looked at before, and fits. */
int niff_view(struct niff_view *view, const struct anm_blob *record, bool two, struct anm_error *err);

/* An Anim's bytes in all, by tag; 0: not known. */
size_t niff_anim_size(uint32_t tag);
/* The tag of a type's Anims, 0: not known. */
uint32_t niff_anim_tag(uint32_t type);

/* The three layouts of an Anim (NIFF 3.2), and how a field's words are written. */
enum niff_layout { NIFF_TRANSFORM, NIFF_KEYED, NIFF_LOOKING, NIFF_LAYOUTS };
enum niff_form { NIFF_FLOATS, NIFF_ANGLES, NIFF_INTERPOLATION, NIFF_BITS, NIFF_FRAME, NIFF_OBJ_LINK };

/* A field of an Anim: one line of a key text. */
struct niff_field {
    const char *name;    /* its word in the text: "translate" */
    const char *meaning; /* in a few words, for the manual */
    uint8_t words;
    uint8_t form;                /* enum niff_form */
    bool optional;               /* its line is there only when it says something */
    uint8_t place[NIFF_LAYOUTS]; /* its first word in each layout; 0: it is not in that */
};
enum { NIFF_FIELDS = 8, NIFF_FIELD_INTERPOLATION = 3, NIFF_FIELD_NEXT = 5 };
extern const struct niff_field niff_fields[NIFF_FIELDS]; /* in the order of the text */
/* The layout of a tag that niff_anim_size() knows. */
enum niff_layout niff_anim_layout(uint32_t tag);

/* An AnimGroup under construction. */
struct niff_build {
    uint32_t
        head[NIFF_GROUP_WORDS]; /* sizes and the number of Anims are derived; a size that was wrong stays as wrong */
    size_t was;                 /* bytes of the record it started as */
    struct anm_buf anims;       /* whole Anim records; their index and size words are derived */
    bool has_channels;
    uint32_t block[NIFF_BLOCK_WORDS]; /* the counts are derived */
    struct anm_buf keys[NIFF_CHANNELS];
    struct anm_buf extra, user, rest; /* extra: the whole block when it is none of NIFF 2.0 */
};
/* Starts as a record; or as an empty group. Returns 0 or -1 out of memory. */
int niff_build_from(struct niff_build *build, const struct niff_view *view);
void niff_build_empty(struct niff_build *build, bool two);
void niff_build_free(struct niff_build *build);
/* The record; NULL with `err` (ANM_NOMEM, ANM_LIMIT). */
struct anm_blob *niff_build_record(const struct niff_build *build, struct anm_error *err);

/* --- building documents (for edits): everything that makes something returns NULL or -1 with `err` --- */

/* A copy with one reference that shares lists and records, with room for `groups` more groups. */
struct niff_doc *niff_copy(const struct niff_doc *doc, uint32_t groups, struct anm_error *err);
void niff_clean(struct niff_doc **doc); /* for ANM_AUTO */

/* Put a list's bytes, a group's record in place of the old; they take over the new one. The sizes above follow. */
int niff_set_list(struct niff_doc *doc, uint32_t tag, struct anm_blob *bytes, struct anm_error *err);
int niff_set_record(struct niff_doc *doc, uint32_t i, struct anm_blob *record, struct anm_error *err);
/* AnimList's own extension blocks: their sizes. False, and both 0, when they do not fit what is there. */
bool niff_anim_blocks(const struct niff_doc *doc, size_t *block, size_t *user);
/* Puts such blocks in place of the old ones. */
int niff_set_anim_blocks(struct niff_doc *doc, const void *block, size_t block_size, const void *user, size_t user_size,
                         struct anm_error *err);
/* Sets what follows the last list; NULL: nothing. Takes it over. */
int niff_set_tail(struct niff_doc *doc, struct anm_blob *tail, struct anm_error *err);
/* Makes sure that the list is there, empty if need be. */
int niff_need_list(struct niff_doc *doc, uint32_t tag, struct anm_error *err);
/* Takes the list out. */
int niff_drop_list(struct niff_doc *doc, uint32_t tag, struct anm_error *err);
/* Puts the file header's blocks in place of the old ones. */
int niff_set_head(struct niff_doc *doc, const void *block, size_t block_size, const void *user, size_t user_size,
                  struct anm_error *err);
/* Sets a word of the file header. */
int niff_set_head_word(struct niff_doc *doc, size_t word, uint32_t value, struct anm_error *err);

/* A new group at the end, with a Name record of its own; takes over `record`. The copy had room for it. */
int niff_add_group(struct niff_doc *doc, struct anm_blob *record, const void *name, size_t size, uint16_t ordinal,
                   struct anm_error *err);
/* Takes a group out: links to it become NIFF_NONE, links to later ones follow. */
int niff_remove_group(struct niff_doc *doc, uint32_t i, struct anm_error *err);
/* Gives a group a name: its Name record is changed, or where others use that too, a new one is made. */
int niff_name_group(struct niff_doc *doc, uint32_t i, const void *name, size_t size, uint16_t ordinal,
                    struct anm_error *err);
/* Sets the animation link of record `node` of a list. */
int niff_set_link(struct niff_doc *doc, uint32_t tag, uint32_t node, uint32_t group, struct anm_error *err);
/* The index of `name` in the NameList or the ExternalNameList, the first there is; NIFF_NONE: not there. */
uint32_t niff_find_name(const struct niff_doc *doc, uint32_t tag, const void *name, size_t size);
/* Adds a Name record to the NameList or the ExternalNameList; *index is its number. */
int niff_add_name(struct niff_doc *doc, uint32_t tag, const void *name, size_t size, uint32_t *index,
                  struct anm_error *err);

/* Another version of `old`, 1 or 2 (.0). What NIFF 1.0 cannot hold is refused with one line a loss, unless `lossy`. */
struct niff_doc *niff_convert(const struct niff_doc *old, unsigned major, bool lossy, struct anm_error *err);

#endif
