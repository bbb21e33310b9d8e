/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_REORDER_H
#define GPC_TIMED_REORDER_H

#include "base/base.h"

/*
 * The memory request prioritization buffer: queues between an SM's coalescer and L1's tags, first in, first out, per
 * group of transactions to keep together (a block, warp or instruction). The coalescer delivers as many transactions
 * per cycle as the tags take, in order: if the queue of the next transaction is full, the coalescer waits, and the SM
 * behind, too. An empty buffer adds no cycle.
 *
 * Loads may pass loads. Writes and atomics pass no transaction, and are never passed: a write enters the empty buffer,
 * and leaves before the next transaction enters. So all accesses of a warp to a line stay in observable order.
 */
typedef enum gpci_reorder_signature {
    GPCI_REORDER_NONE = 0,
    GPCI_REORDER_BLOCK = 1,
    GPCI_REORDER_WARP = 2,
    GPCI_REORDER_PC = 3
} gpci_reorder_signature;

typedef enum gpci_drain {
    GPCI_DRAIN_FIXED = 0, /* queue 0 before 1, and so on */
    GPCI_DRAIN_ROUND_ROBIN = 1,
    GPCI_DRAIN_LONGEST = 2,
    GPCI_DRAIN_OLDEST = 3 /* by the transaction at the head */
} gpci_drain;

typedef struct gpci_reorder_options {
    gpci_reorder_signature signature;
    gpci_drain drain;
    bool greedy; /* continue with a queue until empty */
    uint32_t queues, entries;
} gpci_reorder_options;

#endif
