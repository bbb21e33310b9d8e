/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_REPLACEMENT_LRU_H
#define GPC_POLICIES_REPLACEMENT_LRU_H

#include "base/base.h"

/*
 * Recency of up to 16 ways in one word: nibble 0 is the most recent way, nibble
 * ways-1 the least. All 16 way numbers are always present, so that a nibble is
 * found without regard to the number of ways.
 *
 * Example, 4 ways: ...3210 (way 0 most recent); touch 2: ...3102; touch 3: ...1023,
 * and the victim is nibble 3: way 1.
 */
#define GPCI_RECENCY_WAYS 16u
#define GPCI_RECENCY_START 0xfedcba9876543210u

/* `way` becomes the most recent. */
GPCI_INLINE uint64_t gpci_recency_touch(uint64_t order, uint32_t way) {
    uint64_t differ = order ^ (0x1111111111111111u * way);
    /* The lowest nibble that is zero is exact; borrows only falsify those above it. */
    uint64_t zero = (differ - 0x1111111111111111u) & ~differ & 0x8888888888888888u;
    unsigned at = gpci_lowest(zero) - 3;
    uint64_t through = ~(uint64_t)0 >> (60 - at);
    return (order & ~through) | ((order & (through >> 4)) << 4) | way;
}

/* `way` becomes the least recent of `ways`. */
GPCI_INLINE uint64_t gpci_recency_demote(uint64_t order, uint32_t ways, uint32_t way) {
    uint64_t differ = order ^ (0x1111111111111111u * way);
    uint64_t zero = (differ - 0x1111111111111111u) & ~differ & 0x8888888888888888u;
    unsigned at = gpci_lowest(zero) - 3, last = 4 * (ways - 1);
    uint64_t below = ((uint64_t)1 << at) - 1, through = ~(uint64_t)0 >> (60 - last);
    return (order & (below | ~through)) | (order >> 4 & ~below & through >> 4) | (uint64_t)way << last;
}

GPCI_INLINE uint32_t gpci_recency_last(uint64_t order, uint32_t ways) {
    return (uint32_t)(order >> (4 * (ways - 1))) & 15u;
}

/* More ways than fit a word form a list per set, most recent first. */
typedef struct gpci_lru_link {
    uint16_t newer, older;
} gpci_lru_link;

typedef struct gpci_lru_ends { /* as large as an order */
    uint16_t newest, oldest;
    uint32_t unused;
} gpci_lru_ends;

typedef struct gpci_lru_state {
    uint32_t ways;
    uint64_t *orders;     /* [sets], up to 16 ways */
    gpci_lru_ends *ends;  /* [sets], the same memory, more ways */
    gpci_lru_link *links; /* [sets x ways] */
} gpci_lru_state;

/* For tables of policies whose instance begins with a gpci_lru_state: the line is the most recent now. */
void gpci_lru_use(void *self, uint32_t set, uint32_t way, const gpc_request *request);

void gpci_lru_list_touch(gpci_lru_state *lru, uint32_t set, uint32_t way);
void gpci_lru_list_demote(gpci_lru_state *lru, uint32_t set, uint32_t way);

GPCI_INLINE void gpci_lru_touch(gpci_lru_state *lru, uint32_t set, uint32_t way) {
    if (GPCI_LIKELY(lru->ways <= GPCI_RECENCY_WAYS))
        lru->orders[set] = gpci_recency_touch(lru->orders[set], way);
    else
        gpci_lru_list_touch(lru, set, way);
}

/* The opposite: `way` becomes the least recent, which what comes in for a victim is already. */
GPCI_INLINE void gpci_lru_demote(gpci_lru_state *lru, uint32_t set, uint32_t way) {
    if (GPCI_UNLIKELY(lru->ways > GPCI_RECENCY_WAYS))
        gpci_lru_list_demote(lru, set, way);
    else if (GPCI_UNLIKELY(gpci_recency_last(lru->orders[set], lru->ways) != way))
        lru->orders[set] = gpci_recency_demote(lru->orders[set], lru->ways, way);
}

/* Either, without a branch on which where the line comes in for a victim: leaders and followers come at random. */
GPCI_INLINE void gpci_lru_insert(gpci_lru_state *lru, uint32_t set, uint32_t way, bool recent) {
    if (GPCI_LIKELY(lru->ways <= GPCI_RECENCY_WAYS && gpci_recency_last(lru->orders[set], lru->ways) == way)) {
        uint64_t order = lru->orders[set], within = ~(uint64_t)0 >> (64 - 4 * lru->ways);
        uint64_t rotated = (order & ~within) | (order << 4 & within) | way;
        lru->orders[set] = order ^ ((order ^ rotated) & (0 - (uint64_t)recent));
    } else if (recent) {
        gpci_lru_touch(lru, set, way);
    } else {
        gpci_lru_demote(lru, set, way);
    }
}

/* `init` of every policy that keeps an order: set_bytes = 8, line_bytes = sizeof(gpci_lru_link). */
gpc_status gpci_lru_init(void *self, const gpc_policy_env *env, char *message);

/* The least and the most recent way, of the candidates if there is a mask of them. */
uint32_t gpci_lru_last(gpci_lru_state *lru, uint32_t set, const uint64_t *candidates);
/* The least recent of those of the set's ways whose bits are set and that are candidates; where none is, of these. */
uint32_t gpci_lru_last_of(gpci_lru_state *lru, uint32_t set, const uint64_t *preferred, const uint64_t *candidates);
/* The least recent way whose state word has none of these bits; UINT32_MAX where all have. */
uint32_t gpci_lru_last_without(const gpci_lru_state *lru, uint32_t set, const uint32_t *states, uint32_t bits);
uint32_t gpci_lru_first(const gpci_lru_state *lru, uint32_t set, const uint64_t *candidates);

#endif
