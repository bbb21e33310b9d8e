/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/rules/level_rules.h"
#include "timed/core/changes.h"
#include "timed/core/tags.h"
#include "timed/l1/multicast.h"
#include "timed/l2/l2_send.h"
#include "timed/l2/port.h"
#include "timed/stage/atomic_unit.h"
#include "timed/stage/prefetch.h"
#include "timed/stage/written.h"

/*
 * An L2 slice: packets of SMs, and of the peer slice in the other partition. level/rules/level_rules.h says how a
 * packet is handled; this file, when.
 */

static uint32_t partition_of(const gpci_timed *t, const gpci_stage *stage) {
    return stage->index / t->h->slices_per_partition;
}

static uint32_t peer_of(const gpci_timed *t, const gpci_stage *stage) {
    uint32_t half = t->h->slices_per_partition;
    return stage->index < half ? stage->index + half : stage->index - half;
}

static bool is_remote(const gpci_timed *t, const gpci_stage *stage, const gpci_packet *p) {
    return stage->peer_requests && gpci_l2_home(t->h, p->address) != partition_of(t, stage);
}

static bool has_reply(const gpci_packet *p) {
    return !(p->flags & GPCI_PACKET_POSTED);
}

/* True if a slice's atomics wait for an atomic unit. A slice without cache has no unit. */
static bool is_limited(const gpci_timed *t, const gpci_stage *stage) {
    return gpci_atomics_are_limited(t) && stage->cache;
}

/* Queue of a packet's reply. */
static const gpci_queue *reply_queue(const gpci_timed *t, const gpci_stage *stage, const gpci_packet *p) {
    return GPCI_UNLIKELY(p->type == GPCI_ATOMIC) && is_limited(t, stage) ? &stage->atomics : &stage->served;
}

/* Bytes of a reply: an atomic returns the values found; a store and a reduction are only acknowledged. */
static uint32_t reply_bytes(const gpci_packet *p) {
    return p->type == GPCI_WRITE || p->request.kind == GPC_REDUCTION ? 0 : gpci_packet_bytes(p);
}

/* A packet is served: return it as the reply once the data are out of the port. A reduction replies, too. */
GPCI_INLINE void serve(gpci_timed *t, gpci_stage *stage, uint32_t packet, gpci_packet *p, uint8_t level) {
    if (!has_reply(p)) {
        gpci_pool_give(&t->pool, packet);
        return;
    }
    uint32_t bytes = p->type == GPCI_WRITE ? 0 : gpci_packet_bytes(p);
    const bool waits = GPCI_UNLIKELY(p->type == GPCI_ATOMIC) && is_limited(t, stage);
    uint64_t due = gpci_stage_data(stage, t->wheel.now, bytes);
    if (waits) {
        const uint64_t performed = gpci_atomic_perform(stage, t->wheel.now, p->turns);
        due = performed > due ? performed : due;
    }
    p->level = level;
    gpci_see(t, GPC_WHAT_SERVE, stage, p, due);
    if (p->type == GPCI_READ)
        p->request.policy_word = gpc_cache_respond(stage->cache, &p->request); /* 0 without a cache */
    p->path.size = t->header + reply_bytes(p);
    p->type = GPCI_REPLY;
    t->pool.links[packet].due = due;
    gpci_queue *queue = waits ? &stage->atomics : &stage->served;
    gpci_queue_push(queue, &t->pool, t->wheel.now, packet);
    if (queue->count == 1) /* otherwise the slice wakes earlier, for the packet ahead */
        gpci_wheel_wake(&t->wheel, stage->component, due);
}

/* A packet waiting at an MSHR entry has data now. */
static void released(gpci_timed *t, gpci_stage *stage, uint32_t packet, uint8_t level) {
    serve(t, stage, packet, gpci_packet_at(&t->pool, packet), level);
}

const gpci_stage_rules gpci_l2_stage = {.send = gpci_l2_send_fetch,
                                        .evicted = gpci_l2_evicted,
                                        .released = released,
                                        .hold_up = gpci_stage_wait,
                                        .passed_by = gpci_stage_tell_nobody};

/* Count a read. Sectors hit if valid or in flight, as hardware counts. The prefetcher sees all reads. */
static void count_read(gpci_timed *t, gpci_stage *stage, const gpci_packet *p, unsigned shift,
                       const gpci_tag_access *access) {
    const uint32_t slice = stage->index;
    uint8_t flying = t->h->l2_level.sectors_of[access->flying], hits = access->result.hit_sectors | flying;
    const uint32_t sectors = gpci_count_sectors(p->segments),
                   found = gpci_count_sectors(gpci_l2_segments(t->h, shift, hits, p->segments));
    gpci_count_l2_read(t->h, slice, sectors, found);
    gpci_count_l2_persisting(t->h, slice, p->request.priority, sectors, found);
    gpci_stream_l2_read(t->h, slice, &p->request, sectors, found);
    if (GPCI_UNLIKELY(p->request.space > GPC_SPACE_LOCAL))
        gpci_count_l2_read_only(t->h, slice, (gpc_space)p->request.space, sectors, found);
    if (GPCI_UNLIKELY(stage->prefetch != NULL))
        gpci_prefetch_train(t, stage, p, access, found == sectors);
    if (!flying)
        return;
    uint32_t pending = gpci_count_sectors(gpci_l2_segments(t->h, shift, flying, p->segments));
    gpci_count_l2_pending(t->h, slice, pending);
    if (gpci_packet_at(&t->pool, access->leader)->request.sm != p->request.sm)
        gpci_count_l2_merge(t->h, slice, pending);
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
static void drop_near(gpci_timed *t, gpci_stage *stage, const gpci_packet *p) {
    if (p->type == GPCI_WRITE && gpci_l1_for(t->h, p->request.sm, p->request.space))
        return;
    const uint64_t line = gpci_l2_line(t, p->path.inner);
    const uint8_t segments = (uint8_t)(p->segments << gpci_l2_shift(t->h, p->address));
    gpci_see_dropped(t->h, stage->cache, GPC_COMPONENT_L2, stage->index, line, p->address);
    gpc_cache_invalidate_line(stage->cache, line);
    gpci_stage_outdate(t, stage, line, segments);
}

/* A write or an atomic of a line homed in the other partition goes there. */
static gpci_verdict pass_on(gpci_timed *t, gpci_stage *stage, uint32_t packet, gpci_tag_access *access) {
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    if (gpci_queue_full(&stage->link))
        return gpci_stage_block(stage, access, t->wheel.now, GPC_BUSY_MISS_QUEUE);
    drop_near(t, stage, p);
    p->flags |= GPCI_PACKET_LINK;
    gpci_count_l2_remote(t->h, stage->index, gpci_count_sectors(p->segments));
    gpci_see(t, GPC_WHAT_QUEUE, stage, p, 0);
    gpci_queue_push(&stage->link, &t->pool, t->wheel.now, packet);
    return GPCI_WAITING;
}

/* Without a cache all packets go to memory. An atomic reads and writes. */
static gpci_verdict pass_uncached(gpci_timed *t, gpci_stage *stage, uint32_t packet, gpci_tag_access *access) {
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    if (gpci_queue_full(&stage->out))
        return gpci_stage_block(stage, access, t->wheel.now, GPC_BUSY_MISS_QUEUE);
    uint8_t segments = (uint8_t)(p->segments << gpci_l2_shift(t->h, p->address));
    p->request.address = p->path.inner;
    if (p->type != GPCI_READ)
        gpci_changes_note(t, stage, p->path.inner);
    if (p->type != GPCI_READ)
        gpci_l2_write_memory(t, stage, gpci_l2_line(t, p->path.inner), segments);
    if (p->type == GPCI_WRITE) {
        serve(t, stage, packet, p, 3);
        return GPCI_SERVED;
    }
    gpci_l2_count_memory_read(t->h, stage->index, p);
    gpci_see(t, GPC_WHAT_QUEUE, stage, p, 0);
    gpci_queue_push(&stage->out, &t->pool, t->wheel.now, packet);
    return GPCI_WAITING;
}

/* kernels.code = l2: fill code missing in the home slice without a fetch. */
static GPCI_COLD void put_code(gpci_timed *t, gpci_stage *stage, const gpci_packet *p) {
    gpc_access_result got = {.way = GPCI_NO_WAY};
    gpc_line line = {.valid_sectors = 0};
    gpci_line_of(stage->cache, p->request.address, &line);
    const uint8_t lacks = p->request.sector_mask & (uint8_t)~line.valid_sectors;
    if (!lacks)
        return;
    const gpc_status status = gpc_cache_fill(stage->cache, &p->request, lacks, &got);
    t->failed = status < 0 ? status : t->failed;
    if (got.evicted)
        gpci_stage_evicted(t, stage, p, &got.eviction);
}

/* A line changes at home: a copy in the other partition leaves, and what is on its way there may be older. */
static void change(gpci_timed *t, const gpci_stage *stage, const gpci_packet *p, unsigned shift) {
    gpci_changes_note(t, stage, p->request.address);
    gpci_l2_drop_copy(t->h, stage->index, p->request.address, p->address);
    if (stage->peer_requests)
        gpci_stage_outdate(t, &t->l2[peer_of(t, stage)], p->request.address, (uint8_t)(p->segments << shift));
}

static gpci_verdict pass(gpci_timed *t, gpci_stage *stage, uint32_t packet, gpci_packet *p, gpci_tag_access *access,
                         bool remote) {
    gpc_access_result *r = &access->result;
    if (!stage->cache)
        return pass_uncached(t, stage, packet, access);
    if (has_reply(p) && gpci_queue_full(reply_queue(t, stage, p)) && !(p->flags & GPCI_PACKET_LINK))
        return gpci_stage_block(stage, access, t->wheel.now, GPC_BUSY_NETWORK);
    if (remote && p->type != GPCI_READ)
        return pass_on(t, stage, packet, access);
    if (p->type != GPCI_READ && gpci_queue_full(&stage->out)) /* may write to memory, or evict */
        return gpci_stage_block(stage, access, t->wheel.now, GPC_BUSY_MISS_QUEUE);
    if (!access->looked) {
        unsigned shift = prepare(t, p);
        if (p->type != GPCI_READ)
            change(t, stage, p, shift);
        if (GPCI_UNLIKELY(p->request.space == GPC_SPACE_INSTRUCTION) && t->h->code_in_l2 && !remote)
            put_code(t, stage, p);
        gpci_stage_look(t, stage, p, access);
        gpci_see_lookup(t, stage, p, access);
        if (p->type != GPCI_READ)
            gpci_l2_count_change(t->h, stage->index, &p->request, shift, p->segments, p->bytes, r);
        else if (!(p->flags & GPCI_PACKET_LINK))
            count_read(t, stage, p, shift, access);
        if (r->evicted)
            gpci_stage_evicted(t, stage, p, &r->eviction);
    }
    gpci_verdict verdict = gpci_stage_settle(t, stage, packet, access, remote);
    if (verdict == GPCI_BLOCKED)
        return verdict;
    if (r->write_sectors)
        gpci_l2_write_memory(
            t, stage, gpci_l2_line(t, p->request.address),
            gpci_l2_written(&p->request, r, (uint8_t)(p->segments << gpci_l2_shift(t->h, p->address))));
    if (verdict == GPCI_SERVED)
        serve(t, stage, packet, p, 2);
    return verdict;
}

static void again(gpci_timed *t, gpci_stage *stage) {
    gpci_clock clock = stage->options->clock;
    gpci_wheel_wake(&t->wheel, stage->component, gpci_clock_core(clock, gpci_clock_own(clock, t->wheel.now) + 1));
}

/* True if a read must wait for a write of the same sectors, in the home slice. */
GPCI_INLINE bool is_held(gpci_timed *t, gpci_stage *stage, const gpci_packet *p, const gpci_tag_access *access,
                         bool remote) {
    return GPCI_UNLIKELY(stage->written != NULL) && !access->looked && !remote &&
           gpci_written_holds(t, stage, p, access != stage->tag_access);
}

/* As `pass`, for a write that blocks reads of the written sectors. */
static GPCI_NOINLINE gpci_verdict pass_and_note(gpci_timed *t, gpci_stage *stage, uint32_t packet, gpci_packet *p,
                                                gpci_tag_access *access) {
    uint8_t sectors = 0;
    const uint64_t line = gpci_written_line(t, p, &sectors);
    const gpci_verdict verdict = pass(t, stage, packet, p, access, false);
    if (verdict != GPCI_BLOCKED)
        gpci_written_note(t, stage, line, sectors);
    return verdict;
}

GPCI_INLINE gpci_verdict pass_by(gpci_timed *t, gpci_stage *stage, uint32_t packet, gpci_packet *p,
                                 gpci_tag_access *access, bool remote) {
    if (GPCI_UNLIKELY(stage->written != NULL) && p->type == GPCI_WRITE && !remote)
        return pass_and_note(t, stage, packet, p, access);
    return pass(t, stage, packet, p, access, remote);
}

/* Requests of the other partition for lines homed here pass first: they never wait for a link. */
static void run_link_tags(gpci_timed *t, gpci_stage *stage) {
    gpci_tag_access *access = &stage->tag_access[1];
    while (!gpci_stage_stuck(access)) {
        if (stage->link_at == GPCI_NO_PACKET) {
            if (gpci_network_peek(stage->peer_requests, stage->index) == GPCI_NO_PACKET)
                return;
            stage->link_at = gpci_network_receive(stage->peer_requests, stage->index);
        }
        gpci_packet *p = gpci_packet_at(&t->pool, stage->link_at);
        if (is_held(t, stage, p, access, false))
            return;
        if (!gpci_stage_port(stage, t->wheel.now, p->address)) {
            again(t, stage);
            return;
        }
        if (pass_by(t, stage, stage->link_at, p, access, false) == GPCI_BLOCKED) {
            gpci_see_blocked(t, stage, p, access);
            return;
        }
        stage->link_at = GPCI_NO_PACKET;
        gpci_tags_free(stage, access, t->wheel.now);
    }
}

static void run_tags(gpci_timed *t, gpci_stage *stage) {
    gpci_tag_access *access = &stage->tag_access[0];
    uint64_t now = t->wheel.now;
    if (gpci_stage_stuck(access))
        return;
    while (stage->in.count) {
        uint32_t packet = stage->in.first;
        const gpci_packet_link *link = &t->pool.links[packet];
        if (link->due > now) /* the slice is woken at the end of the step */
            return;
        if (gpci_stage_ports_used(stage, now)) {
            again(t, stage);
            return;
        }
        gpci_expect_link(&t->pool, link->next);
        gpci_packet *p = gpci_packet_at(&t->pool, packet);
        const bool remote = is_remote(t, stage, p);
        if (is_held(t, stage, p, access, remote))
            return;
        if (!gpci_stage_port(stage, now, p->address)) {
            again(t, stage);
            return;
        }
        const uint32_t next = gpci_tags_take(t, &stage->in);
        if (pass_by(t, stage, packet, p, access, remote) == GPCI_BLOCKED) {
            gpci_tags_put_back(t, stage, &stage->in, packet, next, access);
            return;
        }
        gpci_tags_passed(stage, &stage->in, access, now);
    }
}

static void count_congestion(const gpci_timed *t, gpci_stage *stage) {
    const bool congested = gpci_network_peek(stage->requests_in, stage->index) != GPCI_NO_PACKET;
    if (stage->congested_since != GPCI_NEVER)
        stage->congested += t->wheel.now - stage->congested_since;
    stage->congested_since = congested ? t->wheel.now : GPCI_NEVER;
}

/*
 * l2.intake = queue: a packet per cycle leaves the network (or comes from a port) while the queue before the tags has
 * room; a packet per cycle enters the queue the latency later. The stretch between is unlimited: while the tags are
 * held up, no further packet starts, and packets outside have the full latency ahead.
 * [GPGPU-Sim 3.2, l2cache.cc: memory_partition_unit::full, push, cache_cycle]
 */
static void enter_rop(gpci_timed *t, gpci_stage *stage) {
    const uint64_t now = t->wheel.now;
    const bool comes = gpci_network_peek(stage->requests_in, stage->index) != GPCI_NO_PACKET,
               entered = GPCI_UNLIKELY(t->groups[GPCI_GROUP_PORTS].objects) && gpci_ports_enter(t, stage, comes);
    if (!entered && comes && !gpci_queue_full(&stage->in)) {
        const uint32_t packet = gpci_network_receive(stage->requests_in, stage->index);
        t->pool.links[packet].due = gpci_clock_after(stage->options->clock, now, t->rop_latency);
        gpci_queue_push(&stage->rop, &t->pool, now, packet);
    }
    count_congestion(t, stage);
}

static void leave_rop(gpci_timed *t, gpci_stage *stage) {
    const gpci_clock clock = stage->options->clock;
    const uint64_t now = t->wheel.now, next = gpci_clock_core(clock, gpci_clock_own(clock, now) + 1);
    if (stage->rop.count && t->pool.links[stage->rop.first].due <= now && !gpci_queue_full(&stage->in)) {
        const uint32_t packet = gpci_queue_pop(&stage->rop, &t->pool, now);
        t->pool.links[packet].due = next;
        gpci_queue_push(&stage->in, &t->pool, now, packet);
    }
    if (gpci_queue_full(&stage->in)) /* packets leaving `in` step the slice */
        return;
    if (gpci_network_peek(stage->requests_in, stage->index) != GPCI_NO_PACKET || gpci_ports_wait(t, stage))
        gpci_wheel_wake(&t->wheel, stage->component, next);
    if (stage->rop.count) {
        const uint64_t due = t->pool.links[stage->rop.first].due;
        gpci_wheel_wake(&t->wheel, stage->component, due > next ? due : next);
    }
}

/* Take packets from the network into the pipeline before the tags, while room is left. */
static void run_in(gpci_timed *t, gpci_stage *stage) {
    uint64_t now = t->wheel.now;
    if (GPCI_UNLIKELY(t->groups[GPCI_GROUP_PORTS].objects))
        gpci_ports_enter(t, stage, gpci_network_peek(stage->requests_in, stage->index) != GPCI_NO_PACKET);
    while (!gpci_queue_full(&stage->in) && gpci_network_peek(stage->requests_in, stage->index) != GPCI_NO_PACKET) {
        uint32_t packet = gpci_network_receive(stage->requests_in, stage->index);
        t->pool.links[packet].due = gpci_clock_after(stage->options->clock, now, t->rop_latency);
        gpci_queue_push(&stage->in, &t->pool, now, packet);
    }
    count_congestion(t, stage);
}

/* Fill a fetch of a slice with a prefetcher. */
static GPCI_COLD void fill_marked(gpci_timed *t, gpci_stage *stage, uint32_t packet) {
    const gpci_packet *p = gpci_packet_at(&t->pool, packet);
    const uint64_t address = p->request.address;
    const bool unclaimed = gpci_prefetch_returns(t, stage, p);
    gpci_stage_fill(t, stage, packet);
    gpci_prefetch_kept(stage, address, unclaimed);
}

/* Take data from memory, or from the other partition. */
static void take_fill(gpci_timed *t, gpci_stage *stage, uint32_t packet) {
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    gpci_clock clock = stage->options->clock;
    uint32_t bytes = gpci_packet_bytes(p), width = stage->options->fill_width;
    stage->fill_free = gpci_clock_own(clock, t->wheel.now) + (bytes + width - 1) / width;
    if (!stage->cache) {
        serve(t, stage, packet, p, p->level);
    } else if (p->flags & GPCI_PACKET_FETCH) {
        if (GPCI_UNLIKELY(stage->prefetch != NULL))
            fill_marked(t, stage, packet);
        else
            gpci_stage_fill(t, stage, packet);
    } else { /* a passed-on write or atomic is done */
        p->flags &= (uint8_t)~GPCI_PACKET_LINK;
        t->pool.links[packet].due = t->wheel.now;
        gpci_queue_push(&stage->returned, &t->pool, t->wheel.now, packet);
    }
}

static void run_fills(gpci_timed *t, gpci_stage *stage) {
    gpci_clock clock = stage->options->clock;
    for (;;) {
        bool link = stage->peer_replies && gpci_network_peek(stage->peer_replies, stage->index) != GPCI_NO_PACKET;
        bool memory = stage->replies_in && gpci_network_peek(stage->replies_in, stage->index) != GPCI_NO_PACKET;
        if (!link && !memory && !stage->fills.count)
            return;
        if (stage->fill_free > gpci_clock_own(clock, t->wheel.now)) {
            gpci_wheel_wake(&t->wheel, stage->component, gpci_clock_core(clock, stage->fill_free));
            return;
        }
        uint32_t packet = stage->fills.count ? gpci_queue_pop(&stage->fills, &t->pool, t->wheel.now)
                          : memory           ? gpci_network_receive(stage->replies_in, stage->index)
                                             : gpci_network_receive(stage->peer_replies, stage->index);
        take_fill(t, stage, packet);
    }
}

/* Send the first of a queue of replies, if due and accepted by the network. */
GPCI_INLINE bool send_reply(gpci_timed *t, gpci_stage *stage, gpci_queue *queue) {
    uint32_t packet = queue->first;
    const uint64_t due = t->pool.links[packet].due;
    if (due > t->wheel.now) {
        gpci_wheel_wake(&t->wheel, stage->component, due);
        return false;
    }
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    bool link = p->flags & GPCI_PACKET_LINK;
    if (GPCI_UNLIKELY(p->flags & GPCI_PACKET_PORT) && !link) {
        gpci_queue_pop(queue, &t->pool, t->wheel.now);
        gpci_stage_relieve(stage, GPC_BUSY_NETWORK);
        gpci_port_reply(t, packet);
        return true;
    }
    if (!gpci_network_can_take(link ? stage->peer_replies : stage->replies_out, stage->index, p->path.size))
        return false;
    if (!link && gpci_packet_is_multicast(p) && !gpci_multicast_send(t, stage, p))
        return false;
    gpci_queue_pop(queue, &t->pool, t->wheel.now);
    gpci_stage_relieve(stage, GPC_BUSY_NETWORK);
    if (link)
        gpci_network_send(stage->peer_replies, stage->index, peer_of(t, stage), p->path.size, packet);
    else
        gpci_network_send(stage->replies_out, stage->index, p->request.sm, p->path.size, packet);
    return true;
}

static GPCI_NOINLINE void run_other_replies(gpci_timed *t, gpci_stage *stage) {
    while (stage->returned.count && send_reply(t, stage, &stage->returned))
        ;
    while (stage->atomics.count && send_reply(t, stage, &stage->atomics))
        ;
}

GPCI_INLINE void run_served(gpci_timed *t, gpci_stage *stage) {
    while (stage->served.count && send_reply(t, stage, &stage->served))
        ;
    if (GPCI_UNLIKELY(stage->returned.count | stage->atomics.count))
        run_other_replies(t, stage);
}

static void run_link_out(gpci_timed *t, gpci_stage *stage) {
    while (stage->link.count && gpci_network_can_send(stage->peer_requests, stage->index)) {
        uint32_t packet = gpci_queue_pop(&stage->link, &t->pool, t->wheel.now);
        gpci_stage_relieve(stage, GPC_BUSY_MISS_QUEUE);
        gpci_packet *p = gpci_packet_at(&t->pool, packet);
        gpci_network_send(stage->peer_requests, stage->index, peer_of(t, stage), t->header + gpci_packet_payload(t, p),
                          packet);
    }
}

GPCI_INLINE void run_requests(gpci_timed *t, gpci_stage *stage) {
    if (stage->out.count)
        gpci_channel_send(t, stage);
    if (stage->link.count)
        run_link_out(t, stage);
}

void gpci_slice_step(const gpci_group *group, uint32_t slice) {
    gpci_timed *t = group->timed;
    gpci_stage *stage = &t->l2[slice];
    run_fills(t, stage);
    run_served(t, stage);
    run_requests(t, stage);
    if (stage->peer_requests)
        run_link_tags(t, stage);
    if (GPCI_UNLIKELY(t->rop_apart))
        enter_rop(t, stage);
    run_tags(t, stage);
    if (GPCI_UNLIKELY(t->rop_apart))
        leave_rop(t, stage);
    else
        run_in(t, stage);
    if (GPCI_UNLIKELY(stage->prefetch != NULL))
        gpci_prefetch_step(t, stage);
    /* a packet just served wakes the slice when due: most often later */
    if (stage->served.count && t->pool.links[stage->served.first].due <= t->wheel.now)
        run_served(t, stage);
    run_requests(t, stage);
    if (gpci_stage_eager(&stage->tag_access[0]) || gpci_stage_eager(&stage->tag_access[1]))
        again(t, stage);
    else if (stage->in.count && stage->tag_access[0].reason == GPC_BUSY_NOT && !gpci_written_waits(t, stage))
        gpci_wheel_wake(&t->wheel, stage->component, t->pool.links[stage->in.first].due);
}

/*
 * Prefetch (host memory). Packets from the network do not pass the tags yet, and packets before the tags may not be
 * due.
 */
void gpci_slice_expect(const gpci_group *group, uint32_t slice, unsigned pass) {
    const gpci_timed *t = group->timed;
    const gpci_stage *stage = &t->l2[slice];
    const bool due = stage->in.count && t->pool.links[stage->in.first].due <= t->wheel.now;
    if (pass == 0) {
        const uint32_t request = gpci_network_peek(stage->requests_in, slice);
        if (stage->fills.count)
            gpci_expect_packet(t, stage->fills.first);
        if (due)
            gpci_expect_packet(t, stage->in.first);
        if (request != GPCI_NO_PACKET)
            GPCI_PREFETCH(gpci_packet_at(&t->pool, request));
        return;
    }
    if (pass != 1)
        return;
    if (due)
        gpci_stage_expect(stage, gpci_packet_at(&t->pool, stage->in.first)->path.inner);
    if (!stage->fills.count)
        return;
    const gpci_packet *fill = gpci_packet_at(&t->pool, stage->fills.first);
    gpci_stage_expect(stage, fill->request.address);
    if (fill->flags & GPCI_PACKET_FETCH)
        gpci_expect_packet(t, fill->line.waiter);
}
