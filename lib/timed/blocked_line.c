/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/watch_coherent.h"

#include "coherence/tree.h"

#include <inttypes.h>

/*
 * Blocked lines. A message towards memory that asks a module for a line, or for its entry of the directory, blocks it
 * there from its lookup until its reply is sent. Another that arrives in between waits for its turn
 * (coherence.conflict = wait); or it is refused, and its sender sends it again after a random number of cycles, up to
 * the latency of the sender's data and one more (retry), as Multi2Sim does.
 *
 * Example, conflict = wait, L1s 0 and 1 ask slice 0 for a line that memory has, in the same cycle: the request of L1 0
 * blocks the line, that of L1 1 is the first in its list. When the slice has sent DATA to L1 0, the line is L1 1's.
 */

/* A line of a module, by its place in the cache. */
static uint64_t key_of(uint32_t module, uint32_t block) {
    return (uint64_t)module << 32 | block;
}

/* By its address: for the fault of a module that keeps its own line blocked after a refusal (GPCI_FAULT_NO_UNLOCK). */
static uint64_t own_key(uint32_t module, uint64_t address) {
    return (uint64_t)1 << 63 | (uint64_t)module << 48 | (address >> 3 & 0xffffffffffffu);
}

static uint32_t *bucket_of(gpci_transactions *all, uint64_t key) {
    return &all->buckets[(key * 0x9e3779b97f4a7c15u >> 32) % GPCI_BLOCKED_BUCKETS];
}

static uint32_t find(gpci_transactions *all, uint64_t key) {
    uint32_t line = *bucket_of(all, key);
    while (line != GPCI_NOT_BLOCKED && all->blocked[line].key != key)
        line = all->blocked[line].next;
    return line;
}

/* There is room: gpci_transactions_reserve made some for each step. */
static uint32_t block(gpci_transactions *all, uint64_t key, uint32_t transaction, uint32_t step) {
    uint32_t line = all->blocked_free;
    if (line == GPCI_NOT_BLOCKED)
        line = all->blocked_fresh++;
    else
        all->blocked_free = all->blocked[line].next;
    uint32_t *bucket = bucket_of(all, key);
    all->blocked[line] = (gpci_blocked_line){.key = key,
                                             .transaction = transaction,
                                             .step = step,
                                             .next = *bucket,
                                             .first_step = GPCI_NO_STEP,
                                             .last_step = GPCI_NO_STEP};
    *bucket = line;
    all->blocked_count++;
    return line;
}

static void free_line(gpci_transactions *all, uint32_t line) {
    uint32_t *at = bucket_of(all, all->blocked[line].key);
    while (*at != line)
        at = &all->blocked[*at].next;
    *at = all->blocked[line].next;
    all->blocked[line].step = GPCI_NO_STEP;
    all->blocked[line].next = all->blocked_free;
    all->blocked_free = line;
    all->blocked_count--;
}

static void wait_for(gpci_transactions *all, uint32_t line, uint32_t transaction, uint32_t step) {
    gpci_blocked_line *l = &all->blocked[line];
    gpci_coherent_step *s = gpci_coherent_step_at(all, transaction, step);
    s->next_transaction = s->next_step = GPCI_NO_STEP;
    if (l->first_step == GPCI_NO_STEP) {
        l->first_transaction = transaction;
        l->first_step = step;
    } else {
        gpci_coherent_step *last = gpci_coherent_step_at(all, l->last_transaction, l->last_step);
        last->next_transaction = transaction;
        last->next_step = step;
    }
    l->last_transaction = transaction;
    l->last_step = step;
}

/* A step blocks, or has been waiting for, no line any more: the first that waits for it blocks it and goes on. */
static void unblock(gpci_timed *t, uint32_t transaction, uint32_t step) {
    gpci_transactions *all = t->transactions;
    uint32_t line = gpci_coherent_step_at(all, transaction, step)->blocked_line;
    if (line == GPCI_NOT_BLOCKED)
        return;
    gpci_coherent_step_at(all, transaction, step)->blocked_line = GPCI_NOT_BLOCKED;
    gpci_blocked_line *l = &all->blocked[line];
    if (l->first_step == GPCI_NO_STEP) {
        free_line(all, line);
        return;
    }
    l->transaction = l->first_transaction;
    l->step = l->first_step;
    gpci_coherent_step *s = gpci_coherent_step_at(all, l->transaction, l->step);
    l->first_transaction = s->next_transaction;
    l->first_step = s->next_step;
    s->blocked_line = line;
    gpci_step_end(t, l->transaction, l->step);
}

void gpci_request_release(gpci_timed *t, uint32_t transaction, uint32_t step) {
    gpci_see_entry_free(t, transaction, gpci_coherent_step_at(t->transactions, transaction, step));
    gpci_coherent_mshr_free(t, gpci_coherent_step_at(t->transactions, transaction, step));
    unblock(t, transaction, step);
}

/* Does a message block the line that it is for? */
static bool blocks(const gpci_coherent_step *s) {
    const uint32_t kinds = 1u << GPC_MESSAGE_READ_REQUEST | 1u << GPC_MESSAGE_WRITE_REQUEST |
                           1u << GPC_MESSAGE_WRITE_BACK | 1u << GPC_MESSAGE_NOTICE | 1u << GPC_MESSAGE_CLEAR_OWNER |
                           1u << GPC_MESSAGE_WRITE_THROUGH;
    return s->block != GPC_NO_MODULE && kinds >> s->kind & 1;
}

/* The message goes back to its sender, as a message without data. */
static void refuse(gpci_timed *t, uint32_t packet, gpci_coherent_step *s) {
    gpci_transactions *all = t->transactions;
    gpc_coherence *tree = t->h->coherent->tree;
    gpc_coherence_stats *from = &gpci_module_at(tree, s->from)->stats, *to = &gpci_module_at(tree, s->to)->stats;
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    to->accesses++;
    to->high_sent += t->header;
    from->low_received += t->header;
    from->retries++;
    from->accesses++;
    if (tree->faults & GPCI_FAULT_NO_UNLOCK && (s->kind == GPC_MESSAGE_WRITE_BACK || s->kind == GPC_MESSAGE_NOTICE) &&
        s->blocked_line == GPCI_NOT_BLOCKED && find(all, own_key(s->from, s->address)) == GPCI_NOT_BLOCKED)
        s->blocked_line = block(all, own_key(s->from, s->address), p->message.transaction, p->message.step);
    gpci_see_met(t, GPC_WHAT_REFUSE, p->message.transaction, s);
    gpci_see_entry_free(t, p->message.transaction, s);
    gpci_coherent_mshr_free(t, s);
    s->packet = packet;
    p->path.size = t->header;
    p->segments = 0;
    p->flags = GPCI_PACKET_REFUSED;
    gpci_message_send(t, packet, s->to, s->from);
}

void gpci_message_retry(gpci_timed *t, uint32_t transaction, uint32_t step) {
    gpci_coherent_step *s = gpci_coherent_step_at(t->transactions, transaction, step);
    gpc_coherence *tree = t->h->coherent->tree;
    gpci_packet *q = gpci_packet_at(&t->pool, s->packet);
    gpci_module_at(tree, s->from)->stats.low_sent += s->bytes;
    gpci_module_at(tree, s->to)->stats.high_received += s->bytes;
    q->path.size = s->bytes;
    q->segments = gpci_message_segments(t, s->bytes);
    q->flags = 0;
    uint32_t packet = s->packet;
    s->packet = GPCI_NO_PACKET;
    gpci_message_send(t, packet, s->from, s->to);
}

/* A refused message is at its sender again. */
static void back_off(gpci_timed *t, uint32_t packet, const gpci_coherent_step *s) {
    uint32_t latency = gpci_module_at(t->h->coherent->tree, s->from)->given.latency;
    uint32_t cycles = gpci_random_below(&t->transactions->random, latency + 2);
    const gpci_packet *q = gpci_packet_at(&t->pool, packet);
    gpci_clock clock = gpci_coherent_stage_of(t, s->from, s->address)->options->clock;
    if (cycles)
        gpci_step_schedule(t, gpci_clock_after(clock, t->wheel.now, cycles), q->message.transaction, q->message.step,
                           true);
    else
        gpci_message_retry(t, q->message.transaction, q->message.step);
}

bool gpci_message_admit(gpci_timed *t, uint32_t packet) {
    gpci_transactions *all = t->transactions;
    const gpci_packet *p = gpci_packet_at(&t->pool, packet);
    gpci_coherent_step *s = gpci_coherent_step_of(t, packet);
    uint32_t faults = t->h->coherent->tree->faults, line = GPCI_NOT_BLOCKED;
    if (p->flags & GPCI_PACKET_REFUSED) {
        back_off(t, packet, s);
        return false;
    }
    if (GPCI_UNLIKELY(faults & GPCI_FAULT_NO_UNLOCK) && gpci_message_is_probe(s->kind))
        line = find(all, own_key(s->to, s->address));
    if (line == GPCI_NOT_BLOCKED && !blocks(s))
        return true;
    if (line == GPCI_NOT_BLOCKED)
        line = find(all, key_of(s->to, s->block));
    if (line != GPCI_NOT_BLOCKED && all->blocked[line].transaction == p->message.transaction)
        return true; /* blocked by its own transaction */
    if (line == GPCI_NOT_BLOCKED) {
        unblock(t, p->message.transaction, p->message.step);
        s->blocked_line = block(all, key_of(s->to, s->block), p->message.transaction, p->message.step);
        return true;
    }
    if (all->refuses && !gpci_message_is_probe(s->kind)) {
        refuse(t, packet, s);
        return false;
    }
    gpci_see_met(t, GPC_WHAT_WAIT, p->message.transaction, s);
    wait_for(all, line, p->message.transaction, p->message.step);
    gpci_pool_give(&t->pool, packet);
    return false;
}

static const char *const names[GPC_MESSAGE_KIND_COUNT] = {
    "read request", "write request", "read probe",    "write probe", "data", "acknowledgement", "write-back",
    "notice",       "clear owner",   "write-through", "join",        "end",  "eviction"};

static const char *name_of(const gpci_timed *t, uint32_t module) {
    return gpci_module_at(t->h->coherent->tree, module)->given.name;
}

static void say(gpci_text *report, const gpci_timed *t, const gpci_coherent_step *s, const char *what) {
    gpci_text_put(report, "the %s of %s to %s for 0x%" PRIx64 " %s; ", names[s->kind], name_of(t, s->from),
                  name_of(t, s->to), s->address, what);
}

void gpci_transactions_report(const gpci_timed *t, gpci_text *report) {
    gpci_transactions *all = t->transactions;
    for (uint32_t i = 0; i < all->blocked_fresh; i++) {
        const gpci_blocked_line *l = &all->blocked[i];
        if (l->step == GPCI_NO_STEP)
            continue;
        const gpci_coherent_step *s = gpci_coherent_step_at(all, l->transaction, l->step);
        say(report, t, s, l->key >> 63 ? "was refused, and keeps its own block" : "holds its block");
        for (uint32_t transaction = l->first_transaction, step = l->first_step; step != GPCI_NO_STEP;) {
            const gpci_coherent_step *w = gpci_coherent_step_at(all, transaction, step);
            say(report, t, w, "waits for that");
            transaction = w->next_transaction;
            step = w->next_step;
        }
    }
}
