/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic.h"

/*
 * Speckle reducing anisotropic diffusion, as in Rodinia's srad_v2 (Che et al., IISWC 2009), compiled for Fermi.
 * srad_cuda_1 computes each pixel's differences to its four neighbours and a coefficient. srad_cuda_2 sums the
 * differences with the coefficients of the neighbours below and to the right. Blocks of 16 x 16 put their patch and the
 * rows and columns around the patch into shared memory. All threads load values around the patch, not only the
 * threads at the patch's border. Blocks at the image's border then load another pixel as a replacement.
 *
 * The kernels have 9 and 10 loads. Table 3 of seeds/001 counts runs of a search for the loads that should bypass L1:
 * one run without bypassing, and for each kernel a run for each load and for each pair of loads: 1 + 45 + 55 = 101
 * runs.
 *
 * The program selects a neighbour's array in nine cases; here the array is selected directly. The published problem has
 * 2,048 x 2,048 pixels, 16 MiB, and two rounds.
 */

#define IMAGE_SIDE 16u
#define MOST_ROUNDS 24u
#define IMAGE_PATCH (IMAGE_SIDE * IMAGE_SIDE * GPCI_ELEMENT)

/* R4 address in the image, R6 address in shared memory. R8 pixel, R9 to R12 its differences, R16 coefficient. */
static const char differences_code[] =
    "R1 MOV; R0 S2R; R2 S2R; R3 S2R; R5 S2R; R4 IMAD R2 R1 R3; R4 IADD3 R4 R0; R6 LEA R3 R0; R8 LDG.E R4; R9 LDG.E R4;"
    "STS R6 R8; STS R6 R9; P0 ISETP.NE.AND R2; @P0 BRA south; R8 LDG.E R4; STS R6 R8;"
    "south: P0 ISETP.NE.AND R2 R1; @P0 BRA rows; R8 LDG.E R4; STS R6 R8;"
    "rows: BAR.SYNC.DEFER_BLOCKING; R8 LDG.E R4; R9 LDG.E R4; STS R6 R8; STS R6 R9; P0 ISETP.NE.AND R5; @P0 BRA east;"
    "R8 LDG.E R4; STS R6 R8;"
    "east: P0 ISETP.NE.AND R5 R1; @P0 BRA columns; R8 LDG.E R4; STS R6 R8;"
    "columns: BAR.SYNC.DEFER_BLOCKING; R8 LDG.E R4; STS R6 R8; BAR.SYNC.DEFER_BLOCKING; R8 LDS R6; R9 LDS R6;"
    "R10 LDS R6; R11 LDS R6; R12 LDS R6; R9 FADD R9 R8; R10 FADD R10 R8; R11 FADD R11 R8; R12 FADD R12 R8;"
    "R13 FMUL R9 R9; R13 FFMA R10 R10 R13; R13 FFMA R11 R11 R13; R13 FFMA R12 R12 R13; R14 FMUL R8 R8;"
    "R14 MUFU.RCP R14; R13 FMUL R13 R14; R14 FADD R9 R10; R14 FADD R14 R11; R14 FADD R14 R12; R15 MUFU.RCP R8;"
    "R14 FMUL R14 R15; R15 FMUL R14 R14; R13 FMUL R13; R13 FFMA R15 R13; R14 FADD R14; R15 FMUL R14 R14;"
    "R15 MUFU.RCP R15; R13 FMUL R13 R15; R13 FADD R13; R13 FMUL R13; R13 FADD R13; R16 MUFU.RCP R13; R16 FMNMX R16;"
    "STG.E R4 R16; STG.E R4 R12; STG.E R4 R11; STG.E R4 R10; STG.E R4 R9; EXIT";

/* R8 to R11 coefficients, R12 pixel, R13 to R16 its differences. */
static const char update_code[] =
    "R1 MOV; R0 S2R; R2 S2R; R3 S2R; R5 S2R; R4 IMAD R2 R1 R3; R4 IADD3 R4 R0; R6 LEA R3 R0; R8 LDG.E R4; STS R6 R8;"
    "P0 ISETP.NE.AND R2 R1; @P0 BRA rows; R8 LDG.E R4; STS R6 R8;"
    "rows: BAR.SYNC.DEFER_BLOCKING; R8 LDG.E R4; STS R6 R8; P0 ISETP.NE.AND R5 R1; @P0 BRA columns; R8 LDG.E R4;"
    "STS R6 R8;"
    "columns: BAR.SYNC.DEFER_BLOCKING; R8 LDG.E R4; STS R6 R8; R12 LDG.E R4; BAR.SYNC.DEFER_BLOCKING; R8 LDS R6; R9 "
    "LDS R6;"
    "R10 LDS R6; R13 LDG.E R4; R14 LDG.E R4; R15 LDG.E R4; R16 LDG.E R4; R17 FMUL R8 R13; R17 FFMA R9 R14 R17;"
    "R17 FFMA R8 R15 R17; R17 FFMA R10 R16 R17; R12 FFMA R17 R12; STG.E R4 R12; EXIT";

/* Operands: image, coefficients, differences east, west, south, north. `n` of the launch: pixels along a side. */
enum { IMAGE, COEFFICIENTS, DIFFERENCES };
enum { EAST, WEST, SOUTH, NORTH };
/* Arrays in shared memory: the patch, the rows above and below the patch, the columns left and right. */
enum { OWN, ABOVE, BELOW, LEFT, RIGHT };

typedef struct patch {
    uint64_t base;                         /* offset of the patch's first pixel in an array */
    uint64_t own[GPCI_SYNTHETIC_LANES];    /* offsets of the lanes' pixels */
    uint64_t row[GPCI_SYNTHETIC_LANES];    /* offsets of pixels in the patch's first row */
    uint64_t column[GPCI_SYNTHETIC_LANES]; /* offsets of pixels in the patch's first column */
    uint64_t cell[GPCI_SYNTHETIC_LANES];   /* offsets in an array of shared memory */
} patch;

static void place(const gpci_walk *walk, const gpci_launch *launch, patch *tile) {
    const uint64_t pitch = launch->n * GPCI_ELEMENT;
    tile->base = walk->y * IMAGE_SIDE * pitch + walk->x * IMAGE_SIDE * GPCI_ELEMENT;
    for (unsigned lane = 0; lane < walk->lanes; lane++) {
        tile->row[lane] = walk->tx[lane] * GPCI_ELEMENT;
        tile->column[lane] = walk->ty[lane] * pitch;
        tile->own[lane] = tile->row[lane] + tile->column[lane];
        tile->cell[lane] = (walk->ty[lane] * IMAGE_SIDE + walk->tx[lane]) * GPCI_ELEMENT;
    }
}

static uint64_t shared(unsigned array) {
    return GPCI_SHARED_BASE + array * IMAGE_PATCH;
}

/* Access each thread's own element of an array in shared memory. */
static void own(gpci_walk *walk, const patch *tile, unsigned array) {
    gpci_access_at(walk, shared(array), tile->cell);
}

/* If the block is at the image's border (`here`), load another pixel in place of the pixel beyond the image. */
static void instead(gpci_walk *walk, const patch *tile, bool here, uint64_t base, const uint64_t *offsets,
                    unsigned array) {
    if (gpci_if(walk, here ? walk->mask : 0)) {
        gpci_access_at(walk, base, offsets);
        own(walk, tile, array);
    }
    gpci_end_if(walk);
}

/* Read a neighbour from shared memory: from the patch, or beyond the patch's border. */
static void get(gpci_walk *walk, const patch *tile, unsigned beyond) {
    uint64_t from[GPCI_SYNTHETIC_LANES];
    for (unsigned lane = 0; lane < walk->lanes; lane++) {
        const uint64_t x = walk->tx[lane], y = walk->ty[lane], cell = tile->cell[lane];
        const bool border = beyond == ABOVE   ? y == 0
                            : beyond == BELOW ? y == IMAGE_SIDE - 1
                            : beyond == LEFT  ? x == 0
                                              : x == IMAGE_SIDE - 1;
        const uint64_t away = beyond == ABOVE || beyond == BELOW ? IMAGE_SIDE * GPCI_ELEMENT : GPCI_ELEMENT;
        from[lane] = border                               ? beyond * IMAGE_PATCH + cell
                     : beyond == BELOW || beyond == RIGHT ? cell + away
                                                          : cell - away;
    }
    gpci_access_at(walk, GPCI_SHARED_BASE, from);
}

static void walk_differences(gpci_walk *walk, const gpci_launch *launch) {
    patch tile;
    place(walk, launch, &tile);
    const uint64_t pitch = launch->n * GPCI_ELEMENT, image = launch->operand[IMAGE].base + tile.base,
                   last = launch->n / IMAGE_SIDE - 1;
    const uint64_t end = (IMAGE_SIDE - 1) * pitch, edge = (IMAGE_SIDE - 1) * GPCI_ELEMENT;
    gpci_access_at(walk, image - pitch, tile.row);
    gpci_access_at(walk, image + IMAGE_SIDE * pitch, tile.row);
    own(walk, &tile, ABOVE);
    own(walk, &tile, BELOW);
    instead(walk, &tile, walk->y == 0, image, tile.row, ABOVE);
    instead(walk, &tile, walk->y == last, image + end, tile.row, BELOW);
    gpci_barrier(walk);
    gpci_access_at(walk, image - GPCI_ELEMENT, tile.column);
    gpci_access_at(walk, image + IMAGE_SIDE * GPCI_ELEMENT, tile.column);
    own(walk, &tile, LEFT);
    own(walk, &tile, RIGHT);
    instead(walk, &tile, walk->x == 0, image, tile.column, LEFT);
    instead(walk, &tile, walk->x == last, image + edge, tile.column, RIGHT);
    gpci_barrier(walk);
    gpci_access_at(walk, image, tile.own);
    own(walk, &tile, OWN);
    gpci_barrier(walk);
    own(walk, &tile, OWN);
    for (unsigned beyond = ABOVE; beyond <= RIGHT; beyond++)
        get(walk, &tile, beyond);
    gpci_access_at(walk, launch->operand[COEFFICIENTS].base + tile.base, tile.own);
    for (unsigned k = EAST; k <= NORTH; k++)
        gpci_access_at(walk, launch->operand[DIFFERENCES].base + k * launch->operand[DIFFERENCES].step + tile.base,
                       tile.own);
    gpci_finish(walk);
}

static void walk_update(gpci_walk *walk, const gpci_launch *launch) {
    static const unsigned order[] = {NORTH, SOUTH, WEST, EAST};
    patch tile;
    place(walk, launch, &tile);
    const uint64_t pitch = launch->n * GPCI_ELEMENT, given = launch->operand[COEFFICIENTS].base + tile.base,
                   last = launch->n / IMAGE_SIDE - 1;
    gpci_access_at(walk, given + IMAGE_SIDE * pitch, tile.row);
    own(walk, &tile, BELOW);
    instead(walk, &tile, walk->y == last, given + (IMAGE_SIDE - 1) * pitch, tile.row, BELOW);
    gpci_barrier(walk);
    gpci_access_at(walk, given + IMAGE_SIDE * GPCI_ELEMENT, tile.column);
    own(walk, &tile, RIGHT);
    instead(walk, &tile, walk->x == last, given + (IMAGE_SIDE - 1) * GPCI_ELEMENT, tile.column, RIGHT);
    gpci_barrier(walk);
    gpci_access_at(walk, given, tile.own);
    own(walk, &tile, OWN);
    gpci_access_at(walk, launch->operand[IMAGE].base + tile.base, tile.own);
    gpci_barrier(walk);
    own(walk, &tile, OWN);
    get(walk, &tile, BELOW);
    get(walk, &tile, RIGHT);
    for (unsigned k = 0; k < 4; k++)
        gpci_access_at(walk,
                       launch->operand[DIFFERENCES].base + order[k] * launch->operand[DIFFERENCES].step + tile.base,
                       tile.own);
    gpci_access_at(walk, launch->operand[IMAGE].base + tile.base, tile.own);
    gpci_finish(walk);
}

/* Allocate an array with one more row in front and behind, read by blocks at the border. */
static uint64_t image(gpci_problem *problem, uint64_t side) {
    return gpci_problem_array(problem, (side + 2) * side * GPCI_ELEMENT) + side * GPCI_ELEMENT;
}

static gpc_status plan_srad(gpci_problem *problem) {
    gpci_launch launch = {.n = gpci_root(problem->size / GPCI_ELEMENT) / IMAGE_SIDE * IMAGE_SIDE};
    launch.operand[IMAGE].base = image(problem, launch.n);
    launch.operand[COEFFICIENTS].base = image(problem, launch.n);
    launch.operand[DIFFERENCES] = gpci_problem_arrays(problem, launch.n * launch.n * GPCI_ELEMENT, 4);
    launch.block[0] = launch.block[1] = IMAGE_SIDE;
    launch.grid[0] = launch.grid[1] = launch.n / IMAGE_SIDE;
    gpc_status status = GPC_OK;
    for (unsigned round = 0; round < problem->values[0] && status == GPC_OK; round++) {
        launch.name = "_Z11srad_cuda_1PfS_S_S_S_S_iif";
        launch.code = differences_code;
        launch.warp = walk_differences;
        launch.shared = 6 * IMAGE_PATCH;
        status = gpci_problem_launch(problem, &launch);
        launch.name = "_Z11srad_cuda_2PfS_S_S_S_S_iiff";
        launch.code = update_code;
        launch.warp = walk_update;
        launch.shared = 5 * IMAGE_PATCH;
        if (status == GPC_OK)
            status = gpci_problem_launch(problem, &launch);
    }
    return status;
}

static const gpc_parameter srad_parameters[] = {
    {"rounds", 1, 1, MOST_ROUNDS, true, "of two launches each"},
};

const gpci_synthetic gpci_synthetic_rodinia_srad = {
    .name = "rodinia-srad",
    .summary = "srad_v2's anisotropic diffusion, as Fermi ran it; SIZE of the image (rounds=1)",
    .least = IMAGE_SIDE * IMAGE_SIDE * GPCI_ELEMENT,
    .parameters = srad_parameters,
    .parameter_count = 1,
    .plan = plan_srad,
};
