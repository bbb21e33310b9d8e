/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"

#include <gpucache/ext/hierarchy.h>
#include <gpucache/ext/parts.h>
#include <gpucache/gpucache.h>

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Voting policies as policies: parameters, refusals, cost, and candidates without gaps. */

#define LINES 4000u

static gpc_context *open_context(void) {
    gpc_context *context;
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(gpc_context_create(NULL, &context, &error), GPC_OK);
    return context;
}

static gpc_status create(gpc_context *context, const char *replacement, const char *predictor, gpc_error *error,
                         gpc_cache **out) {
    gpc_cache_options options = GPC_CACHE_OPTIONS_INIT;
    options.sets = 8;
    options.replacement = replacement;
    options.predictor = predictor;
    return gpc_cache_create(context, &options, out, error);
}

static void expect_refused(const char *replacement, const char *predictor, const char *part) {
    gpc_context *context = open_context();
    gpc_error error = GPC_ERROR_INIT;
    gpc_cache *cache = NULL;
    const char *spec = replacement ? replacement : predictor;
    gpc_status status = create(context, replacement, predictor, &error, &cache);
    cr_expect(status < 0, "%s is taken", spec);
    cr_expect(strstr(error.message, part), "%s: %s", spec, error.message);
    gpc_cache_destroy(cache);
    gpc_context_destroy(context);
}

Test(ballot, who_is_refused) {
    expect_refused("vote(lru, no-such)", NULL, "no replacement policy is named 'no-such'");
    expect_refused("vote(lru, nru(random=2))", NULL, "random");
    expect_refused("vote(lru, vote(mru, bip))", NULL, "it is a vote itself");
    expect_refused("vote(dynamic-age-lru, bip)", NULL, "it is a vote itself");
    expect_refused("vote(lru, opt)", NULL, "it knows the future");
    expect_refused("vote(lru, opt(bypass=1))", NULL, "it knows the future");
    expect_refused("vote(lru, testers=0)", NULL, "testers");
    expect_refused("dynamic-age-lru(lru)", NULL, "parameter=value");
    char many[256] = "vote(", most[256];
    for (unsigned n = 0; n < 17; n++) {
        if (n == 16)
            snprintf(most, sizeof most, "%.200s)", many);
        strcat(many, n ? ",lru" : "lru");
    }
    gpc_context *context = open_context();
    gpc_error error = GPC_ERROR_INIT;
    gpc_cache *cache = NULL;
    cr_expect_eq(create(context, most, NULL, &error, &cache), GPC_OK, "16: %s", error.message);
    gpc_cache_destroy(cache);
    gpc_context_destroy(context);
    expect_refused(strcat(many, ")"), NULL, "at most 16 candidates");
    expect_refused(NULL, "vote(always-cache, agcb)", "it keeps bits in the caches below");
    expect_refused(NULL, "vote(always-cache, hint)", "asked before the tags");
    expect_refused(NULL, "vote(always-cache, vote)", "it is a vote itself");
}

/* Loads of warps that come and go, with stores between. Returns hits, write-backs and the rest. */
static measured_cache run(const char *replacement, const char *predictor) {
    gpc_context *context = open_context();
    gpc_error error = GPC_ERROR_INIT;
    gpc_cache *cache;
    cr_assert_eq(create(context, replacement, predictor, &error, &cache), GPC_OK, "%s", error.message);
    srand(5);
    for (unsigned n = 0; n < LINES; n++) {
        uint32_t warp = (unsigned)rand() % 8;
        gpc_warp_event event = {.kind = n % 50 ? GPC_WARP_BARRIER : GPC_WARP_START, .warp = n / 50 % 8};
        if (n % 10 == 0)
            gpc_cache_warp_event(cache, &event, NULL);
        gpc_request request = {.address = (uint64_t)(rand() % 60) * 128,
                               .kind = rand() % 8 ? GPC_LOAD : GPC_STORE,
                               .pc = (uint64_t)(rand() % 20) * 16,
                               .warp = warp,
                               .warp_age = warp,
                               .transactions = (uint16_t)(1 + rand() % 32)};
        cr_assert_eq(gpc_cache_access(cache, &request, NULL, NULL), GPC_OK);
        if (n % 100 == 99)
            gpc_cache_invalidate_line(cache, request.address, NULL);
    }
    measured_cache stats;
    measured_clear(&stats);
    measure_cache(cache, &stats);
    gpc_cache_destroy(cache);
    gpc_context_destroy(context);
    return stats;
}

/* The deciding candidate has the inputs as without a vote; other candidates have no effect. */
Test(ballot, the_first_candidate_is_as_it_would_be_alone) {
    static const char *const policies[] = {"lru",
                                           "fifo",
                                           "mru",
                                           "nru",
                                           "plru",
                                           "lip",
                                           "bip",
                                           "dip",
                                           "srrip",
                                           "drrip",
                                           "ship",
                                           "age-lru",
                                           "age-lru(bypass=1)",
                                           "rpr"};
    for (size_t n = 0; n < sizeof policies / sizeof *policies; n++) {
        char spec[128];
        snprintf(spec, sizeof spec, "vote(%s, mru, random)", policies[n]);
        measured_cache alone = run(policies[n], NULL), voting = run(spec, NULL);
        cr_expect(!memcmp(&alone, &voting, sizeof alone), "%s", policies[n]);
    }
    measured_cache alone = run(NULL, "access-count"), voting = run(NULL, "vote(access-count, always-bypass)");
    cr_expect(!memcmp(&alone, &voting, sizeof alone));
    cr_expect_gt(alone.bypasses, 0);
}

static uint64_t cost(gpc_policy_kind kind, const char *spec, uint32_t caches) {
    gpc_context *context = open_context();
    gpc_error error = GPC_ERROR_INIT;
    uint64_t bits = 0;
    cr_assert_eq(gpc_policy_level_cost(context, kind, spec, caches, 32, 4, 128, 1, &bits, &error), GPC_OK, "%s: %s",
                 spec, error.message);
    gpc_context_destroy(context);
    return bits;
}

/*
 * Every cache has both policies, a bit for the deciding policy and four counters of 32 bits. The level has, once, 2
 * measures of 32 bits and a counter to 3 for phases, 2 x (32 + 2 + 1) bits of scores, 2 of state, 1 of the winner, 4
 * numbering 15 SMs, and 2 counting a test of two periods.
 */
Test(ballot, cost) {
    uint64_t central = 66 + 70 + 2 + 1 + 4 + 2;
    uint64_t lru = 15 * 32 * 4 * 2, nru = cost(GPC_POLICY_REPLACEMENT, "nru", 15);
    cr_expect_eq(cost(GPC_POLICY_REPLACEMENT, "vote(lru, nru)", 15), lru + nru + 15 * (1 + 128) + central);
    uint64_t age = cost(GPC_POLICY_REPLACEMENT, "age-lru", 15), rpr = cost(GPC_POLICY_REPLACEMENT, "rpr", 15);
    cr_expect_eq(cost(GPC_POLICY_REPLACEMENT, "dynamic-age-lru(bypass=1)", 15), lru + age + 15 * 129 + central);
    /* three candidates: two bits for the candidate, in the cache and in the level, and a third score */
    cr_expect_eq(cost(GPC_POLICY_REPLACEMENT, "dynamic-rpr", 15), lru + age + rpr + 15 * 130 + central + 35 + 1);
    cr_expect_eq(cost(GPC_POLICY_REPLACEMENT, "dynamic-age-lru(sm=0)", 15), lru + age + 15 * 129 + central - 4,
                 "no rotating SM");
    uint64_t count = cost(GPC_POLICY_PREDICTOR, "access-count", 15);
    cr_expect_eq(cost(GPC_POLICY_PREDICTOR, "vote(always-cache, access-count)", 15), count + 15 * 129 + central);
}

/* L1 of a live hierarchy: the vote is replaced by a new vote, and the old vote comes back. */
Test(ballot, on_a_live_cache) {
    gpc_context *context = open_context();
    gpc_error error = GPC_ERROR_INIT;
    gpc_config *config;
    gpc_hierarchy *h;
    cr_assert_eq(gpc_config_create(context, &config, &error), GPC_OK);
    cr_assert_eq(gpc_config_set(config, "l1.replacement", "vote(lru, dip)", &error), GPC_OK);
    cr_assert_eq(gpc_config_set(config, "sm.count", "3", &error), GPC_OK);
    cr_assert_eq(gpc_hierarchy_create(context, config, &h, &error), GPC_OK, "%s", error.message);
    cr_expect(gpc_hierarchy_wants_samples(h));
    for (unsigned n = 0; n < 4; n++) {
        gpc_cache *l1 = gpc_hierarchy_cache(h, 1, n % 3);
        cr_expect_eq(gpc_cache_set_replacement(l1, n % 2 ? "vote(lru, dip)" : "vote(dip, lru)", &error), GPC_OK);
        gpc_sample samples[3] = {GPC_SAMPLE_INIT, GPC_SAMPLE_INIT, GPC_SAMPLE_INIT};
        for (unsigned sm = 0; sm < 3; sm++) {
            samples[sm].cycles = samples[sm].active_cycles = 100;
            samples[sm].instructions = 50 + sm;
        }
        cr_expect_eq(gpc_hierarchy_sample(h, samples, NULL), GPC_OK);
    }
    for (unsigned sm = 0; sm < 3; sm++)
        cr_expect_eq(gpc_cache_set_replacement(gpc_hierarchy_cache(h, 1, sm), "lru", &error), GPC_OK);
    cr_expect_not(gpc_hierarchy_wants_samples(h));
    gpc_hierarchy_destroy(h);
    gpc_config_destroy(config);
    gpc_context_destroy(context);
}
