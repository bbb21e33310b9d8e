/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_THROTTLE_BLOCK_ORDER_H
#define GPC_POLICIES_THROTTLE_BLOCK_ORDER_H

#include "policies/throttle/siblings.h"

/*
 * The thread blocks of an SM from oldest to youngest. A block's warps are spread over
 * the schedulers, which must agree on it: the first warp of a block to start on any of
 * them gives the block its order number, and the others take it over.
 */
typedef struct gpci_block_warp {
    uint64_t order; /* of its block, from 1; 0 = no warp, or not seen yet */
    uint32_t block;
} gpci_block_warp;

/* The start of an instance of each throttle that limits blocks. */
typedef struct gpci_block_order {
    gpci_siblings siblings;
    gpci_block_warp *of_warp; /* [warps] */
    uint32_t warps;
    uint32_t limit; /* blocks that may run */
    uint32_t seen_limit;
    uint64_t youngest; /* the last order number that it gave to a block */
    uint64_t changes;  /* starts and ends of its warps */
    uint64_t seen;     /* changes on all schedulers when `admitted` was found */
    uint64_t admitted; /* blocks up to this order number run */
} gpci_block_order;

/* `self` points to the gpci_block_order that starts it. */
void gpci_block_order_init(gpci_block_order *order, const gpc_scheduler_env *env);
void gpci_block_order_finish(void *self);
void gpci_block_order_on_state(void *self, uint32_t slot, gpc_warp_state before, gpc_warp_state after);

/* Blocks resident in the SM, and whether there are none. */
uint32_t gpci_block_order_count(const gpci_block_order *order);
bool gpci_block_order_empty(const gpci_block_order *order);

/* Give warps that have just started their blocks' order numbers; first of all in each `classify`. */
void gpci_block_order_see(gpci_block_order *order, const gpc_throttle_view *view);

/* Throttle the warps of all but the oldest `limit` blocks. */
void gpci_block_order_classify(gpci_block_order *order, const gpc_throttle_view *view, gpc_throttle_classes *classes,
                               uint32_t limit);

/* Storage for an SM's schedulers of env->warps slots each, as each scheduler's part of it. */
uint64_t gpci_block_order_bits(const gpc_scheduler_env *env);

/* What it holds, for a snapshot. */
void gpci_block_order_state(gpci_block_order *order, gpc_state_fn visit, void *user_data);

#endif
