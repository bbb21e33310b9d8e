/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Rows in order of recency (batch_ordered.h) for AVX2, of 4 or 8 ways: a permutation from a table replaces the masked
 * shift. Rows of 16 ways take two vectors, and are no faster than order words.
 */

/*
 * Permutations for an access to the element at place p: entry i of down4[p] (counted in elements of 4 bytes) or
 * down8[p] is the old place of the element that moves to place i. Place 0 is overwritten afterwards.
 */
#define WORD_AT(p) (4 * (p)), (4 * (p) + 1), (4 * (p) + 2), (4 * (p) + 3)
static const uint8_t down4[4][16] = {{WORD_AT(0), WORD_AT(1), WORD_AT(2), WORD_AT(3)},
                                     {WORD_AT(0), WORD_AT(0), WORD_AT(2), WORD_AT(3)},
                                     {WORD_AT(0), WORD_AT(0), WORD_AT(1), WORD_AT(3)},
                                     {WORD_AT(0), WORD_AT(0), WORD_AT(1), WORD_AT(2)}};
static const uint32_t down8[8][8] = {{0, 1, 2, 3, 4, 5, 6, 7}, {0, 0, 2, 3, 4, 5, 6, 7}, {0, 0, 1, 3, 4, 5, 6, 7},
                                     {0, 0, 1, 2, 4, 5, 6, 7}, {0, 0, 1, 2, 3, 5, 6, 7}, {0, 0, 1, 2, 3, 4, 6, 7},
                                     {0, 0, 1, 2, 3, 4, 5, 7}, {0, 0, 1, 2, 3, 4, 5, 6}};

/* New first element: the tag of the access, and the way of the found (or the evicted) element; a hit keeps dirty. */
GPCI_INLINE uint32_t first_of(uint32_t element, uint32_t tag, uint32_t found, bool writes) {
    const uint32_t kept = WAY_MASK | (writes ? (0u - (found != 0)) & DIRTY_BIT : 0);
    return tag | (element & kept);
}

/*
 * Access a row of 4 ways. `*tag`: tag of the access, with the dirty bit for a store. `*left` receives the old element
 * of the line (hit), or the evicted element (miss). The new element becomes the first. `writes`: elements may be dirty.
 */
GPCI_INLINE void take4(uint32_t *row, const uint32_t *tag, uint32_t *left, bool writes) {
    __m128i *const at = (__m128i *)(void *)row;
    const __m128i old = _mm_load_si128(at), other = _mm_xor_si128(old, _mm_set1_epi32((int)*tag));
    const __m128i same = _mm_cmpeq_epi32(_mm_and_si128(other, _mm_set1_epi32((int)WINDOW_MASK)), _mm_setzero_si128());
    const uint32_t found = (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(same)), place = gpci_lowest(found | 8u);
    const uint32_t element = row[place], first = first_of(element, *tag, found, writes);
    const __m128i order = _mm_loadu_si128((const __m128i *)(const void *)down4[place]);
    *left = element;
    _mm_store_si128(at, _mm_blend_epi32(_mm_shuffle_epi8(old, order), _mm_cvtsi32_si128((int)first), 1));
}

GPCI_INLINE void take8(uint32_t *row, const uint32_t *tag, uint32_t *left, bool writes) {
    __m256i *const at = (__m256i *)(void *)row;
    const __m256i old = _mm256_load_si256(at), other = _mm256_xor_si256(old, _mm256_set1_epi32((int)*tag));
    const __m256i same =
        _mm256_cmpeq_epi32(_mm256_and_si256(other, _mm256_set1_epi32((int)WINDOW_MASK)), _mm256_setzero_si256());
    const uint32_t found = (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(same)), place = gpci_lowest(found | 128u);
    const uint32_t element = row[place], first = first_of(element, *tag, found, writes);
    const __m256i order = _mm256_loadu_si256((const __m256i *)(const void *)down8[place]);
    const __m256i moved = _mm256_permutevar8x32_epi32(old, order);
    *left = element;
    _mm256_store_si256(at, _mm256_blend_epi32(moved, _mm256_castsi128_si256(_mm_cvtsi32_si128((int)first)), 1));
}

GPCI_INLINE void take16(uint32_t *row, const uint32_t *tag, uint32_t *left, bool writes) {
    (void)row, (void)tag, (void)left, (void)writes; /* never called: MOST_ORDERED_WAYS is 8 */
}

static void order_rows(const ordered *batch) {
    const gpc_cache *cache = batch->cache;
    const uint64_t *orders = ((gpci_lru_state *)cache->replacement_self)->orders;
    for (uint32_t set = 0; set < cache->sets; set++) {
        uint32_t *row = cache->tags.words + gpci_slot(cache, set, 0),
                 *states = cache->states + gpci_slot(cache, set, 0);
        uint32_t tags[8];
        memcpy(tags, row, cache->ways * sizeof *tags);
        for (uint32_t place = 0; place < cache->ways; place++) {
            const uint32_t way = orders[set] >> 4 * place & 15, dirty = states[way] >> GPCI_DIRTY_SHIFT;
            row[place] = (tags[way] - (batch->start | GPCI_TAG_VALID)) | way << WINDOW_BITS | dirty << 31;
        }
    }
}

static void restore_rows(const ordered *batch) {
    const gpc_cache *cache = batch->cache;
    uint64_t *orders = ((gpci_lru_state *)cache->replacement_self)->orders;
    const uint64_t within = ~(uint64_t)0 >> (64 - 4 * cache->ways);
    for (uint32_t set = 0; set < cache->sets; set++) {
        uint32_t *row = cache->tags.words + gpci_slot(cache, set, 0),
                 *states = cache->states + gpci_slot(cache, set, 0);
        uint32_t elements[8];
        uint64_t order = 0;
        memcpy(elements, row, cache->ways * sizeof *elements);
        for (uint32_t place = 0; place < cache->ways; place++) {
            const uint32_t element = elements[place], way = element >> WINDOW_BITS & 15;
            row[way] = (element & WINDOW_MASK) + (batch->start | GPCI_TAG_VALID);
            states[way] = 1u | element >> 31 << GPCI_DIRTY_SHIFT;
            order |= (uint64_t)way << 4 * place;
        }
        orders[set] = (orders[set] & ~within) | order;
    }
}
