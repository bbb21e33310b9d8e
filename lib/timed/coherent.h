/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_COHERENT_H
#define GPC_TIMED_COHERENT_H

#include "level/coherent_level.h"
#include "timed/timed.h"

/*
 * A coherent hierarchy with a clock. What passes L1's tags is one access of the tree, which is then in the state that
 * the access leaves; what took it there, an exchange, is played: its steps wait for each other as the tree's list says,
 * take ports, cross the networks and hold blocks, until the access is done and the last message has come.
 *
 *   L1s and slices     messages towards memory over the request network, the others over the reply network
 *   with clusters      these are between L1s and clusters; between clusters and slices are two more of the same kind
 *   slices, memories   the links that `memory.link_width` sets; without, at once
 *   beside each other  data that a module sends to a peer go up to the slice of their address (L1s of a cluster: to
 *                      their cluster), which passes them on without a lookup
 *
 * A request holds its block in the module that it asks until the answer is sent; another that finds the block held
 * waits, or is refused and comes again. Probes hold nothing and wait for nobody. Nothing can lock up: blocks are held
 * in the order of levels, and every module takes all that comes; a slice's MSHR entries: coherent_entry.c.
 *
 * Example, a load misses in L1, and hits in L2 (latency 20): READ_REQUEST crosses, takes a tag port, holds the block;
 * 20 cycles later, if the data port is free, DATA is sent and the block let go; it crosses; FINISH comes l1.latency
 * after it.
 */

#define GPCI_NO_STEP UINT32_MAX
#define GPCI_NO_LOCK UINT32_MAX
#define GPCI_NO_EXCHANGE UINT32_MAX

typedef struct gpci_step {
    uint64_t address;
    uint32_t from, to;    /* modules */
    uint32_t bytes;       /* 0: no message */
    uint32_t delay;       /* cycles of `from`, once what it comes after has ended */
    uint32_t directory;   /* of these, the directory's */
    uint32_t after;       /* what it comes after */
    uint32_t join;        /* that waits for it */
    uint32_t needs;       /* a JOIN's: steps still to come; a request's that nobody answers: likewise, that open it */
    uint32_t opens;       /* the request whose block is let go with it, for a peer answers that in its place */
    uint32_t first, next; /* what comes after it; what comes after the same */
    uint32_t request;     /* that it answers */
    uint32_t block;       /* that it finds in `to`; GPC_NO_MODULE: none */
    uint32_t lock;        /* that it holds, or waits for */
    uint32_t packet;      /* refused: on its way back */
    uint32_t next_exchange, next_step; /* while it is in a list */
    uint8_t kind;                      /* gpc_message_kind */
    uint8_t looks;                     /* lookups of those that come after it */
    uint8_t memory;                    /* as in gpc_coherence_message */
    uint8_t sectors;                   /* of that access */
    bool root;                         /* it comes after nothing but the access itself */
    bool answered;
    bool below;  /* a request that has its slice ask memory */
    bool entry;  /* it has that slice's MSHR entry */
    uint64_t id; /* for the trace of events: its packet's */
} gpci_step;

typedef struct gpci_exchange {
    gpci_step *steps; /* [count] */
    size_t room;
    uint32_t count, left;
    uint32_t promised; /* packets that it may take */
    uint32_t sm;
    uint32_t packet;         /* of L1, that waits for it; GPCI_NO_PACKET once it is done */
    uint32_t waiting;        /* exchanges of the same L1 that begin when it is done */
    uint32_t next;           /* among these, or among the free */
    uint8_t level;           /* deepest that served it */
    gpci_packet_label label; /* for the trace of events: of the packet that it is for, */
    uint32_t warp, block;    /* and of its access */
    uint64_t pc;
} gpci_exchange;

/* A step at a cycle. */
typedef struct gpci_event {
    uint64_t cycle, order;
    uint32_t exchange, step;
    bool again; /* it was refused, and comes again */
} gpci_event;

typedef struct gpci_lock {
    uint64_t key;
    uint32_t exchange, step;                                       /* that holds it */
    uint32_t next;                                                 /* of its bucket, or free */
    uint32_t first_exchange, first_step, last_exchange, last_step; /* that wait; GPCI_NO_STEP: none */
} gpci_lock;

#define GPCI_LOCK_BUCKETS 1024u
#define GPCI_LEVEL_CLUSTER 4 /* gpci_stage.level */

typedef struct gpci_play {
    gpci_exchange *exchanges; /* [fresh] */
    gpci_step *spare;         /* for an exchange whose own cannot be had */
    gpci_event *events;       /* [event_count] binary heap */
    gpci_lock *locks;         /* [lock_fresh] */
    size_t room, spare_room, event_room, lock_room;
    /* from here on it is state */
    uint32_t fresh, free, live;
    uint32_t event_count;
    uint64_t promised, steps; /* packets, and steps, of those that live */
    uint64_t order;
    uint32_t lock_fresh, lock_free, lock_count;
    uint32_t buckets[GPCI_LOCK_BUCKETS];
    uint32_t ready_exchange, ready_step, last_exchange, last_step; /* list of steps that have come to their turn */
    bool running;
    bool retry; /* coherence.conflict */
    uint64_t random;
} gpci_play;

/* coherent_build.c */
gpc_status gpci_play_create(gpci_timed *t, gpc_error *error);
void gpci_play_destroy(gpci_timed *t);
/* Room for one more exchange, whatever the tree makes of its access. GPC_ERROR_MEMORY: nothing has changed. */
gpc_status gpci_play_reserve(gpci_timed *t);
/* After that, an exchange for a list. */
uint32_t gpci_play_take_exchange(gpci_timed *t, const gpc_coherence_result *result);

/* coherent.c: exchanges */
/* The list of the tree's last access, for an L1's packet. Begins at once, or when exchange `behind` is done. */
void gpci_play_begin(gpci_timed *t, uint32_t packet, const gpc_coherence_result *result, uint32_t behind);
void gpci_play_start(gpci_timed *t, uint32_t exchange);
/* A message has come, and was looked up: the packet is its own. */
void gpci_play_arrived(gpci_timed *t, uint32_t packet);
/* A memory access is done. */
void gpci_play_memory(gpci_timed *t, uint32_t packet);
/* Steps that are due in the present cycle. */
void gpci_play_turn(gpci_timed *t);
/* A step ended, or has come to its turn. */
void gpci_play_ready(gpci_play *p, uint32_t exchange, uint32_t step);
void gpci_play_end(gpci_timed *t, uint32_t exchange, uint32_t step);
void gpci_play_at(gpci_timed *t, uint64_t cycle, uint32_t exchange, uint32_t step, bool again);
/* Is no transaction under way, and no block held? */
bool gpci_play_idle(const gpci_timed *t);
/* As gpci_component_class.state. */
void gpci_play_state(gpci_timed *t, gpci_state_fn visit, void *user_data);

/* coherent_lock.c */
/* A message that asks for a block is at it: false where it waits, or goes back. */
bool gpci_play_take(gpci_timed *t, uint32_t packet);
/* An answer is sent, or the exchange is over. */
void gpci_play_let_go(gpci_timed *t, uint32_t exchange, uint32_t step);
/* A refused message is sent again. */
void gpci_play_again(gpci_timed *t, uint32_t exchange, uint32_t step);
/* Who holds blocks, and who waits for them. */
void gpci_play_report(const gpci_timed *t, gpci_text *report);

/* coherent_entry.c: MSHR entries of slices */
/* Which requests of a list need one. */
void gpci_play_find_below(const gpci_timed *t, gpci_exchange *e);
/* The first of a queue is a request that waits at the tags: it was taken out. */
bool gpci_play_hold_up(gpci_timed *t, gpci_stage *stage, gpci_queue *queue);
/* Does the first of those that wait (there is one) go on waiting? */
bool gpci_play_is_held(gpci_timed *t, gpci_stage *stage);
/* At a stage's tags: a packet takes the entry that it needs, if any. */
void gpci_play_take_entry(gpci_timed *t, gpci_stage *stage, uint32_t packet);
/* It is answered, or refused. */
void gpci_play_give_entry(gpci_timed *t, gpci_step *step);

/* coherent_move.c: where messages are */
/* On its way from `from` to `to`. */
void gpci_play_send(gpci_timed *t, uint32_t packet, uint32_t from, uint32_t to);
void gpci_play_slice_step(gpci_timed *t, uint32_t slice);
void gpci_play_cluster_step(gpci_timed *t, uint32_t cluster);
/* What has come to a channel over the links from the slices. */
void gpci_play_take_linked(gpci_timed *t, uint32_t channel);
/* The DRAM access of a step. */
void gpci_play_access(gpci_timed *t, uint32_t exchange, uint32_t step);
gpci_stage *gpci_play_stage(const gpci_timed *t, uint32_t module, uint64_t address);

/* coherent_l1.c */
gpci_verdict gpci_play_pass(gpci_timed *t, gpci_stage *stage, uint32_t packet, gpci_held *held);
/* What the network brings to an L1. */
void gpci_play_l1_step(gpci_timed *t, gpci_stage *stage);
/* A packet of an L1's miss queue goes into the network. */
void gpci_play_l1_send(gpci_timed *t, gpci_stage *stage, uint32_t packet);
/* The access of an exchange is done. */
void gpci_play_done(gpci_timed *t, uint32_t exchange);

/* Segments of a message's data: as many as its bytes beside the header. */
GPCI_INLINE uint8_t gpci_play_segments(const gpci_timed *t, uint32_t bytes) {
    return (uint8_t)((1u << (bytes - t->header + GPCI_SEGMENT - 1) / GPCI_SEGMENT) - 1);
}

GPCI_INLINE bool gpci_is_probe(uint8_t kind) {
    return kind == GPC_MESSAGE_READ_PROBE || kind == GPC_MESSAGE_WRITE_PROBE;
}

GPCI_INLINE gpci_step *gpci_step_at(const gpci_play *p, uint32_t exchange, uint32_t step) {
    return &p->exchanges[exchange].steps[step];
}

/* The step of a packet that is a message. */
GPCI_INLINE gpci_step *gpci_step_of(const gpci_timed *t, uint32_t packet) {
    const gpci_packet *p = gpci_at(t, packet);
    return gpci_step_at(t->play, p->message.exchange, p->message.step);
}

#endif
