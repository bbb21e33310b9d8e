/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic.h"

/*
 * Flow through the cells of an unstructured mesh, as Rodinia's cfd (euler3d, Corrigan et al., AIAA 2009-4001;
 * cuda_compute_flux), step by step as compilers for Fermi leave it: a thread has a cell, loads its five variables side
 * by side, and for each of four sides the neighbour's number, the side's normal and, of a neighbour, its five
 * variables, wherever that is. Every variable is an array of its own.
 *
 * Published: 97,046 cells, in blocks of 192 threads. That mesh is not here: a neighbour is a random cell up to `near`
 * away, as a mesh has it whose cells are numbered along its surface; 2 of 100 sides are at a border.
 */

#define CELL_THREADS 192u
#define VARIABLES 5u
#define SIDES 4u
#define AXES 3u
#define BORDER 2u /* of 100 */

/* R5 to R9 the cell's variables, R11 to R13 its velocity, R18 and R19 walk over its sides, R20 to R24 its fluxes. */
static const char flux_code[] =
    "R1 MOV; R0 S2R; R2 S2R; R3 S2R; R0 IMAD R2 R3 R0; P0 ISETP.GE.AND R0 R1; @P0 EXIT; R4 MOV; R4 IMAD R0 R4;"
    "R5 LDG.E R4; R6 LDG.E R4; R7 LDG.E R4; R8 LDG.E R4; R9 LDG.E R4; R10 MUFU.RCP R5; R11 FMUL R6 R10;"
    "R12 FMUL R7 R10; R13 FMUL R8 R10; R14 FMUL R11 R11; R14 FFMA R12 R12 R14; R14 FFMA R13 R13 R14; R15 FMUL R5 R14;"
    "R15 FFMA R9 R15; R16 MUFU.RSQ R15; R20 MOV; R21 MOV; R22 MOV; R23 MOV; R24 MOV; R17 MOV; R18 MOV;"
    "R18 IMAD R0 R18; R19 MOV; R19 IMAD R0 R19; R3 MOV;"
    "side: R25 LDG.E R18; R26 LDG.E R19; R27 LDG.E R19; R28 LDG.E R19; R29 FMUL R26 R26; R29 FFMA R27 R27 R29;"
    "R29 FFMA R28 R28 R29; R29 MUFU.RSQ R29; P1 ISETP.LT.AND R25; @P1 BRA border; R30 IMAD R25 R3;"
    "R31 LDG.E R30; R32 LDG.E R30; R33 LDG.E R30; R34 LDG.E R30; R35 LDG.E R30; R36 MUFU.RCP R31; R37 FMUL R32 R36;"
    "R38 FMUL R33 R36; R39 FMUL R34 R36; R36 FMUL R37 R37; R36 FFMA R38 R38 R36; R36 FFMA R39 R39 R36;"
    "R36 FADD R36 R14; R36 FFMA R35 R36 R16; R29 FMUL R29 R36; R20 FFMA R29 R31 R20; R20 FFMA R26 R32 R20;"
    "R20 FFMA R27 R33 R20; R20 FFMA R28 R34 R20; R21 FFMA R29 R32 R21; R21 FFMA R26 R37 R21; R22 FFMA R29 R33 R22;"
    "R22 FFMA R27 R38 R22; R23 FFMA R29 R34 R23; R23 FFMA R28 R39 R23; R24 FFMA R29 R35 R24; R24 FFMA R26 R11 R24;"
    "border: R18 IADD3 R18 R1; R19 IADD3 R19 R1; R17 IADD3 R17; P2 ISETP.LT.AND R17; @P2 BRA side;"
    "R30 MOV; R30 IMAD R0 R30; STG.E R30 R20; STG.E R30 R21; STG.E R30 R22; STG.E R30 R23; STG.E R30 R24; EXIT";

/* Operands; `step` is the distance to the next variable's, side's or axis' array. */
enum { CELLS, NEIGHBOURS, NORMALS, FLUXES };

static uint64_t drawn(const gpci_launch *l, uint64_t cell, uint64_t side, uint64_t salt, uint64_t bound) {
    return (gpci_mix(l->seed + (cell * SIDES + side) * 2 + salt) >> 32) * bound >> 32;
}

static uint64_t neighbour(const gpci_launch *l, uint64_t cell, uint64_t side) {
    uint64_t away = 1 + drawn(l, cell, side, 0, l->window);
    return (cell + (side % 2 ? away : l->n - away % l->n)) % l->n;
}

/* A side of every lane's cell. */
static void walk_side(gpci_walk *w, const gpci_launch *l, uint64_t thread, uint64_t side) {
    uint64_t around[GPCI_SYNTHETIC_LANES], inside = 0;
    gpci_access(w, l->operand[NEIGHBOURS].base + side * l->operand[NEIGHBOURS].step + thread * GPCI_ELEMENT,
                GPCI_ELEMENT);
    for (uint64_t axis = 0; axis < AXES; axis++)
        gpci_access(w,
                    l->operand[NORMALS].base + (axis * SIDES + side) * l->operand[NORMALS].step + thread * GPCI_ELEMENT,
                    GPCI_ELEMENT);
    for (unsigned lane = 0; lane < w->lanes; lane++) {
        around[lane] = neighbour(l, thread + lane, side) * GPCI_ELEMENT;
        inside |= (uint64_t)(drawn(l, thread + lane, side, 1, 100) >= BORDER) << lane;
    }
    if (gpci_if(w, w->mask & inside))
        for (uint64_t k = 0; k < VARIABLES; k++)
            gpci_access_at(w, l->operand[CELLS].base + k * l->operand[CELLS].step, around);
    gpci_end_if(w);
}

static void walk_flux(gpci_walk *w, const gpci_launch *l) {
    const uint64_t thread = w->x * CELL_THREADS + w->first;
    if (!gpci_guard(w, gpci_below(w, thread, l->n)))
        return;
    for (uint64_t k = 0; k < VARIABLES; k++)
        gpci_access(w, l->operand[CELLS].base + k * l->operand[CELLS].step + thread * GPCI_ELEMENT, GPCI_ELEMENT);
    for (uint64_t side = 0; side < SIDES; side++) {
        walk_side(w, l, thread, side);
        gpci_branch(w, side + 1 < SIDES);
    }
    for (uint64_t k = 0; k < VARIABLES; k++)
        gpci_access(w, l->operand[FLUXES].base + k * l->operand[FLUXES].step + thread * GPCI_ELEMENT, GPCI_ELEMENT);
    gpci_finish(w);
}

static gpc_status plan_cfd(gpci_problem *p) {
    gpci_launch l = {.name = "_Z17cuda_compute_fluxiPiPfS0_S0_", .code = flux_code, .warp = walk_flux};
    l.n = p->size / (GPCI_ELEMENT * VARIABLES);
    l.window = (uint64_t)p->values[0];
    l.seed = gpci_mix((uint64_t)p->values[1]);
    l.grid[0] = gpci_ceiling(l.n, CELL_THREADS);
    l.block[0] = CELL_THREADS;
    l.operand[CELLS] = gpci_problem_arrays(p, l.n * GPCI_ELEMENT, VARIABLES);
    l.operand[NEIGHBOURS] = gpci_problem_arrays(p, l.n * GPCI_ELEMENT, SIDES);
    l.operand[NORMALS] = gpci_problem_arrays(p, l.n * GPCI_ELEMENT, SIDES * AXES);
    l.operand[FLUXES] = gpci_problem_arrays(p, l.n * GPCI_ELEMENT, VARIABLES);
    return gpci_problem_launch(p, &l);
}

static const gpc_parameter cfd_parameters[] = {
    {"near", 1024, 1, 1 << 30, true, "how far a neighbour's number is away, at most"},
    {"seed", 1, 0, 1e15, true, "of the mesh"},
};

const gpci_synthetic gpci_synthetic_rodinia_cfd = {
    .name = "rodinia-cfd",
    .summary = "cfd's fluxes between the cells of a mesh, as Fermi ran it; SIZE of the cells' variables, 20 bytes a "
               "cell (near=1024, seed=1)",
    .least = GPCI_ELEMENT * VARIABLES,
    .parameters = cfd_parameters,
    .parameter_count = 2,
    .plan = plan_cfd,
};
