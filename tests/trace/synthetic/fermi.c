/* SPDX-License-Identifier: BSD-2-Clause */
/* The documents' programs as compiled for Fermi, run on numbers. */
#include "trace/synthetic/machine.h"

#include <criterion/criterion.h>
#include <stdio.h>
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

/* The mark of a point; or its entry plus the cost less the distance, or the reverse if the candidate is farther. */
static double cost(machine_lane *lane, const char *kernel) {
    double *q = lane->queue, distance = 0;
    const bool nearer = lane->count == 3 * 2 + 4; /* the cost, twice; else the place and the number of a centre */
    (void)kernel;
    if (lane->count == 3 * 2 + 2)
        return 1;
    cr_assert(nearer || lane->count == 3 * 2 + 5);
    lane->count = 0;
    for (unsigned i = 0; i < 6; i += 2)
        distance += (q[i] - q[i + 1]) * (q[i] - q[i + 1]);
    return nearer ? q[9] + distance * q[6] - q[8] : q[10] + q[7] - distance * q[6];
}

/* True if every entry of the first 1,024 of 1,700 points is as after a trial of point `other`. */
static bool is_candidate(const machine *m, const double *old, size_t other) {
    enum { WORK, TABLE, MARKS, POINTS, COORDINATES };
    const size_t stride = m->lengths[WORK] / 1701;
    for (size_t i = 0; i < 1700; i++) {
        const double *point = m->arrays[POINTS] + i * 8, mark = m->arrays[MARKS][i];
        double distance = 0, change = 0;
        for (size_t d = 0; d < 3; d++) {
            double apart = m->arrays[COORDINATES][d * 1700 + i] - m->arrays[COORDINATES][d * 1700 + other];
            distance += apart * apart;
        }
        for (size_t e = 0; e < stride; e++)
            change += m->arrays[WORK][i * stride + e] - old[i * stride + e];
        const double saved = i < 1024 ? distance * point[0] - point[6] : 0;
        const size_t last = i * stride + stride - 1;
        if (mark ? m->arrays[WORK][last] - old[last] != saved : change != -saved || m->arrays[WORK][last] != old[last])
            return false;
    }
    return true;
}

/* The first two blocks of 1,700 points of 3 dimensions: one point is the candidate. */
Test(synthetic_fermi, streamcluster) {
    enum { WORK, TABLE, MARKS, POINTS, COORDINATES };
    size_t found = 0, marks = 0;
    machine m;
    machine_open(&m, "rodinia-streamcluster:20400:dimensions=3,blocks=2", 4, cost);
    for (size_t i = 0; i < m.lengths[MARKS]; i++)
        m.arrays[MARKS][i] = 0;
    for (size_t i = 0; i < 1700; i++) /* no two points alike */
        m.arrays[COORDINATES][i] = (double)i;
    double *old = machine_copy(&m, WORK);
    machine_run(&m);
    for (size_t other = 0; other < 1700; other++)
        found += is_candidate(&m, old, other);
    for (size_t i = 0; i < 1700; i++)
        marks += m.arrays[MARKS][i] == 1;
    cr_expect_eq(found, 1);
    cr_expect(marks > 0 && marks < 1024);
    free(old);
    machine_close(&m);
}

/*
 * A whole search: 1,024 points of 16 dimensions, for 10 to 20 centres. Numbers are of a C program made from
 * streamcluster_cuda_cpu.cpp and streamcluster_cuda.cu (rodinia 9c10d3e): the same loops, the C library's srand48(1) and
 * lrand48(), points behind one another in arrays of structures. It counted launches by number of centres, warps' loads
 * by lines, and points nearer to the candidate.
 */
enum { CENTRES = 17, LINES = 18, LOADS = 9 };

static const uint64_t launches_with[CENTRES] = {
    [1] = 2,   [2] = 359, [3] = 2,  [4] = 169, [5] = 46, [6] = 143, [7] = 2,   [8] = 49,
    [9] = 304, [10] = 2,  [11] = 5, [12] = 7,  [13] = 6, [14] = 8,  [15] = 27, [16] = 301};

/* By load, in the order of the code: two coordinates, weight, cost; cost and entry; centre, its number, entry. */
static const uint64_t loads_of[LOADS][LINES] = {
    {[1] = 733184},
    {[1] = 733184},
    {[8] = 45824},
    {[8] = 45824},
    {[1] = 10345, 7048, 4751, 3127, 2359, 1450, 876, 271},
    {[1] = 10759, 8912, 8876, 1248, 396, 36},
    {[3] = 1, 1, 12, 8, 95, 45707},
    {[1] = 70, 11488, 5478, 1539, 4584, 1110, 4878, 5396, 343, 1718, 2840, 2336, 3207, 837},
    {[2] = 66, 11486, 64, 5408, 1472, 4576, 65, 1574, 9722, 63, 162, 228, 194, 275, 1461, 9008},
};

typedef struct counted {
    uint64_t pcs[LOADS], loads[LOADS][LINES], launches[CENTRES], marks;
} counted;

static void count_load(counted *sums, const gpc_instruction *load) {
    uint64_t lines = 0;
    size_t row = 0;
    for (unsigned k = 0; k < gpci_popcount(load->mask); k++) {
        bool is_new = true;
        for (unsigned j = 0; j < k; j++)
            is_new = is_new && load->addresses[j] / 128 != load->addresses[k] / 128;
        lines += is_new;
    }
    while (row < LOADS - 1 && sums->pcs[row] && sums->pcs[row] != load->pc)
        row++;
    sums->pcs[row] = load->pc;
    cr_assert_lt(lines, LINES);
    sums->loads[row][lines]++;
}

/* Stores of the last point's thread give the distance of the entries of two points. */
static void count_block(counted *sums, const gpc_block *block, uint64_t work) {
    for (uint32_t w = 0; w < block->warp_count; w++)
        for (uint64_t i = 0; i < block->warps[w].count; i++) {
            const gpc_instruction *in = &block->warps[w].instructions[i];
            if (in->space != GPC_SPACE_GLOBAL || !in->mask)
                continue;
            if (in->kind == GPC_LOAD)
                count_load(sums, in);
            else if (in->width == 1)
                sums->marks += gpci_popcount(in->mask);
            else if (block->index == 1 && w == 15 && in->mask >> 31)
                sums->launches[(in->addresses[gpci_popcount(in->mask) - 1] - work) / 4 / 1023 - 1]++;
        }
}

Test(synthetic_fermi, streamcluster_whole) {
    static counted sums;
    size_t arrays;
    rig r;
    rig_open(&r, "rodinia-streamcluster:64KiB:dimensions=16,launches=0");
    const uint64_t work = gpci_synthetic_arrays(r.source, &arrays)[0].base;
    while (rig_kernel(&r))
        for (const gpc_block *block; (block = rig_block(&r)) != NULL;)
            count_block(&sums, block, work);
    for (size_t k = 0; k < CENTRES; k++)
        cr_expect_eq(sums.launches[k], launches_with[k], "%lu launches with %zu centres",
                     (unsigned long)sums.launches[k], k);
    for (size_t row = 0; row < LOADS; row++) {
        size_t load = 0; /* number of loads with lower program counters */
        for (size_t other = 0; other < LOADS; other++)
            load += sums.pcs[other] < sums.pcs[row];
        for (size_t lines = 0; lines < LINES; lines++)
            cr_expect_eq(sums.loads[row][lines], loads_of[load][lines], "%lu of load %zu with %zu lines",
                         (unsigned long)sums.loads[row][lines], load, lines);
    }
    cr_expect_eq(sums.marks, 97999);
    rig_close(&r);
}

/* Launches 0, 477, 954 and 1,431 of 1,432; 0, 400, 800 and 1,200, and no more; 0, 2, 4 and 6. */
Test(synthetic_fermi, streamcluster_samples) {
    static const struct {
        const char *sample;
        uint64_t centres[4];
    } samples[] = {{"launches=4", {13, 4, 9, 16}},
                   {"launches=9,apart=400", {13, 4, 9, 16}},
                   {"launches=4,apart=2", {13, 2, 1, 2}}};
    for (size_t s = 0; s < sizeof samples / sizeof *samples; s++) {
        char source[96];
        counted sums = {0};
        size_t arrays;
        rig r;
        snprintf(source, sizeof source, "rodinia-streamcluster:64KiB:dimensions=16,%s", samples[s].sample);
        rig_open(&r, source);
        const uint64_t work = gpci_synthetic_arrays(r.source, &arrays)[0].base;
        for (size_t k = 0; k < 4; k++) {
            const uint64_t centres = samples[s].centres[k], before = sums.launches[centres];
            cr_assert(rig_kernel(&r));
            for (const gpc_block *block; (block = rig_block(&r)) != NULL;)
                count_block(&sums, block, work);
            cr_expect_eq(sums.launches[centres], before + 1, "%s: launch %zu", source, k);
        }
        cr_expect_not(rig_kernel(&r));
        rig_close(&r);
    }
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
