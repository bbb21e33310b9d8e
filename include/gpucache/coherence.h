/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_COHERENCE_H
#define GPUCACHE_COHERENCE_H

#include <gpucache/context.h>
#include <gpucache/protocol.h>
#include <gpucache/stats.h>

GPC_BEGIN_DECLS

/*
 * Coherence: a tree of caches over memories, kept coherent by a protocol, which is a table (protocol.h). Messages that
 * arrive in an order of one's own: held.h.
 *
 * Words. A module is a cache or a memory. Modules of the first level are those that processors access; the low module
 * of a cache is the next towards memory; modules above are those towards the processors. A module knows for each of its
 * blocks which modules above have copies, the sharers, and which of them is the owner, the one that may have modified
 * it: its directory. Requests and write-backs go from a module to its low module, probes from a module to one above it,
 * and both are replied to.
 *
 * Time. An access is one transaction, and is complete when gpc_coherence_access returns: all modules are in the states
 * that it leaves. The result lists what happened in between: the messages, what each of them waits for, and when it is
 * sent and received if nothing else is under way; and every change of a state. A host with a clock of its own schedules
 * the messages on its own networks; a teacher prints them (examples/coherence.c). Cycles are those of the host's clock,
 * and are counted from gpc_coherence_request.cycle.
 *
 * Threads: as everything made from a context, a tree is used by one thread at a time.
 *
 * Sources: seeds/002 sections 2.2.2, 2.2.3, 3.1.2, 4.2 and its appendix; tables are quoted in lib/coherence/README.md.
 */

#define GPC_NO_MODULE UINT32_MAX  /* in place of an index of a module or network: none, or, where a call says so, all */
#define GPC_NO_MESSAGE UINT32_MAX /* in place of an index of a message: none */
#define GPC_MAX_MODULES 4096u     /* of a tree; likewise networks */

/*
 * Which addresses a module serves. Each of them must be served by exactly one of its low modules. A cache that serves
 * ALL serves from the first to the last address that any of its low modules serves; one that is INTERLEAVED
 * or HASHED, the addresses of its residue among these.
 */
typedef enum gpc_served {
    GPC_SERVES_ALL = 0,
    GPC_SERVES_RANGE = 1,       /* first <= address <= last */
    GPC_SERVES_INTERLEAVED = 2, /* (address / divisor) mod modulus == residue */
    /*
     * The same of address / divisor hashed by a polynomial, as l2.interleave = hash has it (Rau, ISCA 1991): strides of
     * any power of two are spread evenly. All such modules of a tree have one divisor, a power of two, and one modulus;
     * with them none is INTERLEAVED, and a RANGE begins and ends at a multiple of divisor times the modulus, rounded up
     * to a power of two. Since: 0.2.
     */
    GPC_SERVES_HASHED = 3
} gpc_served;

/*
 * What becomes of a directory entry with more copies than it can name (Gupta, Weber, Mowry: Reducing Memory and Traffic
 * Requirements for Scalable Directory-Based Cache Coherence Schemes, 1990: Dir_i B, Dir_i NB, Dir_i CV_r).
 */
typedef enum gpc_directory_overflow {
    GPC_OVERFLOW_BROADCAST = 0, /* it stands for all modules above: all of them are probed */
    GPC_OVERFLOW_EVICT = 1,     /* a copy is invalidated, and the new one named in its place */
    GPC_OVERFLOW_COARSE = 2 /* it has a bit for each group of directory_region neighbours, all of which are probed */
} gpc_directory_overflow;

/*
 * A network between a level of modules and their low modules, or several levels: one switch, and one link each way
 * between it and every module. Without other traffic a message of s bytes needs 1 + 3 * ceil(s / bandwidth) cycles.
 */
typedef struct gpc_coherence_network {
    size_t struct_size;
    const char *name;       /* copied */
    uint32_t bandwidth;     /* bytes per cycle of each link and of each output of the switch; at least 1 */
    uint32_t input_buffer;  /* bytes, for hosts that schedule; 0 = unlimited; the largest message has to fit */
    uint32_t output_buffer; /* likewise */
    uint32_t reserved;      /* 0 */
} gpc_coherence_network;

#define GPC_COHERENCE_NETWORK_INIT \
    { sizeof(gpc_coherence_network), NULL, 64, 0, 0, 0 }

/*
 * A cache or a memory. Indices are those in gpc_coherence_options.modules and networks. A block of a module is divided
 * into sub-blocks as large as the smallest block of the modules above; each has a directory entry.
 */
typedef struct gpc_coherence_module {
    size_t struct_size;
    const char *name; /* copied; unique in the tree */
    /*
     * lru, fifo, or a registered replacement policy, `name` or `name(parameter=value, ...)`; NULL: lru. Copied. Of a
     * gpc_request it is shown `address` (of the block), `cycle`, `sm` (index of the first-level module) and `kind`
     * (GPC_LOAD, GPC_ATOMIC for a STORE, GPC_STORE for an N_STORE and for other blocks that move because of the access;
     * a flush or acquire is a GPC_STORE of sm 0); every other field is 0. A policy that reads more, or does not state
     * what it reads (gpc_policy_reads), is refused by gpc_coherence_create. Probes from below are hits to lru and fifo,
     * as in Multi2Sim; any other policy is told of what a processor, or a module above, uses.
     */
    const char *replacement;
    const uint32_t *low; /* [low_count] indices of the low modules, copied; none for a memory */
    uint32_t low_count;
    uint32_t low_network, high_network; /* indices, towards memory and processors; GPC_NO_MODULE: no module there */
    uint32_t sets, ways;  /* of a memory those of its directory; ways 0 (sets 1): an entry for every block cached */
    uint32_t block_bytes; /* a power of two, 4 to 4096; no module above has larger blocks */
    uint32_t latency;     /* cycles to read or write the data */
    uint32_t directory_latency; /* cycles of a lookup */
    uint32_t ports;          /* lookups at a time; 0 = unlimited. For hosts that schedule: the tree does not use it */
    uint32_t mshrs;          /* accesses in flight; likewise */
    uint32_t served;         /* gpc_served */
    uint32_t directory_ways; /* non-inclusive: entries of each set for blocks of which modules above alone have data */
    uint64_t first, last;    /* GPC_SERVES_RANGE: addresses, bytes */
    uint64_t divisor, modulus, residue; /* INTERLEAVED, HASHED; the divisor in bytes, a multiple of block_bytes */
    bool memory;
    bool non_inclusive; /* evictions leave the copies above valid; needs directory_ways if the protocol has DIRECTORY */
    bool any_victim;    /* Multi2Sim: the victim is chosen by the policy even if ways are invalid */
    bool write_through; /* first level only: stores of both kinds go to the low module, too; blocks stay clean */
    bool no_write_allocate; /* first level only: a store that misses is performed by the low module */
    uint8_t index;          /* gpc_index but GPC_INDEX_USER: which set a block belongs to, by its number. Since: 0.2. */
    /*
     * The number is the block's among those that an INTERLEAVED module of a divisor that is a power of two serves: its
     * stretches as if they followed each other. false: (address / block_bytes) / modulus, as in Multi2Sim, which leaves
     * sets unused where a stretch has several blocks. Other modules: address / block_bytes; HASHED: as true.
     * Since: 0.2.
     */
    bool dense;
    uint8_t reserved[1];
    /*
     * Of modules with others above them, under a protocol with DIRECTORY, but for PROBE_WHOLE. Copies that a directory
     * entry names one by one; its owner is one of them. 0, or as many as modules above: all there may be. Probes of
     * modules that have no copy are counted there, in probe_misses. EVICT needs blocks of one size above. Since: 0.2.
     */
    uint8_t directory_pointers;
    uint8_t directory_overflow; /* gpc_directory_overflow: of an entry with more. Since: 0.2. */
    uint8_t directory_region;   /* COARSE: modules of a group, 2 or more; otherwise 0. Since: 0.2. */
    /*
     * Neighbouring blocks that make a line: 1 (0, too), 2, 4 or 8. A line has one tag: its blocks, which come one by
     * one, are in one way, and leave together. Coherence is a matter of blocks: each has a state, a directory entry and
     * messages of its own. What is given or told by `set` and way numbers rows of blocks: set * sectors + which of the
     * line. Of no use in a memory of ways 0, and for entries of the directory alone. Since: 0.2.
     */
    uint8_t sectors;
    /*
     * In a tree with homes: 0, or one of them, from 1 on. Of a module with others above it: it serves only the pages
     * whose home this is. Of the first level: where pages go that it is the first to access, if they are placed by
     * first touch. Since: 0.2.
     */
    uint8_t home;
    /*
     * A cache that all processors share, over a memory: a store that it performs for modules above, or that is written
     * through to it, and that misses, fetches nothing. Its bytes are kept under a mask, and the rest is read when it is
     * needed, or never. Since: 0.2.
     */
    bool byte_masks;
    /*
     * Of a cache: where it reads a block that an access misses, it reads all of an aligned group of so many of the line
     * that it has not got, and waits for none but that. A power of two, `sectors` at most; 0: 1. Since: 0.2.
     */
    uint8_t fetch_blocks;
    uint8_t reserved_too[2];
    /*
     * Half of a cache, whose other half is this module, which has a `home`: both have the same sets, ways and order of
     * replacement, whichever needs a way takes it. Of the pages at home there this half serves none; of all others it
     * keeps copies, and asks the caches below it, where those are at home. So two caches are each below the other, for
     * different pages. All that decides about ways is as given of the other half: sets, ways, block_bytes, sectors,
     * index, dense, served and what goes with it, directory_ways, replacement, any_victim. Ways are two at least, of
     * which requests of this half lock all but one at a time, so that the other goes on. This half is inclusive even if
     * non_inclusive is set. Stores that miss above it and are to be performed below go on to where they are at home.
     * home, byte_masks and memory are 0 or false. GPC_NO_MODULE: a cache by itself, or the other half. Since: 0.2.
     */
    uint32_t near_of;
} gpc_coherence_module;

#define GPC_COHERENCE_MODULE_INIT                                                                              \
    {                                                                                                          \
        sizeof(gpc_coherence_module), NULL, NULL, NULL, 0, GPC_NO_MODULE, GPC_NO_MODULE, 1, 1, 64, 1, 0, 0, 0, \
            GPC_SERVES_ALL, 0, 0, UINT64_MAX, 1, 1, 0, false, false, false, false, false, 0, false, {0}, 0,    \
            GPC_OVERFLOW_BROADCAST, 0, 1, 0, false, 1, {0}, GPC_NO_MODULE                                      \
    }

/* At which home a page is. Since: 0.2. */
typedef enum gpc_placement {
    GPC_PLACE_ROUND_ROBIN = 0, /* page by page in turn */
    GPC_PLACE_FIRST_TOUCH = 1, /* at that of the first-level module that is the first to access it */
    GPC_PLACE_HASHED = 2       /* by a hash of its number. Since: 0.2. */
} gpc_placement;

/* A whole tree. Arrays of structs: all elements of one size, that of the first's struct_size. */
typedef struct gpc_coherence_options {
    size_t struct_size;
    const char *protocol;                  /* name of a registered protocol; NULL: nmoesi */
    const gpc_coherence_module *modules;   /* [module_count] */
    const gpc_coherence_network *networks; /* [network_count] */
    uint32_t module_count, network_count;  /* 1 to GPC_MAX_MODULES; 0 to GPC_MAX_MODULES */
    uint32_t control_bytes; /* size of a message without data, and of the header of one with data; 1 to 4096 */
    bool data;   /* blocks and memory hold bytes, so that loads return values; without it, states only (faster) */
    bool timing; /* messages have the cycles of an otherwise idle system; without, 0 (faster) */
    uint8_t reserved[2];
    /* Memory in several parts, as of several GPUs: gpc_coherence_module.home says whose pages a module serves. */
    uint64_t page_bytes; /* a power of two, no smaller than any block; without homes 0. Since: 0.2. */
    uint32_t homes;      /* 1 to 255; 0: pages have none. Since: 0.2. */
    uint32_t placement;  /* gpc_placement. Since: 0.2. */
} gpc_coherence_options;

#define GPC_COHERENCE_OPTIONS_INIT \
    { sizeof(gpc_coherence_options), NULL, NULL, NULL, 0, 0, 8, true, true, {0}, 0, 0, GPC_PLACE_ROUND_ROBIN }

/*
 * Make a tree: all blocks invalid, memory's bytes 0. Everything in `options` is copied.
 * Returns GPC_OK; GPC_ERROR_ABI; GPC_ERROR_ARGUMENT or GPC_ERROR_RANGE, `error` naming module and field (a cycle of low
 * modules; an address that none or two of the low modules serve; larger blocks above smaller ones; a cache without a
 * way to a memory; a buffer too small for its network's largest message; a replacement policy that reads what requests
 * do not tell, with the names of what it reads); GPC_ERROR_NOT_FOUND (protocol, policy); GPC_ERROR_MEMORY. Since: 0.1.
 */
GPC_API gpc_status gpc_coherence_create(gpc_context *context, const gpc_coherence_options *options, gpc_error *error,
                                        gpc_coherence **out);
/* NULL is allowed. Since: 0.1. */
GPC_API void gpc_coherence_destroy(gpc_coherence *coherence);

/* What a processor does. */
typedef enum gpc_coherence_kind {
    GPC_COHERENCE_LOAD = 0,
    GPC_COHERENCE_STORE = 1,   /* coherent, as atomics are: no other copy exists when it is done */
    GPC_COHERENCE_N_STORE = 2, /* non-coherent: others may keep copies; without N in the protocol as a STORE */
    GPC_COHERENCE_ACQUIRE = 3, /* of no address: as gpc_coherence_acquire of the module. Since: 0.2 */
    /*
     * Of no address: what was stored in the module is for others to see. It writes back what an ACQUIRE would; what
     * that would only drop stays. Where directories keep copies up to date, there is nothing to write back. Since: 0.2
     */
    GPC_COHERENCE_RELEASE = 4
} gpc_coherence_kind;

/* An access of a processor. Pointers are borrowed for the call. */
typedef struct gpc_coherence_request {
    size_t struct_size;
    uint64_t address;     /* of the first byte */
    uint64_t cycle;       /* in which it is issued */
    const uint8_t *bytes; /* [size] what a store writes, in a tree with data; NULL: zeroes */
    const uint8_t *mask;  /* [(size + 7) / 8] which of them: bit i % 8 of byte i / 8 stands for byte i; NULL: all */
    uint8_t *out;    /* [size] receives the bytes of a load, or those of a store as they are after it; may be NULL */
    uint32_t module; /* index of the first-level module that the processor accesses */
    uint32_t size;   /* bytes, 1 or more, within one block of the module */
    uint32_t kind;   /* gpc_coherence_kind */
    uint32_t flags;  /* GPC_ACCESS_ bits */
    /*
     * [atomic_count] of a STORE in a tree with data, without `bytes` and `mask`: what it does to its bytes, one after
     * another, with nothing in between: where its protocol has a STORE performed, in the first level, or by the module
     * to which that lets it pass. They must live until the access ends. In trees without directories also of an
     * N_STORE, which is performed where that is. Since: 0.2
     */
    gpc_atomic *atomics;
    uint32_t atomic_count;
    uint32_t reserved;
} gpc_coherence_request;

#define GPC_COHERENCE_REQUEST_INIT \
    { sizeof(gpc_coherence_request), 0, 0, NULL, NULL, NULL, 0, 1, GPC_COHERENCE_LOAD, 0, NULL, 0, 0 }

/* Steps of a transaction: messages, and a few that are none. */
typedef enum gpc_message_kind {
    GPC_MESSAGE_READ_REQUEST = 0,  /* to the low module: for a copy */
    GPC_MESSAGE_WRITE_REQUEST = 1, /* to the low module: for the only copy */
    GPC_MESSAGE_READ_PROBE = 2,    /* to a module above: send data, give up the right to write */
    GPC_MESSAGE_WRITE_PROBE = 3,   /* to a module above: send modified data, invalidate the copy */
    GPC_MESSAGE_DATA = 4,          /* reply with the block: to the requester, or from a probed module to T */
    GPC_MESSAGE_ACK = 5,           /* reply without data */
    GPC_MESSAGE_WRITE_BACK = 6,    /* to the low module: modified bytes */
    GPC_MESSAGE_NOTICE = 7,        /* to the low module: a clean copy has been evicted */
    GPC_MESSAGE_CLEAR_OWNER = 8,   /* to the low module: the sender no longer owns the block */
    GPC_MESSAGE_WRITE_THROUGH = 9, /* to the low module: the bytes of a store */
    GPC_MESSAGE_JOIN = 10,         /* no message: all that a module waits for has been received */
    GPC_MESSAGE_FINISH = 11,       /* no message: the access is complete */
    GPC_MESSAGE_EVICTION = 12,     /* no message: a module begins to evict a block */
    GPC_MESSAGE_ACQUIRE = 13,      /* to the low module: drop what may be old. Since: 0.2 */
    GPC_MESSAGE_KIND_COUNT = 14
} gpc_message_kind;

/*
 * A step of a transaction. `delay` cycles after the end of step `after`, or after the issue of the access, module
 * `from` sends it: the delay is what `from` needs for lookups in its directory and for its data. A message then crosses
 * `network`, and the step ends when `to` has received it. A JOIN ends when `needs` steps whose `join` is its index have
 * ended. Steps that do not wait for each other run at the same time.
 */
typedef struct gpc_coherence_message {
    uint64_t address;        /* of the block */
    uint64_t sent, received; /* cycles on an otherwise idle system; 0 without `timing` */
    uint32_t kind;           /* gpc_message_kind */
    uint32_t from, to;       /* indices of modules; the same for a step that is no message */
    uint32_t network;        /* index; GPC_NO_MODULE: no message */
    uint32_t bytes;          /* size, header included; 0: no message */
    uint32_t after;          /* index of a step in the list; GPC_NO_MESSAGE: the issue of the access */
    uint32_t join;           /* index of the JOIN that waits for it; GPC_NO_MESSAGE */
    uint32_t needs;          /* of a JOIN: how many steps it waits for */
    uint32_t delay;          /* cycles, in directory and data */
    uint32_t directory;      /* cycles of `delay` that are in the directory */
    uint32_t request;        /* of a reply: index of the message that it replies to; GPC_NO_MESSAGE: no reply */
    uint32_t block; /* of `to` that it found or allocated: set * (ways + directory_ways) + way; GPC_NO_MODULE: none */
    uint8_t looks;  /* how many lookups are in `delay` */
    uint8_t memory; /* `delay` includes an access to a memory's data: 1 = a read, 2 = a write */
    uint8_t masked; /* 1 = the bytes were modified non-coherently: a mask of them goes with the message */
    uint8_t found;  /* 1 = the lookup in `to` found the block valid */
} gpc_coherence_message;

/* A state was written to a block, be it the same as before. */
typedef struct gpc_coherence_transition {
    uint64_t cycle;           /* on an otherwise idle system; 0 without `timing` */
    uint64_t tag_before, tag; /* addresses of the block before and after; 0 where invalid */
    uint32_t module, set, way;
    uint32_t origin;  /* gpc_origin */
    uint8_t from, to; /* gpc_coherence_state */
    uint8_t reserved[6];
} gpc_coherence_transition;

/* What an access did. The lists are borrowed until the next call that changes the tree. */
typedef struct gpc_coherence_result {
    size_t struct_size;
    uint64_t completed;                    /* cycle in which the processor has its data, on an otherwise idle system */
    const gpc_coherence_message *messages; /* [message_count] */
    const gpc_coherence_transition *transitions; /* [transition_count] by cycle, where there is `timing` */
    uint32_t message_count, transition_count;
    uint8_t hit;   /* 1 = the first-level module had the block, and the right to do this with it */
    uint8_t found; /* gpc_coherence_state in which the first-level module had it before; I: not at all */
    uint8_t state; /* likewise, after the access */
    uint8_t level; /* the deepest level that a request reached: 1 = the first */
    uint8_t reserved[4];
} gpc_coherence_result;

#define GPC_COHERENCE_RESULT_INIT                                        \
    {                                                                    \
        sizeof(gpc_coherence_result), 0, NULL, NULL, 0, 0, 0, 0, 0, 0, { \
            0                                                            \
        }                                                                \
    }

/*
 * Perform one access, from its issue to its end.
 *   request  is not kept
 *   result   receives what happened; may be NULL
 * Returns GPC_OK; GPC_ERROR_ABI; GPC_ERROR_ARGUMENT (a module that is not of the first level, size, kind, bytes beyond
 * the block, atomics); GPC_ERROR_RANGE (the module does not serve the address); GPC_ERROR_MEMORY; GPC_ERROR_STATE (the
 * protocol forbids an event that happened; `error` names both) and GPC_ERROR_CALLBACK (a replacement policy chose a way
 * that does not exist). After these two the tree can only be looked at and destroyed; the others change nothing.
 * Since: 0.1.
 */
GPC_API gpc_status gpc_coherence_access(gpc_coherence *coherence, const gpc_coherence_request *request,
                                        gpc_error *error, gpc_coherence_result *result);

/*
 * Flush: write all modified bytes back and invalidate all blocks, as at the end of the worked example (Table 2.6, steps
 * 15 to 20). Block after block, the low module sends a write probe and is sent a write-back or an acknowledgement.
 * Without a directory the blocks are evicted.
 *   module  index of a cache, which is flushed with the modules above it as far as they hold its blocks; GPC_NO_MODULE:
 *           all caches, those of the first level first
 *   cycle   in which it begins
 *   result  as of an access: found and state are GPC_LINE_I; may be NULL
 * Returns GPC_OK; GPC_ERROR_ARGUMENT (no index of a cache); GPC_ERROR_STATE, GPC_ERROR_CALLBACK as
 * gpc_coherence_access; GPC_ERROR_MEMORY, after which some blocks have been flushed and others not. Since: 0.1.
 */
GPC_API gpc_status gpc_coherence_flush(gpc_coherence *coherence, uint32_t module, uint64_t cycle, gpc_error *error,
                                       gpc_coherence_result *result);

/*
 * Acquire: a kernel begins, or a warp acquires, and must not see data that are old. The protocol's ACQUIRE rules are
 * applied to all blocks of a module; protocols whose directories keep all copies up to date do nothing.
 *   module  index of a cache; GPC_NO_MODULE: all caches but those for which gpc_protocol.shared is
 * Other arguments and returned statuses as gpc_coherence_flush. Since: 0.1.
 */
GPC_API gpc_status gpc_coherence_acquire(gpc_coherence *coherence, uint32_t module, uint64_t cycle, gpc_error *error,
                                         gpc_coherence_result *result);

/*
 * Read and write memory's bytes directly: no access, no message, no time; copies in caches are not looked at.
 *   bytes  [size]
 * Return GPC_OK; GPC_ERROR_ARGUMENT (a NULL, an address beyond the last); GPC_ERROR_STATE (a tree without data);
 * gpc_coherence_write_memory also GPC_ERROR_MEMORY, having written nothing. Since: 0.1.
 */
GPC_API gpc_status gpc_coherence_read_memory(const gpc_coherence *coherence, uint64_t address, uint8_t *bytes,
                                             size_t size);
GPC_API gpc_status gpc_coherence_write_memory(gpc_coherence *coherence, uint64_t address, const uint8_t *bytes,
                                              size_t size);

/* A block of a module, as it is. */
typedef struct gpc_coherence_block {
    size_t struct_size;
    uint64_t tag;         /* address of the block; 0 where invalid */
    const uint8_t *bytes; /* [block_bytes] borrowed until the next call that changes the tree; NULL: see below */
    const uint8_t *dirty; /* [(block_bytes + 7) / 8] which are modified: bit i % 8 of byte i / 8; likewise */
    uint32_t state;       /* gpc_coherence_state */
    uint32_t recency;     /* place in the LRU or FIFO order of its set, 0 = the most recent; 0 with other policies */
    uint32_t sub_blocks;  /* how many directory entries it has; 0 without modules above */
    uint32_t sub_block_bytes;
} gpc_coherence_block;

#define GPC_COHERENCE_BLOCK_INIT \
    { sizeof(gpc_coherence_block), 0, NULL, NULL, GPC_LINE_I, 0, 0, 0 }

/*
 * Look at the block of a module in `set` and `way`. Ways from gpc_coherence_module.ways on, as many as directory_ways,
 * are entries of the directory alone. A memory with ways 0 has one set, and ways in the order in which its blocks were
 * first cached. `bytes` and `dirty` are NULL in trees without data, in memories, and in entries of the directory alone.
 * Returns GPC_OK; GPC_ERROR_ARGUMENT; GPC_ERROR_RANGE (no such module, set or way); GPC_ERROR_ABI. Since: 0.1.
 */
GPC_API gpc_status gpc_coherence_get_block(const gpc_coherence *coherence, uint32_t module, uint32_t set, uint32_t way,
                                           gpc_coherence_block *block);

/*
 * Look at a directory entry: which modules above have copies of a sub-block of the block in `set` and `way`.
 *   sub_block  below gpc_coherence_block.sub_blocks
 *   out_owner  receives the index of the module that owns it; GPC_NO_MODULE: none does
 *   sharers    [room] receives indices of modules with a copy, ascending, as many as fit; may be NULL with room 0
 *   out_count  receives how many sharers there are
 * Returns GPC_OK; GPC_ERROR_RANGE; GPC_ERROR_ARGUMENT. Since: 0.1.
 */
GPC_API gpc_status gpc_coherence_get_directory(const gpc_coherence *coherence, uint32_t module, uint32_t set,
                                               uint32_t way, uint32_t sub_block, uint32_t *out_owner, uint32_t *sharers,
                                               size_t room, size_t *out_count);

/*
 * Where a module has the block of an address, or would put it.
 *   out_way  the way; of a block that is not there, the one that the next miss would take, or GPC_NO_MODULE where its
 *            replacement policy will decide
 * Returns GPC_OK; GPC_END (it is not there); GPC_ERROR_RANGE (no such module, or it does not serve the address);
 * GPC_ERROR_ARGUMENT. Since: 0.1.
 */
GPC_API gpc_status gpc_coherence_find(const gpc_coherence *coherence, uint32_t module, uint64_t address,
                                      uint32_t *out_set, uint32_t *out_way);

/* Index of the module of this name; GPC_NO_MODULE: none has it. Since: 0.1. */
GPC_API uint32_t gpc_coherence_module_index(const gpc_coherence *coherence, const char *name);
/*
 * A module as it was given, defaults filled in; pointers are borrowed for as long as the tree lives.
 * Returns GPC_OK; GPC_ERROR_RANGE; GPC_ERROR_ARGUMENT; GPC_ERROR_ABI. Since: 0.1.
 */
GPC_API gpc_status gpc_coherence_get_module(const gpc_coherence *coherence, uint32_t module, gpc_coherence_module *out);

/* What a tree obeys, borrowed for as long as it lives; NULL for NULL. Since: 0.2. */
GPC_API const gpc_protocol *gpc_coherence_protocol(const gpc_coherence *coherence);

/*
 * Counters of a module, which counters.h explains, and its matrices of transitions and of their origins. Under a
 * protocol with states beside the six, each of these is counted as that of the six that means the same, and F as S.
 */
typedef struct gpc_coherence_stats {
    size_t struct_size;
#define X(id, field, name, unit, kind, objects, needs, since, meaning) uint64_t field;
    GPC_COHERENCE_COUNTERS(X)
#undef X
    uint64_t transitions[GPC_LINE_COUNT][GPC_LINE_COUNT]; /* [from][to] how many, Table 4.2 (a) */
    uint32_t origins[GPC_LINE_COUNT][GPC_LINE_COUNT];     /* [from][to] gpc_origin bits of why, Table 4.2 (b) */
} gpc_coherence_stats;

/* The layout of this header's gpc_coherence_stats, as gpc_stats_layout. Any thread. Since: 0.2. */
static inline const gpc_layout *gpc_coherence_stats_layout(void) {
    static const gpc_field fields[] = {
#define X(id, field, name, unit, kind, objects, needs, since, meaning) {id, 1},
        GPC_COHERENCE_COUNTERS(X)
#undef X
    };
    static const gpc_layout layout = {sizeof(gpc_coherence_stats), fields, sizeof fields / sizeof *fields,
                                      GPC_LINE_COUNT, 0};
    return &layout;
}

/* Clear and set struct_size. Since: 0.1. */
static inline void gpc_coherence_stats_init(gpc_coherence_stats *stats) {
    memset(stats, 0, sizeof *stats);
    stats->struct_size = sizeof *stats;
}

/*
 * Statistics of a module since the tree was made or they were reset.
 *   module         index; GPC_NO_MODULE: the sum of all modules
 *   layout, stats  the host's struct, struct_size set
 * Returns GPC_OK; GPC_ERROR_RANGE; GPC_ERROR_ARGUMENT; GPC_ERROR_ABI. Since: 0.2.
 */
GPC_API gpc_status gpc_coherence_get_stats_as(const gpc_coherence *coherence, uint32_t module, const gpc_layout *layout,
                                              void *stats);
/*
 * Transitions and origins among all states of the tree's protocol.
 *   module                index; GPC_NO_MODULE: the sum of all modules
 *   states                of the protocol: GPC_LINE_COUNT + gpc_coherence_protocol(coherence)->state_count
 *   transitions, origins  [states][states] receive them: from, to; as in gpc_coherence_stats
 * Returns GPC_OK; GPC_ERROR_RANGE (module, states); GPC_ERROR_ARGUMENT. Since: 0.2.
 */
GPC_API gpc_status gpc_coherence_get_matrices(const gpc_coherence *coherence, uint32_t module, uint32_t states,
                                              uint64_t *transitions, uint32_t *origins);
/* Set the statistics of all modules to 0. NULL is allowed. Since: 0.1. */
GPC_API void gpc_coherence_reset_stats(gpc_coherence *coherence);

/* The same for gpc_coherence_stats. Since: 0.1. */
static inline gpc_status gpc_coherence_get_stats(const gpc_coherence *coherence, uint32_t module,
                                                 gpc_coherence_stats *stats) {
    return gpc_coherence_get_stats_as(coherence, module, gpc_coherence_stats_layout(), stats);
}

/*
 * Statistics as text: the two matrices side by side as Table 4.2 has them, and all statistics of a module as JSON.
 *   layout, stats  the host's struct; fields that the library does not know are taken for 0
 *   title          of the table's first row; copied into the text
 *   buffer         [size] receives as much as fits, with a final NUL; may be NULL with size 0
 * Return the length of the whole text, without the NUL. Any thread. Since: 0.2.
 */
GPC_API size_t gpc_coherence_matrix_text_as(const gpc_layout *layout, const void *stats, const char *title,
                                            char *buffer, size_t size);
GPC_API size_t gpc_coherence_stats_json_as(const gpc_layout *layout, const void *stats, char *buffer, size_t size);

/* The same for gpc_coherence_stats. Since: 0.1. */
static inline size_t gpc_coherence_matrix_text(const gpc_coherence_stats *stats, const char *title, char *buffer,
                                               size_t size) {
    return gpc_coherence_matrix_text_as(gpc_coherence_stats_layout(), stats, title, buffer, size);
}

static inline size_t gpc_coherence_stats_json(const gpc_coherence_stats *stats, char *buffer, size_t size) {
    return gpc_coherence_stats_json_as(gpc_coherence_stats_layout(), stats, buffer, size);
}

/* The end of an access that gpc_coherence_issue began. Borrowed for the call; `bytes` until that issues another. */
typedef struct gpc_coherence_completion {
    size_t struct_size;
    uint64_t token;              /* from gpc_coherence_issue */
    uint64_t issued, cycle;      /* the request's cycle; the one at which the processor has its answer */
    uint64_t address;            /* bytes */
    const uint8_t *bytes;        /* [size] what a load read, or what is there after a store; NULL without `data` */
    uint32_t module, size, kind; /* of the request */
    uint32_t retries;            /* times that it began again, because a request of it was refused */
    uint8_t hit;                 /* 1: no request went to the low module */
    uint8_t joined;              /* 1: it was part of an older access to the block, and ended with it */
    uint8_t reserved[6];
} gpc_coherence_completion;

/*
 * Called after each access, flush and acquire, before it returns: for each message in the order of the list, then for
 * each transition. Of accesses in flight (gpc_coherence_issue): for each transition when it is made, for each message
 * when it is received; its `after`, `join`, `request` and `block` then say none, its `found` and delays are 0. Any may
 * be NULL. They may not call into the tree, and borrow what they are given for the call; but on_complete may call
 * gpc_coherence_issue, and what only reads.
 */
typedef struct gpc_coherence_callbacks {
    size_t struct_size;
    void *user_data;
    void (*on_transition)(void *user_data, const gpc_coherence_transition *transition);
    void (*on_message)(void *user_data, const gpc_coherence_message *message);
    void (*on_complete)(void *user_data, const gpc_coherence_completion *completion); /* Since: 0.2 */
} gpc_coherence_callbacks;

#define GPC_COHERENCE_CALLBACKS_INIT \
    { sizeof(gpc_coherence_callbacks), NULL, NULL, NULL, NULL }

/*
 * Set the callbacks, which are copied; NULL: none any more.
 * Returns GPC_OK; GPC_ERROR_ARGUMENT; GPC_ERROR_ABI. Since: 0.1.
 */
GPC_API gpc_status gpc_coherence_set_callbacks(gpc_coherence *coherence, const gpc_coherence_callbacks *callbacks);

/*
 * Accesses that overlap in time. gpc_coherence_access does all of an access at once; these are done message by message.
 * A module acts when a message arrives; a block is locked from the lookup that finds it until what was asked for is
 * done; ports, links and buffers carry so much and no more. Table, tags, directory, counters are the same.
 *
 *   order      in a module, a store waits for all older accesses; a load or n-store for older stores, and for older
 *              accesses to its block. A load joins older loads of its block that no store stands between, a store of
 *              either kind the access just before it, if that is of the same kind and to the same block. An access
 *              that bypasses its module, or is written through, joins none
 *   conflicts  a request towards memory that finds its block locked waits there; with GPC_PROTOCOL_RETRY it is refused,
 *              and the access begins again after 0 to latency + 1 cycles, at random by the context's seed, `latency`
 *              being that of its module. Probes, and accesses in their own module, wait for the lock; but where
 *              requests wait, a probe passes the lock of an access whose own request has not been served yet
 *   time       stars with buffers of bytes, one message a cycle into each, 1 + 3 * ceil(bytes / bandwidth) cycles
 *              where nothing is in the way; `ports`; `latency` and `directory_latency`; `mshrs` limits nothing
 *
 * An access alone leaves the states that gpc_coherence_access would, in nmoesi-multi2sim at the same cycles. Protocols
 * with peers may take a few cycles more, since a module sends one message a cycle; and a module that itself has to ask
 * for the only copy takes modified bytes from above first, where they would go to the peer.
 *
 * Source: seeds/002 section 4.2; Multi2Sim 5.0, transition for transition and cycle for cycle under nmoesi-multi2sim.
 */

/*
 * Begin an access at request->cycle, which gpc_coherence_advance has not passed. Nothing happens before advance is
 * called. `bytes` and `mask` are copied; `out` and `atomics`, where given, must live until the access ends; `out` is
 * written just before on_complete, `atomics` when they are performed. An ACQUIRE is of a whole module, any cache, and
 * has no address, size, bytes, mask, out, atomics or flags: what its rules only drop goes at once, what they write back
 * leaves one block a cycle, a block on its way is waited for; it ends when no access issued before it to that module is
 * in flight. A RELEASE begins when that is so, and goes on as an ACQUIRE.
 *   out_token  receives the number of the access: 1, 2, 3 and so on
 * Returns GPC_OK; GPC_ERROR_ABI; GPC_ERROR_ARGUMENT and GPC_ERROR_RANGE as gpc_coherence_access, and ARGUMENT for a
 * cycle that is past; GPC_ERROR_STATE once the tree has failed, and from on_message and on_transition;
 * GPC_ERROR_MEMORY. Unless it is GPC_OK nothing has begun.
 * While accesses, or what they have begun, are in flight, gpc_coherence_access, flush and acquire return
 * GPC_ERROR_STATE.
 * Thread rule: one thread at a time. Since: 0.2.
 */
GPC_API gpc_status gpc_coherence_issue(gpc_coherence *coherence, const gpc_coherence_request *request, gpc_error *error,
                                       uint64_t *out_token);

/*
 * Do everything that happens up to and including a cycle. UINT64_MAX: until nothing is in flight.
 * Returns GPC_OK; GPC_ERROR_ARGUMENT (the cycle is past); GPC_ERROR_STATE: a forbidden cell was reached, or no access
 * in flight can go on any more, `error` naming who waits for what; then the tree can only be read and destroyed; or
 * called from a callback; GPC_ERROR_MEMORY: what came before some cycle is done, and calling again goes on from there.
 * Thread rule: one thread at a time. Since: 0.2.
 */
GPC_API gpc_status gpc_coherence_advance(gpc_coherence *coherence, uint64_t cycle, gpc_error *error);

/*
 * The next cycle at which something happens to accesses in flight. UINT64_MAX: nothing is in flight.
 * Thread rule: one thread at a time. Since: 0.2.
 */
GPC_API uint64_t gpc_coherence_next_event(const gpc_coherence *coherence);

/*
 * Check what must hold in a tree: of all modules that each tag is there once, in its set, and invalid blocks have
 * neither sharers nor owner; and of all blocks with addresses from `first` on, under a protocol with DIRECTORY, that a
 * module in M or E has no peer with a copy, and at most one peer is in O; that every copy stands in the directory
 * below, and who has rights as the owner; that caches below have them, too, and, if inclusive, the block; that modified
 * bytes are in N, M or O alone. While accesses are in flight only that there is one writer,
 * copies that are locked aside.
 *   bytes  from `first` on
 * Returns GPC_OK; GPC_ERROR_STATE (`error` says what is wrong, and where); GPC_ERROR_ARGUMENT. Since: 0.2.
 */
GPC_API gpc_status gpc_coherence_check(const gpc_coherence *coherence, uint64_t first, uint64_t bytes,
                                       gpc_error *error);

GPC_END_DECLS

#endif
