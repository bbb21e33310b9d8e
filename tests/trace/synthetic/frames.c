/* SPDX-License-Identifier: BSD-2-Clause */
/* Rodinia's kernels that work on frames of pixels, on numbers. */
#include "trace/synthetic/machine.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The 5/3 wavelet, in whole numbers: an odd element from the neighbours, then an even element. */
static long predicted(long before, long at, long after) {
    return at - (before + after) / 2;
}

static long updated(long before, long at, long after) {
    return at + (before + after + 2) / 4;
}

enum { LINES = 11, PHASES = 4 }; /* phases of a step: columns, odd rows, even rows, writing */

/* Columns kept in registers by a thread: the own column, and a column beside. */
static struct kept {
    double rows[2][3];
    unsigned copied, lifted, step;
} kept[256];

static machine wavelets;

/* The first three rows of the columns; in the top block 0, 1, 2, to become 2, 1, 0. */
static void keep_first(machine_lane *lane, struct kept *k) {
    for (unsigned i = 0; i < lane->count; i++)
        k->rows[i / 3][wavelets.y ? i % 3 : 2 - i % 3] = lane->queue[i];
    lane->count = 0;
}

/* A pixel on the way to shared memory: of eight rows, and of the previous three, repeated in the next step. */
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
        lane->count = 0; /* a column beyond the image is not written */
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

/* A row or column of n elements, `stride` apart, mirrored at the ends. */
static void lift(double *of, size_t n, size_t stride) {
    for (unsigned even = 0; even < 2; even++)
        for (size_t i = 1 - even; i < n; i += 2) {
            const long before = (long)of[(i ? i - 1 : 1) * stride], at = (long)of[i * stride];
            const long after = (long)of[(i + 1 < n ? i + 1 : n - 2) * stride];
            of[i * stride] = (double)(even ? updated(before, at, after) : predicted(before, at, after));
        }
}

/* Columns, then rows; and the target of an element of the image: low and high bands of each. */
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

/* Level after level; the program copies the low band in between. */
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

/* heartwall: 5 points in frames of 30 x 30, templates of 5 x 5, areas of 9 x 9, moves by one at most. */
enum {
    SIDE = 30,
    POINTS = 5,
    FRAMES = 3,
    SEARCH = 4,
    TEMPLATE = 2,
    MOVE = 3,
    IN = 5,
    AREA = 9,
    OUT = 13,
    PIXELS_IN = IN * IN
};
enum { FRAME, ROWS, COLUMNS, ROW_PLACES, COLUMN_PLACES, TEMPLATES, AREAS, MASKED = 17, HEART_ARRAYS };
#define HEART "rodinia-heartwall:3600:points=5,frames=3,search=4,template=2,move=3,skip=1"

/* A thread's phase is the number of barriers passed. */
enum {
    SELECT,
    TURN,
    CONVOLVE,
    BOXES, /* nine phases, then squares, and nine phases of squares */
    SQUARE = BOXES + 9,
    SQUARE_BOXES,
    DEVIATE = SQUARE_BOXES + 9,
    TEMPLATE_SQUARE,
    COLUMN_SUMS,
    ROW_SUMS,
    TOTALS,
    DEVIATION,
    SCALE,
    CENTRE,
    DIVIDE,
    MARK,
    MARK_NEAR,
    LARGEST,
    PLACE
};

static struct {
    unsigned phase, block;
    double sum;
    long at;
} hearts[256];

static machine heart;

static double sum_of(const machine_lane *lane, unsigned from, unsigned to, unsigned products) {
    double sum = 0;
    for (unsigned k = from; k < to; k += 1 + products)
        sum += lane->queue[k] * (products ? lane->queue[k + 1] : 1);
    return sum;
}

/* Nine phases: into a border of zeros, cumulative columns, two parts and the difference, rows likewise. */
static double boxed(const machine_lane *lane, unsigned phase) {
    const unsigned thread = (unsigned)(lane - heart.lanes), count = lane->count;
    const double last = count ? lane->queue[count - 1] : 0;
    if (phase == 4 || phase == 8)
        return lane->queue[count - 2] - last;
    if (phase == 1 || phase == 5)
        return hearts[thread].sum += last;
    return last;
}

/* The largest value of a row, or of all rows: first the place, then the value. */
static double largest(machine_lane *lane, unsigned step, unsigned count) {
    const unsigned thread = (unsigned)(lane - heart.lanes);
    double most = 0;
    long at = 0;
    for (unsigned k = 0; k < count; k++) {
        const double value = fabs(lane->queue[k * step]);
        if (value > most) {
            most = value;
            at = step > 1 ? (long)lane->queue[k * step + 1] : (long)(thread * OUT + k);
        }
    }
    hearts[thread].at = at;
    return most;
}

static double deviation_of(double sum, double squares) {
    const double left = squares - sum * sum / PIXELS_IN;
    return sqrt(left < 0 ? 0 : left);
}

static double template_deviation(double sum, double squares) {
    const double mean = sum / PIXELS_IN;
    return sqrt(PIXELS_IN - 1.0) * sqrt(squares / PIXELS_IN - mean * mean);
}

/* The point's place in the last frame, in the convolved area. */
static long marked(const double *q) {
    const long middle = SEARCH + TEMPLATE;
    return (middle + (long)(q[2] - q[3])) * OUT + middle + (long)(q[0] - q[1]);
}

/* Distance of the largest value from the template's place, in one direction. */
static double displaced(long at) {
    return (double)(at + 1 - IN - (SEARCH - TEMPLATE));
}

static double placed(machine_lane *lane) {
    const double at = lane->queue[lane->count - 1];
    if (lane->count == 2 * OUT + 1) {
        largest(lane, 2, OUT);
        return at + displaced(hearts[0].at % OUT);
    }
    return at + displaced(hearts[0].at / OUT);
}

static double tracked(machine_lane *lane, unsigned phase) {
    const unsigned thread = (unsigned)(lane - heart.lanes), count = lane->count;
    const double *q = lane->queue, last = count ? q[count - 1] : 0;
    if (phase >= BOXES && phase < SQUARE)
        return boxed(lane, phase - BOXES);
    if (phase >= SQUARE_BOXES && phase < DEVIATE)
        return boxed(lane, phase - SQUARE_BOXES);
    switch (phase) {
    case CONVOLVE:
        return sum_of(lane, 0, count, 1);
    case SQUARE:
    case TEMPLATE_SQUARE:
        return last * last;
    case DEVIATE:
        return deviation_of(q[0], q[1]);
    case COLUMN_SUMS:
    case ROW_SUMS:
    case TOTALS:
        return sum_of(lane, 0, count, 0);
    case DEVIATION:
        return template_deviation(q[0], q[1]);
    case SCALE:
        return q[0] * q[1];
    case CENTRE:
        return q[0] - q[1] * q[2] / PIXELS_IN;
    case DIVIDE:
        return q[0] / q[1];
    case MARK:
        return marked(q) == (long)thread;
    case MARK_NEAR:
        return last * sum_of(lane, 0, count - 1, 0);
    case LARGEST:
        return largest(lane, 1, OUT);
    default: /* copied */
        return last;
    }
}

/* All threads load the point's coordinates; threads that store no pixel of the area keep the coordinates. */
static void drop_coordinates(machine_lane *lane) {
    const unsigned thread = (unsigned)(lane - heart.lanes), block = heart.rig.kernel.index * POINTS + heart.x + 1;
    if (hearts[thread].block != block && lane->barriers) {
        lane->count -= 2;
        memmove(lane->queue, lane->queue + 2, lane->count * sizeof *lane->queue);
    }
    hearts[thread].block = block;
}

static double followed(machine_lane *lane, const char *kernel) {
    const unsigned thread = (unsigned)(lane - heart.lanes), phase = lane->barriers;
    (void)kernel;
    drop_coordinates(lane);
    if (phase != hearts[thread].phase)
        hearts[thread].sum = 0;
    hearts[thread].phase = phase;
    if (phase == PLACE)
        return placed(lane);
    const double value = tracked(lane, phase);
    if (phase == LARGEST && !lane->stores++)
        return (double)hearts[thread].at;
    lane->count = 0;
    return value;
}

/* Places of the points, from the first launch's loads for the first pixel of every template. */
static void read_points(size_t *rows, size_t *columns) {
    rig r;
    size_t count;
    rig_open(&r, HEART);
    const gpci_synthetic_array *arrays = gpci_synthetic_arrays(r.source, &count);
    cr_assert(count == HEART_ARRAYS && rig_kernel(&r));
    for (const gpc_block *block; (block = rig_block(&r));)
        for (uint64_t k = 0, found = 0; !found; k++) {
            const gpc_instruction *i = &block->warps[0].instructions[k];
            const uint64_t at = i->addresses ? (i->addresses[0] - arrays[FRAME].base) / 4 : SIDE * SIDE;
            if (at >= SIDE * SIDE || i->space != GPC_SPACE_GLOBAL)
                continue;
            rows[block->index] = at % SIDE + TEMPLATE + 1;
            columns[block->index] = at / SIDE + TEMPLATE + 1;
            found = 1;
        }
    rig_close(&r);
}

/* The area's pixel, 0 outside it. */
static double pixel(const double *frame, size_t row, size_t column, long y, long x) {
    if (y < 0 || x < 0 || y >= AREA || x >= AREA)
        return 0;
    return frame[((long)column - SEARCH - 1 + x) * SIDE + (long)row - SEARCH - 1 + y];
}

/* Fit of the template with the first pixel at (y, x) of the area: the correlation of the two. */
static double correlation(const double *frame, const double *template, size_t row, size_t column, long y, long x) {
    double products = 0, sum = 0, squares = 0, own = 0, own_squares = 0;
    for (long j = 0; j < IN; j++)
        for (long i = 0; i < IN; i++) {
            const double p = pixel(frame, row, column, y + i, x + j), t = template[j * IN + i];
            products += p * t;
            sum += p;
            squares += p * p;
            own += t;
            own_squares += t * t;
        }
    return (products - sum * own / PIXELS_IN) / (deviation_of(sum, squares) * template_deviation(own, own_squares));
}

/* Correlations around the point's last place follow the formula; others are masked. */
static void check_correlations(const machine *m, size_t point, size_t row, size_t column) {
    const double *frame = m->arrays[FRAME], *template = m->arrays[TEMPLATES] + point * PIXELS_IN;
    const double *found = m->arrays[MASKED] + point * m->lengths[MASKED] / POINTS;
    const long middle = SEARCH + TEMPLATE;
    unsigned near = 0;
    for (long x = 0; x < OUT; x++)
        for (long y = 0; y < OUT; y++) {
            const bool masked = labs(y - middle) > MOVE / 2 || labs(x - middle) > MOVE / 2;
            const double is = found[x * OUT + y];
            const double expected = masked ? 0 : correlation(frame, template, row, column, y - IN + 1, x - IN + 1);
            near += !masked;
            if (is != expected && !(masked && isnan(is)))
                cr_assert_fail("point %zu: (%ld, %ld) is %g, not %g", point, y, x, is, expected);
        }
    cr_assert_eq(near, MOVE * MOVE);
}

/* The circle of the inner wall's points has two thirds of the outer's radius, which is 7. */
Test(synthetic_frames, walls) {
    size_t rows[POINTS], columns[POINTS];
    read_points(rows, columns);
    for (size_t p = 0; p < POINTS; p++) {
        const long y = (long)rows[p] - SIDE / 2, x = (long)columns[p] - SIDE / 2, radius = p < POINTS * 20 / 51 ? 4 : 7;
        cr_expect_eq(y * y + x * x, radius * radius, "point %zu: (%ld, %ld)", p, y, x);
    }
}

/* The picture moves down by one and to the left by one, and all points are found again. */
Test(synthetic_frames, points) {
    size_t rows[POINTS], columns[POINTS];
    machine *m = &heart;
    read_points(rows, columns);
    machine_open(m, HEART, 4, followed);
    const size_t inner = POINTS * 20 / 51, outer = m->lengths[ROWS] / 2;
    for (size_t p = 0; p < POINTS; p++) {
        const size_t at = p < inner ? p : outer + p - inner;
        m->arrays[ROWS][at] = (double)rows[p];
        m->arrays[COLUMNS][at] = (double)columns[p];
    }
    cr_assert(machine_launch(m));
    double *first = machine_copy(m, FRAME);
    for (size_t k = 0; k < SIDE * SIDE; k++)
        m->arrays[FRAME][k] = first[(k + SIDE - 1) % (SIDE * SIDE)];
    for (size_t frame = 1; frame < FRAMES; frame++) {
        cr_assert(machine_launch(m));
        for (size_t p = 0; p < POINTS; p++) {
            if (frame == 1)
                check_correlations(m, p, rows[p], columns[p]);
            const size_t places = m->lengths[ROW_PLACES] / 2;
            const size_t at = (p < inner ? p * FRAMES : places + (p - inner) * FRAMES) + frame;
            machine_expect(m, ROW_PLACES, at, (double)rows[p] + 1);
            machine_expect(m, COLUMN_PLACES, at, (double)columns[p] - 1);
        }
    }
    cr_expect_not(machine_launch(m));
    free(first);
    machine_close(m);
}
