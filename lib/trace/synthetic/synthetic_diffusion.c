/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic.h"

/*
 * Speckle reducing anisotropic diffusion, as in Rodinia's srad_v2 (Che et al., IISWC 2009), compiled for Fermi.
 * srad_cuda_1 computes each pixel's differences to its four neighbours and a coefficient. srad_cuda_2 sums the
 * differences with the coefficients of the neighbours below and to the right. Blocks of 16 x 16 put their patch and the
 * rows and columns around the patch into shared memory. Each thread reads a neighbour beyond the patch, also away from
 * the patch's border. Blocks at the image's border then read another pixel as a replacement. The kernels have 9 and 10
 * loads, from which seeds/001, Table 3, has its 101 runs: 1 + 45 + 55.
 *
 * The program selects a neighbour's array in nine cases; here the array is selected directly. Published: 2,048 x 2,048,
 * 16 MiB, two rounds.
 */

#define IMAGE_SIDE 16u
#define MOST_ROUNDS 24u
#define IMAGE_PATCH (IMAGE_SIDE * IMAGE_SIDE * GPCI_ELEMENT)

/* R4 in the image, R6 in shared memory; R8 pixel, R9 to R12 its differences, R16 coefficient. */
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

/* Operands: image, coefficients, differences east, west, south, north. Of the launch: `n` pixels a side. */
enum { IMAGE, COEFFICIENTS, DIFFERENCES };
enum { EAST, WEST, SOUTH, NORTH };
/* Arrays in shared memory, beginning with the patch. */
enum { OWN, ABOVE, BELOW, LEFT, RIGHT };

typedef struct patch {
    uint64_t base;                         /* offset of the patch's first pixel in an array */
    uint64_t own[GPCI_SYNTHETIC_LANES];    /* offsets of the lanes' pixels */
    uint64_t row[GPCI_SYNTHETIC_LANES];    /* offsets of pixels in the patch's first row */
    uint64_t column[GPCI_SYNTHETIC_LANES]; /* offsets of pixels in the patch's first column */
    uint64_t cell[GPCI_SYNTHETIC_LANES];   /* offsets in an array of shared memory */
} patch;

static void place(const gpci_walk *w, const gpci_launch *l, patch *at) {
    const uint64_t pitch = l->n * GPCI_ELEMENT;
    at->base = w->y * IMAGE_SIDE * pitch + w->x * IMAGE_SIDE * GPCI_ELEMENT;
    for (unsigned lane = 0; lane < w->lanes; lane++) {
        at->row[lane] = w->tx[lane] * GPCI_ELEMENT;
        at->column[lane] = w->ty[lane] * pitch;
        at->own[lane] = at->row[lane] + at->column[lane];
        at->cell[lane] = (w->ty[lane] * IMAGE_SIDE + w->tx[lane]) * GPCI_ELEMENT;
    }
}

static uint64_t shared(unsigned array) {
    return GPCI_SHARED_BASE + array * IMAGE_PATCH;
}

/* Access each thread's own element of an array in shared memory. */
static void own(gpci_walk *w, const patch *at, unsigned array) {
    gpci_access_at(w, shared(array), at->cell);
}

/* At the image's border (`here`), load another pixel as a replacement. */
static void instead(gpci_walk *w, const patch *at, bool here, uint64_t base, const uint64_t *offsets, unsigned array) {
    if (gpci_if(w, here ? w->mask : 0)) {
        gpci_access_at(w, base, offsets);
        own(w, at, array);
    }
    gpci_end_if(w);
}

/* Read a neighbour from shared memory: from the patch, or beyond the patch's border. */
static void get(gpci_walk *w, const patch *at, unsigned beyond) {
    uint64_t from[GPCI_SYNTHETIC_LANES];
    for (unsigned lane = 0; lane < w->lanes; lane++) {
        const uint64_t x = w->tx[lane], y = w->ty[lane], cell = at->cell[lane];
        const bool border = beyond == ABOVE   ? y == 0
                            : beyond == BELOW ? y == IMAGE_SIDE - 1
                            : beyond == LEFT  ? x == 0
                                              : x == IMAGE_SIDE - 1;
        const uint64_t away = beyond == ABOVE || beyond == BELOW ? IMAGE_SIDE * GPCI_ELEMENT : GPCI_ELEMENT;
        from[lane] = border                               ? beyond * IMAGE_PATCH + cell
                     : beyond == BELOW || beyond == RIGHT ? cell + away
                                                          : cell - away;
    }
    gpci_access_at(w, GPCI_SHARED_BASE, from);
}

static void walk_differences(gpci_walk *w, const gpci_launch *l) {
    patch at;
    place(w, l, &at);
    const uint64_t pitch = l->n * GPCI_ELEMENT, image = l->operand[IMAGE].base + at.base, last = l->n / IMAGE_SIDE - 1;
    const uint64_t end = (IMAGE_SIDE - 1) * pitch, edge = (IMAGE_SIDE - 1) * GPCI_ELEMENT;
    gpci_access_at(w, image - pitch, at.row);
    gpci_access_at(w, image + IMAGE_SIDE * pitch, at.row);
    own(w, &at, ABOVE);
    own(w, &at, BELOW);
    instead(w, &at, w->y == 0, image, at.row, ABOVE);
    instead(w, &at, w->y == last, image + end, at.row, BELOW);
    gpci_barrier(w);
    gpci_access_at(w, image - GPCI_ELEMENT, at.column);
    gpci_access_at(w, image + IMAGE_SIDE * GPCI_ELEMENT, at.column);
    own(w, &at, LEFT);
    own(w, &at, RIGHT);
    instead(w, &at, w->x == 0, image, at.column, LEFT);
    instead(w, &at, w->x == last, image + edge, at.column, RIGHT);
    gpci_barrier(w);
    gpci_access_at(w, image, at.own);
    own(w, &at, OWN);
    gpci_barrier(w);
    own(w, &at, OWN);
    for (unsigned beyond = ABOVE; beyond <= RIGHT; beyond++)
        get(w, &at, beyond);
    gpci_access_at(w, l->operand[COEFFICIENTS].base + at.base, at.own);
    for (unsigned k = EAST; k <= NORTH; k++)
        gpci_access_at(w, l->operand[DIFFERENCES].base + k * l->operand[DIFFERENCES].step + at.base, at.own);
    gpci_finish(w);
}

static void walk_update(gpci_walk *w, const gpci_launch *l) {
    static const unsigned order[] = {NORTH, SOUTH, WEST, EAST};
    patch at;
    place(w, l, &at);
    const uint64_t pitch = l->n * GPCI_ELEMENT, given = l->operand[COEFFICIENTS].base + at.base,
                   last = l->n / IMAGE_SIDE - 1;
    gpci_access_at(w, given + IMAGE_SIDE * pitch, at.row);
    own(w, &at, BELOW);
    instead(w, &at, w->y == last, given + (IMAGE_SIDE - 1) * pitch, at.row, BELOW);
    gpci_barrier(w);
    gpci_access_at(w, given + IMAGE_SIDE * GPCI_ELEMENT, at.column);
    own(w, &at, RIGHT);
    instead(w, &at, w->x == last, given + (IMAGE_SIDE - 1) * GPCI_ELEMENT, at.column, RIGHT);
    gpci_barrier(w);
    gpci_access_at(w, given, at.own);
    own(w, &at, OWN);
    gpci_access_at(w, l->operand[IMAGE].base + at.base, at.own);
    gpci_barrier(w);
    own(w, &at, OWN);
    get(w, &at, BELOW);
    get(w, &at, RIGHT);
    for (unsigned k = 0; k < 4; k++)
        gpci_access_at(w, l->operand[DIFFERENCES].base + order[k] * l->operand[DIFFERENCES].step + at.base, at.own);
    gpci_access_at(w, l->operand[IMAGE].base + at.base, at.own);
    gpci_finish(w);
}

/* Allocate an array with one more row in front and behind, read by blocks at the border. */
static uint64_t image(gpci_problem *p, uint64_t side) {
    return gpci_problem_array(p, (side + 2) * side * GPCI_ELEMENT) + side * GPCI_ELEMENT;
}

static gpc_status plan_srad(gpci_problem *p) {
    gpci_launch l = {.n = gpci_root(p->size / GPCI_ELEMENT) / IMAGE_SIDE * IMAGE_SIDE};
    l.operand[IMAGE].base = image(p, l.n);
    l.operand[COEFFICIENTS].base = image(p, l.n);
    l.operand[DIFFERENCES] = gpci_problem_arrays(p, l.n * l.n * GPCI_ELEMENT, 4);
    l.block[0] = l.block[1] = IMAGE_SIDE;
    l.grid[0] = l.grid[1] = l.n / IMAGE_SIDE;
    gpc_status status = GPC_OK;
    for (unsigned round = 0; round < p->values[0] && status == GPC_OK; round++) {
        l.name = "_Z11srad_cuda_1PfS_S_S_S_S_iif";
        l.code = differences_code;
        l.warp = walk_differences;
        l.shared = 6 * IMAGE_PATCH;
        status = gpci_problem_launch(p, &l);
        l.name = "_Z11srad_cuda_2PfS_S_S_S_S_iiff";
        l.code = update_code;
        l.warp = walk_update;
        l.shared = 5 * IMAGE_PATCH;
        if (status == GPC_OK)
            status = gpci_problem_launch(p, &l);
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
