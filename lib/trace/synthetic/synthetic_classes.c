/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic.h"

/*
 * Only instructions, no memory: each warp issues `count` instructions, in rounds with a given number of each class.
 * They read no register, and write a register last written sixteen instructions before. With dependent=1 each
 * instruction reads the result of the instruction before, of any class; the uniform datapath reads only its own
 * results. Straight code: a round has no other cost.
 *
 * Example: int=1,fp=1,dependent=0,count=400 are IADD3, FADD, IADD3, ... An SM with units for both classes issues one
 * instruction a cycle. If all 400 are IADD3 and integer units take two cycles, the SM issues one instruction in two
 * cycles.
 */

#define CLASSES 6u
#define APART 16u /* results before a register is written again */
#define EACH (APART + 1)
#define MOST_SHARE 255

/* Sixteen instructions that read no register, then one that reads the first result and writes the register again. */
#define BOTH(operation, file, apart) "16*{" file apart " " operation "};" file " " operation " " file ";"

static const char classes_code[] = BOTH("IADD3", "R16", "+2") BOTH("FADD", "R16", "+2") BOTH("DADD", "R16", "+2")
    BOTH("MUFU.RCP", "R16", "+2") BOTH("HMMA.16816.F32", "R16", "+2") BOTH("UIADD3", "UR8", "+1") "EXIT";

/*
 * `window` of the launch has the number of each class's instructions in a round, a byte for each class. If `repeats` is
 * set, each instruction depends on the instruction before; the first of each class does not.
 */
static void walk_classes(gpci_walk *walk, const gpci_launch *launch) {
    uint64_t class = 0, left = launch->window & MOST_SHARE, begun = 0;
    for (uint64_t n = 0; n < launch->steps; n++) {
        while (!left) {
            class = (class + 1) % CLASSES;
            left = launch->window >> (8 * class) & MOST_SHARE;
        }
        left--;
        const uint64_t place = !launch->repeats ? n % APART : begun >> class & 1 ? APART : 0;
        begun |= (uint64_t)1 << class;
        gpci_plain(walk, (uint32_t)(class * EACH + place));
    }
    walk->at = CLASSES * EACH;
    gpci_finish(walk);
}

static gpc_status plan_classes(gpci_problem *problem) {
    gpci_launch launch = {.name = "_Z7classesv", .code = classes_code, .warp = walk_classes};
    for (unsigned class = 0; class < CLASSES; class ++)
        launch.window |= (uint64_t)problem->values[class] << (8 * class);
    launch.repeats = problem->values[6] != 0;
    launch.steps = (uint64_t)problem->values[7];
    launch.block[0] = (uint64_t)problem->values[8];
    launch.grid[0] = gpci_ceiling(problem->size / GPCI_ELEMENT, launch.block[0]);
    if (!launch.window)
        return gpci_problem_fail(problem, "parameters 'int' to 'uniform': a round has no instruction");
    return gpci_problem_launch(problem, &launch);
}

static const gpc_parameter classes_parameters[] = {
    {"int", 1, 0, MOST_SHARE, true, "integer additions of a round"},
    {"fp", 1, 0, MOST_SHARE, true, "likewise, single precision"},
    {"double", 0, 0, MOST_SHARE, true, "likewise, double precision"},
    {"sfu", 0, 0, MOST_SHARE, true, "likewise, special functions"},
    {"tensor", 0, 0, MOST_SHARE, true, "likewise, tensor cores"},
    {"uniform", 0, 0, MOST_SHARE, true, "likewise, uniform datapath"},
    {"dependent", 0, 0, 1, true, "1: each reads the result of the one before"},
    {"count", 400, 1, 1 << 20, true, "instructions of a warp"},
    {"threads", 256, 1, 1024, true, "of a block"},
};

const gpci_synthetic gpci_synthetic_classes = {
    .name = "classes",
    .summary = "instructions of given classes and no memory; SIZE is 4 bytes a thread (int=1, fp=1, double=0, sfu=0, "
               "tensor=0, uniform=0, dependent=0, count=400, threads=256)",
    .least = 4,
    .parameters = classes_parameters,
    .parameter_count = 9,
    .plan = plan_classes,
};
