/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Time of messages on a star network: one switch, and a link each way between the switch and every module.
 *
 * A message crosses three stages: the sender's link to the switch, the switch, the link to the receiver. Each stage
 * needs ceil(size / bandwidth) cycles, and is used by one message at a time; a stage begins when the whole message has
 * passed the one before. The sender's buffer takes one message a cycle, which adds one cycle. On idle stages that is
 *   1 + 3 * ceil(size / bandwidth).
 *
 * Example, bandwidth 32: a read request of 8 bytes sent in cycle 0 uses the sender's link in cycle 1, the switch in 2,
 * the receiver's link in 3, and is received in cycle 4. A reply of 72 bytes needs 3 cycles a stage, 10 in all. Two such
 * replies, of X and Y to T, both sent in cycle 10: X's and Y's links are their own, cycles 11 to 13; at the switch X's
 * passes in 14 to 16 and Y's waits until 17 to 19; X's is received in cycle 20, Y's in 23.
 *
 * Only the messages of one transaction meet: each access finds an idle network. Only the switch keeps
 * state from access to access, for arbitration: the module served last at each output. Arbitration is round-robin, and
 * begins after the module served last. As in Multi2Sim a module gets its turn as soon as its message has begun to cross
 * its link. If the message is not at the switch yet, no message passes in the cycle.
 */
#include "coherence/transaction.h"

#include <string.h>

void gpci_tree_star_begin(gpc_coherence *c) {
    for (uint32_t i = 0; i < c->star_count; i++)
        c->stars[i].transaction++;
}

/* Cycles that a message uses a stage. */
static uint64_t cycles_of(const gpci_tree_star *star, uint32_t bytes) {
    return ((uint64_t)bytes + star->given.bandwidth - 1) / star->given.bandwidth;
}

/*
 * The first cycle, `cycle` or later, from which a stage is free for `cycles` cycles. `*index`: the first of the busy
 * spans that lie behind it.
 */
static uint64_t free_from(const gpci_tree_star *star, const gpci_tree_link *link, uint64_t cycle, uint64_t cycles,
                          uint32_t *index) {
    uint32_t i = 0;

    if (link->transaction == star->transaction)
        for (; i < link->count && link->begins[i] < cycle + cycles; i++)
            cycle = link->ends[i] > cycle ? link->ends[i] : cycle;
    *index = i;
    return cycle;
}

/* Merge span `at` and the next, and the gap between them, into one. */
static void merge_spans(gpci_tree_link *link, uint32_t at) {
    const size_t after = --link->count - at - 1;

    link->ends[at] = link->ends[at + 1];
    memmove(link->begins + at + 1, link->begins + at + 2, after * sizeof *link->begins);
    memmove(link->ends + at + 1, link->ends + at + 2, after * sizeof *link->ends);
}

/*
 * Reserve a stage for a message, as early as it is free from `cycle` on; the cycle in which it begins. A transaction is
 * worked out depth first, so messages come here in another order than that of time: this one may fit between two that
 * have been reserved before.
 */
static uint64_t reserve(const gpci_tree_star *star, gpci_tree_link *link, uint64_t cycle, uint64_t cycles) {
    uint32_t at;

    if (link->transaction != star->transaction) {
        link->transaction = star->transaction;
        link->count = 0;
    }
    cycle = free_from(star, link, cycle, cycles, &at);
    const size_t after = link->count++ - at;
    memmove(link->begins + at + 1, link->begins + at, after * sizeof *link->begins);
    memmove(link->ends + at + 1, link->ends + at, after * sizeof *link->ends);
    link->begins[at] = cycle;
    link->ends[at] = cycle + cycles;
    if (at + 1 < link->count && link->begins[at + 1] == link->ends[at])
        merge_spans(link, at);
    if (at && link->ends[at - 1] == link->begins[at])
        merge_spans(link, at - 1);
    if (link->count > GPCI_TREE_LINK_SPANS)
        merge_spans(link, 0);
    return cycle;
}

/* A message passes the switch from `cycle` on, and its receiver's link; the cycle in which it is received. */
static uint64_t pass_switch(gpci_tree_star *star, uint32_t from, uint32_t to, uint64_t cycle, uint64_t cycles) {
    star->through[to].last = from;
    cycle = reserve(star, &star->through[to], cycle, cycles) + cycles;
    return reserve(star, &star->in[to], cycle, cycles) + cycles;
}

uint64_t gpci_tree_star_send(gpc_coherence *c, uint32_t network, uint32_t from, uint32_t to, uint32_t bytes,
                             uint64_t cycle) {
    gpci_tree_star *star = &c->stars[network];
    const uint64_t cycles = cycles_of(star, bytes);

    return pass_switch(star, from, to, reserve(star, &star->out[from], cycle + 1, cycles) + cycles, cycles);
}

/* The reply whose sender is next in round-robin order at `cycle`. Of one sender's replies the first in the list. */
static gpci_tree_probe_reply *next_in_turn(const gpc_coherence *c, const gpci_tree_star *star, uint32_t to,
                                           gpci_tree_probe_reply *replies, uint32_t count, uint64_t cycle) {
    gpci_tree_probe_reply *best = NULL;
    uint32_t best_distance = UINT32_MAX;

    for (uint32_t i = 0; i < count; i++) {
        if (replies[i].arrives || replies[i].link_cycle >= cycle)
            continue;
        const uint32_t distance = (replies[i].module + c->module_count - 1 - star->through[to].last) % c->module_count;
        if (distance < best_distance) {
            best_distance = distance;
            best = &replies[i];
        }
    }
    return best;
}

/* The cycle in which the first of the waiting replies has reached the switch. */
static uint64_t first_at_switch(const gpci_tree_star *star, const gpci_tree_probe_reply *replies, uint32_t count) {
    uint64_t first = UINT64_MAX;

    for (uint32_t i = 0; i < count; i++) {
        const uint64_t arrival = replies[i].link_cycle + cycles_of(star, replies[i].bytes);
        if (!replies[i].arrives && arrival < first)
            first = arrival;
    }
    return first;
}

void gpci_tree_star_gather(gpc_coherence *c, uint32_t network, uint32_t to, gpci_tree_probe_reply *replies,
                           uint32_t count) {
    gpci_tree_star *star = &c->stars[network];
    uint32_t index;

    for (uint32_t i = 0; i < count; i++) {
        gpci_tree_probe_reply *r = &replies[i];
        r->link_cycle = reserve(star, &star->out[r->module], r->ready.cycle + 1, cycles_of(star, r->bytes));
        r->arrives = 0;
    }
    uint64_t cycle = 0;
    for (uint32_t left = count; left;) {
        const uint64_t arrival = first_at_switch(star, replies, count);
        cycle = free_from(star, &star->through[to], cycle > arrival ? cycle : arrival, 1, &index);
        gpci_tree_probe_reply *next = next_in_turn(c, star, to, replies, count, cycle);
        const uint64_t cycles = cycles_of(star, next->bytes);
        if (next->link_cycle + cycles > cycle) { /* message has its turn, but is still on its link */
            star->through[to].last = next->module;
            cycle++;
            continue;
        }
        next->arrives = pass_switch(star, next->module, to, cycle, cycles);
        left--;
    }
}
