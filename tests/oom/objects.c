/* SPDX-License-Identifier: BSD-2-Clause */
/* Contexts, registries, configurations and caches. */
#include "oom/heap.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static gpc_status only_context(gpc_context *context, oom_heap *heap, gpc_error *error) {
    (void)context, (void)heap, (void)error;
    return GPC_OK;
}

Test(oom, context) {
    oom_check(only_context, 1);
}

/*
 * Registration: `destroy` runs exactly once, with or without success, and a failed registration leaves no name behind.
 */

static void count_destroy(void *user_data) {
    ++*(int *)user_data;
}

static uint32_t first_way(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)self, (void)set, (void)candidates, (void)request;
    return 0;
}

static void predict_nothing(void *self, uint32_t set, const gpc_request *request, gpc_prediction *prediction) {
    (void)self, (void)set, (void)request, (void)prediction;
}

static const gpc_parameter parameters[] = {{"depth", 2, 1, 8, true, "a number"}};
static int destroyed;

static gpc_status register_both(gpc_context *context, oom_heap *heap, gpc_error *error) {
    const gpc_replacement_ops replacement = {
        .struct_size = sizeof replacement,
        .name = "own-policy",
        .summary = "a policy",
        .source = "a test",
        .parameters = parameters,
        .parameter_count = 1,
        .choose_victim = first_way,
    };
    const gpc_predictor_ops predictor = {
        .struct_size = sizeof predictor, .name = "own-predictor", .summary = "a predictor", .predict = predict_nothing};
    size_t policies = gpc_policy_count(context, GPC_POLICY_REPLACEMENT);
    size_t predictors = gpc_policy_count(context, GPC_POLICY_PREDICTOR);
    destroyed = 0;
    gpc_status status = gpc_context_register_replacement(context, &replacement, &destroyed, count_destroy, error);
    cr_assert_eq(destroyed, status != GPC_OK);
    cr_assert_eq(gpc_policy_count(context, GPC_POLICY_REPLACEMENT), policies + (status == GPC_OK));
    if (status == GPC_OK)
        status = gpc_context_register_predictor(context, &predictor, NULL, NULL, error);
    if (status != GPC_OK) {
        cr_assert_eq(gpc_policy_count(context, GPC_POLICY_PREDICTOR), predictors);
        oom_heal(heap);
        cr_assert_eq(gpc_context_register_predictor(context, &predictor, NULL, NULL, NULL), GPC_OK);
    }
    return status;
}

Test(oom, registry) {
    oom_check(register_both, 3);
    cr_assert_eq(destroyed, 1);
}

static gpc_status policy_cost(gpc_context *context, oom_heap *heap, gpc_error *error) {
    (void)heap;
    uint64_t bits = 1;
    gpc_status status = gpc_policy_cost(context, GPC_POLICY_REPLACEMENT, "lru", 32, 4, 128, 4, &bits, error);
    if (status != GPC_OK)
        cr_assert_eq(bits, 1);
    return status;
}

Test(oom, policy_cost) {
    oom_check(policy_cost, 1);
}

/* Configurations: a failed change leaves every key unchanged, and succeeds with memory. */

enum { TEXT_BYTES = 1 << 16 };

/* Every key and value, in the test's memory. */
static char *dump(const gpc_config *config) {
    char *text = calloc(1, TEXT_BYTES);
    cr_assert_not_null(text);
    for (size_t i = 0, used = 0; i < gpc_key_count(); i++) {
        gpc_key_info info = GPC_KEY_INFO_INIT;
        const char *value = NULL;
        cr_assert_eq(gpc_key_at(i, &info, NULL), GPC_OK);
        cr_assert_eq(gpc_config_get(config, info.name, &value, NULL), GPC_OK);
        int length = snprintf(text + used, TEXT_BYTES - used, "%s = %s\n", info.name, value);
        cr_assert(length > 0 && used + (size_t)length < TEXT_BYTES);
        used += (size_t)length;
    }
    return text;
}

/* Later calls of a host on a cache and a hierarchy: a failed call has changed no state. */

static gpc_status probe_and_resize(gpc_context *context, oom_heap *heap, gpc_error *error) {
    gpc_cache_options options = GPC_CACHE_OPTIONS_INIT;
    options.sets = 1;
    options.ways = 2;
    options.replacement = "random";
    gpc_cache *cache;
    gpc_status status = gpc_cache_create(context, &options, &cache, error);
    if (status != GPC_OK)
        return status;
    const gpc_request request = {.address = 1 << 20};
    for (uint64_t line = 0; line < 2; line++) {
        const gpc_request load = {.address = line * 128};
        cr_assert_eq(gpc_cache_access(cache, &load, NULL, NULL), GPC_OK);
    }
    gpc_access_result said = {.way = 77}, found;
    status = gpc_cache_probe_victim(cache, &request, &said, NULL);
    if (status != GPC_OK) {
        snprintf(error->message, sizeof error->message, "probe_victim");
        error->status = status;
        cr_assert_eq(said.way, 77);
    } else {
        status = gpc_cache_resize(cache, 8, 3, error);
    }
    if (status != GPC_OK) {
        oom_heal(heap);
        cr_assert_eq(gpc_cache_probe(cache, &(gpc_request){.address = 128}, &found, NULL), GPC_OK);
        cr_assert_eq(found.outcome, GPC_HIT, "all is as it was");
    }
    gpc_cache_destroy(cache);
    return status;
}

Test(oom, probe_and_resize) {
    oom_check(probe_and_resize, 4);
}

static gpc_status rank_warps(gpc_context *context, oom_heap *heap, gpc_error *error) {
    gpc_config *config = NULL;
    gpc_hierarchy *hierarchy = NULL;
    gpc_status status = gpc_config_create(context, &config, error);
    if (status == GPC_OK)
        status = gpc_hierarchy_create(context, config, &hierarchy, error);
    if (status == GPC_OK)
        status = gpc_hierarchy_rank_warps(hierarchy, true, error);
    const gpc_warp_event start = {.kind = GPC_WARP_START, .warp = 700};
    if (status == GPC_OK && (status = gpc_hierarchy_warp_event(hierarchy, &start, NULL)) != GPC_OK) {
        oom_heal(heap);
        snprintf(error->message, sizeof error->message, "warp_event");
        error->status = status;
        cr_assert_eq(gpc_hierarchy_warp_event(hierarchy, &start, NULL), GPC_OK, "it had not started");
    }
    gpc_hierarchy_destroy(hierarchy);
    gpc_config_destroy(config);
    return status;
}

Test(oom, rank_warps) {
    oom_check(rank_warps, 4);
}

typedef gpc_status (*config_change)(gpc_config *config, gpc_error *error);

static gpc_status change_config(gpc_context *context, oom_heap *heap, gpc_error *error, config_change change) {
    gpc_config *config = NULL;
    gpc_status status = gpc_config_create(context, &config, error);
    if (status != GPC_OK) {
        cr_assert_null(config);
        return status;
    }
    char *before = dump(config);
    status = change(config, error);
    char *after = dump(config);
    cr_assert_eq(strcmp(before, after) == 0, status != GPC_OK, "the change is all or nothing");
    if (status != GPC_OK) {
        oom_heal(heap);
        cr_assert_eq(change(config, NULL), GPC_OK);
    }
    free(before);
    free(after);
    gpc_config_destroy(config);
    return status;
}

#define CONFIG_TEST(name, call)                                                      \
    static gpc_status name##_change(gpc_config *config, gpc_error *error) {          \
        return call;                                                                 \
    }                                                                                \
    static gpc_status name(gpc_context *context, oom_heap *heap, gpc_error *error) { \
        return change_config(context, heap, error, name##_change);                   \
    }                                                                                \
    Test(oom, name) {                                                                \
        oom_check(name, 2);                                                          \
    }

CONFIG_TEST(config_set, gpc_config_set(config, "l1.replacement", "fifo", error))
CONFIG_TEST(config_set_pair, gpc_config_set_pair(config, "l1.size=48KiB", error))
CONFIG_TEST(config_preset, gpc_config_load_preset(config, "h100", error))
CONFIG_TEST(config_text,
            gpc_config_load_text(config, "preset = a100\nl1.ways = 8 # more\nl2.index = ipoly\n", "t", error))
CONFIG_TEST(config_file, gpc_config_load_file(config, "tests/oom/outer.cfg", error))
CONFIG_TEST(config_import, gpc_config_import_gpgpusim(config, "tests/oom/gpgpusim.config", NULL, NULL, error))

static gpc_status copy_config(gpc_context *context, oom_heap *heap, gpc_error *error) {
    (void)heap;
    gpc_config *config = NULL, *copy = NULL;
    gpc_status status = gpc_config_create(context, &config, error);
    if (status == GPC_OK)
        status = gpc_config_copy(config, &copy, error);
    cr_assert_eq(copy != NULL, status == GPC_OK);
    gpc_config_destroy(config);
    gpc_config_destroy(copy);
    return status;
}

Test(oom, config_copy) {
    oom_check(copy_config, 3);
}

/* Caches. */

static gpc_status create_cache(gpc_context *context, gpc_error *error, const char *replacement, const char *predictor,
                               gpc_cache **out) {
    gpc_cache_options options = GPC_CACHE_OPTIONS_INIT;
    options.sectors = 4;
    options.write_allocate = GPC_WRITE_LAZY_FETCH;
    options.track_reuse = 1;
    options.track_warps = 1;
    options.replacement = replacement;
    options.predictor = predictor;
    gpc_status status = gpc_cache_create(context, &options, out, error);
    cr_assert_eq(*out != NULL, status == GPC_OK);
    return status;
}

/* Accesses allocate nothing. */
static void use_cache(gpc_cache *cache, oom_heap *heap) {
    size_t calls = heap->calls;
    for (uint64_t i = 0; i < 1000; i++) {
        gpc_request request = {.address = i * 8123, .size = 1, .kind = (uint8_t)(i % GPC_KIND_COUNT)};
        cr_assert_eq(gpc_cache_access(cache, &request, NULL, NULL), GPC_OK);
    }
    uint64_t addresses[256];
    for (uint64_t i = 0; i < 256; i++)
        addresses[i] = i * 4099;
    gpc_batch batch = GPC_BATCH_INIT;
    batch.count = 256;
    batch.addresses = addresses;
    cr_assert_eq(gpc_cache_access_many(cache, &batch, NULL, NULL), GPC_OK);
    cr_assert_eq(gpc_cache_flush(cache, NULL, NULL), GPC_OK);
    cr_assert_eq(gpc_cache_invalidate_all(cache, NULL), GPC_OK);
    cr_assert_eq(heap->calls, calls, "an access allocated");
}

/* A policy's name, with a required file. */
static const char *spec_of(const gpc_policy_info *info, char *spec, size_t size) {
    bool reads = info->text_count && !strcmp(info->texts[0].name, "file");
    snprintf(spec, size, "%s%s", info->name, reads ? "(file=tests/contract/small.profile)" : "");
    return spec;
}

static struct {
    gpc_policy_kind kind;
    size_t index, count; /* the policy of the kind, and the number of policies */
} tried;

static gpc_status cache_of_one(gpc_context *context, oom_heap *heap, gpc_error *error) {
    gpc_policy_info info = GPC_POLICY_INFO_INIT;
    gpc_cache *cache = NULL;
    char spec[128];
    tried.count = gpc_policy_count(context, tried.kind);
    cr_assert_eq(gpc_policy_at(context, tried.kind, tried.index, &info, NULL), GPC_OK);
    const bool replaces = tried.kind == GPC_POLICY_REPLACEMENT;
    const char *named = spec_of(&info, spec, sizeof spec);
    gpc_status status = create_cache(context, error, replaces ? named : NULL, replaces ? NULL : named, &cache);
    if (status == GPC_OK)
        use_cache(cache, heap);
    gpc_cache_destroy(cache);
    return status;
}

/* A cache with every policy of a registry. */
static void check_every(gpc_policy_kind kind) {
    tried.kind = kind;
    tried.index = 0;
    do
        oom_check(cache_of_one, 8);
    while (++tried.index < tried.count);
}

Test(oom, cache_of_every_replacement_policy) {
    check_every(GPC_POLICY_REPLACEMENT);
    cr_expect_gt(tried.index, 20);
}

Test(oom, cache_of_every_predictor) {
    check_every(GPC_POLICY_PREDICTOR);
    cr_expect_gt(tried.index, 4);
}

/* A failed change of policy leaves the old policy in use. */
static gpc_status change_policy(gpc_context *context, oom_heap *heap, gpc_error *error) {
    gpc_cache *cache = NULL;
    gpc_status status = create_cache(context, error, NULL, NULL, &cache);
    if (status != GPC_OK)
        return status;
    use_cache(cache, heap);
    status = gpc_cache_set_replacement(cache, "fifo", error);
    if (status == GPC_OK)
        status = gpc_cache_set_predictor(cache, "always-bypass", error);
    use_cache(cache, heap);
    if (status != GPC_OK) {
        oom_heal(heap);
        cr_assert_eq(gpc_cache_set_replacement(cache, "fifo", NULL), GPC_OK);
        cr_assert_eq(gpc_cache_set_predictor(cache, "always-bypass", NULL), GPC_OK);
        use_cache(cache, heap);
    }
    gpc_cache_destroy(cache);
    return status;
}

Test(oom, cache_policy_change) {
    oom_check(change_policy, 4);
}

static gpc_status next_uses(gpc_context *context, oom_heap *heap, gpc_error *error) {
    (void)heap;
    static const uint64_t addresses[] = {0, 128, 4, 256, 130};
    uint64_t next[5];
    gpc_status status = gpc_next_uses(context, addresses, 5, 128, next, NULL);
    if (status != GPC_OK) { /* the function has no gpc_error */
        error->status = status;
        strcpy(error->message, "next_uses");
        return status;
    }
    cr_assert(next[0] == 2 && next[1] == 4 && next[2] == UINT64_MAX && next[3] == UINT64_MAX && next[4] == UINT64_MAX);
    return status;
}

Test(oom, next_uses) {
    oom_check(next_uses, 2);
}
