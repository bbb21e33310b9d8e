/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_TLB_H
#define GPC_LEVEL_TLB_H

#include "level/rules/hierarchy.h"

/*
 * Address translation (keys tlb.*): a TLB per L1, a common L2 TLB, and walks of the page table. Pages have one size,
 * and a page lies in memory at its virtual address; translation therefore only costs time. The contents of TLBs are
 * here, for both drivers; timing is in timed/pages/l1_tlb.c and l2_tlb.c.
 *
 * Line transactions are looked up after the coalescer, the best choice by Power et al. (HPCA 2014). Bulk copies look up
 * page by page. Prefetches of an L1's prefetcher need a page present in the TLB, or are dropped. Write-backs of L1 and
 * requests of a host's own L1 are already translated. TLBs keep their pages between kernels and when caches are
 * flushed: pages do not move.
 *
 * Example, tlb.page = 64KiB, tlb.l1_entries = 2, tlb.l2_entries = 4: loads of pages A, B, A, C, B find nothing,
 * nothing, A, nothing (A was used after B, so B is evicted), and B in the L2 TLB. Five accesses and one hit of the L1
 * TLB, four and one of the L2 TLB, three walks.
 */
#define GPCI_NO_PAGE UINT64_MAX

/* Pages of a set in order of use, last used first; GPCI_NO_PAGE from the first free way on. */
typedef struct gpci_tlb {
    uint64_t *pages; /* [sets][ways] */
    uint32_t sets, ways;
} gpci_tlb;

typedef struct gpci_tlbs {
    gpci_tlb *l1;      /* [sms] */
    gpci_tlb l2;       /* no sets: no L2 TLB */
    uint64_t *engine;  /* [sms] page of the last bulk copy request */
    uint64_t *pages;   /* memory of all TLBs */
    size_t page_count; /* size of `pages` */
    unsigned shift;    /* log2 of the page size */
} gpci_tlbs;

/* Create h->tlbs if tlb.page is a size. GPC_ERROR_RANGE: impossible or ineffective keys; GPC_ERROR_MEMORY. */
gpc_status gpci_tlbs_create(gpc_hierarchy *hierarchy, gpc_error *error);
void gpci_tlbs_destroy(gpc_hierarchy *hierarchy);
void gpci_tlbs_state(gpci_tlbs *tlbs, gpci_state_fn visit, void *user_data);

/* True if a page is present; the page becomes the last used. */
bool gpci_tlb_look(gpci_tlb *tlb, uint64_t page);
/* True if a page is present; does not count as use. */
bool gpci_tlb_has(const gpci_tlb *tlb, uint64_t page);
/* Insert an absent page in place of the least recently used. */
void gpci_tlb_fill(gpci_tlb *tlb, uint64_t page);

/* Without a clock: look up an address of an SM's access, or of its bulk copies, and insert its page. */
GPCI_COLD void gpci_tlbs_access(gpc_hierarchy *hierarchy, uint32_t sm, uint64_t address);
GPCI_COLD void gpci_tlbs_bulk(gpc_hierarchy *hierarchy, uint32_t sm, uint64_t address);

/* Count a lookup of an SM's L1 TLB; a lookup of the L2 TLB; a walk. */
GPCI_INLINE void gpci_count_l1_tlb(gpc_hierarchy *hierarchy, uint32_t sm, bool hit) {
    hierarchy->of_sm[sm].tlb_l1_accesses++;
    hierarchy->of_sm[sm].tlb_l1_hits += hit;
}
GPCI_INLINE void gpci_count_l2_tlb(gpc_hierarchy *hierarchy, bool hit) {
    hierarchy->stats.tlb_l2_accesses++;
    hierarchy->stats.tlb_l2_hits += hit;
}
GPCI_INLINE void gpci_count_walk(gpc_hierarchy *hierarchy) {
    hierarchy->stats.tlb_walks++;
}

#endif
