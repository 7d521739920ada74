/* SPDX-License-Identifier: MIT */
/* .anmfs/info.json: what the file is, its groups, and what is unusual about it (formats: NIFF 2, 3, 6). */
#include "niff_tree.h"

#include "json.h"

#include <stdio.h>
#include <string.h>

enum { FILE_SIZE = 1, FILE_HEAD = 100, BLENDER_HEADER = 196 };

/* What one pass over all groups counts. */
struct counts {
    uint32_t anims, keys[NIFF_CHANNELS];
    uint32_t raw, wrong_index, wrong_size, wrong_header, slack, unknown_type, unknown_order, lost_name, repeated_names;
    uint32_t unordered, odd_next, odd_use, clash;
};

/* --- groups --- */

static bool is_filled(const uint8_t *block, unsigned constraint)
{
    bool filled = false;
    for (unsigned k = 0; k < 2; k++)
        filled |= niff_word(block, NIFF_B_PAIR + 2 * constraint + k) != NIFF_NONE ||
                  niff_word(block, NIFF_B_EXTERNAL + 2 * constraint + k) != NIFF_NONE;
    return filled;
}

/* Channels and constraints of which the specification allows one only. */
static bool clashes(uint32_t use)
{
    enum { AXIS = 1, X = 2, Y = 4, Z = 8, XY = 0x10, TRANSLATION = 0x20, UNIQUE = 0x40, CLASSICAL = 0x80 };
    static const struct {
        uint32_t one, other;
    } pairs[] = {
        {AXIS, X | Y | Z | XY},       {XY, X | Y | Z},
        {UNIQUE, CLASSICAL},          {0x0100, AXIS | Y | Z | XY},
        {0x0200, AXIS | X | Y | XY},  {0x0400, AXIS | X | Z | XY},
        {0x0800, AXIS | X | Y | XY},  {0x1000, TRANSLATION},
        {0x6000, UNIQUE | CLASSICAL},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (use & pairs[i].one && use & pairs[i].other)
            return true;
    return false;
}

static void count_block(struct counts *c, const struct niff_view *v)
{
    const uint8_t *block = v->bytes + v->block;
    uint32_t use = niff_word(block, NIFF_B_USE);
    bool odd = false;
    for (unsigned i = 0; i < NIFF_CHANNELS; i++) {
        c->keys[i] += v->count[i];
        odd |= !(use >> i & 1) != !v->count[i];
    }
    for (unsigned i = 0; i < NIFF_CONSTRAINTS; i++)
        odd |= !(use >> (8 + i) & 1) == is_filled(block, i);
    c->odd_use += odd;
    c->clash += clashes(use);
}

/* `place`: which of the group's Anims it is. */
static void count_anim(struct counts *c, const struct niff_entry *entry, uint32_t place)
{
    c->raw += entry->raw;
    c->wrong_index += niff_word(entry->bytes, 1) != place;
    if (!entry->raw && niff_word(entry->bytes, 0) == niff_anim_tag(NIFF_KEY))
        c->odd_next += niff_word(entry->bytes, 4) != entry->next;
}

static void count_group(struct counts *c, const struct niff_doc *doc, const struct niff_index *index, uint32_t group,
                        uint32_t names)
{
    const struct niff_view v = niff_group_view(doc, group);
    uint32_t head = niff_word(v.bytes, NIFF_G_HEADER_SIZE), order = niff_word(v.bytes, NIFF_G_ORDER);
    uint32_t name = niff_word(v.bytes, NIFF_G_NAME), place = 0;
    c->anims += v.anims;
    c->wrong_index += niff_word(v.bytes, NIFF_G_INDEX) != group;
    c->wrong_size += niff_word(v.bytes, NIFF_G_SIZE) != v.size;
    c->wrong_header += head != 4 * NIFF_GROUP_WORDS && head != BLENDER_HEADER;
    c->slack += v.rest < v.size;
    c->unknown_type += !niff_type_word(niff_word(v.bytes, NIFF_G_TYPE));
    c->unknown_order += (order >> 16) + (order >> 8 & 0xff) + (order & 0xff) != 6 || order > 0x00030201;
    c->lost_name += name >= names && name != NIFF_NONE;
    c->repeated_names += doc->groups[group].ordinal > 1;
    c->unordered += !index->ordered[group];
    for (uint32_t i = index->first[group]; i < index->first[group + 1]; i++)
        if (index->entries[i].lane == NIFF_LANE_ANIM)
            count_anim(c, &index->entries[i], place++);
    if (v.has_channels)
        count_block(c, &v);
}

/* --- warnings --- */

static bool warn_groups(cJSON *w, const struct counts *c)
{
    const struct {
        uint32_t count;
        const char *what;
    } of_groups[] = {
        {c->wrong_size, "give a size that is not their own (anim_group_size)"},
        {c->wrong_header, "have a header size that is neither 48 nor 196"},
        {c->slack, "have bytes behind their blocks"},
        {c->unknown_type, "are of a type that is not known"},
        {c->unknown_order, "have a rotation order that is not known"},
        {c->lost_name, "have a name that is not in the NameList"},
        {c->repeated_names, "repeat a name"},
        {c->unordered, "have keys that do not ascend"},
        {c->odd_use, "have flags that are not those of their channels and constraints"},
        {c->clash, "use channels or constraints together of which one overrides the other"},
    };
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof of_groups / sizeof *of_groups; i++)
        ok = !of_groups[i].count || anm_json_warn(w, "%u groups %s", of_groups[i].count, of_groups[i].what);
    ok = ok &&
         (!c->raw ||
          anm_json_warn(w, "%u Anims do not go with the type of their group, or are of no known kind: raw", c->raw));
    ok = ok &&
         (!c->wrong_index || anm_json_warn(w, "%u index numbers are not the place of their record", c->wrong_index));
    return ok && (!c->odd_next || anm_json_warn(w, "%u keys give a next_key that is not the next key", c->odd_next));
}

static bool warn_lists(cJSON *w, const struct niff_doc *doc)
{
    const uint8_t *head = doc->head->bytes;
    bool ok = true;
    size_t total = doc->head->size + (doc->tail ? doc->tail->size : 0);
    for (uint32_t i = 0; i < doc->list_count; i++) {
        const struct niff_kind *kind = doc->lists[i].kind;
        size_t size = niff_list_size(doc, &doc->lists[i]), word = niff_size_word(doc, kind);
        total += size;
        if (ok && word && niff_word(head, word) != size)
            ok = anm_json_warn(w, "the file header gives %u bytes to %s, which has %zu", niff_word(head, word),
                               kind->title, size);
    }
    if (ok && niff_word(head, FILE_SIZE) != total)
        ok = anm_json_warn(w, "file_size is %u, and the file has %zu bytes", niff_word(head, FILE_SIZE), total);
    return ok && (!doc->tail || anm_json_warn(w, "%zu bytes behind the last list", doc->tail->size));
}

/* --- users --- */

/* Appends "KIND NAME" and the role to the users of a group. */
static bool add_user(cJSON *users, const struct niff_index *index, unsigned kind, uint32_t node, const char *role)
{
    ANM_AUTO(anm_buf_free) struct anm_buf text = {0};
    niff_put_node(&text, index, niff_node_kinds[kind].tag, node);
    anm_buf_puts(&text, role);
    const char *string = anm_buf_cstr(&text);
    cJSON *item = string ? cJSON_CreateString(string) : NULL;
    return item && cJSON_AddItemToArray(users, item);
}

/* The objects that a camera looks from, to and up along: whose animation moves it. */
static bool add_cameras(cJSON **users, const struct niff_doc *doc, const struct niff_index *index)
{
    static const char *const roles[] = {" (looked at by a camera)", " (eye of a camera)", " (up of a camera)"};
    for (struct niff_walk walk = niff_walk(niff_kind_of(NIFF_CAM), niff_list_bytes(doc, NIFF_CAM));
         niff_walk_next(&walk);)
        for (unsigned i = 0; i < 3; i++) {
            uint32_t obj = niff_word(walk.bytes->bytes + walk.at, 14 + i);
            uint32_t group = obj < index->nodes[NIFF_NODE_OBJ].count ? index->links[NIFF_NODE_OBJ][obj] : NIFF_NONE;
            if (group < doc->group_count && !add_user(users[group], index, NIFF_NODE_OBJ, obj, roles[i]))
                return false;
        }
    return true;
}

static bool add_users(cJSON **users, const struct niff_doc *doc, const struct niff_index *index)
{
    for (unsigned kind = 0; kind < NIFF_NODES; kind++)
        for (uint32_t i = 0; i < index->nodes[kind].count; i++) {
            uint32_t group = index->links[kind][i];
            if (group < doc->group_count && !add_user(users[group], index, kind, i, ""))
                return false;
        }
    return add_cameras(users, doc, index);
}

/* --- the object --- */

static bool add_head(cJSON *root, const struct niff_doc *doc, const struct niff_index *index, const struct counts *c)
{
    ANM_AUTO(anm_buf_free) struct anm_buf format = {0};
    struct anm_error ignored;
    niff_render_format(&doc->doc, NULL, &format, &ignored);
    if (!format.failed)
        format.size -= 1; /* the line end */
    const char *text = anm_buf_cstr(&format);
    uint32_t version = niff_version(doc);
    bool ok = text && cJSON_AddStringToObject(root, "family", "niff") &&
              cJSON_AddStringToObject(root, "version", text + strlen("niff ")) &&
              anm_json_number(root, "creator", version >> 24) && anm_json_number(root, "tool", version >> 16 & 0xff) &&
              anm_json_number(root, "frames", index->frame_count) && anm_json_number(root, "bones", doc->group_count) &&
              anm_json_number(root, "keys", index->first[doc->group_count]);
    if (ok && index->frame_count)
        ok = anm_json_number(root, "first_frame", index->numbers[0]) &&
             anm_json_number(root, "last_frame", index->numbers[index->frame_count - 1]);
    cJSON *channels = ok ? cJSON_AddObjectToObject(root, "channels") : NULL;
    ok = channels && anm_json_number(channels, "anim", c->anims);
    for (unsigned i = 0; ok && niff_is_2(doc) && i < NIFF_CHANNELS; i++)
        ok = anm_json_number(channels, niff_channels[i].name, c->keys[i]);
    return ok;
}

/* Adds one group; its array of users. */
static cJSON *add_group(cJSON *groups, const struct niff_doc *doc, const struct niff_index *index, uint32_t group)
{
    size_t size;
    uint32_t type = niff_group_word(doc, group, NIFF_G_TYPE);
    cJSON *object = cJSON_CreateObject();
    if (!object || !cJSON_AddItemToArray(groups, object)) {
        cJSON_Delete(object);
        return NULL;
    }
    const char *word = niff_type_word(type);
    bool ok = cJSON_AddStringToObject(object, "name", anm_names_text(&index->groups, group, &size)) &&
              (word ? cJSON_AddStringToObject(object, "type", word) != NULL : anm_json_number(object, "type", type)) &&
              anm_json_number(object, "frame_rate", niff_group_word(doc, group, NIFF_G_RATE)) &&
              anm_json_number(object, "loop", niff_group_word(doc, group, NIFF_G_LOOP)) &&
              anm_json_number(object, "keys", index->first[group + 1] - index->first[group]);
    return ok ? cJSON_AddArrayToObject(object, "users") : NULL;
}

static bool add_groups(cJSON *root, const struct niff_doc *doc, const struct niff_index *index)
{
    cJSON *groups = cJSON_AddArrayToObject(root, "groups");
    ANM_AUTO(anm_freep) cJSON **users = anm_alloc(0, doc->group_count, sizeof *users);
    if (!groups || !users)
        return false;
    for (uint32_t i = 0; i < doc->group_count; i++)
        if (!(users[i] = add_group(groups, doc, index, i)))
            return false;
    return add_users(users, doc, index);
}

int niff_render_info(const struct anm_doc *anm, const struct anm_ref *ref, struct anm_buf *out, struct anm_error *err)
{
    (void)ref;
    const struct niff_doc *doc = niff_const(anm);
    const struct niff_index *index = niff_index(doc, err);
    struct counts c = {0};
    uint32_t names = niff_walk(niff_kind_of(NIFF_NAME), niff_list_bytes(doc, NIFF_NAME)).count;
    if (!index)
        return -1;
    for (uint32_t i = 0; i < doc->group_count; i++)
        count_group(&c, doc, index, i, names);
    ANM_AUTO(anm_json_clean) cJSON *root = cJSON_CreateObject();
    bool ok = root && add_head(root, doc, index, &c) && add_groups(root, doc, index);
    cJSON *warnings = ok ? cJSON_AddArrayToObject(root, "warnings") : NULL;
    ok = warnings && warn_lists(warnings, doc) && warn_groups(warnings, &c);
    return ok ? anm_json_print(root, out, err) : anm_fail_nomem(err);
}
