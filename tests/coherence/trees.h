/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_COHERENCE_TREES_H
#define TESTS_COHERENCE_TREES_H

#include <stdio.h>

#include <gpucache/ext/coherence.h>
#include <gpucache/ext/policies.h>
#include <gpucache/gpucache.h>

/*
 * Random trees: one to three cache levels, up to sixteen first-level modules, shared and private caches below them,
 * banks by interleaving or by range, growing blocks, one to four memories. A tree is a value: it can be copied and
 * changed; tree_create sets the pointers.
 */

#define TREE_MODULES 96u
#define TREE_NETWORKS 40u
#define TREE_FIRST 16u
#define TREE_LOWS 4u
#define TREE_BLOCK 256u /* bytes of the largest block; `bytes` is a multiple of 4 of them */

/* Possible features of a random tree; a bit each. */
enum {
    TREE_NON_INCLUSIVE = 1 << 0,
    TREE_WRITE_THROUGH = 1 << 1, /* and no_write_allocate; of first-level modules */
    TREE_MIXED_BLOCKS = 1 << 2,  /* modules of a level differ in block size */
    TREE_POLICIES = 1 << 3,      /* registered ones, beside lru and fifo */
    TREE_ANY_VICTIM = 1 << 4,
    TREE_SKIPPING = 1 << 5,    /* a first-level module that skips a level */
    TREE_PRIVATE = 1 << 6,     /* caches between, used by only part of the processors */
    TREE_DIRECTORIES = 1 << 7, /* entries that cannot name all copies */
    TREE_SECTORS = 1 << 8,     /* lines of several blocks */
    TREE_MASKS = 1 << 9,       /* shared caches that fetch nothing for stores */
    TREE_FETCH = 1 << 10,      /* lines with neighbours read together */
    TREE_ALL = (1 << 11) - 1,
    /* Multi2Sim's: inclusive, written back, and with blocks of one size above a module. */
    TREE_SIMULATOR = TREE_POLICIES | TREE_ANY_VICTIM | TREE_PRIVATE
};

typedef struct tree {
    gpc_coherence_module modules[TREE_MODULES]; /* the first level first, memories last */
    uint32_t lows[TREE_MODULES][TREE_LOWS];
    gpc_coherence_network networks[TREE_NETWORKS];
    char names[TREE_MODULES][8], network_names[TREE_NETWORKS][8];
    uint32_t module_count, network_count, first_count;
    uint64_t base;  /* first address used by accesses */
    uint32_t bytes; /* number of addresses */
    bool open[TREE_MODULES];
    uint32_t fill_ways; /* gpci_tree_telling; 0 by default */
} tree;

/* `first` modules of the first level over one shared cache over a memory: more sharers than a word has bits. */
void tree_wide(tree *t, uint32_t first, uint32_t bytes);

/* A tree from the random numbers of *random (gpci_random). `bytes` of addresses are shared by the accesses. */
void tree_random(tree *t, uint64_t *random, uint32_t bytes, unsigned features);

/* Make the tree. `data`, `timing`: as in the options. */
gpc_status tree_create(tree *t, gpc_context *context, const char *protocol, bool data, bool timing, gpc_error *error,
                       gpc_coherence **out);

/* Low module that serves an address; GPC_NO_MODULE of a memory. */
uint32_t tree_low(const tree *t, uint32_t module, uint64_t address);

/* True if `module` leads to `low`, or equals it. */
bool tree_reaches(const tree *t, uint32_t module, uint32_t low);

/*
 * True if all processors reach the module's addresses through the module. For a complete tree: after tree_find_public.
 */
bool tree_public(const tree *t, uint32_t module);
void tree_find_public(tree *t);

/* Caches between the first level and public modules, on the path of an address; their number. */
uint32_t tree_private(const tree *t, uint32_t first, uint64_t address, uint32_t caches[TREE_MODULES]);

/*
 * Remove a first-level module (GPC_NO_MODULE: none), and modules that no other first-level module reaches. Another must
 * exist.
 *
 *  map  receives the new index per module; GPC_NO_MODULE: removed
 */
void tree_prune(tree *t, uint32_t without, uint32_t map[TREE_MODULES]);

/* As C: statements that fill `modules[]` and `networks[]`. */
void tree_print(const tree *t, FILE *file);

#endif
