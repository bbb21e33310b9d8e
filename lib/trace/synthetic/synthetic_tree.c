/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic.h"

/*
 * Queries of a B+ tree, as in Rodinia's b+tree (Che et al., IISWC 2009; Fix et al.), compiled for Fermi: a block of 256
 * threads for each query, a thread for each key of a node. From the root down each thread compares its key, and then
 * the next key, with the query's key. The thread with the query's key between both stores the child's place. findK
 * searches one key. findRangeK searches the two ends of a range, side by side, and the number of records between.
 *
 * A node has its number, 257 children, 257 keys and two more words, 2,068 bytes: keys begin anywhere in a line. Nodes
 * are half full, as after inserting keys in order. The published tree has a million records, and gets 10,000
 * queries of one key and 6,000 queries of ranges.
 */

#define NODE_THREADS 256u
#define NODE_CHILDREN 4u /* offset of the children in a node, in bytes */
#define NODE_KEYS (NODE_CHILDREN + (NODE_THREADS + 1) * GPCI_ELEMENT)
#define TREE_NODE_BYTES (NODE_KEYS + (NODE_THREADS + 1) * GPCI_ELEMENT + 8)
#define NODE_FILLED (NODE_THREADS / 2)
#define QUERY_BYTES 8u /* entry of a query: number of its present node, or of its next node */
#define RANGE 100u     /* most records of a range */

/* R0 thread, R4 address of the query, R5 node of the query, R7 key of the query. */
#define COMPARE(next, down)                                                                                   \
    "R5 LDG.E.64 R4; R6 IMAD R5 R1 R0; R8 LDG.E R6; R7 LDG.E R9; P0 ISETP.GT.AND R8 R7; @P0 BRA " next ";"    \
    "R8 LDG.E R6; P1 ISETP.LE.AND R8 R7; @P1 BRA " down "; R10 LDG.E.64 R11; R6 IMAD R10 R1 R0; R8 LDG.E R6;" \
    "STG.E.64 R11 R8; " down ": R12 MOV; " next ": R12 MOV;"

#define DESCEND(label) "P2 ISETP.NE.AND R0; @P2 BRA " label "; R10 LDG.E.64 R11; STG.E.64 R4 R10; " label ": R12 MOV;"

#define TREE_START "R1 MOV; R0 S2R; R2 S2R; R4 LEA R2 R1; R11 LEA R2 R1; R9 LEA R2 R1; R3 MOV;"
#define TREE_AGAIN "R3 IADD3 R3; P3 ISETP.LT.AND R3; @P3 BRA level;"

static const char find_code[] = TREE_START "level: " COMPARE("above", "below") "BAR.SYNC.DEFER_BLOCKING;" DESCEND(
    "first") "BAR.SYNC.DEFER_BLOCKING;" TREE_AGAIN
             "R5 LDG.E.64 R4; R6 IMAD R5 R1 R0; R8 LDG.E R6; R7 LDG.E R9; P0 ISETP.NE.AND R8 R7; @P0 EXIT; R8 LDG.E R6;"
             "R8 LDG.E R8; R6 LEA R2 R1; STG.E R6 R8; EXIT";

/*
 * The thread with the start of the range stores the start. Then the thread with the end stores the number of records.
 */
static const char range_code[] = TREE_START "level: " COMPARE("above", "below") COMPARE(
    "right",
    "left") "BAR.SYNC.DEFER_BLOCKING;"
            "P2 ISETP.NE.AND R0; @P2 BRA first; R10 LDG.E.64 R11; STG.E.64 R4 R10; R10 LDG.E.64 R11; STG.E.64 R4 R10;"
            "first: BAR.SYNC.DEFER_BLOCKING;" TREE_AGAIN "R5 LDG.E.64 R4; R6 IMAD R5 R1 R0; R8 LDG.E R6; R7 LDG.E R9; "
            "P0 ISETP.NE.AND R8 R7; @P0 BRA begun; R8 LDG.E R6;"
            "R6 LEA R2 R1; STG.E R6 R8; begun: BAR.SYNC.DEFER_BLOCKING; R5 LDG.E.64 R4; R6 IMAD R5 R1 R0; R8 LDG.E R6;"
            "R7 LDG.E R9; P0 ISETP.NE.AND R8 R7; @P0 EXIT; R8 LDG.E R6; R13 LDG.E R6; R8 IADD3 R8 R13; STG.E R6 R8; "
            "EXIT";

/*
 * Operands: nodes, records, and arrays of the queries, `step` apart. The arrays of the queries come in pairs, for both
 * ends of a range: present nodes, next nodes, keys, results. Launch fields: `n` records, `rows` levels, at least 2.
 */
enum { TREE_NODES, RECORDS, QUERIES };
enum { AT, GOES = 2, KEYS = 4, FOUND = 6, QUERY_ARRAYS = 8 };

static uint64_t query_at(const gpci_walk *walk, const gpci_launch *launch, unsigned array, uint64_t bytes) {
    return launch->operand[QUERIES].base + array * launch->operand[QUERIES].step + walk->x * bytes;
}

/* Record of the query's key; if `end` is 1, of the end of the query's range. */
static uint64_t sought(const gpci_walk *walk, const gpci_launch *launch, unsigned end) {
    const uint64_t first = (gpci_mix(launch->seed + walk->x * 2) >> 32) * launch->n >> 32;
    const uint64_t last = first + (gpci_mix(launch->seed + walk->x * 2 + 1) >> 32) % RANGE;
    return end ? (last < launch->n ? last : launch->n - 1) : first;
}

/* Records below a child of a node of this level; the root's level is 0. */
static uint64_t below_child(const gpci_launch *launch, uint64_t level) {
    uint64_t records = 1;
    for (uint64_t i = level + 1; i < launch->rows; i++)
        records *= NODE_FILLED;
    return records;
}

/* Address of a level's node on the path to a record. A level's nodes are behind the nodes of the level above. */
static uint64_t node_of(const gpci_launch *launch, uint64_t record, uint64_t level) {
    uint64_t before = 0;
    for (uint64_t i = 0; i < level; i++)
        before += gpci_ceiling(launch->n, below_child(launch, i) * NODE_FILLED);
    return launch->operand[TREE_NODES].base +
           (before + record / (below_child(launch, level) * NODE_FILLED)) * TREE_NODE_BYTES;
}

/* Mask of lanes whose key, in the level's node, is not above the record's key. *leads: mask of the child's lane. */
static uint64_t lanes_to(const gpci_walk *walk, const gpci_launch *launch, uint64_t record, uint64_t level,
                         uint64_t *leads) {
    const uint64_t child = record / below_child(launch, level) % NODE_FILLED;
    const uint64_t upto = gpci_below(walk, walk->first, child + 1);
    *leads = upto & ~gpci_below(walk, walk->first, child);
    return upto;
}

/* Load the query's node, the thread's key in the node, and the query's key. */
static void load_keys(gpci_walk *walk, const gpci_launch *launch, uint64_t node, unsigned end) {
    gpci_access(walk, query_at(walk, launch, AT + end, QUERY_BYTES), 0);
    gpci_access(walk, node + NODE_KEYS + walk->first * GPCI_ELEMENT, GPCI_ELEMENT);
    gpci_access(walk, query_at(walk, launch, KEYS + end, GPCI_ELEMENT), 0);
}

static void walk_compare(gpci_walk *walk, const gpci_launch *launch, uint64_t level, unsigned end) {
    const uint64_t record = sought(walk, launch, end), node = node_of(launch, record, level);
    uint64_t leads, upto = lanes_to(walk, launch, record, level, &leads);
    load_keys(walk, launch, node, end);
    if (!gpci_if(walk, walk->mask & upto)) {
        gpci_end_if(walk);
        return;
    }
    const uint64_t outer = walk->outer;
    const uint32_t rejoin = walk->rejoin;
    gpci_access(walk, node + NODE_KEYS + (walk->first + 1) * GPCI_ELEMENT, GPCI_ELEMENT);
    if (gpci_if(walk, walk->mask & leads)) {
        gpci_access(walk, query_at(walk, launch, GOES + end, QUERY_BYTES), 0);
        gpci_access(walk, node + NODE_CHILDREN + walk->first * GPCI_ELEMENT, GPCI_ELEMENT);
        gpci_access(walk, query_at(walk, launch, GOES + end, QUERY_BYTES), 0);
    }
    gpci_end_if(walk);
    walk->outer = outer;
    walk->rejoin = rejoin;
    gpci_end_if(walk);
}

static void walk_levels(gpci_walk *walk, const gpci_launch *launch, unsigned ends) {
    for (uint64_t level = 0; level + 1 < launch->rows; level++) {
        for (unsigned end = 0; end < ends; end++)
            walk_compare(walk, launch, level, end);
        gpci_barrier(walk);
        if (gpci_if(walk, walk->mask & gpci_below(walk, walk->first, 1)))
            for (unsigned end = 0; end < ends; end++) {
                gpci_access(walk, query_at(walk, launch, GOES + end, QUERY_BYTES), 0);
                gpci_access(walk, query_at(walk, launch, AT + end, QUERY_BYTES), 0);
            }
        gpci_end_if(walk);
        gpci_barrier(walk);
        gpci_branch(walk, level + 2 < launch->rows);
    }
}

/*
 * Load a leaf. Returns the mask of the lane with the query's key. *entry: address of lane 0's entry, a record number.
 */
static uint64_t load_leaf(gpci_walk *walk, const gpci_launch *launch, unsigned end, uint64_t *entry) {
    uint64_t has;
    const uint64_t record = sought(walk, launch, end), node = node_of(launch, record, launch->rows - 1);
    lanes_to(walk, launch, record, launch->rows - 1, &has);
    load_keys(walk, launch, node, end);
    *entry = node + NODE_CHILDREN + walk->first * GPCI_ELEMENT;
    return has;
}

static void walk_find(gpci_walk *walk, const gpci_launch *launch) {
    uint64_t entry;
    walk_levels(walk, launch, 1);
    const uint64_t has = load_leaf(walk, launch, 0, &entry);
    if (!gpci_guard(walk, has))
        return;
    gpci_access(walk, entry, GPCI_ELEMENT);
    gpci_access(walk, launch->operand[RECORDS].base + sought(walk, launch, 0) * GPCI_ELEMENT, 0);
    gpci_access(walk, query_at(walk, launch, FOUND, GPCI_ELEMENT), 0);
    gpci_finish(walk);
}

static void walk_range(gpci_walk *walk, const gpci_launch *launch) {
    uint64_t entry;
    walk_levels(walk, launch, 2);
    const uint64_t starts = load_leaf(walk, launch, 0, &entry);
    if (gpci_if(walk, starts)) {
        gpci_access(walk, entry, GPCI_ELEMENT);
        gpci_access(walk, query_at(walk, launch, FOUND, GPCI_ELEMENT), 0);
    }
    gpci_end_if(walk);
    gpci_barrier(walk);
    const uint64_t ends = load_leaf(walk, launch, 1, &entry);
    if (!gpci_guard(walk, ends))
        return;
    gpci_access(walk, entry, GPCI_ELEMENT);
    gpci_access(walk, query_at(walk, launch, FOUND, GPCI_ELEMENT), 0);
    gpci_access(walk, query_at(walk, launch, FOUND + 1, GPCI_ELEMENT), 0);
    gpci_finish(walk);
}

static gpc_status plan_tree(gpci_problem *problem) {
    gpci_launch launch = {.n = problem->size / GPCI_ELEMENT, .rows = 2, .seed = gpci_mix((uint64_t)problem->values[2])};
    uint64_t nodes = 0, queries[2] = {(uint64_t)problem->values[0], (uint64_t)problem->values[1]};
    for (uint64_t reach = NODE_FILLED * NODE_FILLED; reach < launch.n; reach *= NODE_FILLED)
        launch.rows++;
    for (uint64_t level = 0; level < launch.rows; level++)
        nodes += gpci_ceiling(launch.n, below_child(&launch, level) * NODE_FILLED);
    launch.operand[TREE_NODES].base = gpci_problem_array(problem, nodes * TREE_NODE_BYTES);
    launch.operand[RECORDS].base = gpci_problem_array(problem, launch.n * GPCI_ELEMENT);
    launch.operand[QUERIES] =
        gpci_problem_arrays(problem, (queries[0] > queries[1] ? queries[0] : queries[1]) * QUERY_BYTES, QUERY_ARRAYS);
    launch.block[0] = NODE_THREADS;
    launch.grid[0] = queries[0];
    launch.name = "_Z5findKlP5knodelP6recordPlS3_PiS2_";
    launch.code = find_code;
    launch.warp = walk_find;
    gpc_status status = gpci_problem_launch(problem, &launch);
    launch.grid[0] = queries[1];
    launch.name = "_Z10findRangeKlP5knodelPlS1_S1_S1_PiS2_S2_S2_";
    launch.code = range_code;
    launch.warp = walk_range;
    return status == GPC_OK ? gpci_problem_launch(problem, &launch) : status;
}

static const gpc_parameter tree_parameters[] = {
    {"queries", 10000, 1, 1 << 24, true, "of one key"},
    {"ranges", 6000, 1, 1 << 24, true, "queries of a range"},
    {"seed", 1, 0, 1e15, true, "of the queries"},
};

const gpci_synthetic gpci_synthetic_rodinia_btree = {
    .name = "rodinia-btree",
    .summary = "queries of a B+ tree, of one key and of ranges, as Fermi ran it; SIZE of the records, 4 bytes each "
               "(queries=10000, ranges=6000, seed=1)",
    .least = GPCI_ELEMENT,
    .parameters = tree_parameters,
    .parameter_count = 3,
    .plan = plan_tree,
};
