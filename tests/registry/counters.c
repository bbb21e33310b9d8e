/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/rig.h"

#include <criterion/criterion.h>
#include <stddef.h>
#include <string.h>

/* Counters published by policies, and inputs absent for policies of a single cache. */

typedef struct mine {
    uint64_t misses, deepest;
} mine;

static void on_miss(void *self, uint32_t set, const gpc_request *request) {
    (void)request;
    mine *m = self;
    m->misses++;
    m->deepest = set > m->deepest ? set : m->deepest;
}

static uint32_t first_way(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)self, (void)set, (void)candidates, (void)request;
    return 0;
}

static bool counter(void *self, size_t index, gpc_policy_counter *out) {
    const mine *m = self;
    const gpc_policy_counter rows[] = {
        {.name = "misses", .unit = "transactions", .meaning = "that it saw", .value = m->misses},
        {.name = "deepest", .is_level = 1, .value = m->deepest},
    };
    if (index >= 2 || out->struct_size < sizeof *out)
        return false;
    *out = rows[index];
    return true;
}

static const gpc_replacement_ops ops = {.struct_size = sizeof ops,
                                        .name = "mine",
                                        .instance_bytes = sizeof(mine),
                                        .on_miss = on_miss,
                                        .choose_victim = first_way,
                                        .counter = counter};

static gpc_cache *cache_of(rig *r, const char *replacement, const char *predictor) {
    gpc_cache_options options = GPC_CACHE_OPTIONS_INIT;
    options.replacement = replacement;
    options.predictor = predictor;
    gpc_cache *cache = NULL;
    cr_assert_eq(gpc_cache_create(r->context, &options, &cache, &r->error), GPC_OK, "%s", r->error.message);
    return cache;
}

static void load(gpc_cache *cache, uint64_t line) {
    gpc_request request = {.address = line * 128};
    gpc_access_result result;
    cr_assert_eq(gpc_cache_access(cache, &request, &result, NULL), GPC_OK);
}

Test(counters, of_a_policy) {
    rig r;
    rig_open(&r);
    cr_assert_eq(gpc_context_register_replacement(r.context, &ops, NULL, NULL, &r.error), GPC_OK);
    gpc_cache *cache = cache_of(&r, "mine", NULL);
    for (uint64_t line = 0; line < 5; line++)
        load(cache, line);
    gpc_policy_value value = GPC_POLICY_VALUE_INIT;
    cr_assert_eq(gpc_cache_policy_value(cache, 0, &value, NULL), GPC_OK);
    cr_expect_str_eq(value.name, "replacement.mine.misses");
    cr_expect_str_eq(value.unit, "transactions");
    cr_expect(value.value == 5 && value.instances == 1 && !value.is_level);
    cr_assert_eq(gpc_cache_policy_value(cache, 1, &value, NULL), GPC_OK);
    cr_expect_str_eq(value.name, "replacement.mine.deepest");
    cr_expect_str_eq(value.unit, "");
    cr_expect(value.value == 4 && value.is_level);
    cr_expect_eq(gpc_cache_policy_value(cache, 2, &value, NULL), GPC_ERROR_RANGE);
    cr_expect_eq(gpc_cache_policy_value(cache, 0, NULL, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_cache_policy_value(NULL, 0, &value, NULL), GPC_ERROR_ARGUMENT);
    gpc_cache_destroy(cache);
    rig_close(&r);
}

/* A table compiled before the field existed is accepted, and publishes nothing. */
Test(counters, older_table) {
    rig r;
    rig_open(&r);
    gpc_replacement_ops older = ops;
    older.struct_size = offsetof(gpc_replacement_ops, counter);
    cr_assert_eq(gpc_context_register_replacement(r.context, &older, NULL, NULL, &r.error), GPC_OK, "%s",
                 r.error.message);
    gpc_cache *cache = cache_of(&r, "mine", NULL);
    gpc_policy_value value = GPC_POLICY_VALUE_INIT;
    cr_expect_eq(gpc_cache_policy_value(cache, 0, &value, NULL), GPC_ERROR_RANGE);
    gpc_cache_destroy(cache);
    rig_close(&r);
}

/* Over the L1s of a hierarchy: counts add up, levels take the largest. */
Test(counters, of_a_hierarchy) {
    rig r;
    rig_open(&r);
    cr_assert_eq(gpc_context_register_replacement(r.context, &ops, NULL, NULL, &r.error), GPC_OK);
    gpc_config *config;
    gpc_hierarchy *h;
    cr_assert_eq(gpc_config_create(r.context, &config, &r.error), GPC_OK);
    cr_assert_eq(gpc_config_set(config, "sm.count", "3", &r.error), GPC_OK);
    cr_assert_eq(gpc_config_set(config, "l1.replacement", "mine", &r.error), GPC_OK);
    cr_assert_eq(gpc_hierarchy_create(r.context, config, &h, &r.error), GPC_OK, "%s", r.error.message);
    for (uint32_t sm = 0; sm < 3; sm++)
        for (uint64_t line = 0; line <= sm; line++) {
            uint64_t address = line * 128;
            gpc_warp_access access = GPC_WARP_ACCESS_INIT;
            access.sm = sm;
            access.mask = 1;
            access.addresses = &address;
            access.width = 4;
            cr_assert_eq(gpc_hierarchy_access(h, &access, NULL, NULL), GPC_OK);
        }
    gpc_policy_value value = GPC_POLICY_VALUE_INIT;
    cr_assert_eq(gpc_hierarchy_policy_value(h, 0, &value, NULL), GPC_OK);
    cr_expect_str_eq(value.name, "l1.replacement.mine.misses");
    cr_expect(value.value == 6 && value.instances == 3);
    cr_assert_eq(gpc_hierarchy_policy_value(h, 1, &value, NULL), GPC_OK);
    cr_expect(value.value == 2 && value.is_level);
    cr_expect_eq(gpc_hierarchy_policy_value(h, 2, &value, NULL), GPC_ERROR_RANGE);
    gpc_hierarchy_destroy(h);
    gpc_config_destroy(config);
    rig_close(&r);
}

Test(counters, what_a_cache_lacks) {
    rig r;
    rig_open(&r);
    gpc_cache *cache = cache_of(&r, "lru", NULL);
    cr_expect_eq(gpc_cache_lacks(cache), 0);
    gpc_cache_destroy(cache);
    cache = cache_of(&r, "vote(lru, mru)", NULL);
    cr_expect_eq(gpc_cache_lacks(cache), GPC_READS_SAMPLES);
    gpc_cache_destroy(cache);
    cache = cache_of(&r, "age-lru", "agcb");
    cr_expect_eq(gpc_cache_lacks(cache), (uint64_t)GPC_READS_WARP_EVENTS | GPC_READS_POLICY_WORD);
    gpc_warp_event event = {.kind = GPC_WARP_START};
    cr_assert_eq(gpc_cache_warp_event(cache, &event, NULL), GPC_OK);
    cr_expect_eq(gpc_cache_lacks(cache), GPC_READS_POLICY_WORD);
    gpc_request request = {.address = 0};
    gpc_cache_reply(cache, &request, GPC_BYPASS, 0);
    cr_expect_eq(gpc_cache_lacks(cache), 0);
    gpc_cache_destroy(cache);
    rig_close(&r);
}
