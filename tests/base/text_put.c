/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/text.h"

#include <criterion/criterion.h>
#include <string.h>

static void write_all(gpci_text *text) {
    static const uint64_t numbers[] = {0, 12, UINT64_MAX};
    gpci_text_put(text, "%s %d ", "abc", -5);
    gpci_text_json(text, "a\"b\\c\n\x01\xc3\xa9");
    gpci_text_bytes(text, " raw%", 5);
    gpci_text_numbers(text, numbers, 3);
    gpci_text_numbers(text, numbers, 0);
    gpci_text_millionths(text, 2500001);
    gpci_text_bytes(text, " ", 1);
    gpci_text_ratio(text, 2, 3);
}

static const char whole[] =
    "abc -5 \"a\\\"b\\\\c\\u000a\\u0001\xc3\xa9\" raw%[0, 12, 18446744073709551615][]2.500001 0.666666";

/* A buffer of every size: the start of the text, a NUL, nothing behind, and the complete length. */
Test(text_put, every_size) {
    for (size_t size = 0; size <= sizeof whole + 1; size++) {
        char buffer[sizeof whole + 8];
        size_t length = 0;
        memset(buffer, '#', sizeof buffer);
        gpci_text text = gpci_text_of(buffer, size);
        write_all(&text);
        cr_expect_eq(gpci_text_end(&text, &length), size < sizeof whole ? GPC_ERROR_RANGE : GPC_OK, "%zu", size);
        cr_expect_eq(length, sizeof whole - 1);
        if (size) {
            cr_expect_eq(strlen(buffer), size < sizeof whole ? size - 1 : sizeof whole - 1, "%zu", size);
            cr_expect_eq(strncmp(buffer, whole, strlen(buffer)), 0, "%s", buffer);
        }
        for (size_t i = size; i < sizeof buffer; i++)
            cr_assert_eq(buffer[i], '#', "byte %zu of %zu", i, size);
    }
}

Test(text_put, counted) {
    gpci_text text = gpci_text_of(NULL, 100);
    write_all(&text);
    cr_expect_eq(text.length, sizeof whole - 1);
    cr_expect_eq(gpci_text_end(&text, NULL), GPC_OK);
}

/* An empty text is a text, too. */
Test(text_put, empty) {
    char buffer[4] = "###";
    gpci_text text = gpci_text_of(buffer, sizeof buffer);
    cr_expect_str_eq(buffer, "");
    gpci_text_put(&text, "%s", "");
    gpci_text_bytes(&text, "", 0);
    cr_expect_eq(gpci_text_end(&text, NULL), GPC_OK);
    cr_expect_str_eq(buffer, "");
}

typedef struct sink {
    char bytes[2000];
    size_t length, pieces, fail_at;
} sink;

static gpc_status into_sink(void *data, const char *bytes, size_t length) {
    sink *s = data;
    if (++s->pieces == s->fail_at)
        return GPC_ERROR_IO;
    memcpy(s->bytes + s->length, bytes, length);
    s->length += length;
    return GPC_OK;
}

Test(text_put, function) {
    sink s = {.length = 0};
    gpci_text text = {.write = into_sink, .data = &s};
    size_t length;
    write_all(&text);
    cr_expect_eq(gpci_text_end(&text, &length), GPC_OK);
    cr_expect(length == s.length && length == sizeof whole - 1 && !memcmp(s.bytes, whole, length));
    /* the first failure is kept, nothing is written behind it, and counting continues */
    for (size_t fail_at = 1; fail_at <= s.pieces; fail_at++) {
        sink failing = {.fail_at = fail_at};
        text = (gpci_text){.write = into_sink, .data = &failing};
        write_all(&text);
        cr_expect_eq(gpci_text_end(&text, &length), GPC_ERROR_IO);
        cr_expect_eq(failing.pieces, fail_at);
        cr_expect_eq(length, sizeof whole - 1);
        cr_expect_eq(memcmp(failing.bytes, whole, failing.length), 0);
    }
}

/* A piece that is too long for a function is a failure, not a shorter piece; strings of JSON have no limit. */
Test(text_put, long_pieces) {
    sink s = {.length = 0};
    gpci_text text = {.write = into_sink, .data = &s};
    char longest[GPCI_TEXT_PIECE], longer[GPCI_TEXT_PIECE + 1];
    memset(longest, 'x', sizeof longest);
    memset(longer, 'y', sizeof longer);
    longest[sizeof longest - 1] = longer[sizeof longer - 1] = '\0';
    gpci_text_put(&text, "%s", longest);
    gpci_text_json(&text, longer);
    cr_expect_eq(gpci_text_end(&text, NULL), GPC_OK);
    cr_expect_eq(s.length, 2 * GPCI_TEXT_PIECE + 1);
    gpci_text_put(&text, "%s", longer);
    cr_expect_eq(gpci_text_end(&text, NULL), GPC_ERROR_RANGE);
    cr_expect_eq(s.length, 2 * GPCI_TEXT_PIECE + 1);
}

static void ratio_is(uint64_t over, uint64_t under, const char *expected) {
    char buffer[40];
    gpci_text text = gpci_text_of(buffer, sizeof buffer);
    gpci_text_ratio(&text, over, under);
    cr_expect_str_eq(buffer, expected, "%llu / %llu", (unsigned long long)over, (unsigned long long)under);
}

Test(text_put, ratios) {
    ratio_is(0, 1, "0.000000");
    ratio_is(1, 3, "0.333333");
    ratio_is(2, 3, "0.666666");
    ratio_is(7, 2, "3.500000");
    ratio_is(UINT64_MAX, 1, "18446744073709551615.000000");
    ratio_is(UINT64_MAX - 1, UINT64_MAX, "0.999999");
    ratio_is(UINT64_MAX, UINT64_MAX - 1, "1.000000");
    ratio_is(UINT64_MAX / 2, UINT64_MAX, "0.499999");
}
