/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/rules/level_rules.h"
#include "timed/core/timed.h"
#include "timed/ctrl/atomic_unit.h"
#include "timed/l1/multicast.h"
#include "timed/l2/l2_send.h"

/*
 * An L2 slice: packets of SMs, and of the peer slice in the other partition. level/rules/level_rules.h says how a
 * packet is handled; this file, when.
 */

static uint32_t peer_of(const gpci_timed *timed, const gpci_ctrl *ctrl) {
    return gpci_l2_peer(timed->hierarchy, ctrl->index);
}

static bool is_remote(const gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_packet *pkt) {
    return ctrl->networks.peer_requests && !gpci_l2_is_home(timed->hierarchy, ctrl->index, pkt->address);
}

static bool has_reply(const gpci_packet *pkt) {
    return !(pkt->flags & GPCI_PACKET_POSTED);
}

/* Bytes of a reply: an atomic returns the values found; a store and a reduction are only acknowledged. */
static uint32_t reply_bytes(const gpci_packet *pkt) {
    return pkt->type == GPCI_WRITE || pkt->request.kind == GPC_REDUCTION ? 0 : gpci_packet_bytes(pkt);
}

/* Queue of a packet's reply; the atomic unit, if present, has a queue for its replies. */
GPCI_INLINE gpci_queue *reply_queue(gpci_ctrl *ctrl, const gpci_packet *pkt) {
    return GPCI_UNLIKELY(pkt->type == GPCI_ATOMIC) ? gpci_atomic_replies(ctrl) : &ctrl->served;
}

/* A packet is served: return it as the reply once the data are out of the port. A reduction replies, too. */
GPCI_INLINE void serve(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet, gpci_packet *pkt, uint8_t level) {
    if (!has_reply(pkt)) {
        gpci_pool_give(&timed->pool, packet);
        return;
    }
    uint32_t bytes = pkt->type == GPCI_WRITE ? 0 : gpci_packet_bytes(pkt);
    gpci_queue *queue = reply_queue(ctrl, pkt);
    uint64_t due = gpci_ctrl_data(ctrl, timed->wheel.now, bytes);
    if (queue != &ctrl->served) {
        const uint64_t performed = gpci_atomic_perform(ctrl, timed->wheel.now, pkt->turns);
        due = performed > due ? performed : due;
    }
    pkt->level = level;
    gpci_log_event(timed, GPC_WHAT_SERVE, ctrl, pkt, due);
    if (pkt->type == GPCI_READ)
        pkt->request.policy.policy_word = gpc_cache_respond(ctrl->cache, &pkt->request); /* 0 without a cache */
    pkt->path.size = timed->header + reply_bytes(pkt);
    pkt->type = GPCI_REPLY;
    timed->pool.links[packet].due = due;
    gpci_queue_push(queue, &timed->pool, timed->wheel.now, packet);
    if (queue->count == 1) /* otherwise the slice wakes earlier, for the packet ahead */
        gpci_wheel_wake(&timed->wheel, ctrl->component, due);
}

/* A packet waiting at an MSHR entry has data now. */
static void released(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet, uint8_t level) {
    serve(timed, ctrl, packet, gpci_packet_at(&timed->pool, packet), level);
}

const gpci_ctrl_rules gpci_l2_ctrl = {.send = gpci_l2_send_fetch,
                                      .evicted = gpci_l2_evicted,
                                      .released = released,
                                      .on_stall = gpci_ctrl_wait,
                                      .on_not_allocated = gpci_ctrl_notify_none};

/* Count a read. Sectors hit if valid or in flight, as hardware counts. The prefetcher sees all reads. */
static void count_read(gpci_timed *timed, gpci_ctrl *ctrl, const gpci_packet *pkt, unsigned shift,
                       const gpci_tag_access *access) {
    const uint32_t slice = ctrl->index;
    uint8_t flying = timed->hierarchy->l2_level.sectors_of[access->flying], hits = access->result.hit_sectors | flying;
    const uint32_t sectors = gpci_count_sectors(pkt->segments),
                   found = gpci_count_sectors(gpci_l2_segments(timed->hierarchy, shift, hits, pkt->segments));
    gpci_count_l2_read(timed->hierarchy, slice, sectors, found);
    gpci_count_l2_persisting(timed->hierarchy, slice, pkt->request.priority, sectors, found);
    gpci_stream_l2_read(timed->hierarchy, slice, &pkt->request, sectors, found);
    if (GPCI_UNLIKELY(pkt->request.space > GPC_SPACE_LOCAL))
        gpci_count_l2_read_only(timed->hierarchy, slice, (gpc_space)pkt->request.space, sectors, found);
    if (gpci_parts_at(ctrl, GPCI_AT_LOOKED))
        gpci_parts_looked(timed, ctrl, pkt, access, found == sectors);
    if (!flying)
        return;
    uint32_t pending = gpci_count_sectors(gpci_l2_segments(timed->hierarchy, shift, flying, pkt->segments));
    gpci_count_l2_pending(timed->hierarchy, slice, pending);
    if (gpci_packet_at(&timed->pool, access->mshr_entry)->request.sm != pkt->request.sm)
        gpci_count_l2_merge(timed->hierarchy, slice, pending);
    else
        GPCI_AGAIN(ctrl->counts.own_pending_again += pending);
}

/* Change the packet's request to a request for the slice's cache. The peer slice has already changed its reads. */
static unsigned prepare(gpci_timed *timed, gpci_packet *pkt) {
    if (pkt->type == GPCI_READ && pkt->flags & GPCI_PACKET_LINK) {
        pkt->request.policy.token = pkt->request.policy.token_l2;
        return 0;
    }
    const gpci_l2_place place = {.inner = pkt->path.inner, .shift = gpci_l2_shift(timed->hierarchy, pkt->address)};
    gpci_l2_window(timed->hierarchy, pkt->address, &pkt->request);
    if (pkt->type == GPCI_WRITE)
        gpci_l2_ask_write(timed->hierarchy, &place, pkt->bytes, pkt->segments, &pkt->request);
    else
        gpci_l2_ask(timed->hierarchy, &place, pkt->segments, &pkt->request);
    return place.shift;
}

/*
 * A write or atomic is passed on to the home slice: drop the copy of the line here, and let no read join a fetch in
 * flight. Later reads then follow the write to the home slice; otherwise a load of the write's SM could miss the write.
 * If L1 has the bytes of the SM's stores, a store drops nothing; L1 never has results of atomics.
 */
static void drop_near(gpci_timed *timed, gpci_ctrl *ctrl, const gpci_packet *pkt) {
    if (pkt->type == GPCI_WRITE && gpci_l1_for(timed->hierarchy, pkt->request.sm, pkt->request.space))
        return;
    const uint64_t line = gpci_l2_line(timed, pkt->path.inner);
    const uint8_t segments = (uint8_t)(pkt->segments << gpci_l2_shift(timed->hierarchy, pkt->address));
    gpci_log_dropped(timed->hierarchy, ctrl->cache, GPC_COMPONENT_L2, ctrl->index, line, pkt->address);
    gpc_cache_invalidate_line(ctrl->cache, line, NULL);
    gpci_ctrl_outdate(timed, ctrl, line, segments);
}

/* Send a write or an atomic of a line homed in the other partition to the peer slice. */
static gpci_verdict pass_on(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet, gpci_tag_access *access) {
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    if (gpci_queue_full(&ctrl->link))
        return gpci_ctrl_block(ctrl, access, timed->wheel.now, GPC_BUSY_MISS_QUEUE);
    drop_near(timed, ctrl, pkt);
    pkt->flags |= GPCI_PACKET_LINK;
    gpci_count_l2_remote(timed->hierarchy, ctrl->index, gpci_count_sectors(pkt->segments));
    gpci_log_event(timed, GPC_WHAT_QUEUE, ctrl, pkt, 0);
    gpci_queue_push(&ctrl->link, &timed->pool, timed->wheel.now, packet);
    return GPCI_WAITING;
}

/* Without a cache all packets go to memory. An atomic reads and writes. */
static gpci_verdict pass_uncached(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet, gpci_tag_access *access) {
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    if (gpci_queue_full(&ctrl->out))
        return gpci_ctrl_block(ctrl, access, timed->wheel.now, GPC_BUSY_MISS_QUEUE);
    uint8_t segments = (uint8_t)(pkt->segments << gpci_l2_shift(timed->hierarchy, pkt->address));
    pkt->request.address = pkt->path.inner;
    if (pkt->type != GPCI_READ) {
        gpci_parts_change(timed, ctrl, pkt->path.inner);
        gpci_l2_write_memory(timed, ctrl, gpci_l2_line(timed, pkt->path.inner), segments);
    }
    if (pkt->type == GPCI_WRITE) {
        serve(timed, ctrl, packet, pkt, 3);
        return GPCI_SERVED;
    }
    gpci_l2_count_memory_read(timed->hierarchy, ctrl->index, pkt);
    gpci_log_event(timed, GPC_WHAT_QUEUE, ctrl, pkt, 0);
    gpci_queue_push(&ctrl->out, &timed->pool, timed->wheel.now, packet);
    return GPCI_WAITING;
}

/* A line changes in the home slice: drop a copy in the other partition, and mark reads in flight there as outdated. */
static void change(gpci_timed *timed, gpci_ctrl *ctrl, const gpci_packet *pkt, unsigned shift) {
    gpci_parts_change(timed, ctrl, pkt->request.address);
    gpci_l2_drop_copy(timed->hierarchy, ctrl->index, pkt->request.address, pkt->address);
    if (ctrl->networks.peer_requests)
        gpci_ctrl_outdate(timed, &timed->l2[peer_of(timed, ctrl)], pkt->request.address,
                          (uint8_t)(pkt->segments << shift));
}

#ifdef GPCI_CHECK
/* Count a read again by space and by priority: the sectors that the slice need not fetch are hits. */
static void count_again(gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_packet *pkt, unsigned shift,
                        const gpci_tag_access *access) {
    gpc_stats *stats = &timed->hierarchy->of_slice[ctrl->index].again;
    const uint8_t flying = timed->hierarchy->l2_level.sectors_of[access->flying];
    const uint32_t sectors = gpci_count_sectors(pkt->segments);
    const uint32_t hits = gpci_count_sectors(
        gpci_l2_segments(timed->hierarchy, shift, access->result.hit_sectors | flying, pkt->segments));
    uint64_t *of[] = {&stats->l2_constant_read_sectors, &stats->l2_texture_read_sectors,
                      &stats->l2_instruction_read_sectors},
             *found[] = {&stats->l2_constant_read_sector_hits, &stats->l2_texture_read_sector_hits,
                         &stats->l2_instruction_read_sector_hits};
    const unsigned space = pkt->request.space == GPC_SPACE_CONSTANT  ? 0
                           : pkt->request.space == GPC_SPACE_TEXTURE ? 1
                                                                     : 2;
    stats->l2_read_sector_hits += hits;
    stats->l2_pending_sector_hits +=
        gpci_count_sectors(gpci_l2_segments(timed->hierarchy, shift, flying, pkt->segments));
    if (pkt->request.space > GPC_SPACE_LOCAL) {
        *of[space] += sectors;
        *found[space] += hits;
    }
    if (pkt->request.priority == GPC_EVICT_LAST) {
        stats->l2_persisting_sectors += sectors;
        stats->l2_persisting_sector_hits += hits;
    }
}
#endif

static gpci_verdict pass(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet, gpci_packet *pkt, gpci_tag_access *access,
                         bool remote) {
    gpc_access_result *result = &access->result;
    if (!ctrl->cache)
        return pass_uncached(timed, ctrl, packet, access);
    if (has_reply(pkt) && gpci_queue_full(reply_queue(ctrl, pkt)) && !(pkt->flags & GPCI_PACKET_LINK))
        return gpci_ctrl_block(ctrl, access, timed->wheel.now, GPC_BUSY_NETWORK);
    if (remote && pkt->type != GPCI_READ)
        return pass_on(timed, ctrl, packet, access);
    if (pkt->type != GPCI_READ && gpci_queue_full(&ctrl->out)) /* may send a write to memory */
        return gpci_ctrl_block(ctrl, access, timed->wheel.now, GPC_BUSY_MISS_QUEUE);
    if (!access->looked) {
        unsigned shift = prepare(timed, pkt);
        if (pkt->type != GPCI_READ)
            change(timed, ctrl, pkt, shift);
        if (gpci_parts_at(ctrl, GPCI_AT_LOOK) && !remote)
            gpci_parts_look(timed, ctrl, pkt);
        gpci_ctrl_look(timed, ctrl, pkt, access);
        gpci_log_lookup(timed, ctrl, pkt, access);
        GPCI_AGAIN(gpci_count_l2_remote_again(timed->hierarchy, ctrl->index,
                                              pkt->flags & GPCI_PACKET_LINK ? pkt->segments : 0));
        if (pkt->type != GPCI_READ)
            gpci_l2_count_change(timed->hierarchy, ctrl->index, &pkt->request, shift, pkt->segments, pkt->bytes,
                                 result);
        else if (!(pkt->flags & GPCI_PACKET_LINK))
            count_read(timed, ctrl, pkt, shift, access);
        if (pkt->type == GPCI_READ && !(pkt->flags & GPCI_PACKET_LINK))
            GPCI_AGAIN(count_again(timed, ctrl, pkt, shift, access));
        if (result->evicted)
            gpci_ctrl_evicted(timed, ctrl, pkt, &result->eviction);
    }
    gpci_verdict verdict = gpci_ctrl_settle(timed, ctrl, packet, access, remote);
    if (verdict == GPCI_BLOCKED)
        return verdict;
    if (pkt->type == GPCI_WRITE && gpci_parts_at(ctrl, GPCI_AT_PASSED))
        gpci_parts_passed(timed, ctrl, pkt);
    if (result->write_sectors)
        gpci_l2_write_memory(
            timed, ctrl, gpci_l2_line(timed, pkt->request.address),
            gpci_l2_written(&pkt->request, result,
                            (uint8_t)(pkt->segments << gpci_l2_shift(timed->hierarchy, pkt->address))));
    if (verdict == GPCI_SERVED)
        serve(timed, ctrl, packet, pkt, 2);
    return verdict;
}

static void again(gpci_timed *timed, gpci_ctrl *ctrl) {
    gpci_clock clock = ctrl->options->clock;
    gpci_wheel_wake(&timed->wheel, ctrl->component,
                    gpci_clock_core(clock, gpci_clock_own(clock, timed->wheel.now) + 1));
}

/* True if a packet must wait before the lookup, in the home slice. */
GPCI_INLINE bool is_held(gpci_timed *timed, gpci_ctrl *ctrl, const gpci_packet *pkt, gpci_tag_access *access,
                         bool remote) {
    return gpci_parts_at(ctrl, GPCI_AT_HOLD) && !access->looked && !remote &&
           gpci_parts_hold_up(timed, ctrl, pkt, access);
}

/* True if the first packet of `in` is held up before the lookup (is_held). */
GPCI_INLINE bool waits(const gpci_timed *timed, const gpci_ctrl *ctrl) {
    return gpci_parts_at(ctrl, GPCI_AT_HOLD) &&
           ctrl->tag_access[0].until > gpci_clock_own(ctrl->options->clock, timed->wheel.now);
}

/* Requests of the other partition for lines homed here pass first: they never wait for a link. */
static void run_link_tags(gpci_timed *timed, gpci_ctrl *ctrl) {
    gpci_tag_access *access = &ctrl->tag_access[1];
    while (!gpci_ctrl_stuck(access)) {
        if (ctrl->link_at == GPCI_NO_PACKET) {
            if (gpci_network_peek(ctrl->networks.peer_requests, ctrl->index) == GPCI_NO_PACKET)
                return;
            ctrl->link_at = gpci_network_receive(ctrl->networks.peer_requests, ctrl->index);
        }
        gpci_packet *pkt = gpci_packet_at(&timed->pool, ctrl->link_at);
        if (is_held(timed, ctrl, pkt, access, false))
            return;
        if (!gpci_ctrl_port(ctrl, timed->wheel.now, pkt->address)) {
            again(timed, ctrl);
            return;
        }
        if (pass(timed, ctrl, ctrl->link_at, pkt, access, false) == GPCI_BLOCKED) {
            gpci_log_blocked(timed, ctrl, pkt, access);
            return;
        }
        ctrl->link_at = GPCI_NO_PACKET;
        gpci_tags_free(ctrl, access, timed->wheel.now);
    }
}

static void run_tags(gpci_timed *timed, gpci_ctrl *ctrl) {
    gpci_tag_access *access = &ctrl->tag_access[0];
    uint64_t now = timed->wheel.now;
    if (gpci_ctrl_stuck(access))
        return;
    while (ctrl->in.count) {
        uint32_t packet = ctrl->in.first;
        const gpci_packet_link *link = &timed->pool.links[packet];
        if (link->due > now) /* the slice is woken at the end of the step */
            return;
        if (gpci_ctrl_ports_used(ctrl, now)) {
            again(timed, ctrl);
            return;
        }
        gpci_sw_prefetch_link(&timed->pool, link->next);
        gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
        const bool remote = is_remote(timed, ctrl, pkt);
        if (is_held(timed, ctrl, pkt, access, remote))
            return;
        if (!gpci_ctrl_port(ctrl, now, pkt->address)) {
            again(timed, ctrl);
            return;
        }
        const uint32_t next = gpci_tags_take(timed, &ctrl->in);
        if (pass(timed, ctrl, packet, pkt, access, remote) == GPCI_BLOCKED) {
            gpci_tags_put_back(timed, ctrl, &ctrl->in, packet, next, access);
            return;
        }
        gpci_tags_passed(ctrl, &ctrl->in, access, now);
    }
}

void gpci_slice_count_request(const gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet) {
    (void)timed;
    (void)ctrl;
    (void)packet;
    GPCI_AGAIN(ctrl->counts.request_bytes_again +=
               timed->header + gpci_packet_payload(timed, gpci_packet_at(&timed->pool, packet)));
}

void gpci_slice_count_congestion(const gpci_timed *timed, gpci_ctrl *ctrl) {
    const bool congested = gpci_network_peek(ctrl->networks.requests_in, ctrl->index) != GPCI_NO_PACKET;
    if (ctrl->congested.since != GPCI_NEVER)
        ctrl->congested.cycles += timed->wheel.now - ctrl->congested.since;
    GPCI_AGAIN(ctrl->counts.congested_again += ctrl->congested.since != GPCI_NEVER ? timed->wheel.now : 0);
    GPCI_AGAIN(ctrl->counts.congested_again -= congested ? timed->wheel.now : 0);
    ctrl->congested.since = congested ? timed->wheel.now : GPCI_NEVER;
}

/* Take packets from the network into the pipeline before the tags, while room is left. */
static void run_in(gpci_timed *timed, gpci_ctrl *ctrl) {
    uint64_t now = timed->wheel.now;
    gpci_parts_run(timed, ctrl, GPCI_AT_ENTER);
    while (!gpci_queue_full(&ctrl->in) &&
           gpci_network_peek(ctrl->networks.requests_in, ctrl->index) != GPCI_NO_PACKET) {
        uint32_t packet = gpci_network_receive(ctrl->networks.requests_in, ctrl->index);
        gpci_slice_count_request(timed, ctrl, packet);
        timed->pool.links[packet].due = gpci_clock_after(ctrl->options->clock, now, timed->rop_latency);
        gpci_queue_push(&ctrl->in, &timed->pool, now, packet);
    }
    gpci_slice_count_congestion(timed, ctrl);
}

/* Take data from memory, or from the other partition. */
static void take_fill(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet) {
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    gpci_clock clock = ctrl->options->clock;
    uint32_t bytes = gpci_packet_bytes(pkt), width = ctrl->options->fill_width;
    ctrl->fill_free = gpci_clock_own(clock, timed->wheel.now) + (bytes + width - 1) / width;
    if (!ctrl->cache) {
        serve(timed, ctrl, packet, pkt, pkt->level);
    } else if (pkt->flags & GPCI_PACKET_FETCH) {
        if (gpci_parts_at(ctrl, GPCI_AT_FILL))
            gpci_parts_fill(timed, ctrl, packet);
        else
            gpci_ctrl_fill(timed, ctrl, packet);
    } else { /* the home slice has performed a write or atomic that was passed on */
        pkt->flags &= (uint8_t)~GPCI_PACKET_LINK;
        timed->pool.links[packet].due = timed->wheel.now;
        gpci_queue_push(&ctrl->returned, &timed->pool, timed->wheel.now, packet);
    }
}

static void run_fills(gpci_timed *timed, gpci_ctrl *ctrl) {
    gpci_clock clock = ctrl->options->clock;
    for (;;) {
        bool link = ctrl->networks.peer_replies &&
                    gpci_network_peek(ctrl->networks.peer_replies, ctrl->index) != GPCI_NO_PACKET;
        bool memory =
            ctrl->networks.replies_in && gpci_network_peek(ctrl->networks.replies_in, ctrl->index) != GPCI_NO_PACKET;
        if (!link && !memory && !ctrl->fills.count)
            return;
        if (ctrl->fill_free > gpci_clock_own(clock, timed->wheel.now)) {
            gpci_wheel_wake(&timed->wheel, ctrl->component, gpci_clock_core(clock, ctrl->fill_free));
            return;
        }
        uint32_t packet = ctrl->fills.count ? gpci_queue_pop(&ctrl->fills, &timed->pool, timed->wheel.now)
                          : memory          ? gpci_network_receive(ctrl->networks.replies_in, ctrl->index)
                                            : gpci_network_receive(ctrl->networks.peer_replies, ctrl->index);
        take_fill(timed, ctrl, packet);
    }
}

/* Send the first of a queue of replies, if due and accepted by the network. */
GPCI_INLINE bool send_reply(gpci_timed *timed, gpci_ctrl *ctrl, gpci_queue *queue) {
    uint32_t packet = queue->first;
    const uint64_t due = timed->pool.links[packet].due;
    if (due > timed->wheel.now) {
        gpci_wheel_wake(&timed->wheel, ctrl->component, due);
        return false;
    }
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    bool link = pkt->flags & GPCI_PACKET_LINK;
    if (gpci_parts_at(ctrl, GPCI_AT_ANSWER) && !link && gpci_parts_answer(timed, ctrl, queue))
        return true;
    if (!gpci_network_can_take(link ? ctrl->networks.peer_replies : ctrl->networks.replies_out, ctrl->index,
                               pkt->path.size))
        return false;
    if (GPCI_UNLIKELY(pkt->request.copy == GPC_COPY_BULK) && !link && !gpci_multicast_send(timed, ctrl, pkt))
        return false;
    gpci_queue_pop(queue, &timed->pool, timed->wheel.now);
    gpci_ctrl_resource_freed(ctrl, GPC_BUSY_NETWORK);
    if (link)
        gpci_network_send(ctrl->networks.peer_replies, ctrl->index, peer_of(timed, ctrl), pkt->path.size, packet);
    else
        gpci_network_send(ctrl->networks.replies_out, ctrl->index, pkt->request.sm, pkt->path.size, packet);
    return true;
}

bool gpci_slice_send_reply(gpci_timed *timed, gpci_ctrl *ctrl, gpci_queue *queue) {
    return send_reply(timed, ctrl, queue);
}

static GPCI_NOINLINE void run_returned(gpci_timed *timed, gpci_ctrl *ctrl) {
    while (ctrl->returned.count && send_reply(timed, ctrl, &ctrl->returned))
        ;
}

GPCI_INLINE void run_served(gpci_timed *timed, gpci_ctrl *ctrl) {
    while (ctrl->served.count && send_reply(timed, ctrl, &ctrl->served))
        ;
    if (GPCI_UNLIKELY(ctrl->returned.count != 0))
        run_returned(timed, ctrl);
    gpci_parts_run(timed, ctrl, GPCI_AT_REPLY);
}

static void run_link_out(gpci_timed *timed, gpci_ctrl *ctrl) {
    while (ctrl->link.count && gpci_network_can_send(ctrl->networks.peer_requests, ctrl->index)) {
        uint32_t packet = gpci_queue_pop(&ctrl->link, &timed->pool, timed->wheel.now);
        gpci_ctrl_resource_freed(ctrl, GPC_BUSY_MISS_QUEUE);
        gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
        gpci_network_send(ctrl->networks.peer_requests, ctrl->index, peer_of(timed, ctrl),
                          timed->header + gpci_packet_payload(timed, pkt), packet);
    }
}

GPCI_INLINE void run_requests(gpci_timed *timed, gpci_ctrl *ctrl) {
    if (ctrl->out.count)
        gpci_channel_send(timed, ctrl);
    if (ctrl->link.count)
        run_link_out(timed, ctrl);
}

void gpci_slice_step(const gpci_group *group, uint32_t slice) {
    gpci_timed *timed = group->timed;
    gpci_ctrl *ctrl = &timed->l2[slice];
    run_fills(timed, ctrl);
    run_served(timed, ctrl);
    run_requests(timed, ctrl);
    if (ctrl->networks.peer_requests)
        run_link_tags(timed, ctrl);
    gpci_parts_run(timed, ctrl, GPCI_AT_BEFORE_TAGS);
    run_tags(timed, ctrl);
    if (GPCI_LIKELY(ctrl->entrance == &ctrl->in))
        run_in(timed, ctrl);
    gpci_parts_run(timed, ctrl, GPCI_AT_AFTER_TAGS);
    /* a packet just served wakes the slice when due: most often later */
    if (ctrl->served.count && timed->pool.links[ctrl->served.first].due <= timed->wheel.now)
        run_served(timed, ctrl);
    run_requests(timed, ctrl);
    if (gpci_ctrl_may_retry(&ctrl->tag_access[0]) || gpci_ctrl_may_retry(&ctrl->tag_access[1]))
        again(timed, ctrl);
    else if (ctrl->in.count && ctrl->tag_access[0].reason == GPC_BUSY_NOT && !waits(timed, ctrl))
        gpci_wheel_wake(&timed->wheel, ctrl->component, timed->pool.links[ctrl->in.first].due);
}

/*
 * Prefetch data for the slice's next step into the CPU's cache. Packets from the network do not pass the tags yet, and
 * packets before the tags may not be due.
 */
void gpci_slice_expect(const gpci_group *group, uint32_t slice, unsigned pass) {
    const gpci_timed *timed = group->timed;
    const gpci_ctrl *ctrl = &timed->l2[slice];
    const bool due = ctrl->in.count && timed->pool.links[ctrl->in.first].due <= timed->wheel.now;
    if (pass == 0) {
        const uint32_t request = gpci_network_peek(ctrl->networks.requests_in, slice);
        if (ctrl->fills.count)
            gpci_sw_prefetch_packet(timed, ctrl->fills.first);
        if (due)
            gpci_sw_prefetch_packet(timed, ctrl->in.first);
        if (request != GPCI_NO_PACKET)
            GPCI_PREFETCH(gpci_packet_at(&timed->pool, request));
        return;
    }
    if (pass != 1)
        return;
    if (due)
        gpci_ctrl_sw_prefetch(ctrl, gpci_packet_at(&timed->pool, ctrl->in.first)->path.inner);
    if (!ctrl->fills.count)
        return;
    const gpci_packet *fill = gpci_packet_at(&timed->pool, ctrl->fills.first);
    gpci_ctrl_sw_prefetch(ctrl, fill->request.address);
    if (fill->flags & GPCI_PACKET_FETCH)
        gpci_sw_prefetch_packet(timed, fill->line.mshr_target);
}
