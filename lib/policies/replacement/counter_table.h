/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_REPLACEMENT_COUNTER_TABLE_H
#define GPC_POLICIES_REPLACEMENT_COUNTER_TABLE_H

#include "base/base.h"

/*
 * Counter-based dead block prediction (Kharbutli and Solihin, ICCD 2005 and IEEE TC 57(4), 2008). A generation of a
 * line lasts from fill to eviction and ends with a count of events (the policy defines the events). A table of 256 x
 * 256 entries without tags remembers the count. The hashed PC of the miss selects the row, the hashed line address the
 * column. An entry is a saturating count of 4 bits and a confidence bit: set if the last generation ended with the
 * expected count. Both hashes fold all 8-bit parts of a number by XOR.
 *
 * Example, one entry: a line is filled and expects 0 without confidence. The line ends at 3: the entry becomes 3
 * without confidence. The next line expects 3 and ends at 3: the entry becomes 3 with confidence. Another line expects
 * 3 and ends at 2: the entry becomes 2 without confidence.
 */

#define GPCI_COUNTER_TABLE_PARAMETERS                                                          \
    {"rows", 256, 1, 4096, true, "of the table, by PC; a power of two (the paper: 256)"},      \
        {"columns", 256, 1, 4096, true, "by line address; a power of two (the paper: 256)"}, { \
        "bits", 4, 1, 7, true, "width of an event counter (the paper: 4)"                      \
    }

typedef struct gpci_counter_table {
    gpc_context *context;
    uint8_t *entries; /* [rows][columns]: count x 2 + confidence */
    uint32_t row_bits, column_bits, line_shift;
    uint8_t most; /* highest count of a counter */
} gpci_counter_table;

/* Generation data of a line. */
typedef struct gpci_generation {
    uint16_t row;
    uint8_t count; /* count up to now: hits, or the longest interval between accesses */
    uint8_t past;  /* expected count: the entry's count at the fill */
    bool sure;     /* confidence bit of the entry at the fill */
} gpci_generation;

/* Parameters 0 to 2 of `env` are GPCI_COUNTER_TABLE_PARAMETERS. If the call fails, no memory stays allocated. */
gpc_status gpci_counter_table_init(gpci_counter_table *table, const gpc_policy_env *env, char *message);
void gpci_counter_table_finish(gpci_counter_table *table);

/* Begin the generation of a line that the request fills. */
gpci_generation gpci_generation_begin(const gpci_counter_table *table, const gpc_request *request);
/* End the generation of a line that leaves: write the final count into the table. */
void gpci_generation_end(gpci_counter_table *table, const gpci_generation *line, uint64_t line_address);

/*
 * True if the table predicts count 0 with confidence: the request's line would leave without an access after the fill.
 */
bool gpci_never_used_again(const gpci_counter_table *table, const gpc_request *request);

/* Cost of the table in bits: rows x columns x (bits + 1). */
uint64_t gpci_counter_table_bits(const gpc_policy_env *env);
/* Cost of a line in bits: hashed PC, counter, expected count, confidence. The paper's predictor LvP: 8 + 4 + 4 + 1. */
uint64_t gpci_generation_bits(const gpc_policy_env *env);

/* Visit the state for a snapshot (gpc_replacement_ops.state). */
void gpci_counter_table_state(gpci_counter_table *table, gpc_state_fn visit, void *user_data);

#endif
