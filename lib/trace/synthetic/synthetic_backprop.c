/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic.h"

/*
 * Back propagation, as in Rodinia's backprop (Che et al., IISWC 2009), training a layer of 16 hidden units, compiled
 * for Fermi: blocks of 16 x 16 with 16 of the inputs each. bpnn_layerforward multiplies the inputs with their weights
 * and sums the products of each hidden unit in shared memory, in four steps of a tree. bpnn_adjust_weights changes the
 * weights by the errors and by their last changes, and loads all values again for its second store. The
 * published problem has 65,536 inputs, each with 16 weights and a bias weight before the 16: 4.25 MiB.
 */

#define UNITS 16u
#define INPUTS 16u        /* inputs of a block */
#define LAYER (UNITS + 1) /* weights of an input */
#define TREE_STEPS 4u

/* R4 address of the weight, R6 address in shared memory. */
static const char forward_code[] =
    "R1 MOV; R0 S2R; R2 S2R; R3 S2R; R4 IMAD R3 R1 R2; R6 LEA R2 R0; P0 ISETP.NE.AND R0; @P0 BRA weights;"
    "R5 LDG.E R4; STS R6 R5; weights: BAR.SYNC.DEFER_BLOCKING; R5 LDG.E R4; STS R6 R5; BAR.SYNC.DEFER_BLOCKING;"
    "R7 LDS R6; R8 LDS R6; R7 FMUL R7 R8; STS R6 R7; BAR.SYNC.DEFER_BLOCKING; R9 MOV;"
    "add: R10 I2F R9; R10 MUFU.EX2 R10; R10 F2I R10; P1 LOP3.LUT R2 R10; @P1 BRA added; R7 LDS R6; R8 LDS R6;"
    "R7 FADD R7 R8; STS R6 R7; added: BAR.SYNC.DEFER_BLOCKING; R9 IADD3 R9; P2 ISETP.LT.AND R9; @P2 BRA add;"
    "R7 LDS R6; STG.E R4 R7; BAR.SYNC.DEFER_BLOCKING; P0 ISETP.NE.AND R0; @P0 EXIT; R7 LDS R6; R5 MOV; STG.E R5 R7; "
    "EXIT";

/* Addresses: R4 weight, R5 error of the weight's unit, R6 input of the weight, R7 last change of the weight. */
static const char adjust_code[] =
    "R1 MOV; R0 S2R; R2 S2R; R3 S2R; R4 IMAD R3 R1 R2; R5 MOV; R6 MOV; R7 MOV; R8 LDG.E R4; R9 LDG.E R5; R10 LDG.E R6;"
    "R11 LDG.E R7; R9 FMUL R9 R10; R9 FFMA R11 R9; R8 FADD R8 R9; STG.E R4 R8; R9 LDG.E R5; R10 LDG.E R6; R11 LDG.E R7;"
    "R9 FMUL R9 R10; R9 FFMA R11 R9; STG.E R7 R9; BAR.SYNC.DEFER_BLOCKING; P0 ISETP.NE.AND R2 R3; @P0 EXIT; R8 LDG.E "
    "R4;"
    "R9 LDG.E R5; R11 LDG.E R7; R9 FFMA R11 R9; R8 FADD R8 R9; STG.E R4 R8; R9 LDG.E R5; R11 LDG.E R7; R9 FFMA R11 R9;"
    "STG.E R7 R9; EXIT";

/* Operands: weights, their last changes, inputs followed by the units' errors, sums of each block. */
enum { WEIGHTS, CHANGES, INPUT, SUMS };

typedef struct training {
    uint64_t weight[GPCI_SYNTHETIC_LANES], input[GPCI_SYNTHETIC_LANES], unit[GPCI_SYNTHETIC_LANES];
    uint64_t cell[GPCI_SYNTHETIC_LANES];
    uint64_t first; /* lanes of the first unit */
} training;

static void place(const gpci_walk *walk, training *network) {
    network->first = 0;
    for (unsigned lane = 0; lane < walk->lanes; lane++) {
        const uint64_t input = walk->gy[lane] + 1, unit = walk->tx[lane] + 1;
        network->weight[lane] = (input * LAYER + unit) * GPCI_ELEMENT;
        network->input[lane] = input * GPCI_ELEMENT;
        network->unit[lane] = unit * GPCI_ELEMENT;
        network->cell[lane] = (INPUTS + walk->ty[lane] * UNITS + walk->tx[lane]) * GPCI_ELEMENT; /* behind the inputs */
        network->first |= (uint64_t)(walk->tx[lane] == 0) << lane;
    }
}

static void walk_tree(gpci_walk *walk, const training *network) {
    uint64_t other[GPCI_SYNTHETIC_LANES];
    for (unsigned step = 0; step < TREE_STEPS; step++) {
        uint64_t adding = 0;
        for (unsigned lane = 0; lane < walk->lanes; lane++) {
            adding |= (uint64_t)(walk->ty[lane] % (2u << step) == 0) << lane;
            other[lane] = network->cell[lane] + ((uint64_t)UNITS << step) * GPCI_ELEMENT;
        }
        if (gpci_if(walk, walk->mask & adding)) {
            gpci_access_at(walk, GPCI_SHARED_BASE, network->cell);
            gpci_access_at(walk, GPCI_SHARED_BASE, other);
            gpci_access_at(walk, GPCI_SHARED_BASE, network->cell);
        }
        gpci_end_if(walk);
        gpci_barrier(walk);
        gpci_branch(walk, step + 1 < TREE_STEPS);
    }
}

static void walk_forward(gpci_walk *walk, const gpci_launch *launch) {
    uint64_t input[GPCI_SYNTHETIC_LANES], sums[GPCI_SYNTHETIC_LANES], top[GPCI_SYNTHETIC_LANES];
    training network;
    place(walk, &network);
    for (unsigned lane = 0; lane < walk->lanes; lane++) {
        input[lane] = walk->ty[lane] * GPCI_ELEMENT;
        sums[lane] = walk->gy[lane] * GPCI_ELEMENT;
        top[lane] = (INPUTS + walk->ty[lane]) * GPCI_ELEMENT; /* cell of the unit with the thread's row number */
    }
    if (gpci_if(walk, walk->mask & network.first)) {
        gpci_access_at(walk, launch->operand[INPUT].base, network.input);
        gpci_access_at(walk, GPCI_SHARED_BASE, input);
    }
    gpci_end_if(walk);
    gpci_barrier(walk);
    gpci_access_at(walk, launch->operand[WEIGHTS].base, network.weight);
    gpci_access_at(walk, GPCI_SHARED_BASE, network.cell);
    gpci_barrier(walk);
    gpci_access_at(walk, GPCI_SHARED_BASE, network.cell);
    gpci_access_at(walk, GPCI_SHARED_BASE, input);
    gpci_access_at(walk, GPCI_SHARED_BASE, network.cell);
    gpci_barrier(walk);
    walk_tree(walk, &network);
    gpci_access_at(walk, GPCI_SHARED_BASE, network.cell);
    gpci_access_at(walk, launch->operand[WEIGHTS].base, network.weight);
    gpci_barrier(walk);
    if (!gpci_guard(walk, network.first & walk->all))
        return;
    gpci_access_at(walk, GPCI_SHARED_BASE, top);
    gpci_access_at(walk, launch->operand[SUMS].base, sums);
    gpci_finish(walk);
}

static void walk_adjust(gpci_walk *walk, const gpci_launch *launch) {
    const uint64_t weights = launch->operand[WEIGHTS].base, changes = launch->operand[CHANGES].base;
    const uint64_t inputs = launch->operand[INPUT].base, errors = inputs + (launch->n + 1) * GPCI_ELEMENT;
    training network;
    place(walk, &network);
    uint64_t top = 0;
    for (unsigned lane = 0; lane < walk->lanes; lane++)
        top |= (uint64_t)(walk->gy[lane] == 0) << lane;
    for (int again = 0; again < 2; again++) {
        if (!again)
            gpci_access_at(walk, weights, network.weight);
        gpci_access_at(walk, errors, network.unit);
        gpci_access_at(walk, inputs, network.input);
        gpci_access_at(walk, changes, network.weight);
        gpci_access_at(walk, again ? changes : weights, network.weight);
    }
    gpci_barrier(walk);
    if (!gpci_guard(walk, top & walk->all))
        return;
    for (int again = 0; again < 2; again++) {
        if (!again)
            gpci_access_at(walk, weights, network.unit);
        gpci_access_at(walk, errors, network.unit);
        gpci_access_at(walk, changes, network.unit);
        gpci_access_at(walk, again ? changes : weights, network.unit);
    }
    gpci_finish(walk);
}

static gpc_status plan_backprop(gpci_problem *problem) {
    gpci_launch launch = {.name = "_Z22bpnn_layerforward_CUDAPfS_S_S_ii", .code = forward_code, .warp = walk_forward};
    const uint64_t inputs = problem->size / GPCI_ELEMENT / LAYER - 1;
    launch.n = inputs / INPUTS * INPUTS;
    const uint64_t bytes = (launch.n + 1) * LAYER * GPCI_ELEMENT;
    launch.operand[WEIGHTS].base = gpci_problem_array(problem, bytes);
    launch.operand[CHANGES].base = gpci_problem_array(problem, bytes);
    launch.operand[INPUT].base = gpci_problem_array(problem, (launch.n + 1 + LAYER) * GPCI_ELEMENT);
    launch.operand[SUMS].base = gpci_problem_array(problem, launch.n * GPCI_ELEMENT);
    launch.shared = (INPUTS + INPUTS * UNITS) * GPCI_ELEMENT;
    launch.grid[0] = 1;
    launch.grid[1] = launch.n / INPUTS;
    launch.block[0] = UNITS;
    launch.block[1] = INPUTS;
    gpc_status status = gpci_problem_launch(problem, &launch);
    launch.name = "_Z24bpnn_adjust_weights_cudaPfiS_iS_S_";
    launch.code = adjust_code;
    launch.warp = walk_adjust;
    launch.shared = 0;
    return status == GPC_OK ? gpci_problem_launch(problem, &launch) : status;
}

const gpci_synthetic gpci_synthetic_rodinia_backprop = {
    .name = "rodinia-backprop",
    .summary = "a layer of 16 units forward and back, as Fermi ran it; SIZE of its weights, 68 bytes an input",
    .least = (INPUTS + 1) * LAYER * GPCI_ELEMENT,
    .plan = plan_backprop,
};
