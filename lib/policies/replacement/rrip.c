/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/replacement/rrip.h"

/* Word that has bit `bit` of the value of `way`. *shift: place of the bit in the word. */
static uint64_t *place_of(const gpci_rrip *rrip, uint32_t set, uint32_t way, uint32_t bit, unsigned *shift) {
    if (rrip->packed) {
        *shift = bit * rrip->ways + way;
        return &rrip->planes[set];
    }
    *shift = way % 64;
    return &rrip->planes[(size_t)set * rrip->stride + bit * rrip->words + way / 64];
}

void gpci_rrip_put(gpci_rrip *rrip, uint32_t set, uint32_t way, uint32_t value) {
    for (uint32_t bit = 0; bit < rrip->bits; bit++) {
        unsigned shift;
        uint64_t *place = place_of(rrip, set, way, bit, &shift);
        *place = (*place & ~((uint64_t)1 << shift)) | (uint64_t)(value >> bit & 1) << shift;
    }
}

uint32_t gpci_rrip_get(const gpci_rrip *rrip, uint32_t set, uint32_t way) {
    uint32_t value = 0;
    for (uint32_t bit = 0; bit < rrip->bits; bit++) {
        unsigned shift;
        const uint64_t *place = place_of(rrip, set, way, bit, &shift);
        value |= (uint32_t)(*place >> shift & 1) << bit;
    }
    return value;
}

/* Add `years` to the value of every way with a bit in word `word` of the planes. No value exceeds the distant value. */
static void age(uint64_t *planes, uint32_t bits, uint32_t words, uint32_t word, uint32_t years) {
    uint64_t carry = 0;
    for (uint32_t bit = 0; bit < bits; bit++) {
        uint64_t *plane = &planes[bit * words + word];
        uint64_t value = *plane, add = 0 - (uint64_t)(years >> bit & 1);
        *plane = value ^ add ^ carry;
        carry = (value & add) | (carry & (value ^ add));
    }
    for (uint32_t bit = 0; carry && bit < bits; bit++)
        planes[bit * words + word] |= carry;
}

static uint32_t search_word(uint64_t *planes, uint32_t bits, uint64_t candidates) {
    uint32_t short_of = 0;
    for (uint32_t bit = bits; bit-- > 0;) {
        uint64_t with = candidates & planes[bit];
        candidates = with ? with : candidates;
        short_of |= (uint32_t)!with << bit;
    }
    if (short_of)
        age(planes, bits, 1, 0, short_of);
    return gpci_lowest(candidates);
}

static uint32_t search_packed(gpci_rrip *rrip, uint32_t set, const uint64_t *candidates) {
    uint64_t planes[GPCI_RRIP_MAX_BITS], word = rrip->planes[set];
    for (uint32_t bit = 0; bit < rrip->bits; bit++)
        planes[bit] = word >> (bit * rrip->ways) & rrip->all;
    uint32_t way = search_word(planes, rrip->bits, gpci_candidate_word(candidates, 0, rrip->ways));
    word = 0;
    for (uint32_t bit = 0; bit < rrip->bits; bit++)
        word |= (planes[bit] & rrip->all) << (bit * rrip->ways);
    rrip->planes[set] = word;
    return way;
}

uint32_t gpci_rrip_search(gpci_rrip *rrip, uint32_t set, const uint64_t *candidates) {
    if (rrip->packed)
        return search_packed(rrip, set, candidates);
    uint64_t *planes = &rrip->planes[(size_t)set * rrip->stride];
    if (rrip->words == 1)
        return search_word(planes, rrip->bits, gpci_candidate_word(candidates, 0, rrip->ways));
    uint64_t most[GPC_MAX_WAYS / 64];
    for (uint32_t word = 0; word < rrip->words; word++)
        most[word] = gpci_candidate_word(candidates, word, rrip->ways);
    uint32_t short_of = 0;
    for (uint32_t bit = rrip->bits; bit-- > 0;) {
        const uint64_t *plane = &planes[bit * rrip->words];
        uint64_t any = 0;
        for (uint32_t word = 0; word < rrip->words; word++)
            any |= most[word] & plane[word];
        short_of |= (uint32_t)!any << bit;
        for (uint32_t word = 0; any && word < rrip->words; word++)
            most[word] &= plane[word];
    }
    for (uint32_t word = 0; short_of && word < rrip->words; word++)
        age(planes, rrip->bits, rrip->words, word, short_of);
    uint32_t word = 0;
    while (!most[word])
        word++;
    return word * 64 + gpci_lowest(most[word]);
}
