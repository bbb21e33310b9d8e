/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_COHERENCE_CONTROLLER_SWEEP_H
#define GPC_COHERENCE_CONTROLLER_SWEEP_H

#include "coherence/engine/controller.h"

/* Sweeps over all blocks of a module, in time: controller_sweep.c. */

typedef enum gpci_sweep {
    GPCI_SWEEP_ACQUIRE,
    GPCI_SWEEP_RELEASE,
    GPCI_SWEEP_EVICT,
    GPCI_SWEEP_RECALL,
    GPCI_SWEEP_MARK,
    GPCI_SWEEP_FLUSH
} gpci_sweep;

typedef struct gpci_sweep_order {
    uint32_t from, module; /* `from` other than `module`: `from` sends a message and gets an answer; only ACQUIRE */
    gpci_sweep kind;
    uint32_t abreast; /* most blocks in progress at a time: 1 or more */
} gpci_sweep_order;

/* Begin a sweep in the current cycle; room has been made. Returns the access. */
uint32_t gpci_controllers_sweep(gpci_controllers *e, const gpci_sweep_order *order);
/* Begin a sweep of one valid block. `shown`: request shown to policies. */
uint32_t gpci_controllers_sweep_block(gpci_controllers *e, uint32_t module, uint32_t block, gpci_sweep kind,
                                      const gpc_request *shown);
/* Begin an ACQUIRE or RELEASE of a module's own blocks, from a valid request; room has been made. */
uint32_t gpci_controllers_acquire(gpci_controllers *e, const gpc_coherence_request *request);
/* True if a sweep would find work, with nothing in flight. */
bool gpci_controllers_sweeps(const gpci_controllers *e, uint32_t module, gpci_sweep kind);
/* Blocks dropped by ACQUIRE rules, for a sweep that ends. */
GPCI_INLINE uint32_t gpci_sweep_dropped(const gpci_controllers *e, const gpci_tree_flight *flight) {
    return gpci_task_at(e, flight->task)->dropped;
}

#endif
