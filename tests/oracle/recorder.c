/* SPDX-License-Identifier: BSD-2-Clause */
#include "oracle/recorder.h"

#include <criterion/criterion.h>
#include <string.h>

typedef struct recorder {
    event_log *log;
    uint32_t ways;
    bool declines;
} recorder;

static gpc_status init(void *self, const gpc_policy_env *env, char *message) {
    (void)message;
    *(recorder *)self = (recorder){env->user_data, env->ways, !strcmp(env->arguments, "declines")};
    return GPC_OK;
}

static event_log *log_of(void *self) {
    return ((recorder *)self)->log;
}

static void policy_hit(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    event_log_add(log_of(self), POLICY_HIT, set, way, request);
}

static void policy_sector_miss(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    event_log_add(log_of(self), POLICY_SECTOR_MISS, set, way, request);
}

static void policy_miss(void *self, uint32_t set, const gpc_request *request) {
    event_log_add(log_of(self), POLICY_MISS, set, 0, request);
}

static uint32_t policy_choose(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    recorder *r = self;
    event_log_add_choice(r->log, set, candidates, r->ways, request);
    return hash_choice(set, candidates, r->ways, request, r->declines);
}

static void policy_fill(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    event_log_add(log_of(self), POLICY_FILL, set, way, request);
}

static void policy_evict(void *self, uint32_t set, uint32_t way, const gpc_eviction *eviction,
                         const gpc_request *request) {
    cr_assert(set == eviction->set && way == eviction->way);
    event_log_add_eviction(log_of(self), POLICY_EVICT, eviction, request);
}

static void policy_invalidate(void *self, uint32_t set, uint32_t way) {
    event_log_add(log_of(self), POLICY_INVALIDATE, set, way, NULL);
}

static void predict(void *self, uint32_t set, const gpc_request *request, gpc_prediction *prediction) {
    cr_assert(prediction->decision == GPC_CACHE && prediction->policy_word == 0);
    event_log_add(log_of(self), PREDICTOR_ASKED, set, 0, request);
    *prediction = dice(request);
}

static void predictor_hit(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    event_log_add(log_of(self), PREDICTOR_HIT, set, way, request);
}

static void predictor_sector_miss(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    event_log_add(log_of(self), PREDICTOR_SECTOR_MISS, set, way, request);
}

static void predictor_fill(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    event_log_add(log_of(self), PREDICTOR_FILL, set, way, request);
}

static void predictor_evict(void *self, uint32_t set, uint32_t way, const gpc_eviction *eviction,
                            const gpc_request *request) {
    cr_assert(set == eviction->set && way == eviction->way);
    event_log_add_eviction(log_of(self), PREDICTOR_EVICT, eviction, request);
}

static void predictor_invalidate(void *self, uint32_t set, uint32_t way) {
    event_log_add(log_of(self), PREDICTOR_INVALIDATE, set, way, NULL);
}

void recorder_register(gpc_context *context, event_log *log) {
    gpc_replacement_ops policy = {.struct_size = sizeof policy,
                                  .name = "recorder",
                                  .instance_bytes = sizeof(recorder),
                                  .init = init,
                                  .on_hit = policy_hit,
                                  .on_sector_miss = policy_sector_miss,
                                  .on_miss = policy_miss,
                                  .choose_victim = policy_choose,
                                  .on_fill = policy_fill,
                                  .on_evict = policy_evict,
                                  .on_invalidate = policy_invalidate};
    gpc_predictor_ops predictor = {.struct_size = sizeof predictor,
                                   .name = "dice",
                                   .instance_bytes = sizeof(recorder),
                                   .init = init,
                                   .predict = predict,
                                   .on_hit = predictor_hit,
                                   .on_sector_miss = predictor_sector_miss,
                                   .on_fill = predictor_fill,
                                   .on_evict = predictor_evict,
                                   .on_invalidate = predictor_invalidate};
    cr_assert_eq(gpc_context_register_replacement(context, &policy, log, NULL, NULL), GPC_OK);
    cr_assert_eq(gpc_context_register_predictor(context, &predictor, log, NULL, NULL), GPC_OK);
    predictor.name = "dice-before";
    predictor.before_lookup = true;
    cr_assert_eq(gpc_context_register_predictor(context, &predictor, log, NULL, NULL), GPC_OK);
}

void record_fill(void *log, uint64_t line_address, uint32_t set, uint32_t way, uint8_t sectors,
                 const gpc_request *request) {
    event_log *events = log;
    event_log_add(events, CALLBACK_FILL, set, way, request);
    events->events[events->count - 1].line_address = line_address;
    events->events[events->count - 1].sectors = sectors;
}

void record_evict(void *log, const gpc_eviction *eviction, const gpc_request *request) {
    event_log_add_eviction(log, CALLBACK_EVICT, eviction, request);
}
