/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic.h"

/*
 * Kernels of gpu-benches, a set of micro-benchmarks: gpu-l2-cache, gpu-stream and gpu-strides.
 * Source: https://github.com/RRZE-HPC/gpu-benches
 */

#define BENCH_DOUBLE 8u
#define BENCH_INDEX "R1 LDC; R0 S2R; UR4 S2UR; R9 LDC; R9 IMAD R9 UR4 R0; UR5 ULDC; UR6 ULDC.64; R2 LDC.64;"

/*
 * gpu-l2-cache. All blocks read one buffer, of n parts of `loads` doubles a thread; block b reads part b mod n. Load i
 * of all parts is one stretch of the buffer: pairs of loads by part, then the next pair.
 *
 * Example, n = 2, 1,024 threads: block 0 reads from KiB 0, 8, 32, 40, 64, ..., block 1 from KiB 16, 24, 48, 56, 80, ...
 */

#define IN_FLIGHT 8u /* loads of a round of the loop */

static const char l2_code[] =
    BENCH_INDEX "R2 IMAD.WIDE R9 R2; R24 CS2R; loop: 8*{R8+2 LDG.E.64 R2 UR6}; 4*{R24 DFMA R8+4 R10+4 R24};"
                "R2 IADD3 R2; P0 ISETP.NE.AND R2; @P0 BRA loop; EXIT";

static void walk_l2(gpci_walk *walk, const gpci_launch *launch) {
    const uint64_t load = launch->block[0] * BENCH_DOUBLE, part = walk->x % launch->columns;
    for (uint64_t i = 0; i < launch->steps && walk->status == GPC_OK; i++) {
        const uint64_t at = (i / 2 * launch->columns + part) * 2 * load + i % 2 * load + walk->first * BENCH_DOUBLE;
        gpci_access(walk, launch->operand[0].base + at % launch->n, BENCH_DOUBLE);
        if (i % IN_FLIGHT == IN_FLIGHT - 1)
            gpci_branch(walk, i + 1 < launch->steps);
    }
    gpci_finish(walk);
}

static gpc_status plan_l2(gpci_problem *problem) {
    gpci_launch launch = {.block = {(uint64_t)problem->values[1]}, .grid = {(uint64_t)problem->values[0]}};
    const uint64_t load = launch.block[0] * BENCH_DOUBLE;
    launch.steps = (uint64_t)problem->values[2];
    if (launch.steps % IN_FLIGHT)
        return gpci_problem_fail(problem, "parameter 'loads': %llu is no multiple of %u",
                                 (unsigned long long)launch.steps, IN_FLIGHT);
    launch.n = gpci_ceiling(problem->size, load) * load;
    launch.columns = gpci_ceiling(launch.n, launch.steps * load);
    launch.operand[0].base = gpci_problem_array(problem, launch.n);
    return gpci_problem_kernel(problem, &launch, "_Z9sumKernelPdS_i", l2_code, walk_l2);
}

static const gpc_parameter l2_parameters[] = {
    {"blocks", 16, 1, 1 << 20, true, "thread blocks"},
    {"threads", 1024, 32, 1024, true, "of a block"},
    {"loads", 64, 8, 1 << 16, true, "of a thread"},
};

const gpci_synthetic gpci_synthetic_gpu_l2 = {
    .name = "gpu-l2",
    .summary = "reads of a buffer of SIZE by all blocks, in parts of a block each (blocks=16, threads=1024, loads=64)",
    .least = 8,
    .parameters = l2_parameters,
    .parameter_count = 3,
    .plan = plan_l2,
};

/*
 * gpu-stream. A thread for each element of its arrays of doubles: loads at distances from the element, then a store.
 * read loads, compares, and ends.
 */

enum { INIT, READ, SCALE, TRIAD, THREE, FIVE, STREAMS };

#define MOST_READS 5u
#define GUARD \
    BENCH_INDEX "P0 ISETP.GE.AND R9 UR5; @P0 EXIT; R4 LDC.64; R6 LDC.64; R2 IMAD.WIDE R9 R2; R4 IMAD.WIDE R9 R4;"
#define BENCH_STORE "STG.E.64 R2 UR6 R10; EXIT"

typedef struct bench_stream {
    const char *name, *code;
    unsigned arrays, reads; /* arrays that are read; loads of a thread */
} bench_stream;

static const bench_stream streams[STREAMS] = {
    [INIT] = {"_Z11init_kernelPd", GUARD "R10 MOV; R11 MOV;" BENCH_STORE, 0, 0},
    [READ] = {"_Z11read_kernelPdPKd", GUARD "R10 LDG.E.64 R4 UR6; P0 DSETP.NEU.AND R10; @P0 EXIT;" BENCH_STORE, 1, 1},
    [SCALE] = {"_Z12scale_kernelPdPKd", GUARD "R10 LDG.E.64 R4 UR6; R10 DMUL R10;" BENCH_STORE, 1, 1},
    [TRIAD] = {"_Z12triad_kernelPdPKdS1_S1_",
               GUARD "R14 LDC.64; R6 IMAD.WIDE R9 R6; R14 IMAD.WIDE R9 R14; R10 LDG.E.64 R4 UR6; R12 LDG.E.64 R6 UR6;"
                     "R16 LDG.E.64 R14 UR6; R10 DFMA R10 R12 R16;" BENCH_STORE,
               3, 3},
    [THREE] = {"_Z14stencil_kernelPdPKd",
               GUARD "3*{R10+2 LDG.E.64 R4 UR6}; R10 DMUL R10; R10 DADD R10 R12; R10 DFMA R14 R10;" BENCH_STORE, 1, 3},
    [FIVE] = {"_Z15stencil5_kernelPdPKd",
              GUARD "5*{R10+2 LDG.E.64 R4 UR6}; R10 DMUL R10; R10 DFMA R12 R10; R10 DADD R10 R14; R10 DFMA R16 R10;"
                    "R10 DFMA R18 R10;" BENCH_STORE,
              1, 5},
};

static void walk_stream(gpci_walk *walk, const gpci_launch *launch) {
    const uint64_t first = walk->x * launch->block[0] + walk->first, border = launch->repeats;
    if (!gpci_guard(walk, gpci_below(walk, first, launch->n - border) & ~gpci_below(walk, first, border)))
        return;
    for (unsigned i = 0; i < launch->steps; i++) {
        const uint64_t distance =
            launch->operands > 1 ? i * launch->operand[1].step : i * BENCH_DOUBLE - border * BENCH_DOUBLE;
        gpci_access(walk, launch->operand[1].base + first * BENCH_DOUBLE + distance, BENCH_DOUBLE);
    }
    if (launch->window && !gpci_guard(walk, 0))
        return;
    gpci_access(walk, launch->operand[0].base + first * BENCH_DOUBLE, BENCH_DOUBLE);
    gpci_finish(walk);
}

static gpc_status plan_gpu_stream(gpci_problem *problem) {
    const unsigned kind = (unsigned)problem->values[0];
    const bench_stream *which = &streams[kind];
    gpci_launch launch = {.block = {(uint64_t)problem->values[1]}};
    launch.shared = (uint64_t)problem->values[2] << 10;
    launch.n = problem->size / BENCH_DOUBLE;
    launch.grid[0] = gpci_ceiling(launch.n, launch.block[0]);
    launch.steps = which->reads;
    launch.operands = which->arrays;
    launch.repeats = which->arrays == 1 ? which->reads / 2 : 0;
    launch.window = kind == READ;
    if (launch.n <= 2 * launch.repeats)
        return gpci_problem_fail(problem, "%llu elements are all in the borders", (unsigned long long)launch.n);
    launch.operand[0].base = gpci_problem_array(problem, problem->size);
    if (which->arrays)
        launch.operand[1] = gpci_problem_arrays(problem, problem->size, which->arrays);
    return gpci_problem_kernel(problem, &launch, which->name, which->code, walk_stream);
}

static const gpc_parameter gpu_stream_parameters[] = {
    {"kind", TRIAD, 0, STREAMS - 1, true, "0: init; 1: read; 2: scale; 3: triad; 4: 3 points; 5: 5 points"},
    {"threads", GPCI_THREADS, 1, 1024, true, "of a block"},
    {"shared", 0, 0, 226, true, "KiB of shared memory of a block, which limit the blocks of an SM"},
};

const gpci_synthetic gpci_synthetic_gpu_stream = {
    .name = "gpu-stream",
    .summary = "a stream of doubles, an element each thread; SIZE of each array (kind=3: init 0, read 1, scale 2, "
               "triad 3, stencils of 3 points 4, 5 points 5; threads=256, shared=0)",
    .least = 8,
    .parameters = gpu_stream_parameters,
    .parameter_count = 3,
    .plan = plan_gpu_stream,
};

/*
 * gpu-strides. One block of 1,024 threads loads the same elements again and again, in rounds of eight loads at eight
 * offsets, and adds the products of four pairs. width=0: lanes are `stride` elements apart, and 64 threads later come
 * the same elements. Otherwise the block is a rectangle, `width` threads wide, and `stride` elements are from a row to
 * the next; 64 columns and 32 rows, and then the same elements again.
 */

#define BENCH_BLOCK 1024u
#define ROUND 8u
#define BENCH_PRODUCTS (2u + ROUND) /* step behind the loads */
#define BENCH_COLUMNS 64u
#define BENCH_ROWS 32u
#define BENCH_PAIRS(load, product)                                     \
    "R2 LDC.64; R24 CS2R; loop: 8*{R8+2 " load " R2}; 4*{R24 " product \
    " R8+4 R10+4 R24}; R2 IADD3 R2; P0 ISETP.NE.AND R2;"               \
    "@P0 BRA loop; EXIT"

static const char floats_code[] = BENCH_PAIRS("LDG.E", "FFMA"), doubles_code[] = BENCH_PAIRS("LDG.E.64", "DFMA");

static void walk_strides(gpci_walk *walk, const gpci_launch *launch) {
    static const uint64_t round[ROUND] = {0, 4, 8, 12, 20, 16, 24, 28};
    const uint64_t bytes = launch->operand[0].thread, width = launch->columns;
    uint64_t offsets[GPCI_SYNTHETIC_LANES];
    for (uint64_t n = 0; n < launch->steps && walk->status == GPC_OK; n++) {
        for (unsigned lane = 0; lane < walk->lanes; lane++) {
            const uint64_t thread = walk->first + lane;
            const uint64_t element =
                width ? thread % width % BENCH_COLUMNS + (thread / width % BENCH_ROWS + 1) * launch->stride
                      : thread % BENCH_COLUMNS * launch->stride;
            offsets[lane] = (element + round[n % ROUND]) * bytes % launch->n;
        }
        gpci_access_at(walk, launch->operand[0].base, offsets);
        if (n + 1 == launch->steps)
            walk->at = BENCH_PRODUCTS; /* all products of a round with fewer loads */
        if (n % ROUND == ROUND - 1 || n + 1 == launch->steps)
            gpci_branch(walk, n + 1 < launch->steps);
    }
    gpci_finish(walk);
}

static gpc_status plan_strides(gpci_problem *problem) {
    const uint64_t bytes = (uint64_t)problem->values[0];
    gpci_launch launch = {.block = {BENCH_BLOCK}, .grid = {1}};
    if (bytes != 4 && bytes != 8)
        return gpci_problem_fail(problem, "parameter 'bytes': %llu is neither 4 nor 8", (unsigned long long)bytes);
    launch.operand[0].thread = bytes;
    launch.columns = (uint64_t)problem->values[1];
    launch.stride = (uint64_t)problem->values[2];
    launch.steps = (uint64_t)problem->values[3];
    launch.n = gpci_ceiling(problem->size, bytes) * bytes;
    launch.operand[0].base = gpci_problem_array(problem, launch.n);
    return gpci_problem_kernel(problem, &launch, "_Z10testKernelPfi", bytes == 4 ? floats_code : doubles_code,
                               walk_strides);
}

static const gpc_parameter strides_parameters[] = {
    {"bytes", 4, 4, 8, true, "of an element: 4 or 8"},
    {"width", 0, 0, BENCH_BLOCK, true, "of the block in threads; 0: no rectangle"},
    {"stride", 1, 0, 1 << 20, true, "elements from lane to lane, or from row to row"},
    {"count", 64, 1, 1 << 20, true, "loads of a warp"},
};

const gpci_synthetic gpci_synthetic_gpu_strides = {
    .name = "gpu-strides",
    .summary = "loads of one block of 1,024 threads by stride or shape, in an array of SIZE, at whose end addresses "
               "begin again (bytes=4, width=0, stride=1, count=64)",
    .least = 4,
    .parameters = strides_parameters,
    .parameter_count = 4,
    .plan = plan_strides,
};
