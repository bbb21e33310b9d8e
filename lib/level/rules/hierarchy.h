/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_HIERARCHY_H
#define GPC_LEVEL_HIERARCHY_H

#include "cache/allocate.h"
#include "cache/index/index.h"
#include "config/config.h"
#include "level/rules/coalesce.h"
#include "registry/registry.h"
#include "stats/stats.h"

/* Description of a level's lines, with tables for sectors and 32-byte segments. A line has at most four segments. */
typedef struct gpci_level {
    uint32_t line_bytes, line_shift;
    uint8_t all_segments;
    uint8_t sectors_of[16];  /* [mask of segments] mask of the sectors with at least one of the segments */
    uint8_t segments_of[16]; /* [mask of sectors] mask of all segments of the sectors */
} gpci_level;

/* Segments of all sectors that `segments` covers completely. */
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
    uint32_t sets, ways; /* sets and ways of an L1 */
    uint32_t lines;      /* number of lines of an L1 that can hold data at a time; 0: all lines */
} gpci_l1_share;

/* Concurrent kernels, by stream (hierarchy/kernels.c), and the share of each SM's L1. */
typedef struct gpci_kernels {
    uint32_t running;
    uint32_t words;        /* size of a bit map of SMs, in 64-bit words */
    uint32_t *of_stream;   /* [streams] number of the stream's running kernel; 0: none */
    uint64_t *sms;         /* [streams][words] SMs given to gpc_hierarchy_start_kernel; empty for kernels of a replay */
    gpci_l1_share *shares; /* [sms] share of unified memory */
} gpci_kernels;

/* clang-format off */
/*
 * DO(field) for the rows of GPC_COUNTERS that are counted per SM (GPCI_SM_), or per slice (GPCI_SLICE_). The end of a
 * macro's name is the row's column OBJECT.
 */
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
/* DO(field) for the rows that are also counted per stream. */
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
    uint64_t merged_sectors;  /* SM's part of l2_merged_sectors, with a clock */
    gpci_cache_stats retired; /* statistics of the SM's earlier L1s, replaced by a resize */
    /*
     * Number of predicted bypasses without a reply from L2; less the number at the last reset of counters, because the
     * replies to these come after the reset. In a tree, overturned bypasses are never subtracted.
     */
    uint64_t open_bypasses;
    uint64_t unfilled_sectors; /* part of l1_fetched_sectors that fills no line, or (with a clock) not yet */
#ifdef GPCI_CHECK
    gpci_cache_stats retired_again; /* second counts of the SM's earlier L1s */
    gpc_stats again;                /* second counts of this SM (base/check.h) */
#endif
} gpci_sm_counts;

typedef struct gpci_slice_counts {
#define X(id, field, name, unit, kind, objects, ...) GPCI_SLICE_##objects(GPCI_FIELD, field)
    GPC_COUNTERS(X)
#undef X
    /* with a clock: slice's parts of l2_merged_sectors, dram_read_sectors and dram_write_sectors */
    uint64_t merged_sectors, memory_reads, memory_writes;
    /* slice's parts of the counters memory_cache.*; in sectors */
    struct {
        uint64_t reads, hits, writes, write_backs;
    } memory_cache;
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

#define GPCI_NO_STREAM UINT8_MAX /* stream of a request that no access has made */

/* Access window (gpc_access_window): lines in the window have priority `hit` or `miss`. `bytes` 0: no window. */
typedef struct gpci_window {
    uint64_t begin, bytes;
    uint32_t hit_ratio; /* percentage of the lines with priority `hit` */
    uint8_t hit, miss;  /* gpc_priority of these lines, and of the window's other lines */
    uint8_t reserved[2];
} gpci_window;

/* Memory channels of slices (level/rules/memory_cache.h). */
typedef struct gpci_memory_map {
    uint32_t channels, slices; /* slices: of all partitions and GPUs; without homes: of a partition of each GPU */
    uint32_t slices_per_channel, channels_per_slice;
    uint32_t part_slices, gpu_slices; /* without homes: slices of a partition, and of a GPU; otherwise 0 */
    uint64_t chunk;                   /* consecutive bytes of a slice in a channel: l2.interleave_bytes */
} gpci_memory_map;

struct gpc_hierarchy {
    const struct gpci_levels *levels; /* caches or tree (level/rules/driver.h) */
    const struct gpci_driver *driver; /* functional or timed (level/rules/driver.h) */
    gpc_context *context;
    gpc_config *config;
    gpci_level l1_level, l2_level;
    /* Blocks per L1 line. In a tree a block is a sector; only the tags know lines. Without a tree: 1. */
    uint32_t line_blocks;
    gpc_cache **l1;        /* [sms], NULL without L1 */
    gpc_cache **l2;        /* [slices], partition 0 first; NULL without L2 */
    gpc_cache **constants; /* [sms] constant caches (level/access/constants.h), NULL without const.size */
    /* [memory.channels] caches beside memory (level/rules/memory_cache.h), NULL without memory_cache.size */
    gpc_cache **memory_caches;
    gpci_memory_map memory;
    gpc_cache **l15;               /* [l15_count] L1.5s (level/access/l15.h), NULL without l15.size */
    uint32_t sms, slices;          /* number of all GPUs' SMs and slices */
    uint32_t partitions;           /* number of L2's partitions in one GPU */
    uint32_t slices_per_partition; /* number of slices in a partition of one GPU */
    uint32_t gpus, cpus;           /* cpus: how many of the `gpus` are CPUs; the last ones */
    uint32_t lanes, warps;         /* lanes: per warp; warps: per SM */
    bool has_l1;                   /* SMs have an L1, cache or module */
    bool l1_local_only, inclusive;
    bool homeless;                         /* l2.homes = none: partitions of L2 keep any line */
    bool code_in_l2;                       /* kernels.code = l2 */
    bool viper;                            /* coherence = viper: L1s drop lines at an acquire */
    bool with_data;                        /* accesses carry values: coherence.data */
    bool lane_packets;                     /* each lane is an access of L1: l1.coalescer = multi2sim */
    uint8_t line_order;                    /* gpci_line_order of an instruction's lines: l1.line_order */
    bool sector_packets;                   /* each sector is an access of L1: l1.coalescer = sector */
    gpci_commons *l1_commons, *l2_commons; /* policy state shared by all L1s, or by all slices */
    uint16_t *sm_partition;                /* [sms] numbered over all GPUs, those of GPU 0 first */
    uint32_t *sm_coalescer;                /* [sms] number of the SM's L2 request coalescer; NULL without coalescers */
    uint32_t coalescers;
    uint32_t *sm_l15;                     /* [sms] number of the SM's L1.5 */
    uint32_t *l15_first;                  /* [l15_count] first SM of an L1.5 */
    uint32_t *l15_next;                   /* [sms] next SM of the same L1.5; UINT32_MAX: none */
    uint32_t l15_count;                   /* number of L1.5s */
    gpc_cache **gl1;                      /* [gl1_count] GL1s (level/build/gl1.h), NULL without gl1.size */
    uint32_t gl1_count, gl1_sms;          /* gl1_sms: SMs of a GL1, neighbours; the last may have fewer */
    gpci_interleave interleave;           /* spreads addresses over the slices of a partition */
    struct gpci_address_map *address_map; /* the mapping of key address.mapping; NULL: none */
    uint64_t home_bits; /* address bits whose parity is the home partition; 0: gpci_l2_home hashes the address */
    gpci_window window; /* addresses of L2 lines with another priority */
    gpci_l1_share share;
    gpci_tag_banks tag_banks;      /* banks of L1's tags */
    uint32_t kernel;               /* number of the last launched kernel: the first kernel is 1 */
    gpci_kernels *kernels;         /* state of concurrent kernels; NULL: no concurrent kernel was started */
    bool cold;                     /* L2 has no kernel code: the next launch reads its code from DRAM */
    gpc_stats stats;               /* counts that belong to no SM and no slice */
    gpci_sm_counts *of_sm;         /* [sms] */
    gpci_slice_counts *of_slice;   /* [slices] */
    gpci_stream_counts *of_stream; /* [sms + slices][streams + 1], the last for no stream; NULL: `streams` is 1 */
    uint32_t streams;
    struct gpci_coherent *coherent;       /* tree in place of l1 and l2; NULL: `coherence` is none */
    struct gpci_timed *timed;             /* state of the clocked model; NULL: functional */
    const uint64_t *now;                  /* core cycle; NULL: functional */
    const struct gpci_observer *observer; /* NULL: none */
    /*
     * `asked`, in a functional replay on several threads: L1s put requests to L2 here (functional/round_lanes.h); NULL:
     * requests go to L2 at once. round_threads: number of threads of the replay
     */
    struct gpci_asked_list *asked;
    uint32_t round_threads;
    struct gpci_tlbs *tlbs;             /* level/access/tlb.h; NULL: no address translation */
    struct gpci_event_log *log;         /* event trace (level/rules/events.h); NULL: none */
    struct gpci_recorder *recorder;     /* level/rules/recorder.h; NULL: none */
    struct gpci_warp_ranks *warp_ranks; /* [sms] ages of warps (level/access/warp_ranks.h); NULL: the host gives ages */
    bool replayed;                      /* the hierarchy belongs to a replay */
    /*
     * True within a cycle, or within a callback. The state may be between two steps. Calls that change the state then
     * fail with GPC_ERROR_STATE.
     */
    bool called_back;
    bool counts_all;         /* counters are complete: nothing was in flight at the last reset; no load failed */
    uint32_t drains;         /* number of calls of gpc_hierarchy_drain, in the checking build */
    bool counts_fresh;       /* no counter was reset, and no line was put into a cache uncounted, since the creation */
    uint32_t resident_again; /* second count of resident_blocks, in the checking build */
    bool lent;               /* the host has borrowed a cache (gpc_hierarchy_cache) */
    bool processes;          /* processes above 0 were used: addresses have process bits */
    bool l1_future;          /* l1.future: requests of L1 carry the next use of their line */
    gpci_future *future;     /* next uses of a replayed kernel; otherwise NULL */
};

/* hierarchy.c: add the counts of stream number `stream`. hierarchy->streams: the counts that belong to no stream. */
void gpci_hierarchy_add_stream(const gpc_hierarchy *hierarchy, uint32_t stream, gpc_stats *stats);

/*
 * Processes (gpucache/types.h). Inside a hierarchy, the upper bits of an address are the number of the process
 * (level/access/processes.h). gpci_process_of: process of an address. gpci_process_plain: the host's address.
 */
GPCI_INLINE uint8_t gpci_process_of(const gpc_hierarchy *hierarchy, uint64_t address) {
    return GPCI_UNLIKELY(hierarchy->processes) ? (uint8_t)(address >> GPC_PROCESS_SHIFT) : 0;
}
GPCI_INLINE uint64_t gpci_process_plain(const gpc_hierarchy *hierarchy, uint64_t address) {
    return GPCI_UNLIKELY(hierarchy->processes) ? address & (((uint64_t)1 << GPC_PROCESS_SHIFT) - 1) : address;
}

/* True: the access needs the functions of level/access/processes.h. False: all accesses so far have process 0. */
GPCI_INLINE bool gpci_has_process(const gpc_hierarchy *hierarchy, const gpc_warp_access *access) {
    return hierarchy->processes || (access->struct_size > offsetof(gpc_warp_access, process) && access->process);
}

/* Number of the kernel that makes the accesses of a stream. */
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

/* A request that no access has made, for `address` in a level. `host`: address of the same byte outside of slices. */
GPCI_INLINE gpc_request gpci_request_of_nobody(const gpc_hierarchy *hierarchy, uint64_t address, uint64_t host,
                                               uint32_t sm, uint8_t kind) {
    return (gpc_request){.address = address,
                         .sm = sm,
                         .kernel = hierarchy->kernel,
                         .kind = kind,
                         .stream = GPCI_NO_STREAM,
                         .process = gpci_process_of(hierarchy, host)};
}

/* True if accesses to a space use L1s, plain caches or modules. */
GPCI_INLINE bool gpci_passes_l1(const gpc_hierarchy *hierarchy, uint8_t space) {
    return hierarchy->has_l1 && !(hierarchy->l1_local_only && space == GPC_SPACE_GLOBAL);
}

/* Plain L1 cache for a space. NULL: accesses to the space bypass L1, or the L1s are modules of a tree. */
GPCI_INLINE gpc_cache *gpci_l1_for(const gpc_hierarchy *hierarchy, uint32_t sm, uint8_t space) {
    return hierarchy->l1 && gpci_passes_l1(hierarchy, space) ? hierarchy->l1[sm] : NULL;
}

/* Priority of an access for the levels: with hint .cs, evict-first (PTX ISA, "Cache Operators"). */
GPCI_INLINE uint8_t gpci_priority_of(uint8_t hint, uint8_t priority) {
    return GPCI_UNLIKELY(hint == GPC_HINT_CS) && priority == GPC_EVICT_NORMAL ? GPC_EVICT_FIRST : priority;
}

/* True if an access has several destination SMs. */
GPCI_INLINE bool gpci_is_multicast(const gpc_warp_access *access) {
    return access->multicast || access->multicast_count;
}

/* True if an access is a copy into shared memory that bypasses L1. */
GPCI_INLINE bool gpci_copy_passes(uint8_t copy, uint8_t hint) {
    return GPCI_UNLIKELY(copy != GPC_COPY_NONE) && hint == GPC_HINT_CG;
}

/* Plain L1 cache that serves a request. NULL: the request bypasses L1, or the L1s are modules of a tree. */
GPCI_INLINE gpc_cache *gpci_l1_of(const gpc_hierarchy *hierarchy, const gpc_request *request) {
    return gpci_copy_passes(request->copy, request->hint) ? NULL : gpci_l1_for(hierarchy, request->sm, request->space);
}

/*
 * hierarchy.c: add statistics to `stats`. _add_sm: the counts of an SM, without histograms. _add_sm_histograms: the
 * histograms of an SM. _add_slice: the counts of a slice, without counts of the timed driver. _add_rest: everything but
 * _add_sm of all SMs. gpci_hierarchy_stats: the statistics of the whole. gpci_unfilled_sectors: number of sectors
 * fetched by the L1s of an object that fill no line, or not yet.
 */
uint64_t gpci_unfilled_sectors(const gpc_hierarchy *hierarchy, gpc_object kind, uint32_t index);
void gpci_hierarchy_add_sm(const gpc_hierarchy *hierarchy, uint32_t sm, gpc_stats *stats);
void gpci_hierarchy_add_sm_histograms(const gpc_hierarchy *hierarchy, uint32_t sm, gpc_stats *stats);
void gpci_hierarchy_add_slice(const gpc_hierarchy *hierarchy, uint32_t slice, gpc_stats *stats);
void gpci_hierarchy_add_rest(const gpc_hierarchy *hierarchy, gpc_stats *stats);
void gpci_hierarchy_stats(const gpc_hierarchy *hierarchy, gpc_stats *stats);
/* cache_levels.c: keep the counts of an SM's L1, before another L1 replaces it (gpci_sm_counts.retired). */
void gpci_hierarchy_retire(gpc_hierarchy *hierarchy, uint32_t sm);
/* cache_levels.c: flush caches at the begin of a kernel, as `kernels.flush` says. */
gpc_status gpci_hierarchy_flush_for_kernel(gpc_hierarchy *hierarchy);
/*
 * hierarchy/ask.c. gpci_hierarchy_copy_in: put the sectors of a copy from the host into L2, as Accel-Sim's
 * perf_memcpy_to_gpu. The sectors are clean; the copy takes no time and is not counted. gpci_hierarchy_no_copies:
 * reason why copies are impossible; NULL: possible.
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
/* Count the DRAM reads of a kernel's code, if L2 has no code. Call when the size of the code is known. */
void gpci_launch_code(gpc_hierarchy *hierarchy, uint64_t bytes);

/* level_build.c */
/* Description of a level whose sectors are segments. */
gpci_level gpci_segments_level(uint32_t line_bytes);
gpc_status gpci_build_levels(gpc_hierarchy *hierarchy, gpc_error *error);
/* interleave.c */
gpc_status gpci_build_interleave(gpc_hierarchy *hierarchy, gpc_error *error);
/* level_build.c: set hierarchy->l1_future. Fails if a policy needs next uses (future.h) that cannot be computed. */
gpc_status gpci_build_future(gpc_hierarchy *hierarchy, gpc_error *error);
gpc_status gpci_build_l1(gpc_hierarchy *hierarchy, const gpci_l1_share *share, gpc_error *error, gpc_cache ***out);
/* Build an SM's L1. */
gpc_status gpci_build_l1_of(gpc_hierarchy *hierarchy, const gpci_l1_share *share, uint32_t sm, gpc_error *error,
                            gpc_cache **out);
gpc_status gpci_build_l2(gpc_hierarchy *hierarchy, gpc_error *error);
/* window.c: number of ways per set reserved for persisting lines (gpc_cache_options.last_ways). */
gpc_status gpci_set_aside(const gpc_hierarchy *hierarchy, uint32_t ways, uint32_t *out, gpc_error *error);
/* window.c: set hierarchy->window from the configuration. GPC_ERROR_RANGE: keys have no effect. */
gpc_status gpci_build_window(gpc_hierarchy *hierarchy, gpc_error *error);
/* level_build.c */
/*
 * gpci_has_prefetcher: true if a key, l1.prefetcher or l2.prefetcher, is not none. gpci_check_prefetchers: reject
 * prefetchers without effect.
 */
bool gpci_has_prefetcher(const gpc_hierarchy *hierarchy, gpci_key key);
gpc_status gpci_check_prefetchers(const gpc_hierarchy *hierarchy, gpc_error *error);
/* Text of L2's predictor: l2.bypass, or the predictor that L1's predictor needs in L2 (gpc_predictor_ops.below). */
gpc_status gpci_l2_predictor(const gpc_hierarchy *hierarchy, const char **out, gpc_error *error);
void gpci_destroy_caches(gpc_hierarchy *hierarchy, gpc_cache **caches, uint32_t count);

GPCI_INLINE uint64_t gpci_number(const gpc_hierarchy *hierarchy, gpci_key key) {
    return gpci_config_number(hierarchy->config, key);
}

/* True if GPUs have one address space and links: only in a tree. GPUs of plain caches have a memory each. */
GPCI_INLINE bool gpci_has_gpu_links(const gpc_hierarchy *hierarchy) {
    return hierarchy->coherent && hierarchy->gpus > 1;
}

/* A size of the whole hierarchy: gpu.count times the size of one GPU, which the key states. */
GPCI_INLINE uint64_t gpci_total(const gpc_hierarchy *hierarchy, gpci_key key) {
    return gpci_number(hierarchy, key) * hierarchy->gpus;
}

/* gpc_index of a key's value. The values of keys are numbered without GPC_INDEX_USER. */
GPCI_INLINE uint32_t gpci_index_number(const gpc_hierarchy *hierarchy, gpci_key key) {
    const uint32_t number = (uint32_t)gpci_number(hierarchy, key);
    return number < GPC_INDEX_USER ? number : number + 1;
}

/* True if a missed line takes a way of L1 at the miss; false: when the data arrive. */
GPCI_INLINE bool gpci_l1_takes_at_miss(const gpc_hierarchy *hierarchy) {
    return gpci_takes_at_miss(gpci_number(hierarchy, GPCI_KEY_L1_ALLOCATE));
}

#endif
