/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_COHERENCE_H
#define GPUCACHE_COHERENCE_H

#include <gpucache/context.h>
#include <gpucache/stats.h>

GPC_BEGIN_DECLS

/*
 * Coherence: a tree of caches over memories, kept coherent by a protocol that is
 * a table (state, event) -> actions, next state.
 *
 * An access is one transaction, atomic in state: when gpc_coherence_access returns, all
 * modules are in the states that it leaves, and the result lists the messages that it
 * took, what each waits for and when it would be sent and received on an idle system.
 * A host with a clock of its own schedules that list; a teacher steps through it.
 *
 * Sources: seeds/002 sections 2.2.2, 2.2.3, 3.1.2, 4.2 and its appendix.
 */

#define GPC_NO_MODULE UINT32_MAX
#define GPC_NO_MESSAGE UINT32_MAX
#define GPC_MAX_MODULES 4096u

/* States of a block, in the order of the document's matrices (Tables 2.3, 4.2). */
typedef enum gpc_coherence_state {
    GPC_LINE_N = 0, /* non-coherent: modified here, others may have copies, modified or not */
    GPC_LINE_M = 1, /* modified: the only valid copy */
    GPC_LINE_O = 2, /* owned: one of several copies, with the duty to write back */
    GPC_LINE_E = 3, /* exclusive: the only valid copy, unchanged */
    GPC_LINE_S = 4, /* shared: one of several copies (protocols without a directory: valid) */
    GPC_LINE_I = 5, /* invalid */
    GPC_LINE_COUNT = 6
} gpc_coherence_state;

/* What can happen to a block in a module: the columns of Table 2.5, and those that levels below the first need. */
typedef enum gpc_coherence_event {
    GPC_EVENT_LOAD = 0,
    GPC_EVENT_STORE = 1, /* coherent: an atomic */
    GPC_EVENT_N_STORE = 2,
    GPC_EVENT_EVICTION = 3,
    GPC_EVENT_READ_PROBE = 4,  /* Read Req. of Table 2.5: another module will hold a copy */
    GPC_EVENT_WRITE_PROBE = 5, /* Write Req. of Table 2.5: another module's copy will be the only one */
    /* of modules with modules above */
    GPC_EVENT_READ_ABOVE = 6,       /* a module above asks for a copy */
    GPC_EVENT_WRITE_ABOVE = 7,      /* a module above asks for the only copy */
    GPC_EVENT_DATA_ABOVE = 8,       /* a module above writes back, or writes through, modified data */
    GPC_EVENT_N_DATA_ABOVE = 9,     /* likewise, data modified non-coherently */
    GPC_EVENT_PROBE_DATA = 10,      /* a module above answered a read probe with modified data */
    GPC_EVENT_INVALIDATE_DATA = 11, /* a module above was invalidated, and gave up modified data */
    /* of protocols with bits that steer an access (slc-glc) */
    GPC_EVENT_PASSING_LOAD = 12,  /* a load that the bits send past this level */
    GPC_EVENT_PASSING_STORE = 13, /* a store, likewise */
    GPC_EVENT_THROUGH_STORE = 14, /* a store that is to reach the level below at once */
    GPC_EVENT_ACQUIRE = 15,       /* a kernel begins, or a warp acquires (gpc_coherence_acquire) */
    GPC_EVENT_COUNT = 16
} gpc_coherence_event;

/* What a module does upon an event; a bit each. A cell without any is no rule. */
enum {
    GPC_DO_HIT = 1 << 0,            /* nothing more to ask for; the state is written and counted, be it the same */
    GPC_DO_IGNORE = 1 << 1,         /* nothing to do, a dash in Table 2.5: the state is left */
    GPC_DO_FORBID = 1 << 2,         /* cannot happen in a tree that keeps the rules: GPC_ERROR_STATE if it does */
    GPC_DO_READ_REQUEST = 1 << 3,   /* ask the low module for a copy */
    GPC_DO_WRITE_REQUEST = 1 << 4,  /* ask the low module for the only copy */
    GPC_DO_WRITE_BACK = 1 << 5,     /* modified bytes go to the low module */
    GPC_DO_SEND_DATA = 1 << 6,      /* the block goes to who asked */
    GPC_DO_NOTIFY = 1 << 7,         /* tell the low module that the copy is gone */
    GPC_DO_CLEAR_OWNER = 1 << 8,    /* tell the low module that this one is no owner any more */
    GPC_DO_EVICT_FIRST = 1 << 9,    /* evict the block, then go on as from I */
    GPC_DO_WRITE_THROUGH = 1 << 10, /* the bytes written go to the low module at once */
    GPC_DO_PASS = 1 << 11           /* the access is the low module's; no copy is made or kept here */
};

/*
 * How a table is read. R asks T, its low module; X stands above T and is probed. Every event is looked up by the state
 * of the module that has it; HIT writes the next state (and counts as a transition), IGNORE leaves it.
 *
 * LOAD, STORE, N_STORE at a first-level module. READ_REQUEST or WRITE_REQUEST: R asks T, then writes the next state:
 *   `next_shared` where others have copies. CLEAR_OWNER: T is told that R owns the block no longer. EVICT_FIRST: the
 *   block is evicted, then asked for. WRITE_THROUGH: the bytes go to T as well. PASS: the access is T's; no copy stays.
 * Read request: T without a copy has READ_ABOVE and asks its own low module. Else T probes the owners among those above
 *   it (READ_PROBE at each): SEND_DATA sends the block, to R itself with PEER, to T otherwise; WRITE_BACK beside it
 *   gives the modified bytes to T, too; what is in O afterwards stays the owner. T that receives modified bytes has
 *   PROBE_DATA. Where nobody owns the block and rules[S][READ_PROBE] has SEND_DATA, the last of the sharers sends it. R
 *   becomes a sharer; the owner, if no other has a copy, T is in none of O, N, S, the access is no N_STORE, and a lone
 *   copy is in another state than a shared one.
 * Write request: all others above T with a copy have WRITE_PROBE: they first take it from those above themselves, then
 *   SEND_DATA gives the block to R or T as above, and T that receives modified bytes has INVALIDATE_DATA. T has
 *   WRITE_ABOVE: WRITE_REQUEST asks its own low module first. R becomes owner and only sharer.
 * EVICTION takes the block from all above (unless the module is not inclusive), then WRITE_BACK: T has DATA_ABOVE, or
 *   N_DATA_ABOVE for what was in N; NOTIFY: T is told; neither: silently, and T's directory names one too many.
 * A modified block knows which bytes are modified, and only these are merged into T's.
 *
 * Without DIRECTORY nobody is probed and nothing is inclusive; T that is handed bytes of a block that it has not has
 * DATA_ABOVE in I: READ_REQUEST fetches the rest, PASS lets the bytes go on.
 */

/* One cell. `next` where others have copies is `next_shared`. */
typedef struct gpc_protocol_rule {
    uint16_t actions;    /* GPC_DO_; 0 = no rule */
    uint8_t next;        /* gpc_coherence_state */
    uint8_t next_shared; /* likewise; matters for read requests only */
} gpc_protocol_rule;

/* What a protocol's modules share, beside their rules; a bit each. */
enum {
    /* Modules know who above them has copies, and who owns them. Without: nobody is ever probed. */
    GPC_PROTOCOL_DIRECTORY = 1 << 0,
    /* Who sends data sends it to who asked. Without: to the module that probed it, which sends it on. */
    GPC_PROTOCOL_PEER = 1 << 1,
    /* A read request probes the owners of all sub-blocks, not only of those asked for (Multi2Sim). */
    GPC_PROTOCOL_PROBE_WHOLE = 1 << 2,
    /* Each answer to an invalidation, once one brought data, counts as a transition (Multi2Sim, Table 4.4's M -> M). */
    GPC_PROTOCOL_COUNT_REPLIES = 1 << 3,
    /* M and O hold whole modified blocks; without, only the bytes that were written count as modified. */
    GPC_PROTOCOL_WHOLE_BLOCKS = 1 << 4,
    /* Defects of Multi2Sim 5.0, lost data among them. */
    GPC_PROTOCOL_DROP_PROBE_DATA = 1 << 5, /* D3: modified data that answer a read probe change no state below */
    GPC_PROTOCOL_STALE_REPLY = 1 << 6,     /* D4: an invalidation is answered by the state before it */
    GPC_PROTOCOL_BARE_ACK = 1 << 7         /* D5: a modified block whose owner above is clean answers without data */
};

/* Bits of an access that steer it (AMD's, seeds/002 section 2.3). */
enum { GPC_ACCESS_GLC = 1 << 0, GPC_ACCESS_SLC = 1 << 1 };

typedef gpc_protocol_rule gpc_protocol_rules[GPC_LINE_COUNT][GPC_EVENT_COUNT];

/*
 * A protocol. The rules of modules by their place: the first level; caches between; the cache that all processors
 * reach an address through, if it is not the first level; memory's directory, which has the states I, E, M only.
 * `between` is required only in trees that have such caches, `shared` where it is NULL is `between`.
 */
typedef struct gpc_protocol {
    size_t struct_size;
    const char *name;        /* [a-z0-9-]+ */
    const char *summary;     /* one line */
    const char *source;      /* document and section, "" if none */
    uint32_t flags;          /* GPC_PROTOCOL_ */
    uint32_t pass_loads[2];  /* GPC_ACCESS_ bits that send a load past the first level, and past caches below it */
    uint32_t pass_stores[2]; /* likewise, a store */
    uint32_t through_stores; /* GPC_ACCESS_ bits with which the first level writes through */
    const gpc_protocol_rules *first, *between, *shared, *memory;
    const char *letters; /* one per state, for "NMOESI"; NULL: these */
} gpc_protocol;

/*
 * Register a protocol; `protocol` and its tables are copied. Checked: from I, each state that can be reached has a
 * rule for each event that its place can see, each next state is one, and no rule contradicts itself; the first cell
 * that is missing or wrong is named in `error`, as "place, state, event". What a place can see:
 *   the first level      LOAD, STORE, N_STORE, and, where bits of the protocol call for them, PASSING_ and THROUGH_
 *   caches below it      READ_ABOVE to N_DATA_ABOVE, and PASSING_
 *   both                 EVICTION, ACQUIRE
 *   memory               EVICTION, READ_ABOVE to N_DATA_ABOVE; a block is in E before anything else happens to it
 *   with a directory     caches READ_PROBE and WRITE_PROBE, all but the first level PROBE_DATA and INVALIDATE_DATA
 * Returns GPC_OK; GPC_ERROR_EXISTS; GPC_ERROR_ARGUMENT (name, first or memory NULL, a cell); GPC_ERROR_ABI;
 * GPC_ERROR_MEMORY. Since: 0.1.
 */
GPC_API gpc_status gpc_context_register_protocol(gpc_context *context, const gpc_protocol *protocol, gpc_error *error);

/* A registered protocol's table, borrowed for the context's life; NULL where there is none of this name. Since: 0.1. */
GPC_API const gpc_protocol *gpc_protocol_find(const gpc_context *context, const char *name);

/* "Load", "Store", ... as the document's tables write them; NULL beyond the last. Since: 0.1. */
GPC_API const char *gpc_coherence_event_name(gpc_coherence_event event);

/*
 * Why a block's state was written: the 18 origins of Table 3.3 (and 4.1), with its identifiers, and the
 * project's own from 0x40000 on. X(identifier, bit, text)
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
    X(DIRECTORY_ONLY, 0x400000, "Data Left Non-inclusive Module")

typedef enum gpc_origin {
#define X(id, bit, text) GPC_ORIGIN_##id = bit,
    GPC_ORIGIN_LIST(X)
#undef X
} gpc_origin;

/*
 * Which addresses a module serves. Each of them must be served by exactly one of its low modules: where these are given
 * ranges, a module that is given none serves from the first to the last address that any of them serves.
 */
typedef enum gpc_served {
    GPC_SERVES_ALL = 0,
    GPC_SERVES_RANGE = 1,      /* first <= address <= last */
    GPC_SERVES_INTERLEAVED = 2 /* (address / divisor) mod modulus == residue */
} gpc_served;

/* A star network: one switch, a link each way to every module on it. */
typedef struct gpc_coherence_network {
    size_t struct_size;
    const char *name;      /* copied */
    uint32_t bandwidth;    /* bytes per cycle of each link and of the switch; at least 1 */
    uint32_t input_buffer; /* bytes, 0 = unlimited; a message larger than a buffer is refused */
    uint32_t output_buffer;
    uint32_t reserved;
} gpc_coherence_network;

#define GPC_COHERENCE_NETWORK_INIT \
    { sizeof(gpc_coherence_network), NULL, 64, 0, 0, 0 }

/* A cache or a memory. */
typedef struct gpc_coherence_module {
    size_t struct_size;
    const char *name; /* copied; unique */
    /*
     * lru, fifo, or a registered replacement policy, `name` or `name(parameter=value, ...)`; NULL: lru. Copied. Of a
     * gpc_request it is shown `address` (of the block), `cycle`, `sm` (index of the first-level module) and `kind`
     * (GPC_LOAD, GPC_ATOMIC for a STORE, GPC_STORE for an N_STORE and for other blocks that move because of the access;
     * a flush or acquire is a GPC_STORE of sm 0); every other field is 0. A policy that reads more, or does not state
     * what it reads (gpc_policy_reads), is refused by gpc_coherence_create.
     */
    const char *replacement;
    const uint32_t *low; /* [low_count] indices of the modules next to memory; none for a memory */
    uint32_t low_count;
    uint32_t low_network, high_network; /* indices; GPC_NO_MODULE where there is no module that way */
    uint32_t sets, ways;        /* a memory's: of its directory; ways 0: an entry for every block cached (sets 1) */
    uint32_t block_bytes;       /* power of two, 4 to 4096; never less than those above it */
    uint32_t latency;           /* cycles to the data */
    uint32_t directory_latency; /* cycles of each lookup */
    uint32_t ports;             /* lookups at once; for hosts that schedule, 0 = unlimited */
    uint32_t mshrs;             /* accesses in flight; likewise */
    uint32_t served;            /* gpc_served */
    uint32_t directory_ways;    /* non-inclusive: of a set, beside its ways, for blocks that only modules above hold */
    uint64_t first, last;       /* RANGE: bytes */
    uint64_t divisor, modulus, residue; /* INTERLEAVED; the divisor in bytes */
    bool memory;
    bool non_inclusive;     /* a block that leaves stays with the modules above, under a directory entry */
    bool any_victim;        /* invalid ways are not taken before others (Multi2Sim); otherwise they are */
    bool write_through;     /* first level: stores of both kinds go on to the low module, the block stays clean */
    bool no_write_allocate; /* first level: a store that misses is the low module's */
    uint8_t reserved[3];
} gpc_coherence_module;

#define GPC_COHERENCE_MODULE_INIT                                                                              \
    {                                                                                                          \
        sizeof(gpc_coherence_module), NULL, NULL, NULL, 0, GPC_NO_MODULE, GPC_NO_MODULE, 1, 1, 64, 1, 0, 0, 0, \
            GPC_SERVES_ALL, 0, 0, UINT64_MAX, 1, 1, 0, false, false, false, false, false, {                    \
            0                                                                                                  \
        }                                                                                                      \
    }

typedef struct gpc_coherence_options {
    size_t struct_size;
    const char *protocol;                  /* registered name; NULL: nmoesi */
    const gpc_coherence_module *modules;   /* [module_count] */
    const gpc_coherence_network *networks; /* [network_count] */
    uint32_t module_count, network_count;
    uint32_t control_bytes; /* of a message, and of the header of one with data */
    bool data;              /* blocks and memory hold bytes */
    bool timing;            /* messages get their cycles on an idle system; without, 0 (faster) */
    uint8_t reserved[2];
} gpc_coherence_options;

#define GPC_COHERENCE_OPTIONS_INIT                                              \
    {                                                                           \
        sizeof(gpc_coherence_options), NULL, NULL, NULL, 0, 0, 8, true, true, { \
            0                                                                   \
        }                                                                       \
    }

/*
 * Make a tree. Everything in `options` is copied.
 * Returns GPC_OK; GPC_ERROR_ABI; GPC_ERROR_ARGUMENT or GPC_ERROR_RANGE naming module and field (a cycle, an address
 * that no low module serves, or two do, blocks that shrink towards memory, a module without a way to a memory, a
 * message that no buffer of its network holds, a replacement policy that reads what requests do not tell: these fields
 * are named); GPC_ERROR_NOT_FOUND (protocol, policy); GPC_ERROR_MEMORY. Since: 0.1.
 */
GPC_API gpc_status gpc_coherence_create(gpc_context *context, const gpc_coherence_options *options, gpc_error *error,
                                        gpc_coherence **out);
GPC_API void gpc_coherence_destroy(gpc_coherence *coherence);

/* What a processor asks of its first-level module. */
typedef enum gpc_coherence_kind {
    GPC_COHERENCE_LOAD = 0,
    GPC_COHERENCE_STORE = 1,  /* coherent: atomics */
    GPC_COHERENCE_N_STORE = 2 /* non-coherent; a protocol without N treats it as a STORE */
} gpc_coherence_kind;

typedef struct gpc_coherence_request {
    size_t struct_size;
    uint64_t address;     /* bytes */
    uint64_t cycle;       /* at which it is issued */
    const uint8_t *bytes; /* [size] a store's data, with data only; NULL: zeroes */
    const uint8_t *mask;  /* [(size + 7) / 8] which bytes a store writes, bit i of byte i / 8; NULL: all */
    uint8_t *out;         /* [size] receives a load's data, or a store's as they stand after it; may be NULL */
    uint32_t module;      /* index, of the first level */
    uint32_t size;        /* bytes, within one block of the module */
    uint32_t kind;        /* gpc_coherence_kind */
    uint32_t flags;       /* GPC_ACCESS_ */
} gpc_coherence_request;

#define GPC_COHERENCE_REQUEST_INIT \
    { sizeof(gpc_coherence_request), 0, 0, NULL, NULL, NULL, 0, 1, GPC_COHERENCE_LOAD, 0 }

/* What a message, or another step of a transaction, is. */
typedef enum gpc_message_kind {
    GPC_MESSAGE_READ_REQUEST = 0,  /* towards memory */
    GPC_MESSAGE_WRITE_REQUEST = 1, /* likewise */
    GPC_MESSAGE_READ_PROBE = 2,    /* towards the processors */
    GPC_MESSAGE_WRITE_PROBE = 3,   /* likewise: invalidate */
    GPC_MESSAGE_DATA = 4,          /* an answer with the block, from the low module, an owner or a peer */
    GPC_MESSAGE_ACK = 5,           /* an answer without */
    GPC_MESSAGE_WRITE_BACK = 6,    /* modified bytes towards memory */
    GPC_MESSAGE_NOTICE = 7,        /* towards memory: a clean copy is gone */
    GPC_MESSAGE_CLEAR_OWNER = 8,   /* towards memory */
    GPC_MESSAGE_WRITE_THROUGH = 9, /* towards memory: a store's bytes */
    GPC_MESSAGE_JOIN = 10,         /* no message: `needs` others have come */
    GPC_MESSAGE_FINISH = 11,       /* no message: the access is done at its module */
    GPC_MESSAGE_EVICTION = 12,     /* no message: a module begins to evict a block */
    GPC_MESSAGE_KIND_COUNT = 13
} gpc_message_kind;

/*
 * A step of a transaction. It begins `delay` cycles after step `after` has ended (GPC_NO_MESSAGE: after the access was
 * issued), in which module `from` looks up its directory and data; a message then crosses `network`, and ends when it
 * is received. A JOIN ends when `needs` steps with this `join` have.
 */
typedef struct gpc_coherence_message {
    uint64_t address;        /* of the block, bytes */
    uint64_t sent, received; /* cycles on an idle system, with `timing` */
    uint32_t kind;           /* gpc_message_kind */
    uint32_t from, to;       /* modules; of what is no message both the same */
    uint32_t network;        /* index; GPC_NO_MODULE */
    uint32_t bytes;          /* header included; 0 of what is no message */
    uint32_t after;          /* index in the list; GPC_NO_MESSAGE */
    uint32_t join;           /* likewise: the JOIN that waits for it */
    uint32_t needs;          /* of a JOIN */
    uint32_t delay;          /* cycles; of directory and data together */
    uint32_t directory;      /* of these, the directory's */
    uint32_t request;        /* an answer's: the message that it answers; GPC_NO_MESSAGE */
    uint32_t block;          /* that it finds in `to`: set * (ways + directory_ways) + way; GPC_NO_MODULE: none */
    uint8_t looks;           /* lookups that `delay` holds */
    uint8_t memory;          /* `delay` holds an access to memory: 1 a read, 2 a write */
    uint8_t masked;          /* 1 = modified non-coherently: a mask goes with the bytes */
    uint8_t found;           /* 1 = what it looks up in `to` was there, and valid */
} gpc_coherence_message;

/* One writing of a block's state. */
typedef struct gpc_coherence_transition {
    uint64_t cycle;           /* on an idle system */
    uint64_t tag_before, tag; /* block addresses; 0 where invalid */
    uint32_t module, set, way;
    uint32_t origin;  /* gpc_origin, one bit */
    uint8_t from, to; /* gpc_coherence_state */
    uint8_t reserved[6];
} gpc_coherence_transition;

/* What an access did. The lists are the object's, until the next call. */
typedef struct gpc_coherence_result {
    size_t struct_size;
    uint64_t completed;                          /* cycle at which the processor has its answer, on an idle system */
    const gpc_coherence_message *messages;       /* [message_count] */
    const gpc_coherence_transition *transitions; /* [transition_count], by cycle */
    uint32_t message_count, transition_count;
    uint8_t hit;   /* found in the first-level module, with the rights it needed */
    uint8_t found; /* gpc_coherence_state before */
    uint8_t state; /* after */
    uint8_t level; /* deepest level that was asked for a copy: 1 = the first */
    uint8_t reserved[4];
} gpc_coherence_result;

#define GPC_COHERENCE_RESULT_INIT                                        \
    {                                                                    \
        sizeof(gpc_coherence_result), 0, NULL, NULL, 0, 0, 0, 0, 0, 0, { \
            0                                                            \
        }                                                                \
    }

/*
 * One access, to its end.
 *   result  may be NULL
 * Returns GPC_OK; GPC_ERROR_ABI; GPC_ERROR_ARGUMENT (module not of the first level, size, kind, a block's border);
 * GPC_ERROR_RANGE (the module does not serve the address); GPC_ERROR_STATE (a forbidden cell was reached, named in
 * `error`) and GPC_ERROR_CALLBACK (a replacement policy's impossible victim), after which the object can only be read
 * and destroyed; GPC_ERROR_MEMORY. Since: 0.1.
 */
GPC_API gpc_status gpc_coherence_access(gpc_coherence *coherence, const gpc_coherence_request *request,
                                        gpc_error *error, gpc_coherence_result *result);

/*
 * Write everything modified in a module, and in those above it, back towards memory and invalidate it, as the end of
 * the worked example does (Table 2.6, steps 15 to 20): block after block the low module's write probe, then the
 * write-back. Without a directory nobody asks: the blocks are evicted.
 *   module  index, or GPC_NO_MODULE: all caches, those of the first level first
 * Returns as gpc_coherence_access. Since: 0.1.
 */
GPC_API gpc_status gpc_coherence_flush(gpc_coherence *coherence, uint32_t module, uint64_t cycle, gpc_error *error,
                                       gpc_coherence_result *result);

/*
 * A kernel begins or a warp acquires: the ACQUIRE rules of a module's blocks, or, with GPC_NO_MODULE, of all caches'
 * that not all processors share. Returns as gpc_coherence_access. Since: 0.1.
 */
GPC_API gpc_status gpc_coherence_acquire(gpc_coherence *coherence, uint32_t module, uint64_t cycle, gpc_error *error,
                                         gpc_coherence_result *result);

/* Memory's bytes, without any access. GPC_ERROR_STATE without data; GPC_ERROR_MEMORY. Since: 0.1. */
GPC_API gpc_status gpc_coherence_read_memory(const gpc_coherence *coherence, uint64_t address, uint8_t *bytes,
                                             size_t size);
GPC_API gpc_status gpc_coherence_write_memory(gpc_coherence *coherence, uint64_t address, const uint8_t *bytes,
                                              size_t size);

/* A block as it stands. */
typedef struct gpc_coherence_block {
    size_t struct_size;
    uint64_t tag;         /* block address */
    const uint8_t *bytes; /* [block_bytes] borrowed until the next call; NULL: no data, a memory, an entry alone */
    const uint8_t *dirty; /* [(block_bytes + 7) / 8] modified bytes, a bit each; likewise */
    uint32_t state;       /* gpc_coherence_state */
    uint32_t recency;     /* 0 = most recent of its set; lru and fifo only */
    uint32_t sub_blocks;  /* directory entries; 0 without modules above */
    uint32_t sub_block_bytes;
} gpc_coherence_block;

#define GPC_COHERENCE_BLOCK_INIT \
    { sizeof(gpc_coherence_block), 0, NULL, NULL, GPC_LINE_I, 0, 0, 0 }

/*
 * `way` from the ways on: directory entries of a non-inclusive module. Of a memory with an entry for every block
 * (ways 0): below the number of those that it has met. GPC_ERROR_RANGE. Since: 0.1.
 */
GPC_API gpc_status gpc_coherence_get_block(const gpc_coherence *coherence, uint32_t module, uint32_t set, uint32_t way,
                                           gpc_coherence_block *block);

/*
 * A directory entry.
 *   out_owner  receives the module that owns the sub-block, GPC_NO_MODULE
 *   sharers    [room] receives the first modules with a copy, ascending; may be NULL with room 0
 *   out_count  receives how many there are
 * Returns GPC_OK; GPC_ERROR_RANGE; GPC_ERROR_ARGUMENT. Since: 0.1.
 */
GPC_API gpc_status gpc_coherence_get_directory(const gpc_coherence *coherence, uint32_t module, uint32_t set,
                                               uint32_t way, uint32_t sub_block, uint32_t *out_owner, uint32_t *sharers,
                                               size_t room, size_t *out_count);

/*
 * Where a block of this address is, or would go (the way is GPC_NO_MODULE where only the replacement policy knows).
 * Returns GPC_OK; GPC_END where it is not there; GPC_ERROR_RANGE, of what the module does not serve. Since: 0.1.
 */
GPC_API gpc_status gpc_coherence_find(const gpc_coherence *coherence, uint32_t module, uint64_t address,
                                      uint32_t *out_set, uint32_t *out_way);

/* Index of the module of this name; GPC_NO_MODULE. Since: 0.1. */
GPC_API uint32_t gpc_coherence_module_index(const gpc_coherence *coherence, const char *name);
/* A module as it was given, defaults filled in; pointers live as long as the object. Since: 0.1. */
GPC_API gpc_status gpc_coherence_get_module(const gpc_coherence *coherence, uint32_t module, gpc_coherence_module *out);

/* Counters of a module (GPC_COHERENCE_COUNTERS), and its two matrices. */
typedef struct gpc_coherence_stats {
    size_t struct_size;
#define X(id, field, name, unit, kind, objects, needs, since, meaning) uint64_t field;
    GPC_COHERENCE_COUNTERS(X)
#undef X
    uint64_t transitions[GPC_LINE_COUNT][GPC_LINE_COUNT]; /* [from][to], Table 4.2 (a) */
    uint32_t origins[GPC_LINE_COUNT][GPC_LINE_COUNT];     /* gpc_origin bits, Table 4.2 (b) */
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
 * Statistics of a module; GPC_NO_MODULE: the sum of all.
 *   layout, stats  the host's struct, struct_size set
 * Returns GPC_OK; GPC_ERROR_RANGE; GPC_ERROR_ARGUMENT; GPC_ERROR_ABI. Since: 0.2.
 */
GPC_API gpc_status gpc_coherence_get_stats_as(const gpc_coherence *coherence, uint32_t module, const gpc_layout *layout,
                                              void *stats);
GPC_API void gpc_coherence_reset_stats(gpc_coherence *coherence);

/* The same for gpc_coherence_stats. Since: 0.1. */
static inline gpc_status gpc_coherence_get_stats(const gpc_coherence *coherence, uint32_t module,
                                                 gpc_coherence_stats *stats) {
    return gpc_coherence_get_stats_as(coherence, module, gpc_coherence_stats_layout(), stats);
}

/*
 * The two matrices in the document's layout (Table 4.2), as text; and all of a module's statistics as JSON.
 *   layout, stats  the host's struct; what cannot be read counts as zeroes
 *   buffer         [size] receives as much as fits, with a final NUL; may be NULL with size 0
 * Return the length of the whole text. Since: 0.2.
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

/* Told of a transaction's messages, in the list's order, and then of its transitions. May not call into the object. */
typedef struct gpc_coherence_callbacks {
    size_t struct_size;
    void *user_data;
    void (*on_transition)(void *user_data, const gpc_coherence_transition *transition);
    void (*on_message)(void *user_data, const gpc_coherence_message *message);
} gpc_coherence_callbacks;

#define GPC_COHERENCE_CALLBACKS_INIT \
    { sizeof(gpc_coherence_callbacks), NULL, NULL, NULL }

/* Set the callbacks, which are copied; NULL clears them. GPC_ERROR_ABI. Since: 0.1. */
GPC_API gpc_status gpc_coherence_set_callbacks(gpc_coherence *coherence, const gpc_coherence_callbacks *callbacks);

GPC_END_DECLS

#endif
