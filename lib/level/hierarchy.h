/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_HIERARCHY_H
#define GPC_LEVEL_HIERARCHY_H

#include "cache/allocate.h"
#include "cache/index.h"
#include "config/config.h"
#include "level/tag_banks.h"
#include "registry/registry.h"

/* A level's sectors against 32-byte segments of its line, by table: lines have at most four segments. */
typedef struct gpci_level {
    uint32_t line_bytes, line_shift;
    uint8_t all_segments;
    uint8_t sectors_of[16];  /* segments -> sectors that hold any of them */
    uint8_t segments_of[16]; /* sectors -> all their segments */
} gpci_level;

/* Of some segments, those of sectors that are among them whole. */
GPCI_INLINE uint8_t gpci_whole_sectors(const gpci_level *level, uint8_t segments) {
    return segments & (uint8_t)~level->segments_of[level->sectors_of[level->all_segments & (uint8_t)~segments]];
}

typedef struct gpci_future gpci_future;
struct gpci_observer;
struct gpci_asked_list;
typedef struct gpci_trace gpci_trace;

/* What a launch needs and what it gets. */
typedef struct gpci_l1_share {
    uint64_t carveout;   /* bytes of a unified memory that shared memory takes */
    uint64_t l1_bytes;   /* what is left */
    uint32_t sets, ways; /* of each L1, */
    uint32_t lines;      /* and of which only so many have data; 0: all */
} gpci_l1_share;

/* clang-format off */
/* Of the rows of GPC_COUNTERS, by their OBJECT, those that count as accesses pass by SM, or by slice: DO(field). */
#define GPCI_SM_WHOLE(DO, field)
#define GPCI_SM_SM(DO, field) DO(field)
#define GPCI_SM_SM_PART(DO, field)
#define GPCI_SM_L1(DO, field) DO(field)
#define GPCI_SM_L1_PART(DO, field)
#define GPCI_SM_SLICE(DO, field)
#define GPCI_SM_SLICE_PART(DO, field)
#define GPCI_SM_CHANNEL(DO, field)
#define GPCI_SM_WHOLE_STREAM(DO, field)
#define GPCI_SM_L1_STREAM(DO, field) DO(field)
#define GPCI_SM_SLICE_STREAM(DO, field)
#define GPCI_SLICE_WHOLE(DO, field)
#define GPCI_SLICE_SM(DO, field)
#define GPCI_SLICE_SM_PART(DO, field)
#define GPCI_SLICE_L1(DO, field)
#define GPCI_SLICE_L1_PART(DO, field)
#define GPCI_SLICE_SLICE(DO, field) DO(field)
#define GPCI_SLICE_SLICE_PART(DO, field)
#define GPCI_SLICE_CHANNEL(DO, field)
#define GPCI_SLICE_WHOLE_STREAM(DO, field)
#define GPCI_SLICE_L1_STREAM(DO, field)
#define GPCI_SLICE_SLICE_STREAM(DO, field) DO(field)
/* Those that are counted by stream, too. */
#define GPCI_STREAM_WHOLE(DO, field)
#define GPCI_STREAM_SM(DO, field)
#define GPCI_STREAM_SM_PART(DO, field)
#define GPCI_STREAM_L1(DO, field)
#define GPCI_STREAM_L1_PART(DO, field)
#define GPCI_STREAM_SLICE(DO, field)
#define GPCI_STREAM_SLICE_PART(DO, field)
#define GPCI_STREAM_CHANNEL(DO, field)
#define GPCI_STREAM_WHOLE_STREAM(DO, field) DO(field)
#define GPCI_STREAM_L1_STREAM(DO, field) DO(field)
#define GPCI_STREAM_SLICE_STREAM(DO, field) DO(field)
/* clang-format on */

#define GPCI_FIELD(field) uint64_t field;
typedef struct gpci_sm_counts {
#define X(id, field, name, unit, kind, objects, ...) GPCI_SM_##objects(GPCI_FIELD, field)
    GPC_COUNTERS(X)
#undef X
#define X(id, field, name, buckets, ...) uint64_t field[buckets];
    GPC_HISTOGRAMS(X)
#undef X
    uint64_t merged_sectors; /* its part of l2_merged_sectors, with a clock */
    gpc_cache_stats retired; /* of L1s that a resize replaced */
} gpci_sm_counts;

typedef struct gpci_slice_counts {
#define X(id, field, name, unit, kind, objects, ...) GPCI_SLICE_##objects(GPCI_FIELD, field)
    GPC_COUNTERS(X)
#undef X
    uint64_t merged_sectors, memory_reads, memory_writes; /* its parts of others, with a clock */
} gpci_slice_counts;

/* By an SM, or by a slice, of one stream. */
typedef struct gpci_stream_counts {
#define X(id, field, name, unit, kind, objects, ...) GPCI_STREAM_##objects(GPCI_FIELD, field)
    GPC_COUNTERS(X)
#undef X
} gpci_stream_counts;
#undef GPCI_FIELD

#define GPCI_NO_STREAM UINT8_MAX /* of requests that no access has made */

/* gpc_access_window; `bytes` 0: none. Lines in it are of priority `hit` or `miss`. */
typedef struct gpci_window {
    uint64_t begin, bytes;
    uint32_t hit_ratio; /* % */
    uint8_t hit, miss;  /* gpc_priority */
    uint8_t reserved[2];
} gpci_window;

struct gpc_hierarchy {
    const struct gpci_levels *levels; /* level/driver.h: what it is made of, */
    const struct gpci_driver *driver; /* and how it is run */
    gpc_context *context;
    gpc_config *config;
    gpci_level l1_level, l2_level;
    uint32_t line_blocks;  /* of L1's, in a tree: sectors, each a line to all but the tags; or 1 */
    gpc_cache **l1;        /* [sms], NULL without L1 */
    gpc_cache **l2;        /* [slices], partition 0's first; NULL without L2 */
    gpc_cache **constants; /* [sms] of constants (level/constants.h), NULL without const.size */
    gpc_cache **l15;       /* [l15_count] L1.5s (level/l15.h), NULL without l15.size */
    uint32_t sms, slices, partitions;
    uint32_t slices_per_partition; /* of one GPU */
    uint32_t gpus, cpus;           /* cpus: the last of gpus */
    uint32_t lanes, warps;         /* of a warp; of an SM at once */
    bool has_l1;                   /* SMs go through an L1, of whichever levels */
    bool l1_local_only, inclusive;
    bool code_in_l2;                       /* kernels.code = l2 */
    bool viper;                            /* coherence = viper: L1s drop what they hold at an acquire */
    bool with_data;                        /* accesses carry values: coherence.data */
    bool lanes_apart;                      /* each lane is an access of L1: l1.coalescer = multi2sim */
    uint8_t line_order;                    /* gpci_line_order of those of an instruction: l1.line_order */
    bool sectors_apart;                    /* each sector is: l1.coalescer = sector */
    gpci_commons *l1_commons, *l2_commons; /* what the policies of a level share */
    uint8_t *sm_partition;                 /* [sms] */
    uint32_t *sm_coalescer;                /* [sms] its L2 request coalescer, of so many; NULL: 0 */
    uint32_t coalescers;
    uint32_t *sm_l15;                     /* [sms] its L1.5, */
    uint32_t *l15_first;                  /* [l15_count] the first SM of each, */
    uint32_t *l15_next;                   /* [sms] and the next of the same; UINT32_MAX: none */
    uint32_t l15_count;                   /* of so many */
    gpci_interleave interleave;           /* addresses over the slices of a partition, */
    struct gpci_address_map *address_map; /* by address.mapping; NULL: that is none */
    uint64_t home_bits; /* of an address: their parity is its home partition; 0: gpci_l2_home hashes it */
    gpci_window window; /* addresses whose lines in L2 persist, or stream */
    gpci_l1_share share;
    gpci_tag_banks tag_banks;      /* of L1 */
    uint32_t kernel;               /* launches so far: the present one's number, from 1 */
    struct gpci_kernels *kernels;  /* level/kernels.h: of several at once; NULL: there never were any */
    bool cold;                     /* nothing of a kernel's code is in L2 */
    gpc_stats stats;               /* counted here, but for what is counted by SM, and by slice: */
    gpci_sm_counts *of_sm;         /* [sms] */
    gpci_slice_counts *of_slice;   /* [slices] */
    gpci_stream_counts *of_stream; /* [sms + slices][streams + 1]: the last is nobody's; NULL: streams is 1 */
    uint32_t streams;
    struct gpci_coherent *coherent;       /* a tree in place of l1 and l2; NULL: `coherence` is none */
    struct gpci_timed *timed;             /* the clock and all that goes with it; NULL: functional */
    const struct gpci_observer *observer; /* NULL = nobody is told */
    /* functional: what L1s ask of L2 is kept here, on a thread of several; NULL: not so. And threads of the replay */
    struct gpci_asked_list *asked;
    uint32_t round_threads;
    struct gpci_tlbs *tlbs;             /* level/tlb.h; NULL: addresses are not translated */
    struct gpci_trace *trace;           /* of events (level/events.h); NULL: none */
    struct gpci_recorder *recorder;     /* level/recorder.h; NULL: none */
    struct gpci_warp_ranks *warp_ranks; /* [sms] ages of warps (level/warp_ranks.h); NULL: the host says them */
    bool replayed;                      /* a replay drives it */
    bool stepping;                      /* a cycle is under way, or a call that calls back */
    bool counts_all;                    /* nothing was in flight at the last reset of counters */
    uint32_t drains;                    /* number of drains, in the checking build */
    bool counts_fresh;                  /* counters were never reset */
    bool lent;                          /* the host has taken a cache (gpc_hierarchy_cache) */
    bool processes;                     /* processes above 0 have come: addresses have process bits */
    bool l1_future;                     /* L1's requests must say when their lines are used next, */
    gpci_future *future;                /* which is known of a kernel that is replayed; NULL otherwise */
};

/* hierarchy.c: what is counted of a stream; of `streams`, the number behind the last, what is nobody's. */
void gpci_hierarchy_add_stream(const gpc_hierarchy *h, uint32_t stream, gpc_stats *stats);

/*
 * Processes (types.h). Behind the door of a hierarchy (hierarchy/processes.h) an address has its process in the upper
 * bits. On the way out, the process of an address, and the address without these bits:
 */
GPCI_INLINE uint8_t gpci_process_of(const gpc_hierarchy *h, uint64_t address) {
    return GPCI_UNLIKELY(h->processes) ? (uint8_t)(address >> GPC_PROCESS_SHIFT) : 0;
}
GPCI_INLINE uint64_t gpci_process_plain(const gpc_hierarchy *h, uint64_t address) {
    return GPCI_UNLIKELY(h->processes) ? address & (((uint64_t)1 << GPC_PROCESS_SHIFT) - 1) : address;
}

/* Addresses of a process come in. They have at most 57 bits. */
GPCI_INLINE void gpci_process_enter(uint8_t process, uint64_t *addresses, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        addresses[i] = gpc_process_address(process, addresses[i]);
}

/* warp_access.c: error text about a process and `bytes` (0 is 1) from an address on; NULL: both are right. */
const char *gpci_process_wrong(const gpc_hierarchy *h, uint8_t process, uint64_t address, uint64_t bytes);

/* Does an access of this space go through an L1? */
GPCI_INLINE bool gpci_passes_l1(const gpc_hierarchy *h, uint8_t space) {
    return h->has_l1 && !(h->l1_local_only && space == GPC_SPACE_GLOBAL);
}

/* The cache that is this L1, NULL where there is none: to L2 directly, or to a coherent tree. */
GPCI_INLINE gpc_cache *gpci_l1_for(const gpc_hierarchy *h, uint32_t sm, uint8_t space) {
    return h->l1 && gpci_passes_l1(h, space) ? h->l1[sm] : NULL;
}

/* The priority by which its levels go: .cs is evict-first (PTX ISA, "Cache Operators"). */
GPCI_INLINE uint8_t gpci_priority_of(uint8_t hint, uint8_t priority) {
    return GPCI_UNLIKELY(hint == GPC_HINT_CS) && priority == GPC_EVICT_NORMAL ? GPC_EVICT_FIRST : priority;
}

/* Does a copy into shared memory go past L1? */
GPCI_INLINE bool gpci_copy_passes(uint8_t copy, uint8_t hint) {
    return GPCI_UNLIKELY(copy != GPC_COPY_NONE) && hint == GPC_HINT_CG;
}

/* The cache that serves a request at L1, likewise. */
GPCI_INLINE gpc_cache *gpci_l1_of(const gpc_hierarchy *h, const gpc_request *r) {
    return gpci_copy_passes(r->copy, r->hint) ? NULL : gpci_l1_for(h, r->sm, r->space);
}

/*
 * hierarchy.c: statistics in two parts, each added to `stats`: what is counted by SM, and the rest. Histograms, which
 * are long, are part of the rest: all SMs', which add_sm_histograms tells one by one. Slices are, too (add_slice), but
 * for what the clock counts. The sum of all.
 */
void gpci_hierarchy_add_sm(const gpc_hierarchy *h, uint32_t sm, gpc_stats *stats);
void gpci_hierarchy_add_sm_histograms(const gpc_hierarchy *h, uint32_t sm, gpc_stats *stats);
void gpci_hierarchy_add_slice(const gpc_hierarchy *h, uint32_t slice, gpc_stats *stats);
void gpci_hierarchy_add_rest(const gpc_hierarchy *h, gpc_stats *stats);
void gpci_hierarchy_stats(const gpc_hierarchy *h, gpc_stats *stats);
/* cache_levels.c: empty what `kernels.flush` says. */
gpc_status gpci_hierarchy_flush_for_kernel(gpc_hierarchy *h);
/*
 * hierarchy/ask.c: put the sectors of bytes copied by the host into L2, clean, in no time and uncounted (Accel-Sim's
 * perf_memcpy_to_gpu). The reason of a hierarchy against copies; NULL: copies are possible.
 */
gpc_status gpci_hierarchy_copy_in(gpc_hierarchy *h, uint64_t address, uint64_t bytes);
const char *gpci_hierarchy_no_copies(const gpc_hierarchy *h);
/* A launch has its number, and is counted, with what it charges. */
void gpci_hierarchy_launch(gpc_hierarchy *h, const gpc_launch *launch, const gpci_l1_share *share);
/* Tell every L1's policies that the present kernel begins or ends. */
void gpci_hierarchy_tell_policies(gpc_hierarchy *h, gpc_warp_event_kind kind);

/* launch.c */
gpc_status gpci_launch_l1_share(const gpc_hierarchy *h, const gpc_launch *launch, gpci_l1_share *share,
                                gpc_error *error);
/* Charge a kernel's code, once it is known how much of it ran. */
void gpci_launch_code(gpc_hierarchy *h, uint64_t bytes);

/* level_build.c */
gpc_status gpci_build_levels(gpc_hierarchy *h, gpc_error *error);
/* interleave.c */
gpc_status gpci_build_interleave(gpc_hierarchy *h, gpc_error *error);
/* Whether requests say when their lines are used next. Refused where a policy needs it and it is not to be had. */
gpc_status gpci_build_future(gpc_hierarchy *h, gpc_error *error);
gpc_status gpci_build_l1(gpc_hierarchy *h, const gpci_l1_share *share, gpc_error *error, gpc_cache ***out);
/* One of them, for an SM. */
gpc_status gpci_build_l1_of(gpc_hierarchy *h, const gpci_l1_share *share, uint32_t sm, gpc_error *error,
                            gpc_cache **out);
gpc_status gpci_build_l2(gpc_hierarchy *h, gpc_error *error);
/* window.c: ways of L2's sets that are set aside for lines that persist (gpc_cache_options.last_ways). */
gpc_status gpci_set_aside(const gpc_hierarchy *h, uint32_t ways, uint32_t *out, gpc_error *error);
/* The window that the configuration says; GPC_ERROR_RANGE: settings of it have no effect. */
gpc_status gpci_build_window(gpc_hierarchy *h, gpc_error *error);
/* level_build.c */
/* Does a key, l1.prefetcher or l2.prefetcher, name one? Both are refused where they would have no effect. */
bool gpci_has_prefetcher(const gpc_hierarchy *h, gpci_key key);
gpc_status gpci_check_prefetchers(const gpc_hierarchy *h, gpc_error *error);
/* The predictor of L2: its own, or the one that keeps the bits of L1's there. */
gpc_status gpci_l2_predictor(const gpc_hierarchy *h, const char **out, gpc_error *error);
void gpci_destroy_caches(gpc_hierarchy *h, gpc_cache **caches, uint32_t count);

GPCI_INLINE uint64_t gpci_number(const gpc_hierarchy *h, gpci_key key) {
    return gpci_config_number(h->config, key);
}

/* The gpc_index that a key says: none says that of a user. */
GPCI_INLINE uint32_t gpci_index_number(const gpc_hierarchy *h, gpci_key key) {
    const uint32_t number = (uint32_t)gpci_number(h, key);
    return number < GPC_INDEX_USER ? number : number + 1;
}

/* Do lines take their ways in L1 at their miss? */
GPCI_INLINE bool gpci_l1_takes_at_miss(const gpc_hierarchy *h) {
    return gpci_takes_at_miss(gpci_number(h, GPCI_KEY_L1_ALLOCATE));
}

#endif
