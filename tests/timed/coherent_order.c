/* SPDX-License-Identifier: BSD-2-Clause */
#include "effort.h"
#include "measured.h"
#include "timed/coherent_rig.h"

#include <criterion/criterion.h>
#include <stdio.h>

/*
 * Accesses of an SM to one line keep order, though several are under way at once. An SM has separate words, in lines
 * shared by all: loads and atomics return the values issued before, and no later ones.
 */

enum { SMS = 4, WORDS = 6, ACCESSES = 300 };

typedef struct issued {
    uint32_t value, found, expected;
    bool reads;
} issued;

typedef struct world {
    gpc_context *context;
    gpc_config *config;
    gpc_hierarchy *h;
    uint64_t random;
    uint32_t sms, used; /* issuing SMs, and words of each */
    uint32_t words[SMS][WORDS];
    issued all[ACCESSES];
} world;

/* Two lines of 128 bytes; an SM's words are beside other SMs'. */
static uint64_t address_of(uint32_t sm, uint32_t word) {
    return 0x1000 + word % 2 * 128 + (word / 2 * SMS + sm) * 8;
}

/* A load, a store or an addition to one of the SM's words. */
static void issue(world *w, uint32_t n) {
    static const gpc_kind kinds[] = {GPC_LOAD, GPC_STORE, GPC_ATOMIC};
    issued *one = &w->all[n];
    const uint32_t sm = rig_below(&w->random, w->sms), word = rig_below(&w->random, w->used);
    const uint64_t address = address_of(sm, word);
    gpc_warp_access a = GPC_WARP_ACCESS_INIT;
    a.kind = (uint8_t)kinds[rig_below(&w->random, 3)];
    a.sm = sm;
    a.mask = 1;
    a.addresses = &address;
    a.width = 4;
    a.order = a.kind == GPC_ATOMIC ? GPC_ORDER_RELAXED : GPC_ORDER_WEAK;
    a.scope = a.kind == GPC_ATOMIC && rig_below(&w->random, 3) == 0 ? GPC_SCOPE_GPU : GPC_SCOPE_CTA;
    /* Loads past L1, dropping L1's copy of the line. */
    if (a.kind == GPC_LOAD && rig_below(&w->random, 3) == 0)
        a.hint = (uint8_t)(rig_below(&w->random, 2) ? GPC_HINT_CG : GPC_HINT_CV);
    one->value = 1 + rig_below(&w->random, 1000);
    one->reads = a.kind != GPC_STORE;
    one->expected = w->words[sm][word];
    a.atomic = a.kind == GPC_ATOMIC ? GPC_OP_ADD : GPC_OP_NONE;
    a.bytes = a.kind == GPC_LOAD ? NULL : (const uint8_t *)&one->value;
    a.out = one->reads ? (uint8_t *)&one->found : NULL;
    w->words[sm][word] = (a.kind == GPC_STORE ? 0 : one->expected) + (a.kind == GPC_LOAD ? 0 : one->value);
    while (gpc_hierarchy_try_issue(w->h, &a, n, NULL, NULL) == GPC_BUSY)
        cr_assert_eq(gpc_hierarchy_advance(w->h, 1, NULL), GPC_OK);
}

/* An acquire, or a release, of a random SM. */
static void fence(world *w) {
    gpc_fence f = GPC_FENCE_INIT;
    f.sm = rig_below(&w->random, SMS);
    f.order = rig_below(&w->random, 2) ? GPC_ORDER_ACQUIRE : GPC_ORDER_RELEASE;
    f.scope = GPC_SCOPE_GPU;
    while (gpc_hierarchy_try_fence(w->h, &f, ACCESSES, NULL, NULL) == GPC_BUSY)
        cr_assert_eq(gpc_hierarchy_advance(w->h, 1, NULL), GPC_OK);
}

/* `crowded`: a single SM, with accesses to three words meeting at the MSHR entries of two lines. */
static void run(const char *protocol, const char *settings, uint32_t seed, bool crowded) {
    static world w;
    char text[512];
    w = (world){.random = seed + 1, .sms = crowded ? 1 : SMS, .used = crowded ? 3 : WORDS};
    snprintf(text, sizeof text, "coherence = %s\ncoherence.data = true\nsm.count = %d\n%s", protocol, SMS, settings);
    coherent_make(text, &w.context, &w.config, &w.h);
    for (uint32_t n = 0; n < ACCESSES; n++) {
        issue(&w, n);
        if (!rig_below(&w.random, 40))
            fence(&w);
        if (!rig_below(&w.random, 6))
            cr_assert_eq(gpc_hierarchy_advance(w.h, rig_below(&w.random, 80), NULL), GPC_OK);
    }
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(gpc_hierarchy_drain(w.h, &error), GPC_OK, "%s", error.message);
    for (uint32_t n = 0; n < ACCESSES; n++)
        cr_assert(!w.all[n].reads || w.all[n].found == w.all[n].expected, "%s, %s, seed %u: access %u has %u, not %u",
                  protocol, settings, seed, n, w.all[n].found, w.all[n].expected);
    gpc_hierarchy_destroy(w.h);
    gpc_config_destroy(w.config);
    gpc_context_destroy(w.context);
}

Test(timed_coherent_order, an_sm_reads_what_it_wrote) {
    static const char *const protocols[] = {"vi", "slc-glc", "nmoesi", "msi"};
    static const char *const shapes[] = {
        "",
        "lrc.sms = 4\nnetwork.input_buffer = 1\n",
        "lrc.sms = 2\nl1.sectors = 4\nl2.sectors = 4\nl2.write_allocate = lazy\nl1.tag_ports = 2\n",
        "cluster.sms = 2\nl1.size = 512\nl1.ways = 1\n",
        "l1.mshr_entries = 1\nl1.miss_queue = 1\nl2.mshr_entries = 1\nl2.queue = 1\nl2.size = 2KiB\nl2.ways = 2\n",
        "coherence.conflict = retry\n",
        "l1.atomics = cta\n",
        "l1.atomics = cta\nlrc.sms = 2\nl2.write_allocate = lazy\nl1.size = 512\nl1.ways = 1\n",
        "l2.slices = 1\nl1.mshr_merges = 2\n",
        "l1.atomics = cta\ncoherence.conflict = retry\nl1.size = 512\nl1.ways = 1\n",
    };
    for (unsigned p = 0; p < sizeof protocols / sizeof *protocols; p++)
        for (unsigned s = 0; s < sizeof shapes / sizeof *shapes; s++)
            for (uint32_t n = 0; n < effort_of(p < 2 ? 32 : 8); n++)
                run(protocols[p], shapes[s], n * 100 + s, n % 2);
}

/*
 * Atomics and stores of a line pass L1 one a cycle, and are served one a cycle: they do not wait for one another's
 * answers. A later load completes after the last.
 */
Test(timed_coherent_order, stores_of_a_line_follow_one_another) {
    static const struct {
        const char *protocol;
        gpc_kind kind;
        bool loaded; /* L1 has the line, written by the store */
    } rows[] = {{"vi", GPC_ATOMIC, false},
                {"vi", GPC_STORE, false},
                {"vi", GPC_STORE, true},
                {"slc-glc", GPC_ATOMIC, false},
                {"slc-glc", GPC_ATOMIC, true}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        rig r;
        uint64_t tokens[8];
        coherent_open(&r, rows[i].protocol, NULL);
        rig_latency(&r, LINE(GPC_LOAD, 0, .sm = !rows[i].loaded));
        for (unsigned n = 0; n < 8; n++)
            tokens[n] = rig_issue(&r, WORD(rows[i].kind, 4 * n));
        const uint64_t load = rig_issue(&r, LINE(GPC_LOAD, 0));
        rig_finish(&r);
        for (unsigned n = 1; n < 8; n++)
            cr_expect_eq(r.done[tokens[n]].cycle - r.done[tokens[0]].cycle, n, "row %u: the %uth %u cycles later", i, n,
                         (unsigned)(r.done[tokens[n]].cycle - r.done[tokens[0]].cycle));
        const bool hits = rows[i].kind == GPC_STORE && rows[i].loaded;
        cr_expect_eq(r.done[load].level, hits ? 1 : 2, "row %u", i);
        cr_expect_eq(r.done[load].cycle > r.done[tokens[7]].cycle, !hits, "row %u", i);
        coherent_close(&r);
    }
}

/*
 * l1.atomics = cta: atomics of a thread block's scope are performed in L1, on a present line, or after bringing the
 * line; an atomic of a wider scope is L2's, and sees the results. A release publishes written data.
 */
Test(timed_coherent_order, atomics_of_a_thread_block) {
    static const struct {
        const char *protocol, *setting;
        uint32_t more; /* network requests of the second and third */
    } rows[] = {{"slc-glc", "l1.atomics = cta\n", 0},
                {"slc-glc", "", 2},
                {"vi", "l1.atomics = cta\n", 2},
                {"nmoesi", "l1.atomics = cta\n", 0}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        gpc_context *context;
        gpc_config *config;
        gpc_hierarchy *h;
        char text[200];
        measured_stats stats;
        uint32_t found[5], one = 1;
        const uint64_t address = 0x100;
        gpc_warp_access a = {.struct_size = sizeof a, .mask = 1, .addresses = &address, .width = 4};
        snprintf(text, sizeof text, "coherence = %s\ncoherence.data = true\n%s", rows[i].protocol, rows[i].setting);
        coherent_make(text, &context, &config, &h);
        measured_clear(&stats);
        for (unsigned n = 0; n < 5; n++) { /* three of the block's scope, one of the GPU's, one of another SM */
            gpc_fence f = {.struct_size = sizeof f, .scope = GPC_SCOPE_GPU, .order = GPC_ORDER_RELEASE};
            const uint64_t sent = (measure_hierarchy(h, &stats), stats.network_requests);
            a.kind = GPC_ATOMIC;
            a.atomic = GPC_OP_ADD;
            a.bytes = (const uint8_t *)&one;
            a.out = (uint8_t *)&found[n];
            a.order = GPC_ORDER_RELAXED;
            a.scope = n < 3 ? GPC_SCOPE_CTA : GPC_SCOPE_GPU;
            a.sm = n == 4;
            cr_assert_eq(gpc_hierarchy_try_issue(h, &a, n, NULL, NULL), GPC_OK);
            cr_assert_eq(gpc_hierarchy_drain(h, NULL), GPC_OK);
            cr_expect_eq(found[n], n, "%s %s: %u is %u", rows[i].protocol, rows[i].setting, n, found[n]);
            cr_assert_eq(measure_hierarchy(h, &stats), GPC_OK);
            if (n == 1 || n == 2)
                cr_expect_eq(stats.network_requests - sent, rows[i].more / 2, "%s %s", rows[i].protocol,
                             rows[i].setting);
            if (n == 2)
                cr_assert_eq(gpc_hierarchy_try_fence(h, &f, 9, NULL, NULL), GPC_OK);
            cr_assert_eq(gpc_hierarchy_drain(h, NULL), GPC_OK);
        }
        gpc_hierarchy_destroy(h);
        gpc_config_destroy(config);
        gpc_context_destroy(context);
    }
}

/* Plain L1s send all atomics to L2. */
Test(timed_coherent_order, no_atomics_in_plain_l1s) {
    gpc_error error = GPC_ERROR_INIT;
    cr_expect_eq(rig_refused("l1.atomics = cta\n", &error), GPC_ERROR_RANGE);
    cr_expect_eq(rig_refused("l1.atomics = cta\ncoherence = viper\nkernels.flush = l1\n", &error), GPC_ERROR_RANGE);
}

/*
 * A queue has places for waiters in order of arrival: lines present in the slice, requested one a cycle, leave one in
 * five cycles by a reply queue of one place, and no packet arriving in the cycle of a free place gets ahead.
 */
Test(timed_coherent_order, places_by_turns) {
    enum { LINES = 64 };
    static const char *const protocols[] = {"vi", "msi"};
    for (unsigned p = 0; p < sizeof protocols / sizeof *protocols; p++) {
        rig r;
        coherent_open(&r, protocols[p],
                      "sm.count = 8\nl2.slices = 1\nl2.reply_queue = 1\nnetwork.reply_width = 32B\n"
                      "network.input_buffer = 1\n");
        for (uint64_t line = 0; line < LINES; line++)
            rig_latency(&r, LINE(GPC_LOAD, line * 128));
        uint64_t tokens[LINES];
        for (uint32_t n = 0; n < LINES; n++) {
            tokens[n] = rig_issue(&r, LINE(GPC_LOAD, n * 128u, .sm = 1 + n % 7));
            rig_steps(&r, 1);
        }
        rig_finish(&r);
        for (uint32_t n = 1; n < LINES; n++)
            cr_expect_lt(r.done[tokens[n - 1]].cycle, r.done[tokens[n]].cycle, "%s: the %uth", protocols[p], n);
        coherent_close(&r);
    }
}
