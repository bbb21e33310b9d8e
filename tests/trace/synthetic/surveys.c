/* SPDX-License-Identifier: BSD-2-Clause */
/* LonestarGPU's survey propagation, on numbers: surveys and biases of a formula known from the addresses. */
#include "trace/synthetic/machine.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CLAUSE_ROWS,
    CLAUSE_COLUMNS,
    CLAUSE_SAT,
    VARIABLE_ROWS,
    VARIABLE_COLUMNS,
    VARIABLE_SAT,
    BIAS,
    VALUE,
    SOURCE,
    DESTINATION,
    BAR,
    ETA,
    PI_0,
    PI_U,
    PI_S,
    MOST_CHANGED,
    LIST
};

enum { CLAUSES = 420, VARIABLES = 100, EDGES = 3 * CLAUSES };

/* Edges of 420 clauses with 100 variables. */
typedef struct graph {
    unsigned clause[EDGES], variable[EDGES];
    bool met[EDGES];
} graph;

static size_t array_of(const machine *m, uint64_t address, uint64_t *offset) {
    size_t count;
    const gpci_synthetic_array *arrays = gpci_synthetic_arrays(m->rig.source, &count);
    for (size_t a = 0; a < count; a++)
        if (address >= arrays[a].base && address < arrays[a].base + arrays[a].bytes) {
            *offset = address - arrays[a].base;
            return a;
        }
    cr_assert_fail("%#lx is in no array", (unsigned long)address);
    return 0;
}

/* Read the graph from the loads of the first launch: an edge, with marks of clause and variable. */
static void read_graph(const char *source, graph *g) {
    machine m;
    machine_open(&m, source, 4, NULL);
    memset(g, 0, sizeof *g);
    cr_assert(rig_kernel(&m.rig));
    for (const gpc_block *block; (block = rig_block(&m.rig));)
        for (uint32_t w = 0; w < block->warp_count; w++) {
            unsigned edge[32] = {0};
            for (uint64_t k = 0; k < block->warps[w].count; k++) {
                const gpc_instruction *i = &block->warps[w].instructions[k];
                unsigned n = 0;
                for (uint64_t left = i->addresses ? i->mask : 0; left; left &= left - 1) {
                    uint64_t offset;
                    const unsigned lane = gpci_lowest(left);
                    const size_t array = array_of(&m, i->addresses[n++], &offset);
                    if (array == DESTINATION)
                        edge[lane] = (unsigned)offset / 4;
                    if (array == VARIABLE_SAT) {
                        g->variable[edge[lane]] = (unsigned)offset;
                        g->met[edge[lane]] = true;
                    }
                    if (array == CLAUSE_SAT && !g->met[edge[lane]])
                        g->clause[edge[lane]] = (unsigned)offset;
                }
            }
        }
    machine_close(&m);
}

/* Values stored by calc_pi_values, from loaded values; update_eta and update_bias likewise. */
static double pi_value(machine_lane *lane) {
    const double *q = lane->queue, clause = q[1];
    double none = 1, same = 1, opposite = 1;
    cr_assert_eq(q[2] + q[3], 0, "neither satisfied nor fixed");
    for (unsigned at = 6; at < lane->count;) {
        const bool other = q[at + 1] != clause;
        at += 3;
        if (!other)
            continue;
        none *= 1 - q[at];
        *(q[at + 1] == q[at + 2] ? &same : &opposite) *= 1 - q[at];
        at += 3;
    }
    const double values[] = {none, (1 - opposite) * same, (1 - same) * opposite};
    const double value = values[lane->stores++];
    if (lane->stores == 3)
        lane->count = lane->stores = 0;
    return value;
}

static double eta_value(machine_lane *lane) {
    const double *q = lane->queue, variable = q[1];
    double eta = 1;
    for (unsigned at = 6; at + 1 < lane->count;) {
        const bool other = q[at + 1] != variable;
        at += 2;
        if (!other)
            continue;
        eta *= q[at + 3] / (q[at + 1] + q[at + 2] + q[at + 3]);
        at += 4;
    }
    lane->count = 0;
    return eta;
}

static double bias_value(machine_lane *lane) {
    const double *q = lane->queue;
    double none = 1, minus = 1, plus = 1;
    if (lane->shared || lane->count < 3) /* the sum of the block is not checked */
        return 0;
    for (unsigned at = 3; at < lane->count; at += 5) {
        none *= 1 - q[at + 3];
        *(q[at + 4] ? &minus : &plus) *= 1 - q[at + 3];
    }
    const double up = (1 - plus) * minus, down = (1 - minus) * plus;
    const double values[] = {fabs(up - down) / (none + up + down), up > down, fabs(up - down) / (none + up + down), -1};
    return values[lane->stores++ % 4];
}

static double surveyed(machine_lane *lane, const char *kernel) {
    return strstr(kernel, "calc_pi")      ? pi_value(lane)
           : strstr(kernel, "update_eta") ? eta_value(lane)
                                          : bias_value(lane);
}

/* Fill arrays as the program does: CSR by clause, and by variable in the order of edges; first surveys are random. */
static void fill(machine *m, const graph *g) {
    unsigned next = 0;
    for (unsigned v = 0; v < VARIABLES; v++) {
        m->arrays[VARIABLE_ROWS][v] = next;
        for (unsigned e = 0; e < EDGES; e++)
            if (g->variable[e] == v)
                m->arrays[VARIABLE_COLUMNS][next++] = e;
        m->arrays[VARIABLE_SAT][v] = 0;
    }
    m->arrays[VARIABLE_ROWS][VARIABLES] = next;
    for (unsigned c = 0; c < CLAUSES; c++)
        m->arrays[CLAUSE_SAT][c] = 0;
    for (unsigned e = 0; e < EDGES; e++) {
        m->arrays[CLAUSE_COLUMNS][e] = e;
        m->arrays[SOURCE][e] = g->clause[e];
        m->arrays[DESTINATION][e] = g->variable[e];
        m->arrays[BAR][e] = e * e % 7 < 3;
        m->arrays[ETA][e] = (double)(e * 37 % 101) / 101;
    }
}

/* Reference by the formula's graph only. */
static void survey(machine *m, const graph *g, double *pi, double *eta) {
    const double *bar = m->arrays[BAR];
    for (unsigned e = 0; e < EDGES; e++) {
        double none = 1, same = 1, opposite = 1;
        for (unsigned b = 0; b < EDGES; b++) {
            if (g->variable[b] != g->variable[e] || g->clause[b] == g->clause[e])
                continue;
            none *= 1 - eta[b];
            *(bar[b] == bar[e] ? &same : &opposite) *= 1 - eta[b];
        }
        pi[3 * e] = none;
        pi[3 * e + 1] = (1 - opposite) * same;
        pi[3 * e + 2] = (1 - same) * opposite;
    }
    for (unsigned e = 0; e < EDGES; e++) {
        eta[e] = 1;
        for (unsigned other = e / 3 * 3; other < e / 3 * 3 + 3; other++)
            if (other != e)
                eta[e] *= pi[3 * other + 1] / (pi[3 * other] + pi[3 * other + 2] + pi[3 * other + 1]);
    }
}

static double bias_of(const machine *m, const graph *g, unsigned variable, const double *eta) {
    double none = 1, minus = 1, plus = 1;
    for (unsigned e = 0; e < EDGES; e++)
        if (g->variable[e] == variable) {
            none *= 1 - eta[e];
            *(m->arrays[BAR][e] ? &minus : &plus) *= 1 - eta[e];
        }
    const double up = (1 - plus) * minus, down = (1 - minus) * plus;
    return fabs(up - down) / (none + up + down);
}

static void check_surveys(const char *source) {
    static graph g;
    static double pi[3 * EDGES], eta[EDGES];
    machine m;
    read_graph(source, &g);
    for (unsigned e = 0; e < EDGES; e++) {
        cr_assert(g.met[e] && g.clause[e] == e / 3);
        for (unsigned other = e / 3 * 3; other < e; other++)
            cr_assert_neq(g.variable[e], g.variable[other], "a clause has a variable twice");
    }
    machine_open(&m, source, 4, surveyed);
    cr_assert_eq(m.lengths[ETA], EDGES);
    fill(&m, &g);
    memcpy(eta, m.arrays[ETA], sizeof eta);
    for (unsigned round = 0; round < 2; round++) {
        cr_assert(machine_launch(&m));
        cr_assert(machine_launch(&m));
        survey(&m, &g, pi, eta);
        for (unsigned e = 0; e < EDGES; e++) {
            machine_expect(&m, PI_0, e, pi[3 * e]);
            machine_expect(&m, PI_U, e, pi[3 * e + 1]);
            machine_expect(&m, PI_S, e, pi[3 * e + 2]);
            machine_expect(&m, ETA, e, eta[e]);
        }
    }
    cr_assert(machine_launch(&m));
    for (unsigned v = 0; v < VARIABLES; v++) {
        machine_expect(&m, BIAS, v, bias_of(&m, &g, v, eta));
        machine_expect(&m, LIST, v, m.arrays[BIAS][v]);
    }
    machine_close(&m);
}

/* A thread per edge, and a third as many. */
Test(synthetic_surveys, propagation) {
    check_surveys("sp:5040");
    check_surveys("sp:5040:blocks=1,seed=7");
}

/* Bytes of an array stored by the present launch. */
static void stored(machine *m, size_t array, bool *found) {
    for (const gpc_block *block; (block = rig_block(&m->rig));)
        for (uint32_t w = 0; w < block->warp_count; w++)
            for (uint64_t k = 0; k < block->warps[w].count; k++) {
                const gpc_instruction *i = &block->warps[w].instructions[k];
                for (unsigned n = 0; i->addresses && i->kind == GPC_STORE && n < gpci_popcount(i->mask); n++) {
                    uint64_t offset;
                    if (array_of(m, i->addresses[n], &offset) == array)
                        found[offset] = true;
                }
            }
}

static void skip_to(machine *m, const char *kernel) {
    do
        cr_assert(rig_kernel(&m->rig));
    while (!strstr(m->rig.kernel.name, kernel));
}

/* One variable in a hundred is fixed, and satisfies about half of the variable's clauses, skipped in the next round. */
Test(synthetic_surveys, decimation) {
    enum { DECIMATED = 30 };
    static bool fixed[EDGES], satisfied[EDGES], clauses[EDGES];
    char source[64];
    static graph g;
    unsigned edges = 0, left = 0, gone = 0;
    machine m;
    read_graph("sp:5040", &g);
    for (unsigned k = 0; k < DECIMATED; k++)
        for (size_t array = CLAUSE_SAT; array <= VARIABLE_SAT; array += VARIABLE_SAT - CLAUSE_SAT) {
            snprintf(source, sizeof source, "sp:5040:rounds=1,decimated=%u", k);
            machine_open(&m, source, 4, NULL);
            skip_to(&m, "decimate");
            stored(&m, array, array == CLAUSE_SAT ? satisfied : fixed);
            machine_close(&m);
        }
    snprintf(source, sizeof source, "sp:5040:rounds=1,decimated=%u", DECIMATED);
    machine_open(&m, source, 4, NULL);
    skip_to(&m, "calc_pi");
    static bool updated[4 * EDGES];
    stored(&m, PI_0, updated);
    machine_close(&m);
    for (unsigned v = 0; v < VARIABLES; v++)
        gone += fixed[v];
    cr_assert_eq(gone, DECIMATED);
    for (unsigned e = 0; e < EDGES; e++) {
        edges += fixed[g.variable[e]];
        clauses[g.clause[e]] |= fixed[g.variable[e]];
        cr_assert_eq(updated[4 * e], !fixed[g.variable[e]] && !satisfied[g.clause[e]], "edge %u", e);
        left += updated[4 * e];
    }
    unsigned touched = 0, satisfied_count = 0;
    for (unsigned c = 0; c < CLAUSES; c++) {
        cr_assert(clauses[c] || !satisfied[c]);
        touched += clauses[c];
        satisfied_count += satisfied[c];
    }
    cr_expect(satisfied_count > touched / 3 && satisfied_count < touched * 4 / 5, "%u of %u", satisfied_count, touched);
    cr_expect(left > 0 && left < EDGES - edges);
}
