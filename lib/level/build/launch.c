/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/check.h"
#include "level/rules/driver.h"
#include "level/rules/kernels.h"
#include "level/rules/level_count.h"

#include <stdlib.h>
#include <string.h>

/*
 * Number of thread blocks of a launch that an SM holds at once, and the part of a unified memory that shared memory
 * leaves to L1.
 *
 * Example, H100. A block has 256 threads (8 warps), 32 registers per thread (1,024 per warp), and 3 KiB of shared
 * memory. The SM's 64 warps allow 64 / 8 = 8 blocks, the registers allow 65536 / 8192 = 8 blocks, and shared memory
 * allows 76 blocks. An SM holds 8 blocks with 24 KiB of shared memory. The carve-out is 32 KiB, and L1 has 224 KiB.
 */

static uint64_t round_up(uint64_t value, uint64_t unit) {
    return unit ? (value + unit - 1) / unit * unit : value;
}

static uint64_t shared_of_block(const gpc_hierarchy *hierarchy, const gpc_launch *launch) {
    return round_up(launch->shared_bytes + gpci_number(hierarchy, GPCI_KEY_SM_SHARED_RESERVED),
                    gpci_number(hierarchy, GPCI_KEY_SM_SHARED_UNIT));
}

static uint64_t smaller(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static uint64_t registers_of_warp(const gpc_hierarchy *hierarchy, const gpc_launch *launch) {
    return round_up((uint64_t)launch->registers * hierarchy->lanes, gpci_number(hierarchy, GPCI_KEY_SM_REGISTER_UNIT));
}

gpci_block_needs gpci_launch_needs(const gpc_hierarchy *hierarchy, const gpc_launch *launch) {
    const uint64_t warps = ((uint64_t)launch->threads + hierarchy->lanes - 1) / hierarchy->lanes;
    return (gpci_block_needs){.warps = (uint32_t)warps,
                              .registers = warps * registers_of_warp(hierarchy, launch),
                              .shared = shared_of_block(hierarchy, launch)};
}

uint32_t gpc_hierarchy_occupancy(const gpc_hierarchy *hierarchy, const gpc_launch *launch) {
    gpc_launch l = GPC_LAUNCH_INIT;
    if (!hierarchy || gpci_take(&l, sizeof l, sizeof l, launch, "gpc_launch", NULL) < 0)
        return 0;
    uint64_t warps = ((uint64_t)l.threads + hierarchy->lanes - 1) / hierarchy->lanes;
    uint64_t blocks = gpci_number(hierarchy, GPCI_KEY_SM_BLOCKS);
    if (!warps)
        return (uint32_t)blocks;
    blocks = smaller(blocks, gpci_number(hierarchy, GPCI_KEY_SM_WARPS) / warps);
    uint64_t registers = registers_of_warp(hierarchy, &l);
    if (registers) {
        uint64_t unit = gpci_number(hierarchy, GPCI_KEY_SM_WARP_UNIT);
        uint64_t fitting = gpci_number(hierarchy, GPCI_KEY_SM_REGISTERS) / registers / unit * unit;
        blocks = smaller(blocks, fitting / warps);
    }
    uint64_t shared = shared_of_block(hierarchy, &l);
    if (shared)
        blocks = smaller(blocks, gpci_number(hierarchy, GPCI_KEY_SM_SHARED) / shared);
    return (uint32_t)blocks;
}

#ifdef GPCI_CHECK
static bool fits(const gpc_hierarchy *hierarchy, const gpc_launch *launch, uint64_t blocks) {
    const gpci_block_needs one = gpci_launch_needs(hierarchy, launch);
    const uint64_t warps = blocks * one.warps, rounded = round_up(warps, gpci_number(hierarchy, GPCI_KEY_SM_WARP_UNIT));
    return warps <= gpci_number(hierarchy, GPCI_KEY_SM_WARPS) &&
           blocks * one.shared <= gpci_number(hierarchy, GPCI_KEY_SM_SHARED) &&
           rounded * registers_of_warp(hierarchy, launch) <= gpci_number(hierarchy, GPCI_KEY_SM_REGISTERS);
}

uint32_t gpci_launch_occupancy_again(const gpc_hierarchy *hierarchy, const gpc_launch *launch) {
    uint32_t blocks = 0;
    while (blocks < gpci_number(hierarchy, GPCI_KEY_SM_BLOCKS) &&
           (!launch->threads || fits(hierarchy, launch, blocks + 1)))
        blocks++;
    return blocks;
}
#endif

/*
 * Bytes of shared memory that the carve-out must hold. l1.carveout = auto: shared memory of the resident blocks.
 * l1.carveout = driver: CUDA's driver, without a hint by the program, plans for twice the number of resident blocks, or
 * for four times the number if the kernel has no shared memory of its own. The driver plans at most for sm.blocks
 * blocks. Found by comparison with counters of 63 launches on an H100; the rule explains all 63.
 */
static uint64_t shared_needed(const gpc_hierarchy *hierarchy, const gpc_launch *launch, uint32_t blocks) {
    if (!launch)
        return 0;
    bool driver = !strcmp(gpci_config_text(hierarchy->config, GPCI_KEY_L1_CARVEOUT), "driver");
    uint64_t system = 1024; /* bytes that CUDA adds to each block, from compute capability 8.0 on */
    uint64_t planned = !driver ? blocks : blocks * (launch->shared_bytes > system ? 2u : 4u);
    uint64_t most = gpci_number(hierarchy, GPCI_KEY_SM_BLOCKS);
    return smaller(planned, most) * shared_of_block(hierarchy, launch);
}

/* Smallest carve-out of `list` with at least `bytes`. If all are smaller, the last of the list. */
static uint64_t smallest_carveout(const char *list, uint64_t bytes) {
    uint64_t carveout = 0;
    while (*list) {
        char *end;
        unsigned long long size = strtoull(list, &end, 10);
        if (end == list)
            break;
        size <<= *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
        carveout = size;
        if (carveout >= bytes)
            break;
        list = end + strcspn(end, " ");
        list += strspn(list, " ");
    }
    return carveout;
}

static gpc_status shape_l1(const gpc_hierarchy *hierarchy, gpci_l1_share *share, gpc_error *error) {
    uint64_t total = gpci_number(hierarchy, GPCI_KEY_L1_SIZE), ways = gpci_number(hierarchy, GPCI_KEY_L1_WAYS);
    uint64_t line = (uint64_t)hierarchy->l1_level.line_bytes * hierarchy->line_blocks;
    /* l1.resize, the quantity that changes with the share: 0: sets, 1: ways, 2: lines */
    const uint64_t resize = gpci_number(hierarchy, GPCI_KEY_L1_RESIZE), lines = share->l1_bytes / line;
    const bool by_lines = resize == 2 && hierarchy->levels != &gpci_tree_levels;
    uint64_t sets = (resize ? total : share->l1_bytes) / line / ways;
    if (resize && sets && !by_lines)
        ways = lines / sets;
    if (!sets || !ways || !lines)
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "l1.size: %llu bytes are left beside shared memory, less than one set of %llu ways",
                         (unsigned long long)share->l1_bytes, (unsigned long long)ways);
    share->sets = (uint32_t)sets;
    share->ways = (uint32_t)ways;
    share->lines = by_lines ? (uint32_t)lines : 0;
    share->l1_bytes = (by_lines ? lines : sets * ways) * line;
    return GPC_OK;
}

gpc_status gpci_launch_l1_share(const gpc_hierarchy *hierarchy, const gpc_launch *launch, gpci_l1_share *share,
                                gpc_error *error) {
    uint64_t total = gpci_number(hierarchy, GPCI_KEY_L1_SIZE), chosen = gpci_number(hierarchy, GPCI_KEY_L1_CARVEOUT);
    uint32_t blocks = launch ? gpc_hierarchy_occupancy(hierarchy, launch) : 0;
    if (launch && !blocks)
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "a block of %u threads with %u registers each and %u bytes of shared memory "
                         "does not fit an SM",
                         launch->threads, launch->registers, launch->shared_bytes);
    *share = (gpci_l1_share){.l1_bytes = total};
    if (gpci_number(hierarchy, GPCI_KEY_L1_UNIFIED)) {
        const char *carveouts = gpci_config_text(hierarchy->config, GPCI_KEY_L1_CARVEOUTS);
        share->carveout =
            chosen != GPCI_WORD ? chosen : smallest_carveout(carveouts, shared_needed(hierarchy, launch, blocks));
        uint64_t taken = share->carveout + gpci_number(hierarchy, GPCI_KEY_L1_RESERVED);
        share->l1_bytes = taken < total ? total - taken : 0;
    }
    return shape_l1(hierarchy, share, error);
}

void gpci_launch_code(gpc_hierarchy *hierarchy, uint64_t bytes) {
    if (!hierarchy->cold || !gpci_number(hierarchy, GPCI_KEY_LAUNCH_CODE))
        return;
    /* instruction fetch uses lines of 128 bytes */
    uint64_t sectors = (bytes + 127) / 128 * (128 / GPCI_SEGMENT);
    gpci_count_dram_launch(hierarchy, sectors);
    GPCI_AGAIN(hierarchy->of_sm[0].again.dram_launch_sectors += sectors);
    hierarchy->cold = hierarchy->cold && !bytes;
}
