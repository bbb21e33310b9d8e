/* SPDX-License-Identifier: BSD-2-Clause */
#include "bare.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/*
 * A hit at place p moves places 0 to p - 1 down by one and puts the line first; a miss does so with the last place.
 * Masked shifts (AVX-512) take two instructions, permutations (AVX2) one with a table; otherwise a loop does the work.
 * The first two have no branches. Compilers vectorise the loops that resolve blocks of accesses and unpack results.
 */

#define BLOCK 256u
#define VALID 0x80000000u
#define DIRTY 0x40000000u
#define LINE 0x3fffffffu

typedef struct block {
    uint32_t length;
    uint32_t sets[BLOCK], tags[BLOCK]; /* tags as in rows, stores dirty */
    uint32_t elements[BLOCK];          /* last of the row before the access; with stores: the element hit, if any */
    uint16_t hits[BLOCK];              /* not 0: hit; of loads alone, else the element is the tag's */
} block;

typedef void (*bare_fn)(bare_cache *cache, const uint64_t *addresses, const uint8_t *kinds, size_t count,
                        uint8_t *results, uint64_t *evicted);

static inline __attribute__((always_inline)) void resolve(const bare_cache *cache, const uint64_t *addresses,
                                                          const uint8_t *kinds, block *b) {
    const uint32_t sets = cache->sets, mask = sets - 1;
    const uint64_t inverse = (((uint64_t)1 << 40) + sets - 1) / sets; /* exact below 2^30 for fewer than 1024 sets */
    for (uint32_t i = 0; i < b->length; i++)
        b->tags[i] = (uint32_t)(addresses[i] >> 7) | VALID;
    if (sets & mask)
        for (uint32_t i = 0; i < b->length; i++) {
            uint32_t line = b->tags[i] & LINE;
            b->sets[i] = line - (uint32_t)(line * inverse >> 40) * sets;
        }
    else
        for (uint32_t i = 0; i < b->length; i++)
            b->sets[i] = b->tags[i] & mask;
    for (uint32_t i = 0; kinds && i < b->length; i++)
        b->tags[i] |= (uint32_t)kinds[i] << 30;
}

/* 1 = hit, 2 = evicted, 4 = dirty */
static inline __attribute__((always_inline)) void unpack(const block *b, bool stores, uint8_t *restrict results,
                                                         uint64_t *restrict evicted) {
    for (uint32_t i = 0; i < b->length; i++) {
        bool hit = stores ? !((b->elements[i] ^ b->tags[i]) & ~DIRTY) : b->hits[i];
        uint32_t left = hit ? 0 : b->elements[i];
        results[i] = (uint8_t)(hit | left >> 31 << 1 | (left >> 30 & 1) << 2);
    }
    for (uint32_t i = 0; i < b->length; i++) {
        bool hit = stores ? !((b->elements[i] ^ b->tags[i]) & ~DIRTY) : b->hits[i];
        uint64_t left = hit ? 0 : b->elements[i];
        evicted[i] = (left & LINE) << 7 | ((left >> 31) - 1);
    }
}

#define RUN(name, target, ways, load_one, access_one)                                                         \
    target static void name(bare_cache *cache, const uint64_t *addresses, const uint8_t *kinds, size_t count, \
                            uint8_t *results, uint64_t *evicted) {                                            \
        block b;                                                                                              \
        for (size_t at = 0; at < count; at += b.length) {                                                     \
            b.length = count - at < BLOCK ? (uint32_t)(count - at) : BLOCK;                                   \
            resolve(cache, addresses + at, kinds ? kinds + at : NULL, &b);                                    \
            if (kinds)                                                                                        \
                for (uint32_t i = 0; i < b.length; i++)                                                       \
                    access_one(cache->rows + (size_t)b.sets[i] * (ways), &b, i);                              \
            else                                                                                              \
                for (uint32_t i = 0; i < b.length; i++)                                                       \
                    load_one(cache->rows + (size_t)b.sets[i] * (ways), &b, i);                                \
            unpack(&b, kinds, results + at, evicted + at);                                                    \
        }                                                                                                     \
    }

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#define AVX512 __attribute__((target("avx2,bmi,bmi2,avx512f,avx512bw,avx512vl,prefer-vector-width=256")))
#define AVX2 __attribute__((target("avx2,bmi,bmi2")))

#define AVX512_ONE(name, vector, ways, load, store, set1, equal, same, shift)                 \
    AVX512 static inline void name##_load(uint32_t *row, block *b, uint32_t i) {              \
        const vector old = load(row), tag = set1((int)b->tags[i]);                            \
        const uint32_t found = equal(old, tag);                                               \
        b->elements[i] = row[(ways)-1];                                                       \
        b->hits[i] = (uint16_t)found;                                                         \
        store(row, shift(old, found ^ (found - 1), tag));                                     \
    }                                                                                         \
    AVX512 static inline void name##_access(uint32_t *row, block *b, uint32_t i) {            \
        const vector old = load(row), tag = set1((int)b->tags[i]);                            \
        const uint32_t found = same(old, tag, set1((int)~DIRTY));                             \
        const uint32_t element = row[__builtin_ctz(found | 1u << ((ways)-1))];                \
        b->elements[i] = element;                                                             \
        const vector first = set1((int)(b->tags[i] | (element & (0u - found) >> 1 & DIRTY))); \
        store(row, shift(old, found ^ (found - 1), first));                                   \
    }
#define LOAD4(row) _mm_load_si128((const __m128i *)(const void *)(row))
#define STORE4(row, value) _mm_store_si128((__m128i *)(void *)(row), value)
#define SAME4(old, tag, mask) _mm_testn_epi32_mask(_mm_xor_si128(old, tag), mask)
#define SAME16(old, tag, mask) _mm512_testn_epi32_mask(_mm512_xor_si512(old, tag), mask)
#define SHIFT4(old, places, first) _mm_mask_alignr_epi32(old, (__mmask8)(places), old, first, 3)
#define SHIFT16(old, places, first) _mm512_mask_alignr_epi32(old, (__mmask16)(places), old, first, 15)
AVX512_ONE(avx512_4, __m128i, 4, LOAD4, STORE4, _mm_set1_epi32, _mm_cmpeq_epi32_mask, SAME4, SHIFT4)
AVX512_ONE(avx512_16, __m512i, 16, _mm512_load_si512, _mm512_store_si512, _mm512_set1_epi32, _mm512_cmpeq_epi32_mask,
           SAME16, SHIFT16)
RUN(run_avx512_4, AVX512, 4, avx512_4_load, avx512_4_access)
RUN(run_avx512_16, AVX512, 16, avx512_16_load, avx512_16_access)

/* Row places 0..7 after an access to place p, as places before the access; also for 8..15, with 8 for place 7. */
static const uint32_t down[8][8] = {{0, 1, 2, 3, 4, 5, 6, 7}, {0, 0, 2, 3, 4, 5, 6, 7}, {0, 0, 1, 3, 4, 5, 6, 7},
                                    {0, 0, 1, 2, 4, 5, 6, 7}, {0, 0, 1, 2, 3, 5, 6, 7}, {0, 0, 1, 2, 3, 4, 6, 7},
                                    {0, 0, 1, 2, 3, 4, 5, 7}, {0, 0, 1, 2, 3, 4, 5, 6}};

AVX2 static inline uint32_t avx2_find8(const uint32_t *row, __m256i tag) {
    __m256i old = _mm256_load_si256((const __m256i *)(const void *)row);
    __m256i same = _mm256_cmpeq_epi32(_mm256_andnot_si256(_mm256_set1_epi32((int)DIRTY), old), tag);
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(same));
}

/* Places 0 to p of eight. */
AVX2 static inline void avx2_shift8(uint32_t *row, uint32_t place, uint32_t first) {
    __m256i *at = (__m256i *)(void *)row;
    __m256i order = _mm256_loadu_si256((const __m256i *)(const void *)down[place]);
    __m256i moved = _mm256_permutevar8x32_epi32(_mm256_load_si256(at), order);
    _mm256_store_si256(at, _mm256_blend_epi32(moved, _mm256_castsi128_si256(_mm_cvtsi32_si128((int)first)), 1));
}

AVX2 static inline void avx2_16_access(uint32_t *row, block *b, uint32_t i) {
    const uint32_t tag = b->tags[i];
    const __m256i wanted = _mm256_set1_epi32((int)(tag & ~DIRTY));
    const uint32_t found = avx2_find8(row, wanted) | avx2_find8(row + 8, wanted) << 8;
    const uint32_t place = (uint32_t)__builtin_ctz(found | 1u << 15), element = row[place];
    const uint32_t first = tag | (element & (0u - found) >> 1 & DIRTY);
    const uint32_t far = 0u - (place >> 3), seventh = row[7];
    b->elements[i] = element;
    b->hits[i] = (uint16_t)found;
    avx2_shift8(row + 8, place & far & 7, (seventh & far) | (row[8] & ~far));
    avx2_shift8(row, (place | far) & 7, first);
}

AVX2 static inline void avx2_4_access(uint32_t *row, block *b, uint32_t i) {
    static const uint8_t moves[4][16] = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
                                         {0, 0, 0, 0, 0, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15},
                                         {0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 12, 13, 14, 15},
                                         {0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}};
    const uint32_t tag = b->tags[i];
    const __m128i old = LOAD4(row), wanted = _mm_set1_epi32((int)(tag & ~DIRTY));
    const __m128i same = _mm_cmpeq_epi32(_mm_andnot_si128(_mm_set1_epi32((int)DIRTY), old), wanted);
    const uint32_t found = (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(same));
    const uint32_t place = (uint32_t)__builtin_ctz(found | 8u), element = row[place];
    const uint32_t first = tag | (element & (0u - found) >> 1 & DIRTY);
    b->elements[i] = element;
    b->hits[i] = (uint16_t)found;
    const __m128i moved = _mm_shuffle_epi8(old, _mm_loadu_si128((const __m128i *)(const void *)moves[place]));
    STORE4(row, _mm_blend_epi32(moved, _mm_cvtsi32_si128((int)first), 1));
}
RUN(run_avx2_4, AVX2, 4, avx2_4_access, avx2_4_access)
RUN(run_avx2_16, AVX2, 16, avx2_16_access, avx2_16_access)

static int supported(void) {
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        return 2;
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
}
#else
static int supported(void) {
    return 0;
}
#endif

static int limit = 2;

void bare_limit(const char *simd) {
    limit = !simd || !strcmp(simd, "avx512") ? 2 : !strcmp(simd, "avx2");
}

static int level(void) {
    return supported() < limit ? supported() : limit;
}

static inline void any_access(uint32_t *row, uint32_t ways, block *b, uint32_t i) {
    uint32_t tag = b->tags[i], place = 0;
    while (place < ways - 1 && (row[place] ^ tag) & ~DIRTY)
        place++;
    b->elements[i] = row[place];
    b->hits[i] = !((row[place] ^ tag) & ~DIRTY);
    tag |= b->hits[i] ? row[place] & DIRTY : 0;
    for (; place; place--)
        row[place] = row[place - 1];
    row[0] = tag;
}

static inline void any_4(uint32_t *row, block *b, uint32_t i) {
    any_access(row, 4, b, i);
}

static inline void any_16(uint32_t *row, block *b, uint32_t i) {
    any_access(row, 16, b, i);
}
RUN(run_any_4, , 4, any_4, any_4)
RUN(run_any_16, , 16, any_16, any_16)

int bare_create(bare_cache *cache, uint32_t sets, uint32_t ways) {
    size_t bytes = (size_t)sets * ways * sizeof *cache->rows;
    *cache = (bare_cache){.rows = aligned_alloc(64, (bytes + 63) & ~(size_t)63), .sets = sets, .ways = ways};
    if (cache->rows)
        memset(cache->rows, 0, bytes);
    return cache->rows != NULL;
}

void bare_destroy(bare_cache *cache) {
    free(cache->rows);
}

const char *bare_simd(void) {
    static const char *const names[] = {"none", "avx2", "avx512"};
    return names[level()];
}

void bare_access_many(bare_cache *cache, const uint64_t *addresses, const uint8_t *kinds, size_t count,
                      uint8_t *results, uint64_t *evicted) {
    bare_fn run = cache->ways == 4 ? run_any_4 : run_any_16;
#if defined(__x86_64__) && defined(__GNUC__)
    if (level() == 2)
        run = cache->ways == 4 ? run_avx512_4 : run_avx512_16;
    else if (level() == 1)
        run = cache->ways == 4 ? run_avx2_4 : run_avx2_16;
#endif
    run(cache, addresses, kinds, count, results, evicted);
}
