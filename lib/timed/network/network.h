/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_NETWORK_H
#define GPC_TIMED_NETWORK_H

#include "stats/stats.h"
#include "timed/component/clock.h"
#include "timed/component/component.h"
#include "timed/component/packet.h"

/*
 * A crossbar: input ports with buffers, output ports with buffers, a link of `width` bytes per cycle per port, and
 * round-robin arbitration per output among the inputs with a packet for the output.
 *
 * A packet crosses over the link of its input and output (gpci_link) when both are free and the output buffer has
 * room.
 *
 * Buffer sizes are packets or bytes. In bytes, a packet needs room for all bytes; an output waits for room for the
 * chosen packet, and no other packet overtakes.
 *
 * With one queue per input (GPCI_QUEUES_FIFO) a packet is behind all earlier packets of the input; with virtual output
 * queues only behind packets for the same output. The input buffer's size covers all queues together. If several
 * outputs choose an input in a cycle, the input takes the next output in turn. The other outputs are refused and choose
 * again; at a refused output, the turn (`next`) stays with the input that refused.
 *
 * With bursts (GPCI_QUEUES_BURSTS) an input has one queue and no link. In a cycle, outputs choose in ascending order.
 * When the first packet has left, the packet behind is offered to the outputs that have yet to choose [GPGPU-Sim 4.2,
 * local_interconnect.cc, xbar_router::iSLIP_Advance].
 *
 * Components of the wheel: output o is `first_output + o`, stepped through gpci_network_step; the last output is woken
 * once for all moves of a cycle. `first_receiver + o` is woken when a packet can be received at output o; `first_sender
 * + i` when input i has room again.
 */
typedef enum gpci_queues { GPCI_QUEUES_FIFO = 0, GPCI_QUEUES_VIRTUAL = 1, GPCI_QUEUES_BURSTS = 2 } gpci_queues;

typedef struct gpci_network_options {
    uint32_t inputs, outputs;
    uint32_t width;                           /* bytes per network cycle */
    uint32_t latency;                         /* network cycles */
    uint32_t turnaround;                      /* network cycles without a move at an input between two packets */
    uint64_t input_capacity, output_capacity; /* packets, bytes or flits; GPCI_UNLIMITED and above: no limit */
    uint32_t largest;                         /* bytes of the largest packet if rooms are bytes or flits; otherwise 0 */
    bool flits;                               /* rooms are flits of `width` bytes */
    gpci_queues queues;
    gpci_clock clock;
    uint32_t first_output, first_receiver, first_sender; /* components */
    uint8_t component;                                   /* gpc_component, for events */
} gpci_network_options;

/* Called for every packet entering at an input port, or leaving at an output port. */
typedef void (*gpci_network_watch_fn)(void *user_data, uint8_t component, bool leaves, uint32_t port, uint32_t packet);

/* The inside. */

/* Packets in order, linked through the pool. */
typedef struct gpci_packet_list {
    uint32_t first, last;
} gpci_packet_list;

/* Packets at a port, and the sum of core cycles spent: cycles of leaving minus cycles of arrival. */
typedef struct gpci_network_stay {
    uint64_t sum;
    uint32_t packets;
} gpci_network_stay;

typedef struct gpci_network_input {
    gpci_link_buffer room; /* one buffer, in which the packets of all the input's queues take room */
    uint32_t next;         /* output that goes first */
    uint32_t offer;        /* while matching: output that has chosen this input */
    uint32_t sent_to;      /* with bursts: output of the last packet */
    uint64_t sent_at;      /* with bursts: network cycle of the last packet, plus 1 */
    uint64_t left;         /* network cycle by which the last moved packet is gone, if rooms are flits */
    gpci_network_stay stay;
#ifdef GPCI_CHECK
    uint64_t packets_again, bytes_again; /* packets that have entered, and their bytes */
#endif
} gpci_network_input;

typedef struct gpci_network_output {
    gpci_link_buffer room; /* the output's buffer; packets on the way there take room, too */
    uint64_t freed_at;     /* network cycle of the last receive */
    uint64_t refused;      /* number of the last matching in which the chosen input took another output */
    uint32_t freed;        /* room freed in the core cycle of freed_at */
    uint32_t input;        /* input using the link */
    uint32_t next;         /* input that goes first */
    bool distant;          /* the first packet is due beyond the wheel's span: the receiver is woken later */
    gpci_packet_list buffer;
    gpci_network_stay stay;
    uint64_t packets, bytes, spent; /* packets that have left: number, bytes, core cycles in the network */
} gpci_network_output;

/*
 * Core cycles for which `releases` notes when a link becomes free. If a link is busy for longer, the component of the
 * output is woken at the end.
 */
#define GPCI_NETWORK_SPAN 64u

/*
 * With several threads (shards.h): an input's or output's state belongs to a shard. Threads only set bits in shared
 * bitmaps, so the order of threads does not matter. A single thread does the wakes later (gpci_network_settle).
 */
typedef struct gpci_network_sharing {
    gpci_wheel **receivers; /* [outputs] wheel of the output's receiver */
    bool asked;             /* the last output is to be stepped */
    bool distant;           /* a first packet is due beyond the wheel's span */
} gpci_network_sharing;

typedef struct gpci_network {
    gpc_context *context;
    gpci_pool *pool;
    gpci_wheel *wheel;
    gpci_network_options options;
    gpci_link link;
    uint32_t largest;             /* largest packet in the link's unit of room */
    uint32_t in_words, out_words; /* words of bitmaps of inputs, outputs */
    bool virtual_queues;          /* several lanes per input */
    bool fast;                    /* several network cycles per core cycle, or a turnaround */
    bool simple;                  /* not fast, rooms are packets, one thread, not watched */
    gpci_network_input *inputs;
    gpci_network_output *outputs;
    uint64_t *arrivals;      /* [outputs] core cycle at which the buffer's first packet is due; or GPCI_NEVER */
    gpci_packet_list *lanes; /* queues of the inputs: [inputs], with virtual queues [inputs][outputs] */
    uint32_t *offered;       /* inputs with an offer, while matching */
    uint64_t *words;         /* the memory of all bitmaps */
    size_t word_count;
    uint64_t *requests;  /* [outputs][in_words]: inputs with a packet for the output at the head of a queue */
    uint64_t *wanted;    /* [inputs][out_words]: `requests` by input; virtual queues only */
    uint64_t *sending;   /* inputs with a busy link */
    uint64_t *open;      /* outputs with a free link and room in the buffer */
    uint64_t *linked;    /* outputs with a busy link */
    uint64_t *released;  /* outputs whose link becomes free in the present turn */
    uint64_t *releases;  /* [GPCI_NETWORK_SPAN][out_words]: `released` of future core cycles */
    uint64_t *requested; /* candidates of the next turn */
    uint64_t *candidates;
    gpci_network_sharing *sharing; /* NULL: one thread */
    gpci_network_watch_fn watch;
    void *watch_data;
    bool match_woken; /* the last output, whose step does the matching, is already woken for this cycle */
    /* state */
    uint64_t releasing; /* core cycles, modulo the span, with bits in `releases` */
    uint64_t matchings;
} gpci_network;

GPCI_INLINE bool gpci_network_in_flits(const gpci_network *network) {
    return network->link.unit == GPCI_ROOM_FLITS;
}

/* Create a network. `pool` and `wheel` are borrowed. GPC_ERROR_MEMORY. */
gpc_status gpci_network_create(gpc_context *context, const gpci_network_options *options, gpci_pool *pool,
                               gpci_wheel *wheel, gpc_error *error, gpci_network **out);
void gpci_network_destroy(gpci_network *network);

/* Call `watch` for every packet entering at an input port, or leaving at an output port; or NULL. */
void gpci_network_watch(gpci_network *network, gpci_network_watch_fn watch, void *user_data);

/* True if an input port has room for a packet of any size (gpci_network_can_send), or of `size` bytes (_can_take). */
bool gpci_network_can_send(const gpci_network *network, uint32_t input);
bool gpci_network_can_take(const gpci_network *network, uint32_t input, uint32_t size);
/* True if a packet fits: if rooms are flits, a packet of `size` bytes; otherwise, a packet of any size. */
bool gpci_network_takes(const gpci_network *network, uint32_t input, uint32_t size);
/* A packet leaves an input: room becomes free flit by flit, up to network cycle `until`. Wake the sender meanwhile. */
void gpci_network_leave_by_flits(gpci_network *network, uint32_t input, uint64_t until);
/* Send at the present cycle of the wheel. Sets the packet's `from`, `to`, `size` and `entered`, and the link. */
void gpci_network_send(gpci_network *network, uint32_t input, uint32_t output, uint32_t size, uint32_t packet);

GPCI_INLINE gpci_packet_list *gpci_network_lane(const gpci_network *network, uint32_t input, uint32_t output) {
    return &network->lanes[network->virtual_queues ? (size_t)input * network->options.outputs + output : input];
}

/* Packet at the head of an output buffer, already arrived; or GPCI_NO_PACKET. */
GPCI_INLINE uint32_t gpci_network_peek(const gpci_network *network, uint32_t output) {
    return network->arrivals[output] > network->wheel->now ? GPCI_NO_PACKET : network->outputs[output].buffer.first;
}
/* Remove the packet at the head of an output buffer (gpci_network_peek). Returns the packet. */
uint32_t gpci_network_receive(gpci_network *network, uint32_t output);

/* network_match.c: step the component of an output. group->self is the network. */
void gpci_network_step(const gpci_group *group, uint32_t output);

/* Use the network from several threads from now on; NULL: from a single thread. Borrowed. */
void gpci_network_share(gpci_network *network, gpci_network_sharing *sharing);
/* Do the postponed wakes, while no thread uses the network. */
void gpci_network_settle(gpci_network *network);

/* Holders of the network (holders.h). `group_of`: gpci_group_kind by component. */
void gpci_network_hold(const gpci_network *network, const uint8_t *group_of, gpci_holders *holders);
/* Number of packets inside the network. */
uint32_t gpci_network_count(const gpci_network *network);
/* Counters up to the wheel's present cycle. */
gpci_network_stats gpci_network_get_stats(const gpci_network *network);
#ifdef GPCI_CHECK
/* Second counts of packets and bytes that have left: those that have entered, minus those still inside. */
gpci_network_stats gpci_network_get_stats_again(const gpci_network *network);
#endif
void gpci_network_reset_stats(gpci_network *network);

/* Packets and counters (gpci_component_class.state). */
void gpci_network_state(gpci_network *network, gpci_state_fn visit, void *user_data);

/* For a deadlock's report: number of packets waiting at an input, and output of the oldest. False: no packet waits. */
bool gpci_network_waiting(const gpci_network *network, uint32_t input, uint32_t *packets, uint32_t *output);

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

/* Room taken by a packet. */
GPCI_INLINE uint32_t gpci_network_room_of(const gpci_network *network, uint32_t packet) {
    return GPCI_UNLIKELY(network->link.unit != GPCI_ROOM_MESSAGES)
               ? gpci_link_room(&network->link, gpci_packet_at(network->pool, packet)->path.size)
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

/* Note that an input has a packet for an output at the head of a queue. */
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
 * Wake the receiver when the first packet of the buffer is due. Never wake early: the receiver does not know the cycle,
 * and would not ask for a later step.
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
