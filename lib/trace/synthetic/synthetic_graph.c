/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic.h"

/*
 * Shortest paths from one node, as LonestarGPU's sssp relaxes edges (Burtscher et al., IISWC 2012; `drelax`): a thread
 * has a node and walks over its outgoing edges in CSR, one after another: the edge's destination and weight, the
 * node's own distance, which an atomic may have changed, and the destination's. Where the path through this node is
 * shorter, an atomic minimum puts it there. Lanes walk over edges apart, so a warp comes back to each line of edges as
 * often as a node has edges in it; destinations are all over the array of distances.
 *
 * The graph is uniformly random, as their r4-2e20 and random graphs are: node i's edges begin at i times the mean
 * degree plus a random number up to it, so that degrees are from 0 to twice the mean (their mean: 4; rmat20's: 8).
 * Which edges shorten a path is random, too, as often as `relaxed` says. With worklist=1 the nodes come in random
 * order from a list, as in sssp-wlc.
 */

/*
 * bfs, their levels of nodes: the same with every weight 1, of which there is no array, and a store where a level is
 * lower, for it is the same whoever comes first.
 */

/* R0 is the node, R6 edges left, R7 the edge, R15 whether anything has changed. */
#define RELAX(node, weight, lower)                                                                               \
    "R1 LDC; R0 S2R; UR4 ULDC; R3 S2R; R0 IMAD R0 UR4 R3; UR5 ULDC; P0 ISETP.GE.U32.AND R0 UR5; @P0 EXIT;"       \
    "UR4 ULDC.64;" node "R4 LDC.64; R4 IMAD.WIDE.U32 R0 R4; R6 LDG.E R4 UR4; P0 ISETP.EQ.AND R6 R255; @P0 EXIT;" \
    "R8 LDC.64; R8 IMAD.WIDE.U32 R0 R8; R7 LDG.E R8 UR4; R16 LDC.64; R16 IMAD.WIDE.U32 R0 R16; R15 MOV R255;"    \
    "edge: R2 LDC.64; R2 IMAD.WIDE.U32 R7 R2; R8 LDG.E R2 UR4;" weight                                           \
    "R12 LDG.E R16 UR4; R10 LDC.64; R10 IMAD.WIDE.U32 R8 R10; R13 LDG.E R10 UR4; R9 IADD3 R9 R12;"               \
    "P1 ISETP.GE.U32.AND R9 R13; @P1 BRA next;" lower                                                            \
    " next: R6 IADD3 R6; R7 IADD3 R7; P0 ISETP.NE.AND R6 R255; @P0 BRA edge;"                                    \
    "P0 ISETP.EQ.AND R15 R255; @P0 EXIT; R2 LDC.64; STG.E.U8 R2 UR4 R15; EXIT"

#define WEIGHT "R4 LDC.64; R4 IMAD.WIDE.U32 R7 R4; R9 LDG.E R4 UR4;"
#define MINIMUM "R14 ATOMG.E.MIN.STRONG.GPU R10 R9 UR4; P2 ISETP.GT.U32.AND R14 R9; R15 SEL R15 P2;"

static const char relax_code[] = RELAX("", WEIGHT, MINIMUM);
static const char worklist_code[] = RELAX("R2 LDC.64; R2 IMAD.WIDE.U32 R0 R2; R0 LDG.E R2 UR4;", WEIGHT, MINIMUM);
static const char level_code[] = RELAX("", "R9 MOV;", "STG.E R10 UR4 R9; R15 MOV;");

/* Operands: the worklist, then the arrays of the graph, distances, and the flag. */
enum { DEGREES, FIRSTS, DESTINATIONS, WEIGHTS };

static uint64_t random_below(const gpci_launch *l, uint64_t salt, uint64_t index, uint64_t bound) {
    return (gpci_mix(l->seed + index * 4 + salt) >> 32) * bound >> 32;
}

/* The first edge of a node; `n` has the end of the last one's. `columns` is the mean degree. */
static uint64_t first_edge(const gpci_launch *l, uint64_t node) {
    return node * l->columns + (node && node < l->n ? random_below(l, 0, node, l->columns + 1) : 0);
}

/* What the launch's operands have no room for. */
static uint64_t distances(const gpci_launch *l) {
    return l->stride;
}

static uint64_t changed_flag(const gpci_launch *l) {
    return l->window;
}

static void relax_edge(gpci_walk *w, const gpci_launch *l, const uint64_t *edges, const uint64_t *own,
                       uint64_t *changed) {
    uint64_t words[GPCI_SYNTHETIC_LANES], to[GPCI_SYNTHETIC_LANES], shorter = 0;
    for (unsigned lane = 0; lane < w->lanes; lane++) {
        words[lane] = edges[lane] * GPCI_ELEMENT;
        to[lane] = random_below(l, 1, edges[lane], l->n) * GPCI_ELEMENT;
        uint64_t chance = random_below(l, 2, edges[lane] + l->repeats * l->n * l->columns, 100);
        shorter |= (uint64_t)(chance < l->rows) << lane;
    }
    gpci_access_at(w, l->operand[DESTINATIONS].base, words);
    if (l->operand[WEIGHTS].base)
        gpci_access_at(w, l->operand[WEIGHTS].base, words);
    gpci_access_at(w, distances(l), own);
    gpci_access_at(w, distances(l), to);
    shorter &= w->mask;
    if (gpci_if(w, shorter))
        gpci_access_at(w, distances(l), to);
    gpci_end_if(w);
    *changed |= shorter;
}

static void walk_relax(gpci_walk *w, const gpci_launch *l) {
    uint64_t node[GPCI_SYNTHETIC_LANES], words[GPCI_SYNTHETIC_LANES], edges[GPCI_SYNTHETIC_LANES];
    uint64_t ends[GPCI_SYNTHETIC_LANES], thread = w->x * GPCI_THREADS + w->first, has_edges = 0, changed = 0;
    if (!gpci_guard(w, gpci_below(w, thread, l->n)))
        return;
    for (unsigned lane = 0; lane < w->lanes; lane++) {
        uint64_t drawn = random_below(l, 3, thread + lane + l->repeats * l->n, l->n);
        node[lane] = l->steps ? drawn : thread + lane < l->n ? thread + lane : 0;
        words[lane] = node[lane] * GPCI_ELEMENT;
        edges[lane] = first_edge(l, node[lane]);
        ends[lane] = first_edge(l, node[lane] + 1);
        has_edges |= (uint64_t)(edges[lane] < ends[lane]) << lane;
    }
    if (l->steps)
        gpci_access(w, l->steps + thread * GPCI_ELEMENT, GPCI_ELEMENT);
    gpci_access_at(w, l->operand[DEGREES].base, words);
    if (!gpci_guard(w, has_edges))
        return;
    gpci_access_at(w, l->operand[FIRSTS].base, words);
    uint64_t again;
    do {
        relax_edge(w, l, edges, words, &changed);
        again = 0;
        for (uint64_t left = w->mask; left; left &= left - 1) {
            unsigned lane = gpci_lowest(left);
            again |= (uint64_t)(++edges[lane] < ends[lane]) << lane;
        }
    } while (gpci_loop(w, again));
    w->mask = w->all;
    if (!gpci_guard(w, changed))
        return;
    gpci_access(w, changed_flag(l), 0);
    gpci_finish(w);
}

/* `weights`: of the edges; `worklist`: whether the nodes come from one. */
static gpc_status plan_graph(gpci_problem *p, gpci_launch l, bool weights, bool worklist, uint64_t seed) {
    l.warp = walk_relax;
    l.columns = (uint64_t)p->values[0];
    l.rows = (uint64_t)p->values[1];
    l.seed = gpci_mix(seed);
    l.n = p->size / GPCI_ELEMENT / l.columns;
    if (!l.n)
        return gpci_problem_fail(p, "%llu bytes are less than a node's %llu edges", (unsigned long long)p->size,
                                 (unsigned long long)l.columns);
    l.grid[0] = gpci_ceiling(l.n, GPCI_THREADS);
    l.block[0] = GPCI_THREADS;
    l.operand[DEGREES].base = gpci_problem_array(p, l.n * GPCI_ELEMENT);
    l.operand[FIRSTS].base = gpci_problem_array(p, l.n * GPCI_ELEMENT);
    l.operand[DESTINATIONS].base = gpci_problem_array(p, l.n * l.columns * GPCI_ELEMENT);
    if (weights)
        l.operand[WEIGHTS].base = gpci_problem_array(p, l.n * l.columns * GPCI_ELEMENT);
    l.stride = gpci_problem_array(p, l.n * GPCI_ELEMENT);
    l.window = gpci_problem_array(p, 1);
    if (worklist)
        l.steps = gpci_problem_array(p, l.n * GPCI_ELEMENT);
    gpc_status status = GPC_OK;
    for (l.repeats = 0; status == GPC_OK && l.repeats < (uint64_t)p->values[2]; l.repeats++)
        status = gpci_problem_launch(p, &l);
    return status;
}

static gpc_status plan_sssp(gpci_problem *p) {
    bool worklist = p->values[3] != 0;
    gpci_launch l = {.name = worklist ? "_Z10drelax_wlcPj5GraphPj" : "_Z6drelaxPj5GraphPb",
                     .code = worklist ? worklist_code : relax_code};
    return plan_graph(p, l, true, worklist, (uint64_t)p->values[4]);
}

static gpc_status plan_bfs(gpci_problem *p) {
    gpci_launch l = {.name = "_Z6drelaxPj5GraphPb", .code = level_code};
    return plan_graph(p, l, false, false, (uint64_t)p->values[3]);
}

static const gpc_parameter sssp_parameters[] = {
    {"degree", 8, 1, 1024, true, "edges of a node, on average"},
    {"relaxed", 25, 0, 100, true, "of 100 edges, how many make a path shorter"},
    {"rounds", 1, 1, GPCI_SYNTHETIC_LAUNCHES, true, "launches"},
    {"worklist", 0, 0, 1, true, "1: nodes in random order, from a list; 0: all nodes in order"},
    {"seed", 1, 0, 1e15, true, "of the graph"},
};

const gpci_synthetic gpci_synthetic_sssp = {
    .name = "sssp",
    .summary = "shortest paths: each thread relaxes the edges of a node of a random graph; SIZE of the edges' "
               "destinations (degree=8, relaxed=25, rounds=1, worklist=0, seed=1)",
    .least = GPCI_ELEMENT,
    .parameters = sssp_parameters,
    .parameter_count = 5,
    .plan = plan_sssp,
};

static const gpc_parameter bfs_parameters[] = {
    {"degree", 8, 1, 1024, true, "edges of a node, on average"},
    {"relaxed", 25, 0, 100, true, "of 100 edges, how many lead to a node of a higher level"},
    {"rounds", 1, 1, GPCI_SYNTHETIC_LAUNCHES, true, "launches"},
    {"seed", 1, 0, 1e15, true, "of the graph"},
};

const gpci_synthetic gpci_synthetic_bfs = {
    .name = "bfs",
    .summary = "levels of nodes, each thread's along the edges of one; SIZE of the edges' destinations (degree=8, "
               "relaxed=25, rounds=1, seed=1)",
    .least = GPCI_ELEMENT,
    .parameters = bfs_parameters,
    .parameter_count = 4,
    .plan = plan_bfs,
};
