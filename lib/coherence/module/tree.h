/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_COHERENCE_TREE_H
#define GPC_COHERENCE_TREE_H

#include "base/check.h"
#include "coherence/module/module.h"
#include "stats/stats.h"

/*
 * A tree of modules, and the current transaction. State changed by an access lies in one block of memory (`slab`),
 * except statistics, memory's bytes and the entries of full maps. A tree can thus be saved and restored by copying
 * (snapshot.c), as the tests' exploration of all reachable states needs.
 */

/*
 * Fields of gpc_request that replacement policies may read, as GPC_READS_ bits. GPCI_TREE_HOST_READS: in a tree that
 * the calling program made; the fields come from gpc_coherence_request. GPCI_TREE_READS: in the coherent levels of a
 * hierarchy.
 */
#define GPCI_TREE_HOST_READS (GPC_READS_PLACE | GPC_READS_ADDRESS | GPC_READS_CYCLE | GPC_READS_SM | GPC_READS_KIND)
#define GPCI_TREE_READS                                                                                               \
    (GPCI_TREE_HOST_READS | GPC_READS_PC | GPC_READS_WARP | GPC_READS_WARP_AGE | GPC_READS_BLOCK | GPC_READS_KERNEL | \
     GPC_READS_TRANSACTIONS | GPC_READS_SPACE | GPC_READS_HINT | GPC_READS_PRIORITY | GPC_READS_WARP_EVENTS)

/*
 * Modules `first` to first + count - 1. Policies of these modules share the state `commons`, have the numbers 0 to
 * count - 1, and get the seed.
 */
typedef struct gpci_tree_peers {
    uint32_t first, count;
    gpci_commons *commons;
    uint64_t seed;
} gpci_tree_peers;

/*
 * Settings of a tree for policies, given by the tree's maker. `reads`: fields that requests carry, as GPC_READS_ bits.
 * `peers`: in a hierarchy, the L1s, and the slices.
 */
typedef struct gpci_tree_telling {
    uint32_t reads;
    gpci_tree_peers peers[2]; /* count 0: unused */
    /* extra ways per set of a first-level module (engine_fill.c); 0: none, a missed block gets its way at the lookup */
    uint32_t fill_ways;
} gpci_tree_telling;

/* A star network (engine_network.c). */
typedef struct gpci_tree_star {
    gpc_coherence_network given;
    /* [module_count] per receiver: in lone accesses, the sender that the switch served last (round robin) */
    uint32_t *last;
} gpci_tree_star;

/* Defects of Multi2Sim, injected by tests to prove the checks. */
enum {
    GPCI_FAULT_NO_UNLOCK = 1 << 0,   /* D1: after a refused write-back a module does not unlock the block */
    GPCI_FAULT_CLEAR_WRONG = 1 << 1, /* D2: CLEAR_OWNER clears the owner of another sub-block */
    GPCI_FAULT_TWICE = 1 << 2,       /* D9: a store to S, N or O signals its completion twice */
    /* not in Multi2Sim: data go directly to the requester of the only copy; a requester refused later loses the data */
    GPCI_FAULT_ALWAYS_DIRECT = 1 << 3,
    GPCI_FAULT_BLIND_ACQUIRE = 1 << 4, /* not in Multi2Sim: an acquire does not wait for blocks in flight */
    /* Not in Multi2Sim: requests of near halves leave no way to the other half (halves.c). */
    GPCI_FAULT_NEAR_TAKES_ALL = 1 << 5
};

/*
 * Blocks of a line that the parts of a line access request by themselves, a bit per block. Other blocks may be read as
 * neighbours (engine_fetch.c). `own`: blocks requested by the access's module. `below`: blocks that the low module gets
 * requests for, including neighbours that the access's module reads.
 */
typedef struct gpci_tree_asks {
    uint8_t own, below;
} gpci_tree_asks;

/*
 * A slice's decision about the line of a line access (module_ask.c): policies not asked yet; line let in; line kept
 * out.
 */
enum { GPCI_JUDGED_NOT, GPCI_JUDGED_IN, GPCI_JUDGED_OUT };

#define GPCI_NOTIFIED 8u

/*
 * A line of a line access: the module's policy was notified of the use. The fields have 16 bits, because there are many
 * records.
 */
typedef struct gpci_notified {
    /*
     * low 32 bits of tag >> gpci_module.line_shift, low half first: enough, as the lines of an access are near each
     * other
     */
    uint16_t line[2];
    uint16_t module; /* index of gpci_module.store */
} gpci_notified;

/*
 * Record of a line access: decisions and answers of policies, and notifications sent to policies. A line access is an
 * access of a warp to a line; each block of the line is accessed by a part. Parts are accesses of the tree, and may
 * travel apart. Parts share the record from the issue of the instruction to the end of the last part. So a policy is
 * asked once, notified once, and counted once per line access.
 */
typedef struct gpci_line_record {
    /* in gpci_engine.lines: number of packets and accesses with this record; free record: next free in the pool */
    uint32_t users;
    /* gpc_prediction.policy_word of L1's predictor; the slice's predictor: return value of `respond` */
    uint32_t word, answer;
    uint8_t parts; /* number of the line access's packets for which gpci_coherent_end_bypass was not called yet */
    uint8_t notified_count; /* lines in `notified`; stays at GPCI_NOTIFIED, when full */
    uint8_t notified_next;  /* index in `notified` for the next line, modulo GPCI_NOTIFIED */
    /* decision of L1's policies, as GPC_ACCESS_ flags; gpc_request.policy.admitted after the decision */
    uint8_t decided, let_in;
    uint8_t judged; /* GPCI_JUDGED_: decision of the slice */
    uint8_t seen;   /* SEEN_ of level/coherent/coherent_count.c: the parts have hit, or missed */
    uint8_t heard;  /* bit per gpc_decision: L1's predictor, having decided so, has received the answer from below */
    /* bit per line of `notified`: 1: notified of a hit or miss; 0: only of the arrival of a block */
    uint8_t notified_again;
    bool asked : 1;    /* `decided` is known */
    bool bypasses : 1; /* counts as a bypass of L1 */
    bool open : 1;     /* counted by gpci_open_l1_bypass */
    bool answered : 1; /* `answer` is known */
    bool apart : 1;    /* the predictor below answers each sector by itself, and L1's predictor receives each answer */
    bool overturned : 1; /* L1's predictor has overturned the bypass */
    gpci_notified notified[GPCI_NOTIFIED];
} gpci_line_record;

_Static_assert(sizeof(gpci_line_record) <= 72, "there may be tens of thousands of them");

struct gpc_coherence {
    gpc_context *context;
    const gpc_protocol *protocol;
    gpc_protocol own;              /* modified copy, if a test has injected faults */
    uint32_t states;               /* number of states of the protocol */
    uint8_t means[GPC_MAX_STATES]; /* per state: GPC_MEANS_ bits, or GPCI_MEANS_I */
    uint32_t faults;               /* GPCI_FAULT_ */
    uint32_t control_bytes;
    bool with_data, timing;
    bool first_touch;     /* a page's home is chosen at the page's first access */
    bool hashed;          /* a hash of the page number chooses a page's home */
    uint32_t homes;       /* number of homes that pages can have (addresses.c); 0: pages have no homes */
    uint32_t page_shift;  /* log2 of a page's bytes */
    uint32_t all_at;      /* while the tree is built: assumed home of every page; 0: none assumed */
    gpci_map pages;       /* from page to home, with first_touch; a page enters at the page's first access */
    gpci_module *modules; /* [module_count] */
    uint32_t module_count, levels;
    uint32_t first_map;    /* lowest index of a module that is a memory with a full map; module_count: no such memory */
    uint64_t entries;      /* version number: changes when a full map may have got entries */
    gpci_tree_star *stars; /* [star_count] */
    uint32_t star_count;
    gpci_tree_selector *selectors; /* list of all selectors */
    void *slab;                    /* arrays indexed by block, of all modules except full maps */
    size_t slab_bytes;
    gpci_map memory_map;    /* from address >> memory_shift to the place in memory_bytes */
    uint8_t *memory_bytes;  /* [memory_capacity][1 << memory_shift] */
    uint32_t memory_shift;  /* log2 of the largest block of a memory */
    size_t memory_capacity; /* size of memory_bytes in blocks */
    gpc_coherence_callbacks callbacks;
    /* Called when a first-level module evicts a line. `owner`: warp that fetched the line. NULL: no call needed. */
    void (*evicted)(void *data, const gpci_module *m, uint64_t tag, uint32_t owner, const gpc_request *request);
    void *evicted_data;
    /* fields of the current transaction, or of the last transaction */
    const gpc_request *request; /* request shown to policies; NULL: policies see only the address */
    gpci_line_record *line;     /* record of the current step's line access */
    gpci_line_record own_line;  /* record for accesses that run one at a time */
    /* the last access was a load that should bypass L1, but the predictor overturned the bypass (engine_access.c) */
    bool overturned;
    gpc_coherence_message *messages;
    gpc_coherence_transition *transitions;
    size_t message_capacity, transition_capacity;
    uint32_t message_count, transition_count;
    uint32_t message_bound;   /* upper bound of the messages, and of the transitions, of an access */
    uint32_t neighbour_limit; /* upper bound of the neighbours read for an access (engine_fetch.c) */
    uint64_t group_mask;      /* size of the largest fetch group in bytes, minus 1 */
    /*
     * [neighbour_fetch_capacity] blocks missed by the present lone access: neighbours are read after the access; or
     * NULL
     */
    struct gpci_tree_neighbour_fetch *neighbour_fetches;
    uint32_t neighbour_fetch_count, neighbour_fetch_capacity;
    /* blocks requested by the next access's line access; the host sets the field before the access begins */
    gpci_tree_asks asks;
    gpci_tree_telling telling;
    /* A module has a replacement policy other than lru and fifo, or a predictor: accesses must carry requests. */
    bool has_policies;
    bool detaches;              /* a state of the protocol is detached (gpci_tree_is_detached) */
    bool forwards;              /* the protocol has state F: the last reader sends the block to the next reader */
    bool non_coherent;          /* the protocol has N: a valid copy may lack bytes stored by other modules */
    uint8_t deepest;            /* deepest level reached by a request of the last access */
    bool busy;                  /* the tree has failed, or accesses are in flight: hit.c does nothing */
    gpc_status failed;          /* status given to gpci_tree_fail: only reading and destroying remain possible */
    char failure[256];          /* text given to gpci_tree_fail */
    struct gpci_engine *engine; /* for overlapping accesses (engine.h); NULL before the first such access */
    /* for accesses one at a time (engine_alone.h); NULL before the first access that hit.c cannot perform */
    struct gpci_engine *lone;
};

/* Begin a line access: accesses that run one at a time are parts of the line access, until the next call. */
GPCI_INLINE void gpci_tree_begin_line(gpc_coherence *coherence) {
    memset(&coherence->own_line, 0, offsetof(gpci_line_record, notified));
    coherence->line = &coherence->own_line;
}

/* addresses.c: homes of pages */
/* Home of the address's page: 1 to gpc_coherence.homes; 1 in trees without homes. */
uint32_t gpci_tree_home(const gpc_coherence *coherence, uint64_t address);
/*
 * Reserve memory for one more page. GPC_ERROR_MEMORY. gpci_tree_touch: a first-level module accesses an address, in a
 * tree with first_touch; the first access gives the page the module's home. A page must have been reserved.
 */
gpc_status gpci_tree_pages_reserve(gpc_coherence *coherence);
void gpci_tree_touch(gpc_coherence *coherence, uint32_t module, uint64_t address);
/* Exchange the homes of touched pages with a tree that has equal homes. `coherence` must be unused. */
void gpci_tree_pages_inherit(gpc_coherence *coherence, gpc_coherence *from);

/* tree_build.c: gpc_coherence_create, with the fields given to policies (`telling`). */
gpc_status gpci_coherence_create(gpc_context *context, const gpc_coherence_options *options,
                                 const gpci_tree_telling *telling, gpc_error *error, gpc_coherence **out);

/* store.c: memory's bytes. */
/* Make memory for the block of an address, zeroed if new. GPC_ERROR_MEMORY. */
gpc_status gpci_tree_memory_reserve(gpc_coherence *coherence, uint64_t address);
/* Exchange the memory bytes of two trees with equal memories. No byte of `coherence` may have been written. */
void gpci_tree_memory_inherit(gpc_coherence *coherence, gpc_coherence *from);
/*
 * Pointer to the byte at an address; the rest of the memory block follows. NULL: the block was never reserved, and all
 * bytes are 0.
 */
uint8_t *gpci_tree_memory_at(const gpc_coherence *coherence, uint64_t address);

/*
 * snapshot.c: save and restore the state of a tree, for the exploration of states. A saved state has memory's bytes and
 * full maps, but no statistics, and no state of replacement policies other than lru and fifo. Equal states give equal
 * bytes, whatever accesses led to the states. The size grows when memory, or a full map, gets a new block: ask for the
 * size every time, and compare sizes too. A state may be loaded only into the tree that saved the state.
 */
size_t gpci_coherence_saved_bytes(const gpc_coherence *coherence);
void gpci_coherence_save(const gpc_coherence *coherence, void *saved);
void gpci_coherence_load(gpc_coherence *coherence, const void *saved);

/*
 * tree_engine.c: gpc_coherence_access without checks of the arguments: not NULL, and structures of this header's size.
 * `carried`: request shown to the policies of all modules. NULL: policies see only the address.
 */
gpc_status gpci_coherence_access(gpc_coherence *coherence, const gpc_coherence_request *request,
                                 const gpc_request *carried, gpc_error *error, gpc_coherence_result *result);
/*
 * engine_issue.c: gpc_coherence_issue without checks of the arguments. `carried`: as above, but copied, and not NULL.
 */
gpc_status gpci_coherence_issue(gpc_coherence *coherence, const gpc_coherence_request *request,
                                const gpc_request *carried, gpc_error *error, uint64_t *out_token);
/*
 * Compute the fields that depend on the protocol, and allocate `neighbour_fetches`; last step of gpc_coherence_create.
 * GPC_ERROR_MEMORY.
 */
gpc_status gpci_tree_engine_prepare(gpc_coherence *coherence);
void gpci_tree_engine_release(gpc_coherence *coherence);
/* True if an access to any address needs no more memory of the tree: room in the lists, no bytes, no new page. */
GPCI_INLINE bool gpci_tree_has_room(const gpc_coherence *coherence) {
    return coherence->message_capacity - coherence->message_count >= coherence->message_bound &&
           coherence->transition_capacity - coherence->transition_count >= coherence->message_bound &&
           !coherence->with_data && !coherence->first_touch;
}
/* For tests: inject faults, and set flags of the protocol. */
void gpci_coherence_inject(gpc_coherence *coherence, uint32_t faults, uint32_t protocol_flags);

GPCI_INLINE gpci_module *gpci_module_at(const gpc_coherence *coherence, uint32_t index) {
    return &coherence->modules[index];
}

/* Meaning of a state: GPC_MEANS_ bits, or GPCI_MEANS_I. Code compares meanings, not states, except for state I. */
#define GPCI_MEANS_I 0x80u
GPCI_INLINE uint8_t gpci_tree_means(const gpc_coherence *coherence, uint8_t state) {
    return coherence->means[state];
}

GPCI_INLINE bool gpci_tree_is_modified(const gpc_coherence *coherence, uint8_t state) {
    return (gpci_tree_means(coherence, state) & GPC_MEANS_MODIFIED) != 0;
}

/* True for a copy that the directory below does not know. For a request below, the module counts as having no copy. */
GPCI_INLINE bool gpci_tree_is_detached(const gpc_coherence *coherence, uint8_t state) {
    return (gpci_tree_means(coherence, state) & GPC_MEANS_DETACHED) != 0;
}

/* True for a valid copy that is not detached: the protocol keeps the copy up to date. */
GPCI_INLINE bool gpci_tree_is_held(const gpc_coherence *coherence, uint8_t state) {
    return !(gpci_tree_means(coherence, state) & (GPC_MEANS_DETACHED | GPCI_MEANS_I));
}

/* Rule for an event, of the standard events or defined by the protocol itself. The rule may be empty (no actions). */
GPCI_INLINE const gpc_protocol_rule *gpci_module_rule(const gpci_module *module, uint8_t state, uint32_t event) {
    static const gpc_protocol_rule none;
    if (GPCI_LIKELY(event < GPC_EVENT_COUNT))
        return &module->rules[state][event];
    return module->named_rules ? &module->named_rules[state * module->named + event - GPC_EVENT_COUNT] : &none;
}

/*
 * Event raised by the messages of a table's cell (state, event), in the low module, or (`above`) in modules above. The
 * event takes the place of `usual`. 0: the messages raise `usual`.
 */
uint8_t gpci_module_raises(const gpci_module *module, uint8_t state, uint32_t event, uint32_t usual, bool above);
GPCI_INLINE uint8_t gpci_raised_below(const gpci_module *module, uint8_t state, uint32_t event, uint32_t usual) {
    return GPCI_LIKELY(!module->raises) ? 0 : gpci_module_raises(module, state, event, usual, false);
}
GPCI_INLINE uint8_t gpci_raised_above(const gpci_module *module, uint8_t state, uint32_t event, uint32_t usual) {
    return GPCI_LIKELY(!module->raises) ? 0 : gpci_module_raises(module, state, event, usual, true);
}

GPCI_INLINE uint32_t gpci_event_or(uint8_t event, uint32_t usual) {
    return GPCI_LIKELY(!event) ? usual : event;
}

/* Number of an event defined by the protocol itself; 0 for a standard event. */
GPCI_INLINE uint8_t gpci_named_event(uint32_t event) {
    return GPCI_LIKELY(event < GPC_EVENT_COUNT) ? 0 : (uint8_t)event;
}

/*
 * Count a transition of a block between states. If the protocol has more than six states, gpci_module_count_more
 * counts.
 */
void gpci_module_count_more(gpci_module *module, uint8_t from, uint8_t to, uint32_t origin);
GPCI_INLINE void gpci_module_count(gpci_module *module, uint8_t from, uint8_t to, uint32_t origin) {
    if (GPCI_UNLIKELY(module->transitions != NULL)) {
        gpci_module_count_more(module, from, to, origin);
        return;
    }
    module->stats.transitions[from][to]++;
    module->stats.origins[from][to] |= origin;
}

/* True if the module serves pages with home `home`. A near half serves all other pages. */
GPCI_INLINE bool gpci_module_has_home(const gpci_module *module, uint32_t home) {
    return !module->given.home || !module->above_count || (home == module->given.home) != module->near;
}

/* True if the module serves pages of an address's home. */
GPCI_INLINE bool gpci_module_at_home(const gpci_module *module, uint64_t address) {
    return GPCI_LIKELY(!module->given.home) || !module->above_count ||
           gpci_module_has_home(module, gpci_tree_home(module->tree, address));
}

/* Half of the cache (module or `twin`) that serves a tag. */
GPCI_INLINE gpci_module *gpci_module_half(gpci_module *module, uint64_t tag) {
    return GPCI_LIKELY(!module->twin) || gpci_module_at_home(module, tag) ? module : module->twin;
}

/* True if a valid block belongs to this half: both halves of a cache share the arrays of blocks. */
GPCI_INLINE bool gpci_module_owns(const gpci_module *module, uint32_t block) {
    return GPCI_LIKELY(!module->twin) || gpci_module_at_home(module, gpci_module_tag(module, block));
}

/* Begin and end of every access, flush and acquire. */

/*
 * hit.c: perform an access that is a plain hit of the first level: the rule only writes the next state, and the access
 * needs no policy, callback or atomic. False: no plain hit; nothing was done.
 */
bool gpci_tree_engine_hit(gpc_coherence *coherence, const gpc_coherence_request *request, gpc_coherence_result *result);

/*
 * Count a processor's access. `hit`: the block was present with sufficient permission, so no request went to the low
 * module.
 */
GPCI_INLINE void gpci_tree_count_access(gpci_coherence_stats *stats, uint32_t kind, bool hit) {
    const bool load = kind == GPC_COHERENCE_LOAD, store = kind == GPC_COHERENCE_STORE;
    *(load ? &stats->loads : store ? &stats->stores : &stats->n_stores) += 1;
    *(load ? &stats->load_hits : store ? &stats->store_hits : &stats->n_store_hits) += hit;
}

#ifdef GPCI_CHECK
/* Count a processor's access a second time, for the checking build (base/check.h). */
GPCI_INLINE void gpci_tree_count_access_again(gpci_module *module, uint32_t kind, bool hit) {
    gpci_coherence_stats *stats = &module->again;
    switch (kind) {
    case GPC_COHERENCE_LOAD:
        stats->loads++;
        stats->load_hits += hit;
        break;
    case GPC_COHERENCE_STORE:
        stats->stores++;
        stats->store_hits += hit;
        break;
    default:
        stats->n_stores++;
        stats->n_store_hits += hit;
    }
}
#endif

/* True for a store whose old value is not needed: no read-modify-write, and no value returned. */
GPCI_INLINE bool gpci_tree_is_blind(const gpc_coherence_request *request) {
    return request->kind == GPC_COHERENCE_N_STORE && !request->out && !request->atomic_count &&
           !(request->flags & GPC_ACCESS_RETURNS);
}

/*
 * Event of an access, a column of the first level's table: the event named by the access, or the event of the access's
 * kind and flags.
 */
GPCI_INLINE uint32_t gpci_tree_event_of(const gpc_coherence *coherence, uint32_t kind, uint32_t flags) {
    if (GPCI_UNLIKELY(flags >> GPC_ACCESS_EVENT_SHIFT))
        return flags >> GPC_ACCESS_EVENT_SHIFT;
    if (kind == GPC_COHERENCE_LOAD)
        return flags & coherence->protocol->pass_loads[0] ? GPC_EVENT_PASSING_LOAD : GPC_EVENT_LOAD;
    if (flags & coherence->protocol->pass_stores[0])
        return GPC_EVENT_PASSING_STORE;
    if (kind == GPC_COHERENCE_STORE)
        return GPC_EVENT_STORE;
    return flags & coherence->protocol->through_stores ? GPC_EVENT_THROUGH_STORE : GPC_EVENT_N_STORE;
}

/* True if an access first evicts the block, if present, and then bypasses the module. */
GPCI_INLINE bool gpci_tree_evicts(uint32_t flags) {
    return GPCI_UNLIKELY(flags & GPC_ACCESS_EVICT);
}

/* True if a store is written through the module. */
GPCI_INLINE bool gpci_tree_goes_through(const gpci_module *module, uint32_t kind, uint32_t flags) {
    return (module->given.write_through || flags & GPC_ACCESS_THROUGH) && kind != GPC_COHERENCE_LOAD;
}

/*
 * True if an access that misses bypasses the first-level module, without a block for the data. `event`: event of the
 * access.
 */
GPCI_INLINE bool gpci_tree_bypasses(const gpci_module *module, uint32_t event, uint32_t kind, uint32_t flags) {
    const bool load = kind == GPC_COHERENCE_LOAD;
    return gpci_module_rule(module, GPC_LINE_I, event)->actions & GPC_DO_PASS ||
           (module->given.no_write_allocate && !load) || flags & GPC_ACCESS_NO_ALLOCATE || gpci_tree_evicts(flags);
}

/*
 * True if an access with these flags also bypasses `target`. `bits`: flags of accesses that bypass, given by the
 * protocol: [0] for the first level, [1] for caches below.
 */
GPCI_INLINE bool gpci_tree_passes(const gpci_module *target, const uint32_t bits[2], uint32_t flags) {
    return target->place != GPCI_PLACE_MEMORY && (flags & bits[target->level > 1]);
}

/*
 * hit.c: perform a checked access that needs no module but the first-level module, and call policies and callbacks.
 * `status`: receives the access's status. False: the access needs other modules, and nothing was done.
 */
bool gpci_tree_engine_own(gpc_coherence *coherence, const gpc_coherence_request *request, const gpc_request *carried,
                          gpc_coherence_result *result, gpc_status *status);

/*
 * Request shown to policies, made from a calling program's access: has all fields that are also in
 * gpc_coherence_request.
 */
GPCI_INLINE gpc_request gpci_tree_policy_request(const gpc_coherence_request *request) {
    return (gpc_request){.address = request->address,
                         .cycle = request->cycle,
                         .sm = request->module,
                         .kind = request->kind == GPC_COHERENCE_LOAD    ? GPC_LOAD
                                 : request->kind == GPC_COHERENCE_STORE ? GPC_ATOMIC
                                                                        : GPC_STORE};
}

/* Make room in the lists of messages and transitions for an access. GPC_ERROR_MEMORY. */
gpc_status gpci_tree_make_lists(gpc_coherence *coherence);
/*
 * Reserve the memory that an access to an address may need, so that the access cannot fail half way. GPC_ERROR_MEMORY.
 */
gpc_status gpci_tree_engine_reserve(gpc_coherence *coherence, uint64_t address);
/*
 * Call the callbacks for every message and transition, and copy `done` and the lists to the caller's `result` (may be
 * NULL).
 */
gpc_status gpci_tree_engine_result(gpc_coherence *coherence, gpc_coherence_result *done, gpc_coherence_result *result);
/* Check a request given to function `call`, and that the tree has not failed. */
gpc_status gpci_tree_engine_check(const gpc_coherence *coherence, const char *call,
                                  const gpc_coherence_request *request, gpc_error *error);
/* flush.c: perform a whole ACQUIRE or RELEASE before returning. */
gpc_status gpci_tree_order(gpc_coherence *coherence, const gpc_coherence_request *request, gpc_error *error,
                           gpc_coherence_result *result);
/* Check an ACQUIRE: gpci_tree_engine_check for an access without address. */
gpc_status gpci_tree_check_acquire(const gpc_coherence *coherence, const char *call,
                                   const gpc_coherence_request *request, gpc_error *error);
/* Check that no access is in flight: an access that ends before its call returns needs an idle tree. */
gpc_status gpci_tree_engine_check_idle(const gpc_coherence *coherence, const char *call, gpc_error *error);
/* Return the failure recorded by gpci_tree_fail, as an error. */
gpc_status gpci_tree_engine_failure(const gpc_coherence *coherence, gpc_error *error);

#endif
