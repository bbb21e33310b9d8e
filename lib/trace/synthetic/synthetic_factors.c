/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic.h"

/*
 * LU decomposition, as in Rodinia's lud (Che et al., IISWC 2009), compiled for Fermi: a matrix in patches of 16 x 16.
 * For each patch of the diagonal, lud_diagonal factors the patch, in a block of 16 threads. lud_perimeter factors the
 * patch's row and column, in a block of 32 threads for one patch of each. lud_internal subtracts their product from all
 * later patches. Patches are processed in shared memory.
 *
 * Loops with loads are unrolled: 16 loads in the first, 2 x (8 + 16) in the second, 3 in the third. So seeds/001, Table
 * 3, counts 1 + 136 + 1176 + 6 runs, 1,319. Published: 256 x 256, 46 launches.
 */

#define FACTOR_SIDE 16u
#define FACTOR_ROW (FACTOR_SIDE * GPCI_ELEMENT)
#define FACTOR_PATCH (FACTOR_SIDE * FACTOR_ROW)

/* R2 thread, R4 in the matrix, R6 in shared memory; R7 counts steps, R28 products; R8 to R23 elements being copied. */
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
static uint64_t element(const gpci_launch *l, uint64_t row, uint64_t column) {
    return l->operand[0].base + (row * l->n + column) * GPCI_ELEMENT;
}

/* Element in one of three patches of shared memory. */
static uint64_t cell(unsigned array, uint64_t row, uint64_t column) {
    return GPCI_SHARED_BASE + array * FACTOR_PATCH + row * FACTOR_ROW + column * GPCI_ELEMENT;
}

/* Products of a row's elements, from lane to lane `row_stride` away, with a column's; to the end of the loop. */
static void walk_products(gpci_walk *w, uint64_t count, unsigned left, uint64_t row, uint64_t row_stride, unsigned up,
                          uint64_t column, uint64_t column_stride) {
    for (uint64_t j = 0; j < count; j++) {
        gpci_access(w, cell(left, row, j), row_stride);
        gpci_access(w, cell(up, j, column), column_stride);
        gpci_branch(w, j + 1 < count);
    }
}

/* Lanes' elements first + lane * stride, less `count` products, over the divisor. */
static void walk_divided(gpci_walk *w, uint64_t first, uint64_t count, unsigned left, uint64_t row, unsigned up) {
    gpci_access(w, first, FACTOR_ROW);
    if (!gpci_branch(w, count == 0))
        walk_products(w, count, left, row, FACTOR_ROW, up, count, 0);
    gpci_access(w, cell(up, count, count), 0);
    gpci_access(w, first, FACTOR_ROW);
}

static void walk_diagonal(gpci_walk *w, const gpci_launch *l) {
    const uint64_t from = l->window * FACTOR_SIDE;
    for (uint64_t i = 0; i < FACTOR_SIDE; i++)
        gpci_access(w, element(l, from + i, from), GPCI_ELEMENT);
    for (uint64_t i = 0; i < FACTOR_SIDE; i++)
        gpci_access(w, cell(0, i, 0), GPCI_ELEMENT);
    gpci_barrier(w);
    for (uint64_t i = 0; i + 1 < FACTOR_SIDE; i++) {
        const uint64_t behind = w->all & ~gpci_below(w, 0, i + 1);
        if (gpci_if(w, behind))
            walk_divided(w, cell(0, 0, i), i, 0, 0, 0);
        gpci_end_if(w);
        gpci_barrier(w);
        if (gpci_if(w, behind)) {
            gpci_access(w, cell(0, i + 1, 0), GPCI_ELEMENT);
            walk_products(w, i + 1, 0, i + 1, 0, 0, 0, GPCI_ELEMENT);
            gpci_access(w, cell(0, i + 1, 0), GPCI_ELEMENT);
        }
        gpci_end_if(w);
        gpci_barrier(w);
        gpci_branch(w, i + 2 < FACTOR_SIDE);
    }
    for (uint64_t i = 1; i < FACTOR_SIDE; i++) {
        gpci_access(w, cell(0, i, 0), GPCI_ELEMENT);
        gpci_access(w, element(l, from + i, from), GPCI_ELEMENT);
    }
    gpci_finish(w);
}

/* Copy rows of the matrix into a patch of shared memory, by the warp's half that begins at `first`. */
static void fetch(gpci_walk *w, const gpci_launch *l, uint64_t row, uint64_t column, unsigned array, uint64_t skipped,
                  uint64_t rows, uint64_t first) {
    for (uint64_t i = 0; i < rows; i++)
        gpci_access(w, element(l, row + i, column) - first * GPCI_ELEMENT, GPCI_ELEMENT);
    for (uint64_t i = 0; i < rows; i++)
        gpci_access(w, cell(array, skipped + i, 0) - first * GPCI_ELEMENT, GPCI_ELEMENT);
}

static void store(gpci_walk *w, const gpci_launch *l, uint64_t row, uint64_t column, unsigned array, uint64_t first_row,
                  uint64_t first) {
    for (uint64_t i = first_row; i < FACTOR_SIDE; i++) {
        gpci_access(w, cell(array, i, 0) - first * GPCI_ELEMENT, GPCI_ELEMENT);
        gpci_access(w, element(l, row + i, column) - first * GPCI_ELEMENT, GPCI_ELEMENT);
    }
}

enum { CORNER, ACROSS, DOWN }; /* patches of shared memory: the diagonal's, in its row, in its column */

static void walk_perimeter(gpci_walk *w, const gpci_launch *l) {
    const uint64_t from = l->window * FACTOR_SIDE, away = from + (w->x + 1) * FACTOR_SIDE;
    const uint64_t upper = gpci_below(w, 0, FACTOR_SIDE), lower = w->all & ~upper;
    if (gpci_if(w, upper)) {
        fetch(w, l, from, from, CORNER, 0, FACTOR_SIDE / 2, 0);
        fetch(w, l, from, away, ACROSS, 0, FACTOR_SIDE, 0);
    }
    gpci_end_if(w);
    if (gpci_if(w, lower)) {
        fetch(w, l, from + FACTOR_SIDE / 2, from, CORNER, FACTOR_SIDE / 2, FACTOR_SIDE / 2, FACTOR_SIDE);
        fetch(w, l, away, from, DOWN, 0, FACTOR_SIDE, FACTOR_SIDE);
    }
    gpci_end_if(w);
    gpci_barrier(w);
    if (gpci_if(w, upper))
        for (uint64_t i = 1; i < FACTOR_SIDE; i++) {
            gpci_access(w, cell(ACROSS, i, 0), GPCI_ELEMENT);
            walk_products(w, i, CORNER, i, 0, ACROSS, 0, GPCI_ELEMENT);
            gpci_access(w, cell(ACROSS, i, 0), GPCI_ELEMENT);
            gpci_branch(w, i + 1 < FACTOR_SIDE);
        }
    gpci_end_if(w);
    if (gpci_if(w, lower))
        for (uint64_t i = 0; i < FACTOR_SIDE; i++) {
            walk_divided(w, cell(DOWN, 0, i) - FACTOR_SIDE * FACTOR_ROW, i, DOWN, -(uint64_t)FACTOR_SIDE, CORNER);
            gpci_branch(w, i + 1 < FACTOR_SIDE);
        }
    gpci_end_if(w);
    gpci_barrier(w);
    if (gpci_if(w, upper))
        store(w, l, from, away, ACROSS, 1, 0);
    gpci_end_if(w);
    if (gpci_if(w, lower))
        store(w, l, away, from, DOWN, 0, FACTOR_SIDE);
    gpci_end_if(w);
    gpci_finish(w);
}

static void walk_internal(gpci_walk *w, const gpci_launch *l) {
    uint64_t own[GPCI_SYNTHETIC_LANES], kept[GPCI_SYNTHETIC_LANES], row[GPCI_SYNTHETIC_LANES],
        column[GPCI_SYNTHETIC_LANES];
    const uint64_t from = l->window * FACTOR_SIDE, x = from + (w->x + 1) * FACTOR_SIDE,
                   y = from + (w->y + 1) * FACTOR_SIDE;
    for (unsigned lane = 0; lane < w->lanes; lane++) {
        own[lane] = (w->ty[lane] * l->n + w->tx[lane]) * GPCI_ELEMENT;
        kept[lane] = w->ty[lane] * FACTOR_ROW + w->tx[lane] * GPCI_ELEMENT;
        row[lane] = w->ty[lane] * FACTOR_ROW;
        column[lane] = w->tx[lane] * GPCI_ELEMENT;
    }
    gpci_access_at(w, element(l, from, x), own);
    gpci_access_at(w, element(l, y, from), own);
    gpci_access_at(w, cell(ACROSS, 0, 0), kept);
    gpci_access_at(w, cell(DOWN, 0, 0), kept);
    gpci_barrier(w);
    for (uint64_t i = 0; i < FACTOR_SIDE; i++) {
        gpci_access_at(w, cell(DOWN, 0, i), row);
        gpci_access_at(w, cell(ACROSS, i, 0), column);
    }
    gpci_access_at(w, element(l, y, x), own);
    gpci_access_at(w, element(l, y, x), own);
    gpci_finish(w);
}

static gpc_status add_launch(gpci_problem *p, gpci_launch *l, uint64_t x, uint64_t y, uint64_t threads, uint64_t rows) {
    l->grid[0] = x;
    l->grid[1] = y;
    l->block[0] = threads;
    l->block[1] = rows;
    return gpci_problem_launch(p, l);
}

/* Add the launches of patch `window` of the diagonal; the last patch has only the first launch. */
static gpc_status add_patch(gpci_problem *p, gpci_launch *l) {
    const uint64_t behind = l->n / FACTOR_SIDE - 1 - l->window;
    l->name = "_Z12lud_diagonalPfii";
    l->code = diagonal_code;
    l->warp = walk_diagonal;
    l->shared = FACTOR_PATCH;
    gpc_status status = add_launch(p, l, 1, 1, FACTOR_SIDE, 1);
    l->name = "_Z13lud_perimeterPfii";
    l->code = perimeter_code;
    l->warp = walk_perimeter;
    l->shared = 3 * FACTOR_PATCH;
    if (status == GPC_OK && behind)
        status = add_launch(p, l, behind, 1, 2 * FACTOR_SIDE, 1);
    l->name = "_Z12lud_internalPfii";
    l->code = internal_code;
    l->warp = walk_internal;
    return status == GPC_OK && behind ? add_launch(p, l, behind, behind, FACTOR_SIDE, FACTOR_SIDE) : status;
}

static gpc_status plan_lud(gpci_problem *p) {
    gpci_launch l = {.n = gpci_root(p->size / GPCI_ELEMENT) / FACTOR_SIDE * FACTOR_SIDE};
    const uint64_t first = (uint64_t)p->values[0], patches = (uint64_t)p->values[1];
    if (first >= l.n / FACTOR_SIDE)
        return gpci_problem_fail(p, "parameter 'first': %llu is none of the %llu patches of the diagonal",
                                 (unsigned long long)first, (unsigned long long)(l.n / FACTOR_SIDE));
    l.operand[0].base = gpci_problem_array(p, l.n * l.n * GPCI_ELEMENT);
    gpc_status status = GPC_OK;
    for (l.window = first; status == GPC_OK && l.window < first + patches && l.window < l.n / FACTOR_SIDE; l.window++)
        status = add_patch(p, &l);
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
