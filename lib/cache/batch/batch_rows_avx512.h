/* SPDX-License-Identifier: BSD-2-Clause */

/* Rows in order of recency (batch_ordered.h) with masked vector shifts, of 4, 8 or 16 ways. */

/*
 * Access a row. `*tag`: tag of the access, with the dirty bit for a store. `*left` receives the old element of the line
 * (hit), or the evicted element (miss). The new element becomes the first. `writes`: elements may be dirty.
 */
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
/* SELECT(a, b, mask): bits in the mask come from `b`, the other bits from `a` */
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

#define LANES _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#define LANE_SHIFTS _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 0, 4, 8, 12, 16, 20, 24, 28)

/* Way at each place of a recency order: element i is the i-th group of four bits. */
GPCI_INLINE __m512i ways_of(uint64_t order) {
    __m512i halves =
        _mm512_inserti64x4(_mm512_set1_epi32((int)(uint32_t)order), _mm256_set1_epi32((int)(uint32_t)(order >> 32)), 1);
    return _mm512_and_si512(_mm512_srlv_epi32(halves, LANE_SHIFTS), _mm512_set1_epi32(15));
}

static void order_rows(const ordered *batch) {
    gpc_cache *cache = batch->cache;
    const uint64_t *orders = ((gpci_lru_state *)cache->replacement_self)->orders;
    const __mmask16 lanes = (__mmask16)(0xffffu >> (16 - cache->ways));
    for (uint32_t set = 0; set < cache->sets; set++) {
        uint32_t *row = cache->tags.words + gpci_slot(cache, set, 0),
                 *states = cache->states + gpci_slot(cache, set, 0);
        __m512i ways = ways_of(orders[set]);
        __m512i tags = _mm512_permutexvar_epi32(ways, _mm512_maskz_loadu_epi32(lanes, row));
        __m512i dirty = _mm512_permutexvar_epi32(ways, _mm512_maskz_loadu_epi32(lanes, states));
        tags = _mm512_sub_epi32(tags, _mm512_set1_epi32((int)(batch->start | GPCI_TAG_VALID)));
        dirty = _mm512_slli_epi32(_mm512_srli_epi32(dirty, GPCI_DIRTY_SHIFT), 31);
        tags = _mm512_or_si512(_mm512_or_si512(tags, dirty), _mm512_slli_epi32(ways, WINDOW_BITS));
        _mm512_mask_storeu_epi32(row, lanes, tags);
    }
}

static void restore_rows(const ordered *batch) {
    gpc_cache *cache = batch->cache;
    uint64_t *orders = ((gpci_lru_state *)cache->replacement_self)->orders;
    const __mmask16 lanes = (__mmask16)(0xffffu >> (16 - cache->ways));
    const uint64_t within = ~(uint64_t)0 >> (64 - 4 * cache->ways);
    for (uint32_t set = 0; set < cache->sets; set++) {
        uint32_t *row = cache->tags.words + gpci_slot(cache, set, 0),
                 *states = cache->states + gpci_slot(cache, set, 0);
        __m512i elements = _mm512_maskz_loadu_epi32(lanes, row);
        __m512i ways = _mm512_and_si512(_mm512_srli_epi32(elements, WINDOW_BITS), _mm512_set1_epi32(15));
        __m512i tags = _mm512_and_si512(elements, _mm512_set1_epi32((int)WINDOW_MASK));
        __m512i dirty = _mm512_slli_epi32(_mm512_srli_epi32(elements, 31), GPCI_DIRTY_SHIFT);
        __m512i places = _mm512_sllv_epi32(ways, LANE_SHIFTS);
        uint64_t low = (uint32_t)_mm512_mask_reduce_or_epi32(lanes & 0xff, places);
        uint64_t high = (uint32_t)_mm512_mask_reduce_or_epi32(lanes & 0xff00, places);
        orders[set] = (orders[set] & ~within) | high << 32 | low;
        tags = _mm512_add_epi32(tags, _mm512_set1_epi32((int)(batch->start | GPCI_TAG_VALID)));
        _mm512_mask_i32scatter_epi32(row, lanes, ways, tags, 4);
        _mm512_mask_i32scatter_epi32(states, lanes, ways, _mm512_or_si512(dirty, _mm512_set1_epi32(1)), 4);
    }
}
