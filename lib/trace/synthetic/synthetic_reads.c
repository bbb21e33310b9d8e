/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic_matches.h"

/* Computation of mummergpuKernel and printKernel for one read or match, without their loads. */

uint8_t gpci_reads_base(const gpci_reads *reads, uint64_t query, uint64_t at) {
    if (!at || at > reads->length)
        return GPCI_NO_BASE;
    const uint64_t bases = reads->tree.length - 1, room = bases - reads->length + 1;
    const uint64_t first = (gpci_mix(reads->seed + query * 2) >> 32) * room >> 32;
    const uint64_t drawn = gpci_mix(gpci_mix(reads->seed + query * 2 + 1) + at);
    const uint8_t base = reads->tree.text[first + at];
    return (drawn >> 32) % 100 < reads->errors ? (uint8_t)((base + 1 + drawn % 3) % GPCI_SUFFIX_BASES) : base;
}

void gpci_match_begin(gpci_match *match) {
    if (match->current && match->length)
        return;
    match->current = GPCI_SUFFIX_ROOT;
    match->length = 1;
    match->must = 0;
}

uint8_t gpci_match_base(const gpci_reads *reads, const gpci_match *match) {
    return gpci_reads_base(reads, match->query, match->start + match->length);
}

bool gpci_match_follow(const gpci_reads *reads, gpci_match *match) {
    match->previous = match->current;
    match->current = reads->tree.nodes[match->current].child[gpci_match_base(reads, match)];
    return match->current != 0;
}

void gpci_match_enter(const gpci_reads *reads, gpci_match *match) {
    const gpci_suffix_node *node = &reads->tree.nodes[match->current];
    const uint64_t edge = node->end - node->start + 1, known = match->must < edge ? match->must : edge;
    match->from = node->start;
    match->end = node->end;
    match->length += match->must ? known : 1;
    match->at = node->start + (uint32_t)(match->must ? known : 1);
    match->must -= known;
}

bool gpci_match_compares(const gpci_reads *reads, const gpci_match *match) {
    return match->at <= match->end && gpci_match_base(reads, match) != GPCI_NO_BASE;
}

bool gpci_match_same(const gpci_reads *reads, const gpci_match *match) {
    return reads->tree.text[match->at] == gpci_match_base(reads, match);
}

void gpci_match_record(gpci_match *match) {
    match->must = match->at - match->from;
    match->length -= match->must + 1;
}

void gpci_match_next(const gpci_reads *reads, gpci_match *match) {
    match->current = reads->tree.nodes[match->previous].suffix;
    match->start++;
}

/*
 * Follow one suffix of the read, and move to the next suffix. *found: end of the match. True: the match is long enough.
 */
static bool match_once(const gpci_reads *reads, gpci_match *match, gpci_found *found) {
    gpci_match_begin(match);
    bool differs = false;
    while (!differs && gpci_match_base(reads, match) != GPCI_NO_BASE) {
        if (!gpci_match_follow(reads, match)) {
            *found = (gpci_found){match->query, match->start, 0, match->previous, 0};
            const bool long_enough = match->length > reads->least;
            match->length--;
            match->must = 0;
            gpci_match_next(reads, match);
            return long_enough;
        }
        gpci_match_enter(reads, match);
        while (gpci_match_compares(reads, match) && !differs) {
            differs = !gpci_match_same(reads, match);
            match->at += !differs;
            match->length += !differs;
        }
    }
    *found = (gpci_found){match->query, match->start, match->at - match->from, match->current, 0};
    const bool long_enough = match->length > reads->least;
    gpci_match_record(match);
    gpci_match_next(reads, match);
    return long_enough;
}

/* Node where printing a match begins: the highest node whose label has `least` bases or more. *above: its parent. */
static uint32_t top_of(const gpci_reads *reads, uint32_t node, uint32_t *above) {
    const gpci_suffix_node *nodes = reads->tree.nodes;
    uint32_t top = node;
    *above = node;
    while (nodes[*above].depth > reads->least) {
        top = *above;
        *above = nodes[top].parent;
    }
    return top;
}

void gpci_printing_begin(const gpci_reads *reads, gpci_printing *printing, uint64_t match) {
    *printing = (gpci_printing){.found = gpci_reads_match(reads, match)};
    printing->top = printing->current = top_of(reads, printing->found.node, &printing->above);
    printing->depth = printing->top == printing->found.node;
    printing->alignment = printing->found.first;
}

bool gpci_printing_is_over(const gpci_printing *printing) {
    return printing->current == printing->above;
}

/* Go back to the parent, after a leaf or after all children. */
static void print_up(const gpci_reads *reads, gpci_printing *printing, gpci_printed *did) {
    const gpci_suffix_node *nodes = reads->tree.nodes;
    const uint32_t leaf = nodes[printing->current].leaf, parent = nodes[printing->current].parent;
    const unsigned before = leaf > 1 ? reads->tree.text[leaf - 1] : GPCI_SUFFIX_END;
    did->up = true;
    did->prints = leaf && before != gpci_reads_base(reads, printing->found.query, printing->found.start);
    printing->alignment += did->prints;
    printing->to_parent = false;
    printing->child = 0;
    while (printing->child <= GPCI_SUFFIX_BASES && nodes[parent].child[printing->child] != printing->current)
        printing->child++;
    printing->to_parent = ++printing->child > GPCI_SUFFIX_END;
    printing->current = parent;
    printing->depth -= printing->depth > 0;
    did->on_way = !printing->depth;
}

gpci_printed gpci_printing_step(const gpci_reads *reads, gpci_printing *printing) {
    const gpci_suffix_node *nodes = reads->tree.nodes;
    gpci_printed did = {0};
    if (nodes[printing->current].leaf || printing->to_parent) {
        print_up(reads, printing, &did);
        return did;
    }
    did.asks = !printing->depth;
    if (did.asks) /* base of the read behind the node's label */
        printing->golden =
            gpci_reads_base(reads, printing->found.query, printing->found.start + nodes[printing->current].depth);
    while (printing->child <= GPCI_SUFFIX_END && !nodes[printing->current].child[printing->child])
        printing->child++;
    printing->to_parent = printing->child > GPCI_SUFFIX_END;
    if (printing->to_parent)
        return did;
    printing->current = nodes[printing->current].child[printing->child];
    did.enters = !printing->depth && printing->child == printing->golden;
    did.beyond = did.enters && printing->current == printing->found.node;
    did.beyond_edge = did.beyond && printing->found.edge;
    printing->depth = did.enters ? did.beyond : printing->depth + 1;
    printing->child = 0;
    return did;
}

static uint64_t starts_of(const gpci_reads *reads) {
    return reads->length - reads->least + 1;
}

gpci_found gpci_reads_match(const gpci_reads *reads, uint64_t index) {
    uint64_t low = 0, high = reads->queries;
    while (high - low > 1) {
        const uint64_t middle = (low + high) / 2;
        *(reads->matches[middle] <= index ? &low : &high) = middle;
    }
    gpci_match match = {.query = low};
    gpci_found found = {0};
    uint32_t first = reads->alignments[low], above;
    uint64_t left = index - reads->matches[low];
    for (uint64_t start = 0; start < starts_of(reads); start++) {
        if (!match_once(reads, &match, &found))
            continue;
        if (!left--)
            break;
        first += reads->tree.nodes[top_of(reads, found.node, &above)].leaves;
    }
    found.first = first;
    return found;
}

bool gpci_reads_find(gpci_reads *reads) {
    uint64_t matches = 0, alignments = 0;
    for (uint64_t query = 0; query < reads->queries; query++) {
        gpci_match match = {.query = query};
        gpci_found found;
        uint32_t above;
        for (uint64_t start = 0; start < starts_of(reads); start++) {
            if (!match_once(reads, &match, &found))
                continue;
            matches++;
            alignments += reads->tree.nodes[top_of(reads, found.node, &above)].leaves;
        }
        if (matches > UINT32_MAX || alignments > UINT32_MAX)
            return false;
        reads->matches[query + 1] = (uint32_t)matches;
        reads->alignments[query + 1] = (uint32_t)alignments;
    }
    return true;
}
