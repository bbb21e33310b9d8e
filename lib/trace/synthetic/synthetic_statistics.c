/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic.h"

/*
 * PolyBench/GPU's programs on the columns of a matrix (Grauer-Gray et al., InPar 2012), compiled for Fermi:
 * correlation, covariance and the orthogonalization of Gram and Schmidt. Sources:
 * github.com/tgrogers/gpgpu-sim_simulations, commit 33f6535, benchmarks/src/cuda/polybench-gpu-1.0/CUDA:
 * CORR/correlation.cu (mean_kernel, std_kernel, reduce_kernel, corr_kernel), COVAR/covariance.cu (mean_kernel,
 * reduce_kernel, covar_kernel) and GRAMSCHM/gramschmidt.cu (gramschmidt_kernel1 to gramschmidt_kernel3). Sums stay in
 * memory, as in synthetic_polybench.c.
 *
 * Correlation and covariance have a row 0 and a column 0 that are not used: a matrix of 2,049 x 2,049 elements for
 * the published 2,048 x 2,048. A thread sums up the products of a column with each later column. Thread j1 begins at
 * the column behind j1 (covariance: at j1), and has a row of its own in the result. The parameter `columns` keeps the
 * first so many of the later columns of each thread, as other columns repeat the pattern.
 */

#define STATISTICS_THREADS 256u
#define STATISTICS_BLOCK_X 32u
#define STATISTICS_BLOCK_Y 8u

/* Operands; `n` of a launch: used rows and columns; `columns`: elements of a row. */
enum { DATA, RESULT, MEAN, DEVIATION };

#define STATISTICS_THREAD \
    "R1 MOV; R0 S2R; R2 S2R; R3 S2R; R0 IMAD R2 R3 R0; P0 ISETP.GE.AND R0 R1; @P0 EXIT; R8 MOV; R7 MOV;"
/* Addresses: R4 sum, R5 element of the matrix, R6 mean. */
#define STATISTICS_COLUMN "R4 MOV; R4 IADD R0 R4; R5 MOV; R5 IADD R0 R5; R6 MOV; R6 IADD R0 R6; STG.E R4 R255;"
#define NEXT_ROW "STG.E R4 R9; R5 IADD R5; R7 IADD R7; P0 ISETP.LT.AND R7 R8; @P0 BRA step;"
#define DIVIDE "R9 LDG.E R4; R9 FMUL R9; STG.E R4 R9; EXIT"

static const char mean_code[] =
    STATISTICS_THREAD STATISTICS_COLUMN "step: R9 LDG.E R4; R10 LDG.E R5; R9 FADD R9 R10;" NEXT_ROW DIVIDE;
/* No deviation of the published data is so small that the program replaces the deviation by 1. */
static const char deviation_code[] = STATISTICS_THREAD STATISTICS_COLUMN
    "step: R9 LDG.E R4; R10 LDG.E R5; R11 LDG.E R6; R10 FADD R10 R11; R9 FFMA R10 R10 R9;" NEXT_ROW
    "R9 LDG.E R4; R9 FMUL R9; R9 MUFU.RSQ R9; R9 MUFU.RCP R9; P1 FSETP.GT.AND R9; STG.E R4 R9; EXIT";

static void walk_column(gpci_walk *walk, const gpci_launch *launch) {
    const uint64_t pitch = launch->columns * GPCI_ELEMENT;
    const uint64_t thread = walk->x * STATISTICS_THREADS + walk->first, column = (thread + 1) * GPCI_ELEMENT;
    const bool deviation = launch->code == deviation_code;
    const uint64_t sum = launch->operand[deviation ? DEVIATION : MEAN].base + column;
    if (!gpci_guard(walk, gpci_below(walk, thread, launch->n)))
        return;
    gpci_access(walk, sum, GPCI_ELEMENT);
    for (uint64_t row = 1; row <= launch->n; row++) {
        gpci_access(walk, sum, GPCI_ELEMENT);
        gpci_access(walk, launch->operand[DATA].base + row * pitch + column, GPCI_ELEMENT);
        if (deviation)
            gpci_access(walk, launch->operand[MEAN].base + column, GPCI_ELEMENT);
        gpci_access(walk, sum, GPCI_ELEMENT);
        gpci_branch(walk, row < launch->n);
    }
    gpci_access(walk, sum, GPCI_ELEMENT);
    gpci_access(walk, sum, GPCI_ELEMENT);
    gpci_finish(walk);
}

/* Less the mean; for a correlation then divided by the deviation. Addresses: R4 element, R5 mean, R6 deviation. */
#define STATISTICS_ELEMENT                                                                            \
    "R1 MOV; R0 S2R; R2 S2R; R3 S2R; R0 IMAD R2 R3 R0; R9 S2R; R10 S2R; R11 S2R; R9 IMAD R10 R11 R9;" \
    "P0 ISETP.LT.AND R0 R1; P0 ISETP.LT.AND R9 R1 P0; @P0 EXIT; R4 MOV; R4 IMAD R9 R1 R4; R4 IADD R4 R0; R5 MOV;"
#define CENTRE "R5 IADD R5 R0; R7 LDG.E R4; R8 LDG.E R5; R7 FADD R7 R8; STG.E R4 R7;"

static const char centre_code[] = STATISTICS_ELEMENT CENTRE "EXIT";
static const char scale_code[] = STATISTICS_ELEMENT
    "R6 MOV; R6 IADD R6 R0;" CENTRE "R8 LDG.E R6; R8 FMUL R8; R8 MUFU.RCP R8; R7 FMUL R7 R8; STG.E R4 R7; EXIT";

static void walk_centre(gpci_walk *walk, const gpci_launch *launch) {
    uint64_t element[GPCI_SYNTHETIC_LANES], column[GPCI_SYNTHETIC_LANES];
    if (!gpci_guard(walk, gpci_inside(walk, launch->n, launch->n)))
        return;
    for (unsigned lane = 0; lane < walk->lanes; lane++) {
        column[lane] = (walk->gx[lane] + 1) * GPCI_ELEMENT;
        element[lane] = (walk->gy[lane] + 1) * launch->columns * GPCI_ELEMENT + column[lane];
    }
    gpci_access_at(walk, launch->operand[DATA].base, element);
    gpci_access_at(walk, launch->operand[MEAN].base, column);
    gpci_access_at(walk, launch->operand[DATA].base, element);
    if (launch->code == scale_code) {
        gpci_access_at(walk, launch->operand[DEVIATION].base, column);
        gpci_access_at(walk, launch->operand[DATA].base, element);
    }
    gpci_finish(walk);
}

/* Addresses: R4 result, R5 its mirror image, R6 element of the thread's column, R12 of the later column. */
#define STATISTICS_PRODUCTS                                                                                        \
    "R4 MOV; R4 IMAD R0 R1 R4; R5 MOV; R5 IMAD R0 R1 R5; R14 MOV;"                                                 \
    "column: STG.E R4 R255; R6 MOV; R6 IADD R0 R6; R12 IADD R6 R14; R7 MOV;"                                       \
    "step: R9 LDG.E R4; R10 LDG.E R6; R11 LDG.E R12; R9 FFMA R10 R11 R9; STG.E R4 R9; R6 IADD R6; R12 IADD R12;"   \
    "R7 IADD R7; P0 ISETP.LT.AND R7 R8; @P0 BRA step; R9 LDG.E R4; STG.E R5 R9; R4 IADD R4; R5 IADD R5; R14 IADD " \
    "R14; P0 ISETP.LT.AND R14 R1; @P0 BRA column; EXIT"

static const char covariance_code[] = STATISTICS_THREAD STATISTICS_PRODUCTS;
static const char correlation_code[] =
    STATISTICS_THREAD "R4 MOV; R4 IMAD R0 R1 R4; R9 MOV; STG.E R4 R9;" STATISTICS_PRODUCTS;

/* Column `later` columns behind the threads' own, for the active lanes. */
static void walk_products(gpci_walk *walk, const gpci_launch *launch, uint64_t own, uint64_t later) {
    const uint64_t pitch = launch->columns * GPCI_ELEMENT, result = launch->operand[RESULT].base;
    const uint64_t apart = later * GPCI_ELEMENT, column = launch->operand[DATA].base + own * GPCI_ELEMENT;
    const uint64_t sum = result + own * (pitch + GPCI_ELEMENT) + apart;
    gpci_access(walk, sum, pitch + GPCI_ELEMENT);
    for (uint64_t row = 1; row <= launch->steps; row++) {
        gpci_access(walk, sum, pitch + GPCI_ELEMENT);
        gpci_access(walk, column + row * pitch, GPCI_ELEMENT);
        gpci_access(walk, column + row * pitch + apart, GPCI_ELEMENT);
        gpci_access(walk, sum, pitch + GPCI_ELEMENT);
        gpci_branch(walk, row < launch->steps);
    }
    gpci_access(walk, sum, pitch + GPCI_ELEMENT);
    gpci_access(walk, sum - apart + later * pitch, pitch + GPCI_ELEMENT);
}

static void walk_pairs(gpci_walk *walk, const gpci_launch *launch) {
    const uint64_t thread = walk->x * STATISTICS_THREADS + walk->first, own = thread + 1, diagonal = launch->window;
    if (!gpci_guard(walk, gpci_below(walk, thread + diagonal, launch->n)))
        return;
    if (diagonal) {
        const uint64_t row = (launch->columns + 1) * GPCI_ELEMENT;
        gpci_access(walk, launch->operand[RESULT].base + own * row, row);
    }
    uint64_t later = diagonal;
    do {
        walk_products(walk, launch, own, later);
        later++;
    } while (gpci_loop(walk, later < diagonal + launch->repeats ? gpci_below(walk, thread + later, launch->n) : 0));
    gpci_finish(walk);
}

/* Set a thread for each column, or for each element of the first `rows` rows. */
static void cover(gpci_launch *launch, uint64_t rows) {
    launch->grid[0] = gpci_ceiling(launch->n, rows ? STATISTICS_BLOCK_X : STATISTICS_THREADS);
    launch->grid[1] = rows ? gpci_ceiling(rows, STATISTICS_BLOCK_Y) : 1;
    launch->block[0] = rows ? STATISTICS_BLOCK_X : STATISTICS_THREADS;
    launch->block[1] = rows ? STATISTICS_BLOCK_Y : 1;
}

/* `n` rows and columns beside the unused ones. */
static gpci_launch plan_statistics(gpci_problem *problem) {
    gpci_launch launch = {.columns = gpci_root(problem->size / GPCI_ELEMENT)};
    const uint64_t asked = (uint64_t)problem->values[1];
    launch.n = launch.columns - 1;
    launch.repeats = (uint64_t)problem->values[0];
    launch.steps = asked && asked < launch.n ? asked : launch.n;
    launch.operand[DATA].base = gpci_problem_array(problem, launch.columns * launch.columns * GPCI_ELEMENT);
    launch.operand[RESULT].base = gpci_problem_array(problem, launch.columns * launch.columns * GPCI_ELEMENT);
    launch.operand[MEAN].base = gpci_problem_array(problem, launch.columns * GPCI_ELEMENT);
    cover(&launch, 0);
    return launch;
}

static gpc_status plan_correlation(gpci_problem *problem) {
    gpci_launch launch = plan_statistics(problem);
    launch.operand[DEVIATION].base = gpci_problem_array(problem, launch.columns * GPCI_ELEMENT);
    launch.window = 1;
    gpc_status status = gpci_problem_kernel(problem, &launch, "_Z11mean_kernelPfS_", mean_code, walk_column);
    if (status == GPC_OK)
        status = gpci_problem_kernel(problem, &launch, "_Z10std_kernelPfS_S_", deviation_code, walk_column);
    cover(&launch, launch.n);
    if (status == GPC_OK)
        status = gpci_problem_kernel(problem, &launch, "_Z13reduce_kernelPfS_S_", scale_code, walk_centre);
    cover(&launch, 0);
    return status == GPC_OK ? gpci_problem_kernel(problem, &launch, "_Z11corr_kernelPfS_", correlation_code, walk_pairs)
                            : status;
}

/* The source divides the rows by the width of a block: a quarter of the rows has threads that subtract the mean. */
static gpc_status plan_covariance(gpci_problem *problem) {
    gpci_launch launch = plan_statistics(problem);
    gpc_status status = gpci_problem_kernel(problem, &launch, "_Z11mean_kernelPfS_", mean_code, walk_column);
    cover(&launch, gpci_ceiling(launch.n, STATISTICS_BLOCK_X) * STATISTICS_BLOCK_Y);
    if (status == GPC_OK)
        status = gpci_problem_kernel(problem, &launch, "_Z13reduce_kernelPfS_", centre_code, walk_centre);
    cover(&launch, 0);
    return status == GPC_OK ? gpci_problem_kernel(problem, &launch, "_Z12covar_kernelPfS_", covariance_code, walk_pairs)
                            : status;
}

/* Operands: the matrix, the coefficients, the orthogonal columns; `window` of a launch: the present column. */
enum { A, R, Q };

/* Addresses: R4 result, R5 and R6 elements. */
static const char norm_code[] =
    STATISTICS_THREAD "R5 MOV; R9 MOV; step: R10 LDG.E R5; R9 FFMA R10 R10 R9; R5 IADD R5; R7 IADD R7;"
                      "P0 ISETP.LT.AND R7 R8; @P0 BRA step; R9 MUFU.RSQ R9; R9 MUFU.RCP R9; R4 MOV;"
                      "STG.E R4 R9; EXIT";
static const char divide_code[] =
    STATISTICS_THREAD "R5 MOV; R5 IMAD R0 R1 R5; R6 MOV; R4 MOV; R4 IMAD R0 R1 R4; R9 LDG.E R5;"
                      "R10 LDG.E R6; R10 MUFU.RCP R10; R9 FMUL R9 R10; STG.E R4 R9; EXIT";
static const char project_code[] = STATISTICS_THREAD
    "R4 MOV; R4 IADD R0 R4; R5 MOV; R6 MOV; R6 IADD R0 R6; STG.E R4 R255;"
    "sum: R9 LDG.E R4; R10 LDG.E R5; R11 LDG.E R6; R9 FFMA R10 R11 R9; STG.E R4 R9; R5 IADD R5; R6 IADD R6; R7 IADD R7;"
    "P0 ISETP.LT.AND R7 R8; @P0 BRA sum; R5 MOV; R6 MOV; R6 IADD R0 R6; R7 MOV;"
    "less: R9 LDG.E R6; R10 LDG.E R5; R11 LDG.E R4; R9 FFMA R10 R11 R9; STG.E R6 R9; R5 IADD R5; R6 IADD R6;"
    "R7 IADD R7; P0 ISETP.LT.AND R7 R8; @P0 BRA less; EXIT";

/* One thread sums up the squares of the column, r[k][k]. */
static void walk_norm(gpci_walk *walk, const gpci_launch *launch) {
    const uint64_t pitch = launch->n * GPCI_ELEMENT, column = launch->window * GPCI_ELEMENT;
    if (!gpci_guard(walk, gpci_below(walk, walk->first, 1)))
        return;
    for (uint64_t row = 0; row < launch->n; row++) {
        gpci_access(walk, launch->operand[A].base + row * pitch + column, 0);
        gpci_branch(walk, row + 1 < launch->n);
    }
    gpci_access(walk, launch->operand[R].base + launch->window * pitch + column, 0);
    gpci_finish(walk);
}

/* Column k of q: column k of a over its norm. */
static void walk_divide(gpci_walk *walk, const gpci_launch *launch) {
    const uint64_t pitch = launch->n * GPCI_ELEMENT, column = launch->window * GPCI_ELEMENT;
    const uint64_t row = walk->x * STATISTICS_THREADS + walk->first;
    if (!gpci_guard(walk, gpci_below(walk, row, launch->n)))
        return;
    gpci_access(walk, launch->operand[A].base + row * pitch + column, pitch);
    gpci_access(walk, launch->operand[R].base + launch->window * pitch + column, 0);
    gpci_access(walk, launch->operand[Q].base + row * pitch + column, pitch);
    gpci_finish(walk);
}

/* A thread for each column behind k: r[k][j], and what is left of the column. */
static void walk_project(gpci_walk *walk, const gpci_launch *launch) {
    const uint64_t n = launch->n, pitch = n * GPCI_ELEMENT, k = launch->window;
    const uint64_t j = walk->x * STATISTICS_THREADS + walk->first;
    const uint64_t r = launch->operand[R].base + k * pitch + j * GPCI_ELEMENT;
    if (!gpci_guard(walk, gpci_below(walk, j, n) & ~gpci_below(walk, j, k + 1)))
        return;
    gpci_access(walk, r, GPCI_ELEMENT);
    for (unsigned less = 0; less < 2; less++)
        for (uint64_t row = 0; row < n; row++) {
            const uint64_t a = launch->operand[A].base + row * pitch + j * GPCI_ELEMENT;
            gpci_access(walk, less ? a : r, GPCI_ELEMENT);
            gpci_access(walk, launch->operand[Q].base + row * pitch + k * GPCI_ELEMENT, 0);
            gpci_access(walk, less ? r : a, GPCI_ELEMENT);
            gpci_access(walk, less ? a : r, GPCI_ELEMENT);
            gpci_branch(walk, row + 1 < n);
        }
    gpci_finish(walk);
}

static gpc_status plan_gram_schmidt(gpci_problem *problem) {
    gpci_launch launch = {.n = gpci_root(problem->size / GPCI_ELEMENT)};
    const uint64_t apart = (uint64_t)problem->values[1], end = apart * (uint64_t)problem->values[0];
    for (size_t k = A; k <= Q; k++)
        launch.operand[k].base = gpci_problem_array(problem, launch.n * launch.n * GPCI_ELEMENT);
    gpc_status status = GPC_OK;
    for (; status == GPC_OK && launch.window < launch.n && launch.window < end; launch.window += apart) {
        launch.grid[0] = 1;
        launch.block[0] = STATISTICS_THREADS;
        status = gpci_problem_kernel(problem, &launch, "_Z19gramschmidt_kernel1PfS_S_i", norm_code, walk_norm);
        cover(&launch, 0);
        if (status == GPC_OK)
            status = gpci_problem_kernel(problem, &launch, "_Z19gramschmidt_kernel2PfS_S_i", divide_code, walk_divide);
        if (status == GPC_OK)
            status =
                gpci_problem_kernel(problem, &launch, "_Z19gramschmidt_kernel3PfS_S_i", project_code, walk_project);
    }
    return status;
}

static const gpc_parameter statistics_parameters[] = {
    {"columns", 1, 1, 16, true, "of the result, the first so many of each thread"},
    {"steps", 0, 0, 1 << 20, true, "of each product of columns, the first so many; 0: all"},
};

static const gpc_parameter gram_schmidt_parameters[] = {
    {"rounds", 1, 1, GPCI_SYNTHETIC_LAUNCHES, true, "columns made orthogonal, three launches each"},
    {"apart", 1, 1, 1 << 15, true, "columns from one of these to the next"},
};

const gpci_synthetic gpci_synthetic_polybench_corr = {
    .name = "polybench-corr",
    .summary =
        "correlation of a matrix's columns, as Fermi ran it, with sums in memory; SIZE of the matrix (columns=1, "
        "steps=0: all)",
    .least = 9 * GPCI_ELEMENT,
    .parameters = statistics_parameters,
    .parameter_count = 2,
    .plan = plan_correlation,
};

const gpci_synthetic gpci_synthetic_polybench_covar = {
    .name = "polybench-covar",
    .summary = "covariance likewise; SIZE of the matrix (columns=1, steps=0: all)",
    .least = 9 * GPCI_ELEMENT,
    .parameters = statistics_parameters,
    .parameter_count = 2,
    .plan = plan_covariance,
};

const gpci_synthetic gpci_synthetic_polybench_gramschm = {
    .name = "polybench-gramschm",
    .summary = "columns made orthogonal by Gram and Schmidt's process likewise; SIZE of the matrix (rounds=1, apart=1)",
    .least = GPCI_ELEMENT,
    .parameters = gram_schmidt_parameters,
    .parameter_count = 2,
    .plan = plan_gram_schmidt,
};
