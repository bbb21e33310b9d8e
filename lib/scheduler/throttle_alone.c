/* SPDX-License-Identifier: BSD-2-Clause */
#include "scheduler/scheduler.h"
#include "stats/stats.h"

#include <stdio.h>
#include <string.h>

/*
 * Throttles for a host's own scheduler: a scheduler of the library that is never asked for a warp. Its policy is lrr,
 * which keeps no state of warps.
 */
#define NOBODYS_POLICY "lrr"

struct gpc_throttle {
    gpc_context *context;
    gpc_scheduler *scheduler;
};

static gpc_status make(gpc_throttle *throttle, const gpc_throttle_options *throttle_options, gpc_error *error) {
    static const char format[] = NOBODYS_POLICY " + %s";
    const size_t size = sizeof format + strlen(throttle_options->throttles);
    char *text = gpci_alloc(throttle->context, size);
    if (!text)
        return gpci_out_of_memory(error);
    snprintf(text, size, format, throttle_options->throttles);
    gpc_scheduler_options options = GPC_SCHEDULER_OPTIONS_INIT;
    options.warps = throttle_options->warps;
    options.sm = throttle_options->sm;
    options.index = throttle_options->index;
    options.count = throttle_options->count;
    options.sms = throttle_options->sms;
    options.policy = text;
    options.seed = throttle_options->seed;
    options.share_with = throttle_options->share_with ? throttle_options->share_with->scheduler : NULL;
    gpc_status status =
        gpci_scheduler_create(throttle->context, &options, "gpc_throttle_options", error, &throttle->scheduler);
    gpci_free(throttle->context, text);
    return status;
}

gpc_status gpc_throttle_create(gpc_context *context, const gpc_throttle_options *options, gpc_throttle **out,
                               gpc_error *error) {
    if (!context || !options || !out)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_throttle_create: %s is NULL",
                         !context   ? "context"
                         : !options ? "options"
                                    : "out");
    gpc_throttle_options throttle_options = GPC_THROTTLE_OPTIONS_INIT;
    gpc_status status = gpci_take(&throttle_options, sizeof throttle_options, sizeof throttle_options, options,
                                  "gpc_throttle_options", error);
    if (status < 0)
        return status;
    if (!throttle_options.throttles || throttle_options.reserved)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_throttle_options.%s",
                         throttle_options.reserved ? "reserved is not 0" : "throttles is NULL");
    gpc_throttle *throttle = gpci_zalloc(context, 1, sizeof *throttle);
    if (!throttle)
        return gpci_out_of_memory(error);
    throttle->context = gpci_retain(context);
    status = make(throttle, &throttle_options, error);
    if (status < 0) {
        gpc_throttle_destroy(throttle);
        return status;
    }
    *out = throttle;
    return GPC_OK;
}

void gpc_throttle_destroy(gpc_throttle *throttle) {
    if (!throttle)
        return;
    gpc_context *context = throttle->context;
    gpc_scheduler_destroy(throttle->scheduler);
    gpci_free(context, throttle);
    gpci_release(context);
}

static GPCI_COLD gpc_status refuse_null(const char *call, gpc_error *error) {
    return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s: throttle is NULL", call);
}

gpc_status gpc_throttle_start(gpc_throttle *throttle, uint32_t slot, uint32_t block, gpc_error *error) {
    return throttle ? gpc_scheduler_start_block(throttle->scheduler, slot, block, error)
                    : refuse_null("gpc_throttle_start", error);
}

gpc_status gpc_throttle_set_state(gpc_throttle *throttle, uint32_t slot, gpc_warp_state state, gpc_error *error) {
    return throttle ? gpc_scheduler_set_state(throttle->scheduler, slot, state, error)
                    : refuse_null("gpc_throttle_set_state", error);
}

gpc_status gpc_throttle_issued(gpc_throttle *throttle, uint32_t slot, uint64_t cycle, gpc_error *error) {
    return throttle ? gpc_scheduler_issued(throttle->scheduler, slot, cycle, error)
                    : refuse_null("gpc_throttle_issued", error);
}

gpc_status gpc_throttle_begin_kernel(gpc_throttle *throttle, const char *name, gpc_error *error) {
    return throttle ? gpc_scheduler_begin_kernel(throttle->scheduler, name, error)
                    : refuse_null("gpc_throttle_begin_kernel", error);
}

bool gpc_throttle_cache_event(gpc_throttle *throttle, const gpc_cache_event *event) {
    return throttle && event && gpci_scheduler_cache_event(throttle->scheduler, event);
}

gpc_status gpc_throttle_sample(gpc_throttle *throttle, uint64_t cycle, const uint32_t *ids, size_t count,
                               const uint64_t *values, size_t value_count, gpc_error *error) {
    if (!throttle)
        return refuse_null("gpc_throttle_sample", error);
    gpc_stats stats;
    const gpc_status status = gpci_stats_take(&stats, ids, count, values, value_count, "gpc_throttle_sample", error);
    if (status == GPC_OK)
        gpci_scheduler_sample(throttle->scheduler, &stats, cycle);
    return status;
}

bool gpc_throttle_wants_events(const gpc_throttle *throttle) {
    return throttle && gpci_scheduler_wants_events(throttle->scheduler);
}

bool gpc_throttle_wants_samples(const gpc_throttle *throttle) {
    return throttle && gpci_scheduler_wants_samples(throttle->scheduler);
}

/* True if another scheduler of the SM must call `classify` in its next cycle, because shared state has changed. */
static bool has_stirred(const gpc_scheduler *scheduler) {
    bool any = false;
    for (const gpc_scheduler *other = scheduler->next_in_sm; other != scheduler; other = other->next_in_sm)
        any |= !other->again;
    return any;
}

gpc_status gpc_throttle_classify(gpc_throttle *throttle, uint64_t cycle, gpc_throttle_classes *classes,
                                 gpc_error *error) {
    gpc_throttle_classes ours = GPC_THROTTLE_CLASSES_INIT;
    if (!throttle)
        return refuse_null("gpc_throttle_classify", error);
    gpc_status status = gpci_take(&ours, sizeof ours, sizeof ours, classes, "gpc_throttle_classes", error);
    if (status < 0)
        return status;
    gpc_scheduler *scheduler = throttle->scheduler;
    gpci_scheduler_clock(scheduler, cycle);
    for (uint32_t i = 0; i < scheduler->words; i++) {
        const gpci_warp_word *word = &scheduler->map[i];
        if (ours.throttled)
            ours.throttled[i] = word->running & ~word->eligible;
        if (ours.held)
            ours.held[i] = word->running & ~word->eligible_memory;
        if (ours.bypassing)
            ours.bypassing[i] = word->running & word->bypassing;
        if (ours.bypassing_l2)
            ours.bypassing_l2[i] = word->running & word->bypassing_l2;
    }
    if (classes) {
        classes->again = scheduler->again;
        classes->others = has_stirred(scheduler);
    }
    return GPC_OK;
}

gpc_warp_class gpc_throttle_class_of(const gpc_throttle *throttle, uint32_t slot) {
    return throttle ? gpc_scheduler_class_of(throttle->scheduler, slot) : GPC_CLASS_THROTTLED;
}

gpc_token gpc_throttle_token_of(const gpc_throttle *throttle, uint32_t slot, unsigned level) {
    return throttle ? gpc_scheduler_token_of(throttle->scheduler, slot, level) : GPC_TOKEN_UNUSED;
}

bool gpc_throttle_held(const gpc_throttle *throttle, uint32_t slot) {
    const gpc_scheduler *scheduler = throttle ? throttle->scheduler : NULL;
    return scheduler && slot < scheduler->warps &&
           scheduler->map[slot / 64].running & ~scheduler->map[slot / 64].eligible_memory & gpci_warp_bit(slot);
}

uint64_t gpc_throttle_next_change(const gpc_throttle *throttle) {
    return throttle ? gpc_scheduler_next_change(throttle->scheduler) : UINT64_MAX;
}

gpc_status gpc_throttle_policy_value(const gpc_throttle *throttle, size_t index, gpc_policy_value *value,
                                     gpc_error *error) {
    if (!throttle)
        return refuse_null("gpc_throttle_policy_value", error);
    return gpc_scheduler_policy_value(throttle->scheduler, index, value, error);
}
