/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/rules/level_rules.h"

#include <inttypes.h>
#include <stdio.h>

/* Describe a choice that one of these caches has refused. False: no cache has. */
static bool describe(const char *level, gpc_cache *const *caches, uint32_t count, char room[GPCI_FAULT]) {
    for (uint32_t n = 0; caches && n < count; n++) {
        int used = snprintf(room, GPCI_FAULT, "%s: %s %" PRIu32 ": ", gpci_access_status(GPC_ERROR_CALLBACK), level, n);
        if (gpci_cache_fault(caches[n], room + used, GPCI_FAULT - (size_t)used))
            return true;
    }
    return false;
}

const char *gpci_fault_of(const gpc_hierarchy *hierarchy, gpc_status status, char room[GPCI_FAULT]) {
    const bool described = status == GPC_ERROR_CALLBACK &&
                           (describe("l1", hierarchy->l1, hierarchy->sms, room) ||
                            describe("l2", hierarchy->l2, hierarchy->slices, room) ||
                            describe("memory-cache", hierarchy->memory_caches, hierarchy->memory.channels, room));
    return described ? room : gpci_access_status(status);
}

void gpci_level_refused(const gpc_access_result *refused, gpc_access_result *result) {
    result->fetch_sectors = refused->fetch_sectors;
    result->outcome = GPC_BYPASSED;
    if (refused->write_sectors) {
        result->write_sectors = refused->write_sectors;
        result->write_bytes[0] = refused->write_bytes[0];
        result->write_bytes[1] = refused->write_bytes[1];
    }
}

void gpci_level_spill(const gpc_request *request, const uint64_t bytes[2], gpc_access_result *result) {
    result->outcome = GPC_BYPASSED;
    if (gpci_is_read(request))
        return;
    result->write_sectors = result->needed_sectors;
    result->write_bytes[0] = bytes[0];
    result->write_bytes[1] = bytes[1];
    result->fetch_sectors = gpci_is_write(request) ? 0 : result->fetch_sectors;
}

gpc_eviction gpci_level_write_around(const gpc_cache *cache, const gpc_request *request) {
    gpc_eviction all = {.line_address = request->address & ~(uint64_t)(cache->options.line_bytes - 1),
                        .dirty_sectors = request->sector_mask};
    bool store = gpci_is_write(request);
    gpci_bytes bytes = gpci_bytes_of(cache, request->sector_mask);
    all.dirty_bytes[0] = store ? request->byte_mask[0] : bytes.word[0];
    all.dirty_bytes[1] = store ? request->byte_mask[1] : bytes.word[1];
    return all;
}

/* Remove the line of an address from an L1, if present. */
static void take_line(gpc_hierarchy *hierarchy, uint32_t sm, uint64_t address, gpci_memory_write_fn write,
                      void *user_data) {
    gpc_line line;
    if (!gpci_line_of(hierarchy->l1[sm], address, &line))
        return;
    uint64_t bytes[2];
    gpci_dirty_bytes(hierarchy->l1[sm], &line, bytes);
    uint8_t segments = gpci_segments_of(bytes);
    gpci_count_l1_write_back(hierarchy, sm, gpci_count_sectors(segments));
    gpci_log_dropped(hierarchy, hierarchy->l1[sm], GPC_COMPONENT_L1, sm, address, address);
    write(user_data, address, segments);
    gpc_cache_invalidate_line(hierarchy->l1[sm], address, NULL);
}

void gpci_l2_take_from_l1(gpc_hierarchy *hierarchy, uint32_t slice, uint64_t inner, gpci_memory_write_fn write,
                          void *user_data) {
    if (!hierarchy->inclusive || !hierarchy->l1)
        return;
    uint64_t address = gpci_l2_host_address(hierarchy, slice, inner);
    const uint32_t sms = hierarchy->sms / hierarchy->gpus, first = slice / (hierarchy->slices / hierarchy->gpus) * sms;
    for (uint32_t sm = first; sm < first + sms; sm++)
        for (uint32_t at = 0; at < hierarchy->l2_level.line_bytes; at += hierarchy->l1_level.line_bytes)
            take_line(hierarchy, sm, address + at, write, user_data);
}
