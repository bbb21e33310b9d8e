/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_PREFETCHER_H
#define GPUCACHE_PREFETCHER_H

#include <gpucache/policy.h>

GPC_BEGIN_DECLS

/*
 * Prefetchers of L1s, and of L2's slices, with a clock (mode = timed, `l1.prefetcher`, `l2.prefetcher`): they see the
 * loads that an SM's L1 looks up, and say which lines are to be fetched before anybody asks for them (seeds/004
 * section 2.2).
 *
 * What they ask for waits in a queue of `l1.prefetch_queue` lines for what loads leave over: a tag port in a cycle in
 * which no load is held up, an MSHR entry, a place in the miss queue. It is dropped where the queue is full, the line
 * is there or on its way, the bypass predictor would not keep it, or its set has no way to give. Else it goes below
 * like a load of the same instruction, of kind GPC_PREFETCH, and its line enters L1 as a load's does.
 *
 * A slice has one of its own, which sees what SMs, their L1s' prefetchers and ports read there: "load" below is any
 * such read. It knows addresses within the slice, as other policies of L2 do, and asks for such: the line after
 * another is the next one that is the slice's, wherever `l2.interleave` or `address.mapping` has it. With two
 * partitions it is told of its own SMs' reads, and what it asks for comes from the other partition where it is homed
 * there. Warps are numbered by SM: it takes both to tell one. What it fetches is DRAM's as any other read, but none of
 * L2's read sectors.
 *
 * None of these functions may call into the library. They run on the thread that runs the SM.
 */

/* What a load found of its line. */
typedef enum gpc_prefetch_found {
    GPC_PREFETCH_FOUND_HIT = 0,    /* all that it needs */
    GPC_PREFETCH_FOUND_FLIGHT = 1, /* what is missing is on its way */
    GPC_PREFETCH_FOUND_MISS = 2
} gpc_prefetch_found;

/* A line of a load, at the tags. All of it is valid for the length of the call. Since: 0.2. */
typedef struct gpc_prefetch_access {
    const gpc_request *request; /* its line, aligned; pc, warp, block and so on of its instruction */
    /* L1: bytes: what the instruction's lowest active lane asks for; L2: the first segment that is read */
    uint64_t lane_address;
    uint32_t lane;   /* that lane; L2: 0 */
    uint32_t line;   /* which of its instruction's lines this is, from 0, in the order of lanes; L2: 0 */
    uint8_t sectors; /* of the line that it needs, a bit each */
    uint8_t found;   /* gpc_prefetch_found */
    /* 1 = a prefetch brought the line, or is bringing it, and this is the first load of it */
    uint8_t prefetched;
    uint8_t level; /* 1: an L1's; 2: a slice's */
    uint8_t reserved[4];
} gpc_prefetch_access;

/* A line to fetch. */
typedef struct gpc_prefetch {
    uint64_t address; /* any byte of it */
    uint8_t sectors;  /* of it, a bit each; 0 = those that the load needs of its own line */
    uint8_t reserved[7];
} gpc_prefetch;

/* What became of a prefetch. */
typedef enum gpc_prefetch_outcome {
    GPC_PREFETCH_USEFUL = 0,    /* a load found it */
    GPC_PREFETCH_LATE = 1,      /* a load wanted it while it was on its way */
    GPC_PREFETCH_UNUSED = 2,    /* it was replaced before any load, or not kept */
    GPC_PREFETCH_REDUNDANT = 3, /* it was there, on its way or in the queue already */
    GPC_PREFETCH_DROPPED = 4    /* the queue was full, or the cache would not take it */
} gpc_prefetch_outcome;

#define GPC_MAX_PREFETCHES 32u /* asked for at once */

/*
 * Made as replacement policies are (policy.h); `sets` and `ways` of gpc_policy_env, which launches may change, are 0.
 */
typedef struct gpc_prefetcher_ops {
    size_t struct_size;
    const char *name;    /* [a-z0-9-]+ */
    const char *summary; /* one line */
    const char *source;  /* document and section, "" if none */
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
     * A load has been looked up; once for each of its lines.
     *   out  [GPC_MAX_PREFETCHES], zeroed: lines to fetch, in order of need
     * Returns how many. Required.
     */
    uint32_t (*on_access)(void *self, const gpc_prefetch_access *access, gpc_prefetch *out);
    /* What became of a line that was asked for; `outcome` is a gpc_prefetch_outcome. [nothing] */
    void (*on_outcome)(void *self, uint64_t line_address, uint32_t outcome);
    /* By the rule of gpc_replacement_ops.cost_bits; the queue and the marks of prefetched lines are the cache's. [0] */
    uint64_t (*cost_bits)(const gpc_policy_env *env);
    void (*state)(void *self, gpc_state_fn visit, void *visit_data);
    bool (*counter)(void *self, size_t index, gpc_policy_counter *counter); /* as in gpc_replacement_ops */
} gpc_prefetcher_ops;

/* As gpc_context_register_replacement, for prefetchers. Since: 0.2. */
GPC_API gpc_status gpc_context_register_prefetcher(gpc_context *context, const gpc_prefetcher_ops *ops, void *user_data,
                                                   void (*destroy)(void *user_data), gpc_error *error);

GPC_END_DECLS

#endif
