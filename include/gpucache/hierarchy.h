/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_HIERARCHY_H
#define GPUCACHE_HIERARCHY_H

#include <gpucache/cache.h>
#include <gpucache/coherence.h>
#include <gpucache/config.h>

GPC_BEGIN_DECLS

/*
 * The whole memory system: coalescer, an L1 per SM, networks, L2 slices, DRAM. With `mode = functional` an access
 * completes at once (gpc_hierarchy_access). With `mode = timed` an access is accepted or refused
 * (gpc_hierarchy_try_issue), the clock moves (gpc_hierarchy_advance), and a callback reports the completion.
 */

/* Memory instruction of a warp. */
typedef struct gpc_warp_access {
    size_t struct_size;
    uint32_t sm;       /* below sm.count */
    uint32_t warp;     /* slot within the SM */
    uint32_t warp_age; /* 0 = oldest of the SM; ignored if the library ranks warps (gpc_hierarchy_rank_warps) */
    uint32_t block;    /* linear thread-block index */
    uint64_t pc;
    uint64_t mask;             /* active lanes; bit i = lane i */
    const uint64_t *addresses; /* bytes, an address per set bit of mask, in ascending order of lanes */
    uint32_t width;            /* bytes per lane, 1 to 64 */
    uint8_t kind;              /* gpc_kind */
    /* gpc_space: GLOBAL or LOCAL. INSTRUCTION is refused. Accesses of the rest are counted and go no further */
    uint8_t space;
    uint8_t hint;     /* gpc_hint */
    uint8_t priority; /* gpc_priority */
    uint8_t token;    /* gpc_token, for L1 */
    uint8_t token_l2; /* gpc_token, for L2 */
    uint8_t scope;    /* gpc_scope. Since: 0.2 */
    uint8_t order;    /* gpc_order; see gpc_hierarchy_check_access. Since: 0.2 */
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
 * Local memory is private to a thread. If `local_offsets` is 1, an address is the thread's own offset, as in LDL and
 * STL, and the hierarchy maps the offset to memory. 32-bit words are interleaved over all threads that the GPU can hold
 * at once. Equal words of a warp's 32 lanes therefore lie side by side in 128 bytes ("local memory is organized such
 * that consecutive 32-bit words are accessed by consecutive thread IDs", CUDA C++ Programming Guide, "Device Memory
 * Accesses"). As in GPGPU-Sim (shader_core_ctx::translate_local_memaddr, -gpgpu_local_mem_map 0), word w of thread t is
 * at
 *   2^56 + 2^55 + 4 (w T + t)    t = (sm S + warp) L + lane; L = sm.lanes, S = sm.warps, T = L S sm.count
 *
 * No virtual address of a GPU has bit 56. A thread is a hardware slot, not a thread of a grid: a later warp in the slot
 * finds the lines of an earlier warp. NVIDIA's drivers reserve such an area too: bytes of a warp x warps of an SM x SMs
 * (Mesa, nvc0_screen_resize_tls_area). The lowest 27 bits of an offset count.
 *
 * An access of more than 4 bytes a lane touches several words in several lines. The access is a single request, and the
 * lowest two bits of the offset are ignored. An access of fewer bytes stays within the word. If `local_offsets` is 0,
 * addresses are as mapped by the host. A recording (record.h) has the host's addresses; a replay maps no address twice.
 *
 * gpc_hierarchy_local_address: address of a byte of a thread, for a host that coalesces by itself
 * (gpc_hierarchy_try_transactions, host.h).
 *   sm, warp, lane  below sm.count, sm.warps and sm.lanes; `warp` is the slot within the SM
 *   offset          bytes
 * Returns the address; 0 if an argument is out of range, or if `hierarchy` is NULL. Any thread. Since: 0.2.
 */
GPC_API uint64_t gpc_hierarchy_local_address(const gpc_hierarchy *hierarchy, uint32_t sm, uint32_t warp, uint32_t lane,
                                             uint64_t offset);

/*
 * Check a warp access, and name the fault. gpc_hierarchy_access and gpc_hierarchy_try_issue refuse the same accesses
 * without a reason. Beside numbers out of range, the following are faults:
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
 *   access  struct_size counts, as in gpc_hierarchy_access
 * Returns GPC_OK; GPC_ERROR_ABI; GPC_ERROR_ARGUMENT, `error` naming the field. Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_check_access(const gpc_hierarchy *hierarchy, const gpc_warp_access *access,
                                              gpc_error *error);

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
 * Create a copy of the hierarchy's configuration. For a loaded hierarchy: the configuration in its file. Returns
 * GPC_OK; GPC_ERROR_ARGUMENT; GPC_ERROR_MEMORY. Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_get_config(const gpc_hierarchy *hierarchy, gpc_config **out, gpc_error *error);

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
 * Number of thread blocks of the launch that fit an SM at once (warps, registers, shared memory, block limit); 0 if the
 * SM is too small for a block. Since: 0.1.
 */
GPC_API uint32_t gpc_hierarchy_occupancy(const gpc_hierarchy *hierarchy, const gpc_launch *launch);

/*
 * Run a warp instruction through the functional hierarchy.
 *   result  may be NULL
 * Returns GPC_OK; GPC_ERROR_ABI; GPC_ERROR_ARGUMENT (sm, width, kind, NULL addresses with a mask); GPC_ERROR_CALLBACK;
 * GPC_ERROR_STATE (the hierarchy is timed, or has `l1.future`, which needs a replay); GPC_ERROR_MEMORY (`coherence`:
 * earlier lines of the access are done). Since: 0.1.
 */
GPC_API gpc_status gpc_hierarchy_access(gpc_hierarchy *hierarchy, const gpc_warp_access *access,
                                        gpc_warp_result *result);

/*
 * Batch of warp instructions: an array of `count` elements per field. NULL: the values of GPC_WARP_ACCESS_INIT. Since:
 * 0.2.
 */
typedef struct gpc_access_batch {
    size_t struct_size;
    size_t count;
    uint32_t lanes;            /* columns of `addresses`, 1 to 64 */
    uint32_t width;            /* bytes a lane, if `widths` is NULL; 0 = 4 */
    const uint64_t *addresses; /* [count][lanes]: lane l of instruction n is addresses[n * lanes + l] */
    const uint64_t *masks;     /* active lanes, a bit per lane, below `lanes`; NULL: all lanes */
    const uint64_t *pcs;
    const uint32_t *sms, *warps, *warp_ages, *blocks, *widths;
    const uint8_t *kinds, *spaces, *hints, *scopes, *orders;
    gpc_warp_result *results; /* [count], receives the effect of every instruction; struct_size is set; may be NULL */
    const uint8_t *processes;
} gpc_access_batch;

#define GPC_ACCESS_BATCH_INIT                                                                                       \
    {                                                                                                               \
        sizeof(gpc_access_batch), 0, 32, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, \
            NULL, NULL, NULL                                                                                        \
    }

/*
 * Run warp instructions in order, as gpc_hierarchy_access does.
 *   out_done  receives the number of completed instructions, also after a failure; may be NULL
 * Returns as gpc_hierarchy_access for the first instruction that failed; GPC_ERROR_ARGUMENT also for `lanes`, a mask
 * beyond `lanes`, and NULL addresses. Instructions before the failed instruction are done. The failed instruction and
 * the later ones are not done. Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_access_many(gpc_hierarchy *hierarchy, const gpc_access_batch *batch, size_t *out_done);

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
    uint32_t sm;     /* below sm.count */
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
    GPC_BUSY_REPLY = 7,      /* replies wait for the host's credits (host.h). Since: 0.2 */
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
    uint8_t kind;  /* gpc_kind */
    uint8_t level; /* deepest level that served the access: 1, 2, or 3 = DRAM */
    uint8_t fence; /* 1: completion of gpc_hierarchy_try_fence, with no meaning of `kind`. Since: 0.2 */
    /* 1 + number of the port that made the request (port.h), without sm and warp; 0: from an SM. Since: 0.2 */
    uint8_t port;
    uint8_t reserved[4];
    /*
     * Data of a load, or old values of an atomic with an operation, as in gpc_warp_access.out; also if `out` is NULL.
     * Only with coherence.data, otherwise NULL and 0 bytes. Lives for the call. Since: 0.2
     */
    const uint8_t *values; /* [value_bytes] */
    uint32_t value_bytes;
    /*
     * Core cycles of the access in every gpc_stage (stages.h); the sum is `cycle` - `issued`. Only with stats.stages,
     * otherwise NULL and 0. Lives for the call. Since: 0.2
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
GPC_API gpc_status gpc_hierarchy_set_callbacks(gpc_hierarchy *hierarchy, const gpc_hierarchy_callbacks *callbacks);

/*
 * Offer a warp instruction to its SM's memory pipeline, at the present cycle.
 *   token     comes back with the completion
 *   out_busy  receives the reason of a refusal, GPC_BUSY_NOT if accepted; may be NULL
 * Returns GPC_OK (accepted: completes exactly once, later, or within the call if the instruction touches no memory);
 * GPC_BUSY; GPC_ERROR_STATE (functional); GPC_ERROR_MEMORY, and errors as gpc_hierarchy_access. Since: 0.1.
 */
GPC_API gpc_status gpc_hierarchy_try_issue(gpc_hierarchy *hierarchy, const gpc_warp_access *access, uint64_t token,
                                           gpc_busy *out_busy);

/*
 * Offer a fence to its SM's memory pipeline. The fence passes the pipeline behind all earlier accesses of the SM. Other
 * warps' accesses may overtake a waiting fence. The host must hold back the fence's own warp until completion.
 *   token, out_busy  as in gpc_hierarchy_try_issue; gpc_completion.fence is 1
 * Returns GPC_OK (accepted: completes exactly once, later); GPC_BUSY; GPC_ERROR_ARGUMENT, GPC_ERROR_ABI and
 * GPC_ERROR_UNSUPPORTED as gpc_hierarchy_fence; GPC_ERROR_STATE (functional); GPC_ERROR_MEMORY. Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_try_fence(gpc_hierarchy *hierarchy, const gpc_fence *fence, uint64_t token,
                                           gpc_busy *out_busy);

/*
 * Offer a miss or a write of an L1 line, for a host with its own L1s. The request enters the SM's network port, past
 * coalescer, TLBs and L1.
 *   request  address, sm, kind, space; the bytes, in sectors of 32 bytes and a line of l1.line, as in gpc_request:
 *            sector_mask; or size; or a store's byte_mask; or the whole line if all three are 0. Example: a load of 32
 *            bytes reads 1 sector, and a store of 4 bytes writes 4 bytes. Further fields are for policies of L2.
 *            Reads may be in space CONSTANT, TEXTURE or INSTRUCTION, and L2's policies see the space. They take the
 *            path of GLOBAL reads, and are also counted in l2.constant_read_sectors and related counters. With
 *            l15.size, reads in CONSTANT and INSTRUCTION go to the SM's L1.5, which refuses and becomes ready by itself
 * Returns as gpc_hierarchy_try_issue; gpc_hierarchy_check_miss (ask.h) names the fault. GPC_ERROR_UNSUPPORTED with
 * `coherence`, whose L1s cannot belong to the host, and with coherence.data. Since: 0.1; sizes and further spaces: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_try_miss(gpc_hierarchy *hierarchy, const gpc_request *request, uint64_t token,
                                          gpc_busy *out_busy);

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
 * replies. The clock then stays at the last movement (since 0.2). gpc_hierarchy_check_advance (ask.h) describes every
 * failure in words; for a deadlock it names the waiting units and what they wait for. Since: 0.1.
 */
GPC_API gpc_status gpc_hierarchy_advance(gpc_hierarchy *hierarchy, uint64_t cycles);

/*
 * Next core cycle at which something can happen without the host; UINT64_MAX if never. The host may skip to this cycle.
 * Since: 0.1.
 */
GPC_API uint64_t gpc_hierarchy_next_event(const gpc_hierarchy *hierarchy);

/*
 * Number of threads that share the work of a cycle at present, including the caller. 1 if the caller does all work; 1
 * for NULL. The key `threads` asks for threads. Results do not depend on the number. Callbacks run on the calling
 * thread. The number is never above the number of processors that the process may use.
 *
 * SMs with their L1s are distributed over threads, and L2 slices with their memory channels too. Work that is not
 * separable runs on the calling thread alone:
 *   SMs, L1s          if a callback is set; if a policy, predictor, scheduler or throttle is the host's, or is shared
 *                     by all SMs (rpr, predictors that read a profile); shortly before limit.instructions
 *   slices, channels  if on_fill or on_evict is set; if a policy or predictor is the host's, or is shared by all
 *                     slices; if L2 is inclusive
 *   both              if a trace of events is set
 * Without a clock the threads share the rounds of a replay: SMs with their L1s, then L2 slices. A number of threads is
 * refused if policies are as above, if L1's predictor receives L2's replies (agcb), if l1.future is set, or if L2 is
 * inclusive. A number is also refused without a replay, because accesses then come one by one.
 * Trees of coherent modules, and `coherence.data`, run on 1 thread: a number of threads is refused, and `auto` is 1.
 * on_memory is refused with several threads. If a configuration restricts a side to 1 thread, the log gives the reason
 * (INFO) when the hierarchy is made. After a fork only the parent process can use a hierarchy with several threads.
 * Since: 0.2.
 */
GPC_API uint32_t gpc_hierarchy_threads(const gpc_hierarchy *hierarchy);

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
GPC_API gpc_status gpc_hierarchy_memory_reply(gpc_hierarchy *hierarchy, uint64_t id);
GPC_API gpc_status gpc_hierarchy_memory_ready(gpc_hierarchy *hierarchy, uint32_t channel);

/* Count instructions that touch no memory, so that ratios per instruction are right. Since: 0.1. */
GPC_API void gpc_hierarchy_count_instructions(gpc_hierarchy *hierarchy, uint64_t warp_instructions,
                                              uint64_t thread_instructions, uint64_t blocks);

/*
 * Pass a warp event to the policies of its SM's L1. Returns GPC_OK; GPC_ERROR_ARGUMENT (NULL, sm, kind; see also
 * gpc_hierarchy_rank_warps); GPC_ERROR_MEMORY (with gpc_hierarchy_rank_warps). Since: 0.1.
 */
GPC_API gpc_status gpc_hierarchy_warp_event(gpc_hierarchy *hierarchy, const gpc_warp_event *event);

/*
 * End a sample period: pass the sample of every SM to the policies of its L1, and the sample of every L2 slice to the
 * slice's policies. A replay calls the function by itself (`sample.period`). For a host with its own cores, the host's
 * calls set the length of the period.
 *   samples  [sm.count], struct_size set; the host fills in active_cycles and instructions, the library the rest
 * Returns GPC_OK; GPC_ERROR_ABI; GPC_ERROR_ARGUMENT. Since: 0.1.
 */
GPC_API gpc_status gpc_hierarchy_sample(gpc_hierarchy *hierarchy, const gpc_sample *samples);

/* True if a policy needs samples. Since: 0.1. */
GPC_API bool gpc_hierarchy_wants_samples(const gpc_hierarchy *hierarchy);

/*
 * Write dirty lines down and drop all lines: a context switch, or cold caches. Takes no time in either mode.
 * Returns GPC_OK; GPC_ERROR_ARGUMENT (NULL); GPC_ERROR_STATE (accesses are in flight, or from within a callback).
 * Since: 0.1.
 */
GPC_API gpc_status gpc_hierarchy_flush(gpc_hierarchy *hierarchy);

/* Set all counters to 0. NULL is allowed. Since: 0.1. */
GPC_API void gpc_hierarchy_reset_stats(gpc_hierarchy *hierarchy);

/*
 * Number and names of the objects of a kind ("sm-3", "l2-0", "channel-1", "stream-0"; the name of a network tells what
 * the network connects). Without a clock there are no networks and no channels. Without L1 or L2 the object does not
 * exist. With `streams` = 1 there are no streams.
 *   name, size  buffer of `size` bytes, at least GPC_OBJECT_NAME
 * gpc_hierarchy_object_name returns GPC_OK; GPC_ERROR_RANGE (unknown object, or the name was cut); GPC_ERROR_ARGUMENT.
 * Since: 0.2.
 */
#define GPC_OBJECT_NAME 40
GPC_API uint32_t gpc_hierarchy_object_count(const gpc_hierarchy *hierarchy, gpc_object kind);
GPC_API gpc_status gpc_hierarchy_object_name(const gpc_hierarchy *hierarchy, gpc_object kind, uint32_t index,
                                             char *name, size_t size);

/*
 * Read counters of an object, since creation or the last reset. The values of an SM include its L1. If a kind of object
 * has a counter, the sum over all objects of the kind is the value of the whole.
 *   ids     [count] gpc_counter_info.id, of any table
 *   values  [gpc_counter_values(ids, count)], receives for every id in turn: the value of a counter, all buckets of a
 *           histogram, or numerator and denominator of a ratio. GPC_ABSENT if the object does not have the counter, if
 *           the counter is not measured in this mode or configuration, or if the library does not know the id
 * Returns GPC_OK; GPC_ERROR_RANGE (unknown object); GPC_ERROR_ARGUMENT (a NULL). Since: 0.3.
 */
GPC_API gpc_status gpc_hierarchy_read(const gpc_hierarchy *hierarchy, gpc_object kind, uint32_t index,
                                      const uint32_t *ids, size_t count, uint64_t *values, gpc_error *error);

/*
 * Counters published by policies, over all caches of a level: "l1.replacement.dip.selector", "l2.bypass.agcb-below...",
 * "l2.prefetcher...". Arguments and statuses as gpc_cache_policy_value. If a launch gives L1 another share of a unified
 * memory, its policies start again. Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_policy_value(const gpc_hierarchy *hierarchy, size_t index, gpc_policy_value *value,
                                              gpc_error *error);

/*
 * Cache of the hierarchy, borrowed as long as the hierarchy lives: level 1, instance = SM; level 2, instance = slice.
 * NULL if the cache does not exist. If gpc_hierarchy_begin_kernel gives L1 another share of a unified memory, the L1
 * stays the same object: L1 is then empty, has other sets and ways, and its statistics and policies start again. Since:
 * 0.1.
 */
GPC_API gpc_cache *gpc_hierarchy_cache(gpc_hierarchy *hierarchy, unsigned level, uint32_t instance);

/*
 * Tree of coherent modules that replaces the caches, with `coherence = PROTOCOL`. NULL without `coherence`. Borrowed
 * until the next gpc_hierarchy_begin_kernel, which may make another tree (with L1s of another size and continued
 * statistics).
 *
 * Modules of the tree, in order: "l1-0" and so on, an L1 per SM; "cluster-0" and so on, a cache per `cluster.sms` SMs;
 * "l2-0" and so on, a module per slice; "memory-0" and so on, a module per slice. Use the tree for states, matrices,
 * callbacks and, with `coherence.data`, the bytes of memory. While no access of the hierarchy is in flight, the host
 * may make its own accesses to the tree. They are counted in the tree's statistics and take no time.
 *
 * Loads are LOAD, stores N_STORE, atomics and reductions STORE, all performed in L1. The hint CG sets the bit GLC, CV
 * sets both bits, WT sets both bits. The start of a kernel is an acquire. If L1 changes its size, the whole tree is
 * emptied (l1.carveout).
 *
 * If a tree cannot support a key's value, creating the hierarchy fails and names the key. A key without effect is
 * refused too, if the host has set a value other than the default; values of presets are reported in the context's log
 * (gpc_config_set). Keys without effect in all trees: l1.banks (except with l1.bank_index = hopper), l2.banks,
 * l2.mshr_merges (a request for a block in use waits, or is refused: `coherence.conflict`, GPC_PROTOCOL_RETRY),
 * l2.write_to_read, l1.bypass_fetch, l1.bypass_latency, l1.bypass_queue, l1.combine_*, network.write_mask, sm.bulk_*,
 * and l1.future unless a policy asks for the next use. With directories: l1.atomics, l1.invalidate_rate. Without
 * directories: l2.inclusion, cluster.inclusion, coherence.directory_*, coherence.memory_*, and l1.write_allocate* if
 * L1s keep no line of a store miss.
 *
 * Back-pressure comes from l1.mshr_entries, l1.miss_queue, the networks, l2.queue, l2.miss_queue, l2.reply_queue and
 * l2.mshr_entries. If a read or write request makes its slice ask memory, the request has an MSHR entry from its lookup
 * until its answer is sent. Without a free entry the request is refused or waits, and the requests behind wait too,
 * hits included. Clusters have the ports of a slice, and no MSHR limit. Since: 0.1.
 */
GPC_API gpc_coherence *gpc_hierarchy_coherence(gpc_hierarchy *hierarchy);

GPC_END_DECLS

#include <gpucache/snapshot.h>

#endif
