/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_COHERENT_LEVEL_H
#define GPC_LEVEL_COHERENT_LEVEL_H

#include "coherence/tree.h"
#include "level/warp_access.h"

/*
 * `coherence = PROTOCOL`: in place of L1 and L2 caches the hierarchy has a tree of coherent modules: an L1 per SM, a
 * cache per cluster of SMs where there are clusters, L2 slices, and behind each slice its memory. A line transaction
 * is one access of the tree. Without a clock it changes all states at once; with a clock each module changes when the
 * message has arrived that changes it (timed/coherent.h).
 *
 * Example, 4 SMs, 2 slices: modules 0 to 3 are the L1s, 4 and 5 the slices, 6 and 7 the memories behind them. With
 * cluster.sms = 2 the clusters are 4 and 5, the slices 6 and 7, the memories 8 and 9. Without L2 the memories are
 * where the slices are, next to the L1s or clusters.
 *
 * Several GPUs (gpu.count) share all of these out in order. L1s and clusters know the slices of their own GPU alone;
 * behind a slice are the memories of its addresses of all GPUs, of which the page's home says which it is. Example, 4
 * SMs, 4 slices, 2 GPUs: L1s 0 and 1 are over slices 4 and 5; slice 4 is over memories 8, of pages at home here, and
 * 10.
 *
 * Where slices keep copies of lines that are at home in others (l2.partitions = 2, gpu.home = l2), each is two modules
 * (coherence/halves.c): the home half stands where slices do, and the near halves behind all memories. L1s are over
 * both halves of the slices of their part, a partition or a GPU. Example, 4 SMs, 4 slices, 2 partitions: L1s 0 and 1
 * are over near halves 12 and 13 and home halves 4 and 5; near half 12 is over home half 6, and that over memory 10.
 */
typedef struct gpci_coherent {
    gpc_coherence *tree;
    uint32_t sms, clusters, cluster_sms; /* 0 clusters: none */
    uint32_t first_cluster, first_slice, first_memory, first_near, modules;
    uint32_t parts, part_slices;                      /* of L2 that are caches of each other's lines; 1: none are */
    uint32_t first_core;                              /* SM: from here on CPUs' cores, which store coherently */
    uint32_t gpus, gpu_sms, gpu_clusters, gpu_slices; /* and how many of each a GPU has */
    /* GPC_ACCESS_ bits of stores to global, and to local memory, beside what all L1s do with all of them */
    uint8_t stores[2];
    bool local_atomics;   /* L1s perform those of a thread block's scope: l1.atomics, in trees without directories */
    bool lazy[2];         /* likewise: those that write a part of a sector that L1 has not leave it to the low module */
    uint32_t whole_bytes; /* of a block that slices do not read for a store of all of it; 0: they do */
    bool masks;           /* slices keep bytes of stores without their lines: l2.write_allocate = lazy */
    uint8_t mask[16];     /* of the request that is being made: gpci_coherent_request */
    uint32_t control;     /* bytes of a message without data, and of the header of one with */
    uint8_t memory_level; /* gpc_coherence_result.level of an access that went to DRAM */
    bool l2;
    bool predicts; /* L1s have predictors, or replacement policies that are asked what to admit; or have a part only */
    bool admits;   /* the latter */
    bool tokens;   /* warps without a token fill nothing in L1: l1.tokens = strict */
    bool l2_asks;  /* slices may keep out what L1s ask for: l2.bypass, l2.replacement, l2.tokens */
    bool tracks;   /* L1s count hits of their lines, or by whom: l1.track_reuse, l1.track_warps */
} gpci_coherent;

/* What a hierarchy's policies may read besides what all modules' do; what is to come is known of L1s alone. */
#define GPCI_L2_TREE_READS (GPCI_TREE_READS | GPC_READS_TOKEN | GPC_READS_ADMISSION | GPC_READS_SAMPLES)
#define GPCI_L1_TREE_READS (GPCI_L2_TREE_READS | GPC_READS_NEXT_USE)

/*
 * coherent_level_check.c: GPC_ERROR_RANGE, with all settings that are needed and why, where the configuration has what
 * has no meaning in a tree. `coherence` is not none.
 */
gpc_status gpci_coherent_check(gpc_hierarchy *h, gpc_error *error);

/* coherent_level_build.c: the tree, of a configuration that was checked. */
gpc_status gpci_coherent_create(gpc_hierarchy *h, gpc_error *error);
void gpci_coherent_destroy(gpc_hierarchy *h);
/* L1s of another size: everything is written back, and a new tree takes the old one's statistics. */
gpc_status gpci_coherent_resize(gpc_hierarchy *h, const gpci_l1_share *share, gpc_error *error);

/* coherent_predict.c: predictors of L1s and slices, of a tree that is new; and whether slices ask anybody. */
gpc_status gpci_coherent_l2_asks(const gpc_hierarchy *h, gpc_error *error, bool *out);
gpc_status gpci_coherent_give_predictors(gpc_hierarchy *h, gpc_coherence *tree, gpc_error *error);
/* Is something to be asked before an access begins? */
GPCI_INLINE bool gpci_coherent_asks(const gpci_coherent *c, const gpc_request *request) {
    return GPCI_UNLIKELY(c->predicts || request->token == GPC_TOKEN_NONE);
}
/*
 * If so: GPC_ACCESS_ bits more of an access, whose own are `flags`, by what L1's predictor says of
 * its request, which gets the predictor's word, and by its token.
 */
uint32_t gpci_coherent_predict(const gpc_hierarchy *h, gpc_request *request, uint32_t flags);
/*
 * An access of segments of a line gets these bits; a load that is to bypass asks for all bytes that it then is to bring
 * (`out` is in an array for the whole line). Returns their segments; 0: it does not bypass.
 */
uint8_t gpci_coherent_bypass(const gpc_hierarchy *h, uint8_t segments, uint32_t bits, gpc_coherence_request *request);

/* The segments that a load of these brings that bypasses. */
uint8_t gpci_coherent_bypassed(const gpc_hierarchy *h, uint8_t segments);

/* coherent_count.c */
/*
 * A load or store of blocks of a line that L1 has hit, or not, for its counters; where they are kept (`tracks`). Of
 * several of a line, the first is told by the tree's `follows`.
 */
void gpci_coherent_follow(const gpc_hierarchy *h, const gpc_request *request, bool hit);
/* A load of a line that was on its way has joined it, and it has come; `fetcher`: the warp for which it was. */
void gpci_coherent_add_counts(const gpc_hierarchy *h, uint32_t sm, gpc_stats *stats);
void gpci_coherent_reset_counts(const gpc_hierarchy *h);
void gpci_coherent_follow_joined(const gpc_hierarchy *h, const gpc_request *request, uint32_t fetcher);

/* coherent_level.c */
/*
 * A line transaction as an access of the tree: of the bytes from the first to the last of `bytes`. A store's mask,
 * where one is needed, is in `c` until the next request is made.
 */
gpc_coherence_request gpci_coherent_request(gpci_coherent *c, const gpc_request *request, const uint64_t bytes[2]);
/*
 * Of the blocks of a line that an instruction asks for, by `needs`, which will the next access, and those that follow
 * it, ask the level below for? The tree is told: the rest of a group of fetch_sectors is fetched besides.
 */
GPCI_COLD void gpci_coherent_say(const gpci_coherent *c, const gpc_request *request, uint8_t needs);
/* A line transaction's access is about to begin; `follows`: it is part of the one before. */
GPCI_INLINE void gpci_coherent_tell(const gpci_coherent *c, const gpc_request *request, uint8_t needs, bool follows) {
    c->tree->follows = follows;
    if (GPCI_UNLIKELY(c->tree->brood))
        gpci_coherent_say(c, request, needs);
}
/* What a message of the tree moves, counted. */
void gpci_coherent_count(gpc_hierarchy *h, gpc_message_kind kind, uint32_t from, uint32_t to, uint32_t bytes);
/* It goes in a packet of others, and so without a header. */
void gpci_coherent_count_along(gpc_hierarchy *h, uint32_t from, uint32_t to, uint32_t header);
/* A line transaction of a functional access, counted. */
gpc_status gpci_coherent_line(gpc_hierarchy *h, const gpci_line_access *access);
/*
 * Sectors that a step of a transaction reads from memory, or writes there. None where its directory alone was asked,
 * which takes memory's latency all the same.
 */
uint32_t gpci_coherent_sectors(const gpc_hierarchy *h, const gpc_coherence_message *messages, uint32_t step);

/* A kernel begins: acquire, then what `kernels.flush` empties. In no time. */
gpc_status gpci_coherent_begin(gpc_hierarchy *h);
/*
 * Do directories keep all copies up to date? A fence only waits then. In other trees its SM must acquire: the
 * protocol's rules for that, in the SM's L1 and its cluster's cache, where nothing is in flight. In no time.
 */
bool gpci_coherent_tracks(const gpc_hierarchy *h);
gpc_status gpci_coherent_acquire(gpc_hierarchy *h, uint32_t sm);
/* Do L1s keep what was stored? An SM that releases does the same then: these rules write it back. */
bool gpci_coherent_keeps(const gpc_hierarchy *h);
/* May L1s hold what is old until they acquire: without directories, or copies that these do not know of (nmoesi-d)? */
bool gpci_coherent_drops(const gpc_hierarchy *h);
/* Do an SM's stores send invalidations, within a scope, which a release has to follow with markers? */
bool gpci_coherent_tells(const gpc_hierarchy *h, uint8_t scope);
/* Write back and drop: the L1s, or everything. In no time. */
gpc_status gpci_coherent_flush(gpc_hierarchy *h, bool all);

void gpci_coherent_add_sm(const gpc_hierarchy *h, uint32_t sm, gpc_stats *stats);
/* Of a slice. */
void gpci_coherent_add_slice(const gpc_hierarchy *h, uint32_t slice, gpc_stats *stats);

GPCI_INLINE bool gpci_is_slice(const gpci_coherent *c, uint32_t module) {
    return c->l2 && module >= c->first_slice && module < c->first_memory;
}

GPCI_INLINE bool gpci_is_memory(const gpci_coherent *c, uint32_t module) {
    return module >= c->first_memory && module < c->first_near;
}

/* The near half of a slice. */
GPCI_INLINE bool gpci_is_near(const gpci_coherent *c, uint32_t module) {
    return module >= c->first_near;
}

/* Whose a module is. */
GPCI_INLINE uint32_t gpci_gpu_of(const gpci_coherent *c, uint32_t module) {
    if (c->gpus == 1)
        return 0;
    return module < c->sms             ? module / c->gpu_sms
           : module < c->first_slice   ? (module - c->first_cluster) / c->gpu_clusters
           : gpci_is_near(c, module)   ? (module - c->first_near) / c->gpu_slices
           : gpci_is_memory(c, module) ? (module - c->first_memory) / c->gpu_slices
                                       : (module - c->first_slice) / c->gpu_slices;
}

/* The number of a slice; of a memory, that of the slice before it. */
GPCI_INLINE uint32_t gpci_slice_number(const gpci_coherent *c, uint32_t module) {
    return module - (gpci_is_near(c, module)     ? c->first_near
                     : gpci_is_memory(c, module) ? c->first_memory
                                                 : c->first_slice);
}

/* The near half of a slice, by its number; GPC_NO_MODULE: none has, or no SM reads through the slice's part. */
GPCI_INLINE uint32_t gpci_near_of(const gpci_coherent *c, uint32_t slice) {
    return c->first_near + slice < c->modules ? c->first_near + slice : GPC_NO_MODULE;
}

/* The part of L2 that an SM reads through, or that a cluster does. */
GPCI_INLINE uint32_t gpci_part_of_sm(const gpc_hierarchy *h, uint32_t sm) {
    return h->partitions == 2 ? h->sm_partition[sm] : gpci_gpu_of(h->coherent, sm);
}

/*
 * The modules of L2 that only a part of the processors read through, those of an SM's part: they acquire as L1s do,
 * where there are no directories. `count` 0: there are none.
 */
typedef struct gpci_private_modules {
    uint32_t first, count;
} gpci_private_modules;

GPCI_INLINE gpci_private_modules gpci_coherent_private(const gpc_hierarchy *h, uint32_t sm) {
    const gpci_coherent *c = h->coherent;
    if (c->parts > 1)
        return (gpci_private_modules){c->first_near + gpci_part_of_sm(h, sm) * c->part_slices, c->part_slices};
    if (c->gpus > 1)
        return (gpci_private_modules){c->first_slice + gpci_gpu_of(c, sm) * c->gpu_slices, c->gpu_slices};
    return (gpci_private_modules){0, 0};
}

/*
 * All caches between L1s and what all processors share, level by level: 0, clusters'; 1, near halves, or of several
 * GPUs the L2s.
 */
GPCI_INLINE gpci_private_modules gpci_coherent_apart(const gpci_coherent *c, uint32_t level) {
    if (level == 0)
        return (gpci_private_modules){c->first_cluster, c->clusters};
    if (c->parts > 1)
        return (gpci_private_modules){c->first_near, c->modules - c->first_near};
    return (gpci_private_modules){c->first_slice, c->gpus > 1 ? c->first_memory - c->first_slice : 0};
}

/* Do caches merge stores that others have not been told of, below L1s, too? Not where these write through. */
GPCI_INLINE bool gpci_coherent_merges(const gpc_hierarchy *h) {
    return gpci_coherent_tracks(h) && h->coherent->tree->non_coherent;
}

#endif
