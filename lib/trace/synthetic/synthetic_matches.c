/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic_matches.h"

/*
 * Matches of reads in a genome, as in Rodinia's mummergpu (Che et al., IISWC 2009; Schatz et al., MUMmerGPU): a search
 * in a suffix tree, compiled for Fermi. mummergpuKernel: a thread has a read. The thread follows the read down the
 * tree, edge by edge, base by base. After at least 20 matching bases the thread records the match. Then the thread
 * drops the read's first base, and goes on along the suffix link. printKernel: a thread has a match. The thread goes up
 * to the node where 20 bases match, and prints all leaves below, except leaves whose preceding base also matches.
 *
 * By the program's defaults, nodes and their children are in textures, which have a separate cache and are not
 * modelled: the listing has their fetches, without addresses. Reads, reference, matches and alignments are in global
 * memory. Reads of 100 bases follow each other: a load of 32 reads touches 26 lines, and the next bases touch the same
 * lines.
 *
 * The kernels have 6 and 10 loads. Table 3 of seeds/001 counts runs of a search for the loads that should bypass L1:
 * one run without bypassing, and for each kernel a run for each load and for each pair of loads: 1 + 21 + 55 = 77 runs.
 *
 * The genome is random, with repeated pieces; reads are pieces of the genome, with errors. The published genome has 5.2
 * million bases.
 */

#define READ_MARKS 2u   /* marks of a read: one in front of the read, one behind */
#define COORDINATES 8u  /* bytes of a recorded match: node, and position on the edge */
#define MATCH_BYTES 20u /* alignment, read, node, leaves, then two halves: edge and start */
#define ALIGNMENT 8u
enum { MATCH_ALIGNMENT = 0, MATCH_QUERY = 4, MATCH_NODE = 8, MATCH_EDGE = 16, MATCH_START = 18 };
#define REPEAT_LEAST 64u /* shortest repeated piece in bases; the longest has five times as many */
#define REPEAT_EVERY 256u

/* R3 last start, R4 read, R5 place of the read's matches, R6 node, R13 node above, R7 matching bases. */
static const char follow_code[] =
    "R1 MOV; R0 S2R; R2 S2R; R0 IMAD R2 R0; P0 ISETP.GE.AND R0; @P0 EXIT; R3 LDG.E R0; R4 LDG.E R0; R5 IMAD R4 R0;"
    "R3 IADD3 R3; R6 MOV; R7 MOV; R8 MOV; R9 MOV;"
    "start: P1 ISETP.EQ.AND R6; R6 SEL R6 P1; R7 SEL R7 P1; R10 IADD3 R4 R7; R11 LDG.E.U8 R10;"
    "down: R12 TEX R6; R13 MOV R6; R6 PRMT R12 R11; P1 ISETP.NE.AND R6; @P1 BRA edge; P2 ISETP.GT.AND R7;"
    "@P2 STG.E.64 R5 R13; R7 IADD3 R7; R8 MOV; edge: P1 ISETP.EQ.AND R6; @P1 BRA ended;"
    "R16 TEX R6; R17 PRMT R16; R18 PRMT R16; R19 IMNMX R17 R8; R7 IADD3 R7 R19; R10 IADD3 R4 R7; R11 LDG.E.U8 R10;"
    "P3 ISETP.GT.AND R19 R18; P3 ISETP.EQ.OR R11 P3; @P3 BRA walked;"
    "along: R14 IADD3 R19; R15 LDG.E.U8 R14; P4 ISETP.NE.AND R15 R11; @P4 BRA differs; R7 IADD3 R7; R19 IADD3 R19;"
    "R10 IADD3 R4 R7; R11 LDG.E.U8 R10; differs: P3 ISETP.LE.AND R19 R18; P3 ISETP.NE.AND R11 P3; @P3 BRA along;"
    "walked: P5 ISETP.NE.AND R11; @P5 BRA down; ended: P5 ISETP.EQ.AND R6; @P5 BRA next; P2 ISETP.GT.AND R7;"
    "@P2 STG.E.64 R5 R6; R8 IADD3 R19 R17; R7 IADD3 R7 R8; next: R16 TEX R13; R6 PRMT R16; R5 IADD3 R5; R9 IADD3 R9; "
    "P0 ISETP.LE.AND R9 R3; @P0 BRA start; EXIT";

/* R4 read of the match, R6 node, R20 node above the top; R8 depth below the path to the match, R9 alignment. */
static const char print_code[] =
    "R1 MOV; R0 S2R; R2 S2R; R0 IMAD R2 R0; P0 ISETP.GE.AND R0; @P0 EXIT; R3 LDG.E R0; R4 LDG.E R3; R5 LDG.E.U16 R0;"
    "R5 IADD3 R4 R5; R10 LDG.E.U8 R5; R6 LDG.E R0; R7 MOV R6; R16 TEX R6; R17 PRMT R16; P1 ISETP.LE.AND R17; @P1 BRA "
    "top;"
    "climb: R7 MOV R6; R6 PRMT R16; R16 TEX R6; R17 PRMT R16; P1 ISETP.GT.AND R17; @P1 BRA climb;"
    "top: R20 MOV R6; R16 TEX R7; R17 PRMT R16; R9 LDG.E R0; P2 ISETP.NE.AND R6 R7; @P2 BRA begin; R8 LDG.E.U16 R0;"
    "P3 ISETP.EQ.AND R8; @P3 TEX R20; begin: R8 MOV; R11 MOV;"
    "step: R12 TEX R6; R13 PRMT R12; P4 ISETP.EQ.AND R13; @P4 BRA inner; P5 ISETP.NE.AND R13 R10; @P5 STG.E R9 R13;"
    "@P5 STG.E.U16 R9 R17; R9 IADD3 R9; R16 TEX R6; R6 PRMT R16; R12 TEX R6; R11 PRMT R12; R8 IADD3 R8;"
    "P6 ISETP.EQ.AND R8; @P6 TEX R6;"
    "inner: P4 ISETP.NE.AND R13; @P4 BRA next; R12 TEX R6; P6 ISETP.NE.AND R8; @P6 BRA chosen; R14 LDG.E.U16 R0;"
    "R14 IADD3 R4 R14; R15 LDG.E.U8 R14; R11 IADD3 R15;"
    "chosen: R6 PRMT R12 R11; P6 ISETP.NE.AND R8; @P6 TEX R6; P5 ISETP.NE.AND R6 R7; @P5 BRA next; R18 LDG.E.U16 R0;"
    "P3 ISETP.EQ.AND R18; @P3 TEX R6; next: P0 ISETP.NE.AND R6 R20; @P0 BRA step; EXIT";

enum { READS, READ_LENGTHS, READ_PLACES, REFERENCE, COORDINATE, MATCHES, ALIGNMENTS, READ_ARRAYS };

typedef struct reads_problem {
    gpci_reads reads;
    uint64_t base[READ_ARRAYS];
} reads_problem;

static uint64_t read_bytes(const gpci_reads *reads) {
    return reads->length + READ_MARKS;
}

static uint64_t coordinates_of(const gpci_reads *reads) {
    return reads->length - reads->least + 1;
}

/* Load the next base of each lane's read. */
static void load_base(gpci_walk *walk, const reads_problem *reads, const gpci_match *match) {
    uint64_t at[GPCI_SYNTHETIC_LANES];
    for (unsigned lane = 0; lane < walk->lanes; lane++) /* also for inactive lanes */
        at[lane] = match[lane].query * read_bytes(&reads->reads) + match[lane].start + match[lane].length;
    gpci_access_at(walk, reads->base[READS], at);
}

/* Record the match of each lane with at least `least` matching bases. */
static void record(gpci_walk *walk, const reads_problem *reads, const gpci_match *m) {
    uint64_t at[GPCI_SYNTHETIC_LANES], all = walk->mask, far = 0;
    for (unsigned lane = 0; lane < walk->lanes; lane++) {
        at[lane] = (m[lane].query * coordinates_of(&reads->reads) + m[lane].start) * COORDINATES;
        far |= (uint64_t)(m[lane].length > reads->reads.least) << lane;
    }
    walk->mask = all & far;
    gpci_access_at(walk, reads->base[COORDINATE], at);
    walk->mask = all;
}

/* Add to `found` the active lanes for which `expression`, of `lane`, is true. */
#define BY_LANE(w, found, lane, expression)                   \
    for (uint64_t left = (w)->mask; left; left &= left - 1) { \
        const unsigned lane = gpci_lowest(left);              \
        (found) |= (uint64_t)(expression) << lane;            \
    }

/* Walk base by base along each lane's edge. Returns the lanes whose read differs from the edge. */
static uint64_t walk_edge(gpci_walk *walk, const reads_problem *reads, gpci_match *match) {
    const gpci_reads *r = &reads->reads;
    uint64_t at[GPCI_SYNTHETIC_LANES] = {0}, all = walk->mask, on = 0, differing = 0;
    BY_LANE(walk, on, lane, gpci_match_compares(r, &match[lane]))
    if (!gpci_if(walk, on)) {
        walk->mask = all;
        return 0;
    }
    uint64_t again;
    do {
        uint64_t same = 0;
        const uint64_t lanes = walk->mask;
        BY_LANE(walk, same, lane, gpci_match_same(r, &match[lane]))
        for (unsigned lane = 0; lane < walk->lanes; lane++)
            at[lane] = lanes >> lane & 1 ? match[lane].at - 1 : 0;
        gpci_access_at(walk, reads->base[REFERENCE], at);
        differing |= lanes & ~same;
        if (gpci_if(walk, same)) {
            for (uint64_t left = same; left; left &= left - 1) {
                match[gpci_lowest(left)].at++;
                match[gpci_lowest(left)].length++;
            }
            load_base(walk, reads, match);
        }
        gpci_end_if(walk);
        again = 0;
        BY_LANE(walk, again, lane, (same >> lane & 1) && gpci_match_compares(r, &match[lane]))
    } while (gpci_loop(walk, again));
    walk->mask = all;
    return differing;
}

/*
 * Follow an edge down from each lane's node. Returns the lanes that go on to another edge. A lane whose node has no
 * edge for the read's next base records its match and stops. `recorded` gets the lanes that stopped on an edge.
 */
static uint64_t walk_down(gpci_walk *walk, const reads_problem *reads, gpci_match *match, uint64_t *recorded) {
    const gpci_reads *r = &reads->reads;
    uint64_t with = 0, on = 0;
    const uint64_t all = walk->mask;
    BY_LANE(walk, with, lane, gpci_match_follow(r, &match[lane]))
    if (gpci_if(walk, all & ~with)) {
        record(walk, reads, match);
        for (uint64_t left = walk->mask; left; left &= left - 1) {
            match[gpci_lowest(left)].length--;
            match[gpci_lowest(left)].must = 0;
        }
    }
    gpci_end_if(walk);
    if (gpci_branch(walk, !with))
        return 0;
    walk->mask = with;
    for (uint64_t left = with; left; left &= left - 1)
        gpci_match_enter(r, &match[gpci_lowest(left)]);
    load_base(walk, reads, match);
    const uint64_t differing = walk_edge(walk, reads, match);
    *recorded |= with;
    walk->mask = with & ~differing;
    BY_LANE(walk, on, lane, gpci_match_base(r, &match[lane]) != GPCI_NO_BASE)
    walk->mask = with;
    *recorded &= ~on;
    return gpci_loop(walk, on) ? on : 0;
}

/* Walk down the tree with each suffix of each lane's read. The next suffix begins one base later. */
static void walk_starts(gpci_walk *walk, const reads_problem *reads, gpci_match *match) {
    const gpci_reads *r = &reads->reads;
    const uint64_t starts = coordinates_of(r);
    for (uint64_t start = 0; start < starts && walk->status == GPC_OK; start++) {
        uint64_t recorded = 0;
        for (uint64_t left = walk->all; left; left &= left - 1)
            gpci_match_begin(&match[gpci_lowest(left)]);
        load_base(walk, reads, match);
        while (walk_down(walk, reads, match, &recorded))
            continue;
        walk->mask = walk->all;
        if (gpci_if(walk, recorded)) {
            record(walk, reads, match);
            for (uint64_t left = recorded; left; left &= left - 1)
                gpci_match_record(&match[gpci_lowest(left)]);
        }
        gpci_end_if(walk);
        for (uint64_t left = walk->all; left; left &= left - 1)
            gpci_match_next(r, &match[gpci_lowest(left)]);
        gpci_branch(walk, start + 1 < starts);
    }
}

static void walk_follow(gpci_walk *walk, const gpci_launch *launch) {
    const reads_problem *reads = launch->data;
    gpci_match match[GPCI_SYNTHETIC_LANES] = {0};
    const uint64_t thread = walk->x * GPCI_THREADS + walk->first;
    if (!gpci_guard(walk, gpci_below(walk, thread, reads->reads.queries)))
        return;
    for (unsigned lane = 0; lane < walk->lanes; lane++)
        match[lane].query = walk->all >> lane & 1 ? thread + lane : thread;
    gpci_access(walk, reads->base[READ_LENGTHS] + thread * GPCI_ELEMENT, GPCI_ELEMENT);
    gpci_access(walk, reads->base[READ_PLACES] + thread * GPCI_ELEMENT, GPCI_ELEMENT);
    walk_starts(walk, reads, match);
    gpci_finish(walk);
}

/* Load `field` of each lane's match. */
static void load_field(gpci_walk *walk, const reads_problem *reads, unsigned field) {
    gpci_access(walk, reads->base[MATCHES] + (walk->x * GPCI_THREADS + walk->first) * MATCH_BYTES + field, MATCH_BYTES);
}

/* Load a base of each lane's read: `from` of the lane, counted from the match's start. */
static void load_read(gpci_walk *walk, const reads_problem *reads, const gpci_printing *printing,
                      const uint64_t *from) {
    uint64_t at[GPCI_SYNTHETIC_LANES];
    for (unsigned lane = 0; lane < walk->lanes; lane++)
        at[lane] = walk->mask >> lane & 1 ? printing[lane].found.query * read_bytes(&reads->reads) +
                                                printing[lane].found.start + from[lane]
                                          : 0;
    gpci_access_at(walk, reads->base[READS], at);
}

/* Load each lane's match, and climb from the match's node to the node where the printing begins. */
static void walk_climb(gpci_walk *walk, const reads_problem *reads, const gpci_printing *printing) {
    const gpci_suffix_node *nodes = reads->reads.tree.nodes;
    uint64_t at[GPCI_SYNTHETIC_LANES], none[GPCI_SYNTHETIC_LANES] = {0}, climbs = 0, same = 0;
    uint32_t node[GPCI_SYNTHETIC_LANES];
    const uint64_t all = walk->mask;
    for (unsigned lane = 0; lane < walk->lanes; lane++) {
        at[lane] = all >> lane & 1 ? printing[lane].found.query * GPCI_ELEMENT : 0;
        node[lane] = printing[lane].found.node;
    }
    load_field(walk, reads, MATCH_QUERY);
    gpci_access_at(walk, reads->base[READ_PLACES], at);
    load_field(walk, reads, MATCH_START);
    load_read(walk, reads, printing, none);
    load_field(walk, reads, MATCH_NODE);
    BY_LANE(walk, climbs, lane, node[lane] != printing[lane].above)
    if (gpci_if(walk, climbs)) {
        uint64_t again;
        do {
            again = 0;
            BY_LANE(walk, again, lane, (node[lane] = nodes[node[lane]].parent) != printing[lane].above)
        } while (gpci_loop(walk, again));
    }
    walk->mask = all;
    load_field(walk, reads, MATCH_ALIGNMENT);
    BY_LANE(walk, same, lane, printing[lane].top == printing[lane].found.node)
    if (gpci_if(walk, same))
        load_field(walk, reads, MATCH_EDGE);
    gpci_end_if(walk);
}

static void write_alignment(gpci_walk *walk, const reads_problem *reads, const uint64_t *alignment, uint64_t lanes) {
    const uint64_t all = walk->mask;
    walk->mask = lanes;
    gpci_access_at(walk, reads->base[ALIGNMENTS], alignment);
    gpci_access_at(walk, reads->base[ALIGNMENTS] + GPCI_ELEMENT, alignment);
    walk->mask = all;
}

/* Make a step of printing. Lanes at leaves write an alignment and go up; then the other lanes go down. */
static void walk_print_step(gpci_walk *walk, const reads_problem *reads, gpci_printing *printing) {
    uint64_t alignment[GPCI_SYNTHETIC_LANES] = {0}, behind[GPCI_SYNTHETIC_LANES] = {0};
    uint64_t up = 0, prints = 0, asks = 0, beyond = 0;
    const uint64_t all = walk->mask;
    for (uint64_t left = all; left; left &= left - 1) {
        const unsigned lane = gpci_lowest(left);
        alignment[lane] = (uint64_t)printing[lane].alignment * ALIGNMENT;
        behind[lane] = reads->reads.tree.nodes[printing[lane].current].depth;
        const gpci_printed did = gpci_printing_step(&reads->reads, &printing[lane]);
        up |= (uint64_t)did.up << lane;
        prints |= (uint64_t)did.prints << lane;
        asks |= (uint64_t)did.asks << lane;
        beyond |= (uint64_t)did.beyond << lane;
    }
    if (gpci_if(walk, up))
        write_alignment(walk, reads, alignment, prints);
    gpci_end_if(walk);
    if (gpci_if(walk, all & ~up)) {
        const uint32_t rejoin = walk->rejoin;
        if (gpci_if(walk, asks)) {
            load_field(walk, reads, MATCH_START);
            load_read(walk, reads, printing, behind);
        }
        gpci_end_if(walk);
        if (gpci_if(walk, beyond))
            load_field(walk, reads, MATCH_EDGE);
        gpci_end_if(walk);
        walk->rejoin = rejoin;
    }
    walk->outer = all;
    gpci_end_if(walk);
}

static void walk_print(gpci_walk *walk, const gpci_launch *launch) {
    const reads_problem *reads = launch->data;
    gpci_printing printing[GPCI_SYNTHETIC_LANES] = {0};
    uint64_t again = 0;
    const uint64_t thread = walk->x * GPCI_THREADS + walk->first;
    if (!gpci_guard(walk, gpci_below(walk, thread, launch->n)))
        return;
    for (uint64_t left = walk->mask; left; left &= left - 1)
        gpci_printing_begin(&reads->reads, &printing[gpci_lowest(left)], thread + gpci_lowest(left));
    walk_climb(walk, reads, printing);
    do {
        walk_print_step(walk, reads, printing);
        again = 0;
        BY_LANE(walk, again, lane, !gpci_printing_is_over(&printing[lane]))
    } while (gpci_loop(walk, again));
    walk->mask = walk->all;
    gpci_finish(walk);
}

/* Make a random genome. Of 100 pieces, `repeats` are copies of earlier bases. */
static void make_text(gpci_suffix_tree *tree, uint64_t repeats, uint64_t seed) {
    uint64_t state = seed;
    for (uint32_t at = 1; at < tree->length;) {
        const bool seen = at > REPEAT_EVERY && gpci_random_below(&state, 100) < repeats;
        uint32_t from = seen ? 1 + gpci_random_below(&state, at - 1) : 0;
        uint32_t end = at + (seen ? REPEAT_LEAST + gpci_random_below(&state, 4 * REPEAT_LEAST) : REPEAT_EVERY);
        for (; at < end && at < tree->length; at++)
            tree->text[at] = seen ? tree->text[from++] : (uint8_t)gpci_random_below(&state, GPCI_SUFFIX_BASES);
    }
    tree->text[tree->length] = GPCI_SUFFIX_END;
}

/* Allocate tree, counts and text in one piece of memory. */
static reads_problem *make_reads(gpci_problem *problem, const gpci_reads *reads) {
    const uint32_t length = reads->tree.length;
    const size_t nodes = gpci_suffix_most(length) * sizeof(gpci_suffix_node), counts = reads->queries + 1;
    reads_problem *p = gpci_problem_data(problem, sizeof *p + nodes + 2 * counts * sizeof(uint32_t) + length + 1);
    if (!p)
        return NULL;
    p->reads = *reads;
    p->reads.tree.nodes = (gpci_suffix_node *)(p + 1);
    p->reads.matches = (uint32_t *)(p->reads.tree.nodes + gpci_suffix_most(length));
    p->reads.alignments = p->reads.matches + counts;
    p->reads.tree.text = (uint8_t *)(p->reads.alignments + counts);
    return p;
}

static gpc_status place_reads(gpci_problem *problem, reads_problem *p) {
    const gpci_reads *reads = &p->reads;
    const uint64_t matches = reads->matches[reads->queries], alignments = reads->alignments[reads->queries];
    const uint64_t bytes[READ_ARRAYS] = {
        [READS] = reads->queries * read_bytes(reads),
        [READ_LENGTHS] = reads->queries * GPCI_ELEMENT,
        [READ_PLACES] = reads->queries * GPCI_ELEMENT,
        [REFERENCE] = reads->tree.length,
        [COORDINATE] = reads->queries * coordinates_of(reads) * COORDINATES,
        [MATCHES] = matches * MATCH_BYTES,
        [ALIGNMENTS] = alignments * ALIGNMENT,
    };
    for (unsigned k = 0; k < READ_ARRAYS; k++)
        p->base[k] = bytes[k] ? gpci_problem_array(problem, bytes[k]) : 0;
    gpci_launch launch = {.name = "_Z15mummergpuKernelPvPcS0_PKiS2_ii",
                          .code = follow_code,
                          .warp = walk_follow,
                          .grid = {gpci_ceiling(reads->queries, GPCI_THREADS)},
                          .block = {GPCI_THREADS},
                          .data = p};
    gpc_status status = gpci_problem_launch(problem, &launch);
    if (status < 0 || !matches)
        return status;
    launch.name = "_Z11printKernelP9MatchInfoiP9AlignmentPcPKiS5_iiiii";
    launch.code = print_code;
    launch.warp = walk_print;
    launch.n = matches;
    launch.grid[0] = gpci_ceiling(matches, GPCI_THREADS);
    return gpci_problem_launch(problem, &launch);
}

static gpc_status plan_mummergpu(gpci_problem *problem) {
    const double *values = problem->values;
    const uint64_t seed = gpci_mix((uint64_t)values[5]);
    gpci_reads reads = {.length = (uint64_t)values[1], .least = (uint64_t)values[2], .errors = (uint64_t)values[3]};
    reads.tree.length = (uint32_t)values[0] + 1;
    reads.seed = seed;
    reads.queries = problem->size / read_bytes(&reads);
    if (!reads.queries)
        return gpci_problem_fail(problem, "%llu bytes are less than a read's %llu", (unsigned long long)problem->size,
                                 (unsigned long long)read_bytes(&reads));
    if (reads.length < reads.least || reads.tree.length <= reads.length)
        return gpci_problem_fail(problem, "parameter '%s': %llu bases are more than there are in a %s",
                                 reads.length < reads.least ? "least" : "length",
                                 (unsigned long long)(reads.length < reads.least ? reads.least : reads.length),
                                 reads.length < reads.least ? "read" : "reference");
    reads_problem *p = make_reads(problem, &reads);
    if (!p)
        return GPC_ERROR_MEMORY;
    make_text(&p->reads.tree, (uint64_t)values[4], seed);
    gpci_suffix_build(&p->reads.tree);
    if (!gpci_reads_find(&p->reads))
        return gpci_problem_fail(problem, "there are more than 32 bits of alignments");
    return place_reads(problem, p);
}

static const gpc_parameter mummergpu_parameters[] = {
    {"reference", 65536, 2, 1 << 22, true, "bases of the reference"},
    {"length", 100, 1, 1000, true, "bases of a read"},
    {"least", 20, 2, 1000, true, "bases of a match, at least"},
    {"errors", 1, 0, 100, true, "of 100 bases of the reads, how many may be others than the reference's"},
    {"repeats", 10, 0, 100, true, "of 100 pieces of the reference, how many were seen before"},
    {"seed", 1, 0, 1e15, true, "of the reference and the reads"},
};

const gpci_synthetic gpci_synthetic_rodinia_mummergpu = {
    .name = "rodinia-mummergpu",
    .summary = "matches of reads along a suffix tree, as Fermi ran it; SIZE of the reads (reference=65536, length=100, "
               "least=20, errors=1, repeats=10, seed=1)",
    .least = 4,
    .parameters = mummergpu_parameters,
    .parameter_count = 6,
    .plan = plan_mummergpu,
};
