/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/crossbar.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/*
 * The network's specification, naively: in every cycle everything is examined, and a packet's place follows only from
 * the packet's times.
 */

typedef struct inflight {
    bool sent, granted, taken;
    uint64_t sent_own, taken_own; /* network cycles */
    uint64_t granted_core, due;   /* core cycles */
} inflight;

typedef struct model {
    const crossbar *c;
    item *items;
    inflight *inflights; /* per item */
    uint32_t count, done;
    uint64_t in_free[64], out_free[64]; /* network cycle from which a link is free */
    uint32_t in_next[64], out_next[64];
    uint64_t in_sent[64];             /* with bursts: network cycle of the last packet, plus 1 */
    uint32_t in_to[64];               /* with bursts: output of the last packet */
    uint32_t *order[64], ordered[64]; /* per output: items in the order of their grants */
    uint64_t now;
    gpci_network_stats stats;
} model;

static uint64_t own_cycle(const model *m, uint64_t core) {
    return core * m->c->options.clock.own / m->c->options.clock.core;
}

static uint64_t core_cycle(const model *m, uint64_t own) {
    return (own * m->c->options.clock.core + m->c->options.clock.own - 1) / m->c->options.clock.own;
}

static uint64_t room(uint64_t given) {
    return given ? given : 1;
}

/* Room taken by an item, in bytes or packets; and whether it fits. */
static uint64_t weight(const model *m, uint32_t i) {
    return m->c->options.largest ? m->items[i].size : 1;
}

static bool fits(const model *m, uint64_t used, uint32_t i, uint64_t given) {
    return used < room(given) && used + weight(m, i) <= room(given);
}

static void send_all(model *m) {
    for (uint32_t input = 0; input < m->c->options.inputs; input++) {
        uint64_t inside = 0;
        for (uint32_t i = 0; i < m->count; i++)
            if (m->items[i].input == input && m->inflights[i].sent && !m->inflights[i].granted)
                inside += weight(m, i);
        for (uint32_t i = 0; i < m->count; i++) {
            if (m->items[i].input != input || m->inflights[i].sent)
                continue;
            if (m->items[i].cycle > m->now || !fits(m, inside, i, m->c->options.input_capacity))
                break;
            m->inflights[i].sent = true;
            m->inflights[i].sent_own = own_cycle(m, m->now);
            m->items[i].sent = m->now;
            inside += weight(m, i);
        }
    }
}

static void take_all(model *m) {
    for (uint32_t output = 0; output < m->c->options.outputs; output++) {
        uint32_t takes = 0;
        for (uint32_t k = 0; k < m->ordered[output] && crossbar_takes(m->c, output, m->now); k++) {
            uint32_t i = m->order[output][k];
            if (m->inflights[i].taken)
                continue;
            if (m->inflights[i].due > m->now || (m->c->takes && takes == m->c->takes))
                break;
            m->inflights[i].taken = true;
            m->inflights[i].taken_own = own_cycle(m, m->now);
            m->items[i].taken = m->now;
            m->done++;
            takes++;
            m->stats.packets++;
            m->stats.bytes += m->items[i].size;
            m->stats.cycles += m->now - m->items[i].sent;
            m->stats.input_cycles += m->inflights[i].granted_core - m->items[i].sent;
            m->stats.output_cycles += m->now - m->inflights[i].granted_core;
        }
    }
}

/* Packet of an input for an output at network cycle `at`: an item, or `count`. */
static uint32_t head(const model *m, uint32_t input, uint32_t output, uint64_t at) {
    for (uint32_t i = 0; i < m->count; i++) {
        const inflight *f = &m->inflights[i];
        if (m->items[i].input != input || !f->sent || f->granted)
            continue;
        if (m->items[i].output == output)
            return f->sent_own <= at ? i : m->count;
        if (m->c->options.queues != GPCI_QUEUES_VIRTUAL)
            break;
    }
    return m->count;
}

/* Claimed room of an output. */
static uint64_t claimed_at(const model *m, uint32_t output, uint64_t at) {
    uint64_t claimed = 0;
    for (uint32_t k = 0; k < m->ordered[output]; k++) {
        const inflight *f = &m->inflights[m->order[output][k]];
        if (!f->taken || f->taken_own > at)
            claimed += weight(m, m->order[output][k]);
    }
    return claimed;
}

static void grant(model *m, uint32_t i, uint64_t at, bool refused) {
    const gpci_network_options *o = &m->c->options;
    const uint32_t input = m->items[i].input, output = m->items[i].output;
    uint64_t cycles = ((uint64_t)m->items[i].size + o->width - 1) / o->width;
    if (o->queues == GPCI_QUEUES_BURSTS && !cycles)
        cycles = 1;
    uint64_t due = core_cycle(m, at + cycles + o->latency);
    m->inflights[i].granted = true;
    m->inflights[i].granted_core = m->now;
    m->inflights[i].due = due > m->now ? due : m->now;
    m->in_free[input] = m->out_free[output] = at + cycles;
    m->in_next[input] = (output + 1) % o->outputs;
    if (!refused)
        m->out_next[output] = (input + 1) % o->inputs;
    m->order[output][m->ordered[output]++] = i;
}

/* One round: outputs choose inputs, inputs take one of the choosing outputs. Returns the number of grants. */
static uint32_t match_round(model *m, uint64_t at, bool *refused) {
    const uint32_t inputs = m->c->options.inputs, outputs = m->c->options.outputs;
    uint32_t choice[64], grants = 0;
    for (uint32_t output = 0; output < outputs; output++) {
        choice[output] = inputs;
        for (uint32_t n = 0; n < inputs && m->out_free[output] <= at; n++) {
            uint32_t input = (m->out_next[output] + n) % inputs, i = head(m, input, output, at);
            if (m->in_free[input] > at || i == m->count)
                continue;
            if (fits(m, claimed_at(m, output, at), i, m->c->options.output_capacity))
                choice[output] = input;
            break; /* others do not come before */
        }
    }
    for (uint32_t input = 0; input < inputs; input++) {
        bool granted = false;
        for (uint32_t n = 0, first = m->in_next[input]; n < outputs; n++) {
            uint32_t output = (first + n) % outputs;
            if (choice[output] != input)
                continue;
            if (granted) {
                refused[output] = true;
                continue;
            }
            grant(m, head(m, input, output, at), at, refused[output]);
            granted = true;
            grants++;
        }
    }
    return grants;
}

/* Bursts: outputs choose in ascending order, and a packet that leaves uncovers the packet behind. */
static void match_bursts(model *m, uint64_t at) {
    const uint32_t inputs = m->c->options.inputs;
    for (uint32_t output = 0; output < m->c->options.outputs; output++)
        for (uint32_t n = 0; n < inputs && m->out_free[output] <= at; n++) {
            const uint32_t input = (m->out_next[output] + n) % inputs, i = head(m, input, output, at);
            if (i == m->count || (m->in_sent[input] == at + 1 && output <= m->in_to[input]))
                continue;
            if (fits(m, claimed_at(m, output, at), i, m->c->options.output_capacity)) {
                grant(m, i, at, false);
                m->in_sent[input] = at + 1;
                m->in_to[input] = output;
            }
            break;
        }
}

static void move(model *m) {
    const uint64_t last = own_cycle(m, m->now);
    uint64_t first = m->now ? own_cycle(m, m->now - 1) + 1 : 0;
    for (uint64_t at = first < last ? first : last; at <= last; at++) {
        bool refused[64] = {0};
        if (m->c->options.queues == GPCI_QUEUES_BURSTS)
            match_bursts(m, at);
        else
            while (match_round(m, at, refused)) {}
    }
}

gpci_network_stats crossbar_model(const crossbar *c, item *items, uint32_t count) {
    model *m = calloc(1, sizeof *m);
    *m = (model){.c = c, .items = items, .count = count};
    m->inflights = calloc(count, sizeof *m->inflights);
    for (uint32_t i = 0; i < c->options.outputs; i++)
        m->order[i] = calloc(count, sizeof *m->order[i]);
    for (m->now = 1; m->done < count; m->now++) {
        cr_assert_lt(m->now, 1000000, "the model itself is stuck");
        if (c->ports_last)
            move(m);
        take_all(m);
        send_all(m);
        if (!c->ports_last)
            move(m);
    }
    gpci_network_stats stats = m->stats;
    for (uint32_t i = 0; i < c->options.outputs; i++)
        free(m->order[i]);
    free(m->inflights);
    free(m);
    return stats;
}
