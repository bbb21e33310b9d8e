/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/level_rules.h"

void gpci_level_refused(const gpc_access_result *refused, gpc_access_result *result) {
    result->fetch_sectors = refused->fetch_sectors;
    result->outcome = GPC_BYPASSED;
    if (refused->write_sectors) {
        result->write_sectors = refused->write_sectors;
        result->write_bytes[0] = refused->write_bytes[0];
        result->write_bytes[1] = refused->write_bytes[1];
    }
}

void gpci_level_crowded_out(const gpc_request *request, const uint64_t bytes[2], gpc_access_result *result) {
    result->outcome = GPC_BYPASSED;
    if (gpci_is_read(request))
        return;
    result->write_sectors = result->needed_sectors;
    result->write_bytes[0] = bytes[0];
    result->write_bytes[1] = bytes[1];
    result->fetch_sectors = gpci_is_write(request) ? 0 : result->fetch_sectors;
}

gpc_eviction gpci_level_unkept(const gpc_cache *cache, const gpc_request *request) {
    gpc_eviction all = {.line_address = request->address & ~(uint64_t)(cache->options.line_bytes - 1),
                        .dirty_sectors = request->sector_mask};
    bool store = gpci_is_write(request);
    gpci_bytes bytes = gpci_bytes_of(cache, request->sector_mask);
    all.dirty_bytes[0] = store ? request->byte_mask[0] : bytes.word[0];
    all.dirty_bytes[1] = store ? request->byte_mask[1] : bytes.word[1];
    return all;
}
