/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_COHERENCE_TREE_H
#define GPC_COHERENCE_TREE_H

#include "coherence/module.h"

/*
 * A tree of modules, and the transaction under way in it. What an access changes lies in one block of memory (`slab`),
 * except statistics, memory's bytes and the entries of full maps, so that a tree can be saved and restored by copying
 * (snapshot.c): the tests' exploration of all reachable states lives by that.
 */

/*
 * What a replacement policy may read, as GPC_READS_ bits: in a hierarchy's coherent levels, and in a tree that its host
 * made by itself, where all of it comes from gpc_coherence_request.
 */
#define GPCI_TREE_HOST_READS (GPC_READS_PLACE | GPC_READS_ADDRESS | GPC_READS_CYCLE | GPC_READS_SM | GPC_READS_KIND)
#define GPCI_TREE_READS                                                                                               \
    (GPCI_TREE_HOST_READS | GPC_READS_PC | GPC_READS_WARP | GPC_READS_WARP_AGE | GPC_READS_BLOCK | GPC_READS_KERNEL | \
     GPC_READS_TRANSACTIONS | GPC_READS_SPACE | GPC_READS_HINT | GPC_READS_PRIORITY | GPC_READS_WARP_EVENTS)

/* Modules `first` to first + count - 1, whose policies share state, are numbered from 0, and seeded. */
typedef struct gpci_tree_peers {
    uint32_t first, count;
    gpci_commons *commons;
    uint64_t seed;
} gpci_tree_peers;

/* What policies are told in a tree, as GPC_READS_ bits, and which of a hierarchy's are peers: its L1s, its slices. */
typedef struct gpci_tree_telling {
    uint32_t reads;
    gpci_tree_peers peers[2]; /* without: count 0 */
    uint32_t fill_ways;       /* of first-level modules; 0: a block has its way from the lookup on */
} gpci_tree_telling;

/*
 * When a stage of a network (star.c) is in use in the transaction under way: spans of cycles, ascending and disjoint.
 * If there are too many, the first two become one, with the gap between them.
 */
#define GPCI_TREE_LINK_SPANS 6u
typedef struct gpci_tree_link {
    uint64_t transaction; /* that the spans are of; they are void in a later one */
    uint32_t count;
    uint32_t last; /* of the switch: the module that this output served last, for round-robin; outlives transactions */
    uint64_t begins[GPCI_TREE_LINK_SPANS + 1], ends[GPCI_TREE_LINK_SPANS + 1]; /* [begin, end) */
} gpci_tree_link;

/* A star network and the use of its three stages. */
typedef struct gpci_tree_star {
    gpc_coherence_network given;
    /* [modules] each, one allocation: a module's link to the switch, its output in the switch, its link from there */
    gpci_tree_link *out, *through, *in;
    uint64_t transaction; /* number of the one under way */
} gpci_tree_star;

/* Defects of Multi2Sim that tests inject, to prove that they would be noticed. */
enum {
    GPCI_FAULT_NO_UNLOCK = 1 << 0,   /* D1: a module whose write-back is refused does not unlock its own block */
    GPCI_FAULT_CLEAR_WRONG = 1 << 1, /* D2: CLEAR_OWNER clears the owner of another sub-block */
    GPCI_FAULT_TWICE = 1 << 2,       /* D9: a store to S, N or O signals its completion twice */
    /* not of Multi2Sim: data go straight to who asks for the only copy, who may yet be refused, and then loses them */
    GPCI_FAULT_ALWAYS_DIRECT = 1 << 3,
    GPCI_FAULT_BLIND_ACQUIRE = 1 << 4, /* likewise: an acquire does not wait for blocks that are on their way */
    GPCI_FAULT_NEAR_TAKES_ALL = 1 << 5 /* likewise: requests of near halves leave no way to the other (halves.c) */
};

/*
 * For which blocks of its line do others come that are part of an access, a bit each? They are no neighbours (fetch.c).
 * At its own module accesses do; below it what that asks for on account of all of them, neighbours of its own as well.
 */
typedef struct gpci_tree_asks {
    uint8_t own, below;
} gpci_tree_asks;

struct gpc_coherence {
    gpc_context *context;
    const gpc_protocol *protocol;
    gpc_protocol own;              /* a copy of it, where a test has injected faults */
    uint32_t states;               /* of the protocol */
    uint8_t means[GPC_MAX_STATES]; /* of each state: GPC_MEANS_ bits, or GPCI_MEANS_I */
    uint32_t faults;               /* GPCI_FAULT_ */
    uint32_t control_bytes;
    bool with_data, timing;
    bool first_touch;     /* pages are placed so */
    bool hashed;          /* likewise */
    uint32_t homes;       /* of pages (pages.c); 0: there are none */
    uint32_t page_shift;  /* log2 of a page's bytes */
    uint32_t all_at;      /* while the tree is made: as if all pages were at this home; 0 */
    gpci_map pages;       /* page -> home, of those that have been touched; grows when a page is first accessed */
    gpci_module *modules; /* [module_count] */
    uint32_t module_count, levels;
    uint32_t first_map;    /* the lowest index of a memory with a full map; module_count: none */
    gpci_tree_star *stars; /* [star_count] */
    uint32_t star_count;
    gpci_tree_selector *selectors; /* a list of all */
    void *slab;                    /* the arrays by block of all modules but full maps */
    size_t slab_bytes;
    gpci_map memory_map;   /* address >> memory_shift -> place in memory_bytes */
    uint8_t *memory_bytes; /* [memory_room][1 << memory_shift] */
    uint32_t memory_shift; /* log2 of the largest block of a memory */
    size_t memory_room;    /* blocks that fit */
    gpc_coherence_callbacks callbacks;
    /* A line of a first-level module leaves for another; `owner` is the warp that has fetched it. NULL: nobody asks. */
    void (*evicted)(void *data, const gpci_module *m, uint64_t tag, uint32_t owner, const gpc_request *request);
    void *evicted_data;
    /* the transaction under way, or the last */
    const gpc_request *request; /* what policies are shown of the access; NULL: its address alone */
    uint64_t line_access;       /* number of the access, or of several that are one access of a line */
    uint64_t line_accesses;     /* numbers given */
    bool follows;               /* the next access is part of the one before */
    bool overturned;            /* the last one, a load that was to bypass L1, has been kept (tree_engine.c) */
    gpc_coherence_message *messages;
    gpc_coherence_transition *transitions;
    size_t message_room, transition_room;
    uint32_t message_count, transition_count;
    uint32_t message_bound;        /* the most steps that one access needs */
    uint32_t brood;                /* the most neighbours that one access has read (fetch.c); 0: none are */
    uint64_t group_mask;           /* bytes of the largest group of them, less 1 */
    struct gpci_tree_wish *wishes; /* [wish_room] the blocks whose neighbours are to be read; NULL */
    uint32_t wish_count, wish_room;
    const gpci_module *asker;              /* with neighbours, of the access under way: its module */
    uint64_t asked;                        /* and address */
    gpci_tree_asks asks;                   /* of the next access: its host says so before it begins */
    struct gpci_tree_probe_reply *replies; /* [reply_room] a stack: probes in progress */
    uint32_t reply_count, reply_room;
    gpci_tree_telling telling;
    bool has_policies; /* a module is told of blocks, and shown requests: a policy other than lru and fifo, ... */
    bool detaches;     /* the protocol has copies that no directory knows of */
    bool forwards;     /* the protocol has F: who reads last is asked next */
    bool non_coherent; /* the protocol has N: a valid copy may lack bytes that other modules have stored */
    uint8_t deepest;   /* deepest level that a request has reached */
    bool busy;         /* it has failed, or accesses are in flight: hit.c leaves everything alone then */
    gpc_status failed; /* of gpci_tree_fail: nothing but reading and destroying works any more */
    char failure[256]; /* why, for messages */
    struct gpci_controllers *controllers; /* of accesses that overlap: controller.h; NULL before the first */
};

/* pages.c */
/* Where a page is: from 1 on. Of a tree with homes; 1 of others. */
uint32_t gpci_tree_home(const gpc_coherence *c, uint64_t address);
/* Memory for one more page. GPC_ERROR_MEMORY. Then, in a tree of first touch: a first-level module accesses it. */
gpc_status gpci_tree_pages_reserve(gpc_coherence *c);
void gpci_tree_touch(gpc_coherence *c, uint32_t module, uint64_t address);
/* A tree of the same homes, where nothing has been accessed yet, takes another's pages. */
void gpci_tree_pages_inherit(gpc_coherence *c, gpc_coherence *from);

/* tree_build.c: gpc_coherence_create, whose callers tell policies what `policy_reads` says. */
gpc_status gpci_coherence_create(gpc_context *context, const gpc_coherence_options *options,
                                 const gpci_tree_telling *telling, gpc_error *error, gpc_coherence **out);

/* store.c: memory's bytes. */
/* Memory for the block of an address, zeroed if it is new. GPC_ERROR_MEMORY. */
gpc_status gpci_tree_memory_reserve(gpc_coherence *c, uint64_t address);
/* A tree of the same memories, where nothing has been written yet, takes another's bytes. */
void gpci_tree_memory_inherit(gpc_coherence *c, gpc_coherence *from);
/* The byte at an address; the rest of its memory block follows. NULL: never reserved, so all its bytes are 0. */
uint8_t *gpci_tree_memory_at(const gpc_coherence *c, uint64_t address);

/*
 * star.c: when messages are received. A transaction begins on idle networks; then each message is given its time, and
 * later ones wait for it where they meet. `cycle`: when it is sent.
 */
void gpci_tree_star_begin(gpc_coherence *c);
uint64_t gpci_tree_star_send(gpc_coherence *c, uint32_t network, uint32_t from, uint32_t to, uint32_t bytes,
                             uint64_t cycle);
/*
 * The same for replies of several modules to one, `to`: sets `link_cycle` and `arrives` of each. Sorted by when they
 * are ready.
 */
void gpci_tree_star_gather(gpc_coherence *c, uint32_t network, uint32_t to, struct gpci_tree_probe_reply *replies,
                           uint32_t count);

/*
 * snapshot.c: save the state of a tree and restore it, for exploration. Memory's bytes and full maps are included;
 * statistics, and the state of replacement policies other than lru and fifo, are not. Equal states give equal bytes,
 * however they were reached. The size grows when memory, or a full map, holds a block for the first time: ask for it
 * each time, and compare sizes, too. Only the object that saved a state may load it.
 */
size_t gpci_coherence_saved_bytes(const gpc_coherence *c);
void gpci_coherence_save(const gpc_coherence *c, void *saved);
void gpci_coherence_load(gpc_coherence *c, const void *saved);

/*
 * tree_engine.c: gpc_coherence_access with arguments that are known to be sound (not NULL, of this header's size), for
 * callers that know more of the access: policies of all modules are shown `carried`. NULL: they are shown the address.
 */
gpc_status gpci_coherence_access(gpc_coherence *c, const gpc_coherence_request *request, const gpc_request *carried,
                                 gpc_error *error, gpc_coherence_result *result);
/* controller.c: likewise, gpc_coherence_issue. `carried` is copied; not NULL. */
gpc_status gpci_coherence_issue(gpc_coherence *c, const gpc_coherence_request *request, const gpc_request *carried,
                                gpc_error *error, uint64_t *out_token);
/* What transactions need beside the modules; the last step of gpc_coherence_create. GPC_ERROR_MEMORY. */
gpc_status gpci_tree_engine_prepare(gpc_coherence *c);
void gpci_tree_engine_release(gpc_coherence *c);
/* For tests: inject faults, and set flags of the protocol. */
void gpci_coherence_inject(gpc_coherence *c, uint32_t faults, uint32_t protocol_flags);

GPCI_INLINE gpci_module *gpci_module_at(const gpc_coherence *c, uint32_t index) {
    return &c->modules[index];
}

/* What a state means: comparisons of states are of that, but for I. */
#define GPCI_MEANS_I 0x80u
GPCI_INLINE uint8_t gpci_tree_means(const gpc_coherence *c, uint8_t state) {
    return c->means[state];
}

GPCI_INLINE bool gpci_tree_is_modified(const gpc_coherence *c, uint8_t state) {
    return (gpci_tree_means(c, state) & GPC_MEANS_MODIFIED) != 0;
}

/* A copy that the directory below does not have: for who asks below, as good as none. */
GPCI_INLINE bool gpci_tree_is_detached(const gpc_coherence *c, uint8_t state) {
    return (gpci_tree_means(c, state) & GPC_MEANS_DETACHED) != 0;
}

/* One that is kept up to date. */
GPCI_INLINE bool gpci_tree_is_held(const gpc_coherence *c, uint8_t state) {
    return !(gpci_tree_means(c, state) & (GPC_MEANS_DETACHED | GPCI_MEANS_I));
}

/* The rule for an event, of the sixteen or of the protocol's own; it may be none. */
GPCI_INLINE const gpc_protocol_rule *gpci_module_rule(const gpci_module *m, uint8_t state, uint32_t event) {
    static const gpc_protocol_rule none;
    if (GPCI_LIKELY(event < GPC_EVENT_COUNT))
        return &m->rules[state][event];
    return m->named_rules ? &m->named_rules[state * m->named + event - GPC_EVENT_COUNT] : &none;
}

/* What the messages of a cell raise in the low module, or in those above, in place of `usual`; 0: that. */
uint8_t gpci_module_raises(const gpci_module *m, uint8_t state, uint32_t event, uint32_t usual, bool above);
GPCI_INLINE uint8_t gpci_raised_below(const gpci_module *m, uint8_t state, uint32_t event, uint32_t usual) {
    return GPCI_LIKELY(!m->raises) ? 0 : gpci_module_raises(m, state, event, usual, false);
}
GPCI_INLINE uint8_t gpci_raised_above(const gpci_module *m, uint8_t state, uint32_t event, uint32_t usual) {
    return GPCI_LIKELY(!m->raises) ? 0 : gpci_module_raises(m, state, event, usual, true);
}

GPCI_INLINE uint32_t gpci_event_or(uint8_t event, uint32_t usual) {
    return GPCI_LIKELY(!event) ? usual : event;
}

/* The other way round: 0, of one of the sixteen. */
GPCI_INLINE uint8_t gpci_named_event(uint32_t event) {
    return GPCI_LIKELY(event < GPC_EVENT_COUNT) ? 0 : (uint8_t)event;
}

/* A block's state is written: counted here, or by gpci_module_count_more where there are more states than six. */
void gpci_module_count_more(gpci_module *m, uint8_t from, uint8_t to, uint32_t origin);
GPCI_INLINE void gpci_module_count(gpci_module *m, uint8_t from, uint8_t to, uint32_t origin) {
    if (GPCI_UNLIKELY(m->transitions != NULL)) {
        gpci_module_count_more(m, from, to, origin);
        return;
    }
    m->stats.transitions[from][to]++;
    m->stats.origins[from][to] |= origin;
}

/* Does it serve pages of this home? */
GPCI_INLINE bool gpci_module_has_home(const gpci_module *m, uint32_t home) {
    return !m->given.home || !m->above_count || (home == m->given.home) != m->near;
}

/* Does it serve pages of an address's home? */
GPCI_INLINE bool gpci_module_at_home(const gpci_module *m, uint64_t address) {
    return GPCI_LIKELY(!m->given.home) || !m->above_count || gpci_module_has_home(m, gpci_tree_home(m->tree, address));
}

/* Which half of its cache has a valid block, or one that is to get this tag? */
GPCI_INLINE gpci_module *gpci_module_half(gpci_module *m, uint64_t tag) {
    return GPCI_LIKELY(!m->twin) || gpci_module_at_home(m, tag) ? m : m->twin;
}

/* Is a valid block of its arrays its own, and not the other half's? */
GPCI_INLINE bool gpci_module_owns(const gpci_module *m, uint32_t block) {
    return GPCI_LIKELY(!m->twin) || gpci_module_at_home(m, gpci_module_tag(m, block));
}

#endif
