/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_CACHE_TAG_STORE_H
#define GPC_CACHE_TAG_STORE_H

#include "cache/line_places.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/*
 * Tags of a cache, and of a coherent module (coherence/module/module.h): the line number of each way of each set, or
 * none. A set's tags are a row. A slot is the place of a tag: set * row + way.
 *
 * A tag is 32 bits: bit 31 = valid, bits 30..0 = the low bits of the line number; 0 = no line. The accesses of most
 * programs lie in one aligned region of 2^31 lines (256 GiB of 128-byte lines). Therefore the upper bits of line
 * numbers are compared only after lines of a second region have been seen (`wide`). A module's tags are wide from the
 * start, because modules with equal lines must have equal bytes of memory.
 *
 * Tags are compared four at a time. Rows of a cache are padded to a multiple of four tags. In a module a slot is also a
 * block's number, and rows are not padded: a comparison may read three words behind a row.
 */
#define GPCI_TAG_BITS 31u
#define GPCI_TAG_VALID 0x80000000u
#define GPCI_NO_WAY UINT32_MAX

typedef struct gpci_tags {
    uint32_t *words;     /* [sets][row] tags */
    uint32_t *highs;     /* [sets][row], upper bits of line numbers; used only if `wide` */
    gpci_places *places; /* hash table of the lines, for a hierarchy's cache with many ways; NULL: none */
    uint32_t row;        /* tags of a row: the number of ways, padded in a cache */
    uint32_t high;       /* not `wide`: upper bits of the numbers of all lines */
    bool started;        /* `high` is set: a line has been filled */
    bool wide;           /* lines with different upper bits have been seen */
} gpci_tags;

GPCI_INLINE uint32_t gpci_tag(uint64_t line) {
    return (uint32_t)line | GPCI_TAG_VALID;
}

GPCI_INLINE size_t gpci_tags_slot(const gpci_tags *tags, uint32_t set, uint32_t way) {
    return (size_t)set * tags->row + way;
}

/* Line number in a slot of wide tags; 0 without a line. */
GPCI_INLINE uint64_t gpci_wide_line_at(const gpci_tags *tags, size_t slot) {
    return (uint64_t)tags->highs[slot] << GPCI_TAG_BITS | (tags->words[slot] & ~GPCI_TAG_VALID);
}

/* Write a slot of wide tags. `valid`: the slot has the line `line`. Not `valid`: the slot is empty, and `line` is 0. */
GPCI_INLINE void gpci_wide_put(gpci_tags *tags, size_t slot, uint64_t line, bool valid) {
    tags->words[slot] = valid ? gpci_tag(line) : 0;
    tags->highs[slot] = (uint32_t)(line >> GPCI_TAG_BITS);
}

/* Line number in a slot; the low bits are 0 without a line. */
GPCI_INLINE uint64_t gpci_line_at(const gpci_tags *tags, size_t slot) {
    return tags->wide ? gpci_wide_line_at(tags, slot)
                      : (uint64_t)tags->high << GPCI_TAG_BITS | (tags->words[slot] & ~GPCI_TAG_VALID);
}

/*
 * First way with the tag, from way `from` on. A result of `end` or more: no way below `end` has the tag. `padded`: the
 * row is padded to a multiple of four tags; callers pass a constant.
 */
GPCI_INLINE uint32_t gpci_match(const uint32_t *row, uint32_t from, uint32_t end, uint32_t tag, bool padded) {
#if defined(__SSE2__)
    const __m128i wanted = _mm_set1_epi32((int)tag);
    for (uint32_t way = padded ? from & ~3u : from; way < end; way += 4) {
        const __m128i *place = (const __m128i *)(const void *)(row + way);
        const __m128i four = padded ? _mm_load_si128(place) : _mm_loadu_si128(place);
        unsigned mask = (unsigned)_mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32(four, wanted)));
        if (padded && way < from)
            mask &= 0xfu << (from - way);
        if (mask)
            return way + gpci_lowest(mask);
    }
#else
    (void)padded;
    for (uint32_t way = from; way < end; way++)
        if (row[way] == tag)
            return way;
#endif
    return GPCI_NO_WAY;
}

/* gpci_find for wide tags: way of a line among the `ways` slots from `base` on; GPCI_NO_WAY: absent. */
GPCI_INLINE uint32_t gpci_find_wide(const gpci_tags *tags, size_t base, uint32_t ways, uint64_t line, bool padded) {
    const uint32_t *row = tags->words + base, tag = gpci_tag(line), high = (uint32_t)(line >> GPCI_TAG_BITS);
    for (uint32_t way = gpci_match(row, 0, ways, tag, padded); way < ways;
         way = gpci_match(row, way + 1, ways, tag, padded))
        if (GPCI_LIKELY(tags->highs[base + way] == high))
            return way;
    return GPCI_NO_WAY;
}

/* gpci_find with the table tags->places. */
GPCI_INLINE uint32_t gpci_find_place(const gpci_tags *tags, uint32_t set, uint64_t line) {
    const gpci_places *places = tags->places;
    const uint32_t tag = gpci_tag(line), high = (uint32_t)(line >> GPCI_TAG_BITS), hash = gpci_places_hash(line);
    const size_t base = gpci_tags_slot(tags, set, 0);
    for (uint32_t at = hash >> places->home, entry; (entry = places->table[at]); at = (at + 1) & places->mask) {
        /* an entry of another set gives a way beyond the row */
        const size_t slot = (entry & places->slot) - (size_t)1, way = slot - base;
        if (!((entry ^ hash) & ~places->slot) && way < tags->row && tags->words[slot] == tag &&
            (!tags->wide || tags->highs[slot] == high))
            return (uint32_t)way;
    }
    return GPCI_NO_WAY;
}

/* Way of a line in its set of a cache (rows are padded); GPCI_NO_WAY: absent. */
GPCI_INLINE uint32_t gpci_find(const gpci_tags *tags, uint32_t set, uint64_t line) {
    const uint32_t high = (uint32_t)(line >> GPCI_TAG_BITS);
    if (tags->places)
        return tags->wide || high == tags->high ? gpci_find_place(tags, set, line) : GPCI_NO_WAY;
    const size_t base = gpci_tags_slot(tags, set, 0);
    if (tags->wide)
        return gpci_find_wide(tags, base, tags->row, line, true);
    return high == tags->high ? gpci_match(tags->words + base, 0, tags->row, gpci_tag(line), true) : GPCI_NO_WAY;
}

/* Put a line into a free slot of a cache, after gpci_admit_high; remove the line of a slot. */
GPCI_INLINE void gpci_tags_put(gpci_tags *tags, size_t slot, uint64_t line) {
    tags->words[slot] = gpci_tag(line);
    if (tags->wide)
        tags->highs[slot] = (uint32_t)(line >> GPCI_TAG_BITS);
    if (tags->places)
        gpci_places_add(tags->places, line, (uint32_t)(slot / tags->row), slot % tags->row, slot);
}

GPCI_INLINE void gpci_tags_remove(gpci_tags *tags, size_t slot) {
    if (tags->places)
        gpci_places_remove(tags->places, gpci_line_at(tags, slot), (uint32_t)(slot / tags->row), slot % tags->row,
                           slot);
    tags->words[slot] = 0;
}

#endif
