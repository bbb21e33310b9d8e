/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_HIERARCHY_OBJECTS_H
#define GPC_HIERARCHY_OBJECTS_H

#include "level/driver.h"

/* Up to now. GPC_ERROR_RANGE. */
gpc_status gpci_object_values_get(const gpc_hierarchy *h, gpc_object kind, uint32_t index, gpci_object_values *values);
/* What was counted since. */
void gpci_object_values_subtract(gpci_object_values *later, const gpci_object_values *earlier);
/* The counter's values in the object's; NULL: it has none. */
const uint64_t *gpci_object_find(const gpc_hierarchy *h, gpc_object kind, bool replayed,
                                 const gpci_object_values *values, const gpc_counter_info *info);
/* As gpc_hierarchy_read and gpc_hierarchy_read_histogram. `replayed`: a replay has added what it counts itself. */
gpc_status gpci_object_read(const gpc_hierarchy *h, gpc_object kind, bool replayed, const gpci_object_values *values,
                            const uint32_t *ids, size_t count, uint64_t *out);
gpc_status gpci_object_read_histogram(const gpc_hierarchy *h, gpc_object kind, bool replayed,
                                      const gpci_object_values *values, uint32_t id, uint64_t *out, size_t length,
                                      size_t *out_length);
/* What is not measured in the whole's statistics becomes GPC_ABSENT: the last step before a host gets them. */
void gpci_hierarchy_forget(const gpc_hierarchy *h, bool replayed, gpc_stats *stats);

#endif
