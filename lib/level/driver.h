/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_DRIVER_H
#define GPC_LEVEL_DRIVER_H

#include <gpucache/ask.h>

#include "level/hierarchy.h"
#include "stats/stats.h"

/*
 * What a hierarchy is made of and how it is run: two tables of functions, picked once when it is created, so that
 * nothing above them asks again. No function is NULL.
 *
 *   levels   what stands between the SMs and memory: caches of their own (L1s and L2 slices), or one coherent tree
 *   driver   how what the SMs ask passes them: at once (functional), or with a clock (timed)
 */
/* All that one object has counted: a struct for each table of counters. */
typedef struct gpci_object_values {
    gpc_stats stats;
    gpc_cache_stats cache;
    gpci_network_stats network;
    gpc_coherence_stats coherence;
    bool has[GPC_TABLE_COUNT]; /* the object counts by this table */
} gpci_object_values;

struct gpci_archive;

typedef struct gpci_levels {
    gpc_status (*check)(gpc_hierarchy *h, gpc_error *error); /* can there be such, with this configuration? */
    gpc_status (*create)(gpc_hierarchy *h, gpc_error *error);
    void (*destroy)(gpc_hierarchy *h); /* what there is of them */
    /* L1s of another size, empty, in place of the old ones, which write back what they have. */
    gpc_status (*resize)(gpc_hierarchy *h, const gpci_l1_share *share, gpc_error *error);
    gpc_status (*begin)(gpc_hierarchy *h); /* a kernel begins: empty what `kernels.flush` says, in no time */
    gpc_status (*flush)(gpc_hierarchy *h); /* write everything back and drop it, in no time */
    void (*add_sm)(const gpc_hierarchy *h, uint32_t sm, gpc_stats *stats);       /* statistics: of an SM's L1, */
    void (*add_slice)(const gpc_hierarchy *h, uint32_t slice, gpc_stats *stats); /* and of a slice */
    void (*reset_stats)(gpc_hierarchy *h);
    /* A warp or kernel begins or ends on an SM: for its L1's policies. */
    gpc_status (*warp_event)(gpc_hierarchy *h, const gpc_warp_event *event);
    /* How many L1s, clusters' caches or slices there are; 0 of anything else. */
    uint32_t (*objects)(const gpc_hierarchy *h, gpc_object kind);
    /* The tables that such an object counts by itself. */
    void (*object)(const gpc_hierarchy *h, gpc_object kind, uint32_t index, gpci_object_values *values);
    /* Their part of a snapshot; loading, into levels of the same configuration and L1s' share. */
    void (*archive)(gpc_hierarchy *h, struct gpci_archive *archive);
} gpci_levels;

/* What is asked of the clock; where there is none: GPC_ERROR_STATE, nothing under way, and never. */
typedef struct gpci_clock_calls {
    /* gpc_hierarchy_try_issue, gpc_hierarchy_try_miss, and so on: what is said of them there. */
    gpc_status (*issue)(gpc_hierarchy *h, const gpc_warp_access *access, uint64_t token, gpc_busy *out_busy);
    gpc_status (*fence)(gpc_hierarchy *h, const gpc_fence *fence, uint64_t token, gpc_busy *out_busy);
    gpc_status (*miss)(gpc_hierarchy *h, const gpc_request *request, uint64_t token, gpc_busy *out_busy);
    gpc_status (*check_miss)(const gpc_hierarchy *h, const gpc_request *request, gpc_error *error);
    gpc_status (*transactions)(gpc_hierarchy *h, const gpc_request *requests, uint32_t count, uint64_t token,
                               gpc_busy *out_busy);
    gpc_status (*check_transactions)(const gpc_hierarchy *h, const gpc_request *requests, uint32_t count,
                                     gpc_error *error);
    bool (*accepts)(const gpc_hierarchy *h, uint32_t sm, bool miss, gpc_busy *out_busy);
    void (*locate)(const gpc_hierarchy *h, gpc_location *location); /* where its line is in memory */
    gpc_status (*advance)(gpc_hierarchy *h, uint64_t cycles);
    gpc_status (*check_advance)(const gpc_hierarchy *h, uint64_t cycles, gpc_error *error);
    gpc_status (*drain)(gpc_hierarchy *h, gpc_error *error);
    uint64_t (*now)(const gpc_hierarchy *h);
    uint64_t (*next_event)(const gpc_hierarchy *h);
    uint64_t (*in_flight)(const gpc_hierarchy *h);
    gpc_status (*memory_reply)(gpc_hierarchy *h, uint64_t id);
    gpc_status (*memory_ready)(gpc_hierarchy *h, uint32_t channel);
    gpc_status (*grant)(gpc_hierarchy *h, uint32_t sm, uint64_t credits,
                        bool more); /* room for replies, or so much more */
    uint64_t (*credits)(const gpc_hierarchy *h, uint32_t sm);
    gpc_status (*set_callbacks)(gpc_hierarchy *h, const gpc_hierarchy_callbacks *callbacks);
} gpci_clock_calls;

typedef struct gpci_driver {
    const gpci_clock_calls *clock;
    gpc_status (*create)(gpc_hierarchy *h, gpc_error *error); /* the levels are there */
    void (*destroy)(gpc_hierarchy *h);                        /* what there is of it */
    /* gpc_hierarchy_access; GPC_ERROR_STATE where accesses take time */
    gpc_status (*access)(gpc_hierarchy *h, const gpc_warp_access *access, gpc_warp_result *result);
    /* gpc_hierarchy_fence; GPC_ERROR_STATE likewise */
    gpc_status (*fence)(gpc_hierarchy *h, const gpc_fence *fence, gpc_error *error);
    bool (*idle)(const gpc_hierarchy *h);  /* nothing is under way */
    gpc_status (*begin)(gpc_hierarchy *h); /* as the levels', but in time; NULL: theirs */
    void (*relink)(gpc_hierarchy *h);      /* L1s have been replaced */
    /* The trace of events becomes this; NULL: none, which does not fail. GPC_ERROR_MEMORY: it is as it was. */
    gpc_status (*watch)(gpc_hierarchy *h, struct gpci_trace *trace);
    void (*add_sm)(const gpc_hierarchy *h, uint32_t sm, gpc_stats *stats);
    void (*add_rest)(const gpc_hierarchy *h, gpc_stats *stats);
    void (*reset_stats)(gpc_hierarchy *h);
    /* How many networks or memory channels there are; 0 of anything else. */
    uint32_t (*objects)(const gpc_hierarchy *h, gpc_object kind);
    const char *(*network_name)(const gpc_hierarchy *h, uint32_t index);
    /* What it counts of any object; `values` has what the levels have. */
    void (*object)(const gpc_hierarchy *h, gpc_object kind, uint32_t index, gpci_object_values *values);
    /*
     * Is what a counter needs there? GPC_NEEDS_CLOCK, _REORDER, _LINKS, _CLUSTERS, _PREFETCHER, _CREDITS, _MISSES,
     * _TLB_TIME or _STAGES.
     */
    bool (*measures)(const gpc_hierarchy *h, gpc_counter_needs needs);
    void (*archive)(gpc_hierarchy *h, struct gpci_archive *archive); /* its part of a snapshot, after the levels' */
    /* Has an SM's L1, a plain one, nothing under way? Then it is emptied: what is dirty is written to L2. */
    bool (*quiet)(const gpc_hierarchy *h, uint32_t sm);
    gpc_status (*empty_l1)(gpc_hierarchy *h, uint32_t sm);
} gpci_driver;

/* level/coherent_level.c */
extern const gpci_levels gpci_tree_levels;
/* hierarchy/cache_levels.c */
extern const gpci_levels gpci_cache_levels;
/* functional/functional_access.c: for either levels */
extern const gpci_driver gpci_functional_caches, gpci_functional_tree;
/* timed/timed_driver.c: likewise */
extern const gpci_driver gpci_timed_caches, gpci_timed_tree;

#endif
