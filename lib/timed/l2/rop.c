/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/l2/port.h"

/*
 * With l2.intake = queue, a packet per cycle leaves the network (or comes from a port) while the queue before the tags
 * has room; a packet per cycle enters the queue the latency later. The stretch between is unlimited: while the tags are
 * held up, no further packet starts, and packets outside have the full latency ahead.
 * [GPGPU-Sim 3.2, l2cache.cc: memory_partition_unit::full, push, cache_cycle]
 */
/* Before the tags. */
static void enter(gpci_timed *t, gpci_ctrl *ctrl) {
    const uint64_t now = t->wheel.now;
    const bool comes = gpci_network_peek(ctrl->networks.requests_in, ctrl->index) != GPCI_NO_PACKET,
               entered = GPCI_UNLIKELY(t->groups[GPCI_GROUP_PORTS].objects) && gpci_ports_enter(t, ctrl, comes);
    if (!entered && comes && !gpci_queue_full(&ctrl->in)) {
        const uint32_t packet = gpci_network_receive(ctrl->networks.requests_in, ctrl->index);
        gpci_slice_count_request(t, ctrl, packet);
        t->pool.links[packet].due = gpci_clock_after(ctrl->options->clock, now, t->rop_latency);
        gpci_queue_push(ctrl->entrance, &t->pool, now, packet);
    }
    gpci_slice_count_congestion(t, ctrl);
}

/* After the tags. */
static void leave(gpci_timed *t, gpci_ctrl *ctrl) {
    gpci_queue *rop = ctrl->entrance;
    const gpci_clock clock = ctrl->options->clock;
    const uint64_t now = t->wheel.now, next = gpci_clock_core(clock, gpci_clock_own(clock, now) + 1);
    if (rop->count && t->pool.links[rop->first].due <= now && !gpci_queue_full(&ctrl->in)) {
        const uint32_t packet = gpci_queue_pop(rop, &t->pool, now);
        t->pool.links[packet].due = next;
        gpci_queue_push(&ctrl->in, &t->pool, now, packet);
    }
    if (gpci_queue_full(&ctrl->in)) /* packets leaving `in` step the slice */
        return;
    if (gpci_network_peek(ctrl->networks.requests_in, ctrl->index) != GPCI_NO_PACKET || gpci_ports_wait(t, ctrl))
        gpci_wheel_wake(&t->wheel, ctrl->component, next);
    if (rop->count) {
        const uint64_t due = t->pool.links[rop->first].due;
        gpci_wheel_wake(&t->wheel, ctrl->component, due > next ? due : next);
    }
}

static gpc_status make(gpci_timed *t, gpci_ctrl *ctrl, gpc_error *error) {
    if (!t->rop_apart)
        return GPC_OK;
    gpci_queue *rop = gpci_zalloc(t->context, 1, sizeof *rop);
    if (!rop)
        return gpci_out_of_memory(error);
    gpci_queue_init(rop, GPCI_UNLIMITED);
    gpci_part_add(ctrl, GPCI_PART_ROP, &gpci_rop_part, rop);
    ctrl->entrance = rop;
    return GPC_OK;
}

static void destroy(gpci_timed *t, gpci_ctrl *ctrl) {
    gpci_free(t->context, ctrl->entrance);
}

static void state(gpci_ctrl *ctrl, gpci_state_fn visit, void *user_data) {
    visit(user_data, ctrl->entrance, sizeof *ctrl->entrance);
}

static void hold(const gpci_timed *t, const gpci_ctrl *ctrl, gpci_holders *to) {
    (void)t;
    gpci_held(to, "packets on their way to its tags", ctrl->entrance->count,
              gpci_queue_full(&ctrl->in) ? gpci_by_itself(to) : gpci_by_clock(ctrl->component));
}

const gpci_part_class gpci_rop_part = {.levels = GPCI_OF_SLICES,
                                       .make = make,
                                       .destroy = destroy,
                                       .step = {[GPCI_AT_BEFORE_TAGS] = enter, [GPCI_AT_AFTER_TAGS] = leave},
                                       .state = state,
                                       .hold = hold};
