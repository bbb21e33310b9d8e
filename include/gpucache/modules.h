/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_MODULES_H
#define GPUCACHE_MODULES_H

#include <gpucache/context.h>
#include <gpucache/protocol.h>

GPC_BEGIN_DECLS

/*
 * What a tree of coherent caches consists of: modules, and the networks between them. Words are those of coherence.h.
 *
 * Sources: seeds/002 sections 2.2.3, 3.1.2; for limited directories, see gpc_directory_overflow.
 */

#define GPC_NO_MODULE UINT32_MAX /* in place of an index of a module or network: none, or, where a call says so, all */
#define GPC_MAX_MODULES 4096u    /* of a tree; likewise networks */

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

GPC_END_DECLS

#endif
