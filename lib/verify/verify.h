/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_VERIFY_VERIFY_H
#define GPC_VERIFY_VERIFY_H

#include "coherence/engine/engine_hold.h"
#include "verify/verify_states.h"

/*
 * Exploration of all reachable states of a small tree, by the library's own code. For each known state and each choice:
 * load the state, execute the choice, check the invariants, and look the new state up among the known states.
 *
 * Two modes. Accesses one at a time (verify_explore.c): a choice is a whole access. Overlapping accesses
 * (verify_overlap.c): a choice is the issue of an access, the arrival of any message in flight, or the restart of a
 * refused access.
 *
 * Each first-level cache holds one block, unless a tree has more: the second block evicts the first. Of a block only
 * one or two bytes are ever written, with 0 or 1. States count as one state if they differ only in parts without effect
 * on later steps (verify_key.c, verify_overlap_key.c).
 */

#define GPCI_VERIFY_BASE 0x1000u /* address of the first block */
#define GPCI_VERIFY_BLOCK 8u     /* bytes per block of a first-level cache */
enum {
    GPCI_VERIFY_MODULES = 10,
    GPCI_VERIFY_BLOCKS = 2,
    GPCI_VERIFY_POSITIONS = 2,
    GPCI_VERIFY_ACTIONS = 1024,
    GPCI_VERIFY_PERMUTATIONS = 24, /* upper bound of the symmetries of a tree */
    GPCI_VERIFY_CHOICE = 0x8000
};

typedef struct gpci_verify_tree {
    const char *name;
    uint32_t caches; /* number of first-level caches */
    uint32_t l2;     /* number of L2s; each serves an equal number of first-level caches */
    bool l3;         /* the tree has an L3 over memory */
    /* ways; each module has a single set. memory_ways 0: an entry for every block */
    uint32_t l2_ways, l3_ways, memory_ways;
    uint32_t first_ways; /* ways of the first level; 0: a single way */
    uint32_t l2_block;   /* bytes per block of all caches below the first level; 0: GPCI_VERIFY_BLOCK */
    /* directory_pointers and directory_overflow of L2s and memory; a group (region) has two modules */
    uint32_t pointers, overflow;
    bool non_inclusive;                    /* the second level is non-inclusive */
    bool write_through, no_write_allocate; /* policies of the first level */
    bool halves;                           /* two L2s of two halves (halves.c), each the home of a block */
    uint32_t first_sectors, l2_sectors;    /* blocks per line, up to all explored blocks; 0: a single block */
    bool byte_masks;                       /* the second level has byte masks */
} gpci_verify_tree;

/*
 * Find a tree by index in the list of verify_trees.c; NULL: beyond the last tree. _of: find a tree by name; NULL: no
 * such tree.
 */
const gpci_verify_tree *gpci_verify_tree_at(size_t index);
const gpci_verify_tree *gpci_verify_tree_of(const char *name);

typedef enum gpci_verify_kind {
    GPCI_VERIFY_LOAD,
    GPCI_VERIFY_STORE,
    GPCI_VERIFY_N_STORE,
    GPCI_VERIFY_FLUSH,
    GPCI_VERIFY_ACQUIRE,
    GPCI_VERIFY_KINDS
} gpci_verify_kind;

typedef struct gpci_verify_action {
    uint32_t module; /* GPC_NO_MODULE: all modules */
    uint32_t flags;  /* GPC_ACCESS_ flags, and the event named by the access, if the protocol defines events */
    uint8_t kind, block, position, value;
} gpci_verify_action;

/* Values of the explored bytes: of the copies in all modules, and the home's values (gpci_invariants_home). */
typedef struct gpci_verify_picture {
    uint8_t state[GPCI_VERIFY_MODULES][GPCI_VERIFY_BLOCKS]; /* GPC_LINE_I: the module has no data of the block */
    uint8_t byte[GPCI_VERIFY_MODULES][GPCI_VERIFY_BLOCKS][GPCI_VERIFY_POSITIONS];
    /* stored in the module, and not merged below yet (verify_values.c) */
    bool held[GPCI_VERIFY_MODULES][GPCI_VERIFY_BLOCKS][GPCI_VERIFY_POSITIONS];
    uint8_t home[GPCI_VERIFY_BLOCKS][GPCI_VERIFY_POSITIONS];
} gpci_verify_picture;

/* Byte with a wrong value, for a report. `known` false: no wrong byte. */
typedef struct gpci_verify_byte {
    bool known;
    uint8_t found;
    uint32_t module; /* module with the wrong copy; GPC_NO_MODULE: the home's value is wrong */
    uint32_t block, position;
} gpci_verify_byte;

typedef struct gpci_explorer gpci_explorer;
typedef struct gpci_verify_found gpci_verify_found;

typedef struct gpci_verify_setup {
    gpc_context *context;
    const char *protocol;
    gpci_verify_tree tree;
    uint32_t blocks, positions;
    uint32_t kinds;      /* kinds of actions to explore: a bit per gpci_verify_kind */
    bool steered;        /* also accesses with GLC and with SLC */
    bool races;          /* the protocol has N, or no directory: copies may differ */
    bool refreshes;      /* the protocol promises: a module has no old copy after its acquire */
    bool detaches;       /* the protocol has detached copies: no directory knows the copy, until its module acquires */
    bool structure_only; /* values are not checked */
    bool go_on;          /* do not end at a violation: count violations, and do not explore the states that follow */
    bool backwards;      /* depth first, with a state's last choice first */
    /*
     * count states as one state if they differ only in the numbers of equal modules; ignored if not allowed
     * (is_symmetric)
     */
    bool symmetric;
    uint32_t faults, protocol_flags; /* gpci_coherence_inject */
    uint64_t most, memory;           /* upper bounds of the number of states, and of the bytes of memory; 0: no bound */
    /* overlapping accesses: */
    /* upper bound of the accesses in flight of a first-level module; 0: one access in the whole tree */
    uint32_t in_flight;
    uint32_t entries; /* capacity of a channel between two modules (gpci_hold_begin); 0: unbounded */
    bool one_channel, latencies;
    /*
     * Further functions, or NULL. judge: checks an access; edge: receives each step between states. `data` goes to
     * `edge` and `progress`.
     */
    void *data;
    void (*judge)(const gpci_explorer *e, const gpci_verify_action *action, const gpci_verify_picture *before,
                  const gpci_verify_picture *after, const gpc_coherence_result *result, char *text, size_t size);
    void (*edge)(void *data, uint32_t how, uint64_t from, uint64_t to, const gpc_coherence_result *result);
    bool (*progress)(void *data, const gpci_verify_found *found); /* called at times during the search; false: stop */
} gpci_verify_setup;

struct gpci_verify_found {
    uint64_t states, edges, violations, expanded;
    size_t bytes;
    uint32_t depth;
    gpc_verify_limit limit; /* bound reached by the search */
    gpc_verify_verdict verdict;
    gpci_verify_byte wrong;
    gpc_status status;          /* status of the search: memory, a refused tree */
    char text[GPC_VERIFY_TEXT]; /* first violation; or the reason of a failure */
    /* path to the violation: actions, or GPCI_VERIFY_CHOICE + index among the choices */
    uint16_t path[GPC_VERIFY_STEPS];
    uint32_t path_count;
    bool path_cut; /* the path is longer: its begin is missing */
};

/*
 * Values that the checks know, saved with every state of the tree (verify_values.c, verify_ghost.c). raced: n-stores of
 * the byte have raced with an owner's n-store.
 */
typedef struct gpci_verify_ghost {
    uint8_t raced[GPCI_VERIFY_BLOCKS][GPCI_VERIFY_POSITIONS];
    uint8_t value[GPCI_VERIFY_BLOCKS][GPCI_VERIFY_POSITIONS]; /* value of the last coherent store by any module */
    /*
     * Per module, since the last coherent store. last: 1 + value of the module's last store, or 0: no store. stored: a
     * bit per value that the module has stored.
     */
    uint8_t last[GPCI_VERIFY_MODULES][GPCI_VERIFY_BLOCKS][GPCI_VERIFY_POSITIONS];
    uint8_t stored[GPCI_VERIFY_MODULES][GPCI_VERIFY_BLOCKS][GPCI_VERIFY_POSITIONS];
    /*
     * Per module, a bit per value. old: values that the module may not load, since the end of its last acquire. aging:
     * becomes `old` at the end of its acquire in flight.
     */
    uint8_t old[GPCI_VERIFY_MODULES][GPCI_VERIFY_BLOCKS][GPCI_VERIFY_POSITIONS];
    uint8_t aging[GPCI_VERIFY_MODULES][GPCI_VERIFY_BLOCKS][GPCI_VERIFY_POSITIONS];
    uint32_t acquire; /* 1 + pool index of the acquire in flight; 0: none */
    /*
     * 0: no detached copy. 1: the module has a detached copy. 2: the copy was detached when the module's acquire began,
     * and must be gone at the end of the acquire.
     */
    uint8_t detached[GPCI_VERIFY_MODULES][GPCI_VERIFY_BLOCKS];
} gpci_verify_ghost;

struct gpci_explorer {
    const gpci_verify_setup *setup;
    gpc_coherence *coherence;
    bool tracked, coherent; /* tracked: the protocol has a directory; coherent: a byte never has two visible values */
    gpci_verify_action actions[GPCI_VERIFY_ACTIONS];
    uint32_t action_count;
    uint32_t low[GPCI_VERIFY_MODULES][GPCI_VERIFY_BLOCKS]; /* low module by block; GPC_NO_MODULE for memories */
    uint8_t loaded[GPCI_VERIFY_POSITIONS];                 /* bytes read by the last access, if a load */
    gpci_verify_ghost ghost;
    gpci_verify_byte wrong;
    /* [permutation_count][place] module at the place */
    uint8_t permutations[GPCI_VERIFY_PERMUTATIONS][GPCI_VERIFY_MODULES];
    uint32_t permutation_count;
    char *image; /* [image_capacity] image of a new state, before it is stored in gpci_states */
    char *base;  /* [base_capacity]: image of the state being expanded */
    size_t image_capacity, base_capacity;
    /* overlapping accesses: */
    uint32_t *numbers; /* [number_capacity] numbers that tasks and accesses have in the canonical form */
    size_t number_capacity;
    char told[GPC_VERIFY_TEXT]; /* violation found by verify_ghost.c, or "" */
};

/* verify_trees.c */
gpc_coherence *gpci_verify_make(const gpci_verify_setup *setup, gpc_error *error);
/* Find the symmetries of the tree; only the identity if symmetries are off. */
void gpci_verify_find_permutations(gpci_explorer *explorer);
/* Derive the protocol's promises from its table: `races`, `refreshes`, and the use of GLC and SLC. */
void gpci_verify_promises(const gpc_protocol *protocol, gpci_verify_setup *setup);

/* verify_key.c: the hash of the canonical form of the present state, between accesses. */
gpci_verify_hash gpci_verify_key(const gpci_explorer *explorer);

/* verify_actions.c */
void gpci_verify_choices(gpci_explorer *explorer);
void gpci_verify_request(const gpci_explorer *explorer, const gpci_verify_action *action,
                         gpc_coherence_request *request);
gpc_status gpci_verify_do(gpci_explorer *explorer, const gpci_verify_action *action, gpc_error *error,
                          gpc_coherence_result *result);
size_t gpci_verify_text(const gpci_explorer *explorer, const gpci_verify_action *action, char *text, size_t size);
void gpci_verify_tell_choice(const gpc_coherence_choice *choice, char *text, size_t size);

/* verify_values.c: record all copies' values. gpci_verify_judge: check an access; `text` receives "" or the fault. */
void gpci_verify_look(const gpci_explorer *explorer, gpci_verify_picture *picture);
void gpci_verify_judge(gpci_explorer *explorer, const gpci_verify_action *action, const gpci_verify_picture *before,
                       const gpci_verify_picture *after, char *text, size_t size);

/* verify_explore.c: accesses one at a time. */
void gpci_verify_explore(const gpci_verify_setup *setup, gpci_verify_found *found);
/* Begin or end an exploration, in both modes. False: the exploration could not begin, and `found` has the reason. */
bool gpci_verify_open(gpci_explorer *explorer, const gpci_verify_setup *setup, gpci_verify_found *found);
void gpci_verify_close(gpci_explorer *explorer);
/*
 * Record a violation: keep the text and path of the first violation, and count further violations. `how`: choice
 * executed in `state`, or GPCI_VERIFY_NO_STEP.
 */
#define GPCI_VERIFY_NO_STEP UINT16_MAX
void gpci_verify_tell(const gpci_explorer *explorer, const gpci_states *states, gpci_verify_found *found,
                      uint32_t state, uint16_t how, gpc_verify_verdict verdict, const char *text);
/* Make room for `bytes` bytes in an image. False: out of memory. */
bool gpci_verify_image_reserve(const gpci_explorer *explorer, char **image, size_t *capacity, size_t bytes);
/* Store the present state, which must be new. False: the search ends, at a bound or out of memory. */
bool gpci_verify_learn(gpci_explorer *explorer, gpci_states *states, gpci_verify_found *found,
                       const gpci_verify_hash *hash, const void *image, size_t bytes, uint32_t parent, uint16_t how,
                       uint32_t *out_state);

/* verify_overlap.c: overlapping accesses. */
void gpci_verify_overlap(const gpci_verify_setup *setup, gpci_verify_found *found);
/* Make the tree a held tree: from now on time stands still (engine_hold.h). */
gpc_status gpci_verify_hold(gpci_explorer *explorer, gpc_error *error);
/*
 * Execute step `how`: an action, or GPCI_VERIFY_CHOICE + index of a choice. gpci_verify_is_settled: true if nothing is
 * in flight.
 */
gpc_status gpci_verify_step(gpci_explorer *explorer, uint16_t how, gpc_error *error);
bool gpci_verify_is_settled(const gpci_explorer *explorer);
/* True if an access may be issued in the present state. A flush or acquire needs a tree without accesses in flight. */
bool gpci_verify_may_issue(const gpci_explorer *explorer, const gpci_verify_action *action);
/* Check the invariants of the present state, with or without accesses in flight; `text` receives the fault. */
gpc_verify_verdict gpci_verify_overlap_judge(gpci_explorer *explorer, char *text, size_t size);

/* verify_walk.c: take `count` random walks. */
void gpci_verify_walk(const gpci_verify_setup *setup, uint64_t count, gpci_verify_found *found);

/*
 * verify_overlap_key.c: hash of the canonical form of the present state, with accesses in flight. False: out of memory.
 */
bool gpci_verify_overlap_key(gpci_explorer *explorer, gpci_verify_hash *hash);

/*
 * verify_overlap_image.c: size of the image of the present state, with accesses in flight; save the state to an image;
 * load a state.
 */
size_t gpci_verify_overlap_bytes(const gpci_explorer *explorer);
void gpci_verify_overlap_save(gpci_explorer *explorer, char *image);
void gpci_verify_overlap_load(gpci_explorer *explorer, const char *image);
/* Zero the bytes of invalid and unlocked blocks, which have no meaning: more states are then equal. */
void gpci_verify_overlap_scrub(gpci_explorer *explorer);

/* verify_ghost.c: check the values of newly detached copies. False: `told` has the fault. */
bool gpci_verify_detached(gpci_explorer *explorer);
/* Record in the ghost that an access was performed, and check the values loaded (gpci_engine.performed). */
void gpci_verify_performed(void *explorer, uint32_t inflight);
/* Record that a module's acquire begins; GPC_NO_MODULE: that all modules have acquired, with no access in flight. */
void gpci_verify_acquires(gpci_explorer *explorer, uint32_t module);
/* Flush the tree, and check that no store is lost. */
bool gpci_verify_nothing_lost(gpci_explorer *explorer, char *text, size_t size);

/* verify_progress.c: graph of the expanded states. An edge is a step that begins no new access. */
typedef struct gpci_verify_graph {
    size_t *starts; /* [states + 1] place in `edges` of each state's first edge */
    /* state that the step leads to; | GPCI_VERIFY_RETRY: the step is the restart of a refused access */
    uint32_t *edges;
    uint8_t *settled;
    size_t start_capacity, edge_capacity, settled_capacity, count;
    uint32_t states;
} gpci_verify_graph;

#define GPCI_VERIFY_RETRY 0x80000000u

bool gpci_verify_graph_begin(gpc_context *context, gpci_verify_graph *graph, bool settled);
bool gpci_verify_graph_add(gpc_context *context, gpci_verify_graph *graph, uint32_t to, bool retry);
void gpci_verify_graph_close(gpc_context *context, gpci_verify_graph *graph);
/*
 * Look for livelocks. `stuck`: receives the first state without a path to a settled state, or GPCI_VERIFY_NO_STATE.
 * `circle`: receives the first state from which steps can go round for ever without a restart. Fails with
 * GPC_ERROR_MEMORY.
 */
gpc_status gpci_verify_graph_look(gpc_context *context, gpci_verify_graph *graph, uint32_t states, uint32_t *stuck,
                                  uint32_t *circle);

GPCI_INLINE uint64_t gpci_verify_address(uint32_t block, uint32_t position) {
    return GPCI_VERIFY_BASE + (uint64_t)block * GPCI_VERIFY_BLOCK + position;
}

#endif
