/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_L1_TLB_H
#define GPC_TIMED_L1_TLB_H

#include "level/access/tlb.h"
#include "timed/timed.h"

/*
 * An SM's L1 TLB, between the coalescer and L1's tags (or its reorder buffer):
 *
 *   packets -> in -> lookup: found -> passed -> before L1's tags, after tlb.l1_latency
 *                      |                ^
 *                 MSHR entry of the page, until the L2 TLB answers
 *
 * Packets of pages that are there go past those of pages that are not, as in MGPUSim and gem5; those of one page keep
 * their order, and so do accesses of one address. A fence waits until nothing before it waits. An instruction counts as
 * before L1's tags until its last line has passed them: lines of it that wait for a page longer than that one hold none
 * of `l1.queue`, but an MSHR entry here.
 *
 * Example, tlb.l1_latency = 1, tlb.l2_latency = 69: a load of a page that only the L2 TLB has, looked up at cycle 100,
 * is at L1's tags at 170; one of a page that is there, looked up in the same cycle, at 101.
 */
typedef struct gpci_tlb_miss {
    uint64_t page;
    uint64_t earliest;           /* core cycle before which it cannot be answered: set by the L2 TLB's lookup */
    uint64_t due;                /* at which it is; GPCI_NEVER: that is not known yet */
    uint32_t first, last, count; /* packets that wait for it */
    uint32_t next;               /* that waits for the same walk (l2_tlb.h) */
    bool used;
    bool engine; /* the copy engine waits for it, too */
} gpci_tlb_miss;

typedef struct gpci_l1_tlb {
    gpci_tlb *tags;
    gpci_tlb_miss *misses; /* [entries] */
    uint32_t *asks;        /* [entries] of them, a ring: those that the L2 TLB has not looked up yet */
    uint64_t *engine;      /* gpci_tlbs.engine */
    uint32_t shift, ports, latency, entries;
    uint64_t merges;
    gpci_queue in;     /* before the lookup */
    gpci_queue passed; /* behind it */
    uint64_t cycle;    /* in which so many */
    uint32_t lookups;  /* were made */
    uint32_t used;     /* MSHR entries */
    uint32_t waiting;  /* packets at these */
    uint32_t first_ask, ask_count;
    bool asking;    /* the L2 TLB has not been told of these (gpci_l2_tlb_settle) */
    bool relieved;  /* something has come free since a packet was held up */
    uint64_t since; /* core cycle from which it has been; GPCI_NEVER */
    uint64_t hits_merged, stalls;
    gpci_gauge wait_gauge;
} gpci_l1_tlb;

/* That of an L1; none where tlb.page is none. GPC_ERROR_MEMORY. */
gpc_status gpci_l1_tlb_create(const gpci_timed *t, gpci_stage *stage);
void gpci_l1_tlb_destroy(const gpci_timed *t, gpci_stage *stage);
void gpci_l1_tlb_reset(gpci_l1_tlb *tlb, uint64_t now);
void gpci_l1_tlb_state(gpci_l1_tlb *tlb, gpci_state_fn visit, void *user_data);
void gpci_l1_tlb_count(const gpci_l1_tlb *tlb, uint64_t now, gpc_stats *stats);
void gpci_l1_tlb_hold(const gpci_timed *t, const gpci_stage *stage, gpci_holders *to);

/* What has been answered is filled in; as many packets are looked up as ports let; those that are through go on. */
GPCI_COLD void gpci_l1_tlb_step(gpci_timed *t, gpci_stage *stage);
/* May the copy engine send a request to an address? Else its page is asked for, and L1 is stepped when it is there. */
GPCI_COLD bool gpci_l1_tlb_lets_copy(gpci_timed *t, gpci_stage *stage, uint64_t address);
/* Is a prefetch's page there? */
GPCI_COLD bool gpci_l1_tlb_lets_prefetch(const gpci_stage *stage, uint64_t address);

/* What an MSHR entry is for is known at a core cycle: L1 is stepped then. */
void gpci_l1_tlb_answer(gpci_timed *t, gpci_stage *stage, uint32_t miss, uint64_t cycle);

#endif
