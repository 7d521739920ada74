/* SPDX-License-Identifier: MIT */
#include "anm/compare.h"

#include "anm/num.h"
#include "anm/route.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Values of one key at most. */
enum { VALUES = 16 };

/* A line of the text of all keys: "FRAME NAME CHANNEL values". */
struct line {
    const char *text;
    size_t size;
    uint32_t frame, ordinal;
    const char *name, *channel;
    size_t name_size, channel_size;
};

struct lines {
    struct line *at;
    size_t count;
};

/* A bone that has another name in the second animation. */
struct renaming {
    char *from, *to;
};

struct comparison {
    const struct anm_doc *a, *b;
    int (*each)(void *arg, const struct anm_difference *difference);
    void *arg;
    struct anm_error *err;
    struct renaming *renamings;
    size_t renaming_count;
};

static void comparison_free(struct comparison *c)
{
    for (size_t i = 0; i < c->renaming_count; i++) {
        free(c->renamings[i].from);
        free(c->renamings[i].to);
    }
    free(c->renamings);
}

/* --- texts --- */

/* The content of a file; 0 with nothing in `out` when there is none, -1 when out of memory. */
static int text_of(const struct anm_doc *doc, const char *path, struct anm_buf *out, struct anm_error *err)
{
    struct anm_error none;
    struct anm_ref ref;
    if (anm_tree_find(doc, path, &ref, &none) != 0 || anm_ref_kind(&ref) == ANM_DIR)
        return 0;
    return anm_tree_render(doc, &ref, out, err);
}

/* Takes the next field of a line off its front. */
static const char *take_field(const char **at, const char *end, size_t *size)
{
    const char *start = *at, *blank = memchr(start, ' ', (size_t)(end - start));
    *size = (size_t)((blank ? blank : end) - start);
    *at = blank ? blank + 1 : end;
    return start;
}

static struct line read_line(const char *text, size_t size)
{
    struct line line = {.text = text, .size = size};
    const char *at = text, *end = text + size;
    size_t number_size;
    const char *number = take_field(&at, end, &number_size);
    const char *tilde = memchr(number, '~', number_size);
    size_t digits = tilde ? (size_t)(tilde - number) : number_size;
    anm_u32_parse(number, digits, UINT32_MAX, &line.frame);
    if (tilde)
        anm_u32_parse(tilde + 1, number_size - digits - 1, UINT32_MAX, &line.ordinal);
    line.name = take_field(&at, end, &line.name_size);
    line.channel = take_field(&at, end, &line.channel_size);
    return line;
}

static int compare_lines(const void *left, const void *right)
{
    const struct line *a = left, *b = right;
    if (a->frame != b->frame)
        return (a->frame > b->frame) - (a->frame < b->frame);
    if (a->ordinal != b->ordinal)
        return (a->ordinal > b->ordinal) - (a->ordinal < b->ordinal);
    int order = anm_bytes_compare(a->name, a->name_size, b->name, b->name_size);
    return order ? order : anm_bytes_compare(a->channel, a->channel_size, b->channel, b->channel_size);
}

/* The lines of a text that ends each by a line feed, sorted; NULL in `at` when out of memory. */
static struct lines sorted_lines(const struct anm_buf *text)
{
    struct lines lines = {NULL, 0};
    size_t count = 0;
    for (size_t i = 0; i < text->size; i++)
        count += text->data[i] == '\n';
    lines.at = anm_alloc(0, count + 1, sizeof *lines.at);
    const char *at = (const char *)text->data, *end = at + text->size;
    while (lines.at && lines.count < count) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        lines.at[lines.count++] = read_line(at, (size_t)(stop - at));
        at = stop + 1;
    }
    if (lines.count > 1)
        qsort(lines.at, lines.count, sizeof *lines.at, compare_lines);
    return lines;
}

/* --- keys --- */

/* What stands behind a line's channel, as numbers; 0 when there is something else. */
static size_t values_of(const struct line *line, double values[VALUES])
{
    const char *at = line->channel + line->channel_size, *end = line->text + line->size;
    size_t count = 0, size;
    at += at < end; /* the blank */
    while (at < end) {
        const char *field = take_field(&at, end, &size);
        if (count == VALUES || anm_f64_parse(field, size, &values[count++]) != ANM_NUM_OK)
            return 0;
    }
    return count;
}

static void measure(const struct comparison *c, const struct line *before, const struct line *after,
                    struct anm_difference *d)
{
    double a[VALUES], b[VALUES];
    size_t count = values_of(before, a);
    if (count == 0 || values_of(after, b) != count)
        return;
    d->measured = true;
    for (size_t i = 0; i < count; i++)
        d->deviation = fmax(d->deviation, fabs(a[i] - b[i]));
    double angle = anm_tree_turned(c->a, before->channel, before->channel_size, a, b, count);
    d->turned = angle >= 0;
    if (d->turned)
        d->deviation = angle;
}

static int tell_key(const struct comparison *c, const struct line *before, const struct line *after)
{
    struct anm_difference d = {.change = !before ? ANM_ADDED : !after ? ANM_REMOVED : ANM_CHANGED, .path = "keys"};
    if (before) {
        d.before = before->text;
        d.before_size = before->size;
    }
    if (after) {
        d.after = after->text;
        d.after_size = after->size;
    }
    if (before && after)
        measure(c, before, after, &d);
    return c->each(c->arg, &d);
}

/* The values alone: the name may be another. */
static bool same_values(const struct line *a, const struct line *b)
{
    const char *of_a = a->channel + a->channel_size, *of_b = b->channel + b->channel_size;
    return anm_bytes_compare(of_a, (size_t)(a->text + a->size - of_a), of_b, (size_t)(b->text + b->size - of_b)) == 0;
}

static int merge_keys(const struct comparison *c, const struct lines *a, const struct lines *b)
{
    size_t i = 0, k = 0;
    int result = 0;
    while (!result && (i < a->count || k < b->count)) {
        int order = i == a->count ? 1 : k == b->count ? -1 : compare_lines(&a->at[i], &b->at[k]);
        if (order < 0)
            result = tell_key(c, &a->at[i++], NULL);
        else if (order > 0)
            result = tell_key(c, NULL, &b->at[k++]);
        else {
            if (!same_values(&a->at[i], &b->at[k]))
                result = tell_key(c, &a->at[i], &b->at[k]);
            i++, k++;
        }
    }
    return result;
}

/* Keys of a renamed bone are those of its new name. */
static void rename_lines(const struct comparison *c, struct lines *lines)
{
    if (!c->renaming_count)
        return;
    for (size_t i = 0; i < lines->count; i++) {
        struct line *line = &lines->at[i];
        for (size_t r = 0; r < c->renaming_count; r++)
            if (anm_bytes_compare(line->name, line->name_size, c->renamings[r].from, strlen(c->renamings[r].from)) ==
                0) {
                line->name = c->renamings[r].to;
                line->name_size = strlen(c->renamings[r].to);
                break;
            }
    }
    qsort(lines->at, lines->count, sizeof *lines->at, compare_lines);
}

static int compare_keys(const struct comparison *c)
{
    ANM_AUTO(anm_buf_free) struct anm_buf a = {0}, b = {0};
    if (text_of(c->a, "keys", &a, c->err) || text_of(c->b, "keys", &b, c->err))
        return -1;
    struct lines before = sorted_lines(&a), after = sorted_lines(&b);
    int result = -1;
    if (before.at && after.at) {
        rename_lines(c, &before);
        result = merge_keys(c, &before, &after);
    } else {
        anm_fail_nomem(c->err);
    }
    free(before.at);
    free(after.at);
    return result;
}

/* --- renamed bones --- */

static bool has(const struct anm_doc *doc, const char *path)
{
    struct anm_error none;
    struct anm_ref ref;
    return anm_tree_find(doc, path, &ref, &none) == 0;
}

static const char *bone_path(struct anm_buf *path, const char *name, const char *below)
{
    path->size = 0;
    anm_buf_printf(path, "bones/%s%s", name, below);
    return anm_buf_cstr(path);
}

static int note_renaming(struct comparison *c, const char *from, const char *to)
{
    struct renaming *more = anm_realloc(c->renamings, c->renaming_count + 1, sizeof *more);
    if (!more)
        return anm_fail_nomem(c->err);
    c->renamings = more;
    struct renaming *r = &more[c->renaming_count++];
    *r = (struct renaming){strdup(from), strdup(to)};
    return r->from && r->to ? 0 : anm_fail_nomem(c->err);
}

/* Whether a name of the second animation is taken for a renamed one already. */
static bool is_target(const struct comparison *c, const char *name)
{
    for (size_t i = 0; i < c->renaming_count; i++)
        if (strcmp(c->renamings[i].to, name) == 0)
            return true;
    return false;
}

/* Whether half of the lines of the longer track are in both. -1 when out of memory. */
static int is_alike(const struct anm_buf *a, const struct anm_buf *b)
{
    struct lines of_a = sorted_lines(a), of_b = sorted_lines(b);
    size_t common = 0, most = of_a.count > of_b.count ? of_a.count : of_b.count;
    bool failed = !of_a.at || !of_b.at;
    for (size_t i = 0, k = 0; !failed && i < of_a.count && k < of_b.count;) {
        int order = compare_lines(&of_a.at[i], &of_b.at[k]);
        common +=
            order == 0 && anm_bytes_compare(of_a.at[i].text, of_a.at[i].size, of_b.at[k].text, of_b.at[k].size) == 0;
        i += order <= 0;
        k += order >= 0;
    }
    free(of_a.at);
    free(of_b.at);
    return failed ? -1 : common > 0 && 2 * common >= most;
}

/* Looks for a bone that only the second animation has, and has nearly this track. */
static int find_renamed(struct comparison *c, const char *name, const struct anm_buf *track)
{
    ANM_AUTO(anm_buf_free) struct anm_buf path = {0}, child = {0}, other = {0};
    struct anm_error none;
    struct anm_ref bones, ref;
    uint32_t cookie = 0;
    if (anm_tree_find(c->b, "bones", &bones, &none) != 0)
        return 0;
    while (anm_tree_next(c->b, &bones, 0, &cookie, &ref, &child)) {
        const char *to = anm_buf_cstr(&child), *at = to ? bone_path(&path, to, "") : NULL;
        if (!at)
            return anm_fail_nomem(c->err);
        bool candidate = !has(c->a, at) && !is_target(c, to);
        other.size = 0;
        if (candidate && (!(at = bone_path(&path, to, "/keys")) || text_of(c->b, at, &other, c->err)))
            return anm_fail_nomem(c->err);
        int alike = candidate ? is_alike(track, &other) : 0;
        if (alike)
            return alike < 0 ? anm_fail_nomem(c->err) : note_renaming(c, name, to);
        child.size = 0;
    }
    return 0;
}

/* A bone without keys could be any. */
static int find_renamings(struct comparison *c)
{
    ANM_AUTO(anm_buf_free) struct anm_buf path = {0}, child = {0}, track = {0};
    struct anm_error none;
    struct anm_ref bones, ref;
    uint32_t cookie = 0;
    if (anm_tree_find(c->a, "bones", &bones, &none) != 0)
        return 0;
    while (anm_tree_next(c->a, &bones, 0, &cookie, &ref, &child)) {
        const char *name = anm_buf_cstr(&child), *at = name ? bone_path(&path, name, "") : NULL;
        if (!at)
            return anm_fail_nomem(c->err);
        bool gone = !has(c->b, at);
        track.size = 0;
        if (gone && (!(at = bone_path(&path, name, "/keys")) || text_of(c->a, at, &track, c->err)))
            return anm_fail_nomem(c->err);
        if (gone && track.size && find_renamed(c, name, &track))
            return -1;
        child.size = 0;
    }
    return 0;
}

static int tell_renamings(const struct comparison *c)
{
    int result = 0;
    for (size_t i = 0; i < c->renaming_count && !result; i++) {
        const struct renaming *r = &c->renamings[i];
        const struct anm_difference d = {.change = ANM_RENAMED,
                                         .path = "bones",
                                         .before = r->from,
                                         .before_size = strlen(r->from),
                                         .after = r->to,
                                         .after_size = strlen(r->to)};
        result = c->each(c->arg, &d);
    }
    return result;
}

/* --- other files --- */

static int tell_line(const struct comparison *c, enum anm_change change, const char *path, const char *text,
                     size_t size)
{
    struct anm_difference d = {.change = change, .path = path};
    if (change == ANM_REMOVED) {
        d.before = text;
        d.before_size = size;
    } else {
        d.after = text;
        d.after_size = size;
    }
    return c->each(c->arg, &d);
}

/* Each line of a part of a text as added or removed. */
static int tell_lines(const struct comparison *c, enum anm_change change, const char *path, const char *text,
                      size_t size)
{
    int result = 0;
    for (const char *end = text + size; text < end && !result;) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        result = tell_line(c, change, path, text, (size_t)((stop ? stop : end) - text));
        text = stop ? stop + 1 : end;
    }
    return result;
}

/* What is left of two texts without the whole lines that both start and end with. */
static int compare_texts(const struct comparison *c, const char *path, const struct anm_buf *a, const struct anm_buf *b)
{
    const char *of_a = (const char *)a->data, *of_b = (const char *)b->data;
    size_t least = a->size < b->size ? a->size : b->size, start = 0, end = 0;
    for (size_t i = 0; i < least && of_a[i] == of_b[i]; i++)
        if (of_a[i] == '\n')
            start = i + 1;
    for (size_t i = 1; i + start <= least && of_a[a->size - i] == of_b[b->size - i]; i++)
        if (i + start == a->size || i + start == b->size || of_a[a->size - i - 1] == '\n')
            end = i;
    while (end > 0 &&
           ((end < a->size && of_a[a->size - end - 1] != '\n') || (end < b->size && of_b[b->size - end - 1] != '\n')))
        end--;
    int result = tell_lines(c, ANM_REMOVED, path, of_a + start, a->size - start - end);
    return result ? result : tell_lines(c, ANM_ADDED, path, of_b + start, b->size - start - end);
}

/* A file or an empty directory that is in one animation only; of a text each line, of bytes that they are there. */
static int tell_single(const struct comparison *c, const struct anm_doc *doc, enum anm_change change, const char *path,
                       const struct anm_ref *ref)
{
    ANM_AUTO(anm_buf_free) struct anm_buf text = {0};
    const struct anm_difference whole = {.change = change, .path = path};
    if (anm_ref_kind(ref) != ANM_FILE_TEXT)
        return c->each(c->arg, &whole);
    if (anm_tree_render(doc, ref, &text, c->err))
        return -1;
    return text.size ? tell_lines(c, change, path, (const char *)text.data, text.size) : 0;
}

static int compare_file(const struct comparison *c, const char *path, const struct anm_ref *ref)
{
    ANM_AUTO(anm_buf_free) struct anm_buf a = {0}, b = {0};
    const struct anm_difference whole = {.change = ANM_CHANGED, .path = path};
    struct anm_error none;
    struct anm_ref other;
    if (anm_tree_find(c->b, path, &other, &none) != 0)
        return tell_single(c, c->a, ANM_REMOVED, path, ref);
    if (anm_ref_kind(ref) == ANM_DIR || anm_tree_same(c->a, ref, c->b, &other))
        return 0;
    if (anm_ref_kind(ref) != ANM_FILE_TEXT)
        return c->each(c->arg, &whole);
    if (anm_tree_render(c->a, ref, &a, c->err) || anm_tree_render(c->b, &other, &b, c->err))
        return -1;
    return compare_texts(c, path, &a, &b);
}

/* The texts of keys and the names of bones have been compared as what they are. */
static bool is_told(const struct comparison *c, const char *path)
{
    const char *slash = strrchr(path, '/');
    bool keyed = has(c->a, "keys");
    return keyed && (strcmp(slash ? slash + 1 : path, "keys") == 0 ||
                     (strncmp(path, "bones/", 6) == 0 && !strchr(path + 6, '/')));
}

/* One walk over an animation: as the first, every file is compared; as the second, what the first has not is told. */
struct walk {
    const struct comparison *c;
    const struct anm_doc *doc;
};

/* Whether a directory holds nothing but a text of no keys, and the other animation has no such directory. */
static bool is_bare(const struct walk *w, const char *path)
{
    ANM_AUTO(anm_buf_free) struct anm_buf keys = {0}, text = {0};
    struct anm_error none;
    anm_buf_printf(&keys, "%s/keys", path);
    const char *at = anm_buf_cstr(&keys);
    return at && !has(w->doc == w->c->a ? w->c->b : w->c->a, path) && has(w->doc, at) &&
           text_of(w->doc, at, &text, &none) == 0 && text.size == 0;
}

static int visit(const struct walk *w, const char *path, const struct anm_ref *ref, bool empty)
{
    const struct comparison *c = w->c;
    if (is_told(c, path) || (anm_ref_kind(ref) == ANM_DIR && !empty && !is_bare(w, path)))
        return 0;
    if (w->doc == c->a)
        return compare_file(c, path, ref);
    return has(c->a, path) ? 0 : tell_single(c, c->b, ANM_ADDED, path, ref);
}

/* The tree is four levels deep at most, whatever the file holds, and so is this. */
static int walk_below(const struct walk *w, const struct anm_ref *dir, struct anm_buf *path, bool *any)
{
    uint32_t cookie = 0;
    size_t size = path->size;
    struct anm_ref ref;
    int result = 0;
    for (;;) {
        bool children = false;
        path->size = size;
        if (size)
            anm_buf_putc(path, '/');
        if (result || !anm_tree_next(w->doc, dir, 0, &cookie, &ref, path))
            break;
        *any = true;
        if (!anm_buf_cstr(path))
            return anm_fail_nomem(w->c->err);
        if (anm_ref_kind(&ref) == ANM_DIR)
            result = walk_below(w, &ref, path, &children);
        const char *at = anm_buf_cstr(path);
        if (!result && at)
            result = visit(w, at, &ref, !children);
    }
    path->size = size;
    return path->failed ? anm_fail_nomem(w->c->err) : result;
}

static int compare_files(const struct comparison *c)
{
    ANM_AUTO(anm_buf_free) struct anm_buf path = {0};
    const struct anm_doc *docs[] = {c->a, c->b};
    int result = 0;
    for (size_t i = 0; i < 2 && !result; i++) {
        const struct anm_ref root = anm_tree_root(docs[i]);
        bool any = false;
        result = walk_below(&(const struct walk){c, docs[i]}, &root, &path, &any);
    }
    return result;
}

int anm_compare(const struct anm_doc *a, const struct anm_doc *b,
                int (*each)(void *arg, const struct anm_difference *difference), void *arg, struct anm_error *err)
{
    ANM_AUTO(comparison_free) struct comparison c = {.a = a, .b = b, .each = each, .arg = arg, .err = err};
    if (a->format == b->format && find_renamings(&c))
        return -1;
    int result = tell_renamings(&c);
    if (!result)
        result = compare_files(&c);
    return result ? result : compare_keys(&c);
}
