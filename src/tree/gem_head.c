/* SPDX-License-Identifier: MIT */
/* `header`: the length, and what is unusual and has no other place. */
#include "gem_tree.h"

#include "anm/name.h"

#include <stdlib.h>
#include <string.h>

static const char *const coding_words[] = {[GEM_STRING32] = "string32", [GEM_STRING8] = "string8"};

static enum gem_coding usual_coding(uint32_t comments)
{
    return comments ? GEM_STRING8 : GEM_STRING32;
}

static const char *chunk_word(char letter)
{
    return letter == 'F' ? "FRMS" : letter == 'C' ? "CMNT" : "BMAP";
}

static void put_layout(struct anm_buf *out, const struct gem_doc *doc)
{
    char usual[GEM_LAYOUT_MAX + 1];
    gem_usual_layout(usual, doc->comment_count);
    if (strcmp(doc->layout, usual) == 0)
        return;
    anm_buf_puts(out, "layout");
    for (const char *letter = doc->layout; *letter; letter++) {
        anm_buf_putc(out, ' ');
        anm_buf_puts(out, chunk_word(*letter));
    }
    anm_buf_putc(out, '\n');
}

/* A line of frames: all, or those of one kind. Nothing when there is none. */
static void put_frames(struct anm_buf *out, const struct gem_doc *doc, const char *word, int kind)
{
    bool any = false;
    for (uint32_t i = 0; i < doc->frame_count; i++) {
        if (kind >= 0 && doc->frames[i]->kind != kind)
            continue;
        if (!any)
            anm_buf_puts(out, word);
        any = true;
        anm_buf_putc(out, ' ');
        gem_put_dir(out, doc->frames[i]->number, doc->frames[i]->ordinal);
    }
    if (any)
        anm_buf_putc(out, '\n');
}

static void put_joined(struct anm_buf *out, const struct gem_doc *doc, const struct gem_index *index)
{
    for (uint32_t f = 0; f < doc->frame_count; f++)
        for (uint32_t k = 0; k < doc->frames[f]->count; k++) {
            const struct gem_key *key = &doc->frames[f]->keys[k];
            size_t size;
            if (!(key->flags & GEM_JOINED))
                continue;
            anm_buf_puts(out, "joined ");
            gem_put_number(out, doc->frames[f]->number, doc->frames[f]->ordinal);
            anm_buf_printf(out, " %s %u\n", anm_names_text(&index->names, key->bone, &size), (unsigned)key->ordinal);
        }
}

static void put_comments(struct anm_buf *out, const struct gem_doc *doc)
{
    for (uint32_t i = 1; i < doc->comment_count; i++) {
        anm_buf_puts(out, doc->comments[i]->size ? "comment " : "comment");
        anm_put_hex(out, doc->comments[i]->bytes, doc->comments[i]->size);
        anm_buf_putc(out, '\n');
    }
}

int gem_render_header(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_buf *out, struct anm_error *err)
{
    (void)ref;
    const struct gem_doc *doc = gem_const(anm);
    const struct gem_index *index = gem_index(doc, err);
    if (!index)
        return -1;
    anm_buf_printf(out, "length %u\n", doc->length);
    if (doc->coding != usual_coding(doc->comment_count))
        anm_buf_printf(out, "names %s\n", coding_words[doc->coding]);
    put_layout(out, doc);
    if (!gem_ascending(doc))
        put_frames(out, doc, "order", -1);
    for (int kind = GEM_FRMN; kind <= GEM_FRM3; kind++) {
        const char *const words[] = {"kind frmn", "kind frm2", "kind frm3"};
        if (kind != doc->kind)
            put_frames(out, doc, words[kind], kind);
    }
    put_joined(out, doc, index);
    put_comments(out, doc);
    return 0;
}

/* --- reading: `doc` is changed while lines are read, starting from a copy in which all is usual --- */

struct head {
    const struct gem_doc *old;
    const struct gem_index *index;
    struct gem_doc *doc;
    struct anm_lines lines;
    uint32_t seen;         /* bits of the words that stand once */
    uint32_t layout_line;  /* where the layout stands; 0: nowhere */
    uint32_t joined, hint; /* the frame of the last joined key, and where to look for the next one */
    uint32_t *order;       /* indices of frames as the order line gives them; the numeric order without one */
};

/* Walks the tokens of a line however many there are. */
struct walk {
    struct anm_lines *lines;
    uint32_t next;
};

static bool next_token(struct walk *walk, struct anm_token *token)
{
    if (walk->next < walk->lines->count) {
        *token = walk->lines->tokens[walk->next++];
        return true;
    }
    return anm_lines_more(walk->lines, token);
}

static int fail_token(const struct head *h, const struct anm_token *token, const char *reason)
{
    return anm_fail_line(h->lines.err, h->lines.line, token->column, "%.*s: %s",
                         token->size > 200 ? 200 : (int)token->size, token->text, reason);
}

static int find_frame(const struct head *h, const struct anm_token *token, uint32_t *frame)
{
    uint32_t number, ordinal;
    if (gem_parse_number(token->text, token->size, &number, &ordinal))
        return fail_token(h, token, "expected a frame number, as 012 or 042~2");
    if (!gem_find_frame(h->old, h->index, number, ordinal, frame))
        return fail_token(h, token, "there is no such frame");
    return 0;
}

static int read_length(struct head *h)
{
    const struct gem_doc *old = h->old;
    uint32_t length;
    if (anm_lines_want(&h->lines, 2, "length N") || anm_lines_u32(&h->lines, 1, "length", GEM_NUMBER_MAX, &length))
        return -1;
    if (length != old->length && (int64_t)length <= gem_last(old))
        return anm_lines_fail(&h->lines, 1, "length %u is too small: the last frame is %u", length,
                              (uint32_t)gem_last(old));
    h->doc->length = length;
    return 0;
}

static int read_names(struct head *h)
{
    if (anm_lines_want(&h->lines, 2, "names string32, or names string8"))
        return -1;
    for (unsigned coding = GEM_STRING32; coding <= GEM_STRING8; coding++)
        if (anm_lines_is(&h->lines, 1, coding_words[coding])) {
            h->doc->coding = (uint8_t)coding;
            return 0;
        }
    return anm_lines_expect(&h->lines, 1, "names string32, or names string8");
}

static int read_layout(struct head *h)
{
    struct walk walk = {&h->lines, 1};
    struct anm_token token;
    uint32_t count = 0;
    h->layout_line = h->lines.line;
    while (next_token(&walk, &token)) {
        char letter = token.size != 4                      ? 0
                      : memcmp(token.text, "FRMS", 4) == 0 ? 'F'
                      : memcmp(token.text, "CMNT", 4) == 0 ? 'C'
                      : memcmp(token.text, "BMAP", 4) == 0 ? 'B'
                                                           : 0;
        if (!letter || count == GEM_LAYOUT_MAX)
            return fail_token(h, &token, letter ? "too many chunks" : "expected FRMS, CMNT or BMAP");
        h->doc->layout[count++] = letter;
    }
    h->doc->layout[count] = 0;
    return 0;
}

static int read_order(struct head *h)
{
    struct walk walk = {&h->lines, 1};
    struct anm_token token;
    uint32_t count = 0, frame, frames = h->old->frame_count;
    ANM_AUTO(anm_freep) bool *seen = anm_alloc(0, frames, sizeof *seen);
    if (!seen)
        return anm_fail_nomem(h->lines.err);
    while (next_token(&walk, &token)) {
        if (find_frame(h, &token, &frame))
            return -1;
        if (seen[frame])
            return fail_token(h, &token, "this frame is in the order already");
        seen[frame] = true;
        h->order[count++] = frame;
    }
    if (count != frames)
        return anm_lines_fail(&h->lines, 0, "order names %u frames, the file has %u", count, frames);
    return 0;
}

/* Gives a frame another kind where its keys mean the same there. */
static int set_kind(struct gem_doc *doc, uint32_t frame, unsigned kind, struct anm_error *err)
{
    const struct gem_frame *old = doc->frames[frame];
    if (old->kind == kind)
        return 0;
    if (old->count && (old->kind == GEM_FRMN || kind == GEM_FRMN))
        return anm_fail(err, ANM_TEXT, "frame %u is %s and its keys cannot become %s here: its kind line stays",
                        old->number, gem_kind_word(old->kind, true), gem_kind_word(kind, true));
    struct gem_frame *frame_new = gem_frame_copy(old);
    if (!frame_new)
        return anm_fail_nomem(err);
    frame_new->kind = (uint8_t)kind;
    gem_set_frame(doc, frame, frame_new);
    return 0;
}

/* The frames named get the kind; `kinds` remembers which were named. */
static int read_kind(struct head *h, uint8_t *kinds)
{
    struct walk walk = {&h->lines, 2};
    struct anm_token token;
    unsigned kind = GEM_FRMN;
    uint32_t frame;
    while (kind <= GEM_FRM3 && !anm_lines_is(&h->lines, 1, gem_kind_word(kind, false)))
        kind++;
    if (kind > GEM_FRM3)
        return anm_lines_expect(&h->lines, 1, "kind frmn, frm2 or frm3, and the frames of that kind");
    while (next_token(&walk, &token)) {
        if (find_frame(h, &token, &frame))
            return -1;
        kinds[frame] = (uint8_t)kind;
    }
    return 0;
}

/* Sets the bit in a frame that is nobody else's yet: one copy does for all its keys. */
static int set_joined(struct gem_doc *doc, uint32_t frame, uint32_t key, struct anm_error *err)
{
    if (doc->frames[frame]->refs > 1) {
        struct gem_frame *own = gem_frame_copy(doc->frames[frame]);
        if (!own)
            return anm_fail_nomem(err);
        gem_frame_unref(doc->frames[frame]);
        doc->frames[frame] = own;
    }
    doc->frames[frame]->keys[key].flags |= GEM_JOINED;
    return 0;
}

/* A key whose parts stand in the BONE chunk of the key before it. */
static int read_joined(struct head *h)
{
    ANM_AUTO(anm_buf_free) struct anm_buf raw = {0};
    uint32_t frame, bone, name_ordinal, ordinal;
    struct anm_error why = {0};
    if (anm_lines_want(&h->lines, 4, "joined FRAME NAME ORDINAL") || find_frame(h, &h->lines.tokens[1], &frame) ||
        anm_lines_u32(&h->lines, 3, "joined", ANM_ORDINAL_MAX, &ordinal))
        return -1;
    const struct anm_token *name = &h->lines.tokens[2];
    if (anm_name_parse(name->text, name->size, &raw, &name_ordinal, &why) || raw.failed)
        return why.reason == ANM_NAME ? fail_token(h, name, "there is no such bone") : anm_fail_nomem(h->lines.err);
    if (!anm_names_find(&h->index->names, raw.data, raw.size, name_ordinal, &bone))
        return fail_token(h, name, "there is no such bone");
    if (frame != h->joined)
        h->hint = 0;
    h->joined = frame;
    const struct gem_frame *in = h->doc->frames[frame];
    const struct gem_key *key = gem_find_key(in, bone, ordinal, &h->hint);
    if (!key || !gem_can_join(in, (uint32_t)(key - in->keys)))
        return anm_lines_fail(&h->lines, 3, "there is no such key, or it does not repeat a part of the key before it");
    return set_joined(h->doc, frame, (uint32_t)(key - in->keys), h->lines.err);
}

static int read_comment(struct head *h)
{
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
    struct gem_doc *doc = h->doc;
    if (h->lines.count > 2)
        return anm_lines_want(&h->lines, 2, "comment and its bytes in hex");
    if (doc->comment_count == 0)
        return anm_lines_fail(&h->lines, 0, "this is the second comment: the first is the file `comment`");
    if (anm_lines_hex(&h->lines, 1, &bytes))
        return -1;
    if (doc->comment_count >= GEM_LAYOUT_MAX - 2)
        return anm_lines_fail(&h->lines, 0, "more than %u comments", GEM_LAYOUT_MAX - 2u);
    struct anm_blob **comments = anm_realloc(doc->comments, (size_t)doc->comment_count + 1, sizeof *comments);
    struct anm_blob *blob = comments ? anm_blob_new(bytes.data, bytes.size) : NULL;
    if (comments)
        doc->comments = comments;
    if (!blob)
        return anm_fail_nomem(h->lines.err);
    comments[doc->comment_count++] = blob;
    return 0;
}

static int read_line(struct head *h, uint8_t *kinds)
{
    static const char *const words[] = {"length", "names", "layout", "order", "kind", "joined", "comment", NULL};
    enum { LENGTH, NAMES, LAYOUT, ORDER, KIND, JOINED, COMMENT, UNKNOWN };
    unsigned word = 0;
    while (word < UNKNOWN && !anm_lines_is(&h->lines, 0, words[word]))
        word++;
    if (word <= ORDER && h->seen & 1u << word)
        return anm_lines_fail(&h->lines, 0, "a second line %s", words[word]);
    h->seen |= 1u << word;
    switch (word) {
    case LENGTH:
        return read_length(h);
    case NAMES:
        return read_names(h);
    case LAYOUT:
        return read_layout(h);
    case ORDER:
        return read_order(h);
    case KIND:
        return read_kind(h, kinds);
    case JOINED:
        return read_joined(h);
    case COMMENT:
        return read_comment(h);
    default:
        return anm_lines_expect(&h->lines, 0, "length, names, layout, order, kind, joined or comment");
    }
}

/* Makes usual what the header can make unusual. */
static int make_usual(struct head *h, uint8_t *kinds, struct anm_error *err)
{
    struct gem_doc *doc = h->doc;
    while (doc->comment_count > 1)
        anm_blob_unref(doc->comments[--doc->comment_count]);
    doc->coding = (uint8_t)usual_coding(doc->comment_count);
    doc->layout[0] = 0;
    for (uint32_t f = 0; f < doc->frame_count; f++) {
        struct gem_frame *frame = NULL;
        kinds[f] = doc->kind;
        for (uint32_t k = 0; k < doc->frames[f]->count; k++) {
            if (!(doc->frames[f]->keys[k].flags & GEM_JOINED))
                continue;
            if (!frame && !(frame = gem_frame_copy(doc->frames[f])))
                return anm_fail_nomem(err);
            frame->keys[k].flags &= ~(uint32_t)GEM_JOINED;
        }
        if (frame)
            gem_set_frame(doc, f, frame);
    }
    memcpy(h->order, h->index->order, doc->frame_count * sizeof *h->order);
    return 0;
}

static int check_layout(const struct head *h, struct anm_error *err)
{
    struct gem_doc *doc = h->doc;
    uint32_t frms = 0, comments = 0, bmap = 0;
    if (!doc->layout[0])
        gem_usual_layout(doc->layout, doc->comment_count);
    for (const char *letter = doc->layout; *letter; letter++) {
        frms += *letter == 'F';
        comments += *letter == 'C';
        bmap += *letter == 'B';
    }
    if (frms != 1 || bmap != 1 || comments != doc->comment_count)
        return anm_fail_line(err, h->layout_line, 1,
                             "layout needs FRMS once, BMAP once, and CMNT %u times, once for each comment",
                             doc->comment_count);
    return 0;
}

static int apply(struct head *h, const uint8_t *kinds, struct anm_error *err)
{
    struct gem_doc *doc = h->doc;
    ANM_AUTO(anm_freep) struct gem_frame **frames = anm_alloc(0, doc->frame_count, sizeof *frames);
    if (!frames)
        return anm_fail_nomem(err);
    for (uint32_t f = 0; f < doc->frame_count; f++)
        if (set_kind(doc, f, kinds[f], err))
            return -1;
    for (uint32_t f = 0; f < doc->frame_count; f++)
        frames[f] = doc->frames[h->order[f]];
    memcpy(doc->frames, frames, doc->frame_count * sizeof *frames);
    if (doc->frame_count && doc->frames[0]->kind != doc->kind)
        return anm_fail(err, ANM_TEXT, "the first frame would be %s, but its kind is that of the format, %s",
                        gem_kind_word(doc->frames[0]->kind, false), gem_kind_word(doc->kind, false));
    return check_layout(h, err);
}

struct anm_doc *gem_write_header(const struct anm_doc *anm, const struct anm_ref *dir, const char *name,
                                 const void *bytes, size_t size, struct anm_error *err)
{
    (void)dir, (void)name;
    const struct gem_doc *old = gem_const(anm);
    struct head h = {.old = old, .index = gem_index(old, err)};
    ANM_AUTO(gem_clean) struct gem_doc *doc = h.doc = gem_copy(old);
    ANM_AUTO(anm_freep) uint8_t *kinds = anm_alloc(0, old->frame_count, sizeof *kinds);
    ANM_AUTO(anm_freep) uint32_t *order = h.order = anm_alloc(0, old->frame_count, sizeof *order);
    int more;
    if (!h.index || !doc || !kinds || !order)
        return anm_fail_nomem(err), NULL;
    if (make_usual(&h, kinds, err))
        return NULL;
    anm_lines_start(&h.lines, bytes, size, err);
    while ((more = anm_lines_next(&h.lines)) == 1)
        if (read_line(&h, kinds))
            return NULL;
    return more || apply(&h, kinds, err) ? NULL : gem_finish(old, &doc, err);
}
