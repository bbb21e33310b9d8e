/* SPDX-License-Identifier: BSD-2-Clause */
#include <gpucache/experimental/experimental.h>
#include <gpucache/ext/hierarchy.h>
#include <gpucache/ext/observe.h>
#include <gpucache/ext/parts.h>
#include <gpucache/gpucache.h>

#include "hierarchy/rig.h"
#include "measured.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A host's questions before acting, compared with the later events. */

static gpc_status issue(rig *r, uint32_t sm, uint64_t address, gpc_busy *busy) {
    uint64_t addresses[4];
    for (uint32_t lane = 0; lane < 4; lane++)
        addresses[lane] = address + 128 * (uint64_t)lane;
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    access.sm = sm;
    access.mask = 15;
    access.addresses = addresses;
    access.width = 4;
    return gpc_hierarchy_try_issue(r->hierarchy, &access, 0, busy, NULL);
}

static void ready(void *user_data, uint32_t sm) {
    (void)sm;
    ++*(unsigned *)user_data;
}

/* Answers agree with results, with equal reasons; asking alone causes no callback. */
Test(ask, acceptance) {
    rig r;
    rig_open(&r, "mode = timed\nsm.count = 2\nl1.queue = 2\nl1.mshr_entries = 4\nl1.miss_queue = 2");
    unsigned told = 0;
    gpc_hierarchy_callbacks callbacks = GPC_HIERARCHY_CALLBACKS_INIT;
    callbacks.on_ready = ready;
    callbacks.user_data = &told;
    cr_assert_eq(gpc_hierarchy_set_callbacks(r.hierarchy, &callbacks, NULL), GPC_OK);
    unsigned refused = 0, accepted = 0;
    for (unsigned n = 0; n < 2000; n++) {
        gpc_busy said, was;
        const bool room = gpc_hierarchy_can_accept(r.hierarchy, n % 2, &said);
        cr_assert_eq(room, gpc_hierarchy_can_accept(r.hierarchy, n % 2, NULL));
        if (n < 1000 && !room) { /* only asking */
            refused++;
        } else {
            const gpc_status status = issue(&r, n % 2, 4096 * (uint64_t)n, &was);
            cr_assert_eq(status == GPC_OK, room, "%u", n);
            cr_assert_eq(said, was, "%u: said %u, was %u", n, said, was);
            accepted += room;
            refused += !room;
        }
        cr_expect(n >= 1000 || !told);
        cr_assert_eq(gpc_hierarchy_advance(r.hierarchy, 3, NULL), GPC_OK);
    }
    cr_expect(accepted > 20 && refused > 20, "%u, %u", accepted, refused);
    cr_expect_gt(told, 0);
    rig_close(&r);
}

Test(ask, misses) {
    rig r;
    rig_open(&r, "mode = timed\nl1.miss_queue = 3\nnetwork.input_buffer = 1");
    unsigned refused = 0;
    for (unsigned n = 0; n < 200; n++) {
        gpc_busy said, was;
        const bool room = gpc_hierarchy_can_accept_miss(r.hierarchy, 0, &said);
        const gpc_request request = {.address = 128 * (uint64_t)n};
        cr_assert_eq(gpc_hierarchy_try_miss(r.hierarchy, &request, n, &was, NULL), room ? GPC_OK : GPC_BUSY);
        cr_assert_eq(said, was);
        refused += !room;
        cr_assert_eq(gpc_hierarchy_advance(r.hierarchy, n % 3, NULL), GPC_OK);
    }
    cr_expect_gt(refused, 10);
    rig_close(&r);
}

Test(ask, of_what_is_not_there) {
    rig r;
    gpc_busy busy = GPC_BUSY_MSHR;
    rig_open(&r, "mode = timed");
    cr_expect(!gpc_hierarchy_can_accept(NULL, 0, &busy) && busy == GPC_BUSY_NOT);
    cr_expect(!gpc_hierarchy_can_accept(r.hierarchy, 1, NULL) && !gpc_hierarchy_can_accept_miss(r.hierarchy, 1, NULL));
    cr_expect(gpc_hierarchy_can_accept(r.hierarchy, 0, NULL) && gpc_hierarchy_can_accept_miss(r.hierarchy, 0, NULL));
    cr_expect(gpc_hierarchy_is_idle(r.hierarchy) && !gpc_hierarchy_is_idle(NULL));
    rig_close(&r);
    rig_open(&r, NULL);
    cr_expect(!gpc_hierarchy_can_accept(r.hierarchy, 0, NULL) && !gpc_hierarchy_can_accept_miss(r.hierarchy, 0, NULL));
    cr_expect(gpc_hierarchy_is_idle(r.hierarchy));
    rig_close(&r);
    rig_open(&r, "mode = timed\ncoherence = mesi\nl1.write_policy = back\nl1.write_policy_local = back\n"
                 "l1.write_allocate = fetch\nl1.write_allocate_local = fetch\nl1.sectors = 1\nl2.sectors = 1");
    cr_expect(gpc_hierarchy_can_accept(r.hierarchy, 0, NULL) && !gpc_hierarchy_can_accept_miss(r.hierarchy, 0, NULL));
    gpc_location location = GPC_LOCATION_INIT;
    cr_expect_eq(gpc_hierarchy_locate(r.hierarchy, 0, 0, &location, NULL), GPC_ERROR_UNSUPPORTED);
    cr_expect_eq(gpc_hierarchy_preload(r.hierarchy, 2, 0, 0, 128, NULL), GPC_ERROR_UNSUPPORTED);
    rig_close(&r);
}

/* No access waits any more, but writes are on the way: a kernel may begin exactly when the answer allows it. */
Test(ask, idle) {
    rig r;
    unsigned between = 0;
    rig_open(&r, "mode = timed\nl1.write_policy = back\nl1.write_allocate = fetch\nl1.allocate = on-fill");
    gpc_error error = GPC_ERROR_INIT;
    uint64_t addresses[1];
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    access.mask = 1;
    access.addresses = addresses;
    access.width = 4;
    access.kind = GPC_STORE;
    for (unsigned n = 0; n < 6000; n++) {
        addresses[0] = 512 * (uint64_t)(n / 600);
        if (n % 600 == 0)
            cr_assert_eq(gpc_hierarchy_try_issue(r.hierarchy, &access, 0, NULL, NULL), GPC_OK);
        cr_assert_eq(gpc_hierarchy_advance(r.hierarchy, 1, NULL), GPC_OK);
        const bool idle = gpc_hierarchy_is_idle(r.hierarchy);
        between += !idle && !gpc_hierarchy_in_flight(r.hierarchy);
        if (n % 7 == 0)
            cr_assert_eq(gpc_hierarchy_begin_kernel(r.hierarchy, NULL, &error), idle ? GPC_OK : GPC_ERROR_STATE);
    }
    cr_expect_gt(between, 0);
    rig_close(&r);
}

/* Only a hit's data are under way: the hierarchy is not at rest. */
Test(ask, a_hit_under_way) {
    rig r;
    gpc_error error = GPC_ERROR_INIT;
    uint64_t addresses[1] = {4096};
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    gpc_access_window window = GPC_ACCESS_WINDOW_INIT;
    access.mask = 1;
    access.addresses = addresses;
    access.width = 4;
    rig_open(&r, "mode = timed\nl1.latency = 40");
    cr_assert_eq(gpc_hierarchy_try_issue(r.hierarchy, &access, 0, NULL, NULL), GPC_OK);
    cr_assert_eq(gpc_hierarchy_drain(r.hierarchy, &error), GPC_OK);
    cr_assert_eq(gpc_hierarchy_try_issue(r.hierarchy, &access, 0, NULL, NULL), GPC_OK);
    cr_assert_eq(gpc_hierarchy_advance(r.hierarchy, 20, NULL), GPC_OK);
    cr_assert_eq(gpc_hierarchy_in_flight(r.hierarchy), 1);
    cr_expect(!gpc_hierarchy_is_idle(r.hierarchy));
    cr_expect_eq(gpc_hierarchy_begin_kernel(r.hierarchy, NULL, &error), GPC_ERROR_STATE);
    cr_expect(strstr(error.message, "accesses are in flight"), "%s", error.message);
    cr_expect_eq(gpc_hierarchy_flush(r.hierarchy, NULL), GPC_ERROR_STATE);
    cr_expect_eq(gpc_hierarchy_preload(r.hierarchy, 2, 0, 0, 128, &error), GPC_ERROR_STATE);
    cr_expect_eq(gpc_hierarchy_set_window(r.hierarchy, &window, &error), GPC_ERROR_STATE);
    cr_expect_eq(gpc_hierarchy_record(r.hierarchy, "hit.gct", &error), GPC_ERROR_STATE);
    cr_assert_eq(gpc_hierarchy_advance(r.hierarchy, 40, NULL), GPC_OK);
    cr_expect(gpc_hierarchy_is_idle(r.hierarchy));
    cr_expect_eq(gpc_hierarchy_begin_kernel(r.hierarchy, NULL, &error), GPC_OK);
    cr_expect_eq(gpc_hierarchy_flush(r.hierarchy, NULL), GPC_OK);
    rig_close(&r);
}

/* One line is loaded, and the events of the packets tell the way. */
typedef struct seen {
    uint32_t slice, channel, bank;
} seen;

static bool on_event(void *user_data, const gpc_event *event) {
    seen *s = user_data;
    if (event->component == GPC_COMPONENT_L2 && s->slice == GPC_NOWHERE)
        s->slice = event->index;
    if (event->component == GPC_COMPONENT_MEMORY)
        s->channel = event->index;
    if (event->component == GPC_COMPONENT_MEMORY && event->bank != GPC_NONE)
        s->bank = event->bank;
    return true;
}

static void check_locations(const char *settings) {
    rig r;
    rig_open(&r, settings);
    for (uint64_t n = 0; n < 60; n++) {
        const uint64_t address = n * 7919 * 32;
        gpc_location at = GPC_LOCATION_INIT;
        seen s = {GPC_NOWHERE, GPC_NOWHERE, GPC_NOWHERE};
        gpc_event_options options = GPC_EVENT_OPTIONS_INIT;
        options.on_event = on_event;
        options.user_data = &s;
        cr_assert_eq(gpc_hierarchy_locate(r.hierarchy, n % 4, address, &at, NULL), GPC_OK);
        cr_assert_eq(gpc_hierarchy_set_trace(r.hierarchy, &options, NULL), GPC_OK);
        uint64_t addresses[1] = {address};
        gpc_warp_access access = GPC_WARP_ACCESS_INIT;
        access.sm = (uint32_t)(n % 4);
        access.mask = 1;
        access.addresses = addresses;
        access.width = 4;
        cr_assert_eq(gpc_hierarchy_try_issue(r.hierarchy, &access, 0, NULL, NULL), GPC_OK);
        cr_assert_eq(gpc_hierarchy_drain(r.hierarchy, NULL), GPC_OK);
        cr_expect_eq(at.line, address / 128 * 128);
        cr_expect_eq(at.near_slice, s.slice, "%llx", (unsigned long long)address);
        cr_expect_eq(at.channel, s.channel, "%llx", (unsigned long long)address);
        cr_expect(at.bank != GPC_NOWHERE && at.bank == s.bank, "bank %u, not %u", at.bank, s.bank);
        cr_expect(at.slice == at.near_slice && at.partition == 0);
        gpc_line line;
        uint64_t cursor = 0;
        bool found = false;
        while (gpc_cache_next_line(gpc_hierarchy_cache(r.hierarchy, 2, at.slice), &cursor, &line, NULL) == GPC_OK)
            found |= line.line_address == at.slice_address && line.set == at.set;
        cr_expect(found, "%llx is not in slice %u, set %u", (unsigned long long)address, at.slice, at.set);
    }
    gpc_location at = GPC_LOCATION_INIT;
    cr_expect_eq(gpc_hierarchy_locate(r.hierarchy, 4, 0, &at, NULL), GPC_ERROR_ARGUMENT);
    rig_close(&r);
}

#define PLACES "mode = timed\nsm.count = 4\nl2.slices = 8\nl2.size = 256KiB\nl2.interleave = hash\ndram.channels = 4\n"

Test(ask, location) {
    check_locations(PLACES);
    check_locations(PLACES "dram.pseudo_channels = 2\n");
}

Test(ask, shape) {
    rig r;
    gpc_shape shape = GPC_SHAPE_INIT;
    rig_open(&r, "mode = timed\nl1.size = 64KiB\nl1.unified = true\nl1.carveouts = 0B 16KiB 32KiB\nl1.ways = 8\n"
                 "l2.slices = 2\nl2.size = 64KiB\ndram.channels = 2");
    gpc_launch launch = GPC_LAUNCH_INIT;
    launch.threads = 64;
    launch.shared_bytes = 9000;
    rig_begin(&r, &launch);
    cr_assert_eq(gpc_hierarchy_get_shape(r.hierarchy, &shape, NULL), GPC_OK);
    cr_expect_eq(shape.l1_bytes + shape.shared_bytes, 64 << 10);
    cr_expect_geq(shape.shared_bytes, 9000);
    cr_expect_eq((uint64_t)shape.l1_sets * shape.l1_ways * shape.l1_line, shape.l1_bytes);
    cr_expect(shape.sms == 1 && shape.slices == 2 && shape.channels == 2 && shape.partitions == 1 && shape.lanes == 32);
    cr_expect(shape.l2_bytes == 64 << 10 && shape.l2_line == 128 && shape.l2_sectors == 4 && shape.l1_sectors == 4);
    rig_begin(&r, NULL);
    cr_assert_eq(gpc_hierarchy_get_shape(r.hierarchy, &shape, NULL), GPC_OK);
    cr_expect(shape.l1_bytes == 64 << 10 && !shape.shared_bytes);
    rig_close(&r);
    rig_open(&r, "l1.enabled = false");
    cr_assert_eq(gpc_hierarchy_get_shape(r.hierarchy, &shape, NULL), GPC_OK);
    cr_expect(!shape.l1_bytes && !shape.l1_ways && !shape.channels && shape.l2_ways == 4 && shape.l2_sets == 16);
    rig_close(&r);
}

/* Preloaded lines hit, and preloading is not counted. */
Test(ask, preload) {
    for (unsigned timed = 0; timed < 2; timed++) {
        rig r;
        rig_open(&r, timed ? "mode = timed" : NULL);
        gpc_error error = GPC_ERROR_INIT;
        const measured_stats before = rig_stats(&r);
        cr_assert_eq(gpc_hierarchy_preload(r.hierarchy, 2, 0, 100, 3000, &error), GPC_OK, "%s", error.message);
        cr_assert_eq(gpc_hierarchy_preload(r.hierarchy, 1, 0, 256, 1, &error), GPC_OK, "%s", error.message);
        const measured_stats after = rig_stats(&r);
        cr_expect(!memcmp(&before, &after, sizeof before));
        cr_expect_eq(rig_lines(&r, 2, 1), 25); /* bytes 100 to 3099 */
        cr_expect_eq(rig_lines(&r, 1, 1), 1);
        uint64_t addresses[2] = {260, 1000};
        gpc_warp_access access = GPC_WARP_ACCESS_INIT;
        access.mask = 3;
        access.addresses = addresses;
        access.width = 4;
        cr_assert_eq(timed ? gpc_hierarchy_try_issue(r.hierarchy, &access, 0, NULL, NULL)
                           : gpc_hierarchy_access(r.hierarchy, &access, NULL, NULL),
                     GPC_OK);
        if (timed) {
            cr_expect_eq(gpc_hierarchy_preload(r.hierarchy, 2, 0, 0, 1, &error), GPC_ERROR_STATE);
            cr_assert_eq(gpc_hierarchy_drain(r.hierarchy, NULL), GPC_OK);
        }
        const measured_stats s = rig_stats(&r);
        cr_expect(s.l1_load_sector_hits == 1 && s.l2_read_sectors == 1 && s.l2_read_sector_hits == 1);
        cr_expect_eq(s.dram_read_sectors, 0);
        rig_close(&r);
    }
}

static void refuse(rig *r, unsigned level, uint32_t sm, uint64_t address, uint64_t bytes, gpc_status status,
                   const char *word) {
    gpc_error error = GPC_ERROR_INIT;
    cr_expect_eq(gpc_hierarchy_preload(r->hierarchy, level, sm, address, bytes, &error), status);
    cr_expect(strstr(error.message, word), "'%s' does not say '%s'", error.message, word);
}

Test(ask, refusals) {
    rig r;
    rig_open(&r, NULL);
    refuse(&r, 0, 0, 0, 1, GPC_ERROR_ARGUMENT, "level");
    refuse(&r, 3, 0, 0, 1, GPC_ERROR_ARGUMENT, "level");
    refuse(&r, 1, 1, 0, 1, GPC_ERROR_ARGUMENT, "sm");
    refuse(&r, 2, 0, UINT64_MAX, 2, GPC_ERROR_RANGE, "last address");
    cr_expect_eq(gpc_hierarchy_preload(r.hierarchy, 2, 9, 0, 0, NULL), GPC_OK);
    cr_expect_eq(gpc_hierarchy_get_shape(r.hierarchy, NULL, NULL), GPC_ERROR_ARGUMENT);
    gpc_shape small = GPC_SHAPE_INIT;
    small.struct_size = 4;
    cr_expect_eq(gpc_hierarchy_get_shape(r.hierarchy, &small, NULL), GPC_ERROR_ABI);
    rig_close(&r);
    rig_open(&r, "l1.enabled = false");
    refuse(&r, 1, 0, 0, 1, GPC_ERROR_ARGUMENT, "no L1");
    rig_close(&r);
    rig_open(&r, "l2.inclusion = inclusive");
    refuse(&r, 2, 0, 0, 1, GPC_ERROR_UNSUPPORTED, "inclusive");
    rig_close(&r);
}

static void *allocate(void *user_data, size_t bytes) {
    (void)user_data;
    char *memory = malloc(bytes + 64);
    return memory ? memset(memory, 0xa5, bytes + 64) : NULL;
}

static void *resize(void *user_data, void *memory, size_t bytes) {
    (void)user_data;
    return realloc(memory, bytes);
}

static void release(void *user_data, void *memory) {
    (void)user_data;
    free(memory);
}

/* There is no cache behind the last, whatever the memory contents. */
Test(ask, caches_that_there_are_not) {
    gpc_context_options options = GPC_CONTEXT_OPTIONS_INIT;
    gpc_error error = GPC_ERROR_INIT;
    gpc_config *config;
    gpc_hierarchy *h;
    gpc_context *context;
    options.allocate = allocate;
    options.resize = resize;
    options.release = release;
    cr_assert_eq(gpc_context_create(&options, &context, &error), GPC_OK);
    cr_assert_eq(gpc_config_create(context, &config, &error), GPC_OK);
    cr_assert_eq(gpc_config_load_text(config, "sm.count = 8\nl2.slices = 8\n", "test", &error), GPC_OK);
    cr_assert_eq(gpc_hierarchy_create(context, config, &h, &error), GPC_OK, "%s", error.message);
    for (unsigned level = 0; level < 4; level++) {
        const bool is = level == 1 || level == 2;
        cr_expect_eq(gpc_hierarchy_cache(h, level, 7) != NULL, is, "level %u", level);
        cr_expect_null(gpc_hierarchy_cache(h, level, 8), "level %u", level);
    }
    cr_expect_null(gpc_hierarchy_cache(NULL, 1, 0));
    gpc_hierarchy_destroy(h);
    gpc_config_destroy(config);
    gpc_context_destroy(context);
}
