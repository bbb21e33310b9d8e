/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_OBSERVER_H
#define GPC_LEVEL_OBSERVER_H

#include "level/hierarchy.h"

/* A line transaction at its SM's L1. */
typedef struct gpci_observed_line {
    const gpc_request *request; /* of the line */
    gpc_cache *l1;              /* that it goes through; NULL: to L2 directly */
    uint8_t segments;
} gpci_observed_line;

/* What the tags said of it, with a clock. */
typedef struct gpci_observed_lookup {
    uint32_t set, way; /* way GPCI_NO_WAY: the line is not there */
    uint8_t hits;      /* segments, as the counters have them: there, or in flight */
    bool whole;        /* all that it needs, likewise */
    bool in_flight;    /* sectors of the line are on their way */
    bool bypassed;     /* it did not look in L1, or is kept from allocating */
} gpci_observed_lookup;

/*
 * Who is told of what happens in the L1s of a hierarchy; on one thread. Without a clock a line is told of before and
 * after it passes, and what it fills and evicts in between. With one its lookup is told of, and later what comes of it.
 */
typedef struct gpci_observer {
    void *data;
    gpc_status (*on_kernel)(void *data);                                  /* one begins; its L1s are there */
    gpc_status (*on_instruction)(void *data, const gpc_request *request); /* global or local, before its lines */
    gpc_status (*before_line)(void *data, const gpci_observed_line *line);
    void (*after_line)(void *data, const gpci_observed_line *line, uint32_t hits); /* hits: segments found in L1 */
    gpc_status (*on_lookup)(void *data, const gpci_observed_line *line, const gpci_observed_lookup *found);
    void (*on_verdict)(void *data, const gpc_request *request, bool bypass); /* other than its lookup said */
    gpc_fill_fn on_fill;                                                     /* of the L1s, */
    gpc_evict_fn on_evict;                                                   /* likewise, */
    void **cache_data;                                                       /* with their user_data [sms] */
} gpci_observer;

/* Tell an observer, which outlives the hierarchy or the next call, from now on; NULL: nobody. */
void gpci_hierarchy_observe(gpc_hierarchy *h, const gpci_observer *observer);

#endif
