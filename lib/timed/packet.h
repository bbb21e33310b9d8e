/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_PACKET_H
#define GPC_TIMED_PACKET_H

#include "base/base.h"
#include "base/clock.h"

#define GPCI_NO_PACKET UINT32_MAX
#define GPCI_UNLIMITED UINT32_MAX

/*
 * One line transaction on its way through the timed hierarchy. It is in one queue
 * at a time. Four cache lines of its own: what queues, networks and MSHRs
 * look at comes first.
 */
typedef struct gpci_packet {
    uint64_t address;       /* of the line, as the host knows it */
    uint64_t due;           /* core cycle at which it goes on, where it is on a delay line */
    uint64_t entered;       /* core cycle at which it entered the present network */
    uint32_t access;        /* warp access that it is part of; UINT32_MAX: of none */
    uint32_t chain;         /* an MSHR entry's leader: the next entry of its hash bucket */
    uint32_t first_waiting; /* likewise: packets that wait with it */
    uint32_t waiting;       /* likewise: how many, itself included; on its way to memory: bursts under way */
    uint32_t leader;        /* sent by L1: who waits for it */
    uint32_t size;          /* bytes on the network at hand, header included */
    uint16_t from, to;      /* input and output port of the network at hand */
    uint16_t slice;         /* L2 slice, over both partitions, that it is for */
    uint8_t segments;       /* 32-byte segments that it asks for or brings */
    uint8_t needs;       /* waiting at an MSHR entry: segments of the stage's line without which it is not released */
    uint8_t whole;       /* an MSHR entry's leader: segments of the stage's line in flight, their sectors whole */
    uint8_t fetched;     /* sent by an MSHR entry: sectors of the stage that it is for */
    uint8_t level;       /* deepest level that served it */
    uint8_t type;        /* gpci_packet_type */
    uint8_t flags;       /* GPCI_PACKET_ */
    uint8_t state;       /* of its owner */
    uint8_t kind;        /* in L1: gpc_kind of the access */
    uint8_t part;        /* an MSHR entry's leader: segments in flight by themselves, for who bypasses the cache */
    gpc_request request; /* its address is that of an L1 line (from L2 on of the slice's) */
    uint64_t bytes[2];   /* that a store writes, of the line */
    uint64_t born;       /* core cycle at which it missed in L1 */
    uint64_t local;      /* before L1's tags: its number in the reorder buffer; to memory: address within the channel */
    uint32_t last_waiting; /* an MSHR entry's leader */
    uint16_t channel;      /* on its way to memory */
    uint8_t marks;         /* sent by L1: GPCI_MARK_ */
    uint8_t reserved[25];
} gpci_packet;

_Static_assert(sizeof(gpci_packet) == 256, "a packet fills its cache lines");

typedef enum gpci_packet_type {
    GPCI_READ = 0,
    GPCI_WRITE = 1,
    GPCI_ATOMIC = 2, /* and reductions */
    GPCI_REPLY = 3,  /* on its way back */
} gpci_packet_type;

/* Packets by number, in chunks that never move. */
#define GPCI_POOL_CHUNK 1024u

typedef struct gpci_pool {
    gpc_context *context;
    gpci_packet **chunks; /* [chunk_count], each at a cache line's begin */
    /*
     * [chunk_count * GPCI_POOL_CHUNK] the packet after each in its queue or list. Apart from them, for a queue's ends
     * are long out of the processor's own caches when they are linked.
     */
    uint32_t *next;
    uint32_t chunk_count, chunk_room;
    uint32_t fresh; /* never used from here on */
    uint32_t free;  /* list, most recently used first */
    uint32_t live;
} gpci_pool;

void gpci_pool_init(gpci_pool *pool, gpc_context *context);
void gpci_pool_destroy(gpci_pool *pool);
gpc_status gpci_pool_grow(gpci_pool *pool, uint64_t packets);
/* Make sure that `packets` more can be taken without fail. GPC_ERROR_MEMORY. */
GPCI_INLINE gpc_status gpci_pool_reserve(gpci_pool *pool, uint64_t packets) {
    uint64_t room = (uint64_t)pool->chunk_count * GPCI_POOL_CHUNK;
    return pool->live + packets <= room ? GPC_OK : gpci_pool_grow(pool, packets);
}

GPCI_INLINE gpci_packet *gpci_packet_at(const gpci_pool *pool, uint32_t packet) {
    return &pool->chunks[packet / GPCI_POOL_CHUNK][packet % GPCI_POOL_CHUNK];
}

/* A packet, its fields undefined. There is one: reserve came before. */
GPCI_INLINE uint32_t gpci_pool_take(gpci_pool *pool) {
    uint32_t packet = pool->free;
    pool->live++;
    if (packet == GPCI_NO_PACKET)
        return pool->fresh++;
    pool->free = pool->next[packet];
    return packet;
}

GPCI_INLINE void gpci_pool_give(gpci_pool *pool, uint32_t packet) {
    pool->next[packet] = pool->free;
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

GPCI_INLINE void gpci_queue_push(gpci_queue *queue, const gpci_pool *pool, uint64_t now, uint32_t packet) {
    pool->next[packet] = GPCI_NO_PACKET;
    if (queue->count)
        pool->next[queue->last] = packet;
    else
        queue->first = packet;
    queue->last = packet;
    gpci_gauge_set(&queue->gauge, now, ++queue->count);
}

/* The first packet leaves; there must be one. */
GPCI_INLINE uint32_t gpci_queue_pop(gpci_queue *queue, const gpci_pool *pool, uint64_t now) {
    uint32_t packet = queue->first;
    queue->first = pool->next[packet];
    gpci_gauge_set(&queue->gauge, now, --queue->count);
    return packet;
}

#endif
