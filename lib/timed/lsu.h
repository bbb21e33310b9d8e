/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_LSU_H
#define GPC_TIMED_LSU_H

#include "timed/coherent.h"

/*
 * l1.coalescer = multi2sim: the load/store units of an SM, as Multi2Sim 5.0 has them, before a coherent L1. Each lane
 * of a warp instruction is an access of its own. A unit begins its instructions in order, all accesses of one in one
 * cycle, if fewer than l1.mshr_entries of this L1 are in flight in that cycle, those not counted that are part of
 * others; so more may be in flight than that. From there on controllers order and join them (controller_access.c):
 *
 *   load    is part of a load of its block that is in flight, if there are only loads between them; else it waits for
 *           stores (atomics) before it, and for accesses to its block
 *   store   is part of the access just before it, if that is a store of the same kind to its block
 *
 * What is no part of another is looked up, and counted. Lookups take ports for the latency of L1's directory, which is
 * none: so neither tag ports nor the data port hold up an access, only messages.
 *
 * An instruction is in flight in its unit until all its accesses have signalled: loads when they are done, stores too,
 * but for those that are part of others, which do so at once.
 *
 * With sm.lsu_waits = false an instruction is done as soon as its accesses have begun: then only that limit on accesses
 * in flight holds a warp up.
 *
 * Example, nmoesi, L1 empty: the 32 lanes of a load take a line's 32 words. The first is looked up and misses, 31 are
 * part of it. A store of each lane to the same line follows while that is in flight: the first waits for the load, 31
 * are part of the first; it is looked up when the load has ended, and hits.
 */
typedef struct gpci_lsu {
    gpci_queue queue;   /* packets of its instructions, one for each lane and line */
    uint32_t in_flight; /* instructions that have begun, and have not signalled */
    bool half;          /* of the first that waits some accesses have begun: memory ran out */
} gpci_lsu;

typedef struct gpci_lsus {
    uint32_t count, most; /* units; instructions in flight in each */
    bool waits;           /* for what its instructions have begun */
    gpci_lsu units[];
} gpci_lsus;

/* Those of an L1; none where l1.coalescer = warp. GPC_ERROR_MEMORY. */
gpc_status gpci_lsus_create(const gpci_timed *t, gpci_stage *stage);
void gpci_lsus_destroy(const gpci_timed *t, gpci_stage *stage);
void gpci_lsus_hold(const gpci_timed *t, const gpci_stage *stage, gpci_holders *to);
void gpci_lsus_state(gpci_lsus *lsus, gpci_state_fn visit, void *user_data);
/* In place of L1's tags: what can begin begins. */
void gpci_lsus_step(gpci_timed *t, gpci_stage *stage);
/* As gpci_controller_host.joined and .ended. */
void gpci_lsu_joined(gpci_timed *t, uint32_t flight);
void gpci_lsu_ended(gpci_timed *t, uint32_t flight);

/* Where a warp's packets wait to be begun. */
GPCI_INLINE gpci_queue *gpci_lsu_queue(const gpci_stage *stage, uint32_t warp) {
    return &stage->lsus->units[warp % stage->lsus->count].queue;
}

#endif
