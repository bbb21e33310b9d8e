/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_TLB_H
#define GPC_LEVEL_TLB_H

#include "level/rules/hierarchy.h"

/*
 * Address translation (keys tlb.*): a TLB per L1, an L2 TLB per GPU, and walks of the page table. All pages have the
 * same size. The physical address of a page equals the virtual address, so translation only costs time. This file has
 * the contents of TLBs, for both drivers; timing is in timed/pages/l1_tlb.c and l2_tlb.c.
 *
 * TLBs translate the line transactions that the coalescer makes, the best choice by Power et al. (HPCA 2014). Bulk
 * copies look up each page once. A prefetch of an L1's prefetcher is dropped if the page is absent from the TLB.
 * Write-backs of L1 and requests of a host's own L1 are already translated. TLBs keep their pages between kernels and
 * when caches are flushed: pages do not move.
 *
 * Example, tlb.page = 64KiB, tlb.l1_entries = 2, tlb.l2_entries = 4. Five loads of the pages A, B, A, C, B: A, B and C
 * miss both TLBs, and need three walks. The second load of A hits the L1 TLB. C evicts B from the L1 TLB, because A was
 * used after B. The second load of B misses the L1 TLB and hits the L2 TLB. The L1 TLB has five accesses and one hit;
 * the L2 TLB has four accesses and one hit.
 */
#define GPCI_NO_PAGE UINT64_MAX

/* The pages of a set are in order of use, the last used page first. GPCI_NO_PAGE from the first free way on. */
typedef struct gpci_tlb {
    uint64_t *pages; /* [sets][ways] */
    uint32_t sets, ways;
} gpci_tlb;

typedef struct gpci_tlbs {
    gpci_tlb *l1;      /* [sms] */
    gpci_tlb *l2;      /* [gpus] sets = 0: no L2 TLB exists */
    uint64_t *engine;  /* [sms] page of the SM's last request of a bulk copy */
    uint64_t *pages;   /* memory of all TLBs */
    size_t page_count; /* size of `pages` */
    uint32_t gpu_sms;  /* SMs of a GPU */
    unsigned shift;    /* log2 of the page size */
} gpci_tlbs;

/* Create hierarchy->tlbs if tlb.page is a size. GPC_ERROR_RANGE: impossible or ineffective keys; GPC_ERROR_MEMORY. */
gpc_status gpci_tlbs_create(gpc_hierarchy *hierarchy, gpc_error *error);
void gpci_tlbs_destroy(gpc_hierarchy *hierarchy);
void gpci_tlbs_state(gpci_tlbs *tlbs, gpci_state_fn visit, void *user_data);

/* True if a page is present. A present page becomes the last used page of its set. */
bool gpci_tlb_look(gpci_tlb *tlb, uint64_t page);
/* True if a page is present. The order of use does not change. */
bool gpci_tlb_has(const gpci_tlb *tlb, uint64_t page);
/* Insert an absent page. If the set is full, the least recently used page is evicted. */
void gpci_tlb_fill(gpci_tlb *tlb, uint64_t page);

/*
 * For the functional driver: look up the page of an SM's access (_access) or bulk copy (_bulk) in the SM's L1 TLB.
 * Count the lookup, and insert an absent page. True: the L1 TLB has lacked the page, and gpci_tlbs_below is to be
 * called.
 */
GPCI_COLD bool gpci_tlbs_access(gpc_hierarchy *hierarchy, uint32_t sm, uint64_t address);
GPCI_COLD bool gpci_tlbs_bulk(gpc_hierarchy *hierarchy, uint32_t sm, uint64_t address);
/* Look up the page in the L2 TLB of the SM's GPU. Count the lookup and the walk, and insert an absent page. */
GPCI_COLD void gpci_tlbs_below(gpc_hierarchy *hierarchy, uint32_t sm, uint64_t address);

/* Count a lookup of an SM's L1 TLB, a lookup of the L2 TLB, or a walk. */
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
