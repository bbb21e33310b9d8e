/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic.h"

/*
 * Forces between atoms, as in CoMD-CUDA's LJ_Force_thread_atom (ExMatEx, Lennard-Jones). Atoms are in link cells of the
 * cutoff's width, a cell with room for 64. A thread has an atom and walks over the atoms of its own cell and the 26
 * cells around. The thread loads three coordinates of each atom, and adds the force of atoms within the cutoff. The
 * lanes of a warp have atoms of two or three cells: a load is two or three broadcasts, to lines with the coordinates of
 * 16 atoms.
 *
 * Blocks of 128 threads and 32 registers for a thread, as the kernel's launch bounds require in double precision: a
 * Fermi SM runs 8 blocks, 16 warps for each scheduler. Cells are on a periodic cube; cell c's atoms begin at c times
 * the mean plus a random number up to `spread`. As in fcc copper at CoMD's lattice, a cell has about 16 atoms. With
 * cells of the cutoff's width, (4/3) pi / 27 = 15.5 % of the visited pairs are within the cutoff.
 */

#define REAL 8u
#define ROOM 64u /* atoms for which a cell has room: CoMD's MAXATOMS */
#define MOLECULE_THREADS 128u
#define CELLS 27u
#define WITHIN 155u /* pairs within the cutoff, of 1000 */

/*
 * R4, R6 and R8 position, R10 to R16 force and energy of the atom, R24 cell in the list of neighbours, R28 atoms left.
 */
static const char force_code[] =
    "R1 LDC; R0 S2R; UR4 ULDC; R3 S2R; R0 IMAD R0 UR4 R3; UR5 ULDC; P0 ISETP.GE.AND R0 UR5; @P0 EXIT; UR4 ULDC.64;"
    "R2 LDC.64; R2 IMAD.WIDE R0 R2; R18 LDG.E R2 UR4; R20 LDC.64; R20 IMAD.WIDE R0 R20; R22 LDG.E R20 UR4;"
    "R18 IMAD R22 R18; R2 LDC.64; R2 IMAD.WIDE R18 R2; R4 LDG.E.64 R2 UR4; R20 LDC.64; R20 IMAD.WIDE R18 R20;"
    "R6 LDG.E.64 R20 UR4; R2 LDC.64; R2 IMAD.WIDE R18 R2; R8 LDG.E.64 R2 UR4; R10 CS2R; R11 MOV R255; R12 CS2R;"
    "R13 MOV R255; R14 CS2R; R15 MOV R255; R16 CS2R; R17 MOV R255; R24 IMAD R22;"
    "cell: R2 LDC.64; R2 IMAD.WIDE R24 R2; R26 LDG.E R2 UR4; R2 LDC.64; R2 IMAD.WIDE R26 R2; R28 LDG.E R2 UR4;"
    "R26 IMAD.SHL R26; P0 ISETP.LT.AND R28; @P0 BRA empty;"
    "atom: R2 LDC.64; R2 IMAD.WIDE R26 R2; R18 LDG.E.64 R2 UR4; R2 LDC.64; R2 IMAD.WIDE R26 R2; R20 LDG.E.64 R2 UR4;"
    "R2 LDC.64; R2 IMAD.WIDE R26 R2; R22 LDG.E.64 R2 UR4; R18 DADD R4 R18; R20 DADD R6 R20; R22 DADD R8 R22;"
    "R30 DMUL R18 R18; R30 DFMA R20 R20 R30; R30 DFMA R22 R22 R30; P1 DSETP.GT.AND R30; @P1 BRA apart;"
    "R31 MUFU.RCP64H R31; R2 DFMA R30 R30; R30 DMUL R2 R30; R2 DMUL R30 R30; R2 DMUL R2 R30; R30 DFMA R2 R30 R2;"
    "R16 DADD R16 R30; R10 DFMA R18 R2 R10; R12 DFMA R20 R2 R12; R14 DFMA R22 R2 R14;"
    "apart: R26 IADD3 R26; R28 IADD3 R28; P0 ISETP.NE.AND R28 R255; @P0 BRA atom;"
    "empty: R24 IADD3 R24; P2 ISETP.NE.AND R24; @P2 BRA cell;"
    "R18 LDC; R2 LDC.64; R2 IMAD.WIDE R0 R2; STG.E.64 R2 UR4 R10; R2 LDC.64; R2 IMAD.WIDE R0 R2;"
    "STG.E.64 R2 UR4 R12; R2 LDC.64; R2 IMAD.WIDE R0 R2; STG.E.64 R2 UR4 R14; R2 LDC.64; R2 IMAD.WIDE R0 R2;"
    "STG.E.64 R2 UR4 R16; EXIT";

/* Launch fields: `n` atoms, `rows` cells along a side, `columns` mean atoms of a cell, `stride` spread of atoms. */
enum { LISTS, NEIGHBOURS, POSITIONS, FORCES };

static uint64_t cells_of(const gpci_launch *launch) {
    return launch->rows * launch->rows * launch->rows;
}

/* First atom of a cell. If `cell` is the number of cells, the number of atoms. */
static uint64_t first_atom(const gpci_launch *launch, uint64_t cell) {
    uint64_t moved = (gpci_mix(launch->seed + cell) >> 32) * (launch->stride + 1) >> 32;
    return cell * launch->columns + (cell && cell < cells_of(launch) ? moved : 0);
}

/* Cell `k` of the 27 cells around and including a cell; 13 is the cell itself. */
static uint64_t neighbour(const gpci_launch *launch, uint64_t cell, uint64_t k) {
    uint64_t side = launch->rows, x = cell % side, y = cell / side % side, z = cell / side / side;
    x = (x + k % 3 + side - 1) % side;
    y = (y + k / 3 % 3 + side - 1) % side;
    z = (z + k / 9 + side - 1) % side;
    return (z * side + y) * side + x;
}

static void load_position(gpci_walk *walk, const gpci_launch *launch, const uint64_t *places) {
    for (uint64_t axis = 0; axis < 3; axis++)
        gpci_access_at(walk, launch->operand[POSITIONS].base + axis * launch->operand[POSITIONS].step, places);
}

/* Visit all atoms of each lane's cell in `cells`. */
static void visit_cell(gpci_walk *walk, const gpci_launch *launch, const uint64_t *cells) {
    uint64_t places[GPCI_SYNTHETIC_LANES], left[GPCI_SYNTHETIC_LANES], all = walk->mask, again = 0;
    for (unsigned lane = 0; lane < walk->lanes; lane++) {
        places[lane] = cells[lane] * ROOM * REAL;
        left[lane] = first_atom(launch, cells[lane] + 1) - first_atom(launch, cells[lane]);
        again |= (uint64_t)(left[lane] > 0) << lane;
    }
    if (!gpci_if(walk, again & all)) {
        gpci_end_if(walk);
        return;
    }
    uint32_t rejoin = walk->rejoin;
    do {
        uint64_t within = 0;
        load_position(walk, launch, places);
        again = 0;
        for (uint64_t lanes = walk->mask; lanes; lanes &= lanes - 1) {
            unsigned lane = gpci_lowest(lanes);
            uint64_t chance = gpci_mix(launch->seed ^ (places[lane] * launch->n + walk->gx[lane])) >> 32;
            within |= (uint64_t)(chance * 1000 >> 32 < WITHIN) << lane;
            places[lane] += REAL;
            again |= (uint64_t)(--left[lane] > 0) << lane;
        }
        gpci_if(walk, within);
        gpci_end_if(walk);
    } while (gpci_loop(walk, again));
    walk->outer = all;
    walk->rejoin = rejoin;
    gpci_end_if(walk);
}

static void walk_force(gpci_walk *walk, const gpci_launch *launch) {
    uint64_t own[GPCI_SYNTHETIC_LANES], places[GPCI_SYNTHETIC_LANES], around[GPCI_SYNTHETIC_LANES];
    uint64_t words[GPCI_SYNTHETIC_LANES], thread = walk->x * MOLECULE_THREADS + walk->first;
    const gpci_operand *lists = &launch->operand[LISTS], *table = &launch->operand[NEIGHBOURS],
                       *out = &launch->operand[FORCES];
    if (!gpci_guard(walk, gpci_below(walk, thread, launch->n)))
        return;
    for (unsigned lane = 0; lane < walk->lanes; lane++) {
        uint64_t atom = thread + lane < launch->n ? thread + lane : 0, cell = atom / launch->columns;
        cell -= first_atom(launch, cell) > atom;
        own[lane] = cell;
        places[lane] = (cell * ROOM + atom - first_atom(launch, cell)) * REAL;
    }
    gpci_access(walk, lists->base + thread * GPCI_ELEMENT, GPCI_ELEMENT);
    gpci_access(walk, lists->base + lists->step + thread * GPCI_ELEMENT, GPCI_ELEMENT);
    load_position(walk, launch, places);
    for (uint64_t k = 0; k < CELLS; k++) {
        for (unsigned lane = 0; lane < walk->lanes; lane++)
            words[lane] = (own[lane] * CELLS + k) * GPCI_ELEMENT;
        gpci_access_at(walk, table->base, words);
        for (unsigned lane = 0; lane < walk->lanes; lane++) {
            around[lane] = neighbour(launch, own[lane], k);
            words[lane] = around[lane] * GPCI_ELEMENT;
        }
        gpci_access_at(walk, table->base + table->step, words);
        visit_cell(walk, launch, around);
        gpci_branch(walk, k + 1 < CELLS);
    }
    for (uint64_t k = 0; k < 4; k++)
        gpci_access(walk, out->base + k * out->step + thread * REAL, REAL);
    gpci_finish(walk);
}

static gpc_status plan_comd(gpci_problem *problem) {
    gpci_launch launch = {
        .name = "_Z20LJ_Force_thread_atom6SimGpu11AtomListGpu", .code = force_code, .warp = walk_force};
    launch.columns = (uint64_t)problem->values[0];
    launch.stride = (uint64_t)problem->values[1];
    launch.seed = gpci_mix((uint64_t)problem->values[2]);
    uint64_t cells = problem->size / (ROOM * REAL);
    for (launch.rows = 3; (launch.rows + 1) * (launch.rows + 1) * (launch.rows + 1) <= cells; launch.rows++)
        continue;
    if (launch.stride >= launch.columns || launch.columns + launch.stride > ROOM)
        return gpci_problem_fail(problem, "parameter 'spread': %llu is not below %llu atoms, or both are more than %u",
                                 (unsigned long long)launch.stride, (unsigned long long)launch.columns, ROOM);
    cells = cells_of(&launch);
    launch.n = first_atom(&launch, cells);
    launch.grid[0] = gpci_ceiling(launch.n, MOLECULE_THREADS);
    launch.block[0] = MOLECULE_THREADS;
    launch.operand[LISTS] = gpci_problem_arrays(problem, launch.n * GPCI_ELEMENT, 2);
    launch.operand[NEIGHBOURS] = (gpci_operand){.base = gpci_problem_array(problem, cells * (CELLS + 1) * GPCI_ELEMENT),
                                                .step = cells * CELLS * GPCI_ELEMENT};
    launch.operand[POSITIONS] = gpci_problem_arrays(problem, cells * ROOM * REAL, 3);
    launch.operand[FORCES] = gpci_problem_arrays(problem, launch.n * REAL, 4);
    return gpci_problem_launch(problem, &launch);
}

static const gpc_parameter comd_parameters[] = {
    {"atoms", 16, 1, ROOM, true, "of a cell, on average"},
    {"spread", 4, 0, ROOM, true, "how many a cell may have more or less"},
    {"seed", 1, 0, 1e15, true, "of the numbers of atoms"},
};

const gpci_synthetic gpci_synthetic_comd = {
    .name = "comd",
    .summary = "forces between the atoms of neighbouring cells, an atom for each thread; SIZE of a coordinate, 512 "
               "bytes a cell (atoms=16, spread=4, seed=1)",
    .least = CELLS * ROOM * REAL,
    .parameters = comd_parameters,
    .parameter_count = 3,
    .plan = plan_comd,
};
