/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic.h"

/*
 * C = a A B' + b C, Parboil's sgemm (Stratton et al., IMPACT-12-01, 2012) with tiles in registers, compiled for Fermi.
 * Source: github.com/tgrogers/gpgpu-sim_simulations, commit 33f6535,
 * benchmarks/src/cuda/parboil/benchmarks/sgemm/src/cuda/sgemm_kernel.cu (mysgemmNT, regtileSgemm). Matrices are stored
 * by columns. A block of 16 x 8 threads computes 128 rows and 16 columns of C, a thread a row with 16 sums. Eight
 * columns of B's tile at a time go through shared memory, and each thread loads its row of A directly.
 *
 * The input is in no repository; here matrices are square. The parameter `steps` keeps the first so many of the columns
 * of A and B.
 */

#define TILE_N 16u
#define TILE_HEIGHT 8u
#define TILE_M (TILE_N * TILE_HEIGHT)

/* Operands. `n` of the launch: elements along a side. */
enum { A, B, C };

/* Addresses: R5 element of B, R6 element of A, R7 place in shared memory, R8 element of C. R24 to R39: sums. */
static const char sgemm_code[] =
    "R1 MOV; R0 S2R; R2 S2R; R3 S2R; R4 S2R; R9 IMAD R4 R1 R0; R6 IMAD R2 R1 R9; R5 IMAD R3 R1 R0; R5 IMAD R4 R1 R5;"
    "R7 SHL R9; R10 MOV; R11 MOV; 16*{ R24+1 MOV };"
    "tile: R12 LDG.E R5; STS R7 R12; BAR.SYNC; R13 MOV; R14 MOV;"
    "row: R15 LDG.E R6; 16*{ R16 LDS R14; R24+1 FFMA R15 R16 R24+1 }; R6 IADD R6 R11; R14 IADD R14; R13 IADD R13;"
    "P0 ISETP.LT.AND R13; @P0 BRA row; BAR.SYNC; R5 IADD R5 R11; R10 IADD R10; P1 ISETP.LT.AND R10 R1; @P1 BRA tile;"
    "R8 IMAD R3 R1 R6; 16*{ R17 LDG.E R8; R17 FMUL R17; R17 FFMA R24+1 R17; STG.E R8 R17; R8 IADD R8 R11 }; EXIT";

static void walk_sgemm(gpci_walk *walk, const gpci_launch *launch) {
    const uint64_t column = launch->n * GPCI_ELEMENT, row = walk->x * TILE_M + walk->first;
    uint64_t of_b[GPCI_SYNTHETIC_LANES];
    for (unsigned lane = 0; lane < walk->lanes; lane++)
        of_b[lane] = (walk->y * TILE_N + walk->tx[lane]) * GPCI_ELEMENT + walk->ty[lane] * column;
    for (uint64_t i = 0; i < launch->steps; i += TILE_HEIGHT) {
        gpci_access_at(walk, launch->operand[B].base + i * column, of_b);
        gpci_access(walk, GPCI_SHARED_BASE + walk->first * GPCI_ELEMENT, GPCI_ELEMENT);
        gpci_barrier(walk);
        for (uint64_t j = 0; j < TILE_HEIGHT; j++) {
            gpci_access(walk, launch->operand[A].base + (i + j) * column + row * GPCI_ELEMENT, GPCI_ELEMENT);
            for (uint64_t k = 0; k < TILE_N; k++)
                gpci_access(walk, GPCI_SHARED_BASE + (j * TILE_N + k) * GPCI_ELEMENT, 0);
            gpci_branch(walk, j + 1 < TILE_HEIGHT);
        }
        gpci_barrier(walk);
        gpci_branch(walk, i + TILE_HEIGHT < launch->steps);
    }
    for (uint64_t k = 0; k < TILE_N; k++) {
        const uint64_t sum = launch->operand[C].base + (walk->y * TILE_N + k) * column + row * GPCI_ELEMENT;
        gpci_access(walk, sum, GPCI_ELEMENT);
        gpci_access(walk, sum, GPCI_ELEMENT);
    }
    gpci_finish(walk);
}

static gpc_status plan_sgemm(gpci_problem *problem) {
    gpci_launch launch = {.name = "_Z9mysgemmNTPKfiS0_iPfiiff", .code = sgemm_code, .warp = walk_sgemm};
    const uint64_t asked = gpci_ceiling((uint64_t)problem->values[0], TILE_HEIGHT) * TILE_HEIGHT;
    launch.n = gpci_root(problem->size / GPCI_ELEMENT) / TILE_M * TILE_M;
    launch.steps = asked && asked < launch.n ? asked : launch.n;
    for (size_t k = A; k <= C; k++)
        launch.operand[k].base = gpci_problem_array(problem, launch.n * launch.n * GPCI_ELEMENT);
    launch.shared = TILE_M * GPCI_ELEMENT;
    launch.grid[0] = launch.n / TILE_M;
    launch.grid[1] = launch.n / TILE_N;
    launch.block[0] = TILE_N;
    launch.block[1] = TILE_HEIGHT;
    return gpci_problem_launch(problem, &launch);
}

static const gpc_parameter sgemm_parameters[] = {
    {"steps", 0, 0, 1 << 20, true, "of each sum, the first so many, by 8; 0: all"},
};

const gpci_synthetic gpci_synthetic_parboil_sgemm = {
    .name = "parboil-sgemm",
    .summary = "C = aAB' + bC with tiles in registers, as Fermi ran it; SIZE of each square matrix (steps=0: all)",
    .least = TILE_M * TILE_M * GPCI_ELEMENT,
    .parameters = sgemm_parameters,
    .parameter_count = 1,
    .plan = plan_sgemm,
};
