/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A star network: one switch, a link each way to every module. A message goes from its module's output buffer over the
 * link to the switch, through the switch to the buffer of its receiver's link, and over that link. Each of the three
 * takes size / bandwidth cycles, rounded up, and carries one message at a time; entering the first buffer takes one
 * cycle, and one message a cycle enters. Idle, that is 1 + 3 * ceil(size / bandwidth).
 *
 * The switch lets senders through to a receiver in turn, from the one after the last. One whose message began to cross
 * its link in an earlier cycle has its turn, even if it has not come yet: nothing passes in that cycle (Multi2Sim).
 */
#include "coherence/transaction.h"

#include <string.h>

void gpci_tree_star_begin(gpc_coherence *c) {
    for (uint32_t i = 0; i < c->star_count; i++)
        c->stars[i].transaction++;
}

static uint64_t cycles_of(const gpci_tree_star *star, uint32_t bytes) {
    return ((uint64_t)bytes + star->given.bandwidth - 1) / star->given.bandwidth;
}

/* The first cycle from `cycle` on at which a link is free for `cycles`; `*place`: the span before which that is. */
static uint64_t free_from(const gpci_tree_star *star, const gpci_tree_link *link, uint64_t cycle, uint64_t cycles,
                          uint32_t *place) {
    uint32_t i = 0;

    if (link->transaction == star->transaction)
        for (; i < link->count && link->begins[i] < cycle + cycles; i++)
            cycle = link->ends[i] > cycle ? link->ends[i] : cycle;
    *place = i;
    return cycle;
}

/* Spans `at` and the one after it become one, with what lies between. */
static void join(gpci_tree_link *link, uint32_t at) {
    const size_t after = --link->count - at - 1;

    link->ends[at] = link->ends[at + 1];
    memmove(link->begins + at + 1, link->begins + at + 2, after * sizeof *link->begins);
    memmove(link->ends + at + 1, link->ends + at + 2, after * sizeof *link->ends);
}

/* Messages are not asked for in the order in which they are sent: one may go in between others. */
static uint64_t keep(const gpci_tree_star *star, gpci_tree_link *link, uint64_t cycle, uint64_t cycles) {
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
        join(link, at);
    if (at && link->ends[at - 1] == link->begins[at])
        join(link, at - 1);
    if (link->count > GPCI_TREE_LINK_SPANS)
        join(link, 0);
    return cycle;
}

/* The switch lets a message through at `cycle`; the cycle at which it is received. */
static uint64_t let_through(gpci_tree_star *star, uint32_t from, uint32_t to, uint64_t cycle, uint64_t cycles) {
    star->through[to].last = from;
    cycle = keep(star, &star->through[to], cycle, cycles) + cycles;
    return keep(star, &star->in[to], cycle, cycles) + cycles;
}

uint64_t gpci_tree_star_send(gpc_coherence *c, uint32_t network, uint32_t from, uint32_t to, uint32_t bytes,
                             uint64_t cycle) {
    gpci_tree_star *star = &c->stars[network];
    const uint64_t cycles = cycles_of(star, bytes);

    return let_through(star, from, to, keep(star, &star->out[from], cycle + 1, cycles) + cycles, cycles);
}

/* Whose turn it is at `cycle`. Of one sender's messages, the first in the list: they stay in order. */
static gpci_tree_probe_reply *whose_turn(const gpc_coherence *c, const gpci_tree_star *star, uint32_t to,
                                         gpci_tree_probe_reply *replies, uint32_t count, uint64_t cycle) {
    gpci_tree_probe_reply *best = NULL;
    uint32_t best_place = UINT32_MAX;

    for (uint32_t i = 0; i < count; i++) {
        if (replies[i].comes || replies[i].began >= cycle)
            continue;
        const uint32_t place = (replies[i].module + c->module_count - 1 - star->through[to].last) % c->module_count;
        if (place < best_place) {
            best_place = place;
            best = &replies[i];
        }
    }
    return best;
}

/* From which cycle on there is a message at the switch. */
static uint64_t first_there(const gpci_tree_star *star, const gpci_tree_probe_reply *replies, uint32_t count) {
    uint64_t first = UINT64_MAX;

    for (uint32_t i = 0; i < count; i++) {
        const uint64_t there = replies[i].began + cycles_of(star, replies[i].bytes);
        if (!replies[i].comes && there < first)
            first = there;
    }
    return first;
}

void gpci_tree_star_gather(gpc_coherence *c, uint32_t network, uint32_t to, gpci_tree_probe_reply *replies,
                           uint32_t count) {
    gpci_tree_star *star = &c->stars[network];
    uint32_t place;

    for (uint32_t i = 0; i < count; i++) {
        gpci_tree_probe_reply *r = &replies[i];
        r->began = keep(star, &star->out[r->module], r->ready.cycle + 1, cycles_of(star, r->bytes));
        r->comes = 0;
    }
    uint64_t cycle = 0;
    for (uint32_t left = count; left;) {
        const uint64_t there = first_there(star, replies, count);
        cycle = free_from(star, &star->through[to], cycle > there ? cycle : there, 1, &place);
        gpci_tree_probe_reply *next = whose_turn(c, star, to, replies, count, cycle);
        const uint64_t cycles = cycles_of(star, next->bytes);
        if (next->began + cycles > cycle) {
            star->through[to].last = next->module;
            cycle++;
            continue;
        }
        next->comes = let_through(star, next->module, to, cycle, cycles);
        left--;
    }
}
