/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* Kernels of tensor cores, beside counts of bytes by hand. */

static traffic only(const char *name) {
    rig r;
    rig_open(&r, name);
    cr_assert(rig_kernel(&r));
    const traffic sum = rig_traffic(&r);
    cr_assert(!rig_kernel(&r));
    rig_close(&r);
    return sum;
}

/* n x n halves: each of (n / tile)^2 blocks reads its n x tile parts of A and B^T, and writes tile x tile of C. */
Test(synthetic_tensor, gemm_bytes) {
    static const struct {
        const char *name;
        uint64_t n, tile;
    } cases[] = {{"gemm:512KiB", 512, 128},
                 {"gemm:512KiB:tile=64,depth=64,stages=4", 512, 64},
                 {"gemm:2MiB:depth=64,stages=2,raster=3", 1024, 128},
                 {"gemm:128KiB:stages=8", 256, 128},
                 {"gemm:513KiB:tile=64,raster=100", 512, 64}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const traffic sum = only(cases[i].name);
        const uint64_t side = cases[i].n / cases[i].tile;
        cr_expect_eq(sum.blocks, side * side, "%s", cases[i].name);
        cr_expect_eq(sum.load_sectors * 32, side * side * 2 * cases[i].n * cases[i].tile * 2, "%s", cases[i].name);
        cr_expect_eq(sum.loads * 512, sum.load_sectors * 32, "%s", cases[i].name);
        cr_expect_eq(sum.store_sectors * 32, cases[i].n * cases[i].n * 2, "%s", cases[i].name);
    }
}

/* Number of a warp's instructions with an opcode. */
static unsigned number_of(const rig *r, const gpc_warp *warp, const char *opcode) {
    unsigned found = 0;
    for (uint64_t n = 0; n < warp->count; n++)
        found += !strcmp(rig_opcode(r, &warp->instructions[n]), opcode);
    return found;
}

/* A warp multiplies 64 x 32 of 128 x 128: 4 x 4 products of 16 x 8 x 16 for each of 512 / 16 columns. */
Test(synthetic_tensor, gemm_products_and_groups) {
    rig r;
    rig_open(&r, "gemm:512KiB:stages=4");
    cr_assert(rig_kernel(&r));
    cr_expect_eq(r.kernel.shared_bytes, 4 * 2 * 128 * 32 * 2 + GPCI_SHARED_BASE);
    const gpc_warp *warp = &rig_block(&r)->warps[5];
    cr_expect_eq(number_of(&r, warp, "HMMA.16816.F32"), 16 * 512 / 16);
    cr_expect_eq(number_of(&r, warp, "LDGDEPBAR"), 3 + 16);
    cr_expect_eq(number_of(&r, warp, "DEPBAR.LE"), 16);
    cr_expect_eq(number_of(&r, warp, "BAR.SYNC"), 16);
    rig_close(&r);
}

/* First rows of A and B^T that a block of 256 x 256 tiles of 64 reads tell its tile. */
static void tile_of(const char *name, unsigned block, unsigned *row, unsigned *column) {
    rig r;
    size_t count;
    rig_open(&r, name);
    cr_assert(rig_kernel(&r));
    const gpci_synthetic_array *arrays = gpci_synthetic_arrays(r.source, &count);
    const gpc_block *found = NULL;
    for (unsigned n = 0; n <= block; n++)
        found = rig_block(&r);
    unsigned seen = 0;
    for (uint64_t n = 0; n < found->warps[0].count && seen < 2; n++) {
        const gpc_instruction *i = &found->warps[0].instructions[n];
        if (strcmp(rig_opcode(&r, i), "LDGSTS.E.BYPASS.128") != 0)
            continue;
        *(seen ? column : row) = (unsigned)((i->addresses[0] - arrays[seen].base) / (64 * 256 * 2));
        seen++;
    }
    cr_assert_eq(seen, 2);
    rig_close(&r);
}

/* 4 x 4 tiles of 64: row after row, and in groups of three rows, the last of which has one. */
Test(synthetic_tensor, gemm_raster) {
    static const unsigned plain[][2] = {{0, 0}, {0, 1}, {0, 2}, {0, 3}, {1, 0}, {1, 1}};
    static const unsigned grouped[][2] = {{0, 0}, {1, 0}, {2, 0}, {0, 1}, {1, 1}, {2, 1}};
    for (unsigned n = 0; n < 6; n++) {
        unsigned row, column;
        tile_of("gemm:128KiB:tile=64", n, &row, &column);
        cr_expect(row == plain[n][0] && column == plain[n][1], "block %u: %u, %u", n, row, column);
        tile_of("gemm:128KiB:tile=64,raster=3", n, &row, &column);
        cr_expect(row == grouped[n][0] && column == grouped[n][1], "block %u: %u, %u", n, row, column);
    }
    unsigned row, column;
    tile_of("gemm:128KiB:tile=64,raster=3", 13, &row, &column);
    cr_expect(row == 3 && column == 1, "%u, %u", row, column);
}

/* A block of 128 queries reads all keys and values of the head, or with `causal` the keys up to its queries. */
Test(synthetic_tensor, attention_bytes) {
    static const struct {
        const char *name;
        uint64_t rows, dim, heads;
        bool causal;
    } cases[] = {{"flash-attention:1MiB:heads=8", 512, 128, 8, false},
                 {"flash-attention:1MiB:heads=8,causal=1", 512, 128, 8, true},
                 {"flash-attention:1MiB:dim=64,heads=8,causal=1", 1024, 64, 8, true},
                 {"flash-attention:300KiB:dim=64,heads=3", 768, 64, 3, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const traffic sum = only(cases[i].name);
        const uint64_t row = cases[i].dim * 2, blocks = cases[i].rows / 128;
        uint64_t keys = 0;
        for (uint64_t b = 0; b < blocks; b++)
            keys += cases[i].causal ? (b + 1) * 128 : cases[i].rows;
        cr_expect_eq(sum.blocks, blocks * cases[i].heads, "%s", cases[i].name);
        cr_expect_eq(sum.load_sectors * 32, cases[i].heads * (cases[i].rows + 2 * keys) * row, "%s", cases[i].name);
        cr_expect_eq(sum.store_sectors * 32, cases[i].heads * cases[i].rows * row, "%s", cases[i].name);
    }
}

/* Scores of 32 x 64 and outputs of 32 x 128 of a warp, for each of eight blocks of keys. */
Test(synthetic_tensor, attention_products) {
    rig r;
    rig_open(&r, "flash-attention:128KiB");
    cr_assert(rig_kernel(&r));
    const gpc_warp *warp = &rig_block(&r)->warps[3];
    cr_expect_eq(number_of(&r, warp, "HMMA.16816.F32"), 8 * (2 * 8 * 8 + 2 * 16 * 4));
    cr_expect_eq(number_of(&r, warp, "MUFU.EX2"), 8 * 64);
    cr_expect_eq(number_of(&r, warp, "BAR.SYNC"), 8 * 2);
    rig_close(&r);
}

Test(synthetic_tensor, refusals) {
    static const struct {
        const char *name, *told;
    } cases[] = {{"gemm:1MiB:tile=96", "gemm: parameter 'tile': 96 is neither 64 nor 128"},
                 {"gemm:1MiB:depth=48", "gemm: parameter 'depth': 48 is neither 32 nor 64"},
                 {"flash-attention:1MiB:dim=96", "flash-attention: parameter 'dim': 96 is neither 64 nor 128"},
                 {"flash-attention:64KiB:heads=9", "queries of 65536 bytes have no 128 rows in each of 9 heads"}};
    gpc_context *context;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char name[80];
        gpc_trace *trace = NULL;
        gpc_error error = GPC_ERROR_INIT;
        snprintf(name, sizeof name, "synthetic:%s", cases[i].name);
        cr_expect_eq(gpc_trace_open(context, name, &trace, &error), GPC_ERROR_RANGE);
        cr_expect(strstr(error.message, cases[i].told), "%s", error.message);
    }
    gpc_context_destroy(context);
}
