/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/packet.h"

#include "base/array.h"

#include <string.h>

_Static_assert(sizeof(gpci_packet) == GPCI_POOL_SHARERS * offsetof(gpci_packet, request),
               "waiters share a packet's room");

void gpci_pool_init(gpci_pool *pool, gpc_context *context) {
    *pool = (gpci_pool){.context = context, .free = GPCI_NO_PACKET, .waiter_free = GPCI_NO_PACKET};
}

/* A chunk begins on a cache line of its block; what was allocated stands before it. */
static void **block_of(gpci_packet *chunk) {
    return (void **)(void *)chunk - 1;
}

static gpci_packet *make_chunk(gpc_context *context) {
    const size_t line = 64;
    /* untouched, and so without pages, until a packet is taken */
    char *block = gpci_alloc(context, sizeof(gpci_packet) * GPCI_POOL_CHUNK + 2 * line);
    if (!block)
        return NULL;
    gpci_packet *chunk = (gpci_packet *)(void *)(block + 2 * line - (uintptr_t)block % line);
    *block_of(chunk) = block;
    return chunk;
}

/* Chunks of those that only wait. */
static size_t below(const gpci_pool *pool) {
    return (size_t)pool->waiter_groups * GPCI_POOL_SHARERS;
}

static gpci_packet *group_at(const gpci_pool *pool, uint32_t group) {
    return pool->chunks[-(ptrdiff_t)group * (ptrdiff_t)GPCI_POOL_SHARERS - 1];
}

void gpci_pool_destroy(gpci_pool *pool) {
    if (!pool->context)
        return;
    for (uint32_t i = 0; i < pool->chunk_count; i++)
        gpci_free(pool->context, *block_of(pool->chunks[i]));
    for (uint32_t i = 0; i < pool->waiter_groups; i++)
        gpci_free(pool->context, *block_of(group_at(pool, i)));
    if (pool->chunks)
        gpci_free(pool->context, pool->chunks - below(pool));
    gpci_free(pool->context, pool->links);
    gpci_pool_init(pool, NULL);
}

/* Room for the addresses of a group more, before those that there are. */
static gpc_status move_up(gpci_pool *pool) {
    const size_t had = below(pool), first = had + GPCI_POOL_SHARERS;
    gpci_packet **chunks = gpci_alloc(pool->context, (first + pool->chunk_room) * sizeof *chunks);
    if (!chunks)
        return GPC_ERROR_MEMORY;
    if (pool->chunks) {
        memcpy(chunks + GPCI_POOL_SHARERS, pool->chunks - had, (had + pool->chunk_count) * sizeof *chunks);
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
        *--chunk = (gpci_packet *)(void *)((char *)shared + i * offsetof(gpci_packet, request));
    return GPC_OK;
}

gpc_status gpci_pool_grow_waiters(gpci_pool *pool, uint32_t waiters) {
    gpc_status status = GPC_OK;
    while (status == GPC_OK && (uint64_t)pool->waiter_groups * GPCI_POOL_WAITERS < waiters)
        status = add_waiters(pool);
    return status;
}

/* Room for the addresses of more chunks. */
static gpc_status widen(gpci_pool *pool) {
    const size_t first = below(pool);
    size_t room = gpci_array_larger(pool->chunk_room, pool->chunk_count, 1, sizeof *pool->links * GPCI_POOL_CHUNK);
    gpci_packet **chunks = pool->chunks ? pool->chunks - first : NULL;
    chunks = room ? gpci_resize(pool->context, chunks, first + room, sizeof *chunks) : NULL;
    if (!chunks)
        return GPC_ERROR_MEMORY;
    pool->chunks = chunks + first;
    gpci_packet_link *links = gpci_resize(pool->context, pool->links, room * GPCI_POOL_CHUNK, sizeof *links);
    if (!links)
        return GPC_ERROR_MEMORY;
    pool->links = links;
    pool->chunk_room = (uint32_t)room;
    return GPC_OK;
}

gpc_status gpci_pool_grow(gpci_pool *pool, uint64_t packets) {
    uint64_t needed = (pool->live + packets + GPCI_POOL_CHUNK - 1) / GPCI_POOL_CHUNK;
    while (pool->chunk_count < needed) {
        if (pool->chunk_count == pool->chunk_room && widen(pool) < 0)
            return GPC_ERROR_MEMORY;
        gpci_packet *chunk = make_chunk(pool->context);
        if (!chunk)
            return GPC_ERROR_MEMORY;
        pool->chunks[pool->chunk_count++] = chunk;
    }
    return GPC_OK;
}

uint32_t gpci_pool_take_fresh(gpci_pool *pool) {
    const uint32_t packet = pool->fresh++;
    if (!(pool->fresh % GPCI_POOL_CHUNK))
        pool->fresh += pool->stride;
    memset(gpci_packet_at(pool, packet), 0, sizeof(gpci_packet));
    memset(&pool->links[packet], 0, sizeof *pool->links);
    return packet;
}

uint32_t gpci_pool_take_fresh_waiter(gpci_pool *pool) {
    const uint32_t fresh = pool->waiter_fresh, group = fresh / GPCI_POOL_WAITERS, at = fresh % GPCI_POOL_WAITERS;
    if (group >= pool->waiter_groups)
        return GPCI_NO_PACKET;
    pool->waiter_fresh++;
    const uint32_t chunk = group * GPCI_POOL_SHARERS + at % GPCI_POOL_SHARERS + 1,
                   packet = at / GPCI_POOL_SHARERS - chunk * GPCI_POOL_CHUNK;
    memset(gpci_packet_at(pool, packet), 0, offsetof(gpci_packet, request));
    return packet;
}

/* Those that only wait: their memory as far as it is used. */
static void waiters_state(gpci_pool *pool, gpci_state_fn visit, void *user_data) {
    visit(user_data, &pool->waiter_fresh, sizeof pool->waiter_fresh);
    visit(user_data, &pool->waiter_free, sizeof pool->waiter_free);
    for (uint32_t first = 0, group = 0; first < pool->waiter_fresh; first += GPCI_POOL_WAITERS, group++) {
        const uint32_t left = pool->waiter_fresh - first, used = left < GPCI_POOL_WAITERS ? left : GPCI_POOL_WAITERS;
        const uint32_t packets = (used + GPCI_POOL_SHARERS - 1) / GPCI_POOL_SHARERS;
        visit(user_data, group_at(pool, group), packets * sizeof(gpci_packet));
    }
}

void gpci_pool_state(gpci_pool *pool, gpci_state_fn visit, void *user_data) {
    visit(user_data, &pool->fresh, sizeof pool->fresh);
    visit(user_data, &pool->free, sizeof pool->free);
    visit(user_data, &pool->live, sizeof pool->live);
    visit(user_data, pool->links, pool->fresh * sizeof *pool->links);
    for (uint32_t first = 0; first < pool->fresh; first += GPCI_POOL_CHUNK) {
        uint32_t left = pool->fresh - first, packets = left < GPCI_POOL_CHUNK ? left : GPCI_POOL_CHUNK;
        visit(user_data, pool->chunks[first / GPCI_POOL_CHUNK], packets * sizeof(gpci_packet));
    }
    waiters_state(pool, visit, user_data);
}
