/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "timed/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/*
 * The reorder buffer before L1's tags. The tags are held up by a miss with the only MSHR entry; later issues gather in
 * the buffer, and the policy's on_miss shows the order at L1.
 */

#define MEMORY 200u

static struct {
    uint64_t lines[64];
    unsigned count;
} asked;

static void note(void *self, uint32_t set, const gpc_request *request) {
    (void)self, (void)set;
    if (asked.count < 64)
        asked.lines[asked.count++] = request->address / 128;
}

static uint32_t first(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)self, (void)set, (void)request;
    uint32_t way = 0;
    while (candidates && !(candidates[way / 64] >> way % 64 & 1))
        way++;
    return way;
}

static const gpc_replacement_ops noting = {
    .struct_size = sizeof noting, .name = "noting", .on_miss = note, .choose_victim = first};

#define BASE "l1.mshr_entries = 1\nl1.replacement = noting\n"

static void start(rig *r, const char *settings) {
    gpc_error error = GPC_ERROR_INIT;
    rig_open(r, NULL, MEMORY);
    cr_assert_eq(gpc_context_register_replacement(r->context, &noting, NULL, NULL, &error), GPC_OK);
    rig_reopen(r, settings, MEMORY);
    memset(&asked, 0, sizeof asked);
}

/* Line `line` by a warp of a block. */
static gpc_status load(rig *r, uint32_t block, uint32_t warp, uint64_t line, uint8_t kind) {
    uint64_t address = line * 128;
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    access.block = block;
    access.warp = warp;
    access.pc = 16 * warp;
    access.mask = 1;
    access.width = 4;
    access.kind = kind;
    access.addresses = &address;
    gpc_status status = gpc_hierarchy_try_issue(r->hierarchy, &access, r->issued, NULL, NULL);
    if (status == GPC_OK)
        r->done[r->issued++].accepted = true;
    return status;
}

/* Line 0 by block 9, awaited by the tags, then one letter a load: block and warp n, line in order from 1. */
static void gather(rig *r, const char *settings, const char *loads) {
    start(r, settings);
    cr_assert_eq(load(r, 9, 9, 100, GPC_LOAD), GPC_OK);
    cr_assert_eq(load(r, 9, 9, 101, GPC_LOAD), GPC_OK); /* held at the tags */
    rig_steps(r, 4);
    for (unsigned i = 0; loads[i]; i++) {
        uint32_t who = (uint32_t)(loads[i] - '0');
        cr_assert_eq(load(r, who, who, i + 1, GPC_LOAD), GPC_OK);
    }
    rig_finish(r);
}

static void expect_order(const char *what, const unsigned *order, unsigned count) {
    cr_assert_eq(asked.count, count + 2, "%s: %u", what, asked.count);
    for (unsigned i = 0; i < count; i++)
        cr_expect_eq(asked.lines[i + 2], order[i], "%s: load %u is of line %u", what, i, (unsigned)asked.lines[i + 2]);
}

#define ORDER(what, ...) \
    expect_order(what, (const unsigned[]){__VA_ARGS__}, sizeof((const unsigned[]){__VA_ARGS__}) / sizeof(unsigned))

/* Lines 1 to 6 by 0 1 0 2 1 0. Queues: 0 holds 1 3 6, 1 holds 2 5, 2 holds 4; the tags last took from block 9's. */
Test(timed_reorder, drains) {
    static const char *const loads = "010210";
    rig r;
    gather(&r, BASE, loads);
    ORDER("none", 1, 2, 3, 4, 5, 6);
    cr_expect_eq(rig_stats(&r).l1_reordered + rig_stats(&r).l1_reorder_cycles, 0);
    rig_close(&r);
    gather(&r, BASE "l1.reorder = warp\nl1.reorder_queues = 16\n", loads);
    ORDER("fixed", 1, 3, 6, 2, 5, 4);
    measured_stats s = rig_stats(&r);
    cr_expect_eq(s.l1_reordered, 3, "3 and 6 pass 2, 5 passes 4");
    cr_expect_eq(s.l1_reorder_switches, 3);
    cr_expect_eq(s.l1_reorder_flushes, 0);
    rig_close(&r);
    gather(&r, BASE "l1.reorder = warp\nl1.reorder_queues = 16\nl1.reorder_drain = round-robin\n", loads);
    ORDER("round-robin", 1, 2, 4, 3, 5, 6);
    cr_expect_eq(rig_stats(&r).l1_reordered, 1, "4 passes 3");
    cr_expect_eq(rig_stats(&r).l1_reorder_switches, 6);
    rig_close(&r);
    gather(&r, BASE "l1.reorder = warp\nl1.reorder_queues = 16\nl1.reorder_drain = longest\n", loads);
    ORDER("longest", 1, 3, 2, 6, 5, 4); /* 3 2 1, 2 2 1, 1 2 1, 1 1 1, then by number */
    rig_close(&r);
    gather(&r, BASE "l1.reorder = warp\nl1.reorder_queues = 16\nl1.reorder_drain = oldest\n", loads);
    ORDER("oldest", 1, 2, 3, 4, 5, 6);
    cr_expect_eq(rig_stats(&r).l1_reordered, 0);
    rig_close(&r);
    gather(&r, BASE "l1.reorder = warp\nl1.reorder_queues = 16\nl1.reorder_drain = oldest\nl1.reorder_greedy = true\n",
           loads);
    ORDER("oldest, greedy", 1, 3, 6, 2, 5, 4);
    rig_close(&r);
    gather(&r,
           BASE "l1.reorder = warp\nl1.reorder_queues = 16\nl1.reorder_drain = round-robin\n"
                "l1.reorder_greedy = true\n",
           loads);
    ORDER("round-robin, greedy", 1, 3, 6, 2, 5, 4);
    rig_close(&r);
}

/* Counts are reset, to the last entry's cycle. */
Test(timed_reorder, reset) {
    rig r;
    gather(&r, BASE "l1.reorder = warp\nl1.reorder_queues = 16\n", "010210");
    measured_stats s = rig_stats(&r);
    cr_expect_gt(s.l1_reorder_cycles, 0);
    gpc_hierarchy_reset_stats(r.hierarchy);
    s = rig_stats(&r);
    cr_expect_eq(s.l1_reorder_cycles, 0);
    cr_expect_eq(s.l1_reordered + s.l1_reorder_switches + s.l1_reorder_stalls, 0);
    rig_close(&r);
}

/* Fewer queues than warps: warps 0 and 2 are one group. */
Test(timed_reorder, groups_of_warps) {
    rig r;
    gather(&r, BASE "l1.reorder = warp\nl1.reorder_queues = 2\nl1.reorder_drain = fixed\n", "010210");
    ORDER("two queues", 1, 3, 4, 6, 2, 5);
    rig_close(&r);
    gather(&r, BASE "l1.reorder = pc\nl1.reorder_queues = 1\n", "010210");
    ORDER("one queue", 1, 2, 3, 4, 5, 6);
    rig_close(&r);
}

/*
 * Blocks take queues on arrival: block 9 has queue 0, 0 has 1, 1 has 2 and 2 has 3. With two queues, 0 takes the empty
 * one, 1 and 2 find none and share: 1 modulo 2 = 1, with 0, and 2 modulo 2 = 0, with 9.
 */
Test(timed_reorder, blocks) {
    rig r;
    gather(&r, BASE "l1.reorder = block\nl1.reorder_queues = 16\n", "010210");
    ORDER("a queue each", 1, 3, 6, 2, 5, 4);
    rig_close(&r);
    gather(&r, BASE "l1.reorder = block\nl1.reorder_queues = 2\n", "010210");
    ORDER("two queues", 4, 1, 2, 3, 5, 6);
    rig_close(&r);
}

/* A store waits until all earlier accesses have passed the tags, and all later ones wait for the store. */
Test(timed_reorder, writes_flush) {
    static const uint8_t kinds[] = {GPC_STORE, GPC_ATOMIC, GPC_REDUCTION};
    for (unsigned i = 0; i < 3; i++) {
        rig r;
        start(&r, BASE "l1.reorder = warp\nl1.reorder_queues = 16\n");
        load(&r, 9, 9, 100, GPC_LOAD);
        load(&r, 9, 9, 101, GPC_LOAD);
        rig_steps(&r, 4);
        load(&r, 1, 1, 1, GPC_LOAD);
        load(&r, 0, 0, 2, GPC_LOAD);
        load(&r, 0, 0, 3, kinds[i]);
        load(&r, 0, 0, 3, GPC_LOAD);
        load(&r, 1, 1, 4, GPC_LOAD);
        rig_finish(&r);
        unsigned at_store = 0;
        for (unsigned n = 0; n < asked.count; n++)
            at_store = asked.lines[n] == 3 && !at_store ? n : at_store;
        cr_assert_eq(at_store, 4, "after two before it in each order");
        cr_expect_eq(asked.lines[2], 2, "while of the loads warp 0's goes first");
        cr_expect_eq(asked.lines[3], 1);
        cr_expect_eq(rig_stats(&r).l1_reorder_flushes, 1);
        cr_expect_gt(rig_stats(&r).l1_reorder_stalls, 100);
        rig_close(&r);
    }
}

/* One queue of three: a fourth waits in the coalescer, and with l1.queue = 1 the SM behind. */
Test(timed_reorder, back_pressure) {
    rig r;
    start(&r, BASE "l1.reorder = warp\nl1.reorder_queues = 1\nl1.reorder_entries = 3\nl1.queue = 1\n");
    unsigned taken = 0;
    for (unsigned i = 0; i < 50; i++) {
        taken += load(&r, 0, 0, 1 + taken, GPC_LOAD) == GPC_OK;
        rig_step(&r);
    }
    cr_expect_eq(taken, 1 + 3 + 1, "one is in flight, three are held, one waits");
    measured_stats s = rig_stats(&r);
    cr_expect_gt(s.l1_reorder_stalls, 30);
    cr_expect_leq(s.l1_reorder_cycles, 3 * 50);
    cr_expect_gt(s.l1_reorder_cycles, 3 * 40);
    rig_finish(&r);
    cr_expect_eq(rig_stats(&r).completed, 5);
    cr_expect_gt(r.ready, 0, "and is told when there is room");
    rig_close(&r);
}

/* In an empty buffer a load passes as fast as without the buffer, and lines of one instruction a cycle each. */
Test(timed_reorder, costs_no_time) {
    static const char *const settings[] = {"l1.reorder = none\n", "l1.reorder = block\n", "l1.reorder = pc\n"};
    uint64_t one[3], many[3], hit[3];
    for (unsigned i = 0; i < 3; i++) {
        rig r;
        rig_open(&r, settings[i], MEMORY);
        one[i] = rig_latency(&r, WORD(GPC_LOAD, 0));
        many[i] = rig_latency(&r, WORDS(GPC_LOAD, 4096, 32, 128));
        hit[i] = rig_latency(&r, WORDS(GPC_LOAD, 4096, 32, 128));
        rig_close(&r);
        cr_expect_eq(one[i], one[0]);
        cr_expect_eq(many[i], many[0]);
        cr_expect_eq(hit[i], hit[0]);
    }
}

/* The order of random accesses at the tags, by number, given as pc. */
static struct {
    uint64_t numbers[512];
    uint8_t kinds[512];
    unsigned count;
} order;

static void log_access(const gpc_request *request) {
    cr_assert_lt(order.count, 512);
    order.kinds[order.count] = request->kind;
    order.numbers[order.count++] = request->pc;
}

static void log_hit(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)self, (void)set, (void)way;
    log_access(request);
}

static void log_miss(void *self, uint32_t set, const gpc_request *request) {
    (void)self, (void)set;
    log_access(request);
}

static void check_order(const char *settings, uint64_t seed) {
    const gpc_replacement_ops logging = {.struct_size = sizeof logging,
                                         .name = "logging",
                                         .on_hit = log_hit,
                                         .on_miss = log_miss,
                                         .choose_victim = first};
    static rig r;
    gpc_error error = GPC_ERROR_INIT;
    rig_open(&r, NULL, MEMORY);
    cr_assert_eq(gpc_context_register_replacement(r.context, &logging, NULL, NULL, &error), GPC_OK);
    rig_reopen(&r, settings, MEMORY);
    memset(&order, 0, sizeof order);
    uint64_t state = seed;
    bool loads_moved = false;
    for (unsigned i = 0; i < 300; i++) {
        uint64_t address = 128 * rig_below(&state, 24);
        gpc_warp_access access = GPC_WARP_ACCESS_INIT;
        access.pc = i;
        access.warp = rig_below(&state, 12);
        access.block = access.warp / 3;
        access.mask = 1;
        access.width = 4;
        access.kind = rig_below(&state, 8) ? GPC_LOAD : GPC_STORE;
        access.addresses = &address;
        while (gpc_hierarchy_try_issue(r.hierarchy, &access, r.issued, NULL, NULL) == GPC_BUSY)
            rig_step(&r);
        r.done[r.issued++].accepted = true;
    }
    rig_finish(&r);
    cr_assert_eq(order.count, 300, "%s", settings);
    for (unsigned i = 0; i < order.count; i++) {
        loads_moved |= order.numbers[i] != i;
        cr_assert(order.kinds[i] != GPC_STORE || order.numbers[i] == i, "%s: store %u was number %u", settings,
                  (unsigned)order.numbers[i], i);
    }
    for (unsigned i = 0, stores = 0; i < order.count; i++) { /* as many stores before a load as issued earlier */
        unsigned before = 0;
        for (unsigned n = 0; n < order.count && order.kinds[i] != GPC_STORE; n++)
            before += order.kinds[n] == GPC_STORE && order.numbers[n] < order.numbers[i];
        cr_expect(order.kinds[i] == GPC_STORE || before == stores, "%s: load %u", settings, i);
        stores += order.kinds[i] == GPC_STORE;
    }
    cr_expect(loads_moved, "%s: nothing was reordered", settings);
    rig_close(&r);
}

/* With any queues: a store keeps the order of issue, also relative to every load. */
Test(timed_reorder, loads_pass_no_store) {
    static const char *const signatures[] = {"block", "warp", "pc"};
    static const char *const drains[] = {"fixed", "round-robin", "longest"};
    for (unsigned s = 0; s < 3; s++)
        for (unsigned d = 0; d < 3; d++)
            for (unsigned greedy = 0; greedy < 2; greedy++) {
                char text[256];
                snprintf(text, sizeof text,
                         "l1.replacement = logging\nl1.mshr_entries = 2\nl1.queue = 8\nl1.reorder = %s\n"
                         "l1.reorder_queues = 3\nl1.reorder_entries = 4\nl1.reorder_drain = %s\n"
                         "l1.reorder_greedy = %s\n",
                         signatures[s], drains[d], greedy ? "true" : "false");
                check_order(text, 7 + s * 10 + d);
            }
}
