/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic.h"

/*
 * Shortest paths from one node, by LonestarGPU's sssp (Burtscher et al., IISWC 2012; `drelax`). A thread has a node and
 * walks over its outgoing edges in CSR, one after another. For each edge the thread loads destination, weight, the
 * node's own distance (perhaps changed by an atomic), and the destination's distance. If the path through this node is
 * shorter, an atomic minimum updates the destination. Lanes walk over separate edges: a warp accesses a line of
 * edges again and again, for each edge of a node in the line. Destinations are spread over the whole array of
 * distances.
 *
 * The graph is uniformly random, like LonestarGPU's r4-2e20 and random graphs. Node i's edges begin at i times the mean
 * degree plus a random number up to the mean: degrees are from 0 to twice the mean (mean of the published graphs: 4; of
 * rmat20: 8). Edges that shorten a path are also random, with the share `relaxed`. With worklist=1 the nodes come in
 * random order from a list, as in sssp-wlc.
 */

/*
 * bfs, LonestarGPU's levels of nodes: sssp with all weights 1, and without an array of weights. A plain store, not an
 * atomic, writes a lower level: all threads that store write the same value.
 */

/* R0 node, R6 edges left, R7 edge, R15 changed flag. */
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

/* Operands: the arrays of the graph. Launch fields: `steps` worklist, `stride` distances, `window` changed flag. */
enum { DEGREES, FIRSTS, DESTINATIONS, WEIGHTS };

static uint64_t random_below(const gpci_launch *launch, uint64_t salt, uint64_t index, uint64_t bound) {
    return (gpci_mix(launch->seed + index * 4 + salt) >> 32) * bound >> 32;
}

/* First edge of a node. For node `n`, the end of the last node's edges. `columns` is the mean degree. */
static uint64_t first_edge(const gpci_launch *launch, uint64_t node) {
    return node * launch->columns + (node && node < launch->n ? random_below(launch, 0, node, launch->columns + 1) : 0);
}

/* Address of the distances. */
static uint64_t distances(const gpci_launch *launch) {
    return launch->stride;
}

static uint64_t changed_flag(const gpci_launch *launch) {
    return launch->window;
}

static void relax_edge(gpci_walk *walk, const gpci_launch *launch, const uint64_t *edges, const uint64_t *own,
                       uint64_t *changed) {
    uint64_t words[GPCI_SYNTHETIC_LANES], to[GPCI_SYNTHETIC_LANES], shorter = 0;
    for (unsigned lane = 0; lane < walk->lanes; lane++) {
        words[lane] = edges[lane] * GPCI_ELEMENT;
        to[lane] = random_below(launch, 1, edges[lane], launch->n) * GPCI_ELEMENT;
        uint64_t chance = random_below(launch, 2, edges[lane] + launch->repeats * launch->n * launch->columns, 100);
        shorter |= (uint64_t)(chance < launch->rows) << lane;
    }
    gpci_access_at(walk, launch->operand[DESTINATIONS].base, words);
    if (launch->operand[WEIGHTS].base)
        gpci_access_at(walk, launch->operand[WEIGHTS].base, words);
    gpci_access_at(walk, distances(launch), own);
    gpci_access_at(walk, distances(launch), to);
    shorter &= walk->mask;
    if (gpci_if(walk, shorter))
        gpci_access_at(walk, distances(launch), to);
    gpci_end_if(walk);
    *changed |= shorter;
}

static void walk_relax(gpci_walk *walk, const gpci_launch *launch) {
    uint64_t node[GPCI_SYNTHETIC_LANES], words[GPCI_SYNTHETIC_LANES], edges[GPCI_SYNTHETIC_LANES];
    uint64_t ends[GPCI_SYNTHETIC_LANES], thread = walk->x * GPCI_THREADS + walk->first, has_edges = 0, changed = 0;
    if (!gpci_guard(walk, gpci_below(walk, thread, launch->n)))
        return;
    for (unsigned lane = 0; lane < walk->lanes; lane++) {
        uint64_t drawn = random_below(launch, 3, thread + lane + launch->repeats * launch->n, launch->n);
        node[lane] = launch->steps ? drawn : thread + lane < launch->n ? thread + lane : 0;
        words[lane] = node[lane] * GPCI_ELEMENT;
        edges[lane] = first_edge(launch, node[lane]);
        ends[lane] = first_edge(launch, node[lane] + 1);
        has_edges |= (uint64_t)(edges[lane] < ends[lane]) << lane;
    }
    if (launch->steps)
        gpci_access(walk, launch->steps + thread * GPCI_ELEMENT, GPCI_ELEMENT);
    gpci_access_at(walk, launch->operand[DEGREES].base, words);
    if (!gpci_guard(walk, has_edges))
        return;
    gpci_access_at(walk, launch->operand[FIRSTS].base, words);
    uint64_t again;
    do {
        relax_edge(walk, launch, edges, words, &changed);
        again = 0;
        for (uint64_t left = walk->mask; left; left &= left - 1) {
            unsigned lane = gpci_lowest(left);
            again |= (uint64_t)(++edges[lane] < ends[lane]) << lane;
        }
    } while (gpci_loop(walk, again));
    walk->mask = walk->all;
    if (!gpci_guard(walk, changed))
        return;
    gpci_access(walk, changed_flag(launch), 0);
    gpci_finish(walk);
}

/* `weights`: edges have weights. `worklist`: nodes come from a worklist. */
static gpc_status plan_graph(gpci_problem *problem, gpci_launch launch, bool weights, bool worklist, uint64_t seed) {
    launch.warp = walk_relax;
    launch.columns = (uint64_t)problem->values[0];
    launch.rows = (uint64_t)problem->values[1];
    launch.seed = gpci_mix(seed);
    launch.n = problem->size / GPCI_ELEMENT / launch.columns;
    if (!launch.n)
        return gpci_problem_fail(problem, "%llu bytes are less than a node's %llu edges",
                                 (unsigned long long)problem->size, (unsigned long long)launch.columns);
    launch.grid[0] = gpci_ceiling(launch.n, GPCI_THREADS);
    launch.block[0] = GPCI_THREADS;
    launch.operand[DEGREES].base = gpci_problem_array(problem, launch.n * GPCI_ELEMENT);
    launch.operand[FIRSTS].base = gpci_problem_array(problem, launch.n * GPCI_ELEMENT);
    launch.operand[DESTINATIONS].base = gpci_problem_array(problem, launch.n * launch.columns * GPCI_ELEMENT);
    if (weights)
        launch.operand[WEIGHTS].base = gpci_problem_array(problem, launch.n * launch.columns * GPCI_ELEMENT);
    launch.stride = gpci_problem_array(problem, launch.n * GPCI_ELEMENT);
    launch.window = gpci_problem_array(problem, 1);
    if (worklist)
        launch.steps = gpci_problem_array(problem, launch.n * GPCI_ELEMENT);
    gpc_status status = GPC_OK;
    for (launch.repeats = 0; status == GPC_OK && launch.repeats < (uint64_t)problem->values[2]; launch.repeats++)
        status = gpci_problem_launch(problem, &launch);
    return status;
}

static gpc_status plan_sssp(gpci_problem *problem) {
    bool worklist = problem->values[3] != 0;
    gpci_launch launch = {.name = worklist ? "_Z10drelax_wlcPj5GraphPj" : "_Z6drelaxPj5GraphPb",
                          .code = worklist ? worklist_code : relax_code};
    return plan_graph(problem, launch, true, worklist, (uint64_t)problem->values[4]);
}

static gpc_status plan_bfs(gpci_problem *problem) {
    gpci_launch launch = {.name = "_Z6drelaxPj5GraphPb", .code = level_code};
    return plan_graph(problem, launch, false, false, (uint64_t)problem->values[3]);
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

/*
 * Breadth-first search by Rodinia 3.1's bfs (cuda/bfs: kernel.cu, kernel2.cu). For each level, Kernel has a thread for
 * each node, which walks over the edges of nodes marked by the level before. Kernel2 converts the new marks to the
 * marks of the next level. The search ends behind the first level without a new mark. A mark is a byte; a node is a
 * pair of numbers.
 *
 * The graph is a graph of Rodinia's generator (data/bfs/inputGen/graphgen.cpp). rand() draws 2 to 4 edges for each node
 * and a weight for each edge, and minstd_rand of C++ draws each edge's other end, which has a copy of the edge. The
 * published graphs have 4,096, 65,536 and a million nodes, also with six edges on average: 98304, 1572864 and 24000000
 * bytes. The published graph of 4,096 nodes has nodes with one edge, unlike this generator's.
 *
 * A compiler must assume that a store of Kernel changes any array. Code for Fermi loads a node's first edge and number
 * of edges again for each edge; nvcc 13 does so behind each store (for sm_75, and for sm_90 in shared/traces/h100).
 *
 * Kernel has 8 loads, and Kernel2 has 1 load. Table 3 of seeds/001 counts runs of a search for the loads that should
 * bypass L1: one run without bypassing, and for each kernel a run for each load and for each pair of loads: 1 + 36 + 1
 * runs.
 */

#define LEVEL_THREADS 512u
#define LEVELS_AT_ONCE 24u
#define NODE_BYTES 8u /* first edge, and number of edges */
#define LEAST_DRAWN 2u
#define ALIGNED 512u /* bytes, to which cudaMalloc aligns each array of marks */

/* R4 marks of the node, R5 node, R7 edge, R8 last edge, R9 destination. */
#define SEARCH(behind_store, for_each)                                                                        \
    "R1 MOV; R0 S2R; R2 S2R; R0 IMAD R2 R0; P0 ISETP.GE.AND R0 R1; @P0 EXIT; R4 IADD3 R0 R1; R3 LDG.E.U8 R4;" \
    "P0 ISETP.EQ.AND R3; @P0 EXIT; STG.E.U8 R4 R255; R5 LEA R0 R1; R7 LDG.E R5; R8 LDG.E R5; R8 IADD3 R7 R8;" \
    "P1 ISETP.GE.AND R7 R8; @P1 EXIT; R6 LEA R0 R1;"                                                          \
    "edge: R10 LEA R7 R1; R9 LDG.E R10; R11 IADD3 R9 R1; R12 LDG.E.U8 R11; P1 ISETP.NE.AND R12; @P1 BRA met;" \
    "R13 LDG.E R6; R13 IADD3 R13; R14 LEA R9 R1; STG.E R14 R13; R15 IADD3 R9 R1; R16 MOV; STG.E.U8 R15 "      \
    "R16;" behind_store "met: " for_each "R7 IADD3 R7; P2 ISETP.LT.AND R7 R8; @P2 BRA edge; EXIT"

#define RELOADS "R12 LDG.E R5; R8 LDG.E R5; R8 IADD3 R12 R8;"

/* Values of parameter `reloads`, and the code of each value. */
enum { NO_RELOADS, BEHIND_STORES, FOR_EACH };
static const char *const search_codes[] = {SEARCH("", ""), SEARCH(RELOADS, ""), SEARCH("", RELOADS)};

static const char mark_code[] =
    "R1 MOV; R0 S2R; R2 S2R; R0 IMAD R2 R0; P0 ISETP.GE.AND R0 R1; @P0 EXIT; R4 IADD3 R0 R1; R3 LDG.E.U8 R4;"
    "P0 ISETP.EQ.AND R3; @P0 EXIT; R5 IADD3 R0 R1; R6 MOV; STG.E.U8 R5 R6; R5 IADD3 R0 R1; STG.E.U8 R5 R6; R5 MOV;"
    "STG.E.U8 R5 R6; STG.E.U8 R4 R255; EXIT";

/* Operands: nodes, edges, levels, marks. Marks: this level's nodes, the next level's, all visited; `step` apart. */
enum { NODES, EDGES, LEVELS, MARKS };
enum { THIS, NEXT, MET, OVER };

/*
 * The searched graph. Launch field `steps` is the number in `met` of the launch's level. Launch field `rows` is the
 * value of parameter `reloads`.
 */
typedef struct levels {
    uint32_t *from; /* index in `to` of each node's first edge; and the number of edges behind the last node */
    uint32_t *to;   /* node at the other end of each edge */
    uint32_t *met;  /* 1 for node 0, 2 for the next level, and so on; 0: the search does not reach the node */
    uint32_t depth; /* the largest number in `met` */
} levels;

/* The generator's two sources of random numbers, and the limits of the draws. */
typedef struct draws {
    gpci_c_random c;
    uint64_t minimal;        /* state of minstd_rand */
    uint64_t nodes;          /* to choose an edge's other end from */
    uint64_t least, choices; /* edges drawn for a node: `least` to `least` + `choices` - 1 */
} draws;

static draws first_draw(uint64_t nodes, uint64_t degree, uint32_t seed) {
    const uint64_t least = degree / 2 < LEAST_DRAWN ? degree / 2 : LEAST_DRAWN, minimal = seed % 0x7fffffffu;
    return (draws){gpci_c_srand(seed), minimal ? minimal : 1, nodes, least, degree - 2 * least + 1};
}

static uint64_t draw_edges(draws *draw) {
    return gpci_c_rand(&draw->c) % draw->choices + draw->least;
}

/* Draw an edge's other end, as uniform_int_distribution of the GNU C++ library, and the weight. */
static uint64_t draw_end(draws *draw) {
    const uint64_t range = 0x7ffffffdu / draw->nodes; /* numbers for a node */
    do
        draw->minimal = draw->minimal * 48271 % 0x7fffffffu;
    while (draw->minimal - 1 >= range * draw->nodes);
    gpci_c_rand(&draw->c);
    return (draw->minimal - 1) / range;
}

/*
 * Without `to`, count each node's edges: those of node i in `from[i + 2]`. With `to`, add each edge of node i at
 * `to[from[i + 1]]`, and advance `from[i + 1]` up to the end of node i's edges.
 */
static void place_edges(draws draw, uint32_t *from, uint32_t *to) {
    for (uint64_t node = 0; node < draw.nodes; node++)
        for (uint64_t left = draw_edges(&draw); left; left--) {
            const uint64_t end = draw_end(&draw);
            if (to) {
                to[from[node + 1]++] = (uint32_t)end;
                to[from[end + 1]++] = (uint32_t)node;
            } else {
                from[node + 2]++;
                from[end + 2]++;
            }
        }
}

/* Search from node 0. `queue` has room for all nodes. */
static void search_all(levels *graph, uint32_t *queue) {
    uint64_t known = 1;
    graph->met[0] = 1;
    queue[0] = 0;
    for (uint64_t at = 0; at < known; at++) {
        const uint32_t node = queue[at];
        graph->depth = graph->met[node];
        for (uint32_t edge = graph->from[node]; edge < graph->from[node + 1]; edge++) {
            const uint32_t to = graph->to[edge];
            if (graph->met[to])
                continue;
            graph->met[to] = graph->depth + 1;
            queue[known++] = to;
        }
    }
}

/* Make and search the graph. NULL: out of memory, with an error. */
static const levels *make_levels(gpci_problem *problem, draws draw) {
    const uint64_t edges = 2 * draw.nodes * (draw.least + draw.choices - 1); /* at most */
    levels *graph = gpci_problem_data(problem, sizeof *graph + (3 * draw.nodes + 2 + edges) * sizeof(uint32_t));
    if (!graph)
        return NULL;
    graph->from = (uint32_t *)(graph + 1);
    graph->to = graph->from + draw.nodes + 2;
    graph->met = graph->to + edges;
    place_edges(draw, graph->from, NULL);
    for (uint64_t node = 0; node < draw.nodes; node++)
        graph->from[node + 2] += graph->from[node + 1];
    place_edges(draw, graph->from, graph->to);
    search_all(graph, graph->met + draw.nodes);
    return graph;
}

static uint64_t marks(const gpci_launch *launch, unsigned which) {
    return launch->operand[MARKS].base + which * launch->operand[MARKS].step;
}

/* Mask of lanes with a thread below the number of nodes and a node of level `met`. */
static uint64_t lanes_of(const gpci_walk *walk, const gpci_launch *launch, uint64_t thread, uint64_t met) {
    const levels *graph = launch->data;
    uint64_t found = 0;
    for (unsigned lane = 0; lane < walk->lanes; lane++)
        found |= (uint64_t)(thread + lane < launch->n && graph->met[thread + lane] == met) << lane;
    return found;
}

/* Load the number of the first edge, and the number of edges, of each lane's node. */
static void load_node(gpci_walk *walk, const gpci_launch *launch, uint64_t thread) {
    const uint64_t node = launch->operand[NODES].base + thread * NODE_BYTES;
    gpci_access(walk, node, NODE_BYTES);
    gpci_access(walk, node + GPCI_ELEMENT, NODE_BYTES);
}

/* Visit an edge of each lane's node: load its destination, and the destination's visited mark. */
static void search_edge(gpci_walk *walk, const gpci_launch *launch, const uint32_t *edges, uint64_t thread) {
    const levels *graph = launch->data;
    uint64_t words[GPCI_SYNTHETIC_LANES] = {0}, to[GPCI_SYNTHETIC_LANES] = {0}, costs[GPCI_SYNTHETIC_LANES] = {0};
    uint64_t unmet = 0;
    for (uint64_t left = walk->mask; left; left &= left - 1) {
        const unsigned lane = gpci_lowest(left);
        words[lane] = edges[lane] * GPCI_ELEMENT;
        to[lane] = graph->to[edges[lane]];
        costs[lane] = to[lane] * GPCI_ELEMENT;
        unmet |= (uint64_t)(graph->met[to[lane]] > launch->steps) << lane;
    }
    gpci_access_at(walk, launch->operand[EDGES].base, words);
    gpci_access_at(walk, marks(launch, MET), to);
    if (gpci_if(walk, unmet)) {
        gpci_access(walk, launch->operand[LEVELS].base + thread * GPCI_ELEMENT, GPCI_ELEMENT);
        gpci_access_at(walk, launch->operand[LEVELS].base, costs);
        gpci_access_at(walk, marks(launch, NEXT), to);
        if (launch->rows == BEHIND_STORES)
            load_node(walk, launch, thread);
    }
    gpci_end_if(walk);
    if (launch->rows == FOR_EACH)
        load_node(walk, launch, thread);
}

static void walk_search(gpci_walk *walk, const gpci_launch *launch) {
    const levels *graph = launch->data;
    uint32_t edges[GPCI_SYNTHETIC_LANES] = {0}, ends[GPCI_SYNTHETIC_LANES] = {0};
    const uint64_t thread = walk->x * LEVEL_THREADS + walk->first;
    if (!gpci_guard(walk, gpci_below(walk, thread, launch->n)))
        return;
    gpci_access(walk, marks(launch, THIS) + thread, 1);
    if (!gpci_guard(walk, lanes_of(walk, launch, thread, launch->steps)))
        return;
    gpci_access(walk, marks(launch, THIS) + thread, 1);
    load_node(walk, launch, thread);
    uint64_t again = 0;
    for (uint64_t left = walk->mask; left; left &= left - 1) {
        const unsigned lane = gpci_lowest(left);
        edges[lane] = graph->from[thread + lane];
        ends[lane] = graph->from[thread + lane + 1];
        again |= (uint64_t)(edges[lane] < ends[lane]) << lane;
    }
    if (!gpci_guard(walk, again))
        return;
    do {
        search_edge(walk, launch, edges, thread);
        again = 0;
        for (uint64_t left = walk->mask; left; left &= left - 1) {
            const unsigned lane = gpci_lowest(left);
            again |= (uint64_t)(++edges[lane] < ends[lane]) << lane;
        }
    } while (gpci_loop(walk, again));
    walk->mask = walk->all;
    gpci_finish(walk);
}

static void walk_marks(gpci_walk *walk, const gpci_launch *launch) {
    const uint64_t thread = walk->x * LEVEL_THREADS + walk->first;
    if (!gpci_guard(walk, gpci_below(walk, thread, launch->n)))
        return;
    gpci_access(walk, marks(launch, NEXT) + thread, 1);
    if (!gpci_guard(walk, lanes_of(walk, launch, thread, launch->steps + 1)))
        return;
    gpci_access(walk, marks(launch, THIS) + thread, 1);
    gpci_access(walk, marks(launch, MET) + thread, 1);
    gpci_access(walk, marks(launch, OVER), 0);
    gpci_access(walk, marks(launch, NEXT) + thread, 1);
    gpci_finish(walk);
}

static gpc_status add_level(gpci_problem *problem, gpci_launch *launch) {
    launch->name = "_Z6KernelP4NodePiPbS2_S2_S1_i";
    launch->code = search_codes[launch->rows];
    launch->warp = walk_search;
    gpc_status status = gpci_problem_launch(problem, launch);
    launch->name = "_Z7Kernel2PbS_S_S_i";
    launch->code = mark_code;
    launch->warp = walk_marks;
    return status == GPC_OK ? gpci_problem_launch(problem, launch) : status;
}

static gpc_status plan_levels(gpci_problem *problem) {
    const uint64_t degree = (uint64_t)problem->values[0], first = (uint64_t)problem->values[1];
    const uint64_t count = (uint64_t)problem->values[2];
    gpci_launch launch = {.n = problem->size / GPCI_ELEMENT / degree, .rows = (uint64_t)problem->values[4]};
    if (!launch.n)
        return gpci_problem_fail(problem, "%llu bytes are less than a node's %llu edges",
                                 (unsigned long long)problem->size, (unsigned long long)degree);
    const levels *graph = make_levels(problem, first_draw(launch.n, degree, (uint32_t)problem->values[3]));
    if (!graph)
        return GPC_ERROR_MEMORY;
    if (first >= graph->depth)
        return gpci_problem_fail(problem, "parameter 'first': the graph has %u levels", graph->depth);
    launch.data = graph;
    launch.grid[0] = gpci_ceiling(launch.n, LEVEL_THREADS);
    launch.block[0] = launch.n < LEVEL_THREADS ? launch.n : LEVEL_THREADS;
    launch.operand[NODES].base = gpci_problem_array(problem, launch.n * NODE_BYTES);
    launch.operand[EDGES].base = gpci_problem_array(problem, graph->from[launch.n] * GPCI_ELEMENT);
    launch.operand[LEVELS].base = gpci_problem_array(problem, launch.n * GPCI_ELEMENT);
    launch.operand[MARKS] = gpci_problem_arrays(problem, gpci_ceiling(launch.n, ALIGNED) * ALIGNED, OVER + 1);
    gpc_status status = GPC_OK;
    for (launch.steps = first + 1; status == GPC_OK && launch.steps <= graph->depth && launch.steps <= first + count;
         launch.steps++)
        status = add_level(problem, &launch);
    return status;
}

static const gpc_parameter levels_parameters[] = {
    {"degree", 6, 1, 1024, true, "edges of a node, on average"},
    {"first", 0, 0, 1 << 20, true, "level that is searched first"},
    {"levels", LEVELS_AT_ONCE, 1, LEVELS_AT_ONCE, true, "as far as there are, two launches each"},
    {"seed", 1, 0, UINT32_MAX, true, "of the graph: the time at which the generator runs"},
    {"reloads", FOR_EACH, NO_RELOADS, FOR_EACH, true, "of a node: 2: for each edge; 1: behind each store; 0: none"},
};

const gpci_synthetic gpci_synthetic_rodinia_bfs = {
    .name = "rodinia-bfs",
    .summary = "breadth-first search of Rodinia 3.1 on a graph of its generator, level by level, as Fermi ran it; SIZE "
               "of the edges, on average (degree=6, first=0, levels=24, seed=1, reloads=2)",
    .least = GPCI_ELEMENT,
    .parameters = levels_parameters,
    .parameter_count = 5,
    .plan = plan_levels,
};
