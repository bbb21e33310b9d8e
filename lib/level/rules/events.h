/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_EVENTS_H
#define GPC_LEVEL_EVENTS_H

#include "level/rules/hierarchy.h"

#include <gpucache/ext/coherence.h>
#include <gpucache/ext/observe.h>

/*
 * Event log of a hierarchy, for gpc_hierarchy_set_trace. Where an event can occur, a function gpci_log_... tests if the
 * hierarchy has an event log. The functions that write events are in events.c and timed/driver/event_log.c, apart from
 * the code that runs most.
 */
typedef struct gpci_ids {
    uint64_t packet, parent; /* 0: none */
} gpci_ids;

struct gpci_event_log {
    gpc_hierarchy *hierarchy;
    gpc_event_options options;
    const uint64_t *clock; /* time of the next event: `accesses`, or the core cycle */
    uint64_t packets;      /* number of the last packet */
    uint64_t accesses;     /* functional: number of accesses so far, the time of events */
    gpc_event now;         /* functional: fields common to all events of the current warp access */
    gpci_ids line, below;  /* functional: the current line transaction, and its last request below (0: none) */
    uint64_t cause;        /* timed: packet that last passed the tags, or arrived as a fill, at the stage `cause_at` */
    const void *cause_at;  /* timed: a write-back of this stage is a consequence of the packet `cause` */
    gpc_event *blocked;    /* timed: for each stage (L1s, slices), the access reported as blocked; access 0: none */
    bool cancelled;
};

/* Make an event that belongs to no access. */
gpc_event gpci_event_of_none(const gpci_event_log *log, gpc_what what, gpc_component component, uint32_t index);
/* Make an event log without a callback; NULL: out of memory. */
gpci_event_log *gpci_event_log_make(gpc_hierarchy *hierarchy);
void gpci_event_log_free(gpc_context *context, gpci_event_log *log);
/* Pass an event to the callback if it matches the filter. */
void gpci_event_log_put(gpci_event_log *log, const gpc_event *event);
/* Remove and free the event log, if any. Calls the host's `destroy`. */
void gpci_trace_destroy(gpc_hierarchy *hierarchy);

/* Write an event of a functional hierarchy, or of an action that takes no time. The event log must exist. */
GPCI_COLD void gpci_append_access(gpci_event_log *log, const gpc_request *request, uint64_t address, uint32_t segments);
GPCI_COLD void gpci_append_line(gpci_event_log *log, const gpc_request *request, uint8_t segments);
GPCI_COLD void gpci_append_step(gpci_event_log *log, gpc_what what, gpc_component component, uint32_t index,
                                uint64_t address, uint32_t segments, uint8_t outcome);
GPCI_COLD void gpci_append_evict(gpci_event_log *log, gpc_component component, uint32_t index, uint64_t address,
                                 const gpc_eviction *eviction);
GPCI_COLD void gpci_append_dropped(gpc_hierarchy *hierarchy, const gpc_cache *cache, gpc_component component,
                                   uint32_t index, uint64_t inner, uint64_t address);
GPCI_COLD void gpci_append_messages(gpc_hierarchy *hierarchy, const gpc_coherence_result *result);
/* Write the completion of the current access. GPC_ERROR_CANCELLED: the callback has cancelled; otherwise `status`. */
GPCI_COLD gpc_status gpci_append_complete(gpc_hierarchy *hierarchy, const gpc_warp_result *result, gpc_status status);

/* Component of a module of a tree. `index` receives the number of the module among the component's modules. */
gpc_component gpci_component_of(const gpc_hierarchy *hierarchy, uint32_t module, uint32_t *index);

GPCI_INLINE void gpci_log_step(const gpc_hierarchy *hierarchy, gpc_what what, gpc_component component, uint32_t index,
                               uint64_t address, uint32_t segments, uint8_t outcome) {
    if (GPCI_UNLIKELY(hierarchy->log != NULL))
        gpci_append_step(hierarchy->log, what, component, index, address, segments, outcome);
}

/* If the cache holds the line, write the event that the line is invalidated. Call before the line is dropped. */
GPCI_INLINE void gpci_log_dropped(gpc_hierarchy *hierarchy, const gpc_cache *cache, gpc_component component,
                                  uint32_t index, uint64_t inner, uint64_t address) {
    if (GPCI_UNLIKELY(hierarchy->log != NULL))
        gpci_append_dropped(hierarchy, cache, component, index, inner, address);
}

#endif
