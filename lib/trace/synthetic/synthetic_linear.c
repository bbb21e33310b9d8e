/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic.h"

/*
 * Matrix times vector, as in PolyBench. If a thread has a row, the lanes of a warp read separate lines, and find the
 * rest of each line in the following steps. If a thread has a column, the lanes read side by side. k-means is
 * similar: a thread computes the distance of its point from each centre.
 */

#define UNROLL 8u

static void load_step(gpci_walk *walk, const gpci_launch *launch, uint64_t step, const void *data) {
    const uint64_t *thread = data;
    for (uint64_t k = 0; k + 1 < launch->operands; k++) {
        const gpci_operand *operand = &launch->operand[k];
        gpci_access(walk, operand->base + *thread * operand->thread + step * operand->step, operand->thread);
    }
}

/*
 * End of the steps made eight at a time, with eight steps' loads in flight before the first use; 0 if `stride` is set.
 */
static uint64_t eights(const gpci_launch *launch) {
    return launch->stride ? 0 : launch->steps;
}

/* Sum the products of all operands but the last, and store to the last. If `repeats` is 1, add to the old value. */
static void walk_dot(gpci_walk *walk, const gpci_launch *launch) {
    uint64_t thread = walk->x * GPCI_THREADS + walk->first;
    const gpci_operand *out = &launch->operand[launch->operands - 1];
    if (!gpci_guard(walk, gpci_below(walk, thread, launch->n)))
        return;
    uint64_t done = gpci_unrolled(walk, launch, load_step, &thread, 0, eights(launch), UNROLL);
    gpci_unrolled(walk, launch, load_step, &thread, done, launch->steps, 1);
    for (uint64_t k = 0; k <= launch->repeats; k++)
        gpci_access(walk, out->base + thread * GPCI_ELEMENT, GPCI_ELEMENT);
    gpci_finish(walk);
}

/* R2 and R4 addresses in the operands, R8 sum. */
#define DOT(setup, load, sum, advance)                                                                       \
    "R1 LDC; R0 S2R; UR4 ULDC; R3 S2R; R0 IMAD R0 UR4 R3; UR5 ULDC; P0 ISETP.GE.AND R0 UR5; @P0 EXIT;"       \
    "R7 LDC; UR4 ULDC.64; R8 HFMA2.MMA R255 R255; R9 LDC; R2 LDC.64; R3 MOV; R4 LDC.64; R5 IMAD R0 R7 R255;" \
    "R4 IMAD.WIDE R5 R4;" setup "R6 IADD3 R7 R255; P0 ISETP.LT.AND R6 R255; @P0 BRA rest;"                   \
    "eight: 8*{" load "}; 8*{" sum "}; R6 IADD3 R6 R255;" advance "P0 ISETP.GT.AND R6 R255;"                 \
    "@P0 BRA eight;"                                                                                         \
    "rest: P0 ISETP.EQ.AND R7 R255; @P0 BRA done;"                                                           \
    "one: " load ";" sum "; R7 IADD3 R7 R255;" advance "P0 ISETP.NE.AND R7 R255; @P0 BRA one;"               \
    "done: R2 LDC.64; R2 IMAD.WIDE R0 R2;"

#define BY_ROWS \
    DOT("", "R12+2 LDG.E R2 UR4; R13+2 LDG.E R4 UR4", "R8 FFMA R12+2 R13+2 R8", "R4 IADD3 R4 R255; R2 IADD3 R2 R255;")

#define BY_COLUMNS \
    DOT("", "R12+2 LDG.E R4 UR4; R4 IMAD.WIDE R9 R4; R13+2 LDG.E R2 UR4", "R8 FFMA R13+2 R12+2 R8", "R2 IADD3 R2 R255;")

#define STORE "STG.E R2 UR4 R8; EXIT"
#define ADD_AND_STORE "R4 LDG.E R2 UR4; R8 FADD R8 R4;" STORE

static const char gesummv_code[] =
    DOT("R10 LDC.64; R10 IMAD.WIDE R5 R10; R36 HFMA2.MMA R255 R255;",
        "R12+3 LDG.E R4 UR4; R13+3 LDG.E R2 UR4; R14+3 LDG.E R10 UR4",
        "R8 FFMA R12+3 R13+3 R8; R36 FFMA R14+3 R13+3 R36",
        "R4 IADD3 R4 R255; R2 IADD3 R2 R255; R10 IADD3 R10 R255;") "UR8 ULDC.64; R36 FMUL R36 UR8; R8 FFMA R8 UR9 "
                                                                   "R36;" STORE;

/* Matrices `a` and `b`, vectors as long as a row (`across`) or a column (`down`), and the parameter `serial`. */
typedef struct linear {
    uint64_t rows, columns, a, b, across[2], down[2], serial;
} linear;

static gpc_status plan_linear(gpci_problem *problem, linear *matrix, bool two_matrices) {
    gpci_launch launch;
    gpc_status status = gpci_problem_matrix(problem, (uint64_t)problem->values[0], 1, &launch);
    if (status < 0)
        return status;
    *matrix = (linear){.rows = launch.rows, .columns = launch.columns, .serial = (uint64_t)problem->values[1]};
    matrix->a = gpci_problem_array(problem, launch.rows * launch.columns * GPCI_ELEMENT);
    if (two_matrices)
        matrix->b = gpci_problem_array(problem, launch.rows * launch.columns * GPCI_ELEMENT);
    for (unsigned k = 0; k < 2; k++) {
        matrix->across[k] = gpci_problem_array(problem, launch.columns * GPCI_ELEMENT);
        matrix->down[k] = gpci_problem_array(problem, launch.rows * GPCI_ELEMENT);
    }
    return GPC_OK;
}

/*
 * Add a launch with a thread for each row. A step loads the vector's element, the same for all lanes, then the
 * matrix's.
 */
static gpc_status by_rows(gpci_problem *problem, const char *name, const linear *matrix, uint64_t vector,
                          uint64_t result, bool add) {
    gpci_launch launch = {.name = name, .code = add ? BY_ROWS ADD_AND_STORE : BY_ROWS STORE, .warp = walk_dot};
    launch.n = matrix->rows;
    launch.steps = matrix->columns;
    launch.stride = matrix->serial;
    launch.repeats = add;
    launch.grid[0] = gpci_ceiling(launch.n, GPCI_THREADS);
    launch.block[0] = GPCI_THREADS;
    launch.operands = 3;
    launch.operand[0] = (gpci_operand){vector, 0, GPCI_ELEMENT};
    launch.operand[1] = (gpci_operand){matrix->a, matrix->columns * GPCI_ELEMENT, GPCI_ELEMENT};
    launch.operand[2].base = result;
    return gpci_problem_launch(problem, &launch);
}

static gpc_status by_columns(gpci_problem *problem, const char *name, const linear *matrix, uint64_t vector,
                             uint64_t result, bool add) {
    gpci_launch launch = {.name = name, .code = add ? BY_COLUMNS ADD_AND_STORE : BY_COLUMNS STORE, .warp = walk_dot};
    launch.n = matrix->columns;
    launch.steps = matrix->rows;
    launch.stride = matrix->serial;
    launch.repeats = add;
    launch.grid[0] = gpci_ceiling(launch.n, GPCI_THREADS);
    launch.block[0] = GPCI_THREADS;
    launch.operands = 3;
    launch.operand[0] = (gpci_operand){matrix->a, GPCI_ELEMENT, matrix->columns * GPCI_ELEMENT};
    launch.operand[1] = (gpci_operand){vector, 0, GPCI_ELEMENT};
    launch.operand[2].base = result;
    return gpci_problem_launch(problem, &launch);
}

/* True if the parameter `launch` selects launch 1 or 2. */
static bool wanted(const gpci_problem *problem, unsigned launch) {
    return problem->values[2] == 0 || problem->values[2] == launch;
}

static gpc_status plan_atax(gpci_problem *problem) {
    linear matrix;
    gpc_status status = plan_linear(problem, &matrix, false);
    if (status == GPC_OK && wanted(problem, 1))
        status = by_rows(problem, "_Z5atax1PKfS0_Pfii", &matrix, matrix.across[0], matrix.down[0], false);
    if (status == GPC_OK && wanted(problem, 2))
        status = by_columns(problem, "_Z5atax2PKfPfS0_ii", &matrix, matrix.down[0], matrix.across[1], false);
    return status;
}

static gpc_status plan_bicg(gpci_problem *problem) {
    linear matrix;
    gpc_status status = plan_linear(problem, &matrix, false);
    if (status == GPC_OK && wanted(problem, 1))
        status = by_columns(problem, "_Z5bicg1PKfS0_Pfii", &matrix, matrix.down[0], matrix.across[0], false);
    if (status == GPC_OK && wanted(problem, 2))
        status = by_rows(problem, "_Z5bicg2PKfS0_Pfii", &matrix, matrix.across[1], matrix.down[1], false);
    return status;
}

static gpc_status plan_mvt(gpci_problem *problem) {
    linear matrix;
    gpc_status status = plan_linear(problem, &matrix, false);
    if (status == GPC_OK && wanted(problem, 1))
        status = by_rows(problem, "_Z4mvt1PKfPfS0_ii", &matrix, matrix.across[0], matrix.down[0], true);
    if (status == GPC_OK && wanted(problem, 2))
        status = by_columns(problem, "_Z4mvt2PKfPfS0_ii", &matrix, matrix.down[1], matrix.across[1], true);
    return status;
}

static gpc_status plan_gesummv(gpci_problem *problem) {
    linear matrix;
    gpc_status status = plan_linear(problem, &matrix, true);
    if (status < 0)
        return status;
    gpci_launch launch = {.name = "_Z7gesummvPKfS0_S0_Pfffii", .code = gesummv_code, .warp = walk_dot};
    launch.n = matrix.rows;
    launch.steps = matrix.columns;
    launch.stride = matrix.serial;
    launch.grid[0] = gpci_ceiling(launch.n, GPCI_THREADS);
    launch.block[0] = GPCI_THREADS;
    launch.operands = 4;
    launch.operand[0] = (gpci_operand){matrix.a, matrix.columns * GPCI_ELEMENT, GPCI_ELEMENT};
    launch.operand[1] = (gpci_operand){matrix.across[0], 0, GPCI_ELEMENT};
    launch.operand[2] = (gpci_operand){matrix.b, matrix.columns * GPCI_ELEMENT, GPCI_ELEMENT};
    launch.operand[3].base = matrix.down[0];
    return gpci_problem_launch(problem, &launch);
}

static const gpc_parameter parameters[] = {
    {"columns", 0, 0, 1 << 20, true, "of the matrix; 0: the least power of two that makes it not taller than wide"},
    {"serial", 0, 0, 1, true, "1: step by step, as old compilers have it; 0: the loads of eight steps at once"},
    {"launch", 0, 0, 2, true, "1 or 2: just this one; 0: both"},
};

const gpci_synthetic gpci_synthetic_atax = {
    .name = "atax",
    .summary = "y = A'(Ax): a row for each thread, then a column; SIZE of the matrix (columns=0: near square, "
               "serial=0, launch=0: both)",
    .least = GPCI_ELEMENT,
    .parameters = parameters,
    .parameter_count = 3,
    .plan = plan_atax,
};

const gpci_synthetic gpci_synthetic_bicg = {
    .name = "bicg",
    .summary = "s = A'r, q = Ap: a column for each thread, then a row; SIZE of the matrix (columns=0: near square, "
               "serial=0, launch=0: both)",
    .least = GPCI_ELEMENT,
    .parameters = parameters,
    .parameter_count = 3,
    .plan = plan_bicg,
};

const gpci_synthetic gpci_synthetic_mvt = {
    .name = "mvt",
    .summary = "x1 += Ay1, x2 += A'y2: a row for each thread, then a column; SIZE of the matrix (columns=0: near "
               "square, serial=0, launch=0: both)",
    .least = GPCI_ELEMENT,
    .parameters = parameters,
    .parameter_count = 3,
    .plan = plan_mvt,
};

const gpci_synthetic gpci_synthetic_gesummv = {
    .name = "gesummv",
    .summary = "y = aAx + bBx: a row of both for each thread; SIZE of each matrix (columns=0: near square, serial=0)",
    .least = GPCI_ELEMENT,
    .parameters = parameters,
    .parameter_count = 2,
    .plan = plan_gesummv,
};

/*
 * Code of k-means. With `advance`, the array of points is ordered by features: lanes read side by side. Otherwise a
 * point's features lie together. All lanes load the same element of a centre.
 */
#define KMEANS(advance)                                                                                     \
    "R1 LDC; R0 S2R; UR4 ULDC; R3 S2R; R0 IMAD R0 UR4 R3; UR5 ULDC; P0 ISETP.GE.AND R0 UR5; @P0 EXIT;"      \
    "UR4 ULDC.64; R2 HFMA2.MMA R255 R255; R8 LDC; R28 LDC.64; R4 HFMA2.MMA R255 R255; R3 LOP3.LUT R8 R255;" \
    "R5 MOV R255;"                                                                                          \
    "R28 IMAD.WIDE R0 R28; R9 LDC;"                                                                         \
    "centre: R30 IMAD R5 R8; R31 LDC.64; UR6 UMOV; R11 HFMA2.MMA R255 R255; R7 IADD3 R8 R255; R10 MOV R28;" \
    "R30 IMAD.WIDE R30 R31; P0 ISETP.LT.AND R7 R255; @P0 BRA rest;"                                         \
    "eight: 8*{R12+2 LDG.E R10 UR4; " advance "R13+2 LDG.E R30 UR4}; 8*{R12+2 FADD R13+2 R12+2;"            \
    "R11 FFMA R12+2 R12+2 R11};"                                                                            \
    "R7 IADD3 R7 R255; P0 ISETP.GT.AND R7 R255; UR6 UIADD3 UR6; R10 IADD3 R10 R255; R30 IADD3 R30 R255;"    \
    "@P0 BRA eight;"                                                                                        \
    "rest: P0 ISETP.EQ.AND R3 R255; R6 MOV R3; @P0 BRA nearest;"                                            \
    "one: R12 LDG.E R10 UR4;" advance "R13 LDG.E R30 UR4; R6 IADD3 R6 R255; P0 ISETP.NE.AND R6 R255;"       \
    "R12 FADD R13 R12; R11 FFMA R12 R12 R11; R30 IADD3 R30 R255; @P0 BRA one;"                              \
    "nearest: P1 FSETP.GEU.AND R11 R4; UR5 ULDC; R2 SEL R5 R2 P1; R5 IADD3 R5 R255; R4 FSEL R11 R4 P1;"     \
    "P0 ISETP.GE.AND R5 UR5; @!P0 BRA centre; R4 LDC.64; R4 IMAD.WIDE R0 R4; STG.E R4 UR4 R2; EXIT"

static void walk_kmeans(gpci_walk *walk, const gpci_launch *launch) {
    uint64_t thread = walk->x * GPCI_THREADS + walk->first;
    gpci_launch centre = *launch;
    if (!gpci_guard(walk, gpci_below(walk, thread, launch->n)))
        return;
    for (uint64_t c = 0; c < launch->repeats; c++) {
        uint64_t done = gpci_unrolled(walk, &centre, load_step, &thread, 0, eights(launch), UNROLL);
        gpci_unrolled(walk, &centre, load_step, &thread, done, launch->steps, 1);
        centre.operand[1].base += launch->steps * GPCI_ELEMENT;
        gpci_branch(walk, c + 1 < launch->repeats);
    }
    gpci_access(walk, launch->operand[2].base + thread * GPCI_ELEMENT, GPCI_ELEMENT);
    gpci_finish(walk);
}

static gpc_status plan_kmeans(gpci_problem *problem) {
    bool rowmajor = problem->values[2] != 0;
    gpci_launch launch = {.name = rowmajor ? "_Z15kmeans_rowmajorPiPKfS1_iii" : "_Z13kmeans_assignPiPKfS1_iii",
                          .code = rowmajor ? KMEANS("") : KMEANS("R10 IMAD.WIDE R9 R10;"),
                          .warp = walk_kmeans};
    launch.repeats = (uint64_t)problem->values[0];
    launch.steps = (uint64_t)problem->values[1];
    launch.stride = (uint64_t)problem->values[3];
    launch.n = problem->size / GPCI_ELEMENT / launch.steps;
    if (!launch.n)
        return gpci_problem_fail(problem, "%llu bytes are less than a point of %llu features",
                                 (unsigned long long)problem->size, (unsigned long long)launch.steps);
    launch.grid[0] = gpci_ceiling(launch.n, GPCI_THREADS);
    launch.block[0] = GPCI_THREADS;
    launch.operands = 3;
    uint64_t points = gpci_problem_array(problem, launch.n * launch.steps * GPCI_ELEMENT);
    launch.operand[0] = rowmajor ? (gpci_operand){points, launch.steps * GPCI_ELEMENT, GPCI_ELEMENT}
                                 : (gpci_operand){points, GPCI_ELEMENT, launch.n * GPCI_ELEMENT};
    launch.operand[1] =
        (gpci_operand){gpci_problem_array(problem, launch.repeats * launch.steps * GPCI_ELEMENT), 0, GPCI_ELEMENT};
    launch.operand[2].base = gpci_problem_array(problem, launch.n * GPCI_ELEMENT);
    return gpci_problem_launch(problem, &launch);
}

static const gpc_parameter kmeans_parameters[] = {
    {"centres", 8, 1, 4096, true, "clusters"},
    {"features", 32, 1, 4096, true, "of a point"},
    {"rowmajor", 0, 0, 1, true, "1: a point's features lie together; 0: each feature's points do"},
    {"serial", 0, 0, 1, true, "1: step by step, as old compilers have it; 0: the loads of eight steps at once"},
};

const gpci_synthetic gpci_synthetic_kmeans = {
    .name = "kmeans",
    .summary = "k-means' assignment of points to the nearest centre; SIZE of the points (centres=8, features=32, "
               "rowmajor=0, serial=0)",
    .least = GPCI_ELEMENT,
    .parameters = kmeans_parameters,
    .parameter_count = 4,
    .plan = plan_kmeans,
};
