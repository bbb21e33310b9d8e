/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/line_states.h"

#include <string.h>

gpc_status gpci_cache_keep_states(gpc_cache *cache, gpc_error *error) {
    if (gpci_keeps_states(cache))
        return GPC_OK;
    size_t slots = (size_t)cache->sets * cache->row;
    uint8_t *states = gpci_zalloc_lines(cache->context, slots, cache->sectors * sizeof *states);
    uint64_t *directory = gpci_zalloc_lines(cache->context, slots, sizeof *directory);
    if (!states || !directory) {
        gpci_free_lines(cache->context, states);
        gpci_free_lines(cache->context, directory);
        return gpci_out_of_memory(error);
    }
    cache->sector_states = states;
    cache->directory = directory;
    gpci_classify(cache);
    return GPC_OK;
}

GPCI_NOINLINE void gpci_clear_line_states(gpc_cache *cache, size_t slot) {
    memset(cache->sector_states + slot * cache->sectors, 0, cache->sectors);
    cache->directory[slot] = 0;
}
