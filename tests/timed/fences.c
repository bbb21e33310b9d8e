/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "timed/rig.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Waiting of fences, and effects in L1: cycle by cycle. */

#define MEMORY 200u
#define FENCE(o, s, w) ((fence_shot){.order = GPC_ORDER_##o, .scope = (s), .warp = (w)})
#define CONTROL(c) ((fence_shot){.control = GPC_CONTROL_##c})

static const char viper[] = "coherence = viper\nkernels.flush = l1\n";

static uint64_t cycle_of(const rig *r, uint64_t token) {
    cr_assert_eq(r->done[token].times, 1);
    return r->done[token].cycle;
}

/* True if a line is in L1, tested by a load. */
static bool is_in_l1(rig *r, uint64_t address) {
    rig_latency(r, WORD(GPC_LOAD, address));
    return r->done[r->issued - 1].level == 1;
}

/* A slow store (a word, with a sector fetched by L2), a fence of another warp, a later store. */
static void release_waits(gpc_scope scope, bool waits) {
    rig r;
    rig_open(&r, NULL, MEMORY);
    uint64_t before = rig_issue(&r, WORD(GPC_STORE, 0));
    uint64_t atomic = rig_issue(&r, WORD(GPC_REDUCTION, 0x10000));
    uint64_t fence = rig_fence(&r, FENCE(RELEASE, scope, 3));
    rig_steps(&r, 50);
    uint64_t behind = rig_issue(&r, WORD(GPC_STORE, 0x20000));
    rig_finish(&r);
    uint64_t last = cycle_of(&r, before) > cycle_of(&r, atomic) ? cycle_of(&r, before) : cycle_of(&r, atomic);
    cr_expect_gt(last, MEMORY);
    cr_expect_gt(cycle_of(&r, behind), last);
    if (waits)
        cr_expect_eq(cycle_of(&r, fence), last, "scope %d: %" PRIu64 ", not %" PRIu64, scope, cycle_of(&r, fence),
                     last);
    else
        cr_expect_eq(cycle_of(&r, fence), 3, "scope %d: through the tags behind the others, not %" PRIu64, scope,
                     cycle_of(&r, fence));
    cr_expect(r.done[fence].fence && !r.done[before].fence);
    measured_stats s = rig_stats(&r);
    cr_expect_eq(s.fences, 1);
    cr_expect_eq(s.fence_cycles, cycle_of(&r, fence));
    cr_expect_eq(s.fence_invalidations, 0);
    cr_expect_eq(s.warp_instructions, 3, "a fence is none of the hierarchy's to count");
    rig_close(&r);
}

Test(fences, release_waits_for_the_writes_of_its_sm) {
    release_waits(GPC_SCOPE_CTA, false);
    release_waits(GPC_SCOPE_CLUSTER, true);
    release_waits(GPC_SCOPE_GPU, true);
    release_waits(GPC_SCOPE_SYS, true);
}

/* Fences do not wait for stores of other SMs, nor for loads; and an acquire never waits. */
Test(fences, what_is_not_waited_for) {
    rig r;
    rig_open(&r, "sm.count = 2\n", MEMORY);
    rig_issue(&r, WORD(GPC_STORE, 0, .sm = 1));
    rig_issue(&r, WORD(GPC_LOAD, 0x10000));
    rig_issue(&r, WORD(GPC_PREFETCH, 0x20000));
    uint64_t release = rig_fence(&r, FENCE(RELEASE, GPC_SCOPE_GPU, 0));
    rig_issue(&r, WORD(GPC_STORE, 0x30000));
    uint64_t acquire = rig_fence(&r, FENCE(ACQUIRE, GPC_SCOPE_GPU, 0));
    rig_finish(&r);
    cr_expect_eq(cycle_of(&r, release), 3);
    cr_expect_eq(cycle_of(&r, acquire), 5);
    rig_close(&r);
}

/*
 * Fences in a row, each behind another store: done in order, each with the store; a fence that does not wait goes
 * ahead.
 */
Test(fences, one_behind_another) {
    rig r;
    rig_open(&r, NULL, MEMORY);
    uint64_t stores[3], fences[3];
    for (unsigned i = 0; i < 3; i++) {
        stores[i] = rig_issue(&r, WORD(GPC_STORE, i * 0x10000ull));
        fences[i] =
            i == 1 ? rig_fence(&r, FENCE(ACQUIRE, GPC_SCOPE_GPU, 0)) : rig_fence(&r, FENCE(RELEASE, GPC_SCOPE_GPU, 0));
        rig_steps(&r, 20);
    }
    rig_finish(&r);
    cr_expect_eq(cycle_of(&r, fences[0]), cycle_of(&r, stores[0]));
    cr_expect_lt(cycle_of(&r, fences[1]), 30);
    cr_expect_eq(cycle_of(&r, fences[2]), cycle_of(&r, stores[2]));
    cr_expect_lt(cycle_of(&r, stores[1]), cycle_of(&r, stores[2]));
    rig_close(&r);
}

/* A late write: the fence behind still waits although the earlier fence, which did not wait, is gone. */
Test(fences, writes_before_a_fence_that_did_not_wait) {
    rig r;
    rig_open(&r, NULL, 900);
    uint64_t store = rig_issue(&r, WORD(GPC_STORE, 0));
    uint64_t acquire = rig_fence(&r, FENCE(ACQUIRE, GPC_SCOPE_GPU, 0));
    rig_steps(&r, 20);
    cr_expect_eq(cycle_of(&r, acquire), 2);
    uint64_t release = rig_fence(&r, FENCE(RELEASE, GPC_SCOPE_GPU, 0));
    rig_finish(&r);
    cr_expect_eq(cycle_of(&r, release), cycle_of(&r, store));
    rig_close(&r);
}

/* Fences that empty L1. */
static void empties(const char *settings, fence_shot f, bool expected) {
    rig r;
    rig_open(&r, settings, MEMORY);
    for (uint64_t i = 0; i < 3; i++)
        rig_latency(&r, LINE(GPC_LOAD, i * 128));
    uint64_t fence = rig_fence(&r, f);
    rig_finish(&r);
    measured_stats s = rig_stats(&r);
    cr_expect_eq(s.fence_invalidations, expected);
    cr_expect_eq(s.fence_lines, expected ? 3 : 0);
    cr_expect_eq(s.l1_invalidations, expected ? 3 : 0);
    cr_expect_eq(s.l1_write_back_sectors, 0);
    for (uint64_t i = 0; i < 3; i++)
        cr_expect_eq(is_in_l1(&r, i * 128), !expected);
    cr_expect_eq(r.done[fence].times, 1);
    rig_close(&r);
}

Test(fences, which_empty_l1) {
    for (gpc_scope scope = GPC_SCOPE_CTA; scope < GPC_SCOPE_COUNT; scope++)
        for (gpc_order order = GPC_ORDER_ACQUIRE; order < GPC_ORDER_COUNT; order++) {
            bool acquires = order != GPC_ORDER_RELEASE && scope != GPC_SCOPE_CTA;
            fence_shot f = {.scope = scope, .order = order};
            empties(NULL, f, false);
            empties(viper, f, acquires);
            f.control = GPC_CONTROL_INVALIDATE_ALL;
            empties(NULL, f, true);
        }
    empties(NULL, CONTROL(INVALIDATE_ALL), true);
    empties(viper, CONTROL(INVALIDATE_ALL), true);
    empties(NULL, CONTROL(WRITE_BACK_ALL), false);
}

/* A number of lines a cycle; the tags stand still meanwhile. */
static void takes(const char *rate, uint64_t lines, uint64_t cycles) {
    char settings[64];
    snprintf(settings, sizeof settings, "l1.invalidate_rate = %s\n", rate);
    rig r;
    rig_open(&r, settings, MEMORY);
    rig_latency(&r, LINE(GPC_LOAD, (1 << 20) + 31 * 128)); /* in a set with room */
    uint64_t miss = rig_latency(&r, LINE(GPC_LOAD, 0));
    for (uint64_t i = 1; i < lines - 1; i++)
        rig_latency(&r, LINE(GPC_LOAD, i * 128));
    uint64_t start = rig_now(&r);
    uint64_t fence = rig_fence(&r, CONTROL(INVALIDATE_ALL));
    uint64_t load = rig_issue(&r, LINE(GPC_LOAD, 1 << 21, .warp = 1));
    rig_finish(&r);
    /* issued after cycle `start`, both are before the tags in the next */
    cr_expect_eq(cycle_of(&r, fence) - start, 1 + cycles, "%s: %" PRIu64, rate, cycle_of(&r, fence) - start);
    cr_expect_eq(cycle_of(&r, load) - start, miss + cycles, "%s: %" PRIu64 ", not %" PRIu64, rate,
                 cycle_of(&r, load) - start, miss + cycles);
    cr_expect_eq(rig_stats(&r).fence_lines, lines);
    rig_close(&r);
}

Test(fences, dropping_takes_time) {
    takes("unlimited", 100, 1);
    takes("100", 100, 1);
    takes("99", 100, 2);
    takes("50", 100, 2);
    takes("10", 100, 10);
    takes("1", 100, 100);
}

/*
 * A line in flight when L1 is emptied is older: the load gets the data, but the line does not stay, and the fence is
 * not done before the line has arrived. A line requested later stays, and is not waited for.
 */
Test(fences, lines_on_their_way) {
    rig r;
    rig_open(&r, viper, MEMORY);
    uint64_t before = rig_issue(&r, LINE(GPC_LOAD, 0));
    rig_steps(&r, 20);
    uint64_t fence = rig_fence(&r, FENCE(ACQUIRE, GPC_SCOPE_GPU, 1));
    rig_steps(&r, 20);
    uint64_t merged = rig_issue(&r, LINE(GPC_LOAD, 0, .warp = 2));
    uint64_t behind = rig_issue(&r, LINE(GPC_LOAD, 4096, .warp = 2));
    rig_finish(&r);
    cr_expect_eq(cycle_of(&r, before), cycle_of(&r, merged), "who did not acquire may see what is old");
    cr_expect_eq(cycle_of(&r, fence), cycle_of(&r, before));
    cr_expect_gt(cycle_of(&r, behind), cycle_of(&r, fence));
    cr_expect(!is_in_l1(&r, 0));
    cr_expect(is_in_l1(&r, 4096));
    cr_expect(is_in_l1(&r, 0), "loaded anew by the last look");
    rig_close(&r);
}

/* Two acquires with lines in flight: the second empties L1 again, for lines let in by the first. */
Test(fences, two_generations) {
    rig r;
    rig_open(&r, viper, MEMORY);
    uint64_t first = rig_issue(&r, LINE(GPC_LOAD, 0));
    rig_steps(&r, 10);
    uint64_t one = rig_fence(&r, FENCE(ACQUIRE, GPC_SCOPE_GPU, 0));
    uint64_t joined = rig_fence(&r, FENCE(ACQUIRE, GPC_SCOPE_SYS, 1));
    rig_steps(&r, 100);
    uint64_t second = rig_issue(&r, LINE(GPC_LOAD, 4096));
    rig_steps(&r, 10);
    uint64_t two = rig_fence(&r, FENCE(ACQUIRE, GPC_SCOPE_GPU, 0));
    rig_finish(&r);
    cr_expect_eq(cycle_of(&r, one), cycle_of(&r, first));
    cr_expect_geq(cycle_of(&r, joined), cycle_of(&r, first), "one cycle later at the tags: it empties L1 itself");
    cr_expect_eq(cycle_of(&r, two), cycle_of(&r, second));
    cr_expect(!is_in_l1(&r, 0));
    cr_expect(!is_in_l1(&r, 4096));
    rig_close(&r);
}

/* A strong load with a scope that excludes L1 goes to L2 under viper, and leaves no copy, with any l1.bypass. */
Test(fences, strong_loads) {
    static const char *const settings[] = {"coherence = viper\nkernels.flush = l1\nl1.bypass = always-cache\n",
                                           "coherence = viper\nkernels.flush = l1\nl1.bypass = hint\n"};
    for (unsigned i = 0; i < 2; i++) {
        rig r;
        rig_open(&r, settings[i], MEMORY);
        rig_latency(&r, LINE(GPC_LOAD, 0));
        rig_latency(&r, WORD(GPC_LOAD, 0, .order = GPC_ORDER_RELAXED, .scope = GPC_SCOPE_CTA));
        cr_expect_eq(r.done[1].level, 1);
        rig_latency(&r, WORD(GPC_LOAD, 0, .order = GPC_ORDER_RELAXED, .scope = GPC_SCOPE_GPU));
        cr_expect_eq(r.done[2].level, 2);
        rig_latency(&r, WORD(GPC_LOAD, 0));
        cr_expect_eq(r.done[3].level, 2, "the copy went");
        rig_latency(&r, WORD(GPC_LOAD, 64));
        cr_expect_eq(r.done[4].level, 1, "not the sectors beside it");
        rig_close(&r);
    }
}

/*
 * Reads of neighbouring SMs merge on the way to L2, but not with reads sent before an acquire. A strong read merges with
 * no read sent before a change of the line.
 */
Test(fences, merged_reads) {
    static const struct {
        uint8_t order, scope;
        bool acquires, stores;
        uint64_t merged;
    } cases[] = {{0, 0, false, false, 1},
                 {0, 0, true, false, 0},
                 {0, 0, false, true, 1},
                 {GPC_ORDER_RELAXED, GPC_SCOPE_GPU, false, false, 1},
                 {GPC_ORDER_RELAXED, GPC_SCOPE_GPU, false, true, 0}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        rig r;
        rig_open(&r, "coherence = viper\nkernels.flush = l1\nsm.count = 2\nlrc.sms = 2\n", MEMORY);
        rig_issue(&r, LINE(GPC_LOAD, 0));
        rig_steps(&r, 10);
        if (cases[i].acquires)
            rig_wait(&r, rig_fence(&r, (fence_shot){.order = GPC_ORDER_ACQUIRE, .scope = GPC_SCOPE_GPU, .sm = 1}));
        if (cases[i].stores)
            rig_issue(&r, WORD(GPC_STORE, 0, .sm = 1));
        rig_steps(&r, cases[i].stores ? 100 : 0);
        rig_issue(&r, LINE(GPC_LOAD, 0, .sm = 1, .order = cases[i].order, .scope = cases[i].scope));
        rig_finish(&r);
        measured_stats s = rig_stats(&r);
        cr_expect_eq(s.l2_read_sectors, 8 - 4 * cases[i].merged, "case %u", i);
        rig_close(&r);
    }
}

/* Strong loads of two warps merge at L1's MSHR entry, unless another SM's store was performed in between. */
Test(fences, strong_loads_of_an_sm_merge) {
    static const char *const protocols[] = {"", "coherence = viper\nkernels.flush = l1\n"};
    for (unsigned i = 0; i < 4; i++) {
        char settings[128];
        rig r;
        snprintf(settings, sizeof settings, "%ssm.count = 2\n", protocols[i / 2]);
        rig_open(&r, settings, MEMORY);
        rig_issue(&r, LINE(GPC_LOAD, 0, .order = GPC_ORDER_RELAXED, .scope = GPC_SCOPE_GPU));
        if (i % 2)
            rig_issue(&r, WORD(GPC_STORE, 0, .sm = 1));
        rig_steps(&r, 100);
        rig_issue(&r, LINE(GPC_LOAD, 0, .warp = 1, .order = GPC_ORDER_RELAXED, .scope = GPC_SCOPE_GPU));
        rig_finish(&r);
        cr_expect_eq(rig_stats(&r).l2_read_sectors, 4 + 4 * (i % 2), "%s: store %u", settings, i % 2);
        rig_close(&r);
    }
}

/* A releasing access waits for earlier writes, and only the warp waits for it. */
Test(fences, accesses_that_release) {
    static const struct {
        uint8_t kind, order, scope;
        bool waits;
    } cases[] = {{GPC_STORE, GPC_ORDER_RELEASE, GPC_SCOPE_GPU, true},
                 {GPC_STORE, GPC_ORDER_RELEASE, GPC_SCOPE_CTA, false},
                 {GPC_STORE, GPC_ORDER_RELAXED, GPC_SCOPE_GPU, false},
                 {GPC_ATOMIC, GPC_ORDER_ACQ_REL, GPC_SCOPE_SYS, true},
                 {GPC_ATOMIC, GPC_ORDER_ACQUIRE, GPC_SCOPE_SYS, false},
                 {GPC_REDUCTION, GPC_ORDER_RELEASE, GPC_SCOPE_CLUSTER, true}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        rig r;
        rig_open(&r, NULL, MEMORY);
        uint64_t warm = rig_latency(&r, LINE(GPC_STORE, 0x40000));
        uint64_t start = rig_now(&r), data = rig_issue(&r, WORD(GPC_STORE, 0));
        uint64_t flag = rig_issue(&r, LINE(cases[i].kind, 0x40000, .order = cases[i].order, .scope = cases[i].scope));
        uint64_t behind = rig_issue(&r, LINE(GPC_STORE, 0x40000, .warp = 1));
        rig_finish(&r);
        cr_expect_gt(cycle_of(&r, data), start + MEMORY);
        if (cases[i].waits)
            cr_expect_eq(cycle_of(&r, flag), cycle_of(&r, data) + warm, "case %u", i);
        else
            cr_expect_leq(cycle_of(&r, flag), start + warm + 2, "case %u", i);
        cr_expect_leq(cycle_of(&r, behind), start + warm + 3, "case %u", i);
        measured_stats s = rig_stats(&r);
        cr_expect(s.fences == 0 && s.accepted == 4 && s.completed == 4);
        rig_close(&r);
    }
}

/* An acquiring access has L1 dropped before completing; under none it only orders, and L1 stays. */
Test(fences, accesses_that_acquire) {
    for (unsigned i = 0; i < 8; i++) {
        bool is_viper = i & 1, wide = i & 2;
        rig r;
        rig_open(&r, is_viper ? viper : NULL, MEMORY);
        rig_latency(&r, LINE(GPC_LOAD, 0));
        uint64_t plain = rig_latency(&r, WORD(GPC_LOAD, 0x40000, .hint = GPC_HINT_CG));
        uint64_t load = rig_latency(&r, WORD(i & 4 ? GPC_ATOMIC : GPC_LOAD, 0x50000, .order = GPC_ORDER_ACQUIRE,
                                             .scope = wide ? GPC_SCOPE_GPU : GPC_SCOPE_CTA));
        measured_stats s = rig_stats(&r);
        cr_expect_eq(s.fence_invalidations, is_viper && wide, "%u", i);
        cr_expect_eq(s.fences, 0);
        cr_expect_eq(is_in_l1(&r, 0), !(is_viper && wide), "%u", i);
        if (!(i & 4) && wide)
            cr_expect_eq(load, plain + is_viper, "%u: %" PRIu64 ", %" PRIu64, i, load, plain);
        rig_close(&r);
    }
}

static const char back[] = "l1.write_policy = back\nl1.write_allocate = fetch\nl2.write_allocate = fetch\n";

/* Cycles of an acquiring load of a line in L2, with a number of dirty lines of local memory in L1. */
static uint64_t acquire_with_dirty(uint32_t dirty) {
    rig r;
    rig_open(&r,
             "coherence = viper\nkernels.flush = l1\nl1.write_policy_local = back\nl1.write_allocate_local = fetch\n"
             "l2.write_allocate = fetch\nl1.miss_queue = 1\n",
             MEMORY);
    rig_latency(&r, LINE(GPC_LOAD, 0));
    for (uint64_t i = 0; i < dirty; i++)
        rig_latency(&r, LINE(GPC_STORE, (1 << 20) + i * 128, .space = GPC_SPACE_LOCAL));
    const uint64_t cycles = rig_latency(&r, LINE(GPC_LOAD, 0, .order = GPC_ORDER_ACQUIRE, .scope = GPC_SCOPE_GPU));
    cr_expect_eq(rig_stats(&r).fence_write_back_sectors, 4 * dirty);
    rig_close(&r);
    return cycles;
}

/* Lines leave in sequence, even by a miss queue of one packet: no line waits for the previous reply. */
Test(fences, an_acquiring_load_writes_back_line_by_line) {
    const uint64_t one = acquire_with_dirty(1);
    cr_expect_eq(acquire_with_dirty(2) - one, 1);
    cr_expect_eq(acquire_with_dirty(5) - one, 4);
}

/* Dirty lines go to L2, and are acknowledged; they stay, or leave. */
static void writes_back(gpc_control control, const char *settings) {
    char all[256];
    snprintf(all, sizeof all, "%s%s", back, settings);
    rig r;
    rig_open(&r, all, MEMORY);
    for (uint64_t i = 0; i < 4; i++)
        rig_latency(&r, LINE(GPC_STORE, i * 128));
    rig_latency(&r, LINE(GPC_LOAD, 1 << 20));
    uint64_t written = rig_stats(&r).l2_write_sectors, start = rig_now(&r);
    uint64_t fence = rig_fence(&r, (fence_shot){.control = control});
    rig_finish(&r);
    measured_stats s = rig_stats(&r);
    cr_expect_eq(s.fence_write_back_sectors, 16);
    cr_expect_eq(s.l1_write_back_sectors, 16);
    cr_expect_eq(s.l2_write_sectors - written, 16);
    cr_expect_geq(cycle_of(&r, fence) - start, 2 * 5 + 20 + 3, "there and back, one behind another");
    bool stay = control == GPC_CONTROL_WRITE_BACK_ALL;
    cr_expect_eq(s.fence_lines, stay ? 0 : 5);
    for (uint64_t i = 0; i < 4; i++)
        cr_expect_eq(is_in_l1(&r, i * 128), stay);
    cr_expect_eq(gpc_hierarchy_flush(r.hierarchy, NULL), GPC_OK);
    cr_expect_eq(rig_stats(&r).l1_write_back_sectors, 16, "nothing is dirty any more");
    rig_close(&r);
}

Test(fences, dirty_lines) {
    writes_back(GPC_CONTROL_WRITE_BACK_ALL, "");
    writes_back(GPC_CONTROL_INVALIDATE_ALL, "");
    writes_back(GPC_CONTROL_WRITE_BACK_ALL, "l1.miss_queue = 1\nnetwork.input_buffer = 1\nnetwork.width = 4B\n");
    writes_back(GPC_CONTROL_INVALIDATE_ALL, "l1.miss_queue = 1\nnetwork.input_buffer = 1\nnetwork.width = 4B\n");
}

/* Local memory may be written back under viper: an acquire first moves it to L2. */
Test(fences, local_lines_under_viper) {
    rig r;
    rig_open(&r,
             "coherence = viper\nkernels.flush = l1\nl1.write_policy_local = back\n"
             "l1.write_allocate_local = fetch\n",
             MEMORY);
    rig_latency(&r, LINE(GPC_STORE, 0, .space = GPC_SPACE_LOCAL));
    cr_expect_eq(rig_stats(&r).l2_write_sectors, 0);
    rig_fence(&r, FENCE(ACQUIRE, GPC_SCOPE_GPU, 0));
    rig_finish(&r);
    measured_stats s = rig_stats(&r);
    cr_expect_eq(s.fence_write_back_sectors, 4);
    cr_expect_eq(s.l2_write_sectors, 4);
    cr_expect_eq(s.fence_lines, 1);
    rig_close(&r);
}

/* A fence needs a place in the SM's memory pipeline, and stays behind earlier instructions. */
Test(fences, the_pipeline) {
    rig r;
    gpc_busy busy;
    rig_open(&r, "l1.queue = 2\nl1.mshr_entries = 1\n", MEMORY);
    uint64_t first = rig_issue(&r, WORD(GPC_LOAD, 0));
    rig_step(&r);
    rig_issue(&r, WORD(GPC_LOAD, 0x10000));
    uint64_t fence = rig_fence(&r, FENCE(RELEASE, GPC_SCOPE_CTA, 0));
    rig_step(&r);
    cr_expect_eq(rig_try_fence(&r, FENCE(RELEASE, GPC_SCOPE_CTA, 0), &busy), GPC_BUSY);
    cr_expect_eq(busy, GPC_BUSY_MSHR);
    rig_finish(&r);
    cr_expect_geq(cycle_of(&r, fence), cycle_of(&r, first));
    cr_expect_eq(r.ready, 1);
    cr_expect_eq(rig_stats(&r).fences, 1);
    rig_close(&r);
}

/* A buffer before the tags lets loads pass loads: nothing passes a fence. */
Test(fences, reorder_buffer) {
    rig r;
    rig_open(&r, "l1.reorder = warp\nl1.mshr_entries = 1\n", MEMORY);
    uint64_t loads[3];
    for (unsigned i = 0; i < 3; i++)
        loads[i] = rig_issue(&r, WORD(GPC_LOAD, i * 0x10000ull, .warp = i));
    uint64_t fence = rig_fence(&r, FENCE(RELEASE, GPC_SCOPE_CTA, 0));
    uint64_t behind = rig_issue(&r, WORD(GPC_LOAD, 0, .warp = 7));
    rig_finish(&r);
    cr_expect_geq(cycle_of(&r, fence), cycle_of(&r, loads[1]), "all are through the tags");
    cr_expect_gt(cycle_of(&r, behind), cycle_of(&r, fence));
    rig_close(&r);
}

static void wrong(const rig *r, gpc_fence f, const char *what) {
    gpc_busy busy = GPC_BUSY_COUNT;
    cr_expect_eq(gpc_hierarchy_try_fence(r->hierarchy, &f, 0, &busy, NULL), GPC_ERROR_ARGUMENT, "%s", what);
    cr_expect_eq(busy, GPC_BUSY_COUNT);
    cr_expect_eq(gpc_hierarchy_in_flight(r->hierarchy), 0);
}

Test(fences, errors) {
    rig r;
    rig_open(&r, NULL, MEMORY);
    const size_t size = sizeof(gpc_fence);
    wrong(&r, (gpc_fence){.struct_size = size, .sm = 1, .order = GPC_ORDER_SC}, "sm");
    wrong(&r, (gpc_fence){.struct_size = size, .scope = GPC_SCOPE_COUNT, .order = GPC_ORDER_SC}, "scope");
    wrong(&r, (gpc_fence){.struct_size = size, .order = GPC_ORDER_COUNT}, "order");
    wrong(&r, (gpc_fence){.struct_size = size, .order = GPC_ORDER_RELAXED}, "relaxed");
    wrong(&r, (gpc_fence){.struct_size = size}, "nothing to do");
    wrong(&r, (gpc_fence){.struct_size = size, .order = GPC_ORDER_SC, .control = GPC_CONTROL_INVALIDATE}, "control");
    wrong(&r, (gpc_fence){.struct_size = size, .scope = GPC_SCOPE_GPU, .control = GPC_CONTROL_INVALIDATE_ALL}, "weak");
    gpc_fence f = GPC_FENCE_INIT;
    gpc_error error = GPC_ERROR_INIT;
    f.order = GPC_ORDER_SC;
    cr_expect_eq(gpc_hierarchy_fence(r.hierarchy, &f, &error), GPC_ERROR_STATE);
    cr_expect(strstr(error.message, "gpc_hierarchy_try_fence"), "%s", error.message);
    cr_expect_eq(gpc_hierarchy_try_fence(NULL, &f, 0, NULL, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_hierarchy_try_fence(r.hierarchy, NULL, 0, NULL, NULL), GPC_ERROR_ARGUMENT);
    f.struct_size = 8;
    cr_expect_eq(gpc_hierarchy_try_fence(r.hierarchy, &f, 0, NULL, NULL), GPC_ERROR_ABI);
    rig_close(&r);
}
