/* SPDX-License-Identifier: BSD-2-Clause */
/* Acquires of modules with continuing accesses: required visibility, and effects on blocks. */
#include "coherence/engine/engine.h"
#include "coherence/small.h"
#include "coherence/tree/invariants.h"
#include "effort.h"

#include <string.h>

enum { L1_0, L1_1, L1_2, BETWEEN, L2, MEMORY, MODULES };

#define BYTES 384u /* six blocks in sets of two ways */
#define OPERATIONS 300u
#define BASE 0x1000u

/*
 * l1-0 and l1-1 over a cache that l1-2 does not reach; all over an l2. Every byte is stored to by one L1, 1, 2, 3 and
 * so on. `floors`: the smallest value a load must return, since its L1 has acquired after the value was visible.
 */
typedef struct world {
    small *s;
    uint64_t random;
    uint32_t module[OPERATIONS + 1], kind[OPERATIONS + 1], offset[OPERATIONS + 1]; /* by token */
    uint8_t value[OPERATIONS + 1];                                                 /* stored; or the floor of a load */
    uint8_t stored[BYTES], done[BYTES], seen[BYTES]; /* issued; ended in L1; visible to any acquiring module */
    uint8_t floors[3][BYTES], promised[3][BYTES], leaves[3][BYTES];
    uint64_t waits[3]; /* token of the acquire; or 0 */
    bool below[3];     /* acquires of the cache between */
    bool stays;        /* stores stay in L1 until an acquire */
    uint32_t ended;
} world;

static uint32_t writer_of(uint32_t offset) {
    return offset % 3;
}

static uint64_t issue(world *w, uint32_t module, uint32_t kind, uint32_t offset, uint8_t value, uint64_t delay) {
    gpc_coherence_request r = GPC_COHERENCE_REQUEST_INIT;
    uint64_t token = 0;
    r.module = module;
    r.kind = kind;
    r.address = BASE + offset;
    r.bytes = kind == GPC_COHERENCE_ACQUIRE ? NULL : &value;
    r.cycle = (w->s->tree->engine ? w->s->tree->engine->now : 0) + delay;
    cr_assert_eq(gpc_coherence_issue(w->s->tree, &r, &token, &w->s->error), GPC_OK, "%s", w->s->error.message);
    cr_assert_leq(token, OPERATIONS);
    w->module[token] = module;
    w->kind[token] = kind;
    w->offset[token] = offset;
    w->value[token] = value;
    return token;
}

/* First of the cache below, so that the L1 brings no old data from there; then of the L1. */
static void acquire(world *w, uint32_t sm) {
    w->below[sm] = sm != L1_2;
    memcpy(w->promised[sm], w->seen, BYTES);
    for (uint32_t i = 0; i < BYTES; i++)
        w->leaves[sm][i] = writer_of(i) == sm ? w->done[i] : 0;
    w->waits[sm] = issue(w, w->below[sm] ? BETWEEN : sm, GPC_COHERENCE_ACQUIRE, 0, 0, 1);
}

static void acquired(world *w, uint64_t token) {
    for (uint32_t sm = 0; sm < 3; sm++) {
        if (w->waits[sm] != token)
            continue;
        if (w->below[sm]) {
            w->below[sm] = false;
            w->waits[sm] = issue(w, sm, GPC_COHERENCE_ACQUIRE, 0, 0, 0);
            continue;
        }
        w->waits[sm] = 0;
        for (uint32_t i = 0; i < BYTES; i++) {
            if (w->promised[sm][i] > w->floors[sm][i])
                w->floors[sm][i] = w->promised[sm][i];
            if (w->leaves[sm][i] > w->seen[i])
                w->seen[i] = w->leaves[sm][i];
        }
    }
}

static void on_complete(void *user_data, const gpc_coherence_completion *c) {
    world *w = user_data;
    const uint32_t offset = w->offset[c->token];
    const uint8_t value = w->value[c->token];
    w->ended++;
    cr_assert_eq(c->kind, w->kind[c->token]);
    if (c->kind == GPC_COHERENCE_ACQUIRE) {
        acquired(w, c->token);
    } else if (c->kind == GPC_COHERENCE_LOAD) {
        cr_assert_geq(*c->bytes, value, "m%u reads %u at %u, and must not read less than %u", c->module, *c->bytes,
                      offset, value);
    } else {
        w->done[offset] = value > w->done[offset] ? value : w->done[offset];
        if (!w->stays || c->kind == GPC_COHERENCE_STORE)
            w->seen[offset] = value > w->seen[offset] ? value : w->seen[offset];
    }
}

static void open_world(world *w, const char *protocol, uint64_t seed, bool lines) {
    static const uint32_t low[] = {BETWEEN, BETWEEN, L2, L2, MEMORY};
    gpc_coherence_callbacks callbacks = GPC_COHERENCE_CALLBACKS_INIT;
    memset(w, 0, sizeof *w);
    w->random = seed;
    w->s = small_open_bare(MODULES);
    w->s->options.protocol = protocol;
    w->stays = !strcmp(protocol, "slc-glc");
    for (uint32_t i = 0; i < MODULES; i++) {
        w->s->modules[i].sets = 1 + (i >= BETWEEN);
        w->s->modules[i].ways = 2;
        w->s->modules[i].sectors = lines ? 2 : 1; /* both sectors are read */
        w->s->modules[i].fetch_blocks = lines && i < MEMORY ? 2 : 1;
        w->s->modules[i].latency = 1 + gpci_random_below(&w->random, i < BETWEEN ? 100 : 20);
        w->s->modules[i].directory_latency = gpci_random_below(&w->random, 3);
        if (i < MEMORY)
            small_link(w->s, i, low[i]);
    }
    w->s->modules[MEMORY].memory = true;
    callbacks.user_data = w;
    callbacks.on_complete = on_complete;
    small_tree(w->s);
    cr_assert_eq(gpc_coherence_set_callbacks(w->s->tree, &callbacks, NULL), GPC_OK);
}

/* Nothing is left behind, and memory has all stores after a flush. */
static void close_world(world *w, const char *protocol, uint64_t seed) {
    cr_assert_eq(gpc_coherence_advance(w->s->tree, UINT64_MAX, &w->s->error), GPC_OK, "%s", w->s->error.message);
    gpci_engine *e = w->s->tree->engine;
    cr_assert(!e->tasks.used && !e->inflights.used && !e->waiters.used && !e->live);
    for (uint32_t i = 0; i < MODULES; i++)
        for (uint32_t bucket = 0; bucket <= e->units[i].lock_mask; bucket++)
            cr_assert_eq(e->units[i].locks[bucket], 0, "m%u", i);
    uint8_t memory[BYTES];
    cr_assert_eq(gpc_coherence_flush(w->s->tree, GPC_NO_MODULE, 0, NULL, &w->s->error), GPC_OK);
    cr_assert_eq(gpc_coherence_read_memory(w->s->tree, BASE, memory, BYTES, NULL), GPC_OK);
    for (uint32_t i = 0; i < BYTES; i++)
        cr_assert_eq(memory[i], w->stored[i], "%s %llu: %u at %u, not %u", protocol, (unsigned long long)seed,
                     memory[i], i, w->stored[i]);
    small_close(w->s);
}

static void run(const char *protocol, uint64_t seed, bool lines) {
    world w;
    open_world(&w, protocol, seed, lines);
    uint32_t made = 0;
    while (made < OPERATIONS - 12) {
        const uint32_t sm = gpci_random_below(&w.random, 3), what = gpci_random_below(&w.random, 16);
        uint32_t offset = gpci_random_below(&w.random, BYTES);
        if (!what && !w.waits[sm]) {
            acquire(&w, sm);
            made += 2;
        } else if (what < 6) {
            offset -= (offset + 3 - sm) % 3;
            offset = offset < BYTES ? offset : sm;
            issue(&w, sm, what < 3 ? GPC_COHERENCE_STORE : GPC_COHERENCE_N_STORE, offset, ++w.stored[offset], 0);
            made++;
        } else {
            issue(&w, sm, GPC_COHERENCE_LOAD, offset, w.floors[sm][offset], 0);
            made++;
        }
        const uint64_t until = w.s->tree->engine->now + gpci_random_below(&w.random, 30);
        cr_assert_eq(gpc_coherence_advance(w.s->tree, until, &w.s->error), GPC_OK, "%s %llu: %s", protocol,
                     (unsigned long long)seed, w.s->error.message);
    }
    close_world(&w, protocol, seed);
}

Test(coherence_controller_acquire, makes_stores_seen) {
    for (uint64_t seed = 1; seed <= effort_of(1000); seed++) {
        run("vi", seed, seed % 3 == 0);
        run("slc-glc", seed, seed % 3 == 1);
    }
}

/* -- releases */

enum { STORER, READER, BELOW };
#define OTHER (BASE + 0x100)

static small *two_over_memory(const char *protocol, bool overlaps,
                              void (*told)(void *, const gpc_coherence_completion *), void *data) {
    gpc_coherence_callbacks callbacks = GPC_COHERENCE_CALLBACKS_INIT;
    small *s = small_open_bare(3);
    s->options.protocol = protocol;
    for (uint32_t i = STORER; i < BELOW; i++) {
        small_link(s, i, BELOW);
        s->modules[i].sets = s->modules[i].ways = 2;
        s->modules[i].latency = 50;
    }
    s->modules[BELOW].memory = true;
    s->modules[BELOW].ways = 0;
    small_tree(s);
    callbacks.on_complete = told;
    callbacks.user_data = data;
    if (overlaps)
        cr_assert_eq(gpc_coherence_set_callbacks(s->tree, &callbacks, NULL), GPC_OK);
    return s;
}

static void note_end(void *data, const gpc_coherence_completion *c) {
    ((uint64_t *)data)[c->kind] = c->cycle;
}

static uint8_t memory_at(const small *s, uint64_t address) {
    uint8_t byte = 0xff;
    cr_assert_eq(gpc_coherence_read_memory(s->tree, address, &byte, 1, NULL), GPC_OK);
    return byte;
}

static void begin(small *s, uint32_t kind, uint64_t address, uint8_t value) {
    gpc_coherence_request r = GPC_COHERENCE_REQUEST_INIT;
    uint64_t token;
    r.kind = kind;
    r.address = address;
    r.bytes = kind == GPC_COHERENCE_N_STORE ? &value : NULL;
    cr_assert_eq(gpc_coherence_issue(s->tree, &r, &token, &s->error), GPC_OK, "%s", s->error.message);
}

static uint8_t state_of(const small *s, uint64_t address) {
    const gpci_module *m = &s->tree->modules[STORER];
    const uint32_t block = gpci_module_find(m, address);
    return block == GPCI_TREE_NO_BLOCK ? GPC_LINE_I : m->states[block];
}

/* Issued with a store still on the way, it writes that back, and keeps data of no interest to others. */
Test(coherence_controller_acquire, a_release_comes_after_what_was_stored) {
    static const char *const protocols[] = {"slc-glc", "vi", "nmoesi", "msi"};
    for (size_t p = 0; p < 4; p++)
        for (uint32_t releases = 0; releases < 2; releases++) {
            uint64_t ends[8] = {0};
            small *s = two_over_memory(protocols[p], true, note_end, ends);
            begin(s, GPC_COHERENCE_LOAD, OTHER, 0);
            begin(s, GPC_COHERENCE_N_STORE, BASE, 7);
            if (releases)
                begin(s, GPC_COHERENCE_RELEASE, 0, 0);
            cr_assert_eq(gpc_coherence_advance(s->tree, UINT64_MAX, &s->error), GPC_OK, "%s", s->error.message);
            cr_expect_eq(memory_at(s, BASE), p == 1 || (p == 0 && releases) ? 7 : 0, "%s", protocols[p]);
            cr_expect_neq(state_of(s, OTHER), GPC_LINE_I);
            cr_expect(!releases || ends[GPC_COHERENCE_RELEASE] >= ends[GPC_COHERENCE_N_STORE], "%s", protocols[p]);
            if (p == 0 && releases) /* the write-back has been acknowledged */
                cr_expect_gt(ends[GPC_COHERENCE_RELEASE], ends[GPC_COHERENCE_N_STORE] + 8);
            small_close(s);
        }
}

Test(coherence_controller_acquire, a_release_at_once) {
    small *s = two_over_memory("slc-glc", false, NULL, NULL);
    gpc_coherence_request r = GPC_COHERENCE_REQUEST_INIT;
    gpc_coherence_result result = GPC_COHERENCE_RESULT_INIT;
    small_access(s->tree, STORER, GPC_COHERENCE_LOAD, OTHER, 0);
    small_access(s->tree, STORER, GPC_COHERENCE_N_STORE, BASE, 9);
    r.kind = GPC_COHERENCE_RELEASE;
    cr_expect_eq(memory_at(s, BASE), 0);
    cr_assert_eq(gpc_coherence_access(s->tree, &r, &result, &s->error), GPC_OK, "%s", s->error.message);
    cr_expect_eq(memory_at(s, BASE), 9);
    cr_expect_neq(state_of(s, OTHER), GPC_LINE_I);
    cr_expect_eq(result.transition_count, 2, "of the block in N, and of memory's entry");
    r.module = BELOW;
    cr_expect_eq(gpc_coherence_access(s->tree, &r, &result, &s->error), GPC_ERROR_ARGUMENT);
    r.module = STORER;
    r.flags = GPC_ACCESS_GLC;
    cr_expect_eq(gpc_coherence_access(s->tree, &r, &result, &s->error), GPC_ERROR_ARGUMENT);
    cr_expect(strstr(s->error.message, "a RELEASE has no bytes"));
    small_close(s);
}
