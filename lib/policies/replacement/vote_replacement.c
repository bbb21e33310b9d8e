/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/control/ballot.h"
#include "policies/replacement/replacement.h"
#include "policies/replacement/rpr.h"

#include <stdio.h>

/*
 * Parallel voting over replacement policies (seeds/004 section 5.3: a vote over LRU and AgeLRU). Every cache keeps the
 * state of all candidates, and all candidates see all of the cache's events. The SM's running candidate chooses the
 * victim, and may therefore bypass. lib/policies/control/vote.h selects the running candidate from samples of all SMs.
 * The first candidate is the default.
 *
 * Example, vote(lru, mru), 3 SMs with caches of two ways, each with the stream A B C A B C ...:
 *   all run lru, which never hits
 *   the first sample: SM 0 tests mru, the others keep lru
 *   two samples later: mru has hit A or B, SM 0 has issued more instructions than the others, and all run mru
 *
 * L2's slices serve all SMs, and all slices see the same throughput: for slices only measure=hits tells candidates
 * apart.
 *
 * Candidates may share state among the caches, as without a vote. A vote within a vote is refused: one vote can list
 * all candidates. A policy with knowledge of the future is refused.
 */

typedef struct vote_state {
    gpci_ballot ballot;
} vote_state;

static const gpc_parameter parameters[] = {GPCI_BALLOT_DECLARE};
static const gpc_text_parameter texts[] = {
    GPCI_BALLOT_DECLARE_MEASURE,
    {"", "lru, age-lru", NULL, "the candidates, the default first"},
};
static const gpc_parameter age_parameters[] = {
    GPCI_BALLOT_DECLARE,
    {"bypass", 0, 0, 1, true, "1 = age-lru's: a request younger than the victim does not allocate"},
};

enum { AGE_BYPASS = GPCI_BALLOT_PARAMETERS };

static void on_sample(void *self, const gpc_sample *sample);

static const char *unfit(const void *table) {
    const gpc_replacement_ops *ops = table;
    if (ops->on_sample == on_sample)
        return "it is a vote itself, whose candidates may stand in this one";
    return ops->needs_future ? "it knows the future" : NULL;
}

static gpc_status init_with(void *self, const gpc_policy_env *env, const char *list, char *message) {
    vote_state *state = self;
    return gpci_ballot_init(&state->ballot, GPC_POLICY_REPLACEMENT, env, list, unfit, message);
}

static void finish(void *self) {
    vote_state *state = self;
    gpci_ballot_finish(&state->ballot);
}

/* Call `function` of every candidate that has the function. */
#define TELL(function, ...)                                         \
    do {                                                            \
        const gpci_ballot *b = &((const vote_state *)self)->ballot; \
        for (uint32_t c = 0; c < b->count; c++) {                   \
            const gpc_replacement_ops *ops = b->candidates[c]->ops; \
            if (ops->function)                                      \
                ops->function(b->candidates[c]->self, __VA_ARGS__); \
        }                                                           \
    } while (0)

static void on_hit(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    TELL(on_hit, set, way, request);
}

static void on_sector_miss(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    TELL(on_sector_miss, set, way, request);
}

static void on_miss(void *self, uint32_t set, const gpc_request *request) {
    TELL(on_miss, set, request);
}

static uint32_t choose_victim(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    const gpci_policy *present = gpci_ballot_present(&((const vote_state *)self)->ballot);
    const gpc_replacement_ops *ops = present->ops;
    return ops->choose_victim(present->self, set, candidates, request);
}

static bool declines(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    const gpci_policy *present = gpci_ballot_present(&((const vote_state *)self)->ballot);
    const gpc_replacement_ops *ops = present->ops;
    return ops->declines && ops->declines(present->self, set, candidates, request);
}

static void on_fill(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    TELL(on_fill, set, way, request);
}

static void on_evict(void *self, uint32_t set, uint32_t way, const gpc_eviction *eviction, const gpc_request *request) {
    TELL(on_evict, set, way, eviction, request);
}

static void on_invalidate(void *self, uint32_t set, uint32_t way) {
    TELL(on_invalidate, set, way);
}

static void on_warp_event(void *self, const gpc_warp_event *event) {
    TELL(on_warp_event, event);
}

static void on_sample(void *self, const gpc_sample *sample) {
    TELL(on_sample, sample);
    gpci_ballot_sample(&((vote_state *)self)->ballot, sample);
}

static bool counter(void *self, size_t index, gpc_policy_counter *out) {
    return gpci_ballot_counter(&((const vote_state *)self)->ballot, index, out);
}

static gpc_status vote_init(void *self, const gpc_policy_env *env, char *message) {
    return init_with(self, env, env->texts[1], message);
}

/*
 * Cost. For each cache: the storage of all candidates, and the counters of the cache's SM. Only for the first cache:
 * the vote (lib/policies/control/vote.h).
 */
static uint64_t vote_cost(const gpc_policy_env *env) {
    return gpci_ballot_cost(GPC_POLICY_REPLACEMENT, env, env->texts[1]);
}

static uint64_t vote_reads(const gpc_policy_env *env) {
    return gpci_ballot_reads(GPC_POLICY_REPLACEMENT, env, env->texts[1]);
}

static const char *age_list(const gpc_policy_env *env) {
    return env->parameters[AGE_BYPASS] > 0 ? "lru, age-lru(bypass=1)" : "lru, age-lru";
}

static gpc_status age_init(void *self, const gpc_policy_env *env, char *message) {
    return init_with(self, env, age_list(env), message);
}

static uint64_t age_cost(const gpc_policy_env *env) {
    return gpci_ballot_cost(GPC_POLICY_REPLACEMENT, env, age_list(env));
}

static uint64_t age_reads(const gpc_policy_env *env) {
    return gpci_ballot_reads(GPC_POLICY_REPLACEMENT, env, age_list(env));
}

static const char rpr_list[] = "lru, age-lru, rpr";

static gpc_status rpr_init(void *self, const gpc_policy_env *env, char *message) {
    return init_with(self, env, rpr_list, message);
}

static uint64_t rpr_cost(const gpc_policy_env *env) {
    return gpci_ballot_cost(GPC_POLICY_REPLACEMENT, env, rpr_list);
}

static void state_of(void *self, gpc_state_fn visit, void *user_data) {
    vote_state *state = self;
    gpci_ballot_state(&state->ballot, visit, user_data);
}

#define VOTE_COMMON                                                                                                 \
    .struct_size = sizeof(gpc_replacement_ops), .counter = counter, .state = state_of,                              \
    .instance_bytes = sizeof(vote_state), .finish = finish, .on_hit = on_hit, .on_sector_miss = on_sector_miss,     \
    .on_miss = on_miss, .choose_victim = choose_victim, .on_fill = on_fill, .on_evict = on_evict,                   \
    .on_invalidate = on_invalidate, .on_warp_event = on_warp_event, .texts = texts,                                 \
    .shared_bytes = sizeof(gpci_ballot_common), .shared_cache_bytes = sizeof(gpci_vote_sm), .on_sample = on_sample, \
    .declines = declines

const gpc_replacement_ops gpci_vote_policy = {
    VOTE_COMMON,
    .name = "vote",
    .summary = "of the policies listed, the one that SMs testing each found best, anew in each program phase",
    .source = "seeds/004, section 5.3, generalised",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .text_count = sizeof texts / sizeof *texts,
    .init = vote_init,
    .cost_bits = vote_cost,
    .reads = GPC_READS_EVERYTHING,
    .reads_with = vote_reads,
};

const gpc_replacement_ops gpci_dynamic_age_lru = {
    VOTE_COMMON,
    .name = "dynamic-age-lru",
    .summary = "LRU or age-lru, by parallel voting (bypass=1: that of age-lru)",
    .source = "seeds/004, section 5.3",
    .parameters = age_parameters,
    .parameter_count = sizeof age_parameters / sizeof *age_parameters,
    .text_count = 1,
    .init = age_init,
    .cost_bits = age_cost,
    .reads = GPC_READS_PLACE | GPCI_AWID_READS | GPC_READS_ADMISSION | GPC_READS_SAMPLES,
    .reads_with = age_reads,
};

const gpc_replacement_ops gpci_dynamic_rpr = {
    VOTE_COMMON,
    .name = "dynamic-rpr",
    .summary = "LRU, age-lru or rpr, by parallel voting",
    .source = "seeds/004, sections 5.3 and 7.2 (future work there)",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .text_count = 1,
    .init = rpr_init,
    .cost_bits = rpr_cost,
    .reads = GPCI_RPR_READS | GPC_READS_SAMPLES,
};
