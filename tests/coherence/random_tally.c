/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/random.h"
#include "coherence/stage.h"
#include "measured.h"

#include <stdlib.h>
#include <string.h>

/*
 * Conservation. Counted only from results: messages by kind and receiver, bytes by network, the state of every block
 * after transitions. Finally the object's counters must agree.
 */

#define FAIL(...) (snprintf(text, size, __VA_ARGS__), false)

enum { STATES = GPC_LINE_COUNT + 1 }; /* most of a protocol */

typedef struct module_tally {
    uint64_t received[GPC_MESSAGE_KIND_COUNT];
    uint64_t evictions, data_sent, peers, kinds[3], transitions[STATES * STATES];
    uint32_t origins[STATES * STATES];
    uint8_t *states; /* [sets * ways] after transitions */
    uint32_t room, all_ways;
} module_tally;

struct random_tally {
    const random_program *program;
    gpc_coherence *c;
    module_tally modules[TREE_MODULES];
    uint64_t bytes[TREE_NETWORKS]; /* crossed */
    uint64_t messages, transitions;
    uint32_t origins;
};

random_tally *random_tally_create(const random_program *p, gpc_coherence *c) {
    random_tally *t = calloc(1, sizeof(*t));
    if (!t)
        return NULL;
    t->program = p;
    t->c = c;
    for (uint32_t i = 0; i < p->tree.module_count; i++) {
        const gpc_coherence_module *m = &p->tree.modules[i];
        t->modules[i].all_ways = m->ways + m->directory_ways;
    }
    return t;
}

void random_tally_destroy(random_tally *t) {
    for (uint32_t i = 0; t && i < TREE_MODULES; i++)
        free(t->modules[i].states);
    free(t);
}

void random_tally_totals(const random_tally *t, random_totals *totals) {
    totals->messages += t->messages;
    totals->transitions += t->transitions;
    totals->origins |= t->origins;
}

/* Place of a block's state; NULL out of memory. */
static uint8_t *state_of(module_tally *m, uint32_t set, uint32_t way) {
    uint32_t at = m->all_ways ? set * m->all_ways + way : way;
    if (at >= m->room) {
        uint32_t room = (at + 1) * 2;
        uint8_t *states = realloc(m->states, room);
        if (!states)
            return NULL;
        memset(states + m->room, GPC_LINE_I, room - m->room);
        m->states = states;
        m->room = room;
    }
    return &m->states[at];
}

static uint32_t states_of(const random_tally *t) {
    return GPC_LINE_COUNT + gpc_coherence_protocol(t->c)->state_count;
}

static bool take_transition(random_tally *t, const gpc_coherence_transition *x, char *text, size_t size) {
    module_tally *m = &t->modules[x->module];
    uint8_t *state = state_of(m, x->set, x->way);
    if (!state)
        return FAIL("out of memory");
    if (*state != x->from)
        return FAIL("m%u set %u way %u goes from %c to %c, but was in %c", x->module, x->set, x->way,
                    STAGE_STATES[x->from], STAGE_STATES[x->to], STAGE_STATES[*state]);
    if (!x->origin || x->origin & (x->origin - 1))
        return FAIL("transition with origins 0x%x", x->origin);
    *state = x->to;
    const uint32_t cell = x->from * states_of(t) + x->to;
    m->transitions[cell]++;
    m->origins[cell] |= x->origin;
    t->origins |= x->origin;
    t->transitions++;
    return true;
}

static void take_message(random_tally *t, const gpc_coherence_message *x) {
    module_tally *to = &t->modules[x->to], *from = &t->modules[x->from];
    to->received[x->kind]++;
    if (x->network == GPC_NO_MODULE)
        return;
    t->messages++;
    t->bytes[x->network] += x->bytes;
    from->data_sent += x->bytes > 8;
    const gpc_coherence_module *a = &t->program->tree.modules[x->from], *b = &t->program->tree.modules[x->to];
    from->peers += x->kind == GPC_MESSAGE_DATA && a->low_network == x->network && b->low_network == x->network;
}

bool random_tally_result(random_tally *t, const random_step *step, const gpc_coherence_result *r, char *text,
                         size_t size) {
    if (step->kind <= RANDOM_N_STORE)
        t->modules[step->module].kinds[step->kind]++;
    for (uint32_t i = 0; i < r->message_count; i++)
        take_message(t, &r->messages[i]);
    for (uint32_t i = 0; i < r->transition_count; i++)
        if (!take_transition(t, &r->transitions[i], text, size))
            return false;
    return random_messages_check(t->program, t->c, step, r, text, size);
}

static bool same(uint32_t module, const char *what, uint64_t counter, uint64_t seen, char *text, size_t size) {
    if (counter == seen)
        return true;
    return FAIL("m%u counts %llu %s, the results hold %llu", module, (unsigned long long)counter, what,
                (unsigned long long)seen);
}

static bool counters_hold(const random_tally *t, uint32_t i, const measured_module *s, char *text, size_t size) {
    const module_tally *m = &t->modules[i];
    const uint64_t *got = m->received, notices = got[GPC_MESSAGE_NOTICE] + got[GPC_MESSAGE_CLEAR_OWNER];
    return same(i, "loads", s->loads, m->kinds[0], text, size) &&
           same(i, "stores", s->stores, m->kinds[1], text, size) &&
           same(i, "n-stores", s->n_stores, m->kinds[2], text, size) &&
           same(i, "read requests", s->read_requests, got[GPC_MESSAGE_READ_REQUEST], text, size) &&
           same(i, "write requests", s->write_requests, got[GPC_MESSAGE_WRITE_REQUEST], text, size) &&
           same(i, "read probes", s->read_probes, got[GPC_MESSAGE_READ_PROBE], text, size) &&
           same(i, "write probes", s->write_probes, got[GPC_MESSAGE_WRITE_PROBE], text, size) &&
           same(i, "write-backs", s->write_backs_received, got[GPC_MESSAGE_WRITE_BACK], text, size) &&
           same(i, "write-throughs", s->write_throughs_received, got[GPC_MESSAGE_WRITE_THROUGH], text, size) &&
           same(i, "notices", s->notices_received, notices, text, size) &&
           same(i, "messages with data", s->data_sent, m->data_sent, text, size) &&
           same(i, "peer transfers", s->peer_transfers, m->peers, text, size);
}

static bool hits_hold(const random_tally *t, uint32_t i, const measured_module *s, char *text, size_t size) {
    if (s->evictions > t->modules[i].received[GPC_MESSAGE_EVICTION])
        return FAIL("m%u: more evictions than were begun", i);
    if (s->hits > s->accesses || s->load_hits > s->loads || s->store_hits > s->stores ||
        s->n_store_hits > s->n_stores || s->read_request_hits > s->read_requests ||
        s->write_request_hits > s->write_requests || s->probe_misses > s->read_probes + s->write_probes ||
        s->directory_accesses < s->accesses)
        return FAIL("m%u: more hits than accesses", i);
    return true;
}

/* The matrices; and blocks that entered a valid state and did not leave are present. */
static bool matrix_holds(const random_tally *t, uint32_t i, const measured_module *s, char *text, size_t size) {
    const module_tally *m = &t->modules[i];
    int64_t left = 0, valid = 0;
    uint64_t transitions[STATES * STATES] = {0};
    uint32_t origins[STATES * STATES] = {0};
    if (gpc_coherence_get_matrices(t->c, i, states_of(t), transitions, origins, NULL) != GPC_OK)
        return FAIL("m%u has no matrices", i);
    if (memcmp(transitions, m->transitions, sizeof(transitions)) || memcmp(origins, m->origins, sizeof(origins)))
        return FAIL("m%u: the matrices are not those of the transitions", i);
    for (unsigned k = 0; k < GPC_LINE_I; k++)
        left += (int64_t)s->transitions[GPC_LINE_I][k] - (int64_t)s->transitions[k][GPC_LINE_I];
    for (uint32_t b = 0; b < m->room; b++)
        valid += m->states[b] != GPC_LINE_I;
    if (left != valid)
        return FAIL("m%u: %lld blocks came and stayed, %lld are there", i, (long long)left, (long long)valid);
    return true;
}

/* Blocks are in the final states of their transitions. */
static bool states_hold(random_tally *t, uint32_t i, char *text, size_t size) {
    const gpc_coherence_module *g = &t->program->tree.modules[i];
    module_tally *m = &t->modules[i];
    for (uint32_t set = 0; set < g->sets; set++)
        for (uint32_t way = 0; way < (m->all_ways ? m->all_ways : m->room); way++) {
            gpc_coherence_block b = GPC_COHERENCE_BLOCK_INIT;
            const uint8_t *state = state_of(m, set, way);
            if (!state)
                return FAIL("out of memory");
            if (gpc_coherence_get_block(t->c, i, set, way, &b, NULL) != GPC_OK)
                b.state = GPC_LINE_I; /* a full map has no such entry yet */
            if (b.state != *state)
                return FAIL("m%u set %u way %u is in %c, its transitions lead to %c", i, set, way,
                            STAGE_STATES[b.state], STAGE_STATES[*state]);
        }
    return true;
}

static bool bytes_hold(const random_tally *t, const uint64_t sent[], const uint64_t received[], char *text,
                       size_t size) {
    for (uint32_t n = 0; n < t->program->tree.network_count; n++)
        if (sent[n] != received[n] || sent[n] != t->bytes[n])
            return FAIL("network %u: %llu bytes sent, %llu received, %llu in the messages", n,
                        (unsigned long long)sent[n], (unsigned long long)received[n], (unsigned long long)t->bytes[n]);
    return true;
}

bool random_tally_end(random_tally *t, char *text, size_t size) {
    uint64_t sent[TREE_NETWORKS] = {0}, received[TREE_NETWORKS] = {0};
    for (uint32_t i = 0; i < t->program->tree.module_count; i++) {
        const gpc_coherence_module *g = &t->program->tree.modules[i];
        measured_module s = {0};
        if (measure_module(t->c, i, &s) != GPC_OK)
            return FAIL("m%u has no statistics", i);
        if (!counters_hold(t, i, &s, text, size) || !hits_hold(t, i, &s, text, size) ||
            !states_hold(t, i, text, size) || !matrix_holds(t, i, &s, text, size))
            return false;
        if (g->low_count) {
            sent[g->low_network] += s.low_sent;
            received[g->low_network] += s.low_received;
        }
        if (g->high_network != GPC_NO_MODULE) {
            sent[g->high_network] += s.high_sent;
            received[g->high_network] += s.high_received;
        }
    }
    return bytes_hold(t, sent, received, text, size);
}
