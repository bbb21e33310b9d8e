/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_CONTROL_COUNTERS_H
#define GPC_POLICIES_CONTROL_COUNTERS_H

#include <gpucache/ext/policies.h>

/* Row for one published counter of a policy (gpc_replacement_ops.counter). */

typedef enum gpci_published_kind { GPCI_COUNTS = 0, GPCI_IS_LEVEL = 1 } gpci_published_kind;

typedef struct gpci_published {
    const char *name, *unit, *meaning;
    gpci_published_kind kind;
    uint64_t value;
} gpci_published;

/* Copy row `index` of the `count` rows to `out`, for a policy's `counter`. False if there is no row `index`. */
static inline bool gpci_publish(const gpci_published *rows, size_t count, size_t index, gpc_policy_counter *out) {
    if (index >= count)
        return false;
    out->name = rows[index].name;
    out->unit = rows[index].unit;
    out->meaning = rows[index].meaning;
    out->is_level = rows[index].kind;
    out->value = rows[index].value;
    return true;
}

#define GPCI_PUBLISH(rows, index, out) gpci_publish(rows, sizeof(rows) / sizeof *(rows), index, out)

#endif
