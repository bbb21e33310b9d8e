/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Plain loop, compiled once for each instruction set of the CPU: each batch_*.c defines GPCI_BATCH_NAME and includes
 * this file. The loop serves caches with only tags, dirty bits, a replacement policy and a predictor (gpc_cache.plain),
 * and lines with the upper bits tags.high. Any other access stops the loop.
 *
 * Rare work stays out of the common path. The loop looks for free ways only while the cache has any. A hit on the most
 * recent way of a set compares only its tag, and a miss with LRU only rotates the recency order. Counters stay in
 * registers until a block of accesses ends.
 */

#include "cache/cache.h"

#include <string.h>

#if defined(__AVX2__)
#include <immintrin.h>
#endif
#if defined(__SSE2__) && !defined(GPCI_BATCH_PORTABLE)
#define VECTORS 1
#endif

/* Mask of the ways with the tag, in a row of 16 ways. */
#if defined(__AVX512BW__)
GPCI_INLINE uint32_t match16(const uint32_t *row, uint32_t tag) {
    return _mm512_cmpeq_epi32_mask(_mm512_load_si512(row), _mm512_set1_epi32((int)tag));
}
#elif defined(VECTORS)
GPCI_INLINE uint32_t match16(const uint32_t *row, uint32_t tag) {
    const __m128i *four = (const __m128i *)(const void *)row;
    __m128i wanted = _mm_set1_epi32((int)tag);
    __m128i ab = _mm_packs_epi32(_mm_cmpeq_epi32(_mm_load_si128(four), wanted),
                                 _mm_cmpeq_epi32(_mm_load_si128(four + 1), wanted));
    __m128i cd = _mm_packs_epi32(_mm_cmpeq_epi32(_mm_load_si128(four + 2), wanted),
                                 _mm_cmpeq_epi32(_mm_load_si128(four + 3), wanted));
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(ab, cd));
}
#endif

/* First way with the tag, or GPCI_NO_WAY. `fixed`: a row of 4 or 16 tags; 0: a row of `length` tags. */
GPCI_INLINE uint32_t find_in_row(const uint32_t *row, uint32_t length, uint32_t tag, int fixed) {
#if defined(VECTORS)
    const uint32_t match = fixed == 16 ? match16(row, tag) : 0;
    if (fixed == 16)
        return match ? gpci_lowest(match) : GPCI_NO_WAY;
#endif
    return gpci_match(row, 0, fixed ? (uint32_t)fixed : length, tag, true);
}

/*
 * Block of resolved accesses. Each access depends on the access before, and so the loop that runs the accesses is
 * sequential. Other work on the block is done in separate loops, which compilers vectorise.
 */
#define BLOCK 256u
typedef struct block {
    uint32_t length; /* number of accesses in the block */
    uint32_t sets[BLOCK], tags[BLOCK];
    uint32_t left[BLOCK];   /* evicted tag, 0 = no eviction */
    uint8_t results[BLOCK]; /* results for a caller without a results array */
} block;

/*
 * Compute set indices as line numbers modulo the number of sets. All line numbers have the upper bits tags.high. The
 * remainder of the low 31 bits takes a product of 32 by 32 bits (proof: at gpci_divisor, with 31 in place of 63). The
 * remainder of the upper bits is the constant `rest`.
 */
static void modulo_sets(const gpc_cache *cache, block *requests) {
    const gpci_divisor by = cache->index.sets;
    const uint64_t unit = (uint64_t)1 << (32 + by.shift);
    const uint64_t multiplier = unit / by.divisor + (unit % by.divisor != 0);
    const unsigned shift = 32 + by.shift;
    const uint32_t divisor = by.divisor, rest = gpci_modulo(&by, (uint64_t)cache->tags.high << GPCI_TAG_BITS);
    for (uint32_t i = 0; i < requests->length; i++) {
        uint32_t low = requests->tags[i] & ~GPCI_TAG_VALID;
        uint32_t set = low - (uint32_t)((low * multiplier) >> shift) * divisor + rest;
        requests->sets[i] = set >= divisor ? set - divisor : set;
    }
}

static void find_sets(const gpc_cache *cache, const uint64_t *addresses, block *requests) {
    if (cache->options.index != GPC_INDEX_MODULO) {
        for (uint32_t i = 0; i < requests->length; i++)
            requests->sets[i] = gpci_index_of(&cache->index, addresses[i] >> cache->line_shift);
    } else if (gpci_power_of_two(cache->sets)) {
        const uint32_t mask = cache->sets - 1;
        for (uint32_t i = 0; i < requests->length; i++)
            requests->sets[i] = (uint32_t)(addresses[i] >> cache->line_shift) & mask;
    } else {
        modulo_sets(cache, requests);
    }
}

/*
 * Resolve the next accesses, at most BLOCK. The block ends before the first access that the loop may not run: an access
 * that crosses the end of its line, an atomic, a prefetch, or a line with other upper bits than tags.high.
 */
static void resolve(const gpc_cache *cache, const gpc_batch *batch, size_t first, block *requests) {
    const uint64_t *addresses = batch->addresses + first;
    const uint8_t *kinds = batch->kinds ? batch->kinds + first : NULL;
    const uint64_t offset_mask = cache->options.line_bytes - 1, high = cache->tags.high;
    const uint64_t limit = cache->options.line_bytes - (batch->size ? batch->size : 1);
    const unsigned shift = cache->line_shift;
    uint32_t length = batch->count - first < BLOCK ? (uint32_t)(batch->count - first) : BLOCK;
    uint64_t odd = 0;
    for (uint32_t i = 0; i < length; i++) {
        uint64_t line = addresses[i] >> shift;
        requests->tags[i] = gpci_tag(line);
        odd |= (line >> GPCI_TAG_BITS) ^ high;
    }
    for (uint32_t i = 0; i < length && limit < offset_mask; i++)
        odd |= (addresses[i] & offset_mask) > limit;
    for (uint32_t i = 0; kinds && i < length; i++)
        odd |= kinds[i] >> 1;
    if (odd) {
        uint32_t i = 0;
        while (i < length && addresses[i] >> shift >> GPCI_TAG_BITS == high && (addresses[i] & offset_mask) <= limit &&
               !(kinds && kinds[i] > GPC_STORE))
            i++;
        length = i;
    }
    requests->length = length;
    find_sets(cache, addresses, requests);
}

/* Convert evicted tags to line addresses; without an eviction, UINT64_MAX. */
static void report_evicted(const gpc_cache *cache, const block *requests, uint64_t *restrict evicted) {
    const uint64_t region = (uint64_t)cache->tags.high << GPCI_TAG_BITS;
    const unsigned shift = cache->line_shift;
    for (uint32_t i = 0; i < requests->length; i++) {
        uint64_t old = requests->left[i];
        evicted[i] = ((region | (old & ~(uint64_t)GPCI_TAG_VALID)) << shift) | ((old >> 31) - 1);
    }
}

static void count_stores(const uint8_t *restrict kinds, const uint8_t *restrict results, uint32_t length,
                         gpci_counts *counts) {
    uint32_t stores = 0, hits = 0;
    for (uint32_t i = 0; i < length; i++) {
        stores += kinds[i];
        hits += kinds[i] & results[i];
    }
    counts->stores += stores;
    counts->store_hits += hits;
}

/* Recency order after a new line has filled the least recent way, `last`: `last` becomes the most recent way. */
GPCI_INLINE uint64_t rotate(uint64_t order, uint32_t last, uint32_t ways) {
    uint64_t within = ~(uint64_t)0 >> (64 - 4 * ways);
    return (order & ~within) | ((order << 4) & within) | last;
}

/* Take the lowest free way of the set whose first slot is `base`; GPCI_NO_WAY: none. */
static uint32_t claim_free_way(gpc_cache *cache, size_t base) {
    uint32_t way = gpci_match(cache->tags.words + base, 0, cache->tags.row, 0, true);
    if (way >= cache->ways)
        return GPCI_NO_WAY;
    cache->free_ways--;
    return way;
}

/* Handle a miss with LRU while the cache has free ways: fill the lowest free way of the set. GPCI_NO_WAY: none. */
static uint32_t take_free_way(gpc_cache *cache, uint32_t set, uint32_t tag) {
    uint64_t *order = &((gpci_lru_state *)cache->replacement_self)->orders[set];
    size_t base = gpci_slot(cache, set, 0);
    uint32_t way = claim_free_way(cache, base);
    if (way == GPCI_NO_WAY)
        return way;
    cache->tags.words[base + way] = tag;
    cache->states[base + way] = 1u;
    *order = gpci_recency_touch(*order, way);
    return way;
}

/* Run a block with LRU. `fixed`: 4 or 16 ways, 0 = other numbers. `kinds`: NULL = no stores. */
GPCI_INLINE void lru_block(gpc_cache *cache, block *requests, const uint8_t *kinds, uint8_t *restrict results,
                           uint32_t fixed, gpci_counts *counts) {
    uint32_t *const tags = cache->tags.words, *const states = cache->states;
    uint64_t *const orders = ((gpci_lru_state *)cache->replacement_self)->orders;
    const uint32_t row = fixed ? fixed : cache->tags.row, ways = fixed ? fixed : cache->ways;
    const uint32_t length = requests->length;
    uint32_t misses = 0, filled = 0, write_backs = 0;
    bool room = cache->free_ways != 0;
    for (uint32_t i = 0; i < length; i++) {
        uint32_t set = requests->sets[i], tag = requests->tags[i], store = kinds ? kinds[i] : 0, old = 0,
                 flags = GPC_BATCH_HIT;
        size_t base = (size_t)set * row;
        uint64_t order = orders[set];
        uint32_t way = order & 15;
        if (tags[base + way] != tag) {
            way = find_in_row(tags + base, row, tag, (int)fixed);
            if (way != GPCI_NO_WAY) {
                orders[set] = gpci_recency_touch(order, way);
            } else if (misses++, GPCI_UNLIKELY(room) && (way = take_free_way(cache, set, tag)) != GPCI_NO_WAY) {
                filled++;
                room = cache->free_ways != 0;
                flags = 0;
            } else {
                way = gpci_recency_last(order, ways);
                old = tags[base + way];
                uint32_t dirty = states[base + way] >> GPCI_DIRTY_SHIFT & 1;
                tags[base + way] = tag;
                states[base + way] = 1;
                orders[set] = rotate(order, way, ways);
                flags = GPC_BATCH_EVICTED | dirty * GPC_BATCH_WRITE_BACK;
                write_backs += dirty;
            }
        }
        if (kinds) /* no branch on the kind: stores are hard to predict */
            states[base + way] |= store << GPCI_DIRTY_SHIFT;
        results[i] = (uint8_t)flags;
        requests->left[i] = old;
    }
    counts->hits += length - misses;
    counts->evictions += misses - filled;
    counts->write_backs += write_backs;
}

/*
 * Run blocks of accesses with LRU; the recency order of a set is a word (gpci_lru_state.orders). `until_full`: stop
 * after the block that takes the last free way. Returns the index of the first access that was not run.
 */
GPCI_INLINE size_t run_lru(gpc_cache *cache, const gpc_batch *batch, size_t first, uint32_t fixed, bool until_full) {
    block requests;
    gpci_counts counts = {0};
    size_t at = first;
    for (; at < batch->count && !(until_full && !cache->free_ways); at += requests.length) {
        resolve(cache, batch, at, &requests);
        if (!requests.length)
            break;
        uint8_t *results = batch->results ? batch->results + at : requests.results;
        if (batch->kinds) {
            lru_block(cache, &requests, batch->kinds + at, results, fixed, &counts);
            count_stores(batch->kinds + at, results, requests.length, &counts);
        } else {
            lru_block(cache, &requests, NULL, results, fixed, &counts);
        }
        if (batch->evicted)
            report_evicted(cache, &requests, batch->evicted + at);
    }
    counts.accesses = at - first;
    gpci_settle(&cache->stats, &counts, !batch->size || batch->size == cache->options.line_bytes);
    return at;
}

#if defined(__AVX2__)
#include "cache/batch/batch_ordered.h"
#else
GPCI_INLINE size_t run_ordered(gpc_cache *cache, const gpc_batch *batch, size_t first) {
    (void)cache, (void)batch;
    return first;
}
#endif

#include "cache/batch/batch_table.h"

static size_t run_with(gpc_cache *cache, const gpc_batch *batch, size_t first, uint32_t fixed, bool until_full) {
    return fixed == 4    ? run_lru(cache, batch, first, 4, until_full)
           : fixed == 16 ? run_lru(cache, batch, first, 16, until_full)
                         : run_lru(cache, batch, first, 0, until_full);
}

size_t GPCI_BATCH_NAME(gpc_cache *cache, const gpc_batch *batch, size_t first) {
    uint32_t row = cache->tags.row, fixed = row == cache->ways && (row == 4 || row == 16) ? row : 0;
    if (!cache->lru || cache->guarded)
        return run_table(cache, batch, first, fixed);
    first = run_with(cache, batch, first, fixed, true);
    first = run_ordered(cache, batch, first);
    return run_with(cache, batch, first, fixed, false);
}
