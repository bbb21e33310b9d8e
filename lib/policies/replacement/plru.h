/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_REPLACEMENT_PLRU_H
#define GPC_POLICIES_REPLACEMENT_PLRU_H

#include "base/base.h"
#include "policies/replacement/candidates.h"

/*
 * Tree of pseudo-LRU. The ways are the leaves of a binary tree. Each node keeps one bit: the side of the victim (0 =
 * left, 1 = right).
 *
 * A way's position (Jimenez, MICRO 2013, section 3.2) is a number with a bit for each node above the way, the root's
 * bit highest. A bit is 1 if the node points to the way's side. Position 0 (all nodes point away) is the way used last.
 * The way at position leaves - 1 (all nodes point to the way) is the victim. Giving a way a position sets only the
 * nodes above the way, and so moves other ways as well.
 *
 * If the number of ways is no power of two, the tree is the next larger tree. Leaves without a way are never entered.
 */
typedef struct gpci_tree {
    uint64_t *nodes; /* [sets][words]; bit n = node n; 1 is the root, 2n and 2n + 1 are the children of n */
    uint32_t ways, words;
    uint32_t levels; /* levels of nodes above the leaves */
} gpci_tree;

/* Set up the tree. The policy's ops table has set_bytes = 8 and line_bytes = 1 (gpci_way_bits). */
GPCI_INLINE void gpci_tree_init(gpci_tree *tree, const gpc_policy_env *env) {
    tree->nodes = gpci_way_bits(env);
    tree->ways = env->ways;
    tree->words = gpci_way_words(env->ways);
    tree->levels = gpci_ceil_log2(env->ways);
}

/*
 * Give `way` a position, in a tree of up to 64 ways (one word, `nodes`). The node `level` + 1 steps above a leaf has
 * the number leaf >> (level + 1). If bit `level` of `position` is 1, the node's bit becomes bit `level` of `way`;
 * otherwise the node's bit becomes the opposite.
 */
GPCI_INLINE uint64_t gpci_word_put(uint64_t nodes, uint32_t levels, uint32_t way, uint32_t position) {
    uint64_t above = 0, right = 0;
    uint32_t leaf = (uint32_t)1 << levels | way, same = ~(way ^ position);
    for (uint32_t level = 0; level < levels; level++) {
        uint32_t node = leaf >> (level + 1);
        above |= (uint64_t)1 << node;
        right |= (uint64_t)(same >> level & 1) << node;
    }
    return (nodes & ~above) | right;
}

/* Position of `way`, in a tree of up to 64 ways. */
GPCI_INLINE uint32_t gpci_word_get(uint64_t nodes, uint32_t levels, uint32_t way) {
    uint32_t leaf = (uint32_t)1 << levels | way, right = 0;
    for (uint32_t level = 0; level < levels; level++)
        right |= (uint32_t)(nodes >> (leaf >> (level + 1)) & 1) << level;
    return ~(way ^ right) & (((uint32_t)1 << levels) - 1);
}

/* Give a way a position. Only the low bits of `position` count, one for each level. */
GPCI_INLINE void gpci_tree_put(gpci_tree *tree, uint32_t set, uint32_t way, uint32_t position) {
    uint64_t *nodes = &tree->nodes[(size_t)set * tree->words];
    if (GPCI_LIKELY(tree->words == 1)) {
        /* with the constant 4, for 16 ways, the compiler unrolls the loop */
        *nodes = tree->levels == 4 ? gpci_word_put(*nodes, 4, way, position)
                                   : gpci_word_put(*nodes, tree->levels, way, position);
        return;
    }
    uint32_t node = 1;
    for (uint32_t level = tree->levels; level-- > 0;) {
        uint32_t right = way >> level & 1;
        uint64_t points_right = ~(right ^ position >> level) & 1;
        uint64_t *word = &nodes[node / 64];
        *word = (*word & ~((uint64_t)1 << (node % 64))) | points_right << (node % 64);
        node = 2 * node + right;
    }
}

GPCI_INLINE uint32_t gpci_tree_get(const gpci_tree *tree, uint32_t set, uint32_t way) {
    const uint64_t *nodes = &tree->nodes[(size_t)set * tree->words];
    if (GPCI_LIKELY(tree->words == 1))
        return tree->levels == 4 ? gpci_word_get(*nodes, 4, way) : gpci_word_get(*nodes, tree->levels, way);
    uint32_t node = 1, position = 0;
    for (uint32_t level = tree->levels; level-- > 0;) {
        uint32_t right = way >> level & 1, points_right = gpci_bit_is_set(nodes, node);
        position = 2 * position + (right == points_right);
        node = 2 * node + right;
    }
    return position;
}

/* Masks that give a way position 0 (the way used last), in a tree of up to 64 ways. */
typedef struct gpci_tree_paths {
    /* keep[way]: nodes that are not above the way. away[way]: nodes above the way that must point right. */
    uint64_t keep[64], away[64];
} gpci_tree_paths;

GPCI_INLINE void gpci_tree_paths_init(gpci_tree_paths *paths, const gpci_tree *tree) {
    for (uint32_t way = 0; tree->words == 1 && way < tree->ways; way++) {
        uint32_t node = 1;
        paths->keep[way] = ~(uint64_t)0;
        for (uint32_t level = tree->levels; level-- > 0;) {
            uint32_t right = way >> level & 1;
            paths->keep[way] &= ~((uint64_t)1 << node);
            paths->away[way] |= (uint64_t)!right << node;
            node = 2 * node + right;
        }
    }
}

GPCI_INLINE void gpci_tree_touch(gpci_tree *tree, const gpci_tree_paths *paths, uint32_t set, uint32_t way) {
    if (GPCI_LIKELY(tree->words == 1))
        tree->nodes[set] = (tree->nodes[set] & paths->keep[way]) | paths->away[way];
    else
        gpci_tree_put(tree, set, way, 0);
}

/* Follow the nodes to the victim. If a node points to a side without candidates, take the other side. */
uint32_t gpci_tree_victim(const gpci_tree *tree, uint32_t set, const uint64_t *candidates);

/* Cost of the trees in bits: a tree with a leaf per way has ways - 1 nodes. */
GPCI_INLINE uint64_t gpci_tree_bits(const gpc_policy_env *env) {
    return (uint64_t)env->sets * (env->ways - 1);
}

#endif
