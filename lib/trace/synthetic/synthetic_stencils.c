/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic.h"

/*
 * PolyBench/GPU's stencils (Grauer-Gray et al., InPar 2012), compiled for Fermi: a thread for each element, blocks of
 * 32 x 8 threads, no shared memory. Sources: github.com/tgrogers/gpgpu-sim_simulations, commit 33f6535,
 * benchmarks/src/cuda/polybench-gpu-1.0/CUDA: 2DCONV/2DConvolution.cu (Convolution2D_kernel),
 * 3DCONV/3DConvolution.cu (convolution3D_kernel) and FDTD-2D/fdtd2d.cu (fdtd_step1_kernel to fdtd_step3_kernel). Loads
 * are in the order of the C expression, an equal element is loaded once, and each product is added as soon as its
 * element is there.
 *
 * Published problems: 2DCONV 4,096 x 4,096, 64 MiB; 3DCONV 256 x 256 x 256, 64 MiB, in 254 launches, one a plane;
 * FDTD-2D 2,048 x 2,048, 16 MiB, 500 rounds of three launches.
 */

#define STENCILS_BLOCK_X 32u
#define STENCILS_BLOCK_Y 8u

/* R0 column, R9 row. */
#define POSITION                                                                                      \
    "R1 MOV; R0 S2R; R2 S2R; R3 S2R; R0 IMAD R2 R3 R0; R9 S2R; R10 S2R; R11 S2R; R9 IMAD R10 R11 R9;" \
    "P0 ISETP.LT.AND R0 R1; P0 ISETP.LT.AND R9 R1 P0; @P0 EXIT;"
/* Two products, then one at a time. Addresses: R4 to R6 rows of the array, R12 result. */
#define ROWS "R4 IMAD R9 R1 R0; R4 SHL R4; R5 IADD R4; R6 IADD R4; R12 MOV; R12 IADD R4 R12;"
#define STENCILS_FIRST(row) "R7 LDG.E " row "; R8 LDG.E " row "; R8 FMUL R8; R7 FFMA R7 R8;"
#define STENCILS_NEXT(row) "R8 LDG.E " row "; R7 FFMA R8 R7;"

static const char conv2d_code[] =
    POSITION ROWS STENCILS_FIRST("R4") STENCILS_NEXT("R4") STENCILS_NEXT("R5") STENCILS_NEXT("R5") STENCILS_NEXT("R5")
        STENCILS_NEXT("R6") STENCILS_NEXT("R6") STENCILS_NEXT("R6") "STG.E R12 R7; EXIT";
/* Planes: R4 before, R5 this, R6 behind. The first two elements each have three products. */
static const char conv3d_code[] = POSITION ROWS
    "R7 LDG.E R4; R8 LDG.E R6; R13 FMUL R8; R13 FFMA R7 R13; R13 FFMA R7 R13; R13 FFMA R8 R13; R13 FFMA R7 R13;"
    "R7 FFMA R8 R13;" STENCILS_NEXT("R5") STENCILS_NEXT("R5") STENCILS_NEXT("R5") STENCILS_NEXT("R4")
        STENCILS_NEXT("R6") STENCILS_NEXT("R4") STENCILS_NEXT("R6") STENCILS_NEXT("R4")
            STENCILS_NEXT("R6") "STG.E R12 R7; EXIT";

/* Operands of a convolution: the array, the result. Launch fields: `n` elements along a side, `window` the plane. */
enum { FROM, TO };

/* Element of a stencil, relative to the thread's element. */
typedef struct neighbour {
    int plane, row, column;
} neighbour;

static const neighbour flat[] = {{0, -1, -1}, {0, -1, 0}, {0, -1, 1}, {0, 0, -1}, {0, 0, 0},
                                 {0, 0, 1},   {0, 1, -1}, {0, 1, 0},  {0, 1, 1}};
static const neighbour solid[] = {{-1, -1, -1}, {1, -1, -1}, {0, -1, 0}, {0, 0, 0},  {0, 1, 0}, {-1, -1, 1},
                                  {1, -1, 1},   {-1, 0, 1},  {1, 0, 1},  {-1, 1, 1}, {1, 1, 1}};

static void walk_stencil(gpci_walk *walk, const gpci_launch *launch, const neighbour *elements, size_t count) {
    const uint64_t n = launch->n, plane = launch->window * n * n * GPCI_ELEMENT;
    uint64_t offsets[GPCI_SYNTHETIC_LANES], inner = 0;
    for (unsigned lane = 0; lane < walk->lanes; lane++) {
        const uint64_t x = walk->gx[lane], y = walk->gy[lane];
        offsets[lane] = (y * n + x) * GPCI_ELEMENT;
        inner |= (uint64_t)(x && y && x + 1 < n && y + 1 < n) << lane;
    }
    if (!gpci_guard(walk, inner & walk->all))
        return;
    for (size_t k = 0; k < count; k++) {
        const int64_t at = (elements[k].plane * (int64_t)n + elements[k].row) * (int64_t)n + elements[k].column;
        gpci_access_at(walk, launch->operand[FROM].base + plane + (uint64_t)at * GPCI_ELEMENT, offsets);
    }
    gpci_access_at(walk, launch->operand[TO].base + plane, offsets);
    gpci_finish(walk);
}

static void walk_conv2d(gpci_walk *walk, const gpci_launch *launch) {
    walk_stencil(walk, launch, flat, sizeof flat / sizeof *flat);
}

static void walk_conv3d(gpci_walk *walk, const gpci_launch *launch) {
    walk_stencil(walk, launch, solid, sizeof solid / sizeof *solid);
}

/* Set a thread for each element of a square with the launch's `n` elements along a side. */
static void cover(gpci_launch *launch) {
    launch->grid[0] = gpci_ceiling(launch->n, STENCILS_BLOCK_X);
    launch->grid[1] = gpci_ceiling(launch->n, STENCILS_BLOCK_Y);
    launch->block[0] = STENCILS_BLOCK_X;
    launch->block[1] = STENCILS_BLOCK_Y;
}

static gpc_status plan_conv2d(gpci_problem *problem) {
    gpci_launch launch = {.name = "_Z20Convolution2D_kernelPfS_", .code = conv2d_code, .warp = walk_conv2d};
    launch.n = gpci_root(problem->size / GPCI_ELEMENT);
    launch.operand[FROM].base = gpci_problem_array(problem, launch.n * launch.n * GPCI_ELEMENT);
    launch.operand[TO].base = gpci_problem_array(problem, launch.n * launch.n * GPCI_ELEMENT);
    cover(&launch);
    return gpci_problem_launch(problem, &launch);
}

static gpc_status plan_conv3d(gpci_problem *problem) {
    gpci_launch launch = {.name = "_Z20convolution3D_kernelPfS_i", .code = conv3d_code, .warp = walk_conv3d};
    const uint64_t elements = problem->size / GPCI_ELEMENT, most = (uint64_t)problem->values[0];
    for (launch.n = 3; (launch.n + 1) * (launch.n + 1) * (launch.n + 1) <= elements;)
        launch.n++;
    launch.operand[FROM].base = gpci_problem_array(problem, launch.n * launch.n * launch.n * GPCI_ELEMENT);
    launch.operand[TO].base = gpci_problem_array(problem, launch.n * launch.n * launch.n * GPCI_ELEMENT);
    cover(&launch);
    gpc_status status = GPC_OK;
    for (launch.window = 1; status == GPC_OK && launch.window + 1 < launch.n; launch.window++)
        if (!most || launch.window <= most)
            status = gpci_problem_launch(problem, &launch);
    return status;
}

/* Operands of FDTD: fields across and down, the field between; `window` of the launch: bytes of the round's source. */
enum { EX, EY, HZ, SOURCE };

/* Addresses: R4 element of the changed field, R5 and R6 of other fields. */
#define FIELDS "R4 IMAD R9 R1 R0; R4 SHL R4; R5 MOV; R5 IADD R5 R4; R6 MOV; R6 IADD R6 R4; R12 MOV; R4 IADD R4 R12;"
#define CHANGE "R7 LDG.E R4; R8 LDG.E R5; R13 LDG.E R6; R8 FADD R8 R13; R7 FFMA R8 R7; STG.E R4 R7;"

static const char step1_code[] = POSITION FIELDS "P1 ISETP.NE.AND R9 R255; @P1 BRA below; R7 LDG.E R12; STG.E R4 R7;"
                                                 "below: @P1 BRA end;" CHANGE "end: EXIT";
static const char step2_code[] = POSITION FIELDS CHANGE "EXIT";
static const char step3_code[] = POSITION FIELDS
    "R7 LDG.E R4; R8 LDG.E R5; R13 LDG.E R5; R8 FADD R8 R13; R13 LDG.E R6; R8 FADD R8 R13; R13 LDG.E R6;"
    "R8 FADD R8 R13; R7 FFMA R8 R7; STG.E R4 R7; EXIT";

/* Offsets of the lanes' elements: in rows of n, and of one element more. */
typedef struct fields {
    uint64_t at[GPCI_SYNTHETIC_LANES], wide[GPCI_SYNTHETIC_LANES];
    uint64_t top, first; /* lanes of the first row, and of the first column */
} fields;

static void place(const gpci_walk *walk, const gpci_launch *launch, fields *lanes) {
    lanes->top = lanes->first = 0;
    for (unsigned lane = 0; lane < walk->lanes; lane++) {
        const uint64_t x = walk->gx[lane], y = walk->gy[lane];
        lanes->at[lane] = (y * launch->n + x) * GPCI_ELEMENT;
        lanes->wide[lane] = (y * (launch->n + 1) + x) * GPCI_ELEMENT;
        lanes->top |= (uint64_t)(y == 0) << lane;
        lanes->first |= (uint64_t)(x == 0) << lane;
    }
}

/* ey: the source in the first row; elsewhere less half the difference of hz downwards. */
static void walk_step1(gpci_walk *walk, const gpci_launch *launch) {
    const uint64_t pitch = launch->n * GPCI_ELEMENT, ey = launch->operand[EY].base, hz = launch->operand[HZ].base;
    fields lanes;
    place(walk, launch, &lanes);
    if (!gpci_guard(walk, gpci_inside(walk, launch->n, launch->n)))
        return;
    if (gpci_if(walk, walk->mask & lanes.top)) {
        gpci_access(walk, launch->operand[SOURCE].base + launch->window, 0);
        gpci_access_at(walk, ey, lanes.at);
    }
    gpci_end_if(walk);
    if (gpci_if(walk, walk->mask & ~lanes.top)) {
        gpci_access_at(walk, ey, lanes.at);
        gpci_access_at(walk, hz, lanes.at);
        gpci_access_at(walk, hz - pitch, lanes.at);
        gpci_access_at(walk, ey, lanes.at);
    }
    gpci_end_if(walk);
    gpci_finish(walk);
}

/* ex: less half the difference of hz to the right, behind the first column. */
static void walk_step2(gpci_walk *walk, const gpci_launch *launch) {
    const uint64_t ex = launch->operand[EX].base, hz = launch->operand[HZ].base;
    fields lanes;
    place(walk, launch, &lanes);
    if (!gpci_guard(walk, gpci_inside(walk, launch->n, launch->n) & ~lanes.first))
        return;
    gpci_access_at(walk, ex, lanes.wide);
    gpci_access_at(walk, hz, lanes.at);
    gpci_access_at(walk, hz - GPCI_ELEMENT, lanes.at);
    gpci_access_at(walk, ex, lanes.wide);
    gpci_finish(walk);
}

/* hz: less .7 of the differences of ex to the right, and of ey downwards. */
static void walk_step3(gpci_walk *walk, const gpci_launch *launch) {
    const uint64_t pitch = launch->n * GPCI_ELEMENT, ey = launch->operand[EY].base, ex = launch->operand[EX].base;
    fields lanes;
    place(walk, launch, &lanes);
    if (!gpci_guard(walk, gpci_inside(walk, launch->n, launch->n)))
        return;
    gpci_access_at(walk, launch->operand[HZ].base, lanes.at);
    gpci_access_at(walk, ex + GPCI_ELEMENT, lanes.wide);
    gpci_access_at(walk, ex, lanes.wide);
    gpci_access_at(walk, ey + pitch, lanes.at);
    gpci_access_at(walk, ey, lanes.at);
    gpci_access_at(walk, launch->operand[HZ].base, lanes.at);
    gpci_finish(walk);
}

static gpc_status plan_fdtd(gpci_problem *problem) {
    static const struct {
        const char *name, *code;
        void (*warp)(gpci_walk *walk, const gpci_launch *launch);
    } steps[] = {{"_Z17fdtd_step1_kernelPfS_S_S_i", step1_code, walk_step1},
                 {"_Z17fdtd_step2_kernelPfS_S_i", step2_code, walk_step2},
                 {"_Z17fdtd_step3_kernelPfS_S_i", step3_code, walk_step3}};
    gpci_launch launch = {.n = gpci_root(problem->size / GPCI_ELEMENT)};
    const uint64_t rounds = (uint64_t)problem->values[0];
    launch.operand[SOURCE].base = gpci_problem_array(problem, rounds * GPCI_ELEMENT);
    launch.operand[EX].base = gpci_problem_array(problem, launch.n * (launch.n + 1) * GPCI_ELEMENT);
    launch.operand[EY].base = gpci_problem_array(problem, (launch.n + 1) * launch.n * GPCI_ELEMENT);
    launch.operand[HZ].base = gpci_problem_array(problem, launch.n * launch.n * GPCI_ELEMENT);
    cover(&launch);
    gpc_status status = GPC_OK;
    for (uint64_t round = 0; round < rounds; round++)
        for (size_t step = 0; status == GPC_OK && step < sizeof steps / sizeof *steps; step++) {
            launch.window = round * GPCI_ELEMENT;
            status = gpci_problem_kernel(problem, &launch, steps[step].name, steps[step].code, steps[step].warp);
        }
    return status;
}

static const gpc_parameter conv3d_parameters[] = {
    {"launches", 0, 0, 1 << 10, true, "the first so many, one for each inner plane; 0: all"},
};

static const gpc_parameter fdtd_parameters[] = {
    {"rounds", 1, 1, GPCI_SYNTHETIC_LAUNCHES, true, "of three launches each"},
};

const gpci_synthetic gpci_synthetic_polybench_2dconv = {
    .name = "polybench-2dconv",
    .summary = "each element from its 3 x 3 neighbours, as Fermi ran it; SIZE of the square matrix",
    .least = 9 * GPCI_ELEMENT,
    .plan = plan_conv2d,
};

const gpci_synthetic gpci_synthetic_polybench_3dconv = {
    .name = "polybench-3dconv",
    .summary =
        "each element of a cube from eleven neighbours likewise, a launch a plane; SIZE of the cube (launches=0: "
        "all)",
    .least = 27 * GPCI_ELEMENT,
    .parameters = conv3d_parameters,
    .parameter_count = 1,
    .plan = plan_conv3d,
};

const gpci_synthetic gpci_synthetic_polybench_fdtd2d = {
    .name = "polybench-fdtd2d",
    .summary = "electric and magnetic fields in finite differences likewise, three launches a round; SIZE of the "
               "magnetic field (rounds=1)",
    .least = GPCI_ELEMENT,
    .parameters = fdtd_parameters,
    .parameter_count = 1,
    .plan = plan_fdtd,
};
