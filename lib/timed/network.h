/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_NETWORK_H
#define GPC_TIMED_NETWORK_H

#include "cache/index/index.h"
#include "stats/stats.h"
#include "timed/component.h"
#include "timed/packet.h"
#include "timed/wheel.h"

/*
 * A crossbar: input ports with buffers, output ports with buffers, a link at each
 * that moves `width` bytes per cycle, round-robin arbitration per output among
 * the inputs that have a packet for it.
 *
 * A packet crosses when its output's link and its input's link are both free and the output
 * buffer has room for it; both links are then busy for ceil(size / width) cycles, and it is in
 * the output buffer, to be received, that many plus `latency` cycles after it was granted. Room in the
 * output buffer is claimed with the grant, so nothing is ever lost: a full buffer holds its senders back.
 *
 * Buffers are so many packets long, or so many bytes. In bytes, a packet goes where there is room for all of it; one
 * that an output has chosen, and that does not fit, is waited for, and no other comes first.
 *
 * With one queue per input (GPCI_QUEUES_FIFO) a packet is behind all that came
 * before it at its input; with virtual output queues only behind those for the same output.
 * The input buffer's length is that of all its queues together. An input that several outputs choose in one cycle
 * takes the next of them in turn; the others choose again, and who was refused keeps its turn.
 *
 * Components of the wheel: output o is `first_output + o`, stepped through gpci_network_step; the last output's is
 * woken once for all that can happen in a cycle. When a packet can be received at output o, `first_receiver + o` is
 * woken; when room comes free at input i, `first_sender + i`.
 */
typedef enum gpci_queues { GPCI_QUEUES_FIFO = 0, GPCI_QUEUES_VIRTUAL = 1 } gpci_queues;

typedef struct gpci_network_options {
    uint32_t inputs, outputs;
    uint32_t width;                   /* bytes per network cycle */
    uint32_t latency;                 /* network cycles */
    uint32_t turnaround;              /* the same: an input moves nothing for so many between two packets */
    uint64_t input_room, output_room; /* packets, bytes or flits; GPCI_UNLIMITED and above: no limit */
    uint32_t largest;                 /* bytes of the largest packet, where rooms are not packets; 0: they are */
    bool flits;                       /* they are flits, of `width` bytes */
    gpci_queues queues;
    gpci_clock clock;
    uint32_t first_output, first_receiver, first_sender; /* components */
    uint8_t component;                                   /* gpc_component: what its events name it */
} gpci_network_options;

/* Told of each packet that enters at an input port, or leaves at an output port. */
typedef void (*gpci_network_watch_fn)(void *user_data, uint8_t component, bool leaves, uint32_t port, uint32_t packet);

/* The inside. */

/* Packets in order, linked through the pool. */
typedef struct gpci_packet_list {
    uint32_t first, last;
} gpci_packet_list;

/*
 * Packets at a port, and the core cycles that they have spent there, less those at which these have come: so neither
 * coming nor leaving looks at when the other was.
 */
typedef struct gpci_network_stay {
    uint64_t sum;
    uint32_t packets;
} gpci_network_stay;

typedef struct gpci_network_input {
    uint32_t used;  /* of its room, by packets in all its queues */
    uint32_t next;  /* output that goes first */
    uint32_t offer; /* while matching: output that has chosen this input */
    uint64_t free;  /* network cycle from which it moves the next packet, where it takes a turnaround */
    uint64_t left;  /* network cycle from which none of the last that it has moved is here, where rooms are flits */
    gpci_network_stay stay;
} gpci_network_input;

typedef struct gpci_network_output {
    uint64_t ready;    /* network cycle at which the link comes free */
    uint64_t freed_at; /* network cycle of the last receive */
    uint64_t refused;  /* last matching in which an input took another */
    uint32_t freed;    /* room that came free in the core cycle of freed_at */
    uint32_t input;    /* that the link is busy with */
    uint32_t next;     /* input that goes first */
    uint32_t used;     /* of its room, by packets in the buffer or on the way to it */
    bool distant;      /* the first is due beyond the wheel's span: its receiver is still to be woken */
    gpci_packet_list buffer;
    gpci_network_stay stay;
    uint64_t packets, bytes, spent; /* that have left here, and cycles that they spent */
} gpci_network_output;

/* Core cycles for which links are known to be busy; the component of an output whose link is so for longer is woken. */
#define GPCI_NETWORK_SPAN 64u

/*
 * With several threads (strands.h): what is at an input or an output is its strand's to change. What all ports share,
 * bitmaps, is changed by steps that no order between them shows in, and whom that wakes is settled later, by one
 * thread.
 */
typedef struct gpci_network_sharing {
    gpci_wheel **receivers; /* [outputs] on which the receiver of an output is woken */
    bool asked;             /* the last output is to be stepped, */
    bool distant;           /* or one that has a first packet which is due beyond the wheel's span */
} gpci_network_sharing;

typedef struct gpci_network {
    gpc_context *context;
    gpci_pool *pool;
    gpci_wheel *wheel;
    gpci_network_options options;
    uint32_t input_room, output_room;
    uint32_t largest;             /* of the rooms' unit: 1, bytes, or flits */
    uint32_t in_words, out_words; /* of bitmaps of inputs, outputs */
    bool in_bytes;                /* rooms are, or */
    bool in_flits;                /* of these are flits */
    bool match_woken;             /* the last output is to be stepped in this cycle */
    bool virtual_queues;          /* several lanes an input */
    bool fast;                    /* several network cycles in one of the core, or a turnaround */
    bool simple;                  /* not so, rooms are packets, one thread, not watched: what comes and goes is plain */
    gpci_divisor width;           /* of the options */
    gpci_network_input *inputs;
    gpci_network_output *outputs;
    uint64_t *arrivals;      /* [outputs] core cycle at which the first packet of its buffer is due; GPCI_NEVER */
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
    uint64_t *releases;  /* [GPCI_NETWORK_SPAN][out_words]: the same, of core cycles to come */
    uint64_t releasing;  /* core cycles, modulo the span, that have any of those */
    uint64_t *requested; /* candidates of the next turn */
    uint64_t *candidates;
    uint64_t matchings;
    gpci_network_sharing *sharing; /* NULL: one thread */
    gpci_network_watch_fn watch;
    void *watch_data;
} gpci_network;

GPCI_INLINE uint32_t gpci_network_flits(const gpci_network *network, uint32_t size) {
    return (uint32_t)gpci_quotient(&network->width, (uint64_t)size + network->options.width - 1);
}

/* `pool` and `wheel` are borrowed. GPC_ERROR_MEMORY. */
gpc_status gpci_network_create(gpc_context *context, const gpci_network_options *options, gpci_pool *pool,
                               gpci_wheel *wheel, gpc_error *error, gpci_network **out);
void gpci_network_destroy(gpci_network *network);

/* `watch` is told of each packet that enters at an input port, or leaves at an output port; NULL: nobody is. */
void gpci_network_watch(gpci_network *network, gpci_network_watch_fn watch, void *user_data);

/* Whether input port `input` has room for one more packet, of any size; for one of this size. */
bool gpci_network_can_send(const gpci_network *network, uint32_t input);
bool gpci_network_can_take(const gpci_network *network, uint32_t input, uint32_t size);
/* Where rooms are flits, the same of one of this size; else whether one of any size may. */
bool gpci_network_takes(const gpci_network *network, uint32_t input, uint32_t size);
/* Room at an input comes free flit by flit, until a network cycle. */
void gpci_network_leave_by_flits(gpci_network *network, uint32_t input, uint64_t until);
/* At the present cycle of the wheel. The packet's `from`, `to`, `size` and `entered` are set here, and its link. */
void gpci_network_send(gpci_network *network, uint32_t input, uint32_t output, uint32_t size, uint32_t packet);

GPCI_INLINE gpci_packet_list *gpci_network_lane(const gpci_network *network, uint32_t input, uint32_t output) {
    return &network->lanes[network->virtual_queues ? (size_t)input * network->options.outputs + output : input];
}

/* The packet at the head of an output buffer that has arrived by now; GPCI_NO_PACKET. */
GPCI_INLINE uint32_t gpci_network_peek(const gpci_network *network, uint32_t output) {
    return network->arrivals[output] > network->wheel->now ? GPCI_NO_PACKET : network->outputs[output].buffer.first;
}
/* Take it away. */
uint32_t gpci_network_receive(gpci_network *network, uint32_t output);

/* network_match.c: component first_output + output is due; the group's own is the network. */
void gpci_network_step(const gpci_group *group, uint32_t output);

/* Several threads use the network from now on; NULL: one does. Borrowed. */
void gpci_network_share(gpci_network *network, gpci_network_sharing *sharing);
/* Nobody uses it now, and what they left to be done is done. */
void gpci_network_settle(gpci_network *network);

/* Holders of the network (holders.h). `group_of`: gpci_group_kind by component. */
void gpci_network_hold(const gpci_network *network, const uint8_t *group_of, gpci_holders *to);
/* Packets inside. */
uint32_t gpci_network_count(const gpci_network *network);
/* Up to the wheel's present cycle. */
gpci_network_stats gpci_network_get_stats(const gpci_network *network);
void gpci_network_reset_stats(gpci_network *network);

/* Its packets and counters (gpci_component_class.state). */
void gpci_network_state(gpci_network *network, gpci_state_fn visit, void *user_data);

/* For a deadlock's report: packets that wait at an input, and the output that its first one is for; false if none. */
bool gpci_network_waiting(const gpci_network *network, uint32_t input, uint32_t *packets, uint32_t *output);

#endif
