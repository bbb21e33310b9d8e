/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_REPLACEMENT_RPR_SAMPLER_H
#define GPC_POLICIES_REPLACEMENT_RPR_SAMPLER_H

#include "policies/replacement/rpr_history.h"

/*
 * RPR's sampler (seeds/004 sections 6.2.2 and 6.3): LRU tags of some sets, on one SM,
 * beside the cache's own: in each kernel on the first SM that has an access, for one
 * without work would teach nothing. An access that finds its tag tells the predictor
 * the distance since the last; one that does not, a fetch.
 *
 * A set's 16-bit counter counts its accesses and an entry keeps its value at its
 * block's last: their difference is the reuse distance, and of all entries the one
 * with the largest difference is the least recently used. Both wrap around: an entry
 * not used for 65,536 accesses passes for new.
 *
 * Example, 2 ways, stream A B A C A, signatures a, b, c:
 *   A fetch a, at 1    B fetch b, at 2    A distance 3 - 1 = 2 of a
 *   C fetch c, at 4, in place of B (4 - 2 = 2; A is 4 - 3 = 1)    A distance 5 - 3 = 2 of a
 *
 * What the document leaves open or says twice:
 * - It sets a new block's counter value to zero, but takes the distance as the
 *   difference to the set's: what starts from zero is the difference.
 * - Signature and distance are of the block: the signature stays the fetching one's.
 * - A block enters if the cache fetches it, or has it: a store that does not allocate
 *   and what bypasses count as accesses and leave no tag.
 */
typedef struct gpci_rpr_tag {
    uint32_t tag; /* 24 bits, and GPCI_RPR_TAG_VALID */
    uint16_t last, signature;
} gpci_rpr_tag;

#define GPCI_RPR_TAG_BITS 24u
#define GPCI_RPR_TAG_VALID (1u << GPCI_RPR_TAG_BITS)

typedef struct gpci_rpr_sampler {
    gpci_rpr_tag *tags; /* [sets x ways] */
    uint16_t *counters; /* [sets] */
    uint32_t ways;
    uint32_t index; /* this SM's */
    uint32_t skip;  /* sampled are the sets whose number has none of these bits */
    unsigned shift; /* from an address to a tag */
} gpci_rpr_sampler;

/* Of an access to a set. */
GPCI_INLINE bool gpci_rpr_samples(const gpci_rpr_sampler *sampler, gpci_rpr_history *history, uint32_t set) {
    if (GPCI_UNLIKELY(!history->sampled))
        history->sampled = 1 + sampler->index;
    return history->sampled == 1 + sampler->index && !(set & sampler->skip);
}

/* A kernel begins: another SM may be the one. */
GPCI_INLINE void gpci_rpr_sampler_event(gpci_rpr_history *history, const gpc_warp_event *event) {
    if (event->kind == GPC_KERNEL_START)
        history->sampled = 0;
}

/*
 * The sampler of an L1, of one set in `every`, on the state that the caller's table asked for: tags [sets x ways] and
 * counters [sets]. GPC_ERROR_RANGE, and why in `message`, where `every` is no power of two.
 */
gpc_status gpci_rpr_sampler_init(gpci_rpr_sampler *sampler, const gpc_policy_env *env, uint32_t every, void *tags,
                                 void *counters, char *message);

/*
 * What RPR has once, in cache 0 (section 6.3): the history table, 512 x (11 + 8 + 5 + 4 + 4) bits, and the sampler,
 * ceil(sets / every) x (16 + ways x (24 + 16 + signature)). Of more than 9 bits a signature does not fit 512 places:
 * each entry then keeps it as its tag.
 */
uint64_t gpci_rpr_shared_bits(const gpc_policy_env *env, uint32_t every, uint32_t signature);

/* An access to a sampled set. Is its tag there? */
bool gpci_rpr_sample_access(gpci_rpr_sampler *sampler, gpci_rpr_history *history, uint32_t set, uint64_t address);
/* The cache has the block, or now fetches it. */
void gpci_rpr_sample_enter(gpci_rpr_sampler *sampler, gpci_rpr_history *history, uint32_t set, uint64_t address,
                           uint32_t signature);

#endif
