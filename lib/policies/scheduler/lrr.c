/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/scheduler/schedulers.h"

/*
 * Loose round robin: the first ready warp, searching round the slots from the slot behind the last issuer. Loose means:
 * an unready warp is skipped, not waited for.
 *
 * Example, 4 warps, ready in each cycle:
 *   0 1 2 3   issues 0
 *   0 1 2 3   issues 1
 *   0     3   issues 3; 2 is skipped
 *   0 1 2 3   issues 0
 * The turn belongs to slots: a new warp does not change the turn.
 */

static gpc_status init(void *self, const gpc_scheduler_env *env, char *message) {
    (void)message;
    gpci_lrr_state *lrr = self;
    lrr->warps = env->warps;
    return GPC_OK;
}

static uint32_t pick(void *self, const uint64_t *ready, uint64_t cycle) {
    (void)cycle;
    return gpci_lrr_pick(self, ready);
}

static void on_issue(void *self, uint32_t slot, uint64_t cycle) {
    (void)cycle;
    gpci_lrr_issued(self, slot);
}

/* Cost: the slot with the next turn. */
static uint64_t cost_bits(const gpc_scheduler_env *env) {
    return gpci_ceil_log2(env->warps);
}

static void state_of(void *self, gpc_state_fn visit, void *user_data) {
    gpci_lrr_state *lrr = self;
    visit(user_data, &lrr->next, sizeof lrr->next);
}

const gpc_scheduler_ops gpci_lrr = {
    .struct_size = sizeof(gpc_scheduler_ops),
    .state = state_of,
    .name = "lrr",
    .summary = "loose round robin: the next ready warp after that which issued last",
    .source = "seeds/004 section 3.3",
    .instance_bytes = sizeof(gpci_lrr_state),
    .init = init,
    .pick = pick,
    .on_issue = on_issue,
    .cost_bits = cost_bits,
};
