/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_REPLACEMENT_DUEL_H
#define GPC_POLICIES_REPLACEMENT_DUEL_H

#include "base/base.h"
#include "policies/control/counters.h"

/*
 * Set duelling (Qureshi et al., ISCA 2007, section 5). Some sets, the leaders, always follow the first of two policies,
 * and as many sets always follow the second. The other sets follow the policy with fewer misses in its leaders. PSEL is
 * a saturating counter: up with a miss in a leader of the first policy, down with a miss in a leader of the second. If
 * PSEL's highest bit is set, the followers follow the second policy. PSEL starts at the highest value without this bit.
 *
 * The leaders come from the paper's complement-select. Each policy has n leaders, and the sets fall into n stretches.
 * In stretch c, set c of the stretch leads for the first policy (c is taken modulo the stretch's length). The set at
 * the same distance from the stretch's end leads for the second policy. If both are the same set, the next set leads
 * for the second policy. A small cache has fewer leaders: with four sets or more, at least half of the sets follow. Two
 * and three sets have one leader for each policy. A single set follows the first policy.
 *
 * Example, 16 sets, 4 leaders, stretches of 4: sets 0 5 10 15 lead for the first, 3 6 9 12 for the second.
 */
typedef enum gpci_role { GPCI_FOLLOWS = 0, GPCI_LEADS_FIRST = 1, GPCI_LEADS_SECOND = 2 } gpci_role;

typedef struct gpci_duel {
    const uint8_t *roles; /* [sets] */
    uint32_t selector, highest, midpoint;
} gpci_duel;

#define GPCI_LEADERS \
    { "leaders", 32, 1, 65536, true, "sets that always follow each of the two policies; at most a quarter of the sets" }
#define GPCI_SELECTOR_BITS \
    { "selector", 10, 1, 31, true, "bits of the counter that selects (PSEL)" }

/* `roles` is [sets], zeroed. */
GPCI_INLINE void gpci_duel_init(gpci_duel *duel, uint8_t *roles, uint32_t sets, uint32_t leaders, uint32_t bits) {
    duel->roles = roles;
    duel->midpoint = (uint32_t)1 << (bits - 1);
    duel->highest = 2 * duel->midpoint - 1;
    duel->selector = duel->midpoint - 1;
    if (sets < 2)
        return;
    uint32_t most = sets / 4 ? sets / 4 : 1;
    leaders = leaders < most ? leaders : most;
    uint32_t stretch = sets / leaders;
    for (uint32_t c = 0; c < leaders; c++) {
        uint32_t first = c % stretch, second = stretch - 1 - first;
        if (second == first)
            second = (first + 1) % stretch;
        roles[c * stretch + first] = GPCI_LEADS_FIRST;
        roles[c * stretch + second] = GPCI_LEADS_SECOND;
    }
}

/*
 * Count a miss in `set`. The code has no branches: in a cache with few sets, leaders are frequent, and the CPU would
 * often predict a branch on the role wrong.
 */
GPCI_INLINE void gpci_duel_miss(gpci_duel *duel, uint32_t set) {
    uint8_t role = duel->roles[set];
    uint32_t up = (role == GPCI_LEADS_FIRST) & (duel->selector < duel->highest);
    uint32_t down = (role == GPCI_LEADS_SECOND) & (duel->selector > 0);
    duel->selector += up - down;
}

/* True if `set` follows the second policy now. */
GPCI_INLINE bool gpci_duel_second(const gpci_duel *duel, uint32_t set) {
    uint8_t role = duel->roles[set];
    return (role == GPCI_LEADS_SECOND) | ((role == GPCI_FOLLOWS) & (duel->selector >= duel->midpoint));
}

/* Counters published by a policy with a duel. */
static inline bool gpci_duel_counter(const gpci_duel *duel, size_t index, gpc_policy_counter *counter) {
    const gpci_published rows[] = {
        {"selector", "", "PSEL, the largest of all caches", GPCI_IS_LEVEL, duel->selector},
        {"second", "caches", "caches of which the sets that follow now follow the second policy", GPCI_COUNTS,
         duel->selector >= duel->midpoint},
    };
    return GPCI_PUBLISH(rows, index, counter);
}

#endif
