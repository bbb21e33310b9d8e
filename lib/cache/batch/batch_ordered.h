/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * LRU without order words: a variant of the plain loop for rows whose elements a vector instruction can move. The
 * variant serves caches without a free way: 4 or 8 ways with AVX2 or AVX-512, and 16 ways with AVX-512. During the loop
 * the elements of a row are sorted by recency, and each element has the tag, the way and the dirty bit of a line:
 *
 *   bit 31 dirty | 30..27 way | 26..0 line number, relative to the first line of a window of 2^27 lines
 *
 * An access, hit or miss, is a compare, a load and a masked shift or permutation, without a branch:
 *   hit at place p    the elements at places 0 to p - 1 move to places 1 to p; the element at p moves to place 0
 *   miss              the same with p = the last place; the line of the element at p is evicted
 * Before and after the loop, tags, states and orders have their usual form. Example, 4 ways, lines A to D in ways 0 to
 * 3, D the most recent. The row is D3 C2 B1 A0. After an access to B the row is B1 D3 C2 A0. After an access to E the
 * row is E0 B1 D3 C2; E has evicted A from way 0.
 */

#define WINDOW_BITS 27u
#define WINDOW_MASK 0x07ffffffu
#define WAY_MASK 0x78000000u
#define DIRTY_BIT 0x80000000u

/* Cache with ordered rows. */
typedef struct ordered {
    gpc_cache *cache;
    uint32_t start; /* low bits of the first line number of the window */
    bool writes;    /* a line is dirty, or the batch may have stores */
} ordered;

#if defined(__AVX512BW__)
enum { MOST_ORDERED_WAYS = 16 };
#include "cache/batch/batch_rows_avx512.h"
#else
enum { MOST_ORDERED_WAYS = 8 };
#include "cache/batch/batch_rows_avx2.h"
#endif

GPCI_INLINE void take_all(uint32_t *rows, block *requests, uint32_t ways, bool writes) {
    const uint32_t length = requests->length;
    for (uint32_t i = 0; i < length; i++) {
        uint32_t *row = rows + (size_t)requests->sets[i] * ways;
        if (ways == 4)
            take4(row, &requests->tags[i], &requests->left[i], writes);
        else if (ways == 8)
            take8(row, &requests->tags[i], &requests->left[i], writes);
        else
            take16(row, &requests->tags[i], &requests->left[i], writes);
    }
}

/* True if all lines are in the window, and no state word has more than the valid bit and a dirty bit. */
static bool may_order(ordered *batch) {
    const gpc_cache *cache = batch->cache;
    const size_t slots = (size_t)cache->sets * cache->tags.row;
    uint32_t other = 0, outside = 0, dirty = 0;
    for (size_t slot = 0; slot < slots; slot++) {
        uint32_t state = cache->states[slot], at = (cache->tags.words[slot] & ~GPCI_TAG_VALID) - batch->start;
        other |= state ^ 1u;
        dirty |= state;
        outside |= at >> WINDOW_BITS;
    }
    batch->writes |= dirty >> GPCI_DIRTY_SHIFT & 1;
    return !(outside | (other & ~(1u << GPCI_DIRTY_SHIFT)));
}

/* Make tags relative to the window, and mark stores. False if a line is beyond the window. */
static bool aim_window(const ordered *batch, block *requests, const uint8_t *kinds) {
    uint32_t outside = 0;
    for (uint32_t i = 0; i < requests->length; i++) {
        requests->tags[i] = (requests->tags[i] & ~GPCI_TAG_VALID) - batch->start;
        outside |= requests->tags[i] >> WINDOW_BITS;
    }
    for (uint32_t i = 0; kinds && i < requests->length; i++)
        requests->tags[i] |= (uint32_t)kinds[i] << 31;
    return !outside;
}

/* Compute results from the elements in `left`. After a hit, `left` has the tag of the access; after a miss, another. */
static void report_ordered(const block *requests, uint8_t *restrict results, gpci_counts *counts) {
    uint32_t hits = 0, write_backs = 0;
    for (uint32_t i = 0; i < requests->length; i++) {
        uint32_t hit = !((requests->left[i] ^ requests->tags[i]) & WINDOW_MASK),
                 dirty = requests->left[i] >> 31 & (hit ^ 1);
        results[i] = (uint8_t)((GPC_BATCH_EVICTED ^ (hit * (GPC_BATCH_EVICTED | GPC_BATCH_HIT))) | dirty << 2);
        hits += hit;
        write_backs += dirty;
    }
    counts->hits += hits;
    counts->evictions += requests->length - hits;
    counts->write_backs += write_backs;
}

static void report_left(const ordered *batch, const block *requests, uint64_t *restrict evicted) {
    const uint64_t region = (uint64_t)batch->cache->tags.high << GPCI_TAG_BITS;
    const unsigned shift = batch->cache->line_shift;
    for (uint32_t i = 0; i < requests->length; i++) {
        uint64_t line = (requests->left[i] & WINDOW_MASK) + batch->start;
        bool hit = !((requests->left[i] ^ requests->tags[i]) & WINDOW_MASK);
        evicted[i] = (region | line) << shift | (0 - (uint64_t)hit);
    }
}

GPCI_INLINE size_t run_rows(const ordered *order, const gpc_batch *batch, size_t first, uint32_t ways,
                            gpci_counts *counts) {
    block requests;
    size_t at = first;
    for (; at < batch->count; at += requests.length) {
        const uint8_t *kinds = batch->kinds ? batch->kinds + at : NULL;
        uint8_t *results = batch->results ? batch->results + at : requests.results;
        resolve(order->cache, batch, at, &requests);
        if (!requests.length || !aim_window(order, &requests, kinds))
            break;
        if (order->writes)
            take_all(order->cache->tags.words, &requests, ways, true);
        else
            take_all(order->cache->tags.words, &requests, ways, false);
        report_ordered(&requests, results, counts);
        if (kinds)
            count_stores(kinds, results, requests.length, counts);
        if (batch->evicted)
            report_left(order, &requests, batch->evicted + at);
    }
    return at;
}

static bool may_have_ways(uint32_t ways) {
    return ways >= 4 && ways <= MOST_ORDERED_WAYS && !(ways & (ways - 1));
}

/*
 * Run accesses from `first` on with ordered rows. Returns the index of the first access that was not run: `first` if
 * the cache cannot be ordered, or if the accesses are too few to make up for the ordering.
 */
static size_t run_ordered(gpc_cache *cache, const gpc_batch *batch, size_t first) {
    const uint32_t half = 1u << (WINDOW_BITS - 1), ways = cache->ways;
    if (cache->free_ways || cache->tags.row != ways || !may_have_ways(ways) || (batch->count - first) / 8 < cache->sets)
        return first;
    uint32_t line = (uint32_t)(batch->addresses[first] >> cache->line_shift) & ~GPCI_TAG_VALID;
    ordered order = {.cache = cache, .start = line < half ? 0 : line - half, .writes = batch->kinds};
    if (!may_order(&order))
        return first;
    gpci_counts counts = {0};
    order_rows(&order);
    size_t at = ways == 4   ? run_rows(&order, batch, first, 4, &counts)
                : ways == 8 ? run_rows(&order, batch, first, 8, &counts)
                            : run_rows(&order, batch, first, 16, &counts);
    restore_rows(&order);
    counts.accesses = at - first;
    gpci_settle(&cache->stats, &counts, !batch->size || batch->size == cache->options.line_bytes);
    return at;
}
