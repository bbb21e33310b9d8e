/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/module/tree.h"

#include "base/array.h"

#include <string.h>

/*
 * Bytes of memory, for all memory modules together: an address belongs to one of them. A block gets its place in a
 * growing array, zeroed, at the first reservation; a map leads from addresses to places.
 */

static size_t block_bytes(const gpc_coherence *c) {
    return (size_t)1 << c->memory_shift;
}

static bool make_room(gpc_coherence *c) {
    if (c->memory_map.count < c->memory_room)
        return true;
    size_t room = gpci_array_larger(c->memory_room, c->memory_map.count, 1, block_bytes(c));
    uint8_t *larger = room ? gpci_resize(c->context, c->memory_bytes, room, block_bytes(c)) : NULL;
    if (!larger)
        return false;
    c->memory_bytes = larger;
    c->memory_room = room;
    return true;
}

gpc_status gpci_tree_memory_reserve(gpc_coherence *c, uint64_t address) {
    const uint64_t number = address >> c->memory_shift;
    if (gpci_map_find(&c->memory_map, number))
        return GPC_OK;
    if (!make_room(c) || !gpci_map_reserve(c->context, &c->memory_map, 1))
        return GPC_ERROR_MEMORY;
    const uint32_t place = c->memory_map.count;
    memset(c->memory_bytes + ((size_t)place << c->memory_shift), 0, block_bytes(c));
    gpci_map_add(&c->memory_map, number, place);
    return GPC_OK;
}

uint8_t *gpci_tree_memory_at(const gpc_coherence *c, uint64_t address) {
    const gpci_map_entry *entry = gpci_map_find(&c->memory_map, address >> c->memory_shift);
    if (!entry)
        return NULL;
    return c->memory_bytes + ((size_t)entry->value << c->memory_shift) + (size_t)(address & (block_bytes(c) - 1));
}

/* Number of bytes from `address` on within a memory block, at most `size`. */
static size_t part_of(const gpc_coherence *c, uint64_t address, size_t size) {
    const size_t left = block_bytes(c) - (size_t)(address & (block_bytes(c) - 1));
    return size < left ? size : left;
}

static gpc_status check(const gpc_coherence *c, uint64_t address, const uint8_t *bytes, size_t size) {
    if (!c || (size && !bytes) || (size && size - 1 > UINT64_MAX - address))
        return GPC_ERROR_ARGUMENT;
    return c->with_data ? GPC_OK : GPC_ERROR_STATE;
}

gpc_status gpc_coherence_read_memory(const gpc_coherence *c, uint64_t address, uint8_t *bytes, size_t size) {
    gpc_status status = check(c, address, bytes, size);
    while (status == GPC_OK && size) {
        const size_t part = part_of(c, address, size);
        const uint8_t *from = gpci_tree_memory_at(c, address);
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

gpc_status gpc_coherence_write_memory(gpc_coherence *c, uint64_t address, const uint8_t *bytes, size_t size) {
    gpc_status status = check(c, address, bytes, size);
    /* reserve everything first: a failure then changes no byte */
    for (size_t done = 0; status == GPC_OK && done < size; done += part_of(c, address + done, size - done))
        status = gpci_tree_memory_reserve(c, address + done);
    while (status == GPC_OK && size) {
        const size_t part = part_of(c, address, size);
        memcpy(gpci_tree_memory_at(c, address), bytes, part);
        address += part;
        bytes += part;
        size -= part;
    }
    return status;
}

void gpci_tree_memory_inherit(gpc_coherence *c, gpc_coherence *from) {
    const gpci_map map = c->memory_map;
    uint8_t *const bytes = c->memory_bytes;
    const size_t room = c->memory_room;
    c->memory_map = from->memory_map;
    c->memory_bytes = from->memory_bytes;
    c->memory_room = from->memory_room;
    from->memory_map = map;
    from->memory_bytes = bytes;
    from->memory_room = room;
}
