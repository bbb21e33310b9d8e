/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/watch_coherent.h"

#include "coherence/tree.h"

#include <inttypes.h>

/*
 * Blocks in use. A message towards memory that asks for a block, or for its entry of the directory, holds it from its
 * lookup until it is answered. What comes in between waits in turn (coherence.conflict = wait), or is refused, and
 * sent again up to the latency of its sender's data and a cycle later (retry), as Multi2Sim does.
 */

/* A block of a module by its place, or (a fault alone) by its address. */
static uint64_t key_of(uint32_t module, uint32_t block) {
    return (uint64_t)module << 32 | block;
}

static uint64_t own_key(uint32_t module, uint64_t address) {
    return (uint64_t)1 << 63 | (uint64_t)module << 48 | (address >> 3 & 0xffffffffffffu);
}

static uint32_t *bucket_of(gpci_play *p, uint64_t key) {
    return &p->buckets[(key * 0x9e3779b97f4a7c15u >> 32) % GPCI_LOCK_BUCKETS];
}

static uint32_t find(gpci_play *p, uint64_t key) {
    uint32_t lock = *bucket_of(p, key);
    while (lock != GPCI_NO_LOCK && p->locks[lock].key != key)
        lock = p->locks[lock].next;
    return lock;
}

/* There is room: an exchange has some for each of its steps. */
static uint32_t hold(gpci_play *p, uint64_t key, uint32_t exchange, uint32_t step) {
    uint32_t lock = p->lock_free;
    if (lock == GPCI_NO_LOCK)
        lock = p->lock_fresh++;
    else
        p->lock_free = p->locks[lock].next;
    uint32_t *bucket = bucket_of(p, key);
    p->locks[lock] = (gpci_lock){.key = key,
                                 .exchange = exchange,
                                 .step = step,
                                 .next = *bucket,
                                 .first_step = GPCI_NO_STEP,
                                 .last_step = GPCI_NO_STEP};
    *bucket = lock;
    p->lock_count++;
    return lock;
}

static void drop(gpci_play *p, uint32_t lock) {
    uint32_t *at = bucket_of(p, p->locks[lock].key);
    while (*at != lock)
        at = &p->locks[*at].next;
    *at = p->locks[lock].next;
    p->locks[lock].step = GPCI_NO_STEP;
    p->locks[lock].next = p->lock_free;
    p->lock_free = lock;
    p->lock_count--;
}

static void wait_for(gpci_play *p, uint32_t lock, uint32_t exchange, uint32_t step) {
    gpci_lock *l = &p->locks[lock];
    gpci_step *s = gpci_step_at(p, exchange, step);
    s->next_exchange = s->next_step = GPCI_NO_STEP;
    if (l->first_step == GPCI_NO_STEP) {
        l->first_exchange = exchange;
        l->first_step = step;
    } else {
        gpci_step *last = gpci_step_at(p, l->last_exchange, l->last_step);
        last->next_exchange = exchange;
        last->next_step = step;
    }
    l->last_exchange = exchange;
    l->last_step = step;
}

/* The first that waits holds it now, or has found it free. */
static void unlock(gpci_timed *t, uint32_t exchange, uint32_t step) {
    gpci_play *p = t->play;
    uint32_t lock = gpci_step_at(p, exchange, step)->lock;
    if (lock == GPCI_NO_LOCK)
        return;
    gpci_step_at(p, exchange, step)->lock = GPCI_NO_LOCK;
    gpci_lock *l = &p->locks[lock];
    if (l->first_step == GPCI_NO_STEP) {
        drop(p, lock);
        return;
    }
    l->exchange = l->first_exchange;
    l->step = l->first_step;
    gpci_step *s = gpci_step_at(p, l->exchange, l->step);
    l->first_exchange = s->next_exchange;
    l->first_step = s->next_step;
    s->lock = lock;
    gpci_play_end(t, l->exchange, l->step);
}

void gpci_play_let_go(gpci_timed *t, uint32_t exchange, uint32_t step) {
    gpci_see_entry_free(t, exchange, gpci_step_at(t->play, exchange, step));
    gpci_play_give_entry(t, gpci_step_at(t->play, exchange, step));
    unlock(t, exchange, step);
}

static bool asks(const gpci_step *s) {
    const uint32_t kinds = 1u << GPC_MESSAGE_READ_REQUEST | 1u << GPC_MESSAGE_WRITE_REQUEST |
                           1u << GPC_MESSAGE_WRITE_BACK | 1u << GPC_MESSAGE_NOTICE | 1u << GPC_MESSAGE_CLEAR_OWNER |
                           1u << GPC_MESSAGE_WRITE_THROUGH;
    return s->block != GPC_NO_MODULE && kinds >> s->kind & 1;
}

/* Back to its sender, in as many bytes as a message without data. */
static void refuse(gpci_timed *t, uint32_t packet, gpci_step *s) {
    gpci_play *p = t->play;
    gpc_coherence *tree = t->h->coherent->tree;
    gpc_coherence_stats *from = &gpci_module_at(tree, s->from)->stats, *to = &gpci_module_at(tree, s->to)->stats;
    gpci_packet *q = gpci_at(t, packet);
    to->accesses++;
    to->high_sent += t->header;
    from->low_received += t->header;
    from->retries++;
    from->accesses++;
    if (tree->faults & GPCI_FAULT_NO_UNLOCK && (s->kind == GPC_MESSAGE_WRITE_BACK || s->kind == GPC_MESSAGE_NOTICE) &&
        s->lock == GPCI_NO_LOCK && find(p, own_key(s->from, s->address)) == GPCI_NO_LOCK)
        s->lock = hold(p, own_key(s->from, s->address), q->message.exchange, q->message.step);
    gpci_see_met(t, GPC_WHAT_REFUSE, q->message.exchange, s);
    gpci_see_entry_free(t, q->message.exchange, s);
    gpci_play_give_entry(t, s);
    s->packet = packet;
    q->path.size = t->header;
    q->segments = 0;
    q->flags = GPCI_PACKET_REFUSED;
    gpci_play_send(t, packet, s->to, s->from);
}

void gpci_play_again(gpci_timed *t, uint32_t exchange, uint32_t step) {
    gpci_step *s = gpci_step_at(t->play, exchange, step);
    gpc_coherence *tree = t->h->coherent->tree;
    gpci_packet *q = gpci_at(t, s->packet);
    gpci_module_at(tree, s->from)->stats.low_sent += s->bytes;
    gpci_module_at(tree, s->to)->stats.high_received += s->bytes;
    q->path.size = s->bytes;
    q->segments = gpci_play_segments(t, s->bytes);
    q->flags = 0;
    uint32_t packet = s->packet;
    s->packet = GPCI_NO_PACKET;
    gpci_play_send(t, packet, s->from, s->to);
}

static void back_off(gpci_timed *t, uint32_t packet, const gpci_step *s) {
    uint32_t latency = gpci_module_at(t->h->coherent->tree, s->from)->given.latency;
    uint32_t cycles = gpci_random_below(&t->play->random, latency + 2);
    const gpci_packet *q = gpci_at(t, packet);
    gpci_clock clock = gpci_play_stage(t, s->from, s->address)->options->clock;
    if (cycles)
        gpci_play_at(t, gpci_clock_after(clock, t->wheel.now, cycles), q->message.exchange, q->message.step, true);
    else
        gpci_play_again(t, q->message.exchange, q->message.step);
}

bool gpci_play_take(gpci_timed *t, uint32_t packet) {
    gpci_play *p = t->play;
    const gpci_packet *q = gpci_at(t, packet);
    gpci_step *s = gpci_step_of(t, packet);
    uint32_t faults = t->h->coherent->tree->faults, lock = GPCI_NO_LOCK;
    if (q->flags & GPCI_PACKET_REFUSED) {
        back_off(t, packet, s);
        return false;
    }
    if (GPCI_UNLIKELY(faults & GPCI_FAULT_NO_UNLOCK) && gpci_is_probe(s->kind))
        lock = find(p, own_key(s->to, s->address));
    if (lock == GPCI_NO_LOCK && !asks(s))
        return true;
    if (lock == GPCI_NO_LOCK)
        lock = find(p, key_of(s->to, s->block));
    if (lock != GPCI_NO_LOCK && p->locks[lock].exchange == q->message.exchange)
        return true; /* its own, which comes to its end by itself */
    if (lock == GPCI_NO_LOCK) {
        unlock(t, q->message.exchange, q->message.step);
        s->lock = hold(p, key_of(s->to, s->block), q->message.exchange, q->message.step);
        return true;
    }
    if (p->retry && !gpci_is_probe(s->kind)) {
        refuse(t, packet, s);
        return false;
    }
    gpci_see_met(t, GPC_WHAT_WAIT, q->message.exchange, s);
    wait_for(p, lock, q->message.exchange, q->message.step);
    gpci_pool_give(&t->pool, packet);
    return false;
}

static const char *const names[GPC_MESSAGE_KIND_COUNT] = {
    "read request", "write request", "read probe",    "write probe", "data", "acknowledgement", "write-back",
    "notice",       "clear owner",   "write-through", "join",        "end",  "eviction"};

static const char *name_of(const gpci_timed *t, uint32_t module) {
    return gpci_module_at(t->h->coherent->tree, module)->given.name;
}

static void say(gpci_text *report, const gpci_timed *t, const gpci_step *s, const char *what) {
    gpci_text_put(report, "the %s of %s to %s for 0x%" PRIx64 " %s; ", names[s->kind], name_of(t, s->from),
                  name_of(t, s->to), s->address, what);
}

void gpci_play_report(const gpci_timed *t, gpci_text *report) {
    gpci_play *p = t->play;
    for (uint32_t i = 0; i < p->lock_fresh; i++) {
        const gpci_lock *l = &p->locks[i];
        if (l->step == GPCI_NO_STEP)
            continue;
        const gpci_step *s = gpci_step_at(p, l->exchange, l->step);
        say(report, t, s, l->key >> 63 ? "was refused, and keeps its own block" : "holds its block");
        for (uint32_t exchange = l->first_exchange, step = l->first_step; step != GPCI_NO_STEP;) {
            const gpci_step *w = gpci_step_at(p, exchange, step);
            say(report, t, w, "waits for that");
            exchange = w->next_exchange;
            step = w->next_step;
        }
    }
}
