/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_L1_RULES_H
#define GPC_LEVEL_L1_RULES_H

#include "level/cache_lines.h"
#include "level/level_count.h"
#include "level/level_rules.h"

/*
 * What an L1 does with a request, beside what every level does (level_rules.h): what it asks the level below for,
 * what it keeps of the reply, and what leaves it.
 */

/* A load or prefetch, or a store that lacks sectors of its line, as a read of the level below; `word`: see there. */
GPCI_INLINE void gpci_l1_ask_read(gpc_request *request, uint32_t word) {
    request->policy_word = word;
    request->admitted = 0; /* which L1's policy said, and not L2's */
    if (request->kind == GPC_STORE) {
        request->kind = GPC_LOAD;
        request->byte_mask[0] = request->byte_mask[1] = 0;
    }
}

/*
 * A read that L1 sent has its reply, and `word` is what L2's predictor says in it: is its line to be kept? L1's own
 * predictor said `predicted` of it at the miss, and may overturn that; what the replacement policy declined stays out.
 */
GPCI_INLINE gpc_decision gpci_l1_verify(gpc_cache *l1, const gpc_request *request, gpc_decision predicted,
                                        bool declined, uint32_t word) {
    return declined ? GPC_BYPASS : gpc_cache_reply(l1, request, predicted, word);
}

/* L1 had no way for sectors of a read: they have passed it by. */
GPCI_INLINE void gpci_l1_passed_by(gpc_hierarchy *h, uint32_t sm, uint8_t sectors) {
    gpci_count_l1_bypass(h, sm, h->l1_level.segments_of[sectors]);
}

/*
 * A line leaves an SM's L1. Its dirty bytes go to the level below, by the request of the line that this sets; nothing
 * does, and false is returned, where it was clean.
 */
GPCI_INLINE bool gpci_l1_line_left(gpc_hierarchy *h, uint32_t sm, const gpc_eviction *eviction, gpc_request *request) {
    if (!eviction->dirty_sectors)
        return false;
    *request = (gpc_request){.address = eviction->line_address, .sm = sm, .kernel = h->kernel, .kind = GPC_STORE};
    gpci_count_l1_write_back(h, sm, gpci_count_sectors(gpci_segments_of(eviction->dirty_bytes)));
    return true;
}

#endif
