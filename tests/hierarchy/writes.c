/* SPDX-License-Identifier: BSD-2-Clause */
#include "hierarchy/rig.h"

#include <criterion/criterion.h>

/* Stores under every policy, and dirty data on the way down to DRAM. */

/* A store writes through and drops the line from L1; L2 keeps the word until the flush. */
Test(memory_writes, evict) {
    rig r;
    rig_open(&r, NULL);
    rig_load(&r, 0);
    gpc_hierarchy_reset_stats(r.hierarchy);
    rig_fire(&r, WORD(GPC_STORE, 0));
    cr_assert_eq(rig_lines(&r, 1, 1), 0);
    EXPECT(&r, .warp_instructions = 1, .thread_instructions = 1, .l1_store_requests = 1, .l1_store_sectors = 1,
           .l1_store_sector_hits = 1, .l1_invalidations = 1, .l2_write_sectors = 1, .l2_write_sector_hits = 1);
    rig_flush(&r);
    EXPECT(&r, .l2_write_back_sectors = 1, .dram_write_sectors = 1);
    rig_close(&r);
}

/* The line stays in L1, and a miss allocates no line. */
Test(memory_writes, through) {
    rig r;
    rig_open(&r, "l1.write_policy = through\n");
    rig_load(&r, 0);
    gpc_hierarchy_reset_stats(r.hierarchy);
    rig_fire(&r, WORD(GPC_STORE, 0));
    rig_fire(&r, WORD(GPC_STORE, 0x80));
    cr_assert_eq(rig_lines(&r, 1, 1), 1);
    /* the second word's sector is fetched to L2 from DRAM, for the remaining bytes */
    EXPECT(&r, .warp_instructions = 2, .thread_instructions = 2, .l1_store_requests = 2, .l1_store_sectors = 2,
           .l1_store_sector_hits = 1, .l2_write_sectors = 2, .l2_write_sector_hits = 1, .dram_read_sectors = 1);
    rig_flush(&r);
    EXPECT(&r, .l1_invalidations = 1, .l2_write_back_sectors = 2, .dram_write_sectors = 2);
    rig_close(&r);
}

/* Part of a sector: the rest is fetched at once. */
Test(memory_writes, back_and_fetch) {
    rig r;
    rig_open(&r, "l1.write_policy = back\nl1.write_allocate = fetch\n");
    rig_fire(&r, WORD(GPC_STORE, 0));
    EXPECT(&r, .warp_instructions = 1, .thread_instructions = 1, .l1_store_requests = 1, .l1_store_sectors = 1,
           .l1_fetched_sectors = 1, .l2_read_sectors = 1, .dram_read_sectors = 1);
    rig_fire(&r, WORD(GPC_STORE, 4));
    EXPECT(&r, .warp_instructions = 1, .thread_instructions = 1, .l1_store_requests = 1, .l1_store_sectors = 1,
           .l1_store_sector_hits = 1);
    rig_flush(&r);
    EXPECT(&r, .l1_write_back_sectors = 1, .l1_invalidations = 1, .l2_write_sectors = 1, .l2_write_sector_hits = 1,
           .l2_write_back_sectors = 1, .dram_write_sectors = 1);
    rig_flush(&r);
    EXPECT(&r, .kernels = 0);
    rig_close(&r);
}

/* Whole sectors: neither level fetches. */
Test(memory_writes, back_of_whole_sectors) {
    rig r;
    rig_open(&r, "l1.write_policy = back\nl1.write_allocate = fetch\n");
    rig_store(&r, 0);
    EXPECT(&r, .warp_instructions = 1, .thread_instructions = 32, .l1_store_requests = 1, .l1_store_sectors = 4);
    rig_flush(&r);
    EXPECT(&r, .l1_write_back_sectors = 4, .l1_invalidations = 1, .l2_write_sectors = 4, .l2_write_sector_hits = 4,
           .l2_write_back_sectors = 4, .dram_write_sectors = 4);
    rig_close(&r);
}

/* Lazy: no fetch until a load needs the rest of the sector. */
Test(memory_writes, back_and_lazy) {
    rig r;
    rig_open(&r, "l1.write_policy = back\nl1.write_allocate = lazy\nl2.write_allocate = lazy\n");
    rig_fire(&r, WORD(GPC_STORE, 0));
    EXPECT(&r, .warp_instructions = 1, .thread_instructions = 1, .l1_store_requests = 1, .l1_store_sectors = 1);
    rig_fire(&r, WORD(GPC_LOAD, 4));
    EXPECT(&r, .warp_instructions = 1, .thread_instructions = 1, .l1_load_requests = 1, .l1_load_lines = 1,
           .l1_touched_lines = 1, .l1_load_sectors = 1, .l1_load_bytes_used = 4, .l1_load_bytes_moved = 32,
           .l1_fetched_sectors = 1, .l2_read_sectors = 1, .dram_read_sectors = 1);
    rig_close(&r);
    rig_open(&r, "l1.write_policy = back\nl1.write_allocate = lazy\nl2.write_allocate = lazy\n");
    rig_fire(&r, WORD(GPC_STORE, 0));
    rig_flush(&r);
    EXPECT(&r, .warp_instructions = 1, .thread_instructions = 1, .l1_store_requests = 1, .l1_store_sectors = 1,
           .l1_write_back_sectors = 1, .l1_invalidations = 1, .l2_write_sectors = 1, .l2_write_back_sectors = 1,
           .dram_write_sectors = 1);
    rig_close(&r);
}

Test(memory_writes, local_memory_has_its_own_policy) {
    rig r;
    rig_open(&r, "l1.write_policy_local = back\nl1.write_allocate_local = fetch\n");
    rig_fire(&r, LINE_BY(GPC_STORE, 0, .space = GPC_SPACE_LOCAL));
    rig_store(&r, 0x80);
    cr_assert_eq(rig_lines(&r, 1, 1), 1);
    EXPECT(&r, .warp_instructions = 2, .thread_instructions = 64, .l1_store_requests = 2, .l1_store_sectors = 8,
           .l2_write_sectors = 4, .l2_write_sector_hits = 4);
    rig_close(&r);
}

/* The third line of a set of two makes L1 write back the first. */
Test(memory_writes, l1_eviction_reaches_l2) {
    rig r;
    rig_open(&r, "l1.write_policy = back\nl1.write_allocate = fetch\n");
    for (uint64_t i = 0; i < 3; i++)
        rig_store(&r, i * 512);
    EXPECT(&r, .warp_instructions = 3, .thread_instructions = 96, .l1_store_requests = 3, .l1_store_sectors = 12,
           .l1_evictions = 1, .l1_write_back_sectors = 4, .l2_write_sectors = 4, .l2_write_sector_hits = 4);
    rig_load(&r, 0);
    /* the load hits in L2, and then drops the second line */
    EXPECT(&r, .warp_instructions = 1, .thread_instructions = 32, .l1_load_requests = 1, .l1_load_lines = 1,
           .l1_touched_lines = 1, .l1_load_sectors = 4, .l1_load_bytes_used = 128, .l1_load_bytes_moved = 128,
           .l1_evictions = 1, .l1_write_back_sectors = 4, .l1_fetched_sectors = 4, .l2_read_sectors = 4,
           .l2_read_sector_hits = 4, .l2_write_sectors = 4, .l2_write_sector_hits = 4);
    rig_flush(&r);
    /* left: lines 0 (clean) and 1024 in L1; then 0, 512 and 1024 in L2, all dirty */
    EXPECT(&r, .l1_write_back_sectors = 4, .l1_invalidations = 2, .l2_write_sectors = 4, .l2_write_sector_hits = 4,
           .l2_write_back_sectors = 12, .dram_write_sectors = 12);
    rig_close(&r);
}

Test(memory_writes, l1_eviction_reaches_dram) {
    rig r;
    rig_open(&r, "l1.write_policy = back\nl1.write_allocate = fetch\nl2.enabled = false\n");
    for (uint64_t i = 0; i < 3; i++)
        rig_fire(&r, WORD(GPC_STORE, i * 512));
    EXPECT(&r, .warp_instructions = 3, .thread_instructions = 3, .l1_store_requests = 3, .l1_store_sectors = 3,
           .l1_evictions = 1, .l1_fetched_sectors = 3, .l1_write_back_sectors = 1, .dram_read_sectors = 3,
           .dram_write_sectors = 1);
    rig_close(&r);
}

Test(memory_writes, l2_eviction_reaches_dram) {
    rig r;
    rig_open(&r, "l1.enabled = false\n");
    for (uint64_t i = 0; i < 5; i++)
        rig_store(&r, i * 2048);
    EXPECT(&r, .warp_instructions = 5, .thread_instructions = 160, .l1_store_requests = 5, .l1_store_sectors = 20,
           .l2_write_sectors = 20, .l2_write_sector_hits = 20, .l2_evictions = 1, .l2_write_back_sectors = 4,
           .dram_write_sectors = 4);
    rig_close(&r);
}

Test(memory_writes, l2_writes_through) {
    rig r;
    rig_open(&r, "l1.enabled = false\nl2.write_policy = through\nl2.write_allocate = none\n");
    rig_store(&r, 0);
    rig_fire(&r, WORD(GPC_STORE, 0x80));
    EXPECT(&r, .warp_instructions = 2, .thread_instructions = 33, .l1_store_requests = 2, .l1_store_sectors = 5,
           .l2_write_sectors = 5, .l2_write_sector_hits = 4, .dram_write_sectors = 5);
    rig_flush(&r);
    EXPECT(&r, .kernels = 0);
    rig_close(&r);
}

/* H100: a read miss fetches the aligned pair of sectors. */
Test(memory_writes, l2_fetches_pairs) {
    rig r;
    rig_open(&r, "l1.enabled = false\nl2.fetch_sectors = 2\n");
    rig_fire(&r, WORD(GPC_LOAD, 0x20));
    rig_fire(&r, WORD(GPC_LOAD, 0));
    EXPECT(&r, .warp_instructions = 2, .thread_instructions = 2, .l1_load_requests = 2, .l1_load_lines = 2,
           .l1_touched_lines = 2, .l1_load_sectors = 2, .l1_load_bytes_used = 8, .l1_load_bytes_moved = 64,
           .l2_read_sectors = 2, .l2_read_sector_hits = 1, .dram_read_sectors = 2);
    rig_load(&r, 0x80); /* a whole line: no hit, and no sector too many */
    EXPECT(&r, .warp_instructions = 1, .thread_instructions = 32, .l1_load_requests = 1, .l1_load_lines = 1,
           .l1_touched_lines = 1, .l1_load_sectors = 4, .l1_load_bytes_used = 128, .l1_load_bytes_moved = 128,
           .l2_read_sectors = 4, .dram_read_sectors = 4);
    rig_fire(&r, (shot){.kind = GPC_STORE, .address = 0x100, .stride = 4, .lanes = 8, .width = 4}); /* a sector */
    EXPECT(&r, .warp_instructions = 1, .thread_instructions = 8, .l1_store_requests = 1, .l1_store_sectors = 1,
           .l2_write_sectors = 1, .l2_write_sector_hits = 1);
    rig_close(&r);
}

/* A partial write fetches nothing until the sector is read; then the pair is fetched. */
Test(memory_writes, l2_fetches_lazily) {
    rig r;
    rig_open(&r, "l1.enabled = false\nl2.fetch_sectors = 2\nl2.write_allocate = lazy\n");
    rig_fire(&r, WORD(GPC_STORE, 0));
    EXPECT(&r, .warp_instructions = 1, .thread_instructions = 1, .l1_store_requests = 1, .l1_store_sectors = 1,
           .l2_write_sectors = 1);
    rig_fire(&r, WORD(GPC_LOAD, 4));
    rig_fire(&r, WORD(GPC_LOAD, 0x20));
    EXPECT(&r, .warp_instructions = 2, .thread_instructions = 2, .l1_load_requests = 2, .l1_load_lines = 2,
           .l1_touched_lines = 2, .l1_load_sectors = 2, .l1_load_bytes_used = 8, .l1_load_bytes_moved = 64,
           .l2_read_sectors = 2, .l2_read_sector_hits = 1, .dram_read_sectors = 2);
    rig_flush(&r);
    EXPECT(&r, .l2_write_back_sectors = 1, .dram_write_sectors = 1);
    rig_close(&r);
}
