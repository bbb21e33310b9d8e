/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic.h"

#include <string.h>

/*
 * Forces between embedded atoms, as in CoMD-CUDA of 2013 (gpgpu-sim_simulations, proxy-apps-doe/comd: method
 * thread_atom, EAM, potential ag, no time step): EAM_Force_thread_atom<1>, EAM_Force_2, copy_halos_kernel,
 * EAM_Force_thread_atom<3>. A thread has an atom and walks over the atoms of its box and the 26 boxes around. The
 * thread loads three coordinates of each atom. For an atom within the cutoff, EAM_Force_thread_atom<1> (step 1 in the
 * code) interpolates between four entries of a table of the pair's energy, and between four entries of a table of the
 * density. EAM_Force_thread_atom<3> (step 3) uses the table of the density, and both atoms' embedding derivatives. A
 * box has room for 16 atoms: in double precision 128 bytes of each coordinate. A warp's atoms are in three or four
 * boxes, and so a warp uses nine to twelve lines at a time, without the tables. The program's Makefile asks for double
 * precision; single is its other choice.
 *
 * Silver, as in ag.doc: fcc, 4.09 Angstrom, cutoff 5.542. A box is at least as wide as the cutoff, and at most 3/2
 * lattice constants wide, with at most 14 atoms. The cube has as many unit cells as these limits allow. Behind the
 * cube's boxes come halos, two in each direction. With a SIZE of 512 KiB, the cube is the program's default: 20 unit
 * cells and 14 boxes along a side, and 32,000 atoms. The atoms are on their lattice, with three distances within the
 * cutoff; `moved` moves atoms off the lattice.
 *
 * The tables have 500 entries here; ag.phi and ag.rho are binary, and were not read. Blocks of 128 threads, at most 32
 * registers each, as the launch bounds require: a Fermi SM runs 8 blocks. The listing has PTX's registers: a number
 * of 8 bytes takes one register. Values that a compiler keeps between boxes are loaded for each box, as in the source.
 */

#define DOUBLE 8u
#define BOX_ATOMS 16u /* N_MAX_ATOMS */
#define BOX_THREADS 128u
#define BOXES 27u
#define LEAST_BOXES 4u     /* along a side; in a smaller cube a box could have more than BOX_ATOMS atoms */
#define LATTICE 8180u      /* unit of all lengths: 0.0005 Angstrom */
#define HALF_LATTICE 2045u /* half of the distance between two planes of atoms */
#define CUTOFF 11084u
#define ENTRIES 500u /* entries of a table */
#define OVER 3u      /* further entries, for interpolation at the ends */
#define ENDS 3u      /* numbers behind the entries: x0, xn and 1 / dx */

/* Letters: P, the precision in an operation's name, D or F; W, the width in a load's or store's name. */

/* R0 atom, R1 box of the atom, R6 to R8 position, R16 to R18 force, R19 and R20 energy and density. */
#define BEGIN_CODE(W)                                                                                              \
    "R4 S2R; R0 S2R; R3 S2R; R0 IMAD R4 R3 R0; P0 ISETP.GE.AND R0; @P0 EXIT; R4 IMAD R0; R5 LDG.E R4; R4 IMAD R0;" \
    "R1 LDG.E R4; R0 IMAD R1 R5; R4 IMAD R0; R6 LDG.E" W " R4; R7 LDG.E" W " R4; R8 LDG.E" W " R4; R4 IMAD R1;"    \
    "R5 LDG.E R4; P0 ISETP.GE.AND R5; @P0 EXIT; R16 MOV; R17 MOV; R18 MOV; R19 MOV; R20 MOV;"

/* Load four entries of a table, and interpolate the value and the slope. */
#define TABLE_CODE(P, W, a, b, c, d, value, slope)                                                                 \
    a " LDG.E" W " R4;" b " LDG.E" W " R4;" c " LDG.E" W " R4;" d " LDG.E" W " R4;" a " " P "ADD " c a ";" d " " P \
      "ADD " d b ";" value " " P "FMA " b " R15 " value ";" slope " " P "FMA " a " R15 " d ";"

/*
 * R2 boxes left, R3 neighbouring box, R5 atom of that box, R31 atoms left. R9 to R11 distance from box to box, R12 to
 * R14 from atom to atom, along each axis. R15 square of the distance, later the distance. R21 slope.
 */
#define WALK_CODE(P, W, within)                                                                                      \
    "R2 LDG.E R4; box: R4 IMAD R1 R2; R3 LDG.E R4; R4 IMAD R1; R5 IMAD R3; R9 LDG.E" W " R4; R12 LDG.E" W " R5;"     \
    "R10 LDG.E" W " R4; R13 LDG.E" W " R5; R11 LDG.E" W " R4; R14 LDG.E" W " R5; R9 " P "ADD R9 R12; R10 " P         \
    "ADD R10 R13; R11 " P "ADD R11 R14; R31 LDG.E R5; R5 IMAD R3; P0 ISETP.LT.AND R31; @P0 BRA empty;"               \
    "atom: R4 IMAD R5; R12 LDG.E" W " R4; R13 LDG.E" W " R4; R14 LDG.E" W " R4; R12 " P "ADD R6 R12; R12 " P         \
    "ADD R12 R9; R13 " P "ADD R7 R13; R13 " P "ADD R13 R10; R14 " P "ADD R8 R14; R14 " P "ADD R14 R11; R15 " P       \
    "MUL R12 R12; R15 " P "FMA R13 R13 R15; R15 " P "FMA R14 R14 R15; P1 " P "SETP.GT.AND R15; @P1 BRA apart;"       \
    "R30 MUFU.RSQ R15; R15 " P "MUL R15 R30; R30 " P "FMA R15; R30 F2I R30; R4 IMAD R30;" within "R30 MUFU.RCP R15;" \
    "R21 " P "MUL R21 R30; R16 " P "FMA R21 R12 R16; R17 " P "FMA R21 R13 R17; R18 " P "FMA R21 R14 R18;"            \
    "apart: R5 IADD3 R5; R31 IADD3 R31; P0 ISETP.NE.AND R31; @P0 BRA atom;"                                          \
    "empty: R2 IADD3 R2; P2 ISETP.NE.AND R2; @P2 BRA box; R4 IMAD R0; STG.E" W " R4 R16; STG.E" W " R4 R17;"         \
    "STG.E" W " R4 R18;"

#define DENSITY_CODE(P, W)                                                          \
    BEGIN_CODE(W)                                                                   \
    WALK_CODE(P, W,                                                                 \
              TABLE_CODE(P, W, "R22 ", "R23 ", "R24 ", "R25 ", "R19 ", "R21 ")      \
                  TABLE_CODE(P, W, "R26 ", "R27 ", "R28 ", "R29 ", "R20 ", "R30 ")) \
    "R19 " P "MUL R19; STG.E" W " R4 R19; STG.E" W " R4 R20; EXIT"

#define EMBEDDING_CODE(P, W)                                                                                   \
    BEGIN_CODE(W)                                                                                              \
    "R16 LDG.E" W " R4; R17 LDG.E" W " R4; R18 LDG.E" W                                                        \
    " R4;" WALK_CODE(P, W,                                                                                     \
                     TABLE_CODE(P, W, "R26 ", "R27 ", "R28 ", "R29 ", "R20 ",                                  \
                                "R21 ") "R4 IMAD R0; R22 LDG.E" W " R4; R4 IMAD R5; R23 LDG.E" W " R4; R22 " P \
                                        "ADD R22 R23; R21 " P "MUL R21 R22;") "EXIT"

/* A block has a box: R0 place of the atom, R1 box, R2 halo flag, R3 mirrored box. */
#define BOX_CODE(relation)                                                                                     \
    "R0 S2R; R1 S2R; R4 IMAD R1; R5 LDG.E R4; P0 ISETP.GE.AND R0 R5; @P0 EXIT; R2 IMAD R1; P0 ISETP." relation \
    ".AND R2; @P0 EXIT; R3 IMAD R2; R0 IMAD R1 R0; R3 IMAD R3 R0;"

#define ENERGY_CODE(P, W)                                                                                   \
    BOX_CODE("GE")                                                                                          \
    "R4 IMAD R0; R6 LDG.E" W " R4; R7 LDG.E" W "; R8 LDG.E" W "; R9 LDG.E" W "; P1 " P "SETP.GT.AND R6 R8;" \
    "R6 SEL R6 R8 P1; R15 " P "ADD R6 R7;"                                                                  \
    "R15 " P "MUL R15 R9; R5 F2I R15; R4 IMAD R5; R14 MOV;" TABLE_CODE(                                     \
        P, W, "R10 ", "R11 ", "R12 ", "R13 ", "R14 ", "R17 ") "R4 IMAD R0; STG.E" W " R4 R17; R16 LDG.E" W  \
                                                              " R4; R16 " P "ADD R16 R14; STG.E" W " R4 R16; EXIT"

#define HALO_CODE(W) BOX_CODE("LT") "4*{ R6 LDG.E" W " R3; STG.E" W " R0 R6 }; EXIT"

static const struct {
    const char *density, *energy, *halo, *embedding;
} codes[2] = {{DENSITY_CODE("F", ""), ENERGY_CODE("F", ""), HALO_CODE(""), EMBEDDING_CODE("F", "")},
              {DENSITY_CODE("D", ".64"), ENERGY_CODE("D", ".64"), HALO_CODE(".64"), EMBEDDING_CODE("D", ".64")}};

/* Operands; `step` is the distance to the next array. `window` of the launch: address of the neighbours' numbers. */
enum { LISTS, CELLS, ATOMS, TABLES };
enum { CENTRES, NEIGHBOURS = 3, COUNTS, CELL_ARRAYS };
enum { POSITIONS, FORCES = 3, ENERGIES = 6, DERIVATIVES, DENSITIES, ATOM_ARRAYS };
enum { PAIR, DENSITY, EMBEDDING, TABLE_ARRAYS };

/*
 * Launch fields. n: atoms. rows: boxes along a side, without halos. columns: unit cells along a side. steps: boxes
 * visited by a thread. repeats: 1 or 3, the step of EAM_Force_thread_atom. stride: largest distance of an atom from its
 * place in the lattice, along an axis. operands: bytes of a number. data: first atom of each box, and the number of
 * atoms.
 */
static uint64_t array(const gpci_launch *launch, unsigned operand, uint64_t number) {
    return launch->operand[operand].base + number * launch->operand[operand].step;
}

/* First plane of atoms that is not before box `x` of a side. */
static uint64_t first_plane(const gpci_launch *launch, uint64_t x) {
    return (gpci_ceiling(4 * launch->columns * x, launch->rows)) / 2;
}

/* Compute the positions of a box's atoms along each axis, in the program's order. Returns the number of atoms. */
static unsigned atoms_of(const gpci_launch *launch, uint64_t box, int32_t at[BOX_ATOMS][3]) {
    const uint64_t side = launch->rows, place[3] = {box % side, box / side % side, box / side / side};
    uint64_t from[3], to[3];
    unsigned count = 0;
    for (unsigned axis = 0; axis < 3; axis++) {
        from[axis] = first_plane(launch, place[axis]);
        to[axis] = first_plane(launch, place[axis] + 1);
    }
    for (uint64_t z = from[2]; z < to[2]; z++)
        for (uint64_t y = from[1]; y < to[1]; y++)
            for (uint64_t x = from[0]; x < to[0]; x++) {
                const uint64_t plane[3] = {x, y, z};
                if (!((x + y + z) % 2))
                    continue;
                for (unsigned axis = 0; axis < 3; axis++) {
                    const uint64_t drawn = gpci_mix(launch->seed + ((z << 20 | y) << 20 | x) * 3 + axis) >> 32;
                    at[count][axis] = (int32_t)((2 * plane[axis] + 1) * HALF_LATTICE) +
                                      (int32_t)(drawn * (2 * launch->stride + 1) >> 32) - (int32_t)launch->stride;
                }
                count++;
            }
    return count;
}

/*
 * Number of a box in the order that has the halos behind the cube's boxes. The coordinates in `place` are one too
 * large: a 0, or the cube's side + 1, is a halo.
 */
static uint64_t numbered(const gpci_launch *launch, const uint64_t place[3]) {
    uint64_t number = 0;
    for (unsigned axis = 3; axis--;) {
        const uint64_t x = place[axis] - 1, side = launch->rows;
        number = number * (side + 2) + (place[axis] == 0 ? side : x == side ? side + 1 : x);
    }
    return number;
}

/* Box of the cube for a number of numbered(). *halo: the number is a halo, and mirrors the returned box. */
static uint64_t mirrored(const gpci_launch *launch, uint64_t number, bool *halo) {
    const uint64_t side = launch->rows, all = side + 2;
    uint64_t place[3] = {number % all, number / all % all, number / all / all};
    *halo = false;
    for (unsigned axis = 0; axis < 3; axis++) {
        *halo |= place[axis] >= side;
        place[axis] = place[axis] == side ? side - 1 : place[axis] == side + 1 ? 0 : place[axis];
    }
    return (place[2] * side + place[1]) * side + place[0];
}

/* Box of the atom with number `atom`. */
static uint64_t box_of(const gpci_launch *launch, uint64_t atom) {
    const uint32_t *first = launch->data;
    uint64_t low = 0, high = launch->rows * launch->rows * launch->rows;
    while (high - low > 1) {
        const uint64_t middle = (low + high) / 2;
        *(first[middle] <= atom ? &low : &high) = middle;
    }
    return low;
}

/* Each lane's box in the cube, its number among all boxes, offset of the lane's atom in an array, and its position. */
typedef struct embedded {
    uint64_t box[GPCI_SYNTHETIC_LANES], number[GPCI_SYNTHETIC_LANES], own[GPCI_SYNTHETIC_LANES];
    int32_t at[GPCI_SYNTHETIC_LANES][3];
} embedded;

/* For each lane, a box near the lane's box: the number among all boxes, and the positions of its atoms. */
typedef struct box_neighbours {
    uint64_t number[GPCI_SYNTHETIC_LANES];
    int32_t at[GPCI_SYNTHETIC_LANES][BOX_ATOMS][3];
    unsigned count[GPCI_SYNTHETIC_LANES];
} box_neighbours;

static uint64_t square(const gpci_launch *launch, const int32_t *a, const int32_t *b) {
    const int64_t length = (int64_t)(LATTICE * launch->columns);
    uint64_t sum = 0;
    for (unsigned axis = 0; axis < 3; axis++) {
        int64_t d = (int64_t)a[axis] - b[axis];
        d = d > length / 2 ? d - length : d < -length / 2 ? d + length : d;
        sum += (uint64_t)(d * d);
    }
    return sum;
}

static void load_table(gpci_walk *walk, const gpci_launch *launch, unsigned table, const uint64_t *entries) {
    for (uint64_t k = 0; k < 4; k++)
        gpci_access_at(walk, array(launch, TABLES, table) + k * launch->operands, entries);
}

/* Visit atom number `atom` of each lane's box in `neighbours`. Lanes within the cutoff read the tables. */
static void meet(gpci_walk *walk, const gpci_launch *launch, const embedded *kernel, const box_neighbours *neighbours,
                 unsigned atom) {
    uint64_t places[GPCI_SYNTHETIC_LANES] = {0}, entries[GPCI_SYNTHETIC_LANES] = {0}, within = 0;
    for (uint64_t lanes = walk->mask; lanes; lanes &= lanes - 1) {
        const unsigned lane = gpci_lowest(lanes);
        const uint64_t far = square(launch, kernel->at[lane], neighbours->at[lane][atom]);
        places[lane] = (neighbours->number[lane] * BOX_ATOMS + atom) * launch->operands;
        entries[lane] = gpci_root(far) * ENTRIES / CUTOFF * launch->operands;
        within |= (uint64_t)(far && far <= (uint64_t)CUTOFF * CUTOFF) << lane;
    }
    for (unsigned axis = 0; axis < 3; axis++)
        gpci_access_at(walk, array(launch, ATOMS, POSITIONS + axis), places);
    if (gpci_if(walk, within)) {
        if (launch->repeats == 1)
            load_table(walk, launch, PAIR, entries);
        load_table(walk, launch, DENSITY, entries);
        if (launch->repeats == 3) {
            gpci_access_at(walk, array(launch, ATOMS, DERIVATIVES), kernel->own);
            gpci_access_at(walk, array(launch, ATOMS, DERIVATIVES), places);
        }
    }
    gpci_end_if(walk);
}

/* Visit all atoms of each lane's box in `neighbours`. */
static void visit(gpci_walk *walk, const gpci_launch *launch, const embedded *kernel,
                  const box_neighbours *neighbours) {
    const uint64_t all = walk->mask;
    uint64_t again = all;
    if (!gpci_if(walk, all))
        return;
    const uint32_t rejoin = walk->rejoin;
    for (unsigned atom = 0;; atom++) {
        const uint64_t now = again;
        meet(walk, launch, kernel, neighbours, atom);
        again = 0;
        for (uint64_t lanes = now; lanes; lanes &= lanes - 1)
            again |= (uint64_t)(atom + 1 < neighbours->count[gpci_lowest(lanes)]) << gpci_lowest(lanes);
        if (!gpci_loop(walk, again))
            break;
    }
    walk->outer = all;
    walk->rejoin = rejoin;
    gpci_end_if(walk);
}

/* Find the `k`th box around each lane's box. */
static void look(gpci_walk *walk, const gpci_launch *launch, const embedded *kernel, uint64_t k,
                 box_neighbours *neighbours) {
    const uint64_t side = launch->rows;
    for (unsigned lane = 0; lane < walk->lanes; lane++) {
        const uint64_t box = kernel->box[lane];
        if (lane && box == kernel->box[lane - 1]) {
            neighbours->number[lane] = neighbours->number[lane - 1];
            neighbours->count[lane] = neighbours->count[lane - 1];
            memcpy(neighbours->at[lane], neighbours->at[lane - 1], sizeof neighbours->at[lane]);
            continue;
        }
        const uint64_t place[3] = {box % side + k / 9, box / side % side + k / 3 % 3, box / side / side + k % 3};
        bool halo;
        neighbours->number[lane] = numbered(launch, place);
        neighbours->count[lane] =
            atoms_of(launch, mirrored(launch, neighbours->number[lane], &halo), neighbours->at[lane]);
    }
}

static void of_boxes(gpci_walk *walk, const gpci_launch *launch, unsigned number, const uint64_t *boxes,
                     uint64_t bytes) {
    uint64_t offsets[GPCI_SYNTHETIC_LANES];
    for (unsigned lane = 0; lane < walk->lanes; lane++)
        offsets[lane] = boxes[lane] * bytes;
    gpci_access_at(walk, array(launch, CELLS, number), offsets);
}

static void walk_boxes(gpci_walk *walk, const gpci_launch *launch, const embedded *kernel) {
    box_neighbours neighbours;
    uint64_t words[GPCI_SYNTHETIC_LANES];
    of_boxes(walk, launch, NEIGHBOURS, kernel->number, GPCI_ELEMENT);
    for (uint64_t k = 0; k < launch->steps; k++) {
        look(walk, launch, kernel, k, &neighbours);
        for (unsigned lane = 0; lane < walk->lanes; lane++)
            words[lane] = (kernel->number[lane] * BOXES + k) * GPCI_ELEMENT;
        gpci_access_at(walk, launch->window, words);
        for (unsigned axis = 0; axis < 3; axis++) {
            of_boxes(walk, launch, CENTRES + axis, kernel->number, launch->operands);
            of_boxes(walk, launch, CENTRES + axis, neighbours.number, launch->operands);
        }
        of_boxes(walk, launch, COUNTS, neighbours.number, GPCI_ELEMENT);
        visit(walk, launch, kernel, &neighbours);
        gpci_branch(walk, k + 1 < launch->steps);
    }
}

/* EAM_Force_thread_atom, the steps 1 and 3. */
static void walk_force(gpci_walk *walk, const gpci_launch *launch) {
    const uint32_t *first = launch->data;
    const uint64_t thread = walk->x * BOX_THREADS + walk->first;
    int32_t at[BOX_ATOMS][3];
    embedded kernel;
    if (!gpci_guard(walk, gpci_below(walk, thread, launch->n)))
        return;
    for (unsigned lane = 0; lane < walk->lanes; lane++) {
        const uint64_t atom = thread + lane < launch->n ? thread + lane : launch->n - 1, box = box_of(launch, atom),
                       side = launch->rows;
        const uint64_t place[3] = {box % side + 1, box / side % side + 1, box / side / side + 1};
        kernel.box[lane] = box;
        kernel.number[lane] = numbered(launch, place);
        kernel.own[lane] = (kernel.number[lane] * BOX_ATOMS + atom - first[box]) * launch->operands;
        (void)atoms_of(launch, box, at);
        memcpy(kernel.at[lane], at[atom - first[box]], sizeof kernel.at[lane]);
    }
    for (unsigned k = 0; k < 2; k++)
        gpci_access(walk, array(launch, LISTS, k) + thread * GPCI_ELEMENT, GPCI_ELEMENT);
    for (unsigned axis = 0; axis < 3; axis++)
        gpci_access_at(walk, array(launch, ATOMS, POSITIONS + axis), kernel.own);
    of_boxes(walk, launch, COUNTS, kernel.number, GPCI_ELEMENT);
    (void)gpci_guard(walk, walk->all);
    for (unsigned axis = 0; axis < 3 && launch->repeats == 3; axis++)
        gpci_access_at(walk, array(launch, ATOMS, FORCES + axis), kernel.own);
    walk_boxes(walk, launch, &kernel);
    for (unsigned axis = 0; axis < 3; axis++)
        gpci_access_at(walk, array(launch, ATOMS, FORCES + axis), kernel.own);
    if (launch->repeats == 1) {
        gpci_access_at(walk, array(launch, ATOMS, ENERGIES), kernel.own);
        gpci_access_at(walk, array(launch, ATOMS, DENSITIES), kernel.own);
    }
    gpci_finish(walk);
}

/*
 * Lanes with an atom in the block's box; 0: the warp has ended. If `halos`, only halos go on; otherwise only other
 * boxes.
 */
static uint64_t begin_box(gpci_walk *walk, const gpci_launch *launch, bool halos) {
    const uint32_t *first = launch->data;
    bool halo;
    const uint64_t box = mirrored(launch, walk->x, &halo);
    gpci_access(walk, array(launch, CELLS, COUNTS) + walk->x * GPCI_ELEMENT, 0);
    if (!gpci_guard(walk, gpci_below(walk, walk->first, first[box + 1] - first[box])))
        return 0;
    return gpci_guard(walk, halo == halos ? walk->all : 0) ? walk->all : 0;
}

/* Access one of the arrays of atoms, for the block's box. */
static void of_box(gpci_walk *walk, const gpci_launch *launch, unsigned number, uint64_t box) {
    gpci_access(walk, array(launch, ATOMS, number) + (box * BOX_ATOMS + walk->first) * launch->operands,
                launch->operands);
}

/* EAM_Force_2. In a lattice all atoms have the same density: all read the entries in the middle of the table. */
static void walk_energy(gpci_walk *walk, const gpci_launch *launch) {
    if (!begin_box(walk, launch, false))
        return;
    of_box(walk, launch, DENSITIES, walk->x);
    for (unsigned k = 0; k < ENDS; k++)
        gpci_access(walk, array(launch, TABLES, EMBEDDING) + (ENTRIES + OVER + k) * launch->operands, 0);
    for (unsigned k = 0; k < 4; k++)
        gpci_access(walk, array(launch, TABLES, EMBEDDING) + (ENTRIES / 2 + k) * launch->operands, 0);
    of_box(walk, launch, DERIVATIVES, walk->x);
    of_box(walk, launch, ENERGIES, walk->x);
    of_box(walk, launch, ENERGIES, walk->x);
    gpci_finish(walk);
}

/* copy_halos_kernel: copy from the box mirrored by a halo. */
static void walk_halo(gpci_walk *walk, const gpci_launch *launch) {
    static const unsigned copied[] = {DERIVATIVES, POSITIONS, POSITIONS + 1, POSITIONS + 2};
    bool halo;
    if (!begin_box(walk, launch, true))
        return;
    const uint64_t box = mirrored(launch, walk->x, &halo), side = launch->rows;
    const uint64_t place[3] = {box % side + 1, box / side % side + 1, box / side / side + 1};
    for (unsigned k = 0; k < 4; k++) {
        of_box(walk, launch, copied[k], numbered(launch, place));
        of_box(walk, launch, copied[k], walk->x);
    }
    gpci_finish(walk);
}

/* Count the atoms of all boxes. Returns the largest number of atoms in a box; 0: out of memory. */
static uint64_t count_atoms(gpci_problem *problem, gpci_launch *launch) {
    const uint64_t boxes = launch->rows * launch->rows * launch->rows;
    uint32_t *first = gpci_problem_data(problem, (boxes + 1) * sizeof *first);
    int32_t at[BOX_ATOMS][3];
    uint64_t most = 0;
    if (!first)
        return 0;
    for (uint64_t box = 0; box < boxes; box++) {
        const unsigned count = atoms_of(launch, box, at);
        first[box + 1] = first[box] + count;
        most = count > most ? count : most;
    }
    launch->data = first;
    launch->n = first[boxes];
    return most;
}

static gpc_status plan_launches(gpci_problem *problem, gpci_launch *launch, uint64_t most) {
    const struct {
        const char *name, *code;
        void (*warp)(gpci_walk *walk, const gpci_launch *l);
        uint64_t step;
    } kernels[] = {
        {"_Z21EAM_Force_thread_atomILi1EEv5sim_t", codes[launch->operands == DOUBLE].density, walk_force, 1},
        {"_Z11EAM_Force_25sim_t", codes[launch->operands == DOUBLE].energy, walk_energy, 0},
        {"_Z17copy_halos_kernel5sim_t", codes[launch->operands == DOUBLE].halo, walk_halo, 0},
        {"_Z21EAM_Force_thread_atomILi3EEv5sim_t", codes[launch->operands == DOUBLE].embedding, walk_force, 3},
    };
    const uint64_t blocks = (uint64_t)problem->values[1], only = (uint64_t)problem->values[4], all = launch->rows + 2;
    const uint64_t forces = gpci_ceiling(launch->n, BOX_THREADS);
    gpc_status status = GPC_OK;
    for (unsigned k = 0; k < 4 && status == GPC_OK; k++) {
        launch->name = kernels[k].name;
        launch->code = kernels[k].code;
        launch->warp = kernels[k].warp;
        launch->repeats = kernels[k].step;
        launch->grid[0] = !launch->repeats ? all * all * all : blocks && blocks < forces ? blocks : forces;
        launch->block[0] = launch->repeats ? BOX_THREADS : most;
        if (!only || only == k + 1)
            status = gpci_problem_launch(problem, launch);
    }
    return status;
}

static gpc_status plan_eam(gpci_problem *problem) {
    gpci_launch launch = {.steps = (uint64_t)problem->values[0],
                          .operands = problem->values[5] != 0 ? DOUBLE : DOUBLE / 2};
    launch.stride = 2 * (uint64_t)problem->values[2];
    launch.seed = gpci_mix((uint64_t)problem->values[3]);
    for (launch.rows = LEAST_BOXES;
         (launch.rows + 3) * (launch.rows + 3) * (launch.rows + 3) * BOX_ATOMS * DOUBLE <= problem->size; launch.rows++)
        continue;
    const uint64_t cells = (launch.rows + 2) * (launch.rows + 2) * (launch.rows + 2), widest = 3 * launch.rows / 2;
    launch.columns = (CUTOFF * (launch.rows + 1) - 1) / LATTICE;
    launch.columns = launch.columns < widest ? launch.columns : widest;
    const uint64_t most = count_atoms(problem, &launch);
    if (!most)
        return GPC_ERROR_MEMORY;
    launch.operand[LISTS] = gpci_problem_arrays(problem, cells * BOX_ATOMS * GPCI_ELEMENT, 2);
    launch.operand[CELLS] = gpci_problem_arrays(problem, cells * launch.operands, CELL_ARRAYS);
    launch.operand[ATOMS] = gpci_problem_arrays(problem, cells * BOX_ATOMS * launch.operands, ATOM_ARRAYS);
    launch.operand[TABLES] = gpci_problem_arrays(problem, (ENTRIES + OVER + ENDS) * launch.operands, TABLE_ARRAYS);
    launch.window = gpci_problem_array(problem, cells * BOXES * GPCI_ELEMENT);
    return plan_launches(problem, &launch, most);
}

static const gpc_parameter eam_parameters[] = {
    {"steps", BOXES, 1, BOXES, true, "boxes that a thread visits of the 27"},
    {"blocks", 0, 0, 1 << 30, true, "of the forces' launches; 0: as many as there are atoms for"},
    {"moved", 0, 0, 200, true, "how far an atom is off its place in each direction, at most, in .001 Angstrom"},
    {"seed", 1, 0, 1e15, true, "of these distances"},
    {"launch", 0, 0, 4, true,
     "1: the densities' forces alone, 2: energies, 3: halos, 4: the embeddings' forces; 0: all"},
    {"double", 1, 0, 1, true, "precision: double, or single"},
};

const gpci_synthetic gpci_synthetic_comd_eam = {
    .name = "comd-eam",
    .summary =
        "forces between embedded atoms of neighbouring boxes, as Fermi ran them; SIZE of a coordinate, 128 bytes "
        "a box, halos, too (steps=27, blocks=0: all, moved=0, seed=1, launch=0: all)",
    .least = (LEAST_BOXES + 2) * (LEAST_BOXES + 2) * (LEAST_BOXES + 2) * BOX_ATOMS * DOUBLE,
    .parameters = eam_parameters,
    .parameter_count = 6,
    .plan = plan_eam,
};
