/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_HIERARCHY_H
#define GPC_LEVEL_HIERARCHY_H

#include "cache/allocate.h"
#include "cache/index/index.h"
#include "config/config.h"
#include "level/rules/coalesce.h"
#include "registry/registry.h"
#include "stats/stats.h"

/* Mapping of a level's sectors to 32-byte segments of its line, by table: lines have at most four segments. */
typedef struct gpci_level {
    uint32_t line_bytes, line_shift;
    uint8_t all_segments;
    uint8_t sectors_of[16];  /* segments -> sectors with at least one of them */
    uint8_t segments_of[16]; /* sectors -> their segments */
} gpci_level;

/* Segments of those sectors that `segments` covers completely. */
GPCI_INLINE uint8_t gpci_full_sectors(const gpci_level *level, uint8_t segments) {
    return segments & (uint8_t)~level->segments_of[level->sectors_of[level->all_segments & (uint8_t)~segments]];
}

typedef struct gpci_future gpci_future;
struct gpci_observer;
struct gpci_asked_list;
typedef struct gpci_event_log gpci_event_log;

/* Share of a unified memory that a launch leaves for L1. */
typedef struct gpci_l1_share {
    uint64_t carveout;   /* bytes of unified memory used as shared memory */
    uint64_t l1_bytes;   /* bytes left for L1 */
    uint32_t sets, ways; /* per L1 */
    uint32_t lines;      /* lines of an L1 that can hold data; 0: all */
} gpci_l1_share;

/* Concurrent kernels, by stream (hierarchy/kernels.c), and the share of each SM's L1. */
typedef struct gpci_kernels {
    uint32_t running;
    uint32_t words;        /* size of a bitmap of SMs */
    uint32_t *of_stream;   /* [streams] number of the stream's running kernel; 0: none */
    uint64_t *sms;         /* [streams][words] SMs the kernel was started on; empty after gpci_kernels_begin */
    gpci_l1_share *shares; /* [sms] share of unified memory */
} gpci_kernels;

/* clang-format off */
/* Select the rows of GPC_COUNTERS, by OBJECT, that are counted per SM, or per slice: DO(field). */
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
/* Select the rows also counted per stream. */
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
    uint64_t merged_sectors;  /* slice's part of l2_merged_sectors, with a clock */
    gpci_cache_stats retired; /* statistics of L1s replaced by a resize */
    /* bypasses that a reply may still overturn, less those open at the last reset; in a tree, overturned ones too */
    uint64_t open_bypasses;
    uint64_t unfilled_sectors; /* part of l1_fetched_sectors that fills no line, or (with a clock) not yet */
#ifdef GPCI_CHECK
    gpci_cache_stats retired_again; /* second counts of these L1s */
    gpc_stats again;                /* second counts of this SM (base/check.h) */
#endif
} gpci_sm_counts;

typedef struct gpci_slice_counts {
#define X(id, field, name, unit, kind, objects, ...) GPCI_SLICE_##objects(GPCI_FIELD, field)
    GPC_COUNTERS(X)
#undef X
    uint64_t merged_sectors, memory_reads, memory_writes; /* object's parts of other counters, with a clock */
#ifdef GPCI_CHECK
    gpc_stats again; /* second counts of this slice (base/check.h) */
#endif
} gpci_slice_counts;

/* Counts of an SM or a slice for one stream. */
typedef struct gpci_stream_counts {
#define X(id, field, name, unit, kind, objects, ...) GPCI_STREAM_##objects(GPCI_FIELD, field)
    GPC_COUNTERS(X)
#undef X
} gpci_stream_counts;
#undef GPCI_FIELD

#define GPCI_NO_STREAM UINT8_MAX /* stream of requests made by no access */

/* gpc_access_window; `bytes` 0: none. Lines in the window have priority `hit` or `miss`. */
typedef struct gpci_window {
    uint64_t begin, bytes;
    uint32_t hit_ratio; /* in % */
    uint8_t hit, miss;  /* gpc_priority */
    uint8_t reserved[2];
} gpci_window;

struct gpc_hierarchy {
    const struct gpci_levels *levels; /* caches or tree (level/rules/driver.h) */
    const struct gpci_driver *driver; /* functional or timed (level/rules/driver.h) */
    gpc_context *context;
    gpc_config *config;
    gpci_level l1_level, l2_level;
    /* Blocks per L1 line: in a tree the sectors, treated as lines by everything but the tags; otherwise 1. */
    uint32_t line_blocks;
    gpc_cache **l1;        /* [sms], NULL without L1 */
    gpc_cache **l2;        /* [slices], partition 0 first; NULL without L2 */
    gpc_cache **constants; /* [sms] constant caches (level/access/constants.h), NULL without const.size */
    gpc_cache **l15;       /* [l15_count] L1.5s (level/access/l15.h), NULL without l15.size */
    uint32_t sms, slices, partitions;
    uint32_t slices_per_partition; /* per GPU */
    uint32_t gpus, cpus;           /* cpus: number of CPUs, the last of `gpus` */
    uint32_t lanes, warps;         /* lanes: per warp; warps: per SM */
    bool has_l1;                   /* SMs have an L1, cache or module */
    bool l1_local_only, inclusive;
    bool code_in_l2;                       /* kernels.code = l2 */
    bool viper;                            /* coherence = viper: L1s drop lines at an acquire */
    bool with_data;                        /* accesses carry values: coherence.data */
    bool lane_packets;                     /* each lane is an access of L1: l1.coalescer = multi2sim */
    uint8_t line_order;                    /* gpci_line_order of an instruction's lines: l1.line_order */
    bool sector_packets;                   /* each sector is an access of L1: l1.coalescer = sector */
    gpci_commons *l1_commons, *l2_commons; /* common state of a level's policies */
    uint8_t *sm_partition;                 /* [sms] */
    uint32_t *sm_coalescer;                /* [sms] number of its L2 request coalescer; NULL without coalescers */
    uint32_t coalescers;
    uint32_t *sm_l15;                     /* [sms] number of its L1.5 */
    uint32_t *l15_first;                  /* [l15_count] first SM of an L1.5 */
    uint32_t *l15_next;                   /* [sms] next SM of the same L1.5; UINT32_MAX: none */
    uint32_t l15_count;                   /* number of L1.5s */
    gpci_interleave interleave;           /* addresses over the slices of a partition */
    struct gpci_address_map *address_map; /* address.mapping; NULL: none */
    uint64_t home_bits; /* address bits whose parity is the home partition; 0: gpci_l2_home hashes the address */
    gpci_window window; /* addresses whose L2 lines persist, or stream */
    gpci_l1_share share;
    gpci_tag_banks tag_banks;      /* of L1 */
    uint32_t kernel;               /* number of launches = number of the current kernel, from 1 */
    gpci_kernels *kernels;         /* NULL: never any concurrent kernel */
    bool cold;                     /* L2 has no kernel code */
    gpc_stats stats;               /* counts except those per SM or per slice */
    gpci_sm_counts *of_sm;         /* [sms] */
    gpci_slice_counts *of_slice;   /* [slices] */
    gpci_stream_counts *of_stream; /* [sms + slices][streams + 1]: the last without a stream; NULL: `streams` is 1 */
    uint32_t streams;
    struct gpci_coherent *coherent;       /* tree in place of l1 and l2; NULL: `coherence` is none */
    struct gpci_timed *timed;             /* state of the clocked model; NULL: functional */
    const uint64_t *now;                  /* core cycle; NULL: functional */
    const struct gpci_observer *observer; /* NULL: none */
    /*
     * functional with several threads: on a thread, requests of L1s to L2 are collected here; otherwise NULL.
     * round_threads: threads of the replay
     */
    struct gpci_asked_list *asked;
    uint32_t round_threads;
    struct gpci_tlbs *tlbs;             /* level/access/tlb.h; NULL: no address translation */
    struct gpci_event_log *log;         /* event trace (level/rules/events.h); NULL: none */
    struct gpci_recorder *recorder;     /* level/rules/recorder.h; NULL: none */
    struct gpci_warp_ranks *warp_ranks; /* [sms] ages of warps (level/access/warp_ranks.h); NULL: the host gives ages */
    bool replayed;                      /* driven by a replay */
    /*
     * Within a cycle, or within a callback. State may be between two steps: calls that change state fail with
     * GPC_ERROR_STATE.
     */
    bool called_back;
    bool counts_all;         /* nothing was in flight at the last reset of counters */
    uint32_t drains;         /* number of drains, in the checking build */
    bool counts_fresh;       /* counters were never reset */
    uint32_t resident_again; /* second count of resident_blocks, in the checking build */
    bool lent;               /* the host has borrowed a cache (gpc_hierarchy_cache) */
    bool processes;          /* processes above 0 were used: addresses have process bits */
    bool l1_future;          /* L1 requests need the next use of their line */
    gpci_future *future;     /* next uses of a replayed kernel; otherwise NULL */
};

/* hierarchy.c: add the counts of a stream; number `streams`: counts without a stream. */
void gpci_hierarchy_add_stream(const gpc_hierarchy *hierarchy, uint32_t stream, gpc_stats *stats);

/*
 * Processes (types.h). Inside a hierarchy (past the door, level/access/processes.h) the upper bits of an address are
 * its process. On the way out: the process of an address, and the address without process bits.
 */
GPCI_INLINE uint8_t gpci_process_of(const gpc_hierarchy *hierarchy, uint64_t address) {
    return GPCI_UNLIKELY(hierarchy->processes) ? (uint8_t)(address >> GPC_PROCESS_SHIFT) : 0;
}
GPCI_INLINE uint64_t gpci_process_plain(const gpc_hierarchy *hierarchy, uint64_t address) {
    return GPCI_UNLIKELY(hierarchy->processes) ? address & (((uint64_t)1 << GPC_PROCESS_SHIFT) - 1) : address;
}

/* True: a host's access passes the door of processes (level/access/processes.h). False: a single process, number 0. */
GPCI_INLINE bool gpci_has_process(const gpc_hierarchy *hierarchy, const gpc_warp_access *access) {
    return hierarchy->processes || (access->struct_size > offsetof(gpc_warp_access, process) && access->process);
}

/* Number of the kernel an access of a stream belongs to. */
GPCI_INLINE uint32_t gpci_kernel_of(const gpc_hierarchy *hierarchy, uint8_t stream) {
    const gpci_kernels *kernels = hierarchy->kernels;
    return GPCI_UNLIKELY(kernels && kernels->running && kernels->of_stream[stream]) ? kernels->of_stream[stream]
                                                                                    : hierarchy->kernel;
}

/* Add process bits to addresses of at most 57 bits. */
GPCI_INLINE void gpci_process_enter(uint8_t process, uint64_t *addresses, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        addresses[i] = gpc_process_address(process, addresses[i]);
}

/* warp_access.c: error text about a process and `bytes` (0 counts as 1) from an address on; NULL: both are right. */
const char *gpci_process_wrong(const gpc_hierarchy *hierarchy, uint8_t process, uint64_t address, uint64_t bytes);

/* A request without an access, for `address` of a level; `host` is the host's address of the same byte. */
GPCI_INLINE gpc_request gpci_request_of_nobody(const gpc_hierarchy *hierarchy, uint64_t address, uint64_t host,
                                               uint32_t sm, uint8_t kind) {
    return (gpc_request){.address = address,
                         .sm = sm,
                         .kernel = hierarchy->kernel,
                         .kind = kind,
                         .stream = GPCI_NO_STREAM,
                         .process = gpci_process_of(hierarchy, host)};
}

/* True if accesses to a space use an L1. */
GPCI_INLINE bool gpci_passes_l1(const gpc_hierarchy *hierarchy, uint8_t space) {
    return hierarchy->has_l1 && !(hierarchy->l1_local_only && space == GPC_SPACE_GLOBAL);
}

/* L1 cache for a space; NULL: directly to L2, or a coherent tree. */
GPCI_INLINE gpc_cache *gpci_l1_for(const gpc_hierarchy *hierarchy, uint32_t sm, uint8_t space) {
    return hierarchy->l1 && gpci_passes_l1(hierarchy, space) ? hierarchy->l1[sm] : NULL;
}

/* Priority seen by the levels: .cs is evict-first (PTX ISA, "Cache Operators"). */
GPCI_INLINE uint8_t gpci_priority_of(uint8_t hint, uint8_t priority) {
    return GPCI_UNLIKELY(hint == GPC_HINT_CS) && priority == GPC_EVICT_NORMAL ? GPC_EVICT_FIRST : priority;
}

/* True if an access has several destination SMs. */
GPCI_INLINE bool gpci_is_multicast(const gpc_warp_access *access) {
    return access->multicast || access->multicast_count;
}

/* True if a copy into shared memory skips L1. */
GPCI_INLINE bool gpci_copy_passes(uint8_t copy, uint8_t hint) {
    return GPCI_UNLIKELY(copy != GPC_COPY_NONE) && hint == GPC_HINT_CG;
}

/* L1 cache that serves a request; NULL: directly to L2, or a coherent tree. */
GPCI_INLINE gpc_cache *gpci_l1_of(const gpc_hierarchy *hierarchy, const gpc_request *request) {
    return gpci_copy_passes(request->copy, request->hint) ? NULL : gpci_l1_for(hierarchy, request->sm, request->space);
}

/*
 * hierarchy.c: add statistics to `stats`, in two parts: counts per SM, and the rest. Histograms (long) belong to the
 * rest; add_sm_histograms adds those of an SM. Slices belong to the rest too (add_slice), except clocked counts.
 * gpci_hierarchy_stats: the total. gpci_unfilled_sectors: of the sectors fetched by an object's L1s, those that fill no
 * line, or not yet.
 */
uint64_t gpci_unfilled_sectors(const gpc_hierarchy *hierarchy, gpc_object kind, uint32_t index);
void gpci_hierarchy_add_sm(const gpc_hierarchy *hierarchy, uint32_t sm, gpc_stats *stats);
void gpci_hierarchy_add_sm_histograms(const gpc_hierarchy *hierarchy, uint32_t sm, gpc_stats *stats);
void gpci_hierarchy_add_slice(const gpc_hierarchy *hierarchy, uint32_t slice, gpc_stats *stats);
void gpci_hierarchy_add_rest(const gpc_hierarchy *hierarchy, gpc_stats *stats);
void gpci_hierarchy_stats(const gpc_hierarchy *hierarchy, gpc_stats *stats);
/* cache_levels.c: keep the counts of an L1 that another replaces. */
void gpci_hierarchy_retire(gpc_hierarchy *hierarchy, uint32_t sm);
/* cache_levels.c: flush as `kernels.flush` says. */
gpc_status gpci_hierarchy_flush_for_kernel(gpc_hierarchy *hierarchy);
/*
 * hierarchy/ask.c: put sectors copied by the host into L2, clean, in no time and uncounted (Accel-Sim's
 * perf_memcpy_to_gpu). gpci_hierarchy_no_copies: reason why copies are impossible; NULL: possible.
 */
gpc_status gpci_hierarchy_copy_in(gpc_hierarchy *hierarchy, uint64_t address, uint64_t bytes);
const char *gpci_hierarchy_no_copies(const gpc_hierarchy *hierarchy);
/* Begin a launch: give the launch a number; count the launch, and the DRAM sectors of the launch and its code. */
void gpci_hierarchy_launch(gpc_hierarchy *hierarchy, const gpc_launch *launch, const gpci_l1_share *share);
/* Inform the policies of every L1 that the current kernel begins or ends. */
void gpci_hierarchy_tell_policies(gpc_hierarchy *hierarchy, gpc_warp_event_kind kind);

/* launch.c */
gpc_status gpci_launch_l1_share(const gpc_hierarchy *hierarchy, const gpc_launch *launch, gpci_l1_share *share,
                                gpc_error *error);
/* Charge the code of a kernel, once its size is known. */
void gpci_launch_code(gpc_hierarchy *hierarchy, uint64_t bytes);

/* level_build.c */
gpc_status gpci_build_levels(gpc_hierarchy *hierarchy, gpc_error *error);
/* interleave.c */
gpc_status gpci_build_interleave(gpc_hierarchy *hierarchy, gpc_error *error);
/* Decide if requests carry next uses. Fails if a policy needs next uses and none are available. */
gpc_status gpci_build_future(gpc_hierarchy *hierarchy, gpc_error *error);
gpc_status gpci_build_l1(gpc_hierarchy *hierarchy, const gpci_l1_share *share, gpc_error *error, gpc_cache ***out);
/* Build an SM's L1. */
gpc_status gpci_build_l1_of(gpc_hierarchy *hierarchy, const gpci_l1_share *share, uint32_t sm, gpc_error *error,
                            gpc_cache **out);
gpc_status gpci_build_l2(gpc_hierarchy *hierarchy, gpc_error *error);
/* window.c: number of ways per set reserved for persisting lines (gpc_cache_options.last_ways). */
gpc_status gpci_set_aside(const gpc_hierarchy *hierarchy, uint32_t ways, uint32_t *out, gpc_error *error);
/* Read the configured window; GPC_ERROR_RANGE: settings without effect. */
gpc_status gpci_build_window(gpc_hierarchy *hierarchy, gpc_error *error);
/* level_build.c */
/*
 * True if a key, l1.prefetcher or l2.prefetcher, names a prefetcher. gpci_check_prefetchers: reject them if without
 * effect.
 */
bool gpci_has_prefetcher(const gpc_hierarchy *hierarchy, gpci_key key);
gpc_status gpci_check_prefetchers(const gpc_hierarchy *hierarchy, gpc_error *error);
/* Predictor of L2: configured, or the one that keeps bits for L1's predictor. */
gpc_status gpci_l2_predictor(const gpc_hierarchy *hierarchy, const char **out, gpc_error *error);
void gpci_destroy_caches(gpc_hierarchy *hierarchy, gpc_cache **caches, uint32_t count);

GPCI_INLINE uint64_t gpci_number(const gpc_hierarchy *hierarchy, gpci_key key) {
    return gpci_config_number(hierarchy->config, key);
}

/* gpc_index of a key; the keys skip GPC_INDEX_USER. */
GPCI_INLINE uint32_t gpci_index_number(const gpc_hierarchy *hierarchy, gpci_key key) {
    const uint32_t number = (uint32_t)gpci_number(hierarchy, key);
    return number < GPC_INDEX_USER ? number : number + 1;
}

/* True if a line takes its L1 way at the miss. */
GPCI_INLINE bool gpci_l1_takes_at_miss(const gpc_hierarchy *hierarchy) {
    return gpci_takes_at_miss(gpci_number(hierarchy, GPCI_KEY_L1_ALLOCATE));
}

#endif
