/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic.h"

/*
 * Survey propagation, as in LonestarGPU's sp (Burtscher et al., IISWC 2012; nsp.cu of its second release): solves
 * random 3-SAT, compiled for Fermi. The formula is a graph of clauses and variables, with an edge for each literal.
 * calc_pi_values: each edge from a clause to a variable visits the variable's other clauses and combines their surveys,
 * eta. update_eta: each edge visits the clause's other variables. Both repeat until surveys settle. Then update_bias
 * sums each variable's surveys, and decimate fixes the variables with the strongest bias, which satisfies clauses.
 * Fixed variables and satisfied clauses are skipped.
 *
 * As many threads run as the SMs hold, 384 a block. A thread visits every edge that is a multiple of the number of
 * threads behind its first edge. Edges are in CSR, by clause and by variable; the three different variables of a clause
 * are random. The variables with the strongest bias, and their values, are also random. The published formula has
 * 42,000 clauses and 10,000 variables; a hundredth of the variables is fixed at a time.
 */

#define SURVEY_THREADS 384u
#define LITERALS UINT64_C(3)

/* R0 edge, R3 variable and R4 clause of the edge, R7 to R8 range of visited edges, R9 visited edge. */
#define SURVEY_START "R1 MOV; R0 S2R; R2 S2R; R0 IMAD R2 R0; P0 ISETP.GE.AND R0; @P0 EXIT;"
#define SURVEY_AGAIN "done: R0 IADD3 R0; P0 ISETP.LT.AND R0; @P0 BRA each;"

static const char pi_code[] = SURVEY_START
    "each: R3 LDG.E R0; R4 LDG.E R0; R5 LDG.E.U8 R4; P1 ISETP.NE.AND R5; @P1 BRA done; R6 LDG.E.U8 R3;"
    "P1 ISETP.NE.AND R6; @P1 BRA done; R7 LDG.E R3; R8 LDG.E R3; R15 MOV; R16 MOV; R17 MOV;"
    "around: R9 LDG.E R7; R10 LDG.E R9; R11 LDG.E.U8 R10; P1 ISETP.NE.AND R11; @P1 BRA next; P1 ISETP.EQ.AND R10 R4;"
    "@P1 BRA next; R12 LDG.E R9; R12 FADD R12; R15 FMUL R15 R12; R13 LDG.E.U8 R9; R14 LDG.E.U8 R0;"
    "P3 ISETP.EQ.AND R13 R14; R16 FMUL R16 R12; R17 FMUL R17 R12; next: R7 IADD3 R7; P2 ISETP.LT.AND R7 R8;"
    "@P2 BRA around; STG.E R0 R15; R18 FADD R16; R19 FADD R17; R18 FMUL R18 R17; STG.E R0 R18; R19 FMUL R19 R16;"
    "STG.E R0 R19;" SURVEY_AGAIN "EXIT";

static const char eta_code[] = SURVEY_START
    "R20 MOV; each: R4 LDG.E R0; R3 LDG.E R0; R5 LDG.E.U8 R4; P1 ISETP.NE.AND R5; @P1 BRA done; R6 LDG.E.U8 R3;"
    "P1 ISETP.NE.AND R6; @P1 BRA done; R7 LDG.E R4; R8 LDG.E R4; R15 MOV;"
    "around: R9 LDG.E R7; R10 LDG.E R9; P1 ISETP.EQ.AND R10 R3; @P1 BRA next; R11 LDG.E.U8 R10; P1 ISETP.NE.AND R11;"
    "@P1 BRA next; R12 LDG.E R9; R13 LDG.E R9; R14 LDG.E R9; R12 FADD R12 R13; R12 FADD R12 R14; P3 FSETP.EQ.AND R12;"
    "R12 MUFU.RCP R12; R14 FMUL R14 R12; R15 FMUL R15 R14; next: R7 IADD3 R7; P2 ISETP.LT.AND R7 R8; @P2 BRA around;"
    "R16 LDG.E R0; R16 FADD R15 R16; R20 FMNMX R20 R16; STG.E R0 R15;" SURVEY_AGAIN
    "P1 FSETP.EQ.AND R20; @P1 EXIT; REDG.E.MAX.S32.STRONG.GPU R2 R20; EXIT";

/* cub's sum over a block: by halves within warps, then over the warps. */
static const char bias_code[] =
    "R1 MOV; R0 S2R; R2 S2R; R21 MOV R0; R0 IMAD R2 R0; R20 MOV; P0 ISETP.GE.AND R0; @P0 BRA summed;"
    "each: R5 LDG.E.U8 R0; P1 ISETP.NE.AND R5; @P1 BRA done; R7 LDG.E R0; R8 LDG.E R0; R15 MOV; R16 MOV; R17 MOV;"
    "P2 ISETP.GE.AND R7 R8; @P2 BRA found;"
    "around: R9 LDG.E R7; R10 LDG.E R9; R11 LDG.E.U8 R10; P1 ISETP.NE.AND R11; @P1 BRA next; R12 LDG.E R9; R12 FADD "
    "R12;"
    "R15 FMUL R15 R12; R13 LDG.E.U8 R9; P3 ISETP.NE.AND R13; R16 FMUL R16 R12; R17 FMUL R17 R12; next: R7 IADD3 R7;"
    "P2 ISETP.LT.AND R7 R8; @P2 BRA around;"
    "found: R18 FADD R16 R17; R18 FADD R18 R15; R18 MUFU.RCP R18; R18 FMUL R18 R16; P3 FSETP.GT.AND R16 R17;"
    "STG.E R0 R18; R19 SEL P3; STG.E.U8 R0 R19; R20 FADD R20 R18; R22 ATOMG.E.ADD.STRONG.GPU R2; R23 LEA R22;"
    "STG.E R23 R18; STG.E R23 R0;" SURVEY_AGAIN
    "summed: R24 LEA R21; R25 MOV; halves: STS R24 R20; P1 ISETP.GE.AND R21 R25; @P1 BRA added; R26 LDS R24;"
    "R20 FADD R20 R26; added: R25 SHF.R.U32 R25; P2 ISETP.NE.AND R25; @P2 BRA halves; P1 ISETP.NE.AND R21; @P1 BRA "
    "kept;"
    "STS R24 R20; kept: BAR.SYNC.DEFER_BLOCKING; P0 ISETP.NE.AND R21; @P0 EXIT;"
    "warps: R26 LDS R24; R20 FADD R20 R26; R24 IADD3 R24; P2 ISETP.NE.AND R24; @P2 BRA warps;"
    "REDG.E.ADD.F32.FTZ.RN.STRONG.GPU R2 R20; EXIT";

static const char decimate_code[] =
    "R1 MOV; R0 S2R; R2 S2R; R0 IMAD R2 R0; R3 LDG.E R1; R4 IADD3 R3 R0; P0 ISETP.GE.AND R4 R3; @P0 EXIT; R5 LDG.E R4;"
    "R6 MOV; STG.E.U8 R5 R6; R7 LDG.E R5; R8 LDG.E R5; P2 ISETP.GE.AND R7 R8; @P2 EXIT;"
    "around: R9 LDG.E R7; R10 LDG.E R9; R11 LDG.E.U8 R10; P1 ISETP.NE.AND R11; @P1 BRA next; R12 LDG.E.U8 R9;"
    "R13 LDG.E.U8 R5; P1 ISETP.EQ.AND R12 R13; @P1 BRA next; R6 MOV; STG.E.U8 R10 R6; next: R7 IADD3 R7;"
    "P2 ISETP.LT.AND R7 R8; @P2 BRA around; EXIT";

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
    LIST,
    LIST_VARIABLES,
    LIST_LENGTH,
    SUM,
    SURVEY_ARRAYS
};

/* Formula. Launch fields: `n` edges or variables, `window` blocks, `steps` variables to fix. */
typedef struct formula {
    uint64_t base[SURVEY_ARRAYS];
    uint64_t clauses, variables, edges;
    uint64_t fixed;     /* number of fixed variables: the first in `order` */
    uint32_t *variable; /* [edge]: variable; the clause is edge / 3 */
    uint32_t *first;    /* [variable + 1]: first of the variable's edges in `column` */
    uint32_t *column, *order;
    uint32_t *place;    /* [variable]: place in `order` */
    uint32_t *listed;   /* [variable]: number of earlier unfixed variables */
    uint8_t *satisfied; /* [clause]: 1 = satisfied */
} formula;

static uint64_t negated(const gpci_launch *launch, uint64_t edge) {
    return gpci_mix(launch->seed + edge * 4 + 1) >> 63;
}

static uint64_t value_of(const gpci_launch *launch, uint64_t variable) {
    return gpci_mix(launch->seed + variable * 4 + 2) >> 63;
}

static bool is_fixed(const formula *sat, uint64_t variable) {
    return sat->place[variable] < sat->fixed;
}

/* Access each lane's element of an array. */
static void access_each(gpci_walk *walk, const formula *sat, unsigned array, const uint64_t *index, uint64_t bytes) {
    uint64_t offsets[GPCI_SYNTHETIC_LANES];
    for (unsigned lane = 0; lane < walk->lanes; lane++)
        offsets[lane] = walk->mask >> lane & 1 ? index[lane] * bytes : 0;
    gpci_access_at(walk, sat->base[array], offsets);
}

static void words(gpci_walk *walk, const formula *sat, unsigned array, const uint64_t *index) {
    access_each(walk, sat, array, index, GPCI_ELEMENT);
}

/* Keep only the lanes in `stay`. The other lanes go to the end of an earlier gpci_if. False: no lane stays. */
static bool narrow(gpci_walk *walk, uint64_t stay) {
    const uint64_t outer = walk->outer;
    const bool any = gpci_if(walk, walk->mask & stay);
    walk->outer = outer;
    return any;
}

/* Data of each lane: an edge, its ends, and the visited edges, from `at` to `end`. */
typedef struct survey {
    uint64_t edge[GPCI_SYNTHETIC_LANES], clause[GPCI_SYNTHETIC_LANES], variable[GPCI_SYNTHETIC_LANES];
    uint64_t at[GPCI_SYNTHETIC_LANES], end[GPCI_SYNTHETIC_LANES], over[GPCI_SYNTHETIC_LANES];
    uint64_t other[GPCI_SYNTHETIC_LANES]; /* clause or variable at the other end of the visited edge `over` */
} survey;

#define EACH_LANE(w, lane, lanes)                               \
    for (uint64_t lanes = (w)->mask; lanes; lanes &= lanes - 1) \
        for (unsigned lane = gpci_lowest(lanes), once = 1; once; once = 0)

static void set_ends(const gpci_walk *walk, const formula *sat, survey *mesh) {
    EACH_LANE(walk, lane, lanes) {
        mesh->variable[lane] = sat->variable[mesh->edge[lane]];
        mesh->clause[lane] = mesh->edge[lane] / LITERALS;
    }
}

/* Keep only lanes with an unsatisfied clause and an unfixed variable; false: no such lane. */
static bool still_there(gpci_walk *walk, const formula *sat, const survey *mesh) {
    uint64_t clauses = 0, variables = 0;
    EACH_LANE(walk, lane, lanes) {
        clauses |= (uint64_t)!sat->satisfied[mesh->clause[lane]] << lane;
        variables |= (uint64_t)!is_fixed(sat, mesh->variable[lane]) << lane;
    }
    access_each(walk, sat, CLAUSE_SAT, mesh->clause, 1);
    if (!gpci_if(walk, walk->mask & clauses))
        return false;
    access_each(walk, sat, VARIABLE_SAT, mesh->variable, 1);
    return narrow(walk, variables);
}

/* Load the range of each lane's row: of a clause's edges, or of a variable's edges. */
static void load_rows(gpci_walk *walk, const formula *sat, unsigned array, const uint64_t *row, survey *mesh) {
    uint64_t next[GPCI_SYNTHETIC_LANES];
    EACH_LANE(walk, lane, lanes) {
        next[lane] = row[lane] + 1;
        mesh->at[lane] = array == CLAUSE_ROWS ? row[lane] * LITERALS : sat->first[row[lane]];
        mesh->end[lane] = array == CLAUSE_ROWS ? next[lane] * LITERALS : sat->first[next[lane]];
    }
    words(walk, sat, array, row);
    words(walk, sat, array, next);
}

/* Load edge `at` of each lane's variable, and the edge's clause. Returns the lanes with an unsatisfied clause. */
static uint64_t load_clause(gpci_walk *walk, const formula *sat, survey *mesh) {
    uint64_t open = 0;
    EACH_LANE(walk, lane, lanes) {
        mesh->over[lane] = sat->column[mesh->at[lane]];
        mesh->other[lane] = mesh->over[lane] / LITERALS;
        open |= (uint64_t)!sat->satisfied[mesh->other[lane]] << lane;
    }
    words(walk, sat, VARIABLE_COLUMNS, mesh->at);
    words(walk, sat, SOURCE, mesh->over);
    access_each(walk, sat, CLAUSE_SAT, mesh->other, 1);
    return open;
}

static bool next_edge(gpci_walk *walk, survey *mesh) {
    uint64_t again = 0;
    EACH_LANE(walk, lane, lanes)
    again |= (uint64_t)(++mesh->at[lane] < mesh->end[lane]) << lane;
    return gpci_loop(walk, again);
}

static void go_around_variable(gpci_walk *walk, const formula *sat, survey *mesh) {
    const uint64_t all = walk->mask;
    load_rows(walk, sat, VARIABLE_ROWS, mesh->variable, mesh);
    do {
        uint64_t others = 0;
        const uint64_t open = load_clause(walk, sat, mesh);
        EACH_LANE(walk, lane, lanes)
        others |= (uint64_t)(mesh->other[lane] != mesh->clause[lane]) << lane;
        if (gpci_if(walk, walk->mask & open) && narrow(walk, others)) {
            words(walk, sat, ETA, mesh->over);
            access_each(walk, sat, BAR, mesh->over, 1);
            access_each(walk, sat, BAR, mesh->edge, 1);
        }
        gpci_end_if(walk);
    } while (next_edge(walk, mesh));
    walk->mask = all;
}

static void go_around_clause(gpci_walk *walk, const formula *sat, survey *mesh) {
    const uint64_t all = walk->mask;
    load_rows(walk, sat, CLAUSE_ROWS, mesh->clause, mesh);
    do {
        uint64_t others = 0, open = 0;
        EACH_LANE(walk, lane, lanes) {
            mesh->other[lane] = sat->variable[mesh->at[lane]];
            others |= (uint64_t)(mesh->other[lane] != mesh->variable[lane]) << lane;
            open |= (uint64_t)!is_fixed(sat, mesh->other[lane]) << lane;
        }
        words(walk, sat, CLAUSE_COLUMNS, mesh->at);
        words(walk, sat, DESTINATION, mesh->at);
        if (gpci_if(walk, walk->mask & others)) {
            access_each(walk, sat, VARIABLE_SAT, mesh->other, 1);
            if (narrow(walk, open)) {
                words(walk, sat, PI_0, mesh->at);
                words(walk, sat, PI_S, mesh->at);
                words(walk, sat, PI_U, mesh->at);
            }
        }
        gpci_end_if(walk);
    } while (next_edge(walk, mesh));
    walk->mask = all;
}

/*
 * Visit all edges or variables of a thread. `visit` handles one element for each lane, and returns the lanes that
 * acted.
 */
static uint64_t visit_all(gpci_walk *walk, const gpci_launch *launch,
                          uint64_t (*visit)(gpci_walk *, const gpci_launch *, survey *)) {
    survey mesh;
    uint64_t again, done = 0;
    for (unsigned lane = 0; lane < walk->lanes; lane++)
        mesh.edge[lane] = walk->x * SURVEY_THREADS + walk->first + lane;
    do {
        const uint64_t all = walk->mask;
        done |= visit(walk, launch, &mesh);
        walk->outer = all;
        gpci_end_if(walk);
        again = 0;
        EACH_LANE(walk, lane, lanes) {
            mesh.edge[lane] += launch->window * SURVEY_THREADS;
            again |= (uint64_t)(mesh.edge[lane] < launch->n) << lane;
        }
    } while (gpci_loop(walk, again));
    return done;
}

/* Let lanes meet behind the whole visit again, after an inner loop has set `rejoin`. */
#define MEET(w, rejoined) ((w)->rejoin = (rejoined))

static uint64_t visit_pi(gpci_walk *walk, const gpci_launch *launch, survey *mesh) {
    const formula *sat = launch->data;
    set_ends(walk, sat, mesh);
    words(walk, sat, DESTINATION, mesh->edge);
    words(walk, sat, SOURCE, mesh->edge);
    if (!still_there(walk, sat, mesh))
        return 0;
    const uint32_t rejoin = walk->rejoin;
    go_around_variable(walk, sat, mesh);
    words(walk, sat, PI_0, mesh->edge);
    words(walk, sat, PI_U, mesh->edge);
    words(walk, sat, PI_S, mesh->edge);
    MEET(walk, rejoin);
    return walk->mask;
}

static uint64_t visit_eta(gpci_walk *walk, const gpci_launch *launch, survey *mesh) {
    const formula *sat = launch->data;
    set_ends(walk, sat, mesh);
    words(walk, sat, SOURCE, mesh->edge);
    words(walk, sat, DESTINATION, mesh->edge);
    if (!still_there(walk, sat, mesh))
        return 0;
    const uint32_t rejoin = walk->rejoin;
    go_around_clause(walk, sat, mesh);
    words(walk, sat, ETA, mesh->edge);
    words(walk, sat, ETA, mesh->edge);
    MEET(walk, rejoin);
    return walk->mask;
}

/*
 * Compute the bias of each lane's variable. A thread with an unfixed variable appends the bias and the variable to the
 * lists. The program takes the place in the lists by an atomic; here the places follow the order of the variables.
 */
static uint64_t visit_bias(gpci_walk *walk, const gpci_launch *launch, survey *mesh) {
    const formula *sat = launch->data;
    uint64_t open = 0, some = 0, listed[GPCI_SYNTHETIC_LANES];
    EACH_LANE(walk, lane, lanes) {
        open |= (uint64_t)!is_fixed(sat, mesh->edge[lane]) << lane;
        some |= (uint64_t)(sat->first[mesh->edge[lane]] < sat->first[mesh->edge[lane] + 1]) << lane;
        listed[lane] = sat->listed[mesh->edge[lane]];
    }
    access_each(walk, sat, VARIABLE_SAT, mesh->edge, 1);
    if (!gpci_if(walk, walk->mask & open))
        return 0;
    const uint32_t rejoin = walk->rejoin;
    const uint64_t all = walk->mask;
    load_rows(walk, sat, VARIABLE_ROWS, mesh->edge, mesh);
    if (gpci_if(walk, all & some))
        do {
            if (gpci_if(walk, walk->mask & load_clause(walk, sat, mesh))) {
                words(walk, sat, ETA, mesh->over);
                access_each(walk, sat, BAR, mesh->over, 1);
            }
            gpci_end_if(walk);
        } while (next_edge(walk, mesh));
    walk->mask = all;
    words(walk, sat, BIAS, mesh->edge);
    access_each(walk, sat, VALUE, mesh->edge, 1);
    gpci_access(walk, sat->base[LIST_LENGTH], 0);
    words(walk, sat, LIST, listed);
    words(walk, sat, LIST_VARIABLES, listed);
    MEET(walk, rejoin);
    return all;
}

static void walk_pi(gpci_walk *walk, const gpci_launch *launch) {
    if (!gpci_guard(walk, gpci_below(walk, walk->x * SURVEY_THREADS + walk->first, launch->n)))
        return;
    visit_all(walk, launch, visit_pi);
    walk->mask = walk->all;
    gpci_finish(walk);
}

static void walk_eta(gpci_walk *walk, const gpci_launch *launch) {
    const formula *sat = launch->data;
    if (!gpci_guard(walk, gpci_below(walk, walk->x * SURVEY_THREADS + walk->first, launch->n)))
        return;
    const uint64_t changed = visit_all(walk, launch, visit_eta);
    walk->mask = walk->all;
    if (!gpci_guard(walk, changed))
        return;
    gpci_access(walk, sat->base[MOST_CHANGED], 0);
    gpci_finish(walk);
}

static void add_warp(gpci_walk *walk) {
    const uint64_t own = GPCI_SHARED_BASE + walk->first * GPCI_ELEMENT;
    for (uint64_t half = walk->lanes / 2; half; half /= 2) {
        gpci_access(walk, own, GPCI_ELEMENT);
        if (gpci_if(walk, gpci_below(walk, 0, walk->lanes - half)))
            gpci_access(walk, own + half * GPCI_ELEMENT, GPCI_ELEMENT);
        gpci_end_if(walk);
        gpci_branch(walk, half > 1);
    }
    if (gpci_if(walk, walk->mask & 1))
        gpci_access(walk, GPCI_SHARED_BASE + (SURVEY_THREADS + walk->first / walk->lanes) * GPCI_ELEMENT, 0);
    gpci_end_if(walk);
}

static void walk_bias(gpci_walk *walk, const gpci_launch *launch) {
    const formula *sat = launch->data;
    if (gpci_if(walk, gpci_below(walk, walk->x * SURVEY_THREADS + walk->first, launch->n)))
        visit_all(walk, launch, visit_bias);
    walk->mask = walk->all;
    add_warp(walk);
    gpci_barrier(walk);
    if (!gpci_guard(walk, walk->first ? 0 : 1))
        return;
    for (uint64_t warp = 1; warp < SURVEY_THREADS / walk->lanes; warp++) {
        gpci_access(walk, GPCI_SHARED_BASE + (SURVEY_THREADS + warp) * GPCI_ELEMENT, 0);
        gpci_branch(walk, warp + 1 < SURVEY_THREADS / walk->lanes);
    }
    gpci_access(walk, sat->base[SUM], 0);
    gpci_finish(walk);
}

/*
 * Mask of lanes whose edge satisfies its clause: a negated literal of a false variable, or a plain literal of a true
 * one.
 */
static uint64_t satisfying(const gpci_walk *walk, const gpci_launch *launch, const survey *mesh) {
    uint64_t found = 0;
    EACH_LANE(walk, lane, lanes)
    found |= (uint64_t)(negated(launch, mesh->over[lane]) != value_of(launch, mesh->variable[lane])) << lane;
    return found;
}

static void walk_decimate(gpci_walk *walk, const gpci_launch *launch) {
    const formula *sat = launch->data;
    survey mesh;
    uint64_t some = 0;
    const uint64_t thread = walk->x * SURVEY_THREADS + walk->first, last = sat->variables - sat->fixed;
    gpci_access(walk, sat->base[LIST_LENGTH], 0);
    if (!gpci_guard(walk, gpci_below(walk, thread, launch->steps)))
        return;
    EACH_LANE(walk, lane, lanes) {
        mesh.edge[lane] = last - launch->steps + thread + lane;
        mesh.variable[lane] = sat->order[sat->fixed + thread + lane];
        some |= (uint64_t)(sat->first[mesh.variable[lane]] < sat->first[mesh.variable[lane] + 1]) << lane;
    }
    words(walk, sat, LIST_VARIABLES, mesh.edge);
    access_each(walk, sat, VARIABLE_SAT, mesh.variable, 1);
    load_rows(walk, sat, VARIABLE_ROWS, mesh.variable, &mesh);
    if (!gpci_guard(walk, some))
        return;
    do {
        if (gpci_if(walk, walk->mask & load_clause(walk, sat, &mesh))) {
            access_each(walk, sat, BAR, mesh.over, 1);
            access_each(walk, sat, VALUE, mesh.variable, 1);
            if (narrow(walk, satisfying(walk, launch, &mesh)))
                access_each(walk, sat, CLAUSE_SAT, mesh.other, 1);
        }
        gpci_end_if(walk);
    } while (next_edge(walk, &mesh));
    walk->mask = walk->all;
    gpci_finish(walk);
}

/* Draw three different variables for a clause. */
static void draw_clause(formula *sat, uint64_t clause, uint64_t *state) {
    uint32_t *variable = sat->variable + clause * LITERALS;
    for (unsigned k = 0; k < LITERALS; k++)
        do
            variable[k] = gpci_random_below(state, (uint32_t)sat->variables);
        while ((k > 0 && variable[k] == variable[0]) || (k > 1 && variable[k] == variable[1]));
}

/* Sort the edges by variable. The edges of a variable keep their order. */
static void sort_edges(formula *sat) {
    for (uint64_t edge = 0; edge < sat->edges; edge++)
        sat->first[sat->variable[edge] + 1]++;
    for (uint64_t v = 0; v < sat->variables; v++)
        sat->first[v + 1] += sat->first[v];
    for (uint64_t edge = 0; edge < sat->edges; edge++)
        sat->column[sat->first[sat->variable[edge]]++] = (uint32_t)edge;
    for (uint64_t v = sat->variables; v > 0; v--)
        sat->first[v] = sat->first[v - 1];
    sat->first[0] = 0;
}

static void fix_variables(formula *sat, const gpci_launch *launch, uint64_t *state) {
    for (uint64_t v = 0; v < sat->variables; v++) {
        const uint32_t other = gpci_random_below(state, (uint32_t)v + 1);
        sat->order[v] = sat->order[other];
        sat->order[other] = (uint32_t)v;
    }
    for (uint64_t v = 0; v < sat->variables; v++)
        sat->place[sat->order[v]] = (uint32_t)v;
    for (uint64_t v = 0, listed = 0; v < sat->variables; v++) {
        sat->listed[v] = (uint32_t)listed;
        listed += !is_fixed(sat, v);
    }
    for (uint64_t edge = 0; edge < sat->edges; edge++)
        if (is_fixed(sat, sat->variable[edge]) && negated(launch, edge) != value_of(launch, sat->variable[edge]))
            sat->satisfied[edge / LITERALS] = 1;
}

static void place_arrays(gpci_problem *problem, formula *sat) {
    const uint64_t clause = sat->clauses, variable = sat->variables, edge = sat->edges * GPCI_ELEMENT;
    const uint64_t bytes[SURVEY_ARRAYS] = {
        [CLAUSE_ROWS] = (clause + 1) * GPCI_ELEMENT,
        [CLAUSE_COLUMNS] = edge,
        [CLAUSE_SAT] = clause,
        [VARIABLE_ROWS] = (variable + 1) * GPCI_ELEMENT,
        [VARIABLE_COLUMNS] = edge,
        [VARIABLE_SAT] = variable,
        [BIAS] = variable * GPCI_ELEMENT,
        [VALUE] = variable,
        [SOURCE] = edge,
        [DESTINATION] = edge,
        [BAR] = sat->edges,
        [ETA] = edge,
        [PI_0] = edge,
        [PI_U] = edge,
        [PI_S] = edge,
        [MOST_CHANGED] = GPCI_ELEMENT,
        [LIST] = variable * GPCI_ELEMENT,
        [LIST_VARIABLES] = variable * GPCI_ELEMENT,
        [LIST_LENGTH] = GPCI_ELEMENT,
        [SUM] = GPCI_ELEMENT,
    };
    for (unsigned k = 0; k < SURVEY_ARRAYS; k++)
        sat->base[k] = gpci_problem_array(problem, bytes[k]);
}

/* Allocate the formula in one piece of memory: the largest and most aligned parts first. */
static formula *make_formula(gpci_problem *problem, uint64_t clauses, uint64_t variables) {
    const uint64_t edges = clauses * LITERALS;
    formula *sat =
        gpci_problem_data(problem, sizeof *sat + (2 * edges + 4 * variables + 1) * sizeof(uint32_t) + clauses);
    if (!sat)
        return NULL;
    sat->clauses = clauses;
    sat->variables = variables;
    sat->edges = edges;
    sat->variable = (uint32_t *)(sat + 1);
    sat->column = sat->variable + edges;
    sat->first = sat->column + edges;
    sat->order = sat->first + variables + 1;
    sat->place = sat->order + variables;
    sat->listed = sat->place + variables;
    sat->satisfied = (uint8_t *)(sat->listed + variables);
    return sat;
}

static gpc_status add_survey(gpci_problem *problem, gpci_launch *launch, const char *name, const char *code,
                             void (*warp)(gpci_walk *, const gpci_launch *), uint64_t n) {
    launch->n = n;
    return gpci_problem_kernel(problem, launch, name, code, warp);
}

static gpc_status plan_surveys(gpci_problem *problem) {
    const uint64_t clauses = problem->size / (LITERALS * GPCI_ELEMENT), ratio = (uint64_t)problem->values[0];
    const uint64_t variables = clauses * 10 / ratio, rounds = (uint64_t)problem->values[1],
                   before = (uint64_t)problem->values[2];
    gpci_launch launch = {.window = (uint64_t)problem->values[3], .seed = gpci_mix((uint64_t)problem->values[5])};
    launch.steps = variables / 100 + (variables < 100);
    if (variables < LITERALS || (before + 1) * launch.steps > variables)
        return gpci_problem_fail(problem, "parameter '%s': %llu variables are too few",
                                 variables < LITERALS ? "ratio" : "decimated", (unsigned long long)variables);
    formula *sat = make_formula(problem, clauses, variables);
    if (!sat)
        return GPC_ERROR_MEMORY;
    uint64_t state = launch.seed;
    for (uint64_t clause = 0; clause < clauses; clause++)
        draw_clause(sat, clause, &state);
    sat->fixed = before * launch.steps;
    sort_edges(sat);
    fix_variables(sat, &launch, &state);
    place_arrays(problem, sat);
    launch.data = sat;
    launch.grid[0] = launch.window;
    launch.block[0] = SURVEY_THREADS;
    const uint64_t most = (uint64_t)problem->values[4] * launch.window * SURVEY_THREADS;
    const uint64_t edges = most && most < sat->edges ? most : sat->edges;
    gpc_status status = GPC_OK;
    for (uint64_t round = 0; status == GPC_OK && round < rounds; round++) {
        status = add_survey(problem, &launch, "_Z14calc_pi_values11GPUCSRGraphS_4Edge", pi_code, walk_pi, edges);
        if (status == GPC_OK)
            status = add_survey(problem, &launch, "_Z10update_eta11GPUCSRGraphS_4EdgePf", eta_code, walk_eta, edges);
    }
    launch.shared = (SURVEY_THREADS + SURVEY_THREADS / 32) * GPCI_ELEMENT;
    if (status == GPC_OK)
        status = add_survey(problem, &launch, "_Z11update_bias11GPUCSRGraphS_4EdgePfPiS2_S1_", bias_code, walk_bias,
                            variables);
    launch.shared = 0;
    return status == GPC_OK
               ? add_survey(problem, &launch, "_Z8decimate11GPUCSRGraphS_4EdgePiPKii", decimate_code, walk_decimate, 0)
               : status;
}

static const gpc_parameter surveys_parameters[] = {
    {"ratio", 42, 1, 100, true, "clauses for each ten variables"},
    {"rounds", 2, 1, (GPCI_SYNTHETIC_LAUNCHES - 2) / 2, true, "of surveys, until they settle; two launches each"},
    {"decimated", 0, 0, 99, true, "how often variables were fixed before, a hundredth each time"},
    {"blocks", 60, 1, 1 << 16, true, "as many as a GPU holds: four for each of a GTX 480's 15 SMs"},
    {"passes", 0, 0, 1 << 20, true, "edges that a thread goes over in a launch of a round, at most; 0: all"},
    {"seed", 1, 0, 1e15, true, "of the formula"},
};

const gpci_synthetic gpci_synthetic_surveys = {
    .name = "sp",
    .summary = "survey propagation over a random 3-SAT formula, as Fermi ran it; SIZE of a number for each literal "
               "(ratio=42, rounds=2, decimated=0, blocks=60, passes=0, seed=1)",
    .least = 16 * LITERALS * GPCI_ELEMENT,
    .parameters = surveys_parameters,
    .parameter_count = 6,
    .plan = plan_surveys,
};
