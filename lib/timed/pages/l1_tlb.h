/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_L1_TLB_H
#define GPC_TIMED_L1_TLB_H

#include "level/access/tlb.h"
#include "timed/core/timed.h"

/*
 * An SM's L1 TLB, between the coalescer and L1's tags (or the reorder buffer):
 *
 *  packets -> in -> lookup: found -> passed -> before L1's tags, after tlb.l1_latency
 *                     |                ^
 *                MSHR entry of the page, until the L2 TLB answers
 *
 * Packets of known pages overtake packets of unknown pages, as in MGPUSim and gem5. Packets of a page keep order, and
 * so do accesses of an address. A fence waits until no earlier packet waits. An instruction counts as before L1's tags
 * until the last line has passed: a line waiting longer for a page takes no place of `l1.queue`, but an MSHR entry of
 * the TLB.
 *
 * Example, tlb.l1_latency = 1, tlb.l2_latency = 69: a load looked up at cycle 100, with a page known only to the L2
 * TLB, is at L1's tags at 170; a load of a known page, looked up in the same cycle, at 101.
 */
typedef struct gpci_tlb_miss {
    uint64_t page;
    uint64_t earliest;           /* earliest core cycle of the answer, set by the L2 TLB's lookup */
    uint64_t due;                /* core cycle of the answer; GPCI_NEVER: not known yet */
    uint32_t first, last, count; /* waiting packets */
    uint32_t next;               /* next entry waiting for the same walk (l2_tlb.h) */
    bool used;
    bool engine; /* the copy engine waits, too */
} gpci_tlb_miss;

typedef struct gpci_l1_tlb {
    gpci_tlb *tags;
    gpci_tlb_miss *misses; /* [entries] */
    uint32_t *asks;        /* [entries] ring of entries not yet looked up in the L2 TLB */
    uint64_t *engine;      /* gpci_tlbs.engine */
    uint32_t shift, ports, latency, entries;
    uint64_t merges;
    /* within a cycle */
    uint64_t cycle;   /* cycle of `lookups` */
    uint32_t lookups; /* lookups in `cycle` */
    bool asking;      /* with shards: the L2 TLB does not know yet that `asks` has entries (gpci_l2_tlb_settle) */
    bool freed;       /* room has appeared since a packet was held up */
    /* state */
    gpci_queue in;     /* before the lookup */
    gpci_queue passed; /* after the lookup */
    uint32_t used;     /* MSHR entries in use */
    uint32_t waiting;  /* packets at MSHR entries */
    uint32_t first_ask, ask_count;
    uint64_t since; /* core cycle since which the first packet of `in` is held up; or GPCI_NEVER */
    uint64_t hits_merged, stalls;
#ifdef GPCI_CHECK
    uint64_t stalls_again; /* cycles in which waits ended, minus cycles in which waits began */
#endif
    gpci_gauge wait_gauge;
} gpci_l1_tlb;

/* The TLB of an L1; NULL if tlb.page is none. */
GPCI_INLINE gpci_l1_tlb *gpci_l1_tlb_of(const gpci_ctrl *ctrl) {
    return ctrl->parts.self[GPCI_PART_TLB];
}

/*
 * True if the copy engine may send a request to an address. If false, the TLB asks for the page, and L1 is stepped once
 * the page is known.
 */
GPCI_COLD bool gpci_l1_tlb_lets_copy(gpci_timed *timed, gpci_ctrl *ctrl, uint64_t address);
/* True if a prefetch's page is known. */
GPCI_COLD bool gpci_l1_tlb_lets_prefetch(const gpci_ctrl *ctrl, uint64_t address);

/* The L2 TLB answers MSHR entry `miss` at core cycle `cycle`; L1 is stepped at the cycle. */
void gpci_l1_tlb_answer(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t miss, uint64_t cycle);

#endif
