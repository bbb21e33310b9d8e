/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_REPLACEMENT_RPR_HISTORY_H
#define GPC_POLICIES_REPLACEMENT_RPR_HISTORY_H

#include "base/base.h"

/*
 * RPR's reuse predictor (seeds/004 section 6.2.1): past behaviour of a signature's blocks, in a table shared by all
 * SMs. A reuse distance is the number of accesses to the set from one access of a block to the next. A reuse count is
 * the number of reuses of a block from one fetch to the next.
 *
 * An entry adds up until one of its three sums is full, at 2047, 255 or 31. Then the entry predicts
 *   average distance = distance sum / reuses     (6.1)
 *   average count    = reuses / fetches          (6.2)
 * rounded down, at most 15. The sums start again from zero.
 *
 * Example: 31 fetches, 70 reuses, distances of 420 in all. The 31st fetch fills its sum: the averages become 420 / 70 =
 * 6 and 70 / 31 = 2.
 *
 * The document leaves open:
 * - If a signature has no entry, an update makes an entry, and counts in the new entry.
 * - 31 fetches without a reuse: the count is 0 and the distance the farthest, 15. 255 reuses without a fetch: the count
 *   is the most, 15. No distance is below 1.
 * - If the table is full, the oldest entry leaves. Signatures of 8 bits have only 256 values: the table of 512 entries
 *   fills only with wider signatures.
 */
#define GPCI_RPR_ENTRIES 512u
#define GPCI_RPR_ENTRY_BITS 32u
#define GPCI_RPR_SIGNATURE_BITS 12u /* most bits of a signature */

typedef struct gpci_rpr_entry { /* widths of the fields as in section 6.3 */
    uint32_t distance_sum : 11, reuses : 8, fetches : 5, average_count : 4, average_distance : 4;
} gpci_rpr_entry;

typedef struct gpci_rpr_history { /* all zero: empty */
    gpci_rpr_entry entries[GPCI_RPR_ENTRIES];
    uint16_t signatures[GPCI_RPR_ENTRIES]; /* signature table */
    /*
     * [signature]: 1 + index of the signature's entry, 0 = no entry. In hardware, an associative search of the
     * signature table finds the entry.
     */
    uint16_t places[1u << GPCI_RPR_SIGNATURE_BITS];
    /* used: number of entries. next: index of the next new entry. */
    uint16_t used, next;
    uint32_t sampled; /* 1 + the sampled SM (rpr_sampler.h); 0: the next SM with an access will be sampled */
} gpci_rpr_history;

/* Signature: the bits from `shift` on of a hash of the PC and of the fetching warp's relative age (section 6.2). */
GPCI_INLINE uint32_t gpci_rpr_hash(uint64_t pc, uint64_t age, unsigned shift) {
    return (uint32_t)(gpci_mix(pc << 9 | age) >> shift);
}

/* Learn a reuse at `distance`, or a fetch, of a block with the signature. */
void gpci_rpr_hit_update(gpci_rpr_history *history, uint32_t signature, uint32_t distance);
void gpci_rpr_miss_update(gpci_rpr_history *history, uint32_t signature);

/*
 * Prediction: count << 4 | distance.
 *   0         none: unknown signature, or no average yet
 *   1 to 15   count 0; differs from "none" because an averaged distance is never 0
 */
#define GPCI_RPR_NONE 0u

GPCI_INLINE uint8_t gpci_rpr_predict(const gpci_rpr_history *history, uint32_t signature) {
    uint32_t place = history->places[signature];
    if (!place)
        return GPCI_RPR_NONE;
    gpci_rpr_entry entry = history->entries[place - 1];
    return (uint8_t)(entry.average_count << 4 | entry.average_distance);
}

#endif
