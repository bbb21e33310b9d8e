/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic.h"

/*
 * LU decomposition, as in Rodinia's lud (Che et al., IISWC 2009), compiled for Fermi: a matrix in patches of 16 x 16.
 * For each patch of the diagonal, lud_diagonal factors the patch, in a block of 16 threads. lud_perimeter factors the
 * patch's row and column, in a block of 32 threads for one patch of each. lud_internal subtracts their product from all
 * later patches. Patches are processed in shared memory.
 *
 * Loops with loads are unrolled: the kernels have 16, 2 x (8 + 16) and 3 loads. Table 3 of seeds/001 counts runs of a
 * search for the loads that should bypass L1: one run without bypassing, and for each kernel a run for each load and
 * for each pair of loads: 1 + 136 + 1,176 + 6 = 1,319 runs. The published problem has 256 x 256 elements: 46 launches.
 */

#define FACTOR_SIDE 16u
#define FACTOR_ROW (FACTOR_SIDE * GPCI_ELEMENT)
#define FACTOR_PATCH (FACTOR_SIDE * FACTOR_ROW)

/* R2 thread, R4 address in the matrix, R6 address in shared memory, R7 step, R28 product, R8 to R23 copied elements. */
static const char diagonal_code[] =
    "R1 MOV; R2 S2R; R3 MOV; R4 IMAD R3 R1 R2; R6 SHF.L.U32 R2; 16*{ R8+1 LDG.E R4 }; 16*{ STS R6 R8+1 };"
    "BAR.SYNC.DEFER_BLOCKING; R7 MOV;"
    "step: P0 ISETP.LE.AND R2 R7; @P0 BRA divided; R24 LDS R6; R28 MOV; P1 ISETP.EQ.AND R7; @P1 BRA divide;"
    "below: R25 LDS R6; R26 LDS R6; R24 FFMA R25 R26 R24; R28 IADD3 R28; P1 ISETP.LT.AND R28 R7; @P1 BRA below;"
    "divide: R25 LDS R6; R25 MUFU.RCP R25; R24 FMUL R24 R25; STS R6 R24;"
    "divided: BAR.SYNC.DEFER_BLOCKING; P0 ISETP.LE.AND R2 R7; @P0 BRA taken; R24 LDS R6; R28 MOV;"
    "right: R25 LDS R6; R26 LDS R6; R24 FFMA R25 R26 R24; R28 IADD3 R28; P1 ISETP.LE.AND R28 R7; @P1 BRA right;"
    "STS R6 R24; taken: BAR.SYNC.DEFER_BLOCKING; R7 IADD3 R7; P2 ISETP.LT.AND R7; @P2 BRA step;"
    "15*{ R24 LDS R6; STG.E R4 R24 }; EXIT";

static const char perimeter_code[] =
    "R1 MOV; R0 S2R; R2 S2R; R3 MOV; R4 IMAD R3 R1 R2; R6 SHF.L.U32 R2; P0 ISETP.GE.AND R2; @P0 BRA lower;"
    "8*{ R8+1 LDG.E R4 }; 8*{ STS R6 R8+1 }; 16*{ R8+1 LDG.E R4 }; 16*{ STS R6 R8+1 };"
    "lower: P0 ISETP.LT.AND R2; @P0 BRA ready; 8*{ R8+1 LDG.E R4 }; 8*{ STS R6 R8+1 }; 16*{ R8+1 LDG.E R4 };"
    "16*{ STS R6 R8+1 };"
    "ready: BAR.SYNC.DEFER_BLOCKING; P0 ISETP.GE.AND R2; @P0 BRA column; R7 MOV;"
    "above: R24 LDS R6; R28 MOV;"
    "row: R25 LDS R6; R26 LDS R6; R24 FFMA R25 R26 R24; R28 IADD3 R28; P1 ISETP.LT.AND R28 R7; @P1 BRA row;"
    "STS R6 R24; R7 IADD3 R7; P2 ISETP.LT.AND R7; @P2 BRA above;"
    "column: P0 ISETP.LT.AND R2; @P0 BRA write; R7 MOV;"
    "beside: R24 LDS R6; R28 MOV; P1 ISETP.EQ.AND R7; @P1 BRA divide;"
    "left: R25 LDS R6; R26 LDS R6; R24 FFMA R25 R26 R24; R28 IADD3 R28; P1 ISETP.LT.AND R28 R7; @P1 BRA left;"
    "divide: R25 LDS R6; R25 MUFU.RCP R25; R24 FMUL R24 R25; STS R6 R24; R7 IADD3 R7; P2 ISETP.LT.AND R7;"
    "@P2 BRA beside;"
    "write: BAR.SYNC.DEFER_BLOCKING; P0 ISETP.GE.AND R2; @P0 BRA columns; 15*{ R24 LDS R6; STG.E R4 R24 };"
    "columns: P0 ISETP.LT.AND R2; @P0 BRA done; 16*{ R24 LDS R6; STG.E R4 R24 }; done: EXIT";

static const char internal_code[] =
    "R1 MOV; R0 S2R; R2 S2R; R3 S2R; R5 S2R; R4 IMAD R2 R1 R3; R4 IADD3 R4 R0; R6 LEA R3 R0; R8 LDG.E R4; R9 LDG.E R4;"
    "STS R6 R8; STS R6 R9; BAR.SYNC.DEFER_BLOCKING; R10 MOV; 16*{ R8 LDS R6; R9 LDS R6; R10 FFMA R8 R9 R10 };"
    "R8 LDG.E R4; R8 FADD R8 R10; STG.E R4 R8; EXIT";

/* Launch fields: `n` elements a side, `window` the present patch of the diagonal. */
static uint64_t element(const gpci_launch *launch, uint64_t row, uint64_t column) {
    return launch->operand[0].base + (row * launch->n + column) * GPCI_ELEMENT;
}

/* Address of an element of patch `array` in shared memory. */
static uint64_t cell(unsigned array, uint64_t row, uint64_t column) {
    return GPCI_SHARED_BASE + array * FACTOR_PATCH + row * FACTOR_ROW + column * GPCI_ELEMENT;
}

/*
 * Load the factors of `count` products, in a loop: element j of a row in patch `left`, and element j of a column in
 * patch `up`. From a lane to the next, the row is `row_stride` bytes away, and the column `column_stride` bytes.
 */
static void walk_products(gpci_walk *walk, uint64_t count, unsigned left, uint64_t row, uint64_t row_stride,
                          unsigned up, uint64_t column, uint64_t column_stride) {
    for (uint64_t j = 0; j < count; j++) {
        gpci_access(walk, cell(left, row, j), row_stride);
        gpci_access(walk, cell(up, j, column), column_stride);
        gpci_branch(walk, j + 1 < count);
    }
}

/*
 * Update an element for each lane: subtract `count` products, and divide by an element of the diagonal in patch `up`.
 * Lane 0's element is at `first`; the lanes' elements are a row apart.
 */
static void walk_divided(gpci_walk *walk, uint64_t first, uint64_t count, unsigned left, uint64_t row, unsigned up) {
    gpci_access(walk, first, FACTOR_ROW);
    if (!gpci_branch(walk, count == 0))
        walk_products(walk, count, left, row, FACTOR_ROW, up, count, 0);
    gpci_access(walk, cell(up, count, count), 0);
    gpci_access(walk, first, FACTOR_ROW);
}

static void walk_diagonal(gpci_walk *walk, const gpci_launch *launch) {
    const uint64_t from = launch->window * FACTOR_SIDE;
    for (uint64_t i = 0; i < FACTOR_SIDE; i++)
        gpci_access(walk, element(launch, from + i, from), GPCI_ELEMENT);
    for (uint64_t i = 0; i < FACTOR_SIDE; i++)
        gpci_access(walk, cell(0, i, 0), GPCI_ELEMENT);
    gpci_barrier(walk);
    for (uint64_t i = 0; i + 1 < FACTOR_SIDE; i++) {
        const uint64_t behind = walk->all & ~gpci_below(walk, 0, i + 1);
        if (gpci_if(walk, behind))
            walk_divided(walk, cell(0, 0, i), i, 0, 0, 0);
        gpci_end_if(walk);
        gpci_barrier(walk);
        if (gpci_if(walk, behind)) {
            gpci_access(walk, cell(0, i + 1, 0), GPCI_ELEMENT);
            walk_products(walk, i + 1, 0, i + 1, 0, 0, 0, GPCI_ELEMENT);
            gpci_access(walk, cell(0, i + 1, 0), GPCI_ELEMENT);
        }
        gpci_end_if(walk);
        gpci_barrier(walk);
        gpci_branch(walk, i + 2 < FACTOR_SIDE);
    }
    for (uint64_t i = 1; i < FACTOR_SIDE; i++) {
        gpci_access(walk, cell(0, i, 0), GPCI_ELEMENT);
        gpci_access(walk, element(launch, from + i, from), GPCI_ELEMENT);
    }
    gpci_finish(walk);
}

/* Copy rows of the matrix into a patch of shared memory, from its row `skipped` on, by the 16 lanes from `first` on. */
static void fetch(gpci_walk *walk, const gpci_launch *launch, uint64_t row, uint64_t column, unsigned array,
                  uint64_t skipped, uint64_t rows, uint64_t first) {
    for (uint64_t i = 0; i < rows; i++)
        gpci_access(walk, element(launch, row + i, column) - first * GPCI_ELEMENT, GPCI_ELEMENT);
    for (uint64_t i = 0; i < rows; i++)
        gpci_access(walk, cell(array, skipped + i, 0) - first * GPCI_ELEMENT, GPCI_ELEMENT);
}

static void store(gpci_walk *walk, const gpci_launch *launch, uint64_t row, uint64_t column, unsigned array,
                  uint64_t first_row, uint64_t first) {
    for (uint64_t i = first_row; i < FACTOR_SIDE; i++) {
        gpci_access(walk, cell(array, i, 0) - first * GPCI_ELEMENT, GPCI_ELEMENT);
        gpci_access(walk, element(launch, row + i, column) - first * GPCI_ELEMENT, GPCI_ELEMENT);
    }
}

enum { CORNER, ACROSS, DOWN }; /* patches of shared memory: the diagonal's, in its row, in its column */

static void walk_perimeter(gpci_walk *walk, const gpci_launch *launch) {
    const uint64_t from = launch->window * FACTOR_SIDE, away = from + (walk->x + 1) * FACTOR_SIDE;
    const uint64_t upper = gpci_below(walk, 0, FACTOR_SIDE), lower = walk->all & ~upper;
    if (gpci_if(walk, upper)) {
        fetch(walk, launch, from, from, CORNER, 0, FACTOR_SIDE / 2, 0);
        fetch(walk, launch, from, away, ACROSS, 0, FACTOR_SIDE, 0);
    }
    gpci_end_if(walk);
    if (gpci_if(walk, lower)) {
        fetch(walk, launch, from + FACTOR_SIDE / 2, from, CORNER, FACTOR_SIDE / 2, FACTOR_SIDE / 2, FACTOR_SIDE);
        fetch(walk, launch, away, from, DOWN, 0, FACTOR_SIDE, FACTOR_SIDE);
    }
    gpci_end_if(walk);
    gpci_barrier(walk);
    if (gpci_if(walk, upper))
        for (uint64_t i = 1; i < FACTOR_SIDE; i++) {
            gpci_access(walk, cell(ACROSS, i, 0), GPCI_ELEMENT);
            walk_products(walk, i, CORNER, i, 0, ACROSS, 0, GPCI_ELEMENT);
            gpci_access(walk, cell(ACROSS, i, 0), GPCI_ELEMENT);
            gpci_branch(walk, i + 1 < FACTOR_SIDE);
        }
    gpci_end_if(walk);
    if (gpci_if(walk, lower))
        for (uint64_t i = 0; i < FACTOR_SIDE; i++) {
            walk_divided(walk, cell(DOWN, 0, i) - FACTOR_SIDE * FACTOR_ROW, i, DOWN, -(uint64_t)FACTOR_SIDE, CORNER);
            gpci_branch(walk, i + 1 < FACTOR_SIDE);
        }
    gpci_end_if(walk);
    gpci_barrier(walk);
    if (gpci_if(walk, upper))
        store(walk, launch, from, away, ACROSS, 1, 0);
    gpci_end_if(walk);
    if (gpci_if(walk, lower))
        store(walk, launch, away, from, DOWN, 0, FACTOR_SIDE);
    gpci_end_if(walk);
    gpci_finish(walk);
}

static void walk_internal(gpci_walk *walk, const gpci_launch *launch) {
    uint64_t own[GPCI_SYNTHETIC_LANES], kept[GPCI_SYNTHETIC_LANES], row[GPCI_SYNTHETIC_LANES],
        column[GPCI_SYNTHETIC_LANES];
    const uint64_t from = launch->window * FACTOR_SIDE, x = from + (walk->x + 1) * FACTOR_SIDE,
                   y = from + (walk->y + 1) * FACTOR_SIDE;
    for (unsigned lane = 0; lane < walk->lanes; lane++) {
        own[lane] = (walk->ty[lane] * launch->n + walk->tx[lane]) * GPCI_ELEMENT;
        kept[lane] = walk->ty[lane] * FACTOR_ROW + walk->tx[lane] * GPCI_ELEMENT;
        row[lane] = walk->ty[lane] * FACTOR_ROW;
        column[lane] = walk->tx[lane] * GPCI_ELEMENT;
    }
    gpci_access_at(walk, element(launch, from, x), own);
    gpci_access_at(walk, element(launch, y, from), own);
    gpci_access_at(walk, cell(ACROSS, 0, 0), kept);
    gpci_access_at(walk, cell(DOWN, 0, 0), kept);
    gpci_barrier(walk);
    for (uint64_t i = 0; i < FACTOR_SIDE; i++) {
        gpci_access_at(walk, cell(DOWN, 0, i), row);
        gpci_access_at(walk, cell(ACROSS, i, 0), column);
    }
    gpci_access_at(walk, element(launch, y, x), own);
    gpci_access_at(walk, element(launch, y, x), own);
    gpci_finish(walk);
}

static gpc_status add_launch(gpci_problem *problem, gpci_launch *launch, uint64_t x, uint64_t y, uint64_t threads,
                             uint64_t rows) {
    launch->grid[0] = x;
    launch->grid[1] = y;
    launch->block[0] = threads;
    launch->block[1] = rows;
    return gpci_problem_launch(problem, launch);
}

/* Add the launches of patch `window` of the diagonal; the last patch has only the first launch. */
static gpc_status add_patch(gpci_problem *problem, gpci_launch *launch) {
    const uint64_t behind = launch->n / FACTOR_SIDE - 1 - launch->window;
    launch->name = "_Z12lud_diagonalPfii";
    launch->code = diagonal_code;
    launch->warp = walk_diagonal;
    launch->shared = FACTOR_PATCH;
    gpc_status status = add_launch(problem, launch, 1, 1, FACTOR_SIDE, 1);
    launch->name = "_Z13lud_perimeterPfii";
    launch->code = perimeter_code;
    launch->warp = walk_perimeter;
    launch->shared = 3 * FACTOR_PATCH;
    if (status == GPC_OK && behind)
        status = add_launch(problem, launch, behind, 1, 2 * FACTOR_SIDE, 1);
    launch->name = "_Z12lud_internalPfii";
    launch->code = internal_code;
    launch->warp = walk_internal;
    return status == GPC_OK && behind ? add_launch(problem, launch, behind, behind, FACTOR_SIDE, FACTOR_SIDE) : status;
}

static gpc_status plan_lud(gpci_problem *problem) {
    gpci_launch launch = {.n = gpci_root(problem->size / GPCI_ELEMENT) / FACTOR_SIDE * FACTOR_SIDE};
    const uint64_t first = (uint64_t)problem->values[0], patches = (uint64_t)problem->values[1];
    if (first >= launch.n / FACTOR_SIDE)
        return gpci_problem_fail(problem, "parameter 'first': %llu is none of the %llu patches of the diagonal",
                                 (unsigned long long)first, (unsigned long long)(launch.n / FACTOR_SIDE));
    launch.operand[0].base = gpci_problem_array(problem, launch.n * launch.n * GPCI_ELEMENT);
    gpc_status status = GPC_OK;
    for (launch.window = first;
         status == GPC_OK && launch.window < first + patches && launch.window < launch.n / FACTOR_SIDE; launch.window++)
        status = add_patch(problem, &launch);
    return status;
}

static const gpc_parameter lud_parameters[] = {
    {"first", 0, 0, 1 << 12, true, "patch of the diagonal that is factored first"},
    {"patches", 16, 1, FACTOR_SIDE, true, "that are factored, three launches each"},
};

const gpci_synthetic gpci_synthetic_rodinia_lud = {
    .name = "rodinia-lud",
    .summary = "LU decomposition in patches of 16 x 16, as Fermi ran it; SIZE of the matrix (first=0, patches=16)",
    .least = FACTOR_SIDE * FACTOR_SIDE * GPCI_ELEMENT,
    .parameters = lud_parameters,
    .parameter_count = 2,
    .plan = plan_lud,
};
