/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic.h"

/*
 * Speckle reducing anisotropic diffusion, as in Rodinia's srad_v1 (Che et al., IISWC 2009), compiled for Fermi.
 * Source: github.com/tgrogers/gpgpu-sim_simulations, commit 33f6535,
 * benchmarks/src/cuda/rodinia/3.1/cuda/srad/srad_v1: main.cu, extract_kernel.cu, prepare_kernel.cu, reduce_kernel.cu,
 * srad_kernel.cu, srad2_kernel.cu, compress_kernel.cu. Unlike srad_v2 (synthetic_diffusion.c), blocks have 512 pixels
 * in a row, and neighbours are loaded from memory by tables of indices. The image is stored by columns. A round copies
 * the image and its squares, sums both up level by level, computes differences and coefficients, and changes the
 * image. The published image has 502 rows and 458 columns, 919,664 bytes, and 100 rounds of five launches, between a
 * first and a last launch.
 */

#define SPECKLE_THREADS 512u
#define SPECKLE_MOST_ROUNDS 100u
#define SPECKLE_APART 512u /* alignment of arrays */
#define SUMS_BYTES (SPECKLE_THREADS * GPCI_ELEMENT)

/* Operands. `n` of a launch: elements; `rows`: of the image. NORTH to EAST: indices, then differences. */
enum { IMAGE, SUMS, INDICES, DIFFERENCES };
enum { NORTH, SOUTH, WEST, EAST, COEFFICIENTS };

#define SPECKLE_THREAD \
    "R1 MOV; R0 S2R; R2 S2R; R3 S2R; R0 IMAD R2 R3 R0; P0 ISETP.GE.AND R0 R1; @P0 EXIT; R4 IMAD R0 R1;"

static const char extract_code[] = SPECKLE_THREAD "R5 LDG.E R4; R5 FMUL R5; R5 MUFU.EX2 R5; STG.E R4 R5; EXIT";
static const char compress_code[] = SPECKLE_THREAD "R5 LDG.E R4; R5 MUFU.LG2 R5; R5 FMUL R5; STG.E R4 R5; EXIT";
static const char prepare_code[] = SPECKLE_THREAD
    "R6 IMAD R0 R1; R5 LDG.E R4; STG.E R6 R5; R5 LDG.E R4; R5 FMUL R5 R5; R7 IMAD R0 R1; STG.E R7 R5; EXIT";

static uint64_t thread_of(const gpci_walk *walk) {
    return walk->x * SPECKLE_THREADS + walk->first;
}

static void walk_convert(gpci_walk *walk, const gpci_launch *launch) {
    const uint64_t thread = thread_of(walk), pixel = launch->operand[IMAGE].base + thread * GPCI_ELEMENT;
    if (!gpci_guard(walk, gpci_below(walk, thread, launch->n)))
        return;
    gpci_access(walk, pixel, GPCI_ELEMENT);
    gpci_access(walk, pixel, GPCI_ELEMENT);
    gpci_finish(walk);
}

/* The image is loaded again for its squares: the sums might overlap the image. */
static void walk_prepare(gpci_walk *walk, const gpci_launch *launch) {
    const uint64_t thread = thread_of(walk), element = thread * GPCI_ELEMENT;
    if (!gpci_guard(walk, gpci_below(walk, thread, launch->n)))
        return;
    for (uint64_t k = 0; k < 2; k++) {
        gpci_access(walk, launch->operand[IMAGE].base + element, GPCI_ELEMENT);
        gpci_access(walk, launch->operand[SUMS].base + k * launch->operand[SUMS].step + element, GPCI_ELEMENT);
    }
    gpci_finish(walk);
}

/* R4 thread of the grid, R7 address in shared memory, R9 distance in the tree, R12 elements of the last block. */
#define ADD_HALF "R11 LDS R7; R13 LDS R7; R11 FADD R11 R13; STS R7 R11;"
#define ADD_REST "R11 LDS R7; R13 LDG.E R5; R11 FADD R11 R13; STS R7 R11;"
static const char reduce_code[] =
    "R1 MOV; R0 S2R; R2 S2R; R3 S2R; R4 IMAD R2 R3 R0; R12 S2R; R12 IMAD R12 R3 R1; R7 SHL R0; P0 ISETP.GE.AND R4 R1;"
    "@P0 BRA copied; R5 IMAD R4 R1; R6 LDG.E R5; STS R7 R6; R6 LDG.E R5; STS R7 R6; copied: BAR.SYNC;"
    "R9 MOV; R8 MOV; P0 ISETP.GE.AND R12 R3; @P0 BRA tree;"
    "factor: P1 ISETP.GE.AND R12 R9; R8 SEL R9 R8 P1; R9 SHL R9; P2 ISETP.LE.AND R9; @P2 BRA factor;"
    "P2 ISETP.EQ.AND R8; @P2 BRA last;"
    "tree: R9 MOV; half: R10 IADD R0; R10 LOP.AND R10 R9; P1 ISETP.NE.AND R10; @P1 BRA added;" ADD_HALF ADD_HALF
    "added: BAR.SYNC; R9 SHL R9; P2 ISETP.LE.AND R9 R8; @P2 BRA half;"
    "last: P1 ISETP.NE.AND R0 R8; @P1 EXIT; P2 ISETP.GE.AND R8 R12; @P2 BRA store;"
    "rest: R5 IMAD R8 R1;" ADD_REST ADD_REST "R8 IADD R8; P2 ISETP.LT.AND R8 R12; @P2 BRA rest;"
    "store: R6 IMAD R2 R1; R11 LDS R7; STG.E R6 R11; R11 LDS R7; STG.E R6 R11; EXIT";

/*
 * Sum up the first `busy` elements of a block, a power of two, in shared memory: lane i - 1 of each i lanes adds the
 * sum of lane i / 2 - 1.
 */
static void walk_tree(gpci_walk *walk, uint64_t busy) {
    const uint64_t mine = GPCI_SHARED_BASE + walk->first * GPCI_ELEMENT;
    for (uint64_t i = 2; i <= busy; i *= 2) {
        uint64_t adding = 0;
        for (unsigned lane = 0; lane < walk->lanes; lane++)
            adding |= (uint64_t)((walk->first + lane + 1) % i == 0 && walk->first + lane < busy) << lane;
        if (gpci_if(walk, walk->mask & adding))
            for (uint64_t k = 0; k < 2; k++) {
                gpci_access(walk, mine + k * SUMS_BYTES, GPCI_ELEMENT);
                gpci_access(walk, mine + k * SUMS_BYTES - i / 2 * GPCI_ELEMENT, GPCI_ELEMENT);
                gpci_access(walk, mine + k * SUMS_BYTES, GPCI_ELEMENT);
            }
        gpci_end_if(walk);
        gpci_barrier(walk);
        gpci_branch(walk, 2 * i <= busy);
    }
}

/* The last thread of the tree adds elements behind the tree: adjacent ones, as the source forgets the distance. */
static void walk_last(gpci_walk *walk, const gpci_launch *launch, uint64_t busy, uint64_t count) {
    const gpci_operand *sums = &launch->operand[SUMS];
    const uint64_t own = GPCI_SHARED_BASE + (busy - 1) * GPCI_ELEMENT;
    if (!gpci_branch(walk, busy >= count))
        for (uint64_t i = busy; i < count; i++) {
            for (uint64_t k = 0; k < 2; k++) {
                gpci_access(walk, own + k * SUMS_BYTES, 0);
                gpci_access(walk, sums->base + k * sums->step + (walk->x * SPECKLE_THREADS + i) * GPCI_ELEMENT, 0);
                gpci_access(walk, own + k * SUMS_BYTES, 0);
            }
            gpci_branch(walk, i + 1 < count);
        }
    for (uint64_t k = 0; k < 2; k++) {
        gpci_access(walk, own + k * SUMS_BYTES, 0);
        gpci_access(walk, sums->base + k * sums->step + walk->x * SPECKLE_THREADS * launch->stride, 0);
    }
    gpci_finish(walk);
}

/* Launch fields: `n` elements, `stride` bytes apart. */
static void walk_reduce(gpci_walk *walk, const gpci_launch *launch) {
    const gpci_operand *sums = &launch->operand[SUMS];
    const uint64_t thread = thread_of(walk), left = launch->n - walk->x * SPECKLE_THREADS;
    const uint64_t count = left < SPECKLE_THREADS ? left : SPECKLE_THREADS;
    uint64_t busy = SPECKLE_THREADS;
    if (gpci_if(walk, gpci_below(walk, thread, launch->n)))
        for (uint64_t k = 0; k < 2; k++) {
            gpci_access(walk, sums->base + k * sums->step + thread * launch->stride, launch->stride);
            gpci_access(walk, GPCI_SHARED_BASE + k * SUMS_BYTES + walk->first * GPCI_ELEMENT, GPCI_ELEMENT);
        }
    gpci_end_if(walk);
    gpci_barrier(walk);
    if (!gpci_branch(walk, count == SPECKLE_THREADS)) {
        for (uint64_t i = 2; i <= SPECKLE_THREADS; i *= 2)
            gpci_branch(walk, 2 * i <= SPECKLE_THREADS);
        while (busy > count)
            busy /= 2;
        busy = busy > 1 ? busy : 0;
        gpci_branch(walk, !busy);
    }
    walk_tree(walk, busy);
    const uint64_t first = walk->first;
    if (!gpci_guard(walk, busy > first ? gpci_below(walk, first, busy) & ~gpci_below(walk, first, busy - 1) : 0))
        return;
    walk_last(walk, launch, busy, count);
}

/* R0 pixel, R5 row, R6 column; addresses: R4 of the pixel, R7 and R8 of its row's and its column's indices. */
#define PIXEL                                                                                              \
    SPECKLE_THREAD                                                                                         \
    "R5 I2F R0; R6 I2F R1; R6 MUFU.RCP R6; R6 FMUL R5 R6; R6 F2I R6; R5 IMAD R6 R1 R0; R7 SHL R5; R8 SHL " \
    "R6;"
#define NEIGHBOUR(index, to) "R9 LDG.E " index "; R9 IMAD R9 R1 R4; " to " LDG.E R9;"

/* R10 pixel, R11 to R14 its differences, R15 coefficient. */
static const char differences_code[] = PIXEL
    "R10 LDG.E R4;" NEIGHBOUR("R7", "R11") "R11 FADD R11 R10;" NEIGHBOUR("R7", "R12") "R12 FADD R12 R10;" NEIGHBOUR(
        "R8", "R13") "R13 FADD R13 R10;" NEIGHBOUR("R8",
                                                   "R14") "R14 FADD R14 R10;"
                                                          "R15 FMUL R11 R11; R15 FFMA R12 R12 R15; R15 FFMA R13 R13 "
                                                          "R15; R15 FFMA R14 R14 R15; R16 FMUL R10 R10;"
                                                          "R16 MUFU.RCP R16; R15 FMUL R15 R16; R16 FADD R11 R12; R16 "
                                                          "FADD R16 R13; R16 FADD R16 R14; R17 MUFU.RCP R10;"
                                                          "R16 FMUL R16 R17; R17 FMUL R16 R16; R15 FMUL R15; R15 FFMA "
                                                          "R17 R15; R16 FADD R16; R17 FMUL R16 R16;"
                                                          "R17 MUFU.RCP R17; R15 FMUL R15 R17; R15 FADD R15; R15 FMUL "
                                                          "R15; R15 FADD R15; R15 MUFU.RCP R15; R15 FMNMX R15;"
                                                          "STG.E R4 R11; STG.E R4 R12; STG.E R4 R13; STG.E R4 R14; "
                                                          "STG.E R4 R15; EXIT";
/* R10 to R12 coefficients, R13 to R16 differences, R17 pixel. */
static const char update_code[] = PIXEL "R10 LDG.E R4;" NEIGHBOUR("R7", "R11") NEIGHBOUR(
    "R8",
    "R12") "R13 LDG.E R4; R14 LDG.E R4; R13 FMUL R10 R13;"
           "R13 FFMA R11 R14 R13; R15 LDG.E R4; R13 FFMA R10 R15 R13; R16 LDG.E R4; R13 FFMA R12 R16 R13; R17 LDG.E R4;"
           "R17 FFMA R13 R17; STG.E R4 R17; EXIT";

/* Offsets of the lanes' pixels, neighbours, and indices of neighbours. */
typedef struct pixels {
    uint64_t own[GPCI_SYNTHETIC_LANES], next[4][GPCI_SYNTHETIC_LANES], index[4][GPCI_SYNTHETIC_LANES];
} pixels;

static void place(const gpci_walk *walk, const gpci_launch *launch, pixels *lanes) {
    const uint64_t rows = launch->rows, columns = launch->n / rows;
    for (unsigned lane = 0; lane < walk->lanes; lane++) {
        const uint64_t pixel = thread_of(walk) + lane, row = pixel % rows, column = pixel / rows;
        lanes->own[lane] = pixel * GPCI_ELEMENT;
        lanes->next[NORTH][lane] = (pixel - (row > 0)) * GPCI_ELEMENT;
        lanes->next[SOUTH][lane] = (pixel + (row + 1 < rows)) * GPCI_ELEMENT;
        lanes->next[WEST][lane] = (pixel - (column > 0) * rows) * GPCI_ELEMENT;
        lanes->next[EAST][lane] = (pixel + (column + 1 < columns) * rows) * GPCI_ELEMENT;
        for (unsigned k = NORTH; k <= EAST; k++)
            lanes->index[k][lane] = (k <= SOUTH ? row : column) * GPCI_ELEMENT;
    }
}

/* Load a neighbour's index, then the neighbour's element of an array. */
static void walk_neighbour(gpci_walk *walk, const gpci_launch *launch, const pixels *lanes, unsigned which,
                           uint64_t array) {
    gpci_access_at(walk, launch->operand[INDICES].base + which * launch->operand[INDICES].step, lanes->index[which]);
    gpci_access_at(walk, array, lanes->next[which]);
}

static void walk_differences(gpci_walk *walk, const gpci_launch *launch) {
    pixels lanes;
    if (!gpci_guard(walk, gpci_below(walk, thread_of(walk), launch->n)))
        return;
    place(walk, launch, &lanes);
    gpci_access_at(walk, launch->operand[IMAGE].base, lanes.own);
    for (unsigned k = NORTH; k <= EAST; k++)
        walk_neighbour(walk, launch, &lanes, k, launch->operand[IMAGE].base);
    for (uint64_t k = NORTH; k <= COEFFICIENTS; k++)
        gpci_access_at(walk, launch->operand[DIFFERENCES].base + k * launch->operand[DIFFERENCES].step, lanes.own);
    gpci_finish(walk);
}

static void walk_update(gpci_walk *walk, const gpci_launch *launch) {
    const gpci_operand *differences = &launch->operand[DIFFERENCES];
    const uint64_t coefficients = differences->base + COEFFICIENTS * differences->step;
    pixels lanes;
    if (!gpci_guard(walk, gpci_below(walk, thread_of(walk), launch->n)))
        return;
    place(walk, launch, &lanes);
    gpci_access_at(walk, coefficients, lanes.own);
    walk_neighbour(walk, launch, &lanes, SOUTH, coefficients);
    walk_neighbour(walk, launch, &lanes, EAST, coefficients);
    for (uint64_t k = NORTH; k <= EAST; k++)
        gpci_access_at(walk, differences->base + k * differences->step, lanes.own);
    gpci_access_at(walk, launch->operand[IMAGE].base, lanes.own);
    gpci_access_at(walk, launch->operand[IMAGE].base, lanes.own);
    gpci_finish(walk);
}

static gpc_status add_launch(gpci_problem *problem, gpci_launch *launch, const char *name, const char *code,
                             void (*warp)(gpci_walk *, const gpci_launch *)) {
    launch->grid[0] = gpci_ceiling(launch->n, SPECKLE_THREADS);
    return gpci_problem_kernel(problem, launch, name, code, warp);
}

/* Add launches that sum up `n` elements, then the blocks' sums, and so on until one block is left. */
static gpc_status add_sums(gpci_problem *problem, gpci_launch sums) {
    gpc_status status = GPC_OK;
    sums.shared = 2 * SUMS_BYTES;
    for (sums.stride = GPCI_ELEMENT; status == GPC_OK; sums.stride *= SPECKLE_THREADS) {
        status = add_launch(problem, &sums, "_Z6reduceliiPfS_", reduce_code, walk_reduce);
        if (sums.n <= SPECKLE_THREADS)
            break;
        sums.n = gpci_ceiling(sums.n, SPECKLE_THREADS);
    }
    return status;
}

static gpc_status add_round(gpci_problem *problem, gpci_launch *launch) {
    gpc_status status = add_launch(problem, launch, "_Z7preparelPfS_S_", prepare_code, walk_prepare);
    if (status == GPC_OK)
        status = add_sums(problem, *launch);
    if (status == GPC_OK)
        status =
            add_launch(problem, launch, "_Z4sradfiilPiS_S_S_PfS0_S0_S0_fS0_S0_", differences_code, walk_differences);
    return status == GPC_OK
               ? add_launch(problem, launch, "_Z5srad2fiilPiS_S_S_PfS0_S0_S0_S0_S0_", update_code, walk_update)
               : status;
}

static gpc_status plan_speckle(gpci_problem *problem) {
    gpci_launch launch = {.rows = (uint64_t)problem->values[1]};
    const uint64_t columns = problem->size / GPCI_ELEMENT / launch.rows;
    if (!columns)
        return gpci_problem_fail(problem, "%llu bytes are less than a column of %llu rows",
                                 (unsigned long long)problem->size, (unsigned long long)launch.rows);
    launch.n = launch.rows * columns;
    launch.block[0] = SPECKLE_THREADS;
    const uint64_t side = launch.rows > columns ? launch.rows : columns;
    const uint64_t bytes = gpci_ceiling(launch.n * GPCI_ELEMENT, SPECKLE_APART) * SPECKLE_APART;
    launch.operand[IMAGE].base = gpci_problem_array(problem, bytes);
    launch.operand[INDICES] =
        gpci_problem_arrays(problem, gpci_ceiling(side * GPCI_ELEMENT, SPECKLE_APART) * SPECKLE_APART, 4);
    launch.operand[SUMS] = gpci_problem_arrays(problem, bytes, 2);
    launch.operand[DIFFERENCES] = gpci_problem_arrays(problem, bytes, 5);
    gpc_status status = add_launch(problem, &launch, "_Z7extractlPf", extract_code, walk_convert);
    for (uint64_t round = 0; status == GPC_OK && round < (uint64_t)problem->values[0]; round++)
        status = add_round(problem, &launch);
    return status == GPC_OK ? add_launch(problem, &launch, "_Z8compresslPf", compress_code, walk_convert) : status;
}

static const gpc_parameter speckle_parameters[] = {
    {"rounds", 1, 1, SPECKLE_MOST_ROUNDS, true, "of the diffusion"},
    {"rows", 502, 1, 1 << 16, true, "of the image"},
};

const gpci_synthetic gpci_synthetic_rodinia_srad_v1 = {
    .name = "rodinia-srad-v1",
    .summary = "srad_v1's anisotropic diffusion, as Fermi ran it; SIZE of the image (rounds=1, rows=502)",
    .least = GPCI_ELEMENT,
    .parameters = speckle_parameters,
    .parameter_count = 2,
    .plan = plan_speckle,
};
