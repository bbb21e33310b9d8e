/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_FUNCTIONAL_FUNCTIONAL_H
#define GPC_FUNCTIONAL_FUNCTIONAL_H

#include "level/driver.h"
#include "level/observer.h"
#include "level/warp_access.h"

/*
 * The driver without a clock: a line transaction passes the levels by their rules, at once.
 *
 * Its ways are compiled twice from one source, with `watched` a constant: the functions whose names end in _watched
 * tell the trace of events (h->trace) what they do, the others do not ask whether there is one. Which are called is
 * decided once for a warp access, and once where it reaches L2.
 */

/* functional_fence.c: gpc_hierarchy_fence, of caches and of a tree. */
gpc_status gpci_functional_fence(gpc_hierarchy *h, const gpc_fence *fence, gpc_error *error);

/* What an ordered access does in L1 before it begins, and once it is done. */
GPCI_COLD gpc_status gpci_functional_release(gpc_hierarchy *h, const gpc_warp_access *access);
GPCI_COLD gpc_status gpci_functional_acquire(gpc_hierarchy *h, const gpc_warp_access *access);

/* functional_bulk.c: a bulk copy, which is well formed. */
GPCI_COLD gpc_status gpci_functional_bulk(gpc_hierarchy *h, const gpc_warp_access *access, gpc_warp_result *result);

/* functional_constants.c: a load through a constant cache, which there is. */
GPCI_COLD gpc_status gpci_functional_constants(gpc_hierarchy *h, const gpc_warp_access *access,
                                               gpc_warp_result *result);

/* no_clock.c */
extern const gpci_clock_calls gpci_no_clock;

/* Through L1. */
gpc_status gpci_functional_load(gpc_hierarchy *h, const gpci_line_access *access);
gpc_status gpci_functional_store(gpc_hierarchy *h, const gpci_line_access *access);
gpc_status gpci_functional_atomic(gpc_hierarchy *h, const gpci_line_access *access);
GPCI_COLD gpc_status gpci_functional_load_watched(gpc_hierarchy *h, const gpci_line_access *access);
GPCI_COLD gpc_status gpci_functional_store_watched(gpc_hierarchy *h, const gpci_line_access *access);
GPCI_COLD gpc_status gpci_functional_atomic_watched(gpc_hierarchy *h, const gpci_line_access *access);
/*
 * An access of a line will soon follow: fetch what it looks at in L1 (NULL: it goes round it), and then, if it is not
 * there, below. No effect but on speed.
 */
void gpci_functional_expect_l1(const gpc_cache *l1, uint64_t address);
void gpci_functional_expect_below(const gpc_hierarchy *h, uint32_t sm, const gpc_cache *l1, uint64_t address);
/* Empty an L1, which there is: dirty lines go to L2. Or write these back, and keep all. */
gpc_status gpci_functional_empty_l1(gpc_hierarchy *h, uint32_t sm);
gpc_status gpci_functional_clean_l1(gpc_hierarchy *h, uint32_t sm);
/* Empty the L1s. */
gpc_status gpci_functional_flush_l1(gpc_hierarchy *h);

/* L2 and what is below it. A request's address is that of an L1 line; which of its segments or bytes comes apart. */

/* A read by L1, or past it; `reply_word` is what L2's predictor sends up. */
gpc_status gpci_functional_l2_read(gpc_hierarchy *h, const gpci_line_access *access, const gpc_request *request,
                                   uint8_t segments, uint32_t policy_word, uint32_t *reply_word);
gpc_status gpci_functional_l2_write(gpc_hierarchy *h, const gpci_line_access *access, const gpc_request *request,
                                    uint32_t policy_word, const uint64_t bytes[2]);
/* An atomic or reduction is performed, in the line's home slice. */
gpc_status gpci_functional_l2_atomic(gpc_hierarchy *h, const gpci_line_access *access);
/* A read or write will soon follow: fetch what it looks at. No effect but on speed. */
void gpci_functional_l2_expect(const gpc_hierarchy *h, uint32_t sm, uint64_t address);
/* Dirty lines to DRAM; then nothing is left. */
void gpci_functional_flush_l2(gpc_hierarchy *h);

#endif
