/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/buffer.h"
#include "trace/synthetic/synthetic.h"

/*
 * A program of the general-purpose suite of seeds/002, Table 3.4, as in the source cited there:
 * github.com/Multi2Sim/m2s-bench-cudasdk-6.5, commit 1f0f416, file Histogram/histogram256.cu. The Makefiles compile for
 * sm_35 without optimization: no loop is unrolled, and each operand has an address of its own.
 * ScalarProduction/scalarProd_kernel.cuh is in synthetic_reduce.c, Transpose/transpose.cu in synthetic_matrix.c. Other
 * programs of the suite have the loops of the synthetic kernels vectoradd, cppoverload and fastwalsh:convolve=1.
 */

/*
 * histogram256Kernel: each warp counts in a histogram of its own in shared memory, without atomics. A lane writes its
 * counter with the lane's number in the upper bits, reads the counter back, and tries again if another lane's number is
 * there. As many tries are needed as the most frequent value of the warp has lanes.
 *
 * Example: bytes 7, 7, 9, 7 of four lanes. Try 1: lanes 0, 1 and 3 write counter 7, the highest lane's write stays, and
 * lanes 3 and 2 are done. Try 2: lane 1 is done. Try 3: lane 0 is done.
 */
#define BYTE_VALUES 256u
#define WARPS 6u
#define WARP 32u /* threads of a histogram, also if a warp has 64 lanes */
#define PARTIAL_BLOCKS 240u
#define WARP_BYTES (BYTE_VALUES * GPCI_ELEMENT)

#define ADD_BYTE(label)                                                                                      \
    "R14 SHR R12; R14 LOP.AND R14; R14 ISCADD R14 R3;" label ": R15 LDS R14; R15 LOP.AND R15; R15 IADD R15;" \
    "R15 LOP.OR R6 R15; STS R14 R15; R16 LDS R14; P1 ISETP.NE.AND R16 R15; @P1 BRA " label ";"

/* Counting kernel's code around a word's additions. */
#define COUNT_CODE(additions)                                                                                        \
    "R1 MOV; R0 S2R; R3 SHR R0; R3 SHL R3; R4 SHL R0; R5 MOV R255;"                                                  \
    "clear: STS R4 R255; R4 IADD R4; R5 IADD R5; P0 ISETP.LT.U32.AND R5; @P0 BRA clear;"                             \
    "R6 SHL R0; BAR.SYNC; R7 S2R; R8 S2R; R8 IMAD R7 R8 R0; P0 ISETP.GE.U32.AND R8; @P0 BRA counted;"                \
    "word: R11 SHL R8; R11 IADD R11; R12 LDG.E R11;" additions "R9 S2R; R8 IADD R8 R9; P0 ISETP.LT.U32.AND R8; @P0 " \
    "BRA word;"                                                                                                      \
    "counted: BAR.SYNC; R17 MOV R0;"                                                                                 \
    "bin: R18 MOV R255; R19 MOV R255;"                                                                               \
    "part: R20 IMAD R19 R17; R20 LDS R20; R20 LOP.AND R20; R18 IADD R18 R20; R19 IADD R19; P0 "                      \
    "ISETP.LT.U32.AND R19;"                                                                                          \
    "@P0 BRA part; R21 S2R; R21 IMAD R21 R17; R21 SHL R21; STG.E R21 R18; R17 IADD R17; P0 "                         \
    "ISETP.LT.U32.AND R17;"                                                                                          \
    "@P0 BRA bin; EXIT"

/* All bytes of a word; and the lowest byte of a word that holds a pixel. */
static const char count_code[] = COUNT_CODE(ADD_BYTE("first") ADD_BYTE("second") ADD_BYTE("third") ADD_BYTE("fourth"));
static const char pixel_code[] = COUNT_CODE(ADD_BYTE("first"));

/* Counters of the lanes, as numbers of words in shared memory. */
typedef struct counters {
    uint64_t of[GPCI_SYNTHETIC_LANES];
} counters;

/* Lanes of `mask` that try again: for each counter, all lanes but the highest. */
static uint64_t losers(uint64_t mask, const counters *at) {
    uint64_t again = 0, seen[WARPS * BYTE_VALUES / 64] = {0};
    for (unsigned lane = GPCI_SYNTHETIC_LANES; lane-- > 0;) {
        if (!(mask >> lane & 1))
            continue;
        const uint64_t counter = at->of[lane];
        again |= (seen[counter / 64] >> counter % 64 & 1) << lane;
        seen[counter / 64] |= UINT64_C(1) << counter % 64;
    }
    return again;
}

static void add_word(gpci_walk *walk, const uint32_t *words, uint64_t bytes) {
    const uint64_t active = walk->mask;
    for (unsigned byte = 0; byte < bytes; byte++) {
        counters at = {{0}};
        uint64_t offsets[GPCI_SYNTHETIC_LANES], again;
        for (unsigned lane = 0; lane < walk->lanes; lane++) {
            at.of[lane] = (walk->first + lane) / WARP * BYTE_VALUES + (words[lane] >> 8 * byte) % BYTE_VALUES;
            offsets[lane] = at.of[lane] * GPCI_ELEMENT;
        }
        do {
            for (unsigned k = 0; k < 3; k++) /* read the counter, write, read back */
                gpci_access_at(walk, GPCI_SHARED_BASE, offsets);
            again = losers(walk->mask, &at);
        } while (gpci_loop(walk, again));
        walk->mask = active;
    }
}

static void merge_warps(gpci_walk *walk, const gpci_launch *launch) {
    for (uint64_t bin = walk->first; bin < BYTE_VALUES; bin += launch->block[0]) {
        for (uint64_t warp = 0; warp < WARPS; warp++) {
            gpci_access(walk, GPCI_SHARED_BASE + warp * WARP_BYTES + bin * GPCI_ELEMENT, GPCI_ELEMENT);
            gpci_branch(walk, warp + 1 < WARPS);
        }
        gpci_access(walk, launch->operand[1].base + (walk->x * BYTE_VALUES + bin) * GPCI_ELEMENT, GPCI_ELEMENT);
        gpci_branch(walk, bin + launch->block[0] < BYTE_VALUES);
    }
}

static void walk_count(gpci_walk *walk, const gpci_launch *launch) {
    const uint64_t threads = launch->block[0];
    for (uint64_t i = 0; i < WARPS * BYTE_VALUES; i += threads) {
        gpci_access(walk, GPCI_SHARED_BASE + (walk->first + i) * GPCI_ELEMENT, GPCI_ELEMENT);
        gpci_branch(walk, i + threads < WARPS * BYTE_VALUES);
    }
    gpci_barrier(walk);
    uint64_t i = walk->x * threads + walk->first;
    if (gpci_if(walk, gpci_below(walk, i, launch->n)))
        do {
            uint32_t words[GPCI_SYNTHETIC_LANES] = {0};
            gpci_access(walk, launch->operand[0].base + i * GPCI_ELEMENT, GPCI_ELEMENT);
            for (unsigned lane = 0; lane < walk->lanes && i + lane < launch->n; lane++)
                words[lane] = gpci_load32((const uint8_t *)launch->data + (i + lane) * GPCI_ELEMENT);
            add_word(walk, words, launch->steps);
            i += launch->grid[0] * threads;
        } while (gpci_loop(walk, gpci_below(walk, i, launch->n)));
    gpci_end_if(walk);
    gpci_barrier(walk);
    merge_warps(walk, launch);
    gpci_finish(walk);
}

/* mergeHistogram256Kernel: a block adds a bin of all histograms, and its threads' sums in shared memory. */
static const char merge_code[] =
    "R1 MOV; R0 S2R; R2 MOV R255; R3 MOV R0; P0 ISETP.GE.U32.AND R3; @P0 BRA summed;"
    "R4 S2R; R5 SHL R3; R5 IADD R5 R4; R5 SHL R5; R6 LDG.E R5; R2 IADD R2 R6; R3 IADD R3;"
    "summed: R7 SHL R0; STS R7 R2; R8 MOV;"
    "half: BAR.SYNC; P0 ISETP.GE.U32.AND R0 R8; @P0 BRA idle;"
    "R9 LDS R7; R10 IADD R0 R8; R10 SHL R10; R11 LDS R10; R9 IADD R9 R11; STS R7 R9;"
    "idle: R8 SHR R8; P0 ISETP.NE.AND R8 R255; @P0 BRA half;"
    "P0 ISETP.NE.AND R0 R255; @P0 BRA end; R12 LDS R255; R4 S2R; R4 SHL R4; STG.E R4 R12; end: EXIT";

/* Add the upper half of the first 2 * half shared words to the lower half; the code has the loop over the halves. */
static void halve_block(gpci_walk *walk, uint64_t half) {
    const uint64_t mine = GPCI_SHARED_BASE + walk->first * GPCI_ELEMENT;
    for (; half; half /= 2) {
        gpci_barrier(walk);
        if (gpci_if(walk, gpci_below(walk, walk->first, half))) {
            gpci_access(walk, mine, GPCI_ELEMENT);
            gpci_access(walk, mine + half * GPCI_ELEMENT, GPCI_ELEMENT);
            gpci_access(walk, mine, GPCI_ELEMENT);
        }
        gpci_end_if(walk);
        gpci_branch(walk, half > 1);
    }
}

static void walk_merge(gpci_walk *walk, const gpci_launch *launch) {
    if (gpci_if(walk, gpci_below(walk, walk->first, launch->n)))
        gpci_access(walk, launch->operand[0].base + (walk->first * BYTE_VALUES + walk->x) * GPCI_ELEMENT, WARP_BYTES);
    gpci_end_if(walk);
    gpci_access(walk, GPCI_SHARED_BASE + walk->first * GPCI_ELEMENT, GPCI_ELEMENT);
    halve_block(walk, launch->block[0] / 2);
    if (gpci_if(walk, gpci_below(walk, walk->first, 1))) {
        gpci_access(walk, GPCI_SHARED_BASE, 0);
        gpci_access(walk, launch->operand[1].base + walk->x * GPCI_ELEMENT, 0);
    }
    gpci_end_if(walk);
    gpci_finish(walk);
}

static gpc_status plan_histogram(gpci_problem *problem) {
    uint8_t *bytes = gpci_problem_data(problem, problem->size);
    if (!bytes)
        return GPC_ERROR_MEMORY;
    gpci_c_random random = gpci_c_srand((uint32_t)problem->values[0]);
    for (uint64_t i = 0; i < problem->size; i++)
        bytes[i] = (uint8_t)gpci_c_rand(&random);
    const bool pixels = problem->values[1] != 0;
    const uint64_t data = gpci_problem_array(problem, problem->size), total = gpci_problem_array(problem, WARP_BYTES),
                   partial = gpci_problem_array(problem, PARTIAL_BLOCKS * WARP_BYTES);
    gpci_launch launch = {
        .name = "_Z18histogram256KernelPjS_j", .code = pixels ? pixel_code : count_code, .warp = walk_count};
    launch.steps = pixels ? 1 : GPCI_ELEMENT;
    launch.grid[0] = PARTIAL_BLOCKS;
    launch.block[0] = WARPS * WARP;
    launch.shared = WARPS * WARP_BYTES;
    launch.n = problem->size / GPCI_ELEMENT;
    launch.data = bytes;
    launch.operand[0].base = data;
    launch.operand[1].base = partial;
    gpc_status status = gpci_problem_launch(problem, &launch);
    if (status < 0)
        return status;
    launch = (gpci_launch){.name = "_Z23mergeHistogram256KernelPjS_j", .code = merge_code, .warp = walk_merge};
    launch.grid[0] = BYTE_VALUES;
    launch.block[0] = GPCI_THREADS;
    launch.shared = GPCI_THREADS * GPCI_ELEMENT;
    launch.n = PARTIAL_BLOCKS;
    launch.operand[0].base = partial;
    launch.operand[1].base = total;
    return gpci_problem_launch(problem, &launch);
}

static const gpc_parameter histogram_parameters[] = {
    {"seed", 2009, 0, UINT32_MAX, true, "of rand(), which makes the data"},
    {"pixels", 0, 0, 1, true, "1: a word is a pixel with a value below 256, and is counted once, unlike in the SDK"},
};

const gpci_synthetic gpci_synthetic_sdk_histogram = {
    .name = "sdk-histogram",
    .summary = "histogram256 of Multi2Sim's CUDA SDK 6.5: 240 blocks, a histogram a warp, tagged counters instead of "
               "atomics, merged by a second kernel; SIZE of the data (seed=2009, pixels=0)",
    .least = 4,
    .parameters = histogram_parameters,
    .parameter_count = 2,
    .plan = plan_histogram,
};
