/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic.h"

/*
 * Instructions alone: each warp issues `count` of them, no memory among them, in rounds of so many of each class. They
 * read nothing, and write a register that the sixteenth before wrote; or each reads what the one before wrote, whatever
 * its class, those of the uniform datapath what that one wrote. Straight code: a round costs nothing besides.
 *
 * Example: int=1,fp=1,dependent=0,count=400 are IADD3, FADD, IADD3, ..., which an SM with units for both issues one
 * a cycle, and one whose integer units take two cycles does not, if all 400 are IADD3.
 */

#define CLASSES 6u
#define APART 16u /* results before a register is written again */
#define EACH (APART + 1)
#define MOST_SHARE 255

/* Sixteen that read nothing, then one that reads what the first wrote and writes it again. */
#define BOTH(operation, file, apart) "16*{" file apart " " operation "};" file " " operation " " file ";"

static const char classes_code[] = BOTH("IADD3", "R16", "+2") BOTH("FADD", "R16", "+2") BOTH("DADD", "R16", "+2")
    BOTH("MUFU.RCP", "R16", "+2") BOTH("HMMA.16816.F32", "R16", "+2") BOTH("UIADD3", "UR8", "+1") "EXIT";

/* `window` has the shares of a round, a byte each; `repeats`: is there a chain, which the first of a class begins? */
static void walk_classes(gpci_walk *w, const gpci_launch *l) {
    uint64_t class = 0, left = l->window & MOST_SHARE, begun = 0;
    for (uint64_t n = 0; n < l->steps; n++) {
        while (!left) {
            class = (class + 1) % CLASSES;
            left = l->window >> (8 * class) & MOST_SHARE;
        }
        left--;
        const uint64_t place = !l->repeats ? n % APART : begun >> class & 1 ? APART : 0;
        begun |= (uint64_t)1 << class;
        gpci_plain(w, (uint32_t)(class * EACH + place));
    }
    w->at = CLASSES * EACH;
    gpci_finish(w);
}

static gpc_status plan_classes(gpci_problem *p) {
    gpci_launch l = {.name = "_Z7classesv", .code = classes_code, .warp = walk_classes};
    for (unsigned class = 0; class < CLASSES; class ++)
        l.window |= (uint64_t)p->values[class] << (8 * class);
    l.repeats = p->values[6] != 0;
    l.steps = (uint64_t)p->values[7];
    l.block[0] = (uint64_t)p->values[8];
    l.grid[0] = gpci_ceiling(p->size / GPCI_ELEMENT, l.block[0]);
    if (!l.window)
        return gpci_problem_fail(p, "parameters 'int' to 'uniform': a round has no instruction");
    return gpci_problem_launch(p, &l);
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
