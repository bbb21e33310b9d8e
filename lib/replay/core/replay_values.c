/* SPDX-License-Identifier: BSD-2-Clause */
#include "hierarchy/policy_groups.h"
#include "replay/core/timed_replay.h"

/* Counters published by policies: first policies of the hierarchy's caches, then of the schedulers of all SMs. */

/* A part of all schedulers: 0 is the policy, 1 and above are throttles (gpci_scheduler_part). */
typedef struct part {
    const gpci_timed_replay *replay;
    uint32_t index;
} part;

static const gpci_policy *policy_of(const void *of, uint32_t index) {
    const part *p = of;
    const uint32_t schedulers = p->replay->schedulers;
    return gpci_scheduler_part(p->replay->sms[index / schedulers].issuers[index % schedulers].scheduler, p->index);
}

gpc_status gpc_replay_policy_value(const gpc_replay *replay, size_t index, gpc_policy_value *value, gpc_error *error) {
    if (!replay)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_replay_policy_value: replay is NULL");
    gpci_policy_group groups[GPCI_POLICY_GROUPS + 1 + GPCI_MAX_THROTTLES];
    part parts[1 + GPCI_MAX_THROTTLES];
    uint32_t count = GPCI_POLICY_GROUPS;
    gpci_hierarchy_policies(replay->hierarchy, groups);
    for (uint32_t i = 0; replay->timed && i <= GPCI_MAX_THROTTLES; i++) {
        parts[i] = (part){replay->timed, i};
        if (policy_of(&parts[i], 0))
            groups[count++] =
                (gpci_policy_group){"scheduler", policy_of, &parts[i], replay->sm_count * replay->timed->schedulers};
    }
    return gpci_policy_value(groups, count, index, value, error);
}
