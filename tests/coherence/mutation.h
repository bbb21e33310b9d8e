/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_COHERENCE_MUTATION_H
#define TESTS_COHERENCE_MUTATION_H

#include "coherence/explore_families.h"

/*
 * Every cell of a protocol's tables, with small changes: the next state replaced by each other state, every action left
 * out or replaced by each other action. A changed table is registered under another name and explored. Verdicts:
 *
 *  refused      the check of the table names the cell
 *  caught       some tree ends in a forbidden state, value, message or refusal
 *  unreached    no tree comes to the cell at all (FORBID went unnoticed)
 *  equivalent   everywhere equal states, edges, transitions and messages as with the correct table
 *  survived     none of these
 */
typedef enum mutation_verdict {
    MUTATION_REFUSED,
    MUTATION_CAUGHT,
    MUTATION_UNREACHED,
    MUTATION_EQUIVALENT,
    MUTATION_SURVIVED,
    MUTATION_VERDICTS
} mutation_verdict;

typedef struct mutation_cell {
    uint8_t place, state, event; /* gpci_module_place */
} mutation_cell;

typedef struct mutation_change {
    mutation_cell cell;
    gpc_protocol_rule rule; /* instead of the original */
    gpc_protocol_rule was;
} mutation_change;

typedef struct mutation_tally {
    uint32_t count[MUTATION_VERDICTS];
    uint32_t forbidden; /* cells that are FORBID: out of reach in every exploration */
} mutation_tally;

/* Called for every changed cell; `text`: the catching tree, or the tree that shows a survivor to differ. */
typedef void (*mutation_listener)(void *data, const mutation_change *change, mutation_verdict verdict,
                                  const char *text);

/* Every `stride`th change, in the smallest trees or, thoroughly, in all. */
mutation_tally mutation_run(const explore_family *family, uint32_t stride, bool thorough, mutation_listener listener,
                            void *data);

size_t mutation_text(const mutation_change *change, char *text, size_t size);

#endif
