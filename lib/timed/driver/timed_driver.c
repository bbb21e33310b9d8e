/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/rules/driver.h"
#include "timed/core/coherent.h"
#include "timed/core/run_ahead.h"
#include "timed/core/shards.h"
#include "timed/core/stage_times.h"
#include "timed/core/timed.h"
#include "timed/driver/timed_archive.h"

#include <inttypes.h>

/* The timed hierarchy as a driver (level/build/driver.h). */

static void destroy(gpc_hierarchy *hierarchy) {
    gpci_timed_destroy(hierarchy->timed);
}

/* Accesses take time: gpc_hierarchy_try_issue. */
static gpc_status access(gpc_hierarchy *hierarchy, const gpc_warp_access *warp_access, gpc_warp_result *result,
                         gpc_error *error) {
    (void)hierarchy;
    (void)warp_access;
    (void)result;
    return gpci_fail(error, GPC_ERROR_STATE, "gpc_hierarchy_access: the hierarchy is timed: gpc_hierarchy_try_issue");
}

static gpc_status fence(gpc_hierarchy *hierarchy, const gpc_fence *asked, gpc_error *error) {
    (void)hierarchy;
    (void)asked;
    return gpci_fail(error, GPC_ERROR_STATE, "gpc_hierarchy_fence: the hierarchy is timed: gpc_hierarchy_try_fence");
}

/* Packets and accesses are both tested: a hit whose data are on the way has no packet, but is in flight. */
bool gpci_timed_is_idle(gpci_timed *timed, bool memory) {
    gpci_timed_fold(timed);
    return !timed->in_flight && !gpci_pool_live(&timed->pool) && gpci_groups_idle(timed, memory);
}

/* Writes may still be in memory channels. */
static bool idle(const gpc_hierarchy *hierarchy) {
    return gpci_timed_is_idle(hierarchy->timed, false);
}

static void relink(gpc_hierarchy *hierarchy) {
    gpci_timed_relink(hierarchy->timed);
}

static gpc_status watch(gpc_hierarchy *hierarchy, gpci_event_log *log) {
    return gpci_timed_watch(hierarchy->timed, log);
}

static void add_sm(const gpc_hierarchy *hierarchy, uint32_t sm, gpc_stats *stats) {
    gpci_groups_count_sm(hierarchy->timed, sm, stats);
}

static void add_rest(const gpc_hierarchy *hierarchy, gpc_stats *stats) {
    gpci_timed *timed = hierarchy->timed;
    gpci_timed_fold(timed);
    uint64_t cycles = timed->wheel.now - timed->counted_from;
    stats->cycles += cycles;
    stats->sm_cycles += cycles * timed->hierarchy->sms;
    stats->accepted += timed->taken;
    stats->completed += timed->ended;
    gpci_stage_times_count(timed, stats);
    gpci_groups_count_rest(timed, stats);
}

static void reset_stats(gpc_hierarchy *hierarchy) {
    gpci_timed *timed = hierarchy->timed;
    gpci_timed_fold(timed);
    timed->counted_from = timed->wheel.now;
    timed->taken = timed->in_flight; /* count accesses under way, because they complete later */
    timed->ended = 0;
    gpci_stage_times_reset(timed);
    gpci_groups_reset(timed, timed->wheel.now);
}

static uint32_t objects(const gpc_hierarchy *hierarchy, gpc_object kind) {
    if (kind == GPC_OBJECT_NETWORK)
        return gpci_timed_networks(hierarchy->timed);
    return kind == GPC_OBJECT_CHANNEL && !hierarchy->timed->callbacks.on_memory ? hierarchy->timed->channels : 0;
}

static const char *network_name(const gpc_hierarchy *hierarchy, uint32_t index) {
    return gpci_timed_network_name(hierarchy->timed, index);
}

static void object(const gpc_hierarchy *hierarchy, gpc_object kind, uint32_t index, gpci_object_values *values) {
    const gpci_timed *timed = hierarchy->timed;
    if (kind == GPC_OBJECT_SM || kind == GPC_OBJECT_L1)
        values->stats.sm_cycles = timed->wheel.now - timed->counted_from;
    else if (kind == GPC_OBJECT_SLICE)
        gpci_timed_add_object(timed, GPCI_SCOPE_SLICE, index, &values->stats);
    else if (kind == GPC_OBJECT_CHANNEL)
        gpci_timed_add_object(timed, GPCI_SCOPE_CHANNEL, index, &values->stats);
    else if (kind == GPC_OBJECT_NETWORK)
        values->network = gpci_timed_network_stats(timed, index);
}

/* GPCI_NEEDS_CREDITS: true if a host has limited the replies of an SM; else true if an SM's L1 is a host's. */
static bool any_sm(const gpci_timed *timed, gpci_counter_needs needs) {
    bool any = false;
    for (uint32_t sm = 0; sm < timed->hierarchy->sms; sm++)
        any |= needs == GPCI_NEEDS_CREDITS ? timed->l1[sm].replies.limited : timed->l1[sm].sm.takes_misses;
    return any;
}

static bool measures(const gpc_hierarchy *hierarchy, gpci_counter_needs needs) {
    const gpci_timed *timed = hierarchy->timed;
    switch (needs) {
    case GPCI_NEEDS_REORDER:
        return gpci_part_is_there(timed->l1, GPCI_PART_REORDER);
    case GPCI_NEEDS_PREFETCHER:
        return gpci_part_is_there(timed->l1, GPCI_PART_PREFETCH);
    case GPCI_NEEDS_L2_PREFETCHER:
        return gpci_part_is_there(timed->l2, GPCI_PART_PREFETCH);
    case GPCI_NEEDS_CREDITS:
    case GPCI_NEEDS_MISSES: /* misses of a host's L1, or of constant caches and L1.5s */
        return any_sm(timed, needs) ||
               (needs == GPCI_NEEDS_MISSES && (timed->hierarchy->constants || timed->hierarchy->l15));
    case GPCI_NEEDS_LINKS:
        return timed->groups[GPCI_GROUP_PARTITION_REQUESTS].objects ||
               timed->groups[GPCI_GROUP_MEMORY_REQUESTS].objects;
    case GPCI_NEEDS_TLB_TIME:
        return timed->hierarchy->tlbs;
    case GPCI_NEEDS_STAGES:
        return timed->stage_times;
    case GPCI_NEEDS_CLUSTERS:
        return timed->groups[GPCI_GROUP_CLUSTERS].objects;
    default:
        return needs == GPCI_NEEDS_CLOCK;
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

void gpci_timed_report(const gpc_hierarchy *hierarchy, char *text, size_t size) {
    gpci_text report = gpci_text_of(text, size);
    gpci_timed_fold(hierarchy->timed);
    gpci_text_put(&report, "cycle %" PRIu64 ", %" PRIu64 " accesses in flight: ", hierarchy->timed->wheel.now,
                  hierarchy->timed->in_flight);
    gpci_groups_report(hierarchy->timed, &report);
}

void gpci_timed_state(gpci_timed *timed, gpci_state_fn visit, void *user_data) {
    gpci_wheel *wheel = &timed->wheel;
    gpci_shards_join(timed);
    visit(user_data, &wheel->now, sizeof wheel->now);
    visit(user_data, wheel->due, (size_t)GPCI_WHEEL_SPAN * wheel->words * sizeof *wheel->due);
    visit(user_data, wheel->occupied, sizeof wheel->occupied);
    gpci_pool_state(&timed->pool, visit, user_data);
    GPCI_STATE_FROM(visit, user_data, gpci_timed, timed, inflight_fresh);
    visit(user_data, timed->inflights, timed->inflight_fresh * sizeof *timed->inflights);
    gpci_groups_state(timed, visit, user_data);
    gpci_shards_split(timed);
}

uint64_t gpci_timed_now(const gpc_hierarchy *hierarchy) {
    return hierarchy->timed->wheel.now;
}

bool gpci_timed_is_ahead(const gpc_hierarchy *hierarchy) {
    return hierarchy->timed->wheel.lead != 0;
}

void gpci_timed_wake(gpc_hierarchy *hierarchy, uint32_t sm, uint64_t cycle) {
    gpci_timed *timed = gpci_timed_of_sm(hierarchy->timed, sm);
    gpci_wheel_wake(&timed->wheel, timed->groups[GPCI_GROUP_SMS].first + sm, cycle);
}

void gpci_timed_attach(gpc_hierarchy *hierarchy, const gpci_sm_front_end *front) {
    hierarchy->timed->front = front ? *front : (gpci_sm_front_end){0};
    hierarchy->timed->runs_ahead = front && front->alone && gpci_may_run_ahead(hierarchy->timed);
    gpci_timed_hook(hierarchy->timed);
}

uint32_t gpci_timed_shards(const gpc_hierarchy *hierarchy) {
    return gpci_shards_count(hierarchy->timed);
}

uint32_t gpci_timed_shard_of(const gpc_hierarchy *hierarchy, uint32_t sm) {
    return gpci_shards_shard_of_sm(hierarchy->timed, sm);
}

void gpci_timed_keep_in_step(gpc_hierarchy *hierarchy, bool in_step) {
    hierarchy->timed->in_step = in_step;
}

void gpci_timed_keep_alone(gpc_hierarchy *hierarchy, bool alone) {
    gpci_shards_keep_sms(hierarchy->timed, alone);
}
