/* SPDX-License-Identifier: BSD-2-Clause */
/* Parameters of kernels. */
#include "trace/synthetic/rig.h"

#include "golden.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static const char *const parameters[] = {
    "apart",     "atoms",    "blocks",    "bytes",  "centres",   "cg",         "cluster", "clusters", "columns",
    "convolve",  "count",    "decimated", "degree", "dependent", "dimensions", "double",  "errors",   "far",
    "features",  "first",    "fp",        "frames", "gap",       "inner",      "int",     "key",      "kind",
    "launch",    "launches", "least",     "length", "levels",    "line",       "lines",   "move",     "near",
    "pad",       "pairs",    "part",      "passes", "patches",   "points",     "queries", "ranges",   "ratio",
    "reference", "relaxed",  "repeats",   "rounds", "rowmajor",  "search",     "seed",    "serial",   "sfu",
    "skip",      "spread",   "stages",    "step",   "steps",     "store",      "stride",  "template", "tensor",
    "threads",   "tile",     "tiles",     "turns",  "uniform",   "vectors",    "walks",   "window",   "words",
    "worklist"};
static const char *const of_all[] = {"header", "lanes"};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Reason to refuse a value of a parameter; false if the kernel lacks the parameter. */
static bool refuses(const rig *r, const char *kernel, const char *parameter, const char *value, gpc_error *error) {
    char source[128];
    gpci_source *opened = NULL;
    snprintf(source, sizeof source, "%s:64KiB:%s=%s", kernel, parameter, value);
    cr_assert_lt(gpci_synthetic_open(r->context, r->opcodes, source, error, &opened), 0, "%s", source);
    return !strstr(error->message, "unknown");
}

/* Parameters are counts and switches: fractions are refused. */
static size_t refuse_fractions(const rig *r, const char *kernel, const char *parameter) {
    static const char *const fractions[] = {"0.5", "1.5", "8.5", "100.5"};
    size_t known = 0;
    for (size_t f = 0; f < COUNT(fractions); f++) {
        gpc_error error = GPC_ERROR_INIT;
        if (refuses(r, kernel, parameter, fractions[f], &error)) {
            cr_expect(strstr(error.message, "whole"), "%s: %s", kernel, error.message);
            known++;
        }
    }
    return known;
}

Test(synthetic_parameters, are_whole) {
    rig r;
    size_t known = 0;
    rig_open(&r, "vectoradd");
    for (size_t i = 0; i < gpc_synthetic_count(); i++) {
        const char *kernel = NULL;
        gpc_synthetic_at(i, &kernel, NULL, NULL);
        for (size_t p = 0; p < COUNT(parameters); p++)
            known += refuse_fractions(&r, kernel, parameters[p]);
        for (size_t p = 0; p < COUNT(of_all); p++)
            cr_expect_eq(refuse_fractions(&r, kernel, of_all[p]), 4, "%s: %s", kernel, of_all[p]);
    }
    cr_expect_gt(known, 100);
    rig_close(&r);
}

/* Smallest and largest value per parameter, as in parameters.golden: changes alter the traces users may ask for. */
Test(synthetic_parameters, least_and_most) {
    enum { ROOM = 1 << 15 };
    static char text[ROOM];
    rig r;
    rig_open(&r, "vectoradd");
    for (size_t i = 0; i < gpc_synthetic_count(); i++) {
        const char *kernel = NULL;
        gpc_synthetic_at(i, &kernel, NULL, NULL);
        for (size_t p = 0; p < COUNT(parameters); p++) {
            gpc_error error = GPC_ERROR_INIT;
            if (!refuses(&r, kernel, parameters[p], "-1", &error))
                continue;
            const char *bounds = strstr(error.message, "between ");
            cr_assert(bounds, "%s: %s", kernel, error.message);
            snprintf(text + strlen(text), ROOM - strlen(text), "%s %s %s\n", kernel, parameters[p],
                     bounds + strlen("between "));
        }
    }
    expect_golden("tests/trace/synthetic/parameters.golden", text);
    rig_close(&r);
}
