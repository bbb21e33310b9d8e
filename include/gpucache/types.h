/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_TYPES_H
#define GPUCACHE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gpucache/export.h>

GPC_BEGIN_DECLS

/*
 * Status of a call. Negative: an error, and the object is as it was before the
 * call. Zero: done. Positive: done, with something to tell that is no error.
 * X(identifier, value, text)
 */
#define GPC_STATUS_LIST(X)                                                \
    X(GPC_OK, 0, "ok")                                                    \
    X(GPC_END, 1, "end of stream")                                        \
    X(GPC_BUSY, 2, "not accepted now: try again")                         \
    X(GPC_ERROR_ARGUMENT, -1, "invalid argument")                         \
    X(GPC_ERROR_MEMORY, -2, "out of memory")                              \
    X(GPC_ERROR_ABI, -3, "structure size or version not understood")      \
    X(GPC_ERROR_NOT_FOUND, -4, "not found")                               \
    X(GPC_ERROR_EXISTS, -5, "already exists")                             \
    X(GPC_ERROR_RANGE, -6, "value out of range")                          \
    X(GPC_ERROR_IO, -7, "input or output failed")                         \
    X(GPC_ERROR_FORMAT, -8, "malformed input")                            \
    X(GPC_ERROR_UNSUPPORTED, -9, "not supported")                         \
    X(GPC_ERROR_STATE, -10, "not possible in the object's present state") \
    X(GPC_ERROR_CANCELLED, -11, "cancelled by the caller")                \
    X(GPC_ERROR_CALLBACK, -12, "a caller's callback failed")

typedef enum gpc_status {
#define X(id, value, text) id = value,
    GPC_STATUS_LIST(X)
#undef X
} gpc_status;

/*
 * Text of a status ("out of memory"), or "unknown status". Static storage.
 * Thread rule: any thread. Since: 0.1.
 */
GPC_API const char *gpc_status_string(gpc_status status);

/* Opaque objects. Each belongs to the context it was made from. */
typedef struct gpc_context gpc_context;
typedef struct gpc_config gpc_config;
typedef struct gpc_cache gpc_cache;
typedef struct gpc_hierarchy gpc_hierarchy;
typedef struct gpc_trace gpc_trace;
typedef struct gpc_trace_writer gpc_trace_writer;
typedef struct gpc_replay gpc_replay;
typedef struct gpc_scheduler gpc_scheduler;
typedef struct gpc_throttle gpc_throttle;
typedef struct gpc_replacement gpc_replacement;
typedef struct gpc_predictor gpc_predictor;
typedef struct gpc_dram gpc_dram;
typedef struct gpc_profile gpc_profile;
typedef struct gpc_coherence gpc_coherence;

/* What an access does to memory. */
typedef enum gpc_kind {
    GPC_LOAD = 0,
    GPC_STORE = 1,
    GPC_ATOMIC = 2,    /* read-modify-write that returns a value; performed at L2 */
    GPC_REDUCTION = 3, /* read-modify-write without a return value; performed at L2 */
    GPC_PREFETCH = 4,
    GPC_KIND_COUNT
} gpc_kind;

/*
 * Address space. Of a warp's instructions only those in global and local space reach L1 and what is below. A cache by
 * itself, and L2 for a host's own caches (gpc_hierarchy_try_miss), also take reads of constants, textures and code.
 */
typedef enum gpc_space {
    GPC_SPACE_GLOBAL = 0,
    GPC_SPACE_LOCAL = 1,
    GPC_SPACE_SHARED = 2,
    GPC_SPACE_CONSTANT = 3,
    GPC_SPACE_TEXTURE = 4,
    GPC_SPACE_GENERIC = 5,
    GPC_SPACE_NONE = 6,
    GPC_SPACE_INSTRUCTION = 7, /* code, of no warp's instruction. Since: 0.2 */
    GPC_SPACE_CLUSTER =
        8,               /* shared memory of another thread block of the cluster, over the network between SMs (NVIDIA:
                              distributed shared memory): never in L1 or L2. Since: 0.2 */
    GPC_SPACE_MIXED = 9, /* instructions of traces alone: a generic access with lanes in several of GLOBAL, LOCAL and
                            SHARED, by address and the kernel's windows (gpc_instruction). Since: 0.2 */
    GPC_SPACE_COUNT
} gpc_space;

/*
 * Processes. Programs at once (MPS, MIG, several contexts) have memory of their own, though their virtual addresses are
 * equal. A process is a number below GPC_PROCESSES. Lines, MSHR entries, pages, directory entries and DRAM rows of one
 * process are never found by another. Virtual addresses have at most 57 bits (NVIDIA's open-gpu-kernel-modules,
 * uvm_hopper_mmu.c: num_va_bits_hopper), and a hierarchy keeps the process above the address:
 *
 *   byte `address` of process p is byte gpc_process_address(p, address) of the hierarchy's memory
 *
 * Structures with a field `process` have the address without these bits: accesses, requests, ports, windows, events,
 * callbacks. Calls without a process take and tell an address of the hierarchy's memory: gpc_hierarchy_locate,
 * gpc_hierarchy_preload, policies, and the caches and the tree lent by a hierarchy. Addresses of process 0 are equal in
 * both. Before the first access of another process, process 0 may have addresses of 64 bits. From then on, addresses
 * beyond 57 bits are refused in every process. Since: 0.2.
 */
#define GPC_PROCESS_SHIFT 57
#define GPC_PROCESSES 128
#define GPC_PROCESS_OWN UINT8_MAX /* gpc_replay_stream: a number of the stream's own */

static inline uint64_t gpc_process_address(uint8_t process, uint64_t address) {
    return (uint64_t)process << GPC_PROCESS_SHIFT | address;
}

/* Cache operators of the PTX ISA (section "Cache Operators"), and L1::no_allocate. */
typedef enum gpc_hint {
    GPC_HINT_NONE = 0,
    GPC_HINT_CA = 1, /* cache at all levels */
    GPC_HINT_CG = 2, /* cache at L2, not at L1 */
    GPC_HINT_CS = 3, /* streaming, likely used once: in a hierarchy, and of no other priority, as GPC_EVICT_FIRST */
    GPC_HINT_CV = 4, /* do not cache, fetch again */
    GPC_HINT_WB = 5, /* write back: as NONE, which is that */
    GPC_HINT_WT = 6, /* write through L2 into the host's memory, of which there is none here: as NONE, but in trees */
    GPC_HINT_NO_ALLOCATE = 7,
    GPC_HINT_COUNT
} gpc_hint;

/*
 * Eviction priority of the line an access leaves behind (PTX L2 eviction priorities).
 * Lines of FIRST are replaced before all others of their set, lines of LAST only
 * where there are no others: they persist. A hit that asks for NORMAL leaves the line's as it is. How many ways of
 * a set lines of LAST may have can be limited (gpc_cache_options.last_ways, the key `l2.persisting`).
 */
typedef enum gpc_priority {
    GPC_EVICT_NORMAL = 0,
    GPC_EVICT_FIRST = 1,
    GPC_EVICT_LAST = 2,
    GPC_PRIORITY_COUNT
} gpc_priority;

/*
 * Among which threads an access or a fence is to be seen in order (PTX ISA, "Scope"; HSA and HIP name the same
 * workgroup, -, agent and system). Of no effect where the order is WEAK.
 */
typedef enum gpc_scope {
    GPC_SCOPE_CTA = 0,     /* those of its thread block: its SM's L1 is where they meet */
    GPC_SCOPE_CLUSTER = 1, /* those of its cluster of thread blocks: on several SMs, so L2 */
    GPC_SCOPE_GPU = 2,     /* those of the GPU: L2 */
    GPC_SCOPE_SYS = 3,     /* those of all GPUs and hosts: L2 too, where nothing else caches this memory */
    GPC_SCOPE_COUNT
} gpc_scope;

/*
 * How an access or a fence is ordered with others of its thread (PTX ISA, "Operation types"). RELAXED and above are
 * "strong": within their scope they are coherent, so that a load is not served from an L1 that others cannot see.
 */
typedef enum gpc_order {
    GPC_ORDER_WEAK = 0, /* an access of its own thread's: no scope */
    GPC_ORDER_RELAXED = 1,
    GPC_ORDER_ACQUIRE = 2, /* loads, atomics, fences: what comes later sees what was released before */
    GPC_ORDER_RELEASE = 3, /* stores, reductions, atomics, fences: what came earlier is seen first */
    GPC_ORDER_ACQ_REL = 4, /* both; atomics and fences */
    GPC_ORDER_SC = 5,      /* and one order for all; fences */
    GPC_ORDER_COUNT
} gpc_order;

/*
 * What an atomic does to a value of 4 or 8 bytes, which it returns as it was (PTX ISA, "atom"; CUDA C++ Programming
 * Guide, "Atomic Functions"). `b` is its operand. Integers, the lowest address first. Since: 0.2.
 */
typedef enum gpc_atomic_op {
    GPC_OP_NONE = 0,          /* a store, of which nothing more is known */
    GPC_OP_ADD = 1,           /* old + b, modulo 2^32 or 2^64: of signed numbers, too */
    GPC_OP_MIN = 2,           /* the smaller of old and b, without sign */
    GPC_OP_MAX = 3,           /* the larger */
    GPC_OP_MIN_SIGNED = 4,    /* likewise, of signed numbers */
    GPC_OP_MAX_SIGNED = 5,    /* likewise */
    GPC_OP_AND = 6,           /* old & b */
    GPC_OP_OR = 7,            /* old | b */
    GPC_OP_XOR = 8,           /* old ^ b */
    GPC_OP_EXCHANGE = 9,      /* b */
    GPC_OP_COMPARE_SWAP = 10, /* b where old is what it is compared with, otherwise old */
    GPC_OP_INC = 11,          /* 0 where old >= b, otherwise old + 1; without sign */
    GPC_OP_DEC = 12,          /* b where old is 0 or > b, otherwise old - 1; without sign */
    GPC_OP_COUNT
} gpc_atomic_op;

/* One read-modify-write, of an access that may make several. Since: 0.2. */
typedef struct gpc_atomic {
    uint64_t operand; /* its lowest `width` bytes count; likewise: */
    uint64_t compare; /* of COMPARE_SWAP */
    uint64_t old;     /* receives the value before */
    uint32_t offset;  /* bytes, from the address of the access; what it is at is a multiple of `width` */
    uint8_t op;       /* gpc_atomic_op, not NONE */
    uint8_t width;    /* bytes: 4 or 8 */
    uint8_t done;     /* receives 1 once it has been performed; 0 before */
    uint8_t reserved;
} gpc_atomic;

/*
 * What an instruction has to do with copies into shared memory that go on beside their warp ("Asynchronous Data Copies"
 * of the CUDA C++ Programming Guide; PTX ISA, "cp.async"). Such a copy writes no register: its warp waits for the
 * groups that it makes of its copies, which end in their order. Since: 0.2.
 */
typedef enum gpc_copy {
    GPC_COPY_NONE = 0,
    GPC_COPY_ASYNC =
        1, /* LDGSTS (cp.async): a load of 4, 8 or 16 bytes a lane; with hint CG past L1, whatever l1.bypass
                            says, otherwise through it */
    GPC_COPY_COMMIT = 2, /* LDGDEPBAR (cp.async.commit_group): the warp's copies since the last one are a group */
    GPC_COPY_WAIT = 3,   /* DEPBAR (cp.async.wait_group): the warp waits until at most so many groups are under way */
    GPC_COPY_BULK = 4,   /* UBLKCP, UTMALDG and so on (cp.async.bulk): rows of bytes, which an engine beside the SM's L1
                            moves between L2 and shared memory; its warp goes on */
    GPC_COPY_BARRIER = 5,      /* SYNCS.PHASECHK (mbarrier.try_wait): the warp waits for the end of a phase, or for bulk
                             copies that complete there */
    GPC_COPY_BARRIER_INIT = 6, /* SYNCS.EXCH (mbarrier.init): so many arrivals end a phase */
    GPC_COPY_BARRIER_ARRIVE = 7, /* SYNCS.ARRIVE (mbarrier.arrive, .expect_tx): it arrives, and has the phase wait for
                                    bytes that bulk copies bring */
    GPC_COPY_COUNT
} gpc_copy;

/* What an instruction does to caches beside its order (SASS: CCTL). */
typedef enum gpc_control {
    GPC_CONTROL_NONE = 0,
    GPC_CONTROL_INVALIDATE_ALL = 1, /* IVALL: the SM's L1 drops every line, dirty bytes go to L2 first */
    GPC_CONTROL_WRITE_BACK_ALL = 2, /* WBALL: dirty bytes of the SM's L1 go to L2, the lines stay */
    GPC_CONTROL_INVALIDATE = 3,     /* IV: as IVALL, the lines of its addresses */
    GPC_CONTROL_WRITE_BACK = 4,     /* WB: as WBALL, likewise */
    GPC_CONTROL_OTHER = 5,          /* of another cache, or unknown: done nowhere */
    GPC_CONTROL_COUNT
} gpc_control;

/*
 * Does the warp of a request hold a cache token (PCAL, seeds/004 section 4.3)? What follows from it is the cache's
 * (l1.tokens).
 */
typedef enum gpc_token {
    GPC_TOKEN_UNUSED = 0, /* tokens are not in use: as HELD */
    GPC_TOKEN_HELD = 1,   /* a cache warp */
    GPC_TOKEN_NONE = 2,   /* a bypassing warp: may hit; whether it may allocate or evict, gpc_tokens says */
    GPC_TOKEN_COUNT
} gpc_token;

/*
 * One line transaction: what a cache is asked, and all that a policy, a
 * predictor or a callback may know about it. Plain data of a fixed 128 bytes;
 * zero is the default of every field, so `gpc_request r = {0}` plus an address
 * is a valid load of a whole line. `reserved` must be zero.
 *
 * Which bytes: `sector_mask` (bit s = sector s of the line) selects sectors;
 * where it is 0 the sectors that [address, address + size) touches are meant,
 * and where `size` is 0 too, those of a store's byte_mask, or the whole line.
 * `byte_mask` (bit b of word b / 64 = byte b of the line, lines of at most 128
 * bytes) matters for stores: where it is 0 the bytes [address, address + size) are
 * written, or, with size 0, every byte of the sectors. Bytes outside the sectors
 * are not written. The bytes must lie in one line.
 */
typedef struct gpc_request {
    uint64_t address;      /* bytes; any byte of the line */
    uint64_t pc;           /* of the instruction */
    uint64_t cycle;        /* the host's clock; 0 in functional use */
    uint64_t next_use;     /* for `opt`: index of the next access to this line, UINT64_MAX = never */
    uint64_t byte_mask[2]; /* bytes written, see above */
    uint32_t size;         /* bytes */
    uint32_t sm;           /* streaming multiprocessor or compute unit */
    uint32_t warp;         /* warp slot within the SM */
    uint32_t warp_age;     /* 0 = oldest running warp of the SM */
    uint32_t block;        /* linear thread-block index within the grid */
    uint32_t kernel;       /* launch number */
    uint32_t policy_word;  /* from the predictor one level up, for this level's (AGCB's bypassBit, PCAL's priority) */
    uint16_t transactions; /* line transactions that the warp instruction made, this one included */
    uint16_t bytes_used;   /* bytes of this line that the warp instruction uses */
    uint8_t sector_mask;   /* see above */
    uint8_t kind;          /* gpc_kind */
    uint8_t space;         /* gpc_space: GLOBAL or LOCAL; reads also CONSTANT, TEXTURE, INSTRUCTION */
    uint8_t hint;          /* gpc_hint */
    uint8_t priority;      /* gpc_priority */
    uint8_t token;         /* gpc_token, for L1 */
    uint8_t token_l2;      /* likewise, for L2; a cache on its own looks at `token` */
    uint8_t admitted; /* 1 = asked at the miss (gpc_replacement_ops.declines), the replacement policy did not decline */
    uint8_t scope;    /* gpc_scope, as the access says. Since: 0.2 */
    uint8_t order;    /* gpc_order, likewise; a cache by itself does nothing about it. Since: 0.2 */
    /*
     * 1 = a further part of the access before it, of the same instruction and line, by who asks for sectors one by one.
     * That it finds its line is no reuse of it (gpc_replacement_ops.on_sector_miss), and that it does not is no further
     * miss to policies: where the replacement policy has kept the first part out, it is kept out, too. Since: 0.2
     */
    uint8_t continues;
    uint8_t stream; /* that counts it in a hierarchy, below the key `streams`. Since: 0.2 */
    uint8_t copy;   /* gpc_copy: NONE; ASYNC of a load that does not write registers; BULK. Since: 0.2 */
    /*
     * Process of `address`, in a hierarchy. A host gives the process's own address; a policy sees the address of the
     * hierarchy's memory (gpc_process_address). A cache by itself does not read the field. Since: 0.2
     */
    uint8_t process;
    uint8_t reserved[34];
} gpc_request;

/*
 * For snapshots: a stretch of `bytes` of memory, which is read when one is saved, and written when one is loaded.
 * `memory` NULL, and bytes 1: what has the stretch cannot be saved; saving and loading fail with
 * GPC_ERROR_UNSUPPORTED. Since: 0.2.
 */
typedef void (*gpc_state_fn)(void *user_data, void *memory, size_t bytes);

/*
 * Where the bytes of a snapshot go, in order; and where they come from: `*out_read` receives how many were read, 0 at
 * the end. Another status than GPC_OK ends the call, which returns it. They may not call into the object. Since: 0.2.
 */
typedef gpc_status (*gpc_write_fn)(void *user_data, const void *data, size_t bytes);
typedef gpc_status (*gpc_read_fn)(void *user_data, void *data, size_t bytes, size_t *out_read);

GPC_END_DECLS

#endif
