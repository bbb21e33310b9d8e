/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_FENCE_H
#define GPC_LEVEL_FENCE_H

#include "level/rules/hierarchy.h"

/*
 * Effect of a fence on the levels, without time: up to three steps, in the order of the fields.
 *
 * Example, a warp of h100 executes MEMBAR.SC.GPU; CCTL.IVALL. Under coherence = none the first waits for the SM's
 * writes; the second makes L1 write back dirty data and drop its lines. Under viper the first does all three.
 */
typedef struct gpci_fence_plan {
    bool waits;      /* wait until the SM's earlier writes are performed in L2 */
    bool write_back; /* write dirty bytes of the SM's L1 to L2 */
    bool invalidate; /* drop the lines of the SM's L1 */
    bool marks;      /* in a tree: send markers behind invalidations caused by the SM's stores */
} gpci_fence_plan;

/* True for scopes whose threads meet below L1. */
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
 * True if the hierarchy executes an instruction with these properties: a fence, or control of a whole L1. For other
 * ordering instructions of traces (ERRBAR, control of single lines) the warp itself waits.
 */
GPCI_INLINE bool gpci_fence_is_full(uint8_t order, uint8_t control) {
    return order > GPC_ORDER_RELAXED || control == GPC_CONTROL_INVALIDATE_ALL || control == GPC_CONTROL_WRITE_BACK_ALL;
}

/* Check a configuration with coherence = viper; one error message has all needed settings. */
gpc_status gpci_viper_check(const gpc_hierarchy *hierarchy, gpc_error *error);

/* Without time: true if the fence has an effect. */
bool gpci_fence_acts(const gpc_hierarchy *hierarchy, const gpc_fence *fence);

/* Copy a host's fence to `ours`, with defaults of GPC_FENCE_INIT. Returns as gpc_hierarchy_fence. */
gpc_status gpci_fence_take(const gpc_hierarchy *hierarchy, const gpc_fence *fence, gpc_fence *ours, gpc_error *error);

#endif
