/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "timed/coherent_rig.h"

#include <criterion/criterion.h>
#include <stdio.h>

/* Every counter that needs a clock, on a case small enough to do by hand. */

#define MEMORY 200u

static rig r;

static uint64_t total(const uint64_t *buckets, unsigned count) {
    uint64_t sum = 0;
    for (unsigned i = 0; i < count; i++)
        sum += buckets[i];
    return sum;
}

/* Two loads, a store and a prefetch: the loads' cycles are those between issue and completion. */
Test(timed_statistics, accesses_and_load_latency) {
    rig_open(&r, NULL, MEMORY);
    uint64_t miss = rig_latency(&r, LINE(GPC_LOAD, 0)), hit = rig_latency(&r, LINE(GPC_LOAD, 0));
    rig_latency(&r, LINE(GPC_STORE, 4096));
    rig_issue(&r, LINE(GPC_PREFETCH, 8192));
    cr_expect_eq(rig_stats(&r).accepted, 4);
    rig_finish(&r);
    measured_stats s = rig_stats(&r);
    cr_expect_eq(s.accepted, 4);
    cr_expect_eq(s.completed, 4);
    cr_expect_eq(s.warp_instructions, 4);
    cr_expect_eq(s.loads_completed, 2);
    cr_expect_eq(s.load_cycles, miss + hit);
    cr_expect_neq(miss / 32, hit / 32);
    cr_expect_eq(s.load_latency[miss / 32], 1, "bucket n is from 32n cycles");
    cr_expect_eq(s.load_latency[hit / 32], 1);
    cr_expect_eq(total(s.load_latency, GPC_LATENCY_BUCKETS), 2);
    rig_close(&r);
}

/* The last bucket takes all longer times. */
Test(timed_statistics, last_bucket) {
    rig_open(&r, NULL, 5000);
    rig_latency(&r, LINE(GPC_LOAD, 0));
    measured_stats s = rig_stats(&r);
    cr_expect_eq(s.load_latency[GPC_LATENCY_BUCKETS - 1], 1);
    cr_expect_eq(s.round_trip_latency[GPC_LATENCY_BUCKETS - 1], 1);
    rig_close(&r);
}

/*
 * From L1's miss to the return of the data: an L2 hit is none. A single load misses at the tags within a cycle of the
 * issue, and completes with the data.
 */
Test(timed_statistics, round_trips) {
    uint64_t cycles[2];
    for (unsigned i = 0; i < 2; i++) {
        rig_open(&r, NULL, MEMORY + i);
        uint64_t latency = rig_latency(&r, LINE(GPC_LOAD, 0));
        uint64_t to_tags = rig_latency(&r, LINE(GPC_LOAD, 0)) - 10; /* l1.latency is from there */
        rig_latency(&r, LINE(GPC_LOAD, 0, .hint = GPC_HINT_CG));
        measured_stats s = rig_stats(&r);
        cr_expect_eq(s.round_trips, 1);
        cr_expect_eq(s.round_trip_cycles, latency - to_tags);
        cr_expect_eq(s.round_trip_latency[s.round_trip_cycles / 32], 1);
        cr_expect_eq(total(s.round_trip_latency, GPC_LATENCY_BUCKETS), 1);
        cycles[i] = s.round_trip_cycles;
        rig_close(&r);
    }
    cr_expect_eq(cycles[1], cycles[0] + 1);
}

/* Misses of lines: of four loads one hits L1, one L2, and two go to memory. */
Test(timed_statistics, misses_and_global_misses) {
    rig_open(&r, "sm.count = 2\n", MEMORY);
    rig_latency(&r, LINE(GPC_LOAD, 0));
    rig_latency(&r, LINE(GPC_LOAD, 0));
    rig_latency(&r, LINE(GPC_LOAD, 0, .sm = 1));
    rig_latency(&r, WORDS(GPC_LOAD, 0, 2, 4096, .sm = 1)); /* a hit and a miss in one instruction */
    measured_stats s = rig_stats(&r);
    cr_expect_eq(s.l1_load_lines, 5);
    cr_expect_eq(s.l1_load_line_misses, 3);
    cr_expect_eq(s.l1_load_dram_lines, 2);
    rig_close(&r);
}

/* Two instructions of one SM meet in L1, and two SMs in L2. */
Test(timed_statistics, pending_hits) {
    rig_open(&r, "sm.count = 2\n", MEMORY);
    rig_issue(&r, LINE(GPC_LOAD, 0));
    rig_steps(&r, 3);
    rig_issue(&r, WORD(GPC_LOAD, 32, .warp = 1));
    rig_issue(&r, WORDS(GPC_LOAD, 0, 2, 32, .sm = 1));
    rig_finish(&r);
    measured_stats s = rig_stats(&r);
    cr_expect_eq(s.l1_pending_sector_hits, 1);
    cr_expect_eq(s.l2_pending_sector_hits, 2, "of the other SM's, while the first one's four were on their way");
    cr_expect_eq(s.l2_merged_sectors, 2);
    cr_expect_eq(s.l2_read_sectors, 6);
    cr_expect_eq(s.l2_read_sector_hits, 2, "on their way is a hit, as hardware counts it");
    cr_expect_eq(s.dram_read_sectors, 4);
    rig_close(&r);
}

/* Warp 0 fills two lines; it hits once, and warps 1 and 2 hit three times, at ages 1 and 70. */
Test(timed_statistics, hits_by_warp_and_age) {
    rig_open(&r, "l1.track_warps = true\n", MEMORY);
    rig_latency(&r, LINE(GPC_LOAD, 0));
    rig_latency(&r, LINE(GPC_LOAD, 128));
    gpc_hierarchy_reset_stats(r.hierarchy);
    rig_latency(&r, LINE(GPC_LOAD, 0));
    rig_latency(&r, LINE(GPC_LOAD, 0, .warp = 1, .age = 1));
    rig_latency(&r, WORDS(GPC_LOAD, 0, 2, 128, .warp = 2, .age = 70));
    measured_stats s = rig_stats(&r);
    cr_expect_eq(s.l1_intra_warp_hits, 1);
    cr_expect_eq(s.l1_inter_warp_hits, 3);
    cr_expect_eq(s.l1_hits_by_age[0], 1);
    cr_expect_eq(s.l1_hits_by_age[1], 1);
    cr_expect_eq(s.l1_hits_by_age[GPC_AGE_BUCKETS - 1], 2);
    cr_expect_eq(total(s.l1_hits_by_age, GPC_AGE_BUCKETS), 4);
    rig_close(&r);
}

/* Packets and bytes: headers of 8, 32 per carried sector. */
Test(timed_statistics, network_bytes) {
    rig_open(&r, NULL, MEMORY);
    rig_latency(&r, LINE(GPC_LOAD, 0));
    measured_stats s = rig_stats(&r);
    cr_expect_eq(s.network_requests, 1);
    cr_expect_eq(s.network_request_bytes, 8);
    cr_expect_eq(s.network_replies, 1);
    cr_expect_eq(s.network_reply_bytes, 8 + 128);
    gpc_hierarchy_reset_stats(r.hierarchy);
    rig_latency(&r, WORDS(GPC_STORE, 0, 2, 64));
    s = rig_stats(&r);
    cr_expect_eq(s.network_requests, 1);
    cr_expect_eq(s.network_request_bytes, 8 + 2 * 32);
    gpc_hierarchy_reset_stats(r.hierarchy);
    rig_latency(&r, WORD(GPC_ATOMIC, 0));
    s = rig_stats(&r);
    cr_expect_eq(s.network_request_bytes, 8 + 32);
    cr_expect_eq(s.network_replies, 1);
    cr_expect_geq(s.network_reply_bytes, 8 + 32, "its value comes back");
    rig_close(&r);
}

/* A single packet's latency is the transfer and the network's; every hop counts separately. */
Test(timed_statistics, network_latency) {
    uint64_t request[2], reply[2];
    for (unsigned i = 0; i < 2; i++) {
        rig_open(&r, i ? "network.latency = 25\nnetwork.width = 2B\nnetwork.reply_width = 17B\n" : NULL, MEMORY);
        rig_latency(&r, LINE(GPC_LOAD, 0));
        request[i] = rig_stats(&r).network_request_cycles;
        reply[i] = rig_stats(&r).network_reply_cycles;
        rig_close(&r);
    }
    cr_expect(request[0] >= 6 && request[0] <= 7, "%u: one of transfer, five of latency", (unsigned)request[0]);
    cr_expect(reply[0] >= 6 && reply[0] <= 7);
    cr_expect_eq(request[1], request[0] + 20 + 3, "4 cycles for 8 bytes");
    cr_expect_eq(reply[1], reply[0] + 20 + 7, "8 cycles for 136");
}

Test(timed_statistics, links) {
    rig_open(&r, "memory.link_width = 256B\nmemory.link_latency = 10\n", MEMORY);
    rig_latency(&r, LINE(GPC_LOAD, 0));
    measured_stats s = rig_stats(&r);
    cr_expect_eq(s.link_packets, 2, "there and back");
    cr_expect(s.link_cycles >= 22 && s.link_cycles <= 24, "%u", (unsigned)s.link_cycles);
    cr_expect_eq(s.network_requests, 1);
    rig_close(&r);
}

/* Time: 1000 core cycles of 3 SMs, 4 slices and 2 channels at one and a half times the clock. */
Test(timed_statistics, cycles) {
    rig_open_dram(&r, "sm.count = 3\nl2.slices = 4\ndram.channels = 2\nclock.dram = 1500\n");
    measured_stats before = rig_stats(&r);
    cr_assert_eq(gpc_hierarchy_advance(r.hierarchy, 1000, NULL), GPC_OK);
    measured_stats after = rig_stats(&r);
    cr_expect_eq(after.sm_cycles - before.sm_cycles, 3 * 1000);
    cr_expect_eq(after.l2_cycles - before.l2_cycles, 4 * 1000);
    cr_expect_eq(after.dram_cycles - before.dram_cycles, 2 * 1500);
    cr_expect_eq(after.dram_busy_cycles, 0);
    gpc_hierarchy_reset_stats(r.hierarchy);
    cr_assert_eq(gpc_hierarchy_advance(r.hierarchy, 10, NULL), GPC_OK);
    cr_expect_eq(rig_stats(&r).sm_cycles, 30, "since the reset");
    cr_expect_eq(rig_stats(&r).dram_cycles, 30);
    rig_close(&r);
}

/* Three lines wait for a refusing memory: an entry each at either level, in every cycle. */
Test(timed_statistics, mshr_gauges) {
    rig_open(&r, NULL, MEMORY);
    r.memory.refuse = true;
    for (uint64_t i = 0; i < 3; i++)
        rig_issue(&r, LINE(GPC_LOAD, i * 128));
    rig_steps(&r, 100);
    measured_stats before = rig_stats(&r);
    rig_steps(&r, 1000);
    measured_stats after = rig_stats(&r);
    cr_expect_eq(after.l1_mshr_cycles - before.l1_mshr_cycles, 3000);
    cr_expect_eq(after.l2_mshr_cycles - before.l2_mshr_cycles, 3000);
    cr_expect_eq(after.l1_queue_cycles - before.l1_queue_cycles, 0);
    cr_expect_eq(after.l1_miss_queue_cycles - before.l1_miss_queue_cycles, 0);
    cr_expect_eq(after.l2_miss_queue_cycles - before.l2_miss_queue_cycles, 3000);
    /* a reset keeps present entries */
    gpc_hierarchy_reset_stats(r.hierarchy);
    rig_steps(&r, 50);
    cr_expect_eq(rig_stats(&r).l1_mshr_cycles, 150);
    rig_release(&r);
    rig_close(&r);
}

/* Stalls count while they last: after 1000 cycles the count is 1000, before the end. */
Test(timed_statistics, stalls_under_way) {
    rig_open(&r,
             "l1.miss_queue = 1\nnetwork.input_buffer = 1\nnetwork.output_buffer = 1\nl2.queue = 1\n"
             "l2.miss_queue = 1\n",
             MEMORY);
    r.memory.refuse = true;
    for (uint64_t i = 0; i < 20; i++)
        rig_issue(&r, LINE(GPC_LOAD, i * 128));
    rig_steps(&r, 200);
    measured_stats before = rig_stats(&r);
    rig_steps(&r, 1000);
    measured_stats after = rig_stats(&r);
    cr_expect_eq(after.l1_queue_stalls - before.l1_queue_stalls, 1000);
    cr_expect_gt(before.l1_queue_failures, 0);
    cr_expect_eq(after.l1_queue_failures, before.l1_queue_failures, "no other transaction was held up");
    cr_expect_eq(after.l2_queue_stalls - before.l2_queue_stalls, 1000);
    cr_expect_eq(after.l2_queue_failures, before.l2_queue_failures);
    cr_expect_eq(after.l1_mshr_stalls + after.l1_line_stalls + after.l1_merge_stalls, 0);
    rig_release(&r);
    rig_close(&r);
}

/* The fixed model: a line of 128 bytes in bursts of 32, 2 cycles of the bus each. */
Test(timed_statistics, dram_fixed) {
    static const char fixed[] = "dram.model = fixed\ndram.fixed_bandwidth = 16\ndram.burst_bytes = 32\n";
    char text[128];
    snprintf(text, sizeof text, "%sdram.fixed_latency = 100\n", fixed);
    rig_open_dram(&r, text);
    uint64_t latency = rig_latency(&r, LINE(GPC_LOAD, 0));
    measured_stats s = rig_stats(&r);
    cr_expect_gt(latency, 100);
    cr_expect_eq(s.dram_reads, 4);
    cr_expect_eq(s.dram_writes, 0);
    cr_expect_eq(s.dram_busy_cycles, 4 * 2);
    cr_expect_eq(s.dram_read_sectors, 4);
    rig_close(&r);
    snprintf(text, sizeof text, "%sdram.fixed_latency = 150\n", fixed);
    rig_open_dram(&r, text);
    cr_expect_eq(rig_latency(&r, LINE(GPC_LOAD, 0)), latency + 50);
    rig_close(&r);
}

/*
 * One bank group, no refresh: the first burst of a line opens the row; the others find it open, and the next line's,
 * too.
 */
Test(timed_statistics, dram_rows) {
    rig_open_dram(&r, "dram.pseudo_channels = 1\ndram.bank_groups = 1\ndram.burst_bytes = 32\ndram.row_bytes = 1KiB\n"
                      "dram.mapping = row bank column\ndram.bank_hash = none\ndram.refresh = none\n");
    rig_latency(&r, LINE(GPC_LOAD, 0));
    rig_latency(&r, LINE(GPC_LOAD, 128));
    measured_stats s = rig_stats(&r);
    cr_expect_eq(s.dram_reads, 8);
    cr_expect_eq(s.dram_activates, 1);
    cr_expect_eq(s.dram_row_hits, 7);
    cr_expect_eq(s.dram_precharges, 0);
    cr_expect_eq(s.dram_refreshes, 0);
    rig_close(&r);
}

/* Value of a counter of the hierarchy's table. */
static uint64_t counted(gpc_object kind, uint32_t index, const char *name) {
    gpc_counter_info info = GPC_COUNTER_INFO_INIT;
    uint64_t value = 0;
    cr_assert_eq(gpc_counter_by_name(GPC_TABLE_HIERARCHY, name, &info, NULL), GPC_OK);
    cr_assert_eq(gpc_hierarchy_read(r.hierarchy, kind, index, &info.id, 1, &value, 1, NULL), GPC_OK);
    return value;
}

/* Reset in a cycle of the loads' and atomics' way: no count falls below 0, and SMs sum to the whole. */
static void reset_at(uint32_t cycle, const char *settings) {
    for (uint32_t line = 0; line < 4; line++) {
        rig_issue(&r, LINE(GPC_LOAD, line * 512, .token = line % 2 ? GPC_TOKEN_NONE : GPC_TOKEN_HELD));
        rig_issue(&r, WORDS(GPC_ATOMIC, 0x10000 + line * 1024, 8, 256, .sm = line % 2));
    }
    rig_steps(&r, cycle);
    gpc_hierarchy_reset_stats(r.hierarchy);
    rig_issue(&r, LINE(GPC_LOAD, 0x20000, .sm = 1));
    rig_finish(&r);
    uint64_t fill = 0;
    for (uint32_t sm = 0; sm < gpc_hierarchy_object_count(r.hierarchy, GPC_OBJECT_SM); sm++)
        fill += counted(GPC_OBJECT_SM, sm, "energy.l1_fill");
    cr_expect_eq(fill, counted(GPC_OBJECT_WHOLE, 0, "energy.l1_fill"), "%scycle %u", settings, cycle);
    for (uint32_t slice = 0; slice < gpc_hierarchy_object_count(r.hierarchy, GPC_OBJECT_SLICE); slice++)
        cr_expect_lt(counted(GPC_OBJECT_SLICE, slice, "l2.read_sectors"), 1000, "%scycle %u", settings, cycle);
}

Test(timed_statistics, resets_in_flight) {
    static const char *const
        caches[] = {"sm.count = 2\nenergy.l1_fill = 1\n", "sm.count = 2\nenergy.l1_fill = 1\nl1.allocate = on-fill\n"},
        tree[] = "sm.count = 4\nl2.slices = 4\ncluster.sms = 2\nl2.partitions = 2\nenergy.l1_fill = 1\n";
    for (uint32_t cycle = 0; cycle < 300; cycle += 7) {
        for (unsigned i = 0; i < 2; i++) {
            rig_open(&r, caches[i], MEMORY);
            reset_at(cycle, caches[i]);
            rig_close(&r);
        }
        coherent_open(&r, "nmoesi", tree);
        reset_at(cycle, tree);
        rig_close(&r); /* networks count packets sent before the reset */
    }
}

/* In no cycle is the energy of fills lower than before; at the end each sector fetched and kept has counted. */
static void fills_never_fall(const char *settings) {
    uint64_t before = 0, falls = 0;
    for (uint32_t i = 0; i < 200 || !gpc_hierarchy_is_idle(r.hierarchy); i++) {
        const shot load = LINE(GPC_LOAD, i % 23 * 4096, .token = i % 3 ? GPC_TOKEN_NONE : GPC_TOKEN_HELD);
        if (i < 200)
            rig_try(&r, load, NULL);
        rig_step(&r);
        const uint64_t now = counted(GPC_OBJECT_WHOLE, 0, "energy.l1_fill");
        falls += now < before;
        before = now;
    }
    cr_expect_eq(falls, 0, "%s", settings);
    cr_expect_gt(before, 0, "%s", settings);
    const measured_stats s = rig_stats(&r);
    cr_expect_gt(s.l1_bypassed_sectors, 0, "%s", settings);
    cr_expect_eq(before, s.l1_fetched_sectors - s.l1_bypassed_sectors, "%s", settings);
}

Test(timed_statistics, energy_of_fills_never_falls) {
    static const char *const caches[] = {"", "l1.allocate = on-fill\n", "l1.allocate = on-fill\nl1.mshr_entries = 4\n",
                                         "l1.bypass = agcb(initial=7)\n",
                                         "l1.bypass_fetch = segments\nl1.bypass = agcb(initial=7)\n"},
                             *const trees[] = {"", "l1.bypass = agcb(initial=8)\n"};
    char settings[256];
    for (size_t i = 0; i < sizeof caches / sizeof *caches; i++) {
        snprintf(settings, sizeof settings, "energy.l1_fill = 1\n%s", caches[i]);
        rig_open(&r, settings, MEMORY);
        fills_never_fall(settings);
        rig_close(&r);
    }
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
        snprintf(settings, sizeof settings, "energy.l1_fill = 1\n%s", trees[i]);
        coherent_open(&r, "nmoesi", settings);
        fills_never_fall(settings);
        rig_close(&r);
    }
}

/* DRAM without a use, because the host gives the memory, spends no energy: its refreshes would be counted otherwise. */
Test(timed_statistics, energy_of_a_host_with_memory) {
    for (int host = 0; host < 2; host++) {
        static const char settings[] = "energy.dram_refresh = 1\nenergy.l1_tag = 1\n";
        host ? rig_open(&r, settings, 100) : rig_open_dram(&r, settings);
        rig_issue(&r, LINE(GPC_LOAD, 0x1000));
        rig_finish(&r);
        rig_steps(&r, 20000);
        const uint64_t tags = counted(GPC_OBJECT_WHOLE, 0, "energy.l1_tag");
        const uint64_t refreshes = host ? 0 : counted(GPC_OBJECT_WHOLE, 0, "energy.dram_refresh");
        cr_expect(host || refreshes > 0);
        cr_expect_eq(counted(GPC_OBJECT_WHOLE, 0, "energy.dynamic"), tags + refreshes);
        rig_close(&r);
    }
}
