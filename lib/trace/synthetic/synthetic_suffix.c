/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic_suffix.h"

/* Place of the next suffix: `length` bases below `node`, on the edge that begins with text[edge]. */
typedef struct point {
    uint32_t node, edge, length;
} point;

static uint32_t add_node(gpci_suffix_tree *tree, uint32_t parent, uint32_t start, uint32_t end) {
    const uint32_t node = tree->count++;
    tree->nodes[node].start = start;
    tree->nodes[node].end = end;
    tree->nodes[node].parent = parent;
    tree->nodes[parent].child[tree->text[start]] = node;
    return node;
}

static uint32_t edge_length(const gpci_suffix_tree *tree, uint32_t node, uint32_t now) {
    const uint32_t end = tree->nodes[node].end < now ? tree->nodes[node].end : now;
    return end - tree->nodes[node].start + 1;
}

/* Cut the edge above node `below` in two, at the point. Returns the new node between both parts. */
static uint32_t split(gpci_suffix_tree *tree, const point *suffix, uint32_t below) {
    const uint32_t start = tree->nodes[below].start,
                   middle = add_node(tree, suffix->node, start, start + suffix->length - 1);
    tree->nodes[below].start = start + suffix->length;
    tree->nodes[below].parent = middle;
    tree->nodes[middle].child[tree->text[tree->nodes[below].start]] = below;
    return middle;
}

/* Move to the next shorter suffix. */
static void shorten(const gpci_suffix_tree *tree, point *suffix, uint32_t now, uint32_t left) {
    if (suffix->node == GPCI_SUFFIX_ROOT && suffix->length) {
        suffix->length--;
        suffix->edge = now - left + 1;
    } else if (suffix->node != GPCI_SUFFIX_ROOT) {
        suffix->node = tree->nodes[suffix->node].suffix ? tree->nodes[suffix->node].suffix : GPCI_SUFFIX_ROOT;
    }
}

/* Add all missing suffixes that end at text[now]; `left` is their number. Returns the number still missing. */
static uint32_t extend(gpci_suffix_tree *tree, point *suffix, uint32_t now, uint32_t left) {
    uint32_t waiting = 0; /* inner node without a known link */
    for (left++; left; left--) {
        if (!suffix->length)
            suffix->edge = now;
        const uint32_t next = tree->nodes[suffix->node].child[tree->text[suffix->edge]];
        uint32_t inner = suffix->node;
        if (!next) {
            add_node(tree, suffix->node, now, tree->length);
        } else if (suffix->length >= edge_length(tree, next, now)) {
            suffix->edge += edge_length(tree, next, now);
            suffix->length -= edge_length(tree, next, now);
            suffix->node = next;
            left++;
            continue;
        } else if (tree->text[tree->nodes[next].start + suffix->length] == tree->text[now]) {
            suffix->length++;
            if (waiting)
                tree->nodes[waiting].suffix = suffix->node;
            return left;
        } else {
            inner = split(tree, suffix, next);
            add_node(tree, inner, now, tree->length);
        }
        if (waiting)
            tree->nodes[waiting].suffix = inner;
        waiting = inner == GPCI_SUFFIX_ROOT ? 0 : inner;
        shorten(tree, suffix, now, left - 1);
    }
    if (waiting)
        tree->nodes[waiting].suffix = GPCI_SUFFIX_ROOT;
    return 0;
}

/* Compute a node's depth, after its parents' depths. A split edge can give a parent a higher number than its child. */
static uint32_t depth_of(gpci_suffix_tree *tree, uint32_t node) {
    uint32_t way = 0, at = node;
    while (!tree->nodes[at].depth) { /* reverse the parent links, for the way back down */
        const uint32_t up = tree->nodes[at].parent;
        tree->nodes[at].parent = way;
        way = at;
        at = up;
    }
    while (way) {
        const uint32_t down = tree->nodes[way].parent;
        tree->nodes[way].parent = at;
        tree->nodes[way].depth = tree->nodes[at].depth + tree->nodes[way].end - tree->nodes[way].start + 1;
        at = way;
        way = down;
    }
    return tree->nodes[node].depth;
}

void gpci_suffix_build(gpci_suffix_tree *tree) {
    point suffix = {.node = GPCI_SUFFIX_ROOT};
    uint32_t left = 0;
    tree->count = GPCI_SUFFIX_ROOT + 1;
    for (uint32_t now = 1; now <= tree->length; now++)
        left = extend(tree, &suffix, now, left);
    tree->nodes[GPCI_SUFFIX_ROOT].depth = 1;
    for (uint32_t node = GPCI_SUFFIX_ROOT + 1; node < tree->count; node++) {
        const uint32_t depth = depth_of(tree, node);
        if (tree->nodes[node].end != tree->length)
            continue;
        tree->nodes[node].leaf = tree->length + 2 - depth;
        for (uint32_t up = node; up; up = tree->nodes[up].parent)
            tree->nodes[up].leaves++;
    }
}
