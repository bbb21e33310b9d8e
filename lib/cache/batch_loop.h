/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * The plain loop, compiled once per instruction set: batch_*.c define
 * GPCI_BATCH_NAME and include this. It serves caches that are nothing but tags,
 * dirty bits and a replacement policy (gpc_cache.plain) and whose lines share
 * their upper address bits; anything else stops it.
 *
 * What is rare is kept out of the way: free ways are looked for only while the
 * cache has any, a hit on the newest way needs no compare, and a miss with LRU
 * merely rotates the order. Counters stay in registers until a block ends.
 */

#include "cache/internal.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif
#if defined(__SSE2__) && !defined(GPCI_BATCH_PORTABLE)
#define VECTORS 1
#endif

/* Bit per way that holds the tag. */
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

#if defined(VECTORS)
GPCI_INLINE uint32_t match4(const uint32_t *row, uint32_t tag) {
    __m128i equal = _mm_cmpeq_epi32(_mm_load_si128((const __m128i *)(const void *)row), _mm_set1_epi32((int)tag));
    return (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(equal));
}
#else
GPCI_INLINE uint32_t match4(const uint32_t *row, uint32_t tag) {
    uint32_t match = 0;
    for (unsigned i = 0; i < 4; i++)
        match |= (uint32_t)(row[i] == tag) << i;
    return match;
}

GPCI_INLINE uint32_t match16(const uint32_t *row, uint32_t tag) {
    return match4(row, tag) | match4(row + 4, tag) << 4 | match4(row + 8, tag) << 8 | match4(row + 12, tag) << 12;
}
#endif

/* The way that holds the tag, or GPCI_NO_WAY. `row_kind`: 4, 16, or 0 for any length. */
GPCI_INLINE uint32_t find_in_row(const uint32_t *row, uint32_t length, uint32_t tag, int row_kind) {
    if (!row_kind)
        return gpci_match(row, 0, length, tag);
    uint32_t match = row_kind == 4 ? match4(row, tag) : match16(row, tag);
    return match ? gpci_lowest(match) : GPCI_NO_WAY;
}

typedef struct counts {
    uint64_t stores, hits, store_hits, evictions, write_backs, bypasses, store_bypasses;
} counts;

static void settle(gpc_cache *cache, const gpc_batch *batch, const counts *n, uint64_t done) {
    gpc_cache_stats *stats = &cache->stats;
    bool whole = !batch->size || batch->size == cache->options.line_bytes;
    uint64_t loads = done - n->stores, store_misses = n->stores - n->store_hits, load_hits = n->hits - n->store_hits;
    stats->reads += loads;
    stats->read_sectors += loads;
    stats->read_hits += load_hits;
    stats->read_sector_hits += load_hits;
    stats->writes += n->stores;
    stats->write_sectors += n->stores;
    stats->write_hits += whole ? n->stores : n->store_hits;
    stats->write_sector_hits += whole ? n->stores : n->store_hits;
    stats->line_misses += done - n->hits;
    stats->fetched_sectors += (loads - load_hits) + (whole ? 0 : store_misses);
    stats->fills += done - n->hits - n->bypasses;
    stats->bypasses += n->bypasses;
    stats->write_below_sectors += n->store_bypasses;
    stats->evictions += n->evictions;
    stats->write_backs += n->write_backs;
    stats->write_back_sectors += n->write_backs;
}

/* What the loops read again and again. Copied, because a store of a result byte might alias anything. */
typedef struct plan {
    const uint64_t *addresses;
    const uint8_t *kinds;
    size_t count;
    const gpci_index *index;
    gpci_divisor sets;     /* modulo */
    uint64_t offset_mask;  /* within a line */
    uint64_t offset_limit; /* beyond it, an access leaves its line */
    uint64_t high;
    unsigned shift;
} plan;

static plan plan_of(const gpc_cache *cache, const gpc_batch *batch) {
    return (plan){.addresses = batch->addresses,
                  .kinds = batch->kinds,
                  .count = batch->count,
                  .index = &cache->index,
                  .sets = cache->index.sets,
                  .offset_mask = cache->options.line_bytes - 1,
                  .offset_limit = cache->options.line_bytes - (batch->size ? batch->size : 1),
                  .high = cache->high,
                  .shift = cache->line_shift};
}

/*
 * How many of the next accesses, BLOCK at most, the loop may take. Others leave
 * their line, are atomics or prefetches, or have tags of another region.
 */
#define BLOCK 256u
static uint32_t plain_run(const plan *p, size_t first) {
    uint32_t length = p->count - first < BLOCK ? (uint32_t)(p->count - first) : BLOCK;
    uint64_t odd = 0;
    for (uint32_t i = 0; i < length; i++) {
        uint64_t address = p->addresses[first + i];
        odd |= (address >> p->shift >> GPCI_TAG_BITS) ^ p->high;
        odd |= (address & p->offset_mask) > p->offset_limit;
        odd |= p->kinds ? p->kinds[first + i] >> 1 : 0;
    }
    if (!odd)
        return length;
    for (uint32_t i = 0; i < length; i++) {
        uint64_t address = p->addresses[first + i];
        if (address >> p->shift >> GPCI_TAG_BITS != p->high || (address & p->offset_mask) > p->offset_limit ||
            (p->kinds && p->kinds[first + i] > GPC_STORE))
            return i;
    }
    return length;
}

/* How the loop finds a set: the two common ways without a test inside it. */
typedef enum set_kind { SET_MASK, SET_MODULO, SET_OTHER } set_kind;

GPCI_INLINE uint32_t set_of(const gpci_index *index, gpci_divisor sets, uint64_t line, set_kind kind) {
    if (kind == SET_MASK)
        return (uint32_t)line & (sets.divisor - 1);
#ifdef __SIZEOF_INT128__
    if (kind == SET_MODULO) {
        uint64_t quotient = (uint64_t)((gpci_u128)line * sets.multiplier >> 64) >> sets.shift;
        return (uint32_t)line - (uint32_t)quotient * sets.divisor;
    }
#endif
    return gpci_index_of(index, line);
}

/* The order after the least recent way, `last`, has been filled anew. */
GPCI_INLINE uint64_t rotate(uint64_t order, uint32_t last, uint32_t ways) {
    uint64_t within = ~(uint64_t)0 >> (64 - 4 * ways);
    return (order & ~within) | ((order << 4) & within) | last;
}

/* A miss with LRU while the cache has free ways: the lowest of the set is taken, if it has one. */
static bool take_free_way(gpc_cache *cache, uint32_t set, uint32_t tag, uint32_t store) {
    uint64_t *order = &((gpci_lru_state *)cache->replacement_self)->orders[set];
    size_t base = gpci_slot(cache, set, 0);
    uint32_t way = gpci_match(cache->tags + base, 0, cache->row, 0);
    if (way >= cache->ways)
        return false;
    cache->tags[base + way] = tag;
    cache->states[base + way] = 1u | store << GPCI_DIRTY_SHIFT;
    *order = gpci_recency_touch(*order, way);
    cache->free_ways--;
    return true;
}

/* One block with LRU. `with_kinds`: there may be stores. */
GPCI_INLINE void lru_block(gpc_cache *cache, const plan *p, size_t first, uint32_t length, uint8_t *results,
                           uint64_t *evicted_lines, int row_kind, set_kind kind, bool with_kinds,
                           counts *n) {
    uint32_t *const tags = cache->tags, *const states = cache->states;
    uint64_t *const orders = ((gpci_lru_state *)cache->replacement_self)->orders;
    const uint64_t *const addresses = p->addresses + first;
    const uint8_t *const kinds = p->kinds + (with_kinds ? first : 0);
    const uint32_t row = row_kind ? (uint32_t)row_kind : cache->row, ways = cache->ways;
    const uint64_t region = p->high << GPCI_TAG_BITS;
    const gpci_index *const index = p->index;
    const gpci_divisor sets = p->sets;
    const unsigned shift = p->shift;
    uint32_t hits = 0, evictions = 0, write_backs = 0, store_count = 0, store_hits = 0;
    bool room = cache->free_ways != 0;
    for (uint32_t i = 0; i < length; i++) {
        uint64_t line = addresses[i] >> shift, evicted = UINT64_MAX;
        uint32_t set = set_of(index, sets, line, kind), tag = gpci_tag(line);
        uint32_t store = with_kinds ? kinds[i] : 0, flags = GPC_BATCH_HIT;
        size_t base = (size_t)set * row;
        uint64_t order = orders[set];
        uint32_t way = order & 15;
        if (tags[base + way] != tag) {
            way = find_in_row(tags + base, row, tag, row_kind);
            if (way != GPCI_NO_WAY) {
                orders[set] = gpci_recency_touch(order, way);
            } else if (GPCI_UNLIKELY(room) && take_free_way(cache, set, tag, store)) {
                flags = 0;
                room = cache->free_ways != 0;
            } else {
                way = gpci_recency_last(order, ways);
                uint32_t old = tags[base + way], dirty = states[base + way] >> GPCI_DIRTY_SHIFT & 1;
                tags[base + way] = tag;
                states[base + way] = 1u | store << GPCI_DIRTY_SHIFT;
                orders[set] = rotate(order, way, ways);
                evicted = (region | (old & ~GPCI_TAG_VALID)) << shift;
                flags = GPC_BATCH_EVICTED | dirty * GPC_BATCH_WRITE_BACK;
                evictions++;
                write_backs += dirty;
            }
        }
        if (with_kinds && store && flags == GPC_BATCH_HIT)
            states[base + way] |= 1u << GPCI_DIRTY_SHIFT;
        hits += flags & 1;
        store_count += store;
        store_hits += flags & store;
        results[i] = (uint8_t)flags;
        evicted_lines[i] = evicted;
    }
    n->hits += hits;
    n->evictions += evictions;
    n->write_backs += write_backs;
    n->stores += store_count;
    n->store_hits += store_hits;
}

GPCI_INLINE size_t run_lru(gpc_cache *cache, const gpc_batch *batch, size_t first, int row_kind, set_kind kind,
                           bool with_kinds) {
    const plan p = plan_of(cache, batch);
    uint8_t own_results[BLOCK];
    uint64_t own_evicted[BLOCK];
    counts n = {0};
    size_t at = first;
    while (at < p.count) {
        uint32_t length = plain_run(&p, at);
        if (!length)
            break;
        lru_block(cache, &p, at, length, batch->results ? batch->results + at : own_results,
                  batch->evicted ? batch->evicted + at : own_evicted, row_kind, kind, with_kinds, &n);
        at += length;
    }
    settle(cache, batch, &n, at - first);
    return at;
}

/* A miss under a policy given as a table. Returns flags, or UINT32_MAX where the general path must report an error. */
GPCI_INLINE uint32_t miss(gpc_cache *cache, const gpc_request *request, uint32_t set, uint32_t tag, uint64_t *victim,
                          uint32_t store) {
    const gpc_replacement_ops *ops = cache->replacement_ops;
    void *self = cache->replacement_self;
    uint32_t *row = cache->tags + (size_t)set * cache->row, *states = cache->states + (size_t)set * cache->row;
    uint32_t way = cache->free_ways ? gpci_match(row, 0, cache->row, 0) : GPCI_NO_WAY, flags = 0;
    if (way >= cache->ways) {
        way = ops->choose_victim(self, set, NULL, request);
        if (way == GPC_WAY_BYPASS)
            return GPC_BATCH_BYPASSED | store * GPC_BATCH_WRITE_BELOW;
        if (way >= cache->ways)
            return UINT32_MAX;
        uint32_t dirty = states[way] >> GPCI_DIRTY_SHIFT & 1;
        flags = GPC_BATCH_EVICTED | dirty * GPC_BATCH_WRITE_BACK;
        *victim = gpci_line_at(cache, (size_t)set * cache->row + way) << cache->line_shift;
        if (ops->on_evict) {
            bool masks = dirty && cache->options.line_bytes <= 128;
            gpci_bytes bytes = masks ? gpci_bytes_of(cache, 1) : (gpci_bytes){{0, 0}};
            gpc_eviction eviction = {.line_address = *victim,
                                     .set = set,
                                     .way = way,
                                     .valid_sectors = 1,
                                     .dirty_sectors = (uint8_t)dirty,
                                     .dirty_bytes = {bytes.word[0], bytes.word[1]}};
            ops->on_evict(self, set, way, &eviction, request);
        }
    } else {
        cache->free_ways--;
    }
    row[way] = tag;
    states[way] = 1u | store << GPCI_DIRTY_SHIFT;
    if (ops->on_fill)
        ops->on_fill(self, set, way, request);
    return flags;
}

/* One block under a policy given as a table. Returns how many accesses were done: fewer only before an error. */
GPCI_INLINE uint32_t table_block(gpc_cache *cache, const gpc_batch *batch, const plan *p, size_t first,
                                 uint32_t length, uint8_t *results, uint64_t *evicted_lines, int row_kind,
                                 set_kind kind, counts *n) {
    const gpc_replacement_ops *ops = cache->replacement_ops;
    uint32_t *const tags = cache->tags, *const states = cache->states;
    void *const self = cache->replacement_self;
    const uint32_t row = row_kind ? (uint32_t)row_kind : cache->row;
    const gpci_divisor sets = p->sets;
    gpc_request request = {.size = batch->size, .sm = batch->sm};
    for (uint32_t i = 0; i < length; i++) {
        uint64_t line = p->addresses[first + i] >> p->shift, victim = UINT64_MAX;
        uint32_t store = p->kinds ? p->kinds[first + i] : 0;
        uint32_t set = set_of(p->index, sets, line, kind), tag = gpci_tag(line);
        size_t base = (size_t)set * row;
        request.address = p->addresses[first + i];
        request.kind = (uint8_t)store;
        request.pc = batch->pcs ? batch->pcs[first + i] : 0;
        request.warp = batch->warps ? batch->warps[first + i] : 0;
        request.next_use = batch->next_uses ? batch->next_uses[first + i] : 0;
        uint32_t way = find_in_row(tags + base, row, tag, row_kind);
        uint32_t flags = GPC_BATCH_HIT;
        if (way != GPCI_NO_WAY) {
            if (store)
                states[base + way] |= 1u << GPCI_DIRTY_SHIFT;
            if (ops->on_hit)
                ops->on_hit(self, set, way, &request);
        } else {
            if (ops->on_miss)
                ops->on_miss(self, set, &request);
            flags = miss(cache, &request, set, tag, &victim, store);
            if (flags == UINT32_MAX)
                return i;
        }
        n->hits += flags & 1;
        n->store_hits += flags & store;
        n->stores += store;
        n->evictions += flags >> 1 & 1;
        n->write_backs += flags >> 2 & 1;
        n->bypasses += flags >> 3 & 1;
        n->store_bypasses += flags >> 5 & 1;
        results[i] = (uint8_t)flags;
        evicted_lines[i] = victim;
    }
    return length;
}

GPCI_INLINE size_t run_table(gpc_cache *cache, const gpc_batch *batch, size_t first, int row_kind, set_kind kind) {
    const plan p = plan_of(cache, batch);
    uint8_t own_results[BLOCK];
    uint64_t own_evicted[BLOCK];
    counts n = {0};
    size_t at = first;
    while (at < p.count) {
        uint32_t length = plain_run(&p, at);
        uint32_t done = table_block(cache, batch, &p, at, length, batch->results ? batch->results + at : own_results,
                                    batch->evicted ? batch->evicted + at : own_evicted, row_kind, kind, &n);
        at += done;
        if (!length || done < length)
            break;
    }
    settle(cache, batch, &n, at - first);
    return at;
}

GPCI_INLINE size_t run(gpc_cache *cache, const gpc_batch *batch, size_t first, set_kind kind) {
    bool kinds = batch->kinds != NULL;
    if (cache->lru && cache->row == 4)
        return kinds ? run_lru(cache, batch, first, 4, kind, true) : run_lru(cache, batch, first, 4, kind, false);
    if (cache->lru && cache->row == 16)
        return kinds ? run_lru(cache, batch, first, 16, kind, true) : run_lru(cache, batch, first, 16, kind, false);
    if (cache->lru)
        return run_lru(cache, batch, first, 0, kind, kinds);
    return cache->row == 4    ? run_table(cache, batch, first, 4, kind)
           : cache->row == 16 ? run_table(cache, batch, first, 16, kind)
                              : run_table(cache, batch, first, 0, kind);
}

size_t GPCI_BATCH_NAME(gpc_cache *cache, const gpc_batch *batch, size_t first) {
    if (cache->options.index != GPC_INDEX_MODULO)
        return run(cache, batch, first, SET_OTHER);
    return gpci_power_of_two(cache->sets) ? run(cache, batch, first, SET_MASK) : run(cache, batch, first, SET_MODULO);
}
