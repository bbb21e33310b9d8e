/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic.h"

/*
 * Needleman-Wunsch, as in Rodinia's nw (Che et al., IISWC 2009; needle_cuda_shared_1 and _2), compiled for Fermi: a
 * matrix of scores, with one more row and column, in patches of 16 x 16. The patches of a diagonal are a launch, with a
 * block of 16 threads each. A block copies the patch of the reference, and the scores above and beside the patch, into
 * shared memory, processes the patch's diagonals, and writes the patch back. _1 goes down to the main diagonal, _2
 * processes the diagonals behind the main diagonal.
 *
 * Loops of 16 loads are unrolled: each kernel has 19 loads. Table 3 of seeds/001 counts runs of a search for the loads
 * that should bypass L1: one run without bypassing, and for each kernel a run for each load and for each pair of loads:
 * 1 + 190 + 190 = 381 runs. The published problem has 2,048 x 2,048 scores: 255 launches.
 */

#define NEEDLE_SIDE UINT64_C(16)
/* scores of a patch in shared memory, with the row above and the column beside */
#define NEEDLE_SCORES (NEEDLE_SIDE + 1)
#define NEEDLE_REFERENCE (GPCI_SHARED_BASE + NEEDLE_SCORES * NEEDLE_SCORES * GPCI_ELEMENT)

/* R2 thread, R4 address in the matrix or reference, R6 address in shared memory, R8 to R23 copied elements. */
static const char needle_code[] =
    "R1 MOV; R0 S2R; R2 S2R; R3 MOV; R4 IMAD R0 R3 R2; R6 SHF.L.U32 R2; P0 ISETP.NE.AND R2; @P0 BRA patch;"
    "R5 LDG.E R4; STS R6 R5;"
    "patch: 16*{ R8+1 LDG.E R4 }; 16*{ STS R6 R8+1 }; BAR.SYNC.DEFER_BLOCKING; R5 LDG.E R4; STS R6 R5;"
    "BAR.SYNC.DEFER_BLOCKING; R5 LDG.E R4; STS R6 R5; BAR.SYNC.DEFER_BLOCKING; R24 MOV;"
    "down: P1 ISETP.GT.AND R2 R24; @P1 BRA passed; R25 LDS R6; R26 LDS R6; R27 LDS R6; R28 LDS R6; R25 IADD3 R25 R26;"
    "R27 IADD3 R27; R28 IADD3 R28; R25 IMNMX R25 R27; R25 IMNMX R25 R28; STS R6 R25; passed: BAR.SYNC.DEFER_BLOCKING;"
    "R24 IADD3 R24; P2 ISETP.LT.AND R24; @P2 BRA down; R24 MOV;"
    "up: P1 ISETP.GT.AND R2 R24; @P1 BRA left; R25 LDS R6; R26 LDS R6; R27 LDS R6; R28 LDS R6; R25 IADD3 R25 R26;"
    "R27 IADD3 R27; R28 IADD3 R28; R25 IMNMX R25 R27; R25 IMNMX R25 R28; STS R6 R25; left: BAR.SYNC.DEFER_BLOCKING;"
    "R24 IADD3 R24; P2 ISETP.GE.AND R24; @P2 BRA up; 16*{ R25 LDS R6; STG.E R4 R25 }; EXIT";

/* Operands. Launch fields: `n` patches along a side, `window` number of the diagonal of patches, from 0. */
enum { MATRIX, REFERENCES };

static uint64_t score(uint64_t row, uint64_t column) {
    return GPCI_SHARED_BASE + (row * NEEDLE_SCORES + column) * GPCI_ELEMENT;
}

/* Compute an element of shared memory for each lane, from the best of its three neighbours. */
static void walk_best(gpci_walk *walk, uint64_t lanes, uint64_t row, uint64_t column) {
    const uint64_t up = -(NEEDLE_SCORES - 1) * GPCI_ELEMENT; /* from a lane to the next: one column on, one row back */
    if (gpci_if(walk, walk->mask & lanes)) {
        gpci_access(walk, score(row - 1, column - 1), up);
        gpci_access(walk, NEEDLE_REFERENCE + ((row - 1) * NEEDLE_SIDE + column - 1) * GPCI_ELEMENT,
                    -(NEEDLE_SIDE - 1) * GPCI_ELEMENT);
        gpci_access(walk, score(row, column - 1), up);
        gpci_access(walk, score(row - 1, column), up);
        gpci_access(walk, score(row, column), up);
    }
    gpci_end_if(walk);
    gpci_barrier(walk);
}

static void walk_diagonals(gpci_walk *walk) {
    for (uint64_t m = 0; m < NEEDLE_SIDE; m++) {
        walk_best(walk, gpci_below(walk, 0, m + 1), m + 1, 1);
        gpci_branch(walk, m + 1 < NEEDLE_SIDE);
    }
    for (uint64_t m = NEEDLE_SIDE - 1; m-- > 0;) {
        walk_best(walk, gpci_below(walk, 0, m + 1), NEEDLE_SIDE, NEEDLE_SIDE - m);
        gpci_branch(walk, m > 0);
    }
}

static void walk_needle(gpci_walk *walk, const gpci_launch *launch) {
    const uint64_t pitch = (launch->n * NEEDLE_SIDE + 1) * GPCI_ELEMENT, back = launch->window + 1 - launch->n;
    const bool first = launch->window < launch->n;
    const uint64_t x = walk->x + (first ? 0 : back), y = first ? launch->window - walk->x : launch->n - 1 - walk->x;
    const uint64_t corner = y * NEEDLE_SIDE * pitch + x * NEEDLE_SIDE * GPCI_ELEMENT,
                   inner = corner + pitch + GPCI_ELEMENT;
    const uint64_t matrix = launch->operand[MATRIX].base;
    if (gpci_if(walk, walk->mask & 1)) {
        gpci_access(walk, matrix + corner, 0);
        gpci_access(walk, score(0, 0), 0);
    }
    gpci_end_if(walk);
    for (uint64_t row = 0; row < NEEDLE_SIDE; row++)
        gpci_access(walk, launch->operand[REFERENCES].base + inner + row * pitch, GPCI_ELEMENT);
    for (uint64_t row = 0; row < NEEDLE_SIDE; row++)
        gpci_access(walk, NEEDLE_REFERENCE + row * NEEDLE_SIDE * GPCI_ELEMENT, GPCI_ELEMENT);
    gpci_barrier(walk);
    gpci_access(walk, matrix + corner + pitch, pitch);
    gpci_access(walk, score(1, 0), NEEDLE_SCORES * GPCI_ELEMENT);
    gpci_barrier(walk);
    gpci_access(walk, matrix + corner + GPCI_ELEMENT, GPCI_ELEMENT);
    gpci_access(walk, score(0, 1), GPCI_ELEMENT);
    gpci_barrier(walk);
    walk_diagonals(walk);
    for (uint64_t row = 0; row < NEEDLE_SIDE; row++) {
        gpci_access(walk, score(row + 1, 1), GPCI_ELEMENT);
        gpci_access(walk, matrix + inner + row * pitch, GPCI_ELEMENT);
    }
    gpci_finish(walk);
}

static gpc_status plan_needle(gpci_problem *problem) {
    gpci_launch launch = {.code = needle_code,
                          .warp = walk_needle,
                          .shared = (NEEDLE_SCORES * NEEDLE_SCORES + NEEDLE_SIDE * NEEDLE_SIDE) * GPCI_ELEMENT};
    const uint64_t side = gpci_root(problem->size / GPCI_ELEMENT), first = (uint64_t)problem->values[0];
    const uint64_t launches = (uint64_t)problem->values[1];
    launch.n = (side - 1) / NEEDLE_SIDE;
    if (first >= 2 * launch.n - 1)
        return gpci_problem_fail(problem, "parameter 'first': %llu is none of the %llu diagonals",
                                 (unsigned long long)first, (unsigned long long)(2 * launch.n - 1));
    const uint64_t bytes = (launch.n * NEEDLE_SIDE + 1) * (launch.n * NEEDLE_SIDE + 1) * GPCI_ELEMENT;
    launch.operand[MATRIX].base = gpci_problem_array(problem, bytes);
    launch.operand[REFERENCES].base = gpci_problem_array(problem, bytes);
    launch.block[0] = NEEDLE_SIDE;
    gpc_status status = GPC_OK;
    for (launch.window = first;
         status == GPC_OK && launch.window < first + launches && launch.window < 2 * launch.n - 1; launch.window++) {
        const bool down = launch.window < launch.n;
        launch.name = down ? "_Z20needle_cuda_shared_1PiS_iiii" : "_Z20needle_cuda_shared_2PiS_iiii";
        launch.grid[0] = down ? launch.window + 1 : 2 * launch.n - 1 - launch.window;
        status = gpci_problem_launch(problem, &launch);
    }
    return status;
}

static const gpc_parameter needle_parameters[] = {
    {"first", 0, 0, 1 << 12, true, "diagonal of patches that is launched first"},
    {"launches", GPCI_SYNTHETIC_LAUNCHES, 1, GPCI_SYNTHETIC_LAUNCHES, true, "diagonals, one each, as far as there are"},
};

const gpci_synthetic gpci_synthetic_rodinia_nw = {
    .name = "rodinia-nw",
    .summary = "Needleman-Wunsch in patches of 16 x 16, diagonal by diagonal, as Fermi ran it; SIZE of the matrix "
               "(first=0, launches=48)",
    .least = NEEDLE_SCORES * NEEDLE_SCORES * GPCI_ELEMENT,
    .parameters = needle_parameters,
    .parameter_count = 2,
    .plan = plan_needle,
};
