/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_REPLACEMENT_SDBP_TABLES_H
#define GPC_POLICIES_REPLACEMENT_SDBP_TABLES_H

#include "base/base.h"

/*
 * Sampling dead block prediction (Khan, Tian and Jimenez, MICRO 2010). A few sets have a sampler: partial tags with the
 * partial PC of the last access, replaced by LRU. A sampler hit means: the entry's PC did not make the last access to
 * its block. An eviction from the sampler means: the PC did. Both events move a counter in each of three tables. Three
 * hashes of the PC index the tables: PCs with the same index in one table differ in the others. If the sum of a PC's
 * counters reaches the threshold, the block is dead after the access. The cache itself keeps one bit per line.
 *
 * The paper's numbers are for a cache of 2,048 sets and 16 ways. Smaller caches scale: at most a quarter of the sets is
 * sampled (`share`; seeds/004 6.2.3 has the quarter for an L1), and the sampler has three quarters of the cache's ways,
 * as 12 of 16. The paper leaves the three hashes open; here they are multiplicative.
 *
 * Example, a sampler of one way, PC p: the tables' counters of p, and their sum:
 *   p reads A           A enters the sampler        0 0 0   live
 *   p reads B           B takes A's place: p up     1 1 1   live
 *   p reads C           C takes B's: up             2 2 2   live
 *   p reads D           D takes C's: up             3 3 3   9 is 8 or more: D is dead on arrival
 *   p reads D           sampler hit: p down         2 2 2   live
 */

#define GPCI_SDBP_PARAMETERS                                                                                      \
    {"tables", 3, 1, 8, true, "tables of counters, each with a hash of its own (the paper: 3)"},                  \
        {"entries", 4096, 1, 1048576, true, "counters of a table, a power of two (the paper: 4,096)"},            \
        {"bits", 2, 1, 8, true, "width of a counter (the paper: 2)"},                                             \
        {"threshold", 8, 0, 2048, true, "sum of the tables' counters from which a block is dead (the paper: 8)"}, \
        {"sampler-sets", 32, 1, 65534, true, "sets that are sampled, at most (the paper: 32)"},                   \
        {"sampler-ways", 0, 0, 1024, true, "entries of a sampled set; 0 = 3/4 of the cache's ways (12 of 16)"},   \
        {"share", 4, 1, 65536, true, "at most one set in that many is sampled (seeds/004 6.2.3: 4)"},             \
        {"tag-bits", 15, 1, 31, true, "of a tag that a sampler entry keeps (the paper: 15)"}, {                   \
        "pc-bits", 15, 1, 31, true, "of the PC that a sampler entry keeps, and that is hashed (the paper: 15)"    \
    }

typedef struct gpci_sdbp_entry {
    uint32_t tag, pc; /* partial tag and partial PC */
    bool valid, dead;
} gpci_sdbp_entry;

typedef struct gpci_sdbp {
    gpc_context *context;
    uint8_t *counters;        /* [tables][entries] */
    uint16_t *samplers;       /* [sets]: index of the set's sampler, UINT16_MAX = none */
    gpci_sdbp_entry *entries; /* [samplers][ways], most recent first */
    uint32_t tables, index_bits, threshold;
    uint32_t ways; /* ways of a sampler */
    uint32_t sets; /* sets of the cache */
    uint32_t line_shift, tag_mask, pc_mask;
    uint8_t most;            /* highest count of a counter */
    uint64_t accesses, dead; /* published by gpci_sdbp_counter */
} gpci_sdbp;

/* Parameters 0 to 8 of `env` are GPCI_SDBP_PARAMETERS. If the call fails, no memory stays allocated. */
gpc_status gpci_sdbp_init(gpci_sdbp *sdbp, const gpc_policy_env *env, char *message);
void gpci_sdbp_finish(gpci_sdbp *sdbp);

/* Let the sampler learn from an access to `set`, hit or miss. True if the block is dead after the access. */
bool gpci_sdbp_access(gpci_sdbp *sdbp, uint32_t set, const gpc_request *request);
/* True if a block is dead after an access by `pc`. Learns nothing. */
bool gpci_sdbp_dead_after(const gpci_sdbp *sdbp, uint64_t pc);

/*
 * Cost in bits of tables and samplers. A sampler entry has a partial tag, a partial PC, and dead, valid and LRU bits.
 */
uint64_t gpci_sdbp_bits(const gpc_policy_env *env);

/* Publish the counters (gpc_replacement_ops.counter). */
bool gpci_sdbp_counter(const gpci_sdbp *sdbp, size_t index, gpc_policy_counter *counter);

/* Visit the state for a snapshot (gpc_replacement_ops.state). */
void gpci_sdbp_state(gpci_sdbp *sdbp, gpc_state_fn visit, void *user_data);

#endif
