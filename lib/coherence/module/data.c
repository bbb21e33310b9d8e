/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/module/atomic.h"
#include "coherence/module/transaction.h"

#include <string.h>

/*
 * Bytes of blocks. Every cached block has a mask with a bit per byte. A bit is set if the byte is modified, and the low
 * module does not have the new value yet. When modified data move, only masked bytes are merged into the receiver's
 * block. Several caches can therefore modify different bytes of a block at the same time (state N) without undoing each
 * other's stores.
 *
 * Example, blocks of 4 bytes, memory holds 10 20 30 40 (Table 2.6, block A; the mask in brackets):
 *   C0 loads, C1 loads                   10 20 30 40 [0000] in both
 *   C0 stores 15 25 to bytes 0 and 1     15 25 30 40 [1100] in C0
 *   C1 stores 35 45 to bytes 2 and 3     10 20 35 45 [0011] in C1
 *   C0 writes back                       memory: 15 25 30 40
 *   C1 writes back                       memory: 15 25 35 45; C1's old bytes 10 20 are not in its mask
 */

/* Masks: bit i % 8 of byte i / 8 stands for byte i. */
static bool bit(const uint8_t *mask, uint32_t index) {
    return mask[index / 8] >> (index & 7) & 1;
}

static void set_bit(uint8_t *mask, uint32_t index) {
    mask[index / 8] |= (uint8_t)(1u << (index & 7));
}

static void clear_bit(uint8_t *mask, uint32_t index) {
    mask[index / 8] &= (uint8_t) ~(1u << (index & 7));
}

/* Set `count` bits of a mask, from bit `first` on. */
static void set_bits(uint8_t *mask, uint32_t first, uint32_t count) {
    while (count) {
        const uint32_t shift = first & 7, part = count < 8 - shift ? count : 8 - shift;
        mask[first / 8] |= (uint8_t)(((1u << part) - 1) << shift);
        first += part;
        count -= part;
    }
}

/* Copy those of eight bytes whose bits are set. */
GPCI_INLINE void copy_bytes(uint8_t *to, const uint8_t *from, uint32_t bits) {
    if (bits == 0xff) {
        memcpy(to, from, 8);
        return;
    }
    for (; bits; bits &= bits - 1) {
        const uint32_t i = gpci_lowest(bits);
        to[i] = from[i];
    }
}

/* Bits of the bytes of a block from byte `first` on, at most eight. */
GPCI_INLINE uint32_t bits_from(const gpci_module *module, uint32_t first) {
    const uint32_t left = module->given.block_bytes - first;
    return left < 8 ? (1u << left) - 1 : 0xff;
}

static bool is_zero(const uint8_t *mask, uint32_t bytes) {
    for (uint32_t i = 0; i < bytes; i++)
        if (mask[i])
            return false;
    return true;
}

void gpci_tree_data_fill(gpc_coherence *coherence, const gpci_module *target, uint32_t target_block,
                         gpci_module *requester, uint32_t requester_block, uint64_t tag) {
    if (!coherence->with_data)
        return;
    uint8_t from[4096], *to = gpci_module_data_of(requester, requester_block);
    uint32_t size = requester->given.block_bytes;
    if (target->place == GPCI_PLACE_MEMORY)
        gpc_coherence_read_memory(coherence, tag, from, size, NULL);
    else
        memcpy(from, gpci_module_data_of(target, target_block) + (tag & (target->given.block_bytes - 1)), size);
    const uint8_t *mask = gpci_module_dirty_of(requester, requester_block);
    if (GPCI_LIKELY(is_zero(mask, requester->mask_bytes))) {
        memcpy(to, from, size);
        return;
    }
    for (uint32_t i = 0; i < size; i++)
        if (!bit(mask, i))
            to[i] = from[i];
}

void gpci_tree_data_merge(gpc_coherence *coherence, const gpci_module *probed, uint32_t probed_block, uint64_t tag,
                          gpci_module *target, uint32_t target_block) {
    if (!coherence->with_data)
        return;
    const uint8_t *from = gpci_module_data_of(probed, probed_block), *mask = gpci_module_dirty_of(probed, probed_block);
    uint32_t offset = (uint32_t)(tag & (target->given.block_bytes - 1));
    bool memory = target->place == GPCI_PLACE_MEMORY;
    /* not NULL for memory: the block was reserved before the first access */
    uint8_t *to = memory ? gpci_tree_memory_at(coherence, tag) : gpci_module_data_of(target, target_block) + offset;
    for (uint32_t i = 0; to && i < probed->given.block_bytes; i += 8) {
        const uint32_t bits = mask[i / 8];
        copy_bytes(to + i, from + i, bits);
        if (!memory) /* the offset is a multiple of 8, or the block has fewer than eight bytes */
            gpci_module_dirty_of(target, target_block)[(offset + i) / 8] |= (uint8_t)(bits << (offset & 7));
    }
}

void gpci_tree_data_transfer(gpc_coherence *coherence, const gpci_module *probed, uint32_t probed_block,
                             gpci_module *requester, uint32_t requester_block, bool full_block, bool modified) {
    if (!coherence->with_data)
        return;
    const uint8_t *from = gpci_module_data_of(probed, probed_block), *mask = gpci_module_dirty_of(probed, probed_block);
    uint8_t *to = gpci_module_data_of(requester, requester_block),
            *own = gpci_module_dirty_of(requester, requester_block);
    /*
     * If the probed block is in state N, the modified bytes of the probed block are newer than the modified bytes of
     * the requester. The requester modified the older bytes, or received the older bytes from another owner.
     */
    bool newer = gpci_tree_is_masked(coherence, probed->states[probed_block]);
    for (uint32_t i = 0; i < probed->given.block_bytes; i += 8) {
        const uint32_t dirty = mask[i / 8], kept = own[i / 8] & ~(newer ? dirty : 0u);
        const uint32_t bits = (full_block ? bits_from(probed, i) : dirty) & ~kept;
        copy_bytes(to + i, from + i, bits);
        if (modified)
            own[i / 8] |= (uint8_t)(bits & dirty);
    }
}

void gpci_tree_data_yield(gpc_coherence *coherence, const gpci_module *probed, uint32_t probed_block,
                          const gpci_tree_request *request) {
    if (!coherence->with_data)
        return;
    const gpci_module *requester = request->from;
    const uint8_t *newer = gpci_module_dirty_of(probed, probed_block);
    uint8_t *own = gpci_module_dirty_of(requester, request->block);
    uint64_t first = request->tag, at = gpci_module_tag(probed, probed_block);
    for (uint32_t i = 0; i < probed->given.block_bytes; i++) {
        uint64_t index = at + i - first;
        if (bit(newer, i) && at + i >= first && index < requester->given.block_bytes)
            clear_bit(own, (uint32_t)index);
    }
}

static void exchange(uint8_t *a, uint8_t *b, uint32_t bytes) {
    for (uint32_t i = 0; i < bytes; i++) {
        const uint8_t byte = a[i];
        a[i] = b[i];
        b[i] = byte;
    }
}

void gpci_tree_data_exchange(const gpc_coherence *coherence, const gpci_module *module, uint32_t a, uint32_t b) {
    if (!coherence->with_data)
        return;
    exchange(gpci_module_data_of(module, a), gpci_module_data_of(module, b), module->given.block_bytes);
    exchange(gpci_module_dirty_of(module, a), gpci_module_dirty_of(module, b), module->mask_bytes);
}

void gpci_tree_data_clean(gpc_coherence *coherence, gpci_module *module, uint32_t block) {
    if (coherence->with_data && module->dirty)
        memset(gpci_module_dirty_of(module, block), 0, module->mask_bytes);
}

void gpci_tree_data_mark_full(gpc_coherence *coherence, gpci_module *module, uint32_t block) {
    if (coherence->with_data && module->dirty)
        set_bits(gpci_module_dirty_of(module, block), 0, module->given.block_bytes);
}

/* True if a store writes byte `index` of its bytes. */
static bool writes(const gpci_tree_payload *store, uint32_t index) {
    for (uint32_t i = 0; i < store->atomic_count; i++)
        if (index - store->atomics[i].offset < store->atomics[i].width)
            return true;
    return !store->atomic_count && (!store->mask || bit(store->mask, index));
}

void gpci_tree_data_written(gpc_coherence *coherence, gpci_module *module, uint32_t block,
                            const gpci_tree_payload *store) {
    if (!coherence->with_data)
        return;
    uint8_t *mask = gpci_module_dirty_of(module, block);
    uint32_t offset = (uint32_t)(store->address & (module->given.block_bytes - 1));
    for (uint32_t i = offset; i < offset + store->size; i++)
        if (writes(store, i - offset))
            clear_bit(mask, i);
}

bool gpci_tree_data_dirty(const gpc_coherence *coherence, const gpci_module *module, uint32_t block) {
    if (!coherence->with_data || !module->dirty)
        return false;
    return !is_zero(gpci_module_dirty_of(module, block), module->mask_bytes);
}

/* Perform the atomics in order: an atomic sees the results of the atomics before it. */
static void perform(gpc_coherence *coherence, gpci_module *module, uint32_t block, const gpci_tree_payload *store) {
    const bool memory = module->place == GPCI_PLACE_MEMORY;
    const uint32_t first = (uint32_t)(store->address & (module->given.block_bytes - 1));
    for (uint32_t i = 0; i < store->atomic_count; i++) {
        gpc_atomic *atomic = &store->atomics[i];
        /* not NULL for memory: the block was reserved before the first access */
        uint8_t *at = memory ? gpci_tree_memory_at(coherence, store->address + atomic->offset)
                             : gpci_module_data_of(module, block) + first + atomic->offset;
        if (!atomic->done)
            atomic->old = gpci_atomic_read(at, atomic->width);
        atomic->done = 1;
        gpci_atomic_write(at, atomic->width, gpci_atomic_result(atomic));
        for (uint32_t byte = 0; !memory && byte < atomic->width; byte++)
            set_bit(gpci_module_dirty_of(module, block), first + atomic->offset + byte);
    }
}

void gpci_tree_lack_all(const gpci_module *module, uint32_t block) {
    memset(gpci_module_lacks_of(module, block),
           module->given.block_bytes < 8 ? (1 << module->given.block_bytes) - 1 : 0xff, module->mask_bytes);
}

void gpci_tree_lack_less(const gpci_module *module, uint32_t block, const gpci_tree_payload *store) {
    uint8_t *lacks = gpci_module_lacks_of(module, block);
    const uint32_t offset = (uint32_t)(store->address & (module->given.block_bytes - 1));
    for (uint32_t i = 0; i < store->size; i++)
        if (!store->mask || bit(store->mask, i))
            clear_bit(lacks, offset + i);
}

void gpci_tree_store_bytes(gpc_coherence *coherence, gpci_module *module, uint32_t block,
                           const gpci_tree_payload *store) {
    if (GPCI_UNLIKELY(store->atomic_count)) {
        perform(coherence, module, block, store);
        return;
    }
    uint32_t offset = (uint32_t)(store->address & (module->given.block_bytes - 1));
    if (GPCI_LIKELY(store->bytes && !store->mask && module->place != GPCI_PLACE_MEMORY)) {
        memcpy(gpci_module_data_of(module, block) + offset, store->bytes, store->size);
        set_bits(gpci_module_dirty_of(module, block), offset, store->size);
        return;
    }
    for (uint32_t i = 0; i < store->size; i++) {
        if (store->mask && !bit(store->mask, i))
            continue;
        uint8_t value = store->bytes ? store->bytes[i] : 0;
        if (module->place == GPCI_PLACE_MEMORY) {
            gpc_coherence_write_memory(coherence, store->address + i, &value, 1, NULL);
        } else {
            gpci_module_data_of(module, block)[offset + i] = value;
            set_bit(gpci_module_dirty_of(module, block), offset + i);
        }
    }
}

void gpci_tree_data_load(const gpc_coherence *coherence, const gpci_module *module, uint32_t block, uint64_t address,
                         uint32_t size, uint8_t *out) {
    if (!coherence->with_data || !out)
        return;
    if (module->place == GPCI_PLACE_MEMORY)
        gpc_coherence_read_memory(coherence, address, out, size, NULL);
    else
        memcpy(out, gpci_module_data_of(module, block) + (address & (module->given.block_bytes - 1)), size);
}
