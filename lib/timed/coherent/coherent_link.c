/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/core/coherent.h"

/*
 * Port of each of several GPUs to the link between GPUs (gpu.link_width): a crossbar with a port per GPU. It carries
 * messages between a slice and a memory of another GPU, and data from a slice to a slice of another. Every arrival is
 * accepted, so one network is enough for both directions.
 *
 * Example, 2 GPUs, 128 bytes of data and a header of 8, a width of 64, a latency of 200, equal clocks: a memory's
 * answer of 136 bytes to a slice of the other GPU, sent in cycle 0, leaves the link in cycle 203 at the earliest.
 */

static gpci_group_size port_size(const gpci_timed *timed, gpci_group_kind kind) {
    const uint32_t gpus = gpci_has_gpu_links(timed->hierarchy) ? timed->hierarchy->gpus : 0;
    (void)kind;
    return (gpci_group_size){gpus, gpus};
}

static gpc_status port_make(gpci_group *group, gpc_error *error) {
    gpci_timed *timed = group->timed;
    timed->gpu_ports = gpci_zalloc(timed->context, group->objects, sizeof *timed->gpu_ports);
    if (!timed->gpu_ports)
        return gpci_out_of_memory(error);
    for (uint32_t i = 0; i < group->objects; i++) {
        timed->gpu_ports[i].component = group->first + i;
        gpci_queue_init(&timed->gpu_ports[i].out, GPCI_UNLIMITED);
    }
    return GPC_OK;
}

static void port_destroy(gpci_group *group) {
    gpci_free(group->timed->context, group->timed->gpu_ports);
}

bool gpci_gpu_link_send(gpci_timed *timed, uint32_t packet, uint32_t from, uint32_t to) {
    gpci_gpu_port *port = &timed->gpu_ports[from];
    gpci_packet_at(&timed->pool, packet)->path.to = (uint16_t)to;
    gpci_wheel_wake(&timed->wheel, port->component, timed->wheel.now);
    return gpci_bundle_push(timed, &port->out, packet);
}

/* A message has crossed the link: to a memory, or to a slice, where the message counts as from below. */
static void take(gpci_timed *timed, uint32_t packet) {
    const uint32_t module = gpci_packet_at(&timed->pool, packet)->message.module;
    if (gpci_is_memory(timed->hierarchy->coherent, module)) {
        gpci_message_arrived(timed, packet);
        return;
    }
    gpci_ctrl *ctrl = gpci_coherent_ctrl_of(timed, module);
    gpci_coherent_ctrl_take(timed, ctrl, &ctrl->fills, 0, true, packet);
    gpci_wheel_wake(&timed->wheel, ctrl->component, timed->wheel.now);
}

static void port_step(const gpci_group *group, uint32_t gpu) {
    gpci_timed *timed = group->timed;
    gpci_gpu_port *port = &timed->gpu_ports[gpu];
    gpci_network *link = gpci_network_of(timed, GPCI_GROUP_GPU_LINKS);
    while (gpci_network_peek(link, gpu) != GPCI_NO_PACKET)
        take(timed, gpci_network_receive(link, gpu));
    while (port->out.count && gpci_network_can_send(link, gpu)) {
        const uint32_t packet = gpci_queue_pop(&port->out, &timed->pool, timed->wheel.now);
        const gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
        gpci_network_send(link, gpu, pkt->path.to, pkt->path.size, packet);
    }
}

static void port_state(const gpci_group *group, uint32_t gpu, gpci_state_fn visit, void *user_data) {
    visit(user_data, &group->timed->gpu_ports[gpu], sizeof group->timed->gpu_ports[gpu]);
}

static void port_hold(const gpci_group *group, uint32_t gpu, gpci_holders *holders) {
    const gpci_gpu_port *port = &group->timed->gpu_ports[gpu];
    const gpci_network *link = gpci_network_of(group->timed, GPCI_GROUP_GPU_LINKS);
    const gpci_mover clock = gpci_by_clock(port->component);
    gpci_held(holders, "messages for others", port->out.count,
              gpci_network_can_send(link, gpu) ? clock : gpci_by_object(GPCI_GROUP_GPU_LINKS, 0));
    gpci_held(holders, "messages that have come", gpci_network_peek(link, gpu) != GPCI_NO_PACKET, clock);
}

const gpci_component_class gpci_gpu_port_class =
    GPCI_COMPONENT_CLASS(GPCI_SCOPE_HIERARCHY, port_size, port_make, port_destroy, port_step, NULL, gpci_count_nothing,
                         gpci_reset_nothing, port_state, port_hold);
