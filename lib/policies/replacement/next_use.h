/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_REPLACEMENT_NEXT_USE_H
#define GPC_POLICIES_REPLACEMENT_NEXT_USE_H

#include "base/base.h"

/*
 * NUcache's monitor (Manikantan, Rajan and Govindarajan, HPCA 2011): for instructions by whose misses lines come in,
 * how soon after they leave the MainWays they are used again, and of which it pays to keep lines in the DeliWays.
 *
 * The next-use distance of a line is the number of lines that leave its set's MainWays after it until its next access:
 * its place in a FIFO of those, which some sets have. Each instruction counts its lines that left, and those used
 * again by distance. Lines of a selection S of instructions leave the D DeliWays, a FIFO, after
 *   life(S) = D x (lines that left) / (lines of S that left)
 * further ones, and so the selection makes as many hits as its lines have next uses within life(S). One instruction
 * after the other is selected, the one that adds most hits, until none does.
 *
 * Example, D = 2; of 100 lines that left 40 were p's, 20 of these used again at distance 3; 60 q's, 50 used at 4:
 *   {p}      2 x 100 / 40 = 5: 20 hits
 *   {q}      2 x 100 / 60 = 3.3: none, 4 is too far
 *   {p, q}   2: none. And so p is selected
 */
#define GPCI_NEXT_USE_BINS 16u
#define GPCI_NEXT_USE_COUNTER_BITS 16u
#define GPCI_NEXT_USE_TAG_BITS 24u

typedef struct gpci_next_use_config {
    uint32_t entries; /* of the table of instructions, a power of two */
    uint32_t sets;    /* that have a FIFO */
    uint32_t depth;   /* of a FIFO, a multiple of GPCI_NEXT_USE_BINS */
    uint32_t deli;    /* DeliWays */
    uint32_t period;  /* lines that leave sets with a FIFO until the next selection */
} gpci_next_use_config;

typedef struct gpci_next_use_entry {
    uint32_t left; /* lines that left the MainWays */
    uint32_t used[GPCI_NEXT_USE_BINS];
    bool selected;
} gpci_next_use_entry;

typedef struct gpci_next_use_line {
    uint64_t block; /* 1 + line number; 0 = none */
    uint32_t entry;
    uint32_t unused;
} gpci_next_use_line;

typedef struct gpci_next_use {
    gpc_context *context;
    gpci_next_use_config config;
    gpci_next_use_entry *table;
    gpci_next_use_line *fifos; /* [sets][depth] */
    uint32_t *places;          /* [sets]: where the next goes */
    uint32_t left;             /* until the next selection */
} gpci_next_use;

/* Nothing is left behind where it fails. */
gpc_status gpci_next_use_init(gpci_next_use *monitor, gpc_context *context, const gpci_next_use_config *config);
void gpci_next_use_finish(gpci_next_use *monitor);

/* The entry of an instruction. */
uint32_t gpci_next_use_entry_of(const gpci_next_use *monitor, uint64_t pc);
/* A line leaves the MainWays of the set with this FIFO; `block` is its number. At the end of a period it selects. */
void gpci_next_use_leaves(gpci_next_use *monitor, uint32_t fifo, uint64_t block, uint32_t entry);
/* A block is accessed that is not in the MainWays. */
void gpci_next_use_access(gpci_next_use *monitor, uint32_t fifo, uint64_t block);

uint64_t gpci_next_use_bits(const gpci_next_use_config *config);

/* What it holds, for a snapshot (gpc_replacement_ops.state). */
void gpci_next_use_state(gpci_next_use *monitor, gpc_state_fn visit, void *user_data);

#endif
