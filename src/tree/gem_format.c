/* SPDX-License-Identifier: MIT */
/* `format` and `comment`: what a file is of, and the chunk that makes it a GEM3 file. */
#include "gem_tree.h"

#include "anm/num.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t versions[] = {0x00030000, 0x00040000, 0x00050000, 0x00060000, 0x00060001};
#define VERSIONS "3.0, 4.0, 5.0, 6.0 and 6.1"

bool gem_is_mixed(const struct gem_doc *doc)
{
    for (uint32_t i = 0; i < doc->frame_count; i++)
        if (doc->frames[i]->kind != doc->kind)
            return true;
    return false;
}

int gem_render_format(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_buf *out, struct anm_error *err)
{
    (void)ref, (void)err;
    const struct gem_doc *doc = gem_const(anm);
    anm_buf_printf(out, "gem %u.%u %s%s%s\n", doc->version >> 16, doc->version & 0xffff,
                   gem_kind_word(doc->kind, false), doc->comment_count ? " gem3" : "",
                   gem_is_mixed(doc) ? " mixed" : "");
    return 0;
}

/* What the text asks for. */
struct wish {
    uint32_t version;
    unsigned kind;
    bool has_kind, gem3, mixed, lossy;
};

static int read_version(const struct anm_lines *lines, uint32_t i, uint32_t *version)
{
    uint32_t major, minor;
    const struct anm_token *token = &lines->tokens[i];
    const char *dot = i < lines->count ? memchr(token->text, '.', token->size) : NULL;
    if (!dot || anm_u32_parse(token->text, (size_t)(dot - token->text), UINT16_MAX, &major) ||
        anm_u32_parse(dot + 1, (size_t)(token->text + token->size - dot - 1), UINT16_MAX, &minor))
        return anm_lines_expect(lines, i, "a version (" VERSIONS " can be written)");
    *version = major << 16 | minor;
    return 0;
}

static int read_word(const struct anm_lines *lines, uint32_t i, struct wish *wish)
{
    for (unsigned kind = GEM_FRMN; kind <= GEM_FRM3; kind++)
        if (i == 2 && anm_lines_is(lines, i, gem_kind_word(kind, false))) {
            wish->kind = kind;
            wish->has_kind = true;
            return 0;
        }
    bool *flag = anm_lines_is(lines, i, "gem3")    ? &wish->gem3
                 : anm_lines_is(lines, i, "mixed") ? &wish->mixed
                 : anm_lines_is(lines, i, "lossy") ? &wish->lossy
                                                   : NULL;
    if (!flag || *flag || wish->lossy != (flag == &wish->lossy && *flag))
        return anm_lines_fail(lines, i, "expected: gem VERSION [frmn|frm2|frm3] [gem3] [lossy], as gem 6.0 frm2");
    *flag = true;
    return 0;
}

static int read_wish(const void *bytes, size_t size, struct wish *wish, struct anm_error *err)
{
    struct anm_lines lines;
    anm_lines_start(&lines, bytes, size, err);
    int more = anm_lines_next(&lines);
    if (more < 0)
        return -1;
    if (more == 0)
        return anm_fail_line(err, 1, 1, "expected the format, as gem 6.0 frm2");
    if (!anm_lines_is(&lines, 0, "gem"))
        return anm_lines_expect(&lines, 0, "gem (a file can be converted within its family only)");
    if (read_version(&lines, 1, &wish->version))
        return -1;
    for (uint32_t i = 2; i < lines.count; i++)
        if (read_word(&lines, i, wish))
            return -1;
    more = anm_lines_next(&lines);
    return more == 1 ? anm_lines_expect(&lines, 0, "one line") : more;
}

/* The richest kind that readers of a version know. */
static unsigned best_kind(uint32_t version)
{
    return gem_version_has(version, GEM_FRM3) ? GEM_FRM3 : gem_version_has(version, GEM_FRM2) ? GEM_FRM2 : GEM_FRMN;
}

static int check_target(const struct wish *wish, struct anm_error *err)
{
    bool known = false;
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        known |= versions[i] == wish->version;
    if (!known)
        return anm_fail_line(err, 1, 1, "version %u.%u cannot be written: only " VERSIONS " can", wish->version >> 16,
                             wish->version & 0xffff);
    if (wish->mixed)
        return anm_fail_line(err, 1, 1, "mixed cannot be asked for: a conversion makes all frames one kind");
    if (gem_version_has(wish->version, wish->kind))
        return 0;
    return anm_fail_line(err, 1, 1, "version %u.%u has no %s frames: it has frmn%s", wish->version >> 16,
                         wish->version & 0xffff, gem_kind_word(wish->kind, true),
                         gem_version_has(wish->version, GEM_FRM2) ? " and frm2" : " only");
}

void gem_usual_layout(char layout[GEM_LAYOUT_MAX + 1], uint32_t comments)
{
    uint32_t i = 0;
    layout[i++] = 'F';
    while (i < GEM_LAYOUT_MAX - 1 && i <= comments)
        layout[i++] = 'C';
    layout[i++] = 'B';
    layout[i] = 0;
}

/* Puts the comment chunk of a GEM3 file in, with these bytes, or takes all out; the name coding goes with it. */
static int set_gem3(struct gem_doc *doc, bool on, const void *bytes, size_t size, struct anm_error *err)
{
    struct anm_blob **comments = anm_alloc(0, on, sizeof(struct anm_blob *));
    if (comments && on)
        comments[0] = anm_blob_new(bytes, size);
    if (!comments || (on && !comments[0])) {
        free(comments);
        return anm_fail_nomem(err);
    }
    for (uint32_t i = 0; i < doc->comment_count; i++)
        anm_blob_unref(doc->comments[i]);
    free(doc->comments);
    doc->comments = comments;
    doc->comment_count = on;
    doc->coding = on ? GEM_STRING8 : GEM_STRING32;
    gem_usual_layout(doc->layout, on);
    return 0;
}

/* The losses of clearing gem3. */
static int check_comments(const struct gem_doc *doc, struct anm_error *err)
{
    size_t lost = 0;
    for (uint32_t i = 0; i < doc->comment_count; i++)
        lost += doc->comments[i]->size;
    if (lost == 0)
        return 0;
    return anm_fail(err, ANM_LOSS, "without gem3 there is no comment: %zu bytes would be lost (lossy accepts it)",
                    lost);
}

struct anm_doc *gem_write_format(const struct anm_doc *anm, const struct anm_ref *dir, const char *name,
                                 const void *bytes, size_t size, struct anm_error *err)
{
    (void)dir, (void)name;
    const struct gem_doc *old = gem_const(anm);
    struct wish wish = {0};
    if (read_wish(bytes, size, &wish, err))
        return NULL;
    if (!wish.has_kind)
        wish.kind = gem_version_has(wish.version, old->kind) ? old->kind : best_kind(wish.version);
    bool converts = wish.version != old->version || wish.kind != old->kind || wish.mixed != gem_is_mixed(old);
    bool toggles = wish.gem3 != (old->comment_count > 0);
    if (converts && check_target(&wish, err))
        return NULL;
    if (toggles && !wish.gem3 && !wish.lossy && check_comments(old, err))
        return NULL;
    ANM_AUTO(gem_clean) struct gem_doc *doc = gem_copy(old);
    if (!doc)
        return anm_fail_nomem(err), NULL;
    if (toggles && set_gem3(doc, wish.gem3, "", 0, err))
        return NULL;
    if (!converts)
        return gem_finish(old, &doc, err);
    ANM_AUTO(gem_clean) struct gem_doc *other = gem_convert(doc, wish.version, wish.kind, wish.lossy, err);
    if (!other && err->reason == ANM_LOSS)
        anm_error_add(err, "not converted: \"lossy\" at the end of the line accepts that");
    return other ? gem_finish(old, &other, err) : NULL;
}

struct anm_doc *gem_blank(const void *bytes, size_t size, struct anm_error *err)
{
    ANM_AUTO(gem_clean) struct gem_doc *doc = gem_new(0x00060000, GEM_FRM2);
    if (!doc)
        return anm_fail_nomem(err), NULL;
    return gem_write_format(&doc->doc, NULL, "format", bytes, size, err);
}

bool gem_has_comment(const struct anm_doc *anm, const struct anm_ref *ref)
{
    (void)ref;
    return gem_const(anm)->comment_count > 0;
}

int gem_render_comment(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_buf *out, struct anm_error *err)
{
    (void)ref, (void)err;
    anm_buf_put(out, gem_const(anm)->comments[0]->bytes, gem_const(anm)->comments[0]->size);
    return 0;
}

struct anm_doc *gem_write_comment(const struct anm_doc *anm, const struct anm_ref *dir, const char *name,
                                  const void *bytes, size_t size, struct anm_error *err)
{
    (void)dir, (void)name;
    const struct gem_doc *old = gem_const(anm);
    ANM_AUTO(gem_clean) struct gem_doc *doc = gem_copy(old);
    if (!doc)
        return anm_fail_nomem(err), NULL;
    if (old->comment_count == 0)
        return set_gem3(doc, true, bytes, size, err) ? NULL : gem_finish(old, &doc, err);
    struct anm_blob *blob = anm_blob_new(bytes, size);
    if (!blob)
        return anm_fail_nomem(err), NULL;
    anm_blob_unref(doc->comments[0]);
    doc->comments[0] = blob;
    return gem_finish(old, &doc, err);
}

struct anm_doc *gem_remove_comment(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_error *err)
{
    (void)ref;
    const struct gem_doc *old = gem_const(anm);
    if (old->comment_count > 1)
        return anm_fail(err, ANM_DENIED, "the file has %u comments: remove the comment lines of header first",
                        old->comment_count),
               NULL;
    ANM_AUTO(gem_clean) struct gem_doc *doc = gem_copy(old);
    if (!doc)
        return anm_fail_nomem(err), NULL;
    return set_gem3(doc, false, "", 0, err) ? NULL : gem_finish(old, &doc, err);
}
