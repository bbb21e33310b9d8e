/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_REPLACEMENT_RPR_HISTORY_H
#define GPC_POLICIES_REPLACEMENT_RPR_HISTORY_H

#include "base/base.h"

/*
 * RPR's reuse predictor (seeds/004 section 6.2.1): what blocks of a signature did in
 * the past, in a table that all SMs share. A reuse distance is the number of accesses
 * to the set from one access of a block to its next, a reuse count the number of
 * those that a block has from one fetch to the next.
 *
 * An entry adds up until one of its three sums is full, at 2047, 255 or 31. Then
 *   average distance = distance sum / reuses     (6.1)
 *   average count    = reuses / fetches          (6.2)
 * rounded down, at most 15, are what it predicts, and the sums start again from zero.
 *
 * Example: 31 fetches, 70 reuses, distances of 420 in all. The 31st fetch fills its
 * sum: the averages become 420 / 70 = 6 and 70 / 31 = 2.
 *
 * What the document leaves open:
 * - The update that finds no entry makes one, and counts in it.
 * - 31 fetches without a reuse: the count is 0 and the distance the farthest, 15.
 *   255 reuses without a fetch: the count is the most, 15. No distance is below 1.
 * - The table is full: the entry that has been in it longest leaves. That takes more
 *   signatures than the byte that the sampler keeps of each can tell apart (256); it
 *   happens with wider ones.
 */
#define GPCI_RPR_ENTRIES 512u
#define GPCI_RPR_ENTRY_BITS 32u
#define GPCI_RPR_SIGNATURE_BITS 12u /* at most */

typedef struct gpci_rpr_entry { /* widths of section 6.3 */
    uint32_t distance_sum : 11, reuses : 8, fetches : 5, average_count : 4, average_distance : 4;
} gpci_rpr_entry;

typedef struct gpci_rpr_history { /* zero: empty */
    gpci_rpr_entry entries[GPCI_RPR_ENTRIES];
    uint16_t signatures[GPCI_RPR_ENTRIES];          /* the signature table */
    uint16_t places[1u << GPCI_RPR_SIGNATURE_BITS]; /* in place of its associative search: 1 + entry, 0 = none */
    uint16_t used, next;                            /* entries; where the next new one goes */
    uint32_t sampled; /* 1 + the SM that is (rpr_sampler.h); 0: the next that has an access */
} gpci_rpr_history;

/* A signature: the hash of PC and relative age of the fetching warp, its highest bits from `shift` on (section 6.2). */
GPCI_INLINE uint32_t gpci_rpr_hash(uint64_t pc, uint64_t age, unsigned shift) {
    return (uint32_t)(gpci_mix(pc << 9 | age) >> shift);
}

void gpci_rpr_hit_update(gpci_rpr_history *history, uint32_t signature, uint32_t distance);
void gpci_rpr_miss_update(gpci_rpr_history *history, uint32_t signature);

/*
 * A prediction: count << 4 | distance.
 *   0         none: the signature is unknown, or not yet averaged
 *   1 to 15   count 0. An averaged distance is never 0, and so this is not "none".
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
