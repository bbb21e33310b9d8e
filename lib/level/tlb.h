/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_TLB_H
#define GPC_LEVEL_TLB_H

#include "level/hierarchy.h"

/*
 * Address translation (keys tlb.*): a TLB for each SM's L1, one behind all of them, and walks of the page table. Pages
 * are of one size, and a page lies in memory where its virtual address says: so a translation takes time, and changes
 * nothing else. What a TLB holds is here, for both drivers; what takes time is in timed/l1_tlb.c and l2_tlb.c.
 *
 * Line transactions are looked up, behind the coalescer, as Power et al. (HPCA 2014) found to be best. So are the pages
 * of bulk copies, one by one; prefetches of an L1's prefetcher are of pages that its TLB has, or are dropped. What an
 * L1 writes back, or a host's own L1 asks for, is translated already. TLBs keep what they hold between kernels, and
 * when caches are flushed: pages stay where they are.
 *
 * Example, tlb.page = 64KiB, tlb.l1_entries = 2, tlb.l2_entries = 4: loads of pages A, B, A, C, B find nothing,
 * nothing, A, nothing (A was used after B, which leaves), and B in the L2 TLB: five accesses and one hit of the L1 TLB,
 * four and one of the L2 TLB, three walks.
 */
#define GPCI_NO_PAGE UINT64_MAX

/* Pages of a set in order of their use, the last one first; GPCI_NO_PAGE from the first free way on. */
typedef struct gpci_tlb {
    uint64_t *pages; /* [sets][ways] */
    uint32_t sets, ways;
} gpci_tlb;

typedef struct gpci_tlbs {
    gpci_tlb *l1;      /* [sms] */
    gpci_tlb l2;       /* no sets: there is none */
    uint64_t *engine;  /* [sms] page of the last request of an SM's bulk copies */
    uint64_t *pages;   /* the memory of all of them, */
    size_t page_count; /* so many */
    unsigned shift;    /* log2 of a page's bytes */
} gpci_tlbs;

/* h->tlbs, where tlb.page is a size. GPC_ERROR_RANGE for what cannot be, or has no effect; GPC_ERROR_MEMORY. */
gpc_status gpci_tlbs_create(gpc_hierarchy *h, gpc_error *error);
void gpci_tlbs_destroy(gpc_hierarchy *h);
void gpci_tlbs_state(gpci_tlbs *tlbs, gpci_state_fn visit, void *user_data);

/* Is a page there? Then it was used last. */
bool gpci_tlb_look(gpci_tlb *tlb, uint64_t page);
/* The same, which is no use. */
bool gpci_tlb_has(const gpci_tlb *tlb, uint64_t page);
/* A page that is not there takes the place of the one that was used least recently. */
void gpci_tlb_fill(gpci_tlb *tlb, uint64_t page);

/* Without a clock: an address of an SM's access, or of its bulk copies, is looked up and brought into the TLBs. */
GPCI_COLD void gpci_tlbs_access(gpc_hierarchy *h, uint32_t sm, uint64_t address);
GPCI_COLD void gpci_tlbs_bulk(gpc_hierarchy *h, uint32_t sm, uint64_t address);

/* A lookup of an SM's L1 TLB, of the L2 TLB; a walk. */
GPCI_INLINE void gpci_count_l1_tlb(gpc_hierarchy *h, uint32_t sm, bool hit) {
    h->of_sm[sm].tlb_l1_accesses++;
    h->of_sm[sm].tlb_l1_hits += hit;
}
GPCI_INLINE void gpci_count_l2_tlb(gpc_hierarchy *h, bool hit) {
    h->stats.tlb_l2_accesses++;
    h->stats.tlb_l2_hits += hit;
}
GPCI_INLINE void gpci_count_walk(gpc_hierarchy *h) {
    h->stats.tlb_walks++;
}

#endif
