/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_CONSTANTS_H
#define GPC_LEVEL_CONSTANTS_H

#include "cache/cache_archive.h"
#include "level/rules/coalesce.h"
#include "level/rules/hierarchy.h"

/*
 * Constant caches, with `const.size` above 0: one per SM, beside L1, for loads of constant space. A miss reads L1.5
 * (level/access/l15.h). If no L1.5 exists, a miss reads L2 past L1 (l2.constant_read_sectors). Addresses of constants
 * are not translated. `kernels.flush` acts on constant caches as on L1s.
 *
 * Usually all lanes have equal addresses, and the load has one line. If a load has several lines, the cache looks up
 * one line after the other.
 */

/* If const.size is above 0, create the caches. GPC_ERROR_RANGE: impossible keys; GPC_ERROR_MEMORY. */
gpc_status gpci_constants_create(gpc_hierarchy *hierarchy, gpc_error *error);
void gpci_constants_destroy(gpc_hierarchy *hierarchy);
void gpci_constants_archive(gpc_hierarchy *hierarchy, gpci_archive *archive);
void gpci_constants_drop(gpc_hierarchy *hierarchy);
/*
 * gpci_constants_level: description of a level with the line size of constant caches. gpci_one_sector_level: with lines
 * of `line_bytes`. Both levels have one sector per line.
 */
gpci_level gpci_constants_level(const gpc_hierarchy *hierarchy);
gpci_level gpci_one_sector_level(uint32_t line_bytes);
/* Mask of all 32-byte segments of a constant cache's line. */
uint8_t gpci_constants_segments(const gpc_hierarchy *hierarchy);

/* True if a warp access uses a constant cache. */
GPCI_INLINE bool gpci_reads_constants(const gpc_hierarchy *hierarchy, const gpc_warp_access *access) {
    return access->space == GPC_SPACE_CONSTANT && hierarchy->constants &&
           (access->kind == GPC_LOAD || access->kind == GPC_PREFETCH) && access->mask;
}

/*
 * Coalesce and count an access of a constant cache. `lines` receives the lines, and `request` the request of a line
 * without the address. Returns the number of lines.
 */
uint32_t gpci_constants_lines(gpc_hierarchy *hierarchy, const gpc_warp_access *access, gpci_transaction *lines,
                              gpc_request *request);

/* Count a lookup of a line. `merges`: the line is absent, but already in flight. */
GPCI_INLINE void gpci_constants_looked(gpc_hierarchy *hierarchy, uint32_t sm, bool hit, bool merges) {
    gpci_sm_counts *counts = &hierarchy->of_sm[sm];
    counts->const_lines++;
    counts->const_line_hits += hit;
    counts->const_line_merges += merges;
}

#endif
