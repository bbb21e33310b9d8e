/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/core/changes.h"
#include "timed/core/stage_holders.h"
#include "timed/l1/collector.h"
#include "timed/l1/combine.h"
#include "timed/l1/copy_engine.h"
#include "timed/l1/lsu.h"
#include "timed/pages/l1_tlb.h"
#include "timed/stage/constant_cache.h"
#include "timed/stage/data_banks.h"
#include "timed/stage/prefetch.h"
#include "timed/stage/written.h"

#include <gpucache/host.h>

#include <inttypes.h>
#include <stddef.h>

/*
 * L1s and L2 slices as components: a stage each, a cache with ports, MSHRs and queues. Steps are in l1.c and l2.c; for
 * coherent stages, in coherent_l1.c and coherent_stage.c.
 */

/* Rows, or buckets: enough for the table's entries, or many if unlimited. */
static gpc_status make_mshr(gpci_timed *t, gpci_stage *stage) {
    const bool coherent = t->h->coherent != NULL;
    const uint64_t entries = stage->options->entries;
    const uint64_t wanted = coherent ? entries : entries / 7, most = coherent || entries >= GPCI_UNLIMITED ? 512 : 128;
    uint64_t count = coherent ? 16 : 4;
    while (count < wanted && count < most)
        count *= 2;
    gpci_mshr *mshr = &stage->mshr;
    mshr->mask = (uint32_t)count - 1;
    if (coherent)
        mshr->buckets = gpci_zalloc(t->context, count, sizeof *mshr->buckets);
    else
        mshr->rows = gpci_zalloc_lines(t->context, count, sizeof *mshr->rows);
    if (!mshr->buckets && !mshr->rows)
        return GPC_ERROR_MEMORY;
    for (uint64_t i = 0; i < count; i++)
        *(coherent ? &mshr->buckets[i].leader : &mshr->rows[i].chain) = GPCI_NO_PACKET;
    return GPC_OK;
}

void gpci_stage_unmake(gpci_timed *t, gpci_stage *stage) {
    gpci_free(t->context, stage->mshr.buckets);
    gpci_free_lines(t->context, stage->mshr.rows);
}

gpci_verdict gpci_stage_wait(gpci_timed *t, gpci_stage *stage, uint32_t packet, gpci_tag_access *access,
                             uint32_t leader, gpc_busy reason) {
    (void)leader;
    if (GPCI_UNLIKELY(stage->prefetch != NULL) && gpci_prefetch_is_own(stage, gpci_packet_at(&t->pool, packet)))
        return GPCI_BLOCKED; /* the prefetch is dropped, and holds no access up */
    return gpci_stage_block(stage, access, t->wheel.now, reason);
}

void gpci_stage_tell_nobody(gpci_stage *stage, const gpc_request *request, uint8_t sectors) {
    (void)stage;
    (void)request;
    (void)sectors;
}

/* Queues of an L1 before the tags, and queues for requested data, are unbounded: limits are elsewhere. */
void gpci_stage_queues(const gpci_timed *t, gpci_stage *stage) {
    const bool first = stage->level == 1;
    const uint64_t in = gpci_number(t->h, GPCI_KEY_L2_QUEUE), replies = gpci_number(t->h, GPCI_KEY_L2_REPLIES);
    const uint64_t way_in = t->rop_apart ? 0 : t->rop_latency;
    gpci_queue_init(&stage->in, first || in >= GPCI_UNLIMITED ? GPCI_UNLIMITED : (in ? in : 1) + way_in);
    gpci_queue_init(&stage->rop, GPCI_UNLIMITED);
    const uint64_t out = gpci_number(t->h, first ? GPCI_KEY_L1_MISS_QUEUE : GPCI_KEY_L2_MISS_QUEUE);
    /* L1: packets on the way to the queue count, too */
    const uint64_t way = first ? (uint64_t)t->longest_way * t->l1_options.ports : 0;
    gpci_queue_init(&stage->out, out >= GPCI_UNLIMITED ? out : out + way);
    gpci_queue_init(&stage->link, gpci_number(t->h, GPCI_KEY_L2_MISS_QUEUE));
    gpci_queue_init(&stage->served, replies >= GPCI_UNLIMITED ? replies : replies + t->l2_options.latency);
    gpci_queue_init(&stage->atomics, stage->served.room);
    gpci_queue_init(&stage->returned, GPCI_UNLIMITED);
    gpci_queue_init(&stage->across[0], GPCI_UNLIMITED);
    gpci_queue_init(&stage->across[1], GPCI_UNLIMITED);
    gpci_queue_init(&stage->fills, GPCI_UNLIMITED);
}

/* A stage at rest; cache, rules, options and lines are still missing. */
static gpci_stage stage_at_rest(gpci_timed *t, uint8_t level, uint32_t index, uint32_t component) {
    return (gpci_stage){.own_lines = level == 1,
                        .timed = t,
                        .component = component,
                        .index = index,
                        .level = level,
                        .link_at = GPCI_NO_PACKET,
                        .tag_cycle = GPCI_NEVER,
                        .congested_since = GPCI_NEVER,
                        .unsent_since = GPCI_NEVER,
                        .due = {UINT32_MAX, UINT32_MAX},
                        .filled = {UINT32_MAX, UINT32_MAX},
                        .drain_first = GPCI_NO_PACKET,
                        .drain_last = GPCI_NO_PACKET,
                        .replies = {.credits = GPC_UNLIMITED_CREDITS, .since = GPCI_NEVER, .first = UINT32_MAX},
                        .fences = {.first = UINT32_MAX, .walker = UINT32_MAX, .dropped_at = GPCI_NEVER}};
}

static gpc_status make_stage(const gpci_group *group, gpci_stage *stage, uint8_t level, uint32_t index) {
    gpci_timed *t = group->timed;
    bool first = level == 1;
    *stage = stage_at_rest(t, level, index, group->first + index);
    stage->rules = first ? &gpci_l1_stage : &gpci_l2_stage;
    stage->loads_go = first;
    stage->options = first ? &t->l1_options : &t->l2_options;
    stage->line = first ? &t->h->l1_level : &t->h->l2_level;
    gpci_stage_queues(t, stage);
    return make_mshr(t, stage);
}

gpc_status gpci_stage_make_beside(gpci_timed *t, const gpci_stage *l1, const gpci_stage_rules *rules,
                                  const gpci_stage_options *options, const gpci_level *line, gpci_stage *stage) {
    *stage = stage_at_rest(t, 1, l1->index, l1->component);
    stage->rules = rules;
    stage->options = options;
    stage->line = line;
    gpci_queue *const queues[] = {&stage->in,      &stage->out,      &stage->link,      &stage->served,   &stage->fills,
                                  &stage->atomics, &stage->returned, &stage->across[0], &stage->across[1]};
    for (size_t i = 0; i < sizeof queues / sizeof *queues; i++)
        gpci_queue_init(queues[i], GPCI_UNLIMITED);
    return make_mshr(t, stage);
}

void gpci_stage_reset(gpci_stage *stage, uint64_t now) {
    stage->counts = (gpci_stage_counts){.bank_failures = 0};
    if (stage->reorder)
        gpci_reorder_reset_counts(stage->reorder, now);
    if (stage->combine)
        stage->combine->joined = 0;
    if (stage->prefetch)
        stage->prefetch->counts = (gpci_prefetch_counts){0};
    if (stage->engine)
        stage->engine->stalls = 0;
    if (stage->tlb)
        gpci_l1_tlb_reset(stage->tlb, now);
    if (stage->collector)
        gpci_collector_reset(stage->collector, now);
    stage->congested = stage->unsent = stage->atomic_waits = stage->atomic_busy = 0;
    stage->written_waits = 0;
    for (unsigned client = 0; client < 2; client++)
        stage->tag_access[client].since = now;
    stage->congested_since = stage->congested_since == GPCI_NEVER ? GPCI_NEVER : now;
    stage->unsent_since = stage->unsent_since == GPCI_NEVER ? GPCI_NEVER : now;
    stage->replies.waited = 0;
    stage->replies.since = stage->replies.since == GPCI_NEVER ? GPCI_NEVER : now;
    gpci_gauge *gauges[] = {&stage->waiting_gauge, &stage->mshr.gauge,   &stage->in.gauge,     &stage->out.gauge,
                            &stage->link.gauge,    &stage->served.gauge, &stage->atomics.gauge};
    for (size_t i = 0; i < sizeof gauges / sizeof *gauges; i++) {
        gauges[i]->since = now;
        gauges[i]->sum = 0;
    }
}

/* State from the queues on, without pointers; earlier fields and the cache are as made, or stored elsewhere. */
void gpci_stage_state(gpci_stage *stage, gpci_state_fn visit, void *user_data) {
    GPCI_STATE_FROM(visit, user_data, gpci_mshr, &stage->mshr, used);
    GPCI_STATE_FROM(visit, user_data, gpci_stage, stage, in);
    if (stage->mshr.buckets)
        visit(user_data, stage->mshr.buckets, ((size_t)stage->mshr.mask + 1) * sizeof *stage->mshr.buckets);
    if (stage->mshr.rows)
        visit(user_data, stage->mshr.rows, ((size_t)stage->mshr.mask + 1) * sizeof *stage->mshr.rows);
    if (stage->reorder)
        gpci_reorder_state(stage->reorder, visit, user_data);
    if (stage->prefetch)
        gpci_prefetch_state(stage->prefetch, visit, user_data);
    if (stage->combine)
        gpci_combine_state(stage->combine, visit, user_data);
    if (stage->engine)
        gpci_copy_engine_state(stage->engine, visit, user_data);
    if (stage->tlb)
        gpci_l1_tlb_state(stage->tlb, visit, user_data);
    if (stage->collector)
        gpci_collector_state(stage->collector, visit, user_data);
    if (stage->data_queue)
        gpci_data_queue_state(stage->data_queue, visit, user_data);
    if (stage->written)
        gpci_written_state(stage->written, visit, user_data);
    if (stage->changes)
        visit(user_data, stage->changes, sizeof *stage->changes << GPCI_CHANGES_BITS);
}

uint64_t gpci_stage_stalls(const gpci_stage *stage, gpc_busy reason, uint64_t now) {
    uint64_t cycles = stage->counts.stalls[reason];
    for (unsigned client = 0; client < 2; client++)
        cycles += stage->tag_access[client].reason == reason ? now - stage->tag_access[client].since : 0;
    return cycles;
}

/* A sum of cycles, including cycles since `since` if set. */
static uint64_t up_to(uint64_t sum, uint64_t since, uint64_t now) {
    return sum + (since != GPCI_NEVER ? now - since : 0);
}

static gpci_group_size l1_size(const gpci_timed *t, gpci_group_kind kind) {
    bool is_there = (t->h->coherent != NULL) == (kind == GPCI_GROUP_COHERENT_L1S);
    return (gpci_group_size){is_there ? t->h->sms : 0, is_there ? t->h->sms : 0};
}

static gpc_status l1_make(gpci_group *group, gpc_error *error) {
    gpci_timed *t = group->timed;
    t->l1 = gpci_zalloc(t->context, group->objects, sizeof *t->l1);
    gpc_status status = t->l1 ? GPC_OK : GPC_ERROR_MEMORY;
    for (uint32_t i = 0; status == GPC_OK && i < group->objects; i++) {
        status = make_stage(group, &t->l1[i], 1, i);
        if (status == GPC_OK && t->reorder_options.signature != GPCI_REORDER_NONE)
            status = gpci_reorder_create(t->context, &t->reorder_options, &t->l1[i].reorder);
        if (status == GPC_OK)
            status = gpci_lsus_create(t, &t->l1[i]);
        if (status == GPC_OK)
            status = gpci_l1_tlb_create(t, &t->l1[i]);
        if (status == GPC_OK)
            status = gpci_combine_create(t, &t->l1[i]);
        if (status == GPC_OK)
            status = gpci_collector_create(t, &t->l1[i]);
        if (status == GPC_OK)
            status = gpci_data_queue_create(t, &t->l1[i]);
        if (status == GPC_OK)
            status = gpci_copy_engine_create(t, &t->l1[i]);
        if (status == GPC_OK)
            status = gpci_constants_stage_create(t, &t->l1[i]);
    }
    if (status < 0)
        return gpci_out_of_memory(error);
    for (uint32_t i = 0; status == GPC_OK && i < group->objects; i++)
        status = gpci_prefetch_create(t, &t->l1[i], error);
    return status;
}

static void l1_destroy(gpci_group *group) {
    gpci_timed *t = group->timed;
    for (uint32_t i = 0; t->l1 && i < group->objects; i++) {
        gpci_stage_unmake(t, &t->l1[i]);
        gpci_constants_stage_destroy(t, &t->l1[i]);
        gpci_reorder_destroy(t->l1[i].reorder);
        gpci_lsus_destroy(t, &t->l1[i]);
        gpci_l1_tlb_destroy(t, &t->l1[i]);
        gpci_prefetch_destroy(t, &t->l1[i]);
        gpci_combine_destroy(t, &t->l1[i]);
        gpci_collector_destroy(t, &t->l1[i]);
        gpci_data_queue_destroy(t, &t->l1[i]);
        gpci_copy_engine_destroy(t, &t->l1[i]);
    }
    gpci_free(t->context, t->l1);
}

static void count_reorder(gpci_reorder_counts counts, gpc_stats *s) {
    s->l1_reorder_cycles += counts.cycles;
    s->l1_reorder_stalls += counts.stalls;
    s->l1_reordered += counts.reordered;
    s->l1_reorder_switches += counts.switches;
    s->l1_reorder_flushes += counts.flushes;
}

static void count_l1_prefetches(const gpci_prefetch_counts *counts, gpc_stats *s) {
    s->l1_prefetches += counts->sent;
    s->l1_useful_prefetches += counts->outcomes[GPC_PREFETCH_USEFUL];
    s->l1_late_prefetches += counts->outcomes[GPC_PREFETCH_LATE];
    s->l1_unused_prefetches += counts->outcomes[GPC_PREFETCH_UNUSED];
    s->l1_redundant_prefetches += counts->outcomes[GPC_PREFETCH_REDUNDANT];
    s->l1_dropped_prefetches += counts->outcomes[GPC_PREFETCH_DROPPED];
}

static void count_l2_prefetches(const gpci_prefetch_counts *counts, gpc_stats *s) {
    s->l2_prefetches += counts->sent;
    s->l2_useful_prefetches += counts->outcomes[GPC_PREFETCH_USEFUL];
    s->l2_late_prefetches += counts->outcomes[GPC_PREFETCH_LATE];
    s->l2_unused_prefetches += counts->outcomes[GPC_PREFETCH_UNUSED];
    s->l2_redundant_prefetches += counts->outcomes[GPC_PREFETCH_REDUNDANT];
    s->l2_dropped_prefetches += counts->outcomes[GPC_PREFETCH_DROPPED];
}

static void l1_count(const gpci_group *group, uint32_t sm, gpc_stats *s) {
    uint64_t now = group->timed->wheel.now;
    const gpci_stage *stage = &group->timed->l1[sm];
    const gpci_stage_counts *c = &stage->counts;
    s->bulk_stalls += stage->engine ? stage->engine->stalls : 0;
    s->l1_line_failures += c->failures[GPC_BUSY_LINE];
    s->l1_mshr_failures += c->failures[GPC_BUSY_MSHR];
    s->l1_merge_failures += c->failures[GPC_BUSY_MERGE];
    s->l1_queue_failures += c->failures[GPC_BUSY_MISS_QUEUE];
    s->l1_bank_failures += c->bank_failures;
    s->l1_data_turns += c->data_turns;
    s->l1_data_conflicts += c->data_conflicts;
    s->l1_data_waits += c->data_waits;
    s->l1_combined_requests += stage->combine ? stage->combine->joined : 0;
    if (stage->reorder)
        count_reorder(gpci_reorder_get_counts(stage->reorder, now), s);
    if (stage->prefetch)
        count_l1_prefetches(&stage->prefetch->counts, s);
    if (stage->tlb)
        gpci_l1_tlb_count(stage->tlb, now, s);
    if (stage->constants)
        s->const_stalls += gpci_stage_stalls(stage->constants, GPC_BUSY_MSHR, now) +
                           gpci_stage_stalls(stage->constants, GPC_BUSY_MERGE, now) +
                           gpci_stage_stalls(stage->constants, GPC_BUSY_MISS_QUEUE, now);
    s->l1_line_bypasses += c->passed[GPC_BUSY_LINE];
    s->l1_mshr_bypasses += c->passed[GPC_BUSY_MSHR];
    s->l1_queue_bypasses += c->passed[GPC_BUSY_MISS_QUEUE];
    s->l1_line_stalls += gpci_stage_stalls(stage, GPC_BUSY_LINE, now);
    s->l1_mshr_stalls += gpci_stage_stalls(stage, GPC_BUSY_MSHR, now);
    s->l1_merge_stalls += gpci_stage_stalls(stage, GPC_BUSY_MERGE, now);
    s->l1_queue_stalls += gpci_stage_stalls(stage, GPC_BUSY_MISS_QUEUE, now);
    s->l1_network_stalls += up_to(stage->unsent, stage->unsent_since, now);
    s->l1_reply_stalls += up_to(stage->replies.waited, stage->replies.since, now);
    s->l1_queue_cycles += gpci_gauge_sum(&stage->waiting_gauge, now);
    s->l1_mshr_cycles += gpci_gauge_sum(&stage->mshr.gauge, now);
    s->l1_miss_queue_cycles += gpci_gauge_sum(&stage->out.gauge, now);
}

static void l1_reset(const gpci_group *group, uint32_t sm, uint64_t now) {
    gpci_stage_reset(&group->timed->l1[sm], now);
    if (group->timed->l1[sm].constants)
        gpci_stage_reset(group->timed->l1[sm].constants, now);
}

static void l1_state(const gpci_group *group, uint32_t sm, gpci_state_fn visit, void *user_data) {
    gpci_stage_state(&group->timed->l1[sm], visit, user_data);
    if (group->timed->l1[sm].lsus)
        gpci_lsus_state(group->timed->l1[sm].lsus, visit, user_data);
    if (group->timed->l1[sm].constants)
        gpci_stage_state(group->timed->l1[sm].constants, visit, user_data);
}

const gpci_component_class gpci_l1_class =
    GPCI_COMPONENT_CLASS(GPCI_SCOPE_SM, l1_size, l1_make, l1_destroy, gpci_l1_step, gpci_l1_expect, l1_count, l1_reset,
                         l1_state, gpci_l1_hold);
const gpci_component_class gpci_coherent_l1_class =
    GPCI_COMPONENT_CLASS(GPCI_SCOPE_SM, l1_size, l1_make, l1_destroy, gpci_coherent_l1_step, gpci_l1_expect, l1_count,
                         l1_reset, l1_state, gpci_l1_hold);

static gpci_group_size slice_size(const gpci_timed *t, gpci_group_kind kind) {
    bool is_there = (t->h->coherent != NULL) == (kind == GPCI_GROUP_COHERENT_SLICES);
    return (gpci_group_size){is_there ? t->h->slices : 0, is_there ? t->h->slices : 0};
}

static gpc_status slice_make(gpci_group *group, gpc_error *error) {
    gpci_timed *t = group->timed;
    t->l2 = gpci_zalloc(t->context, group->objects, sizeof *t->l2);
    gpc_status status = t->l2 ? GPC_OK : GPC_ERROR_MEMORY;
    for (uint32_t i = 0; status == GPC_OK && i < group->objects; i++) {
        status = make_stage(group, &t->l2[i], 2, i);
        if (status == GPC_OK && !t->h->coherent)
            status = gpci_changes_create(t, &t->l2[i]);
        if (status == GPC_OK)
            status = gpci_written_create(t, &t->l2[i]);
    }
    if (status < 0)
        return gpci_out_of_memory(error);
    for (uint32_t i = 0; status == GPC_OK && i < group->objects; i++)
        status = gpci_prefetch_create(t, &t->l2[i], error);
    return status;
}

static void slice_destroy(gpci_group *group) {
    gpci_timed *t = group->timed;
    for (uint32_t i = 0; t->l2 && i < group->objects; i++) {
        gpci_stage_unmake(t, &t->l2[i]);
        gpci_prefetch_destroy(t, &t->l2[i]);
        gpci_written_destroy(t, &t->l2[i]);
        gpci_free(t->context, t->l2[i].changes);
    }
    gpci_free(t->context, t->l2);
}

static void slice_count(const gpci_group *group, uint32_t slice, gpc_stats *s) {
    uint64_t now = group->timed->wheel.now;
    const gpci_stage *stage = &group->timed->l2[slice];
    const gpci_stage_counts *c = &stage->counts;
    s->l2_cycles += now - group->timed->counted_from;
    s->l2_line_failures += c->failures[GPC_BUSY_LINE];
    s->l2_mshr_failures += c->failures[GPC_BUSY_MSHR];
    s->l2_merge_failures += c->failures[GPC_BUSY_MERGE];
    s->l2_queue_failures += c->failures[GPC_BUSY_MISS_QUEUE] + c->failures[GPC_BUSY_NETWORK];
    s->l2_bank_failures += c->bank_failures;
    s->l2_line_stalls += gpci_stage_stalls(stage, GPC_BUSY_LINE, now);
    s->l2_mshr_stalls += gpci_stage_stalls(stage, GPC_BUSY_MSHR, now);
    s->l2_merge_stalls += gpci_stage_stalls(stage, GPC_BUSY_MERGE, now);
    s->l2_queue_stalls +=
        gpci_stage_stalls(stage, GPC_BUSY_MISS_QUEUE, now) + gpci_stage_stalls(stage, GPC_BUSY_NETWORK, now);
    s->l2_congested_cycles += up_to(stage->congested, stage->congested_since, now);
    s->l2_queue_cycles += gpci_gauge_sum(&stage->in.gauge, now);
    s->l2_mshr_cycles += gpci_gauge_sum(&stage->mshr.gauge, now);
    s->l2_miss_queue_cycles += gpci_gauge_sum(&stage->out.gauge, now) + gpci_gauge_sum(&stage->link.gauge, now);
    s->l2_reply_queue_cycles += gpci_gauge_sum(&stage->served.gauge, now) + gpci_gauge_sum(&stage->atomics.gauge, now);
    s->l2_atomic_busy_cycles += stage->atomic_busy;
    s->l2_atomic_wait_cycles += stage->atomic_waits;
    s->l2_written_wait_cycles += stage->written_waits;
    if (stage->prefetch)
        count_l2_prefetches(&stage->prefetch->counts, s);
}

static void slice_reset(const gpci_group *group, uint32_t slice, uint64_t now) {
    gpci_stage_reset(&group->timed->l2[slice], now);
}

static void slice_state(const gpci_group *group, uint32_t slice, gpci_state_fn visit, void *user_data) {
    gpci_stage_state(&group->timed->l2[slice], visit, user_data);
}

const gpci_component_class gpci_slice_class =
    GPCI_COMPONENT_CLASS(GPCI_SCOPE_SLICE, slice_size, slice_make, slice_destroy, gpci_slice_step, gpci_slice_expect,
                         slice_count, slice_reset, slice_state, gpci_slice_hold);
const gpci_component_class gpci_coherent_slice_class =
    GPCI_COMPONENT_CLASS(GPCI_SCOPE_SLICE, slice_size, slice_make, slice_destroy, gpci_coherent_slice_step, NULL,
                         slice_count, slice_reset, slice_state, gpci_coherent_slice_hold);

/* Connect to the networks nearest to the L1s: clusters, or slices. */
static void connect_above(gpci_timed *t, gpci_stage *stage) {
    stage->requests_in = gpci_network_of(t, GPCI_GROUP_REQUESTS);
    stage->replies_out = gpci_network_of(t, GPCI_GROUP_REPLIES);
}

static void connect_slice(gpci_timed *t, gpci_stage *stage) {
    connect_above(t, stage);
    if (t->clusters) {
        stage->requests_in = gpci_network_of(t, GPCI_GROUP_CLUSTER_REQUESTS);
        stage->replies_out = gpci_network_of(t, GPCI_GROUP_CLUSTER_REPLIES);
    }
    stage->requests_out = gpci_network_of(t, GPCI_GROUP_MEMORY_REQUESTS);
    stage->replies_in = gpci_network_of(t, GPCI_GROUP_MEMORY_REPLIES);
    stage->peer_requests = gpci_network_of(t, GPCI_GROUP_PARTITION_REQUESTS);
    stage->peer_replies = gpci_network_of(t, GPCI_GROUP_PARTITION_REPLIES);
}

void gpci_stages_connect(gpci_timed *t) {
    for (uint32_t i = 0; i < t->h->sms; i++) {
        t->l1[i].requests_out = gpci_network_of(t, GPCI_GROUP_REQUESTS);
        t->l1[i].replies_in = gpci_network_of(t, GPCI_GROUP_REPLIES);
        t->l1[i].coalescer = t->groups[GPCI_GROUP_COALESCERS].self;
        t->l1[i].l15 = t->l15 ? &t->l15[t->h->sm_l15[i]] : NULL;
        t->l1[i].beside = t->l1[i].constants || t->l1[i].l15;
    }
    for (uint32_t i = 0; i < t->groups[GPCI_GROUP_CLUSTERS].objects; i++) {
        connect_above(t, &t->clusters[i]);
        t->clusters[i].requests_out = gpci_network_of(t, GPCI_GROUP_CLUSTER_REQUESTS);
        t->clusters[i].replies_in = gpci_network_of(t, GPCI_GROUP_CLUSTER_REPLIES);
    }
    for (uint32_t i = 0; i < t->h->slices; i++)
        connect_slice(t, &t->l2[i]);
    for (uint32_t i = 0; i < t->channels; i++) {
        t->memory[i].requests_in = gpci_network_of(t, GPCI_GROUP_MEMORY_REQUESTS);
        t->memory[i].replies_out = gpci_network_of(t, GPCI_GROUP_MEMORY_REPLIES);
    }
}

/* Third pass: the place of a hit's or victim's line, and the load of a reply. */
static void expect_last(const gpci_timed *t, const gpci_stage *stage, uint32_t reply) {
    if (stage->in.count && stage->cache)
        gpci_expect_place(stage->cache, gpci_packet_at(&t->pool, stage->in.first)->address);
    if (reply == GPCI_NO_PACKET)
        return;
    const gpci_packet *p = gpci_packet_at(&t->pool, reply), *w = p;
    if (p->flags & GPCI_PACKET_FETCH) {
        w = gpci_packet_at(&t->pool, p->line.waiter);
        if (w->mshr.slot != UINT32_MAX)
            gpci_expect_slot(stage->cache, w->mshr.slot);
    }
    if (w->line.flight != UINT32_MAX)
        GPCI_PREFETCH(&t->flights[w->line.flight]);
}

void gpci_l1_expect(const gpci_group *group, uint32_t sm, unsigned pass) {
    const gpci_timed *t = group->timed;
    const gpci_stage *stage = &t->l1[sm];
    uint32_t reply = gpci_network_peek(stage->replies_in, sm);
    if (pass == 0) {
        if (reply != GPCI_NO_PACKET)
            gpci_expect_packet(t, reply);
        if (stage->due.first != UINT32_MAX)
            GPCI_PREFETCH(&t->flights[stage->due.first]);
        if (stage->in.count) {
            gpci_expect_link(&t->pool, stage->in.first);
            gpci_expect_packet(t, stage->in.first);
        }
        return;
    }
    if (pass == 2) {
        expect_last(t, stage, reply);
        return;
    }
    if (stage->in.count)
        gpci_stage_expect(stage, gpci_packet_at(&t->pool, stage->in.first)->address);
    if (reply == GPCI_NO_PACKET)
        return;
    const gpci_packet *p = gpci_packet_at(&t->pool, reply);
    gpci_stage_expect_fill(stage, p->address);
    if (!(p->flags & GPCI_PACKET_FETCH))
        return;
    GPCI_PREFETCH(gpci_packet_at(&t->pool, p->line.waiter)); /* a waiter has no more bytes */
    if (stage->coalescer)
        gpci_lrc_expect(stage->coalescer, sm, p->address);
}
