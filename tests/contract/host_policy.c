/* SPDX-License-Identifier: BSD-2-Clause */
#include "contract/contract.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* The library's side of the contract, seen by a policy of the host: environment, order of calls, refusals. */

typedef struct spy {
    const gpc_policy_env *env;
    char calls[64]; /* h m v e f i w: the functions called, in order */
    uint32_t victim;
    bool finished, destroyed;
} spy;

typedef struct spy_instance {
    spy *seen;
} spy_instance;

static void note(void *self, char call) {
    spy *seen = ((spy_instance *)self)->seen;
    size_t length = strlen(seen->calls);
    cr_assert_lt(length + 1, sizeof seen->calls);
    seen->calls[length] = call;
}

static gpc_status spy_init(void *self, const gpc_policy_env *env, char *message) {
    if (!strcmp(env->arguments, "refuse")) {
        snprintf(message, 256, "asked to");
        return GPC_ERROR_UNSUPPORTED;
    }
    ((spy_instance *)self)->seen = env->user_data;
    ((spy *)env->user_data)->env = env;
    return GPC_OK;
}

static void spy_finish(void *self) {
    ((spy_instance *)self)->seen->finished = true;
}

static void spy_destroy(void *user_data) {
    ((spy *)user_data)->destroyed = true;
}

static void spy_hit(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)set, (void)way, (void)request;
    note(self, 'h');
}

static void spy_miss(void *self, uint32_t set, const gpc_request *request) {
    (void)set, (void)request;
    note(self, 'm');
}

static uint32_t spy_victim(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)set, (void)candidates, (void)request;
    note(self, 'v');
    return ((spy_instance *)self)->seen->victim;
}

static void spy_fill(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)set, (void)way, (void)request;
    note(self, 'f');
}

static void spy_evict(void *self, uint32_t set, uint32_t way, const gpc_eviction *eviction,
                      const gpc_request *request) {
    cr_expect_eq(eviction->set, set);
    cr_expect_eq(eviction->way, way);
    cr_expect_neq(eviction->line_address, request->address);
    note(self, 'e');
}

static void spy_invalidate(void *self, uint32_t set, uint32_t way) {
    (void)set, (void)way;
    note(self, 'i');
}

static void spy_warp(void *self, const gpc_warp_event *event) {
    cr_expect_eq(event->kind, GPC_WARP_EXIT);
    note(self, 'w');
}

static const gpc_replacement_ops spy_ops = {
    .struct_size = sizeof(gpc_replacement_ops),
    .name = "spy",
    .instance_bytes = sizeof(spy_instance),
    .set_bytes = 3,
    .line_bytes = 5,
    .init = spy_init,
    .finish = spy_finish,
    .on_hit = spy_hit,
    .on_miss = spy_miss,
    .choose_victim = spy_victim,
    .on_fill = spy_fill,
    .on_evict = spy_evict,
    .on_invalidate = spy_invalidate,
    .on_warp_event = spy_warp,
};

static gpc_context *context_with(spy *seen) {
    gpc_context *context = open_context(1);
    cr_assert_eq(gpc_context_register_replacement(context, &spy_ops, seen, spy_destroy, NULL), GPC_OK);
    return context;
}

static void access_line(gpc_cache *cache, uint64_t line, gpc_status expected) {
    gpc_request request = {.address = line * 128};
    cr_expect_eq(gpc_cache_access(cache, &request, NULL, NULL), expected);
}

/* The environment is the cache's, zeroed, and stays readable while the policy is in use. */
Test(host_policy, environment_lives_as_long_as_the_policy) {
    spy seen = {0};
    gpc_context *context = context_with(&seen);
    gpc_cache *cache = open_cache(context, "spy(free = form, of any kind)", 6, 7);
    for (uint64_t line = 0; line < 6; line++)
        access_line(cache, line, GPC_OK);
    const gpc_policy_env *env = seen.env;
    cr_expect_str_eq(env->arguments, "free = form, of any kind");
    cr_expect(env->sets == 6 && env->ways == 7 && env->line_bytes == 128 && env->sectors == 1 && env->count == 1);
    const char *set_state = env->set_state, *line_state = env->line_state;
    for (size_t i = 0; i < 6 * 3; i++)
        cr_expect_eq(set_state[i], 0);
    for (size_t i = 0; i < 6 * 7 * 5; i++)
        cr_expect_eq(line_state[i], 0);
    cr_expect_not(seen.finished);
    gpc_cache_destroy(cache);
    cr_expect(seen.finished);
    cr_expect_not(seen.destroyed);
    gpc_context_destroy(context);
    cr_expect(seen.destroyed);
}

Test(host_policy, calls_come_in_the_promised_order) {
    spy seen = {.victim = 1};
    gpc_context *context = context_with(&seen);
    gpc_cache *cache = open_cache(context, "spy", 1, 2);
    access_line(cache, 0, GPC_OK);
    access_line(cache, 1, GPC_OK);
    access_line(cache, 0, GPC_OK);
    cr_expect_str_eq(seen.calls, "mfmfh");
    access_line(cache, 2, GPC_OK);
    cr_expect_str_eq(seen.calls, "mfmfhmvef");
    memset(seen.calls, 0, sizeof seen.calls);
    cr_assert_eq(gpc_cache_invalidate_line(cache, 0, NULL), GPC_OK);
    gpc_warp_event event = {.kind = GPC_WARP_EXIT};
    cr_assert_eq(gpc_cache_warp_event(cache, &event, NULL), GPC_OK);
    access_line(cache, 3, GPC_OK);
    cr_expect_str_eq(seen.calls, "iwmf", "%s: the way that was freed is taken without asking", seen.calls);
    gpc_cache_destroy(cache);
    gpc_context_destroy(context);
}

/* An impossible way fails the access and moves no line; bypass is a choice. */
Test(host_policy, an_impossible_victim_is_refused) {
    spy seen = {.victim = 2};
    gpc_context *context = context_with(&seen);
    gpc_cache *cache = open_cache(context, "spy", 1, 2);
    access_line(cache, 0, GPC_OK);
    access_line(cache, 1, GPC_OK);
    access_line(cache, 2, GPC_ERROR_CALLBACK);
    seen.victim = GPC_WAY_BYPASS;
    gpc_request request = {.address = 2 * 128};
    gpc_access_result result;
    cr_expect_eq(gpc_cache_access(cache, &request, &result, NULL), GPC_OK);
    cr_expect_eq(result.outcome, GPC_BYPASSED);
    for (uint64_t line = 0; line < 3; line++) {
        request.address = line * 128;
        cr_assert_eq(gpc_cache_probe(cache, &request, &result, NULL), GPC_OK);
        cr_expect_eq(result.outcome, line < 2 ? GPC_HIT : GPC_MISS);
    }
    gpc_cache_destroy(cache);
    gpc_context_destroy(context);
}

Test(host_policy, a_refusing_init_refuses_the_cache_and_its_reason_is_told) {
    spy seen = {0};
    gpc_context *context = context_with(&seen);
    gpc_cache_options options = GPC_CACHE_OPTIONS_INIT;
    gpc_error error = GPC_ERROR_INIT;
    gpc_cache *cache = NULL;
    options.replacement = "spy(refuse)";
    cr_expect_eq(gpc_cache_create(context, &options, &cache, &error), GPC_ERROR_UNSUPPORTED);
    cr_expect_null(cache);
    cr_expect_not_null(strstr(error.message, "asked to"), "%s", error.message);
    cache = open_cache(context, "lru", 4, 4);
    cr_expect_eq(gpc_cache_set_replacement(cache, "spy(refuse)", &error), GPC_ERROR_UNSUPPORTED);
    access_line(cache, 1, GPC_OK);
    gpc_cache_destroy(cache);
    gpc_context_destroy(context);
}

/* Built-in policies accept only declared parameters. */
Test(host_policy, built_in_policies_refuse_unknown_parameters) {
    static const char *const wrong[] = {"lru(bypass=1)", "random(7)", "opt(bypas=1)", "opt(bypass=2)",
                                        "opt(bypass=0.5)"};
    gpc_context *context = open_context(1);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        gpc_cache_options options = GPC_CACHE_OPTIONS_INIT;
        gpc_error error = GPC_ERROR_INIT;
        gpc_cache *cache = NULL;
        options.replacement = wrong[i];
        cr_expect_lt(gpc_cache_create(context, &options, &cache, &error), 0, "%s", wrong[i]);
        cr_expect_null(cache);
        cr_expect_gt(strlen(error.message), 0);
    }
    gpc_context_destroy(context);
}
