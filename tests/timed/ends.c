/* SPDX-License-Identifier: BSD-2-Clause */
#include <gpucache/experimental/experimental.h>

#include "timed/core/coherent.h"

#include "effort.h"
#include "level/rules/hierarchy.h"
#include "timed/drive.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/*
 * Every run ends: caches of one or two lines, with few, always full MSHR entries, merges and queues, in every way of
 * freeing them. And if a run cannot end, the clock says so (gpc_hierarchy_advance).
 */

/* Ways of freeing L1's entries, and times of taking ways. */
static void draw_entries(uint64_t *state, machine *m) {
    const char *const freed = ONE_OF(state, "filled", "drained", "drained-reserving");
    const bool filled = !strcmp(freed, "filled"), sectors = filled && rig_below(state, 2);
    const uint32_t ways = 1 + rig_below(state, 3), sets = 1u << rig_below(state, 2);
    const bool turns = !filled || rig_below(state, 2);
    put(m, "l1.line = 128B\nl1.ways = %u\nl1.size = %u\nl1.sectors = %u\nl1.fetch_sectors = 1\n", ways,
        128 * ways * sets, sectors ? 4 : 1);
    put(m, "l2.line = 128B\nl2.sectors = %s\nl2.fetch_sectors = 1\n", ONE_OF(state, "1", "4"));
    put(m, "l1.mshr_entries = %u\nl1.mshr_merges = %u\nl1.mshr_merged = %s\nl1.miss_queue = %u\n",
        1 + rig_below(state, 4), 1 + rig_below(state, 8), ONE_OF(state, "line", "sector"), rig_below(state, 4));
    put(m, "l2.mshr_entries = %u\nl2.mshr_merges = %u\nl2.mshr_merged = %s\n", 1 + rig_below(state, 4),
        1 + rig_below(state, 4), ONE_OF(state, "line", "sector"));
    put(m, "l1.mshr_free = %s\nl1.release_width = %s\nl1.release_latency = %u\n", freed,
        turns ? sectors ? "32B" : "128B" : "0B", turns ? rig_below(state, 3) : 0);
    put(m, "l1.allocate = %s\n",
        strcmp(freed, "drained-reserving") ? ONE_OF(state, "on-miss", "on-miss", "on-fill", "streaming", "replaceable")
                                           : "on-miss");
    if (!turns && rig_below(state, 2))
        put(m, "l1.data_banks = 8\nl1.data_width = 32B\n");
}

/* Stages before the tags: a coalescer, collectors, queues of any order, or one queue. */
static void draw_way_in(uint64_t *state, machine *m) {
    const uint32_t way = rig_below(state, 8);
    const uint32_t collectors = way == 1 ? 1 + rig_below(state, 2) : 0;
    if (way)
        put(m, "l1.reorder = none\n");
    put(m, "l1.coalescer = %s\nl1.collectors = %u\n", way == 2 ? "sector" : "warp", collectors);
    put(m, "l1.queue = %u\n", collectors ? collectors + 3 : 1 + rig_below(state, 4));
    put(m, "l1.issue_latency = %u\nl1.miss_latency = %u\n", way > 2 ? rig_below(state, 3) : 0,
        rig_below(state, 2) * rig_below(state, 20));
    put(m, "l1.line_order = %s\n", ONE_OF(state, "lanes", "descending"));
    if (way == 7)
        put(m, "l1.banks = 2\nl1.tag_ports = 2\nl1.line_order = banks\n");
    if (way != 2 && m->l1_here)
        put(m, "l1.prefetcher = %s\n", ONE_OF(state, "none", "none", "next-line", "next-line(degree=4)"));
    if (m->l2_here)
        put(m, "l2.prefetcher = %s\n", ONE_OF(state, "none", "none", "next-line"));
    put(m, "l1.combine_lines = %u\n", rig_below(state, 3) ? 0 : 1 + rig_below(state, 4));
    put(m, "stats.stages = %s\n", ONE_OF(state, "false", "true"));
    if (rig_below(state, 2))
        put(m, "l2.latency = %u\nl2.intake = %s\nl2.write_to_read = %u\n", rig_below(state, 2),
            ONE_OF(state, "pipeline", "queue"), m->l2_here ? rig_below(state, 3000) : 0);
}

/* Latencies beyond the wheel's cycles. */
static void draw_far(uint64_t *state, machine *m) {
    static const char *const keys[] = {"l1.latency",       "l1.miss_latency",   "l1.combine_cycles", "network.latency",
                                       "l2.rop_latency",   "l2.latency",        "l2.link_latency",   "dram.latency",
                                       "l2.atomic_cycles", "dram.fixed_latency"};
    for (unsigned i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!rig_below(state, 4))
            put(m, "%s = %u\n", keys[i], 900 + rig_below(state, 3000));
    if (m->l2_here && rig_below(state, 2))
        put(m, "l2.write_to_read = %u\n", 900 + rig_below(state, 3000));
}

/* Few lines, wanted by all. */
static void run(uint64_t seed) {
    static rig r;
    uint64_t state = seed;
    machine m;
    draw_machine(&state, rig_below(&state, 2), &m);
    draw_entries(&state, &m);
    draw_way_in(&state, &m);
    const bool far = !rig_below(&state, 4);
    if (far)
        draw_far(&state, &m);
    const stream s = {.seed = rig_random(&state),
                      .sms = m.sms,
                      .accesses = far ? 1 + rig_below(&state, 12) : 20 + rig_below(&state, 150),
                      .bytes = 256u << rig_below(&state, 4),
                      .loads = 8 + rig_below(&state, 9),
                      .stores = rig_below(&state, 5),
                      .plain = rig_below(&state, 2)};
    if (rig_below(&state, 2)) {
        rig_open(&r, m.text, 1 + rig_below(&state, 300));
        r.memory.room = rig_below(&state, 3);
    } else {
        rig_open_dram(&r, m.text);
    }
    drive(&r, &s, !far && rig_below(&state, 2) ? HOST_POLLS : HOST_SKIPS);
    rig_close(&r);
}

static void part(uint64_t from, uint32_t count) {
    for (uint64_t seed = from; seed < from + count; seed++)
        run(seed);
}

#define PART(n)                                     \
    Test(timed_ends, narrow_caches_##n) {           \
        part(n *(uint64_t)100000, effort_of(1200)); \
    }

PART(0)
PART(1)
PART(2)
PART(3)

#define ONE_LINE                                                                                              \
    "l1.size = 128B\nl1.ways = 1\nl1.sectors = 1\nl2.sectors = 1\nl1.mshr_entries = 8\nl1.mshr_merges = 64\n" \
    "l1.release_width = 128B\nl1.mshr_free = drained-reserving\n"

/*
 * Loads of a line wait at an entry, another line takes the only way, and a further load of the first line finds the
 * entry draining, and reserves the way again, without a request for the line. The next line takes the way all the same.
 */
Test(timed_ends, a_line_that_nobody_sent_for_makes_room) {
    rig r;
    rig_open(&r, ONE_LINE, 100);
    rig_latency(&r, WORD(GPC_LOAD, 128)); /* for L2 */
    for (unsigned n = 0; n < 60; n++)
        rig_push(&r, WORD(GPC_LOAD, 0));
    rig_push(&r, WORD(GPC_LOAD, 128));
    rig_push(&r, WORD(GPC_LOAD, 0));
    rig_push(&r, WORD(GPC_LOAD, 256));
    rig_push(&r, WORD(GPC_LOAD, 384));
    rig_finish(&r);
    cr_expect_eq(rig_stats(&r).l1_fetched_sectors, (1 + 4) * 4, "the late load sent for nothing");
    cr_expect_eq(rig_latency(&r, WORD(GPC_LOAD, 384)), 11, "the last line is there");
    rig_close(&r);
}

/*
 * A load that bypasses L1 asks for a part of a sector, and the next for the rest, before the first has left: the two
 * parts arrive as a whole sector, and the entry is free.
 */
Test(timed_ends, parts_that_go_together_come_as_a_whole) {
    rig r;
    rig_open(&r, "l1.sectors = 1\nl1.bypass = always-bypass\nl1.combine_lines = 4\nl1.mshr_entries = 1\n", 100);
    for (uint64_t part = 0; part < 4; part++)
        rig_push(&r, WORD(GPC_LOAD, part * 32));
    rig_finish(&r);
    cr_expect_eq(rig_stats(&r).l1_fetched_sectors, 4);
    cr_expect_eq(rig_stats(&r).l1_combined_requests, 3);
    rig_latency(&r, WORD(GPC_LOAD, 4096));
    rig_close(&r);
}

static void expect_stands_still(rig *r, uint64_t cycles, const char *why) {
    gpc_error error = GPC_ERROR_INIT;
    cr_expect_eq(gpc_hierarchy_advance(r->hierarchy, cycles, &error), GPC_ERROR_STATE);
    cr_expect(strstr(error.message, "nothing moves any more"), "%s", error.message);
    cr_expect(strstr(error.message, why), "%s", error.message);
}

/* A load is under way, and the wheel is empty. */
Test(timed_ends, the_clock_says_that_nothing_is_due) {
    rig r;
    rig_open_dram(&r, NULL);
    rig_issue(&r, WORD(GPC_LOAD, 0));
    rig_steps(&r, 12);
    r.hierarchy->timed->checked.defective = true;
    gpci_wheel_clear(&r.hierarchy->timed->wheel);
    const uint64_t now = rig_now(&r);
    for (unsigned again = 0; again < 2; again++)
        expect_stands_still(&r, 1000, "memory channel 0 has 1 bursts to serve, without a wake-up");
    cr_expect_eq(rig_now(&r), now, "the clock stays");
    rig_abandon(&r);
}

/* Steps are due, without effect for deadlock.cycles. */
Test(timed_ends, the_clock_says_that_nothing_comes) {
    rig r;
    rig_open_dram(&r, "deadlock.cycles = 50\nl2.rop_latency = 900\n");
    rig_issue(&r, WORD(GPC_LOAD, 0));
    uint64_t cycles = 0;
    while (cycles < 900 && gpc_hierarchy_advance(r.hierarchy, 1, NULL) == GPC_OK)
        cycles++;
    cr_expect(cycles > 50 && cycles < 130, "%" PRIu64, cycles);
    expect_stands_still(&r, 1, "1 accesses in flight");
    rig_abandon(&r);
}

/* Waiting for the host's memory, a ready call, or a credit may take as long as the host likes. */
Test(timed_ends, the_clock_waits_for_the_host) {
    rig r;
    rig_open(&r, "deadlock.cycles = 50\n", UINT64_MAX / 2);
    rig_issue(&r, WORD(GPC_LOAD, 0));
    rig_steps(&r, 2000);
    cr_assert_eq(r.memory.count, 1);
    cr_assert_eq(gpc_hierarchy_memory_reply(r.hierarchy, r.memory.reads[0].id, NULL), GPC_OK);
    r.memory = (rig_memory){.latency = 10, .refuse = true};
    rig_issue(&r, WORD(GPC_LOAD, 4096));
    rig_steps(&r, 2000);
    cr_assert_eq(r.memory.refusals, 1);
    rig_release(&r);
    rig_finish(&r);
    cr_assert_eq(gpc_hierarchy_set_reply_credits(r.hierarchy, 0, 0, NULL), GPC_OK);
    rig_issue(&r, WORD(GPC_LOAD, 4096));
    rig_steps(&r, 2000);
    cr_assert_eq(gpc_hierarchy_add_reply_credits(r.hierarchy, 0, 5, NULL), GPC_OK);
    rig_close(&r);
}

/* Packets at an L1's tags wait for a kernel that begins, whose sweeps may wait for the host's memory: not for L1. */
Test(timed_ends, packets_wait_for_a_kernel_that_begins) {
    rig r;
    char text[4096] = "";
    gpci_text report = {.buffer = text, .size = sizeof text};
    rig_open_dram(&r, "coherence = mesi\n");
    rig_issue(&r, WORD(GPC_LOAD, 0));
    r.hierarchy->timed->checked.defective = true;
    r.hierarchy->timed->coherent->sealed = true;
    r.hierarchy->timed->coherent->sweeps = 1;
    cr_expect_eq(gpc_hierarchy_advance(r.hierarchy, 2, NULL), GPC_ERROR_STATE, "the sweep never ends");
    gpci_groups_report(r.hierarchy->timed, &report);
    cr_expect(strstr(text, "L1 0 has 1 packets before its tags, held up for a line, for controllers 0"), "%s", text);
    rig_abandon(&r);
}

/* A kernel beginning beside others has dirty lines written back: the lines leave without a request. */
Test(timed_ends, what_a_kernel_begins_with_leaves) {
    rig r;
    gpc_error error = GPC_ERROR_INIT;
    gpc_kernel_options kernel = GPC_KERNEL_OPTIONS_INIT;
    uint32_t number;
    rig_open_dram(&r, "l1.write_policy = back\nl1.write_allocate = lazy\nkernels.flush = l1\n");
    for (uint64_t line = 0; line < 20; line++)
        rig_push(&r, LINE(GPC_STORE, line * 128));
    rig_finish(&r);
    cr_expect(gpc_hierarchy_is_idle(r.hierarchy));
    cr_expect_eq(rig_stats(&r).l2_write_sectors, 0);
    cr_assert_eq(gpc_hierarchy_start_kernel(r.hierarchy, &kernel, &number, &error), GPC_OK, "%s", error.message);
    cr_expect_not(gpc_hierarchy_is_idle(r.hierarchy));
    cr_expect_lt(gpc_hierarchy_next_event(r.hierarchy), UINT64_MAX);
    rig_finish(&r);
    cr_expect(gpc_hierarchy_is_idle(r.hierarchy));
    cr_expect_eq(rig_stats(&r).l2_write_sectors, 80);
    cr_assert_eq(gpc_hierarchy_end_kernel(r.hierarchy, number, &error), GPC_OK);
    rig_close(&r);
}

/* A host's memory that refuses every other transfer is offered each again, whatever DRAM would do with them. */
Test(timed_ends, a_memory_that_refuses_is_asked_again) {
    for (uint32_t room = 1; room <= 3; room++) {
        rig r;
        rig_open(&r, "dram.latency_at = request\ndram.latency = 20\nl2.miss_queue = 2\n", 90);
        r.memory.room = room;
        for (uint64_t n = 0; n < 40; n++)
            rig_push(&r, LINE(n % 4 ? GPC_LOAD : GPC_STORE, n * 4096));
        rig_finish(&r);
        cr_expect_gt(r.memory.refusals, 0);
        rig_close(&r);
    }
}

/* Whatever is due beyond the wheel's span asks for a step again: every access ends, at the same cycle with two threads. */
Test(timed_ends, ways_beyond_the_span_of_the_wheel) {
    static const char *const ways[] = {
        "tlb.page = 4KiB\ntlb.l1_latency = 2500\n",
        "tlb.page = 4KiB\ntlb.l2_latency = 2500\n",
        "tlb.page = 4KiB\ntlb.walk_latency = 2500\n",
        "tlb.page = 4KiB\nl1.reorder = none\nl1.issue_latency = 900\n",
        "l1.latency = 2500\n",
        "network.latency = 2500\n",
        "l2.latency = 2500\n",
        "l2.rop_latency = 2500\n",
        "coherence = msi\nl2.latency = 2500\n",
        "coherence = msi\nnetwork.latency = 2500\n",
        "coherence = msi\nl1.latency = 2500\n",
        "coherence = msi\nl2.rop_latency = 2500\n",
        "coherence = msi\ncluster.sms = 2\ncluster.latency = 2500\n",
    };
    for (size_t n = 0; n < sizeof ways / sizeof *ways; n++) {
        uint64_t end[2];
        for (uint32_t threads = 1; threads <= 2; threads++) {
            rig r;
            char settings[200];
            const bool tree = strstr(ways[n], "coherence") != NULL;
            snprintf(settings, sizeof settings, "sm.count = 4\n%sthreads = %u\n", ways[n], tree ? 1 : threads);
            rig_open_dram(&r, settings);
            for (uint32_t round = 0; round < 6; round++) {
                for (uint32_t sm = 0; sm < 4; sm++)
                    rig_push(&r, LINE(GPC_LOAD, 0x1000 * (round % 3) + 128 * sm, .sm = sm));
                rig_steps(&r, 7);
                rig_push(&r, LINE(GPC_STORE, 0x1000 * (round % 3), .sm = round % 3));
                rig_push(&r, LINE(GPC_LOAD, 128, .sm = 1));
                if (round == 2)
                    rig_finish(&r); /* then hits */
            }
            rig_finish(&r);
            cr_expect(gpc_hierarchy_is_idle(r.hierarchy), "%s", settings);
            end[threads - 1] = gpc_hierarchy_now(r.hierarchy);
            rig_close(&r);
        }
        cr_expect_eq(end[0], end[1], "%s", ways[n]);
    }
}

/*
 * The line is gone while its entry drains, and has no more room for an access: the access looks again in each cycle, and
 * takes the first place that comes free: its data follow the third load, in a turn of 16 cycles.
 */
Test(timed_ends, an_entry_that_drains_makes_room) {
    rig r;
    rig_open(&r, ONE_LINE "l1.mshr_merges = 3\nl1.release_width = 8B\n", 100);
    rig_latency(&r, WORD(GPC_LOAD, 128)); /* for L2 */
    for (unsigned n = 0; n < 3; n++)
        rig_push(&r, LINE(GPC_LOAD, 0));
    rig_push(&r, WORD(GPC_LOAD, 128));
    const uint64_t late = rig_push(&r, WORD(GPC_LOAD, 0));
    rig_finish(&r);
    cr_expect_eq(r.done[late].cycle, r.done[late - 2].cycle + 16, "%llu, %llu", (unsigned long long)r.done[late].cycle,
                 (unsigned long long)r.done[late - 2].cycle);
    rig_close(&r);
}
