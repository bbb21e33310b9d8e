/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_HIERARCHY_H
#define GPUCACHE_HIERARCHY_H

#include <gpucache/counters.h>

GPC_BEGIN_DECLS

/*
 * The whole memory system: coalescer, an L1 per SM, networks, L2 slices, DRAM. With `mode = functional` an access
 * completes at once (gpc_hierarchy_access). With `mode = timed` an access is accepted or refused
 * (gpc_hierarchy_try_issue), the clock moves (gpc_hierarchy_advance), and a callback reports the completion.
 */

/* Memory instruction of a warp. */
typedef struct gpc_warp_access {
    size_t struct_size;
    uint32_t sm;       /* below sm.count, times gpu.count */
    uint32_t warp;     /* slot within the SM */
    uint32_t warp_age; /* 0 = oldest of the SM; ignored if the library ranks warps (gpc_hierarchy_rank_warps) */
    uint32_t block;    /* linear thread-block index */
    uint64_t pc;
    uint64_t mask;             /* active lanes; bit i = lane i */
    const uint64_t *addresses; /* bytes, an address per set bit of mask, in ascending order of lanes */
    uint32_t width;            /* bytes per lane, 1 to 64 */
    uint8_t kind;              /* gpc_kind */
    /* gpc_space: GLOBAL or LOCAL. INSTRUCTION is refused. Accesses to other spaces are counted and go no further */
    uint8_t space;
    uint8_t hint;     /* gpc_hint */
    uint8_t priority; /* gpc_priority */
    uint8_t token;    /* gpc_token, for L1 */
    uint8_t token_l2; /* gpc_token, for L2 */
    uint8_t scope;    /* gpc_scope. Since: 0.2 */
    uint8_t order;    /* gpc_order; see the faults below. Since: 0.2 */
    uint8_t atomic;   /* gpc_atomic_op of an atomic or reduction. Since: 0.2 */
    uint8_t stream;   /* stream that counts the access, below the key `streams`. Since: 0.2 */
    uint8_t copy;     /* gpc_copy: NONE; ASYNC for a load of global memory; or BULK. Since: 0.2 */
    uint8_t process;  /* process of `addresses`, below GPC_PROCESSES (types.h). Since: 0.2 */
    /*
     * Values, [set bits of mask][width], in the order of `addresses`. Only with coherence.data, otherwise NULL.
     * `bytes`: data written by stores, and by atomics and reductions without an operation (NULL: zeroes). If lanes
     * overlap, the last lane wins. `out`: receives the data of a load when the access completes; the buffer must live
     * until completion. gpc_completion has the data too. Since: 0.2
     *
     * With an operation (`atomic`), `width` is 4 or 8 and addresses are multiples of `width`. `bytes` has the operands.
     * `compare` has the values to compare with, of COMPARE_SWAP (NULL: zeroes). `out` of an atomic receives the old
     * value of every lane. Lanes operate in ascending order: if lanes share an address, a lane finds the result of the
     * lane before. The lanes of a line are performed together, at the place where `coherence` performs a coherent
     * store; with none or viper in L2. With none or viper, values are right only as far as L1s and fences make them so:
     * a load that hits gets the bytes kept in its L1. Since: 0.2
     */
    const uint8_t *bytes;
    uint8_t *out;
    const uint8_t *compare;
    /*
     * Destination SMs of a BULK load, every SM at most once: their shared memories receive the data (PTX ISA,
     * "cp.async.bulk", .multicast::cluster). In hardware the SMs are of a single GPC. NULL, 0: the own SM. L2 and the
     * request network carry a single request, and every destination gets a reply. With a clock the load completes once
     * per destination, and gpc_completion.sm is the destination. Since: 0.2
     */
    const uint32_t *multicast;
    uint32_t multicast_count; /* 1 to 16 */
    uint8_t local_offsets;    /* for space LOCAL: 0 = `addresses` are mapped by the host; 1 = see below. Since: 0.2 */
    uint8_t reserved_2[3];
} gpc_warp_access;

#define GPC_WARP_ACCESS_INIT                                                                                      \
    {                                                                                                             \
        sizeof(gpc_warp_access), 0, 0, 0, 0, 0, 0, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, \
            NULL, 0, 0, {                                                                                         \
            0                                                                                                     \
        }                                                                                                         \
    }

/*
 * Faults of a warp access: gpc_hierarchy_access and gpc_hierarchy_try_issue refuse the access (GPC_ERROR_ARGUMENT), and
 * `error` names the field. Beside numbers out of range, the following are faults:
 *   - an address beyond 57 bits in a process above 0, or in a hierarchy with several processes (types.h);
 *   - an order that does not fit the kind: SC on anything but a fence; RELEASE on a load; ACQUIRE on a store or
 *     reduction; an order above WEAK on a prefetch;
 *   - a scope with order WEAK;
 *   - space INSTRUCTION: no warp instruction reads code. Misses of a host's own caches of constants, textures and code
 *     enter below L1, by gpc_hierarchy_try_miss;
 *   - `bytes` or `out` without coherence.data; `out` of kinds other than loads and atomics with an operation; `bytes`
 *     of a load or prefetch;
 *   - an operation (`atomic`) without coherence.data, of a kind other than atomic and reduction, of a width other than
 *     4 and 8, or at an address that is not a multiple of the width; `compare` with an operation other than
 *     COMPARE_SWAP;
 *   - a load with order above WEAK, scope above CTA and hint CA: the load may not be served from L1, because other SMs
 *     do not see L1. With another hint such a load is taken as CG, at scope SYS as CV (as SASS's LD.STRONG.GPU and
 *     .SYS): past L1, if l1.bypass heeds hints. The hints CG, CV and NO_ALLOCATE stay as they are;
 *   - `copy` ASYNC of a kind other than load, of a space other than GLOBAL, of a width other than 4, 8 and 16, with
 *     order above WEAK, or with `out`: the data go into shared memory;
 *   - `copy` BULK of an atomic, of a space other than GLOBAL, with order above WEAK, in a tree of coherent modules, or
 *     with coherence.data. Lanes of a BULK access are rows of `width` bytes, 1 to 65536, every row at its address: a
 *     range is a single row, a box of a tensor has several rows. The SM requests the rows from L2 line by line, past L1
 *     (sm.bulk_rate and related keys), and the access completes with the last reply. A load goes into shared memory; a
 *     store or a reduction comes from shared memory; a prefetch fills L2;
 *   - `local_offsets` above 1, of a space other than LOCAL, of a warp not below sm.warps, with `bytes`, `out`,
 *     `compare` or `atomic`, or of more than 256 words (words of a lane x lanes);
 *   - space MIXED: a host makes an access per space, from the lanes of the space;
 *   - `multicast` of an access other than a BULK load, of 0 or more than 16 SMs, with an SM named twice, or with an
 *     unknown SM;
 *   - with a clock, an order above RELAXED at a scope above CTA under a protocol without directories (vi, slc-glc).
 * At a scope above CTA a releasing access acts as if a RELEASE fence preceded the access: with a clock the access
 * passes L1's tags when the fence is done, and later accesses may overtake. An acquiring access acts as if an ACQUIRE
 * fence followed: the fence is done when the access completes. The two are not counted as fences; lines that L1 drops
 * are counted.
 */

/* Effect of a functional warp access. */
typedef struct gpc_warp_result {
    size_t struct_size;
    uint32_t lines;   /* line transactions */
    uint32_t sectors; /* sectors touched */
    uint32_t l1_sector_hits;
    uint32_t l2_sectors; /* read from or written to L2 */
    uint32_t l2_sector_hits;
    uint32_t dram_sectors; /* read from DRAM */
} gpc_warp_result;

#define GPC_WARP_RESULT_INIT \
    { sizeof(gpc_warp_result), 0, 0, 0, 0, 0, 0 }

/* Resources of a kernel. They determine L1's share of a unified memory. */
typedef struct gpc_launch {
    size_t struct_size;
    uint32_t threads;      /* per block */
    uint32_t registers;    /* per thread */
    uint32_t shared_bytes; /* per block */
    uint32_t reserved;
    uint64_t code_bytes; /* bytes of code that the kernel fetches; 0 = unknown */
} gpc_launch;

#define GPC_LAUNCH_INIT \
    { sizeof(gpc_launch), 0, 0, 0, 0, 0 }

/*
 * Create from a configuration, which is copied. Returns GPC_OK; GPC_ERROR_ARGUMENT or GPC_ERROR_RANGE naming the key;
 * GPC_ERROR_NOT_FOUND (a policy); GPC_ERROR_FORMAT (dram.mapping, address.mapping); GPC_ERROR_UNSUPPORTED (keys or a
 * policy that cannot work together, with the reason); GPC_ERROR_MEMORY; or the status of a policy's init. Since: 0.1.
 */
GPC_API gpc_status gpc_hierarchy_create(gpc_context *context, const gpc_config *config, gpc_hierarchy **out,
                                        gpc_error *error);
GPC_API void gpc_hierarchy_destroy(gpc_hierarchy *hierarchy);

/*
 * Begin a kernel: resize L1 to the rest that the launch's shared memory leaves (l1.carveout), flush caches by
 * `kernels.flush`, and charge the launch overhead. `launch` may be NULL: the largest L1.
 * A flush takes no time, except `l1` in a tree of modules with a clock. The L1 flush begins with the next cycle, and
 * its messages cross the networks. Accesses accepted during the flush wait before L1's tags. gpc_hierarchy_in_flight
 * counts the flush as 1.
 * Returns GPC_OK; GPC_ERROR_ARGUMENT (`hierarchy` is NULL); GPC_ERROR_ABI; GPC_ERROR_RANGE (the block does not fit an
 * SM); GPC_ERROR_STATE (something is in flight, kernels of gpc_hierarchy_start_kernel run, or from within a callback);
 * GPC_ERROR_MEMORY. Since: 0.1.
 */
GPC_API gpc_status gpc_hierarchy_begin_kernel(gpc_hierarchy *hierarchy, const gpc_launch *launch, gpc_error *error);

/*
 * Run a warp instruction through the functional hierarchy.
 *   result  may be NULL
 * Returns GPC_OK; GPC_ERROR_ABI; GPC_ERROR_ARGUMENT (sm, width, kind, NULL addresses with a mask); GPC_ERROR_CALLBACK;
 * GPC_ERROR_STATE (the hierarchy is timed, or has `l1.future`, which needs a replay); GPC_ERROR_MEMORY (`coherence`:
 * earlier lines of the access are done). Since: 0.1.
 */
GPC_API gpc_status gpc_hierarchy_access(gpc_hierarchy *hierarchy, const gpc_warp_access *access,
                                        gpc_warp_result *result, gpc_error *error);

/*
 * Fence, or cache control of the SM's L1, of a warp.
 *
 * A fence of RELEASE, ACQ_REL or SC waits for every earlier store, atomic and reduction of its SM, until they are
 * performed at the meeting place of the scope's threads. At scope CTA the place is the SM's L1: the accesses have
 * passed its tags. At higher scopes the place is L2: its acknowledgements have come back. The fence waits for the whole
 * SM, not for its warp alone, because order is transitive: after a barrier, a fence of a single warp publishes the
 * writes of the block's other warps before the barrier (PTX ISA, "Causality order"). If a warp must finish its own
 * loads before the fence, the host waits for their data.
 *
 * After the wait, ACQUIRE, ACQ_REL and SC act on L1 by the protocol:
 *   coherence = none   no action: a fence orders accesses, and lines of L1 may stay stale. On NVIDIA's GPUs a
 *                      CCTL.IVALL follows MEMBAR: see `control`
 *   coherence = viper  at scopes above CTA the SM's L1 drops all lines
 *   protocols with directories (msi to nmoesi)  no action: no L1 holds stale lines. NMOESI performs non-coherent stores
 *                                               in L1. Other SMs see such a store when its line is written back, with
 *                                               or without a fence
 *   protocols without directories (vi, slc-glc)  at scopes above CTA the protocol's ACQUIRE rules are applied to all
 *                                                lines of the SM's L1 and of its cluster's cache. If L1s keep stored
 *                                                data (slc-glc), the rules are applied before a RELEASE too
 *   hmg                at scopes above CTA L1 drops all lines; caches below are kept coherent. If the scope of a
 *                      RELEASE contains several caches below (SYS; with clusters or partitions also GPU), the RELEASE
 *                      sends markers behind the invalidations of earlier stores, and waits for the answers
 *   nmoesi-d           at scopes above CTA an acquire drops the copies of L1 that no directory has recorded
 *
 * `control` is carried out under every protocol. L1 handles l1.invalidate_rate lines a cycle, and its tags serve no
 * request in these cycles. Dirty lines are first written to L2 and acknowledged, a packet each. In-flight lines do not
 * stay in L1 when they arrive, and the fence waits for them. In a tree, L1 begins after the cluster's cache has
 * acknowledged a message; lines written back by the rules leave at a rate of 1 a cycle.
 */
typedef struct gpc_fence {
    size_t struct_size;
    uint32_t sm;     /* below sm.count, times gpu.count */
    uint32_t warp;   /* slot within the SM */
    uint8_t scope;   /* gpc_scope */
    uint8_t order;   /* gpc_order: ACQUIRE, RELEASE, ACQ_REL or SC; WEAK: only `control`, with scope CTA */
    uint8_t control; /* gpc_control: NONE, INVALIDATE_ALL or WRITE_BACK_ALL */
    uint8_t reserved[5];
} gpc_fence;

#define GPC_FENCE_INIT                      \
    {                                       \
        sizeof(gpc_fence), 0, 0, 0, 0, 0, { \
            0                               \
        }                                   \
    }

/*
 * Carry out a fence in a functional hierarchy. Accesses are done when they return, so only the effect on L1 remains.
 * Returns GPC_OK; GPC_ERROR_ABI; GPC_ERROR_ARGUMENT, `error` naming the field; GPC_ERROR_UNSUPPORTED (`control` in a
 * tree of modules); GPC_ERROR_STATE (the hierarchy is timed: use gpc_hierarchy_try_fence; or as
 * gpc_coherence_acquire); GPC_ERROR_MEMORY; GPC_ERROR_CALLBACK. Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_fence(gpc_hierarchy *hierarchy, const gpc_fence *fence, gpc_error *error);

/* Reason of a refusal by a timed hierarchy: the resource that the SM's memory pipeline waits for. */
typedef enum gpc_busy {
    GPC_BUSY_NOT = 0,
    GPC_BUSY_PIPELINE = 1,   /* earlier instructions have not yet passed the tags */
    GPC_BUSY_LINE = 2,       /* line reservation failure: every way of the set is reserved */
    GPC_BUSY_MSHR = 3,       /* no free MSHR entry */
    GPC_BUSY_MERGE = 4,      /* the line's MSHR entry takes no further request */
    GPC_BUSY_MISS_QUEUE = 5, /* L1's miss queue is full */
    GPC_BUSY_NETWORK = 6,    /* L1's miss queue is full, and its head waits for the network */
    GPC_BUSY_REPLY = 7,      /* replies wait for the host's credits (hierarchy.h). Since: 0.2 */
    GPC_BUSY_COUNT
} gpc_busy;

/*
 * Completion of a warp access, or of a request of gpc_hierarchy_try_miss. A load, an atomic or a prefetch completes
 * when its data are in the SM. A store completes:
 *   - if L1 passes the store on (l1.write_policy through or evict, no write allocation on a miss, no L1, a bypass; a
 *     miss of a host's own L1): when L2's acknowledgement is back. A reduction completes in the same way. L2 then has
 *     the bytes, or has sent them to memory (without L2, or past L2); DRAM may not have them yet. `level` is 2, or 3 if
 *     L2 fetched the rest of a sector or passed the store on;
 *   - if L1 keeps the store (l1.write_policy = back): when the bytes are in L1. A hit or a lazy fetch completes at
 *     once. A miss with write_allocate = fetch completes when the fetch is back. If L1 also writes the store through:
 *     when the bytes are in L1 and the acknowledgement is back;
 *   - in a tree of coherent modules: when its L1, or the module that performs the store for L1, has write permission
 *     and has written. With sm.lsu_waits = false: when the store has begun.
 * The write-back of a line completes no access: write-backs are posted. A completed store may still be invisible to
 * other threads of a scope; gpc_hierarchy_try_fence waits until they see the store.
 */
typedef struct gpc_completion {
    uint64_t token;  /* token of the host */
    uint64_t issued; /* core cycle of acceptance */
    uint64_t cycle;  /* present core cycle */
    uint32_t sm, warp;
    uint8_t kind; /* gpc_kind */
    /* deepest level that served the access: 1 (L1, or a cache above L2), 2 (or the cache beside memory), 3 = DRAM */
    uint8_t level;
    uint8_t fence; /* 1: completion of gpc_hierarchy_try_fence, with no meaning of `kind`. Since: 0.2 */
    /* 1 + number of the port that made the request (ext/hierarchy.h), without sm and warp; 0: from an SM. Since: 0.2 */
    uint8_t port;
    uint8_t reserved[4];
    /*
     * Data of a load, or old values of an atomic with an operation, as in gpc_warp_access.out; also if `out` is NULL.
     * Only with coherence.data, otherwise NULL and 0 bytes. Lives for the call. Since: 0.2
     */
    const uint8_t *values; /* [value_bytes] */
    uint32_t value_bytes;
    /*
     * Core cycles of the access in every gpc_stage (experimental/experimental.h); the sum is `cycle` - `issued`. Only
     * with stats.stages, otherwise NULL and 0. Lives for the call. Since: 0.2
     */
    uint32_t stage_count;
    const uint64_t *stages; /* [stage_count] */
} gpc_completion;

/* Transfer to or from memory, if the host replaces DRAM. A read may include bytes between the needed bytes. */
typedef struct gpc_memory_request {
    uint64_t address; /* bytes, aligned to 32 */
    uint64_t id;      /* for gpc_hierarchy_memory_reply; reads only */
    uint32_t bytes;   /* 32 to 128 */
    uint32_t channel; /* channel that DRAM would use */
    uint8_t write;    /* 1 = posted, no reply */
    uint8_t process;  /* process of `address` (types.h). Since: 0.2 */
    uint8_t reserved[6];
} gpc_memory_request;

/*
 * Callbacks of a timed hierarchy to its host. Called only from gpc_hierarchy_advance and gpc_hierarchy_drain;
 * on_complete is called also from a call that completes an access at once. NULL = not called.
 *
 * A callback may call gpc_hierarchy_now, and functions marked "any thread"; no other function of the hierarchy, because
 * a cycle is under way. Refused with GPC_ERROR_STATE, and without effect (since 0.2): gpc_hierarchy_advance, _drain,
 * _try_issue, _try_fence, _try_miss, _try_transactions, _try_port, _memory_reply, _memory_ready, _begin_kernel,
 * _start_kernel, _end_kernel, _flush, _preload, _set_callbacks, _set_trace, _set_reply_credits, _add_reply_credits,
 * _save and _copy. The rule holds for callbacks of an event trace, and of policies, too.
 */
typedef struct gpc_hierarchy_callbacks {
    size_t struct_size;
    void *user_data;
    /* Completion; called once for every accepted access. */
    void (*on_complete)(void *user_data, const gpc_completion *completion);
    /* End of back-pressure: an SM that refused may accept again. */
    void (*on_ready)(void *user_data, uint32_t sm);
    /*
     * `sectors` of a line became valid in a cache of `level` 1 or 2. `request` lives for the call, and has the line's
     * process. With `coherence` on_fill and on_evict are not called; use gpc_coherence_callbacks of
     * gpc_hierarchy_coherence.
     */
    void (*on_fill)(void *user_data, unsigned level, uint32_t instance, uint64_t line_address, uint8_t sectors,
                    const gpc_request *request);
    /* A line left a cache. The address is within the instance: for L2 the slice's own address, in every process. */
    void (*on_evict)(void *user_data, unsigned level, uint32_t instance, const gpc_eviction *eviction);
    /*
     * Replacement of DRAM: called for every transfer. Returns true if the memory took the transfer. After false the
     * transfer is offered again when gpc_hierarchy_memory_reply or _ready has been called for the channel.
     */
    bool (*on_memory)(void *user_data, const gpc_memory_request *request);
} gpc_hierarchy_callbacks;

#define GPC_HIERARCHY_CALLBACKS_INIT \
    { sizeof(gpc_hierarchy_callbacks), NULL, NULL, NULL, NULL, NULL, NULL }

/*
 * Set the callbacks, which are copied; NULL clears them. on_memory may change only while nothing is in flight. Returns
 * GPC_OK; GPC_ERROR_ABI; GPC_ERROR_ARGUMENT; GPC_ERROR_STATE (functional, in flight, or from
 * within a callback); GPC_ERROR_UNSUPPORTED (on_memory with several threads). Since: 0.1.
 */
GPC_API gpc_status gpc_hierarchy_set_callbacks(gpc_hierarchy *hierarchy, const gpc_hierarchy_callbacks *callbacks,
                                               gpc_error *error);

/*
 * Offer a warp instruction to its SM's memory pipeline, at the present cycle.
 *   token     comes back with the completion
 *   out_busy  receives the reason of a refusal, GPC_BUSY_NOT if accepted; may be NULL
 * Returns GPC_OK (accepted: completes exactly once, later, or within the call if the instruction touches no memory);
 * GPC_BUSY (no failure: `error` is not written); GPC_ERROR_STATE (functional, or from within a callback);
 * GPC_ERROR_MEMORY; GPC_ERROR_ABI and GPC_ERROR_ARGUMENT as gpc_hierarchy_access. Since: 0.1.
 */
GPC_API gpc_status gpc_hierarchy_try_issue(gpc_hierarchy *hierarchy, const gpc_warp_access *access, uint64_t token,
                                           gpc_busy *out_busy, gpc_error *error);

/*
 * Offer a fence to its SM's memory pipeline. The fence passes the pipeline behind all earlier accesses of the SM. Other
 * warps' accesses may overtake a waiting fence. The host must hold back the fence's own warp until completion.
 *   token, out_busy  as in gpc_hierarchy_try_issue; gpc_completion.fence is 1
 * Returns GPC_OK (accepted: completes exactly once, later); GPC_BUSY (`error` is not written); GPC_ERROR_ARGUMENT,
 * GPC_ERROR_ABI and GPC_ERROR_UNSUPPORTED as gpc_hierarchy_fence; GPC_ERROR_STATE (functional, or from within a
 * callback); GPC_ERROR_MEMORY. Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_try_fence(gpc_hierarchy *hierarchy, const gpc_fence *fence, uint64_t token,
                                           gpc_busy *out_busy, gpc_error *error);

/*
 * Offer a miss or a write of an L1 line, for a host with its own L1s. The request enters the SM's network port, past
 * coalescer, TLBs and L1.
 *   request  address, sm, kind, space; the bytes, in sectors of 32 bytes and a line of l1.line, as in gpc_request:
 *            sector_mask; or size; or a store's byte_mask; or the whole line if all three are 0. Example: a load of 32
 *            bytes reads 1 sector, and a store of 4 bytes writes 4 bytes. Further fields are for policies of L2.
 *            Reads may be in space CONSTANT, TEXTURE or INSTRUCTION, and L2's policies see the space. They take the
 *            path of GLOBAL reads, and are also counted in l2.constant_read_sectors and related counters. With
 *            l15.size, reads in CONSTANT and INSTRUCTION go to the SM's L1.5, which refuses and becomes ready by itself
 * Returns as gpc_hierarchy_try_issue, `error` naming the field of the request; GPC_ERROR_UNSUPPORTED with `coherence`,
 * whose L1s cannot belong to the host, and with coherence.data. Since: 0.1; sizes and further spaces: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_try_miss(gpc_hierarchy *hierarchy, const gpc_request *request, uint64_t token,
                                          gpc_busy *out_busy, gpc_error *error);

/* Present core cycle. Since: 0.1. */
GPC_API uint64_t gpc_hierarchy_now(const gpc_hierarchy *hierarchy);

/*
 * Move the clock by `cycles` core cycles, and call the callbacks of the events in them.
 * Returns GPC_OK; GPC_ERROR_ARGUMENT (NULL, a cycle beyond the last);
 *   GPC_ERROR_STATE     the hierarchy is functional; or, with `coherence`, the protocol has no rule for an event, and
 *                       the hierarchy can only be destroyed
 *   GPC_ERROR_CALLBACK  a policy chose an impossible victim, and the hierarchy can only be destroyed
 *   GPC_ERROR_MEMORY    the clock stopped before `cycles` were over. With `coherence` a request of an L1 or of a fence
 *                       found no memory, and begins in a cycle of the next call. Otherwise a cycle found no memory for
 *                       the lines that it begins by itself (of bulk copies, fences, ports, prefetchers), and did not
 *                       begin; or, with `threads` above 1, for the lines in flight
 * GPC_ERROR_STATE also reports a deadlock: something is in flight and can never end. No event is due any more, or no
 * packet moved for `deadlock.cycles`, and the host owes no data of memory, no readiness of memory and no credits for
 * replies. The clock then stays at the last movement (since 0.2), and `error` names the waiting units and what they
 * wait for. Since: 0.1.
 */
GPC_API gpc_status gpc_hierarchy_advance(gpc_hierarchy *hierarchy, uint64_t cycles, gpc_error *error);

/*
 * Next core cycle at which something can happen without the host; UINT64_MAX if never. The host may skip to this cycle.
 * Since: 0.1.
 */
GPC_API uint64_t gpc_hierarchy_next_event(const gpc_hierarchy *hierarchy);

/* Number of accepted warp accesses and requests that have not completed. Since: 0.1. */
GPC_API uint64_t gpc_hierarchy_in_flight(const gpc_hierarchy *hierarchy);

/*
 * Advance until nothing is in flight, write-backs included. Returns as gpc_hierarchy_advance; GPC_ERROR_STATE also for
 * a deadlock (`deadlock.cycles`): `error` then names the waiting units. Since: 0.1.
 */
GPC_API gpc_status gpc_hierarchy_drain(gpc_hierarchy *hierarchy, gpc_error *error);

/*
 * Report that the host's memory has the data of a read (_reply), or has room in a channel again (_ready).
 * GPC_ERROR_ARGUMENT for an unknown id or channel; GPC_ERROR_STATE without on_memory, and from within a callback.
 * Since: 0.1.
 */
GPC_API gpc_status gpc_hierarchy_memory_reply(gpc_hierarchy *hierarchy, uint64_t id, gpc_error *error);
GPC_API gpc_status gpc_hierarchy_memory_ready(gpc_hierarchy *hierarchy, uint32_t channel, gpc_error *error);

/* Count instructions that touch no memory, so that ratios per instruction are right. Since: 0.1. */
GPC_API void gpc_hierarchy_count_instructions(gpc_hierarchy *hierarchy, uint64_t warp_instructions,
                                              uint64_t thread_instructions, uint64_t blocks);

/* Set all counters to 0. NULL is allowed. Since: 0.1. */
GPC_API void gpc_hierarchy_reset_stats(gpc_hierarchy *hierarchy);

/*
 * Number of the objects of a kind. Without a clock there are no networks and no channels. Without L1 or L2 the object
 * does not exist. With `streams` = 1 there are no streams. Since: 0.2.
 */
GPC_API uint32_t gpc_hierarchy_object_count(const gpc_hierarchy *hierarchy, gpc_object kind);

/*
 * Read counters of an object, since creation or the last reset. The values of an SM include its L1. If a kind of object
 * has a counter, the sum over all objects of the kind is the value of the whole.
 *   ids     [count] gpc_counter_info.id, of any table
 *   values  [value_count], receives for every id in turn: the value of a counter, all buckets of a histogram, or
 *           numerator and denominator of a ratio. GPC_ABSENT if the object does not have the counter, if the counter
 *           is not measured in this mode or configuration, or if the library does not know the id
 *   value_count  gpc_counter_values(ids, count) or more. `count` is enough without histograms and ratios
 * Returns GPC_OK; GPC_ERROR_RANGE (unknown object; a counter whose values do not fit: no value is written);
 * GPC_ERROR_ARGUMENT (a NULL). Since: 0.3.
 */
GPC_API gpc_status gpc_hierarchy_read(const gpc_hierarchy *hierarchy, gpc_object kind, uint32_t index,
                                      const uint32_t *ids, size_t count, uint64_t *values, size_t value_count,
                                      gpc_error *error);

/*
 * Room for the next request: would gpc_hierarchy_try_issue and gpc_hierarchy_try_fence (_can_accept), or
 * gpc_hierarchy_try_miss (_can_accept_miss), accept a request now? The answer holds for the next request offered, until
 * the next offer or until the clock moves. A bulk copy may still be refused, for a full queue of
 * copies (sm.bulk_queue).
 *   sm        below sm.count, times gpu.count
 *   out_busy  receives the reason for a refusal, GPC_BUSY_NOT if accepted; may be NULL
 * False, with GPC_BUSY_NOT, for NULL, for an unknown SM, without a clock, and for misses if the hierarchy takes none
 * (gpc_hierarchy_try_miss). Since: 0.2.
 */
GPC_API bool gpc_hierarchy_can_accept(const gpc_hierarchy *hierarchy, uint32_t sm, gpc_busy *out_busy);
GPC_API bool gpc_hierarchy_can_accept_miss(const gpc_hierarchy *hierarchy, uint32_t sm, gpc_busy *out_busy);

/*
 * True if nothing is in flight in caches, networks and queues: gpc_hierarchy_begin_kernel and gpc_hierarchy_flush are
 * allowed. gpc_hierarchy_in_flight counts only requests with an answer to come; when the count is 0, write-backs may
 * still be in flight. Writes that DRAM has taken do not count. True without a clock; false for NULL. Since: 0.2.
 */
GPC_API bool gpc_hierarchy_is_idle(const gpc_hierarchy *hierarchy);

/* Present shape of a hierarchy. Sizes in bytes. A field of an absent part is 0. */
typedef struct gpc_shape {
    size_t struct_size;
    /* lines of an SM's L1; in a unified memory the part left by the present kernel */
    uint64_t l1_bytes;
    uint64_t shared_bytes;                          /* carve-out in force, in a unified memory */
    uint64_t l2_bytes;                              /* lines of all slices */
    uint32_t sms, partitions;                       /* SMs, and partitions of L2, of all GPUs */
    uint32_t slices;                                /* slices of all partitions */
    uint32_t channels;                              /* channels of memory, with a clock */
    uint32_t l1_sets, l1_ways, l1_line, l1_sectors; /* `l1_sets`: for the present kernel */
    uint32_t l2_sets, l2_ways, l2_line, l2_sectors; /* `l2_sets`: of a slice */
    uint32_t lanes;                                 /* lanes of a warp */
    uint32_t reserved;
} gpc_shape;

#define GPC_SHAPE_INIT \
    { sizeof(gpc_shape), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Get the present shape. Returns GPC_OK; GPC_ERROR_ABI; GPC_ERROR_ARGUMENT (a NULL). Since: 0.2. */
GPC_API gpc_status gpc_hierarchy_get_shape(const gpc_hierarchy *hierarchy, gpc_shape *shape, gpc_error *error);

/*
 * Offer a warp instruction that the host has coalesced: as gpc_hierarchy_try_issue, with line transactions instead of
 * lanes. The transactions pass L1's tags unchanged and in order; `l1.coalescer` has no effect. Either all transactions
 * are accepted or none. They take a single place of `l1.queue`, and complete together, when the last is done. Therefore
 * a host's token (for example a pointer to its instruction) comes back with the completion, and the host needs no
 * look-up.
 *   requests  [count], transactions of a single instruction with equal fields pc, sm, warp, warp_age, block, kind,
 *             space (GLOBAL or LOCAL), hint, priority, token, token_l2, scope, order, stream, copy (no BULK). A
 *             transaction is of a line of l1.line, or without L1 of l2.line. sector_mask, size or a store's byte_mask
 *             select the bytes, as in gpc_request; a load may have a byte_mask too, for the counters of bytes used. The
 *             library sets cycle, transactions, bytes_used, kernel, and `continues`, which must be 0: if a transaction
 *             has the line of the transaction before, the library treats it as a further sector, no reuse for policies
 *   count     1 to GPC_MAX_TRANSACTIONS
 * The instruction is counted without threads: see gpc_hierarchy_count_instructions. Atomics are serialised by the words
 * that they touch. Prefetchers get the first address as lane 0's address. gpc_hierarchy_can_accept reports room. A
 * recording (ext/observe.h) ends, because recorded instructions have lanes.
 * Return as gpc_hierarchy_try_issue; GPC_ERROR_ARGUMENT (`error` names the transaction and its fault);
 * GPC_ERROR_UNSUPPORTED with coherence.data and in trees of coherent modules; GPC_ERROR_STATE (no clock). Since: 0.2.
 */
#define GPC_MAX_TRANSACTIONS 192u
GPC_API gpc_status gpc_hierarchy_try_transactions(gpc_hierarchy *hierarchy, const gpc_request *requests, uint32_t count,
                                                  uint64_t token, gpc_busy *out_busy, gpc_error *error);

GPC_END_DECLS

#endif
