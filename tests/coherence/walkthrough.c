/* SPDX-License-Identifier: BSD-2-Clause */
/* Details not given by the worked example's rows (Table 2.6): messages of an eviction, and their order. */
#include "coherence/small.h"

enum { C0, C1, C2, MEMORY, BLOCK = 4 };

/* Three caches of one block of four bytes over a memory. */
static small *open_example(const char *protocol) {
    small *s = small_open_bare(4);
    s->options.protocol = protocol;
    for (uint32_t i = C0; i <= MEMORY; i++)
        s->modules[i].block_bytes = BLOCK;
    for (uint32_t i = C0; i <= C2; i++)
        small_link(s, i, MEMORY);
    s->modules[MEMORY].memory = true;
    s->modules[MEMORY].ways = 0;
    small_tree(s);
    return s;
}

static gpc_coherence_result run(small *s, uint32_t cache, gpc_coherence_kind kind, uint64_t address) {
    gpc_coherence_request request = GPC_COHERENCE_REQUEST_INIT;
    gpc_coherence_result result = GPC_COHERENCE_RESULT_INIT;
    request.module = cache;
    request.kind = (uint32_t)kind;
    request.address = address;
    cr_assert_eq(gpc_coherence_access(s->tree, &request, &result, &s->error), GPC_OK, "%s", s->error.message);
    return result;
}

/* Place of the first message of a kind; the list's length. */
static uint32_t first_of(const gpc_coherence_result *r, gpc_message_kind kind) {
    uint32_t i = 0;
    while (i < r->message_count && r->messages[i].kind != (uint32_t)kind)
        i++;
    return i;
}

/*
 * Step 10 is no message; 11 is after it, and 12 after that; the block is invalid once the write-back is acknowledged.
 */
Test(coherence_walkthrough, eviction_is_no_message) {
    small *s = open_example("nmoesi");
    run(s, C0, GPC_COHERENCE_N_STORE, 0);
    gpc_coherence_result r = run(s, C0, GPC_COHERENCE_LOAD, BLOCK);
    uint32_t eviction = first_of(&r, GPC_MESSAGE_EVICTION), back = first_of(&r, GPC_MESSAGE_WRITE_BACK);
    uint32_t ack = first_of(&r, GPC_MESSAGE_ACK), request = first_of(&r, GPC_MESSAGE_READ_REQUEST);
    cr_assert(eviction < back && back < ack && ack < request && request < r.message_count);
    const gpc_coherence_message *m = r.messages;
    cr_assert_eq(m[eviction].bytes, 0);
    cr_assert_eq(m[eviction].network, GPC_NO_MODULE);
    cr_assert(m[eviction].from == C0 && m[eviction].to == C0);
    cr_assert(m[back].from == C0 && m[back].to == MEMORY && m[back].masked && m[back].address == 0);
    cr_assert_leq(m[ack].received, m[request].sent);
    bool found = false;
    for (uint32_t i = 0; i < r.transition_count; i++) {
        const gpc_coherence_transition *t = &r.transitions[i];
        if (t->module != C0 || t->origin != GPC_ORIGIN_EVICTED)
            continue;
        found = true;
        cr_assert(t->from == GPC_LINE_N && t->to == GPC_LINE_I);
        cr_assert(t->cycle >= m[ack].received && t->cycle <= m[request].sent);
    }
    cr_assert(found);
    small_close(s);
}

/* Table 2.5 for E and S: -> I only, without a message. */
Test(coherence_walkthrough, clean_blocks_leave_in_silence) {
    small *s = open_example("nmoesi");
    run(s, C0, GPC_COHERENCE_LOAD, 0);
    for (uint64_t address = BLOCK; address < 4 * BLOCK; address += BLOCK) {
        gpc_coherence_result r = run(s, C0, GPC_COHERENCE_LOAD, address);
        cr_assert_lt(first_of(&r, GPC_MESSAGE_EVICTION), r.message_count);
        cr_assert_eq(first_of(&r, GPC_MESSAGE_WRITE_BACK), r.message_count);
        cr_assert_eq(first_of(&r, GPC_MESSAGE_NOTICE), r.message_count);
    }
    small_close(s);
}

/* A flush's write request is memory's, and the answer's data are a write-back (Table 2.6, steps 15 to 20). */
Test(coherence_walkthrough, flush_is_asked_for_by_memory) {
    small *s = open_example("nmoesi");
    gpc_coherence_result r = GPC_COHERENCE_RESULT_INIT;
    run(s, C1, GPC_COHERENCE_N_STORE, 0);
    run(s, C2, GPC_COHERENCE_LOAD, BLOCK);
    cr_assert_eq(gpc_coherence_flush(s->tree, GPC_NO_MODULE, 0, &r, &s->error), GPC_OK);
    uint32_t probes = 0, backs = 0;
    for (uint32_t i = 0; i < r.message_count; i++) {
        const gpc_coherence_message *m = &r.messages[i];
        cr_assert_neq(m->kind, GPC_MESSAGE_DATA);
        cr_assert(m->kind != GPC_MESSAGE_WRITE_PROBE || (m->from == MEMORY && (m->to == C1 || m->to == C2)));
        cr_assert(m->kind != GPC_MESSAGE_WRITE_BACK || (m->from == C1 && m->masked));
        probes += m->kind == GPC_MESSAGE_WRITE_PROBE;
        backs += m->kind == GPC_MESSAGE_WRITE_BACK;
    }
    cr_assert_eq(probes, 2);
    cr_assert_eq(backs, 1);
    for (uint32_t i = C0; i <= C2; i++) {
        gpc_coherence_block block = GPC_COHERENCE_BLOCK_INIT;
        cr_assert_eq(gpc_coherence_get_block(s->tree, i, 0, 0, &block, NULL), GPC_OK);
        cr_assert_eq(block.state, GPC_LINE_I);
    }
    small_close(s);
}
