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
/* GPU, slice and partition of a module. */
typedef struct gpci_seat {
    uint16_t gpu;
    uint16_t slice; /* number of the slice; for a memory, number of the slice above */
    uint16_t side;  /* 1 + partition of a module of L2; 0: no module of L2, or L2 has no partitions */
} gpci_seat;

typedef struct gpci_coherent {
    gpc_coherence *tree;
    gpci_seat *seats;                    /* [modules] */
    uint32_t sms, clusters, cluster_sms; /* clusters: number of cluster caches, may be 0 */
    uint32_t first_cluster, first_slice, first_memory, first_near, modules;
    uint32_t parts, part_slices;                      /* parts of L2 that keep copies of lines of other parts; or 1 */
    uint32_t first_core;                              /* first SM that is a CPU core; cores store coherently */
    uint32_t gpus, gpu_sms, gpu_clusters, gpu_slices; /* number of GPUs; SMs, clusters and slices per GPU */
    /* GPC_ACCESS_ bits of stores to global [0] and local [1] memory, except bits that all stores have (plan_stores) */
    uint8_t stores[2];
    bool local_atomics; /* L1s perform atomics of thread-block scope: l1.atomics, in trees without directories */
    /* [global, local] l1.write_allocate = lazy: a store of a part of a sector that misses L1 goes to the low module */
    bool lazy[2];
    /* Block size: for a store of a whole block, a slice does not read the block. 0: slices read before every store. */
    uint32_t full_block_bytes;
    bool masks;           /* l2.write_allocate = lazy: a slice can keep some bytes of a block without the other bytes */
    uint8_t mask[16];     /* byte mask of the last request made by gpci_coherent_request */
    uint32_t control;     /* size in bytes of a message without data, and of the header of a message with data */
    uint8_t memory_level; /* gpc_coherence_result.level of an access served by DRAM */
    bool l2;
    bool predicts; /* an access may not fill L1: predictor, declining policy, opportunistic tokens, or l1.spaces */
    bool admits;   /* L1s' replacement policy can decline lines */
    bool tokens;   /* l1.tokens = strict: a warp without a token fills no line in L1 */
    bool l2_asks;  /* slices may decline lines requested by L1s: l2.bypass, l2.replacement, l2.tokens */
    bool tracks;   /* L1s count hits of lines, or by warp: l1.track_reuse, l1.track_warps */
} gpci_coherent;

/* Fields of a request that the policies of slices (L2) and L1s may read. Only L1s know the next use. */
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
 * coherent_predict.c. gpci_coherent_l2_asks: decide if slices ask policies whether to keep a line.
 * gpci_coherent_give_predictors: create the predictors of L1s and slices in a new tree.
 */
gpc_status gpci_coherent_l2_asks(const gpc_hierarchy *hierarchy, gpc_error *error, bool *out);
gpc_status gpci_coherent_give_predictors(gpc_hierarchy *hierarchy, gpc_coherence *tree, gpc_error *error);
/* True if a policy must be asked before an access begins. */
GPCI_INLINE bool gpci_coherent_asks(const gpci_coherent *coherent, const gpc_request *request) {
    return GPCI_UNLIKELY(coherent->predicts || request->policy.token == GPC_TOKEN_NONE);
}
/*
 * Ask L1's policies about an access with `flags`. Returns the GPC_ACCESS_ bits that keep the access from filling L1, or
 * 0. request->policy receives the predictor's word, and the admission.
 */
uint32_t gpci_coherent_predict(const gpc_hierarchy *hierarchy, gpc_request *request, uint32_t flags);
/*
 * Add `bits`, from gpci_coherent_predict, to an access of `segments` of a line. If a load bypasses, enlarge the request
 * to all bytes that the low module sends; request->out must then point into an array for the whole line. Returns the
 * segments that the low module sends; 0: no load bypasses.
 */
uint8_t gpci_coherent_bypass(const gpc_hierarchy *hierarchy, uint8_t segments, uint32_t bits,
                             gpc_coherence_request *request);

/* Segments that the low module sends to a bypassing load of `segments`. */
uint8_t gpci_coherent_bypassed(const gpc_hierarchy *hierarchy, uint8_t segments);

/* coherent_count.c */
/*
 * Count a hit or a miss in L1 of an access to a block of a line; only with coherent->tracks. `seen`: what earlier
 * accesses of the same line access found (gpci_line_record.seen).
 */
void gpci_coherent_follow(const gpc_hierarchy *hierarchy, const gpc_request *request, bool hit, uint8_t *seen);
void gpci_coherent_add_counts(const gpc_hierarchy *hierarchy, uint32_t sm, gpc_stats *stats);
void gpci_coherent_reset_counts(const gpc_hierarchy *hierarchy);
/* Count a hit of a load that waited for a line in flight. `fetcher`: the warp for which the line was fetched. */
void gpci_coherent_follow_joined(const gpc_hierarchy *hierarchy, const gpc_request *request, uint32_t fetcher,
                                 uint8_t *seen);

/* coherent_level.c */
/*
 * Convert a line transaction to an access of the tree, from the first to the last byte of `bytes`. If a store needs a
 * mask, the mask is in coherent->mask until the next call.
 */
gpc_coherence_request gpci_coherent_request(gpci_coherent *coherent, const gpc_request *request,
                                            const uint64_t bytes[2]);
/*
 * Tell the tree which blocks of the line the accesses of a line transaction will request below (tree->asks): the absent
 * blocks of `needs`, and the other absent blocks in their groups of l1.fetch_sectors.
 */
GPCI_COLD void gpci_coherent_say(const gpci_coherent *coherent, const gpc_request *request, uint8_t needs);
/* gpci_coherent_say, if L1s fetch neighbouring blocks. Call before L1's policies see the access. */
GPCI_INLINE void gpci_coherent_tell(const gpci_coherent *coherent, const gpc_request *request, uint8_t needs) {
    if (GPCI_UNLIKELY(coherent->tree->neighbour_limit))
        gpci_coherent_say(coherent, request, needs);
}
/* True if an access that misses L1 does not fill a line in L1. */
bool gpci_coherent_passes(const gpci_coherent *coherent, uint32_t module, uint32_t kind, uint32_t flags);
/* Count the bytes of a message between modules. `passes`: gpci_coherent_passes of the access. */
void gpci_coherent_count(gpc_hierarchy *hierarchy, gpc_message_kind kind, uint32_t from, uint32_t to, uint32_t bytes,
                         bool passes);
/* Correct the counts of a message that travels in the packet of another message: no packet and no header of its own. */
void gpci_coherent_count_along(gpc_hierarchy *hierarchy, uint32_t from, uint32_t to, uint32_t header);
/* Perform and count a line transaction of a functional access. */
gpc_status gpci_coherent_line(gpc_hierarchy *hierarchy, const gpci_line_access *access);
/*
 * Number of sectors that a step of an access (messages[step]) reads from memory or writes to memory. 0: the step only
 * looks up memory's directory, which takes memory latency, too.
 */
uint32_t gpci_coherent_sectors(const gpc_hierarchy *hierarchy, const gpc_coherence_message *messages, uint32_t step);

/* Begin a kernel: acquire in all modules, then flush as `kernels.flush` says. Takes no time. */
gpc_status gpci_coherent_begin(gpc_hierarchy *hierarchy);
/*
 * gpci_coherent_tracks: true if the protocol has directories. gpci_coherent_acquire: if L1s may hold stale data
 * (gpci_coherent_drops), apply the protocol's rules of an acquire to the SM's L1, its cluster's cache, and the L2
 * modules of gpci_coherent_private. Takes no time; nothing may be in flight.
 */
bool gpci_coherent_tracks(const gpc_hierarchy *hierarchy);
gpc_status gpci_coherent_acquire(gpc_hierarchy *hierarchy, uint32_t sm);
/* True if L1s may keep stored data unknown to other modules. A release then writes back by the rules of an acquire. */
bool gpci_coherent_keeps(const gpc_hierarchy *hierarchy);
/* True if L1s may hold stale data until an acquire: no directory, or copies unknown to directories (nmoesi-d). */
bool gpci_coherent_drops(const gpc_hierarchy *hierarchy);
/* True if stores of an SM send invalidations to other caches of the scope. A release must send markers after them. */
bool gpci_coherent_tells(const gpc_hierarchy *hierarchy, uint8_t scope);
/* Write back and drop the lines of all L1s, or, with `all`, of all modules. Takes no time. */
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

/* Number of a slice; for a memory, number of the slice above. */
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
 * Modules `first` to first + count - 1. gpci_coherent_private: the modules of L2 that only the SMs of the same part or
 * GPU use. An acquire acts on these modules as on an L1. `count` 0: all SMs use all modules of L2.
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
 * All caches of a level between L1s and the level that all SMs share. Level 0: cluster caches. Level 1: near halves,
 * or, with several GPUs and homes in memory, all slices.
 */
GPCI_INLINE gpci_private_modules gpci_coherent_private_level(const gpci_coherent *coherent, uint32_t level) {
    if (level == 0)
        return (gpci_private_modules){coherent->first_cluster, coherent->clusters};
    if (coherent->parts > 1)
        return (gpci_private_modules){coherent->first_near, coherent->modules - coherent->first_near};
    return (gpci_private_modules){coherent->first_slice,
                                  coherent->gpus > 1 ? coherent->first_memory - coherent->first_slice : 0};
}

/*
 * True if the caches of gpci_coherent_private_level may keep non-coherent stores that other modules do not know. False
 * if L1s write through.
 */
GPCI_INLINE bool gpci_coherent_merges(const gpc_hierarchy *hierarchy) {
    return gpci_coherent_tracks(hierarchy) && hierarchy->coherent->tree->non_coherent;
}

#endif
