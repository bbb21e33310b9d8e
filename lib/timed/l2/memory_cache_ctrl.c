/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/l2/memory_cache_ctrl.h"

#include "base/check.h"
#include "timed/core/ctrl_holders.h"
#include "timed/l2/l2_send.h"

/* A packet of the cache, a fetch or a write, starts towards DRAM. */
static void send_to_dram(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet) {
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    uint64_t inner;
    pkt->path = (gpci_packet_path){
        .local = pkt->request.address,
        .channel = (uint16_t)ctrl->index,
        .slice = (uint16_t)gpci_memory_slice_of(&timed->hierarchy->memory, ctrl->index, pkt->request.address, &inner),
        .bursts = (uint8_t)gpci_popcount(timed->bursts_of[pkt->segments])};
    timed->pool.links[packet].due = GPCI_NEVER;
    gpci_queue_push(&ctrl->out, &timed->pool, timed->wheel.now, packet);
}

static void send(gpci_timed *timed, gpci_ctrl *ctrl, const gpci_fetch_request *asked) {
    const uint32_t fetch = gpci_pool_take(&timed->pool);
    const gpci_packet *waiter = gpci_packet_at(&timed->pool, asked->mshr_target);
    gpci_packet *fetched = gpci_packet_at(&timed->pool, fetch);
    *fetched =
        (gpci_packet){.address = waiter->address,
                      .request = waiter->request,
                      .line = {.inflight = UINT32_MAX, .mshr_target = asked->mshr_target, .fetched = asked->segments},
                      .segments = asked->segments,
                      .level = 3,
                      .type = GPCI_READ,
                      .flags = GPCI_PACKET_FETCH,
                      .born = timed->wheel.now};
    send_to_dram(timed, ctrl, fetch);
    gpci_l2_count_memory_read(timed->hierarchy, fetched->path.slice, fetched);
    gpci_log_new_packet(timed, GPC_WHAT_FETCH, ctrl, fetch, waiter, false);
}

static void evicted(gpci_timed *timed, gpci_ctrl *ctrl, const gpc_eviction *eviction) {
    const gpc_hierarchy *hierarchy = timed->hierarchy;
    const uint32_t sectors = gpci_count_sectors(eviction->dirty_sectors);
    uint64_t inner;
    if (!sectors)
        return;
    const uint32_t packet = gpci_pool_take(&timed->pool),
                   slice = gpci_memory_slice_of(&hierarchy->memory, ctrl->index, eviction->line_address, &inner);
    const uint64_t host = gpci_l2_host_address(hierarchy, slice, inner);
    *gpci_packet_at(&timed->pool, packet) =
        (gpci_packet){.address = host,
                      .request = gpci_request_of_nobody(hierarchy, eviction->line_address, host, GPC_NONE, GPC_STORE),
                      .born = timed->wheel.now,
                      .line = {.inflight = UINT32_MAX},
                      .segments = eviction->dirty_sectors,
                      .type = GPCI_WRITE,
                      .flags = GPCI_PACKET_POSTED};
    gpci_count_memory_cache_write_back(timed->hierarchy, slice, sectors);
    gpci_count_slice_dram_write(timed->hierarchy, slice, sectors);
    send_to_dram(timed, ctrl, packet);
    gpci_log_new_packet(timed, GPC_WHAT_WRITE_BACK, ctrl, packet, NULL, false);
}

static const gpci_ctrl_rules rules = {.send = send,
                                      .evicted = evicted,
                                      .released = gpci_ctrl_serve,
                                      .on_stall = gpci_ctrl_wait,
                                      .on_not_allocated = gpci_ctrl_notify_none};

/* Slice of a packet before the tags. */
static uint32_t slice_of(const gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_packet *pkt) {
    uint64_t inner;
    return gpci_memory_slice_of(&timed->hierarchy->memory, ctrl->index, pkt->request.address, &inner);
}

static void count(gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_packet *pkt, const gpci_tag_access *access) {
    const uint32_t slice = slice_of(timed, ctrl, pkt), sectors = gpci_count_sectors(pkt->segments);
    if (pkt->type == GPCI_WRITE) {
        gpci_count_memory_cache_write(timed->hierarchy, slice, sectors);
        return;
    }
    gpci_count_memory_cache_read(timed->hierarchy, slice, sectors,
                                 gpci_count_sectors((access->result.hit_sectors | access->flying) & pkt->segments));
    GPCI_AGAIN(timed->hierarchy->of_slice[slice].again.memory_cache_read_sector_hits +=
               sectors - gpci_count_sectors(access->result.fetch_sectors & (uint8_t)~access->flying));
}

static gpci_verdict pass(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet, gpci_tag_access *access) {
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    const bool write = pkt->type == GPCI_WRITE;
    if (write && gpci_queue_full(&ctrl->out)) /* may send a write to DRAM */
        return gpci_ctrl_block(ctrl, access, timed->wheel.now, GPC_BUSY_MISS_QUEUE);
    if (!access->looked) {
        gpci_ctrl_look(timed, ctrl, pkt, access);
        count(timed, ctrl, pkt, access);
        gpci_log_lookup(timed, ctrl, pkt, access);
    }
    const gpci_verdict verdict = gpci_ctrl_settle(timed, ctrl, packet, access, false);
    if (verdict != GPCI_SERVED)
        return verdict;
    if (!write) {
        gpci_ctrl_serve(timed, ctrl, packet, 2);
    } else if (access->result.write_sectors) { /* no line: the policy declined */
        gpci_count_slice_dram_write(timed->hierarchy, slice_of(timed, ctrl, pkt), gpci_count_sectors(pkt->segments));
        send_to_dram(timed, ctrl, packet);
        gpci_log_queued(timed, ctrl, pkt, true);
    } else {
        gpci_pool_give(&timed->pool, packet);
    }
    return verdict;
}

static void again(gpci_timed *timed, const gpci_ctrl *ctrl) {
    const gpci_clock clock = ctrl->options->clock;
    gpci_wheel_wake(&timed->wheel, ctrl->component,
                    gpci_clock_core(clock, gpci_clock_own(clock, timed->wheel.now) + 1));
}

void gpci_memory_cache_enter(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet) {
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    const uint64_t local = pkt->path.local;
    if (pkt->type == GPCI_WRITE)
        pkt->request = gpci_memory_cache_write(timed->hierarchy, local, pkt->address, pkt->segments);
    else
        pkt->request = gpci_memory_cache_read(&pkt->request, local, pkt->segments);
    pkt->slice = pkt->path.slice;
    timed->pool.links[packet].due = timed->wheel.now;
    gpci_queue_push(&ctrl->in, &timed->pool, timed->wheel.now, packet);
    gpci_wheel_wake(&timed->wheel, ctrl->component, timed->wheel.now);
}

/* Packets wait before the tags, too, while the data port is behind by more than the latency. */
void gpci_memory_cache_pass(gpci_timed *timed, gpci_ctrl *ctrl) {
    gpci_tag_access *access = &ctrl->tag_access[0];
    const uint64_t now = timed->wheel.now;
    while (ctrl->in.count && !gpci_ctrl_stuck(access)) {
        const uint32_t packet = ctrl->in.first;
        if (ctrl->data.free > gpci_clock_own(ctrl->options->clock, now) + ctrl->options->latency ||
            !gpci_ctrl_port(ctrl, now, gpci_packet_at(&timed->pool, packet)->address)) {
            again(timed, ctrl);
            return;
        }
        const uint32_t next = gpci_tags_take(timed, &ctrl->in);
        if (pass(timed, ctrl, packet, access) == GPCI_BLOCKED) {
            gpci_tags_put_back(timed, ctrl, &ctrl->in, packet, next, access);
            return;
        }
        gpci_tags_passed(ctrl, &ctrl->in, access, now);
    }
}

void gpci_memory_cache_fill(gpci_timed *timed, uint32_t packet) {
    gpci_ctrl_fill(timed, gpci_memory_cache_of(timed, gpci_packet_at(&timed->pool, packet)->path.channel), packet);
}

void gpci_memory_cache_answer(gpci_timed *timed, gpci_ctrl *ctrl) {
    while (ctrl->served.count && timed->pool.links[ctrl->served.first].due <= timed->wheel.now) {
        const uint32_t packet = gpci_queue_pop(&ctrl->served, &timed->pool, timed->wheel.now);
        gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
        uint64_t inner;
        pkt->path.channel = (uint16_t)ctrl->index;
        pkt->path.slice = pkt->slice;
        gpci_memory_slice_of(&timed->hierarchy->memory, ctrl->index, pkt->request.address, &inner);
        pkt->request.address = inner;
        gpci_channel_return(timed, packet);
    }
    if (ctrl->served.count)
        gpci_wheel_wake(&timed->wheel, ctrl->component, timed->pool.links[ctrl->served.first].due);
}

uint64_t gpci_memory_cache_inner(const gpci_timed *timed, const gpci_packet *pkt) {
    uint64_t inner;
    gpci_memory_slice_of(&timed->hierarchy->memory, pkt->path.channel, pkt->request.address, &inner);
    return inner;
}

gpc_status gpci_memory_caches_make(gpci_timed *timed) {
    const gpc_hierarchy *hierarchy = timed->hierarchy;
    gpc_status status = GPC_OK;
    if (!hierarchy->memory_caches)
        return GPC_OK;
    timed->memory_cache_level = gpci_segments_level(hierarchy->l2_level.line_bytes);
    timed->memory_cache_options =
        (gpci_ctrl_options){.latency = (uint32_t)gpci_number(hierarchy, GPCI_KEY_MEMORY_CACHE_LATENCY),
                            .ports = 1,
                            .banks = 1,
                            .data_width = (uint32_t)gpci_number(hierarchy, GPCI_KEY_MEMORY_CACHE_WIDTH),
                            .fill_width = hierarchy->l2_level.line_bytes,
                            .entries = gpci_number(hierarchy, GPCI_KEY_MEMORY_CACHE_MSHR),
                            .merges = gpci_number(hierarchy, GPCI_KEY_MEMORY_CACHE_MERGES),
                            .on_miss = true,
                            .clock = timed->l2_options.clock};
    timed->memory_caches = gpci_zalloc(timed->context, timed->channels, sizeof *timed->memory_caches);
    if (!timed->memory_caches)
        return GPC_ERROR_MEMORY;
    for (uint32_t i = 0; i < timed->channels && status == GPC_OK; i++) {
        gpci_ctrl *ctrl = &timed->memory_caches[i];
        const gpci_ctrl place = {.index = i, .component = timed->memory[i].component, .level = GPCI_LEVEL_MEMORY};
        status =
            gpci_ctrl_make_plain(timed, &place, &rules, &timed->memory_cache_options, &timed->memory_cache_level, ctrl);
        ctrl->cache = hierarchy->memory_caches[i];
        gpci_queue_init(&ctrl->in, gpci_number(hierarchy, GPCI_KEY_MEMORY_CACHE_QUEUE));
        gpci_queue_init(&ctrl->out, gpci_number(hierarchy, GPCI_KEY_MEMORY_CACHE_MISS_QUEUE));
    }
    return status;
}

void gpci_memory_caches_unmake(gpci_timed *timed) {
    for (uint32_t i = 0; timed->memory_caches && i < timed->channels; i++)
        gpci_ctrl_unmake(timed, &timed->memory_caches[i]);
    gpci_free(timed->context, timed->memory_caches);
}

void gpci_memory_cache_hold(const gpci_timed *timed, uint32_t channel, gpci_holders *holders) {
    const gpci_ctrl *ctrl = gpci_memory_cache_of(timed, channel);
    const gpci_mover clock = gpci_by_clock(ctrl->component);
    gpci_held(holders, gpci_name_at_tags(ctrl->tag_access), ctrl->in.count,
              gpci_by_tags(holders, ctrl, ctrl->tag_access));
    gpci_held(holders, "packets in its cache's miss queue", ctrl->out.count,
              timed->memory[channel].host_full ? gpci_by_host() : clock);
    gpci_held(holders, "data on the way out of its cache", ctrl->served.count, clock);
    gpci_held(holders, "lines that are to come from DRAM", ctrl->mshr.used[0], gpci_by_any());
}
