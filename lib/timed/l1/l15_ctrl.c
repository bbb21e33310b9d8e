/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/ctrl/l15_ctrl.h"
#include "base/check.h"

#include "timed/core/ctrl_holders.h"
#include "timed/core/timed.h"

/* Lines of constant caches are shorter: not own_lines. */
static const gpci_ctrl_rules rules = {.send = gpci_read_only_send,
                                      .evicted = gpci_read_only_evicted,
                                      .released = gpci_ctrl_serve,
                                      .on_stall = gpci_ctrl_wait,
                                      .on_not_allocated = gpci_ctrl_notify_none};

#ifdef GPCI_CHECK
static void count_again(gpci_timed *timed, const gpci_packet *pkt, const gpci_tag_access *access) {
    gpc_stats *stats = &timed->hierarchy->of_sm[pkt->request.sm].again;
    stats->l15_line_merges += access->flying ? 1 : 0;
    if (pkt->request.space != GPC_SPACE_INSTRUCTION)
        return;
    stats->l15_code_lines++;
    stats->l15_code_line_hits += access->result.outcome == GPC_HIT;
}
#endif

static gpci_verdict pass(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet, gpci_tag_access *access) {
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    if (!access->looked) {
        gpci_ctrl_look(timed, ctrl, pkt, access);
        gpci_l15_looked(timed->hierarchy, &pkt->request, access->result.outcome == GPC_HIT, access->flying != 0);
        GPCI_AGAIN(count_again(timed, pkt, access));
        gpci_log_lookup(timed, ctrl, pkt, access);
    }
    const gpci_verdict verdict = gpci_ctrl_settle(timed, ctrl, packet, access, false);
    if (verdict == GPCI_SERVED)
        gpci_ctrl_serve(timed, ctrl, packet, 1);
    return verdict;
}

/* Pass packets through the tags, unless the data port is behind by more than the latency. */
static void run_tags(gpci_timed *timed, gpci_ctrl *ctrl) {
    gpci_tag_access *access = &ctrl->tag_access[0];
    const uint64_t now = timed->wheel.now;
    while (ctrl->in.count && !gpci_ctrl_stuck(access)) {
        const uint32_t packet = ctrl->in.first;
        if (ctrl->data.free > now + ctrl->options->latency ||
            !gpci_ctrl_port(ctrl, now, gpci_packet_at(&timed->pool, packet)->address)) {
            gpci_wheel_wake(&timed->wheel, ctrl->component, now + 1);
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

/* Return a packet to the sender: a constant cache, or an in-flight access (then done). */
static void deliver(gpci_timed *timed, uint32_t packet) {
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    gpci_ctrl *l1 = &timed->l1[pkt->request.sm];
    if (pkt->flags & GPCI_PACKET_FETCH) {
        gpci_ctrl_fill(timed, gpci_constants_of(l1), packet);
        gpci_wheel_wake(&timed->wheel, l1->component, timed->wheel.now);
        return;
    }
    gpci_log_event(timed, GPC_WHAT_REPLY, l1, pkt, pkt->level);
    gpci_l1_release_line(timed, pkt->line.inflight, pkt->level);
    gpci_pool_give(&timed->pool, packet);
}

static void run_served(gpci_timed *timed, gpci_ctrl *ctrl) {
    while (ctrl->served.count && timed->pool.links[ctrl->served.first].due <= timed->wheel.now)
        deliver(timed, gpci_queue_pop(&ctrl->served, &timed->pool, timed->wheel.now));
    if (ctrl->served.count)
        gpci_wheel_wake(&timed->wheel, ctrl->component, timed->pool.links[ctrl->served.first].due);
}

/* Wake L1s waiting for room, and the L1 that sends the first packet of the miss queue. */
static void tell_l1s(gpci_timed *timed, const gpci_ctrl *ctrl) {
    const uint64_t now = timed->wheel.now;
    if (ctrl->out.count)
        gpci_wheel_wake(&timed->wheel, timed->l1[gpci_packet_at(&timed->pool, ctrl->out.first)->request.sm].component,
                        now);
    if (gpci_queue_full(&ctrl->in))
        return;
    for (uint32_t sm = timed->hierarchy->l15_first[ctrl->index]; sm != UINT32_MAX;
         sm = timed->hierarchy->l15_next[sm]) {
        const gpci_ctrl *l1 = &timed->l1[sm], *constants = gpci_constants_of(l1);
        if (l1->parts.refused >> GPCI_PART_L15 & 1 || (constants && constants->out.count))
            gpci_wheel_wake(&timed->wheel, l1->component, now);
    }
}

static void step(const gpci_group *group, uint32_t index) {
    gpci_timed *timed = group->timed;
    gpci_ctrl *ctrl = &timed->l15[index];
    run_served(timed, ctrl);
    run_tags(timed, ctrl);
    tell_l1s(timed, ctrl);
}

bool gpci_l15_has_room(const gpci_ctrl *l1) {
    return !gpci_queue_full(&gpci_ctrl_l15(l1)->in);
}

void gpci_l15_take(gpci_timed *timed, gpci_ctrl *l1, uint32_t packet) {
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    pkt->request.sector_mask = 1; /* sector of the L1.5's line */
    gpci_queue_push(&gpci_ctrl_l15(l1)->in, &timed->pool, timed->wheel.now, packet);
    gpci_wheel_wake(&timed->wheel, gpci_ctrl_l15(l1)->component, timed->wheel.now);
}

/* Send the L1.5's reads for an SM into the miss queue of L1. */
static void ask(gpci_timed *timed, gpci_ctrl *l1) {
    gpci_ctrl *ctrl = gpci_ctrl_l15(l1);
    while (ctrl->out.count) {
        const uint32_t sm = gpci_packet_at(&timed->pool, ctrl->out.first)->request.sm;
        if (sm != l1->index) {
            gpci_wheel_wake(&timed->wheel, timed->l1[sm].component, timed->wheel.now);
            return;
        }
        if (gpci_queue_full(&l1->out))
            return;
        gpci_l1_queue_miss(timed, l1, gpci_queue_pop(&ctrl->out, &timed->pool, timed->wheel.now), 0);
        gpci_ctrl_resource_freed(ctrl, GPC_BUSY_MISS_QUEUE);
        if (gpci_ctrl_may_retry(&ctrl->tag_access[0]))
            gpci_wheel_wake(&timed->wheel, ctrl->component, timed->wheel.now);
    }
}

/* More reads follow, once the miss queue has room. */
static void end(gpci_timed *timed, gpci_ctrl *l1) {
    if (gpci_ctrl_l15(l1)->out.count && !gpci_queue_full(&l1->out))
        gpci_wheel_wake(&timed->wheel, l1->component, timed->wheel.now + 1);
}

/* The L1.5 itself is a component; the part of an L1 sends the L1.5's reads, and refuses SMs for the L1.5. */
const gpci_part_class gpci_l15_reader_part = {
    .levels = GPCI_OF_L1S, .step = {[GPCI_AT_BELOW] = ask, [GPCI_AT_END] = end}, .has_room = gpci_l15_has_room};

void gpci_l15_fill(gpci_timed *timed, gpci_ctrl *l1, uint32_t packet) {
    gpci_packet_at(&timed->pool, packet)->request.sector_mask = 1;
    gpci_ctrl_fill(timed, gpci_ctrl_l15(l1), packet);
    gpci_wheel_wake(&timed->wheel, gpci_ctrl_l15(l1)->component, timed->wheel.now);
}

static gpci_group_size size(const gpci_timed *timed, gpci_group_kind kind) {
    (void)kind;
    return (gpci_group_size){timed->hierarchy->l15_count, timed->hierarchy->l15_count};
}

static gpc_status make(gpci_group *group, gpc_error *error) {
    gpci_timed *timed = group->timed;
    const gpc_hierarchy *hierarchy = timed->hierarchy;
    gpc_status status = GPC_OK;
    timed->l15_level = gpci_l15_level(hierarchy);
    timed->l15_options = (gpci_ctrl_options){.latency = (uint32_t)gpci_number(hierarchy, GPCI_KEY_L15_LATENCY),
                                             .ports = 1,
                                             .banks = 1,
                                             .data_width = (uint32_t)gpci_number(hierarchy, GPCI_KEY_L15_WIDTH),
                                             .fill_width = timed->l15_level.line_bytes,
                                             .entries = gpci_number(hierarchy, GPCI_KEY_L15_MSHR),
                                             .merges = gpci_number(hierarchy, GPCI_KEY_L15_MERGES),
                                             .clock = {1, 1}};
    group->self = timed->l15 = gpci_zalloc(timed->context, group->objects, sizeof *timed->l15);
    if (!timed->l15)
        return gpci_out_of_memory(error);
    for (uint32_t i = 0; i < group->objects && status == GPC_OK; i++) {
        const gpci_ctrl ctrl = {.index = i, .component = group->first + i, .level = 1};
        status = gpci_ctrl_make_plain(timed, &ctrl, &rules, &timed->l15_options, &timed->l15_level, &timed->l15[i]);
        timed->l15[i].cache = hierarchy->l15[i];
        gpci_queue_init(&timed->l15[i].in, gpci_number(hierarchy, GPCI_KEY_L15_QUEUE));
        gpci_queue_init(&timed->l15[i].out, gpci_number(hierarchy, GPCI_KEY_L15_MISS_QUEUE));
    }
    return status < 0 ? gpci_out_of_memory(error) : GPC_OK;
}

static void destroy(gpci_group *group) {
    gpci_timed *timed = group->timed;
    for (uint32_t i = 0; timed->l15 && i < group->objects; i++)
        gpci_ctrl_unmake(timed, &timed->l15[i]);
    gpci_free(timed->context, timed->l15);
}

static void count(const gpci_group *group, uint32_t index, gpc_stats *stats) {
    const gpci_ctrl *ctrl = &group->timed->l15[index];
    const uint64_t now = group->timed->wheel.now;
    stats->l15_stalls += gpci_ctrl_stalls(ctrl, GPC_BUSY_MSHR, now) + gpci_ctrl_stalls(ctrl, GPC_BUSY_MERGE, now) +
                         gpci_ctrl_stalls(ctrl, GPC_BUSY_MISS_QUEUE, now);
}

const gpci_component_class gpci_l15_class = GPCI_COMPONENT_CLASS(
    GPCI_SCOPE_HIERARCHY, size, make, destroy, step, NULL, count, gpci_ctrls_reset, gpci_ctrls_state, gpci_l15_hold);
