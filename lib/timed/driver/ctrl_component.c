/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/core/coherent.h"
#include "timed/core/ctrl_holders.h"
#include "timed/core/gl1_ctrl.h"
#include "timed/ctrl/prefetch.h"

#include <gpucache/experimental/experimental.h>
#include <gpucache/ext/policies.h>

#include <inttypes.h>
#include <stddef.h>

/*
 * L1s and L2 slices as components: a controller each, a cache with ports, MSHRs and queues. Steps are in l1.c and l2.c;
 * for coherent controllers, in coherent_l1.c and coherent_ctrl.c.
 */

/* Make the MSHR table, with rows or buckets: as many as suit the number of entries, or many if unlimited. */
static gpc_status make_mshr(gpci_timed *timed, gpci_ctrl *ctrl) {
    const bool coherent = timed->hierarchy->coherent != NULL;
    const uint64_t entries = ctrl->options->entries;
    const uint64_t wanted = coherent ? entries : entries / 7, most = coherent || entries >= GPCI_UNLIMITED ? 512 : 128;
    uint64_t count = coherent ? 16 : 4;
    while (count < wanted && count < most)
        count *= 2;
    gpci_mshr *mshr = &ctrl->mshr;
    mshr->mask = (uint32_t)count - 1;
    if (coherent)
        mshr->buckets = gpci_zalloc(timed->context, count, sizeof *mshr->buckets);
    else
        mshr->rows = gpci_zalloc_lines(timed->context, count, sizeof *mshr->rows);
    if (!mshr->buckets && !mshr->rows)
        return GPC_ERROR_MEMORY;
    for (uint64_t i = 0; i < count; i++)
        *(coherent ? &mshr->buckets[i].mshr_entry : &mshr->rows[i].chain) = GPCI_NO_PACKET;
    return GPC_OK;
}

void gpci_ctrl_unmake(gpci_timed *timed, gpci_ctrl *ctrl) {
    gpci_free(timed->context, ctrl->mshr.buckets);
    gpci_free_lines(timed->context, ctrl->mshr.rows);
}

gpci_verdict gpci_ctrl_wait(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet, gpci_tag_access *access,
                            uint32_t mshr_entry, gpc_busy reason) {
    (void)mshr_entry;
    if (GPCI_UNLIKELY(gpci_prefetch_of(ctrl) != NULL) &&
        gpci_prefetch_is_own(ctrl, gpci_packet_at(&timed->pool, packet)))
        return GPCI_BLOCKED; /* the prefetch is dropped, and holds no access up */
    return gpci_ctrl_block(ctrl, access, timed->wheel.now, reason);
}

void gpci_ctrl_notify_none(gpci_ctrl *ctrl, const gpci_packet *packet, uint8_t sectors) {
    (void)ctrl;
    (void)packet;
    (void)sectors;
}

/* The queue before an L1's tags, and queues for requested data, are unbounded: their contents are limited elsewhere. */
void gpci_ctrl_queues(const gpci_timed *timed, gpci_ctrl *ctrl) {
    const bool first = ctrl->level == 1;
    const uint64_t in = gpci_number(timed->hierarchy, GPCI_KEY_L2_QUEUE),
                   replies = gpci_number(timed->hierarchy, GPCI_KEY_L2_REPLIES);
    const uint64_t way_in = timed->rop_queue ? 0 : timed->rop_latency;
    gpci_queue_init(&ctrl->in, first || in >= GPCI_UNLIMITED ? GPCI_UNLIMITED : (in ? in : 1) + way_in);
    const uint64_t out = gpci_number(timed->hierarchy, first ? GPCI_KEY_L1_MISS_QUEUE : GPCI_KEY_L2_MISS_QUEUE);
    /* L1: packets on the way to the queue count, too: as many as pass the tags, or leave the queue, in this time */
    const uint64_t passed = (uint64_t)timed->longest_way * timed->l1_options.ports,
                   way = !first                 ? 0
                         : timed->miss_interval ? (timed->longest_way + timed->miss_interval - 1) / timed->miss_interval
                                                : passed;
    gpci_queue_init(&ctrl->out, out >= GPCI_UNLIMITED ? out : out + way);
    gpci_queue_init(&ctrl->link, gpci_number(timed->hierarchy, GPCI_KEY_L2_MISS_QUEUE));
    gpci_queue_init(&ctrl->served, replies >= GPCI_UNLIMITED ? replies : replies + timed->l2_options.latency);
    gpci_queue_init(&ctrl->returned, GPCI_UNLIMITED);
    gpci_queue_init(&ctrl->across[0], GPCI_UNLIMITED);
    gpci_queue_init(&ctrl->across[1], GPCI_UNLIMITED);
    gpci_queue_init(&ctrl->fills, GPCI_UNLIMITED);
}

/* A controller at rest; cache, rules, options and lines are still missing. */
static gpci_ctrl ctrl_at_rest(gpci_timed *timed, uint8_t level, uint32_t index, uint32_t component) {
    return (gpci_ctrl){.timed = timed,
                       .component = component,
                       .index = index,
                       .level = level,
                       .link_at = GPCI_NO_PACKET,
                       .tag_port = {.cycle = GPCI_NEVER},
                       .congested = {.since = GPCI_NEVER},
                       .unsent = {.since = GPCI_NEVER},
                       .due = {UINT32_MAX, UINT32_MAX},
                       .filled = {UINT32_MAX, UINT32_MAX},
                       .replies = {.credits = GPC_UNLIMITED_CREDITS, .since = GPCI_NEVER, .first = UINT32_MAX},
                       .fences = {.first = UINT32_MAX, .walker = UINT32_MAX},
                       .dropped_at = GPCI_NEVER};
}

static gpc_status make_ctrl(const gpci_group *group, gpci_ctrl *ctrl, uint8_t level, uint32_t index) {
    gpci_timed *timed = group->timed;
    bool first = level == 1;
    *ctrl = ctrl_at_rest(timed, level, index, group->first + index);
    ctrl->rules = first ? &gpci_l1_ctrl : &gpci_l2_ctrl;
    ctrl->options = first ? &timed->l1_options : &timed->l2_options;
    ctrl->line = first ? &timed->hierarchy->l1_level : &timed->hierarchy->l2_level;
    ctrl->entrance = &ctrl->in;
    gpci_ctrl_queues(timed, ctrl);
    return make_mshr(timed, ctrl);
}

gpc_status gpci_ctrl_make_plain(gpci_timed *timed, const gpci_ctrl *place, const gpci_ctrl_rules *rules,
                                const gpci_ctrl_options *options, const gpci_level *line, gpci_ctrl *ctrl) {
    *ctrl = ctrl_at_rest(timed, place->level, place->index, place->component);
    ctrl->rules = rules;
    ctrl->options = options;
    ctrl->line = line;
    gpci_queue *const queues[] = {&ctrl->in,    &ctrl->out,      &ctrl->link,      &ctrl->served,
                                  &ctrl->fills, &ctrl->returned, &ctrl->across[0], &ctrl->across[1]};
    for (size_t i = 0; i < sizeof queues / sizeof *queues; i++)
        gpci_queue_init(queues[i], GPCI_UNLIMITED);
    return make_mshr(timed, ctrl);
}

void gpci_ctrl_reset(gpci_ctrl *ctrl, uint64_t now) {
    ctrl->counts = (gpci_ctrl_counts){.bank_failures = 0};
    gpci_parts_reset(ctrl, now);
    ctrl->congested.cycles = ctrl->unsent.cycles = 0;
    for (unsigned client = 0; client < 2; client++)
        ctrl->tag_access[client].since = now;
    ctrl->congested.since = ctrl->congested.since == GPCI_NEVER ? GPCI_NEVER : now;
    ctrl->unsent.since = ctrl->unsent.since == GPCI_NEVER ? GPCI_NEVER : now;
    ctrl->replies.waited = 0;
    ctrl->replies.since = ctrl->replies.since == GPCI_NEVER ? GPCI_NEVER : now;
    gpci_gauge *gauges[] = {&ctrl->sm.gauge,  &ctrl->mshr.gauge, &ctrl->in.gauge,
                            &ctrl->out.gauge, &ctrl->link.gauge, &ctrl->served.gauge};
    for (size_t i = 0; i < sizeof gauges / sizeof *gauges; i++)
        gpci_gauge_reset(gauges[i], now);
}

/* State from the queues on, without pointers; earlier fields and the cache are as made, or stored elsewhere. */
void gpci_ctrl_state(gpci_ctrl *ctrl, gpci_state_fn visit, void *user_data) {
    GPCI_STATE_FROM(visit, user_data, gpci_mshr, &ctrl->mshr, used);
    GPCI_STATE_FROM(visit, user_data, gpci_parts, &ctrl->parts, active);
    GPCI_STATE_FROM(visit, user_data, gpci_ctrl, ctrl, in);
    if (ctrl->mshr.buckets)
        visit(user_data, ctrl->mshr.buckets, ((size_t)ctrl->mshr.mask + 1) * sizeof *ctrl->mshr.buckets);
    if (ctrl->mshr.rows)
        visit(user_data, ctrl->mshr.rows, ((size_t)ctrl->mshr.mask + 1) * sizeof *ctrl->mshr.rows);
    gpci_parts_state(ctrl, visit, user_data);
}

static gpci_ctrl *ctrl_at(const gpci_group *group, uint32_t index) {
    return (gpci_ctrl *)group->self + index;
}

void gpci_ctrls_reset(const gpci_group *group, uint32_t index, uint64_t now) {
    gpci_ctrl_reset(ctrl_at(group, index), now);
}

void gpci_ctrls_state(const gpci_group *group, uint32_t index, gpci_state_fn visit, void *user_data) {
    gpci_ctrl_state(ctrl_at(group, index), visit, user_data);
}

uint64_t gpci_ctrl_stalls(const gpci_ctrl *ctrl, gpc_busy reason, uint64_t now) {
    uint64_t cycles = ctrl->counts.stalls[reason];
    for (unsigned client = 0; client < 2; client++)
        cycles += ctrl->tag_access[client].reason == reason ? now - ctrl->tag_access[client].since : 0;
    return cycles;
}

/* A sum of cycles, including cycles since `since` if set. */
static uint64_t up_to(uint64_t sum, uint64_t since, uint64_t now) {
    return sum + (since != GPCI_NEVER ? now - since : 0);
}

static gpci_group_size l1_size(const gpci_timed *timed, gpci_group_kind kind) {
    bool is_there = (timed->hierarchy->coherent != NULL) == (kind == GPCI_GROUP_COHERENT_L1S);
    return (gpci_group_size){is_there ? timed->hierarchy->sms : 0, is_there ? timed->hierarchy->sms : 0};
}

/* Parts by kind, to make those that are configured. */
static const gpci_part_class *const parts[GPCI_PART_COUNT] = {
#define X(name, class) [GPCI_PART_##name] = &gpci_##class##_part,
    GPCI_PARTS(X)
#undef X
};

static gpc_status make_parts(gpci_timed *timed, gpci_ctrl *ctrl, gpc_error *error) {
    gpc_status status = GPC_OK;
    for (uint32_t i = 0; i < GPCI_PART_COUNT && status == GPC_OK; i++)
        if (parts[i]->levels >> ctrl->level & 1 && parts[i]->make)
            status = parts[i]->make(timed, ctrl, error);
    return status;
}

static gpc_status make_stages(gpci_group *group, gpci_ctrl **stages, uint8_t level, gpc_error *error) {
    gpci_timed *timed = group->timed;
    group->self = *stages = gpci_zalloc(timed->context, group->objects, sizeof **stages);
    gpc_status status = *stages ? GPC_OK : gpci_out_of_memory(error);
    for (uint32_t i = 0; status == GPC_OK && i < group->objects; i++) {
        if (make_ctrl(group, &(*stages)[i], level, i) < 0)
            return gpci_out_of_memory(error);
        status = make_parts(timed, &(*stages)[i], error);
    }
    return status;
}

static void destroy_stages(gpci_group *group, gpci_ctrl *stages) {
    gpci_timed *timed = group->timed;
    for (uint32_t i = 0; stages && i < group->objects; i++) {
        gpci_ctrl_unmake(timed, &stages[i]);
        gpci_parts_destroy(timed, &stages[i]);
    }
    gpci_free(timed->context, stages);
}

static gpc_status l1_make(gpci_group *group, gpc_error *error) {
    return make_stages(group, &group->timed->l1, 1, error);
}

static void l1_destroy(gpci_group *group) {
    destroy_stages(group, group->timed->l1);
}

static void l1_count(const gpci_group *group, uint32_t sm, gpc_stats *stats) {
    uint64_t now = group->timed->wheel.now;
    const gpci_ctrl *ctrl = &group->timed->l1[sm];
    const gpci_ctrl_counts *counts = &ctrl->counts;
    stats->l1_line_failures += counts->failures[GPC_BUSY_LINE];
    stats->l1_mshr_failures += counts->failures[GPC_BUSY_MSHR];
    stats->l1_merge_failures += counts->failures[GPC_BUSY_MERGE];
    stats->l1_queue_failures += counts->failures[GPC_BUSY_MISS_QUEUE];
    stats->l1_bank_failures += counts->bank_failures;
    stats->l1_line_bypasses += counts->passed[GPC_BUSY_LINE];
    stats->l1_mshr_bypasses += counts->passed[GPC_BUSY_MSHR];
    stats->l1_queue_bypasses += counts->passed[GPC_BUSY_MISS_QUEUE];
    stats->l1_line_stalls += gpci_ctrl_stalls(ctrl, GPC_BUSY_LINE, now);
    stats->l1_mshr_stalls += gpci_ctrl_stalls(ctrl, GPC_BUSY_MSHR, now);
    stats->l1_merge_stalls += gpci_ctrl_stalls(ctrl, GPC_BUSY_MERGE, now);
    stats->l1_queue_stalls += gpci_ctrl_stalls(ctrl, GPC_BUSY_MISS_QUEUE, now);
    stats->l1_network_stalls += up_to(ctrl->unsent.cycles, ctrl->unsent.since, now);
    stats->l1_reply_stalls += up_to(ctrl->replies.waited, ctrl->replies.since, now);
    stats->l1_queue_cycles += gpci_gauge_sum(&ctrl->sm.gauge, now);
    stats->l1_mshr_cycles += gpci_gauge_sum(&ctrl->mshr.gauge, now);
    stats->l1_miss_queue_cycles += gpci_gauge_sum(&ctrl->out.gauge, now);
    gpci_parts_count(ctrl, now, stats);
}

const gpci_component_class gpci_l1_class =
    GPCI_COMPONENT_CLASS(GPCI_SCOPE_SM, l1_size, l1_make, l1_destroy, gpci_l1_step, gpci_l1_expect, l1_count,
                         gpci_ctrls_reset, gpci_ctrls_state, gpci_l1_hold);
const gpci_component_class gpci_coherent_l1_class =
    GPCI_COMPONENT_CLASS(GPCI_SCOPE_SM, l1_size, l1_make, l1_destroy, gpci_coherent_l1_step, gpci_l1_expect, l1_count,
                         gpci_ctrls_reset, gpci_ctrls_state, gpci_l1_hold);

static gpci_group_size slice_size(const gpci_timed *timed, gpci_group_kind kind) {
    bool is_there = (timed->hierarchy->coherent != NULL) == (kind == GPCI_GROUP_COHERENT_SLICES);
    return (gpci_group_size){is_there ? timed->hierarchy->slices : 0, is_there ? timed->hierarchy->slices : 0};
}

static gpc_status slice_make(gpci_group *group, gpc_error *error) {
    return make_stages(group, &group->timed->l2, 2, error);
}

static void slice_destroy(gpci_group *group) {
    destroy_stages(group, group->timed->l2);
}

static void slice_count(const gpci_group *group, uint32_t slice, gpc_stats *stats) {
    uint64_t now = group->timed->wheel.now;
    const gpci_ctrl *ctrl = &group->timed->l2[slice];
    const gpci_ctrl_counts *counts = &ctrl->counts;
    stats->l2_cycles += now - group->timed->counted_from;
    stats->l2_line_failures += counts->failures[GPC_BUSY_LINE];
    stats->l2_mshr_failures += counts->failures[GPC_BUSY_MSHR];
    stats->l2_merge_failures += counts->failures[GPC_BUSY_MERGE];
    stats->l2_queue_failures += counts->failures[GPC_BUSY_MISS_QUEUE] + counts->failures[GPC_BUSY_NETWORK];
    stats->l2_bank_failures += counts->bank_failures;
    stats->l2_line_stalls += gpci_ctrl_stalls(ctrl, GPC_BUSY_LINE, now);
    stats->l2_mshr_stalls += gpci_ctrl_stalls(ctrl, GPC_BUSY_MSHR, now);
    stats->l2_merge_stalls += gpci_ctrl_stalls(ctrl, GPC_BUSY_MERGE, now);
    stats->l2_queue_stalls +=
        gpci_ctrl_stalls(ctrl, GPC_BUSY_MISS_QUEUE, now) + gpci_ctrl_stalls(ctrl, GPC_BUSY_NETWORK, now);
    stats->l2_congested_cycles += up_to(ctrl->congested.cycles, ctrl->congested.since, now);
    stats->l2_queue_cycles += gpci_gauge_sum(&ctrl->in.gauge, now);
    stats->l2_mshr_cycles += gpci_gauge_sum(&ctrl->mshr.gauge, now);
    stats->l2_miss_queue_cycles += gpci_gauge_sum(&ctrl->out.gauge, now) + gpci_gauge_sum(&ctrl->link.gauge, now);
    stats->l2_reply_queue_cycles += gpci_gauge_sum(&ctrl->served.gauge, now);
    gpci_parts_count(ctrl, now, stats);
}

const gpci_component_class gpci_slice_class =
    GPCI_COMPONENT_CLASS(GPCI_SCOPE_SLICE, slice_size, slice_make, slice_destroy, gpci_slice_step, gpci_slice_expect,
                         slice_count, gpci_ctrls_reset, gpci_ctrls_state, gpci_slice_hold);
const gpci_component_class gpci_coherent_slice_class =
    GPCI_COMPONENT_CLASS(GPCI_SCOPE_SLICE, slice_size, slice_make, slice_destroy, gpci_coherent_slice_step, NULL,
                         slice_count, gpci_ctrls_reset, gpci_ctrls_state, gpci_coherent_slice_hold);

/* Connect to the networks nearest to the L1s: clusters, or slices. */
static void connect_above(gpci_timed *timed, gpci_ctrl *ctrl) {
    ctrl->networks.requests_in = gpci_network_of(timed, GPCI_GROUP_REQUESTS);
    ctrl->networks.replies_out = gpci_network_of(timed, GPCI_GROUP_REPLIES);
}

static void connect_slice(gpci_timed *timed, gpci_ctrl *ctrl) {
    connect_above(timed, ctrl);
    if (timed->clusters) {
        ctrl->networks.requests_in = gpci_network_of(timed, GPCI_GROUP_CLUSTER_REQUESTS);
        ctrl->networks.replies_out = gpci_network_of(timed, GPCI_GROUP_CLUSTER_REPLIES);
    }
    ctrl->networks.requests_out = gpci_network_of(timed, GPCI_GROUP_MEMORY_REQUESTS);
    ctrl->networks.replies_in = gpci_network_of(timed, GPCI_GROUP_MEMORY_REPLIES);
    ctrl->networks.peer_requests = gpci_network_of(timed, GPCI_GROUP_PARTITION_REQUESTS);
    ctrl->networks.peer_replies = gpci_network_of(timed, GPCI_GROUP_PARTITION_REPLIES);
}

void gpci_stages_connect(gpci_timed *timed) {
    for (uint32_t i = 0; i < timed->hierarchy->sms; i++) {
        timed->l1[i].networks.requests_out = gpci_network_of(timed, GPCI_GROUP_REQUESTS);
        timed->l1[i].networks.replies_in = gpci_network_of(timed, GPCI_GROUP_REPLIES);
        if (timed->groups[GPCI_GROUP_COALESCERS].objects)
            gpci_part_add(&timed->l1[i], GPCI_PART_COALESCER, &gpci_lrc_part,
                          timed->groups[GPCI_GROUP_COALESCERS].self);
        if (timed->l15)
            gpci_part_add(&timed->l1[i], GPCI_PART_L15, &gpci_l15_reader_part,
                          &timed->l15[timed->hierarchy->sm_l15[i]]);
        if (timed->gl1)
            gpci_part_add(&timed->l1[i], GPCI_PART_GL1, &gpci_gl1_way_part, &timed->gl1_ways[i]);
    }
    if (timed->gl1)
        timed->groups[GPCI_GROUP_L1S].step = gpci_l1_gl1_step;
    for (uint32_t i = 0; i < timed->groups[GPCI_GROUP_CLUSTERS].objects; i++) {
        connect_above(timed, &timed->clusters[i]);
        timed->clusters[i].networks.requests_out = gpci_network_of(timed, GPCI_GROUP_CLUSTER_REQUESTS);
        timed->clusters[i].networks.replies_in = gpci_network_of(timed, GPCI_GROUP_CLUSTER_REPLIES);
    }
    for (uint32_t i = 0; i < timed->hierarchy->slices; i++)
        connect_slice(timed, &timed->l2[i]);
    for (uint32_t i = 0; i < timed->channels; i++) {
        timed->memory[i].requests_in = gpci_network_of(timed, GPCI_GROUP_MEMORY_REQUESTS);
        timed->memory[i].replies_out = gpci_network_of(timed, GPCI_GROUP_MEMORY_REPLIES);
    }
}
