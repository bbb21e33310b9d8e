/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_REPLACEMENT_LRU_H
#define GPC_POLICIES_REPLACEMENT_LRU_H

#include "base/base.h"

/*
 * Recency order of up to 16 ways in one word. Nibble 0 is the most recent way, nibble ways-1 the least recent. All 16
 * way numbers are always present: the search for a way's nibble does not need the number of ways.
 *
 * Example, 4 ways: the word ends in 3210 (way 0 is the most recent). After a touch of way 2 the word ends in 3102, and
 * after a touch of way 3 in 1023. The victim is nibble 3: way 1.
 */
#define GPCI_RECENCY_WAYS 16u
#define GPCI_RECENCY_START 0xfedcba9876543210u

/* Make `way` the most recent. */
GPCI_INLINE uint64_t gpci_recency_touch(uint64_t order, uint32_t way) {
    uint64_t differ = order ^ (0x1111111111111111u * way);
    /* Bit 3 of a nibble of `zero` marks the nibble of `way`. Only the lowest mark is exact: borrows change the rest. */
    uint64_t zero = (differ - 0x1111111111111111u) & ~differ & 0x8888888888888888u;
    unsigned at = gpci_lowest(zero) - 3;
    uint64_t through = ~(uint64_t)0 >> (60 - at);
    return (order & ~through) | ((order & (through >> 4)) << 4) | way;
}

/* As gpci_recency_touch, faster for the two most recent ways. */
GPCI_INLINE uint64_t gpci_recency_use(uint64_t order, uint64_t way) {
    const uint64_t differ = order ^ way;
    if (!(differ & 15))
        return order;
    if (!((order >> 4 ^ way) & 15))
        return order ^ (differ & 15) * 0x11; /* exchanges the two nibbles */
    return gpci_recency_touch(order, (uint32_t)way);
}

/* Make `way` the least recent of `ways`. */
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

/* Neighbours of a way in the recency list of the set. If a set has more than 16 ways, a list replaces the word. */
typedef struct gpci_lru_link {
    uint16_t newer, older;
} gpci_lru_link;

typedef struct gpci_lru_ends { /* ends of a set's recency list; same size as a word of `orders` */
    uint16_t newest, oldest;
    uint32_t unused;
} gpci_lru_ends;

typedef struct gpci_lru_state {
    uint32_t ways;
    uint64_t *orders;     /* [sets], used with up to 16 ways */
    gpci_lru_ends *ends;  /* [sets], same memory as `orders`, used with more than 16 ways */
    gpci_lru_link *links; /* [sets x ways], used with more than 16 ways */
} gpci_lru_state;

/* Make the line in `way` the most recent. For ops tables of policies: `self` begins with a gpci_lru_state. */
void gpci_lru_use(void *self, uint32_t set, uint32_t way, const gpc_request *request);

GPCI_INLINE gpci_lru_link *gpci_lru_links(const gpci_lru_state *lru, uint32_t set) {
    return lru->links + (size_t)set * lru->ways;
}

/* gpci_lru_touch for a set with more than 16 ways. */
static inline void gpci_lru_list_touch(gpci_lru_state *lru, uint32_t set, uint32_t way) {
    gpci_lru_ends *ends = &lru->ends[set];
    gpci_lru_link *links = gpci_lru_links(lru, set);
    if (ends->newest == way)
        return;
    uint16_t newer = links[way].newer, older = links[way].older;
    links[newer].older = older;
    if (ends->oldest == way)
        ends->oldest = newer;
    else
        links[older].newer = newer;
    links[way].older = ends->newest;
    links[ends->newest].newer = (uint16_t)way;
    ends->newest = (uint16_t)way;
}

void gpci_lru_list_demote(gpci_lru_state *lru, uint32_t set, uint32_t way);
uint32_t gpci_lru_list_at(const gpci_lru_state *lru, uint32_t set, uint32_t place);

/* Place of a way in the order, 0 most recent. */
uint32_t gpci_lru_place(const gpci_lru_state *lru, uint32_t set, uint32_t way);

/* Way at a place of the order, 0 most recent. */
GPCI_INLINE uint32_t gpci_lru_at(const gpci_lru_state *lru, uint32_t set, uint32_t place) {
    return GPCI_LIKELY(lru->ways <= GPCI_RECENCY_WAYS) ? gpci_recency_last(lru->orders[set], place + 1)
                                                       : gpci_lru_list_at(lru, set, place);
}

GPCI_INLINE void gpci_lru_touch(gpci_lru_state *lru, uint32_t set, uint32_t way) {
    if (GPCI_UNLIKELY(lru->ways > GPCI_RECENCY_WAYS)) {
        gpci_lru_list_touch(lru, set, way);
        return;
    }
    lru->orders[set] = gpci_recency_use(lru->orders[set], way);
}

/* Make `way` the least recent. Mostly `way` is a victim just filled, and is the least recent already. */
GPCI_INLINE void gpci_lru_demote(gpci_lru_state *lru, uint32_t set, uint32_t way) {
    if (GPCI_UNLIKELY(lru->ways > GPCI_RECENCY_WAYS))
        gpci_lru_list_demote(lru, set, way);
    else if (GPCI_UNLIKELY(gpci_recency_last(lru->orders[set], lru->ways) != way))
        lru->orders[set] = gpci_recency_demote(lru->orders[set], lru->ways, way);
}

/*
 * Make `way` the most recent if `recent` is true, else the least recent. If `way` is the least recent before, the code
 * does not branch on `recent`, because the CPU would often predict the branch wrong.
 */
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

/* Begin with way 0 the most recent. `orders` has a word per set. `links` is used only with more than 16 ways. */
void gpci_lru_start(gpci_lru_state *lru, uint32_t sets, uint32_t ways, void *orders, gpci_lru_link *links);
/* Set up the order of a policy. The policy's ops table has set_bytes = 8 and line_bytes = sizeof(gpci_lru_link). */
gpc_status gpci_lru_init(void *self, const gpc_policy_env *env, char *message);

/* Least recent candidate; `candidates` NULL: least recent way. */
uint32_t gpci_lru_last(gpci_lru_state *lru, uint32_t set, const uint64_t *candidates);
/* Least recent candidate among the ways in `preferred`. If no candidate is preferred: least recent candidate. */
uint32_t gpci_lru_last_of(gpci_lru_state *lru, uint32_t set, const uint64_t *preferred, const uint64_t *candidates);
/* Least recent way with (states[way] & bits) == 0; UINT32_MAX if there is no such way. */
uint32_t gpci_lru_last_without(const gpci_lru_state *lru, uint32_t set, const uint32_t *states, uint32_t bits);
/* Most recent candidate; `candidates` NULL: most recent way. */
uint32_t gpci_lru_first(const gpci_lru_state *lru, uint32_t set, const uint64_t *candidates);

#endif
