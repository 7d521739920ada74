/* SPDX-License-Identifier: MIT */
/* `format` and `header` (formats: NIFF 1, the version word). */
#include "niff_tree.h"

#include <stdio.h>
#include <string.h>

/* "1.0", "0.98": the minor number is two digits, of which a last 0 is not said. */
static void put_version(char out[16], uint32_t version)
{
    unsigned major = version >> 8 & 0xff, minor = version & 0xff;
    if (minor & 0xf)
        snprintf(out, 16, "%x.%02x", major, minor);
    else
        snprintf(out, 16, "%x.%x", major, minor >> 4);
}

int niff_render_format(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_buf *out, struct anm_error *err)
{
    (void)ref, (void)err;
    char version[16];
    put_version(version, niff_version(niff_const(anm)));
    anm_buf_printf(out, "niff %s\n", version);
    return 0;
}

/* Reads "niff VERSION [lossy]"; *major 0: the version there is. */
static int read_wish(const struct niff_doc *doc, const void *bytes, size_t size, unsigned *major, bool *lossy,
                     struct anm_error *err)
{
    struct anm_lines lines;
    char version[16];
    put_version(version, niff_version(doc));
    anm_lines_start(&lines, bytes, size, err);
    int more = anm_lines_next(&lines);
    if (more < 0)
        return -1;
    if (more == 0)
        return anm_fail_line(err, 1, 1, "expected the format, as niff %s", version);
    if (!anm_lines_is(&lines, 0, "niff"))
        return anm_lines_expect(&lines, 0, "niff (a file can be converted within its family only)");
    *major = anm_lines_is(&lines, 1, version) ? 0
             : anm_lines_is(&lines, 1, "1.0") ? 1
             : anm_lines_is(&lines, 1, "2.0") ? 2
                                              : 3;
    if (*major == 3)
        return anm_lines_expect(&lines, 1, "a version, 1.0 or 2.0");
    *lossy = anm_lines_is(&lines, 2, "lossy");
    if (lines.count > 3 || (lines.count == 3 && !*lossy))
        return anm_lines_fail(&lines, 2, "expected: niff VERSION [lossy]");
    more = anm_lines_next(&lines);
    return more == 1 ? anm_lines_expect(&lines, 0, "one line") : more;
}

struct anm_doc *niff_write_format(const struct anm_doc *anm, const struct anm_ref *dir, const char *name,
                                  const void *bytes, size_t size, struct anm_error *err)
{
    (void)dir, (void)name;
    const struct niff_doc *old = niff_const(anm);
    unsigned major;
    bool lossy;
    if (read_wish(old, bytes, size, &major, &lossy, err))
        return NULL;
    if (major == 0)
        return anm_doc_ref(anm);
    ANM_AUTO(niff_clean) struct niff_doc *doc = niff_convert(old, major, lossy, err);
    return doc ? niff_finish(old, &doc, err) : NULL;
}

/* --- header --- */

int niff_render_header(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_buf *out, struct anm_error *err)
{
    (void)ref, (void)err;
    const struct niff_doc *doc = niff_const(anm);
    anm_buf_printf(out, "creator %u\ntool %u\n", niff_version(doc) >> 24, niff_version(doc) >> 16 & 0xff);
    if (doc->tail) {
        anm_buf_puts(out, "tail ");
        anm_put_hex(out, doc->tail->bytes, doc->tail->size);
        anm_buf_putc(out, '\n');
    }
    return 0;
}

enum { CREATOR, TOOL, TAIL, WORDS };

struct head {
    struct anm_lines lines;
    uint32_t number[2];
    struct anm_buf tail;
    bool seen[WORDS];
};

static void head_free(struct head *head)
{
    anm_buf_free(&head->tail);
}

static int read_line(struct head *h)
{
    static const char *const words[] = {"creator", "tool", "tail"};
    unsigned word = 0;
    while (word < WORDS && !anm_lines_is(&h->lines, 0, words[word]))
        word++;
    if (word == WORDS)
        return anm_lines_expect(&h->lines, 0, "creator, tool or tail");
    if (h->seen[word])
        return anm_lines_fail(&h->lines, 0, "a second line %s", words[word]);
    h->seen[word] = true;
    if (word == TAIL)
        return anm_lines_hex(&h->lines, 1, &h->tail) ? -1 : anm_lines_want(&h->lines, 2, "tail and its bytes in hex");
    return anm_lines_u32(&h->lines, 1, words[word], 255, &h->number[word]) ? -1
                                                                           : anm_lines_want(&h->lines, 2, "one number");
}

static int read_head(struct head *h, const void *bytes, size_t size, struct anm_error *err)
{
    int more;
    anm_lines_start(&h->lines, bytes, size, err);
    while ((more = anm_lines_next(&h->lines)) == 1)
        if (read_line(h))
            return -1;
    if (more == 0 && !(h->seen[CREATOR] && h->seen[TOOL]))
        return anm_fail_line(err, 1, 1, "expected a line %s and a number", h->seen[CREATOR] ? "tool" : "creator");
    return more;
}

/* Puts the tail; the one that is there stays. */
static int set_tail(struct niff_doc *doc, const struct anm_buf *bytes, struct anm_error *err)
{
    size_t before = doc->tail ? doc->tail->size : 0;
    if (bytes->size == before && (before == 0 || memcmp(doc->tail->bytes, bytes->data, before) == 0))
        return 0;
    struct anm_blob *tail = bytes->size ? anm_blob_new(bytes->data, bytes->size) : NULL;
    return bytes->size && !tail ? anm_fail_nomem(err) : niff_set_tail(doc, tail, err);
}

struct anm_doc *niff_write_header(const struct anm_doc *anm, const struct anm_ref *dir, const char *name,
                                  const void *bytes, size_t size, struct anm_error *err)
{
    (void)dir, (void)name;
    const struct niff_doc *old = niff_const(anm);
    ANM_AUTO(head_free) struct head head = {0};
    if (read_head(&head, bytes, size, err))
        return NULL;
    ANM_AUTO(niff_clean) struct niff_doc *doc = niff_copy(old, 0, err);
    uint32_t version = (niff_version(old) & 0xffff) | head.number[CREATOR] << 24 | head.number[TOOL] << 16;
    if (!doc || niff_set_head_word(doc, 0, version, err) || set_tail(doc, &head.tail, err))
        return NULL;
    return niff_finish(old, &doc, err);
}
