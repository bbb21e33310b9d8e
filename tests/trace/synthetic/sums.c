/* SPDX-License-Identifier: BSD-2-Clause */
/* The summing kernels, run on numbers. */
#include "trace/synthetic/machine.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double take(machine_lane *lane, double value) {
    lane->count = 0;
    return value;
}

/* Pairs of loaded values; a last single value is the sum's start. */
static double dot(machine_lane *lane, const char *kernel) {
    double sum = 0;
    (void)kernel;
    for (unsigned i = 0; i + 1 < lane->count; i += 2)
        sum += lane->queue[i] * lane->queue[i + 1];
    return take(lane, sum + (lane->count % 2 ? lane->queue[lane->count - 1] : 0));
}

/* out = matrix * in, or with the matrix transposed; rows x columns is the matrix's shape. */
static double row_sum(const double *matrix, const double *in, size_t columns, size_t row) {
    double sum = 0;
    for (size_t j = 0; j < columns; j++)
        sum += matrix[row * columns + j] * in[j];
    return sum;
}

static double column_sum(const double *matrix, const double *in, size_t rows, size_t columns, size_t column) {
    double sum = 0;
    for (size_t i = 0; i < rows; i++)
        sum += matrix[i * columns + column] * in[i];
    return sum;
}

/* Arrays: the matrix, then a vector across, one down, a second across and down. */
enum { MATRIX, ACROSS, DOWN, ACROSS2, DOWN2 };

static void check_atax(const char *source, size_t rows, size_t columns) {
    machine m;
    machine_open(&m, source, 4, dot);
    machine_run(&m);
    cr_assert_eq(m.lengths[MATRIX], rows * columns);
    cr_assert_eq(m.lengths[ACROSS], columns);
    cr_assert_eq(m.lengths[DOWN], rows);
    for (size_t i = 0; i < rows; i++)
        machine_expect(&m, DOWN, i, row_sum(m.arrays[MATRIX], m.arrays[ACROSS], columns, i));
    for (size_t j = 0; j < columns; j++)
        machine_expect(&m, ACROSS2, j, column_sum(m.arrays[MATRIX], m.arrays[DOWN], rows, columns, j));
    machine_close(&m);
}

Test(synthetic_sums, atax) {
    check_atax("atax:64KiB", 128, 128);
    check_atax("atax:100000:columns=37", 675, 37);
    check_atax("atax:40000:columns=300,lanes=64", 33, 300);
}

Test(synthetic_sums, bicg) {
    machine m;
    machine_open(&m, "bicg:32KiB", 4, dot);
    machine_run(&m);
    for (size_t j = 0; j < 128; j++)
        machine_expect(&m, ACROSS, j, column_sum(m.arrays[MATRIX], m.arrays[DOWN], 64, 128, j));
    for (size_t i = 0; i < 64; i++)
        machine_expect(&m, DOWN2, i, row_sum(m.arrays[MATRIX], m.arrays[ACROSS2], 128, i));
    machine_close(&m);
}

Test(synthetic_sums, mvt) {
    machine m;
    machine_open(&m, "mvt:30000:columns=75", 4, dot);
    double *down = machine_copy(&m, DOWN), *across = machine_copy(&m, ACROSS2);
    machine_run(&m);
    for (size_t i = 0; i < 100; i++)
        machine_expect(&m, DOWN, i, down[i] + row_sum(m.arrays[MATRIX], m.arrays[ACROSS], 75, i));
    for (size_t j = 0; j < 75; j++)
        machine_expect(&m, ACROSS2, j, across[j] + column_sum(m.arrays[MATRIX], m.arrays[DOWN2], 100, 75, j));
    free(down);
    free(across);
    machine_close(&m);
}

/* 2 Ax + 5 Bx, of triples A, x, B. */
static double two_dots(machine_lane *lane, const char *kernel) {
    double sum = 0;
    (void)kernel;
    for (unsigned i = 0; i < lane->count; i += 3)
        sum += (2 * lane->queue[i] + 5 * lane->queue[i + 2]) * lane->queue[i + 1];
    return take(lane, sum);
}

Test(synthetic_sums, gesummv) {
    machine m;
    machine_open(&m, "gesummv:30000:columns=75", 4, two_dots);
    machine_run(&m);
    for (size_t i = 0; i < 100; i++)
        machine_expect(&m, 3, i,
                       2 * row_sum(m.arrays[0], m.arrays[2], 75, i) + 5 * row_sum(m.arrays[1], m.arrays[2], 75, i));
    machine_close(&m);
}

/* Partial products first, then sums of two in shared memory, then the result. */
static double scalar_product(machine_lane *lane, const char *kernel) {
    if (!lane->shared)
        return dot(lane, kernel);
    return take(lane, lane->count == 2 ? lane->queue[0] + lane->queue[1] : lane->queue[0]);
}

static void check_scalarprod(const char *source, machine_value value, size_t vectors, size_t length) {
    machine m;
    machine_open(&m, source, 4, value);
    machine_run(&m);
    cr_assert_eq(m.lengths[0], vectors * length);
    cr_assert_eq(m.lengths[2], vectors);
    for (size_t v = 0; v < vectors; v++) {
        double sum = 0;
        for (size_t i = v * length; i < (v + 1) * length; i++)
            sum += m.arrays[0][i] * m.arrays[1][i];
        machine_expect(&m, 2, v, sum);
    }
    machine_close(&m);
}

Test(synthetic_sums, scalarprod) {
    check_scalarprod("scalarprod:512KiB", scalar_product, 256, 512);
    check_scalarprod("scalarprod:20000:vectors=5", scalar_product, 5, 1000);
    check_scalarprod("scalarprod:100000:vectors=130,lanes=64", scalar_product, 130, 192);
}

/* Products first; then sums of two accumulators; then the result. */
static double accumulated(machine_lane *lane, const char *kernel) {
    (void)kernel;
    double sum = 0;
    for (unsigned i = 0; i < lane->count; i += 2)
        sum += lane->shared ? lane->queue[i] + (i + 1 < lane->count ? lane->queue[i + 1] : 0)
                            : lane->queue[i] * lane->queue[i + 1];
    lane->count = 0;
    return sum;
}

Test(synthetic_sums, sdk_scalarprod) {
    check_scalarprod("sdk-scalarprod:160000", accumulated, 16, 2500);
    check_scalarprod("sdk-scalarprod:20000:vectors=5", accumulated, 5, 1000);
    check_scalarprod("sdk-scalarprod:100000:vectors=130,lanes=64", accumulated, 130, 192);
}

/* Loaded values go to shared memory, in order; the result is the sum of the values read back, three times. */
static double overloaded(machine_lane *lane, const char *kernel) {
    (void)kernel;
    if (lane->shared) {
        double sum = 0;
        for (unsigned i = 0; i < lane->count; i++)
            sum += lane->queue[i];
        return take(lane, 3 * sum);
    }
    double first = lane->queue[lane->stores++];
    if (lane->stores == lane->count)
        lane->count = 0;
    return first;
}

/* The kernel of pairs comes between; the third kernel overwrites the results. */
Test(synthetic_sums, cppoverload) {
    machine m;
    machine_open(&m, "cppoverload:38KiB", 4, overloaded);
    size_t n = m.lengths[1];
    cr_assert_eq(m.lengths[0], 2 * n);
    cr_assert(machine_launch(&m));
    for (size_t i = 0; i < n; i++)
        machine_expect(&m, 1, i, 3 * m.arrays[0][i]);
    cr_assert(machine_launch(&m));
    cr_assert(machine_launch(&m));
    for (size_t i = 0; i < n; i++)
        machine_expect(&m, 1, i, 3 * (m.arrays[0][i] + m.arrays[0][n + i]));
    cr_assert(!machine_launch(&m));
    machine_close(&m);
}

/* Squared distances, a pair of loads a feature; the nearest of the centres, the first if equal. */
static double nearest(machine_lane *lane, const char *kernel) {
    enum { CENTRES = 3, FEATURES = 19 };
    double least = INFINITY, best = 0;
    (void)kernel;
    cr_assert_eq(lane->count, 2 * CENTRES * FEATURES);
    for (unsigned c = 0; c < CENTRES; c++) {
        double distance = 0;
        for (unsigned f = 0; f < FEATURES; f++) {
            const double *pair = &lane->queue[2 * (c * FEATURES + f)];
            distance += (pair[0] - pair[1]) * (pair[0] - pair[1]);
        }
        if (distance < least) {
            least = distance;
            best = c;
        }
    }
    return take(lane, best);
}

static void check_kmeans(const char *source, bool rowmajor) {
    machine m;
    machine_open(&m, source, 4, nearest);
    machine_run(&m);
    size_t points = m.lengths[2];
    cr_assert_eq(points, 50000 / 4 / 19);
    for (size_t p = 0; p < points; p++) {
        double distance[3] = {0};
        for (size_t f = 0; f < 19; f++) {
            double x = m.arrays[0][rowmajor ? p * 19 + f : f * points + p];
            for (size_t c = 0; c < 3; c++)
                distance[c] += (x - m.arrays[1][c * 19 + f]) * (x - m.arrays[1][c * 19 + f]);
        }
        size_t best = distance[1] < distance[0] ? 1 : 0;
        machine_expect(&m, 2, p, distance[2] < distance[best] ? 2 : (double)best);
    }
    machine_close(&m);
}

Test(synthetic_sums, kmeans) {
    check_kmeans("kmeans:50000:centres=3,features=19", false);
    check_kmeans("kmeans:50000:centres=3,features=19,rowmajor=1,lanes=64", true);
}

static double total(machine_lane *lane, const char *kernel) {
    double sum = 0;
    (void)kernel;
    for (unsigned i = 0; i < lane->count; i++)
        sum += lane->queue[i];
    return take(lane, sum);
}

/* Words of shared memory are cleared, counted in, and copied out; then the copies are added up. */
static double histogram(machine_lane *lane, const char *kernel) {
    bool merge = strstr(kernel, "merge");
    return merge ? total(lane, kernel) : take(lane, lane->shared ? lane->queue[lane->count - 1] : 0);
}

static void check_histogram(const char *source, size_t words) {
    machine m;
    machine_open(&m, source, 4, histogram);
    machine_run(&m);
    double sum = 0, least = INFINITY, most = 0;
    for (size_t bin = 0; bin < 256; bin++) {
        sum += m.arrays[2][bin];
        least = fmin(least, m.arrays[2][bin]);
        most = fmax(most, m.arrays[2][bin]);
    }
    cr_assert_eq(sum, 4.0 * (double)words, "%g bytes counted", sum);
    /* Random bytes: every bin is within six standard deviations. */
    double mean = sum / 256, six = 6 * sqrt(mean);
    cr_assert(least > mean - six && most < mean + six, "bins from %g to %g", least, most);
    machine_close(&m);
}

Test(synthetic_sums, histogram) {
    check_histogram("histogram:64KiB", 16384);
    check_histogram("histogram:200000:blocks=7", 50000);
    check_histogram("histogram:200000:blocks=13,lanes=64", 50000);
}

static void check_reuse(const char *source, size_t per_thread, size_t spread, double repeats, size_t threads) {
    machine m;
    machine_open(&m, source, 4, total);
    machine_run(&m);
    cr_assert_eq(m.lengths[0], threads * per_thread);
    cr_assert_eq(m.lengths[1], threads);
    for (size_t t = 0; t < threads; t++) {
        double sum = 0;
        for (size_t i = 0; i < per_thread; i++)
            sum += m.arrays[0][t / spread * spread * per_thread + i * spread + t % spread];
        machine_expect(&m, 1, t, repeats * sum);
    }
    machine_close(&m);
}

Test(synthetic_sums, reuse) {
    check_reuse("warp-reuse:512KiB:lines=29,repeats=3", 29, 32, 3, 4352);
    check_reuse("warp-reuse:512KiB:lines=8,lanes=64,threads=128", 8, 64, 8, 16384);
    check_reuse("private-reuse:512KiB:words=41,repeats=2", 41, 1, 2, 3072);
    check_reuse("private-reuse:64KiB", 32, 1, 8, 512);
}

/* Tiles: two global loads, both stored; then four words of a row and a word of each of four rows, repeatedly. */
static double product(machine_lane *lane, const char *kernel) {
    (void)kernel;
    if (!lane->shared && lane->count >= 2) {
        double value = lane->queue[lane->count - 2 + lane->stores];
        if (++lane->stores == 2) {
            lane->count -= 2;
            lane->shared = true;
        }
        return value;
    }
    double sum = 0;
    cr_assert_eq(lane->count % 8, 0);
    for (unsigned i = 0; i < lane->count; i += 8)
        for (unsigned k = 0; k < 4; k++)
            sum += lane->queue[i + k] * lane->queue[i + 4 + k];
    return take(lane, sum);
}

static void check_matmul(const char *source, size_t n) {
    machine m;
    machine_open(&m, source, 4, product);
    machine_run(&m);
    for (unsigned a = 0; a < 3; a++)
        cr_assert_eq(m.lengths[a], n * n);
    for (size_t y = 0; y < n; y++)
        for (size_t x = 0; x < n; x++) {
            double sum = 0;
            for (size_t k = 0; k < n; k++)
                sum += m.arrays[0][y * n + k] * m.arrays[1][k * n + x];
            machine_expect(&m, 2, y * n + x, sum);
        }
    machine_close(&m);
}

Test(synthetic_sums, matmul) {
    check_matmul("matmul-tiled:64KiB", 128);
    check_matmul("matmul-tiled:40000:tile=16,lanes=64", 96);
}

/* A butterfly of the loaded values: four, two, or one to copy; and the product of the transforms. */
static double butterfly(machine_lane *lane, const char *kernel) {
    const double *q = lane->queue;
    if (strstr(kernel, "modulate"))
        return take(lane, q[0] * q[1]);
    unsigned n = lane->count, k = lane->stores++;
    double value = q[k];
    if (n == 2)
        value = k ? q[0] - q[1] : q[0] + q[1];
    if (n == 4)
        value = (q[0] + (k & 1 ? -q[1] : q[1])) + (k & 2 ? -1 : 1) * (q[2] + (k & 1 ? -q[3] : q[3]));
    if (lane->stores == n)
        lane->count = 0;
    return value;
}

/* By definition: element j counts with the sign of the parity of i & j. */
static double walsh(const double *data, size_t n, size_t i) {
    double sum = 0;
    for (size_t j = 0; j < n; j++)
        sum += gpci_popcount(i & j) % 2 ? -data[j] : data[j];
    return sum;
}

static void check_walsh(const char *source, size_t n) {
    machine m;
    machine_open(&m, source, 4, butterfly);
    double *data = machine_copy(&m, 0);
    machine_run(&m);
    cr_assert_eq(m.lengths[0], n);
    for (size_t i = 0; i < n; i++)
        machine_expect(&m, 0, i, walsh(data, n, i));
    free(data);
    machine_close(&m);
}

/* Even and odd logarithms, with none, one and two passes through global memory. */
Test(synthetic_sums, fastwalsh) {
    check_walsh("fastwalsh:1KiB", 256);
    check_walsh("fastwalsh:2KiB", 512);
    check_walsh("fastwalsh:8KiB", 2048);
    check_walsh("fastwalsh:16KiB", 4096);
    check_walsh("fastwalsh:32KiB:lanes=64", 8192);
    check_walsh("fastwalsh:64KiB", 16384);
}

/* Convolution over exclusive or; left without the division by n. */
Test(synthetic_sums, dyadic_convolution) {
    enum { N = 1024 };
    machine m;
    machine_open(&m, "fastwalsh:4KiB:convolve=1", 4, butterfly);
    double *data = machine_copy(&m, 0), *kernel = machine_copy(&m, 1);
    machine_run(&m);
    for (size_t i = 0; i < N; i++) {
        double sum = 0;
        for (size_t j = 0; j < N; j++)
            sum += data[j] * kernel[i ^ j];
        machine_expect(&m, 0, i, N * sum);
    }
    free(data);
    free(kernel);
    machine_close(&m);
}
