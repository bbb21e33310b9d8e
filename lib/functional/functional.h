/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_FUNCTIONAL_FUNCTIONAL_H
#define GPC_FUNCTIONAL_FUNCTIONAL_H

#include "level/access/warp_access.h"
#include "level/rules/driver.h"
#include "level/rules/observer.h"

/*
 * Driver of functional mode. No clock exists: a line transaction passes L1, L2 and DRAM in one call.
 *
 * The code of an access is compiled twice, with the parameter `watched` as a constant. Functions with names in _watched
 * write events to the event log (hierarchy->log); the other functions do not test for an event log. A warp access
 * chooses the version once, and every call of L2 chooses the version once.
 */

/* functional_fence.c: gpc_hierarchy_fence of a functional hierarchy, of plain caches or a tree of coherent modules. */
gpc_status gpci_functional_fence(gpc_hierarchy *hierarchy, const gpc_fence *fence, gpc_error *error);

/* Act on L1 for an access with a memory order. _release: before the access. _acquire: after the access. */
GPCI_COLD gpc_status gpci_functional_release(gpc_hierarchy *hierarchy, const gpc_warp_access *access);
GPCI_COLD gpc_status gpci_functional_acquire(gpc_hierarchy *hierarchy, const gpc_warp_access *access);

/* functional_access.c: look up a page that an SM's L1 TLB lacks in the L2 TLB, at once or in a round's second step. */
GPCI_COLD void gpci_functional_page(gpc_hierarchy *hierarchy, uint32_t sm, uint64_t address);

/* functional_bulk.c: run a bulk copy. The copy must be well formed. */
GPCI_COLD gpc_status gpci_functional_bulk(gpc_hierarchy *hierarchy, const gpc_warp_access *access,
                                          gpc_warp_result *result);

/* functional_constants.c: run a load through a constant cache. The cache must exist. */
GPCI_COLD gpc_status gpci_functional_constants(gpc_hierarchy *hierarchy, const gpc_warp_access *access,
                                               gpc_warp_result *result);

/* no_clock.c */
extern const gpci_clock_calls gpci_no_clock;

/* Pass a line transaction through L1 (access->l1 NULL: past L1) and the levels below. */
gpc_status gpci_functional_load(gpc_hierarchy *hierarchy, const gpci_line_access *access);
gpc_status gpci_functional_store(gpc_hierarchy *hierarchy, const gpci_line_access *access);
gpc_status gpci_functional_atomic(gpc_hierarchy *hierarchy, const gpci_line_access *access);
GPCI_COLD gpc_status gpci_functional_load_watched(gpc_hierarchy *hierarchy, const gpci_line_access *access);
GPCI_COLD gpc_status gpci_functional_store_watched(gpc_hierarchy *hierarchy, const gpci_line_access *access);
GPCI_COLD gpc_status gpci_functional_atomic_watched(gpc_hierarchy *hierarchy, const gpci_line_access *access);
/*
 * Prefetch the simulator's own tables into the CPU's cache, for a coming access of a line. _expect_l1: tables of L1.
 * _expect_below: if L1 lacks the line, tables of L2. `l1` NULL: the access bypasses L1. Affects only the simulator's
 * speed.
 */
void gpci_functional_expect_l1(const gpc_cache *l1, uint64_t address);
void gpci_functional_expect_below(const gpc_hierarchy *hierarchy, uint32_t sm, const gpc_cache *l1, uint64_t address);
/*
 * Write an SM's dirty L1 lines to L2. The L1 must exist. _empty_l1: then drop all lines, of the SM's GL1, too.
 * _clean_l1: keep all lines.
 */
gpc_status gpci_functional_empty_l1(gpc_hierarchy *hierarchy, uint32_t sm);
gpc_status gpci_functional_clean_l1(gpc_hierarchy *hierarchy, uint32_t sm);
/* Empty all L1s. */
gpc_status gpci_functional_flush_l1(gpc_hierarchy *hierarchy);

/* L2 and DRAM. `request` has the address of an L1 line. `segments` or `bytes` tells the parts of the line. */

/* Read for L1, or for a load past L1. `reply_word` receives the word that L2's predictor sends to L1's predictor. */
gpc_status gpci_functional_l2_read(gpc_hierarchy *hierarchy, const gpci_line_access *access, const gpc_request *request,
                                   uint8_t segments, uint32_t policy_word, uint32_t *reply_word);
/* gpci_functional_l2_read past the GL1, and not put off by a thread of a round. */
gpc_status gpci_functional_slice_read(gpc_hierarchy *hierarchy, const gpci_line_access *access,
                                      const gpc_request *request, uint8_t segments, uint32_t policy_word,
                                      uint32_t *reply_word);
/* functional_gl1.c: read for L1 through the SM's GL1, which must exist, and from L2 what the GL1 lacks. */
gpc_status gpci_functional_gl1_read(gpc_hierarchy *hierarchy, const gpci_line_access *access,
                                    const gpc_request *request, uint8_t segments, uint32_t policy_word);
gpc_status gpci_functional_l2_write(gpc_hierarchy *hierarchy, const gpci_line_access *access,
                                    const gpc_request *request, uint32_t policy_word, const uint64_t bytes[2]);
/* Perform an atomic or reduction, in the line's home slice. */
gpc_status gpci_functional_l2_atomic(gpc_hierarchy *hierarchy, const gpci_line_access *access);
/* Prefetch the simulator's tables of L2 into the CPU's cache, for a coming read or write. Affects only speed. */
void gpci_functional_l2_expect(const gpc_hierarchy *hierarchy, uint32_t sm, uint64_t address);
/* Write dirty lines to DRAM, and empty L2 and the cache beside memory. */
gpc_status gpci_functional_flush_l2(gpc_hierarchy *hierarchy);

#endif
