/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/text.h"

#include "registry/registry.h"

#include <criterion/criterion.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void reads(const char *text, double expected, const char *rest) {
    double value = -1;
    const char *end = gpci_read_decimal(text, &value);
    cr_expect_eq(value, expected, "%s is %.17g, not %.17g", text, value, expected);
    cr_expect_str_eq(end, rest, "%s", text);
}

Test(text, decimals) {
    reads("0", 0, "");
    reads("-12", -12, "");
    reads("+7.25x", 7.25, "x");
    reads(".5", 0.5, "");
    reads("5.", 5, "");
    reads("1e3", 1000, "");
    reads("1.5E-2,", 0.015, ",");
    reads("1e", 1, "e");
    reads("1e+", 1, "e+");
    reads("0x10", 0, "x10");
    reads("1.2.3", 1.2, ".3");
    reads("00000000000000000000000000000000001", 1, "");
    reads("123456789012345678901234567890", 123456789012345678901234567890.0, "");
    reads("0.0000000000000000000001", 1e-22, "");
    reads("1e22", 1e22, "");
    reads("1e23", 1e22 * 10, ""); /* by powers of 22, each exact */
    reads("1e45", 1e22 * 1e22 * 10, "");
    reads("1e-23", 1 / 1e22 / 10, "");
    reads("1e-45", 1 / 1e22 / 1e22 / 10, "");
    reads("1e400", HUGE_VAL, "");
    reads("1e99999999999999999999", HUGE_VAL, "");
    reads("1e-99999999999999999999", 0, "");
    reads("0e99999999999999999999", 0, "");
}

Test(text, no_decimals) {
    static const char *const none[] = {"", "-", "+", ".", "e5", "-.e", "nan", "inf", " 1"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        double value = 42;
        cr_expect_eq(gpci_read_decimal(none[i], &value), none[i], "%s", none[i]);
        cr_expect_eq(value, 42);
    }
}

/* Up to 15 digits and small exponents the nearest double is found, as strtod finds it in the C locale. */
Test(text, decimals_are_nearest) {
    uint64_t state = 1;
    for (int i = 0; i < 100000; i++) {
        char text[64];
        uint64_t digits = gpci_random(&state) % 1000000000000000u;
        snprintf(text, sizeof text, "%llue%d", (unsigned long long)digits, (int)(gpci_random(&state) % 45) - 22);
        double value;
        cr_assert_eq(*gpci_read_decimal(text, &value), '\0');
        cr_assert_eq(value, strtod(text, NULL), "%s", text);
    }
}

static void quotes(const char *text, const char *expected) {
    cr_expect_str_eq(gpci_quote(text).text, expected);
}

Test(text, quotes) {
    quotes("plain", "plain");
    quotes("", "");
    quotes("a\nb\tc\x7f", "a?b?c?");
    char text[200], expected[200];
    memset(text, 'a', sizeof text);
    text[64] = '\0';
    quotes(text, text);
    text[64] = 'a';
    text[65] = '\0';
    memcpy(expected, text, 64);
    strcpy(expected + 64, "...");
    quotes(text, expected);
    /* a character of three bytes that would be cut in two */
    memcpy(text + 62, "\xe2\x82\xac\xe2\x82\xac", 7);
    strcpy(expected + 62, "...");
    quotes(text, expected);
    /* only continuation bytes, which begin no character */
    memset(text, 0x80, 100);
    text[100] = '\0';
    quotes(text, "...");
}

static const char *const names[] = {"l1.size", "l2.size", "sm.count", "dram.channels"};

static const char *name_at(const void *data, size_t index) {
    return ((const char *const *)data)[index];
}

static void nearest(const char *name, const char *expected) {
    const char *found = gpci_nearest(name, 4, name_at, names);
    if (expected)
        cr_expect_str_eq(found ? found : "none", expected, "%s", name);
    else
        cr_expect_eq(found, NULL, "%s is near %s", name, found);
}

/* Levenshtein distances counted by hand. A name is near at up to a third of its length and one more. */
Test(text, nearest_names) {
    nearest("l1.size", "l1.size");
    nearest("l1.sise", "l1.size");
    nearest("l2size", "l2.size");
    nearest("size", NULL);
    nearest("sm.cnt", "sm.count");
    nearest("dram.chanels", "dram.channels");
    nearest("channels", NULL);
    nearest("", NULL);
    static char enormous[1000001];
    memset(enormous, 'l', sizeof enormous - 1);
    nearest(enormous, NULL);
}
