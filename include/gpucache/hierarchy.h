/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_HIERARCHY_H
#define GPUCACHE_HIERARCHY_H

#include <gpucache/cache.h>
#include <gpucache/coherence.h>
#include <gpucache/config.h>

GPC_BEGIN_DECLS

/*
 * The whole memory system: coalescer, an L1 per SM, networks, L2 slices, DRAM.
 * With `mode = functional` an access completes at once (gpc_hierarchy_access).
 * With `mode = timed` it is accepted or refused (gpc_hierarchy_try_issue), the
 * clock moves (gpc_hierarchy_advance), and a callback tells of its completion.
 */

/* One warp's memory instruction. */
typedef struct gpc_warp_access {
    size_t struct_size;
    uint32_t sm;       /* below sm.count */
    uint32_t warp;     /* slot within the SM */
    uint32_t warp_age; /* 0 = oldest of the SM; or the library says (gpc_hierarchy_rank_warps) */
    uint32_t block;    /* linear thread-block index */
    uint64_t pc;
    uint64_t mask;             /* active lanes; bit i = lane i */
    const uint64_t *addresses; /* bytes, one per set bit of mask, ascending lanes */
    uint32_t width;            /* bytes per lane, 1 to 64 */
    uint8_t kind;              /* gpc_kind */
    uint8_t space;             /* gpc_space: GLOBAL or LOCAL; others but INSTRUCTION are counted and go no further */
    uint8_t hint;              /* gpc_hint */
    uint8_t priority;          /* gpc_priority */
    uint8_t token;             /* gpc_token, for L1 */
    uint8_t token_l2;          /* likewise, for L2 */
    uint8_t scope;             /* gpc_scope. Since: 0.2 */
    uint8_t order;             /* gpc_order; see gpc_hierarchy_check_access. Since: 0.2 */
    uint8_t atomic;            /* gpc_atomic_op of an atomic or reduction. Since: 0.2 */
    uint8_t stream;            /* that counts it, below the key `streams`. Since: 0.2 */
    uint8_t copy;              /* gpc_copy: NONE; of a load of global memory ASYNC; or BULK. Since: 0.2 */
    uint8_t process;           /* of `addresses`, below GPC_PROCESSES (types.h). Since: 0.2 */
    /*
     * With coherence.data alone, otherwise NULL: values, [set bits of mask][width], in the order of `addresses`.
     * `bytes`: what stores, and atomics and reductions without an operation, write (NULL: zeroes); where lanes overlap,
     * the last one's. `out` receives what a load reads, when the access is done, and must stay until then;
     * gpc_completion has it, too. Since: 0.2
     *
     * With an operation `width` is 4 or 8, addresses are multiples of it, `bytes` has the operands, `compare` what
     * COMPARE_SWAP compares with (NULL: zeroes), and `out` of an atomic receives what each lane has found. Lanes follow
     * one another in ascending order: of those that share an address, each finds what the one before has left. Lanes
     * of a line are done in one go, where `coherence` performs a coherent store; in L2, where it is none or viper. In
     * these values are of use only as far as L1s and fences make them so: a load that hits has what its L1 has kept.
     * Since: 0.2
     */
    const uint8_t *bytes;
    uint8_t *out;
    const uint8_t *compare;
    /*
     * Of a BULK load: the SMs into whose shared memory it goes, each once, of its own GPC where hardware does it (PTX
     * ISA, "cp.async.bulk", .multicast::cluster); NULL, 0: its own SM. L2 reads and the request network carries it
     * once, and a reply goes to each: with a clock it completes once for each, gpc_completion.sm being that one.
     * Since: 0.2
     */
    const uint32_t *multicast;
    uint32_t multicast_count; /* 1 to 16 */
    uint8_t local_offsets;    /* of space LOCAL: 0, `addresses` are as the host maps them; 1, see below. Since: 0.2 */
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
 * Local memory is private to a thread. With `local_offsets` = 1 an address is the thread's own offset, as LDL and STL
 * have it, and the hierarchy says where the offset lies: 32-bit words are interleaved over the threads that the GPU can
 * have at once, so that a word of a warp's 32 lanes is 128 bytes side by side ("local memory is organized such that
 * consecutive 32-bit words are accessed by consecutive thread IDs", CUDA C++ Programming Guide, "Device Memory
 * Accesses"). As in GPGPU-Sim (shader_core_ctx::translate_local_memaddr, -gpgpu_local_mem_map 0) word w of thread t
 * is at
 *   2^56 + 2^55 + 4 (w T + t)    t = (sm S + warp) L + lane; L = sm.lanes, S = sm.warps, T = L S sm.count
 * No virtual address of a GPU has bit 56. A thread is a slot of the hardware, and not a thread of a grid: a later warp
 * in the slot finds the lines of an earlier warp, as in the area of NVIDIA's drivers, which holds the bytes of a warp
 * times the warps of an SM times the SMs (Mesa, nvc0_screen_resize_tls_area). The lowest 27 bits of an offset count.
 *
 * An access of more than 4 bytes a lane touches several words, in as many lines, and is one request; the lowest two
 * bits of the offset do not count. An access of fewer bytes stays within the word. With 0 addresses are as the host
 * maps local memory. A replay of a recording (record.h) has the addresses that the host gave, and maps none twice.
 *
 * The address of a byte of a thread, for a host that coalesces by itself (gpc_hierarchy_try_transactions, host.h):
 *   sm, warp, lane  below sm.count, sm.warps and sm.lanes; `warp` is the slot within the SM
 *   offset          bytes
 * Returns the address; 0 where an argument is out of range, or `hierarchy` is NULL. Any thread. Since: 0.2.
 */
GPC_API uint64_t gpc_hierarchy_local_address(const gpc_hierarchy *hierarchy, uint32_t sm, uint32_t warp, uint32_t lane,
                                             uint64_t offset);

/*
 * Is a warp access well formed? gpc_hierarchy_access and gpc_hierarchy_try_issue refuse what this does, without saying
 * why. Beside numbers out of range these are contradictions:
 *   - an address beyond 57 bits in a process above 0, or in a hierarchy with several processes (types.h);
 *   - an order that its kind cannot have: SC is for fences; a load cannot RELEASE, a store or reduction cannot ACQUIRE,
 *     a prefetch is WEAK;
 *   - a scope with order WEAK, which has none;
 *   - space INSTRUCTION: no warp instruction reads code; what a host's own caches of constants, textures and code miss
 *     enters below L1, by gpc_hierarchy_try_miss;
 *   - `bytes` or `out` without coherence.data; `out` of what tells nothing: of kinds beside loads, and atomics with an
 *     operation; `bytes` of a load or prefetch;
 *   - an operation (`atomic`) without coherence.data, of another kind than atomics and reductions, of a width that is
 *     not 4 or 8, or at an address that is no multiple of it; `compare` of an operation other than COMPARE_SWAP;
 *   - a load of an order above WEAK and a scope above CTA with hint CA: it may not be served from L1, which others do
 *     not see. With any other hint it is taken as CG, at scope SYS as CV (as SASS's LD.STRONG.GPU and .SYS): past L1,
 *     where l1.bypass heeds hints. CG, CV and NO_ALLOCATE, which say that themselves, stand;
 *   - `copy` of another kind than loads, of another space than GLOBAL, of a width other than 4, 8 and 16, with an order
 *     above WEAK, or with `out`: what it reads goes into shared memory;
 *   - `copy` BULK of an atomic, of another space than GLOBAL, with an order above WEAK, in a tree of coherent modules,
 *     or with coherence.data. Its lanes are rows of `width` bytes, 1 to 65536, each at its address: of a range one, of
 *     a box of a tensor each row of it. They are requested of L2 line by line, past L1 (sm.bulk_rate and the like), and
 *     it completes with the last reply: a load into shared memory; a store or a reduction from there; a prefetch;
 *   - `local_offsets` above 1, of another space than LOCAL, of a warp not below sm.warps, with `bytes`, `out`,
 *     `compare` or `atomic`, or of more than 256 words: words of a lane times lanes;
 *   - space MIXED, which an access of a host cannot have: the lanes of a space are an access;
 *   - `multicast` of another access than a BULK load, of none or more than 16 SMs, of one twice, or that there is not;
 *   - with a clock, an order above RELAXED at a scope above CTA under a protocol without directories (vi, slc-glc).
 * At a scope above CTA an access that releases is as one with a fence of RELEASE before it: with a clock it passes L1's
 * tags once that is done, and later accesses may pass it. One that acquires is as one with a fence of ACQUIRE behind
 * it, which is done when the access completes. They are not counted as fences; what L1 drops is.
 *   access  its struct_size counts, as there
 * Returns GPC_OK; GPC_ERROR_ABI; GPC_ERROR_ARGUMENT, `error` naming the field. Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_check_access(const gpc_hierarchy *hierarchy, const gpc_warp_access *access,
                                              gpc_error *error);

/* What one functional warp access did. */
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

/* A kernel's needs, from which the share of L1 in a unified memory follows. */
typedef struct gpc_launch {
    size_t struct_size;
    uint32_t threads;      /* per block */
    uint32_t registers;    /* per thread */
    uint32_t shared_bytes; /* per block */
    uint32_t reserved;
    uint64_t code_bytes; /* instructions that the kernel fetches; 0 = unknown */
} gpc_launch;

#define GPC_LAUNCH_INIT \
    { sizeof(gpc_launch), 0, 0, 0, 0, 0 }

/*
 * Create from a configuration, which is copied.
 * Returns GPC_OK; GPC_ERROR_ARGUMENT or GPC_ERROR_RANGE naming the key;
 * GPC_ERROR_NOT_FOUND (a policy); GPC_ERROR_MEMORY. Since: 0.1.
 */
GPC_API gpc_status gpc_hierarchy_create(gpc_context *context, const gpc_config *config, gpc_error *error,
                                        gpc_hierarchy **out);
GPC_API void gpc_hierarchy_destroy(gpc_hierarchy *hierarchy);

/*
 * A new configuration with what the hierarchy was made from; of one that was loaded, what its file says.
 * Returns GPC_OK; GPC_ERROR_ARGUMENT; GPC_ERROR_MEMORY. Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_get_config(const gpc_hierarchy *hierarchy, gpc_error *error, gpc_config **out);

/*
 * A kernel begins: L1 is resized to what the launch's shared memory leaves (l1.carveout), caches are flushed as
 * `kernels.flush` says, and launch overhead is charged. `launch` may be NULL: the largest L1.
 * A flush takes no time, but for `l1` in a tree of modules with a clock: it begins with the next cycle, its messages
 * cross the networks, and accesses that are accepted meanwhile wait before L1's tags; gpc_hierarchy_in_flight counts
 * it as one.
 * Returns GPC_OK; GPC_ERROR_RANGE (the block does not fit an SM); GPC_ERROR_STATE (something is in flight). Since: 0.1.
 */
GPC_API gpc_status gpc_hierarchy_begin_kernel(gpc_hierarchy *hierarchy, const gpc_launch *launch, gpc_error *error);

/*
 * Thread blocks of this launch that fit an SM at once (warps, registers, shared memory, block limit); 0 if none does.
 * Since: 0.1.
 */
GPC_API uint32_t gpc_hierarchy_occupancy(const gpc_hierarchy *hierarchy, const gpc_launch *launch);

/*
 * One warp instruction through the functional hierarchy.
 *   result  may be NULL
 * Returns GPC_OK; GPC_ERROR_ABI; GPC_ERROR_ARGUMENT (sm, width, kind, NULL addresses with a mask);
 * GPC_ERROR_CALLBACK; GPC_ERROR_STATE (the hierarchy is timed, or has `l1.future`, which only a replay knows);
 * GPC_ERROR_MEMORY (`coherence`: the lines before that had room are done). Since: 0.1.
 */
GPC_API gpc_status gpc_hierarchy_access(gpc_hierarchy *hierarchy, const gpc_warp_access *access,
                                        gpc_warp_result *result);

/* Warp instructions, field by field in arrays of `count`; NULL: as GPC_WARP_ACCESS_INIT has it. Since: 0.2. */
typedef struct gpc_access_batch {
    size_t struct_size;
    size_t count;
    uint32_t lanes;            /* columns of `addresses`, 1 to 64 */
    uint32_t width;            /* bytes a lane, of those for which `widths` says nothing; 0 = 4 */
    const uint64_t *addresses; /* [count][lanes]: lane l of instruction n is addresses[n * lanes + l] */
    const uint64_t *masks;     /* active lanes, a bit each, below `lanes`; NULL: all of them */
    const uint64_t *pcs;
    const uint32_t *sms, *warps, *warp_ages, *blocks, *widths;
    const uint8_t *kinds, *spaces, *hints, *scopes, *orders;
    gpc_warp_result *results; /* [count] receives what each did; struct_size is set; NULL */
    const uint8_t *processes;
} gpc_access_batch;

#define GPC_ACCESS_BATCH_INIT                                                                                       \
    {                                                                                                               \
        sizeof(gpc_access_batch), 0, 32, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, \
            NULL, NULL, NULL                                                                                        \
    }

/*
 * Warp instructions in order, each as gpc_hierarchy_access would take it.
 *   out_done  receives how many were done, also after a failure; may be NULL
 * Returns as gpc_hierarchy_access, of the first that failed; GPC_ERROR_ARGUMENT also for `lanes`, a mask beyond them,
 * and NULL addresses. Those before it are done, and those behind it are not. Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_access_many(gpc_hierarchy *hierarchy, const gpc_access_batch *batch, size_t *out_done);

/*
 * A fence, or an instruction that controls the SM's L1, of one warp.
 *
 * A fence of RELEASE, ACQ_REL or SC waits until every store, atomic and reduction that its SM issued before it has been
 * performed where the threads of its scope meet: at scope CTA in the SM's L1, whose tags they have passed; at the
 * others in L2, whose acknowledgement has come back. Those of the whole SM, not of the warp alone, for order is
 * transitive: what other warps of the block wrote before a barrier is published by whichever of them fences after it
 * (PTX ISA, "Causality order"). Loads of its own that a warp must have done before are its host's to wait for: it has
 * their data then.
 *
 * What ACQUIRE, ACQ_REL and SC do in L1 is the protocol's, after that wait:
 *   coherence = none   nothing: a fence orders, and what an L1 holds is as stale as it was. As on NVIDIA's GPUs, where
 *                      MEMBAR is followed by CCTL.IVALL: `control`
 *   coherence = viper  at scopes above CTA the SM's L1 drops all that it holds
 *   another, with directories (msi to nmoesi)     nothing: no L1 holds what is old. NMOESI's non-coherent stores are
 *                      performed in L1, and others see them when their line is written back, fence or not
 *   another, without (vi, slc-glc)  at scopes above CTA the protocol's ACQUIRE rules are applied to all that the SM's
 *                      L1 and its cluster's cache hold; where L1s keep what was stored (slc-glc), before a RELEASE, too
 *   hmg                at scopes above CTA L1 drops all that it holds; caches below are kept coherent. A RELEASE of
 *                      a scope in which several of these are (SYS; with clusters or partitions, GPU as well) sends
 *                      markers behind the invalidations of earlier stores, and waits for their answers
 *   nmoesi-d           at scopes above CTA an acquire drops the copies of L1 that no directory knows of
 * `control` is carried out whatever the protocol. Lines go at l1.invalidate_rate a cycle, in which L1's tags serve
 * nobody; dirty ones are first written to L2 and acknowledged, a packet each. Lines that are on their way then do not
 * stay when they arrive, and the fence waits for them. In a tree the cluster's cache is told by a message, and
 * acknowledges, before L1 begins; lines that the rules write back leave one a cycle.
 */
typedef struct gpc_fence {
    size_t struct_size;
    uint32_t sm;     /* below sm.count */
    uint32_t warp;   /* slot within the SM */
    uint8_t scope;   /* gpc_scope */
    uint8_t order;   /* gpc_order: ACQUIRE, RELEASE, ACQ_REL or SC; WEAK: `control` alone, and scope CTA */
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
 * A fence in a functional hierarchy, where accesses are done when they return: what is left is what it does in L1.
 * Returns GPC_OK; GPC_ERROR_ABI; GPC_ERROR_ARGUMENT, `error` naming the field; GPC_ERROR_UNSUPPORTED (in a tree of
 * modules: `control`); GPC_ERROR_STATE (the hierarchy is timed: gpc_hierarchy_try_fence; or of
 * gpc_coherence_acquire), GPC_ERROR_MEMORY, GPC_ERROR_CALLBACK. Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_fence(gpc_hierarchy *hierarchy, const gpc_fence *fence, gpc_error *error);

/* What a timed hierarchy was busy with when it refused: what the SM's memory pipeline waits for. */
typedef enum gpc_busy {
    GPC_BUSY_NOT = 0,
    GPC_BUSY_PIPELINE = 1,   /* earlier instructions are on their way through the tags */
    GPC_BUSY_LINE = 2,       /* line reservation failure: every way of the set is reserved */
    GPC_BUSY_MSHR = 3,       /* no MSHR entry */
    GPC_BUSY_MERGE = 4,      /* the line's MSHR entry takes no further request */
    GPC_BUSY_MISS_QUEUE = 5, /* L1's miss queue is full */
    GPC_BUSY_NETWORK = 6,    /* likewise, and its head waits for the network */
    GPC_BUSY_REPLY = 7,      /* replies wait for the host's credits (host.h). Since: 0.2 */
    GPC_BUSY_COUNT
} gpc_busy;

/*
 * A warp access, or a request of gpc_hierarchy_try_miss, is done: a load and an atomic have their data in the SM. A
 * store is done
 *   that L1 passes on (l1.write_policy through or evict, no write allocation on a miss, no L1, a bypass; a miss of a
 *   host's own L1), a reduction likewise: when L2's acknowledgement is back. L2 has the bytes then, or sent them to
 *   memory (without L2, or past it); DRAM may not have them yet. `level` is 2, or 3 where L2 fetched the rest of a
 *   sector, or passed it on
 *   that L1 keeps (l1.write_policy = back): when its bytes are in L1, at once after a hit or a lazy fetch, with
 *   write_allocate = fetch after a miss when the fetch is back; if L1 also writes it through, when both are
 *   in a tree of coherent modules: when its L1, or the module that performs it in its place, has the right to write it
 *   and has; with sm.lsu_waits = false, once it has begun
 * So a write-back of a line is nobody's: it is posted. A prefetch is done as a load is. gpc_hierarchy_try_fence waits
 * for what stores do not: others of its scope see them.
 */
typedef struct gpc_completion {
    uint64_t token;  /* the host's */
    uint64_t issued; /* core cycle at which it was accepted */
    uint64_t cycle;  /* present core cycle */
    uint32_t sm, warp;
    uint8_t kind;  /* gpc_kind */
    uint8_t level; /* deepest that served it: 1, 2, or 3 = DRAM */
    uint8_t fence; /* 1: of gpc_hierarchy_try_fence; `kind` says nothing then. Since: 0.2 */
    uint8_t port; /* 1 + number of the port whose request it was (port.h), with no sm or warp; 0: an SM's. Since: 0.2 */
    uint8_t reserved[4];
    /*
     * With coherence.data, of a load or an atomic with an operation: what its lanes have found, as gpc_warp_access.out
     * receives it, whether it has one or not; lives for the call. Else NULL, and 0 bytes. Since: 0.2
     */
    const uint8_t *values; /* [value_bytes] */
    uint32_t value_bytes;
    /*
     * With stats.stages, core cycles that it has spent in each gpc_stage (stages.h): they sum up to `cycle` - `issued`;
     * lives for the call. Else NULL, and 0. Since: 0.2
     */
    uint32_t stage_count;
    const uint64_t *stages; /* [stage_count] */
} gpc_completion;

/* A transfer to or from memory, where the host replaces DRAM. A read may have bytes between those that are needed. */
typedef struct gpc_memory_request {
    uint64_t address; /* bytes, aligned to 32 */
    uint64_t id;      /* for gpc_hierarchy_memory_reply; reads only */
    uint32_t bytes;   /* 32 to 128 */
    uint32_t channel; /* that DRAM would have had it in */
    uint8_t write;    /* 1 = posted, no reply */
    uint8_t process;  /* of `address` (types.h). Since: 0.2 */
    uint8_t reserved[6];
} gpc_memory_request;

/*
 * What a timed hierarchy tells its host, from within gpc_hierarchy_advance and
 * gpc_hierarchy_drain only, and on_complete also for what completes at once. None
 * may call into the hierarchy, except on_complete, on_ready and on_memory
 * gpc_hierarchy_now. NULL = not called.
 */
typedef struct gpc_hierarchy_callbacks {
    size_t struct_size;
    void *user_data;
    /* Once for every accepted access. */
    void (*on_complete)(void *user_data, const gpc_completion *completion);
    /* Back-pressure is over: an SM that refused may accept again. */
    void (*on_ready)(void *user_data, uint32_t sm);
    /*
     * `sectors` of a line became valid in a cache of `level` 1 or 2. `request` lives for the call, and has the line's
     * process. With `coherence` neither this nor on_evict is called: gpc_coherence_callbacks of
     * gpc_hierarchy_coherence are.
     */
    void (*on_fill)(void *user_data, unsigned level, uint32_t instance, uint64_t line_address, uint8_t sectors,
                    const gpc_request *request);
    /* A line left a cache. Its address is that within the instance: for L2 the slice's own, in every process. */
    void (*on_evict)(void *user_data, unsigned level, uint32_t instance, const gpc_eviction *eviction);
    /*
     * Replaces DRAM: called for each transfer, returns whether it was taken. After a false the transfer is offered
     * again once gpc_hierarchy_memory_reply or _ready was called for the channel.
     */
    bool (*on_memory)(void *user_data, const gpc_memory_request *request);
} gpc_hierarchy_callbacks;

#define GPC_HIERARCHY_CALLBACKS_INIT \
    { sizeof(gpc_hierarchy_callbacks), NULL, NULL, NULL, NULL, NULL, NULL }

/*
 * Set the callbacks, which are copied; NULL clears them. on_memory only while nothing is in flight.
 * Returns GPC_OK; GPC_ERROR_ABI; GPC_ERROR_ARGUMENT; GPC_ERROR_STATE (functional, or in flight). Since: 0.1.
 */
GPC_API gpc_status gpc_hierarchy_set_callbacks(gpc_hierarchy *hierarchy, const gpc_hierarchy_callbacks *callbacks);

/*
 * Offer one warp instruction to its SM's memory pipeline, at the present cycle.
 *   token    comes back with the completion
 *   out_busy receives why it was refused, GPC_BUSY_NOT if it was not; may be NULL
 * Returns GPC_OK (accepted: completes exactly once, later, or within this call if
 * it touches no memory); GPC_BUSY; GPC_ERROR_STATE (functional); GPC_ERROR_MEMORY, and errors
 * as gpc_hierarchy_access. Since: 0.1.
 */
GPC_API gpc_status gpc_hierarchy_try_issue(gpc_hierarchy *hierarchy, const gpc_warp_access *access, uint64_t token,
                                           gpc_busy *out_busy);

/*
 * Offer a fence to its SM's memory pipeline, which it passes behind all that the SM has issued. Others may pass it
 * while it waits; its own warp is the host's to hold back until it completes.
 *   token, out_busy  as in gpc_hierarchy_try_issue; gpc_completion.fence is 1
 * Returns GPC_OK (accepted: completes exactly once, later); GPC_BUSY; GPC_ERROR_ARGUMENT, GPC_ERROR_ABI and
 * GPC_ERROR_UNSUPPORTED as gpc_hierarchy_fence; GPC_ERROR_STATE (functional); GPC_ERROR_MEMORY. Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_try_fence(gpc_hierarchy *hierarchy, const gpc_fence *fence, uint64_t token,
                                           gpc_busy *out_busy);

/*
 * As gpc_hierarchy_try_issue, for a host with L1s of its own: a miss or a write of one L1 line enters
 * the SM's network port, past coalescer, TLBs and L1.
 *   request  address, sm, kind, space; and which bytes, as gpc_request says, in sectors of 32 bytes and a line of
 *            l1.line: sector_mask; or size; or a store's byte_mask; or, without any, the whole line. So a load of 32
 *            bytes reads one sector, and a store of 4 writes 4 bytes. Whatever else policies of L2 are to see.
 *            Reads may be in space CONSTANT, TEXTURE or INSTRUCTION, which is what L2's policies see, too: they go as
 *            those of GLOBAL do, and are counted besides as l2.constant_read_sectors and so on; but with l15.size
 *            those of CONSTANT and INSTRUCTION go to the SM's L1.5, which refuses, and is ready, by itself
 * Returns as gpc_hierarchy_try_issue, gpc_hierarchy_check_miss (ask.h) says what is wrong; GPC_ERROR_UNSUPPORTED with
 * `coherence`, whose L1s cannot be the host's, and with coherence.data. Since: 0.1; sizes and further spaces: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_try_miss(gpc_hierarchy *hierarchy, const gpc_request *request, uint64_t token,
                                          gpc_busy *out_busy);

/* The present core cycle. Since: 0.1. */
GPC_API uint64_t gpc_hierarchy_now(const gpc_hierarchy *hierarchy);

/*
 * Move the clock by `cycles` core cycles; what happens in them calls back.
 * Returns GPC_OK; GPC_ERROR_STATE (functional); GPC_ERROR_CALLBACK (a policy chose an
 * impossible victim: the hierarchy can then only be destroyed), likewise GPC_ERROR_STATE with `coherence` (the
 * protocol has no rule); GPC_ERROR_MEMORY (`coherence`, several `threads`, and fences that write dirty lines back: the
 * clock has stopped before `cycles` were over, one waits, and goes on with the next call); GPC_ERROR_ARGUMENT (NULL, a
 * cycle beyond the last). GPC_ERROR_STATE also where something is under way that can never end: nothing is due any
 * more, or for `deadlock.cycles` no packet has come or gone, and the host owes neither memory's data, nor memory's
 * readiness, nor credits for replies. The clock then stays where things last moved (since 0.2). In each case
 * gpc_hierarchy_check_advance (ask.h) says it in words: of a deadlock who waits for whom. Since: 0.1.
 */
GPC_API gpc_status gpc_hierarchy_advance(gpc_hierarchy *hierarchy, uint64_t cycles);

/*
 * The next core cycle at which anything can happen without the host, UINT64_MAX if none: it may skip up to there.
 * Since: 0.1.
 */
GPC_API uint64_t gpc_hierarchy_next_event(const gpc_hierarchy *hierarchy);

/*
 * Threads that share the work of a cycle at present, the caller's included; 1 where it has all of it, for NULL, too.
 * The key `threads` asks for them. Results are the same, and callbacks come on the thread that calls.
 *
 * There are never more than processors that the process may run on. SMs with their L1s are shared out, and so are L2
 * slices with their memory channels; each of the two has one thread, the caller's, where its work is not separable:
 *
 *   SMs, L1s          callbacks of any kind are set; a policy, predictor, scheduler or throttle is the host's, or is
 *                     one for all SMs (rpr, predictors that read a profile); shortly before limit.instructions
 *   slices, channels  on_fill or on_evict is set; a policy or predictor is the host's or is one for all slices; L2 is
 *                     inclusive
 *   both              a trace of events is set
 *
 * Without a clock they share a replay's rounds: SMs with their L1s, then L2 slices. A number is refused where policies
 * are as above, L1's predictor hears L2's replies (agcb), l1.future is set, or L2 is inclusive; and of a hierarchy by
 * itself, whose accesses come one by one.
 *
 * Trees of coherent modules, and `coherence.data`, have one thread: there a number of threads is refused, and `auto` is
 * one. on_memory is refused with several. Which side has one thread by configuration, and why, is logged (INFO) when
 * the hierarchy is made. A process that forks goes on with a hierarchy of several threads in the parent alone.
 * Since: 0.2.
 */
GPC_API uint32_t gpc_hierarchy_threads(const gpc_hierarchy *hierarchy);

/* Warp accesses and requests accepted and not yet completed. Since: 0.1. */
GPC_API uint64_t gpc_hierarchy_in_flight(const gpc_hierarchy *hierarchy);

/*
 * Advance until nothing is in flight, write-backs included.
 * Returns as gpc_hierarchy_advance; GPC_ERROR_STATE also where nothing moves any more
 * (`deadlock.cycles`): `error` then names who waits for whom. Since: 0.1.
 */
GPC_API gpc_status gpc_hierarchy_drain(gpc_hierarchy *hierarchy, gpc_error *error);

/*
 * The host's memory has the data of a read, or has room in a channel again. GPC_ERROR_ARGUMENT for an unknown id.
 * Since: 0.1.
 */
GPC_API gpc_status gpc_hierarchy_memory_reply(gpc_hierarchy *hierarchy, uint64_t id);
GPC_API gpc_status gpc_hierarchy_memory_ready(gpc_hierarchy *hierarchy, uint32_t channel);

/* Count instructions that touch no memory, so that ratios per instruction are right. Since: 0.1. */
GPC_API void gpc_hierarchy_count_instructions(gpc_hierarchy *hierarchy, uint64_t warp_instructions,
                                              uint64_t thread_instructions, uint64_t blocks);

/*
 * Pass a warp event to the policies of its SM's L1. Returns GPC_OK; GPC_ERROR_ARGUMENT (NULL, sm, kind; with
 * gpc_hierarchy_rank_warps also what that says); GPC_ERROR_MEMORY (likewise). Since: 0.1.
 */
GPC_API gpc_status gpc_hierarchy_warp_event(gpc_hierarchy *hierarchy, const gpc_warp_event *event);

/*
 * A period ended: pass a sample of each SM to the policies of its L1, and each L2 slice's to its own. A replay does so
 * itself (`sample.period`); a host with cores of its own calls this as often as its policies are to decide.
 *   samples  [sm.count], struct_size set; the host fills in active_cycles and instructions, the library the rest
 * Returns GPC_OK; GPC_ERROR_ABI; GPC_ERROR_ARGUMENT. Since: 0.1.
 */
GPC_API gpc_status gpc_hierarchy_sample(gpc_hierarchy *hierarchy, const gpc_sample *samples);

/* Does any policy want samples? Since: 0.1. */
GPC_API bool gpc_hierarchy_wants_samples(const gpc_hierarchy *hierarchy);

/*
 * Write dirty lines down and drop everything: a context switch, or cold caches. In no time, whatever the mode.
 * GPC_ERROR_STATE while accesses are in flight. Since: 0.1.
 */
GPC_API gpc_status gpc_hierarchy_flush(gpc_hierarchy *hierarchy);

/*
 * Statistics of the whole since creation or the last reset; what is not measured is 0.
 *   layout, stats  the host's struct, which keeps its struct_size
 * Returns GPC_OK; GPC_ERROR_ARGUMENT; GPC_ERROR_ABI. Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_get_stats_as(const gpc_hierarchy *hierarchy, const gpc_layout *layout, void *stats);
GPC_API void gpc_hierarchy_reset_stats(gpc_hierarchy *hierarchy);

/* The same for gpc_stats. Since: 0.1. */
static inline gpc_status gpc_hierarchy_get_stats(const gpc_hierarchy *hierarchy, gpc_stats *stats) {
    return gpc_hierarchy_get_stats_as(hierarchy, gpc_stats_layout(), stats);
}

/*
 * Values by object: how many of a kind there are, and their names ("sm-3", "l2-0", "channel-1", "stream-0"; of a
 * network whom it connects). Without a clock there are no networks and no channels; without L1, or L2, none of these;
 * with `streams` = 1 no streams.
 *   name, size  buffer of `size` bytes, at least GPC_OBJECT_NAME
 * gpc_hierarchy_object_name returns GPC_OK; GPC_ERROR_RANGE (no such object, or the name was cut); GPC_ERROR_ARGUMENT.
 * Since: 0.2.
 */
#define GPC_OBJECT_NAME 40
GPC_API uint32_t gpc_hierarchy_object_count(const gpc_hierarchy *hierarchy, gpc_object kind);
GPC_API gpc_status gpc_hierarchy_object_name(const gpc_hierarchy *hierarchy, gpc_object kind, uint32_t index,
                                             char *name, size_t size);

/*
 * Values of some counters of an object, since creation or the last reset. An SM's include its L1's. A sum over the
 * objects of a kind that has a counter is the whole's value.
 *   ids     [count] gpc_counter_info.id, of any table
 *   values  [count] receives them; GPC_ABSENT where the object does not have the counter, where it is not measured in
 *           this mode or configuration, and where the library does not know the id
 * Returns GPC_OK; GPC_ERROR_RANGE (no such object); GPC_ERROR_ARGUMENT (a NULL, the id of a histogram or a ratio).
 * Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_read(const gpc_hierarchy *hierarchy, gpc_object kind, uint32_t index,
                                      const uint32_t *ids, size_t count, uint64_t *values);

/*
 * A histogram of an object.
 *   values      [length] receives its buckets; the last also what is beyond, those that it does not have 0
 *   out_length  receives how many it has, 0 where it is absent and nothing was written; may be NULL
 * Returns as gpc_hierarchy_read; GPC_ERROR_ARGUMENT also for a length of 0, and where the id is of no histogram.
 * Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_read_histogram(const gpc_hierarchy *hierarchy, gpc_object kind, uint32_t index,
                                                uint32_t id, uint64_t *values, size_t length, size_t *out_length);

/*
 * Counters that policies publish of themselves, over all caches of a level: "l1.replacement.dip.selector",
 * "l2.bypass.agcb-below...", "l2.prefetcher...". As gpc_cache_policy_value. Policies begin anew where a launch gives L1
 * another share of a unified memory. Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_policy_value(const gpc_hierarchy *hierarchy, size_t index, gpc_policy_value *value);

/*
 * A cache of the hierarchy, borrowed as long as that lives: level 1, instance = SM; level 2, instance = slice. NULL if
 * there is none. An L1 stays the same object where gpc_hierarchy_begin_kernel gives it another share of a unified
 * memory: it is empty then, of other sets and ways, and its statistics and policies begin anew. Since: 0.1.
 */
GPC_API gpc_cache *gpc_hierarchy_cache(gpc_hierarchy *hierarchy, unsigned level, uint32_t instance);

/*
 * With `coherence = PROTOCOL`: the tree that is in place of the caches, borrowed until the next
 * gpc_hierarchy_begin_kernel, which may make another (of L1s of another size, with the same statistics). NULL without.
 * Its modules in this order: "l1-0" and so on, one an SM; "cluster-0" and so on, one for each `cluster.sms` SMs; "l2-0"
 * and so on, one a slice; "memory-0" and so on, one a slice. For its states, matrices, callbacks and, with
 * `coherence.data`, memory's bytes; an access of the host's own, while none of the hierarchy's is in flight, is in its
 * statistics, and takes no time.
 *
 * Loads are LOAD, stores N_STORE, atomics and reductions STORE, all performed in L1; the hints CG, CV and WT are the
 * bits GLC, both, and both. A kernel's begin is an acquire. An L1 of another size empties everything (l1.carveout).
 * What a tree cannot do is refused when the hierarchy is created, by its key. A key without effect is refused, too,
 * where the host has set another value than the default; values of presets are told in the context's log
 * (gpc_config_set). Keys without effect in all trees: l1.banks (but with l1.bank_index = hopper), l2.banks,
 * l2.mshr_merges (who asks for a block in use waits, or is refused: `coherence.conflict`, GPC_PROTOCOL_RETRY),
 * l2.write_to_read, l1.bypass_fetch, l1.bypass_latency, l1.bypass_queue, l1.combine_*, network.write_mask, sm.bulk_*,
 * and l1.future unless a policy asks for the next use. With directories: l1.atomics, l1.invalidate_rate. Without:
 * l2.inclusion, cluster.inclusion, coherence.directory_*, coherence.memory_*, and l1.write_allocate* where L1s keep no
 * line of a store miss. Senders are held back by l1.mshr_entries, l1.miss_queue, the networks, l2.queue,
 * l2.miss_queue, l2.reply_queue and l2.mshr_entries: a read or write request that has its slice ask memory has an
 * entry from its lookup until its answer is sent; without one it is refused, or waits, and requests behind it do too,
 * hits among them. Clusters have the ports of a slice, and no MSHR limit.
 * Since: 0.1.
 */
GPC_API gpc_coherence *gpc_hierarchy_coherence(gpc_hierarchy *hierarchy);

GPC_END_DECLS

#include <gpucache/snapshot.h>

#endif
