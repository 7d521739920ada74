/* SPDX-License-Identifier: MIT */
/* Writes NIFF files from what a test says of them, finds its way in such files, and checks that all in one agrees; independent of
 * the codec under test. What a test does not say is as the files of the SDK have it. */
#ifndef ANM_TESTS_NIFF_BUILD_H
#define ANM_TESTS_NIFF_BUILD_H

#include "anm/buf.h"

/* --- what a file is made of --- */

/* The lists, in the order of a file's body; those of NIFF 2.0 from NIF_CI_IMG on. */
enum nif_list {
    NIF_SCENE,
    NIF_ENV,
    NIF_CAM,
    NIF_LIGHT,
    NIF_OBJ,
    NIF_SHAPE,
    NIF_VTX,
    NIF_TRI,
    NIF_COLOR,
    NIF_VECTOR,
    NIF_ST,
    NIF_PART,
    NIF_MAT,
    NIF_TEX,
    NIF_TEX_IMG,
    NIF_ANIM,
    NIF_COLL,
    NIF_SWITCH,
    NIF_NAME,
    NIF_CI_IMG,
    NIF_PALETTE,
    NIF_ENVELOPE,
    NIF_CLUSTER,
    NIF_WEIGHT,
    NIF_CHAIN_ROOT,
    NIF_JOINT,
    NIF_EFFECTOR,
    NIF_EXTERNAL,
    NIF_LISTS
};

/* An array with its length, and an initializer for one. */
#define NIF_ARRAY(type)                                                                                                \
    struct {                                                                                                           \
        const type *at;                                                                                                \
        uint32_t count;                                                                                                \
    }
#define NIF_ALL(array)                                                                                                 \
    {                                                                                                                  \
        (array), sizeof(array) / sizeof *(array)                                                                       \
    }

struct nif_bytes {
    const char *at;
    size_t size;
};
#define NIF_BYTES(literal)                                                                                             \
    {                                                                                                                  \
        (literal), sizeof(literal) - 1                                                                                 \
    }

/* An index of something. What is not said is no link: 0 is written as 0xffffffff. */
#define NIF_LINK(index) ((uint32_t)(index) + 1)
/* A link through a node of SwitchList: documented, in no real file. */
#define NIF_BY_SWITCH(index) NIF_LINK(0x80000000u | (index))

/* A name: `nuls` more NULs than its length needs. Real files have 0 or 4, the latter where the length needs none. */
struct nif_name {
    const char *text;
    uint32_t nuls;
};

struct nif_obj {
    uint32_t name, parent, anim, chain_root; /* links; the last is one of NIFF 2.0 */
    NIF_ARRAY(uint32_t) children, lods;      /* indices */
};

struct nif_cam {
    uint32_t name, look_at, eye, up; /* links */
};

/* A ChainRoot, a Joint or an Effector. */
struct nif_node {
    uint32_t name, anim, joint, effector; /* links: a ChainRoot's first joint, a Joint's next one and its effector */
    NIF_ARRAY(uint32_t) objs;             /* indices */
};

/* Documented, in no real file. */
struct nif_switch {
    enum nif_list list; /* what the destinations are indices of */
    NIF_ARRAY(uint32_t) destinations;
};

enum { NIF_STATIC = 0, NIF_UNDEFINED = 1, NIF_FULL = 2, NIF_KEY = 3, NIF_BILLBOARD = 4 };

/* An Anim record, laid out as its tag says. */
struct nif_anim {
    uint32_t tag;                /* 0: that of the group's type */
    uint32_t key, interpolation; /* KEY; its next_key is the next record's key */
    float move[3], turn[3];      /* translate, rotate */
    uint32_t flag;               /* rotate_expand_flag: 0 in every real file */
    float scale[3];
    uint32_t look_at, up; /* BILLBOARD_OBJ: links to objs; documented, in no real file */
    struct nif_bytes raw; /* 0x000c0102: what follows the size; without a layout, in no real file */
};

enum nif_channel {
    NIF_ROTATE_AXIS,
    NIF_ROTATE_X,
    NIF_ROTATE_Y,
    NIF_ROTATE_Z,
    NIF_ORIENTATION_XY,
    NIF_TRANSLATION,
    NIF_UNIQUE_SCALE,
    NIF_CLASSICAL_SCALE,
    NIF_CHANNELS
};

/* A key of a channel of NIFF 2.0. Real files: CONST (0) where there is one, HERMITE (3) where there are many; FULL (1) and
 * LINEAR (2) are documented. RotateX, -Y, -Z, Translation and UniqueScale are what real files have. */
struct nif_key {
    enum nif_channel channel; /* not descending in a group */
    uint32_t interpolation, key;
    float values[12]; /* as many as the channel has: values, then slopes */
};

enum nif_constraint {
    NIF_ORIENTATION,
    NIF_DIRECTION,
    NIF_UPVECTOR,
    NIF_PREFERRED_AXIS,
    NIF_POSITION,
    NIF_UNIQUE_SCALE_OF,
    NIF_CLASSICAL_SCALE_OF,
    NIF_CONSTRAINTS
};

/* What a constraint of NIFF 2.0 follows: a record of a list (Obj and ChainRoot in real files, Joint and Effector documented) … */
struct nif_target {
    enum nif_list list;
    uint32_t link; /* 0: the constraint is not used */
};
/* … or something in another file: documented, in no real file. */
struct nif_outside {
    uint32_t file, obj; /* links to external names */
};

struct nif_group {
    uint32_t name; /* link */
    uint32_t type, rate, loop;
    uint32_t order;       /* 0: XYZ, the only one in real files */
    uint32_t header_size; /* 0: 48, as in all files but those of one exporter, which says 196 */
    NIF_ARRAY(struct nif_anim) anims;
    /* NIFF 2.0: */
    NIF_ARRAY(struct nif_key) keys;
    struct nif_target targets[NIF_CONSTRAINTS];
    struct nif_outside outsides[NIF_CONSTRAINTS];
    uint32_t use_xor; /* bits of use_animation_channel that are not what is used */
    bool bare;        /* a 2.0 group without its block: in no real file */
    /* Documented, in no real file: */
    struct nif_bytes more; /* behind what NIFF 2.0 defines in the Nintendo block; with 1.0, all of it */
    struct nif_bytes user;
    struct nif_bytes slack; /* counted by the list's table, not by the record's own size */
};

struct nif_blocks {
    struct nif_bytes nintendo, user;
};

struct nif_file {
    bool two; /* NIFF 2.0 */
    NIF_ARRAY(struct nif_name) names, externals;
    NIF_ARRAY(struct nif_obj) objs;
    NIF_ARRAY(struct nif_cam) cams;
    NIF_ARRAY(struct nif_node) chain_roots, joints, effectors;
    NIF_ARRAY(struct nif_switch) switches;
    NIF_ARRAY(struct nif_group) groups;
    uint32_t scene_name;       /* link */
    NIF_ARRAY(uint32_t) roots; /* the scene's objs: indices */
    bool filled;               /* a record in each list that is not described above; else those are empty */
    bool absent[NIF_LISTS];    /* size 0 and no list: two lists of one real file */
    bool tri_late;             /* TriList behind StList, as in the order of the header's sizes: in no real file */
    struct nif_blocks blocks[NIF_LISTS]; /* the lists' own (not the Scene's): documented, in no real file */
    struct nif_bytes more,
        user;              /* the file header's: more than 2.0 defines (with 1.0, all); documented, in no real file */
    struct nif_bytes tail; /* behind the last list: in no real file */
};

/* Puts the file into `out`, which is empty. */
void nif_build(struct anm_buf *out, const struct nif_file *file);

/* --- files ready for use (niff_files.c) --- */

/* All there is, with names that show where: version 1 or 2. In both: objs "body", "turret", "wheel" and a camera's three,
 * groups in the order of enum nif_ready. 2.0 has a chain root, two joints and an effector. */
void nif_everything(struct anm_buf *out, unsigned major);
enum nif_ready {
    NIF_OF_BODY,     /* STATIC, "body_anim" */
    NIF_OF_TURRET,   /* FULL, frames 0 to 3, "turret_anim" */
    NIF_OF_WHEEL,    /* KEY, keys 0 10 20 30 40 of each interpolation, "wheel_anim" */
    NIF_OF_SIGN,     /* BILLBOARD_OBJ, "sign" */
    NIF_OF_CONST,    /* two records 0x000c0102, "const" */
    NIF_UNNAMED,     /* STATIC, without a name */
    NIF_TWICE,       /* STATIC, "twice" */
    NIF_TWICE_2,     /* another group of that name, by another record */
    NIF_SHARED,      /* STATIC; its name's record is also that of obj "shared" */
    NIF_MIXED,       /* type FULL, a STATIC and a KEY record in it, "mixed" */
    NIF_CHANNELED,   /* 2.0: every channel in every interpolation; 1.0: no Anim; "channels" */
    NIF_CONSTRAINED, /* 2.0: every constraint, within the file; "constraints" */
    NIF_OUTSIDE,     /* 2.0: every constraint, to another file; "outside" */
    NIF_BOTH,        /* STATIC, 2.0: and an upvector; "both" */
    NIF_EXTENDED, /* STATIC with other extension data and a user block, header_size 196, loop 3, order ZYX; "extended" */
    NIF_READY
};
/* The same without what is in no real file. */
void nif_ordinary(struct anm_buf *out, unsigned major);
/* Lists without a record, of which those that may be absent are. */
void nif_empty(struct anm_buf *out, unsigned major);
/* A file that agrees in all its sizes and links, otherwise as the seed has it. */
void nif_random(struct anm_buf *out, uint64_t seed);

/* --- finding the way (niff_walk.c) --- */

/* The tag of a list. The word at a byte offset; setting it. */
uint32_t nif_tag(enum nif_list list);
uint32_t nif_get(const struct anm_buf *file, size_t at);
void nif_set(struct anm_buf *file, size_t at, uint32_t value);
/* Inserts that many bytes 0xa5: no size follows. */
void nif_insert(struct anm_buf *file, size_t at, size_t size);
/* Where the file header has a list's size; where the list is, 0 when there is none; how many records it has; where record i is;
 * where the table has its size. Of files that agree. */
size_t nif_size_at(enum nif_list list);
size_t nif_list_at(const struct anm_buf *file, enum nif_list list);
uint32_t nif_count(const struct anm_buf *file, enum nif_list list);
size_t nif_record_at(const struct anm_buf *file, enum nif_list list, uint32_t i);
size_t nif_entry_at(const struct anm_buf *file, enum nif_list list, uint32_t i);
/* A name by its index, up to its first NUL. */
void nif_name_of(const struct anm_buf *file, uint32_t index, struct anm_buf *out);

/* Whether all sizes, counts, indices and links of a file agree, down to its last byte; `tail` bytes are behind its last list.
 * Else `why` says what does not, and where. */
bool nif_walk_ok(const uint8_t *bytes, size_t size, size_t tail, char why[200]);

#endif
