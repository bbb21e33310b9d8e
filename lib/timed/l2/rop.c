/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/l2/port.h"

/*
 * With l2.intake = queue, a packet per cycle leaves the network (or comes from a port) while the queue before the tags
 * has room; a packet per cycle enters the queue the latency later. The stretch between is unlimited: while the tags are
 * held up, no further packet starts, and packets outside have the full latency ahead.
 * [GPGPU-Sim 3.2, l2cache.cc: memory_partition_unit::full, push, cache_cycle]
 */
/* Before the tags: take a packet from a port or the network. */
static void enter(gpci_timed *timed, gpci_ctrl *ctrl) {
    const uint64_t now = timed->wheel.now;
    const bool comes = gpci_network_peek(ctrl->networks.requests_in, ctrl->index) != GPCI_NO_PACKET,
               entered = GPCI_UNLIKELY(timed->groups[GPCI_GROUP_PORTS].objects) && gpci_ports_enter(timed, ctrl, comes);
    if (!entered && comes && !gpci_queue_full(&ctrl->in)) {
        const uint32_t packet = gpci_network_receive(ctrl->networks.requests_in, ctrl->index);
        gpci_slice_count_request(timed, ctrl, packet);
        timed->pool.links[packet].due = gpci_clock_after(ctrl->options->clock, now, timed->rop_latency);
        gpci_queue_push(ctrl->entrance, &timed->pool, now, packet);
    }
    gpci_slice_count_congestion(timed, ctrl);
}

/* After the tags: move a packet into the queue before the tags. */
static void leave(gpci_timed *timed, gpci_ctrl *ctrl) {
    gpci_queue *rop = ctrl->entrance;
    const gpci_clock clock = ctrl->options->clock;
    const uint64_t now = timed->wheel.now, next = gpci_clock_core(clock, gpci_clock_own(clock, now) + 1);
    if (rop->count && timed->pool.links[rop->first].due <= now && !gpci_queue_full(&ctrl->in)) {
        const uint32_t packet = gpci_queue_pop(rop, &timed->pool, now);
        timed->pool.links[packet].due = next;
        gpci_queue_push(&ctrl->in, &timed->pool, now, packet);
    }
    if (gpci_queue_full(&ctrl->in)) /* packets leaving `in` step the slice */
        return;
    if (gpci_network_peek(ctrl->networks.requests_in, ctrl->index) != GPCI_NO_PACKET || gpci_ports_wait(timed, ctrl))
        gpci_wheel_wake(&timed->wheel, ctrl->component, next);
    if (rop->count) {
        const uint64_t due = timed->pool.links[rop->first].due;
        gpci_wheel_wake(&timed->wheel, ctrl->component, due > next ? due : next);
    }
}

static gpc_status make(gpci_timed *timed, gpci_ctrl *ctrl, gpc_error *error) {
    if (!timed->rop_queue)
        return GPC_OK;
    gpci_queue *rop = gpci_zalloc(timed->context, 1, sizeof *rop);
    if (!rop)
        return gpci_out_of_memory(error);
    gpci_queue_init(rop, GPCI_UNLIMITED);
    gpci_part_add(ctrl, GPCI_PART_ROP, &gpci_rop_part, rop);
    ctrl->entrance = rop;
    return GPC_OK;
}

static void destroy(gpci_timed *timed, gpci_ctrl *ctrl) {
    gpci_free(timed->context, ctrl->entrance);
}

static void state(gpci_ctrl *ctrl, gpci_state_fn visit, void *user_data) {
    visit(user_data, ctrl->entrance, sizeof *ctrl->entrance);
}

static void hold(const gpci_timed *timed, const gpci_ctrl *ctrl, gpci_holders *holders) {
    (void)timed;
    gpci_held(holders, "packets on their way to its tags", ctrl->entrance->count,
              gpci_queue_full(&ctrl->in) ? gpci_by_itself(holders) : gpci_by_clock(ctrl->component));
}

const gpci_part_class gpci_rop_part = {.levels = GPCI_OF_SLICES,
                                       .make = make,
                                       .destroy = destroy,
                                       .step = {[GPCI_AT_BEFORE_TAGS] = enter, [GPCI_AT_AFTER_TAGS] = leave},
                                       .state = state,
                                       .hold = hold};
