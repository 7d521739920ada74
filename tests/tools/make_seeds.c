/* SPDX-License-Identifier: MIT */
/* make-seeds DIR: writes small animations of our own making into DIR, for the live tests, the fuzzers and the quickstart.
 * They are built from texts, as somebody with a mount would; NIFF files, of which texts cannot make all, as the tests do. */
#include "anm/gem.h"
#include "anm/psx.h"
#include "anm/tree.h"

#include "../unit/niff_build.h"

#include <stdio.h>
#include <unistd.h>

#define VERSION_6_0 0x00060000

/* A tank turret: it turns, the gun recoils and rises, the flash shows for two frames. `hatch` is a mirrored part. */
static const char bonemap[] = "body\n"
                              "turret\n"
                              "gun\n"
                              "flash\n"
                              "hatch\n";
static const char keys[] = "0 body position 0 0 0\n"
                           "0 body orientation 0 0 0\n"
                           "0 body visible yes\n"
                           "0 turret position 0 1.25 0\n"
                           "0 turret orientation 0 0 0\n"
                           "0 turret visible yes\n"
                           "0 gun position 0 0.25 1.5\n"
                           "0 gun orientation 0 0 0\n"
                           "0 gun visible yes\n"
                           "0 flash position 0 0 2.75\n"
                           "0 flash orientation 0 0 0\n"
                           "0 flash visible no\n"
                           "0 hatch position -0.5 0.5 -0.25\n"
                           "0 hatch orientation 0 0 0\n"
                           "0 hatch mirrored\n"
                           "0 hatch visible yes\n"
                           "6 turret orientation 0 0.38268343 0\n"
                           "12 turret orientation 0 0.70710677 0\n"
                           "13 gun position 0 0.25 1.2\n"
                           "13 flash visible yes\n"
                           "15 gun position 0 0.25 1.5\n"
                           "15 flash visible no\n"
                           "24 body position 0 0 0\n"
                           "24 body orientation 0 0 0\n"
                           "24 body visible yes\n"
                           "24 turret position 0 1.25 0\n"
                           "24 turret orientation 0 0 0\n"
                           "24 turret visible yes\n"
                           "24 gun position 0 0.25 1.5\n"
                           "24 gun orientation 0 0 0\n"
                           "24 gun visible yes\n"
                           "24 flash position 0 0 2.75\n"
                           "24 flash orientation 0 0 0\n"
                           "24 flash visible no\n"
                           "24 hatch position -0.5 0.5 -0.25\n"
                           "24 hatch orientation 0 0 0\n"
                           "24 hatch mirrored\n"
                           "24 hatch visible yes\n";
/* One run of two vertices of 12 bytes, and the closing header. */
static const uint8_t mesh[40] = {[4] = 2, [10] = 0x80, [11] = 0x3f, [22] = 0x80, [23] = 0xbf};

/* One step from a document to the next; the last column is NUL-free text unless `size` is given. */
struct step {
    const char *path;
    const void *bytes;
    size_t size;
};

static const struct step turret[] = {{"bonemap", bonemap, sizeof bonemap - 1}, {"keys", keys, sizeof keys - 1}};
static const struct step with_mesh[] = {{"frames/012/gun.mesh", mesh, sizeof mesh}};
static const struct step gem1[] = {{"format", "gem 4.0 frmn lossy\n", 19}};
static const char sprites[] = "u=1 v=2 ofs=3,4 size=8x9 page=1 depth=4 clut=16,5 scale=-1,0.5\n"
                              "u=1 v=2 ofs=3,4 square=16 page=12 depth=8 clut=16,5 abr=1 angle=45\n";
static const char sequence[] = "group=0 time=6 x=-8 y=0\ngroup=1 time=0 x=0 y=0\n";
static const char colors[] = "GIMP Palette\n0 8 16\n255 255 255\t1 stp\n";

static const struct step psx[] = {{"frames/000", NULL, 0},
                                  {"frames/000/sprites", sprites, sizeof sprites - 1},
                                  {"frames/001", NULL, 0},
                                  {"sequences/000", sequence, sizeof sequence - 1},
                                  {"clut/00", NULL, 0},
                                  {"clut/00/place", "16 480 2\n", 9},
                                  {"clut/00/colors.gpl", colors, sizeof colors - 1}};
static const struct step fixed[] = {{"header", "depth 8\nlayout fixed\n", 21}};
static const struct step tsq[] = {{"sequences/000", sequence, sizeof sequence - 1}};
static const uint8_t tim[] = {0x10, 0, 0,  0, 8, 0, 0, 0, 16, 0, 0, 0, 16, 0, 0xe0, 1, 2, 0, 1, 0, 1, 2,
                              3,    4, 20, 0, 0, 0, 0, 1, 0,  0, 2, 0, 2,  0, 1,    2, 3, 4, 5, 6, 7, 8};
static const struct step gem3[] = {{"format", "gem 6.1 frm3 gem3\n", 18}, {"comment", "made by hand", 12}};

static struct anm_doc *apply(const struct anm_doc *doc, const struct step *steps, size_t count, struct anm_error *err)
{
    struct anm_doc *result = anm_doc_ref(doc);
    for (size_t i = 0; i < count; i++) {
        ANM_AUTO(anm_doc_clean) struct anm_doc *old = result;
        result = steps[i].bytes ? anm_tree_write(old, steps[i].path, steps[i].bytes, steps[i].size, err)
                                : anm_tree_mkdir(old, steps[i].path, err);
        if (!result) {
            ANM_AUTO(anm_buf_free) struct anm_buf text = {0};
            anm_error_print(err, steps[i].path, &text);
            fprintf(stderr, "make-seeds: %s", anm_buf_cstr(&text));
            return NULL;
        }
    }
    return result;
}

static int save_bytes(const struct anm_buf *bytes, const char *name, struct anm_error *err)
{
    if (bytes->failed)
        return anm_fail_nomem(err);
    FILE *file = fopen(name, "wb");
    if (!file)
        return anm_fail(err, ANM_SYSTEM, "%s", name);
    fwrite(bytes->data, 1, bytes->size, file);
    return fclose(file) == 0 ? 0 : anm_fail(err, ANM_SYSTEM, "%s", name);
}

static int save(const struct anm_doc *doc, const char *name, struct anm_error *err)
{
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
    return doc && anm_doc_encode(doc, &bytes, err) == 0 ? save_bytes(&bytes, name, err) : -1;
}

static int save_with(const struct anm_doc *doc, const struct step *steps, size_t count, const char *name,
                     struct anm_error *err)
{
    ANM_AUTO(anm_doc_clean) struct anm_doc *result = apply(doc, steps, count, err);
    return save(result, name, err);
}

static int save_niff(void (*make)(struct anm_buf *, unsigned), unsigned major, const char *name, struct anm_error *err)
{
    ANM_AUTO(anm_buf_free) struct anm_buf bytes = {0};
    make(&bytes, major);
    return save_bytes(&bytes, name, err);
}

int main(int argc, char **argv)
{
    struct anm_error err = {0};
    if (argc != 2 || chdir(argv[1]) != 0) {
        fputs("usage: make-seeds DIR\n", stderr);
        return 2;
    }
    ANM_AUTO(anm_doc_clean) struct anm_doc *empty = (struct anm_doc *)(void *)gem_new(VERSION_6_0, GEM_FRM2);
    ANM_AUTO(anm_doc_clean) struct anm_doc *doc = empty ? apply(empty, turret, 2, &err) : NULL;
    ANM_AUTO(anm_doc_clean) struct anm_doc *no_sprites = (struct anm_doc *)(void *)psx_new(&anm_psx, 3);
    ANM_AUTO(anm_doc_clean) struct anm_doc *no_entries = (struct anm_doc *)(void *)psx_new(&anm_tsq, 1);
    ANM_AUTO(anm_doc_clean) struct anm_doc *anm = no_sprites ? apply(no_sprites, psx, 7, &err) : NULL;
    ANM_AUTO(anm_doc_clean) struct anm_doc *image = anm_doc_decode(tim, sizeof tim, NULL, &err);
    if (!anm || !no_entries || save(anm, "psx.anm", &err) != 0 ||
        save_with(anm, fixed, 1, "psx-fixed.anm", &err) != 0 || save_with(no_entries, tsq, 1, "psx.tsq", &err) != 0 ||
        save(image, "psx.tim", &err) != 0) {
        fprintf(stderr, "make-seeds: %s\n", err.text);
        return 1;
    }
    if (!doc || save(empty, "empty.anm", &err) != 0 || save(doc, "turret.anm", &err) != 0 ||
        save_with(doc, with_mesh, 1, "mesh.anm", &err) != 0 || save_with(doc, gem1, 1, "gem1.anm", &err) != 0 ||
        save_with(doc, gem3, 2, "gem3.anm", &err) != 0) {
        fprintf(stderr, "make-seeds: %s\n", err.text);
        return 1;
    }
    if (save_niff(nif_everything, 1, "all-1.niff", &err) != 0 ||
        save_niff(nif_everything, 2, "all-2.niff", &err) != 0 ||
        save_niff(nif_ordinary, 1, "plain-1.niff", &err) != 0 ||
        save_niff(nif_ordinary, 2, "plain-2.niff", &err) != 0 || save_niff(nif_empty, 1, "empty-1.niff", &err) != 0 ||
        save_niff(nif_empty, 2, "empty-2.niff", &err) != 0) {
        fprintf(stderr, "make-seeds: %s\n", err.text);
        return 1;
    }
    return 0;
}
