/* SPDX-License-Identifier: BSD-2-Clause */
#include "effort.h"
#include "measured.h"
#include "timed/coherent_rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/*
 * Atomics of warps returning values per lane, with and without a clock. All SMs add to words of a few lines, beside
 * loads and stores to other bytes of these lines: under every protocol, every addition to a word returns a different
 * number, lanes of a warp adding to one word return numbers in order, and the last number is the total.
 */

enum { SMS = 4, WORDS = 12, LANES = 32, ACCESSES = 200 };

typedef struct shape {
    const char *settings;
    bool timed;
} shape;

static const shape shapes[] = {
    {"", true},
    {"coherence.conflict = retry\n", true},
    {"cluster.sms = 2\nl1.latency = 40\n", true},
    {"l1.size = 512\nl1.ways = 1\nl2.size = 2KiB\nl2.ways = 2\nl2.slices = 1\nl2.mshr_entries = 1\n", true},
    {"l2.enabled = false\nl1.mshr_entries = 1\n", true},
    {"l1.sectors = 4\nl2.sectors = 4\n", true},
    {"mode = functional\nl1.sectors = 4\nl2.sectors = 4\n", false},
    {"mode = functional\n", false},
    {"mode = functional\ncluster.sms = 2\nl1.size = 512\nl1.ways = 1\n", false},
};

/* Plain caches: required settings, and several shapes. */
#define PLAIN                                                                                                    \
    "kernels.flush = l1\nl1.write_policy = through\nl1.write_policy_local = through\nl1.write_allocate = none\n" \
    "l1.write_allocate_local = none\n"

static const shape plain_shapes[] = {
    {PLAIN "l1.sectors = 4\nl2.sectors = 4\n", true},
    {PLAIN "l1.size = 512\nl1.ways = 1\nl2.size = 2KiB\nl2.ways = 2\nl2.mshr_entries = 1\n", true},
    {PLAIN "l1.enabled = false\nl2.write_allocate = lazy\n", true},
    {PLAIN "l2.slices = 4\nl2.partitions = 2\nl2.link_latency = 30\nlrc.sms = 2\nl1.sectors = 4\nl2.sectors = 4\n",
     true},
};

typedef struct warp {
    uint64_t addresses[LANES];
    uint32_t operands[LANES], found[LANES], words[LANES];
    uint32_t lanes;
    bool atomic;
} warp;

typedef struct world {
    gpc_context *context;
    gpc_config *config;
    gpc_hierarchy *h;
    uint64_t random, done;
    warp warps[ACCESSES];
    uint32_t sums[WORDS];
} world;

static void on_complete(void *user_data, const gpc_completion *completion) {
    (void)completion;
    ((world *)user_data)->done++;
}

static void world_open(world *w, const char *protocol, const shape *s) {
    gpc_hierarchy_callbacks callbacks = GPC_HIERARCHY_CALLBACKS_INIT;
    char text[512];
    snprintf(text, sizeof text, "coherence = %s\ncoherence.data = true\nsm.count = %d\n%s", protocol, SMS, s->settings);
    coherent_make(text, &w->context, &w->config, &w->h);
    callbacks.user_data = w;
    callbacks.on_complete = on_complete;
    if (s->timed)
        cr_assert_eq(gpc_hierarchy_set_callbacks(w->h, &callbacks, NULL), GPC_OK);
}

static void world_close(world *w) {
    gpc_hierarchy_destroy(w->h);
    gpc_config_destroy(w->config);
    gpc_context_destroy(w->context);
}

/* Three words a line of 128 bytes, in two sectors. */
static uint64_t address_of(uint32_t word) {
    return 0x1000 + word / 3 * 128 + word % 3 * 28;
}

/* Some lanes, with separate words or one; or a load, or a store beside. */
static gpc_warp_access next_access(world *w, warp *one) {
    gpc_warp_access a = GPC_WARP_ACCESS_INIT;
    const uint32_t what = rig_below(&w->random, 5);
    one->lanes = 1 + rig_below(&w->random, rig_below(&w->random, 2) ? LANES : 4);
    one->atomic = what < 3;
    for (uint32_t i = 0; i < one->lanes; i++) {
        one->words[i] = rig_below(&w->random, WORDS);
        one->operands[i] = 1;
        one->addresses[i] = address_of(one->words[i]) + (what == 4 ? 8 : 0);
    }
    a.sm = rig_below(&w->random, SMS);
    a.mask = UINT64_MAX >> (64 - one->lanes);
    a.addresses = one->addresses;
    a.width = 4;
    a.kind = what == 4 ? GPC_STORE : what == 3 ? GPC_LOAD : what == 2 ? GPC_REDUCTION : GPC_ATOMIC;
    a.bytes = what == 3 ? NULL : (const uint8_t *)one->operands;
    a.out = what < 2 || what == 3 ? (uint8_t *)one->found : NULL;
    a.atomic = one->atomic ? GPC_OP_ADD : GPC_OP_NONE;
    one->atomic = what < 2;
    for (uint32_t i = 0; what < 3 && i < one->lanes; i++)
        w->sums[one->words[i]]++;
    return a;
}

static void run(world *w, bool timed) {
    for (uint32_t n = 0; n < ACCESSES; n++) {
        const gpc_warp_access a = next_access(w, &w->warps[n]);
        gpc_status status =
            timed ? gpc_hierarchy_try_issue(w->h, &a, n, NULL, NULL) : gpc_hierarchy_access(w->h, &a, NULL, NULL);
        while (status == GPC_BUSY) {
            cr_assert_eq(gpc_hierarchy_advance(w->h, 1, NULL), GPC_OK);
            status = gpc_hierarchy_try_issue(w->h, &a, n, NULL, NULL);
        }
        cr_assert_eq(status, GPC_OK);
        if (timed && rig_below(&w->random, 3) == 0)
            cr_assert_eq(gpc_hierarchy_advance(w->h, rig_below(&w->random, 60), NULL), GPC_OK);
    }
    gpc_error error = GPC_ERROR_INIT;
    if (timed)
        cr_assert_eq(gpc_hierarchy_drain(w->h, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(w->done, timed ? ACCESSES : 0);
}

/* Value returned by an atomic that changes nothing. */
static uint32_t value_at(const world *w, uint64_t address, bool timed) {
    uint32_t found = UINT32_MAX;
    gpc_warp_access a = GPC_WARP_ACCESS_INIT;
    a.mask = 2;
    a.addresses = &address;
    a.width = 4;
    a.kind = GPC_ATOMIC;
    a.atomic = GPC_OP_OR;
    a.out = (uint8_t *)&found;
    cr_assert_eq(timed ? gpc_hierarchy_try_issue(w->h, &a, 0, NULL, NULL) : gpc_hierarchy_access(w->h, &a, NULL, NULL),
                 GPC_OK);
    cr_assert(!timed || gpc_hierarchy_drain(w->h, NULL) == GPC_OK);
    return found;
}

/* Reductions return no numbers: the atomics' numbers differ, and stay below the sum. */
static void check(world *w, const char *what, bool timed) {
    static bool found[WORDS][ACCESSES * LANES];
    memset(found, 0, sizeof found);
    for (uint32_t n = 0; n < ACCESSES; n++) {
        const warp *one = &w->warps[n];
        uint64_t last[WORDS] = {0};
        for (uint32_t i = 0; one->atomic && i < one->lanes; i++) {
            const uint32_t word = one->words[i], old = one->found[i];
            cr_assert(old < w->sums[word] && !found[word][old], "%s: %u of %u twice, or too much", what, old, word);
            cr_assert(!last[word] || old == last[word], "%s: %u in lane %u", what, old, i);
            found[word][old] = true;
            last[word] = old + 1;
        }
    }
    for (uint32_t word = 0; word < WORDS; word++)
        cr_assert_eq(value_at(w, address_of(word), timed), w->sums[word], "%s: word %u", what, word);
}

static void run_shape(const char *protocol, const shape *s, uint32_t seed) {
    static world w;
    char what[300];
    snprintf(what, sizeof what, "%s, %s, %u", protocol, s->settings, seed);
    w = (world){.random = 1 + seed};
    world_open(&w, protocol, s);
    run(&w, s->timed);
    check(&w, what, s->timed);
    world_close(&w);
}

Test(timed_coherent_atomics, none_is_lost) {
    static const char *const protocols[] = {"msi", "mesi", "mosi", "moesi", "nmoesi", "vi", "slc-glc", "hmg"};
    for (unsigned p = 0; p < sizeof protocols / sizeof *protocols; p++)
        for (unsigned s = 0; s < sizeof shapes / sizeof *shapes; s++)
            for (uint32_t n = 0; n < effort_of(8); n++)
                run_shape(protocols[p], &shapes[s], n * 100 + s);
}

Test(timed_coherent_atomics, none_is_lost_in_plain_caches) {
    for (unsigned s = 0; s < sizeof plain_shapes / sizeof *plain_shapes; s++)
        for (uint32_t n = 0; n < effort_of(16); n++) {
            run_shape("viper", &plain_shapes[s], n * 100 + s);
            run_shape("none", &plain_shapes[s], n * 100 + s);
        }
}

/* A warp that compares and swaps: one lane wins, and the others see it; 8 bytes, of two lines. */
Test(timed_coherent_atomics, compare_and_swap) {
    static world w;
    for (unsigned s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        const uint64_t addresses[4] = {0x2000, 0x2000, 0x2080, 0x2000}, compare[4] = {0, 0, 1, 1ull << 40};
        const uint64_t swap[4] = {1ull << 40, 2, 3, 4};
        uint64_t found[4];
        gpc_warp_access a = GPC_WARP_ACCESS_INIT;
        w = (world){.random = 1};
        world_open(&w, "nmoesi", &shapes[s]);
        a.mask = 0xf0;
        a.addresses = addresses;
        a.width = 8;
        a.kind = GPC_ATOMIC;
        a.atomic = GPC_OP_COMPARE_SWAP;
        a.bytes = (const uint8_t *)swap;
        a.compare = (const uint8_t *)compare;
        for (unsigned round = 0; round < 2; round++) {
            memset(found, 0xee, sizeof found);
            a.out = (uint8_t *)found;
            a.order = round ? GPC_ORDER_ACQ_REL : GPC_ORDER_WEAK;
            a.scope = round ? GPC_SCOPE_GPU : GPC_SCOPE_CTA;
            a.sm = round;
            cr_assert_eq(shapes[s].timed ? gpc_hierarchy_try_issue(w.h, &a, 0, NULL, NULL)
                                         : gpc_hierarchy_access(w.h, &a, NULL, NULL),
                         GPC_OK);
            cr_assert(!shapes[s].timed || gpc_hierarchy_drain(w.h, NULL) == GPC_OK);
            const uint64_t expected[2][4] = {{0, 1ull << 40, 0, 1ull << 40}, {4, 4, 0, 4}};
            cr_expect_arr_eq(found, expected[round], sizeof found, "shape %u, round %u", s, round);
        }
        world_close(&w);
    }
}

/*
 * In a tree an atomic's answer has exactly the requested bytes, a reduction's and a store's none, with or without time.
 */
Test(timed_coherent_atomics, answers_have_values) {
    static const struct {
        const char *protocol;
        gpc_kind kind;
        uint32_t bytes;
    } rows[] = {{"vi", GPC_ATOMIC, 8 + 12},      {"vi", GPC_REDUCTION, 8},      {"vi", GPC_STORE, 8},
                {"slc-glc", GPC_ATOMIC, 8 + 12}, {"slc-glc", GPC_REDUCTION, 8}, {"nmoesi", GPC_ATOMIC, 8 + 128}};
    for (unsigned i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        gpc_context *context;
        gpc_config *config;
        gpc_hierarchy *h;
        measured_stats stats;
        char text[100];
        const bool timed = i % 2;
        snprintf(text, sizeof text, "coherence = %s\n%s", rows[i / 2].protocol, timed ? "" : "mode = functional\n");
        coherent_make(text, &context, &config, &h);
        const uint64_t addresses[] = {0, 4, 8};
        gpc_warp_access a = GPC_WARP_ACCESS_INIT;
        a.mask = 7;
        a.addresses = addresses;
        a.width = 4;
        a.kind = (uint8_t)rows[i / 2].kind;
        cr_assert_eq(timed ? gpc_hierarchy_try_issue(h, &a, 0, NULL, NULL) : gpc_hierarchy_access(h, &a, NULL, NULL),
                     GPC_OK);
        cr_assert(!timed || gpc_hierarchy_drain(h, NULL) == GPC_OK);
        measured_module l1 = {0};
        cr_assert_eq(measure_module(gpc_hierarchy_coherence(h), 0, &l1), GPC_OK);
        cr_expect_eq(l1.low_received, rows[i / 2].bytes, "row %u: %u bytes", i / 2, (unsigned)l1.low_received);
        measured_clear(&stats);
        cr_assert_eq(measure_hierarchy(h, &stats), GPC_OK);
        cr_expect(!timed || stats.network_reply_bytes == rows[i / 2].bytes, "row %u", i / 2);
        gpc_hierarchy_destroy(h);
        gpc_config_destroy(config);
        gpc_context_destroy(context);
    }
}

static void refused(const world *w, const gpc_warp_access *a, const char *what) {
    gpc_error error = GPC_ERROR_INIT;
    cr_expect_eq(gpc_hierarchy_access(w->h, a, NULL, &error), GPC_ERROR_ARGUMENT, "%s", what);
    cr_expect(strstr(error.message, what), "%s", error.message);
    cr_expect_eq(gpc_hierarchy_access(w->h, a, NULL, NULL), GPC_ERROR_ARGUMENT, "%s", what);
}

Test(timed_coherent_atomics, refusals) {
    static const uint64_t addresses[2] = {0x100, 0x104};
    static world w;
    uint64_t value = 1;
    gpc_error error = GPC_ERROR_INIT;
    gpc_warp_access good = GPC_WARP_ACCESS_INIT, a;
    world_open(&w, "nmoesi", &(const shape){"mode = functional\n", false});
    good.mask = 3;
    good.addresses = addresses;
    good.width = 4;
    good.kind = GPC_ATOMIC;
    good.atomic = GPC_OP_ADD;
    cr_expect_eq(gpc_hierarchy_access(w.h, &good, NULL, &error), GPC_OK, "%s", error.message);
    refused(&w, (a = good, a.atomic = GPC_OP_COUNT, &a), "atomic is out of range");
    refused(&w, (a = good, a.kind = GPC_STORE, &a), "this kind has no operation");
    refused(&w, (a = good, a.kind = GPC_LOAD, &a), "this kind has no operation");
    refused(&w, (a = good, a.width = 2, &a), "width is not 4 or 8");
    refused(&w, (a = good, a.width = 8, &a), "no multiple of width");
    refused(&w, (a = good, a.compare = (uint8_t *)&value, &a), "compares nothing");
    refused(&w, (a = good, a.atomic = GPC_OP_NONE, a.out = (uint8_t *)&value, &a), "tells none");
    refused(&w, (a = good, a.kind = GPC_REDUCTION, a.out = (uint8_t *)&value, &a), "tells none");
    gpc_hierarchy_destroy(w.h);
    cr_assert_eq(gpc_config_set(w.config, "coherence.data", "false", &error), GPC_OK);
    cr_assert_eq(gpc_hierarchy_create(w.context, w.config, &w.h, &error), GPC_OK);
    refused(&w, &good, "without coherence.data");
    world_close(&w);
}
