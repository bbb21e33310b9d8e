/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/module/tree.h"

#include "base/array.h"

#include <string.h>

/*
 * Bytes of memory. All memory modules share an array, because an address belongs to only one memory. A block gets its
 * place in the growing array, with zeroed bytes, when the block is first reserved. A map leads from addresses to
 * places.
 */

static size_t block_bytes(const gpc_coherence *coherence) {
    return (size_t)1 << coherence->memory_shift;
}

static bool reserve(gpc_coherence *coherence) {
    if (coherence->memory_map.count < coherence->memory_capacity)
        return true;
    size_t capacity =
        gpci_array_larger(coherence->memory_capacity, coherence->memory_map.count, 1, block_bytes(coherence));
    uint8_t *larger =
        capacity ? gpci_resize(coherence->context, coherence->memory_bytes, capacity, block_bytes(coherence)) : NULL;
    if (!larger)
        return false;
    coherence->memory_bytes = larger;
    coherence->memory_capacity = capacity;
    return true;
}

gpc_status gpci_tree_memory_reserve(gpc_coherence *coherence, uint64_t address) {
    const uint64_t number = address >> coherence->memory_shift;
    if (gpci_map_find(&coherence->memory_map, number))
        return GPC_OK;
    if (!reserve(coherence) || !gpci_map_reserve(coherence->context, &coherence->memory_map, 1))
        return GPC_ERROR_MEMORY;
    const uint32_t place = coherence->memory_map.count;
    memset(coherence->memory_bytes + ((size_t)place << coherence->memory_shift), 0, block_bytes(coherence));
    gpci_map_add(&coherence->memory_map, number, place);
    return GPC_OK;
}

uint8_t *gpci_tree_memory_at(const gpc_coherence *coherence, uint64_t address) {
    const gpci_map_entry *entry = gpci_map_find(&coherence->memory_map, address >> coherence->memory_shift);
    if (!entry)
        return NULL;
    return coherence->memory_bytes + ((size_t)entry->value << coherence->memory_shift) +
           (size_t)(address & (block_bytes(coherence) - 1));
}

/* Number of bytes from `address` to the end of the memory block, at most `size`. */
static size_t part_of(const gpc_coherence *coherence, uint64_t address, size_t size) {
    const size_t left = block_bytes(coherence) - (size_t)(address & (block_bytes(coherence) - 1));
    return size < left ? size : left;
}

static gpc_status check(const gpc_coherence *coherence, const char *call, uint64_t address, const uint8_t *bytes,
                        size_t size, gpc_error *error) {
    if (!coherence || (size && !bytes))
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s: %s is NULL", call, coherence ? "bytes" : "coherence");
    if (size && size - 1 > UINT64_MAX - address)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s: size %zu from address %#llx is beyond the last address", call,
                         size, (unsigned long long)address);
    return coherence->with_data ? GPC_OK : gpci_fail(error, GPC_ERROR_STATE, "%s: the tree has no data", call);
}

gpc_status gpc_coherence_read_memory(const gpc_coherence *coherence, uint64_t address, uint8_t *bytes, size_t size,
                                     gpc_error *error) {
    gpc_status status = check(coherence, "gpc_coherence_read_memory", address, bytes, size, error);
    while (status == GPC_OK && size) {
        const size_t part = part_of(coherence, address, size);
        const uint8_t *from = gpci_tree_memory_at(coherence, address);
        if (from)
            memcpy(bytes, from, part);
        else
            memset(bytes, 0, part);
        address += part;
        bytes += part;
        size -= part;
    }
    return status;
}

gpc_status gpc_coherence_write_memory(gpc_coherence *coherence, uint64_t address, const uint8_t *bytes, size_t size,
                                      gpc_error *error) {
    gpc_status status = check(coherence, "gpc_coherence_write_memory", address, bytes, size, error);
    /* reserve all blocks before writing, so that a failure changes no byte */
    for (size_t done = 0; status == GPC_OK && done < size; done += part_of(coherence, address + done, size - done))
        if (gpci_tree_memory_reserve(coherence, address + done) != GPC_OK)
            status = gpci_out_of_memory(error);
    while (status == GPC_OK && size) {
        const size_t part = part_of(coherence, address, size);
        memcpy(gpci_tree_memory_at(coherence, address), bytes, part);
        address += part;
        bytes += part;
        size -= part;
    }
    return status;
}

void gpci_tree_memory_inherit(gpc_coherence *coherence, gpc_coherence *from) {
    const gpci_map map = coherence->memory_map;
    uint8_t *const bytes = coherence->memory_bytes;
    const size_t capacity = coherence->memory_capacity;
    coherence->memory_map = from->memory_map;
    coherence->memory_bytes = from->memory_bytes;
    coherence->memory_capacity = from->memory_capacity;
    from->memory_map = map;
    from->memory_bytes = bytes;
    from->memory_capacity = capacity;
}
