/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_THROTTLE_BLOCK_ORDER_H
#define GPC_POLICIES_THROTTLE_BLOCK_ORDER_H

#include "policies/throttle/siblings.h"

/*
 * Thread blocks of an SM from oldest to youngest. A block's warps are spread over the schedulers, which must agree on
 * the block's order number. The first starting warp of a block, on any scheduler, gives the number; other warps take
 * the number over.
 */
typedef struct gpci_block_warp {
    uint64_t order; /* order number of the warp's block, from 1; 0 = no warp, or a warp not seen yet */
    uint32_t block;
} gpci_block_warp;

/* First member of the instance of every throttle that limits blocks. */
typedef struct gpci_block_order {
    gpci_siblings siblings;
    gpci_block_warp *of_warp; /* [warps] */
    uint32_t warps;
    uint32_t limit;      /* blocks allowed to run */
    uint32_t seen_limit; /* limit for which `admitted` was computed */
    uint64_t youngest;   /* last order number given to a block by this instance */
    uint64_t changes;    /* number of starts and ends of the scheduler's warps */
    uint64_t seen;       /* sum of `changes` of the SM's schedulers when `admitted` was computed */
    uint64_t admitted;   /* highest order number of the blocks allowed to run */
} gpci_block_order;

/* `self` points to an instance that begins with a gpci_block_order. */
void gpci_block_order_init(gpci_block_order *order, const gpc_scheduler_env *env);
void gpci_block_order_finish(void *self);
void gpci_block_order_on_state(void *self, uint32_t slot, gpc_warp_state before, gpc_warp_state after);

/* Number of blocks resident in the SM. */
uint32_t gpci_block_order_count(const gpci_block_order *order);
/* True if no block is resident in the SM. */
bool gpci_block_order_empty(const gpci_block_order *order);

/* Give just started warps their blocks' order numbers. Call first in each `classify`. */
void gpci_block_order_see(gpci_block_order *order, const gpc_throttle_view *view);

/* Throttle all warps, except warps of the oldest `limit` blocks. */
void gpci_block_order_classify(gpci_block_order *order, const gpc_throttle_view *view, gpc_throttle_classes *classes,
                               uint32_t limit);

/* Cost in bits: one scheduler's part of the storage of an SM's schedulers, with env->warps slots each. */
uint64_t gpci_block_order_bits(const gpc_scheduler_env *env);

/* Visit the state for a snapshot. */
void gpci_block_order_state(gpci_block_order *order, gpc_state_fn visit, void *user_data);

#endif
