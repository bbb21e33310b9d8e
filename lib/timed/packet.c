/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/packet.h"

#include "base/array.h"

void gpci_pool_init(gpci_pool *pool, gpc_context *context) {
    *pool = (gpci_pool){.context = context, .free = GPCI_NO_PACKET};
}

/* A chunk begins on a cache line of its block; what was allocated stands before it. */
static void **block_of(gpci_packet *chunk) {
    return (void **)(void *)chunk - 1;
}

void gpci_pool_destroy(gpci_pool *pool) {
    if (!pool->context)
        return;
    for (uint32_t i = 0; i < pool->chunk_count; i++)
        gpci_free(pool->context, *block_of(pool->chunks[i]));
    gpci_free(pool->context, pool->chunks);
    gpci_free(pool->context, pool->links);
    *pool = (gpci_pool){.free = GPCI_NO_PACKET};
}

/* Room for the addresses of more chunks. */
static gpc_status widen(gpci_pool *pool) {
    size_t room = gpci_array_larger(pool->chunk_room, pool->chunk_count, 1, sizeof *pool->links * GPCI_POOL_CHUNK);
    gpci_packet **chunks = room ? gpci_resize(pool->context, pool->chunks, room, sizeof *chunks) : NULL;
    if (!chunks)
        return GPC_ERROR_MEMORY;
    pool->chunks = chunks;
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
        const size_t line = 64;
        /* untouched, and so without pages, until a packet is taken */
        char *block = gpci_alloc(pool->context, sizeof(gpci_packet) * GPCI_POOL_CHUNK + 2 * line);
        if (!block)
            return GPC_ERROR_MEMORY;
        gpci_packet *chunk = (gpci_packet *)(void *)(block + 2 * line - (uintptr_t)block % line);
        *block_of(chunk) = block;
        pool->chunks[pool->chunk_count++] = chunk;
    }
    return GPC_OK;
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
}
