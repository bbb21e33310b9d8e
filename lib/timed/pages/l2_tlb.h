/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_L2_TLB_H
#define GPC_TIMED_L2_TLB_H

#include "timed/pages/l1_tlb.h"

/*
 * The L2 TLB of all SMs of a GPU and the walkers of the page table: a component, stepped after all L1s. It looks up a
 * number of pages per cycle, of SMs in turn. A miss takes an MSHR entry, shared by other SMs' misses of the page, and
 * after the lookup waits for a walker. Walks take equally long, so MSHR entries become free in the order taken: a ring,
 * with the first `walking` entries being walked. A miss without room holds up all later lookups, until a walk ends.
 *
 * Example, tlb.l2_latency = 69, tlb.walk_latency = 100, 1 walker: SMs 0 and 1 miss page A at cycle 10, SM 2 page B. A
 * walk of A from 79 to 179 fills both L1 TLBs; the walk of B runs from 179 to 279.
 */
typedef struct gpci_tlb_walk {
    uint64_t page;
    uint64_t ready;       /* earliest core cycle of the start */
    uint64_t due;         /* core cycle of the end, once started */
    uint32_t mshr_target; /* last waiting MSHR entry of an L1 TLB: number, counted over all SMs */
    uint32_t count;       /* waiting entries */
} gpci_tlb_walk;

typedef struct gpci_l2_tlb {
    gpci_tlb *tags;
    gpci_tlb_walk *walks; /* [entries], a ring */
    uint64_t *asking;     /* bitmap of the SMs, of all GPUs, with pages to look up */
    uint32_t ports, latency, entries, walkers, walk_latency, component;
    uint64_t merges;
    uint32_t first, count, walking; /* in the ring: first entry, entries, entries being walked */
    uint32_t next_sm;               /* SM that has the turn; without a page to look up, the turn goes to a later SM */
    uint64_t since;                 /* core cycle since which lookups are held up; or GPCI_NEVER */
    uint64_t hits_merged, stalls;
#ifdef GPCI_CHECK
    uint64_t stalls_again; /* cycles in which waits ended, minus cycles in which waits began */
#endif
    gpci_gauge walk_gauge, wait_gauge;
} gpci_l2_tlb;

/* An SM's L1 TLB has a page to look up, from the present cycle on. */
void gpci_l2_tlb_asked(gpci_timed *timed, gpci_ctrl *ctrl);
/* With shards, at the end of a phase: note which L1 TLBs have pages to look up. */
void gpci_l2_tlb_settle(gpci_timed *timed);

#ifdef GPCI_CHECK
/* Second counts of the L2 TLBs, for the ledger, in the checking build (base/check.h). */
void gpci_l2_tlb_count_again(const gpci_timed *timed, gpc_stats *stats);
#endif

#endif
