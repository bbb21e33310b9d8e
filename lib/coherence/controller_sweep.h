/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_COHERENCE_CONTROLLER_SWEEP_H
#define GPC_COHERENCE_CONTROLLER_SWEEP_H

#include "coherence/controller.h"

/* Sweeps of all blocks of a module, in time: controller_sweep.c. */

typedef enum gpci_sweep {
    GPCI_SWEEP_ACQUIRE,
    GPCI_SWEEP_RELEASE,
    GPCI_SWEEP_EVICT,
    GPCI_SWEEP_RECALL,
    GPCI_SWEEP_MARK
} gpci_sweep;

typedef struct gpci_sweep_order {
    uint32_t from, module; /* another than `module` tells it by a message, and has an answer: an ACQUIRE's alone */
    gpci_sweep kind;
    uint32_t abreast; /* blocks that leave, or are waited for, at a time: 1 or more */
} gpci_sweep_order;

/* Begin one, in this cycle. There is room for an access. Returns its access. */
uint32_t gpci_controllers_sweep(gpci_controllers *e, const gpci_sweep_order *order);
/* An ACQUIRE or RELEASE of a module's own blocks, of a request that is known to be sound. There is room. */
uint32_t gpci_controllers_acquire(gpci_controllers *e, const gpc_coherence_request *request);
/* Would one that begins where nothing is in flight find anything to do? */
bool gpci_controllers_sweeps(const gpci_controllers *e, uint32_t module, gpci_sweep kind);
/* Of one that ends: blocks that ACQUIRE rules have dropped. */
GPCI_INLINE uint32_t gpci_sweep_dropped(const gpci_controllers *e, const gpci_tree_flight *flight) {
    return gpci_task_at(e, flight->task)->dropped;
}

#endif
