/* SPDX-License-Identifier: BSD-2-Clause */
#include <gpucache/ext/parts.h>
#include <gpucache/gpucache.h>

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Inputs of instances: words of their texts, and shared state. */

static uint32_t seen_words[3];

static gpc_status see_words(void *self, const gpc_policy_env *env, char *message) {
    (void)self, (void)message;
    memcpy(seen_words, env->words, sizeof seen_words);
    return GPC_OK;
}

static uint32_t first(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)self, (void)set, (void)candidates, (void)request;
    return 0;
}

static void expect_words(gpc_context *context, const char *policy, uint32_t a, uint32_t b, uint32_t c) {
    gpc_cache *cache;
    gpc_cache_options options = GPC_CACHE_OPTIONS_INIT;
    memset(seen_words, 0xff, sizeof seen_words);
    options.replacement = policy;
    cr_assert_eq(gpc_cache_create(context, &options, &cache, NULL), GPC_OK, "%s", policy);
    cr_expect(seen_words[0] == a && seen_words[1] == b && seen_words[2] == c, "%s: %u, %u, %u", policy, seen_words[0],
              seen_words[1], seen_words[2]);
    gpc_cache_destroy(cache);
}

/* Index of a text among the choices; 0 if any text is allowed. */
Test(environment, words) {
    static const gpc_text_parameter texts[] = {
        {"free", "b", NULL, "any"}, {"one", "b", "a|b|c", "one of three"}, {"two", "a", "a|b|c", "likewise"}};
    const gpc_replacement_ops ops = {.struct_size = sizeof ops,
                                     .name = "texts",
                                     .texts = texts,
                                     .text_count = 3,
                                     .init = see_words,
                                     .choose_victim = first};
    gpc_context *context;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    cr_assert_eq(gpc_context_register_replacement(context, &ops, NULL, NULL, NULL), GPC_OK);
    expect_words(context, "texts", 0, 1, 0);
    expect_words(context, "texts(free=c, two=c)", 0, 1, 2);
    gpc_context_destroy(context);
}

enum { SCHEDULERS = 2, SMS = 3, EACH = 5000, BLOCK = 100 };

static size_t largest;

static void *take(void *user_data, size_t bytes) {
    (void)user_data;
    largest = bytes > largest ? bytes : largest;
    return malloc(bytes);
}

static void *take_more(void *user_data, void *old, size_t bytes) {
    (void)user_data;
    largest = bytes > largest ? bytes : largest;
    return realloc(old, bytes);
}

static void give_back(void *user_data, void *old) {
    (void)user_data;
    free(old);
}

static void classify(void *self, const gpc_throttle_view *view, gpc_throttle_classes *classes) {
    (void)self, (void)view, (void)classes;
}

/* One block, with a part per scheduler of every SM: all of it can be written. */
static gpc_status fill(void *self, const gpc_scheduler_env *env, char *message) {
    (void)self, (void)message;
    const size_t part = (size_t)env->sm * env->count + env->index;
    memset((char *)env->shared_state + BLOCK + part * EACH, (int)part, EACH);
    return GPC_OK;
}

Test(environment, throttles_share_a_part_each) {
    const gpc_throttle_ops ops = {.struct_size = sizeof ops,
                                  .name = "parts",
                                  .init = fill,
                                  .classify = classify,
                                  .shared_bytes = BLOCK,
                                  .shared_scheduler_bytes = EACH};
    gpc_context_options own = GPC_CONTEXT_OPTIONS_INIT;
    gpc_throttle_options options = GPC_THROTTLE_OPTIONS_INIT;
    gpc_throttle *made[SCHEDULERS * SMS] = {NULL};
    gpc_context *context;
    own.allocate = take;
    own.resize = take_more;
    own.release = give_back;
    cr_assert_eq(gpc_context_create(&own, &context, NULL), GPC_OK);
    cr_assert_eq(gpc_context_register_throttle(context, &ops, NULL, NULL, NULL), GPC_OK);
    options.throttles = "parts";
    options.warps = 4;
    options.count = SCHEDULERS;
    options.sms = SMS;
    largest = 0;
    for (uint32_t n = 0; n < SCHEDULERS * SMS; n++) {
        options.sm = n / SCHEDULERS;
        options.index = n % SCHEDULERS;
        options.share_with = made[0];
        cr_assert_eq(gpc_throttle_create(context, &options, &made[n], NULL), GPC_OK);
    }
    cr_expect_geq(largest, BLOCK + SCHEDULERS * SMS * EACH, "%zu bytes", largest);
    cr_expect_lt(largest, BLOCK + (SCHEDULERS * SMS + 1) * EACH, "%zu bytes", largest);
    for (uint32_t n = 0; n < SCHEDULERS * SMS; n++)
        gpc_throttle_destroy(made[n]);
    gpc_context_destroy(context);
}

/* States of sets and of lines side by side: all can be written, and each keeps the value. */
enum { SETS = 16, WAYS = 3, SET_BYTES = 40, LINE_BYTES = 16, INSTANCE_BYTES = 72 };

static unsigned kept;

static gpc_status fill_all(void *self, const gpc_policy_env *env, char *message) {
    (void)message;
    memset(self, 1, INSTANCE_BYTES);
    memset(env->set_state, 2, (size_t)SETS * SET_BYTES);
    memset(env->line_state, 3, (size_t)SETS * WAYS * LINE_BYTES);
    kept = 0;
    for (unsigned n = 0; n < INSTANCE_BYTES; n++)
        kept += ((const char *)self)[n] == 1;
    for (unsigned n = 0; n < SETS * SET_BYTES; n++)
        kept += ((const char *)env->set_state)[n] == 2;
    return GPC_OK;
}

Test(environment, states_of_sets_and_lines) {
    const gpc_replacement_ops ops = {.struct_size = sizeof ops,
                                     .name = "states",
                                     .instance_bytes = INSTANCE_BYTES,
                                     .set_bytes = SET_BYTES,
                                     .line_bytes = LINE_BYTES,
                                     .init = fill_all,
                                     .choose_victim = first};
    gpc_cache_options options = GPC_CACHE_OPTIONS_INIT;
    gpc_context *context;
    gpc_cache *cache;
    options.replacement = "states";
    options.sets = SETS;
    options.ways = WAYS;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    cr_assert_eq(gpc_context_register_replacement(context, &ops, NULL, NULL, NULL), GPC_OK);
    cr_assert_eq(gpc_cache_create(context, &options, &cache, NULL), GPC_OK);
    cr_expect_eq(kept, INSTANCE_BYTES + SETS * SET_BYTES);
    gpc_cache_destroy(cache);
    gpc_context_destroy(context);
}
