/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_TRANSACTIONS_H
#define GPC_TIMED_TRANSACTIONS_H

#include "level/coherent_level.h"
#include "timed/timed.h"

/*
 * A coherent hierarchy with a clock.
 *
 * What passes L1's tags is one access of the coherence tree. The tree changes state at once, and says by which messages
 * it got there. These are the steps of a transaction: each waits for the step that it comes after, then for ports and
 * networks. The transaction ends when its access is done and its last message has arrived.
 *
 *   L1 to slice          messages towards memory cross the request network, all others the reply network
 *   with clusters        these two are between L1s and clusters; two more are between clusters and slices
 *   slice to memory      the links that `memory.link_width` sets; without them a message arrives at once
 *   to a peer            data for a module of the same level go up to the slice of their address (those of L1s of one
 *                        cluster to their cluster), which passes them on without a lookup
 *
 * A request blocks its line in the module that it asks: from its lookup until its reply is sent, other requests for the
 * line wait, or are refused and sent again (coherence.conflict). Probes block nothing and wait for nobody.
 *
 * There is no deadlock: lines are blocked from L1 towards memory, never the other way, and a module takes every message
 * that arrives. What a slice's MSHR entries add to this is in coherent_mshr.c.
 *
 * Example: a load misses in L1 and hits in L2 (l2.latency = 20).
 *
 *   cycle 0      the READ_REQUEST leaves L1 and crosses the request network
 *   cycle 6      it takes a tag port of the slice, and blocks its line there
 *   cycle 26     the slice's data port is free: DATA leaves, and the line is no longer blocked
 *   cycle 32     DATA arrives at L1; the step FINISH is l1.latency later, and completes the load
 */

#define GPCI_NO_STEP UINT32_MAX
#define GPCI_NO_TRANSACTION UINT32_MAX
#define GPCI_NOT_BLOCKED UINT32_MAX

/* A step of a transaction: a message, or something that takes no message (a join, an eviction, the end). */
typedef struct gpci_coherent_step {
    uint64_t address;
    uint32_t from, to;                    /* modules */
    uint32_t bytes;                       /* of its message; 0: it has none */
    uint32_t delay;                       /* cycles of `from`'s clock after the step that it comes after */
    uint32_t directory;                   /* of these, those of the directory */
    uint32_t after;                       /* the step that it comes after */
    uint32_t join;                        /* the JOIN that waits for it */
    uint32_t needs;                       /* of a JOIN: steps that are still to come; of a request without a reply: */
                                          /* likewise, of those that unblock its line */
    uint32_t unblocks;                    /* the request whose line it unblocks, since a peer answers in its place */
    uint32_t first, next;                 /* the steps that come after it, as a list */
    uint32_t request;                     /* the request that it answers */
    uint32_t block;                       /* of the cache of `to`, that it is for; GPC_NO_MODULE: none */
    uint32_t blocked_line;                /* that it blocks, or waits for */
    uint32_t packet;                      /* of a refused message, before it is sent again */
    uint32_t next_transaction, next_step; /* after it, in the list of steps that are ready or wait for a line */
    uint8_t kind;                         /* gpc_message_kind */
    uint8_t lookups;                      /* that the steps after it do when it arrives */
    uint8_t memory;                       /* as in gpc_coherence_message */
    uint8_t sectors;                      /* of that access of memory */
    bool initial;                         /* it comes after nothing but the access itself */
    bool answered;                        /* a request that has a reply */
    bool asks_memory;                     /* a request for which the slice asks memory, */
    bool has_mshr;                        /* and has an MSHR entry */
    uint64_t id;                          /* for the trace of events: its packet's */
} gpci_coherent_step;

/* All that one access of the tree sets going. */
typedef struct gpci_coherent_transaction {
    gpci_coherent_step *steps; /* [count] */
    size_t room;
    uint32_t count, left;      /* steps; of these, those that have not ended */
    uint32_t reserved_packets; /* that it may take */
    uint32_t sm;
    uint32_t packet;         /* of the access, which waits in L1; GPCI_NO_PACKET once it is done */
    uint32_t waiting;        /* transactions of the same L1 that begin when it is done, as a list */
    uint32_t next;           /* in such a list, or in that of free ones */
    uint8_t level;           /* deepest that served it */
    gpci_packet_label label; /* for the trace of events: of the packet that it is for, */
    uint32_t warp, block;    /* and of its access */
    uint64_t pc;
} gpci_coherent_transaction;

/* A step that is to come at a cycle; `order`: among those of the same cycle. */
typedef struct gpci_due_step {
    uint64_t cycle, order;
    uint32_t transaction, step;
    bool retry; /* it was refused, and is sent again */
} gpci_due_step;

/* A line of a module that a request has blocked, and the list of those that wait for it. */
typedef struct gpci_blocked_line {
    uint64_t key;
    uint32_t transaction, step; /* that blocks it; GPCI_NO_STEP: the entry is free */
    uint32_t next;              /* in its bucket, or in the list of free ones */
    uint32_t first_transaction, first_step, last_transaction, last_step; /* first_step GPCI_NO_STEP: none waits */
} gpci_blocked_line;

#define GPCI_BLOCKED_BUCKETS 1024u
#define GPCI_LEVEL_CLUSTER 4 /* gpci_stage.level */

/* All transactions under way. */
typedef struct gpci_transactions {
    gpci_coherent_transaction *transactions; /* [fresh] */
    gpci_coherent_step *spare;               /* steps for a transaction for which no memory is left */
    gpci_due_step *due;                      /* [due_count] binary heap */
    gpci_blocked_line *blocked;              /* [blocked_fresh] */
    size_t room, spare_room, due_room, blocked_room;
    /* from here on it is state */
    uint32_t fresh, free, live; /* fresh: never used from here on; free: list */
    uint32_t due_count;
    uint64_t reserved_packets, steps; /* of those that live */
    uint64_t order;                   /* of the next gpci_due_step */
    uint32_t blocked_fresh, blocked_free, blocked_count;
    uint32_t buckets[GPCI_BLOCKED_BUCKETS];                              /* of blocked lines */
    uint32_t ready_transaction, ready_step, last_transaction, last_step; /* list of steps that are ready */
    bool running;                                                        /* that list is being worked through */
    bool refuses;                                                        /* coherence.conflict = retry */
    uint64_t random;
} gpci_transactions;

/* transactions_build.c */
gpc_status gpci_transactions_create(gpci_timed *t, gpc_error *error);
void gpci_transactions_destroy(gpci_timed *t);
/* Room for one more transaction, whatever the tree makes of its access. GPC_ERROR_MEMORY: nothing has changed. */
gpc_status gpci_transactions_reserve(gpci_timed *t);
/* After that: a transaction with room for the result's messages. Cannot fail. */
uint32_t gpci_transaction_take(gpci_timed *t, const gpc_coherence_result *result);
/* As gpci_component_class.state. */
void gpci_transactions_state(gpci_timed *t, gpci_state_fn visit, void *user_data);

/* transactions.c */
/*
 * The messages of the tree's last access, for a packet that waits in L1. They begin at once, or when the transaction
 * `behind` is done.
 */
void gpci_transaction_begin(gpci_timed *t, uint32_t packet, const gpc_coherence_result *result, uint32_t behind);
void gpci_transaction_start(gpci_timed *t, uint32_t transaction);
/* All its steps have ended. */
void gpci_transaction_end(gpci_timed *t, uint32_t transaction);
/* Is none under way, and no line blocked? */
bool gpci_transactions_idle(const gpci_timed *t);

/* step_schedule.c */
/* Component 0 of the wheel: steps that are due in the present cycle. */
void gpci_transactions_step(const gpci_group *group, uint32_t index);
/* What a step comes after has ended: it takes its delay, or reads memory. */
void gpci_step_begin(gpci_timed *t, uint32_t transaction, uint32_t step);
/* A step's message can be sent, or it ends if it has none: when gpci_steps_run comes to it. */
void gpci_step_ready(gpci_transactions *all, uint32_t transaction, uint32_t step);
/* All steps that are ready, and what follows from them in this cycle. */
void gpci_steps_run(gpci_timed *t);
/* A step has ended: those that come after it begin. */
void gpci_step_end(gpci_timed *t, uint32_t transaction, uint32_t step);
void gpci_step_schedule(gpci_timed *t, uint64_t cycle, uint32_t transaction, uint32_t step, bool retry);
/* A message has arrived, and has been looked up; its packet is freed, or goes back. */
void gpci_message_arrived(gpci_timed *t, uint32_t packet);
/* A step's access of memory is done. */
void gpci_message_memory_done(gpci_timed *t, uint32_t packet);

/* blocked_line.c */
/*
 * A message has arrived. True: it goes on, and has blocked its line if it is a request. False: it waits for the line,
 * and its packet is freed; or it goes back to its sender as the same packet.
 */
bool gpci_message_admit(gpci_timed *t, uint32_t packet);
/* A request's reply is sent, or its transaction is over: its line and its MSHR entry come free. */
void gpci_request_release(gpci_timed *t, uint32_t transaction, uint32_t step);
/* A refused message is sent again. */
void gpci_message_retry(gpci_timed *t, uint32_t transaction, uint32_t step);
/* Which lines are blocked by whom, and who waits for them. */
void gpci_transactions_report(const gpci_timed *t, gpci_text *report);

/* coherent_mshr.c: MSHR entries of slices */
/* Which requests of a transaction need one. */
void gpci_coherent_mshr_mark(const gpci_timed *t, gpci_coherent_transaction *x);
/* Does the first packet of a queue have to wait for an entry? It then has been moved to those that wait. */
bool gpci_coherent_mshr_stall(gpci_timed *t, gpci_stage *stage, gpci_queue *queue);
/* Does the first of those that wait (there is one) go on waiting? */
bool gpci_coherent_mshr_is_stalled(gpci_timed *t, gpci_stage *stage);
/* A packet is at a stage's tags: it takes an entry if it needs one, which is free. */
void gpci_coherent_mshr_allocate(gpci_timed *t, gpci_stage *stage, uint32_t packet);
/* The request is answered, or refused. */
void gpci_coherent_mshr_free(gpci_timed *t, gpci_coherent_step *step);

/* coherent_stage.c: slices and clusters, and the way of messages between modules */
void gpci_coherent_slice_step(const gpci_group *group, uint32_t slice);
void gpci_coherent_cluster_step(const gpci_group *group, uint32_t cluster);
/* What has arrived at a channel over the link from the slices. */
void gpci_coherent_channel_receive(gpci_timed *t, uint32_t channel);
/* A message leaves module `from` for module `to`. */
void gpci_message_send(gpci_timed *t, uint32_t packet, uint32_t from, uint32_t to);
/* The access of memory that a step is for. */
void gpci_message_access_memory(gpci_timed *t, uint32_t transaction, uint32_t step);
/* The stage whose ports a module has: a memory's are its slice's. */
gpci_stage *gpci_coherent_stage_of(const gpci_timed *t, uint32_t module, uint64_t address);

/* coherent_l1.c */
/* A packet at the tags: as the pass of l1.c. */
gpci_verdict gpci_coherent_l1_pass(gpci_timed *t, gpci_stage *stage, uint32_t packet, gpci_tag_access *access);
/* What the network brings to an L1. */
void gpci_coherent_l1_receive(gpci_timed *t, gpci_stage *stage);
/* A packet of an L1's miss queue goes into the network. */
void gpci_coherent_l1_send(gpci_timed *t, gpci_stage *stage, uint32_t packet);
/* A transaction's access is done: its packet, and those that merged with it, have their data. */
void gpci_coherent_l1_done(gpci_timed *t, uint32_t transaction);

/* Segments of a message's data: as many as its bytes beside the header. */
GPCI_INLINE uint8_t gpci_message_segments(const gpci_timed *t, uint32_t bytes) {
    return (uint8_t)((1u << (bytes - t->header + GPCI_SEGMENT - 1) / GPCI_SEGMENT) - 1);
}

GPCI_INLINE bool gpci_message_is_probe(uint8_t kind) {
    return kind == GPC_MESSAGE_READ_PROBE || kind == GPC_MESSAGE_WRITE_PROBE;
}

GPCI_INLINE gpci_coherent_step *gpci_coherent_step_at(const gpci_transactions *all, uint32_t transaction,
                                                      uint32_t step) {
    return &all->transactions[transaction].steps[step];
}

/* The step of a packet that is a message. */
GPCI_INLINE gpci_coherent_step *gpci_coherent_step_of(const gpci_timed *t, uint32_t packet) {
    const gpci_packet *p = gpci_packet_at(&t->pool, packet);
    return gpci_coherent_step_at(t->transactions, p->message.transaction, p->message.step);
}

#endif
