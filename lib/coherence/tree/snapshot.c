/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/module/tree.h"

#include <string.h>

/*
 * State of a tree as bytes, and back. The exploration in the tests compares the bytes to recognise states; so equal
 * states must give equal bytes, whatever accesses led to the states. An exception is the recency order of more than 16
 * ways (lru.h). Saved in this order:
 *   the slab                          with the data of invalid blocks zeroed, which have no meaning
 *   each full map                     a count, then entries ascending by block number: number, state, owners, sharers
 *   pages                             a count, then pages ascending by number: number, home
 *   memory                            a count, then blocks ascending by number: number, bytes
 *   networks, in a tree with timing   the module each output of a switch served last
 */

static size_t entry_bytes(const gpci_module *module) {
    return sizeof(uint64_t) + 1 +
           module->sub_blocks * (sizeof *module->owners + module->sharer_words * sizeof *module->sharers);
}

static size_t store_bytes(const gpc_coherence *coherence) {
    return sizeof(uint64_t) + ((size_t)1 << coherence->memory_shift);
}

size_t gpci_coherence_saved_bytes(const gpc_coherence *coherence) {
    size_t bytes = coherence->slab_bytes + sizeof(uint32_t) + coherence->memory_map.count * store_bytes(coherence);
    bytes += sizeof(uint32_t) + coherence->pages.count * (sizeof(uint64_t) + sizeof(uint32_t));
    if (coherence->timing)
        bytes += (size_t)coherence->star_count * coherence->module_count * sizeof *coherence->stars->last;
    for (uint32_t i = 0; i < coherence->module_count; i++)
        if (coherence->modules[i].full_map)
            bytes += sizeof(uint32_t) + coherence->modules[i].map.count * entry_bytes(&coherence->modules[i]);
    return bytes;
}

static char *put(char *at, const void *from, size_t bytes) {
    memcpy(at, from, bytes);
    return at + bytes;
}

static const char *get(const char *at, void *to, size_t bytes) {
    memcpy(to, at, bytes);
    return at + bytes;
}

/*
 * Find the map's smallest key that is at least `from`. False: none. The search is linear, as maps are small when states
 * are saved.
 */
static bool next_entry(const gpci_map *map, uint64_t from, uint64_t *number, uint32_t *value) {
    bool found = false;
    for (uint32_t i = 0; i < map->count; i++)
        if (map->entries[i].key >= from && (!found || map->entries[i].key < *number)) {
            found = true;
            *number = map->entries[i].key;
            *value = (uint32_t)map->entries[i].value;
        }
    return found;
}

static char *save_map(const gpci_module *module, char *at) {
    /* a full map's sets of sharers have no codes */
    const size_t words = (size_t)module->sub_blocks * module->sharer_words;
    uint64_t number = 0;
    uint32_t block = 0;
    at = put(at, &module->map.count, sizeof module->map.count);
    for (uint64_t from = 0; next_entry(&module->map, from, &number, &block); from = number + 1) {
        at = put(at, &number, sizeof number);
        at = put(at, &module->states[block], 1);
        at = put(at, module->owners + (size_t)block * module->sub_blocks, module->sub_blocks * sizeof *module->owners);
        at = put(at, module->sharers + (size_t)block * words, words * sizeof *module->sharers);
    }
    return at;
}

static const char *load_map(gpci_module *module, const char *at) {
    const uint32_t used = module->map.count; /* blocks from `used` on are already in I */
    const size_t words = (size_t)module->sub_blocks * module->sharer_words;
    uint32_t count = 0;
    uint64_t number = 0;
    at = get(at, &count, sizeof count);
    gpci_map_clear(&module->map);
    for (uint32_t block = 0; block < count; block++) {
        at = get(at, &number, sizeof number);
        at = get(at, &module->states[block], 1);
        at = get(at, module->owners + (size_t)block * module->sub_blocks, module->sub_blocks * sizeof *module->owners);
        at = get(at, module->sharers + (size_t)block * words, words * sizeof *module->sharers);
        gpci_map_add(&module->map, number, block);
    }
    for (uint32_t block = count; block < used; block++)
        gpci_module_write(module, block, 0, GPC_LINE_I);
    return at;
}

/*
 * Zero the saved data of blocks that are in I or have no data: their bytes have no meaning, and equal states must give
 * equal bytes.
 */
static void clear_invalid(const gpc_coherence *coherence, const gpci_module *module, char *saved) {
    if (!module->data)
        return;
    for (uint32_t block = 0; block < module->blocks; block++)
        if (module->states[block] == GPC_LINE_I || gpci_module_directory_only(module, block)) {
            memset(saved + ((char *)gpci_module_data_of(module, block) - (char *)coherence->slab), 0,
                   module->given.block_bytes);
            memset(saved + ((char *)gpci_module_dirty_of(module, block) - (char *)coherence->slab), 0,
                   module->mask_bytes);
        }
}

void gpci_coherence_save(const gpc_coherence *coherence, void *saved) {
    const size_t block_bytes = (size_t)1 << coherence->memory_shift;
    uint64_t number = 0;
    uint32_t place = 0;
    char *at = put(saved, coherence->slab, coherence->slab_bytes);
    for (uint32_t i = 0; i < coherence->module_count; i++) {
        clear_invalid(coherence, &coherence->modules[i], saved);
        if (coherence->modules[i].full_map)
            at = save_map(&coherence->modules[i], at);
    }
    at = put(at, &coherence->pages.count, sizeof coherence->pages.count);
    for (uint64_t from = 0; next_entry(&coherence->pages, from, &number, &place); from = number + 1) {
        at = put(at, &number, sizeof number);
        at = put(at, &place, sizeof place);
    }
    at = put(at, &coherence->memory_map.count, sizeof coherence->memory_map.count);
    for (uint64_t from = 0; next_entry(&coherence->memory_map, from, &number, &place); from = number + 1) {
        at = put(at, &number, sizeof number);
        at = put(at, coherence->memory_bytes + ((size_t)place << coherence->memory_shift), block_bytes);
    }
    for (uint32_t i = 0; coherence->timing && i < coherence->star_count; i++)
        for (uint32_t m = 0; m < coherence->module_count; m++)
            at = put(at, &coherence->stars[i].last[m], sizeof coherence->stars[i].last[m]);
}

void gpci_coherence_load(gpc_coherence *coherence, const void *saved) {
    const size_t block_bytes = (size_t)1 << coherence->memory_shift;
    uint32_t count = 0;
    uint64_t number = 0;
    const char *at = get(saved, coherence->slab, coherence->slab_bytes);
    for (uint32_t i = 0; i < coherence->module_count; i++)
        if (coherence->modules[i].full_map)
            at = load_map(&coherence->modules[i], at);
    at = get(at, &count, sizeof count);
    gpci_map_clear(&coherence->pages);
    for (uint32_t home; count; count--) {
        at = get(at, &number, sizeof number);
        at = get(at, &home, sizeof home);
        gpci_map_add(&coherence->pages, number, home);
    }
    at = get(at, &count, sizeof count);
    gpci_map_clear(&coherence->memory_map);
    for (uint32_t place = 0; place < count; place++) {
        at = get(at, &number, sizeof number);
        at = get(at, coherence->memory_bytes + ((size_t)place << coherence->memory_shift), block_bytes);
        gpci_map_add(&coherence->memory_map, number, place);
    }
    for (uint32_t i = 0; coherence->timing && i < coherence->star_count; i++)
        for (uint32_t m = 0; m < coherence->module_count; m++)
            at = get(at, &coherence->stars[i].last[m], sizeof coherence->stars[i].last[m]);
    coherence->entries++;
    coherence->message_count = coherence->transition_count = 0;
    coherence->failed = GPC_OK;
    coherence->busy = false;
}
