/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_REPLACEMENT_RPR_SAMPLER_H
#define GPC_POLICIES_REPLACEMENT_RPR_SAMPLER_H

#include "policies/replacement/rpr_history.h"

/*
 * RPR's sampler (seeds/004 sections 6.2.2 and 6.3): tags of some sets, replaced by LRU, beside the cache's own tags. In
 * each kernel the sampled SM is the first SM with an access, because an SM without work teaches nothing. If an access
 * finds its tag, the predictor learns the distance since the block's last access. If an access finds no tag, the
 * predictor learns a fetch.
 *
 * A set's 16-bit counter counts the set's accesses. An entry keeps the counter's value at its block's last access. The
 * reuse distance is the difference. The entry with the largest difference is the least recently used. Both numbers wrap
 * around: an entry unused for 65,536 accesses counts as new.
 *
 * Example, 2 ways, stream A B A C A, signatures a, b, c of the blocks:
 *   A    counter 1: a fetch of a
 *   B    counter 2: a fetch of b
 *   A    counter 3: a reuse of a at distance 3 - 1 = 2
 *   C    counter 4: a fetch of c, in place of B (B's difference is 4 - 2 = 2, A's is 4 - 3 = 1)
 *   A    counter 5: a reuse of a at distance 5 - 3 = 2
 *
 * The document leaves open, or contradicts itself:
 * - The document sets a new block's counter value to zero, but takes the distance as the difference to the set's
 *   counter. Here the difference starts from zero.
 * - Signature and distance belong to the block: the signature stays the signature of the fetch.
 * - A block enters if the cache fetches or already has the block. A store without allocation and a bypassing access
 *   count as accesses and leave no tag.
 */
typedef struct gpci_rpr_tag {
    uint32_t tag; /* 24 bits, and GPCI_RPR_TAG_VALID */
    /* last: the set's counter at the block's last access. signature: signature of the block's fetch. */
    uint16_t last, signature;
} gpci_rpr_tag;

#define GPCI_RPR_TAG_BITS 24u
#define GPCI_RPR_TAG_VALID (1u << GPCI_RPR_TAG_BITS)

typedef struct gpci_rpr_sampler {
    gpci_rpr_tag *tags; /* [sets x ways] */
    uint16_t *counters; /* [sets] */
    uint32_t ways;
    uint32_t index; /* index of this SM */
    uint32_t skip;  /* mask: a set is sampled if set & skip is 0 */
    unsigned shift; /* shift from an address to a tag */
} gpci_rpr_sampler;

/* True if an access to `set` is sampled. */
GPCI_INLINE bool gpci_rpr_samples(const gpci_rpr_sampler *sampler, gpci_rpr_history *history, uint32_t set) {
    if (GPCI_UNLIKELY(!history->sampled))
        history->sampled = 1 + sampler->index;
    return history->sampled == 1 + sampler->index && !(set & sampler->skip);
}

/* If a kernel begins, choose the sampled SM anew. */
GPCI_INLINE void gpci_rpr_sampler_event(gpci_rpr_history *history, const gpc_warp_event *event) {
    if (event->kind == GPC_KERNEL_START)
        history->sampled = 0;
}

/*
 * Set up the sampler of an L1, of one set in `every`. The memory is the state that the caller's ops table asked for:
 * tags [sets x ways] and counters [sets]. GPC_ERROR_RANGE, with the reason in `message`, if `every` is no power of two.
 */
gpc_status gpci_rpr_sampler_init(gpci_rpr_sampler *sampler, const gpc_policy_env *env, uint32_t every, void *tags,
                                 void *counters, char *message);

/*
 * Cost of the structures that all SMs share, counted in cache 0 (section 6.3): the history table, 512 x (11 + 8 + 5 +
 * 4 + 4) bits, and the sampler, ceil(sets / every) x (16 + ways x (24 + 16 + signature)). A signature of more than 9
 * bits does not fit 512 places: each entry then keeps its signature as a tag.
 */
uint64_t gpci_rpr_shared_bits(const gpc_policy_env *env, uint32_t every, uint32_t signature);

/* Record an access to a sampled set. True if the tag is in the sampler. */
bool gpci_rpr_sample_access(gpci_rpr_sampler *sampler, gpci_rpr_history *history, uint32_t set, uint64_t address);
/* Enter the tag of a block that the cache has or now fetches, if the sampler does not have the tag. */
void gpci_rpr_sample_enter(gpci_rpr_sampler *sampler, gpci_rpr_history *history, uint32_t set, uint64_t address,
                           uint32_t signature);

#endif
