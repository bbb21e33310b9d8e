/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/replacement/replacement.h"
#include "policies/replacement/rpr.h"

/*
 * PCAL, AgeLRU and RPR together, after the sketch in section 7.2 of seeds/004. Only warps with a cache token fill the
 * cache. Among their lines the youngest warp's lines leave first, as in AgeLRU. Blocks without predicted reuse (RPR)
 * stay out: a warp then takes less of the cache, and more warps can share the cache.
 *
 * The sketch leaves open how requests are kept out. Here a request without a token, or of low reuse, may not evict a
 * useful line. The request gets a free way, or the way of a dead line (its warp inactive, or its predicted reuses used
 * up), as in PCAL's opportunistic caching; otherwise the request bypasses. A request has low reuse if at most `low`
 * reuses are predicted. A block without prediction has no low reuse. The sampler also learns from bypassing blocks of
 * low reuse; otherwise a prediction could never be corrected. The sampler does not learn from warps without a token. If
 * tokens are not in use, all warps are cache warps. The cache must leave the tokens to this policy (`l1.tokens =
 * ignore`).
 *
 * Example, 2 ways, warps 0, 1 and 2 started in this order, 0 and 1 with tokens, nothing predicted; A0 = warp 0 asks for
 * A:
 *   A0 miss, B1 miss
 *   C2 bypasses            no token, and neither line is dead
 *   D0 evicts B            of the youngest warp
 *   E2 bypasses
 *   warp 0 ends
 *   F2 evicts A            A is dead: F2 needs no token
 */

typedef struct combined_state {
    gpci_rpr rpr; /* first: rpr.c's functions cast combined_state to gpci_rpr */
    uint32_t low;
} combined_state;

static const gpc_parameter parameters[] = {
    GPCI_RPR_PARAMETERS,
    {"low", 0, 0, 15, true, "most predicted reuses of a block that is kept out"},
};

static gpc_status init(void *self, const gpc_policy_env *env, char *message) {
    combined_state *state = self;
    state->low = (uint32_t)env->parameters[3];
    return gpci_rpr_init(&state->rpr, env, GPCI_RPR_AGE, message);
}

static bool is_cache_warp(const gpc_request *request) {
    return request->policy.token != GPC_TOKEN_NONE;
}

static void on_miss(void *self, uint32_t set, const gpc_request *request) {
    combined_state *state = self;
    gpci_rpr_on_miss(&state->rpr, set, request);
    if (is_cache_warp(request) && (request->kind == GPC_LOAD || request->kind == GPC_PREFETCH))
        gpci_rpr_sample(&state->rpr, set, request);
}

static bool is_kept_out(const combined_state *state, const gpc_request *request) {
    if (!is_cache_warp(request))
        return true;
    uint8_t reuse = gpci_rpr_predict(state->rpr.history, gpci_rpr_signature(&state->rpr, request));
    return reuse != GPCI_RPR_NONE && reuse >> 4 <= state->low;
}

static uint32_t choose_victim(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    combined_state *state = self;
    bool dead;
    uint32_t victim = gpci_rpr_victim(&state->rpr, set, candidates, &dead);
    return !dead && is_kept_out(state, request) ? GPC_WAY_BYPASS : victim;
}

/* True if choose_victim would bypass the request. The call changes no state. */
static bool declines(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    return choose_victim(self, set, candidates, request) == GPC_WAY_BYPASS;
}

static void state_of(void *self, gpc_state_fn visit, void *user_data) {
    combined_state *state = self;
    gpci_rpr_state(&state->rpr, visit, user_data);
}

const gpc_replacement_ops gpci_combined = {
    .struct_size = sizeof(gpc_replacement_ops),
    .state = state_of,
    .name = "combined",
    .summary = "age-lru among warps with cache tokens; blocks predicted of low reuse bypass, as do other warps",
    .source = "seeds/004, section 7.2",
    .instance_bytes = sizeof(combined_state),
    .set_bytes = GPCI_RPR_SET_BYTES,
    .line_bytes = GPCI_RPR_LINE_BYTES,
    .shared_bytes = sizeof(gpci_rpr_history),
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .init = init,
    .on_hit = gpci_rpr_on_hit,
    .on_sector_miss = gpci_lru_use,
    .on_miss = on_miss,
    .choose_victim = choose_victim,
    .on_fill = gpci_rpr_on_fill,
    .on_warp_event = gpci_rpr_on_warp_event,
    .cost_bits = gpci_rpr_cost_bits,
    .declines = declines,
    .reads = GPCI_RPR_READS | GPC_READS_KIND | GPC_READS_TOKEN | GPC_READS_ADMISSION,
};
