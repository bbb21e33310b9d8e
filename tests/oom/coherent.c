/* SPDX-License-Identifier: BSD-2-Clause */
/* Hierarchies on a coherent tree, with a clock and without. */
#include "measured.h"
#include "oom/heap.h"

#include <criterion/criterion.h>
#include <stdio.h>

#define ACCESSES 96u

static const char settings[] =
    "sm.count = 4\nl1.size = 2KiB\nl1.mshr_entries = 4\nl1.queue = 4\n"
    "l1.write_policy = back\nl1.write_allocate = fetch\nl2.size = 8KiB\nl2.slices = 2\nl2.ways = 2\n"
    "l2.interleave_bytes = 128\ncluster.sms = 2\ncluster.size = 4KiB\ndram.channels = 2\n"
    "memory.link_width = 32\ncoherence = nmoesi\n";
/* With a second GPU, pages are placed at the first touch. */
static const char gpus[] =
    "gpu.count = 2\nsm.count = 2\nl2.size = 4KiB\nl2.slices = 1\ndram.channels = 1\npage.bytes = 1KiB\n";

static unsigned completions;

static void on_complete(void *user_data, const gpc_completion *completion) {
    (void)user_data, (void)completion;
    completions++;
}

static bool with_values; /* atomics have an operation */
static const char plain[] =
    "coherence = none\nl1.write_policy = through\nl1.write_policy_local = through\n"
    "l1.write_allocate = none\nl1.write_allocate_local = none\ncluster.sms = 0\ncluster.size = 128KiB\n"
    "mode = timed\n";

static void prepare(gpc_warp_access *access, uint64_t *addresses, uint32_t i) {
    for (uint32_t lane = 0; lane < 8; lane++)
        addresses[lane] = (uint64_t)i * 37 * 4 + (uint64_t)lane * (i % 64) * 4;
    access->sm = i % 4;
    access->mask = 0xffu;
    access->addresses = addresses;
    access->width = 4;
    access->kind = (uint8_t)(i % GPC_KIND_COUNT);
    if (with_values && (access->kind == GPC_ATOMIC || access->kind == GPC_REDUCTION))
        access->atomic = GPC_OP_ADD;
}

/* A failure for lack of memory changes no state: later the clock continues, and no access is missing. */
static gpc_status note(gpc_status status, gpc_status first, oom_heap *heap) {
    if (status >= 0)
        return first;
    cr_assert_eq(status, GPC_ERROR_MEMORY);
    oom_told(heap);
    return first == GPC_OK ? status : first;
}

static gpc_status play(gpc_hierarchy *hierarchy, oom_heap *heap, gpc_error *error) {
    gpc_status first = GPC_OK;
    completions = 0;
    for (uint32_t i = 0; i < ACCESSES; i++) {
        uint64_t addresses[8];
        gpc_warp_access access = GPC_WARP_ACCESS_INIT;
        prepare(&access, addresses, i);
        for (gpc_status status; (status = gpc_hierarchy_try_issue(hierarchy, &access, i, NULL, NULL)) != GPC_OK;)
            first = note(status < 0 ? status : gpc_hierarchy_advance(hierarchy, 1, NULL), first, heap);
    }
    for (gpc_status status; (status = gpc_hierarchy_drain(hierarchy, error)) != GPC_OK;)
        first = note(status, first, heap);
    cr_assert_eq(completions, ACCESSES);
    measured_stats stats;
    measured_clear(&stats);
    cr_assert_eq(measure_hierarchy(hierarchy, &stats), GPC_OK);
    cr_assert_eq(stats.completed, ACCESSES);
    return first;
}

static gpc_status at_once(gpc_hierarchy *hierarchy, oom_heap *heap) {
    gpc_status first = GPC_OK;
    for (uint32_t i = 0; i < ACCESSES; i++) {
        uint64_t addresses[8];
        gpc_warp_access access = GPC_WARP_ACCESS_INIT;
        prepare(&access, addresses, i);
        first = note(gpc_hierarchy_access(hierarchy, &access, NULL, NULL), first, heap);
    }
    return first;
}

static gpc_status run(gpc_context *context, oom_heap *heap, gpc_error *error, const char *mode) {
    gpc_config *config = NULL;
    gpc_hierarchy *hierarchy = NULL;
    gpc_hierarchy_callbacks callbacks = GPC_HIERARCHY_CALLBACKS_INIT;
    callbacks.on_complete = on_complete;
    gpc_status status = gpc_config_create(context, &config, error);
    if (status == GPC_OK)
        status = gpc_config_load_text(config, settings, "settings", error);
    if (status == GPC_OK && mode != plain)
        status = gpc_config_load_text(config, gpus, "gpus", error);
    if (status == GPC_OK)
        status = gpc_config_load_text(config, mode, "mode", error);
    if (status == GPC_OK && with_values)
        status = gpc_config_set(config, "coherence.data", "true", error);
    if (status == GPC_OK)
        status = gpc_hierarchy_create(context, config, &hierarchy, error);
    cr_assert_eq(hierarchy != NULL, status == GPC_OK);
    if (status == GPC_OK) {
        bool timed = gpc_hierarchy_set_callbacks(hierarchy, &callbacks, NULL) == GPC_OK;
        status = timed ? play(hierarchy, heap, error) : at_once(hierarchy, heap);
        if (status != GPC_OK) { /* calls without a gpc_error */
            error->status = status;
            snprintf(error->message, sizeof error->message, "an access");
        }
    }
    gpc_hierarchy_destroy(hierarchy);
    gpc_config_destroy(config);
    return status;
}

static gpc_status timed(gpc_context *context, oom_heap *heap, gpc_error *error) {
    return run(context, heap, error, "mode = timed\n");
}

static gpc_status timed_lanes(gpc_context *context, oom_heap *heap, gpc_error *error) {
    return run(context, heap, error,
               "mode = timed\nl1.coalescer = multi2sim\nsm.lsus = 2\nsm.lsu_in_flight = 1\n"
               "l1.bypass = agcb\nl1.tokens = opportunistic\nl1.token_clear = owners\nl1.track_reuse = true\n"
               "l2.tokens = opportunistic\nl2.replacement = combined\n");
}

static gpc_status functional(gpc_context *context, oom_heap *heap, gpc_error *error) {
    return run(context, heap, error, "mode = functional\n");
}

Test(oom, coherent_timed) {
    oom_check(timed, 40);
}

Test(oom, coherent_timed_lanes) {
    oom_check(timed_lanes, 40);
}

Test(oom, coherent_functional) {
    oom_check(functional, 20);
}

/* Values, and results of atomics. */
Test(oom, coherent_timed_values) {
    with_values = true;
    oom_check(timed, 40);
}

Test(oom, coherent_functional_values) {
    with_values = true;
    oom_check(functional, 20);
}

static gpc_status plain_timed(gpc_context *context, oom_heap *heap, gpc_error *error) {
    return run(context, heap, error, plain);
}

Test(oom, plain_values) {
    with_values = true;
    oom_check(plain_timed, 40);
}
