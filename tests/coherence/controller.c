/* SPDX-License-Identifier: BSD-2-Clause */
/* Accesses overlapping in time: gpc_coherence_issue, advance, next_event. */
#include "coherence/engine/engine.h"
#include "coherence/small.h"
#include "coherence/tree/invariants.h"
#include "coherence/trees.h"
#include "measured.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MOST 64u

typedef struct log {
    gpc_coherence *tree;
    gpc_coherence_completion ends[MOST];
    uint8_t values[MOST]; /* first byte of each */
    uint32_t count, again;
    uint64_t bytes;      /* of messages */
    uint64_t replies[8]; /* bytes of DATA and ACK, by the first modules */
    gpc_status inside;
} log;

static void on_complete(void *user_data, const gpc_coherence_completion *completion) {
    log *l = user_data;
    cr_assert(l->count < MOST);
    l->values[l->count] = completion->bytes ? *completion->bytes : 0;
    l->ends[l->count++] = *completion;
}

static void on_message(void *user_data, const gpc_coherence_message *message) {
    log *l = user_data;
    cr_assert(!message->bytes || message->received > message->sent); /* a flush has steps other than messages */
    l->bytes += message->bytes;
    if (message->from < 8 && (message->kind == GPC_MESSAGE_DATA || message->kind == GPC_MESSAGE_ACK))
        l->replies[message->from] += message->bytes;
}

static void listen(small *s, log *l) {
    gpc_coherence_callbacks callbacks = GPC_COHERENCE_CALLBACKS_INIT;
    l->tree = s->tree;
    callbacks.user_data = l;
    callbacks.on_complete = on_complete;
    callbacks.on_message = on_message;
    cr_assert_eq(gpc_coherence_set_callbacks(s->tree, &callbacks, NULL), GPC_OK);
}

static gpc_coherence_request request_of(uint32_t module, uint32_t kind, uint64_t address, uint8_t *value,
                                        uint64_t cycle) {
    gpc_coherence_request request = GPC_COHERENCE_REQUEST_INIT;
    request.module = module;
    request.kind = kind;
    request.address = address;
    request.bytes = value;
    request.cycle = cycle;
    return request;
}

static uint64_t issue(small *s, uint32_t module, uint32_t kind, uint64_t address, uint8_t value, uint64_t cycle) {
    const gpc_coherence_request request = request_of(module, kind, address, &value, cycle);
    uint64_t token = 0;
    cr_assert_eq(gpc_coherence_issue(s->tree, &request, &token, &s->error), GPC_OK, "%s", s->error.message);
    return token;
}

static void finish(small *s) {
    cr_assert_eq(gpc_coherence_advance(s->tree, UINT64_MAX, &s->error), GPC_OK, "%s", s->error.message);
    cr_assert_eq(gpc_coherence_next_event(s->tree), UINT64_MAX);
}

static const gpc_coherence_completion *end_of(const log *l, uint64_t token) {
    for (uint32_t i = 0; i < l->count; i++)
        if (l->ends[i].token == token)
            return &l->ends[i];
    cr_assert_fail("access %llu has not ended", (unsigned long long)token);
    return NULL;
}

static uint8_t value_of(const log *l, uint64_t token) {
    return l->values[end_of(l, token) - l->ends];
}

static uint8_t state_of(const small *s, uint32_t module, uint64_t address) {
    const gpci_module *m = &s->tree->modules[module];
    const uint32_t block = gpci_module_find(m, gpci_module_tag_of(m, address));
    return block == GPCI_TREE_NO_BLOCK ? GPC_LINE_I : m->states[block];
}

/* An undisturbed load: 4 cycles to l2, 4 to mm, 10 back over every network, a cycle of data in each. */
Test(coherence_controller, a_load_alone) {
    small *s = small_open();
    log l = {0};
    s->networks[0].bandwidth = s->networks[1].bandwidth = 64;
    gpc_coherence *c = small_tree(s);
    listen(s, &l);
    cr_expect_eq(gpc_coherence_next_event(c), UINT64_MAX);
    cr_expect_eq(gpc_coherence_next_event(NULL), UINT64_MAX);
    cr_expect_eq(gpc_coherence_advance(c, 5, &s->error), GPC_OK, "nothing was ever issued");
    cr_assert_eq(issue(s, 0, GPC_COHERENCE_LOAD, 0x40, 0, 100), 1);
    cr_expect_eq(gpc_coherence_next_event(c), 100);
    cr_assert_eq(gpc_coherence_advance(c, 99, &s->error), GPC_OK);
    cr_expect_eq(c->modules[0].stats.accesses, 0);
    cr_assert_eq(gpc_coherence_advance(c, 100, &s->error), GPC_OK);
    cr_expect_eq(c->modules[0].stats.accesses, 1);
    /* 8 bytes: 1 + 3; from mm 8 + 128: 1 + 3 * 3; from l2 8 + 64: 1 + 3 * 2 */
    const uint64_t end = 100 + 4 + 4 + 1 + 10 + 1 + 7 + 1;
    cr_assert_eq(gpc_coherence_advance(c, end - 1, &s->error), GPC_OK);
    cr_expect(!l.count && gpc_coherence_next_event(c) == end);
    cr_assert_eq(gpc_coherence_advance(c, end, &s->error), GPC_OK);
    cr_assert_eq(l.count, 1);
    cr_expect(l.ends->cycle == end && l.ends->issued == 100 && !l.ends->retries && !l.ends->hit && !l.ends->joined);
    cr_expect_eq(l.bytes, 8 + 8 + 136 + 72);
    cr_expect_eq(state_of(s, 0, 0x40), GPC_LINE_E);
    cr_expect_eq(gpc_coherence_next_event(c), UINT64_MAX);
    small_close(s);
}

/*
 * m0 and m1, with blocks of 64, above m2; m3 above m4; m2 and m4, with blocks of 128, above the memory m5. m0 has one
 * block, so a load of another block evicts.
 */
static small *open_two_l2(bool bare) {
    small *s = small_open_bare(6);
    gpc_protocol protocol = *gpc_protocol_find(s->context, "nmoesi-multi2sim");
    protocol.name = "mine";
    if (!bare)
        protocol.flags &= ~(uint32_t)(GPC_PROTOCOL_BARE_ACK | GPC_PROTOCOL_DROP_PROBE_DATA | GPC_PROTOCOL_STALE_REPLY);
    cr_assert_eq(gpc_context_register_protocol(s->context, &protocol, &s->error), GPC_OK, "%s", s->error.message);
    s->options.protocol = "mine";
    for (uint32_t m = 0; m < 6; m++) {
        s->modules[m].sets = m ? 8 : 1;
        s->modules[m].ways = m ? 4 : 1;
        s->modules[m].block_bytes = m == 2 || m == 4 ? 128 : m == 5 ? 256 : 64;
        if (m < 5)
            small_link(s, m, m == 2 || m == 4 ? 5 : m == 3 ? 4 : 2);
    }
    s->modules[5].memory = true;
    small_tree(s);
    return s;
}

/* Bytes of replies to a read probe, with a header of 8. */
Test(coherence_controller, replies_to_a_read_probe) {
    enum { ONE = 0x40, OTHER = 0x1040 };
    static const struct {
        const char *what;
        bool evict, load_again;
        uint32_t requester;
        uint64_t by_m0, by_m2[2]; /* by_m2: with the defects repaired; with BARE_ACK */
    } rows[] = {
        {"no module is above m0", false, false, 1, 8 + 64, {8 + 64, 8 + 64}}, /* m2 sends to m1 */
        {"m2 has the only copy: a sub-block suffices", true, false, 3, 0, {8 + 128, 8 + 64}},
        {"m0 has a clean copy", true, true, 3, 8, {8 + 128, 8}},
        {"m0 has modified the block", false, false, 3, 8 + 64, {8 + 128, 8 + 128}},
    };
    for (uint32_t at = 0; at < 2 * sizeof rows / sizeof *rows; at++) {
        const uint32_t row = at / 2, bare = at % 2;
        small *s = open_two_l2(bare);
        log l = {0};
        issue(s, 0, GPC_COHERENCE_STORE, ONE, 1, 0);
        finish(s);
        if (rows[row].evict)
            issue(s, 0, GPC_COHERENCE_LOAD, OTHER, 0, 10000);
        finish(s);
        if (rows[row].load_again)
            issue(s, 0, GPC_COHERENCE_LOAD, ONE, 0, 20000);
        finish(s);
        listen(s, &l);
        issue(s, rows[row].requester, GPC_COHERENCE_LOAD, ONE, 0, 30000);
        finish(s);
        cr_expect_eq(l.replies[0], rows[row].by_m0, "%s, %u: %llu by m0", rows[row].what, bare,
                     (unsigned long long)l.replies[0]);
        cr_expect_eq(l.replies[2], rows[row].by_m2[bare], "%s, %u: %llu by m2", rows[row].what, bare,
                     (unsigned long long)l.replies[2]);
        small_close(s);
    }
}

/*
 * Two stores of different modules: the second is refused while the first is served, or waits, by the protocol, and
 * comes afterwards.
 */
Test(coherence_controller, two_stores_to_one_block) {
    static const char *const protocols[] = {"msi", "mesi", "mosi", "moesi", "nmoesi", "nmoesi-multi2sim"};
    for (uint32_t i = 0; i < sizeof protocols / sizeof *protocols; i++) {
        small *s = small_open();
        log l = {0};
        s->options.protocol = protocols[i];
        gpc_coherence *c = small_tree(s);
        listen(s, &l);
        const uint64_t one = issue(s, 0, GPC_COHERENCE_STORE, 0x40, 1, 0);
        const uint64_t two = issue(s, 1, GPC_COHERENCE_STORE, 0x40, 2, 1);
        finish(s);
        cr_assert_lt(end_of(&l, one)->cycle, end_of(&l, two)->cycle, "%s", protocols[i]);
        const bool refuses = (c->protocol->flags & GPC_PROTOCOL_RETRY) != 0;
        cr_expect(!end_of(&l, one)->retries && !end_of(&l, two)->retries == !refuses, "%s", protocols[i]);
        cr_expect_eq(refuses, i == 5);
        cr_expect_geq(c->modules[1].stats.retries, end_of(&l, two)->retries);
        cr_expect(state_of(s, 0, 0x40) == GPC_LINE_I && state_of(s, 1, 0x40) == GPC_LINE_M, "%s", protocols[i]);
        const uint64_t load = issue(s, 0, GPC_COHERENCE_LOAD, 0x40, 0, c->engine->now);
        finish(s);
        cr_expect_eq(value_of(&l, load), 2, "%s", protocols[i]);
        small_close(s);
    }
}

/* In one module: a load waits for the previous store, of any block; loads of a block join; a store joins none. */
Test(coherence_controller, order_in_a_module) {
    small *s = small_open();
    log l = {0};
    gpc_coherence *c = small_tree(s);
    listen(s, &l);
    const uint64_t store = issue(s, 0, GPC_COHERENCE_STORE, 0x40, 7, 0);
    const uint64_t load = issue(s, 0, GPC_COHERENCE_LOAD, 0x40, 0, 1),
                   joined = issue(s, 0, GPC_COHERENCE_LOAD, 0x44, 0, 2);
    const uint64_t other = issue(s, 0, GPC_COHERENCE_LOAD, 0x800, 0, 2);
    const uint64_t later = issue(s, 0, GPC_COHERENCE_STORE, 0x40, 8, 3);
    finish(s);
    const uint64_t end = end_of(&l, store)->cycle;
    cr_expect(end_of(&l, load)->cycle == end + 1 && end_of(&l, load)->hit && value_of(&l, load) == 7);
    cr_expect(end_of(&l, joined)->joined && end_of(&l, joined)->cycle == end + 1 && !value_of(&l, joined));
    cr_expect(!end_of(&l, load)->joined && !end_of(&l, other)->joined);
    cr_expect_gt(end_of(&l, other)->cycle, end + 20, "a miss that began after the store had ended");
    cr_expect_eq(end_of(&l, later)->cycle, end_of(&l, other)->cycle + 1, "behind all, a hit");
    cr_expect(!end_of(&l, later)->joined && value_of(&l, later) == 8);
    cr_expect_eq(c->modules[0].stats.loads, 3);
    small_close(s);
}

/* Loads of A, in memory, and twice of B, in the other L1; at cycle `at`, if not 0, loads of A and of B again. */
static void load_as_loads_end(const char *protocol, uint64_t at, gpc_coherence_completion ends[5]) {
    small *s = small_open();
    log l = {0};
    s->options.protocol = protocol;
    (void)small_tree(s);
    listen(s, &l);
    (void)issue(s, 1, GPC_COHERENCE_LOAD, 0x880, 0, 0);
    finish(s);
    uint64_t tokens[5] = {issue(s, 0, GPC_COHERENCE_LOAD, 0x40, 0, 100), issue(s, 0, GPC_COHERENCE_LOAD, 0x880, 0, 101),
                          issue(s, 0, GPC_COHERENCE_LOAD, 0x884, 0, 102)};
    if (at) {
        cr_assert_eq(gpc_coherence_advance(s->tree, at - 1, &s->error), GPC_OK);
        tokens[3] = issue(s, 0, GPC_COHERENCE_LOAD, 0x44, 0, at);
        tokens[4] = issue(s, 0, GPC_COHERENCE_LOAD, 0x888, 0, at);
    }
    finish(s);
    for (uint32_t i = 0; i < (at ? 5 : 3); i++)
        ends[i] = *end_of(&l, tokens[i]);
    small_close(s);
}

/*
 * A load joins past loads of other blocks that end in its cycle. If a load of its own block ends, Multi2Sim lets the
 * load join a joined one, which ends after the master: all end in this cycle. In other protocols the load is a hit.
 */
Test(coherence_controller, a_load_comes_as_loads_end) {
    static const char *const protocols[] = {"mesi", "nmoesi-multi2sim"};
    for (uint32_t i = 0; i < 2; i++) {
        gpc_coherence_completion first[5], ends[5];
        load_as_loads_end(protocols[i], 0, first);
        const uint64_t at = first[1].cycle;
        cr_assert(at == first[2].cycle && first[2].joined && at + 1 < first[0].cycle, "%s", protocols[i]);
        load_as_loads_end(protocols[i], at, ends);
        cr_expect(ends[3].joined && ends[3].cycle == ends[0].cycle, "%s: A at %" PRIu64, protocols[i], ends[3].cycle);
        cr_expect(ends[4].joined == i && ends[4].cycle == at + !i, "%s: B at %" PRIu64, protocols[i], ends[4].cycle);
        cr_expect_eq(ends[0].cycle, first[0].cycle, "%s", protocols[i]);
    }
}

/* Consecutive stores to a block become one. */
Test(coherence_controller, stores_join) {
    small *s = small_open();
    log l = {0};
    small_tree(s);
    listen(s, &l);
    const uint64_t one = issue(s, 0, GPC_COHERENCE_STORE, 0x40, 1, 0),
                   two = issue(s, 0, GPC_COHERENCE_STORE, 0x41, 2, 5),
                   three = issue(s, 0, GPC_COHERENCE_STORE, 0x40, 3, 6);
    finish(s);
    cr_expect(end_of(&l, two)->joined && end_of(&l, three)->joined && !end_of(&l, one)->joined);
    cr_expect_eq(end_of(&l, three)->cycle, end_of(&l, one)->cycle);
    cr_assert_eq(gpc_coherence_flush(s->tree, GPC_NO_MODULE, 0, NULL, &s->error), GPC_OK);
    uint8_t memory[2];
    cr_assert_eq(gpc_coherence_read_memory(s->tree, 0x40, memory, 2, NULL), GPC_OK);
    cr_expect(memory[0] == 3 && memory[1] == 2, "in the order in which they were issued");
    small_close(s);
}

/* l1-0 makes room for another block, at all times near l1-1's load, which has the evicted block probed. */
static void evict_against_probe(const char *protocol, uint64_t delay) {
    small *s = small_open();
    log l = {0};
    char text[256];
    s->options.protocol = protocol;
    s->modules[0].sets = s->modules[0].ways = 1;
    gpc_coherence *c = small_tree(s);
    listen(s, &l);
    issue(s, 0, GPC_COHERENCE_STORE, 0x40, 9, 0);
    finish(s);
    const uint64_t now = c->engine->now, load = issue(s, 1, GPC_COHERENCE_LOAD, 0x40, 0, now + 1);
    const uint64_t other = issue(s, 0, GPC_COHERENCE_LOAD, 0x80, 0, now + delay);
    finish(s);
    cr_expect_eq(value_of(&l, load), 9, "%s, delay %llu", protocol, (unsigned long long)delay);
    cr_expect_eq(state_of(s, 0, 0x40), GPC_LINE_I);
    cr_expect_neq(state_of(s, 0, 0x80), GPC_LINE_I);
    cr_expect_gt(end_of(&l, other)->cycle, now);
    cr_assert(gpci_invariants_over(c, 0, 0x200, text, sizeof text), "%s, delay %llu: %s", protocol,
              (unsigned long long)delay, text);
    small_close(s);
}

Test(coherence_controller, eviction_against_probe) {
    static const char *const protocols[] = {"msi", "mesi", "moesi", "nmoesi"};
    for (uint32_t i = 0; i < sizeof protocols / sizeof *protocols; i++)
        for (uint64_t delay = 0; delay < 40; delay++)
            evict_against_probe(protocols[i], delay);
}

/*
 * Defect D1 of Multi2Sim: an n-store to a modified block first writes back; if refused, it begins again without
 * unlocking the block, and waits for its own lock. l1-1's load has the block locked below, and the probe may wait
 * before it.
 */
static bool d1(uint32_t faults, uint64_t delay) {
    small *s = small_open();
    log l = {0};
    s->options.protocol = "nmoesi-multi2sim";
    gpc_coherence *c = small_tree(s);
    gpci_coherence_inject(c, faults, 0);
    listen(s, &l);
    issue(s, 0, GPC_COHERENCE_STORE, 0x40, 1, 0);
    finish(s);
    const uint64_t now = c->engine->now;
    issue(s, 1, GPC_COHERENCE_LOAD, 0x40, 0, now + 1);
    issue(s, 0, GPC_COHERENCE_N_STORE, 0x40, 2, now + delay);
    const gpc_status status = gpc_coherence_advance(c, UINT64_MAX, &s->error);
    if (status == GPC_OK) {
        cr_expect_eq(l.count, 3);
        cr_expect_eq(state_of(s, 0, 0x40), GPC_LINE_N);
    } else {
        cr_assert(status == GPC_ERROR_STATE && faults, "%s", s->error.message);
        cr_expect_str_eq(s->error.message, "deadlock of 2 accesses: l1-0's n-store to 0x40 waits for block 0x40 of "
                                           "module l1-0, which itself, l1-0's n-store to 0x40 has locked");
        const gpc_coherence_request request = request_of(0, GPC_COHERENCE_LOAD, 0, NULL, now + 1000);
        uint64_t token;
        cr_expect_eq(gpc_coherence_issue(c, &request, &token, NULL), GPC_ERROR_STATE);
        cr_expect_eq(gpc_coherence_advance(c, UINT64_MAX, NULL), GPC_ERROR_STATE);
        cr_expect_eq(gpc_coherence_access(c, &request, NULL, NULL), GPC_ERROR_STATE);
        cr_expect_eq(gpc_coherence_next_event(c), UINT64_MAX);
    }
    small_close(s);
    return status == GPC_OK;
}

Test(coherence_controller, deadlock_is_told) {
    uint32_t ended = 0;
    for (uint64_t delay = 1; delay < 40; delay++) {
        cr_expect(d1(0, delay));
        ended += d1(GPCI_FAULT_NO_UNLOCK, delay);
    }
    cr_expect(ended > 0 && ended < 39, "%u", ended);
    cr_log_info("%u of 39 ended", ended);
}

/* From on_complete more may be issued, from the other callbacks nothing. */
static void chain(void *user_data, const gpc_coherence_completion *completion) {
    log *l = user_data;
    uint64_t token;
    uint8_t value = (uint8_t)++l->again;
    on_complete(user_data, completion);
    gpc_coherence_request request = request_of(l->again % 2, GPC_COHERENCE_STORE, 0x40, &value, completion->cycle);
    if (l->again < 40)
        cr_assert_eq(gpc_coherence_issue(l->tree, &request, &token, NULL), GPC_OK);
    cr_expect_eq(gpc_coherence_advance(l->tree, UINT64_MAX, NULL), GPC_ERROR_STATE);
}

static void issue_inside(void *user_data, const gpc_coherence_transition *transition) {
    log *l = user_data;
    uint64_t token;
    const gpc_coherence_request request = request_of(0, GPC_COHERENCE_LOAD, 0, NULL, transition->cycle + 1);
    l->inside = gpc_coherence_issue(l->tree, &request, &token, NULL);
}

Test(coherence_controller, callbacks_that_issue) {
    small *s = small_open();
    log l = {0};
    gpc_coherence_callbacks callbacks = GPC_COHERENCE_CALLBACKS_INIT;
    l.tree = small_tree(s);
    callbacks.user_data = &l;
    callbacks.on_complete = chain;
    callbacks.on_transition = issue_inside;
    cr_assert_eq(gpc_coherence_set_callbacks(s->tree, &callbacks, NULL), GPC_OK);
    issue(s, 0, GPC_COHERENCE_LOAD, 0x40, 0, 0);
    finish(s);
    cr_expect_eq(l.count, 40);
    cr_expect_eq(l.values[39], 39);
    cr_expect_eq(l.inside, GPC_ERROR_STATE);
    small_close(s);
}

Test(coherence_controller, out_is_written) {
    small *s = small_open();
    uint8_t value = 5, out = 0;
    uint64_t token;
    gpc_coherence *c = small_tree(s);
    gpc_coherence_request request = request_of(0, GPC_COHERENCE_STORE, 0x40, &value, 0);
    request.out = &out;
    cr_assert_eq(gpc_coherence_issue(c, &request, &token, NULL), GPC_OK);
    value = 6; /* copied */
    finish(s);
    cr_expect_eq(out, 5);
    small_close(s);
}

/* Impossible requests are named, without effect. */
static void refused(small *s, gpc_coherence_request request, gpc_status status, const char *part) {
    uint64_t token = 77;
    cr_expect_eq(gpc_coherence_issue(s->tree, &request, &token, &s->error), status, "%s", part);
    cr_expect(strstr(s->error.message, part), "%s, not: %s", part, s->error.message);
    cr_expect(token == 77 && gpc_coherence_next_event(s->tree) == UINT64_MAX);
}

Test(coherence_controller, bad_arguments) {
    small *s = small_open();
    uint64_t token;
    gpc_coherence *c = small_tree(s);
    gpc_coherence_request good = request_of(0, GPC_COHERENCE_LOAD, 0x40, NULL, 0), bad = good;
    cr_expect_eq(gpc_coherence_issue(NULL, &good, &token, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_coherence_issue(c, NULL, &token, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_coherence_issue(c, &good, NULL, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_coherence_advance(NULL, 0, NULL), GPC_ERROR_ARGUMENT);
    bad.struct_size = 3;
    refused(s, bad, GPC_ERROR_ABI, "gpc_coherence_request");
    bad = good, bad.module = 9;
    refused(s, bad, GPC_ERROR_ARGUMENT, "gpc_coherence_issue: module 9 of 4");
    bad = good, bad.module = 2;
    refused(s, bad, GPC_ERROR_ARGUMENT, "l2 is not of the first level");
    bad = good, bad.kind = GPC_COHERENCE_ACQUIRE, bad.flags = GPC_ACCESS_GLC;
    refused(s, bad, GPC_ERROR_ARGUMENT, "an ACQUIRE has no bytes");
    bad.flags = 0, bad.module = 3;
    refused(s, bad, GPC_ERROR_ARGUMENT, "module mm is no cache");
    bad = good, bad.kind = 5;
    refused(s, bad, GPC_ERROR_ARGUMENT, "kind 5");
    bad = good, bad.size = 65;
    refused(s, bad, GPC_ERROR_ARGUMENT, "65 bytes");
    bad = good, bad.cycle = UINT64_MAX;
    refused(s, bad, GPC_ERROR_ARGUMENT, "cycle");
    issue(s, 0, GPC_COHERENCE_LOAD, 0x40, 0, 10);
    cr_assert_eq(gpc_coherence_advance(c, 12, NULL), GPC_OK);
    cr_expect_eq(gpc_coherence_advance(c, 11, &s->error), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_coherence_issue(c, &good, &token, &s->error), GPC_ERROR_ARGUMENT);
    cr_expect(strstr(s->error.message, "cycle 0 is past: it is 12"), "%s", s->error.message);
    cr_expect_eq(gpc_coherence_access(c, &good, NULL, &s->error), GPC_ERROR_STATE);
    cr_expect(strstr(s->error.message, "in flight"), "%s", s->error.message);
    cr_expect_eq(gpc_coherence_flush(c, GPC_NO_MODULE, 0, NULL, NULL), GPC_ERROR_STATE);
    cr_expect_eq(gpc_coherence_acquire(c, GPC_NO_MODULE, 0, NULL, NULL), GPC_ERROR_STATE);
    finish(s);
    cr_expect_eq(gpc_coherence_access(c, &good, NULL, &s->error), GPC_OK);
    small_close(s);
}

/* True if several modules reply to one at about the same time. Then a shared link decides the order. */
static bool gathers(const gpc_coherence_result *result) {
    for (uint32_t i = 0; i < result->message_count; i++)
        if (result->messages[i].kind == GPC_MESSAGE_JOIN)
            return true;
    return false;
}

static void same_trees(const gpc_coherence *one, const gpc_coherence *other, uint64_t seed) {
    for (uint32_t i = 0; i < one->module_count; i++)
        cr_assert_arr_eq(&one->modules[i].stats, &other->modules[i].stats, sizeof(measured_module));
    const size_t bytes = gpci_coherence_saved_bytes(one);
    cr_assert_eq(bytes, gpci_coherence_saved_bytes(other));
    char *saved = calloc(2, bytes);
    gpci_coherence_save(one, saved);
    gpci_coherence_save(other, saved + bytes);
    cr_assert_arr_eq(saved, saved + bytes, one->slab_bytes, "seed %llu", (unsigned long long)seed);
    free(saved);
}

/* In sequence they equal gpc_coherence_access: to the byte, and to the cycle. */
static bool one_after_another(gpc_context *context, uint64_t seed) {
    uint64_t random = gpci_mix(seed), cycle = 0, token;
    bool gathered = false;
    tree t;
    gpc_coherence *atomic, *issued;
    gpc_error error = GPC_ERROR_INIT;
    log l = {0};
    gpc_coherence_callbacks callbacks = GPC_COHERENCE_CALLBACKS_INIT;
    tree_random(&t, &random, 1024, TREE_ANY_VICTIM | TREE_PRIVATE);
    for (uint32_t i = 0; i < t.network_count; i++) /* no two messages meet on a link */
        t.networks[i].bandwidth = 512;
    cr_assert_eq(tree_create(&t, context, "nmoesi-multi2sim", true, true, &error, &atomic), GPC_OK);
    cr_assert_eq(tree_create(&t, context, "nmoesi-multi2sim", true, true, &error, &issued), GPC_OK);
    callbacks.user_data = &l;
    callbacks.on_complete = on_complete;
    cr_assert_eq(gpc_coherence_set_callbacks(issued, &callbacks, NULL), GPC_OK);
    for (uint32_t i = 0; i < 200; i++, cycle += 100) {
        uint8_t value = (uint8_t)i;
        const gpc_coherence_request request =
            request_of(gpci_random_below(&random, t.first_count), gpci_random_below(&random, 3),
                       t.base + gpci_random_below(&random, t.bytes), &value, cycle);
        gpc_coherence_result result = GPC_COHERENCE_RESULT_INIT;
        cr_assert_eq(gpc_coherence_access(atomic, &request, &result, &error), GPC_OK, "%s", error.message);
        cr_assert_eq(gpc_coherence_issue(issued, &request, &token, &error), GPC_OK, "%s", error.message);
        cr_assert_eq(gpc_coherence_advance(issued, UINT64_MAX, &error), GPC_OK, "%s", error.message);
        gathered |= gathers(&result);
        if (!gathers(&result))
            cr_assert_eq(l.ends->cycle, result.completed, "seed %llu, access %u", (unsigned long long)seed, i);
        cr_assert(l.ends->hit == result.hit && l.count == 1);
        l.count = 0;
        cycle = issued->engine->now;
    }
    /* the first lookup there may have been another, and be the more recent */
    if (!gathered)
        same_trees(issued, atomic, seed);
    gpc_coherence_destroy(atomic);
    gpc_coherence_destroy(issued);
    return !gathered;
}

Test(coherence_controller, one_after_another) {
    gpc_context *context;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    uint32_t exact = 0;
    for (uint64_t seed = 1; seed <= 150; seed++)
        exact += one_after_another(context, seed);
    cr_expect_geq(exact, 15, "only %u trees were compared", exact);
    gpc_context_destroy(context);
}

/* The numbers of random() after srandom(1), GNU's C library: 1804289383, 846930886, 1681692777, 1714636915. */
Test(coherence_controller, back_off) {
    small *s = small_open();
    gpc_coherence *c = small_tree(s);
    issue(s, 0, GPC_COHERENCE_LOAD, 0x40, 0, 0);
    cr_expect_eq(gpci_back_off(c->engine, UINT32_MAX), 1804289383);
    cr_expect_eq(gpci_back_off(c->engine, UINT32_MAX), 846930886);
    cr_expect_eq(gpci_back_off(c->engine, UINT32_MAX), 1681692777);
    cr_expect_eq(gpci_back_off(c->engine, 10), 1714636915 % 10);
    small_close(s);
}
