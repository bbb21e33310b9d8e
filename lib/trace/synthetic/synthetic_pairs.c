/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic.h"

/*
 * SimilarityScore of Mars (He et al., PACT 2008): cosine of two documents' feature vectors, a pair for each thread,
 * pairs (0, 1), (0, 2), ... (1, 2), ... from a list. A thread walks over both rows by float4. The first row is the same
 * for most lanes. The second row differs for each lane: a warp accesses the same 32 lines in eight steps. Blocks of 256
 * threads, Mars' default.
 */

#define VECTOR 16u
#define PAIR 8u

/* R6 steps left, R7 to R9 product and both squares, R10 pair, R12 and R16 first registers of the two loaded float4. */
static const char score_code[] =
    "R1 LDC; R0 S2R; UR4 ULDC; R3 S2R; R0 IMAD R0 UR4 R3; UR5 ULDC; P0 ISETP.GE.U32.AND R0 UR5; @P0 EXIT; UR4 ULDC.64;"
    "R2 LDC.64; R2 IMAD.WIDE.U32 R0 R2; R10 LDG.E.64 R2 UR4; R6 LDC; R7 IMAD R10 R6; R8 IMAD R11 R6; R4 LDC.64;"
    "R2 IMAD.WIDE R7 R4; R4 IMAD.WIDE R8 R4; R7 MOV R255; R8 MOV R255; R9 MOV R255; R6 SHF.R.S32.HI R6;"
    "four: R12 LDG.E.128 R2 UR4; R16 LDG.E.128 R4 UR4; 4*{R7 FFMA R12 R16 R7; R8 FFMA R12 R12 R8;"
    "R9 FFMA R16 R16 R9}; R2 IADD3 R2; R3 IADD3.X R3; R4 IADD3 R4; R5 IADD3.X R5; R6 IADD3 R6;"
    "P0 ISETP.NE.AND R6 R255; @P0 BRA four;"
    "R8 MUFU.RSQ R8; R9 MUFU.RSQ R9; R7 FMUL R7 R8; R7 FMUL R7 R9; R2 LDC.64; R2 IMAD.WIDE.U32 R0 R2;"
    "STG.E R2 UR4 R7; R2 LDC.64; R2 IMAD.WIDE.U32 R0 R2; STG.E.64 R2 UR4 R10; EXIT";

/* Number of pairs before the pairs of a first document. */
static uint64_t pairs_before(uint64_t first, uint64_t documents) {
    return first * (2 * documents - first - 1) / 2;
}

/* First document of a pair: the last document whose pairs begin at or before `pair`. */
static uint64_t first_of(uint64_t pair, uint64_t documents) {
    uint64_t first = 0;
    for (uint64_t bit = UINT64_C(1) << 31; bit; bit >>= 1)
        if (first + bit < documents && pairs_before(first + bit, documents) <= pair)
            first += bit;
    return first;
}

static void walk_score(gpci_walk *walk, const gpci_launch *launch) {
    uint64_t a[GPCI_SYNTHETIC_LANES], b[GPCI_SYNTHETIC_LANES], thread = walk->x * GPCI_THREADS + walk->first;
    if (!gpci_guard(walk, gpci_below(walk, thread, launch->n)))
        return;
    for (unsigned lane = 0; lane < walk->lanes; lane++) {
        uint64_t pair = thread + lane < launch->n ? thread + lane : 0, first = first_of(pair, launch->rows);
        a[lane] = first * launch->columns * GPCI_ELEMENT;
        b[lane] = (first + 1 + pair - pairs_before(first, launch->rows)) * launch->columns * GPCI_ELEMENT;
    }
    gpci_access(walk, launch->operand[0].base + thread * PAIR, PAIR);
    for (uint64_t step = 0; step < launch->steps; step++) {
        gpci_access_at(walk, launch->operand[1].base + step * VECTOR, a);
        gpci_access_at(walk, launch->operand[1].base + step * VECTOR, b);
        gpci_branch(walk, step + 1 < launch->steps);
    }
    gpci_access(walk, launch->operand[2].base + thread * GPCI_ELEMENT, GPCI_ELEMENT);
    gpci_access(walk, launch->operand[3].base + thread * PAIR, PAIR);
    gpci_finish(walk);
}

static gpc_status plan_score(gpci_problem *problem) {
    gpci_launch launch = {.name = "_Z16similarity_scorePK4int2PKfPfii", .code = score_code, .warp = walk_score};
    launch.columns = (uint64_t)problem->values[0];
    launch.rows = problem->size / GPCI_ELEMENT / launch.columns;
    launch.steps = launch.columns * GPCI_ELEMENT / VECTOR;
    if (launch.columns * GPCI_ELEMENT % VECTOR)
        return gpci_problem_fail(problem, "parameter 'features': %llu is no multiple of 4",
                                 (unsigned long long)launch.columns);
    if (launch.rows < 2)
        return gpci_problem_fail(problem, "%llu bytes are less than two documents of %llu features",
                                 (unsigned long long)problem->size, (unsigned long long)launch.columns);
    uint64_t most = (uint64_t)problem->values[1], all = pairs_before(launch.rows - 1, launch.rows);
    launch.n = most && most < all ? most : all;
    launch.grid[0] = gpci_ceiling(launch.n, GPCI_THREADS);
    launch.block[0] = GPCI_THREADS;
    launch.operand[0].base = gpci_problem_array(problem, launch.n * PAIR);
    launch.operand[1].base = gpci_problem_array(problem, launch.rows * launch.columns * GPCI_ELEMENT);
    launch.operand[2].base = gpci_problem_array(problem, launch.n * GPCI_ELEMENT);
    launch.operand[3].base = gpci_problem_array(problem, launch.n * PAIR);
    return gpci_problem_launch(problem, &launch);
}

static const gpc_parameter score_parameters[] = {
    {"features", 64, 4, 65536, true, "of a document, a multiple of 4"},
    {"pairs", 65536, 0, 1e9, true, "the first of them; 0: all"},
};

const gpci_synthetic gpci_synthetic_similarity_score = {
    .name = "similarity-score",
    .summary = "cosines of pairs of documents, a pair for each thread; SIZE of the documents' features (features=64, "
               "pairs=65536)",
    .least = 2 * VECTOR,
    .parameters = score_parameters,
    .parameter_count = 2,
    .plan = plan_score,
};
