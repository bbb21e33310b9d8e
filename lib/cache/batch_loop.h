/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * The plain loop, compiled once per instruction set: batch_*.c define
 * GPCI_BATCH_NAME and include this. It serves caches that are nothing but tags,
 * dirty bits, a replacement policy and a predictor (gpc_cache.plain) and whose lines
 * share their upper address bits; anything else stops it.
 *
 * What is rare is kept out of the way: free ways are looked for only while the
 * cache has any, a hit on the newest way needs no compare, and a miss with LRU
 * merely rotates the order. Counters stay in registers until a block ends.
 *
 * The instruction fetch limits the loop of a policy's table: it is short code, in
 * functions of their own, whose results are hits until something else is written.
 */

#include "cache/cache.h"

#include <string.h>

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

/* The way that holds the tag, or GPCI_NO_WAY. `fixed`: 4, 16, or 0 for any length. */
GPCI_INLINE uint32_t find_in_row(const uint32_t *row, uint32_t length, uint32_t tag, int fixed) {
    if (!fixed)
        return gpci_match(row, 0, length, tag);
    uint32_t match = fixed == 4 ? match4(row, tag) : match16(row, tag);
    return match ? gpci_lowest(match) : GPCI_NO_WAY;
}

/* A block of accesses, resolved: straight loops that compilers vectorise, before and after the one that cannot be. */
#define BLOCK 256u
typedef struct block {
    uint32_t length; /* accesses that the loop may take */
    uint32_t sets[BLOCK], tags[BLOCK];
    uint32_t left[BLOCK];   /* tag that left, 0 = none */
    uint8_t results[BLOCK]; /* for callers who want none */
} block;

/*
 * Line numbers of one region: the remainder of the low 31 bits takes a product of
 * 32 by 32 bits (the proof of gpci_divisor with 31 for 63), the rest is the same
 * for all of them.
 */
static void modulo_sets(const gpc_cache *cache, block *b) {
    const gpci_divisor by = cache->index.sets;
    const uint64_t unit = (uint64_t)1 << (32 + by.shift);
    const uint64_t multiplier = unit / by.divisor + (unit % by.divisor != 0);
    const unsigned shift = 32 + by.shift;
    const uint32_t divisor = by.divisor, rest = gpci_modulo(&by, (uint64_t)cache->high << GPCI_TAG_BITS);
    for (uint32_t i = 0; i < b->length; i++) {
        uint32_t low = b->tags[i] & ~GPCI_TAG_VALID;
        uint32_t set = low - (uint32_t)((low * multiplier) >> shift) * divisor + rest;
        b->sets[i] = set >= divisor ? set - divisor : set;
    }
}

static void find_sets(const gpc_cache *cache, const uint64_t *addresses, block *b) {
    if (cache->options.index != GPC_INDEX_MODULO) {
        for (uint32_t i = 0; i < b->length; i++)
            b->sets[i] = gpci_index_of(&cache->index, addresses[i] >> cache->line_shift);
    } else if (gpci_power_of_two(cache->sets)) {
        const uint32_t mask = cache->sets - 1;
        for (uint32_t i = 0; i < b->length; i++)
            b->sets[i] = (uint32_t)(addresses[i] >> cache->line_shift) & mask;
    } else {
        modulo_sets(cache, b);
    }
}

/*
 * Resolve the next accesses, BLOCK at most. The loop may not take those that leave
 * their line, are atomics or prefetches, or have tags of another region: the block
 * ends before the first.
 */
static void resolve(const gpc_cache *cache, const gpc_batch *batch, size_t first, block *b) {
    const uint64_t *addresses = batch->addresses + first;
    const uint8_t *kinds = batch->kinds ? batch->kinds + first : NULL;
    const uint64_t offset_mask = cache->options.line_bytes - 1, high = cache->high;
    const uint64_t limit = cache->options.line_bytes - (batch->size ? batch->size : 1);
    const unsigned shift = cache->line_shift;
    uint32_t length = batch->count - first < BLOCK ? (uint32_t)(batch->count - first) : BLOCK;
    uint64_t odd = 0;
    for (uint32_t i = 0; i < length; i++) {
        uint64_t line = addresses[i] >> shift;
        b->tags[i] = gpci_tag(line);
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
    b->length = length;
    find_sets(cache, addresses, b);
}

/* Tags that left become line addresses. */
static void report_evicted(const gpc_cache *cache, const block *b, uint64_t *restrict evicted) {
    const uint64_t region = (uint64_t)cache->high << GPCI_TAG_BITS;
    const unsigned shift = cache->line_shift;
    for (uint32_t i = 0; i < b->length; i++) {
        uint64_t old = b->left[i];
        evicted[i] = ((region | (old & ~(uint64_t)GPCI_TAG_VALID)) << shift) | ((old >> 31) - 1);
    }
}

static void count_stores(const uint8_t *restrict kinds, const uint8_t *restrict results, uint32_t length,
                         gpci_counts *n) {
    uint32_t stores = 0, hits = 0;
    for (uint32_t i = 0; i < length; i++) {
        stores += kinds[i];
        hits += kinds[i] & results[i];
    }
    n->stores += stores;
    n->store_hits += hits;
}

/* The order after the least recent way, `last`, has been filled anew. */
GPCI_INLINE uint64_t rotate(uint64_t order, uint32_t last, uint32_t ways) {
    uint64_t within = ~(uint64_t)0 >> (64 - 4 * ways);
    return (order & ~within) | ((order << 4) & within) | last;
}

/* A miss with LRU while the cache has free ways: the lowest of the set is taken and returned, or GPCI_NO_WAY. */
static uint32_t take_free_way(gpc_cache *cache, uint32_t set, uint32_t tag) {
    uint64_t *order = &((gpci_lru_state *)cache->replacement_self)->orders[set];
    size_t base = gpci_slot(cache, set, 0);
    uint32_t way = gpci_match(cache->tags + base, 0, cache->row, 0);
    if (way >= cache->ways)
        return GPCI_NO_WAY;
    cache->tags[base + way] = tag;
    cache->states[base + way] = 1u;
    *order = gpci_recency_touch(*order, way);
    cache->free_ways--;
    return way;
}

/* One block with LRU. `fixed`: 4 or 16 ways, or 0 for others; `kinds`: NULL where there are no stores. */
GPCI_INLINE void lru_block(gpc_cache *cache, block *b, const uint8_t *kinds, uint8_t *restrict results, uint32_t fixed,
                           gpci_counts *n) {
    uint32_t *const tags = cache->tags, *const states = cache->states;
    uint64_t *const orders = ((gpci_lru_state *)cache->replacement_self)->orders;
    const uint32_t row = fixed ? fixed : cache->row, ways = fixed ? fixed : cache->ways;
    const uint32_t length = b->length;
    uint32_t misses = 0, filled = 0, write_backs = 0;
    bool room = cache->free_ways != 0;
    for (uint32_t i = 0; i < length; i++) {
        uint32_t set = b->sets[i], tag = b->tags[i], store = kinds ? kinds[i] : 0, old = 0, flags = GPC_BATCH_HIT;
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
        if (kinds) /* whatever the kind: which are stores is hard to foretell */
            states[base + way] |= store << GPCI_DIRTY_SHIFT;
        results[i] = (uint8_t)flags;
        b->left[i] = old;
    }
    n->hits += length - misses;
    n->evictions += misses - filled;
    n->write_backs += write_backs;
}

/* A block in ways' order. `until_full`: stops behind the block in which the cache has become full. */
GPCI_INLINE size_t run_lru(gpc_cache *cache, const gpc_batch *batch, size_t first, uint32_t fixed, bool until_full) {
    block b;
    gpci_counts n = {0};
    size_t at = first;
    for (; at < batch->count && !(until_full && !cache->free_ways); at += b.length) {
        resolve(cache, batch, at, &b);
        if (!b.length)
            break;
        uint8_t *results = batch->results ? batch->results + at : b.results;
        if (batch->kinds) {
            lru_block(cache, &b, batch->kinds + at, results, fixed, &n);
            count_stores(batch->kinds + at, results, b.length, &n);
        } else {
            lru_block(cache, &b, NULL, results, fixed, &n);
        }
        if (batch->evicted)
            report_evicted(cache, &b, batch->evicted + at);
    }
    n.accesses = at - first;
    gpci_settle(&cache->stats, &n, !batch->size || batch->size == cache->options.line_bytes);
    return at;
}

#if defined(__AVX512BW__)
#include "cache/batch_ordered.h"
#else
GPCI_INLINE size_t run_ordered(gpc_cache *cache, const gpc_batch *batch, size_t first) {
    (void)cache, (void)batch;
    return first;
}
#endif

/*
 * What the loops under a policy given as a table need: all of it behind one
 * pointer, and the calls' arguments read where they are used, because nothing
 * but a few registers survives the calls.
 */
typedef struct table {
    void *self;
    uint32_t *tags, *states;
    void (*on_hit)(void *, uint32_t, uint32_t, const gpc_request *);
    void (*on_miss)(void *, uint32_t, const gpc_request *);
    uint32_t (*choose_victim)(void *, uint32_t, const uint64_t *, const gpc_request *);
    void (*on_fill)(void *, uint32_t, uint32_t, const gpc_request *);
    gpc_cache *cache;
    /* guarded caches: */
    uint64_t *orders; /* of LRU, which then needs no calls; NULL: another policy */
    void *guard;
    const gpc_predictor_ops *guard_ops;
    uint64_t asked;            /* times that the predictor was */
    uint64_t skipped;          /* reads that it kept from the tags */
    const uint64_t *addresses; /* of the block, as the next four */
    const uint64_t *pcs, *next_uses;
    const uint32_t *warps;
    const uint8_t *kinds; /* NULL where the batch has none */
    bool described;       /* the batch has PCs, warps or next uses */
    bool prepares;        /* a miss has more to do than to choose a victim */
    bool tell_evict;
    gpc_eviction eviction; /* its fields that do not change are set */
    gpc_request request;
    block block;
} table;

/* What the tables of the policies are told before a line leaves. */
GPCI_INLINE void tell_evict(table *t, uint32_t set, uint32_t way, size_t slot) {
    const gpc_cache *cache = t->cache;
    uint32_t dirty = GPCI_DIRTY(t->states[slot]);
    uint64_t line = (uint64_t)cache->high << GPCI_TAG_BITS | (t->tags[slot] & ~GPCI_TAG_VALID);
    t->eviction.line_address = line << cache->line_shift;
    t->eviction.set = set;
    t->eviction.way = way;
    t->eviction.dirty_sectors = (uint8_t)dirty;
    gpci_bytes bytes = dirty && cache->options.line_bytes <= 128 ? gpci_bytes_of(cache, 1) : (gpci_bytes){{0, 0}};
    t->eviction.dirty_bytes[0] = bytes.word[0];
    t->eviction.dirty_bytes[1] = bytes.word[1];
    if (cache->replacement_ops->on_evict)
        cache->replacement_ops->on_evict(t->self, set, way, &t->eviction, &t->request);
    if (cache->predictor_ops->on_evict)
        cache->predictor_ops->on_evict(t->guard, set, way, &t->eviction, &t->request);
}

/* The policy chose no way. False: not by bypassing either, and the general path must report an error. */
static GPCI_NOINLINE bool decline(table *t, uint32_t at, uint32_t way) {
    uint32_t store = t->kinds ? t->kinds[at] : 0;
    t->block.results[at] = (uint8_t)(GPC_BATCH_BYPASSED | store * GPC_BATCH_WRITE_BELOW);
    return way == GPC_WAY_BYPASS;
}

/* A free way of a set, or GPCI_NO_WAY. */
static GPCI_NOINLINE uint32_t claim_free_way(gpc_cache *cache, size_t base) {
    uint32_t way = gpci_match(cache->tags + base, 0, cache->row, 0);
    if (way >= cache->ways)
        return GPCI_NO_WAY;
    cache->free_ways--;
    return way;
}

GPCI_INLINE void touch(table *t, uint32_t set, uint32_t way, bool guarded) {
    if (guarded && t->orders)
        t->orders[set] = gpci_recency_touch(t->orders[set], way);
    else if (t->on_hit)
        t->on_hit(t->self, set, way, &t->request);
    if (guarded && t->guard_ops->on_hit)
        t->guard_ops->on_hit(t->guard, set, way, &t->request);
}

GPCI_INLINE void fill(table *t, uint32_t set, uint32_t way, bool guarded) {
    if (guarded && t->orders)
        t->orders[set] = gpci_recency_touch(t->orders[set], way);
    else if (t->on_fill)
        t->on_fill(t->self, set, way, &t->request);
    if (guarded && t->guard_ops->on_fill)
        t->guard_ops->on_fill(t->guard, set, way, &t->request);
}

/* Is the block's access `at` to bypass, says the predictor? */
static bool guarded_off(table *t, uint32_t at, uint32_t set) {
    gpc_prediction prediction = {GPC_CACHE, 0};
    t->asked++;
    t->guard_ops->predict(t->guard, set, &t->request, &prediction);
    if (prediction.decision != GPC_BYPASS)
        return false;
    decline(t, at, GPC_WAY_BYPASS);
    return true;
}

/* A miss of the block's access `at`. False: the general path must report an error. */
GPCI_INLINE bool table_miss(table *t, uint32_t at, uint32_t set, size_t base, uint32_t ways, bool stores,
                            bool guarded) {
    uint32_t flags = 0, way = GPCI_NO_WAY;
    if (guarded || t->prepares) {
        if (t->on_miss)
            t->on_miss(t->self, set, &t->request);
        if (guarded && (t->request.kind || !t->guard_ops->before_lookup) && guarded_off(t, at, set))
            return true;
        if (GPCI_UNLIKELY(t->cache->free_ways))
            way = claim_free_way(t->cache, base);
    }
    if (way == GPCI_NO_WAY) {
        way = guarded && t->orders ? gpci_recency_last(t->orders[set], ways)
                                   : t->choose_victim(t->self, set, NULL, &t->request);
        if (GPCI_UNLIKELY(way >= ways))
            return decline(t, at, way);
        flags = GPC_BATCH_EVICTED | (t->states[base + way] >> GPCI_DIRTY_SHIFT & 1) * GPC_BATCH_WRITE_BACK;
        t->block.left[at] = t->tags[base + way];
        if (t->tell_evict)
            tell_evict(t, set, way, base + way);
    }
    t->tags[base + way] = t->block.tags[at];
    t->states[base + way] = 1u | (stores ? (uint32_t)t->kinds[at] << GPCI_DIRTY_SHIFT : 0);
    t->block.results[at] = (uint8_t)flags;
    fill(t, set, way, guarded);
    return true;
}

GPCI_INLINE void describe_access(table *t, uint32_t at) {
    t->request.pc = t->pcs[at];
    t->request.warp = t->warps[at];
    t->request.next_use = t->next_uses[at];
}

/*
 * A block whose results are hits where nothing else is written. Returns how many
 * accesses were done: fewer before an error.
 */
GPCI_INLINE uint32_t table_block(table *t, uint32_t fixed, bool stores, bool guarded) {
    const uint32_t length = t->block.length;
    for (uint32_t at = 0; at < length; at++) {
        uint32_t set = t->block.sets[at];
        size_t base = (size_t)set * (fixed ? fixed : t->cache->row);
        t->request.address = t->addresses[at];
        if (stores)
            t->request.kind = t->kinds[at];
        if (t->described)
            describe_access(t, at);
        if (guarded && t->guard_ops->before_lookup && !t->request.kind && guarded_off(t, at, set)) {
            t->skipped++;
            continue;
        }
        uint32_t way = find_in_row(t->tags + base, t->cache->row, t->block.tags[at], (int)fixed);
        if (way == GPCI_NO_WAY) {
            if (GPCI_UNLIKELY(!table_miss(t, at, set, base, fixed ? fixed : t->cache->ways, stores, guarded)))
                return at;
            continue;
        }
        if (stores)
            t->states[base + way] |= (uint32_t)t->kinds[at] << GPCI_DIRTY_SHIFT;
        touch(t, set, way, guarded);
    }
    return length;
}

typedef uint32_t (*block_fn)(table *t);

#define BLOCK_FN(name, ways, stores, guarded)         \
    static GPCI_NOINLINE uint32_t name(table *t) {    \
        return table_block(t, ways, stores, guarded); \
    }
BLOCK_FN(loads_of_4, 4, false, false)
BLOCK_FN(accesses_of_4, 4, true, false)
BLOCK_FN(guarded_of_4, 4, t->kinds, true)
BLOCK_FN(loads_of_16, 16, false, false)
BLOCK_FN(accesses_of_16, 16, true, false)
BLOCK_FN(guarded_of_16, 16, t->kinds, true)
BLOCK_FN(accesses_of_any, 0, t->kinds, false)
BLOCK_FN(guarded_of_any, 0, t->kinds, true)
#undef BLOCK_FN

static block_fn block_fn_for(const gpc_cache *cache, uint32_t fixed, bool stores) {
    if (fixed == 4)
        return cache->guarded ? guarded_of_4 : stores ? accesses_of_4 : loads_of_4;
    if (fixed == 16)
        return cache->guarded ? guarded_of_16 : stores ? accesses_of_16 : loads_of_16;
    return cache->guarded ? guarded_of_any : accesses_of_any;
}

static void count_results(const uint8_t *restrict results, uint32_t length, gpci_counts *n) {
    uint32_t hits = 0, evictions = 0, write_backs = 0, bypasses = 0, store_bypasses = 0;
    for (uint32_t i = 0; i < length; i++) {
        hits += results[i] & 1u;
        evictions += results[i] >> 1 & 1u;
        write_backs += results[i] >> 2 & 1u;
        bypasses += results[i] >> 3 & 1u;
        store_bypasses += results[i] >> 5 & 1u;
    }
    n->hits += hits;
    n->evictions += evictions;
    n->write_backs += write_backs;
    n->bypasses += bypasses;
    n->store_bypasses += store_bypasses;
}

static void open_table(table *t, gpc_cache *cache, const gpc_batch *batch) {
    const gpc_replacement_ops *ops = cache->replacement_ops;
    t->self = cache->replacement_self;
    t->tags = cache->tags;
    t->states = cache->states;
    t->on_hit = ops->on_hit;
    t->on_miss = ops->on_miss;
    t->choose_victim = ops->choose_victim;
    t->on_fill = ops->on_fill;
    t->tell_evict = ops->on_evict || cache->predictor_ops->on_evict;
    t->cache = cache;
    t->orders = cache->lru ? ((gpci_lru_state *)cache->replacement_self)->orders : NULL;
    t->guard = cache->predictor_self;
    t->guard_ops = cache->predictor_ops;
    t->asked = t->skipped = 0;
    t->described = batch->pcs || batch->warps || batch->next_uses;
    t->eviction = (gpc_eviction){.valid_sectors = 1};
    t->request = (gpc_request){.size = batch->size, .sm = batch->sm};
}

static const uint64_t no_words[BLOCK];
static const uint32_t no_warps[BLOCK];

static void aim_table(table *t, const gpc_batch *batch, size_t first) {
    t->addresses = batch->addresses + first;
    t->pcs = batch->pcs ? batch->pcs + first : no_words;
    t->warps = batch->warps ? batch->warps + first : no_warps;
    t->next_uses = batch->next_uses ? batch->next_uses + first : no_words;
    t->kinds = batch->kinds ? batch->kinds + first : NULL;
    t->prepares = t->on_miss || t->cache->free_ways;
    memset(t->block.results, GPC_BATCH_HIT, t->block.length);
    memset(t->block.left, 0, t->block.length * sizeof *t->block.left);
}

static size_t run_table(gpc_cache *cache, const gpc_batch *batch, size_t first, uint32_t fixed) {
    table t;
    gpci_counts n = {0};
    size_t at = first;
    uint32_t length;
    block_fn run = block_fn_for(cache, fixed, batch->kinds);
    open_table(&t, cache, batch);
    do {
        resolve(cache, batch, at, &t.block);
        aim_table(&t, batch, at);
        length = t.block.length;
        t.block.length = run(&t);
        count_results(t.block.results, t.block.length, &n);
        if (t.kinds)
            count_stores(t.kinds, t.block.results, t.block.length, &n);
        if (batch->results)
            memcpy(batch->results + at, t.block.results, t.block.length);
        if (batch->evicted)
            report_evicted(cache, &t.block, batch->evicted + at);
        at += t.block.length;
    } while (at < batch->count && t.block.length && t.block.length == length);
    n.accesses = at - first;
    gpci_settle(&cache->stats, &n, !batch->size || batch->size == cache->options.line_bytes);
    cache->stats.predictions += cache->predicts ? t.asked : 0;
    cache->stats.line_misses -= t.skipped;
    return at;
}

static size_t run_with(gpc_cache *cache, const gpc_batch *batch, size_t first, uint32_t fixed, bool until_full) {
    return fixed == 4    ? run_lru(cache, batch, first, 4, until_full)
           : fixed == 16 ? run_lru(cache, batch, first, 16, until_full)
                         : run_lru(cache, batch, first, 0, until_full);
}

size_t GPCI_BATCH_NAME(gpc_cache *cache, const gpc_batch *batch, size_t first) {
    uint32_t row = cache->row, fixed = row == cache->ways && (row == 4 || row == 16) ? row : 0;
    if (!cache->lru || cache->guarded)
        return run_table(cache, batch, first, fixed);
    first = run_with(cache, batch, first, fixed, true);
    first = run_ordered(cache, batch, first);
    return run_with(cache, batch, first, fixed, false);
}
