/* SPDX-License-Identifier: BSD-2-Clause */
#include "hierarchy/rig.h"
#include "measured.h"

#include <criterion/criterion.h>
#include <string.h>

/* Refusals, without side effects. */

static const uint64_t some_addresses[64];

static void refused(rig *r, gpc_warp_access access, gpc_status expected, const char *what) {
    gpc_warp_result result = GPC_WARP_RESULT_INIT;
    result.lines = 77;
    cr_expect_eq(gpc_hierarchy_access(r->hierarchy, &access, &result, NULL), expected, "%s", what);
    cr_expect_eq(result.lines, 77, "%s", what);
    EXPECT(r, .kernels = 0);
}

/* Refused by a status; if asked, the library names the wrong field. */
static void refused_for(rig *r, gpc_warp_access access, const char *field, const char *what) {
    gpc_error error = GPC_ERROR_INIT;
    refused(r, access, GPC_ERROR_ARGUMENT, what);
    cr_expect_eq(gpc_hierarchy_access(r->hierarchy, &access, NULL, &error), GPC_ERROR_ARGUMENT, "%s", what);
    cr_expect_eq(strncmp(error.message, "gpc_warp_access: ", 17), 0, "%s", error.message);
    cr_expect_eq(strncmp(error.message + 17, field, strlen(field)), 0, "%s: %s", what, error.message);
}

#define REFUSED(r, field, ...)                                                                                       \
    refused_for(r,                                                                                                   \
                (gpc_warp_access){.struct_size = sizeof(gpc_warp_access), .addresses = some_addresses, __VA_ARGS__}, \
                field " ", #__VA_ARGS__)

Test(memory_errors, accesses) {
    rig r;
    rig_open(&r, "sm.count = 2\n");
    REFUSED(&r, "sm", .mask = 1, .width = 4, .sm = 2);
    REFUSED(&r, "sm", .mask = 1, .width = 4, .sm = UINT32_MAX);
    REFUSED(&r, "width", .mask = 1, .width = 0);
    REFUSED(&r, "width", .mask = 1, .width = 65);
    REFUSED(&r, "mask", .mask = 1ull << 32, .width = 4);
    REFUSED(&r, "mask", .mask = UINT64_MAX, .width = 4);
    REFUSED(&r, "kind", .mask = 1, .width = 4, .kind = GPC_KIND_COUNT);
    REFUSED(&r, "space", .mask = 1, .width = 4, .space = GPC_SPACE_COUNT);
    REFUSED(&r, "space", .mask = 1, .width = 4, .space = GPC_SPACE_INSTRUCTION);
    REFUSED(&r, "space", .mask = 1, .width = 4, .space = GPC_SPACE_MIXED);
    REFUSED(&r, "hint", .mask = 1, .width = 4, .hint = GPC_HINT_COUNT);
    REFUSED(&r, "priority", .mask = 1, .width = 4, .priority = GPC_PRIORITY_COUNT);
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    access.mask = 1;
    access.width = 4;
    refused(&r, access, GPC_ERROR_ARGUMENT, "NULL addresses");
    access.addresses = some_addresses;
    access.struct_size = 0;
    refused(&r, access, GPC_ERROR_ABI, "struct_size 0");
    access.struct_size = sizeof access;
    cr_expect_eq(gpc_hierarchy_access(NULL, &access, NULL, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_hierarchy_access(r.hierarchy, NULL, NULL, NULL), GPC_ERROR_ARGUMENT);
    /* the last allowed values */
    access.sm = 1;
    access.mask = 1u << 31;
    access.width = 64;
    access.kind = GPC_KIND_COUNT - 1;
    access.hint = GPC_HINT_COUNT - 1;
    access.priority = GPC_PRIORITY_COUNT - 1;
    cr_expect_eq(gpc_hierarchy_access(r.hierarchy, &access, NULL, NULL), GPC_OK);
    access.mask = 0;
    access.addresses = NULL;
    cr_expect_eq(gpc_hierarchy_access(r.hierarchy, &access, NULL, NULL), GPC_OK);
    rig_close(&r);
}

/* The last word of the address space. */
Test(memory_errors, last_address) {
    rig r;
    rig_open(&r, NULL);
    gpc_warp_result result = rig_fire(&r, WORD(GPC_LOAD, UINT64_MAX - 3));
    cr_expect_eq(result.lines, 1);
    rig_fire(&r, WORD(GPC_STORE, UINT64_MAX - 3));
    rig_flush(&r);
    cr_expect_eq(rig_stats(&r).dram_write_sectors, 1);
    rig_close(&r);
}

Test(memory_errors, other_calls) {
    rig r;
    measured_stats stats;
    rig_open(&r, "sm.count = 2\n");
    gpc_warp_event event = {.kind = GPC_WARP_START, .sm = 1};
    cr_expect_eq(gpc_hierarchy_warp_event(r.hierarchy, &event, NULL), GPC_OK);
    event.sm = 2;
    cr_expect_eq(gpc_hierarchy_warp_event(r.hierarchy, &event, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_hierarchy_warp_event(r.hierarchy, NULL, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_hierarchy_warp_event(NULL, &event, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_hierarchy_flush(NULL, NULL), GPC_ERROR_ARGUMENT);
    measured_clear(&stats);
    cr_expect_eq(measure_hierarchy(NULL, &stats), GPC_ERROR_ARGUMENT);
    gpc_hierarchy_reset_stats(NULL);
    gpc_hierarchy_destroy(NULL);
    cr_expect_null(gpc_hierarchy_cache(NULL, 1, 0));
    cr_expect_null(gpc_hierarchy_cache(r.hierarchy, 0, 0));
    cr_expect_null(gpc_hierarchy_cache(r.hierarchy, 3, 0));
    cr_expect_null(gpc_hierarchy_cache(r.hierarchy, 1, 2));
    cr_expect_null(gpc_hierarchy_cache(r.hierarchy, 2, 1));
    cr_expect_eq(gpc_hierarchy_occupancy(NULL, NULL), 0);
    gpc_error error = GPC_ERROR_INIT;
    gpc_hierarchy *out = NULL;
    cr_expect_eq(gpc_hierarchy_create(NULL, r.config, &out, &error), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_hierarchy_create(r.context, NULL, &out, &error), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_hierarchy_create(r.context, r.config, NULL, &error), GPC_ERROR_ARGUMENT);
    cr_expect_null(out);
    rig_close(&r);
}

/* Keys with good values that do not fit together. */
Test(memory_errors, creation_names_the_key) {
    static const struct {
        const char *settings, *key;
    } cases[] = {
        {"l1.line = 256B\n", "l1.line"},
        {"l1.line = 16B\nl1.sectors = 1\n", "l1.line"},
        {"l1.line = 96B\n", "l1.line"},
        {"l2.line = 256B\n", "l2.line"},
        {"l1.sectors = 8\n", "l1.sectors"},
        {"l1.sectors = 3\n", "l1.sectors"},
        {"l1.line = 64B\nl1.sectors = 4\n", "l1.sectors"},
        {"l2.sectors = 8\n", "l2.sectors"},
        {"l2.slices = 3\nl2.partitions = 2\n", "l2.slices"},
        {"l2.line = 64B\nl2.sectors = 2\n", "l2.line"},
        {"l2.interleave_bytes = 64B\n", "l2.interleave_bytes"},
        {"l1.size = 128B\n", "l1.size"},
        {"l2.size = 128B\n", "l2.size"},
        {"l2.slices = 32\n", "l2.size"},
        {"l1.unified = true\nl1.carveout = 1KiB\n", "l1.size"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gpc_error error = GPC_ERROR_INIT;
        cr_expect_eq(rig_refused(cases[i].settings, &error), GPC_ERROR_RANGE, "%s", cases[i].settings);
        cr_expect_not_null(strstr(error.message, cases[i].key), "%s: %s", cases[i].settings, error.message);
    }
}

/* Errors found only by a cache name the level. */
Test(memory_errors, creation_names_the_level) {
    gpc_error error = GPC_ERROR_INIT;
    cr_expect_lt(rig_refused("l1.index = fermi\n", &error), 0); /* 4 sets */
    cr_expect_not_null(strstr(error.message, "l1"), "%s", error.message);
    cr_expect_lt(rig_refused("l2.fetch_sectors = 8\n", &error), 0); /* 4 sectors */
    cr_expect_not_null(strstr(error.message, "l2"), "%s", error.message);
}

/* Messages name the argument that is NULL. */
Test(memory_errors, null_arguments_of_snapshots) {
    rig r;
    gpc_error error = GPC_ERROR_INIT;
    gpc_hierarchy *h = NULL;
    gpc_replay *replay = NULL;
    rig_open(&r, NULL);
    gpc_context *const c = r.context;
#define EXPECT_NULL(call, name)                                                            \
    do {                                                                                   \
        cr_expect_eq(call, GPC_ERROR_ARGUMENT, "%s", #call);                               \
        cr_expect(strstr(error.message, name " is NULL"), "%s: %s", #call, error.message); \
    } while (0)
    EXPECT_NULL(gpc_hierarchy_load(NULL, &(gpc_stream)GPC_STREAM_FILE("f"), NULL, &h, &error), "context");
    EXPECT_NULL(gpc_hierarchy_load(c, NULL, NULL, &h, &error), "from");
    EXPECT_NULL(gpc_hierarchy_load(c, &(gpc_stream)GPC_STREAM_FILE("f"), NULL, NULL, &error), "out");
    EXPECT_NULL(gpc_replay_load(NULL, &(gpc_stream)GPC_STREAM_FILE("f"), NULL, &replay, &error), "context");
    EXPECT_NULL(gpc_replay_load(c, NULL, NULL, &replay, &error), "from");
    EXPECT_NULL(gpc_replay_load(c, &(gpc_stream)GPC_STREAM_FILE("f"), NULL, NULL, &error), "out");
    EXPECT_NULL(gpc_hierarchy_save(NULL, &(gpc_stream)GPC_STREAM_FILE("f"), &error), "hierarchy");
    EXPECT_NULL(gpc_hierarchy_save(r.hierarchy, NULL, &error), "to");
    EXPECT_NULL(gpc_replay_save(NULL, &(gpc_stream)GPC_STREAM_FILE("f"), &error), "replay");
    EXPECT_NULL(gpc_hierarchy_copy(NULL, &h, &error), "hierarchy");
    rig_close(&r);
}
