/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_SYNTHETIC_SYNTHETIC_SUFFIX_H
#define GPC_TRACE_SYNTHETIC_SYNTHETIC_SUFFIX_H

#include "trace/synthetic/synthetic.h"

/*
 * Suffix tree of a text of bases (Ukkonen, Algorithmica 1995): nodes and links as MUMmerGPU has them in its textures.
 * The text begins at 1 and ends with an end mark; base 0 to 3 is A, C, G, T.
 */

#define GPCI_SUFFIX_BASES 4u
#define GPCI_SUFFIX_END GPCI_SUFFIX_BASES /* the end mark, and its child */
#define GPCI_SUFFIX_ROOT 1u               /* 0: no node */

typedef struct gpci_suffix_node {
    uint32_t start, end;                   /* of the edge to it, in the text, both included */
    uint32_t suffix, parent;               /* of inner nodes: the node of the same label without its first base */
    uint32_t depth;                        /* length of its label, and one */
    uint32_t leaf;                         /* where its suffix begins; 0: it is an inner node */
    uint32_t leaves;                       /* below it, or itself */
    uint32_t child[GPCI_SUFFIX_BASES + 1]; /* by the first base of the edge */
} gpci_suffix_node;

typedef struct gpci_suffix_tree {
    uint32_t length; /* of the text, the end mark included */
    uint32_t count;  /* of nodes, the first being none */
    uint8_t *text;
    gpci_suffix_node *nodes;
} gpci_suffix_tree;

/* Nodes of a text of `length`, at most. */
GPCI_INLINE size_t gpci_suffix_most(uint32_t length) {
    return 2 * (size_t)length + 2;
}

/* Build the tree of `text`, from 1 to `length`; there is room for gpci_suffix_most nodes, zeroed. */
void gpci_suffix_build(gpci_suffix_tree *tree);

#endif
