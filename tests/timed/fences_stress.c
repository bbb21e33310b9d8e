/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "timed/rig.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>

/*
 * Random accesses and fences with random scarce resources: everything completes once; a release is not done before any
 * earlier accepted write of the SM; after being emptied L1 serves no earlier requested data.
 */

#define SMS 4u
#define ACCESSES 700u

typedef struct issued {
    uint8_t kind;         /* gpc_kind, GPC_KIND_COUNT: a fence */
    bool waits, acquires; /* an acquiring access completes later than performed */
    uint32_t sm;
} issued;

static uint32_t pick(uint64_t *state, const uint32_t *of, uint32_t count) {
    return of[rig_below(state, count)];
}

static void configure(uint64_t *state, char *text, size_t size) {
    static const uint32_t few[] = {1, 2, 4, 16};
    static const char *const writes[] = {"evict", "through", "back"};
    static const char *const allocate[] = {"none", "fetch", "lazy"};
    bool viper = rig_below(state, 2);
    snprintf(text, size,
             "sm.count = %u\ncoherence = %s\nkernels.flush = l1\nl1.write_policy = %s\nl1.write_allocate = %s\n"
             "l1.write_policy_local = back\nl1.write_allocate_local = %s\nl1.allocate = %s\n"
             "l1.queue = %u\nl1.mshr_entries = %u\nl1.mshr_merges = %u\nl1.miss_queue = %u\n"
             "l1.invalidate_rate = %u\nl2.slices = 4\nl2.partitions = %u\nl2.mshr_entries = %u\nl2.queue = %u\n"
             "l2.inclusion = %s\nnetwork.input_buffer = %u\nnetwork.width = 32B\nl1.reorder = %s\n",
             SMS, viper ? "viper" : "none", writes[rig_below(state, viper ? 2 : 3)], allocate[rig_below(state, 3)],
             allocate[rig_below(state, 3)], rig_below(state, 2) ? "on-miss" : "on-fill", pick(state, few, 4),
             pick(state, few, 4), pick(state, few, 4), pick(state, few, 4), pick(state, few, 4),
             1 + rig_below(state, 2), pick(state, few, 4), pick(state, few, 4),
             rig_below(state, 2) ? "inclusive" : "non-inclusive", pick(state, few, 4),
             rig_below(state, 3) ? "none" : "warp");
}

static fence_shot some_fence(uint64_t *state) {
    fence_shot f = {.scope = (gpc_scope)rig_below(state, GPC_SCOPE_COUNT),
                    .order = (gpc_order)(GPC_ORDER_ACQUIRE + rig_below(state, 4)),
                    .control = (gpc_control)rig_below(state, 3),
                    .sm = rig_below(state, SMS),
                    .warp = rig_below(state, 8)};
    return f;
}

static shot some_access(uint64_t *state) {
    shot s = {.address = rig_below(state, 64) * 64ull,
              .stride = 4ull << rig_below(state, 6),
              .lanes = 1 + rig_below(state, 32),
              .width = 4,
              .sm = rig_below(state, SMS),
              .warp = rig_below(state, 8)};
    s.kind = (uint8_t)rig_below(state, GPC_KIND_COUNT);
    if (!rig_below(state, 8)) {
        static const uint8_t orders[GPC_KIND_COUNT][2] = {{GPC_ORDER_ACQUIRE, GPC_ORDER_RELAXED},
                                                          {GPC_ORDER_RELEASE, GPC_ORDER_RELAXED},
                                                          {GPC_ORDER_ACQ_REL, GPC_ORDER_ACQUIRE},
                                                          {GPC_ORDER_RELEASE, GPC_ORDER_RELAXED}};
        s.order = orders[s.kind][rig_below(state, 2)];
        s.scope = s.order ? (uint8_t)rig_below(state, GPC_SCOPE_COUNT) : 0;
    }
    s.space = rig_below(state, 4) ? GPC_SPACE_GLOBAL : GPC_SPACE_LOCAL;
    return s;
}

static void check_order(const rig *r, const issued *all) {
    for (uint64_t f = 0; f < r->issued; f++)
        for (uint64_t w = 0; all[f].waits && w < f; w++)
            if (all[w].sm == all[f].sm && !all[w].acquires && all[w].kind >= GPC_STORE && all[w].kind <= GPC_REDUCTION)
                cr_assert_leq(r->done[w].cycle, r->done[f].cycle, "fence %" PRIu64 " before write %" PRIu64, f, w);
}

static void run(uint64_t seed) {
    static issued all[RIG_TOKENS];
    char settings[1024];
    uint64_t state = seed;
    rig r;
    configure(&state, settings, sizeof settings);
    rig_open(&r, settings, 20 + rig_below(&state, 300));
    uint64_t fences = 0;
    while (r.issued < ACCESSES) {
        issued *next = &all[r.issued];
        if (rig_below(&state, 6)) {
            shot s = some_access(&state);
            *next = (issued){.kind = s.kind, .sm = s.sm};
            next->acquires = s.order == GPC_ORDER_ACQ_REL || s.order == GPC_ORDER_ACQUIRE;
            next->waits = (s.order == GPC_ORDER_RELEASE || s.order == GPC_ORDER_ACQ_REL) && s.scope != GPC_SCOPE_CTA;
            rig_push(&r, s);
        } else {
            fence_shot f = some_fence(&state);
            *next = (issued){.kind = GPC_KIND_COUNT, .sm = f.sm};
            next->waits = f.order != GPC_ORDER_ACQUIRE && f.scope != GPC_SCOPE_CTA;
            while (rig_try_fence(&r, f, NULL) == GPC_BUSY)
                rig_step(&r);
            fences++;
        }
        rig_steps(&r, rig_below(&state, 8));
    }
    rig_finish(&r);
    check_order(&r, all);
    measured_stats s = rig_stats(&r);
    cr_assert_eq(s.fences, fences, "%s", settings);
    cr_assert_eq(s.accepted, ACCESSES);
    cr_assert_eq(s.completed, ACCESSES);
    /* all fences in sequence: no leftovers of earlier fences */
    for (uint32_t sm = 0; sm < SMS; sm++)
        rig_fence(&r, (fence_shot){.control = GPC_CONTROL_INVALIDATE_ALL, .sm = sm});
    rig_finish(&r);
    for (uint32_t sm = 0; sm < SMS; sm++) {
        gpc_line line;
        uint64_t cursor = 0;
        cr_assert_eq(gpc_cache_next_line(gpc_hierarchy_cache(r.hierarchy, 1, sm), &cursor, &line, NULL), GPC_END,
                     "seed %" PRIu64 ": %s", seed, settings);
    }
    rig_close(&r);
}

Test(fences, stress) {
    for (uint64_t seed = 1; seed <= 60; seed++)
        run(seed);
}
