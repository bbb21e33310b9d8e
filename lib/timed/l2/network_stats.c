/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/core/timed.h"
#include "timed/network/network.h"

/* Contents and counters of a network. */

uint32_t gpci_network_count(const gpci_network *network) {
    uint32_t packets = 0;
    for (uint32_t i = 0; i < network->options.inputs; i++)
        packets += network->inputs[i].stay.packets;
    for (uint32_t i = 0; i < network->options.outputs; i++)
        packets += network->outputs[i].stay.packets;
    return packets;
}

static uint64_t stay_cycles(const gpci_network_stay *stay, uint64_t now) {
    return stay->sum + stay->packets * now;
}

static void stay_anew(gpci_network_stay *stay, uint64_t now) {
    stay->sum = 0 - stay->packets * now;
}

gpci_network_stats gpci_network_get_stats(const gpci_network *network) {
    const uint64_t now = network->wheel->now;
    gpci_network_stats stats = {0};
    for (uint32_t i = 0; i < network->options.inputs; i++)
        stats.input_cycles += stay_cycles(&network->inputs[i].stay, now);
    for (uint32_t i = 0; i < network->options.outputs; i++) {
        const gpci_network_output *port = &network->outputs[i];
        stats.output_cycles += stay_cycles(&port->stay, now);
        stats.packets += port->packets;
        stats.bytes += port->bytes;
        stats.cycles += port->spent;
    }
    return stats;
}

#ifdef GPCI_CHECK
static void add_inside(const gpci_network *network, const gpci_packet_list *list, gpci_network_stats *stats) {
    for (uint32_t p = list->first; p != GPCI_NO_PACKET; p = network->pool->links[p].next) {
        stats->packets++;
        stats->bytes += gpci_packet_at(network->pool, p)->path.size;
    }
}

/* Count the packets inside a network, and their bytes. */
static gpci_network_stats inside(const gpci_network *network) {
    const size_t lanes = network->virtual_queues ? network->options.outputs : 1;
    gpci_network_stats stats = {0};
    for (size_t i = 0; i < network->options.inputs * lanes; i++)
        add_inside(network, &network->lanes[i], &stats);
    for (uint32_t i = 0; i < network->options.outputs; i++)
        add_inside(network, &network->outputs[i].buffer, &stats);
    return stats;
}

gpci_network_stats gpci_network_get_stats_again(const gpci_network *network) {
    const gpci_network_stats left = inside(network);
    gpci_network_stats stats = {.packets = 0 - left.packets, .bytes = 0 - left.bytes};
    for (uint32_t i = 0; i < network->options.inputs; i++) {
        stats.packets += network->inputs[i].packets_again;
        stats.bytes += network->inputs[i].bytes_again;
    }
    return stats;
}

static void reset_again(gpci_network *network) {
    const gpci_network_stats left = inside(network);
    for (uint32_t i = 0; i < network->options.inputs; i++)
        network->inputs[i].packets_again = network->inputs[i].bytes_again = 0;
    network->inputs[0].packets_again = left.packets;
    network->inputs[0].bytes_again = left.bytes;
}
#endif

void gpci_network_reset_stats(gpci_network *network) {
    const uint64_t now = network->wheel->now;
    for (uint32_t i = 0; i < network->options.inputs; i++)
        stay_anew(&network->inputs[i].stay, now);
    for (uint32_t i = 0; i < network->options.outputs; i++) {
        gpci_network_output *port = &network->outputs[i];
        stay_anew(&port->stay, now);
        port->packets = port->bytes = port->spent = 0;
    }
#ifdef GPCI_CHECK
    reset_again(network);
#endif
}

bool gpci_network_waiting(const gpci_network *network, uint32_t input, uint32_t *packets, uint32_t *output) {
    const uint32_t lanes = network->virtual_queues ? network->options.outputs : 1;
    uint64_t oldest = UINT64_MAX;
    *packets = 0;
    for (uint32_t i = 0; i < lanes; i++) {
        uint32_t first = gpci_network_lane(network, input, i)->first;
        for (uint32_t p = first; p != GPCI_NO_PACKET; p = network->pool->links[p].next)
            ++*packets;
        if (first == GPCI_NO_PACKET || gpci_packet_at(network->pool, first)->path.entered >= oldest)
            continue;
        oldest = gpci_packet_at(network->pool, first)->path.entered;
        *output = network->pool->links[first].to;
    }
    return *packets != 0;
}

/*
 * True if a packet at the head of a queue lacks only room at the output. If rooms are bytes, the output may have chosen
 * another packet, which does not fit.
 */
static bool is_behind(const gpci_network *network, uint32_t packet) {
    const uint32_t output = network->pool->links[packet].to;
    const gpci_network_output *port = &network->outputs[output];
    return !gpci_bit_is_set(network->linked, output) && !gpci_link_has_room(&port->room, network->largest);
}

/* Packets at an input wait for links, which come free by the clock, or for room at outputs. */
static void hold_input(const gpci_network *network, uint32_t input, gpci_holders *holders) {
    const gpci_network_options *options = &network->options;
    const uint32_t lanes = network->virtual_queues ? options->outputs : 1;
    bool behind = !gpci_bit_is_set(network->sending, input);
    if (!network->inputs[input].stay.packets)
        return;
    for (uint32_t i = 0; i < lanes && behind; i++) {
        const uint32_t first = gpci_network_lane(network, input, i)->first;
        behind = first == GPCI_NO_PACKET || is_behind(network, first);
    }
    gpci_held(holders, "packets at an input", network->inputs[input].stay.packets,
              behind ? gpci_by_itself(holders) : gpci_by_clocks(options->first_output, options->outputs));
}

/* Packets due at an output belong to the receiver. */
void gpci_network_hold(const gpci_network *network, const uint8_t *group_of, gpci_holders *holders) {
    const gpci_network_options *options = &network->options;
    for (uint32_t input = 0; input < options->inputs; input++)
        hold_input(network, input, holders);
    for (uint32_t output = 0; output < options->outputs; output++) {
        const gpci_network_output *port = &network->outputs[output];
        const uint32_t receiver = options->first_receiver + output, kind = group_of[receiver];
        const bool due = gpci_network_peek(network, output) != GPCI_NO_PACKET;
        gpci_held(holders, "packets at an output", port->stay.packets,
                  due             ? gpci_by_object(kind, receiver - holders->group->timed->groups[kind].first)
                  : port->distant ? gpci_by_clock(options->first_output + output)
                                  : gpci_by_clock(receiver));
    }
}
