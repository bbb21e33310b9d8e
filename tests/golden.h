/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_GOLDEN_H
#define TESTS_GOLDEN_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void write_golden(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file, "%s", path);
    cr_assert_geq(fputs(text, file), 0);
    cr_assert_eq(fclose(file), 0);
}

/*
 * Compare a text, line by line, with a file of the tests of at most 128 KiB. With GPUCACHE_GOLDEN=write the file
 * becomes the text: `git diff` then shows the effect of a change of the library.
 */
static inline void expect_golden(const char *path, const char *text) {
    static char golden[1 << 17];
    const char *wish = getenv("GPUCACHE_GOLDEN");
    cr_assert_lt(strlen(text), sizeof golden - 1);
    if (wish && !strcmp(wish, "write")) {
        write_golden(path, text);
        return;
    }
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file, "%s", path);
    golden[fread(golden, 1, sizeof golden - 1, file)] = '\0';
    fclose(file);
    for (const char *found = text, *expected = golden; *found || *expected;) {
        const int has = (int)strcspn(found, "\n"), had = (int)strcspn(expected, "\n");
        cr_assert(has == had && !memcmp(found, expected, (size_t)has), "expected %.*s, found %.*s", had, expected, has,
                  found);
        found += has + (found[has] == '\n');
        expected += had + (expected[had] == '\n');
    }
}

#endif
