/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_FUNCTIONAL_MEMORY_H
#define GPC_FUNCTIONAL_MEMORY_H

#include "level/access/warp_access.h"
#include "level/rules/events.h"
#include "level/rules/level_rules.h"
#include "level/rules/memory_cache.h"

/* Transfers between L2 and memory without a clock: DRAM, and the cache beside memory, if present. */

/* Record a DRAM event. `address` is an address of the host; a slice has other addresses (gpci_l2_host_address). */
GPCI_COLD void gpci_functional_tell_dram(const gpc_hierarchy *hierarchy, gpc_what what, uint64_t address,
                                         uint32_t sectors);

/* Read DRAM for `request`: the request of the access, or a write-back of another line. A write-back has no stream. */
GPCI_INLINE void gpci_functional_read_dram(gpc_hierarchy *hierarchy, const gpci_line_access *access,
                                           const gpc_request *request, uint64_t address, uint32_t sectors,
                                           bool watched) {
    gpci_count_dram_read(hierarchy, sectors);
    if (GPCI_UNLIKELY(hierarchy->of_stream != NULL))
        gpci_stream_dram_read(hierarchy, gpci_l2_place_of(hierarchy, address).slice, request, sectors);
    if (watched)
        gpci_functional_tell_dram(hierarchy, GPC_WHAT_MEMORY_READ, address, sectors);
    access->result->dram_sectors += sectors;
}

GPCI_INLINE void gpci_functional_write_dram(gpc_hierarchy *hierarchy, uint64_t address, uint32_t sectors,
                                            bool watched) {
    gpci_count_dram_write(hierarchy, sectors);
    if (watched)
        gpci_functional_tell_dram(hierarchy, GPC_WHAT_MEMORY_WRITE, address, sectors);
}

/*
 * Read or write segments of a line of L2 through the cache beside memory, which must exist. `slice`: that asks;
 * `address`: of the host.
 * _flush: write dirty lines to DRAM, and empty the caches, if present.
 */
gpc_status gpci_functional_read_beside(gpc_hierarchy *hierarchy, const gpci_line_access *access,
                                       const gpc_request *request, uint32_t slice, uint64_t address, uint8_t segments);
gpc_status gpci_functional_write_beside(gpc_hierarchy *hierarchy, uint32_t slice, uint64_t address, uint8_t segments);
void gpci_functional_flush_beside(gpc_hierarchy *hierarchy);

#endif
