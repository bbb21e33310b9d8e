/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/coherent_rig.h"

#include <criterion/criterion.h>
#include <string.h>

/* Fences, and ordered accesses, in a tree of modules: if directories keep copies up to date, fences wait. */

static uint64_t cycle_of(const rig *r, uint64_t token) {
    return r->done[token].cycle;
}

/* For the SM's writes, over any number of levels; not at CTA's scope, nor with only an acquire. */
Test(timed_coherent_fences, wait_for_writes) {
    static const struct {
        uint8_t order, scope;
        bool waits;
    } cases[] = {{GPC_ORDER_RELEASE, GPC_SCOPE_GPU, true},
                 {GPC_ORDER_SC, GPC_SCOPE_SYS, true},
                 {GPC_ORDER_ACQ_REL, GPC_SCOPE_CTA, false},
                 {GPC_ORDER_ACQUIRE, GPC_SCOPE_GPU, false}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        rig r;
        coherent_open(&r, "moesi", "");
        const uint64_t other = rig_issue(&r, LINE(GPC_STORE, 4096, .sm = 1));
        const uint64_t load = rig_issue(&r, LINE(GPC_LOAD, 128));
        const uint64_t store = rig_issue(&r, LINE(GPC_STORE, 0));
        const uint64_t fence = rig_fence(&r, (fence_shot){.order = cases[i].order, .scope = cases[i].scope});
        rig_finish(&r);
        cr_expect_gt(cycle_of(&r, store), MEMORY);
        cr_expect_gt(cycle_of(&r, other), MEMORY);
        cr_expect_gt(cycle_of(&r, load), MEMORY);
        cr_expect(r.done[fence].fence && r.done[fence].times == 1);
        if (cases[i].waits)
            cr_expect_eq(cycle_of(&r, fence), cycle_of(&r, store), "%u", i);
        else
            cr_expect_leq(cycle_of(&r, fence), 4, "%u: past the tags", i);
        cr_expect_eq(rig_stats(&r).fences, 1);
        cr_expect_eq(coherent_state(&r, "l1-0", 0), GPC_LINE_M, "nothing is dropped");
        coherent_check_idle(&r);
        coherent_close(&r);
    }
}

/* A releasing access passes L1's tags once earlier writes are done; others pass meanwhile. */
Test(timed_coherent_fences, accesses_that_release) {
    rig r;
    coherent_open(&r, "moesi", "");
    const uint64_t warm = rig_latency(&r, LINE(GPC_STORE, 4096));
    const uint64_t data = rig_issue(&r, LINE(GPC_STORE, 0));
    const uint64_t flag = rig_issue(&r, LINE(GPC_ATOMIC, 4096, .order = GPC_ORDER_ACQ_REL, .scope = GPC_SCOPE_GPU));
    const uint64_t behind = rig_issue(&r, LINE(GPC_STORE, 4096, .warp = 1));
    rig_finish(&r);
    cr_expect_gt(cycle_of(&r, flag), cycle_of(&r, data));
    cr_expect_lt(cycle_of(&r, flag), cycle_of(&r, data) + warm);
    cr_expect_lt(cycle_of(&r, behind), cycle_of(&r, data));
    cr_expect(rig_stats(&r).fences == 0 && rig_stats(&r).completed == 4);
    coherent_check_idle(&r);
    coherent_close(&r);
}

/* nmoesi-d: lines evicted by L2 are still read, until an acquire that follows others' atomics. */
Test(timed_coherent_fences, drop_detached_copies) {
    rig r;
    coherent_open(&r, "nmoesi-d", "l2.slices = 1\nl2.size = 256\nl2.ways = 1\nl2.index = modulo\n");
    rig_latency(&r, LINE(GPC_LOAD, 0));
    rig_latency(&r, LINE(GPC_LOAD, 256, .sm = 1));
    cr_expect_eq(coherent_state(&r, "l2-0", 0), GPC_LINE_I);
    cr_expect_eq(coherent_state(&r, "l1-0", 0), GPC_LINE_COUNT, "D");
    rig_latency(&r, LINE(GPC_ATOMIC, 0, .sm = 1));
    cr_expect_lt(rig_latency(&r, LINE(GPC_LOAD, 0)), MEMORY, "a hit");
    cr_expect_eq(coherent_state(&r, "l1-1", 0), GPC_LINE_M);
    rig_fence(&r, (fence_shot){.order = GPC_ORDER_ACQUIRE, .scope = GPC_SCOPE_CTA});
    rig_finish(&r);
    cr_expect_eq(coherent_state(&r, "l1-0", 0), GPC_LINE_COUNT);
    rig_fence(&r, (fence_shot){.order = GPC_ORDER_ACQUIRE, .scope = GPC_SCOPE_GPU});
    rig_finish(&r);
    cr_expect_eq(coherent_state(&r, "l1-0", 0), GPC_LINE_I);
    rig_latency(&r, LINE(GPC_LOAD, 0));
    cr_expect_neq(coherent_state(&r, "l1-1", 0), GPC_LINE_M, "it was asked");
    coherent_check_idle(&r);
    coherent_close(&r);
}

static gpc_status try_fence(const rig *r, gpc_order order, gpc_scope scope, gpc_control control) {
    gpc_fence f = GPC_FENCE_INIT;
    gpc_busy busy = GPC_BUSY_COUNT;
    f.order = (uint8_t)order;
    f.scope = (uint8_t)scope;
    f.control = (uint8_t)control;
    const gpc_status status = gpc_hierarchy_try_fence(r->hierarchy, &f, 0, &busy, NULL);
    cr_expect_eq(busy, status == GPC_OK ? GPC_BUSY_NOT : GPC_BUSY_COUNT);
    return status;
}

/* Refusals have no effect: control of an L1 handled by directories, or by the protocol's acquires. */
Test(timed_coherent_fences, refused) {
    static const char *const protocols[] = {"moesi", "vi", "slc-glc"};
    for (unsigned i = 0; i < 3; i++) {
        rig r;
        coherent_open(&r, protocols[i], "");
        for (unsigned control = GPC_CONTROL_INVALIDATE_ALL; control <= GPC_CONTROL_WRITE_BACK_ALL; control++)
            cr_assert_eq(try_fence(&r, GPC_ORDER_WEAK, GPC_SCOPE_CTA, control), GPC_ERROR_UNSUPPORTED);
        cr_expect_eq(gpc_hierarchy_in_flight(r.hierarchy), 0);
        cr_expect_eq(rig_stats(&r).fences, 0);
        coherent_close(&r);
    }
}
