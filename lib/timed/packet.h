/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_PACKET_H
#define GPC_TIMED_PACKET_H

#include "base/base.h"
#include "base/check.h"
#include "base/clock.h"

#define GPCI_NO_PACKET UINT32_MAX
#define GPCI_UNLIMITED UINT32_MAX

enum {
    GPCI_PACKET_POSTED = 0x01,   /* a write, or a slice's prefetch, that nobody waits for */
    GPCI_PACKET_LAST = 0x02,     /* last line of its instruction */
    GPCI_PACKET_LINK = 0x04,     /* came from, and is replied to, the other partition */
    GPCI_PACKET_FETCH = 0x08,    /* sent by an MSHR entry, which takes the reply */
    GPCI_PACKET_FOLLOWS = 0x10,  /* a block of the line that the packet before it is of: gpci_transaction.follows */
    GPCI_PACKET_CONSTANT = 0x10, /* with FETCH: of an SM's constant cache, or its L1.5 (l15_stage.h) */
    GPCI_PACKET_BUNDLE = 0x20,   /* of a tree: another goes with it, and is a part of it, `beside` */
    GPCI_PACKET_WAITER = 0x40,   /* one that only waits: there is no more of it than its first cache line */
    GPCI_PACKET_PORT = 0x40,     /* of a slice's packets, none of which only waits: a port's (port.h) */
    GPCI_PACKET_MESSAGE = 0x40,  /* of a tree, which has no ports, or its access of memory: gpci_pool_take_message; */
                                 /* no more of it, either */
    GPCI_PACKET_JOINED = 0x20,   /* of an L1's stores, which are in no tree: others go with it, from line.waiter on */
    GPCI_PACKET_LATE = 0x80      /* a prefetch, for whose line a load waits already, or which is here */
};

/* What L1 knows of a read that it has sent, and needs again when the reply is here. */
enum {
    /* There is no line for it, whatever the predictor says: the policy would give up none, or its warp has no token. */
    GPCI_MARK_DECLINED = 0x01,
    GPCI_MARK_KEPT = 0x02,     /* its data are to be kept, whoever waits for them: so the predictor said of its reply */
    GPCI_MARK_ADMITTED = 0x04, /* asked at the miss, the replacement policy did not decline */
    GPCI_MARK_VERIFIED = 0x08, /* the predictor has seen a reply, and had the rest sent for */
    GPCI_MARK_TOKEN_SHIFT = 4, /* two bits from this one on: L1's gpc_token */
    GPCI_MARK_PASSES = 0x40,   /* it bypasses L1 */
    GPCI_MARK_GENERATION_SHIFT = 7 /* one bit: gpci_fences.generation when it set out */
};

/* A line of a warp access: at L1, and wherever it or what L1 sends for it goes. */
typedef struct gpci_packet_line {
    uint32_t flight; /* warp access that it is part of; UINT32_MAX: of none */
    union {
        uint32_t waiter; /* sent by L1's MSHR: the packet that waits for it */
        struct {
            uint16_t asker, target; /* of a bulk load, which no packet waits for, from 1: timed/multicast.h; 0 */
        };
    };
    uint8_t missed;  /* segments that L1 did not have */
    uint8_t fetched; /* sent by an MSHR entry: sectors of the stage that it is for; of a tree's L1: those of its line */
                     /* that its instruction asks for (gpci_transaction.asks) */
    uint8_t marks;   /* sent by L1: GPCI_MARK_ */
    uint8_t kind;    /* gpc_kind of the access, which `request.kind` may no longer be */
} gpci_packet_line;

/* A message of a tree's controllers, or their access of memory. */
typedef struct gpci_packet_message {
    uint32_t task;   /* whose step it is when this is done */
    uint32_t module; /* that it is for */
    uint16_t from;   /* module that sent it; of an L1 its SM */
    uint8_t step, kind;
} gpci_packet_message;

/* Before L1's tags. */
typedef struct gpci_packet_tags {
    uint64_t number; /* in the reorder buffer, from 1 */
} gpci_packet_tags;

/* At an MSHR entry, of which the first packet is the leader. */
typedef struct gpci_packet_mshr {
    /* the leader alone: */
    uint32_t chain;       /* leader of the next entry of its hash bucket, or behind its row */
    uint32_t first, last; /* packets that wait with it, linked through the pool */
    uint32_t count;       /* of those that wait, itself included */
    union {
        uint32_t access; /* coherent L1: of controllers, that brings the line */
        uint32_t slot;   /* of the cache, in which the line has been reserved; UINT32_MAX: none is known */
    };
    uint8_t whole; /* segments of the stage's line in flight, their sectors whole */
    uint8_t part;  /* segments in flight by themselves, for who bypasses the cache */
    bool remote;   /* the line is homed in the other partition */
    bool done;     /* it has what it waited for, and stays because others wait */
    bool outdated; /* the line has been written where it is homed since it was read there */
    union {
        bool left;     /* coherent L1: it is on its way below, and its line has no MSHR entry for it */
        bool replaced; /* with l1.allocate = replaceable: its line is, so that nobody joins, and nothing is kept */
    };
    bool ordered; /* coherent L1: one that waits is to look again, and so are all after it */
    /* each that waits: */
    uint8_t needs;  /* segments of the stage's line without which it is not released */
    bool cached;    /* its data are to be kept */
    bool no_token;  /* its warp has no cache token of this level */
    uint16_t entry; /* the leader alone, with l1.allocate = replaceable: which it is of the entries of its line */
} gpci_packet_mshr;

/* Between stages: over networks, to memory and back. */
typedef struct gpci_packet_path {
    union {
        uint64_t entered; /* in a network: core cycle at which it entered */
        uint64_t host_id; /* in the host's memory: number of its transfer; 0: answered */
    };
    union {
        uint32_t size; /* bytes on the network at hand or to come, header included */
        uint32_t with; /* of a tree's access of memory, with GPCI_PACKET_BUNDLE: as `beside` of a message */
    };
    uint16_t from, to; /* input and output port of that network */
    union {
        uint64_t local;  /* memory: address within the channel */
        uint64_t inner;  /* from L1 to the tags of the slice: address within the slice */
        uint32_t beside; /* of a tree's message, with GPCI_PACKET_BUNDLE: timed/coherent_bundle.c */
    };
    uint16_t channel; /* likewise */
    uint16_t slice;   /* memory: the L2 slice, over both partitions, that asks */
    uint8_t bursts;   /* memory: under way */
    uint8_t taken;    /* bit per burst, or per segment where memory is the host's, that the channel has taken */
} gpci_packet_path;

/*
 * What the trace of events knows a packet by (timed/watch.h): numbers, from 1. The pool has them beside the packets, as
 * long as there is such a trace.
 */
typedef struct gpci_packet_label {
    uint64_t id;     /* its own; 0: nothing is told of it */
    uint64_t parent; /* of the packet on whose account it was made; 0: none */
    uint64_t origin; /* of the access that it is for; 0: none */
    uint64_t serial; /* of its line's clock (timed/stage_times.h), which is this one; 0: it has none */
    uint32_t clock;
    uint8_t kind; /* gpc_kind of the access */
} gpci_packet_label;

#define GPCI_ASKED_BYTES 96u /* all that a gpc_request says is in these */

/*
 * One transaction of a line on its way through the timed hierarchy, in one queue at a time. Three cache lines of its
 * own: what networks and MSHRs look at comes first.
 *
 * What a packet belongs to, `line` or `message`, it is for life. Where it is changes: it waits before the tags
 * (`tags`) or at an MSHR entry (`mshr`), or is on its way (`path`), and what it knew of its last place is then gone.
 *
 * Example, a load that misses L1 and L2: `tags`; its copy stays at L1's MSHR entry (`mshr`), the load itself crosses
 * the network (`path`) and waits at L2's (`mshr`), whose fetch goes to memory (`path`); it returns (`path`), and
 * `line.waiter` is the copy, whose `line.flight` has one line less to wait for.
 */
typedef struct gpci_packet {
    uint64_t address; /* of the line, as the host knows it */
    union {
        gpci_packet_line line;
        gpci_packet_message message;
    };
    uint8_t segments; /* 32-byte segments that it asks for or brings */
    uint8_t level;    /* deepest level that served it */
    uint8_t type;     /* gpci_packet_type */
    uint8_t flags;    /* GPCI_PACKET_ */
    union {
        gpci_packet_tags tags;
        gpci_packet_mshr mshr;
        gpci_packet_path path;
    };
    union {
        uint64_t born;  /* core cycle at which it missed in L1 */
        uint32_t next;  /* with GPCI_PACKET_WAITER: what links have of others */
        uint64_t inner; /* of a tree's access of memory: of its line, within the slice */
    };
    union {
        gpc_request request; /* its address is that of an L1 line (from L2 on of the slice's) */
        struct {             /* in the bytes that a request reserves: gpci_shown keeps them from policies of a host */
            uint8_t asked[GPCI_ASKED_BYTES];
            uint64_t bytes[2]; /* that a store writes, of the line */
            uint32_t label;    /* gpci_label_of: which; 0: none; undefined without a trace of events, of anybody's */
            uint32_t beside;   /* of a multicast copy: timed/multicast.h */
            union {
                uint16_t turns; /* of an atomic: of L2's atomic unit, where that is limited */
                uint16_t entry; /* sent by an MSHR entry: gpci_packet_mshr.entry */
            };
            uint8_t priority; /* of L1's line, with a window of L2, which may give it another there */
            uint8_t reserved[5];
        };
    };
} gpci_packet;

_Static_assert(sizeof(gpci_packet) == 192, "a packet fills its cache lines");
_Static_assert(offsetof(gpc_request, reserved) <= GPCI_ASKED_BYTES, "what a request says is not in reserved bytes");
_Static_assert(offsetof(gpci_packet, request) == 64, "what is looked at most is in the first");

typedef enum gpci_packet_type {
    GPCI_READ = 0,
    GPCI_WRITE = 1,
    GPCI_ATOMIC = 2, /* and reductions */
    GPCI_REPLY = 3,  /* on its way back */
} gpci_packet_type;

/*
 * What queues and networks look at of a packet that is not their turn's: its place in a queue. Four fill one of the
 * processor's own cache lines, which the packets themselves have long left when they are linked.
 */
typedef struct gpci_packet_link {
    uint64_t due;   /* core cycle at which it goes on, on a delay line; GPCI_NEVER: it has set out to memory */
    uint32_t next;  /* packet after it in its queue or list */
    uint16_t to;    /* in a network: its output, */
    uint16_t flits; /* and cycles that it takes a link, if they are fewer than GPCI_MANY_FLITS */
} gpci_packet_link;

#define GPCI_MANY_FLITS UINT16_MAX

/* Packets by number, in chunks that never move. */
#define GPCI_POOL_CHUNK_BITS 10
#define GPCI_POOL_CHUNK (1u << GPCI_POOL_CHUNK_BITS)

/*
 * Packets that only wait, at an MSHR entry of L1, are most of those that are under way, and are their first cache line
 * alone. Their numbers, read as signed ones, are below 0. They lie in chunks like others, but as many chunks as a
 * packet has cache lines share the memory of one, each a cache line behind the one before it: so a packet of any kind
 * is found by the same two steps.
 *
 *   chunk -1   |0    |1    |2    ...    the last place of each stays free: number -1 is none
 *   chunk -2   | |0    |1    |2
 *   chunk -3   |   |0    |1    |2
 *
 * A tree's messages are their first cache line alone, too, but stand in queues, and so have links: behind each chunk of
 * whole packets are the numbers of GPCI_POOL_SHARERS chunks of messages, which share the memory of one in that way.
 */
#define GPCI_POOL_SHARERS 3u
#define GPCI_POOL_WAITERS (GPCI_POOL_SHARERS * (GPCI_POOL_CHUNK - 1)) /* in the memory of a chunk */
#define GPCI_POOL_MESSAGES (GPCI_POOL_SHARERS * GPCI_POOL_CHUNK)      /* likewise */
#define GPCI_POOL_PERIOD (GPCI_POOL_CHUNK + GPCI_POOL_MESSAGES) /* numbers of a chunk and the messages behind it */

typedef struct gpci_pool {
    gpc_context *context;
    /* [-waiter_groups * GPCI_POOL_SHARERS to chunk_count * period], each at a cache line's begin */
    gpci_packet **chunks;
    gpci_packet_link *links;   /* [chunk_count * period * GPCI_POOL_CHUNK]: none of those that only wait */
    gpci_packet_label *labels; /* [1 + chunk_room * GPCI_POOL_CHUNK] by place, from 1; before them none's, zero; NULL */
    uint32_t chunk_count, chunk_room; /* of whole packets */
    uint32_t period;                  /* 1; with messages GPCI_POOL_PERIOD / GPCI_POOL_CHUNK */
    uint32_t message_fresh, message_free, message_live;
    uint32_t waiter_groups;
    uint32_t waiter_fresh; /* of those that only wait so many have been used, */
    uint32_t waiter_free;  /* and these are free: a list */
    uint32_t fresh;        /* never used from here on, */
    uint32_t stride;       /* but for so many between two chunks, which are others' (strands.h), or messages' */
    uint32_t free;         /* list, most recently used first */
    uint32_t live;         /* whole ones; of those that only wait each has another under way for it */
} gpci_pool;

void gpci_pool_init(gpci_pool *pool, gpc_context *context);
/* There will be messages. Of a pool that has been initialised, and not been used. */
void gpci_pool_expect_messages(gpci_pool *pool);
void gpci_pool_destroy(gpci_pool *pool);
gpc_status gpci_pool_grow(gpci_pool *pool, uint64_t packets);
/* Room for so many that only wait, used ones included. GPC_ERROR_MEMORY. */
gpc_status gpci_pool_grow_waiters(gpci_pool *pool, uint32_t waiters);
/* Labels are there from now on, though no packet has one yet; or (false) not. Those that are there stay. MEMORY. */
gpc_status gpci_pool_keep_labels(gpci_pool *pool, bool kept);
/* All labels, for a snapshot; they are kept. */
void gpci_pool_labels_state(gpci_pool *pool, gpci_state_fn visit, void *user_data);
/* Make sure that so many messages more can be taken. GPC_ERROR_MEMORY. */
gpc_status gpci_pool_grow_messages(gpci_pool *pool, uint32_t messages);
void gpci_pool_state(gpci_pool *pool, gpci_state_fn visit, void *user_data);
/* Make sure that `packets` more can be taken without fail. GPC_ERROR_MEMORY. */
GPCI_INLINE gpc_status gpci_pool_reserve(gpci_pool *pool, uint64_t packets) {
    uint64_t room = (uint64_t)pool->chunk_count * GPCI_POOL_CHUNK;
    return pool->live + packets <= room ? GPC_OK : gpci_pool_grow(pool, packets);
}

GPCI_INLINE gpc_status gpci_pool_reserve_messages(gpci_pool *pool, uint32_t messages) {
    const uint64_t room = (uint64_t)pool->chunk_count * GPCI_POOL_MESSAGES;
    return pool->message_live + (uint64_t)messages <= room ? GPC_OK : gpci_pool_grow_messages(pool, messages);
}

/* A few that only wait are there, if there is memory for them: who finds none takes another packet. */
GPCI_INLINE void gpci_pool_expect_waiters(gpci_pool *pool) {
    if (GPCI_UNLIKELY(pool->waiter_fresh + GPCI_POOL_CHUNK / 4 > pool->waiter_groups * GPCI_POOL_WAITERS))
        (void)gpci_pool_grow_waiters(pool, pool->waiter_fresh + GPCI_POOL_CHUNK / 4);
}

GPCI_INLINE gpci_packet *gpci_packet_at(const gpci_pool *pool, uint32_t packet) {
    return &pool->chunks[(int32_t)packet >> GPCI_POOL_CHUNK_BITS][packet % GPCI_POOL_CHUNK];
}

/* Packets under way, but for those that only wait. */
GPCI_INLINE uint32_t gpci_pool_live(const gpci_pool *pool) {
    return pool->live + pool->message_live;
}

/* The number of a whole packet, or of that after it, without those of messages: for arrays by packet. */
GPCI_INLINE uint32_t gpci_pool_place(const gpci_pool *pool, uint32_t packet) {
    return pool->period == 1
               ? packet
               : packet / GPCI_POOL_PERIOD * GPCI_POOL_CHUNK + packet % GPCI_POOL_PERIOD % GPCI_POOL_CHUNK;
}

/* A packet's label, of whom it was taken over from until it has its own; labels are kept. */
GPCI_INLINE gpci_packet_label *gpci_label_of(const gpci_pool *pool, const gpci_packet *packet) {
    return &pool->labels[packet->label];
}

/* A label of its own for a whole packet; what it says is undefined. */
GPCI_INLINE gpci_packet_label *gpci_label_take(const gpci_pool *pool, uint32_t packet) {
    gpci_packet *p = gpci_packet_at(pool, packet);
    p->label = gpci_pool_place(pool, packet) + 1;
    return gpci_label_of(pool, p);
}

/* Is this the number of a whole packet that has been used? */
GPCI_INLINE bool gpci_pool_is_whole(const gpci_pool *pool, uint32_t packet) {
    return packet < pool->fresh && packet / GPCI_POOL_CHUNK % pool->period == 0;
}

/* The packet after any one in its list; of one that does not only wait it is links[packet].next. */
GPCI_INLINE uint32_t *gpci_next_of(const gpci_pool *pool, uint32_t packet) {
    return (int32_t)packet < 0 ? &gpci_packet_at(pool, packet)->next : &pool->links[packet].next;
}

/* A packet, if it is one, will soon be linked, or looked at in its queue. No effect but on speed. */
GPCI_INLINE void gpci_expect_link(const gpci_pool *pool, uint32_t packet) {
    if (packet != GPCI_NO_PACKET)
        GPCI_PREFETCH(&pool->links[packet]);
}

/*
 * One that was never used; the same of those that only wait, and of messages. Zeroed: a snapshot has all of it, though
 * not every kind of packet uses every field, and is to have nothing that somebody else has left in memory.
 */
uint32_t gpci_pool_take_fresh(gpci_pool *pool);
uint32_t gpci_pool_take_fresh_waiter(gpci_pool *pool);
uint32_t gpci_pool_take_fresh_message(gpci_pool *pool);

/* A packet, its fields undefined, its link due at once. There is one: reserve came before. */
GPCI_INLINE uint32_t gpci_pool_take(gpci_pool *pool) {
    uint32_t packet = pool->free;
    pool->live++;
    if (GPCI_UNLIKELY(packet == GPCI_NO_PACKET))
        packet = gpci_pool_take_fresh(pool);
    else
        pool->free = pool->links[packet].next;
    pool->links[packet].due = 0;
    return packet;
}

/* One that only waits, likewise; GPCI_NO_PACKET: there is none. */
GPCI_INLINE uint32_t gpci_pool_take_waiter(gpci_pool *pool) {
    const uint32_t packet = pool->waiter_free;
    if (GPCI_LIKELY(packet != GPCI_NO_PACKET)) {
        pool->waiter_free = gpci_packet_at(pool, packet)->next;
        return packet;
    }
    return gpci_pool_take_fresh_waiter(pool);
}

/* A message, as gpci_pool_take, but that it has GPCI_PACKET_MESSAGE as long as it is one. */
GPCI_INLINE uint32_t gpci_pool_take_message(gpci_pool *pool) {
    uint32_t packet = pool->message_free;
    pool->message_live++;
    if (GPCI_UNLIKELY(packet == GPCI_NO_PACKET))
        packet = gpci_pool_take_fresh_message(pool);
    else
        pool->message_free = pool->links[packet].next;
    pool->links[packet].due = 0;
    return packet;
}

GPCI_INLINE void gpci_pool_give_message(gpci_pool *pool, uint32_t packet) {
    GPCI_POISON(gpci_packet_at(pool, packet), offsetof(gpci_packet, request));
    pool->links[packet].next = pool->message_free;
    pool->message_free = packet;
    pool->message_live--;
}

GPCI_INLINE void gpci_pool_give(gpci_pool *pool, uint32_t packet) {
    if ((int32_t)packet < 0) {
        GPCI_POISON(gpci_packet_at(pool, packet), offsetof(gpci_packet, request));
        gpci_packet_at(pool, packet)->next = pool->waiter_free;
        pool->waiter_free = packet;
        return;
    }
    GPCI_POISON(gpci_packet_at(pool, packet), sizeof(gpci_packet));
    pool->links[packet].next = pool->free;
    pool->free = packet;
    pool->live--;
}

/* First in, first out, with its occupancy over time. */
typedef struct gpci_queue {
    uint32_t first, last;
    uint32_t count;
    uint32_t room; /* most that it takes; GPCI_UNLIMITED */
    gpci_gauge gauge;
} gpci_queue;

/* A buffer of length 0 still has the latch of its stage. */
GPCI_INLINE void gpci_queue_init(gpci_queue *queue, uint64_t room) {
    *queue = (gpci_queue){.first = GPCI_NO_PACKET, .last = GPCI_NO_PACKET};
    queue->room = room >= GPCI_UNLIMITED ? GPCI_UNLIMITED : room ? (uint32_t)room : 1;
}

GPCI_INLINE bool gpci_queue_full(const gpci_queue *queue) {
    return queue->count >= queue->room;
}

/* One of several packets that enter in this cycle; gpci_queue_pushed follows the last. */
GPCI_INLINE void gpci_queue_append(gpci_queue *queue, const gpci_pool *pool, uint32_t packet) {
    if (queue->count++)
        pool->links[queue->last].next = packet;
    else
        queue->first = packet;
    queue->last = packet;
}

GPCI_INLINE void gpci_queue_pushed(gpci_queue *queue, const gpci_pool *pool, uint64_t now) {
    pool->links[queue->last].next = GPCI_NO_PACKET;
    gpci_gauge_set(&queue->gauge, now, queue->count);
}

GPCI_INLINE void gpci_queue_push(gpci_queue *queue, const gpci_pool *pool, uint64_t now, uint32_t packet) {
    gpci_queue_append(queue, pool, packet);
    gpci_queue_pushed(queue, pool, now);
}

/* Behind a packet of the queue; GPCI_NO_PACKET: before all. */
GPCI_INLINE void gpci_queue_insert(gpci_queue *queue, const gpci_pool *pool, uint64_t now, uint32_t before,
                                   uint32_t packet) {
    if (before == GPCI_NO_PACKET ? !queue->count : before == queue->last) {
        gpci_queue_push(queue, pool, now, packet);
        return;
    }
    uint32_t *next = before == GPCI_NO_PACKET ? &queue->first : &pool->links[before].next;
    pool->links[packet].next = *next;
    *next = packet;
    gpci_gauge_set(&queue->gauge, now, ++queue->count);
}

/* The first packet leaves; there must be one. */
GPCI_INLINE uint32_t gpci_queue_pop(gpci_queue *queue, const gpci_pool *pool, uint64_t now) {
    uint32_t packet = queue->first;
    queue->first = pool->links[packet].next;
    gpci_gauge_set(&queue->gauge, now, --queue->count);
    return packet;
}

#endif
