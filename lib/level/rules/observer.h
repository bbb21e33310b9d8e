/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_OBSERVER_H
#define GPC_LEVEL_OBSERVER_H

#include "level/rules/hierarchy.h"

/* A line transaction at an SM's L1. */
typedef struct gpci_observed_line {
    const gpc_request *request; /* of the line */
    gpc_cache *l1;              /* L1 cache used; NULL: directly to L2 */
    uint8_t segments;
} gpci_observed_line;

/* Result of the tag lookup, with a clock. */
typedef struct gpci_observed_lookup {
    uint32_t set, way; /* way GPCI_NO_WAY: line absent */
    uint8_t hits;      /* segments counted as hits: present, or in flight */
    bool all_hit;      /* all needed segments hit */
    bool in_flight;    /* sectors of the line are in flight */
    bool bypassed;     /* skipped L1, or may not allocate */
} gpci_observed_lookup;

/*
 * Observer of the L1s of a hierarchy; called on one thread. Without a clock: before and after each line transaction,
 * and for fills and evictions between. With a clock: at the lookup, and later at the outcome.
 */
typedef struct gpci_observer {
    void *data;
    gpc_status (*on_kernel)(void *data);                                  /* a kernel begins; its L1s exist */
    gpc_status (*on_instruction)(void *data, const gpc_request *request); /* global or local, before its lines */
    gpc_status (*before_line)(void *data, const gpci_observed_line *line);
    void (*after_line)(void *data, const gpci_observed_line *line, uint32_t hits); /* hits: segments found in L1 */
    gpc_status (*on_lookup)(void *data, const gpci_observed_line *line, const gpci_observed_lookup *found);
    /* If it differs from the lookup's prediction. */
    void (*on_verdict)(void *data, const gpc_request *request, bool bypass);
    gpc_fill_fn on_fill;   /* fills of L1s */
    gpc_evict_fn on_evict; /* evictions of L1s */
    void **cache_data;     /* [sms] user_data for on_fill and on_evict */
} gpci_observer;

/* Set the observer; NULL: none. The observer must live until the hierarchy is destroyed or the next call. */
void gpci_hierarchy_observe(gpc_hierarchy *hierarchy, const gpci_observer *observer);

#endif
