/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_REPLACEMENT_DUEL_H
#define GPC_POLICIES_REPLACEMENT_DUEL_H

#include "base/base.h"
#include "policies/control/counters.h"

/*
 * Set duelling (Qureshi et al., ISCA 2007, section 5): some sets always follow
 * the first of two policies, as many the second, and the others whichever has
 * the fewer misses there. PSEL, a saturating counter, goes up with a miss in a set of the
 * first and down with one of the second; its highest bit set means the second.
 * It starts one below that, on the side of the first.
 *
 * Which sets lead is the paper's complement-select: the sets fall into as many
 * stretches as either policy has leaders; in stretch c, set c leads for the first and
 * the set that is as far from the end for the second, both counted round the stretch.
 * A small cache has fewer leaders, so that with four sets or more half of them follow;
 * two and three sets have one leader each way, and a single set follows the first policy.
 *
 * Example, 16 sets, 4 leaders, stretches of 4: sets 0 5 10 15 lead for the first, 3 6 9 12 for the second.
 */
typedef enum gpci_role { GPCI_FOLLOWS = 0, GPCI_LEADS_FIRST = 1, GPCI_LEADS_SECOND = 2 } gpci_role;

typedef struct gpci_duel {
    const uint8_t *roles; /* [sets] */
    uint32_t selector, highest, turn;
} gpci_duel;

#define GPCI_LEADERS \
    { "leaders", 32, 1, 65536, true, "sets that always follow each of the two policies; at most a quarter of the sets" }
#define GPCI_SELECTOR_BITS \
    { "selector", 10, 1, 31, true, "bits of the counter that selects (PSEL)" }

/* `roles` is [sets], zeroed. */
GPCI_INLINE void gpci_duel_init(gpci_duel *duel, uint8_t *roles, uint32_t sets, uint32_t leaders, uint32_t bits) {
    duel->roles = roles;
    duel->turn = (uint32_t)1 << (bits - 1);
    duel->highest = 2 * duel->turn - 1;
    duel->selector = duel->turn - 1;
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

/* Without branches, which nobody could predict: a cache with few sets has many leaders. */
GPCI_INLINE void gpci_duel_miss(gpci_duel *duel, uint32_t set) {
    uint8_t role = duel->roles[set];
    uint32_t up = (role == GPCI_LEADS_FIRST) & (duel->selector < duel->highest);
    uint32_t down = (role == GPCI_LEADS_SECOND) & (duel->selector > 0);
    duel->selector += up - down;
}

/* Does `set` follow the second policy now? */
GPCI_INLINE bool gpci_duel_second(const gpci_duel *duel, uint32_t set) {
    uint8_t role = duel->roles[set];
    return (role == GPCI_LEADS_SECOND) | ((role == GPCI_FOLLOWS) & (duel->selector >= duel->turn));
}

/* What a policy that duels publishes. */
static inline bool gpci_duel_counter(const gpci_duel *duel, size_t index, gpc_policy_counter *counter) {
    const gpci_published rows[] = {
        {"selector", "", "PSEL, the largest of all caches", GPCI_IS_LEVEL, duel->selector},
        {"second", "caches", "caches of which the sets that follow now follow the second policy", GPCI_COUNTS,
         duel->selector >= duel->turn},
    };
    return GPCI_PUBLISH(rows, index, counter);
}

#endif
