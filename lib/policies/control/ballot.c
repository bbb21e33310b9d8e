/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/control/ballot.h"

#include "policies/control/counters.h"

#include <stdio.h>
#include <string.h>

#define MESSAGE 256u /* bytes of an init function's message buffer */

static gpci_vote_options options_of(const gpc_policy_env *env, uint32_t candidates) {
    const double *p = env->parameters;
    return (gpci_vote_options){.sms = env->count,
                               .candidates = candidates,
                               .testers = (uint32_t)p[GPCI_BALLOT_TESTERS],
                               .warmup = (uint32_t)p[GPCI_BALLOT_WARMUP],
                               .periods = (uint32_t)p[GPCI_BALLOT_PERIODS],
                               .attempts = (uint32_t)p[GPCI_BALLOT_ATTEMPTS],
                               .activity = p[GPCI_BALLOT_ACTIVITY],
                               .margin = p[GPCI_BALLOT_MARGIN],
                               .by_hits = env->words[0] == 1,
                               .fixed = p[GPCI_BALLOT_SM] >= 0,
                               .first = p[GPCI_BALLOT_SM] > 0 ? (uint32_t)p[GPCI_BALLOT_SM] : 0,
                               .phase_periods = (uint32_t)p[GPCI_BALLOT_PHASE_PERIODS],
                               .phase_threshold = p[GPCI_BALLOT_PHASE_THRESHOLD],
                               .miss_floor = p[GPCI_BALLOT_MISS_FLOOR]};
}

static gpc_policy_env geometry_of(const gpc_policy_env *env, uint32_t candidate) {
    return (gpc_policy_env){.sets = env->sets,
                            .ways = env->ways,
                            .line_bytes = env->line_bytes,
                            .sectors = env->sectors,
                            .index = env->index,
                            .count = env->count,
                            .seed = env->seed + candidate};
}

/* Cut up a list of specs. Returns their number; GPCI_BALLOT_CANDIDATES + 1 if the list is too long. */
static uint32_t cut(const char *list, char text[2 * GPCI_MAX_ARGUMENTS], char *specs[GPCI_BALLOT_CANDIDATES]) {
    uint32_t count = 0;
    snprintf(text, 2 * GPCI_MAX_ARGUMENTS, "%s", list);
    for (char *rest = text; rest;) {
        char *spec = gpci_spec_next(&rest);
        if (count == GPCI_BALLOT_CANDIDATES)
            return count + 1;
        specs[count++] = spec;
    }
    return count;
}

/* Let a cache join the vote of its level. The first cache that joins sets up the shared state. */
static gpc_status join(gpci_ballot *ballot, const gpc_policy_env *env, uint32_t candidates) {
    gpci_ballot_common *common = env->shared_state;
    if (!common->ready) {
        gpci_vote_options options = options_of(env, candidates);
        gpci_vote_init(&common->vote, &options, (gpci_vote_sm *)(void *)(common + 1));
        common->ready = true;
    }
    if (!common->commons)
        common->commons = gpci_commons_create(env->context);
    if (!common->commons)
        return GPC_ERROR_MEMORY;
    common->users++;
    ballot->common = common;
    ballot->index = env->index;
    return GPC_OK;
}

static gpc_status make_candidate(gpci_ballot *ballot, gpc_policy_kind kind, const gpc_policy_env *env, const char *spec,
                                 const char *(*unfit)(const void *ops), char *message) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_policy_env geometry = geometry_of(env, ballot->count);
    const void *ops = gpci_policy_table(env->context, kind, spec);
    const char *why = ops ? unfit(ops) : NULL;
    if (why) {
        snprintf(message, MESSAGE, "'%.60s' cannot be voted about: %.150s", spec, why);
        return GPC_ERROR_ARGUMENT;
    }
    gpci_policy **out = &ballot->candidates[ballot->count];
    gpc_status status = gpci_policy_create(env->context, kind, spec, &geometry, ballot->common->commons, &error, out);
    if (status < 0)
        snprintf(message, MESSAGE, "%.255s", error.message);
    else
        ballot->count++;
    return status;
}

gpc_status gpci_ballot_init(gpci_ballot *ballot, gpc_policy_kind kind, const gpc_policy_env *env, const char *list,
                            const char *(*unfit)(const void *ops), char *message) {
    char text[2 * GPCI_MAX_ARGUMENTS], *specs[GPCI_BALLOT_CANDIDATES];
    uint32_t count = cut(list, text, specs);
    if (count > GPCI_BALLOT_CANDIDATES) {
        snprintf(message, MESSAGE, "at most %u candidates", GPCI_BALLOT_CANDIDATES);
        return GPC_ERROR_RANGE;
    }
    gpc_status status = join(ballot, env, count);
    if (status < 0)
        return status;
    for (uint32_t c = 0; c < count && status == GPC_OK; c++)
        status = make_candidate(ballot, kind, env, specs[c], unfit, message);
    if (status < 0)
        gpci_ballot_finish(ballot);
    return status;
}

void gpci_ballot_finish(gpci_ballot *ballot) {
    while (ballot->count)
        gpci_policy_destroy(ballot->candidates[--ballot->count]);
    if (--ballot->common->users)
        return;
    gpci_commons_release(ballot->common->commons);
    ballot->common->commons = NULL;
}

uint64_t gpci_ballot_cost(gpc_policy_kind kind, const gpc_policy_env *env, const char *list) {
    char text[2 * GPCI_MAX_ARGUMENTS], *specs[GPCI_BALLOT_CANDIDATES];
    uint32_t count = cut(list, text, specs);
    if (count > GPCI_BALLOT_CANDIDATES)
        return 0;
    gpci_vote_options options = options_of(env, count);
    uint64_t sum = gpci_vote_sm_bits(&options) + (env->index ? 0 : gpci_vote_bits(&options));
    for (uint32_t c = 0; c < count; c++) {
        gpc_policy_env geometry = geometry_of(env, c);
        uint64_t bits = 0;
        if (gpci_policy_cost(env->context, kind, specs[c], &geometry, NULL, &bits) == GPC_OK)
            sum += bits;
    }
    return sum;
}

uint64_t gpci_ballot_reads(gpc_policy_kind kind, const gpc_policy_env *env, const char *list) {
    char text[2 * GPCI_MAX_ARGUMENTS], *specs[GPCI_BALLOT_CANDIDATES];
    uint32_t count = cut(list, text, specs);
    if (count > GPCI_BALLOT_CANDIDATES)
        return GPC_READS_EVERYTHING; /* init refuses this list */
    uint64_t sum = GPC_READS_SAMPLES;
    for (uint32_t c = 0; c < count; c++) {
        uint64_t reads = 0;
        if (gpci_policy_reads(env->context, kind, specs[c], NULL, &reads) < 0 || !reads)
            return GPC_READS_EVERYTHING;
        sum |= reads;
    }
    return sum;
}

void gpci_ballot_sample(gpci_ballot *ballot, const gpc_sample *sample) {
    gpci_vote_sample(&ballot->common->vote, ballot->index, sample);
}

bool gpci_ballot_counter(const gpci_ballot *ballot, size_t index, gpc_policy_counter *counter) {
    const gpci_vote *vote = &ballot->common->vote;
    const gpci_published rows[] = {
        {"votes", "votes", "votes that began, each of a program phase; none without samples", GPCI_IS_LEVEL,
         vote->votes},
        {"rounds", "rounds", "rounds of tests that they took", GPCI_IS_LEVEL, vote->rounds},
        {"others", "caches", "caches that now run another candidate than the first", GPCI_COUNTS,
         gpci_vote_of(vote, ballot->index) != 0},
    };
    return GPCI_PUBLISH(rows, index, counter);
}

void gpci_ballot_state(gpci_ballot *ballot, gpc_state_fn visit, void *user_data) {
    gpci_vote_state_of(&ballot->common->vote, visit, user_data);
    for (uint32_t c = 0; c < ballot->count; c++)
        gpci_policy_state(ballot->candidates[c], visit, user_data);
}
