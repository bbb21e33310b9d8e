/* SPDX-License-Identifier: BSD-2-Clause */
#include "hierarchy/rig.h"
#include "measured.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The cache beside memory without a clock. */

/* L2 of one slice, one set of two lines. */
#define SMALL_L2 "l1.enabled = false\nl2.size = 256\nl2.ways = 2\n"

Test(hierarchy_memory_cache, serves_what_l2_has_lost) {
    rig r;
    rig_open(&r, SMALL_L2 "memory_cache.size = 8KiB\ndram.channels = 1\n");
    for (uint64_t line = 0; line < 3; line++)
        rig_load(&r, line * 128);
    measured_stats s = rig_stats(&r);
    cr_expect_eq(s.l2_evictions, 1);
    cr_expect_eq(s.memory_cache_read_sectors, 12);
    cr_expect_eq(s.memory_cache_read_sector_hits, 0);
    cr_expect_eq(s.dram_read_sectors, 12);
    cr_expect_eq(rig_load(&r, 0).dram_sectors, 0);
    s = rig_stats(&r);
    cr_expect_eq(s.memory_cache_read_sectors, 16);
    cr_expect_eq(s.memory_cache_read_sector_hits, 4);
    cr_expect_eq(s.dram_read_sectors, 12);
    rig_close(&r);
}

/* Dirty sectors go to DRAM once: when their line leaves the cache beside memory, or at a flush. */
Test(hierarchy_memory_cache, writes_back) {
    rig r;
    rig_open(&r, SMALL_L2 "memory_cache.size = 512\nmemory_cache.ways = 4\ndram.channels = 1\n");
    rig_store(&r, 0);
    rig_load(&r, 128);
    rig_load(&r, 256);
    measured_stats s = rig_stats(&r);
    cr_expect_eq(s.memory_cache_write_sectors, 4);
    cr_expect_eq(s.dram_write_sectors, 0);
    for (uint64_t line = 3; line < 8; line++)
        rig_load(&r, line * 128);
    s = rig_stats(&r);
    cr_expect_eq(s.memory_cache_write_back_sectors, 4);
    cr_expect_eq(s.dram_write_sectors, 4);
    rig_store(&r, 0);
    rig_flush(&r);
    s = rig_stats(&r);
    cr_expect_eq(s.memory_cache_write_back_sectors, 8);
    cr_expect_eq(s.dram_write_sectors, 8);
    rig_load(&r, 7 * 128);
    cr_expect_eq(rig_stats(&r).dram_read_sectors, s.dram_read_sectors + 4, "a flush empties it");
    rig_close(&r);
}

/* With room for everything, DRAM reads each sector once, and writes none before a flush. */
Test(hierarchy_memory_cache, shared_by_all_slices_and_partitions) {
    static const char *const machines[] = {
        "l2.slices = 4\ndram.channels = 2\n",
        "l2.slices = 5\ndram.channels = 2\nl2.size = 1280\n",
        "l2.slices = 2\ndram.channels = 6\n",
        "l2.slices = 4\nl2.partitions = 2\nsm.count = 4\ndram.channels = 4\nl2.interleave = hash\n",
    };
    for (unsigned i = 0; i < sizeof machines / sizeof *machines; i++) {
        char settings[512];
        rig r;
        snprintf(
            settings, sizeof settings,
            "l1.enabled = false\nl2.size = 1KiB\nl2.ways = 2\nmemory_cache.size = 4MiB\nmemory_cache.ways = 32\n%s",
            machines[i]);
        rig_open(&r, settings);
        for (unsigned pass = 0; pass < 3; pass++)
            for (uint64_t line = 0; line < 512; line++) {
                const shot s = LINE_BY((uint8_t)(pass == 1 ? GPC_STORE : GPC_LOAD), line * 128,
                                       .sm = i == 3 ? (uint32_t)(line + pass) % 4 : 0);
                rig_fire(&r, s);
            }
        measured_stats s = rig_stats(&r);
        cr_expect_eq(s.dram_read_sectors, 512 * 4, "%s", machines[i]);
        cr_expect_eq(s.dram_write_sectors, 0, "%s", machines[i]);
        cr_expect_eq(s.memory_cache_read_sectors - s.memory_cache_read_sector_hits, 512 * 4, "%s", machines[i]);
        rig_flush(&r);
        cr_expect_eq(rig_stats(&r).dram_write_sectors, 512 * 4, "%s", machines[i]);
        rig_close(&r);
    }
}

Test(hierarchy_memory_cache, refusals) {
    static const struct {
        const char *settings, *words;
    } rows[] = {
        {"memory_cache.size = 1KiB\n", "less than one set"},
        {"memory_cache.size = 1MiB\nl2.enabled = false\n", "needs l2.enabled = true"},
        {"memory_cache.size = 1MiB\naddress.mapping = dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR."
         "BBBCCCCB.CCSSSSSS\nl2.slices = 4\ndram.channels = 2\nl2.size = 64KiB\n",
         "needs address.mapping = none"},
        {"memory_cache.size = 1MiB\ncoherence = mesi\n", "memories of trees are modules"},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        gpc_error error = GPC_ERROR_INIT;
        cr_expect_eq(rig_refused(rows[i].settings, &error), GPC_ERROR_RANGE, "%s", rows[i].settings);
        cr_expect(strstr(error.message, rows[i].words), "%s", error.message);
    }
}
