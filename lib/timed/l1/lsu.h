/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_LSU_H
#define GPC_TIMED_LSU_H

#include "timed/core/coherent.h"

/*
 * l1.coalescer = multi2sim: load/store units of an SM before a coherent L1, as in Multi2Sim 5.0. Every lane of a warp
 * instruction is an access. A unit begins instructions in order, all accesses of an instruction in a cycle, if fewer
 * than l1.mshr_entries accesses of the L1 are in flight (accesses that are part of others do not count). Since all
 * accesses of an instruction begin, the number may then exceed the limit. Afterwards the engine orders and joins
 * accesses (engine_access.c):
 *
 *  load    is part of a load in flight of the block, if only loads are between; if not, the load waits
 *          for earlier coherent stores (here: atomics), and for earlier accesses to the block
 *  store   is part of the access directly before, if a store of the same kind to the block
 *
 * Other accesses are looked up and counted. Lookups take ports for the latency of L1's directory (0): neither tag ports
 * nor the data port hold up an access, only messages.
 *
 * An instruction is in flight in the unit until all accesses have signalled: loads and stores when done; stores that
 * are part of others at once.
 *
 * With sm.lsu_waits = false an instruction is done once all accesses have begun: then only the limit on accesses in
 * flight holds a warp up.
 *
 * Example, nmoesi, L1 empty: the 32 lanes of a load take the 32 words of a line. The first is looked up and misses, 31
 * are part of the first. A store of every lane to the line follows meanwhile: the first store waits for the load, 31
 * are part of the first store; after the load, the store is looked up and hits.
 */
typedef struct gpci_lsu {
    gpci_queue queue;   /* packets of instructions, per lane and line */
    uint32_t in_flight; /* instructions begun, but not signalled */
    bool half;          /* memory ran out: only some accesses of the first instruction in `queue` have begun */
} gpci_lsu;

typedef struct gpci_lsus {
    uint32_t count, most; /* number of units, and most instructions in flight per unit */
    bool waits; /* sm.lsu_waits: an instruction is done when the accesses end; if false, when the accesses begin */
    gpci_lsu units[];
} gpci_lsus;

/* As gpci_engine_host.joined and .ended. */
void gpci_lsu_joined(gpci_timed *timed, uint32_t inflight);
void gpci_lsu_ended(gpci_timed *timed, uint32_t inflight);

#endif
