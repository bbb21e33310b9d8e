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
 * The number of threads fills the SMs, 384 a block; a thread goes on to later edges by this number. Edges are in CSR,
 * by clause and by variable; the three different variables of a clause are random. The variables with the strongest
 * bias, and their values, are also random. Published: 42,000 clauses, 10,000 variables, with a hundredth of the
 * variables fixed at a time.
 */

#define SURVEY_THREADS 384u
#define LITERALS UINT64_C(3)

/* R0 edge, R3 its variable, R4 its clause, R7 to R8 range of visited edges, R9 visited edge. */
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

static uint64_t negated(const gpci_launch *l, uint64_t edge) {
    return gpci_mix(l->seed + edge * 4 + 1) >> 63;
}

static uint64_t value_of(const gpci_launch *l, uint64_t variable) {
    return gpci_mix(l->seed + variable * 4 + 2) >> 63;
}

static bool is_fixed(const formula *f, uint64_t variable) {
    return f->place[variable] < f->fixed;
}

/* Access each lane's element of an array. */
static void access_each(gpci_walk *w, const formula *f, unsigned array, const uint64_t *index, uint64_t bytes) {
    uint64_t offsets[GPCI_SYNTHETIC_LANES];
    for (unsigned lane = 0; lane < w->lanes; lane++)
        offsets[lane] = w->mask >> lane & 1 ? index[lane] * bytes : 0;
    gpci_access_at(w, f->base[array], offsets);
}

static void words(gpci_walk *w, const formula *f, unsigned array, const uint64_t *index) {
    access_each(w, f, array, index, GPCI_ELEMENT);
}

/* Keep only the lanes in `stay`. The other lanes branch to the meeting point of an earlier branch. */
static bool narrow(gpci_walk *w, uint64_t stay) {
    const uint64_t outer = w->outer;
    const bool any = gpci_if(w, w->mask & stay);
    w->outer = outer;
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

static void set_ends(const gpci_walk *w, const formula *f, survey *s) {
    EACH_LANE(w, lane, lanes) {
        s->variable[lane] = f->variable[s->edge[lane]];
        s->clause[lane] = s->edge[lane] / LITERALS;
    }
}

/* Keep only lanes with an unsatisfied clause and an unfixed variable; false: no such lane. */
static bool still_there(gpci_walk *w, const formula *f, const survey *s) {
    uint64_t clauses = 0, variables = 0;
    EACH_LANE(w, lane, lanes) {
        clauses |= (uint64_t)!f->satisfied[s->clause[lane]] << lane;
        variables |= (uint64_t)!is_fixed(f, s->variable[lane]) << lane;
    }
    access_each(w, f, CLAUSE_SAT, s->clause, 1);
    if (!gpci_if(w, w->mask & clauses))
        return false;
    access_each(w, f, VARIABLE_SAT, s->variable, 1);
    return narrow(w, variables);
}

/* Load the range of a row, in either CSR. */
static void load_rows(gpci_walk *w, const formula *f, unsigned array, const uint64_t *row, survey *s) {
    uint64_t next[GPCI_SYNTHETIC_LANES];
    EACH_LANE(w, lane, lanes) {
        next[lane] = row[lane] + 1;
        s->at[lane] = array == CLAUSE_ROWS ? row[lane] * LITERALS : f->first[row[lane]];
        s->end[lane] = array == CLAUSE_ROWS ? next[lane] * LITERALS : f->first[next[lane]];
    }
    words(w, f, array, row);
    words(w, f, array, next);
}

/* Load the next of a variable's edges, and its clause; returns the lanes with an unsatisfied clause. */
static uint64_t load_clause(gpci_walk *w, const formula *f, survey *s) {
    uint64_t open = 0;
    EACH_LANE(w, lane, lanes) {
        s->over[lane] = f->column[s->at[lane]];
        s->other[lane] = s->over[lane] / LITERALS;
        open |= (uint64_t)!f->satisfied[s->other[lane]] << lane;
    }
    words(w, f, VARIABLE_COLUMNS, s->at);
    words(w, f, SOURCE, s->over);
    access_each(w, f, CLAUSE_SAT, s->other, 1);
    return open;
}

static bool next_edge(gpci_walk *w, survey *s) {
    uint64_t again = 0;
    EACH_LANE(w, lane, lanes)
    again |= (uint64_t)(++s->at[lane] < s->end[lane]) << lane;
    return gpci_loop(w, again);
}

static void go_around_variable(gpci_walk *w, const formula *f, survey *s) {
    const uint64_t all = w->mask;
    load_rows(w, f, VARIABLE_ROWS, s->variable, s);
    do {
        uint64_t others = 0;
        const uint64_t open = load_clause(w, f, s);
        EACH_LANE(w, lane, lanes)
        others |= (uint64_t)(s->other[lane] != s->clause[lane]) << lane;
        if (gpci_if(w, w->mask & open) && narrow(w, others)) {
            words(w, f, ETA, s->over);
            access_each(w, f, BAR, s->over, 1);
            access_each(w, f, BAR, s->edge, 1);
        }
        gpci_end_if(w);
    } while (next_edge(w, s));
    w->mask = all;
}

static void go_around_clause(gpci_walk *w, const formula *f, survey *s) {
    const uint64_t all = w->mask;
    load_rows(w, f, CLAUSE_ROWS, s->clause, s);
    do {
        uint64_t others = 0, open = 0;
        EACH_LANE(w, lane, lanes) {
            s->other[lane] = f->variable[s->at[lane]];
            others |= (uint64_t)(s->other[lane] != s->variable[lane]) << lane;
            open |= (uint64_t)!is_fixed(f, s->other[lane]) << lane;
        }
        words(w, f, CLAUSE_COLUMNS, s->at);
        words(w, f, DESTINATION, s->at);
        if (gpci_if(w, w->mask & others)) {
            access_each(w, f, VARIABLE_SAT, s->other, 1);
            if (narrow(w, open)) {
                words(w, f, PI_0, s->at);
                words(w, f, PI_S, s->at);
                words(w, f, PI_U, s->at);
            }
        }
        gpci_end_if(w);
    } while (next_edge(w, s));
    w->mask = all;
}

/*
 * Visit all edges or variables of a thread. `visit` handles one element for each lane, and returns the lanes that
 * acted.
 */
static uint64_t visit_all(gpci_walk *w, const gpci_launch *l,
                          uint64_t (*visit)(gpci_walk *, const gpci_launch *, survey *)) {
    survey s;
    uint64_t again, done = 0;
    for (unsigned lane = 0; lane < w->lanes; lane++)
        s.edge[lane] = w->x * SURVEY_THREADS + w->first + lane;
    do {
        const uint64_t all = w->mask;
        done |= visit(w, l, &s);
        w->outer = all;
        gpci_end_if(w);
        again = 0;
        EACH_LANE(w, lane, lanes) {
            s.edge[lane] += l->window * SURVEY_THREADS;
            again |= (uint64_t)(s.edge[lane] < l->n) << lane;
        }
    } while (gpci_loop(w, again));
    return done;
}

/* Let lanes meet behind the whole visit, as without inner loops. */
#define MEET(w, rejoined) ((w)->rejoin = (rejoined))

static uint64_t visit_pi(gpci_walk *w, const gpci_launch *l, survey *s) {
    const formula *f = l->data;
    set_ends(w, f, s);
    words(w, f, DESTINATION, s->edge);
    words(w, f, SOURCE, s->edge);
    if (!still_there(w, f, s))
        return 0;
    const uint32_t rejoin = w->rejoin;
    go_around_variable(w, f, s);
    words(w, f, PI_0, s->edge);
    words(w, f, PI_U, s->edge);
    words(w, f, PI_S, s->edge);
    MEET(w, rejoin);
    return w->mask;
}

static uint64_t visit_eta(gpci_walk *w, const gpci_launch *l, survey *s) {
    const formula *f = l->data;
    set_ends(w, f, s);
    words(w, f, SOURCE, s->edge);
    words(w, f, DESTINATION, s->edge);
    if (!still_there(w, f, s))
        return 0;
    const uint32_t rejoin = w->rejoin;
    go_around_clause(w, f, s);
    words(w, f, ETA, s->edge);
    words(w, f, ETA, s->edge);
    MEET(w, rejoin);
    return w->mask;
}

/* Threads append to the list in the order of their variables. */
static uint64_t visit_bias(gpci_walk *w, const gpci_launch *l, survey *s) {
    const formula *f = l->data;
    uint64_t open = 0, some = 0, listed[GPCI_SYNTHETIC_LANES];
    EACH_LANE(w, lane, lanes) {
        open |= (uint64_t)!is_fixed(f, s->edge[lane]) << lane;
        some |= (uint64_t)(f->first[s->edge[lane]] < f->first[s->edge[lane] + 1]) << lane;
        listed[lane] = f->listed[s->edge[lane]];
    }
    access_each(w, f, VARIABLE_SAT, s->edge, 1);
    if (!gpci_if(w, w->mask & open))
        return 0;
    const uint32_t rejoin = w->rejoin;
    const uint64_t all = w->mask;
    load_rows(w, f, VARIABLE_ROWS, s->edge, s);
    if (gpci_if(w, all & some))
        do {
            if (gpci_if(w, w->mask & load_clause(w, f, s))) {
                words(w, f, ETA, s->over);
                access_each(w, f, BAR, s->over, 1);
            }
            gpci_end_if(w);
        } while (next_edge(w, s));
    w->mask = all;
    words(w, f, BIAS, s->edge);
    access_each(w, f, VALUE, s->edge, 1);
    gpci_access(w, f->base[LIST_LENGTH], 0);
    words(w, f, LIST, listed);
    words(w, f, LIST_VARIABLES, listed);
    MEET(w, rejoin);
    return all;
}

static void walk_pi(gpci_walk *w, const gpci_launch *l) {
    if (!gpci_guard(w, gpci_below(w, w->x * SURVEY_THREADS + w->first, l->n)))
        return;
    visit_all(w, l, visit_pi);
    w->mask = w->all;
    gpci_finish(w);
}

static void walk_eta(gpci_walk *w, const gpci_launch *l) {
    const formula *f = l->data;
    if (!gpci_guard(w, gpci_below(w, w->x * SURVEY_THREADS + w->first, l->n)))
        return;
    const uint64_t changed = visit_all(w, l, visit_eta);
    w->mask = w->all;
    if (!gpci_guard(w, changed))
        return;
    gpci_access(w, f->base[MOST_CHANGED], 0);
    gpci_finish(w);
}

static void add_warp(gpci_walk *w) {
    const uint64_t own = GPCI_SHARED_BASE + w->first * GPCI_ELEMENT;
    for (uint64_t half = w->lanes / 2; half; half /= 2) {
        gpci_access(w, own, GPCI_ELEMENT);
        if (gpci_if(w, gpci_below(w, 0, w->lanes - half)))
            gpci_access(w, own + half * GPCI_ELEMENT, GPCI_ELEMENT);
        gpci_end_if(w);
        gpci_branch(w, half > 1);
    }
    if (gpci_if(w, w->mask & 1))
        gpci_access(w, GPCI_SHARED_BASE + (SURVEY_THREADS + w->first / w->lanes) * GPCI_ELEMENT, 0);
    gpci_end_if(w);
}

static void walk_bias(gpci_walk *w, const gpci_launch *l) {
    const formula *f = l->data;
    if (gpci_if(w, gpci_below(w, w->x * SURVEY_THREADS + w->first, l->n)))
        visit_all(w, l, visit_bias);
    w->mask = w->all;
    add_warp(w);
    gpci_barrier(w);
    if (!gpci_guard(w, w->first ? 0 : 1))
        return;
    for (uint64_t warp = 1; warp < SURVEY_THREADS / w->lanes; warp++) {
        gpci_access(w, GPCI_SHARED_BASE + (SURVEY_THREADS + warp) * GPCI_ELEMENT, 0);
        gpci_branch(w, warp + 1 < SURVEY_THREADS / w->lanes);
    }
    gpci_access(w, f->base[SUM], 0);
    gpci_finish(w);
}

/*
 * Mask of lanes whose edge satisfies its clause: a negated literal of a false variable, or a plain literal of a true
 * one.
 */
static uint64_t satisfying(const gpci_walk *w, const gpci_launch *l, const survey *s) {
    uint64_t found = 0;
    EACH_LANE(w, lane, lanes)
    found |= (uint64_t)(negated(l, s->over[lane]) != value_of(l, s->variable[lane])) << lane;
    return found;
}

static void walk_decimate(gpci_walk *w, const gpci_launch *l) {
    const formula *f = l->data;
    survey s;
    uint64_t some = 0;
    const uint64_t thread = w->x * SURVEY_THREADS + w->first, last = f->variables - f->fixed;
    gpci_access(w, f->base[LIST_LENGTH], 0);
    if (!gpci_guard(w, gpci_below(w, thread, l->steps)))
        return;
    EACH_LANE(w, lane, lanes) {
        s.edge[lane] = last - l->steps + thread + lane;
        s.variable[lane] = f->order[f->fixed + thread + lane];
        some |= (uint64_t)(f->first[s.variable[lane]] < f->first[s.variable[lane] + 1]) << lane;
    }
    words(w, f, LIST_VARIABLES, s.edge);
    access_each(w, f, VARIABLE_SAT, s.variable, 1);
    load_rows(w, f, VARIABLE_ROWS, s.variable, &s);
    if (!gpci_guard(w, some))
        return;
    do {
        if (gpci_if(w, w->mask & load_clause(w, f, &s))) {
            access_each(w, f, BAR, s.over, 1);
            access_each(w, f, VALUE, s.variable, 1);
            if (narrow(w, satisfying(w, l, &s)))
                access_each(w, f, CLAUSE_SAT, s.other, 1);
        }
        gpci_end_if(w);
    } while (next_edge(w, &s));
    w->mask = w->all;
    gpci_finish(w);
}

/* Three different variables of a clause. */
static void draw_clause(formula *f, uint64_t clause, uint64_t *state) {
    uint32_t *variable = f->variable + clause * LITERALS;
    for (unsigned k = 0; k < LITERALS; k++)
        do
            variable[k] = gpci_random_below(state, (uint32_t)f->variables);
        while ((k > 0 && variable[k] == variable[0]) || (k > 1 && variable[k] == variable[1]));
}

/* Sort the edges by variable, stable. */
static void sort_edges(formula *f) {
    for (uint64_t edge = 0; edge < f->edges; edge++)
        f->first[f->variable[edge] + 1]++;
    for (uint64_t v = 0; v < f->variables; v++)
        f->first[v + 1] += f->first[v];
    for (uint64_t edge = 0; edge < f->edges; edge++)
        f->column[f->first[f->variable[edge]]++] = (uint32_t)edge;
    for (uint64_t v = f->variables; v > 0; v--)
        f->first[v] = f->first[v - 1];
    f->first[0] = 0;
}

static void fix_variables(formula *f, const gpci_launch *l, uint64_t *state) {
    for (uint64_t v = 0; v < f->variables; v++) {
        const uint32_t other = gpci_random_below(state, (uint32_t)v + 1);
        f->order[v] = f->order[other];
        f->order[other] = (uint32_t)v;
    }
    for (uint64_t v = 0; v < f->variables; v++)
        f->place[f->order[v]] = (uint32_t)v;
    for (uint64_t v = 0, listed = 0; v < f->variables; v++) {
        f->listed[v] = (uint32_t)listed;
        listed += !is_fixed(f, v);
    }
    for (uint64_t edge = 0; edge < f->edges; edge++)
        if (is_fixed(f, f->variable[edge]) && negated(l, edge) != value_of(l, f->variable[edge]))
            f->satisfied[edge / LITERALS] = 1;
}

static void place_arrays(gpci_problem *p, formula *f) {
    const uint64_t clause = f->clauses, variable = f->variables, edge = f->edges * GPCI_ELEMENT;
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
        [BAR] = f->edges,
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
        f->base[k] = gpci_problem_array(p, bytes[k]);
}

/* Allocate the formula in one piece of memory: the largest and most aligned parts first. */
static formula *make_formula(gpci_problem *p, uint64_t clauses, uint64_t variables) {
    const uint64_t edges = clauses * LITERALS;
    formula *f = gpci_problem_data(p, sizeof *f + (2 * edges + 4 * variables + 1) * sizeof(uint32_t) + clauses);
    if (!f)
        return NULL;
    f->clauses = clauses;
    f->variables = variables;
    f->edges = edges;
    f->variable = (uint32_t *)(f + 1);
    f->column = f->variable + edges;
    f->first = f->column + edges;
    f->order = f->first + variables + 1;
    f->place = f->order + variables;
    f->listed = f->place + variables;
    f->satisfied = (uint8_t *)(f->listed + variables);
    return f;
}

static gpc_status add_survey(gpci_problem *p, gpci_launch *l, const char *name, const char *code,
                             void (*warp)(gpci_walk *, const gpci_launch *), uint64_t n) {
    l->name = name;
    l->code = code;
    l->warp = warp;
    l->n = n;
    return gpci_problem_launch(p, l);
}

static gpc_status plan_surveys(gpci_problem *p) {
    const uint64_t clauses = p->size / (LITERALS * GPCI_ELEMENT), ratio = (uint64_t)p->values[0];
    const uint64_t variables = clauses * 10 / ratio, rounds = (uint64_t)p->values[1], before = (uint64_t)p->values[2];
    gpci_launch l = {.window = (uint64_t)p->values[3], .seed = gpci_mix((uint64_t)p->values[5])};
    l.steps = variables / 100 + (variables < 100);
    if (variables < LITERALS || (before + 1) * l.steps > variables)
        return gpci_problem_fail(p, "parameter '%s': %llu variables are too few",
                                 variables < LITERALS ? "ratio" : "decimated", (unsigned long long)variables);
    formula *f = make_formula(p, clauses, variables);
    if (!f)
        return GPC_ERROR_MEMORY;
    uint64_t state = l.seed;
    for (uint64_t clause = 0; clause < clauses; clause++)
        draw_clause(f, clause, &state);
    f->fixed = before * l.steps;
    sort_edges(f);
    fix_variables(f, &l, &state);
    place_arrays(p, f);
    l.data = f;
    l.grid[0] = l.window;
    l.block[0] = SURVEY_THREADS;
    const uint64_t most = (uint64_t)p->values[4] * l.window * SURVEY_THREADS;
    const uint64_t edges = most && most < f->edges ? most : f->edges;
    gpc_status status = GPC_OK;
    for (uint64_t round = 0; status == GPC_OK && round < rounds; round++) {
        status = add_survey(p, &l, "_Z14calc_pi_values11GPUCSRGraphS_4Edge", pi_code, walk_pi, edges);
        if (status == GPC_OK)
            status = add_survey(p, &l, "_Z10update_eta11GPUCSRGraphS_4EdgePf", eta_code, walk_eta, edges);
    }
    l.shared = (SURVEY_THREADS + SURVEY_THREADS / 32) * GPCI_ELEMENT;
    if (status == GPC_OK)
        status = add_survey(p, &l, "_Z11update_bias11GPUCSRGraphS_4EdgePfPiS2_S1_", bias_code, walk_bias, variables);
    l.shared = 0;
    return status == GPC_OK
               ? add_survey(p, &l, "_Z8decimate11GPUCSRGraphS_4EdgePiPKii", decimate_code, walk_decimate, 0)
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
