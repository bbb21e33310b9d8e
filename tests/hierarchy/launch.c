/* SPDX-License-Identifier: BSD-2-Clause */
#include "hierarchy/rig.h"
#include "measured.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* Effects of a kernel's begin: occupancy, the share of L1 in a unified memory, flushes, launch overhead. */

static gpc_launch launch_of(uint32_t threads, uint32_t registers, uint32_t shared) {
    gpc_launch launch = GPC_LAUNCH_INIT;
    launch.threads = threads;
    launch.registers = registers;
    launch.shared_bytes = shared;
    return launch;
}

typedef struct fit {
    uint32_t threads, registers, shared, blocks;
} fit;

static void check_fits(const char *settings, const fit *fits, size_t count) {
    rig r;
    rig_open(&r, settings);
    for (size_t i = 0; i < count; i++) {
        const fit *f = &fits[i];
        gpc_launch launch = launch_of(f->threads, f->registers, f->shared);
        cr_expect_eq(gpc_hierarchy_occupancy(r.hierarchy, &launch), f->blocks,
                     "%u threads, %u registers, %u bytes: %u blocks, not %u", f->threads, f->registers, f->shared,
                     gpc_hierarchy_occupancy(r.hierarchy, &launch), f->blocks);
        gpc_error error = GPC_ERROR_INIT;
        gpc_status status = gpc_hierarchy_begin_kernel(r.hierarchy, &launch, &error);
        cr_expect_eq(status, f->blocks ? GPC_OK : GPC_ERROR_RANGE);
        cr_expect_eq(strstr(error.message, "does not fit") != NULL, !f->blocks, "%s", error.message);
        if (f->blocks)
            cr_expect_eq(rig_stats(&r).resident_blocks, f->blocks);
    }
    rig_close(&r);
}
#define CHECK_FITS(settings, fits) check_fits(settings, fits, sizeof(fits) / sizeof *(fits))

/* Fermi: 48 warps, 8 blocks, 32,768 registers in units of 64 a warp and 2 warps, 48 KiB in units of 128 bytes. */
Test(memory_launch, occupancy_of_fermi) {
    static const fit fits[] = {
        {32, 0, 0, 8},                                             /* blocks */
        {192, 16, 0, 8},                                           /* 6 warps: 48 / 6 */
        {256, 0, 0, 6},                                            /* 8 warps: 48 / 8 */
        {257, 0, 0, 5},                                            /* 9 warps: 48 / 9 */
        {256, 20, 0, 6},                                           /* 640 a warp: 51, in twos 50; 50 / 8 */
        {256, 21, 0, 5},                                           /* 672 become 704: 46 warps; 46 / 8 */
        {96, 63, 0, 5},                                            /* 2,016 become 2,048: 16 warps; 16 / 3 */
        {544, 63, 0, 0},                                           /* 17 warps of 16 */
        {512, 63, 0, 1},                                           /* 16 of 16 */
        {1536, 0, 0, 1},                                           /* 48 of 48 */
        {1537, 0, 0, 0},                                           /* 49 of 48 */
        {32, 0, 12288, 4},                                         /* 49,152 / 12,288 */
        {32, 0, 12289, 3},                                         /* becomes 12,416 */
        {32, 0, 49152, 1}, {32, 0, 49153, 0}, {256, 21, 12288, 4}, /* the smallest of 6, 5 and 4 */
    };
    CHECK_FITS("sm.warps = 48\nsm.blocks = 8\nsm.registers = 32768\nsm.register_unit = 64\nsm.warp_unit = 2\n"
               "sm.shared = 48KiB\nsm.shared_unit = 128B\nsm.shared_reserved = 0B\n",
               fits);
}

/* H100: 64 warps, 32 blocks, 65,536 registers in units of 256 a warp and 4 warps, 228 KiB, minus 1 per block. */
Test(memory_launch, occupancy_of_h100) {
    static const fit fits[] = {
        {32, 16, 0, 32},         /* blocks */
        {96, 37, 0, 16},         /* 1,184 become 1,280: 51 warps, in fours 48; 48 / 3 (51 / 3 would be 17) */
        {256, 32, 2048, 8},      /* warps: 64 / 8 */
        {1024, 64, 0, 1},        /* 2,048 a warp: 32 warps of 32 */
        {1024, 65, 0, 0},        /* 2,080 become 2,304: 28 warps */
        {64, 16, 10 * 1024, 20}, /* 11 KiB: 228 / 11 */
        {64, 16, 227 * 1024, 1}, /* 228 KiB */
        {64, 16, 227 * 1024 + 1, 0},
    };
    CHECK_FITS("sm.warps = 64\nsm.blocks = 32\nsm.registers = 65536\nsm.register_unit = 256\nsm.warp_unit = 4\n"
               "sm.shared = 228KiB\nsm.shared_unit = 128B\nsm.shared_reserved = 1KiB\n",
               fits);
}

/* Wavefronts of 64: 256 threads are 4 wavefronts, and a unit of registers serves 64 lanes. */
Test(memory_launch, occupancy_of_wavefronts) {
    static const fit fits[] = {
        {256, 0, 0, 10}, /* 40 / 4 */
        {65, 0, 0, 16},  /* 2 of 40: 20, blocks 16 */
        {256, 64, 0, 4}, /* 4,096 a wavefront: 16; 16 / 4 */
    };
    CHECK_FITS("sm.lanes = 64\nsm.warps = 40\nsm.blocks = 16\nsm.registers = 65536\nsm.register_unit = 256\n"
               "sm.warp_unit = 1\n",
               fits);
}

Test(memory_launch, a_block_that_does_not_fit_changes_nothing) {
    rig r;
    rig_open(&r, NULL);
    rig_load(&r, 0);
    gpc_hierarchy_reset_stats(r.hierarchy);
    gpc_launch launch = launch_of(4096, 0, 0);
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(gpc_hierarchy_begin_kernel(r.hierarchy, &launch, &error), GPC_ERROR_RANGE);
    EXPECT(&r, .kernels = 0);
    cr_assert_eq(rig_lines(&r, 1, 1), 1);
    cr_assert_eq(gpc_hierarchy_begin_kernel(NULL, NULL, &error), GPC_ERROR_ARGUMENT);
    launch.struct_size = 0;
    cr_assert_eq(gpc_hierarchy_begin_kernel(r.hierarchy, &launch, &error), GPC_ERROR_ABI);
    cr_assert_eq(gpc_hierarchy_occupancy(r.hierarchy, &launch), 0);
    rig_close(&r);
}

/* 256 KiB with the carve-outs of H100; 8 blocks of 256 threads fit. */
#define UNIFIED                                                                                       \
    "sm.warps = 64\nsm.blocks = 32\nsm.registers = 65536\nsm.register_unit = 256\nsm.warp_unit = 4\n" \
    "sm.shared = 228KiB\nsm.shared_unit = 128B\nsm.shared_reserved = 1KiB\n"                          \
    "l1.size = 256KiB\nl1.ways = 4\nl1.unified = true\n"                                              \
    "l1.carveouts = 0B 8KiB 16KiB 32KiB 64KiB 100KiB 132KiB 164KiB 196KiB 228KiB\n"

/* Loads twice as many lines as fit in L1: counts the lines that stay. */
static uint64_t capacity(rig *r) {
    for (uint64_t i = 0; i < 4096; i++)
        rig_fire(r, WORD(GPC_LOAD, i * 128));
    return rig_lines(r, 1, 1) * 128ull;
}

static void check_share(const char *settings, const gpc_launch *launch, unsigned kib) {
    rig r;
    rig_open(&r, settings);
    cr_expect_eq(capacity(&r) > 0, true);
    rig_begin(&r, launch);
    cr_expect_eq(rig_stats(&r).l1_capacity, kib * 1024ull, "%s: %u of %u KiB", settings,
                 (unsigned)(rig_stats(&r).l1_capacity / 1024), kib);
    cr_expect_eq(capacity(&r), kib * 1024ull, "%s: holds %u of %u KiB", settings, (unsigned)(capacity(&r) / 1024), kib);
    rig_close(&r);
}

Test(memory_launch, carveout_that_holds_the_blocks) {
    gpc_launch some = launch_of(256, 32, 2048), none = launch_of(256, 32, 0), all = launch_of(256, 32, 27 * 1024);
    check_share(UNIFIED "l1.carveout = auto\n", NULL, 256);
    check_share(UNIFIED "l1.carveout = auto\n", &some, 224); /* 8 x 3 KiB: 32 KiB */
    check_share(UNIFIED "l1.carveout = auto\n", &none, 248); /* 8 x 1 KiB: 8 KiB */
    check_share(UNIFIED "l1.carveout = auto\n", &all, 28);   /* 8 x 28 KiB: 228 KiB */
}

/* Carve-outs of MiB, in the configuration's own spelling. */
Test(memory_launch, carveouts_of_mebibytes) {
    gpc_launch some = launch_of(256, 32, 2048);
    rig r;
    rig_open(&r, UNIFIED "l1.carveout = auto\nl1.size = 4MiB\nsm.shared = 2MiB\nl1.carveouts = 0B 1MiB 2MiB\n");
    rig_begin(&r, &some);
    cr_expect_eq(rig_stats(&r).l1_capacity, 3u << 20);
    rig_close(&r);
}

/* The driver plans for twice the resident blocks, and for four times without shared memory in the kernel. */
Test(memory_launch, carveout_of_the_driver) {
    gpc_launch some = launch_of(256, 32, 2048), none = launch_of(256, 32, 0), small = launch_of(32, 32, 4096);
    check_share(UNIFIED "l1.carveout = driver\n", NULL, 256);
    check_share(UNIFIED "l1.carveout = driver\n", &some, 192); /* 16 x 3 KiB: 64 KiB */
    check_share(UNIFIED "l1.carveout = driver\n", &none, 224); /* 32 x 1 KiB: 32 KiB */
    check_share(UNIFIED "l1.carveout = driver\n", &small, 92); /* 32 resident, no more on an SM, x 5 KiB: 164 KiB */
}

/* A host's borrowed L1 remains the SM's, with another size. */
Test(memory_launch, borrowed_cache_is_resized) {
    rig r;
    rig_open(&r, UNIFIED "l1.carveout = auto\n");
    gpc_cache *l1 = gpc_hierarchy_cache(r.hierarchy, 1, 0);
    rig_fire(&r, WORD(GPC_LOAD, 1024));
    gpc_request load = {.kind = GPC_LOAD, .address = 1024, .size = 4};
    gpc_access_result result;
    cr_expect_eq(gpc_cache_probe(l1, &load, &result, NULL), GPC_OK);
    cr_expect_eq(result.outcome, GPC_HIT);
    gpc_launch all = launch_of(256, 32, 27 * 1024);
    for (int i = 0; i < 2; i++) { /* smaller, and as large as before */
        rig_begin(&r, i ? NULL : &all);
        cr_expect_eq(gpc_hierarchy_cache(r.hierarchy, 1, 0), l1);
        cr_expect_eq(gpc_cache_probe(l1, &load, &result, NULL), GPC_OK);
        cr_expect_eq(result.outcome, GPC_MISS);
        rig_fire(&r, WORD(GPC_LOAD, 1024));
        cr_expect_eq(gpc_cache_probe(l1, &load, &result, NULL), GPC_OK);
        cr_expect_eq(result.outcome, GPC_HIT);
    }
    cr_expect_eq(rig_stats(&r).l1_load_lines, 3);
    rig_close(&r);
}

Test(memory_launch, carveout_by_hand) {
    gpc_launch some = launch_of(256, 32, 2048);
    check_share(UNIFIED "l1.carveout = 100KiB\n", NULL, 156);
    check_share(UNIFIED "l1.carveout = 100KiB\n", &some, 156);
}

/* Neither shared memory nor lines: 8 KiB less with any carve-out; no effect on an L1 that is not unified. */
Test(memory_launch, reserved) {
    gpc_launch some = launch_of(256, 32, 2048);
    check_share(UNIFIED "l1.reserved = 8KiB\n", NULL, 248);
    check_share(UNIFIED "l1.reserved = 8KiB\n", &some, 216);
    check_share(UNIFIED "l1.reserved = 8KiB\nl1.resize = ways\n", &some, 192); /* 216 KiB left: 3 ways of 64 KiB */
    check_share(UNIFIED "l1.unified = false\nl1.reserved = 8KiB\n", &some, 256);
}

/* 512 sets of 4 ways: a carve-out takes ways of 64 KiB. */
Test(memory_launch, carveout_of_ways) {
    gpc_launch some = launch_of(256, 32, 2048), more = launch_of(256, 32, 7 * 1024);
    gpc_launch most = launch_of(256, 32, 15 * 1024);
    check_share(UNIFIED "l1.resize = ways\n", NULL, 256);
    check_share(UNIFIED "l1.resize = ways\n", &some, 192); /* 224 KiB left: 3 ways */
    check_share(UNIFIED "l1.resize = ways\n", &more, 192); /* 64 KiB: 192 KiB left */
    check_share(UNIFIED "l1.resize = ways\n", &most, 64);  /* 8 x 16 KiB: 132 KiB; 124 KiB left: 1 way */
}

/* Tags of 256 KiB, and data for what the carve-out leaves: another number of lines in the same sets and ways. */
Test(memory_launch, carveout_of_lines) {
    gpc_launch some = launch_of(256, 32, 2048), more = launch_of(256, 32, 7 * 1024);
    check_share(UNIFIED "l1.resize = lines\n", NULL, 256);
    check_share(UNIFIED "l1.resize = lines\n", &some, 224);
    check_share(UNIFIED "l1.resize = lines\n", &more, 192);
}

/* Outcomes of random loads in a region of twice L1's size, as a number. */
static uint64_t outcomes(rig *r) {
    uint64_t random = 9, sum = 0;
    for (unsigned i = 0; i < 6000; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        sum = sum * 31 + rig_load(r, (random >> 40) % 4096 * 128).l1_sector_hits;
    }
    return sum;
}

/* L1s that a launch gives other lines in the same sets and ways are as new, whatever was loaded before. */
Test(memory_launch, lines_of_a_new_cache) {
    static const char *const settings[] = {"", "l1.track_reuse = true\n", "l1.bypass = always-bypass\n",
                                           "l1.replacement = srrip\n", "l1.ways = 32\nl1.bypass = hint\n"};
    gpc_launch before = launch_of(256, 32, 7 * 1024), launch = launch_of(256, 32, 2048);
    for (unsigned i = 0; i < sizeof settings / sizeof *settings; i++) {
        char text[500];
        rig used, fresh;
        snprintf(text, sizeof text, UNIFIED "l1.resize = lines\n%s", settings[i]);
        rig_open(&used, text);
        rig_open(&fresh, text);
        rig_begin(&used, &before);
        outcomes(&used);
        rig_load(&used, (uint64_t)1 << 50);
        rig_begin(&used, &launch);
        rig_begin(&fresh, &launch);
        cr_expect_eq(outcomes(&used), outcomes(&fresh), "%s", settings[i]);
        measured_cache stats[2];
        measured_clear(&stats[0]);
        measured_clear(&stats[1]);
        measure_cache(gpc_hierarchy_cache(used.hierarchy, 1, 0), &stats[0]);
        measure_cache(gpc_hierarchy_cache(fresh.hierarchy, 1, 0), &stats[1]);
        cr_expect_arr_eq(&stats[0], &stats[1], sizeof *stats, "%s", settings[i]);
        rig_close(&used);
        rig_close(&fresh);
    }
}

/* Dirty lines and counts of an L1 survive resizing. */
Test(memory_launch, resizing_loses_nothing) {
    rig r;
    rig_open(&r, UNIFIED "l1.write_policy = back\nl1.write_allocate = fetch\n");
    for (uint64_t i = 0; i < 5; i++)
        rig_store(&r, i * 64 * 1024); /* 512 sets: five lines of a set of four */
    cr_assert_eq(rig_stats(&r).l1_evictions, 1);
    gpc_launch launch = launch_of(256, 32, 2048);
    rig_begin(&r, &launch);
    EXPECT(&r, .kernels = 1, .warp_instructions = 5, .thread_instructions = 160, .l1_store_requests = 5,
           .l1_store_sectors = 20, .l1_evictions = 1, .l1_write_back_sectors = 20, .l1_invalidations = 4,
           .l2_write_sectors = 20, .l2_write_sector_hits = 20, .l2_evictions = 1, .l2_write_back_sectors = 4,
           .dram_write_sectors = 4, .l1_capacity = 224 * 1024, .resident_blocks = 8);
    rig_close(&r);
}

static void check_flush(const char *settings, unsigned l1_hits, unsigned l2_hits, unsigned dram) {
    rig r;
    rig_open(&r, settings);
    rig_begin(&r, NULL);
    rig_load(&r, 0);
    rig_begin(&r, NULL);
    gpc_warp_result result = rig_load(&r, 0);
    cr_expect_eq(result.l1_sector_hits, l1_hits, "%s", settings);
    cr_expect_eq(result.l2_sector_hits, l2_hits, "%s", settings);
    cr_expect_eq(result.dram_sectors, dram, "%s", settings);
    cr_expect_eq(rig_stats(&r).kernels, 2);
    rig_close(&r);
}

Test(memory_launch, flush_between_kernels) {
    check_flush("kernels.flush = none\n", 4, 0, 0);
    check_flush("kernels.flush = l1\n", 0, 4, 0);
    check_flush("kernels.flush = all\n", 0, 0, 4);
}

static uint64_t written_at_begin(const char *settings) {
    rig r;
    rig_open(&r, settings);
    rig_store(&r, 0);
    rig_begin(&r, NULL);
    measured_stats stats = rig_stats(&r);
    rig_close(&r);
    return stats.l1_write_back_sectors * 16 + stats.l2_write_back_sectors * 256 + stats.dram_write_sectors;
}

Test(memory_launch, flush_writes_back) {
    cr_expect_eq(written_at_begin("l1.write_policy = back\nl1.write_allocate = fetch\nkernels.flush = none\n"), 0);
    cr_expect_eq(written_at_begin("l1.write_policy = back\nl1.write_allocate = fetch\nkernels.flush = l1\n"), 0x40);
    cr_expect_eq(written_at_begin("l1.write_policy = back\nl1.write_allocate = fetch\nkernels.flush = all\n"), 0x444);
}

Test(memory_launch, overhead_of_any_launch) {
    rig r;
    rig_open(&r, "launch.sectors = 22\n");
    rig_begin(&r, NULL);
    rig_begin(&r, NULL);
    EXPECT(&r, .kernels = 2, .l1_capacity = 1024, .dram_read_sectors = 44, .dram_launch_sectors = 44);
    rig_close(&r);
}

/* 256 bytes are 8 sectors: read once, and again with cold caches. */
static void check_code(const char *settings, uint64_t second, uint64_t cold) {
    rig r;
    gpc_launch launch = launch_of(32, 0, 0);
    launch.code_bytes = 256;
    rig_open(&r, settings);
    rig_begin(&r, &launch);
    cr_expect_eq(rig_stats(&r).dram_launch_sectors, cold, "%s", settings);
    rig_begin(&r, &launch);
    cr_expect_eq(rig_stats(&r).dram_launch_sectors, cold + second, "%s", settings);
    rig_flush(&r);
    rig_begin(&r, &launch);
    cr_expect_eq(rig_stats(&r).dram_launch_sectors, 2 * cold + second, "%s", settings);
    cr_expect_eq(rig_stats(&r).dram_read_sectors, 2 * cold + second, "%s", settings);
    rig_close(&r);
}

Test(memory_launch, code_of_a_cold_launch) {
    check_code("launch.code = false\n", 0, 0);
    check_code("launch.code = true\n", 0, 8);
    check_code("launch.code = true\nkernels.flush = l1\n", 0, 8);
    check_code("launch.code = true\nkernels.flush = all\n", 8, 8);
    check_code("coherence = nmoesi\nlaunch.code = true\nkernels.flush = l1\n", 0, 8);
    check_code("coherence = nmoesi\nlaunch.code = true\nkernels.flush = all\n", 8, 8);
}
