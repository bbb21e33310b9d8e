/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/network/network.h"

/* Room at the inputs of a network. */

/* The sender tries again in every core cycle. */
void gpci_network_leave_by_flits(gpci_network *network, uint32_t input, uint64_t until) {
    const uint64_t now = network->wheel->now, end = gpci_clock_core(network->options.clock, until),
                   last = end < now + GPCI_NETWORK_SPAN ? end : now + GPCI_NETWORK_SPAN - 1;
    network->inputs[input].left = until;
    for (uint64_t cycle = now + 1; cycle <= last; cycle++)
        gpci_wheel_wake(network->wheel, network->options.first_sender + input, cycle);
}

bool gpci_network_can_send(const gpci_network *network, uint32_t input) {
    return network->inputs[input].used + (uint64_t)network->largest <= network->input_capacity;
}

bool gpci_network_can_take(const gpci_network *network, uint32_t input, uint32_t size) {
    const uint32_t used = network->inputs[input].used;
    if (GPCI_UNLIKELY(network->in_flits))
        return gpci_network_takes(network, input, size);
    return used < network->input_capacity && (!network->in_bytes || used + (uint64_t)size <= network->input_capacity);
}

bool gpci_network_takes(const gpci_network *network, uint32_t input, uint32_t size) {
    if (!network->in_flits)
        return gpci_network_can_send(network, input);
    const gpci_network_input *port = &network->inputs[input];
    const uint64_t now = gpci_clock_own(network->options.clock, network->wheel->now),
                   leaving = port->left > now ? port->left - now : 0;
    return port->used + leaving + gpci_network_flits(network, size) <= network->input_capacity;
}
