/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/predictor/predictors.h"

#include <gpucache/ext/policies.h>
#include <gpucache/hierarchy.h>

/*
 * Bypassing half of the memory request prioritization buffer. If L1 cannot take a load at once, the load goes to L2
 * without L1, instead of blocking all requests behind the load (seeds/000 section 2). Three causes: every way of the
 * set is reserved (an associativity stall), no MSHR entry is free, or the miss queue is full. The decision depends on
 * the missing resource, not on the block's reuse. The other half, reordering of requests before L1, is `l1.reorder`.
 *
 * A load bypasses at any of the three stalls, as in seeds/000. With mrpb(mshr=0, queue=0) a load bypasses only at the
 * associativity stall, as in the textbook of Aamodt, Fung and Rogers (2018, section 4.4.3). A load that does not stall
 * follows its cache operator, as with `hint`. A functional cache never stalls: there mrpb equals `hint`.
 *
 * Example, one set of 2 ways, loads of lines A, B, C before any data are back: A and B reserve the ways. C would wait
 * until A's data come, and goes below instead. C's reply goes to its warp; C is in no way afterwards.
 */

enum { LINE, MSHR, QUEUE, STALLS };

typedef struct mrpb_state {
    bool bypasses[STALLS];
} mrpb_state;

static const gpc_parameter parameters[] = {
    {"line", 1, 0, 1, true, "1 = bypass where every way of the set is reserved"},
    {"mshr", 1, 0, 1, true, "1 = bypass where no MSHR entry is free"},
    {"queue", 1, 0, 1, true, "1 = bypass where the miss queue is full (l1.bypass_queue)"},
};

static gpc_status init(void *self, const gpc_policy_env *env, char *message) {
    (void)message;
    mrpb_state *state = self;
    for (unsigned i = 0; i < STALLS; i++)
        state->bypasses[i] = env->parameters[i] > 0;
    return GPC_OK;
}

static void predict(void *self, uint32_t set, const gpc_request *request, gpc_prediction *prediction) {
    gpci_hint.predict(self, set, request, prediction);
}

static gpc_decision on_stall(void *self, const gpc_request *request, uint32_t reason) {
    (void)request;
    const mrpb_state *state = self;
    bool bypasses = (reason == GPC_BUSY_LINE && state->bypasses[LINE]) ||
                    (reason == GPC_BUSY_MSHR && state->bypasses[MSHR]) ||
                    (reason == GPC_BUSY_MISS_QUEUE && state->bypasses[QUEUE]);
    return bypasses ? GPC_BYPASS : GPC_CACHE;
}

const gpc_predictor_ops gpci_mrpb = {
    .struct_size = sizeof(gpc_predictor_ops),
    .state = gpci_state_none,
    .name = "mrpb",
    .summary = "a load that is held up at L1's tags goes below instead of waiting (timed)",
    .source = "Jia et al., HPCA 2014; seeds/000 section 2",
    .instance_bytes = sizeof(mrpb_state),
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .before_lookup = true,
    .init = init,
    .predict = predict,
    .on_stall = on_stall,
    .reads = GPC_READS_PLACE | GPC_READS_HINT | GPC_READS_STALLS,
};
