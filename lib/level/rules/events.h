/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_EVENTS_H
#define GPC_LEVEL_EVENTS_H

#include "level/rules/hierarchy.h"

#include <gpucache/events.h>

/*
 * Event trace of a hierarchy. At each traced point, a function gpci_see_... checks for a trace: one branch, never taken
 * without a trace. The functions that write events are in events.c and timed/driver/watch.c, away from the hot code.
 */
typedef struct gpci_ids {
    uint64_t packet, parent; /* 0: none */
} gpci_ids;

struct gpci_trace {
    const gpc_hierarchy *hierarchy;
    gpc_event_options options;
    const uint64_t *clock; /* time of the events */
    uint64_t packets;      /* packet numbers given so far */
    uint64_t accesses;     /* functional: number of accesses, used as clock */
    gpc_event now;         /* functional: fields common to all events of the current warp access */
    gpci_ids line, below;  /* functional: ids of the current line transaction, and of its request below, if any */
    uint64_t cause;        /* timed: packet that last passed the tags, or arrived as a fill, at `cause_at` */
    const void *cause_at;  /* stage of `cause`: later write-backs there are due to it */
    gpc_event *blocked;    /* timed: access reported as blocked, per stage (L1s, slices); access 0: none */
    bool calling, cancelled;
};

/*
 * True during a callback. State may then be between two steps of a cycle; calls that change state fail with
 * GPC_ERROR_STATE.
 */
GPCI_INLINE bool gpci_is_called_back(const gpc_hierarchy *h) {
    return GPCI_UNLIKELY(h->stepping) || GPCI_UNLIKELY(h->trace && h->trace->calling);
}

/* Event without an access. */
gpc_event gpci_event_of_none(const gpci_trace *trace, gpc_what what, gpc_component component, uint32_t index);
/* Make a trace without a callback; NULL: out of memory. */
gpci_trace *gpci_trace_make(const gpc_hierarchy *h);
void gpci_trace_free(gpc_context *context, gpci_trace *trace);
/* Pass an event to the callback if it matches the filter. */
void gpci_trace_tell(gpci_trace *trace, const gpc_event *event);
/* End a trace; no event follows. */
void gpci_trace_destroy(gpc_hierarchy *h);

/* Events of the functional hierarchy, and of actions that take no time; `trace` is not NULL. */
GPCI_COLD void gpci_tell_access(gpci_trace *trace, const gpc_request *request, uint64_t address, uint32_t segments);
GPCI_COLD void gpci_tell_line(gpci_trace *trace, const gpc_request *request, uint8_t segments);
GPCI_COLD void gpci_tell_step(gpci_trace *trace, gpc_what what, gpc_component component, uint32_t index,
                              uint64_t address, uint32_t segments, uint8_t outcome);
GPCI_COLD void gpci_tell_evict(gpci_trace *trace, gpc_component component, uint32_t index, uint64_t address,
                               const gpc_eviction *eviction);
GPCI_COLD void gpci_tell_dropped(gpc_hierarchy *h, const gpc_cache *cache, gpc_component component, uint32_t index,
                                 uint64_t inner, uint64_t address);
GPCI_COLD void gpci_tell_messages(gpc_hierarchy *h, const gpc_coherence_result *result);
/* Report completion. GPC_ERROR_CANCELLED if the callback cancels; otherwise `status`. */
GPCI_COLD gpc_status gpci_tell_complete(gpc_hierarchy *h, const gpc_warp_result *result, gpc_status status);

/* Component of a module of a coherent hierarchy. */
gpc_component gpci_component_of(const gpc_hierarchy *h, uint32_t module, uint32_t *index);

GPCI_INLINE void gpci_see_step(const gpc_hierarchy *h, gpc_what what, gpc_component component, uint32_t index,
                               uint64_t address, uint32_t segments, uint8_t outcome) {
    if (GPCI_UNLIKELY(h->trace != NULL))
        gpci_tell_step(h->trace, what, component, index, address, segments, outcome);
}

/* Report a line of a cache about to be dropped. */
GPCI_INLINE void gpci_see_dropped(gpc_hierarchy *h, const gpc_cache *cache, gpc_component component, uint32_t index,
                                  uint64_t inner, uint64_t address) {
    if (GPCI_UNLIKELY(h->trace != NULL))
        gpci_tell_dropped(h, cache, component, index, inner, address);
}

#endif
