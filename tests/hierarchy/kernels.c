/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/cache.h"
#include "guarded.h"
#include "hierarchy/rig.h"

#include <gpucache/ext/hierarchy.h>
#include <gpucache/ext/replay.h>
#include <gpucache/gpucache.h>

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Kernels started by a host beside others (gpucache/ext/replay.h). */

#define BASE "sm.count = 2\nstreams = 2\nkernels.flush = l1\n"

static gpc_error error;

static gpc_status start(rig *r, uint32_t stream, const uint32_t *sms, uint32_t count, const gpc_launch *launch,
                        uint32_t *kernel) {
    gpc_kernel_options o = GPC_KERNEL_OPTIONS_INIT;
    o.stream = stream;
    o.sms = sms;
    o.sm_count = count;
    o.launch = launch;
    error = (gpc_error)GPC_ERROR_INIT;
    return gpc_hierarchy_start_kernel(r->hierarchy, &o, kernel, &error);
}

static const uint32_t first[] = {0}, second[] = {1};

static uint32_t must_start(rig *r, uint32_t stream, const uint32_t *sms, const gpc_launch *launch) {
    uint32_t kernel = 0;
    cr_assert_eq(start(r, stream, sms, sms ? 1 : 0, launch, &kernel), GPC_OK, "%s", error.message);
    return kernel;
}

static void must_end(rig *r, uint32_t kernel) {
    cr_assert_eq(gpc_hierarchy_end_kernel(r->hierarchy, kernel, &error), GPC_OK, "%s", error.message);
}

static uint32_t hits(rig *r, uint32_t sm, uint64_t address) {
    return rig_fire(r, LINE_BY(GPC_LOAD, address, .sm = sm)).l1_sector_hits;
}

/* L1s of SMs without a kernel are emptied, others stay. */
Test(kernels_at_once, l1s) {
    rig r;
    rig_open(&r, BASE);
    uint32_t a = must_start(&r, 0, first, NULL);
    cr_assert_eq(a, 1);
    hits(&r, 0, 0);
    hits(&r, 1, 0);
    uint32_t b = must_start(&r, 1, NULL, NULL);
    cr_assert_eq(b, 2);
    cr_assert_eq(gpc_hierarchy_running_kernels(r.hierarchy), 2);
    cr_assert_eq(hits(&r, 0, 0), 4, "SM 0 runs kernel 1");
    cr_assert_eq(hits(&r, 1, 0), 0, "SM 1 was emptied");
    must_end(&r, a);
    uint32_t c = must_start(&r, 0, NULL, NULL);
    cr_assert_eq(c, 3);
    cr_assert_eq(hits(&r, 0, 0), 4, "kernel 2 runs on both");
    must_end(&r, b);
    must_end(&r, c);
    must_start(&r, 1, second, NULL);
    cr_assert_eq(hits(&r, 0, 0), 4);
    cr_assert_eq(hits(&r, 1, 0), 0);
    cr_assert_eq(rig_stats(&r).kernels, 4);
    rig_close(&r);
}

/* More SMs than bits in two words: kernels have separate SMs, without writing beyond the memory. */
Test(kernels_at_once, many_sms) {
    static const uint32_t low[] = {1, 63}, high[] = {64, 129};
    unsigned broken = 0;
    rig r = {0};
    const gpc_context_options own = guarded_options(&broken);
    cr_assert_eq(gpc_context_create(&own, &r.context, NULL), GPC_OK);
    cr_assert_eq(gpc_config_create(r.context, &r.config, NULL), GPC_OK);
    cr_assert_eq(gpc_config_load_text(r.config, rig_base, "base", NULL), GPC_OK);
    cr_assert_eq(gpc_config_load_text(r.config, BASE "sm.count = 130\n", "more", NULL), GPC_OK);
    cr_assert_eq(gpc_hierarchy_create(r.context, r.config, &r.hierarchy, &error), GPC_OK, "%s", error.message);
    uint32_t kernels[2];
    cr_assert_eq(start(&r, 0, low, 2, NULL, &kernels[0]), GPC_OK, "%s", error.message);
    for (uint32_t i = 0; i < 2; i++)
        hits(&r, low[i], 0);
    hits(&r, 64, 0);
    cr_assert_eq(start(&r, 1, high, 2, NULL, &kernels[1]), GPC_OK, "%s", error.message);
    cr_expect(hits(&r, 1, 0) == 4 && hits(&r, 63, 0) == 4, "they run the first");
    cr_expect_eq(hits(&r, 64, 0), 0, "it was emptied");
    must_end(&r, kernels[0]);
    must_end(&r, kernels[1]);
    rig_close(&r);
    cr_expect_eq(broken, 0);
}

/* Every SM has the carve-out of the kernel; one kernel at a time gives all SMs the same again. */
Test(kernels_at_once, carveouts) {
    rig r;
    gpc_launch launch = GPC_LAUNCH_INIT;
    rig_open(&r, BASE "l1.unified = true\nl1.size = 64KiB\nl1.carveouts = 0B 16KiB 32KiB\nsm.shared = 32KiB\n");
    launch.threads = 32;
    launch.shared_bytes = 16384;
    gpc_cache *l1[2] = {gpc_hierarchy_cache(r.hierarchy, 1, 0), gpc_hierarchy_cache(r.hierarchy, 1, 1)};
    const uint64_t sets = l1[0]->sets;
    uint32_t a = must_start(&r, 0, first, NULL), b = 0;
    cr_assert_eq(start(&r, 1, NULL, 0, &launch, &b), GPC_BUSY, "SM 0 has no shared memory");
    cr_assert_eq(l1[1]->sets, sets);
    b = must_start(&r, 1, second, &launch);
    cr_assert_eq(l1[0]->sets, sets);
    cr_assert_eq(l1[1]->sets, sets / 2);
    gpc_hierarchy *copy = NULL;
    cr_assert_eq(gpc_hierarchy_copy(r.hierarchy, &copy, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_hierarchy_cache(copy, 1, 1)->sets, sets / 2);
    cr_assert_eq(gpc_hierarchy_running_kernels(copy), 2);
    cr_assert_eq(gpc_hierarchy_end_kernel(copy, b, &error), GPC_OK);
    gpc_hierarchy_destroy(copy);
    cr_assert_eq(gpc_hierarchy_begin_kernel(r.hierarchy, NULL, &error), GPC_ERROR_STATE);
    must_end(&r, a);
    must_end(&r, b);
    rig_begin(&r, NULL);
    cr_assert_eq(l1[1]->sets, sets);
    cr_assert_eq(l1[1], gpc_hierarchy_cache(r.hierarchy, 1, 1), "the same object");
    rig_close(&r);
}

/* Carve-outs of SMs in several words of 64: those of SMs with a kernel are asked, and no others. */
Test(kernels_at_once, carveouts_of_many_sms) {
    static const uint32_t last[] = {64}, both[] = {0, 64}, others[] = {1, 65, 128};
    rig r;
    gpc_launch launch = GPC_LAUNCH_INIT;
    uint32_t kernel = 0;
    rig_open(&r, BASE "sm.count = 129\nstreams = 3\nl1.unified = true\nl1.size = 64KiB\n"
                      "l1.carveouts = 0B 16KiB 32KiB\nsm.shared = 32KiB\n");
    launch.threads = 32;
    launch.shared_bytes = 16384;
    const uint32_t a = must_start(&r, 0, last, NULL);
    cr_assert_eq(start(&r, 1, both, 2, &launch, &kernel), GPC_BUSY, "SM 64 has no shared memory");
    const uint32_t b = must_start(&r, 1, first, &launch);
    cr_assert_eq(start(&r, 2, both, 2, &launch, &kernel), GPC_BUSY, "SM 64 still has none");
    must_end(&r, a);
    cr_assert_eq(start(&r, 2, both, 2, &launch, &kernel), GPC_OK, "SM 0 has 16 KiB, and SM 64 is free");
    must_end(&r, kernel);
    cr_assert_eq(start(&r, 2, others, 3, &launch, &kernel), GPC_OK, "free SMs");
    must_end(&r, b);
    rig_close(&r);
}

/* With a clock an L1 with work under way is not emptied; other work does not matter. */
Test(kernels_at_once, with_a_clock) {
    rig r;
    uint64_t addresses[] = {0};
    uint32_t kernel = 0;
    gpc_busy busy;
    rig_open(&r, BASE "mode = timed\n");
    gpc_warp_access a = GPC_WARP_ACCESS_INIT;
    a.mask = 1;
    a.addresses = addresses;
    a.width = 4;
    must_start(&r, 0, first, NULL);
    cr_assert_eq(gpc_hierarchy_try_issue(r.hierarchy, &a, 1, &busy, NULL), GPC_OK);
    uint32_t b = must_start(&r, 1, second, NULL);
    must_end(&r, 1);
    cr_assert_eq(start(&r, 0, first, 1, NULL, &kernel), GPC_BUSY);
    cr_assert_eq(kernel, 0);
    cr_assert_eq(gpc_hierarchy_drain(r.hierarchy, &error), GPC_OK);
    cr_assert_eq(start(&r, 0, first, 1, NULL, &kernel), GPC_OK, "%s", error.message);
    cr_assert_eq(kernel, 3);
    must_end(&r, b);
    rig_close(&r);
}

/* A kernel waits for its SM's accesses, also on an SM beyond the first 64. */
Test(kernels_at_once, of_many_sms_with_a_clock) {
    static const uint32_t last[] = {64};
    rig r;
    uint64_t addresses[] = {0};
    uint32_t kernel = 0;
    rig_open(&r, "sm.count = 65\nstreams = 2\nkernels.flush = l1\nmode = timed\n");
    gpc_warp_access a = GPC_WARP_ACCESS_INIT;
    a.mask = 1;
    a.addresses = addresses;
    a.width = 4;
    a.sm = 64;
    must_end(&r, must_start(&r, 0, last, NULL));
    cr_assert_eq(gpc_hierarchy_try_issue(r.hierarchy, &a, 1, NULL, NULL), GPC_OK);
    cr_assert_eq(start(&r, 0, last, 1, NULL, &kernel), GPC_BUSY);
    cr_assert_eq(start(&r, 1, second, 1, NULL, &kernel), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_hierarchy_drain(r.hierarchy, &error), GPC_OK);
    cr_assert_eq(start(&r, 0, last, 1, NULL, &kernel), GPC_OK, "%s", error.message);
    rig_close(&r);
}

/* A load waiting for another SM's load is under way too, until it has the line. */
Test(kernels_at_once, loads_that_wait_for_another_sm) {
    rig r;
    uint64_t addresses[] = {0};
    uint32_t kernel = 0;
    rig_open(&r, BASE "mode = timed\nlrc.sms = 2\n");
    gpc_warp_access a = GPC_WARP_ACCESS_INIT;
    a.mask = 1;
    a.addresses = addresses;
    a.width = 4;
    const uint32_t b = must_start(&r, 0, first, NULL);
    must_end(&r, must_start(&r, 1, second, NULL));
    for (a.sm = 0; a.sm < 2; a.sm++)
        cr_assert_eq(gpc_hierarchy_try_issue(r.hierarchy, &a, a.sm, NULL, NULL), GPC_OK);
    cr_assert_eq(start(&r, 1, second, 1, NULL, &kernel), GPC_BUSY);
    cr_assert_eq(gpc_hierarchy_drain(r.hierarchy, &error), GPC_OK);
    cr_expect_eq(rig_stats(&r).l2_merged_sectors, 1);
    cr_assert_eq(start(&r, 1, second, 1, NULL, &kernel), GPC_OK, "%s", error.message);
    must_end(&r, b);
    rig_close(&r);
}

/* Kernel number seen by a policy of L1, and events. */
typedef struct seen {
    uint32_t kernel;
    unsigned starts, ends;
} seen;
static seen saw[130];

typedef struct watcher {
    uint32_t sm;
} watcher;

static gpc_status watch_init(void *self, const gpc_policy_env *env, char *message) {
    (void)message;
    ((watcher *)self)->sm = env->index;
    return GPC_OK;
}

static void watch_miss(void *self, uint32_t set, const gpc_request *request) {
    (void)set;
    saw[((watcher *)self)->sm].kernel = request->kernel;
}

static void watch_event(void *self, const gpc_warp_event *event) {
    saw[((watcher *)self)->sm].starts += event->kind == GPC_KERNEL_START;
    saw[((watcher *)self)->sm].ends += event->kind == GPC_KERNEL_END;
}

static uint32_t watch_victim(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)self, (void)set, (void)request;
    uint32_t way = 0;
    while (candidates && !(candidates[way / 64] >> way % 64 & 1))
        way++;
    return way;
}

static void open_watched(rig *r, const char *settings) {
    const gpc_replacement_ops watch = {.struct_size = sizeof watch,
                                       .name = "watch",
                                       .summary = "sees kernels",
                                       .source = "",
                                       .instance_bytes = sizeof(watcher),
                                       .init = watch_init,
                                       .on_miss = watch_miss,
                                       .choose_victim = watch_victim,
                                       .on_warp_event = watch_event};
    *r = (rig){0};
    cr_assert_eq(gpc_context_create(NULL, &r->context, &error), GPC_OK);
    cr_assert_eq(gpc_context_register_replacement(r->context, &watch, NULL, NULL, &error), GPC_OK);
    cr_assert_eq(gpc_config_create(r->context, &r->config, &error), GPC_OK);
    cr_assert_eq(gpc_config_load_text(r->config, BASE "l1.replacement = watch\n", "base", &error), GPC_OK);
    cr_assert_eq(gpc_config_load_text(r->config, settings, "test", &error), GPC_OK);
    memset(saw, 0, sizeof saw);
    cr_assert_eq(gpc_hierarchy_create(r->context, r->config, &r->hierarchy, &error), GPC_OK, "%s", error.message);
}

Test(kernels_at_once, policies_know_theirs) {
    rig r;
    uint64_t address = 0;
    open_watched(&r, "");
    uint32_t a = must_start(&r, 0, first, NULL), b = must_start(&r, 1, NULL, NULL);
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    access.mask = 1;
    access.addresses = &address;
    access.width = 4;
    cr_assert_eq(gpc_hierarchy_access(r.hierarchy, &access, NULL, NULL), GPC_OK);
    cr_assert_eq(saw[0].kernel, a);
    access.stream = 1;
    address = 4096;
    cr_assert_eq(gpc_hierarchy_access(r.hierarchy, &access, NULL, NULL), GPC_OK);
    cr_assert_eq(saw[0].kernel, b);
    must_end(&r, a);
    cr_assert(saw[0].starts == 1 && saw[1].starts == 1 && !saw[0].ends, "kernel 2 is on both");
    must_end(&r, b);
    cr_assert(saw[0].ends == 1 && saw[1].ends == 1);
    rig_close(&r);
}

/* Every one of many SMs begins with the first kernel, and ends with the last. */
Test(kernels_at_once, policies_of_many_sms) {
    rig r;
    open_watched(&r, "sm.count = 130\n");
    const uint32_t a = must_start(&r, 0, first, NULL), b = must_start(&r, 1, NULL, NULL);
    for (int ended = 0; ended < 3; ended++) {
        for (uint32_t sm = 0; sm < 130; sm++)
            cr_expect(saw[sm].starts == 1 && saw[sm].ends == (ended == 2 || (ended && sm)), "SM %u, %d ended", sm,
                      ended);
        if (ended < 2)
            must_end(&r, ended ? a : b);
    }
    rig_close(&r);
}

static void expect(gpc_status status, gpc_status expected, const char *part) {
    cr_assert_eq(status, expected, "%s", error.message);
    cr_assert(strstr(error.message, part), "%s: %s", part, error.message);
}

Test(kernels_at_once, refused) {
    const uint32_t beyond[] = {2};
    uint32_t kernel = 0;
    rig r;
    rig_open(&r, BASE);
    expect(start(&r, 2, NULL, 0, NULL, &kernel), GPC_ERROR_ARGUMENT, "stream is 2");
    expect(start(&r, 0, beyond, 1, NULL, &kernel), GPC_ERROR_ARGUMENT, "sms[0] is 2");
    expect(start(&r, 0, beyond, 0, NULL, &kernel), GPC_ERROR_ARGUMENT, "sm_count is 0");
    expect(start(&r, 0, NULL, 1, NULL, &kernel), GPC_ERROR_ARGUMENT, "sms is NULL");
    gpc_launch launch = GPC_LAUNCH_INIT;
    launch.threads = 1u << 20;
    expect(start(&r, 0, NULL, 0, &launch, &kernel), GPC_ERROR_RANGE, "does not fit an SM");
    cr_assert_eq(kernel, 0);
    expect(gpc_hierarchy_end_kernel(r.hierarchy, 1, &error), GPC_ERROR_STATE, "kernel 1 does not run");
    kernel = must_start(&r, 0, NULL, NULL);
    expect(start(&r, 0, NULL, 0, NULL, &kernel), GPC_ERROR_STATE, "stream 0 has kernel 1");
    must_end(&r, 1);
    expect(gpc_hierarchy_end_kernel(r.hierarchy, 1, &error), GPC_ERROR_STATE, "kernel 1 does not run");
    rig_close(&r);
    rig_open(&r, "coherence = msi\nl1.write_policy = back\nl1.write_allocate = fetch\n");
    expect(start(&r, 0, NULL, 0, NULL, &kernel), GPC_ERROR_UNSUPPORTED, "coherence");
    rig_close(&r);
    rig_open(&r, BASE "kernels.flush = all\n");
    must_start(&r, 0, NULL, NULL);
    expect(start(&r, 1, NULL, 0, NULL, &kernel), GPC_ERROR_UNSUPPORTED, "kernels.flush = all");
    rig_close(&r);
}
