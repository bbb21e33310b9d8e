/* SPDX-License-Identifier: BSD-2-Clause */
#include "scheduler/scheduler.h"

static gpci_scheduler_kind kind_of(const gpc_scheduler_ops *ops) {
    if (ops == &gpci_lrr)
        return GPCI_SCHEDULER_LRR;
    if (ops == &gpci_gto)
        return GPCI_SCHEDULER_GTO;
    if (ops == &gpci_oldest)
        return GPCI_SCHEDULER_OLDEST;
    return ops == &gpci_two_level ? GPCI_SCHEDULER_TWO_LEVEL : GPCI_SCHEDULER_TABLE;
}

static gpc_status check(gpc_scheduler_options *o, gpc_error *error) {
    if (!o->warps || o->warps > GPCI_MAX_SCHEDULER_WARPS)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_scheduler_options.warps is %u, not 1 to %u", o->warps,
                         GPCI_MAX_SCHEDULER_WARPS);
    o->count = o->count ? o->count : 1;
    o->sms = o->sms ? o->sms : 1;
    if (o->index >= o->count)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_scheduler_options.index is %u, of %u schedulers", o->index,
                         o->count);
    if (o->sm >= o->sms)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_scheduler_options.sm is %u, of %u SMs", o->sm, o->sms);
    return GPC_OK;
}

/* Object, bitmaps and arrays in one block. */
static gpc_scheduler *make(gpc_context *context, const gpc_scheduler_options *o) {
    size_t words = gpci_warp_words(o->warps), warps = words * 64;
    size_t map = words * sizeof(gpci_warp_word), candidates = words * sizeof(uint64_t);
    size_t bytes = sizeof(gpc_scheduler) + map + candidates + warps * (2 * sizeof(uint16_t) + sizeof(uint8_t));
    gpc_scheduler *s = gpci_zalloc_lines(context, 1, bytes);
    if (!s)
        return NULL;
    s->warps = o->warps;
    s->words = (uint32_t)words;
    s->limit = o->warp_limit && o->warp_limit < o->warps ? o->warp_limit : o->warps;
    s->counts[GPC_STATE_ABSENT] = o->warps;
    s->candidates = (uint64_t *)(void *)(s->map + words);
    s->ages = (uint16_t *)(void *)(s->candidates + words);
    s->by_age = s->ages + warps;
    s->states = (uint8_t *)(s->by_age + warps);
    return s;
}

gpc_status gpc_scheduler_create(gpc_context *context, const gpc_scheduler_options *options, gpc_error *error,
                                gpc_scheduler **out) {
    if (!context || !options || !out)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_scheduler_create: %s is NULL",
                         !context   ? "context"
                         : !options ? "options"
                                    : "out");
    gpc_scheduler_options o = GPC_SCHEDULER_OPTIONS_INIT;
    gpc_status status = gpci_take(&o, sizeof o, sizeof o, options, "gpc_scheduler_options", error);
    if (status == GPC_OK)
        status = check(&o, error);
    if (status < 0)
        return status;
    gpc_scheduler *s = make(context, &o);
    if (!s)
        return gpci_out_of_memory(error);
    gpc_scheduler_env geometry = {
        .warps = o.warps, .sm = o.sm, .index = o.index, .count = o.count, .sms = o.sms, .seed = o.seed};
    status = gpci_scheduler_policy_create(context, o.policy ? o.policy : "gto", &geometry, error, &s->policy);
    if (status < 0) {
        gpci_free_lines(context, s);
        return status;
    }
    s->context = gpci_retain(context);
    s->ops = s->policy->ops;
    s->self = s->policy->self;
    s->kind = kind_of(s->ops);
    *out = s;
    return GPC_OK;
}

void gpc_scheduler_destroy(gpc_scheduler *s) {
    if (!s)
        return;
    gpc_context *context = s->context;
    gpci_policy_destroy(s->policy);
    gpci_free_lines(context, s);
    gpci_release(context);
}

/*
 * The oldest up to the limit, of those that are not at a barrier: a warp there cannot
 * issue, and what it waits for may be beyond the limit.
 */
void gpci_scheduler_admit(gpc_scheduler *s) {
    if (s->limit == s->warps)
        return;
    for (uint32_t i = 0; i < s->words; i++)
        s->map[i].eligible = 0;
    uint32_t places = s->limit;
    for (uint32_t age = 0; places && age < s->running; age++) {
        uint32_t slot = s->by_age[age];
        s->map[slot / 64].eligible |= gpci_warp_bit(slot);
        places -= s->states[slot] != GPC_STATE_BARRIER;
    }
}

void gpci_scheduler_start(gpc_scheduler *s, uint32_t slot) {
    gpci_warp_word *word = &s->map[slot / 64];
    uint64_t bit = gpci_warp_bit(slot);
    uint32_t age = s->running++;
    s->ages[slot] = (uint16_t)age;
    s->by_age[age] = (uint16_t)slot;
    word->running |= bit;
    word->eligible |= bit;
    s->states[slot] = GPC_STATE_STALLED;
    s->counts[GPC_STATE_ABSENT]--;
    s->counts[GPC_STATE_STALLED]++;
    gpci_scheduler_admit(s);
    uint64_t order = s->next_order++;
    if (s->ops->on_start)
        s->ops->on_start(s->self, slot, order);
}

/* Those younger move up. */
void gpci_scheduler_end(gpc_scheduler *s, uint32_t slot) {
    gpci_warp_word *word = &s->map[slot / 64];
    uint64_t others = ~gpci_warp_bit(slot);
    gpc_warp_state before = gpci_scheduler_state(s, slot);
    s->running--;
    for (uint32_t age = s->ages[slot]; age < s->running; age++) {
        uint16_t moved = s->by_age[age + 1];
        s->by_age[age] = moved;
        s->ages[moved] = (uint16_t)age;
    }
    word->ready &= others;
    word->ready_memory &= others;
    word->running &= others;
    word->eligible &= others;
    s->counts[before]--;
    s->counts[GPC_STATE_ABSENT]++;
    s->states[slot] = GPC_STATE_ABSENT;
    gpci_scheduler_admit(s);
    if (s->ops->on_state)
        s->ops->on_state(s->self, slot, before, GPC_STATE_ABSENT);
}

gpc_status gpc_scheduler_start(gpc_scheduler *s, uint32_t slot) {
    if (!s || slot >= s->warps)
        return GPC_ERROR_ARGUMENT;
    if (s->states[slot] != GPC_STATE_ABSENT)
        return GPC_ERROR_STATE;
    gpci_scheduler_start(s, slot);
    return GPC_OK;
}

gpc_status gpc_scheduler_set_state(gpc_scheduler *s, uint32_t slot, gpc_warp_state state) {
    if (!s || slot >= s->warps || (unsigned)state >= GPC_STATE_COUNT)
        return GPC_ERROR_ARGUMENT;
    if (s->states[slot] == GPC_STATE_ABSENT)
        return GPC_ERROR_STATE;
    if (state == GPC_STATE_ABSENT)
        gpci_scheduler_end(s, slot);
    else
        gpci_scheduler_set(s, slot, state);
    return GPC_OK;
}

gpc_status gpc_scheduler_pick(gpc_scheduler *s, uint64_t cycle, bool memory, uint32_t *out_slot) {
    if (!s || !out_slot)
        return GPC_ERROR_ARGUMENT;
    return gpci_scheduler_pick(s, cycle, memory, out_slot);
}

gpc_status gpc_scheduler_issued(gpc_scheduler *s, uint32_t slot, uint64_t cycle) {
    if (!s || slot >= s->warps)
        return GPC_ERROR_ARGUMENT;
    if (s->states[slot] == GPC_STATE_ABSENT)
        return GPC_ERROR_STATE;
    gpci_scheduler_issued(s, slot, cycle);
    return GPC_OK;
}

gpc_warp_class gpc_scheduler_class_of(const gpc_scheduler *s, uint32_t slot) {
    return s && slot < s->warps ? gpci_scheduler_class(s, slot) : GPC_CLASS_THROTTLED;
}

uint32_t gpc_scheduler_age_of(const gpc_scheduler *s, uint32_t slot) {
    return s && slot < s->warps && s->states[slot] != GPC_STATE_ABSENT ? gpci_scheduler_age(s, slot) : GPC_NO_WARP;
}

void gpc_scheduler_cache_event(gpc_scheduler *s, const gpc_cache_event *event) {
    if (s && event && s->ops->on_cache_event)
        s->ops->on_cache_event(s->self, event);
}

void gpc_scheduler_sample(gpc_scheduler *s, const gpc_stats *stats, uint64_t cycle) {
    if (s && stats && s->ops->sample)
        s->ops->sample(s->self, stats, cycle);
}
