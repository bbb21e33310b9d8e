/* SPDX-License-Identifier: BSD-2-Clause */
#include "effort.h"
#include "timed/coherent_rig.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/*
 * Litmus tests with values, in thousands of timings (shapes for GPUs by Alglave et al., "GPU Concurrency: Weak
 * Behaviours and Programming Assumptions", ASPLOS 2015; names of the herd tools). A thread is a warp of a separate SM.
 * In order: it issues an access when the previous is done. Fenced: when a later fence is done, and for a load, the
 * load, too. In a row: as soon as L1 accepts. In order and fenced, a protocol with a directory is sequentially
 * consistent for coherent stores: every outcome listed here is forbidden. In a row marked outcomes may occur, because
 * loads and stores of different lines overtake one another in the levels below; those of one line never do.
 */

enum { X, Y, PLACES };
enum { THREADS = 4, OPS = 2, READS = 4 };
typedef enum how { IN_A_ROW, IN_ORDER, FENCED } how;

typedef struct op {
    char kind; /* 'W', 'R', 0: none */
    uint8_t place;
    uint8_t value; /* value written; for a read, the place to read */
} op;

typedef struct litmus {
    const char *name;
    op threads[THREADS][OPS];
    int16_t reads[READS]; /* values read in the outcome; -1: any */
    int16_t end[PLACES];  /* and the final values */
    bool weak;            /* may occur in a row */
} litmus;

static const litmus tests[] = {
    {"SB", {{{'W', X, 1}, {'R', Y, 0}}, {{'W', Y, 1}, {'R', X, 1}}}, {0, 0, -1, -1}, {-1, -1}, true},
    {"MP", {{{'W', X, 1}, {'W', Y, 1}}, {{'R', Y, 0}, {'R', X, 1}}}, {1, 0, -1, -1}, {-1, -1}, true},
    {"LB", {{{'R', X, 0}, {'W', Y, 1}}, {{'R', Y, 1}, {'W', X, 1}}}, {1, 1, -1, -1}, {-1, -1}, true},
    {"IRIW",
     {{{'W', X, 1}}, {{'W', Y, 1}}, {{'R', X, 0}, {'R', Y, 1}}, {{'R', Y, 2}, {'R', X, 3}}},
     {1, 0, 1, 0},
     {-1, -1},
     true},
    {"2+2W", {{{'W', X, 1}, {'W', Y, 2}}, {{'W', Y, 1}, {'W', X, 2}}}, {-1, -1, -1, -1}, {1, 1}, true},
    {"S", {{{'W', X, 2}, {'W', Y, 1}}, {{'R', Y, 0}, {'W', X, 1}}}, {1, -1, -1, -1}, {2, -1}, true},
    {"CoRR", {{{'W', X, 1}}, {{'R', X, 0}, {'R', X, 1}}}, {1, 0, -1, -1}, {-1, -1}, false},
    {"CoWW", {{{'W', X, 1}, {'W', X, 2}}}, {-1, -1, -1, -1}, {1, -1}, false},
    {"CoWR", {{{'W', X, 1}, {'R', X, 0}}, {{'W', X, 2}}}, {2, -1, -1, -1}, {1, -1}, false},
    {"CoRW", {{{'R', X, 0}, {'W', X, 1}}, {{'W', X, 2}}}, {2, -1, -1, -1}, {2, -1}, false},
};
#define TESTS (sizeof tests / sizeof *tests)

/* Runs in sequence on one hierarchy, with separate lines. */
typedef struct world {
    gpc_context *context;
    gpc_config *config;
    gpc_hierarchy *h;
    uint64_t places[PLACES], random;
    uint32_t out[THREADS][OPS];
    uint32_t done[2 * THREADS]; /* accesses, and fences behind them */
    uint8_t store;              /* gpc_kind of a 'W' */
    bool strong;                /* accesses of the scope of all SMs, not hidden by any L1 */
    bool beside;                /* every other time the places are sectors fetched together */
    bool together;              /* the threads are warps of one SM, and fences of scope CTA; not SMs, and GPU */
    bool across;                /* the first two threads are of different halves: clusters, GPUs or partitions */
    bool system;                /* fences are of the system's scope: SMs are of several GPUs */
} world;

static uint32_t sm_of(const world *w, uint32_t thread) {
    static const uint32_t across[THREADS] = {0, 2, 1, 3};
    return w->together ? 0 : w->across ? across[thread] : thread;
}

/* A fence has the access's token. */
static void on_complete(void *user_data, const gpc_completion *completion) {
    uint32_t *done = ((world *)user_data)->done;
    if (completion->fence)
        done += THREADS;
    done[completion->token / OPS] |= 1u << completion->token % OPS;
}

static void world_open(world *w, const char *protocol, const char *settings) {
    gpc_hierarchy_callbacks callbacks = GPC_HIERARCHY_CALLBACKS_INIT;
    char text[512];
    *w = (world){.random = 7, .beside = strstr(settings, "fetch_sectors") != NULL};
    snprintf(text, sizeof text, "coherence = %s\ncoherence.data = true\nsm.count = 4\n%s", protocol, settings);
    coherent_make(text, &w->context, &w->config, &w->h);
    callbacks.user_data = w;
    callbacks.on_complete = on_complete;
    cr_assert_eq(gpc_hierarchy_set_callbacks(w->h, &callbacks, NULL), GPC_OK);
}

static void world_close(world *w) {
    gpc_hierarchy_destroy(w->h);
    gpc_config_destroy(w->config);
    gpc_context_destroy(w->context);
}

static bool issue(world *w, uint32_t thread, uint32_t at, char kind, uint64_t address, uint32_t value) {
    gpc_warp_access a = GPC_WARP_ACCESS_INIT;
    a.sm = sm_of(w, thread);
    a.warp = thread;
    a.mask = 1;
    a.addresses = &address;
    a.width = sizeof value;
    a.kind = kind == 'R' ? GPC_LOAD : w->store;
    a.order = w->strong ? GPC_ORDER_RELAXED : GPC_ORDER_WEAK;
    a.scope = w->strong ? GPC_SCOPE_GPU : GPC_SCOPE_CTA;
    if (kind == 'R')
        a.out = (uint8_t *)&w->out[thread][at];
    else
        a.bytes = (const uint8_t *)&value;
    const gpc_status status = gpc_hierarchy_try_issue(w->h, &a, (uint64_t)thread * OPS + at, NULL, NULL);
    cr_assert(status == GPC_OK || status == GPC_BUSY);
    return status == GPC_OK;
}

static uint32_t count_ops(const litmus *l, uint32_t thread) {
    uint32_t count = 0;
    while (count < OPS && l->threads[thread][count].kind)
        count++;
    return count;
}

/* Initial copies, so that stores find lines in other states. */
static void warm(world *w) {
    for (uint32_t thread = 0; thread < THREADS; thread++)
        for (uint32_t place = 0; place < PLACES; place++)
            if (rig_below(&w->random, 3) == 0)
                while (!issue(w, thread, 0, 'R', w->places[place], 0))
                    cr_assert_eq(gpc_hierarchy_advance(w->h, 1, NULL), GPC_OK);
    cr_assert_eq(gpc_hierarchy_drain(w->h, NULL), GPC_OK);
    memset(w->done, 0, sizeof w->done);
}

static void fence_behind(world *w, uint32_t thread, uint32_t at) {
    gpc_fence f = {.struct_size = sizeof f, .sm = sm_of(w, thread), .warp = thread, .order = GPC_ORDER_SC};
    f.scope = w->together ? GPC_SCOPE_CTA : w->system ? GPC_SCOPE_SYS : GPC_SCOPE_GPU;
    while (gpc_hierarchy_try_fence(w->h, &f, (uint64_t)thread * OPS + at, NULL, NULL) != GPC_OK)
        cr_assert_eq(gpc_hierarchy_advance(w->h, 1, NULL), GPC_OK);
}

/* True if a thread may continue with access `at`. */
static bool may_go_on(const world *w, const litmus *l, uint32_t thread, uint32_t at, how way) {
    const uint32_t before = (1u << at) - 1;
    uint32_t loads = 0;
    for (uint32_t i = 0; i < at; i++)
        loads |= (uint32_t)(l->threads[thread][i].kind == 'R') << i;
    if (way == FENCED)
        return w->done[THREADS + thread] == before && (w->done[thread] & loads) == loads;
    return way == IN_A_ROW || w->done[thread] == before;
}

static void play(world *w, const litmus *l, how way) {
    uint32_t at[THREADS] = {0}, begins[THREADS], left = 0;
    for (uint32_t i = 0; i < THREADS; i++) {
        begins[i] = rig_below(&w->random, 1 + rig_below(&w->random, 300));
        left += count_ops(l, i);
    }
    for (uint32_t cycle = 0; left; cycle++) {
        cr_assert_lt(cycle, 100000, "%s does not end", l->name);
        for (uint32_t i = 0; i < THREADS; i++) {
            const op *o = &l->threads[i][at[i] < OPS ? at[i] : 0];
            if (at[i] < count_ops(l, i) && cycle >= begins[i] && may_go_on(w, l, i, at[i], way) &&
                issue(w, i, at[i], o->kind, w->places[o->place], o->value)) {
                if (way == FENCED)
                    fence_behind(w, i, at[i]);
                at[i]++;
                left--;
            }
        }
        cr_assert_eq(gpc_hierarchy_advance(w->h, 1, NULL), GPC_OK);
    }
    cr_assert_eq(gpc_hierarchy_drain(w->h, NULL), GPC_OK);
}

/* Final value, as seen by a load of another SM after an acquire. */
static uint32_t value_at(world *w, uint32_t place) {
    fence_behind(w, 3, 0);
    cr_assert_eq(gpc_hierarchy_drain(w->h, NULL), GPC_OK);
    memset(w->done, 0, sizeof w->done);
    while (!issue(w, 3, 1, 'R', w->places[place], 0))
        cr_assert_eq(gpc_hierarchy_advance(w->h, 1, NULL), GPC_OK);
    cr_assert_eq(gpc_hierarchy_drain(w->h, NULL), GPC_OK);
    return w->out[3][1];
}

static bool came_true(world *w, const litmus *l) {
    int64_t reads[READS] = {0};
    for (uint32_t i = 0; i < THREADS; i++)
        for (uint32_t o = 0; o < count_ops(l, i); o++)
            if (l->threads[i][o].kind == 'R')
                reads[l->threads[i][o].value] = w->out[i][o];
    bool all = true;
    for (uint32_t i = 0; i < READS; i++)
        all &= l->reads[i] < 0 || reads[i] == l->reads[i];
    for (uint32_t place = 0; all && place < PLACES; place++)
        all &= l->end[place] < 0 || value_at(w, place) == (uint32_t)l->end[place];
    return all;
}

/* Count of the outcome. */
static uint32_t run(world *w, const litmus *l, how way, uint32_t times) {
    uint32_t count = 0;
    for (uint32_t n = 0; n < times; n++) {
        w->places[X] += 128 * (1 + rig_below(&w->random, 7));
        w->places[Y] = w->places[X] + 128 * (1 + rig_below(&w->random, 7));
        w->across = n / 2 % 2;
        if (w->beside && n % 2)
            w->places[Y] = w->places[X] ^ 32;
        warm(w);
        play(w, l, way);
        count += came_true(w, l);
        w->places[X] = w->places[Y];
    }
    return count;
}

#define GPUS "gpu.count = 2\nsm.count = 2\nl2.slices = 1\nl2.size = 384KiB\ndram.channels = 1\n"

static const char *const shapes[] = {
    "",
    "coherence.conflict = retry\n",
    "cluster.sms = 2\nl1.latency = 40\nl1.sectors = 4\nl2.sectors = 4\nl1.fetch_sectors = 2\nl2.fetch_sectors = 4\n",
    "l1.size = 512\nl1.ways = 1\nl2.size = 2KiB\nl2.ways = 2\nl2.slices = 1\nl2.mshr_entries = 1\n",
    "l2.enabled = false\nl1.mshr_entries = 1\nl1.sectors = 4\nl1.fetch_sectors = 2\n",
    "l1.bypass = random-p(p=0.5)\nl1.write_policy = evict\nl1.replacement = drrip\nlrc.sms = 2\n",
    GPUS "page.bytes = 256\ngpu.link_latency = 30\ncluster.sms = 2\n",
    GPUS "page.bytes = 256\ngpu.link_latency = 30\ngpu.home = l2\n",
    "l2.slices = 4\nl2.partitions = 2\nl2.sm_partition = pairs\nl2.link_latency = 30\nl2.ways = 2\nl2.size = 4KiB\n",
};

/* Every shape, in every way; `seen`: by test, count of weak outcomes in a row. */
static void run_protocol(const char *protocol, uint8_t store, uint32_t seed, uint32_t seen[TESTS]) {
    static world w;
    for (unsigned s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        world_open(&w, protocol, shapes[s]);
        w.store = store;
        w.random = 1 + seed * 16 + s; /* separate timings */
        for (unsigned i = 0; i < TESTS; i++) {
            const litmus *l = &tests[i];
            const uint32_t strong = run(&w, l, IN_ORDER, effort_of(120)), weak = run(&w, l, IN_A_ROW, effort_of(120));
            const uint32_t fenced = run(&w, l, FENCED, effort_of(120));
            cr_expect_eq(strong, 0, "%s in order, %s, %s: %u times", l->name, protocol, shapes[s], strong);
            cr_expect_eq(fenced, 0, "%s fenced, %s, %s: %u times", l->name, protocol, shapes[s], fenced);
            cr_expect(l->weak || !weak, "%s in a row, %s, %s: %u times", l->name, protocol, shapes[s], weak);
            seen[i] += weak;
        }
        world_close(&w);
    }
}

/* Settings required by `viper` with values; in sectors, small, without L1, in two partitions. */
#define PLAIN                                                                                          \
    "kernels.flush = l1\nl1.write_policy = through\nl1.write_policy_local = through\nl1.sectors = 4\n" \
    "l1.write_allocate = none\nl1.write_allocate_local = none\nl2.sectors = 4\nl2.write_allocate = lazy\n"

static const char *const plain_shapes[] = {
    PLAIN,
    PLAIN "l1.write_policy = evict\nl1.size = 512\nl1.ways = 1\nl2.size = 2KiB\nl2.ways = 2\nl2.mshr_entries = 1\n",
    PLAIN "l1.enabled = false\n",
    PLAIN "l2.slices = 4\nl2.partitions = 2\nl2.link_latency = 30\nlrc.sms = 2\n",
};

/*
 * Weak accesses with fences of all SMs' scope between, as in HRF; and strong accesses, where a single place has only a
 * tree's forbidden outcomes. Without fences weak outcomes occur.
 */
Test(timed_coherent_litmus, viper) {
    static world w;
    uint32_t seen = 0;
    for (unsigned s = 0; s < sizeof plain_shapes / sizeof *plain_shapes; s++) {
        world_open(&w, "viper", plain_shapes[s]);
        w.random = 1 + s;
        for (unsigned i = 0; i < TESTS; i++) {
            const litmus *l = &tests[i];
            for (w.store = GPC_STORE; w.store <= GPC_ATOMIC; w.store++) {
                w.strong = false;
                const uint32_t fenced = run(&w, l, FENCED, effort_of(120));
                cr_expect_eq(fenced, 0, "%s fenced, %s: %u times", l->name, plain_shapes[s], fenced);
                w.strong = true;
                const uint32_t strong = run(&w, l, IN_ORDER, effort_of(120));
                cr_expect_eq(strong, 0, "%s in order, %s: %u times", l->name, plain_shapes[s], strong);
            }
            w.store = GPC_STORE;
            w.strong = false;
            seen += run(&w, l, IN_ORDER, effort_of(120));
        }
        world_close(&w);
    }
    cr_expect(seen, "L1s had nothing old");
}

/* Atomics write coherently under every protocol, plain stores if there are no others. */
Test(timed_coherent_litmus, with_a_directory) {
    static const char *const protocols[] = {"msi", "mesi", "mesif", "mosi", "moesi", "nmoesi"};
    uint32_t seen[TESTS] = {0};
    for (unsigned p = 0; p < sizeof protocols / sizeof *protocols; p++) {
        run_protocol(protocols[p], GPC_ATOMIC, 2 * p, seen);
        if (strcmp(protocols[p], "nmoesi"))
            run_protocol(protocols[p], GPC_STORE, 2 * p + 1, seen);
    }
    cr_expect(seen[0] && seen[1], "SB %u, MP %u: accesses hardly overlapped", seen[0], seen[1]);
}

/*
 * Without directories L1s hold old data until they acquire. Behind a fence of order SC no old data are left, under vi
 * and slc-glc, with atomics, performed by L2, and with plain stores, kept by slc-glc's L1s until a release. Under hmg
 * invalidations are behind such a fence, too; among several GPUs if the scope is the system.
 */
Test(timed_coherent_litmus, without_a_directory) {
    static const char *const protocols[] = {"vi", "slc-glc", "hmg"};
    static world w;
    for (unsigned p = 0; p < 6; p++) {
        uint32_t old = 0;
        for (unsigned s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            world_open(&w, protocols[p % 3], shapes[s]);
            w.store = p < 3 ? GPC_ATOMIC : GPC_STORE;
            w.system = strstr(shapes[s], "gpu.count") != NULL;
            w.random = 1000 + p * 16 + s;
            for (unsigned i = 0; i < TESTS; i++) {
                const uint32_t fenced = run(&w, &tests[i], FENCED, effort_of(120));
                cr_expect_eq(fenced, 0, "%s fenced, %s, %s: %u times", tests[i].name, protocols[p % 3], shapes[s],
                             fenced);
                old += tests[i].weak ? run(&w, &tests[i], IN_ORDER, effort_of(30)) : 0;
            }
            world_close(&w);
        }
        cr_expect_gt(old, 0, "%s: nobody has read what is old", protocols[p % 3]);
    }
}

/* Warps of one SM, with fences that reach only L1: equal results, under every protocol, also with plain stores. */
Test(timed_coherent_litmus, within_an_sm) {
    static const char *const protocols[] = {"msi", "mesi",   "mosi", "moesi", "nmoesi", "nmoesi-multi2sim",
                                            "vi",  "slc-glc"};
    static world w;
    for (unsigned p = 0; p < sizeof protocols / sizeof *protocols; p++)
        for (unsigned s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            if (!strcmp(protocols[p], "nmoesi-multi2sim") && strstr(shapes[s], "conflict"))
                continue; /* the protocol's own */
            world_open(&w, protocols[p], shapes[s]);
            w.together = true;
            w.random = 2000 + p * 16 + s;
            for (unsigned i = 0; i < TESTS; i++) {
                w.store = (i + p) % 2 ? GPC_ATOMIC : GPC_STORE;
                const uint32_t fenced = run(&w, &tests[i], FENCED, effort_of(60));
                cr_expect_eq(fenced, 0, "%s, %s, %s: %u times", tests[i].name, protocols[p], shapes[s], fenced);
            }
            world_close(&w);
        }
}

/* NMOESI's n-stores are visible after a write-back; before, only to the writer, even in order. */
Test(timed_coherent_litmus, non_coherent_stores) {
    static world w;
    world_open(&w, "nmoesi", "");
    for (unsigned n = 0; n < 20; n++) {
        w.places[X] += 128;
        cr_expect_eq(value_at(&w, X), 0);
        w.store = n % 2 ? GPC_STORE : GPC_ATOMIC;
        cr_assert(issue(&w, 0, 0, 'W', w.places[X], 1));
        cr_assert_eq(gpc_hierarchy_drain(w.h, NULL), GPC_OK);
        cr_expect_eq(value_at(&w, X), n % 2 ? 0 : 1, "%u", n);
        cr_assert(issue(&w, 0, 0, 'R', w.places[X], 0));
        cr_assert_eq(gpc_hierarchy_drain(w.h, NULL), GPC_OK);
        cr_expect_eq(w.out[0][0], 1);
    }
    world_close(&w);
}

/*
 * A CPU among them stores coherently, as under NMOESI (seeds/002 section 2.2.3): GPUs see its stores at once, and it
 * sees GPUs' stores once the line has been requested, or written back.
 */
Test(timed_coherent_litmus, cpu) {
    static world w;
    enum { GPU = 0, CPU = 2 };
    world_open(&w, "nmoesi", GPUS "cpu.count = 1\npage.bytes = 256\n");
    for (unsigned n = 0; n < 20; n++) {
        w.places[X] += 128;
        cr_expect_eq(value_at(&w, X), 0);
        cr_assert(issue(&w, GPU, 0, 'R', w.places[X], 0));
        cr_assert_eq(gpc_hierarchy_drain(w.h, NULL), GPC_OK);
        w.store = GPC_STORE;
        cr_assert(issue(&w, n % 2 ? GPU : CPU, 0, 'W', w.places[X], 1));
        cr_assert_eq(gpc_hierarchy_drain(w.h, NULL), GPC_OK);
        for (uint32_t sm = 0; sm < THREADS; sm++) {
            cr_assert(issue(&w, sm, 0, 'R', w.places[X], 0));
            cr_assert_eq(gpc_hierarchy_drain(w.h, NULL), GPC_OK);
            cr_expect_eq(w.out[sm][0], n % 2 && sm != GPU ? 0 : 1, "%u, SM %u", n, sm);
        }
        cr_assert(issue(&w, CPU, 0, 'W', w.places[X] + 4, 2));
        cr_assert_eq(gpc_hierarchy_drain(w.h, NULL), GPC_OK);
        cr_expect_eq(value_at(&w, X), 1, "the line has been asked for");
    }
    world_close(&w);
}

/* Values are only returned by accesses that carry values, and only carried if blocks hold bytes. */
Test(timed_coherent_litmus, refusals) {
    static world w;
    gpc_error error = GPC_ERROR_INIT;
    uint64_t address = 0;
    uint32_t value = 1;
    world_open(&w, "nmoesi", "");
    gpc_warp_access a = GPC_WARP_ACCESS_INIT;
    a.mask = 1;
    a.addresses = &address;
    a.width = 4;
    a.bytes = (const uint8_t *)&value;
    cr_expect_eq(gpc_hierarchy_try_issue(w.h, &a, 0, NULL, &error), GPC_ERROR_ARGUMENT);
    cr_expect(strstr(error.message, "bytes is given"), "%s", error.message);
    cr_expect_eq(gpc_hierarchy_try_issue(w.h, &a, 0, NULL, NULL), GPC_ERROR_ARGUMENT);
    a.kind = GPC_STORE;
    cr_expect_eq(gpc_hierarchy_try_issue(w.h, &a, 0, NULL, &error), GPC_OK);
    a.out = (uint8_t *)&value;
    cr_expect_eq(gpc_hierarchy_try_issue(w.h, &a, 0, NULL, &error), GPC_ERROR_ARGUMENT);
    cr_expect(strstr(error.message, "out is given"), "%s", error.message);
    gpc_hierarchy_destroy(w.h);
    cr_assert_eq(gpc_config_set(w.config, "coherence.data", "false", &error), GPC_OK);
    cr_assert_eq(gpc_hierarchy_create(w.context, w.config, &w.h, &error), GPC_OK);
    a.out = NULL;
    cr_expect_eq(gpc_hierarchy_try_issue(w.h, &a, 0, NULL, &error), GPC_ERROR_ARGUMENT);
    cr_expect(strstr(error.message, "coherence.data"), "%s", error.message);
    gpc_hierarchy_destroy(w.h);
    cr_assert_eq(gpc_config_set(w.config, "coherence.data", "true", &error), GPC_OK);
    cr_assert_eq(gpc_config_set(w.config, "coherence", "none", &error), GPC_OK);
    cr_assert_eq(gpc_config_set(w.config, "mode", "functional", &error), GPC_OK);
    cr_expect_eq(gpc_hierarchy_create(w.context, w.config, &w.h, &error), GPC_ERROR_RANGE);
    cr_expect(strstr(error.message, "needs mode = timed, l1.write_policy = through, l1.write_policy_local = through, "
                                    "l1.write_allocate = none, l1.write_allocate_local = none"),
              "%s", error.message);
    cr_assert_eq(gpc_config_load_text(w.config, "mode = timed\n" PLAIN, "plain", &error), GPC_OK);
    cr_assert_eq(gpc_hierarchy_create(w.context, w.config, &w.h, &error), GPC_OK, "%s", error.message);
    gpc_request miss = {.address = 128};
    cr_expect_eq(gpc_hierarchy_try_miss(w.h, &miss, 0, NULL, NULL), GPC_ERROR_UNSUPPORTED);
    world_close(&w);
}
