/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/address_pool.h"

#include <string.h>

#define FIRST_SLOTS 256u
#define ONCE_SLOTS 16384u

void gpci_block_pool_init(gpci_block_pool *pool, gpc_context *context) {
    *pool = (gpci_block_pool){.context = context, .data = {.context = context}};
}

void gpci_block_pool_clear(gpci_block_pool *pool) {
    gpc_context *context = pool->context;
    if (!context)
        return;
    gpci_bytes_clear(&pool->data);
    gpci_free(context, pool->entries);
    gpci_free(context, pool->slots);
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

static uint32_t *find_slot(const gpci_block_pool *pool, uint64_t hash, const void *data, size_t length) {
    for (size_t slot = hash & (pool->slot_count - 1);; slot = (slot + 1) & (pool->slot_count - 1)) {
        uint32_t at = pool->slots[slot];
        if (!at)
            return &pool->slots[slot];
        const gpci_block_pool_entry *entry = &pool->entries[at - 1];
        if (entry->hash == hash && entry->length == length && data &&
            !memcmp(gpci_block_pool_at(pool, at - 1), data, length))
            return &pool->slots[slot];
    }
}

uint32_t gpci_block_pool_find(const gpci_block_pool *pool, uint64_t hash, const void *data, size_t length) {
    return pool->slot_count ? *find_slot(pool, hash, data, length) - 1 : GPCI_NOT_THERE;
}

static bool room(gpci_block_pool *pool) {
    if (pool->count == pool->capacity) {
        size_t capacity = pool->capacity ? pool->capacity * 2 : 64;
        gpci_block_pool_entry *grown = gpci_resize(pool->context, pool->entries, capacity, sizeof *grown);
        if (!grown)
            return false;
        pool->entries = grown;
        pool->capacity = capacity;
    }
    if (pool->count < pool->slot_count / 2)
        return true;
    size_t count = pool->slot_count ? pool->slot_count * 2 : FIRST_SLOTS;
    uint32_t *slots = gpci_zalloc(pool->context, count, sizeof *slots);
    if (!slots)
        return false;
    gpci_free(pool->context, pool->slots);
    pool->slots = slots;
    pool->slot_count = count;
    for (size_t i = 0; i < pool->count; i++)
        *find_slot(pool, pool->entries[i].hash, NULL, 0) = (uint32_t)i + 1;
    return true;
}

uint32_t gpci_block_pool_add(gpci_block_pool *pool, uint64_t hash, const void *data, size_t length) {
    if (pool->count >= UINT32_MAX / 4 || !room(pool) || !gpci_bytes_room(&pool->data, length))
        return GPCI_NOT_THERE;
    pool->entries[pool->count] = (gpci_block_pool_entry){pool->data.length, length, hash};
    gpci_bytes_put(&pool->data, data, length);
    *find_slot(pool, hash, NULL, 0) = (uint32_t)++pool->count;
    return (uint32_t)pool->count - 1;
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
