/* SPDX-License-Identifier: BSD-2-Clause */
/* Rodinia's srad_v1 as compiled for Fermi: run on numbers, and counted by hand. */
#include "trace/synthetic/machine.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { IMAGE, INDICES, SUMS, DIFFERENCES };
enum { NORTH, SOUTH, WEST, EAST, COEFFICIENTS };
enum { THREADS = 512 };

/* Copies, sums of two; differences to the four neighbours, then their sum; the pixel with weighted differences. */
static double diffused(machine_lane *lane, const char *kernel) {
    const double *q = lane->queue;
    const unsigned count = lane->count;
    if (count == 9) {
        double sum = -4 * q[0];
        for (unsigned k = 2; k < 9; k += 2)
            sum += q[k];
        if (lane->stores == 4)
            lane->count = 0;
        return lane->stores++ == 4 ? sum : q[2 * lane->stores] - q[0];
    }
    lane->count = 0;
    if (count == 10)
        return q[9] + q[0] * q[5] + q[2] * q[6] + q[0] * q[7] + q[4] * q[8];
    cr_assert_leq(count, 2, "%s: %u loads", kernel, count);
    return count == 2 ? q[0] + q[1] : q[0];
}

/* A level of sums as in reduce_kernel.cu: elements behind the tree are adjacent, whatever the distance. */
static void reduce(double *sums, size_t n, size_t apart) {
    for (size_t block = 0; block * THREADS < n; block++) {
        const size_t count = n - block * THREADS < THREADS ? n - block * THREADS : THREADS;
        double sum = 0;
        size_t busy = 2;
        if (count == 1)
            continue;
        while (busy * 2 <= count)
            busy *= 2;
        for (size_t t = 0; t < busy; t++)
            sum += sums[(block * THREADS + t) * apart];
        for (size_t t = busy; t < count; t++)
            sum += sums[block * THREADS + t];
        sums[block * THREADS * apart] = sum;
    }
}

static double *reduced(const double *image, size_t n) {
    double *sums = malloc(n * sizeof *sums);
    cr_assert(sums);
    memcpy(sums, image, n * sizeof *sums);
    for (size_t left = n, apart = 1;; left = (left + THREADS - 1) / THREADS, apart *= THREADS) {
        reduce(sums, left, apart);
        if (left <= THREADS)
            return sums;
    }
}

static void change(const machine *m, double *image, size_t n, size_t rows) {
    double *d[5];
    for (size_t k = 0; k < 5; k++)
        cr_assert(d[k] = calloc(n, sizeof **d));
    for (size_t i = 0; i < n; i++) {
        const size_t row = i % rows, column = i / rows;
        d[NORTH][i] = image[row ? i - 1 : i] - image[i];
        d[SOUTH][i] = image[row + 1 < rows ? i + 1 : i] - image[i];
        d[WEST][i] = image[column ? i - rows : i] - image[i];
        d[EAST][i] = image[i + rows < n ? i + rows : i] - image[i];
        for (size_t k = NORTH; k <= EAST; k++) {
            d[COEFFICIENTS][i] += d[k][i];
            machine_expect(m, DIFFERENCES, k * m->lengths[DIFFERENCES] / 5 + i, d[k][i]);
        }
    }
    for (size_t i = 0; i < n; i++) {
        const double *c = d[COEFFICIENTS];
        const double south = c[(i + 1) % rows ? i + 1 : i], east = c[i + rows < n ? i + rows : i];
        image[i] += c[i] * d[NORTH][i] + south * d[SOUTH][i] + c[i] * d[WEST][i] + east * d[EAST][i];
    }
    for (size_t k = 0; k < 5; k++)
        free(d[k]);
}

/* `levels` launches sum up. */
static void check(const char *source, size_t n, size_t rows, unsigned levels) {
    machine m;
    machine_open(&m, source, 4, diffused);
    double *image = machine_copy(&m, IMAGE);
    cr_assert(machine_launch(&m));
    for (unsigned launch = 0; launch < 1 + levels; launch++)
        cr_assert(machine_launch(&m));
    double *sums = reduced(image, n);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < 2; k++) /* the second array would have squares: the same here */
            machine_expect(&m, SUMS, k * m.lengths[SUMS] / 2 + i, sums[i]);
    cr_assert(machine_launch(&m));
    cr_assert(machine_launch(&m));
    change(&m, image, n, rows);
    for (size_t i = 0; i < n; i++)
        machine_expect(&m, IMAGE, i, image[i]);
    cr_assert(machine_launch(&m));
    cr_assert_not(machine_launch(&m));
    free(image);
    free(sums);
    machine_close(&m);
}

/*
 * 30 x 57 = 1,710 pixels: three whole blocks and 174 pixels, a tree of 128 and 46 behind; then four sums. 37 x 14 = 518
 * pixels: a tree of 4 and 2 behind; then two sums. 27 x 19 = 513 pixels: a block of one pixel, without a tree. 32 x 32:
 * two whole blocks. 13 x 13: one block.
 */
Test(synthetic_speckle, on_numbers) {
    check("rodinia-srad-v1:6840:rows=30", 1710, 30, 2);
    check("rodinia-srad-v1:2072:rows=37", 518, 37, 2);
    check("rodinia-srad-v1:2052:rows=27", 513, 27, 2);
    check("rodinia-srad-v1:4096:rows=32", 1024, 32, 2);
    check("rodinia-srad-v1:676:rows=13", 169, 13, 1);
}

static void expect(rig *r, const char *name, uint64_t loads, uint64_t load_sectors, uint64_t stores,
                   uint64_t store_sectors, uint64_t barriers) {
    cr_assert(rig_kernel(r), "%s", name);
    const traffic t = rig_traffic(r);
    cr_expect_str_eq(r->kernel.name, name);
    cr_expect_eq(t.loads, loads, "%s: %lu loads", name, (unsigned long)t.loads);
    cr_expect_eq(t.load_sectors, load_sectors, "%s: %lu sectors", name, (unsigned long)t.load_sectors);
    cr_expect_eq(t.stores, stores, "%s: %lu stores", name, (unsigned long)t.stores);
    cr_expect_eq(t.store_sectors, store_sectors, "%s: %lu sectors", name, (unsigned long)t.store_sectors);
    cr_expect_eq(t.barriers, barriers, "%s: %lu barriers", name, (unsigned long)t.barriers);
}

/*
 * 64 rows, 16 columns: two blocks of 16 warps, two warps a column. Nine steps of a tree; then one of two sums, which
 * are 2,048 bytes apart. Rows 0 to 31 have their northern neighbours in 4 sectors, rows 32 to 63 in 5; southern ones in
 * 5 and 4. Indices of rows are 4 sectors, of a column 1.
 */
Test(synthetic_speckle, counts) {
    rig r;
    rig_open(&r, "rodinia-srad-v1:4KiB:rows=64");
    expect(&r, "_Z7extractlPf", 32, 128, 32, 128, 0);
    expect(&r, "_Z7preparelPfS_S_", 64, 256, 64, 256, 0);
    expect(&r, "_Z6reduceliiPfS_", 64, 256, 2 * 2, 2 * 2, 2 * 16 * (1 + 9));
    expect(&r, "_Z6reduceliiPfS_", 2, 4, 2, 2, 16 * (1 + 1));
    expect(&r, "_Z4sradfiilPiS_S_S_PfS0_S0_S0_fS0_S0_", 32 * 9, 16 * (8 + 8 + 9 + 8 + 9 + 2 * (2 + 8)), 32 * 5,
           32 * 5 * 4, 0);
    expect(&r, "_Z5srad2fiilPiS_S_S_PfS0_S0_S0_S0_S0_", 32 * 10, 16 * (8 + 8 + 9 + 2 + 8 + 5 * 8), 32, 128, 0);
    expect(&r, "_Z8compresslPf", 32, 128, 32, 128, 0);
    cr_assert_not(rig_kernel(&r));
    rig_close(&r);
}

/* 502 x 458 = 229,916 pixels are 450 blocks; their sums are one block. 100 rounds are 502 launches. */
Test(synthetic_speckle, published) {
    static const uint32_t blocks[] = {450, 450, 450, 1, 450, 450, 450, 450, 1};
    rig r;
    rig_open(&r, "rodinia-srad-v1:919664:rounds=100");
    cr_expect_eq(r.source->ops->kernel_count(r.source), 502);
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        cr_assert(rig_kernel(&r));
        cr_expect_eq(r.kernel.grid[0], blocks[i]);
    }
    rig_close(&r);
}
