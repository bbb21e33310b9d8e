/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/replacement/candidates.h"
#include "policies/replacement/replacement.h"

/*
 * Belady's optimum (MIN): evict the line with the farthest next use. No policy that fetches on every miss has more
 * hits. The policy needs the future: each request carries in next_use the index of the next access to its line
 * (gpc_next_uses finds the indices). UINT64_MAX, never again, is the farthest. Of equals the lowest way leaves; without
 * next_use the victim is therefore always way 0.
 *
 * With bypass=1, or under the name opt-bypass, a request with a later next use than all resident lines does not
 * allocate: the optimum among policies with bypassing. Write allocation, sectors and invalidations cost as much as
 * under other policies: opt and opt-bypass are optimal in line hits of one cache.
 *
 * Example, 2 ways, one set, stream A B C A B C with indices 0 to 5, next uses 3 4 5, then never:
 *   A miss, B miss     next uses A 3, B 4
 *   C evicts B         A 3, C 5
 *   A hit              A never, C 5
 *   B evicts A         B never, C 5
 *   C hit
 */

typedef struct opt_state {
    uint64_t *next_uses; /* [sets x ways] */
    uint32_t ways;
    bool bypass;
} opt_state;

static const gpc_parameter parameters[] = {
    {"bypass", 0, 0, 1, true, "1 = a request whose line is used later than every resident one does not allocate"},
};

static void start(opt_state *state, const gpc_policy_env *env, bool bypass) {
    state->next_uses = env->line_state;
    state->ways = env->ways;
    state->bypass = bypass;
}

static gpc_status init(void *self, const gpc_policy_env *env, char *message) {
    (void)message;
    start(self, env, env->parameters[0] > 0);
    return GPC_OK;
}

static gpc_status init_bypassing(void *self, const gpc_policy_env *env, char *message) {
    (void)message;
    start(self, env, true);
    return GPC_OK;
}

static void touch(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    opt_state *state = self;
    state->next_uses[(size_t)set * state->ways + way] = request->policy.next_use;
}

static uint32_t choose_victim(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    const opt_state *state = self;
    const uint64_t *next_uses = state->next_uses + (size_t)set * state->ways;
    uint32_t farthest = UINT32_MAX;
    for (uint32_t way = 0; way < state->ways; way++)
        if (gpci_is_candidate(candidates, way) && (farthest == UINT32_MAX || next_uses[way] > next_uses[farthest]))
            farthest = way;
    if (state->bypass && request->policy.next_use > next_uses[farthest])
        return GPC_WAY_BYPASS;
    return farthest;
}

/* True if choose_victim would bypass the request. The call changes no state. */
static bool declines(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    return choose_victim(self, set, candidates, request) == GPC_WAY_BYPASS;
}

/* Cost: oracle state, 64 bits per line; no hardware knows the future. */
static uint64_t cost_bits(const gpc_policy_env *env) {
    return (uint64_t)env->sets * env->ways * 64;
}

static uint64_t reads_with(const gpc_policy_env *env) {
    return GPC_READS_PLACE | GPC_READS_NEXT_USE | (env->parameters[0] > 0 ? GPC_READS_ADMISSION : 0);
}

const gpc_replacement_ops gpci_opt = {
    .struct_size = sizeof(gpc_replacement_ops),
    .state = gpci_state_none,
    .name = "opt",
    .summary = "Belady's optimum: evict the line used farthest in the future (needs next_use)",
    .source = "Belady, IBM Systems Journal 5(2), 1966",
    .instance_bytes = sizeof(opt_state),
    .line_bytes = sizeof(uint64_t),
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .init = init,
    .on_hit = touch,
    .on_sector_miss = touch,
    .choose_victim = choose_victim,
    .on_fill = touch,
    .cost_bits = cost_bits,
    .needs_future = true,
    .reads = GPC_READS_PLACE | GPC_READS_NEXT_USE | GPC_READS_ADMISSION,
    .reads_with = reads_with,
};

const gpc_replacement_ops gpci_opt_bypass = {
    .struct_size = sizeof(gpc_replacement_ops),
    .state = gpci_state_none,
    .name = "opt-bypass",
    .summary =
        "Belady's optimum that may bypass: what is used later than every resident line stays out (needs next_use)",
    .source = "McFarling, ISCA 1992, on Belady, IBM Systems Journal 5(2), 1966",
    .instance_bytes = sizeof(opt_state),
    .line_bytes = sizeof(uint64_t),
    .init = init_bypassing,
    .on_hit = touch,
    .on_sector_miss = touch,
    .choose_victim = choose_victim,
    .on_fill = touch,
    .cost_bits = cost_bits,
    .needs_future = true,
    .declines = declines,
    .reads = GPC_READS_PLACE | GPC_READS_NEXT_USE | GPC_READS_ADMISSION,
};
