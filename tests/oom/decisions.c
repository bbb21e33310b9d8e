/* SPDX-License-Identifier: BSD-2-Clause */
/* Decisions alone, and caches with shared state: creation fails cleanly, and use allocates no memory. */
#include "oom/heap.h"

#include <criterion/criterion.h>

static gpc_replacement *make_replacement(gpc_context *context, gpc_replacement *other, gpc_error *error,
                                         gpc_status *status) {
    gpc_replacement_options options = GPC_REPLACEMENT_OPTIONS_INIT;
    gpc_replacement *replacement = NULL;
    options.policy = "vote(rpr, lru)";
    options.tells = GPC_READS_EVERYTHING;
    options.instances = 2;
    options.instance = other != NULL;
    options.share_with = other;
    if (*status == GPC_OK)
        *status = gpc_replacement_create(context, &options, &replacement, error);
    cr_assert(!replacement || *status == GPC_OK);
    return replacement;
}

static gpc_predictor *make_predictor(gpc_context *context, gpc_predictor *other, gpc_error *error, gpc_status *status) {
    gpc_predictor_options options = GPC_PREDICTOR_OPTIONS_INIT;
    gpc_predictor *predictor = NULL;
    options.policy = "vote(sdbp, random-p)";
    options.tells = GPC_READS_EVERYTHING;
    options.instances = 2;
    options.instance = other != NULL;
    options.share_with = other;
    if (*status == GPC_OK)
        *status = gpc_predictor_create(context, &options, &predictor, error);
    cr_assert(!predictor || *status == GPC_OK);
    return predictor;
}

static void use(gpc_replacement *replacement, gpc_predictor *predictor, oom_heap *heap) {
    const size_t calls = heap->calls;
    for (uint32_t i = 0; i < 300; i++) {
        const gpc_request load = {.address = 128 * (uint64_t)(i % 77), .pc = i % 5};
        const gpc_policy_event fill = {.kind = GPC_ON_FILL, .set = i % 32, .way = i % 4, .request = &load};
        gpc_prediction prediction;
        uint32_t way;
        if (replacement) {
            cr_assert_eq(gpc_replacement_choose(replacement, i % 32, NULL, &load, &way, NULL), GPC_OK);
            cr_assert_eq(gpc_replacement_event(replacement, &fill, 1, NULL, NULL), GPC_OK);
        }
        if (predictor) {
            cr_assert_eq(gpc_predictor_predict(predictor, i % 32, &load, &prediction, NULL), GPC_OK);
            cr_assert_eq(gpc_predictor_event(predictor, &fill, 1, NULL, NULL), GPC_OK);
        }
    }
    cr_assert_eq(heap->calls, calls);
}

static gpc_status decisions(gpc_context *context, oom_heap *heap, gpc_error *error) {
    gpc_status status = GPC_OK;
    gpc_replacement *r = make_replacement(context, NULL, error, &status),
                    *s = r ? make_replacement(context, r, error, &status) : NULL;
    gpc_predictor *p = make_predictor(context, NULL, error, &status),
                  *q = p ? make_predictor(context, p, error, &status) : NULL;
    use(r, p, heap);
    gpc_replacement_destroy(r);
    gpc_predictor_destroy(p);
    use(s, q, heap);
    gpc_replacement_destroy(s);
    gpc_predictor_destroy(q);
    return status;
}

Test(oom, decisions) {
    oom_check(decisions, 30);
}

static gpc_status throttle(gpc_context *context, oom_heap *heap, gpc_error *error) {
    gpc_throttle *throttles[2] = {NULL, NULL};
    gpc_throttle_options options = GPC_THROTTLE_OPTIONS_INIT;
    gpc_status status = GPC_OK;
    options.throttles = "cca + blocks";
    options.count = 2;
    for (uint32_t i = 0; i < 2 && status == GPC_OK; i++) {
        options.index = i;
        options.share_with = throttles[0];
        status = gpc_throttle_create(context, &options, &throttles[i], error);
    }
    const size_t calls = heap->calls;
    for (uint32_t slot = 0; throttles[0] && slot < 48; slot++) {
        cr_assert_eq(gpc_throttle_start(throttles[0], slot, slot / 4, NULL), GPC_OK);
        cr_assert_eq(gpc_throttle_classify(throttles[0], slot, NULL, NULL), GPC_OK);
    }
    cr_assert_eq(heap->calls, calls);
    gpc_throttle_destroy(throttles[0]);
    gpc_throttle_destroy(throttles[1]);
    return status;
}

Test(oom, throttles_alone) {
    oom_check(throttle, 10);
}

static gpc_status caches_that_share(gpc_context *context, oom_heap *heap, gpc_error *error) {
    (void)heap;
    gpc_cache *caches[2] = {NULL, NULL};
    gpc_cache_options options = GPC_CACHE_OPTIONS_INIT;
    gpc_status status = GPC_OK;
    options.replacement = "vote(rpr, lru)";
    options.instances = 2;
    for (uint32_t i = 0; i < 2 && status == GPC_OK; i++) {
        options.instance = i;
        options.share_with = caches[0];
        status = gpc_cache_create(context, &options, &caches[i], error);
    }
    gpc_cache_destroy(caches[0]);
    gpc_cache_destroy(caches[1]);
    return status;
}

Test(oom, caches_that_share) {
    oom_check(caches_that_share, 20);
}
