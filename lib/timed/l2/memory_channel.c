/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/l2/l2_send.h"

#include "level/rules/level_rules.h"
#include "timed/core/coherent.h"
#include "timed/l2/memory_cache_ctrl.h"

/*
 * From the L2 slices to the memory channels and back: bursts of a packet go into the channel's queue, over a link if
 * present, or to the host's memory.
 *
 * Example, 80 slices, 40 channels, interleaved by 256 bytes: slices 6 and 7 share channel 3, in turns of 256 bytes of
 * the addresses.
 */

/* Packets from a slice to memory or to the other partition: reads of MSHR entries, writes, write-backs. */

void gpci_l2_write_memory(gpci_timed *timed, gpci_ctrl *ctrl, uint64_t inner, uint8_t segments) {
    if (!segments)
        return;
    uint32_t packet = gpci_pool_take(&timed->pool);
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    *pkt = (gpci_packet){.request = gpci_request_of_nobody(timed->hierarchy, inner,
                                                           gpci_l2_host_address(timed->hierarchy, ctrl->index, inner),
                                                           0, GPC_STORE),
                         .born = timed->wheel.now,
                         .line = {.inflight = UINT32_MAX},
                         .segments = segments,
                         .type = GPCI_WRITE,
                         .flags = GPCI_PACKET_POSTED};
    if (GPCI_LIKELY(!timed->memory_caches)) {
        gpci_count_slice_dram_write(timed->hierarchy, ctrl->index, gpci_count_sectors(segments));
    } else {
        pkt->address = gpci_l2_host_address(timed->hierarchy, ctrl->index, inner);
        GPCI_AGAIN(timed->hierarchy->of_slice[ctrl->index].again.memory_cache_write_sectors +=
                   gpci_count_sectors(segments));
    }
    gpci_log_new_packet(timed, GPC_WHAT_WRITE_BACK, ctrl, packet, NULL, false);
    gpci_queue_push(&ctrl->out, &timed->pool, timed->wheel.now, packet);
}

/* Write dirty segments to memory that were taken from an L1, because the slice has evicted the line. */
static void write_taken(void *user_data, uint64_t address, uint8_t segments) {
    gpci_ctrl *ctrl = user_data;
    gpci_timed *timed = ctrl->timed;
    gpci_l2_place place = gpci_l2_place_of(timed->hierarchy, address);
    gpci_l2_write_memory(timed, ctrl, gpci_l2_line(timed, place.inner), (uint8_t)(segments << place.shift));
}

void gpci_l2_evicted(gpci_timed *timed, gpci_ctrl *ctrl, const gpc_eviction *eviction) {
    if (gpci_parts_at(ctrl, GPCI_AT_EVICT))
        gpci_parts_evicted(ctrl, eviction);
    gpci_l2_write_memory(timed, ctrl, eviction->line_address,
                         gpci_l2_write_back(timed->hierarchy, ctrl->index, eviction->dirty_bytes));
    gpci_l2_take_from_l1(timed->hierarchy, ctrl->index, eviction->line_address, write_taken, ctrl);
}

/* A fetch to the other partition's slice copies the leader. A fetch of memory has the leader's request. */
static void make_fetch(gpci_packet *fetched, const gpci_packet *mshr_entry, bool remote) {
    if (remote) {
        *fetched = *mshr_entry;
        return;
    }
    fetched->address = mshr_entry->address;
    fetched->request = mshr_entry->request;
}

void gpci_l2_count_memory_read(gpc_hierarchy *hierarchy, uint32_t slice, const gpci_packet *pkt) {
    const uint32_t sectors = gpci_count_sectors(pkt->segments);
    gpci_count_slice_dram_read(hierarchy, slice, sectors);
    gpci_stream_dram_read(hierarchy, slice, &pkt->request, sectors);
}

void gpci_l2_send_fetch(gpci_timed *timed, gpci_ctrl *ctrl, const gpci_fetch_request *asked) {
    uint32_t fetch = gpci_pool_take(&timed->pool);
    bool remote = asked->remote;
    gpci_packet *fetched = gpci_packet_at(&timed->pool, fetch);
    make_fetch(fetched, gpci_packet_at(&timed->pool, asked->mshr_target), remote);
    fetched->request.address = gpci_l2_line(timed, fetched->request.address);
    fetched->address = gpci_l2_line(timed, fetched->address);
    fetched->request.kind = GPC_LOAD;
    fetched->request.byte_mask[0] = fetched->request.byte_mask[1] = 0;
    fetched->line.fetched = timed->hierarchy->l2_level.sectors_of[asked->segments];
    gpci_l2_ask_on(&fetched->request, fetched->line.fetched, asked->word);
    fetched->segments = asked->segments;
    fetched->type = GPCI_READ;
    fetched->line.inflight = UINT32_MAX;
    fetched->line.mshr_target = asked->mshr_target; /* for gpci_slice_expect; may be gone by then */
    fetched->line.marks = 0;
    fetched->level = 3;
    fetched->flags = (uint8_t)(GPCI_PACKET_FETCH | (remote ? GPCI_PACKET_LINK : 0));
    uint32_t count = gpci_count_sectors(fetched->segments);
    if (remote)
        gpci_count_l2_remote(timed->hierarchy, ctrl->index, count);
    else if (GPCI_LIKELY(!timed->memory_caches))
        gpci_l2_count_memory_read(timed->hierarchy, ctrl->index, fetched);
    else
        GPCI_AGAIN(timed->hierarchy->of_slice[ctrl->index].again.memory_cache_read_sectors += count);
    gpci_queue_push(remote ? &ctrl->link : &ctrl->out, &timed->pool, timed->wheel.now, fetch);
    gpci_log_new_packet(timed, GPC_WHAT_FETCH, ctrl, fetch, gpci_packet_at(&timed->pool, asked->mshr_target), false);
}

/* Packets into the channels, and data back. */

/* Most DRAM cycles to catch up with in a core cycle. */
#define TICKS 16u

uint32_t gpci_channel_of(const gpci_timed *timed, uint32_t slice, uint64_t inner, uint64_t *local) {
    const gpci_memory_map *map = &timed->hierarchy->memory;
    if (GPCI_UNLIKELY(timed->hierarchy->address_map != NULL)) { /* DRAM finds bank and row by the same mapping */
        *local = gpci_l2_host_address(timed->hierarchy, slice, inner);
        return slice / map->slices_per_channel;
    }
    return gpci_memory_channel_of(map, slice, inner, local);
}

/* Put a packet's bursts into the queue while room is left; true once all are in. `path.taken`: bursts already in. */
static bool enqueue(gpci_timed *timed, uint32_t packet) {
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    uint32_t channel = pkt->path.channel;
    bool write = pkt->type == GPCI_WRITE;
    uint64_t cycle = gpci_clock_own(timed->dram_clock, timed->wheel.now);
    uint32_t left = timed->bursts_of[pkt->segments] & ~(uint32_t)pkt->path.taken;
    for (; left; left &= left - 1) {
        uint32_t burst = gpci_lowest(left);
        if (!gpci_dram_has_room(timed->dram, channel, write))
            return false;
        gpci_dram_enqueue(timed->dram, channel, pkt->path.local + (uint64_t)burst * timed->burst, write,
                          gpci_burst_token(timed, pkt, packet), cycle);
        gpci_wheel_wake(&timed->wheel, timed->memory[channel].component, timed->wheel.now);
        pkt->path.taken |= (uint8_t)(1u << burst);
    }
    return true;
}

/* Address of a packet's line within the slice. */
static uint64_t inner_of(const gpci_timed *timed, const gpci_packet *pkt) {
    return timed->coherent ? pkt->inner : gpci_l2_line(timed, pkt->request.address);
}

/* Offer the host the transfer of a stretch of segments. */
static bool offer(gpci_timed *timed, uint32_t packet, uint8_t stretch) {
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    uint32_t first = gpci_lowest(stretch);
    uint64_t line =
        GPCI_UNLIKELY(timed->memory_caches != NULL) ? gpci_memory_cache_inner(timed, pkt) : inner_of(timed, pkt);
    if (timed->memory[pkt->path.channel].host_full)
        return false;
    const uint64_t address = gpci_l2_host_address(timed->hierarchy, pkt->path.slice, line) + first * GPCI_SEGMENT;
    gpc_memory_request request = {.address = gpci_process_plain(timed->hierarchy, address),
                                  .id = ++timed->memory_ids << 32 | packet,
                                  .bytes = (gpci_log2(stretch) + 1 - first) * GPCI_SEGMENT,
                                  .channel = pkt->path.channel,
                                  .write = pkt->type == GPCI_WRITE,
                                  .process = gpci_process_of(timed->hierarchy, address)};
    pkt->path.host_id = request.id;
    timed->pool.links[packet].due = GPCI_NEVER;
    const bool taken = timed->callbacks.on_memory(timed->callbacks.user_data, &request);
    timed->memory_reads += taken && !request.write;
    timed->memory[pkt->path.channel].host_full = !taken;
    return taken;
}

/*
 * Offer the host all transfers of a packet. A read is one transfer, from the first segment to the last. A write is a
 * transfer for each stretch of neighbouring segments; `path.taken` has the segments already transferred. False: the
 * host refused.
 */
static bool offer_all(gpci_timed *timed, uint32_t packet) {
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    if (pkt->type != GPCI_WRITE)
        return offer(timed, packet, pkt->segments);
    for (uint8_t left; (left = pkt->segments & (uint8_t)~pkt->path.taken);) {
        uint8_t lowest = left & (uint8_t)-left, stretch = left & (uint8_t) ~(left + lowest);
        if (!offer(timed, packet, stretch))
            return false;
        pkt->path.taken |= stretch;
    }
    return true;
}

/* Move a slice's packet into the channel, or into the host's memory. False: no room. A write is done when moved. */
static bool into_memory(gpci_timed *timed, uint32_t packet) {
    return timed->callbacks.on_memory ? offer_all(timed, packet) : enqueue(timed, packet);
}

static GPCI_COLD bool into_memory_watched(gpci_timed *timed, uint32_t packet) {
    bool taken = into_memory(timed, packet);
    if (taken)
        gpci_append_memory(timed, gpci_packet_at(&timed->pool, packet));
    return taken;
}

GPCI_INLINE bool memory_takes(gpci_timed *timed, uint32_t packet) {
    return GPCI_UNLIKELY(timed->log != NULL) ? into_memory_watched(timed, packet) : into_memory(timed, packet);
}

/* Start the first packet of a slice's miss queue. */
static void set_out(gpci_timed *timed, const gpci_ctrl *slice, uint32_t packet) {
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    const uint64_t line = inner_of(timed, pkt);
    timed->pool.links[packet].due = GPCI_NEVER;
    pkt->path.taken = 0;
    pkt->path.bursts = (uint8_t)gpci_popcount(timed->bursts_of[pkt->segments]);
    pkt->path.slice = (uint16_t)slice->index;
    pkt->path.channel = (uint16_t)gpci_channel_of(timed, slice->index, line, &pkt->path.local);
}

static void over_link(gpci_timed *timed, gpci_ctrl *slice) {
    while (slice->out.count && gpci_network_can_send(slice->networks.requests_out, slice->index)) {
        uint32_t packet = gpci_queue_pop(&slice->out, &timed->pool, timed->wheel.now);
        gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
        set_out(timed, slice, packet);
        gpci_ctrl_resource_freed(slice, GPC_BUSY_MISS_QUEUE);
        uint32_t bytes = pkt->type == GPCI_WRITE ? gpci_packet_bytes(pkt) : 0;
        gpci_network_send(slice->networks.requests_out, slice->index, pkt->path.channel, timed->header + bytes, packet);
    }
}

/* Function for a packet whose data memory has read, or accepted: return the data, or free the packet. */
typedef void (*done_fn)(gpci_timed *timed, uint32_t packet);

/* Send packets of a slice's miss queue while the channels accept. */
GPCI_INLINE void into_channels(gpci_timed *timed, gpci_ctrl *slice, done_fn written) {
    while (slice->out.count && !slice->memory_full) {
        uint32_t packet = slice->out.first;
        gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
        uint32_t next = timed->pool.links[packet].next;
        bool write = pkt->type == GPCI_WRITE;
        if (timed->pool.links[packet].due != GPCI_NEVER)
            set_out(timed, slice, packet);
        slice->memory_full = !memory_takes(timed, packet);
        if (slice->memory_full)
            return;
        timed->pool.links[packet].next = next;
        gpci_queue_pop(&slice->out, &timed->pool, timed->wheel.now);
        gpci_ctrl_resource_freed(slice, GPC_BUSY_MISS_QUEUE);
        if (write)
            written(timed, packet);
    }
}

static void give(gpci_timed *timed, uint32_t packet) {
    gpci_pool_give(&timed->pool, packet);
}

/* Start the first packet of a slice's miss queue towards the channel's queue; the packet enters after `dram_delay`. */
static void delay(gpci_timed *timed, gpci_ctrl *slice, gpci_memory_channel *memory) {
    const uint64_t now = timed->wheel.now, own = gpci_clock_own(timed->dram_clock, now);
    const uint32_t packet = gpci_queue_pop(&slice->out, &timed->pool, now);
    set_out(timed, slice, packet);
    timed->pool.links[packet].due = gpci_clock_core(timed->dram_clock, own + timed->dram_delay);
    gpci_queue_push(&memory->delayed, &timed->pool, now, packet);
    gpci_ctrl_resource_freed(slice, GPC_BUSY_MISS_QUEUE);
    gpci_wheel_wake(&timed->wheel, slice->component, now + 1);
}

/* Put the first packet of `delayed` into the channel's queue; false: no room for all bursts yet. */
static bool enter_queue(gpci_timed *timed, gpci_memory_channel *memory) {
    const uint32_t packet = memory->delayed.first, next = timed->pool.links[packet].next;
    const bool write = gpci_packet_at(&timed->pool, packet)->type == GPCI_WRITE, taken = memory_takes(timed, packet);
    timed->pool.links[packet].next = next;
    if (!taken)
        return false;
    gpci_queue_pop(&memory->delayed, &timed->pool, timed->wheel.now);
    if (write)
        gpci_pool_give(&timed->pool, packet);
    return true;
}

/*
 * dram.latency_at = request: per DRAM cycle a packet leaves the slice, and another enters the channel's queue
 * dram.latency later, while the queue has room. Any number are on the way.
 * [GPGPU-Sim 3.2, l2cache.cc: memory_partition_unit::dram_cycle]
 */
static void run_delayed(gpci_timed *timed, uint32_t channel) {
    gpci_memory_channel *memory = &timed->memory[channel];
    gpci_ctrl *slice = &timed->l2[channel];
    const uint64_t now = timed->wheel.now, own = gpci_clock_own(timed->dram_clock, now);
    bool stuck = false;
    uint64_t ticks = own - memory->ticked;
    memory->ticked = own;
    for (ticks = ticks < TICKS ? ticks : TICKS; ticks && !stuck; ticks--) {
        stuck = !gpci_dram_has_room(timed->dram, channel, false);
        if (!stuck && slice->out.count)
            delay(timed, slice, memory);
        if (!stuck && memory->delayed.count && timed->pool.links[memory->delayed.first].due <= now)
            stuck = !enter_queue(timed, memory);
    }
    /* if stuck, DRAM steps the channel later; if no packet is left, the slice's next packet does */
    if (stuck || (!slice->out.count && !memory->delayed.count))
        return;
    uint64_t next = slice->out.count ? now + 1 : timed->pool.links[memory->delayed.first].due;
    gpci_wheel_wake(&timed->wheel, memory->component, next > now ? next : now + 1);
}

/* Send packets of a slice's miss queue into the caches beside memory while they have room. */
static void into_caches(gpci_timed *timed, gpci_ctrl *slice) {
    while (slice->out.count && !slice->memory_full) {
        const uint32_t packet = slice->out.first;
        if (timed->pool.links[packet].due != GPCI_NEVER)
            set_out(timed, slice, packet);
        gpci_ctrl *cache = gpci_memory_cache_of(timed, gpci_packet_at(&timed->pool, packet)->path.channel);
        slice->memory_full = gpci_queue_full(&cache->in);
        if (slice->memory_full)
            return;
        gpci_queue_pop(&slice->out, &timed->pool, timed->wheel.now);
        gpci_ctrl_resource_freed(slice, GPC_BUSY_MISS_QUEUE);
        gpci_memory_cache_enter(timed, cache, packet);
    }
}

void gpci_channel_send(gpci_timed *timed, gpci_ctrl *slice) {
    if (timed->dram_delay && !timed->callbacks.on_memory)
        gpci_wheel_wake(&timed->wheel, timed->memory[slice->index].component, timed->wheel.now + 1);
    else if (slice->networks.requests_out)
        over_link(timed, slice);
    else if (GPCI_UNLIKELY(timed->memory_caches != NULL))
        into_caches(timed, slice);
    else
        into_channels(timed, slice, give);
}

/* Send accesses of memory from the miss queue of a tree's slice; messages to memory use another queue (`link`). */
void gpci_coherent_channel_send(gpci_timed *timed, gpci_ctrl *slice) {
    into_channels(timed, slice, gpci_message_memory_done);
}

void gpci_channel_return(gpci_timed *timed, uint32_t packet) {
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    uint32_t channel = pkt->path.channel;
    gpci_memory_channel *memory = &timed->memory[channel];
    timed->pool.links[packet].due = timed->wheel.now;
    if (memory->replies_out) {
        pkt->path.size = timed->header + gpci_packet_bytes(pkt);
        gpci_queue_push(&memory->replies, &timed->pool, timed->wheel.now,
                        packet); /* the channel is being stepped, or the caller wakes the channel */
        return;
    }
    gpci_queue_push(&timed->l2[pkt->path.slice].fills, &timed->pool, timed->wheel.now, packet);
    gpci_wheel_wake(&timed->wheel, timed->l2[pkt->path.slice].component, timed->wheel.now);
}

/* A read has all data: return the data to the slice. */
void gpci_channel_done(gpci_timed *timed, uint32_t packet) {
    gpci_packet_at(&timed->pool, packet)->level = 3;
    gpci_channel_return(timed, packet);
}

/* Take packets that came over the link from the slices. */
static void take_linked(gpci_timed *timed, uint32_t channel) {
    gpci_memory_channel *memory = &timed->memory[channel];
    for (;;) {
        if (memory->waiting == GPCI_NO_PACKET) {
            if (gpci_network_peek(memory->requests_in, channel) == GPCI_NO_PACKET)
                return;
            memory->waiting = gpci_network_receive(memory->requests_in, channel);
        }
        uint32_t packet = memory->waiting;
        gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
        bool write = pkt->type == GPCI_WRITE;
        if (!memory_takes(timed, packet))
            return;
        memory->waiting = GPCI_NO_PACKET;
        if (write)
            gpci_pool_give(&timed->pool, packet);
    }
}

static void send_replies(gpci_timed *timed, uint32_t channel) {
    gpci_memory_channel *memory = &timed->memory[channel];
    while (memory->replies.count &&
           gpci_network_can_take(memory->replies_out, channel,
                                 gpci_packet_at(&timed->pool, memory->replies.first)->path.size)) {
        uint32_t packet = gpci_queue_pop(&memory->replies, &timed->pool, timed->wheel.now);
        const gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
        gpci_network_send(memory->replies_out, channel, pkt->path.slice, pkt->path.size, packet);
    }
}

/* True if memory has room for a slice's waiting packet. */
static bool may_send(const gpci_timed *timed, const gpci_ctrl *slice) {
    const gpci_packet *pkt = gpci_packet_at(&timed->pool, slice->out.first);
    if (GPCI_UNLIKELY(timed->memory_caches != NULL))
        return !gpci_queue_full(&gpci_memory_cache_of(timed, pkt->path.channel)->in);
    return timed->callbacks.on_memory ? !timed->memory[pkt->path.channel].host_full
                                      : gpci_dram_has_room(timed->dram, pkt->path.channel, pkt->type == GPCI_WRITE);
}

/* Wake slices that wait for room in a channel: the few adjacent slices that use it, in each partition without homes. */
static void wake_slices(gpci_timed *timed, uint32_t channel) {
    const gpci_memory_map *map = &timed->hierarchy->memory;
    uint32_t first = (uint32_t)(((uint64_t)channel * map->slices + map->channels - 1) / map->channels),
             count = map->slices_per_channel;
    if (map->slices < map->channels) {
        first = channel / map->channels_per_slice;
        count = 1;
    }
    const uint32_t parts = map->part_slices ? timed->hierarchy->partitions : 1;
    for (uint32_t part = 0; part < parts; part++)
        for (uint32_t slice = first; slice < first + count && slice < map->slices; slice++) {
            gpci_ctrl *ctrl = &timed->l2[gpci_memory_first_of(map, slice) + part * map->part_slices];
            if (ctrl->memory_full && may_send(timed, ctrl)) {
                ctrl->memory_full = false;
                gpci_wheel_wake(&timed->wheel, ctrl->component, timed->wheel.now);
            }
        }
}

/* Run the channel up to the present cycle. */
GPCI_INLINE void run_dram(gpci_timed *timed, uint32_t channel, done_fn read) {
    uint64_t token, next = gpci_dram_run(timed->dram, channel, gpci_clock_own(timed->dram_clock, timed->wheel.now));
    bool write;
    while (gpci_dram_done(timed->dram, channel, &token, &write))
        if (!write && !--gpci_packet_at(&timed->pool, (uint32_t)token)->path.bursts) {
            gpci_log_data(timed, gpci_packet_at(&timed->pool, (uint32_t)token));
            read(timed, (uint32_t)token);
        }
    if (next != GPCI_NEVER)
        gpci_wheel_wake(&timed->wheel, timed->memory[channel].component, gpci_clock_core(timed->dram_clock, next));
}

/* Take packets that came over the link from the slices, before the tags of the cache. */
static void take_linked_to_cache(gpci_timed *timed, uint32_t channel, gpci_ctrl *cache) {
    gpci_network *link = timed->memory[channel].requests_in;
    while (link && !gpci_queue_full(&cache->in) && gpci_network_peek(link, channel) != GPCI_NO_PACKET)
        gpci_memory_cache_enter(timed, cache, gpci_network_receive(link, channel));
}

/* A channel with a cache beside memory. */
static void step_with_cache(gpci_timed *timed, uint32_t channel) {
    gpci_memory_channel *memory = &timed->memory[channel];
    gpci_ctrl *cache = gpci_memory_cache_of(timed, channel);
    run_dram(timed, channel, gpci_memory_cache_fill);
    take_linked_to_cache(timed, channel, cache);
    gpci_memory_cache_pass(timed, cache);
    take_linked_to_cache(timed, channel, cache);
    cache->memory_full = false;
    into_channels(timed, cache, give);
    gpci_memory_cache_answer(timed, cache);
    if (memory->requests_in)
        send_replies(timed, channel);
    else
        wake_slices(timed, channel);
    if (gpci_ctrl_may_retry(&cache->tag_access[0]))
        gpci_wheel_wake(&timed->wheel, memory->component, timed->wheel.now + 1);
}

void gpci_channel_step(const gpci_group *group, uint32_t channel) {
    gpci_timed *timed = group->timed;
    if (GPCI_UNLIKELY(timed->memory_caches != NULL)) {
        step_with_cache(timed, channel);
        return;
    }
    if (!timed->memory[channel].requests_in) {
        run_dram(timed, channel, gpci_channel_done);
        if (GPCI_UNLIKELY(timed->dram_delay) &&
            !timed->callbacks.on_memory) { /* the host's memory has a latency already */
            run_delayed(timed, channel);
            run_dram(timed, channel, gpci_channel_done);
        }
        wake_slices(timed, channel);
        return;
    }
    take_linked(timed, channel);
    run_dram(timed, channel, gpci_channel_done);
    take_linked(timed, channel);
    send_replies(timed, channel);
}

void gpci_coherent_channel_step(const gpci_group *group, uint32_t channel) {
    gpci_timed *timed = group->timed;
    bool linked = timed->memory[channel].requests_in != NULL;
    if (linked)
        gpci_coherent_channel_receive(timed, channel);
    run_dram(timed, channel, gpci_message_memory_done);
    if (linked) {
        gpci_coherent_channel_receive(timed, channel);
        send_replies(timed, channel);
    }
    wake_slices(timed, channel);
}

gpc_status gpci_channel_reply(gpci_timed *timed, uint64_t id) {
    uint32_t packet = (uint32_t)id;
    if (!gpci_pool_is_packet(&timed->pool, packet))
        return GPC_ERROR_ARGUMENT;
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    if (!id || pkt->path.host_id != id || timed->pool.links[packet].due != GPCI_NEVER || pkt->type == GPCI_WRITE)
        return GPC_ERROR_ARGUMENT;
    pkt->path.host_id = 0;
    timed->memory_reads--;
    uint32_t channel = pkt->path.channel;
    gpci_log_data(timed, pkt);
    timed->memory[channel].done(timed, packet);
    gpci_channel_ready(timed, channel);
    return GPC_OK;
}

void gpci_channel_ready(gpci_timed *timed, uint32_t channel) {
    timed->memory[channel].host_full = false;
    wake_slices(timed, channel);
    gpci_wheel_wake(&timed->wheel, timed->memory[channel].component, timed->wheel.now);
}
