/* SPDX-License-Identifier: BSD-2-Clause */
/* Fences of a hierarchy with a clock, whose L1s have dirty lines to write back. */
#include "oom/heap.h"

#include <criterion/criterion.h>
#include <stdio.h>

#define ROUNDS 400u

static const char settings[] = "mode = timed\nsm.count = 2\nl1.size = 64KiB\nl1.queue = 4\nl1.write_policy = back\n"
                               "l1.write_allocate = fetch\nl1.mshr_entries = unlimited\nl1.miss_queue = unlimited\n"
                               "l2.size = 256KiB\nl2.slices = 2\ndram.channels = 2\n";

/* What failed for want of memory changed nothing: once there is some, it goes on. */
static gpc_status note(gpc_status status, gpc_status first, oom_heap *heap) {
    if (status >= 0)
        return first;
    cr_assert_eq(status, GPC_ERROR_MEMORY);
    oom_heal(heap);
    return first == GPC_OK ? status : first;
}

static gpc_status offer(gpc_hierarchy *hierarchy, uint32_t i) {
    uint64_t addresses[32];
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    gpc_fence fence = GPC_FENCE_INIT;
    if (i % 100 > 95) {
        fence.sm = i % 2;
        fence.order = GPC_ORDER_SC;
        fence.scope = GPC_SCOPE_GPU;
        fence.control = i % 100 > 97 ? GPC_CONTROL_INVALIDATE_ALL : GPC_CONTROL_WRITE_BACK_ALL;
        return gpc_hierarchy_try_fence(hierarchy, &fence, i, NULL);
    }
    for (uint32_t lane = 0; lane < 32; lane++)
        addresses[lane] = (uint64_t)i * 128 * 8 + (uint64_t)lane * 64;
    access.sm = i % 2;
    access.mask = UINT32_MAX;
    access.addresses = addresses;
    access.width = 4;
    access.kind = GPC_STORE;
    return gpc_hierarchy_try_issue(hierarchy, &access, i, NULL);
}

static gpc_status play(gpc_hierarchy *hierarchy, oom_heap *heap, gpc_error *error) {
    gpc_status first = GPC_OK;
    for (uint32_t i = 0; i < ROUNDS; i++)
        for (gpc_status status; (status = offer(hierarchy, i)) != GPC_OK;)
            first = note(status < 0 ? status : gpc_hierarchy_advance(hierarchy, 1), first, heap);
    for (gpc_status status; (status = gpc_hierarchy_drain(hierarchy, error)) != GPC_OK;)
        first = note(status, first, heap);
    gpc_stats stats;
    gpc_stats_init(&stats);
    cr_assert_eq(gpc_hierarchy_get_stats(hierarchy, &stats), GPC_OK);
    cr_assert_eq(stats.completed, ROUNDS);
    cr_assert_eq(stats.fences, 16);
    cr_assert_gt(stats.fence_write_back_sectors, 1000);
    return first;
}

static gpc_status run(gpc_context *context, oom_heap *heap, gpc_error *error) {
    gpc_config *config = NULL;
    gpc_hierarchy *hierarchy = NULL;
    gpc_status status = gpc_config_create(context, error, &config);
    if (status == GPC_OK)
        status = gpc_config_load_text(config, settings, "settings", error);
    if (status == GPC_OK)
        status = gpc_hierarchy_create(context, config, error, &hierarchy);
    cr_assert_eq(hierarchy != NULL, status == GPC_OK);
    if (status == GPC_OK) {
        status = play(hierarchy, heap, error);
        if (status != GPC_OK) { /* calls without a gpc_error */
            error->status = status;
            snprintf(error->message, sizeof error->message, "an access or a fence");
        }
    }
    gpc_hierarchy_destroy(hierarchy);
    gpc_config_destroy(config);
    return status;
}

Test(oom, fences) {
    oom_check(run, 40);
}
