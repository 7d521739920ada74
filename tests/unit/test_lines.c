/* SPDX-License-Identifier: MIT */
#include "suites.h"

#include "anm/lines.h"
#include "anm/name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* A text in a block of just its size, so that a sanitizer sees any reading beyond. */
struct text {
    char *bytes;
    struct anm_lines lines;
    struct anm_error err;
};

static void text_open(struct text *text, const char *bytes, size_t size)
{
    *text = (struct text){.bytes = malloc(size ? size : 1)};
    ck_assert_ptr_nonnull(text->bytes);
    memcpy(text->bytes, bytes, size);
    anm_lines_start(&text->lines, text->bytes, size, &text->err);
}

static void text_close(struct text *text)
{
    free(text->bytes);
}

static void expect_token(const struct anm_token *token, const char *expected, uint32_t column)
{
    ck_assert_msg(token->size == strlen(expected) && memcmp(token->text, expected, token->size) == 0, "%.*s, not %s",
                  (int)token->size, token->text, expected);
    ck_assert_uint_eq(token->column, column);
}

START_TEST(fields_and_positions)
{
    static const char bytes[] =
        "\xef\xbb\xbf# comment \x01\xff\n\n \t \n12\tturret  position \r\n  # too\n\r\n a#b \xc3\xa4";
    struct text text;
    text_open(&text, bytes, sizeof bytes - 1);
    struct anm_lines *lines = &text.lines;
    ck_assert_int_eq(anm_lines_next(lines), 1);
    ck_assert_uint_eq(lines->line, 4);
    ck_assert_uint_eq(lines->count, 3);
    expect_token(&lines->tokens[0], "12", 1);
    expect_token(&lines->tokens[1], "turret", 4);
    expect_token(&lines->tokens[2], "position", 12);
    ck_assert_int_eq(anm_lines_next(lines), 1);
    ck_assert_uint_eq(lines->line, 7);
    ck_assert_uint_eq(lines->count, 2);
    expect_token(&lines->tokens[0], "a#b", 2);
    expect_token(&lines->tokens[1], "\xc3\xa4", 6);
    ck_assert_int_eq(anm_lines_next(lines), 0);
    ck_assert_int_eq(anm_lines_next(lines), 0);
    ck_assert_uint_eq(lines->count, 0);
    text_close(&text);
}
END_TEST

START_TEST(texts_without_lines)
{
    static const char *const cases[] = {"", "\n", " ", "#", "\xef\xbb\xbf", "\r\n\r\n", "\t# x\n\n"};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct text text;
        struct anm_token token;
        text_open(&text, cases[i], strlen(cases[i]));
        ck_assert_int_eq(anm_lines_more(&text.lines, &token), 0);
        ck_assert_int_eq(anm_lines_next(&text.lines), 0);
        ck_assert_int_eq(anm_lines_more(&text.lines, &token), 0);
        text_close(&text);
    }
    struct anm_lines lines;
    struct anm_error err;
    anm_lines_start(&lines, NULL, 0, &err);
    ck_assert_int_eq(anm_lines_next(&lines), 0);
}
END_TEST

/* What no text has, at the place where it stands; also behind the fields that are kept. */
START_TEST(bad_bytes)
{
    static const struct {
        const char *bytes;
        size_t size;
        uint32_t column;
    } cases[] = {
        {"ab\0c", 4, 3},            /* NUL */
        {"# comment\0", 10, 10},    /* NUL in a comment */
        {" \x07", 2, 2},            /* control */
        {"a b\x7f", 4, 4},          /* DEL */
        {"a\rb", 3, 2},             /* a CR that ends no line */
        {"a\r", 2, 2},              /* the same at the end */
        {"a\r\r\n", 4, 2},          /* one CR too many */
        {"x \xff", 3, 3},           /* never in UTF-8 */
        {"x \x80", 3, 3},           /* continuation alone */
        {"\xc3", 1, 1},             /* cut short by the end */
        {"\xc3 x", 3, 1},           /* cut short by a blank */
        {"\xe2\x82\n\xac", 4, 1},   /* cut short by the line's end */
        {"\xc0\xaf", 2, 1},         /* overlong */
        {"\xc1\xbf", 2, 1},         /* overlong */
        {"\xe0\x9f\xbf", 3, 1},     /* overlong */
        {"\xf0\x8f\xbf\xbf", 4, 1}, /* overlong */
        {"\xed\xa0\x80", 3, 1},     /* surrogate */
        {"\xf4\x90\x80\x80", 4, 1}, /* above U+10FFFF */
        {"\xf5\x80\x80\x80", 4, 1}, /* above U+10FFFF */
        {"1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 \x01", 37, 37},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct text text;
        text_open(&text, cases[i].bytes, cases[i].size);
        ck_assert_msg(anm_lines_next(&text.lines) == -1, "case %zu", i);
        ck_assert_int_eq((int)text.err.reason, ANM_TEXT);
        ck_assert_uint_eq(text.err.line, 1);
        ck_assert_msg(text.err.column == cases[i].column, "case %zu: column %u", i, text.err.column);
        text_close(&text);
    }
}
END_TEST

START_TEST(valid_utf8)
{
    static const char bytes[] =
        "\xc2\x80 \xdf\xbf \xe0\xa0\x80 \xed\x9f\xbf \xee\x80\x80 \xf0\x90\x80\x80 \xf4\x8f\xbf\xbf";
    struct text text;
    text_open(&text, bytes, sizeof bytes - 1);
    ck_assert_int_eq(anm_lines_next(&text.lines), 1);
    ck_assert_uint_eq(text.lines.count, 7);
    text_close(&text);
}
END_TEST

/* Every byte at every place of a long field: part of it, its end, or refused there. */
START_TEST(every_byte_everywhere)
{
    for (int byte = 0; byte < 256; byte++) {
        for (uint32_t at = 0; at < 20; at++) {
            char bytes[20];
            struct text text;
            memset(bytes, 'x', sizeof bytes);
            bytes[at] = (char)byte;
            text_open(&text, bytes, sizeof bytes);
            int result = anm_lines_next(&text.lines);
            bool blank = byte == ' ' || byte == '\t' || byte == '\n';
            bool comment = byte == '#' && at == 0;
            if (comment)
                ck_assert_int_eq(result, 0);
            else if (blank || (byte > ' ' && byte < 0x7f))
                ck_assert_msg(result == 1 && text.lines.tokens[0].size == (!blank ? 20 : at ? at : 19), "0x%02x", byte);
            else
                ck_assert_msg(result == -1 && text.err.column == at + 1, "0x%02x", byte);
            text_close(&text);
        }
    }
}
END_TEST

/* Lists of 15 to 40 fields: those that are kept and those that are fetched are all of them, in order. */
START_TEST(long_lines)
{
    for (int count = 15; count <= 40; count++) {
        char bytes[256] = "";
        for (int i = 0; i < count; i++)
            snprintf(bytes + strlen(bytes), sizeof bytes - strlen(bytes), "%d  ", i);
        struct text text;
        struct anm_token token;
        text_open(&text, bytes, strlen(bytes));
        ck_assert_int_eq(anm_lines_next(&text.lines), 1);
        uint32_t kept = count < ANM_TOKENS ? (uint32_t)count : ANM_TOKENS;
        ck_assert_uint_eq(text.lines.count, kept);
        ck_assert_int_eq(anm_lines_want(&text.lines, kept, "a list"), (int)kept == count ? 0 : -1);
        for (int i = (int)kept; i < count; i++) {
            ck_assert_int_eq(anm_lines_more(&text.lines, &token), 1);
            ck_assert_int_eq(strtol(token.text, NULL, 10), i);
            ck_assert_uint_eq(token.column, (uint32_t)(token.text - text.bytes) + 1);
        }
        ck_assert_int_eq(anm_lines_more(&text.lines, &token), 0);
        ck_assert_int_eq(anm_lines_next(&text.lines), 0);
        text_close(&text);
    }
}
END_TEST

static void expect_error(const struct text *text, uint32_t line, uint32_t column, const char *words)
{
    ck_assert_int_eq((int)text->err.reason, ANM_TEXT);
    ck_assert_uint_eq(text->err.line, line);
    ck_assert_uint_eq(text->err.column, column);
    ck_assert_msg(strstr(text->err.text, words) != NULL, "\"%s\" is not in: %s", words, text->err.text);
}

START_TEST(wanted_counts)
{
    struct text text;
    text_open(&text, "\n a bb c", 8);
    ck_assert_int_eq(anm_lines_next(&text.lines), 1);
    ck_assert_int_eq(anm_lines_want(&text.lines, 3, "three"), 0);
    ck_assert_int_eq(anm_lines_want(&text.lines, 4, "four words"), -1);
    expect_error(&text, 2, 8, "four words");
    ck_assert_int_eq(anm_lines_want(&text.lines, 1, "one word"), -1);
    expect_error(&text, 2, 4, "expected one word; \"bb\"");
    ck_assert_int_eq(anm_lines_fail(&text.lines, 2, "%d of a kind", 3), -1);
    expect_error(&text, 2, 7, "3 of a kind");
    ck_assert(anm_lines_is(&text.lines, 1, "bb"));
    ck_assert(!anm_lines_is(&text.lines, 1, "b"));
    ck_assert(!anm_lines_is(&text.lines, 1, "bbb"));
    ck_assert(!anm_lines_is(&text.lines, 3, ""));
    text_close(&text);
}
END_TEST

START_TEST(numbers)
{
    static const char bytes[] = "1.5 12,5 1e40 300 -1 x";
    struct text text;
    uint32_t bits = 0, whole = 0;
    double wide = 0;
    text_open(&text, bytes, sizeof bytes - 1);
    struct anm_lines *lines = &text.lines;
    ck_assert_int_eq(anm_lines_next(lines), 1);
    ck_assert_int_eq(anm_lines_f32(lines, 0, "x", &bits), 0);
    ck_assert_uint_eq(bits, 0x3fc00000);
    ck_assert_int_eq(anm_lines_f64(lines, 0, "x", &wide), 0);
    ck_assert(wide == 1.5);
    ck_assert_int_eq(anm_lines_u32(lines, 3, "size", 300, &whole), 0);
    ck_assert_uint_eq(whole, 300);

    ck_assert_int_eq(anm_lines_f32(lines, 1, "position x", &bits), -1);
    expect_error(&text, 1, 5, "expected position x, found \"12,5\": a decimal point is written '.'");
    ck_assert_int_eq(anm_lines_f64(lines, 1, "degrees", &wide), -1);
    expect_error(&text, 1, 5, "'.'");
    ck_assert_int_eq(anm_lines_f32(lines, 2, "x", &bits), -1);
    expect_error(&text, 1, 10, "\"1e40\": too large");
    ck_assert_int_eq(anm_lines_u32(lines, 3, "size", 255, &whole), -1);
    expect_error(&text, 1, 15, "\"300\": more than 255");
    ck_assert_int_eq(anm_lines_u32(lines, 4, "size", 255, &whole), -1);
    expect_error(&text, 1, 19, "negative");
    ck_assert_int_eq(anm_lines_u32(lines, 0, "size", 255, &whole), -1);
    expect_error(&text, 1, 1, "not a whole number");
    ck_assert_int_eq(anm_lines_f32(lines, 5, "x", &bits), -1);
    expect_error(&text, 1, 22, "not a number");
    ck_assert_int_eq(anm_lines_f32(lines, 6, "position z", &bits), -1);
    expect_error(&text, 1, 23, "expected position z");
    text_close(&text);
}
END_TEST

/* A message shows a long token in part, and never a part of a character. */
START_TEST(long_tokens_in_messages)
{
    for (size_t size = 50; size < 200; size++) {
        char bytes[200];
        struct text text;
        uint32_t bits;
        memset(bytes, 'x', size);
        for (size_t i = size % 2; i + 2 <= size; i += 2)
            memcpy(bytes + i, "\xc3\xa4", 2);
        text_open(&text, bytes, size);
        ck_assert_int_eq(anm_lines_next(&text.lines), 1);
        ck_assert_int_eq(anm_lines_f32(&text.lines, 0, "x", &bits), -1);
        ck_assert_uint_lt(strlen(text.err.text), 120);
        ck_assert_int_eq(strstr(text.err.text, "...") != NULL, size > 60);
        struct text message;
        text_open(&message, text.err.text, strlen(text.err.text));
        ck_assert_int_eq(anm_lines_next(&message.lines), 1);
        text_close(&message);
        text_close(&text);
    }
}
END_TEST

START_TEST(put_numbers)
{
    struct anm_buf out = {0};
    anm_put_f32(&out, 0xbfc00000);
    anm_buf_putc(&out, ' ');
    anm_put_u32(&out, 4294967295);
    ck_assert_str_eq(anm_buf_cstr(&out), "-1.5 4294967295");
    anm_buf_free(&out);
    struct anm_buf failed = {.failed = true};
    anm_put_f32(&failed, 0);
    anm_put_u32(&failed, 0);
    ck_assert_uint_eq(failed.size, 0);
}
END_TEST

START_TEST(nearest)
{
    static const char *const words[] = {"position", "orientation", "scale", "turret", "gun", "x", NULL};
    static const char *const none[] = {NULL};
    static const struct {
        const char *text;
        const char *word;
    } cases[] = {
        {"positon", "position"},
        {"POSITION", "position"},
        {"scael", "scale"},
        {"turet", "turret"},
        {"gum", "gun"},
        {"guns", "gun"},
        {"X", "x"},
        {"y", NULL},
        {"", NULL},
        {"mesh", NULL},
        {"pos", NULL},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        const char *word = anm_nearest(cases[i].text, strlen(cases[i].text), words);
        ck_assert_msg(word == cases[i].word || (word && cases[i].word && strcmp(word, cases[i].word) == 0), "%s: %s",
                      cases[i].text, word ? word : "(none)");
    }
    static const char *const equal[] = {"gun", "gum", NULL};
    ck_assert_str_eq(anm_nearest("gux", 3, equal), "gun");
    char longer[1000];
    memset(longer, 'p', sizeof longer);
    ck_assert_ptr_null(anm_nearest(longer, sizeof longer, words));
    ck_assert_ptr_null(anm_nearest("position", 8, none));
}
END_TEST

static void expect_name(const char *raw, size_t size, uint32_t ordinal, const char *escaped)
{
    struct anm_buf out = {0}, back = {0};
    struct anm_error err;
    uint32_t number = 0;
    anm_name_put(&out, (const uint8_t *)raw, size, ordinal);
    ck_assert_str_eq(anm_buf_cstr(&out), escaped);
    ck_assert_int_eq(anm_name_parse(escaped, strlen(escaped), &back, &number, &err), 0);
    ck_assert_uint_eq(number, ordinal);
    ck_assert_uint_eq(back.size, size);
    if (size)
        ck_assert_mem_eq(back.data, raw, size);
    anm_buf_free(&out);
    anm_buf_free(&back);
}

START_TEST(names)
{
    expect_name("turret", 6, 1, "turret");
    expect_name("turret", 6, 2, "turret~2");
    expect_name("turret", 6, ANM_ORDINAL_MAX, "turret~65534");
    expect_name("", 0, 1, "%");
    expect_name(NULL, 0, 1, "%");
    expect_name("", 0, 3, "%~3");
    expect_name("%", 1, 1, "%25");
    expect_name("a b\tc", 5, 1, "a%20b%09c");
    expect_name("a/b~2%", 6, 1, "a%2fb%7e2%25");
    expect_name("#1", 2, 1, "%231");
    expect_name("..", 2, 1, "%2e.");
    expect_name("-x-.#", 5, 1, "%2dx-.#");
    expect_name("a\0\x7f", 3, 1, "a%00%7f");
    expect_name("\xc3\xa4", 2, 1, "\xc3\xa4");
    expect_name("\xc3\xa4\xc3", 3, 1, "\xc3\xa4%c3");
    expect_name("\xff\xc3\xa4", 3, 1, "%ff\xc3\xa4");
    expect_name("\xed\xa0\x80", 3, 1, "%ed%a0%80");
    /* A bone map that starts with this name must not lose its first bytes as a BOM. */
    expect_name("\xef\xbb\xbfx", 4, 1, "%ef%bb%bfx");
    expect_name("x\xef\xbb\xbf", 4, 1, "x\xef\xbb\xbf");
}
END_TEST

/* Any bytes: the escaped name is one field of a text, also at its start, and reads back. */
START_TEST(names_of_any_bytes)
{
    uint32_t state = 1;
    for (int i = 0; i < 20000; i++) {
        static const char some[] = "a#.-%~/ \t\n\xc3\xa4\xef\xbb\xbf\x00\x7f\xed\xa0\xf4";
        char raw[8];
        size_t size = (state >> 16) % sizeof raw;
        for (size_t j = 0; j < size; j++) {
            state = state * 1664525 + 1013904223;
            raw[j] = i % 2 ? some[(state >> 16) % sizeof some] : (char)(state >> 16);
        }
        state = state * 1664525 + 1013904223;
        struct anm_buf out = {0}, back = {0};
        struct anm_error err;
        uint32_t ordinal = 0;
        anm_name_put(&out, (const uint8_t *)raw, size, 1 + (uint32_t)i % 3);
        struct text text;
        text_open(&text, (const char *)out.data, out.size);
        ck_assert_int_eq(anm_lines_next(&text.lines), 1);
        ck_assert_uint_eq(text.lines.count, 1);
        ck_assert_uint_eq(text.lines.tokens[0].size, out.size);
        ck_assert_int_eq(anm_name_parse(text.bytes, out.size, &back, &ordinal, &err), 0);
        ck_assert_uint_eq(ordinal, 1 + (uint32_t)i % 3);
        ck_assert_uint_eq(back.size, size);
        ck_assert(size == 0 || memcmp(back.data, raw, size) == 0);
        text_close(&text);
        anm_buf_free(&out);
        anm_buf_free(&back);
    }
}
END_TEST

START_TEST(bad_names)
{
    static const struct {
        const char *text;
        const char *words;
    } cases[] = {
        {"", "written %"},
        {"~2", "written %"},
        {"a%", "hexadecimal"},
        {"a%2", "hexadecimal"},
        {"%%", "hexadecimal"},
        {"a%2g", "hexadecimal"},
        {"%+1", "hexadecimal"},
        {"a b", "%20"},
        {"a/b", "'/' in a name is written %2f"},
        {".a", "'.' at the start of a name is written %2e"},
        {"-a", "%2d"},
        {"#a", "%23"},
        {"a\x01", "%01"},
        {"a\x7f", "%7f"},
        {"a\xff", "%ff"},
        {"\xc3%a4", "%c3"},
        {"\xef\xbb\xbf"
         "a",
         "%ef"},
        {"a~", "65534"},
        {"a~1", "65534"},
        {"a~0", "65534"},
        {"a~02", "65534"},
        {"a~65535", "65534"},
        {"a~0x2", "65534"},
        {"a~2~3", "65534"},
        {"a~h01234567", "65534"},
        {"a~-2", "65534"},
        {"a~4294967298", "65534"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct anm_buf raw = {0};
        struct anm_error err = {0};
        uint32_t ordinal;
        anm_buf_putc(&raw, 'k');
        ck_assert_msg(anm_name_parse(cases[i].text, strlen(cases[i].text), &raw, &ordinal, &err) == -1, "%s",
                      cases[i].text);
        ck_assert_int_eq((int)err.reason, ANM_NAME);
        ck_assert_msg(strstr(err.text, cases[i].words) != NULL, "%s: %s", cases[i].text, err.text);
        ck_assert_uint_eq(raw.size, 1);
        anm_buf_free(&raw);
    }
    struct anm_buf raw = {0};
    struct anm_error err;
    uint32_t ordinal;
    ck_assert_int_eq(anm_name_parse("%61%C3%a4", 9, &raw, &ordinal, &err), 0);
    ck_assert_str_eq(anm_buf_cstr(&raw), "a\xc3\xa4");
    anm_buf_free(&raw);
    raw.failed = true;
    ck_assert_int_eq(anm_name_parse("a", 1, &raw, &ordinal, &err), -1);
    ck_assert_int_eq((int)err.reason, ANM_NOMEM);
}
END_TEST

/* Names around the limit, of one, two, three and four-byte pieces at every alignment: a cut name is whole pieces of the
 * escaped one and tells names apart that differ only behind the cut. */
START_TEST(long_names)
{
    static const char *const pieces[] = {"x", "\xc3\xa4", "\xff", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
    for (size_t piece = 0; piece < LENGTH(pieces); piece++) {
        for (size_t lead = 0; lead < 4; lead++) {
            struct anm_buf raw = {0}, escaped = {0}, path = {0}, other = {0}, back = {0};
            struct anm_error err;
            uint32_t ordinal;
            anm_buf_put(&raw, "abcd", lead);
            while (raw.size < 300)
                anm_buf_puts(&raw, pieces[piece]);
            anm_name_put(&escaped, raw.data, raw.size, 1);
            anm_buf_putc(&path, '/');
            anm_name_put_path(&path, raw.data, raw.size, 1);
            size_t cut = path.size - 1 - 10;
            ck_assert_uint_le(cut, 220);
            ck_assert_uint_gt(cut, 216);
            ck_assert_mem_eq(path.data + 1, escaped.data, cut);
            ck_assert_mem_eq(path.data + 1 + cut, "~h", 2);
            ck_assert_int_eq(anm_name_parse((char *)path.data + 1, cut, &back, &ordinal, &err), 0);
            ck_assert_mem_eq(raw.data, back.data, back.size);
            anm_buf_putc(&other, '/');
            anm_name_put_path(&other, raw.data, raw.size, 2);
            ck_assert_uint_eq(other.size, path.size);
            ck_assert_mem_eq(other.data, path.data, cut + 3);
            ck_assert_mem_ne(other.data, path.data, path.size);
            anm_buf_free(&raw);
            anm_buf_free(&escaped);
            anm_buf_free(&path);
            anm_buf_free(&other);
            anm_buf_free(&back);
        }
    }
}
END_TEST

START_TEST(name_length_limit)
{
    uint8_t raw[ANM_NAME_MAX + 1];
    memset(raw, 'a', sizeof raw);
    struct anm_buf out = {0};
    anm_name_put_path(&out, raw, ANM_NAME_MAX, 1);
    ck_assert_uint_eq(out.size, ANM_NAME_MAX);
    out.size = 0;
    anm_name_put_path(&out, raw, ANM_NAME_MAX - 2, 2);
    ck_assert_uint_eq(out.size, ANM_NAME_MAX);
    out.size = 0;
    anm_name_put_path(&out, raw, ANM_NAME_MAX - 1, 2);
    ck_assert_uint_eq(out.size, 230);
    out.size = 0;
    /* 241 times FNV-1a with 'a', computed apart. */
    anm_name_put_path(&out, raw, ANM_NAME_MAX + 1, 1);
    ck_assert_uint_eq(out.size, 230);
    ck_assert_mem_eq(out.data + 220, "~h660f8ebc", 10);
    anm_buf_free(&out);
}
END_TEST

Suite *lines_suite(void)
{
    Suite *suite = suite_create("lines");
    TCase *tcase = tcase_create("lines");
    tcase_add_test(tcase, fields_and_positions);
    tcase_add_test(tcase, texts_without_lines);
    tcase_add_test(tcase, bad_bytes);
    tcase_add_test(tcase, every_byte_everywhere);
    tcase_add_test(tcase, valid_utf8);
    tcase_add_test(tcase, long_lines);
    tcase_add_test(tcase, wanted_counts);
    tcase_add_test(tcase, numbers);
    tcase_add_test(tcase, long_tokens_in_messages);
    tcase_add_test(tcase, put_numbers);
    tcase_add_test(tcase, nearest);
    suite_add_tcase(suite, tcase);
    tcase = tcase_create("names");
    tcase_add_test(tcase, names);
    tcase_add_test(tcase, names_of_any_bytes);
    tcase_add_test(tcase, bad_names);
    tcase_add_test(tcase, long_names);
    tcase_add_test(tcase, name_length_limit);
    suite_add_tcase(suite, tcase);
    return suite;
}
