/* SPDX-License-Identifier: BSD-2-Clause */
#include "policy/rrip.h"

/* Add `years` to every value of word `word`, stopping at the distant one. */
static void age(gpci_rrip *rrip, uint64_t *planes, uint32_t word, uint32_t years) {
    uint64_t carry = 0;
    for (uint32_t bit = 0; bit < rrip->bits; bit++) {
        uint64_t *plane = &planes[bit * rrip->words + word];
        uint64_t value = *plane, add = 0 - (uint64_t)(years >> bit & 1);
        *plane = value ^ add ^ carry;
        carry = (value & add) | (carry & (value ^ add));
    }
    for (uint32_t bit = 0; carry && bit < rrip->bits; bit++)
        planes[bit * rrip->words + word] |= carry;
}

static uint32_t victim_of_word(gpci_rrip *rrip, uint64_t *planes, const uint64_t *candidates) {
    uint64_t most = gpci_candidate_word(candidates, 0, rrip->ways);
    uint32_t short_of = 0;
    for (uint32_t bit = rrip->bits; bit-- > 0;) {
        uint64_t with = most & planes[bit];
        most = with ? with : most;
        short_of |= (uint32_t)!with << bit;
    }
    if (short_of)
        age(rrip, planes, 0, short_of);
    return gpci_lowest(most);
}

uint32_t gpci_rrip_victim(gpci_rrip *rrip, uint32_t set, const uint64_t *candidates) {
    uint64_t *planes = &rrip->planes[(size_t)set * rrip->stride];
    if (GPCI_LIKELY(rrip->words == 1))
        return victim_of_word(rrip, planes, candidates);
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
        age(rrip, planes, word, short_of);
    uint32_t word = 0;
    while (!most[word])
        word++;
    return word * 64 + gpci_lowest(most[word]);
}
