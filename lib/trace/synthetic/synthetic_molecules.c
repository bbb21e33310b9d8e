/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic.h"

/*
 * Forces between atoms, as in CoMD-CUDA's LJ_Force_thread_atom (ExMatEx, Lennard-Jones). Atoms are in link cells of the
 * cutoff's width, a cell with room for 64. A thread has an atom and walks over the atoms of its own cell and the 26
 * cells around. The thread loads three coordinates of each atom, and adds the force of atoms within the cutoff. The
 * lanes of a warp have atoms of two or three cells: a load is two or three broadcasts, to lines with the coordinates of
 * 16 atoms.
 *
 * Blocks of 128 threads and 32 registers for a thread, as the kernel's launch bounds require in double precision: 8
 * blocks of a Fermi SM, 16 warps for each scheduler. Cells are on a periodic cube; cell c's atoms begin at c times the
 * mean plus a random number up to `spread`. As in fcc copper at CoMD's lattice, a cell has about 16 atoms. With cells
 * of the cutoff's width, (4/3) pi / 27 = 15.5 % of the visited pairs are within the cutoff.
 */

#define REAL 8u
#define ROOM 64u /* MAXATOMS */
#define MOLECULE_THREADS 128u
#define CELLS 27u
#define WITHIN 155u /* pairs within the cutoff, of 1000 */

/* R4 R6 R8 position of the atom, R10 to R16 its force and energy, R24 neighbour in the list, R28 atoms left. */
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

/* Launch fields: n atoms, rows cells along a side, columns mean atoms of a cell, stride the spread. */
enum { LISTS, NEIGHBOURS, POSITIONS, FORCES };

static uint64_t cells_of(const gpci_launch *l) {
    return l->rows * l->rows * l->rows;
}

/* First atom of a cell; behind the last cell the number of atoms. */
static uint64_t first_atom(const gpci_launch *l, uint64_t cell) {
    uint64_t moved = (gpci_mix(l->seed + cell) >> 32) * (l->stride + 1) >> 32;
    return cell * l->columns + (cell && cell < cells_of(l) ? moved : 0);
}

/* Neighbour `k` of 27 of a cell; the middle is the cell itself. */
static uint64_t neighbour(const gpci_launch *l, uint64_t cell, uint64_t k) {
    uint64_t side = l->rows, x = cell % side, y = cell / side % side, z = cell / side / side;
    x = (x + k % 3 + side - 1) % side;
    y = (y + k / 3 % 3 + side - 1) % side;
    z = (z + k / 9 + side - 1) % side;
    return (z * side + y) * side + x;
}

static void load_position(gpci_walk *w, const gpci_launch *l, const uint64_t *places) {
    for (uint64_t axis = 0; axis < 3; axis++)
        gpci_access_at(w, l->operand[POSITIONS].base + axis * l->operand[POSITIONS].step, places);
}

/* Visit all atoms of a cell around each lane's cell. */
static void visit_cell(gpci_walk *w, const gpci_launch *l, const uint64_t *cells) {
    uint64_t places[GPCI_SYNTHETIC_LANES], left[GPCI_SYNTHETIC_LANES], all = w->mask, again = 0;
    for (unsigned lane = 0; lane < w->lanes; lane++) {
        places[lane] = cells[lane] * ROOM * REAL;
        left[lane] = first_atom(l, cells[lane] + 1) - first_atom(l, cells[lane]);
        again |= (uint64_t)(left[lane] > 0) << lane;
    }
    if (!gpci_if(w, again & all)) {
        gpci_end_if(w);
        return;
    }
    uint32_t rejoin = w->rejoin;
    do {
        uint64_t within = 0;
        load_position(w, l, places);
        again = 0;
        for (uint64_t lanes = w->mask; lanes; lanes &= lanes - 1) {
            unsigned lane = gpci_lowest(lanes);
            uint64_t chance = gpci_mix(l->seed ^ (places[lane] * l->n + w->gx[lane])) >> 32;
            within |= (uint64_t)(chance * 1000 >> 32 < WITHIN) << lane;
            places[lane] += REAL;
            again |= (uint64_t)(--left[lane] > 0) << lane;
        }
        gpci_if(w, within);
        gpci_end_if(w);
    } while (gpci_loop(w, again));
    w->outer = all;
    w->rejoin = rejoin;
    gpci_end_if(w);
}

static void walk_force(gpci_walk *w, const gpci_launch *l) {
    uint64_t own[GPCI_SYNTHETIC_LANES], places[GPCI_SYNTHETIC_LANES], around[GPCI_SYNTHETIC_LANES];
    uint64_t words[GPCI_SYNTHETIC_LANES], thread = w->x * MOLECULE_THREADS + w->first;
    const gpci_operand *lists = &l->operand[LISTS], *table = &l->operand[NEIGHBOURS], *out = &l->operand[FORCES];
    if (!gpci_guard(w, gpci_below(w, thread, l->n)))
        return;
    for (unsigned lane = 0; lane < w->lanes; lane++) {
        uint64_t atom = thread + lane < l->n ? thread + lane : 0, cell = atom / l->columns;
        cell -= first_atom(l, cell) > atom;
        own[lane] = cell;
        places[lane] = (cell * ROOM + atom - first_atom(l, cell)) * REAL;
    }
    gpci_access(w, lists->base + thread * GPCI_ELEMENT, GPCI_ELEMENT);
    gpci_access(w, lists->base + lists->step + thread * GPCI_ELEMENT, GPCI_ELEMENT);
    load_position(w, l, places);
    for (uint64_t k = 0; k < CELLS; k++) {
        for (unsigned lane = 0; lane < w->lanes; lane++)
            words[lane] = (own[lane] * CELLS + k) * GPCI_ELEMENT;
        gpci_access_at(w, table->base, words);
        for (unsigned lane = 0; lane < w->lanes; lane++) {
            around[lane] = neighbour(l, own[lane], k);
            words[lane] = around[lane] * GPCI_ELEMENT;
        }
        gpci_access_at(w, table->base + table->step, words);
        visit_cell(w, l, around);
        gpci_branch(w, k + 1 < CELLS);
    }
    for (uint64_t k = 0; k < 4; k++)
        gpci_access(w, out->base + k * out->step + thread * REAL, REAL);
    gpci_finish(w);
}

static gpc_status plan_comd(gpci_problem *p) {
    gpci_launch l = {.name = "_Z20LJ_Force_thread_atom6SimGpu11AtomListGpu", .code = force_code, .warp = walk_force};
    l.columns = (uint64_t)p->values[0];
    l.stride = (uint64_t)p->values[1];
    l.seed = gpci_mix((uint64_t)p->values[2]);
    uint64_t cells = p->size / (ROOM * REAL);
    for (l.rows = 3; (l.rows + 1) * (l.rows + 1) * (l.rows + 1) <= cells; l.rows++)
        continue;
    if (l.stride >= l.columns || l.columns + l.stride > ROOM)
        return gpci_problem_fail(p, "parameter 'spread': %llu is not below %llu atoms, or both are more than %u",
                                 (unsigned long long)l.stride, (unsigned long long)l.columns, ROOM);
    cells = cells_of(&l);
    l.n = first_atom(&l, cells);
    l.grid[0] = gpci_ceiling(l.n, MOLECULE_THREADS);
    l.block[0] = MOLECULE_THREADS;
    l.operand[LISTS] = gpci_problem_arrays(p, l.n * GPCI_ELEMENT, 2);
    l.operand[NEIGHBOURS] = (gpci_operand){.base = gpci_problem_array(p, cells * (CELLS + 1) * GPCI_ELEMENT),
                                           .step = cells * CELLS * GPCI_ELEMENT};
    l.operand[POSITIONS] = gpci_problem_arrays(p, cells * ROOM * REAL, 3);
    l.operand[FORCES] = gpci_problem_arrays(p, l.n * REAL, 4);
    return gpci_problem_launch(p, &l);
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
