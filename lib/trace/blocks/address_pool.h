/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_ADDRESS_POOL_H
#define GPC_TRACE_ADDRESS_POOL_H

#include "base/buffer.h"
#include "base/map.h"

/* Distinct strings of bytes, numbered from 0 in the order of their first addition. */
typedef struct gpci_block_pool_entry {
    size_t start, length;
    uint64_t hash;
} gpci_block_pool_entry;

typedef struct gpci_block_pool {
    gpc_context *context;
    gpci_buffer data;
    gpci_block_pool_entry *entries;
    size_t capacity;
    uint32_t count;
    gpci_slots slots;
    uint64_t *once; /* hashes of strings seen by gpci_block_pool_came; NULL before its first call */
} gpci_block_pool;

void gpci_block_pool_init(gpci_block_pool *pool, gpc_context *context);
void gpci_block_pool_clear(gpci_block_pool *pool);
uint64_t gpci_block_pool_hash(const void *data, size_t length);
/* Number of a string, or GPCI_NO_ENTRY. */
uint32_t gpci_block_pool_find(const gpci_block_pool *pool, uint64_t hash, const void *data, size_t length);
/* Add a string that the pool does not have. GPCI_NO_ENTRY: out of memory. */
uint32_t gpci_block_pool_add(gpci_block_pool *pool, uint64_t hash, const void *data, size_t length);
/* Set *came if a string with this hash was seen before; old hashes may be forgotten. Fails with GPC_ERROR_MEMORY. */
gpc_status gpci_block_pool_came(gpci_block_pool *pool, uint64_t hash, bool *came);

GPCI_INLINE const uint8_t *gpci_block_pool_at(const gpci_block_pool *pool, uint32_t number) {
    return pool->data.data + pool->entries[number].start;
}

#endif
