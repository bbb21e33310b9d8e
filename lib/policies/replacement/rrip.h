/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_REPLACEMENT_RRIP_H
#define GPC_POLICIES_REPLACEMENT_RRIP_H

#include "base/base.h"
#include "policies/replacement/candidates.h"

/*
 * Re-reference prediction values (RRPV) of M bits, one per line: 0 = used again soon, 2^M - 1 = in the distant future.
 * The values are kept as planes: word w of plane b holds bit b of ways 64w to 64w + 63. With planes, finding the victim
 * and aging a whole set take M steps of logic. If all planes of a set fit one word, the planes share the word, plane b
 * from bit b x ways on.
 *
 * Example, M = 2, 4 ways, values 1 2 0 2 of ways 0 to 3: plane 1 is 1010, plane 0 is 0001 (way 3 on the left). The
 * largest value has bit 1 set: ways 1 and 3. Neither has bit 0: the largest value is 2, one short of 3. The set ages by
 * 1, to 2 3 1 3, and way 1 leaves.
 */
#define GPCI_RRIP_MAX_BITS 8u

typedef struct gpci_rrip {
    uint64_t *planes;     /* [sets][bits][words]; if packed: [sets] */
    bool packed;          /* all planes of a set share one word */
    uint32_t ways, words; /* ways and words of a plane */
    uint32_t bits, stride;
    /* Masks of a packed word. all: the bits of all ways in plane 0. every_bit: the bits of way 0 in all planes. */
    uint64_t all, every_bit;
} gpci_rrip;

/*
 * With up to 64 ways, a set's planes take bits x 8 bytes of the set state. With more ways, the planes take bits x words
 * x 8 bytes of the line state.
 */
#define GPCI_RRIP_SET_BYTES (GPCI_RRIP_MAX_BITS * sizeof(uint64_t))
#define GPCI_RRIP_LINE_BYTES 2u

#define GPCI_RRPV_BITS \
    { "bits", 2, 1, GPCI_RRIP_MAX_BITS, true, "bits of a line's re-reference prediction value (M)" }

GPCI_INLINE void gpci_rrip_init(gpci_rrip *rrip, const gpc_policy_env *env, uint32_t bits) {
    rrip->planes = gpci_way_bits(env);
    rrip->ways = env->ways;
    rrip->words = gpci_way_words(env->ways);
    rrip->bits = bits;
    rrip->stride = bits * rrip->words;
    rrip->packed = env->ways * bits <= 64;
    rrip->all = gpci_candidate_word(NULL, 0, env->ways);
    rrip->every_bit = 0;
    for (uint32_t bit = 0; rrip->packed && bit < bits; bit++)
        rrip->every_bit |= (uint64_t)1 << (bit * env->ways);
}

/* Set a line's value to 0. */
GPCI_INLINE void gpci_rrip_clear(gpci_rrip *rrip, uint32_t set, uint32_t way) {
    if (GPCI_LIKELY(rrip->packed)) {
        rrip->planes[set] &= ~(rrip->every_bit << way);
        return;
    }
    uint64_t *plane = &rrip->planes[(size_t)set * rrip->stride + way / 64];
    for (uint32_t bit = 0; bit < rrip->bits; bit++, plane += rrip->words)
        *plane &= ~((uint64_t)1 << (way % 64));
}

/* Set a line's value: if `distant`, to the distant value (all bits 1); else to one less (all bits 1 but the lowest). */
GPCI_INLINE void gpci_rrip_put_far(gpci_rrip *rrip, uint32_t set, uint32_t way, bool distant) {
    if (GPCI_LIKELY(rrip->packed)) {
        uint64_t *word = &rrip->planes[set];
        *word = (*word | rrip->every_bit << way) ^ (uint64_t)!distant << way;
        return;
    }
    uint64_t *lowest = &rrip->planes[(size_t)set * rrip->stride + way / 64], *plane = lowest;
    for (uint32_t bit = 0; bit < rrip->bits; bit++, plane += rrip->words)
        *plane |= (uint64_t)1 << (way % 64);
    *lowest ^= (uint64_t)!distant << (way % 64);
}

void gpci_rrip_put(gpci_rrip *rrip, uint32_t set, uint32_t way, uint32_t value);
uint32_t gpci_rrip_get(const gpci_rrip *rrip, uint32_t set, uint32_t way);

uint32_t gpci_rrip_search(gpci_rrip *rrip, uint32_t set, const uint64_t *candidates);

/*
 * Lowest candidate with the distant value. If no candidate is distant, age the whole set until a candidate is distant.
 */
GPCI_INLINE uint32_t gpci_rrip_victim(gpci_rrip *rrip, uint32_t set, const uint64_t *candidates) {
    if (rrip->packed && rrip->bits == 2 && !candidates) {
        uint64_t word = rrip->planes[set], distant = word & word >> rrip->ways & rrip->all;
        if (distant)
            return gpci_lowest(distant);
    }
    return gpci_rrip_search(rrip, set, candidates);
}

/* Cost in bits: a value per line, sets x ways x M. */
GPCI_INLINE uint64_t gpci_rrip_bits(const gpc_policy_env *env, uint32_t bits) {
    return (uint64_t)env->sets * env->ways * bits;
}

#endif
