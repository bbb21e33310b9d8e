/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "timed/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>

/* L1 and lines in flight: allocation, sectors, hints, and bypassing kinds. */

#define MEMORY 200u
#define SET 4096u

/* Direct-mapped, A resident: B of the same set misses, and A is loaded again while B is in flight. */
static uint8_t level_of_a(const char *allocate, uint8_t hint, measured_stats *stats) {
    rig r;
    rig_open(&r, allocate, MEMORY);
    rig_latency(&r, LINE(GPC_LOAD, 0));
    gpc_hierarchy_reset_stats(r.hierarchy);
    rig_issue(&r, LINE(GPC_LOAD, SET, .hint = hint));
    rig_steps(&r, 5);
    uint64_t again = rig_issue(&r, LINE(GPC_LOAD, 0));
    rig_finish(&r);
    *stats = rig_stats(&r);
    uint8_t level = r.done[again].level;
    rig_close(&r);
    return level;
}

/* On a miss the way is taken at once: A has left. On a fill A stays until the data of B arrive. */
Test(timed_l1_policy, allocation) {
    static const char direct[] = "l1.ways = 1\nl1.size = 4KiB\nl1.allocate = ";
    char text[96];
    measured_stats stats;
    snprintf(text, sizeof text, "%son-miss\n", direct);
    cr_expect_eq(level_of_a(text, GPC_HINT_NONE, &stats), 2);
    cr_expect_eq(stats.l1_line_failures, 1, "the only way is reserved for B");
    cr_expect_eq(stats.l1_load_sector_hits, 0);
    cr_expect_eq(stats.l1_evictions, 2);
    static const char *const late[] = {"on-fill", "streaming"};
    for (unsigned i = 0; i < 2; i++) {
        snprintf(text, sizeof text, "%s%s\n", direct, late[i]);
        cr_expect_eq(level_of_a(text, GPC_HINT_NONE, &stats), 1, "%s", late[i]);
        cr_expect_eq(stats.l1_load_sector_hits, 4);
        cr_expect_eq(stats.l1_evictions, 1, "B did take A's place");
    }
    snprintf(text, sizeof text, "%son-miss\n", direct);
    cr_expect_eq(level_of_a(text, GPC_HINT_CG, &stats), 1, "ld.cg leaves A where it is");
    cr_expect_eq(stats.l1_evictions, 0);
    cr_expect_eq(stats.l1_bypasses, 1);
}

/* A line requested by two loads before arrival is fetched once, with any allocation. */
Test(timed_l1_policy, pending_hits_share_the_fetch) {
    static const char *const settings[] = {"l1.allocate = on-miss\n", "l1.allocate = on-fill\n",
                                           "l1.allocate = streaming\n"};
    for (unsigned i = 0; i < 3; i++) {
        rig r;
        rig_open(&r, settings[i], MEMORY);
        uint64_t first = rig_issue(&r, LINE(GPC_LOAD, 0));
        rig_steps(&r, 50);
        uint64_t second = rig_issue(&r, LINE(GPC_LOAD, 0, .warp = 1));
        rig_finish(&r);
        measured_stats stats = rig_stats(&r);
        cr_expect_eq(stats.network_requests, 1, "%s", settings[i]);
        cr_expect_eq(stats.dram_read_sectors, 4);
        cr_expect_eq(stats.l1_pending_sector_hits, 4);
        cr_expect_leq(r.done[second].cycle, r.done[first].cycle + 1, "with the data that the first one waited for");
        cr_expect_geq(r.done[second].cycle, r.done[first].cycle);
        rig_close(&r);
    }
}

/* A resident line without the sector: only this sector is fetched, 32 bytes of reply and a header. */
Test(timed_l1_policy, sector_miss) {
    rig r;
    rig_open(&r, NULL, MEMORY);
    rig_latency(&r, WORD(GPC_LOAD, 0));
    gpc_hierarchy_reset_stats(r.hierarchy);
    rig_latency(&r, LINE(GPC_LOAD, 0));
    measured_stats stats = rig_stats(&r);
    cr_expect_eq(stats.l1_load_sector_hits, 1);
    cr_expect_eq(stats.l1_fetched_sectors, 3);
    cr_expect_eq(stats.l1_load_line_misses, 1);
    cr_expect_eq(stats.network_reply_bytes, 3 * 32 + 8);
    cr_expect_eq(stats.dram_read_sectors, 3);
    rig_latency(&r, LINE(GPC_LOAD, 0));
    cr_expect_eq(rig_stats(&r).network_requests, 1, "now all of it is there");
    rig_close(&r);
}

/* Lines of one instruction from memory, L2 and L1: the deepest counts, in any order. */
Test(timed_l1_policy, deepest_level) {
    rig r;
    rig_open(&r, "network.reply_width = 4B\n", 1);
    for (unsigned i = 1; i < 8; i++)
        rig_latency(&r, WORD(GPC_LOAD, i * 128, .hint = GPC_HINT_CG));
    rig_latency(&r, WORDS(GPC_LOAD, 0, 8, 128));
    cr_expect_eq(r.done[r.issued - 1].level, 3, "the first line asked for was not in L2, and came before the others");
    rig_latency(&r, WORD(GPC_LOAD, 8 * 128, .hint = GPC_HINT_CG));
    rig_latency(&r, WORDS(GPC_LOAD, 7 * 128, 2, 128));
    cr_expect_eq(r.done[r.issued - 1].level, 2);
    rig_latency(&r, WORDS(GPC_LOAD, 8 * 128, 2, 128));
    cr_expect_eq(r.done[r.issued - 1].level, 3);
    rig_latency(&r, WORDS(GPC_LOAD, 0, 9, 128));
    cr_expect_eq(r.done[r.issued - 1].level, 1);
    rig_close(&r);
}

/* Another sector of a line in flight is fetched separately, and does not wait for the first one's data. */
Test(timed_l1_policy, sector_miss_of_a_pending_line) {
    rig r;
    rig_open(&r, NULL, MEMORY);
    uint64_t first = rig_issue(&r, WORD(GPC_LOAD, 0));
    rig_steps(&r, 40);
    uint64_t second = rig_issue(&r, WORD(GPC_LOAD, 32));
    rig_finish(&r);
    measured_stats stats = rig_stats(&r);
    cr_expect_eq(stats.dram_read_sectors, 2);
    cr_expect_eq(stats.l1_fetched_sectors, 2);
    cr_expect_eq(r.done[second].cycle - r.done[second].issued, r.done[first].cycle - r.done[first].issued);
    rig_close(&r);
}

/* Bypassing accesses are fetched every time, as many 32-byte segments as needed by the lanes. */
static void bypass(const char *settings, uint8_t hint) {
    rig r;
    rig_open(&r, settings, MEMORY);
    rig_latency(&r, WORD(GPC_LOAD, 0, .hint = hint));
    rig_latency(&r, WORD(GPC_LOAD, 0, .hint = hint));
    measured_stats stats = rig_stats(&r);
    cr_expect_eq(stats.l1_bypasses, 2);
    cr_expect_eq(stats.l1_bypassed_sectors, 2);
    cr_expect_eq(stats.l1_load_sector_hits, 0);
    cr_expect_eq(stats.network_requests, 2);
    cr_expect_eq(stats.network_reply_bytes, 2 * (32 + 8));
    cr_expect_eq(r.done[0].level, 3);
    cr_expect_eq(r.done[1].level, 2);
    cr_expect_eq(r.fills[1], 0);
    rig_close(&r);
}

Test(timed_l1_policy, bypasses) {
    bypass("l1.bypass = hint\n", GPC_HINT_CG);
    bypass("l1.bypass = hint\nl1.sectors = 1\n", GPC_HINT_CG);
    bypass("l1.bypass = always-bypass\n", GPC_HINT_NONE);
}

/* Without L1 every load goes to L2, and no line stays. */
Test(timed_l1_policy, no_l1) {
    rig r;
    rig_open(&r, "l1.enabled = false\n", MEMORY);
    rig_latency(&r, LINE(GPC_LOAD, 0));
    rig_latency(&r, LINE(GPC_LOAD, 0));
    measured_stats stats = rig_stats(&r);
    cr_expect_null(gpc_hierarchy_cache(r.hierarchy, 1, 0));
    cr_expect_eq(r.done[0].level, 3);
    cr_expect_eq(r.done[1].level, 2);
    cr_expect_eq(stats.l2_read_sectors, 8);
    cr_expect_eq(stats.l2_read_sector_hits, 4);
    cr_expect_eq(stats.network_requests, 2);
    rig_close(&r);
}

Test(timed_l1_policy, no_l2) {
    rig r;
    rig_open(&r, "l2.enabled = false\n", MEMORY);
    rig_latency(&r, LINE(GPC_LOAD, 0));
    rig_latency(&r, LINE(GPC_LOAD, 0));
    rig_latency(&r, LINE(GPC_STORE, 0));
    cr_expect_eq(r.done[0].level, 3);
    cr_expect_eq(r.done[1].level, 1);
    cr_expect_eq(r.memory.read_bytes, 128);
    cr_expect_eq(r.memory.write_bytes, 128);
    cr_expect_null(gpc_hierarchy_cache(r.hierarchy, 2, 0));
    rig_close(&r);
}

Test(timed_l1_policy, neither) {
    rig r;
    rig_open(&r, "l1.enabled = false\nl2.enabled = false\n", MEMORY);
    for (unsigned i = 0; i < 3; i++)
        rig_latency(&r, WORD(GPC_LOAD, 64));
    rig_latency(&r, WORD(GPC_ATOMIC, 64));
    cr_expect_eq(r.memory.read_bytes, 4 * 32);
    cr_expect_eq(r.memory.write_bytes, 32);
    cr_expect_eq(r.done[2].level, 3);
    rig_close(&r);
}

/* Atomics are performed at L2: L1 drops the line, and the warp waits for the value. */
Test(timed_l1_policy, atomics) {
    rig r;
    rig_open(&r, NULL, MEMORY);
    rig_latency(&r, LINE(GPC_LOAD, 0));
    uint64_t from_l2 = rig_latency(&r, LINE(GPC_LOAD, 0, .hint = GPC_HINT_CV));
    gpc_hierarchy_reset_stats(r.hierarchy);
    uint64_t cycles = rig_latency(&r, WORD(GPC_ATOMIC, 0));
    measured_stats stats = rig_stats(&r);
    cr_expect_eq(r.done[r.issued - 1].level, 2);
    cr_expect_eq(r.done[r.issued - 1].kind, GPC_ATOMIC);
    cr_expect_geq(cycles, 20 + 2 * 5, "to L2 and back");
    cr_expect_leq(cycles, from_l2 + 20 + 2 * 5);
    cr_expect_eq(stats.l1_invalidations, 1);
    cr_expect_eq(stats.l2_atomic_sectors, 1);
    cr_expect_eq(stats.l2_atomic_sector_hits, 1);
    cr_expect_eq(stats.l1_atomic_requests, 1);
    cr_expect_eq(stats.network_reply_bytes, 8 + 32, "what it has found");
    rig_latency(&r, WORD(GPC_REDUCTION, 0));
    cr_expect_eq(r.done[r.issued - 1].kind, GPC_REDUCTION);
    cr_expect_eq(rig_stats(&r).l2_atomic_sectors, 2);
    cr_expect_eq(rig_stats(&r).network_request_bytes - stats.network_request_bytes, 8 + 32);
    cr_expect_eq(rig_stats(&r).network_reply_bytes - stats.network_reply_bytes, 8, "only that it is done");
    rig_latency(&r, LINE(GPC_LOAD, 0));
    cr_expect_eq(r.done[r.issued - 1].level, 2, "L1 holds nothing stale");
    rig_close(&r);
}

/* An atomic of a line held nowhere waits for memory. */
Test(timed_l1_policy, atomic_misses) {
    rig near, far;
    rig_open(&near, NULL, 100);
    rig_open(&far, NULL, 150);
    uint64_t quick = rig_latency(&near, WORD(GPC_ATOMIC, 0));
    cr_expect_eq(rig_latency(&far, WORD(GPC_ATOMIC, 0)), quick + 50);
    cr_expect_gt(quick, 100);
    cr_expect_eq(near.done[0].level, 3);
    rig_close(&near);
    rig_close(&far);
}

Test(timed_l1_policy, prefetch) {
    rig r;
    rig_open(&r, NULL, MEMORY);
    uint64_t token = rig_issue(&r, LINE(GPC_PREFETCH, 0));
    rig_finish(&r);
    cr_expect_eq(r.done[token].times, 1);
    cr_expect_eq(r.done[token].kind, GPC_PREFETCH);
    measured_stats stats = rig_stats(&r);
    cr_expect_eq(stats.l1_load_requests + stats.loads_completed, 0, "it is no load");
    cr_expect_eq(stats.l1_fetched_sectors, 4);
    rig_latency(&r, LINE(GPC_LOAD, 0));
    cr_expect_eq(r.done[r.issued - 1].level, 1);
    rig_close(&r);
}

/* Fermi's global stores: through, and the line is dropped. A line written whole is not read. */
Test(timed_l1_policy, write_evict) {
    rig r;
    rig_open(&r, NULL, MEMORY);
    rig_latency(&r, LINE(GPC_LOAD, 0));
    gpc_hierarchy_reset_stats(r.hierarchy);
    rig_latency(&r, LINE(GPC_STORE, 0));
    rig_latency(&r, WORD(GPC_STORE, 256));
    measured_stats stats = rig_stats(&r);
    cr_expect_eq(stats.l1_invalidations, 1);
    cr_expect_eq(stats.l2_write_sectors, 4 + 1);
    cr_expect_eq(stats.network_requests, 2);
    cr_expect_eq(stats.network_request_bytes, (128 + 8) + (32 + 8));
    cr_expect_eq(stats.dram_read_sectors, 1, "L2 fetches the rest of the word's sector");
    rig_close(&r);
}

/* Through: the line stays and a later load hits. Back: no bytes leave until the line does. */
Test(timed_l1_policy, write_through_and_back) {
    rig r;
    rig_open(&r, "l1.write_policy = through\nl1.write_allocate = fetch\n", MEMORY);
    rig_latency(&r, LINE(GPC_STORE, 0));
    cr_expect_eq(rig_stats(&r).l2_write_sectors, 4);
    rig_latency(&r, LINE(GPC_LOAD, 0));
    cr_expect_eq(r.done[1].level, 1);
    rig_close(&r);
    rig_open(&r, "l1.write_policy = back\nl1.write_allocate = fetch\nl1.ways = 2\nl1.size = 8KiB\n", MEMORY);
    rig_latency(&r, LINE(GPC_STORE, 0));
    cr_expect_eq(rig_stats(&r).network_requests, 0);
    rig_latency(&r, LINE(GPC_LOAD, SET));
    cr_expect_eq(rig_stats(&r).l2_write_sectors, 0);
    rig_latency(&r, LINE(GPC_LOAD, 2 * SET));
    measured_stats stats = rig_stats(&r);
    cr_expect_eq(stats.l1_evictions, 1);
    cr_expect_eq(stats.l1_write_back_sectors, 4);
    cr_expect_eq(stats.l2_write_sectors, 4);
    cr_expect_eq(stats.network_requests, 3);
    cr_expect_eq(stats.network_request_bytes, 2 * 8 + 128 + 8);
    cr_expect_eq(stats.network_replies, 2, "nobody waits for what is written back");
    cr_expect_eq(r.evictions[1], 1);
    rig_close(&r);
}

/* A word of an absent line: the sector is fetched before L1 can keep it, lazily not at all. */
Test(timed_l1_policy, fetch_on_write) {
    rig r;
    rig_open(&r, "l1.write_policy = back\nl1.write_allocate = fetch\n", MEMORY);
    rig_latency(&r, WORD(GPC_STORE, 0));
    cr_expect_eq(rig_stats(&r).l1_fetched_sectors, 1);
    rig_latency(&r, WORD(GPC_LOAD, 4));
    cr_expect_eq(r.done[1].level, 1);
    rig_close(&r);
    rig_open(&r, "l1.write_policy = back\nl1.write_allocate = lazy\n", MEMORY);
    rig_latency(&r, WORD(GPC_STORE, 0));
    cr_expect_eq(rig_stats(&r).network_requests, 0);
    rig_latency(&r, WORD(GPC_LOAD, 4));
    cr_expect_eq(r.done[1].level, 3, "the bytes beside it have to come from memory");
    rig_close(&r);
}
