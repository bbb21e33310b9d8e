/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_DRIVER_H
#define GPC_LEVEL_DRIVER_H

#include <gpucache/ext/hierarchy.h>

#include "level/rules/hierarchy.h"
#include "stats/stats.h"

/*
 * A hierarchy calls the functions of two tables. The tables are chosen once, when the hierarchy is created. A function
 * can be NULL only if the comment of the function says so.
 *
 *   levels   the caches between SMs and memory: plain caches (L1s and L2 slices), or a coherent tree
 *   driver   passage of requests through the levels: at once (functional), or with a clock (timed)
 */
/* Counts of one object: a struct per table of counters. */
typedef struct gpci_object_values {
    gpc_stats stats;
    gpci_cache_stats cache;
    gpci_network_stats network;
    gpci_coherence_stats coherence;
    bool has[GPC_TABLE_COUNT]; /* true: the object has counters of the table */
} gpci_object_values;

struct gpci_archive;

typedef struct gpci_levels {
    gpc_status (*check)(gpc_hierarchy *h, gpc_error *error); /* check the configuration for these levels */
    gpc_status (*create)(gpc_hierarchy *h, gpc_error *error);
    void (*destroy)(gpc_hierarchy *h); /* also after a failed creation */
    /* Write back the dirty lines of the L1s, and replace the L1s by empty L1s of another size. */
    gpc_status (*resize)(gpc_hierarchy *h, const gpci_l1_share *share, gpc_error *error);
    gpc_status (*begin)(gpc_hierarchy *h); /* a kernel begins: flush as `kernels.flush` says, in no time */
    gpc_status (*flush)(gpc_hierarchy *h); /* write back and drop all lines of all caches, in no time */
    void (*add_sm)(const gpc_hierarchy *h, uint32_t sm, gpc_stats *stats);       /* statistics of an SM's L1 */
    void (*add_slice)(const gpc_hierarchy *h, uint32_t slice, gpc_stats *stats); /* statistics of a slice */
    void (*reset_stats)(gpc_hierarchy *h);
    /* A warp or kernel begins or ends on an SM: inform L1's policies. */
    gpc_status (*warp_event)(gpc_hierarchy *h, const gpc_warp_event *event);
    /* Number of L1s, cluster caches or slices; 0 for other kinds. */
    uint32_t (*objects)(const gpc_hierarchy *h, gpc_object kind);
    /* Add the counts of an L1, a cluster cache or a slice to `values`, and set `has` of the tables. */
    void (*object)(const gpc_hierarchy *h, gpc_object kind, uint32_t index, gpci_object_values *values);
    /* Save or load; loading needs levels of equal configuration and L1 share. */
    void (*archive)(gpc_hierarchy *h, struct gpci_archive *archive);
} gpci_levels;

/* Functions that need a clock. In functional mode: GPC_ERROR_STATE, or no effect (functional/no_clock.c). */
typedef struct gpci_clock_calls {
    /* the rest of gpc_hierarchy_try_issue, _try_fence, _try_miss, _try_transactions and _can_accept */
    gpc_status (*issue)(gpc_hierarchy *h, const gpc_warp_access *access, uint64_t token, gpc_busy *out_busy,
                        gpc_error *error);
    gpc_status (*fence)(gpc_hierarchy *h, const gpc_fence *fence, uint64_t token, gpc_busy *out_busy, gpc_error *error);
    gpc_status (*miss)(gpc_hierarchy *h, const gpc_request *request, uint64_t token, gpc_busy *out_busy,
                       gpc_error *error);
    gpc_status (*transactions)(gpc_hierarchy *h, const gpc_request *requests, uint32_t count, uint64_t token,
                               gpc_busy *out_busy, gpc_error *error);
    bool (*accepts)(const gpc_hierarchy *h, uint32_t sm, bool miss, gpc_busy *out_busy);
    void (*locate)(const gpc_hierarchy *h, gpc_location *location); /* set the DRAM channel and bank of the line */
    gpc_status (*drain)(gpc_hierarchy *h, gpc_error *error);
    /* set the credits of an SM for replies; `more`: add to the credits */
    gpc_status (*grant)(gpc_hierarchy *h, uint32_t sm, uint64_t credits, bool more, gpc_error *error);
    uint64_t (*credits)(const gpc_hierarchy *h, uint32_t sm);
} gpci_clock_calls;

typedef struct gpci_driver {
    const gpci_clock_calls *clock;
    gpc_status (*create)(gpc_hierarchy *h, gpc_error *error); /* called after the levels were created */
    void (*destroy)(gpc_hierarchy *h);                        /* also after a failed creation */
    /* gpc_hierarchy_access; GPC_ERROR_STATE if accesses take time */
    gpc_status (*access)(gpc_hierarchy *h, const gpc_warp_access *access, gpc_warp_result *result, gpc_error *error);
    /* gpc_hierarchy_fence; GPC_ERROR_STATE if accesses take time */
    gpc_status (*fence)(gpc_hierarchy *h, const gpc_fence *fence, gpc_error *error);
    bool (*idle)(const gpc_hierarchy *h);  /* true: nothing is in flight */
    gpc_status (*begin)(gpc_hierarchy *h); /* in place of gpci_levels.begin, takes time; NULL: use gpci_levels.begin */
    void (*relink)(gpc_hierarchy *h);      /* called after L1s were replaced */
    /* Set the event log. NULL removes the event log, and cannot fail. GPC_ERROR_MEMORY: nothing changes. */
    gpc_status (*watch)(gpc_hierarchy *h, struct gpci_event_log *log);
    void (*add_sm)(const gpc_hierarchy *h, uint32_t sm, gpc_stats *stats);
    void (*add_rest)(const gpc_hierarchy *h, gpc_stats *stats);
    void (*reset_stats)(gpc_hierarchy *h);
    /* Number of networks or memory channels; 0 for other kinds. */
    uint32_t (*objects)(const gpc_hierarchy *h, gpc_object kind);
    const char *(*network_name)(const gpc_hierarchy *h, uint32_t index);
    /* Add the driver's counts of an object to `values`, which has the levels' counts. */
    void (*object)(const gpc_hierarchy *h, gpc_object kind, uint32_t index, gpci_object_values *values);
    /*
     * True if counters with this need are measured. `needs`: GPCI_NEEDS_CLOCK, _REORDER, _LINKS, _CLUSTERS,
     * _PREFETCHER, _CREDITS, _MISSES, _TLB_TIME or _STAGES.
     */
    bool (*measures)(const gpc_hierarchy *h, gpci_counter_needs needs);
    void (*archive)(gpc_hierarchy *h, struct gpci_archive *archive); /* save or load, after the levels */
    /* For plain caches. quiet: true if an SM's L1 has nothing in flight. empty_l1: write dirty data to L2, drop all. */
    bool (*quiet)(const gpc_hierarchy *h, uint32_t sm);
    gpc_status (*empty_l1)(gpc_hierarchy *h, uint32_t sm);
    /* Reserve memory to write back `lines` dirty lines, on the thread that runs `sm`. NULL: no memory is needed. */
    gpc_status (*reserve_l1)(gpc_hierarchy *h, uint32_t sm, uint32_t lines);
} gpci_driver;

/* level/coherent/coherent_level.c */
extern const gpci_levels gpci_tree_levels;
/* hierarchy/cache_levels.c */
extern const gpci_levels gpci_cache_levels;
/* functional/functional_access.c: for plain caches, and for a tree */
extern const gpci_driver gpci_functional_caches, gpci_functional_tree;
/* timed/driver/timed_driver.c: for plain caches, and for a tree */
extern const gpci_driver gpci_timed_caches, gpci_timed_tree;

#endif
