/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic.h"

/*
 * Wavelets of an image, as in Rodinia's dwt2d (Che et al., IISWC 2009; Jirman's dwt_cuda), compiled for Fermi.
 * components.cu's c_CopySrcToComponents splits pixels into three components. fdwt53.cu's fdwt53Kernel, the 5/3
 * transform of JPEG 2000 (ITU-T T.800, F.8 and F.9), splits each component into four bands; each further level splits
 * the last level's low band.
 *
 * A block has 64, 128 or 192 columns and slides down, eight rows a step. Each thread has a column, and the first three
 * threads have one more beside. Rows go to shared memory, even and odd columns apart, are lifted there along columns
 * and then along rows, and are written to their bands, threads of even columns first. Beyond its sides the image is
 * mirrored. Loads of a step are unrolled. The published images have 192 x 192 and 1024 x 1024 pixels, and three
 * levels.
 */

#define WINDOW_ROWS UINT64_C(8)
#define WINDOW_LINES (WINDOW_ROWS + 3) /* rows of the window, and rows above and below for lifting */
#define WINDOW_BLOCKS UINT64_C(15)     /* most blocks one above another */
#define COMPONENTS 3u
#define SOURCE_BYTES ((uint64_t)GPCI_THREADS * COMPONENTS) /* bytes of a block's pixels */
#define LEVELS 3u
#define LEAST_SIDE 33u /* least side of a level: a block's columns beyond the image must mirror columns of the image */

/* Addresses: R4 and R7 in the image, R24 in shared memory. R8 to R13: rows that the next step uses again. */
#define LIFT "R26 LDS R24; R27 LDS R24; R28 LDS R24; R28 IADD3 R26 R27 R28; STS R24 R28;"
#define LIFTS LIFT LIFT LIFT LIFT
#define COLUMN(kept, at) "3*{ STS R24 " kept "+1 }; 8*{ R14+1 LDG.E " at " }; 8*{ STS R24 R14+1 };" LIFTS LIFTS LIFT
#define ALONG_ROWS(label) LIFTS "P1 ISETP.GE.AND R0; @P1 BRA " label "; " LIFT label ": BAR.SYNC.DEFER_BLOCKING;"

static const char forward_code[] =
    "R1 MOV; R0 S2R; R2 S2R; R3 S2R; R4 IMAD R2 R0; R4 IMAD R3 R1 R4; R7 MOV; 3*{ R8+1 LDG.E R4 };"
    "P0 ISETP.GT.AND R0; @P0 BRA inner; R7 IADD3 R4; 3*{ R11+1 LDG.E R7 }; inner: R24 LEA R0; R5 MOV; R6 IMAD R2 R0;"
    "window: " COLUMN("R8", "R4") "R8 MOV R19; R9 MOV R20; R10 MOV R21; P0 ISETP.GT.AND R0; @P0 BRA loaded;" COLUMN(
        "R11", "R7") "R11 MOV R19; R12 MOV R20; R13 MOV R21;"
                     "loaded: BAR.SYNC.DEFER_BLOCKING;" ALONG_ROWS("odd")
                         ALONG_ROWS("even") "4*{ R26 LDS R24; STG.E R6 R26; R27 LDS R24; STG.E R6 R27 }; "
                                            "BAR.SYNC.DEFER_BLOCKING; R5 IADD3 R5;"
                                            "P2 ISETP.LT.AND R5; @P2 BRA window; EXIT";

static const char strided_code[] =
    "R1 MOV; R0 S2R; R2 S2R; R3 IMAD R2 R0; R4 LEA R3; P0 ISETP.GT.AND R0; @P0 BRA ready; R5 LDG.E R4; STS R0 R5;"
    "ready: BAR.SYNC.DEFER_BLOCKING; R6 IMAD R0; 3*{ R8+1 LDS.U8 R6 }; 3*{ R8+1 IADD3 R8+1 }; P1 ISETP.GE.AND R3 R1;"
    "@P1 EXIT; R7 LEA R3; 3*{ STG.E R7 R8+1 }; EXIT";

/* Operands. Launch fields of the transform: `columns` x `rows` pixels; a block has `window` columns and `steps`. */
enum { PIXELS, COMPONENT, BANDS };

/* Column of pixels for each lane: the image's column, mirrored, and its place in shared memory, in words. */
typedef struct wavelet_column {
    uint64_t x[GPCI_SYNTHETIC_LANES], buffer[GPCI_SYNTHETIC_LANES];
} wavelet_column;

static uint64_t line_words(const gpci_launch *launch) {
    return launch->window / 2 + 2;
}

/* Offset of the odd columns, behind the even columns, half of the 32 banks further. */
static uint64_t odd_words(const gpci_launch *launch) {
    const uint64_t words = line_words(launch) * WINDOW_LINES;
    return words + 32 - (words + 16) % 32;
}

static uint64_t buffer_words(const gpci_launch *launch) {
    return odd_words(launch) + line_words(launch) * WINDOW_LINES;
}

static int64_t mirrored(int64_t at, uint64_t size) {
    const int64_t last = (int64_t)size - 1;
    return at > last ? 2 * last - at : at < 0 ? -at : at;
}

/* Place each lane's column. of[lane] counts from the block's first column, and may be outside the block. */
static void place_column(const gpci_walk *walk, const gpci_launch *launch, const int64_t *of, wavelet_column *column) {
    for (unsigned lane = 0; lane < walk->lanes; lane++) {
        const uint64_t from = (uint64_t)(of[lane] + 2); /* two columns are in front of the block's columns */
        column->x[lane] =
            (uint64_t)mirrored((int64_t)(walk->x * launch->window) + of[lane], launch->columns) * GPCI_ELEMENT;
        column->buffer[lane] = GPCI_SHARED_BASE + (from / 2 + from % 2 * odd_words(launch)) * GPCI_ELEMENT;
    }
}

static void load_row(gpci_walk *walk, const gpci_launch *launch, const wavelet_column *column, int64_t row) {
    const uint64_t at = (uint64_t)mirrored(row, launch->rows) * launch->columns * GPCI_ELEMENT;
    gpci_access_at(walk, launch->operand[COMPONENT].base + at, column->x);
}

/* Load the rows row - 2 to row. The top block loads rows 0, 1, 2 in this order: rows above the image are mirrored. */
static void load_first(gpci_walk *walk, const gpci_launch *launch, const wavelet_column *column, int64_t row) {
    for (int64_t k = 0; k < 3; k++)
        load_row(walk, launch, column, row ? row - 2 + k : k);
}

static void access_line(gpci_walk *walk, const gpci_launch *launch, const wavelet_column *column, uint64_t line) {
    gpci_access_at(walk, line * line_words(launch) * GPCI_ELEMENT, column->buffer);
}

/* Access both neighbours of a line, and read and write the line. */
static void lift_line(gpci_walk *walk, const gpci_launch *launch, const wavelet_column *column, uint64_t line) {
    access_line(walk, launch, column, line - 1);
    access_line(walk, launch, column, line + 1);
    access_line(walk, launch, column, line);
    access_line(walk, launch, column, line);
}

static void walk_column(gpci_walk *walk, const gpci_launch *launch, const wavelet_column *column, int64_t row) {
    for (uint64_t line = 0; line < 3; line++)
        access_line(walk, launch, column, line);
    for (int64_t k = 0; k < (int64_t)WINDOW_ROWS; k++)
        load_row(walk, launch, column, row + 1 + k);
    for (uint64_t line = 3; line < WINDOW_LINES; line++)
        access_line(walk, launch, column, line);
    for (uint64_t line = 1; line < WINDOW_LINES; line += 2)
        lift_line(walk, launch, column, line);
    for (uint64_t line = 2; line + 1 < WINDOW_LINES; line += 2)
        lift_line(walk, launch, column, line);
}

/*
 * Lift the elements of eight rows, which lie side by side from word `at` on. Element i is lifted by the elements i and
 * i + 1 from word `before` on.
 */
static void lift_rows(gpci_walk *walk, const gpci_launch *launch, uint64_t before, uint64_t at) {
    const uint64_t count = WINDOW_ROWS * line_words(launch) - 1, first = GPCI_SHARED_BASE + walk->first * GPCI_ELEMENT;
    for (uint64_t from = 0; from < count; from += launch->window) {
        const bool last = from + launch->window > count;
        if (last && !gpci_if(walk, gpci_below(walk, walk->first, count - from))) {
            gpci_end_if(walk);
            break;
        }
        gpci_access(walk, first + (before + from) * GPCI_ELEMENT, GPCI_ELEMENT);
        gpci_access(walk, first + (before + from + 1) * GPCI_ELEMENT, GPCI_ELEMENT);
        gpci_access(walk, first + (at + from) * GPCI_ELEMENT, GPCI_ELEMENT);
        gpci_access(walk, first + (at + from) * GPCI_ELEMENT, GPCI_ELEMENT);
        if (last)
            gpci_end_if(walk);
    }
    gpci_barrier(walk);
}

/* Place of a pixel in the bands, in words. */
static uint64_t band_of(const gpci_launch *launch, uint64_t x, uint64_t y) {
    const uint64_t left = gpci_ceiling(launch->columns, 2), upper = gpci_ceiling(launch->rows, 2);
    const uint64_t width = x % 2 ? launch->columns / 2 : left;
    const uint64_t below = x % 2 ? launch->columns * launch->rows / 2 : upper * launch->columns;
    return x / 2 + x % 2 * left * upper + y / 2 * width + y % 2 * below;
}

/* Write the rows of the window from shared memory to the bands. Pixels outside the image are not written. */
static void write_window(gpci_walk *walk, const gpci_launch *launch, const wavelet_column *column, const uint64_t *x,
                         uint64_t row) {
    const uint64_t all = walk->mask;
    uint64_t to[GPCI_SYNTHETIC_LANES], inside = 0;
    for (unsigned lane = 0; lane < walk->lanes; lane++)
        inside |= (uint64_t)(x[lane] < launch->columns) << lane;
    for (uint64_t k = 0; k < WINDOW_ROWS; k++) {
        access_line(walk, launch, column, 2 + k);
        for (unsigned lane = 0; lane < walk->lanes; lane++)
            to[lane] = inside >> lane & 1 ? band_of(launch, x[lane], row + k) * GPCI_ELEMENT : 0;
        walk->mask = row + k < launch->rows ? all & inside : 0;
        gpci_access_at(walk, launch->operand[BANDS].base, to);
        walk->mask = all;
    }
}

static void walk_forward(gpci_walk *walk, const gpci_launch *launch) {
    wavelet_column own, adjacent, out;
    int64_t of[GPCI_SYNTHETIC_LANES] = {0};
    uint64_t x[GPCI_SYNTHETIC_LANES];
    const uint64_t few = gpci_below(walk, walk->first, 3), half = launch->window / 2;
    const uint64_t row = walk->y * WINDOW_ROWS * launch->steps;
    for (unsigned lane = 0; lane < walk->lanes; lane++)
        of[lane] = (int64_t)walk->tx[lane];
    place_column(walk, launch, of, &own);
    for (unsigned lane = 0; lane < walk->lanes; lane++)
        of[lane] = walk->tx[lane] ? (int64_t)(walk->tx[lane] % 3) - 3 : (int64_t)launch->window;
    place_column(walk, launch, of, &adjacent);
    for (unsigned lane = 0; lane < walk->lanes; lane++) {
        of[lane] = (int64_t)(walk->tx[lane] < half ? 2 * walk->tx[lane] : 2 * (walk->tx[lane] - half) + 1);
        x[lane] = walk->x * launch->window + (uint64_t)of[lane];
    }
    place_column(walk, launch, of, &out);
    load_first(walk, launch, &own, (int64_t)row);
    if (gpci_if(walk, walk->mask & few))
        load_first(walk, launch, &adjacent, (int64_t)row);
    gpci_end_if(walk);
    for (uint64_t step = 0; step < launch->steps; step++) {
        const uint64_t top = row + step * WINDOW_ROWS, second = 2 * line_words(launch);
        walk_column(walk, launch, &own, (int64_t)top);
        if (gpci_if(walk, walk->mask & few))
            walk_column(walk, launch, &adjacent, (int64_t)top);
        gpci_end_if(walk);
        gpci_barrier(walk);
        lift_rows(walk, launch, second, second + odd_words(launch));
        lift_rows(walk, launch, second + odd_words(launch), second + 1);
        write_window(walk, launch, &out, x, top);
        gpci_barrier(walk);
        gpci_branch(walk, step + 1 < launch->steps);
    }
    gpci_finish(walk);
}

static void walk_strided(gpci_walk *walk, const gpci_launch *launch) {
    const uint64_t thread = walk->x * GPCI_THREADS + walk->first;
    if (gpci_if(walk, gpci_below(walk, walk->first, SOURCE_BYTES / GPCI_ELEMENT))) {
        gpci_access(walk, launch->operand[PIXELS].base + walk->x * SOURCE_BYTES + walk->first * GPCI_ELEMENT,
                    GPCI_ELEMENT);
        gpci_access(walk, GPCI_SHARED_BASE + walk->first * GPCI_ELEMENT, GPCI_ELEMENT);
    }
    gpci_end_if(walk);
    gpci_barrier(walk);
    for (uint64_t k = 0; k < COMPONENTS; k++)
        gpci_access(walk, GPCI_SHARED_BASE + walk->first * COMPONENTS + k, COMPONENTS);
    if (!gpci_guard(walk, gpci_below(walk, thread, launch->n)))
        return;
    for (uint64_t k = 0; k < COMPONENTS; k++)
        gpci_access(walk, launch->operand[COMPONENT].base + k * launch->operand[COMPONENT].step + thread * GPCI_ELEMENT,
                    GPCI_ELEMENT);
    gpci_finish(walk);
}

/* Add the launch of a level. A wider image has wider blocks. */
static gpc_status add_level(gpci_problem *problem, gpci_launch *launch) {
    static const struct {
        uint64_t columns, window;
        const char *name;
    } widths[] = {{960, 192, "_ZN8dwt_cuda12fdwt53KernelILi192ELi8EEEvPKiPiiii"},
                  {480, 128, "_ZN8dwt_cuda12fdwt53KernelILi128ELi8EEEvPKiPiiii"},
                  {0, 64, "_ZN8dwt_cuda12fdwt53KernelILi64ELi8EEEvPKiPiiii"}};
    unsigned k = 0;
    while (launch->columns < widths[k].columns)
        k++;
    launch->name = widths[k].name;
    launch->window = launch->block[0] = widths[k].window;
    launch->steps = gpci_ceiling(launch->rows, WINDOW_BLOCKS * WINDOW_ROWS);
    launch->grid[0] = gpci_ceiling(launch->columns, launch->window);
    launch->grid[1] = gpci_ceiling(launch->rows, WINDOW_ROWS * launch->steps);
    launch->shared = buffer_words(launch) * GPCI_ELEMENT;
    return gpci_problem_launch(problem, launch);
}

static gpc_status plan_dwt2d(gpci_problem *problem) {
    const uint64_t side = gpci_root(problem->size / GPCI_ELEMENT), pixels = side * side,
                   levels = (uint64_t)problem->values[0];
    if ((side - 1) >> (levels - 1) < LEAST_SIDE - 1)
        return gpci_problem_fail(
            problem, "parameter 'levels': at the last of %llu an image of %llu x %llu has less than %u",
            (unsigned long long)levels, (unsigned long long)side, (unsigned long long)side, LEAST_SIDE);
    const uint64_t blocks = gpci_ceiling(pixels, GPCI_THREADS);
    gpci_launch launch = {.name = "_Z21c_CopySrcToComponentsIiEvPT_S1_S1_Phi",
                          .code = strided_code,
                          .warp = walk_strided,
                          .grid = {blocks},
                          .block = {GPCI_THREADS},
                          .shared = SOURCE_BYTES,
                          .n = pixels};
    launch.operand[PIXELS].base = gpci_problem_array(problem, blocks * SOURCE_BYTES);
    const gpci_operand from = gpci_problem_arrays(problem, gpci_ceiling(pixels * GPCI_ELEMENT, 512) * 512, COMPONENTS);
    const gpci_operand operand = gpci_problem_arrays(problem, from.step, COMPONENTS);
    launch.operand[COMPONENT] = from;
    gpc_status status = gpci_problem_launch(problem, &launch);
    launch.code = forward_code;
    launch.warp = walk_forward;
    for (uint64_t k = 0; k < COMPONENTS; k++) {
        launch.operand[COMPONENT].base = from.base + k * from.step;
        launch.operand[BANDS].base = operand.base + k * operand.step;
        launch.columns = launch.rows = side;
        for (uint64_t level = 0; status == GPC_OK && level < levels; level++) {
            status = add_level(problem, &launch);
            launch.columns = launch.rows = gpci_ceiling(launch.columns, 2);
        }
    }
    return status;
}

static const gpc_parameter dwt2d_parameters[] = {
    {"levels", 1, 1, 16, true, "of the transform, each of the low band of the one before"},
};

const gpci_synthetic gpci_synthetic_rodinia_dwt2d = {
    .name = "rodinia-dwt2d",
    .summary = "wavelets (5/3) of an image of three components, level by level, as Fermi ran it; SIZE of a component "
               "(levels=1)",
    .least = LEAST_SIDE * LEAST_SIDE * GPCI_ELEMENT,
    .parameters = dwt2d_parameters,
    .parameter_count = 1,
    .plan = plan_dwt2d,
};
