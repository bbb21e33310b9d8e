/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_STATS_STATS_H
#define GPC_STATS_STATS_H

#include "base/base.h"

/* Statistics inside the library: plain structs with fields in the order of the tables. Hosts may have other orders. */

/* Counters of a network. */
typedef struct gpci_network_stats {
#define X(id, field, name, unit, kind, objects, needs, since, meaning, equals) uint64_t field;
    GPC_NETWORK_COUNTERS(X)
#undef X
} gpci_network_stats;

/* counters.c: rows of a table; `offset` and `divisor` refer to the library's struct. */
const gpc_counter_info *gpci_counters(gpc_counter_table table, size_t *out_count);
/* Row of an id; NULL: unknown id. */
const gpc_counter_info *gpci_counter(uint32_t id);

/* host_layout.c: check a host's layout of a table's struct. GPC_ERROR_ABI. */
gpc_status gpci_layout_check(const gpc_layout *layout, gpc_counter_table table);
/* True if the layout equals the library's. */
bool gpci_layout_is_own(const gpc_layout *layout, gpc_counter_table table);
/* Copy the library's struct to a host's, up to its struct_size. GPC_ERROR_ARGUMENT (NULL); GPC_ERROR_ABI. */
gpc_status gpci_layout_give(const gpc_layout *layout, gpc_counter_table table, const void *ours, void *theirs);
/*
 * Copy a host's struct to the library's. Missing fields become 0.
 *   present  [rows of the table] receives the rows in the host's struct; may be NULL
 * GPC_ERROR_ARGUMENT (NULL); GPC_ERROR_ABI, also for a value unknown to the library.
 */
gpc_status gpci_layout_take(const gpc_layout *layout, gpc_counter_table table, const void *theirs, void *ours,
                            bool *present);

/* stats.c: set a row to GPC_ABSENT; for a histogram every bucket. */
void gpci_stats_forget(gpc_stats *stats, const gpc_counter_info *row);
/* Set absent values to 0, for readers of single fields. True if a value was absent. */
bool gpci_stats_clear_absent(gpc_stats *stats);
/* Add or subtract structs without absent values. */
void gpci_stats_add(gpc_stats *into, const gpc_stats *more);
void gpci_stats_subtract(gpc_stats *later, const gpc_stats *earlier);

GPCI_INLINE void gpci_cache_stats_add(gpc_cache_stats *into, const gpc_cache_stats *more) {
#define X(id, field, name, unit, kind, objects, needs, since, meaning, equals) into->field += more->field;
    GPC_CACHE_COUNTERS(X)
#undef X
}

#endif
