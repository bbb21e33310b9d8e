/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_NETWORK_INTERNAL_H
#define GPC_TIMED_NETWORK_INTERNAL_H

#include "timed/network.h"

/*
 * The inside of a network: its ports (network.c), which packet crosses next (network_match.c), its making
 * (network_build.c).
 */

/* Packets in order, linked through the pool. */
typedef struct gpci_packet_list {
    uint32_t first, last;
} gpci_packet_list;

typedef struct gpci_network_input {
    uint32_t count; /* packets in all its queues */
    uint32_t next;  /* output that goes first */
    uint32_t offer; /* while matching: output that has chosen this input */
} gpci_network_input;

typedef struct gpci_network_output {
    uint64_t ready;    /* network cycle at which the link comes free */
    uint64_t freed_at; /* network cycle of the last receive */
    uint64_t refused;  /* last matching in which an input took another */
    uint32_t freed;    /* packets received in the core cycle of freed_at */
    uint32_t input;    /* that the link is busy with */
    uint32_t next;     /* input that goes first */
    uint32_t count;    /* packets in the buffer or on the way to it */
    bool distant;      /* the first is due beyond the wheel's span: its receiver is still to be woken */
    gpci_packet_list buffer;
} gpci_network_output;

struct gpci_network {
    gpc_context *context;
    gpci_pool *pool;
    gpci_wheel *wheel;
    gpci_network_options options;
    uint32_t input_room, output_room;
    uint32_t in_words, out_words; /* of bitmaps of inputs, outputs */
    bool turning;                 /* the last output is to be stepped in this cycle */
    bool fast;                    /* several network cycles in one of the core */
    bool unusual;                 /* fast, or watched */
    gpci_network_input *inputs;
    gpci_network_output *outputs;
    gpci_packet_list *lanes; /* [inputs], with virtual queues [inputs][outputs] */
    uint32_t *offered;       /* inputs with an offer, while matching */
    uint64_t *words;         /* the memory of all bitmaps */
    size_t word_count;
    uint64_t *requests;  /* [outputs][in_words]: inputs with a packet for an output at the head of a queue */
    uint64_t *wanted;    /* [inputs][out_words]: the same by input; virtual queues alone */
    uint64_t *sending;   /* inputs whose link is busy */
    uint64_t *open;      /* outputs whose link is free and whose buffer has room */
    uint64_t *linked;    /* outputs whose link is busy */
    uint64_t *released;  /* outputs whose link is about to come free in this turn */
    uint64_t *requested; /* candidates of the next turn */
    uint64_t *candidates;
    uint64_t matchings;
    uint32_t packets; /* inside */
    gpci_gauge input_gauge, output_gauge;
    gpci_network_stats stats;
    gpci_network_watch_fn watch;
    void *watch_data;
};

GPCI_INLINE void gpci_set_bit(uint64_t *words, uint32_t bit) {
    words[bit / 64] |= (uint64_t)1 << (bit & 63);
}

GPCI_INLINE void gpci_clear_bit(uint64_t *words, uint32_t bit) {
    words[bit / 64] &= ~((uint64_t)1 << (bit & 63));
}

GPCI_INLINE bool gpci_has_bit(const uint64_t *words, uint32_t bit) {
    return words[bit / 64] >> (bit & 63) & 1;
}

GPCI_INLINE bool gpci_network_is_virtual(const gpci_network *network) {
    return network->options.queues == GPCI_QUEUES_VIRTUAL;
}

GPCI_INLINE gpci_packet_list *gpci_network_lane(const gpci_network *network, uint32_t input, uint32_t output) {
    return &network
                ->lanes[gpci_network_is_virtual(network) ? (size_t)input * network->options.outputs + output : input];
}

GPCI_INLINE void gpci_packet_list_push(gpci_packet_list *to, const gpci_pool *pool, uint32_t packet) {
    pool->next[packet] = GPCI_NO_PACKET;
    if (to->first == GPCI_NO_PACKET)
        to->first = packet;
    else
        pool->next[to->last] = packet;
    to->last = packet;
}

/* A packet has come to the head of a queue. */
GPCI_INLINE void gpci_network_request(gpci_network *network, uint32_t input, uint32_t output) {
    gpci_set_bit(network->requests + (size_t)output * network->in_words, input);
    if (gpci_network_is_virtual(network))
        gpci_set_bit(network->wanted + (size_t)input * network->out_words, output);
}

GPCI_INLINE uint32_t gpci_network_last_output(const gpci_network *network) {
    return network->options.first_output + network->options.outputs - 1;
}

/* Wake the receiver for the first packet of the buffer: it does not know when that is due, so it is not woken early. */
GPCI_INLINE void gpci_network_announce(gpci_network *network, uint32_t output) {
    gpci_network_output *port = &network->outputs[output];
    const uint64_t due = gpci_packet_at(network->pool, port->buffer.first)->due, now = network->wheel->now;
    port->distant = due >= now + GPCI_WHEEL_SPAN;
    gpci_wheel_wake(network->wheel,
                    (port->distant ? network->options.first_output : network->options.first_receiver) + output, due);
}

#endif
