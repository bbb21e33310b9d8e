/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic.h"

/*
 * Kernels of tensor cores: a matrix product and attention, on halves, in tiles of shared memory that LDGSTS fills past
 * L1 while earlier tiles are multiplied.
 *
 * gemm is the multistage main loop of CUTLASS 2 (MmaMultistage): blocks of 8 warps, tiles of A and B^T of `depth`
 * columns, `stages` of them in shared memory. flash-attention is the forward pass of FlashAttention-2
 * (Dao 2023): blocks of 4 warps, 128 rows of queries, 64 rows of keys and values a step.
 *
 * Example, gemm of 512 KiB (n = 512) with tile 128, depth 32: 4 x 4 blocks of 16 steps, in each of which a block copies
 * 2 x 128 rows of 64 bytes: 16 x 16 x 16 KiB are read from L2, 4 MiB, and .5 MiB is written.
 */

#define HALF 2u   /* bytes of an element */
#define CHUNK 16u /* bytes that a thread copies at once */
#define STEP 16u  /* columns of an HMMA */

#define GEMM_THREADS 256u
#define MOST_GEMM_STAGES 8

/* Copy rows of a tile, `pitch` bytes apart, in `count` instructions; not `there`: no lane is active. */
static void copy_tile(gpci_walk *walk, uint64_t base, uint64_t width, uint64_t pitch, uint64_t threads, uint64_t count,
                      bool there) {
    uint64_t offsets[GPCI_SYNTHETIC_LANES];
    for (uint64_t n = 0; n < count; n++) {
        if (!there) {
            gpci_access_if(walk, 0, 0, 0);
            continue;
        }
        for (unsigned lane = 0; lane < walk->lanes; lane++) {
            const uint64_t place = (n * threads + walk->first + lane) * CHUNK;
            offsets[lane] = place / width * pitch + place % width;
        }
        gpci_access_at(walk, base, offsets);
    }
}

/* Read fragments of shared memory, rows of 16 bytes for each lane. */
static void read_fragments(gpci_walk *walk, uint64_t first, uint64_t count) {
    for (uint64_t n = 0; n < count; n++)
        gpci_access(walk, GPCI_SHARED_BASE + first + n * walk->lanes * CHUNK, CHUNK);
}

/* gemm: operand[0], [1]: A and B^T, rows of n; [2]: C. rows: of a tile; columns: of a step; steps: stages; stride: rows
 * of tiles in a group of the raster. */

static uint64_t copies_of(const gpci_launch *launch) {
    return launch->rows * launch->columns * HALF / CHUNK / GEMM_THREADS;
}

/* Row and column of a block's tile: groups of `stride` rows of tiles, in which blocks go down the columns. */
static void place_of(const gpci_walk *walk, const gpci_launch *launch, uint64_t *row, uint64_t *column) {
    const uint64_t side = launch->n / launch->rows, group = walk->x / (side * launch->stride),
                   left = side - group * launch->stride, high = left < launch->stride ? left : launch->stride,
                   within = walk->x % (side * launch->stride);
    *row = group * launch->stride + within % high;
    *column = within / high;
}

static void walk_gemm(gpci_walk *walk, const gpci_launch *launch) {
    const uint64_t pitch = launch->n * HALF, width = launch->columns * HALF, steps = launch->n / launch->columns,
                   copies = copies_of(launch), fragments = launch->rows / 2 / STEP + launch->rows / 4 / STEP;
    uint64_t row, column, tile = 0;
    place_of(walk, launch, &row, &column);
    const uint64_t bases[] = {launch->operand[0].base + row * launch->rows * pitch,
                              launch->operand[1].base + column * launch->rows * pitch};
    for (; tile + 1 < launch->steps; tile++) {
        for (unsigned k = 0; k < 2; k++)
            copy_tile(walk, bases[k] + tile * width, width, pitch, GEMM_THREADS, copies, tile < steps);
        gpci_branch(walk, tile + 2 < launch->steps);
    }
    for (uint64_t done = 0; done < steps; done++, tile++) {
        gpci_barrier(walk);
        for (unsigned k = 0; k < 2; k++)
            copy_tile(walk, bases[k] + tile * width, width, pitch, GEMM_THREADS, copies, tile < steps);
        for (uint64_t k = 0; k < launch->columns / STEP; k++)
            read_fragments(walk, done % launch->steps * 2 * launch->rows * width + k * STEP * HALF, fragments);
        gpci_branch(walk, done + 1 < steps);
    }
    copy_tile(walk, launch->operand[2].base + (row * launch->n + column) * launch->rows * HALF, launch->rows * HALF,
              pitch, GEMM_THREADS, launch->rows * launch->rows * HALF / CHUNK / GEMM_THREADS, true);
    gpci_finish(walk);
}

#define GEMM_COPY                                                                                         \
    "%u*{ LDGSTS.E.BYPASS.128 R8 R2 UR6 }; %u*{ LDGSTS.E.BYPASS.128 R8 R4 UR6 }; LDGDEPBAR; R2 IADD3 R2;" \
    "R4 IADD3 R4; R8 IADD3 R8; P0 ISETP.NE.AND R8;"

/*
 * Products of `high` fragments from register R`left` on, `apart` registers apart, with `wide` fragments from R`right`
 * on: two for each pair, into sums from R`sums` on.
 */
static void add_products(char *to, unsigned left, unsigned apart, unsigned high, unsigned right, unsigned wide,
                         unsigned sums) {
    for (unsigned i = 0; i < high; i++) {
        const unsigned own = left + i * apart, sum = sums + 8 * i * wide;
        gpci_listing_add(to, "%u*{ R%u+8 HMMA.16816.F32 R%u R%u+1 R%u+8; R%u+8 HMMA.16816.F32 R%u R%u+1 R%u+8 };", wide,
                         sum, own, right, sum, sum + 4, own, right, sum + 4);
    }
}

static void write_gemm(char *to, const gpci_launch *launch) {
    const unsigned copies = (unsigned)copies_of(launch), high = (unsigned)launch->rows / 2 / STEP, wide = high / 2,
                   stores = (unsigned)(launch->rows * launch->rows * HALF / CHUNK / GEMM_THREADS);
    gpci_listing_add(to,
                     "R1 LDC; R0 S2R; UR4 S2UR; R2 LDC.64; R4 LDC.64; UR6 ULDC.64; R6 IMAD.SHL.U32 R0; R7 LOP3.LUT R0;"
                     "R2 IMAD.WIDE R6 UR4 R2; R4 IMAD.WIDE R7 UR4 R4; R8 MOV R6; R9 MOV R6; %u*{ R32+4 CS2R };"
                     "fill: " GEMM_COPY "@P0 BRA fill; tile: DEPBAR.LE %u; BAR.SYNC;" GEMM_COPY,
                     2 * high * wide, copies, copies, (unsigned)launch->steps - 2, copies, copies);
    for (uint64_t k = 0; k < launch->columns / STEP; k++) {
        gpci_listing_add(to, "%u*{ R12+1 LDSM.16.M88.4 R9 };", high + wide);
        add_products(to, 12, 1, high, 12 + high, wide, 32);
    }
    gpci_listing_add(to,
                     "R9 IADD3 R9; P0 ISETP.NE.AND R9; @P0 BRA tile; R10 LDC.64; R10 IMAD.WIDE R6 R10;"
                     "%u*{ R32+4 F2FP.F16 R32+4; STG.E.128 R10 UR6 R32+4 }; EXIT",
                     stores);
}

static gpc_status plan_gemm(gpci_problem *problem) {
    gpci_launch launch = {.name = "_Z4gemmPK6__halfS1_PS_i", .warp = walk_gemm, .block = {GEMM_THREADS}};
    launch.rows = (uint64_t)problem->values[0];
    launch.columns = (uint64_t)problem->values[1];
    launch.steps = (uint64_t)problem->values[2];
    launch.stride = (uint64_t)problem->values[3];
    if (launch.rows != 64 && launch.rows != 128)
        return gpci_problem_fail(problem, "parameter 'tile': %llu is neither 64 nor 128",
                                 (unsigned long long)launch.rows);
    if (launch.columns != 32 && launch.columns != 64)
        return gpci_problem_fail(problem, "parameter 'depth': %llu is neither 32 nor 64",
                                 (unsigned long long)launch.columns);
    launch.n = gpci_root(problem->size / HALF) / launch.rows * launch.rows;
    if (!launch.n)
        return gpci_problem_fail(problem, "a matrix of %llu bytes has no tile of %llu rows",
                                 (unsigned long long)problem->size, (unsigned long long)launch.rows);
    char *code = gpci_problem_data(problem, GPCI_LISTING_TEXT);
    if (!code)
        return GPC_ERROR_MEMORY;
    const uint64_t side = launch.n / launch.rows;
    launch.grid[0] = side * side;
    launch.stride = launch.stride < side ? launch.stride : side;
    launch.shared = launch.steps * 2 * launch.rows * launch.columns * HALF;
    for (unsigned k = 0; k < 3; k++)
        launch.operand[k].base = gpci_problem_array(problem, launch.n * launch.n * HALF);
    write_gemm(code, &launch);
    const gpc_status status = gpci_problem_listing(problem, &launch, code);
    return status < 0 ? status : gpci_problem_launch(problem, &launch);
}

static const gpc_parameter gemm_parameters[] = {
    {"tile", 128, 64, 128, true, "rows and columns of a block's part of the product: 64 or 128"},
    {"depth", 32, 32, 64, true, "columns of A and B^T that a step copies: 32 or 64"},
    {"stages", 3, 2, MOST_GEMM_STAGES, true, "steps in shared memory"},
    {"raster", 1, 1, 1 << 16, true, "rows of tiles that blocks go down before the next column; 1: row after row"},
};

const gpci_synthetic gpci_synthetic_gemm = {
    .name = "gemm",
    .summary =
        "C = AB of halves by tensor cores, tiles copied past L1 while others are multiplied; SIZE of each square "
        "matrix (tile=128, depth=32, stages=3, raster=1)",
    .least = 128 * 128 * HALF,
    .parameters = gemm_parameters,
    .parameter_count = 4,
    .plan = plan_gemm,
};

/* flash-attention: operand[0] to [3]: Q, K, V, O, each [heads][n][columns]; repeats: 1 if causal. */

#define QUERIES 128u
#define KEYS 64u
#define ATTENTION_THREADS 128u

static void walk_attention(gpci_walk *walk, const gpci_launch *launch) {
    const uint64_t width = launch->columns * HALF, queries = QUERIES * width / CHUNK / ATTENTION_THREADS,
                   keys = KEYS * width / CHUNK / ATTENTION_THREADS, head = walk->y * launch->n * width,
                   first = head + walk->x * QUERIES * width, ring = QUERIES * width;
    const uint64_t blocks = launch->repeats ? (walk->x + 1) * (QUERIES / KEYS) : launch->n / KEYS;
    copy_tile(walk, launch->operand[0].base + first, width, width, ATTENTION_THREADS, queries, true);
    copy_tile(walk, launch->operand[1].base + head, width, width, ATTENTION_THREADS, keys, true);
    for (uint64_t block = 0; block < blocks; block++) {
        const uint64_t there = head + block * KEYS * width;
        gpci_barrier(walk);
        copy_tile(walk, launch->operand[2].base + there, width, width, ATTENTION_THREADS, keys, true);
        for (uint64_t k = 0; k < launch->columns / STEP; k++)
            read_fragments(walk, k * STEP * HALF, 2 + KEYS / STEP);
        gpci_barrier(walk);
        copy_tile(walk, launch->operand[1].base + there + KEYS * width, width, width, ATTENTION_THREADS, keys,
                  block + 1 < blocks);
        for (uint64_t k = 0; k < KEYS / STEP; k++)
            read_fragments(walk, ring + KEYS * width, launch->columns / STEP);
        gpci_branch(walk, block + 1 < blocks);
    }
    copy_tile(walk, launch->operand[3].base + first, width, width, ATTENTION_THREADS, queries, true);
    gpci_finish(walk);
}

/* Code for each of a thread's 64 scores, four of which a product leaves side by side, in registers written as one. */
#define PER_SCORE(code) "16*{ " code " }; 16*{ " code " }; 16*{ " code " }; 16*{ " code " };"

/* Products of a warp's 32 rows: queries with keys, a step of `columns` at once; probabilities with values, of keys. */
static void write_attention(char *to, const gpci_launch *launch) {
    const unsigned queries = (unsigned)(QUERIES * launch->columns * HALF / CHUNK / ATTENTION_THREADS),
                   keys = (unsigned)(KEYS * launch->columns * HALF / CHUNK / ATTENTION_THREADS),
                   steps = (unsigned)(launch->columns / STEP);
    gpci_listing_add(
        to,
        "R1 LDC; R0 S2R; UR4 S2UR; UR5 S2UR; R2 LDC.64; R4 LDC.64; R6 LDC.64; UR6 ULDC.64; R8 MOV R0; R9 MOV R0;"
        "R28 CS2R; R30 CS2R; %u*{ R96+4 CS2R }; %u*{ LDGSTS.E.BYPASS.128 R8 R2 UR6 };"
        "%u*{ LDGSTS.E.BYPASS.128 R8 R4 UR6 }; LDGDEPBAR; keys: 16*{ R32+4 CS2R }; DEPBAR.LE 0; BAR.SYNC;"
        "%u*{ LDGSTS.E.BYPASS.128 R8 R6 UR6 }; LDGDEPBAR; R6 IADD3 R6;",
        4 * steps, queries, keys, keys);
    for (unsigned k = 0; k < steps; k++) {
        gpci_listing_add(to, "%u*{ R12+1 LDSM.16.M88.4 R9 };", 2 + KEYS / STEP);
        add_products(to, 12, 1, 2, 14, KEYS / STEP, 32);
    }
    gpci_listing_add(to, PER_SCORE("R28 FMNMX R28 R32+4") "2*{ R29 SHFL.BFLY R28; R28 FMNMX R28 R29 };");
    gpci_listing_add(to, PER_SCORE("R32+4 FFMA R32+4 R28; R32+4 MUFU.EX2 R32+4") PER_SCORE("R30 FADD R30 R32+4"));
    gpci_listing_add(to, "DEPBAR.LE 0; BAR.SYNC; %u*{ LDGSTS.E.BYPASS.128 R8 R4 UR6 }; LDGDEPBAR; R4 IADD3 R4;", keys);
    for (unsigned k = 0; k < KEYS / STEP; k++) {
        gpci_listing_add(to, "%u*{ R12+1 LDSM.16.MT88.4 R9 };", steps);
        add_products(to, 32 + 8 * k, 8 * KEYS / STEP, 2, 12, steps, 96);
    }
    gpci_listing_add(to,
                     "P0 ISETP.NE.AND R8; @P0 BRA keys; R10 LDC.64; R10 IMAD.WIDE R0 R10; R30 MUFU.RCP R30;"
                     "%u*{ R96+4 FMUL R96+4 R30; R96+4 F2FP.F16 R96+4; STG.E.128 R10 UR6 R96+4 }; EXIT",
                     queries);
}

static gpc_status plan_attention(gpci_problem *problem) {
    gpci_launch launch = {
        .name = "_Z15flash_attentionPK6__halfS1_S1_PS_i", .warp = walk_attention, .block = {ATTENTION_THREADS}};
    const uint64_t heads = (uint64_t)problem->values[1];
    launch.columns = (uint64_t)problem->values[0];
    launch.repeats = (uint64_t)problem->values[2];
    if (launch.columns != 64 && launch.columns != 128)
        return gpci_problem_fail(problem, "parameter 'dim': %llu is neither 64 nor 128",
                                 (unsigned long long)launch.columns);
    launch.n = problem->size / (heads * launch.columns * HALF) / QUERIES * QUERIES;
    if (!launch.n)
        return gpci_problem_fail(problem, "queries of %llu bytes have no %u rows in each of %llu heads",
                                 (unsigned long long)problem->size, QUERIES, (unsigned long long)heads);
    char *code = gpci_problem_data(problem, GPCI_LISTING_TEXT);
    if (!code)
        return GPC_ERROR_MEMORY;
    launch.grid[0] = launch.n / QUERIES;
    launch.grid[1] = heads;
    launch.shared = (QUERIES + 2 * KEYS) * launch.columns * HALF;
    for (unsigned k = 0; k < 4; k++)
        launch.operand[k].base = gpci_problem_array(problem, heads * launch.n * launch.columns * HALF);
    write_attention(code, &launch);
    const gpc_status status = gpci_problem_listing(problem, &launch, code);
    return status < 0 ? status : gpci_problem_launch(problem, &launch);
}

static const gpc_parameter attention_parameters[] = {
    {"dim", 128, 64, 128, true, "elements of a head: 64 or 128"},
    {"heads", 1, 1, 1 << 16, true, "heads, of all sequences"},
    {"causal", 0, 0, 1, true, "1: queries see the keys before them alone"},
};

const gpci_synthetic gpci_synthetic_flash_attention = {
    .name = "flash-attention",
    .summary =
        "attention of halves by FlashAttention-2's forward pass; SIZE of the queries (dim=128, heads=1, causal=0)",
    .least = QUERIES * 128 * HALF,
    .parameters = attention_parameters,
    .parameter_count = 3,
    .plan = plan_attention,
};
