/* SPDX-License-Identifier: BSD-2-Clause */
/* PolyBench/GPU's programs on columns as compiled for Fermi: run on numbers, and counted by hand. */
#include "trace/synthetic/machine.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { START = 7 }; /* stands for the constants 0 and 1 that a kernel stores without a load */

/* Sums as in the source; for the divisions and the root: the value itself, and 5 times the deviation added. */
static double statistic(machine_lane *lane, const char *kernel) {
    double *q = lane->queue;
    const unsigned count = lane->count;
    lane->count = 0;
    if (count < 2)
        return count ? q[0] : START;
    if (strstr(kernel, "mean"))
        return q[0] + q[1];
    if (strstr(kernel, "std"))
        return q[0] + (q[1] - q[2]) * (q[1] - q[2]);
    if (!strstr(kernel, "reduce"))
        return q[0] + q[1] * q[2];
    if (count == 4) /* the centred element, kept in a register, and the deviation */
        return q[0] + 5 * q[3];
    q[0] -= q[1];
    lane->count = 3;
    return q[0];
}

/* Rows and columns 1 to N of the data: less the mean, with a deviation if any; only the first `rows` rows. */
static void centre(double *data, const machine *m, size_t n, size_t rows, bool deviations) {
    enum { MEAN = 2, DEVIATION };
    const size_t pitch = n + 1;
    for (size_t j = 1; j <= n; j++) {
        double mean = START, deviation = START;
        for (size_t i = 1; i <= n; i++)
            mean += data[i * pitch + j];
        machine_expect(m, MEAN, j, mean);
        for (size_t i = 1; i <= n; i++)
            deviation += (data[i * pitch + j] - mean) * (data[i * pitch + j] - mean);
        if (deviations)
            machine_expect(m, DEVIATION, j, deviation);
        for (size_t i = 1; i <= rows; i++)
            data[i * pitch + j] += (deviations ? 5 * deviation : 0) - mean;
    }
}

static void check_statistics(const char *source, size_t n, size_t rows, size_t first, size_t columns, size_t steps) {
    enum { DATA, RESULT };
    const size_t pitch = n + 1;
    machine m;
    machine_open(&m, source, 4, statistic);
    cr_assert_eq(m.lengths[RESULT], pitch * pitch);
    double *data = machine_copy(&m, DATA), *result = machine_copy(&m, RESULT);
    machine_run(&m);
    centre(data, &m, n, rows, first == 1);
    for (size_t i = 0; i < pitch * pitch; i++)
        machine_expect(&m, DATA, i, data[i]);
    for (size_t j1 = 1; j1 + first <= n; j1++) {
        if (first)
            result[j1 * pitch + j1] = START;
        for (size_t j2 = j1 + first; j2 < j1 + first + columns && j2 <= n; j2++) {
            double sum = START;
            for (size_t i = 1; i <= steps; i++)
                sum += data[i * pitch + j1] * data[i * pitch + j2];
            result[j1 * pitch + j2] = result[j2 * pitch + j1] = sum;
        }
    }
    for (size_t i = 0; i < pitch * pitch; i++)
        machine_expect(&m, RESULT, i, result[i]);
    free(data);
    free(result);
    machine_close(&m);
}

/* 41 x 41 elements, of which 40 x 40 are used; 16 of 40 rows have their mean subtracted for a covariance. */
Test(synthetic_columns, statistics) {
    check_statistics("polybench-corr:6724", 40, 40, 1, 1, 40);
    check_statistics("polybench-corr:6724:columns=16,steps=9", 40, 40, 1, 16, 9);
    check_statistics("polybench-covar:6724", 40, 16, 0, 1, 40);
    check_statistics("polybench-covar:6724:columns=3,steps=100", 40, 16, 0, 3, 40);
}

/* Squares summed; sums in place of quotients and of differences. */
static double orthogonal(machine_lane *lane, const char *kernel) {
    const double *q = lane->queue;
    const unsigned count = lane->count;
    double sum = 0;
    lane->count = 0;
    if (!strstr(kernel, "kernel1"))
        return count == 3 ? q[0] + q[1] * q[2] : count ? q[0] + q[1] : 0;
    for (unsigned i = 0; i < count; i++)
        sum += q[i] * q[i];
    return sum;
}

static void check_orthogonal(const char *source, size_t end, size_t apart) {
    enum { A, R, Q, N = 20 };
    machine m;
    machine_open(&m, source, 4, orthogonal);
    double *a = machine_copy(&m, A), *r = machine_copy(&m, R), *q = machine_copy(&m, Q);
    machine_run(&m);
    for (size_t k = 0; k < end; k += apart) {
        r[k * N + k] = 0;
        for (size_t i = 0; i < N; i++)
            r[k * N + k] += a[i * N + k] * a[i * N + k];
        for (size_t i = 0; i < N; i++)
            q[i * N + k] = a[i * N + k] + r[k * N + k];
        for (size_t j = k + 1; j < N; j++) {
            r[k * N + j] = 0;
            for (size_t i = 0; i < N; i++)
                r[k * N + j] += q[i * N + k] * a[i * N + j];
            for (size_t i = 0; i < N; i++)
                a[i * N + j] += q[i * N + k] * r[k * N + j];
        }
    }
    for (size_t i = 0; i < N * N; i++) {
        machine_expect(&m, A, i, a[i]);
        machine_expect(&m, R, i, r[i]);
        machine_expect(&m, Q, i, q[i]);
    }
    free(a);
    free(r);
    free(q);
    machine_close(&m);
}

Test(synthetic_columns, gram_schmidt) {
    check_orthogonal("polybench-gramschm:1600:rounds=2", 2, 1);
    check_orthogonal("polybench-gramschm:1600:rounds=2,apart=11", 12, 11);
    check_orthogonal("polybench-gramschm:1600:rounds=40,apart=9", 19, 9);
}

static void expect(rig *r, const char *name, uint64_t loads, uint64_t load_sectors, uint64_t stores,
                   uint64_t store_sectors) {
    cr_assert(rig_kernel(r), "%s", name);
    const traffic t = rig_traffic(r);
    cr_expect_str_eq(r->kernel.name, name);
    cr_expect_eq(t.loads, loads, "%s: %lu loads", name, (unsigned long)t.loads);
    cr_expect_eq(t.load_sectors, load_sectors, "%s: %lu sectors", name, (unsigned long)t.load_sectors);
    cr_expect_eq(t.stores, stores, "%s: %lu stores", name, (unsigned long)t.stores);
    cr_expect_eq(t.store_sectors, store_sectors, "%s: %lu sectors", name, (unsigned long)t.store_sectors);
    cr_expect_eq(t.barriers, 0);
}

/*
 * Rows of 33 elements, one warp. Elements 1 to 32 of rows 1 to 32 begin r + 1 modulo 8 elements behind a sector's
 * start: 4 rows are four sectors, 28 five, together 156; elements of the means are five sectors. Lanes' results are a
 * row and an element apart, a sector each. 31 lanes have a later column: 31 elements from 1 or 2 on are four sectors in
 * 8 rows and five in 24, together 152.
 */
Test(synthetic_columns, counts_of_statistics) {
    rig r;
    rig_open(&r, "polybench-corr:4356");
    expect(&r, "_Z11mean_kernelPfS_", 32 * 2 + 1, 32 * 5 + 156 + 5, 1 + 32 + 1, 34 * 5);
    expect(&r, "_Z10std_kernelPfS_S_", 32 * 3 + 1, 32 * 5 + 156 + 32 * 5 + 5, 1 + 32 + 1, 34 * 5);
    expect(&r, "_Z13reduce_kernelPfS_S_", 32 * 3, 156 + 32 * 5 * 2, 32 * 2, 156 * 2);
    expect(&r, "_Z11corr_kernelPfS_", 32 * 3 + 1, 32 * 31 + 152 + 152 + 31, 2 + 32 + 1, 35 * 31);
    cr_assert_not(rig_kernel(&r));
    rig_close(&r);
    rig_open(&r, "polybench-covar:4356");
    expect(&r, "_Z11mean_kernelPfS_", 32 * 2 + 1, 32 * 5 + 156 + 5, 1 + 32 + 1, 34 * 5);
    expect(&r, "_Z13reduce_kernelPfS_", 8 * 2, 4 + 7 * 5 + 8 * 5, 8, 4 + 7 * 5);
    expect(&r, "_Z12covar_kernelPfS_", 32 * 3 + 1, 32 * 32 + 156 * 2 + 32, 1 + 32 + 1, 34 * 32);
    cr_assert_not(rig_kernel(&r));
    rig_close(&r);
}

/* The published problem: 2,048 columns are 8 blocks, and 2,048 x 512 elements 64 x 64 blocks. */
Test(synthetic_columns, published_covariance) {
    static const uint32_t grids[][2] = {{8, 1}, {64, 64}, {8, 1}};
    rig r;
    rig_open(&r, "polybench-covar:16793604");
    for (unsigned launch = 0; launch < 3; launch++) {
        cr_assert(rig_kernel(&r));
        cr_expect_eq(r.kernel.grid[0], grids[launch][0]);
        cr_expect_eq(r.kernel.grid[1], grids[launch][1]);
    }
    cr_assert_not(rig_kernel(&r));
    rig_close(&r);
}

/*
 * 32 x 32: the norm is 32 loads of one lane. A column's elements are a sector each. Columns 1 to 31, then 2 to 31: a
 * row is four sectors, and q one.
 */
Test(synthetic_columns, counts_of_gram_schmidt) {
    rig r;
    rig_open(&r, "polybench-gramschm:4KiB:rounds=2");
    for (unsigned round = 0; round < 2; round++) {
        expect(&r, "_Z19gramschmidt_kernel1PfS_S_i", 32, 32, 1, 1);
        expect(&r, "_Z19gramschmidt_kernel2PfS_S_i", 2, 32 + 1, 1, 32);
        expect(&r, "_Z19gramschmidt_kernel3PfS_S_i", 64 * 3, 64 * (4 + 1 + 4), 1 + 64, 65 * 4);
    }
    cr_assert_not(rig_kernel(&r));
    rig_close(&r);
}
