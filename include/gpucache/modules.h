/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_MODULES_H
#define GPUCACHE_MODULES_H

#include <gpucache/context.h>
#include <gpucache/protocol.h>

GPC_BEGIN_DECLS

/*
 * Parts of a tree of coherent caches: modules, and the networks between them. For the words see coherence.h. Sources:
 * seeds/002 sections 2.2.3, 3.1.2; for limited directories see gpc_directory_overflow.
 */

#define GPC_NO_MODULE UINT32_MAX /* in place of an index of a module or network: none, or all where a call says so */
#define GPC_MAX_MODULES 4096u    /* limit for the modules of a tree, and for its networks */

/*
 * Addresses that a module serves. Every such address must be served by exactly 1 of the module's low modules. A cache
 * with ALL serves from the first to the last address served by its low modules. A cache with INTERLEAVED or HASHED
 * serves the addresses of its residue in this range.
 */
typedef enum gpc_served {
    GPC_SERVES_ALL = 0,
    GPC_SERVES_RANGE = 1,       /* first <= address <= last */
    GPC_SERVES_INTERLEAVED = 2, /* (address / divisor) mod modulus == residue */
    /*
     * As INTERLEAVED, with address / divisor hashed by a polynomial, as in l2.interleave = hash (Rau, ISCA 1991).
     * Strides of every power of two are spread evenly. All HASHED modules of a tree have equal divisor, a power of two,
     * and equal modulus. A tree with HASHED modules has no INTERLEAVED module, and a RANGE begins and ends at a
     * multiple of (divisor x modulus, rounded up to a power of two). Since: 0.2.
     */
    GPC_SERVES_HASHED = 3
} gpc_served;

/*
 * Handling of a directory entry with more copies than pointers (Gupta, Weber, Mowry: Reducing Memory and Traffic
 * Requirements for Scalable Directory-Based Cache Coherence Schemes, 1990: Dir_i B, Dir_i NB, Dir_i CV_r).
 */
typedef enum gpc_directory_overflow {
    GPC_OVERFLOW_BROADCAST = 0, /* the entry stands for all modules above; all are probed */
    GPC_OVERFLOW_EVICT = 1,     /* a copy is invalidated, and its pointer names the new copy */
    /* the entry has a bit per group of directory_region neighbours; a probe goes to the whole group */
    GPC_OVERFLOW_COARSE = 2
} gpc_directory_overflow;

/*
 * Network between a level of modules and their low modules, or between several levels: a switch, and for every module a
 * link in each direction. Without other traffic a message of s bytes needs 1 + 3 * ceil(s / bandwidth) cycles.
 */
typedef struct gpc_coherence_network {
    size_t struct_size;
    const char *name;       /* copied */
    uint32_t bandwidth;     /* bytes per cycle of every link and of every output of the switch; at least 1 */
    uint32_t input_buffer;  /* bytes, for hosts that schedule; 0 = unlimited; must hold the largest message */
    uint32_t output_buffer; /* bytes, for hosts that schedule; 0 = unlimited; must hold the largest message */
    uint32_t reserved;      /* 0 */
} gpc_coherence_network;

#define GPC_COHERENCE_NETWORK_INIT \
    { sizeof(gpc_coherence_network), NULL, 64, 0, 0, 0 }

/*
 * A cache or a memory. Indices are positions in gpc_coherence_options.modules and networks. A block of a module is
 * divided into sub-blocks of the size of the smallest block above. Every sub-block has a directory entry.
 */
typedef struct gpc_coherence_module {
    size_t struct_size;
    const char *name; /* copied; unique in the tree */
    /*
     * Replacement policy: lru, fifo, or a registered policy, `name` or `name(parameter=value, ...)`; NULL: lru. Copied.
     * The policy gets a gpc_request with `address` (of the block), `cycle`, `sm` (index of the first-level module) and
     * `kind`: GPC_LOAD; GPC_ATOMIC for a STORE; GPC_STORE for an N_STORE, and for other blocks that move because of the
     * access. A flush or acquire is a GPC_STORE of sm 0. All other fields are 0. gpc_coherence_create refuses a policy
     * that reads more, or that does not state its inputs (gpc_policy_reads). Probes from below count as hits for lru
     * and fifo, as in Multi2Sim. Other policies get only the uses by a processor or by a module above.
     */
    const char *replacement;
    const uint32_t *low; /* [low_count], indices of the low modules, copied; none for a memory */
    uint32_t low_count;
    /* indices of networks towards memory and towards processors; GPC_NO_MODULE: no network */
    uint32_t low_network, high_network;
    /* for a memory: of its directory; ways 0 (sets 1): an entry for every cached block */
    uint32_t sets, ways;
    uint32_t block_bytes;       /* a power of two, 4 to 4096; no module above has larger blocks */
    uint32_t latency;           /* cycles to read or write the data */
    uint32_t directory_latency; /* cycles of a lookup */
    /* concurrent lookups; 0 = unlimited. For hosts that schedule; gpc_coherence_access ignores the field */
    uint32_t ports;
    /* accesses in flight; 0 = unlimited. For hosts that schedule; the tree ignores the field */
    uint32_t mshrs;
    uint32_t served;                    /* gpc_served */
    uint32_t directory_ways;            /* non-inclusive: entries per set for blocks with data only in modules above */
    uint64_t first, last;               /* GPC_SERVES_RANGE: addresses, bytes */
    uint64_t divisor, modulus, residue; /* INTERLEAVED, HASHED; the divisor in bytes, a multiple of block_bytes */
    bool memory;
    /* evictions leave the copies above valid; needs directory_ways if the protocol has DIRECTORY */
    bool non_inclusive;
    bool any_victim;        /* as Multi2Sim: the policy chooses the victim even if the set has invalid ways */
    bool write_through;     /* first level only: stores of either kind also go to the low module; blocks stay clean */
    bool no_write_allocate; /* first level only: the low module performs a store that misses */
    uint8_t index;          /* gpc_index except GPC_INDEX_USER: set index function of the block number. Since: 0.2. */
    /*
     * Numbering of blocks. For INTERLEAVED modules with a power of two as divisor: true = the module's stretches are
     * numbered as if contiguous; false = (address / block_bytes) / modulus, as in Multi2Sim, which leaves sets unused
     * if a stretch has several blocks. HASHED modules: as true. Other modules: address / block_bytes. Since: 0.2.
     */
    bool dense;
    uint8_t reserved[1];
    /*
     * Pointers of a directory entry: number of copies that an entry can name, including the owner. For modules with
     * modules above, under a protocol with DIRECTORY and without PROBE_WHOLE. 0, or the number of modules above: no
     * limit. Probes of modules without a copy are counted in the probed module, in probe_misses. EVICT needs a single
     * block size above. Since: 0.2.
     */
    uint8_t directory_pointers;
    uint8_t directory_overflow; /* gpc_directory_overflow, for an entry with more copies. Since: 0.2. */
    uint8_t directory_region;   /* COARSE: modules of a group, 2 or more; otherwise 0. Since: 0.2. */
    /*
     * Neighbouring blocks of a line: 1 (or 0), 2, 4 or 8. A line has a single tag and a single way. Its blocks arrive
     * separately and leave together. Coherence works on blocks: every block has a state, a directory entry and
     * messages. If a call takes or returns `set` and `way`, `set` numbers rows of blocks: set * sectors + index of the
     * block in the line. No effect in a memory of ways 0, and for directory entries without data. Since: 0.2.
     */
    uint8_t sectors;
    /*
     * Home, 1 to gpc_coherence_options.homes, in a tree with homes; or 0. A module with modules above serves only the
     * pages of its home. For a module of the first level: the home of pages that the module touches first, with
     * GPC_PLACE_FIRST_TOUCH. Since: 0.2.
     */
    uint8_t home;
    /*
     * Cache shared by all processors, over a memory: a store that misses fetches nothing, if the cache performs the
     * store for modules above or gets the store written through. The written bytes are kept under a mask. The rest is
     * read when needed, or never. Since: 0.2.
     */
    bool byte_masks;
    /*
     * Blocks fetched together by a cache: a miss reads all absent blocks of an aligned group of this size in the line,
     * and waits only for the missed block. A power of two, `sectors` at most; 0: 1. Since: 0.2.
     */
    uint8_t fetch_blocks;
    uint8_t reserved_too[2];
    /*
     * Index of the other half, if the module is the near half of a cache. The other half has a `home`. The two halves
     * have common sets, ways and replacement order: either half may take a way.
     * The near half serves no page of that home. For other pages the near half keeps copies, and asks the caches below,
     * at the pages' homes. Therefore two caches may each be below the other cache, for different pages.
     * All fields about ways are as in the other half: sets, ways, block_bytes, sectors, index, dense, served and its
     * parameters, directory_ways, replacement, any_victim. Ways are at least 2. Requests of the near half lock at most
     * all but 1 way of a set at a time, so that the other half can continue. The near half is inclusive even if
     * non_inclusive is set. Stores that miss above, and must be performed below, go on to the page's home. home,
     * byte_masks and memory are 0 or false. GPC_NO_MODULE: the module is a whole cache, or the other half. Since: 0.2.
     */
    uint32_t near_of;
} gpc_coherence_module;

#define GPC_COHERENCE_MODULE_INIT                                                                              \
    {                                                                                                          \
        sizeof(gpc_coherence_module), NULL, NULL, NULL, 0, GPC_NO_MODULE, GPC_NO_MODULE, 1, 1, 64, 1, 0, 0, 0, \
            GPC_SERVES_ALL, 0, 0, UINT64_MAX, 1, 1, 0, false, false, false, false, false, 0, false, {0}, 0,    \
            GPC_OVERFLOW_BROADCAST, 0, 1, 0, false, 1, {0}, GPC_NO_MODULE                                      \
    }

/* Placement of a page at a home. Since: 0.2. */
typedef enum gpc_placement {
    GPC_PLACE_ROUND_ROBIN = 0, /* page by page in turn */
    GPC_PLACE_FIRST_TOUCH = 1, /* at the home of the first-level module with the first access */
    GPC_PLACE_HASHED = 2       /* by a hash of the page number. Since: 0.2. */
} gpc_placement;

/* A whole tree. Elements of an array of structs have a common size: the struct_size of the first element. */
typedef struct gpc_coherence_options {
    size_t struct_size;
    const char *protocol;                  /* name of a registered protocol; NULL: nmoesi */
    const gpc_coherence_module *modules;   /* [module_count] */
    const gpc_coherence_network *networks; /* [network_count] */
    uint32_t module_count, network_count;  /* 1 to GPC_MAX_MODULES; 0 to GPC_MAX_MODULES */
    /* size of a message without data, and of the header of a message with data; 1 to 4096 */
    uint32_t control_bytes;
    bool data;   /* true: blocks and memory hold bytes, and loads return values. false: states only (faster) */
    bool timing; /* true: messages have the cycles of an otherwise idle system. false: 0 (faster) */
    uint8_t reserved[2];
    /* Memory in several parts, as of several GPUs: gpc_coherence_module.home gives the pages that a module serves. */
    uint64_t page_bytes; /* a power of two, not smaller than the largest block; 0 without homes. Since: 0.2. */
    uint32_t homes;      /* 1 to 255; 0: pages have no home. Since: 0.2. */
    uint32_t placement;  /* gpc_placement. Since: 0.2. */
} gpc_coherence_options;

#define GPC_COHERENCE_OPTIONS_INIT \
    { sizeof(gpc_coherence_options), NULL, NULL, NULL, 0, 0, 8, true, true, {0}, 0, 0, GPC_PLACE_ROUND_ROBIN }

GPC_END_DECLS

#endif
