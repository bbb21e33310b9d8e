/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/*
 * Clusters of thread blocks.
 *
 * dsmem: each block's warps access the shared memory of the block `far` ranks further, repeatedly.
 *
 * multicast: the blocks of a cluster use the same tiles. The block of rank 0 copies each tile once into the shared
 * memory of all blocks, with `stages` tiles in flight. For each stage a block has two mbarriers. `full`: its own thread
 * arrives and expects the tile's bytes, and all threads wait. `empty`, only of rank 0: a thread of each block arrives
 * over the network between SMs after the tile's use, before the next copy to the stage.
 *
 * Example, 2 stages of 4 tiles, rank 0: copy 0 and 1; wait for full 0, phase 0; use; arrive at empty 0; wait for empty
 * 0, phase 0; copy 2; repeat with 1 and 3; wait for full 0, phase 1; use; and so on.
 */

enum { KIND_CHASE, KIND_LOAD, KIND_STORE, KIND_ATOMIC, KIND_REDUCTION, KIND_COUNT };

#define MOST_CLUSTER 16
#define RANK_SHIFT 24
#define TABLE_BYTES 4096u
#define LOADS_EACH 4u /* loads in a row before the use of their results */
#define CODE_BYTES 8192u
#define TILE_ROW 128u
#define MOST_TILES 4
#define MOST_TILE_ROWS 32u
#define SUMS_OUT 1u      /* operand: array of the threads' sums */
#define EMPTY MOST_TILES /* first of the `empty` barriers */

static void add(char *to, const char *format, ...) GPCI_PRINTF(2, 3);
static void add(char *to, const char *format, ...) {
    const size_t length = strlen(to);
    va_list values;
    va_start(values, format);
    vsnprintf(to + length, CODE_BYTES - length, format, values);
    va_end(values);
}

static void store_sums(gpci_walk *walk, const gpci_launch *launch) {
    const uint64_t thread = walk->x * launch->block[0] + walk->first;
    gpci_access(walk, launch->operand[SUMS_OUT].base + thread * GPCI_ELEMENT, GPCI_ELEMENT);
    gpci_barrier(walk);
    gpci_finish(walk);
}

/* dsmem */

static void walk_dsmem(gpci_walk *walk, const gpci_launch *launch) {
    const uint64_t rank = (walk->x % launch->cluster + launch->rows) % launch->cluster;
    const uint64_t there = GPCI_SHARED_WINDOW + (rank << RANK_SHIFT) + GPCI_SHARED_BASE;
    gpci_barrier(walk);
    for (uint64_t n = 0; n < launch->steps; n++) {
        gpci_access(walk, there + (walk->first * GPCI_ELEMENT + n * walk->lanes * GPCI_ELEMENT) % TABLE_BYTES,
                    GPCI_ELEMENT);
        if (n % launch->columns == launch->columns - 1)
            gpci_branch(walk, n + 1 < launch->steps);
    }
    store_sums(walk, launch);
}

static const char four_loads[] = "R3 IADD3 R3 R4; R12 LD.E R3; R13 LD.E R3; R14 LD.E R3; R15 LD.E R3; "
                                 "R10 IADD3 R10 R12 R13; R10 IADD3 R10 R14 R15;";

/* Code of an access; for a chase the next address comes from the load before. */
static const char *const accesses[KIND_COUNT] = {
    [KIND_CHASE] = "R3 IADD3 R2 R4; R2 LD.E R3;",
    [KIND_LOAD] = four_loads,
    [KIND_STORE] = "R3 IADD3 R3 R4; ST.E R3 R10;",
    [KIND_ATOMIC] = "R3 IADD3 R3 R4; R12 ATOM.E.ADD R3 R4; R10 IADD3 R10 R12;",
    [KIND_REDUCTION] = "R3 IADD3 R3 R4; REDAS R3 R4;",
};

static gpc_status plan_dsmem(gpci_problem *problem) {
    gpci_launch launch = {.name = "_Z5dsmemPfi", .warp = walk_dsmem};
    const unsigned kind = (unsigned)problem->values[0];
    launch.cluster = (uint64_t)problem->values[1];
    launch.rows = (uint64_t)problem->values[2];
    launch.steps = (uint64_t)problem->values[3];
    launch.block[0] = (uint64_t)problem->values[4];
    launch.grid[0] = gpci_ceiling(gpci_ceiling(problem->size, TABLE_BYTES), launch.cluster) * launch.cluster;
    launch.shared = TABLE_BYTES;
    launch.columns = kind == KIND_LOAD ? LOADS_EACH : 1;
    if (launch.steps % launch.columns)
        return gpci_problem_fail(problem, "parameter 'count': %llu is no multiple of %u",
                                 (unsigned long long)launch.steps, LOADS_EACH);
    if (launch.rows >= launch.cluster)
        return gpci_problem_fail(problem, "parameter 'far': %llu is not below the cluster's %llu blocks",
                                 (unsigned long long)launch.rows, (unsigned long long)launch.cluster);
    char *code = gpci_problem_data(problem, CODE_BYTES);
    if (!code)
        return GPC_ERROR_MEMORY;
    *code = 0;
    add(code,
        "R0 S2R; R4 S2R; R6 LDC.64; R2 PRMT R0; R3 MOV R2; R9 MOV R0; R10 MOV R2; UCGABAR_ARV; UCGABAR_WAIT; step: %s "
        "R9 IADD3 R9; P0 ISETP.NE.AND R9; @P0 BRA step; R10 IADD3 R10 R2; R6 IMAD.WIDE R0 R6; STG.E R6 R10; "
        "UCGABAR_ARV; "
        "UCGABAR_WAIT; EXIT",
        accesses[kind]);
    launch.code = code;
    launch.operand[SUMS_OUT].base = gpci_problem_array(problem, launch.grid[0] * launch.block[0] * GPCI_ELEMENT);
    return gpci_problem_launch(problem, &launch);
}

static const gpc_parameter dsmem_parameters[] = {
    {"kind", KIND_LOAD, 0, KIND_COUNT - 1, true,
     "0: loads, each of which waits for the one before; 1: loads; 2: stores; 3: atomics; 4: reductions"},
    {"cluster", 2, 2, MOST_CLUSTER, true, "thread blocks of a cluster"},
    {"far", 1, 1, MOST_CLUSTER - 1, true, "ranks on"},
    {"count", 64, 1, 1 << 20, true, "accesses of a warp"},
    {"threads", 128, 32, 1024, true, "of a block"},
};

const gpci_synthetic gpci_synthetic_dsmem = {
    .name = "dsmem",
    .summary = "accesses of another block's shared memory in the cluster; SIZE of the blocks' tables of 4 KiB (kind=1: "
               "chase 0, loads 1, stores 2, atomics 3, reductions 4; cluster=2, far=1, count=64, threads=128)",
    .least = 1,
    .parameters = dsmem_parameters,
    .parameter_count = 5,
    .plan = plan_dsmem,
};

/* multicast */

/* Mask of lane 0 in the block's first warp; 0 in the other warps. */
static uint64_t one(const gpci_walk *walk) {
    return walk->first ? 0 : 1;
}

/* one(walk) in the block of rank 0; 0 in the cluster's other blocks. */
static uint64_t leader(const gpci_walk *walk, const gpci_launch *launch) {
    return walk->x % launch->cluster ? 0 : one(walk);
}

/* Address of a barrier, behind the tiles. */
static uint64_t barrier_at(const gpci_launch *launch, uint64_t number) {
    return GPCI_SHARED_BASE + launch->steps * launch->operand[0].step + number * 8;
}

static void at_barrier(gpci_walk *walk, const gpci_launch *launch, uint64_t lanes, uint64_t number) {
    gpci_access_if(walk, lanes, barrier_at(launch, number), 0);
}

static void copy_tile(gpci_walk *walk, const gpci_launch *launch, uint64_t tile) {
    const uint64_t there = tile < launch->rows && leader(walk, launch) ? (UINT64_C(1) << launch->columns) - 1 : 0;
    at_barrier(walk, launch, tile < launch->rows ? one(walk) : 0, tile % launch->steps);
    gpci_access_if(walk, there,
                   launch->operand[0].base +
                       (walk->x / launch->cluster * launch->rows + tile) * launch->columns * TILE_ROW,
                   TILE_ROW);
}

static void walk_multicast(gpci_walk *walk, const gpci_launch *launch) {
    for (uint64_t s = 0; s < launch->steps; s++) {
        at_barrier(walk, launch, one(walk), s);
        at_barrier(walk, launch, leader(walk, launch), EMPTY + s);
    }
    gpci_barrier(walk);
    for (uint64_t tile = 0; tile < launch->steps; tile++)
        copy_tile(walk, launch, tile);
    for (uint64_t tile = 0; tile < launch->rows; tile++) {
        const uint64_t s = tile % launch->steps;
        at_barrier(walk, launch, walk->all, s);
        gpci_access(walk, GPCI_SHARED_BASE + s * launch->operand[0].step + walk->first * launch->operand[0].thread,
                    launch->operand[0].thread);
        gpci_barrier(walk);
        at_barrier(walk, launch, one(walk), EMPTY + s);
        at_barrier(walk, launch, tile + launch->steps < launch->rows ? leader(walk, launch) : 0, EMPTY + s);
        copy_tile(walk, launch, tile + launch->steps);
        if (tile % (2 * launch->steps) == 2 * launch->steps - 1)
            gpci_branch(walk, tile + 1 < launch->rows);
    }
    store_sums(walk, launch);
}

/* Number that stands before a barrier: 28 bits, as two operands of 14 bits (GPC_REGISTER_NUMBER). */
#define TOLD "V%u V%u "
#define BITS(number) (unsigned)((number) >> 14), (unsigned)((number)&0x3fff)

static unsigned number_of(const gpci_launch *launch, uint64_t number) {
    return (unsigned)(barrier_at(launch, number) / 8);
}

static void add_tile(char *to, const gpci_launch *launch, unsigned stage) {
    const uint64_t bytes = launch->columns * TILE_ROW;
    const unsigned at = number_of(launch, stage);
    add(to, "SYNCS.ARRIVE.TRANS64 R8 " TOLD TOLD "M%u; ", BITS(bytes), BITS(UINT64_C(1)), at);
    add(to, "UBLKCP.S.G.MULTICAST UR4 %u " TOLD "M%u; ", TILE_ROW, BITS((UINT64_C(1) << launch->cluster) - 1), at);
}

static void write_multicast(char *to, const gpci_launch *launch) {
    const unsigned stages = (unsigned)launch->steps;
    *to = 0;
    add(to, "R0 S2R; UR4 S2UR; R6 LDC.64; R8 MOV R0; R9 MOV R0; R10 CS2R; ");
    for (unsigned s = 0; s < stages; s++) {
        add(to, "SYNCS.EXCH.64 UR4 " TOLD "M%u; ", BITS(UINT64_C(1)), number_of(launch, s));
        add(to, "SYNCS.EXCH.64 UR4 " TOLD "M%u; ", BITS(launch->cluster), number_of(launch, EMPTY + s));
    }
    add(to, "UCGABAR_ARV; UCGABAR_WAIT; ");
    for (unsigned s = 0; s < stages; s++)
        add_tile(to, launch, s);
    add(to, "tile: ");
    for (unsigned n = 0; n < 2 * stages; n++) {
        const unsigned s = n % stages, parity = n / stages;
        add(to, "SYNCS.PHASECHK.TRANS64.TRYWAIT R8 " TOLD "M%u; R16 LDS R9; R10 FADD R10 R16; BAR.SYNC; ",
            BITS((uint64_t)parity), number_of(launch, s));
        add(to, "SYNCS.ARRIVE.TRANS64.RED.A1T0 R8 " TOLD TOLD "M%u; ", BITS(UINT64_C(0)), BITS(UINT64_C(1) << 20 | 1),
            number_of(launch, EMPTY + s));
        add(to, "SYNCS.PHASECHK.TRANS64.TRYWAIT R8 " TOLD "M%u; ", BITS((uint64_t)parity),
            number_of(launch, EMPTY + s));
        add_tile(to, launch, s);
    }
    add(to, "R9 IADD3 R9; P0 ISETP.NE.AND R9; @P0 BRA tile; R6 IMAD.WIDE R0 R6; STG.E R6 R10; UCGABAR_ARV; "
            "UCGABAR_WAIT; EXIT");
}

static gpc_status plan_multicast(gpci_problem *problem) {
    gpci_launch launch = {.name = "_Z9multicastPKfPfi", .warp = walk_multicast};
    launch.cluster = (uint64_t)problem->values[0];
    launch.steps = (uint64_t)problem->values[1];
    launch.rows = (uint64_t)problem->values[2];
    launch.block[0] = (uint64_t)problem->values[3];
    const uint64_t tile = launch.block[0] * 16;
    launch.operand[0] = (gpci_operand){.thread = 16, .step = tile};
    launch.columns = tile / TILE_ROW;
    if (tile % TILE_ROW || launch.columns > MOST_TILE_ROWS)
        return gpci_problem_fail(problem, "a tile of %llu bytes is not 1 to %u rows of %u", (unsigned long long)tile,
                                 MOST_TILE_ROWS, TILE_ROW);
    if (launch.rows % (2 * launch.steps))
        return gpci_problem_fail(problem, "parameter 'tiles': %llu is no multiple of twice the stages",
                                 (unsigned long long)launch.rows);
    char *code = gpci_problem_data(problem, CODE_BYTES);
    if (!code)
        return GPC_ERROR_MEMORY;
    write_multicast(code, &launch);
    launch.code = code;
    const uint64_t clusters = gpci_ceiling(problem->size, tile * launch.rows);
    launch.grid[0] = clusters * launch.cluster;
    launch.shared = tile * launch.steps + UINT64_C(8) * 2 * MOST_TILES;
    launch.operand[0].base = gpci_problem_array(problem, clusters * tile * launch.rows);
    launch.operand[SUMS_OUT].base = gpci_problem_array(problem, launch.grid[0] * launch.block[0] * GPCI_ELEMENT);
    return gpci_problem_launch(problem, &launch);
}

static const gpc_parameter multicast_parameters[] = {
    {"cluster", 4, 1, MOST_CLUSTER, true, "thread blocks of a cluster"},
    {"stages", 2, 1, MOST_TILES, true, "tiles under way"},
    {"tiles", 16, 2, 1 << 16, true, "of a cluster"},
    {"threads", 128, 32, 256, true, "of a block"},
};

const gpci_synthetic gpci_synthetic_multicast = {
    .name = "multicast",
    .summary = "tiles that each block of a cluster uses, copied once for all; SIZE of the array (cluster=4, stages=2, "
               "tiles=16, threads=128: a tile has 16 bytes for each)",
    .least = 4,
    .parameters = multicast_parameters,
    .parameter_count = 4,
    .plan = plan_multicast,
};
