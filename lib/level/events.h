/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_EVENTS_H
#define GPC_LEVEL_EVENTS_H

#include "level/hierarchy.h"

#include <gpucache/events.h>

/*
 * A hierarchy's trace of events. Where something happens that is told of, a function gpci_see_... looks whether there
 * is a trace: one branch that is never taken where there is none. The others, in events.c and timed/watch.c, are out of
 * the way of those who do the work.
 */
typedef struct gpci_ids {
    uint64_t packet, parent; /* 0: none */
} gpci_ids;

struct gpci_trace {
    const gpc_hierarchy *hierarchy;
    gpc_event_options options;
    const uint64_t *clock; /* of the events */
    uint64_t packets;      /* numbers given so far */
    uint64_t accesses;     /* functional: the clock */
    gpc_event now;         /* functional: what all events of the present warp access have in common */
    gpci_ids line, below;  /* functional: the present line transaction; and what it has sent below, if anything */
    uint64_t cause;        /* timed: the packet that last passed the tags, or came as a fill, of */
    const void *cause_at;  /* this stage: for its sake are the write-backs that follow */
    gpc_event *blocked;    /* timed: what is held up at whose tags, as it was told; access 0: none. Of L1s, slices, */
    bool calling, cancelled;
};

/*
 * Is a call made from within a callback? State then may be between two steps of a cycle, which no call may change:
 * such a call fails with GPC_ERROR_STATE.
 */
GPCI_INLINE bool gpci_is_called_back(const gpc_hierarchy *h) {
    return GPCI_UNLIKELY(h->stepping) || GPCI_UNLIKELY(h->trace && h->trace->calling);
}

/* An event of nobody's. */
gpc_event gpci_event_of_none(const gpci_trace *trace, gpc_what what, gpc_component component, uint32_t index);
/* A trace without a callback, which tells nobody; NULL: out of memory. */
gpci_trace *gpci_trace_make(const gpc_hierarchy *h);
void gpci_trace_free(gpc_context *context, gpci_trace *trace);
/* To the callback, if it passes the filter. */
void gpci_trace_tell(gpci_trace *trace, const gpc_event *event);
/* The end of a trace: no event after this. */
void gpci_trace_destroy(gpc_hierarchy *h);

/* Events of the functional hierarchy, and of what is done in no time; `trace` is not NULL. */
GPCI_COLD void gpci_tell_access(gpci_trace *trace, const gpc_request *request, uint64_t address, uint32_t segments);
GPCI_COLD void gpci_tell_line(gpci_trace *trace, const gpc_request *request, uint8_t segments);
GPCI_COLD void gpci_tell_step(gpci_trace *trace, gpc_what what, gpc_component component, uint32_t index,
                              uint64_t address, uint32_t segments, uint8_t outcome);
GPCI_COLD void gpci_tell_evict(gpci_trace *trace, gpc_component component, uint32_t index, uint64_t address,
                               const gpc_eviction *eviction);
GPCI_COLD void gpci_tell_dropped(gpc_hierarchy *h, const gpc_cache *cache, gpc_component component, uint32_t index,
                                 uint64_t inner, uint64_t address);
GPCI_COLD void gpci_tell_messages(gpc_hierarchy *h, const gpc_coherence_result *result);
/* GPC_ERROR_CANCELLED, if the callback has had enough; else `status`. */
GPCI_COLD gpc_status gpci_tell_complete(gpc_hierarchy *h, const gpc_warp_result *result, gpc_status status);

/* A module of a coherent hierarchy as a component. */
gpc_component gpci_component_of(const gpc_hierarchy *h, uint32_t module, uint32_t *index);

GPCI_INLINE void gpci_see_step(const gpc_hierarchy *h, gpc_what what, gpc_component component, uint32_t index,
                               uint64_t address, uint32_t segments, uint8_t outcome) {
    if (GPCI_UNLIKELY(h->trace != NULL))
        gpci_tell_step(h->trace, what, component, index, address, segments, outcome);
}

/* A line of this address within a cache is about to be dropped. */
GPCI_INLINE void gpci_see_dropped(gpc_hierarchy *h, const gpc_cache *cache, gpc_component component, uint32_t index,
                                  uint64_t inner, uint64_t address) {
    if (GPCI_UNLIKELY(h->trace != NULL))
        gpci_tell_dropped(h, cache, component, index, inner, address);
}

#endif
