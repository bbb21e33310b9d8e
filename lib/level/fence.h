/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_FENCE_H
#define GPC_LEVEL_FENCE_H

#include "level/hierarchy.h"

/*
 * What a fence means to the levels, without time: three steps at most, in this order.
 *
 * Example, a warp of h100 does MEMBAR.SC.GPU; CCTL.IVALL. Under coherence = none the first waits for the SM's writes,
 * the second has L1 write back what is dirty and drop its lines. Under viper the first does all three.
 */
typedef struct gpci_fence_plan {
    bool waits;      /* for the SM's earlier writes to be performed in L2 */
    bool write_back; /* dirty bytes of the SM's L1 go to L2 */
    bool invalidate; /* the SM's L1 drops what it holds */
    bool marks;      /* in a tree: markers follow the invalidations that the SM's stores have caused */
} gpci_fence_plan;

/* Scopes whose threads meet below L1. */
GPCI_INLINE bool gpci_scope_is_wide(uint8_t scope) {
    return scope != GPC_SCOPE_CTA;
}

GPCI_INLINE bool gpci_order_acquires(uint8_t order) {
    return order == GPC_ORDER_ACQUIRE || order == GPC_ORDER_ACQ_REL || order == GPC_ORDER_SC;
}

GPCI_INLINE bool gpci_order_releases(uint8_t order) {
    return order == GPC_ORDER_RELEASE || order == GPC_ORDER_ACQ_REL || order == GPC_ORDER_SC;
}

gpci_fence_plan gpci_fence_plan_of(const gpc_hierarchy *h, uint8_t scope, uint8_t order, uint8_t control);

/*
 * Does the hierarchy itself carry out an instruction of these properties? Of traces: a fence, or control of a whole L1.
 * Everything else that orders (ERRBAR, control of single lines) is its warp's to wait at.
 */
GPCI_INLINE bool gpci_fence_is_whole(uint8_t order, uint8_t control) {
    return order > GPC_ORDER_RELAXED || control == GPC_CONTROL_INVALIDATE_ALL || control == GPC_CONTROL_WRITE_BACK_ALL;
}

/* With coherence = viper: may the configuration have it? All that it needs in one message. */
gpc_status gpci_viper_check(const gpc_hierarchy *h, gpc_error *error);

/* Without time: does it change anything? */
bool gpci_fence_acts(const gpc_hierarchy *h, const gpc_fence *fence);

/* A host's fence, copied to `ours`, which is filled in with GPC_FENCE_INIT. As gpc_hierarchy_fence returns. */
gpc_status gpci_fence_take(const gpc_hierarchy *h, const gpc_fence *fence, gpc_fence *ours, gpc_error *error);

#endif
