/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_DECISIONS_DECIDER_H
#define GPC_DECISIONS_DECIDER_H

#include "cache/cache.h"
#include "registry/registry.h"

/* Common part of gpc_replacement and gpc_predictor: a policy for a host's own cache, and the shape of this cache. */

typedef struct gpci_decider {
    gpc_context *context;
    gpci_policy *policy;
    gpci_level_shape shape;
    uint32_t sets, ways, line_bytes;
    uint8_t all_sectors;
} gpci_decider;

/* Fields of gpc_replacement_options or gpc_predictor_options. `share_with` is the decider of the given object. */
typedef struct gpci_decider_options {
    const char *type; /* name of the options' type, for error messages */
    const char *policy;
    uint64_t sets;
    uint32_t ways, line_bytes, sectors, instance, instances, reserved;
    uint64_t seed, tells;
    const gpci_decider *share_with;
} gpci_decider_options;

/*
 * Begin a decider, zeroed except for its context, which the owner retains. Call gpci_decider_end, also after an error.
 */
gpc_status gpci_decider_begin(gpci_decider *decider, gpc_policy_kind kind, const gpci_decider_options *options,
                              gpc_error *error);
void gpci_decider_end(gpci_decider *decider);

/* True for a set of the host's cache and a request that a cache of the same shape accepts. */
GPCI_INLINE bool gpci_decider_takes(const gpci_decider *decider, uint32_t set, const gpc_request *request) {
    return GPCI_LIKELY(set < decider->sets && request &&
                       gpci_request_is_sound(request, decider->line_bytes, decider->all_sectors) &&
                       !gpci_request_has_unknown(request));
}

/* True if the event is an event at the host's tags (not a sample, not a warp event), and has no wrong field. */
GPCI_INLINE bool gpci_decider_believes(const gpci_decider *decider, const gpc_policy_event *event) {
    if (GPCI_UNLIKELY(event->kind > GPC_ON_INVALIDATE || event->set >= decider->sets ||
                      (event->way >= decider->ways && event->kind != GPC_ON_MISS)))
        return false;
    if (event->kind == GPC_ON_INVALIDATE)
        return true;
    if (event->kind == GPC_ON_EVICT &&
        (!event->eviction || event->eviction->set != event->set || event->eviction->way != event->way))
        return false;
    return gpci_decider_takes(decider, event->set, event->request);
}

/* Report a checked event to a policy; `policy` is the public object. */
typedef void (*gpci_tell_fn)(void *policy, const gpc_policy_event *event);

/*
 * Handle an event for which gpci_decider_believes is false: report a sample or a warp event, or refuse a wrong event
 * with "events[index]: fault".
 */
gpc_status gpci_decider_event_beside(const gpci_decider *decider, size_t index, const gpc_policy_event *event,
                                     gpci_tell_fn tell, void *policy, gpc_error *error);

/* Report events: gpc_replacement_event and gpc_predictor_event after their check for NULL. */
GPCI_INLINE gpc_status gpci_decider_events(const gpci_decider *decider, const gpc_policy_event *events, size_t count,
                                           gpci_tell_fn tell, void *policy, size_t *out_done, gpc_error *error) {
    gpc_status status = GPC_OK;
    size_t i = 0;
    for (; i < count; i++) {
        if (GPCI_LIKELY(gpci_decider_believes(decider, &events[i]))) {
            tell(policy, &events[i]);
            continue;
        }
        status = gpci_decider_event_beside(decider, i, &events[i], tell, policy, error);
        if (status < 0)
            break;
    }
    if (out_done)
        *out_done = i;
    return status;
}

/* Fail for a refused request with "NAME: fault". Returns GPC_ERROR_ARGUMENT. */
GPCI_COLD gpc_status gpci_decider_refuse_request(const gpci_decider *decider, const char *name, uint32_t set,
                                                 const gpc_request *request, gpc_error *error);
/* Fail with "NAME[index]: fault". */
gpc_status gpci_decider_refuse_listed(const gpci_decider *decider, const char *name, size_t index, uint32_t set,
                                      const gpc_request *request, gpc_error *error);

/*
 * True for a sector miss, or for a hit of a request that continues another: neither counts as a further use of the
 * line.
 */
GPCI_INLINE bool gpci_is_sector_miss(const gpc_policy_event *event) {
    return event->kind == GPC_ON_SECTOR_MISS || (event->kind == GPC_ON_HIT && event->request->continues);
}

/* gpc_cache_policy_value for the single policy. */
gpc_status gpci_decider_value(const gpci_decider *decider, const char *place, size_t index, gpc_policy_value *value,
                              gpc_error *error);

#endif
