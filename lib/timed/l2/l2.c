/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/rules/level_rules.h"
#include "timed/core/changes.h"
#include "timed/core/tags.h"
#include "timed/ctrl/atomic_unit.h"
#include "timed/l1/multicast.h"
#include "timed/l2/l2_send.h"
#include "timed/l2/port.h"

/*
 * An L2 slice: packets of SMs, and of the peer slice in the other partition. level/rules/level_rules.h says how a
 * packet is handled; this file, when.
 */

static uint32_t partition_of(const gpci_timed *t, const gpci_ctrl *ctrl) {
    return ctrl->index / t->h->slices_per_partition;
}

static uint32_t peer_of(const gpci_timed *t, const gpci_ctrl *ctrl) {
    uint32_t half = t->h->slices_per_partition;
    return ctrl->index < half ? ctrl->index + half : ctrl->index - half;
}

static bool is_remote(const gpci_timed *t, const gpci_ctrl *ctrl, const gpci_packet *p) {
    return ctrl->networks.peer_requests && gpci_l2_home(t->h, p->address) != partition_of(t, ctrl);
}

static bool has_reply(const gpci_packet *p) {
    return !(p->flags & GPCI_PACKET_POSTED);
}

/* Bytes of a reply: an atomic returns the values found; a store and a reduction are only acknowledged. */
static uint32_t reply_bytes(const gpci_packet *p) {
    return p->type == GPCI_WRITE || p->request.kind == GPC_REDUCTION ? 0 : gpci_packet_bytes(p);
}

/* A packet is served: return it as the reply once the data are out of the port. A reduction replies, too. */
GPCI_INLINE void serve(gpci_timed *t, gpci_ctrl *ctrl, uint32_t packet, gpci_packet *p, uint8_t level) {
    if (!has_reply(p)) {
        gpci_pool_give(&t->pool, packet);
        return;
    }
    uint32_t bytes = p->type == GPCI_WRITE ? 0 : gpci_packet_bytes(p);
    gpci_queue *queue = gpci_reply_queue(ctrl, p);
    uint64_t due = gpci_ctrl_data(ctrl, t->wheel.now, bytes);
    if (queue != &ctrl->served) {
        const uint64_t performed = gpci_atomic_perform(ctrl, t->wheel.now, p->turns);
        due = performed > due ? performed : due;
    }
    p->level = level;
    gpci_log_event(t, GPC_WHAT_SERVE, ctrl, p, due);
    if (p->type == GPCI_READ)
        p->request.policy_word = gpc_cache_respond(ctrl->cache, &p->request); /* 0 without a cache */
    p->path.size = t->header + reply_bytes(p);
    p->type = GPCI_REPLY;
    t->pool.links[packet].due = due;
    gpci_queue_push(queue, &t->pool, t->wheel.now, packet);
    if (queue->count == 1) /* otherwise the slice wakes earlier, for the packet ahead */
        gpci_wheel_wake(&t->wheel, ctrl->component, due);
}

/* A packet waiting at an MSHR entry has data now. */
static void released(gpci_timed *t, gpci_ctrl *ctrl, uint32_t packet, uint8_t level) {
    serve(t, ctrl, packet, gpci_packet_at(&t->pool, packet), level);
}

const gpci_ctrl_rules gpci_l2_ctrl = {.send = gpci_l2_send_fetch,
                                      .evicted = gpci_l2_evicted,
                                      .released = released,
                                      .on_stall = gpci_ctrl_wait,
                                      .on_not_allocated = gpci_ctrl_notify_none};

/* Count a read. Sectors hit if valid or in flight, as hardware counts. The prefetcher sees all reads. */
static void count_read(gpci_timed *t, gpci_ctrl *ctrl, const gpci_packet *p, unsigned shift,
                       const gpci_tag_access *access) {
    const uint32_t slice = ctrl->index;
    uint8_t flying = t->h->l2_level.sectors_of[access->flying], hits = access->result.hit_sectors | flying;
    const uint32_t sectors = gpci_count_sectors(p->segments),
                   found = gpci_count_sectors(gpci_l2_segments(t->h, shift, hits, p->segments));
    gpci_count_l2_read(t->h, slice, sectors, found);
    gpci_count_l2_persisting(t->h, slice, p->request.priority, sectors, found);
    gpci_stream_l2_read(t->h, slice, &p->request, sectors, found);
    if (GPCI_UNLIKELY(p->request.space > GPC_SPACE_LOCAL))
        gpci_count_l2_read_only(t->h, slice, (gpc_space)p->request.space, sectors, found);
    if (gpci_parts_at(ctrl, GPCI_AT_LOOKED))
        gpci_parts_looked(t, ctrl, p, access, found == sectors);
    if (!flying)
        return;
    uint32_t pending = gpci_count_sectors(gpci_l2_segments(t->h, shift, flying, p->segments));
    gpci_count_l2_pending(t->h, slice, pending);
    if (gpci_packet_at(&t->pool, access->mshr_entry)->request.sm != p->request.sm)
        gpci_count_l2_merge(t->h, slice, pending);
    else
        GPCI_AGAIN(ctrl->counts.own_pending_again += pending);
}

/* Make the request to the slice's cache. A request from the peer is ready already. */
static unsigned prepare(gpci_timed *t, gpci_packet *p) {
    if (p->type == GPCI_READ && p->flags & GPCI_PACKET_LINK) {
        p->request.token = p->request.token_l2;
        return 0;
    }
    const gpci_l2_place place = {.inner = p->path.inner, .shift = gpci_l2_shift(t->h, p->address)};
    gpci_l2_window(t->h, p->address, &p->request);
    if (p->type == GPCI_WRITE)
        gpci_l2_ask_write(t->h, &place, p->bytes, p->segments, &p->request);
    else
        gpci_l2_ask(t->h, &place, p->segments, &p->request);
    return place.shift;
}

/*
 * A copy leaves, and no read joins an older one: reads behind a write follow the write to its home. Otherwise
 * a load of the write's SM could miss the write. L1 has what its SM stores, but no results of atomics.
 */
static void drop_near(gpci_timed *t, gpci_ctrl *ctrl, const gpci_packet *p) {
    if (p->type == GPCI_WRITE && gpci_l1_for(t->h, p->request.sm, p->request.space))
        return;
    const uint64_t line = gpci_l2_line(t, p->path.inner);
    const uint8_t segments = (uint8_t)(p->segments << gpci_l2_shift(t->h, p->address));
    gpci_log_dropped(t->h, ctrl->cache, GPC_COMPONENT_L2, ctrl->index, line, p->address);
    gpc_cache_invalidate_line(ctrl->cache, line);
    gpci_ctrl_outdate(t, ctrl, line, segments);
}

/* A write or an atomic of a line homed in the other partition goes there. */
static gpci_verdict pass_on(gpci_timed *t, gpci_ctrl *ctrl, uint32_t packet, gpci_tag_access *access) {
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    if (gpci_queue_full(&ctrl->link))
        return gpci_ctrl_block(ctrl, access, t->wheel.now, GPC_BUSY_MISS_QUEUE);
    drop_near(t, ctrl, p);
    p->flags |= GPCI_PACKET_LINK;
    gpci_count_l2_remote(t->h, ctrl->index, gpci_count_sectors(p->segments));
    gpci_log_event(t, GPC_WHAT_QUEUE, ctrl, p, 0);
    gpci_queue_push(&ctrl->link, &t->pool, t->wheel.now, packet);
    return GPCI_WAITING;
}

/* Without a cache all packets go to memory. An atomic reads and writes. */
static gpci_verdict pass_uncached(gpci_timed *t, gpci_ctrl *ctrl, uint32_t packet, gpci_tag_access *access) {
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    if (gpci_queue_full(&ctrl->out))
        return gpci_ctrl_block(ctrl, access, t->wheel.now, GPC_BUSY_MISS_QUEUE);
    uint8_t segments = (uint8_t)(p->segments << gpci_l2_shift(t->h, p->address));
    p->request.address = p->path.inner;
    if (p->type != GPCI_READ)
        gpci_changes_note(t, ctrl, p->path.inner);
    if (p->type != GPCI_READ)
        gpci_l2_write_memory(t, ctrl, gpci_l2_line(t, p->path.inner), segments);
    if (p->type == GPCI_WRITE) {
        serve(t, ctrl, packet, p, 3);
        return GPCI_SERVED;
    }
    gpci_l2_count_memory_read(t->h, ctrl->index, p);
    gpci_log_event(t, GPC_WHAT_QUEUE, ctrl, p, 0);
    gpci_queue_push(&ctrl->out, &t->pool, t->wheel.now, packet);
    return GPCI_WAITING;
}

/* kernels.code = l2: fill code missing in the home slice without a fetch. */
static GPCI_COLD void put_code(gpci_timed *t, gpci_ctrl *ctrl, const gpci_packet *p) {
    gpc_access_result got = {.way = GPCI_NO_WAY};
    gpc_line line = {.valid_sectors = 0};
    gpci_line_of(ctrl->cache, p->request.address, &line);
    const uint8_t lacks = p->request.sector_mask & (uint8_t)~line.valid_sectors;
    if (!lacks)
        return;
    const gpc_status status = gpc_cache_fill(ctrl->cache, &p->request, lacks, &got);
    GPCI_AGAIN(ctrl->counts.no_victims_again += status == GPC_OK && got.outcome == GPC_NO_VICTIM);
    t->failed = status < 0 ? status : t->failed;
    if (got.evicted)
        gpci_ctrl_evicted(t, ctrl, p, &got.eviction);
}

/* A line changes at home: a copy in the other partition leaves, and what is on its way there may be older. */
static void change(gpci_timed *t, const gpci_ctrl *ctrl, const gpci_packet *p, unsigned shift) {
    gpci_changes_note(t, ctrl, p->request.address);
    gpci_l2_drop_copy(t->h, ctrl->index, p->request.address, p->address);
    if (ctrl->networks.peer_requests)
        gpci_ctrl_outdate(t, &t->l2[peer_of(t, ctrl)], p->request.address, (uint8_t)(p->segments << shift));
}

static gpci_verdict pass(gpci_timed *t, gpci_ctrl *ctrl, uint32_t packet, gpci_packet *p, gpci_tag_access *access,
                         bool remote) {
    gpc_access_result *r = &access->result;
    if (!ctrl->cache)
        return pass_uncached(t, ctrl, packet, access);
    if (has_reply(p) && gpci_queue_full(gpci_reply_queue(ctrl, p)) && !(p->flags & GPCI_PACKET_LINK))
        return gpci_ctrl_block(ctrl, access, t->wheel.now, GPC_BUSY_NETWORK);
    if (remote && p->type != GPCI_READ)
        return pass_on(t, ctrl, packet, access);
    if (p->type != GPCI_READ && gpci_queue_full(&ctrl->out)) /* may write to memory, or evict */
        return gpci_ctrl_block(ctrl, access, t->wheel.now, GPC_BUSY_MISS_QUEUE);
    if (!access->looked) {
        unsigned shift = prepare(t, p);
        if (p->type != GPCI_READ)
            change(t, ctrl, p, shift);
        if (GPCI_UNLIKELY(p->request.space == GPC_SPACE_INSTRUCTION) && t->h->code_in_l2 && !remote)
            put_code(t, ctrl, p);
        gpci_ctrl_look(t, ctrl, p, access);
        gpci_log_lookup(t, ctrl, p, access);
        if (p->type != GPCI_READ)
            gpci_l2_count_change(t->h, ctrl->index, &p->request, shift, p->segments, p->bytes, r);
        else if (!(p->flags & GPCI_PACKET_LINK))
            count_read(t, ctrl, p, shift, access);
        if (r->evicted)
            gpci_ctrl_evicted(t, ctrl, p, &r->eviction);
    }
    gpci_verdict verdict = gpci_ctrl_settle(t, ctrl, packet, access, remote);
    if (verdict == GPCI_BLOCKED)
        return verdict;
    if (p->type == GPCI_WRITE && gpci_parts_at(ctrl, GPCI_AT_PASSED))
        gpci_parts_passed(t, ctrl, p);
    if (r->write_sectors)
        gpci_l2_write_memory(
            t, ctrl, gpci_l2_line(t, p->request.address),
            gpci_l2_written(&p->request, r, (uint8_t)(p->segments << gpci_l2_shift(t->h, p->address))));
    if (verdict == GPCI_SERVED)
        serve(t, ctrl, packet, p, 2);
    return verdict;
}

static void again(gpci_timed *t, gpci_ctrl *ctrl) {
    gpci_clock clock = ctrl->options->clock;
    gpci_wheel_wake(&t->wheel, ctrl->component, gpci_clock_core(clock, gpci_clock_own(clock, t->wheel.now) + 1));
}

/* True if a packet must wait before the lookup, in the home slice. */
GPCI_INLINE bool is_held(gpci_timed *t, gpci_ctrl *ctrl, const gpci_packet *p, gpci_tag_access *access, bool remote) {
    return gpci_parts_at(ctrl, GPCI_AT_HOLD) && !access->looked && !remote && gpci_parts_hold_up(t, ctrl, p, access);
}

/* True if the SMs' first packet waits so. */
GPCI_INLINE bool waits(const gpci_timed *t, const gpci_ctrl *ctrl) {
    return gpci_parts_at(ctrl, GPCI_AT_HOLD) &&
           ctrl->tag_access[0].until > gpci_clock_own(ctrl->options->clock, t->wheel.now);
}

/* Requests of the other partition for lines homed here pass first: they never wait for a link. */
static void run_link_tags(gpci_timed *t, gpci_ctrl *ctrl) {
    gpci_tag_access *access = &ctrl->tag_access[1];
    while (!gpci_ctrl_stuck(access)) {
        if (ctrl->link_at == GPCI_NO_PACKET) {
            if (gpci_network_peek(ctrl->networks.peer_requests, ctrl->index) == GPCI_NO_PACKET)
                return;
            ctrl->link_at = gpci_network_receive(ctrl->networks.peer_requests, ctrl->index);
        }
        gpci_packet *p = gpci_packet_at(&t->pool, ctrl->link_at);
        if (is_held(t, ctrl, p, access, false))
            return;
        if (!gpci_ctrl_port(ctrl, t->wheel.now, p->address)) {
            again(t, ctrl);
            return;
        }
        if (pass(t, ctrl, ctrl->link_at, p, access, false) == GPCI_BLOCKED) {
            gpci_log_blocked(t, ctrl, p, access);
            return;
        }
        ctrl->link_at = GPCI_NO_PACKET;
        gpci_tags_free(ctrl, access, t->wheel.now);
    }
}

static void run_tags(gpci_timed *t, gpci_ctrl *ctrl) {
    gpci_tag_access *access = &ctrl->tag_access[0];
    uint64_t now = t->wheel.now;
    if (gpci_ctrl_stuck(access))
        return;
    while (ctrl->in.count) {
        uint32_t packet = ctrl->in.first;
        const gpci_packet_link *link = &t->pool.links[packet];
        if (link->due > now) /* the slice is woken at the end of the step */
            return;
        if (gpci_ctrl_ports_used(ctrl, now)) {
            again(t, ctrl);
            return;
        }
        gpci_sw_prefetch_link(&t->pool, link->next);
        gpci_packet *p = gpci_packet_at(&t->pool, packet);
        const bool remote = is_remote(t, ctrl, p);
        if (is_held(t, ctrl, p, access, remote))
            return;
        if (!gpci_ctrl_port(ctrl, now, p->address)) {
            again(t, ctrl);
            return;
        }
        const uint32_t next = gpci_tags_take(t, &ctrl->in);
        if (pass(t, ctrl, packet, p, access, remote) == GPCI_BLOCKED) {
            gpci_tags_put_back(t, ctrl, &ctrl->in, packet, next, access);
            return;
        }
        gpci_tags_passed(ctrl, &ctrl->in, access, now);
    }
}

void gpci_slice_count_request(const gpci_timed *t, gpci_ctrl *ctrl, uint32_t packet) {
    (void)t;
    (void)ctrl;
    (void)packet;
    GPCI_AGAIN(ctrl->counts.request_bytes_again +=
               t->header + gpci_packet_payload(t, gpci_packet_at(&t->pool, packet)));
}

void gpci_slice_count_congestion(const gpci_timed *t, gpci_ctrl *ctrl) {
    const bool congested = gpci_network_peek(ctrl->networks.requests_in, ctrl->index) != GPCI_NO_PACKET;
    if (ctrl->congested.since != GPCI_NEVER)
        ctrl->congested.cycles += t->wheel.now - ctrl->congested.since;
    ctrl->congested.since = congested ? t->wheel.now : GPCI_NEVER;
}

/* Take packets from the network into the pipeline before the tags, while room is left. */
static void run_in(gpci_timed *t, gpci_ctrl *ctrl) {
    uint64_t now = t->wheel.now;
    if (GPCI_UNLIKELY(t->groups[GPCI_GROUP_PORTS].objects))
        gpci_ports_enter(t, ctrl, gpci_network_peek(ctrl->networks.requests_in, ctrl->index) != GPCI_NO_PACKET);
    while (!gpci_queue_full(&ctrl->in) &&
           gpci_network_peek(ctrl->networks.requests_in, ctrl->index) != GPCI_NO_PACKET) {
        uint32_t packet = gpci_network_receive(ctrl->networks.requests_in, ctrl->index);
        gpci_slice_count_request(t, ctrl, packet);
        t->pool.links[packet].due = gpci_clock_after(ctrl->options->clock, now, t->rop_latency);
        gpci_queue_push(&ctrl->in, &t->pool, now, packet);
    }
    gpci_slice_count_congestion(t, ctrl);
}

/* Take data from memory, or from the other partition. */
static void take_fill(gpci_timed *t, gpci_ctrl *ctrl, uint32_t packet) {
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    gpci_clock clock = ctrl->options->clock;
    uint32_t bytes = gpci_packet_bytes(p), width = ctrl->options->fill_width;
    ctrl->fill_free = gpci_clock_own(clock, t->wheel.now) + (bytes + width - 1) / width;
    if (!ctrl->cache) {
        serve(t, ctrl, packet, p, p->level);
    } else if (p->flags & GPCI_PACKET_FETCH) {
        if (gpci_parts_at(ctrl, GPCI_AT_FILL))
            gpci_parts_fill(t, ctrl, packet);
        else
            gpci_ctrl_fill(t, ctrl, packet);
    } else { /* a passed-on write or atomic is done */
        p->flags &= (uint8_t)~GPCI_PACKET_LINK;
        t->pool.links[packet].due = t->wheel.now;
        gpci_queue_push(&ctrl->returned, &t->pool, t->wheel.now, packet);
    }
}

static void run_fills(gpci_timed *t, gpci_ctrl *ctrl) {
    gpci_clock clock = ctrl->options->clock;
    for (;;) {
        bool link = ctrl->networks.peer_replies &&
                    gpci_network_peek(ctrl->networks.peer_replies, ctrl->index) != GPCI_NO_PACKET;
        bool memory =
            ctrl->networks.replies_in && gpci_network_peek(ctrl->networks.replies_in, ctrl->index) != GPCI_NO_PACKET;
        if (!link && !memory && !ctrl->fills.count)
            return;
        if (ctrl->fill_free > gpci_clock_own(clock, t->wheel.now)) {
            gpci_wheel_wake(&t->wheel, ctrl->component, gpci_clock_core(clock, ctrl->fill_free));
            return;
        }
        uint32_t packet = ctrl->fills.count ? gpci_queue_pop(&ctrl->fills, &t->pool, t->wheel.now)
                          : memory          ? gpci_network_receive(ctrl->networks.replies_in, ctrl->index)
                                            : gpci_network_receive(ctrl->networks.peer_replies, ctrl->index);
        take_fill(t, ctrl, packet);
    }
}

/* Send the first of a queue of replies, if due and accepted by the network. */
GPCI_INLINE bool send_reply(gpci_timed *t, gpci_ctrl *ctrl, gpci_queue *queue) {
    uint32_t packet = queue->first;
    const uint64_t due = t->pool.links[packet].due;
    if (due > t->wheel.now) {
        gpci_wheel_wake(&t->wheel, ctrl->component, due);
        return false;
    }
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    bool link = p->flags & GPCI_PACKET_LINK;
    if (GPCI_UNLIKELY(p->flags & GPCI_PACKET_PORT) && !link) {
        gpci_queue_pop(queue, &t->pool, t->wheel.now);
        gpci_ctrl_resource_freed(ctrl, GPC_BUSY_NETWORK);
        gpci_port_reply(t, packet);
        return true;
    }
    if (!gpci_network_can_take(link ? ctrl->networks.peer_replies : ctrl->networks.replies_out, ctrl->index,
                               p->path.size))
        return false;
    if (!link && gpci_packet_is_multicast(p) && !gpci_multicast_send(t, ctrl, p))
        return false;
    gpci_queue_pop(queue, &t->pool, t->wheel.now);
    gpci_ctrl_resource_freed(ctrl, GPC_BUSY_NETWORK);
    if (link)
        gpci_network_send(ctrl->networks.peer_replies, ctrl->index, peer_of(t, ctrl), p->path.size, packet);
    else
        gpci_network_send(ctrl->networks.replies_out, ctrl->index, p->request.sm, p->path.size, packet);
    return true;
}

bool gpci_slice_send_reply(gpci_timed *t, gpci_ctrl *ctrl, gpci_queue *queue) {
    return send_reply(t, ctrl, queue);
}

static GPCI_NOINLINE void run_returned(gpci_timed *t, gpci_ctrl *ctrl) {
    while (ctrl->returned.count && send_reply(t, ctrl, &ctrl->returned))
        ;
}

GPCI_INLINE void run_served(gpci_timed *t, gpci_ctrl *ctrl) {
    while (ctrl->served.count && send_reply(t, ctrl, &ctrl->served))
        ;
    if (GPCI_UNLIKELY(ctrl->returned.count != 0))
        run_returned(t, ctrl);
    gpci_parts_run(t, ctrl, GPCI_AT_REPLY);
}

static void run_link_out(gpci_timed *t, gpci_ctrl *ctrl) {
    while (ctrl->link.count && gpci_network_can_send(ctrl->networks.peer_requests, ctrl->index)) {
        uint32_t packet = gpci_queue_pop(&ctrl->link, &t->pool, t->wheel.now);
        gpci_ctrl_resource_freed(ctrl, GPC_BUSY_MISS_QUEUE);
        gpci_packet *p = gpci_packet_at(&t->pool, packet);
        gpci_network_send(ctrl->networks.peer_requests, ctrl->index, peer_of(t, ctrl),
                          t->header + gpci_packet_payload(t, p), packet);
    }
}

GPCI_INLINE void run_requests(gpci_timed *t, gpci_ctrl *ctrl) {
    if (ctrl->out.count)
        gpci_channel_send(t, ctrl);
    if (ctrl->link.count)
        run_link_out(t, ctrl);
}

void gpci_slice_step(const gpci_group *group, uint32_t slice) {
    gpci_timed *t = group->timed;
    gpci_ctrl *ctrl = &t->l2[slice];
    run_fills(t, ctrl);
    run_served(t, ctrl);
    run_requests(t, ctrl);
    if (ctrl->networks.peer_requests)
        run_link_tags(t, ctrl);
    gpci_parts_run(t, ctrl, GPCI_AT_BEFORE_TAGS);
    run_tags(t, ctrl);
    if (GPCI_LIKELY(ctrl->entrance == &ctrl->in))
        run_in(t, ctrl);
    gpci_parts_run(t, ctrl, GPCI_AT_AFTER_TAGS);
    /* a packet just served wakes the slice when due: most often later */
    if (ctrl->served.count && t->pool.links[ctrl->served.first].due <= t->wheel.now)
        run_served(t, ctrl);
    run_requests(t, ctrl);
    if (gpci_ctrl_may_retry(&ctrl->tag_access[0]) || gpci_ctrl_may_retry(&ctrl->tag_access[1]))
        again(t, ctrl);
    else if (ctrl->in.count && ctrl->tag_access[0].reason == GPC_BUSY_NOT && !waits(t, ctrl))
        gpci_wheel_wake(&t->wheel, ctrl->component, t->pool.links[ctrl->in.first].due);
}

/*
 * Prefetch (host memory). Packets from the network do not pass the tags yet, and packets before the tags may not be
 * due.
 */
void gpci_slice_expect(const gpci_group *group, uint32_t slice, unsigned pass) {
    const gpci_timed *t = group->timed;
    const gpci_ctrl *ctrl = &t->l2[slice];
    const bool due = ctrl->in.count && t->pool.links[ctrl->in.first].due <= t->wheel.now;
    if (pass == 0) {
        const uint32_t request = gpci_network_peek(ctrl->networks.requests_in, slice);
        if (ctrl->fills.count)
            gpci_sw_prefetch_packet(t, ctrl->fills.first);
        if (due)
            gpci_sw_prefetch_packet(t, ctrl->in.first);
        if (request != GPCI_NO_PACKET)
            GPCI_PREFETCH(gpci_packet_at(&t->pool, request));
        return;
    }
    if (pass != 1)
        return;
    if (due)
        gpci_ctrl_sw_prefetch(ctrl, gpci_packet_at(&t->pool, ctrl->in.first)->path.inner);
    if (!ctrl->fills.count)
        return;
    const gpci_packet *fill = gpci_packet_at(&t->pool, ctrl->fills.first);
    gpci_ctrl_sw_prefetch(ctrl, fill->request.address);
    if (fill->flags & GPCI_PACKET_FETCH)
        gpci_sw_prefetch_packet(t, fill->line.mshr_target);
}
