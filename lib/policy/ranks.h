/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICY_RANKS_H
#define GPC_POLICY_RANKS_H

#include "policy/candidates.h"
#include "policy/lru.h"

/*
 * Victims by rank: of the candidates the way whose rank is the highest, and of
 * equals the least recently used. ranks[] holds one per way.
 *
 * Example, 4 ways of ranks 2 5 5 1, recency 3 2 1 0 (way 0 longest ago): way 1.
 */
GPCI_INLINE uint32_t gpci_highest_rank(gpci_lru_state *lru, uint32_t set, const uint16_t *ranks,
                                       const uint64_t *candidates) {
    uint64_t highest[GPC_MAX_WAYS / 64];
    uint32_t ways = lru->ways;
    uint16_t most = 0;
    for (uint32_t way = 0; way < ways && !candidates; way++)
        most = ranks[way] > most ? ranks[way] : most;
    for (uint32_t way = 0; way < ways && candidates; way++)
        most = gpci_is_candidate(candidates, way) && ranks[way] > most ? ranks[way] : most;
    for (uint32_t word = 0; word < gpci_way_words(ways); word++) {
        const uint16_t *of_word = ranks + word * 64;
        uint64_t bits = 0;
        for (uint32_t bit = 0; bit < 64 && word * 64 + bit < ways; bit++)
            bits |= (uint64_t)(of_word[bit] == most) << bit;
        highest[word] = bits & gpci_candidate_word(candidates, word, ways);
    }
    return gpci_lru_last(lru, set, highest);
}

#endif
