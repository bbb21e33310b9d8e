/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic_suffix.h"

/* Place of the next suffix: `length` bases below `node`, on the edge from text[`edge`] on. */
typedef struct point {
    uint32_t node, edge, length;
} point;

static uint32_t add_node(gpci_suffix_tree *t, uint32_t parent, uint32_t start, uint32_t end) {
    const uint32_t node = t->count++;
    t->nodes[node].start = start;
    t->nodes[node].end = end;
    t->nodes[node].parent = parent;
    t->nodes[parent].child[t->text[start]] = node;
    return node;
}

static uint32_t edge_length(const gpci_suffix_tree *t, uint32_t node, uint32_t now) {
    const uint32_t end = t->nodes[node].end < now ? t->nodes[node].end : now;
    return end - t->nodes[node].start + 1;
}

/* Cut the edge in two at the point; returns the new node between. */
static uint32_t split(gpci_suffix_tree *t, const point *at, uint32_t below) {
    const uint32_t start = t->nodes[below].start, middle = add_node(t, at->node, start, start + at->length - 1);
    t->nodes[below].start = start + at->length;
    t->nodes[below].parent = middle;
    t->nodes[middle].child[t->text[t->nodes[below].start]] = below;
    return middle;
}

/* Move to the next shorter suffix. */
static void shorten(const gpci_suffix_tree *t, point *at, uint32_t now, uint32_t left) {
    if (at->node == GPCI_SUFFIX_ROOT && at->length) {
        at->length--;
        at->edge = now - left + 1;
    } else if (at->node != GPCI_SUFFIX_ROOT) {
        at->node = t->nodes[at->node].suffix ? t->nodes[at->node].suffix : GPCI_SUFFIX_ROOT;
    }
}

/* Add all missing suffixes that end at text[now]; `left` is their number. Returns the number still missing. */
static uint32_t extend(gpci_suffix_tree *t, point *at, uint32_t now, uint32_t left) {
    uint32_t waiting = 0; /* inner node without a known link */
    for (left++; left; left--) {
        if (!at->length)
            at->edge = now;
        const uint32_t next = t->nodes[at->node].child[t->text[at->edge]];
        uint32_t inner = at->node;
        if (!next) {
            add_node(t, at->node, now, t->length);
        } else if (at->length >= edge_length(t, next, now)) {
            at->edge += edge_length(t, next, now);
            at->length -= edge_length(t, next, now);
            at->node = next;
            left++;
            continue;
        } else if (t->text[t->nodes[next].start + at->length] == t->text[now]) {
            at->length++;
            if (waiting)
                t->nodes[waiting].suffix = at->node;
            return left;
        } else {
            inner = split(t, at, next);
            add_node(t, inner, now, t->length);
        }
        if (waiting)
            t->nodes[waiting].suffix = inner;
        waiting = inner == GPCI_SUFFIX_ROOT ? 0 : inner;
        shorten(t, at, now, left - 1);
    }
    if (waiting)
        t->nodes[waiting].suffix = GPCI_SUFFIX_ROOT;
    return 0;
}

/* Depths, parents first: a node's parent may have a higher number, where an edge was split. */
static uint32_t depth_of(gpci_suffix_tree *t, uint32_t node) {
    uint32_t way = 0, at = node;
    while (!t->nodes[at].depth) { /* reverse the parent links, for the way back down */
        const uint32_t up = t->nodes[at].parent;
        t->nodes[at].parent = way;
        way = at;
        at = up;
    }
    while (way) {
        const uint32_t down = t->nodes[way].parent;
        t->nodes[way].parent = at;
        t->nodes[way].depth = t->nodes[at].depth + t->nodes[way].end - t->nodes[way].start + 1;
        at = way;
        way = down;
    }
    return t->nodes[node].depth;
}

void gpci_suffix_build(gpci_suffix_tree *t) {
    point at = {.node = GPCI_SUFFIX_ROOT};
    uint32_t left = 0;
    t->count = GPCI_SUFFIX_ROOT + 1;
    for (uint32_t now = 1; now <= t->length; now++)
        left = extend(t, &at, now, left);
    t->nodes[GPCI_SUFFIX_ROOT].depth = 1;
    for (uint32_t node = GPCI_SUFFIX_ROOT + 1; node < t->count; node++) {
        const uint32_t depth = depth_of(t, node);
        if (t->nodes[node].end != t->length)
            continue;
        t->nodes[node].leaf = t->length + 2 - depth;
        for (uint32_t up = node; up; up = t->nodes[up].parent)
            t->nodes[up].leaves++;
    }
}
