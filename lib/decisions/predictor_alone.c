/* SPDX-License-Identifier: BSD-2-Clause */
#include "decisions/decider.h"

/* Bypass predictor for a host's own cache. */

struct gpc_predictor {
    gpci_decider decider;
    const gpc_predictor_ops *ops;
    void *self;
};

gpc_status gpc_predictor_create(gpc_context *context, const gpc_predictor_options *options, gpc_error *error,
                                gpc_predictor **out) {
    if (!context || !out)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_predictor_create: %s is NULL", context ? "out" : "context");
    gpc_predictor_options o = GPC_PREDICTOR_OPTIONS_INIT;
    gpc_status status = gpci_take(&o, sizeof o, sizeof o, options, "gpc_predictor_options", error);
    if (status < 0)
        return status;
    gpc_predictor *p = gpci_zalloc(context, 1, sizeof *p);
    if (!p)
        return gpci_out_of_memory(error);
    const gpci_decider_options of_either = {.type = "gpc_predictor_options",
                                            .policy = o.policy ? o.policy : "always-cache",
                                            .sets = o.sets,
                                            .ways = o.ways,
                                            .line_bytes = o.line_bytes,
                                            .sectors = o.sectors,
                                            .instance = o.instance,
                                            .instances = o.instances,
                                            .reserved = o.reserved,
                                            .seed = o.seed,
                                            .tells = o.tells,
                                            .share_with = o.share_with ? &o.share_with->decider : NULL};
    p->decider.context = gpci_retain(context);
    status = gpci_decider_begin(&p->decider, GPC_POLICY_PREDICTOR, &of_either, error);
    if (status < 0) {
        gpc_predictor_destroy(p);
        return status;
    }
    p->ops = p->decider.policy->ops;
    p->self = p->decider.policy->self;
    *out = p;
    return GPC_OK;
}

void gpc_predictor_destroy(gpc_predictor *p) {
    if (!p)
        return;
    gpc_context *context = p->decider.context;
    gpci_decider_end(&p->decider);
    gpci_free(context, p);
    gpci_release(context);
}

bool gpc_predictor_before_lookup(const gpc_predictor *p) {
    return p && p->ops->before_lookup;
}

static gpc_prediction predict(gpc_predictor *p, uint32_t set, const gpc_request *request) {
    gpc_prediction prediction = {GPC_CACHE, 0};
    p->ops->predict(p->self, set, request, &prediction);
    prediction.decision = prediction.decision == GPC_BYPASS ? GPC_BYPASS : GPC_CACHE;
    return prediction;
}

gpc_status gpc_predictor_predict(gpc_predictor *p, uint32_t set, const gpc_request *request,
                                 gpc_prediction *prediction) {
    if (!p || !prediction || !gpci_decider_takes(&p->decider, set, request))
        return GPC_ERROR_ARGUMENT;
    *prediction = predict(p, set, request);
    return GPC_OK;
}

gpc_status gpc_predictor_predict_many(gpc_predictor *p, const uint32_t *sets, const gpc_request *requests, size_t count,
                                      gpc_prediction *predictions, gpc_error *error, size_t *out_done) {
    const char *missing = !p ? "predictor" : !count ? NULL : !sets ? "sets" : !requests ? "requests" : NULL;
    missing = missing || !count || predictions ? missing : "predictions";
    gpc_status status =
        missing ? gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_predictor_predict_many: %s is NULL", missing) : GPC_OK;
    size_t i = 0;
    for (; status == GPC_OK && i < count; i++) {
        if (!gpci_decider_takes(&p->decider, sets[i], &requests[i])) {
            status = gpci_decider_refuse_request(&p->decider, "requests", i, sets[i], &requests[i], error);
            break;
        }
        predictions[i] = predict(p, sets[i], &requests[i]);
    }
    if (out_done)
        *out_done = i;
    return status;
}

static void tell_found(gpc_predictor *p, const gpc_tag_event *event) {
    const gpc_predictor_ops *ops = p->ops;
    if (gpci_is_sector_miss(event)) {
        if (ops->on_sector_miss)
            ops->on_sector_miss(p->self, event->set, event->way, event->request);
    } else if (ops->on_hit) {
        ops->on_hit(p->self, event->set, event->way, event->request);
    }
}

/* Report an event, already checked. */
static void train(gpc_predictor *p, const gpc_tag_event *event) {
    const gpc_predictor_ops *ops = p->ops;
    switch ((gpc_tag_event_kind)event->kind) {
    case GPC_TAG_HIT:
    case GPC_TAG_SECTOR_MISS:
        tell_found(p, event);
        return;
    case GPC_TAG_FILL:
        if (ops->on_fill)
            ops->on_fill(p->self, event->set, event->way, event->request);
        return;
    case GPC_TAG_EVICT:
        if (ops->on_evict)
            ops->on_evict(p->self, event->set, event->way, event->eviction, event->request);
        return;
    case GPC_TAG_INVALIDATE:
        if (ops->on_invalidate)
            ops->on_invalidate(p->self, event->set, event->way);
        return;
    default: /* no function for these events */
        return;
    }
}

gpc_status gpc_predictor_train(gpc_predictor *p, const gpc_tag_event *event) {
    if (!p || !event || !gpci_decider_believes(&p->decider, event))
        return GPC_ERROR_ARGUMENT;
    train(p, event);
    return GPC_OK;
}

gpc_status gpc_predictor_train_many(gpc_predictor *p, const gpc_tag_event *events, size_t count, gpc_error *error,
                                    size_t *out_done) {
    gpc_status status =
        p && (events || !count)
            ? GPC_OK
            : gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_predictor_train_many: %s is NULL", p ? "events" : "predictor");
    size_t i = 0;
    for (; status == GPC_OK && i < count; i++) {
        if (!gpci_decider_believes(&p->decider, &events[i])) {
            status = gpci_decider_refuse_event(&p->decider, i, &events[i], error);
            break;
        }
        train(p, &events[i]);
    }
    if (out_done)
        *out_done = i;
    return status;
}

gpc_decision gpc_predictor_reply(gpc_predictor *p, const gpc_request *request, gpc_decision predicted, uint32_t word) {
    return p && request && p->ops->on_reply ? p->ops->on_reply(p->self, request, predicted, word) : predicted;
}

uint32_t gpc_predictor_respond(gpc_predictor *p, uint32_t set, uint32_t way, const gpc_request *request) {
    return p && gpci_decider_takes(&p->decider, set, request) && (way < p->decider.ways || way == UINT32_MAX) &&
                   p->ops->respond
               ? p->ops->respond(p->self, set, way, request)
               : 0;
}

gpc_decision gpc_predictor_stall(gpc_predictor *p, const gpc_request *request, uint32_t reason) {
    return p && request ? gpci_predictor_stall(p->ops, p->self, request, reason) : GPC_CACHE;
}

gpc_status gpc_predictor_warp_event(gpc_predictor *p, const gpc_warp_event *event) {
    if (!p || !event || event->kind > GPC_KERNEL_END)
        return GPC_ERROR_ARGUMENT;
    if (p->ops->on_warp_event)
        p->ops->on_warp_event(p->self, event);
    return GPC_OK;
}

gpc_status gpc_predictor_sample(gpc_predictor *p, const gpc_sample *sample) {
    gpc_sample ours;
    gpc_status status = p && sample ? gpci_decider_take_sample(sample, &ours) : GPC_ERROR_ARGUMENT;
    if (status == GPC_OK && p->ops->on_sample)
        p->ops->on_sample(p->self, &ours);
    return status;
}

gpc_status gpc_predictor_policy_value(const gpc_predictor *p, size_t index, gpc_policy_value *value) {
    return p ? gpci_decider_value(&p->decider, "bypass", index, value) : GPC_ERROR_ARGUMENT;
}
