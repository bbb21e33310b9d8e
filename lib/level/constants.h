/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_CONSTANTS_H
#define GPC_LEVEL_CONSTANTS_H

#include "cache/cache_archive.h"
#include "level/coalesce.h"
#include "level/hierarchy.h"

/*
 * Constant caches, where `const.size` says so: one for each SM, beside its L1, for loads of constant space. What one
 * lacks is read from L2 (l2.constant_read_sectors), past L1, or from its L1.5 (level/l15.h). Addresses of constants are
 * not translated. Kernels find them as they find L1s: what `kernels.flush` does to these is done to them.
 *
 * Lanes of one address, as most loads of constants have, are one line; others take their turns, a line each.
 */

/* Are there any? Refused where they would have no effect; GPC_ERROR_RANGE, GPC_ERROR_MEMORY. */
gpc_status gpci_constants_create(gpc_hierarchy *h, gpc_error *error);
void gpci_constants_destroy(gpc_hierarchy *h);
void gpci_constants_archive(gpc_hierarchy *h, gpci_archive *archive);
void gpci_constants_drop(gpc_hierarchy *h);
/* Its lines and their one sector; lines of so many bytes, and theirs. */
gpci_level gpci_constants_level(const gpc_hierarchy *h);
gpci_level gpci_one_sector_level(uint32_t line_bytes);
/* All segments, of 32 bytes, of a line. */
uint8_t gpci_constants_segments(const gpc_hierarchy *h);

/* Does a warp access go through one? */
GPCI_INLINE bool gpci_reads_constants(const gpc_hierarchy *h, const gpc_warp_access *w) {
    return w->space == GPC_SPACE_CONSTANT && h->constants && (w->kind == GPC_LOAD || w->kind == GPC_PREFETCH) &&
           w->mask;
}

/* Its lines, counted; `request` is of each of them, but for its address. Returns how many. */
uint32_t gpci_constants_lines(gpc_hierarchy *h, const gpc_warp_access *w, gpci_transaction *lines,
                              gpc_request *request);

/* One of them has been looked up. `merges`: it is on its way. */
GPCI_INLINE void gpci_constants_looked(gpc_hierarchy *h, uint32_t sm, bool hit, bool merges) {
    gpci_sm_counts *c = &h->of_sm[sm];
    c->const_lines++;
    c->const_line_hits += hit;
    c->const_line_merges += merges;
}

#endif
