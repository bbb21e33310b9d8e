/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic.h"

/*
 * Breadth-first search and shortest paths from node 0, by LonestarGPU 2.0 (github.com/tgrogers/gpgpu-sim_simulations,
 * commit 33f65354, benchmarks/src/cuda/lonestargpu-2.0): drelax of apps/bfs/bfs_ls.h and apps/sssp/sssp_ls.h, the
 * default variants, with the graph of include/graph.h. A launch of drelax relaxes all edges of all nodes. Launches end
 * behind a launch without a shorter path. Kernel initialize, a store for each node, is left out.
 *
 * A block has as many threads as the device tells (include/kernelconfig.h, maxThreadsDim): 512 in GPGPU-Sim 3.2.1, with
 * 1,024 / 512 nodes for each thread (MAXBLOCKSIZE of include/common.h). There is a thread for each node all the same:
 * the second half of the blocks has no nodes.
 *
 * For each node: the number of its edges (noutgoing). For each edge: getDestination loads noutgoing, srcsrc, psrc, and
 * the edge's end; getWeight, of sssp only, loads the first three again, and the weight; then the distances of both ends
 * are loaded. nvcc 13 keeps these loads, because each check of an index may call printf, and an atomic may change any
 * array. If the path is shorter, an atomic minimum stores the distance. A thread with such an edge sets a flag, once
 * for each node. Edges are counted from 1.
 *
 * The distances are those of a search in which a launch's threads run one after another. On a GPU threads run at the
 * same time: a search then has more launches, and a node more atomics.
 *
 * Graphs (rmat=0): each node has `degree` edges to random nodes, as r4-2e20.gr with a million nodes and 4 edges each.
 * Graphs (rmat=1): R-MAT with probabilities .45, .15, .15, .25, GTgraph's defaults, as rmat20.gr with a million nodes
 * and 8 edges on average. Assumed: nodes are not permuted, so that node 0, where the search begins, has most edges; and
 * weights are 1 to 100.
 */

#define RELAX_THREADS 512u
#define NODES_OF_THREAD 2u
#define FAR 1000000000u /* distance of a node without a path */
#define HEAVIEST 100u   /* weight */

/*
 * R0 node, R1 last node, R2 number of nodes and bases of arrays, R4 number of edges, R6 edge of the node, R13 the
 * edge's end, R15 changed.
 */
#define FIND_EDGE                                                                                     \
    "R8 LDG.E R3; P1 ISETP.LE.U32.AND R8 R6; @P1 BRA fault; R9 LDG.E R5; P1 ISETP.GE.U32.AND R9 R2; " \
    "@P1 BRA fault; R10 LEA R9 R2; R11 LDG.E R10; R11 IADD3 R11 R6; P1 ISETP.EQ.AND R11;"             \
    "P2 ISETP.GE.U32.AND R11 R2; P1 PLOP3 P1 P2; @P1 BRA fault; R12 LEA R11 R2;"
#define RELAX(weight)                                                                                        \
    "R0 S2R; R2 S2R; R0 IMAD R2 R0; R1 IADD3 R0; R0 IMAD.SHL R0; R1 IMAD.SHL R1; R2 MOV;"                    \
    "node: R15 MOV; P0 ISETP.GE.U32.AND R0 R2; @P0 BRA next; R3 LEA R0 R2; R4 LDG.E R3; P0 ISETP.EQ.AND R4;" \
    "@P0 BRA next; R5 LEA R0 R2; R7 LEA R0 R2; R6 MOV;"                                                      \
    "edge: " FIND_EDGE "R13 LDG.E R12; P1 ISETP.GE.U32.AND R13 R2; @P1 BRA fault;" weight                    \
    "R16 IADD3 R16 R14; R10 LEA R13 R2; R11 LDG.E R10; P1 ISETP.GE.U32.AND R16 R11; @P1 BRA farther;"        \
    "R12 ATOMG.E.MIN.STRONG.GPU R10 R16; P2 ISETP.GT.U32.AND R12 R16; R15 SEL R15 P2;"                       \
    "farther: R6 IADD3 R6; P0 ISETP.LT.U32.AND R6 R4; @P0 BRA edge;"                                         \
    "next: P0 ISETP.EQ.AND R15; @P0 BRA same; R8 MOV; STG.E.U8 R8 R15;"                                      \
    "same: R0 IADD3 R0; P0 ISETP.LT.U32.AND R0 R1; @P0 BRA node; fault: EXIT"

static const char bfs_code[] = RELAX("R14 MOV; R16 LDG.E R7;");
static const char sssp_code[] = RELAX(FIND_EDGE "R14 LDG.E R12; P1 ISETP.GE.U32.AND R14; @P1 BRA fault; R16 LDG.E R7;");

/* A graph with its search, and the addresses of the arrays. */
typedef struct relax_search {
    uint64_t nodes, edges;
    bool rmat, weighted;
    uint64_t degree, seed;
    uint32_t *from;    /* index in `to` of each node's first edge; and the number of edges behind the last node */
    uint32_t *to;      /* node at the end of each edge */
    uint32_t *length;  /* distance of each node */
    uint64_t *shorter; /* a bit for each edge, launch by launch: a shorter path */
    uint64_t ends, weights, firsts, degrees, sources, distances, changed;
} relax_search;

static uint64_t random_below(const relax_search *s, uint64_t salt, uint64_t index, uint64_t bound) {
    return (gpci_mix(s->seed + index * 16 + salt) >> 32) * bound >> 32;
}

/* Draw an edge: the node at the edge's start, and `to`. A draw of R-MAT chooses a bit of both nodes. */
static uint64_t draw_edge(const relax_search *s, uint64_t edge, uint64_t *to) {
    enum { DRAWS = 4, BITS = 64 / DRAWS };
    if (!s->rmat) {
        *to = random_below(s, 0, edge, s->nodes);
        return edge / s->degree;
    }
    uint64_t start = 0, end = 0, random = 0;
    unsigned left = 0;
    for (uint64_t bit = 1, salt = 1; bit < s->nodes; bit *= 2, random >>= BITS, left--) {
        if (!left) {
            random = gpci_mix(s->seed + edge * 16 + salt++);
            left = DRAWS;
        }
        const uint64_t percent = (random & 0xffff) * 100 >> BITS;
        start |= percent >= 60 ? bit : 0;
        end |= (percent >= 45 && percent < 60) || percent >= 75 ? bit : 0;
    }
    *to = end;
    return start;
}

static uint32_t weight_of(const relax_search *s, uint64_t edge) {
    return s->weighted ? (uint32_t)(1 + random_below(s, 15, edge, HEAVIEST)) : 1;
}

/*
 * Without `to`, count each node's edges: those of node i in `from[i + 2]`. With `to`, add each edge of node i at
 * `to[from[i + 1]]`, and advance `from[i + 1]` up to the end of node i's edges.
 */
static void place_edges(relax_search *s, uint32_t *to) {
    for (uint64_t edge = 0; edge < s->edges; edge++) {
        uint64_t end;
        const uint64_t start = draw_edge(s, edge, &end);
        if (to)
            to[s->from[start + 1]++] = (uint32_t)end;
        else
            s->from[start + 2]++;
    }
}

/* Search of a launch: relax all edges, node after node. `launch`: the launch's place in `shorter`; or none. */
static bool relax_all(relax_search *s, uint64_t launch, bool kept) {
    bool changed = false;
    for (uint64_t node = 0; node < s->nodes; node++)
        for (uint64_t edge = s->from[node]; edge < s->from[node + 1]; edge++) {
            const uint32_t path = s->length[node] + weight_of(s, edge), to = s->to[edge];
            if (path >= s->length[to])
                continue;
            const uint64_t bit = launch * s->edges + edge;
            if (kept)
                s->shorter[bit / 64] |= UINT64_C(1) << bit % 64;
            s->length[to] = path;
            changed = true;
        }
    return changed;
}

static bool is_shorter(const relax_search *s, uint64_t launch, uint64_t edge) {
    const uint64_t bit = launch * s->edges + edge;
    return s->shorter[bit / 64] >> bit % 64 & 1;
}

/* Make the graph, with room for the paths of `launches` launches. NULL: out of memory, with an error. */
static relax_search *make_search(gpci_problem *problem, const relax_search *wanted, uint64_t launches) {
    const uint64_t bits = gpci_ceiling(wanted->edges * launches, 64);
    const uint64_t words = 2 * wanted->nodes + 2 + wanted->edges;
    relax_search *s = gpci_problem_data(problem, sizeof *s + bits * sizeof(uint64_t) + words * sizeof(uint32_t));
    if (!s)
        return NULL;
    *s = *wanted;
    s->shorter = (uint64_t *)(s + 1);
    s->from = (uint32_t *)(s->shorter + bits);
    s->length = s->from + s->nodes + 2;
    s->to = s->length + s->nodes;
    place_edges(s, NULL);
    for (uint64_t node = 0; node < s->nodes; node++) {
        s->from[node + 2] += s->from[node + 1];
        s->length[node] = node ? FAR : 0;
    }
    place_edges(s, s->to);
    return s;
}

/* Allocate the arrays in the program's order. */
static void place_arrays(gpci_problem *problem, relax_search *s) {
    const uint64_t edges = (s->edges + 1) * GPCI_ELEMENT, nodes = s->nodes * GPCI_ELEMENT;
    s->ends = gpci_problem_array(problem, edges);
    s->weights = gpci_problem_array(problem, edges);
    s->firsts = gpci_problem_array(problem, nodes + GPCI_ELEMENT);
    s->degrees = gpci_problem_array(problem, nodes);
    gpci_problem_array(problem, nodes); /* nincoming, not used */
    s->sources = gpci_problem_array(problem, nodes);
    s->distances = gpci_problem_array(problem, nodes);
    s->changed = gpci_problem_array(problem, 1);
}

/* A warp's nodes: lane 0's node, and each lane's next edge and last edge. */
typedef struct warp_nodes {
    uint64_t first;
    uint64_t edges[GPCI_SYNTHETIC_LANES], ends[GPCI_SYNTHETIC_LANES];
} warp_nodes;

static void load_nodes(gpci_walk *walk, uint64_t array, const warp_nodes *nodes) {
    gpci_access(walk, array + nodes->first * GPCI_ELEMENT, NODES_OF_THREAD * GPCI_ELEMENT);
}

/* Load an edge's number from `array` as getDestination or getWeight. No check of an index fails. */
static void load_edges(gpci_walk *walk, const relax_search *s, const warp_nodes *nodes, uint64_t array) {
    uint64_t words[GPCI_SYNTHETIC_LANES];
    for (unsigned lane = 0; lane < walk->lanes; lane++)
        words[lane] = (1 + nodes->edges[lane]) * GPCI_ELEMENT;
    load_nodes(walk, s->degrees, nodes);
    gpci_branch(walk, false);
    load_nodes(walk, s->sources, nodes);
    gpci_branch(walk, false);
    load_nodes(walk, s->firsts, nodes);
    gpci_branch(walk, false);
    gpci_access_at(walk, array, words);
    gpci_branch(walk, false);
}

/* Relax an edge of each lane. Returns the lanes with a shorter path. */
static uint64_t relax_edge(gpci_walk *walk, const gpci_launch *launch, const warp_nodes *nodes) {
    const relax_search *s = launch->data;
    uint64_t to[GPCI_SYNTHETIC_LANES] = {0}, shorter = 0;
    for (uint64_t left = walk->mask; left; left &= left - 1) {
        const unsigned lane = gpci_lowest(left);
        to[lane] = s->to[nodes->edges[lane]] * GPCI_ELEMENT;
        shorter |= (uint64_t)is_shorter(s, launch->steps, nodes->edges[lane]) << lane;
    }
    load_edges(walk, s, nodes, s->ends);
    if (s->weighted)
        load_edges(walk, s, nodes, s->weights);
    load_nodes(walk, s->distances, nodes);
    gpci_access_at(walk, s->distances, to);
    if (gpci_if(walk, shorter))
        gpci_access_at(walk, s->distances, to);
    gpci_end_if(walk);
    return shorter;
}

/* Go to the next edge of each lane's node. Returns the lanes with an edge. */
static uint64_t next_edges(const gpci_walk *walk, warp_nodes *nodes) {
    uint64_t again = 0;
    for (uint64_t left = walk->mask; left; left &= left - 1) {
        const unsigned lane = gpci_lowest(left);
        again |= (uint64_t)(++nodes->edges[lane] < nodes->ends[lane]) << lane;
    }
    return again;
}

/* Relax the edges of a node of each lane. */
static void relax_node(gpci_walk *walk, const gpci_launch *launch, uint64_t first) {
    const relax_search *s = launch->data;
    const uint64_t all = walk->mask;
    warp_nodes nodes = {.first = first};
    uint64_t exists = 0, has_edges = 0, changed = 0;
    for (unsigned lane = 0; lane < walk->lanes && first + lane * NODES_OF_THREAD < s->nodes; lane++) {
        const uint64_t node = first + lane * NODES_OF_THREAD;
        nodes.edges[lane] = s->from[node];
        nodes.ends[lane] = s->from[node + 1];
        exists |= UINT64_C(1) << lane;
        has_edges |= (uint64_t)(nodes.edges[lane] < nodes.ends[lane]) << lane;
    }
    if (gpci_if(walk, exists)) {
        load_nodes(walk, s->degrees, &nodes);
        if (gpci_if(walk, has_edges))
            do
                changed |= relax_edge(walk, launch, &nodes);
            while (gpci_loop(walk, next_edges(walk, &nodes)));
    }
    walk->mask = all;
    if (gpci_if(walk, changed))
        gpci_access(walk, s->changed, 0);
    gpci_end_if(walk);
}

static void walk_relax(gpci_walk *walk, const gpci_launch *launch) {
    const uint64_t first = (walk->x * RELAX_THREADS + walk->first) * NODES_OF_THREAD;
    uint64_t step = 0;
    do
        relax_node(walk, launch, first + step++);
    while (gpci_branch(walk, step < NODES_OF_THREAD));
    gpci_finish(walk);
}

enum { DEGREE, RMAT, FIRST, LAUNCHES, BLOCKS, SEED };

/* Nodes of the graph: for R-MAT a power of two. 0: SIZE is too small. */
static uint64_t count_nodes(const gpci_problem *problem) {
    const uint64_t nodes = problem->size / GPCI_ELEMENT / (uint64_t)problem->values[DEGREE];
    uint64_t power = nodes > 0;
    while (2 * power <= nodes && power)
        power *= 2;
    return problem->values[RMAT] != 0 ? power : nodes;
}

static gpc_status plan_search(gpci_problem *problem, const char *code, bool weighted) {
    const double *values = problem->values;
    const uint64_t first = (uint64_t)values[FIRST], count = (uint64_t)values[LAUNCHES],
                   blocks = (uint64_t)values[BLOCKS];
    relax_search wanted = {.nodes = count_nodes(problem), .rmat = values[RMAT] != 0, .weighted = weighted};
    wanted.degree = (uint64_t)values[DEGREE];
    wanted.edges = wanted.nodes * wanted.degree;
    wanted.seed = gpci_mix((uint64_t)values[SEED]);
    if (!wanted.nodes)
        return gpci_problem_fail(problem, "%llu bytes are less than a node's %llu edges",
                                 (unsigned long long)problem->size, (unsigned long long)wanted.degree);
    place_arrays(problem, &wanted);
    relax_search *s = make_search(problem, &wanted, count);
    if (!s)
        return GPC_ERROR_MEMORY;
    gpci_launch launch = {.name = "_Z6drelaxPj5GraphPb", .code = code, .warp = walk_relax, .data = s};
    launch.block[0] = RELAX_THREADS;
    launch.grid[0] = gpci_ceiling(s->nodes, RELAX_THREADS);
    if (blocks && blocks < launch.grid[0])
        launch.grid[0] = blocks;
    gpc_status status = GPC_OK;
    bool changed = true;
    uint64_t done = 0;
    for (; changed && done < first + count && status == GPC_OK; done++) {
        launch.steps = done - first;
        changed = relax_all(s, launch.steps, done >= first);
        if (done >= first)
            status = gpci_problem_launch(problem, &launch);
    }
    if (done <= first)
        return gpci_problem_fail(problem, "parameter 'first': the search has %llu launches", (unsigned long long)done);
    return status;
}

static gpc_status plan_bfs(gpci_problem *problem) {
    return plan_search(problem, bfs_code, false);
}

static gpc_status plan_sssp(gpci_problem *problem) {
    return plan_search(problem, sssp_code, true);
}

static const gpc_parameter search_parameters[] = {
    {"degree", 4, 1, 1024, true, "edges of a node, on average"},
    {"rmat", 0, 0, 1, true, "1: an R-MAT graph; 0: all nodes have equally many edges, to random nodes"},
    {"first", 0, 0, 1 << 20, true, "launch of the search to begin with"},
    {"launches", GPCI_SYNTHETIC_LAUNCHES, 1, GPCI_SYNTHETIC_LAUNCHES, true, "as far as there are"},
    {"blocks", 0, 0, INT32_MAX, true, "of each launch, at most; 0: all"},
    {"seed", 1, 0, 1e15, true, "of the graph"},
};

const gpci_synthetic gpci_synthetic_sssp = {
    .name = "sssp",
    .summary = "shortest paths of LonestarGPU 2.0: each launch relaxes all edges of a graph with weights; SIZE of the "
               "edges' ends (degree=4, rmat=0, first=0, launches=48, blocks=0, seed=1)",
    .least = GPCI_ELEMENT,
    .parameters = search_parameters,
    .parameter_count = 6,
    .plan = plan_sssp,
};

const gpci_synthetic gpci_synthetic_bfs = {
    .name = "bfs",
    .summary = "breadth-first search of LonestarGPU 2.0: each launch relaxes all edges of a graph; SIZE of the edges' "
               "ends (degree=4, rmat=0, first=0, launches=48, blocks=0, seed=1)",
    .least = GPCI_ELEMENT,
    .parameters = search_parameters,
    .parameter_count = 6,
    .plan = plan_bfs,
};
