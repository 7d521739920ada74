/* SPDX-License-Identifier: MIT */
/* .anmfs/info.json: what the file is, counts, and what is unusual about it. */
#include "gem_tree.h"

#include "json.h"

#include <stdio.h>
#include <string.h>

/* What one pass over all keys counts. */
struct counts {
    uint32_t keys, position, orientation, matrix, mirrored, scale, visible, mesh;
    uint32_t repeated_keys, unknown_flags, over_unit, odd_meshes, never_keyed, repeated_bones, repeated_frames;
};

static double to_double(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static uint32_t u32le(const uint8_t *b)
{
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* Whether the runs of a mesh end exactly at its end when a vertex takes `stride` bytes. A run is first u32, count u16,
 * flags u16, vertices, and with flag 1 the six floats of a box; a header of zeros ends the last one. */
static bool stride_fits(const struct anm_blob *mesh, size_t stride)
{
    size_t pos = 0;
    while (mesh->size - pos >= 8) {
        const uint8_t *head = mesh->bytes + pos;
        size_t count = head[4] | (size_t)head[5] << 8, box = head[6] & 1 ? 24 : 0;
        pos += 8;
        if (count == 0)
            return u32le(head) == 0 && u32le(head + 4) == 0 && pos == mesh->size;
        if (mesh->size - pos < count * stride + box)
            return false;
        pos += count * stride + box;
    }
    return false;
}

static bool mesh_parses(const struct anm_blob *mesh)
{
    unsigned fits = 0;
    for (size_t stride = 12; stride <= 256; stride += 4)
        fits += stride_fits(mesh, stride);
    return fits == 1;
}

static void count_key(struct counts *c, const struct gem_key *key, unsigned kind)
{
    bool frmn = kind == GEM_FRMN;
    c->keys++;
    c->matrix += frmn && key->flags & GEM_MATRIX;
    c->position += !frmn && key->flags & GEM_POSITION;
    c->orientation += !frmn && key->flags & GEM_ORIENTATION;
    c->mirrored += !frmn && key->flags & GEM_MIRRORED;
    c->scale += !frmn && key->flags & GEM_SCALE;
    c->visible += (key->flags & (frmn ? GEM_VISI : GEM_SHOW | GEM_HIDE)) != 0;
    c->mesh += key->mesh != NULL;
    c->odd_meshes += key->mesh && !mesh_parses(key->mesh);
    c->repeated_keys += key->ordinal > 1;
    c->unknown_flags += !frmn && key->flags & ~(uint32_t)GEM_KNOWN;
    if (!frmn && key->flags & GEM_ORIENTATION) {
        double x = to_double(key->v[3]), y = to_double(key->v[4]), z = to_double(key->v[5]);
        c->over_unit += !(x * x + y * y + z * z <= 1 + 1e-6);
    }
}

static struct counts count_all(const struct gem_doc *doc, const struct gem_index *index)
{
    struct counts c = {0};
    for (uint32_t f = 0; f < doc->frame_count; f++) {
        c.repeated_frames += doc->frames[f]->ordinal > 1;
        for (uint32_t k = 0; k < doc->frames[f]->count; k++)
            count_key(&c, &doc->frames[f]->keys[k], doc->frames[f]->kind);
    }
    for (uint32_t b = 0; b < doc->bones->count; b++) {
        c.never_keyed += index->first[b] == index->first[b + 1];
        c.repeated_bones += doc->bones->bones[b].ordinal > 1;
    }
    return c;
}

static bool known_version(uint32_t version)
{
    return version == 0x00030000 || version == 0x00040000 || version == 0x00050000 || version == 0x00060000 ||
           version == 0x00060001;
}

static bool warn_frames(cJSON *w, const struct gem_doc *doc, const struct counts *c)
{
    int64_t last = gem_last(doc);
    bool ok = known_version(doc->version) ||
              anm_json_warn(w, "version %u.%u is not known", doc->version >> 16, doc->version & 0xffff);
    ok &= doc->length == last + 1 ||
          anm_json_warn(w, "the length is %u, the last frame %lld", doc->length, (long long)last);
    ok &= gem_ascending(doc) || anm_json_warn(w, "frame numbers do not ascend");
    ok &= !c->repeated_frames || anm_json_warn(w, "%u frames repeat a number", c->repeated_frames);
    ok &= !gem_is_mixed(doc) || anm_json_warn(w, "frames of several kinds");
    return ok;
}

static bool warn_keys(cJSON *w, const struct gem_doc *doc, const struct counts *c)
{
    bool ok = !c->repeated_bones || anm_json_warn(w, "%u bones repeat a name", c->repeated_bones);
    ok &= !c->repeated_keys || anm_json_warn(w, "%u keys repeat a bone within a frame", c->repeated_keys);
    ok &= !c->never_keyed || anm_json_warn(w, "%u bones are never keyed", c->never_keyed);
    ok &= !c->over_unit || anm_json_warn(w, "%u orientations are longer than 1", c->over_unit);
    ok &= !c->unknown_flags || anm_json_warn(w, "%u keys have flag bits without a name", c->unknown_flags);
    ok &= !c->odd_meshes || anm_json_warn(w, "%u meshes are not runs of vertices of one size", c->odd_meshes);
    ok &= (doc->coding == GEM_STRING8) == (doc->comment_count > 0) ||
          anm_json_warn(w, "the coding of the bone names is not the usual one %s a comment",
                        doc->comment_count ? "with" : "without");
    ok &= !doc->guessed || anm_json_warn(w, "the coding of a long bone name is a guess: no edits");
    return ok;
}

static bool add_head(cJSON *root, const struct gem_doc *doc)
{
    char version[16];
    snprintf(version, sizeof version, "%u.%u", doc->version >> 16, doc->version & 0xffff);
    return cJSON_AddStringToObject(root, "family", "gem") && cJSON_AddStringToObject(root, "version", version) &&
           cJSON_AddStringToObject(root, "kind", gem_kind_word(doc->kind, false)) &&
           cJSON_AddBoolToObject(root, "gem3", doc->comment_count > 0) &&
           cJSON_AddStringToObject(root, "names", doc->coding == GEM_STRING8 ? "string8" : "string32") &&
           anm_json_number(root, "length", doc->length);
}

static bool add_counts(cJSON *root, const struct gem_doc *doc, const struct gem_index *index, const struct counts *c)
{
    bool ok = anm_json_number(root, "frames", doc->frame_count) && anm_json_number(root, "bones", doc->bones->count) &&
              anm_json_number(root, "keys", c->keys);
    if (ok && index->number_count)
        ok = anm_json_number(root, "first_frame", index->numbers[0]) &&
             anm_json_number(root, "last_frame", (double)gem_last(doc));
    cJSON *channels = ok ? cJSON_AddObjectToObject(root, "channels") : NULL;
    return channels && anm_json_number(channels, "position", c->position) &&
           anm_json_number(channels, "orientation", c->orientation) && anm_json_number(channels, "matrix", c->matrix) &&
           anm_json_number(channels, "mirrored", c->mirrored) && anm_json_number(channels, "scale", c->scale) &&
           anm_json_number(channels, "visible", c->visible) && anm_json_number(channels, "mesh", c->mesh);
}

int gem_render_info(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_buf *out, struct anm_error *err)
{
    (void)ref;
    const struct gem_doc *doc = gem_const(anm);
    const struct gem_index *index = gem_index(doc, err);
    if (!index)
        return -1;
    struct counts c = count_all(doc, index);
    ANM_AUTO(anm_json_clean) cJSON *root = cJSON_CreateObject();
    bool ok = root && add_head(root, doc) && add_counts(root, doc, index, &c);
    cJSON *warnings = ok ? cJSON_AddArrayToObject(root, "warnings") : NULL;
    ok = warnings && warn_frames(warnings, doc, &c) && warn_keys(warnings, doc, &c);
    return ok ? anm_json_print(root, out, err) : anm_fail_nomem(err);
}
