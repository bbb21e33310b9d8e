/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_REPLACEMENT_COUNTER_TABLE_H
#define GPC_POLICIES_REPLACEMENT_COUNTER_TABLE_H

#include "base/base.h"

/*
 * Counter-based dead block prediction (Kharbutli and Solihin, ICCD 2005 and IEEE TC 57(4), 2008): what a line's
 * generation, from fill to eviction, came to is remembered in a table of 256 x 256 entries without tags. The hashed PC
 * that missed on the line finds the row, the hashed line address the column. An entry is a saturating count of 4 bits
 * and a bit of confidence: set if the last generation came to what its line had expected. Both hashes fold all 8-bit
 * parts of a number by XOR.
 *
 * Example, one entry: a line is filled, expecting 0 without confidence. It ends at 3: the entry becomes 3, not sure.
 * The next line expects 3, not sure, and ends at 3: the entry becomes 3, sure. Another that ends at 2 makes it 2, not
 * sure.
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
    uint8_t most; /* of a counter */
} gpci_counter_table;

/* What a line knows of its generation. */
typedef struct gpci_generation {
    uint16_t row;
    uint8_t count; /* so far: hits, or the longest interval between accesses */
    uint8_t past;  /* that the last generation came to */
    bool sure;
} gpci_generation;

/* The first parameters of `env` are GPCI_COUNTER_TABLE_PARAMETERS. Nothing is left behind where it fails. */
gpc_status gpci_counter_table_init(gpci_counter_table *table, const gpc_policy_env *env, char *message);
void gpci_counter_table_finish(gpci_counter_table *table);

/* A line is filled, one leaves. */
gpci_generation gpci_generation_begin(const gpci_counter_table *table, const gpc_request *request);
void gpci_generation_end(gpci_counter_table *table, const gpci_generation *line, uint64_t line_address);

/* Is it sure that the request's line would leave without another access? */
bool gpci_never_used_again(const gpci_counter_table *table, const gpc_request *request);

/* rows x columns x (bits + 1). */
uint64_t gpci_counter_table_bits(const gpc_policy_env *env);
/* Of a line: hashed PC, counter, what was expected, confidence. The paper's LvP: 8 + 4 + 4 + 1 = 17. */
uint64_t gpci_generation_bits(const gpc_policy_env *env);

/* What it holds, for a snapshot (gpc_replacement_ops.state). */
void gpci_counter_table_state(gpci_counter_table *table, gpc_state_fn visit, void *user_data);

#endif
