/* SPDX-License-Identifier: BSD-2-Clause */
/* Overlapping accesses, with some bypassing modules, at all nearby times. */
#include "coherence/engine/engine.h"
#include "coherence/small.h"
#include "coherence/tree/invariants.h"

#include <string.h>

enum { L1_0, L1_1, L1_2, BETWEEN, L2, MEMORY };

#define BLOCK 0x40u

/* l1-0 and l1-1 over a cache that l1-2 does not reach; all over an l2. */
static small *three(const char *protocol) {
    static const uint32_t low[] = {BETWEEN, BETWEEN, L2, L2, MEMORY};
    small *s = small_open_bare(6);
    s->options.protocol = protocol;
    for (uint32_t i = 0; i < 6; i++) {
        s->modules[i].sets = 2;
        s->modules[i].ways = 2;
        s->modules[i].latency = 1 + i;
        if (i < MEMORY)
            small_link(s, i, low[i]);
    }
    s->modules[MEMORY].memory = true;
    return s;
}

static void on_complete(void *user_data, const gpc_coherence_completion *completion) {
    uint8_t *values = user_data;
    values[completion->token] = *completion->bytes;
}

static void listen(small *s, uint8_t *values) {
    gpc_coherence_callbacks callbacks = GPC_COHERENCE_CALLBACKS_INIT;
    callbacks.user_data = values;
    callbacks.on_complete = on_complete;
    cr_assert_eq(gpc_coherence_set_callbacks(s->tree, &callbacks, NULL), GPC_OK);
}

static uint64_t now_of(const small *s) {
    return s->tree->engine ? s->tree->engine->now : 0;
}

static uint64_t issue(small *s, uint32_t module, uint32_t kind, uint32_t flags, uint8_t value, uint64_t delay) {
    gpc_coherence_request request = GPC_COHERENCE_REQUEST_INIT;
    uint64_t token = 0;
    request.module = module;
    request.kind = kind;
    request.flags = flags;
    request.address = BLOCK + 5;
    request.bytes = &value;
    request.cycle = now_of(s) + delay;
    cr_assert_eq(gpc_coherence_issue(s->tree, &request, &token, &s->error), GPC_OK, "%s", s->error.message);
    return token;
}

static void finish(small *s) {
    cr_assert_eq(gpc_coherence_advance(s->tree, UINT64_MAX, &s->error), GPC_OK, "%s", s->error.message);
}

/*
 * l1-0 stores to a block absent from it and from the cache below: the bytes pass through the cache. l1-1, over the same
 * cache, loads the block at about the same time. If the cache got the old block while the bytes are on the way below,
 * the cache would keep the old block for l1-0's later load.
 */
static void store_against_load(const char *protocol, uint32_t kind, uint32_t flags, uint32_t delay) {
    small *s = three(protocol);
    uint8_t values[8] = {0};
    small_tree(s);
    listen(s, values);
    issue(s, L1_1, GPC_COHERENCE_LOAD, 0, 0, delay);
    issue(s, L1_0, kind, flags, 7, 40);
    finish(s);
    const uint64_t own = issue(s, L1_0, GPC_COHERENCE_LOAD, 0, 0, 0);
    finish(s);
    cr_expect_eq(values[own], 7, "%s, delay %u: l1-0 reads %u", protocol, delay, values[own]);
    small_close(s);
}

Test(coherence_controller_pass, what_passes_is_not_overtaken) {
    for (uint32_t delay = 0; delay < 120; delay++) {
        store_against_load("vi", GPC_COHERENCE_N_STORE, 0, delay);
        store_against_load("vi", GPC_COHERENCE_STORE, 0, delay);
        store_against_load("slc-glc", GPC_COHERENCE_STORE, 0, delay);
        store_against_load("slc-glc", GPC_COHERENCE_N_STORE, GPC_ACCESS_SLC, delay);
        store_against_load("slc-glc", GPC_COHERENCE_N_STORE, GPC_ACCESS_GLC, delay);
    }
}

/*
 * With messages overtaking: the cache's output buffer, with the second of two answers of 72 bytes, has no room for the
 * store, but has for the load's request.
 */
static void store_overtaken(uint32_t delay, uint32_t answer) {
    small *s = three("vi");
    uint8_t values[8] = {0};
    s->networks[0].bandwidth = 8;
    s->networks[0].output_buffer = 80;
    small_tree(s);
    listen(s, values);
    for (uint32_t block = 2; block < 4; block++)
        (void)small_access(s->tree, L1_1, GPC_COHERENCE_LOAD, (uint64_t)block * BLOCK, 0);
    for (uint32_t block = 2; block < 4; block++) {
        gpc_coherence_request load = GPC_COHERENCE_REQUEST_INIT;
        uint64_t token;
        load.module = L1_0;
        load.address = (uint64_t)block * BLOCK;
        load.cycle = answer;
        cr_assert_eq(gpc_coherence_issue(s->tree, &load, &token, &s->error), GPC_OK);
    }
    issue(s, L1_1, GPC_COHERENCE_LOAD, 0, 0, delay);
    issue(s, L1_0, GPC_COHERENCE_N_STORE, 0, 7, 20);
    finish(s);
    const uint64_t own = issue(s, L1_0, GPC_COHERENCE_LOAD, 0, 0, 0);
    finish(s);
    cr_expect_eq(values[own], 7, "delays %u and %u: l1-0 reads %u", delay, answer, values[own]);
    small_close(s);
}

Test(coherence_controller_pass, though_messages_overtake_each_other) {
    for (uint32_t delay = 15; delay < 45; delay++)
        for (uint32_t answer = 5; answer < 35; answer++)
            store_overtaken(delay, answer);
}

/* A store past all caches is found by another processor's load past all caches. */
Test(coherence_controller_pass, memory_is_reached) {
    for (uint32_t delay = 0; delay < 120; delay++) {
        small *s = three("slc-glc");
        uint8_t values[8] = {0};
        small_tree(s);
        listen(s, values);
        issue(s, L1_2, GPC_COHERENCE_LOAD, 0, 0, delay);
        issue(s, L1_0, GPC_COHERENCE_N_STORE, GPC_ACCESS_SLC, 9, 40);
        finish(s);
        const uint64_t other = issue(s, L1_2, GPC_COHERENCE_LOAD, GPC_ACCESS_SLC, 0, 0);
        finish(s);
        cr_expect_eq(values[other], 9, "delay %u", delay);
        small_close(s);
    }
}

/* l1-0 writes through, or performs nothing locally, and l1-2 wants the same block: one of the two is refused. */
static void through_against(const char *protocol, bool allocates, uint32_t kind, uint32_t other, uint32_t delay,
                            uint64_t *met) {
    small *s = three(protocol);
    uint8_t values[8] = {0}, memory = 0;
    char text[256];
    s->modules[L1_0].write_through = allocates;
    s->modules[L1_0].no_write_allocate = !allocates;
    gpc_coherence *c = small_tree(s);
    listen(s, values);
    const uint64_t store = issue(s, L1_0, kind, 0, 7, 40), second = issue(s, L1_2, other, 0, 8, delay);
    finish(s);
    *met += c->modules[L1_0].stats.retries + c->modules[L1_2].stats.retries + c->engine->waited;
    cr_assert(gpci_invariants_over(c, 0, 0x100, text, sizeof text), "%s, delay %u: %s", protocol, delay, text);
    const uint64_t after = issue(s, L1_1, GPC_COHERENCE_LOAD, 0, 0, 0);
    finish(s);
    cr_assert_eq(gpc_coherence_flush(c, GPC_NO_MODULE, 0, NULL, &s->error), GPC_OK, "%s", s->error.message);
    cr_assert_eq(gpc_coherence_read_memory(c, BLOCK + 5, &memory, 1, NULL), GPC_OK);
    cr_expect_eq(values[store], 7, "%s, delay %u", protocol, delay);
    if (other == GPC_COHERENCE_LOAD)
        cr_expect((values[second] == 0 || values[second] == 7) && memory == 7 && values[after] == 7, "%s, delay %u",
                  protocol, delay);
    else
        cr_expect((memory == 7 || memory == 8) && values[after] == memory, "%s, delay %u: %u, then %u in memory",
                  protocol, delay, values[after], memory);
    small_close(s);
}

Test(coherence_controller_pass, through_and_past_a_directory) {
    static const char *const protocols[] = {"msi", "mesi", "mosi", "moesi", "nmoesi"};
    uint64_t met = 0;
    for (uint32_t delay = 0; delay < 160; delay++)
        for (uint32_t i = 0; i < 5; i++)
            for (uint32_t what = 0; what < 4; what++)
                through_against(protocols[i], what & 1, GPC_COHERENCE_STORE,
                                what & 2 ? GPC_COHERENCE_STORE : GPC_COHERENCE_LOAD, delay, &met);
    cr_expect_gt(met, 100, "they hardly ever met");
}
