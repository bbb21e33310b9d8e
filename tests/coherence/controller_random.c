/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "coherence/engine/engine.h"
#include "coherence/random.h"
#include "coherence/tree/invariants.h"
#include "coherence/trees.h"
#include "effort.h"
#include "measured.h"

/*
 * Random overlapping accesses to random small trees. Every byte is stored to by only one module, 1, 2, 3 and so on, so
 * that any load may be judged alone: a later load of a byte by a module never returns less. Finally nothing is locked
 * or in flight, the tree keeps the rules, and memory has the last of all stores.
 */

#define BYTES 1024u
#define ACCESSES 300u
#define LONGEST 1000000u /* cycles after the last, as the bound for all ends */

typedef struct world {
    gpc_coherence *c;
    tree t;
    uint64_t seed, ended, tokens;
    uint8_t stored[BYTES];           /* last value issued */
    uint8_t seen[TREE_FIRST][BYTES]; /* last value read by every module */
    uint8_t own[ACCESSES + 1];       /* by token: for a load by the storing module, its last stored value */
    bool exact;                      /* loads are judged: no old copy outlives a newer copy that the reader had */
    bool kept;                       /* no data is lost */
    bool steered;                    /* accesses have flags */
    bool each_its_own;               /* an access may go through the module, past it, or have the block evicted */
} world;

/* Storing module of a byte. */
static uint32_t writer_of(const world *w, uint64_t address) {
    return (uint32_t)(gpci_mix(address ^ w->seed << 32) % w->t.first_count);
}

static void on_complete(void *user_data, const gpc_coherence_completion *done) {
    world *w = user_data;
    w->ended++;
    cr_assert(done->cycle >= done->issued && done->token >= 1 && done->token <= w->tokens);
    if (w->kept && !done->kind && writer_of(w, done->address) == done->module)
        cr_assert_eq(done->bytes[0], w->own[done->token], "seed %llu: m%u reads %u at %#llx, where it has stored %u",
                     (unsigned long long)w->seed, done->module, done->bytes[0], (unsigned long long)done->address,
                     w->own[done->token]);
    if (!w->exact || done->kind != GPC_COHERENCE_LOAD)
        return;
    for (uint32_t i = 0; i < done->size; i++) {
        uint8_t *seen = &w->seen[done->module][done->address - w->t.base + i];
        cr_assert(done->bytes[i] >= *seen, "seed %llu: m%u reads %u at +%u of %#llx at cycle %llu, after %u",
                  (unsigned long long)w->seed, done->module, done->bytes[i], i, (unsigned long long)done->address,
                  (unsigned long long)done->cycle, *seen);
        *seen = done->bytes[i];
    }
}

/* A byte to store, or up to four to load, at a near cycle. */
static void issue(world *w, uint64_t *random, uint32_t kinds, uint64_t now) {
    gpc_coherence_request r = GPC_COHERENCE_REQUEST_INIT;
    gpc_error error = GPC_ERROR_INIT;
    uint8_t value;
    const uint32_t offset = gpci_random_below(random, w->t.bytes < BYTES ? w->t.bytes : BYTES);
    r.address = w->t.base + offset;
    r.kind = gpci_random_below(random, kinds);
    r.module = r.kind ? writer_of(w, r.address) : gpci_random_below(random, w->t.first_count);
    r.cycle = now;
    if (r.kind && w->stored[offset] == UINT8_MAX)
        r.kind = GPC_COHERENCE_LOAD;
    if (r.kind)
        value = ++w->stored[offset];
    r.bytes = &value;
    r.flags = w->steered ? gpci_random_below(random, 4) : 0;
    if (w->each_its_own && !gpci_random_below(random, 3))
        r.flags |= GPC_ACCESS_THROUGH << gpci_random_below(random, 3);
    w->own[w->tokens + 1] = w->stored[offset];
    const gpc_status status = gpc_coherence_issue(w->c, &r, &w->tokens, &error);
    cr_assert_eq(status, GPC_OK, "seed %llu: %s", (unsigned long long)w->seed, error.message);
}

static void check_rest(const world *w) {
    const gpci_engine *e = w->c->engine;
    char text[256];
    cr_assert(e && !e->tasks.used && !e->inflights.used && !e->sent_messages.used && !e->waiters.used && !e->live);
    cr_assert(!w->c->busy && gpc_coherence_next_event(w->c) == UINT64_MAX);
    for (uint32_t i = 0; i < w->c->module_count; i++) {
        cr_assert(!e->units[i].ports_used && e->units[i].oldest == GPCI_NO_ITEM &&
                  e->units[i].youngest == GPCI_NO_ITEM && e->units[i].address_blocked == GPCI_NO_ITEM);
        for (uint32_t bucket = 0; bucket <= e->units[i].lock_mask; bucket++)
            cr_assert_eq(e->units[i].locks[bucket], 0);
    }
    for (uint32_t n = 0; n < w->c->star_count; n++)
        for (uint32_t b = 0; b < e->nets[n].count * GPCI_BUFFER_COUNT; b++)
            cr_assert(!e->nets[n].buffers[b].room.used);
    cr_assert(gpci_invariants_of_tags(w->c, text, sizeof text), "seed %llu: %s", (unsigned long long)w->seed, text);
    cr_assert(gpci_invariants_over(w->c, w->t.base, w->t.bytes, text, sizeof text), "seed %llu: %s",
              (unsigned long long)w->seed, text);
}

static void check_memory(world *w) {
    gpc_error error = GPC_ERROR_INIT;
    uint8_t memory[BYTES];
    const uint32_t bytes = w->t.bytes < BYTES ? w->t.bytes : BYTES;
    cr_assert_eq(gpc_coherence_flush(w->c, GPC_NO_MODULE, 0, NULL, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_coherence_read_memory(w->c, w->t.base, memory, bytes, NULL), GPC_OK);
    for (uint32_t i = 0; i < bytes; i++)
        cr_assert_eq(memory[i], w->stored[i], "seed %llu: byte %u is %u, last stored %u", (unsigned long long)w->seed,
                     i, memory[i], w->stored[i]);
}

/* Ports, latencies and buffers that cause real conflicts. */
static void hurry(tree *t, uint64_t *random) {
    for (uint32_t i = 0; i < t->module_count; i++) {
        t->modules[i].ports = gpci_random_below(random, 3);
        t->modules[i].latency = 1 + gpci_random_below(random, 6);
        t->modules[i].directory_latency = gpci_random_below(random, 3);
    }
    for (uint32_t i = 0; i < t->network_count; i++) {
        const uint32_t buffer = gpci_random_below(random, 2) ? 0 : 2 * TREE_BLOCK;
        t->networks[i].bandwidth = 8u << gpci_random_below(random, 5);
        t->networks[i].input_buffer = t->networks[i].output_buffer = buffer;
    }
}

/* Returns the number of conflicts between accesses. */
static uint64_t run_one(gpc_context *context, const char *protocol, uint64_t seed, uint32_t kinds) {
    const random_rules rules = random_rules_of(protocol);
    world w = {.seed = seed, .kept = rules != RANDOM_NO_DATA, .steered = !strcmp(protocol, "slc-glc")};
    w.each_its_own = seed % 2;
    w.exact = w.kept && (rules != RANDOM_MIXED || kinds == 2);
    uint64_t random = gpci_mix(seed), cycle = 0;
    gpc_error error = GPC_ERROR_INIT;
    gpc_coherence_callbacks callbacks = GPC_COHERENCE_CALLBACKS_INIT;
    const unsigned features = w.kept ? TREE_ALL : TREE_SIMULATOR;
    tree_random(&w.t, &random, BYTES, features);
    hurry(&w.t, &random);
    if (w.kept && seed % 3 == 0) /* blocks take ways on arrival */
        w.t.fill_ways = 1 + (uint32_t)(seed / 3 % 4);
    cr_assert_eq(tree_create(&w.t, context, protocol, true, true, &error, &w.c), GPC_OK, "%s", error.message);
    callbacks.user_data = &w;
    callbacks.on_complete = on_complete;
    cr_assert_eq(gpc_coherence_set_callbacks(w.c, &callbacks, NULL), GPC_OK);
    for (uint32_t i = 0; i < ACCESSES; i++) {
        cycle += gpci_random_below(&random, 8) / 3;
        issue(&w, &random, kinds, cycle);
        if (gpci_random_below(&random, 4))
            continue;
        const gpc_status status = gpc_coherence_advance(w.c, cycle += gpci_random_below(&random, 9), &error);
        cr_assert_eq(status, GPC_OK, "%s, seed %llu: %s", protocol, (unsigned long long)seed, error.message);
    }
    gpc_status status = gpc_coherence_advance(w.c, cycle + LONGEST, &error);
    cr_assert(status || gpc_coherence_next_event(w.c) == UINT64_MAX, "%s, seed %llu: livelock", protocol,
              (unsigned long long)seed);
    status = status ? status : gpc_coherence_advance(w.c, UINT64_MAX, &error);
    cr_assert_eq(status, GPC_OK, "%s, seed %llu: %s", protocol, (unsigned long long)seed, error.message);
    cr_assert_eq(w.ended, ACCESSES);
    check_rest(&w);
    if (w.kept)
        check_memory(&w);
    measured_module stats;
    measured_clear(&stats);
    cr_assert_eq(measure_module(w.c, GPC_NO_MODULE, &stats), GPC_OK);
    const uint64_t met = stats.retries + w.c->engine->waited;
    gpc_coherence_destroy(w.c);
    return met;
}

static void run_all(const char *protocol, uint32_t kinds) {
    const char *count = getenv("GPUCACHE_CONTROLLER_TREES"), *first = getenv("GPUCACHE_CONTROLLER_FIRST");
    gpc_context *context;
    uint64_t met = 0;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    const uint64_t trees = count ? strtoull(count, NULL, 0) : effort_of(96);
    for (uint64_t seed = first ? strtoull(first, NULL, 0) : 1; seed <= trees; seed++)
        met += run_one(context, protocol, seed, kinds);
    cr_expect_gt(met, trees, "accesses were hardly ever in each other's way");
    gpc_context_destroy(context);
}

/* Loads and stores; with n-stores as well. */
#define PROTOCOL(name, text)                           \
    Test(coherence_controller_random, name##_stores) { \
        run_all(text, 2);                              \
    }                                                  \
    Test(coherence_controller_random, name##_all) {    \
        run_all(text, 3);                              \
    }

PROTOCOL(msi, "msi")
PROTOCOL(mesi, "mesi")
PROTOCOL(mesif, "mesif")
PROTOCOL(mosi, "mosi")
PROTOCOL(moesi, "moesi")
PROTOCOL(nmoesi, "nmoesi")
PROTOCOL(vi, "vi")
PROTOCOL(none, "none")
PROTOCOL(slc_glc, "slc-glc")
PROTOCOL(hmg, "hmg")
PROTOCOL(multi2sim, "nmoesi-multi2sim")
