/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic.h"

/*
 * Fast Walsh transform of the CUDA SDK: radix-4 passes through global memory down to 2048 elements, then a pass in
 * shared memory.
 */

#define SHARED_LOG 11u
#define LEAST_LOG 8u
#define MODULATE_BLOCKS 128u

#define BUTTERFLY                                                             \
    "R16 FADD R12 R14; R17 FADD R12 R14; R18 FADD R13 R15; R19 FADD R13 R15;" \
    "R20 FADD R16 R18; R21 FADD R16 R18; R22 FADD R17 R19; R23 FADD R17 R19;"

static const char global_code[] =
    "R1 LDC; R0 S2R; UR4 S2UR; R3 LDC; R8 LDC; R0 IMAD R3 UR4 R0; R9 IADD3 R8 R255; R9 LOP3.LUT R9 R0 R255;"
    "UR5 S2UR; R2 LDC.64; R7 IADD3 R0 R9 R255; R7 LEA R7 R9; R7 IMAD UR5 R7; UR6 ULDC.64; R4 LDC.64;"
    "R2 IMAD.WIDE R7 R2; R12 LDG.E R2 UR6; R24 IMAD.WIDE R8 R2; R13 LDG.E R24 UR6; R26 IMAD.WIDE R8 R24;"
    "R14 LDG.E R26 UR6; R28 IMAD.WIDE R8 R26; R15 LDG.E R28 UR6; R4 IMAD.WIDE R7 R4;" BUTTERFLY
    "R6 IMAD.WIDE R8 R4; R24 IMAD.WIDE R8 R6; R26 IMAD.WIDE R8 R24; STG.E R4 UR6 R20; STG.E R6 UR6 R21;"
    "STG.E R24 UR6 R22; STG.E R26 UR6 R23; EXIT";

/* First of a thread's four elements, which are `stride` apart. */
static uint64_t first_of_four(uint64_t thread, uint64_t stride) {
    uint64_t low = thread & (stride - 1);
    return (thread - low) * 4 + low;
}

static void walk_global(gpci_walk *walk, const gpci_launch *launch) {
    uint64_t offsets[GPCI_SYNTHETIC_LANES];
    for (unsigned lane = 0; lane < walk->lanes; lane++)
        offsets[lane] = first_of_four(walk->gx[lane], launch->stride) * GPCI_ELEMENT;
    for (unsigned k = 0; k < 8; k++)
        gpci_access_at(walk, launch->operand[0].base + k % 4 * launch->stride * GPCI_ELEMENT, offsets);
    gpci_finish(walk);
}

static const char shared_code[] =
    "R1 LDC; R0 S2R; UR4 S2UR; R3 LDC; UR5 S2UR; UR7 UMOV; UR7 ULEA UR5 UR7; R5 LEA R0 UR7; R2 LDC.64;"
    "R6 IMAD UR4 R3 R0; R2 IMAD.WIDE R6 R2; UR8 ULDC.64; R10 LDC; R9 MOV R5; R7 MOV R0;"
    "fetch: R12 LDG.E R2 UR8; R7 IADD3 R7 R10 R255; P0 ISETP.GE.AND R7 R3; R2 IMAD.WIDE R10 R2; STS R9 R12;"
    "R9 LEA R10 R9; @!P0 BRA fetch; R11 SHF.R.S32.HI R255 R3;"
    "stage: R4 IADD3 R11 R255; R4 LOP3.LUT R4 R0 R255; R8 IADD3 R0 R4 R255; R8 LEA R8 R4; R8 LEA R8 UR7;"
    "R24 LEA R11 R8; R25 LEA R11 R24; R26 LEA R11 R25; BAR.SYNC.DEFER_BLOCKING;"
    "R12 LDS R8; R13 LDS R24; R14 LDS R25; R15 LDS R26;" BUTTERFLY
    "STS R8 R20; STS R24 R21; STS R25 R22; STS R26 R23; R11 SHF.R.S32.HI R255 R11; P0 ISETP.NE.AND R11 R255;"
    "@P0 BRA stage; P0 ISETP.EQ.AND R10 R255; @P0 BRA even; BAR.SYNC.DEFER_BLOCKING; R8 LEA R0 UR7; R7 MOV R0;"
    "pair: R12 LDS R8; R13 LDS R8; R14 FADD R12 R13; R15 FADD R12 R13; STS R8 R14; STS R8 R15; R7 IADD3 R7 R10 R255;"
    "R8 LEA R10 R8; P0 ISETP.GE.AND R7 R3; @!P0 BRA pair;"
    "even: BAR.SYNC.DEFER_BLOCKING; R2 LDC.64; R2 IMAD.WIDE R6 R2; R7 MOV R0; R9 MOV R5;"
    "write: R12 LDS R9; R7 IADD3 R7 R10 R255; R9 LEA R10 R9; P0 ISETP.GE.AND R7 R3; STG.E R2 UR8 R12;"
    "R2 IMAD.WIDE R10 R2; @!P0 BRA write; EXIT";

static void walk_shared(gpci_walk *walk, const gpci_launch *launch) {
    uint64_t n = launch->n, threads = launch->block[0], data = launch->operand[0].base + walk->x * n * GPCI_ELEMENT;
    uint64_t offsets[GPCI_SYNTHETIC_LANES];
    for (uint64_t i = walk->first; i < n; i += threads) {
        gpci_access(walk, data + i * GPCI_ELEMENT, GPCI_ELEMENT);
        gpci_access(walk, GPCI_SHARED_BASE + i * GPCI_ELEMENT, GPCI_ELEMENT);
        gpci_branch(walk, i + threads < n);
    }
    for (uint64_t stride = n / 4; stride; stride /= 4) {
        for (unsigned lane = 0; lane < walk->lanes; lane++)
            offsets[lane] = first_of_four(walk->tx[lane], stride) * GPCI_ELEMENT;
        gpci_barrier(walk);
        for (unsigned k = 0; k < 8; k++)
            gpci_access_at(walk, GPCI_SHARED_BASE + k % 4 * stride * GPCI_ELEMENT, offsets);
        gpci_branch(walk, stride >= 4);
    }
    bool odd = gpci_log2(n) % 2;
    if (!gpci_branch(walk, !odd)) {
        gpci_barrier(walk);
        for (uint64_t i = walk->first; i < n / 2; i += threads) {
            for (unsigned k = 0; k < 4; k++)
                gpci_access(walk, GPCI_SHARED_BASE + (2 * i + k % 2) * GPCI_ELEMENT, 2 * GPCI_ELEMENT);
            gpci_branch(walk, i + threads < n / 2);
        }
    }
    gpci_barrier(walk);
    for (uint64_t i = walk->first; i < n; i += threads) {
        gpci_access(walk, GPCI_SHARED_BASE + i * GPCI_ELEMENT, GPCI_ELEMENT);
        gpci_access(walk, data + i * GPCI_ELEMENT, GPCI_ELEMENT);
        gpci_branch(walk, i + threads < n);
    }
    gpci_finish(walk);
}

static const char modulate_code[] =
    "R1 LDC; R0 S2R; UR4 S2UR; R3 LDC; R0 IMAD R3 UR4 R0; R5 LDC; P0 ISETP.GE.AND R0 R5; @P0 EXIT; UR6 ULDC.64;"
    "R10 LDC; R6 LDC.64; R8 LDC.64; R3 IMAD R3 R10; R11 I2FP.F32.S32 R5; R11 MUFU.RCP R11;"
    "element: R12 IMAD.WIDE R0 R6; R14 IMAD.WIDE R0 R8; R4 LDG.E R12 UR6; R2 LDG.E R14 UR6; R0 IADD3 R0 R3 R255;"
    "P0 ISETP.GE.AND R0 R5; R2 FMUL R2 R11; R4 FMUL R4 R2; STG.E R12 UR6 R4; @!P0 BRA element; EXIT";

static void walk_modulate(gpci_walk *walk, const gpci_launch *launch) {
    uint64_t i = walk->x * GPCI_THREADS + walk->first;
    if (!gpci_guard(walk, gpci_below(walk, i, launch->n)))
        return;
    do {
        gpci_access(walk, launch->operand[0].base + i * GPCI_ELEMENT, GPCI_ELEMENT);
        gpci_access(walk, launch->operand[1].base + i * GPCI_ELEMENT, GPCI_ELEMENT);
        gpci_access(walk, launch->operand[0].base + i * GPCI_ELEMENT, GPCI_ELEMENT);
        i += launch->grid[0] * GPCI_THREADS;
    } while (gpci_loop(walk, gpci_below(walk, i, launch->n)));
    walk->mask = walk->all;
    gpci_finish(walk);
}

/* Plan the launches that transform 2^log elements in place. */
static gpc_status plan_transform(gpci_problem *problem, uint64_t array, unsigned log) {
    uint64_t total = UINT64_C(1) << log;
    gpc_status status = GPC_OK;
    for (; log > SHARED_LOG && status == GPC_OK; log -= 2) {
        gpci_launch l = {.name = "_Z15fwtBatch2KernelPfS_i", .code = global_code, .warp = walk_global};
        l.grid[0] = total / (4 * GPCI_THREADS);
        l.block[0] = GPCI_THREADS;
        l.stride = (UINT64_C(1) << log) / 4;
        l.operand[0].base = array;
        status = gpci_problem_launch(problem, &l);
    }
    if (status < 0)
        return status;
    gpci_launch launch = {.name = "_Z15fwtBatch1KernelPfS_i", .code = shared_code, .warp = walk_shared};
    launch.n = UINT64_C(1) << log;
    launch.grid[0] = total / launch.n;
    launch.block[0] = launch.n / 4;
    launch.shared = launch.n * GPCI_ELEMENT;
    launch.operand[0].base = array;
    return gpci_problem_launch(problem, &launch);
}

/* Plan a convolution in the Walsh basis: transform both, multiply, transform back. */
static gpc_status plan_fastwalsh(gpci_problem *problem) {
    uint64_t elements = problem->size / GPCI_ELEMENT;
    if (!gpci_power_of_two(problem->size))
        return gpci_problem_fail(problem, "%llu bytes are not a power of two", (unsigned long long)problem->size);
    unsigned log = gpci_log2(elements);
    uint64_t data = gpci_problem_array(problem, problem->size);
    gpc_status status = plan_transform(problem, data, log);
    if (status < 0 || problem->values[0] == 0)
        return status;
    uint64_t kernel = gpci_problem_array(problem, problem->size);
    status = plan_transform(problem, kernel, log);
    gpci_launch launch = {.name = "_Z14modulateKernelPfS_i", .code = modulate_code, .warp = walk_modulate};
    launch.grid[0] = MODULATE_BLOCKS;
    launch.block[0] = GPCI_THREADS;
    launch.n = elements;
    launch.operand[0].base = data;
    launch.operand[1].base = kernel;
    if (status == GPC_OK)
        status = gpci_problem_launch(problem, &launch);
    return status == GPC_OK ? plan_transform(problem, data, log) : status;
}

static const gpc_parameter fastwalsh_parameters[] = {
    {"convolve", 0, 0, 1, true, "1: the SDK's whole convolution, three transforms and a product"},
};

const gpci_synthetic gpci_synthetic_fastwalsh = {
    .name = "fastwalsh",
    .summary = "fast Walsh transform in place, a kernel for each pass; SIZE of the data, a power of two (convolve=0)",
    .least = (1u << LEAST_LOG) * GPCI_ELEMENT,
    .parameters = fastwalsh_parameters,
    .parameter_count = 1,
    .plan = plan_fastwalsh,
};
