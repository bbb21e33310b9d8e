/* SPDX-License-Identifier: BSD-2-Clause */
/* Hierarchies and replays. */
#include "measured.h"
#include "oom/heap.h"

#include <criterion/criterion.h>
#include <string.h>

/* Two SMs, to keep the loop over all allocations short; both partitions of L2, and a unified L1 that is resized. */
static const char settings[] = "preset = h100\n"
                               "sm.count = 2\n"
                               "l2.slices = 2\n"
                               "l2.size = 256KiB\n"
                               "l1.track_reuse = true\n"
                               "l1.track_warps = true\n";

static gpc_status create_config(gpc_context *context, gpc_error *error, gpc_config **out) {
    gpc_status status = gpc_config_create(context, out, error);
    return status == GPC_OK ? gpc_config_load_text(*out, settings, "settings", error) : status;
}

/* Accesses allocate nothing. */
static void use_hierarchy(gpc_hierarchy *hierarchy, oom_heap *heap) {
    size_t calls = heap->calls;
    for (uint32_t i = 0; i < 256; i++) {
        uint64_t addresses[32];
        for (uint32_t lane = 0; lane < 32; lane++)
            addresses[lane] = (uint64_t)i * 37 * 4 + (uint64_t)lane * (i % 64) * 4;
        gpc_warp_access access = GPC_WARP_ACCESS_INIT;
        access.sm = i % 2;
        access.mask = 0xffffffffu;
        access.addresses = addresses;
        access.width = 4;
        access.kind = (uint8_t)(i % GPC_PREFETCH);
        cr_assert_eq(gpc_hierarchy_access(hierarchy, &access, NULL, NULL), GPC_OK);
    }
    cr_assert_eq(gpc_hierarchy_flush(hierarchy, NULL), GPC_OK);
    cr_assert_eq(heap->calls, calls, "an access allocated");
}

/* A kernel with shared memory in most of L1, then a kernel without: L1 shrinks and grows. */
static gpc_status resize_l1(gpc_context *context, oom_heap *heap, gpc_error *error) {
    gpc_config *config = NULL;
    gpc_hierarchy *hierarchy = NULL;
    gpc_status status = create_config(context, error, &config);
    if (status == GPC_OK)
        status = gpc_hierarchy_create(context, config, &hierarchy, error);
    cr_assert_eq(hierarchy != NULL, status == GPC_OK);
    gpc_launch launch = GPC_LAUNCH_INIT;
    launch.threads = 1024;
    launch.registers = 32;
    for (int round = 0; status == GPC_OK && round < 2; round++) {
        launch.shared_bytes = round ? 0 : 100 << 10;
        status = gpc_hierarchy_begin_kernel(hierarchy, &launch, error);
        if (status == GPC_OK)
            use_hierarchy(hierarchy, heap);
    }
    if (hierarchy && status != GPC_OK) {
        oom_heal(heap);
        cr_assert_eq(gpc_hierarchy_begin_kernel(hierarchy, &launch, NULL), GPC_OK);
        use_hierarchy(hierarchy, heap);
    }
    gpc_hierarchy_destroy(hierarchy);
    gpc_config_destroy(config);
    return status;
}

Test(oom, hierarchy) {
    oom_check(resize_l1, 6);
}

/* A failed replay can continue with another trace. */
static gpc_status replay_kernels(gpc_replay *replay, gpc_context *context, const char *source, gpc_error *error) {
    gpc_trace *trace = NULL;
    gpc_status status = gpc_trace_open(context, source, &trace, error);
    while (status == GPC_OK) {
        measured_stats stats;
        measured_clear(&stats);
        status = measure_kernel(replay, trace, NULL, &stats, error);
        if (status == GPC_OK)
            cr_assert_gt(stats.l1_load_sectors, 0);
    }
    gpc_trace_close(trace);
    return status == GPC_END ? GPC_OK : status;
}

static void on_sample(void *user_data, uint64_t cycle, const gpc_stats *lent) {
    measured_stats read;
    const measured_stats *stats = &read;
    measure_sample(lent, &read);
    (void)user_data, (void)cycle, (void)stats;
}

static gpc_status replay_with(gpc_context *context, oom_heap *heap, const char *more, const char *source,
                              gpc_error *error) {
    gpc_config *config = NULL;
    gpc_replay *replay = NULL;
    gpc_status status = create_config(context, error, &config);
    if (status == GPC_OK)
        status = gpc_config_load_text(config, more, "more", error);
    if (status == GPC_OK)
        status = gpc_replay_create(context, config, &replay, error);
    cr_assert_eq(replay != NULL, status == GPC_OK);
    if (status == GPC_OK) {
        bool sampled = strstr(more, "sample =") != NULL; /* which has neither */
        status = sampled ? GPC_OK : gpc_replay_keep_objects(replay, true, NULL);
        if (status == GPC_OK && !sampled)
            status = gpc_replay_on_sample(replay, 100, on_sample, NULL, NULL);
        error->status = status; /* the calls have no gpc_error */
        strcpy(error->message, gpc_status_string(status));
    }
    if (status == GPC_OK)
        status = replay_kernels(replay, context, source, error);
    if (replay && status != GPC_OK) {
        oom_heal(heap);
        gpc_error later = GPC_ERROR_INIT;
        cr_assert_eq(replay_kernels(replay, context, source, &later), GPC_OK, "%s", later.message);
    }
    gpc_replay_destroy(replay);
    gpc_config_destroy(config);
    return status;
}

static gpc_status replay(gpc_context *context, oom_heap *heap, gpc_error *error) {
    return replay_with(context, heap, "", "synthetic:vectoradd:16KiB", error);
}

Test(oom, replay) {
    oom_check(replay, 10);
}

static gpc_status replay_launches(gpc_context *context, oom_heap *heap, gpc_error *error) {
    return replay_with(context, heap, "mode = timed\nsample = kernels\nsample.launches = 2\n",
                       "synthetic:stream:1KiB:turns=3", error);
}

Test(oom, replay_of_some_launches) {
    oom_check(replay_launches, 10);
}

static gpc_status replay_intervals(gpc_context *context, oom_heap *heap, gpc_error *error) {
    return replay_with(context, heap,
                       "mode = timed\nsm.count = 1\nsm.blocks = 1\nsample = intervals\nsample.settle = 1\n"
                       "sample.unit = 1\nsample.skip = 2\n",
                       "synthetic:vectoradd:16KiB", error);
}

Test(oom, replay_of_intervals) {
    oom_check(replay_intervals, 10);
}

/* Kernel that first runs without a cache, to give the policy `opt` the future. */
static gpc_status replay_ahead(gpc_context *context, oom_heap *heap, gpc_error *error) {
    return replay_with(context, heap, "l1.future = true\nl1.replacement = opt\n", "synthetic:vectoradd:16KiB", error);
}

Test(oom, replay_that_knows_the_future) {
    oom_check(replay_ahead, 20);
}

/* Candidates with separate state shared among caches. */
static gpc_status replay_voting(gpc_context *context, oom_heap *heap, gpc_error *error) {
    return replay_with(context, heap,
                       "l1.replacement = vote(lru, dip, rpr)\nl1.bypass = vote(always-cache, random-p)\n"
                       "sample.period = 10\n",
                       "synthetic:vectoradd:16KiB", error);
}

Test(oom, replay_that_votes) {
    oom_check(replay_voting, 20);
}
