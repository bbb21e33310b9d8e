/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "timed/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>

/* Networks, links and clocks, as seen by an access. */

#define MEMORY 200u

static rig r; /* too large for a stack of many */

static uint64_t latency(const char *settings, shot s) {
    rig_open(&r, settings, MEMORY);
    uint64_t cycles = rig_latency(&r, s);
    rig_close(&r);
    return cycles;
}

static uint64_t miss(const char *settings) {
    return latency(settings, LINE(GPC_LOAD, 0));
}

/* Latency counts in every direction. A packet takes ceil(size / width) cycles on a link: 8 bytes up, 136 down. */
Test(timed_paths, network_latency_and_width) {
    uint64_t base = miss(NULL);
    cr_expect_eq(miss("network.latency = 6\n"), base + 2);
    cr_expect_eq(miss("network.latency = 105\n"), base + 200);
    cr_expect_eq(miss("network.width = 8B\n"), base);
    cr_expect_eq(miss("network.width = 7B\n"), base + 1);
    cr_expect_eq(miss("network.width = 1B\n"), base + 7);
    cr_expect_eq(miss("network.reply_width = 136B\n"), base);
    cr_expect_eq(miss("network.reply_width = 135B\n"), base + 1);
    cr_expect_eq(miss("network.reply_width = 8B\n"), base + 16);
    cr_expect_eq(miss("network.header = 0B\nnetwork.reply_width = 128B\n"), base - 1, "a request of no bytes");
    cr_expect_eq(miss("network.header = 1B\nnetwork.reply_width = 128B\n"), base + 1);
}

/* A link a byte wide shows the bytes of a request: sectors, and a mask unless written whole. */
Test(timed_paths, write_mask) {
    static const char narrow[] = "network.width = 1B\n", masked[] = "network.width = 1B\nnetwork.write_mask = 20B\n";
    const shot line = LINE(GPC_STORE, 0), word = WORD(GPC_STORE, 0), wide = LINE(GPC_REDUCTION, 0);
    const shot one = WORD(GPC_REDUCTION, 0);
    cr_expect_eq(latency(masked, line), latency(narrow, line));
    cr_expect_eq(latency(masked, word), latency(narrow, word) + 20);
    cr_expect_eq(latency(masked, wide), latency(narrow, wide) + 20);
    cr_expect_eq(latency(masked, one), latency(narrow, one) - 28, "a word beside the header, not a sector");
    cr_expect_eq(latency(masked, LINE(GPC_LOAD, 0)), latency(narrow, LINE(GPC_LOAD, 0)));
}

static uint64_t hit(const char *settings) {
    rig_open(&r, settings, MEMORY);
    rig_latency(&r, LINE(GPC_LOAD, 0));
    uint64_t cycles = rig_latency(&r, LINE(GPC_LOAD, 0));
    rig_close(&r);
    return cycles;
}

/* A miss takes the way to the miss queue once, a hit never, and one miss a cycle still passes. */
Test(timed_paths, miss_latency) {
    const uint64_t base = miss(NULL);
    cr_expect_eq(miss("l1.miss_latency = 1\n"), base + 1);
    cr_expect_eq(miss("l1.miss_latency = 25\n"), base + 25);
    cr_expect_eq(hit("l1.miss_latency = 25\n"), hit(NULL));
}

/* Accesses that bypass L1, also atomics, have a separate latency; a store through L1 has a miss's. */
Test(timed_paths, bypass_latency) {
    static const char both[] = "l1.miss_latency = 25\nl1.bypass_latency = 3\n", alone[] = "l1.miss_latency = 25\n";
    const shot past = LINE(GPC_LOAD, 0, .hint = GPC_HINT_CG);
    const uint64_t base = latency(NULL, past);
    cr_expect_eq(latency(alone, past), base + 25);
    cr_expect_eq(latency(both, past), base + 3);
    cr_expect_eq(latency("l1.bypass_latency = 3\n", past), base + 3);
    cr_expect_eq(latency(both, LINE(GPC_LOAD, 0)), latency(alone, LINE(GPC_LOAD, 0)));
    cr_expect_eq(latency(both, LINE(GPC_STORE, 0)), latency(alone, LINE(GPC_STORE, 0)));
    cr_expect_eq(latency(both, WORD(GPC_ATOMIC, 0)), latency(NULL, WORD(GPC_ATOMIC, 0)) + 3);
}

/* Before the tags, for every access. */
Test(timed_paths, issue_latency) {
    const uint64_t base = miss(NULL), five = miss("l1.issue_latency = 5\n");
    cr_expect(five > base && five <= base + 5);
    cr_expect_eq(miss("l1.issue_latency = 105\n"), five + 100);
}

static uint64_t spread(const char *settings, shot s, uint32_t count, uint64_t apart) {
    rig_open(&r, settings, MEMORY);
    uint64_t cycles = rig_spread(&r, s, count, apart);
    rig_close(&r);
    return cycles;
}

Test(timed_paths, network_throughput) {
    cr_expect_eq(spread("network.width = 8B\n", WORD(GPC_LOAD, 0), 20, 128), 19);
    cr_expect_eq(spread("network.width = 7B\n", WORD(GPC_LOAD, 0), 20, 128), 19 * 2);
    cr_expect_eq(spread("network.width = 2B\n", WORD(GPC_LOAD, 0), 20, 128), 19 * 4);
    cr_expect_eq(spread("network.width = 8B\nl1.miss_latency = 40\nl1.miss_queue = 4\n", WORD(GPC_LOAD, 0), 60, 128),
                 59);
    cr_expect_eq(spread("network.reply_width = 40B\n", WORD(GPC_LOAD, 0), 20, 128), 19);
    cr_expect_eq(spread("network.reply_width = 20B\n", WORD(GPC_LOAD, 0), 20, 128), 19 * 2);
    cr_expect_eq(spread("network.reply_width = 40B\n", LINE(GPC_LOAD, 0), 20, 128), 19 * 4);
}

/* A port routes for a number of cycles between two packets. */
Test(timed_paths, network_turnaround) {
    cr_expect_eq(spread("network.reply_width = 40B\nnetwork.turnaround = 1\n", WORD(GPC_LOAD, 0), 20, 128), 19 * 2);
    cr_expect_eq(spread("network.reply_width = 40B\nnetwork.turnaround = 3\n", LINE(GPC_LOAD, 0), 20, 128), 19 * 7);
}

/* Two SMs reading from one slice share the slice's links; readers of different slices do not. */
Test(timed_paths, ports_are_shared) {
    static const char text[] = "sm.count = 2\nl2.slices = 2\nl2.interleave_bytes = 128B\nnetwork.reply_width = 34B\n";
    uint64_t cycles[2];
    for (unsigned apart = 0; apart < 2; apart++) {
        uint64_t last = 0;
        rig_open(&r, text, MEMORY);
        for (unsigned i = 0; i < 16; i++)
            rig_issue(&r, LINE(GPC_LOAD, (i / 2 * 4 + i % 2 * (apart ? 1 : 2)) * 128, .sm = i % 2));
        rig_finish(&r);
        for (unsigned i = 0; i < 16; i++)
            last = r.done[i].cycle > last ? r.done[i].cycle : last;
        cycles[apart] = last;
        rig_close(&r);
    }
    /* 4 cycles a reply: 16 from one slice, or 8 from each */
    cr_expect_eq(cycles[0], cycles[1] + 8 * 4);
}

/* A slower network clock stretches latency and transfers, in every direction. */
Test(timed_paths, network_clock) {
    uint64_t base = miss("clock.network = 250\n");
    cr_expect_eq(miss("clock.network = 250\nnetwork.latency = 6\n"), base + 2 * 4);
    cr_expect_eq(miss("clock.network = 250\nnetwork.reply_width = 34B\n"), base + 3 * 4);
    cr_expect_eq(spread("clock.network = 250\n", WORD(GPC_LOAD, 0), 20, 128), 19 * 4);
    cr_expect_eq(spread("clock.network = 500\n", WORD(GPC_LOAD, 0), 20, 128), 19 * 2);
    /* a faster clock cannot help: one lookup and one fill a core cycle remain */
    cr_expect_eq(spread("clock.network = 2000\n", WORD(GPC_LOAD, 0), 20, 128), 19);
}

/* 3 to 7: 700 transfers take 300 times 7 core cycles for each 300 of their own, without drift. */
Test(timed_paths, clocks_do_not_drift) {
    uint64_t cycles = spread("clock.core = 700\nclock.network = 300\n", WORD(GPC_LOAD, 0), 1801, 128);
    cr_expect(cycles >= 4199 && cycles <= 4201, "1800 packets, 7 core cycles for 3: %u", (unsigned)cycles);
    cycles = spread("clock.core = 1410\nclock.l2 = 1215\nl2.data_width = 32B\n", LINE(GPC_LOAD, 0), 1216, 128);
    /* 1215 lines, 4 cycles of the slice each: 4860 slice cycles are 5640 core cycles */
    cr_expect(cycles >= 5639 && cycles <= 5641, "%u", (unsigned)cycles);
}

/* Slice to channel: direct, or a link with latency in every direction. */
Test(timed_paths, memory_link) {
    uint64_t none = miss(NULL), link = miss("memory.link_width = 256B\n");
    cr_expect_geq(link, none);
    cr_expect_eq(miss("memory.link_width = 256B\nmemory.link_latency = 1\n"), link + 2);
    cr_expect_eq(miss("memory.link_width = 256B\nmemory.link_latency = 50\n"), link + 100);
    cr_expect_eq(spread("memory.link_width = 256B\n", WORD(GPC_LOAD, 0), 20, 128), 19);
    cr_expect_eq(spread("memory.link_width = 40B\n", WORD(GPC_LOAD, 0), 20, 128), 19);
    cr_expect_eq(spread("memory.link_width = 20B\n", WORD(GPC_LOAD, 0), 20, 128), 19 * 2, "32 bytes and a header");
}

/* Two partitions: a line of the other half crosses the link once; then a copy exists. */
Test(timed_paths, partitions) {
    static const char *const latencies[] = {"0", "1", "40"};
    uint64_t near[3] = {0}, far[3] = {0}, again[3] = {0};
    for (unsigned i = 0; i < 3; i++) {
        char text[128];
        snprintf(text, sizeof text, "l2.slices = 2\nl2.partitions = 2\nl2.link_latency = %s\n", latencies[i]);
        rig_open(&r, text, MEMORY);
        for (uint64_t page = 0; page < 64 && !(near[i] && far[i]); page++) {
            uint64_t remote = rig_stats(&r).l2_remote_sectors;
            uint64_t cycles = rig_latency(&r, LINE(GPC_LOAD, page * 4096, .hint = GPC_HINT_CG));
            if (rig_stats(&r).l2_remote_sectors == remote) {
                near[i] = cycles;
                continue;
            }
            cr_expect_eq(rig_stats(&r).l2_remote_sectors, remote + 4);
            far[i] = cycles;
            again[i] = rig_latency(&r, LINE(GPC_LOAD, page * 4096, .hint = GPC_HINT_CG));
            cr_expect_eq(rig_stats(&r).l2_remote_sectors, remote + 4, "the copy is in the SM's own half");
            cr_expect_eq(r.done[r.issued - 1].level, 2);
        }
        cr_assert(near[i] && far[i]);
        cr_expect_gt(far[i], near[i]);
        rig_close(&r);
    }
    cr_expect(near[1] == near[0] && near[2] == near[0]);
    cr_expect(again[1] == again[0] && again[2] == again[0]);
    cr_expect_eq(far[1], far[0] + 2);
    cr_expect_eq(far[2], far[0] + 80);
}

/* SMs 0 and 1 share a request coalescer, SM 2 has another: a read of a line already in flight is not sent again. */
Test(timed_paths, request_coalescer) {
    rig_open(&r, "sm.count = 3\nlrc.sms = 2\nlrc.entries = 2\n", MEMORY);
    rig_issue(&r, LINE(GPC_LOAD, 0));
    rig_steps(&r, 3);
    rig_issue(&r, LINE(GPC_LOAD, 0, .sm = 1));
    rig_issue(&r, LINE(GPC_LOAD, 0, .sm = 2));
    rig_finish(&r);
    measured_stats s = rig_stats(&r);
    cr_expect_eq(s.network_requests, 2);
    cr_expect_eq(s.l2_read_sectors, 8);
    cr_expect_eq(s.l1_fetched_sectors, 12);
    cr_expect_leq(r.done[1].cycle, r.done[0].cycle + 1, "with the first one's data");
    cr_expect_eq(r.done[1].level, 3);
    /* two lines are followed; reads of a third line are all sent */
    gpc_hierarchy_reset_stats(r.hierarchy);
    for (uint64_t line = 1; line < 4; line++)
        rig_issue(&r, LINE(GPC_LOAD, line * 128));
    rig_steps(&r, 5);
    for (uint64_t line = 1; line < 4; line++)
        rig_issue(&r, LINE(GPC_LOAD, line * 128, .sm = 1));
    rig_finish(&r);
    cr_expect_eq(rig_stats(&r).network_requests, 3 + 1);
    /* a read of more of the line than in flight is sent again */
    gpc_hierarchy_reset_stats(r.hierarchy);
    rig_issue(&r, WORD(GPC_LOAD, 8192));
    rig_steps(&r, 3);
    rig_issue(&r, WORDS(GPC_LOAD, 8192, 2, 32, .sm = 1));
    rig_finish(&r);
    cr_expect_eq(rig_stats(&r).network_requests, 2);
    rig_close(&r);
}

/* A number of slices that is not a power of two, and more channels than slices, and fewer. */
Test(timed_paths, odd_numbers) {
    static const char *const settings[] = {
        "l2.slices = 3\nl2.size = 384KiB\n",
        "l2.slices = 5\nl2.size = 640KiB\ndram.channels = 5\n",
        "l2.slices = 6\nl2.size = 768KiB\ndram.channels = 3\n",
        "l2.slices = 2\ndram.channels = 6\n",
        "l2.slices = 7\nl2.size = 896KiB\ndram.channels = 1\nl2.interleave = hash\n",
        "l2.slices = 1\ndram.channels = 7\n",
    };
    for (unsigned i = 0; i < 6; i++) {
        rig_open(&r, settings[i], MEMORY);
        for (uint64_t line = 0; line < 1000; line++)
            rig_push(&r, LINE(GPC_LOAD, line * 128));
        rig_finish(&r);
        cr_expect_eq(r.memory.read_bytes, 1000 * 128, "%s", settings[i]);
        cr_expect_eq(rig_stats(&r).dram_read_sectors, 4000);
        rig_close(&r);
    }
}

/* A hit with data on the way is in no queue, but still awaited. */
Test(timed_paths, a_hit_under_way_is_not_idle) {
    rig_open(&r, NULL, 50);
    rig_latency(&r, WORD(GPC_LOAD, 4096));
    rig_finish(&r);
    cr_expect(gpc_hierarchy_is_idle(r.hierarchy));
    const uint64_t token = rig_issue(&r, WORD(GPC_LOAD, 4096));
    for (uint32_t cycles = 0; !r.done[token].times; cycles++) {
        cr_assert_lt(cycles, 50);
        cr_expect_not(gpc_hierarchy_is_idle(r.hierarchy), "after %u cycles", (unsigned)cycles);
        rig_step(&r);
    }
    cr_expect_eq(r.done[token].level, 1);
    cr_expect(gpc_hierarchy_is_idle(r.hierarchy));
    rig_close(&r);
}
