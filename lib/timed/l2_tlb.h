/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_L2_TLB_H
#define GPC_TIMED_L2_TLB_H

#include "timed/l1_tlb.h"

/*
 * The L2 TLB of all SMs, and the walkers of the page table behind it: a component of its own, stepped when all L1s
 * have been. Each cycle it looks up so many pages, of SMs in turn. A miss takes an MSHR entry, in which the misses of
 * other SMs for its page wait, too; when the lookup is over, it waits for a walker. Walks take equally long, so that
 * MSHR entries come free in the order in which they were taken: they are a ring, of which the first so many are walked.
 * What finds no room holds up all lookups behind it, until a walk ends.
 *
 * Example, tlb.l2_latency = 69, tlb.walk_latency = 100, 1 walker: SMs 0 and 1 miss page A at cycle 10, SM 2 page B. One
 * walk of A from 79 to 179 fills both L1 TLBs, that of B begins at 179 and ends at 279.
 */
typedef struct gpci_tlb_walk {
    uint64_t page;
    uint64_t ready;  /* core cycle at which it can begin, */
    uint64_t due;    /* and at which it ends, once it has */
    uint32_t waiter; /* the last MSHR entry of an L1 TLB that waits: its number, counted over all SMs */
    uint32_t count;  /* of these */
} gpci_tlb_walk;

typedef struct gpci_l2_tlb {
    gpci_tlb *tags;
    gpci_tlb_walk *walks; /* [entries], a ring */
    uint64_t *asking;     /* bitmap of SMs with pages to look up */
    uint32_t ports, latency, entries, walkers, walk_latency, component;
    uint64_t merges;
    uint32_t first, count, walking; /* of the ring: so many, and so many of these are being walked */
    uint32_t turn;                  /* SM that is asked next, or the next behind it that has something */
    uint64_t since;                 /* core cycle from which lookups have been held up; GPCI_NEVER */
    uint64_t hits_merged, stalls;
    gpci_gauge walk_gauge, wait_gauge;
} gpci_l2_tlb;

/* An SM's L1 TLB has a page to look up, from the present cycle on. */
void gpci_l2_tlb_asked(gpci_timed *t, gpci_stage *stage);
/* With strands: what L1 TLBs have asked for in a phase becomes known when it is over. */
void gpci_l2_tlb_settle(gpci_timed *t);

#endif
