/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_HIERARCHY_LEDGER_CHECK_H
#define GPC_HIERARCHY_LEDGER_CHECK_H

#include "hierarchy/objects.h"
#include "stats/ledger.h"

/*
 * Ledger of an idle hierarchy. Checks: every clause of stats/ledger.h on every object; objects of a kind add up to the
 * whole; streams, with the counts without a stream, add up to the whole; no counter is below 0.
 */

/* Source of values: a hierarchy, or a replay with counters of its own. */
typedef struct gpci_ledger_owner {
    const gpc_hierarchy *hierarchy;
    const void *data; /* for get */
    gpc_status (*get)(const void *data, gpc_object kind, uint32_t index, gpci_object_values *values);
    bool replayed;
    /* Add the owner's own second counts of the whole, in the checking build; NULL: none. */
    void (*again)(const void *data, gpc_stats *stats);
    /* Sum over the events since the last reset of counters; false: no such sum. NULL: events were not followed. */
    bool (*events)(void *followed, gpc_object kind, uint32_t index, gpci_ledger_sum sum, const char *words,
                   uint32_t length, uint64_t *out);
    void *followed; /* for events */
} gpci_ledger_owner;

/* True if the ledger holds, or if memory ran out. Otherwise `text` [size] receives the wrong clauses and counters. */
bool gpci_ledger_right(const gpci_ledger_owner *owner, char *text, size_t size);
/* Assert the ledger of an owner with an idle hierarchy, in the checking build. */
void gpci_ledger_ensure(const gpci_ledger_owner *owner);
/* Assert the ledger of an idle hierarchy without a replay, in the checking build (base/check.h). */
void gpci_ledger_check(const gpc_hierarchy *hierarchy);

#endif
