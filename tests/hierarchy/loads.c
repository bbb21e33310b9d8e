/* SPDX-License-Identifier: BSD-2-Clause */
#include "hierarchy/rig.h"
#include "measured.h"

#include <criterion/criterion.h>

/* Loads, prefetches and atomics, counter by counter. */

Test(memory_loads, one_sm) {
    rig r;
    rig_open(&r, NULL);
    gpc_warp_result miss = rig_load(&r, 0x4000);
    cr_assert_eq(miss.lines, 1);
    cr_assert_eq(miss.sectors, 4);
    cr_assert_eq(miss.l1_sector_hits, 0);
    cr_assert_eq(miss.l2_sectors, 4);
    cr_assert_eq(miss.l2_sector_hits, 0);
    cr_assert_eq(miss.dram_sectors, 4);
    gpc_warp_result hit = rig_load(&r, 0x4000);
    cr_assert_eq(hit.l1_sector_hits, 4);
    cr_assert_eq(hit.l2_sectors + hit.dram_sectors, 0);
    EXPECT(&r, .warp_instructions = 2, .thread_instructions = 64, .l1_load_requests = 2, .l1_load_lines = 2,
           .l1_touched_lines = 2, .l1_load_sectors = 8, .l1_load_sector_hits = 4, .l1_load_bytes_used = 256,
           .l1_load_bytes_moved = 256, .l1_fetched_sectors = 4, .l2_read_sectors = 4, .dram_read_sectors = 4);
    rig_close(&r);
}

Test(memory_loads, second_sm_finds_it_in_l2) {
    rig r;
    rig_open(&r, "sm.count = 2\n");
    rig_load(&r, 0);
    gpc_warp_result other = rig_fire(&r, LINE_BY(GPC_LOAD, 0, .sm = 1));
    cr_assert_eq(other.l1_sector_hits, 0);
    cr_assert_eq(other.l2_sector_hits, 4);
    cr_assert_eq(other.dram_sectors, 0);
    EXPECT(&r, .warp_instructions = 2, .thread_instructions = 64, .l1_load_requests = 2, .l1_load_lines = 2,
           .l1_touched_lines = 2, .l1_load_sectors = 8, .l1_load_bytes_used = 256, .l1_load_bytes_moved = 256,
           .l1_fetched_sectors = 8, .l2_read_sectors = 8, .l2_read_sector_hits = 4, .dram_read_sectors = 4);
    rig_close(&r);
}

Test(memory_loads, without_l1) {
    rig r;
    rig_open(&r, "l1.enabled = false\n");
    rig_load(&r, 0);
    rig_load(&r, 0);
    cr_assert_null(gpc_hierarchy_cache(r.hierarchy, 1, 0));
    cr_assert_not_null(gpc_hierarchy_cache(r.hierarchy, 2, 0));
    EXPECT(&r, .warp_instructions = 2, .thread_instructions = 64, .l1_load_requests = 2, .l1_load_lines = 2,
           .l1_touched_lines = 2, .l1_load_sectors = 8, .l1_load_bytes_used = 256, .l1_load_bytes_moved = 256,
           .l2_read_sectors = 8, .l2_read_sector_hits = 4, .dram_read_sectors = 4);
    rig_close(&r);
}

Test(memory_loads, without_l2) {
    rig r;
    rig_open(&r, "l2.enabled = false\n");
    rig_load(&r, 0);
    rig_load(&r, 0);
    cr_assert_null(gpc_hierarchy_cache(r.hierarchy, 2, 0));
    EXPECT(&r, .warp_instructions = 2, .thread_instructions = 64, .l1_load_requests = 2, .l1_load_lines = 2,
           .l1_touched_lines = 2, .l1_load_sectors = 8, .l1_load_sector_hits = 4, .l1_load_bytes_used = 256,
           .l1_load_bytes_moved = 256, .l1_fetched_sectors = 4, .dram_read_sectors = 4);
    rig_close(&r);
}

Test(memory_loads, without_caches) {
    rig r;
    rig_open(&r, "l1.enabled = false\nl2.enabled = false\n");
    rig_load(&r, 0);
    rig_load(&r, 0);
    rig_store(&r, 0);
    EXPECT(&r, .warp_instructions = 3, .thread_instructions = 96, .l1_load_requests = 2, .l1_load_lines = 2,
           .l1_touched_lines = 2, .l1_load_sectors = 8, .l1_load_bytes_used = 256, .l1_load_bytes_moved = 256,
           .l1_store_requests = 1, .l1_store_sectors = 4, .dram_read_sectors = 8, .dram_write_sectors = 4);
    rig_close(&r);
}

/* nvcc -Xptxas -dlcm=cg: L1 holds local data alone. */
Test(memory_loads, l1_for_local_data_only) {
    rig r;
    rig_open(&r, "l1.spaces = local\n");
    for (int i = 0; i < 2; i++) {
        rig_load(&r, 0);
        rig_fire(&r, LINE_BY(GPC_LOAD, 0x80, .space = GPC_SPACE_LOCAL));
    }
    EXPECT(&r, .warp_instructions = 4, .thread_instructions = 128, .l1_load_requests = 4, .l1_load_lines = 4,
           .l1_touched_lines = 4, .l1_load_sectors = 16, .l1_load_sector_hits = 4, .l1_load_bytes_used = 512,
           .l1_load_bytes_moved = 512, .l1_fetched_sectors = 4, .l2_read_sectors = 12, .l2_read_sector_hits = 4,
           .dram_read_sectors = 8);
    rig_close(&r);
}

Test(memory_loads, sectors_arrive_one_by_one) {
    rig r;
    rig_open(&r, NULL);
    rig_fire(&r, WORD(GPC_LOAD, 0));
    rig_fire(&r, WORD(GPC_LOAD, 28));
    rig_fire(&r, WORD(GPC_LOAD, 96));
    EXPECT(&r, .warp_instructions = 3, .thread_instructions = 3, .l1_load_requests = 3, .l1_load_lines = 3,
           .l1_touched_lines = 3, .l1_load_sectors = 3, .l1_load_sector_hits = 1, .l1_load_bytes_used = 12,
           .l1_load_bytes_moved = 96, .l1_fetched_sectors = 2, .l2_read_sectors = 2, .dram_read_sectors = 2);
    rig_close(&r);
}

/* A word moves a line of L1 if L1 has no sectors, and a line of L2 if only L2 has none. */
Test(memory_loads, whole_lines) {
    rig r;
    rig_open(&r, "l1.sectors = 1\n");
    rig_fire(&r, WORD(GPC_LOAD, 0));
    rig_fire(&r, WORD(GPC_LOAD, 96));
    EXPECT(&r, .warp_instructions = 2, .thread_instructions = 2, .l1_load_requests = 2, .l1_load_lines = 2,
           .l1_touched_lines = 2, .l1_load_sectors = 2, .l1_load_sector_hits = 1, .l1_load_bytes_used = 8,
           .l1_load_bytes_moved = 256, .l1_fetched_sectors = 4, .l2_read_sectors = 4, .dram_read_sectors = 4);
    rig_close(&r);
    rig_open(&r, "l2.sectors = 1\n");
    rig_fire(&r, WORD(GPC_LOAD, 0));
    rig_fire(&r, WORD(GPC_LOAD, 96));
    EXPECT(&r, .warp_instructions = 2, .thread_instructions = 2, .l1_load_requests = 2, .l1_load_lines = 2,
           .l1_touched_lines = 2, .l1_load_sectors = 2, .l1_load_bytes_used = 8, .l1_load_bytes_moved = 64,
           .l1_fetched_sectors = 2, .l2_read_sectors = 2, .l2_read_sector_hits = 1, .dram_read_sectors = 4);
    rig_close(&r);
}

Test(memory_loads, half_lines_in_l1) {
    rig r;
    rig_open(&r, "l1.line = 64B\nl1.sectors = 2\n");
    cr_assert_eq(rig_load(&r, 0).lines, 2);
    EXPECT(&r, .warp_instructions = 1, .thread_instructions = 32, .l1_load_requests = 1, .l1_load_lines = 2,
           .l1_touched_lines = 2, .l1_load_sectors = 4, .l1_load_bytes_used = 128, .l1_load_bytes_moved = 128,
           .l1_fetched_sectors = 4, .l2_read_sectors = 4, .dram_read_sectors = 4);
    rig_close(&r);
    /* L2 without sectors: the first half brings the second */
    rig_open(&r, "l1.line = 64B\nl1.sectors = 1\nl2.sectors = 1\n");
    rig_fire(&r, WORD(GPC_LOAD, 64));
    rig_fire(&r, WORD(GPC_LOAD, 0));
    cr_assert_eq(rig_lines(&r, 1, 1), 2);
    cr_assert_eq(rig_lines(&r, 2, 1), 1);
    EXPECT(&r, .warp_instructions = 2, .thread_instructions = 2, .l1_load_requests = 2, .l1_load_lines = 2,
           .l1_touched_lines = 2, .l1_load_sectors = 2, .l1_load_bytes_used = 8, .l1_load_bytes_moved = 128,
           .l1_fetched_sectors = 4, .l2_read_sectors = 4, .l2_read_sector_hits = 2, .dram_read_sectors = 4);
    rig_close(&r);
}

/* Lines 512 bytes apart share a set of two ways: the third drops the first, the first then drops the second. */
Test(memory_loads, l1_evicts) {
    rig r;
    rig_open(&r, "l1.track_reuse = true\n");
    rig_load(&r, 0);
    rig_load(&r, 0);
    rig_load(&r, 512);
    rig_load(&r, 1024);
    rig_load(&r, 0);
    EXPECT(&r, .warp_instructions = 5, .thread_instructions = 160, .l1_load_requests = 5, .l1_load_lines = 5,
           .l1_touched_lines = 5, .l1_load_sectors = 20, .l1_load_sector_hits = 4, .l1_load_bytes_used = 640,
           .l1_load_bytes_moved = 640, .l1_evictions = 2, .l1_zero_reuse_evictions = 1, .l1_fetched_sectors = 16,
           .l2_read_sectors = 16, .l2_read_sector_hits = 4, .dram_read_sectors = 12);
    rig_close(&r);
}

/* Five lines of a set of four ways. */
Test(memory_loads, l2_evicts) {
    rig r;
    rig_open(&r, "l1.enabled = false\n");
    for (uint64_t i = 0; i < 5; i++)
        rig_load(&r, i * 2048);
    rig_load(&r, 0);
    EXPECT(&r, .warp_instructions = 6, .thread_instructions = 192, .l1_load_requests = 6, .l1_load_lines = 6,
           .l1_touched_lines = 6, .l1_load_sectors = 24, .l1_load_bytes_used = 768, .l1_load_bytes_moved = 768,
           .l2_read_sectors = 24, .l2_evictions = 2, .dram_read_sectors = 24);
    rig_close(&r);
}

Test(memory_loads, hits_of_warps) {
    rig r;
    rig_open(&r, "l1.track_warps = true\n");
    rig_load(&r, 0);
    rig_load(&r, 0);
    rig_load(&r, 0);
    rig_fire(&r, LINE_BY(GPC_LOAD, 0, .warp = 1));
    measured_stats stats = rig_stats(&r);
    cr_assert_eq(stats.l1_intra_warp_hits, 2);
    cr_assert_eq(stats.l1_inter_warp_hits, 1);
    rig_close(&r);
}

/* ld.cg: L1 keeps no data, and only the lanes' sectors are requested. */
Test(memory_loads, cg_passes_l1) {
    rig r;
    rig_open(&r, "l1.bypass = hint\nl1.sectors = 1\n");
    for (int i = 0; i < 2; i++)
        rig_fire(&r, WORD_BY(GPC_LOAD, 0, .hint = GPC_HINT_CG));
    cr_assert_eq(rig_lines(&r, 1, 1), 0);
    EXPECT(&r, .warp_instructions = 2, .thread_instructions = 2, .l1_load_requests = 2, .l1_load_lines = 2,
           .l1_touched_lines = 2, .l1_load_sectors = 2, .l1_load_bytes_used = 8, .l1_load_bytes_moved = 256,
           .l1_bypasses = 2, .l1_bypassed_sectors = 2, .l1_fetched_sectors = 2, .l2_read_sectors = 2,
           .l2_read_sector_hits = 1, .dram_read_sectors = 1);
    rig_fire(&r, WORD_BY(GPC_LOAD, 0, .hint = GPC_HINT_CA));
    cr_assert_eq(rig_lines(&r, 1, 1), 1);
    rig_close(&r);
}

Test(memory_loads, prefetch) {
    rig r;
    rig_open(&r, NULL);
    rig_fire(&r, LINE(GPC_PREFETCH, 0));
    EXPECT(&r, .warp_instructions = 1, .thread_instructions = 32, .l1_fetched_sectors = 4, .l2_read_sectors = 4,
           .dram_read_sectors = 4);
    rig_load(&r, 0);
    EXPECT(&r, .warp_instructions = 1, .thread_instructions = 32, .l1_load_requests = 1, .l1_load_lines = 1,
           .l1_touched_lines = 1, .l1_load_sectors = 4, .l1_load_sector_hits = 4, .l1_load_bytes_used = 128,
           .l1_load_bytes_moved = 128);
    rig_close(&r);
}

/* Atomics are performed at L2, and L1 keeps no stale line. */
Test(memory_loads, atomics) {
    rig r;
    rig_open(&r, NULL);
    rig_fire(&r, WORD(GPC_ATOMIC, 0));
    rig_fire(&r, WORD(GPC_REDUCTION, 4));
    EXPECT(&r, .warp_instructions = 2, .thread_instructions = 2, .l1_atomic_requests = 2, .l1_atomic_sectors = 2,
           .l2_atomic_sectors = 2, .l2_atomic_sector_hits = 1, .dram_read_sectors = 1);
    rig_load(&r, 0);
    gpc_hierarchy_reset_stats(r.hierarchy);
    rig_fire(&r, WORD(GPC_ATOMIC, 0));
    cr_assert_eq(rig_lines(&r, 1, 1), 0);
    EXPECT(&r, .warp_instructions = 1, .thread_instructions = 1, .l1_atomic_requests = 1, .l1_atomic_sectors = 1,
           .l1_invalidations = 1, .l2_atomic_sectors = 1, .l2_atomic_sector_hits = 1);
    rig_flush(&r);
    EXPECT(&r, .l2_write_back_sectors = 1, .dram_write_sectors = 1);
    rig_close(&r);
}

Test(memory_loads, atomics_without_l2) {
    rig r;
    rig_open(&r, "l2.enabled = false\n");
    rig_fire(&r, WORD(GPC_ATOMIC, 0));
    EXPECT(&r, .warp_instructions = 1, .thread_instructions = 1, .l1_atomic_requests = 1, .l1_atomic_sectors = 1,
           .dram_read_sectors = 1, .dram_write_sectors = 1);
    rig_close(&r);
}

Test(memory_loads, other_spaces_go_no_further) {
    rig r;
    rig_open(&r, NULL);
    for (uint8_t space = GPC_SPACE_SHARED; space < GPC_SPACE_INSTRUCTION; space++) {
        gpc_warp_result result = rig_fire(&r, LINE_BY(GPC_LOAD, 0, .space = space));
        cr_assert_eq(result.lines + result.sectors, 0);
    }
    EXPECT(&r, .warp_instructions = GPC_SPACE_INSTRUCTION - 2, .thread_instructions = 32 * (GPC_SPACE_INSTRUCTION - 2));
    rig_close(&r);
}

Test(memory_loads, instructions_without_memory) {
    rig r;
    rig_open(&r, NULL);
    gpc_hierarchy_count_instructions(r.hierarchy, 7, 200, 3);
    gpc_hierarchy_count_instructions(r.hierarchy, 1, 32, 0);
    gpc_hierarchy_count_instructions(NULL, 1, 1, 1);
    EXPECT(&r, .warp_instructions = 8, .thread_instructions = 232, .blocks = 3);
    rig_close(&r);
}

/* Statistics restart for every SM, not only for the first. */
Test(memory_loads, counted_anew_for_every_sm) {
    rig r;
    rig_open(&r, "sm.count = 3\n");
    for (uint32_t sm = 0; sm < 3; sm++)
        rig_fire(&r, WORD_BY(GPC_LOAD, 0, .sm = sm));
    cr_expect_eq(rig_stats(&r).l1_lookups, 3);
    gpc_hierarchy_reset_stats(r.hierarchy);
    cr_expect_eq(rig_stats(&r).l1_lookups, 0);
    rig_close(&r);
}
