/* SPDX-License-Identifier: MIT */
#include "names.h"

#include "anm/lines.h"
#include "anm/name.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

int anm_names_start(struct anm_names *names, const char *what, uint32_t count)
{
    *names = (struct anm_names){.what = what, .count = count};
    names->at = anm_alloc(0, count, sizeof *names->at);
    names->start = anm_alloc(0, (size_t)count + 1, sizeof *names->start);
    names->sorted = anm_alloc(0, count, sizeof *names->sorted);
    return names->at && names->start && names->sorted ? 0 : -1;
}

void anm_names_free(struct anm_names *names)
{
    free(names->at);
    free(names->start);
    free(names->sorted);
    anm_buf_free(&names->text);
}

static int compare_to(const struct anm_named *thing, const void *raw, size_t size, uint32_t ordinal)
{
    int order = anm_bytes_compare(thing->raw, thing->size, raw, size);
    return order ? order : (thing->ordinal > ordinal) - (thing->ordinal < ordinal);
}

static int compare(const void *left, const void *right, void *things)
{
    uint32_t i = *(const uint32_t *)left, k = *(const uint32_t *)right;
    const struct anm_named *at = things;
    int order = compare_to(&at[i], at[k].raw, at[k].size, at[k].ordinal);
    return order ? order : (i > k) - (i < k);
}

static void sort(struct anm_names *names)
{
    for (uint32_t i = 0; i < names->count; i++)
        names->sorted[i] = i;
    if (names->count)
        qsort_r(names->sorted, names->count, sizeof *names->sorted, compare, names->at);
}

void anm_names_number(struct anm_names *names)
{
    sort(names); /* all ordinals are 0: by name and number */
    const struct anm_named *before = NULL;
    for (uint32_t i = 0; i < names->count; i++) {
        struct anm_named *thing = &names->at[names->sorted[i]];
        bool again = before && anm_bytes_compare(before->raw, before->size, thing->raw, thing->size) == 0;
        thing->ordinal = again ? before->ordinal + 1 : 1;
        before = thing;
    }
}

int anm_names_done(struct anm_names *names)
{
    for (uint32_t i = 0; i < names->count; i++) {
        anm_name_put(&names->text, names->at[i].raw, names->at[i].size, names->at[i].ordinal);
        anm_buf_putc(&names->text, 0);
        names->start[i + 1] = names->text.size;
    }
    sort(names);
    return names->text.failed ? -1 : 0;
}

const char *anm_names_text(const struct anm_names *names, uint32_t i, size_t *size)
{
    *size = names->start[i + 1] - names->start[i] - 1;
    return (const char *)names->text.data + names->start[i];
}

void anm_names_put_path(const struct anm_names *names, uint32_t i, struct anm_buf *out)
{
    anm_name_put_path(out, names->at[i].raw, names->at[i].size, names->at[i].ordinal);
}

bool anm_names_find(const struct anm_names *names, const void *raw, size_t size, uint32_t ordinal, uint32_t *i)
{
    uint32_t low = 0, high = names->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = compare_to(&names->at[names->sorted[middle]], raw, size, ordinal);
        if (order == 0) {
            *i = names->sorted[middle];
            return true;
        }
        low = order < 0 ? middle + 1 : low;
        high = order < 0 ? high : middle;
    }
    return false;
}

/* True for the cut form of a long name: …~h and eight hex digits. */
static bool is_cut(const char *name, size_t size)
{
    enum { TAIL = 10 };
    return size > TAIL && memcmp(name + size - TAIL, "~h", 2) == 0 &&
           strspn(name + size - TAIL + 2, "0123456789abcdef") >= TAIL - 2;
}

static int find_cut(const struct anm_names *names, const char *name, size_t size, uint32_t *found,
                    struct anm_error *err)
{
    ANM_AUTO(anm_buf_free) struct anm_buf path = {0};
    for (uint32_t i = 0; i < names->count; i++) {
        if (names->start[i + 1] - names->start[i] - 1 <= ANM_NAME_MAX)
            continue;
        path.size = 0;
        anm_names_put_path(names, i, &path);
        if (path.failed)
            return anm_fail_nomem(err);
        if (path.size == size && memcmp(path.data, name, size) == 0) {
            *found = i;
            return 0;
        }
    }
    return anm_fail(err, ANM_NOENT, "there is no %s %.*s", names->what, (int)size, name);
}

/* A name has one spelling in a path, so that a node has one path. */
static int check_spelling(const char *name, size_t size, const uint8_t *raw, size_t raw_size, uint32_t ordinal,
                          struct anm_error *err)
{
    ANM_AUTO(anm_buf_free) struct anm_buf canonical = {0};
    anm_name_put(&canonical, raw, raw_size, ordinal);
    if (!anm_buf_cstr(&canonical))
        return anm_fail_nomem(err);
    if (canonical.size == size && memcmp(canonical.data, name, size) == 0)
        return 0;
    return anm_fail(err, ANM_NAME, "%.*s is spelled %s", (int)size, name, (const char *)canonical.data);
}

int anm_names_find_path(const struct anm_names *names, const char *name, size_t size, uint32_t *i,
                        struct anm_error *err)
{
    ANM_AUTO(anm_buf_free) struct anm_buf raw = {0};
    uint32_t ordinal;
    if (is_cut(name, size))
        return find_cut(names, name, size, i, err);
    if (anm_name_parse(name, size, &raw, &ordinal, err))
        return -1;
    if (anm_names_find(names, raw.data, raw.size, ordinal, i))
        return check_spelling(name, size, raw.data, raw.size, ordinal, err);
    const char *nearest = anm_names_nearest(names, name, size);
    return anm_fail(err, ANM_NOENT, "there is no %s %.*s%s%.250s", names->what, (int)size, name,
                    nearest ? "; the nearest is " : "", nearest ? nearest : "");
}

int anm_names_parse_new(const struct anm_names *names, const char *name, struct anm_buf *raw, uint32_t *ordinal,
                        struct anm_error *err)
{
    size_t size = strlen(name);
    uint32_t before;
    if (is_cut(name, size))
        return anm_fail(err, ANM_NAME, "%s is the cut form of a long name: a %s cannot be given it", name, names->what);
    if (anm_name_parse(name, size, raw, ordinal, err))
        return -1;
    if (*ordinal > 1 && !anm_names_find(names, raw->data, raw->size, *ordinal - 1, &before))
        return anm_fail(err, ANM_NAME, "%s cannot be made: %ss of one name are numbered 2, 3 … behind the first", name,
                        names->what);
    return check_spelling(name, size, raw->data, raw->size, *ordinal, err);
}

const char *anm_names_nearest(const struct anm_names *names, const char *text, size_t size)
{
    enum { LOOK_AT = 1024, LONGEST = 64 }; /* a hint is not worth more work than this */
    ANM_AUTO(anm_freep) const char **words = anm_alloc(0, LOOK_AT + 1, sizeof *words);
    uint32_t count = 0;
    for (uint32_t i = 0; words && size <= LONGEST && i < names->count && count < LOOK_AT; i++) {
        size_t length;
        const char *name = anm_names_text(names, i, &length);
        if (length == size && strncasecmp(name, text, size) == 0)
            return name;
        if (length <= LONGEST)
            words[count++] = name;
    }
    return words ? anm_nearest(text, size, words) : NULL;
}
