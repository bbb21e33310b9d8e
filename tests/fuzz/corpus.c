/* SPDX-License-Identifier: BSD-2-Clause */
#define _XOPEN_SOURCE 700
#include "fuzz/fuzz.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <string.h>

/*
 * Inputs found by libFuzzer, for coverage or failures, as plain tests: corpus/TARGET/, read by the targets. fuzz.py
 * adds inputs.
 */

#define LARGEST ((size_t)1 << 18)

static void run_file(void (*target)(const uint8_t *, size_t), const char *path) {
    FILE *file = fopen(path, "rb");
    uint8_t *data = malloc(LARGEST);
    cr_assert(file && data);
    const size_t size = fread(data, 1, LARGEST, file);
    fclose(file);
    cr_assert_lt(size, LARGEST, "%s", path);
    target(data, size);
    free(data);
}

/* Run every file of the folder; an empty folder is a failure. */
static void run_corpus(void (*target)(const uint8_t *, size_t), const char *name) {
    char folder[64], path[512];
    unsigned count = 0;
    snprintf(folder, sizeof folder, "tests/fuzz/corpus/%s", name);
    DIR *entries = opendir(folder);
    cr_assert_not_null(entries, "%s", folder);
    for (struct dirent *entry; (entry = readdir(entries)); count++) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        run_file(target, path);
    }
    closedir(entries);
    cr_assert_gt(count, 2, "%s is empty", folder);
}

#define CORPUS(name)                    \
    Test(corpus, name) {                \
        run_corpus(fuzz_##name, #name); \
    }

CORPUS(api)
CORPUS(binary)
CORPUS(config)
CORPUS(kernels)
CORPUS(list)
CORPUS(name)
CORPUS(options)
CORPUS(profile)
CORPUS(snapshot)
CORPUS(table)
CORPUS(text)
CORPUS(tree)
