/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic.h"

/* Vectors with a thread for each element. A thread loads all operands but the last, then stores the last. */

static void walk_vector(gpci_walk *walk, const gpci_launch *launch) {
    uint64_t i = walk->x * GPCI_THREADS + walk->first;
    if (!gpci_guard(walk, gpci_below(walk, i, launch->n)))
        return;
    for (uint64_t k = 0; k < launch->operands; k++)
        gpci_access(walk, launch->operand[k].base + i * launch->operand[k].thread, launch->operand[k].thread);
    gpci_finish(walk);
}

#define VECTOR_INDEX "R1 LDC; R0 S2R; UR4 S2UR; R9 LDC; R9 IMAD R9 UR4 R0; UR5 ULDC; P0 ISETP.GE.AND R9 UR5; @P0 EXIT;"

#define TWO_INPUTS(width, operation)                                                                           \
    VECTOR_INDEX "R2 LDC.64; UR6 ULDC.64; R4 LDC.64; R6 LDC.64; R2 IMAD.WIDE R9 R2; R2 LDG.E" width " R2 UR6;" \
                 "R4 IMAD.WIDE R9 R4; R4 LDG.E" width " R4 UR6; R6 IMAD.WIDE R9 R6;" operation "STG.E" width   \
                 " R6 UR6 R10; EXIT"

#define ONE_INPUT(width, operation)                                                                 \
    VECTOR_INDEX "R2 LDC.64; UR6 ULDC.64; R6 LDC.64; R2 IMAD.WIDE R9 R2; R2 LDG.E" width " R2 UR6;" \
                 "R6 IMAD.WIDE R9 R6;" operation "STG.E" width " R6 UR6 R10; EXIT"

static const gpci_launch vector_launch = {.warp = walk_vector, .block = {GPCI_THREADS}};

/* Add a launch with `inputs` inputs and one output, at the addresses in `base`. An element has `width` bytes. */
static gpc_status plan_vector(gpci_problem *problem, const char *name, const char *code, uint64_t inputs,
                              uint64_t width, const uint64_t *base) {
    gpci_launch launch = vector_launch;
    launch.name = name;
    launch.code = code;
    launch.n = problem->size / width;
    launch.grid[0] = gpci_ceiling(launch.n, GPCI_THREADS);
    launch.operands = inputs + 1;
    for (uint64_t k = 0; k < launch.operands; k++)
        launch.operand[k] = (gpci_operand){.base = base[k], .thread = width};
    return gpci_problem_launch(problem, &launch);
}

static gpc_status plan_floats(gpci_problem *problem, const char *name, const char *code, uint64_t inputs) {
    uint64_t base[3];
    for (uint64_t k = 0; k <= inputs; k++)
        base[k] = gpci_problem_array(problem, problem->size);
    return plan_vector(problem, name, code, inputs, sizeof(float), base);
}

static gpc_status plan_vectoradd(gpci_problem *problem) {
    return plan_floats(problem, "_Z9vectoraddPKfS0_Pfi", TWO_INPUTS("", "R10 FADD R4 R2;"), 2);
}

static gpc_status plan_vecmul(gpci_problem *problem) {
    return plan_floats(problem, "_Z6vecmulPKfS0_Pfi", TWO_INPUTS("", "R10 FMUL R4 R2;"), 2);
}

static gpc_status plan_vecsub(gpci_problem *problem) {
    return plan_floats(problem, "_Z6vecsubPKfS0_Pfi", TWO_INPUTS("", "R10 FADD R2 R4;"), 2);
}

static gpc_status plan_vecscale(gpci_problem *problem) {
    return plan_floats(problem, "_Z8vecscalePKfPffi", ONE_INPUT("", "UR8 ULDC; R10 FMUL R2 UR8;"), 1);
}

const gpci_synthetic gpci_synthetic_vectoradd = {
    .name = "vectoradd",
    .summary = "c[i] = a[i] + b[i]; SIZE of each vector",
    .least = 4,
    .plan = plan_vectoradd,
};

const gpci_synthetic gpci_synthetic_vecmul = {
    .name = "vecmul",
    .summary = "c[i] = a[i] * b[i]; SIZE of each vector",
    .least = 4,
    .plan = plan_vecmul,
};

const gpci_synthetic gpci_synthetic_vecsub = {
    .name = "vecsub",
    .summary = "c[i] = a[i] - b[i]; SIZE of each vector",
    .least = 4,
    .plan = plan_vecsub,
};

const gpci_synthetic gpci_synthetic_vecscale = {
    .name = "vecscale",
    .summary = "b[i] = s * a[i]; SIZE of each vector",
    .least = 4,
    .plan = plan_vecscale,
};

/* McCalpin's four kernels over the same three arrays of doubles, in McCalpin's order. */
static gpc_status plan_stream(gpci_problem *problem) {
    uint64_t a = gpci_problem_array(problem, problem->size);
    uint64_t b = gpci_problem_array(problem, problem->size);
    uint64_t c = gpci_problem_array(problem, problem->size);
    const struct {
        const char *name, *code;
        uint64_t inputs, base[3];
    } kernels[] = {
        {"_Z11stream_copyPKdPdi", ONE_INPUT(".64", "R10 MOV R2; R11 MOV R3;"), 1, {a, c}},
        {"_Z12stream_scalePdPKddi", ONE_INPUT(".64", "UR8 ULDC.64; R10 DMUL R2 UR8;"), 1, {c, b}},
        {"_Z10stream_addPKdS0_Pdi", TWO_INPUTS(".64", "R10 DADD R2 R4;"), 2, {a, b, c}},
        {"_Z12stream_triadPdPKdS1_di", TWO_INPUTS(".64", "UR8 ULDC.64; R10 DFMA R4 UR8 R2;"), 2, {b, c, a}},
    };
    for (unsigned turn = 0; turn < (unsigned)problem->values[0]; turn++)
        for (size_t k = 0; k < sizeof kernels / sizeof kernels[0]; k++) {
            gpc_status status = plan_vector(problem, kernels[k].name, kernels[k].code, kernels[k].inputs,
                                            sizeof(double), kernels[k].base);
            if (status < 0)
                return status;
        }
    return GPC_OK;
}

static const gpc_parameter stream_parameters[] = {
    {"turns", 1, 1, 10, true, "times that the four kernels run"},
};

const gpci_synthetic gpci_synthetic_stream = {
    .name = "stream",
    .summary = "STREAM copy, scale, add and triad on doubles, a kernel each; SIZE of each array (turns=1)",
    .least = 8,
    .parameters = stream_parameters,
    .parameter_count = 1,
    .plan = plan_stream,
};
