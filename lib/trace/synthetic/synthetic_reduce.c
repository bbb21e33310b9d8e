/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic.h"

/* Kernels with shared memory: inner products and histograms. */

#define BINS 256u
#define PRODUCT_BLOCKS 128u /* blocks of a launch of inner products, or the most */

/* Blocks take vector pairs in turn; the threads' partial sums meet in shared memory. */
static const char scalarprod_code[] =
    "R1 LDC; UR9 S2UR; R0 LDC; P0 ISETP.LE.AND R0 UR9; @P0 EXIT; R0 S2R; UR5 S2UR; UR8 ULDC; UR4 UMOV;"
    "R5 IMAD.U32 R255 R255 UR9; R2 LDC; UR4 ULEA UR5 UR4; R3 LEA R0 UR4; UR6 ULDC.64;"
    "vector: UR8 ULDC; BSSY; P0 ISETP.GE.AND R0 UR8; R4 IMAD.MOV.U32 R255 R255 R255;"
    "P1 ISETP.GT.U32.AND R0; @P0 BRA summed;"
    "R10 LDC.64; R4 IMAD.MOV.U32 R255 R255 R255; R14 MOV R0; R12 LDC.64;"
    "element: R9 IMAD R5 UR8 R14; R6 IMAD.WIDE R9 R10; R8 IMAD.WIDE R9 R12; R6 LDG.E R6 UR6; R9 LDG.E R8 UR6;"
    "R14 VIADD R14; P0 ISETP.GE.AND R14 UR8; R4 FFMA R9 R6 R4; @!P0 BRA element;"
    "summed: BSYNC; STS R3 R4; "
    "8*{BAR.SYNC.DEFER_BLOCKING; P1 ISETP.GT.U32.AND R0; @!P1 R6 LDS R3; @!P1 R7 LDS R3; @!P1 R6 FADD R6 R7;"
    "@!P1 STS R3 R6};"
    "BAR.SYNC.DEFER_BLOCKING; P1 ISETP.NE.AND R0 R255; R6 LDC.64; R6 IMAD.WIDE R5 R6; @!P1 R9 LDS UR4;"
    "@!P1 STG.E R6 UR6 R9; R5 IADD3 R2 R5 R255; P0 ISETP.GE.AND R5; BAR.SYNC.DEFER_BLOCKING; @!P0 BRA vector; EXIT";

static void halve(gpci_walk *walk) {
    uint64_t mine = GPCI_SHARED_BASE + walk->first * GPCI_ELEMENT;
    for (uint64_t half = GPCI_THREADS / 2; half; half /= 2) {
        uint64_t lanes = gpci_below(walk, walk->first, half);
        gpci_barrier(walk);
        gpci_access_if(walk, lanes, mine, GPCI_ELEMENT);
        gpci_access_if(walk, lanes, mine + half * GPCI_ELEMENT, GPCI_ELEMENT);
        gpci_access_if(walk, lanes, mine, GPCI_ELEMENT);
    }
    gpci_barrier(walk);
}

static void walk_scalarprod(gpci_walk *walk, const gpci_launch *launch) {
    const gpci_operand *left = &launch->operand[0], *right = &launch->operand[1], *out = &launch->operand[2];
    uint64_t one = gpci_below(walk, walk->first, 1);
    gpci_guard(walk, walk->all);
    for (uint64_t v = walk->x; v < launch->rows; v += launch->grid[0]) {
        uint64_t i = walk->first, row = v * launch->columns;
        if (gpci_if(walk, gpci_below(walk, i, launch->columns)))
            do {
                gpci_access(walk, left->base + (row + i) * GPCI_ELEMENT, GPCI_ELEMENT);
                gpci_access(walk, right->base + (row + i) * GPCI_ELEMENT, GPCI_ELEMENT);
                i += GPCI_THREADS;
            } while (gpci_loop(walk, gpci_below(walk, i, launch->columns)));
        gpci_end_if(walk);
        gpci_access(walk, GPCI_SHARED_BASE + walk->first * GPCI_ELEMENT, GPCI_ELEMENT);
        halve(walk);
        gpci_access_if(walk, one, GPCI_SHARED_BASE, 0);
        gpci_access_if(walk, one, out->base + v * GPCI_ELEMENT, 0);
        gpci_barrier(walk);
        gpci_branch(walk, v + launch->grid[0] < launch->rows);
    }
    gpci_finish(walk);
}

/* Add the launch of a kernel that takes `vectors` pairs of vectors. */
static gpc_status plan_vectors(gpci_problem *problem, gpci_launch *launch) {
    launch->columns = problem->size / GPCI_ELEMENT / launch->rows;
    if (!launch->columns)
        return gpci_problem_fail(problem, "%llu bytes are no float for each of %llu vectors",
                                 (unsigned long long)problem->size, (unsigned long long)launch->rows);
    launch->block[0] = GPCI_THREADS;
    for (unsigned k = 0; k < 3; k++)
        launch->operand[k].base = gpci_problem_array(problem, k < 2 ? launch->rows * launch->columns * GPCI_ELEMENT
                                                                    : launch->rows * GPCI_ELEMENT);
    return gpci_problem_launch(problem, launch);
}

static gpc_status plan_scalarprod(gpci_problem *problem) {
    gpci_launch launch = {.name = "_Z10scalarprodPfPKfS1_ii", .code = scalarprod_code, .warp = walk_scalarprod};
    launch.rows = (uint64_t)problem->values[0];
    launch.grid[0] = launch.rows < PRODUCT_BLOCKS ? launch.rows : PRODUCT_BLOCKS;
    launch.shared = GPCI_THREADS * GPCI_ELEMENT;
    return plan_vectors(problem, &launch);
}

static const gpc_parameter scalarprod_parameters[] = {
    {"vectors", 256, 1, 1 << 20, true, "pairs of vectors"},
};

const gpci_synthetic gpci_synthetic_scalarprod = {
    .name = "scalarprod",
    .summary = "inner products of pairs of vectors, by blocks, reduced in shared memory; SIZE of all first vectors "
               "(vectors=256)",
    .least = 4,
    .parameters = scalarprod_parameters,
    .parameter_count = 1,
    .plan = plan_scalarprod,
};

/*
 * scalarProdGPU of Multi2Sim's CUDA SDK 6.5 (synthetic_sdk.c): blocks take pairs of vectors in turn. 1,024 accumulators
 * of a block are four a thread.
 */
#define ACCUMULATORS 1024u

static const char product_code[] =
    "R1 MOV; R0 S2R; R2 S2R; P0 ISETP.GE.AND R2; @P0 BRA done;"
    "vector: R3 IMUL R2; R4 IADD R3; R5 MOV R0;"
    "accumulator: R6 MOV R255; R7 IADD R3 R5; P0 ISETP.GE.AND R7 R4; @P0 BRA summed;"
    "element: R8 SHL R7; R9 IADD R8; R9 LDG.E R9; R10 IADD R8; R10 LDG.E R10; R6 FFMA R9 R10 R6; R7 IADD R7;"
    "P0 ISETP.LT.AND R7 R4; @P0 BRA element;"
    "summed: R11 SHL R5; STS R11 R6; R5 IADD R5; P0 ISETP.LT.AND R5; @P0 BRA accumulator; R12 MOV;"
    "half: BAR.SYNC; P0 ISETP.GE.AND R0 R12; @P0 BRA idle; R13 MOV R0;"
    "pair: R14 SHL R13; R15 LDS R14; R16 IADD R12 R13; R16 SHL R16; R17 LDS R16; R15 FADD R15 R17; STS R14 R15;"
    "R13 IADD R13; P0 ISETP.LT.AND R13 R12; @P0 BRA pair;"
    "idle: R12 SHR R12; P0 ISETP.GT.AND R12 R255; @P0 BRA half;"
    "P0 ISETP.NE.AND R0 R255; @P0 BRA next; R18 LDS R255; R19 SHL R2; STG.E R19 R18;"
    "next: R2 IADD R2; P0 ISETP.LT.AND R2; @P0 BRA vector; done: EXIT";

/* Sums of the thread's accumulators over a pair of vectors. */
static void accumulate(gpci_walk *walk, const gpci_launch *launch, uint64_t row) {
    for (uint64_t i = walk->first; i < ACCUMULATORS; i += GPCI_THREADS) {
        uint64_t at = i;
        if (gpci_if(walk, gpci_below(walk, at, launch->columns)))
            do {
                for (unsigned k = 0; k < 2; k++)
                    gpci_access(walk, launch->operand[k].base + (row + at) * GPCI_ELEMENT, GPCI_ELEMENT);
                at += ACCUMULATORS;
            } while (gpci_loop(walk, gpci_below(walk, at, launch->columns)));
        gpci_end_if(walk);
        gpci_access(walk, GPCI_SHARED_BASE + i * GPCI_ELEMENT, GPCI_ELEMENT);
        gpci_branch(walk, i + GPCI_THREADS < ACCUMULATORS);
    }
}

/* Add the accumulators' upper half to the lower half, down to one. */
static void reduce(gpci_walk *walk) {
    for (uint64_t half = ACCUMULATORS / 2; half; half /= 2) {
        uint64_t i = walk->first;
        gpci_barrier(walk);
        if (gpci_if(walk, gpci_below(walk, i, half)))
            do {
                gpci_access(walk, GPCI_SHARED_BASE + i * GPCI_ELEMENT, GPCI_ELEMENT);
                gpci_access(walk, GPCI_SHARED_BASE + (half + i) * GPCI_ELEMENT, GPCI_ELEMENT);
                gpci_access(walk, GPCI_SHARED_BASE + i * GPCI_ELEMENT, GPCI_ELEMENT);
                i += GPCI_THREADS;
            } while (gpci_loop(walk, gpci_below(walk, i, half)));
        gpci_end_if(walk);
        gpci_branch(walk, half > 1);
    }
}

static void walk_product(gpci_walk *walk, const gpci_launch *launch) {
    if (!gpci_branch(walk, walk->x >= launch->rows))
        for (uint64_t v = walk->x; v < launch->rows; v += launch->grid[0]) {
            accumulate(walk, launch, v * launch->columns);
            reduce(walk);
            if (gpci_if(walk, gpci_below(walk, walk->first, 1))) {
                gpci_access(walk, GPCI_SHARED_BASE, 0);
                gpci_access(walk, launch->operand[2].base + v * GPCI_ELEMENT, 0);
            }
            gpci_end_if(walk);
            gpci_branch(walk, v + launch->grid[0] < launch->rows);
        }
    gpci_finish(walk);
}

static gpc_status plan_product(gpci_problem *problem) {
    gpci_launch launch = {.name = "_Z13scalarProdGPUPfS_S_ii", .code = product_code, .warp = walk_product};
    launch.rows = (uint64_t)problem->values[0];
    launch.grid[0] = PRODUCT_BLOCKS;
    launch.shared = ACCUMULATORS * GPCI_ELEMENT;
    return plan_vectors(problem, &launch);
}

static const gpc_parameter product_parameters[] = {
    {"vectors", 16, 1, 1 << 20, true, "pairs of vectors"},
};

const gpci_synthetic gpci_synthetic_sdk_scalarprod = {
    .name = "sdk-scalarprod",
    .summary = "scalarProd of Multi2Sim's CUDA SDK 6.5: 128 blocks of 1,024 accumulators; SIZE of all first vectors "
               "(vectors=16)",
    .least = 4,
    .parameters = product_parameters,
    .parameter_count = 1,
    .plan = plan_product,
};

/* Histogram of bytes for each block in shared memory, four bytes a load, and a kernel that adds the histograms. */
static const char histogram_code[] =
    "R1 LDC; R12 S2R; UR5 S2UR; UR8 ULDC; UR4 UMOV; R13 S2R; UR6 ULDC.64; BSSY; UR4 ULEA UR5 UR4; UR9 ULDC;"
    "R0 LEA R12 UR4; R4 IMAD R13 UR9 R12; STS R0 R255; BAR.SYNC.DEFER_BLOCKING; P0 ISETP.GE.AND R4 UR8;"
    "@P0 BRA counted;"
    "R6 LDC; R7 IMAD.MOV.U32 R255 R255 R4; R2 LDC.64; R6 IMAD R6 R255;"
    "word: R4 IMAD.WIDE R7 R2; R4 LDG.E R4 UR6; R7 IMAD.IADD R6 R7; P0 ISETP.GE.AND R7 UR8;"
    "R8 IMAD.SHL.U32 R4 R255; R9 SHF.R.U32.HI R255 R4; R10 SHF.R.U32.HI R255 R4; R11 SHF.R.U32.HI R255 R4;"
    "R8 LOP3.LUT R8 R255; R9 LOP3.LUT R9 R255; R10 LOP3.LUT R10 R255; ATOMS.POPC.INC.32 R255 R8;"
    "R11 LOP3.LUT R11 R255; ATOMS.POPC.INC.32 R255 R9; ATOMS.POPC.INC.32 R255 R10; ATOMS.POPC.INC.32 R255 R11;"
    "@!P0 BRA word;"
    "counted: BSYNC; BAR.SYNC.DEFER_BLOCKING; R7 IMAD R13 R12; R2 LDC.64; R5 LDS R0; R2 IMAD.WIDE.U32 R7 R2;"
    "STG.E R2 UR6 R5; EXIT";

static void walk_histogram(gpci_walk *walk, const gpci_launch *launch) {
    uint64_t mine = GPCI_SHARED_BASE + walk->first * GPCI_ELEMENT, i = walk->x * GPCI_THREADS + walk->first;
    gpci_access(walk, mine, GPCI_ELEMENT);
    gpci_barrier(walk);
    if (gpci_if(walk, gpci_below(walk, i, launch->n)))
        do {
            uint64_t words[GPCI_SYNTHETIC_LANES], bin[GPCI_SYNTHETIC_LANES];
            gpci_access(walk, launch->operand[0].base + i * GPCI_ELEMENT, GPCI_ELEMENT);
            for (unsigned lane = 0; lane < walk->lanes; lane++)
                words[lane] = gpci_mix(launch->seed + i + lane);
            for (unsigned byte = 0; byte < GPCI_ELEMENT; byte++) {
                for (unsigned lane = 0; lane < walk->lanes; lane++)
                    bin[lane] = (words[lane] >> 8 * byte) % BINS * GPCI_ELEMENT;
                gpci_access_at(walk, GPCI_SHARED_BASE, bin);
            }
            i += launch->grid[0] * GPCI_THREADS;
        } while (gpci_loop(walk, gpci_below(walk, i, launch->n)));
    gpci_end_if(walk);
    gpci_barrier(walk);
    gpci_access(walk, mine, GPCI_ELEMENT);
    gpci_access(walk, launch->operand[1].base + (walk->x * GPCI_THREADS + walk->first) * GPCI_ELEMENT, GPCI_ELEMENT);
    gpci_finish(walk);
}

static const char merge_code[] =
    "R1 LDC; R7 LDC; UR4 ULDC.64; P0 ISETP.GT.AND R7 R255; R0 IMAD.MOV.U32 R255 R255 R255; R16 S2R;"
    "R4 LOP3.LUT R7 R255;"
    "R2 LDC.64; R18 IMAD.IADD R4 R7; R15 IADD3 R16 R255; R5 IMAD.MOV.U32 R255 R255 R255; P0 ISETP.EQ.AND R18 R255;"
    "@P0 BRA rest;"
    "four: R7 IADD3 R15 R255; R9 VIADD R15; R11 IADD3 R15 R255; R6 IMAD.WIDE.U32 R7 R2; R8 IMAD.WIDE.U32 R9 R2;"
    "R7 LDG.E R6 UR4; R12 IMAD.WIDE.U32 R15 R2; R8 LDG.E R8 UR4; R10 IMAD.WIDE.U32 R11 R2; R11 LDG.E R10 UR4;"
    "R12 LDG.E R12 UR4; R5 VIADD R5; R14 IADD3 R18 R5 R255; P0 ISETP.NE.AND R14 R255; R15 VIADD R15;"
    "R0 IADD3 R8 R7 R0; R0 IADD3 R12 R11 R0; @P0 BRA four;"
    "rest: P0 ISETP.EQ.AND R4 R255; @P0 BRA done;"
    "one: R6 IMAD.WIDE.U32 R15 R2; R7 LDG.E R6 UR4; R4 IADD3 R4 R255; P0 ISETP.NE.AND R4 R255; R15 VIADD R15;"
    "R0 IMAD.IADD R0 R7; @P0 BRA one;"
    "done: R5 S2R; R2 LDC.64; R2 IMAD.WIDE.U32 R5 R2; STG.E R2 UR4 R0; EXIT";

static void load_partial(gpci_walk *walk, const gpci_launch *launch, uint64_t step, const void *data) {
    const uint64_t *bin = data;
    gpci_access(walk, launch->operand[0].base + step * BINS * GPCI_ELEMENT + *bin, GPCI_ELEMENT);
}

static void walk_merge(gpci_walk *walk, const gpci_launch *launch) {
    uint64_t bin = walk->first * GPCI_ELEMENT;
    uint64_t done = gpci_unrolled(walk, launch, load_partial, &bin, 0, launch->n, 4);
    gpci_unrolled(walk, launch, load_partial, &bin, done, launch->n, 1);
    gpci_access(walk, launch->operand[1].base + bin, GPCI_ELEMENT);
    gpci_finish(walk);
}

static gpc_status plan_histogram(gpci_problem *problem) {
    uint64_t blocks = (uint64_t)problem->values[0], table = BINS * GPCI_ELEMENT;
    uint64_t data = gpci_problem_array(problem, problem->size);
    uint64_t partial = gpci_problem_array(problem, blocks * table);
    uint64_t total = gpci_problem_array(problem, table);
    gpci_launch launch = {.name = "_Z16histogram_sharedPjPKji", .code = histogram_code, .warp = walk_histogram};
    launch.grid[0] = blocks;
    launch.block[0] = GPCI_THREADS;
    launch.shared = table;
    launch.n = problem->size / GPCI_ELEMENT;
    launch.seed = gpci_mix((uint64_t)problem->values[1]);
    launch.operand[0].base = data;
    launch.operand[1].base = partial;
    gpc_status status = gpci_problem_launch(problem, &launch);
    if (status < 0)
        return status;
    launch = (gpci_launch){.name = "_Z15histogram_mergePjPKji", .code = merge_code, .warp = walk_merge};
    launch.grid[0] = 1;
    launch.block[0] = GPCI_THREADS;
    launch.n = blocks;
    launch.operand[0].base = partial;
    launch.operand[1].base = total;
    return gpci_problem_launch(problem, &launch);
}

static const gpc_parameter histogram_parameters[] = {
    {"blocks", 64, 1, 65535, true, "thread blocks, each with a histogram"},
    {"seed", 1, 0, 1e15, true, "of the random data"},
};

const gpci_synthetic gpci_synthetic_histogram = {
    .name = "histogram",
    .summary = "256 bins in shared memory for each block, then merged by a second kernel; SIZE of the data "
               "(blocks=64, seed=1)",
    .least = 4,
    .parameters = histogram_parameters,
    .parameter_count = 2,
    .plan = plan_histogram,
};
