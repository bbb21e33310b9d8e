/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_OBSERVER_H
#define GPC_LEVEL_OBSERVER_H

#include "level/rules/hierarchy.h"

/* A line transaction at an SM's L1. */
typedef struct gpci_observed_line {
    const gpc_request *request; /* request for the line */
    gpc_cache *l1;              /* L1 of the transaction; NULL: the transaction bypasses L1 */
    uint8_t segments;
} gpci_observed_line;

/* Result of the tag lookup, with a clock. */
typedef struct gpci_observed_lookup {
    uint32_t set, way; /* place of the line; `way` is GPCI_NO_WAY if the line is absent */
    uint8_t hits;      /* segments counted as hits: present, or in flight */
    bool all_hit;      /* all needed segments hit */
    bool in_flight;    /* sectors of the line are in flight */
    bool bypassed;     /* the transaction bypasses L1, or may not allocate */
} gpci_observed_lookup;

/*
 * Observer of the L1s of a hierarchy, for profiles. All calls come from one thread. Without a clock: before_line,
 * on_fill and on_evict, after_line, for each line transaction. With a clock: on_lookup, and later on_verdict, on_fill
 * and on_evict.
 */
typedef struct gpci_observer {
    void *data;
    gpc_status (*on_kernel)(void *data);                                  /* a kernel begins; the L1s exist */
    gpc_status (*on_instruction)(void *data, const gpc_request *request); /* before the lines of an instruction */
    gpc_status (*before_line)(void *data, const gpci_observed_line *line);
    void (*after_line)(void *data, const gpci_observed_line *line, uint32_t hits); /* hits: segments found in L1 */
    gpc_status (*on_lookup)(void *data, const gpci_observed_line *line, const gpci_observed_lookup *found);
    /* L2's reply has changed the bypass decision of on_lookup. `bypass`: the final decision. */
    void (*on_verdict)(void *data, const gpc_request *request, bool bypass);
    gpc_fill_fn on_fill;   /* fills of L1s */
    gpc_evict_fn on_evict; /* evictions of L1s */
    void **cache_data;     /* [sms] user_data for on_fill and on_evict */
} gpci_observer;

/* Set the observer; NULL: none. It must exist until the next call, or until the hierarchy is destroyed. */
void gpci_hierarchy_observe(gpc_hierarchy *hierarchy, const gpci_observer *observer);

#endif
