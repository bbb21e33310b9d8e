/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/network_internal.h"

/* A network's ports: what enters its inputs, what leaves its outputs, and what it has counted. */

void gpci_network_watch(gpci_network *network, gpci_network_watch_fn watch, void *user_data) {
    network->watch = watch;
    network->watch_data = user_data;
    network->unusual = network->fast || watch;
}

bool gpci_network_can_send(const gpci_network *network, uint32_t input) {
    return network->inputs[input].count < network->input_room;
}

GPCI_INLINE void send_unusual(gpci_network *network, uint32_t input, uint32_t index) {
    if (network->fast)
        gpci_packet_at(network->pool, index)->due = gpci_clock_own(network->options.clock, network->wheel->now);
    if (GPCI_UNLIKELY(network->watch != NULL))
        network->watch(network->watch_data, network->options.component, false, input, index);
}

GPCI_INLINE void receive_unusual(gpci_network *network, uint32_t output, uint32_t index) {
    gpci_network_output *port = &network->outputs[output];
    if (network->fast) {
        uint64_t at = gpci_clock_own(network->options.clock, network->wheel->now);
        port->freed = port->freed_at == at ? port->freed + 1 : 1;
        port->freed_at = at;
    }
    if (GPCI_UNLIKELY(network->watch != NULL))
        network->watch(network->watch_data, network->options.component, true, output, index);
}

void gpci_network_send(gpci_network *network, uint32_t input, uint32_t output, uint32_t size, uint32_t index) {
    const uint64_t now = network->wheel->now;
    gpci_packet *packet = gpci_packet_at(network->pool, index);
    gpci_packet_list *to = gpci_network_lane(network, input, output);
    bool head = to->first == GPCI_NO_PACKET;
    packet->path.from = (uint16_t)input;
    packet->path.to = (uint16_t)output;
    packet->path.size = size;
    packet->path.entered = now;
    packet->due = 0;
    if (network->unusual) /* one look for two rare things */
        send_unusual(network, input, index);
    gpci_packet_list_push(to, network->pool, index);
    network->inputs[input].count++;
    network->packets++;
    gpci_gauge_set(&network->input_gauge, now, network->input_gauge.level + 1);
    if (!head)
        return;
    gpci_network_request(network, input, output);
    if (gpci_has_bit(network->open, output) && !gpci_has_bit(network->sending, input)) {
        gpci_set_bit(network->requested, output);
        gpci_wheel_wake(network->wheel, gpci_network_last_output(network), now);
    }
}

uint32_t gpci_network_peek(const gpci_network *network, uint32_t output) {
    const gpci_network_output *port = &network->outputs[output];
    if (!port->count || gpci_packet_at(network->pool, port->buffer.first)->due > network->wheel->now)
        return GPCI_NO_PACKET;
    return port->buffer.first;
}

/* Room has come free in a full buffer. */
static void reopen(gpci_network *network, uint32_t output) {
    if (gpci_has_bit(network->linked, output))
        return;
    gpci_set_bit(network->open, output);
    gpci_set_bit(network->requested, output);
    gpci_wheel_wake(network->wheel, gpci_network_last_output(network), network->wheel->now);
}

uint32_t gpci_network_receive(gpci_network *network, uint32_t output) {
    const uint64_t now = network->wheel->now;
    gpci_network_output *port = &network->outputs[output];
    uint32_t index = port->buffer.first;
    const gpci_packet *packet = gpci_packet_at(network->pool, index);
    port->buffer.first = network->pool->next[index];
    if (network->unusual)
        receive_unusual(network, output, index);
    if (port->count-- == network->output_room)
        reopen(network, output);
    port->distant = false;
    if (port->count)
        gpci_network_announce(network, output);
    network->packets--;
    gpci_gauge_set(&network->output_gauge, now, network->output_gauge.level - 1);
    network->stats.packets++;
    network->stats.bytes += packet->path.size;
    network->stats.cycles += now - packet->path.entered;
    return index;
}

uint32_t gpci_network_count(const gpci_network *network) {
    return network->packets;
}

gpci_network_stats gpci_network_get_stats(const gpci_network *network) {
    gpci_network_stats stats = network->stats;
    stats.input_cycles = gpci_gauge_sum(&network->input_gauge, network->wheel->now);
    stats.output_cycles = gpci_gauge_sum(&network->output_gauge, network->wheel->now);
    return stats;
}

void gpci_network_reset_stats(gpci_network *network) {
    const uint64_t now = network->wheel->now;
    network->stats = (gpci_network_stats){0};
    network->input_gauge.since = network->output_gauge.since = now;
    network->input_gauge.sum = network->output_gauge.sum = 0;
}

bool gpci_network_waiting(const gpci_network *network, uint32_t input, uint32_t *packets, uint32_t *output) {
    const uint32_t lanes = gpci_network_is_virtual(network) ? network->options.outputs : 1;
    uint64_t oldest = UINT64_MAX;
    *packets = network->inputs[input].count;
    for (uint32_t i = 0; i < lanes; i++) {
        uint32_t first = gpci_network_lane(network, input, i)->first;
        if (first == GPCI_NO_PACKET || gpci_packet_at(network->pool, first)->path.entered >= oldest)
            continue;
        oldest = gpci_packet_at(network->pool, first)->path.entered;
        *output = gpci_packet_at(network->pool, first)->path.to;
    }
    return *packets != 0;
}
