/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/machine.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Rodinia's kernels that work in patches of 16 x 16, on numbers. */

/* Array values go unchanged into shared memory, in the order of the loads. */
static double copied(machine_lane *lane) {
    const double value = lane->queue[lane->stores++];
    if (lane->stores == lane->count)
        lane->count = lane->stores = 0;
    return value;
}

static double most(double a, double b) {
    return a > b ? a : b;
}

/* Copies, and the best of three ways to an element. */
static double scored(machine_lane *lane, const char *kernel) {
    const double *q = lane->queue;
    (void)kernel;
    if (!lane->shared || lane->count == 1)
        return copied(lane);
    cr_assert_eq(lane->count, 4);
    lane->count = 0;
    return most(most(q[0] + q[1], q[2] - 10), q[3] - 10);
}

/* 37 x 37 scores: two patches a side, three diagonals of them; the first row and column are given. */
Test(synthetic_patches, needleman_wunsch) {
    enum { MATRIX, REFERENCE, SIDE = 33 };
    machine m;
    machine_open(&m, "rodinia-nw:5476", 4, scored);
    double *best = machine_copy(&m, MATRIX), *reference = machine_copy(&m, REFERENCE);
    cr_assert_eq(m.lengths[MATRIX], SIDE * SIDE);
    for (unsigned launch = 0; launch < 3; launch++) {
        cr_assert(machine_launch(&m));
        cr_expect_str_eq(m.rig.kernel.name,
                         launch < 2 ? "_Z20needle_cuda_shared_1PiS_iiii" : "_Z20needle_cuda_shared_2PiS_iiii");
        cr_expect_eq(m.rig.kernel.grid[0], launch == 1 ? 2 : 1);
    }
    cr_expect_not(machine_launch(&m));
    for (size_t i = 1; i < SIDE; i++)
        for (size_t j = 1; j < SIDE; j++) {
            const size_t at = i * SIDE + j;
            best[at] = most(most(best[at - SIDE - 1] + reference[at], best[at - 1] - 10), best[at - SIDE] - 10);
        }
    for (size_t i = 0; i < SIDE * SIDE; i++)
        machine_expect(&m, MATRIX, i, best[i]);
    free(best);
    free(reference);
    machine_close(&m);
}

/* Copies; an element minus products, perhaps divided; and an element minus 16 earlier products. */
static double factored(machine_lane *lane, const char *kernel) {
    const double *q = lane->queue;
    const unsigned count = lane->count;
    (void)kernel;
    if (count == 33) {
        double sum = 0;
        for (unsigned i = 0; i < 32; i += 2)
            sum += q[i] * q[i + 1];
        lane->count = 0;
        return q[32] - sum;
    }
    if (!lane->shared || count == 1)
        return copied(lane);
    double value = q[0];
    for (unsigned i = 1; i + 1 < count; i += 2)
        value -= q[i] * q[i + 1];
    lane->count = 0;
    return count % 2 ? value : value / q[count - 1];
}

/* The product of the factors is the matrix, with three patches a side. */
Test(synthetic_patches, lu_decomposition) {
    enum { N = 48, LAUNCHES = 7 };
    machine m;
    machine_open(&m, "rodinia-lud:9800", 4, factored);
    cr_assert_eq(m.lengths[0], N * N);
    for (size_t i = 0; i < N; i++)
        m.arrays[0][i * N + i] += 500;
    double *a = machine_copy(&m, 0);
    for (unsigned launch = 0; launch < LAUNCHES; launch++)
        cr_assert(machine_launch(&m));
    cr_expect_not(machine_launch(&m));
    for (size_t row = 0; row < N; row++)
        for (size_t column = 0; column < N; column++) {
            double sum = 0;
            for (size_t k = 0; k <= row && k <= column; k++)
                sum += (k == row ? 1 : m.arrays[0][row * N + k]) * m.arrays[0][k * N + column];
            cr_assert_float_eq(sum, a[row * N + column], 1e-9, "(%zu, %zu): %g, not %g", row, column, sum,
                               a[row * N + column]);
        }
    free(a);
    machine_close(&m);
}

/* Coefficient of srad from the pixel and its neighbours above, below, left, right. */
static double coefficient(const double *q) {
    double squares = 0, sum = 0;
    for (unsigned i = 1; i < 5; i++) {
        squares += (q[i] - q[0]) * (q[i] - q[0]);
        sum += q[i] - q[0];
    }
    return squares + 3 * sum;
}

/* The first kernel stores the coefficient and the differences east, west, south, north; the second adds up. */
static double diffused(machine_lane *lane, const char *kernel) {
    static const unsigned order[] = {0, 4, 3, 2, 1};
    double *q = lane->queue;
    if (strstr(kernel, "cuda_1")) {
        if (!lane->shared)
            return copied(lane);
        cr_assert_eq(lane->count, 5);
        const unsigned which = order[lane->stores++];
        const double value = which ? q[which] - q[0] : coefficient(q);
        if (lane->stores == 5)
            lane->count = lane->stores = 0;
        return value;
    }
    /* the pixel, coefficients of the pixel, below and to the right, differences north, south, west, east */
    if (lane->count < 8)
        return copied(lane);
    cr_assert_eq(lane->count, 8);
    lane->count = 0;
    return q[0] + (q[1] * q[4] + q[2] * q[5] + q[1] * q[6] + q[3] * q[7]) / 8;
}

/* 33 x 33: two patches a side; neighbours beyond the image are the border. */
Test(synthetic_patches, diffusion) {
    enum { IMAGE, COEFFICIENTS, DIFFERENCES, N = 32, FIRST = N };
    enum { EAST, WEST = N * N, SOUTH = 2 * N * N, NORTH = 3 * N * N };
    machine m;
    machine_open(&m, "rodinia-srad:4356", 4, diffused);
    cr_assert_eq(m.lengths[IMAGE], (N + 2) * N);
    double *old = machine_copy(&m, IMAGE) + FIRST, *c = calloc(N * N, sizeof *c);
    cr_assert(machine_launch(&m));
    for (size_t y = 0; y < N; y++)
        for (size_t x = 0; x < N; x++) {
            const size_t at = y * N + x;
            const double q[5] = {old[at], old[y ? at - N : at], old[y + 1 < N ? at + N : at], old[x ? at - 1 : at],
                                 old[x + 1 < N ? at + 1 : at]};
            c[at] = coefficient(q);
            machine_expect(&m, COEFFICIENTS, FIRST + at, c[at]);
            machine_expect(&m, DIFFERENCES, NORTH + at, q[1] - q[0]);
            machine_expect(&m, DIFFERENCES, SOUTH + at, q[2] - q[0]);
            machine_expect(&m, DIFFERENCES, WEST + at, q[3] - q[0]);
            machine_expect(&m, DIFFERENCES, EAST + at, q[4] - q[0]);
        }
    const double *d = m.arrays[DIFFERENCES];
    cr_assert(machine_launch(&m));
    cr_expect_not(machine_launch(&m));
    for (size_t y = 0; y < N; y++)
        for (size_t x = 0; x < N; x++) {
            const size_t at = y * N + x;
            const double south = c[y + 1 < N ? at + N : at], east = c[x + 1 < N ? at + 1 : at];
            const double sum =
                c[at] * d[NORTH + at] + south * d[SOUTH + at] + c[at] * d[WEST + at] + east * d[EAST + at];
            machine_expect(&m, IMAGE, FIRST + at, old[at] + sum / 8);
        }
    free(old - FIRST);
    free(c);
    machine_close(&m);
}

/*
 * Forward: a value loaded alone is copied; the first two are multiplied, others added. Adjusting: the weight by error,
 * input and last change, the change likewise; in the first input's row, without an input.
 */
static double trained(machine_lane *lane, const char *kernel) {
    const double *q = lane->queue;
    const unsigned count = lane->count;
    if (strstr(kernel, "adjust")) {
        switch (count) {
        case 4:
            return q[0] + 3 * q[1] * q[2] + 2 * q[3];
        case 7:
            return 3 * q[4] * q[5] + 2 * q[6];
        case 10:
            return q[7] + 3 * q[8] + 2 * q[9];
        default:
            cr_assert_eq(count, 12);
            return 3 * q[10] + 2 * q[11];
        }
    }
    if (count % 2) {
        lane->count = 0;
        return q[count - 1];
    }
    return count == 2 ? q[0] * q[1] : q[count - 2] + q[count - 1];
}

/* 48 inputs and 16 units; weights have a separate row and column before the rows and columns of inputs and units. */
Test(synthetic_patches, back_propagation) {
    enum { WEIGHTS, CHANGES, INPUT, SUMS, N = 48, UNITS = 16, ROW = UNITS + 1 };
    machine m;
    machine_open(&m, "rodinia-backprop:3332", 4, trained);
    cr_assert_eq(m.lengths[WEIGHTS], (N + 1) * ROW);
    double *w = machine_copy(&m, WEIGHTS), *old = machine_copy(&m, CHANGES), *in = machine_copy(&m, INPUT);
    const double *error = in + N + 1;
    cr_assert(machine_launch(&m));
    for (size_t block = 0; block < N / 16; block++)
        for (size_t unit = 0; unit < UNITS; unit++) {
            double sum = 0;
            for (size_t row = 1; row <= 16; row++)
                sum += in[block * 16 + row] * w[(block * 16 + row) * ROW + unit + 1];
            machine_expect(&m, SUMS, block * 16 + unit, sum);
            machine_expect(&m, WEIGHTS, (block * 16 + 1) * ROW + unit + 1, sum);
        }
    free(w);
    w = machine_copy(&m, WEIGHTS);
    cr_assert(machine_launch(&m));
    cr_expect_not(machine_launch(&m));
    for (size_t row = 0; row <= N; row++)
        for (size_t unit = 1; unit < ROW; unit++) {
            const size_t at = row * ROW + unit;
            const double change = 3 * error[unit] * (row ? in[row] : 1) + 2 * old[at];
            machine_expect(&m, WEIGHTS, at, w[at] + change);
            machine_expect(&m, CHANGES, at, change);
        }
    free(w);
    free(old);
    free(in);
    machine_close(&m);
}

static double warmed(double t, double power, double above, double below, double left, double right) {
    return t + power + 2 * (above + below) + 3 * (left + right);
}

static double heated(machine_lane *lane, const char *kernel) {
    const double *q = lane->queue;
    (void)kernel;
    if (lane->count == 1)
        return copied(lane);
    cr_assert_eq(lane->count, 6);
    lane->count = 0;
    return warmed(q[0], q[1], q[2], q[3], q[4], q[5]);
}

static void warm(double *to, const double *from, const double *power, size_t n) {
    for (size_t y = 0; y < n; y++)
        for (size_t x = 0; x < n; x++) {
            const size_t at = y * n + x;
            to[at] = warmed(from[at], power[at], from[y ? at - n : at], from[y + 1 < n ? at + n : at],
                            from[x ? at - 1 : at], from[x + 1 < n ? at + 1 : at]);
        }
}

/* 29 x 29 cells in three parts a side, the last of five; two launches of two steps. */
Test(synthetic_patches, temperatures) {
    enum { POWER, FROM, TO, N = 29 };
    double other[N * N];
    machine m;
    machine_open(&m, "rodinia-hotspot:3364:launches=2", 4, heated);
    double *now = machine_copy(&m, FROM);
    for (unsigned launch = 0; launch < 2; launch++) {
        cr_assert(machine_launch(&m));
        warm(other, now, m.arrays[POWER], N);
        warm(now, other, m.arrays[POWER], N);
        for (size_t i = 0; i < N * N; i++)
            machine_expect(&m, launch ? FROM : TO, i, now[i]);
    }
    cr_expect_not(machine_launch(&m));
    free(now);
    machine_close(&m);
}

static double apart(machine_lane *lane, const char *kernel) {
    (void)kernel;
    cr_assert_eq(lane->count, 2);
    return lane->queue[0] + 10 * lane->queue[1];
}

Test(synthetic_patches, nearest_neighbours) {
    machine m;
    machine_open(&m, "rodinia-nn:8000", 4, apart);
    machine_run(&m);
    cr_assert_eq(m.lengths[1], 1000);
    for (size_t i = 0; i < 1000; i++)
        machine_expect(&m, 1, i, m.arrays[0][2 * i] + 10 * m.arrays[0][2 * i + 1]);
    machine_close(&m);
}
