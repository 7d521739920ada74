/* SPDX-License-Identifier: MIT */
/* A list of operations on a small document: writes, removals, renames and new directories, under names that exist, could exist,
 * or never can. A refused operation changes nothing. What an accepted one leaves encodes, decodes and encodes to the same
 * bytes, reads the same after that, and every file of it, written back, is the same document. */
#include "fuzz.h"

#include "anm/gem.h"

#define STEPS 24

#define LONG_NAME                                                                                                      \
    "Lorem%20ipsum%20dolor%20sit%20amet,%20consetetur%20sadipscing%20elitr,%20sed%20diam%20nonumy%20eirmod%20tempor"   \
    "%20invidunt%20ut%20labore%20et%20dolore%20magna%20aliquyam"

/* The first fits into a path, the second is cut there. */
static const char long_name[] = LONG_NAME, longer_name[] = LONG_NAME LONG_NAME;
static const char *const bones[] = {"a",        "b%20c", "a~2",     "free",     "new", "%",  "%2e%2e%2fx",
                                    "a%2fb",    "%ff",   "\xff",    "a~3",      "a~1", "..", ".",
                                    "",         "-x",    "%2dx",    "a b",      "%zz", "%",  "a~h00000000",
                                    "\xc3\xa9", "keys",  long_name, longer_name};
static const char *const frames[] = {"000",  "007",   "012",   "7",          "999", "1000",       "0999",
                                     "-1",   "007~2", "007~3", "2147483647", "x",   "2147483648", "000~2",
                                     "0x10", "256",   "65535", "65536",      "1",   "001",        ""};
static const char *const files[] = {
    "format",           "header",        "comment",         "bonemap", "keys", "frames", "bones",   "ERROR",
    ".anmfs/info.json", ".anmfs/errors", ".anmfs/pose/000", "raw",     "",     "/",      "frames/", "bones//keys"};
static const char *const texts[] = {"",
                                    "# nothing\n",
                                    "a\nb%20c\na~2\nfree\n",
                                    "free\na\nb%20c\na~2\nnew\n",
                                    "gem 4.0 frmn lossy\n",
                                    "gem 6.0 frm2 lossy\n",
                                    "gem 6.1 frm3 gem3 lossy\n",
                                    "gem 6.0 frm2\n",
                                    "length 300\n",
                                    "length 20\norder 012 007 000 007~2\n",
                                    "length 13\nnames string8\nlayout BMAP FRMS\n",
                                    "a visible yes\n",
                                    "a position 1 2 3\na mirrored no\na~2 none\n",
                                    "0 visible no\n7 visible yes\n300 visible yes\n",
                                    "7 mesh @7\n12 mesh @7\n",
                                    "0 a visible yes\n7 a visible no\n7~2 free visible yes\n",
                                    "12 a position 0 0 0\n12 a matrix 1 0 0 0 1 0 0 0 1\n"};

/* A path as the input says; most lead somewhere. */
static void take_path(struct input *in, struct anm_buf *path)
{
    unsigned shape = take(in) % 8;
    if (shape < 3) {
        anm_buf_puts(path, "frames/");
        anm_buf_puts(path, PICK(in, frames));
    } else if (shape < 6) {
        anm_buf_puts(path, "bones/");
        anm_buf_puts(path, PICK(in, bones));
    } else if (shape == 6) {
        anm_buf_puts(path, PICK(in, files));
    } else {
        for (unsigned left = take(in) % 32, c; left > 0 && (c = take(in)) != 0; left--)
            anm_buf_putc(path, (char)c);
    }
    if (shape == 1 || shape == 4)
        anm_buf_puts(path, "/keys");
    if (shape == 2) {
        anm_buf_putc(path, '/');
        anm_buf_puts(path, PICK(in, bones));
        anm_buf_puts(path, ".mesh");
    }
}

static void take_text(struct input *in, struct anm_buf *text)
{
    unsigned size = take(in);
    if (size < 128) {
        anm_buf_puts(text, PICK(in, texts));
        return;
    }
    size = size - 128 < in->left ? size - 128 : (unsigned)in->left;
    anm_buf_put(text, in->next, size);
    in->next += size;
    in->left -= size;
}

/* --- a document to begin with --- */

static struct anm_doc *make(unsigned which)
{
    bool frmn = which & 1;
    struct gem_doc *gem = gem_new(frmn        ? 0x00040000
                                  : which & 2 ? 0x00060001
                                              : 0x00060000,
                                  frmn        ? GEM_FRMN
                                  : which & 2 ? GEM_FRM3
                                              : GEM_FRM2);
    require(gem != NULL);
    struct anm_doc *doc = put(&gem->doc, "bonemap", "a\nb%20c\na~2\nfree\n");
    doc = put(doc, "keys",
              frmn ? "0 a position 1 2 3\n0 a matrix 1 0 0 0 1 0 0 0 1\n0 b%20c visible no\n0 b%20c visible~2 2\n"
                     "7 a~2 none\n7~2 a visible yes\n"
                   : "0 a position 1 2 3\n0 a mirrored\n0 b%20c orientation 0 0 0.5\n0 b%20c scale~2 1 1 1\n"
                     "7 a~2 visible both\n7~2 a flags 0x8000\n");
    doc = put(doc, "frames/007/a.mesh", "mesh");
    doc = put(doc, "frames/012", NULL);
    return which & 4 ? put(doc, "comment", "text") : doc;
}

/* --- what is true of every document --- */

/* A file is found by its path and not only by the listing, and written back it is the same document. With `back`, it also
 * reads the same in that one. True when no ordinal is in its path or text. */
static bool check_file(const struct anm_doc *doc, const struct anm_doc *back, const char *path)
{
    ANM_AUTO(anm_buf_free) struct anm_buf text = {0}, loaded = {0};
    struct anm_error err;
    struct anm_ref ref, there;
    require(anm_tree_find(doc, path, &ref, &err) == 0 && anm_tree_render(doc, &ref, &text, &err) == 0);
    if (back) {
        require(anm_tree_find(back, path, &there, &err) == 0 && anm_tree_render(back, &there, &loaded, &err) == 0);
        require(equal(&text, &loaded) && anm_tree_same(doc, &ref, back, &there));
    }
    if (anm_ref_writable(&ref) && (text.size > 0 || anm_ref_kind(&ref) == ANM_FILE_RAW)) {
        ANM_AUTO(anm_doc_clean) struct anm_doc *same = anm_tree_write(doc, path, text.data, text.size, &err);
        require(same == doc);
    }
    return !strchr(path, '~') && !(text.size && memchr(text.data, '~', text.size));
}

/* The same of all files below. The tree is four levels deep at most, and so is this. */
static bool check_directory(const struct anm_doc *doc, const struct anm_doc *back, const char *path)
{
    struct anm_error err;
    struct anm_ref dir, child;
    uint32_t cookie = 0;
    bool plain = !strchr(path, '~');
    require(anm_tree_find(doc, path, &dir, &err) == 0);
    for (;;) {
        ANM_AUTO(anm_buf_free) struct anm_buf name = {0};
        anm_buf_puts(&name, path);
        if (*path)
            anm_buf_putc(&name, '/');
        if (!anm_tree_next(doc, &dir, ANM_LIST_HIDDEN, &cookie, &child, &name))
            return plain;
        const char *text = anm_buf_cstr(&name);
        require(text != NULL && strlen(text) == name.size);
        if (anm_ref_kind(&child) == ANM_DIR)
            plain = check_directory(doc, back, text) && plain;
        else if (anm_ref_kind(&child) != ANM_FILE_HOST)
            plain = check_file(doc, back, text) && plain;
    }
}

static void check_document(const struct anm_doc *doc)
{
    struct anm_error err;
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = encode(doc);
    ANM_AUTO(anm_doc_clean) struct anm_doc *back = anm_doc_decode(bytes.data, bytes.size, "gem", &err);
    require(back != NULL);
    ANM_AUTO(anm_buf_free) struct anm_buf again = encode(back);
    require(equal(&bytes, &again));
    /* Ordinals are as they were given until the file is loaded again, and so are the kind of frames and the coding of names
     * where there is none that could show it. */
    if (check_directory(doc, NULL, "") && gem_const(doc)->frame_count && gem_const(doc)->bones->count)
        check_directory(doc, back, "");
}

/* --- one step --- */

static struct anm_doc *operate(const struct anm_doc *doc, struct input *in, struct anm_error *err)
{
    ANM_AUTO(anm_buf_free) struct anm_buf path = {0}, to = {0}, text = {0};
    unsigned what = take(in) % 8;
    take_path(in, &path);
    const char *at = anm_buf_cstr(&path);
    require(at != NULL);
    if (what < 3) {
        take_text(in, &text);
        return anm_tree_write(doc, at, text.data, text.size, err);
    }
    if (what == 3)
        return anm_tree_remove(doc, at, err);
    if (what < 6) {
        struct anm_error why = {0};
        bool could = anm_tree_can_make(doc, at, true, NULL, &why) == 0;
        struct anm_doc *made = anm_tree_mkdir(doc, at, err);
        /* What cannot be made is not made; what is made could be. */
        require(could || !made);
        return made;
    }
    take_path(in, &to);
    const char *target = anm_buf_cstr(&to);
    require(target != NULL);
    return anm_tree_rename(doc, at, target, err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, size};
    struct anm_doc *doc = make(take(&in));
    for (unsigned i = 0; i < STEPS && in.left > 0; i++) {
        struct anm_error err = {0};
        ANM_AUTO(anm_buf_free) struct anm_buf before = encode(doc);
        struct anm_doc *next = operate(doc, &in, &err);
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
    return 0;
}
