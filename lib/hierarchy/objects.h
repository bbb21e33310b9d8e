/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_HIERARCHY_OBJECTS_H
#define GPC_HIERARCHY_OBJECTS_H

#include "level/rules/driver.h"

/* Get the present values of an object. GPC_ERROR_RANGE: no object has this index. */
gpc_status gpci_object_values_get(const gpc_hierarchy *hierarchy, gpc_object kind, uint32_t index,
                                  gpci_object_values *values);
/* Subtract the values of an object at an earlier time from the later values. */
void gpci_object_values_subtract(gpci_object_values *later, const gpci_object_values *earlier);
/* Find the value of a counter (of a histogram: the buckets) in an object's values. NULL: not measured. */
const uint64_t *gpci_object_find(const gpc_hierarchy *hierarchy, gpc_object kind, bool replayed,
                                 const gpci_object_values *values, const gpci_counter_row *info);
/* Read an object's values by ids. `replayed`: a replay has added its own counters. Statuses of gpci_read. */
gpc_status gpci_object_read(const gpc_hierarchy *hierarchy, gpc_object kind, bool replayed,
                            const gpci_object_values *values, const uint32_t *ids, size_t count, uint64_t *out,
                            size_t value_count, const char *function, gpc_error *error);
/* Set unmeasured values in the statistics of the whole to GPC_ABSENT, as the last step before a host gets them. */
void gpci_hierarchy_forget(const gpc_hierarchy *hierarchy, bool replayed, gpc_stats *stats);

#endif
