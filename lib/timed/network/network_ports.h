/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_NETWORK_PORTS_H
#define GPC_TIMED_NETWORK_PORTS_H

#include "timed/network/network.h"

/* Port functions shared by network.c (packets enter and leave) and network_match.c (packets cross). */

/* A packet enters or leaves a port's buffer. */
GPCI_INLINE void gpci_network_come(gpci_network_stay *stay, uint64_t now) {
    stay->sum -= now;
    stay->packets++;
}

GPCI_INLINE void gpci_network_go(gpci_network_stay *stay, uint64_t now) {
    stay->sum += now;
    stay->packets--;
}

/* Set a bit of a bitmap written by several threads; `alone`: no other thread writes now. */
GPCI_INLINE void gpci_network_set_shared(const gpci_network *network, uint64_t *words, uint32_t bit, bool alone) {
#if defined(__GNUC__) || defined(__clang__)
    if (!alone && GPCI_UNLIKELY(network->sharing != NULL))
        __atomic_fetch_or(&words[bit / 64], (uint64_t)1 << (bit & 63), __ATOMIC_RELAXED);
    else
#endif
        gpci_bit_set(words, bit);
}

/* Room taken by a packet of this size, in bytes or flits. */
GPCI_INLINE uint32_t gpci_network_part_of(const gpci_network *network, uint32_t size) {
    return network->in_flits ? gpci_network_flits(network, size) : size;
}

/* Room taken by a packet. */
GPCI_INLINE uint32_t gpci_network_weight_of(const gpci_network *network, uint32_t packet) {
    return GPCI_UNLIKELY(network->in_bytes)
               ? gpci_network_part_of(network, gpci_packet_at(network->pool, packet)->path.size)
               : 1;
}

GPCI_INLINE void gpci_network_append(gpci_packet_list *list, const gpci_pool *pool, uint32_t packet) {
    pool->links[packet].next = GPCI_NO_PACKET;
    if (list->first == GPCI_NO_PACKET)
        list->first = packet;
    else
        pool->links[list->last].next = packet;
    list->last = packet;
}

/* Note a packet at the head of a queue. */
GPCI_INLINE void gpci_network_note_request(gpci_network *network, uint32_t input, uint32_t output, bool alone) {
    gpci_network_set_shared(network, network->requests + (size_t)output * network->in_words, input, alone);
    if (network->virtual_queues)
        gpci_bit_set(network->wanted + (size_t)input * network->out_words, output);
}

GPCI_INLINE uint32_t gpci_network_last_output(const gpci_network *network) {
    return network->options.first_output + network->options.outputs - 1;
}

/* gpci_network_announce if several threads use the network. */
void gpci_network_announce_shared(gpci_network *network, uint32_t output, uint64_t due);

/*
 * Wake the receiver when the first packet of the buffer is due. The receiver does not know the cycle, so never wake
 * early.
 */
GPCI_INLINE void gpci_network_announce(gpci_network *network, uint32_t output, bool simple) {
    gpci_network_output *port = &network->outputs[output];
    const uint64_t due = network->pool->links[port->buffer.first].due, now = network->wheel->now;
    network->arrivals[output] = due;
    port->distant = due >= now + GPCI_WHEEL_SPAN;
    if (!simple && GPCI_UNLIKELY(network->sharing != NULL)) {
        gpci_network_announce_shared(network, output, due);
        return;
    }
    gpci_wheel_wake(network->wheel,
                    (port->distant ? network->options.first_output : network->options.first_receiver) + output, due);
}

#endif
