/* SPDX-License-Identifier: BSD-2-Clause */
#include "decisions/decider.h"

/* Bypass predictor for a host's own cache. */

struct gpc_predictor {
    gpci_decider decider;
    const gpc_predictor_ops *ops;
    void *self;
};

gpc_status gpc_predictor_create(gpc_context *context, const gpc_predictor_options *options, gpc_predictor **out,
                                gpc_error *error) {
    if (!context || !out)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_predictor_create: %s is NULL", context ? "out" : "context");
    gpc_predictor_options predictor_options = GPC_PREDICTOR_OPTIONS_INIT;
    gpc_status status = gpci_take(&predictor_options, sizeof predictor_options, sizeof predictor_options, options,
                                  "gpc_predictor_options", error);
    if (status < 0)
        return status;
    gpc_predictor *predictor = gpci_zalloc(context, 1, sizeof *predictor);
    if (!predictor)
        return gpci_out_of_memory(error);
    const gpci_decider_options of_either = {
        .type = "gpc_predictor_options",
        .policy = predictor_options.policy ? predictor_options.policy : "always-cache",
        .sets = predictor_options.sets,
        .ways = predictor_options.ways,
        .line_bytes = predictor_options.line_bytes,
        .sectors = predictor_options.sectors,
        .instance = predictor_options.instance,
        .instances = predictor_options.instances,
        .reserved = predictor_options.reserved,
        .seed = predictor_options.seed,
        .tells = predictor_options.tells,
        .share_with = predictor_options.share_with ? &predictor_options.share_with->decider : NULL};
    predictor->decider.context = gpci_retain(context);
    status = gpci_decider_begin(&predictor->decider, GPC_POLICY_PREDICTOR, &of_either, error);
    if (status < 0) {
        gpc_predictor_destroy(predictor);
        return status;
    }
    predictor->ops = predictor->decider.policy->ops;
    predictor->self = predictor->decider.policy->self;
    *out = predictor;
    return GPC_OK;
}

void gpc_predictor_destroy(gpc_predictor *predictor) {
    if (!predictor)
        return;
    gpc_context *context = predictor->decider.context;
    gpci_decider_end(&predictor->decider);
    gpci_free(context, predictor);
    gpci_release(context);
}

bool gpc_predictor_before_lookup(const gpc_predictor *predictor) {
    return predictor && predictor->ops->before_lookup;
}

static gpc_prediction predict(gpc_predictor *predictor, uint32_t set, const gpc_request *request) {
    gpc_prediction prediction = {GPC_CACHE, 0};
    predictor->ops->predict(predictor->self, set, request, &prediction);
    prediction.decision = prediction.decision == GPC_BYPASS ? GPC_BYPASS : GPC_CACHE;
    return prediction;
}

gpc_status gpc_predictor_predict(gpc_predictor *predictor, uint32_t set, const gpc_request *request,
                                 gpc_prediction *prediction, gpc_error *error) {
    if (!predictor || !prediction)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_predictor_predict: %s is NULL",
                         predictor ? "prediction" : "predictor");
    if (!gpci_decider_takes(&predictor->decider, set, request))
        return gpci_decider_refuse_request(&predictor->decider, "gpc_predictor_predict", set, request, error);
    *prediction = predict(predictor, set, request);
    return GPC_OK;
}

gpc_status gpc_predictor_predict_many(gpc_predictor *predictor, const uint32_t *sets, const gpc_request *requests,
                                      size_t count, gpc_prediction *predictions, size_t *out_done, gpc_error *error) {
    const char *missing = !predictor ? "predictor" : !count ? NULL : !sets ? "sets" : !requests ? "requests" : NULL;
    missing = missing || !count || predictions ? missing : "predictions";
    gpc_status status =
        missing ? gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_predictor_predict_many: %s is NULL", missing) : GPC_OK;
    size_t i = 0;
    for (; status == GPC_OK && i < count; i++) {
        if (!gpci_decider_takes(&predictor->decider, sets[i], &requests[i])) {
            status = gpci_decider_refuse_listed(&predictor->decider, "requests", i, sets[i], &requests[i], error);
            break;
        }
        predictions[i] = predict(predictor, sets[i], &requests[i]);
    }
    if (out_done)
        *out_done = i;
    return status;
}

static void tell_found(gpc_predictor *predictor, const gpc_policy_event *event) {
    const gpc_predictor_ops *ops = predictor->ops;
    if (gpci_is_sector_miss(event)) {
        if (ops->on_sector_miss)
            ops->on_sector_miss(predictor->self, event->set, event->way, event->request);
    } else if (ops->on_hit) {
        ops->on_hit(predictor->self, event->set, event->way, event->request);
    }
}

static void tell(void *p, const gpc_policy_event *event) {
    gpc_predictor *predictor = p;
    const gpc_predictor_ops *ops = predictor->ops;
    switch ((gpc_policy_event_kind)event->kind) {
    case GPC_ON_HIT:
    case GPC_ON_SECTOR_MISS:
        tell_found(predictor, event);
        return;
    case GPC_ON_FILL:
        if (ops->on_fill)
            ops->on_fill(predictor->self, event->set, event->way, event->request);
        return;
    case GPC_ON_EVICT:
        if (ops->on_evict)
            ops->on_evict(predictor->self, event->set, event->way, event->eviction, event->request);
        return;
    case GPC_ON_INVALIDATE:
        if (ops->on_invalidate)
            ops->on_invalidate(predictor->self, event->set, event->way);
        return;
    case GPC_ON_WARP_EVENT:
        if (ops->on_warp_event)
            ops->on_warp_event(predictor->self, event->warp_event);
        return;
    case GPC_ON_SAMPLE:
        if (ops->on_sample)
            ops->on_sample(predictor->self, event->sample);
        return;
    default: /* predictors have no function for misses */
        return;
    }
}

gpc_status gpc_predictor_event(gpc_predictor *predictor, const gpc_policy_event *events, size_t count, size_t *out_done,
                               gpc_error *error) {
    if (!predictor || (!events && count))
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_predictor_event: %s is NULL",
                         predictor ? "events" : "predictor");
    return gpci_decider_events(&predictor->decider, events, count, tell, predictor, out_done, error);
}

gpc_decision gpc_predictor_reply(gpc_predictor *predictor, const gpc_request *request, gpc_decision predicted,
                                 uint32_t word) {
    return predictor && request && predictor->ops->on_reply
               ? predictor->ops->on_reply(predictor->self, request, predicted, word)
               : predicted;
}

uint32_t gpc_predictor_respond(gpc_predictor *predictor, uint32_t set, uint32_t way, const gpc_request *request) {
    return predictor && gpci_decider_takes(&predictor->decider, set, request) &&
                   (way < predictor->decider.ways || way == UINT32_MAX) && predictor->ops->respond
               ? predictor->ops->respond(predictor->self, set, way, request)
               : 0;
}

gpc_decision gpc_predictor_stall(gpc_predictor *predictor, const gpc_request *request, uint32_t reason) {
    return predictor && request ? gpci_predictor_stall(predictor->ops, predictor->self, request, reason) : GPC_CACHE;
}

gpc_status gpc_predictor_policy_value(const gpc_predictor *predictor, size_t index, gpc_policy_value *value,
                                      gpc_error *error) {
    if (!predictor)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_predictor_policy_value: predictor is NULL");
    return gpci_decider_value(&predictor->decider, "bypass", index, value, error);
}
