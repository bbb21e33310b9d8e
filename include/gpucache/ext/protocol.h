/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_EXT_PROTOCOL_H
#define GPUCACHE_EXT_PROTOCOL_H

#include <gpucache/types.h>

GPC_BEGIN_DECLS

/*
 * Parts of a tree of coherent caches: modules, and the networks between them. For the words see ext/coherence.h.
 * Sources: seeds/002 sections 2.2.3, 3.1.2; for limited directories see gpc_directory_overflow.
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
    /* For a memory: sets and ways of its directory. With sets 1 and ways 0 the directory has every cached block */
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
    uint32_t module_count, network_count;  /* at most GPC_MAX_MODULES each; at least 1 module */
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

/*
 * Protocols of coherence. A protocol is a table: for every state of a block and every event, the actions of the cache
 * and the next state. For the words see ext/coherence.h.
 *
 * Sources: seeds/002 sections 2.2.2, 2.2.3. lib/policies/protocol/README.md quotes the tables.
 */

/* States of a block, in the order of the matrices of transitions (Tables 2.3, 4.2). */
typedef enum gpc_coherence_state {
    GPC_LINE_N = 0, /* non-coherent: modified here without a request; other modules may have copies, modified or not */
    GPC_LINE_M = 1, /* modified: the only valid copy; memory is out of date */
    GPC_LINE_O = 2, /* owned: modified, with further copies elsewhere; this copy will be written back */
    GPC_LINE_E = 3, /* exclusive: the only copy, not modified; a store needs no request */
    GPC_LINE_S = 4, /* shared: further copies may exist; read only (without a directory: valid) */
    GPC_LINE_I = 5, /* invalid */
    GPC_LINE_COUNT = 6
} gpc_coherence_state;

#define GPC_MAX_STATES 64u /* states of a protocol, including the six */

/*
 * Meaning of a state to a tree, a bit per property: of the six states, and of states that a protocol declares. A
 * declared state has the bits of a state of the six, or a further combination: OWNER alone (F of MESIF: unmodified,
 * further copies exist, requests for the block go to this copy); DETACHED alone (unmodified, and absent from the low
 * module's directory, so that no writer finds the copy). A write probe of the protocol's own detaches a copy. A
 * detached copy may be read until a rule drops the copy. Since: 0.2.
 */
enum {
    GPC_MEANS_MODIFIED = 1 << 0, /* the bytes may be newer than those below */
    GPC_MEANS_ONLY = 1 << 1,     /* no other copy exists; goes with OWNER */
    /* the low module's directory names this module as owner: read probes go to this module */
    GPC_MEANS_OWNER = 1 << 2,
    GPC_MEANS_NON_COHERENT = 1 << 3, /* modified bytes are merged under a mask; goes with MODIFIED only */
    GPC_MEANS_DETACHED = 1 << 4      /* no directory has recorded the copy; goes with no other bit */
};
#define GPC_MEANS_N (GPC_MEANS_MODIFIED | GPC_MEANS_NON_COHERENT)
#define GPC_MEANS_M (GPC_MEANS_MODIFIED | GPC_MEANS_ONLY | GPC_MEANS_OWNER)
#define GPC_MEANS_O (GPC_MEANS_MODIFIED | GPC_MEANS_OWNER)
#define GPC_MEANS_E (GPC_MEANS_ONLY | GPC_MEANS_OWNER)
#define GPC_MEANS_S 0
#define GPC_MEANS_F GPC_MEANS_OWNER

/* A state beside the six. Since: 0.2. */
typedef struct gpc_protocol_state {
    const char *name; /* 1 to 15 characters of a-z, A-Z, 0-9, _ and -; unique among the protocol's states */
    uint32_t means;   /* GPC_MEANS_ bits */
    uint32_t reserved;
} gpc_protocol_state;

/* Events of a block in a module, the columns of a table: those of Table 2.5, then events of lower levels. */
typedef enum gpc_coherence_event {
    /* processor events, at a first-level module */
    GPC_EVENT_LOAD = 0,
    GPC_EVENT_STORE = 1,   /* coherent: an atomic */
    GPC_EVENT_N_STORE = 2, /* non-coherent: an ordinary store of a GPU */
    /* events of all caches */
    GPC_EVENT_EVICTION = 3,    /* another block needs the way */
    GPC_EVENT_READ_PROBE = 4,  /* Read Req. of Table 2.5: another module is about to get a copy */
    GPC_EVENT_WRITE_PROBE = 5, /* Write Req. of Table 2.5: another module is about to get the only copy */
    /* events of modules with modules above */
    GPC_EVENT_READ_ABOVE = 6,       /* a module above requests a copy */
    GPC_EVENT_WRITE_ABOVE = 7,      /* a module above requests the only copy */
    GPC_EVENT_DATA_ABOVE = 8,       /* a module above writes back, or writes through, modified data */
    GPC_EVENT_N_DATA_ABOVE = 9,     /* a module above writes back, or writes through, data modified non-coherently */
    GPC_EVENT_PROBE_DATA = 10,      /* a module above replied to a read probe with modified data */
    GPC_EVENT_INVALIDATE_DATA = 11, /* a module above replied to a write probe with modified data */
    /* events of protocols with flags of an access (slc-glc) */
    GPC_EVENT_PASSING_LOAD = 12,  /* a load that bypasses this level */
    GPC_EVENT_PASSING_STORE = 13, /* a store that bypasses this level */
    GPC_EVENT_THROUGH_STORE = 14, /* a store that is written through this level */
    GPC_EVENT_ACQUIRE = 15,       /* a kernel begins, or a warp acquires: gpc_coherence_acquire */
    GPC_EVENT_COUNT = 16
} gpc_coherence_event;

#define GPC_MAX_EVENTS 64u /* events of a protocol, including the sixteen */

/*
 * An event beside the sixteen: a variant of an event of the sixteen, with its own column in every table in which the
 * base event has rules. The tree handles the variant as the base event, but by the rules of the variant's column.
 * Since: 0.2.
 */
typedef struct gpc_protocol_event {
    const char *name; /* 1 to 15 characters of a-z, 0-9, _ and -; unique among the protocol's events */
    /* base event: LOAD, STORE, N_STORE, READ_PROBE, WRITE_PROBE, or an event from READ_ABOVE to N_DATA_ABOVE */
    uint32_t like;
    uint32_t reserved;
} gpc_protocol_event;

/*
 * Events that a cell's messages raise in other modules instead of the usual events. A number is GPC_EVENT_COUNT plus an
 * index in gpc_protocol.events; 0: the usual event.
 *   below  in the low module: a variant of READ_ABOVE if the cell has READ_REQUEST, of WRITE_ABOVE if the cell has
 *          WRITE_REQUEST, of DATA_ABOVE or N_DATA_ABOVE if the cell has WRITE_BACK or WRITE_THROUGH. If the data are
 *          not of the variant's kind, the usual event is raised
 *   above  in probed modules above: a variant of READ_PROBE in a READ_ABOVE or READ_PROBE cell; a variant of
 *          WRITE_PROBE in a WRITE_ABOVE, WRITE_PROBE or EVICTION cell
 * Since: 0.2.
 */
typedef struct gpc_protocol_raise {
    uint8_t below, above;
} gpc_protocol_raise;

/* Actions of a module on an event, a bit per action. A cell of the table without actions is no rule. */
enum {
    GPC_DO_HIT = 1 << 0,            /* no request; the next state is written and counted, even if equal */
    GPC_DO_IGNORE = 1 << 1,         /* no action, a dash in Table 2.5: the state is not written */
    GPC_DO_FORBID = 1 << 2,         /* impossible event: the access fails with GPC_ERROR_STATE */
    GPC_DO_READ_REQUEST = 1 << 3,   /* request a copy from the low module */
    GPC_DO_WRITE_REQUEST = 1 << 4,  /* request the only copy from the low module */
    GPC_DO_WRITE_BACK = 1 << 5,     /* send the modified bytes to the low module */
    GPC_DO_SEND_DATA = 1 << 6,      /* reply to a probe with the block */
    GPC_DO_NOTIFY = 1 << 7,         /* tell the low module that this copy is gone */
    GPC_DO_CLEAR_OWNER = 1 << 8,    /* tell the low module that this module no longer owns the block */
    GPC_DO_EVICT_FIRST = 1 << 9,    /* evict the block, then request the block again */
    GPC_DO_WRITE_THROUGH = 1 << 10, /* send the stored bytes to the low module too */
    GPC_DO_PASS = 1 << 11           /* the low module performs the access; this module makes and keeps no copy */
};

/*
 * Meaning of a protocol's table. R is the module that sends a request, T its low module, X a module above T that T
 * probes. An event is looked up in the table of its module, by the state of the block in the module.
 *
 * LOAD, STORE and N_STORE happen at a first-level module R.
 *   HIT            next state
 *   READ_REQUEST   R sends a read request to T, then takes the next state: `next` if its copy is the only copy,
 *                  `next_shared` if other modules have copies
 *   WRITE_REQUEST  R sends a write request to T, then takes the next state. Loads: only variants of LOAD may have the
 *                  action
 *   CLEAR_OWNER, EVICT_FIRST, WRITE_THROUGH go with the actions above; PASS stands alone, or with WRITE_BACK
 *
 * Read request to T. If T has no copy, READ_ABOVE happens at T, and T requests a copy from its own low module. If T has
 * a copy, T probes the owners above of the requested sub-blocks: READ_PROBE happens at X. With SEND_DATA X replies with
 * the block: to R if the protocol has PEER, otherwise to T. With SEND_DATA and WRITE_BACK the modified bytes always go
 * to T. If T receives modified bytes, PROBE_DATA happens at T. X remains the owner if its next state is O or F. If no
 * module owns the block, and the rule for READ_PROBE in S has SEND_DATA, T probes a sharer instead.
 * R becomes a sharer. R also becomes the owner if: no other module has a copy; T is not in O, N or S; the access is no
 * N_STORE; and R's rule has different states `next` and `next_shared`. If other modules have copies, R becomes the
 * owner if R's next state is an OWNER state: later requests go to R, and the old owner loses ownership. T replies to R,
 * with the data unless a peer has sent them.
 * Statements about N, M, O, E and S hold for states with equal GPC_MEANS_ bits.
 *
 * Write request to T. T probes all modules above with a copy, except R: WRITE_PROBE happens at X, after X has
 * invalidated the copies above X. With SEND_DATA X replies with the block, to R or T as above. If T receives modified
 * bytes, INVALIDATE_DATA happens at T. Then WRITE_ABOVE happens at T: with WRITE_REQUEST T first sends a write request
 * to its own low module. R becomes the owner and the only sharer.
 *
 * EVICTION. An inclusive module first invalidates all copies above. With WRITE_BACK the modified bytes go to T, and
 * DATA_ABOVE happens at T, or N_DATA_ABOVE if the block was in N. With NOTIFY T is told that the copy is gone. Without
 * the two actions, T's directory keeps a sharer without a copy.
 *
 * A block knows its modified bytes, and only modified bytes are merged into T's block: several modules in N may have
 * modified different bytes.
 *
 * Variants. Statements about an event hold for its variants. A cell may raise a variant instead of the usual event, in
 * modules below and above (gpc_protocol_raise). An access may name a variant (GPC_ACCESS_EVENT). WRITE_PROBE leads to
 * I. A variant of WRITE_PROBE may leave a copy of the first level DETACHED: X sends its modified bytes, T's directory
 * forgets X, and X keeps the bytes. For requests below, a DETACHED block counts as missing: a rule has EVICT_FIRST, or
 * drops the block, or reads. If an access of X has locked the block, the block is invalidated, never detached.
 *
 * Without DIRECTORY no module is probed and no module is inclusive. DATA_ABOVE may then happen in I: with READ_REQUEST
 * T reads the rest of the block, with PASS the bytes go on to T's own low module.
 */

/* A cell of a table. */
typedef struct gpc_protocol_rule {
    uint16_t actions;    /* GPC_DO_ bits; 0 = no rule */
    uint8_t next;        /* gpc_coherence_state, or GPC_LINE_COUNT plus an index in gpc_protocol.states */
    uint8_t next_shared; /* for a READ_REQUEST: next state if other modules have copies; otherwise equal to `next` */
} gpc_protocol_rule;

/*
 * Properties of all modules of a protocol, beside their rules; a bit per property. For R, T and X see the table above.
 */
enum {
    /* Modules have directories: they know sharers and owners above, and probe them. Without the bit: no probes. */
    GPC_PROTOCOL_DIRECTORY = 1 << 0,
    /* A probed module sends the block directly to the requester. Without the bit: to T, and T passes the block on. */
    GPC_PROTOCOL_PEER = 1 << 1,
    /* A read request probes the owners of all sub-blocks of T's block, not only of the requested (Multi2Sim). */
    GPC_PROTOCOL_PROBE_WHOLE = 1 << 2,
    /* Replies to a write probe after the first reply with data count as transitions (Multi2Sim; Table 4.4, M to M). */
    GPC_PROTOCOL_COUNT_REPLIES = 1 << 3,
    /* In M and O all bytes of a block count as modified. Without the bit: only stored bytes. */
    GPC_PROTOCOL_WHOLE_BLOCKS = 1 << 4,
    /*
     * Three defects of Multi2Sim 5.0, which lose data. Modified data in reply to a read probe do not change T's state
     */
    GPC_PROTOCOL_DROP_PROBE_DATA = 1 << 5,
    /* X replies to a write probe by its state before the modules above X replied */
    GPC_PROTOCOL_STALE_REPLY = 1 << 6,
    GPC_PROTOCOL_BARE_ACK = 1 << 7, /* X in M with a clean owner above replies to a read probe without data */
    /*
     * Overlapping accesses: a request for a locked block is refused, and its access begins again at its first-level
     * module after a random time (Multi2Sim). Without the bit the request waits at the block. Since: 0.2.
     */
    GPC_PROTOCOL_RETRY = 1 << 8,
    /*
     * Without DIRECTORY: a module lists the caches between (gpc_protocol.between) that have read a block. If bytes of
     * the block are stored by way of another cache, or if the block leaves, the module sends an INVALIDATION to the
     * listed caches: WRITE_PROBE happens there. No reply follows and nothing waits. Behind a RELEASE, MARKERS take the
     * same paths, and the RELEASE ends when the MARKERS have arrived. First-level modules are not listed, and rely on
     * ACQUIRE. Since: 0.2.
     * Source: Ren, Lustig, Bolotin, Jaleel, Villa, Nellans, "HMG", HPCA 2020, section V.
     */
    GPC_PROTOCOL_INVALIDATES = 1 << 9
};

/*
 * Flags of an access. With GLC and SLC AMD's GPUs bypass caches; gpc_protocol gives their effect (seeds/002, section
 * 2.3). The other flags give the handling of an access in its first-level module, under every protocol. A host can use
 * them to treat local memory, or bypassed instructions, differently from other accesses.
 */
enum {
    GPC_ACCESS_GLC = 1 << 0,
    GPC_ACCESS_SLC = 1 << 1,
    GPC_ACCESS_THROUGH = 1 << 2,     /* a store: as with gpc_coherence_module.write_through. Since: 0.2. */
    GPC_ACCESS_NO_ALLOCATE = 1 << 3, /* on a miss the low module performs the access. Since: 0.2. */
    GPC_ACCESS_EVICT = 1 << 4,       /* a resident block is evicted; then as NO_ALLOCATE. Since: 0.2. */
    /* a store: if the low module performs the store, the answer has its bytes. Since: 0.2. */
    GPC_ACCESS_RETURNS = 1 << 5
};

/*
 * Event that the access raises: GPC_EVENT_COUNT plus an index in gpc_protocol.events, a variant of LOAD, STORE or
 * N_STORE that fits the access's kind. The event takes precedence over the flags. Since: 0.2.
 */
#define GPC_ACCESS_EVENT_SHIFT 24
#define GPC_ACCESS_EVENT(event) ((uint32_t)(event) << GPC_ACCESS_EVENT_SHIFT)

typedef gpc_protocol_rule gpc_protocol_rules[GPC_LINE_COUNT][GPC_EVENT_COUNT];

/*
 * A protocol, with a table for every place in a tree:
 *   first    modules of the first level
 *   shared   caches through which every processor reaches the cache's addresses; NULL: as `between`
 *   between  other caches below the first level; needed only in trees with such caches
 *   memory   memories, whose directory has only the states I, E (unchanged) and M (written)
 * In a protocol with states beside the six, the tables first, shared and between have GPC_LINE_COUNT + state_count
 * rows: an array [GPC_LINE_COUNT + state_count][GPC_EVENT_COUNT] of rules, with its address cast to the pointer's type.
 * Columns of events beside the sixteen are separate tables, in the same order of places and states.
 */
typedef struct gpc_protocol {
    size_t struct_size;
    const char *name;    /* 1 to 63 characters of a-z, 0-9 and - */
    const char *summary; /* a single line */
    const char *source;  /* document and section, "" if unpublished */
    uint32_t flags;      /* GPC_PROTOCOL_ bits */
    /* GPC_ACCESS_ bits; any of the bits lets a load bypass: [0] first level, [1] other caches */
    uint32_t pass_loads[2];
    /* GPC_ACCESS_ bits; any of the bits lets a store bypass: [0] first level, [1] other caches */
    uint32_t pass_stores[2];
    uint32_t through_stores; /* GPC_ACCESS_ bits; any of the bits lets the first level write a store through */
    const gpc_protocol_rules *first, *between, *shared, *memory;
    const char *letters; /* six letters, A to Z: names of N, M, O, E, S, I in texts; NULL: NMOESI */
    /* [state_count], states beside the six, with numbers from GPC_LINE_COUNT on; NULL: none. Since: 0.2. */
    const gpc_protocol_state *states;
    uint32_t state_count; /* at most GPC_MAX_STATES - GPC_LINE_COUNT. Since: 0.2. */
    /* events beside the sixteen; at most GPC_MAX_EVENTS - GPC_EVENT_COUNT. Since: 0.2. */
    uint32_t event_count;
    const gpc_protocol_event *events;        /* [event_count]; NULL: none. Since: 0.2. */
    const gpc_protocol_rule *event_rules[4]; /* [rows][event_count] for every place; NULL: no rules. Since: 0.2. */
    /* [rows][GPC_EVENT_COUNT + event_count]; NULL: the usual events. Since: 0.2. */
    const gpc_protocol_raise *raises[4];
} gpc_protocol;

/*
 * Register a protocol under its name. `protocol`, its texts and tables are copied. The tables are checked: every state
 * that the rules can reach, beginning with I (a memory with E), must have a rule for every possible event of its place,
 * and no rule may contradict itself. `error` names the first missing or wrong cell as "place, state, event". Possible
 * events:
 *   first level          LOAD, STORE, N_STORE; PASSING_ and THROUGH_ events if flags of the protocol lead to them
 *   caches below         READ_ABOVE, WRITE_ABOVE, DATA_ABOVE, N_DATA_ABOVE; PASSING_ events if flags of the protocol
 *                        lead to them
 *   all caches           EVICTION, ACQUIRE
 *   memory               EVICTION, READ_ABOVE, WRITE_ABOVE, DATA_ABOVE, N_DATA_ABOVE
 *   with DIRECTORY also  caches: READ_PROBE, WRITE_PROBE; all except the first level: PROBE_DATA, INVALIDATE_DATA
 * and the variants of the events above.
 * Returns GPC_OK; GPC_ERROR_EXISTS (the name is taken); GPC_ERROR_ARGUMENT (name, first or memory NULL, unknown bits, a
 * cell); GPC_ERROR_ABI; GPC_ERROR_MEMORY. Since: 0.1.
 */
GPC_API gpc_status gpc_context_register_protocol(gpc_context *context, const gpc_protocol *protocol, gpc_error *error);

/* Protocol with the name, borrowed for the life of the context; NULL: unknown name. Since: 0.1. */
GPC_API const gpc_protocol *gpc_protocol_find(const gpc_context *context, const char *name);

/*
 * Name of a state: its letter, or its declared name. `protocol` as returned by gpc_protocol_find; NULL: NMOESI.
 *   buffer  [size], receives as much text as fits, with a final NUL; may be NULL with size 0
 * Returns the length of the whole name; 0: unknown state. Any thread. Since: 0.2.
 */
GPC_API size_t gpc_protocol_state_name(const gpc_protocol *protocol, uint32_t state, char *buffer, size_t size);

/*
 * Name of an event: as gpc_coherence_event_name, or its declared name. Arguments and result as in
 * gpc_protocol_state_name. Any thread. Since: 0.2.
 */
GPC_API size_t gpc_protocol_event_name(const gpc_protocol *protocol, uint32_t event, char *buffer, size_t size);

/*
 * Transitions and their origins as text, side by side as in Table 4.2, with the states' names.
 *   protocol              NULL: only the six states, without their extensions
 *   transitions, origins  [n][n], n = GPC_LINE_COUNT + protocol->state_count, from gpc_coherence_get_matrices
 *   title                 title in the table's first row
 *   buffer                [size], receives as much text as fits, with a final NUL; may be NULL with size 0
 * Returns the length of the whole text, without the NUL; 0: a matrix is NULL. Any thread. Since: 0.2.
 */
GPC_API size_t gpc_protocol_matrices_text(const gpc_protocol *protocol, const uint64_t *transitions,
                                          const uint32_t *origins, const char *title, char *buffer, size_t size);

/* Name of an event as in Table 2.5, "Load", "Store" and so on; NULL: unknown event. Any thread. Since: 0.1. */
GPC_API const char *gpc_coherence_event_name(gpc_coherence_event event);

/*
 * Origins: causes of a write to a block's state. The first 18 are those of Tables 3.3 and 4.1, with their identifiers
 * and texts. Origins from 0x40000 on are additions of libgpucache. X(identifier, bit, text)
 */
#define GPC_ORIGIN_LIST(X)                                                    \
    X(LOAD_MISS, 0x00001, "Load Miss")                                        \
    X(STORE, 0x00002, "Store")                                                \
    X(N_STORE, 0x00004, "Non-coherent Store")                                 \
    X(EVICTION, 0x00008, "Eviction")                                          \
    X(FIND_IN_MEMORY, 0x00010, "Find and Lock in Main Memory")                \
    X(EVICT_IN_MEMORY, 0x00020, "Evict in Main Memory")                       \
    X(EVICT_DATA, 0x00040, "Data Received in Evict Process")                  \
    X(N_EVICT_DATA_1, 0x00080, "Data Received in Non-coherent Evict Process") \
    X(N_EVICT_DATA_2, 0x00100, "Data Received in Non-coherent Evict Process") \
    X(EVICTED, 0x00200, "Successful Eviction")                                \
    X(WRITE_UP_DOWN, 0x00400, "Write Request UpDown Finish")                  \
    X(WRITE_DOWN_UP, 0x00800, "Write Request DownUp Finish")                  \
    X(READ_UP_DOWN, 0x01000, "Read Request UpDown Miss")                      \
    X(READ_DOWN_UP_1, 0x02000, "Read Request DownUp Finish")                  \
    X(READ_DOWN_UP_2, 0x04000, "Read Request DownUp Finish")                  \
    X(READ_DOWN_UP_3, 0x08000, "Read Request DownUp Finish")                  \
    X(INVALIDATE_DATA_1, 0x10000, "Invalidate Finish Reply with Data")        \
    X(INVALIDATE_DATA_2, 0x20000, "Invalidate Finish Reply with Data")        \
    X(PROBE_DATA, 0x40000, "Data Received from Probed Owner")                 \
    X(WRITE_THROUGH, 0x80000, "Written Through")                              \
    X(ACQUIRE, 0x100000, "Acquire")                                           \
    X(PASS, 0x200000, "Passed by")                                            \
    X(DIRECTORY_ONLY, 0x400000, "Data Left Non-inclusive Module")             \
    X(DETACHED, 0x800000, "Detached")

typedef enum gpc_origin {
#define X(id, bit, text) GPC_ORIGIN_##id = bit,
    GPC_ORIGIN_LIST(X)
#undef X
} gpc_origin;

GPC_END_DECLS

#endif
