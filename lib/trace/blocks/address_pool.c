/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/blocks/address_pool.h"

#include "base/array.h"

#include <string.h>

#define ONCE_SLOTS 16384u

void gpci_block_pool_init(gpci_block_pool *pool, gpc_context *context) {
    *pool = (gpci_block_pool){.context = context, .data = {.context = context}};
}

void gpci_block_pool_clear(gpci_block_pool *pool) {
    gpc_context *context = pool->context;
    if (!context)
        return;
    gpci_buffer_clear(&pool->data);
    gpci_free(context, pool->entries);
    gpci_slots_free(context, &pool->slots);
    gpci_free(context, pool->once);
    gpci_block_pool_init(pool, context);
}

uint64_t gpci_block_pool_hash(const void *data, size_t length) {
    const uint8_t *at = data;
    uint64_t hash = length * 0x9e3779b97f4a7c15u;
    for (; length >= 8; at += 8, length -= 8) {
        hash = (hash ^ gpci_load64(at)) * 0xff51afd7ed558ccdu;
        hash ^= hash >> 32;
    }
    for (; length; at++, length--)
        hash = (hash ^ *at) * 0x100000001b3u;
    return gpci_mix(hash);
}

typedef struct pool_key {
    uint64_t hash;
    const void *data;
    size_t length;
} pool_key;

static bool same_string(const void *pool, uint32_t number, const void *key) {
    const gpci_block_pool_entry *entry = &((const gpci_block_pool *)pool)->entries[number];
    const pool_key *wanted = key;
    return entry->hash == wanted->hash && entry->length == wanted->length &&
           !memcmp(gpci_block_pool_at(pool, number), wanted->data, wanted->length);
}

static uint64_t hash_of(const void *pool, uint32_t number) {
    return ((const gpci_block_pool *)pool)->entries[number].hash;
}

uint32_t gpci_block_pool_find(const gpci_block_pool *pool, uint64_t hash, const void *data, size_t length) {
    pool_key key = {hash, data, length};
    return gpci_slots_find(&pool->slots, pool, hash, &key, same_string);
}

uint32_t gpci_block_pool_add(gpci_block_pool *pool, uint64_t hash, const void *data, size_t length) {
    if (!GPCI_ARRAY_RESERVE(pool->context, pool->entries, pool->capacity, pool->count, 1) ||
        !gpci_slots_reserve(pool->context, &pool->slots, pool, pool->count, 1, hash_of) ||
        !gpci_buffer_reserve(&pool->data, length))
        return GPCI_NO_ENTRY;
    pool->entries[pool->count] = (gpci_block_pool_entry){pool->data.length, length, hash};
    gpci_buffer_put(&pool->data, data, length);
    gpci_slots_add(&pool->slots, hash, pool->count);
    return pool->count++;
}

gpc_status gpci_block_pool_came(gpci_block_pool *pool, uint64_t hash, bool *came) {
    if (!pool->once)
        pool->once = gpci_zalloc(pool->context, ONCE_SLOTS, sizeof *pool->once);
    if (!pool->once)
        return GPC_ERROR_MEMORY;
    uint64_t *slot = &pool->once[hash >> 32 & (ONCE_SLOTS - 1)];
    *came = *slot == hash;
    *slot = hash;
    return GPC_OK;
}
