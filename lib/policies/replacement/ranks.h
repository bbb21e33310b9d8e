/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_REPLACEMENT_RANKS_H
#define GPC_POLICIES_REPLACEMENT_RANKS_H

#include "policies/replacement/candidates.h"
#include "policies/replacement/lru.h"

/*
 * Choose victims by rank: the candidate with the highest rank; of equal ranks the least recently used. The rank
 * function is a constant at each inlined call: the compiler puts the function into the loops. A rank is less than
 * 65,535.
 *
 * Example, 4 ways with ranks 2 5 5 1, way 0 used longest ago, then 1, 2, 3: ways 1 and 2 have rank 5, and way 1 leaves.
 */
typedef uint32_t (*gpci_rank_fn)(const void *policy, size_t line);

#define GPCI_FEW_WAYS 8u

/* Victim among few ways: go from the least recent way to the most recent; only a higher rank replaces the best. */
GPCI_INLINE uint32_t gpci_highest_of_few(uint64_t order, uint32_t ways, const uint64_t *candidates, gpci_rank_fn rank,
                                         const void *policy, size_t first, uint32_t *out_rank) {
    uint32_t best = 0; /* low 16 bits: 1 + rank of the best way; high 16 bits: the best way */
    order <<= 64 - 4 * ways;
    for (uint32_t left = ways; left; left--, order <<= 4) {
        uint32_t way = (uint32_t)(order >> 60);
        uint32_t ranked = (rank(policy, first + way) + 1) | way << 16;
        if (candidates && !(candidates[0] >> way & 1))
            continue;
        best = (ranked & 0xffff) > (best & 0xffff) ? ranked : best;
    }
    *out_rank = (best & 0xffff) - 1;
    return best >> 16;
}

/* Least recent candidate with the rank `wanted`. At least one candidate must have this rank. */
GPCI_INLINE uint32_t gpci_last_ranked(const gpci_lru_state *lru, uint32_t set, const uint64_t *candidates,
                                      const uint16_t *ranks, uint16_t wanted) {
    if (lru->ways <= GPCI_RECENCY_WAYS) {
        uint64_t order = lru->orders[set] << (64 - 4 * lru->ways);
        while (ranks[order >> 60] != wanted || !gpci_is_candidate(candidates, (uint32_t)(order >> 60)))
            order <<= 4;
        return (uint32_t)(order >> 60);
    }
    const gpci_lru_link *links = lru->links + (size_t)set * lru->ways;
    uint32_t way = lru->ends[set].oldest;
    while (ranks[way] != wanted || !gpci_is_candidate(candidates, way))
        way = links[way].newer;
    return way;
}

/* Victim among many ways: find the highest rank in loops that vectorise, then the least recent way of this rank. */
GPCI_INLINE uint32_t gpci_highest_of_many(const gpci_lru_state *lru, uint32_t set, const uint64_t *candidates,
                                          gpci_rank_fn rank, const void *policy, size_t first, uint32_t *out_rank) {
    uint16_t ranks[GPC_MAX_WAYS], highest = 0;
    for (uint32_t way = 0; way < lru->ways; way++)
        ranks[way] = (uint16_t)rank(policy, first + way);
    for (uint32_t way = 0; way < lru->ways && !candidates; way++)
        highest = ranks[way] > highest ? ranks[way] : highest;
    for (uint32_t way = 0; way < lru->ways && candidates; way++)
        highest = gpci_is_candidate(candidates, way) && ranks[way] > highest ? ranks[way] : highest;
    *out_rank = highest;
    return gpci_last_ranked(lru, set, candidates, ranks, highest);
}

GPCI_INLINE uint32_t gpci_highest_rank(const gpci_lru_state *lru, uint32_t set, const uint64_t *candidates,
                                       gpci_rank_fn rank, const void *policy, uint32_t *out_rank) {
    size_t first = (size_t)set * lru->ways;
    if (lru->ways <= GPCI_FEW_WAYS)
        return gpci_highest_of_few(lru->orders[set], lru->ways, candidates, rank, policy, first, out_rank);
    return gpci_highest_of_many(lru, set, candidates, rank, policy, first, out_rank);
}

#endif
