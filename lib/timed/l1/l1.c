/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/check.h"
#include "level/rules/level_rules.h"
#include "timed/core/coherent.h"
#include "timed/core/gl1_ctrl.h"
#include "timed/core/mshr_table.h"
#include "timed/core/run_ahead.h"
#include "timed/core/timed.h"
#include "timed/ctrl/data_banks.h"
#include "timed/ctrl/l1_observe.h"
#include "timed/l1/l1_below.h"

/*
 * Memory pipeline and L1 of an SM: the way of every GPU. Features of some GPUs are parts, called at points
 * (ctrl_parts.h). Line transactions pass the tags in order. Hits leave through the data port. Misses go through the
 * miss queue into the request network. Packets of the reply network enter through the fill port.
 */

/* Tell the observer, if present, about a lookup (gpci_l1_observe_lookup). */
GPCI_INLINE void observe(gpci_timed *timed, const gpci_packet *pkt, const gpci_tag_access *access, uint8_t hits) {
    if (GPCI_UNLIKELY(timed->hierarchy->observer != NULL))
        gpci_l1_observe_lookup(timed, pkt, access, hits);
}

/* Count the lookup of a load. Sectors in flight count as hits, as in hardware counters. */
static void count_lookup(gpci_timed *timed, gpci_ctrl *ctrl, gpci_packet *pkt, const gpci_tag_access *access) {
    uint8_t hit = pkt->segments & (timed->hierarchy->l1_level.segments_of[access->result.hit_sectors] | access->flying);
    bool all_hit = hit == pkt->segments;
    pkt->line.missed = pkt->segments & (uint8_t)~hit;
    gpci_log_lookup(timed, ctrl, pkt, access);
    if (timed->front.cache_event)
        gpci_l1_notify_scheduler(timed, ctrl->index, pkt, all_hit);
    observe(timed, pkt, access, hit);
    if (pkt->request.kind != GPC_LOAD)
        return;
    gpci_count_l1_found(timed->hierarchy, &pkt->request, gpci_count_sectors(hit),
                        gpci_count_sectors(access->flying & pkt->segments));
    gpci_count_l1_load_line(timed->hierarchy, ctrl->index, pkt->request.warp_age, all_hit);
    gpci_count_token(timed->hierarchy, &pkt->request, !all_hit);
    if (gpci_parts_at(ctrl, GPCI_AT_LOOKED))
        gpci_parts_looked(timed, ctrl, pkt, access, all_hit);
}

#ifdef GPCI_CHECK
static void count_again(gpci_timed *timed, const gpci_packet *pkt, const gpci_tag_access *access) {
    if (pkt->request.kind == GPC_LOAD)
        gpci_count_load_again(timed->hierarchy, pkt->request.sm, gpci_count_sectors(pkt->segments),
                              gpci_count_sectors(pkt->line.missed), gpci_count_sectors(pkt->segments & access->flying));
    gpci_count_token_again(timed->hierarchy, &pkt->request, pkt->line.missed);
}
#endif

void gpci_l1_serve(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet) {
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    gpci_inflight *access = &timed->inflights[pkt->line.inflight];
    uint64_t due = gpci_data_take(timed, ctrl, pkt);
    access->due = access->due > due ? access->due : due;
    gpci_log_hit(timed, ctrl, pkt, due);
    gpci_l1_release_line(timed, pkt->line.inflight, 1);
    gpci_pool_give(&timed->pool, packet);
}

const gpci_ctrl_rules gpci_l1_ctrl = {.own_lines = true,
                                      .loads_go = true,
                                      .send = gpci_l1_send_fetch,
                                      .evicted = gpci_l1_evicted,
                                      .released = gpci_l1_release,
                                      .on_stall = gpci_l1_on_stall,
                                      .on_not_allocated = gpci_l1_not_kept};

/*
 * Called after each try of a bypassing load to pass L1's tags (`first`: the first try). While the load is held up, its
 * bypass is open, as it is later while the fetch is in flight.
 */
static GPCI_NOINLINE void hold_bypass(const gpci_timed *timed, const gpci_ctrl *ctrl, bool first,
                                      gpci_verdict verdict) {
    if (!ctrl->cache->predictor_ops->on_reply)
        return;
    if (first && verdict == GPCI_BLOCKED)
        gpci_open_l1_bypass(timed->hierarchy, ctrl->index);
    if (!first && verdict != GPCI_BLOCKED)
        gpci_close_l1_bypass(timed->hierarchy, ctrl->index);
}

/*
 * Send a load past L1 without joining the line's fetch: with l1.bypass_mshrs = false, or because the fetch may bring
 * data older than the line's last change.
 */
static gpci_verdict send_alone(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet, gpci_tag_access *access) {
    const gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    access->fresh = false; /* the entry may be gone when the load has its turn again */
    if (gpci_queue_full(&ctrl->out))
        return gpci_ctrl_block(ctrl, access, timed->wheel.now, GPC_BUSY_MISS_QUEUE);
    gpci_log_event(timed, GPC_WHAT_FETCH, ctrl, pkt, 0);
    gpci_count_l1_sent(timed->hierarchy, &pkt->request, pkt->segments);
    gpci_count_l1_bypass(timed->hierarchy, ctrl->index, pkt->segments);
    gpci_l1_send_itself(timed, ctrl, packet, GPCI_READ);
    return GPCI_WAITING;
}

static gpci_verdict pass_load(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet, gpci_packet *pkt,
                              gpci_tag_access *access) {
    if (!gpci_l1_of(timed->hierarchy, &pkt->request)) {
        if (gpci_queue_full(&ctrl->out))
            return gpci_ctrl_block(ctrl, access, timed->wheel.now, GPC_BUSY_MISS_QUEUE);
        if (pkt->request.kind == GPC_LOAD)
            gpci_count_l1_load_line(timed->hierarchy, ctrl->index, 0, false);
        observe(timed, pkt, NULL, 0);
        pkt->line.missed = pkt->segments;
        gpci_l1_send_itself(timed, ctrl, packet, GPCI_READ);
        return GPCI_WAITING;
    }
    const bool first = !access->looked;
    if (first)
        gpci_ctrl_look(timed, ctrl, pkt, access);
    const bool bypassed = access->result.outcome == GPC_BYPASSED,
               alone = bypassed &&
                       GPCI_UNLIKELY((timed->bypass_alone && !access->declined) ||
                                     (gpci_reads_anew(&pkt->request) && gpci_changes_forbid(timed, ctrl, pkt, access)));
    if (first) {
        access->flying = alone ? 0 : access->flying;
        count_lookup(timed, ctrl, pkt, access);
        GPCI_AGAIN(count_again(timed, pkt, access));
    }
    gpci_verdict verdict = GPCI_UNLIKELY(alone) ? send_alone(timed, ctrl, packet, access)
                                                : gpci_ctrl_settle(timed, ctrl, packet, access, false);
    if (GPCI_UNLIKELY(bypassed))
        hold_bypass(timed, ctrl, first, verdict);
    if (verdict == GPCI_SERVED)
        gpci_l1_serve(timed, ctrl, packet);
    return verdict;
}

/* Write a store's bytes below: by the packet itself, or by a copy if the packet waits for a fetch. */
static void write_through(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet, const gpc_access_result *result,
                          gpci_verdict verdict) {
    if (verdict == GPCI_WAITING) {
        uint32_t inflight = gpci_packet_at(&timed->pool, packet)->line.inflight;
        timed->inflights[inflight].left++;
        packet = gpci_l1_copy(timed, packet, GPCI_WRITE);
        gpci_packet_at(&timed->pool, packet)->line.inflight = inflight;
        gpci_log_copy(timed, ctrl, packet);
    }
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    pkt->bytes[0] = result->write_bytes[0];
    pkt->bytes[1] = result->write_bytes[1];
    pkt->segments = gpci_segments_of(pkt->bytes);
    pkt->request.policy.policy_word = result->policy_word;
    gpci_l1_send_itself(timed, ctrl, packet, GPCI_WRITE);
}

static gpci_verdict pass_store(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet, gpci_packet *pkt,
                               gpci_tag_access *access) {
    if (gpci_queue_full(&ctrl->out))
        return gpci_ctrl_block(ctrl, access, timed->wheel.now, GPC_BUSY_MISS_QUEUE);
    gpc_access_result *result = &access->result;
    if (!gpci_l1_for(timed->hierarchy, pkt->request.sm, pkt->request.space)) {
        gpci_data_take(timed, ctrl, pkt);
        gpci_l1_send_itself(timed, ctrl, packet, GPCI_WRITE);
        return GPCI_WAITING;
    }
    if (!access->looked) {
        gpci_ctrl_look(timed, ctrl, pkt, access);
        gpci_log_lookup(timed, ctrl, pkt, access);
        observe(timed, pkt, access, 0);
        gpci_count_l1_store(
            timed->hierarchy, ctrl->index,
            gpci_count_sectors(timed->hierarchy->l1_level.segments_of[result->hit_sectors] & pkt->segments));
        GPCI_AGAIN(timed->hierarchy->of_sm[ctrl->index].again.l1_store_sector_hits += gpci_count_sectors(
                       timed->hierarchy->l1_level.segments_of[gpci_examine(&access->view, ctrl->cache->seen).hit] &
                       pkt->segments));
        if (result->evicted)
            gpci_ctrl_evicted(timed, ctrl, pkt, &result->eviction);
    }
    gpci_verdict verdict = gpci_ctrl_settle(timed, ctrl, packet, access, false);
    if (verdict == GPCI_BLOCKED)
        return verdict;
    if (result->write_sectors) {
        gpci_data_take(timed, ctrl, pkt);
        write_through(timed, ctrl, packet, result, verdict);
    } else if (verdict == GPCI_SERVED) {
        gpci_l1_serve(timed, ctrl, packet);
    }
    return verdict;
}

/* Pass an atomic through the tags. L2 performs the atomic; L1 only drops its copy of the line. */
static gpci_verdict pass_atomic(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet, gpci_packet *pkt,
                                gpci_tag_access *access) {
    if (gpci_queue_full(&ctrl->out))
        return gpci_ctrl_block(ctrl, access, timed->wheel.now, GPC_BUSY_MISS_QUEUE);
    if (gpci_l1_for(timed->hierarchy, pkt->request.sm, pkt->request.space)) {
        gpci_ctrl_look(timed, ctrl, pkt, access);
        gpci_log_lookup(timed, ctrl, pkt, access);
        observe(timed, pkt, access, 0);
        if (access->result.evicted)
            gpci_ctrl_evicted(timed, ctrl, pkt, &access->result.eviction);
        gpci_ctrl_outdate(timed, ctrl, pkt->request.address, pkt->segments); /* replies on the way may be older */
    }
    gpci_l1_send_itself(timed, ctrl, packet, GPCI_ATOMIC);
    return GPCI_WAITING;
}

GPCI_INLINE gpci_verdict pass(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet, gpci_packet *pkt,
                              gpci_tag_access *access) {
    switch (pkt->request.kind) {
    case GPC_STORE:
        return pass_store(timed, ctrl, packet, pkt, access);
    case GPC_ATOMIC:
    case GPC_REDUCTION:
        return pass_atomic(timed, ctrl, packet, pkt, access);
    case GPCI_KIND_FENCE:
        gpci_fence_passed(timed, packet);
        return GPCI_WAITING;
    default:
        return pass_load(timed, ctrl, packet, pkt, access);
    }
}

/* True if so many data wait for the data port, or the data banks, that the tags stop. */
GPCI_INLINE bool data_wait(const gpci_ctrl *ctrl, uint64_t now) {
    return GPCI_UNLIKELY(gpci_part_is_there(ctrl, GPCI_PART_DATA_BANKS))
               ? gpci_data_is_full(ctrl, now)
               : ctrl->data.free > now + ctrl->options->latency;
}

/* Queue before the tags. `returns`: packets may return to the tags, before new ones. */
GPCI_INLINE gpci_queue *before_tags(const gpci_timed *timed, gpci_ctrl *ctrl, bool returns, bool chooses) {
    if (returns && ctrl->returned.count)
        return &ctrl->returned;
    return chooses ? ctrl->intake->choose(timed, ctrl) : &ctrl->in;
}

/* Take a tag port. A block that follows a block of the same line needs no further port in the same cycle. */
GPCI_INLINE bool tag_port(const gpci_timed *timed, gpci_ctrl *ctrl, const gpci_packet *pkt) {
    const bool follows = pkt->flags & GPCI_PACKET_FOLLOWS && ctrl->tag_port.used &&
                         ctrl->tag_port.cycle == gpci_clock_own(ctrl->options->clock, timed->wheel.now);
    return GPCI_UNLIKELY(follows) || gpci_ctrl_port(ctrl, timed->wheel.now, gpci_packet_place(timed, pkt));
}

typedef gpci_verdict (*pass_tags_fn)(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet, gpci_packet *pkt,
                                     gpci_tag_access *access);

/* Pass packets through the tags, as many as ports, banks and resources allow in this cycle. */
GPCI_INLINE void run_tags(gpci_timed *timed, gpci_ctrl *ctrl, pass_tags_fn pass_tags, bool returns) {
    gpci_tag_access *access = &ctrl->tag_access[0];
    const bool chooses = GPCI_UNLIKELY(ctrl->intake != NULL) && ctrl->intake->choose;
    uint64_t now = timed->wheel.now;
    if (gpci_ctrl_stuck(access))
        return;
    for (gpci_queue *queue; (queue = before_tags(timed, ctrl, returns, chooses))->count && !gpci_replies_wait(ctrl);) {
        /* tested before the packet is read; in a tree, a packet may still pass together with the packet before */
        if (data_wait(ctrl, now) || (!returns && gpci_ctrl_ports_used(ctrl, now))) {
            gpci_wheel_wake(&timed->wheel, ctrl->component, now + 1);
            return;
        }
        const uint32_t packet = queue->first;
        if (GPCI_UNLIKELY(timed->issue_latency) && timed->pool.links[packet].due > now) {
            gpci_wheel_wake(&timed->wheel, ctrl->component, timed->pool.links[packet].due);
            return;
        }
        gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
        bool last = pkt->flags & GPCI_PACKET_LAST;
        if (!tag_port(timed, ctrl, pkt)) {
            gpci_wheel_wake(&timed->wheel, ctrl->component, now + 1);
            return;
        }
        const uint32_t next = gpci_tags_take(timed, queue);
        gpci_verdict verdict = pass_tags(timed, ctrl, packet, pkt, access);
        if (verdict == GPCI_BLOCKED) {
            gpci_tags_put_back(timed, ctrl, queue, packet, next, access);
            return;
        }
        gpci_tags_passed(ctrl, queue, access, now);
        if (returns && queue == &ctrl->returned)
            continue;
        if (chooses)
            ctrl->intake->passed(timed, ctrl);
        else if (last)
            gpci_ctrl_waited(ctrl, now);
    }
}

/* Send the first packet of the miss queue into the network, or let it wait for another SM's read. */
static void send_out(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet) {
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    pkt->priority = pkt->request.priority; /* L2 may change `request.priority` */
    if (gpci_parts_at(ctrl, GPCI_AT_LEAVE) && gpci_parts_leave(timed, ctrl, packet))
        return;
    ctrl->below.packets += !(pkt->flags & GPCI_PACKET_POSTED);
    const uint32_t bytes = gpci_packet_payload(timed, pkt);
    /* to the slice in the SM's own partition */
    const uint32_t partition = timed->hierarchy->sm_partition[ctrl->index],
                   slice = gpci_interleave_slice(&timed->hierarchy->interleave, pkt->address, &pkt->path.inner);
    gpci_network_send(ctrl->networks.requests_out, ctrl->index, gpci_l2_slice(timed->hierarchy, partition, slice),
                      timed->header + bytes, packet);
}

typedef void (*send_fn)(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet);
typedef bool (*room_fn)(const gpci_timed *timed, const gpci_ctrl *ctrl);

static bool has_room(const gpci_timed *timed, const gpci_ctrl *ctrl) {
    if (GPCI_LIKELY(!gpci_network_in_flits(ctrl->networks.requests_out)))
        return gpci_network_can_send(ctrl->networks.requests_out, ctrl->index);
    const gpci_packet *pkt = gpci_packet_at(&timed->pool, ctrl->out.first);
    return gpci_network_takes(ctrl->networks.requests_out, ctrl->index,
                              timed->header + gpci_packet_payload(timed, pkt));
}

/* True if the first packet has not reached the miss queue, or the queue has just sent; L1 is then woken later. */
GPCI_INLINE bool is_under_way(gpci_timed *timed, const gpci_ctrl *ctrl) {
    if (GPCI_LIKELY(!timed->longest_way && !timed->miss_interval) || !ctrl->out.count)
        return false;
    const uint64_t there = timed->pool.links[ctrl->out.first].due,
                   due = there > ctrl->sends_from ? there : ctrl->sends_from;
    if (due > timed->wheel.now)
        gpci_wheel_wake(&timed->wheel, ctrl->component, due);
    return due > timed->wheel.now;
}

/* Send as much of the miss queue as the network accepts. */
GPCI_INLINE void run_out(gpci_timed *timed, gpci_ctrl *ctrl, room_fn room, send_fn send) {
    uint64_t now = timed->wheel.now;
    while (!is_under_way(timed, ctrl) && ctrl->out.count && room(timed, ctrl)) {
        uint32_t packet = gpci_queue_pop(&ctrl->out, &timed->pool, now);
        gpci_ctrl_resource_freed(ctrl, GPC_BUSY_MISS_QUEUE);
        ctrl->sends_from = now + timed->miss_interval;
        send(timed, ctrl, packet);
    }
    if (ctrl->unsent.since != GPCI_NEVER) {
        ctrl->unsent.cycles += now - ctrl->unsent.since;
        GPCI_AGAIN(ctrl->counts.unsent_again += now);
        ctrl->unsent.since = GPCI_NEVER;
    }
    if (ctrl->out.count && !is_under_way(timed, ctrl)) {
        ctrl->unsent.since = now;
        GPCI_AGAIN(ctrl->counts.unsent_again -= now);
    }
}

gpc_busy gpci_l1_busy(const gpci_ctrl *ctrl) {
    if (gpci_replies_wait(ctrl))
        return GPC_BUSY_REPLY;
    uint8_t reason = ctrl->tag_access[0].reason;
    if (reason == GPC_BUSY_MISS_QUEUE && ctrl->unsent.since != GPCI_NEVER)
        return GPC_BUSY_NETWORK;
    return reason == GPC_BUSY_NOT ? GPC_BUSY_PIPELINE : (gpc_busy)reason;
}

typedef void (*ctrl_fn)(gpci_timed *timed, gpci_ctrl *ctrl);

/*
 * Step the part before the miss queue: replies, hits and packets at the tags; `fills` and `tags` depend on the class.
 */
GPCI_INLINE void step_above(gpci_timed *timed, gpci_ctrl *ctrl, ctrl_fn fills, ctrl_fn tags) {
    if (gpci_replies_wait(ctrl))
        gpci_l1_run_replies(timed, ctrl);
    gpci_parts_run(timed, ctrl, GPCI_AT_ARRIVE);
    if (fills)
        fills(timed, ctrl);
    if (ctrl->due.first != UINT32_MAX)
        gpci_l1_run_due(timed, ctrl, &ctrl->due);
    if (GPCI_UNLIKELY(ctrl->filled.first != UINT32_MAX))
        gpci_l1_run_due(timed, ctrl, &ctrl->filled);
    gpci_parts_run(timed, ctrl, GPCI_AT_BEFORE_TAGS);
    tags(timed, ctrl);
    gpci_parts_run(timed, ctrl, GPCI_AT_AFTER_TAGS);
}

/* Step the miss queue, and notify waiters of free resources. */
GPCI_INLINE void step_below(gpci_timed *timed, gpci_ctrl *ctrl, room_fn room, send_fn send) {
    const uint32_t sm = ctrl->index;
    gpci_parts_run(timed, ctrl, GPCI_AT_GATHER);
    gpci_parts_run(timed, ctrl, GPCI_AT_BELOW);
    if (ctrl->out.count || ctrl->unsent.since != GPCI_NEVER)
        run_out(timed, ctrl, room, send);
    gpci_parts_run(timed, ctrl, GPCI_AT_END);
    if (gpci_ctrl_may_retry(&ctrl->tag_access[0]) && !gpci_replies_wait(ctrl))
        gpci_wheel_wake(&timed->wheel, ctrl->component, timed->wheel.now + 1);
    if ((ctrl->sm.refused && gpci_l1_has_place(timed, ctrl)) ||
        (ctrl->sm.refused_miss && !gpci_queue_full(&ctrl->out)) ||
        (GPCI_UNLIKELY(ctrl->parts.refused != 0) && gpci_parts_have_room(ctrl))) {
        ctrl->sm.refused = ctrl->sm.refused_miss = false;
        ctrl->parts.refused = 0;
        if (timed->front.ready)
            timed->front.ready(timed->front.user_data, sm);
        if (timed->callbacks.on_ready)
            timed->callbacks.on_ready(timed->callbacks.user_data, sm);
    }
}

static void run_own_tags(gpci_timed *timed, gpci_ctrl *ctrl) {
    run_tags(timed, ctrl, pass, false);
}

static gpci_verdict pass_coherent(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet, gpci_packet *pkt,
                                  gpci_tag_access *access) {
    (void)pkt;
    return gpci_coherent_l1_pass(timed, ctrl, packet, access);
}

static void run_coherent_tags(gpci_timed *timed, gpci_ctrl *ctrl) {
    if (GPCI_UNLIKELY(ctrl->intake != NULL) && ctrl->intake->run)
        ctrl->intake->run(timed, ctrl);
    else
        run_tags(timed, ctrl, pass_coherent, true);
}

void gpci_l1_step(const gpci_group *group, uint32_t sm) {
    gpci_timed *timed = group->timed;
    gpci_ctrl *ctrl = &timed->l1[sm];
    if (gpci_is_behind(timed, ctrl))
        return;
    if (GPCI_LIKELY(ctrl->ahead.passed_at != timed->wheel.now))
        step_above(timed, ctrl, gpci_l1_fills, run_own_tags);
    step_below(timed, ctrl, has_room, send_out);
    if (timed->ahead_limit && !gpci_sm_is_due(timed, sm))
        gpci_run_ahead(timed, sm);
}

void gpci_l1_gl1_step(const gpci_group *group, uint32_t sm) {
    gpci_timed *timed = group->timed;
    gpci_ctrl *ctrl = &timed->l1[sm];
    step_above(timed, ctrl, gpci_l1_fills, run_own_tags);
    step_below(timed, ctrl, gpci_gl1_has_room, send_out);
}

bool gpci_l1_step_ahead(gpci_timed *timed, gpci_ctrl *ctrl) {
    step_above(timed, ctrl, NULL, run_own_tags);
    if (ctrl->out.count || gpci_parts_at(ctrl, GPCI_AT_GATHER)) {
        ctrl->ahead.passed_at = timed->wheel.now;
        return false;
    }
    step_below(timed, ctrl, has_room, send_out);
    return true;
}

void gpci_coherent_l1_step(const gpci_group *group, uint32_t sm) {
    gpci_timed *timed = group->timed;
    gpci_ctrl *ctrl = &timed->l1[sm];
    step_above(timed, ctrl, gpci_coherent_l1_receive, run_coherent_tags);
    step_below(timed, ctrl, gpci_coherent_l1_room, gpci_coherent_l1_send);
}

/* Third pass of gpci_l1_expect: prefetch the place of a hit or victim, and the in-flight access of a reply. */
static void expect_last(const gpci_timed *timed, const gpci_ctrl *ctrl, uint32_t reply) {
    if (ctrl->in.count && ctrl->cache)
        gpci_sw_prefetch_place(ctrl->cache, gpci_packet_at(&timed->pool, ctrl->in.first)->address);
    if (reply == GPCI_NO_PACKET)
        return;
    const gpci_packet *pkt = gpci_packet_at(&timed->pool, reply), *target = pkt;
    if (pkt->flags & GPCI_PACKET_FETCH) {
        target = gpci_packet_at(&timed->pool, pkt->line.mshr_target);
        if (target->mshr.slot != UINT32_MAX)
            gpci_sw_prefetch_slot(ctrl->cache, target->mshr.slot);
    }
    if (target->line.inflight != UINT32_MAX)
        GPCI_PREFETCH(&timed->inflights[target->line.inflight]);
}

void gpci_l1_expect(const gpci_group *group, uint32_t sm, unsigned pass) {
    const gpci_timed *timed = group->timed;
    const gpci_ctrl *ctrl = &timed->l1[sm];
    uint32_t reply = gpci_network_peek(ctrl->networks.replies_in, sm);
    if (pass == 0) {
        if (reply != GPCI_NO_PACKET)
            gpci_sw_prefetch_packet(timed, reply);
        if (ctrl->due.first != UINT32_MAX)
            GPCI_PREFETCH(&timed->inflights[ctrl->due.first]);
        if (ctrl->in.count) {
            gpci_sw_prefetch_link(&timed->pool, ctrl->in.first);
            gpci_sw_prefetch_packet(timed, ctrl->in.first);
        }
        return;
    }
    if (pass == 2) {
        expect_last(timed, ctrl, reply);
        return;
    }
    if (ctrl->in.count)
        gpci_ctrl_sw_prefetch(ctrl, gpci_packet_at(&timed->pool, ctrl->in.first)->address);
    if (reply == GPCI_NO_PACKET)
        return;
    const gpci_packet *pkt = gpci_packet_at(&timed->pool, reply);
    gpci_ctrl_sw_prefetch_fill(ctrl, pkt->address);
    if (!(pkt->flags & GPCI_PACKET_FETCH))
        return;
    GPCI_PREFETCH(gpci_packet_at(&timed->pool, pkt->line.mshr_target)); /* a waiter has only the first cache line */
    if (gpci_lrc_of(ctrl))
        gpci_lrc_expect(gpci_lrc_of(ctrl), sm, pkt->address);
}
