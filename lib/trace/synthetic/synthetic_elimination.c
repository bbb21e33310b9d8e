/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic.h"

/*
 * Gaussian elimination, as in Rodinia's gaussian (Che et al., IISWC 2009), compiled for Fermi. For each column t, Fan1
 * divides the elements below the diagonal, a thread for each row in blocks of 512: lanes are a row apart. Fan2
 * subtracts multiples from the rows below, a thread for each element in blocks of 4 x 4. The x index counts rows:
 * four lanes of a block share a row. The threads of the first column also update the rows' right-hand sides.
 *
 * Each column has two launches. The parameter `first` is the first column, and `columns` the number of columns. The
 * whole program has two launches for each column but the last.
 */

#define COLUMN_THREADS 512u
#define PATCH_SIDE 4u

/* Addresses: R4 element of the row, R5 element of the diagonal, R8 multiplier. */
static const char divide_code[] =
    "R1 MOV; R0 S2R; R2 S2R; R3 S2R; R0 IMAD R2 R3 R0; P0 ISETP.GE.AND R0 R1; @P0 EXIT; R4 MOV; R4 IMAD R0 R1 R4;"
    "R5 MOV; R6 LDG.E R4; R7 LDG.E R5; R7 MUFU.RCP R7; R6 FMUL R6 R7; R8 MOV; R8 IMAD R0 R1 R8; STG.E R8 R6; EXIT";

/*
 * Addresses. For the matrix: R4 multiplier, R5 element of the pivot row, R6 element of this row. For the right-hand
 * side: R4 multiplier, R13 element of the pivot row, R14 element of this row.
 */
static const char subtract_code[] =
    "R1 MOV; R0 S2R; R2 S2R; R3 S2R; R0 IMAD R2 R3 R0; R9 S2R; R10 S2R; R11 S2R; R9 IMAD R10 R11 R9;"
    "P0 ISETP.GE.AND R0 R1; P0 ISETP.GE.OR R9 R1 P0; @P0 EXIT; R4 MOV; R4 IMAD R0 R1 R4; R5 MOV; R5 IADD3 R9 R5;"
    "R6 MOV; R6 IMAD R0 R1 R6; R6 IADD3 R6 R9; R7 LDG.E R4; R8 LDG.E R5; R12 LDG.E R6; R12 FFMA R7 R8 R12;"
    "STG.E R6 R12; P1 ISETP.NE.AND R9; @P1 BRA done; R13 MOV; R14 MOV; R14 IADD3 R0 R14; R7 LDG.E R4; R8 LDG.E R13;"
    "R12 LDG.E R14; R12 FFMA R7 R8 R12; STG.E R14 R12; done: EXIT";

/* Operands: multipliers, the matrix, right-hand sides. Launch fields: `n` rows, `window` the present column. */
enum { MULTIPLIERS, MATRIX, SIDES };

static uint64_t element(const gpci_launch *launch, size_t operand, uint64_t row, uint64_t column) {
    return launch->operand[operand].base + (row * launch->n + column) * GPCI_ELEMENT;
}

static void walk_divide(gpci_walk *walk, const gpci_launch *launch) {
    const uint64_t t = launch->window, pitch = launch->n * GPCI_ELEMENT,
                   row = t + 1 + walk->x * COLUMN_THREADS + walk->first;
    if (!gpci_guard(walk, gpci_below(walk, row, launch->n)))
        return;
    gpci_access(walk, element(launch, MATRIX, row, t), pitch);
    gpci_access(walk, element(launch, MATRIX, t, t), 0);
    gpci_access(walk, element(launch, MULTIPLIERS, row, t), pitch);
    gpci_finish(walk);
}

static void walk_subtract(gpci_walk *walk, const gpci_launch *launch) {
    uint64_t rows[GPCI_SYNTHETIC_LANES], columns[GPCI_SYNTHETIC_LANES], both[GPCI_SYNTHETIC_LANES];
    uint64_t sides[GPCI_SYNTHETIC_LANES], first = 0;
    const uint64_t t = launch->window;
    if (!gpci_guard(walk, gpci_inside(walk, launch->n - 1 - t, launch->n - t)))
        return;
    for (unsigned lane = 0; lane < walk->lanes; lane++) {
        rows[lane] = walk->gx[lane] * launch->n * GPCI_ELEMENT;
        columns[lane] = walk->gy[lane] * GPCI_ELEMENT;
        both[lane] = rows[lane] + columns[lane];
        sides[lane] = walk->gx[lane] * GPCI_ELEMENT;
        first |= (uint64_t)(walk->gy[lane] == 0) << lane;
    }
    gpci_access_at(walk, element(launch, MULTIPLIERS, t + 1, t), rows);
    gpci_access_at(walk, element(launch, MATRIX, t, t), columns);
    gpci_access_at(walk, element(launch, MATRIX, t + 1, t), both);
    gpci_access_at(walk, element(launch, MATRIX, t + 1, t), both);
    if (gpci_if(walk, walk->mask & first)) {
        gpci_access_at(walk, element(launch, MULTIPLIERS, t + 1, t), rows);
        gpci_access(walk, launch->operand[SIDES].base + t * GPCI_ELEMENT, 0);
        gpci_access_at(walk, launch->operand[SIDES].base + (t + 1) * GPCI_ELEMENT, sides);
        gpci_access_at(walk, launch->operand[SIDES].base + (t + 1) * GPCI_ELEMENT, sides);
    }
    gpci_end_if(walk);
    gpci_finish(walk);
}

/* Add the two launches of column `window`. */
static gpc_status add_column(gpci_problem *problem, gpci_launch *launch) {
    const uint64_t rows = launch->n - 1 - launch->window;
    launch->name = "_Z4Fan1PfS_ii";
    launch->code = divide_code;
    launch->warp = walk_divide;
    launch->grid[0] = gpci_ceiling(rows, COLUMN_THREADS);
    launch->grid[1] = launch->block[1] = 1;
    launch->block[0] = COLUMN_THREADS;
    gpc_status status = gpci_problem_launch(problem, launch);
    launch->name = "_Z4Fan2PfS_S_iii";
    launch->code = subtract_code;
    launch->warp = walk_subtract;
    launch->grid[0] = gpci_ceiling(rows, PATCH_SIDE);
    launch->grid[1] = gpci_ceiling(rows + 1, PATCH_SIDE);
    launch->block[0] = launch->block[1] = PATCH_SIDE;
    return status == GPC_OK ? gpci_problem_launch(problem, launch) : status;
}

static gpc_status plan_gaussian(gpci_problem *problem) {
    gpci_launch launch = {.n = gpci_root(problem->size / GPCI_ELEMENT)};
    const uint64_t first = (uint64_t)problem->values[0], columns = (uint64_t)problem->values[1];
    if (first + 1 >= launch.n)
        return gpci_problem_fail(problem, "parameter 'first': %llu is none of the %llu columns but the last",
                                 (unsigned long long)first, (unsigned long long)launch.n);
    launch.operand[MULTIPLIERS].base = gpci_problem_array(problem, launch.n * launch.n * GPCI_ELEMENT);
    launch.operand[MATRIX].base = gpci_problem_array(problem, launch.n * launch.n * GPCI_ELEMENT);
    launch.operand[SIDES].base = gpci_problem_array(problem, launch.n * GPCI_ELEMENT);
    gpc_status status = GPC_OK;
    for (launch.window = first; status == GPC_OK && launch.window < first + columns && launch.window + 1 < launch.n;
         launch.window++)
        status = add_column(problem, &launch);
    return status;
}

static const gpc_parameter gaussian_parameters[] = {
    {"first", 0, 0, 1 << 15, true, "column that is eliminated first"},
    {"columns", 4, 1, GPCI_SYNTHETIC_LAUNCHES / 2, true, "that are eliminated, two launches each"},
};

const gpci_synthetic gpci_synthetic_rodinia_gaussian = {
    .name = "rodinia-gaussian",
    .summary = "Gaussian elimination, as Fermi ran it; SIZE of the matrix (first=0, columns=4)",
    .least = 4 * GPCI_ELEMENT,
    .parameters = gaussian_parameters,
    .parameter_count = 2,
    .plan = plan_gaussian,
};
