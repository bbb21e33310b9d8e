/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/replacement/replacement.h"
#include "policies/replacement/rrip.h"

/*
 * Static re-reference interval prediction. A line comes in with a long predicted interval, 2^M - 2; a victim must have
 * the distant value 2^M - 1. A hit sets the value to 0 (hit priority, HP) or lowers the value by one (frequency
 * priority, FP). The victim is the lowest way with the distant value. If no way is distant, all values of the set go up
 * until a way is distant. A line hit once therefore outlives a scan of lines without hits. With one bit SRRIP is NRU.
 *
 * Example, M = 2, 4 ways, one set, stream A B A C D E F A, values of ways 0 to 3:
 *   A B miss           2 2 . .
 *   A hit              0 2 . .
 *   C D miss           0 2 2 2
 *   E evicts B         no value is 3: all values go up, 1 3 3 3; the lowest 3 leaves: 1 2 3 3
 *   F evicts C         1 2 2 3
 *   A hit              0 2 2 3
 * LRU would have evicted B and then A.
 */

typedef struct srrip_state {
    gpci_rrip rrip;
    bool frequency;
} srrip_state;

static const gpc_parameter parameters[] = {GPCI_RRPV_BITS};

static const gpc_text_parameter texts[] = {
    {"promotion", "hit", "hit|frequency", "what a hit does: the value becomes 0 (HP), or one less (FP)"},
};

static gpc_status init(void *self, const gpc_policy_env *env, char *message) {
    (void)message;
    srrip_state *state = self;
    gpci_rrip_init(&state->rrip, env, (uint32_t)env->parameters[0]);
    state->frequency = env->words[0] == 1;
    return GPC_OK;
}

static void on_hit(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)request;
    srrip_state *state = self;
    uint32_t value = state->frequency ? gpci_rrip_get(&state->rrip, set, way) : 0;
    if (value > 1)
        gpci_rrip_put(&state->rrip, set, way, value - 1);
    else
        gpci_rrip_clear(&state->rrip, set, way);
}

static uint32_t choose_victim(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)request;
    srrip_state *state = self;
    return gpci_rrip_victim(&state->rrip, set, candidates);
}

static void on_fill(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)request;
    srrip_state *state = self;
    gpci_rrip_put_far(&state->rrip, set, way, false);
}

static uint64_t cost_bits(const gpc_policy_env *env) {
    return gpci_rrip_bits(env, (uint32_t)env->parameters[0]);
}

const gpc_replacement_ops gpci_srrip = {
    .struct_size = sizeof(gpc_replacement_ops),
    .state = gpci_state_none,
    .name = "srrip",
    .summary = "evict what is predicted to be used again in the distant future; new lines are predicted nearly so",
    .source = "Jaleel et al., ISCA 2010, section 4",
    .instance_bytes = sizeof(srrip_state),
    .set_bytes = GPCI_RRIP_SET_BYTES,
    .line_bytes = GPCI_RRIP_LINE_BYTES,
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .texts = texts,
    .text_count = sizeof texts / sizeof *texts,
    .init = init,
    .on_hit = on_hit,
    .choose_victim = choose_victim,
    .on_fill = on_fill,
    .cost_bits = cost_bits,
    .reads = GPC_READS_PLACE,
};
