/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/ctrl/l15_ctrl.h"

#include "timed/core/ctrl_holders.h"
#include "timed/core/tags.h"

/* Serve a line of code or constants: at the tags of an L1.5, or released after a fill from L2. */

static void serve(gpci_timed *t, gpci_ctrl *ctrl, uint32_t packet, uint8_t level) {
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    const uint64_t due = gpci_ctrl_data(ctrl, t->wheel.now, gpci_packet_bytes(p));
    p->level = level;
    gpci_log_event(t, GPC_WHAT_SERVE, ctrl, p, due);
    t->pool.links[packet].due = due;
    gpci_queue_push(&ctrl->served, &t->pool, t->wheel.now, packet);
    if (ctrl->served.count == 1) /* otherwise the L1.5 wakes earlier, for the packet ahead */
        gpci_wheel_wake(&t->wheel, ctrl->component, due);
}

static void released(gpci_timed *t, gpci_ctrl *ctrl, uint32_t packet, uint8_t level) {
    serve(t, ctrl, packet, level);
}

/* Lines of constant caches are shorter: not own_lines. */
static const gpci_ctrl_rules rules = {.send = gpci_read_only_send,
                                      .evicted = gpci_read_only_evicted,
                                      .released = released,
                                      .on_stall = gpci_ctrl_wait,
                                      .on_not_allocated = gpci_ctrl_notify_none};

static gpci_verdict pass(gpci_timed *t, gpci_ctrl *ctrl, uint32_t packet, gpci_tag_access *access) {
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    if (!access->looked) {
        gpci_ctrl_look(t, ctrl, p, access);
        gpci_l15_looked(t->h, &p->request, access->result.outcome == GPC_HIT, access->flying != 0);
        gpci_log_lookup(t, ctrl, p, access);
    }
    const gpci_verdict verdict = gpci_ctrl_settle(t, ctrl, packet, access, false);
    if (verdict == GPCI_SERVED)
        serve(t, ctrl, packet, 1);
    return verdict;
}

/* Pass packets through the tags, unless the data port is behind by more than the latency. */
static void run_tags(gpci_timed *t, gpci_ctrl *ctrl) {
    gpci_tag_access *access = &ctrl->tag_access[0];
    const uint64_t now = t->wheel.now;
    while (ctrl->in.count && !gpci_ctrl_stuck(access)) {
        const uint32_t packet = ctrl->in.first;
        if (ctrl->data.free > now + ctrl->options->latency ||
            !gpci_ctrl_port(ctrl, now, gpci_packet_at(&t->pool, packet)->address)) {
            gpci_wheel_wake(&t->wheel, ctrl->component, now + 1);
            return;
        }
        const uint32_t next = gpci_tags_take(t, &ctrl->in);
        if (pass(t, ctrl, packet, access) == GPCI_BLOCKED) {
            gpci_tags_put_back(t, ctrl, &ctrl->in, packet, next, access);
            return;
        }
        gpci_tags_passed(ctrl, &ctrl->in, access, now);
    }
}

/* Return a packet to the sender: a constant cache, or an in-flight access (then done). */
static void deliver(gpci_timed *t, uint32_t packet) {
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    gpci_ctrl *l1 = &t->l1[p->request.sm];
    if (p->flags & GPCI_PACKET_FETCH) {
        gpci_ctrl_fill(t, gpci_constants_of(l1), packet);
        gpci_wheel_wake(&t->wheel, l1->component, t->wheel.now);
        return;
    }
    gpci_log_event(t, GPC_WHAT_REPLY, l1, p, p->level);
    gpci_l1_release_line(t, p->line.inflight, p->level);
    gpci_pool_give(&t->pool, packet);
}

static void run_served(gpci_timed *t, gpci_ctrl *ctrl) {
    while (ctrl->served.count && t->pool.links[ctrl->served.first].due <= t->wheel.now)
        deliver(t, gpci_queue_pop(&ctrl->served, &t->pool, t->wheel.now));
    if (ctrl->served.count)
        gpci_wheel_wake(&t->wheel, ctrl->component, t->pool.links[ctrl->served.first].due);
}

/* Wake L1s waiting for room, and the L1 that sends the first packet of the miss queue. */
static void tell_l1s(gpci_timed *t, const gpci_ctrl *ctrl) {
    const uint64_t now = t->wheel.now;
    if (ctrl->out.count)
        gpci_wheel_wake(&t->wheel, t->l1[gpci_packet_at(&t->pool, ctrl->out.first)->request.sm].component, now);
    if (gpci_queue_full(&ctrl->in))
        return;
    for (uint32_t sm = t->h->l15_first[ctrl->index]; sm != UINT32_MAX; sm = t->h->l15_next[sm]) {
        const gpci_ctrl *l1 = &t->l1[sm], *constants = gpci_constants_of(l1);
        if (l1->parts.refused >> GPCI_PART_L15 & 1 || (constants && constants->out.count))
            gpci_wheel_wake(&t->wheel, l1->component, now);
    }
}

static void step(const gpci_group *group, uint32_t index) {
    gpci_timed *t = group->timed;
    gpci_ctrl *ctrl = &t->l15[index];
    run_served(t, ctrl);
    run_tags(t, ctrl);
    tell_l1s(t, ctrl);
}

bool gpci_l15_has_room(const gpci_ctrl *l1) {
    return !gpci_queue_full(&gpci_ctrl_l15(l1)->in);
}

void gpci_l15_take(gpci_timed *t, gpci_ctrl *l1, uint32_t packet) {
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    p->request.sector_mask = 1; /* sector of the L1.5's line */
    gpci_queue_push(&gpci_ctrl_l15(l1)->in, &t->pool, t->wheel.now, packet);
    gpci_wheel_wake(&t->wheel, gpci_ctrl_l15(l1)->component, t->wheel.now);
}

/* Send the L1.5's reads for an SM into the miss queue of L1. */
static void ask(gpci_timed *t, gpci_ctrl *l1) {
    gpci_ctrl *ctrl = gpci_ctrl_l15(l1);
    while (ctrl->out.count) {
        const uint32_t sm = gpci_packet_at(&t->pool, ctrl->out.first)->request.sm;
        if (sm != l1->index) {
            gpci_wheel_wake(&t->wheel, t->l1[sm].component, t->wheel.now);
            return;
        }
        if (gpci_queue_full(&l1->out))
            return;
        gpci_l1_queue_miss(t, l1, gpci_queue_pop(&ctrl->out, &t->pool, t->wheel.now), 0);
        gpci_ctrl_resource_freed(ctrl, GPC_BUSY_MISS_QUEUE);
        if (gpci_ctrl_may_retry(&ctrl->tag_access[0]))
            gpci_wheel_wake(&t->wheel, ctrl->component, t->wheel.now);
    }
}

/* More reads follow, once the miss queue has room. */
static void end(gpci_timed *t, gpci_ctrl *l1) {
    if (gpci_ctrl_l15(l1)->out.count && !gpci_queue_full(&l1->out))
        gpci_wheel_wake(&t->wheel, l1->component, t->wheel.now + 1);
}

/* The L1.5 of an L1 is a component; the part stands for the way there. */
const gpci_part_class gpci_l15_reader_part = {
    .levels = GPCI_OF_L1S, .step = {[GPCI_AT_BELOW] = ask, [GPCI_AT_END] = end}, .has_room = gpci_l15_has_room};

void gpci_l15_fill(gpci_timed *t, gpci_ctrl *l1, uint32_t packet) {
    gpci_packet_at(&t->pool, packet)->request.sector_mask = 1;
    gpci_ctrl_fill(t, gpci_ctrl_l15(l1), packet);
    gpci_wheel_wake(&t->wheel, gpci_ctrl_l15(l1)->component, t->wheel.now);
}

static gpci_group_size size(const gpci_timed *t, gpci_group_kind kind) {
    (void)kind;
    return (gpci_group_size){t->h->l15_count, t->h->l15_count};
}

static gpc_status make(gpci_group *group, gpc_error *error) {
    gpci_timed *t = group->timed;
    const gpc_hierarchy *h = t->h;
    gpc_status status = GPC_OK;
    t->l15_level = gpci_l15_level(h);
    t->l15_options = (gpci_ctrl_options){.latency = (uint32_t)gpci_number(h, GPCI_KEY_L15_LATENCY),
                                         .ports = 1,
                                         .banks = 1,
                                         .data_width = (uint32_t)gpci_number(h, GPCI_KEY_L15_WIDTH),
                                         .fill_width = t->l15_level.line_bytes,
                                         .entries = gpci_number(h, GPCI_KEY_L15_MSHR),
                                         .merges = gpci_number(h, GPCI_KEY_L15_MERGES),
                                         .clock = {1, 1}};
    group->self = t->l15 = gpci_zalloc(t->context, group->objects, sizeof *t->l15);
    if (!t->l15)
        return gpci_out_of_memory(error);
    for (uint32_t i = 0; i < group->objects && status == GPC_OK; i++) {
        const gpci_ctrl at = {.index = i, .component = group->first + i};
        status = gpci_ctrl_make_side(t, &at, &rules, &t->l15_options, &t->l15_level, &t->l15[i]);
        t->l15[i].cache = h->l15[i];
        gpci_queue_init(&t->l15[i].in, gpci_number(h, GPCI_KEY_L15_QUEUE));
        gpci_queue_init(&t->l15[i].out, gpci_number(h, GPCI_KEY_L15_MISS_QUEUE));
    }
    return status < 0 ? gpci_out_of_memory(error) : GPC_OK;
}

static void destroy(gpci_group *group) {
    gpci_timed *t = group->timed;
    for (uint32_t i = 0; t->l15 && i < group->objects; i++)
        gpci_ctrl_unmake(t, &t->l15[i]);
    gpci_free(t->context, t->l15);
}

static void count(const gpci_group *group, uint32_t index, gpc_stats *s) {
    const gpci_ctrl *ctrl = &group->timed->l15[index];
    const uint64_t now = group->timed->wheel.now;
    s->l15_stalls += gpci_ctrl_stalls(ctrl, GPC_BUSY_MSHR, now) + gpci_ctrl_stalls(ctrl, GPC_BUSY_MERGE, now) +
                     gpci_ctrl_stalls(ctrl, GPC_BUSY_MISS_QUEUE, now);
}

const gpci_component_class gpci_l15_class = GPCI_COMPONENT_CLASS(
    GPCI_SCOPE_HIERARCHY, size, make, destroy, step, NULL, count, gpci_ctrls_reset, gpci_ctrls_state, gpci_l15_hold);
