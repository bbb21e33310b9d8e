/* SPDX-License-Identifier: BSD-2-Clause */
/* Every kernel, run on numbers, computes the result promised by the name. */
#include "trace/synthetic/machine.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double take(machine_lane *lane, double value) {
    lane->count = 0;
    return value;
}

/* Element by element. */
static double elementwise(machine_lane *lane, const char *kernel) {
    double a = lane->queue[0], b = lane->count > 1 ? lane->queue[1] : 0;
    if (strstr(kernel, "mul"))
        return take(lane, a * b);
    if (strstr(kernel, "sub"))
        return take(lane, a - b);
    if (strstr(kernel, "scale"))
        return take(lane, 3 * a);
    if (strstr(kernel, "copy"))
        return take(lane, a);
    if (strstr(kernel, "triad"))
        return take(lane, a + 3 * b);
    if (strstr(kernel, "relu"))
        return take(lane, a > 0 ? a : 0);
    if (strstr(kernel, "sigmoid"))
        return take(lane, 1 / (1 + exp(-a)));
    return take(lane, a + b);
}

static void check_elementwise(const char *source, unsigned inputs, double (*function)(double, double)) {
    machine m;
    machine_open(&m, source, 4, elementwise);
    machine_run(&m);
    cr_assert_eq(m.count, inputs + 1);
    for (size_t i = 0; i < m.lengths[inputs]; i++)
        machine_expect(&m, inputs, i, function(m.arrays[0][i], inputs > 1 ? m.arrays[1][i] : 0));
    machine_close(&m);
}

static double add(double a, double b) {
    return a + b;
}

static double multiply(double a, double b) {
    return a * b;
}

static double subtract(double a, double b) {
    return a - b;
}

static double triple(double a, double b) {
    (void)b;
    return 3 * a;
}

static double rectify(double a, double b) {
    (void)b;
    return a > 0 ? a : 0;
}

static double logistic(double a, double b) {
    (void)b;
    return 1 / (1 + exp(-a));
}

Test(synthetic_results, elementwise) {
    static const char *const tails[] = {":64KiB", ":12344", ":12344:lanes=64"};
    for (unsigned i = 0; i < 3; i++) {
        char source[64];
#define CHECK(name, inputs, function) check_elementwise(strcat(strcpy(source, name), tails[i]), inputs, function)
        CHECK("vectoradd", 2, add);
        CHECK("vecmul", 2, multiply);
        CHECK("vecsub", 2, subtract);
        CHECK("vecscale", 1, triple);
        CHECK("relu", 1, rectify);
        CHECK("sigmoid", 1, logistic);
        CHECK("elemmul", 2, multiply);
#undef CHECK
    }
}

/* a, b, c after two turns of copy, scale, add and triad with the factor 3. */
Test(synthetic_results, stream) {
    machine m;
    machine_open(&m, "stream:20000:turns=2", 8, elementwise);
    double *a = machine_copy(&m, 0);
    machine_run(&m);
    for (size_t i = 0; i < m.lengths[0]; i++) {
        double x = a[i], y = 0, z = 0;
        for (int turn = 0; turn < 2; turn++) {
            z = x;
            y = 3 * z;
            z = x + y;
            x = y + 3 * z;
        }
        machine_expect(&m, 0, i, x);
        machine_expect(&m, 1, i, y);
        machine_expect(&m, 2, i, z);
    }
    free(a);
    machine_close(&m);
}

static double copy(machine_lane *lane, const char *kernel) {
    (void)kernel;
    return take(lane, lane->count ? lane->queue[lane->count - 1] : 0);
}

static void check_transpose(const char *source, size_t rows, size_t columns) {
    machine m;
    machine_open(&m, source, 4, copy);
    machine_run(&m);
    cr_assert_eq(m.lengths[0], rows * columns);
    cr_assert_eq(m.lengths[1], rows * columns);
    for (size_t y = 0; y < rows; y++)
        for (size_t x = 0; x < columns; x++)
            machine_expect(&m, 1, x * rows + y, m.arrays[0][y * columns + x]);
    machine_close(&m);
}

Test(synthetic_results, transpose) {
    check_transpose("transpose-naive:64KiB", 128, 128);
    check_transpose("transpose-naive:32KiB:lanes=64", 64, 128);
    check_transpose("transpose-tiled:64KiB", 128, 128);
    check_transpose("transpose-tiled:128KiB", 128, 256);
    check_transpose("transpose-tiled:30000:columns=48,lanes=64", 144, 48);
}

Test(synthetic_results, zeropad) {
    machine m;
    machine_open(&m, "zeropad:20000:pad=5", 4, copy);
    machine_run(&m);
    /* The largest square of 5000 floats is 70 x 70. */
    cr_assert_eq(m.lengths[1], 4900);
    for (size_t y = 0; y < 70; y++)
        for (size_t x = 0; x < 70; x++) {
            bool inside = x >= 5 && x < 65 && y >= 5 && y < 65;
            machine_expect(&m, 1, y * 70 + x, inside ? m.arrays[0][(y - 5) * 60 + x - 5] : 0);
        }
    machine_close(&m);
}

Test(synthetic_results, spatial) {
    machine m;
    machine_open(&m, "spatial:16KiB", 4, copy);
    machine_run(&m);
    for (size_t i = 0; i < 4096; i++) {
        size_t reversed = 0;
        for (unsigned bit = 0; bit < 12; bit++)
            reversed |= (i >> bit & 1) << (11 - bit);
        machine_expect(&m, 1, i, m.arrays[0][reversed]);
    }
    machine_close(&m);
}

/* Indices are random: every output holds an input, and about 1 - 1/e of all elements are used. */
Test(synthetic_results, gather) {
    machine m;
    machine_open(&m, "gather:100000", 4, copy);
    for (size_t i = 0; i < m.lengths[1]; i++)
        m.arrays[1][i] = (double)i;
    machine_run(&m);
    bool *used = calloc(25000, sizeof *used);
    size_t distinct = 0;
    for (size_t i = 0; i < 25000; i++) {
        size_t from = (size_t)m.arrays[2][i];
        distinct += !used[from];
        used[from] = true;
    }
    cr_assert(distinct > 0.62 * 25000 && distinct < 0.645 * 25000, "%zu of 25000", distinct);
    free(used);
    machine_close(&m);
}

static void check_kronecker(const char *source, size_t m_side, size_t n_side) {
    machine m;
    machine_open(&m, source, 4, elementwise);
    machine_run(&m);
    size_t side = m_side * n_side;
    cr_assert_eq(m.lengths[0], m_side * m_side);
    cr_assert_eq(m.lengths[1], n_side * n_side);
    cr_assert_eq(m.lengths[2], side * side);
    for (size_t y = 0; y < side; y++)
        for (size_t x = 0; x < side; x++)
            machine_expect(&m, 2, y * side + x,
                           m.arrays[0][y / n_side * m_side + x / n_side] +
                               m.arrays[1][y % n_side * n_side + x % n_side]);
    machine_close(&m);
}

/* Elements are added instead of multiplied, to distinguish more of them. */
Test(synthetic_results, kronecker) {
    check_kronecker("kronecker:64KiB", 8, 16);
    check_kronecker("kronecker:40000:inner=7", 14, 7);
}

static double pooled(machine_lane *lane, const char *kernel) {
    double most = -INFINITY, sum = 0;
    for (unsigned i = 0; i < lane->count; i++) {
        most = fmax(most, lane->queue[i]);
        sum += lane->queue[i];
    }
    return take(lane, strstr(kernel, "max") ? most : sum);
}

static void check_pool(const char *source, size_t rows, size_t columns, size_t window, size_t stride, bool largest) {
    machine m;
    machine_open(&m, source, 4, pooled);
    machine_run(&m);
    size_t height = (rows - window) / stride + 1, width = (columns - window) / stride + 1;
    cr_assert_eq(m.lengths[0], rows * columns);
    cr_assert_eq(m.lengths[1], height * width);
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            double most = -INFINITY, sum = 0;
            for (size_t i = 0; i < window * window; i++) {
                double v = m.arrays[0][(y * stride + i / window) * columns + x * stride + i % window];
                most = fmax(most, v);
                sum += v;
            }
            machine_expect(&m, 1, y * width + x, largest ? most : sum);
        }
    machine_close(&m);
}

Test(synthetic_results, pooling) {
    check_pool("maxpool:32KiB", 64, 128, 3, 1, true);
    check_pool("maxpool:64KiB:window=4,stride=3,columns=100", 163, 100, 4, 3, true);
    check_pool("maxpool:64KiB:window=1,stride=2,lanes=64", 128, 128, 1, 2, true);
    check_pool("meanpool:32KiB", 64, 128, 2, 2, false);
    check_pool("meanpool:32KiB:window=5,stride=5", 64, 128, 5, 5, false);
}
