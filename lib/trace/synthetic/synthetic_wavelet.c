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
 * mirrored. Loads of a step are unrolled. Published: 192 x 192 and 1024 x 1024, three levels.
 */

#define WINDOW_ROWS UINT64_C(8)
#define WINDOW_LINES (WINDOW_ROWS + 3) /* rows of the window, and rows above and below for lifting */
#define WINDOW_BLOCKS UINT64_C(15)     /* blocks above one another */
#define COMPONENTS 3u
#define SOURCE_BYTES ((uint64_t)GPCI_THREADS * COMPONENTS) /* bytes of a block's pixels */
#define LEVELS 3u
#define LEAST_SIDE 33u /* side of the last level: a block's columns beyond the image are mirrored into the image */

/* R4 and R7 in the image, R24 in shared memory; R8 to R10 and R11 to R13 rows shared with the next step. */
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

static const char apart_code[] =
    "R1 MOV; R0 S2R; R2 S2R; R3 IMAD R2 R0; R4 LEA R3; P0 ISETP.GT.AND R0; @P0 BRA ready; R5 LDG.E R4; STS R0 R5;"
    "ready: BAR.SYNC.DEFER_BLOCKING; R6 IMAD R0; 3*{ R8+1 LDS.U8 R6 }; 3*{ R8+1 IADD3 R8+1 }; P1 ISETP.GE.AND R3 R1;"
    "@P1 EXIT; R7 LEA R3; 3*{ STG.E R7 R8+1 }; EXIT";

/* Operands. Of a launch of the transform: `columns` x `rows` pixels, `window` columns and `steps` of a block. */
enum { PIXELS, COMPONENT, BANDS };

/* Column of pixels for each lane: the image's column, mirrored, and its place in shared memory, in words. */
typedef struct wavelet_column {
    uint64_t x[GPCI_SYNTHETIC_LANES], buffer[GPCI_SYNTHETIC_LANES];
} wavelet_column;

static uint64_t line_words(const gpci_launch *l) {
    return l->window / 2 + 2;
}

/* Offset of the odd columns, behind the even columns, half of the 32 banks further. */
static uint64_t odd_words(const gpci_launch *l) {
    const uint64_t words = line_words(l) * WINDOW_LINES;
    return words + 32 - (words + 16) % 32;
}

static uint64_t buffer_words(const gpci_launch *l) {
    return odd_words(l) + line_words(l) * WINDOW_LINES;
}

static int64_t mirrored(int64_t at, uint64_t size) {
    const int64_t last = (int64_t)size - 1;
    return at > last ? 2 * last - at : at < 0 ? -at : at;
}

/* Place the lanes' columns: `of[lane]` is a column of the block, perhaps outside. */
static void place_column(const gpci_walk *w, const gpci_launch *l, const int64_t *of, wavelet_column *c) {
    for (unsigned lane = 0; lane < w->lanes; lane++) {
        const uint64_t from = (uint64_t)(of[lane] + 2); /* two columns are in front of the block's columns */
        c->x[lane] = (uint64_t)mirrored((int64_t)(w->x * l->window) + of[lane], l->columns) * GPCI_ELEMENT;
        c->buffer[lane] = GPCI_SHARED_BASE + (from / 2 + from % 2 * odd_words(l)) * GPCI_ELEMENT;
    }
}

static void load_row(gpci_walk *w, const gpci_launch *l, const wavelet_column *c, int64_t row) {
    const uint64_t at = (uint64_t)mirrored(row, l->rows) * l->columns * GPCI_ELEMENT;
    gpci_access_at(w, l->operand[COMPONENT].base + at, c->x);
}

/* Load the rows 0, 1, 2 in this order, also in the top block, which mirrors the rows. */
static void load_first(gpci_walk *w, const gpci_launch *l, const wavelet_column *c, int64_t row) {
    for (int64_t k = 0; k < 3; k++)
        load_row(w, l, c, row ? row - 2 + k : k);
}

static void access_line(gpci_walk *w, const gpci_launch *l, const wavelet_column *c, uint64_t line) {
    gpci_access_at(w, line * line_words(l) * GPCI_ELEMENT, c->buffer);
}

/* Access both neighbours of a line, and read and write the line. */
static void lift_line(gpci_walk *w, const gpci_launch *l, const wavelet_column *c, uint64_t line) {
    access_line(w, l, c, line - 1);
    access_line(w, l, c, line + 1);
    access_line(w, l, c, line);
    access_line(w, l, c, line);
}

static void walk_column(gpci_walk *w, const gpci_launch *l, const wavelet_column *c, int64_t row) {
    for (uint64_t line = 0; line < 3; line++)
        access_line(w, l, c, line);
    for (int64_t k = 0; k < (int64_t)WINDOW_ROWS; k++)
        load_row(w, l, c, row + 1 + k);
    for (uint64_t line = 3; line < WINDOW_LINES; line++)
        access_line(w, l, c, line);
    for (uint64_t line = 1; line < WINDOW_LINES; line += 2)
        lift_line(w, l, c, line);
    for (uint64_t line = 2; line + 1 < WINDOW_LINES; line += 2)
        lift_line(w, l, c, line);
}

/*
 * Lift elements of the eight rows, side by side from word `at` on, by the elements from `before` on and their
 * successors.
 */
static void lift_rows(gpci_walk *w, const gpci_launch *l, uint64_t before, uint64_t at) {
    const uint64_t count = WINDOW_ROWS * line_words(l) - 1, first = GPCI_SHARED_BASE + w->first * GPCI_ELEMENT;
    for (uint64_t from = 0; from < count; from += l->window) {
        const bool last = from + l->window > count;
        if (last && !gpci_if(w, gpci_below(w, w->first, count - from))) {
            gpci_end_if(w);
            break;
        }
        gpci_access(w, first + (before + from) * GPCI_ELEMENT, GPCI_ELEMENT);
        gpci_access(w, first + (before + from + 1) * GPCI_ELEMENT, GPCI_ELEMENT);
        gpci_access(w, first + (at + from) * GPCI_ELEMENT, GPCI_ELEMENT);
        gpci_access(w, first + (at + from) * GPCI_ELEMENT, GPCI_ELEMENT);
        if (last)
            gpci_end_if(w);
    }
    gpci_barrier(w);
}

/* Place of a pixel in the bands, in words. */
static uint64_t band_of(const gpci_launch *l, uint64_t x, uint64_t y) {
    const uint64_t left = gpci_ceiling(l->columns, 2), upper = gpci_ceiling(l->rows, 2);
    const uint64_t width = x % 2 ? l->columns / 2 : left;
    const uint64_t below = x % 2 ? l->columns * l->rows / 2 : upper * l->columns;
    return x / 2 + x % 2 * left * upper + y / 2 * width + y % 2 * below;
}

/* Rows of the window from shared memory, as far as the image goes. */
static void write_window(gpci_walk *w, const gpci_launch *l, const wavelet_column *c, const uint64_t *x, uint64_t row) {
    const uint64_t all = w->mask;
    uint64_t to[GPCI_SYNTHETIC_LANES], inside = 0;
    for (unsigned lane = 0; lane < w->lanes; lane++)
        inside |= (uint64_t)(x[lane] < l->columns) << lane;
    for (uint64_t k = 0; k < WINDOW_ROWS; k++) {
        access_line(w, l, c, 2 + k);
        for (unsigned lane = 0; lane < w->lanes; lane++)
            to[lane] = inside >> lane & 1 ? band_of(l, x[lane], row + k) * GPCI_ELEMENT : 0;
        w->mask = row + k < l->rows ? all & inside : 0;
        gpci_access_at(w, l->operand[BANDS].base, to);
        w->mask = all;
    }
}

static void walk_forward(gpci_walk *w, const gpci_launch *l) {
    wavelet_column own, beside, out;
    int64_t of[GPCI_SYNTHETIC_LANES] = {0};
    uint64_t x[GPCI_SYNTHETIC_LANES];
    const uint64_t few = gpci_below(w, w->first, 3), half = l->window / 2;
    const uint64_t row = w->y * WINDOW_ROWS * l->steps;
    for (unsigned lane = 0; lane < w->lanes; lane++)
        of[lane] = (int64_t)w->tx[lane];
    place_column(w, l, of, &own);
    for (unsigned lane = 0; lane < w->lanes; lane++)
        of[lane] = w->tx[lane] ? (int64_t)(w->tx[lane] % 3) - 3 : (int64_t)l->window;
    place_column(w, l, of, &beside);
    for (unsigned lane = 0; lane < w->lanes; lane++) {
        of[lane] = (int64_t)(w->tx[lane] < half ? 2 * w->tx[lane] : 2 * (w->tx[lane] - half) + 1);
        x[lane] = w->x * l->window + (uint64_t)of[lane];
    }
    place_column(w, l, of, &out);
    load_first(w, l, &own, (int64_t)row);
    if (gpci_if(w, w->mask & few))
        load_first(w, l, &beside, (int64_t)row);
    gpci_end_if(w);
    for (uint64_t step = 0; step < l->steps; step++) {
        const uint64_t top = row + step * WINDOW_ROWS, second = 2 * line_words(l);
        walk_column(w, l, &own, (int64_t)top);
        if (gpci_if(w, w->mask & few))
            walk_column(w, l, &beside, (int64_t)top);
        gpci_end_if(w);
        gpci_barrier(w);
        lift_rows(w, l, second, second + odd_words(l));
        lift_rows(w, l, second + odd_words(l), second + 1);
        write_window(w, l, &out, x, top);
        gpci_barrier(w);
        gpci_branch(w, step + 1 < l->steps);
    }
    gpci_finish(w);
}

static void walk_apart(gpci_walk *w, const gpci_launch *l) {
    const uint64_t thread = w->x * GPCI_THREADS + w->first;
    if (gpci_if(w, gpci_below(w, w->first, SOURCE_BYTES / GPCI_ELEMENT))) {
        gpci_access(w, l->operand[PIXELS].base + w->x * SOURCE_BYTES + w->first * GPCI_ELEMENT, GPCI_ELEMENT);
        gpci_access(w, GPCI_SHARED_BASE + w->first * GPCI_ELEMENT, GPCI_ELEMENT);
    }
    gpci_end_if(w);
    gpci_barrier(w);
    for (uint64_t k = 0; k < COMPONENTS; k++)
        gpci_access(w, GPCI_SHARED_BASE + w->first * COMPONENTS + k, COMPONENTS);
    if (!gpci_guard(w, gpci_below(w, thread, l->n)))
        return;
    for (uint64_t k = 0; k < COMPONENTS; k++)
        gpci_access(w, l->operand[COMPONENT].base + k * l->operand[COMPONENT].step + thread * GPCI_ELEMENT,
                    GPCI_ELEMENT);
    gpci_finish(w);
}

/* Add a level: a wider image has wider blocks. */
static gpc_status add_level(gpci_problem *p, gpci_launch *l) {
    static const struct {
        uint64_t columns, window;
        const char *name;
    } widths[] = {{960, 192, "_ZN8dwt_cuda12fdwt53KernelILi192ELi8EEEvPKiPiiii"},
                  {480, 128, "_ZN8dwt_cuda12fdwt53KernelILi128ELi8EEEvPKiPiiii"},
                  {0, 64, "_ZN8dwt_cuda12fdwt53KernelILi64ELi8EEEvPKiPiiii"}};
    unsigned k = 0;
    while (l->columns < widths[k].columns)
        k++;
    l->name = widths[k].name;
    l->window = l->block[0] = widths[k].window;
    l->steps = gpci_ceiling(l->rows, WINDOW_BLOCKS * WINDOW_ROWS);
    l->grid[0] = gpci_ceiling(l->columns, l->window);
    l->grid[1] = gpci_ceiling(l->rows, WINDOW_ROWS * l->steps);
    l->shared = buffer_words(l) * GPCI_ELEMENT;
    return gpci_problem_launch(p, l);
}

static gpc_status plan_dwt2d(gpci_problem *p) {
    const uint64_t side = gpci_root(p->size / GPCI_ELEMENT), pixels = side * side, levels = (uint64_t)p->values[0];
    if ((side - 1) >> (levels - 1) < LEAST_SIDE - 1)
        return gpci_problem_fail(p, "parameter 'levels': at the last of %llu an image of %llu x %llu has less than %u",
                                 (unsigned long long)levels, (unsigned long long)side, (unsigned long long)side,
                                 LEAST_SIDE);
    const uint64_t blocks = gpci_ceiling(pixels, GPCI_THREADS);
    gpci_launch l = {.name = "_Z21c_CopySrcToComponentsIiEvPT_S1_S1_Phi",
                     .code = apart_code,
                     .warp = walk_apart,
                     .grid = {blocks},
                     .block = {GPCI_THREADS},
                     .shared = SOURCE_BYTES,
                     .n = pixels};
    l.operand[PIXELS].base = gpci_problem_array(p, blocks * SOURCE_BYTES);
    const gpci_operand from = gpci_problem_arrays(p, gpci_ceiling(pixels * GPCI_ELEMENT, 512) * 512, COMPONENTS);
    const gpci_operand to = gpci_problem_arrays(p, from.step, COMPONENTS);
    l.operand[COMPONENT] = from;
    gpc_status status = gpci_problem_launch(p, &l);
    l.code = forward_code;
    l.warp = walk_forward;
    for (uint64_t k = 0; k < COMPONENTS; k++) {
        l.operand[COMPONENT].base = from.base + k * from.step;
        l.operand[BANDS].base = to.base + k * to.step;
        l.columns = l.rows = side;
        for (uint64_t level = 0; status == GPC_OK && level < levels; level++) {
            status = add_level(p, &l);
            l.columns = l.rows = gpci_ceiling(l.columns, 2);
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
