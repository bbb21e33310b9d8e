/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_COHERENT_LEVEL_H
#define GPC_LEVEL_COHERENT_LEVEL_H

#include "coherence/module/tree.h"
#include "level/access/warp_access.h"

/*
 * Coherent hierarchy (`coherence = PROTOCOL`): a tree of coherent modules replaces L1 and L2 caches. Modules are an L1
 * per SM, a cache per cluster of SMs (if configured), L2 slices, and a memory behind every slice. A line transaction is
 * an access of the tree. Without a clock the access changes all states at once. With a clock a module changes state
 * when the message arrives (timed/core/coherent.h).
 *
 * Example, 4 SMs, 2 slices: modules 0 to 3 are L1s, 4 and 5 slices, 6 and 7 memories. With cluster.sms = 2, clusters
 * are 4 and 5, slices 6 and 7, memories 8 and 9. Without L2, memories take the place of slices, next to L1s or
 * clusters.
 *
 * Several GPUs (gpu.count) divide the modules in order. L1s and clusters only know slices of their own GPU. Behind a
 * slice are the memories of its addresses on every GPU; the page's home selects the memory. Example, 4 SMs, 4 slices, 2
 * GPUs: L1s 0 and 1 are above slices 4 and 5. Slice 4 is above memories 8 (pages with home on this GPU) and 10.
 *
 * If slices keep copies of lines with a home elsewhere (l2.partitions = 2, gpu.home = l2), a slice becomes two modules
 * (coherence/tree/halves.c): the home half has the slice's number; near halves come after all memories. L1s are above
 * both halves of the slices of their part (partition or GPU). Example, 4 SMs, 4 slices, 2 partitions: L1s 0 and 1 are
 * above near halves 12 and 13 and home halves 4 and 5. Near half 12 is above home half 6, which is above memory 10.
 */
/* Place of a module in the hierarchy, known when the tree is built. */
typedef struct gpci_seat {
    uint16_t gpu;
    uint16_t slice; /* number of a slice; for a memory, of the slice in front */
    uint16_t side;  /* 1 + partition of a module of L2; 0: not of L2, or undivided */
} gpci_seat;

typedef struct gpci_coherent {
    gpc_coherence *tree;
    gpci_seat *seats;                    /* [modules] */
    uint32_t sms, clusters, cluster_sms; /* 0 clusters: none */
    uint32_t first_cluster, first_slice, first_memory, first_near, modules;
    uint32_t parts, part_slices;                      /* parts of L2 that cache lines of each other; 1: no such parts */
    uint32_t first_core;                              /* first SM that is a CPU core; cores store coherently */
    uint32_t gpus, gpu_sms, gpu_clusters, gpu_slices; /* number of GPUs; SMs, clusters and slices per GPU */
    /* GPC_ACCESS_ bits of stores to global [0] and local [1] memory, beyond the bits common to all stores */
    uint8_t stores[2];
    bool local_atomics; /* L1s perform atomics of thread-block scope: l1.atomics, in trees without directories */
    /* [global, local] a store miss of a part of a sector goes to the low module: l1.write_allocate = lazy. */
    bool lazy[2];
    /* Size of a block that slices do not read for a store of the whole block; 0: slices always read. */
    uint32_t full_block_bytes;
    bool masks;           /* slices keep stored bytes without the rest of the line: l2.write_allocate = lazy */
    uint8_t mask[16];     /* byte mask of the request being made (gpci_coherent_request) */
    uint32_t control;     /* bytes of a message without data, and of a data message's header */
    uint8_t memory_level; /* gpc_coherence_result.level of an access served by DRAM */
    bool l2;
    bool predicts; /* L1s ask a predictor or a declining replacement policy, or serve only some spaces */
    bool admits;   /* L1s have a declining replacement policy */
    bool tokens;   /* warps without a token fill nothing in L1: l1.tokens = strict */
    bool l2_asks;  /* slices may decline lines requested by L1s: l2.bypass, l2.replacement, l2.tokens */
    bool tracks;   /* L1s count hits of lines, or by warp: l1.track_reuse, l1.track_warps */
} gpci_coherent;

/* Fields a hierarchy's policies may read in addition to those of every module; the next use is known only to L1s. */
#define GPCI_L2_TREE_READS (GPCI_TREE_READS | GPC_READS_TOKEN | GPC_READS_ADMISSION | GPC_READS_SAMPLES)
#define GPCI_L1_TREE_READS (GPCI_L2_TREE_READS | GPC_READS_NEXT_USE)

/*
 * coherent_level_check.c: GPC_ERROR_RANGE if the configuration has settings without meaning in a tree; the error lists
 * needed settings and reasons. Call only if `coherence` is not none.
 */
gpc_status gpci_coherent_check(gpc_hierarchy *hierarchy, gpc_error *error);

/* coherent_level_build.c: build the tree from a checked configuration. */
gpc_status gpci_coherent_create(gpc_hierarchy *hierarchy, gpc_error *error);
void gpci_coherent_destroy(gpc_hierarchy *hierarchy);
/* Resize the L1s: write back everything, then build a new tree that takes over the statistics. */
gpc_status gpci_coherent_resize(gpc_hierarchy *hierarchy, const gpci_l1_share *share, gpc_error *error);

/*
 * coherent_predict.c: predictors of L1s and slices in a new tree. gpci_coherent_l2_asks: decide if slices ask a policy.
 */
gpc_status gpci_coherent_l2_asks(const gpc_hierarchy *hierarchy, gpc_error *error, bool *out);
gpc_status gpci_coherent_give_predictors(gpc_hierarchy *hierarchy, gpc_coherence *tree, gpc_error *error);
/* True if a policy must be asked before an access begins. */
GPCI_INLINE bool gpci_coherent_asks(const gpci_coherent *coherent, const gpc_request *request) {
    return GPCI_UNLIKELY(coherent->predicts || request->policy.token == GPC_TOKEN_NONE);
}
/*
 * Ask L1's policies about an access with `flags`. Returns further GPC_ACCESS_ bits, from predictor and token; the
 * request receives the predictor's word.
 */
uint32_t gpci_coherent_predict(const gpc_hierarchy *hierarchy, gpc_request *request, uint32_t flags);
/*
 * Set the returned bits in an access of segments of a line. A bypassing load asks for all bytes it will bring (`out`
 * lies in an array for the whole line). Returns the segments brought; 0: no bypass.
 */
uint8_t gpci_coherent_bypass(const gpc_hierarchy *hierarchy, uint8_t segments, uint32_t bits,
                             gpc_coherence_request *request);

/* Segments brought by a bypassing load of `segments`. */
uint8_t gpci_coherent_bypassed(const gpc_hierarchy *hierarchy, uint8_t segments);

/* coherent_count.c */
/*
 * Count a load or store of blocks of a line by hit or miss in L1; only with `tracks`. `seen`: of
 * the line access (gpci_line_record.seen).
 */
void gpci_coherent_follow(const gpc_hierarchy *hierarchy, const gpc_request *request, bool hit, uint8_t *seen);
void gpci_coherent_add_counts(const gpc_hierarchy *hierarchy, uint32_t sm, gpc_stats *stats);
void gpci_coherent_reset_counts(const gpc_hierarchy *hierarchy);
/* A load that joined a line in flight is complete; `fetcher`: warp the line was fetched for. */
void gpci_coherent_follow_joined(const gpc_hierarchy *hierarchy, const gpc_request *request, uint32_t fetcher,
                                 uint8_t *seen);

/* coherent_level.c */
/*
 * Convert a line transaction to an access of the tree, from the first to the last byte of `bytes`. If a store needs a
 * mask, the mask is in `coherent` until the next request.
 */
gpc_coherence_request gpci_coherent_request(gpci_coherent *coherent, const gpc_request *request,
                                            const uint64_t bytes[2]);
/*
 * Tell the tree the blocks of a line that the next access (and followers) will request below, out of `needs`; the rest
 * of a group of fetch_sectors is fetched in addition.
 */
GPCI_COLD void gpci_coherent_say(const gpci_coherent *coherent, const gpc_request *request, uint8_t needs);
/* Announce a line transaction's access, before L1's policies see the access. */
GPCI_INLINE void gpci_coherent_tell(const gpci_coherent *coherent, const gpc_request *request, uint8_t needs) {
    if (GPCI_UNLIKELY(coherent->tree->neighbour_limit))
        gpci_coherent_say(coherent, request, needs);
}
/* True if the data of a miss in L1 leave no line there. */
bool gpci_coherent_passes(const gpci_coherent *coherent, uint32_t module, uint32_t kind, uint32_t flags);
/* Count the bytes of a tree message; `passes`: of an access whose data leave no line in L1. */
void gpci_coherent_count(gpc_hierarchy *hierarchy, gpc_message_kind kind, uint32_t from, uint32_t to, uint32_t bytes,
                         bool passes);
/* Count a message that shares a packet, and so needs no header. */
void gpci_coherent_count_along(gpc_hierarchy *hierarchy, uint32_t from, uint32_t to, uint32_t header);
/* Perform and count a line transaction of a functional access. */
gpc_status gpci_coherent_line(gpc_hierarchy *hierarchy, const gpci_line_access *access);
/*
 * Sectors a step reads from memory or writes to memory. 0 if the step only asks memory's directory, which still takes
 * memory latency.
 */
uint32_t gpci_coherent_sectors(const gpc_hierarchy *hierarchy, const gpc_coherence_message *messages, uint32_t step);

/* Begin a kernel: acquire, then flush as `kernels.flush` says. Takes no time. */
gpc_status gpci_coherent_begin(gpc_hierarchy *hierarchy);
/*
 * gpci_coherent_tracks: true if directories keep all copies up to date; a fence then only waits. In other trees an SM
 * must acquire: gpci_coherent_acquire applies the protocol's rules to the SM's L1 and its cluster's cache. Takes no
 * time; nothing may be in flight.
 */
bool gpci_coherent_tracks(const gpc_hierarchy *hierarchy);
gpc_status gpci_coherent_acquire(gpc_hierarchy *hierarchy, uint32_t sm);
/* True if L1s keep stored data. A releasing SM then uses the acquire rules to write the data back. */
bool gpci_coherent_keeps(const gpc_hierarchy *hierarchy);
/* True if L1s may hold stale data until an acquire: no directory, or copies unknown to directories (nmoesi-d). */
bool gpci_coherent_drops(const gpc_hierarchy *hierarchy);
/* True if stores of an SM send invalidations within a scope, so that a release must send markers after them. */
bool gpci_coherent_tells(const gpc_hierarchy *hierarchy, uint8_t scope);
/* Write back and drop the L1s, or everything. Takes no time. */
gpc_status gpci_coherent_flush(gpc_hierarchy *hierarchy, bool all);

void gpci_coherent_add_sm(const gpc_hierarchy *hierarchy, uint32_t sm, gpc_stats *stats);
/* Statistics of a slice. */
void gpci_coherent_add_slice(const gpc_hierarchy *hierarchy, uint32_t slice, gpc_stats *stats);

GPCI_INLINE bool gpci_is_slice(const gpci_coherent *coherent, uint32_t module) {
    return coherent->l2 && module >= coherent->first_slice && module < coherent->first_memory;
}

GPCI_INLINE bool gpci_is_memory(const gpci_coherent *coherent, uint32_t module) {
    return module >= coherent->first_memory && module < coherent->first_near;
}

/* True for the near half of a slice. */
GPCI_INLINE bool gpci_is_near(const gpci_coherent *coherent, uint32_t module) {
    return module >= coherent->first_near;
}

/* GPU of a module. */
GPCI_INLINE uint32_t gpci_gpu_of(const gpci_coherent *coherent, uint32_t module) {
    return coherent->seats[module].gpu;
}

/* Number of a slice; for a memory, number of the slice in front. */
GPCI_INLINE uint32_t gpci_slice_number(const gpci_coherent *coherent, uint32_t module) {
    return coherent->seats[module].slice;
}

/* True if two modules of L2 are in different partitions. */
GPCI_INLINE bool gpci_crosses_partitions(const gpci_coherent *coherent, uint32_t from, uint32_t to) {
    const uint16_t one = coherent->seats[from].side, other = coherent->seats[to].side;
    return one && other && one != other;
}

/* Near half of a slice, by slice number; GPC_NO_MODULE: slices are undivided, or no SM uses the slice's part. */
GPCI_INLINE uint32_t gpci_near_of(const gpci_coherent *coherent, uint32_t slice) {
    return coherent->first_near + slice < coherent->modules ? coherent->first_near + slice : GPC_NO_MODULE;
}

/* Part of L2 used by an SM or a cluster. */
GPCI_INLINE uint32_t gpci_part_of_sm(const gpc_hierarchy *hierarchy, uint32_t sm) {
    return hierarchy->partitions == 2 ? hierarchy->sm_partition[sm] : gpci_gpu_of(hierarchy->coherent, sm);
}

/*
 * L2 modules used only by the processors of an SM's part. Without directories they acquire as L1s do. `count` 0: none.
 */
typedef struct gpci_private_modules {
    uint32_t first, count;
} gpci_private_modules;

GPCI_INLINE gpci_private_modules gpci_coherent_private(const gpc_hierarchy *hierarchy, uint32_t sm) {
    const gpci_coherent *coherent = hierarchy->coherent;
    if (coherent->parts > 1)
        return (gpci_private_modules){coherent->first_near + gpci_part_of_sm(hierarchy, sm) * coherent->part_slices,
                                      coherent->part_slices};
    if (coherent->gpus > 1)
        return (gpci_private_modules){coherent->first_slice + gpci_gpu_of(coherent, sm) * coherent->gpu_slices,
                                      coherent->gpu_slices};
    return (gpci_private_modules){0, 0};
}

/*
 * All caches between L1s and the level shared by all processors. Level 0: cluster caches. Level 1: near halves, or with
 * several GPUs the L2s.
 */
GPCI_INLINE gpci_private_modules gpci_coherent_private_level(const gpci_coherent *coherent, uint32_t level) {
    if (level == 0)
        return (gpci_private_modules){coherent->first_cluster, coherent->clusters};
    if (coherent->parts > 1)
        return (gpci_private_modules){coherent->first_near, coherent->modules - coherent->first_near};
    return (gpci_private_modules){coherent->first_slice,
                                  coherent->gpus > 1 ? coherent->first_memory - coherent->first_slice : 0};
}

/* True if caches below L1 also merge stores not yet announced to others. False if L1s write through. */
GPCI_INLINE bool gpci_coherent_merges(const gpc_hierarchy *hierarchy) {
    return gpci_coherent_tracks(hierarchy) && hierarchy->coherent->tree->non_coherent;
}

#endif
