/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_PACKET_H
#define GPC_TIMED_PACKET_H

#include "base/base.h"
#include "base/check.h"
#include "timed/component/clock.h"

#include <string.h>

/* Packets are in a pool (gpci_pool). In all files `packet` is an index in the pool, and `pkt` a pointer to a packet. */
#define GPCI_NO_PACKET UINT32_MAX
#define GPCI_UNLIMITED UINT32_MAX

enum {
    GPCI_PACKET_POSTED = 0x01,   /* gets no reply: a write for which no access waits, or a slice's prefetch */
    GPCI_PACKET_LAST = 0x02,     /* last line of the instruction */
    GPCI_PACKET_LINK = 0x04,     /* sent by a slice to the slice of the other partition, to which the reply returns */
    GPCI_PACKET_PART = 0x04,     /* in a tree's L1: shares the record `line.record` with other blocks of the line */
    GPCI_PACKET_FETCH = 0x08,    /* read sent for an MSHR entry; the reply goes to the MSHR entry */
    GPCI_PACKET_FOLLOWS = 0x10,  /* a block of the previous packet's line: gpci_transaction.follows */
    GPCI_PACKET_CONSTANT = 0x10, /* with FETCH: sent for an SM's constant cache, or for L1.5 (l15_ctrl.h) */
    GPCI_PACKET_BUNDLE = 0x20,   /* in a tree: a further packet travels along, linked by `next_of_bundle` or `with` */
    GPCI_PACKET_TARGET = 0x40,   /* a waiter: has only the first of the three cache lines */
    GPCI_PACKET_MESSAGE = 0x40,  /* message or memory access of a tree (gpci_pool_take_message): */
                                 /* has only the first of the three cache lines */
    GPCI_PACKET_GL1 = 0x20,      /* with FETCH: sent for an MSHR entry of a GL1 (gl1_ctrl.h) */
    GPCI_PACKET_JOINED = 0x20,   /* L1's store (not in a tree): carries more stores, linked from line.mshr_target on */
    GPCI_PACKET_PORT = 0x80,     /* at slices: from a port (port.h) */
    GPCI_PACKET_LATE = 0x80      /* a controller's own prefetch: a load waits for the line, or the fetch is back */
};

/* L1's notes about a sent read (`line.marks`), needed when the reply arrives. */
enum {
    /* L1 has no line for the data: the replacement policy gave up no line, or the warp has no cache token. */
    GPCI_MARK_DECLINED = 0x01,
    GPCI_MARK_OPEN = 0x01,         /* in a tree: the load's bypass is open (gpci_open_l1_bypass) */
    GPCI_MARK_KEPT = 0x02,         /* keep the data: the predictor decided so when the reply arrived (verify.c) */
    GPCI_MARK_ADMITTED = 0x04,     /* the replacement policy was asked at the miss, and did not decline */
    GPCI_MARK_VERIFIED = 0x08,     /* the predictor has seen the reply; the read now fetches the remaining sectors */
    GPCI_MARK_ASKED = 0x02,        /* in a tree: L1's policies were asked */
    GPCI_MARK_OUT = 0x04,          /* in a tree: the access leaves no line in L1 */
    GPCI_MARK_EVICTS = 0x08,       /* in a tree: the access evicts L1's line */
    GPCI_MARK_TOKEN_SHIFT = 4,     /* first of two bits for L1's gpc_token */
    GPCI_MARK_PASSES = 0x40,       /* the read bypasses L1; in a tree: the bypass is counted when the access ends */
    GPCI_MARK_GENERATION_SHIFT = 7 /* one bit: gpci_fences.generation when the read was sent */
};

/* A line of a warp access: at L1, and in packets sent by L1. */
typedef struct gpci_packet_line {
    uint32_t inflight; /* in-flight access of the line; or UINT32_MAX */
    union {
        uint32_t mshr_target; /* sent by L1's MSHR: the waiting packet */
        uint32_t record;      /* with GPCI_PACKET_PART: number in gpci_engine.lines */
        struct {
            uint16_t requester, target; /* bulk load: numbers of SMs, counted from 1 (timed/l1/multicast.h); or 0 */
        };
    };
    uint8_t missed; /* segments missing in L1 */
    /*
     * Sent by an MSHR entry: wanted sectors of the controller's line; in a tree's L1: sectors of the line asked for by
     * the instruction (gpci_transaction.asks).
     */
    uint8_t fetched;
    uint8_t marks; /* sent by L1: GPCI_MARK_ */
    uint8_t kind;  /* gpc_kind of the access; `request.kind` may differ later */
} gpci_packet_line;

/* A message or a memory access of a tree's protocol engine. */
typedef struct gpci_packet_message {
    uint32_t task;   /* task that continues when the message has arrived, or the memory access is done */
    uint32_t module; /* destination */
    uint16_t from;   /* sending module; for an L1 the SM */
    uint8_t step, kind;
} gpci_packet_message;

/* Before L1's tags. */
typedef struct gpci_packet_tags {
    uint64_t number; /* number of the transaction in the reorder buffer, counted from 1 */
} gpci_packet_tags;

/*
 * At an MSHR entry. The first packet is the leader; the leader's number names the entry (`mshr_entry`). The other
 * packets are targets (`mshr_target`).
 */
typedef struct gpci_packet_mshr {
    /* leader only: */
    uint32_t chain;       /* leader of the next entry in the hash bucket, or behind the row */
    uint32_t first, last; /* other waiting packets, linked through the pool */
    uint32_t count;       /* waiting packets, with the leader */
    union {
        uint32_t access; /* coherent L1: the engine's access that brings the line */
        uint32_t slot;   /* cache slot of the reserved line; or UINT32_MAX */
    };
    uint8_t full_sectors;   /* segments of the controller's line in flight, in whole sectors */
    uint8_t other_segments; /* other segments in flight, for packets that bypass the cache */
    bool remote;            /* the line's home is the other partition */
    bool done;              /* the leader has the data, and stays because other packets wait */
    /* Segments in flight that the home slice may have changed since: not kept, and no later packet joins for them. */
    uint8_t outdated;
    union {
        bool left;     /* coherent L1: the store or atomic is on the way below, and has given its MSHR entry back */
        bool replaced; /* with l1.allocate = replaceable: the line is replaced; no packet joins, no data are kept */
    };
    bool ordered; /* coherent L1, leader: packets that wait must return to the tags; target: returns to the tags */
    /* every waiting packet: */
    uint8_t needs;  /* segments of the controller's line needed for release */
    bool cached;    /* the controller is to keep the data */
    bool no_token;  /* the warp has no cache token of this level */
    uint16_t entry; /* leader only, with l1.allocate = replaceable: number among the line's entries */
} gpci_packet_mshr;

/* On the way between controllers, and to memory and back. */
typedef struct gpci_packet_path {
    union {
        uint64_t entered; /* in a network: core cycle of entry */
        uint64_t host_id; /* in the host's memory: number of the transfer; 0: answered */
    };
    union {
        uint32_t size; /* bytes on the current or next network, with header */
        uint32_t with; /* tree's memory access, with GPCI_PACKET_BUNDLE: next memory access of the bundle */
    };
    uint16_t from, to; /* input and output port of the network */
    union {
        uint64_t local;          /* memory: address within the channel */
        uint64_t inner;          /* from L1 to the tags of the slice: address within the slice */
        uint32_t next_of_bundle; /* tree's message, with GPCI_PACKET_BUNDLE: next message of the bundle */
    };
    uint16_t channel; /* memory: channel */
    uint16_t slice;   /* memory: L2 slice that sent the packet, numbered over both partitions */
    uint8_t bursts;   /* memory: bursts in flight */
    uint8_t taken;    /* bit per burst (host's memory: per segment) accepted by the channel */
} gpci_packet_path;

/*
 * Identity of a packet in the event log (timed/core/event_log.h): numbers, from 1. The pool keeps labels beside the
 * packets while an event log exists.
 */
typedef struct gpci_packet_label {
    uint64_t id;     /* event id of the packet; 0: not traced */
    uint64_t parent; /* event id of the packet that caused the packet; or 0 */
    uint64_t origin; /* event id of the access; or 0 */
    uint64_t serial; /* gpci_line_clock.serial of the line's clock, place `clock` (timed/core/stage_times.h); or 0 */
    uint32_t clock;
    uint8_t kind; /* gpc_kind of the access */
    uint8_t port; /* the access is a request of this port, counted from 1 (port.h); 0: of an SM */
} gpci_packet_label;

#define GPCI_ASKED_BYTES 96u /* holds all fields of a gpc_request */

/*
 * One transaction of a line on the way through the timed hierarchy, in one queue at a time. Three full cache lines;
 * fields used by networks and MSHRs come first.
 *
 * A packet has either `line` or `message`, always the same. The other union changes with the packet's place: before the
 * tags (`tags`), at an MSHR entry (`mshr`), or on the way (`path`). Fields of the former place are lost.
 *
 * Example, a load that misses L1 and L2: `tags`; a copy stays at L1's MSHR entry (`mshr`), the load crosses the network
 * (`path`) and waits at L2's MSHR entry (`mshr`), and L2's fetch goes to memory (`path`). The load returns (`path`),
 * `line.mshr_target` is the copy, and the in-flight access `line.inflight` waits for one line less.
 */
typedef struct gpci_packet {
    uint64_t address; /* address of the line, as seen by the host */
    union {
        gpci_packet_line line;
        gpci_packet_message message;
    };
    uint8_t segments; /* 32-byte segments asked for or brought */
    uint8_t level;    /* deepest level that served the packet */
    uint8_t type;     /* gpci_packet_type */
    uint8_t flags;    /* GPCI_PACKET_ */
    union {
        gpci_packet_tags tags;
        gpci_packet_mshr mshr;
        gpci_packet_path path;
    };
    union {
        uint64_t born; /* core cycle of the miss in L1 */
        struct {
            uint32_t next; /* with GPCI_PACKET_TARGET: in place of gpci_packet_link.next */
            uint32_t sent; /* in an L1's MSHR entry: core cycle of the earliest read in flight, lower bits */
        };
        uint64_t inner; /* tree's memory access: line, within the slice */
    };
    union {
        gpc_request request; /* address: of an L1 line (from L2 on: of the slice's line) */
        struct {             /* in reserved bytes of a request: gpci_shown hides them from a host's policies */
            uint8_t asked[GPCI_ASKED_BYTES];
            uint64_t bytes[2];  /* bytes of the line written by a store */
            uint32_t label;     /* index in gpci_pool.labels; 0: no label; undefined without an event log */
            uint32_t next_copy; /* multicast copy: timed/l1/multicast.h */
            union {
                uint16_t turns; /* atomic: turns of L2's atomic unit, if limited */
                uint16_t entry; /* sent by an MSHR entry: gpci_packet_mshr.entry */
            };
            uint8_t priority; /* priority of L1's line; L2 may change `request.priority` */
            uint8_t reserved;
            uint16_t slice; /* in a cache beside memory: as gpci_packet_path.slice */
            uint8_t rest[2];
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
    GPCI_REPLY = 3,  /* on the way back */
} gpci_packet_type;

/*
 * Place of a packet in a queue. Queues and networks touch only the links of packets that do not have their turn yet:
 * the packets have long left the processor's caches, and four links fill a cache line of the processor.
 */
typedef struct gpci_packet_link {
    uint64_t due;   /* core cycle from which the packet may leave the queue; GPCI_NEVER: started towards memory */
    uint32_t next;  /* next packet in the queue or list */
    uint16_t to;    /* in a network: output */
    uint16_t flits; /* in a network: cycles on a link, if fewer than GPCI_MANY_FLITS */
} gpci_packet_link;

#define GPCI_MANY_FLITS UINT16_MAX

/* Packets by number, in chunks that never move. */
#define GPCI_POOL_CHUNK_BITS 10
#define GPCI_POOL_CHUNK (1u << GPCI_POOL_CHUNK_BITS)

/*
 * Most packets in flight are waiters at an MSHR entry of L1, and have only a first cache line. Numbers of waiters, read
 * as signed, are below 0. Waiters lie in chunks, but GPCI_POOL_SHARERS chunks share the memory of a whole chunk,
 * shifted by a cache line: so packets of any kind are found by the same two steps.
 *
 *  chunk -1   |0    |1    |2    ...    the last place of each stays free: -1 is no number
 *  chunk -2   | |0    |1    |2
 *  chunk -3   |   |0    |1    |2
 *
 * A tree's messages have only a first cache line, too, but stand in queues, and need links: numbers of
 * GPCI_POOL_SHARERS chunks of messages, sharing memory in the same way, follow the numbers of every chunk of whole
 * packets.
 */
#define GPCI_POOL_SHARERS 3u
#define GPCI_POOL_WAITERS (GPCI_POOL_SHARERS * (GPCI_POOL_CHUNK - 1)) /* in the memory of a chunk */
#define GPCI_POOL_MESSAGES (GPCI_POOL_SHARERS * GPCI_POOL_CHUNK)      /* in the memory of a chunk */
#define GPCI_POOL_PERIOD (GPCI_POOL_CHUNK + GPCI_POOL_MESSAGES)       /* numbers of a chunk and the messages behind */

typedef struct gpci_pool {
    gpc_context *context;
    /* [-waiter_groups * GPCI_POOL_SHARERS to chunk_count * period], each at the start of a cache line */
    gpci_packet **chunks;
    gpci_packet_link *links;   /* [chunk_count * period * GPCI_POOL_CHUNK]: without waiters */
    gpci_packet_label *labels; /* [1 + chunk_capacity * GPCI_POOL_CHUNK] by place, from 1; [0] is all zero; or NULL */
    uint32_t chunk_count, chunk_capacity; /* of whole packets */
    /* chunks of numbers per chunk of whole packets: 1; with messages GPCI_POOL_PERIOD / GPCI_POOL_CHUNK */
    uint32_t period;
    uint32_t waiter_groups;
    uint32_t stride; /* numbers skipped between two chunks: of other shards (shards.h), or of messages */
    /* state */
    uint32_t message_fresh, message_free, message_live;
    uint32_t waiter_fresh; /* waiters used so far */
    uint32_t waiter_free;  /* list of free waiters */
    uint32_t fresh;        /* first number never used */
    uint32_t free;         /* list of free whole packets, most recently used first */
    uint32_t live;         /* whole packets in use; waiters need no count: each belongs to another packet in flight */
} gpci_pool;

void gpci_pool_init(gpci_pool *pool, gpc_context *context);
/* Prepare an initialised, still unused pool for messages. */
void gpci_pool_expect_messages(gpci_pool *pool);
void gpci_pool_destroy(gpci_pool *pool);
gpc_status gpci_pool_grow(gpci_pool *pool, uint64_t packets);
/* Make room for `waiters` waiters in all, including used waiters. GPC_ERROR_MEMORY. */
gpc_status gpci_pool_grow_waiters(gpci_pool *pool, uint32_t waiters);
/*
 * If `kept`, keep labels from now on: existing labels stay, and packets without a label have label 0. If not `kept`,
 * free the labels. GPC_ERROR_MEMORY.
 */
gpc_status gpci_pool_keep_labels(gpci_pool *pool, bool kept);
/* Pass all labels to `visit`, for a snapshot. Labels must be kept. */
void gpci_pool_labels_state(gpci_pool *pool, gpci_state_fn visit, void *user_data);
/* Ensure that a number of further messages can be taken. GPC_ERROR_MEMORY. */
gpc_status gpci_pool_grow_messages(gpci_pool *pool, uint32_t messages);
void gpci_pool_state(gpci_pool *pool, gpci_state_fn visit, void *user_data);
/* Ensure that `packets` more can be taken without failing. GPC_ERROR_MEMORY. */
GPCI_INLINE gpc_status gpci_pool_reserve(gpci_pool *pool, uint64_t packets) {
    uint64_t capacity = (uint64_t)pool->chunk_count * GPCI_POOL_CHUNK;
    return pool->live + packets <= capacity ? GPC_OK : gpci_pool_grow(pool, packets);
}

GPCI_INLINE gpc_status gpci_pool_reserve_messages(gpci_pool *pool, uint32_t messages) {
    const uint64_t capacity = (uint64_t)pool->chunk_count * GPCI_POOL_MESSAGES;
    return pool->message_live + (uint64_t)messages <= capacity ? GPC_OK : gpci_pool_grow_messages(pool, messages);
}

/*
 * Make room for a few waiters, if memory allows. Without room, gpci_pool_take_target returns GPCI_NO_PACKET, and the
 * caller uses a whole packet.
 */
GPCI_INLINE void gpci_pool_expect_waiters(gpci_pool *pool) {
    if (GPCI_UNLIKELY(pool->waiter_fresh + GPCI_POOL_CHUNK / 4 > pool->waiter_groups * GPCI_POOL_WAITERS))
        (void)gpci_pool_grow_waiters(pool, pool->waiter_fresh + GPCI_POOL_CHUNK / 4);
}

GPCI_INLINE gpci_packet *gpci_packet_at(const gpci_pool *pool, uint32_t packet) {
    return &pool->chunks[(int32_t)packet >> GPCI_POOL_CHUNK_BITS][packet % GPCI_POOL_CHUNK];
}

/* Packets in flight, without waiters. */
GPCI_INLINE uint32_t gpci_pool_live(const gpci_pool *pool) {
    return pool->live + pool->message_live;
}

/* Index of a whole packet in arrays by packet: the packet's number, if numbers of messages are left out. */
GPCI_INLINE uint32_t gpci_pool_place(const gpci_pool *pool, uint32_t packet) {
    return pool->period == 1
               ? packet
               : packet / GPCI_POOL_PERIOD * GPCI_POOL_CHUNK + packet % GPCI_POOL_PERIOD % GPCI_POOL_CHUNK;
}

/* Label of a packet, while labels are kept. A copied packet shares the label of the original until gpci_label_take. */
GPCI_INLINE gpci_packet_label *gpci_label_of(const gpci_pool *pool, const gpci_packet *packet) {
    return &pool->labels[packet->label];
}

/* The same for reading. Waiters and a tree's messages left before the event log was set and have no label. */
GPCI_INLINE const gpci_packet_label *gpci_label_at(const gpci_pool *pool, const gpci_packet *packet) {
    return packet->flags & GPCI_PACKET_TARGET ? pool->labels : gpci_label_of(pool, packet);
}

/* Give a whole packet a separate label, with undefined contents. */
GPCI_INLINE gpci_packet_label *gpci_label_take(const gpci_pool *pool, uint32_t packet) {
    gpci_packet *pkt = gpci_packet_at(pool, packet);
    pkt->label = gpci_pool_place(pool, packet) + 1;
    return gpci_label_of(pool, pkt);
}

/* True if `packet` is the number of a whole packet that was taken before. */
GPCI_INLINE bool gpci_pool_is_packet(const gpci_pool *pool, uint32_t packet) {
    return packet < pool->fresh && packet / GPCI_POOL_CHUNK % pool->period == 0;
}

/* Link to the next packet of a list. For waiters the link is in the packet, for all other packets in links[packet]. */
GPCI_INLINE uint32_t *gpci_next_of(const gpci_pool *pool, uint32_t packet) {
    return (int32_t)packet < 0 ? &gpci_packet_at(pool, packet)->next : &pool->links[packet].next;
}

/* Prefetch the link of a packet, if any, into the CPU's cache. Affects only the simulator's speed. */
GPCI_INLINE void gpci_sw_prefetch_link(const gpci_pool *pool, uint32_t packet) {
    if (packet != GPCI_NO_PACKET)
        GPCI_PREFETCH(&pool->links[packet]);
}

/*
 * Take a packet (below: a waiter, a message) that was never used. The packet is zeroed: a snapshot contains all bytes,
 * also of fields that the kind of packet does not use, and must not contain old memory.
 */
static GPCI_NOINLINE uint32_t gpci_pool_take_fresh(gpci_pool *pool) {
    const uint32_t packet = pool->fresh++;
    if (!(pool->fresh % GPCI_POOL_CHUNK))
        pool->fresh += pool->stride;
    memset(gpci_packet_at(pool, packet), 0, sizeof(gpci_packet));
    GPCI_POISON(gpci_packet_at(pool, packet), sizeof(gpci_packet));
    memset(&pool->links[packet], 0, sizeof *pool->links);
    return packet;
}

/*
 * Clear a packet that has only the first cache line. The packets of GPCI_POOL_SHARERS chunks share a place; the first
 * packet taken at a place clears the whole place, because a snapshot contains all bytes.
 */
GPCI_INLINE void gpci_pool_clear_sharer(const gpci_pool *pool, uint32_t packet, uint32_t at) {
    memset(gpci_packet_at(pool, packet), 0,
           at % GPCI_POOL_SHARERS ? offsetof(gpci_packet, request) : sizeof(gpci_packet));
    GPCI_POISON(gpci_packet_at(pool, packet), offsetof(gpci_packet, request));
}

static GPCI_NOINLINE uint32_t gpci_pool_take_fresh_waiter(gpci_pool *pool) {
    const uint32_t fresh = pool->waiter_fresh, group = fresh / GPCI_POOL_WAITERS, at = fresh % GPCI_POOL_WAITERS;
    if (group >= pool->waiter_groups)
        return GPCI_NO_PACKET;
    pool->waiter_fresh++;
    const uint32_t chunk = group * GPCI_POOL_SHARERS + at % GPCI_POOL_SHARERS + 1,
                   packet = at / GPCI_POOL_SHARERS - chunk * GPCI_POOL_CHUNK;
    gpci_pool_clear_sharer(pool, packet, at);
    return packet;
}

uint32_t gpci_pool_take_fresh_message(gpci_pool *pool);

/* Take a packet with undefined fields, and a link due at once. Reserve first. */
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

/* Take a waiter; or GPCI_NO_PACKET. */
GPCI_INLINE uint32_t gpci_pool_take_target(gpci_pool *pool) {
    const uint32_t packet = pool->waiter_free;
    if (GPCI_LIKELY(packet != GPCI_NO_PACKET)) {
        pool->waiter_free = gpci_packet_at(pool, packet)->next;
        return packet;
    }
    return gpci_pool_take_fresh_waiter(pool);
}

/* Take a message, as gpci_pool_take; GPCI_PACKET_MESSAGE stays set. */
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

/* First in, first out, with occupancy over time. */
typedef struct gpci_queue {
    uint32_t first, last;
    uint32_t count;
    uint32_t capacity; /* largest count; or GPCI_UNLIMITED */
    gpci_gauge gauge;
} gpci_queue;

/* A queue of length 0 still holds one packet, in the latch of the controller. */
GPCI_INLINE void gpci_queue_init(gpci_queue *queue, uint64_t capacity) {
    *queue = (gpci_queue){.first = GPCI_NO_PACKET, .last = GPCI_NO_PACKET};
    queue->capacity = capacity >= GPCI_UNLIMITED ? GPCI_UNLIMITED : capacity ? (uint32_t)capacity : 1;
}

GPCI_INLINE bool gpci_queue_full(const gpci_queue *queue) {
    return queue->count >= queue->capacity;
}

/* Append one of several packets entering in this cycle; call gpci_queue_pushed after the last. */
GPCI_INLINE void gpci_queue_append(gpci_queue *queue, const gpci_pool *pool, uint64_t now, uint32_t packet) {
    gpci_gauge_come(&queue->gauge, now, 1);
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
    gpci_queue_append(queue, pool, now, packet);
    gpci_queue_pushed(queue, pool, now);
}

/* Insert `packet` behind packet `before` of the queue; if `before` is GPCI_NO_PACKET, as first of the queue. */
GPCI_INLINE void gpci_queue_insert(gpci_queue *queue, const gpci_pool *pool, uint64_t now, uint32_t before,
                                   uint32_t packet) {
    if (before == GPCI_NO_PACKET ? !queue->count : before == queue->last) {
        gpci_queue_push(queue, pool, now, packet);
        return;
    }
    uint32_t *next = before == GPCI_NO_PACKET ? &queue->first : &pool->links[before].next;
    pool->links[packet].next = *next;
    *next = packet;
    gpci_gauge_come(&queue->gauge, now, 1);
    gpci_gauge_set(&queue->gauge, now, ++queue->count);
}

/* Remove the first packet; must exist. */
GPCI_INLINE uint32_t gpci_queue_pop(gpci_queue *queue, const gpci_pool *pool, uint64_t now) {
    uint32_t packet = queue->first;
    queue->first = pool->links[packet].next;
    gpci_gauge_go(&queue->gauge, now, 1);
    gpci_gauge_set(&queue->gauge, now, --queue->count);
    return packet;
}

#endif
