/* SPDX-License-Identifier: BSD-2-Clause */
/* ISPASS' LPS as compiled for Fermi: run on numbers, and counted by hand. */
#include "trace/synthetic/machine.h"

#include <criterion/criterion.h>

/* Copies, and sums of six neighbours. */
static double sum_of_neighbours(machine_lane *lane, const char *kernel) {
    double sum = 0;
    (void)kernel;
    cr_assert(lane->count == 1 || lane->count == 6);
    while (lane->count)
        sum += lane->queue[--lane->count];
    return sum;
}

/* 37 elements along a side: two blocks in x, the second with 5 columns; ten in y, the last with one row. */
Test(synthetic_laplace, on_numbers) {
    enum { FROM, TO, N = 37 };
    machine m;
    machine_open(&m, "ispass-lps:203000", 4, sum_of_neighbours);
    cr_assert_eq(m.lengths[TO], N * N * N);
    machine_run(&m);
    for (size_t at = 0; at < N * N * N; at++) {
        const size_t i = at % N, j = at / N % N, k = at / N / N, last = N - 1;
        const double *u = m.arrays[FROM] + at;
        if (!i || !j || !k || i == last || j == last || k == last)
            machine_expect(&m, TO, at, *u);
        else
            machine_expect(&m, TO, at, u[-1] + u[1] + u[-N] + u[N] + u[-N * N] + u[N * N]);
    }
    machine_close(&m);
}

/*
 * 32 along a side: eight blocks of four warps; a warp's row is four sectors in each of 32 planes. Seven blocks have a
 * row above the patch, seven a row below, and none has a column beside the patch.
 */
Test(synthetic_laplace, counts) {
    rig r;
    rig_open(&r, "ispass-lps:128KiB");
    cr_assert(rig_kernel(&r));
    const traffic t = rig_traffic(&r);
    cr_expect_eq(t.blocks, 8);
    cr_expect_eq(t.loads, 32 * (8 * 4 + 7 + 7));
    cr_expect_eq(t.load_sectors, 4 * t.loads);
    cr_expect_eq(t.stores, 32 * 8 * 4);
    cr_expect_eq(t.store_sectors, 4 * t.stores);
    cr_expect_eq(t.barriers, 32 * 2 * 8 * 4);
    cr_assert_not(rig_kernel(&r));
    rig_close(&r);
}

/* The published cube: 4 x 25 blocks. Block (1, 1) has six elements left and six right of the patch: 12 sectors. */
Test(synthetic_laplace, published) {
    rig r;
    rig_open(&r, "ispass-lps:4000000");
    cr_assert(rig_kernel(&r));
    cr_expect_eq(r.kernel.grid[0], 4);
    cr_expect_eq(r.kernel.grid[1], 25);
    cr_expect_eq(r.kernel.shared_bytes, 1024 + 2560); /* 2,448 bytes, in units of 128 */
    const gpc_block *block = rig_block(&r);
    for (unsigned n = 0; n < 5; n++)
        block = rig_block(&r);
    const gpc_warp *warp = &block->warps[2];
    unsigned columns = 0;
    for (uint64_t n = 0; n < warp->count; n++) {
        const gpc_instruction *i = &warp->instructions[n];
        if (i->kind != GPC_LOAD || i->space != GPC_SPACE_GLOBAL || i->mask != 0xfff)
            continue;
        cr_expect_eq(sectors_of(i), 12);
        columns++;
    }
    cr_expect_eq(columns, 100);
    rig_close(&r);
}
