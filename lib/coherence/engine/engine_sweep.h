/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_COHERENCE_ENGINE_SWEEP_H
#define GPC_COHERENCE_ENGINE_SWEEP_H

#include "coherence/engine/engine.h"

/* Sweeps over all blocks of a module, which take time. The kinds are explained in engine_sweep.c. */

typedef enum gpci_sweep {
    GPCI_SWEEP_ACQUIRE,
    GPCI_SWEEP_RELEASE,
    GPCI_SWEEP_EVICT,
    GPCI_SWEEP_RECALL,
    GPCI_SWEEP_MARK,
    GPCI_SWEEP_FLUSH
} gpci_sweep;

typedef struct gpci_sweep_order {
    uint32_t from, module; /* if `from` is not `module` (only ACQUIRE), `from` sends a message and gets an answer */
    gpci_sweep kind;
    uint32_t abreast; /* upper bound of the blocks in progress at a time: 1 or more */
} gpci_sweep_order;

/* Begin a sweep in the current cycle; room has been made. Returns the access. */
uint32_t gpci_engine_sweep(gpci_engine *engine, const gpci_sweep_order *order);
/* Begin a sweep of a single valid block. `policy_request`: request shown to policies. */
uint32_t gpci_engine_sweep_block(gpci_engine *engine, uint32_t module, uint32_t block, gpci_sweep kind,
                                 const gpc_request *policy_request);
/* Begin an ACQUIRE or RELEASE of a module's own blocks, from a valid request; room has been made. */
uint32_t gpci_engine_acquire(gpci_engine *engine, const gpc_coherence_request *request);
/* True if a sweep would act on a block of the module, assuming that nothing is in flight. */
bool gpci_engine_sweeps(const gpci_engine *engine, uint32_t module, gpci_sweep kind);
/* Number of blocks that an ending sweep dropped by ACQUIRE rules. */
GPCI_INLINE uint32_t gpci_sweep_dropped(const gpci_engine *engine, const gpci_tree_inflight *inflight) {
    return gpci_task_at(engine, inflight->task)->dropped;
}

#endif
