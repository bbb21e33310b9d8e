/* SPDX-License-Identifier: BSD-2-Clause */
#include "effort.h"
#include "timed/litmus_values.h"

#include "timed/rig.h"

#include <criterion/criterion.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/*
 * Litmus tests with values and thousands of timings, on plain caches. Forbidden outcomes: the PTX memory model (PTX
 * ISA, "Memory Consistency Model"; Lustig, Sahasrabuddhe, Giroux: A Formal Analysis of the NVIDIA PTX Memory
 * Consistency Model, ASPLOS 2019) and HRF (Hower et al., Heterogeneous-race-free Memory Models, ASPLOS 2014), with
 * equal scopes; herd7's names of the shapes. Forbidden outcomes never occur; allowed outcomes that the model can show
 * must occur at least once, to detect tests that cannot fail. A thread is a warp that issues in order, as fast as the
 * memory pipeline accepts, without waiting for loads; at a fence it waits, first for loads, then for the fence.
 */

enum { X, Y };
#define MOST_OPS 8u
#define MOST_THREADS 4u

typedef enum op_kind { END, LOAD, STORE, ADD, FENCE, CONTROL } op_kind;

typedef struct op {
    op_kind kind;
    uint8_t variable, strong; /* strong: relaxed, of the scope of the test */
    uint8_t value;            /* value of a store */
} op;

#define R(v) \
    { LOAD, (v), 0, 0 } /* a weak load */
#define RS(v) \
    { LOAD, (v), 1, 0 } /* a strong load */
#define W(v, n) \
    { STORE, (v), 0, (n) } /* a weak store */
#define WS(v, n) \
    { STORE, (v), 1, (n) }
#define A(v) \
    { ADD, (v), 1, 1 } /* an atomic that adds 1 */
#define F \
    { FENCE, 0, 0, 0 } /* the fence of the test; or nothing */

/*
 * One shape. `bad` gets the values returned by loads and atomics, in the order of threads and ops, and the variables'
 * last values.
 */
typedef struct shape {
    const char *name;
    op ops[MOST_THREADS][MOST_OPS];
    bool (*bad)(const unsigned *r, const unsigned *last);
} shape;

static bool bad_mp(const unsigned *r, const unsigned *last) {
    return (void)last, r[0] == 1 && r[1] == 0;
}

static bool bad_sb(const unsigned *r, const unsigned *last) {
    return (void)last, r[0] == 0 && r[1] == 0;
}

static bool bad_lb(const unsigned *r, const unsigned *last) {
    return (void)last, r[0] == 1 && r[1] == 1;
}

static bool bad_corr(const unsigned *r, const unsigned *last) {
    return (void)last, r[0] == 1 && r[1] == 0;
}

static bool bad_coww(const unsigned *r, const unsigned *last) {
    return (void)r, last[X] != 2;
}

static bool bad_iriw(const unsigned *r, const unsigned *last) {
    return (void)last, r[0] == 1 && r[1] == 0 && r[2] == 1 && r[3] == 0;
}

static bool bad_22w(const unsigned *r, const unsigned *last) {
    return (void)r, last[X] == 1 && last[Y] == 1;
}

static bool bad_wrc(const unsigned *r, const unsigned *last) {
    return (void)last, r[0] == 1 && r[1] == 1 && r[2] == 0;
}

/* Two additions to the flag: the second sees the data published by the first. */
static bool bad_adds(const unsigned *r, const unsigned *last) {
    return last[Y] != 2 || (r[0] == 0 && r[1] == 1 && r[2] == 0);
}

static const shape mp = {"MP", {{W(X, 1), F, WS(Y, 1)}, {RS(Y), F, R(X)}}, bad_mp};
static const shape sb = {"SB", {{WS(X, 1), F, RS(Y)}, {WS(Y, 1), F, RS(X)}}, bad_sb};
static const shape lb = {"LB", {{RS(X), F, WS(Y, 1)}, {RS(Y), F, WS(X, 1)}}, bad_lb};
static const shape corr = {"CoRR", {{WS(X, 1)}, {RS(X), RS(X)}}, bad_corr};
static const shape coww = {"CoWW", {{WS(X, 1), WS(X, 2)}, {RS(X)}}, bad_coww};
static const shape iriw = {"IRIW", {{WS(X, 1)}, {WS(Y, 1)}, {RS(X), F, RS(Y)}, {RS(Y), F, RS(X)}}, bad_iriw};
static const shape iriw_weak = {"IRIW, weak", {{WS(X, 1)}, {WS(Y, 1)}, {RS(X), F, R(Y)}, {RS(Y), F, R(X)}}, bad_iriw};
static const shape two_two_w = {"2+2W", {{WS(X, 1), F, WS(Y, 2)}, {WS(Y, 1), F, WS(X, 2)}}, bad_22w};
static const shape wrc = {"WRC", {{WS(X, 1)}, {RS(X), F, WS(Y, 1)}, {RS(Y), F, R(X)}}, bad_wrc};
static const shape adds = {"MP+adds", {{W(X, 1), F, A(Y)}, {A(Y), F, R(X)}}, bad_adds};

/* Setup of a test. */
typedef struct setup {
    const char *settings;
    gpc_order order; /* order of the fences; WEAK: no fences */
    gpc_scope scope; /* scope of fences and strong accesses */
    bool control;    /* CCTL.IVALL behind every fence */
    bool one_sm;     /* all threads on one SM; otherwise one per SM */
    bool two_parts;
} setup;

typedef struct thread {
    const op *next;
    uint64_t not_before, fence; /* fence: token; or UINT64_MAX */
    uint32_t sm, warp, loads;   /* loads: unfinished accesses of `values`: see waits() */
    unsigned first, count;      /* accesses */
    bool control;               /* the fence is done, and control follows */
} thread;

typedef struct run {
    rig r;
    values v;
    const setup *how;
    uint64_t random, place;
    unsigned numbers[MOST_THREADS][MOST_OPS];
} run;

/* True if a load of the thread is under way. */
static bool waits(const run *u, unsigned t, const op *ops, const op *next) {
    for (const op *o = ops; o < next; o++)
        if ((o->kind == LOAD || o->kind == ADD) && !u->v.accesses[u->numbers[t][o - ops]].done)
            return true;
    return false;
}

/* Offer a thread's next op. */
static void go_on(run *u, unsigned t, thread *th, const op *ops) {
    const op *o = th->next;
    uint64_t now = rig_now(&u->r);
    if (o->kind == END || now < th->not_before)
        return;
    if (th->fence != UINT64_MAX) {
        if (!u->r.done[th->fence].times)
            return;
        th->fence = UINT64_MAX;
        th->control = !th->control && u->how->control;
        th->next += !th->control;
        return;
    }
    if (o->kind == FENCE) {
        fence_shot f = {.sm = th->sm, .warp = th->warp};
        if (u->how->order == GPC_ORDER_WEAK) {
            th->next++;
        } else if (!waits(u, t, ops, o)) {
            if (th->control) {
                f.control = GPC_CONTROL_INVALIDATE_ALL;
            } else {
                f.order = u->how->order;
                f.scope = u->how->scope;
            }
            if (rig_try_fence(&u->r, f, NULL) == GPC_OK)
                th->fence = u->r.issued - 1;
        }
        return;
    }
    shot s = {.address = u->v.addresses[o->variable], .lanes = 1, .width = 4, .sm = th->sm, .warp = th->warp};
    s.kind = o->kind == LOAD ? GPC_LOAD : o->kind == STORE ? GPC_STORE : GPC_ATOMIC;
    s.order = o->strong ? GPC_ORDER_RELAXED : GPC_ORDER_WEAK;
    s.scope = o->strong ? (uint8_t)u->how->scope : GPC_SCOPE_CTA;
    unsigned number = values_expect(&u->v, o->value);
    if (rig_try(&u->r, s, NULL) != GPC_OK) {
        values_forget(&u->v);
        return;
    }
    u->v.issuing = -1;
    u->numbers[t][o - ops] = number;
    th->next++;
    th->not_before = now + (rig_below(&u->random, 3) ? 0 : rig_below(&u->random, 40));
}

/* Lines of the variables as possible stale copies, and traffic that delays one or the other. */
static void prepare(run *u, unsigned threads) {
    for (unsigned t = 0; t < threads; t++)
        for (unsigned variable = X; variable <= Y; variable++)
            if (rig_below(&u->random, 2)) {
                shot s = {.address = u->v.addresses[variable], .lanes = 1, .width = 4, .sm = u->how->one_sm ? 0 : t};
                u->v.issuing = -1;
                rig_push(&u->r, s);
                if (rig_below(&u->random, 4))
                    rig_wait(&u->r, u->r.issued - 1);
            }
    for (unsigned n = rig_below(&u->random, 6); n; n--) {
        shot s = {.address = (UINT64_C(1) << 40) + rig_below(&u->random, 1 << 20) * 32ull, .stride = 128};
        s.lanes = 1 + rig_below(&u->random, 8);
        s.width = 4;
        s.sm = u->how->one_sm ? 0 : rig_below(&u->random, threads);
        s.kind = rig_below(&u->random, 2) ? GPC_LOAD : GPC_STORE;
        rig_push(&u->r, s);
    }
}

/* Variables in untouched lines, of any slice. */
static void place(run *u) {
    uint64_t addresses[VALUES_VARIABLES];
    for (unsigned i = 0; i < VALUES_VARIABLES; i++)
        addresses[i] = u->place += 128ull * (1 + rig_below(&u->random, 64));
    values_begin(&u->v, addresses);
}

/* Run a shape once; true if the bad outcome occurred. */
static bool once(run *u, const shape *s) {
    thread threads[MOST_THREADS];
    unsigned count = 0, r[16], loads = 0;
    while (count < MOST_THREADS && s->ops[count][0].kind != END)
        count++;
    u->r.issued = u->r.completed = 0;
    memset(u->r.done, 0, 256 * sizeof *u->r.done);
    u->r.memory.latency = 20 + rig_below(&u->random, 400);
    place(u);
    prepare(u, count);
    uint64_t now = rig_now(&u->r);
    for (unsigned t = 0; t < count; t++)
        threads[t] = (thread){.next = s->ops[t],
                              .not_before = now + rig_below(&u->random, rig_below(&u->random, 2) ? 30 : 500),
                              .fence = UINT64_MAX,
                              .sm = u->how->one_sm ? 0 : t,
                              .warp = t};
    for (bool going = true; going || gpc_hierarchy_in_flight(u->r.hierarchy);) {
        going = false;
        for (unsigned t = 0; t < count; t++) {
            go_on(u, t, &threads[t], s->ops[t]);
            going |= threads[t].next->kind != END;
        }
        rig_step(&u->r);
        cr_assert_lt(rig_now(&u->r), now + 100000, "%s: stuck", s->name);
    }
    rig_finish(&u->r);
    for (unsigned t = 0; t < count; t++)
        for (const op *o = s->ops[t]; o->kind != END; o++)
            if (o->kind == LOAD || o->kind == ADD) {
                unsigned number = u->numbers[t][o - s->ops[t]];
                cr_assert(u->v.accesses[number].done, "%s: a load without a value", s->name);
                r[loads++] = u->v.accesses[number].reads;
            }
    return s->bad(r, u->v.home);
}

static const char common[] =
    "sm.count = 4\nl1.queue = 2\nl2.slices = 4\nl2.interleave_bytes = 128\nkernels.flush = l1\n"
    "network.width = 32B\nnetwork.reply_width = 32B\nl1.write_allocate = none\n"
    "l2.write_allocate = lazy\nl1.size = 4KiB\nnetwork.queues = virtual\nl2.queue = 1\n"
    "l2.mshr_entries = 2\n";

/* Count of bad outcomes in a number of timings; stops at `most`. */
static unsigned bads(const shape *s, const setup *how, unsigned timings, unsigned most) {
    static run u;
    char settings[1024];
    memset(&u, 0, sizeof u);
    snprintf(settings, sizeof settings, "%s%s%s", common, how->settings,
             how->two_parts ? "l2.partitions = 2\nl2.slices = 8\nl2.sm_partition = pairs\nl2.link_latency = 60\n" : "");
    u.how = how;
    u.random = 1;
    u.place = 1 << 20;
    rig_open(&u.r, settings, 100);
    values_watch(&u.v, u.r.hierarchy, how->two_parts ? 8 : 4, how->two_parts ? 2 : 1);
    unsigned count = 0;
    for (unsigned n = 0; n < timings && count < most; n++)
        count += once(&u, s);
    rig_abandon(&u.r);
    return count;
}

#define TIMINGS 1500u

static const char through[] = "coherence = viper\nl1.write_policy = through\n";
static const char evict[] = "coherence = viper\nl1.write_policy = evict\n";
static const char always[] = "coherence = viper\nl1.write_policy = evict\nl1.bypass = always-cache\n";
static const char none[] = "coherence = none\nl1.write_policy = evict\n";

static void never(const shape *s, setup how) {
    const unsigned timings = effort_of(2 * TIMINGS), count = bads(s, &how, timings, UINT_MAX);
    cr_expect_eq(count, 0, "%s: %u of %u, order %d scope %d%s%s, %s", s->name, count, timings, how.order, how.scope,
                 how.control ? " control" : "", how.two_parts ? " two partitions" : "", how.settings);
}

static void at_times(const shape *s, setup how) {
    cr_expect_gt(bads(s, &how, 8 * TIMINGS, 1), 0, "%s: never, order %d scope %d, %s", s->name, how.order, how.scope,
                 how.settings);
}

#define WITH(s, o, sc, ...) ((setup){.settings = (s), .order = GPC_ORDER_##o, .scope = GPC_SCOPE_##sc, __VA_ARGS__})

/* Threads on separate SMs, fences and accesses of a scope with all of them. */
Test(litmus, forbidden_under_viper) {
    static const char *const ways[] = {through, evict, always};
    static const shape *const sc[] = {&mp, &sb, &lb, &iriw, &two_two_w, &wrc, &adds};
    for (unsigned w = 0; w < 3; w++)
        for (unsigned i = 0; i < sizeof sc / sizeof *sc; i++)
            never(sc[i], WITH(ways[w], SC, GPU, .control = false));
    static const shape *const acq_rel[] = {&mp, &lb, &two_two_w, &wrc, &adds};
    for (unsigned i = 0; i < sizeof acq_rel / sizeof *acq_rel; i++) {
        never(acq_rel[i], WITH(evict, ACQ_REL, GPU, .control = false));
        never(acq_rel[i], WITH(evict, ACQ_REL, SYS, .control = false));
    }
    never(&mp, WITH(evict, ACQ_REL, CLUSTER, .control = false));
}

/* One location is coherent without fences, for strong accesses. */
Test(litmus, one_location) {
    static const char *const ways[] = {through, evict, always, none};
    for (unsigned w = 0; w < 4; w++) {
        never(&corr, WITH(ways[w], WEAK, GPU, .control = false));
        never(&coww, WITH(ways[w], WEAK, GPU, .control = false));
        never(&corr, WITH(ways[w], WEAK, GPU, .two_parts = true));
    }
}

/* As NVIDIA's compiler does: the fence orders, CCTL.IVALL behind makes L1 drop lines. */
Test(litmus, forbidden_under_none_with_control) {
    static const shape *const shapes[] = {&mp, &sb, &lb, &iriw, &two_two_w, &wrc, &adds};
    for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++)
        never(shapes[i], WITH(none, SC, GPU, .control = true));
}

/* On one SM fences of the thread block suffice, and L1 keeps lines. */
Test(litmus, thread_block) {
    static const char *const ways[] = {through, evict, none};
    static const shape *const shapes[] = {&mp, &lb, &two_two_w, &wrc, &adds};
    for (unsigned w = 0; w < 3; w++)
        for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++)
            never(shapes[i], WITH(ways[w], ACQ_REL, CTA, .one_sm = true));
}

/* Allowed outcomes occur: without fences, with too small a scope, without the effect of an acquire or control. */
Test(litmus, allowed) {
    at_times(&mp, WITH(evict, WEAK, GPU, .control = false));
    at_times(&mp, WITH(evict, ACQ_REL, CTA, .control = false));
    at_times(&mp, WITH(none, ACQ_REL, GPU, .control = false));
    at_times(&mp, WITH(none, SC, GPU, .control = false));
    at_times(&sb, WITH(evict, WEAK, GPU, .control = false));
    at_times(&lb, WITH(evict, WEAK, GPU, .control = false));
    at_times(&iriw_weak, WITH(evict, WEAK, GPU, .control = false));
    at_times(&two_two_w, WITH(evict, WEAK, GPU, .control = false));
    at_times(&wrc, WITH(evict, WEAK, GPU, .control = false));
    at_times(&wrc, WITH(none, SC, GPU, .control = false));
}

/* Two L2 partitions: copies of lines homed in the other are never older than a fence allows. */
Test(litmus, partitions) {
    static const shape *const shapes[] = {&mp, &sb, &lb, &iriw, &two_two_w, &wrc, &adds};
    for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        never(shapes[i], WITH(evict, SC, GPU, .two_parts = true));
    }
}
