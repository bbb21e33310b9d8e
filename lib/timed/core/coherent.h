/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_COHERENT_H
#define GPC_TIMED_COHERENT_H

#include "coherence/engine/engine_host.h"
#include "coherence/module/tree.h"
#include "level/access/values.h"
#include "level/coherent/coherent_level.h"
#include "timed/core/timed.h"

/*
 * Coherent hierarchy with a clock. The modules of the tree are units of the protocol engine
 * (coherence/engine/engine.h), and the hierarchy is the engine's host: messages between modules are packets on the
 * hierarchy's networks, lookups take tag ports of the modules' controllers, and data of a memory are accesses to DRAM.
 * A module changes only when the message arrives that changes it.
 *
 *   L1 to slice          messages towards memory cross the request network, other messages the reply network
 *   with clusters        these two networks connect L1s and clusters; two more connect clusters and slices
 *   slice to memory      the links set by `memory.link_width`; without links a message arrives at once
 *   slice to slice       of two partitions, between their halves: the links set by `l2.link_width`
 *   GPU to GPU           the GPUs' links, between slices and memories, or between slices; a memory at the far end has
 *                        its messages when they leave the link
 *   to a peer            data for a module of the same level go up to the slice of their address (between L1s of one
 *                        cluster: to the cluster), which passes them on without a lookup
 *
 * A request for a locked block waits, or is refused and begins again at the L1 (coherence.conflict). Proof against
 * circles of waiters: coherence/requests/engine_find.c; for a slice's MSHR entries: coherent_host.c. Queue sizes
 * come from keys; queues before the tags empty at the rate of the ports, whatever waits behind: coherent_ctrl.c.
 *
 * Example: a load misses in L1 and hits in L2 (l2.latency = 20).
 *
 *   cycle 0      L1 locks a way for the line; the READ_REQUEST leaves, and crosses the request network
 *   cycle 6      the request takes a tag port of the slice; the slice locks the line, lists L1 as a sharer, and unlocks
 *                the line
 *   cycle 26     the slice's data are read: DATA leaves
 *   cycle 32     DATA arrives at L1, which writes its state and unlocks the way; the load is done
 *
 * A hit is done l1.latency after the lookup, even if the line's lock has delayed it; under Multi2Sim's front end also a
 * miss.
 */

#define GPCI_LEVEL_CLUSTER 4 /* gpci_ctrl.level */

/* Origin of a message for the event log: a packet of L1 and the access. */
typedef struct gpci_coherent_origin {
    gpci_packet_label label;
    uint64_t pc;
    uint32_t warp, block;
} gpci_coherent_origin;

/* Atomics of a warp access with values (kept_access.h). */
typedef struct gpci_kept_atomics {
    gpc_atomic *items; /* [GPCI_MAX_LANES] line by line; NULL: not needed yet */
    uint32_t taken;    /* number used by lines so far */
} gpci_kept_atomics;

/* Atomics of a packet: `count` elements of gpci_kept_atomics.items, from `first` on. */
typedef struct gpci_line_atomics {
    uint32_t first, count;
} gpci_line_atomics;

/* Data that the messages of an arriving packet read or write at a module; all pass the data port together. */
typedef struct gpci_gathered {
    bool open; /* the messages of a packet are being handled */
    uint32_t count, bytes;
    gpci_use uses[8];
} gpci_gathered;

typedef struct gpci_coherent_host {
    gpci_engine_host table;
    gpci_coherent_origin *origins; /* [origin_capacity] by in-flight access of the engine; only with an event log */
    size_t origin_capacity;
    gpci_line_values *values;   /* [value_capacity] by packet; NULL without coherence.data */
    gpci_line_atomics *atomics; /* [atomic_capacity] by packet; NULL without coherence.data */
    gpci_kept_atomics *kept;    /* [kept_capacity] by in-flight access; NULL without coherence.data */
    size_t value_capacity, atomic_capacity, kept_capacity;
    gpc_atomic *spare; /* [GPCI_MAX_LANES] for an access without values; or NULL */
    gpci_gathered gathered;
    bool running;        /* the engine is running steps */
    bool limits_atomics; /* slices have atomic units (gpci_atomics_are_limited) */
    /* state */
    uint32_t unbundled; /* last message that was put into a queue without joining a packet; or GPCI_NO_PACKET */
    uint32_t before;    /* packet before `unbundled` in the queue, if the queue had a packet */
    bool sealed;        /* a kernel begins and caches are not flushed yet: L1s' tags accept no access */
    uint32_t stretch;   /* stretch of the flush to begin next (coherent_sweep.c) */
    uint32_t sweeps;    /* sweeps of the flush in progress */
} gpci_coherent_host;

/* coherent_host.c */
gpc_status gpci_coherent_host_create(gpci_timed *timed, gpc_error *error);
void gpci_coherent_host_destroy(gpci_timed *timed);
/* Component 0 of the wheel: run the engine's steps due in the current cycle. */
void gpci_engine_step(const gpci_group *group, uint32_t index);
/* Make room for another access of a line. GPC_ERROR_MEMORY: no change. */
gpc_status gpci_coherent_reserve(gpci_timed *timed, uint64_t address);
/* Make room for the origins of the engine's accesses. GPC_ERROR_MEMORY. */
gpc_status gpci_coherent_make_origins(gpci_timed *timed);
/* Clear the event ids of labels and origins, because a new event log counts from 1. Clocks of stage times stay. */
void gpci_coherent_forget(gpci_timed *timed);
/* Save or load origins, while packets are traced. */
void gpci_coherent_origins_archive(gpci_timed *timed, gpci_archive *archive);
/*
 * A load bypasses L1 with `segments` (0: no bypass): count the bypass. If the predictor has on_reply, the predictor may
 * still overturn the bypass: mark the load, and count the bypass at the end of the access.
 */
void gpci_coherent_note_bypass(const gpci_timed *timed, gpci_packet *packet, uint8_t segments);
/*
 * A packet's part of a line access has ended: count the packet's deferred bypass, unless overturned. After the last
 * part, the bypass is no longer open (gpci_close_l1_bypass).
 */
GPCI_COLD void gpci_coherent_end_bypass(const gpci_timed *timed, uint32_t sm, gpci_packet *packet, bool overturned);
GPCI_INLINE void gpci_coherent_settle_bypass(const gpci_timed *timed, uint32_t sm, gpci_packet *packet,
                                             bool overturned) {
    if (GPCI_UNLIKELY(packet->line.marks & GPCI_MARK_PASSES || packet->flags & GPCI_PACKET_PART))
        gpci_coherent_end_bypass(timed, sm, packet, overturned);
}
/* Give the packet of a block the record of its line access: a new record, or the record of the packet before. */
GPCI_COLD void gpci_coherent_share_line(const gpci_timed *timed, gpci_packet *packet, const gpci_packet *before);
/* Run all due steps, with the consequences in this cycle. */
void gpci_coherent_run(gpci_timed *timed);
/* A message has arrived and taken its ports: free the packet and continue. */
void gpci_message_arrived(gpci_timed *timed, uint32_t packet);
/* An access of memory is done. */
void gpci_message_memory_done(gpci_timed *timed, uint32_t packet);
/* Access of a packet, as a request to the protocol engine. */
gpc_coherence_request gpci_coherent_request_of(const gpci_timed *timed, const gpci_packet *packet);

/* coherent_host.c: MSHR entries of slices */
/* If the first packet of a queue must wait for an MSHR entry, move the packet to ctrl->returned. True if moved. */
bool gpci_coherent_mshr_stall(gpci_timed *timed, gpci_ctrl *ctrl, gpci_queue *queue);
/* True if the first packet of ctrl->returned still lacks an MSHR entry, and blocks the tags. A packet must wait. */
bool gpci_coherent_mshr_is_stalled(gpci_timed *timed, gpci_ctrl *ctrl);
/* gpci_engine_host.allocate and .release. */
bool gpci_coherent_mshr_allocate(void *timed, uint32_t task);
void gpci_coherent_mshr_free(void *timed, uint32_t task);

/* coherent_ctrl.c: slices and clusters, and the path of messages between modules */
void gpci_coherent_slice_step(const gpci_group *group, uint32_t slice);
void gpci_coherent_cluster_step(const gpci_group *group, uint32_t cluster);
/* Accept the messages that arrive at a channel over the link from the slices. */
void gpci_coherent_channel_receive(gpci_timed *timed, uint32_t channel);
/*
 * True if the queue for messages from module `from` to module `to` has room (miss queue or reply queue of the
 * controller); `behind`: messages of the module already wait for room. When a packet leaves the queue, the first
 * waiting message is notified (gpci_message_left).
 */
bool gpci_message_has_room(const gpci_timed *timed, const gpci_message *message, bool behind);
/* True if a module's message queue, down or up, is full. */
bool gpci_message_queue_full(const gpci_timed *timed, uint32_t module, bool up);
void gpci_message_left(gpci_timed *timed, uint32_t module, bool up);
/* Send a message from module `from` to module `to`. True: joined a packet; false: a new packet. */
bool gpci_message_send(gpci_timed *timed, uint32_t packet, uint32_t from, uint32_t to);
/* Read or write `sectors` sectors of memory for a task. */
void gpci_coherent_access_memory(gpci_timed *timed, const gpci_use *use, uint32_t sectors);
/* Controller with the ports of a module; a memory uses its slice's. */
gpci_ctrl *gpci_coherent_ctrl_of(const gpci_timed *timed, uint32_t module);

/*
 * Put an arrived packet into a queue of a controller, due after `latency` cycles of the controller. If `fills`, the
 * packet's data pass the fill port, and the packet is due when the port is free.
 */
void gpci_coherent_ctrl_take(gpci_timed *timed, gpci_ctrl *ctrl, gpci_queue *queue, uint64_t latency, bool fills,
                             uint32_t packet);

/* coherent_ctrl.c: packets of several messages */
/* Put a message into the sender's queue. True: the message joined a packet of the queue and shares the header. */
bool gpci_bundle_push(gpci_timed *timed, gpci_queue *queue, uint32_t packet);
/* True if a message would join a packet in the queue. */
bool gpci_bundle_takes(const gpci_timed *timed, const gpci_queue *queue, const gpci_message *message);
/* True if the last packet of the queue is for another sector of the line of `address`. */
bool gpci_bundle_goes_with(const gpci_timed *timed, const gpci_queue *queue, uint64_t address);
/* Put an access of memory into a queue, joining a packet if possible. */
void gpci_bundle_push_access(gpci_timed *timed, gpci_queue *queue, uint32_t packet);
/* With GPCI_PACKET_BUNDLE: next message, or access of memory, of the packet. */
GPCI_INLINE uint32_t gpci_bundle_next(const gpci_packet *packet) {
    return packet->type == GPCI_REPLY ? packet->path.next_of_bundle : packet->path.with;
}

/* Remove the first message, or access, of a packet. Returns the next, or GPCI_NO_PACKET. */
uint32_t gpci_bundle_split(gpci_packet *packet);
/* Sectors of the line covered by a packet's messages. */
uint8_t gpci_bundle_sectors(const gpci_timed *timed, const gpci_packet *packet);

/* coherent_link.c: port of a GPU to the link between GPUs */
typedef struct gpci_gpu_port {
    gpci_queue out;
    uint32_t component;
} gpci_gpu_port;
/* Send a message to another GPU; see gpci_message_send. */
bool gpci_gpu_link_send(gpci_timed *timed, uint32_t packet, uint32_t from, uint32_t to);

/* coherent_l1.c */
/* Pass a packet through the tags (see pass in l1.c). */
gpci_verdict gpci_coherent_l1_pass(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet, gpci_tag_access *access);
/* Accept the packets the network brings to an L1. */
void gpci_coherent_l1_receive(gpci_timed *timed, gpci_ctrl *ctrl);
/* True if the network accepts the first packet of an L1's miss queue. gpci_coherent_l1_send: send it. */
bool gpci_coherent_l1_room(const gpci_timed *timed, const gpci_ctrl *ctrl);
void gpci_coherent_l1_send(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet);
/*
 * A packet's access is done: the packet, and the packets merged with it, have their data from a level of the tree.
 * `line`: bytes of the line; NULL without coherence.data.
 */
void gpci_coherent_l1_done(gpci_timed *timed, uint32_t packet, uint8_t level, const uint8_t *line);

/* A packet's store or atomic has left to below: other packets of the line continue. */
void gpci_coherent_l1_left(gpci_timed *timed, uint32_t packet);

/* Count a packet, if a load. `hit`: L1 has the line, or the line is in flight; `pending`: the line is in flight. */
void gpci_coherent_count_load(gpci_timed *timed, const gpci_packet *pkt, bool hit, bool pending);
#ifdef GPCI_CHECK
void gpci_coherent_count_load_again(gpci_timed *timed, const gpci_packet *pkt, bool hit, bool pending);
#endif
/* Level that served an access, as in gpc_completion (1 L1, 2 L2 or cluster, 3 memory), from the tree's level. */
uint8_t gpci_coherent_depth(const gpc_hierarchy *hierarchy, uint8_t level);

/* coherent_sweep.c: acquires and flushes of whole caches */
/* Continue a fence with invalidation; true: the L1 has dropped stale lines. */
bool gpci_coherent_acquires(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t fence);
/* Continue a fence that sends markers to the modules; true: the markers have returned. */
bool gpci_coherent_marks(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t fence);
/* Begin a kernel like gpci_coherent_begin, but with time, from the next cycle on. */
gpc_status gpci_coherent_begin_kernel(gpc_hierarchy *hierarchy);
/* Continue the flush of a kernel (gpci_coherent_host.sealed). */
void gpci_coherent_flush_on(gpci_timed *timed);
/* Sweep `inflight` of the engine has ended: continue the sweep's fence, or the flush of the kernel. */
void gpci_coherent_swept(gpci_timed *timed, uint32_t inflight);

/* coherent_values.c: with coherence.data */
/* Make room for the values of all packets and in-flight accesses in the pools, and for values of an access. */
gpc_status gpci_coherent_values_reserve(gpci_timed *timed, const gpc_warp_access *access);
void gpci_coherent_values_free(gpci_timed *timed);
/* Keep the values of an accepted warp access. gpci_coherent_values_take: keep the values that a packet writes. */
void gpci_coherent_values_keep(gpci_timed *timed, uint32_t inflight, const gpc_warp_access *access);
void gpci_coherent_values_take(gpci_timed *timed, uint32_t packet, const gpc_warp_access *access);
/* Give an access of the engine the values of the packet. */
void gpci_coherent_values_attach(const gpci_timed *timed, uint32_t packet, gpc_coherence_request *request);
/* Copy a packet's values to the lanes: from `line`, or (NULL) the values that the engine has read for the request. */
void gpci_coherent_values_deliver(gpci_timed *timed, uint32_t packet, const uint8_t *line);
/*
 * Save or load values, after gpci_kept_archive. gpci_coherent_values_know: the engine's accesses hold pointers to
 * atomics. Clear the pointers before the engine's state is saved (`known` false), and set them again afterwards (true).
 */
void gpci_coherent_values_archive(gpci_timed *timed, gpci_archive *archive);
void gpci_coherent_values_know(const gpci_timed *timed, bool known);

/*
 * True if messages, or accesses of memory, use whole packets instead of only the first cache line: if packets are
 * traced, or the host's memory answers accesses.
 */
GPCI_INLINE bool gpci_messages_are_packets(const gpci_timed *timed) {
    return GPCI_UNLIKELY(timed->log != NULL);
}
GPCI_INLINE bool gpci_accesses_are_packets(const gpci_timed *timed) {
    return GPCI_UNLIKELY(timed->log != NULL) || GPCI_UNLIKELY(timed->callbacks.on_memory != NULL);
}

/* Segments of the data in a message of `bytes` bytes, header included. */
GPCI_INLINE uint8_t gpci_message_segments(const gpci_timed *timed, uint32_t bytes) {
    return (uint8_t)((1u << (bytes - timed->header + GPCI_SEGMENT - 1) / GPCI_SEGMENT) - 1);
}

GPCI_INLINE gpci_engine *gpci_engine_of(const gpci_timed *timed) {
    return timed->hierarchy->coherent->tree->engine;
}

/* Task of a message or an access of memory. */
GPCI_INLINE gpci_task *gpci_message_task(const gpci_timed *timed, const gpci_packet *packet) {
    return gpci_task_at(gpci_engine_of(timed), packet->message.task);
}

/* True if a message looks up a block on arrival. */
GPCI_INLINE bool gpci_message_looks(const gpci_packet *packet) {
    return gpci_step_looks((gpci_step)packet->message.step);
}

/* Events of the protocol engine: as in event_log.h. */

GPCI_COLD void gpci_append_origin(gpci_timed *timed, uint32_t inflight, const gpci_packet *pkt);
GPCI_COLD void gpci_append_sweep(gpci_timed *timed, uint32_t inflight);
GPCI_COLD void gpci_append_message(gpci_timed *timed, const gpci_message *message, uint32_t packet);
GPCI_COLD void gpci_append_memory_access(gpci_timed *timed, uint32_t task, uint32_t packet);
GPCI_COLD void gpci_append_arrival(gpci_timed *timed, const gpci_packet *pkt);
GPCI_COLD void gpci_append_met(gpci_timed *timed, gpci_met what, uint32_t task, uint32_t module);
GPCI_COLD void gpci_append_entry(gpci_timed *timed, gpc_what what, uint32_t task);

/* The protocol engine performs access `inflight` for packet `pkt`. */
GPCI_INLINE void gpci_log_origin(gpci_timed *timed, uint32_t inflight, const gpci_packet *pkt) {
    if (GPCI_UNLIKELY(timed->log != NULL))
        gpci_append_origin(timed, inflight, pkt);
}

/* A sweep begins: the messages belong to no access. */
GPCI_INLINE void gpci_log_sweep(gpci_timed *timed, uint32_t inflight) {
    if (GPCI_UNLIKELY(timed->log != NULL))
        gpci_append_sweep(timed, inflight);
}

/* A message leaves as a packet; so does the memory access of a task. */
GPCI_INLINE void gpci_log_message(gpci_timed *timed, const gpci_message *message, uint32_t packet) {
    if (GPCI_UNLIKELY(timed->log != NULL))
        gpci_append_message(timed, message, packet);
}
GPCI_INLINE void gpci_log_memory_access(gpci_timed *timed, uint32_t task, uint32_t packet) {
    if (GPCI_UNLIKELY(timed->log != NULL))
        gpci_append_memory_access(timed, task, packet);
}

/* A message has arrived. */
GPCI_INLINE void gpci_log_arrival(gpci_timed *timed, const gpci_packet *pkt) {
    if (GPCI_UNLIKELY(timed->log != NULL))
        gpci_append_arrival(timed, pkt);
}

/* A task waits, or is refused; or a module evicts for a task. */
GPCI_INLINE void gpci_log_met(gpci_timed *timed, gpci_met what, uint32_t task, uint32_t module) {
    if (GPCI_UNLIKELY(timed->log != NULL))
        gpci_append_met(timed, what, task, module);
}

/* A request takes, or gives back, an MSHR entry. */
GPCI_INLINE void gpci_log_entry(gpci_timed *timed, gpc_what what, uint32_t task) {
    if (GPCI_UNLIKELY(timed->log != NULL))
        gpci_append_entry(timed, what, task);
}

#endif
