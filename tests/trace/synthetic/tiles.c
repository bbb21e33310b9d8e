/* SPDX-License-Identifier: BSD-2-Clause */
/* Parboil's sgemm as compiled for Fermi: run on numbers, and counted by hand. */
#include "trace/synthetic/machine.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { HEIGHT = 8, WIDTH = 16, STEPS = 24, LOADS = STEPS * (1 + WIDTH) + STEPS / HEIGHT };

/*
 * An element of B on the way to shared memory; or three times the old value and a sum. A lane's queue keeps all its
 * loads: of each eight steps the element of B, then for each step an element of A and 16 of B.
 */
static double tiled(machine_lane *lane, const char *kernel) {
    const double *q = lane->queue;
    const unsigned count = lane->count;
    (void)kernel;
    if (!lane->shared && count < LOADS)
        return q[count - 1];
    const unsigned column = count - LOADS - 1;
    double sum = 3 * q[count - 1];
    for (unsigned step = 0; step < STEPS; step++) {
        const double *a = q + step / HEIGHT + 1 + step * (1 + WIDTH);
        sum += a[0] * a[1 + column];
    }
    return sum;
}

/* 128 x 128 elements, 24 steps: element (row, column) is at column * 128 + row. */
Test(synthetic_tiles, on_numbers) {
    enum { A, B, C, N = 128 };
    machine m;
    machine_open(&m, "parboil-sgemm:64KiB:steps=24", 4, tiled);
    double *old = machine_copy(&m, C);
    machine_run(&m);
    for (size_t i = 0; i < N * N; i++) {
        double sum = 3 * old[i];
        for (size_t step = 0; step < STEPS; step++)
            sum += m.arrays[A][step * N + i % N] * m.arrays[B][step * N + i / N];
        machine_expect(&m, C, i, sum);
    }
    free(old);
    machine_close(&m);
}

/*
 * 256 x 256 elements: 2 x 16 blocks of four warps. Of each eight steps a warp loads two rows of B's tile, two sectors
 * each, and eight times 32 elements of A; then 16 times 32 elements of C, which the warp stores.
 */
Test(synthetic_tiles, counts) {
    rig r;
    rig_open(&r, "parboil-sgemm:256KiB");
    cr_assert(rig_kernel(&r));
    const traffic t = rig_traffic(&r);
    cr_expect_eq(t.blocks, 32);
    cr_expect_eq(t.warps, 128);
    cr_expect_eq(t.loads, 128 * (32 * (1 + 8) + 16));
    cr_expect_eq(t.load_sectors, 4 * t.loads);
    cr_expect_eq(t.stores, 128 * 16);
    cr_expect_eq(t.store_sectors, 4 * t.stores);
    cr_expect_eq(t.barriers, 128 * 32 * 2);
    cr_assert_not(rig_kernel(&r));
    rig_close(&r);
}
