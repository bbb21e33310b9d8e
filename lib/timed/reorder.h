/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_REORDER_H
#define GPC_TIMED_REORDER_H

#include "timed/holders.h"
#include "timed/packet.h"

/*
 * The memory request prioritization buffer: queues between an SM's coalescer and L1's tags, one for each of the blocks,
 * groups of warps or instructions whose transactions are to stay together, each first in, first out. The coalescer
 * delivers as many transactions a cycle as the tags take, in order: where the queue of its next one is full, it waits,
 * and the SM behind it. In an empty buffer nothing waits a cycle.
 *
 * Loads may pass loads. Nothing passes a write or an atomic, nor does that pass anything: it enters the buffer once
 * that is empty, and leaves it before the next transaction enters. So all accesses of a warp to a line stay in order as
 * far as one can tell.
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
    GPCI_DRAIN_OLDEST = 3 /* by the transaction at its head */
} gpci_drain;

typedef struct gpci_reorder_options {
    gpci_reorder_signature signature;
    gpci_drain drain;
    bool greedy; /* go on with a queue until it is empty */
    uint32_t queues, entries;
} gpci_reorder_options;

typedef struct gpci_reorder_counts {
    uint64_t cycles;    /* gauge: transactions held */
    uint64_t reordered; /* transactions that passed an older one */
    uint64_t switches;  /* the tags took from another queue than before */
    uint64_t flushes;   /* writes that had to wait for the buffer to empty */
    uint64_t stalls;    /* core cycles for which the coalescer waited */
} gpci_reorder_counts;

typedef struct gpci_reorder gpci_reorder;
struct gpci_timed;
struct gpci_stage;

/* `options` are borrowed. GPC_ERROR_MEMORY. */
gpc_status gpci_reorder_create(gpc_context *context, const gpci_reorder_options *options, gpci_reorder **out);
void gpci_reorder_destroy(gpci_reorder *reorder);

/* What the coalescer delivers in this cycle enters. */
void gpci_reorder_fill(struct gpci_timed *t, struct gpci_stage *stage);
/* The queue whose first transaction goes to the tags; an empty one where there is none. */
gpci_queue *gpci_reorder_choose(const struct gpci_timed *t, struct gpci_stage *stage);
/* The transaction of this number (gpci_packet.tags) has left it, past the tags. */
void gpci_reorder_passed(struct gpci_timed *t, struct gpci_stage *stage, uint64_t number);
/* The tags have done what they can in this cycle. */
void gpci_reorder_settle(struct gpci_timed *t, struct gpci_stage *stage);

/* Holders of the buffer and before the buffer (holders.h). `what`, `tags`: of packets before L1's tags. */
void gpci_reorder_hold(const struct gpci_timed *t, const struct gpci_stage *stage, gpci_holders *to, const char *what,
                       gpci_mover tags);
void gpci_reorder_state(gpci_reorder *reorder, gpci_state_fn visit, void *user_data);

gpci_reorder_counts gpci_reorder_get_counts(const gpci_reorder *reorder, uint64_t now);
void gpci_reorder_reset_counts(gpci_reorder *reorder, uint64_t now);

#endif
