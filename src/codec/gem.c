/* SPDX-License-Identifier: MIT */
/* GEM engine animations, bytes to document and back. */
#include "gem_codec.h"

#include "anm/cursor.h"
#include "foreign.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

/* "EANM", version, FRMS, BMAP: no file is shorter. */
#define SMALLEST 24

static bool gem_sniff(const uint8_t *bytes, size_t size)
{
    return size >= 4 && memcmp(bytes, "EANM", 4) == 0;
}

static void gem_destroy(struct anm_doc *base)
{
    struct gem_doc *doc = (struct gem_doc *)(void *)base;
    if (doc->cache_free)
        doc->cache_free(doc->cache);
    for (uint32_t i = 0; i < doc->comment_count; i++)
        anm_blob_unref(doc->comments[i]);
    for (uint32_t i = 0; i < doc->frame_count; i++)
        gem_frame_unref(doc->frames[i]);
    gem_bonemap_unref(doc->bones);
    free(doc->comments);
    free(doc->frames);
    free(doc);
}

/* With the index of the tree: two numbers a key, and some a frame and a bone. */
static size_t gem_memory(const struct anm_doc *base)
{
    const struct gem_doc *doc = gem_const(base);
    size_t size = sizeof *doc + doc->bones->count * (sizeof *doc->bones->bones + 64);
    for (uint32_t i = 0; i < doc->comment_count; i++)
        size += doc->comments[i]->size;
    for (uint32_t i = 0; i < doc->frame_count; i++) {
        const struct gem_frame *frame = doc->frames[i];
        size += sizeof *frame + 32 + frame->count * (sizeof *frame->keys + 8);
        for (uint32_t k = 0; k < frame->count; k++)
            size += frame->keys[k].mesh ? frame->keys[k].mesh->size : 0;
    }
    return size;
}

/* --- decoding --- */

/* The chunk tag at the cursor; -1 at the end of the file, GEM_TAGS for what is none. */
static int peek_tag(const struct anm_cursor *c)
{
    if (anm_left(c) == 0)
        return -1;
    const uint8_t *at = anm_peek(c, 4);
    int tag = 0;
    while (tag < GEM_TAGS && !(at && memcmp(at, gem_tags[tag], 4) == 0))
        tag++;
    return tag;
}

static int fail_tag(const struct anm_cursor *c, const char *expected)
{
    char found[16];
    size_t left = anm_left(c);
    anm_show4(found, c->data + c->pos, left);
    return anm_fail_at(c->err, c->pos, "%s%s, expected %s", left < 4 ? "cut chunk " : "chunk ", found, expected);
}

static void skip_tag(struct anm_cursor *c)
{
    anm_get_bytes(c, 4, "chunk tag");
}

/* A signed 32-bit number, none of which can be negative. */
static uint32_t get_i32(struct anm_cursor *c, const char *what)
{
    size_t at = c->pos;
    uint32_t value = anm_get_u32le(c, what);
    if (value <= INT32_MAX)
        return value;
    anm_fail_at(c->err, at, "%s: %u, expected at most %d", what, value, INT32_MAX);
    c->failed = true;
    return 0;
}

static void get_words(struct anm_cursor *c, uint32_t *words, unsigned count, const char *what)
{
    for (unsigned i = 0; i < count; i++)
        words[i] = anm_get_u32le(c, what);
}

/* `size` bytes as a blob, or NULL with the error. */
static struct anm_blob *get_blob(struct anm_cursor *c, size_t size, const char *what)
{
    const uint8_t *bytes = anm_get_bytes(c, size, what);
    struct anm_blob *blob = bytes ? anm_blob_new(bytes, size) : NULL;
    if (bytes && !blob) {
        c->failed = true;
        anm_fail_nomem(c->err);
    }
    return blob;
}

/* The array with room for at least one item after the `count` it has; NULL with the error, and the old one stays. */
static void *grow(void *array, uint32_t count, uint32_t *room, size_t size, struct anm_error *err)
{
    if (count < *room)
        return array;
    void *grown = anm_realloc(array, (size_t)count * 2 + 8, size);
    if (grown)
        *room = count * 2 + 8;
    else
        anm_fail_nomem(err);
    return grown;
}

/* --- bone names --- */

/* The length of a name. From 128 on, the one-byte coding is a guess: that byte, or three more after 255. */
static size_t get_name_size(struct anm_cursor *c, enum gem_coding coding, bool *guessed)
{
    if (coding == GEM_STRING32)
        return anm_get_u32le(c, "length of a bone name");
    size_t at = c->pos;
    size_t size = anm_get_u8(c, "length of a bone name");
    *guessed = *guessed || size > 127;
    if (size < 255)
        return size;
    const uint8_t *wide = anm_get_bytes(c, 3, "length of a long bone name");
    size = wide ? (size_t)wide[0] | (size_t)wide[1] << 8 | (size_t)wide[2] << 16 : 0;
    if (wide && size < 255) {
        anm_fail_at(c->err, at, "length of a bone name: %zu in the long form, expected at least 255", size);
        c->failed = true;
    }
    return size;
}

static bool is_printable(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] < 0x20 || bytes[i] == 0x7f)
            return false;
    return true;
}

/* What the names are like when read in one coding. */
struct walk {
    bool fits;      /* they end within the file */
    bool at_chunk;  /* and where a chunk starts */
    bool at_end;    /* or with the file */
    bool printable; /* without control characters */
    bool guessed;   /* there were lengths whose coding is a guess */
};

static struct walk walk_names(struct anm_cursor c, uint32_t count, enum gem_coding coding)
{
    struct walk walk = {.printable = true};
    for (uint32_t i = 0; i < count && !c.failed; i++) {
        size_t size = get_name_size(&c, coding, &walk.guessed);
        const uint8_t *name = anm_get_bytes(&c, size, "bone name");
        walk.printable = walk.printable && name && is_printable(name, size);
    }
    int tag = peek_tag(&c);
    walk.fits = !c.failed;
    walk.at_end = walk.fits && tag == -1;
    walk.at_chunk = walk.fits && tag >= 0 && tag <= TAG_BMAP;
    return walk;
}

/* Which coding the names have. No version tells, and a comment only hints at it. The upper half of a 32-bit length is
 * zero; where both codings lead to a chunk, the one without control characters is. That the file ends with the names
 * proves little: a cut one does so by chance. */
static enum gem_coding sniff_names(const struct anm_cursor *c, uint32_t count, bool comment)
{
    struct anm_error ignored;
    struct anm_cursor names = anm_cursor(c->data, c->size, &ignored);
    names.pos = c->pos;
    const uint8_t *first = anm_peek(&names, 4);
    bool zeros = first && first[2] == 0 && first[3] == 0;
    struct walk s32 = walk_names(names, count, GEM_STRING32);
    struct walk s8 = walk_names(names, count, GEM_STRING8);
    bool can32 = s32.at_chunk || (s32.at_end && (s32.printable || zeros));
    bool can8 = s8.at_chunk || (s8.at_end && (s8.printable || !zeros || comment));
    if (can32 != can8)
        return can32 ? GEM_STRING32 : GEM_STRING8;
    if (can32 && s32.printable != s8.printable)
        return s32.printable ? GEM_STRING32 : GEM_STRING8;
    return zeros ? GEM_STRING32 : GEM_STRING8;
}

static int read_names(struct anm_cursor *c, struct gem_bonemap *map, enum gem_coding coding)
{
    bool guessed = false;
    for (uint32_t i = 0; i < map->count; i++) {
        struct anm_blob *name = get_blob(c, get_name_size(c, coding, &guessed), "bone name");
        if (!name)
            return -1;
        /* A file of equal names must not cost more than its bytes. */
        struct anm_blob *before = i ? map->bones[i - 1].name : NULL;
        if (anm_blob_equal(name, before)) {
            anm_blob_unref(name);
            name = anm_blob_ref(before);
        }
        map->bones[i].name = name;
    }
    return 0;
}

static int read_bmap(struct anm_cursor *c, struct gem_doc *doc)
{
    size_t at = c->pos;
    uint32_t count = get_i32(c, "number of bones");
    if (c->failed)
        return -1;
    enum gem_coding coding = sniff_names(c, count, doc->comment_count > 0);
    struct walk walk = walk_names(*c, count, coding);
    if (!walk.fits)
        return -1;
    if (walk.guessed && !walk.at_chunk && !walk.at_end)
        return anm_fail_at(c->err, at, "bone names with lengths of 128 and more in one byte do not end at a chunk");
    struct gem_bonemap *map = gem_bonemap_new(count);
    if (!map)
        return anm_fail_nomem(c->err);
    gem_bonemap_unref(doc->bones);
    doc->bones = map;
    doc->coding = (uint8_t)coding;
    doc->guessed = walk.guessed;
    if (read_names(c, map, coding))
        return -1;
    if (gem_number_bones(map))
        return anm_fail_nomem(c->err);
    for (uint32_t i = 0; count >= UINT16_MAX && i < count; i++)
        if (map->bones[i].ordinal == UINT16_MAX)
            return anm_fail_at(c->err, at, "more than 65534 bones of one name");
    return 0;
}

/* --- the header --- */

static int read_comment(struct anm_cursor *c, struct gem_doc *doc)
{
    struct anm_blob **comments = anm_realloc(doc->comments, doc->comment_count + 1, sizeof *comments);
    if (!comments)
        return anm_fail_nomem(c->err);
    doc->comments = comments;
    struct anm_blob *comment = get_blob(c, anm_get_u16le(c, "size of a comment"), "comment");
    if (!comment)
        return -1;
    comments[doc->comment_count++] = comment;
    return 0;
}

static int read_header_chunk(struct anm_cursor *c, struct gem_doc *doc, int tag)
{
    static const char letters[] = {[TAG_FRMS] = 'F', [TAG_CMNT] = 'C', [TAG_BMAP] = 'B'};
    char letter = letters[tag];
    size_t chunks = strlen(doc->layout);
    if (chunks == GEM_LAYOUT_MAX)
        return anm_fail_at(c->err, c->pos, "more than %d chunks before the first frame", GEM_LAYOUT_MAX);
    if (tag != TAG_CMNT && strchr(doc->layout, letter))
        return anm_fail_at(c->err, c->pos, "a second %s chunk", gem_tags[tag]);
    doc->layout[chunks] = letter;
    skip_tag(c);
    if (tag == TAG_BMAP)
        return read_bmap(c, doc);
    if (tag == TAG_CMNT)
        return read_comment(c, doc);
    doc->length = get_i32(c, "FRMS");
    return c->failed ? -1 : 0;
}

/* The chunks before the first frame, in whatever order. */
static int read_header(struct anm_cursor *c, struct gem_doc *doc)
{
    memset(doc->layout, 0, sizeof doc->layout);
    int tag;
    while ((tag = peek_tag(c)) > TAG_FRM3) {
        if (tag > TAG_BMAP)
            return fail_tag(c, "FRMS, CMNT, BMAP or a frame");
        if (read_header_chunk(c, doc, tag))
            return -1;
    }
    for (tag = TAG_FRMS; tag <= TAG_BMAP; tag++)
        if (tag != TAG_CMNT && !strchr(doc->layout, gem_tags[tag][0]))
            return anm_fail_at(c->err, c->pos, "no %s chunk before the first frame", gem_tags[tag]);
    if (doc->bones->count == 0)
        doc->coding = doc->comment_count ? GEM_STRING8 : GEM_STRING32;
    return 0;
}

/* --- frames --- */

static uint32_t get_number(struct anm_cursor *c, unsigned width)
{
    static const char what[] = "frame number";
    return width == 1 ? anm_get_u8(c, what) : width == 2 ? anm_get_u16le(c, what) : get_i32(c, what);
}

/* Sets a key's bone; -1 when the map has no such bone. */
static int set_bone(struct anm_cursor *c, const struct gem_doc *doc, size_t at, uint32_t bone, struct gem_key *key)
{
    if (c->failed)
        return -1;
    if (bone >= doc->bones->count)
        return anm_fail_at(c->err, at, "bone index %u, but the map has %u bones", bone, doc->bones->count);
    if (bone > UINT16_MAX)
        return anm_fail_at(c->err, at, "bone index %u, expected at most 65535", bone);
    key->bone = (uint16_t)bone;
    return 0;
}

static int get_mesh(struct anm_cursor *c, struct gem_key *key)
{
    key->mesh = get_blob(c, get_i32(c, "size of mesh data"), "mesh data");
    return key->mesh ? 0 : -1;
}

/* A key of FRM2 and FRM3. */
static int read_key(struct anm_cursor *c, const struct gem_doc *doc, struct gem_key *key)
{
    size_t at = c->pos;
    if (set_bone(c, doc, at, anm_get_u8(c, "bone index"), key))
        return -1;
    key->flags = anm_get_u16le(c, "flags");
    if (key->flags & GEM_POSITION)
        get_words(c, key->v, 3, "position");
    if (key->flags & GEM_ORIENTATION)
        get_words(c, key->v + 3, 3, "orientation");
    if (key->flags & GEM_SCALE)
        get_words(c, key->v + 6, 3, "scale");
    if (key->flags & GEM_MESH)
        return get_mesh(c, key);
    return c->failed ? -1 : 0;
}

static int read_keys(struct anm_cursor *c, const struct gem_doc *doc, uint32_t number, enum gem_kind kind,
                     struct gem_frame **frame)
{
    size_t at = c->pos;
    uint32_t count = anm_get_u8(c, "number of keys");
    if (count > anm_left(c) / 3)
        return anm_fail_at(c->err, at, "%u keys, which need at least %u bytes, %zu left in the file", count, 3 * count,
                           anm_left(c));
    *frame = c->failed ? NULL : gem_frame_new(number, 1, kind, count);
    if (!*frame)
        return c->failed ? -1 : anm_fail_nomem(c->err);
    for (uint32_t i = 0; i < count; i++)
        if (read_key(c, doc, &(*frame)->keys[i]))
            return -1;
    return 0;
}

/* --- FRMN: parts without counts --- */

/* A FRMN frame that grows. */
struct growing {
    struct gem_frame *frame;
    uint32_t room; /* keys there is memory for */
};

/* The head of a frame is paid for by one key more. */
_Static_assert(sizeof(struct gem_frame) <= sizeof(struct gem_key), "the head fits into a key");

static struct gem_key *add_key(struct growing *growing, struct anm_error *err)
{
    struct gem_frame *frame =
        grow(growing->frame, growing->frame->count + 1, &growing->room, sizeof(struct gem_key), err);
    if (!frame)
        return NULL;
    growing->frame = frame;
    struct gem_key *key = &frame->keys[frame->count++];
    *key = (struct gem_key){0};
    return key;
}

static int read_bone(struct anm_cursor *c, const struct gem_doc *doc, struct growing *growing)
{
    size_t at = c->pos;
    skip_tag(c);
    struct gem_key *key = add_key(growing, c->err);
    return key ? set_bone(c, doc, at, get_i32(c, "bone index"), key) : -1;
}

/* Reads a MATR, VISI or MESH. One that the bone has already starts a further key. */
static int read_part(struct anm_cursor *c, struct growing *growing, int tag)
{
    static const uint32_t flags[] = {[TAG_MATR] = GEM_MATRIX, [TAG_VISI] = GEM_VISI, [TAG_MESH] = GEM_MESH};
    if (growing->frame->count == 0)
        return fail_tag(c, "BONE before the parts of a bone");
    struct gem_key *key = &growing->frame->keys[growing->frame->count - 1];
    if (key->flags & flags[tag]) {
        uint16_t bone = key->bone;
        key = add_key(growing, c->err);
        if (!key)
            return -1;
        key->bone = bone;
        key->flags = GEM_JOINED;
    }
    unsigned shift = 0;
    while (key->parts >> shift & 3)
        shift += 2;
    key->parts = (uint8_t)(key->parts | (tag - TAG_MATR + GEM_PART_MATR) << shift);
    key->flags |= flags[tag];
    skip_tag(c);
    if (tag == TAG_MESH)
        return get_mesh(c, key);
    if (tag == TAG_MATR)
        get_words(c, key->v, 12, "matrix");
    else
        key->visi = get_i32(c, "VISI");
    return c->failed ? -1 : 0;
}

static int read_parts(struct anm_cursor *c, const struct gem_doc *doc, uint32_t number, struct gem_frame **frame)
{
    struct growing growing = {.frame = gem_frame_new(number, 1, GEM_FRMN, 0)};
    if (!growing.frame)
        return anm_fail_nomem(c->err);
    int tag, result = 0;
    while (result == 0 && (tag = peek_tag(c)) > TAG_FRM3) {
        if (tag == TAG_BONE)
            result = read_bone(c, doc, &growing);
        else if (tag >= TAG_MATR && tag <= TAG_MESH)
            result = read_part(c, &growing, tag);
        else
            result = fail_tag(c, "BONE, MATR, VISI, MESH or the next frame");
    }
    *frame = growing.frame;
    if (result)
        return -1;
    size_t exact = sizeof **frame + (*frame)->count * sizeof(struct gem_key);
    struct gem_frame *shrunk = realloc(*frame, exact);
    *frame = shrunk ? shrunk : *frame;
    return 0;
}

static int read_frame(struct anm_cursor *c, const struct gem_doc *doc, enum gem_kind kind, struct gem_frame **frame)
{
    size_t at = c->pos;
    skip_tag(c);
    uint32_t number = get_number(c, gem_number_width(doc->length, kind));
    if (c->failed)
        return -1;
    if (kind == GEM_FRMN ? read_parts(c, doc, number, frame) : read_keys(c, doc, number, kind, frame))
        return -1;
    gem_frame_number_keys(*frame);
    for (uint32_t i = 0; (*frame)->count >= UINT16_MAX && i < (*frame)->count; i++)
        if ((*frame)->keys[i].ordinal == UINT16_MAX)
            return anm_fail_at(c->err, at, "frame %u has more than 65534 keys of one bone", number);
    return 0;
}

static int number_frames(const struct anm_cursor *c, const struct gem_doc *doc)
{
    if (gem_number_frames(doc->frames, doc->frame_count))
        return anm_fail_nomem(c->err);
    for (uint32_t i = 0; doc->frame_count >= UINT16_MAX && i < doc->frame_count; i++)
        if (doc->frames[i]->ordinal == UINT16_MAX)
            return anm_fail_at(c->err, c->pos, "more than 65534 frames have the number %u", doc->frames[i]->number);
    return 0;
}

static int read_frames(struct anm_cursor *c, struct gem_doc *doc)
{
    uint32_t room = 0;
    int tag;
    while ((tag = peek_tag(c)) != -1) {
        if (tag > TAG_FRM3)
            return fail_tag(c, "FRMN, FRM2 or FRM3");
        struct gem_frame **frames = grow(doc->frames, doc->frame_count, &room, sizeof *frames, c->err);
        if (!frames)
            return -1;
        doc->frames = frames;
        struct gem_frame *frame = NULL;
        int result = read_frame(c, doc, (enum gem_kind)tag, &frame);
        if (frame)
            frames[doc->frame_count++] = frame;
        if (result)
            return -1;
    }
    struct gem_frame **exact = anm_realloc(doc->frames, doc->frame_count, sizeof *exact);
    doc->frames = exact ? exact : doc->frames;
    return number_frames(c, doc);
}

/* The kind of frames to come, where the file has none. */
static enum gem_kind usual_kind(const struct gem_doc *doc)
{
    if (doc->version < 0x00060000)
        return GEM_FRMN;
    return doc->version == 0x00060001 && doc->comment_count ? GEM_FRM3 : GEM_FRM2;
}

static int check_start(const uint8_t *bytes, size_t size, uint32_t version, struct anm_error *err)
{
    if (!gem_sniff(bytes, size))
        return anm_foreign(bytes, size, err);
    if (size < SMALLEST)
        return anm_fail_at(err, size, "the file ends after %zu bytes, expected at least %d", size, SMALLEST);
    if (size > UINT32_MAX)
        return anm_fail_at(err, UINT32_MAX, "the file has %zu bytes, expected less than 4 GiB", size);
    if (version >> 16 == 0)
        return anm_fail(err, ANM_FOREIGN, "EANM of version 0.%u, a file of some other engine; expected 3.0 to 6.1",
                        version);
    return 0;
}

static struct anm_doc *gem_decode(const uint8_t *bytes, size_t size, struct anm_error *err)
{
    struct anm_cursor c = anm_cursor(bytes, size, err);
    uint32_t version = 0;
    if (anm_peek(&c, SMALLEST)) {
        skip_tag(&c);
        version = anm_get_u32le(&c, "version");
    }
    if (check_start(bytes, size, version, err))
        return NULL;
    struct gem_doc *doc = gem_new(version, GEM_FRMN);
    if (!doc) {
        anm_fail_nomem(err);
        return NULL;
    }
    if (read_header(&c, doc) || read_frames(&c, doc)) {
        anm_doc_unref(&doc->doc);
        return NULL;
    }
    doc->kind = doc->frame_count ? doc->frames[0]->kind : (uint8_t)usual_kind(doc);
    return &doc->doc;
}

/* --- encoding --- */

static void put_words(struct anm_buf *out, const uint32_t *words, unsigned count)
{
    uint8_t *room = anm_buf_room(out, count * sizeof *words);
    if (!room)
        return;
    for (unsigned i = 0; i < count; i++) {
        uint32_t word = htole32(words[i]);
        memcpy(room + i * sizeof word, &word, sizeof word);
    }
    out->size += count * sizeof *words;
}

static void put_tag(struct anm_buf *out, unsigned tag)
{
    anm_buf_put(out, gem_tags[tag], 4);
}

static void put_blob(struct anm_buf *out, const struct anm_blob *blob)
{
    anm_buf_put(out, blob->bytes, blob->size);
}

static void put_mesh(struct anm_buf *out, const struct anm_blob *mesh)
{
    anm_buf_u32le(out, (uint32_t)mesh->size);
    put_blob(out, mesh);
}

static void put_name(struct anm_buf *out, const struct anm_blob *name, unsigned coding)
{
    if (coding == GEM_STRING32) {
        anm_buf_u32le(out, (uint32_t)name->size);
    } else if (name->size < 255) {
        anm_buf_u8(out, (uint8_t)name->size);
    } else {
        anm_buf_u8(out, 255);
        anm_buf_u16le(out, (uint16_t)name->size);
        anm_buf_u8(out, (uint8_t)(name->size >> 16));
    }
    put_blob(out, name);
}

static void put_header(struct anm_buf *out, const struct gem_doc *doc)
{
    uint32_t comment = 0;
    anm_buf_put(out, "EANM", 4);
    anm_buf_u32le(out, doc->version);
    for (const char *chunk = doc->layout; *chunk; chunk++) {
        put_tag(out, *chunk == 'F' ? TAG_FRMS : *chunk == 'B' ? TAG_BMAP : TAG_CMNT);
        if (*chunk == 'F') {
            anm_buf_u32le(out, doc->length);
        } else if (*chunk == 'B') {
            anm_buf_u32le(out, doc->bones->count);
            for (uint32_t i = 0; i < doc->bones->count; i++)
                put_name(out, doc->bones->bones[i].name, doc->coding);
        } else {
            const struct anm_blob *text = doc->comments[comment++];
            anm_buf_u16le(out, (uint16_t)text->size);
            put_blob(out, text);
        }
    }
}

static void put_key(struct anm_buf *out, const struct gem_key *key)
{
    anm_buf_u8(out, (uint8_t)key->bone);
    anm_buf_u16le(out, (uint16_t)key->flags);
    if (key->flags & GEM_POSITION)
        put_words(out, key->v, 3);
    if (key->flags & GEM_ORIENTATION)
        put_words(out, key->v + 3, 3);
    if (key->flags & GEM_SCALE)
        put_words(out, key->v + 6, 3);
    if (key->flags & GEM_MESH)
        put_mesh(out, key->mesh);
}

static void put_part(struct anm_buf *out, const struct gem_key *key, unsigned part)
{
    if (part == GEM_PART_MATR && key->flags & GEM_MATRIX) {
        put_tag(out, TAG_MATR);
        put_words(out, key->v, 12);
    } else if (part == GEM_PART_VISI && key->flags & GEM_VISI) {
        put_tag(out, TAG_VISI);
        anm_buf_u32le(out, key->visi);
    } else if (part == GEM_PART_MESH && key->flags & GEM_MESH) {
        put_tag(out, TAG_MESH);
        put_mesh(out, key->mesh);
    }
}

static void put_bone(struct anm_buf *out, const struct gem_key *key)
{
    if (!(key->flags & GEM_JOINED)) {
        put_tag(out, TAG_BONE);
        anm_buf_u32le(out, key->bone);
    }
    for (unsigned parts = key->parts; parts & 3; parts >>= 2)
        put_part(out, key, parts & 3);
}

static void put_frame(struct anm_buf *out, const struct gem_frame *frame, uint32_t length)
{
    put_tag(out, frame->kind);
    unsigned width = gem_number_width(length, frame->kind);
    if (width == 1)
        anm_buf_u8(out, (uint8_t)frame->number);
    else if (width == 2)
        anm_buf_u16le(out, (uint16_t)frame->number);
    else
        anm_buf_u32le(out, frame->number);
    if (frame->kind != GEM_FRMN)
        anm_buf_u8(out, (uint8_t)frame->count);
    for (uint32_t i = 0; i < frame->count; i++)
        (frame->kind == GEM_FRMN ? put_bone : put_key)(out, &frame->keys[i]);
}

static int gem_encode(const struct anm_doc *base, struct anm_buf *out, struct anm_error *err)
{
    const struct gem_doc *doc = gem_const(base);
    put_header(out, doc);
    for (uint32_t i = 0; i < doc->frame_count; i++)
        put_frame(out, doc->frames[i], doc->length);
    return out->failed ? anm_fail_nomem(err) : 0;
}

/* --- names that are read back --- */

/* Whether the names alone settle how they are read, whatever stands behind them: they are printable, and read in the other
 * coding they are not. There, a 32-bit length leaves zeros in the first name, and a letter as the top byte of a length makes
 * a name of 512 MiB and more, which no file has as text. After two letters that byte is the length of the next name. */
static bool names_tell(const struct gem_doc *doc)
{
    const struct gem_bonemap *map = doc->bones;
    for (uint32_t i = 0; i < map->count; i++) {
        const struct anm_blob *name = map->bones[i].name;
        if (name->size == 0 || name->size > 127 || !is_printable(name->bytes, name->size))
            return false;
    }
    return map->count == 0 || doc->coding == GEM_STRING32 || map->bones[0].name->size != 2;
}

static bool same_names(const struct gem_bonemap *a, const struct gem_bonemap *b)
{
    for (uint32_t i = 0; a->count == b->count && i < a->count; i++)
        if (!anm_blob_equal(a->bones[i].name, b->bones[i].name))
            return false;
    return a->count == b->count;
}

int gem_check_names(const struct gem_doc *doc, struct anm_error *err)
{
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
    struct anm_error why = {0};
    if (names_tell(doc))
        return 0;
    if (gem_encode(&doc->doc, &bytes, err))
        return -1;
    ANM_AUTO(anm_doc_clean) struct anm_doc *back = gem_decode(bytes.data, bytes.size, &why);
    if (!back && why.reason == ANM_NOMEM)
        return anm_fail_nomem(err);
    if (back && !gem_const(back)->guessed && same_names(gem_const(back)->bones, doc->bones))
        return 0;
    return anm_fail(err, ANM_LIMIT, "with these bone names the file would not be read back as it was written%s%s",
                    why.text[0] ? ": " : "", why.text);
}

const struct anm_format anm_gem = {.family = "gem",
                                   .suffix = {".anm"},
                                   .sniff = gem_sniff,
                                   .decode = gem_decode,
                                   .encode = gem_encode,
                                   .destroy = gem_destroy,
                                   .memory = gem_memory};
