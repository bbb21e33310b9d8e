/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_REPLACEMENT_CANDIDATES_H
#define GPC_POLICIES_REPLACEMENT_CANDIDATES_H

#include "base/base.h"

/* Functions that read `candidates` of choose_victim: way w = bit w % 64 of word w / 64; NULL = every way. */

GPCI_INLINE bool gpci_is_candidate(const uint64_t *candidates, uint32_t way) {
    return !candidates || gpci_bit_is_set(candidates, way);
}

/* True if `way`, chosen by a policy, is below `ways` and is a candidate. */
GPCI_INLINE bool gpci_is_choice(const uint64_t *candidates, uint32_t ways, uint32_t way) {
    return way < ways && gpci_is_candidate(candidates, way);
}

/* Number of 64-bit words in a mask with a bit per way. */
GPCI_INLINE uint32_t gpci_way_words(uint32_t ways) {
    return (ways + 63) / 64;
}

/* Word `word` of the candidates, without bits at or above `ways`. */
GPCI_INLINE uint64_t gpci_candidate_word(const uint64_t *candidates, uint32_t word, uint32_t ways) {
    uint64_t bits = candidates ? candidates[word] : ~(uint64_t)0;
    uint32_t left = ways - word * 64;
    return left < 64 ? bits & (((uint64_t)1 << left) - 1) : bits;
}

/*
 * Words for policies with a bit per way or per tree node. Up to 64 ways: one word in the set's state (set_bytes = 8).
 * More ways: as many words as needed, in the set's part of the line state (line_bytes = 1: a byte for each bit).
 */
GPCI_INLINE uint64_t *gpci_way_bits(const gpc_policy_env *env) {
    return env->ways <= 64 ? env->set_state : env->line_state;
}

#endif
