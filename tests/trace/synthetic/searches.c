/* SPDX-License-Identifier: BSD-2-Clause */
/* LonestarGPU's searches (synthetic_relax.c), against a plain search of the graph that the trace shows. */
#include "trace/synthetic/rig.h"

#include <criterion/criterion.h>
#include <limits.h>
#include <string.h>

enum { ENDS, WEIGHTS, FIRSTS, DEGREES, INCOMING, SOURCES, DISTANCES, CHANGED, SEARCH_ARRAYS };
enum { SEARCH_EDGES = 16384, SEARCH_THREADS = 4096 };

/* A launch of bfs or sssp: loads, the graph as far as edges were relaxed, and edges with an atomic. */
typedef struct relaxed {
    uint64_t loads[SEARCH_ARRAYS], flags;
    unsigned from[SEARCH_EDGES], to[SEARCH_EDGES], shorter[SEARCH_EDGES];
    unsigned edge[SEARCH_THREADS], distances[SEARCH_THREADS]; /* last edge of a thread; distances loaded since */
} relaxed;

static void relax(void *data, uint64_t thread, const gpc_instruction *i, size_t array, uint64_t offset) {
    relaxed *r = data;
    unsigned element = (unsigned)(offset / 4), edge = r->edge[thread];
    r->loads[array] += i->kind == GPC_LOAD;
    if (array == ENDS) {
        r->edge[thread] = element - 1;
        r->distances[thread] = 0;
    } else if (array == WEIGHTS) {
        cr_assert_eq(element - 1, edge);
    } else if (array == CHANGED) {
        cr_assert_eq(i->kind, GPC_STORE);
        r->flags++;
    } else if (array == DISTANCES && i->kind == GPC_LOAD) {
        (r->distances[thread]++ ? r->to : r->from)[edge] = element;
    } else if (array == DISTANCES) {
        cr_assert_eq(i->kind, GPC_ATOMIC);
        cr_assert_eq(element, r->to[edge]);
        r->shorter[edge]++;
    } else {
        cr_assert_eq(element / 2, thread, "two nodes a thread");
    }
}

/* One launch of a plain search; also checks atomics and flags of the trace's launch. False: no path is shorter. */
static bool search_plainly(const relaxed *r, unsigned *distances, bool weighted, const char *source) {
    const uint64_t seed = gpci_mix(1);
    unsigned flags = 0, last = UINT_MAX, shorter = 0;
    for (uint64_t edge = 0; edge < SEARCH_EDGES; edge++) {
        unsigned weight = weighted ? 1 + (unsigned)((gpci_mix(seed + edge * 16 + 15) >> 32) * 100 >> 32) : 1;
        unsigned path = distances[r->from[edge]] + weight, *to = &distances[r->to[edge]];
        const bool is_shorter = path < *to;
        cr_assert_eq(r->shorter[edge], is_shorter, "%s: edge %u", source, (unsigned)edge);
        if (is_shorter) {
            *to = path;
            flags += last != r->from[edge];
            last = r->from[edge];
            shorter++;
        }
    }
    cr_assert_eq(r->flags, flags, "%s: one for each node", source);
    return shorter > 0;
}

/*
 * LonestarGPU's bfs and sssp, against a plain search of the graph that the trace shows. bfs loads for each node the
 * number of edges, and for each edge 6 numbers (noutgoing, srcsrc, psrc, edgessrcdst, and two distances), and sssp 10
 * numbers (noutgoing, srcsrc, psrc again, and edgessrcwt): bfs_ls.h, sssp_ls.h and graph.h.
 */
static void check_search(const char *source, bool weighted, unsigned nodes) {
    static relaxed r;
    static unsigned distances[SEARCH_THREADS];
    arrays_rig t;
    for (unsigned node = 0; node < nodes; node++)
        distances[node] = node ? 1000000000 : 0;
    arrays_open(&t, source);
    cr_assert_eq(t.count, SEARCH_ARRAYS);
    unsigned launch = 0;
    bool changed = true;
    for (;; launch++) {
        memset(&r, 0, sizeof r);
        if (!arrays_next(&t, relax, &r))
            break;
        cr_assert_eq(t.rig.kernel.block[0], 512);
        cr_assert_eq(t.rig.kernel.grid[0], nodes / 512);
        const unsigned times = weighted ? 2 : 1;
        cr_assert_eq(r.loads[DEGREES], nodes + times * SEARCH_EDGES);
        cr_assert_eq(r.loads[SOURCES], times * SEARCH_EDGES);
        cr_assert_eq(r.loads[FIRSTS], times * SEARCH_EDGES);
        cr_assert_eq(r.loads[ENDS], SEARCH_EDGES);
        cr_assert_eq(r.loads[WEIGHTS], weighted ? SEARCH_EDGES : 0);
        cr_assert_eq(r.loads[DISTANCES], 2 * SEARCH_EDGES);
        cr_assert_eq(r.loads[INCOMING], 0);
        cr_assert(changed, "%s: launches after the last", source);
        changed = search_plainly(&r, distances, weighted, source);
    }
    rig_close(&t.rig);
    cr_assert(!changed && launch > 2, "%s: %u launches", source, launch);
}

Test(synthetic_searches, bfs) {
    check_search("bfs:64KiB", false, 4096);
    check_search("bfs:64KiB:degree=8,rmat=1", false, 2048);
}

Test(synthetic_searches, sssp) {
    check_search("sssp:64KiB", true, 4096);
    check_search("sssp:64KiB:degree=8,rmat=1", true, 2048);
}

/* The graph of a source, as its first launch shows it. */
static const relaxed *first_launch(const char *source, unsigned blocks) {
    static relaxed r;
    arrays_rig t;
    memset(&r, 0, sizeof r);
    arrays_open(&t, source);
    arrays_run(&t, relax, &r);
    cr_assert_eq(t.rig.kernel.grid[0], blocks);
    rig_close(&t.rig);
    return &r;
}

/* Share of edges by the upper halves of nodes: where they start, and where they end. */
static void check_quadrants(const char *source, unsigned nodes, const double shares[4]) {
    const relaxed *r = first_launch(source, nodes / 512);
    unsigned found[4] = {0};
    for (unsigned edge = 0; edge < SEARCH_EDGES; edge++)
        found[2 * (r->from[edge] >= nodes / 2) + (r->to[edge] >= nodes / 2)]++;
    /* Four deviations of 16,384 draws with a quarter are .0135; those with .45 .0155. */
    for (unsigned n = 0; n < 4; n++)
        cr_expect_float_eq(found[n] / (double)SEARCH_EDGES, shares[n], 0.016, "%s: %u", source, found[n]);
}

Test(synthetic_searches, searched_nodes) {
    check_quadrants("bfs:64KiB", 4096, (const double[]){0.25, 0.25, 0.25, 0.25});
    check_quadrants("bfs:64KiB:degree=8,rmat=1", 2048, (const double[]){0.45, 0.15, 0.15, 0.25});
    /* R-MAT: node 0 has .6 of each half's edges. Four deviations of 16,384 * .6 ** 11 = 59 edges are 31. */
    const relaxed *r = first_launch("bfs:64KiB:degree=8,rmat=1,seed=2", 4);
    unsigned of_first = 0;
    for (unsigned edge = 0; edge < SEARCH_EDGES; edge++)
        of_first += r->from[edge] == 0;
    cr_expect(of_first > 28 && of_first < 90, "%u edges", of_first);
}

/* 2 of 8 blocks have half of 4,096 nodes; the last four blocks have no nodes. */
Test(synthetic_searches, searched_blocks) {
    cr_expect_eq(first_launch("bfs:64KiB:blocks=2", 2)->loads[ENDS], SEARCH_EDGES / 2);
    cr_expect_eq(first_launch("bfs:64KiB:blocks=4", 4)->loads[ENDS], SEARCH_EDGES);
    cr_expect_eq(first_launch("bfs:64KiB:blocks=9", 8)->loads[ENDS], SEARCH_EDGES);
}

/* Launches 3 and 4 of a search are those of the search alone. */
Test(synthetic_searches, searched_launches) {
    static relaxed whole, part;
    arrays_rig a, b;
    arrays_open(&a, "sssp:64KiB");
    arrays_open(&b, "sssp:64KiB:first=2,launches=2");
    for (unsigned launch = 0; launch < 4; launch++) {
        memset(&whole, 0, sizeof whole);
        cr_assert(arrays_next(&a, relax, &whole));
        memset(&part, 0, sizeof part);
        if (launch < 2)
            continue;
        cr_assert(arrays_next(&b, relax, &part));
        cr_assert_gt(part.flags, 0);
        cr_assert_eq(memcmp(&whole, &part, sizeof whole), 0, "launch %u", launch);
    }
    cr_assert_not(arrays_next(&b, relax, &part));
    rig_close(&a.rig);
    rig_close(&b.rig);
}
