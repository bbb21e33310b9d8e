/* SPDX-License-Identifier: BSD-2-Clause */
#include "scheduler/scheduler.h"

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

static gpc_status make(gpc_throttle *t, const gpc_throttle_options *o, gpc_error *error) {
    static const char format[] = NOBODYS_POLICY " + %s";
    const size_t size = sizeof format + strlen(o->throttles);
    char *text = gpci_alloc(t->context, size);
    if (!text)
        return gpci_out_of_memory(error);
    snprintf(text, size, format, o->throttles);
    gpc_scheduler_options options = GPC_SCHEDULER_OPTIONS_INIT;
    options.warps = o->warps;
    options.sm = o->sm;
    options.index = o->index;
    options.count = o->count;
    options.sms = o->sms;
    options.policy = text;
    options.seed = o->seed;
    options.share_with = o->share_with ? o->share_with->scheduler : NULL;
    gpc_status status = gpci_scheduler_create(t->context, &options, "gpc_throttle_options", error, &t->scheduler);
    gpci_free(t->context, text);
    return status;
}

gpc_status gpc_throttle_create(gpc_context *context, const gpc_throttle_options *options, gpc_error *error,
                               gpc_throttle **out) {
    if (!context || !options || !out)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_throttle_create: %s is NULL",
                         !context   ? "context"
                         : !options ? "options"
                                    : "out");
    gpc_throttle_options o = GPC_THROTTLE_OPTIONS_INIT;
    gpc_status status = gpci_take(&o, sizeof o, sizeof o, options, "gpc_throttle_options", error);
    if (status < 0)
        return status;
    if (!o.throttles || o.reserved)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_throttle_options.%s",
                         o.reserved ? "reserved is not 0" : "throttles is NULL");
    gpc_throttle *t = gpci_zalloc(context, 1, sizeof *t);
    if (!t)
        return gpci_out_of_memory(error);
    t->context = gpci_retain(context);
    status = make(t, &o, error);
    if (status < 0) {
        gpc_throttle_destroy(t);
        return status;
    }
    *out = t;
    return GPC_OK;
}

void gpc_throttle_destroy(gpc_throttle *t) {
    if (!t)
        return;
    gpc_context *context = t->context;
    gpc_scheduler_destroy(t->scheduler);
    gpci_free(context, t);
    gpci_release(context);
}

gpc_status gpc_throttle_start(gpc_throttle *t, uint32_t slot, uint32_t block) {
    return t ? gpc_scheduler_start_block(t->scheduler, slot, block) : GPC_ERROR_ARGUMENT;
}

gpc_status gpc_throttle_set_state(gpc_throttle *t, uint32_t slot, gpc_warp_state state) {
    return t ? gpc_scheduler_set_state(t->scheduler, slot, state) : GPC_ERROR_ARGUMENT;
}

gpc_status gpc_throttle_issued(gpc_throttle *t, uint32_t slot, uint64_t cycle) {
    return t ? gpc_scheduler_issued(t->scheduler, slot, cycle) : GPC_ERROR_ARGUMENT;
}

gpc_status gpc_throttle_begin_kernel(gpc_throttle *t, const char *name) {
    return t ? gpc_scheduler_begin_kernel(t->scheduler, name) : GPC_ERROR_ARGUMENT;
}

bool gpc_throttle_cache_event(gpc_throttle *t, const gpc_cache_event *event) {
    return t && event && gpci_scheduler_cache_event(t->scheduler, event);
}

gpc_status gpc_throttle_sample_as(gpc_throttle *t, const gpc_layout *layout, const void *stats, uint64_t cycle) {
    return t ? gpc_scheduler_sample_as(t->scheduler, layout, stats, cycle) : GPC_ERROR_ARGUMENT;
}

bool gpc_throttle_wants_events(const gpc_throttle *t) {
    return t && gpci_scheduler_wants_events(t->scheduler);
}

bool gpc_throttle_wants_samples(const gpc_throttle *t) {
    return t && gpci_scheduler_wants_samples(t->scheduler);
}

/* True if a scheduler of the SM must be asked in its next cycle, because shared state has changed. */
static bool has_stirred(const gpc_scheduler *s) {
    bool any = false;
    for (const gpc_scheduler *other = s->next_in_sm; other != s; other = other->next_in_sm)
        any |= !other->again;
    return any;
}

gpc_status gpc_throttle_classify(gpc_throttle *t, uint64_t cycle, gpc_throttle_classes *classes) {
    gpc_throttle_classes ours = GPC_THROTTLE_CLASSES_INIT;
    gpc_status status = !t         ? GPC_ERROR_ARGUMENT
                        : !classes ? GPC_OK
                                   : gpci_take(&ours, sizeof ours, sizeof ours, classes, "gpc_throttle_classes", NULL);
    if (status < 0)
        return status;
    gpc_scheduler *s = t->scheduler;
    gpci_scheduler_clock(s, cycle);
    for (uint32_t i = 0; i < s->words; i++) {
        const gpci_warp_word *word = &s->map[i];
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
        classes->again = s->again;
        classes->others = has_stirred(s);
    }
    return GPC_OK;
}

gpc_warp_class gpc_throttle_class_of(const gpc_throttle *t, uint32_t slot) {
    return t ? gpc_scheduler_class_of(t->scheduler, slot) : GPC_CLASS_THROTTLED;
}

gpc_token gpc_throttle_token_of(const gpc_throttle *t, uint32_t slot, unsigned level) {
    return t ? gpc_scheduler_token_of(t->scheduler, slot, level) : GPC_TOKEN_UNUSED;
}

bool gpc_throttle_held(const gpc_throttle *t, uint32_t slot) {
    const gpc_scheduler *s = t ? t->scheduler : NULL;
    return s && slot < s->warps && s->map[slot / 64].running & ~s->map[slot / 64].eligible_memory & gpci_warp_bit(slot);
}

uint64_t gpc_throttle_next_change(const gpc_throttle *t) {
    return t ? gpc_scheduler_next_change(t->scheduler) : UINT64_MAX;
}

gpc_status gpc_throttle_policy_value(const gpc_throttle *t, size_t index, gpc_policy_value *value) {
    return t ? gpc_scheduler_policy_value(t->scheduler, index, value) : GPC_ERROR_ARGUMENT;
}
