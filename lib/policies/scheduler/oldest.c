/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/scheduler/schedulers.h"

/*
 * Oldest first: always the oldest ready warp. Unlike with gto, a younger warp loses the scheduler as soon as an older
 * warp is ready again.
 *
 * Example, warps 0, 1, 2 from oldest to youngest, ready in each cycle:
 *   0 1 2   issues 0
 *     1 2   issues 1
 *   0 1 2   issues 0; gto would have stayed with 1
 * Warp 0 ends and another warp takes its slot: the new warp is the youngest.
 *   0 1 2   issues 1
 */

static gpc_status init(void *self, const gpc_scheduler_env *env, char *message) {
    (void)message;
    gpci_age_init(self, env);
    return GPC_OK;
}

static void on_start(void *self, uint32_t slot, uint64_t order) {
    (void)order;
    gpci_age_start(self, slot);
}

static uint32_t pick(void *self, const uint64_t *ready, uint64_t cycle) {
    (void)cycle;
    return gpci_age_oldest(self, ready);
}

/* Cost: the age matrix. */
static uint64_t cost_bits(const gpc_scheduler_env *env) {
    return gpci_age_bits(env);
}

const gpc_scheduler_ops gpci_oldest = {
    .struct_size = sizeof(gpc_scheduler_ops),
    .state = gpci_state_none,
    .name = "oldest",
    .summary = "oldest first: the ready warp that began first",
    .source = "baseline: gto of seeds/004 section 3.3 without its greed",
    .instance_bytes = sizeof(gpci_age_matrix),
    .warp_bytes = sizeof(gpci_age_row),
    .init = init,
    .on_start = on_start,
    .pick = pick,
    .cost_bits = cost_bits,
};
