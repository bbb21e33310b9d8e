/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_FUNCTIONAL_FUNCTIONAL_H
#define GPC_FUNCTIONAL_FUNCTIONAL_H

#include "level/access/warp_access.h"
#include "level/rules/driver.h"
#include "level/rules/observer.h"

/*
 * Driver without a clock: a line transaction passes all levels at once, by their rules.
 *
 * The source is compiled twice, with `watched` as a constant. Functions with names in _watched write events to the
 * event trace (h->trace); the other functions do not test for an event trace. The choice is made once for a warp
 * access, and once at L2.
 */

/* functional_fence.c: gpc_hierarchy_fence, of caches and of a tree. */
gpc_status gpci_functional_fence(gpc_hierarchy *hierarchy, const gpc_fence *fence, gpc_error *error);

/* Actions of an ordered access in L1, before the access and after. */
GPCI_COLD gpc_status gpci_functional_release(gpc_hierarchy *hierarchy, const gpc_warp_access *access);
GPCI_COLD gpc_status gpci_functional_acquire(gpc_hierarchy *hierarchy, const gpc_warp_access *access);

/* functional_bulk.c: run a bulk copy. The copy must be well formed. */
GPCI_COLD gpc_status gpci_functional_bulk(gpc_hierarchy *hierarchy, const gpc_warp_access *access,
                                          gpc_warp_result *result);

/* functional_constants.c: run a load through a constant cache. The cache must exist. */
GPCI_COLD gpc_status gpci_functional_constants(gpc_hierarchy *hierarchy, const gpc_warp_access *access,
                                               gpc_warp_result *result);

/* no_clock.c */
extern const gpci_clock_calls gpci_no_clock;

/* Through L1. */
gpc_status gpci_functional_load(gpc_hierarchy *hierarchy, const gpci_line_access *access);
gpc_status gpci_functional_store(gpc_hierarchy *hierarchy, const gpci_line_access *access);
gpc_status gpci_functional_atomic(gpc_hierarchy *hierarchy, const gpci_line_access *access);
GPCI_COLD gpc_status gpci_functional_load_watched(gpc_hierarchy *hierarchy, const gpci_line_access *access);
GPCI_COLD gpc_status gpci_functional_store_watched(gpc_hierarchy *hierarchy, const gpci_line_access *access);
GPCI_COLD gpc_status gpci_functional_atomic_watched(gpc_hierarchy *hierarchy, const gpci_line_access *access);
/*
 * Prefetch host memory for a coming access of a line: the data read in L1 (NULL: the access bypasses L1), and, if the
 * line is absent, the data read below. Affects only speed.
 */
void gpci_functional_expect_l1(const gpc_cache *l1, uint64_t address);
void gpci_functional_expect_below(const gpc_hierarchy *hierarchy, uint32_t sm, const gpc_cache *l1, uint64_t address);
/* Empty an existing L1: dirty lines go to L2. Or write the dirty lines back, and keep all lines. */
gpc_status gpci_functional_empty_l1(gpc_hierarchy *hierarchy, uint32_t sm);
gpc_status gpci_functional_clean_l1(gpc_hierarchy *hierarchy, uint32_t sm);
/* Empty all L1s. */
gpc_status gpci_functional_flush_l1(gpc_hierarchy *hierarchy);

/* L2 and DRAM. A request has the address of an L1 line; segments or bytes are separate arguments. */

/* Read by L1, or past L1. `reply_word` receives the word of L2's predictor. */
gpc_status gpci_functional_l2_read(gpc_hierarchy *hierarchy, const gpci_line_access *access, const gpc_request *request,
                                   uint8_t segments, uint32_t policy_word, uint32_t *reply_word);
gpc_status gpci_functional_l2_write(gpc_hierarchy *hierarchy, const gpci_line_access *access,
                                    const gpc_request *request, uint32_t policy_word, const uint64_t bytes[2]);
/* Perform an atomic or reduction, in the line's home slice. */
gpc_status gpci_functional_l2_atomic(gpc_hierarchy *hierarchy, const gpci_line_access *access);
/* Prefetch host memory for a coming read or write. Affects only speed. */
void gpci_functional_l2_expect(const gpc_hierarchy *hierarchy, uint32_t sm, uint64_t address);
/* Write dirty lines to DRAM, and empty L2. */
void gpci_functional_flush_l2(gpc_hierarchy *hierarchy);

#endif
