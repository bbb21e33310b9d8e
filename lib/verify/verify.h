/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_VERIFY_VERIFY_H
#define GPC_VERIFY_VERIFY_H

#include "coherence/controller_hold.h"
#include "verify/verify_states.h"

/*
 * Exploration of all states that a small tree can reach, by the library's own code: a state is taken up, one thing is
 * done, what must hold after it is checked, and the state it led to is looked up among those known.
 *
 * Two ways. Accesses one at a time (verify_explore.c): a choice is an access from its issue to its end. Accesses that
 * overlap (verify_overlap.c): a choice is the issue of an access, or one message that arrives, whichever of those under
 * way, or a refused access that begins again.
 *
 * Each first-level cache holds one block, but where a tree says otherwise, so that the second block evicts the first.
 * Blocks have one or two bytes that are ever written, with 0 or 1. States that differ in nothing that can ever matter
 * are one (verify_key.c, verify_overlap_key.c).
 */

#define GPCI_VERIFY_BASE 0x1000u /* address of the first block */
#define GPCI_VERIFY_BLOCK 8u     /* bytes of a first-level block */
enum {
    GPCI_VERIFY_MODULES = 10,
    GPCI_VERIFY_BLOCKS = 2,
    GPCI_VERIFY_POSITIONS = 2,
    GPCI_VERIFY_ACTIONS = 1024,
    GPCI_VERIFY_TURNS = 24, /* symmetries of a tree */
    GPCI_VERIFY_CHOICE = 0x8000
};

typedef struct gpci_verify_tree {
    const char *name;
    uint32_t caches;                        /* of the first level */
    uint32_t l2;                            /* how many: each serves as many first-level caches */
    bool l3;                                /* one, over memory */
    uint32_t l2_ways, l3_ways, memory_ways; /* one set each; memory_ways 0: an entry for every block */
    uint32_t first_ways;                    /* of the first level; 0: one */
    uint32_t l2_block;                      /* bytes; of all below the first level. 0: GPCI_VERIFY_BLOCK */
    uint32_t pointers, overflow;            /* of directories: gpc_coherence_module; groups of two */
    bool non_inclusive;                     /* the second level */
    bool write_through, no_write_allocate;  /* the first level */
    bool
        halves; /* second-level caches are below each other: each is home of one block (gpc_coherence_module.near_of) */
    uint32_t first_sectors, l2_sectors; /* blocks of a line, all that there are; 0: one */
    bool byte_masks;                    /* the second level */
} gpci_verify_tree;

/* By index in the list of verify_trees.c; NULL beyond the last. */
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
    uint32_t module; /* GPC_NO_MODULE: all */
    uint32_t flags;  /* GPC_ACCESS_, and an event of the protocol's own */
    uint8_t kind, block, position, value;
} gpci_verify_action;

/* What a module has of the window's bytes; and the tree. */
typedef struct gpci_verify_picture {
    uint8_t state[GPCI_VERIFY_MODULES][GPCI_VERIFY_BLOCKS]; /* GPC_LINE_I without data */
    uint8_t byte[GPCI_VERIFY_MODULES][GPCI_VERIFY_BLOCKS][GPCI_VERIFY_POSITIONS];
    bool held[GPCI_VERIFY_MODULES][GPCI_VERIFY_BLOCKS][GPCI_VERIFY_POSITIONS]; /* written here, to be merged below */
    uint8_t home[GPCI_VERIFY_BLOCKS][GPCI_VERIFY_POSITIONS];
} gpci_verify_picture;

/* A byte that is not what it must be. */
typedef struct gpci_verify_byte {
    bool known;
    uint8_t found;
    uint32_t module; /* GPC_NO_MODULE: what all see */
    uint32_t block, position;
} gpci_verify_byte;

typedef struct gpci_explorer gpci_explorer;
typedef struct gpci_verify_found gpci_verify_found;

typedef struct gpci_verify_setup {
    gpc_context *context;
    const char *protocol;
    gpci_verify_tree tree;
    uint32_t blocks, positions;
    uint32_t kinds;                  /* bit per gpci_verify_kind that is a choice */
    bool steered;                    /* accesses with GLC and with SLC too */
    bool races;                      /* the protocol has N, or no directory: copies may differ */
    bool refreshes;                  /* the protocol promises that who acquires has nothing old */
    bool detaches;                   /* it has copies that no directory knows of: until their module acquires */
    bool structure_only;             /* values are not looked at */
    bool go_on;                      /* past violations: they are counted, what they led to is not explored */
    bool backwards;                  /* depth first, and a state's choices from the last one on */
    bool symmetric;                  /* states that differ by who is who are one, where that is sound */
    uint32_t faults, protocol_flags; /* gpci_coherence_inject */
    uint64_t most, memory;           /* states, bytes; 0: no bound */
    /* accesses that overlap */
    uint32_t in_flight; /* of a first-level module at a time; 0: one access of all, at once */
    uint32_t entries;   /* gpci_hold_begin; likewise */
    bool one_channel, latencies;
    /* what else there is to say of an access, and of a step from one state to another; either may be NULL */
    void *data;
    void (*judge)(const gpci_explorer *e, const gpci_verify_action *action, const gpci_verify_picture *before,
                  const gpci_verify_picture *after, const gpc_coherence_result *result, char *text, size_t size);
    void (*edge)(void *data, uint32_t how, uint64_t from, uint64_t to, const gpc_coherence_result *result);
    bool (*progress)(void *data, const gpci_verify_found *found); /* false: enough */
} gpci_verify_setup;

struct gpci_verify_found {
    uint64_t states, edges, violations, expanded;
    size_t bytes;
    uint32_t depth;
    gpc_verify_limit limit; /* what ended it before all was seen */
    gpc_verify_verdict verdict;
    gpci_verify_byte wrong;
    gpc_status status;               /* of the search itself: memory, a tree that was refused */
    char text[GPC_VERIFY_TEXT];      /* the first violation; or what failed */
    uint16_t path[GPC_VERIFY_STEPS]; /* what leads to it: an action, or GPCI_VERIFY_CHOICE + one that may be next */
    uint32_t path_count;
    bool path_cut; /* it is longer, and begins later */
};

/* Beside the state of the tree: what is known of values (verify_values.c, verify_ghost.c). */
typedef struct gpci_verify_ghost {
    uint8_t raced[GPCI_VERIFY_BLOCKS][GPCI_VERIFY_POSITIONS];
    uint8_t value[GPCI_VERIFY_BLOCKS][GPCI_VERIFY_POSITIONS]; /* the last coherent store of all */
    /* since then, of each module: 1 + its last store; a bit for each value that it has stored; 0: none */
    uint8_t last[GPCI_VERIFY_MODULES][GPCI_VERIFY_BLOCKS][GPCI_VERIFY_POSITIONS];
    uint8_t stored[GPCI_VERIFY_MODULES][GPCI_VERIFY_BLOCKS][GPCI_VERIFY_POSITIONS];
    /* a bit for each value that a module must not read any more, since it has acquired; and will not, when it has */
    uint8_t old[GPCI_VERIFY_MODULES][GPCI_VERIFY_BLOCKS][GPCI_VERIFY_POSITIONS];
    uint8_t aging[GPCI_VERIFY_MODULES][GPCI_VERIFY_BLOCKS][GPCI_VERIFY_POSITIONS];
    uint32_t acquire; /* 1 + the flight of an acquire that is under way; 0: none */
    /* a copy that no directory knows of: 1; 2: it was there when its module began to acquire, and is to go */
    uint8_t detached[GPCI_VERIFY_MODULES][GPCI_VERIFY_BLOCKS];
} gpci_verify_ghost;

struct gpci_explorer {
    const gpci_verify_setup *setup;
    gpc_coherence *c;
    bool tracked, coherent; /* the protocol has a directory; and no two values of a byte may ever be seen */
    gpci_verify_action actions[GPCI_VERIFY_ACTIONS];
    uint32_t action_count;
    uint32_t low[GPCI_VERIFY_MODULES][GPCI_VERIFY_BLOCKS]; /* GPC_NO_MODULE of memories */
    uint8_t loaded[GPCI_VERIFY_POSITIONS];                 /* by the last access, if it was a load */
    gpci_verify_ghost ghost;
    gpci_verify_byte wrong;
    uint8_t turns[GPCI_VERIFY_TURNS][GPCI_VERIFY_MODULES]; /* [turn][place]: the module that stands there */
    uint32_t turn_count;
    char *image; /* [image_room] of a state, as it is before it is put away */
    char *base;  /* [base_room] of the state that is being expanded */
    size_t image_room, base_room;
    /* accesses that overlap */
    uint32_t *numbers; /* [number_room] of tasks and of flights, in the canonical form */
    size_t number_room;
    char told[GPC_VERIFY_TEXT]; /* "" or what the ghost has seen */
};

/* verify_trees.c */
gpc_coherence *gpci_verify_make(const gpci_verify_setup *setup, gpc_error *error);
/* The symmetries of the tree; one, where they are not to be used. */
void gpci_verify_find_turns(gpci_explorer *e);
/* What a protocol promises, by its table: `races` and `refreshes`; and whether GLC and SLC mean anything to it. */
void gpci_verify_promises(const gpc_protocol *protocol, gpci_verify_setup *setup);

/* verify_key.c: the hash of the canonical form of the present state, between accesses. */
gpci_verify_hash gpci_verify_key(const gpci_explorer *e);

/* verify_actions.c */
void gpci_verify_choices(gpci_explorer *e);
void gpci_verify_request(const gpci_explorer *e, const gpci_verify_action *action, gpc_coherence_request *request);
gpc_status gpci_verify_do(gpci_explorer *e, const gpci_verify_action *action, gpc_error *error,
                          gpc_coherence_result *result);
size_t gpci_verify_text(const gpci_explorer *e, const gpci_verify_action *action, char *text, size_t size);
void gpci_verify_tell_choice(const gpc_coherence_choice *choice, char *text, size_t size);

/* verify_values.c: what an access may do to values; "" or what is wrong. */
void gpci_verify_look(const gpci_explorer *e, gpci_verify_picture *picture);
void gpci_verify_judge(gpci_explorer *e, const gpci_verify_action *action, const gpci_verify_picture *before,
                       const gpci_verify_picture *after, char *text, size_t size);

/* verify_explore.c: accesses one at a time. */
void gpci_verify_explore(const gpci_verify_setup *setup, gpci_verify_found *found);
/* What both ways begin with and end with. False: `found` says why. */
bool gpci_verify_open(gpci_explorer *e, const gpci_verify_setup *setup, gpci_verify_found *found);
void gpci_verify_close(gpci_explorer *e);
/* The first violation's text and path; others are counted. `how` was done in `state`; GPCI_VERIFY_NO_STEP: nothing. */
#define GPCI_VERIFY_NO_STEP UINT16_MAX
void gpci_verify_tell(const gpci_explorer *e, const gpci_states *k, gpci_verify_found *found, uint32_t state,
                      uint16_t how, gpc_verify_verdict verdict, const char *text);
/* Room in one of the images. False: out of memory. */
bool gpci_verify_image_room(const gpci_explorer *e, char **image, size_t *room, size_t bytes);
/* Put the present state away, if it is new. False: an end by a bound, or by memory. */
bool gpci_verify_learn(gpci_explorer *e, gpci_states *k, gpci_verify_found *found, const gpci_verify_hash *hash,
                       const void *image, size_t bytes, uint32_t parent, uint16_t how, uint32_t *out_state);

/* verify_overlap.c: accesses that overlap. */
void gpci_verify_overlap(const gpci_verify_setup *setup, gpci_verify_found *found);
/* Time stands still from here on. */
gpc_status gpci_verify_hold(gpci_explorer *e, gpc_error *error);
/* An action, or a choice of those that may be next. */
gpc_status gpci_verify_step(gpci_explorer *e, uint16_t how, gpc_error *error);
bool gpci_verify_is_settled(const gpci_explorer *e);
/* Whether an access may be issued in the present state; flushes and acquires where nothing is in flight. */
bool gpci_verify_may_issue(const gpci_explorer *e, const gpci_verify_action *action);
/* What must hold in any state; `text` says what does not. */
gpc_verify_verdict gpci_verify_overlap_judge(gpci_explorer *e, char *text, size_t size);

/* verify_walk.c: random walks, so many. */
void gpci_verify_walk(const gpci_verify_setup *setup, uint64_t count, gpci_verify_found *found);

/* verify_overlap_key.c. False: out of memory. */
bool gpci_verify_overlap_key(gpci_explorer *e, gpci_verify_hash *hash);

/* verify_overlap_image.c: all that an exploration goes back to. */
size_t gpci_verify_overlap_bytes(const gpci_explorer *e);
void gpci_verify_overlap_save(gpci_explorer *e, char *image);
void gpci_verify_overlap_load(gpci_explorer *e, const char *image);
/* Bytes of what is invalid mean nothing: 0, so that states are more often the same. */
void gpci_verify_overlap_scrub(gpci_explorer *e);

/* verify_ghost.c: what is detached is as it was when it was; false: `told` says what is not. */
bool gpci_verify_detached(gpci_explorer *e);
/* An access has had its effect. */
void gpci_verify_performed(void *explorer, uint32_t flight);
/* A module begins to acquire; GPC_NO_MODULE: all have done so, where nothing was in flight. */
void gpci_verify_acquires(gpci_explorer *e, uint32_t module);
/* All is written back: is anything lost? The tree is flushed. */
bool gpci_verify_nothing_lost(gpci_explorer *e, char *text, size_t size);

/* verify_progress.c: the states that were expanded, and where each can go without a new access. */
typedef struct gpci_verify_graph {
    size_t *starts;  /* [states + 1] */
    uint32_t *edges; /* state, or state | GPCI_VERIFY_RETRY */
    uint8_t *settled;
    size_t start_room, edge_room, settled_room, count;
    uint32_t states;
} gpci_verify_graph;

#define GPCI_VERIFY_RETRY 0x80000000u

bool gpci_verify_graph_begin(gpc_context *context, gpci_verify_graph *g, bool settled);
bool gpci_verify_graph_add(gpc_context *context, gpci_verify_graph *g, uint32_t to, bool retry);
void gpci_verify_graph_close(gpc_context *context, gpci_verify_graph *g);
/*
 * The first state from which no state is reached in which all accesses have ended, or GPCI_VERIFY_NO_STATE; or, as
 * `circle`, the first from which messages can go round for ever without a retry. GPC_ERROR_MEMORY.
 */
gpc_status gpci_verify_graph_look(gpc_context *context, gpci_verify_graph *g, uint32_t states, uint32_t *stuck,
                                  uint32_t *circle);

GPCI_INLINE uint64_t gpci_verify_address(uint32_t block, uint32_t position) {
    return GPCI_VERIFY_BASE + (uint64_t)block * GPCI_VERIFY_BLOCK + position;
}

#endif
