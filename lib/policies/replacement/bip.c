/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/replacement/lru.h"
#include "policies/replacement/replacement.h"
#include "policies/replacement/thrash_throttle.h"

/*
 * Bimodal insertion: as LIP, but a share epsilon of the lines, 1/32, comes in as the most recently used. A changed
 * working set therefore gets in. epsilon = 0 is LIP and epsilon = 1 is LRU. The paper's hardware counts misses with
 * five bits (random=0). The paper's pseudocode can also mean a random draw (random=1).
 *
 * With bypass=1, if a set is full, a line that BIP would insert as the least recently used does not come in: BIP as a
 * bypassing algorithm, seeds/004 section 5.4.1.2. With bypass=1 a fill of a free way does not count for epsilon, and
 * comes in as the most recently used.
 *
 * Example, 3 ways, one set, epsilon = 0.25, stream A B C D A E D:
 *   A B C miss         recency A B C (the most recent first): each new line goes behind the others
 *   D evicts C         the fourth inserted line goes to the front: recency D A B
 *   A hit              recency A D B
 *   E evicts B         recency A D E
 *   D hit              recency D A E
 */

enum { EPSILON, RANDOM, BYPASS };

typedef struct bip_state {
    gpci_lru_state lru;
    gpci_thrash_throttle throttle;
    bool bypass;
} bip_state;

static const gpc_parameter parameters[] = {
    GPCI_EPSILON,
    GPCI_RANDOM,
    {"bypass", 0, 0, 1, true, "1 = lines not let through bypass a full set"},
};

static gpc_status init(void *self, const gpc_policy_env *env, char *message) {
    bip_state *state = self;
    gpci_thrash_throttle_init(&state->throttle, env->parameters[EPSILON], env->parameters[RANDOM] > 0, env->seed);
    state->bypass = env->parameters[BYPASS] > 0;
    return gpci_lru_init(&state->lru, env, message);
}

static void on_hit(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)request;
    bip_state *state = self;
    gpci_lru_touch(&state->lru, set, way);
}

static uint32_t choose_victim(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    bip_state *state = self;
    if (state->bypass && !request->policy.admitted && !gpci_thrash_throttle_passes(&state->throttle))
        return GPC_WAY_BYPASS;
    return gpci_lru_last(&state->lru, set, candidates);
}

/*
 * Let the throttle decide. If the line passes, the later choose_victim sees `admitted`, and does not ask the throttle.
 */
static bool declines(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    return choose_victim(self, set, candidates, request) == GPC_WAY_BYPASS;
}

static void on_fill(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)request;
    bip_state *state = self;
    if (state->bypass || gpci_thrash_throttle_passes(&state->throttle))
        gpci_lru_touch(&state->lru, set, way);
    else
        gpci_lru_demote(&state->lru, set, way);
}

/* Cost: LRU's order, sets x ways x ceil(log2(ways)) bits, and the throttle, 5 bits for 1/32. */
static uint64_t cost_bits(const gpc_policy_env *env) {
    return gpci_lru.cost_bits(env) + gpci_thrash_throttle_bits(env->parameters[EPSILON], env->parameters[RANDOM] > 0);
}

static uint64_t reads_with(const gpc_policy_env *env) {
    return GPC_READS_PLACE | (env->parameters[BYPASS] > 0 ? GPC_READS_ADMISSION : 0);
}

static void state_of(void *self, gpc_state_fn visit, void *user_data) {
    bip_state *state = self;
    visit(user_data, &state->throttle, sizeof state->throttle);
}

const gpc_replacement_ops gpci_bip = {
    .struct_size = sizeof(gpc_replacement_ops),
    .state = state_of,
    .name = "bip",
    .summary = "LRU, with one line in 32 inserted as most recently used, the others as least (bypass=1: not at all)",
    .source = "Qureshi et al., ISCA 2007, section 4.2; seeds/004 section 5.4",
    .instance_bytes = sizeof(bip_state),
    .set_bytes = sizeof(uint64_t),
    .line_bytes = sizeof(gpci_lru_link),
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .init = init,
    .on_hit = on_hit,
    .choose_victim = choose_victim,
    .on_fill = on_fill,
    .cost_bits = cost_bits,
    .declines = declines,
    .reads = GPC_READS_PLACE | GPC_READS_ADMISSION,
    .reads_with = reads_with,
};
