/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/scheduler/schedulers.h"

/*
 * Two levels: slots are divided into fetch groups of `group` neighbours. The warps of one group issue, in round robin,
 * until the whole group stalls on memory. Then the next group with a ready warp takes over. Groups therefore reach
 * their long latencies at different times. A warp waiting for a fixed latency holds its group: the scheduler idles
 * although another group may be ready. Groups with fewer warps than pipeline stages are slow for this reason. Warps
 * waiting for memory, for the memory pipeline, at a barrier or beyond a limit do not hold their group.
 *
 * Example, group=2, warps 0 to 3, ready in each cycle:
 *   0 1 2 3   issues 0
 *   0 1 2 3   issues 1
 *   0   2 3   issues 0
 *       2 3   none: 1 waits for a fixed latency
 *       2 3   issues 2: now 0 and 1 wait for memory
 *   0 1 2 3   issues 3: group 1 is current
 */

static const gpc_parameter parameters[] = {
    {"group", 8, 1, 1024, true,
     "warps of a fetch group; 8 covered the pipeline best in Narasiman et al., of 32 warps per SM"},
};

static gpc_status init(void *self, const gpc_scheduler_env *env, char *message) {
    (void)message;
    gpci_two_level_state *two = self;
    two->warps = env->warps;
    two->size = (uint32_t)env->parameters[0];
    two->groups = (env->warps + two->size - 1) / two->size;
    two->next = env->warp_state;
    for (uint32_t group = 0; group < two->groups; group++)
        two->next[group] = group * two->size;
    return GPC_OK;
}

static uint32_t end_of(const gpci_two_level_state *two, uint32_t group) {
    uint32_t end = (group + 1) * two->size;
    return end < two->warps ? end : two->warps;
}

static uint32_t pick_within(const gpci_two_level_state *two, uint32_t group, const uint64_t *ready) {
    return gpci_next_round(ready, group * two->size, two->next[group], end_of(two, group));
}

uint32_t gpci_two_level_pick(const gpci_two_level_state *two, const uint64_t *ready) {
    uint32_t group = two->current;
    uint32_t slot = pick_within(two, group, ready);
    if (slot != GPC_NO_WARP || gpci_next_ready(two->stalled, group * two->size, end_of(two, group)) != GPC_NO_WARP)
        return slot;
    slot = gpci_next_round(ready, 0, end_of(two, group) % two->warps, two->warps);
    return slot == GPC_NO_WARP ? slot : pick_within(two, slot / two->size, ready);
}

static uint32_t pick(void *self, const uint64_t *ready, uint64_t cycle) {
    (void)cycle;
    return gpci_two_level_pick(self, ready);
}

static void on_start(void *self, uint32_t slot, uint64_t order) {
    (void)order;
    gpci_two_level_state *two = self;
    two->stalled[slot / 64] |= gpci_warp_bit(slot);
}

static void on_state(void *self, uint32_t slot, gpc_warp_state before, gpc_warp_state after) {
    (void)before;
    gpci_two_level_state *two = self;
    uint64_t bit = gpci_warp_bit(slot), *word = &two->stalled[slot / 64];
    *word = after == GPC_STATE_STALLED ? *word | bit : *word & ~bit;
}

static void on_issue(void *self, uint32_t slot, uint64_t cycle) {
    (void)cycle;
    gpci_two_level_state *two = self;
    uint32_t group = slot / two->size;
    two->current = group;
    two->next[group] = slot + 1 < end_of(two, group) ? slot + 1 : group * two->size;
}

/* Cost: the current group, and for each group the slot with the next turn. */
static uint64_t cost_bits(const gpc_scheduler_env *env) {
    uint32_t size = (uint32_t)env->parameters[0];
    if (size > env->warps)
        size = env->warps;
    uint64_t groups = (env->warps + size - 1) / size;
    return gpci_ceil_log2(groups) + groups * gpci_ceil_log2(size);
}

static void state_of(void *self, gpc_state_fn visit, void *user_data) {
    gpci_two_level_state *two = self;
    visit(user_data, &two->current, sizeof two->current);
    visit(user_data, &two->stalled, sizeof two->stalled);
}

const gpc_scheduler_ops gpci_two_level = {
    .struct_size = sizeof(gpc_scheduler_ops),
    .state = state_of,
    .name = "two-level",
    .summary = "fetch groups: round robin in one until all of it stalls on memory, then the next",
    .source = "seeds/004 section 3.3; Narasiman et al., MICRO 2011",
    .instance_bytes = sizeof(gpci_two_level_state),
    .warp_bytes = sizeof(uint32_t),
    .parameters = parameters,
    .parameter_count = 1,
    .init = init,
    .on_start = on_start,
    .on_state = on_state,
    .pick = pick,
    .on_issue = on_issue,
    .cost_bits = cost_bits,
};
