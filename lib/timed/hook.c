/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/watch.h"

/* What a stage calls of its level, and fills and evictions on their way to who asked for them. */

void gpci_stage_send(gpci_timed *t, gpci_stage *stage, const gpci_wanted *wanted) {
    if (stage->level == 1)
        gpci_l1_send(t, stage, wanted);
    else
        gpci_l2_send(t, stage, wanted);
}

static void pass_down(gpci_timed *t, gpci_stage *stage, const gpc_eviction *eviction) {
    if (stage->level == 1)
        gpci_l1_evicted(t, stage, eviction);
    else
        gpci_l2_evicted(t, stage, eviction);
}

void gpci_stage_evicted(gpci_timed *t, gpci_stage *stage, const gpci_packet *packet, const gpc_eviction *eviction) {
    gpci_see_eviction(t, stage, packet, eviction);
    pass_down(t, stage, eviction);
}

void gpci_stage_released(gpci_timed *t, gpci_stage *stage, uint32_t packet, uint8_t level) {
    if (stage->level == 1)
        gpci_l1_released(t, packet, level);
    else
        gpci_l2_released(t, stage, packet, level);
}

void gpci_stage_write_below(gpci_timed *t, gpci_stage *stage, const gpci_packet *packet) {
    gpc_eviction all = gpci_level_unkept(stage->cache, &packet->request);
    pass_down(t, stage, &all);
}

static void on_fill(void *user_data, uint64_t line_address, uint32_t set, uint32_t way, uint8_t sectors,
                    const gpc_request *request) {
    const gpci_stage *stage = user_data;
    const gpc_hierarchy_callbacks *c = &stage->timed->callbacks;
    (void)set;
    (void)way;
    if (c->on_fill)
        c->on_fill(c->user_data, stage->level, stage->index, line_address, sectors, request);
}

static void on_evict(void *user_data, const gpc_eviction *eviction, const gpc_request *request) {
    const gpci_stage *stage = user_data;
    const gpci_timed *t = stage->timed;
    if (t->callbacks.on_evict)
        t->callbacks.on_evict(t->callbacks.user_data, stage->level, stage->index, eviction);
    if (stage->level != 1 || !t->front.cache_event || !request)
        return;
    const gpc_cache *cache = stage->cache;
    gpc_cache_event event = {.kind = GPC_CACHE_EVENT_EVICT,
                             .warp = request->warp,
                             .owner = cache->warps ? cache->warps[gpci_slot(cache, eviction->set, eviction->way)]
                                                   : request->warp,
                             .line_address = eviction->line_address,
                             .cycle = t->wheel.now};
    t->front.cache_event(t->front.user_data, stage->index, &event);
}

static void hook(gpci_timed *t, gpci_stage *stage) {
    gpc_cache *cache = stage->cache;
    stage->timed = t;
    if (!cache)
        return;
    bool events = stage->level == 1 && t->front.cache_event;
    cache->options.callback_data = stage;
    cache->options.on_fill = t->callbacks.on_fill ? on_fill : NULL;
    cache->options.on_evict = t->callbacks.on_evict || events ? on_evict : NULL;
}

void gpci_timed_hook(gpci_timed *t) {
    for (uint32_t i = 0; i < t->h->sms; i++)
        hook(t, &t->l1[i]);
    for (uint32_t i = 0; i < t->h->slices; i++)
        hook(t, &t->l2[i]);
}
