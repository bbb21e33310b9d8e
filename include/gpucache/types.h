/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_TYPES_H
#define GPUCACHE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) || defined(__clang__)
#define GPC_API __attribute__((visibility("default")))
#else
#define GPC_API
#endif

#ifdef __cplusplus
#define GPC_BEGIN_DECLS extern "C" {
#define GPC_END_DECLS }
#else
#define GPC_BEGIN_DECLS
#define GPC_END_DECLS
#endif

GPC_BEGIN_DECLS

/*
 * The library's version. meson.build reads the three lines below. While the major version is 0, the SONAME is
 * libgpucache.so.0.GPC_VERSION_MINOR, because every minor version may break programs. From version 1 on, the SONAME is
 * libgpucache.so.GPC_VERSION_MAJOR.
 */
#define GPC_VERSION_MAJOR 0
#define GPC_VERSION_MINOR 3
#define GPC_VERSION_PATCH 0

/* Version as a comparable number: 0xMMmmpp. */
#define GPC_VERSION_NUMBER ((GPC_VERSION_MAJOR << 16) | (GPC_VERSION_MINOR << 8) | GPC_VERSION_PATCH)

/*
 * Largest number of bytes that a later version adds to a structure of options. A structure with more is refused unread.
 */
#define GPC_STRUCT_GROWTH 1024u

/*
 * Version of the loaded library, as 0xMMmmpp. A binding compares the number with the GPC_VERSION_NUMBER of its headers.
 * Thread rule: any thread. Since: 0.1.
 */
GPC_API unsigned gpc_version(void);

/*
 * Version of the loaded library as text, for example "0.3.0". Static storage, never NULL.
 * Thread rule: any thread. Since: 0.1.
 */
GPC_API const char *gpc_version_string(void);

/*
 * Status of a call. Negative: an error; the object is as before the call. Zero: done. Positive: done, with a remark
 * that is no error.
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

/* Opaque objects. Every object belongs to the context from which the object was made. */
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

/* Effect of an access on memory. */
typedef enum gpc_kind {
    GPC_LOAD = 0,
    GPC_STORE = 1,
    GPC_ATOMIC = 2,    /* read-modify-write that returns a value; performed at L2 */
    GPC_REDUCTION = 3, /* read-modify-write without a return value; performed at L2 */
    GPC_PREFETCH = 4,
    GPC_KIND_COUNT
} gpc_kind;

/*
 * Address space. Of a warp's instructions, only accesses to global and local space reach L1 and the levels below. A
 * gpc_cache, and L2 for a host's own caches (gpc_hierarchy_try_miss), also take reads of constants, textures and code.
 */
typedef enum gpc_space {
    GPC_SPACE_GLOBAL = 0,
    GPC_SPACE_LOCAL = 1,
    GPC_SPACE_SHARED = 2,
    GPC_SPACE_CONSTANT = 3,
    GPC_SPACE_TEXTURE = 4,
    GPC_SPACE_GENERIC = 5,
    GPC_SPACE_NONE = 6,
    GPC_SPACE_INSTRUCTION = 7, /* code; no warp instruction has this space. Since: 0.2 */
    /*
     * shared memory of another thread block of the cluster, over the network between SMs (NVIDIA: distributed
     * shared memory): never in L1 or L2. Since: 0.2
     */
    GPC_SPACE_CLUSTER = 8,
    /*
     * only in traces: a generic access with lanes in several of GLOBAL, LOCAL and SHARED, by address and the kernel's
     * windows (gpc_instruction). Since: 0.2
     */
    GPC_SPACE_MIXED = 9,
    GPC_SPACE_COUNT
} gpc_space;

/*
 * Processes. Programs that run at once (MPS, MIG, several contexts) have their own memory, though their virtual
 * addresses may be equal. A process is a number below GPC_PROCESSES. Lines, MSHR entries, pages, directory entries and
 * DRAM rows of a process are never found by another process. Virtual addresses have at most 57 bits (NVIDIA's
 * open-gpu-kernel-modules, uvm_hopper_mmu.c: num_va_bits_hopper), and a hierarchy keeps the process above the address:
 *   byte `address` of process p is byte gpc_process_address(p, address) of the hierarchy's memory
 * Structures with a field `process` have the address without the process bits: accesses, requests, ports, windows,
 * events, callbacks. Calls without a process take and give an address of the hierarchy's memory: gpc_hierarchy_locate,
 * gpc_hierarchy_preload, policies, and the caches and the tree lent by a hierarchy. For process 0 the two addresses are
 * equal. Before the first access of another process, process 0 may have addresses of 64 bits. From the first such
 * access on, addresses beyond 57 bits are refused in every process. Since: 0.2.
 */
#define GPC_PROCESS_SHIFT 57
#define GPC_PROCESSES 128
#define GPC_PROCESS_OWN UINT8_MAX /* gpc_replay_stream: the stream gets a process number of its own */

static inline uint64_t gpc_process_address(uint8_t process, uint64_t address) {
    return (uint64_t)process << GPC_PROCESS_SHIFT | address;
}

/* Cache operators of the PTX ISA (section "Cache Operators"), and L1::no_allocate. */
typedef enum gpc_hint {
    GPC_HINT_NONE = 0,
    GPC_HINT_CA = 1, /* cache at all levels */
    GPC_HINT_CG = 2, /* cache at L2, not at L1 */
    /* streaming, likely used once; in a hierarchy as GPC_EVICT_FIRST, unless the access has another priority */
    GPC_HINT_CS = 3,
    GPC_HINT_CV = 4, /* do not cache, fetch again */
    GPC_HINT_WB = 5, /* write back: the same as NONE */
    /* write through L2 into the host's memory. Without a host memory in the model: as NONE, except in coherent trees */
    GPC_HINT_WT = 6,
    GPC_HINT_NO_ALLOCATE = 7,
    GPC_HINT_COUNT
} gpc_hint;

/*
 * Eviction priority of the line that an access leaves behind (PTX L2 eviction priorities). Lines of FIRST are replaced
 * before the rest of their set. Lines of LAST persist: a line of LAST is replaced only if the set has no line of lower
 * priority. A hit with NORMAL leaves the line's priority as before. gpc_cache_options.last_ways and the key
 * `l2.persisting` can limit the ways of a set for lines of LAST.
 */
typedef enum gpc_priority {
    GPC_EVICT_NORMAL = 0,
    GPC_EVICT_FIRST = 1,
    GPC_EVICT_LAST = 2,
    GPC_PRIORITY_COUNT
} gpc_priority;

/*
 * Scope: the threads among which an access or a fence is ordered (PTX ISA, "Scope"). HSA and HIP call CTA workgroup,
 * GPU agent and SYS system, and have no CLUSTER. The scope has no effect if the order is WEAK.
 */
typedef enum gpc_scope {
    GPC_SCOPE_CTA = 0,     /* threads of the thread block, which meet in the SM's L1 */
    GPC_SCOPE_CLUSTER = 1, /* threads of the cluster of thread blocks: on several SMs, therefore in L2 */
    GPC_SCOPE_GPU = 2,     /* threads of the GPU: in L2 */
    GPC_SCOPE_SYS = 3,     /* threads of all GPUs and hosts: in L2 too, if nothing else caches the memory */
    GPC_SCOPE_COUNT
} gpc_scope;

/*
 * Order of an access or a fence relative to the thread's other accesses (PTX ISA, "Operation types"). RELAXED and above
 * are "strong": coherent within their scope. A strong load is not served from an L1 that other threads of the scope
 * cannot see.
 */
typedef enum gpc_order {
    GPC_ORDER_WEAK = 0, /* no order among threads, and so no scope */
    GPC_ORDER_RELAXED = 1,
    GPC_ORDER_ACQUIRE = 2, /* loads, atomics, fences: later accesses see the data released before */
    GPC_ORDER_RELEASE = 3, /* stores, reductions, atomics, fences: earlier accesses are seen first */
    GPC_ORDER_ACQ_REL = 4, /* ACQUIRE and RELEASE; atomics and fences */
    GPC_ORDER_SC = 5,      /* ACQ_REL, and a single order for all SC fences; fences only */
    GPC_ORDER_COUNT
} gpc_order;

/*
 * Operation of an atomic on a value of 4 or 8 bytes; the atomic returns the old value (PTX ISA, "atom"; CUDA C++
 * Programming Guide, "Atomic Functions"). `b` is the operand. Integers are little-endian. Since: 0.2.
 */
typedef enum gpc_atomic_op {
    GPC_OP_NONE = 0,          /* no operation is given: the atomic writes its bytes as a store does */
    GPC_OP_ADD = 1,           /* old + b, modulo 2^32 or 2^64; also right for signed numbers */
    GPC_OP_MIN = 2,           /* the smaller of old and b, unsigned */
    GPC_OP_MAX = 3,           /* the larger of old and b, unsigned */
    GPC_OP_MIN_SIGNED = 4,    /* the smaller of old and b, signed */
    GPC_OP_MAX_SIGNED = 5,    /* the larger of old and b, signed */
    GPC_OP_AND = 6,           /* old & b */
    GPC_OP_OR = 7,            /* old | b */
    GPC_OP_XOR = 8,           /* old ^ b */
    GPC_OP_EXCHANGE = 9,      /* b */
    GPC_OP_COMPARE_SWAP = 10, /* b if old equals `compare`, otherwise old */
    GPC_OP_INC = 11,          /* 0 if old >= b, otherwise old + 1; unsigned */
    GPC_OP_DEC = 12,          /* b if old is 0 or > b, otherwise old - 1; unsigned */
    GPC_OP_COUNT
} gpc_atomic_op;

/* A single read-modify-write. An access may make several. Since: 0.2. */
typedef struct gpc_atomic {
    uint64_t operand; /* operand; the lowest `width` bytes count */
    uint64_t compare; /* value to compare with, of COMPARE_SWAP; the lowest `width` bytes count */
    uint64_t old;     /* receives the value before the operation; the lowest `width` bytes count */
    uint32_t offset;  /* bytes, from the address of the access; address + offset is a multiple of `width` */
    uint8_t op;       /* gpc_atomic_op, not NONE */
    uint8_t width;    /* bytes: 4 or 8 */
    uint8_t done;     /* receives 1 when the atomic has been performed; 0 before */
    uint8_t reserved;
} gpc_atomic;

/*
 * Part of an instruction in asynchronous copies into shared memory ("Asynchronous Data Copies" of the CUDA C++
 * Programming Guide; PTX ISA, "cp.async"). An asynchronous copy writes no register, and the warp goes on. The warp puts
 * its copies into groups and waits for the groups, which end in order. Since: 0.2.
 */
typedef enum gpc_copy {
    GPC_COPY_NONE = 0,
    /*
     * LDGSTS (cp.async): a load of 4, 8 or 16 bytes a lane. With hint CG past L1 (l1.bypass does not matter),
     * otherwise through L1
     */
    GPC_COPY_ASYNC = 1,
    /* LDGDEPBAR (cp.async.commit_group): the warp's copies since the last commit are a group */
    GPC_COPY_COMMIT = 2,
    GPC_COPY_WAIT = 3, /* DEPBAR (cp.async.wait_group): the warp waits until at most N groups are in flight */
    /*
     * UBLKCP, UTMALDG and similar (cp.async.bulk): an engine beside the SM's L1 moves rows of bytes between L2 and
     * shared memory; the warp goes on
     */
    GPC_COPY_BULK = 4,
    /*
     * SYNCS.PHASECHK (mbarrier.try_wait): the warp waits for the end of a phase, or for bulk copies that complete on
     * the mbarrier
     */
    GPC_COPY_BARRIER = 5,
    GPC_COPY_BARRIER_INIT = 6, /* SYNCS.EXCH (mbarrier.init): sets the number of arrivals that end a phase */
    /*
     * SYNCS.ARRIVE (mbarrier.arrive, .expect_tx): arrives, and adds the bytes of bulk copies that the phase waits for
     */
    GPC_COPY_BARRIER_ARRIVE = 7,
    GPC_COPY_COUNT
} gpc_copy;

/* Cache control of an instruction, beside its order (SASS: CCTL). */
typedef enum gpc_control {
    GPC_CONTROL_NONE = 0,
    GPC_CONTROL_INVALIDATE_ALL = 1, /* IVALL: the SM's L1 drops every line; dirty bytes go to L2 first */
    GPC_CONTROL_WRITE_BACK_ALL = 2, /* WBALL: dirty bytes of the SM's L1 go to L2; the lines stay */
    GPC_CONTROL_INVALIDATE = 3,     /* IV: as IVALL, for the lines of the instruction's addresses */
    GPC_CONTROL_WRITE_BACK = 4,     /* WB: as WBALL, for the lines of the instruction's addresses */
    GPC_CONTROL_OTHER = 5,          /* control of another cache, or unknown: no effect */
    GPC_CONTROL_COUNT
} gpc_control;

/*
 * Cache token of a request's warp (PCAL, seeds/004 section 4.3). The cache decides the effect of a token (l1.tokens).
 */
typedef enum gpc_token {
    GPC_TOKEN_UNUSED = 0, /* tokens are not in use: the effect of HELD */
    GPC_TOKEN_HELD = 1,   /* warp with a token (cache warp) */
    /* warp without a token (bypassing warp): may hit; gpc_tokens says whether the warp may allocate or evict */
    GPC_TOKEN_NONE = 2,
    GPC_TOKEN_COUNT
} gpc_token;

/*
 * Extension of a request: fields that only some policies read, each named in the policy's inputs
 * (gpc_replacement_ops.reads, gpc_predictor_ops.reads). A host without such policies leaves the extension 0.
 */
typedef struct gpc_request_policy {
    uint64_t next_use; /* for `opt`: index of the next access to the line, UINT64_MAX = never */
    /* word from the predictor of the level above to the predictor of this level (AGCB's bypassBit, PCAL's priority) */
    uint32_t policy_word;
    uint8_t token;    /* gpc_token, for L1 */
    uint8_t token_l2; /* gpc_token, for L2; a gpc_cache reads `token` */
    /* 1 = the replacement policy was asked at the miss (gpc_replacement_ops.declines) and did not decline */
    uint8_t admitted;
    uint8_t unused; /* 0 */
} gpc_request_policy;

/*
 * A line transaction: the request to a cache, with all facts that a policy, a predictor or a callback may know. Plain
 * data of a fixed 128 bytes. Zero is the default of every field: `gpc_request r = {0}` plus an address is a valid load
 * of a whole line.
 *
 * Growth: a later version takes bytes of `unused` and `reserved` for new fields of the request or of `policy`, and
 * their zero keeps the meaning of this version. The bytes must be 0; a request with another value is refused.
 *
 * Sectors: `sector_mask` (bit s = sector s of the line) selects the sectors. If `sector_mask` is 0, the sectors are
 * those touched by [address, address + size). If `size` is 0 too, the sectors are those of a store's byte_mask, or the
 * whole line.
 * Bytes of a store: `byte_mask` (bit b of word b / 64 = byte b of the line, lines of at most 128 bytes) selects the
 * bytes to write. If `byte_mask` is 0, the bytes [address, address + size) are written, or with size 0 every byte of
 * the sectors. Bytes outside the sectors are not written. The bytes must lie in a single line.
 */
typedef struct gpc_request {
    uint64_t address;      /* bytes; any byte of the line */
    uint64_t pc;           /* address of the instruction */
    uint64_t cycle;        /* the host's clock; 0 in functional use */
    uint64_t byte_mask[2]; /* bytes written, see above */
    uint32_t size;         /* bytes */
    uint32_t sm;           /* streaming multiprocessor or compute unit */
    uint32_t warp;         /* warp slot within the SM */
    uint32_t warp_age;     /* 0 = oldest running warp of the SM */
    uint32_t block;        /* linear thread-block index within the grid */
    uint32_t kernel;       /* launch number */
    uint16_t transactions; /* line transactions of the warp instruction, including this transaction */
    uint16_t bytes_used;   /* bytes of the line that the warp instruction uses */
    uint8_t stream;        /* stream that counts the request in a hierarchy, below the key `streams`. Since: 0.2 */
    uint8_t copy;          /* gpc_copy: NONE; ASYNC for a load that does not write registers; BULK. Since: 0.2 */
    /*
     * Process of `address`, in a hierarchy. A host gives the process's own address. A policy sees the address of the
     * hierarchy's memory (gpc_process_address). A gpc_cache does not read the field. Since: 0.2
     */
    uint8_t process;
    uint8_t unused;      /* 0 */
    uint8_t sector_mask; /* see above */
    uint8_t kind;        /* gpc_kind */
    uint8_t space;       /* gpc_space: GLOBAL or LOCAL; reads also CONSTANT, TEXTURE, INSTRUCTION */
    uint8_t hint;        /* gpc_hint */
    uint8_t priority;    /* gpc_priority */
    uint8_t scope;       /* gpc_scope of the access. Since: 0.2 */
    uint8_t order;       /* gpc_order of the access; a gpc_cache ignores the order. Since: 0.2 */
    /*
     * 1 = next part of the request before, with equal instruction and line; for hosts that ask for sectors one at a
     * time. A hit on the line is no reuse (gpc_replacement_ops.on_sector_miss), and a miss is no new miss for policies.
     * If the replacement policy kept the first part out of the cache, the next parts stay out too. Since: 0.2
     */
    uint8_t continues;
    gpc_request_policy policy; /* Since: 0.3 */
    uint8_t reserved[32];      /* 0 */
} gpc_request;

/*
 * Visit a stretch of `bytes` of memory, for snapshots: read the stretch on saving, write the stretch on loading. If
 * `memory` is NULL and `bytes` is 1, the object cannot be saved: saving and loading fail with GPC_ERROR_UNSUPPORTED.
 * Since: 0.2.
 */
typedef void (*gpc_state_fn)(void *user_data, void *memory, size_t bytes);

/*
 * Write the next bytes of a stream, or read the next bytes. `*out_read`, 0 before the call, receives the number of
 * bytes read; 0: the end. A negative status ends the call, which returns the status. Another status than GPC_OK, or
 * more bytes read than asked for, ends the call with GPC_ERROR_CALLBACK. The functions may not call into the object.
 * Since: 0.2.
 */
typedef gpc_status (*gpc_write_fn)(void *user_data, const void *data, size_t bytes);
typedef gpc_status (*gpc_read_fn)(void *user_data, void *data, size_t bytes, size_t *out_read);

/*
 * Place that an object is saved to, or loaded from: a file, or functions of the host. Saving needs `path` or `write`,
 * loading needs `path` or `read`; with a path the function of that direction must be NULL. A file is replaced only
 * after a complete write. Pointers belong to the host, and are used within the call. Since: 0.3.
 */
typedef struct gpc_stream {
    size_t struct_size;
    const char *path;
    gpc_write_fn write;
    gpc_read_fn read;
    void *user_data; /* passed to `write` and `read` */
} gpc_stream;

#define GPC_STREAM_INIT \
    { sizeof(gpc_stream), NULL, NULL, NULL, NULL }
/* A file, and functions: `gpc_stream stream = GPC_STREAM_FILE("kernel.snap");`. */
#define GPC_STREAM_FILE(path) \
    { sizeof(gpc_stream), (path), NULL, NULL, NULL }
#define GPC_STREAM_WRITE(write, user_data) \
    { sizeof(gpc_stream), NULL, (write), NULL, (user_data) }
#define GPC_STREAM_READ(read, user_data) \
    { sizeof(gpc_stream), NULL, NULL, (read), (user_data) }

/* A line that is replaced, invalidated or flushed. */
typedef struct gpc_eviction {
    uint64_t line_address; /* bytes, aligned to the line */
    uint32_t set, way;
    uint32_t reuse_count; /* hits since the fill; 0 unless the cache tracks reuse */
    uint8_t valid_sectors;
    uint8_t dirty_sectors;
    uint8_t forced;  /* 1 = invalidated or flushed, not replaced */
    uint8_t process; /* process of the line, in a hierarchy's on_evict (types.h); else 0. Since: 0.2 */
    /*
     * bytes to write back, for lines of at most 128 bytes: all bytes of dirty sectors; with lazy fetch only the bytes
     * written
     */
    uint64_t dirty_bytes[2];
} gpc_eviction;

typedef enum gpc_decision { GPC_CACHE = 0, GPC_BYPASS = 1 } gpc_decision;

/*
 * Detail of a failed call, in storage of the caller. Each function that returns a gpc_status takes a `gpc_error *error`
 * last, which may be NULL. The library writes `error` only on failure. `message` names the file and line, the key or
 * the argument at fault, in a single line without a final full stop. Since: 0.1.
 */
typedef struct gpc_error {
    size_t struct_size; /* sizeof(gpc_error), set by GPC_ERROR_INIT */
    gpc_status status;  /* status returned by the call */
    char message[1012]; /* UTF-8, NUL-terminated, cut if too long */
} gpc_error;

#define GPC_ERROR_INIT               \
    {                                \
        sizeof(gpc_error), GPC_OK, { \
            0                        \
        }                            \
    }

GPC_END_DECLS

#endif
