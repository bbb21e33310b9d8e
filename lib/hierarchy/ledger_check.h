/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_HIERARCHY_LEDGER_CHECK_H
#define GPC_HIERARCHY_LEDGER_CHECK_H

#include "hierarchy/objects.h"
#include "stats/ledger.h"

/*
 * Check of the counters of an idle hierarchy. Every clause of stats/ledger.h holds on every object. The values of all
 * objects of a kind add up to the value of the whole hierarchy. The values of all streams, and the counts that belong
 * to no stream, add up to the value of the whole. No counter is below 0.
 */

/* Source of the values to check: a hierarchy, or a replay, which adds its own counters to its hierarchy's counters. */
typedef struct gpci_ledger_owner {
    const gpc_hierarchy *hierarchy;
    const void *data; /* argument of `get` and `again` */
    gpc_status (*get)(const void *data, gpc_object kind, uint32_t index, gpci_object_values *values);
    bool replayed;
    /*
     * The checking build counts many events a second time, at another place in the code. Add the second counts of the
     * replay to `stats`, the second counts of the whole. NULL: the owner has no second counts of its own.
     */
    void (*again)(const void *data, gpc_stats *stats);
    /* Sum over the logged events since the last reset of counters; false: no such sum. NULL: events were not logged. */
    bool (*events)(void *followed, gpc_object kind, uint32_t index, gpci_ledger_sum sum, const char *words,
                   uint32_t length, uint64_t *out);
    void *followed; /* argument of `events` */
} gpci_ledger_owner;

/* True if all checks hold, or if memory ran out. If a check fails, `text` [size] receives the clauses and values. */
bool gpci_ledger_right(const gpci_ledger_owner *owner, char *text, size_t size);
/* In the checking build, assert gpci_ledger_right, if the owner's hierarchy is idle and has complete counters. */
void gpci_ledger_ensure(const gpci_ledger_owner *owner);
/* gpci_ledger_ensure of a hierarchy. A hierarchy of a replay is not checked here: the replay checks. */
void gpci_ledger_check(const gpc_hierarchy *hierarchy);

#endif
