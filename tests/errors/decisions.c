/* SPDX-License-Identifier: BSD-2-Clause */
#include "errors/errors.h"

#include <criterion/criterion.h>

/* gpucache/ext/parts.h (policies alone) */

/* Rows of the creation of an object whose options have `policy`. */
#define CREATES(function, type, initial)                                      \
    do {                                                                      \
        type options = initial;                                               \
        FAILS(ARGUMENT, "context is NULL", function, NULL, &options, &made);  \
        FAILS(ARGUMENT, "out is NULL", function, context, &options, NULL);    \
        options.ways = 0;                                                     \
        FAILS(RANGE, #type ".ways", function, context, &options, &made);      \
        options.ways = 4;                                                     \
        options.policy = "nobody";                                            \
        FAILS(NOT_FOUND, "'nobody'", function, context, &options, &made);     \
        options.struct_size = 8;                                              \
        FAILS(ABI, #type ".struct_size", function, context, &options, &made); \
        cr_expect_null(made);                                                 \
    } while (0)

Test(decisions, creation) {
    gpc_context *context = made_context();
    {
        gpc_replacement *made = NULL;
        CREATES(gpc_replacement_create, gpc_replacement_options, GPC_REPLACEMENT_OPTIONS_INIT);
    }
    {
        gpc_predictor *made = NULL;
        CREATES(gpc_predictor_create, gpc_predictor_options, GPC_PREDICTOR_OPTIONS_INIT);
    }
    gpc_context_destroy(context);
}

/* Rows of events of an object, for a cache of 2 sets and 2 ways. `name` is that of the object. */
#define EVENTS(function, name)                                                                       \
    do {                                                                                             \
        const gpc_request good_ = {.address = 0x1000}, bad_ = {.size = 4096};                        \
        gpc_policy_event event = {.kind = GPC_ON_FILL, .request = &good_};                           \
        gpc_policy_event set_ = event, way_ = event, kind_ = event, request_ = event, none_ = event; \
        gpc_policy_event evict_ = event, warp_ = event, sample_ = event;                             \
        size_t done_ = 7;                                                                            \
        set_.set = 2;                                                                                \
        way_.way = 2;                                                                                \
        kind_.kind = 99;                                                                             \
        request_.request = &bad_;                                                                    \
        none_.request = NULL;                                                                        \
        evict_.kind = GPC_ON_EVICT;                                                                  \
        warp_.kind = GPC_ON_WARP_EVENT;                                                              \
        sample_.kind = GPC_ON_SAMPLE;                                                                \
        FAILS(ARGUMENT, #name " is NULL", function, NULL, &event, 1, &done_);                        \
        FAILS(ARGUMENT, "events is NULL", function, name, NULL, 1, &done_);                          \
        cr_expect_eq(done_, 7u);                                                                     \
        FAILS(ARGUMENT, "events[0]: set 2 of 2", function, name, &set_, 1, &done_);                  \
        FAILS(ARGUMENT, "events[0]: way 2 of 2", function, name, &way_, 1, &done_);                  \
        FAILS(ARGUMENT, "events[0]: 99 is no", function, name, &kind_, 1, &done_);                   \
        FAILS(ARGUMENT, "events[0]: gpc_request.size", function, name, &request_, 1, &done_);        \
        FAILS(ARGUMENT, "events[0]: request is NULL", function, name, &none_, 1, &done_);            \
        FAILS(ARGUMENT, "events[0]: eviction is NULL", function, name, &evict_, 1, &done_);          \
        FAILS(ARGUMENT, "events[0]: warp_event is NULL", function, name, &warp_, 1, &done_);         \
        FAILS(ARGUMENT, "events[0]: sample is NULL", function, name, &sample_, 1, &done_);           \
        cr_expect_eq(done_, 0u);                                                                     \
        WORKS(function, name, &event, 1, &done_);                                                    \
    } while (0)

Test(decisions, replacement) {
    gpc_context *context = made_context();
    gpc_replacement *replacement;
    gpc_replacement_options options = GPC_REPLACEMENT_OPTIONS_INIT;
    gpc_policy_value value = GPC_POLICY_VALUE_INIT;
    const gpc_request good = {.address = 0x1000}, bad = {.size = 4096}, unknown = {.reserved = {1}};
    const uint64_t none = 0, beyond = 4, first = 1;
    uint32_t way = 7;
    options.sets = options.ways = 2;
    cr_assert_eq(gpc_replacement_create(context, &options, &replacement, NULL), GPC_OK);
    EVENTS(gpc_replacement_event, replacement);
    FAILS(ARGUMENT, "replacement is NULL", gpc_replacement_choose, NULL, 0, NULL, &good, &way);
    FAILS(ARGUMENT, "out_way is NULL", gpc_replacement_choose, replacement, 0, NULL, &good, NULL);
    FAILS(ARGUMENT, "request is NULL", gpc_replacement_choose, replacement, 0, NULL, NULL, &way);
    FAILS(ARGUMENT, "set 2 of 2", gpc_replacement_choose, replacement, 2, NULL, &good, &way);
    FAILS(ARGUMENT, "gpc_request.reserved", gpc_replacement_choose, replacement, 0, NULL, &unknown, &way);
    FAILS(ARGUMENT, "gpc_request.size", gpc_replacement_choose, replacement, 0, NULL, &bad, &way);
    FAILS(ARGUMENT, "candidates", gpc_replacement_choose, replacement, 0, &none, &good, &way);
    FAILS(ARGUMENT, "candidates", gpc_replacement_choose, replacement, 0, &beyond, &good, &way);
    cr_expect_eq(way, 7u);
    WORKS(gpc_replacement_choose, replacement, 0, &first, &good, &way);
    FAILS(ARGUMENT, "replacement is NULL", gpc_replacement_policy_value, NULL, 0, &value);
    FAILS(ARGUMENT, "value is NULL", gpc_replacement_policy_value, replacement, 0, NULL);
    FAILS(RANGE, "index: 99", gpc_replacement_policy_value, replacement, 99, &value);
    gpc_replacement_destroy(replacement);
    gpc_context_destroy(context);
}

static uint32_t choose_impossible(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)self, (void)set, (void)candidates, (void)request;
    return 77;
}

Test(decisions, impossible_ways) {
    gpc_context *context = made_context();
    gpc_replacement *replacement;
    const gpc_replacement_ops ops = {.struct_size = sizeof ops,
                                     .name = "impossible",
                                     .summary = "s",
                                     .source = "s",
                                     .choose_victim = choose_impossible};
    gpc_replacement_options options = GPC_REPLACEMENT_OPTIONS_INIT;
    const gpc_request good = {.address = 0x1000};
    uint32_t way = 7;
    options.policy = "impossible";
    cr_assert_eq(gpc_context_register_replacement(context, &ops, NULL, NULL, NULL), GPC_OK);
    cr_assert_eq(gpc_replacement_create(context, &options, &replacement, NULL), GPC_OK);
    FAILS(CALLBACK, "'impossible' chose way 77", gpc_replacement_choose, replacement, 0, NULL, &good, &way);
    cr_expect_eq(way, 7u);
    gpc_replacement_destroy(replacement);
    gpc_context_destroy(context);
}

Test(decisions, predictor) {
    gpc_context *context = made_context();
    gpc_predictor *predictor;
    gpc_predictor_options options = GPC_PREDICTOR_OPTIONS_INIT;
    gpc_policy_value value = GPC_POLICY_VALUE_INIT;
    const gpc_request good = {.address = 0x1000}, unknown = {.unused = 1},
                      pair[2] = {{.address = 0x1000}, {.size = 4096}};
    const uint32_t sets[2] = {0, 0}, beyond = 2;
    gpc_prediction found[2] = {{.policy_word = 7}, {.policy_word = 7}};
    size_t done = 7;
    options.sets = options.ways = 2;
    cr_assert_eq(gpc_predictor_create(context, &options, &predictor, NULL), GPC_OK);
    EVENTS(gpc_predictor_event, predictor);
    FAILS(ARGUMENT, "predictor is NULL", gpc_predictor_predict, NULL, 0, &good, found);
    FAILS(ARGUMENT, "prediction is NULL", gpc_predictor_predict, predictor, 0, &good, NULL);
    FAILS(ARGUMENT, "request is NULL", gpc_predictor_predict, predictor, 0, NULL, found);
    FAILS(ARGUMENT, "set 2 of 2", gpc_predictor_predict, predictor, 2, &good, found);
    FAILS(ARGUMENT, "gpc_request.reserved", gpc_predictor_predict, predictor, 0, &unknown, found);
    FAILS(ARGUMENT, "gpc_request.size", gpc_predictor_predict, predictor, 0, &pair[1], found);
    cr_expect_eq(found[0].policy_word, 7u);
    WORKS(gpc_predictor_predict, predictor, 0, &good, found);
    FAILS(ARGUMENT, "predictor is NULL", gpc_predictor_predict_many, NULL, sets, pair, 1, found, &done);
    FAILS(ARGUMENT, "sets is NULL", gpc_predictor_predict_many, predictor, NULL, pair, 1, found, &done);
    FAILS(ARGUMENT, "requests is NULL", gpc_predictor_predict_many, predictor, sets, NULL, 1, found, &done);
    FAILS(ARGUMENT, "predictions is NULL", gpc_predictor_predict_many, predictor, sets, pair, 1, NULL, &done);
    FAILS(ARGUMENT, "requests[0]: set 2 of 2", gpc_predictor_predict_many, predictor, &beyond, pair, 1, found, &done);
    cr_expect_eq(done, 0u);
    FAILS(ARGUMENT, "requests[1]: gpc_request.size", gpc_predictor_predict_many, predictor, sets, pair, 2, found,
          &done);
    cr_expect(done == 1 && found[1].policy_word == 7);
    WORKS(gpc_predictor_predict_many, predictor, sets, pair, 1, found, &done);
    FAILS(ARGUMENT, "predictor is NULL", gpc_predictor_policy_value, NULL, 0, &value);
    FAILS(ARGUMENT, "value is NULL", gpc_predictor_policy_value, predictor, 0, NULL);
    FAILS(RANGE, "index: 99", gpc_predictor_policy_value, predictor, 99, &value);
    gpc_predictor_destroy(predictor);
    gpc_context_destroy(context);
}
