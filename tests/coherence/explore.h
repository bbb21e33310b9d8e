/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_COHERENCE_EXPLORE_H
#define TESTS_COHERENCE_EXPLORE_H

#include "coherence/tree.h"

/*
 * Exploration of all states that a small tree can reach, by the library's own code: a state is taken up, one access
 * is done, what must hold after it is checked, and the state it led to is looked up among those known.
 *
 * Each first-level cache holds one block, but where a tree says otherwise, so that the second block evicts the first. Blocks have one or two bytes that
 * are ever written, with 0 or 1. States that differ in nothing that can ever matter are one (explore_key.c).
 */

#define EXPLORE_BASE 0x1000u /* address of the first block */
#define EXPLORE_BLOCK 8u     /* bytes of a first-level block */
enum { EXPLORE_MODULES = 10, EXPLORE_BLOCKS = 2, EXPLORE_POSITIONS = 2, EXPLORE_KEY = 256, EXPLORE_ACTIONS = 128 };

typedef struct explore_tree {
    const char *name;
    uint32_t caches;                        /* of the first level */
    uint32_t l2;                            /* how many: each serves as many first-level caches */
    bool l3;                                /* one, over memory */
    uint32_t l2_ways, l3_ways, memory_ways; /* one set each; memory_ways 0: an entry for every block */
    uint32_t first_ways;                    /* of the first level; 0: one */
    uint32_t l2_block;                      /* bytes; of all below the first level. 0: EXPLORE_BLOCK */
    bool non_inclusive;                     /* the second level */
    bool write_through, no_write_allocate;  /* the first level */
} explore_tree;

typedef enum explore_kind {
    EXPLORE_LOAD,
    EXPLORE_STORE,
    EXPLORE_N_STORE,
    EXPLORE_FLUSH,
    EXPLORE_ACQUIRE,
    EXPLORE_KINDS
} explore_kind;

typedef struct explore_action {
    uint32_t module; /* GPC_NO_MODULE: all */
    uint32_t flags;  /* GPC_ACCESS_ */
    uint8_t kind, block, position, value;
} explore_action;

typedef struct explore_setup {
    gpc_context *context;
    const char *protocol;
    explore_tree tree;
    uint32_t blocks, positions;
    uint32_t kinds;                  /* bit per explore_kind that is a choice */
    bool steered;                    /* accesses with GLC and with SLC too */
    bool races;                      /* the protocol has N, and n-stores are a choice: copies may differ */
    bool refreshes;                  /* the protocol promises that who acquires has nothing old */
    bool structure_only;             /* values are not looked at */
    const char *letters;             /* of its states; not NULL: first-level caches are held against explore_table.c */
    bool go_on;                      /* past violations: they are counted, what they led to is not explored */
    bool backwards;                  /* depth first, and a state's choices from the last one on */
    bool multi2sim;                  /* likewise, against what the specification says of Multi2Sim's */
    const char *plain;               /* vi, none or slc-glc: it is held against explore_plain.c */
    uint32_t faults, protocol_flags; /* gpci_coherence_inject */
    uint32_t most;                   /* states; 0: no bound */
} explore_setup;

typedef struct explore_report {
    uint64_t states, edges, violations;
    uint64_t print;  /* of all states, edges and messages, whatever their order */
    uint64_t shape;  /* likewise, without messages */
    bool complete;   /* all that can be reached was; false: `most` or a violation ended it */
    bool failed;     /* no memory, or the tree was refused: `text` says */
    char text[1536]; /* the first violation: what, and the accesses that lead to it */
} explore_report;

void explore_run(const explore_setup *setup, explore_report *report);

/* What a module has of the window's bytes; and the tree. */
typedef struct explore_picture {
    uint8_t state[EXPLORE_MODULES][EXPLORE_BLOCKS]; /* GPC_LINE_I without data */
    uint8_t byte[EXPLORE_MODULES][EXPLORE_BLOCKS][EXPLORE_POSITIONS];
    bool held[EXPLORE_MODULES][EXPLORE_BLOCKS][EXPLORE_POSITIONS]; /* written here, and yet to be merged below */
    uint8_t home[EXPLORE_BLOCKS][EXPLORE_POSITIONS];
} explore_picture;

typedef struct explorer {
    const explore_setup *setup;
    gpc_coherence *c;
    bool tracked, coherent; /* the protocol has a directory; and no two values of a byte may ever be seen */
    explore_action actions[EXPLORE_ACTIONS];
    uint32_t action_count;
    uint32_t low[EXPLORE_MODULES][EXPLORE_BLOCKS]; /* GPC_NO_MODULE of memories */
    uint32_t key_bytes;
    uint8_t loaded[EXPLORE_POSITIONS];             /* by the last access, if it was a load */
    bool raced[EXPLORE_BLOCKS][EXPLORE_POSITIONS]; /* ghost, of the state: see explore_values.c */
} explorer;

/* explore_tree.c */
gpc_coherence *explore_make(const explore_setup *setup, gpc_error *error);

/* explore_key.c: the canonical form of the present state; its length is the same for all states of a tree. */
uint32_t explore_key(const explorer *e, uint8_t key[EXPLORE_KEY]);

/* explore_actions.c */
void explore_choices(explorer *e);
gpc_status explore_do(explorer *e, const explore_action *action, gpc_error *error, gpc_coherence_result *result);
size_t explore_text(const explore_action *action, char *text, size_t size);

/* explore_values.c: what an access may do to values; "" or what is wrong. */
void explore_look(const explorer *e, explore_picture *picture);
void explore_judge(explorer *e, const explore_action *action, const explore_picture *before,
                   const explore_picture *after, char *text, size_t size);

/* explore_table.c: "" or what an access did otherwise than Table 2.5, and its likes of the lesser protocols, say. */
void explore_look_up(const explorer *e, const explore_action *action, const explore_picture *before,
                     const explore_picture *after, const gpc_coherence_result *result, char *text, size_t size);

/* explore_plain.c: likewise of protocols without a directory. */
void explore_look_plain(const explorer *e, const explore_action *action, const explore_picture *before,
                        const explore_picture *after, const gpc_coherence_result *result, char *text, size_t size);

GPCI_INLINE uint64_t explore_address(uint32_t block, uint32_t position) {
    return EXPLORE_BASE + (uint64_t)block * EXPLORE_BLOCK + position;
}

#endif
