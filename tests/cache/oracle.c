/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/rig.h"
#include "measured.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/* Predictors compared with an oracle (track_future). */

#define NEVER UINT64_MAX

static void open_tracked(rig *r, const char *predictor) {
    rig_init(r);
    r->options.track_future = 1;
    r->options.predictor = predictor;
    rig_open(r);
}

static void load(rig *r, unsigned line, uint64_t next_use) {
    rig_access(r, LOAD(line * 128u, .policy.next_use = next_use));
}

static void expect_oracle(const rig *r, uint64_t decisions, uint64_t bypasses, uint64_t agreements, uint64_t agreed) {
    measured_cache s = rig_stats(r);
    cr_expect(s.oracle_decisions == decisions && s.oracle_bypasses == bypasses && s.oracle_agreements == agreements &&
                  s.oracle_agreed_bypasses == agreed,
              "%llu decisions, %llu bypasses, %llu agreements, %llu agreed bypasses",
              (unsigned long long)s.oracle_decisions, (unsigned long long)s.oracle_bypasses,
              (unsigned long long)s.oracle_agreements, (unsigned long long)s.oracle_agreed_bypasses);
}

/* The example of lib/cache/oracle.c, two ways under LRU. */
Test(oracle, by_hand) {
    rig r;
    open_tracked(&r, "always-cache");
    load(&r, 0, 7);
    load(&r, 1, 9); /* both ways were free, and the lines are used again */
    expect_oracle(&r, 2, 0, 2, 0);
    load(&r, 2, 8); /* line 1 is used later: cached, by LRU in place of line 0 */
    expect_oracle(&r, 3, 0, 3, 0);
    load(&r, 3, 10); /* lines 2 and 1 are used sooner; the line takes line 1's way */
    expect_oracle(&r, 4, 1, 3, 0);
    load(&r, 4, NEVER);
    expect_oracle(&r, 5, 2, 3, 0);
    load(&r, 3, 20); /* a hit is no decision, but line 3 is used at 20 from now on, */
    expect_oracle(&r, 5, 2, 3, 0);
    load(&r, 5, 19); /* later than line 5, which LRU puts in place of 4 */
    expect_oracle(&r, 6, 2, 4, 0);
    gpc_cache_reset_stats(r.cache);
    expect_oracle(&r, 0, 0, 0, 0);
    rig_close(&r);
}

Test(oracle, a_free_way_is_no_reason_to_keep_what_is_never_used) {
    rig r;
    open_tracked(&r, "always-bypass");
    load(&r, 0, NEVER);
    expect_oracle(&r, 1, 1, 1, 1);
    load(&r, 0, 5);
    expect_oracle(&r, 2, 1, 1, 1);
    rig_close(&r);
}

/* Only reads are decisions, and an invalidated line is a free way. */
Test(oracle, what_is_decided_on) {
    rig r;
    open_tracked(&r, "always-cache");
    rig_access(&r, STORE(0, .policy.next_use = 3));
    rig_access(&r, STORE(128, .policy.next_use = 4));
    expect_oracle(&r, 0, 0, 0, 0);
    rig_access(&r, ((gpc_request){.address = 256, .kind = GPC_PREFETCH, .policy.next_use = 5}));
    expect_oracle(&r, 1, 1, 0, 0);
    gpc_cache_invalidate_line(r.cache, 256, NULL);
    load(&r, 3, 6);
    expect_oracle(&r, 2, 1, 1, 0);
    rig_close(&r);
}

Test(oracle, untracked_caches_count_nothing) {
    rig r;
    rig_init(&r);
    r.options.predictor = "always-bypass";
    rig_open(&r);
    load(&r, 0, 3);
    expect_oracle(&r, 0, 0, 0, 0);
    rig_close(&r);
}

/* A predictor with the oracle's knowledge, implemented anew: next uses of the lines by way, 0 = free. */
typedef struct seer {
    uint64_t *next_uses;
    uint32_t ways;
} seer;

static gpc_status seer_init(void *self, const gpc_policy_env *env, char *message) {
    (void)message;
    *(seer *)self = (seer){env->line_state, env->ways};
    return GPC_OK;
}

static void seer_sees(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    seer *s = self;
    s->next_uses[set * s->ways + way] = request->policy.next_use;
}

static void seer_forgets(void *self, uint32_t set, uint32_t way) {
    seer *s = self;
    s->next_uses[set * s->ways + way] = 0;
}

static void seer_predict(void *self, uint32_t set, const gpc_request *request, gpc_prediction *prediction) {
    const seer *s = self;
    uint64_t latest = 0;
    for (uint32_t way = 0; way < s->ways; way++) {
        uint64_t next = s->next_uses[set * s->ways + way];
        next = next ? next : NEVER;
        latest = next > latest ? next : latest;
    }
    prediction->decision = request->policy.next_use < latest ? GPC_CACHE : GPC_BYPASS;
}

#define COUNT 20000u
#define LINES 60u

/* Loads and stores of random lines with known next uses; every 500th line is dropped. */
static measured_cache run_random(const char *predictor, const char *replacement) {
    static uint64_t addresses[COUNT], next_uses[COUNT];
    rig r;
    rig_init(&r);
    r.options.sets = 4;
    r.options.ways = 4;
    r.options.track_future = 1;
    r.options.replacement = replacement;
    r.options.predictor = predictor;
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(gpc_context_create(NULL, &r.context, &error), GPC_OK);
    gpc_predictor_ops ops = {.struct_size = sizeof ops,
                             .name = "seer",
                             .summary = "",
                             .source = "",
                             .instance_bytes = sizeof(seer),
                             .line_bytes = sizeof(uint64_t),
                             .init = seer_init,
                             .predict = seer_predict,
                             .on_hit = seer_sees,
                             .on_fill = seer_sees,
                             .on_invalidate = seer_forgets};
    cr_assert_eq(gpc_context_register_predictor(r.context, &ops, NULL, NULL, &error), GPC_OK);
    cr_assert_eq(gpc_cache_create(r.context, &r.options, &r.cache, &error), GPC_OK, "%s", error.message);
    srand(11);
    for (unsigned i = 0; i < COUNT; i++)
        addresses[i] = (unsigned)(rand() % (rand() % 2 ? LINES : LINES / 6)) * 128u;
    cr_assert_eq(gpc_next_uses(r.context, addresses, COUNT, 128, next_uses, NULL), GPC_OK);
    for (unsigned i = 0; i < COUNT; i++) {
        if (i % 500 == 499)
            gpc_cache_invalidate_line(r.cache, addresses[i - 1], NULL);
        gpc_access_result result;
        gpc_request request = LOAD(addresses[i], .policy.next_use = next_uses[i]);
        cr_assert_eq(gpc_cache_access(r.cache, &request, &result, NULL), GPC_OK);
    }
    measured_cache stats = rig_stats(&r);
    gpc_cache_destroy(r.cache);
    gpc_context_destroy(r.context);
    return stats;
}

Test(oracle, one_that_knows_as_much_always_agrees) {
    static const char *const policies[] = {"lru", "opt", "random"};
    for (unsigned n = 0; n < 3; n++) {
        measured_cache s = run_random("seer", policies[n]);
        cr_expect_eq(s.oracle_decisions, s.line_misses);
        cr_expect_gt(s.oracle_bypasses, 0);
        cr_expect_eq(s.oracle_agreements, s.oracle_decisions, "%s", policies[n]);
        cr_expect_eq(s.oracle_agreed_bypasses, s.oracle_bypasses);
        cr_expect_eq(s.oracle_bypasses, s.bypasses);
    }
}

Test(oracle, always_cache_covers_nothing_and_always_bypass_all) {
    measured_cache cache = run_random("always-cache", "lru"), bypass = run_random("always-bypass", "lru");
    cr_expect_gt(cache.oracle_bypasses, 0);
    cr_expect_eq(cache.oracle_agreed_bypasses, 0);
    cr_expect_eq(cache.oracle_agreements, cache.oracle_decisions - cache.oracle_bypasses);
    cr_expect_eq(bypass.oracle_decisions, COUNT);
    cr_expect_eq(bypass.oracle_agreed_bypasses, bypass.oracle_bypasses);
    cr_expect_eq(bypass.oracle_agreements, bypass.oracle_bypasses);
}

/* A predictor asked before the lookup is also asked about resident lines: no decision, but a use. */
Test(oracle, one_that_is_asked_early) {
    rig r;
    open_tracked(&r, "hint");
    load(&r, 0, 2);
    load(&r, 1, 9);
    rig_access(&r, LOAD(0, .policy.next_use = 20, .hint = GPC_HINT_CG));
    expect_oracle(&r, 2, 0, 2, 0);
    load(&r, 2, 15); /* line 0 is used later now */
    expect_oracle(&r, 3, 0, 3, 0);
    rig_access(&r, LOAD(1024, .policy.next_use = NEVER, .hint = GPC_HINT_CG));
    expect_oracle(&r, 4, 1, 4, 1);
    rig_close(&r);
}
