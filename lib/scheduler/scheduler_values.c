/* SPDX-License-Identifier: BSD-2-Clause */
#include "registry/policy_values.h"
#include "scheduler/scheduler.h"

/* Counters published by a scheduler's policy and throttles. */

const gpci_policy *gpci_scheduler_part(const gpc_scheduler *scheduler, uint32_t part) {
    return !part ? scheduler->policy : part <= scheduler->throttle_count ? scheduler->throttles[part - 1].policy : NULL;
}

/* Part of a scheduler, by index. */
typedef struct own_part {
    const gpc_scheduler *scheduler;
    uint32_t index;
} own_part;

static const gpci_policy *policy_of(const void *of, uint32_t index) {
    (void)index;
    const own_part *p = of;
    return gpci_scheduler_part(p->scheduler, p->index);
}

gpc_status gpc_scheduler_policy_value(const gpc_scheduler *scheduler, size_t index, gpc_policy_value *value,
                                      gpc_error *error) {
    if (!scheduler)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_scheduler_policy_value: scheduler is NULL");
    own_part parts[1 + GPCI_MAX_THROTTLES];
    gpci_policy_group groups[1 + GPCI_MAX_THROTTLES];
    for (uint32_t i = 0; i <= scheduler->throttle_count; i++) {
        parts[i] = (own_part){scheduler, i};
        groups[i] = (gpci_policy_group){"scheduler", policy_of, &parts[i], 1};
    }
    return gpci_policy_value(groups, 1 + scheduler->throttle_count, index, value, error);
}
