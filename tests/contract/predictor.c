/* SPDX-License-Identifier: BSD-2-Clause */
#include "contract/contract.h"

#include "registry/registry.h"

#include <criterion/criterion.h>
#include <string.h>

/* Every bypass predictor: declarations, decisions, and use inside a cache. */

Test(predictor, says_what_it_is_and_is_tried) {
    gpc_context *context = open_context(1);
    size_t count = gpc_policy_count(context, GPC_POLICY_PREDICTOR);
    cr_assert_gt(count, 0);
    for (size_t i = 0; i < count; i++) {
        gpc_policy_info info = GPC_POLICY_INFO_INIT;
        cr_assert_eq(gpc_policy_at(context, GPC_POLICY_PREDICTOR, i, &info, NULL), GPC_OK);
        cr_expect_gt(strlen(info.name), 0);
        cr_expect_gt(strlen(info.summary), 10, "%s", info.name);
        cr_expect_not_null(info.source, "%s", info.name);
        bool listed = false;
        for (const char *const *row = predictor_rows(); *row; row++)
            listed |= is_named(*row, info.name);
        cr_expect(listed, "%s is not tried", info.name);
    }
    gpc_context_destroy(context);
}

static gpc_request random_request(uint64_t *random, uint64_t lines) {
    return (gpc_request){.address = gpci_random(random) % lines * 128,
                         .pc = gpci_random(random) % 64 * 16,
                         .sm = gpci_random_below(random, 4),
                         .warp = gpci_random_below(random, 48),
                         .warp_age = gpci_random_below(random, 48),
                         .block = gpci_random_below(random, 8),
                         .policy.policy_word = gpci_random_below(random, 8),
                         .transactions = (uint16_t)(1 + gpci_random_below(random, 32)),
                         .bytes_used = (uint16_t)(1 + gpci_random_below(random, 128)),
                         .kind = (uint8_t)gpci_random_below(random, GPC_KIND_COUNT),
                         .space = (uint8_t)gpci_random_below(random, 2),
                         .hint = (uint8_t)gpci_random_below(random, GPC_HINT_COUNT),
                         .priority = (uint8_t)gpci_random_below(random, GPC_PRIORITY_COUNT),
                         .policy.token = (uint8_t)gpci_random_below(random, GPC_TOKEN_COUNT)};
}

/* The table called directly: decisions in range, and equal for equal history. */
static uint64_t exercise(const char *spec, uint32_t sets, uint32_t ways) {
    gpc_context *context = open_context(1);
    gpc_policy_env geometry = {
        .struct_size = sizeof geometry, .sets = sets, .ways = ways, .line_bytes = 128, .sectors = 4, .count = 1};
    gpc_error error = GPC_ERROR_INIT;
    gpci_policy *policy;
    cr_assert_eq(gpci_policy_create(context, GPC_POLICY_PREDICTOR, spec, &geometry, NULL, &error, &policy), GPC_OK,
                 "%s", error.message);
    const gpc_predictor_ops *ops = policy->ops;
    uint64_t random = 7, digest = 0;
    for (int step = 0; step < 5000; step++) {
        gpc_request request = random_request(&random, 10000);
        uint32_t set = gpci_random_below(&random, sets), way = gpci_random_below(&random, ways);
        gpc_prediction prediction = {0};
        ops->predict(policy->self, set, &request, &prediction);
        cr_assert_leq(prediction.decision, GPC_BYPASS, "%s decided %u", spec, prediction.decision);
        digest = gpci_mix(digest ^ prediction.decision ^ (uint64_t)prediction.policy_word << 32);
        if (ops->on_reply) {
            gpc_decision held =
                ops->on_reply(policy->self, &request, (gpc_decision)prediction.decision, gpci_random_below(&random, 4));
            cr_assert(held == GPC_CACHE || held == GPC_BYPASS, "%s held %d", spec, (int)held);
        }
        if (ops->respond)
            digest = gpci_mix(digest ^ ops->respond(policy->self, set, step % 5 ? way : UINT32_MAX, &request));
        if (ops->on_fill && prediction.decision == GPC_CACHE)
            ops->on_fill(policy->self, set, way, &request);
        if (ops->on_hit && step % 3)
            ops->on_hit(policy->self, set, way, &request);
        if (ops->on_invalidate && step % 17 == 0)
            ops->on_invalidate(policy->self, set, way);
    }
    gpci_policy_destroy(policy);
    gpc_context_destroy(context);
    return digest;
}

Test(predictor, decides_in_range_and_repeats_itself) {
    for (const char *const *row = predictor_rows(); *row; row++) {
        exercise(*row, 1, 1);
        exercise(*row, 3, 1024);
        cr_expect_eq(exercise(*row, 32, 4), exercise(*row, 32, 4), "%s", *row);
    }
}

/* Inside a cache, with every kind of request: bypassed lines leave no trace, others are resident. */
static void inside_a_cache(gpc_context *context, const char *spec) {
    gpc_cache_options options = GPC_CACHE_OPTIONS_INIT;
    gpc_error error = GPC_ERROR_INIT;
    gpc_cache *cache;
    options.sectors = 4;
    options.predictor = spec;
    cr_assert_eq(gpc_cache_create(context, &options, &cache, &error), GPC_OK, "%s", error.message);
    uint64_t random = 5;
    for (int step = 0; step < 20000; step++) {
        gpc_request request = random_request(&random, 400);
        gpc_access_result before, result, after;
        request.kind = GPC_LOAD;
        cr_assert_eq(gpc_cache_probe(cache, &request, &before, NULL), GPC_OK);
        cr_assert_eq(gpc_cache_access(cache, &request, &result, NULL), GPC_OK, "%s", spec);
        cr_assert_eq(gpc_cache_probe(cache, &request, &after, NULL), GPC_OK);
        if (result.outcome == GPC_BYPASSED)
            cr_assert_eq(after.outcome, before.outcome, "%s: a bypassed line came or went", spec);
        else
            cr_assert_eq(after.outcome, GPC_HIT, "%s: a line that was let in is not there", spec);
    }
    gpc_cache_destroy(cache);
}

Test(predictor, bypassed_lines_stay_out) {
    gpc_context *context = open_context(1);
    for (const char *const *row = predictor_rows(); *row; row++)
        inside_a_cache(context, *row);
    gpc_context_destroy(context);
}

/* Changed on a live cache: the new predictor decides from then on, and lines stay. */
Test(predictor, can_be_changed_on_a_live_cache) {
    gpc_context *context = open_context(1);
    gpc_cache *cache = open_cache(context, "lru", 4, 4);
    gpc_request first = {.address = 0}, second = {.address = 128};
    gpc_access_result result;
    cr_assert_eq(gpc_cache_access(cache, &first, &result, NULL), GPC_OK);
    cr_assert_eq(gpc_cache_set_predictor(cache, "always-bypass", NULL), GPC_OK);
    cr_assert_eq(gpc_cache_access(cache, &first, &result, NULL), GPC_OK);
    cr_expect_eq(result.outcome, GPC_HIT);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(gpc_cache_access(cache, &second, &result, NULL), GPC_OK);
        cr_expect_eq(result.outcome, GPC_BYPASSED);
    }
    cr_expect_eq(gpc_cache_set_predictor(cache, "no-such", NULL), GPC_ERROR_NOT_FOUND);
    cr_assert_eq(gpc_cache_access(cache, &second, &result, NULL), GPC_OK);
    cr_expect_eq(result.outcome, GPC_BYPASSED);
    for (const char *const *row = predictor_rows(); *row; row++) {
        cr_expect_eq(gpc_cache_set_predictor(cache, *row, NULL), GPC_OK);
        cr_assert_eq(gpc_cache_probe(cache, &first, &result, NULL), GPC_OK);
        cr_expect_eq(result.outcome, GPC_HIT);
    }
    gpc_cache_destroy(cache);
    gpc_context_destroy(context);
}
