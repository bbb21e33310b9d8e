/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic.h"

/* Layers of neural networks over a matrix, in blocks of 16 x 16 threads: activations, padding and pooling. */

#define SIDE 16u

/* Walk with an element for each thread inside the matrix: load all operands but the last, then store the last. */
static void walk_map(gpci_walk *walk, const gpci_launch *launch) {
    uint64_t offsets[GPCI_SYNTHETIC_LANES];
    if (!gpci_guard(walk, gpci_inside(walk, launch->columns, launch->rows)))
        return;
    for (unsigned lane = 0; lane < walk->lanes; lane++)
        offsets[lane] = (walk->gy[lane] * launch->columns + walk->gx[lane]) * GPCI_ELEMENT;
    for (uint64_t k = 0; k < launch->operands; k++)
        gpci_access_at(walk, launch->operand[k].base, offsets);
    gpci_finish(walk);
}

#define LAYERS_INDEX                                                                                                 \
    "R1 LDC; R5 S2R; UR4 S2UR; UR6 ULDC.64; R2 S2R; R3 S2R; R0 LDC; UR5 ULDC; R5 IMAD R5 UR5 R2; R0 IMAD R0 UR4 R3;" \
    "P0 ISETP.GE.AND R5 UR6; P0 ISETP.GE.OR R0 UR7 P0; @P0 EXIT; R2 LDC.64; R7 IMAD R5 UR7 R0; UR4 ULDC.64;"

static const char relu_code[] = LAYERS_INDEX
    "R4 LDC.64; R2 IMAD.WIDE R7 R2; R2 LDG.E R2 UR4; R4 IMAD.WIDE R7 R4; R7 FMNMX R255 R2; STG.E R4 UR4 R7; EXIT";

static const char sigmoid_code[] = LAYERS_INDEX
    "R4 LDC.64; R2 IMAD.WIDE R7 R2; R2 LDG.E R2 UR4; R4 IMAD.WIDE R7 R4; R6 FMUL R2; P0 FSETP.GEU.AND R6;"
    "@!P0 R6 FMUL R6 R6; R6 MUFU.EX2 R6; @!P0 R6 FMUL R6 R6; R6 FADD R6; R8 IADD3 R6 R255; R8 LOP3.LUT R8 R255;"
    "P1 ISETP.GT.U32.AND R8; R9 MUFU.RCP R6; R8 FFMA R6 R9; R8 FADD.FTZ R255 R8; R9 FFMA R9 R8 R9;"
    "STG.E R4 UR4 R9; EXIT";

static const char elemmul_code[] =
    LAYERS_INDEX "R4 LDC.64; R8 LDC.64; R2 IMAD.WIDE R7 R2; R2 LDG.E R2 UR4; R4 IMAD.WIDE R7 R4; R5 LDG.E R4 UR4;"
                 "R8 IMAD.WIDE R7 R8; R7 FMUL R2 R5; STG.E R8 UR4 R7; EXIT";

static gpc_status plan_map(gpci_problem *problem, const char *name, const char *code, uint64_t operands) {
    gpci_launch launch = {.name = name, .code = code, .warp = walk_map, .operands = operands, .block = {SIDE, SIDE}};
    gpc_status status = gpci_problem_matrix(problem, (uint64_t)problem->values[0], 1, &launch);
    if (status < 0)
        return status;
    launch.grid[0] = gpci_ceiling(launch.columns, SIDE);
    launch.grid[1] = gpci_ceiling(launch.rows, SIDE);
    for (uint64_t k = 0; k < operands; k++)
        launch.operand[k].base = gpci_problem_array(problem, launch.rows * launch.columns * GPCI_ELEMENT);
    return gpci_problem_launch(problem, &launch);
}

static gpc_status plan_relu(gpci_problem *problem) {
    return plan_map(problem, "_Z4reluPfPKfii", relu_code, 2);
}

static gpc_status plan_sigmoid(gpci_problem *problem) {
    return plan_map(problem, "_Z7sigmoidPfPKfii", sigmoid_code, 2);
}

static gpc_status plan_elemmul(gpci_problem *problem) {
    return plan_map(problem, "_Z7elemmulPfPKfS1_ii", elemmul_code, 3);
}

static const gpc_parameter columns_parameter[] = {
    {"columns", 0, 0, 1 << 20, true, "of the input; 0: the least power of two that makes it not taller than wide"},
};

const gpci_synthetic gpci_synthetic_relu = {
    .name = "relu",
    .summary = "max(0, x) over a matrix, 2D blocks; SIZE of the matrix (columns=0: near square)",
    .least = GPCI_ELEMENT,
    .parameters = columns_parameter,
    .parameter_count = 1,
    .plan = plan_relu,
};

const gpci_synthetic gpci_synthetic_sigmoid = {
    .name = "sigmoid",
    .summary = "1 / (1 + exp(-x)) over a matrix, 2D blocks; SIZE of the matrix (columns=0: near square)",
    .least = GPCI_ELEMENT,
    .parameters = columns_parameter,
    .parameter_count = 1,
    .plan = plan_sigmoid,
};

const gpci_synthetic gpci_synthetic_elemmul = {
    .name = "elemmul",
    .summary = "element-wise product of two matrices, 2D blocks; SIZE of each matrix (columns=0: near square)",
    .least = GPCI_ELEMENT,
    .parameters = columns_parameter,
    .parameter_count = 1,
    .plan = plan_elemmul,
};

/* Each thread writes an element of the padded matrix. Threads inside the border first load the element. */
static const char zeropad_code[] =
    "R1 LDC; R3 S2R; UR5 ULDC; UR8 ULDC; UR10 ULDC.64; R2 S2R; UR4 ULDC; UR9 ULEA UR4 UR8; R0 S2R; R5 S2R;"
    "R3 IMAD R3 UR5 R2; UR6 ULEA UR4 UR8; P0 ISETP.GE.AND R3 UR9; R0 IMAD R0 UR5 R5; P0 ISETP.GE.OR R0 UR6 P0;"
    "@P0 EXIT;"
    "R6 IADD3 R0 R255; R4 LDC.64; R7 IADD3 R3 R255; R3 IMAD R3 UR6 R0; UR6 ULDC.64; BSSY; R2 LOP3.LUT R6 R7 R255;"
    "P0 ISETP.GE.AND R2 R255; P0 ISETP.GE.OR R6 UR10 P0; P0 ISETP.GE.OR R7 UR11 P0; R4 IMAD.WIDE R3 R4;"
    "R3 HFMA2.MMA R255 R255; @P0 BRA border; R2 LDC.64; R7 IMAD R7 UR10 R6; R2 IMAD.WIDE R7 R2; R3 LDG.E R2 UR6;"
    "border: BSYNC; STG.E R4 UR6 R3; EXIT";

static void walk_zeropad(gpci_walk *walk, const gpci_launch *launch) {
    uint64_t pad = launch->window, side = launch->n, padded = side + 2 * pad, inside = 0;
    uint64_t in[GPCI_SYNTHETIC_LANES], out[GPCI_SYNTHETIC_LANES];
    if (!gpci_guard(walk, gpci_inside(walk, padded, padded)))
        return;
    for (unsigned lane = 0; lane < walk->lanes; lane++) {
        uint64_t x = walk->gx[lane] - pad, y = walk->gy[lane] - pad; /* left of and above the matrix: wraps around */
        inside |= (uint64_t)(x < side && y < side) << lane;
        in[lane] = (y * side + x) * GPCI_ELEMENT;
        out[lane] = (walk->gy[lane] * padded + walk->gx[lane]) * GPCI_ELEMENT;
    }
    if (gpci_if(walk, inside & walk->mask))
        gpci_access_at(walk, launch->operand[0].base, in);
    gpci_end_if(walk);
    gpci_access_at(walk, launch->operand[1].base, out);
    gpci_finish(walk);
}

static gpc_status plan_zeropad(gpci_problem *problem) {
    gpci_launch launch = {
        .name = "_Z7zeropadPfPKfiii", .code = zeropad_code, .warp = walk_zeropad, .block = {SIDE, SIDE}};
    uint64_t padded = gpci_root(problem->size / GPCI_ELEMENT);
    launch.window = (uint64_t)problem->values[0];
    if (padded <= 2 * launch.window)
        return gpci_problem_fail(problem, "a result of %llu x %llu has no room for a border of %llu",
                                 (unsigned long long)padded, (unsigned long long)padded,
                                 (unsigned long long)launch.window);
    launch.n = padded - 2 * launch.window;
    launch.grid[0] = launch.grid[1] = gpci_ceiling(padded, SIDE);
    launch.operand[0].base = gpci_problem_array(problem, launch.n * launch.n * GPCI_ELEMENT);
    launch.operand[1].base = gpci_problem_array(problem, padded * padded * GPCI_ELEMENT);
    return gpci_problem_launch(problem, &launch);
}

static const gpc_parameter zeropad_parameters[] = {
    {"pad", 2, 1, 1024, true, "width of the border, elements"},
};

const gpci_synthetic gpci_synthetic_zeropad = {
    .name = "zeropad",
    .summary = "a square matrix with a border of zeros around it; SIZE of the result (pad=2)",
    .least = GPCI_ELEMENT,
    .parameters = zeropad_parameters,
    .parameter_count = 1,
    .plan = plan_zeropad,
};

/*
 * Code of pooling: the rows of a window. If a row's length is odd, one element comes first; the others come in pairs.
 */
#define POOL(one, pair)                                                                                      \
    "rows: R2 LDC; R18 VIADD R0; UR4 UIADD3 UR4; UR5 ULDC; R18 IMAD R18 UR5 R13; P0 ISETP.NE.AND R15 R255;"  \
    "R19 LDC.64;"                                                                                            \
    "R2 IMAD.WIDE R18 R19; @!P0 BRA even;"                                                                   \
    "odd: R4 LDG.E R2 UR6; P1 ISETP.NE.AND R15;" one "@P1 BRA odd;"                                          \
    "even: P0 ISETP.NE.AND R16 R255; @!P0 BRA last;"                                                         \
    "pair: R4 LDG.E R2 UR6; R6 LDG.E R2 UR6; R2 IADD3 R2 R255; P0 ISETP.GT.AND R2 R18;" pair "@P0 BRA pair;" \
    "last: P0 ISETP.GT.AND R16 UR4; @P0 BRA rows;"

static const char maxpool_code[] =
    "R1 LDC; R0 S2R; R16 LDC; UR4 ULDC; UR5 ULDC; R3 S2R; UR6 ULDC.64; R13 S2R; R2 S2R; R12 IADD3 R16 R255;"
    "R0 IMAD R0 UR4 R3; R3 IADD3 R16 R255; P0 ISETP.GT.AND R0 R3; R13 IMAD R13 UR5 R2; P0 ISETP.GT.OR R13 R12 P0;"
    "@P0 EXIT; R23 IMAD.MOV.U32 R255 R255; R2 VIADD R16; R15 LOP3.LUT R16 R255; UR4 UMOV; R16 IMAD.IADD R16 R15;" POOL(
        "P2 FSETP.GT.AND R4 R23; R23 FSEL R4 R23 P2;", "P2 FSETP.GT.AND R4 R23; R23 FSEL R4 R23 P2; P3 FSETP.GT.AND R6 "
                                                       "R23; R23 FSEL R6 R23 P3;") "R2 LDC.64; R12 VIADD R12; R13 IMAD "
                                                                                   "R0 R12 R13; R2 IMAD.WIDE R13 R2; "
                                                                                   "STG.E R2 UR6 R23; EXIT";

/* Each thread divides to find the result's extents, and divides the sum at the end. */
static const char meanpool_code[] =
    "R1 LDC; UR4 ULDC; R12 LDC; R9 IMAD.U32 R255 R255 UR4; R10 S2R; UR4 ULDC; UR5 ULDC; R11 IABS R9; R8 S2R; R6 LDC;"
    "R0 I2F.RP R11; R0 MUFU.RCP R0; R2 VIADD R0; R0 IABS R6; R3 F2I.FTZ.U32.TRUNC.NTZ R2; R2 HFMA2.MMA R255 R255;"
    "R4 IMAD.MOV R255 R255 R3; R5 IMAD R4 R11 R255; R4 IABS R12; R3 IMAD.HI.U32 R3 R5 R2; R2 IMAD.HI.U32 R3 R4 R255;"
    "R3 IMAD.HI.U32 R3 R0 R255; R7 IMAD.MOV R255 R255 R2; R5 IMAD.MOV R255 R255 R3; R4 IMAD R11 R7 R4;"
    "R0 IMAD R11 R5 R0;"
    "R7 S2R; P0 ISETP.GT.U32.AND R11 R4; P1 ISETP.GT.U32.AND R11 R0; R5 S2R; @!P0 R4 IADD3 R4 R11 R255;"
    "@!P0 R2 VIADD R2;"
    "@!P1 R3 IADD3 R3 R255; @!P1 R0 IMAD.IADD R0 R11; P0 ISETP.GE.U32.AND R4 R11; R4 LOP3.LUT R12 R9 R255;"
    "P1 ISETP.GE.U32.AND R0 R11; R0 LOP3.LUT R6 R9 R255; P2 ISETP.GE.AND R4 R255; P3 ISETP.GE.AND R0 R255;"
    "P4 ISETP.NE.AND R9 R255; @P0 R2 VIADD R2; R6 LOP3.LUT R255 R9 R255; R4 IMAD R7 UR4 R10; @P1 R3 VIADD R3;"
    "R5 IMAD R5 UR5 R8; @!P2 R2 IADD3 R2 R255 R255; @!P3 R3 IMAD.MOV R255 R255 R3; R7 SEL R6 R2 P4; R14 SEL R6 R3 P4;"
    "P0 ISETP.GE.AND R4 R7; P0 ISETP.GE.OR R5 R14 P0; @P0 EXIT; R11 IMAD.MOV.U32 R255 R255 R255; UR6 ULDC.64;"
    "R0 IMAD R4 R9; R13 IMAD R5 R9 R255; R15 LOP3.LUT R9 R255; R16 IMAD.IADD R9 R15; UR4 UMOV;" POOL(
        "R11 FADD R11 R4;",
        "R11 FADD R11 R4; R11 FADD R11 R6;") "R9 IMAD R9 R9 R255; BSSY; R8 I2FP.F32.S32 R9; R3 MUFU.RCP R8; P0 FCHK "
                                             "R11 R8; R10 FFMA R8 R3; R10 FFMA R3 R10 R3;"
                                             "R3 FFMA R10 R11 R255; R2 FFMA R8 R3 R11; R7 FFMA R10 R2 R3; BSYNC; R2 "
                                             "LDC.64; R5 IMAD R4 R14 R5;"
                                             "R2 IMAD.WIDE R5 R2;"
                                             "STG.E R2 UR6 R7; EXIT";

typedef struct pool_row {
    uint64_t base;
    const uint64_t *offsets;
} pool_row;

static void load_pooled(gpci_walk *walk, const gpci_launch *launch, uint64_t step, const void *data) {
    const pool_row *row = data;
    (void)launch;
    gpci_access_at(walk, row->base + step * GPCI_ELEMENT, row->offsets);
}

static void walk_pool(gpci_walk *walk, const gpci_launch *launch) {
    uint64_t in[GPCI_SYNTHETIC_LANES], out[GPCI_SYNTHETIC_LANES], odd = launch->window % 2;
    if (!gpci_guard(walk, gpci_inside(walk, launch->n, launch->steps)))
        return;
    for (unsigned lane = 0; lane < walk->lanes; lane++) {
        in[lane] = (walk->gy[lane] * launch->columns + walk->gx[lane]) * launch->stride * GPCI_ELEMENT;
        out[lane] = (walk->gy[lane] * launch->n + walk->gx[lane]) * GPCI_ELEMENT;
    }
    for (uint64_t y = 0; y < launch->window; y++) {
        pool_row row = {launch->operand[0].base + y * launch->columns * GPCI_ELEMENT, in};
        gpci_unrolled(walk, launch, load_pooled, &row, 0, odd, 1);
        gpci_unrolled(walk, launch, load_pooled, &row, odd, launch->window, 2);
        gpci_branch(walk, y + 1 < launch->window);
    }
    gpci_access_at(walk, launch->operand[1].base, out);
    gpci_finish(walk);
}

/* Add the launch of a pooling. The result is `n` wide and `steps` high. */
static gpc_status plan_pool(gpci_problem *problem, gpci_launch *launch) {
    gpc_status status = gpci_problem_matrix(problem, (uint64_t)problem->values[2], 1, launch);
    if (status < 0)
        return status;
    launch->warp = walk_pool;
    launch->window = (uint64_t)problem->values[0];
    launch->stride = (uint64_t)problem->values[1];
    if (launch->rows < launch->window || launch->columns < launch->window)
        return gpci_problem_fail(problem, "a matrix of %llu x %llu is smaller than the window",
                                 (unsigned long long)launch->rows, (unsigned long long)launch->columns);
    launch->n = (launch->columns - launch->window) / launch->stride + 1;
    launch->steps = (launch->rows - launch->window) / launch->stride + 1;
    launch->block[0] = launch->block[1] = SIDE;
    launch->grid[0] = gpci_ceiling(launch->n, SIDE);
    launch->grid[1] = gpci_ceiling(launch->steps, SIDE);
    launch->operand[0].base = gpci_problem_array(problem, launch->rows * launch->columns * GPCI_ELEMENT);
    launch->operand[1].base = gpci_problem_array(problem, launch->n * launch->steps * GPCI_ELEMENT);
    return gpci_problem_launch(problem, launch);
}

static gpc_status plan_maxpool(gpci_problem *problem) {
    gpci_launch launch = {.name = "_Z7maxpoolPfPKfiii", .code = maxpool_code};
    return plan_pool(problem, &launch);
}

static gpc_status plan_meanpool(gpci_problem *problem) {
    gpci_launch launch = {.name = "_Z8meanpoolPfPKfiii", .code = meanpool_code};
    return plan_pool(problem, &launch);
}

static const gpc_parameter maxpool_parameters[] = {
    {"window", 3, 1, 64, true, "side of the pooled squares, elements"},
    {"stride", 1, 1, 64, true, "elements from one square to the next"},
    {"columns", 0, 0, 1 << 20, true, "of the input; 0: the least power of two that makes it not taller than wide"},
};

static const gpc_parameter meanpool_parameters[] = {
    {"window", 2, 1, 64, true, "side of the pooled squares, elements"},
    {"stride", 2, 1, 64, true, "elements from one square to the next"},
    {"columns", 0, 0, 1 << 20, true, "of the input; 0: the least power of two that makes it not taller than wide"},
};

const gpci_synthetic gpci_synthetic_maxpool = {
    .name = "maxpool",
    .summary = "largest of each square window, overlapping by default; SIZE of the input (window=3, stride=1, "
               "columns=0: near square)",
    .least = GPCI_ELEMENT,
    .parameters = maxpool_parameters,
    .parameter_count = 3,
    .plan = plan_maxpool,
};

const gpci_synthetic gpci_synthetic_meanpool = {
    .name = "meanpool",
    .summary = "mean of each square window; SIZE of the input (window=2, stride=2, columns=0: near square)",
    .least = GPCI_ELEMENT,
    .parameters = meanpool_parameters,
    .parameter_count = 3,
    .plan = plan_meanpool,
};
