/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "timed/events.h"
#include "timed/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* Caches beside memory with a clock, and the host as memory behind them. */

#define MEMORY 200u
#define LATENCY 30u
/* L2 of one set of two lines: a third line sends the first out. */
#define SMALL_L2 "l1.enabled = false\nl2.size = 256\nl2.ways = 2\n"
#define CACHE \
    "memory_cache.size = 16KiB\nmemory_cache.ways = 4\nmemory_cache.latency = 30\nmemory_cache.data_width = 128B\n"
#define FAR (1u << 20)

/* Read two other lines, so that L2 has no line below FAR. */
static void empty_l2(rig *r) {
    rig_latency(r, LINE(GPC_LOAD, FAR));
    rig_latency(r, LINE(GPC_LOAD, FAR + 128));
}

/* A line that L2 has lost is read from the cache, for its latency, and not from memory. */
Test(memory_cache, keeps_lines_that_l2_loses) {
    rig r;
    rig_open(&r, SMALL_L2, MEMORY);
    const uint64_t without = rig_latency(&r, LINE(GPC_LOAD, 0));
    rig_close(&r);
    rig_open(&r, SMALL_L2 CACHE, MEMORY);
    cr_expect_eq(rig_latency(&r, LINE(GPC_LOAD, 0)), without + LATENCY);
    cr_expect_eq(r.done[0].level, 3);
    empty_l2(&r);
    cr_expect_eq(rig_latency(&r, LINE(GPC_LOAD, 0)), without + LATENCY - MEMORY);
    cr_expect_eq(r.done[3].level, 2);
    cr_expect_eq(r.memory.read_bytes, 3 * 128);
    const measured_stats s = rig_stats(&r);
    cr_expect_eq(s.memory_cache_read_sectors, 16);
    cr_expect_eq(s.memory_cache_read_sector_hits, 4);
    cr_expect_eq(s.dram_read_sectors, 12);
    cr_expect_eq(s.memory_cache_stalls, 0);
    rig_close(&r);
}

/* A line that L2 writes back goes to memory when the cache evicts it, or at a flush. */
Test(memory_cache, writes_dirty_lines_back) {
    rig r;
    rig_open(&r, SMALL_L2 "memory_cache.size = 256\nmemory_cache.ways = 2\n", MEMORY);
    rig_latency(&r, LINE(GPC_STORE, 0));
    empty_l2(&r);
    rig_finish(&r);
    measured_stats s = rig_stats(&r);
    cr_expect_eq(s.memory_cache_write_sectors, 4);
    cr_expect_eq(s.memory_cache_read_sectors, 8);
    empty_l2(&r);
    rig_latency(&r, LINE(GPC_LOAD, FAR + 256));
    rig_latency(&r, LINE(GPC_LOAD, FAR + 384));
    rig_finish(&r);
    s = rig_stats(&r);
    cr_expect_eq(s.memory_cache_write_back_sectors, 4);
    cr_expect_eq(s.dram_write_sectors, 4);
    cr_expect_eq(r.memory.write_bytes, 128);
    rig_latency(&r, LINE(GPC_STORE, 0));
    cr_assert_eq(gpc_hierarchy_flush(r.hierarchy, NULL), GPC_OK);
    s = rig_stats(&r);
    cr_expect_eq(s.memory_cache_write_back_sectors, 8);
    cr_expect_eq(s.dram_write_sectors, 8);
    rig_close(&r);
}

/* L2s of dies read a line once each, and memory once: at the same time, and one after the other. */
Test(memory_cache, shared_by_dies) {
    for (unsigned together = 0; together < 2; together++) {
        rig r;
        rig_open(&r,
                 "l1.enabled = false\nsm.count = 4\nl2.slices = 8\nl2.partitions = 4\nl2.homes = none\n"
                 "l2.sm_partition = turns\ndram.channels = 2\nmemory_cache.size = 64KiB\n",
                 MEMORY);
        for (uint32_t sm = 0; sm < 4; sm++) {
            rig_issue(&r, LINE(GPC_LOAD, 4096, .sm = sm));
            if (!together)
                rig_finish(&r);
        }
        rig_finish(&r);
        const measured_stats s = rig_stats(&r);
        cr_expect_eq(s.l2_read_sector_hits, 0);
        cr_expect_eq(s.l2_remote_sectors, 0);
        cr_expect_eq(s.memory_cache_read_sectors, 16);
        cr_expect_eq(s.memory_cache_read_sector_hits, 12);
        cr_expect_eq(r.memory.read_bytes, 128);
        cr_expect_eq(r.done[0].level, 3);
        cr_expect_eq(r.done[3].level, together ? 3 : 2);
        rig_close(&r);
    }
}

/* Reads of other sectors of a line on its way wait with it. */
Test(memory_cache, joins_reads_of_a_line) {
    rig r;
    rig_open(&r, SMALL_L2 CACHE "l2.sectors = 4\nl2.mshr_entries = 8\n", MEMORY);
    rig_issue(&r, WORD(GPC_LOAD, 0));
    rig_steps(&r, 60);
    rig_issue(&r, WORD(GPC_LOAD, 0));
    rig_issue(&r, WORD(GPC_LOAD, 32));
    rig_finish(&r);
    const measured_stats s = rig_stats(&r);
    cr_expect_eq(s.memory_cache_read_sectors, 2, "L2 joins the second read of sector 0");
    cr_expect_eq(r.memory.read_bytes, 64);
    rig_close(&r);
}

/* A full part holds its slices' packets up, and counts the cycles. */
Test(memory_cache, entries_and_queues) {
    static const char *const limits[] = {"memory_cache.mshr_entries = 1\n", "memory_cache.miss_queue = 1\n"};
    for (unsigned i = 0; i < 2; i++) {
        rig r;
        rig_open(&r, "l1.enabled = false\n" CACHE, MEMORY);
        for (uint64_t line = 0; line < 8; line++)
            rig_push(&r, LINE(GPC_LOAD, line * 128));
        rig_finish(&r);
        const uint64_t free = r.done[7].cycle;
        cr_expect_eq(rig_stats(&r).memory_cache_stalls, 0);
        rig_close(&r);
        char settings[512];
        snprintf(settings, sizeof settings, "l1.enabled = false\n" CACHE "%s", limits[i]);
        rig_open(&r, settings, MEMORY);
        r.memory.room = i ? 1 : 0;
        for (uint64_t line = 0; line < 8; line++)
            rig_push(&r, LINE(GPC_LOAD, line * 128));
        rig_finish(&r);
        cr_expect_gt(r.done[7].cycle, free + 3 * MEMORY, "%s", limits[i]);
        cr_expect_gt(rig_stats(&r).memory_cache_stalls, 3 * MEMORY, "%s", limits[i]);
        rig_close(&r);
    }
}

/* The data port has its width: eight lines of hits, 128 bytes each, leave one a cycle or one in sixteen. */
Test(memory_cache, data_port) {
    uint64_t took[2];
    for (unsigned narrow = 0; narrow < 2; narrow++) {
        rig r;
        char settings[512];
        snprintf(settings, sizeof settings, "l1.enabled = false\nl2.size = 1024\nl2.ways = 8\n" CACHE "%s",
                 narrow ? "memory_cache.data_width = 8B\n" : "");
        rig_open(&r, settings, MEMORY);
        for (uint64_t line = 0; line < 16; line++)
            rig_latency(&r, LINE(GPC_LOAD, line * 128));
        const uint64_t begin = gpc_hierarchy_now(r.hierarchy);
        for (uint64_t line = 0; line < 8; line++)
            rig_push(&r, LINE(GPC_LOAD, line * 128));
        rig_finish(&r);
        took[narrow] = gpc_hierarchy_now(r.hierarchy) - begin;
        cr_expect_eq(rig_stats(&r).memory_cache_read_sector_hits, 32);
        rig_close(&r);
    }
    cr_expect_eq(took[1], took[0] + 7 * 15, "%u %u", (unsigned)took[0], (unsigned)took[1]);
}

Test(memory_cache, refusals) {
    static const struct {
        const char *settings, *words;
    } rows[] = {
        {"memory_cache.size = 1KiB\n", "less than one set"},
        {CACHE "l2.enabled = false\n", "l2.enabled = true"},
        {CACHE "dram.latency_at = request\ndram.latency = 50\n", "memory_cache.size = 0B"},
        {CACHE "coherence = mesi\n", "memories of trees are modules"},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        gpc_error error = GPC_ERROR_INIT;
        cr_expect_eq(rig_refused(rows[i].settings, &error), GPC_ERROR_RANGE, "%s", rows[i].settings);
        cr_expect(strstr(error.message, rows[i].words), "%s", error.message);
    }
}
