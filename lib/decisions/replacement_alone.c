/* SPDX-License-Identifier: BSD-2-Clause */
#include "decisions/decider.h"
#include "policies/replacement/candidates.h"

/* Replacement policy for a host's own cache. */

struct gpc_replacement {
    gpci_decider decider;
    const gpc_replacement_ops *ops;
    void *self;
    uint64_t declined; /* 1 + line number of the last access, if the policy declined its first part; else 0 */
};

gpc_status gpc_replacement_create(gpc_context *context, const gpc_replacement_options *options, gpc_replacement **out,
                                  gpc_error *error) {
    if (!context || !out)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_replacement_create: %s is NULL", context ? "out" : "context");
    gpc_replacement_options replacement_options = GPC_REPLACEMENT_OPTIONS_INIT;
    gpc_status status = gpci_take(&replacement_options, sizeof replacement_options, sizeof replacement_options, options,
                                  "gpc_replacement_options", error);
    if (status < 0)
        return status;
    gpc_replacement *replacement = gpci_zalloc(context, 1, sizeof *replacement);
    if (!replacement)
        return gpci_out_of_memory(error);
    const gpci_decider_options of_either = {
        .type = "gpc_replacement_options",
        .policy = replacement_options.policy ? replacement_options.policy : "lru",
        .sets = replacement_options.sets,
        .ways = replacement_options.ways,
        .line_bytes = replacement_options.line_bytes,
        .sectors = replacement_options.sectors,
        .instance = replacement_options.instance,
        .instances = replacement_options.instances,
        .reserved = replacement_options.reserved,
        .seed = replacement_options.seed,
        .tells = replacement_options.tells,
        .share_with = replacement_options.share_with ? &replacement_options.share_with->decider : NULL};
    replacement->decider.context = gpci_retain(context);
    status = gpci_decider_begin(&replacement->decider, GPC_POLICY_REPLACEMENT, &of_either, error);
    if (status < 0) {
        gpc_replacement_destroy(replacement);
        return status;
    }
    replacement->ops = replacement->decider.policy->ops;
    replacement->self = replacement->decider.policy->self;
    *out = replacement;
    return GPC_OK;
}

void gpc_replacement_destroy(gpc_replacement *replacement) {
    if (!replacement)
        return;
    gpc_context *context = replacement->decider.context;
    gpci_decider_end(&replacement->decider);
    gpci_free(context, replacement);
    gpci_release(context);
}

/* True if `candidates` is NULL, or has a bit of a way and no bit beyond the ways. */
static bool are_ways(const gpc_replacement *replacement, const uint64_t *candidates) {
    const uint32_t ways = replacement->decider.ways, words = gpci_way_words(ways);
    if (!candidates)
        return true;
    uint64_t any = 0;
    for (uint32_t i = 0; i < words; i++)
        any |= candidates[i];
    return any && !(ways % 64 && candidates[words - 1] >> ways % 64);
}

/*
 * True if the request continues an access, and the policy declined the first part of the access. The policy is then not
 * asked about the request, as in a gpc_cache.
 */
static bool was_declined(const gpc_replacement *replacement, const gpc_request *request) {
    return request->continues && replacement->declined == request->address / replacement->decider.line_bytes + 1;
}

static bool note_declined(gpc_replacement *replacement, const gpc_request *request, bool declined) {
    if (!request->continues)
        replacement->declined = declined ? request->address / replacement->decider.line_bytes + 1 : 0;
    return declined;
}

/* Name the wrong argument of gpc_replacement_choose. */
static GPCI_COLD gpc_status refuse_choice(const gpc_replacement *replacement, uint32_t set, const gpc_request *request,
                                          const uint32_t *out_way, gpc_error *error) {
    if (!replacement || !out_way)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_replacement_choose: %s is NULL",
                         replacement ? "out_way" : "replacement");
    if (!gpci_decider_takes(&replacement->decider, set, request))
        return gpci_decider_refuse_request(&replacement->decider, "gpc_replacement_choose", set, request, error);
    return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_replacement_choose: candidates has no way, or a way beyond %u",
                     replacement->decider.ways);
}

gpc_status gpc_replacement_choose(gpc_replacement *replacement, uint32_t set, const uint64_t *candidates,
                                  const gpc_request *request, uint32_t *out_way, gpc_error *error) {
    if (GPCI_UNLIKELY(!replacement || !out_way || !gpci_decider_takes(&replacement->decider, set, request) ||
                      !are_ways(replacement, candidates)))
        return refuse_choice(replacement, set, request, out_way, error);
    const bool kept_out = was_declined(replacement, request);
    const uint32_t way =
        kept_out ? GPC_WAY_BYPASS : replacement->ops->choose_victim(replacement->self, set, candidates, request);
    if (!note_declined(replacement, request, way == GPC_WAY_BYPASS) &&
        !gpci_is_choice(candidates, replacement->decider.ways, way))
        return gpci_fail(error, GPC_ERROR_CALLBACK, "'%s' chose way %u of set %u, which is no candidate",
                         replacement->ops->name, way, set);
    *out_way = way;
    return GPC_OK;
}

bool gpc_replacement_declines(gpc_replacement *replacement, uint32_t set, const uint64_t *candidates,
                              const gpc_request *request) {
    return replacement && gpci_decider_takes(&replacement->decider, set, request) &&
           are_ways(replacement, candidates) && replacement->ops->declines &&
           (was_declined(replacement, request) ||
            note_declined(replacement, request,
                          replacement->ops->declines(replacement->self, set, candidates, request)));
}

static void tell_found(gpc_replacement *replacement, const gpc_policy_event *event) {
    const gpc_replacement_ops *ops = replacement->ops;
    if (gpci_is_sector_miss(event)) {
        if (ops->on_sector_miss)
            ops->on_sector_miss(replacement->self, event->set, event->way, event->request);
    } else if (ops->on_hit) {
        ops->on_hit(replacement->self, event->set, event->way, event->request);
    }
}

static void tell(void *r, const gpc_policy_event *event) {
    gpc_replacement *replacement = r;
    const gpc_replacement_ops *ops = replacement->ops;
    switch ((gpc_policy_event_kind)event->kind) {
    case GPC_ON_MISS:
        if (ops->on_miss && !event->request->continues)
            ops->on_miss(replacement->self, event->set, event->request);
        return;
    case GPC_ON_FILL:
        if (ops->on_fill)
            ops->on_fill(replacement->self, event->set, event->way, event->request);
        return;
    case GPC_ON_EVICT:
        if (ops->on_evict)
            ops->on_evict(replacement->self, event->set, event->way, event->eviction, event->request);
        return;
    case GPC_ON_INVALIDATE:
        if (ops->on_invalidate)
            ops->on_invalidate(replacement->self, event->set, event->way);
        return;
    case GPC_ON_WARP_EVENT:
        if (ops->on_warp_event)
            ops->on_warp_event(replacement->self, event->warp_event);
        return;
    case GPC_ON_SAMPLE:
        if (ops->on_sample)
            ops->on_sample(replacement->self, event->sample);
        return;
    default:
        tell_found(replacement, event);
    }
}

gpc_status gpc_replacement_event(gpc_replacement *replacement, const gpc_policy_event *events, size_t count,
                                 size_t *out_done, gpc_error *error) {
    if (!replacement || (!events && count))
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_replacement_event: %s is NULL",
                         replacement ? "events" : "replacement");
    return gpci_decider_events(&replacement->decider, events, count, tell, replacement, out_done, error);
}

gpc_status gpc_replacement_policy_value(const gpc_replacement *replacement, size_t index, gpc_policy_value *value,
                                        gpc_error *error) {
    if (!replacement)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_replacement_policy_value: replacement is NULL");
    return gpci_decider_value(&replacement->decider, "replacement", index, value, error);
}
