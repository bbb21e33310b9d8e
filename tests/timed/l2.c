/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "timed/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>

/* The resources of an L2 slice, like L1's: runs that differ in one key are compared. */

#define MEMORY 200u
#define SET 16384u /* bytes from a line to the next of the set in the slice */

/* Loads that always go to L2. */
#define L2_LINE(a) LINE(GPC_LOAD, a, .hint = GPC_HINT_CG)

static uint64_t latency(const char *settings, bool hit, uint64_t memory) {
    rig r;
    rig_open(&r, settings, memory);
    if (hit)
        rig_latency(&r, L2_LINE(0));
    uint64_t cycles = rig_latency(&r, L2_LINE(0));
    cr_expect_eq(r.done[r.issued - 1].level, hit ? 2 : 3);
    rig_close(&r);
    return cycles;
}

Test(timed_l2, latency) {
    uint64_t at_20 = latency("l2.latency = 20\n", true, MEMORY);
    cr_expect_geq(at_20, 20 + 2 * 5);
    cr_expect_eq(latency("l2.latency = 21\n", true, MEMORY), at_20 + 1);
    cr_expect_eq(latency("l2.latency = 220\n", true, MEMORY), at_20 + 200);
    /* from the network to the tags takes at least a cycle */
    cr_expect_eq(latency("l2.rop_latency = 1\n", true, MEMORY), at_20);
    cr_expect_eq(latency("l2.rop_latency = 2\n", true, MEMORY), at_20 + 1);
    cr_expect_eq(latency("l2.rop_latency = 70\n", true, MEMORY), at_20 + 69);
    /* cycles of the slice's clock, half as fast */
    cr_expect_eq(latency("clock.l2 = 500\nl2.latency = 60\n", true, MEMORY),
                 latency("clock.l2 = 500\nl2.latency = 20\n", true, MEMORY) + 80);
    cr_expect_eq(latency("clock.l2 = 500\nl2.rop_latency = 30\n", true, MEMORY),
                 latency("clock.l2 = 500\nl2.rop_latency = 10\n", true, MEMORY) + 40);
}

/* A miss takes longer by as much as memory does. */
Test(timed_l2, misses) {
    uint64_t quick = latency(NULL, false, 1);
    cr_expect_gt(quick, latency(NULL, true, 1));
    cr_expect_eq(latency(NULL, false, 2), quick + 1);
    cr_expect_eq(latency(NULL, false, 1001), quick + 1000);
    cr_expect_eq(latency("l2.rop_latency = 9\n", false, 1), quick + 8);
}

/* First to last completion of `count` L2 accesses of one line each. */
static uint64_t spread(const char *settings, bool hits, uint32_t lanes, uint32_t count, uint64_t apart) {
    rig r;
    rig_open(&r, settings, MEMORY);
    shot s = L2_LINE(0);
    s.lanes = lanes;
    if (hits)
        rig_spread(&r, s, count, apart);
    uint64_t cycles = rig_spread(&r, s, count, apart);
    rig_close(&r);
    return cycles;
}

/* 41 misses, a cycle apart, while memory never answers: the sum of the cycles since taking MSHR entries. */
static uint64_t entry_cycles(const char *settings, uint64_t apart) {
    rig r;
    rig_open(&r, settings, MEMORY);
    r.memory.refuse = true;
    for (uint64_t i = 0; i < 41; i++)
        rig_issue(&r, L2_LINE(i * apart));
    rig_steps(&r, 300);
    uint64_t cycles = rig_stats(&r).l2_mshr_cycles;
    rig_release(&r);
    rig_close(&r);
    return cycles;
}

/*
 * One request a cycle arrives. At half the clock one port takes request k after 2k cycles, and two ports together with
 * the simultaneous request, after 2 * floor(k / 2): over all 41, 1640 and 800 cycles later than the first, which may
 * arrive a cycle earlier or later in the slice's clock.
 */
Test(timed_l2, ports_and_banks) {
    static const char one_bank[] = "clock.l2 = 500\nl2.tag_ports = 2\nl2.banks = 1\n";
    static const char two_banks[] = "clock.l2 = 500\nl2.tag_ports = 2\nl2.banks = 2\n";
    uint64_t one = entry_cycles("clock.l2 = 500\n", 128), two = entry_cycles(two_banks, 128);
    cr_expect(two >= one + 840 - 41 && two <= one + 840 + 41, "%u cycles", (unsigned)(two - one));
    cr_expect_eq(entry_cycles(one_bank, 128), one);
    cr_expect_eq(entry_cycles(two_banks, 256), one, "every line in the same bank");
    cr_expect_eq(entry_cycles(two_banks, 384), two, "three lines on, the other bank");
}

Test(timed_l2, data_port) {
    cr_expect_eq(spread("l2.data_width = 128B\n", true, 32, 20, 128), 19);
    cr_expect_eq(spread("l2.data_width = 127B\n", true, 32, 20, 128), 19 * 2);
    cr_expect_eq(spread("l2.data_width = 32B\n", true, 32, 20, 128), 19 * 4);
    cr_expect_eq(spread("l2.data_width = 32B\n", true, 8, 20, 128), 19, "32 bytes of each line");
}

Test(timed_l2, fill_port) {
    cr_expect_eq(spread("l2.fill_width = 128B\n", false, 32, 20, 128), 19);
    cr_expect_eq(spread("l2.fill_width = 32B\n", false, 32, 20, 128), 19 * 4);
    cr_expect_eq(spread("l2.fill_width = 32B\n", false, 8, 20, 128), 19);
    cr_expect_eq(spread("l2.fill_width = 16B\n", false, 8, 20, 128), 19 * 2);
}

typedef struct held {
    uint64_t spread;
    measured_stats stats;
} held;

static held hold(const char *settings, uint64_t memory, uint32_t count, uint64_t apart) {
    rig r;
    held h;
    rig_open(&r, settings, memory);
    h.spread = rig_spread(&r, L2_LINE(0), count, apart);
    h.stats = rig_stats(&r);
    rig_close(&r);
    return h;
}

Test(timed_l2, mshr_entries) {
    for (unsigned n = 1; n <= 4; n *= 2) {
        char text[64];
        snprintf(text, sizeof text, "l2.mshr_entries = %u\n", n);
        held fit = hold(text, 200, n, 128);
        cr_expect_eq(fit.spread, n - 1);
        cr_expect_eq(fit.stats.l2_mshr_failures + fit.stats.l2_mshr_stalls, 0);
        fit = hold(text, 200, n + 1, 128);
        held slower = hold(text, 300, n + 1, 128);
        cr_expect_eq(slower.spread, fit.spread + 100, "%u entries", n);
        cr_expect_gt(fit.spread, 200);
        cr_expect_eq(fit.stats.l2_mshr_failures, 1);
        cr_expect_eq(slower.stats.l2_mshr_stalls, fit.stats.l2_mshr_stalls + 100);
    }
}

/* Bypassing loads of one line are separate requests. m of them share the slice's entry. */
Test(timed_l2, mshr_merges) {
    for (unsigned m = 1; m <= 4; m *= 2) {
        char text[128];
        snprintf(text, sizeof text, "sm.count = 8\nl2.mshr_merges = %u\n", m);
        for (unsigned count = m; count <= m + 1; count++) {
            rig r;
            rig_open(&r, text, MEMORY);
            for (unsigned i = 0; i < count; i++)
                rig_issue(&r, LINE(GPC_LOAD, 0, .sm = i));
            rig_finish(&r);
            measured_stats stats = rig_stats(&r);
            cr_expect_eq(stats.l2_merge_failures, count - m, "%u merges, %u requests", m, count);
            cr_expect_eq(stats.l2_merge_stalls > 0, count > m);
            cr_expect_eq(stats.dram_read_sectors, 4, "fetched once");
            cr_expect_eq(stats.network_requests, count);
            cr_expect_leq(r.done[count - 1].cycle, r.done[0].cycle + count + 20, "no second trip to memory");
            rig_close(&r);
        }
    }
}

Test(timed_l2, every_way_reserved) {
    for (unsigned n = 1; n <= 4; n *= 2) {
        char text[64];
        snprintf(text, sizeof text, "l2.ways = %u\nl2.size = %uKiB\n", n, 16 * n);
        held fit = hold(text, 200, n, SET);
        cr_expect_eq(fit.spread, n - 1);
        cr_expect_eq(fit.stats.l2_line_failures + fit.stats.l2_line_stalls, 0);
        fit = hold(text, 200, n + 1, SET);
        held slower = hold(text, 300, n + 1, SET);
        cr_expect_eq(slower.spread, fit.spread + 100, "%u ways", n);
        cr_expect_eq(fit.stats.l2_line_failures, 1);
        cr_expect_eq(slower.stats.l2_line_stalls, fit.stats.l2_line_stalls + 100);
    }
}

/* Stores stay in L2 until the set is full; then exactly a line's dirty sectors go to memory. */
Test(timed_l2, write_back) {
    rig r;
    rig_open(&r, "l2.ways = 2\nl2.size = 32KiB\n", MEMORY);
    rig_latency(&r, LINE(GPC_STORE, 0));
    rig_latency(&r, WORD(GPC_STORE, SET));
    cr_expect_eq(r.memory.writes, 0);
    cr_expect_eq(r.memory.read_bytes, 32, "of the sector that the word is part of");
    rig_latency(&r, LINE(GPC_LOAD, 2 * SET));
    cr_expect_eq(r.memory.write_bytes, 128);
    rig_latency(&r, LINE(GPC_LOAD, 3 * SET));
    cr_expect_eq(r.memory.write_bytes, 128 + 32);
    measured_stats stats = rig_stats(&r);
    cr_expect_eq(stats.l2_evictions, 2);
    cr_expect_eq(stats.l2_write_back_sectors, 5);
    cr_expect_eq(stats.dram_write_sectors, 5);
    cr_expect_eq(r.evictions[2], 2);
    rig_close(&r);
}

Test(timed_l2, write_through) {
    rig r;
    rig_open(&r, "l2.write_policy = through\n", MEMORY);
    rig_latency(&r, LINE(GPC_STORE, 0));
    rig_latency(&r, WORDS(GPC_STORE, 0, 8, 4));
    cr_expect_eq(r.memory.write_bytes, 128 + 32);
    rig_latency(&r, LINE(GPC_LOAD, 0));
    cr_expect_eq(r.done[2].level, 2, "it is in L2, too");
    rig_close(&r);
}

/* Inclusive: the line evicted from L2 leaves L1. */
Test(timed_l2, inclusion) {
    for (unsigned inclusive = 0; inclusive < 2; inclusive++) {
        rig r;
        rig_open(&r,
                 inclusive ? "l2.inclusion = inclusive\nl2.ways = 1\nl2.size = 16KiB\n"
                           : "l2.inclusion = non-inclusive\nl2.ways = 1\nl2.size = 16KiB\n",
                 MEMORY);
        rig_latency(&r, LINE(GPC_LOAD, 0));
        rig_latency(&r, LINE(GPC_LOAD, SET));
        rig_latency(&r, LINE(GPC_LOAD, 0));
        cr_expect_eq(r.done[2].level, inclusive ? 3 : 1);
        rig_close(&r);
    }
}

/* 64-byte granularity: a missing sector brings the neighbour. */
Test(timed_l2, fetch_granularity) {
    rig r;
    rig_open(&r, "l2.fetch_sectors = 2\n", MEMORY);
    rig_latency(&r, WORD(GPC_LOAD, 0));
    cr_expect_eq(r.memory.read_bytes, 64);
    rig_latency(&r, WORD(GPC_LOAD, 32));
    cr_expect_eq(r.done[1].level, 2);
    cr_expect_eq(r.memory.read_bytes, 64);
    rig_close(&r);
}
