/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic.h"

/*
 * A block copies tile after tile of its part of an array into shared memory, sums the tiles up, and stores its sums:
 * the main loop of a tiled kernel. `stages` tiles are in flight at once. The block waits for a tile before its use;
 * behind a barrier the tile's room is filled again.
 *
 * Example, 2 stages of 4 tiles: request tiles 0 and 1, then in turn: wait for 0, use 0, request 2; wait for 1, use 1,
 * request 3; wait for 2, use 2; wait for 3, use 3.
 */

enum { KIND_LOAD, KIND_LDGSTS, KIND_LDGSTS_BYPASS, KIND_BULK, KIND_TENSOR, KIND_STORE, KIND_COUNT };

#define ROW 128u /* bytes of a bulk copy's row */
#define MOST_ROWS 32u
#define MOST_STAGES 8
#define OUT 1u /* operand: array of the threads' sums */

/* Access the thread's bytes of the array's tile. */
static void copy(gpci_walk *walk, const gpci_launch *launch, uint64_t tile) {
    const uint64_t bytes = launch->operand[0].thread, there = tile < launch->rows ? walk->all : 0;
    gpci_access_if(walk, there,
                   launch->operand[0].base + (walk->x * launch->rows + tile) * launch->operand[0].step +
                       walk->first * bytes,
                   bytes);
}

static uint64_t in_stage(const gpci_walk *walk, const gpci_launch *launch, uint64_t tile) {
    return GPCI_SHARED_BASE + tile % launch->steps * launch->operand[0].step + walk->first * launch->operand[0].thread;
}

static void use(gpci_walk *walk, const gpci_launch *launch, uint64_t tile) {
    gpci_barrier(walk);
    gpci_access(walk, in_stage(walk, launch, tile), launch->operand[0].thread);
    gpci_barrier(walk);
}

static void store_sums(gpci_walk *walk, const gpci_launch *launch) {
    const uint64_t thread = walk->x * launch->block[0] + walk->first;
    gpci_access(walk, launch->operand[OUT].base + thread * GPCI_ELEMENT, GPCI_ELEMENT);
    gpci_finish(walk);
}

static void walk_asynchronous(gpci_walk *walk, const gpci_launch *launch) {
    for (uint64_t tile = 0; tile < launch->steps; tile++) {
        copy(walk, launch, tile);
        gpci_branch(walk, tile + 1 < launch->steps);
    }
    for (uint64_t tile = 0; tile < launch->rows; tile++) {
        use(walk, launch, tile);
        copy(walk, launch, tile + launch->steps);
        gpci_branch(walk, tile + 1 < launch->rows);
    }
    store_sums(walk, launch);
}

/* Copy through registers: a tile has arrived when its loads have completed. */
static void walk_loads(gpci_walk *walk, const gpci_launch *launch) {
    for (uint64_t tile = 0; tile < launch->rows; tile++) {
        copy(walk, launch, tile);
        gpci_access(walk, in_stage(walk, launch, tile), launch->operand[0].thread);
        use(walk, launch, tile);
        gpci_branch(walk, tile + 1 < launch->rows);
    }
    store_sums(walk, launch);
}

/*
 * Copy a tile in rows of 128 bytes, by one warp for the block. For a bulk copy, the rows follow each other. For a
 * tensor copy, the rows are a box: a row of the array has 128 bytes of each block, and a block's tiles lie below each
 * other.
 */
static void copy_rows(gpci_walk *walk, const gpci_launch *launch, uint64_t tile) {
    const uint64_t there = tile < launch->rows && !walk->first ? (UINT64_C(1) << launch->columns) - 1 : 0,
                   first = launch->stride == ROW ? (walk->x * launch->rows + tile) * launch->columns * ROW
                                                 : walk->x * ROW + tile * launch->columns * launch->stride;
    gpci_access_if(walk, there, launch->operand[0].base + first, launch->stride);
}

static void walk_bulk(gpci_walk *walk, const gpci_launch *launch) {
    for (uint64_t tile = 0; tile < launch->steps; tile++)
        copy_rows(walk, launch, tile);
    for (uint64_t tile = 0; tile < launch->rows; tile++) {
        gpci_access(walk, tile % launch->steps * 8, 0);
        use(walk, launch, tile);
        copy_rows(walk, launch, tile + launch->steps);
        if (tile % launch->steps == launch->steps - 1)
            gpci_branch(walk, tile + 1 < launch->rows);
    }
    store_sums(walk, launch);
}

/* Store tiles of shared memory to the array. A stage is filled again after its storing group has completed. */
static void walk_stores(gpci_walk *walk, const gpci_launch *launch) {
    for (uint64_t tile = 0; tile < launch->rows; tile++) {
        gpci_barrier(walk);
        gpci_access(walk, in_stage(walk, launch, tile), launch->operand[0].thread);
        gpci_barrier(walk);
        copy_rows(walk, launch, tile);
        gpci_branch(walk, tile + 1 < launch->rows);
    }
    gpci_finish(walk);
}

#define INDEX                                                                                                         \
    "R1 LDC; R0 S2R; UR4 S2UR; R2 LDC.64; UR6 ULDC.64; R8 IMAD.SHL.U32 R0; R9 MOV R8; R10 CS2R; R2 IMAD.WIDE R0 UR4 " \
    "R2;"
#define SUMS "R6 LDC.64; R6 IMAD.WIDE R0 R6; STG.E R6 UR6 R10; EXIT"

/* Opcode suffix for a thread's bytes: none for 4 bytes. */
static const char *suffix(uint64_t bytes) {
    return bytes == 4 ? "" : bytes == 8 ? ".64" : ".128";
}

static void write_loads(char *to, uint64_t bytes) {
    gpci_listing_add(to,
                     INDEX "tile: R12 LDG.E%s R2 UR6; STS%s R8 R12; BAR.SYNC; R16 LDS%s R8; R10 FADD R10 R16; BAR.SYNC;"
                           "R2 IADD3 R2; R9 IADD3 R9; P0 ISETP.NE.AND R9; @P0 BRA tile;" SUMS,
                     suffix(bytes), suffix(bytes), suffix(bytes));
}

static void write_asynchronous(char *to, const char *through, uint64_t bytes, uint64_t stages) {
    gpci_listing_add(to,
                     INDEX "fill: LDGSTS.E%s%s R8 R2 UR6; LDGDEPBAR; R2 IADD3 R2; R8 IADD3 R8; P0 ISETP.NE.AND R8;"
                           "@P0 BRA fill; tile: DEPBAR.LE %llu; BAR.SYNC; R16 LDS%s R9; R10 FADD R10 R16; BAR.SYNC;"
                           "LDGSTS.E%s%s R8 R2 UR6; LDGDEPBAR; R2 IADD3 R2; R9 IADD3 R9; P0 ISETP.NE.AND R9;"
                           "@P0 BRA tile;" SUMS,
                     through, suffix(bytes), (unsigned long long)stages - 1, suffix(bytes), through, suffix(bytes));
}

/* Write a loop body for each stage, because the stage's barrier is a number in the instruction. */
static void write_bulk(char *to, const char *opcode, uint64_t bytes, uint64_t stages) {
    gpci_listing_add(to, INDEX);
    for (unsigned s = 0; s < stages; s++)
        gpci_listing_add(to, "%s UR4 %u M%u;", opcode, ROW, s);
    gpci_listing_add(to, "tile: ");
    for (unsigned s = 0; s < stages; s++)
        gpci_listing_add(
            to,
            "P1 SYNCS.PHASECHK.TRANS64.TRYWAIT R8 M%u; BAR.SYNC; R16 LDS%s R9; R10 FADD R10 R16; BAR.SYNC; %s UR4 %u "
            "M%u;",
            s, suffix(bytes), opcode, ROW, s);
    gpci_listing_add(to, "R9 IADD3 R9; P0 ISETP.NE.AND R9; @P0 BRA tile;" SUMS);
}

static void write_stores(char *to, uint64_t bytes, uint64_t stages) {
    gpci_listing_add(to,
                     INDEX "tile: DEPBAR.LE %llu; BAR.SYNC; STS%s R8 R10; BAR.SYNC; UBLKCP.G.S UR4 %u; UTMACMDFLUSH;"
                           "P0 ISETP.NE.AND R9; @P0 BRA tile; EXIT",
                     (unsigned long long)stages - 1, suffix(bytes), ROW);
}

typedef struct copier {
    void (*warp)(gpci_walk *walk, const gpci_launch *launch);
    const char *opcode;
} copier;

static const copier kinds[KIND_COUNT] = {[KIND_LOAD] = {walk_loads, NULL},
                                         [KIND_LDGSTS] = {walk_asynchronous, ""},
                                         [KIND_LDGSTS_BYPASS] = {walk_asynchronous, ".BYPASS"},
                                         [KIND_BULK] = {walk_bulk, "UBLKCP.S.G"},
                                         [KIND_TENSOR] = {walk_bulk, "UTMALDG.2D"},
                                         [KIND_STORE] = {walk_stores, NULL}};

static void write_listing(char *to, unsigned kind, uint64_t bytes, uint64_t stages) {
    switch (kind) {
    case KIND_LOAD:
        write_loads(to, bytes);
        break;
    case KIND_LDGSTS:
    case KIND_LDGSTS_BYPASS:
        write_asynchronous(to, kinds[kind].opcode, bytes, stages);
        break;
    case KIND_STORE:
        write_stores(to, bytes, stages);
        break;
    default:
        write_bulk(to, kinds[kind].opcode, bytes, stages);
    }
}

/* Check and set the launch's fields for bulk copies. */
static gpc_status plan_rows(gpci_problem *problem, gpci_launch *launch, unsigned kind) {
    const uint64_t tile = launch->operand[0].step;
    if (tile % ROW || tile / ROW > MOST_ROWS)
        return gpci_problem_fail(problem, "a tile of %llu bytes is not 1 to %u rows of %u", (unsigned long long)tile,
                                 MOST_ROWS, ROW);
    if (launch->rows % launch->steps)
        return gpci_problem_fail(problem, "parameter 'tiles': %llu is no multiple of the stages",
                                 (unsigned long long)launch->rows);
    launch->columns = tile / ROW;
    launch->stride = kind == KIND_TENSOR ? launch->grid[0] * ROW : ROW;
    return GPC_OK;
}

static gpc_status plan_copies(gpci_problem *problem) {
    const unsigned kind = (unsigned)problem->values[0];
    const uint64_t bytes = (uint64_t)problem->values[1];
    gpci_launch launch = {.name = "_Z9bulk_copyPKfPfi", .warp = kinds[kind].warp};
    launch.steps = (uint64_t)problem->values[2];
    launch.rows = (uint64_t)problem->values[3];
    launch.block[0] = (uint64_t)problem->values[4];
    launch.operand[0] = (gpci_operand){.thread = bytes, .step = bytes * launch.block[0]};
    if (bytes != 4 && bytes != 8 && bytes != 16)
        return gpci_problem_fail(problem, "parameter 'bytes': %llu is neither 4, 8 nor 16", (unsigned long long)bytes);
    if (launch.steps > launch.rows)
        return gpci_problem_fail(problem, "parameter 'stages': %llu is more than the %llu tiles",
                                 (unsigned long long)launch.steps, (unsigned long long)launch.rows);
    char *code = gpci_problem_data(problem, GPCI_LISTING_TEXT);
    if (!code)
        return GPC_ERROR_MEMORY;
    write_listing(code, kind, bytes, launch.steps);
    gpc_status status = gpci_problem_listing(problem, &launch, code);
    if (status < 0)
        return status;
    launch.grid[0] = gpci_ceiling(problem->size, launch.operand[0].step * launch.rows);
    launch.shared = launch.operand[0].step * launch.steps;
    status = kind >= KIND_BULK ? plan_rows(problem, &launch, kind) : GPC_OK;
    if (status < 0)
        return status;
    launch.operand[0].base = gpci_problem_array(problem, launch.grid[0] * launch.operand[0].step * launch.rows);
    launch.operand[OUT].base = gpci_problem_array(problem, launch.grid[0] * launch.block[0] * GPCI_ELEMENT);
    return gpci_problem_launch(problem, &launch);
}

static const gpc_parameter copies_parameters[] = {
    {"kind", KIND_LDGSTS_BYPASS, 0, KIND_COUNT - 1, true,
     "0: LDG and STS; 1: LDGSTS; 2: LDGSTS.BYPASS; 3: UBLKCP; 4: UTMALDG, boxes; 5: UBLKCP to memory"},
    {"bytes", 16, 4, 16, true, "that a thread copies at once: 4, 8 or 16"},
    {"stages", 2, 1, MOST_STAGES, true, "tiles under way"},
    {"tiles", 16, 1, 1 << 16, true, "of a block"},
    {"threads", 128, 32, 1024, true, "of a block"},
};

const gpci_synthetic gpci_synthetic_copies = {
    .name = "bulk-copy",
    .summary = "tiles into shared memory, each used once; SIZE of the array (kind=2: LDG and STS 0, LDGSTS 1, past L1 "
               "2, UBLKCP 3, UTMALDG 4, UBLKCP to memory 5; bytes=16, stages=2, tiles=16, threads=128)",
    .least = 4,
    .parameters = copies_parameters,
    .parameter_count = 5,
    .plan = plan_copies,
};
