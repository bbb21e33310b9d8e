/* SPDX-License-Identifier: BSD-2-Clause */
#include <gpucache/experimental/experimental.h>

/* Invalidations without acknowledgement, and the markers of a release behind them (hmg). */
#include "coherence/module/tree.h"
#include "coherence/small.h"
#include "effort.h"

#include <string.h>

/* L1s 0 and 1 over the L2 A, 2 and 3 over B, A and B over memory. */
enum { A = 4, B = 5, MEMORY = 6, MODULES };
enum { X = 0x1000, Y = 0x2040, SETS = 4 };
enum { WRITES = 3, READS = 4, OTHERS = 5 };

static small *open_tree(uint32_t l2_ways, uint32_t memory_ways) {
    small *s = small_open_bare(MODULES);
    for (uint32_t m = 0; m < MEMORY; m++) {
        s->modules[m].sets = SETS;
        s->modules[m].ways = m < A ? 2 : l2_ways;
        small_link(s, m, m < A ? A + m / 2 : MEMORY);
    }
    s->options.network_count = 3;
    for (uint32_t m = 0; m < A; m++)
        s->modules[m].low_network = m / 2;
    for (uint32_t m = A; m < MEMORY; m++) {
        s->modules[m].high_network = m - A;
        s->modules[m].low_network = 2;
    }
    s->modules[MEMORY].memory = 1;
    s->modules[MEMORY].sets = memory_ways ? SETS : 1;
    s->modules[MEMORY].ways = memory_ways;
    s->modules[MEMORY].high_network = 2;
    s->options.protocol = "hmg";
    s->options.data = 1;
    s->options.timing = 1;
    return s;
}

static uint8_t state_of(const gpc_coherence *c, uint32_t module, uint64_t address) {
    const gpci_module *m = gpci_module_at(c, module);
    const uint32_t block = gpci_module_find(m, gpci_module_tag_of(m, address));
    return block == GPCI_TREE_NO_BLOCK ? GPC_LINE_I : m->states[block];
}

/* Modules memory would tell of an address, a bit each. */
static uint64_t listed(const gpc_coherence *c, uint64_t address) {
    const gpci_module *m = gpci_module_at(c, MEMORY);
    const uint32_t block = gpci_module_find(m, address);
    return block == GPCI_TREE_NO_BLOCK ? 0 : gpci_sharers_word(m, block, 0, 0);
}

static uint8_t load(gpc_coherence *c, uint32_t module, uint64_t address) {
    return small_access(c, module, GPC_COHERENCE_LOAD, address, 0);
}

static void acquire(gpc_coherence *c, uint32_t module) {
    cr_assert_eq(gpc_coherence_acquire(c, module, 0, NULL, NULL), GPC_OK);
}

Test(tell, who_has_read_is_told) {
    small *s = open_tree(2, 0);
    gpc_coherence *c = small_tree(s);
    load(c, 0, X);
    cr_expect_eq(listed(c, X), 1);
    load(c, 2, X);
    cr_expect_eq(listed(c, X), 3);
    small_access(c, 0, GPC_COHERENCE_N_STORE, X, 6);
    cr_expect_eq(state_of(c, A, X), GPC_LINE_S, "the bytes are its own");
    cr_expect_eq(state_of(c, B, X), GPC_LINE_I);
    cr_expect_eq(listed(c, X), 1);
    cr_expect_eq(load(c, 2, X), 0, "L1s are told nothing");
    cr_expect_eq(load(c, 3, X), 6);
    acquire(c, 2);
    cr_expect_eq(load(c, 2, X), 6);
    cr_expect_eq(state_of(c, B, X), GPC_LINE_S, "what is kept up to date is not dropped by an acquire");
    small_access(c, 3, GPC_COHERENCE_STORE, X, 7);
    cr_expect(state_of(c, A, X) == GPC_LINE_I && state_of(c, B, X) == GPC_LINE_S, "an atomic likewise");
    acquire(c, 0);
    cr_expect_eq(load(c, 0, X), 7);
    small_close(s);
}

/* Silent evictions leave lists unchanged; a message in vain loses nothing. The end of a list tells all. */
Test(tell, lists_that_are_long_or_gone) {
    small *s = open_tree(1, 1);
    gpc_coherence *c = small_tree(s);
    load(c, 0, X);
    load(c, 0, X + 64 * SETS);
    cr_expect_eq(listed(c, X), 0, "memory has one entry");
    cr_expect_eq(state_of(c, A, X), GPC_LINE_I);
    small_close(s);
    s = open_tree(1, 2);
    c = small_tree(s);
    load(c, 0, X);
    load(c, 0, X + 64 * SETS);
    cr_expect_eq(listed(c, X), 1, "A has dropped it without a word");
    small_access(c, 2, GPC_COHERENCE_N_STORE, X, 1);
    cr_expect_eq(listed(c, X), 0);
    cr_expect_eq(state_of(c, A, X + 64 * SETS), GPC_LINE_S);
    load(c, 0, X + 2 * 64 * SETS);
    cr_expect_eq(listed(c, X + 64 * SETS), 0, "its entry has left");
    small_close(s);
}

/* Trees with messages in an order chosen by a test. */

/* `token` is set before the end. */
static void issue(gpc_coherence *c, const gpc_coherence_request *request, uint64_t *token) {
    cr_assert_eq(gpc_coherence_issue(c, request, token, NULL), GPC_OK);
    cr_assert_eq(gpc_coherence_advance(c, 0, NULL), GPC_OK);
}

static gpc_coherence_request request_of(uint32_t module, uint32_t kind, uint64_t address, uint8_t *bytes) {
    gpc_coherence_request request = GPC_COHERENCE_REQUEST_INIT;
    request.module = module;
    request.kind = kind;
    request.address = address;
    if (kind == GPC_COHERENCE_LOAD)
        request.out = bytes;
    else
        request.bytes = bytes;
    return request;
}

static void begin_access(gpc_coherence *c, uint32_t module, uint32_t kind, uint64_t address, uint8_t *bytes) {
    const gpc_coherence_request request = request_of(module, kind, address, bytes);
    uint64_t token;
    issue(c, &request, &token);
}

static bool find(const gpc_coherence *c, uint32_t kind, uint32_t from, uint32_t to, uint32_t *index) {
    gpc_coherence_choice choice = GPC_COHERENCE_CHOICE_INIT;
    for (*index = 0; gpc_coherence_get_choice(c, *index, &choice, NULL) == GPC_OK; ++*index)
        if (choice.kind == GPC_CHOICE_MESSAGE && choice.message == kind && choice.from == from && choice.to == to)
            return true;
    return false;
}

/* Steps other than messages. */
static void think(gpc_coherence *c) {
    gpc_coherence_choice choice = GPC_COHERENCE_CHOICE_INIT;
    for (uint32_t i = 0; gpc_coherence_get_choice(c, i, &choice, NULL) == GPC_OK;)
        if (choice.kind == GPC_CHOICE_MESSAGE)
            i++;
        else
            cr_assert_eq(gpc_coherence_choose(c, i, NULL), GPC_OK);
}

static void deliver(gpc_coherence *c, uint32_t kind, uint32_t from, uint32_t to) {
    uint32_t index;
    think(c);
    cr_assert(find(c, kind, from, to, &index), "no message %u from %u to %u", kind, from, to);
    cr_assert_eq(gpc_coherence_choose(c, index, NULL), GPC_OK);
}

static bool is_waiting(gpc_coherence *c, uint32_t kind, uint32_t from, uint32_t to) {
    uint32_t index;
    think(c);
    return find(c, kind, from, to, &index);
}

static void finish(gpc_coherence *c) {
    gpc_coherence_choice choice = GPC_COHERENCE_CHOICE_INIT;
    while (gpc_coherence_get_choice(c, 0, &choice, NULL) == GPC_OK)
        cr_assert_eq(gpc_coherence_choose(c, 0, NULL), GPC_OK);
}

/*
 * B has asked for X, and memory has answered with data from before a store. The invalidation overtakes the answer: it
 * waits for the answer, and removes it. A marker that overtakes both is not answered before.
 */
Test(tell, an_invalidation_overtakes_data) {
    small *s = open_tree(2, 0);
    gpc_coherence *c = small_tree(s);
    uint8_t read = 9, six = 6;
    cr_assert_eq(gpc_coherence_hold(c, 0, 3, NULL), GPC_OK);
    begin_access(c, 2, GPC_COHERENCE_LOAD, X, &read);
    deliver(c, GPC_MESSAGE_READ_REQUEST, 2, B);
    deliver(c, GPC_MESSAGE_READ_REQUEST, B, MEMORY);
    begin_access(c, 0, GPC_COHERENCE_N_STORE, X, &six);
    deliver(c, GPC_MESSAGE_WRITE_THROUGH, 0, A);
    deliver(c, GPC_MESSAGE_WRITE_THROUGH, A, MEMORY);
    deliver(c, GPC_MESSAGE_ACK, MEMORY, A);
    deliver(c, GPC_MESSAGE_ACK, A, 0);
    begin_access(c, 0, GPC_COHERENCE_RELEASE, 0, NULL);
    deliver(c, GPC_MESSAGE_MARKER, 0, A);
    deliver(c, GPC_MESSAGE_MARKER, A, MEMORY);
    deliver(c, GPC_MESSAGE_INVALIDATION, MEMORY, B);
    deliver(c, GPC_MESSAGE_MARKER, MEMORY, B);
    cr_expect(!is_waiting(c, GPC_MESSAGE_ACK, B, MEMORY), "the invalidation has not been carried out");
    deliver(c, GPC_MESSAGE_DATA, MEMORY, B);
    cr_expect(is_waiting(c, GPC_MESSAGE_ACK, B, MEMORY));
    cr_expect_eq(state_of(c, B, X), GPC_LINE_I);
    finish(c);
    cr_expect(read == 0 && state_of(c, 2, X) == GPC_LINE_S, "the load came before the store");
    cr_expect_eq(load(c, 3, X), 6);
    small_close(s);
}

/* Random orders: a writer stores to X, releases, stores to Y; a reader acquires, loads Y, acquires, loads X. */

static uint32_t below(uint64_t *random, uint32_t bound) {
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*random >> 33) % bound;
}

typedef struct thread {
    uint32_t module, at, steps;
    uint64_t token; /* token of the awaited access; or 0 */
} thread;

static void on_complete(void *data, const gpc_coherence_completion *done) {
    for (thread *t = data; t->steps; t++)
        t->token = t->token == done->token ? 0 : t->token;
}

/* A message of the `slow` kind only without other choices, when no access can begin. */
static bool choose_any(gpc_coherence *c, uint32_t slow, bool begins, uint64_t *random) {
    gpc_coherence_choice choice = GPC_COHERENCE_CHOICE_INIT;
    uint32_t count = 0, chosen = 0, others = 0;
    for (; gpc_coherence_get_choice(c, count, &choice, NULL) == GPC_OK; count++)
        if ((choice.kind != GPC_CHOICE_MESSAGE || choice.message != slow) && below(random, ++others) == 0)
            chosen = count;
    if (count && (others || !begins))
        cr_assert_eq(gpc_coherence_choose(c, others ? chosen : below(random, count), NULL), GPC_OK);
    return count;
}

/* The third thread loads addresses that may evict or fetch X or Y, beside the second. */
static void begin(gpc_coherence *c, thread *t, uint8_t round, uint8_t seen[2], uint64_t *random) {
    static const uint32_t writes[] = {GPC_COHERENCE_N_STORE, GPC_COHERENCE_RELEASE, GPC_COHERENCE_N_STORE},
                          reads[] = {GPC_COHERENCE_ACQUIRE, GPC_COHERENCE_LOAD, GPC_COHERENCE_ACQUIRE,
                                     GPC_COHERENCE_LOAD};
    const bool writer = t->steps == WRITES, reader = t->steps == READS;
    const uint32_t kind = writer ? writes[t->at] : reader ? reads[t->at] : (uint32_t)GPC_COHERENCE_LOAD;
    const uint64_t address = kind == GPC_COHERENCE_RELEASE || kind == GPC_COHERENCE_ACQUIRE ? 0
                             : writer                                                       ? t->at ? Y : X
                             : reader                                                       ? t->at == 1 ? Y : X
                                      : X * (1 + below(random, 2)) + 64 * (below(random, 8) == 0);
    uint8_t *bytes = !address ? NULL : writer ? &round : reader ? &seen[t->at == 3] : NULL;
    const gpc_coherence_request request = request_of(t->module, kind, address, bytes);
    t->at++;
    issue(c, &request, &t->token);
}

static void play(gpc_coherence *c, uint8_t round, uint64_t *random) {
    thread threads[] = {
        {.module = 0, .steps = WRITES}, {.module = 2, .steps = READS}, {.module = 3, .steps = OTHERS}, {0}};
    gpc_coherence_callbacks callbacks = GPC_COHERENCE_CALLBACKS_INIT;
    static const uint32_t kinds[] = {GPC_MESSAGE_KIND_COUNT, GPC_MESSAGE_INVALIDATION, GPC_MESSAGE_DATA};
    const uint32_t slow = kinds[below(random, 3)];
    uint8_t seen[2] = {0};
    callbacks.user_data = threads;
    callbacks.on_complete = on_complete;
    cr_assert_eq(gpc_coherence_set_callbacks(c, &callbacks, NULL), GPC_OK);
    for (bool moves = true; moves;) {
        thread *t = &threads[below(random, 3)];
        bool begins = false;
        for (uint32_t i = 0; i < 3; i++)
            begins |= !threads[i].token && threads[i].at < threads[i].steps;
        if (!t->token && t->at < t->steps && below(random, 4) == 0)
            begin(c, t, round, seen, random);
        else
            moves = choose_any(c, slow, begins, random) || begins;
    }
    cr_expect_leq(seen[0], seen[1], "round %u: %u, then what was there before %u", round, seen[1], seen[0]);
}

/* seen[0] is Y's, read first. A reader that sees the flag sees the data. */
Test(tell, markers_make_releases) {
    for (uint64_t seed = 1; seed <= effort_of(400); seed++) {
        small *s = open_tree(1 + seed % 2, seed % 3 ? 0 : 1);
        gpc_coherence *c = small_tree(s);
        uint64_t random = seed;
        cr_assert_eq(gpc_coherence_hold(c, 0, 3, NULL), GPC_OK);
        for (uint8_t round = 1; round <= 20; round++)
            play(c, round, &random);
        small_close(s);
    }
}
