/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_RUN_AHEAD_H
#define GPC_TIMED_RUN_AHEAD_H

#include "timed/timed.h"

/*
 * An SM and its L1 run ahead of the clock, as far as nobody else can have a part in what they do: so what they need
 * stays in the processor's own caches for many cycles, where otherwise all other SMs came in between.
 *
 * Nothing reaches an L1 but replies, and nothing leaves it but what is in its miss queue. While it has nothing below,
 * no reply can come; else none can that the reply network has not granted yet, and that takes its latency. So the two
 * are stepped cycle by cycle, with the wheel's `now` at theirs, until
 *
 *   a reply is there, or may be from here on                  the step is left to the clock
 *   L1's tags have put something into its miss queue          the rest of its step is left to the clock
 *   a block ends, for which another may be placed here        the SM hands it over when the clock is there
 *   the clock's own limit: a sample, a pause                  so all that is seen of a hierarchy is of one cycle
 *
 * Example: at cycle 100 SM 3 has 20 warps that compute and load what L1 has. It is stepped through cycles 101 to 130,
 * where a load misses: that goes into the network when the clock is at 130, in the order of SMs, as without this.
 */

/* May SMs run ahead at all, as the hierarchy is configured? */
bool gpci_may_run_ahead(const gpci_timed *t);
/* In this cycle: `limit`, beyond which they may not; 0 where somebody watches what happens. */
uint64_t gpci_ahead_limit(const gpci_timed *t, uint64_t limit);

/* An SM has had its turn in the present cycle, and so has its L1. */
void gpci_run_ahead(gpci_timed *t, uint32_t sm);

/* Has an L1, or its SM, been stepped in the clock's cycle already? */
GPCI_INLINE bool gpci_is_behind(const gpci_timed *t, const gpci_stage *stage) {
    return GPCI_UNLIKELY(stage->ahead_until >= t->wheel.now);
}

/* Is an SM to be stepped in the present cycle, in which its L1 is? */
GPCI_INLINE bool gpci_sm_is_due(const gpci_timed *t, uint32_t sm) {
    const uint32_t number = t->groups[GPCI_GROUP_SMS].first + sm;
    return gpci_bit_is_set(gpci_wheel_row(&t->wheel, t->wheel.now), number);
}

#endif
