/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/rules/level_rules.h"
#include "timed/core/changes.h"
#include "timed/core/mshr_table.h"
#include "timed/core/run_ahead.h"
#include "timed/core/tags.h"
#include "timed/l1/collector.h"
#include "timed/l1/combine.h"
#include "timed/l1/copy_engine.h"
#include "timed/l1/l1_send.h"
#include "timed/l1/lsu.h"
#include "timed/l1/replies.h"
#include "timed/pages/l1_tlb.h"
#include "timed/stage/data_banks.h"
#include "timed/stage/drain.h"
#include "timed/stage/l15_stage.h"
#include "timed/stage/l1_observe.h"
#include "timed/stage/prefetch.h"

/*
 * Memory pipeline and L1 of an SM. Line transactions pass the tags in order. Hits leave through the data port. Misses
 * go through the miss queue into the request network. Packets of the reply network enter through the fill port.
 */

/* Count the lookup of a load. Sectors in flight count as hits, as in hardware counters. */
static void count_lookup(gpci_timed *t, gpci_stage *stage, gpci_packet *p, const gpci_tag_access *access) {
    uint8_t hit = p->segments & (t->h->l1_level.segments_of[access->result.hit_sectors] | access->flying);
    bool whole = hit == p->segments;
    p->line.missed = p->segments & (uint8_t)~hit;
    gpci_see_lookup(t, stage, p, access);
    if (t->front.cache_event)
        gpci_l1_tell_event(t, stage->index, p, whole);
    gpci_l1_observe(t, p, access, hit);
    if (p->request.kind != GPC_LOAD)
        return;
    gpci_count_l1_found(t->h, &p->request, gpci_count_sectors(hit), gpci_count_sectors(access->flying & p->segments));
    gpci_count_l1_load_line(t->h, stage->index, p->request.warp_age, whole);
    gpci_count_token(t->h, &p->request, !whole);
    if (GPCI_UNLIKELY(stage->prefetch != NULL))
        gpci_prefetch_train(t, stage, p, access, whole);
}

/* Cycle at which a line's data are ready, after the turn at the data port or banks. */
GPCI_INLINE uint64_t take_data(gpci_timed *t, gpci_stage *stage, const gpci_packet *p) {
    const gpci_flight *f = &t->flights[p->line.flight];
    if (GPCI_UNLIKELY(f->turns))
        return gpci_data_passed(t, stage, p, f);
    return gpci_stage_data(stage, t->wheel.now, gpci_packet_bytes(p));
}

void gpci_l1_serve(gpci_timed *t, gpci_stage *stage, uint32_t packet) {
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    gpci_flight *f = &t->flights[p->line.flight];
    uint64_t due = take_data(t, stage, p);
    f->due = f->due > due ? f->due : due;
    gpci_see_hit(t, stage, p, due);
    gpci_l1_release_line(t, p->line.flight, 1);
    gpci_pool_give(&t->pool, packet);
}

const gpci_stage_rules gpci_l1_stage = {.send = gpci_l1_send_fetch,
                                        .evicted = gpci_l1_evicted,
                                        .released = gpci_l1_release,
                                        .hold_up = gpci_l1_hold_up,
                                        .passed_by = gpci_l1_not_kept};

/*
 * A load past L1 that must find the value of its moment does not wait for a read sent before the line's last change. An
 * entry that drains (drain.h) has the data of such a read.
 */
static GPCI_NOINLINE bool goes_alone(const gpci_timed *t, const gpci_stage *stage, const gpci_packet *p,
                                     const gpci_tag_access *access) {
    if (!gpci_reads_anew(&p->request))
        return false;
    const uint32_t leader = gpci_mshr_find(t, stage, p->request.address);
    if (leader == GPCI_NO_PACKET)
        return false;
    const gpci_packet *entry = gpci_packet_at(&t->pool, leader);
    const uint8_t flying = gpci_mshr_in_flight(entry);
    if (flying && !(flying & t->h->l1_level.segments_of[access->result.needed_sectors]))
        return false;
    return gpci_changes_since(t, p->address) > gpci_mshr_sent(t, entry);
}

static gpci_verdict pass_load(gpci_timed *t, gpci_stage *stage, uint32_t packet, gpci_packet *p,
                              gpci_tag_access *access) {
    if (!gpci_l1_of(t->h, &p->request)) {
        if (gpci_queue_full(&stage->out))
            return gpci_stage_block(stage, access, t->wheel.now, GPC_BUSY_MISS_QUEUE);
        if (p->request.kind == GPC_LOAD)
            gpci_count_l1_load_line(t->h, stage->index, 0, false);
        gpci_l1_observe(t, p, NULL, 0);
        p->line.missed = p->segments;
        gpci_l1_send_itself(t, stage, packet, GPCI_READ);
        return GPCI_WAITING;
    }
    const bool first = !access->looked;
    if (first)
        gpci_stage_look(t, stage, p, access);
    const bool alone = access->result.outcome == GPC_BYPASSED && goes_alone(t, stage, p, access);
    if (first) {
        access->flying = alone ? 0 : access->flying;
        count_lookup(t, stage, p, access);
    }
    if (GPCI_UNLIKELY(alone)) {
        access->fresh = false; /* the entry may be gone when the load has its turn again */
        if (gpci_queue_full(&stage->out))
            return gpci_stage_block(stage, access, t->wheel.now, GPC_BUSY_MISS_QUEUE);
        gpci_see(t, GPC_WHAT_FETCH, stage, p, 0);
        gpci_count_l1_asked(t->h, &p->request, p->segments);
        gpci_count_l1_bypass(t->h, stage->index, p->segments);
        gpci_l1_send_itself(t, stage, packet, GPCI_READ);
        return GPCI_WAITING;
    }
    gpci_verdict verdict = gpci_stage_settle(t, stage, packet, access, false);
    if (verdict == GPCI_SERVED)
        gpci_l1_serve(t, stage, packet);
    return verdict;
}

/* Write a store's bytes below: by the packet itself, or by a copy if the packet waits for a fetch. */
static void write_through(gpci_timed *t, gpci_stage *stage, uint32_t packet, const gpc_access_result *r,
                          gpci_verdict verdict) {
    if (verdict == GPCI_WAITING) {
        uint32_t flight = gpci_packet_at(&t->pool, packet)->line.flight;
        t->flights[flight].left++;
        packet = gpci_l1_copy(t, packet, GPCI_WRITE);
        gpci_packet_at(&t->pool, packet)->line.flight = flight;
        gpci_see_copy(t, stage, packet);
    }
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    p->bytes[0] = r->write_bytes[0];
    p->bytes[1] = r->write_bytes[1];
    p->segments = gpci_segments_of(p->bytes);
    p->request.policy_word = r->policy_word;
    gpci_l1_send_itself(t, stage, packet, GPCI_WRITE);
}

static gpci_verdict pass_store(gpci_timed *t, gpci_stage *stage, uint32_t packet, gpci_packet *p,
                               gpci_tag_access *access) {
    if (gpci_queue_full(&stage->out))
        return gpci_stage_block(stage, access, t->wheel.now, GPC_BUSY_MISS_QUEUE);
    gpc_access_result *r = &access->result;
    if (!gpci_l1_for(t->h, p->request.sm, p->request.space)) {
        take_data(t, stage, p);
        gpci_l1_send_itself(t, stage, packet, GPCI_WRITE);
        return GPCI_WAITING;
    }
    if (!access->looked) {
        gpci_stage_look(t, stage, p, access);
        gpci_see_lookup(t, stage, p, access);
        gpci_l1_observe(t, p, access, 0);
        gpci_count_l1_store(t->h, stage->index,
                            gpci_count_sectors(t->h->l1_level.segments_of[r->hit_sectors] & p->segments));
        if (r->evicted)
            gpci_stage_evicted(t, stage, p, &r->eviction);
    }
    gpci_verdict verdict = gpci_stage_settle(t, stage, packet, access, false);
    if (verdict == GPCI_BLOCKED)
        return verdict;
    if (r->write_sectors) {
        take_data(t, stage, p);
        write_through(t, stage, packet, r, verdict);
    } else if (verdict == GPCI_SERVED) {
        gpci_l1_serve(t, stage, packet);
    }
    return verdict;
}

/* Performed at L2; L1 only drops the copy. */
static gpci_verdict pass_atomic(gpci_timed *t, gpci_stage *stage, uint32_t packet, gpci_packet *p,
                                gpci_tag_access *access) {
    if (gpci_queue_full(&stage->out))
        return gpci_stage_block(stage, access, t->wheel.now, GPC_BUSY_MISS_QUEUE);
    if (gpci_l1_for(t->h, p->request.sm, p->request.space)) {
        gpci_stage_look(t, stage, p, access);
        gpci_see_lookup(t, stage, p, access);
        gpci_l1_observe(t, p, access, 0);
        if (access->result.evicted)
            gpci_stage_evicted(t, stage, p, &access->result.eviction);
        gpci_stage_outdate(t, stage, p->request.address, p->segments); /* replies on the way may be older */
    }
    gpci_l1_send_itself(t, stage, packet, GPCI_ATOMIC);
    return GPCI_WAITING;
}

GPCI_INLINE gpci_verdict pass(gpci_timed *t, gpci_stage *stage, uint32_t packet, gpci_packet *p,
                              gpci_tag_access *access) {
    switch (p->request.kind) {
    case GPC_STORE:
        return pass_store(t, stage, packet, p, access);
    case GPC_ATOMIC:
    case GPC_REDUCTION:
        return pass_atomic(t, stage, packet, p, access);
    case GPCI_KIND_FENCE:
        gpci_fence_passed(t, packet);
        return GPCI_WAITING;
    default:
        return pass_load(t, stage, packet, p, access);
    }
}

/* Queue before the tags. `returns`: packets may return to the tags, before new ones. */
GPCI_INLINE gpci_queue *before_tags(const gpci_timed *t, gpci_stage *stage, bool returns) {
    if (returns && stage->returned.count)
        return &stage->returned;
    return stage->reorder ? gpci_reorder_choose(t, stage) : &stage->in;
}

/* Blocks of a line for an instruction pass together, if possible. */
GPCI_INLINE bool tag_port(const gpci_timed *t, gpci_stage *stage, const gpci_packet *p) {
    const bool beside = p->flags & GPCI_PACKET_FOLLOWS && stage->ports_used &&
                        stage->tag_cycle == gpci_clock_own(stage->options->clock, t->wheel.now);
    return GPCI_UNLIKELY(beside) || gpci_stage_port(stage, t->wheel.now, gpci_packet_place(t, p));
}

/* True if waiting data accesses stop the tags. */
GPCI_INLINE bool is_data_full(const gpci_stage *stage, uint64_t now) {
    const gpci_data_queue *q = stage->data_queue;
    return GPCI_UNLIKELY(q != NULL) ? q->starts[q->next] > now : stage->data_free > now + stage->options->latency;
}

typedef gpci_verdict (*pass_tags_fn)(gpci_timed *t, gpci_stage *stage, uint32_t packet, gpci_packet *p,
                                     gpci_tag_access *access);

/* Pass packets through the tags, as many as ports, banks and resources allow in this cycle. */
GPCI_INLINE void run_tags(gpci_timed *t, gpci_stage *stage, pass_tags_fn pass_tags, bool returns) {
    gpci_tag_access *access = &stage->tag_access[0];
    uint64_t now = t->wheel.now;
    if (gpci_stage_stuck(access))
        return;
    for (gpci_queue *queue; (queue = before_tags(t, stage, returns))->count && !gpci_replies_wait(stage);) {
        /* decided without reading the packet; in a tree a packet may pass beside the one before */
        if (is_data_full(stage, now) || (!returns && gpci_stage_ports_used(stage, now))) {
            gpci_wheel_wake(&t->wheel, stage->component, now + 1);
            return;
        }
        const uint32_t packet = queue->first;
        if (GPCI_UNLIKELY(t->issue_latency) && t->pool.links[packet].due > now) {
            gpci_wheel_wake(&t->wheel, stage->component, t->pool.links[packet].due);
            return;
        }
        gpci_packet *p = gpci_packet_at(&t->pool, packet);
        uint64_t number = stage->reorder ? p->tags.number : 0;
        bool last = p->flags & GPCI_PACKET_LAST;
        if (!tag_port(t, stage, p)) {
            gpci_wheel_wake(&t->wheel, stage->component, now + 1);
            return;
        }
        const uint32_t next = gpci_tags_take(t, queue);
        gpci_verdict verdict = pass_tags(t, stage, packet, p, access);
        if (verdict == GPCI_BLOCKED) {
            gpci_tags_put_back(t, stage, queue, packet, next, access);
            return;
        }
        gpci_tags_passed(stage, queue, access, now);
        if (returns && queue == &stage->returned)
            continue;
        if (stage->reorder)
            gpci_reorder_passed(t, stage, number);
        else if (last)
            gpci_gauge_set(&stage->waiting_gauge, now, --stage->waiting);
    }
}

/* Send the first packet of the miss queue into the network, or let it wait for another SM's read. */
static void send_out(gpci_timed *t, gpci_stage *stage, uint32_t packet) {
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    if (GPCI_UNLIKELY(t->h->window.bytes != 0))
        p->priority = p->request.priority;
    if (stage->coalescer && p->flags & GPCI_PACKET_FETCH &&
        gpci_lrc_read(stage->coalescer, packet, gpci_fence_joins_since(t, stage, p))) {
        gpci_see(t, GPC_WHAT_JOIN, stage, p, 0);
        stage->joined++;
        return;
    }
    stage->below += !(p->flags & GPCI_PACKET_POSTED);
    if (stage->coalescer && p->type == GPCI_ATOMIC)
        gpci_lrc_changes(stage->coalescer, stage->index, p->address);
    const uint32_t bytes = gpci_packet_payload(t, p);
    /* to the slice of the own partition */
    const uint32_t partition = t->h->sm_partition[stage->index],
                   slice = gpci_interleave_slice(&t->h->interleave, p->address, &p->path.inner);
    gpci_network_send(stage->requests_out, stage->index, gpci_l2_slice(t->h, partition, slice), t->header + bytes,
                      packet);
}

typedef void (*send_fn)(gpci_timed *t, gpci_stage *stage, uint32_t packet);
typedef bool (*room_fn)(const gpci_timed *t, const gpci_stage *stage);

static bool has_room(const gpci_timed *t, const gpci_stage *stage) {
    if (GPCI_LIKELY(!stage->requests_out->in_flits))
        return gpci_network_can_send(stage->requests_out, stage->index);
    const gpci_packet *p = gpci_packet_at(&t->pool, stage->out.first);
    return gpci_network_takes(stage->requests_out, stage->index, t->header + gpci_packet_payload(t, p));
}

/* True if the first packet has not reached the miss queue; L1 is then woken later. */
GPCI_INLINE bool is_under_way(gpci_timed *t, const gpci_stage *stage) {
    if (GPCI_LIKELY(!t->longest_way) || !stage->out.count)
        return false;
    const uint64_t due = t->pool.links[stage->out.first].due;
    if (due > t->wheel.now)
        gpci_wheel_wake(&t->wheel, stage->component, due);
    return due > t->wheel.now;
}

/* Send as much of the miss queue as the network accepts. */
GPCI_INLINE void run_out(gpci_timed *t, gpci_stage *stage, room_fn room, send_fn send) {
    uint64_t now = t->wheel.now;
    while (!is_under_way(t, stage) && stage->out.count && room(t, stage)) {
        uint32_t packet = gpci_queue_pop(&stage->out, &t->pool, now);
        gpci_stage_relieve(stage, GPC_BUSY_MISS_QUEUE);
        send(t, stage, packet);
    }
    if (stage->unsent_since != GPCI_NEVER) {
        stage->unsent += now - stage->unsent_since;
        stage->unsent_since = GPCI_NEVER;
    }
    if (stage->out.count && !is_under_way(t, stage))
        stage->unsent_since = now;
}

gpc_busy gpci_l1_busy(const gpci_stage *stage) {
    if (gpci_replies_wait(stage))
        return GPC_BUSY_REPLY;
    uint8_t reason = stage->tag_access[0].reason;
    if (reason == GPC_BUSY_MISS_QUEUE && stage->unsent_since != GPCI_NEVER)
        return GPC_BUSY_NETWORK;
    return reason == GPC_BUSY_NOT ? GPC_BUSY_PIPELINE : (gpc_busy)reason;
}

typedef void (*stage_fn)(gpci_timed *t, gpci_stage *stage);

/*
 * Step the part before the miss queue: replies, hits and packets at the tags; `fills` and `tags` depend on the class.
 */
GPCI_INLINE void step_above(gpci_timed *t, gpci_stage *stage, stage_fn fills, stage_fn tags) {
    if (gpci_replies_wait(stage))
        gpci_l1_run_replies(t, stage);
    if (GPCI_UNLIKELY(stage->drain_first != GPCI_NO_PACKET))
        gpci_drain_step(t, stage);
    if (fills)
        fills(t, stage);
    if (stage->due.first != UINT32_MAX)
        gpci_l1_run_due(t, stage, &stage->due);
    if (GPCI_UNLIKELY(stage->filled.first != UINT32_MAX))
        gpci_l1_run_due(t, stage, &stage->filled);
    if (GPCI_UNLIKELY(stage->constants != NULL)) {
        gpci_l1_run_due(t, stage, &stage->constants->due);
        gpci_constants_step(t, stage);
    }
    if (GPCI_UNLIKELY(stage->tlb != NULL))
        gpci_l1_tlb_step(t, stage);
    if (stage->reorder)
        gpci_reorder_fill(t, stage);
    if (GPCI_UNLIKELY(stage->collector != NULL))
        gpci_collector_step(t, stage);
    tags(t, stage);
    if (GPCI_UNLIKELY(stage->collector != NULL))
        gpci_collector_refill(t, stage);
    if (stage->reorder)
        gpci_reorder_settle(t, stage);
    if (GPCI_UNLIKELY(stage->bulk) && !gpci_replies_wait(stage))
        gpci_copy_step(t, stage);
    if (GPCI_UNLIKELY(stage->prefetch != NULL) && !gpci_replies_wait(stage))
        gpci_prefetch_step(t, stage);
    if (GPCI_UNLIKELY(stage->fences.first != UINT32_MAX))
        gpci_fences_step(t, stage);
}

/* Move requests of caches beside L1 to the miss queue. */
static GPCI_COLD void send_beside(gpci_timed *t, gpci_stage *stage) {
    if (stage->constants)
        gpci_constants_send(t, stage);
    if (stage->l15)
        gpci_l15_send(t, stage);
}

/* True if caches beside L1 have more, and the miss queue has room. */
static GPCI_COLD bool has_more_beside(const gpci_stage *stage) {
    const gpci_stage *last = stage->l15 ? stage->l15 : stage->constants;
    return last->out.count && !gpci_queue_full(&stage->out);
}

/* Step the miss queue, and notify waiters of free resources. */
GPCI_INLINE void step_below(gpci_timed *t, gpci_stage *stage, room_fn room, send_fn send) {
    const uint32_t sm = stage->index;
    if (GPCI_UNLIKELY(stage->combine != NULL))
        gpci_combine_step(t, stage);
    if (GPCI_UNLIKELY(stage->beside))
        send_beside(t, stage);
    if (stage->out.count || stage->unsent_since != GPCI_NEVER)
        run_out(t, stage, room, send);
    if (GPCI_UNLIKELY(stage->beside) && has_more_beside(stage))
        gpci_wheel_wake(&t->wheel, stage->component, t->wheel.now + 1);
    if ((gpci_stage_eager(&stage->tag_access[0]) && !gpci_replies_wait(stage)) ||
        (GPCI_UNLIKELY(stage->fences.first != UINT32_MAX) && stage->fences.held_up && !gpci_queue_full(&stage->out)))
        gpci_wheel_wake(&t->wheel, stage->component, t->wheel.now + 1);
    if ((stage->refused && gpci_l1_has_place(t, stage)) || (stage->refused_miss && !gpci_queue_full(&stage->out)) ||
        (GPCI_UNLIKELY(stage->beside) && stage->refused_read && gpci_l15_has_room(stage)) ||
        (GPCI_UNLIKELY(stage->refused_bulk) && gpci_copy_has_room(stage))) {
        stage->refused = stage->refused_miss = stage->refused_read = stage->refused_bulk = false;
        if (t->front.ready)
            t->front.ready(t->front.user_data, sm);
        if (t->callbacks.on_ready)
            t->callbacks.on_ready(t->callbacks.user_data, sm);
    } else if (stage->refused && stage->notified != stage->tag_access[0].reason) {
        /* The SM still waits, but for another reason: its stalls are counted by reason. */
        stage->notified = stage->tag_access[0].reason;
        if (t->front.step)
            gpci_wheel_wake(&t->wheel, t->groups[GPCI_GROUP_SMS].first + sm, t->wheel.now);
    }
}

static void run_own_tags(gpci_timed *t, gpci_stage *stage) {
    run_tags(t, stage, pass, false);
}

static gpci_verdict pass_coherent(gpci_timed *t, gpci_stage *stage, uint32_t packet, gpci_packet *p,
                                  gpci_tag_access *access) {
    (void)p;
    return gpci_coherent_l1_pass(t, stage, packet, access);
}

static void run_coherent_tags(gpci_timed *t, gpci_stage *stage) {
    if (GPCI_UNLIKELY(stage->lsus != NULL))
        gpci_lsus_step(t, stage);
    else
        run_tags(t, stage, pass_coherent, true);
}

void gpci_l1_step(const gpci_group *group, uint32_t sm) {
    gpci_timed *t = group->timed;
    gpci_stage *stage = &t->l1[sm];
    if (gpci_is_behind(t, stage))
        return;
    if (GPCI_LIKELY(stage->passed_at != t->wheel.now))
        step_above(t, stage, gpci_l1_fills, run_own_tags);
    step_below(t, stage, has_room, send_out);
    if (t->ahead_limit && !gpci_sm_is_due(t, sm))
        gpci_run_ahead(t, sm);
}

bool gpci_l1_step_ahead(gpci_timed *t, gpci_stage *stage) {
    step_above(t, stage, NULL, run_own_tags);
    if (stage->out.count || (stage->combine && stage->combine->open)) {
        stage->passed_at = t->wheel.now;
        return false;
    }
    step_below(t, stage, has_room, send_out);
    return true;
}

void gpci_coherent_l1_step(const gpci_group *group, uint32_t sm) {
    gpci_timed *t = group->timed;
    gpci_stage *stage = &t->l1[sm];
    step_above(t, stage, gpci_coherent_l1_receive, run_coherent_tags);
    step_below(t, stage, gpci_coherent_l1_room, gpci_coherent_l1_send);
}
