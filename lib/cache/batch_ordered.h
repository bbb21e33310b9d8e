/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * LRU without order words, part of the plain loop where masked vector shifts exist (AVX-512), for full caches of 4, 8
 * or 16 ways. While it runs, the tags of a set lie in order of recency, and each carries its way and dirty bit:
 *
 *   bit 31 dirty | 30..27 way | 26..0 line number, less that at which the window of 2^27 lines begins
 *
 * So an access is one compare, one load and one masked shift, a hit or a miss, without a branch:
 *   hit at place p    places 0..p-1 move down by one, the line at p comes first
 *   miss              the same with p = the last place, whose line leaves; its way goes to the new one
 * Tags, states and orders are as they were before and after. Example, 4 ways, lines A to D in ways 0 to 3, D the most
 * recent: row D3 C2 B1 A0; B: B1 D3 C2 A0; E: E0 B1 D3 C2, and A has left way 0.
 */

#define WINDOW_BITS 27u
#define WINDOW_MASK 0x07ffffffu
#define WAY_MASK 0x78000000u
#define DIRTY_BIT 0x80000000u

/* The element that was found, or that leaves; first in the row is the access's now. `writes`: there are dirty bits. */
#define TAKE(name, vector, places, load, store, set1, same, select, shift)                     \
    GPCI_INLINE void name(uint32_t *row, const uint32_t *tag, uint32_t *left, bool writes) {   \
        const vector old = load(row), wanted = set1((int)*tag), mask = set1((int)WINDOW_MASK); \
        const uint32_t found = same(old, wanted, mask);                                        \
        const uint32_t *element = row + gpci_lowest(found | 1u << ((places)-1));               \
        const uint32_t kept = WAY_MASK | ((0u - found) & DIRTY_BIT);                           \
        vector first = set1((int)(writes ? *tag | (*element & kept) : *element));              \
        *left = *element;                                                                      \
        if (!writes)                                                                           \
            first = select(first, wanted, mask);                                               \
        store(row, shift(old, found ^ (found - 1), first));                                    \
    }
#define SAME(bits, old, wanted, mask) _mm##bits##_testn_epi32_mask(_mm##bits##_xor_si##bits(old, wanted), mask)
#define SAME4(old, wanted, mask) _mm_testn_epi32_mask(_mm_xor_si128(old, wanted), mask)
#define SAME8(old, wanted, mask) SAME(256, old, wanted, mask)
#define SAME16(old, wanted, mask) SAME(512, old, wanted, mask)
/* bits of the mask from `b`, others from `a` */
#define SELECT4(a, b, mask) _mm_ternarylogic_epi32(a, b, mask, 0xd8)
#define SELECT8(a, b, mask) _mm256_ternarylogic_epi32(a, b, mask, 0xd8)
#define SELECT16(a, b, mask) _mm512_ternarylogic_epi32(a, b, mask, 0xd8)
#define SHIFT4(old, places, first) _mm_mask_alignr_epi32(old, (__mmask8)(places), old, first, 3)
#define SHIFT8(old, places, first) _mm256_mask_alignr_epi32(old, (__mmask8)(places), old, first, 7)
#define SHIFT16(old, places, first) _mm512_mask_alignr_epi32(old, (__mmask16)(places), old, first, 15)
#define LOAD4(row) _mm_load_si128((const __m128i *)(const void *)(row))
#define LOAD8(row) _mm256_load_si256((const __m256i *)(const void *)(row))
#define STORE4(row, value) _mm_store_si128((__m128i *)(void *)(row), value)
#define STORE8(row, value) _mm256_store_si256((__m256i *)(void *)(row), value)
TAKE(take4, __m128i, 4, LOAD4, STORE4, _mm_set1_epi32, SAME4, SELECT4, SHIFT4)
TAKE(take8, __m256i, 8, LOAD8, STORE8, _mm256_set1_epi32, SAME8, SELECT8, SHIFT8)
TAKE(take16, __m512i, 16, _mm512_load_si512, _mm512_store_si512, _mm512_set1_epi32, SAME16, SELECT16, SHIFT16)

GPCI_INLINE void take_all(uint32_t *rows, block *b, uint32_t ways, bool writes) {
    const uint32_t length = b->length;
    for (uint32_t i = 0; i < length; i++) {
        uint32_t *row = rows + (size_t)b->sets[i] * ways;
        if (ways == 4)
            take4(row, &b->tags[i], &b->left[i], writes);
        else if (ways == 8)
            take8(row, &b->tags[i], &b->left[i], writes);
        else
            take16(row, &b->tags[i], &b->left[i], writes);
    }
}

/* A cache whose rows are ordered. */
typedef struct ordered {
    gpc_cache *cache;
    uint32_t start; /* of the window, low bits of its first line number */
    bool writes;    /* there are dirty bits, or will be */
} ordered;

/* Do all lines lie in the window, and is nothing known of them but whether they are dirty? */
static bool may_order(ordered *o) {
    const gpc_cache *cache = o->cache;
    const size_t slots = (size_t)cache->sets * cache->row;
    uint32_t other = 0, outside = 0, dirty = 0;
    for (size_t slot = 0; slot < slots; slot++) {
        uint32_t state = cache->states[slot], at = (cache->tags[slot] & ~GPCI_TAG_VALID) - o->start;
        other |= state ^ 1u;
        dirty |= state;
        outside |= at >> WINDOW_BITS;
    }
    o->writes |= dirty >> GPCI_DIRTY_SHIFT & 1;
    return !(outside | (other & ~(1u << GPCI_DIRTY_SHIFT)));
}

#define LANES _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#define LANE_SHIFTS _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 0, 4, 8, 12, 16, 20, 24, 28)

/* Of each place of an order the way. */
GPCI_INLINE __m512i ways_of(uint64_t order) {
    __m512i halves =
        _mm512_inserti64x4(_mm512_set1_epi32((int)(uint32_t)order), _mm256_set1_epi32((int)(uint32_t)(order >> 32)), 1);
    return _mm512_and_si512(_mm512_srlv_epi32(halves, LANE_SHIFTS), _mm512_set1_epi32(15));
}

static void order_rows(const ordered *o) {
    gpc_cache *cache = o->cache;
    const uint64_t *orders = ((gpci_lru_state *)cache->replacement_self)->orders;
    const __mmask16 lanes = (__mmask16)(0xffffu >> (16 - cache->ways));
    for (uint32_t set = 0; set < cache->sets; set++) {
        uint32_t *row = cache->tags + gpci_slot(cache, set, 0), *states = cache->states + gpci_slot(cache, set, 0);
        __m512i ways = ways_of(orders[set]);
        __m512i tags = _mm512_permutexvar_epi32(ways, _mm512_maskz_loadu_epi32(lanes, row));
        __m512i dirty = _mm512_permutexvar_epi32(ways, _mm512_maskz_loadu_epi32(lanes, states));
        tags = _mm512_sub_epi32(tags, _mm512_set1_epi32((int)(o->start | GPCI_TAG_VALID)));
        dirty = _mm512_slli_epi32(_mm512_srli_epi32(dirty, GPCI_DIRTY_SHIFT), 31);
        tags = _mm512_or_si512(_mm512_or_si512(tags, dirty), _mm512_slli_epi32(ways, WINDOW_BITS));
        _mm512_mask_storeu_epi32(row, lanes, tags);
    }
}

static void restore_rows(const ordered *o) {
    gpc_cache *cache = o->cache;
    uint64_t *orders = ((gpci_lru_state *)cache->replacement_self)->orders;
    const __mmask16 lanes = (__mmask16)(0xffffu >> (16 - cache->ways));
    const uint64_t within = ~(uint64_t)0 >> (64 - 4 * cache->ways);
    for (uint32_t set = 0; set < cache->sets; set++) {
        uint32_t *row = cache->tags + gpci_slot(cache, set, 0), *states = cache->states + gpci_slot(cache, set, 0);
        __m512i elements = _mm512_maskz_loadu_epi32(lanes, row);
        __m512i ways = _mm512_and_si512(_mm512_srli_epi32(elements, WINDOW_BITS), _mm512_set1_epi32(15));
        __m512i tags = _mm512_and_si512(elements, _mm512_set1_epi32((int)WINDOW_MASK));
        __m512i dirty = _mm512_slli_epi32(_mm512_srli_epi32(elements, 31), GPCI_DIRTY_SHIFT);
        __m512i places = _mm512_sllv_epi32(ways, LANE_SHIFTS);
        uint64_t low = (uint32_t)_mm512_mask_reduce_or_epi32(lanes & 0xff, places);
        uint64_t high = (uint32_t)_mm512_mask_reduce_or_epi32(lanes & 0xff00, places);
        orders[set] = (orders[set] & ~within) | high << 32 | low;
        tags = _mm512_add_epi32(tags, _mm512_set1_epi32((int)(o->start | GPCI_TAG_VALID)));
        _mm512_mask_i32scatter_epi32(row, lanes, ways, tags, 4);
        _mm512_mask_i32scatter_epi32(states, lanes, ways, _mm512_or_si512(dirty, _mm512_set1_epi32(1)), 4);
    }
}

/* Tags as in rows, stores marked. False: a line beyond the window. */
static bool aim_window(const ordered *o, block *b, const uint8_t *kinds) {
    uint32_t outside = 0;
    for (uint32_t i = 0; i < b->length; i++) {
        b->tags[i] = (b->tags[i] & ~GPCI_TAG_VALID) - o->start;
        outside |= b->tags[i] >> WINDOW_BITS;
    }
    for (uint32_t i = 0; kinds && i < b->length; i++)
        b->tags[i] |= (uint32_t)kinds[i] << 31;
    return !outside;
}

/* What became of a block: of hits the element is that of the tag. */
static void report_ordered(const block *b, uint8_t *restrict results, gpci_counts *n) {
    uint32_t hits = 0, write_backs = 0;
    for (uint32_t i = 0; i < b->length; i++) {
        uint32_t hit = !((b->left[i] ^ b->tags[i]) & WINDOW_MASK), dirty = b->left[i] >> 31 & (hit ^ 1);
        results[i] = (uint8_t)((GPC_BATCH_EVICTED ^ (hit * (GPC_BATCH_EVICTED | GPC_BATCH_HIT))) | dirty << 2);
        hits += hit;
        write_backs += dirty;
    }
    n->hits += hits;
    n->evictions += b->length - hits;
    n->write_backs += write_backs;
}

static void report_left(const ordered *o, const block *b, uint64_t *restrict evicted) {
    const uint64_t region = (uint64_t)o->cache->high << GPCI_TAG_BITS;
    const unsigned shift = o->cache->line_shift;
    for (uint32_t i = 0; i < b->length; i++) {
        uint64_t line = (b->left[i] & WINDOW_MASK) + o->start;
        bool hit = !((b->left[i] ^ b->tags[i]) & WINDOW_MASK);
        evicted[i] = (region | line) << shift | (0 - (uint64_t)hit);
    }
}

GPCI_INLINE size_t run_rows(const ordered *o, const gpc_batch *batch, size_t first, uint32_t ways, gpci_counts *n) {
    block b;
    size_t at = first;
    for (; at < batch->count; at += b.length) {
        const uint8_t *kinds = batch->kinds ? batch->kinds + at : NULL;
        uint8_t *results = batch->results ? batch->results + at : b.results;
        resolve(o->cache, batch, at, &b);
        if (!b.length || !aim_window(o, &b, kinds))
            break;
        if (o->writes)
            take_all(o->cache->tags, &b, ways, true);
        else
            take_all(o->cache->tags, &b, ways, false);
        report_ordered(&b, results, n);
        if (kinds)
            count_stores(kinds, results, b.length, n);
        if (batch->evicted)
            report_left(o, &b, batch->evicted + at);
    }
    return at;
}

/* As run_lru, of the accesses from `first` on; none where the cache cannot be ordered or there are too few to pay. */
static size_t run_ordered(gpc_cache *cache, const gpc_batch *batch, size_t first) {
    const uint32_t half = 1u << (WINDOW_BITS - 1), ways = cache->ways;
    if (cache->free_ways || cache->row != ways || (ways != 4 && ways != 8 && ways != 16) ||
        (batch->count - first) / 8 < cache->sets)
        return first;
    uint32_t line = (uint32_t)(batch->addresses[first] >> cache->line_shift) & ~GPCI_TAG_VALID;
    ordered o = {.cache = cache, .start = line < half ? 0 : line - half, .writes = batch->kinds};
    if (!may_order(&o))
        return first;
    gpci_counts n = {0};
    order_rows(&o);
    size_t at = ways == 4   ? run_rows(&o, batch, first, 4, &n)
                : ways == 8 ? run_rows(&o, batch, first, 8, &n)
                            : run_rows(&o, batch, first, 16, &n);
    restore_rows(&o);
    n.accesses = at - first;
    gpci_settle(&cache->stats, &n, !batch->size || batch->size == cache->options.line_bytes);
    return at;
}
