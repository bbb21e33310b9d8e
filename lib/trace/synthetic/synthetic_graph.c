/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic.h"

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
