/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/scheduler/schedulers.h"

/*
 * Greedy, then oldest: the warp that issued last while ready; otherwise the oldest ready warp. Age is the order in
 * which slots were taken: the warps of a block start by number, and are ordered by number.
 *
 * Example, warps 0, 1, 2 from oldest to youngest, ready in each cycle:
 *   0 1 2   issues 0
 *   0 1 2   issues 0, greedy
 *     1 2   issues 1, the oldest
 *   0 1 2   issues 1: 1 is now the greedy warp, and 0 has to wait
 *   0   2   issues 0
 * Warp 0 ends and another warp takes the slot: the new warp is the youngest.
 *     1 2   issues 1
 *   0   2   issues 2, older than the new 0
 */

static gpc_status init(void *self, const gpc_scheduler_env *env, char *message) {
    (void)message;
    gpci_gto_state *gto = self;
    gpci_age_init(&gto->ages, env);
    gto->greedy = GPC_NO_WARP;
    return GPC_OK;
}

/* A slot's former warp may have been the greedy warp; a new warp has not issued. */
static void on_start(void *self, uint32_t slot, uint64_t order) {
    (void)order;
    gpci_gto_state *gto = self;
    gpci_age_start(&gto->ages, slot);
    if (gto->greedy == slot)
        gto->greedy = GPC_NO_WARP;
}

static uint32_t pick(void *self, const uint64_t *ready, uint64_t cycle) {
    (void)cycle;
    return gpci_gto_pick(self, ready);
}

static void on_issue(void *self, uint32_t slot, uint64_t cycle) {
    (void)cycle;
    ((gpci_gto_state *)self)->greedy = slot;
}

/* Cost: the age matrix; slot of the greedy warp, or none. */
static uint64_t cost_bits(const gpc_scheduler_env *env) {
    return gpci_age_bits(env) + gpci_ceil_log2((uint64_t)env->warps + 1);
}

static void state_of(void *self, gpc_state_fn visit, void *user_data) {
    gpci_gto_state *gto = self;
    visit(user_data, &gto->greedy, sizeof gto->greedy);
}

const gpc_scheduler_ops gpci_gto = {
    .struct_size = sizeof(gpc_scheduler_ops),
    .state = state_of,
    .name = "gto",
    .summary = "greedy, then oldest: the same warp until it stalls, then the oldest ready one",
    .source = "seeds/004 section 3.3; Rogers, O'Connor and Aamodt, MICRO 2012",
    .instance_bytes = sizeof(gpci_gto_state),
    .warp_bytes = sizeof(gpci_age_row),
    .init = init,
    .on_start = on_start,
    .pick = pick,
    .on_issue = on_issue,
    .cost_bits = cost_bits,
};
