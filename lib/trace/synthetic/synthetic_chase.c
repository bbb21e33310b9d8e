/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic.h"

/*
 * Pointer chase: one lane of one warp follows a chain through all nodes of an array, in random order. Every address is
 * the result of the load before: the cycles between loads are the latency of the level with the array.
 *
 * The first half of the launches walks through the chain, the second half repeats the walk: with caches kept between
 * launches (`kernels.flush = none`) the second half measures the latency in a steady state.
 */

#define NODE_WORD 8u
#define LAUNCH_HOPS (UINT64_C(1) << 19) /* most loads of a launch: the whole block is in memory */
#define CHASE_UNROLL 16u
#define ROUNDS 4u

static const char chase_code[] =
    "R1 LDC; R2 LDC.64; UR4 ULDC.64; R4 LDC; P0 ISETP.GE.AND R4; @!P0 BRA single;"
    "sixteen: 16*{R2 LDG.E.64 R2 UR4}; R4 IADD3 R4 R255; P0 ISETP.GE.AND R4; @P0 BRA sixteen;"
    "single: P0 ISETP.NE.AND R4 R255; @!P0 BRA done;"
    "one: R2 LDG.E.64 R2 UR4; R4 IADD3 R4 R255; P0 ISETP.NE.AND R4 R255; @P0 BRA one;"
    "done: R6 LDC.64; STG.E.64 R6 UR4 R2; EXIT";

/* The loads bypass L1, as ld.global.cg. */
static const char chase_code_cg[] =
    "R1 LDC; R2 LDC.64; UR4 ULDC.64; R4 LDC; P0 ISETP.GE.AND R4; @!P0 BRA single;"
    "sixteen: 16*{R2 LDG.E.64.STRONG.GPU R2 UR4}; R4 IADD3 R4 R255; P0 ISETP.GE.AND R4; @P0 BRA sixteen;"
    "single: P0 ISETP.NE.AND R4 R255; @!P0 BRA done;"
    "one: R2 LDG.E.64.STRONG.GPU R2 UR4; R4 IADD3 R4 R255; P0 ISETP.NE.AND R4 R255; @P0 BRA one;"
    "done: R6 LDC.64; STG.E.64 R6 UR4 R2; EXIT";

/*
 * Node at position `place` of the chain: a permutation of 0 to nodes - 1, without a table. A Feistel network permutes
 * the numbers below the next power of four. If the result is out of range, the network is applied again.
 */
static uint64_t node_at(const gpci_launch *launch, uint64_t place) {
    unsigned half = (gpci_ceil_log2(launch->n) + 1) / 2;
    uint64_t low = (UINT64_C(1) << half) - 1;
    do {
        uint64_t left = place >> half, right = place & low;
        for (uint64_t round = 0; round < ROUNDS; round++) {
            uint64_t next = left ^ (gpci_mix(launch->seed + right * ROUNDS + round) & low);
            left = right;
            right = next;
        }
        place = left << half | right;
    } while (place >= launch->n);
    return place;
}

static void hop(gpci_walk *walk, const gpci_launch *launch, uint64_t step, const void *data) {
    (void)data;
    gpci_access(walk, launch->operand[0].base + node_at(launch, (launch->window + step) % launch->n) * launch->stride,
                0);
}

static void walk_chase(gpci_walk *walk, const gpci_launch *launch) {
    uint64_t done = gpci_unrolled(walk, launch, hop, NULL, 0, launch->steps, CHASE_UNROLL);
    gpci_unrolled(walk, launch, hop, NULL, done, launch->steps, 1);
    gpci_access(walk, launch->operand[1].base, 0);
    gpci_finish(walk);
}

static gpc_status plan_chase(gpci_problem *problem) {
    bool past_l1 = problem->values[1] != 0;
    gpci_launch l = {.name = "_Z5chasePPvS_i", .code = past_l1 ? chase_code_cg : chase_code, .warp = walk_chase};
    l.stride = (uint64_t)problem->values[0];
    l.n = problem->size / l.stride;
    l.seed = gpci_mix((uint64_t)problem->values[3]);
    l.grid[0] = l.block[0] = 1;
    if (l.stride % NODE_WORD || l.n < 1)
        return gpci_problem_fail(problem, "parameter 'stride': %llu is no multiple of %u up to the size",
                                 (unsigned long long)l.stride, NODE_WORD);
    l.operand[0].base = gpci_problem_array(problem, l.n * l.stride);
    l.operand[1].base = gpci_problem_array(problem, NODE_WORD);
    uint64_t hops = l.n * (uint64_t)problem->values[2];
    for (unsigned half = 0; half < 2; half++)
        for (l.window = 0; l.window < hops; l.window += l.steps) {
            l.steps = hops - l.window < LAUNCH_HOPS ? hops - l.window : LAUNCH_HOPS;
            gpc_status status = gpci_problem_launch(problem, &l);
            if (status < 0)
                return status;
        }
    return GPC_OK;
}

static const gpc_parameter chase_parameters[] = {
    {"stride", 128, 8, 1 << 20, true, "bytes from node to node, a multiple of 8"},
    {"cg", 0, 0, 1, true, "1: past L1, as ld.global.cg"},
    {"walks", 1, 1, 1024, true, "through the chain, of each half of the launches"},
    {"seed", 1, 0, 1e15, true, "of the order"},
};

const gpci_synthetic gpci_synthetic_chase = {
    .name = "chase",
    .summary = "one thread follows pointers in random order, through SIZE bytes and then again (stride=128, cg=0, "
               "walks=1, seed=1)",
    .least = 8,
    .parameters = chase_parameters,
    .parameter_count = 4,
    .plan = plan_chase,
};
