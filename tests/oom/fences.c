/* SPDX-License-Identifier: BSD-2-Clause */
/* Fences of a hierarchy with a clock and write-back L1s, and fences of a tree. */
#include "measured.h"
#include "oom/heap.h"

#include <criterion/criterion.h>
#include <stdio.h>

#define ROUNDS 200u

static const char settings[] = "mode = timed\nsm.count = 2\nl1.size = 64KiB\nl1.queue = 4\nl1.write_policy = back\n"
                               "l1.write_allocate = fetch\nl1.mshr_entries = unlimited\nl1.miss_queue = unlimited\n"
                               "l2.size = 256KiB\nl2.slices = 2\ndram.channels = 2\n";

/* Fences and kernels of a tree with L1s that keep stores. */
static const char tree[] = "mode = timed\nsm.count = 2\ncoherence = slc-glc\nkernels.flush = l1\nl1.size = 64KiB\n"
                           "l1.queue = 4\nl1.sectors = 1\nl1.write_policy = back\nl1.write_policy_local = back\n"
                           "l1.write_allocate = fetch\nl1.write_allocate_local = fetch\nl1.mshr_entries = unlimited\n"
                           "l1.miss_queue = unlimited\nl2.size = 256KiB\nl2.slices = 2\nl2.sectors = 1\n"
                           "l2.interleave_bytes = 128\ndram.channels = 2\n";

/* Two partitions, with near halves told of stores without acknowledgement. */
static const char told[] = "mode = timed\nsm.count = 2\ncoherence = hmg\nl1.size = 16KiB\nl1.sectors = 1\n"
                           "l1.write_policy = through\nl1.write_policy_local = through\nl1.write_allocate = none\n"
                           "l1.write_allocate_local = none\nl2.size = 64KiB\nl2.slices = 2\nl2.sectors = 1\n"
                           "l2.partitions = 2\nl2.interleave_bytes = 128\nl2.line = 128\ndram.channels = 2\n";

/* A failure for lack of memory changes no state: the hierarchy can continue. */
static gpc_status note(gpc_status status, gpc_status first, oom_heap *heap) {
    if (status >= 0)
        return first;
    cr_assert_eq(status, GPC_ERROR_MEMORY);
    oom_told(heap);
    return first == GPC_OK ? status : first;
}

static gpc_status offer(gpc_hierarchy *hierarchy, uint32_t i, bool controls) {
    uint64_t addresses[32];
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    gpc_fence fence = GPC_FENCE_INIT;
    if (i % 100 > 95) {
        fence.sm = i % 2;
        fence.order = GPC_ORDER_SC;
        fence.scope = GPC_SCOPE_GPU;
        if (controls)
            fence.control = i % 100 > 97 ? GPC_CONTROL_INVALIDATE_ALL : GPC_CONTROL_WRITE_BACK_ALL;
        return gpc_hierarchy_try_fence(hierarchy, &fence, i, NULL, NULL);
    }
    for (uint32_t lane = 0; lane < 32; lane++)
        addresses[lane] = (uint64_t)i * 128 * 8 + (uint64_t)lane * 64;
    access.sm = i % 2;
    access.mask = UINT32_MAX;
    access.addresses = addresses;
    access.width = 4;
    access.kind = GPC_STORE;
    return gpc_hierarchy_try_issue(hierarchy, &access, i, NULL, NULL);
}

static gpc_status offer_all(gpc_hierarchy *hierarchy, oom_heap *heap, uint32_t from, uint32_t to, bool controls,
                            gpc_error *error) {
    gpc_status first = GPC_OK;
    for (uint32_t i = from; i < to; i++)
        for (gpc_status status; (status = offer(hierarchy, i, controls)) != GPC_OK;)
            first = note(status < 0 ? status : gpc_hierarchy_advance(hierarchy, 1, NULL), first, heap);
    for (gpc_status status; (status = gpc_hierarchy_drain(hierarchy, error)) != GPC_OK;)
        first = note(status, first, heap);
    return first;
}

static measured_stats stats_of(const gpc_hierarchy *hierarchy) {
    measured_stats stats;
    measured_clear(&stats);
    cr_assert_eq(measure_hierarchy(hierarchy, &stats), GPC_OK);
    return stats;
}

static gpc_status play(gpc_hierarchy *hierarchy, oom_heap *heap, gpc_error *error) {
    const gpc_status first = offer_all(hierarchy, heap, 0, ROUNDS, true, error);
    const measured_stats stats = stats_of(hierarchy);
    cr_assert_eq(stats.completed, ROUNDS);
    cr_assert_eq(stats.fences, 8);
    cr_assert_gt(stats.fence_write_back_sectors, 1000);
    return first;
}

/* Between two kernels the first's stores leave. */
static gpc_status play_tree(gpc_hierarchy *hierarchy, oom_heap *heap, gpc_error *error) {
    gpc_status first = note(offer_all(hierarchy, heap, 90, 100, false, error), GPC_OK, heap);
    first = note(offer_all(hierarchy, heap, 100, 106, false, error), first, heap);
    const uint64_t written = stats_of(hierarchy).l1_write_back_sectors;
    for (gpc_status status; (status = gpc_hierarchy_begin_kernel(hierarchy, NULL, error)) != GPC_OK;)
        first = note(status, first, heap);
    const gpc_status then = offer_all(hierarchy, heap, 106, 110, false, error);
    const measured_stats stats = stats_of(hierarchy);
    cr_assert_eq(stats.completed, 20);
    cr_assert_eq(stats.fences, 4);
    cr_assert_gt(written, 0);
    cr_assert_gt(stats.l1_write_back_sectors, written);
    return first == GPC_OK ? then : first;
}

/* A fence is the first that happens: all memory of a tree is still to come. */
static gpc_status play_alone(gpc_hierarchy *hierarchy, oom_heap *heap, gpc_error *error) {
    const gpc_status first = offer_all(hierarchy, heap, 96, 97, false, error);
    cr_assert_eq(stats_of(hierarchy).completed, 1);
    return first;
}

/* SM 0 reads, SM 1 stores to the same data and releases. */
static gpc_status play_told(gpc_hierarchy *hierarchy, oom_heap *heap, gpc_error *error) {
    gpc_status first = GPC_OK;
    for (uint32_t i = 0; i < 4; i++) {
        uint64_t addresses[32];
        gpc_warp_access access = GPC_WARP_ACCESS_INIT;
        gpc_fence fence = GPC_FENCE_INIT;
        for (uint32_t lane = 0; lane < 32; lane++)
            addresses[lane] = (uint64_t)(i / 2 * 32 + lane) * 128;
        access.sm = i % 2;
        access.mask = UINT32_MAX;
        access.addresses = addresses;
        access.width = 4;
        access.kind = i % 2 ? GPC_STORE : GPC_LOAD;
        fence.sm = i % 2;
        fence.order = GPC_ORDER_RELEASE;
        fence.scope = GPC_SCOPE_GPU;
        for (gpc_status status; (status = gpc_hierarchy_try_issue(hierarchy, &access, i, NULL, NULL)) != GPC_OK;)
            first = note(status < 0 ? status : gpc_hierarchy_advance(hierarchy, 1, NULL), first, heap);
        for (gpc_status status; (status = gpc_hierarchy_try_fence(hierarchy, &fence, 4 + i, NULL, NULL)) != GPC_OK;)
            first = note(status < 0 ? status : gpc_hierarchy_advance(hierarchy, 1, NULL), first, heap);
        for (gpc_status status; (status = gpc_hierarchy_drain(hierarchy, error)) != GPC_OK;)
            first = note(status, first, heap);
    }
    cr_assert_eq(stats_of(hierarchy).completed, 8);
    return first;
}

typedef gpc_status (*play_fn)(gpc_hierarchy *hierarchy, oom_heap *heap, gpc_error *error);

static gpc_status run_with(const char *text, play_fn does, gpc_context *context, oom_heap *heap, gpc_error *error) {
    gpc_config *config = NULL;
    gpc_hierarchy *hierarchy = NULL;
    gpc_status status = gpc_config_create(context, &config, error);
    if (status == GPC_OK)
        status = gpc_config_load_text(config, text, "settings", error);
    if (status == GPC_OK)
        status = gpc_hierarchy_create(context, config, &hierarchy, error);
    cr_assert_eq(hierarchy != NULL, status == GPC_OK);
    if (status == GPC_OK) {
        status = does(hierarchy, heap, error);
        if (status != GPC_OK) { /* calls without a gpc_error */
            error->status = status;
            snprintf(error->message, sizeof error->message, "an access or a fence");
        }
    }
    gpc_hierarchy_destroy(hierarchy);
    gpc_config_destroy(config);
    return status;
}

static gpc_status run(gpc_context *context, oom_heap *heap, gpc_error *error) {
    return run_with(settings, play, context, heap, error);
}

static gpc_status run_tree(gpc_context *context, oom_heap *heap, gpc_error *error) {
    return run_with(tree, play_tree, context, heap, error);
}

static gpc_status run_told(gpc_context *context, oom_heap *heap, gpc_error *error) {
    return run_with(told, play_told, context, heap, error);
}

static gpc_status run_alone(gpc_context *context, oom_heap *heap, gpc_error *error) {
    return run_with(tree, play_alone, context, heap, error);
}

static gpc_status run_alone_told(gpc_context *context, oom_heap *heap, gpc_error *error) {
    return run_with(told, play_alone, context, heap, error);
}

Test(oom, fences) {
    oom_check(run, 40);
}

Test(oom, fences_of_a_tree) {
    oom_check(run_tree, 40);
}

Test(oom, fence_alone) {
    oom_check(run_alone, 40);
    oom_check(run_alone_told, 40);
}

Test(oom, invalidations_and_markers) {
    oom_check(run_told, 40);
}
