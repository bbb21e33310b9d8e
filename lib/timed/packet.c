/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/packet.h"

void gpci_pool_init(gpci_pool *pool, gpc_context *context) {
    *pool = (gpci_pool){.context = context, .free = GPCI_NO_PACKET};
}

void gpci_pool_destroy(gpci_pool *pool) {
    if (!pool->context)
        return;
    for (uint32_t i = 0; i < pool->chunk_count; i++)
        gpci_free(pool->context, pool->chunks[i]);
    gpci_free(pool->context, pool->chunks);
    *pool = (gpci_pool){.free = GPCI_NO_PACKET};
}

gpc_status gpci_pool_reserve(gpci_pool *pool, uint64_t packets) {
    uint64_t needed = (pool->live + packets + GPCI_POOL_CHUNK - 1) / GPCI_POOL_CHUNK;
    while (pool->chunk_count < needed) {
        if (pool->chunk_count == pool->chunk_room) {
            uint32_t room = pool->chunk_room ? 2 * pool->chunk_room : 16;
            gpci_packet **chunks = gpci_resize(pool->context, pool->chunks, room, sizeof *chunks);
            if (!chunks)
                return GPC_ERROR_MEMORY;
            pool->chunks = chunks;
            pool->chunk_room = room;
        }
        gpci_packet *chunk = gpci_alloc(pool->context, sizeof(gpci_packet) * GPCI_POOL_CHUNK);
        if (!chunk)
            return GPC_ERROR_MEMORY;
        pool->chunks[pool->chunk_count++] = chunk;
    }
    return GPC_OK;
}
