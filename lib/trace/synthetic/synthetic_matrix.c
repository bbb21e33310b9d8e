/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic.h"

/* Dense matrices in tiles: transposes, the Kronecker product and the matrix product. */

#define TILE 16u
#define PITCH (TILE + 1) /* words from row to row of a tile in shared memory: no bank conflicts in a column */

static const gpc_parameter columns_parameter[] = {
    {"columns", 0, 0, 1 << 20, true, "of the input; 0: the least power of two that makes it not taller than wide"},
};

static const char naive_code[] =
    "R1 LDC; R0 S2R; R2 LDC.64; UR6 ULDC; UR4 ULDC.64; R5 S2R; R7 S2R; R4 S2R; R0 LEA R0 R5; R7 LEA R7 R4;"
    "R5 IMAD R7 UR6 R0; R2 IMAD.WIDE R5 R2; R4 LDC.64; R3 LDG.E R2 UR4; R7 IMAD R0 UR6 R7; R4 IMAD.WIDE R7 R4;"
    "STG.E R4 UR4 R3; EXIT";

static void walk_naive(gpci_walk *walk, const gpci_launch *launch) {
    uint64_t in[GPCI_SYNTHETIC_LANES], out[GPCI_SYNTHETIC_LANES];
    for (unsigned lane = 0; lane < walk->lanes; lane++) {
        in[lane] = (walk->gy[lane] * launch->columns + walk->gx[lane]) * GPCI_ELEMENT;
        out[lane] = (walk->gx[lane] * launch->rows + walk->gy[lane]) * GPCI_ELEMENT;
    }
    gpci_access_at(walk, launch->operand[0].base, in);
    gpci_access_at(walk, launch->operand[1].base, out);
    gpci_finish(walk);
}

static const char tiled_code[] =
    "R1 LDC; R7 S2R; R2 LDC.64; UR6 ULDC; UR4 ULDC.64; R8 S2R; R11 S2R; R10 S2R; R0 LEA R7 R8; R5 LEA R11 R10;"
    "R5 IMAD R5 UR6 R0; R2 IMAD.WIDE R5 R2; R0 LDG.E R2 UR4; R4 MOV; R7 LEA R7 R10; R5 S2R; R2 LDC.64; R4 LEA R5 R4;"
    "R5 IMAD R10 R4; R4 IMAD R8 R4; R5 LEA R8 R5; R6 LEA R10 R4; R4 LEA R11 R8; R7 IMAD R7 UR6 R4; R2 IMAD.WIDE R7 R2;"
    "STS R5 R0; BAR.SYNC.DEFER_BLOCKING; R9 LDS R6; STG.E R2 UR4 R9; EXIT";

/* Transpose the tile in column x and row y of the input's tiles through shared memory. */
static void transpose_tile(gpci_walk *walk, const gpci_launch *launch, uint64_t x, uint64_t y) {
    uint64_t in[GPCI_SYNTHETIC_LANES], out[GPCI_SYNTHETIC_LANES], put[GPCI_SYNTHETIC_LANES], get[GPCI_SYNTHETIC_LANES];
    for (unsigned lane = 0; lane < walk->lanes; lane++) {
        const uint64_t tx = walk->tx[lane], ty = walk->ty[lane];
        in[lane] = ((y * TILE + ty) * launch->columns + x * TILE + tx) * GPCI_ELEMENT;
        out[lane] = ((x * TILE + ty) * launch->rows + y * TILE + tx) * GPCI_ELEMENT;
        put[lane] = (ty * PITCH + tx) * GPCI_ELEMENT;
        get[lane] = (tx * PITCH + ty) * GPCI_ELEMENT;
    }
    gpci_access_at(walk, launch->operand[0].base, in);
    gpci_access_at(walk, GPCI_SHARED_BASE, put);
    gpci_barrier(walk);
    gpci_access_at(walk, GPCI_SHARED_BASE, get);
    gpci_access_at(walk, launch->operand[1].base, out);
    gpci_finish(walk);
}

static void walk_tiled(gpci_walk *walk, const gpci_launch *launch) {
    transpose_tile(walk, launch, walk->x, walk->y);
}

/*
 * transposeDiagonal of Multi2Sim's CUDA SDK 6.5 (synthetic_sdk.c), launched twice, to warm up and to measure.
 * Consecutive blocks take tiles along diagonals.
 */
static const char diagonal_code[] =
    "R1 MOV; R0 S2R; R2 S2R; R3 S2R; R4 S2R; R5 S2R; R6 IADD R3 R4; R6 I2F R6; R6 MUFU.RCP R6; R6 F2I R6;"
    "R6 IMAD R6 R5 R3; R7 SHL R6; R7 IADD R7 R0; R8 SHL R3; R8 IADD R8 R2; R9 IMAD R8 R7; R9 SHL R9; R10 LDG.E R9;"
    "R11 IMAD R2 R0; R11 SHL R11; STS R11 R10; BAR.SYNC; R12 SHL R3; R12 IADD R12 R0; R13 SHL R6; R13 IADD R13 R2;"
    "R14 IMAD R13 R12; R14 SHL R14; R15 IMAD R0 R2; R15 SHL R15; R16 LDS R15; STG.E R14 R16; EXIT";

static void walk_diagonal(gpci_walk *walk, const gpci_launch *launch) {
    const uint64_t wide = launch->grid[0], high = launch->grid[1], block = walk->x + wide * walk->y;
    const uint64_t y = wide == high ? walk->x : block % high,
                   x = (wide == high ? walk->x + walk->y : block / high + y) % wide;
    transpose_tile(walk, launch, x, y);
}

static gpc_status plan_transpose(gpci_problem *problem, gpci_launch *launch) {
    gpc_status status = gpci_problem_matrix(problem, (uint64_t)problem->values[0], TILE, launch);
    if (status < 0)
        return status;
    launch->block[0] = launch->block[1] = TILE;
    launch->grid[0] = launch->columns / TILE;
    launch->grid[1] = launch->rows / TILE;
    for (unsigned k = 0; k < 2; k++)
        launch->operand[k].base = gpci_problem_array(problem, launch->rows * launch->columns * GPCI_ELEMENT);
    return gpci_problem_launch(problem, launch);
}

static gpc_status plan_naive(gpci_problem *problem) {
    gpci_launch launch = {.name = "_Z15transpose_naivePfPKfi", .code = naive_code, .warp = walk_naive};
    return plan_transpose(problem, &launch);
}

static gpc_status plan_tiled(gpci_problem *problem) {
    gpci_launch launch = {.name = "_Z15transpose_tiledPfPKfi", .code = tiled_code, .warp = walk_tiled};
    launch.shared = TILE * PITCH * GPCI_ELEMENT;
    return plan_transpose(problem, &launch);
}

static gpc_status plan_diagonal(gpci_problem *problem) {
    gpci_launch launch = {.name = "_Z17transposeDiagonalPfS_ii", .code = diagonal_code, .warp = walk_diagonal};
    launch.shared = TILE * PITCH * GPCI_ELEMENT;
    gpc_status status = plan_transpose(problem, &launch);
    return status == GPC_OK ? gpci_problem_launch(problem, &launch) : status;
}

const gpci_synthetic gpci_synthetic_transpose_naive = {
    .name = "transpose-naive",
    .summary = "matrix transpose, stores scattered by columns; SIZE of the matrix (columns=0: near square)",
    .least = TILE * TILE * GPCI_ELEMENT,
    .parameters = columns_parameter,
    .parameter_count = 1,
    .plan = plan_naive,
};

const gpci_synthetic gpci_synthetic_transpose_tiled = {
    .name = "transpose-tiled",
    .summary = "matrix transpose through tiles of 16 x 16 in shared memory; SIZE of the matrix (columns=0: near "
               "square)",
    .least = TILE * TILE * GPCI_ELEMENT,
    .parameters = columns_parameter,
    .parameter_count = 1,
    .plan = plan_tiled,
};

const gpci_synthetic gpci_synthetic_sdk_transpose = {
    .name = "sdk-transpose",
    .summary = "transposeDiagonal of Multi2Sim's CUDA SDK 6.5, launched twice; SIZE of the matrix (columns=0: near "
               "square)",
    .least = TILE * TILE * GPCI_ELEMENT,
    .parameters = columns_parameter,
    .parameter_count = 1,
    .plan = plan_diagonal,
};

/* Most instructions divide the row and the column by the side of the inner matrix. */
static const char kronecker_code[] =
    "R1 LDC; R5 S2R; R2 LDC.64; R0 S2R; R7 S2R; UR4 S2UR; R4 LDC; UR5 ULDC; R5 IMAD R5 UR5 R0; R0 IMAD R3 R2 R255;"
    "R4 IMAD R4 UR4 R7; P0 ISETP.GE.AND R5 R0; P0 ISETP.GE.OR R4 R0 P0; @P0 EXIT;"
    "R10 IABS R3; UR4 ULDC.64; R11 IABS R5; R8 I2F.RP R10; R12 IABS R4; R8 MUFU.RCP R8; R6 IADD3 R8 R255;"
    "R7 F2I.FTZ.U32.TRUNC.NTZ R6; R6 IMAD.MOV.U32 R255 R255 R255; R9 IADD3 R255 R7 R255; R9 IMAD R9 R10 R255;"
    "R7 IMAD.HI.U32 R7 R9 R6; R8 IMAD.HI.U32 R7 R11 R255; R9 IMAD.HI.U32 R7 R12 R255; R6 IADD3 R8 R255 R255;"
    "R7 IMAD.MOV R255 R255 R9; R6 IMAD R10 R6 R11; R11 LOP3.LUT R255 R3 R255; R7 IMAD R10 R7 R12;"
    "P1 ISETP.GT.U32.AND R10 R6; P2 ISETP.GT.U32.AND R10 R7; @!P1 R6 IADD3 R6 R10 R255; @!P2 R7 IMAD.IADD R7 R10;"
    "@!P1 R8 IADD3 R8 R255; @!P2 R9 VIADD R9; P1 ISETP.GE.U32.AND R6 R10; P2 ISETP.GE.U32.AND R7 R10;"
    "R6 LOP3.LUT R5 R3 R255; R7 LOP3.LUT R4 R3 R255; P3 ISETP.GE.AND R6 R255; P4 ISETP.GE.AND R7 R255; R6 LDC.64;"
    "@P1 R8 IADD3 R8 R255; @P2 R9 VIADD R9; P0 ISETP.NE.AND R3 R255; R10 MOV R8; R12 IMAD.MOV.U32 R255 R255 R9;"
    "R8 LDC.64;"
    "@!P3 R10 IADD3 R10 R255 R255; @!P4 R12 IMAD.MOV R255 R255 R12; R13 SEL R11 R10 P0; R11 SEL R11 R12 P0;"
    "R10 IADD3 R13 R255 R255; R12 IMAD.MOV R255 R255 R11; R10 IMAD R3 R10 R5; R12 IMAD R3 R12 R4; R11 IMAD R13 R2 R11;"
    "R3 IMAD R10 R3 R12; R6 IMAD.WIDE R11 R6; R8 IMAD.WIDE R3 R8; R7 LDG.E R6 UR4; R2 LDC.64; R8 LDG.E R8 UR4;"
    "R5 IMAD R5 R0 R4; R2 IMAD.WIDE R5 R2; R5 FMUL R8 R7; STG.E R2 UR4 R5; EXIT";

static void walk_kronecker(gpci_walk *walk, const gpci_launch *launch) {
    uint64_t m = launch->rows, n = launch->n, side = m * n;
    uint64_t a[GPCI_SYNTHETIC_LANES], b[GPCI_SYNTHETIC_LANES], out[GPCI_SYNTHETIC_LANES];
    if (!gpci_guard(walk, gpci_inside(walk, side, side)))
        return;
    for (unsigned lane = 0; lane < walk->lanes; lane++) {
        uint64_t x = walk->gx[lane], y = walk->gy[lane];
        a[lane] = (y / n * m + x / n) * GPCI_ELEMENT;
        b[lane] = (y % n * n + x % n) * GPCI_ELEMENT;
        out[lane] = (y * side + x) * GPCI_ELEMENT;
    }
    gpci_access_at(walk, launch->operand[0].base, a);
    gpci_access_at(walk, launch->operand[1].base, b);
    gpci_access_at(walk, launch->operand[2].base, out);
    gpci_finish(walk);
}

static gpc_status plan_kronecker(gpci_problem *problem) {
    gpci_launch launch = {.name = "_Z9kroneckerPfPKfS1_ii", .code = kronecker_code, .warp = walk_kronecker};
    uint64_t side = gpci_root(problem->size / GPCI_ELEMENT);
    launch.n = (uint64_t)problem->values[0];
    if (!launch.n)
        for (launch.n = 1; launch.n * launch.n < side;)
            launch.n *= 2;
    launch.rows = side / launch.n;
    if (!launch.rows)
        return gpci_problem_fail(problem, "a result of %llu x %llu has no room for an inner matrix of %llu x %llu",
                                 (unsigned long long)side, (unsigned long long)side, (unsigned long long)launch.n,
                                 (unsigned long long)launch.n);
    side = launch.rows * launch.n;
    launch.block[0] = launch.block[1] = TILE;
    launch.grid[0] = launch.grid[1] = gpci_ceiling(side, TILE);
    launch.operand[0].base = gpci_problem_array(problem, launch.rows * launch.rows * GPCI_ELEMENT);
    launch.operand[1].base = gpci_problem_array(problem, launch.n * launch.n * GPCI_ELEMENT);
    launch.operand[2].base = gpci_problem_array(problem, side * side * GPCI_ELEMENT);
    return gpci_problem_launch(problem, &launch);
}

static const gpc_parameter kronecker_parameters[] = {
    {"inner", 0, 0, 4096, true, "side of the inner matrix; 0: the least power of two not below the outer's"},
};

const gpci_synthetic gpci_synthetic_kronecker = {
    .name = "kronecker",
    .summary = "Kronecker product of an m x m and an n x n matrix; SIZE of the result (inner=0: n a power of two)",
    .least = 4,
    .parameters = kronecker_parameters,
    .parameter_count = 1,
    .plan = plan_kronecker,
};

/* Code of a thread's element: a load reads four words of a row of one tile, or a word of a column of the other tile. */
#define MATMUL(quads)                                                                                                 \
    "R1 LDC; R0 S2R; R2 S2R; UR4 S2UR; UR5 S2UR; R3 LDC; UR6 UMOV; UR7 S2UR; UR6 ULEA UR7 UR6; R4 LDC.64; R6 LDC.64;" \
    "R8 LEA UR5 R2; R9 LEA UR4 R0; R10 IMAD R8 R3 R0; R4 IMAD.WIDE R10 R4; R11 IMAD R2 R3 R9; R6 IMAD.WIDE R11 R6;"   \
    "R12 LEA R2 UR6; R13 LEA R0 R12; R14 LEA R0 UR6; R15 IMAD.MOV.U32 R255 R255 R255; R16 MOV R3; UR8 ULDC.64;"       \
    "tile: R20 LDG.E R4 UR8; R21 LDG.E R6 UR8; R16 IADD3 R16 R255; P0 ISETP.GT.AND R16 R255; R4 IADD3 R4 R255;"       \
    "R5 IADD3.X R255 R5 R255; R6 IMAD.WIDE R3 R6; STS R13 R20; STS R13 R21; BAR.SYNC.DEFER_BLOCKING;" #quads          \
    "*{R24 R25 R26 R27 LDS.128 R12; R28 LDS R14; R29 LDS R14; R30 LDS R14; R31 LDS R14; R15 FFMA R24 R28 R15;"        \
    "R15 FFMA R25 R29 R15; R15 FFMA R26 R30 R15; R15 FFMA R27 R31 R15};"                                              \
    "BAR.SYNC.DEFER_BLOCKING; @P0 BRA tile; R2 LDC.64; R8 IMAD R8 R3 R9; R2 IMAD.WIDE R8 R2; STG.E R2 UR8 R15; EXIT"

static void walk_matmul(gpci_walk *walk, const gpci_launch *launch) {
    uint64_t tile = launch->window, n = launch->n, second = GPCI_SHARED_BASE + tile * tile * GPCI_ELEMENT;
    uint64_t a[GPCI_SYNTHETIC_LANES], b[GPCI_SYNTHETIC_LANES], out[GPCI_SYNTHETIC_LANES];
    uint64_t put[GPCI_SYNTHETIC_LANES], row[GPCI_SYNTHETIC_LANES], column[GPCI_SYNTHETIC_LANES];
    for (unsigned lane = 0; lane < walk->lanes; lane++) {
        uint64_t tx = walk->tx[lane], ty = walk->ty[lane];
        a[lane] = (walk->gy[lane] * n + tx) * GPCI_ELEMENT;
        b[lane] = (ty * n + walk->gx[lane]) * GPCI_ELEMENT;
        out[lane] = (walk->gy[lane] * n + walk->gx[lane]) * GPCI_ELEMENT;
        put[lane] = (ty * tile + tx) * GPCI_ELEMENT;
        row[lane] = ty * tile * GPCI_ELEMENT;
        column[lane] = tx * GPCI_ELEMENT;
    }
    for (uint64_t k = 0; k < n; k += tile) {
        gpci_access_at(walk, launch->operand[0].base + k * GPCI_ELEMENT, a);
        gpci_access_at(walk, launch->operand[1].base + k * n * GPCI_ELEMENT, b);
        gpci_access_at(walk, GPCI_SHARED_BASE, put);
        gpci_access_at(walk, second, put);
        gpci_barrier(walk);
        for (uint64_t i = 0; i < tile; i++) {
            if (i % 4 == 0)
                gpci_access_at(walk, GPCI_SHARED_BASE + i * GPCI_ELEMENT, row);
            gpci_access_at(walk, second + i * tile * GPCI_ELEMENT, column);
        }
        gpci_barrier(walk);
        gpci_branch(walk, k + tile < n);
    }
    gpci_access_at(walk, launch->operand[2].base, out);
    gpci_finish(walk);
}

static gpc_status plan_matmul(gpci_problem *problem) {
    gpci_launch launch = {.name = "_Z12matmul_tiledPfPKfS1_i", .warp = walk_matmul};
    launch.window = (uint64_t)problem->values[0];
    if (launch.window != 16 && launch.window != 32)
        return gpci_problem_fail(problem, "parameter 'tile': %llu is neither 16 nor 32",
                                 (unsigned long long)launch.window);
    launch.code = launch.window == 16 ? MATMUL(4) : MATMUL(8);
    launch.n = gpci_root(problem->size / GPCI_ELEMENT) / launch.window * launch.window;
    if (!launch.n)
        return gpci_problem_fail(problem, "%llu bytes are less than a tile", (unsigned long long)problem->size);
    launch.block[0] = launch.block[1] = launch.window;
    launch.grid[0] = launch.grid[1] = launch.n / launch.window;
    launch.shared = 2 * launch.window * launch.window * GPCI_ELEMENT;
    for (unsigned k = 0; k < 3; k++)
        launch.operand[k].base = gpci_problem_array(problem, launch.n * launch.n * GPCI_ELEMENT);
    return gpci_problem_launch(problem, &launch);
}

static const gpc_parameter matmul_parameters[] = {
    {"tile", 32, 16, 32, true, "side of the tiles, 16 or 32"},
};

const gpci_synthetic gpci_synthetic_matmul_tiled = {
    .name = "matmul-tiled",
    .summary = "product of square matrices through tiles in shared memory; SIZE of each matrix (tile=32)",
    .least = TILE * TILE * GPCI_ELEMENT,
    .parameters = matmul_parameters,
    .parameter_count = 1,
    .plan = plan_matmul,
};
