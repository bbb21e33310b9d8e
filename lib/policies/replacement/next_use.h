/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_REPLACEMENT_NEXT_USE_H
#define GPC_POLICIES_REPLACEMENT_NEXT_USE_H

#include "base/base.h"

/*
 * NUcache's monitor (Manikantan, Rajan and Govindarajan, HPCA 2011). The monitor measures, for each missing
 * instruction, how soon its lines are used again after the lines left the MainWays. From these counts the monitor
 * selects the instructions for the DeliWays.
 *
 * The next-use distance of a line is the number of lines leaving the set's MainWays after the line, up to the line's
 * next access: the line's place in a FIFO of the lines that left. Some sets have such a FIFO. For each instruction the
 * monitor counts the lines that left, and by distance the lines used again. A set has D DeliWays, and the DeliWays are
 * a FIFO. With a selection S of instructions, a line of S leaves the DeliWays after
 *   life(S) = D x (lines that left) / (lines of S that left)
 * further lines. The hits of the selection are the next uses of its lines within life(S). Instructions are selected one
 * by one: always the instruction with the most additional hits, until none adds hits.
 *
 * Example, D = 2, instructions p and q, 100 lines that left. 40 lines were p's, and 20 of the 40 were used again at
 * distance 3. 60 lines were q's, and 50 of the 60 were used again at distance 4:
 *   {p}      2 x 100 / 40 = 5: 20 hits
 *   {q}      2 x 100 / 60 = 3.3: no hits, 4 is too far
 *   {p, q}   2: no hits. So p is selected.
 */
#define GPCI_NEXT_USE_BINS 16u
#define GPCI_NEXT_USE_COUNTER_BITS 16u
#define GPCI_NEXT_USE_TAG_BITS 24u

typedef struct gpci_next_use_config {
    uint32_t entries; /* entries of the table of instructions, a power of two */
    uint32_t sets;    /* sets with a FIFO */
    uint32_t depth;   /* lines of a FIFO, a multiple of GPCI_NEXT_USE_BINS */
    uint32_t deli;    /* DeliWays of a set */
    uint32_t period;  /* number of lines leaving sets with a FIFO, from one selection to the next */
} gpci_next_use_config;

typedef struct gpci_next_use_entry {
    uint32_t left;                     /* lines that left the MainWays */
    uint32_t used[GPCI_NEXT_USE_BINS]; /* lines used again, by next-use distance */
    bool selected;
} gpci_next_use_entry;

typedef struct gpci_next_use_line {
    uint64_t block; /* 1 + line number; 0 = none */
    uint32_t entry; /* table entry of the instruction that missed */
    uint32_t unused;
} gpci_next_use_line;

typedef struct gpci_next_use {
    gpc_context *context;
    gpci_next_use_config config;
    gpci_next_use_entry *table;
    gpci_next_use_line *fifos; /* [sets][depth] */
    uint32_t *places;          /* [sets]: place of the next line in the set's FIFO */
    uint32_t left;             /* lines until the next selection */
} gpci_next_use;

/* If the call fails, no memory stays allocated. */
gpc_status gpci_next_use_init(gpci_next_use *monitor, gpc_context *context, const gpci_next_use_config *config);
void gpci_next_use_finish(gpci_next_use *monitor);

/* Index of an instruction's entry in the table. */
uint32_t gpci_next_use_entry_of(const gpci_next_use *monitor, uint64_t pc);
/*
 * Record a line leaving the MainWays of the set with FIFO `fifo`. `block` is the line number. `entry` is the table
 * entry of the instruction that missed. The last call of a period selects the instructions.
 */
void gpci_next_use_leaves(gpci_next_use *monitor, uint32_t fifo, uint64_t block, uint32_t entry);
/* Record an access to a block that is not in the MainWays of the set with FIFO `fifo`. */
void gpci_next_use_access(gpci_next_use *monitor, uint32_t fifo, uint64_t block);

uint64_t gpci_next_use_bits(const gpci_next_use_config *config);

/* Visit the state for a snapshot (gpc_replacement_ops.state). */
void gpci_next_use_state(gpci_next_use *monitor, gpc_state_fn visit, void *user_data);

#endif
