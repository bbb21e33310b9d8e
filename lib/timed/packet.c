/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/packet.h"

void gpci_pool_init(gpci_pool *pool, gpc_context *context) {
    *pool = (gpci_pool){.context = context, .free = GPCI_NO_PACKET};
}

void gpci_pool_destroy(gpci_pool *pool) {
    if (!pool->context)
        return;
    for (uint32_t i = 0; i < pool->chunk_count; i++)
        gpci_free(pool->context, pool->blocks[i]);
    gpci_free(pool->context, pool->chunks);
    gpci_free(pool->context, pool->blocks);
    *pool = (gpci_pool){.free = GPCI_NO_PACKET};
}

/* Room for the addresses of twice as many chunks. */
static gpc_status widen(gpci_pool *pool) {
    uint32_t room = pool->chunk_room ? 2 * pool->chunk_room : 16;
    gpci_packet **chunks = gpci_resize(pool->context, pool->chunks, room, sizeof *chunks);
    if (!chunks)
        return GPC_ERROR_MEMORY;
    pool->chunks = chunks;
    void **blocks = gpci_resize(pool->context, pool->blocks, room, sizeof *blocks);
    if (!blocks)
        return GPC_ERROR_MEMORY;
    pool->blocks = blocks;
    pool->chunk_room = room;
    return GPC_OK;
}

gpc_status gpci_pool_grow(gpci_pool *pool, uint64_t packets) {
    uint64_t needed = (pool->live + packets + GPCI_POOL_CHUNK - 1) / GPCI_POOL_CHUNK;
    while (pool->chunk_count < needed) {
        if (pool->chunk_count == pool->chunk_room && widen(pool) < 0)
            return GPC_ERROR_MEMORY;
        const size_t line = 64;
        char *block = gpci_alloc(pool->context, sizeof(gpci_packet) * GPCI_POOL_CHUNK + line); /* untouched: costs no pages */
        if (!block)
            return GPC_ERROR_MEMORY;
        pool->blocks[pool->chunk_count] = block;
        pool->chunks[pool->chunk_count++] = (gpci_packet *)(void *)(block + (line - (uintptr_t)block % line) % line);
    }
    return GPC_OK;
}
