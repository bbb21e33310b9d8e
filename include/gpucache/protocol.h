/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_PROTOCOL_H
#define GPUCACHE_PROTOCOL_H

#include <gpucache/context.h>

GPC_BEGIN_DECLS

/*
 * Protocols of coherence. A protocol is a table: for each state that a block can have and each event that can happen to
 * it, what the cache does and the next state. The words are those of coherence.h.
 *
 * Sources: seeds/002 sections 2.2.2, 2.2.3; tables are quoted in lib/policies/protocol/README.md.
 */

/* States of a block, in the order of the matrices of transitions (Tables 2.3, 4.2). */
typedef enum gpc_coherence_state {
    GPC_LINE_N = 0, /* non-coherent: modified here without asking; others may have copies, modified or not */
    GPC_LINE_M = 1, /* modified: the only valid copy; memory is out of date */
    GPC_LINE_O = 2, /* owned: modified, one of several copies, and the one that will be written back */
    GPC_LINE_E = 3, /* exclusive: the only copy, not modified: a store needs no request */
    GPC_LINE_S = 4, /* shared: one of several copies, may be read only (without a directory: valid) */
    GPC_LINE_I = 5, /* invalid */
    GPC_LINE_COUNT = 6
} gpc_coherence_state;

#define GPC_MAX_STATES 64u /* of a protocol, these six among them */

/*
 * What a state means to a tree, a bit each: of the six, and of those that a protocol declares beside them. Combinations
 * are those of the six; OWNER alone: unmodified, one of several copies, and the one that is asked for the block (F of
 * MESIF); and DETACHED alone: unmodified, and not in the low module's directory, so that nobody who writes finds it. A
 * copy is detached by a write probe of a protocol's own; it may be read until a rule drops it. Since: 0.2.
 */
enum {
    GPC_MEANS_MODIFIED = 1 << 0,     /* its bytes may be newer than those below */
    GPC_MEANS_ONLY = 1 << 1,         /* there is no other copy; goes with OWNER */
    GPC_MEANS_OWNER = 1 << 2,        /* the low module's directory names it: read probes go to it */
    GPC_MEANS_NON_COHERENT = 1 << 3, /* its modified bytes are merged under a mask; goes with MODIFIED alone */
    GPC_MEANS_DETACHED = 1 << 4      /* no directory knows of it; alone */
};
#define GPC_MEANS_N (GPC_MEANS_MODIFIED | GPC_MEANS_NON_COHERENT)
#define GPC_MEANS_M (GPC_MEANS_MODIFIED | GPC_MEANS_ONLY | GPC_MEANS_OWNER)
#define GPC_MEANS_O (GPC_MEANS_MODIFIED | GPC_MEANS_OWNER)
#define GPC_MEANS_E (GPC_MEANS_ONLY | GPC_MEANS_OWNER)
#define GPC_MEANS_S 0
#define GPC_MEANS_F GPC_MEANS_OWNER

/* A state beside the six. Since: 0.2. */
typedef struct gpc_protocol_state {
    const char *name; /* 1 to 15 characters of a-z, A-Z, 0-9, _ and -; no other state of the protocol has it */
    uint32_t means;   /* GPC_MEANS_ bits */
    uint32_t reserved;
} gpc_protocol_state;

/* What can happen to a block in a module, the columns of a table: those of Table 2.5, then what lower levels need. */
typedef enum gpc_coherence_event {
    /* of the processor, at a first-level module */
    GPC_EVENT_LOAD = 0,
    GPC_EVENT_STORE = 1,   /* coherent: an atomic */
    GPC_EVENT_N_STORE = 2, /* non-coherent: an ordinary store of a GPU */
    /* of any cache */
    GPC_EVENT_EVICTION = 3,    /* its way is needed for another block */
    GPC_EVENT_READ_PROBE = 4,  /* Read Req. of Table 2.5: another module is about to get a copy */
    GPC_EVENT_WRITE_PROBE = 5, /* Write Req. of Table 2.5: another module is about to get the only copy */
    /* of modules with modules above */
    GPC_EVENT_READ_ABOVE = 6,       /* a module above requests a copy */
    GPC_EVENT_WRITE_ABOVE = 7,      /* a module above requests the only copy */
    GPC_EVENT_DATA_ABOVE = 8,       /* a module above writes back, or writes through, modified data */
    GPC_EVENT_N_DATA_ABOVE = 9,     /* the same with data modified non-coherently */
    GPC_EVENT_PROBE_DATA = 10,      /* a module above replied to a read probe with modified data */
    GPC_EVENT_INVALIDATE_DATA = 11, /* a module above replied to a write probe with modified data */
    /* of protocols with flags of an access (slc-glc) */
    GPC_EVENT_PASSING_LOAD = 12,  /* a load that bypasses this level */
    GPC_EVENT_PASSING_STORE = 13, /* a store that bypasses this level */
    GPC_EVENT_THROUGH_STORE = 14, /* a store that is written through this level */
    GPC_EVENT_ACQUIRE = 15,       /* a kernel begins, or a warp acquires: gpc_coherence_acquire */
    GPC_EVENT_COUNT = 16
} gpc_coherence_event;

#define GPC_MAX_EVENTS 64u /* of a protocol, these sixteen among them */

/*
 * An event beside the sixteen: a variant of one of them, with a column of its own in every table in which that one has
 * any. The tree does with it what it does with the other, but by the rules of its own column. Since: 0.2.
 */
typedef struct gpc_protocol_event {
    const char *name; /* 1 to 15 characters of a-z, 0-9, _ and -; no other event of the protocol has it */
    uint32_t like;    /* LOAD, STORE, N_STORE, READ_PROBE, WRITE_PROBE, or one of READ_ABOVE to N_DATA_ABOVE */
    uint32_t reserved;
} gpc_protocol_event;

/*
 * What a cell's messages raise elsewhere, in place of the usual: numbers of events, GPC_EVENT_COUNT plus a place in
 * gpc_protocol.events; 0: the usual.
 *   below  in the low module: like READ_ABOVE where the cell has READ_REQUEST, WRITE_ABOVE where it has WRITE_REQUEST,
 *          DATA_ABOVE or N_DATA_ABOVE where it has WRITE_BACK or WRITE_THROUGH; where the data are not of the kind that
 *          it is like, the usual
 *   above  in modules above, if any are probed: like READ_PROBE of a READ_ABOVE or READ_PROBE cell, like WRITE_PROBE of
 *          a cell of WRITE_ABOVE, WRITE_PROBE or EVICTION
 * Since: 0.2.
 */
typedef struct gpc_protocol_raise {
    uint8_t below, above;
} gpc_protocol_raise;

/* Actions: what a module does upon an event, a bit each. A cell of the table without any is no rule. */
enum {
    GPC_DO_HIT = 1 << 0,            /* nothing to ask for; the next state is written and counted, even the same */
    GPC_DO_IGNORE = 1 << 1,         /* nothing, a dash in Table 2.5: the state is not written */
    GPC_DO_FORBID = 1 << 2,         /* cannot happen: if it does, the access fails with GPC_ERROR_STATE */
    GPC_DO_READ_REQUEST = 1 << 3,   /* request a copy from the low module */
    GPC_DO_WRITE_REQUEST = 1 << 4,  /* request the only copy from the low module */
    GPC_DO_WRITE_BACK = 1 << 5,     /* send the modified bytes to the low module */
    GPC_DO_SEND_DATA = 1 << 6,      /* reply to a probe with the block */
    GPC_DO_NOTIFY = 1 << 7,         /* tell the low module that this copy is gone */
    GPC_DO_CLEAR_OWNER = 1 << 8,    /* tell the low module that this module no longer owns the block */
    GPC_DO_EVICT_FIRST = 1 << 9,    /* evict the block, then request it anew */
    GPC_DO_WRITE_THROUGH = 1 << 10, /* send the stored bytes to the low module, too */
    GPC_DO_PASS = 1 << 11           /* the low module performs the access; no copy is made or kept here */
};

/*
 * What the tree does with a protocol's table. R is the module that sends a request, T its low module, X a module above
 * T that T probes. Each event is looked up in the table of the module at which it happens, by the state of its block
 * there.
 *
 * LOAD, STORE and N_STORE happen at a first-level module R.
 *   HIT            next state
 *   READ_REQUEST   R sends a read request to T, then takes the next state: `next` if its copy is the only one,
 *                  `next_shared` if other modules have copies, too
 *   WRITE_REQUEST  R sends a write request to T, then takes the next state; of loads, those of an event like LOAD only
 *   CLEAR_OWNER, EVICT_FIRST, WRITE_THROUGH go with these; PASS stands alone, or with WRITE_BACK
 *
 * A read request to T. If T has no copy, READ_ABOVE happens at T, which requests one from its own low module. If it
 * has, T probes the owners above it of what was requested: READ_PROBE happens at X. With SEND_DATA X replies with the
 * block: to R if the protocol has PEER, otherwise to T; with WRITE_BACK beside it, T is sent the modified bytes in any
 * case. If T receives modified bytes, PROBE_DATA happens at T. X remains the owner if its next state is O, or F. Where
 * no module owns the block and the protocol's rule for READ_PROBE in S has SEND_DATA, one of the sharers is probed
 * instead. R becomes a sharer. It also becomes the owner, if all of this holds: no other module has a copy; T is not
 * in O, N or S; the access is no N_STORE; R's rule has different states for a lone and a shared copy. So it does where
 * others have copies, if its state then is an OWNER's: R is asked next time, and who was before has to give it up. T
 * replies to R, with the data unless a peer has sent them.
 *
 * What is said of N, M, O, E and S holds of states that mean the same, by GPC_MEANS_ bits.
 *
 * A write request to T. All modules above T that have a copy, except R, are probed: WRITE_PROBE happens at X, which
 * first invalidates the copies above itself. With SEND_DATA X replies with the block, to R or T as above; if T receives
 * modified bytes, INVALIDATE_DATA happens at T. Then WRITE_ABOVE happens at T: with WRITE_REQUEST T first sends a write
 * request to its own low module. R becomes the owner and the only sharer.
 *
 * EVICTION. A module that is inclusive first invalidates all copies above it. With WRITE_BACK its modified bytes go to
 * T, where DATA_ABOVE happens, or N_DATA_ABOVE if the block was in N; with NOTIFY T is told that the copy is gone; with
 * neither T's directory keeps a sharer that has no copy.
 *
 * A block knows which of its bytes are modified, and only these are merged into T's block: several modules in N may
 * have modified different bytes.
 *
 * What is said of an event holds of those that are like it. A cell may raise such in place of the usual, in modules
 * below and above (gpc_protocol_raise); an access may name one (GPC_ACCESS_EVENT). WRITE_PROBE leads to I; an event
 * like it may leave a copy of the first level DETACHED: X sends what it has modified, T's directory forgets X, and X
 * keeps the bytes. In such a state a block is as good as missing for whoever asks below: a rule has EVICT_FIRST, or
 * drops it, or reads. A block that an access of X has locked is never detached, it is invalidated.
 *
 * Without DIRECTORY no module is probed and none is inclusive. DATA_ABOVE may then happen in I: with READ_REQUEST T
 * reads the rest of the block, with PASS the bytes go on to T's own low module.
 */

/* A cell of a table. */
typedef struct gpc_protocol_rule {
    uint16_t actions;    /* GPC_DO_ bits; 0 = no rule */
    uint8_t next;        /* gpc_coherence_state, or GPC_LINE_COUNT plus a number in gpc_protocol.states */
    uint8_t next_shared; /* of a READ_REQUEST: the next state if others have copies; otherwise as `next` */
} gpc_protocol_rule;

/* What all modules of a protocol have in common, besides their rules; a bit each. */
enum {
    /* Modules have directories: they know sharers and owners above them, and probe them. Without: no probes. */
    GPC_PROTOCOL_DIRECTORY = 1 << 0,
    /* A probed module sends the block straight to the requester. Without: to T, which passes it on. */
    GPC_PROTOCOL_PEER = 1 << 1,
    /* A read request probes the owners of all sub-blocks of T's block, not only of those requested (Multi2Sim). */
    GPC_PROTOCOL_PROBE_WHOLE = 1 << 2,
    /* Every reply to a write probe after the first with data counts as a transition (Multi2Sim; Table 4.4, M to M). */
    GPC_PROTOCOL_COUNT_REPLIES = 1 << 3,
    /* In M and O all bytes of a block count as modified. Without: those that were stored. */
    GPC_PROTOCOL_WHOLE_BLOCKS = 1 << 4,
    /* Defects of Multi2Sim 5.0. They lose data. */
    GPC_PROTOCOL_DROP_PROBE_DATA = 1 << 5, /* D3: modified data in reply to a read probe do not change T's state */
    GPC_PROTOCOL_STALE_REPLY = 1 << 6, /* D4: X replies to a write probe by its state before those above it replied */
    GPC_PROTOCOL_BARE_ACK = 1 << 7,    /* D5: X in M with a clean owner above replies to a read probe without data */
    /*
     * Accesses that overlap: who asks a module for a block that is locked there is refused, and its access begins again
     * at its first-level module after a random while (Multi2Sim). Without: it waits there. Since: 0.2.
     */
    GPC_PROTOCOL_RETRY = 1 << 8,
    /*
     * Without DIRECTORY: modules list the caches between (gpc_protocol.between) that have read a block of them. When
     * bytes are stored in the block by way of another, or it leaves, they send those an INVALIDATION: WRITE_PROBE
     * happens there. Nobody waits for it, or answers; but behind a RELEASE, MARKERS go the same ways, and it ends when
     * these have come. First-level modules are not listed, and rely on ACQUIRE. Since: 0.2.
     * Source: Ren, Lustig, Bolotin, Jaleel, Villa, Nellans, "HMG", HPCA 2020, section V.
     */
    GPC_PROTOCOL_INVALIDATES = 1 << 9
};

/*
 * Flags of an access. By the first two AMD's GPUs bypass caches; gpc_protocol says what they do (seeds/002, section
 * 2.3). The others say what its first-level module does with it, under any protocol; accesses to local memory, or of
 * instructions that a predictor lets bypass, may be told from others so.
 */
enum {
    GPC_ACCESS_GLC = 1 << 0,
    GPC_ACCESS_SLC = 1 << 1,
    GPC_ACCESS_THROUGH = 1 << 2,     /* a store: as with gpc_coherence_module.write_through. Since: 0.2. */
    GPC_ACCESS_NO_ALLOCATE = 1 << 3, /* it is performed by the low module, if it misses. Since: 0.2. */
    GPC_ACCESS_EVICT = 1 << 4,       /* the block is evicted if it is there, then as NO_ALLOCATE. Since: 0.2. */
    GPC_ACCESS_RETURNS = 1 << 5      /* a store: if the low module performs it, the answer has its bytes. Since: 0.2. */
};

/*
 * The access raises this event of the protocol, GPC_EVENT_COUNT plus a place in gpc_protocol.events, which is like
 * LOAD, STORE or N_STORE as its kind is; whatever flags would steer it to. Since: 0.2.
 */
#define GPC_ACCESS_EVENT_SHIFT 24
#define GPC_ACCESS_EVENT(event) ((uint32_t)(event) << GPC_ACCESS_EVENT_SHIFT)

typedef gpc_protocol_rule gpc_protocol_rules[GPC_LINE_COUNT][GPC_EVENT_COUNT];

/*
 * A protocol, with one table for each place that a module can have in a tree:
 *   first    modules of the first level
 *   shared   caches that every processor goes through for the addresses that they serve; NULL: as `between`
 *   between  other caches below the first level; needed only in trees that have such
 *   memory   memories, whose directory has the states I, E (unchanged) and M (written) only
 * Of a protocol with states beside the six, each of first, shared and between has GPC_LINE_COUNT + state_count rows: an
 * array [GPC_LINE_COUNT + state_count][GPC_EVENT_COUNT] of rules, its address cast to the pointer's type. Columns of
 * events beside the sixteen are tables of their own, in the same order of places and states.
 */
typedef struct gpc_protocol {
    size_t struct_size;
    const char *name;        /* 1 to 63 characters of a-z, 0-9 and - */
    const char *summary;     /* one line */
    const char *source;      /* document and section, "" if none */
    uint32_t flags;          /* GPC_PROTOCOL_ bits */
    uint32_t pass_loads[2];  /* GPC_ACCESS_ bits, each lets a load bypass: [0] first level, [1] other caches */
    uint32_t pass_stores[2]; /* the same for stores */
    uint32_t through_stores; /* GPC_ACCESS_ bits, each lets the first level write a store through */
    const gpc_protocol_rules *first, *between, *shared, *memory;
    const char *letters; /* six, A to Z: what states are called in texts, for N, M, O, E, S, I; NULL: these */
    const gpc_protocol_state *states; /* [state_count] beside the six, from GPC_LINE_COUNT on; NULL. Since: 0.2. */
    uint32_t state_count;             /* at most GPC_MAX_STATES - GPC_LINE_COUNT. Since: 0.2. */
    uint32_t event_count;             /* beside the sixteen; at most GPC_MAX_EVENTS - GPC_EVENT_COUNT. Since: 0.2. */
    const gpc_protocol_event *events; /* [event_count]; NULL. Since: 0.2. */
    const gpc_protocol_rule *event_rules[4]; /* of each place [rows][event_count]; NULL: no rules. Since: 0.2. */
    const gpc_protocol_raise *raises[4];     /* [rows][GPC_EVENT_COUNT + event_count]; NULL: the usual. Since: 0.2. */
} gpc_protocol;

/*
 * Register a protocol under its name. `protocol`, its texts and tables are copied. The tables are checked: beginning
 * with I (a memory with E), every state that rules can lead to must have a rule for every event that can happen at that
 * place, and no rule may contradict itself. `error` names the first cell that is missing or wrong as "place, state,
 * event". Events that can happen:
 *   first level          LOAD, STORE, N_STORE; PASSING_ and THROUGH_ ones if flags of the protocol lead to them
 *   caches below it      READ_ABOVE, WRITE_ABOVE, DATA_ABOVE, N_DATA_ABOVE; PASSING_ ones likewise
 *   all caches           EVICTION, ACQUIRE
 *   memory               EVICTION, READ_ABOVE, WRITE_ABOVE, DATA_ABOVE, N_DATA_ABOVE
 *   with DIRECTORY also  caches: READ_PROBE, WRITE_PROBE; all but the first level: PROBE_DATA, INVALIDATE_DATA
 * and all that are like one of these.
 * Returns GPC_OK; GPC_ERROR_EXISTS (the name is taken); GPC_ERROR_ARGUMENT (name, first or memory NULL, unknown bits, a
 * cell); GPC_ERROR_ABI; GPC_ERROR_MEMORY. Since: 0.1.
 */
GPC_API gpc_status gpc_context_register_protocol(gpc_context *context, const gpc_protocol *protocol, gpc_error *error);

/* The protocol of this name, borrowed for as long as the context lives; NULL: there is none. Since: 0.1. */
GPC_API const gpc_protocol *gpc_protocol_find(const gpc_context *context, const char *name);

/*
 * What a state is called: its letter, or its name. `protocol` is as gpc_protocol_find gives it; NULL: NMOESI.
 *   buffer  [size] receives as much as fits, with a final NUL; may be NULL with size 0
 * Returns the length of the whole name; 0: there is no such state. Any thread. Since: 0.2.
 */
GPC_API size_t gpc_protocol_state_name(const gpc_protocol *protocol, uint32_t state, char *buffer, size_t size);

/*
 * What an event is called: as gpc_coherence_event_name, or its name. Arguments and result as of
 * gpc_protocol_state_name. Any thread. Since: 0.2.
 */
GPC_API size_t gpc_protocol_event_name(const gpc_protocol *protocol, uint32_t event, char *buffer, size_t size);

/*
 * Transitions and their origins as text, side by side as Table 4.2 has them, with the states' names.
 *   transitions, origins  [n][n], n = GPC_LINE_COUNT + protocol->state_count: of gpc_coherence_get_matrices
 *   title, buffer, size   as of gpc_coherence_matrix_text
 * Returns the length of the whole text, without the NUL; 0: `protocol` or a matrix is NULL. Any thread. Since: 0.2.
 */
GPC_API size_t gpc_protocol_matrices_text(const gpc_protocol *protocol, const uint64_t *transitions,
                                          const uint32_t *origins, const char *title, char *buffer, size_t size);

/* "Load", "Store" and so on, as Table 2.5 writes them; NULL: no event. Any thread. Since: 0.1. */
GPC_API const char *gpc_coherence_event_name(gpc_coherence_event event);

/*
 * Origins: why a block's state was written. The first 18 are those of Tables 3.3 and 4.1, with their identifiers and
 * texts; those from 0x40000 on are this library's own. X(identifier, bit, text)
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
