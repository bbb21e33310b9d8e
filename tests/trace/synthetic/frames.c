/* SPDX-License-Identifier: BSD-2-Clause */
/* Rodinia's kernels that work on frames of pixels, on numbers. */
#include "trace/synthetic/machine.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Of the 5/3 wavelet, in whole numbers: an odd element by its neighbours, and then an even one. */
static long predicted(long before, long at, long after) {
    return at - (before + after) / 2;
}

static long updated(long before, long at, long after) {
    return at + (before + after + 2) / 4;
}

enum { LINES = 11, PHASES = 4 }; /* of a step: columns, odd rows, even rows, writing */

/* What a thread keeps in registers of its columns: its own, and one beside them. */
static struct kept {
    double rows[2][3];
    unsigned copied, lifted, step;
} kept[256];

static machine wavelets;

/* The first three rows of the columns; those of the top block are 0, 1, 2, and have to be 2, 1, 0. */
static void keep_first(machine_lane *lane, struct kept *k) {
    for (unsigned i = 0; i < lane->count; i++)
        k->rows[i / 3][wavelets.y ? i % 3 : 2 - i % 3] = lane->queue[i];
    lane->count = 0;
}

/* A pixel on its way to shared memory: of eight rows, and of the three before, which the next step has again. */
static double column_copied(machine_lane *lane, struct kept *k) {
    const unsigned column = k->copied / LINES, line = k->copied % LINES;
    k->copied++;
    if (line < 3)
        return k->rows[column][line];
    const double value = lane->queue[line - 3];
    if (line >= LINES - 3)
        k->rows[column][line - (LINES - 3)] = value;
    if (line == LINES - 1)
        lane->count = 0;
    return value;
}

static double transformed(machine_lane *lane, const char *kernel) {
    (void)kernel;
    struct kept *k = &kept[lane - wavelets.lanes];
    const unsigned phase = lane->barriers % PHASES, step = lane->barriers / PHASES;
    const bool begins = !lane->barriers && !lane->shared && (lane->count == 3 || lane->count == 6);
    if (begins || step != k->step)
        k->copied = k->lifted = 0;
    if (step && step != k->step && !phase)
        lane->count = 0; /* of a column beyond the image, which was not written */
    k->step = step;
    if (phase == PHASES - 1)
        return lane->queue[--lane->count];
    if (begins)
        keep_first(lane, k);
    if (!lane->shared || lane->count != 3)
        return column_copied(lane, k);
    const long before = (long)lane->queue[0], after = (long)lane->queue[1], at = (long)lane->queue[2];
    const bool odd = phase ? phase == 1 : k->lifted++ % 9 < 5;
    lane->count = 0;
    return (double)(odd ? predicted(before, at, after) : updated(before, at, after));
}

/* A row or column of n elements, `stride` apart, mirrored at its ends. */
static void lift(double *of, size_t n, size_t stride) {
    for (unsigned even = 0; even < 2; even++)
        for (size_t i = 1 - even; i < n; i += 2) {
            const long before = (long)of[(i ? i - 1 : 1) * stride], at = (long)of[i * stride];
            const long after = (long)of[(i + 1 < n ? i + 1 : n - 2) * stride];
            of[i * stride] = (double)(even ? updated(before, at, after) : predicted(before, at, after));
        }
}

/* Columns, then rows; and where an element of the image is to be: low and high bands of both. */
static void check_level(const double *image, const double *bands, size_t n) {
    const size_t half = (n + 1) / 2;
    double *of = malloc(n * n * sizeof *of);
    cr_assert(of);
    memcpy(of, image, n * n * sizeof *of);
    for (size_t x = 0; x < n; x++)
        lift(of + x, n, n);
    for (size_t y = 0; y < n; y++)
        lift(of + y * n, n, 1);
    const size_t begins[] = {0, half * half, n * half, n * half + half * (n / 2)};
    for (size_t y = 0; y < n; y++)
        for (size_t x = 0; x < n; x++) {
            const size_t width = x % 2 ? n / 2 : half, band = x % 2 + y % 2 * 2;
            const double found = bands[begins[band] + y / 2 * width + x / 2];
            if (found != of[y * n + x])
                cr_assert_fail("%zu x %zu: (%zu, %zu) is %g, not %g", n, n, x, y, found, of[y * n + x]);
        }
    free(of);
}

static double centred(machine_lane *lane, const char *kernel) {
    (void)kernel;
    return lane->shared ? lane->queue[lane->stores++] - 128 : lane->queue[--lane->count];
}

/* A level after the other; the program copies the low band between them. */
static void check_wavelets(const char *source, size_t side, unsigned levels) {
    enum { PIXELS, FROM, TO };
    machine *m = &wavelets;
    machine_open(m, source, 4, centred);
    const size_t component = m->lengths[FROM] / 3;
    cr_assert(machine_launch(m));
    m->value = transformed;
    for (size_t i = 0; i < m->lengths[FROM]; i++)
        m->arrays[FROM][i] = (double)(i * i % 97 + i % 5);
    for (unsigned k = 0; k < 3; k++) {
        size_t n = side;
        for (unsigned level = 0; level < levels; level++) {
            double *image = m->arrays[FROM] + k * component, *bands = m->arrays[TO] + k * component;
            double *before = machine_copy(m, FROM);
            cr_assert(machine_launch(m));
            check_level(before + k * component, bands, n);
            n = (n + 1) / 2;
            memcpy(image, bands, n * n * sizeof *image);
            free(before);
        }
    }
    cr_expect_not(machine_launch(m));
    machine_close(m);
}

/* Blocks of 64 columns and one step; of 64 and three steps, and an odd number of pixels in the next level. */
Test(synthetic_frames, wavelets) {
    check_wavelets("rodinia-dwt2d:36864:levels=2", 96, 2);
    check_wavelets("rodinia-dwt2d:281961:levels=2", 265, 2);
}

/* Wider images, of blocks of 128 and 192 columns. */
Test(synthetic_frames, wide_wavelets) {
    check_wavelets("rodinia-dwt2d:984064:levels=1", 496, 1);
    check_wavelets("rodinia-dwt2d:3701776:levels=1", 962, 1);
}

/* Bytes of red, green and blue become numbers around 0; 33 x 33 pixels are four blocks and a part. */
Test(synthetic_frames, components) {
    enum { PIXELS, COMPONENTS, SIDE = 33 };
    machine m;
    machine_open(&m, "rodinia-dwt2d:4356", 4, centred);
    unsigned char bytes[5 * 768];
    cr_assert_eq(m.lengths[PIXELS] * 4, sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * 7 + i / 256);
    for (size_t i = 0; i < m.lengths[PIXELS]; i++)
        m.arrays[PIXELS][i] =
            bytes[4 * i] + 256.0 * bytes[4 * i + 1] + 65536.0 * bytes[4 * i + 2] + 16777216.0 * bytes[4 * i + 3];
    cr_assert(machine_launch(&m));
    cr_expect_str_eq(m.rig.kernel.name, "_Z21c_CopySrcToComponentsIiEvPT_S1_S1_Phi");
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < SIDE * SIDE; i++)
            machine_expect(&m, COMPONENTS, k * m.lengths[COMPONENTS] / 3 + i, bytes[3 * i + k] - 128);
    machine_close(&m);
}
