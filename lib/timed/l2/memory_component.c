/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/core/coherent.h"
#include "timed/l2/memory_cache_ctrl.h"

/*
 * Memory channels as components, and the host's memory in place of channels (gpc_hierarchy_set_callbacks).
 * memory_channel.c has the steps.
 */

static gpci_group_size channel_size(const gpci_timed *timed, gpci_group_kind kind) {
    bool is_there = (timed->hierarchy->coherent != NULL) == (kind == GPCI_GROUP_COHERENT_CHANNELS);
    return (gpci_group_size){is_there ? timed->channels : 0, is_there ? timed->channels : 0};
}

static uint8_t bursts_of(const gpci_timed *timed, uint32_t segments) {
    uint32_t bursts = 0;
    for (uint32_t s = 0; s < 4; s++)
        if (segments >> s & 1)
            for (uint32_t at = s * GPCI_SEGMENT; at < (s + 1) * GPCI_SEGMENT; at += timed->burst)
                bursts |= 1u << at / timed->burst;
    return (uint8_t)bursts;
}

static gpc_status channel_make(gpci_group *group, gpc_error *error) {
    gpci_timed *timed = group->timed;
    uint32_t slices = timed->hierarchy->slices;
    gpc_status status =
        gpci_dram_create(timed->context, timed->hierarchy->config, timed->channels, &timed->dram, error);
    if (status < 0)
        return status;
    timed->burst = gpc_dram_burst_bytes(timed->dram);
    if (timed->burst < 16)
        return gpci_fail(error, GPC_ERROR_RANGE, "dram: a burst of %u bytes is less than the 16 of a hierarchy",
                         timed->burst);
    for (uint32_t segments = 0; segments < sizeof timed->bursts_of; segments++)
        timed->bursts_of[segments] = bursts_of(timed, segments);
    timed->dram_delay = gpci_dram_take_latency(timed->dram, timed->hierarchy->config);
    if (timed->dram_delay && timed->hierarchy->memory_caches)
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "dram.latency_at = request needs memory_cache.size = 0B: the delay lies between a slice and "
                         "its channel");
    if (timed->dram_delay && (slices != timed->channels || gpci_number(timed->hierarchy, GPCI_KEY_MEMORY_LINK_WIDTH)))
        return gpci_fail(
            error, GPC_ERROR_RANGE,
            "dram.latency_at = request needs as many dram.channels as l2.slices, and memory.link_width = 0B: a "
            "slice and its channel alone");
    timed->memory = gpci_zalloc(timed->context, timed->channels, sizeof *timed->memory);
    if (!timed->memory)
        return gpci_out_of_memory(error);
    for (uint32_t channel = 0; channel < timed->channels; channel++) {
        gpci_memory_channel *memory = &timed->memory[channel];
        gpci_queue_init(&memory->replies, GPCI_UNLIMITED);
        gpci_queue_init(&memory->delayed, GPCI_UNLIMITED);
        memory->waiting = GPCI_NO_PACKET;
        memory->component = group->first + channel;
        memory->done = group->kind == GPCI_GROUP_COHERENT_CHANNELS ? gpci_message_memory_done
                       : timed->hierarchy->memory_caches           ? gpci_memory_cache_fill
                                                                   : gpci_channel_done;
    }
    return gpci_memory_caches_make(timed) < 0 ? gpci_out_of_memory(error) : GPC_OK;
}

static void channel_destroy(gpci_group *group) {
    gpci_timed *timed = group->timed;
    gpci_memory_caches_unmake(timed);
    gpc_dram_destroy(timed->dram);
    gpci_free(timed->context, timed->memory);
}

static void channel_count(const gpci_group *group, uint32_t channel, gpc_stats *stats) {
    const gpci_timed *timed = group->timed;
    const uint64_t now = timed->wheel.now;
    const gpci_ctrl *cache = timed->memory_caches ? gpci_memory_cache_of(timed, channel) : NULL;
    if (cache)
        stats->memory_cache_stalls +=
            gpci_ctrl_stalls(cache, GPC_BUSY_LINE, now) + gpci_ctrl_stalls(cache, GPC_BUSY_MSHR, now) +
            gpci_ctrl_stalls(cache, GPC_BUSY_MERGE, now) + gpci_ctrl_stalls(cache, GPC_BUSY_MISS_QUEUE, now);
    if (!timed->callbacks.on_memory) /* the host's memory counts itself */
        gpci_dram_add_stats(timed->dram, channel, gpci_clock_own(timed->dram_clock, now), stats);
}

static void channel_reset(const gpci_group *group, uint32_t channel, uint64_t now) {
    if (group->timed->memory_caches)
        gpci_ctrl_reset(gpci_memory_cache_of(group->timed, channel), now);
    gpci_dram_reset_stats(group->timed->dram, channel, gpci_clock_own(group->timed->dram_clock, now));
}

static void channel_state(const gpci_group *group, uint32_t channel, gpci_state_fn visit, void *user_data) {
    gpci_memory_channel *memory = &group->timed->memory[channel];
    GPCI_STATE_FROM(visit, user_data, gpci_memory_channel, memory, replies);
    if (group->timed->memory_caches)
        gpci_ctrl_state(gpci_memory_cache_of(group->timed, channel), visit, user_data);
    gpci_dram_state(group->timed->dram, channel, visit, user_data);
}

static void channel_hold(const gpci_group *group, uint32_t channel, gpci_holders *holders) {
    const gpci_timed *timed = group->timed;
    const gpci_memory_channel *memory = &timed->memory[channel];
    const gpci_mover clock = gpci_by_clock(memory->component);
    const bool room =
        !memory->replies.count || gpci_network_can_take(memory->replies_out, channel,
                                                        gpci_packet_at(&timed->pool, memory->replies.first)->path.size);
    const bool waits = memory->waiting != GPCI_NO_PACKET ||
                       (timed->memory_caches && gpci_queue_full(&gpci_memory_cache_of(timed, channel)->in));
    if (timed->memory_caches)
        gpci_memory_cache_hold(timed, channel, holders);
    gpci_held(holders, "bursts to serve", gpci_dram_count(timed->dram, channel), clock);
    gpci_held(holders, "packet that it has no room for", memory->waiting != GPCI_NO_PACKET,
              memory->host_full ? gpci_by_host() : clock);
    gpci_held(holders, "packets before its queue", memory->delayed.count, clock);
    gpci_held(holders, "packets for its slices", memory->replies.count,
              room ? clock : gpci_by_object(GPCI_GROUP_MEMORY_REPLIES, 0));
    gpci_held(holders, "packets that have come",
              memory->requests_in && gpci_network_peek(memory->requests_in, channel) != GPCI_NO_PACKET,
              waits ? gpci_by_itself(holders) : clock);
}

const gpci_component_class gpci_channel_class =
    GPCI_COMPONENT_CLASS(GPCI_SCOPE_CHANNEL, channel_size, channel_make, channel_destroy, gpci_channel_step, NULL,
                         channel_count, channel_reset, channel_state, channel_hold);
const gpci_component_class gpci_coherent_channel_class =
    GPCI_COMPONENT_CLASS(GPCI_SCOPE_CHANNEL, channel_size, channel_make, channel_destroy, gpci_coherent_channel_step,
                         NULL, channel_count, channel_reset, channel_state, channel_hold);

/* The host's memory has no clock here: packets are offered, and the host calls back. */
static gpci_group_size host_memory_size(const gpci_timed *timed, gpci_group_kind kind) {
    (void)kind;
    return (gpci_group_size){timed->channels, 0};
}

/* The state of the host's memory is in the gpci_memory_channel of the channel that it replaces. */
static gpc_status host_memory_make(gpci_group *group, gpc_error *error) {
    (void)group;
    (void)error;
    return GPC_OK;
}

static void host_memory_destroy(gpci_group *group) {
    (void)group;
}

/* Reads at the host are counted for all channels together, with the first channel. */
static void host_memory_hold(const gpci_group *group, uint32_t channel, gpci_holders *holders) {
    const gpci_timed *timed = group->timed;
    gpci_held(holders, "reads that the host has not answered", channel ? 0 : timed->memory_reads, gpci_by_host());
    gpci_awaited(holders, "refusal, and no word that it is ready", timed->memory[channel].host_full, gpci_by_host());
}

/* The host counts the work of the host's memory. Reads at the host are packets, and counted as packets. */
const gpci_component_class gpci_host_memory_class =
    GPCI_COMPONENT_CLASS(GPCI_SCOPE_CHANNEL, host_memory_size, host_memory_make, host_memory_destroy, gpci_step_nothing,
                         NULL, gpci_count_nothing, gpci_reset_nothing, gpci_state_nothing, host_memory_hold);
