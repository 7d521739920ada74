/* SPDX-License-Identifier: MIT */
/* Keys frame by frame and bone by bone. */
#include "dump.h"

#include "anm/num.h"

#include <stdlib.h>
#include <string.h>

/* A line of keys. */
struct line {
    const char *text; /* with its line feed */
    size_t size;
    uint32_t frame, ordinal; /* of the frame */
    const char *name;
    size_t name_size;
    uint32_t key;   /* the ordinal of the bone's key in the frame */
    uint32_t at;    /* its number */
    uint32_t rank;  /* the number of the first line of that name */
    uint32_t place; /* of the key in its frame, as an order line has it */
};

struct table {
    struct line *at;
    size_t count;
};

/* Takes the next field of a line off its front. */
static const char *take_field(const char **at, const char *end, size_t *size)
{
    while (*at < end && (**at == ' ' || **at == '\t'))
        ++*at;
    const char *start = *at;
    while (*at < end && **at != ' ' && **at != '\t')
        ++*at;
    *size = (size_t)(*at - start);
    return start;
}

/* A number, and behind `mark` another, 1 without it. False when it is none of both. */
static bool read_ordinal(const char *text, size_t size, char mark, size_t *before, uint32_t *ordinal)
{
    const char *found = memrchr(text, mark, size);
    *ordinal = 1;
    *before = found ? (size_t)(found - text) : size;
    return !found || anm_u32_parse(found + 1, size - *before - 1, UINT32_MAX, ordinal) == ANM_NUM_OK;
}

static bool read_frame(const char *text, size_t size, uint32_t *frame, uint32_t *ordinal)
{
    size_t digits;
    return read_ordinal(text, size, '~', &digits, ordinal) &&
           anm_u32_parse(text, digits, UINT32_MAX, frame) == ANM_NUM_OK;
}

/* What is no key line is none for the tree either, which says so. */
static struct line read_line(const char *text, size_t size, uint32_t number)
{
    struct line line = {.text = text, .size = size, .at = number};
    const char *at = text, *end = text + size - 1;
    size_t field_size, before;
    const char *field = take_field(&at, end, &field_size);
    read_frame(field, field_size, &line.frame, &line.ordinal);
    line.name = take_field(&at, end, &line.name_size);
    field = take_field(&at, end, &field_size);
    read_ordinal(field, field_size, '~', &before, &line.key);
    return line;
}

static int compare_names(const struct line *a, const struct line *b)
{
    return anm_bytes_compare(a->name, a->name_size, b->name, b->name_size);
}

static int compare_numbers(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

static int by_name(const void *left, const void *right)
{
    const struct line *a = left, *b = right;
    int order = compare_names(a, b);
    return order ? order : compare_numbers(a->at, b->at);
}

static int by_rank(const void *left, const void *right)
{
    const struct line *a = left, *b = right;
    int order = compare_numbers(a->rank, b->rank);
    return order ? order : compare_numbers(a->at, b->at);
}

static int compare_frames(const struct line *a, const struct line *b)
{
    int order = compare_numbers(a->frame, b->frame);
    return order ? order : compare_numbers(a->ordinal, b->ordinal);
}

static int by_frame(const void *left, const void *right)
{
    const struct line *a = left, *b = right;
    int order = compare_frames(a, b);
    if (!order)
        order = compare_numbers(a->place, b->place);
    if (!order)
        order = compare_numbers(a->rank, b->rank);
    if (!order)
        order = compare_numbers(a->key, b->key);
    return order ? order : compare_numbers(a->at, b->at);
}

/* By frame, name and key: to be found. */
static int by_key(const void *left, const void *right)
{
    const struct line *a = left, *b = right;
    int order = compare_frames(a, b);
    if (!order)
        order = compare_names(a, b);
    return order ? order : compare_numbers(a->key, b->key);
}

static void sort(struct line *at, size_t count, int (*compare)(const void *, const void *))
{
    if (count > 1)
        qsort(at, count, sizeof *at, compare);
}

/* The lines of a text that ends each by a line feed, ranked, by name. */
static int read_table(const struct anm_buf *text, struct table *table, struct anm_error *err)
{
    size_t count = 0;
    for (size_t i = 0; i < text->size; i++)
        count += text->data[i] == '\n';
    *table = (struct table){.at = anm_alloc(0, count + 1, sizeof *table->at)};
    if (!table->at)
        return anm_fail_nomem(err);
    const char *at = text->size ? (const char *)text->data : "", *end = at + text->size;
    while (table->count < count) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        table->at[table->count] = read_line(at, (size_t)(stop - at) + 1, (uint32_t)table->count);
        table->count++;
        at = stop + 1;
    }
    sort(table->at, count, by_name);
    for (size_t i = 0; i < count; i++) {
        bool same = i > 0 && compare_names(&table->at[i - 1], &table->at[i]) == 0;
        table->at[i].rank = same ? table->at[i - 1].rank : table->at[i].at;
    }
    return 0;
}

static void put_lines(struct anm_buf *out, const struct table *table)
{
    for (size_t i = 0; i < table->count; i++)
        anm_buf_put(out, table->at[i].text, table->at[i].size);
}

static int by_number(const void *left, const void *right)
{
    return compare_numbers(((const struct line *)left)->at, ((const struct line *)right)->at);
}

/* One of the keys of a frame before the other as ranks have it. */
static bool ascends(const struct line *a, const struct line *b)
{
    return a->rank < b->rank || (a->rank == b->rank && a->key <= b->key);
}

static void put_order(struct anm_buf *out, const struct line *at, size_t count)
{
    bool usual = true;
    for (size_t i = 1; i < count && usual; i++)
        usual = ascends(&at[i - 1], &at[i]);
    if (usual)
        return;
    const char *rest = at->text;
    size_t size;
    const char *frame = take_field(&rest, at->text + at->size - 1, &size);
    anm_buf_put(out, frame, size);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && at[i - 1].rank == at[i].rank && at[i - 1].key == at[i].key)
            continue;
        anm_buf_putc(out, ' ');
        anm_buf_put(out, at[i].name, at[i].name_size);
        if (at[i].key > 1)
            anm_buf_printf(out, "/%u", at[i].key);
    }
    anm_buf_putc(out, '\n');
}

int keys_by_bone(const struct anm_buf *keys, struct anm_buf *out, struct anm_buf *order, struct anm_error *err)
{
    struct table table;
    if (read_table(keys, &table, err))
        return -1;
    sort(table.at, table.count, by_number);
    for (size_t i = 0, next; i < table.count; i = next) {
        for (next = i + 1; next < table.count && compare_frames(&table.at[i], &table.at[next]) == 0;)
            next++;
        put_order(order, &table.at[i], next - i);
    }
    sort(table.at, table.count, by_rank);
    put_lines(out, &table);
    free(table.at);
    return out->failed || order->failed ? anm_fail_nomem(err) : 0;
}

/* --- back --- */

/* Adds the keys of an order line to `places`. */
static int read_order(const char *at, const char *end, const struct anm_origin *origin, struct anm_buf *places,
                      struct anm_error *err)
{
    struct line key = {0};
    size_t size;
    const char *start = at, *field = take_field(&at, end, &size);
    if (!read_frame(field, size, &key.frame, &key.ordinal))
        return anm_fail_line(err, origin->line, origin->column + (uint32_t)(field - start),
                             "expected a frame, found %.*s", size > 200 ? 200 : (int)size, field);
    for (key.place = 0;; key.place++) {
        key.name = take_field(&at, end, &size);
        if (size == 0)
            return places->failed ? anm_fail_nomem(err) : 0;
        if (!read_ordinal(key.name, size, '/', &key.name_size, &key.key))
            return anm_fail_line(err, origin->line, origin->column + (uint32_t)(key.name - start),
                                 "expected a bone, as turret or turret/2, found %.*s", size > 200 ? 200 : (int)size,
                                 key.name);
        anm_buf_put(places, &key, sizeof key);
    }
}

static int read_orders(const struct anm_part *order, struct anm_buf *places, struct anm_error *err)
{
    const struct anm_origin *origins = (const void *)order->origins.data;
    const char *at = order->bytes.size ? (const char *)order->bytes.data : "", *end = at + order->bytes.size;
    for (uint32_t i = 0; at < end; i++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (read_order(at, stop, &origins[i], places, err))
            return -1;
        at = stop + 1;
    }
    sort((struct line *)(void *)places->data, places->size / sizeof(struct line), by_key);
    return 0;
}

/* Where an order line has the key of a line; behind all others where it has not, and before them where there is no such line. */
static uint32_t place_of(const struct line *line, const struct line *places, size_t count)
{
    struct line first = {.frame = line->frame, .ordinal = line->ordinal};
    size_t low = 0, high = count;
    const struct line *found = count ? bsearch(line, places, count, sizeof *places, by_key) : NULL;
    if (found)
        return found->place;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_frames(&places[middle], &first) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && compare_frames(&places[low], &first) == 0 ? UINT32_MAX : 0;
}

int keys_by_frame(struct anm_part *keys, const struct anm_part *order, struct anm_error *err)
{
    ANM_AUTO(anm_buf_free) struct anm_buf places = {0}, bytes = {0}, origins = {0};
    struct table table;
    if (read_orders(order, &places, err) || read_table(&keys->bytes, &table, err))
        return -1;
    const struct anm_origin *from = (const void *)keys->origins.data;
    for (size_t i = 0; i < table.count; i++)
        table.at[i].place = place_of(&table.at[i], (const void *)places.data, places.size / sizeof(struct line));
    sort(table.at, table.count, by_frame);
    put_lines(&bytes, &table);
    for (size_t i = 0; i < table.count; i++)
        anm_buf_put(&origins, &from[table.at[i].at], sizeof *from);
    free(table.at);
    if (bytes.failed || origins.failed)
        return anm_fail_nomem(err);
    struct anm_buf old = keys->bytes, old_origins = keys->origins;
    keys->bytes = bytes;
    keys->origins = origins;
    bytes = old;
    origins = old_origins;
    return 0;
}
