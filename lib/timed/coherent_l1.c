/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/watch_coherent.h"

#include "coherence/tree.h"
#include "level/level_count.h"

/*
 * A coherent L1. A line has an MSHR entry from its miss until its access is done. Loads of the line merge with an entry
 * that a load made; anything else for the line waits at the tags. The packet that made the entry is its leader, and
 * names the transaction that brings the line (`mshr.transaction`).
 */

static uint64_t line_of(const gpci_timed *t, uint64_t address) {
    return address >> t->h->l1_level.line_shift;
}

static gpci_mshr_bucket *bucket_of(const gpci_stage *stage, uint64_t line) {
    return &stage->mshr.buckets[(line * 0x9e3779b97f4a7c15u >> 32) & stage->mshr.mask];
}

static uint32_t find(const gpci_timed *t, const gpci_stage *stage, uint64_t address) {
    uint64_t line = line_of(t, address);
    uint32_t leader = bucket_of(stage, line)->leader;
    while (leader != GPCI_NO_PACKET && line_of(t, gpci_packet_at(&t->pool, leader)->address) != line)
        leader = gpci_packet_at(&t->pool, leader)->mshr.chain;
    return leader;
}

static void add(gpci_timed *t, gpci_stage *stage, uint32_t packet) {
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    gpci_mshr_bucket *bucket = bucket_of(stage, line_of(t, p->address));
    p->mshr.chain = bucket->leader;
    bucket->leader = packet;
    p->mshr.first = p->mshr.last = GPCI_NO_PACKET;
    p->mshr.count = 1;
    gpci_see(t, GPC_WHAT_MSHR_ALLOCATE, stage, p, 0);
    gpci_gauge_set(&stage->mshr.gauge, t->wheel.now, ++stage->mshr.used[0]);
}

static void take_out(gpci_timed *t, gpci_stage *stage, uint32_t packet) {
    uint32_t *at = &bucket_of(stage, line_of(t, gpci_packet_at(&t->pool, packet)->address))->leader;
    while (*at != packet)
        at = &gpci_packet_at(&t->pool, *at)->mshr.chain;
    *at = gpci_packet_at(&t->pool, packet)->mshr.chain;
    gpci_see(t, GPC_WHAT_MSHR_FREE, stage, gpci_packet_at(&t->pool, packet), 0);
    gpci_gauge_set(&stage->mshr.gauge, t->wheel.now, --stage->mshr.used[0]);
}

static bool is_load(const gpci_packet *p) {
    return p->line.kind == GPC_LOAD || p->line.kind == GPC_PREFETCH;
}

static void count_load(gpci_timed *t, const gpci_packet *p, bool hit, bool pending) {
    if (p->line.kind != GPC_LOAD)
        return;
    uint32_t segments = gpci_count_sectors(p->segments);
    gpci_count_l1_load(t->h, p->request.sm, hit ? segments : 0, pending ? segments : 0);
    gpci_count_l1_load_line(t->h, p->request.sm, p->request.warp_age, hit);
}

/* A packet for a line that has an MSHR entry. */
static gpci_verdict merge(gpci_timed *t, gpci_stage *stage, uint32_t packet, uint32_t leader, gpci_tag_access *access) {
    gpci_packet *p = gpci_packet_at(&t->pool, packet), *l = gpci_packet_at(&t->pool, leader);
    if (!is_load(p) || !is_load(l) || l->mshr.count >= stage->options->merges)
        return gpci_stage_block(stage, access, t->wheel.now, GPC_BUSY_MERGE);
    count_load(t, p, true, true);
    gpci_see(t, GPC_WHAT_LOOKUP, stage, p, GPC_PENDING_HIT);
    gpci_see(t, GPC_WHAT_MSHR_MERGE, stage, p, l->label.id);
    p->line.missed = 0;
    t->pool.next[packet] = GPCI_NO_PACKET;
    if (l->mshr.first == GPCI_NO_PACKET)
        l->mshr.first = packet;
    else
        t->pool.next[l->mshr.last] = packet;
    l->mshr.last = packet;
    l->mshr.count++;
    return GPCI_WAITING;
}

/* Will the access hit without a message? It then needs neither MSHR entry nor miss queue. */
static bool is_quiet(const gpci_timed *t, const gpci_packet *p) {
    const gpci_module *m = gpci_module_at(t->h->coherent->tree, p->request.sm);
    uint32_t block = gpci_module_find(m, gpci_module_tag_of(m, p->address));
    if (block == GPCI_TREE_NO_BLOCK || (!is_load(p) && m->given.write_through))
        return false;
    gpc_coherence_event event = is_load(p)                  ? GPC_EVENT_LOAD
                                : p->line.kind == GPC_STORE ? GPC_EVENT_N_STORE
                                                            : GPC_EVENT_STORE;
    return p->request.hint <= GPC_HINT_CA && m->rules[m->states[block]][event].actions == GPC_DO_HIT;
}

/*
 * An access may evict a line of L1 that is still on its way there: the tree has it, but its data have not arrived. The
 * new transaction then begins behind the one that brings it.
 */
static uint32_t behind(const gpci_timed *t, const gpci_stage *stage, const gpc_coherence_result *r) {
    for (uint32_t i = 0; i < r->message_count; i++)
        if (r->messages[i].kind == GPC_MESSAGE_EVICTION && r->messages[i].from == stage->index) {
            uint32_t leader = find(t, stage, r->messages[i].address);
            return leader == GPCI_NO_PACKET ? GPCI_NO_TRANSACTION : gpci_packet_at(&t->pool, leader)->mshr.transaction;
        }
    return GPCI_NO_TRANSACTION;
}

static gpci_verdict miss(gpci_timed *t, gpci_stage *stage, uint32_t packet, const gpc_coherence_result *r) {
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    uint32_t before = behind(t, stage, r);
    p->born = t->wheel.now;
    add(t, stage, packet);
    gpci_transaction_begin(t, packet, r, before);
    return GPCI_WAITING;
}

gpci_verdict gpci_coherent_l1_pass(gpci_timed *t, gpci_stage *stage, uint32_t packet, gpci_tag_access *access) {
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    gpc_coherence_result r = GPC_COHERENCE_RESULT_INIT;
    uint32_t leader = find(t, stage, p->address);
    if (leader != GPCI_NO_PACKET)
        return merge(t, stage, packet, leader, access);
    bool no_entry = stage->mshr.used[0] >= stage->options->entries;
    if ((no_entry || gpci_queue_full(&stage->out)) && !is_quiet(t, p))
        return gpci_stage_block(stage, access, t->wheel.now, no_entry ? GPC_BUSY_MSHR : GPC_BUSY_MISS_QUEUE);
    gpc_status status = gpci_transactions_reserve(t);
    if (status == GPC_OK)
        status = gpci_coherent_access(t->h, &p->request, p->bytes, &r, &t->error);
    if (status < 0) { /* nothing has changed; it will be tried again, if anybody goes on */
        t->failed = status;
        gpci_wheel_wake(&t->wheel, stage->component, t->wheel.now + 1);
        return GPCI_BLOCKED;
    }
    count_load(t, p, r.hit, false);
    gpci_see(t, GPC_WHAT_LOOKUP, stage, p, r.hit ? GPC_HIT : GPC_MISS);
    gpci_count_l1_store(t->h, stage->index, p->line.kind == GPC_STORE && r.hit ? gpci_count_sectors(p->segments) : 0);
    p->line.missed = r.hit ? 0 : p->segments;
    if (!r.hit || r.message_count > 1)
        return miss(t, stage, packet, &r);
    gpci_l1_serve(t, stage, packet);
    return GPCI_SERVED;
}

void gpci_coherent_l1_done(gpci_timed *t, uint32_t transaction) {
    gpci_transactions *all = t->transactions;
    gpci_coherent_transaction *x = &all->transactions[transaction];
    gpci_stage *stage = &t->l1[x->sm];
    uint32_t leader = x->packet;
    uint8_t level = x->level;
    gpci_packet *l = gpci_packet_at(&t->pool, leader);
    uint32_t waiting = l->mshr.first;
    x->packet = GPCI_NO_PACKET;
    take_out(t, stage, leader);
    if (level == 3 && is_load(l))
        gpci_l1_round_trip(t, stage, l);
    gpci_l1_release(t, stage, leader, level);
    for (uint32_t next; waiting != GPCI_NO_PACKET; waiting = next) {
        next = t->pool.next[waiting];
        gpci_l1_release(t, stage, waiting, level);
    }
    gpci_stage_relieve(stage, GPC_BUSY_MSHR);
    gpci_stage_relieve(stage, GPC_BUSY_MERGE);
    gpci_wheel_wake(&t->wheel, stage->component, t->wheel.now);
    for (uint32_t next, other = x->waiting; other != GPCI_NO_TRANSACTION; other = next) {
        next = all->transactions[other].next;
        gpci_transaction_start(t, other);
    }
}

/* Messages that arrive at an L1 take its ports before its own accesses do. */
void gpci_coherent_l1_receive(gpci_timed *t, gpci_stage *stage) {
    uint64_t now = t->wheel.now;
    for (uint32_t packet; (packet = gpci_network_peek(stage->replies_in, stage->index)) != GPCI_NO_PACKET;) {
        const gpci_packet *p = gpci_packet_at(&t->pool, packet);
        if (stage->fill_free > now) {
            gpci_wheel_wake(&t->wheel, stage->component, stage->fill_free);
            return;
        }
        if (gpci_coherent_step_of(t, packet)->lookups && !(p->flags & GPCI_PACKET_REFUSED) &&
            !gpci_stage_port(stage, now, p->address)) {
            gpci_wheel_wake(&t->wheel, stage->component, now + 1);
            return;
        }
        gpci_network_receive(stage->replies_in, stage->index);
        stage->fill_free =
            now + (p->path.size - t->header + stage->options->fill_width - 1) / stage->options->fill_width;
        gpci_message_arrived(t, packet);
    }
}

/* It knows where it goes, and how large it is. */
void gpci_coherent_l1_send(gpci_timed *t, gpci_stage *stage, uint32_t packet) {
    const gpci_packet *p = gpci_packet_at(&t->pool, packet);
    gpci_network_send(stage->requests_out, stage->index, p->path.to, p->path.size, packet);
}
