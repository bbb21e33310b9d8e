/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_HIERARCHY_H
#define GPUCACHE_HIERARCHY_H

#include <gpucache/cache.h>
#include <gpucache/config.h>

GPC_BEGIN_DECLS

/*
 * The whole memory system: coalescer, an L1 per SM, L2 slices, DRAM traffic.
 * Functional: an access completes at once.
 */

/* One warp's memory instruction. */
typedef struct gpc_warp_access {
    size_t struct_size;
    uint32_t sm;    /* below sm.count */
    uint32_t warp;  /* slot within the SM */
    uint32_t warp_age; /* 0 = oldest of the SM */
    uint32_t block; /* linear thread-block index */
    uint64_t pc;
    uint64_t mask;  /* active lanes; bit i = lane i */
    const uint64_t *addresses; /* bytes, one per set bit of mask, ascending lanes */
    uint32_t width; /* bytes per lane, 1 to 64 */
    uint8_t kind;     /* gpc_kind */
    uint8_t space;    /* gpc_space: GLOBAL or LOCAL; others are counted and go no further */
    uint8_t hint;     /* gpc_hint */
    uint8_t priority; /* gpc_priority */
    uint8_t token;    /* as in gpc_request */
    uint8_t reserved[7];
} gpc_warp_access;

#define GPC_WARP_ACCESS_INIT {sizeof(gpc_warp_access), 0, 0, 0, 0, 0, 0, NULL, 0, 0, 0, 0, 0, 0, {0}}

/* What one functional warp access did. */
typedef struct gpc_warp_result {
    size_t struct_size;
    uint32_t lines;          /* line transactions */
    uint32_t sectors;        /* sectors touched */
    uint32_t l1_sector_hits;
    uint32_t l2_sectors;     /* read from or written to L2 */
    uint32_t l2_sector_hits;
    uint32_t dram_sectors;   /* read from DRAM */
} gpc_warp_result;

#define GPC_WARP_RESULT_INIT {sizeof(gpc_warp_result), 0, 0, 0, 0, 0, 0}

/* A kernel's needs, from which the share of L1 in a unified memory follows. */
typedef struct gpc_launch {
    size_t struct_size;
    uint32_t threads;      /* per block */
    uint32_t registers;    /* per thread */
    uint32_t shared_bytes; /* per block */
    uint32_t reserved;
    uint64_t code_bytes;   /* instructions that the kernel fetches; 0 = unknown */
} gpc_launch;

#define GPC_LAUNCH_INIT {sizeof(gpc_launch), 0, 0, 0, 0, 0}

/*
 * Create from a configuration, which is copied. Mode functional.
 * Returns GPC_OK; GPC_ERROR_ARGUMENT or GPC_ERROR_RANGE naming the key;
 * GPC_ERROR_NOT_FOUND (a policy); GPC_ERROR_MEMORY. Since: 0.1.
 */
GPC_API gpc_status gpc_hierarchy_create(gpc_context *context, const gpc_config *config, gpc_error *error,
                                        gpc_hierarchy **out);
GPC_API void gpc_hierarchy_destroy(gpc_hierarchy *hierarchy);

/*
 * A kernel begins: L1 is resized to what the launch's shared memory leaves
 * (l1.carveout), caches are flushed as `kernels.flush` says, and launch overhead is
 * charged. `launch` may be NULL: the largest L1.
 * Returns GPC_OK; GPC_ERROR_RANGE (the block does not fit an SM). Since: 0.1.
 */
GPC_API gpc_status gpc_hierarchy_begin_kernel(gpc_hierarchy *hierarchy, const gpc_launch *launch, gpc_error *error);

/* Thread blocks of this launch that fit an SM at once (warps, registers, shared memory, block limit); 0 if none does. Since: 0.1. */
GPC_API uint32_t gpc_hierarchy_occupancy(const gpc_hierarchy *hierarchy, const gpc_launch *launch);

/*
 * One warp instruction through the functional hierarchy.
 *   result  may be NULL
 * Returns GPC_OK; GPC_ERROR_ABI; GPC_ERROR_ARGUMENT (sm, width, kind, NULL addresses with a mask);
 * GPC_ERROR_CALLBACK. Since: 0.1.
 */
GPC_API gpc_status gpc_hierarchy_access(gpc_hierarchy *hierarchy, const gpc_warp_access *access,
                                        gpc_warp_result *result);

/* Count instructions that touch no memory, so that ratios per instruction are right. Since: 0.1. */
GPC_API void gpc_hierarchy_count_instructions(gpc_hierarchy *hierarchy, uint64_t warp_instructions,
                                              uint64_t thread_instructions, uint64_t blocks);

/* Pass a warp event to the policies of its SM's L1. Since: 0.1. */
GPC_API gpc_status gpc_hierarchy_warp_event(gpc_hierarchy *hierarchy, const gpc_warp_event *event);

/* Write dirty lines down and drop everything: a context switch, or cold caches. Since: 0.1. */
GPC_API gpc_status gpc_hierarchy_flush(gpc_hierarchy *hierarchy);

/* Statistics since creation or the last reset. Since: 0.1. */
GPC_API gpc_status gpc_hierarchy_get_stats(const gpc_hierarchy *hierarchy, gpc_stats *stats);
GPC_API void gpc_hierarchy_reset_stats(gpc_hierarchy *hierarchy);

/* A cache of the hierarchy, borrowed: level 1, instance = SM; level 2, instance = slice. NULL if there is none. Since: 0.1. */
GPC_API gpc_cache *gpc_hierarchy_cache(gpc_hierarchy *hierarchy, unsigned level, uint32_t instance);

GPC_END_DECLS

#endif
