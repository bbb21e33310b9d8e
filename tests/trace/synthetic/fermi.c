/* SPDX-License-Identifier: BSD-2-Clause */
/* The documents' programs as compiled for Fermi, run on numbers. */
#include "trace/synthetic/machine.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* A sum in memory: the old value plus the product of the next two loads. */
static double add_product(machine_lane *lane, const char *kernel) {
    (void)kernel;
    cr_assert_eq(lane->count, 3);
    lane->count = 0;
    return lane->queue[0] + lane->queue[1] * lane->queue[2];
}

/* Arrays: the matrix, then a vector across, one down, a second across and down. */
enum { MATRIX, ACROSS, DOWN, ACROSS2, DOWN2 };

/* One launch: `sums` += the matrix's rows, or columns, times `vector`; the first `steps` of each. */
static void check_sums(const char *source, size_t columns, bool rows, size_t vector, size_t sums, size_t steps) {
    machine m;
    machine_open(&m, source, 4, add_product);
    double *old = machine_copy(&m, sums);
    cr_assert(machine_launch(&m));
    for (size_t i = 0; i < m.lengths[sums]; i++) {
        double sum = old[i];
        for (size_t j = 0; j < steps; j++)
            sum += m.arrays[MATRIX][rows ? i * columns + j : j * columns + i] * m.arrays[vector][j];
        machine_expect(&m, sums, i, sum);
    }
    cr_expect_not(machine_launch(&m), "%s", source);
    free(old);
    machine_close(&m);
}

Test(synthetic_fermi, sums) {
    check_sums("polybench-atax:30000:columns=75,launch=1", 75, true, ACROSS, DOWN, 75);
    check_sums("polybench-atax:30000:columns=75,launch=2", 75, false, DOWN, ACROSS2, 100);
    check_sums("polybench-bicg:30000:columns=75,launch=1,steps=7", 75, false, DOWN, ACROSS, 7);
    check_sums("polybench-bicg:32KiB:launch=2,lanes=64", 128, true, ACROSS2, DOWN2, 128);
    check_sums("polybench-mvt:30000:columns=75,launch=1,steps=1000", 75, true, ACROSS, DOWN, 75);
    check_sums("polybench-mvt:30000:columns=75,launch=2", 75, false, DOWN2, ACROSS2, 100);
}

/* The two sums, finally 2 of the first and 5 of the second. */
static double gesummv(machine_lane *lane, const char *kernel) {
    if (lane->count == 3)
        return add_product(lane, kernel);
    cr_assert_eq(lane->count, 2);
    lane->count = 0;
    return 2 * lane->queue[0] + 5 * lane->queue[1];
}

Test(synthetic_fermi, gesummv) {
    enum { B = 1, X, TMP, Y };
    machine m;
    machine_open(&m, "polybench-gesummv:30000:columns=75", 4, gesummv);
    double *tmp = machine_copy(&m, TMP), *y = machine_copy(&m, Y);
    machine_run(&m);
    for (size_t i = 0; i < 100; i++) {
        for (size_t j = 0; j < 75; j++) {
            tmp[i] += m.arrays[MATRIX][i * 75 + j] * m.arrays[X][j];
            y[i] += m.arrays[B][i * 75 + j] * m.arrays[X][j];
        }
        machine_expect(&m, TMP, i, tmp[i]);
        machine_expect(&m, Y, i, 2 * tmp[i] + 5 * y[i]);
    }
    free(tmp);
    free(y);
    machine_close(&m);
}

/* c: three times the old value, or zero; plus a product per step. */
static double product(machine_lane *lane, const char *kernel) {
    if (lane->count == 3)
        return add_product(lane, kernel);
    cr_assert_eq(lane->count, strstr(kernel, "gemm") ? 1 : 0, "%s", kernel);
    double value = lane->count ? 3 * lane->queue[0] : 0;
    lane->count = 0;
    return value;
}

static double element(const double *a, const double *b, size_t side, size_t index) {
    double sum = 0;
    for (size_t k = 0; k < side; k++)
        sum += a[index / side * side + k] * b[k * side + index % side];
    return sum;
}

Test(synthetic_fermi, gemm) {
    machine m;
    machine_open(&m, "polybench-gemm:10000", 4, product); /* 50 x 50: parts of blocks */
    double *old = machine_copy(&m, 2);
    machine_run(&m);
    for (size_t i = 0; i < 2500; i++)
        machine_expect(&m, 2, i, 3 * old[i] + element(m.arrays[0], m.arrays[1], 50, i));
    free(old);
    machine_close(&m);
}

Test(synthetic_fermi, three_products) {
    static const size_t inputs[3][2] = {{0, 1}, {2, 3}, {4, 5}};
    machine m;
    machine_open(&m, "polybench-3mm:1600", 4, product);
    for (size_t k = 0; k < 3; k++) {
        cr_assert(machine_launch(&m));
        for (size_t i = 0; i < 400; i++)
            machine_expect(&m, 4 + k, i, element(m.arrays[inputs[k][0]], m.arrays[inputs[k][1]], 20, i));
    }
    machine_close(&m);
}

/* Loaded values: copied by invert_mapping, summed by kmeansPoint, as a stand-in for the nearest. */
static double points(machine_lane *lane, const char *kernel) {
    double sum = 0;
    for (unsigned i = 0; i < lane->count; i++)
        sum += lane->queue[i];
    cr_assert(strstr(kernel, "Point") || lane->count == 1);
    lane->count = 0;
    return sum;
}

Test(synthetic_fermi, kmeans) {
    enum { POINTS, FEATURES, MEMBERSHIP };
    machine m;
    machine_open(&m, "rodinia-kmeans:30000:features=25,clusters=3", 4, points); /* 300 points */
    cr_assert(machine_launch(&m));
    for (size_t i = 0; i < 300; i++)
        for (size_t j = 0; j < 25; j++)
            machine_expect(&m, FEATURES, j * 300 + i, m.arrays[POINTS][i * 25 + j]);
    cr_assert(machine_launch(&m));
    for (size_t i = 0; i < 300; i++) {
        double sum = 0;
        for (size_t j = 0; j < 25; j++)
            sum += m.arrays[POINTS][i * 25 + j];
        machine_expect(&m, MEMBERSHIP, i, 3 * sum);
    }
    machine_close(&m);
}

/* For 3 clusters each: the features of the point times the cluster's, summed. */
static double rows(machine_lane *lane, const char *kernel) {
    double sum = 0;
    (void)kernel;
    cr_assert_eq(lane->count, 3 * 25 * 2);
    for (unsigned i = 0; i < lane->count; i += 2)
        sum += lane->queue[i] * lane->queue[i + 1];
    lane->count = 0;
    return sum;
}

Test(synthetic_fermi, kmeans_without_texture) {
    enum { POINTS, FEATURES, MEMBERSHIP, CLUSTERS };
    machine m;
    machine_open(&m, "rodinia-kmeans:30000:features=25,clusters=3,texture=0", 4, rows); /* 300 points, 2 by 2 blocks */
    cr_assert(machine_launch(&m));
    for (size_t i = 0; i < 300; i++) {
        double sum = 0;
        for (size_t j = 0; j < 75; j++)
            sum += m.arrays[POINTS][i * 25 + j % 25] * m.arrays[CLUSTERS][j];
        machine_expect(&m, MEMBERSHIP, i, sum);
    }
    cr_assert_not(machine_launch(&m));
    machine_close(&m);
}

/* The first two blocks of 1,700 points of 3 dimensions: pairs of coordinates, and the values for the point's entry. */
static double cost(machine_lane *lane, const char *kernel) {
    double *q = lane->queue, gain = 0;
    (void)kernel;
    cr_assert_eq(lane->count, 3 * 2 + 5);
    lane->count = 0;
    for (unsigned i = 0; i < 6; i += 2)
        gain += (q[i] - q[i + 1]) * (q[i] - q[i + 1]);
    return q[10] + q[7] - gain * q[6] + 0 * q[8] + 0 * q[9]; /* the entry, the cost, the distance by weight */
}

Test(synthetic_fermi, streamcluster) {
    enum { COORDINATES, POINTS, TABLE, WORK };
    machine m;
    machine_open(&m, "rodinia-streamcluster:20400:dimensions=3,blocks=2,launches=2", 4, cost);
    double *old = machine_copy(&m, WORK);
    machine_run(&m);
    for (size_t i = 0; i < 1700; i++) {
        double entry = old[i * 12];
        const double *point = m.arrays[POINTS] + i * 8;
        for (size_t other = 1000; i < 1024 && other < 1100; other += 64) {
            double distance = 0;
            for (size_t d = 0; d < 3; d++) {
                double apart = m.arrays[COORDINATES][d * 1700 + i] - m.arrays[COORDINATES][d * 1700 + other];
                distance += apart * apart;
            }
            entry += point[6] - distance * point[0];
        }
        machine_expect(&m, WORK, i * 12, entry);
    }
    free(old);
    machine_close(&m);
}

/* Division in Fan1, subtraction in Fan2. */
static double eliminated(machine_lane *lane, const char *kernel) {
    double *q = lane->queue;
    cr_assert_eq(lane->count, strstr(kernel, "Fan1") ? 2 : 3);
    lane->count = 0;
    return strstr(kernel, "Fan1") ? q[0] / q[1] : q[2] - q[0] * q[1];
}

/* Smallest case: a column, by two launches. */
Test(synthetic_fermi, gaussian_of_one_column) {
    machine m;
    machine_open(&m, "rodinia-gaussian:2916:columns=1", 4, eliminated);
    machine_run(&m);
    machine_close(&m);
}

/* Columns 3 and 4 of a 27 x 27 matrix. */
Test(synthetic_fermi, gaussian) {
    enum { M, A, B, N = 27 };
    machine m;
    machine_open(&m, "rodinia-gaussian:2916:first=3,columns=2", 4, eliminated);
    double *a = machine_copy(&m, A), *b = machine_copy(&m, B), *multipliers = machine_copy(&m, M);
    machine_run(&m);
    for (size_t t = 3; t < 5; t++)
        for (size_t row = t + 1; row < N; row++) {
            double f = multipliers[row * N + t] = a[row * N + t] / a[t * N + t];
            for (size_t column = t; column < N; column++)
                a[row * N + column] -= f * a[t * N + column];
            b[row] -= f * b[t];
        }
    for (size_t i = 0; i < N * N; i++) {
        machine_expect(&m, A, i, a[i]);
        machine_expect(&m, M, i, multipliers[i]);
    }
    for (size_t i = 0; i < N; i++)
        machine_expect(&m, B, i, b[i]);
    free(a);
    free(b);
    free(multipliers);
    machine_close(&m);
}

/* A step is the sum of a cell's six numbers; a variable is the old value plus step times flux. */
static double flowed(machine_lane *lane, const char *kernel) {
    double *q = lane->queue, sum = 0;
    if (strstr(kernel, "time_step")) {
        cr_assert_eq(lane->count, 3);
        lane->count = 1; /* the step is for all variables */
        return q[1] + q[0] * q[2];
    }
    cr_assert_eq(lane->count, 6);
    while (lane->count)
        sum += q[--lane->count];
    return sum;
}

/* 500 cells: variables; after the five fluxes old variables, areas, steps. */
Test(synthetic_fermi, cfd_around_the_fluxes) {
    enum { CELLS, FLUXES = 3, N = 500, OLD = 5 * N, AREAS = 10 * N, STEPS = 11 * N };
    machine m;
    machine_open(&m, "rodinia-cfd:10000:launch=1", 4, flowed);
    machine_run(&m);
    for (size_t cell = 0; cell < N; cell++) {
        double sum = m.arrays[FLUXES][AREAS + cell];
        for (size_t k = 0; k < 5; k++)
            sum += m.arrays[CELLS][k * N + cell];
        machine_expect(&m, FLUXES, STEPS + cell, sum);
    }
    machine_close(&m);
    machine_open(&m, "rodinia-cfd:10000:launch=3", 4, flowed);
    machine_run(&m);
    const double *f = m.arrays[FLUXES];
    for (size_t i = 0; i < 5 * N; i++)
        machine_expect(&m, CELLS, i, f[OLD + i] + f[STEPS + i % N] * f[i]);
    machine_close(&m);
}
