/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_FENCE_H
#define GPC_LEVEL_FENCE_H

#include "level/rules/hierarchy.h"

/*
 * Steps of a fence, in the order of the fields. A plan does not tell how long a step takes.
 *
 * Example, a warp of h100 executes MEMBAR.SC.GPU, and then CCTL.IVALL. With coherence = none, MEMBAR waits for the SM's
 * writes, and CCTL makes L1 write back dirty data and drop all lines. With coherence = viper, MEMBAR does all three
 * steps.
 */
typedef struct gpci_fence_plan {
    bool waits;      /* wait until the SM's earlier writes are performed in L2 */
    bool write_back; /* write dirty bytes of the SM's L1 to L2 */
    bool invalidate; /* drop the lines of the SM's L1 */
    bool marks;      /* in a tree: send markers after the invalidations that the SM's stores have caused */
} gpci_fence_plan;

/* True if the threads of the scope may run on several SMs, and so communicate below L1. */
GPCI_INLINE bool gpci_scope_is_wide(uint8_t scope) {
    return scope != GPC_SCOPE_CTA;
}

GPCI_INLINE bool gpci_order_acquires(uint8_t order) {
    return order == GPC_ORDER_ACQUIRE || order == GPC_ORDER_ACQ_REL || order == GPC_ORDER_SC;
}

GPCI_INLINE bool gpci_order_releases(uint8_t order) {
    return order == GPC_ORDER_RELEASE || order == GPC_ORDER_ACQ_REL || order == GPC_ORDER_SC;
}

gpci_fence_plan gpci_fence_plan_of(const gpc_hierarchy *hierarchy, uint8_t scope, uint8_t order, uint8_t control);

/*
 * True if the hierarchy executes an ordering instruction of a trace: a fence, or control of a whole L1. For other
 * ordering instructions (ERRBAR, control of single lines) the hierarchy does nothing, and only the warp waits.
 */
GPCI_INLINE bool gpci_fence_is_full(uint8_t order, uint8_t control) {
    return order > GPC_ORDER_RELAXED || control == GPC_CONTROL_INVALIDATE_ALL || control == GPC_CONTROL_WRITE_BACK_ALL;
}

/* If coherence = viper, check the configuration. If settings are missing, a single error message names all of them. */
gpc_status gpci_viper_check(const gpc_hierarchy *hierarchy, gpc_error *error);

/* True if the fence changes the contents of caches, and does not only wait. */
bool gpci_fence_acts(const gpc_hierarchy *hierarchy, const gpc_fence *fence);

/* Copy a host's fence to `ours`, with defaults of GPC_FENCE_INIT. Returns as gpc_hierarchy_fence. */
gpc_status gpci_fence_take(const gpc_hierarchy *hierarchy, const gpc_fence *fence, gpc_fence *ours, gpc_error *error);

#endif
