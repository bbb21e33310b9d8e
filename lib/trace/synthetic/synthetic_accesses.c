/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic.h"

/*
 * Only accesses, as straight code: loads of 4 bytes by each thread, or stores. Access i of warp w begins at byte (w *
 * apart + i * step) modulo SIZE, and its lanes are `stride` bytes apart. A load writes a register last written sixteen
 * loads before. With dependent=1 each address comes from the load before. The usual measurements need few keys:
 *
 *   latency of L1       dependent=1,stride=0,threads=32
 *   latency of L2       the same keys, and cg=1
 *   latency of DRAM     the same keys, and a `step` to lines that are not cached
 *   bandwidth of L1     threads=512
 *   bandwidth of L2     threads=512,cg=1, and `blocks` for all SMs
 *   bandwidth of DRAM   a `step` and an `apart` with which no line is read twice
 *   divergence          stride=32
 *   stores              store=1
 *
 * Example: 128B:threads=64,count=3 is two warps, and each reads one line three times; with step=128 and 256B the second
 * load reads the other line.
 */

#define RESULTS 16u   /* results before a register is written again */
#define CHAIN RESULTS /* step that reads the first step's result and writes the register again */

#define LOADS(opcode) "16*{R16+2 " opcode "}; R16 " opcode " R16; EXIT"

static const char load_code[] = LOADS("LDG.E");
static const char load_code_cg[] = LOADS("LDG.E.STRONG.GPU"); /* ld.global.cg: past L1 */
static const char store_code[] = "17*{STG.E}; EXIT";

static void walk_accesses(gpci_walk *walk, const gpci_launch *launch) {
    const uint64_t warp = walk->x * gpci_ceiling(launch->block[0], walk->lanes) + walk->first / walk->lanes;
    for (uint64_t n = 0; n < launch->steps && walk->status == GPC_OK; n++) {
        walk->at = (uint32_t)(!launch->repeats ? n % RESULTS : n ? CHAIN : 0);
        gpci_access(walk, launch->operand[0].base + (warp * launch->window + n * launch->operand[0].step) % launch->n,
                    launch->stride);
    }
    walk->at = CHAIN + 1;
    gpci_finish(walk);
}

enum { STORE, CG, DEPENDENT, STRIDE, STEP, APART, COUNT, THREADS, BLOCKS, PARAMETERS };

static const gpc_parameter accesses_parameters[PARAMETERS] = {
    {"store", 0, 0, 1, true, "1: stores"},
    {"cg", 0, 0, 1, true, "1: loads past L1, as ld.global.cg"},
    {"dependent", 0, 0, 1, true, "1: the address of each load is what the one before brought"},
    {"stride", 4, 0, 1 << 20, true, "bytes from lane to lane"},
    {"step", 0, 0, 1 << 30, true, "bytes from an access of a warp to its next"},
    {"apart", 0, 0, 1 << 30, true, "bytes from a warp's first access to the next warp's"},
    {"count", 400, 1, 1 << 20, true, "accesses of a warp"},
    {"threads", 256, 1, 1024, true, "of a block"},
    {"blocks", 1, 1, 1 << 20, true, "thread blocks"},
};

static gpc_status plan_accesses(gpci_problem *problem) {
    const bool store = problem->values[STORE] != 0, past_l1 = problem->values[CG] != 0;
    gpci_launch launch = {.name = "_Z8accessesPi", .warp = walk_accesses};
    launch.code = store ? store_code : past_l1 ? load_code_cg : load_code;
    launch.repeats = problem->values[DEPENDENT] != 0;
    launch.stride = (uint64_t)problem->values[STRIDE];
    launch.operand[0].step = (uint64_t)problem->values[STEP];
    launch.window = (uint64_t)problem->values[APART];
    launch.steps = (uint64_t)problem->values[COUNT];
    launch.block[0] = (uint64_t)problem->values[THREADS];
    launch.grid[0] = (uint64_t)problem->values[BLOCKS];
    launch.n = problem->size / GPCI_ELEMENT * GPCI_ELEMENT;
    if (store && (past_l1 || launch.repeats))
        return gpci_problem_fail(problem, "parameters 'cg' and 'dependent' are of loads, not of stores");
    for (unsigned bytes = STRIDE; bytes <= APART; bytes++)
        if ((uint64_t)problem->values[bytes] % GPCI_ELEMENT)
            return gpci_problem_fail(problem, "parameter '%s': %g is no multiple of %u",
                                     accesses_parameters[bytes].name, problem->values[bytes], (unsigned)GPCI_ELEMENT);
    launch.operand[0].base = gpci_problem_array(problem, problem->size + problem->lanes * launch.stride);
    return gpci_problem_launch(problem, &launch);
}

const gpci_synthetic gpci_synthetic_accesses = {
    .name = "accesses",
    .summary = "loads or stores alone, in an array of SIZE (store=0, cg=0, dependent=0, stride=4, step=0, apart=0, "
               "count=400, threads=256, blocks=1)",
    .least = 4,
    .parameters = accesses_parameters,
    .parameter_count = PARAMETERS,
    .plan = plan_accesses,
};
