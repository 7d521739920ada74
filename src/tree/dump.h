/* SPDX-License-Identifier: MIT */
/* What the text of a whole file is made of. */
#ifndef ANM_TREE_DUMP_H
#define ANM_TREE_DUMP_H

#include "anm/parts.h"

/* Lines that are no row's. */
#define DUMP_BASE "base" /* a piece of ANM_PART_BASE, in base64 */
#define DUMP_ORDER                                                                                                     \
    "order" /* "order bones": keys are bone by bone; "order FRAME NAME …": the order of the keys of that frame */
#define DUMP_KEYS "keys" /* the word of the row of keys, which is left out */

/* --- base64.c --- */

void base64_put(struct anm_buf *out, const uint8_t *bytes, size_t size);
/* Appends what `text` stands for. False when it is no base64. */
bool base64_read(struct anm_buf *out, const char *text, size_t size);

/* --- dump_order.c --- */

/* The keys, "FRAME NAME CHANNEL values" frame by frame, bone by bone: appends them to `out`, and to `order` a line of each frame that
 * has them in an order that the bones do not tell: "FRAME NAME NAME/2 …". 0, or -1 when out of memory. */
int keys_by_bone(const struct anm_buf *keys, struct anm_buf *out, struct anm_buf *order, struct anm_error *err);

/* The other way: sorts `keys`, and its origins with it. `order` has such lines, each in its own part of the text. */
int keys_by_frame(struct anm_part *keys, const struct anm_part *order, struct anm_error *err);

/* --- dump_json.c --- */

/* A text as JSON. */
int json_of_text(const struct anm_buf *text, struct anm_buf *out, struct anm_error *err);
/* And back; `items` gets one struct json_item a line of the text. */
int text_of_json(const void *bytes, size_t size, struct anm_buf *out, struct anm_buf *items, struct anm_error *err);

/* Where a line of the text came from. */
struct json_item {
    char array[24];
    uint32_t number;
};

#endif
