/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic.h"

/*
 * cppOverload of the CUDA SDK: three kernels with the same name and different inputs. Each thread copies its input to
 * shared memory and back, and writes one result: a * in[i] + i for words; a * (in[i].x + in[i].y) + i for pairs; a *
 * (in[i] + in[n + i]) + i for an input of two halves.
 */

/* Address of the thread's element: R2 in the input, R8 in shared memory. */
#define OVERLOAD_INDEX                                                                                \
    "R1 LDC; R7 S2R; UR5 S2UR; UR4 UMOV; R0 S2R; R2 LDC.64; UR6 ULDC.64; UR8 ULDC; UR4 ULEA UR5 UR4;" \
    "R0 IMAD R0 UR8 R7; R8 LEA R7 UR4; R2 IMAD.WIDE R0 R2;"

#define RESULT "UR9 ULDC; R10 IMAD R10 UR9 R0; R4 IMAD.WIDE R0 R4; STG.E R4 UR6 R10; EXIT"

static const char one_code[] =
    OVERLOAD_INDEX "R2 LDG.E R2 UR6; R4 LDC.64; STS R8 R2; BAR.SYNC.DEFER_BLOCKING; R10 LDS R8;" RESULT;

static const char pair_code[] =
    OVERLOAD_INDEX "R2 LDG.E.64 R2 UR6; R4 LDC.64; STS.64 R8 R2; BAR.SYNC.DEFER_BLOCKING; R10 "
                   "LDS.64 R8; R10 IMAD.IADD R10 R11;" RESULT;

static const char two_code[] =
    OVERLOAD_INDEX "R4 LDC.64; R4 IMAD.WIDE R0 R4; R2 LDG.E R2 UR6; R4 LDG.E R4 UR6; STS R8 R2; STS R8 R4; R4 LDC.64;"
                   "BAR.SYNC.DEFER_BLOCKING; R10 LDS R8; R11 LDS R8; R10 IMAD.IADD R10 R11;" RESULT;

/* Load the inputs, and store each to its part of shared memory. Then load the parts, and store the result. */
static void walk_overload(gpci_walk *walk, const gpci_launch *launch) {
    uint64_t i = walk->x * GPCI_THREADS + walk->first, inputs = launch->operands - 1;
    const gpci_operand *out = &launch->operand[inputs];
    for (uint64_t k = 0; k < inputs; k++)
        gpci_access(walk, launch->operand[k].base + i * launch->operand[k].thread, launch->operand[k].thread);
    for (uint64_t k = 0; k < inputs; k++)
        gpci_access(walk, GPCI_SHARED_BASE + k * GPCI_THREADS * GPCI_ELEMENT + walk->first * launch->operand[k].thread,
                    launch->operand[k].thread);
    gpci_barrier(walk);
    for (uint64_t k = 0; k < inputs; k++)
        gpci_access(walk, GPCI_SHARED_BASE + k * GPCI_THREADS * GPCI_ELEMENT + walk->first * launch->operand[k].thread,
                    launch->operand[k].thread);
    gpci_access(walk, out->base + i * out->thread, out->thread);
    gpci_finish(walk);
}

static gpc_status plan_overload(gpci_problem *problem) {
    uint64_t n = problem->size / (2 * GPCI_ELEMENT);
    if (problem->size % (2 * GPCI_ELEMENT) || n % GPCI_THREADS) /* the kernels have no bounds checks */
        return gpci_problem_fail(problem, "%llu bytes are no whole number of blocks' inputs, %u each",
                                 (unsigned long long)problem->size, (unsigned)(2 * GPCI_ELEMENT * GPCI_THREADS));
    uint64_t in = gpci_problem_array(problem, problem->size), out = gpci_problem_array(problem, n * GPCI_ELEMENT);
    const gpci_operand result = {.base = out, .thread = GPCI_ELEMENT};
    const gpci_launch launches[] = {
        {.name = "_Z13simple_kernelPKiPii",
         .code = one_code,
         .operands = 2,
         .shared = GPCI_THREADS * GPCI_ELEMENT,
         .operand = {{.base = in, .thread = GPCI_ELEMENT}, result}},
        {.name = "_Z13simple_kernelPK4int2Pii",
         .code = pair_code,
         .operands = 2,
         .shared = 2 * GPCI_THREADS * GPCI_ELEMENT,
         .operand = {{.base = in, .thread = 2 * GPCI_ELEMENT}, result}},
        {.name = "_Z13simple_kernelPKiS0_Pii",
         .code = two_code,
         .operands = 3,
         .shared = 2 * GPCI_THREADS * GPCI_ELEMENT,
         .operand = {{.base = in, .thread = GPCI_ELEMENT},
                     {.base = in + n * GPCI_ELEMENT, .thread = GPCI_ELEMENT},
                     result}},
    };
    for (size_t k = 0; k < sizeof launches / sizeof launches[0]; k++) {
        gpci_launch launch = launches[k];
        launch.warp = walk_overload;
        launch.block[0] = GPCI_THREADS;
        launch.grid[0] = n / GPCI_THREADS;
        gpc_status status = gpci_problem_launch(problem, &launch);
        if (status < 0)
            return status;
    }
    return GPC_OK;
}

const gpci_synthetic gpci_synthetic_cppoverload = {
    .name = "cppoverload",
    .summary = "a * in[i] + i through shared memory, of words, pairs, two halves, a kernel each; SIZE of the input",
    .least = 2 * GPCI_ELEMENT * GPCI_THREADS,
    .plan = plan_overload,
};
