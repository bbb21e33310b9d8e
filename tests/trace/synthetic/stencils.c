/* SPDX-License-Identifier: BSD-2-Clause */
/* PolyBench/GPU's stencils and syrk as compiled for Fermi: run on numbers, and counted by hand. */
#include "trace/synthetic/machine.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* A different weight for each loaded element. */
static double weighted(machine_lane *lane, const char *kernel) {
    double sum = 0;
    cr_assert_eq(lane->count, strstr(kernel, "2D") ? 9 : 11);
    for (unsigned k = 0; k < lane->count; k++)
        sum += (k + 1) * lane->queue[k];
    lane->count = 0;
    return sum;
}

/* 50 x 50: parts of blocks; the border keeps its values. */
Test(synthetic_stencils, convolution_2d) {
    enum { A, B, N = 50 };
    machine m;
    machine_open(&m, "polybench-2dconv:10000", 4, weighted);
    double *old = machine_copy(&m, B);
    machine_run(&m);
    for (size_t y = 0; y < N; y++)
        for (size_t x = 0; x < N; x++) {
            double sum = 0;
            for (size_t k = 0; k < 9; k++)
                sum += (double)(k + 1) * m.arrays[A][(y + k / 3 - 1) % N * N + (x + k % 3 - 1) % N];
            const bool inside = x && y && x + 1 < N && y + 1 < N;
            machine_expect(&m, B, y * N + x, inside ? sum : old[y * N + x]);
        }
    free(old);
    machine_close(&m);
}

/* 11 x 11 x 11 elements in nine launches; plane, row and column of the elements in the order of the C expression. */
Test(synthetic_stencils, convolution_3d) {
    enum { A, B, N = 11 };
    static const int at[][3] = {{-1, -1, -1}, {1, -1, -1}, {0, -1, 0}, {0, 0, 0},  {0, 1, 0}, {-1, -1, 1},
                                {1, -1, 1},   {-1, 0, 1},  {1, 0, 1},  {-1, 1, 1}, {1, 1, 1}};
    machine m;
    machine_open(&m, "polybench-3dconv:5400", 4, weighted);
    cr_assert_eq(m.lengths[A], N * N * N);
    for (int i = 1; i + 1 < N; i++) {
        cr_assert(machine_launch(&m));
        for (int j = 1; j + 1 < N; j++)
            for (int k = 1; k + 1 < N; k++) {
                double sum = 0;
                for (int n = 0; n < 11; n++)
                    sum += (n + 1) * m.arrays[A][((i + at[n][0]) * N + j + at[n][1]) * N + k + at[n][2]];
                machine_expect(&m, B, (size_t)((i * N + j) * N + k), sum);
            }
    }
    cr_assert_not(machine_launch(&m));
    machine_close(&m);
}

/* The source; or the old value less the loaded differences, without a factor. */
static double field(machine_lane *lane, const char *kernel) {
    const double *q = lane->queue;
    const unsigned count = lane->count;
    lane->count = 0;
    if (count == 1)
        return q[0];
    cr_assert_eq(count, strstr(kernel, "step3") ? 5 : 3);
    return q[0] - (q[1] - q[2]) - (count == 5 ? q[3] - q[4] : 0);
}

/* Two rounds on 40 x 40 elements. */
Test(synthetic_stencils, fields) {
    enum { SOURCE, EX, EY, HZ, N = 40, WIDE = N + 1 };
    machine m;
    machine_open(&m, "polybench-fdtd2d:6400:rounds=2", 4, field);
    cr_assert_eq(m.lengths[HZ], N * N);
    double *ex = machine_copy(&m, EX), *ey = machine_copy(&m, EY), *hz = machine_copy(&m, HZ);
    machine_run(&m);
    for (size_t t = 0; t < 2; t++) {
        for (size_t i = 0; i < N * N; i++)
            ey[i] = i < N ? m.arrays[SOURCE][t] : ey[i] - (hz[i] - hz[i - N]);
        for (size_t i = 0; i < N * N; i++)
            if (i % N)
                ex[i / N * WIDE + i % N] -= hz[i] - hz[i - 1];
        for (size_t i = 0; i < N * N; i++) {
            const double *x = ex + i / N * WIDE + i % N;
            hz[i] -= x[1] - x[0] + ey[i + N] - ey[i];
        }
    }
    for (size_t i = 0; i < m.lengths[EX]; i++)
        machine_expect(&m, EX, i, ex[i]);
    for (size_t i = 0; i < m.lengths[EY]; i++)
        machine_expect(&m, EY, i, ey[i]);
    for (size_t i = 0; i < N * N; i++)
        machine_expect(&m, HZ, i, hz[i]);
    free(ex);
    free(ey);
    free(hz);
    machine_close(&m);
}

/* c: three times the old value, then a product per step. */
static double product(machine_lane *lane, const char *kernel) {
    const double *q = lane->queue;
    const unsigned count = lane->count;
    (void)kernel;
    lane->count = 0;
    cr_assert(count == 1 || count == 3);
    return count == 1 ? 3 * q[0] : q[0] + q[1] * q[2];
}

Test(synthetic_stencils, syrk) {
    enum { A, C, N = 50 };
    machine m;
    machine_open(&m, "polybench-syrk:10000", 4, product);
    double *old = machine_copy(&m, C);
    machine_run(&m);
    for (size_t i = 0; i < N * N; i++) {
        double sum = 3 * old[i];
        for (size_t k = 0; k < N; k++)
            sum += m.arrays[A][i / N * N + k] * m.arrays[A][i % N * N + k];
        machine_expect(&m, C, i, sum);
    }
    free(old);
    machine_close(&m);
}

static void expect(rig *r, const char *name, uint64_t blocks, uint64_t loads, uint64_t load_sectors, uint64_t stores,
                   uint64_t store_sectors) {
    cr_assert(rig_kernel(r), "%s", name);
    const traffic t = rig_traffic(r);
    cr_expect_str_eq(r->kernel.name, name);
    cr_expect_eq(t.blocks, blocks, "%s: %lu blocks", name, (unsigned long)t.blocks);
    cr_expect_eq(t.loads, loads, "%s: %lu loads", name, (unsigned long)t.loads);
    cr_expect_eq(t.load_sectors, load_sectors, "%s: %lu sectors", name, (unsigned long)t.load_sectors);
    cr_expect_eq(t.stores, stores, "%s: %lu stores", name, (unsigned long)t.stores);
    cr_expect_eq(t.store_sectors, store_sectors, "%s: %lu sectors", name, (unsigned long)t.store_sectors);
    cr_expect_eq(t.barriers, 0);
}

/*
 * 64 x 64 elements: 2 x 8 blocks. 62 inner rows are two warps each, of 31 lanes. Elements 0 to 30, 1 to 31, 2 to 32 are
 * in 4, 4, 5 sectors, elements 31 to 61, 32 to 62, 33 to 63 in 5, 4, 4. A store is like the middle.
 */
Test(synthetic_stencils, counts_2d) {
    rig r;
    rig_open(&r, "polybench-2dconv:16KiB");
    expect(&r, "_Z20Convolution2D_kernelPfS_", 16, 62 * 2 * 9, 62 * 3 * (13 + 13), 62 * 2, 62 * 2 * 4);
    cr_assert_not(rig_kernel(&r));
    rig_close(&r);
}

/*
 * 32 x 32 x 32: 30 launches of four blocks; a plane has 30 inner rows of 30 lanes, and each access is four sectors. The
 * published 256 x 256 x 256 have 254 launches.
 */
Test(synthetic_stencils, counts_3d) {
    rig r;
    rig_open(&r, "polybench-3dconv:128KiB");
    for (unsigned launch = 0; launch < 30; launch++)
        expect(&r, "_Z20convolution3D_kernelPfS_i", 4, 30 * 11, 30 * 11 * 4, 30, 30 * 4);
    cr_assert_not(rig_kernel(&r));
    cr_expect_eq(r.source->ops->kernel_count(r.source), 30);
    rig_close(&r);
    rig_open(&r, "polybench-3dconv:64MiB");
    cr_expect_eq(r.source->ops->kernel_count(r.source), 254);
    rig_close(&r);
    rig_open(&r, "polybench-3dconv:64MiB:launches=5");
    cr_expect_eq(r.source->ops->kernel_count(r.source), 5);
    rig_close(&r);
}

/*
 * 32 x 32: four blocks, a warp a row. Step 1: the first row has one load, others three. Step 2: 31 lanes behind the
 * first. Rows of ex have 33 elements: row r begins r mod 8 elements behind a sector's start, and 32 elements are in
 * four sectors in 4 of 32 rows, else in five. One element further the same holds of r + 1. 31 elements from r + 1 on
 * fit four sectors if r + 1 is 0 or 1 modulo 8: 8 rows.
 */
Test(synthetic_stencils, counts_fields) {
    rig r;
    rig_open(&r, "polybench-fdtd2d:4KiB:rounds=3");
    for (unsigned round = 0; round < 3; round++) {
        expect(&r, "_Z17fdtd_step1_kernelPfS_S_S_i", 4, 1 + 31 * 3, 1 + 31 * 3 * 4, 32, 32 * 4);
        expect(&r, "_Z17fdtd_step2_kernelPfS_S_i", 4, 32 * 3, 32 * 2 * 4 + 8 * 4 + 24 * 5, 32, 8 * 4 + 24 * 5);
        expect(&r, "_Z17fdtd_step3_kernelPfS_S_i", 4, 32 * 5, 32 * 3 * 4 + 2 * (4 * 4 + 28 * 5), 32, 32 * 4);
    }
    cr_assert_not(rig_kernel(&r));
    rig_close(&r);
}

/*
 * 64 x 64: 128 warps. A step loads 32 floats of c, one of the row of the warp, and one of each of 32 rows, 32 sectors.
 * The published 1,024 x 1,024 are 4,096 blocks of 1,024 steps.
 */
Test(synthetic_stencils, counts_syrk) {
    rig r;
    rig_open(&r, "polybench-syrk:16KiB");
    expect(&r, "_Z11syrk_kernelffPfS_", 16, 128 * (1 + 64 * 3), 128 * (4 + 64 * (4 + 1 + 32)), 128 * 65, 128 * 65 * 4);
    cr_assert_not(rig_kernel(&r));
    rig_close(&r);
    rig_open(&r, "polybench-syrk:4MiB:rows=20");
    cr_assert(rig_kernel(&r));
    cr_expect_eq(r.kernel.block_count, 32 * 3);
    rig_close(&r);
    rig_open(&r, "polybench-syrk:4MiB:steps=2");
    cr_assert(rig_kernel(&r));
    cr_expect_eq(r.kernel.block_count, 4096);
    const gpc_warp *warp = &rig_block(&r)->warps[0];
    unsigned loads = 0;
    for (uint64_t k = 0; k < warp->count; k++)
        loads += warp->instructions[k].kind == GPC_LOAD && warp->instructions[k].addresses;
    cr_expect_eq(loads, 1 + 2 * 3);
    rig_close(&r);
}
