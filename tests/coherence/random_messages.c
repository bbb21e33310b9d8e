/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/random.h"

#include <stdlib.h>

/*
 * The list of messages of one access: a scheduling host comes to an end, with every step taken once, every JOIN met,
 * and time running forward.
 */

#define FAIL(...) (snprintf(text, size, __VA_ARGS__), false)

static bool is_step(uint32_t kind) {
    return kind == GPC_MESSAGE_JOIN || kind == GPC_MESSAGE_FINISH || kind == GPC_MESSAGE_EVICTION;
}

static bool is_answer(uint32_t kind) {
    return kind == GPC_MESSAGE_DATA || kind == GPC_MESSAGE_ACK;
}

static bool on_network(const random_program *p, uint32_t module, uint32_t network) {
    const gpc_coherence_module *m = &p->tree.modules[module];
    return m->low_network == network || m->high_network == network;
}

static bool fields_hold(const random_program *p, const gpc_coherence_message *m, uint32_t i, char *text, size_t size) {
    if (m->kind >= GPC_MESSAGE_KIND_COUNT || m->from >= p->tree.module_count || m->to >= p->tree.module_count)
        return FAIL("message %u: kind %u from %u to %u", i, m->kind, m->from, m->to);
    if (is_step(m->kind))
        return m->from == m->to && m->network == GPC_NO_MODULE && m->bytes == 0
                   ? true
                   : FAIL("step %u of kind %u is sent from %u to %u", i, m->kind, m->from, m->to);
    if (m->from == m->to || m->network >= p->tree.network_count || !on_network(p, m->from, m->network) ||
        !on_network(p, m->to, m->network))
        return FAIL("message %u goes from %u to %u on network %u", i, m->from, m->to, m->network);
    bool carries =
        m->kind == GPC_MESSAGE_DATA || m->kind == GPC_MESSAGE_WRITE_BACK || m->kind == GPC_MESSAGE_WRITE_THROUGH;
    if (carries ? m->bytes <= 8 : m->bytes != 8)
        return FAIL("message %u of kind %u has %u bytes", i, m->kind, m->bytes);
    return true;
}

static bool links_hold(const gpc_coherence *c, const gpc_coherence_result *r, const gpc_coherence_message *m,
                       uint32_t i, char *text, size_t size) {
    const gpc_coherence_message *all = r->messages;
    uint32_t n = r->message_count;
    if (m->after != GPC_NO_MESSAGE && (m->after >= n || m->after == i))
        return FAIL("message %u comes after %u of %u", i, m->after, n);
    if (m->block != GPC_NO_MODULE && (m->block >= c->modules[m->to].blocks || is_step(m->kind)))
        return FAIL("message %u finds block %u, of which there are %u", i, m->block, c->modules[m->to].blocks);
    if (m->join != GPC_NO_MESSAGE && (m->join >= n || all[m->join].kind != GPC_MESSAGE_JOIN))
        return FAIL("message %u joins %u, which is none", i, m->join);
    if (is_answer(m->kind) && (m->request >= n || is_step(all[m->request].kind) || is_answer(all[m->request].kind)))
        return FAIL("answer %u answers %u, which asks nothing", i, m->request);
    if (is_answer(m->kind) && all[m->request].to != m->from && all[m->request].from != m->to)
        return FAIL("answer %u, from %u to %u, answers %u, from %u to %u", i, m->from, m->to, m->request,
                    all[m->request].from, all[m->request].to);
    return true;
}

static bool times_hold(const gpc_coherence_result *r, const gpc_coherence_message *m, uint32_t i, char *text,
                       size_t size) {
    uint64_t from = m->after == GPC_NO_MESSAGE ? RANDOM_CYCLE : r->messages[m->after].received;
    bool join = m->kind == GPC_MESSAGE_JOIN;
    if (!join && (m->sent < from + m->delay || m->directory > m->delay))
        return FAIL("message %u is sent at %llu, %u cycles after %llu", i, (unsigned long long)m->sent, m->delay,
                    (unsigned long long)from);
    if (m->received < m->sent || (!is_step(m->kind) && m->received == m->sent))
        return FAIL("message %u, sent at %llu, is received at %llu", i, (unsigned long long)m->sent,
                    (unsigned long long)m->received);
    if (m->join != GPC_NO_MESSAGE && r->messages[m->join].received < m->received)
        return FAIL("JOIN %u ends at %llu, before message %u at %llu", m->join,
                    (unsigned long long)r->messages[m->join].received, i, (unsigned long long)m->received);
    return true;
}

/* Every request has an answer. A read request may be answered by a peer, a flush's probe by the write-back. */
static bool expects(const gpc_coherence_message *m, const random_step *step) {
    switch (m->kind) {
    case GPC_MESSAGE_WRITE_PROBE:
        return step->kind != RANDOM_FLUSH;
    case GPC_MESSAGE_WRITE_BACK:
        return m->request == GPC_NO_MESSAGE; /* or is an answer */
    case GPC_MESSAGE_READ_REQUEST:
    case GPC_MESSAGE_INVALIDATION:
        return false;
    default:
        return !is_step(m->kind) && !is_answer(m->kind);
    }
}

static bool all_answered(const gpc_coherence_result *r, const random_step *step, char *text, size_t size) {
    bool *answered = calloc(r->message_count + 1, sizeof(*answered));
    uint32_t i = 0;
    for (uint32_t k = 0; answered && k < r->message_count; k++)
        if (r->messages[k].request < r->message_count)
            answered[r->messages[k].request] = true;
    while (answered && i < r->message_count && (answered[i] || !expects(&r->messages[i], step)))
        i++;
    bool good = answered && i == r->message_count;
    free(answered);
    return good ? true : FAIL("message %u of kind %u has no answer", i, r->messages[i].kind);
}

/* Take all possible steps, repeatedly, until a round without a change. */
static bool comes_to_an_end(const gpc_coherence_result *r, char *text, size_t size) {
    uint32_t n = r->message_count, done = 0, before;
    uint32_t *joined = calloc(n + 1, sizeof(*joined));
    bool *ended = calloc(n + 1, sizeof(*ended));
    if (!joined || !ended)
        n = 0;
    do {
        before = done;
        for (uint32_t i = 0; i < n; i++) {
            const gpc_coherence_message *m = &r->messages[i];
            if (ended[i] || (m->after != GPC_NO_MESSAGE && !ended[m->after]) ||
                (m->kind == GPC_MESSAGE_JOIN && joined[i] < m->needs))
                continue;
            ended[i] = true;
            done++;
            if (m->join != GPC_NO_MESSAGE)
                joined[m->join]++;
        }
    } while (done != before);
    bool good = done == n;
    uint32_t i = 0;
    while (good && i < n && (r->messages[i].kind != GPC_MESSAGE_JOIN || joined[i] == r->messages[i].needs))
        i++;
    if (!good)
        snprintf(text, size, "%u of %u messages are never sent", n - done, n);
    else if (i < n)
        snprintf(text, size, "JOIN %u needs %u, %u come", i, r->messages[i].needs, joined[i]);
    good = good && i == n;
    free(joined);
    free(ended);
    return good;
}

bool random_messages_check(const random_program *p, const gpc_coherence *c, const random_step *step,
                           const gpc_coherence_result *r, char *text, size_t size) {
    uint32_t finishes = 0;
    uint64_t last = 0;
    for (uint32_t i = 0; i < r->message_count; i++) {
        const gpc_coherence_message *m = &r->messages[i];
        if (!fields_hold(p, m, i, text, size) || !links_hold(c, r, m, i, text, size))
            return false;
        if (c->timing && !times_hold(r, m, i, text, size))
            return false;
        if (m->kind == GPC_MESSAGE_FINISH) {
            finishes++;
            last = m->received;
            if (step->kind <= RANDOM_N_STORE && m->from != step->module)
                return FAIL("the access of module %u ends at module %u", step->module, m->from);
        }
    }
    if (step->kind <= RANDOM_N_STORE && finishes != 1)
        return FAIL("an access is finished %u times", finishes);
    if (step->kind <= RANDOM_N_STORE && c->timing && last != r->completed)
        return FAIL("completed at %llu, its FINISH at %llu", (unsigned long long)r->completed,
                    (unsigned long long)last);
    return all_answered(r, step, text, size) && comes_to_an_end(r, text, size);
}
