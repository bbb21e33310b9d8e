/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic.h"

/* Locality by construction: no locality, or lines reused by a warp or a thread. */

/* Thread i copies element reverse(i): two lanes share a sector only in a small array. */
static const char spatial_code[] =
    "R1 LDC; R0 S2R; UR4 S2UR; R7 LDC; R2 LDC.64; R7 IMAD R7 UR4 R0; UR4 ULDC; UR4 UIADD3 UR4; R0 BREV R7;"
    "R5 SHF.R.U32.HI R255 R0; UR4 ULDC.64; R2 IMAD.WIDE.U32 R5 R2; R4 LDC.64; R3 LDG.E R2 UR4; R4 IMAD.WIDE.U32 R7 R4;"
    "STG.E R4 UR4 R3; EXIT";

static uint64_t reversed(uint64_t index, uint64_t n) {
    uint64_t out = 0;
    for (; n > 1; n /= 2, index /= 2)
        out = out * 2 + index % 2;
    return out;
}

static void walk_spatial(gpci_walk *walk, const gpci_launch *launch) {
    uint64_t offsets[GPCI_SYNTHETIC_LANES], i = walk->x * launch->block[0] + walk->first;
    for (unsigned lane = 0; lane < walk->lanes; lane++)
        offsets[lane] = reversed(i + lane, launch->n) * GPCI_ELEMENT;
    gpci_access_at(walk, launch->operand[0].base, offsets);
    gpci_access(walk, launch->operand[1].base + i * GPCI_ELEMENT, GPCI_ELEMENT);
    gpci_finish(walk);
}

static gpc_status plan_spatial(gpci_problem *problem) {
    gpci_launch launch = {.name = "_Z14spatial_bitrevPfPKfi", .code = spatial_code, .warp = walk_spatial};
    if (!gpci_power_of_two(problem->size))
        return gpci_problem_fail(problem, "%llu bytes are not a power of two", (unsigned long long)problem->size);
    launch.n = problem->size / GPCI_ELEMENT;
    launch.block[0] = launch.n < GPCI_THREADS ? launch.n : GPCI_THREADS;
    launch.grid[0] = launch.n / launch.block[0];
    launch.operand[0].base = gpci_problem_array(problem, problem->size);
    launch.operand[1].base = gpci_problem_array(problem, problem->size);
    return gpci_problem_launch(problem, &launch);
}

const gpci_synthetic gpci_synthetic_spatial = {
    .name = "spatial",
    .summary = "copy from the bit-reversed index, no locality in space; SIZE of the array, a power of two",
    .least = 4,
    .plan = plan_spatial,
};

static const char gather_code[] =
    "R1 LDC; R0 S2R; UR4 S2UR; R9 LDC; R9 IMAD R9 UR4 R0; UR5 ULDC; P0 ISETP.GE.AND R9 UR5; @P0 EXIT; R2 LDC.64;"
    "UR6 ULDC.64; R4 LDC.64; R6 LDC.64; R2 IMAD.WIDE R9 R2; R3 LDG.E R2 UR6; R4 IMAD.WIDE.U32 R3 R4; R5 LDG.E R4 UR6;"
    "R6 IMAD.WIDE R9 R6; STG.E R6 UR6 R5; EXIT";

static void walk_gather(gpci_walk *walk, const gpci_launch *launch) {
    uint64_t offsets[GPCI_SYNTHETIC_LANES], i = walk->x * GPCI_THREADS + walk->first;
    if (!gpci_guard(walk, gpci_below(walk, i, launch->n)))
        return;
    for (unsigned lane = 0; lane < walk->lanes; lane++)
        offsets[lane] = ((gpci_mix(launch->seed + i + lane) >> 32) * launch->n >> 32) * GPCI_ELEMENT;
    gpci_access(walk, launch->operand[0].base + i * GPCI_ELEMENT, GPCI_ELEMENT);
    gpci_access_at(walk, launch->operand[1].base, offsets);
    gpci_access(walk, launch->operand[2].base + i * GPCI_ELEMENT, GPCI_ELEMENT);
    gpci_finish(walk);
}

static gpc_status plan_gather(gpci_problem *problem) {
    gpci_launch launch = {.name = "_Z6gatherPfPKfPKji", .code = gather_code, .warp = walk_gather};
    launch.n = problem->size / GPCI_ELEMENT;
    launch.seed = gpci_mix((uint64_t)problem->values[0]);
    launch.grid[0] = gpci_ceiling(launch.n, GPCI_THREADS);
    launch.block[0] = GPCI_THREADS;
    for (unsigned k = 0; k < 3; k++)
        launch.operand[k].base = gpci_problem_array(problem, problem->size);
    return gpci_problem_launch(problem, &launch);
}

static const gpc_parameter gather_parameters[] = {
    {"seed", 1, 0, 1e15, true, "of the random indices"},
};

const gpci_synthetic gpci_synthetic_gather = {
    .name = "gather",
    .summary = "out[i] = in[index[i]] for random indices; SIZE of each array (seed=1)",
    .least = 4,
    .parameters = gather_parameters,
    .parameter_count = 1,
    .plan = plan_gather,
};

/* Code that sums the same elements repeatedly: sixteen at a time, then eight at a time, then one by one. */
static const char reuse_code[] =
    "R1 LDC; R2 LDC; R0 S2R; UR5 ULDC; UR4 ULDC.64; R10 IMAD.MOV.U32 R255 R255 R255; R3 S2R; R0 IMAD R0 UR5 R3; R8 LDC;"
    "R2 SHF.R.S32.HI R255 R0; R7 LOP3.LUT R8 R255; R5 IADD3 R8 R255; R2 IMAD.WIDE R2 R8 R255; R9 IMAD.SHL.U32 R2 R255;"
    "R4 SHF.L.U64.HI R2 R3; R8 IMAD.IADD R8 R7; R9 LOP3.LUT R9 R0; R6 LEA R9; UR6 UMOV; R6 IADD3 R6 R255;"
    "R9 LEA.HI.X R9 R4; R9 IADD3.X R255 R9 R255;"
    "repeat: R4 LDC; UR6 UIADD3 UR6; P1 ISETP.LE.AND R4 UR6; R11 IMAD.MOV.U32 R255 R255 R255; R12 MOV R8;"
    "R4 IMAD.MOV.U32 R255 R255 R6;"
    "R5 IMAD.MOV.U32 R255 R255 R9; P0 ISETP.GT.AND R12; @!P0 BRA below16;"
    "sixteen: 16*{R13+1 LDG.E R4 UR4}; R12 IADD3 R12 R255; R11 IADD3 R11 R255; P0 ISETP.GT.AND R12;"
    "16*{R10 FADD R10 R13+1};"
    "R4 IADD3 R4 R255; R5 IMAD.X R255 R255 R5; @P0 BRA sixteen;"
    "below16: P0 ISETP.GT.AND R12; @!P0 BRA below8;"
    "eight: 8*{R13+1 LDG.E R4 UR4}; P1 PLOP3.LUT P1; R12 VIADD R12; R11 IADD3 R11 R255; 8*{R10 FADD R10 R13+1};"
    "R14 IADD3 R4 R255; R4 MOV R14; R15 IMAD.X R255 R255 R5; R5 IMAD.MOV.U32 R255 R255 R15;"
    "P0 ISETP.GT.AND R12; @P0 BRA eight;"
    "below8: P0 ISETP.NE.AND R12 R255; @!P0 BRA swept;"
    "one: R13 LDG.E R4 UR4; R12 VIADD R12; P0 ISETP.NE.AND R12 R255; R4 IADD3 R4 R255; R5 IMAD.X R255 R255 R5;"
    "R10 FADD R10 R13; @P0 BRA one;"
    "swept: P0 ISETP.GE.AND R11 UR6; @!P0 BRA repeat; R2 LDC.64; R2 IMAD.WIDE R0 R2; STG.E R2 UR4 R10; EXIT";

static void load_element(gpci_walk *walk, const gpci_launch *launch, uint64_t step, const void *data) {
    const uint64_t *first = data;
    gpci_access(walk, *first + step * launch->operand[0].step, launch->operand[0].thread);
}

static void walk_reuse(gpci_walk *walk, const gpci_launch *launch) {
    uint64_t thread = walk->x * launch->block[0] + walk->first,
             first = launch->operand[0].base + thread * launch->steps * GPCI_ELEMENT;
    for (uint64_t r = 0; r < launch->repeats; r++) {
        uint64_t done = gpci_unrolled(walk, launch, load_element, &first, 0, launch->steps, 16);
        done = gpci_unrolled(walk, launch, load_element, &first, done, launch->steps, 8);
        gpci_unrolled(walk, launch, load_element, &first, done, launch->steps, 1);
        gpci_branch(walk, r + 1 < launch->repeats);
    }
    gpci_access(walk, launch->operand[1].base + thread * GPCI_ELEMENT, GPCI_ELEMENT);
    gpci_finish(walk);
}

/*
 * Add a launch with `steps` words for each thread. If `together`, the words of a thread follow each other. Otherwise
 * the words of a warp go to its lanes in turn.
 */
static gpc_status plan_reuse(gpci_problem *problem, const char *name, bool together) {
    gpci_launch launch = {.name = name, .code = reuse_code, .warp = walk_reuse};
    launch.steps = (uint64_t)problem->values[0];
    launch.repeats = (uint64_t)problem->values[1];
    launch.block[0] = (uint64_t)problem->values[2];
    launch.grid[0] = problem->size / (launch.steps * GPCI_ELEMENT) / launch.block[0];
    if (!launch.grid[0])
        return gpci_problem_fail(problem, "%llu bytes are less than a block's %llu", (unsigned long long)problem->size,
                                 (unsigned long long)(launch.steps * GPCI_ELEMENT * launch.block[0]));
    uint64_t threads = launch.grid[0] * launch.block[0];
    launch.operand[0].base = gpci_problem_array(problem, threads * launch.steps * GPCI_ELEMENT);
    launch.operand[0].thread = together ? launch.steps * GPCI_ELEMENT : GPCI_ELEMENT;
    launch.operand[0].step = together ? GPCI_ELEMENT : problem->lanes * GPCI_ELEMENT;
    launch.operand[1].base = gpci_problem_array(problem, threads * GPCI_ELEMENT);
    return gpci_problem_launch(problem, &launch);
}

static gpc_status plan_warp_reuse(gpci_problem *problem) {
    if ((unsigned)problem->values[2] % problem->lanes)
        return gpci_problem_fail(problem, "parameter 'threads': %u are no whole warps", (unsigned)problem->values[2]);
    return plan_reuse(problem, "_Z10warp_reusePfPKfii", false);
}

static gpc_status plan_private_reuse(gpci_problem *problem) {
    return plan_reuse(problem, "_Z13private_reusePfPKfii", true);
}

static const gpc_parameter warp_reuse_parameters[] = {
    {"lines", 8, 1, 65536, true, "of a warp: 128 bytes, with 64 lanes 256"},
    {"repeats", 8, 1, 65536, true, "times that it reads them"},
    {"threads", 256, 32, 1024, true, "of a block"},
};

const gpci_synthetic gpci_synthetic_warp_reuse = {
    .name = "warp-reuse",
    .summary = "each warp sums over lines of its own again and again; SIZE of all lines (lines=8, repeats=8, "
               "threads=256)",
    .least = 4,
    .parameters = warp_reuse_parameters,
    .parameter_count = 3,
    .plan = plan_warp_reuse,
};

static const gpc_parameter private_reuse_parameters[] = {
    {"words", 32, 1, 65536, true, "of a thread, side by side: 32 make a line"},
    {"repeats", 8, 1, 65536, true, "times that it reads them"},
    {"threads", 128, 32, 1024, true, "of a block"},
};

const gpci_synthetic gpci_synthetic_private_reuse = {
    .name = "private-reuse",
    .summary = "each thread sums over words of its own again and again; SIZE of all words (words=32, repeats=8, "
               "threads=128)",
    .least = 4,
    .parameters = private_reuse_parameters,
    .parameter_count = 3,
    .plan = plan_private_reuse,
};
