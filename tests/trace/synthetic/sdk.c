/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs of Multi2Sim's CUDA SDK 6.5. Counts were worked out from the sources (m2s-bench-cudasdk-6.5, 1f0f416), the
 * tries of the histogram with a C program and the C library's rand() and srand(2009).
 */
#include "trace/synthetic/machine.h"

#include <criterion/criterion.h>

static uint64_t shared_of(const gpc_block *block, gpc_kind kind) {
    uint64_t count = 0;
    for (uint32_t w = 0; w < block->warp_count; w++)
        for (uint64_t i = 0; i < block->warps[w].count; i++) {
            const gpc_instruction *access = &block->warps[w].instructions[i];
            count += access->space == GPC_SPACE_SHARED && access->mask && access->kind == kind;
        }
    return count;
}

typedef struct uses {
    traffic global;
    uint64_t loads, stores; /* of shared memory */
} uses;

static uses next_kernel(rig *r, const char *name) {
    uses found = {0};
    cr_assert(rig_kernel(r));
    cr_assert_str_eq(r->kernel.name, name);
    for (const gpc_block *block; (block = rig_block(r)) != NULL;) {
        traffic_add(&found.global, block);
        found.loads += shared_of(block, GPC_LOAD);
        found.stores += shared_of(block, GPC_STORE);
    }
    return found;
}

static void expect(uses found, uint64_t loads, uint64_t stores, uint64_t shared_loads, uint64_t shared_stores) {
    cr_expect_eq(found.global.loads, loads, "%lu loads", (unsigned long)found.global.loads);
    cr_expect_eq(found.global.stores, stores, "%lu stores", (unsigned long)found.global.stores);
    cr_expect_eq(found.loads, shared_loads, "%lu shared loads", (unsigned long)found.loads);
    cr_expect_eq(found.stores, shared_stores, "%lu shared stores", (unsigned long)found.stores);
}

/*
 * 240 blocks of six warps clear eight words a thread. 2 MiB are 16,384 warps' words, with 126,942 tries: a try loads,
 * stores, and loads. Six warps write 256 bins in eight warp stores a block, each of six loads. 256 blocks merge: a
 * thread below 240 loads one count; eight warps store; halves of 128 to 1 take 4, 2, 1, 1, 1, 1, 1, 1 warps. Pixels are
 * counted once a word.
 */
Test(synthetic_sdk, histogram) {
    static const struct {
        const char *source;
        uint64_t words, tries;
    } sizes[] = {{"sdk-histogram", 16384, 126942},
                 {"sdk-histogram:32KiB", 256, 1977},
                 {"sdk-histogram:32KiB:pixels=1", 256, 507}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        rig r;
        const uint64_t tries = sizes[i].tries;
        rig_open(&r, sizes[i].source);
        uses found = next_kernel(&r, "_Z18histogram256KernelPjS_j");
        expect(found, sizes[i].words, 240 * 8, 2 * tries + 240 * 8 * 6, tries + 240 * 6 * 8);
        cr_expect_eq(found.global.barriers, 240 * 6 * 2);
        found = next_kernel(&r, "_Z23mergeHistogram256KernelPjS_j");
        expect(found, 256 * 8, 256, 256 * (2 * 12 + 1), 256 * (8 + 12));
        cr_assert(!rig_kernel(&r));
        rig_close(&r);
    }
}

/* Each try writes the warp's own histogram, and the highest lane of a bin is done with the try. */
Test(synthetic_sdk, histogram_tries) {
    rig r;
    rig_open(&r, "sdk-histogram:3000");
    cr_assert(rig_kernel(&r));
    const gpc_block *block = rig_block(&r);
    for (uint32_t w = 0; w < 4; w++) { /* 750 words: three whole warps and 14 lanes of block 0's warps */
        uint64_t left = 0, tries = 0;
        for (uint64_t i = 0; i + 2 < block->warps[w].count; i++) {
            const gpc_instruction *first = &block->warps[w].instructions[i];
            if (first->space == GPC_SPACE_SHARED && first->kind == GPC_STORE && first->mask && tries)
                for (unsigned lane = 0, n = 0; lane < 32; lane++) {
                    if (!(first->mask >> lane & 1))
                        continue;
                    const uint64_t at = first->addresses[n++] - GPCI_SHARED_BASE;
                    cr_assert_eq(at / 1024, w, "warp %u writes the histogram of warp %lu", w,
                                 (unsigned long)(at / 1024));
                    bool highest = true;
                    for (unsigned k = n; k < (unsigned)__builtin_popcountll(first->mask); k++)
                        highest = highest && first->addresses[k] != first->addresses[n - 1];
                    left |= (uint64_t)!highest << lane;
                }
            const bool read = first->space == GPC_SPACE_SHARED && first->kind == GPC_LOAD;
            const gpc_instruction *write = &block->warps[w].instructions[i + 3];
            if (read && left && write->kind == GPC_STORE) {
                cr_assert_eq(write->mask, left);
                left = 0;
            }
            tries += read;
        }
        cr_expect_gt(tries, 8);
    }
    rig_close(&r);
}

/*
 * 16 pairs of 32,768 floats: 1,024 accumulators are 32 warp steps, each with 32 elements of both vectors and a store.
 * Halves of 512 to 1 take 16, 8, 4, 2, 1, 1, 1, 1, 1, 1 warp steps of two loads and a store.
 */
Test(synthetic_sdk, scalarprod) {
    rig r;
    rig_open(&r, "sdk-scalarprod");
    uses found = next_kernel(&r, "_Z13scalarProdGPUPfS_S_ii");
    expect(found, 16 * 32 * 32 * 2, 16, 16 * (2 * 36 + 1), 16 * (32 + 36));
    cr_expect_eq(found.global.blocks, 128);
    cr_expect_eq(found.global.barriers, 16 * 8 * 10);
    cr_assert(!rig_kernel(&r));
    rig_close(&r);
}

static double moved(machine_lane *lane, const char *kernel) {
    (void)kernel;
    cr_assert_eq(lane->count, 1);
    lane->count = 0;
    return lane->queue[0];
}

/* Both launches transpose; a square and a wide matrix have different diagonals. */
Test(synthetic_sdk, transpose) {
    static const struct {
        const char *source;
        size_t rows, columns;
    } sizes[] = {{"sdk-transpose:256KiB", 256, 256}, {"sdk-transpose:128KiB", 128, 256}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        machine m;
        machine_open(&m, sizes[i].source, 4, moved);
        for (unsigned launch = 0; launch < 2; launch++) {
            cr_assert(machine_launch(&m));
            for (size_t y = 0; y < sizes[i].rows; y++)
                for (size_t x = 0; x < sizes[i].columns; x++)
                    machine_expect(&m, 1, x * sizes[i].rows + y, m.arrays[0][y * sizes[i].columns + x]);
        }
        cr_assert(!machine_launch(&m));
        machine_close(&m);
    }
}

/* 16 x 16 tiles of a square matrix: block (2, 3) has tile column 5 and tile row 2; of 8 x 16 tiles, block 50. */
Test(synthetic_sdk, diagonals) {
    static const struct {
        const char *source;
        uint32_t block;
        uint64_t row, column;
    } tiles[] = {{"sdk-transpose:256KiB", 3 * 16 + 2, 2, 5},
                 {"sdk-transpose:128KiB", 50, 50 % 8, (50 / 8 + 50 % 8) % 16}};
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++) {
        rig r;
        rig_open(&r, tiles[i].source);
        cr_assert(rig_kernel(&r));
        const gpc_block *block = rig_block(&r);
        for (uint32_t n = 0; n < tiles[i].block; n++)
            block = rig_block(&r);
        size_t count;
        const uint64_t base = gpci_synthetic_arrays(r.source, &count)[0].base;
        const gpc_instruction *load = block->warps[0].instructions;
        while (load->kind != GPC_LOAD || load->space != GPC_SPACE_GLOBAL)
            load++;
        cr_expect_eq(load->addresses[0] - base, (tiles[i].row * 16 * 256 + tiles[i].column * 16) * 4);
        rig_close(&r);
    }
}
