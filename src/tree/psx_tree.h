/* SPDX-License-Identifier: MIT */
/* The PlayStation documents as trees: what the files of this ring share. */
#ifndef ANM_PSX_TREE_H
#define ANM_PSX_TREE_H

#include "anm/field_text.h"
#include "anm/lines.h"
#include "anm/psx_fields.h"
#include "anm/route.h"

/* Signatures of route.h, for the functions below. */
typedef int psx_render_fn(const struct anm_doc *, const struct anm_ref *, struct anm_buf *, struct anm_error *);
typedef struct anm_doc *psx_write_fn(const struct anm_doc *, const struct anm_ref *, const char *, const void *, size_t,
                                     struct anm_error *);
typedef struct anm_doc *psx_mkdir_fn(const struct anm_doc *, const struct anm_ref *, const char *, struct anm_error *);
typedef struct anm_doc *psx_remove_fn(const struct anm_doc *, const struct anm_ref *, struct anm_error *);
typedef int psx_can_make_fn(const struct anm_doc *, const struct anm_ref *, const char *, struct anm_error *);
typedef bool psx_exists_fn(const struct anm_doc *, const struct anm_ref *);

static inline bool psx_is(const struct psx_doc *doc, const struct anm_format *format)
{
    return doc->doc.format == format;
}

/* --- psx_line.c: one line of key=value --- */

/* A line being read into a record of up to five words. */
struct psx_line {
    const struct anm_field *fields;
    unsigned count;
    unsigned version; /* of ANM; that of a TSQ is the ANM's which has the same entries */
    bool tsq;
    uint32_t words[5];
    uint32_t given; /* bit per field */
    uint32_t line;  /* of the text */
    struct anm_error *err;
};

/* The version of ANM whose sequence entries a document has. */
unsigned psx_entry_version(const struct psx_doc *doc);
/* Fails at a column of the line. Returns -1. */
int psx_line_fail(const struct psx_line *line, uint32_t column, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Notes that a field was given, once. 0 or -1. */
int psx_line_give(struct psx_line *line, unsigned field, uint32_t column);
/* Reads the value(s) of the fields called `key` from `value`. */
int psx_line_set(struct psx_line *line, const char *key, const struct anm_token *value);
/* Whether a field was given. */
static inline bool psx_line_has(const struct psx_line *line, unsigned field)
{
    return line->given >> field & 1;
}

/* Reads every key=value of the current line, from token `first` on. `special` (may be NULL) sees each first: 1 when it took it, 0 when not, -1. */
int psx_line_read(struct anm_lines *lines, uint32_t first, struct psx_line *line,
                  int (*special)(struct psx_line *line, const struct anm_token *key, const struct anm_token *value));
/* Appends " KEY=" and the fields of that key, from number `field` on. */
void psx_line_put(struct anm_buf *out, const struct anm_field *fields, unsigned count, unsigned field,
                  const uint32_t *words);

/* --- psx_sprite.c, psx_sequence.c --- */

psx_render_fn psx_render_sprites, psx_render_sequence, psx_render_group_raw, psx_render_sequence_raw;
psx_write_fn psx_write_sprites, psx_write_sequence, psx_write_group_raw, psx_write_sequence_raw;
psx_remove_fn psx_remove_sprites, psx_remove_sequence;
psx_exists_fn psx_has_sprites, psx_has_sequence;

/* --- psx_edit.c: building documents; groups and palettes made and removed --- */

/* The last step of every edit: checks that what is written would be read back, and returns the document, or `old` when nothing
 * changed. Takes over *doc. */
struct anm_doc *psx_finish(const struct psx_doc *old, struct psx_doc **doc, struct anm_error *err);
/* Reads a node's number: exactly `digits` digits, more when the number has more, and then `suffix` ("", ".bin"). 0, or -1:
 * ANM_NOENT, ANM_NAME. */
int psx_parse_number(const char *name, unsigned digits, const char *suffix, uint32_t *number, struct anm_error *err);
psx_mkdir_fn psx_mkdir_group, psx_mkdir_clut;
psx_can_make_fn psx_can_make_group, psx_can_make_clut;
psx_remove_fn psx_remove_group, psx_remove_clut;

/* --- psx_clut.c --- */

psx_render_fn psx_render_place, psx_render_colors, psx_render_clut_raw, tim_render_pixels;
psx_write_fn psx_write_place, psx_write_colors, psx_write_clut_raw, tim_write_pixels;
psx_remove_fn psx_remove_place, psx_remove_colors;
psx_exists_fn psx_has_place, psx_has_colors;

/* --- psx_preview.c --- */

typedef bool psx_same_fn(const struct anm_doc *, const struct anm_ref *, const struct anm_doc *,
                         const struct anm_ref *);
psx_exists_fn psx_has_preview, psx_has_movie;
psx_render_fn psx_render_frame_png, psx_render_sequence_png, tim_render_image_png;
psx_same_fn psx_same_frame_png, psx_same_sequence_png;

/* --- psx_format.c, psx_head.c, psx_info.c --- */

psx_render_fn psx_render_format, psx_render_header, psx_render_info, tim_render_format, tim_render_header;
struct anm_doc *psx_blank(const void *bytes, size_t size, struct anm_error *err);
struct anm_doc *tsq_blank(const void *bytes, size_t size, struct anm_error *err);
psx_write_fn psx_write_format, psx_write_header, tim_write_format, tim_write_header;
psx_exists_fn psx_has_header;
/* Appends the name of an image's file in raw/: pixels.bin, pixels~2.bin. */
void tim_put_pixels_name(struct anm_buf *out, uint32_t image);
/* The image a file of raw/ has the pixels of. 0, or -1 with ANM_NOENT. */
int tim_find_pixels(const struct psx_doc *doc, const char *name, uint32_t *image, struct anm_error *err);
/* How many colours a palette has: those that its size and its bytes give. */
uint32_t psx_colors(const struct psx_block *block);

#endif
