/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_DECISIONS_DECIDER_H
#define GPC_DECISIONS_DECIDER_H

#include "cache/requests.h"
#include "registry/registry.h"

/* A policy without a cache around it, and the shape of the cache that a host has: what both kinds have in common. */

typedef struct gpci_decider {
    gpc_context *context;
    gpci_policy *policy;
    gpci_level_shape shape;
    uint32_t sets, ways, line_bytes;
    uint8_t all_sectors;
} gpci_decider;

/* The options of either kind, which differ in the type of who shares. */
typedef struct gpci_decider_options {
    const char *type; /* "gpc_replacement_options" */
    const char *policy;
    uint64_t sets;
    uint32_t ways, line_bytes, sectors, instance, instances, reserved;
    uint64_t seed, tells;
    const gpci_decider *share_with;
} gpci_decider_options;

/* Fill in one that is zero but for its context, which its owner retains. gpci_decider_end, also after a failure. */
gpc_status gpci_decider_begin(gpci_decider *d, gpc_policy_kind kind, const gpci_decider_options *options,
                              gpc_error *error);
void gpci_decider_end(gpci_decider *d);

/* Is it a set of the host's cache, and a request that a cache of its shape would take? */
GPCI_INLINE bool gpci_decider_takes(const gpci_decider *d, uint32_t set, const gpc_request *request) {
    return GPCI_LIKELY(set < d->sets && request && gpci_request_is_sound(request, d->line_bytes, d->all_sectors));
}

/* Can the event have happened? */
GPCI_INLINE bool gpci_decider_believes(const gpci_decider *d, const gpc_tag_event *event) {
    if (GPCI_UNLIKELY(event->kind >= GPC_TAG_EVENT_COUNT || event->set >= d->sets ||
                      (event->way >= d->ways && event->kind != GPC_TAG_MISS)))
        return false;
    if (event->kind == GPC_TAG_INVALIDATE)
        return true;
    if (event->kind == GPC_TAG_EVICT &&
        (!event->eviction || event->eviction->set != event->set || event->eviction->way != event->way))
        return false;
    return gpci_decider_takes(d, event->set, event->request);
}

/* The error of a request or an event that is not taken, "NAME[index]: what is wrong". Returns GPC_ERROR_ARGUMENT. */
gpc_status gpci_decider_refuse_request(const gpci_decider *d, const char *name, size_t index, uint32_t set,
                                       const gpc_request *request, gpc_error *error);
gpc_status gpci_decider_refuse_event(const gpci_decider *d, size_t index, const gpc_tag_event *event, gpc_error *error);

/* Is a request that finds its line no use of it again? */
GPCI_INLINE bool gpci_is_sector_miss(const gpc_tag_event *event) {
    return event->kind == GPC_TAG_SECTOR_MISS || (event->kind == GPC_TAG_HIT && event->request->continues);
}

/* A sample of the host's, in the library's struct. */
gpc_status gpci_decider_take_sample(const gpc_sample *theirs, gpc_sample *ours);

/* gpc_cache_policy_value of the one policy. */
gpc_status gpci_decider_value(const gpci_decider *d, const char *place, size_t index, gpc_policy_value *value);

#endif
