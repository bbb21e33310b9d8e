/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/watch_coherent.h"

/* A transaction: from the messages of an access to steps, its beginning and its end. */

/* What its steps still block comes free with it. */
void gpci_transaction_end(gpci_timed *t, uint32_t transaction) {
    gpci_transactions *all = t->transactions;
    gpci_coherent_transaction *x = &all->transactions[transaction];
    for (uint32_t i = 0; i < x->count; i++)
        if (x->steps[i].blocked_line != GPCI_NOT_BLOCKED || x->steps[i].has_mshr)
            gpci_request_release(t, transaction, i);
    all->reserved_packets -= x->reserved_packets;
    all->steps -= x->count;
    all->live--;
    x->next = all->free;
    all->free = transaction;
}

bool gpci_transactions_idle(const gpci_timed *t) {
    return !t->transactions->live && !t->transactions->blocked_count;
}

static void load_step(const gpci_timed *t, const gpc_coherence_message *messages, uint32_t index,
                      gpci_coherent_step *s) {
    const gpc_coherence_message *m = &messages[index];
    *s = (gpci_coherent_step){.address = m->address,
                              .from = m->from,
                              .to = m->to,
                              .bytes = m->bytes,
                              .delay = m->delay,
                              .directory = m->directory,
                              .after = m->after,
                              .join = m->join,
                              .needs = m->needs,
                              .unblocks = GPCI_NO_STEP,
                              .first = GPCI_NO_STEP,
                              .next = GPCI_NO_STEP,
                              .request = m->request,
                              .block = m->block,
                              .blocked_line = GPCI_NOT_BLOCKED,
                              .packet = GPCI_NO_PACKET,
                              .initial = m->after == GPC_NO_MESSAGE && m->kind != GPC_MESSAGE_JOIN,
                              .kind = (uint8_t)m->kind,
                              .memory = m->memory};
    s->sectors = (uint8_t)gpci_coherent_sectors(t->h, messages, index);
}

/*
 * A module may leave a request to a peer of the requester, which sends the data itself: the request then has no reply
 * of the module's own. Its line is unblocked when all those whom the module probed for it have answered the probe.
 */
static void find_unblocking(gpci_coherent_transaction *x) {
    for (uint32_t i = 0; i < x->count; i++)
        if (x->steps[i].request != GPCI_NO_STEP)
            x->steps[x->steps[i].request].answered = true;
    for (uint32_t i = 0; i < x->count; i++) {
        uint32_t probe = x->steps[i].request;
        if (probe == GPCI_NO_STEP || !gpci_message_is_probe(x->steps[probe].kind))
            continue;
        uint32_t request = x->steps[probe].after;
        if (request == GPCI_NO_STEP || x->steps[request].kind > GPC_MESSAGE_WRITE_REQUEST ||
            x->steps[request].answered || x->steps[i].to != x->steps[request].to)
            continue;
        x->steps[i].unblocks = request;
        x->steps[request].needs++;
    }
}

/* The tree's list names what each step comes after; steps are linked the other way round. */
static void load_steps(const gpci_timed *t, const gpc_coherence_result *r, gpci_coherent_transaction *x) {
    for (uint32_t i = 0; i < r->message_count; i++)
        load_step(t, r->messages, i, &x->steps[i]);
    for (uint32_t i = r->message_count; i-- > 0;) {
        const gpc_coherence_message *m = &r->messages[i];
        if (m->after == GPC_NO_MESSAGE)
            continue;
        gpci_coherent_step *before = &x->steps[m->after];
        x->steps[i].next = before->first;
        before->first = i;
        before->lookups = m->looks > before->lookups ? m->looks : before->lookups;
    }
    find_unblocking(x);
    gpci_coherent_mshr_mark(t, x);
}

/* As gpc_completion counts levels: 1 L1, 2 L2 or a cluster, 3 memory. */
static uint8_t level_of(const gpc_hierarchy *h, uint8_t level) {
    return level >= h->coherent->memory_level ? 3 : level > 1 ? 2 : 1;
}

void gpci_transaction_start(gpci_timed *t, uint32_t transaction) {
    gpci_transactions *all = t->transactions;
    for (uint32_t i = 0; i < all->transactions[transaction].count; i++)
        if (gpci_coherent_step_at(all, transaction, i)->initial)
            gpci_step_begin(t, transaction, i);
    gpci_steps_run(t);
}

void gpci_transaction_begin(gpci_timed *t, uint32_t packet, const gpc_coherence_result *r, uint32_t behind) {
    gpci_transactions *all = t->transactions;
    uint32_t transaction = gpci_transaction_take(t, r);
    gpci_coherent_transaction *x = &all->transactions[transaction];
    x->count = x->left = r->message_count;
    x->packet = packet;
    x->sm = gpci_packet_at(&t->pool, packet)->request.sm;
    x->waiting = x->next = GPCI_NO_TRANSACTION;
    x->level = level_of(t->h, r->level);
    gpci_packet_at(&t->pool, packet)->mshr.transaction = transaction;
    gpci_see_transaction(t, x, gpci_packet_at(&t->pool, packet));
    load_steps(t, r, x);
    if (behind == GPCI_NO_TRANSACTION) {
        gpci_transaction_start(t, transaction);
    } else {
        x->next = all->transactions[behind].waiting;
        all->transactions[behind].waiting = transaction;
    }
}
