/* SPDX-License-Identifier: MIT */
/* Any bytes as a NIFF file, and what follows its end as edits of it. What decodes encodes to the same bytes, what does not is
 * refused at an offset inside. Every file of the tree, written back, changes nothing. A refused edit changes nothing; what an
 * accepted one leaves encodes, decodes and encodes to the same bytes, and reads the same after that. */
#include "fuzz.h"

#include "anm/doc.h"

#include <stdio.h>

#define STEPS 8
#define CLASSES (ANM_LIST_HIDDEN | ANM_LIST_RAW)

static const char *const words[] = {
    "0",       "1",       "-0",           "12",        "4294967295", "4294967294",  "0x80000000",
    "90deg",   "-1e38",   "nan:7f800001", "translate", "rotate",     "scale",       "interpolation",
    "linear",  "hermite", "static",       "slope",     "rotate_x",   "translation", "translation~2",
    "next",    "raw",     "endless",      "zyx",       "full",       "key",         "billboard_obj",
    "none",    "obj",     "joint",        "external",  "switch",     "?7",          "%",
    "a%2fb~2", "lossy"};
static const char *const lines[] = {"# nothing\n",
                                    "type key\n",
                                    "type full\n",
                                    "type static\n",
                                    "user obj body\n",
                                    "niff 1.0 lossy\n",
                                    "niff 2.0\n",
                                    "translate 1 2 3\nrotate 0 0 0\nscale 1 1 1\n",
                                    "5 translate 1 2 3\n5 rotate 0 90deg 0\n5 scale 1 1 1\n",
                                    "5 translate 1 2 3\n5 rotate 0 0 0\n5 scale 1 1 1\n5 interpolation linear\n",
                                    "7 rotate_x hermite 0.5 slope 0.01\n",
                                    "7 body_anim translation linear 1 2 3\n"};
static const char *const paths[] = {"bones/new",  "bones/body_anim", "bones/twice~2",     "bones/%",
                                    "frames/012", "frames/000",      "frames/4000000000", "bones/group-9",
                                    "keys",       "format",          "raw/lists/x.bin",   "frames/12",
                                    "bones/a~9",  "raw/bones/x",     "bones/twice"};

static const char *const formats[] = {"niff 1.0", "niff 1.0 lossy", "niff 2.0"};

/* --- all files of a document --- */

struct list {
    char **at;
    size_t count;
};

static void free_list(struct list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->at[i]);
    free(list->at);
}

/* Adds every file below, and the directories' names before theirs. The tree is five levels deep at most, and so is this. */
static void list_below(const struct anm_doc *doc, const char *path, struct list *list)
{
    struct anm_error err;
    struct anm_ref dir, child;
    uint32_t cookie = 0;
    require(anm_tree_find(doc, path, &dir, &err) == 0);
    for (;;) {
        ANM_AUTO(anm_buf_free) struct anm_buf name = {0};
        anm_buf_puts(&name, path);
        if (*path)
            anm_buf_putc(&name, '/');
        if (!anm_tree_next(doc, &dir, CLASSES, &cookie, &child, &name))
            return;
        char **more = anm_realloc(list->at, list->count + 1, sizeof *more);
        const char *below = anm_buf_cstr(&name);
        if (!more || !below)
            __builtin_trap();
        list->at = more;
        more[list->count++] = strdup(below);
        if (anm_ref_kind(&child) == ANM_DIR)
            list_below(doc, below, list);
    }
}

static struct list list_all(const struct anm_doc *doc)
{
    struct list list = {NULL, 0};
    list_below(doc, "", &list);
    require(list.count > 0);
    return list;
}

/* Found by its path, printed, and written back the same document. */
static struct anm_buf read_file(const struct anm_doc *doc, const char *path)
{
    struct anm_buf text = {0};
    struct anm_error err;
    struct anm_ref ref;
    require(anm_tree_find(doc, path, &ref, &err) == 0);
    if (anm_ref_kind(&ref) == ANM_DIR)
        return text;
    require(anm_tree_render(doc, &ref, &text, &err) == 0);
    if (anm_ref_writable(&ref) && (text.size > 0 || anm_ref_kind(&ref) == ANM_FILE_RAW)) {
        ANM_AUTO(anm_doc_clean) struct anm_doc *same = anm_tree_write(doc, path, text.data, text.size, &err);
        require(same == doc);
    }
    return text;
}

static bool has_ordinal(const char *path, const struct anm_buf *text)
{
    return strchr(path, '~') || (text->size && memchr(text->data, '~', text->size));
}

/* A file reads the same in `back`, unless it speaks of ordinals. Frames without a key are not in the file, nor is .anmfs. */
static void check_same(const struct anm_doc *doc, const struct anm_doc *back, const char *path)
{
    struct anm_error err;
    struct anm_ref ref, there;
    ANM_AUTO(anm_buf_free) struct anm_buf text = read_file(doc, path), loaded = {0};
    if (text.size == 0 || has_ordinal(path, &text) || strncmp(path, ".anmfs", 6) == 0)
        return;
    require(anm_tree_find(doc, path, &ref, &err) == 0);
    require(anm_tree_find(back, path, &there, &err) == 0 && anm_tree_render(back, &there, &loaded, &err) == 0);
    require(equal(&text, &loaded) && anm_tree_same(doc, &ref, back, &there));
}

/* Names that a load gives anew: ordinals, and those of groups that have none. */
static bool any_given(const struct list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (strchr(list->at[i], '~') || strstr(list->at[i], "/group-"))
            return true;
    return false;
}

static void check_document(const struct anm_doc *doc)
{
    struct anm_error err;
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = encode(doc);
    ANM_AUTO(anm_doc_clean) struct anm_doc *back = anm_doc_decode(bytes.data, bytes.size, "niff", &err);
    require(back != NULL);
    ANM_AUTO(anm_buf_free) struct anm_buf again = encode(back);
    require(equal(&bytes, &again));
    ANM_AUTO(free_list) struct list list = list_all(doc);
    bool loaded_same = !any_given(&list);
    for (size_t i = 0; i < list.count; i++) {
        if (loaded_same)
            check_same(doc, back, list.at[i]);
        else {
            struct anm_buf text = read_file(doc, list.at[i]);
            anm_buf_free(&text);
        }
    }
}

/* --- edits --- */

/* The start of line `n` of a text. */
static size_t line_start(const struct anm_buf *text, unsigned n)
{
    size_t at = 0;
    while (n-- && at < text->size) {
        const uint8_t *end = memchr(text->data + at, '\n', text->size - at);
        at = end ? (size_t)(end - text->data) + 1 : text->size;
    }
    return at;
}

/* The text with one line dropped, doubled, put first, one of its words replaced or taken out, or a new line before it. */
static void edit_line(struct anm_buf *out, const struct anm_buf *text, struct input *in)
{
    unsigned what = take(in) % 6;
    size_t start = line_start(text, take(in)),
           end = start + line_start(&(struct anm_buf){.data = text->data + start, .size = text->size - start}, 1);
    if (what == 0) {
        anm_buf_put(out, text->data + start, end - start);
        anm_buf_put(out, text->data, start);
        anm_buf_put(out, text->data + end, text->size - end);
        return;
    }
    anm_buf_put(out, text->data, start);
    if (what == 1)
        anm_buf_puts(out, PICK(in, lines));
    if (what <= 2)
        anm_buf_put(out, text->data + start, end - start);
    if (what <= 3)
        anm_buf_put(out, text->data + start, end - start);
    if (what > 4) {
        size_t word = start;
        for (unsigned n = take(in) % 6; n && word < end; word++)
            n -= text->data[word] == ' ';
        size_t after = word;
        while (after < end && text->data[after] != ' ' && text->data[after] != '\n')
            after++;
        anm_buf_put(out, text->data + start, word - start);
        anm_buf_puts(out, PICK(in, words));
        anm_buf_put(out, text->data + after, end - after);
    }
    anm_buf_put(out, text->data + end, text->size - end);
}

static struct anm_doc *edit_file(const struct anm_doc *doc, const char *path, struct input *in, struct anm_error *err)
{
    ANM_AUTO(anm_buf_free) struct anm_buf text = {0}, next = {0};
    struct anm_ref ref;
    require(anm_tree_find(doc, path, &ref, err) == 0);
    if (anm_ref_kind(&ref) != ANM_DIR)
        require(anm_tree_render(doc, &ref, &text, err) == 0);
    if (anm_ref_kind(&ref) == ANM_FILE_RAW && text.size) {
        anm_buf_put(&next, text.data, text.size);
        size_t at = take(in) << 8;
        next.data[(at | take(in)) % text.size] = (uint8_t)take(in);
        next.size -= take(in) % text.size % 5;
    } else if (text.size) {
        edit_line(&next, &text, in);
    } else {
        anm_buf_puts(&next, PICK(in, lines));
    }
    return anm_tree_write(doc, path, next.data, next.size, err);
}

static struct anm_doc *operate(const struct anm_doc *doc, struct input *in, struct anm_error *err)
{
    ANM_AUTO(free_list) struct list list = list_all(doc);
    unsigned what = take(in) % 8;
    const char *path = list.at[take(in) % list.count], *other = PICK(in, paths);
    switch (what) {
    case 0:
        return anm_tree_remove(doc, path, err);
    case 1:
        return anm_tree_mkdir(doc, other, err);
    case 2:
        return anm_tree_rename(doc, path, other, err);
    case 3:
        other = PICK(in, formats);
        return anm_tree_write(doc, "format", other, strlen(other), err);
    default:
        return edit_file(doc, path, in, err);
    }
}

/* The document after the edits; consumes `doc`. */
static void edit(struct anm_doc *doc, struct input *in)
{
    for (unsigned i = 0; i < STEPS && in->left > 0; i++) {
        struct anm_error err = {0};
        ANM_AUTO(anm_buf_free) struct anm_buf before = encode(doc);
        struct anm_doc *next = operate(doc, in, &err);
        ANM_AUTO(anm_buf_free) struct anm_buf after = encode(doc);
        require(equal(&before, &after));
        if (!next) {
            require(err.reason != ANM_OK && err.reason != ANM_NOMEM && err.text[0]);
            continue;
        }
        anm_doc_unref(doc);
        doc = next;
        check_document(doc);
    }
    anm_doc_unref(doc);
}

/* Of the input, what its word 1 says is the file: all of it when it says more. */
static size_t file_size(const uint8_t *data, size_t size)
{
    if (size < 8)
        return size;
    size_t said = (size_t)data[4] << 24 | (size_t)data[5] << 16 | (size_t)data[6] << 8 | data[7];
    return said < size ? said : size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct anm_error err = {0};
    size_t file = file_size(data, size);
    struct input in = {data + file, size - file};
    struct anm_doc *doc = anm_doc_decode(data, file, "niff", &err);
    if (!doc) {
        require(err.reason == ANM_FOREIGN || (err.reason == ANM_FORMAT && err.has_offset && err.offset <= file));
        return 0;
    }
    ANM_AUTO(anm_buf_free) struct anm_buf out = encode(doc);
    require(out.size == file && memcmp(out.data, data, file) == 0);
    check_document(doc);
    edit(doc, &in);
    return 0;
}
