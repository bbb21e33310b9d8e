/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic.h"

/*
 * PolyBench/GPU's kernels (Grauer-Gray et al., InPar 2012), compiled for Fermi, as run for seeds/004: one step at a
 * time, and each sum in memory, because the arrays might overlap. A step of atax's first kernel, tmp[i] += A[i][j] *
 * x[j], is therefore three loads, a multiplication and a store.
 *
 * The published matrices of atax, bicg, mvt and gesummv are 64MiB:columns=4096. Blocks of 256 threads are then 16
 * blocks: one on each of 15 SMs, and one more. The published matrices of gemm and 3mm have 512 x 512 elements, 1 MiB,
 * in blocks of 32 x 8 threads.
 */

#define BLOCK_X 32u
#define BLOCK_Y 8u

/* Operands of a kernel with a vector. A second matrix lies `stride` behind the first, second sums lie `step` behind. */
enum { SUMS, MATRIX, VECTOR };

/* R0 thread. Addresses: R4 sum, R5 element of the matrix, R6 element of the vector. R7 step, R8 number of steps. */
#define THREAD "R1 MOV; R0 S2R; R2 S2R; R3 S2R; R0 IMAD R2 R3 R0; P0 ISETP.GE.AND R0 R1; @P0 EXIT; R8 MOV; R7 MOV;"
#define POINTERS "R4 MOV; R4 IMAD R0 R4; R5 MOV; R5 IMAD R0 R5; R6 MOV;"
#define ADD(sums, matrix) \
    "R9 LDG.E " sums "; R10 LDG.E " matrix "; R11 LDG.E R6; R9 FFMA R10 R11 R9; STG.E " sums " R9;"
#define NEXT "R6 IADD3 R6; R7 IADD3 R7; P0 ISETP.LT.AND R7 R8; @P0 BRA step;"

static const char sum_code[] = THREAD POINTERS "step: " ADD("R4", "R5") "R5 IADD3 R5;" NEXT "EXIT";
static const char gesummv_code[] =
    THREAD POINTERS "R12 MOV; R12 IMAD R0 R12; R13 MOV; R13 IMAD R0 R13;"
                    "step: " ADD("R4", "R5")
                        ADD("R12", "R13") "R5 IADD3 R5; R13 IADD3 R13;" NEXT
                                          "R9 LDG.E R4; R10 LDG.E R12; R9 FMUL R9; R9 FFMA R10 R9; STG.E R12 R9; EXIT";

static void walk_sums(gpci_walk *walk, const gpci_launch *launch) {
    const uint64_t thread = walk->x * GPCI_THREADS + walk->first,
                   sums = launch->operand[SUMS].base + thread * GPCI_ELEMENT;
    const gpci_operand *matrix = &launch->operand[MATRIX];
    if (!gpci_guard(walk, gpci_below(walk, thread, launch->n)))
        return;
    for (uint64_t step = 0; step < launch->steps; step++) {
        for (uint64_t k = 0; k < launch->repeats; k++) {
            gpci_access(walk, sums + k * launch->operand[SUMS].step, GPCI_ELEMENT);
            gpci_access(walk, matrix->base + k * launch->stride + thread * matrix->thread + step * matrix->step,
                        matrix->thread);
            gpci_access(walk, launch->operand[VECTOR].base + step * GPCI_ELEMENT, 0);
            gpci_access(walk, sums + k * launch->operand[SUMS].step, GPCI_ELEMENT);
        }
        gpci_branch(walk, step + 1 < launch->steps);
    }
    if (launch->repeats > 1) {
        gpci_access(walk, sums, GPCI_ELEMENT);
        gpci_access(walk, sums + launch->operand[SUMS].step, GPCI_ELEMENT);
        gpci_access(walk, sums + launch->operand[SUMS].step, GPCI_ELEMENT);
    }
    gpci_finish(walk);
}

/* Matrix with the rows and columns of `shape`; vectors as long as a row (`across`) or a column (`down`). */
typedef struct vectors {
    gpci_launch shape;
    uint64_t matrix, across[2], down[2];
} vectors;

static gpc_status plan_linear(gpci_problem *problem, vectors *operands) {
    gpc_status status = gpci_problem_matrix(problem, (uint64_t)problem->values[0], 1, &operands->shape);
    if (status < 0)
        return status;
    operands->matrix = gpci_problem_array(problem, operands->shape.rows * operands->shape.columns * GPCI_ELEMENT);
    for (unsigned k = 0; k < 2; k++) {
        operands->across[k] = gpci_problem_array(problem, operands->shape.columns * GPCI_ELEMENT);
        operands->down[k] = gpci_problem_array(problem, operands->shape.rows * GPCI_ELEMENT);
    }
    return GPC_OK;
}

/* Number of steps or rows: all of them, or the number in the parameter. */
static uint64_t first_of(const gpci_problem *problem, size_t parameter, uint64_t steps) {
    uint64_t asked = (uint64_t)problem->values[parameter];
    return asked && asked < steps ? asked : steps;
}

/* Add launch 1 or 2 of a kernel with two launches: a thread for each row, or for each column. */
static gpc_status add_sums(gpci_problem *problem, unsigned launch, const char *name, const vectors *operands, bool rows,
                           uint64_t vector, uint64_t sums) {
    gpci_launch l = {.name = name, .code = sum_code, .warp = walk_sums, .repeats = 1};
    const uint64_t pitch = operands->shape.columns * GPCI_ELEMENT;
    if (problem->values[2] != 0 && problem->values[2] != launch)
        return GPC_OK;
    l.n = rows ? operands->shape.rows : operands->shape.columns;
    l.steps = first_of(problem, 1, rows ? operands->shape.columns : operands->shape.rows);
    l.grid[0] = gpci_ceiling(l.n, GPCI_THREADS);
    l.block[0] = GPCI_THREADS;
    l.operand[SUMS].base = sums;
    l.operand[MATRIX] = rows ? (gpci_operand){operands->matrix, pitch, GPCI_ELEMENT}
                             : (gpci_operand){operands->matrix, GPCI_ELEMENT, pitch};
    l.operand[VECTOR].base = vector;
    return gpci_problem_launch(problem, &l);
}

static gpc_status plan_atax(gpci_problem *problem) {
    vectors operands;
    gpc_status status = plan_linear(problem, &operands);
    if (status == GPC_OK)
        status = add_sums(problem, 1, "_Z12atax_kernel1PfS_S_", &operands, true, operands.across[0], operands.down[0]);
    return status == GPC_OK
               ? add_sums(problem, 2, "_Z12atax_kernel2PfS_S_", &operands, false, operands.down[0], operands.across[1])
               : status;
}

static gpc_status plan_bicg(gpci_problem *problem) {
    vectors operands;
    gpc_status status = plan_linear(problem, &operands);
    if (status == GPC_OK)
        status = add_sums(problem, 1, "_Z12bicg_kernel1PfS_S_", &operands, false, operands.down[0], operands.across[0]);
    return status == GPC_OK
               ? add_sums(problem, 2, "_Z12bicg_kernel2PfS_S_", &operands, true, operands.across[1], operands.down[1])
               : status;
}

static gpc_status plan_mvt(gpci_problem *problem) {
    vectors operands;
    gpc_status status = plan_linear(problem, &operands);
    if (status == GPC_OK)
        status = add_sums(problem, 1, "_Z11mvt_kernel1PfS_S_", &operands, true, operands.across[0], operands.down[0]);
    return status == GPC_OK
               ? add_sums(problem, 2, "_Z11mvt_kernel2PfS_S_", &operands, false, operands.down[1], operands.across[1])
               : status;
}

static gpc_status plan_gesummv(gpci_problem *problem) {
    gpci_launch launch = {.name = "_Z14gesummv_kernelPfS_S_S_S_", .code = gesummv_code, .warp = walk_sums};
    gpci_launch shape;
    gpc_status status = gpci_problem_matrix(problem, (uint64_t)problem->values[0], 1, &shape);
    if (status < 0)
        return status;
    const uint64_t pitch = shape.columns * GPCI_ELEMENT;
    launch.n = shape.rows;
    launch.steps = first_of(problem, 1, shape.columns);
    launch.repeats = 2;
    launch.grid[0] = gpci_ceiling(launch.n, GPCI_THREADS);
    launch.block[0] = GPCI_THREADS;
    launch.operand[MATRIX] = (gpci_operand){gpci_problem_array(problem, shape.rows * pitch), pitch, GPCI_ELEMENT};
    launch.stride = gpci_problem_array(problem, shape.rows * pitch) - launch.operand[MATRIX].base;
    launch.operand[VECTOR].base = gpci_problem_array(problem, pitch);
    launch.operand[SUMS].base = gpci_problem_array(problem, shape.rows * GPCI_ELEMENT);
    launch.operand[SUMS].step = gpci_problem_array(problem, shape.rows * GPCI_ELEMENT) - launch.operand[SUMS].base;
    return gpci_problem_launch(problem, &launch);
}

/* c += alpha a b, a thread for each element of c. Addresses: R4 element of c, R5 element of a, R6 element of b. */
#define ELEMENT                                                                                                    \
    "R1 MOV; R0 S2R; R2 S2R; R3 S2R; R0 IMAD R2 R3 R0; R9 S2R; R10 S2R; R11 S2R; R9 IMAD R10 R11 R9;"              \
    "P0 ISETP.LT.AND R0 R1; P0 ISETP.LT.AND R9 R1 P0; @P0 EXIT; R4 MOV; R4 IMAD R9 R1 R4; R4 IADD3 R4 R0; R5 MOV;" \
    "R5 IMAD R9 R1 R5; R6 MOV; R6 IADD3 R0 R6; R7 MOV; R8 MOV;"
#define PRODUCT                                                                                         \
    "step: R12 LDG.E R4; R13 LDG.E R5; R14 LDG.E R6; R13 FMUL R13; R12 FFMA R13 R14 R12; STG.E R4 R12;" \
    "R5 IADD3 R5; R6 IADD3 R6; R7 IADD3 R7; P0 ISETP.LT.AND R7 R8; @P0 BRA step; EXIT"

static const char gemm_code[] = ELEMENT "R12 LDG.E R4; R12 FMUL R12; STG.E R4 R12;" PRODUCT;
static const char product_code[] = ELEMENT "STG.E R4 R255;" PRODUCT;

/* Operands of a product: c = a b. B's thread and step: from a column of c to the next, and from a step to the next. */
enum { C, A, B };

static void walk_product(gpci_walk *walk, const gpci_launch *launch) {
    uint64_t of_c[GPCI_SYNTHETIC_LANES], of_a[GPCI_SYNTHETIC_LANES], of_b[GPCI_SYNTHETIC_LANES];
    const uint64_t pitch = launch->columns * GPCI_ELEMENT;
    if (!gpci_guard(walk, gpci_inside(walk, launch->columns, launch->rows)))
        return;
    for (unsigned lane = 0; lane < walk->lanes; lane++) {
        of_a[lane] = walk->gy[lane] * pitch;
        of_b[lane] = walk->gx[lane] * launch->operand[B].thread;
        of_c[lane] = of_a[lane] + walk->gx[lane] * GPCI_ELEMENT;
    }
    for (uint64_t k = 0; k < launch->repeats; k++)
        gpci_access_at(walk, launch->operand[C].base, of_c);
    for (uint64_t step = 0; step < launch->steps; step++) {
        gpci_access_at(walk, launch->operand[C].base, of_c);
        gpci_access_at(walk, launch->operand[A].base + step * GPCI_ELEMENT, of_a);
        gpci_access_at(walk, launch->operand[B].base + step * launch->operand[B].step, of_b);
        gpci_access_at(walk, launch->operand[C].base, of_c);
        gpci_branch(walk, step + 1 < launch->steps);
    }
    gpci_finish(walk);
}

/* Side of the square matrices in `size` bytes. */
static uint64_t side_of(const gpci_problem *problem) {
    return gpci_root(problem->size / GPCI_ELEMENT);
}

static gpc_status add_product(gpci_problem *problem, const char *name, const char *code, uint64_t repeats, uint64_t c,
                              uint64_t a, uint64_t b, bool transposed) {
    gpci_launch launch = {.name = name, .code = code, .warp = walk_product, .repeats = repeats};
    launch.columns = side_of(problem);
    launch.steps = first_of(problem, 0, launch.columns);
    launch.rows = first_of(problem, 1, launch.columns);
    launch.grid[0] = gpci_ceiling(launch.columns, BLOCK_X);
    launch.grid[1] = gpci_ceiling(launch.rows, BLOCK_Y);
    launch.block[0] = BLOCK_X;
    launch.block[1] = BLOCK_Y;
    launch.operand[C].base = c;
    launch.operand[A].base = a;
    const uint64_t pitch = launch.columns * GPCI_ELEMENT;
    launch.operand[B] = transposed ? (gpci_operand){b, pitch, GPCI_ELEMENT} : (gpci_operand){b, GPCI_ELEMENT, pitch};
    return gpci_problem_launch(problem, &launch);
}

static void square_arrays(gpci_problem *problem, uint64_t *arrays, size_t count) {
    for (size_t i = 0; i < count; i++)
        arrays[i] = gpci_problem_array(problem, side_of(problem) * side_of(problem) * GPCI_ELEMENT);
}

static gpc_status plan_gemm(gpci_problem *problem) {
    uint64_t m[3];
    square_arrays(problem, m, 3);
    return add_product(problem, "_Z11gemm_kernelPfS_S_", gemm_code, 2, m[2], m[0], m[1], false);
}

/*
 * C = a A A' + b C: the lanes of a warp load 32 rows of A, an element of each. SYRK/syrk.cu (syrk_kernel) of
 * github.com/tgrogers/gpgpu-sim_simulations, commit 33f6535, benchmarks/src/cuda/polybench-gpu-1.0/CUDA; published with
 * 1,024 x 1,024 elements.
 */
static gpc_status plan_syrk(gpci_problem *problem) {
    uint64_t m[2];
    square_arrays(problem, m, 2);
    return add_product(problem, "_Z11syrk_kernelffPfS_", gemm_code, 2, m[1], m[0], m[0], true);
}

/* E = A B, F = C D, G = E F. */
static gpc_status plan_3mm(gpci_problem *problem) {
    uint64_t m[7];
    square_arrays(problem, m, 7);
    gpc_status status = add_product(problem, "_Z11mm3_kernel1PfS_S_", product_code, 1, m[4], m[0], m[1], false);
    if (status == GPC_OK)
        status = add_product(problem, "_Z11mm3_kernel2PfS_S_", product_code, 1, m[5], m[2], m[3], false);
    return status == GPC_OK ? add_product(problem, "_Z11mm3_kernel3PfS_S_", product_code, 1, m[6], m[4], m[5], false)
                            : status;
}

static const gpc_parameter parameters[] = {
    {"columns", 0, 0, 1 << 20, true, "of the matrix; 0: the least power of two that makes it not taller than wide"},
    {"steps", 0, 0, 1 << 20, true, "of each sum, the first so many; 0: all"},
    {"launch", 0, 0, 2, true, "1 or 2: just this one; 0: both"},
};

static const gpc_parameter product_parameters[] = {
    {"steps", 0, 0, 1 << 20, true, "of each sum, the first so many; 0: all"},
    {"rows", 0, 0, 1 << 20, true, "of each result, the first so many; 0: all"},
};

#define LINEAR(id, called, does, count)                                                \
    const gpci_synthetic gpci_synthetic_polybench_##id = {.name = "polybench-" called, \
                                                          .summary = does,             \
                                                          .least = GPCI_ELEMENT,       \
                                                          .parameters = parameters,    \
                                                          .parameter_count = count,    \
                                                          .plan = plan_##id}

LINEAR(atax, "atax",
       "atax as Fermi ran it, step by step with sums in memory; SIZE of the matrix (columns=0: near "
       "square, steps=0: all, launch=0: both)",
       3);
LINEAR(bicg, "bicg", "bicg likewise; SIZE of the matrix (columns=0: near square, steps=0: all, launch=0: both)", 3);
LINEAR(mvt, "mvt", "mvt likewise; SIZE of the matrix (columns=0: near square, steps=0: all, launch=0: both)", 3);
LINEAR(gesummv, "gesummv", "gesummv likewise; SIZE of each matrix (columns=0: near square, steps=0: all)", 2);

#define PRODUCTS(id, called, does)                                                          \
    const gpci_synthetic gpci_synthetic_polybench_##id = {.name = "polybench-" called,      \
                                                          .summary = does,                  \
                                                          .least = GPCI_ELEMENT,            \
                                                          .parameters = product_parameters, \
                                                          .parameter_count = 2,             \
                                                          .plan = plan_##id}

PRODUCTS(gemm, "gemm", "C = aAB + bC likewise, a thread for each element; SIZE of each matrix (steps=0, rows=0: all)");
PRODUCTS(3mm, "3mm", "G = (AB)(CD) likewise, in three launches; SIZE of each matrix (steps=0, rows=0: all)");
PRODUCTS(syrk, "syrk", "C = aAA' + bC likewise; SIZE of each matrix (steps=0, rows=0: all)");
