/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic_matches.h"

/* Computation of mummergpuKernel and printKernel for one read or match, without their loads. */

uint8_t gpci_reads_base(const gpci_reads *r, uint64_t query, uint64_t at) {
    if (!at || at > r->length)
        return GPCI_NO_BASE;
    const uint64_t bases = r->tree.length - 1, room = bases - r->length + 1;
    const uint64_t first = (gpci_mix(r->seed + query * 2) >> 32) * room >> 32;
    const uint64_t drawn = gpci_mix(gpci_mix(r->seed + query * 2 + 1) + at);
    const uint8_t base = r->tree.text[first + at];
    return (drawn >> 32) % 100 < r->errors ? (uint8_t)((base + 1 + drawn % 3) % GPCI_SUFFIX_BASES) : base;
}

void gpci_match_begin(gpci_match *m) {
    if (m->current && m->length)
        return;
    m->current = GPCI_SUFFIX_ROOT;
    m->length = 1;
    m->must = 0;
}

uint8_t gpci_match_base(const gpci_reads *r, const gpci_match *m) {
    return gpci_reads_base(r, m->query, m->start + m->length);
}

bool gpci_match_follow(const gpci_reads *r, gpci_match *m) {
    m->previous = m->current;
    m->current = r->tree.nodes[m->current].child[gpci_match_base(r, m)];
    return m->current != 0;
}

void gpci_match_enter(const gpci_reads *r, gpci_match *m) {
    const gpci_suffix_node *node = &r->tree.nodes[m->current];
    const uint64_t edge = node->end - node->start + 1, known = m->must < edge ? m->must : edge;
    m->from = node->start;
    m->end = node->end;
    m->length += m->must ? known : 1;
    m->at = node->start + (uint32_t)(m->must ? known : 1);
    m->must -= known;
}

bool gpci_match_compares(const gpci_reads *r, const gpci_match *m) {
    return m->at <= m->end && gpci_match_base(r, m) != GPCI_NO_BASE;
}

bool gpci_match_same(const gpci_reads *r, const gpci_match *m) {
    return r->tree.text[m->at] == gpci_match_base(r, m);
}

void gpci_match_record(gpci_match *m) {
    m->must = m->at - m->from;
    m->length -= m->must + 1;
}

void gpci_match_next(const gpci_reads *r, gpci_match *m) {
    m->current = r->tree.nodes[m->previous].suffix;
    m->start++;
}

/* Follow one suffix, and move to the next. True for a match; `found` receives its end. */
static bool match_once(const gpci_reads *r, gpci_match *m, gpci_found *found) {
    gpci_match_begin(m);
    bool differs = false;
    while (!differs && gpci_match_base(r, m) != GPCI_NO_BASE) {
        if (!gpci_match_follow(r, m)) {
            *found = (gpci_found){m->query, m->start, 0, m->previous, 0};
            const bool long_enough = m->length > r->least;
            m->length--;
            m->must = 0;
            gpci_match_next(r, m);
            return long_enough;
        }
        gpci_match_enter(r, m);
        while (gpci_match_compares(r, m) && !differs) {
            differs = !gpci_match_same(r, m);
            m->at += !differs;
            m->length += !differs;
        }
    }
    *found = (gpci_found){m->query, m->start, m->at - m->from, m->current, 0};
    const bool long_enough = m->length > r->least;
    gpci_match_record(m);
    gpci_match_next(r, m);
    return long_enough;
}

/* Top node for printing a match: the highest node with a label longer than the least match; `above` is its parent. */
static uint32_t top_of(const gpci_reads *r, uint32_t node, uint32_t *above) {
    const gpci_suffix_node *nodes = r->tree.nodes;
    uint32_t top = node;
    *above = node;
    while (nodes[*above].depth > r->least) {
        top = *above;
        *above = nodes[top].parent;
    }
    return top;
}

void gpci_printing_begin(const gpci_reads *r, gpci_printing *p, uint64_t match) {
    *p = (gpci_printing){.found = gpci_reads_match(r, match)};
    p->top = p->current = top_of(r, p->found.node, &p->above);
    p->depth = p->top == p->found.node;
    p->alignment = p->found.first;
}

bool gpci_printing_is_over(const gpci_printing *p) {
    return p->current == p->above;
}

/* Go back to the parent, after a leaf or after all children. */
static void print_up(const gpci_reads *r, gpci_printing *p, gpci_printed *did) {
    const gpci_suffix_node *nodes = r->tree.nodes;
    const uint32_t leaf = nodes[p->current].leaf, parent = nodes[p->current].parent;
    const unsigned before = leaf > 1 ? r->tree.text[leaf - 1] : GPCI_SUFFIX_END;
    did->up = true;
    did->prints = leaf && before != gpci_reads_base(r, p->found.query, p->found.start);
    p->alignment += did->prints;
    p->to_parent = false;
    p->child = 0;
    while (p->child <= GPCI_SUFFIX_BASES && nodes[parent].child[p->child] != p->current)
        p->child++;
    p->to_parent = ++p->child > GPCI_SUFFIX_END;
    p->current = parent;
    p->depth -= p->depth > 0;
    did->on_way = !p->depth;
}

gpci_printed gpci_printing_step(const gpci_reads *r, gpci_printing *p) {
    const gpci_suffix_node *nodes = r->tree.nodes;
    gpci_printed did = {0};
    if (nodes[p->current].leaf || p->to_parent) {
        print_up(r, p, &did);
        return did;
    }
    did.asks = !p->depth;
    if (did.asks) /* the base of the read behind the node */
        p->golden = gpci_reads_base(r, p->found.query, p->found.start + nodes[p->current].depth);
    while (p->child <= GPCI_SUFFIX_END && !nodes[p->current].child[p->child])
        p->child++;
    p->to_parent = p->child > GPCI_SUFFIX_END;
    if (p->to_parent)
        return did;
    p->current = nodes[p->current].child[p->child];
    did.enters = !p->depth && p->child == p->golden;
    did.beyond = did.enters && p->current == p->found.node;
    did.beyond_edge = did.beyond && p->found.edge;
    p->depth = did.enters ? did.beyond : p->depth + 1;
    p->child = 0;
    return did;
}

static uint64_t starts_of(const gpci_reads *r) {
    return r->length - r->least + 1;
}

gpci_found gpci_reads_match(const gpci_reads *r, uint64_t index) {
    uint64_t low = 0, high = r->queries;
    while (high - low > 1) {
        const uint64_t middle = (low + high) / 2;
        *(r->matches[middle] <= index ? &low : &high) = middle;
    }
    gpci_match m = {.query = low};
    gpci_found found = {0};
    uint32_t first = r->alignments[low], above;
    uint64_t left = index - r->matches[low];
    for (uint64_t start = 0; start < starts_of(r); start++) {
        if (!match_once(r, &m, &found))
            continue;
        if (!left--)
            break;
        first += r->tree.nodes[top_of(r, found.node, &above)].leaves;
    }
    found.first = first;
    return found;
}

bool gpci_reads_find(gpci_reads *r) {
    uint64_t matches = 0, alignments = 0;
    for (uint64_t query = 0; query < r->queries; query++) {
        gpci_match m = {.query = query};
        gpci_found found;
        uint32_t above;
        for (uint64_t start = 0; start < starts_of(r); start++) {
            if (!match_once(r, &m, &found))
                continue;
            matches++;
            alignments += r->tree.nodes[top_of(r, found.node, &above)].leaves;
        }
        if (matches > UINT32_MAX || alignments > UINT32_MAX)
            return false;
        r->matches[query + 1] = (uint32_t)matches;
        r->alignments[query + 1] = (uint32_t)alignments;
    }
    return true;
}
