/* SPDX-License-Identifier: MIT */
/* Texts written to small PlayStation documents. The first byte chooses the document, the second the node, the rest is the text.
 * A refused text changes nothing. An accepted one, printed and written again, gives the same document; and what the document is
 * encoded to decodes to an equal one. */
#include "fuzz.h"

#include "anm/psx.h"

static struct anm_doc *make_anm(uint8_t version, bool fixed)
{
    struct psx_doc *empty = psx_new(&anm_psx, version);
    require(empty != NULL);
    struct anm_doc *doc = put(&empty->doc, "frames/000", NULL);
    doc = put(doc, "frames/000/sprites",
              "u=1 v=2 ofs=3,4 size=8x9 page=1 depth=4 clut=16,5 scale=-1,0.5\n"
              "u=1 v=2 ofs=3,4 square=16 page=1 depth=8 clut=16,5 abr=1 angle=45 rot=off\n");
    doc = put(doc, "frames/001", NULL);
    doc = put(doc, "sequences/000", "group=0 time=1 x=-1 y=2\ngroup=1 time=0 x=0 y=0\n");
    doc = put(doc, "clut/00", NULL);
    doc = put(doc, "clut/00/place", "16 480 2\n");
    doc = put(doc, "clut/00/colors.gpl", "GIMP Palette\n0 8 16\n255 255 255\t1 stp\n");
    if (fixed)
        doc = put(doc, "header", version < 2 ? "layout fixed\n" : "depth 4\nlayout fixed\n");
    return doc;
}

static struct anm_doc *make_tim(void)
{
    static const uint8_t bytes[] = {
        0x10, 0,  0, 0, 8, 0, 0,  0, 16, 0, 0, 0, 16, 0, 0xe0, 1, 2, 0, 1, 0, 1, 2,    3,
        4,    22, 0, 0, 0, 0, 1,  0, 0,  2, 0, 2, 0,  1, 2,    3, 4, 5, 6, 7, 8, 0x10, 0,
        0,    0,  2, 0, 0, 0, 16, 0, 0,  0, 0, 0, 0,  0, 1,    0, 2, 0, 9, 9, 9, 9,
    };
    struct anm_error err;
    struct anm_doc *doc = anm_doc_decode(bytes, sizeof bytes, NULL, &err);
    require(doc != NULL);
    return doc;
}

static struct anm_doc *make(uint8_t which)
{
    if (which % 10 < 8)
        return make_anm(which % 4, which % 10 >= 4);
    if (which % 10 == 9)
        return make_tim();
    struct psx_doc *tsq = psx_new(&anm_tsq, which & 16 ? 1 : 0);
    require(tsq != NULL);
    return put(&tsq->doc, "sequences/000", "group=0 time=1 x=-1 y=2\n");
}

static void check_accepted(const struct anm_doc *next, const char *path)
{
    struct anm_error err;
    struct anm_ref ref;
    ANM_AUTO(anm_buf_free) struct anm_buf text = {0}, bytes = encode(next);
    if (anm_tree_find(next, path, &ref, &err) == 0) {
        require(anm_tree_render(next, &ref, &text, &err) == 0);
        ANM_AUTO(anm_doc_clean) struct anm_doc *same = anm_tree_write(next, path, text.data, text.size, &err);
        require(same == next);
    }
    ANM_AUTO(anm_doc_clean) struct anm_doc *back = anm_doc_decode(bytes.data, bytes.size, NULL, &err);
    require(back && back->format == next->format);
    ANM_AUTO(anm_buf_free) struct anm_buf again = encode(back);
    require(equal(&bytes, &again));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const nodes[] = {"frames/000/sprites",
                                        "frames/001/sprites",
                                        "sequences/000",
                                        "clut/00/place",
                                        "clut/00/colors.gpl",
                                        "header",
                                        "format",
                                        "raw/frames/000.bin",
                                        "raw/sequences/000.bin",
                                        "raw/clut/00.bin",
                                        "raw/pixels.bin",
                                        "raw/pixels~2.bin"};
    if (size < 2)
        return 0;
    const char *path = nodes[data[1] % (sizeof nodes / sizeof *nodes)];
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = make(data[0]);
    ANM_AUTO(anm_buf_free) struct anm_buf before = encode(doc);
    struct anm_error err = {0};
    ANM_AUTO(anm_doc_clean) struct anm_doc *next = anm_tree_write(doc, path, data + 2, size - 2, &err);
    ANM_AUTO(anm_buf_free) struct anm_buf after = encode(doc);
    require(equal(&before, &after));
    if (next)
        check_accepted(next, path);
    else
        require(err.reason != ANM_OK && err.text[0]);
    return 0;
}
