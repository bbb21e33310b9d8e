/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic.h"

/*
 * Flow through the cells of an unstructured mesh, as in Rodinia's cfd (euler3d, Corrigan et al., AIAA 2009-4001),
 * compiled for Fermi. A thread has a cell. compute_step_factor reads the cell's five variables and its area.
 * compute_flux reads the variables, and for each of four sides the neighbour's number, the side's normal and the
 * neighbour's five variables, at a scattered place. time_step adds the fluxes to the old variables. Every variable is a
 * separate array.
 *
 * The program requests unrolling of its loop over sides: the kernels have 6, 41 and 11 loads. Table 3 of seeds/001
 * counts runs of a search for the loads that should bypass L1: one run without bypassing, and for each kernel a run for
 * each load and for each pair of loads: 1 + 21 + 861 + 66 = 949 runs.
 *
 * The published mesh has 97,046 cells, in blocks of 192 threads. The mesh is not available: here a neighbour is a
 * random cell up to `near` away, as in a mesh with cells numbered along its surface; 2 of 100 sides are at a border.
 */

#define CELL_THREADS 192u
#define VARIABLES 5u
#define SIDES 4u
#define AXES 3u
#define BORDER 2u /* border sides of 100 */

/*
 * Code of a side. R18 address of the neighbour's number, R19 address of the side's normal, R31 to R35 the neighbour's
 * five variables, R20 to R24 the sums of the fluxes.
 */
#define SIDE_CODE(border)                                                                                            \
    "R25 LDG.E R18; R26 LDG.E R19; R27 LDG.E R19; R28 LDG.E R19; R29 FMUL R26 R26; R29 FFMA R27 R27 R29;"            \
    "R29 FFMA R28 R28 R29; R29 MUFU.RSQ R29; P1 ISETP.LT.AND R25; @P1 BRA " border "; R30 IMAD R25 R3;"              \
    "R31 LDG.E R30; R32 LDG.E R30; R33 LDG.E R30; R34 LDG.E R30; R35 LDG.E R30; R36 MUFU.RCP R31; R37 FMUL R32 R36;" \
    "R38 FMUL R33 R36; R39 FMUL R34 R36; R36 FMUL R37 R37; R36 FFMA R38 R38 R36; R36 FFMA R39 R39 R36;"              \
    "R36 FADD R36 R14; R36 FFMA R35 R36 R16; R29 FMUL R29 R36; R20 FFMA R29 R31 R20; R20 FFMA R26 R32 R20;"          \
    "R20 FFMA R27 R33 R20; R20 FFMA R28 R34 R20; R21 FFMA R29 R32 R21; R21 FFMA R26 R37 R21; R22 FFMA R29 R33 R22;"  \
    "R22 FFMA R27 R38 R22; R23 FFMA R29 R34 R23; R23 FFMA R28 R39 R23; R24 FFMA R29 R35 R24; R24 FFMA R26 R11 "      \
    "R24;" border ": R18 IADD3 R18 R1; R19 IADD3 R19 R1;"

/* R5 to R9 variables of the cell, R11 to R13 its velocity. */
static const char flux_code[] =
    "R1 MOV; R0 S2R; R2 S2R; R3 S2R; R0 IMAD R2 R3 R0; P0 ISETP.GE.AND R0 R1; @P0 EXIT; R4 MOV; R4 IMAD R0 R4;"
    "R5 LDG.E R4; R6 LDG.E R4; R7 LDG.E R4; R8 LDG.E R4; R9 LDG.E R4; R10 MUFU.RCP R5; R11 FMUL R6 R10;"
    "R12 FMUL R7 R10; R13 FMUL R8 R10; R14 FMUL R11 R11; R14 FFMA R12 R12 R14; R14 FFMA R13 R13 R14; R15 FMUL R5 R14;"
    "R15 FFMA R9 R15; R16 MUFU.RSQ R15; R20 MOV; R21 MOV; R22 MOV; R23 MOV; R24 MOV; R18 MOV;"
    "R18 IMAD R0 R18; R19 MOV; R19 IMAD R0 R19; R3 MOV;" SIDE_CODE("first") SIDE_CODE("second") SIDE_CODE("third")
        SIDE_CODE("fourth") "R30 MOV; R30 IMAD R0 R30; STG.E R30 R20; STG.E R30 R21; STG.E R30 R22; STG.E R30 R23;"
                            "STG.E R30 R24; EXIT";

/* R5 to R9 variables of the cell, R15 area of the cell, R16 step of the cell. */
static const char step_code[] =
    "R1 MOV; R0 S2R; R2 S2R; R3 S2R; R0 IMAD R2 R3 R0; P0 ISETP.GE.AND R0 R1; @P0 EXIT; R4 MOV; R4 IMAD R0 R4;"
    "R5 LDG.E R4; R6 LDG.E R4; R7 LDG.E R4; R8 LDG.E R4; R9 LDG.E R4; R10 MUFU.RCP R5; R11 FMUL R6 R10;"
    "R12 FMUL R7 R10; R13 FMUL R8 R10; R14 FMUL R11 R11; R14 FFMA R12 R12 R14; R14 FFMA R13 R13 R14; R12 FMUL R5 R14;"
    "R12 FFMA R9 R12; R12 FMUL R12 R10; R12 MUFU.RSQ R12; R15 LDG.E R4; R15 MUFU.RSQ R15; R14 MUFU.RSQ R14;"
    "R14 FADD R14 R12; R16 FMUL R15 R14; R16 MUFU.RCP R16; STG.E R4 R16; EXIT";

/* R16 step. For each of the five variables: R5 old value, R6 flux. */
static const char advance_code[] =
    "R1 MOV; R0 S2R; R2 S2R; R3 S2R; R0 IMAD R2 R3 R0; P0 ISETP.GE.AND R0 R1; @P0 EXIT; R4 MOV; R4 IMAD R0 R4;"
    "R16 LDG.E R4; R16 FMUL R16; 5*{ R5 LDG.E R4; R6 LDG.E R4; R5 FFMA R16 R6 R5; STG.E R4 R5 }; EXIT";

/*
 * Operands; `step` is the distance to the next array (variable, side or axis). Behind the fluxes are the old variables,
 * the cells' areas and their steps.
 */
enum { CELLS, NEIGHBOURS, NORMALS, FLUXES };
enum { OLD = VARIABLES, AREAS = 2 * VARIABLES, STEPS, BEHIND };

static uint64_t drawn(const gpci_launch *launch, uint64_t cell, uint64_t side, uint64_t salt, uint64_t bound) {
    return (gpci_mix(launch->seed + (cell * SIDES + side) * 2 + salt) >> 32) * bound >> 32;
}

static uint64_t neighbour(const gpci_launch *launch, uint64_t cell, uint64_t side) {
    uint64_t away = 1 + drawn(launch, cell, side, 0, launch->window);
    return (cell + (side % 2 ? away : launch->n - away % launch->n)) % launch->n;
}

/* Load the data of one side of every lane's cell, and of the neighbour behind the side. */
static void walk_side(gpci_walk *walk, const gpci_launch *launch, uint64_t thread, uint64_t side) {
    uint64_t around[GPCI_SYNTHETIC_LANES], inside = 0;
    gpci_access(walk,
                launch->operand[NEIGHBOURS].base + side * launch->operand[NEIGHBOURS].step + thread * GPCI_ELEMENT,
                GPCI_ELEMENT);
    for (uint64_t axis = 0; axis < AXES; axis++)
        gpci_access(walk,
                    launch->operand[NORMALS].base + (axis * SIDES + side) * launch->operand[NORMALS].step +
                        thread * GPCI_ELEMENT,
                    GPCI_ELEMENT);
    for (unsigned lane = 0; lane < walk->lanes; lane++) {
        around[lane] = neighbour(launch, thread + lane, side) * GPCI_ELEMENT;
        inside |= (uint64_t)(drawn(launch, thread + lane, side, 1, 100) >= BORDER) << lane;
    }
    if (gpci_if(walk, walk->mask & inside))
        for (uint64_t k = 0; k < VARIABLES; k++)
            gpci_access_at(walk, launch->operand[CELLS].base + k * launch->operand[CELLS].step, around);
    gpci_end_if(walk);
}

static void walk_flux(gpci_walk *walk, const gpci_launch *launch) {
    const uint64_t thread = walk->x * CELL_THREADS + walk->first;
    if (!gpci_guard(walk, gpci_below(walk, thread, launch->n)))
        return;
    for (uint64_t k = 0; k < VARIABLES; k++)
        gpci_access(walk, launch->operand[CELLS].base + k * launch->operand[CELLS].step + thread * GPCI_ELEMENT,
                    GPCI_ELEMENT);
    for (uint64_t side = 0; side < SIDES; side++)
        walk_side(walk, launch, thread, side);
    for (uint64_t k = 0; k < VARIABLES; k++)
        gpci_access(walk, launch->operand[FLUXES].base + k * launch->operand[FLUXES].step + thread * GPCI_ELEMENT,
                    GPCI_ELEMENT);
    gpci_finish(walk);
}

/* Access every lane's cell in one of several arrays. */
static void each(gpci_walk *walk, const gpci_launch *launch, unsigned operand, uint64_t array, uint64_t thread) {
    gpci_access(walk, launch->operand[operand].base + array * launch->operand[operand].step + thread * GPCI_ELEMENT,
                GPCI_ELEMENT);
}

static void walk_step(gpci_walk *walk, const gpci_launch *launch) {
    const uint64_t thread = walk->x * CELL_THREADS + walk->first;
    if (!gpci_guard(walk, gpci_below(walk, thread, launch->n)))
        return;
    for (uint64_t k = 0; k < VARIABLES; k++)
        each(walk, launch, CELLS, k, thread);
    each(walk, launch, FLUXES, AREAS, thread);
    each(walk, launch, FLUXES, STEPS, thread);
    gpci_finish(walk);
}

static void walk_advance(gpci_walk *walk, const gpci_launch *launch) {
    const uint64_t thread = walk->x * CELL_THREADS + walk->first;
    if (!gpci_guard(walk, gpci_below(walk, thread, launch->n)))
        return;
    each(walk, launch, FLUXES, STEPS, thread);
    for (uint64_t k = 0; k < VARIABLES; k++) {
        each(walk, launch, FLUXES, OLD + k, thread);
        each(walk, launch, FLUXES, k, thread);
        each(walk, launch, CELLS, k, thread);
    }
    gpci_finish(walk);
}

static gpc_status plan_cfd(gpci_problem *problem) {
    static const struct {
        const char *name, *code;
        void (*warp)(gpci_walk *walk, const gpci_launch *l);
    } kernels[] = {{"_Z24cuda_compute_step_factoriPfS_S_", step_code, walk_step},
                   {"_Z17cuda_compute_fluxiPiPfS0_S0_", flux_code, walk_flux},
                   {"_Z14cuda_time_stepiiPfS_S_S_", advance_code, walk_advance}};
    gpci_launch launch = {.n = problem->size / (GPCI_ELEMENT * VARIABLES)};
    const uint64_t only = (uint64_t)problem->values[2];
    launch.window = (uint64_t)problem->values[0];
    launch.seed = gpci_mix((uint64_t)problem->values[1]);
    launch.grid[0] = gpci_ceiling(launch.n, CELL_THREADS);
    launch.block[0] = CELL_THREADS;
    launch.operand[CELLS] = gpci_problem_arrays(problem, launch.n * GPCI_ELEMENT, VARIABLES);
    launch.operand[NEIGHBOURS] = gpci_problem_arrays(problem, launch.n * GPCI_ELEMENT, SIDES);
    launch.operand[NORMALS] = gpci_problem_arrays(problem, launch.n * GPCI_ELEMENT, SIDES * AXES);
    launch.operand[FLUXES] = gpci_problem_arrays(problem, launch.n * GPCI_ELEMENT, BEHIND);
    gpc_status status = GPC_OK;
    for (uint64_t k = 0; k < 3 && status == GPC_OK; k++) {
        launch.name = kernels[k].name;
        launch.code = kernels[k].code;
        launch.warp = kernels[k].warp;
        if (!only || only == k + 1)
            status = gpci_problem_launch(problem, &launch);
    }
    return status;
}

static const gpc_parameter cfd_parameters[] = {
    {"near", 1024, 1, 1 << 30, true, "how far a neighbour's number is away, at most"},
    {"seed", 1, 0, 1e15, true, "of the mesh"},
    {"launch", 0, 0, 3, true, "1: compute_step_factor alone, 2: compute_flux, 3: time_step; 0: all"},
};

const gpci_synthetic gpci_synthetic_rodinia_cfd = {
    .name = "rodinia-cfd",
    .summary = "cfd's flow between the cells of a mesh, as Fermi ran it; SIZE of the cells' variables, 20 bytes a "
               "cell (near=1024, seed=1, launch=0: all)",
    .least = GPCI_ELEMENT * VARIABLES,
    .parameters = cfd_parameters,
    .parameter_count = 3,
    .plan = plan_cfd,
};
