/* SPDX-License-Identifier: BSD-2-Clause */
#define _XOPEN_SOURCE 700
#include "measured.h"
#include "profile/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Decisions of predictors from a profile's file. L1 has whole lines of 128 bytes. */

typedef struct bench {
    rig r;
    char folder[40], file[64], spec[160];
} bench;

#define LINE(n) ((n)*128u)

/*
 * Line 0: 32 bytes used, hit twice: 0.25 x 3 < 1. Line 1: likewise, hit three times: 1. Line 2: whole, once: 1. All by
 * one load. Two more instructions of another kernel make 2 and 20 transactions of 4 bytes.
 */
static void open_bench(bench *b, const char *const *settings) {
    *b = (bench){.folder = "/tmp/gpucache-profile-XXXXXX"};
    cr_assert_not_null(mkdtemp(b->folder));
    snprintf(b->file, sizeof b->file, "%s/p", b->folder);
    rig_open(&b->r, settings);
    cr_assert_eq(gpc_profile_begin_kernel(b->r.profile, "one", NULL, NULL), GPC_OK);
    for (int i = 0; i < 7; i++)
        rig_load_strided(&b->r, 0, 0x10, i < 3 ? LINE(0) : LINE(1), 8, 4);
    rig_load_line(&b->r, 0, 0x20, LINE(2));
    cr_assert_eq(gpc_profile_begin_kernel(b->r.profile, "two", NULL, NULL), GPC_OK);
    rig_load_strided(&b->r, 0, 0x20, LINE(10), 2, 128);
    rig_load_strided(&b->r, 0, 0x30, LINE(20), 20, 128);
    cr_assert_eq(gpc_profile_save(b->r.profile, &(gpc_stream)GPC_STREAM_FILE(b->file), NULL, NULL), GPC_OK);
}

static void close_bench(bench *b) {
    unlink(b->file);
    rmdir(b->folder);
    rig_close(&b->r);
}

static const char *spec_of(bench *b, const char *name, const char *more) {
    snprintf(b->spec, sizeof b->spec, "%s(file=%s%s)", name, b->file, more);
    return b->spec;
}

static gpc_hierarchy *open_hierarchy(bench *b, const char *spec) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_hierarchy *h;
    cr_assert_eq(gpc_config_set(b->r.config, "l1.bypass", spec, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_hierarchy_create(b->r.context, b->r.config, &h, &error), GPC_OK, "%s", error.message);
    return h;
}

/* Reads of a load from L2, in 32-byte sectors. */
static uint64_t fetched(gpc_hierarchy *h, gpc_warp_access access) {
    measured_stats before, after;
    measured_clear(&before);
    measured_clear(&after);
    access.struct_size = sizeof access;
    measure_hierarchy(h, &before);
    cr_assert_eq(gpc_hierarchy_access(h, &access, NULL, NULL), GPC_OK);
    measure_hierarchy(h, &after);
    return after.l1_fetched_sectors - before.l1_fetched_sectors;
}

static uint64_t load(gpc_hierarchy *h, uint32_t sm, uint64_t pc, uint64_t address, uint32_t lines) {
    uint64_t addresses[32];
    for (uint32_t i = 0; i < lines; i++)
        addresses[i] = address + LINE(i);
    return fetched(h, (gpc_warp_access){
                          .sm = sm, .pc = pc, .mask = UINT64_MAX >> (64 - lines), .addresses = addresses, .width = 4});
}

/* A caching load moves 128 bytes, a bypassing one 32, in any repetition. */
Test(predictors, profile_address) {
    bench b;
    open_bench(&b, NULL);
    gpc_hierarchy *h = open_hierarchy(&b, spec_of(&b, "profile-address", ""));
    cr_expect_eq(load(h, 0, 0x99, LINE(0), 1), 1);
    cr_expect_eq(load(h, 0, 0x99, LINE(0) + 124, 1), 1);
    cr_expect_eq(load(h, 0, 0x99, LINE(1), 1), 4);
    cr_expect_eq(load(h, 0, 0x99, LINE(1), 1), 0);
    cr_expect_eq(load(h, 0, 0x99, LINE(2), 1), 4);
    cr_expect_eq(load(h, 0, 0x99, LINE(100), 1), 4, "a line that the profile does not know");
    measured_stats stats;
    measured_clear(&stats);
    measure_hierarchy(h, &stats);
    cr_expect_eq(stats.l1_bypasses, 2);
    cr_expect_eq(stats.l1_bypassed_sectors, 2);
    gpc_hierarchy_destroy(h);
    close_bench(&b);
}

/* By segments line 0 (8 lanes of 4 bytes: one segment) is as by bytes; a load of 4 bytes is a quarter, not a 32nd. */
Test(predictors, use_by_segments) {
    bench b;
    open_bench(&b, NULL);
    for (int i = 0; i < 4; i++)
        rig_load(&b.r, 0, 0x50, LINE(130)); /* 4/128 x 4 = 0.125; 32/128 x 4 = 1 */
    for (int i = 0; i < 3; i++)
        rig_load(&b.r, 0, 0x60, LINE(131)); /* 32/128 x 3 < 1 */
    cr_assert_eq(gpc_profile_save(b.r.profile, &(gpc_stream)GPC_STREAM_FILE(b.file), NULL, NULL), GPC_OK);
    static const struct {
        const char *more;
        uint64_t fetched;
    } rows[] = {{"", 1}, {", use=bytes", 1}, {", use=segments", 4}};
    for (unsigned i = 0; i < 3; i++) {
        gpc_hierarchy *h = open_hierarchy(&b, spec_of(&b, "profile-address", rows[i].more));
        cr_expect_eq(load(h, 0, 0, LINE(130), 1), rows[i].fetched, "%s", rows[i].more);
        cr_expect_eq(load(h, 0, 0, LINE(131), 1), 1, "%s", rows[i].more);
        cr_expect_eq(load(h, 0, 0, LINE(0), 1), 1, "%s", rows[i].more);
        gpc_hierarchy_destroy(h);
        h = open_hierarchy(&b, spec_of(&b, "compiler", rows[i].more));
        cr_expect_eq(load(h, 0, 0x50, LINE(130), 1), rows[i].fetched, "%s", rows[i].more);
        cr_expect_eq(load(h, 0, 0x60, LINE(131), 1), 1, "%s", rows[i].more);
        gpc_hierarchy_destroy(h);
    }
    close_bench(&b);
}

/* A segment of a line, hit three times, evicted and filled again: R is 3/2 in a residence (0.625), 3 of the address (1). */
Test(predictors, profile_address_reuse) {
    bench b;
    open_bench(&b, NULL);
    for (int i = 0; i < 4; i++)
        rig_load(&b.r, 0, 0x50, LINE(130));
    rig_load(&b.r, 0, 0x50, LINE(132));
    rig_load(&b.r, 0, 0x50, LINE(134));
    rig_load(&b.r, 0, 0x50, LINE(130));
    cr_assert_eq(rig_line(&b.r, 0, LINE(130))->fills, 2);
    cr_assert_eq(gpc_profile_save(b.r.profile, &(gpc_stream)GPC_STREAM_FILE(b.file), NULL, NULL), GPC_OK);
    static const struct {
        const char *more;
        uint64_t fetched;
    } rows[] = {{", use=segments", 1},
                {", use=segments, reuse=residence", 1},
                {", use=segments, reuse=address", 4},
                {", reuse=address", 1}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        gpc_hierarchy *h = open_hierarchy(&b, spec_of(&b, "profile-address", rows[i].more));
        cr_expect_eq(load(h, 0, 0, LINE(130), 1), rows[i].fetched, "%s", rows[i].more);
        cr_expect_eq(load(h, 0, 0, LINE(132), 1), 1, "%s", rows[i].more);
        gpc_hierarchy_destroy(h);
    }
    close_bench(&b);
}

/* Lists are per SM. */
Test(predictors, profile_address_by_sm) {
    static const char *const settings[] = {"sm.count=3", NULL};
    bench b;
    open_bench(&b, settings);
    for (int i = 0; i < 3; i++)
        rig_load_strided(&b.r, 1, 0x10, LINE(1), 8, 4);
    cr_assert_eq(gpc_profile_save(b.r.profile, &(gpc_stream)GPC_STREAM_FILE(b.file), NULL, NULL), GPC_OK);
    gpc_hierarchy *h = open_hierarchy(&b, spec_of(&b, "profile-address", ""));
    unlink(b.file); /* all SMs have read it */
    cr_expect_eq(load(h, 0, 0x10, LINE(0), 1), 1);
    cr_expect_eq(load(h, 0, 0x10, LINE(1), 1), 4);
    cr_expect_eq(load(h, 1, 0x10, LINE(0), 1), 4);
    cr_expect_eq(load(h, 1, 0x10, LINE(1), 1), 1);
    cr_expect_eq(load(h, 2, 0x10, LINE(0), 1), 4);
    gpc_hierarchy_destroy(h);
    close_bench(&b);
}

/* Scores: class 1: (7 x 32 + 128) / (8 x 128) = 11/32 = U, R = 5 / 3: 0.917; classes 2 and 20: 4 / 128. */
Test(predictors, hybrid) {
    bench b;
    open_bench(&b, NULL);
    double values[GPC_PROFILE_CLASSES];
    size_t count;
    cr_assert_eq(gpc_profile_thresholds(b.r.profile, values, GPC_PROFILE_CLASSES, &count, NULL), GPC_OK);
    cr_assert_eq(count, 3);
    cr_expect_eq(values[0], 0, "classes that were not seen");
    cr_expect_eq(values[1], 0.03125);
    cr_expect_eq(values[2], 0.916667, "11 x 8 / 96, to six decimals");
    cr_expect_eq(gpc_profile_thresholds(b.r.profile, values, 2, &count, NULL), GPC_ERROR_RANGE);
    cr_expect_eq(gpc_profile_thresholds(b.r.profile, NULL, 0, &count, NULL), GPC_OK);
    cr_expect_eq(count, 3);
    static const struct {
        const char *more;
        uint64_t fetched[3]; /* by loads of 1, 2 and 20 lines of 4 bytes each */
    } rows[] = {
        {"", {1, 2, 20}},           /* none is above 1 */
        {", limit=16", {4, 8, 20}}, /* like access-count */
        {", threshold=0", {4, 8, 80}},
        {", threshold=0.03125", {4, 2, 20}},
        {", threshold=0.03125, limit=16", {4, 8, 20}},
        {", threshold=0.916667", {1, 2, 20}}, /* the class's value, as printed: not above */
        {", threshold=0.916666, limit=1", {4, 2, 20}},
        {", limit=20", {4, 8, 80}},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        gpc_hierarchy *h = open_hierarchy(&b, spec_of(&b, "hybrid", rows[i].more));
        cr_expect_eq(load(h, 0, 0, LINE(50), 1), rows[i].fetched[0], "%s", rows[i].more);
        cr_expect_eq(load(h, 0, 0, LINE(60), 2), rows[i].fetched[1], "%s", rows[i].more);
        cr_expect_eq(load(h, 0, 0, LINE(70), 20), rows[i].fetched[2], "%s", rows[i].more);
        gpc_hierarchy_destroy(h);
    }
    uint32_t classes = 9;
    cr_assert_eq(gpc_profile_classes_above(b.r.profile, 0.03125, &classes, NULL), GPC_OK);
    cr_expect_eq(classes, 1);
    cr_assert_eq(gpc_profile_classes_above(b.r.profile, 0, &classes, NULL), GPC_OK);
    cr_expect_eq(classes, 1u | 1u << 1 | 1u << 19);
    close_bench(&b);
}

/*
 * By segments class 1 has (7 + 4) / (8 x 4) = 11/32 as by bytes, because the words fill segments; classes 2 and 20,
 * words of 4 bytes, have 1/4, by bytes 1/32.
 */
Test(predictors, hybrid_by_segments) {
    bench b;
    open_bench(&b, NULL);
    static const struct {
        const char *more;
        uint64_t fetched[3];
    } rows[] = {
        {"", {1, 2, 20}},
        {", threshold=0.249999", {4, 8, 80}},
        {", threshold=0.25", {4, 2, 20}},
        {", threshold=0.25, limit=16", {4, 8, 20}},
        {", threshold=0.916667", {1, 2, 20}},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        char more[64];
        snprintf(more, sizeof more, ", use=segments%s", rows[i].more);
        gpc_hierarchy *h = open_hierarchy(&b, spec_of(&b, "hybrid", more));
        cr_expect_eq(load(h, 0, 0, LINE(50), 1), rows[i].fetched[0], "%s", more);
        cr_expect_eq(load(h, 0, 0, LINE(60), 2), rows[i].fetched[1], "%s", more);
        cr_expect_eq(load(h, 0, 0, LINE(70), 20), rows[i].fetched[2], "%s", more);
        gpc_hierarchy_destroy(h);
    }
    gpc_hierarchy *h = open_hierarchy(&b, spec_of(&b, "hybrid", ", use=bytes, threshold=0.25"));
    cr_expect_eq(load(h, 0, 0, LINE(60), 2), 2);
    gpc_hierarchy_destroy(h);
    close_bench(&b);
}

/*
 * Kernel "one": 0x10 has U = 0.25 and R = 5/2, 0.875: cg; 0x20 reads a whole line: ca. Kernel "two": cg for each.
 * Without a kernel 0x20 is the two together: 136 of 384 bytes, no hit: cg.
 */
Test(predictors, compiler) {
    bench b;
    open_bench(&b, NULL);
    gpc_hierarchy *h = open_hierarchy(&b, spec_of(&b, "compiler", ""));
    cr_expect_eq(load(h, 0, 0x10, LINE(50), 1), 1);
    cr_expect_eq(load(h, 0, 0x20, LINE(51), 1), 1);
    for (unsigned launch = 1; launch <= 3; launch++) {
        cr_assert_eq(gpc_hierarchy_begin_kernel(h, NULL, NULL), GPC_OK);
        cr_expect_eq(load(h, 0, 0x20, LINE(50), 1), launch == 1 ? 4 : 1, "launch %u", launch);
        cr_expect_eq(load(h, 0, 0x10, LINE(52), 1), launch == 2 ? 4 : 1, "launch %u: not of kernel two", launch);
        cr_expect_eq(load(h, 0, 0x40, LINE(54), 1), 4, "an instruction that the profile does not know");
        cr_expect_eq(load(h, 0, launch == 1 ? 0x10 : 0x20, LINE(54), 1), 1, "cg does not look in L1");
    }
    gpc_hierarchy_destroy(h);
    h = open_hierarchy(&b, spec_of(&b, "compiler", ", threshold=0.875"));
    cr_assert_eq(gpc_hierarchy_begin_kernel(h, NULL, NULL), GPC_OK);
    cr_expect_eq(load(h, 0, 0x10, LINE(50), 1), 4, "at the threshold it is kept");
    gpc_hierarchy_destroy(h);
    close_bench(&b);
}

/* Loads by number: kernel one has 0 and 1, kernel two the rest. */
Test(predictors, compiler_by_loads) {
    bench b;
    open_bench(&b, NULL);
    gpc_hierarchy *h = open_hierarchy(&b, spec_of(&b, "compiler", ", loads=1"));
    cr_assert_eq(gpc_hierarchy_begin_kernel(h, NULL, NULL), GPC_OK);
    cr_expect_eq(load(h, 0, 0x10, LINE(50), 1), 4);
    cr_expect_eq(load(h, 0, 0x20, LINE(51), 1), 1);
    cr_assert_eq(gpc_hierarchy_begin_kernel(h, NULL, NULL), GPC_OK);
    cr_expect_eq(load(h, 0, 0x20, LINE(52), 1), 4, "kernel two's is another");
    gpc_hierarchy_destroy(h);
    h = open_hierarchy(&b, spec_of(&b, "compiler", ", loads=1+0"));
    cr_assert_eq(gpc_hierarchy_begin_kernel(h, NULL, NULL), GPC_OK);
    cr_expect_eq(load(h, 0, 0x10, LINE(50), 1), 1);
    cr_expect_eq(load(h, 0, 0x20, LINE(51), 1), 1);
    gpc_hierarchy_destroy(h);
    static const struct {
        const char *more, *message;
    } wrong[] = {{", loads=4", "each below 4"},           {", loads=0+", "joined by +"},
                 {", loads=-1", "joined by +"},           {", loads=0x1", "joined by +"},
                 {", loads=0-1", "joined by +"},          {", loads=0, threshold=2", "no effect"},
                 {", loads=0, use=segments", "no effect"}};
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        gpc_error error = GPC_ERROR_INIT;
        gpc_hierarchy *none = NULL;
        cr_assert_eq(gpc_config_set(b.r.config, "l1.bypass", spec_of(&b, "compiler", wrong[i].more), NULL), GPC_OK);
        cr_expect_eq(gpc_hierarchy_create(b.r.context, b.r.config, &none, &error), GPC_ERROR_ARGUMENT);
        cr_expect(strstr(error.message, wrong[i].message), "%s: %s", wrong[i].more, error.message);
        cr_expect_null(none);
    }
    close_bench(&b);
}

/* Stores and atomics are unaffected. */
Test(predictors, loads_only) {
    bench b;
    static const char *const names[] = {"profile-address", "hybrid", "compiler"}, *const more[] = {"", ", limit=0", ""};
    open_bench(&b, NULL);
    gpc_config_set(b.r.config, "l1.write_policy", "back", NULL);
    gpc_config_set(b.r.config, "l1.write_allocate", "fetch", NULL);
    for (unsigned i = 0; i < 3; i++) {
        gpc_hierarchy *h = open_hierarchy(&b, spec_of(&b, names[i], more[i]));
        uint64_t address = LINE(0);
        cr_expect_eq(
            fetched(h, (gpc_warp_access){.pc = 0x10, .mask = 1, .addresses = &address, .width = 4, .kind = GPC_STORE}),
            4, "%s", names[i]);
        gpc_hierarchy_destroy(h);
    }
    close_bench(&b);
}

static void expect_refusal(bench *b, const char *spec, gpc_status expected, const char *part) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_hierarchy *h = NULL;
    size_t live = b->r.live;
    gpc_status status = gpc_config_set(b->r.config, "l1.bypass", spec, &error);
    size_t more = b->r.live - live; /* of the configuration */
    if (status == GPC_OK)
        status = gpc_hierarchy_create(b->r.context, b->r.config, &h, &error);
    cr_expect_eq(status, expected, "%s: %d", spec, (int)status);
    cr_expect(strstr(error.message, part), "%s: %s", spec, error.message);
    cr_expect_null(h);
    cr_expect_eq(b->r.live, live + more);
}

Test(predictors, refusals) {
    static const char *const names[] = {"profile-address", "hybrid", "compiler"};
    static const char *const settings[] = {"sm.count=2", NULL};
    bench b;
    open_bench(&b, settings);
    for (unsigned i = 0; i < 3; i++) {
        char nowhere[80];
        snprintf(nowhere, sizeof nowhere, "%s(file=/nowhere/p)", names[i]);
        expect_refusal(&b, names[i], GPC_ERROR_ARGUMENT, "'file' must name a profile");
        expect_refusal(&b, nowhere, GPC_ERROR_NOT_FOUND, "/nowhere/p: no such file");
        expect_refusal(&b, spec_of(&b, names[i], ", threshold=x"), i ? GPC_ERROR_FORMAT : GPC_ERROR_NOT_FOUND,
                       "threshold");
    }
    gpc_config_set(b.r.config, "l1.line", "64B", NULL);
    const char *lines = "lines of 128 bytes, the cache's have 64";
    expect_refusal(&b, spec_of(&b, "profile-address", ""), GPC_ERROR_ARGUMENT, lines);
    expect_refusal(&b, spec_of(&b, "hybrid", ""), GPC_ERROR_ARGUMENT, lines);
    gpc_config_set(b.r.config, "l1.line", "128B", NULL);
    gpc_config_set(b.r.config, "sm.count", "4", NULL);
    expect_refusal(&b, spec_of(&b, "profile-address", ""), GPC_ERROR_ARGUMENT, "of 2 SMs, this cache is number 2");
    FILE *file = fopen(b.file, "r+b");
    cr_assert(file && !fseek(file, 80, SEEK_SET) && fputc(0xff, file) != EOF && !fclose(file));
    for (unsigned i = 0; i < 3; i++)
        expect_refusal(&b, spec_of(&b, names[i], ""), GPC_ERROR_FORMAT, "offset 39: the section's checksum");
    close_bench(&b);
}

/* A message of more than 255 bytes keeps the end: the last bytes of a long path, and the reason. */
Test(predictors, long_paths) {
    static const char *const settings[] = {NULL};
    static const char reason[] = ": no such file";
    bench b;
    char path[400], spec[440], expected[300];
    open_bench(&b, settings);
    for (size_t i = 0; i < sizeof path; i++)
        path[i] = i % 10 ? (char)('a' + i / 10 % 26) : '/';
    path[sizeof path - 1] = 0;
    const size_t kept = 255 - strlen(reason);
    snprintf(spec, sizeof spec, "compiler(file=%s)", path);
    snprintf(expected, sizeof expected, "': %s%s", path + strlen(path) - kept, reason);
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(gpc_config_set(b.r.config, "l1.bypass", spec, &error), GPC_OK, "%s", error.message);
    gpc_hierarchy *h = NULL;
    cr_expect_eq(gpc_hierarchy_create(b.r.context, b.r.config, &h, &error), GPC_ERROR_NOT_FOUND);
    cr_expect_not_null(strstr(error.message, expected), "%s", error.message);
    close_bench(&b);
}

/* profile-address: a line of 40 - 7 bits, and those of "two", 22; hybrid: 32 classes, a threshold of 6 bits or more. */
Test(predictors, costs) {
    bench b;
    uint64_t bits = 1;
    open_bench(&b, NULL);
    static const struct {
        const char *name, *more;
        uint64_t bits;
    } rows[] = {
        {"profile-address", "", 23 * 33},
        {"profile-address", ", address-bits=49", 23 * 42},
        {"hybrid", "", 38},
        {"hybrid", ", limit=0", 38},
        {"hybrid", ", limit=63", 38},
        {"hybrid", ", limit=64", 39},
        {"compiler", "", 0},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_expect_eq(gpc_policy_cost(b.r.context, GPC_POLICY_PREDICTOR, spec_of(&b, rows[i].name, rows[i].more), 32, 4,
                                     128, 1, &bits, NULL),
                     GPC_OK);
        cr_expect_eq(bits, rows[i].bits, "%s%s: %zu", rows[i].name, rows[i].more, (size_t)bits);
    }
    cr_expect_eq(gpc_policy_cost(b.r.context, GPC_POLICY_PREDICTOR, "hybrid", 32, 4, 128, 1, &bits, NULL), GPC_OK);
    cr_expect_eq(bits, 38, "without a file");
    close_bench(&b);
}

/* A predictor on a single cache, and one that replaces another. */
Test(predictors, on_a_cache) {
    bench b;
    open_bench(&b, NULL);
    gpc_cache_options options = GPC_CACHE_OPTIONS_INIT;
    gpc_cache *cache;
    options.predictor = spec_of(&b, "profile-address", "");
    cr_assert_eq(gpc_cache_create(b.r.context, &options, &cache, NULL), GPC_OK);
    gpc_access_result result;
    gpc_request request = {.address = LINE(0), .pc = 0x10, .transactions = 20};
    cr_assert_eq(gpc_cache_access(cache, &request, &result, NULL), GPC_OK);
    cr_expect_eq(result.outcome, GPC_BYPASSED);
    request.address = LINE(1);
    cr_assert_eq(gpc_cache_access(cache, &request, &result, NULL), GPC_OK);
    cr_expect_eq(result.outcome, GPC_MISS);
    cr_assert_eq(gpc_cache_set_predictor(cache, spec_of(&b, "hybrid", ""), NULL), GPC_OK);
    request.address = LINE(2);
    cr_assert_eq(gpc_cache_access(cache, &request, &result, NULL), GPC_OK);
    cr_expect_eq(result.outcome, GPC_BYPASSED);
    gpc_cache_destroy(cache);
    close_bench(&b);
}
