/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/predictor/predictors.h"
#include "policies/replacement/awid.h"
#include "policies/replacement/rpr_history.h"
#include "policies/replacement/rpr_sampler.h"

/*
 * RPR as a filter before any replacement policy: a block with at most `low` predicted reuses does not enter (seeds/004
 * section 7.2, "filter out the low-reuse blocks"). Signatures, history table and sampler are those of the policy `rpr`
 * (chapter 6). The fields of lines are not needed, because this predictor replaces nothing.
 *
 * The section leaves open how a prediction is corrected. Here the sampler treats a bypassed block as fetched, and goes
 * on learning. A block without a prediction enters.
 *
 * Example, every set sampled, one way, a load p whose lines are never used again: its first 31 misses have no
 * prediction. The 31st fetch fills the 5-bit total-fetching-count. The averages are taken, count 0, and from then on p
 * bypasses.
 */

enum { SIGNATURE, SAMPLE, LOW };

typedef struct rpr_filter {
    gpci_rpr_history *history; /* shared by all SMs */
    gpci_rpr_sampler sampler;
    unsigned hash_shift;
    uint32_t low;
    gpci_awid warps;
} rpr_filter;

static const gpc_parameter parameters[] = {
    {"signature", 8, 1, GPCI_RPR_SIGNATURE_BITS, true, "bits of a signature; 8 is the sampler's field (section 6.3)"},
    {"sample", 4, 1, 1024, true, "one set in so many is sampled, a power of two (4: section 6.3)"},
    {"low", 0, 0, 15, true, "most predicted reuses of a block that bypasses"},
};

static gpc_status init(void *self, const gpc_policy_env *env, char *message) {
    rpr_filter *filter = self;
    gpc_status status = gpci_rpr_sampler_init(&filter->sampler, env, (uint32_t)env->parameters[SAMPLE], env->line_state,
                                              env->set_state, message);
    if (status < 0)
        return status;
    filter->history = env->shared_state;
    filter->hash_shift = 64 - (unsigned)env->parameters[SIGNATURE];
    filter->low = (uint32_t)env->parameters[LOW];
    gpci_awid_init(&filter->warps);
    return GPC_OK;
}

static uint32_t signature_of(rpr_filter *filter, const gpc_request *request) {
    gpci_awid_use(&filter->warps, request);
    return gpci_rpr_hash(request->pc, gpci_awid_age(&filter->warps, gpci_awid_of(&filter->warps, request)),
                         filter->hash_shift);
}

/* Record an access to a set. If the sampler does not have the block, record a fetch. */
static void observe(rpr_filter *filter, uint32_t set, const gpc_request *request, uint32_t signature) {
    if (gpci_rpr_samples(&filter->sampler, filter->history, set) &&
        !gpci_rpr_sample_access(&filter->sampler, filter->history, set, request->address))
        gpci_rpr_sample_enter(&filter->sampler, filter->history, set, request->address, signature);
}

static void predict(void *self, uint32_t set, const gpc_request *request, gpc_prediction *prediction) {
    rpr_filter *filter = self;
    uint32_t signature = signature_of(filter, request);
    uint8_t reuse = gpci_rpr_predict(filter->history, signature);
    observe(filter, set, request, signature);
    if (reuse != GPCI_RPR_NONE && reuse >> 4 <= filter->low)
        prediction->decision = GPC_BYPASS;
}

static void on_hit(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)way;
    observe(self, set, request, signature_of(self, request));
}

static void on_warp_event(void *self, const gpc_warp_event *event) {
    rpr_filter *filter = self;
    gpci_awid_event(&filter->warps, event);
    gpci_rpr_sampler_event(filter->history, event);
}

/* Cost: history table and sampler, in cache 0 only; in each cache the registers of active warp ids. */
static uint64_t cost_bits(const gpc_policy_env *env) {
    return GPCI_AWID_BITS +
           gpci_rpr_shared_bits(env, (uint32_t)env->parameters[SAMPLE], (uint32_t)env->parameters[SIGNATURE]);
}

static void state_of(void *self, gpc_state_fn visit, void *user_data) {
    rpr_filter *state = self;
    visit(user_data, &state->warps, sizeof state->warps);
    visit(user_data, state->history, sizeof *state->history);
}

const gpc_predictor_ops gpci_rpr_predictor = {
    .struct_size = sizeof(gpc_predictor_ops),
    .state = state_of,
    .name = "rpr",
    .summary = "blocks bypass that RPR's history predicts not to be used again",
    .source = "seeds/004, section 7.2 and chapter 6",
    .instance_bytes = sizeof(rpr_filter),
    .set_bytes = sizeof(uint16_t),
    .line_bytes = sizeof(gpci_rpr_tag),
    .shared_bytes = sizeof(gpci_rpr_history),
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .init = init,
    .predict = predict,
    .on_hit = on_hit,
    .on_warp_event = on_warp_event,
    .cost_bits = cost_bits,
    .reads = GPC_READS_PLACE | GPC_READS_ADDRESS | GPC_READS_PC | GPCI_AWID_READS,
};
