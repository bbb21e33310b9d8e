/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_PREFETCHER_H
#define GPUCACHE_PREFETCHER_H

#include <gpucache/policy.h>

GPC_BEGIN_DECLS

/*
 * Prefetchers of L1s, and of L2's slices, with a clock (mode = timed, `l1.prefetcher`, `l2.prefetcher`). A prefetcher
 * sees the loads that an SM's L1 looks up, and names lines to fetch before a load asks for them (seeds/004 section
 * 2.2).
 *
 * Prefetches wait in a queue of `l1.prefetch_queue` lines for resources that loads leave free: a tag port in a cycle in
 * which no load is held up, an MSHR entry, a place in the miss queue. A prefetch is dropped if the queue is full, if
 * the line is resident or in flight, if the bypass predictor would not keep the line, or if the set has no way to give.
 * Otherwise the prefetch goes below like a load of the same instruction, with kind GPC_PREFETCH, and its line enters L1
 * as a load's line does.
 *
 * A slice's prefetcher sees all reads of the slice, by SMs, by prefetchers of their L1s and by ports: "load" below
 * means every such read. Like other policies of L2, the prefetcher gets and returns addresses within the slice: the
 * next line is the next line of the slice, wherever `l2.interleave` or `address.mapping` places the line. With two
 * partitions the prefetcher sees the reads of its own SMs. If the other partition owns a prefetched line, the line
 * comes from the other partition. Warp numbers are per SM: a warp is identified by SM and number. A prefetch counts as
 * a DRAM read, but not in L2's read sectors.
 *
 * None of the functions may call into the library. They run on the thread that runs the SM.
 */

/* Result of a load's lookup. */
typedef enum gpc_prefetch_found {
    GPC_PREFETCH_FOUND_HIT = 0,    /* all needed sectors are resident */
    GPC_PREFETCH_FOUND_FLIGHT = 1, /* missing sectors are in flight */
    GPC_PREFETCH_FOUND_MISS = 2
} gpc_prefetch_found;

/* A line of a load, at the tags. Valid for the length of the call. Since: 0.2. */
typedef struct gpc_prefetch_access {
    const gpc_request *request; /* aligned line address; pc, warp, block and so on of the instruction */
    /* L1: address, in bytes, of the instruction's lowest active lane; L2: address of the first segment to read */
    uint64_t lane_address;
    uint32_t lane;   /* lowest active lane; L2: 0 */
    uint32_t line;   /* index of the line among the instruction's lines, from 0, in the order of lanes; L2: 0 */
    uint8_t sectors; /* needed sectors, a bit per sector */
    uint8_t found;   /* gpc_prefetch_found */
    /* 1 = a prefetch brought the line, or is bringing the line, and this is the first load of the line */
    uint8_t prefetched;
    uint8_t level; /* 1: an L1; 2: a slice */
    uint8_t reserved[4];
} gpc_prefetch_access;

/* A line to fetch. */
typedef struct gpc_prefetch {
    uint64_t address; /* any byte of the line */
    uint8_t sectors;  /* sectors to fetch, a bit per sector; 0 = the sectors that the load needs of its own line */
    uint8_t reserved[7];
} gpc_prefetch;

/* Outcome of a prefetch. */
typedef enum gpc_prefetch_outcome {
    GPC_PREFETCH_USEFUL = 0,    /* a load found the line */
    GPC_PREFETCH_LATE = 1,      /* a load asked for the line while the line was in flight */
    GPC_PREFETCH_UNUSED = 2,    /* the line was replaced before the first load, or not kept */
    GPC_PREFETCH_REDUNDANT = 3, /* the line was resident, in flight or in the queue already */
    GPC_PREFETCH_DROPPED = 4    /* the queue was full, or the cache refused the line */
} gpc_prefetch_outcome;

#define GPC_MAX_PREFETCHES 32u /* per call of on_access */

/*
 * Table of a prefetcher, made as replacement policies are (policy.h). `sets` and `ways` of gpc_policy_env are 0,
 * because launches may change them.
 */
typedef struct gpc_prefetcher_ops {
    size_t struct_size;
    const char *name;    /* [a-z0-9-]+ */
    const char *summary; /* a single line */
    const char *source;  /* document and section, "" if unpublished */
    size_t instance_bytes;
    size_t reserved, reserved_too; /* 0 */
    const gpc_parameter *parameters;
    size_t parameter_count;
    const gpc_text_parameter *texts;
    size_t text_count;
    size_t shared_bytes, shared_cache_bytes;
    /* As in gpc_replacement_ops. */
    gpc_status (*init)(void *self, const gpc_policy_env *env, char *message);
    void (*finish)(void *self);
    /*
     * A load has been looked up; called once for every line of the load.
     *   out  [GPC_MAX_PREFETCHES], zeroed: lines to fetch, in order of need
     * Returns the number of lines. Required.
     */
    uint32_t (*on_access)(void *self, const gpc_prefetch_access *access, gpc_prefetch *out);
    /* Outcome of a prefetch; `outcome` is a gpc_prefetch_outcome. [nothing] */
    void (*on_outcome)(void *self, uint64_t line_address, uint32_t outcome);
    /*
     * By the rule of gpc_replacement_ops.cost_bits. The queue and the marks of prefetched lines belong to the cache.
     * [0]
     */
    uint64_t (*cost_bits)(const gpc_policy_env *env);
    void (*state)(void *self, gpc_state_fn visit, void *visit_data);
    bool (*counter)(void *self, size_t index, gpc_policy_counter *counter); /* as in gpc_replacement_ops */
} gpc_prefetcher_ops;

/* As gpc_context_register_replacement, for prefetchers. Since: 0.2. */
GPC_API gpc_status gpc_context_register_prefetcher(gpc_context *context, const gpc_prefetcher_ops *ops, void *user_data,
                                                   void (*destroy)(void *user_data), gpc_error *error);

GPC_END_DECLS

#endif
