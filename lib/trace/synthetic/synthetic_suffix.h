/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_SYNTHETIC_SYNTHETIC_SUFFIX_H
#define GPC_TRACE_SYNTHETIC_SYNTHETIC_SUFFIX_H

#include "trace/synthetic/synthetic.h"

/*
 * Suffix tree of a text of bases (Ukkonen, Algorithmica 1995), with nodes and links as in MUMmerGPU's textures. The
 * text begins at 1 and ends with an end mark; base 0 to 3 is A, C, G, T.
 */

#define GPCI_SUFFIX_BASES 4u
#define GPCI_SUFFIX_END GPCI_SUFFIX_BASES /* end mark, and the child of the end mark */
#define GPCI_SUFFIX_ROOT 1u               /* 0: no node */

typedef struct gpci_suffix_node {
    uint32_t start, end; /* edge to the node: range in the text, both ends included */
    /* suffix: of an inner node, the node with the same label without its first base */
    uint32_t suffix, parent;
    uint32_t depth;                        /* length of the label + 1 */
    uint32_t leaf;                         /* begin of the leaf's suffix; 0 = inner node */
    uint32_t leaves;                       /* leaves below, or the leaf itself */
    uint32_t child[GPCI_SUFFIX_BASES + 1]; /* by the first base of the edge */
} gpci_suffix_node;

typedef struct gpci_suffix_tree {
    uint32_t length; /* length of the text, with the end mark */
    uint32_t count;  /* number of nodes; node 0 is unused */
    uint8_t *text;
    gpci_suffix_node *nodes;
} gpci_suffix_tree;

/* Largest number of nodes for a text of `length`. */
GPCI_INLINE size_t gpci_suffix_most(uint32_t length) {
    return 2 * (size_t)length + 2;
}

/* Build the tree of `text`, from 1 to `length`. `nodes` must have gpci_suffix_most zeroed nodes. */
void gpci_suffix_build(gpci_suffix_tree *tree);

#endif
