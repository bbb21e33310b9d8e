/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/rules/driver.h"
#include "timed/core/coherent.h"
#include "timed/core/event_log.h"
#include "timed/core/run_ahead.h"
#include "timed/core/shards.h"
#include "timed/core/stage_times.h"
#include "timed/driver/timed_archive.h"

#include <inttypes.h>

/* The timed hierarchy as a driver (level/build/driver.h). */

static void destroy(gpc_hierarchy *h) {
    gpci_timed_destroy(h->timed);
}

/* Accesses take time: gpc_hierarchy_try_issue. */
static gpc_status access(gpc_hierarchy *h, const gpc_warp_access *w, gpc_warp_result *result) {
    (void)h;
    (void)w;
    (void)result;
    return GPC_ERROR_STATE;
}

static gpc_status fence(gpc_hierarchy *h, const gpc_fence *asked, gpc_error *error) {
    (void)h;
    (void)asked;
    return gpci_fail(error, GPC_ERROR_STATE, "gpc_hierarchy_fence: the hierarchy is timed: gpc_hierarchy_try_fence");
}

/* A hit with data under way has no packet any more, but is in flight. */
bool gpci_timed_is_idle(gpci_timed *t, bool memory) {
    gpci_timed_fold(t);
    return !t->in_flight && !gpci_pool_live(&t->pool) && gpci_groups_idle(t, memory);
}

/* Writes may still be in memory channels. */
static bool idle(const gpc_hierarchy *h) {
    return gpci_timed_is_idle(h->timed, false);
}

static void relink(gpc_hierarchy *h) {
    gpci_timed_relink(h->timed);
}

static gpc_status watch(gpc_hierarchy *h, gpci_event_log *log) {
    return gpci_timed_watch(h->timed, log);
}

static void add_sm(const gpc_hierarchy *h, uint32_t sm, gpc_stats *stats) {
    gpci_groups_count_sm(h->timed, sm, stats);
}

static void add_rest(const gpc_hierarchy *h, gpc_stats *s) {
    gpci_timed *t = h->timed;
    gpci_timed_fold(t);
    uint64_t cycles = t->wheel.now - t->counted_from;
    s->cycles += cycles;
    s->sm_cycles += cycles * t->h->sms;
    s->accepted += t->taken;
    s->completed += t->ended;
    gpci_stage_times_count(t, s);
    gpci_groups_count_rest(t, s);
}

static void reset_stats(gpc_hierarchy *h) {
    gpci_timed *t = h->timed;
    gpci_timed_fold(t);
    t->counted_from = t->wheel.now;
    t->taken = t->in_flight; /* count accesses under way, because they complete later */
    t->ended = 0;
    gpci_stage_times_reset(t);
    gpci_groups_reset(t, t->wheel.now);
}

static uint32_t objects(const gpc_hierarchy *h, gpc_object kind) {
    if (kind == GPC_OBJECT_NETWORK)
        return gpci_timed_networks(h->timed);
    return kind == GPC_OBJECT_CHANNEL && !h->timed->callbacks.on_memory ? h->timed->channels : 0;
}

static const char *network_name(const gpc_hierarchy *h, uint32_t index) {
    return gpci_timed_network_name(h->timed, index);
}

static void object(const gpc_hierarchy *h, gpc_object kind, uint32_t index, gpci_object_values *values) {
    const gpci_timed *t = h->timed;
    if (kind == GPC_OBJECT_SM || kind == GPC_OBJECT_L1)
        values->stats.sm_cycles = t->wheel.now - t->counted_from;
    else if (kind == GPC_OBJECT_SLICE)
        gpci_timed_add_object(t, GPCI_SCOPE_SLICE, index, &values->stats);
    else if (kind == GPC_OBJECT_CHANNEL)
        gpci_timed_add_object(t, GPCI_SCOPE_CHANNEL, index, &values->stats);
    else if (kind == GPC_OBJECT_NETWORK)
        values->network = gpci_timed_network_stats(t, index);
}

/* GPC_NEEDS_CREDITS: true if a host has limited the replies of an SM; else true if an SM's L1 is a host's. */
static bool any_sm(const gpci_timed *t, gpc_counter_needs needs) {
    bool any = false;
    for (uint32_t sm = 0; sm < t->h->sms; sm++)
        any |= needs == GPC_NEEDS_CREDITS ? t->l1[sm].replies.limited : t->l1[sm].sm.takes_misses;
    return any;
}

static bool measures(const gpc_hierarchy *h, gpc_counter_needs needs) {
    const gpci_timed *t = h->timed;
    switch (needs) {
    case GPC_NEEDS_REORDER:
        return gpci_part_is_there(t->l1, GPCI_PART_REORDER);
    case GPC_NEEDS_PREFETCHER:
        return gpci_part_is_there(t->l1, GPCI_PART_PREFETCH);
    case GPC_NEEDS_L2_PREFETCHER:
        return gpci_part_is_there(t->l2, GPCI_PART_PREFETCH);
    case GPC_NEEDS_CREDITS:
    case GPC_NEEDS_MISSES: /* or of a constant cache */
        return any_sm(t, needs) || (needs == GPC_NEEDS_MISSES && (t->h->constants || t->h->l15));
    case GPC_NEEDS_LINKS:
        return t->groups[GPCI_GROUP_PARTITION_REQUESTS].objects || t->groups[GPCI_GROUP_MEMORY_REQUESTS].objects;
    case GPC_NEEDS_TLB_TIME:
        return t->h->tlbs;
    case GPC_NEEDS_STAGES:
        return t->stage_times;
    case GPC_NEEDS_CLUSTERS:
        return t->groups[GPCI_GROUP_CLUSTERS].objects;
    default:
        return needs == GPC_NEEDS_CLOCK;
    }
}

#define TIMED_DRIVER(calls, kernel)                                                                                \
    {                                                                                                              \
        .clock = (calls), .create = gpci_timed_create, .destroy = destroy, .access = access, .fence = fence,       \
        .idle = idle, .begin = (kernel), .relink = relink, .watch = watch, .add_sm = add_sm, .add_rest = add_rest, \
        .reset_stats = reset_stats, .objects = objects, .network_name = network_name, .object = object,            \
        .measures = measures, .archive = gpci_timed_archive, .quiet = gpci_timed_is_quiet,                         \
        .empty_l1 = gpci_timed_empty_l1, .reserve_l1 = gpci_timed_reserve_l1                                       \
    }

const gpci_driver gpci_timed_caches = TIMED_DRIVER(&gpci_timed_cache_clock, NULL);
const gpci_driver gpci_timed_tree = TIMED_DRIVER(&gpci_timed_tree_clock, gpci_coherent_begin_kernel);

/* For reports about a standstill, for snapshots, and for SMs of this library. */

void gpci_timed_report(const gpc_hierarchy *h, char *text, size_t size) {
    gpci_text report = gpci_text_of(text, size);
    gpci_timed_fold(h->timed);
    gpci_text_put(&report, "cycle %" PRIu64 ", %" PRIu64 " accesses in flight: ", h->timed->wheel.now,
                  h->timed->in_flight);
    gpci_groups_report(h->timed, &report);
}

void gpci_timed_state(gpci_timed *t, gpci_state_fn visit, void *user_data) {
    gpci_wheel *wheel = &t->wheel;
    gpci_shards_join(t);
    visit(user_data, &wheel->now, sizeof wheel->now);
    visit(user_data, wheel->due, (size_t)GPCI_WHEEL_SPAN * wheel->words * sizeof *wheel->due);
    visit(user_data, wheel->occupied, sizeof wheel->occupied);
    gpci_pool_state(&t->pool, visit, user_data);
    GPCI_STATE_FROM(visit, user_data, gpci_timed, t, inflight_fresh);
    visit(user_data, t->inflights, t->inflight_fresh * sizeof *t->inflights);
    gpci_groups_state(t, visit, user_data);
    gpci_shards_split(t);
}

uint64_t gpci_timed_now(const gpc_hierarchy *h) {
    return h->timed->wheel.now;
}

bool gpci_timed_is_ahead(const gpc_hierarchy *h) {
    return h->timed->wheel.lead != 0;
}

void gpci_timed_wake(gpc_hierarchy *h, uint32_t sm, uint64_t cycle) {
    gpci_timed *t = gpci_timed_of_sm(h->timed, sm);
    gpci_wheel_wake(&t->wheel, t->groups[GPCI_GROUP_SMS].first + sm, cycle);
}

void gpci_timed_attach(gpc_hierarchy *h, const gpci_sm_front_end *front) {
    h->timed->front = front ? *front : (gpci_sm_front_end){0};
    h->timed->runs_ahead = front && front->alone && gpci_may_run_ahead(h->timed);
    gpci_timed_hook(h->timed);
}

uint32_t gpci_timed_shards(const gpc_hierarchy *h) {
    return gpci_shards_count(h->timed);
}

uint32_t gpci_timed_shard_of(const gpc_hierarchy *h, uint32_t sm) {
    return gpci_shards_shard_of_sm(h->timed, sm);
}

void gpci_timed_keep_in_step(gpc_hierarchy *h, bool in_step) {
    h->timed->in_step = in_step;
}

void gpci_timed_keep_alone(gpc_hierarchy *h, bool alone) {
    gpci_shards_keep_sms(h->timed, alone);
}
