/* SPDX-License-Identifier: BSD-2-Clause */
/* Rodinia's mummergpu: the tree, and the threads' accesses, beside a search without a tree. */
#include "trace/synthetic/rig.h"
#include "trace/synthetic/synthetic_matches.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { READS, LENGTHS, PLACES, REFERENCE, COORDINATES, MATCHES, ALIGNMENTS };

static const gpci_reads *open_reads(rig *r, const char *source) {
    rig_open(r, source);
    return gpci_synthetic_data(r->source);
}

/* A suffix is a path from the root to a leaf; an inner node's link leads to the label without the first base. */
Test(synthetic_matches, tree) {
    rig r;
    const gpci_suffix_tree *t = &open_reads(&r, "rodinia-mummergpu:204:reference=700,repeats=60")->tree;
    unsigned leaves = 0;
    cr_assert_eq(t->length, 701);
    for (uint32_t from = 1; from <= t->length; from++) {
        uint32_t node = GPCI_SUFFIX_ROOT, at = from;
        while (!t->nodes[node].leaf) {
            const uint32_t next = t->nodes[node].child[t->text[at]];
            cr_assert(next && t->nodes[next].parent == node, "suffix %u has no edge at %u", from, at);
            node = next;
            for (uint32_t k = t->nodes[node].start; k <= t->nodes[node].end; k++)
                cr_assert_eq(t->text[k], t->text[at++]);
            cr_assert_eq(t->nodes[node].depth, at - from + 1);
        }
        cr_assert_eq(at, t->length + 1);
        cr_assert_eq(t->nodes[node].leaf, from);
        leaves++;
    }
    cr_assert_eq(t->nodes[GPCI_SUFFIX_ROOT].leaves, leaves);
    for (uint32_t node = GPCI_SUFFIX_ROOT + 1; node < t->count; node++) {
        const gpci_suffix_node *n = &t->nodes[node], *link = &t->nodes[n->suffix];
        if (n->leaf)
            continue;
        cr_assert(n->suffix, "node %u has no link", node);
        cr_assert_eq(link->depth, n->depth - 1);
        for (uint32_t k = 0; k + 1 < link->depth; k++)
            cr_assert_eq(t->text[n->end - k], t->text[link->end - k]);
    }
    rig_close(&r);
}

/* Bases of a read from `from` on, equal to the reference from `at` on. */
static uint64_t common(const gpci_reads *r, uint64_t query, uint64_t from, uint64_t at) {
    uint64_t n = 0;
    while (at + n < r->tree.length && gpci_reads_base(r, query, from + n) == r->tree.text[at + n])
        n++;
    return n;
}

static uint64_t longest(const gpci_reads *r, uint64_t query, uint64_t from) {
    uint64_t most = 0;
    for (uint64_t at = 1; at < r->tree.length; at++) {
        const uint64_t found = common(r, query, from, at);
        most = found > most ? found : most;
    }
    return most;
}

/* Beginnings of a match in the reference, with a different base before than in the read. */
static uint64_t alignments(const gpci_reads *r, uint64_t query, uint64_t start) {
    uint64_t found = 0;
    for (uint64_t at = 1; at < r->tree.length; at++)
        found += common(r, query, start + 1, at) >= r->least &&
                 (at == 1 || r->tree.text[at - 1] != gpci_reads_base(r, query, start));
    return found;
}

/* A thread's accesses, in order. */
typedef struct touch {
    size_t array;
    uint64_t offset;
    bool store;
} touch;

typedef struct thread {
    touch touches[4096];
    size_t count;
} thread;

static thread *threads;

static void add_touch(const rig *r, uint64_t of, const gpc_instruction *i, uint64_t address) {
    size_t count;
    const gpci_synthetic_array *arrays = gpci_synthetic_arrays(r->source, &count);
    for (size_t a = 0; a < count; a++)
        if (address >= arrays[a].base && address < arrays[a].base + arrays[a].bytes) {
            cr_assert_lt(threads[of].count, 4096);
            threads[of].touches[threads[of].count++] = (touch){a, address - arrays[a].base, i->kind == GPC_STORE};
            return;
        }
    cr_assert_fail("%#lx is in no array", (unsigned long)address);
}

static void run_kernel(rig *r, size_t most) {
    cr_assert(rig_kernel(r));
    threads = calloc(most, sizeof *threads);
    cr_assert(threads);
    for (const gpc_block *block; (block = rig_block(r));)
        for (uint32_t w = 0; w < block->warp_count; w++)
            for (uint64_t k = 0; k < block->warps[w].count; k++) {
                const gpc_instruction *i = &block->warps[w].instructions[k];
                unsigned n = 0;
                for (uint64_t left = i->addresses ? i->mask : 0; left; left &= left - 1)
                    add_touch(r, block->index * 256 + w * 32 + gpci_lowest(left), i, i->addresses[n++]);
            }
}

/* Bases are compared in order: the next of the read follows only after an equal base. */
static void check_compared(const gpci_reads *r, uint64_t query, const thread *t) {
    uint64_t place = 0, compared = 0;
    for (size_t k = 0; k < t->count; k++) {
        const touch *one = &t->touches[k];
        if (one->array == READS)
            place = one->offset - query * (r->length + 2);
        if (one->array != REFERENCE)
            continue;
        const bool same = r->tree.text[one->offset + 1] == gpci_reads_base(r, query, place);
        const bool goes_on = k + 1 < t->count && t->touches[k + 1].array == READS &&
                             t->touches[k + 1].offset == query * (r->length + 2) + place + 1;
        cr_assert_eq(same, goes_on, "read %lu, base %lu", (unsigned long)query, (unsigned long)place);
        compared++;
    }
    cr_assert_gt(compared, 0);
}

/* Reads with errors, in a reference of repeats: records equal a text search. */
Test(synthetic_matches, found) {
    rig r;
    const gpci_reads *reads = open_reads(&r, "rodinia-mummergpu:2448:reference=900,length=100,errors=5,repeats=60");
    const uint64_t starts = reads->length - reads->least + 1;
    uint64_t recorded = 0;
    cr_assert_eq(reads->queries, 24);
    run_kernel(&r, 256);
    for (uint64_t query = 0; query < reads->queries; query++) {
        bool *stored = calloc(starts, sizeof *stored);
        for (size_t k = 0; k < threads[query].count; k++)
            if (threads[query].touches[k].store) {
                const uint64_t at = threads[query].touches[k].offset / 8 - query * starts;
                cr_assert(threads[query].touches[k].array == COORDINATES && at < starts && !stored[at]);
                stored[at] = true;
            }
        for (uint64_t start = 0; start < starts; start++) {
            const bool matches = longest(reads, query, start + 1) >= reads->least;
            cr_assert_eq(stored[start], matches, "read %lu from %lu", (unsigned long)query, (unsigned long)start);
            recorded += matches;
        }
        check_compared(reads, query, &threads[query]);
        free(stored);
    }
    free(threads);
    cr_expect(recorded > 24 * starts / 10 && recorded < 24 * starts);
    cr_expect_eq(recorded, reads->matches[reads->queries]);
    rig_close(&r);
}

/* A thread per match prints as many alignments as the text has, none if another thread does. */
Test(synthetic_matches, printed) {
    rig r;
    const gpci_reads *reads = open_reads(&r, "rodinia-mummergpu:2448:reference=900,length=100,errors=5,repeats=60");
    const uint64_t matches = reads->matches[reads->queries];
    bool *written = calloc(reads->alignments[reads->queries] + 1, sizeof *written);
    uint64_t several = 0;
    run_kernel(&r, 256);
    free(threads);
    run_kernel(&r, (matches + 255) / 256 * 256);
    cr_expect_str_eq(r.kernel.name, "_Z11printKernelP9MatchInfoiP9AlignmentPcPKiS5_iiiii");
    for (uint64_t k = 0; k < matches; k++) {
        const gpci_found found = gpci_reads_match(reads, k);
        uint64_t printed = 0;
        for (size_t i = 0; i < threads[k].count; i++) {
            const touch *one = &threads[k].touches[i];
            cr_assert(one->array != PLACES || one->offset == found.query * 4);
            if (one->array != ALIGNMENTS || one->offset % 8)
                continue;
            cr_assert(one->store && !written[one->offset / 8]);
            written[one->offset / 8] = true;
            printed++;
        }
        cr_assert_eq(printed, alignments(reads, found.query, found.start), "match %lu", (unsigned long)k);
        several += printed > 1;
    }
    cr_expect_gt(several, 0);
    free(threads);
    free(written);
    rig_close(&r);
}
