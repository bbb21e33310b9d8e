/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/rules/level_rules.h"
#include "timed/core/coherent.h"
#include "timed/core/event_log.h"

/*
 * From the L2 slices to the memory channels and back: bursts of a packet go into the channel's queue, over a link if
 * present, or to the host's memory.
 *
 * Example, 80 slices, 40 channels, interleaved by 256 bytes: slices 6 and 7 share channel 3, in turns of 256 bytes of
 * the addresses.
 */

/* Most DRAM cycles to catch up with in a core cycle. */
#define TICKS 16u

uint32_t gpci_channel_of(const gpci_timed *t, uint32_t slice, uint64_t inner, uint64_t *local) {
    if (GPCI_UNLIKELY(t->h->address_map != NULL)) { /* DRAM finds bank and row by the same mapping */
        *local = gpci_l2_host_address(t->h, slice, inner);
        return slice / t->slices_per_channel;
    }
    uint64_t chunk = t->interleave_bytes, number = inner / chunk, offset = inner % chunk;
    if (t->h->slices >= t->channels) {
        uint32_t channel = (uint32_t)((uint64_t)slice * t->channels / t->h->slices);
        uint32_t first = (uint32_t)(((uint64_t)channel * t->h->slices + t->channels - 1) / t->channels);
        *local = (number * t->slices_per_channel + (slice - first)) * chunk + offset;
        return channel;
    }
    *local = number / t->channels_per_slice * chunk + offset;
    return slice * t->channels_per_slice + (uint32_t)(number % t->channels_per_slice);
}

/* Put a packet's bursts into the queue while room is left; true once all are in. `path.taken`: bursts already in. */
static bool enqueue(gpci_timed *t, uint32_t packet) {
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    uint32_t channel = p->path.channel;
    bool write = p->type == GPCI_WRITE;
    uint64_t cycle = gpci_clock_own(t->dram_clock, t->wheel.now);
    uint32_t left = t->bursts_of[p->segments] & ~(uint32_t)p->path.taken;
    for (; left; left &= left - 1) {
        uint32_t burst = gpci_lowest(left);
        if (!gpci_dram_room(t->dram, channel, write))
            return false;
        gpci_dram_enqueue(t->dram, channel, p->path.local + (uint64_t)burst * t->burst, write,
                          gpci_burst_token(t, p, packet), cycle);
        gpci_wheel_wake(&t->wheel, t->memory[channel].component, t->wheel.now);
        p->path.taken |= (uint8_t)(1u << burst);
    }
    return true;
}

/* Line of a packet within the slice. */
static uint64_t inner_of(const gpci_timed *t, const gpci_packet *p) {
    return t->coherent ? p->inner : gpci_l2_line(t, p->request.address);
}

/* Offer the host the transfer of a stretch of segments. */
static bool offer(gpci_timed *t, uint32_t packet, uint8_t stretch) {
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    uint32_t first = gpci_lowest(stretch);
    uint64_t line = inner_of(t, p);
    if (t->memory[p->path.channel].host_full)
        return false;
    const uint64_t address = gpci_l2_host_address(t->h, p->path.slice, line) + first * GPCI_SEGMENT;
    gpc_memory_request request = {.address = gpci_process_plain(t->h, address),
                                  .id = ++t->memory_ids << 32 | packet,
                                  .bytes = (gpci_log2(stretch) + 1 - first) * GPCI_SEGMENT,
                                  .channel = p->path.channel,
                                  .write = p->type == GPCI_WRITE,
                                  .process = gpci_process_of(t->h, address)};
    p->path.host_id = request.id;
    t->pool.links[packet].due = GPCI_NEVER;
    const bool taken = t->callbacks.on_memory(t->callbacks.user_data, &request);
    t->memory_reads += taken && !request.write;
    t->memory[p->path.channel].host_full = !taken;
    return taken;
}

/*
 * A read is a single transfer, from the first segment to the last; a write has a transfer per stretch. `path.taken`:
 * segments.
 */
static bool offer_all(gpci_timed *t, uint32_t packet) {
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    if (p->type != GPCI_WRITE)
        return offer(t, packet, p->segments);
    for (uint8_t left; (left = p->segments & (uint8_t)~p->path.taken);) {
        uint8_t lowest = left & (uint8_t)-left, stretch = left & (uint8_t) ~(left + lowest);
        if (!offer(t, packet, stretch))
            return false;
        p->path.taken |= stretch;
    }
    return true;
}

/* Move a slice's packet into the channel, or the host's memory; false if full. A write is then done. */
static bool into_memory(gpci_timed *t, uint32_t packet) {
    return t->callbacks.on_memory ? offer_all(t, packet) : enqueue(t, packet);
}

static GPCI_COLD bool into_memory_watched(gpci_timed *t, uint32_t packet) {
    bool taken = into_memory(t, packet);
    if (taken)
        gpci_append_memory(t, gpci_packet_at(&t->pool, packet));
    return taken;
}

GPCI_INLINE bool memory_takes(gpci_timed *t, uint32_t packet) {
    return GPCI_UNLIKELY(t->log != NULL) ? into_memory_watched(t, packet) : into_memory(t, packet);
}

/* Start the first packet of a slice's miss queue. */
static void set_out(gpci_timed *t, const gpci_ctrl *slice, uint32_t packet) {
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    const uint64_t line = inner_of(t, p);
    t->pool.links[packet].due = GPCI_NEVER;
    p->path.taken = 0;
    p->path.bursts = (uint8_t)gpci_popcount(t->bursts_of[p->segments]);
    p->path.slice = (uint16_t)slice->index;
    p->path.channel = (uint16_t)gpci_channel_of(t, slice->index, line, &p->path.local);
}

static void over_link(gpci_timed *t, gpci_ctrl *slice) {
    while (slice->out.count && gpci_network_can_send(slice->networks.requests_out, slice->index)) {
        uint32_t packet = gpci_queue_pop(&slice->out, &t->pool, t->wheel.now);
        gpci_packet *p = gpci_packet_at(&t->pool, packet);
        set_out(t, slice, packet);
        gpci_ctrl_resource_freed(slice, GPC_BUSY_MISS_QUEUE);
        uint32_t bytes = p->type == GPCI_WRITE ? gpci_packet_bytes(p) : 0;
        gpci_network_send(slice->networks.requests_out, slice->index, p->path.channel, t->header + bytes, packet);
    }
}

/* A packet's data have been read or written: the packet returns to the owner. */
typedef void (*done_fn)(gpci_timed *t, uint32_t packet);

/* Send packets of a slice's miss queue while the channels accept. */
GPCI_INLINE void into_channels(gpci_timed *t, gpci_ctrl *slice, done_fn written) {
    while (slice->out.count && !slice->memory_full) {
        uint32_t packet = slice->out.first;
        gpci_packet *p = gpci_packet_at(&t->pool, packet);
        uint32_t next = t->pool.links[packet].next;
        bool write = p->type == GPCI_WRITE;
        if (t->pool.links[packet].due != GPCI_NEVER)
            set_out(t, slice, packet);
        slice->memory_full = !memory_takes(t, packet);
        if (slice->memory_full)
            return;
        t->pool.links[packet].next = next;
        gpci_queue_pop(&slice->out, &t->pool, t->wheel.now);
        gpci_ctrl_resource_freed(slice, GPC_BUSY_MISS_QUEUE);
        if (write)
            written(t, packet);
    }
}

static void give(gpci_timed *t, uint32_t packet) {
    gpci_pool_give(&t->pool, packet);
}

/* A packet of the slice starts towards the channel's queue. */
static void delay(gpci_timed *t, gpci_ctrl *slice, gpci_memory_channel *m) {
    const uint64_t now = t->wheel.now, own = gpci_clock_own(t->dram_clock, now);
    const uint32_t packet = gpci_queue_pop(&slice->out, &t->pool, now);
    set_out(t, slice, packet);
    t->pool.links[packet].due = gpci_clock_core(t->dram_clock, own + t->dram_delay);
    gpci_queue_push(&m->delayed, &t->pool, now, packet);
    gpci_ctrl_resource_freed(slice, GPC_BUSY_MISS_QUEUE);
    gpci_wheel_wake(&t->wheel, slice->component, now + 1);
}

/* Put the first started packet into the queue; false: no room for all bursts yet. */
static bool enter_queue(gpci_timed *t, gpci_memory_channel *m) {
    const uint32_t packet = m->delayed.first, next = t->pool.links[packet].next;
    const bool write = gpci_packet_at(&t->pool, packet)->type == GPCI_WRITE, taken = memory_takes(t, packet);
    t->pool.links[packet].next = next;
    if (!taken)
        return false;
    gpci_queue_pop(&m->delayed, &t->pool, t->wheel.now);
    if (write)
        gpci_pool_give(&t->pool, packet);
    return true;
}

/*
 * dram.latency_at = request: per DRAM cycle a packet leaves the slice, and another enters the channel's queue
 * dram.latency later, while the queue has room. Any number are on the way.
 * [GPGPU-Sim 3.2, l2cache.cc: memory_partition_unit::dram_cycle]
 */
static void run_delayed(gpci_timed *t, uint32_t channel) {
    gpci_memory_channel *m = &t->memory[channel];
    gpci_ctrl *slice = &t->l2[channel];
    const uint64_t now = t->wheel.now, own = gpci_clock_own(t->dram_clock, now);
    bool stuck = false;
    uint64_t ticks = own - m->ticked;
    m->ticked = own;
    for (ticks = ticks < TICKS ? ticks : TICKS; ticks && !stuck; ticks--) {
        stuck = !gpci_dram_room(t->dram, channel, false);
        if (!stuck && slice->out.count)
            delay(t, slice, m);
        if (!stuck && m->delayed.count && t->pool.links[m->delayed.first].due <= now)
            stuck = !enter_queue(t, m);
    }
    if (stuck || (!slice->out.count && !m->delayed.count)) /* the channel is stepped after sending another */
        return;
    uint64_t next = slice->out.count ? now + 1 : t->pool.links[m->delayed.first].due;
    gpci_wheel_wake(&t->wheel, m->component, next > now ? next : now + 1);
}

void gpci_channel_send(gpci_timed *t, gpci_ctrl *slice) {
    if (t->dram_delay && !t->callbacks.on_memory)
        gpci_wheel_wake(&t->wheel, t->memory[slice->index].component, t->wheel.now + 1);
    else if (slice->networks.requests_out)
        over_link(t, slice);
    else
        into_channels(t, slice, give);
}

/* Packets here are only accesses: messages have passed the link, if present. */
void gpci_coherent_channel_send(gpci_timed *t, gpci_ctrl *slice) {
    into_channels(t, slice, gpci_message_memory_done);
}

/* A read has all data: return the data to the slice. */
void gpci_channel_done(gpci_timed *t, uint32_t packet) {
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    uint32_t channel = p->path.channel;
    gpci_memory_channel *m = &t->memory[channel];
    p->level = 3;
    t->pool.links[packet].due = t->wheel.now;
    if (m->replies_out) {
        p->path.size = t->header + gpci_packet_bytes(p);
        gpci_queue_push(&m->replies, &t->pool, t->wheel.now, packet); /* the channel is under step, or woken behind */
        return;
    }
    gpci_queue_push(&t->l2[p->path.slice].fills, &t->pool, t->wheel.now, packet);
    gpci_wheel_wake(&t->wheel, t->l2[p->path.slice].component, t->wheel.now);
}

/* Take packets that came over the link from the slices. */
static void take_linked(gpci_timed *t, uint32_t channel) {
    gpci_memory_channel *m = &t->memory[channel];
    for (;;) {
        if (m->waiting == GPCI_NO_PACKET) {
            if (gpci_network_peek(m->requests_in, channel) == GPCI_NO_PACKET)
                return;
            m->waiting = gpci_network_receive(m->requests_in, channel);
        }
        uint32_t packet = m->waiting;
        gpci_packet *p = gpci_packet_at(&t->pool, packet);
        bool write = p->type == GPCI_WRITE;
        if (!memory_takes(t, packet))
            return;
        m->waiting = GPCI_NO_PACKET;
        if (write)
            gpci_pool_give(&t->pool, packet);
    }
}

static void send_replies(gpci_timed *t, uint32_t channel) {
    gpci_memory_channel *m = &t->memory[channel];
    while (m->replies.count &&
           gpci_network_can_take(m->replies_out, channel, gpci_packet_at(&t->pool, m->replies.first)->path.size)) {
        uint32_t packet = gpci_queue_pop(&m->replies, &t->pool, t->wheel.now);
        const gpci_packet *p = gpci_packet_at(&t->pool, packet);
        gpci_network_send(m->replies_out, channel, p->path.slice, p->path.size, packet);
    }
}

/* True if memory has room for a slice's waiting packet. */
static bool may_send(const gpci_timed *t, const gpci_ctrl *slice) {
    const gpci_packet *p = gpci_packet_at(&t->pool, slice->out.first);
    return t->callbacks.on_memory ? !t->memory[p->path.channel].host_full
                                  : gpci_dram_room(t->dram, p->path.channel, p->type == GPCI_WRITE);
}

/* Only slices of the channel wait for room in the channel: few, and adjacent. */
static void wake_slices(gpci_timed *t, uint32_t channel) {
    uint32_t first = (uint32_t)(((uint64_t)channel * t->h->slices + t->channels - 1) / t->channels);
    uint32_t count = t->slices_per_channel;
    if (t->h->slices < t->channels) {
        first = channel / t->channels_per_slice;
        count = 1;
    }
    for (uint32_t slice = first; slice < first + count && slice < t->h->slices; slice++)
        if (t->l2[slice].memory_full && may_send(t, &t->l2[slice])) {
            t->l2[slice].memory_full = false;
            gpci_wheel_wake(&t->wheel, t->l2[slice].component, t->wheel.now);
        }
}

/* Run the channel up to the present cycle. */
GPCI_INLINE void run_dram(gpci_timed *t, uint32_t channel, done_fn read) {
    uint64_t token, next = gpci_dram_run(t->dram, channel, gpci_clock_own(t->dram_clock, t->wheel.now));
    bool write;
    while (gpci_dram_done(t->dram, channel, &token, &write))
        if (!write && !--gpci_packet_at(&t->pool, (uint32_t)token)->path.bursts) {
            gpci_log_data(t, gpci_packet_at(&t->pool, (uint32_t)token));
            read(t, (uint32_t)token);
        }
    if (next != GPCI_NEVER)
        gpci_wheel_wake(&t->wheel, t->memory[channel].component, gpci_clock_core(t->dram_clock, next));
}

void gpci_channel_step(const gpci_group *group, uint32_t channel) {
    gpci_timed *t = group->timed;
    if (!t->memory[channel].requests_in) {
        run_dram(t, channel, gpci_channel_done);
        if (GPCI_UNLIKELY(t->dram_delay) && !t->callbacks.on_memory) { /* the host's memory has a latency already */
            run_delayed(t, channel);
            run_dram(t, channel, gpci_channel_done);
        }
        wake_slices(t, channel);
        return;
    }
    take_linked(t, channel);
    run_dram(t, channel, gpci_channel_done);
    take_linked(t, channel);
    send_replies(t, channel);
}

void gpci_coherent_channel_step(const gpci_group *group, uint32_t channel) {
    gpci_timed *t = group->timed;
    bool linked = t->memory[channel].requests_in != NULL;
    if (linked)
        gpci_coherent_channel_receive(t, channel);
    run_dram(t, channel, gpci_message_memory_done);
    if (linked) {
        gpci_coherent_channel_receive(t, channel);
        send_replies(t, channel);
    }
    wake_slices(t, channel);
}

gpc_status gpci_channel_reply(gpci_timed *t, uint64_t id) {
    uint32_t packet = (uint32_t)id;
    if (!gpci_pool_is_whole(&t->pool, packet))
        return GPC_ERROR_ARGUMENT;
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    if (!id || p->path.host_id != id || t->pool.links[packet].due != GPCI_NEVER || p->type == GPCI_WRITE)
        return GPC_ERROR_ARGUMENT;
    p->path.host_id = 0;
    t->memory_reads--;
    uint32_t channel = p->path.channel;
    gpci_log_data(t, p);
    t->memory[channel].done(t, packet);
    gpci_channel_ready(t, channel);
    return GPC_OK;
}

void gpci_channel_ready(gpci_timed *t, uint32_t channel) {
    t->memory[channel].host_full = false;
    wake_slices(t, channel);
    gpci_wheel_wake(&t->wheel, t->memory[channel].component, t->wheel.now);
}
