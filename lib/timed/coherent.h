/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_COHERENT_H
#define GPC_TIMED_COHERENT_H

#include "coherence/controller_host.h"
#include "coherence/tree.h"
#include "level/coherent_level.h"
#include "level/values.h"
#include "timed/timed.h"

/*
 * A coherent hierarchy with a clock. Each module of the tree is a controller (coherence/controller.h), and this is
 * their host: messages between controllers are packets on the hierarchy's networks, lookups take ports of its stages,
 * data of a memory are accesses to DRAM. Nothing of a module changes before the message that changes it has arrived
 * there.
 *
 *   L1 to slice          messages towards memory cross the request network, all others the reply network
 *   with clusters        these two are between L1s and clusters; two more are between clusters and slices
 *   slice to memory      the links that `memory.link_width` sets; without them a message arrives at once
 *   slice to slice       of two partitions, between their halves: the links that `l2.link_width` sets
 *   GPU to GPU           the GPUs' links, between slices and memories, or slices; a memory at the other end of one has
 *                        its messages when they leave it
 *   to a peer            data for a module of the same level go up to the slice of their address (those of L1s of one
 *                        cluster to their cluster), which passes them on without a lookup
 *
 * Who finds a block locked waits, or is refused and begins again at its L1 (coherence.conflict). Why nobody waits in a
 * circle: coherence/controller_find.c; what a slice's MSHR entries add to this: coherent_mshr.c. A stage's queues hold
 * what keys say, and those before its tags empty at the rate of its ports, whatever waits: coherent_stage.c.
 *
 * Example: a load misses in L1 and hits in L2 (l2.latency = 20).
 *
 *   cycle 0      L1 locks a way for the line; the READ_REQUEST leaves, and crosses the request network
 *   cycle 6      it takes a tag port of the slice; the slice locks the line, lists L1 as a sharer, and unlocks it
 *   cycle 26     the slice's data have been read: DATA leaves
 *   cycle 32     DATA arrives at L1, which writes its state and unlocks the way; the load is done. A hit is so
 *                l1.latency after its lookup, also one that the line's lock has held up; under Multi2Sim's front end
 *                all are
 */

#define GPCI_LEVEL_CLUSTER 4 /* gpci_stage.level */

/* On whose account a message is, for the trace of events: a packet of L1, and its access. */
typedef struct gpci_coherent_origin {
    gpci_packet_label label;
    uint64_t pc;
    uint32_t warp, block;
} gpci_coherent_origin;

/* Atomics of a warp access that carries values (kept_access.h). */
typedef struct gpci_kept_atomics {
    gpc_atomic *items; /* [GPCI_MAX_LANES] line by line; NULL: none has been needed yet */
    uint32_t taken;    /* of them, by lines */
} gpci_kept_atomics;

/* Which of them are a packet's. */
typedef struct gpci_line_atomics {
    uint32_t first, count;
} gpci_line_atomics;

/* What messages of a packet that is arriving use of one module's data: they pass its port as one. */
typedef struct gpci_gathered {
    bool open;
    uint32_t count, bytes;
    gpci_use uses[8];
} gpci_gathered;

typedef struct gpci_coherent_host {
    gpci_controller_host table;
    gpci_coherent_origin *origins; /* [origin_room] by flight of the controllers; of use with a trace alone */
    size_t origin_room;
    gpci_line_values *values;   /* [value_room] by packet; NULL without coherence.data */
    gpci_line_atomics *atomics; /* [atomic_room] likewise */
    gpci_kept_atomics *kept;    /* [kept_room] by flight; likewise */
    size_t value_room, atomic_room, kept_room;
    gpc_atomic *spare; /* [GPCI_MAX_LANES] for an access that has none; NULL */
    gpci_gathered gathered;
    const gpci_queue *behind; /* the last message that went into a queue by itself went into this, */
    uint32_t before;          /* behind this packet, if it was not empty */
    bool running;             /* controllers do their steps */
    bool sealed;              /* a kernel begins, and what is to leave has not left: no access passes L1s' tags */
    uint32_t stretch, at;     /* how far that has come */
    uint32_t sweeps;          /* that are under way for it */
} gpci_coherent_host;

/* coherent_host.c */
gpc_status gpci_coherent_host_create(gpci_timed *t, gpc_error *error);
void gpci_coherent_host_destroy(gpci_timed *t);
/* Component 0 of the wheel: steps of controllers that are due in the present cycle. */
void gpci_controllers_step(const gpci_group *group, uint32_t index);
/* Room for one more access of a line. GPC_ERROR_MEMORY: nothing has changed. */
gpc_status gpci_coherent_reserve(gpci_timed *t, uint64_t address);
/* Room for where accesses of controllers come from. GPC_ERROR_MEMORY. */
gpc_status gpci_coherent_make_origins(gpci_timed *t);
/* Labels and origins in a snapshot, while packets are watched. */
void gpci_coherent_labels_archive(gpci_timed *t, gpci_archive *archive);
/* All steps that are due, and what follows from them in this cycle. */
void gpci_coherent_run(gpci_timed *t);
/* A message has arrived, and has taken the ports that it needs: its packet is freed. */
void gpci_message_arrived(gpci_timed *t, uint32_t packet);
/* An access of memory is done. */
void gpci_message_memory_done(gpci_timed *t, uint32_t packet);
/* The access that a packet is for; as controllers are told of it. */
gpc_coherence_request gpci_coherent_request_of(const gpci_timed *t, const gpci_packet *packet);

/* coherent_mshr.c: MSHR entries of slices */
/* Does the first packet of a queue have to wait for an entry? It then has been moved to those that wait. */
bool gpci_coherent_mshr_stall(gpci_timed *t, gpci_stage *stage, gpci_queue *queue);
/* Does the first of those that wait (there is one) go on waiting? */
bool gpci_coherent_mshr_is_stalled(gpci_timed *t, gpci_stage *stage);
/* As gpci_controller_host.allocate and .release. */
bool gpci_coherent_mshr_allocate(void *timed, uint32_t task);
void gpci_coherent_mshr_free(void *timed, uint32_t task);

/* coherent_stage.c: slices and clusters, and the way of messages between modules */
void gpci_coherent_slice_step(const gpci_group *group, uint32_t slice);
void gpci_coherent_cluster_step(const gpci_group *group, uint32_t cluster);
/* What has arrived at a channel over the link from the slices. */
void gpci_coherent_channel_receive(gpci_timed *t, uint32_t channel);
/*
 * Is there room for a message where those of module `from` to module `to` wait for their network: in the miss queue or
 * the reply queue of its stage? Not for one that is `behind` others. When one has left, the first who waits is told.
 */
bool gpci_message_has_room(const gpci_timed *t, const gpci_letter *letter, bool behind);
/* Tell whether the queue for messages of a module, down or up, is full. */
bool gpci_message_queue_full(const gpci_timed *t, uint32_t module, bool up);
void gpci_message_left(gpci_timed *t, uint32_t module, bool up);
/* A message leaves module `from` for module `to`: in a packet of its own, or (true) of others. */
bool gpci_message_send(gpci_timed *t, uint32_t packet, uint32_t from, uint32_t to);
/* So many sectors of memory are read or written for a task. */
void gpci_coherent_access_memory(gpci_timed *t, const gpci_use *use, uint32_t sectors);
/* The stage whose ports a module has: a memory's are its slice's. */
gpci_stage *gpci_coherent_stage_of(const gpci_timed *t, uint32_t module);

/* Into the queue of a stage that is from below, past its fill port. */
void gpci_coherent_stage_take(gpci_timed *t, gpci_stage *stage, gpci_queue *queue, uint64_t latency, bool fills,
                              uint32_t packet);

/* coherent_bundle.c: packets of several messages */
/* A message into a queue that it is to leave by; or (true) it goes with the last packet there, by that one's header. */
bool gpci_bundle_push(gpci_timed *t, gpci_queue *queue, uint32_t packet);
/* Would it go beside that? */
bool gpci_bundle_takes(const gpci_timed *t, const gpci_queue *queue, const gpci_letter *letter);
/* Is the last packet there of another sector of this address's line? */
bool gpci_bundle_goes_with(const gpci_timed *t, const gpci_queue *queue, uint64_t address);
/* The same of an access of memory. */
void gpci_bundle_push_access(gpci_timed *t, gpci_queue *queue, uint32_t packet);
/* With GPCI_PACKET_BUNDLE: the message, or access of memory, that goes with one. */
GPCI_INLINE uint32_t gpci_bundle_next(const gpci_packet *packet) {
    return packet->type == GPCI_REPLY ? packet->path.beside : packet->path.with;
}

/* The first of a packet's messages, or accesses, is taken off: the next of them; or GPCI_NO_PACKET. */
uint32_t gpci_bundle_split(gpci_packet *packet);
/* The sectors of its line that a packet's messages are of. */
uint8_t gpci_bundle_sectors(const gpci_timed *t, const gpci_packet *packet);

/* coherent_link.c: where a GPU is at the link to all others */
typedef struct gpci_gpu_port {
    gpci_queue out;
    uint32_t component;
} gpci_gpu_port;
/* A message sets out for another GPU. As gpci_message_send. */
bool gpci_gpu_link_send(gpci_timed *t, uint32_t packet, uint32_t from, uint32_t to);

/* coherent_l1.c */
/* A packet at the tags: as the pass of l1.c. */
gpci_verdict gpci_coherent_l1_pass(gpci_timed *t, gpci_stage *stage, uint32_t packet, gpci_tag_access *access);
/* What the network brings to an L1. */
void gpci_coherent_l1_receive(gpci_timed *t, gpci_stage *stage);
/* Does the network take the first packet of an L1's miss queue? It goes. */
bool gpci_coherent_l1_room(const gpci_timed *t, const gpci_stage *stage);
void gpci_coherent_l1_send(gpci_timed *t, gpci_stage *stage, uint32_t packet);
/*
 * The access of a packet is done: it, and those that merged with it, have their data from a level of the tree. `line`:
 * the bytes of their line; NULL without coherence.data.
 */
void gpci_coherent_l1_done(gpci_timed *t, uint32_t packet, uint8_t level, const uint8_t *line);

/* The access of a packet is a store or an atomic that is on its way below: others of its line go on. */
void gpci_coherent_l1_left(gpci_timed *t, uint32_t packet);

/* A load of a packet, or nothing where it is none, counted: did it hit, in what was in flight? */
void gpci_coherent_count_load(gpci_timed *t, const gpci_packet *p, bool hit, bool pending);
/* The level that served an access, as gpc_completion counts: 1 L1, 2 L2 or a cluster, 3 memory; of the tree's own. */
uint8_t gpci_coherent_depth(const gpc_hierarchy *h, uint8_t level);

/* coherent_sweep.c: acquires and flushes of whole caches */
/* A fence whose plan is to invalidate goes on; true: its L1 has dropped what is old. */
bool gpci_coherent_acquires(gpci_timed *t, gpci_stage *stage, uint32_t fence);
/* A fence whose plan is to mark goes on; true: its markers are back. */
bool gpci_coherent_marks(gpci_timed *t, gpci_stage *stage, uint32_t fence);
/* A kernel begins: as gpci_coherent_begin, but in time, which begins with the next cycle. */
gpc_status gpci_coherent_begin_kernel(gpc_hierarchy *h);
/* What is next of that, if there is anything. */
void gpci_coherent_flush_on(gpci_timed *t);
/* A sweep has ended. */
void gpci_coherent_swept(gpci_timed *t, uint32_t flight);

/* coherent_values.c: with coherence.data */
/* Room for the values of all packets and flights that there is room for, and for those of an access. */
gpc_status gpci_coherent_values_reserve(gpci_timed *t, const gpc_warp_access *access);
void gpci_coherent_values_free(gpci_timed *t);
/* A warp access has been accepted; then, of each of its packets, what its lanes write. */
void gpci_coherent_values_keep(gpci_timed *t, uint32_t flight, const gpc_warp_access *access);
void gpci_coherent_values_take(gpci_timed *t, uint32_t packet, const gpc_warp_access *access);
/* An access of controllers carries its packet's values. */
void gpci_coherent_values_attach(const gpci_timed *t, uint32_t packet, gpc_coherence_request *request);
/* A packet's values to its lanes: of its line, or (NULL) what its request has read. */
void gpci_coherent_values_deliver(gpci_timed *t, uint32_t packet, const uint8_t *line);
/*
 * In a snapshot, behind gpci_kept_archive. Controllers know atomics by address: around what they name they know none,
 * and then (`known`) all again.
 */
void gpci_coherent_values_archive(gpci_timed *t, gpci_archive *archive);
void gpci_coherent_values_know(const gpci_timed *t, bool known);

/*
 * A message, or an access of memory, is its first cache line alone, but where somebody watches packets: that is more.
 * The host's memory answers whole ones.
 */
GPCI_INLINE bool gpci_messages_are_whole(const gpci_timed *t) {
    return GPCI_UNLIKELY(t->trace != NULL);
}
GPCI_INLINE bool gpci_accesses_are_whole(const gpci_timed *t) {
    return GPCI_UNLIKELY(t->trace != NULL) || GPCI_UNLIKELY(t->callbacks.on_memory != NULL);
}

/* Segments of a message's data: as many as its bytes beside the header. */
GPCI_INLINE uint8_t gpci_message_segments(const gpci_timed *t, uint32_t bytes) {
    return (uint8_t)((1u << (bytes - t->header + GPCI_SEGMENT - 1) / GPCI_SEGMENT) - 1);
}

GPCI_INLINE gpci_controllers *gpci_controllers_of(const gpci_timed *t) {
    return t->h->coherent->tree->controllers;
}

/* The task that a message or an access of memory is for. */
GPCI_INLINE gpci_task *gpci_message_task(const gpci_timed *t, const gpci_packet *packet) {
    return gpci_task_at(gpci_controllers_of(t), packet->message.task);
}

/* Does it look up a block where it arrives? */
GPCI_INLINE bool gpci_message_looks(const gpci_packet *packet) {
    return gpci_step_looks((gpci_step)packet->message.step);
}

#endif
