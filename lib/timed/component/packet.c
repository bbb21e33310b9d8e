/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/component/packet.h"

#include "base/array.h"

#include <string.h>

_Static_assert(sizeof(gpci_packet) == GPCI_POOL_SHARERS * offsetof(gpci_packet, request),
               "waiters share a packet's room");

void gpci_pool_init(gpci_pool *pool, gpc_context *context) {
    *pool = (gpci_pool){.context = context,
                        .period = 1,
                        .free = GPCI_NO_PACKET,
                        .waiter_free = GPCI_NO_PACKET,
                        .message_free = GPCI_NO_PACKET};
}

void gpci_pool_expect_messages(gpci_pool *pool) {
    pool->period = GPCI_POOL_PERIOD / GPCI_POOL_CHUNK;
    pool->stride = GPCI_POOL_MESSAGES;
}

/* A chunk begins on a cache line of the block; the block's address stands before the chunk. */
static void **block_of(gpci_packet *chunk) {
    return (void **)(void *)chunk - 1;
}

static gpci_packet *make_chunk(gpc_context *context) {
    const size_t line = 64;
    /* the memory is not touched now: the system gives pages when packets are taken */
    char *block = gpci_alloc(context, sizeof(gpci_packet) * GPCI_POOL_CHUNK + 2 * line);
    if (!block)
        return NULL;
    gpci_packet *chunk = (gpci_packet *)(void *)(block + 2 * line - (uintptr_t)block % line);
    *block_of(chunk) = block;
    return chunk;
}

/* Chunk i of a shared block. */
static gpci_packet *sharer_of(gpci_packet *shared, size_t i) {
    return (gpci_packet *)(void *)((char *)shared + i * offsetof(gpci_packet, request));
}

/* Number of chunks of waiters. */
static size_t below(const gpci_pool *pool) {
    return (size_t)pool->waiter_groups * GPCI_POOL_SHARERS;
}

static gpci_packet *group_at(const gpci_pool *pool, uint32_t group) {
    return pool->chunks[-(ptrdiff_t)group * (ptrdiff_t)GPCI_POOL_SHARERS - 1];
}

static size_t links_bytes(const gpci_pool *pool, uint32_t chunks) {
    return (size_t)chunks * pool->period * GPCI_POOL_CHUNK * sizeof *pool->links;
}

void gpci_pool_destroy(gpci_pool *pool) {
    if (!pool->context)
        return;
    for (uint32_t i = 0; i < pool->chunk_count * pool->period; i++)
        if (i % pool->period < 2) /* chunks of messages share a block */
            gpci_free(pool->context, *block_of(pool->chunks[i]));
    for (uint32_t i = 0; i < pool->waiter_groups; i++)
        gpci_free(pool->context, *block_of(group_at(pool, i)));
    if (pool->chunks)
        gpci_free(pool->context, pool->chunks - below(pool));
    gpci_array_free(pool->context, pool->links, links_bytes(pool, pool->chunk_capacity));
    gpci_free(pool->context, pool->labels);
    gpci_pool_init(pool, NULL);
}

/* Make room for the addresses of another group of waiters' chunks, before the existing addresses. */
static gpc_status move_up(gpci_pool *pool) {
    const size_t had = below(pool), first = had + GPCI_POOL_SHARERS;
    gpci_packet **chunks = gpci_alloc(pool->context, (first + pool->chunk_capacity * pool->period) * sizeof *chunks);
    if (!chunks)
        return GPC_ERROR_MEMORY;
    if (pool->chunks) {
        memcpy(chunks + GPCI_POOL_SHARERS, pool->chunks - had,
               (had + pool->chunk_count * pool->period) * sizeof *chunks);
        gpci_free(pool->context, pool->chunks - had);
    }
    pool->chunks = chunks + first;
    pool->waiter_groups++;
    return GPC_OK;
}

static gpc_status add_waiters(gpci_pool *pool) {
    const uint32_t group = pool->waiter_groups;
    if (group > INT32_MAX / GPCI_POOL_CHUNK / GPCI_POOL_SHARERS - 1)
        return GPC_ERROR_MEMORY;
    gpci_packet *shared = make_chunk(pool->context);
    gpc_status status = shared ? move_up(pool) : GPC_ERROR_MEMORY;
    if (status < 0) {
        if (shared)
            gpci_free(pool->context, *block_of(shared));
        return status;
    }
    gpci_packet **chunk = pool->chunks - (size_t)group * GPCI_POOL_SHARERS;
    for (size_t i = 0; i < GPCI_POOL_SHARERS; i++)
        *--chunk = sharer_of(shared, i);
    return GPC_OK;
}

gpc_status gpci_pool_grow_waiters(gpci_pool *pool, uint32_t waiters) {
    gpc_status status = GPC_OK;
    while (status == GPC_OK && (uint64_t)pool->waiter_groups * GPCI_POOL_WAITERS < waiters)
        status = add_waiters(pool);
    return status;
}

/* Make labels for a number of chunks. Snapshots contain all labels: clear new labels. */
static gpc_status make_labels(gpci_pool *pool, size_t chunks) {
    const size_t before = pool->labels ? 1 + (size_t)pool->chunk_capacity * GPCI_POOL_CHUNK : 0,
                 count = 1 + chunks * GPCI_POOL_CHUNK;
    gpci_packet_label *labels = gpci_resize(pool->context, pool->labels, count, sizeof *labels);
    if (!labels)
        return GPC_ERROR_MEMORY;
    memset(labels + before, 0, (count - before) * sizeof *labels);
    pool->labels = labels;
    return GPC_OK;
}

gpc_status gpci_pool_keep_labels(gpci_pool *pool, bool kept) {
    if (!kept) {
        gpci_free(pool->context, pool->labels);
        pool->labels = NULL;
    }
    if (!kept || pool->labels)
        return GPC_OK;
    const gpc_status status = make_labels(pool, pool->chunk_capacity);
    for (uint32_t i = 0; status == GPC_OK && i < pool->chunk_count * GPCI_POOL_CHUNK; i++)
        pool->chunks[(size_t)(i / GPCI_POOL_CHUNK) * pool->period][i % GPCI_POOL_CHUNK].label = 0;
    return status;
}

void gpci_pool_labels_state(gpci_pool *pool, gpci_state_fn visit, void *user_data) {
    visit(user_data, pool->labels, (1 + (size_t)gpci_pool_place(pool, pool->fresh)) * sizeof *pool->labels);
}

/* Make room for the addresses of more chunks. */
static gpc_status widen(gpci_pool *pool) {
    const size_t first = below(pool);
    const size_t each = (size_t)pool->period * GPCI_POOL_CHUNK;
    size_t capacity = gpci_array_larger(pool->chunk_capacity, pool->chunk_count, 1, sizeof *pool->links * each);
    gpci_packet **chunks = pool->chunks ? pool->chunks - first : NULL;
    chunks = capacity ? gpci_resize(pool->context, chunks, first + capacity * pool->period, sizeof *chunks) : NULL;
    if (!chunks)
        return GPC_ERROR_MEMORY;
    pool->chunks = chunks + first;
    if (pool->labels && make_labels(pool, capacity) < 0)
        return GPC_ERROR_MEMORY;
    gpci_packet_link *links = gpci_array_enlarge(pool->context, pool->links, links_bytes(pool, pool->chunk_capacity),
                                                 links_bytes(pool, (uint32_t)capacity));
    if (!links)
        return GPC_ERROR_MEMORY;
    pool->links = links;
    pool->chunk_capacity = (uint32_t)capacity;
    return GPC_OK;
}

/* Add a chunk of whole packets, with chunks of messages behind. */
static gpc_status add_chunk(gpci_pool *pool) {
    if (pool->chunk_count == pool->chunk_capacity && widen(pool) < 0)
        return GPC_ERROR_MEMORY;
    gpci_packet **chunk = pool->chunks + (size_t)pool->chunk_count * pool->period;
    if (!(*chunk = make_chunk(pool->context)))
        return GPC_ERROR_MEMORY;
    gpci_packet *shared = pool->period == 1 ? NULL : make_chunk(pool->context);
    if (pool->period > 1 && !shared) {
        gpci_free(pool->context, *block_of(*chunk));
        return GPC_ERROR_MEMORY;
    }
    for (uint32_t i = 1; i < pool->period; i++)
        chunk[i] = sharer_of(shared, i - 1);
    pool->chunk_count++;
    return GPC_OK;
}

/* Grow to `needed` chunks of whole packets. */
static gpc_status grow_to(gpci_pool *pool, uint64_t needed) {
    if (needed > UINT32_MAX / GPCI_POOL_PERIOD)
        return GPC_ERROR_MEMORY;
    gpc_status status = GPC_OK;
    while (status == GPC_OK && pool->chunk_count < needed)
        status = add_chunk(pool);
    return status;
}

gpc_status gpci_pool_grow(gpci_pool *pool, uint64_t packets) {
    return grow_to(pool, (pool->live + packets + GPCI_POOL_CHUNK - 1) / GPCI_POOL_CHUNK);
}

gpc_status gpci_pool_grow_messages(gpci_pool *pool, uint32_t messages) {
    return grow_to(pool, (pool->message_live + (uint64_t)messages + GPCI_POOL_MESSAGES - 1) / GPCI_POOL_MESSAGES);
}

/* Consecutive messages take places in the chunks of a group in turn, so messages in flight lie together in memory. */
uint32_t gpci_pool_take_fresh_message(gpci_pool *pool) {
    const uint32_t fresh = pool->message_fresh++, at = fresh % GPCI_POOL_MESSAGES;
    const uint32_t packet = fresh / GPCI_POOL_MESSAGES * GPCI_POOL_PERIOD +
                            (1 + at % GPCI_POOL_SHARERS) * GPCI_POOL_CHUNK + at / GPCI_POOL_SHARERS;
    gpci_pool_clear_sharer(pool, packet, at);
    memset(&pool->links[packet], 0, sizeof *pool->links);
    return packet;
}

/* Pass the messages, and the links of whole packets and messages, up to the highest used number. */
static void messages_state(gpci_pool *pool, gpci_state_fn visit, void *user_data) {
    for (uint32_t first = 0; first < pool->fresh; first += GPCI_POOL_PERIOD) {
        const uint32_t left = pool->fresh - first, used = left < GPCI_POOL_CHUNK ? left : GPCI_POOL_CHUNK;
        visit(user_data, pool->links + first, used * sizeof *pool->links);
    }
    for (uint32_t first = 0, group = 0; first < pool->message_fresh; first += GPCI_POOL_MESSAGES, group++) {
        const uint32_t left = pool->message_fresh - first, used = left < GPCI_POOL_MESSAGES ? left : GPCI_POOL_MESSAGES;
        const uint32_t packets = (used + GPCI_POOL_SHARERS - 1) / GPCI_POOL_SHARERS, chunk = group * pool->period + 1;
        for (uint32_t i = 0; i < GPCI_POOL_SHARERS; i++)
            visit(user_data, pool->links + (chunk + i) * GPCI_POOL_CHUNK,
                  (used + GPCI_POOL_SHARERS - 1 - i) / GPCI_POOL_SHARERS * sizeof *pool->links);
        visit(user_data, pool->chunks[chunk], packets * sizeof(gpci_packet));
    }
}

/* Pass the memory of waiters, up to the highest used number. */
static void waiters_state(gpci_pool *pool, gpci_state_fn visit, void *user_data) {
    for (uint32_t first = 0, group = 0; first < pool->waiter_fresh; first += GPCI_POOL_WAITERS, group++) {
        const uint32_t left = pool->waiter_fresh - first, used = left < GPCI_POOL_WAITERS ? left : GPCI_POOL_WAITERS;
        const uint32_t packets = (used + GPCI_POOL_SHARERS - 1) / GPCI_POOL_SHARERS;
        visit(user_data, group_at(pool, group), packets * sizeof(gpci_packet));
    }
}

void gpci_pool_state(gpci_pool *pool, gpci_state_fn visit, void *user_data) {
    GPCI_STATE_FROM(visit, user_data, gpci_pool, pool, message_fresh);
    if (pool->period == 1)
        visit(user_data, pool->links, pool->fresh * sizeof *pool->links);
    else
        messages_state(pool, visit, user_data);
    for (uint32_t first = 0; first < pool->fresh; first += pool->period * GPCI_POOL_CHUNK) {
        uint32_t left = pool->fresh - first, packets = left < GPCI_POOL_CHUNK ? left : GPCI_POOL_CHUNK;
        visit(user_data, pool->chunks[first / GPCI_POOL_CHUNK], packets * sizeof(gpci_packet));
    }
    waiters_state(pool, visit, user_data);
}
