/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_REORDER_H
#define GPC_TIMED_REORDER_H

#include "timed/component/holders.h"
#include "timed/component/packet.h"

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

typedef struct gpci_reorder_counts {
    uint64_t cycles;    /* gauge: transactions held */
    uint64_t reordered; /* transactions that passed an older transaction */
    uint64_t switches;  /* the tags took from another queue than before */
    uint64_t flushes;   /* writes that had to wait for the buffer to empty */
    uint64_t stalls;    /* core cycles of waiting of the coalescer */
#ifdef GPCI_CHECK
    uint64_t cycles_again;   /* by queue */
    uint64_t switches_again; /* takes that were not the next of the queue */
    uint64_t flushes_again;  /* writes that entered after a wait */
#endif
} gpci_reorder_counts;

typedef struct gpci_reorder gpci_reorder;
struct gpci_timed;
struct gpci_ctrl;

/* `options` are borrowed. GPC_ERROR_MEMORY. */
gpc_status gpci_reorder_create(gpc_context *context, const gpci_reorder_options *options, gpci_reorder **out);
void gpci_reorder_destroy(gpci_reorder *reorder);

/* Take the coalescer's transactions of this cycle. */
void gpci_reorder_fill(struct gpci_timed *t, struct gpci_ctrl *ctrl);
/* Queue with the next transaction for the tags; or an empty queue. */
gpci_queue *gpci_reorder_choose(const struct gpci_timed *t, struct gpci_ctrl *ctrl);
/* The transaction of this number (gpci_packet.tags) has left, past the tags. */
void gpci_reorder_passed(struct gpci_timed *t, struct gpci_ctrl *ctrl, uint64_t number);
/* The tags are done for this cycle. */
void gpci_reorder_settle(struct gpci_timed *t, struct gpci_ctrl *ctrl);

/* Holders of the buffer and before the buffer (holders.h). `what`, `tags`: of packets before L1's tags. */
void gpci_reorder_hold(const struct gpci_timed *t, const struct gpci_ctrl *ctrl, gpci_holders *to, const char *what,
                       gpci_mover tags);
void gpci_reorder_state(gpci_reorder *reorder, gpci_state_fn visit, void *user_data);

gpci_reorder_counts gpci_reorder_get_counts(const gpci_reorder *reorder, uint64_t now);
void gpci_reorder_reset_counts(gpci_reorder *reorder, uint64_t now);

#endif
