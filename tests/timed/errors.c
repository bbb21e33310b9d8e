/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "timed/rig.h"

#include <criterion/criterion.h>
#include <string.h>

/* Refusals of a timed hierarchy, without side effects. */

static rig r;
static const uint64_t some_addresses[64];

static gpc_warp_access good(void) {
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    access.mask = 1;
    access.width = 4;
    access.addresses = some_addresses;
    return access;
}

#define REFUSED(...)                                                                                                  \
    do {                                                                                                              \
        gpc_warp_access access = {.struct_size = sizeof(gpc_warp_access), .addresses = some_addresses, __VA_ARGS__};  \
        cr_expect_eq(gpc_hierarchy_try_issue(r.hierarchy, &access, 0, NULL, NULL), GPC_ERROR_ARGUMENT, #__VA_ARGS__); \
    } while (0)

Test(timed_errors, try_issue) {
    rig_open(&r, "sm.count = 2\n", 100);
    measured_stats before = rig_stats(&r);
    REFUSED(.mask = 1, .width = 4, .sm = 2);
    REFUSED(.mask = 1, .width = 0);
    REFUSED(.mask = 1, .width = 65);
    REFUSED(.mask = 1ull << 32, .width = 4);
    REFUSED(.mask = 1, .width = 4, .kind = GPC_KIND_COUNT);
    REFUSED(.mask = 1, .width = 4, .space = GPC_SPACE_COUNT);
    REFUSED(.mask = 1, .width = 4, .space = GPC_SPACE_INSTRUCTION);
    REFUSED(.mask = 1, .width = 4, .hint = GPC_HINT_COUNT);
    REFUSED(.mask = 1, .width = 4, .priority = GPC_PRIORITY_COUNT);
    gpc_warp_access access = good();
    access.addresses = NULL;
    cr_expect_eq(gpc_hierarchy_try_issue(r.hierarchy, &access, 0, NULL, NULL), GPC_ERROR_ARGUMENT);
    access = good();
    access.struct_size = 0;
    cr_expect_eq(gpc_hierarchy_try_issue(r.hierarchy, &access, 0, NULL, NULL), GPC_ERROR_ABI);
    access = good();
    cr_expect_eq(gpc_hierarchy_try_issue(NULL, &access, 0, NULL, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_hierarchy_try_issue(r.hierarchy, NULL, 0, NULL, NULL), GPC_ERROR_ARGUMENT);
    measured_stats after = rig_stats(&r);
    cr_expect_eq(memcmp(&before, &after, sizeof before), 0);
    cr_expect_eq(gpc_hierarchy_in_flight(r.hierarchy), 0);
    rig_close(&r);
}

/* Accesses without memory complete within the call. */
Test(timed_errors, nothing_to_do) {
    rig_open(&r, NULL, 100);
    gpc_busy busy = GPC_BUSY_COUNT;
    gpc_warp_access access = good();
    access.mask = 0;
    access.addresses = NULL;
    cr_expect_eq(gpc_hierarchy_try_issue(r.hierarchy, &access, 7, &busy, NULL), GPC_OK);
    cr_expect_eq(busy, GPC_BUSY_NOT);
    cr_expect_eq(r.done[7].times, 1);
    for (uint8_t space = GPC_SPACE_SHARED; space < GPC_SPACE_INSTRUCTION; space++) {
        access = good();
        access.space = space;
        cr_expect_eq(gpc_hierarchy_try_issue(r.hierarchy, &access, 10u + space, NULL, NULL), GPC_OK);
        cr_expect_eq(r.done[10 + space].times, 1, "space %d", space);
    }
    measured_stats s = rig_stats(&r);
    cr_expect_eq(s.warp_instructions, 1 + GPC_SPACE_INSTRUCTION - 2);
    cr_expect_eq(s.accepted, s.completed);
    cr_expect_eq(s.network_requests, 0);
    cr_expect_eq(gpc_hierarchy_in_flight(r.hierarchy), 0);
    cr_expect_eq(gpc_hierarchy_next_event(r.hierarchy), UINT64_MAX);
    rig_abandon(&r);
}

Test(timed_errors, try_miss) {
    rig_open(&r, NULL, 100);
    gpc_request request = {.address = 0};
    cr_expect_eq(gpc_hierarchy_try_miss(NULL, &request, 0, NULL, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_hierarchy_try_miss(r.hierarchy, NULL, 0, NULL, NULL), GPC_ERROR_ARGUMENT);
    request.sm = 1;
    cr_expect_eq(gpc_hierarchy_try_miss(r.hierarchy, &request, 0, NULL, NULL), GPC_ERROR_ARGUMENT);
    request = (gpc_request){.kind = GPC_KIND_COUNT};
    cr_expect_eq(gpc_hierarchy_try_miss(r.hierarchy, &request, 0, NULL, NULL), GPC_ERROR_ARGUMENT);
    request = (gpc_request){.sector_mask = 0x10};
    cr_expect_eq(gpc_hierarchy_try_miss(r.hierarchy, &request, 0, NULL, NULL), GPC_ERROR_ARGUMENT,
                 "a line has 4 segments");
    cr_expect_eq(gpc_hierarchy_in_flight(r.hierarchy), 0);
    rig_close(&r);
}

/* A functional hierarchy has no clock, and a timed hierarchy does not answer at once. */
Test(timed_errors, wrong_mode) {
    gpc_hierarchy_callbacks callbacks = GPC_HIERARCHY_CALLBACKS_INIT;
    gpc_warp_access access = good();
    gpc_request request = {.address = 0};
    gpc_error error = GPC_ERROR_INIT;
    gpc_busy busy;
    rig_open(&r, NULL, 100);
    cr_expect_eq(gpc_hierarchy_access(r.hierarchy, &access, NULL, NULL), GPC_ERROR_STATE);
    gpc_hierarchy *functional = NULL;
    cr_assert_eq(gpc_config_set(r.config, "mode", "functional", &error), GPC_OK);
    cr_assert_eq(gpc_hierarchy_create(r.context, r.config, &functional, &error), GPC_OK);
    cr_expect_eq(gpc_hierarchy_set_callbacks(functional, &callbacks, NULL), GPC_ERROR_STATE);
    cr_expect_eq(gpc_hierarchy_try_issue(functional, &access, 0, &busy, NULL), GPC_ERROR_STATE);
    cr_expect_eq(gpc_hierarchy_try_miss(functional, &request, 0, &busy, NULL), GPC_ERROR_STATE);
    cr_expect_eq(gpc_hierarchy_advance(functional, 1, NULL), GPC_ERROR_STATE);
    cr_expect_eq(gpc_hierarchy_drain(functional, &error), GPC_ERROR_STATE);
    cr_expect_eq(gpc_hierarchy_memory_reply(functional, 1, NULL), GPC_ERROR_STATE);
    cr_expect_eq(gpc_hierarchy_memory_ready(functional, 0, NULL), GPC_ERROR_STATE);
    cr_expect_eq(gpc_hierarchy_now(functional), 0);
    cr_expect_eq(gpc_hierarchy_next_event(functional), UINT64_MAX);
    cr_expect_eq(gpc_hierarchy_in_flight(functional), 0);
    gpc_hierarchy_destroy(functional);
    rig_close(&r);
}

Test(timed_errors, no_hierarchy) {
    gpc_hierarchy_callbacks callbacks = GPC_HIERARCHY_CALLBACKS_INIT;
    gpc_error error = GPC_ERROR_INIT;
    cr_expect_eq(gpc_hierarchy_set_callbacks(NULL, &callbacks, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_hierarchy_advance(NULL, 1, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_hierarchy_drain(NULL, &error), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_hierarchy_memory_reply(NULL, 1, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_hierarchy_memory_ready(NULL, 0, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_hierarchy_now(NULL), 0);
    cr_expect_eq(gpc_hierarchy_next_event(NULL), UINT64_MAX);
    cr_expect_eq(gpc_hierarchy_in_flight(NULL), 0);
}

Test(timed_errors, callbacks) {
    gpc_hierarchy_callbacks callbacks = GPC_HIERARCHY_CALLBACKS_INIT;
    rig_open(&r, NULL, 1 << 30);
    /* struct_size ends behind user_data, or behind one of the callbacks */
    for (size_t size = 0; size <= sizeof callbacks; size++) {
        const bool there = size >= offsetof(gpc_hierarchy_callbacks, on_complete);
        callbacks.struct_size = size;
        cr_expect_eq(gpc_hierarchy_set_callbacks(r.hierarchy, &callbacks, NULL), there ? GPC_OK : GPC_ERROR_ABI, "%zu",
                     size);
    }
    rig_abandon(&r);
    rig_open(&r, NULL, 1 << 30);
    rig_issue(&r, LINE(GPC_LOAD, 0));
    rig_steps(&r, 100);
    callbacks.struct_size = sizeof callbacks;
    cr_expect_eq(gpc_hierarchy_set_callbacks(r.hierarchy, &callbacks, NULL), GPC_ERROR_STATE, "on_memory, in flight");
    cr_expect_eq(gpc_hierarchy_set_callbacks(r.hierarchy, NULL, NULL), GPC_ERROR_STATE);
    r.memory.reads[0].due = 0;
    rig_finish(&r);
    cr_expect_eq(r.done[0].times, 1, "those set before are still there");
    cr_expect_eq(gpc_hierarchy_set_callbacks(r.hierarchy, NULL, NULL), GPC_OK);
    rig_issue(&r, LINE(GPC_LOAD, 4096));
    gpc_error error = GPC_ERROR_INIT;
    cr_expect_eq(gpc_hierarchy_drain(r.hierarchy, &error), GPC_OK, "%s", error.message);
    cr_expect_eq(r.done[1].times, 0, "nobody is told");
    cr_expect_eq(rig_stats(&r).completed, 2);
    rig_abandon(&r);
}

/* Calls forbidden with accesses in flight. */
Test(timed_errors, in_flight) {
    gpc_error error = GPC_ERROR_INIT;
    rig_open(&r, NULL, 1 << 30);
    rig_latency(&r, LINE(GPC_STORE, 1 << 16));
    rig_issue(&r, LINE(GPC_LOAD, 0));
    rig_steps(&r, 100);
    cr_expect_eq(gpc_hierarchy_flush(r.hierarchy, NULL), GPC_ERROR_STATE);
    cr_expect_eq(gpc_hierarchy_begin_kernel(r.hierarchy, NULL, &error), GPC_ERROR_STATE);
    cr_expect_gt(strlen(error.message), 0);
    cr_expect_eq(rig_stats(&r).l2_write_back_sectors, 0);
    cr_expect_eq(gpc_hierarchy_in_flight(r.hierarchy), 1);
    r.memory.reads[0].due = 0;
    rig_finish(&r);
    uint64_t now = rig_now(&r);
    cr_expect_eq(gpc_hierarchy_flush(r.hierarchy, NULL), GPC_OK);
    cr_expect_eq(rig_now(&r), now, "in no time");
    cr_expect_eq(rig_stats(&r).l2_write_back_sectors, 4);
    cr_expect_eq(gpc_hierarchy_begin_kernel(r.hierarchy, NULL, &error), GPC_OK);
    rig_close(&r);
}

/* Timed keys that do not fit together are named. */
Test(timed_errors, keys) {
    gpc_error error = GPC_ERROR_INIT;
    cr_expect_lt(rig_refused("dram.mapping = row bank\n", &error), 0);
    cr_expect_not_null(strstr(error.message, "dram.mapping"), "%s", error.message);
    cr_expect_eq(rig_refused("l2.slices = 3\nl2.partitions = 2\n", &error), GPC_ERROR_RANGE);
    cr_expect_not_null(strstr(error.message, "l2.slices"), "%s", error.message);
}

/* An L1 resized by a launch between kernels serves the kernel's loads. */
Test(timed_errors, resize_between_kernels) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_launch launch = GPC_LAUNCH_INIT;
    launch.threads = 256;
    launch.shared_bytes = 8192;
    rig_open(&r, "l1.unified = true\nl1.size = 24KiB\nl1.ways = 1\nl1.carveouts = 0 8KiB 16KiB\nsm.shared = 16KiB\n",
             50);
    for (unsigned round = 0; round < 4; round++) {
        cr_assert_eq(gpc_hierarchy_begin_kernel(r.hierarchy, round % 2 ? &launch : NULL, &error), GPC_OK, "%s",
                     error.message);
        uint64_t lines = round % 2 ? 64 : 192; /* 24 KiB, less 16 of shared memory for two blocks */
        for (unsigned pass = 0; pass < 2; pass++)
            for (uint64_t line = 0; line < lines; line++)
                rig_push(&r, LINE(GPC_LOAD, line * 128));
        rig_finish(&r);
        cr_expect_eq(r.done[r.issued - 1].level, 1, "round %u", round);
    }
    rig_close(&r);
}
