/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_STATS_STATS_H
#define GPC_STATS_STATS_H

#include "base/base.h"

/*
 * Inside the library, counters are fields of plain structs, in the order of the tables. Hosts have orders of their own.
 */

/* What a network has counted. */
typedef struct gpci_network_stats {
#define X(id, field, name, unit, kind, objects, needs, since, meaning, equals) uint64_t field;
    GPC_NETWORK_COUNTERS(X)
#undef X
} gpci_network_stats;

/* counters.c: the rows of a table; `offset` and `divisor` are those in the library's struct. */
const gpc_counter_info *gpci_counters(gpc_counter_table table, size_t *out_count);
/* The row of an id; NULL. */
const gpc_counter_info *gpci_counter(uint32_t id);

/* host_layout.c: does the library understand a host's layout of a table's struct? GPC_ERROR_ABI. */
gpc_status gpci_layout_check(const gpc_layout *layout, gpc_counter_table table);
/* Is it the library's own? */
bool gpci_layout_is_own(const gpc_layout *layout, gpc_counter_table table);
/* The library's struct to a host's, as far as its struct_size goes. GPC_ERROR_ARGUMENT (a NULL), GPC_ERROR_ABI. */
gpc_status gpci_layout_give(const gpc_layout *layout, gpc_counter_table table, const void *ours, void *theirs);
/*
 * A host's struct to the library's, where what it lacks is 0.
 *   present  [rows of the table] receives which it has; may be NULL
 * GPC_ERROR_ARGUMENT (a NULL); GPC_ERROR_ABI also for a value that the library does not know.
 */
gpc_status gpci_layout_take(const gpc_layout *layout, gpc_counter_table table, const void *theirs, void *ours,
                            bool *present);

/* stats.c: a row's value becomes GPC_ABSENT, a histogram's in all buckets. */
void gpci_stats_forget(gpc_stats *stats, const gpc_counter_info *row);
/* What is absent becomes 0, for who reads fields alone. Was there any? */
bool gpci_stats_clear_absent(gpc_stats *stats);
/* gpc_stats_add and gpc_stats_subtract of the library's own, in which nothing is absent. */
void gpci_stats_add(gpc_stats *into, const gpc_stats *more);
void gpci_stats_subtract(gpc_stats *later, const gpc_stats *earlier);

GPCI_INLINE void gpci_cache_stats_add(gpc_cache_stats *into, const gpc_cache_stats *more) {
#define X(id, field, name, unit, kind, objects, needs, since, meaning, equals) into->field += more->field;
    GPC_CACHE_COUNTERS(X)
#undef X
}

#endif
