/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/module/tree.h"
#include "level/coherent/coherent_level.h"
#include "level/rules/observer.h"
#include "timed/core/shards.h"
#include "timed/core/timed.h"

#include <string.h>

/* Evictions to the level below, and reports of fills and evictions. */

void gpci_ctrl_evicted(gpci_timed *timed, gpci_ctrl *ctrl, const gpci_packet *packet, const gpc_eviction *eviction) {
    gpci_log_eviction(timed, ctrl, packet, eviction);
    ctrl->rules->evicted(timed, ctrl, eviction);
}

void gpci_ctrl_write_below(gpci_timed *timed, gpci_ctrl *ctrl, const gpci_packet *packet) {
    gpc_eviction all = gpci_level_write_around(ctrl->cache, &packet->request);
    GPCI_AGAIN(ctrl->counts.around_again += gpci_count_sectors(gpci_segments_of(all.dirty_bytes)));
    ctrl->rules->evicted(timed, ctrl, &all);
}

static const gpci_observer *observer_of(const gpci_ctrl *ctrl) {
    return ctrl->level == 1 ? ctrl->timed->hierarchy->observer : NULL;
}

/*
 * Process of a line of a cache. shown_address: address that the host is told; for a line of an L1 the address in the
 * process, for a line of a slice the address within the slice.
 */
static uint8_t process_of(const gpci_ctrl *ctrl, uint64_t line) {
    const gpc_hierarchy *hierarchy = ctrl->timed->hierarchy;
    return gpci_process_of(hierarchy, ctrl->level == 1 ? line : gpci_l2_host_address(hierarchy, ctrl->index, line));
}

static uint64_t shown_address(const gpci_ctrl *ctrl, uint64_t address) {
    return ctrl->level == 1 ? gpci_process_plain(ctrl->timed->hierarchy, address) : address;
}

static void on_fill(void *user_data, uint64_t line_address, uint32_t set, uint32_t way, uint8_t sectors,
                    const gpc_request *request) {
    const gpci_ctrl *ctrl = user_data;
    const gpc_hierarchy_callbacks *callbacks = &ctrl->timed->callbacks;
    const gpci_observer *observer = observer_of(ctrl);
    if (observer)
        observer->on_fill(observer->cache_data[ctrl->index], line_address, set, way, sectors, request);
    if (!callbacks->on_fill)
        return;
    gpc_request shown = *request;
    memset(shown.reserved, 0, sizeof shown.reserved); /* a packet has own fields in the reserved bytes */
    shown.process = process_of(ctrl, line_address);
    shown.address = shown_address(ctrl, shown.address);
    callbacks->on_fill(callbacks->user_data, ctrl->level, ctrl->index, shown_address(ctrl, line_address), sectors,
                       &shown);
}

static void on_evict(void *user_data, const gpc_eviction *eviction, const gpc_request *request) {
    const gpci_ctrl *ctrl = user_data;
    const gpc_hierarchy_callbacks *callbacks = &ctrl->timed->callbacks;
    const gpci_observer *observer = observer_of(ctrl);
    if (observer)
        observer->on_evict(observer->cache_data[ctrl->index], eviction, request);
    if (!callbacks->on_evict)
        return;
    gpc_eviction shown = *eviction;
    shown.process = process_of(ctrl, eviction->line_address);
    shown.line_address = shown_address(ctrl, eviction->line_address);
    callbacks->on_evict(callbacks->user_data, ctrl->level, ctrl->index, &shown);
}

/* Report an eviction of an L1 to the SM's scheduler as well. */
static void on_l1_evict(void *user_data, const gpc_eviction *eviction, const gpc_request *request) {
    const gpci_ctrl *ctrl = user_data;
    const gpci_timed *timed = ctrl->timed;
    on_evict(user_data, eviction, request);
    if (!request)
        return;
    const gpc_cache *cache = ctrl->cache;
    gpc_cache_event event = {.kind = GPC_CACHE_EVENT_EVICT,
                             .warp = request->warp,
                             .owner = cache->warps ? cache->warps[gpci_slot(cache, eviction->set, eviction->way)]
                                                   : request->warp,
                             .pc = (uint32_t)request->pc,
                             .line_address = eviction->line_address,
                             .cycle = timed->wheel.now};
    timed->front.cache_event(timed->front.user_data, ctrl->index, &event);
}

void gpci_l1_notify_scheduler(const gpci_timed *timed, uint32_t sm, const gpci_packet *pkt, bool hit) {
    gpc_cache_event event = {.kind = hit ? GPC_CACHE_EVENT_HIT : GPC_CACHE_EVENT_MISS,
                             .warp = pkt->request.warp,
                             .owner = pkt->request.warp,
                             .pc = (uint32_t)pkt->request.pc,
                             .line_address = pkt->address,
                             .cycle = timed->wheel.now};
    timed->front.cache_event(timed->front.user_data, sm, &event);
}

/* Report an eviction of a coherent L1 to the scheduler. */
static void on_l1_block_evict(void *timed, const gpci_module *module, uint64_t tag, uint32_t owner,
                              const gpc_request *request) {
    const gpci_timed *t = timed;
    gpc_cache_event event = {.kind = GPC_CACHE_EVENT_EVICT,
                             .warp = request->warp,
                             .owner = owner,
                             .pc = (uint32_t)request->pc,
                             .line_address = tag,
                             .cycle = t->wheel.now};
    t->front.cache_event(t->front.user_data, module->index, &event);
}

static void hook(gpci_timed *timed, gpci_ctrl *ctrl, gpc_evict_fn evict) {
    gpc_cache *cache = ctrl->cache;
    ctrl->timed = timed;
    if (!cache)
        return;
    const bool observed = observer_of(ctrl) != NULL;
    cache->options.callback_data = ctrl;
    cache->options.on_fill = timed->callbacks.on_fill || observed ? on_fill : NULL;
    cache->options.on_evict = !evict && observed ? on_evict : evict;
}

void gpci_timed_hook(gpci_timed *timed) {
    if (timed->hierarchy->coherent) {
        timed->hierarchy->coherent->tree->evicted = timed->front.cache_event ? on_l1_block_evict : NULL;
        timed->hierarchy->coherent->tree->evicted_data = timed;
    }
    gpc_evict_fn evict = timed->callbacks.on_evict ? on_evict : NULL;
    for (uint32_t i = 0; i < timed->hierarchy->sms; i++)
        hook(timed, &timed->l1[i], timed->front.cache_event ? on_l1_evict : evict);
    for (uint32_t i = 0; i < timed->hierarchy->slices; i++)
        hook(timed, &timed->l2[i], evict);
    gpci_shards_refresh(timed);
}
