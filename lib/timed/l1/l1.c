/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/rules/level_rules.h"
#include "timed/core/changes.h"
#include "timed/core/coherent.h"
#include "timed/core/mshr_table.h"
#include "timed/core/run_ahead.h"
#include "timed/core/tags.h"
#include "timed/ctrl/data_banks.h"
#include "timed/ctrl/l1_observe.h"
#include "timed/l1/l1_send.h"

/*
 * Memory pipeline and L1 of an SM: the way of every GPU. Features of some GPUs are parts, called at points
 * (ctrl_parts.h). Line transactions pass the tags in order. Hits leave through the data port. Misses go through the
 * miss queue into the request network. Packets of the reply network enter through the fill port.
 */

/* Count the lookup of a load. Sectors in flight count as hits, as in hardware counters. */
static void count_lookup(gpci_timed *t, gpci_ctrl *ctrl, gpci_packet *p, const gpci_tag_access *access) {
    uint8_t hit = p->segments & (t->h->l1_level.segments_of[access->result.hit_sectors] | access->flying);
    bool whole = hit == p->segments;
    p->line.missed = p->segments & (uint8_t)~hit;
    gpci_log_lookup(t, ctrl, p, access);
    if (t->front.cache_event)
        gpci_l1_notify_scheduler(t, ctrl->index, p, whole);
    gpci_l1_observe(t, p, access, hit);
    if (p->request.kind != GPC_LOAD)
        return;
    gpci_count_l1_found(t->h, &p->request, gpci_count_sectors(hit), gpci_count_sectors(access->flying & p->segments));
    gpci_count_l1_load_line(t->h, ctrl->index, p->request.warp_age, whole);
    gpci_count_token(t->h, &p->request, !whole);
    if (gpci_parts_at(ctrl, GPCI_AT_LOOKED))
        gpci_parts_looked(t, ctrl, p, access, whole);
}

void gpci_l1_serve(gpci_timed *t, gpci_ctrl *ctrl, uint32_t packet) {
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    gpci_inflight *f = &t->inflights[p->line.inflight];
    uint64_t due = gpci_data_take(t, ctrl, p);
    f->due = f->due > due ? f->due : due;
    gpci_log_hit(t, ctrl, p, due);
    gpci_l1_release_line(t, p->line.inflight, 1);
    gpci_pool_give(&t->pool, packet);
}

const gpci_ctrl_rules gpci_l1_ctrl = {.own_lines = true,
                                      .loads_go = true,
                                      .send = gpci_l1_send_fetch,
                                      .evicted = gpci_l1_evicted,
                                      .released = gpci_l1_release,
                                      .on_stall = gpci_l1_on_stall,
                                      .on_not_allocated = gpci_l1_not_kept};

/*
 * A load past L1 that must find the value of its moment does not wait for a read sent before the line's last change. An
 * entry that drains (drain.h) has the data of such a read.
 */
static GPCI_NOINLINE bool goes_alone(const gpci_timed *t, const gpci_ctrl *ctrl, const gpci_packet *p,
                                     const gpci_tag_access *access) {
    if (!gpci_reads_anew(&p->request))
        return false;
    const uint32_t mshr_entry = gpci_mshr_find(t, ctrl, p->request.address);
    if (mshr_entry == GPCI_NO_PACKET)
        return false;
    const gpci_packet *entry = gpci_packet_at(&t->pool, mshr_entry);
    const uint8_t flying = gpci_mshr_in_flight(entry);
    if (flying && !(flying & t->h->l1_level.segments_of[access->result.needed_sectors]))
        return false;
    return gpci_changes_since(t, p->address) > gpci_mshr_sent(t, entry);
}

/* A load that bypasses L1 is held up at the tags, or no more: the bypass is open meanwhile, without a fetch. */
static GPCI_NOINLINE void hold_bypass(const gpci_timed *t, const gpci_ctrl *ctrl, bool first, gpci_verdict verdict) {
    if (!ctrl->cache->predictor_ops->on_reply)
        return;
    if (first && verdict == GPCI_BLOCKED)
        gpci_open_l1_bypass(t->h, ctrl->index);
    if (!first && verdict != GPCI_BLOCKED)
        gpci_close_l1_bypass(t->h, ctrl->index);
}

/* Send a load past L1 by itself: the line's fetch may be older than the line's last change. */
static gpci_verdict send_alone(gpci_timed *t, gpci_ctrl *ctrl, uint32_t packet, gpci_tag_access *access) {
    const gpci_packet *p = gpci_packet_at(&t->pool, packet);
    access->fresh = false; /* the entry may be gone when the load has its turn again */
    if (gpci_queue_full(&ctrl->out))
        return gpci_ctrl_block(ctrl, access, t->wheel.now, GPC_BUSY_MISS_QUEUE);
    gpci_log_event(t, GPC_WHAT_FETCH, ctrl, p, 0);
    gpci_count_l1_asked(t->h, &p->request, p->segments);
    gpci_count_l1_bypass(t->h, ctrl->index, p->segments);
    gpci_l1_send_itself(t, ctrl, packet, GPCI_READ);
    return GPCI_WAITING;
}

static gpci_verdict pass_load(gpci_timed *t, gpci_ctrl *ctrl, uint32_t packet, gpci_packet *p,
                              gpci_tag_access *access) {
    if (!gpci_l1_of(t->h, &p->request)) {
        if (gpci_queue_full(&ctrl->out))
            return gpci_ctrl_block(ctrl, access, t->wheel.now, GPC_BUSY_MISS_QUEUE);
        if (p->request.kind == GPC_LOAD)
            gpci_count_l1_load_line(t->h, ctrl->index, 0, false);
        gpci_l1_observe(t, p, NULL, 0);
        p->line.missed = p->segments;
        gpci_l1_send_itself(t, ctrl, packet, GPCI_READ);
        return GPCI_WAITING;
    }
    const bool first = !access->looked;
    if (first)
        gpci_ctrl_look(t, ctrl, p, access);
    const bool bypassed = access->result.outcome == GPC_BYPASSED, alone = bypassed && goes_alone(t, ctrl, p, access);
    if (first) {
        access->flying = alone ? 0 : access->flying;
        count_lookup(t, ctrl, p, access);
    }
    gpci_verdict verdict =
        GPCI_UNLIKELY(alone) ? send_alone(t, ctrl, packet, access) : gpci_ctrl_settle(t, ctrl, packet, access, false);
    if (GPCI_UNLIKELY(bypassed))
        hold_bypass(t, ctrl, first, verdict);
    if (verdict == GPCI_SERVED)
        gpci_l1_serve(t, ctrl, packet);
    return verdict;
}

/* Write a store's bytes below: by the packet itself, or by a copy if the packet waits for a fetch. */
static void write_through(gpci_timed *t, gpci_ctrl *ctrl, uint32_t packet, const gpc_access_result *r,
                          gpci_verdict verdict) {
    if (verdict == GPCI_WAITING) {
        uint32_t inflight = gpci_packet_at(&t->pool, packet)->line.inflight;
        t->inflights[inflight].left++;
        packet = gpci_l1_copy(t, packet, GPCI_WRITE);
        gpci_packet_at(&t->pool, packet)->line.inflight = inflight;
        gpci_log_copy(t, ctrl, packet);
    }
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    p->bytes[0] = r->write_bytes[0];
    p->bytes[1] = r->write_bytes[1];
    p->segments = gpci_segments_of(p->bytes);
    p->request.policy_word = r->policy_word;
    gpci_l1_send_itself(t, ctrl, packet, GPCI_WRITE);
}

static gpci_verdict pass_store(gpci_timed *t, gpci_ctrl *ctrl, uint32_t packet, gpci_packet *p,
                               gpci_tag_access *access) {
    if (gpci_queue_full(&ctrl->out))
        return gpci_ctrl_block(ctrl, access, t->wheel.now, GPC_BUSY_MISS_QUEUE);
    gpc_access_result *r = &access->result;
    if (!gpci_l1_for(t->h, p->request.sm, p->request.space)) {
        gpci_data_take(t, ctrl, p);
        gpci_l1_send_itself(t, ctrl, packet, GPCI_WRITE);
        return GPCI_WAITING;
    }
    if (!access->looked) {
        gpci_ctrl_look(t, ctrl, p, access);
        gpci_log_lookup(t, ctrl, p, access);
        gpci_l1_observe(t, p, access, 0);
        gpci_count_l1_store(t->h, ctrl->index,
                            gpci_count_sectors(t->h->l1_level.segments_of[r->hit_sectors] & p->segments));
        if (r->evicted)
            gpci_ctrl_evicted(t, ctrl, p, &r->eviction);
    }
    gpci_verdict verdict = gpci_ctrl_settle(t, ctrl, packet, access, false);
    if (verdict == GPCI_BLOCKED)
        return verdict;
    if (r->write_sectors) {
        gpci_data_take(t, ctrl, p);
        write_through(t, ctrl, packet, r, verdict);
    } else if (verdict == GPCI_SERVED) {
        gpci_l1_serve(t, ctrl, packet);
    }
    return verdict;
}

/* Performed at L2; L1 only drops the copy. */
static gpci_verdict pass_atomic(gpci_timed *t, gpci_ctrl *ctrl, uint32_t packet, gpci_packet *p,
                                gpci_tag_access *access) {
    if (gpci_queue_full(&ctrl->out))
        return gpci_ctrl_block(ctrl, access, t->wheel.now, GPC_BUSY_MISS_QUEUE);
    if (gpci_l1_for(t->h, p->request.sm, p->request.space)) {
        gpci_ctrl_look(t, ctrl, p, access);
        gpci_log_lookup(t, ctrl, p, access);
        gpci_l1_observe(t, p, access, 0);
        if (access->result.evicted)
            gpci_ctrl_evicted(t, ctrl, p, &access->result.eviction);
        gpci_ctrl_outdate(t, ctrl, p->request.address, p->segments); /* replies on the way may be older */
    }
    gpci_l1_send_itself(t, ctrl, packet, GPCI_ATOMIC);
    return GPCI_WAITING;
}

GPCI_INLINE gpci_verdict pass(gpci_timed *t, gpci_ctrl *ctrl, uint32_t packet, gpci_packet *p,
                              gpci_tag_access *access) {
    switch (p->request.kind) {
    case GPC_STORE:
        return pass_store(t, ctrl, packet, p, access);
    case GPC_ATOMIC:
    case GPC_REDUCTION:
        return pass_atomic(t, ctrl, packet, p, access);
    case GPCI_KIND_FENCE:
        gpci_fence_passed(t, packet);
        return GPCI_WAITING;
    default:
        return pass_load(t, ctrl, packet, p, access);
    }
}

/* Queue before the tags. `returns`: packets may return to the tags, before new ones. */
GPCI_INLINE gpci_queue *before_tags(const gpci_timed *t, gpci_ctrl *ctrl, bool returns, bool chooses) {
    if (returns && ctrl->returned.count)
        return &ctrl->returned;
    return chooses ? ctrl->intake->choose(t, ctrl) : &ctrl->in;
}

/* Blocks of a line for an instruction pass together, if possible. */
GPCI_INLINE bool tag_port(const gpci_timed *t, gpci_ctrl *ctrl, const gpci_packet *p) {
    const bool beside = p->flags & GPCI_PACKET_FOLLOWS && ctrl->tag_port.used &&
                        ctrl->tag_port.cycle == gpci_clock_own(ctrl->options->clock, t->wheel.now);
    return GPCI_UNLIKELY(beside) || gpci_ctrl_port(ctrl, t->wheel.now, gpci_packet_place(t, p));
}

typedef gpci_verdict (*pass_tags_fn)(gpci_timed *t, gpci_ctrl *ctrl, uint32_t packet, gpci_packet *p,
                                     gpci_tag_access *access);

/* Pass packets through the tags, as many as ports, banks and resources allow in this cycle. */
GPCI_INLINE void run_tags(gpci_timed *t, gpci_ctrl *ctrl, pass_tags_fn pass_tags, bool returns) {
    gpci_tag_access *access = &ctrl->tag_access[0];
    const bool chooses = GPCI_UNLIKELY(ctrl->intake != NULL) && ctrl->intake->choose;
    uint64_t now = t->wheel.now;
    if (gpci_ctrl_stuck(access))
        return;
    for (gpci_queue *queue; (queue = before_tags(t, ctrl, returns, chooses))->count && !gpci_replies_wait(ctrl);) {
        /* decided without reading the packet; in a tree a packet may pass beside the one before */
        if (gpci_data_is_full(ctrl, now) || (!returns && gpci_ctrl_ports_used(ctrl, now))) {
            gpci_wheel_wake(&t->wheel, ctrl->component, now + 1);
            return;
        }
        const uint32_t packet = queue->first;
        if (GPCI_UNLIKELY(t->issue_latency) && t->pool.links[packet].due > now) {
            gpci_wheel_wake(&t->wheel, ctrl->component, t->pool.links[packet].due);
            return;
        }
        gpci_packet *p = gpci_packet_at(&t->pool, packet);
        bool last = p->flags & GPCI_PACKET_LAST;
        if (!tag_port(t, ctrl, p)) {
            gpci_wheel_wake(&t->wheel, ctrl->component, now + 1);
            return;
        }
        const uint32_t next = gpci_tags_take(t, queue);
        gpci_verdict verdict = pass_tags(t, ctrl, packet, p, access);
        if (verdict == GPCI_BLOCKED) {
            gpci_tags_put_back(t, ctrl, queue, packet, next, access);
            return;
        }
        gpci_tags_passed(ctrl, queue, access, now);
        if (returns && queue == &ctrl->returned)
            continue;
        if (chooses)
            ctrl->intake->passed(t, ctrl);
        else if (last)
            gpci_ctrl_waited(ctrl, now);
    }
}

/* Send the first packet of the miss queue into the network, or let it wait for another SM's read. */
static void send_out(gpci_timed *t, gpci_ctrl *ctrl, uint32_t packet) {
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    if (GPCI_UNLIKELY(t->h->window.bytes != 0))
        p->priority = p->request.priority;
    if (gpci_parts_at(ctrl, GPCI_AT_LEAVE) && gpci_parts_leave(t, ctrl, packet))
        return;
    ctrl->below.packets += !(p->flags & GPCI_PACKET_POSTED);
    const uint32_t bytes = gpci_packet_payload(t, p);
    /* to the slice of the own partition */
    const uint32_t partition = t->h->sm_partition[ctrl->index],
                   slice = gpci_interleave_slice(&t->h->interleave, p->address, &p->path.inner);
    gpci_network_send(ctrl->networks.requests_out, ctrl->index, gpci_l2_slice(t->h, partition, slice),
                      t->header + bytes, packet);
}

typedef void (*send_fn)(gpci_timed *t, gpci_ctrl *ctrl, uint32_t packet);
typedef bool (*room_fn)(const gpci_timed *t, const gpci_ctrl *ctrl);

static bool has_room(const gpci_timed *t, const gpci_ctrl *ctrl) {
    if (GPCI_LIKELY(!ctrl->networks.requests_out->in_flits))
        return gpci_network_can_send(ctrl->networks.requests_out, ctrl->index);
    const gpci_packet *p = gpci_packet_at(&t->pool, ctrl->out.first);
    return gpci_network_takes(ctrl->networks.requests_out, ctrl->index, t->header + gpci_packet_payload(t, p));
}

/* True if the first packet has not reached the miss queue; L1 is then woken later. */
GPCI_INLINE bool is_under_way(gpci_timed *t, const gpci_ctrl *ctrl) {
    if (GPCI_LIKELY(!t->longest_way) || !ctrl->out.count)
        return false;
    const uint64_t due = t->pool.links[ctrl->out.first].due;
    if (due > t->wheel.now)
        gpci_wheel_wake(&t->wheel, ctrl->component, due);
    return due > t->wheel.now;
}

/* Send as much of the miss queue as the network accepts. */
GPCI_INLINE void run_out(gpci_timed *t, gpci_ctrl *ctrl, room_fn room, send_fn send) {
    uint64_t now = t->wheel.now;
    while (!is_under_way(t, ctrl) && ctrl->out.count && room(t, ctrl)) {
        uint32_t packet = gpci_queue_pop(&ctrl->out, &t->pool, now);
        gpci_ctrl_resource_freed(ctrl, GPC_BUSY_MISS_QUEUE);
        send(t, ctrl, packet);
    }
    if (ctrl->unsent.since != GPCI_NEVER) {
        ctrl->unsent.cycles += now - ctrl->unsent.since;
        ctrl->unsent.since = GPCI_NEVER;
    }
    if (ctrl->out.count && !is_under_way(t, ctrl))
        ctrl->unsent.since = now;
}

gpc_busy gpci_l1_busy(const gpci_ctrl *ctrl) {
    if (gpci_replies_wait(ctrl))
        return GPC_BUSY_REPLY;
    uint8_t reason = ctrl->tag_access[0].reason;
    if (reason == GPC_BUSY_MISS_QUEUE && ctrl->unsent.since != GPCI_NEVER)
        return GPC_BUSY_NETWORK;
    return reason == GPC_BUSY_NOT ? GPC_BUSY_PIPELINE : (gpc_busy)reason;
}

typedef void (*ctrl_fn)(gpci_timed *t, gpci_ctrl *ctrl);

/*
 * Step the part before the miss queue: replies, hits and packets at the tags; `fills` and `tags` depend on the class.
 */
GPCI_INLINE void step_above(gpci_timed *t, gpci_ctrl *ctrl, ctrl_fn fills, ctrl_fn tags) {
    if (gpci_replies_wait(ctrl))
        gpci_l1_run_replies(t, ctrl);
    gpci_parts_run(t, ctrl, GPCI_AT_ARRIVE);
    if (fills)
        fills(t, ctrl);
    if (ctrl->due.first != UINT32_MAX)
        gpci_l1_run_due(t, ctrl, &ctrl->due);
    if (GPCI_UNLIKELY(ctrl->filled.first != UINT32_MAX))
        gpci_l1_run_due(t, ctrl, &ctrl->filled);
    gpci_parts_run(t, ctrl, GPCI_AT_BEFORE_TAGS);
    tags(t, ctrl);
    gpci_parts_run(t, ctrl, GPCI_AT_AFTER_TAGS);
}

/* Step the miss queue, and notify waiters of free resources. */
GPCI_INLINE void step_below(gpci_timed *t, gpci_ctrl *ctrl, room_fn room, send_fn send) {
    const uint32_t sm = ctrl->index;
    gpci_parts_run(t, ctrl, GPCI_AT_GATHER);
    gpci_parts_run(t, ctrl, GPCI_AT_BELOW);
    if (ctrl->out.count || ctrl->unsent.since != GPCI_NEVER)
        run_out(t, ctrl, room, send);
    gpci_parts_run(t, ctrl, GPCI_AT_END);
    if (gpci_ctrl_may_retry(&ctrl->tag_access[0]) && !gpci_replies_wait(ctrl))
        gpci_wheel_wake(&t->wheel, ctrl->component, t->wheel.now + 1);
    if ((ctrl->sm.refused && gpci_l1_has_place(t, ctrl)) || (ctrl->sm.refused_miss && !gpci_queue_full(&ctrl->out)) ||
        (GPCI_UNLIKELY(ctrl->parts.refused != 0) && gpci_parts_have_room(ctrl))) {
        ctrl->sm.refused = ctrl->sm.refused_miss = false;
        ctrl->parts.refused = 0;
        if (t->front.ready)
            t->front.ready(t->front.user_data, sm);
        if (t->callbacks.on_ready)
            t->callbacks.on_ready(t->callbacks.user_data, sm);
    }
}

static void run_own_tags(gpci_timed *t, gpci_ctrl *ctrl) {
    run_tags(t, ctrl, pass, false);
}

static gpci_verdict pass_coherent(gpci_timed *t, gpci_ctrl *ctrl, uint32_t packet, gpci_packet *p,
                                  gpci_tag_access *access) {
    (void)p;
    return gpci_coherent_l1_pass(t, ctrl, packet, access);
}

static void run_coherent_tags(gpci_timed *t, gpci_ctrl *ctrl) {
    if (GPCI_UNLIKELY(ctrl->intake != NULL) && ctrl->intake->run)
        ctrl->intake->run(t, ctrl);
    else
        run_tags(t, ctrl, pass_coherent, true);
}

void gpci_l1_step(const gpci_group *group, uint32_t sm) {
    gpci_timed *t = group->timed;
    gpci_ctrl *ctrl = &t->l1[sm];
    if (gpci_is_behind(t, ctrl))
        return;
    if (GPCI_LIKELY(ctrl->ahead.passed_at != t->wheel.now))
        step_above(t, ctrl, gpci_l1_fills, run_own_tags);
    step_below(t, ctrl, has_room, send_out);
    if (t->ahead_limit && !gpci_sm_is_due(t, sm))
        gpci_run_ahead(t, sm);
}

bool gpci_l1_step_ahead(gpci_timed *t, gpci_ctrl *ctrl) {
    step_above(t, ctrl, NULL, run_own_tags);
    if (ctrl->out.count || gpci_parts_at(ctrl, GPCI_AT_GATHER)) {
        ctrl->ahead.passed_at = t->wheel.now;
        return false;
    }
    step_below(t, ctrl, has_room, send_out);
    return true;
}

void gpci_coherent_l1_step(const gpci_group *group, uint32_t sm) {
    gpci_timed *t = group->timed;
    gpci_ctrl *ctrl = &t->l1[sm];
    step_above(t, ctrl, gpci_coherent_l1_receive, run_coherent_tags);
    step_below(t, ctrl, gpci_coherent_l1_room, gpci_coherent_l1_send);
}
