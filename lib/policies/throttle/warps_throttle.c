/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/scheduler/schedulers.h"
#include "policies/throttle/throttles.h"

/*
 * Static wavefront limiting (SWL): the `limit` oldest warps of each scheduler run, and the remaining warps are
 * throttled. If a warp ends, the next warp runs. A warp at a barrier gives up its place: the warp cannot issue, and may
 * wait for warps beyond the limit. Equals sm.warp_limit, but can be combined with other throttles.
 *
 * Example, limit 2, warps 0, 1, 2, 3 from oldest to youngest:
 *   all run           0 1 | 2 3    2 and 3 are throttled
 *   1 at a barrier    0 2 | 3      1 takes no place
 *   0 ends            2 3          1 still waits
 *   1 released        1 2 | 3      3 gives its place back
 */

typedef struct warps_state {
    uint32_t limit; /* UINT32_MAX = no limit */
} warps_state;

static gpc_status init(void *self, const gpc_scheduler_env *env, char *message) {
    (void)message;
    uint32_t limit = (uint32_t)env->parameters[0];
    ((warps_state *)self)->limit = limit ? limit : UINT32_MAX;
    return GPC_OK;
}

static void classify(void *self, const gpc_throttle_view *view, gpc_throttle_classes *classes) {
    uint32_t places = ((const warps_state *)self)->limit;
    for (uint32_t age = 0; age < view->running; age++) {
        uint32_t slot = view->by_age[age];
        if (!places)
            classes->throttled[slot / 64] |= gpci_warp_bit(slot);
        else
            places -= view->states[slot] != GPC_STATE_BARRIER;
    }
}

/* Cost: the order of the warps, and the limit, 0 to warps. */
static uint64_t cost_bits(const gpc_scheduler_env *env) {
    return gpci_age_bits(env) + gpci_ceil_log2((uint64_t)env->warps + 1);
}

static const gpc_parameter parameters[] = {
    {"limit", 0, 0, 1024, true, "warps of a scheduler that may run; 0 = all"},
};

const gpc_throttle_ops gpci_warps_throttle = {
    .struct_size = sizeof(gpc_throttle_ops),
    .state = gpci_state_none,
    .name = "warps",
    .summary = "static wavefront limiting: only the oldest warps of each scheduler run",
    .source = "seeds/004 sections 2.1.1 and 3.4; Rogers, O'Connor and Aamodt, MICRO 2012",
    .instance_bytes = sizeof(warps_state),
    .parameters = parameters,
    .parameter_count = 1,
    .init = init,
    .classify = classify,
    .cost_bits = cost_bits,
};
